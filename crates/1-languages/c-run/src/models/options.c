/* Options of command lines, as the GNU library reads them: what is no option moves behind those that are. */

struct option { const char *name; int has_arg; int *flag; int val; };
char *optarg;
int optind = 1, opterr = 1, optopt = '?';
static char *bop_option_next;
static int bop_option_first, bop_option_last;

/* Options in [last, optind) come before the operands in [first, last). */
static void bop_option_turn(char **argv) {
  int options = optind - bop_option_last, i, j;
  for (i = 0; i < options; i++) {
    char *option = argv[bop_option_last + i];
    for (j = bop_option_last + i; j > bop_option_first + i; j--) argv[j] = argv[j - 1];
    argv[bop_option_first + i] = option;
  }
  bop_option_first += options;
  bop_option_last = optind;
}
static int bop_option_long(char **argv, const char *prefix, const char *set, const struct option *all, int *index) {
  const struct option *found = 0;
  size_t length = strcspn(bop_option_next, "=");
  const char *word = bop_option_next;
  int i, exact = 0, several = 0;
  for (i = 0; all[i].name && !exact; i++) {
    if (strncmp(all[i].name, word, length)) continue;
    if (strlen(all[i].name) == length) { found = &all[i]; exact = 1; several = 0; }
    else if (!found) found = &all[i];
    else if (found->has_arg != all[i].has_arg || found->flag != all[i].flag || found->val != all[i].val) several = 1;
  }
  if (several) {
    if (opterr && *set != ':') {
      fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", argv[0], prefix, word);
      for (i = 0; all[i].name; i++) if (!strncmp(all[i].name, word, length)) fprintf(stderr, " '%s%s'", prefix, all[i].name);
      fprintf(stderr, "\n");
    }
    bop_option_next += strlen(bop_option_next);
    optind++;
    optopt = 0;
    return '?';
  }
  if (!found) {
    if (opterr && *set != ':') fprintf(stderr, "%s: unrecognized option '%s%s'\n", argv[0], prefix, word);
    bop_option_next = 0;
    optind++;
    optopt = 0;
    return '?';
  }
  optind++;
  bop_option_next = 0;
  if (word[length]) {
    if (!found->has_arg) {
      if (opterr && *set != ':') fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", argv[0], prefix, found->name);
      optopt = found->val;
      return '?';
    }
    optarg = (char *)word + length + 1;
  } else if (found->has_arg == 1) {
    if (!argv[optind]) {
      if (opterr && *set != ':') fprintf(stderr, "%s: option '%s%s' requires an argument\n", argv[0], prefix, found->name);
      optopt = found->val;
      return *set == ':' ? ':' : '?';
    }
    optarg = argv[optind++];
  }
  if (index) *index = (int)(found - all);
  if (found->flag) { *found->flag = found->val; return 0; }
  return found->val;
}
static int bop_option(int argc, char **argv, const char *set, const struct option *all, int *index, int only) {
  int order = *set == '-' ? 2 : *set == '+' ? 1 : 0, c;
  const char *known;
  if (argc < 1) return -1;
  if (*set == '-' || *set == '+') set++;
  optarg = 0;
  if (optind == 0) { optind = 1; bop_option_next = 0; }
  if (!bop_option_next) { if (optind == 1) bop_option_first = bop_option_last = 1; }
  if (!bop_option_next || !*bop_option_next) {
    if (bop_option_last > optind) bop_option_last = optind;
    if (bop_option_first > optind) bop_option_first = optind;
    if (order == 0) {
      if (bop_option_first != bop_option_last && bop_option_last != optind) bop_option_turn(argv);
      else if (bop_option_last != optind) bop_option_first = optind;
      while (optind < argc && (argv[optind][0] != '-' || !argv[optind][1])) {
        __bop_compiler();  /* POSIXLY_CORRECT decides whether options may follow */
        optind++;
      }
      bop_option_last = optind;
    }
    if (optind < argc && !strcmp(argv[optind], "--")) {
      optind++;
      if (bop_option_first != bop_option_last && bop_option_last != optind) bop_option_turn(argv);
      else if (bop_option_first == bop_option_last) bop_option_first = optind;
      bop_option_last = argc;
      optind = argc;
    }
    if (optind >= argc) {
      if (bop_option_first != bop_option_last) optind = bop_option_first;
      return -1;
    }
    if (argv[optind][0] != '-' || !argv[optind][1]) {
      if (order == 1) return -1;
      optarg = argv[optind++];
      return 1;
    }
    if (all) {
      if (argv[optind][1] == '-') {
        bop_option_next = argv[optind] + 2;
        return bop_option_long(argv, "--", set, all, index);
      }
      if (only && (argv[optind][2] || !strchr(set, argv[optind][1]))) {
        int i, fits = 0;
        size_t length = strcspn(argv[optind] + 1, "=");
        for (i = 0; all[i].name; i++) fits |= !strncmp(all[i].name, argv[optind] + 1, length);
        if (fits || !strchr(set, argv[optind][1])) {
          bop_option_next = argv[optind] + 1;
          return bop_option_long(argv, "-", set, all, index);
        }
      }
    }
    bop_option_next = argv[optind] + 1;
  }
  c = (unsigned char)*bop_option_next++;
  known = strchr(set, c);
  if (!*bop_option_next) optind++;
  if (!known || c == ':' || c == ';') {
    if (opterr && *set != ':') fprintf(stderr, "%s: invalid option -- '%c'\n", argv[0], c);
    optopt = c;
    return '?';
  }
  if (known[1] == ':') {
    if (*bop_option_next) { optarg = bop_option_next; optind++; }
    else if (known[2] != ':') {
      if (optind == argc) {
        if (opterr && *set != ':') fprintf(stderr, "%s: option requires an argument -- '%c'\n", argv[0], c);
        optopt = c;
        c = *set == ':' ? ':' : '?';
      } else optarg = argv[optind++];
    }
    bop_option_next = 0;
  }
  return c;
}
int getopt(int argc, char *const *argv, const char *set) { return bop_option(argc, (char **)argv, set, 0, 0, 0); }
int getopt_long(int argc, char *const *argv, const char *set, const struct option *all, int *index) {
  return bop_option(argc, (char **)argv, set, all, index, 0);
}
int getopt_long_only(int argc, char *const *argv, const char *set, const struct option *all, int *index) {
  return bop_option(argc, (char **)argv, set, all, index, 1);
}
