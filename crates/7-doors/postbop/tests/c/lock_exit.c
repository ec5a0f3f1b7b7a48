// rule: lock
// The program ends by a call of exit, deep in a function, with the lock held.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
void exit(int status);
int work(void);

static void check(int result) {
    if (result) {
#ifndef BAD
        pthread_mutex_unlock(&m);
#endif
        exit(1); // BAD lock_held_at_exit
    }
}

int main(void) {
    pthread_mutex_lock(&m);
    check(work());
    pthread_mutex_unlock(&m);
    return 0;
}
