// rule: memory
// A list is freed in a loop.

void *malloc(unsigned long n);
void free(void *p);

struct node { struct node *next; };
struct node *read_list(void);

int main(void) {
    struct node *p = read_list(), *next;
    while (p) {
#ifdef BAD
        free(p);
        next = p->next; // BAD use_after_free
#else
        next = p->next;
        free(p);
#endif
        p = next;
    }
    return 0;
}
