/* What the compiler has built in, `cleanup`, and types of variable length that have names. */
#include <stdatomic.h>
#include <stdio.h>
#include <wchar.h>

static void told(int *p) { printf("gone %d\n", *p); *p = 50; }
static int left(int n) {
    __attribute__((cleanup(told))) int x = n;
    { __attribute__((cleanup(told))) int y = n + 1; if (n > 2) return x + y; }
    return x;
}
static void sizes(int n) {
    typedef int row[n];
    n = 9;
    row a, b[2];
    printf("%d %d\n", (int)sizeof a, (int)sizeof b);
    for (int i = 1; i < 4; i++) { typedef char text[i]; i += 0; printf("%d ", (int)sizeof(text)); }
    printf("\n");
}
enum __attribute__((packed)) small { LEAST = -1, MOST = 100 };
enum __attribute__((packed)) wider { LARGE = 300 };

int main(void) {
    int r, x = 5, e = 5;
    unsigned u;
    unsigned char c = 250;
    unsigned __int128 most = ~(unsigned __int128)0;
    __int128 w;
    r = 0; printf("%d ", __builtin_add_overflow(2147483647, 1, &r)); printf("%d\n", r);
    printf("%d ", __builtin_sub_overflow(0u, 1, &r)); printf("%d\n", r);
    printf("%d ", __builtin_sub_overflow(0, 1, &u)); printf("%u\n", u);
    printf("%d ", __builtin_mul_overflow(17, 16, &c)); printf("%d\n", c);
    printf("%d ", __builtin_sub_overflow(most, most - 3, &r)); printf("%d\n", r);
    printf("%d ", __builtin_add_overflow(most, (__int128)-1, &w)); printf("%d\n", w == -2);
    printf("%d ", __builtin_mul_overflow((__int128)-1, most >> 1, &w)); printf("%d\n", w < 0);
    printf("%d ", __builtin_mul_overflow(most, -1, &w)); printf("%d\n", w == 1);
    printf("%d %d\n", __builtin_add_overflow_p(1, 2, (char)0), __builtin_mul_overflow_p(100, 2, (signed char)0));
    printf("%d ", __atomic_add_fetch(&x, 3, __ATOMIC_SEQ_CST)); printf("%d ", __atomic_fetch_sub(&x, 2, 0)); printf("%d\n", x);
    printf("%d ", __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5)); printf("%d %d\n", x, e);
    printf("%d ", __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5)); printf("%d %d\n", x, e);
    c = 250; __atomic_fetch_add(&c, 10, 5); __atomic_fetch_or(&c, 0xf0, 5); __atomic_fetch_nand(&c, 3, 5); printf("%d\n", c);
    printf("%d ", __sync_val_compare_and_swap(&x, 9, 1)); printf("%d ", __sync_bool_compare_and_swap(&x, 9, 1)); printf("%d\n", x);
    atomic_int a = 4; atomic_fetch_add(&a, 2); a++; atomic_flag f = ATOMIC_FLAG_INIT;
    printf("%d %d ", (int)a, atomic_flag_test_and_set(&f)); printf("%d\n", atomic_flag_test_and_set(&f));
    volatile double zero = 0, nan = __builtin_nan(""), tiny = 1e-310, one = 1, inf = __builtin_inf();
    printf("%d %d %d %d\n", __builtin_isnormal(tiny), __builtin_isnormal(one), !!__builtin_signbit(-zero), !!__builtin_signbit(one));
    double all[] = { nan, inf, -one, tiny, zero };
    for (int i = 0; i < 5; i++) printf("%d ", __builtin_fpclassify(1, 2, 3, 4, 5, all[i]));
    printf("%d %d %d\n", __builtin_classify_type(1), __builtin_classify_type(1.0), __builtin_classify_type("x"));
    printf("%d %d\n", (int)3e9 == 2147483647, (unsigned char)300.0 == 255);
    printf("%d ", left(1)); printf("%d\n", left(5));
    for (int i = 0; i < 3; i++) { __attribute__((cleanup(told))) int k = i; if (i == 1) continue; if (i == 2) break; }
    sizes(3);
    printf("%d %d %d\n", (int)sizeof(enum small), (int)sizeof(enum wider), (enum small)LEAST);
    int y = 7, z; __asm__("" : "=r"(z) : "0"(y + 1)); printf("%d\n", z);
    wchar_t text[8]; wcscpy(text, L"ab"); wcscat(text, L"c"); printf("%d %d %d\n", (int)wcslen(text), wcscmp(text, L"abd"), (int)text[2]);
    return 0;
}
