// rule: file
// Opened and closed under the same condition on a parameter.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

static int dump(int verbose, const char *name) {
    FILE *f = 0;
    if (verbose) {
        f = fopen(name, "w");
        if (!f)
            return 1;
    }
#ifdef BAD
    verbose = verbose > 2;
#endif
    if (verbose)
        fclose(f);
    return 0; // BAD file_leak
}

int main(int argc, char **argv) {
    return dump(argc, "a");
}
