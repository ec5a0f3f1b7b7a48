// The library: printf in all its forms, scanf, strings, numbers, sorting, files, mathematics.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
    printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%x|%#x|%X|%o|%#o|%u\n", 42, 42, 42, 42, 42, 42, 7, 7, 255, 255, 255, 8, 8, -1);
    printf("%ld|%lld|%hd|%hhd|%zu|%jd|%td|%lu\n", -1L, 1LL << 62, 70000, 300, (size_t)9, (long)8, (long)7, ~0UL);
    printf("%f|%.2f|%10.3f|%-10.1f|%e|%.0f|%g|%g|%g|%G|%a|%+.1e\n", 3.14159, 2.675, -1.5, 2.25, 12345.678, 0.5, 0.0001, 1e-5, 123456789.0, 1e20, 1.0, 0.00123);
    printf("%g %g %f %g\n", INFINITY, -INFINITY, 1e15, 100000.0);
    printf("%c|%5c|%-3c|%s|%10s|%-10s|%.2s|%%|%*d|%-*d|\n", 'a', 'b', 'c', "str", "right", "left", "cut", 5, 42, 5, 42);
    printf("%Lf %Lg\n", 1.5L, 2.25L);
    int n; printf("abc%n\n", &n); printf("%d\n", n);
    char text[64];
    printf("%d ", sprintf(text, "%s %d", "x", 5)); puts(text);
    printf("%d ", snprintf(text, 5, "truncated")); puts(text);
    int a, b; char word[10]; double d; unsigned h;
    printf("%d ", sscanf("12 -34 word 2.5 ff", "%d %d %9s %lf %x", &a, &b, word, &d, &h));
    printf("%d %d %s %g %u\n", a, b, word, d, h);
    printf("%d ", sscanf("key=val", "%[^=]=%s", word, text)); printf("%s %s\n", word, text);
    printf("%zu %d %d %s %s\n", strlen("hello"), strcmp("a", "b") < 0, strncmp("abc", "abd", 2), strchr("hello", 'l'), strrchr("hello", 'l'));
    strcpy(text, "one,two;three");
    for (char *t = strtok(text, ",;"); t; t = strtok(0, ",;")) printf("<%s>", t);
    printf("\n%s %s %zu %zu\n", strstr("haystack", "st"), strpbrk("hello", "ol"), strspn("aab", "a"), strcspn("abc", "c"));
    memset(text, '-', 10); memcpy(text + 2, "xy", 2); memmove(text + 3, text + 2, 3); text[10] = 0; puts(text);
    strcat(strncpy(text, "abcdef", 3) + 0 * sizeof text, ""); printf("%.3s\n", text);
    printf("%d %ld %lu %g %d\n", atoi(" -12x"), strtol("0x1f", 0, 0), strtoul("777", 0, 8), strtod("1.5e3z", 0), atoi("+7"));
    char *end; strtol("123abc", &end, 10); puts(end);
    static const char *numbers[] = { "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "-18446744073709551615", "-1", "0x", "0x7f",
        "-0X8g", "077", "089", " \t+12", "- 1", "", "zz", "2147483648", "-99999999999999999999" };
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int base = 0; base <= 36; base += 1 + 7 * (base > 1)) {
            const char *t = numbers[i];
            errno = 0; long l = strtol(t, &end, base); printf("%ld %d %d;", l, errno, (int)(end - t));
            errno = 0; unsigned long u = strtoul(t, &end, base); printf("%lu %d %d;", u, errno, (int)(end - t));
            errno = 0; long long w = strtoll(t, &end, base); printf("%lld %d %d;", w, errno, (int)(end - t));
            errno = 0; unsigned long long v = strtoull(t, &end, base); printf("%llu %d %d\n", v, errno, (int)(end - t));
        }
    printf("%x %x %llx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678), __builtin_bswap64(0x123456789abcdef0));
    int list[] = { 5, 2, 8, 1, 9, 3 };
    qsort(list, 6, sizeof *list, up);
    for (int i = 0; i < 6; i++) printf("%d ", list[i]);
    int key = 8, *found = bsearch(&key, list, 6, sizeof *list, up);
    printf("%d\n", (int)(found - list));
    for (const char *p = "aZ5 _\t"; *p; p++) printf("%d%d%d%d%d%c ", !!isalpha(*p), !!isdigit(*p), !!isspace(*p), !!isupper(*p), !!ispunct(*p), toupper(*p));
    printf("\n%.6f %.6f %.6f %.6f %.6f\n", sqrt(2), pow(2, 0.5), sin(1), exp(1), log(10));
    printf("%g %g %g %g %g %g\n", floor(-1.5), ceil(1.2), fabs(-3), fmod(7, 3), round(2.5), trunc(-2.7));
    printf("%d %d %d\n", abs(-5), div(7, 2).rem, (int)labs(-9));
    srand(1); printf("%d ", rand()); printf("%d\n", rand());
    FILE *f = fopen("bop_run_test.txt", "w");
    fprintf(f, "line %d\nline %d\n", 1, 2); fputs("last", f); fclose(f);
    f = fopen("bop_run_test.txt", "r");
    while (fgets(text, sizeof text, f)) printf("got %s", text);
    printf("\n%d ", feof(f) != 0); printf("%d\n", fgetc(f)); rewind(f); fseek(f, 5, SEEK_SET);
    printf("%c ", getc(f)); printf("%ld\n", ftell(f)); fclose(f); remove("bop_run_test.txt");
    printf("%d\n", fopen("bop_no_such_file", "r") == NULL);
    putchar('x'); putc('y', stdout); fputc('\n', stdout); fwrite("raw\n", 1, 4, stdout);
    char *dup = strdup("copy"); puts(dup); free(dup);
    float fl = 0.1f; double db = fl; printf("%.10f %.10f %d\n", fl, 0.1, fl == 0.1);
    printf("%d %d %u\n", (int)1e9f, (int)-2.9, (unsigned)3e9);
    printf("%.3f %.3f\n", (float)16777217, 1.0f / 3);
    return 0;
}
