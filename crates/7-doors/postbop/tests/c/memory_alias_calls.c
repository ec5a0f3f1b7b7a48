// rule: memory
// What a callee writes to a global, or through a pointer in one, is seen by the caller's other names of it.
void *malloc(unsigned long n);
void free(void *p);

static char *global;
static void set(void) { global = malloc(1); }

void global_in_callee(void) {
    char **pp = &global;
    set();
    free(*pp);
#ifdef BAD
    free(global); // BAD double_free
#endif
    global = 0;
}

static char **slot;
static void fill(void) { *slot = malloc(1); }

void through_global(void) {
    char *x = 0;
    slot = &x;
    fill();
    free(x);
#ifdef BAD
    free(*slot); // BAD double_free
#endif
}

// The parameter points elsewhere in the end; what the argument points to stays.
static void moves(char **p) {
    char *t = *p;
    p = &t;
    free(*p);
}

void parameter_changes(void) {
    char *x = malloc(1);
    moves(&x);
#ifdef BAD
    free(x); // BAD double_free
#endif
}
