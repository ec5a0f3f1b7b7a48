// rule: memory
// What is stored in a field of an object belongs to it.

void *malloc(unsigned long n);
void free(void *p);

struct list { char *first; };
static struct list list;

static void add(struct list *l) {
    char *p = malloc(10);
    l->first = p;
}

int main(void) {
    add(&list);
    free(list.first);
#ifdef BAD
    free(list.first); // BAD double_free
#endif
    return 0;
}
