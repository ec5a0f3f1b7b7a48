/* Arguments of what the compiler has built in are evaluated, whatever comes of them; the right side of a compound
   assignment before the left one is read. */
#include <stdarg.h>
#include <stdio.h>

static int cells[1] = { 2 };
static int more(void) { cells[0] |= 128; return 1; }
static int count(int first, ...) {
  va_list lists[2], *at = lists;
  va_start(lists[0], first);
  int sum = first + va_arg(lists[0], int);
  va_end(*at++);
  return sum * 10 + (int)(at - lists);
}
static int expected(int x, int z) {
  if (__builtin_expect(x, z++)) return z;
  return -z;
}

int main(void) {
  int array[4] = { 1, 2, 3, 4 }, *p = array, i = 0;
  cells[0] |= more();
  printf("%d\n", cells[0]);
  array[i++] += more();
  printf("%d %d\n", array[0], i);
  __builtin_prefetch(++p, 0, 0);
  __builtin_prefetch(&p[i += 2]);
  printf("%d %d %d\n", (int)(p - array), i, count(4, 5));
  printf("%d %d\n", expected(1, 10), expected(0, 10));
  printf("%d %d\n", __builtin_copysignl(3.0L, -0.0) < 0, __builtin_copysignf(-3.0f, 1.0f) > 0);
  printf("%.3f %.3f\n", (double)__builtin_sinhf(1.0f), (double)__builtin_hypotl(3.0L, 4.0L));
  enum one { A }; enum two { B };
  printf("%d %d %d\n", __builtin_types_compatible_p(enum one, enum two), __builtin_types_compatible_p(enum one, enum one),
         __builtin_types_compatible_p(__typeof__(A), int));
  float big = 3e38f;
  printf("%d %d\n", !!__builtin_isinff(big * big), !!__builtin_isnanf(big));
  printf("%d %d\n", !!__builtin_isinf(big * 2.0), !!__builtin_finite(1e300 * 1e300));
  return 0;
}
