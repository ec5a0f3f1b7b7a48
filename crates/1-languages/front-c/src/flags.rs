//! Which flags of a stranger's command line a preprocessor is given.
//!
//! A compilation database comes with the code that it compiles, and a compiler's flags can run
//! programs: `-B`, `-fplugin=`, `-specs=`, `-wrapper`, `-Xclang -load`, `-mllvm -load=`, a word
//! `@FILE`. So the list is one of what is let through: where headers are, which macros there are,
//! which language and which target. Rules:
//!
//! - **H1.** A flag is passed if it is in the tables below, in the shape that they say.
//! - **H2.** A value, in the same word or in the next one, begins neither with `-` nor with `@`:
//!   compilers expand a word `@FILE` before they look at it, and hand `-I@FILE` on as two words.
//! - **H3.** `-Wp,A,B` and `-Xpreprocessor A` are the flags A and B, judged like all others.
//! - **H4.** Words that are no flags, as files, are not looked at; what means nothing to a preprocessor (optimisation, warnings, output, the linker) is
//!   left out without a word; everything else that is left out is told.

/// Flags for a preprocessor, and those that it is not given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judged {
    /// What is passed.
    pub kept: Vec<String>,
    /// What is left out, and could have meant something.
    pub left_out: Vec<String>,
}

/// With a path or a macro behind them, in the same word or in the next one.
const WITH_VALUE: [&str; 11] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-isysroot",
];

/// Alone.
const ALONE: [&str; 45] = [
    "-ansi",
    "-undef",
    "-nostdinc",
    "-trigraphs",
    "-pthread",
    "-pthreads",
    "-traditional-cpp",
    "-funsigned-char",
    "-fno-unsigned-char",
    "-fsigned-char",
    "-fno-signed-char",
    "-fshort-enums",
    "-fno-short-enums",
    "-fshort-wchar",
    "-fno-short-wchar",
    "-ffreestanding",
    "-fno-freestanding",
    "-fhosted",
    "-fno-hosted",
    "-fgnu89-inline",
    "-fno-gnu89-inline",
    "-fms-extensions",
    "-fno-ms-extensions",
    "-fplan9-extensions",
    "-fdollars-in-identifiers",
    "-fno-dollars-in-identifiers",
    "-fopenmp",
    "-fno-openmp",
    "-fopenacc",
    "-fblocks",
    "-fpic",
    "-fPIC",
    "-fno-pic",
    "-fno-PIC",
    "-fpie",
    "-fPIE",
    "-fno-pie",
    "-fno-PIE",
    "-fexceptions",
    "-fno-exceptions",
    "-ffast-math",
    "-fno-fast-math",
    "-ffinite-math-only",
    "-fstack-protector",
    "-fstack-protector-strong",
];

/// With `=` and a plain word: no path, nothing that is looked up in a folder.
const WITH_WORD: [&str; 14] = [
    "-std",
    "--std",
    "-march",
    "-mtune",
    "-mcpu",
    "-mfpu",
    "-mfloat-abi",
    "-mabi",
    "-mcmodel",
    "-mfpmath",
    "-mbranch-protection",
    "-mmacosx-version-min",
    "-miphoneos-version-min",
    "-fsanitize",
];

/// Flags of targets without a value, as they begin; `no-` may stand before. Of the others that begin
/// with `-m`, some load code (`-mllvm`) or files (`-mmcu=`).
const TARGETS: [&str; 49] = [
    "16",
    "32",
    "64",
    "x32",
    "arm",
    "thumb",
    "soft-float",
    "hard-float",
    "softfloat",
    "hardfloat",
    "single-float",
    "double-float",
    "big-endian",
    "little-endian",
    "sse",
    "ssse3",
    "avx",
    "mmx",
    "3dnow",
    "aes",
    "vaes",
    "pclmul",
    "vpclmulqdq",
    "bmi",
    "fma",
    "f16c",
    "lzcnt",
    "popcnt",
    "movbe",
    "rdrnd",
    "rdseed",
    "sha",
    "adx",
    "abm",
    "xsave",
    "cx16",
    "crc32",
    "gfni",
    "80387",
    "red-zone",
    "altivec",
    "vsx",
    "msa",
    "general-regs-only",
    "outline-atomics",
    "ms-bitfields",
    "long-double",
    "96bit-long-double",
    "128bit-long-double",
];

/// Flags that mean nothing to a preprocessor and take the next word along.
const SILENT_WITH_WORD: [&str; 13] = [
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-L",
    "-l",
    "-T",
    "-z",
    "-u",
    "-Xlinker",
    "-Xassembler",
    "-aux-info",
    "--param",
];

/// Flags that mean nothing to a preprocessor, as they begin.
const SILENT: [&str; 40] = [
    "-O",
    "-g",
    "-Wl,",
    "-Wa,",
    "-l",
    "-L",
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-D_FORTIFY_SOURCE",
    "--param=",
    "-fvisibility",
    "-fno-strict",
    "-fstrict",
    "-fomit-frame",
    "-fno-omit",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-common",
    "-fcommon",
    "-fdiagnostics-color",
    "-fcolor-diagnostics",
    "-fno-color",
    "-fmessage-length",
    "-fdebug-prefix-map",
    "-fmacro-prefix-map",
    "-ffile-prefix-map",
    "-fno-delete-null",
    "-fwrapv",
    "-fno-builtin",
    "-fbuiltin",
    "-fasynchronous-unwind",
    "-fno-asynchronous-unwind",
    "-fno-unwind",
    "-funwind",
    "-flto",
    "-fno-lto",
    "-fstack-clash",
    "-fcf-protection",
];

