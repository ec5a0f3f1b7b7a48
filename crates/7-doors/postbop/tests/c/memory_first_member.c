// rule: memory
// The address of the first member is that of the whole; that of another one keeps it.

void *malloc(unsigned long n);
void free(void *p);
int start(const void *p);

struct base { int kind; };
struct whole { struct base base; struct base other; };

static void dispose(struct base *base) {
    struct whole *whole = (struct whole *)base;
    free(whole);
}

static int keep(struct base **out, int n) {
    struct whole *w = malloc(sizeof(struct whole));
    if (!w)
        return -1;
    if (start(w) < 0) {
#ifndef BAD
        dispose(&w->base);
#endif
        return -1; // BAD memory_leak
    }
    if (n) {
        *out = &w->other;
        return 0;
    }
    dispose(&w->base);
#ifdef BAD
    free(w); // BAD double_free
#endif
    return 1;
}

int main(int argc, char **argv) {
    struct base *b;
    return keep(&b, argc);
}
