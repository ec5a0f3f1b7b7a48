//! What is known of functions of the C library and of POSIX by their names, in one table.

mod names;

use names::{FUNCTIONS, VARIABLES};

/// What is known of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fact {
    /// It keeps none of its arguments, and writes nothing that the program can see, not even through them.
    Silent,
    /// It keeps none of its arguments, and changes variables of the program only through them.
    Writes,
    /// It never comes back, whatever its declaration says.
    NoReturn,
    /// It ends the program.
    Ends,
    /// Control may come out of it again.
    Setjmp,
    /// It leaves for where that was called.
    Longjmp,
    /// An assertion has failed.
    Fails,
    /// It makes another function run when the program ends.
    AtExit,
    /// It keeps or calls what it is given, but does not look into the records that it points to.
    Keeps,
    /// It makes another function run at any time from then on.
    AnyTime,
    /// It writes to an array that it is given at any time from then on.
    Buffers,
    /// It writes nothing but files.
    Files,
    /// It calls nobody.
    Alone,
}

fn is(name: &str, fact: Fact) -> bool {
    match FUNCTIONS.binary_search_by_key(&name, |(name, _)| name) {
        Ok(i) => FUNCTIONS[i].1.contains(&fact),
        Err(_) => false,
    }
}

/// Whether a function is one of the library, POSIX or the compiler, of which something is known.
pub fn is_library(name: &str) -> bool {
    let name = crate::plain_name(name);
    FUNCTIONS.binary_search_by_key(&name, |(name, _)| name).is_ok()
}

/// What a function of the library does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// Nothing that shows in variables of the program.
    Silent,
    /// It writes through its arguments.
    Writes,
}

/// What is known of a function without a body, by its name without what compilers put around it
/// ([`crate::plain_name`]); none for what is no function of the library.
pub fn library(name: &str) -> Option<Library> {
    // What verifiers hand out inputs with.
    if name.starts_with("__VERIFIER_nondet_") || name == "__VERIFIER_assume" {
        return Some(Library::Silent);
    }
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    if is(name, Fact::Silent) {
        Some(Library::Silent)
    } else if is(name, Fact::Writes) {
        Some(Library::Writes)
    } else {
        None
    }
}

/// Whether a function without a body may call what was given away. Those of which it is known what they
/// write do not, nor does what compilers and verifiers put in.
pub fn calls_back(name: &str) -> bool {
    let prefixes = ["__builtin_", "__VERIFIER_", "__sync_", "__atomic_"];
    !prefixes.iter().any(|p| name.starts_with(p))
        && !is(name, Fact::Alone)
        && library(crate::plain_name(name)).is_none()
}

/// Whether a function makes another one run when the program ends.
pub fn runs_at_exit(name: &str) -> bool {
    is(name, Fact::AtExit)
}

/// Whether control may come out of a call of the function again.
pub fn is_setjmp(name: &str) -> bool {
    is(name, Fact::Setjmp)
}

/// Whether the function leaves for where `setjmp` was called.
pub fn is_longjmp(name: &str) -> bool {
    is(name, Fact::Longjmp)
}

/// Whether a call of the function says that an assertion has failed.
pub fn is_failed_assertion(name: &str) -> bool {
    is(name, Fact::Fails)
}

/// Whether a call of the function says so even if it has a body, which is run as well: verifiers agree on the name, not on
/// what is in it.
pub(crate) fn names_an_error(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
}

/// Whether what a function of the library writes through a `char *` is a text.
pub(crate) fn writes_text(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let texts = [
        "asctime_r",
        "confstr",
        "ctime_r",
        "fgets",
        "getcwd",
        "gethostname",
        "getlogin_r",
        "inet_ntop",
        "realpath",
        "snprintf",
        "sprintf",
        "stpcpy",
        "stpncpy",
        "strcat",
        "strcpy",
        "strerror_r",
        "strfmon",
        "strftime",
        "strlcat",
        "strlcpy",
        "strncat",
        "strncpy",
        "strtok",
        "strtok_r",
        "strxfrm",
        "tmpnam",
        "ttyname_r",
        "vsnprintf",
        "vsprintf",
    ];
    texts.binary_search(&name).is_ok()
}

/// Whether the function writes nothing but files.
pub fn writes_files(name: &str) -> bool {
    is(name, Fact::Files)
}

/// Whether the function never comes back, whatever its declaration says.
pub(crate) fn never_returns(name: &str) -> bool {
    is(name, Fact::NoReturn)
}

/// Whether the function ends the program.
pub(crate) fn ends_the_program(name: &str) -> bool {
    is(name, Fact::Ends)
}

/// Whether the function keeps or calls what it is given, and looks no further.
pub(crate) fn keeps_what_it_is_given(name: &str) -> bool {
    is(name, Fact::Keeps)
}

/// Whether the function makes another one run at any time from then on.
pub(crate) fn runs_at_any_time(name: &str) -> bool {
    is(name, Fact::AnyTime)
}

/// Whether the function makes the library write to an array of the program at any time from then on.
pub(crate) fn buffers(name: &str) -> bool {
    is(name, Fact::Buffers)
}

/// Whether functions of the library assign the variable without being asked.
pub(crate) fn is_library_variable(name: &str) -> bool {
    VARIABLES.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_say_one_thing() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.0 < b.0) && VARIABLES.is_sorted());
        for (name, facts) in FUNCTIONS {
            assert!(!facts.is_empty(), "{name}");
            let both = facts.contains(&Fact::Silent) && facts.contains(&Fact::Writes);
            let ends = facts.contains(&Fact::Ends) && !facts.contains(&Fact::NoReturn);
            assert!(!both && !ends, "{name}");
        }
        assert_eq!(library("strlen"), Some(Library::Silent));
        assert_eq!(library("fread_unlocked"), Some(Library::Writes));
        assert_eq!(library("qsort"), None);
        assert!(is_setjmp("_setjmp") && !is_setjmp("longjmp") && is_longjmp("siglongjmp"));
        assert!(ends_the_program("abort") && !ends_the_program("longjmp"));
        assert!(calls_back("qsort") && !calls_back("strlen") && !calls_back("longjmp"));
        assert!(is_library_variable("optarg") && !is_library_variable("stdout"));
    }
}
