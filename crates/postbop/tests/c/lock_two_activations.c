// rule: lock
// Two activations of one function hold two locks.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t a, b;

static void with(pthread_mutex_t *m, int inner) {
    pthread_mutex_lock(m); // BAD double_lock
    if (inner) {
#ifdef BAD
        with(m, 0);
#else
        with(&b, 0);
#endif
    }
    pthread_mutex_unlock(m); // MAY unlock_without_lock
}

int main(void) {
    with(&a, 1);
    return 0;
}
