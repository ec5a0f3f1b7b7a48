// rule: memory
// What a thread keeps is not lost, although its type says that it is only looked at.

void *malloc(unsigned long n);
void free(void *p);
int pthread_setspecific(unsigned key, const void *value);
unsigned key;

char *state(void) {
    char *p = malloc(8);
    if (!p)
        return 0;
#ifdef BAD
    if (key)
#endif
        pthread_setspecific(key, p);
    return p;
}

int main(void) {
    char *p = state();
    if (!p)
        return 1;
    return p[0]; // BAD memory_leak
}
