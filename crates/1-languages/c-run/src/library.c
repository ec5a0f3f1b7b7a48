/* The part of the library that is written in C. `long` is as wide as a pointer on all machines here. */
typedef unsigned long size_t;
typedef __builtin_va_list va_list;
typedef struct bop_file { int number; } FILE;

static FILE bop_streams[3];
FILE *stdin = &bop_streams[0];
FILE *stdout = &bop_streams[1];
FILE *stderr = &bop_streams[2];

static int bop_errno;
int *__errno_location(void) { return &bop_errno; }

/* What follows is not the same with every compiler and library. */
void __bop_compiler(void);
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list);
int scanf(const char *, ...);
int sscanf(const char *, const char *, ...);
int puts(const char *);
int putchar(int);
int putc(int, FILE *);
int fputc(int, FILE *);
int fputs(const char *, FILE *);
int fgetc(FILE *);
int getchar(void) { return fgetc(stdin); }
size_t fwrite(const void *, size_t, size_t, FILE *);
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void abort(void);
void __bop_exit(int);
void __bop_after(void);
void __bop_signal(int);
int rand(void);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *mempcpy(void *, const void *, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
char *strcpy(char *, const char *);
char *stpcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
char *strpbrk(const char *, const char *);
double strtod(const char *, char **);
float strtof(const char *, char **);
double fabs(double); float fabsf(float); double sqrt(double); float sqrtf(float); double floor(double);
double ceil(double); double trunc(double); double round(double); double rint(double); double sin(double);
double cos(double); double tan(double); double asin(double); double acos(double); double atan(double);
double exp(double); double log(double); double log10(double); double log2(double); double pow(double, double);
double fmod(double, double); double atan2(double, double); double copysign(double, double);
double fmax(double, double); double fmin(double, double); double ldexp(double, int);
double sinh(double); double cosh(double); double tanh(double); double asinh(double); double acosh(double);
double atanh(double); double exp2(double); double expm1(double); double log1p(double); double cbrt(double);
double nearbyint(double); double hypot(double, double); double fdim(double, double); double scalbn(double, int);
double frexp(double, int *); double modf(double, double *); double fma(double, double, double);
double nextafter(double, double); long lround(double); long lrint(double); long long llround(double);
long long llrint(double);
float powf(float, float); float floorf(float); float ceilf(float); float sinf(float); float cosf(float);
float copysignf(float, float); float fmaxf(float, float); float fminf(float, float);
int clz(unsigned); int clzl(unsigned long); int clzll(unsigned long long);
int ctz(unsigned); int ctzl(unsigned long); int ctzll(unsigned long long);
int popcount(unsigned); int popcountl(unsigned long); int popcountll(unsigned long long);
int parity(unsigned); int parityl(unsigned long); int parityll(unsigned long long);
int ffs(int); int ffsl(long); int ffsll(long long);
int clrsb(int); int clrsbl(long); int clrsbll(long long);
void trap(void);
void longjmp(void *, int);

/* Ends of the program. */

static void (*bop_handlers[64])(void);
static int bop_handler_count;
int atexit(void (*handler)(void)) {
  if (bop_handler_count == 64) return 1;
  bop_handlers[bop_handler_count++] = handler;
  return 0;
}
void exit(int code) {
  while (bop_handler_count > 0) {
    bop_handler_count--;
    bop_handlers[bop_handler_count]();
  }
  __bop_after();
  __bop_exit(code);
}

/* Sorting keeps the order of equal elements, as the GNU library's does. */

static void bop_merge(char *base, char *space, size_t count, size_t size,
                      int (*compare)(const void *, const void *)) {
  size_t width, i, j, left, middle, right, out;
  for (width = 1; width < count; width *= 2) {
    for (left = 0; left < count; left += 2 * width) {
      middle = left + width < count ? left + width : count;
      right = left + 2 * width < count ? left + 2 * width : count;
      i = left;
      j = middle;
      for (out = left; out < right; out++) {
        if (i < middle && (j >= right || compare(base + i * size, base + j * size) <= 0)) {
          memcpy(space + out * size, base + i * size, size);
          i++;
        } else {
          memcpy(space + out * size, base + j * size, size);
          j++;
        }
      }
    }
    memcpy(base, space, count * size);
  }
}
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  __bop_compiler();  /* which elements are compared, and when, is up to the library */
  char *space;
  if (count < 2 || size == 0) return;
  space = malloc(count * size);
  bop_merge(base, space, count, size, compare);
  free(space);
}
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
  __bop_compiler();
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *p = (const char *)base + middle * size;
    int order = compare(key, p);
    if (order == 0) return (void *)p;
    if (order < 0) high = middle; else low = middle + 1;
  }
  return 0;
}
void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *more) {
  char *space, *b = base;
  size_t i, j;
  __bop_compiler();
  if (count < 2 || size == 0) return;
  space = malloc(size);
  for (i = 1; i < count; i++) {
    memcpy(space, b + i * size, size);
    for (j = i; j > 0 && compare(b + (j - 1) * size, space, more) > 0; j--) memcpy(b + j * size, b + (j - 1) * size, size);
    memcpy(b + j * size, space, size);
  }
  free(space);
}

