/* The inputs of a run, handed out one after the other. */
extern int creat(const char *, unsigned);
extern void _exit(int);
void __bop_reached(void) { creat("reached", 0644); _exit(0); }
static const unsigned long long values[] = { 7ull, 0 };
static unsigned long next;
static unsigned long long input(void) { if (next == 1) _exit(2); return values[next++]; }
int __VERIFIER_nondet_int(void) { return (int)input(); }
__attribute__((weak)) void __VERIFIER_assume(int holds) { if (!holds) _exit(3); }
__attribute__((weak)) void __VERIFIER_error(void) { __bop_reached(); }
__attribute__((weak)) void reach_error(void) { __bop_reached(); }
__attribute__((weak)) void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { __bop_reached(); }
__attribute__((weak)) _Bool __VERIFIER_nondet_bool(void) { _exit(2); return 0; }
__attribute__((weak)) char __VERIFIER_nondet_char(void) { _exit(2); return 0; }
__attribute__((weak)) unsigned char __VERIFIER_nondet_uchar(void) { _exit(2); return 0; }
__attribute__((weak)) short __VERIFIER_nondet_short(void) { _exit(2); return 0; }
__attribute__((weak)) unsigned short __VERIFIER_nondet_ushort(void) { _exit(2); return 0; }
__attribute__((weak)) unsigned __VERIFIER_nondet_uint(void) { _exit(2); return 0; }
__attribute__((weak)) long __VERIFIER_nondet_long(void) { _exit(2); return 0; }
__attribute__((weak)) unsigned long __VERIFIER_nondet_ulong(void) { _exit(2); return 0; }
__attribute__((weak)) long long __VERIFIER_nondet_longlong(void) { _exit(2); return 0; }
__attribute__((weak)) float __VERIFIER_nondet_float(void) { _exit(2); return 0; }
__attribute__((weak)) double __VERIFIER_nondet_double(void) { _exit(2); return 0; }
