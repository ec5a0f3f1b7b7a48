// rule: cudd
// References are counted: two of them are given back, or one twice.

typedef struct DdManager DdManager;
typedef struct DdNode DdNode;
DdNode *Cudd_bddAnd(DdManager *dd, DdNode *f, DdNode *g);
DdNode *Cudd_bddOr(DdManager *dd, DdNode *f, DdNode *g);
void Cudd_Ref(DdNode *n);
void Cudd_RecursiveDeref(DdManager *dd, DdNode *n);

void both(DdManager *dd, DdNode *a, DdNode *b) {
    DdNode *f = Cudd_bddAnd(dd, a, b), *g;
    Cudd_Ref(f);
#ifndef BAD
    Cudd_Ref(f);
#endif
    g = f;
    Cudd_RecursiveDeref(dd, g);
    Cudd_RecursiveDeref(dd, f); // BAD cudd_overrelease
}