/// Likewise, whole words.
const SILENT_WORDS: [&str; 29] = [
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-MD",
    "-MMD",
    "-MG",
    "-MP",
    "-pipe",
    "-shared",
    "-static",
    "-s",
    "-v",
    "-",
    "-w",
    "-pedantic",
    "-pedantic-errors",
    "-rdynamic",
    "-nostdlib",
    "-nodefaultlibs",
    "-nostartfiles",
    "-pie",
    "-no-pie",
    "-fno-plt",
    "-p",
    "-P",
    "-C",
    "-CC",
];

/// What of the flags a preprocessor is given.
///
/// ```
/// use front_c::flags::harmless;
///
/// let words = ["-Iinc", "-fplugin=./evil.so", "-D", "X=1", "-I", "@evil"].map(str::to_owned);
/// let judged = harmless(&words);
/// assert_eq!(judged.kept, ["-Iinc", "-D", "X=1"]);
/// assert_eq!(judged.left_out, ["-fplugin=./evil.so", "-I @evil"]);
/// ```
pub fn harmless(flags: &[String]) -> Judged {
    let mut out = Judged::default();
    let mut words = flags.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        if SILENT_WITH_WORD.contains(&word) {
            words.next();
        } else if WITH_VALUE.contains(&word) || matches!(word, "--sysroot" | "-x" | "-arch") {
            let value = words.next();
            out.pair(word, value);
        } else if matches!(word, "-target" | "-Xclang" | "-wrapper" | "-mllvm" | "-B" | "-specs") {
            // These take a word, which is no flag of its own.
            let value = words.next();
            match value.filter(|v| word == "-target" && is_plain(v)) {
                Some(value) => out.kept.extend([word.to_owned(), value.to_owned()]),
                None => out.left_out.push([word, value.unwrap_or("")].join(" ").trim().to_owned()),
            }
        } else if let Some(inner) = word.strip_prefix("-Wp,") {
            out.inner(&mut inner.split(','));
        } else if word == "-Xpreprocessor" {
            out.inner(&mut words.next().into_iter());
        } else {
            out.alone(word);
        }
    }
    out
}

impl Judged {
    /// A flag with the word behind it (H2).
    fn pair(&mut self, flag: &str, value: Option<&str>) {
        let good = value.is_some_and(|value| {
            is_value(value)
                && match flag {
                    "-x" => matches!(value, "c" | "cpp-output" | "none"),
                    "-arch" => is_plain(value),
                    _ => true,
                }
        });
        match value {
            Some(value) if flag == "-D" && value.starts_with("_FORTIFY_SOURCE") => {}
            Some(value) if good => self.kept.extend([flag.to_owned(), value.to_owned()]),
            _ => self.left_out.push([flag, value.unwrap_or("")].join(" ").trim().to_owned()),
        }
    }

    /// A word that is a whole flag.
    fn alone(&mut self, word: &str) {
        let no_flag = !word.starts_with(['-', '@']);
        if no_flag || is_silent(word) {
            return;
        }
        let list = if is_allowed(word) { &mut self.kept } else { &mut self.left_out };
        list.push(word.to_owned());
    }

    /// Flags that are handed through to the preprocessor (H3). There `-MD` takes a file along.
    fn inner(&mut self, words: &mut dyn Iterator<Item = &str>) {
        while let Some(word) = words.next() {
            match word {
                "-MD" | "-MMD" | "-MF" | "-MT" | "-MQ" => _ = words.next(),
                _ if WITH_VALUE.contains(&word) => {
                    let value = words.next();
                    self.pair(word, value);
                }
                _ => self.alone(word),
            }
        }
    }
}

/// H4.
fn is_silent(word: &str) -> bool {
    let warning = word.starts_with("-W") && !word.starts_with("-Wp,");
    warning || SILENT_WORDS.contains(&word) || SILENT.iter().any(|begin| word.starts_with(begin))
}

/// H1, for whole words.
fn is_allowed(word: &str) -> bool {
    if ALONE.contains(&word) {
        return true;
    }
    let with_value = |flag: &&str| word.len() > flag.len() && word.starts_with(*flag);
    if let Some(flag) = WITH_VALUE.iter().filter(|f| with_value(f)).max_by_key(|f| f.len()) {
        return is_value(&word[flag.len()..]) && !word.starts_with("-include-pch");
    }
    if let Some(folder) = word.strip_prefix("--sysroot=") {
        return is_value(folder);
    }
    if let Some(language) = word.strip_prefix("-x") {
        return matches!(language, "c" | "cpp-output" | "none");
    }
    if let Some((flag, value)) = word.split_once('=') {
        return (WITH_WORD.contains(&flag) || flag == "--target") && is_plain(value);
    }
    word.strip_prefix("-m").is_some_and(|target| {
        let target = target.strip_prefix("no-").unwrap_or(target);
        let known = TARGETS.iter().filter_map(|known| target.strip_prefix(known));
        // What follows is a version: `avx512f`, `sse4.2`, `long-double-64`.
        known.into_iter().any(|rest| {
            let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
            rest.len() <= 16 && rest.chars().all(part)
        })
    })
}

/// H2.
fn is_value(value: &str) -> bool {
    !value.is_empty() && !value.starts_with(['-', '@'])
}

/// A word that is no path, no flag and no file of words.
fn is_plain(value: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || "_.+:,-".contains(c);
    value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && value.chars().all(part)
        && !value.contains("..")
}
