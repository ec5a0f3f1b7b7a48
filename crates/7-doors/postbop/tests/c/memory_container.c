// rule: memory
// A structure is freed while it holds the only pointer to what was allocated for it.

void *malloc(unsigned long n);
void *realloc(void *p, unsigned long n);
void free(void *p);
char *strdup(const char *s);

struct entry { char *key; char *value; struct entry *next; };
static struct entry *all;

int error_path(const char *k) {
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return 1;
    e->key = strdup(k);
    e->value = strdup(k);
    if (!e->key || !e->value) {
#ifndef BAD
        free(e->key);
        free(e->value);
#endif
        free(e); // BAD memory_leak
        return 1;
    }
    e->next = all;
    all = e;
    return 0;
}

static struct entry *create(const char *k) {
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return 0;
    e->key = strdup(k);
    e->value = 0;
    return e;
}

static void destroy(struct entry *e) {
#ifndef BAD
    free(e->key);
#endif
    free(e); // BAD memory_leak
}

int used(const char *k) {
    struct entry *e = create(k), *same = e;
    if (!e)
        return 1;
    destroy(same);
    return 0;
}

/* Taken out before it is freed; moved by realloc; kept by another name. */
char *taken(const char *k) {
    struct entry *e = create(k);
    if (!e)
        return 0;
    char *key = e->key;
    free(e);
    return key;
}

void moved(const char *k) {
    struct entry *e = create(k), *more;
    if (!e)
        return;
    more = realloc(e, 2 * sizeof *e);
    if (!more) {
        free(e->key);
        free(e);
        return;
    }
    free(more->key);
    free(more);
}

/* In a list first, filled then: the list has it. */
void listed(const char *k) {
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return;
    e->next = all;
    all = e;
    e->key = strdup(k);
    e->value = 0;
}

static void drop(struct entry **list) {
    struct entry *e = *list;
    *list = e->next;
    free(e->key);
    free(e->value);
    free(e);
}

void dropped(void) {
    while (all)
        drop(&all);
}
