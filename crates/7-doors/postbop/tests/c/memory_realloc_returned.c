// rule: memory
// That `realloc` failed is known to the function that calls the one that calls it.

void *malloc(unsigned long n);
void *realloc(void *p, unsigned long n);
void free(void *p);

static void *resize(void *p, unsigned long n) {
    void *q = realloc(p, n);
    return q;
}

static void *grow(void *p, unsigned long n) {
    if (n > 1000)
        return 0;
    return resize(p, 2 * n);
}

int main(int argc, char **argv) {
    char *p = malloc(8), *q;
    if (!p)
        return 1;
    q = grow(p, argc);
    if (!q) {
#ifndef BAD
        free(p);
#endif
        return 1; // BAD memory_leak
    }
#ifdef BAD
    free(p); // BAD double_free
#endif
    free(q);
    return 0;
}
