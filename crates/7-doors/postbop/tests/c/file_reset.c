// rule: file
// A closed file's pointer is set to null, and tested.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

int main(int argc, char **argv) {
    FILE *f = fopen("a", "w");
    if (!f)
        return 1;
    if (argc > 1) {
        fclose(f);
#ifndef BAD
        f = 0;
#endif
    }
    if (f)
        fclose(f); // BAD double_close
    return 0;
}
