// rule: lock
// Two activations of one function hold the locks of two nodes.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

struct node { struct node *next; pthread_mutex_t lock; };
struct node *read_list(void);

static void visit(struct node *n) {
    pthread_mutex_lock(&n->lock); // BAD double_lock
    if (n->next)
#ifdef BAD
        visit(n);
#else
        visit(n->next);
#endif
    pthread_mutex_unlock(&n->lock); // MAY unlock_without_lock
}

int main(void) {
    visit(read_list());
    return 0;
}
