// rule: descriptor
// A closed descriptor is set to -1.

int open(const char *name, int flags);
int close(int fd);
long read(int fd, void *buffer, unsigned long n);

int main(int argc, char **argv) {
    int fd = open("a", 0);
    if (fd < 0)
        return 1;
    if (argc > 1) {
        close(fd);
#ifndef BAD
        fd = -1;
#endif
    }
    if (fd != -1)
        close(fd); // BAD descriptor_double_close
    return 0;
}
