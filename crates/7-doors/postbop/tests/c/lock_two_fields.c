// rule: lock
// Fields of the same name in two objects are two locks.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

struct account { pthread_mutex_t lock; int money; };
static struct account here, there;

static void move(struct account *from, struct account *to, int n) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); // BAD double_lock
    from->money -= n;
    to->money += n;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock); // MAY unlock_without_lock
}

int main(void) {
#ifdef BAD
    move(&here, &here, 1);
#else
    move(&here, &there, 1);
#endif
    return 0;
}
