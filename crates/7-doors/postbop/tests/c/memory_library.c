// rule: memory
// Functions of the library that allocate, and some that only look.

typedef struct file FILE;
struct addrinfo;
void *malloc(unsigned long n);
void free(void *p);
int asprintf(char **p, const char *format, ...);
long getline(char **p, unsigned long *n, FILE *f);
char *realpath(const char *path, char *to);
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res);
void freeaddrinfo(struct addrinfo *res);
unsigned long malloc_usable_size(void *p);
int puts(const char *s);

int print(int n) {
    char *p;
    if (asprintf(&p, "%d", n) < 0)
        return 1;
    puts(p);
#ifndef BAD
    free(p);
#endif
    return 0; // BAD memory_leak
}

int lines(FILE *f) {
    char *line = 0;
    unsigned long n = 0;
    while (getline(&line, &n, f) > 0)
        puts(line);
#ifndef BAD
    free(line);
#endif
    return 0; // BAD memory_leak
}

int paths(const char *name) {
    char buffer[4096];
    char *here = realpath(name, buffer);
    if (here)
        puts(here);
    char *there = realpath(name, 0);
    if (there)
        puts(there);
#ifndef BAD
    free(there);
#endif
    return 0; // BAD memory_leak
}

int resolve(const char *name) {
    struct addrinfo *res;
    if (getaddrinfo(name, "80", 0, &res) != 0)
        return 1;
#ifndef BAD
    freeaddrinfo(res);
#endif
    return 0; // BAD memory_leak
}

int looked_at(void) {
    char *p = malloc(10);
    if (!p)
        return 1;
    unsigned long n = malloc_usable_size(p);
#ifndef BAD
    free(p);
#endif
    return n > 0; // BAD memory_leak
}
