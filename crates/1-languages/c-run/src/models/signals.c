/* Signals that a program sends itself. */

typedef void (*bop_handler)(int);
struct bop_signal { bop_handler handler; int once, with_more; };
static struct bop_signal bop_signals[65];
bop_handler signal(int number, bop_handler handler) {
  bop_handler old;
  if (number < 1 || number > 64 || number == 9 || number == 19) { bop_errno = 22; return (bop_handler)-1; }
  old = bop_signals[number].handler;
  bop_signals[number].handler = handler;
  bop_signals[number].once = bop_signals[number].with_more = 0;
  return old;
}
bop_handler sysv_signal(int number, bop_handler handler) {
  bop_handler old = signal(number, handler);
  if (old != (bop_handler)-1) bop_signals[number].once = 1;
  return old;
}
bop_handler __sysv_signal(int number, bop_handler handler) { return sysv_signal(number, handler); }
int getpid(void);

/* Sets of signals, and which are held back. */

typedef struct { unsigned long bits[1024 / (8 * sizeof(unsigned long))]; } sigset_t;
static unsigned long long bop_blocked, bop_pending;
static int bop_set(const sigset_t *set, int number) {
  int width = 8 * (int)sizeof(unsigned long);
  return (int)(set->bits[(number - 1) / width] >> ((number - 1) % width) & 1);
}
int sigemptyset(sigset_t *set) { memset(set, 0, sizeof *set); return 0; }
int sigfillset(sigset_t *set) { memset(set, 255, sizeof *set); return 0; }
static int bop_set_to(sigset_t *set, int number, int value) {
  int width = 8 * (int)sizeof(unsigned long);
  unsigned long bit;
  if (number < 1 || number > 64) { bop_errno = 22; return -1; }
  bit = 1ul << ((number - 1) % width);
  if (value) set->bits[(number - 1) / width] |= bit;
  else set->bits[(number - 1) / width] &= ~bit;
  return 0;
}
int sigaddset(sigset_t *set, int number) { return bop_set_to(set, number, 1); }
int sigdelset(sigset_t *set, int number) { return bop_set_to(set, number, 0); }
int sigismember(const sigset_t *set, int number) {
  if (number < 1 || number > 64) { bop_errno = 22; return -1; }
  return bop_set(set, number);
}
int sigpending(sigset_t *set) {
  int i;
  sigemptyset(set);
  for (i = 1; i <= 64; i++) if (bop_pending >> (i - 1) & 1) sigaddset(set, i);
  return 0;
}
struct bop_action { bop_handler handler; sigset_t mask; int flags; void (*restorer)(void); };
static struct bop_action bop_actions[65];
int sigaction(int number, const struct bop_action *new, struct bop_action *old) {
  if (number < 1 || number > 64 || ((number == 9 || number == 19) && new)) { bop_errno = 22; return -1; }
  if (old) {
    *old = bop_actions[number];
    old->handler = bop_signals[number].handler;
  }
  if (new) {
    bop_actions[number] = *new;
    bop_signals[number].handler = new->handler;
    bop_signals[number].once = (new->flags & (int)0x80000000u) != 0;
    bop_signals[number].with_more = (new->flags & 4) != 0;
  }
  return 0;
}
int raise(int number) {
  bop_handler handler;
  if (!number) return 0;
  if (number < 0 || number > 64) { bop_errno = 22; return -1; }
  if (bop_blocked >> (number - 1) & 1) { bop_pending |= 1ull << (number - 1); return 0; }
  handler = bop_signals[number].handler;
  if (handler == (bop_handler)1) return 0;
  if (!handler) {
    /* Ignored by default: a child that ended, urgent data, a window that changed, and what goes on. */
    if (number == 17 || number == 23 || number == 28 || number == 18) return 0;
    __bop_signal(number);
  }
  if (bop_signals[number].once) bop_signals[number].handler = 0;
  if (bop_signals[number].with_more) {
    static int more[32];
    more[0] = number;
    ((void (*)(int, void *, void *))handler)(number, more, 0);
  } else handler(number);
  return 0;
}
int kill(int process, int number) {
  if (process == getpid() || process == 0) return raise(number);
  bop_errno = 3;
  return -1;
}
int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  int i;
  if (old) {
    sigemptyset(old);
    for (i = 1; i <= 64; i++) if (bop_blocked >> (i - 1) & 1) sigaddset(old, i);
  }
  if (!set) return 0;
  if (how < 0 || how > 2) { bop_errno = 22; return -1; }
  for (i = 1; i <= 64; i++) {
    unsigned long long bit = 1ull << (i - 1);
    if (how == 0 && bop_set(set, i)) bop_blocked |= bit;
    else if (how == 1 && bop_set(set, i)) bop_blocked &= ~bit;
    else if (how == 2) bop_blocked = bop_set(set, i) ? bop_blocked | bit : bop_blocked & ~bit;
  }
  for (i = 1; i <= 64; i++) {
    unsigned long long bit = 1ull << (i - 1);
    if (bop_pending & ~bop_blocked & bit) { bop_pending &= ~bit; raise(i); }
  }
  return 0;
}
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) { return sigprocmask(how, set, old); }
