// rule: memory
// Cells at an index that is a variable: the same one while that does not change.

void *malloc(unsigned long n);
void free(void *p);
void *memmove(void *to, const void *from, unsigned long n);

struct entry {
    char *key, *word;
};
struct table {
    struct entry **entries;
    int size;
};

void list_free(char **list, int n) {
    for (int i = 0; i < n; i++) {
        free(list[i]);
#ifdef BAD
        free(list[i]); // BAD double_free
#endif
    }
    free(list);
}

void entries_free(struct entry *all, int n) {
    for (int i = 0; i < n; i++) {
        free(all[i].key);
#ifdef BAD
        free(all[i].key); // BAD double_free
#else
        free(all[i].word);
#endif
    }
    free(all);
}

void table_free(struct table *t) {
    for (int i = 0; i < t->size; i++) {
        free(t->entries[i]->key);
#ifdef BAD
        free(t->entries[i]);
        free(t->entries[i]->word); // BAD use_after_free
#else
        free(t->entries[i]->word);
        free(t->entries[i]);
#endif
    }
    free(t->entries);
}

static void entry_free(struct entry *e) {
    if (!e)
        return;
    free(e->key);
    free(e);
}

void table_drop(struct table *t, int i) {
    struct entry *e = t->entries[i];
    entry_free(e);
#ifdef BAD
    free(t->entries[i]); // BAD double_free
#endif
    t->entries[i] = 0;
}

char table_first(char **list, int i) {
    char c = *list[i];
    free(list[i]);
#ifdef BAD
    c = *list[i]; // BAD use_after_free
#endif
    return c;
}

// Other cells, and the same one with something else in it.
void list_twice(char **list, int n) {
    for (int i = 0; i < n; i++) {
        free(list[i]);
        list[i] = 0;
    }
    for (int i = 0; i < n; i++)
        free(list[i]);
}

void list_moved(char **list, int n, int i) {
    free(list[i]);
    memmove(list + i, list + i + 1, (n - i - 1) * sizeof *list);
    free(list[i]);
}

void list_shifted(char **list, int n, int i) {
    free(list[i]);
    for (int j = i; j < n - 1; j++)
        list[j] = list[j + 1];
    free(list[i]);
}

static void shift(char **list, int n, int i) {
    for (int j = i; j < n - 1; j++)
        list[j] = list[j + 1];
}

void list_shifted_elsewhere(char **list, int n, int i) {
    free(list[i]);
    shift(list, n, i);
    free(list[i]);
}

void list_replaced(char **list, int i, char *with) {
    char *old = list[i];
    list[i] = with;
    free(old);
    free(list[i]);
    list[i] = 0;
}

static char *pick(char **list, int i) {
    return list[i];
}

void list_calls(char **list) {
    free(pick(list, 1));
    free(pick(list, 2));
}

static void one(char **list, int i) {
    free(list[i]);
}

void list_each(char **list) {
    one(list, 1);
    one(list, 2);
}

// The index is changed behind its back.
void next(int *i);
void list_address(char **list, int i) {
    free(list[i]);
    next(&i);
    free(list[i]);
}
