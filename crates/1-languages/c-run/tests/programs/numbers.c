// Functions on numbers with fractions that the first programs leave out.
#include <math.h>
#include <stdio.h>

int main(void) {
    static const double xs[] = { 0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, 10, 100.25, 1e-10, 1e10, 5e-324, INFINITY, -INFINITY };
    for (unsigned i = 0; i < sizeof xs / sizeof *xs; i++) {
        double x = xs[i], whole; float small; int e, q;
        printf("%g: %g %g ", x, nextafter(x, 2), nextafter(x, -INFINITY));
        printf("%.14g %.14g ", erf(x), erfc(x));
        printf("%d %g ", ilogb(x), logb(x));
        for (unsigned j = 0; j < sizeof xs / sizeof *xs; j++) if (xs[j] != 0 && !isinf(x)) {
            printf("%g ", remainder(x, xs[j]));
            if (!isinf(xs[j]) && fabs(x) < 1e6 && fabs(xs[j]) > 1e-3) { double r = remquo(x, xs[j], &q); printf("%g/%d ", r, q); }
        }
        printf("%.12g %.12g ", asinh(x), x > 1 ? acosh(x) : 0.0);
        printf("%.12g ", fabs(x) < 1 ? atanh(x) : 0.0);
        printf("%.12g ", x > 0 && x < 150 ? tgamma(x) : 0.0);
        printf("%.12g ", x > 0 && x < 1e6 ? lgamma(x) : 0.0);
        printf("%g %g %g\n", fma(x, 3, 1), scalbln(x, 3), rint(x));
        float f = (float)x; printf("%g %g ", (double)nextafterf(f, 1), (double)frexpf(f, &e)); printf("%d ", isinf(f) ? 0 : e);
        printf("%g ", (double)modff(f, &small)); printf("%g %g %d\n", (double)small, modf(x, &whole), ilogbf(f));
    }
    printf("%ld %lld %ld\n", lrintf(2.5f), llrintf(-3.5f), lroundf(2.5f));
    return 0;
}
