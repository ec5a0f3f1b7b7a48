// rule: memory
// A loop is left with what was found; the caller frees it.

void *malloc(unsigned long n);
void free(void *p);

int good(char *p);

static char *find(int n) {
    char *p = 0;
    for (int i = 0; i < n; i++) {
        p = malloc(10);
        if (!p)
            return 0;
        if (good(p))
            break;
        free(p);
#ifndef BAD
        p = 0;
#endif
    }
    return p;
}

int main(void) {
    char *p = find(3);
    free(p); // BAD double_free
    return 0;
}
