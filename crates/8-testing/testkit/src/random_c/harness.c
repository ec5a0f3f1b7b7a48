/* Runs the programs of a batch on all inputs, a process for each run, and prints what they did. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#define INPUTS 32
#define EVENTS 400
#define TICKS 20000
#define ENDLESS_RUNS 2

struct entry { int (*main)(void); int again; };
extern const struct entry entries[];
extern const int entry_count;

struct shared {
  int used, fixed, chosen[INPUTS], domain[INPUTS];
  int events, overflow, endless;
  struct { int point; long long values[3]; } event[EVENTS];
};
static struct shared *shared;
static int ticks;
int which = -1;

int choose(int n) {
  if (shared->used >= INPUTS) { shared->overflow = 1; _exit(0); }
  int at = shared->used++;
  if (at >= shared->fixed) shared->chosen[at] = 0, shared->domain[at] = n, shared->fixed = at + 1;
  return shared->chosen[at];
}

void see(int point, long long a, long long b, long long c) {
  if (shared->events >= EVENTS) { shared->overflow = 1; return; }
  int at = shared->events++;
  shared->event[at].point = point;
  shared->event[at].values[0] = a;
  shared->event[at].values[1] = b;
  shared->event[at].values[2] = c;
}

long long bits(double d) { long long out; memcpy(&out, &d, sizeof out); return out; }

void tick(void) {
  if (++ticks > TICKS) { shared->endless = 1; _exit(0); }
}

/* A run of a program with constructors begins here, before them. */
__attribute__((constructor(101))) static void begin(void) {
  const char *run = getenv("RANDOM_C_RUN");
  int fd;
  if (!run || sscanf(run, "%d %d", &which, &fd) != 2) return;
  shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared == MAP_FAILED) _exit(98);
}

static void limit(void) {
  struct itimerval t = { { 0, 0 }, { 2, 0 } };
  struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_CORE, &none);
  setitimer(ITIMER_PROF, &t, 0);
}

static int judge(int status) {
  if (!WIFSIGNALED(status)) return 0;
  int s = WTERMSIG(status);
  if (s == SIGPROF) { shared->endless = 1; return 0; }
  return s == SIGABRT || s == SIGTERM || s == SIGUSR1 || s == SIGUSR2 || s == SIGINT ? 0 : s;
}

static void run(int program, int fd, const char *self) {
  pid_t child = fork();
  if (child < 0) { perror("fork"); exit(97); }
  if (child == 0) {
    limit();
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1), dup2(null, 2);
    which = program;
    if (entries[program].again) {
      char text[64];
      snprintf(text, sizeof text, "%d %d", program, fd);
      setenv("RANDOM_C_RUN", text, 1);
      execl(self, self, (char *)0);
      _exit(96);
    }
    exit(entries[program].main());
  }
  int status;
  if (waitpid(child, &status, 0) != child) { perror("waitpid"); exit(95); }
  int signal = judge(status);
  printf("R %d %d %d %d\n", program, !shared->overflow && !shared->endless, shared->endless, signal);
  for (int i = 0; i < shared->events; i++)
    printf("%d %lld %lld %lld\n", shared->event[i].point, shared->event[i].values[0], shared->event[i].values[1],
           shared->event[i].values[2]);
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (shared) return entries[which].main();
  int runs = argc > 1 ? atoi(argv[1]) : 64;
  int fd = memfd_create("random_c", 0);
  if (fd < 0 || ftruncate(fd, sizeof *shared)) { perror("memfd_create"); return 94; }
  shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared == MAP_FAILED) { perror("mmap"); return 93; }
  for (int p = 0; p < entry_count; p++) {
    shared->fixed = 0;
    for (int k = 0, endless = 0; k < runs && endless < ENDLESS_RUNS; k++) {
      shared->used = shared->events = shared->overflow = shared->endless = 0;
      run(p, fd, "/proc/self/exe");
      endless += shared->endless;
      int last = shared->used;
      while (last && shared->chosen[last - 1] + 1 >= shared->domain[last - 1]) last--;
      if (!last) break;
      shared->fixed = last;
      shared->chosen[last - 1]++;
    }
  }
  _exit(fflush(stdout) ? 92 : 0);
}
