// Signals that a program sends itself: handlers stay, are used once, are held back.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int count;
static void counted(int number) { count += number; }
static void with_more(int number, siginfo_t *more, void *context) { (void)context; count += 100 * (number == more->si_signo); }

int main(void) {
    signal(SIGUSR1, counted); raise(SIGUSR1); raise(SIGUSR1); printf("%d\n", count);
    printf("%d\n", signal(SIGUSR1, SIG_IGN) == counted); raise(SIGUSR1); printf("%d\n", count);
    struct sigaction once = { 0 }, old; once.sa_handler = counted; once.sa_flags = SA_RESETHAND; sigaction(SIGUSR2, &once, 0);
    raise(SIGUSR2); sigaction(SIGUSR2, 0, &old); printf("%d %d\n", count, old.sa_handler == SIG_DFL);
    struct sigaction more; memset(&more, 0, sizeof more); more.sa_sigaction = with_more; more.sa_flags = SA_SIGINFO; sigaction(SIGUSR2, &more, 0);
    kill(getpid(), SIGUSR2); printf("%d\n", count);
    sigset_t set, before; sigemptyset(&set); sigaddset(&set, SIGUSR2); printf("%d %d\n", sigismember(&set, SIGUSR2), sigismember(&set, SIGUSR1));
    sigprocmask(SIG_BLOCK, &set, &before); raise(SIGUSR2); printf("%d ", count); sigpending(&set); printf("%d ", sigismember(&set, SIGUSR2));
    sigprocmask(SIG_SETMASK, &before, 0); printf("%d\n", count);
    raise(SIGCHLD); errno = 0; printf("%d ", signal(SIGKILL, counted) == SIG_ERR); printf("%d\n", errno == EINVAL);
    sigfillset(&set); sigdelset(&set, SIGINT); printf("%d %d\n", sigismember(&set, SIGINT), sigismember(&set, SIGTERM));
    return 7;
}
