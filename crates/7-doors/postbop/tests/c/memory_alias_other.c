// rule: memory
// What is written behind one pointer need not be gone behind another, and what is known of a number is not
// known any more once it may have been written by another name.
void *malloc(unsigned long n);
void free(void *p);
struct s { int n; char *f; };

void other_pointer(void) {
    struct s *p = malloc(16), *q = malloc(16);
    if (!p || !q) {
        free(p);
        free(q);
        return;
    }
    p->f = malloc(1);
    q->f = 0;
    free(p->f);
#ifdef BAD
    free(p->f); // BAD double_free
#endif
    free(p);
    free(q);
}

void null_behind(void) {
    char *x = malloc(1), **pp = &x;
    char *k = x;
    *pp = 0;
    if (x) {
        free(k);
        return;
    }
    free(k);
#ifdef BAD
    free(k); // BAD double_free
#endif
}

void number_behind(void) {
    struct s s, *p = &s;
    char *k = malloc(1);
    p->n = 0;
    s.n = -1;
    free(k);
#ifdef BAD
    if (p->n < 0)
        free(k); // BAD double_free
#endif
}

union u { int i; char *unused; unsigned char c; };

void number_in_union(void) {
    union u u;
    char *k = malloc(1);
    u.i = 0;
    u.c = 1;
    free(k);
#ifdef BAD
    if (u.i)
        free(k); // BAD double_free
#endif
}
