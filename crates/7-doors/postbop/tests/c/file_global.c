// rule: file
// A file in a global, opened once, closed by the last of several functions.

typedef struct file FILE;
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *f);
int fputs(const char *s, FILE *f);

static FILE *log_file;

static int start(void) {
    log_file = fopen("log", "w");
    return log_file != 0;
}
static void write_line(const char *s) {
    fputs(s, log_file); // BAD use_after_close
}
static void stop(void) {
    fclose(log_file);
}

int main(void) {
    if (!start())
        return 1;
    write_line("a");
    stop();
#ifdef BAD
    write_line("b");
#endif
    return 0;
}
