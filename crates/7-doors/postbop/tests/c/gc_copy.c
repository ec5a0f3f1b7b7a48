// rule: gc
// [c2edl Fig. 6]: a copy of a saved value is saved.

typedef struct bdd *bdd_ptr;
bdd_ptr save_bdd(bdd_ptr d);
void release_bdd(bdd_ptr d);
void mygarbage(void);
bdd_ptr and_bdd(bdd_ptr a, bdd_ptr b);

bdd_ptr one, two, d;

int main(void) {
    bdd_ptr a, b, c;
    a = and_bdd(one, two);
#ifdef BAD
    b = a;
#else
    b = save_bdd(a);
#endif
    c = b;
    mygarbage();
    d = c; // BAD gc_dangling
    return 0;
}
