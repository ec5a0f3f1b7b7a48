// rule: memory
// An array is not null: the function allocates nothing.

void *malloc(unsigned long n);
void free(void *p);
char *strcpy(char *to, const char *from);

static char *copy(char *to, const char *from) {
    if (to == 0)
        to = malloc(100);
    if (to)
        strcpy(to, from);
    return to;
}

int main(int argc, char **argv) {
    char buffer[100];
    if (copy(buffer, argv[0]) == 0)
        return 1;
#ifdef BAD
    if (copy(0, argv[0]) == 0) // BAD memory_leak
        return 1;
#endif
    return 0;
}
