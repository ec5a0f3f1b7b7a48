// rule: memory
// A tree is freed by a recursive function, children first.

void *malloc(unsigned long n);
void free(void *p);

struct tree { struct tree *left, *right; };
struct tree *read_tree(void);

static void destroy(struct tree *t) {
    if (!t)
        return;
    destroy(t->left);
#ifdef BAD
    free(t);
    destroy(t->right); // BAD use_after_free
#else
    destroy(t->right);
    free(t);
#endif
}

int main(void) {
    destroy(read_tree());
    return 0;
}
