// rule: memory
// A struct is copied with its pointer.

void *malloc(unsigned long n);
void free(void *p);

struct box { char *data; int size; };

int main(void) {
    struct box a, b;
    a.data = malloc(10);
    a.size = 10;
    b = a;
    free(b.data);
#ifdef BAD
    free(a.data); // BAD double_free
#endif
    return 0;
}
