// rule: memory
// What was inserted belongs to the list; what was not does not.

void *malloc(unsigned long n);
void free(void *p);
int larger(void *v);

struct list { void **items; int length, size; };

static int insert(struct list *v, void *item) {
    if (v->length >= v->size && larger(v) < 0)
        return -1;
    v->items[v->length++] = item;
    return 0;
}

int add(struct list *v) {
    int error;
    char *p = malloc(8);
    if (!p)
        return -1;
    if ((error = insert(v, p)) < 0) {
#ifndef BAD
        free(p);
#endif
        return error; // BAD memory_leak
    }
    return 0;
}
