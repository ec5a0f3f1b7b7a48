// rule: memory
// A variable's value is freed by a function that gets the variable's address.

void *malloc(unsigned long n);
void free(void *p);

struct node { struct node *next; };
struct pair { struct node *first; int n; };

static void drop(struct node **list) {
    struct node *node = *list;
    if (node == 0)
        return;
    free(node);
    *list = 0;
}

static void drop_pair(struct pair *pair) {
    drop(&pair->first);
}

int main(int argc, char **argv) {
    struct node *list = malloc(sizeof(struct node));
    struct pair pair;
    pair.first = malloc(sizeof(struct node));
    drop(&list);
#ifdef BAD
    if (argc > 1)
#endif
        drop_pair(&pair);
    return 0; // BAD memory_leak
}
