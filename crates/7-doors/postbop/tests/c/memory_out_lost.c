// rule: memory
// What a function stores through an argument is its caller's to lose.

void *malloc(unsigned long n);
void free(void *p);
int fill(const char *p);

static int make(char **o) {
    *o = malloc(10);
    return *o ? 0 : -1;
}

int once(void) {
    char *p;
    if (make(&p) < 0)
        return 1;
#ifndef BAD
    free(p);
#endif
    return 0; // BAD memory_leak
}

int twice(void) {
    char *p;
    if (make(&p) < 0)
        return 1;
    if (fill(p) < 0) {
        free(p);
        return 1;
    }
    free(p);
    if (make(&p) < 0)
        return 1;
#ifndef BAD
    free(p);
#endif
    return 0; // BAD memory_leak
}

static void replace(char **o) {
#ifndef BAD
    free(*o);
#endif
    *o = malloc(20); // BAD memory_leak
}

int replaced(void) {
    char *p;
    if (make(&p) < 0)
        return 1;
    replace(&p);
    free(p);
    return 0;
}
