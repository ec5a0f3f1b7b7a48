// rule: lock
// A lock that failed is not held; nobody gives locks back who gives up.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);
void abort(void) __attribute__((noreturn));
void __assert_fail(const char *what, const char *file, unsigned line, const char *function) __attribute__((noreturn));
int work(void);

static pthread_mutex_t m;

int main(void) {
    int n;
    if (pthread_mutex_lock(&m) != 0)
        return 1;
    n = work();
    if (n < 0)
        abort();
    ((n > 0) ? (void)0 : __assert_fail("n > 0", "f.c", 1, "main"));
#ifdef BAD
    if (n > 5)
        return 2; // BAD lock_held_at_exit
#endif
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
