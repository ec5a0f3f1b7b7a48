// rule: file
// A file is used in a function that does not know that it is closed.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

static void write(FILE *f, const char *text) {
    fputs(text, f); // BAD use_after_close
}

int main(void) {
    FILE *f = fopen("a", "w");
    if (!f)
        return 1;
    write(f, "x");
#ifdef BAD
    fclose(f);
    write(f, "y");
#else
    write(f, "y");
    fclose(f);
#endif
    return 0;
}
