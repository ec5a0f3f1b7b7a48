// rule: lock
// Errors leave through labels; one label skips the unlock.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
int prepare(void);
int work(void);

int main(void) {
    int result = 1;
    if (prepare())
        goto end;
    pthread_mutex_lock(&m);
    if (work())
#ifdef BAD
        goto end;
#else
        goto unlock;
#endif
    result = 0;
unlock:
    pthread_mutex_unlock(&m);
end:
    return result; // BAD lock_held_at_exit
}
