/* Functions inside of functions. */
#include <stdio.h>
#include <stdlib.h>

static int apply(int (*f)(int), int x) { return f(x); }
static long wide(long (*f)(char, __int128, double), char c) { return f(c, (__int128)1 << 70, 2.5); }
struct pair { int a, b; };
static struct pair pairs(struct pair (*f)(int, ...), int n) { return f(n, 10, 20); }

static int add(int base, int n) {
    int calls = 0;
    int one(int x) { calls++; return base + x; }
    int sum = 0;
    for (int i = 0; i < n; i++) sum += one(i);
    sum += apply(one, 100);
    return sum * 10 + calls;
}

/* Knuth's test: man or boy? */
static int a(int k, int x1(void), int x2(void), int x3(void), int x4(void), int x5(void)) {
    int b(void) { return a(--k, b, x1, x2, x3, x4); }
    return k <= 0 ? x4() + x5() : b();
}
static int one(void) { return 1; }
static int minus(void) { return -1; }
static int zero(void) { return 0; }

static int deep(int x) {
    int y = 2;
    int f(int z) {
        int w = z + x;
        int g(int v) { y += v; return v ? w * g(v - 1) + y : x; }
        return g(2) + w;
    }
    return f(3) * 100 + y;
}

static int array(int n) {
    int a[n], m[n][n + 1];
    for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) m[i][j] = a[i] = i + j;
    int get(int i, int j) { return m[i][j] * 1000 + a[i] + (int)sizeof m / 4; }
    return get(n - 1, n);
}

static int leave(int n) {
    __label__ out;
    int found = -1;
    void look(int i) { if (i == n) { found = i; goto out; } if (i < 100) look(i + 1); }
    look(0);
    printf("not found\n");
out:
    return found;
}

static int forth(int n) {
    auto int even(int);
    int odd(int i) { return i == 0 ? 0 : even(i - 1); }
    int even(int i) { return i == 0 ? 1 : odd(i - 1); }
    return even(n);
}

static int sorted(int *values, int n, int sign) {
    int compare(const void *p, const void *q) { return sign * (*(const int *)p - *(const int *)q); }
    qsort(values, n, sizeof *values, compare);
    return values[0];
}

int main(void) {
    printf("%d\n", add(7, 4));
    printf("%d\n", a(8, one, minus, minus, one, zero));
    printf("%d\n", deep(5));
    printf("%d\n", array(4));
    printf("%d %d\n", leave(17), leave(1000));
    printf("%d %d\n", forth(10), forth(7));
    int values[] = { 3, 9, -2, 5 };
    printf("%d ", sorted(values, 4, 1));
    printf("%d\n", sorted(values, 4, -1));
    int total = 0;
    long many(char c, __int128 w, double d) { total += c; return (long)(w >> 60) + (long)(d * 2) + total; }
    printf("%ld ", wide(many, 300 % 256));
    printf("%ld\n", wide(many, 5));
    struct pair made(int n, ...) {
        __builtin_va_list l; __builtin_va_start(l, n);
        struct pair p = { n + total, 0 };
        p.b = __builtin_va_arg(l, int) + __builtin_va_arg(l, int);
        __builtin_va_end(l);
        return p;
    }
    struct pair p = pairs(made, 4);
    printf("%d %d %d\n", p.a, p.b, made == made);
    int old(x, c) int x; char c; { return x + c + total; }
    printf("%d\n", old(1, 2));
    return 0;
}
