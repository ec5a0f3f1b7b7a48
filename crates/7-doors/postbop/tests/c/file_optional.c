// rule: file
// A file that is opened on one path only, and closed where it is there.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(int argc, char **argv) {
    FILE *f = 0;
    int quiet = argc > 2;
    if (argc > 1)
        f = fopen(argv[1], "w");
    if (f)
        fputs("x", f);
#ifdef BAD
    if (f && !quiet)
#else
    if (f)
#endif
        fclose(f);
    return 0; // BAD file_leak
}
