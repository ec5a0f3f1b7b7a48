// What POSIX, the BSDs and the GNU library add to strings, memory, and the texts of errors.
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#undef basename
char *__xpg_basename(char *);
char *dirname(char *);

static int down(const void *a, const void *b, void *count) { ++*(int *)count; return *(const int *)b - *(const int *)a; }
struct element { struct element *next, *before; int value; };

int main(void) {
    char list[] = "a,,b;c", *rest = list, *part;
    while ((part = strsep(&rest, ",;"))) printf("<%s>", part);
    printf("%d\n", rest == 0);
    printf("%s %s %d\n", (char *)memmem("hello world", 11, "o w", 3), (char *)memmem("abc", 3, "", 0), memmem("ab", 2, "abc", 3) == 0);
    printf("%s %d\n", (char *)memrchr("a/b/c", '/', 5), memrchr("abc", 'z', 3) == 0);
    printf("%s %s %s\n", (char *)rawmemchr("abc", 'b'), strchrnul("abc", 'c'), strchrnul("abc", 'z'));
    char copied[16] = "................";
    printf("%d ", (int)((char *)memccpy(copied, "key=value", '=', 9) - copied)); printf("%.6s %d\n", copied, memccpy(copied, "abc", 'z', 3) == 0);
    swab("badc", copied, 4); printf("%.4s\n", copied);
    printf("%s %d %s\n", strcasestr("Hello World", "WORLD"), strcasestr("abc", "abd") == 0, index("a:b", ':'));
    static const char *const paths[] = { "", "/", "//", "a", "a/", "/a", "/a/", "a/b", "a//b//", "/a/b/c", ".", "..", "///a" };
    for (int i = 0; i < 13; i++) {
        char one[16], two[16]; strcpy(one, paths[i]); strcpy(two, paths[i]);
        printf("%s|%s|%s\n", __xpg_basename(one), dirname(two), basename(paths[i]));
    }
    char *made; int n = asprintf(&made, "%d-%s", 42, "x"); printf("%d %s\n", n, made); free(made);
    int *more = reallocarray(0, 3, sizeof *more); more[2] = 7; printf("%d %d\n", more[2], reallocarray(more, (size_t)-1, 8) == 0); free(more);
    void *aligned; printf("%d ", posix_memalign(&aligned, 64, 100)); printf("%d\n", (int)((uintptr_t)aligned % 64)); free(aligned);
    for (int i = -1; i < 136; i++) puts(strerror(i));
    for (int i = 0; i < 33; i++) puts(strsignal(i));
    char text[40]; puts(strerror_r(2, text, 40)); puts(strerror_r(999, text, 40));
    errno = 0; printf("%d ", fopen("no/such/file", "r") == 0); printf("%d\n", errno == ENOENT);
    printf("%zu %s\n", strxfrm(text, "word", 40), text);
    printf("%" PRIdMAX " %" PRIdMAX "\n", imaxabs(-9), strtoimax("-12x", 0, 10));
    int values[] = { 3, 9, 1, 7, 7, 0 }, calls = 0; qsort_r(values, 6, sizeof *values, down, &calls);
    for (int i = 0; i < 6; i++) printf("%d ", values[i]); printf("%d\n", calls > 0);
    struct element first = { 0, 0, 1 }, second = { 0, 0, 2 }, third = { 0, 0, 3 };
    insque(&first, 0); insque(&second, &first); insque(&third, &first); remque(&third);
    for (struct element *e = &first; e; e = e->next) printf("%d", e->value);
    puts(getenv("A_NAME_THAT_NOBODY_USES") ? "set" : "not set");
    setenv("A_NAME_THAT_NOBODY_USES", "one", 1); setenv("A_NAME_THAT_NOBODY_USES", "two", 0); puts(getenv("A_NAME_THAT_NOBODY_USES"));
    static char put[] = "A_NAME_THAT_NOBODY_USES=three"; putenv(put); put[24] = 'T'; puts(getenv("A_NAME_THAT_NOBODY_USES"));
    unsetenv("A_NAME_THAT_NOBODY_USES"); printf("%d\n", getenv("A_NAME_THAT_NOBODY_USES") == 0);
    return 0;
}
