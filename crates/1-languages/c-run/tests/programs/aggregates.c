// Structs by value, initialisers, compound literals, function pointers, variadic functions, VLAs, K&R.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { double x, y; };
struct big { int id; char name[20]; struct point p[3]; };
typedef int (*operation)(int, int);

static struct point add(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
static struct big make(int id, const char *name) {
    struct big b = { .id = id, .p[1] = { 1, 2 }, .p[2].y = 9 };
    strcpy(b.name, name);
    return b;
}
static int plus(int a, int b) { return a + b; }
static int times(int a, int b) { return a * b; }
static operation choose(int which) { return which ? plus : times; }
static int old_style(a, b, c) int a; char b; float c; { return a + b + (int)c; }

static long total(int count, ...) {
    va_list list, copy;
    long sum = 0;
    va_start(list, count);
    va_copy(copy, list);
    for (int i = 0; i < count; i++) sum += va_arg(list, int);
    sum = sum * 1000 + va_arg(copy, int);
    va_end(copy);
    struct point p = va_arg(list, struct point);
    double d = va_arg(list, double);
    char *s = va_arg(list, char *);
    long long w = va_arg(list, long long);
    va_end(list);
    printf("[%g %g %g %s %lld]", p.x, p.y, d, s, w);
    return sum;
}
static void say(const char *format, ...) {
    char text[100];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%d:%s\n", n, text);
}
static int matrix(int n, int m, int a[n][m]) {
    int sum = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) sum += a[i][j] * (i + 1);
    return sum + (int)sizeof(a[0]);
}
static int by_name(const void *a, const void *b) { return strcmp(((struct big *)a)->name, ((struct big *)b)->name); }

static const char *words[] = { [2] = "two", "three", [0] = "zero" };
static struct big *links[2];
static int grid[2][3] = { 1, 2, 3, { 4, 5 } };
static char text[] = "con" "cat\x41\n";
static struct { int a; union { char c; long l; } u; } odd = { 1, { .l = 77 } };
static int *inner = &grid[1][1];

int main(void) {
    struct point p = add((struct point){ 1, 2 }, (struct point){ .y = 5 });
    printf("%g %g %g\n", p.x, p.y, add(p, p).x);
    struct big list[3] = { make(1, "pear"), make(2, "apple"), make(3, "fig") };
    qsort(list, 3, sizeof *list, by_name);
    for (int i = 0; i < 3; i++) printf("%d %s %g %g\n", list[i].id, list[i].name, list[i].p[1].x, list[i].p[2].y);
    links[0] = &list[1]; links[1] = links[0] + 1;
    printf("%d %d\n", links[1]->id, (int)(links[1] - links[0]));
    struct big copy = *links[0]; copy.id = 99;
    printf("%d %d\n", links[0]->id, copy.id);
    printf("%d %d %d\n", choose(1)(3, 4), (*choose(0))(3, 4), old_style(1, 'a', 2.5));
    operation table[] = { plus, times, &plus };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) printf("%d ", table[i](5, 6));
    printf("\n%ld\n", total(3, 10, 20, 30, p, 2.5, "str", 1LL << 40));
    say("%s-%05.1f-%c-%x", "go", 3.14159, 'z', 255u);
    int n = 3;
    int vla[n][n + 1];
    for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) vla[i][j] = i * j;
    printf("%d %zu\n", matrix(n, n + 1, vla), sizeof vla);
    for (int k = 1; k < 4; k++) { char dynamic[k * 10]; memset(dynamic, 'a' + k, k * 10 - 1); dynamic[k * 10 - 1] = 0; printf("%s %zu\n", dynamic, sizeof dynamic); }
    printf("%s %s %s %d\n", words[0], words[2], words[3], words[1] == 0);
    printf("%d %d %d %zu %s", grid[1][0], grid[1][2], *inner, sizeof text, text);
    printf("%d %ld\n", odd.a, odd.u.l);
    int *q = (int[]){ 7, 8, 9 };
    printf("%d %d\n", q[2], ((struct point){ 3, 4 }).y > 3);
    int chain, other; chain = other = 5; chain += other *= 2;
    printf("%d %d\n", chain, other);
    char *heap = calloc(4, 4); heap = realloc(heap, 100); strcpy(heap + 10, "heap"); printf("%d %s\n", heap[3], heap + 10); free(heap);
    int *stack = __builtin_alloca(5 * sizeof *stack); stack[4] = 3; printf("%d\n", stack[4]);
    struct { int v[4]; } one = { { 1, 2, 3, 4 } }, two; two = one; two.v[2] = 50;
    printf("%d %d %d\n", one.v[2], two.v[2], memcmp(&one, &two, sizeof one) < 0);
    return sizeof(struct big) % 256;
}
