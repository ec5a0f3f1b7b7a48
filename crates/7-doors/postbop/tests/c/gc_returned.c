// rule: gc
// [c2edl Fig. 7]: what one function saves, its caller releases.

typedef struct bdd *bdd_ptr;
bdd_ptr save_bdd(bdd_ptr d);
void release_bdd(bdd_ptr d);
void mygarbage(void);
bdd_ptr and_bdd(bdd_ptr a, bdd_ptr b);

bdd_ptr b, c, d;

static bdd_ptr f(bdd_ptr p, bdd_ptr q) {
    p = save_bdd(and_bdd(p, q));
    return p;
}

int main(int argc, char **argv) {
    bdd_ptr a;
    while (argc--) {
        a = f(b, c); // BAD gc_leak
        mygarbage();
#ifndef BAD
        release_bdd(a);
#endif
        d = and_bdd(a, b);
        d = b;
    }
#ifdef BAD
    release_bdd(a);
#endif
    return 0;
}
