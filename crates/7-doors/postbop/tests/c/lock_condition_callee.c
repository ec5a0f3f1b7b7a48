// rule: lock
// A function of the program changes the condition, or another variable.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
static int threads, done;

static void finish(void) {
#ifdef BAD
    threads = 0;
#else
    done = 1;
#endif
}

int main(int argc, char **argv) {
    threads = argc > 1;
    if (threads)
        pthread_mutex_lock(&m);
    finish();
    if (threads)
        pthread_mutex_unlock(&m); // MAY unlock_without_lock
    return 0; // BAD lock_held_at_exit
}
