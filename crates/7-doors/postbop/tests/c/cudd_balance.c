// rule: cudd
// A node is referenced and must be dereferenced on every way out.

typedef struct DdManager DdManager;
typedef struct DdNode DdNode;
DdNode *Cudd_bddAnd(DdManager *dd, DdNode *f, DdNode *g);
DdNode *Cudd_bddOr(DdManager *dd, DdNode *f, DdNode *g);
void Cudd_Ref(DdNode *n);
void Cudd_RecursiveDeref(DdManager *dd, DdNode *n);

int check(DdNode *n);

int both(DdManager *dd, DdNode *a, DdNode *b) {
    DdNode *f = Cudd_bddAnd(dd, a, b);
    Cudd_Ref(f);
    if (check(f)) {
#ifndef BAD
        Cudd_RecursiveDeref(dd, f);
#endif
        return 1; // BAD cudd_leak
    }
    Cudd_RecursiveDeref(dd, f);
    return 0;
}
