// rule: memory
// Two pointers are exchanged; without the last assignment, one is freed twice and one is lost.

void *malloc(unsigned long n);
void free(void *p);

int main(void) {
    char *a = malloc(10), *b = malloc(10), *t;
    t = a;
    a = b;
#ifndef BAD
    b = t;
#endif
    free(a);
    free(b); // BAD double_free
    return 0; // BAD memory_leak
}
