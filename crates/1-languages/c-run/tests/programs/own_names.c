// Names of the library that are the program's own.
#include <stdio.h>
int index = 5; int optind; char *optarg = "mine"; int kill(int x) { return x * 2; }
static int basename(int y) { return y + 1; }
struct option { int a; } option = { 4 };
int signal; long raise[3] = {1,2,3};
int optopt(void) { return 9; }
int htons = 77;
int main(void) {
  printf("%d %d %s %d %d %d %d %ld %d %d\n", index, optind, optarg, kill(4), basename(1), option.a, signal, raise[1], optopt(), htons);
  if (optind == 0 && index == 5 && kill(4) == 8) { L: ; }
  return 0;
}
