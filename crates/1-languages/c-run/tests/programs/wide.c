// Wide characters and the C locale.
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
    printf("%s %s %s\n", setlocale(LC_ALL, "C"), setlocale(LC_ALL, 0), localeconv()->decimal_point);
    for (int c = 0; c < 130; c++)
        printf("%d%d%d%d%d%d%d%d%d%d%d%d %d %d;", !!iswalpha(c), !!iswdigit(c), !!iswalnum(c), !!iswspace(c), !!iswblank(c), !!iswupper(c), !!iswlower(c),
               !!iswpunct(c), !!iswprint(c), !!iswgraph(c), !!iswcntrl(c), !!iswxdigit(c), (int)towlower(c), (int)towupper(c));
    wchar_t wide[40]; char narrow[40];
    printf("\n%d ", (int)mbstowcs(wide, "hello", 40)); printf("%d\n", (int)wcslen(wide));
    printf("%d ", (int)wcstombs(narrow, L"world", 40)); printf("%s %d\n", narrow, (int)wcstombs(0, L"abc", 0));
    printf("%d %d %d %d\n", mbtowc(wide, "x", 1), mbtowc(wide, "", 1), mblen("ab", 2), wctomb(narrow, L'z'));
    mbstate_t state; memset(&state, 0, sizeof state);
    printf("%d %d %d\n", (int)mbrtowc(wide, "q", 1, &state), (int)wcrtomb(narrow, L'r', &state), mbsinit(&state) != 0);
    printf("%d %d %d\n", (int)btowc('a'), wctob(L'b'), wctob(0x20ac) == EOF);
    printf("%d ", swprintf(wide, 40, L"%d-%s-%ls-%5.1f", 42, "na", L"wi", 2.25)); printf("%ls|%5ls|%.2ls|%lc\n", wide, L"ab", L"xyz", L'k');
    printf("%d\n", swprintf(wide, 4, L"%d", 123456) < 0);
    wchar_t *end; long l = wcstol(L" 0x1fz", &end, 16);
    printf("%ld %ls %lu %lld %g\n", l, end, wcstoul(L"777", 0, 8), wcstoll(L"-5", 0, 10), wcstod(L"1.5e2", 0));
    wchar_t text[] = L"one two,three", *rest;
    for (wchar_t *t = wcstok(text, L" ,", &rest); t; t = wcstok(0, L" ,", &rest)) printf("<%ls>", t);
    printf("%ls %d %d %ls\n", wcsstr(L"haystack", L"st"), (int)wcsspn(L"aab", L"a"), (int)wcscspn(L"abc", L"c"), wcspbrk(L"hello", L"ol"));
    wchar_t *copy = wcsdup(L"copy"); printf("%ls %d\n", copy, (int)wcsnlen(copy, 2)); free(copy);
    return 0;
}
