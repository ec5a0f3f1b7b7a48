//! What functions of the library without a body do to addresses.

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing.
    Nothing,
    /// The result points into what the argument points to.
    Returns(u8),
    /// The result is a new object.
    Allocates,
    /// The same, with what was in the first argument's.
    Reallocates,
    /// The address of a new object is stored where the argument points to.
    AllocatesAt(u8),
    /// What lies behind one argument is copied to where another one points to, which is the result.
    Copies { to: u8, from: u8 },
    /// An address into what one argument points to is stored where another one points to.
    StoresAt { to: u8, from: u8 },
    /// The result is an object that the program does not make.
    FromOutside,
}

/// What a function does, by its name. None: nobody knows.
pub(crate) fn effect(name: &str) -> Option<Effect> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let plain = plain.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")).unwrap_or(plain);
    Some(match plain {
        "malloc" | "calloc" | "aligned_alloc" | "memalign" | "valloc" | "pvalloc" | "alloca"
        | "strdup" | "strndup" | "__strdup" | "wcsdup" | "tempnam" => Effect::Allocates,
        "realloc" | "reallocarray" => Effect::Reallocates,
        "asprintf" | "vasprintf" | "getline" | "getdelim" | "__getdelim" | "posix_memalign" => {
            Effect::AllocatesAt(0)
        }
        "memcpy" | "memmove" | "mempcpy" | "memccpy" | "__memcpy" => {
            Effect::Copies { to: 0, from: 1 }
        }
        "bcopy" => Effect::Copies { to: 1, from: 0 },
        "strcpy" | "strncpy" | "stpcpy" | "stpncpy" | "strcat" | "strncat" | "memset"
        | "strchr" | "strrchr" | "strchrnul" | "strstr" | "strcasestr" | "strpbrk" | "memchr"
        | "memrchr" | "rawmemchr" | "memmem" | "index" | "rindex" | "fgets" | "gets" | "getcwd"
        | "basename" | "dirname" | "strtok" | "assume_aligned" | "setlocale" | "wcscpy"
        | "wcscat" | "wcschr" => Effect::Returns(0),
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtod" | "strtof" | "strtold"
        | "strtoimax" | "strtoumax" => Effect::StoresAt { to: 1, from: 0 },
        "fopen"
        | "fopen64"
        | "fdopen"
        | "freopen"
        | "popen"
        | "tmpfile"
        | "getenv"
        | "strerror"
        | "localtime"
        | "gmtime"
        | "ctime"
        | "asctime"
        | "getpwuid"
        | "getpwnam"
        | "getgrgid"
        | "opendir"
        | "readdir"
        | "localeconv"
        | "ttyname"
        | "__ctype_b_loc"
        | "__errno_location"
        | "__ctype_tolower_loc"
        | "__ctype_toupper_loc" => Effect::FromOutside,
        _ if NOTHING.contains(&plain) || plain.starts_with("__VERIFIER_") => Effect::Nothing,
        _ => return None,
    })
}

/// These keep no address, hand none out, and store none.
const NOTHING: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "free",
    "cfree",
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "vprintf",
    "vfprintf",
    "vsprintf",
    "vsnprintf",
    "dprintf",
    "puts",
    "fputs",
    "putc",
    "fputc",
    "putchar",
    "getc",
    "fgetc",
    "getchar",
    "ungetc",
    "fread",
    "fwrite",
    "fflush",
    "fclose",
    "pclose",
    "feof",
    "ferror",
    "clearerr",
    "fseek",
    "ftell",
    "rewind",
    "fileno",
    "remove",
    "rename",
    "unlink",
    "perror",
    "scanf",
    "fscanf",
    "sscanf",
    "read",
    "write",
    "open",
    "close",
    "lseek",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strcoll",
    "memcmp",
    "bcmp",
    "strspn",
    "strcspn",
    "bzero",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "abs",
    "labs",
    "llabs",
    "rand",
    "srand",
    "random",
    "srandom",
    "time",
    "clock",
    "difftime",
    "mktime",
    "sleep",
    "usleep",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "ispunct",
    "isprint",
    "iscntrl",
    "isxdigit",
    "isgraph",
    "tolower",
    "toupper",
    "assert",
    "__assert_fail",
    "reach_error",
    "sqrt",
    "pow",
    "floor",
    "ceil",
    "fabs",
    "sin",
    "cos",
    "tan",
    "exp",
    "log",
    "log10",
    "fmod",
    "expect",
    "unreachable",
    "trap",
    "clz",
    "ctz",
    "popcount",
    "bswap16",
    "bswap32",
    "bswap64",
    "prefetch",
    "object_size",
    "va_end",
    "isatty",
    "getpid",
    "system",
];
