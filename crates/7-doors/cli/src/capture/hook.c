/* Sees every compiler of a build that `bop capture` watches.
 *
 * It is compiled in a private folder when a build is watched, and loaded into every program of the
 * build (LD_PRELOAD): one whose name is a C compiler's leaves its folder and its words in the log.
 * How it was called (by name, by path, by make, ninja, libtool or ccache) does not matter. What such
 * a program calls in turn is its own affair: the compiler behind ccache is not recorded again.
 *
 * A record is a list of parts, each a letter, a length in decimal, a colon and so many bytes:
 * d the folder, x the program's file, a each word, r what is in the file that the word before names
 * (@FILE), f that the call before with these words has failed, e the end. It is written at once, so that records of programs that run side by side do
 * not mix. Whatever goes wrong, the build goes on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef O_NOFOLLOW
#define O_NOFOLLOW 0
#endif

struct text {
    char *bytes;
    size_t length, room;
    int failed;
};

static void add(struct text *to, const char *bytes, size_t length)
{
    if (to->length + length > to->room) {
        size_t room = 2 * (to->length + length) + 256;
        char *bigger = realloc(to->bytes, room);
        if (!bigger) {
            to->failed = 1;
            return;
        }
        to->bytes = bigger;
        to->room = room;
    }
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

static void part(struct text *to, char letter, const char *bytes, size_t length)
{
    char head[32];
    int n = snprintf(head, sizeof head, "%c%zu:", letter, length);
    if (n > 0)
        add(to, head, (size_t)n);
    if (!to->failed)
        add(to, bytes, length);
}

/* What is in a file, up to `most` bytes; 0 if it cannot be read, or is larger. */
static int whole(const char *path, size_t most, struct text *to)
{
    char buffer[4096];
    ssize_t n = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return 0;
    while (!to->failed && to->length <= most && (n = read(file, buffer, sizeof buffer)) > 0)
        add(to, buffer, (size_t)n);
    close(file);
    return n == 0 && !to->failed;
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int among(const char *name, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && !memcmp(*list, name, length))
            return 1;
    return 0;
}

/* `ccache gcc …` is a call of gcc. */
static int is_launcher(const char *name)
{
    static const char *const names[] = {"ccache", "distcc", "sccache", "icecc", 0};
    return among(name, strlen(name), names);
}

/* gcc, gcc-12, x86_64-linux-gnu-gcc, and what the user says. */
static int is_compiler(const char *name)
{
    static const char *const whole_names[] = {"cc", "gcc", "clang", "c99", "c89", "c11", "c17", 0};
    static const char *const last_parts[] = {"gcc", "clang", "cc", "tcc", "icc", "icx", 0};
    const char *more = getenv("BOP_CAPTURE_NAMES"), *dash, *end = name + strlen(name);
    size_t length = strlen(name);
    if (!length || among(name, length, whole_names))
        return length != 0;
    for (; more && *more; more += strcspn(more, ":"), more += *more == ':')
        if (strcspn(more, ":") == length && !memcmp(more, name, length))
            return 1;
    dash = strrchr(name, '-');
    if (dash && dash[1] >= '0' && dash[1] <= '9')
        end = dash;
    for (dash = end; dash > name && dash[-1] != '-'; dash--)
        ;
    return among(dash, (size_t)(end - dash), last_parts);
}

static void keep(const char *log, const struct text *record)
{
    int out = record->failed ? -1 : open(log, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (out >= 0) {
        ssize_t written = write(out, record->bytes, record->length);
        (void)written;
        close(out);
    }
}

#ifdef __GLIBC__
/* What was written, without its end, and where. */
static struct text written;
static char written_to[4096];
static pid_t writer;

/* A compiler that fails has made nothing: its call is no part of the program. */
static void ended(int status, void *unused)
{
    (void)unused;
    if (!status || getpid() != writer)
        return;
    part(&written, 'f', "", 0);
    part(&written, 'e', "\n", 1);
    keep(written_to, &written);
}
#endif

__attribute__((constructor)) static void seen(void)
{
    struct text line = {0, 0, 0, 0}, record = {0, 0, 0, 0}, file = {0, 0, 0, 0};
    const char *log = getenv("BOP_CAPTURE_LOG"), *own = getenv("BOP_CAPTURE_OWN");
    const char *word, *end;
    char *folder = 0, program[4096];
    ssize_t n;
    int before = errno;

    if (!log || getenv("BOP_CAPTURE_INSIDE") || !whole("/proc/self/cmdline", 64u << 20, &line))
        goto done;
    add(&line, "", 1);
    n = readlink("/proc/self/exe", program, sizeof program);
    if (line.failed || n < 0 || (size_t)n >= sizeof program)
        goto done;
    if (own && strlen(own) == (size_t)n && !memcmp(own, program, (size_t)n))
        goto done;
    word = line.bytes;
    end = line.bytes + line.length - 1;
    if (is_launcher(base(word))) {
        word += strlen(word) + 1;
        if (word >= end)
            goto done;
        n = 0;
    } else if (!is_compiler(base(word))) {
        goto done;
    }
    folder = getcwd(0, 0);
    if (!folder)
        goto done;
    part(&record, 'd', folder, strlen(folder));
    part(&record, 'x', program, (size_t)n);
    for (; word < end; word += strlen(word) + 1) {
        part(&record, 'a', word, strlen(word));
        file.length = 0;
        if (*word == '@' && whole(word + 1, 1u << 20, &file))
            part(&record, 'r', file.bytes ? file.bytes : "", file.length);
    }
#ifdef __GLIBC__
    if (!record.failed && strlen(log) < sizeof written_to) {
        add(&written, record.bytes, record.length);
        strcpy(written_to, log);
        writer = getpid();
        if (!written.failed)
            on_exit(ended, 0);
    }
#endif
    part(&record, 'e', "\n", 1);
    keep(log, &record);
    setenv("BOP_CAPTURE_INSIDE", "1", 1);
done:
    free(line.bytes);
    free(record.bytes);
    free(file.bytes);
    free(folder);
    errno = before;
}
