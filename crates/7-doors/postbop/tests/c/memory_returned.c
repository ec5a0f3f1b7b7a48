// rule: memory
// Ownership is handed over by return, through two functions.

void *malloc(unsigned long n);
void free(void *p);

static char *make(void) {
    char *p = malloc(10);
    if (p)
        p[0] = 0;
    return p;
}
static char *make_two(void) {
    return make();
}

int main(void) {
    char *p = make_two();
#ifndef BAD
    free(p);
#endif
    return 0; // BAD memory_leak
}
