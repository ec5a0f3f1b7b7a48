/* Wide characters and locales: there is the C locale. `wchar_t` is `int`, `wint_t` is `unsigned`. */

struct lconv {
  char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol, *mon_decimal_point, *mon_thousands_sep,
      *mon_grouping, *positive_sign, *negative_sign;
  char others[14];
};
char *setlocale(int what, const char *name) {
  (void)what;
  if (!name || !strcmp(name, "C") || !strcmp(name, "POSIX")) return "C";
  __bop_compiler();  /* which others there are is up to the surroundings */
  return *name ? 0 : "C";
}
struct lconv *localeconv(void) {
  static struct lconv c = { ".", "", "", "", "", "", "", "", "", "",
                            { 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127 } };
  return &c;
}
int strcoll(const char *a, const char *b) { return strcmp(a, b); }

static int bop_ascii(unsigned c) { return c < 128; }
int iswalpha(unsigned c) { return bop_ascii(c) && isalpha((int)c); }
int iswdigit(unsigned c) { return bop_ascii(c) && isdigit((int)c); }
int iswalnum(unsigned c) { return bop_ascii(c) && isalnum((int)c); }
int iswspace(unsigned c) { return bop_ascii(c) && isspace((int)c); }
int iswblank(unsigned c) { return bop_ascii(c) && isblank((int)c); }
int iswupper(unsigned c) { return bop_ascii(c) && isupper((int)c); }
int iswlower(unsigned c) { return bop_ascii(c) && islower((int)c); }
int iswpunct(unsigned c) { return bop_ascii(c) && ispunct((int)c); }
int iswprint(unsigned c) { return bop_ascii(c) && isprint((int)c); }
int iswgraph(unsigned c) { return bop_ascii(c) && isgraph((int)c); }
int iswcntrl(unsigned c) { return bop_ascii(c) && iscntrl((int)c); }
int iswxdigit(unsigned c) { return bop_ascii(c) && isxdigit((int)c); }
unsigned towlower(unsigned c) { return bop_ascii(c) ? (unsigned)tolower((int)c) : c; }
unsigned towupper(unsigned c) { return bop_ascii(c) ? (unsigned)toupper((int)c) : c; }

/* What is no character of the C locale is an error. */
unsigned btowc(int c) { return c >= 0 && c < 128 ? (unsigned)c : -1u; }
int wctob(unsigned c) { return bop_ascii(c) ? (int)c : -1; }
size_t mbrtowc(int *to, const char *from, size_t size, void *state) {
  (void)state;
  if (!from) return 0;
  if (!size) return (size_t)-2;
  if (*from < 0) { bop_errno = 84; return (size_t)-1; }
  if (to) *to = *from;
  return *from != 0;
}
size_t wcrtomb(char *to, int c, void *state) {
  (void)state;
  if (!to) return 1;
  if (!bop_ascii((unsigned)c)) { bop_errno = 84; return (size_t)-1; }
  *to = (char)c;
  return 1;
}
int mbtowc(int *to, const char *from, size_t size) {
  if (!from) return 0;
  if (!size) return -1;
  return (int)mbrtowc(to, from, size, 0);
}
int mblen(const char *from, size_t size) { return mbtowc(0, from, size); }
size_t mbrlen(const char *from, size_t size, void *state) { return mbrtowc(0, from, size, state); }
int wctomb(char *to, int c) { return to ? (int)wcrtomb(to, c, 0) : 0; }
int mbsinit(const void *state) { (void)state; return 1; }
size_t mbstowcs(int *to, const char *from, size_t size) {
  size_t n;
  for (n = 0; !to || n < size; n++) {
    if (from[n] < 0) { bop_errno = 84; return (size_t)-1; }
    if (to) to[n] = from[n];
    if (!from[n]) break;
  }
  return n;
}
size_t wcstombs(char *to, const int *from, size_t size) {
  size_t n;
  for (n = 0; !to || n < size; n++) {
    if (!bop_ascii((unsigned)from[n])) { bop_errno = 84; return (size_t)-1; }
    if (to) to[n] = (char)from[n];
    if (!from[n]) break;
  }
  return n;
}