/* Numbers in texts. */

static int bop_is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }
static int bop_digit(int c, int base) {
  int digit = -1;
  if (c >= '0' && c <= '9') digit = c - '0';
  else if (c >= 'a' && c <= 'z') digit = c - 'a' + 10;
  else if (c >= 'A' && c <= 'Z') digit = c - 'A' + 10;
  return digit < base ? digit : -1;
}
static unsigned long long bop_number(const char *text, char **end, int base, unsigned long long most, int is_signed) {
  const char *s = text;
  unsigned long long sum = 0;
  int minus = 0, over = 0, any = 0;
  if (base < 0 || base == 1 || base > 36) { bop_errno = 22; return 0; }
  while (bop_is_space((unsigned char)*s)) s++;
  if (*s == '-' || *s == '+') { minus = *s == '-'; s++; }
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && bop_digit((unsigned char)s[2], 16) >= 0) {
    s += 2;
    base = 16;
  } else if (base == 0) base = *s == '0' ? 8 : 10;
  if (is_signed) most += (unsigned)minus;
  for (;; s++) {
    int digit = bop_digit((unsigned char)*s, base);
    if (digit < 0) break;
    any = 1;
    if (over || sum > (most - (unsigned)digit) / (unsigned)base) over = 1;
    else sum = sum * (unsigned)base + (unsigned)digit;
  }
  if (end) *end = (char *)(any ? s : text);
  if (over) {
    bop_errno = 34;
    return is_signed && minus ? 0 - most : most;
  }
  return minus ? 0 - sum : sum;
}
long strtol(const char *s, char **end, int base) { return (long)bop_number(s, end, base, (unsigned long)-1 / 2, 1); }
unsigned long strtoul(const char *s, char **end, int base) { return (unsigned long)bop_number(s, end, base, (unsigned long)-1, 0); }
long long strtoll(const char *s, char **end, int base) { return (long long)bop_number(s, end, base, (unsigned long long)-1 / 2, 1); }
unsigned long long strtoull(const char *s, char **end, int base) { return bop_number(s, end, base, (unsigned long long)-1, 0); }
long __isoc23_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return strtoul(s, end, base); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return strtoull(s, end, base); }

/* Numbers. */

unsigned short bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
unsigned bswap32(unsigned x) {
  return x << 24 | (x << 8 & 0xff0000) | (x >> 8 & 0xff00) | x >> 24;
}
unsigned long long bswap64(unsigned long long x) {
  return (unsigned long long)bswap32((unsigned)x) << 32 | bswap32((unsigned)(x >> 32));
}
int atoi(const char *text) { return (int)strtol(text, 0, 10); }
long atol(const char *text) { return strtol(text, 0, 10); }
long long atoll(const char *text) { return strtoll(text, 0, 10); }
double atof(const char *text) { return strtod(text, 0); }
int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
div_t div(int a, int b) { div_t r; r.quot = a / b; r.rem = a % b; return r; }
ldiv_t ldiv(long a, long b) { ldiv_t r; r.quot = a / b; r.rem = a % b; return r; }
lldiv_t lldiv(long long a, long long b) { lldiv_t r; r.quot = a / b; r.rem = a % b; return r; }

/* Strings. */

char *strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy) memcpy(copy, text, size);
  return copy;
}
char *__strdup(const char *text) { return strdup(text); }
char *strndup(const char *text, size_t most) {
  size_t size = strnlen(text, most);
  char *copy = malloc(size + 1);
  if (copy) { memcpy(copy, text, size); copy[size] = 0; }
  return copy;
}
char *strtok_r(char *text, const char *set, char **rest) {
  char *end;
  if (!text) text = *rest;
  if (!text) return 0;
  text += strspn(text, set);
  if (!*text) { *rest = text; return 0; }
  end = text + strcspn(text, set);
  if (*end) *end++ = 0;
  *rest = end;
  return text;
}
static char *bop_token;
char *strtok(char *text, const char *set) { return strtok_r(text, set, &bop_token); }
void bzero(void *p, size_t size) { memset(p, 0, size); }
void bcopy(const void *from, void *to, size_t size) { memmove(to, from, size); }

/* Characters. The table is that of the GNU library on a little-endian machine. */

