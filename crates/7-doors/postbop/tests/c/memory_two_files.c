// rule: memory
// Two files have static buffers and static functions of the same names.

void *malloc(unsigned long n);
void free(void *p);

// file: a.c
static char *buffer;
static void release(void) {
    free(buffer); // BAD double_free
}
void a_start(void) {
    buffer = malloc(10);
}
void a_stop(void) {
    release();
}

// file: b.c
void *malloc(unsigned long n);
void free(void *p);
void a_start(void);
void a_stop(void);
static char *buffer;
static void release(void) {
    free(buffer);
}
int main(void) {
    a_start();
    buffer = malloc(10);
    a_stop();
#ifdef BAD
    a_stop();
#endif
    release();
    return 0;
}
