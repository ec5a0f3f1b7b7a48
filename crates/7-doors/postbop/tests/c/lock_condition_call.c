// rule: lock
// A call may change the condition, if its variable is global.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
int threads;
void work(void);

int main(int argc, char **argv) {
#ifndef BAD
    int threads = argc;
#endif
    if (threads)
        pthread_mutex_lock(&m);
    work();
    if (threads)
        pthread_mutex_unlock(&m); // BAD unlock_without_lock
    return 0; // BAD lock_held_at_exit
}
