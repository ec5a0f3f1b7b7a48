/* Functions of the library that read and write memory byte by byte, for the search. */
unsigned long strlen(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; }
unsigned long strnlen(const char *s, unsigned long most) {
  unsigned long n = 0;
  while (n < most && s[n]) n++;
  return n;
}
char *strcpy(char *to, const char *from) {
  unsigned long i = 0;
  while ((to[i] = from[i])) i++;
  return to;
}
char *stpcpy(char *to, const char *from) { while ((*to = *from)) { to++; from++; } return to; }
char *strncpy(char *to, const char *from, unsigned long count) {
  unsigned long i = 0;
  for (; i < count && from[i]; i++) to[i] = from[i];
  for (; i < count; i++) to[i] = 0;
  return to;
}
char *strcat(char *to, const char *from) { strcpy(to + strlen(to), from); return to; }
char *strncat(char *to, const char *from, unsigned long count) {
  unsigned long n = strlen(to), i = 0;
  for (; i < count && from[i]; i++) to[n + i] = from[i];
  to[n + i] = 0;
  return to;
}
/* Only the sign of a comparison is known: `any` is never written. */
static int bop_order(unsigned char a, unsigned char b) {
  int any;
  if (a == b) return 0;
  if (a > b) return any > 0 ? any : 1;
  return any < 0 ? any : -1;
}
int strcmp(const char *a, const char *b) {
  while (*a && *a == *b) { a++; b++; }
  return bop_order(*a, *b);
}
int strncmp(const char *a, const char *b, unsigned long count) {
  unsigned long i;
  for (i = 0; i < count; i++)
    if (!a[i] || a[i] != b[i]) return bop_order(a[i], b[i]);
  return 0;
}
int memcmp(const void *a, const void *b, unsigned long count) {
  const unsigned char *x = a, *y = b;
  unsigned long i;
  for (i = 0; i < count; i++)
    if (x[i] != y[i]) return bop_order(x[i], y[i]);
  return 0;
}
void *memchr(const void *s, int c, unsigned long count) {
  const unsigned char *x = s;
  unsigned long i;
  for (i = 0; i < count; i++)
    if (x[i] == (unsigned char)c) return (void *)(x + i);
  return 0;
}
char *strchr(const char *s, int c) {
  for (; *s != (char)c; s++)
    if (!*s) return 0;
  return (char *)s;
}
char *strrchr(const char *s, int c) {
  const char *found = 0;
  for (;; s++) {
    if (*s == (char)c) found = s;
    if (!*s) return (char *)found;
  }
}
char *strstr(const char *text, const char *part) {
  unsigned long n = strlen(part);
  for (;; text++) {
    if (!strncmp(text, part, n)) return (char *)text;
    if (!*text) return 0;
  }
}
unsigned long strspn(const char *s, const char *set) {
  unsigned long n = 0;
  while (s[n] && strchr(set, s[n])) n++;
  return n;
}
unsigned long strcspn(const char *s, const char *set) {
  unsigned long n = 0;
  while (s[n] && !strchr(set, s[n])) n++;
  return n;
}
char *strpbrk(const char *s, const char *set) {
  s += strcspn(s, set);
  return *s ? (char *)s : 0;
}
void *__bop_memcpy(void *to, const void *from, unsigned long count) {
  char *x = to;
  const char *y = from;
  unsigned long i;
  for (i = 0; i < count; i++) x[i] = y[i];
  return to;
}
void *__bop_memmove(void *to, const void *from, unsigned long count) {
  char *x = to;
  const char *y = from;
  unsigned long i;
  char *space = __builtin_alloca(count);
  for (i = 0; i < count; i++) space[i] = y[i];
  for (i = 0; i < count; i++) x[i] = space[i];
  return to;
}
void *__bop_memset(void *to, int value, unsigned long count) {
  char *x = to;
  unsigned long i;
  for (i = 0; i < count; i++) x[i] = (char)value;
  return to;
}
int popcount(unsigned x) { int n = 0, i; for (i = 0; i < 32; i++) n += x >> i & 1; return n; }
int popcountl(unsigned long x) { int n = 0; unsigned i; for (i = 0; i < 8 * sizeof x; i++) n += x >> i & 1; return n; }
int popcountll(unsigned long long x) { int n = 0, i; for (i = 0; i < 64; i++) n += x >> i & 1; return n; }
int parity(unsigned x) { return popcount(x) & 1; }
int ctz(unsigned x) { int n = 0, i, on = 1; for (i = 0; i < 32; i++) { on &= !(x >> i & 1); n += on; } return n; }
int ctzll(unsigned long long x) { int n = 0, i, on = 1; for (i = 0; i < 64; i++) { on &= !(x >> i & 1); n += on; } return n; }
int clz(unsigned x) { int n = 0, i, on = 1; for (i = 31; i >= 0; i--) { on &= !(x >> i & 1); n += on; } return n; }
int clzll(unsigned long long x) { int n = 0, i, on = 1; for (i = 63; i >= 0; i--) { on &= !(x >> i & 1); n += on; } return n; }
int ffs(int x) { return x ? ctz((unsigned)x) + 1 : 0; }

