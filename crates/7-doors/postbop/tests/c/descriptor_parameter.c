// rule: descriptor
// A function closes the descriptor that it is given.

int open(const char *name, int flags);
int close(int fd);
long read(int fd, void *buffer, unsigned long n);

static long first(int fd) {
    char buffer[8];
    long n = read(fd, buffer, 8);
    close(fd);
    return n;
}

int main(void) {
    int fd = open("a", 0);
    if (fd < 0)
        return 1;
    long n = first(fd);
#ifdef BAD
    close(fd); // BAD descriptor_double_close
#endif
    return n > 0;
}
