// rule: memory
// `init(&s)` fills a member of a local.

void *malloc(unsigned long n);
void free(void *p);

struct s { char *buf; int n; };

static int init(struct s *s) {
    s->buf = malloc(10);
    if (!s->buf)
        return -1;
    s->n = 1;
    return 0;
}

static void done(struct s *s) {
    free(s->buf);
    s->buf = 0;
}

int local(void) {
    struct s s;
    if (init(&s) < 0)
        return 1;
#ifndef BAD
    done(&s);
#endif
    return 0; // BAD memory_leak
}

/* A member of what is the caller's: nobody has had the time to take what `init` left there. */
int again(struct s *s) {
    if (init(s) < 0)
        return 1;
#ifndef BAD
    done(s);
#endif
    s->buf = malloc(2); // BAD memory_leak
    return 0;
}

int own(void) {
    struct s s;
    if (init(&s) < 0)
        return 1;
#ifndef BAD
    done(&s);
#endif
    s.buf = malloc(2); // BAD memory_leak
    free(s.buf);
    return 0;
}

/* What is stored for the caller is the caller's. */
int stored(struct s *s) {
    return init(s);
}
