//! Internal errors are bugs of ours: the version and the command are told, and `--report DIR` keeps what is
//! needed to repeat them. That is what was read and the command, and nothing else: no environment, no names of
//! folders but those on the command line.

use crate::io;
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// There was an internal error.
static SEEN: AtomicBool = AtomicBool::new(false);

/// Where to keep what, once somebody wants that.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

struct Kept {
    folder: String,
    /// What was read: names, and what was in the files.
    inputs: Vec<(String, Vec<u8>)>,
}

fn kept() -> MutexGuard<'static, Option<Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Inputs are kept from now on, for this folder.
pub(crate) fn keep(folder: &str) {
    *kept() = Some(Kept { folder: folder.to_owned(), inputs: Vec::new() });
}

/// This was read.
pub(crate) fn read(name: &str, bytes: &[u8]) {
    if let Some(kept) = kept().as_mut() {
        kept.inputs.push((name.to_owned(), bytes.to_vec()));
    }
}

/// There is an internal error.
pub(crate) fn seen() {
    SEEN.store(true, Ordering::Relaxed);
}

/// If there was an internal error: tells what to report, and keeps it if that is wanted.
pub(crate) fn tell() {
    if !SEEN.swap(false, Ordering::Relaxed) {
        return;
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    let command = command(&words);
    io::complain(&format!("note: this is a bug of {}; the command was", version()));
    io::complain(&format!("  {command}"));
    let Some(Kept { folder, inputs }) = kept().take() else {
        io::complain("note: `--report DIR` keeps what is needed to repeat it");
        return;
    };
    match save(Path::new(&folder), &command, &inputs) {
        Ok(()) => io::complain(&format!("note: what is needed to repeat it is in `{folder}`")),
        Err(e) => io::complain(&format!("error: cannot write `{folder}`: {e}")),
    }
}

fn version() -> String {
    format!("bop {}", env!("CARGO_PKG_VERSION"))
}

/// The command line, as a shell reads it.
fn command(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    let mut out = "bop".to_owned();
    for word in words {
        let _ = match word {
            w if !w.is_empty() && w.chars().all(plain) => write!(out, " {w}"),
            w if w.chars().any(char::is_control) => {
                write!(out, " $'{}'", w.escape_default())
            }
            w => write!(out, " '{}'", w.replace('\'', "'\\''")),
        };
    }
    out
}

/// Writes `command` and the inputs, each under a name that is safe, with a list of their own names.
fn save(folder: &Path, command: &str, inputs: &[(String, Vec<u8>)]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut text = format!("{}\n{command}\n", version());
    for (i, (name, bytes)) in inputs.iter().enumerate() {
        let base =
            Path::new(name).file_name().map_or(name.as_str(), |n| n.to_str().unwrap_or("file"));
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let file = format!("{i}-{}", base.chars().map(safe).collect::<String>());
        std::fs::write(folder.join(&file), bytes)?;
        let _ = writeln!(text, "{file} was read as {}", name.escape_default());
    }
    std::fs::write(folder.join("command.txt"), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted() {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let ltl = words(&["check", "f.bp", "--ltl", "G (p -> F q)", "it's", "", "a\u{1b}[31m"]);
        let shown = "bop check f.bp --ltl 'G (p -> F q)' 'it'\\''s' '' $'a\\u{1b}[31m'";
        assert_eq!(command(&ltl), shown);
    }

    #[test]
    fn what_is_needed_is_saved_and_nothing_more() {
        let folder = std::env::temp_dir().join(format!("bop-bug-{}", std::process::id()));
        let inputs = [
            ("dir/../f.bp".to_owned(), b"void main() begin end".to_vec()),
            ("<stdin>".to_owned(), b"x\xff".to_vec()),
            ("..".to_owned(), Vec::new()),
        ];
        save(&folder, "bop check f.bp -", &inputs).unwrap();
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["0-f.bp", "1-_stdin_", "2-..", "command.txt"]);
        assert_eq!(std::fs::read(folder.join("1-_stdin_")).unwrap(), b"x\xff");
        let told = std::fs::read_to_string(folder.join("command.txt")).unwrap();
        assert!(
            told.starts_with(&format!("bop {}\nbop check f.bp -\n", env!("CARGO_PKG_VERSION")))
        );
        assert!(told.contains("0-f.bp was read as dir/../f.bp"), "{told}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
