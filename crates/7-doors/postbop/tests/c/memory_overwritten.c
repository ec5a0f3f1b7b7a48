// rule: memory
// The only pointer to some memory gets another value.

void *malloc(unsigned long n);
void free(void *p);

int main(int argc, char **argv) {
    char *p = malloc(10);
    if (!p)
        return 1;
    if (argc > 1) {
#ifndef BAD
        free(p);
#endif
        p = malloc(20); // BAD memory_leak
    }
    free(p);
    return 0;
}
