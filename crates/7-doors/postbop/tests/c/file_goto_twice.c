// rule: file
// The error path closes and then jumps to where it is closed again.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(void) {
    int result = 1;
    FILE *f = fopen("a", "w");
    if (!f)
        return 1;
    if (fputs("x", f) < 0) {
#ifdef BAD
        fclose(f);
#endif
        goto out;
    }
    result = 0;
out:
    fclose(f); // BAD double_close
    return result;
}
