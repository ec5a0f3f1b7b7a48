// rule: descriptor
// A descriptor of -1 is none; an error path leaks.

int open(const char *name, int flags);
int close(int fd);
long read(int fd, void *buffer, unsigned long n);

int main(void) {
    char buffer[8];
    int fd = open("a", 0);
    if (fd == -1)
        return 1;
    if (read(fd, buffer, 8) < 0) {
#ifndef BAD
        close(fd);
#endif
        return 1; // BAD descriptor_leak
    }
    close(fd);
    return 0;
}