/* Functions that read. Standard input, and each file, is bytes, one after the other, and an end; what is read there once
   is not read again. `ahead` is a byte that was looked at and not taken, -1 at the end, -2 if there is none. Streams have
   numbers: 0 is standard input. */
int __bop_byte(int stream);
unsigned long long __bop_number(int how, int stream);
int __bop_opens(const char *name, int stream);
int __bop_size(int stream);
int __bop_either(void);
int __bop_any(void);
void __bop_no_model(void);
void __bop_outside(void);
void __VERIFIER_assume(int);
enum { BOP_FILES = 4, BOP_NAME = 64 };
struct bop_stream { int number, ahead, end, open, writes; long at, size; };
static struct bop_stream bop_in = { 0, -2, 0, 1, 0, 0, -1 };
static struct bop_stream bop_files[BOP_FILES];
static char bop_file_names[BOP_FILES][BOP_NAME];
static int bop_opened, bop_streamed;
static int bop_peek(struct bop_stream *from) {
  if (from->ahead == -2) {
    from->ahead = __bop_byte(from->number);
    if (from->size >= 0) __VERIFIER_assume((from->ahead == -1) == (from->at == from->size));
  }
  if (from->ahead == -1) from->end = 1;
  return from->ahead;
}
static int bop_next(struct bop_stream *from) {
  int c = bop_peek(from);
  if (c != -1) { from->ahead = -2; from->at++; }
  return c;
}
/* A null pointer is no stream: what follows it fails. */
static struct bop_stream *bop_stream(FILE *file) {
  int i;
  if (!file) ((struct bop_stream *)file)->open = 0;
  if (file == stdin) { bop_streamed = 1; return &bop_in; }
  for (i = 0; i < BOP_FILES; i++)
    if (file == (FILE *)&bop_files[i] && bop_files[i].open) return &bop_files[i];
  __bop_no_model();
  return 0;
}
static struct bop_stream *bop_from(FILE *file) {
  struct bop_stream *from = bop_stream(file);
  if (from->writes) __bop_no_model();
  return from;
}
/* A file is there, or it is not; one that is written is. Each name is opened once. */
FILE *__bop_fopen(const char *name, const char *mode) {
  int k = bop_opened, i, j;
  struct bop_stream *to;
  if (k >= BOP_FILES) __bop_no_model();
  for (i = 0; (bop_file_names[k][i] = name[i]); i++)
    if (i == BOP_NAME - 2) __bop_no_model();
  for (j = 0; j < k; j++) {
    for (i = 0; name[i] && name[i] == bop_file_names[j][i]; i++) ;
    if (name[i] == bop_file_names[j][i]) __bop_no_model();
  }
  for (i = 0; mode[i]; i++)
    if (mode[i] == '+') __bop_no_model();
  if (*mode != 'r' && *mode != 'w' && *mode != 'a') __bop_no_model();
  bop_opened = k + 1;
  if (*mode == 'r') {
    if (!*name || !__bop_opens(bop_file_names[k], k + 1)) return 0;
  } else __bop_outside();
  to = &bop_files[k];
  to->number = k + 1;
  to->ahead = -2;
  to->size = -1;
  to->open = 1;
  to->writes = *mode != 'r';
  return (FILE *)to;
}
int __bop_fclose(FILE *file) {
  struct bop_stream *of;
  if (file == stdout || file == stderr) return 0;
  of = bop_stream(file);
  if (file == stdin) __bop_no_model();
  of->open = 0;
  return 0;
}
int __bop_printed(FILE *file) {
  if (file != stdout && file != stderr) bop_stream(file);
  return __bop_any();
}
int __bop_flushed(FILE *file) { return file ? __bop_printed(file) : __bop_any(); }
size_t __bop_fwrite_of(const void *from, size_t size, size_t count, FILE *file) {
  __bop_printed(file);
  return size ? count : 0;
}
size_t __bop_fwrite(const void *from, size_t size, size_t count, FILE *file) { return size ? count : 0; }
/* Where a stream is: how large a file is can be asked before it is read. */
int __bop_fseek(FILE *file, long by, int whence) {
  struct bop_stream *of = bop_from(file);
  if (file == stdin || by || whence == 1) __bop_no_model();
  if (of->ahead != -2 || (of->at && of->at != of->size)) __bop_no_model();
  if (whence == 2) {
    if (of->size < 0) of->size = __bop_size(of->number);
    of->at = of->size;
  } else {
    if (of->at && !of->end && of->size < 0) __bop_no_model();
    of->at = 0;
  }
  of->end = 0;
  return 0;
}
void __bop_rewind(FILE *file) { __bop_fseek(file, 0, 0); }
long __bop_ftell(FILE *file) {
  struct bop_stream *of = bop_from(file);
  if (file == stdin || of->at < 0) __bop_no_model();
  return of->at;
}
int __bop_fgetc(FILE *file) { return bop_next(bop_from(file)); }
int __bop_getchar(void) { bop_streamed = 1; return bop_next(&bop_in); }
int __bop_ungetc(int c, FILE *file) {
  struct bop_stream *from = bop_from(file);
  if (c == -1) return -1;
  if (from->ahead >= 0) __bop_no_model();
  from->ahead = (unsigned char)c;
  from->end = 0;
  from->at--;
  return from->ahead;
}
int __bop_feof(FILE *file) { return bop_from(file)->end; }
int __bop_ferror(FILE *file) { bop_stream(file); return 0; }
void __bop_clearerr(FILE *file) { bop_from(file)->end = 0; }
char *__bop_fgets(char *to, int size, FILE *file) {
  struct bop_stream *from = bop_from(file);
  int i = 0, c;
  if (size <= 0) return 0;
  while (i < size - 1) {
    c = bop_next(from);
    if (c == -1) break;
    to[i++] = (char)c;
    if (c == '\n') break;
  }
  if (i == 0 && size > 1) return 0;
  to[i] = 0;
  return to;
}
char *__bop_gets(char *to) {
  int i = 0, c;
  bop_streamed = 1;
  for (;;) {
    c = bop_next(&bop_in);
    if (c == -1 && i == 0) return 0;
    if (c == -1 || c == '\n') break;
    to[i++] = (char)c;
  }
  to[i] = 0;
  return to;
}
size_t __bop_fread(void *to, size_t size, size_t count, FILE *file) {
  struct bop_stream *from = bop_from(file);
  size_t i, j;
  char *at = to;
  if (size == 0) return 0;
  for (i = 0; i < count; i++)
    for (j = 0; j < size; j++) {
      int c = bop_next(from);
      if (c == -1) return i;
      at[i * size + j] = (char)c;
    }
  return count;
}
/* As from a file: all there is. From elsewhere it may be less, or fail. */
long __bop_read(int from, void *to, size_t count) {
  size_t i;
  char *at = to;
  if (from != 0 || bop_streamed) __bop_no_model();
  __bop_outside();
  for (i = 0; i < count; i++) {
    int c = bop_next(&bop_in);
    if (c == -1) break;
    at[i] = (char)c;
  }
  return (long)i;
}
long __bop_getline(char **line, size_t *size, FILE *file) {
  struct bop_stream *from = bop_from(file);
  size_t i = 0;
  if (!*line) { *line = malloc(120); *size = 120; }
  for (;;) {
    int c = bop_next(from);
    if (c == -1) break;
    if (i + 2 > *size) __bop_no_model();
    (*line)[i++] = (char)c;
    if (c == '\n') break;
  }
  if (i == 0) return -1;
  (*line)[i] = 0;
  return (long)i;
}

