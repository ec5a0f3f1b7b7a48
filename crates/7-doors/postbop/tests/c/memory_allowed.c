// rule: memory
// A remark allows a finding on its line.

void *malloc(unsigned long n);
void free(void *p);

int main(void) {
    char *p = malloc(10);
#ifdef BAD
    return p != 0; // BAD memory_leak
#else
    return p != 0; // bop: allow memory_leak the process ends here
#endif
}
