// rule: lock
// The functions that lock are copied, member by member, into what the program is configured with; the
// lock is the first member of what they are given.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

struct mutex { pthread_mutex_t mutex; int id; };
struct methods { void (*enter)(struct mutex *); void (*leave)(struct mutex *); };
static struct { int threads; struct methods mutex; } config;

static void really_enter(struct mutex *p) {
    pthread_mutex_lock(&p->mutex); // BAD double_lock
}
static void really_leave(struct mutex *p) {
    pthread_mutex_unlock(&p->mutex);
}

static const struct methods *plain(void) {
    static const struct methods methods = { really_enter, really_leave };
    return &methods;
}

static void configure(void) {
    const struct methods *from = plain();
    struct methods *to = &config.mutex;
    to->enter = from->enter;
    to->leave = from->leave;
}

static void enter(struct mutex *p) {
    if (p) config.mutex.enter(p);
}
static void leave(struct mutex *p) {
    if (p) config.mutex.leave(p);
}

static struct mutex m;

int main(void) {
    configure();
    enter(&m);
#ifdef BAD
    enter(&m);
#endif
    leave(&m);
    return 0;
}
