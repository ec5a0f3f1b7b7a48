// rule: lock
// A function that calls itself with the lock held, or without.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
static int visited;

static void walk(int n) {
    pthread_mutex_lock(&m); // BAD double_lock
    visited++;
#ifdef BAD
    if (n > 0)
        walk(n - 1);
    pthread_mutex_unlock(&m); // MAY unlock_without_lock
#else
    pthread_mutex_unlock(&m);
    if (n > 0)
        walk(n - 1);
#endif
}

int main(void) {
    walk(3);
    return 0;
}
