# 1 "s.c"
typedef unsigned long size_t; typedef struct node node; struct node { node *next; int (*run)(node *, ...); unsigned f : 3; };
static int table[] = { [0] = 1, [2 ... 4] = 'x', }; extern void *malloc(size_t); static inline int max(a, b) int a, b; { return a > b ? a : b; }
int walk(node *p, int n) __attribute__((nonnull(1)));
int walk(node *p, int n) {
    for (int i = 0; p && i < n; i++, p = p->next) {
        switch (p->f) { case 0: continue; case 1 ... 3: n += p->run(p, i); break; default: goto out; }
        do { n -= max(n, table[i % 5]) << 1; } while (n > 0 && !(n & 1) || n == -7);
    }
    if (n) return ({ int m = sizeof(node) + (size_t) 3; m ?: 4; }); else asm volatile ("nop" : "=r"(n) : "r"(p) : "memory");
out:
    return n ? walk(&(node) { .next = p }, n - 1) : 0;
}
