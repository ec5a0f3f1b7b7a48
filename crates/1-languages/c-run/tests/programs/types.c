// Integer types, conversions, wrap-around, bit-fields, unions, enumerations, 128 bits, _Generic.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bits { signed a : 3; unsigned b : 5; long long c : 40; unsigned long long d : 33; _Bool e : 1; unsigned : 0; char f; };
#pragma pack(push, 1)
struct tight { char a; int b; short c : 5, d : 12; long e; };
#pragma pack(pop)
union mix { unsigned char bytes[8]; uint32_t words[2]; uint64_t whole; double real; };
enum colour { RED, GREEN = 5, BLUE };
struct flexible { int n; short data[]; };
static struct flexible table = { 3, { 1, 2, 3 } };
struct nested { int x; struct { int y; union { int z; float w; }; }; int tail[3]; };

#define KIND(x) _Generic((x), int: "int", unsigned: "unsigned", long: "long", char: "char", double: "double", \
    const char *: "const char *", char *: "char *", default: "other")

static unsigned char narrow(int x) { return x; }
static signed char letter = 200;

int main(void) {
    struct bits s = { -3, 33, -1234567890123LL, 0x1ffffffffULL, 7, 'x' };
    s.a += 2; s.b--; s.c *= 3; s.d <<= 1;
    printf("%d %u %lld %llu %d %c %zu\n", s.a, s.b, (long long)s.c, (unsigned long long)s.d, s.e, s.f, sizeof s);
    printf("%d ", s.a++ + ++s.b); printf("%d\n", s.b);
    struct tight t = { 1, -2, -3, 100, 5 };
    printf("%zu %zu %zu %d %d %ld\n", sizeof t, offsetof(struct tight, b), offsetof(struct tight, e), t.c, t.d, t.e);
    union mix m = { .whole = 0x0102030405060708ULL };
    printf("%d %x %x\n", m.bytes[0], m.words[1], m.bytes[7]);
    m.real = 1.5;
    printf("%llx\n", (unsigned long long)m.whole);
    printf("%d %d %zu\n", GREEN, BLUE, sizeof(enum colour));
    printf("%d %d %zu\n", table.n, table.data[2], sizeof table);
    struct nested n = { 1, { 2, { .w = 2.0f } }, { [1] = 7 } };
    printf("%d %d %x %d %d %d\n", n.x, n.y, n.z, n.tail[0], n.tail[1], n.tail[2]);
    printf("%s %s %s %s %s %s %s\n", KIND(1), KIND(1u), KIND('a'), KIND((char)1), KIND(1L), KIND("s"), KIND(1.0f));
    printf("%d %d %d\n", narrow(300), letter, (signed char)0x80 >> 1);
    unsigned u = 0; int i = -1;
    printf("%d %d %u %d\n", u - 1 > 0, i < u, u - 1, (short)40000);
    printf("%d %d %d %d\n", -7 / 2, -7 % 2, -7 >> 1, (unsigned)-7 % 4);
    printf("%lu %ld %d\n", ULONG_MAX, LONG_MIN, CHAR_MIN);
    __int128 w = (__int128)LONG_MAX * 1000 + 7;
    unsigned __int128 v = -(unsigned __int128)1;
    printf("%ld %ld %lx\n", (long)(w / 1000), (long)(w % 1000), (long)(v >> 100));
    printf("%d %d\n", w > 5, (int)(v == ~(unsigned __int128)0));
    int sum; long product;
    int over = __builtin_add_overflow(INT_MAX, 1, &sum);
    printf("%d %d\n", over, sum);
    over = __builtin_mul_overflow(1L << 40, 1L << 40, &product);
    printf("%d %ld\n", over, product);
    printf("%d %d %d %d\n", __builtin_clz(1), __builtin_ctz(8), __builtin_popcount(255), __builtin_ffs(0));
    printf("%x %llx\n", __builtin_bswap32(0x11223344), (unsigned long long)__builtin_bswap64(1));
    _Bool b = 0.5; b += 5; printf("%d %d\n", b, (_Bool)"x");
    char c = 'ab'; printf("%d %d %d\n", c, '\377', L'\x1234');
    printf("%zu %zu %zu\n", sizeof(long double), _Alignof(struct nested), sizeof(int[3][4]));
    int neg = -1; unsigned sh = 31;
    printf("%u %d %d\n", 1u << sh, neg >> sh, 5 << 2 >> 1);
    int a[4] = { 1, 2, 3, 4 }, *p = a + 1;
    printf("%td %d %d\n", &a[3] - p, p[-1], *p);
    printf("%d\n", (int)sizeof(a) / (int)sizeof *a);
    for (uint8_t k = 250; k > 5; k += 3) printf("%u ", k);
    printf("\n%d\n", (int)3.99 + (int)-3.99 + (unsigned char)200.0 % 7);
    return (unsigned char)-3;
}
