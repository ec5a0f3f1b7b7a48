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
