// rule: lock
// The lock is taken in one function and released in another.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
static int count;

static void enter(void) {
    pthread_mutex_lock(&m); // BAD double_lock
}
static void leave(void) {
    pthread_mutex_unlock(&m);
}

int main(void) {
    enter();
    count++;
#ifdef BAD
    enter();
#endif
    leave();
    enter();
    leave();
    return 0;
}
