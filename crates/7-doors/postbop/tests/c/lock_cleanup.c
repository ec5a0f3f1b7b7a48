// rule: lock
// A lock is released by `cleanup` at every way out of its scope.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
int work(void);

static void release(pthread_mutex_t **p) {
    pthread_mutex_unlock(*p);
}

int main(void) {
    pthread_mutex_lock(&m);
#ifdef BAD
    pthread_mutex_t *guard = &m;
#else
    pthread_mutex_t *guard __attribute__((cleanup(release))) = &m;
#endif
    if (work())
        return 1; // BAD lock_held_at_exit
#ifdef BAD
    release(&guard);
#endif
    return 0;
}
