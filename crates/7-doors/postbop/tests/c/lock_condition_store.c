// rule: lock
// A store through a pointer may change the condition, if its variable has its address taken.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
void report(int n);

static void add(int on, int *p) {
    int copy = on;
#ifdef BAD
    p = &copy;
#endif
    if (copy)
        pthread_mutex_lock(&m);
    *p = 0;
    report(1);
    if (copy)
        pthread_mutex_unlock(&m); // MAY unlock_without_lock
}

int main(int argc, char **argv) {
    int n;
    add(argc > 1, &n);
    return 0; // BAD lock_held_at_exit
}
