// rule: file
// A file that a function opens for its caller; one that stands in what is freed; one that is opened again.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
FILE *freopen(const char *name, const char *mode, FILE *f);
int fclose(FILE *f);
void *malloc(unsigned long n);
void free(void *p);
extern FILE *stdout;

static int begin(FILE **f) {
    *f = fopen("x", "r");
    return *f ? 0 : -1;
}

int whole(void) {
    FILE *f;
    if (begin(&f))
        return 1;
#ifndef BAD
    fclose(f);
#endif
    return 0; // BAD file_leak
}

struct log { FILE *to; int n; };

int closed(void) {
    struct log *l = malloc(sizeof *l);
    if (!l)
        return 1;
    l->to = fopen("log", "w");
    if (l->to) {
#ifndef BAD
        fclose(l->to);
#endif
    }
    free(l); // BAD file_leak
    return 0;
}

int redirected(void) {
    if (!freopen("out", "w", stdout))
        return 1;
    freopen("more", "w", stdout);
    return 0;
}
