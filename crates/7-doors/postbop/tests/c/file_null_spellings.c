// rule: file
// Other ways to test for null.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(int argc, char **argv) {
    FILE *f, *g, *h;
    if ((f = fopen("a", "r")) == (void *) 0)
        return 1;
    fclose(f);
    g = fopen("b", "r");
    if (g != 0) {
        fputs("x", g);
#ifndef BAD
        fclose(g);
#endif
    }
    h = fopen("c", "r");
    if (h)
        fclose(h);
    return 0; // BAD file_leak
}
