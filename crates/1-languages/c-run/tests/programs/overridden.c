/* Initial values that others override, as gcc does it: nothing is left of what is overlapped, and it is not evaluated. */
#include <stdio.h>

static int n;
static int f(int k) {
    n = n * 10 + k;
    return k;
}

struct pair { int a, b; };
struct inner { int a, b; int c[3]; };
struct outer { struct pair x; struct pair y[2]; int z; };

static struct outer global = { .y[1].b = 9, .z = 3, .y = { [0] = { 7, 8 } } };
static struct pair pairs[2] = { [1].b = 4, [1] = { 5 } };
static struct { char text[8]; int k; } named = { .text[5] = 'q', .text = "ab", .text[6] = 'r' };
static union { struct pair p; int i; } one = { .p = { 1, 2 }, .i = 3 };
static int *places[2] = { [1] = &n, [0] = &n, [1] = 0 };
static struct { unsigned a : 3, b : 5, c : 24; } bits = { .b = 3, .c = 9, .a = 2, .b = 1 };

int main(void) {
    printf("%d %d %d %d\n", global.y[1].b, global.y[0].a, global.z, pairs[1].b);
    printf("%d %d %d\n", named.text[1], named.text[5], named.text[6]);
    printf("%d %d %d %d\n", one.i, one.p.b, places[0] == &n, places[1] == 0);
    printf("%d %d %d\n", bits.a, bits.b, bits.c);

    struct outer local = { .y[1].b = 9, .x = { .b = 1 }, .z = 3, .y = { [0] = { 7, 8 } } };
    printf("%d %d %d %d\n", local.y[1].b, local.y[0].b, local.x.b, local.z);
    int a[3] = { f(1), [0] = f(2), f(3) };
    printf("%d %d %d\n", n, a[0], a[1]);
    n = 0;
    int ranges[5] = { [0 ... 3] = f(3), [1] = f(4) };
    printf("%d %d %d %d %d\n", n, ranges[0], ranges[1], ranges[3], ranges[4]);
    n = 0;
    struct inner s = { 1, 2, { 3, 4, 5 } }, t = { .c[2] = f(5), .c = { f(6) } };
    printf("%d %d %d\n", n, t.c[0], t.c[2]);
    struct { struct inner x; int y; } q = { .x = s, .x.c = { 7 } }, w = { .x = { .b = 8 }, .y = 2, .x = s };
    printf("%d %d %d %d %d\n", q.x.a, q.x.c[0], w.x.b, w.x.c[2], w.y);
    struct { char text[8]; int k; } z = { .text[5] = 'q', .text = "ab", .k = 1 };
    printf("%d %d\n", z.text[5], z.k);
    int m[2][2] = { [0] = { 1, 2 }, [1][1] = 5, [0][1] = 7, [1] = { 6 } };
    printf("%d %d %d %d\n", m[0][0], m[0][1], m[1][0], m[1][1]);
    return 0;
}
