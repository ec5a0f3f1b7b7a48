// rule: file
// The result of fopen is tested: the null branch has no open file. An error path leaks.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(void) {
    FILE *f = fopen("a", "w");
    if (!f)
        return 1;
    if (fputs("x", f) < 0) {
#ifndef BAD
        fclose(f);
#endif
        return 1; // BAD file_leak
    }
    fclose(f);
    return 0;
}
