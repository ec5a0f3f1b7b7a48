// rule: memory
// A global that gets another value before what it holds is freed.

void *malloc(unsigned long n);
void free(void *p);
int more(void);

static char *g;
static struct { char *line; } state;

int main(void) {
    g = malloc(10);
#ifndef BAD
    free(g);
#endif
    g = malloc(20); // BAD memory_leak
    state.line = malloc(2);
    while (more()) {
#ifndef BAD
        free(state.line);
#endif
        state.line = malloc(3); // BAD memory_leak
    }
    return 0;
}
