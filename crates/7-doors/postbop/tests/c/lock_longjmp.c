// rule: lock
// A jump out of two functions leaves the lock held.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

typedef long jmp_buf[8];
int setjmp(jmp_buf b);
void longjmp(jmp_buf b, int value);
static pthread_mutex_t m;
static jmp_buf b;
int work(void);

static void deep(void) {
    if (work()) {
#ifndef BAD
        pthread_mutex_unlock(&m);
#endif
        longjmp(b, 1);
    }
}

int main(void) {
    if (setjmp(b))
        return 1; // BAD lock_held_at_exit
    pthread_mutex_lock(&m);
    deep();
    pthread_mutex_unlock(&m);
    return 0;
}