int *wcsdup(const int *s) {
  int *copy = malloc((wcslen(s) + 1) * sizeof *s);
  return copy ? wcscpy(copy, s) : 0;
}
size_t wcsnlen(const int *s, size_t most) { size_t n = 0; while (n < most && s[n]) n++; return n; }
int *wmempcpy(int *to, const int *s, size_t n) { return wmemcpy(to, s, n) + n; }
static int bop_wide_in(const int *set, int c) { for (; *set; set++) if (*set == c) return 1; return 0; }
size_t wcsspn(const int *s, const int *set) { size_t n = 0; while (s[n] && bop_wide_in(set, s[n])) n++; return n; }
size_t wcscspn(const int *s, const int *set) { size_t n = 0; while (s[n] && !bop_wide_in(set, s[n])) n++; return n; }
int *wcspbrk(const int *s, const int *set) { s += wcscspn(s, set); return *s ? (int *)s : 0; }
int *wcsstr(const int *in, const int *what) {
  size_t length = wcslen(what);
  for (;; in++) {
    if (!wcsncmp(in, what, length)) return (int *)in;
    if (!*in) return 0;
  }
}
int *wcstok(int *text, const int *set, int **rest) {
  if (!text) text = *rest;
  if (!text) return 0;
  text += wcsspn(text, set);
  if (!*text) { *rest = 0; return 0; }
  *rest = text + wcscspn(text, set);
  if (**rest) *(*rest)++ = 0; else *rest = 0;
  return text;
}

/* A narrow copy, in which what is no character of the C locale ends every number. */
static char *bop_narrow(const int *s) {
  size_t n = wcslen(s), i;
  char *copy = malloc(n + 1);
  if (copy) for (i = 0; i <= n; i++) copy[i] = bop_ascii((unsigned)s[i]) ? (char)s[i] : 1;
  return copy;
}
long wcstol(const int *s, int **end, int base) {
  char *copy = bop_narrow(s), *at;
  long x = strtol(copy, &at, base);
  if (end) *end = (int *)s + (at - copy);
  free(copy);
  return x;
}
unsigned long wcstoul(const int *s, int **end, int base) {
  char *copy = bop_narrow(s), *at;
  unsigned long x = strtoul(copy, &at, base);
  if (end) *end = (int *)s + (at - copy);
  free(copy);
  return x;
}
long long wcstoll(const int *s, int **end, int base) {
  char *copy = bop_narrow(s), *at;
  long long x = strtoll(copy, &at, base);
  if (end) *end = (int *)s + (at - copy);
  free(copy);
  return x;
}
unsigned long long wcstoull(const int *s, int **end, int base) {
  char *copy = bop_narrow(s), *at;
  unsigned long long x = strtoull(copy, &at, base);
  if (end) *end = (int *)s + (at - copy);
  free(copy);
  return x;
}
double wcstod(const int *s, int **end) {
  char *copy = bop_narrow(s), *at;
  double x = strtod(copy, &at);
  if (end) *end = (int *)s + (at - copy);
  free(copy);
  return x;
}
long __isoc23_wcstol(const int *s, int **end, int base) { return wcstol(s, end, base); }
unsigned long __isoc23_wcstoul(const int *s, int **end, int base) { return wcstoul(s, end, base); }

/* What is written: the format has the same words, and what it makes is widened. */
int vswprintf(int *to, size_t size, const int *format, va_list list) {
  char *narrow = bop_narrow(format), *text = malloc(size + 1);
  int n = vsnprintf(text, size, narrow, list), i;
  free(narrow);
  if (n >= 0 && (size_t)n >= size) n = -1;
  for (i = 0; i <= n; i++) to[i] = text[i];
  free(text);
  return n;
}
int swprintf(int *to, size_t size, const int *format, ...) {
  va_list list;
  int n;
  __builtin_va_start(list, format);
  n = vswprintf(to, size, format, list);
  __builtin_va_end(list);
  return n;
}
int vfwprintf(FILE *to, const int *format, va_list list) {
  char *narrow = bop_narrow(format);
  int n = vfprintf(to, narrow, list);
  free(narrow);
  return n;
}
int vwprintf(const int *format, va_list list) { return vfwprintf(stdout, format, list); }
int fwprintf(FILE *to, const int *format, ...) {
  va_list list;
  int n;
  __builtin_va_start(list, format);
  n = vfwprintf(to, format, list);
  __builtin_va_end(list);
  return n;
}
int wprintf(const int *format, ...) {
  va_list list;
  int n;
  __builtin_va_start(list, format);
  n = vfwprintf(stdout, format, list);
  __builtin_va_end(list);
  return n;
}
unsigned fputwc(int c, FILE *to) {
  if (!bop_ascii((unsigned)c)) { bop_errno = 84; return -1u; }
  return (unsigned)fputc(c, to);
}
unsigned putwc(int c, FILE *to) { return fputwc(c, to); }
unsigned putwchar(int c) { return fputwc(c, stdout); }
int fputws(const int *s, FILE *to) {
  for (; *s; s++) if (fputwc(*s, to) == -1u) return -1;
  return 1;
}
unsigned fgetwc(FILE *from) {
  int c = fgetc(from);
  if (c >= 128) { bop_errno = 84; return -1u; }
  return (unsigned)c;
}
unsigned getwc(FILE *from) { return fgetwc(from); }
unsigned getwchar(void) { return fgetwc(stdin); }
int fwide(FILE *file, int mode) { (void)file; return mode; }