/* scanf reads a stream, or a text. */
static const char *bop_text;
static struct bop_stream *bop_scanned;
static int bop_scan_peek(void) {
  if (bop_text) return *bop_text ? (unsigned char)*bop_text : -1;
  return bop_peek(bop_scanned);
}
static void bop_scan_take(void) {
  if (bop_text) { if (*bop_text) bop_text++; }
  else bop_next(bop_scanned);
}
/* To what is no space. How many spaces there are in a stream does not matter: there are none. */
static int bop_scan_skip(void) {
  if (bop_text) {
    while (bop_is_space(bop_scan_peek())) bop_scan_take();
    return bop_scan_peek();
  }
  while (bop_scanned->ahead >= 0 && bop_is_space(bop_scanned->ahead)) bop_next(bop_scanned);
  __VERIFIER_assume(!bop_is_space(bop_peek(bop_scanned)));
  return bop_peek(bop_scanned);
}
/* 1 if there is a number, 0 if there is something else, -1 at the end. */
static int bop_scan_number(int base, int width, int is_signed, int is_long, unsigned long long *value) {
  unsigned long long sum = 0, most;
  int c, minus = 0, digits = 0, over = 0, fresh = 0;
  if (!bop_text && !width && (base == 10 || base == 16) && bop_scanned->size < 0) {
    while (bop_scanned->ahead >= 0 && bop_is_space(bop_scanned->ahead)) bop_next(bop_scanned);
    fresh = bop_scanned->ahead == -2;
    if (fresh && __bop_either()) {
      /* Leading zeros, and numbers that do not fit, are as others. What comes behind it is no digit. */
      *value = __bop_number(is_long | (base == 16 ? 4 : is_signed ? 0 : 2), bop_scanned->number);
      c = bop_peek(bop_scanned);
      /* How long it is in its file is not known. */
      bop_scanned->at = -1;
      __VERIFIER_assume(bop_digit(c, base) < 0);
      /* "0x" and what follows is as what follows, or as "0". */
      __VERIFIER_assume(!(base == 16 && *value == 0 && (c == 'x' || c == 'X')));
      return 1;
    }
  }
  c = bop_scan_skip();
  /* Digits that nobody has looked at are such a number. */
  if (fresh) __VERIFIER_assume(bop_digit(c, base) < 0);
  if (c == -1) return -1;
  if (c == '-' || c == '+') {
    minus = c == '-';
    bop_scan_take();
    if (width && --width == 0) return 0;
    c = bop_scan_peek();
    if (fresh) __VERIFIER_assume(bop_digit(c, base) < 0);
  }
  most = is_signed ? (is_long || sizeof(long) == 8 ? 9223372036854775807ull : 2147483647ull) + minus
                   : (is_long || sizeof(long) == 8 ? 18446744073709551615ull : 4294967295ull);
  if (base == 16 && c == '0' && width != 1) {
    bop_scan_take();
    digits = 1;
    width -= width > 0;
    c = bop_scan_peek();
    if (c == 'x' || c == 'X') {
      bop_scan_take();
      if (width && --width == 0) c = -1;
      else c = bop_scan_peek();
    }
  }
  while (c != -1 && bop_digit(c, base) >= 0) {
    int digit = bop_digit(c, base);
    if (over || sum > (most - (unsigned)digit) / (unsigned)base) over = 1;
    else sum = sum * (unsigned)base + (unsigned)digit;
    digits++;
    bop_scan_take();
    if (width && --width == 0) break;
    c = bop_scan_peek();
  }
  if (!digits) return 0;
  if (over) *value = is_signed ? (minus ? 0 - most : most) : most;
  else *value = minus ? 0 - sum : sum;
  return 1;
}
static int bop_in_set(const char *set, int c, int not) {
  int in = 0;
  const char *s = set;
  do {
    if (s[1] == '-' && s[2] != ']' && s[2]) {
      in |= c >= (unsigned char)s[0] && c <= (unsigned char)s[2];
      s += 3;
    } else {
      in |= c == (unsigned char)*s;
      s++;
    }
  } while (*s != ']');
  return in != not;
}
static int bop_scan(const char *f, va_list more) {
  int done = 0;
  for (; *f; f++) {
    int width = 0, skip = 0, longs = 0, shorts = 0, found, c;
    if (bop_is_space((unsigned char)*f)) { bop_scan_skip(); continue; }
    if (*f != '%' || f[1] == '%') {
      if (*f == '%') { f++; bop_scan_skip(); }
      c = bop_scan_peek();
      if (c == -1) return done ? done : -1;
      if (c != (unsigned char)*f) return done;
      bop_scan_take();
      continue;
    }
    f++;
    if (*f == '*') { skip = 1; f++; }
    while (*f >= '0' && *f <= '9') width = width * 10 + (*f++ - '0');
    for (;; f++) {
      if (*f == 'l') longs++;
      else if (*f == 'h') shorts++;
      else if (*f == 'z' || *f == 't') longs = 1;
      else if (*f == 'j') longs = 2;
      else break;
    }
    switch (*f) {
    case 'd': case 'u': case 'x': case 'X': {
      unsigned long long value = 0;
      int is_long = longs > 1 || (longs == 1 && sizeof(long) == 8);
      found = bop_scan_number(*f == 'd' || *f == 'u' ? 10 : 16, width, *f == 'd', is_long, &value);
      if (found < 0) return done ? done : -1;
      if (!found) return done;
      if (skip) break;
      if (longs > 1) *__builtin_va_arg(more, unsigned long long *) = value;
      else if (longs == 1) *__builtin_va_arg(more, unsigned long *) = (unsigned long)value;
      else if (shorts > 1) *__builtin_va_arg(more, unsigned char *) = (unsigned char)value;
      else if (shorts == 1) *__builtin_va_arg(more, unsigned short *) = (unsigned short)value;
      else *__builtin_va_arg(more, unsigned *) = (unsigned)value;
      done++;
      break;
    }
    case 'c': {
      char *to = skip ? 0 : __builtin_va_arg(more, char *);
      int i;
      if (!width) width = 1;
      for (i = 0; i < width; i++) {
        c = bop_scan_peek();
        if (c == -1) { if (i == 0) return done ? done : -1; return done; }
        bop_scan_take();
        if (!skip) to[i] = (char)c;
      }
      done += !skip;
      break;
    }
    case 's': case '[': {
      char *to = skip ? 0 : __builtin_va_arg(more, char *);
      const char *set = 0;
      int i = 0, not = 0;
      if (longs) __bop_no_model();
      if (*f == '[') {
        f++;
        if (*f == '^') { not = 1; f++; }
        set = f;
        f++;
        while (*f && *f != ']') f++;
        if (!*f) __bop_no_model();
        c = bop_scan_peek();
      } else c = bop_scan_skip();
      if (c == -1) return done ? done : -1;
      while (c != -1 && (set ? bop_in_set(set, c, not) : !bop_is_space(c))) {
        bop_scan_take();
        if (!skip) to[i] = (char)c;
        i++;
        if (width && i == width) break;
        c = bop_scan_peek();
      }
      if (!i) return done;
      if (!skip) to[i] = 0;
      done += !skip;
      break;
    }
    default: __bop_no_model();
    }
  }
  return done;
}
int __bop_scanf(const char *format, ...) {
  va_list more;
  int done;
  bop_streamed = 1;
  bop_text = 0;
  bop_scanned = &bop_in;
  __builtin_va_start(more, format);
  done = bop_scan(format, more);
  __builtin_va_end(more);
  return done;
}
int __bop_fscanf(FILE *file, const char *format, ...) {
  va_list more;
  int done;
  bop_scanned = bop_from(file);
  bop_text = 0;
  __builtin_va_start(more, format);
  done = bop_scan(format, more);
  __builtin_va_end(more);
  return done;
}
int __bop_sscanf(const char *text, const char *format, ...) {
  va_list more;
  int done;
  bop_text = text;
  __builtin_va_start(more, format);
  done = bop_scan(format, more);
  __builtin_va_end(more);
  bop_text = 0;
  return done;
}

