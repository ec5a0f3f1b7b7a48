/* Strings and memory beyond standard C: what POSIX, the BSDs and the GNU library add. */

char *strsep(char **rest, const char *set) {
  char *text = *rest, *end;
  if (!text) return 0;
  end = text + strcspn(text, set);
  if (*end) *end++ = 0; else end = 0;
  *rest = end;
  return text;
}
void *memmem(const void *in, size_t size, const void *what, size_t length) {
  const char *p = in;
  if (!length) return (void *)in;
  for (; size >= length; p++, size--)
    if (!memcmp(p, what, length)) return (void *)p;
  return 0;
}
void *memrchr(const void *in, int c, size_t size) {
  const unsigned char *p = in;
  while (size--) if (p[size] == (unsigned char)c) return (void *)(p + size);
  return 0;
}
void *rawmemchr(const void *in, int c) {
  const unsigned char *p = in;
  while (*p != (unsigned char)c) p++;
  return (void *)p;
}
void *memccpy(void *to, const void *from, int c, size_t size) {
  char *d = to;
  const char *s = from;
  while (size--) if ((*d++ = *s++) == (char)c) return d;
  return 0;
}
void swab(const void *from, void *to, long size) {
  const char *s = from;
  char *d = to;
  for (; size > 1; size -= 2, s += 2, d += 2) { char c = s[0]; d[0] = s[1]; d[1] = c; }
}
char *strchrnul(const char *s, int c) {
  while (*s && *s != (char)c) s++;
  return (char *)s;
}
char *index(const char *s, int c) { return strchr(s, c); }
char *rindex(const char *s, int c) { return strrchr(s, c); }
static int bop_lowered(const char *a, const char *b, size_t most) {
  for (; most; most--, a++, b++) {
    int x = tolower((unsigned char)*a), y = tolower((unsigned char)*b);
    if (x != y) return x - y;
    if (!x) return 0;
  }
  return 0;
}
char *strcasestr(const char *in, const char *what) {
  size_t length = strlen(what);
  for (;; in++) {
    if (!bop_lowered(in, what, length)) return (char *)in;
    if (!*in) return 0;
  }
}
size_t strxfrm(char *to, const char *from, size_t size) {
  size_t length = strlen(from);
  if (size > length) memcpy(to, from, length + 1);
  else if (size) memcpy(to, from, size);
  return length;
}
size_t strlcpy(char *to, const char *from, size_t size) {
  size_t length = strlen(from);
  if (size) {
    size_t n = length < size ? length : size - 1;
    memcpy(to, from, n);
    to[n] = 0;
  }
  return length;
}
size_t strlcat(char *to, const char *from, size_t size) {
  size_t n = strnlen(to, size);
  return n == size ? n + strlen(from) : n + strlcpy(to + n, from, size - n);
}

/* Names of files. GNU's `basename` is another one than that of `libgen.h`. */

char *basename(const char *path) {
  char *last = strrchr(path, '/');
  return last ? last + 1 : (char *)path;
}
char *__xpg_basename(char *path) {
  char *end;
  if (!path || !*path) return ".";
  for (end = path + strlen(path); end > path + 1 && end[-1] == '/'; end--) end[-1] = 0;
  if (end == path + 1 && *path == '/') return path;
  while (end > path && end[-1] != '/') end--;
  return end;
}
char *dirname(char *path) {
  char *end;
  if (!path || !*path) return ".";
  for (end = path + strlen(path); end > path && end[-1] == '/'; end--) ;
  while (end > path && end[-1] != '/') end--;
  while (end > path && end[-1] == '/') end--;
  if (end > path) { *end = 0; return path; }
  if (*path != '/') return ".";
  path[path[1] == '/' && path[2] != '/' ? 2 : 1] = 0;
  return path;
}

/* Memory and texts that are made. */

void *reallocarray(void *p, size_t count, size_t size) {
  if (size && count > (size_t)-1 / size) { bop_errno = 12; return 0; }
  return realloc(p, count * size);
}
int vasprintf(char **to, const char *format, va_list list) {
  va_list again;
  int length;
  __builtin_va_copy(again, list);
  length = vsnprintf(0, 0, format, again);
  __builtin_va_end(again);
  if (length < 0) return -1;
  *to = malloc((size_t)length + 1);
  if (!*to) return -1;
  return vsnprintf(*to, (size_t)length + 1, format, list);
}
int asprintf(char **to, const char *format, ...) {
  va_list list;
  int length;
  __builtin_va_start(list, format);
  length = vasprintf(to, format, list);
  __builtin_va_end(list);
  return length;
}
long long imaxabs(long long x) { return x < 0 ? -x : x; }
lldiv_t imaxdiv(long long a, long long b) { return lldiv(a, b); }
long long strtoimax(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtoumax(const char *s, char **end, int base) { return strtoull(s, end, base); }
unsigned short htons(unsigned short x) { return bswap16(x); }
unsigned short ntohs(unsigned short x) { return bswap16(x); }
unsigned htonl(unsigned x) { return bswap32(x); }
unsigned ntohl(unsigned x) { return bswap32(x); }
int isascii(int c) { return !(c & ~127); }
int toascii(int c) { return c & 127; }

/* Queues of <search.h>. */

struct bop_queue { struct bop_queue *next, *before; };
void insque(void *element, void *before) {
  struct bop_queue *e = element, *b = before;
  if (!b) { e->next = e->before = 0; return; }
  e->next = b->next;
  e->before = b;
  b->next = e;
  if (e->next) e->next->before = e;
}
void remque(void *element) {
  struct bop_queue *e = element;
  if (e->next) e->next->before = e->before;
  if (e->before) e->before->next = e->next;
}
