// rule: lock
// The other lock is released; a pointer copied from the right one is right.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t a, b;

int main(void) {
    pthread_mutex_t *p = &a;
#ifdef BAD
    pthread_mutex_t *q = &b;
#else
    pthread_mutex_t *q = p;
#endif
    pthread_mutex_lock(p);
    pthread_mutex_unlock(q); // BAD unlock_without_lock
    return 0; // BAD lock_held_at_exit
}
