// rule: descriptor
// Reading from a descriptor that a copy has closed.

int open(const char *name, int flags);
int close(int fd);
long read(int fd, void *buffer, unsigned long n);

int main(void) {
    char buffer[8];
    int fd = open("a", 0), same;
    if (fd < 0)
        return 1;
    same = fd;
#ifdef BAD
    close(same);
    read(fd, buffer, 8); // BAD descriptor_use_after_close
#else
    read(fd, buffer, 8);
    close(same);
#endif
    return 0;
}
