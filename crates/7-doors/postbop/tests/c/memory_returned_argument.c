// rule: memory
// `memcpy` and its kind return what they are given.

void *malloc(unsigned long n);
void free(void *p);
void *memcpy(void *to, const void *from, unsigned long n);
char *strcpy(char *to, const char *from);

static void *copy(const void *from, unsigned long n) {
    void *m = malloc(n);
    if (!m)
        return 0;
    return memcpy(m, from, n);
}

int main(void) {
    char *p = copy("abc", 4), *q;
    if (!p)
        return 1;
    q = strcpy(p, "xy");
    free(q);
#ifdef BAD
    free(p); // BAD double_free
    copy("abc", 4); // BAD memory_leak
#endif
    return 0;
}
