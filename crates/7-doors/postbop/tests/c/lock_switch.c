// rule: lock
// A case falls through into the unlock.

typedef struct { int state; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);

static pthread_mutex_t m;
static int count;

int main(int argc, char **argv) {
    switch (argc) {
    case 1:
        pthread_mutex_lock(&m);
        count++;
        /* fall through */
#ifdef BAD
    case 2:
#endif
        count++;
        pthread_mutex_unlock(&m); // BAD unlock_without_lock
        break;
    default:
        break;
    }
    return 0;
}
