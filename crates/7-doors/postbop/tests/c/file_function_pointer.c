// rule: file
// The file is closed through a pointer in a struct.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

struct ops { int (*done)(FILE *); };
static const struct ops ops = { .done = fclose };

int main(void) {
    FILE *f = fopen("a", "w");
    if (!f)
        return 1;
    ops.done(f);
#ifdef BAD
    fclose(f); // BAD double_close
#endif
    return 0;
}
