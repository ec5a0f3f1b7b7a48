// rule: memory
// The error path frees and then jumps to where it is freed again.

void *malloc(unsigned long n);
void free(void *p);

int fill(char *p);

int main(void) {
    int result = 1;
    char *p = malloc(10);
    if (!p)
        return 1;
    if (fill(p)) {
#ifdef BAD
        free(p);
#endif
        goto out;
    }
    result = 0;
out:
    free(p); // BAD double_free
    return result;
}
