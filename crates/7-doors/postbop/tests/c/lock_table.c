// rule: lock
// Lock and unlock are called through a table of functions.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

struct ops { void (*enter)(void); void (*leave)(int); };
static pthread_mutex_t m;

static void enter(void) {
    pthread_mutex_lock(&m); // BAD double_lock
}
static void leave(int n) {
    pthread_mutex_unlock(&m);
}
static const struct ops ops = { .enter = enter, .leave = leave };

int main(void) {
    const struct ops *o = &ops;
    o->enter();
#ifdef BAD
    o->enter();
#endif
    o->leave(1);
    return 0;
}
