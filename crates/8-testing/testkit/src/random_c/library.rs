//! Declarations of the C library, written by hand so that no header is read: glibc's, on 64 bits.

/// Words, and the declaration that a text with one of them needs; in the order that they are written.
const DECLARATIONS: &[(&[&str], &str)] = &[
    (
        &["setjmp", "longjmp"],
        "struct __jmp_buf_tag { long __jmpbuf[8]; int __mask_was_saved; struct { unsigned long v[16]; } __saved_mask; };\n\
         typedef struct __jmp_buf_tag jmp_buf[1];\n\
         extern int setjmp(jmp_buf);\n\
         extern int _setjmp(struct __jmp_buf_tag e[1]) __attribute__((__nothrow__));\n\
         extern void longjmp(struct __jmp_buf_tag e[1], int v) __attribute__((__nothrow__, __noreturn__));\n\
         extern void _longjmp(struct __jmp_buf_tag e[1], int v) __attribute__((__nothrow__, __noreturn__));\n\
         typedef struct __jmp_buf_tag sigjmp_buf[1];\n\
         extern int __sigsetjmp(struct __jmp_buf_tag e[1], int m) __attribute__((__nothrow__));\n\
         extern void siglongjmp(sigjmp_buf, int) __attribute__((__nothrow__, __noreturn__));\n",
    ),
    (
        &["qsort"],
        "extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));\n\
         extern void qsort_r(void *, unsigned long, unsigned long, int (*)(const void *, const void *, void *), void *);\n",
    ),
    (
        &["bsearch"],
        "extern void *bsearch(const void *, const void *, unsigned long, unsigned long, int (*)(const void *, const void *));\n",
    ),
    (
        &["lfind", "lsearch"],
        "extern void *lfind(const void *, const void *, unsigned long *, unsigned long, int (*)(const void *, const void *));\n",
    ),
    (
        &["tsearch", "twalk"],
        "typedef enum { preorder, postorder, endorder, leaf } VISIT;\n\
         extern void *tsearch(const void *, void **, int (*)(const void *, const void *));\n\
         extern void twalk(const void *, void (*)(const void *, VISIT, int));\n",
    ),
    (
        &["atexit", "on_exit", "quick_exit"],
        "extern int atexit(void (*)(void)) __attribute__((__nothrow__));\n\
         extern int on_exit(void (*)(int, void *), void *) __attribute__((__nothrow__));\n\
         extern int at_quick_exit(void (*)(void));\n\
         extern void quick_exit(int) __attribute__((__noreturn__));\n",
    ),
    (
        &["exit", "abort", "_Exit"],
        "extern void exit(int) __attribute__((__nothrow__, __noreturn__));\n\
         extern void _Exit(int) __attribute__((__nothrow__, __noreturn__));\n\
         extern void _exit(int) __attribute__((__noreturn__));\n\
         extern void abort(void) __attribute__((__nothrow__, __noreturn__));\n",
    ),
    (
        &["signal", "raise", "sigaction", "kill"],
        "extern void (*signal(int, void (*)(int)))(int);\n\
         extern int raise(int);\n\
         struct sigaction { union { void (*sa_handler)(int); void (*sa_sigaction)(int, void *, void *); } h; unsigned long sa_mask[16]; int sa_flags; void (*sa_restorer)(void); };\n\
         extern int sigaction(int, const struct sigaction *, struct sigaction *);\n\
         extern int kill(int, int);\n\
         extern int getpid(void);\n",
    ),
    (
        &["pthread_", "call_once"],
        "extern int pthread_once(int *, void (*)(void));\n\
         extern int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);\n\
         extern int pthread_join(unsigned long, void **);\n\
         extern void call_once(int *, void (*)(void));\n",
    ),
    (
        &["malloc", "calloc", "free", "realloc"],
        "extern void *malloc(unsigned long);\n\
         extern void *calloc(unsigned long, unsigned long);\n\
         extern void free(void *);\n\
         extern void *realloc(void *, unsigned long);\n",
    ),
    (
        &["memcpy", "memset", "memmove", "memcmp", "strcpy", "strlen"],
        "extern void *memcpy(void *, const void *, unsigned long);\n\
         extern void *memmove(void *, const void *, unsigned long);\n\
         extern void *memset(void *, int, unsigned long);\n\
         extern int memcmp(const void *, const void *, unsigned long);\n\
         extern char *strcpy(char *, const char *);\n\
         extern unsigned long strlen(const char *);\n",
    ),
    (
        &["sprintf", "sscanf", "strtol", "atoi"],
        "extern int sprintf(char *, const char *, ...);\n\
         extern int sscanf(const char *, const char *, ...);\n\
         extern long strtol(const char *, char **, int);\n\
         extern int atoi(const char *);\n",
    ),
    (
        &["modf", "frexp", "sqrt", "floor"],
        "extern double modf(double, double *);\n\
         extern double frexp(double, int *);\n\
         extern double sqrt(double);\n\
         extern double floor(double);\n",
    ),
];

/// The declarations that a text needs.
pub(super) fn needed(text: &str) -> String {
    let needed = DECLARATIONS.iter().filter(|(words, _)| words.iter().any(|w| text.contains(w)));
    needed.map(|(_, declaration)| *declaration).collect()
}

/// All declarations, and what a batch calls instead of inputs and check points.
pub(super) fn everything() -> String {
    let all: String = DECLARATIONS.iter().map(|(_, declaration)| *declaration).collect();
    let own = "extern int which;\nint choose(int);\nvoid see(int, long long, long long, long long);\n\
               long long bits(double);\nvoid tick(void);\n";
    format!("{all}{own}")
}
