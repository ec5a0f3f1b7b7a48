// rule: lock
// The lock is a field of a struct that is passed by pointer.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

struct queue { int length; pthread_mutex_t lock; };
static struct queue jobs;

static int push(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->length == 10) {
#ifndef BAD
        pthread_mutex_unlock(&q->lock);
#endif
        return 1;
    }
    q->length++;
    pthread_mutex_unlock(&q->lock);
    return 0;
}

int main(void) {
    push(&jobs);
    return 0; // BAD lock_held_at_exit
}
