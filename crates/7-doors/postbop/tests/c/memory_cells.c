// rule: memory
// Cells of arrays in loops: one of them stands for any.

void *malloc(unsigned long n);
void *calloc(unsigned long n, unsigned long size);
void *realloc(void *p, unsigned long n);
char *strdup(const char *s);
void free(void *p);

struct list {
    char **items;
    int n;
};

void two_loops(char **list, int n) {
    for (int i = 0; i < n; i++)
        free(list[i]);
#ifdef BAD
    for (int i = n - 1; i >= 0; i--)
        free(list[i]); // BAD double_free
#endif
    free(list);
}

static void items_free(struct list *l) {
    for (int i = 0; i < l->n; i++)
        free(l->items[i]); // BAD double_free
}

void list_free(struct list *l) {
    items_free(l);
#ifdef BAD
    items_free(l);
#endif
    free(l->items);
}

void cleared(char **list, int n) {
    for (int i = 0; i < n; i++) {
        free(list[i]);
        list[i] = 0;
    }
    for (int i = 0; i < n; i++)
        free(list[i]);
}

void halves(char **list, int n) {
    int i;
    for (i = 0; i < n / 2; i++)
        free(list[i]);
    for (; i < n; i++)
        free(list[i]);
}

void walk(char **list) {
    char **p = list;
    while (*p)
        free(*p++);
#ifdef BAD
    p = list;
    while (*p)
        free(*p++); // BAD double_free
#endif
    free(list);
}

static void drop(char **list, int i) {
    free(list[i]);
}

void by_parameter(char **list, int k) {
    drop(list, k);
#ifdef BAD
    free(list[k]); // BAD double_free
#endif
}

int copied(int n, char **from) {
    char **to = calloc(n, sizeof *to);
    if (!to)
        return -1;
    for (int i = 0; i < n; i++) {
        to[i] = strdup(from[i]);
        if (!to[i]) {
#ifndef BAD
            while (i--)
                free(to[i]);
#endif
            free(to); // BAD memory_leak
            return -1;
        }
    }
    for (int i = 0; i < n; i++)
        free(to[i]);
    free(to);
    return 0;
}

int grown(int n, char **from) {
    char **all = 0;
    int k = 0;
    for (int i = 0; i < n; i++) {
        char **more = realloc(all, (k + 1) * sizeof *all);
        if (!more)
            break;
        all = more;
        all[k] = strdup(from[i]);
        if (all[k])
            k++;
    }
#ifndef BAD
    for (int i = 0; i < k; i++)
        free(all[i]);
#endif
    free(all); // BAD memory_leak
    return k;
}

int local(int n) {
    char *p[4];
    int i;
    for (i = 0; i < 4; i++)
        p[i] = malloc(n);
#ifdef BAD
    return n; // BAD memory_leak
#endif
    while (i > 0)
        free(p[--i]);
    return n;
}

struct stack {
    char *top[8];
    int n;
};

int push(struct stack *s, const char *t) {
    if (s->n == 8)
        return -1;
    s->top[s->n] = strdup(t);
    if (!s->top[s->n])
        return -1;
    s->n++;
    return 0;
}

void clear(struct stack *s) {
    while (s->n > 0)
        free(s->top[--s->n]);
}
