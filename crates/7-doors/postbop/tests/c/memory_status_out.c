// rule: memory
// A status says whether what the argument points to is still there.

void *malloc(unsigned long n);
void free(void *p);
int fill(char *p);

static int make(char **out) {
    char *p = malloc(8);
    if (!p)
        return -1;
    *out = p;
    if (fill(p) < 0) {
        free(p);
        return -2;
    }
    return 0;
}

static int again(char **out) {
    int error = make(out);
    return error;
}

int main(void) {
    char *p = 0;
    int error = again(&p);
#ifdef BAD
    if (error == -1)
#else
    if (error < 0)
#endif
        return 1;
    free(p); // BAD double_free
    return 0;
}
