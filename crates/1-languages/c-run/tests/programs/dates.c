// Times as dates: all fields, over centuries, and what strftime makes of them.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void show(const struct tm *of) {
    printf("%d-%d-%d %d:%d:%d w%d y%d\n", of->tm_year, of->tm_mon, of->tm_mday, of->tm_hour, of->tm_min, of->tm_sec, of->tm_wday, of->tm_yday);
}

int main(void) {
    setenv("TZ", "", 1);
    tzset();
    unsigned long long state = 1;
    for (int i = 0; i < 400; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        long range = i % 3 == 0 ? 4000000000l : i % 3 == 1 ? 400000000000l : 4000000l;
        time_t t = (time_t)(state >> 20) % range - range / 2;
        struct tm *of = gmtime(&t);
        show(of);
        char text[200];
        size_t n = strftime(text, sizeof text, "%a %A %b %B %C %d %D %e %F %G %g %H %I %j %k %l %m %M %p %P %R %r %S %T %u %U %V %w %W %y %Y %% %h %-d %^a", of);
        printf("%zu %s\n", n, text);
        struct tm copy = *of;
        printf("%d %s", timegm(&copy) == t, asctime(of));
        copy.tm_mday += 40; copy.tm_mon += i % 30 - 15; copy.tm_hour -= 100; copy.tm_sec += 100000;
        printf("%ld ", (long)timegm(&copy)); show(&copy);
        printf("%ld %s", (long)mktime(&copy), ctime(&t));
    }
    struct tm day = { .tm_year = 126, .tm_mon = 10, .tm_mday = 18 };
    mktime(&day); show(&day);
    char small[5]; printf("%zu %zu\n", strftime(small, 5, "%Y", &day), strftime(small, 4, "%Y", &day));
    char zone[80]; strftime(zone, 80, "%z %n%t%c %x %X", &day); puts(zone);
    printf("%g\n", difftime(10, 4));
    return 0;
}
