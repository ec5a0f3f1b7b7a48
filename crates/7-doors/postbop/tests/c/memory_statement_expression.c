// rule: memory
// The value of a statement expression.

void *malloc(unsigned long n);
void free(void *p);

int main(void) {
    char *p = ({ char *q = malloc(10); q; });
    free(p);
#ifdef BAD
    free(p); // BAD double_free
#endif
    return 0;
}
