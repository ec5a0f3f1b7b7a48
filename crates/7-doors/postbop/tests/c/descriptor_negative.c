// rule: descriptor
// Tests by sign.

int open(const char *name, int flags);
int close(int fd);
long read(int fd, void *buffer, unsigned long n);

int main(void) {
    int a, b;
    if ((a = open("a", 0)) < 0)
        return 1;
    b = open("b", 0);
    if (b < 0) {
#ifndef BAD
        close(a);
#endif
        return 1; // BAD descriptor_leak
    }
    close(b);
    if (a >= 0)
        close(a);
    return 0;
}
