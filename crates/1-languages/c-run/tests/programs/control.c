// Control flow: switch with ranges and fall-through, goto, computed goto, loops, statement expressions.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int classify(int c) {
    switch (c) {
    case '0' ... '9': return 1;
    case 'a': case 'e': case 'i': case 'o': case 'u': return 2;
    case -5: c++;
    default: if (c > 100) break; return 3;
    }
    return 4;
}

static int duff(int n) {
    int sum = 0, i = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { sum += 1;
    case 3:      sum += 10;
    case 2:      sum += 100;
    case 1:      sum += 1000;
            } while (--i > 0);
    }
    return sum;
}

static int threaded(const char *code) {
    static void *table[] = { &&inc, &&dbl, &&neg, &&stop };
    int x = 1;
    goto *table[*code++ - '0'];
inc: x++; goto *table[*code++ - '0'];
dbl: x *= 2; goto *table[*code++ - '0'];
neg: x = -x; goto *table[*code++ - '0'];
stop: return x;
}

static jmp_buf buffer;
static int depth(int n) {
    int local[3] = { n, n + 1, n + 2 };
    if (n == 0) longjmp(buffer, 42);
    return depth(n - 1) + local[1];
}

static long ack(long m, long n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }

static int counter(void) { static int n = 10; return n++; }

static void bye(void) { printf("bye\n"); }
static void later(void) { printf("later\n"); }

int main(int argc, char **argv) {
    for (int c = -6; c < 130; c += 7) printf("%d", classify(c));
    printf("\n%d %d %d %d\n", duff(4), duff(5), duff(6), duff(7));
    printf("%d\n", threaded("00112013"));
    volatile int tries = 0;
    int r = setjmp(buffer);
    if (r == 0) { tries++; depth(20); } else printf("jumped %d after %d\n", r, tries);
    printf("%ld\n", ack(2, 9));
    int i = 0;
again:
    if (i++ < 3) { printf("again %d\n", i); goto again; }
    int big = ({ int t = 0; for (int k = 0; k < 10; k++) { if (k == 7) break; if (k % 2) continue; t += k; } t; });
    printf("%d %d\n", big, counter() + counter() * 100);
    do { if (i > 5) break; i++; } while (1);
    for (;;) { if (--i < 0) break; }
    printf("%d %d %s\n", i, argc, argc > 1 ? argv[1] : "none");
    int x = 0, y = 5;
    int z = (x && y++) || (y-- > 4 && !x);
    printf("%d %d %d %d\n", x, y, z, x ? 1 : y ? 2 : 3);
    printf("%d\n", y ?: 9);
    atexit(bye);
    atexit(later);
    exit(i & 0x7f);
}
