// rule: lock
// Two files have static locks and static functions of the same names.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

// file: a.c
static pthread_mutex_t m;
static void enter(void) {
    pthread_mutex_lock(&m); // BAD double_lock
}
void a_enter(void) {
    enter();
}
void a_leave(void) {
    pthread_mutex_unlock(&m); // MAY unlock_without_lock
}

// file: b.c
typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);
void a_enter(void);
void a_leave(void);
static pthread_mutex_t m;
static void enter(void) {
    pthread_mutex_lock(&m);
}
int main(void) {
    a_enter();
#ifdef BAD
    a_enter();
    a_leave();
#else
    enter();
    pthread_mutex_unlock(&m);
#endif
    a_leave();
    return 0;
}
