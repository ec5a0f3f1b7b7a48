// rule: memory
// Memory is copied with the pointers in it.
void *malloc(unsigned long n);
void free(void *p);
void *memcpy(void *to, const void *from, unsigned long n);
struct s { int n; char *f; };

void member(void) {
    struct s a, b;
    a.f = malloc(1);
    memcpy(&b, &a, sizeof a);
    free(a.f);
#ifdef BAD
    free(b.f); // BAD double_free
#endif
}

void pointer(void) {
    char *p = malloc(1), *q;
    memcpy(&q, &p, sizeof p);
    free(p);
#ifdef BAD
    free(q); // BAD double_free
#endif
}
