//! The log of compilers' calls: what writes it, and what is in it.
//!
//! A record is a list of parts, each a letter, a length in decimal, a colon and so many bytes: `d`
//! the folder, `x` the program's file, `a` each word, `r` what is in the file that the word before
//! names (`@FILE`), `f` that the last call with these words has failed, `e` the end. `hook.c` writes the same.

use std::path::{Path, PathBuf};

/// One call of a compiler.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Call {
    /// Where it ran.
    pub(crate) directory: String,
    /// The compiler, with its whole path if that is known.
    pub(crate) compiler: String,
    /// Its words; `@FILE` is replaced by the words in the file.
    pub(crate) words: Vec<String>,
    /// It is about the last call that says the same: that one has failed.
    failed: bool,
}

/// A record of the log.
pub(crate) fn record(directory: &Path, program: &Path, words: &[String]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut part = |letter: char, bytes: &[u8]| {
        out.extend(format!("{letter}{}:", bytes.len()).bytes());
        out.extend(bytes);
    };
    part('d', directory.to_string_lossy().as_bytes());
    part('x', program.to_string_lossy().as_bytes());
    for word in words {
        part('a', word.as_bytes());
        if let Some(text) = word.strip_prefix('@').and_then(|f| std::fs::read(f).ok()) {
            part('r', &text);
        }
    }
    part('e', b"\n");
    out
}

/// The calls of a log. A record that is cut off may take the beginning of the next one for its own: what
/// cannot be read as a whole is passed over, up to where another record may begin.
pub(crate) fn read(log: &[u8], folders: &[PathBuf], exists: &dyn Fn(&Path) -> bool) -> Vec<Call> {
    let mut out = Vec::new();
    let mut rest = log;
    while !rest.is_empty() {
        let Some((mut call, program, after)) = whole(rest) else {
            // Records end in a line break, and begin with their folder.
            let next = rest.windows(2).position(|two| two == b"\nd").map_or(rest.len(), |i| i + 1);
            rest = &rest[next..];
            continue;
        };
        rest = after;
        if !call.words.is_empty() {
            let called = call.words.remove(0);
            call.compiler = located(&called, &program, &call.directory, folders, exists);
            match std::mem::take(&mut call.failed) {
                // What fails has made nothing. One that links may have compiled all the same.
                true => {
                    let compiles = call.words.iter().any(|w| w == "-c" || w == "-S");
                    let same = out.iter().rposition(|other| *other == call);
                    let last = same.filter(|_| compiles);
                    last.map(|last| out.remove(last));
                }
                false => out.push(call),
            }
        }
    }
    out
}

/// The record that stands here, with its program's file, and what is behind it.
fn whole(bytes: &[u8]) -> Option<(Call, String, &[u8])> {
    let (letter, directory, mut rest) = part(bytes)?;
    if letter != b'd' {
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut call = Call { directory: text(directory), ..Call::default() };
    let mut program = String::new();
    loop {
        let (letter, bytes, after) = part(rest)?;
        rest = after;
        match letter {
            b'x' => program = text(bytes),
            b'a' => call.words.push(text(bytes)),
            b'r' => {
                call.words.pop();
                call.words.extend(postbop::preprocess::shell_words(&text(bytes)));
            }
            b'f' => call.failed = true,
            b'e' if bytes == b"\n" => return Some((call, program, rest)),
            _ => return None,
        }
    }
}

fn part(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&letter, rest) = bytes.split_first()?;
    let colon = rest.iter().take(20).position(|b| *b == b':')?;
    let length: usize = std::str::from_utf8(&rest[..colon]).ok()?.parse().ok()?;
    let rest = &rest[colon + 1..];
    (b"dxarfe".contains(&letter) && length <= rest.len()).then(|| {
        let (part, rest) = rest.split_at(length);
        (letter, part, rest)
    })
}

/// The whole path of a program that was called by this name.
fn located(
    called: &str,
    program: &str,
    directory: &str,
    folders: &[PathBuf],
    exists: &dyn Fn(&Path) -> bool,
) -> String {
    let path = match called.contains('/') {
        true => Some(Path::new(directory).join(called)),
        false => folders.iter().map(|f| f.join(called)).find(|p| exists(p)),
    };
    let known = path.and_then(|p| p.to_str().map(str::to_owned));
    known.unwrap_or_else(|| if program.is_empty() { called } else { program }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let words = ["gcc", "-DX=\"a b\"", "", "a.c"].map(str::to_owned);
        let one = record(Path::new("/d"), Path::new("/usr/bin/gcc-12"), &words);
        let other = record(Path::new("/e"), Path::new(""), &["./cc".to_owned(), "b.c".to_owned()]);
        let response = b"d2:/dx0:a3:bcca2:@fr10:-DY  'c c'e1:\n".to_vec();
        let cut = one[..one.len() / 2].to_vec();
        let log = [&one[..], &cut, b"\n", &other, b"rubbish\n", &response, &cut].concat();
        let calls = read(&log, &[PathBuf::from("/p")], &|p| p == Path::new("/p/gcc"));
        let call = |directory: &str, compiler: &str, words: &[&str]| Call {
            directory: directory.to_owned(),
            compiler: compiler.to_owned(),
            words: words.iter().map(|w| (*w).to_owned()).collect(),
            failed: false,
        };
        assert_eq!(
            calls,
            [
                call("/d", "/p/gcc", &["-DX=\"a b\"", "", "a.c"]),
                call("/e", "/e/./cc", &["b.c"]),
                call("/d", "bcc", &["-DY", "c c"]),
            ]
        );
    }
    #[test]
    fn a_call_that_failed_is_none() {
        let [good, bad] = ["a.c", "b.c"].map(|file| ["cc", "-c", file].map(str::to_owned));
        let of = |words: &[String]| record(Path::new("/d"), Path::new(""), words);
        let failed = |words: &[String]| {
            let mut out = of(words);
            out.truncate(out.len() - 4);
            out.extend(b"f0:e1:\n");
            out
        };
        let files = |log: &[Vec<u8>]| {
            let calls = read(&log.concat(), &[], &|_| false);
            calls.iter().map(|c| c.words.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(files(&[of(&bad), of(&good), failed(&bad)]), ["-c a.c"]);
        // It was mended, and tried again.
        assert_eq!(files(&[of(&bad), failed(&bad), of(&good), of(&bad)]), ["-c a.c", "-c b.c"]);
        assert_eq!(files(&[failed(&bad), of(&good)]), ["-c a.c"]);
        let linked = ["cc", "a.c"].map(str::to_owned);
        assert_eq!(files(&[of(&linked), failed(&linked)]), ["a.c"]);
    }
}
