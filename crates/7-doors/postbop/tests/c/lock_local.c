// rule: lock
// A lock is a local of each activation.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

void work(pthread_mutex_t *m);

static void once(int n) {
    pthread_mutex_t m;
    pthread_mutex_lock(&m);
    work(&m);
    if (n)
        once(n - 1);
#ifdef BAD
    pthread_mutex_lock(&m); // BAD double_lock
#endif
    pthread_mutex_unlock(&m);
}

int main(void) {
    once(2);
    return 0;
}
