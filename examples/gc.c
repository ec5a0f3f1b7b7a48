/* A small model checker's use of diagrams, in the style of SMV: diagrams that are not saved are
   collected by mygarbage(). Two mistakes are left in, one for each rule of rules/gc.rule. */

typedef struct bdd *bdd_ptr;
typedef struct node { int kind; struct node *left, *right; bdd_ptr value; } *node_ptr;

bdd_ptr save_bdd(bdd_ptr d);
void release_bdd(bdd_ptr d);
void mygarbage(void);
bdd_ptr and_bdd(bdd_ptr a, bdd_ptr b);
bdd_ptr or_bdd(bdd_ptr a, bdd_ptr b);
bdd_ptr not_bdd(bdd_ptr a);
bdd_ptr atomic_bdd(int level);
bdd_ptr image(bdd_ptr states, bdd_ptr relation);
int is_subset(bdd_ptr a, bdd_ptr b);
int size_bdd(bdd_ptr d);

bdd_ptr transitions, initial;

/* The caller gets a diagram that is saved. */
static bdd_ptr eval(node_ptr n) {
    bdd_ptr a, b, d;
    switch (n->kind) {
    case 0:
        return save_bdd(atomic_bdd(1));
    case 1:
        a = eval(n->left);
        b = eval(n->right);
        d = save_bdd(and_bdd(a, b));
        release_bdd(a);
        release_bdd(b);
        mygarbage();
        return d;
    case 2:
        a = eval(n->left);
        d = save_bdd(not_bdd(a));
        release_bdd(a);
        return d;
    default:
        a = eval(n->left);
        b = eval(n->right);
        d = save_bdd(or_bdd(a, b));
        release_bdd(a);
        return d; /* b is never released */
    }
}

static bdd_ptr reachable(bdd_ptr start) {
    bdd_ptr reached = save_bdd(start), next, old;
    for (;;) {
        next = image(reached, transitions);
        if (size_bdd(next) > 1000)
            mygarbage();
        if (is_subset(next, reached)) /* next may be gone */
            return reached;
        old = reached;
        reached = save_bdd(or_bdd(old, next));
        release_bdd(old);
    }
}

int check(node_ptr spec) {
    bdd_ptr good = eval(spec), all = reachable(initial);
    int holds = is_subset(all, good);
    release_bdd(good);
    release_bdd(all);
    return holds;
}
