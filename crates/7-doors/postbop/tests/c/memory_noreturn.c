// rule: memory
// A function that does not return ends the path on which there is nothing to free.

void *malloc(unsigned long n);
void free(void *p);

void die(const char *why) __attribute__((noreturn));
int check(const char *p);

int main(void) {
    char *p = malloc(10);
    if (!p)
        die("memory");
    if (p[0])
        die("data");
#ifdef BAD
    free(p);
    p[0] = 1; // BAD use_after_free
#else
    p[0] = 1;
    free(p);
#endif
    return 0;
}
