// rule: file
// The file is kept in a field.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

struct log { FILE *out; int lines; };
static struct log log;

static int log_open(struct log *l) {
    l->out = fopen("log", "w");
    return l->out ? 0 : 1;
}
static void log_close(struct log *l) {
    fclose(l->out); // BAD double_close
}

int main(void) {
    if (log_open(&log))
        return 1;
    fputs("x", log.out);
    log_close(&log);
#ifdef BAD
    log_close(&log);
#endif
    return 0;
}
