// rule: file
// A file is opened and closed in each turn, and used after the last.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(int argc, char **argv) {
    FILE *f = 0;
    do {
        f = fopen(argv[argc], "r");
        if (!f)
            return 1;
        fputs("x", f);
        fclose(f);
    } while (--argc > 1);
#ifdef BAD
    fputs("y", f); // BAD use_after_close
#endif
    return 0;
}
