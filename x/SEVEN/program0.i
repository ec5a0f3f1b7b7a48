extern void __bop_reached(void);
# 0 "/tmp/bop-test-4440-bounded-refused/p.c"
# 0 "<built-in>"
# 0 "<command-line>"
# 1 "/usr/include/stdc-predef.h" 1 3 4
# 0 "<command-line>" 2
# 1 "/tmp/bop-test-4440-bounded-refused/p.c"

extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
static int square(int x) { return x * x; }
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 50) return 0;
    if (square(x) == 49) { SEVEN: __bop_reached(); ; }
    if (square(x) == 50) { NEVER: ; }
    if (square(x) == 144) __assert_fail("x", "p.c", 10, "main");
    return 0;
}
