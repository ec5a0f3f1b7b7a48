// rule: memory
// Members of a union are one; two pointers to a variable are.

void *malloc(unsigned long n);
void free(void *p);

typedef union { char *first; char *second; } both;
typedef struct { char *first; char *second; } apart;

void united(void) {
    both u;
    char *p = malloc(3);
    if (!p)
        return;
    u.first = p;
    free(p);
#ifdef BAD
    free(u.second); // BAD double_free
#endif
}

void separate(void) {
    apart s;
    s.second = malloc(2);
    s.first = malloc(3);
    free(s.first);
    free(s.second);
}

void pointed(void) {
    char *data = malloc(3), **one = &data, **two = &data;
    {
        char *p = *one;
        free(p);
        *one = p;
    }
#ifdef BAD
    {
        char *p = *two;
        free(p); // BAD double_free
    }
#endif
}