/* Functions that write texts: numbers, characters and strings, with widths. */
struct bop_text { char *to; size_t most, count; };
static void bop_emit(struct bop_text *text, char c) {
  if (text->count + 1 < text->most) text->to[text->count] = c;
  text->count++;
}
static void bop_emit_digits(struct bop_text *text, const char *digits, int count, int minus, int width, int zero, int left) {
  int size = count + minus, i;
  if (!left && !zero) for (i = size; i < width; i++) bop_emit(text, ' ');
  if (minus) bop_emit(text, '-');
  if (!left && zero) for (i = size; i < width; i++) bop_emit(text, '0');
  while (count > 0) bop_emit(text, digits[--count]);
  if (left) for (i = size; i < width; i++) bop_emit(text, ' ');
}
static void bop_emit_number(struct bop_text *text, unsigned long long value, int wide, int minus, char how, int width, int zero, int left) {
  char digits[24];
  int count = 0;
  if (how == 'x' || how == 'X') {
    do {
      int digit = (int)(value & 15);
      digits[count++] = (char)(digit < 10 ? '0' + digit : how - 23 + digit - 10);
      value >>= 4;
    } while (value);
  } else if (wide) {
    do { digits[count++] = (char)('0' + value % 10); value /= 10; } while (value);
  } else {
    unsigned narrow = (unsigned)value;
    do { digits[count++] = (char)('0' + narrow % 10); narrow /= 10; } while (narrow);
  }
  bop_emit_digits(text, digits, count, minus, width, zero, left);
}
static int bop_format(char *to, size_t most, const char *f, va_list more) {
  struct bop_text text = { to, most, 0 };
  for (; *f; f++) {
    int width = 0, zero = 0, left = 0, longs = 0, shorts = 0, wide, i, size;
    if (*f != '%') { bop_emit(&text, *f); continue; }
    f++;
    for (;; f++) {
      if (*f == '0') zero = 1;
      else if (*f == '-') left = 1;
      else break;
    }
    if (*f == '*') {
      width = __builtin_va_arg(more, int);
      if (width < 0) { left = 1; width = -width; }
      f++;
    } else while (*f >= '0' && *f <= '9') width = width * 10 + (*f++ - '0');
    for (;; f++) {
      if (*f == 'l') longs++;
      else if (*f == 'h') shorts++;
      else if (*f == 'z' || *f == 't') longs = 1;
      else if (*f == 'j') longs = 2;
      else break;
    }
    wide = longs > 1 || (longs == 1 && sizeof(long) == 8);
    switch (*f) {
    case 'd': case 'i': {
      long long value = longs > 1 ? __builtin_va_arg(more, long long) : longs ? __builtin_va_arg(more, long) : __builtin_va_arg(more, int);
      if (shorts == 1) value = (short)value;
      if (shorts > 1) value = (signed char)value;
      bop_emit_number(&text, value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value, wide, value < 0, 'd', width, zero, left);
      break;
    }
    case 'u': case 'x': case 'X': {
      unsigned long long value = longs > 1 ? __builtin_va_arg(more, unsigned long long)
                                 : longs ? __builtin_va_arg(more, unsigned long) : __builtin_va_arg(more, unsigned);
      if (shorts == 1) value = (unsigned short)value;
      if (shorts > 1) value = (unsigned char)value;
      bop_emit_number(&text, value, wide, 0, *f, width, zero, left);
      break;
    }
    case 'c': {
      int c = __builtin_va_arg(more, int);
      if (longs) __bop_no_model();
      if (!left) for (i = 1; i < width; i++) bop_emit(&text, ' ');
      bop_emit(&text, (char)c);
      if (left) for (i = 1; i < width; i++) bop_emit(&text, ' ');
      break;
    }
    case 's': {
      const char *s = __builtin_va_arg(more, const char *);
      if (longs) __bop_no_model();
      if (!s) s = "(null)";
      size = width ? (int)strlen(s) : 0;
      if (!left) for (i = size; i < width; i++) bop_emit(&text, ' ');
      while (*s) bop_emit(&text, *s++);
      if (left) for (i = size; i < width; i++) bop_emit(&text, ' ');
      break;
    }
    case '%': bop_emit(&text, '%'); break;
    default: __bop_no_model();
    }
  }
  if (most) to[text.count < most ? text.count : most - 1] = 0;
  return (int)text.count;
}
int __bop_vsprintf(char *to, const char *format, va_list more) { return bop_format(to, (size_t)-1, format, more); }
int __bop_vsnprintf(char *to, size_t most, const char *format, va_list more) { return bop_format(to, most, format, more); }
int __bop_sprintf(char *to, const char *format, ...) {
  va_list more;
  int count;
  __builtin_va_start(more, format);
  count = bop_format(to, (size_t)-1, format, more);
  __builtin_va_end(more);
  return count;
}
int __bop_snprintf(char *to, size_t most, const char *format, ...) {
  va_list more;
  int count;
  __builtin_va_start(more, format);
  count = bop_format(to, most, format, more);
  __builtin_va_end(more);
  return count;
}
