// rule: lock
// The same condition guards lock and unlock; nothing, or an assignment, is in between.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
static int count;

static void add(int threads, int other) {
    if (threads > 1)
        pthread_mutex_lock(&m);
    count++;
#ifdef BAD
    threads = other;
#endif
    if (threads > 1)
        pthread_mutex_unlock(&m); // BAD unlock_without_lock
}

int main(int argc, char **argv) {
    add(argc, 2 - argc);
    return 0; // BAD lock_held_at_exit
}
