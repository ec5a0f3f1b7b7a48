// rule: file
// A copy of the pointer closes the file.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(void) {
    FILE *f = fopen("a", "w"), *g;
    if (!f)
        return 1;
    g = f;
    fputs("x", f);
    fclose(g);
#ifdef BAD
    fputs("y", f); // BAD use_after_close
#endif
    return 0;
}
