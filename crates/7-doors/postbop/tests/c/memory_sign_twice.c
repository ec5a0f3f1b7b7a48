// rule: memory
// What is negative is not zero.

void *malloc(unsigned long n);
void free(void *p);
int fill(const char *p);
void keep(char *p);

int start(void) {
    int error;
    char *p = malloc(8);
    if (!p)
        return -1;
    if ((error = fill(p)) < 0)
        goto done;
    keep(p);
done:
#ifdef BAD
    if (error > 0)
#else
    if (error)
#endif
        free(p);
    return error; // BAD memory_leak
}
