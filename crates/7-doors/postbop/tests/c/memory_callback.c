// rule: memory
// A callback meets the value that a global holds.
void *malloc(unsigned long n);
void free(void *p);
void qsort(void *a, unsigned long n, unsigned long size, int (*f)(const void *, const void *));

static char *x;

static int compare(const void *a, const void *b) {
    free(x); // BAD double_free
#ifndef BAD
    x = 0;
#endif
    return 0;
}

int main(void) {
    int a[2] = { 2, 1 };
    x = malloc(1);
    qsort(a, 2, sizeof *a, compare);
    free(x); // BAD double_free
    return 0;
}