int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
int isdigit(int c) { return c >= '0' && c <= '9'; }
int isxdigit(int c) { return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
int isblank(int c) { return c == ' ' || c == 9; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int isprint(int c) { return c >= 32 && c < 127; }
int isgraph(int c) { return c > 32 && c < 127; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int tolower(int c) { return isupper(c) ? c + 32 : c; }
int toupper(int c) { return islower(c) ? c - 32 : c; }
static unsigned short bop_classes[384];
static const unsigned short *bop_classes_at;
const unsigned short **__ctype_b_loc(void) {
  int c;
  if (!bop_classes_at) {
    for (c = 0; c < 128; c++) {
      unsigned short s = 0;
      if (isupper(c)) s |= 1 << 8;
      if (islower(c)) s |= 1 << 9;
      if (isalpha(c)) s |= 1 << 10;
      if (isdigit(c)) s |= 1 << 11;
      if (isxdigit(c)) s |= 1 << 12;
      if (isspace(c)) s |= 1 << 13;
      if (isprint(c)) s |= 1 << 14;
      if (isgraph(c)) s |= 1 << 15;
      if (isblank(c)) s |= 1 << 0;
      if (iscntrl(c)) s |= 1 << 1;
      if (ispunct(c)) s |= 1 << 2;
      if (isalnum(c)) s |= 1 << 3;
      bop_classes[128 + c] = s;
    }
    bop_classes_at = bop_classes + 128;
  }
  return &bop_classes_at;
}
static int bop_lower[384], bop_upper[384];
static const int *bop_lower_at, *bop_upper_at;
const int **__ctype_tolower_loc(void) {
  int c;
  if (!bop_lower_at) {
    for (c = -128; c < 256; c++) bop_lower[128 + c] = tolower(c);
    bop_lower_at = bop_lower + 128;
  }
  return &bop_lower_at;
}
const int **__ctype_toupper_loc(void) {
  int c;
  if (!bop_upper_at) {
    for (c = -128; c < 256; c++) bop_upper[128 + c] = toupper(c);
    bop_upper_at = bop_upper + 128;
  }
  return &bop_upper_at;
}

/* Complex numbers, as gcc 12's own library computes them. */
static float _Complex bop_complexf(float x, float y) { float _Complex z; __real__ z = x; __imag__ z = y; return z; }
static double _Complex bop_complex(double x, double y) { double _Complex z; __real__ z = x; __imag__ z = y; return z; }
static long double _Complex bop_complexl(long double x, long double y) { long double _Complex z; __real__ z = x; __imag__ z = y; return z; }
static double bop_unit(double x) { return copysign(x - x != x - x && x == x ? 1.0 : 0.0, x); }
static int bop_inf(double x) { return x == x && x - x != x - x; }
static int bop_finite(double x) { return x - x == x - x; }
double _Complex __muldc3(double a, double b, double c, double d) {
    double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    double x = ac - bd, y = ad + bc;
    if (x != x && y != y) {
        int again = 0;
        if (bop_inf(a) || bop_inf(b)) {
            a = bop_unit(a); b = bop_unit(b);
            if (c != c) c = copysign(0.0, c);
            if (d != d) d = copysign(0.0, d);
            again = 1;
        }
        if (bop_inf(c) || bop_inf(d)) {
            c = bop_unit(c); d = bop_unit(d);
            if (a != a) a = copysign(0.0, a);
            if (b != b) b = copysign(0.0, b);
            again = 1;
        }
        if (!again && (bop_inf(ac) || bop_inf(bd) || bop_inf(ad) || bop_inf(bc))) {
            if (a != a) a = copysign(0.0, a);
            if (b != b) b = copysign(0.0, b);
            if (c != c) c = copysign(0.0, c);
            if (d != d) d = copysign(0.0, d);
            again = 1;
        }
        if (again) { x = __builtin_inf() * (a * c - b * d); y = __builtin_inf() * (a * d + b * c); }
    }
    return bop_complex(x, y);
}
float _Complex __mulsc3(float a, float b, float c, float d) {
    float ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    float x = ac - bd, y = ad + bc;
    if (x != x && y != y) {
        double _Complex z = __muldc3(a, b, c, d);
        x = __real__ z; y = __imag__ z;
    }
    return bop_complexf(x, y);
}
long double _Complex __mulxc3(long double a, long double b, long double c, long double d) {
    double _Complex z = __muldc3(a, b, c, d);
    return bop_complexl(__real__ z, __imag__ z);
}
static double _Complex bop_quotient(double x, double y, double a, double b, double c, double d) {
    if (x != x && y != y) {
        if (c == 0.0 && d == 0.0 && (a == a || b == b)) {
            x = copysign(__builtin_inf(), c) * a;
            y = copysign(__builtin_inf(), c) * b;
        } else if ((bop_inf(a) || bop_inf(b)) && bop_finite(c) && bop_finite(d)) {
            a = bop_unit(a); b = bop_unit(b);
            x = __builtin_inf() * (a * c + b * d);
            y = __builtin_inf() * (b * c - a * d);
        } else if ((bop_inf(c) || bop_inf(d)) && bop_finite(a) && bop_finite(b)) {
            c = bop_unit(c); d = bop_unit(d);
            x = 0.0 * (a * c + b * d);
            y = 0.0 * (b * c - a * d);
        }
    }
    return bop_complex(x, y);
}
float _Complex __divsc3(float a, float b, float c, float d) {
    double aa = a, bb = b, cc = c, dd = d, by = cc * cc + dd * dd;
    float x = (aa * cc + bb * dd) / by, y = (bb * cc - aa * dd) / by;
    double _Complex z = bop_quotient(x, y, a, b, c, d);
    return bop_complexf(__real__ z, __imag__ z);
}
double _Complex __divdc3(double a, double b, double c, double d) {
    const double big = 1.7976931348623157e308 / 2, small = 2.2250738585072014e-308, e = 2.220446049250313e-16;
    double x, y, ratio, by;
    int turned = fabs(c) < fabs(d);
    double largest = fabs(turned ? d : c);
    if (largest >= big) {
        a /= 2; b /= 2; c /= 2; d /= 2;
    } else if (largest < e
            || (fabs(a) < small && fabs(b) < big * e && largest < big * e)
            || (fabs(b) < small && fabs(a) < big * e && largest < big * e)) {
        a *= 1 / e; b *= 1 / e; c *= 1 / e; d *= 1 / e;
    }
    if (turned) {
        ratio = c / d;
        by = c * ratio + d;
        if (fabs(ratio) > small) { x = (a * ratio + b) / by; y = (b * ratio - a) / by; }
        else { x = (c * (a / d) + b) / by; y = (c * (b / d) - a) / by; }
    } else {
        ratio = d / c;
        by = d * ratio + c;
        if (fabs(ratio) > small) { x = (b * ratio + a) / by; y = (b - a * ratio) / by; }
        else { x = (a + d * (b / c)) / by; y = (b - d * (a / c)) / by; }
    }
    return bop_quotient(x, y, a, b, c, d);
}
long double _Complex __divxc3(long double a, long double b, long double c, long double d) {
    double _Complex z = __divdc3(a, b, c, d);
    return bop_complexl(__real__ z, __imag__ z);
}
double cabs(double _Complex z) { return hypot(__real__ z, __imag__ z); }
float cabsf(float _Complex z) { return hypot(__real__ z, __imag__ z); }
double carg(double _Complex z) { return atan2(__imag__ z, __real__ z); }

/* Wide characters: `wchar_t` is `int`. */
size_t wcslen(const int *s) { size_t n = 0; while (s[n]) n++; return n; }
int *wcscpy(int *to, const int *s) { int *d = to; while ((*d++ = *s++)); return to; }
int *wcsncpy(int *to, const int *s, size_t n) { size_t i = 0; for (; i < n && s[i]; i++) to[i] = s[i]; for (; i < n; i++) to[i] = 0; return to; }
int *wcscat(int *to, const int *s) { wcscpy(to + wcslen(to), s); return to; }
int *wcsncat(int *to, const int *s, size_t n) { int *d = to + wcslen(to); while (n-- && *s) *d++ = *s++; *d = 0; return to; }
int wcscmp(const int *a, const int *b) { while (*a && *a == *b) a++, b++; return *a < *b ? -1 : *a > *b; }
int wcsncmp(const int *a, const int *b, size_t n) { for (; n && *a && *a == *b; n--) a++, b++; return !n ? 0 : *a < *b ? -1 : *a > *b; }
int *wcschr(const int *s, int c) { for (; *s != c; s++) if (!*s) return 0; return (int *)s; }
int *wcsrchr(const int *s, int c) { const int *last = 0; do if (*s == c) last = s; while (*s++); return (int *)last; }
int *wmemset(int *to, int c, size_t n) { for (size_t i = 0; i < n; i++) to[i] = c; return to; }
int *wmemcpy(int *to, const int *s, size_t n) { return memcpy(to, s, n * sizeof *to); }
int *wmemmove(int *to, const int *s, size_t n) { return memmove(to, s, n * sizeof *to); }
int wmemcmp(const int *a, const int *b, size_t n) { for (; n; n--, a++, b++) if (*a != *b) return *a < *b ? -1 : 1; return 0; }
int *wmemchr(const int *s, int c, size_t n) { for (; n; n--, s++) if (*s == c) return (int *)s; return 0; }
unsigned __int128 bswap128(unsigned __int128 x) {
    return (unsigned __int128)__builtin_bswap64(x) << 64 | __builtin_bswap64(x >> 64);
}
static int bop_names;
static char bop_name[24];
char *tmpnam(char *to) {
    sprintf(bop_name, "/tmp/file%d", bop_names++);
    return to ? strcpy(to, bop_name) : bop_name;
}
