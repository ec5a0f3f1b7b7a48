// rule: lock
// Two locks go through the parameter of one function.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t a, b;

static void enter(pthread_mutex_t *m) {
    pthread_mutex_lock(m); // BAD double_lock
}
static void leave(pthread_mutex_t *m) {
    pthread_mutex_unlock(m);
}

int main(void) {
    enter(&a);
    enter(&b);
#ifdef BAD
    enter(&a);
#endif
    leave(&b);
    leave(&a);
    return 0;
}
