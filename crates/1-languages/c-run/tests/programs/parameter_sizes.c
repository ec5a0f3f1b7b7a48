// Sizes of parameters are evaluated where a function begins, and take no parameter's place.
int printf(const char *, ...);

static int h, k;

static int first(int n, int a[h++ + n]) { return a[0]; }

static int later(int n, int a[n][h++ + 1], int (*b)[++k], int c) {
  return (int)sizeof a[0] * 100 + (int)sizeof *b * 10 + c;
}

int main(void) {
  int a[3][3] = {{2}};
  int x = first(2, a[0]);
  printf("%d %d\n", x, h);
  int y = later(3, 0, 0, 7);
  printf("%d %d %d\n", y, h, k);
  return 0;
}
