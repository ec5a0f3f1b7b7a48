// rule: memory
// Arithmetic whose result goes nowhere: the pointer that it is made of is not kept by anyone.

typedef unsigned long size_t;
void *malloc(size_t n);
char *strdup(const char *s);
void free(void *p);
char *strcpy(char *to, const char *from);
char *strchr(const char *s, int c);
void *memcpy(void *to, const void *from, size_t n);
char *fgets(char *s, int n, void *f);
struct buffer {
    char *data;
    size_t length;
};

int copies(size_t n) {
    char *p = malloc(n);
    if (!p)
        return 1;
    strcpy(p + 1, "x");
#ifdef BAD
    return 0; // BAD memory_leak
#else
    free(p);
    return 0;
#endif
}

int reads(void *f) {
    struct buffer b = {0};
    b.data = malloc(100);
    if (!b.data)
        return 1;
    if (!fgets(b.data + b.length, 100, f)) {
#ifndef BAD
        free(b.data);
#endif
        return 2; // BAD memory_leak
    }
    free(b.data);
    return 0;
}

int distance(void) {
    char *p = strdup("a=b");
    if (!p)
        return 0;
    int n = strchr(p, '=') - p;
#ifndef BAD
    free(p);
#endif
    return n; // BAD memory_leak
}

int follows(size_t n) {
    char *p = malloc(n);
    if (!p)
        return 0;
    int c = *(p + 1);
#ifndef BAD
    free(p);
#endif
    return c; // BAD memory_leak
}

int walks(size_t n) {
    char *p = malloc(n), *q = p;
    if (!p)
        return 1;
    *q++ = 0;
    if (n > 10) {
#ifndef BAD
        free(p);
#endif
        return 2; // BAD memory_leak
    }
    free(p);
    return 0;
}

// What is behind a header is handed out, and the header is found again.
void *with_header(size_t n) {
    size_t *p = malloc(n + sizeof *p);
    if (!p)
        return 0;
    *p = n;
    return p + 1;
}

void without_header(void *body) {
    size_t *p = body;
    free(p - 1);
}

void *stepped(size_t n) {
    char *p = malloc(n + 16);
    if (!p)
        return 0;
    p += 16;
    return p;
}

void *stepped_copy(size_t n) {
    char *p = malloc(n + 16), *q = p;
    if (!p)
        return 0;
    q += 16;
    return q;
}

char *alone(size_t n) {
    char *p = malloc(n);
    if (!p)
        return 0;
    p++;
    free(p - 1);
    return 0;
}

char *result_is_inside(size_t n) {
    char *p = malloc(n);
    if (!p)
        return 0;
    return strcpy(p + 8, "x");
}
