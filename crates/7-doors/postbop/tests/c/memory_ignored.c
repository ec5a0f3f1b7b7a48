// rule: memory
// Results that nobody takes.

void *malloc(unsigned long n);
void free(void *p);
char *strdup(const char *s);

int main(void) {
#ifdef BAD
    malloc(3); // BAD memory_leak
    (void)strdup("z"); // BAD memory_leak
#endif
    free(malloc(3));
    free(strdup("z"));
    return 0;
}
