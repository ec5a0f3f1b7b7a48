// rule: file
// Ownership is handed over by return.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

static FILE *start(const char *name) {
    FILE *f = fopen(name, "w");
    if (f)
        fputs("start", f);
    return f;
}

int main(void) {
    FILE *log = start("log");
    if (!log)
        return 1;
    fputs("more", log);
#ifndef BAD
    fclose(log);
#endif
    return 0; // BAD file_leak
}
