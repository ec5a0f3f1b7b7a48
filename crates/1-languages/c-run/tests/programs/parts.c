/* Complex numbers and vectors. */
#include <complex.h>
#include <stdio.h>
#include <stdarg.h>

static void show(const char *what, double _Complex z) { printf("%s %.17g %.17g\n", what, creal(z), cimag(z)); }
static double _Complex table[] = { 1.0 + 2.0i, -3.5i, 4, { 5 }, (1 + 2.0i) * (3 - 1.0i), ~(1.0 + 1.0i) };
static float _Complex narrow = 0.1f + 0.2fi;
struct both { int a; float _Complex z; char b; };
static struct both boths[2] = { { 1, 2 + 3i, 4 }, { .z = 1i } };
static float _Complex half(float _Complex z) { return z / 2; }
static double _Complex many(int n, ...) {
    va_list list;
    double _Complex sum = 0;
    va_start(list, n);
    while (n--) sum += va_arg(list, double _Complex);
    va_end(list);
    return sum;
}
static int calls;
static double _Complex next(void) { calls++; return calls + 1.0i; }

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char v16 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));
typedef long l2 __attribute__((vector_size(16)));
static v4 constant = { 1, -2, 3, -4 };
static void lanes(const char *what, v4 v) { printf("%s %d %d %d %d\n", what, v[0], v[1], v[2], v[3]); }
static v4 twice(v4 v) { return v + v; }
struct holder { char c; v4 v; };

int main(void) {
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) show("table", table[i]);
    double _Complex a = 1.25 + 0.5i, b = -0.75 + 3i, c;
    show("sum", a + b); show("difference", a - b); show("product", a * b); show("quotient", a / b);
    show("real", a * 3); show("real", 3 / b); show("real", 2 - b); show("real", b / 7); show("minus", -a);
    c = a; c *= b; c += 1; show("assigned", c);
    __real__ c = 9; __imag__ c -= 1; show("parts", c);
    printf("%d %d %d %d\n", a == b, a != b, a == a, !a);
    c = 0; printf("%d %d\n", c ? 1 : 2, !c);
    c = a == b ? a : 4; show("chosen", c);
    narrow = half(narrow) * narrow / (0.3f - 7.0fi); show("narrow", narrow);
    show("many", many(3, a, b, a * b));
    c = next() + next(); show("order", c); c = c++; show("after", c);
    printf("%d %d %d\n", (int)a, (_Bool)b, (int)sizeof(__real__ narrow));
    printf("%g %g %d\n", crealf(boths[0].z), cimagf(boths[1].z), boths[0].b);
    int _Complex n = 7 + 3i, m = 2 - 5i; n = n * m; printf("%d %d\n", __real__ n, __imag__ n);
    n = n / m; printf("%d %d\n", __real__ n, __imag__ n); n = (23 - 9i); n /= m; printf("%d %d\n", __real__ n, __imag__ n);
    double big[] = { 1e300, 1e-300, 0.0, 3, -5e200, 1e308, 4e-320, -0.0 };
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) for (int k = 0; k < 8; k += 3) {
        double _Complex x = big[i] + big[j] * 1i, y = big[k] - big[(i + j) % 8] * 1i;
        show("*", x * y); show("/", x / y);
    }
    long double _Complex wide = 3.0L + 4.0Li; printf("%Lg %d\n", __imag__ wide, (int)_Alignof(wide));
    printf("%d %d\n", (int)sizeof(struct both), (int)sizeof(wide));

    v4 p = { 10, 20, 30, 40 }, q = constant; int four = 4;
    lanes("sum", p + q); lanes("product", p * q); lanes("by", p / 7); lanes("of", 100 - p); lanes("rest", p % (v4){3, 7, 9, 11});
    lanes("less", q < p); lanes("same", p == (v4){10, 0, 30, 0}); lanes("shift", q >> 1); lanes("shift", p << (v4){0, 1, 2, 3});
    lanes("minus", -q); lanes("not", ~p); lanes("twice", twice(twice(p)));
    p[2] += 5; p[four - 1]++; lanes("element", p); p += q; p &= 12; lanes("assigned", p);
    struct holder h = { 1, { 5, 6, 7, 8 } }, g = h; g.v[1] = 60; lanes("held", h.v + g.v); printf("%d\n", (int)sizeof h);
    f4 f = { 1.5f, 2.5f, -3.5f, 0 }; f = f * 2 + (f4){ 1, 1, 1, 1 }; printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
    lanes("float", f < 0); lanes("bits", (v4)f); printf("%ld\n", ((l2)p)[1]);
    v16 bytes = (v16)p; bytes += 250; printf("%d %d\n", bytes[0], bytes[15]);
    s8 shorts = { 30000, -30000, 1, 2, 3, 4, 5, 6 }; shorts = shorts + shorts; printf("%d %d %d\n", shorts[0], shorts[1], shorts[7]);
    lanes("shuffle", __builtin_shuffle(p, (v4){ 3, 2, 1, 0 })); lanes("shuffle", __builtin_shuffle(p, q, (v4){ 0, 5, 2, 7 }));
    lanes("most", (v4){ 2147483647, 0, 0, 0 } + 1); v4 *to = &p; (*to)[0] = 77; lanes("through", *to);
    return 0;
}
