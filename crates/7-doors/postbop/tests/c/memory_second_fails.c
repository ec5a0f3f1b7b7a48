// rule: memory
// The second allocation fails; the first is lost, or freed by the cleanup.

void *malloc(unsigned long n);
void free(void *p);

int main(void) {
    int result = 1;
    char *a = 0, *b = 0;
    a = malloc(10);
    if (!a)
        goto out;
    b = malloc(10);
    if (!b)
#ifdef BAD
        return 1; // BAD memory_leak
#else
        goto out;
#endif
    a[0] = b[0] = 0;
    result = 0;
out:
    free(b);
    free(a);
    return result;
}
