//@ property: reach CALLED
//@ verdict: reachable
//@ property: reach NOT_GIVEN
//@ verdict: unreachable
//@ origin: run: `qsort` calls what it is given, and nothing else
extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static int by_size(const void *a, const void *b) {
    CALLED: return *(const int *)a - *(const int *)b;
}
static int nobody(const void *a, const void *b) {
    NOT_GIVEN: return 0;
}
int main(void) {
    int numbers[] = {2, 1};
    qsort(numbers, 2, sizeof numbers[0], by_size);
    return 0;
}
