// rule: memory
// A helper frees what it is given.

void *malloc(unsigned long n);
void free(void *p);

struct item { int value; };

static void finish(struct item *p) {
    free(p);
}

int main(void) {
    struct item *p = malloc(sizeof *p);
    if (!p)
        return 1;
    p->value = 1;
#ifdef BAD
    finish(p);
    return p->value; // BAD use_after_free
#else
    int value = p->value;
    finish(p);
    return value;
#endif
}
