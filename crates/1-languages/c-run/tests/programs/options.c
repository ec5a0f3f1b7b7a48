// Options of command lines: short and long ones, bundled, with and without arguments, mixed with operands, wrong ones.
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char *const lines[] = {
    "p -a -b 5 x y", "p x -a y -b5 z", "p -ab5 -- -a x", "p -b", "p -z -a", "p", "p -", "p - -a", "p -a- x", "p --all --num=3 x", "p x --num 4 y --al",
    "p --nu=7 --n", "p --all=3", "p --zzz -a", "p --num", "p --opt --opt=5 -c -cval", "p -a -- --all", "p x y z -a", "p --set x --set --reset", "p -c x", "p --", "p -b -a q",
};

int main(void) {
    static const char *const sets[] = { "ab:c::", ":ab:c::", "+ab:", "-ab:" };
    for (unsigned s = 0; s < 4; s++)
        for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
            for (int longer = 0; longer < 3; longer++) {
                char line[100], *argv[20] = { 0 };
                int argc = 0, c, index, set = 0;
                strcpy(line, lines[i]);
                for (char *word = strtok(line, " "); word; word = strtok(0, " ")) argv[argc++] = word;
                const struct option all[] = { { "all", no_argument, 0, 'a' }, { "num", required_argument, 0, 'b' }, { "name", required_argument, 0, 'n' },
                    { "opt", optional_argument, 0, 'o' }, { "set", no_argument, &set, 9 }, { "reset", no_argument, &set, 3 }, { 0 } };
                optind = 0;
                opterr = 0;
                printf("%s %s:", sets[s], lines[i]);
                for (;;) {
                    index = -1;
                    c = longer == 0 ? getopt(argc, argv, sets[s]) : longer == 1 ? getopt_long(argc, argv, sets[s], all, &index)
                                                                              : getopt_long_only(argc, argv, sets[s], all, &index);
                    if (c == -1) break;
                    printf(" [%d %s %d %d", c, optarg ? optarg : "-", index, set);
                    if (c == '?' || c == ':') printf(" %d", optopt);
                    printf(" at %d]", optind);
                }
                printf(" rest");
                for (int k = optind; k < argc; k++) printf(" %s", argv[k]);
                printf(" all");
                for (int k = 0; k < argc; k++) printf(" %s", argv[k]);
                puts("");
            }
    return 0;
}
