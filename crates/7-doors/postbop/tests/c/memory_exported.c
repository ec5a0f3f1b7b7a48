// rule: memory
// What others can call, and `main` does not, is looked at, too.

void *malloc(unsigned long n);
void free(void *p);


int plugin(void) {
    char *p = malloc(3);
    if (!p)
        return 1;
#ifndef BAD
    free(p);
#endif
    return 0; // BAD memory_leak
}

int main(void) {
    return 0;
}
