// rule: results
// Results that are followed, overwritten, or ignored without a look.

void *malloc(unsigned long n);
void *realloc(void *p, unsigned long n);
void free(void *p);
int setuid(unsigned uid);
int use(const char *p);

int followed(void) {
    char *p = malloc(10);
#ifndef BAD
    if (!p)
        return 1;
#endif
    p[0] = 'a'; // BAD null_result
    free(p);
    return 0;
}

char *grown(char *p, int n) {
    p = malloc(n);
    if (!p)
        return 0;
#ifdef BAD
    p = realloc(p, 2 * n); // BAD realloc_to_itself
    return p;
#else
    char *q = realloc(p, 2 * n);
    if (!q) {
        free(p);
        return 0;
    }
    return q;
#endif
}

int rights(void) {
#ifdef BAD
    setuid(1000); // BAD ignored_result
#else
    if (setuid(1000) < 0)
        return 1;
#endif
    return 0;
}
