// rule: descriptor
// A descriptor in a structure of an array, at an index that is a parameter.

int close(int fd);
struct pollfd {
    int fd;
    short events;
};

void stop(struct pollfd *all, int i) {
    close(all[i].fd);
#ifdef BAD
    close(all[i].fd); // BAD descriptor_double_close
#endif
    all[i].fd = -1;
}
