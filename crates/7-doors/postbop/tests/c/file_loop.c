// rule: file
// One file in each turn; a return out of the loop leaks one.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(void) {
    for (int i = 0; i < 10; i++) {
        FILE *f = fopen("a", "r");
        if (!f)
            continue;
        if (fputs("x", f) < 0) {
#ifndef BAD
            fclose(f);
#endif
            return 1; // BAD file_leak
        }
        fclose(f);
    }
    return 0;
}
