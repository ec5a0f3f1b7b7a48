// rule: memory
// file: plain.c
// An allocator is a table of functions: what one of them gives is not freed by another's.

void *malloc(unsigned long n);
void free(void *p);
int use(const char *p);

struct allocator {
    void *(*get)(unsigned long n);
    void (*put)(void *p);
};
extern struct allocator allocator;

static void *plain_get(unsigned long n) { return malloc(n); }
static void plain_put(void *p) { free(p); }

void plain(void) {
    allocator.get = plain_get;
    allocator.put = plain_put;
}

int main(int argc, char **argv) {
    char *p;
    if (argc > 1)
        plain();
    p = allocator.get(8);
    if (!p)
        return 1;
    if (use(p) < 0) {
#ifndef BAD
        allocator.put(p);
#endif
        return 1; // BAD memory_leak
    }
    allocator.put(p);
    return 0;
}

// file: failing.c
struct allocator {
    void *(*get)(unsigned long n);
    void (*put)(void *p);
};

static void *failing_get(unsigned long n) { return 0; }
static void failing_put(void *p) { }

struct allocator allocator = { failing_get, failing_put };
