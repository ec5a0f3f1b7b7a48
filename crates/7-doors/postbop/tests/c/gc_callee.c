// rule: gc
// The collection happens deep in a function that is called.

typedef struct bdd *bdd_ptr;
bdd_ptr save_bdd(bdd_ptr d);
void release_bdd(bdd_ptr d);
void mygarbage(void);
bdd_ptr and_bdd(bdd_ptr a, bdd_ptr b);

bdd_ptr one, two, d;

static void tidy(int n) {
    if (n > 0)
        tidy(n - 1);
    else
        mygarbage();
}

int main(int argc, char **argv) {
    bdd_ptr a = and_bdd(one, two);
#ifndef BAD
    save_bdd(a);
#endif
    tidy(argc);
    d = and_bdd(a, one); // BAD gc_dangling
    d = one;
#ifndef BAD
    release_bdd(a);
#endif
    return 0;
}
