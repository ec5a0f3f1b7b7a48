// rule: lock
// The second lock is taken by a function that is called through a pointer.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
static int count;

static void plain(int n) {
    count += n;
}
static void locked(int n) {
    pthread_mutex_lock(&m); // BAD double_lock
    count += n;
    pthread_mutex_unlock(&m);
}

static void each(void (*step)(int), int n) {
#ifdef BAD
    pthread_mutex_lock(&m);
    step(n);
    pthread_mutex_unlock(&m); // MAY unlock_without_lock
#else
    step(n);
#endif
}

int main(int argc, char **argv) {
    each(argc > 1 ? locked : plain, 2);
    return 0;
}
