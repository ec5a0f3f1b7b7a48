// rule: memory
// A variable, and what a pointer to it points to, are one memory: what is written by one name is seen by
// the other.
void *malloc(unsigned long n);
void free(void *p);
int input(void);
struct s { int n; char *f; };

void directly(void) {
    char *x = 0, **pp = &x;
    x = malloc(1);
    free(x);
#ifdef BAD
    free(*pp); // BAD double_free
#endif
}

void behind(void) {
    char *x = 0, **pp = &x;
    *pp = malloc(1);
    free(x);
#ifdef BAD
    free(*pp); // BAD double_free
#endif
}

void member_directly(void) {
    struct s s, *p = &s;
    s.f = malloc(1);
    free(p->f);
#ifdef BAD
    free(s.f); // BAD double_free
#endif
}

void member_behind(void) {
    struct s s, *p = &s;
    p->f = malloc(1);
    free(s.f);
#ifdef BAD
    free(s.f); // BAD double_free
#endif
}

struct node { struct node *next; char *d; };

void next_one(void) {
    struct node a, b;
    a.next = &b;
    b.d = malloc(1);
    free(a.next->d);
#ifdef BAD
    free(b.d); // BAD double_free
#endif
}
