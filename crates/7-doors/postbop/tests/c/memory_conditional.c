// rule: memory
// Freeing null does nothing; a value of `?:` is one or the other.

void *malloc(unsigned long n);
void free(void *p);

int main(int argc, char **argv) {
    char *p = argc > 1 ? malloc(10) : 0;
    if (argc > 2 && p) {
        free(p);
#ifndef BAD
        p = 0;
#endif
    }
    free(p); // BAD double_free
    return 0;
}
