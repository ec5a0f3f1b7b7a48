// rule: lock
// A lock that may not have been taken.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

int pthread_mutex_trylock(pthread_mutex_t *m);
static pthread_mutex_t m;
static int count;

int main(void) {
    if (pthread_mutex_trylock(&m) == 0) {
        count++;
        pthread_mutex_unlock(&m);
    }
#ifdef BAD
    else {
        pthread_mutex_unlock(&m); // BAD unlock_without_lock
    }
#endif
    return 0;
}
