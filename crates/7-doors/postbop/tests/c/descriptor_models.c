// rule: descriptor
// Ways to say that there is no descriptor, or that it is one of the first three.

typedef int sock_t;
int open(const char *name, int flags, ...);
int close(int fd);
int socket(int domain, int type, int protocol);
int dup2(int old, int new);

int none(void) {
    sock_t s = socket(2, 1, 0);
    if (s == (sock_t)-1)
        return 1;
#ifndef BAD
    close(s);
#endif
    return 0; // BAD descriptor_leak
}

int daemonize(void) {
    int fd = open("/dev/null", 2);
    if (fd < 0)
        return 1;
    dup2(fd, 0);
    dup2(fd, 1);
#ifndef BAD
    if (fd > 2)
        close(fd);
#endif
    return 0; // BAD descriptor_leak
}
