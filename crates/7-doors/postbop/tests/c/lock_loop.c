// rule: lock
// `continue` skips the unlock, and the next turn locks again.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
int skip(int i);
void work(int i);

int main(void) {
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m); // BAD double_lock
        if (skip(i)) {
#ifndef BAD
            pthread_mutex_unlock(&m);
#endif
            continue;
        }
        work(i);
        pthread_mutex_unlock(&m);
    }
    return 0; // BAD lock_held_at_exit
}
