// rule: memory
// Each activation frees its own; all activations free one global.

void *malloc(unsigned long n);
void free(void *p);

static char *cache;

static void work(int n) {
    char *p = malloc(10);
    if (n > 0)
        work(n - 1);
    free(p);
#ifdef BAD
    free(cache); // BAD double_free
#endif
}

int main(void) {
    cache = malloc(10);
    work(3);
#ifndef BAD
    free(cache);
#endif
    return 0;
}
