// rule: gc
// Save and release are counted.

typedef struct bdd *bdd_ptr;
bdd_ptr save_bdd(bdd_ptr d);
void release_bdd(bdd_ptr d);
void mygarbage(void);
bdd_ptr and_bdd(bdd_ptr a, bdd_ptr b);

bdd_ptr one, two, d;

int main(void) {
    bdd_ptr a = save_bdd(and_bdd(one, two));
#ifndef BAD
    save_bdd(a);
#endif
    release_bdd(a);
    mygarbage();
    d = and_bdd(a, one); // BAD gc_dangling
    d = one;
#ifndef BAD
    release_bdd(a);
#endif
    return 0;
}
