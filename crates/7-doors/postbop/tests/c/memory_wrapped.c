// rule: memory
// Two bugs behind one wrapper are two; what a wrapper does is found where it is called.

void *malloc(unsigned long n);
void free(void *p);
void abort(void) __attribute__((noreturn));

static void *xmalloc(unsigned long n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
static void xfree(void *p) {
    if (p)
        free(p);
}

void one(void) {
    char *a = xmalloc(3);
    xfree(a);
#ifdef BAD
    xfree(a); // BAD double_free
#endif
}

void two(void) {
    char *b = xmalloc(3);
    xfree(b);
#ifdef BAD
    xfree(b); // BAD double_free
#endif
}

void three(void) {
    char *c = xmalloc(3);
#ifndef BAD
    xfree(c);
#endif
} // BAD memory_leak

static void maybe(void *p, int n) {
    if (n)
        free(p);
}

void four(void) {
    char *d = xmalloc(3);
    maybe(d, 0);
    maybe(d, 1);
}
