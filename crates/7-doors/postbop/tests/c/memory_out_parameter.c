// rule: memory
// Memory is handed over through a pointer to a pointer.

void *malloc(unsigned long n);
void free(void *p);

static int make(char **out) {
    *out = malloc(10);
    return *out ? 0 : 1;
}

int main(void) {
    char *p;
    if (make(&p))
        return 1;
    free(p);
#ifdef BAD
    free(p); // BAD double_free
#endif
    return 0;
}
