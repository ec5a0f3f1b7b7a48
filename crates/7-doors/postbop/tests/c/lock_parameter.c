// rule: lock
// Two locks go through the parameter of one function, which stands for what it calls.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t a, b;

static void enter(pthread_mutex_t *m) {
    pthread_mutex_lock(m);
}
static void leave(pthread_mutex_t *m) {
    pthread_mutex_unlock(m);
}

int main(void) {
    enter(&a);
    enter(&b);
#ifdef BAD
    enter(&a); // BAD double_lock
#endif
    leave(&b);
    leave(&a);
    return 0;
}
