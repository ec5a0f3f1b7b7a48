// rule: format
// What is read is no format.

typedef struct file FILE;
char *fgets(char *s, int n, FILE *f);
int printf(const char *format, ...);

int main(void) {
    char line[80];
    extern FILE *stdin;
    if (!fgets(line, 80, stdin))
        return 1;
#ifdef BAD
    printf(line); // BAD format_from_outside
#else
    printf("%s", line);
#endif
    return 0;
}
