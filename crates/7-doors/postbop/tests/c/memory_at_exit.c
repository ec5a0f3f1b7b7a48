// rule: memory
// What runs before `main`, and at the end, meets the values that globals hold.
void *malloc(unsigned long n);
void free(void *p);
int atexit(void (*f)(void));
void exit(int n) __attribute__((noreturn));
int input(void);

static char *x, *y;

__attribute__((constructor)) static void before(void) {
    y = malloc(1);
#ifdef BAD
    free(y);
#endif
}

static void finish(void) {
    free(x); // BAD double_free
    x = 0;
}

int main(void) {
    free(y); // BAD double_free
    y = 0;
    x = malloc(1);
    atexit(finish);
#ifdef BAD
    free(x);
    if (input())
        exit(1);
#endif
    return 0;
}
