// rule: memory
// The second allocation happens only if the first did.

void *malloc(unsigned long n);
void free(void *p);

int main(void) {
    char *a, *b = 0;
    if ((a = malloc(10)) && (b = malloc(10))) {
        a[0] = b[0] = 1;
        free(b);
        free(a);
        return 0;
    }
#ifndef BAD
    free(a);
#endif
    return 1; // BAD memory_leak
}
