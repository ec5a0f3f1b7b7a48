//! `bop capture -- make`: a build runs with a wrapper for every compiler first among the folders that
//! are searched; each call is recorded, and the records become a compilation database.
//!
//! A wrapper is this command under the compiler's name: [`wrapped`] sees that, records its words, and
//! becomes the compiler.

use crate::args::Capture;
use crate::io;
use crate::verbs::Failed;
use postbop::preprocess::{COMPILERS, compile_commands, database, real_compiler, record, sources};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where wrappers write.
const LOG: &str = "BOP_CAPTURE_LOG";
/// The folder of the wrappers.
const SHIMS: &str = "BOP_CAPTURE_SHIMS";
/// Folders with compilers that were named by their paths, and are not searched otherwise.
const MORE: &str = "BOP_CAPTURE_MORE";

/// If this process was started as a compiler: records that, becomes the compiler, and does not come
/// back unless there is none.
pub(crate) fn wrapped() -> Option<i32> {
    let (log, shims) = (std::env::var_os(LOG)?, PathBuf::from(std::env::var_os(SHIMS)?));
    let mut arguments = std::env::args_os();
    let me = PathBuf::from(arguments.next()?);
    let name = me.file_name()?.to_str()?.to_owned();
    if name == "bop" || !shims.join(&name).exists() {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|f| *f != shims).collect();
    let searched = std::env::join_paths(&folders).unwrap_or(path);
    folders.extend(std::env::split_paths(&std::env::var_os(MORE).unwrap_or_default()));
    let Some(compiler) = real_compiler(&name, &folders, &shims, &is_executable) else {
        io::complain(&format!("bop capture: there is no `{name}` besides the wrapper"));
        return Some(127);
    };
    note(&log, &compiler, &arguments);
    let mut command = Command::new(&compiler);
    command.args(&arguments).env("PATH", searched).env_remove(LOG).env_remove(SHIMS);
    Some(become_it(&mut command, &compiler))
}

#[cfg(unix)]
fn become_it(command: &mut Command, compiler: &Path) -> i32 {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    io::complain(&format!("bop capture: cannot start `{}`: {error}", compiler.display()));
    126
}

#[cfg(not(unix))]
fn become_it(command: &mut Command, compiler: &Path) -> i32 {
    match command.status() {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            io::complain(&format!("bop capture: cannot start `{}`: {error}", compiler.display()));
            126
        }
    }
}

/// Appends a line for each C file that is compiled. A build does not fail for want of a record.
fn note(log: &OsString, compiler: &Path, arguments: &[OsString]) {
    let Ok(directory) = std::env::current_dir() else { return };
    let mut words: Vec<String> = Vec::new();
    for argument in arguments {
        let word = argument.to_string_lossy();
        // `@FILE` stands for the words in a file.
        match word.strip_prefix('@').and_then(|f| fs::read_to_string(f).ok()) {
            Some(text) => words.extend(postbop::preprocess::shell_words(&text)),
            None => words.push(word.into_owned()),
        }
    }
    let only_looks = |w: &String| matches!(w.as_str(), "-E" | "-M" | "-MM");
    if words.iter().any(only_looks) {
        return;
    }
    let compiler = compiler.to_string_lossy();
    let found = sources(&compiler, &words, None);
    let mut line = String::new();
    for source in &found {
        // Other files of the same call have records of their own.
        let other = |w: &&String| !found.iter().any(|s| s.file == **w && s.file != source.file);
        let mut call = vec![compiler.clone().into_owned()];
        call.extend(words.iter().filter(other).cloned());
        line += &record(&call, &directory.to_string_lossy(), &source.file);
        line.push('\n');
    }
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(log) {
        // One write: calls that run at the same time do not mix.
        let _ = file.write_all(line.as_bytes());
    }
}

fn is_executable(path: &Path) -> bool {
    let Ok(data) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        data.is_file() && data.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    data.is_file()
}

/// Whether a program of this name compiles C: `gcc`, `gcc-12`, `x86_64-linux-gnu-gcc`.
fn is_compiler(name: &str) -> bool {
    if COMPILERS.contains(&name) {
        return true;
    }
    let plain = match name.rsplit_once('-') {
        Some((plain, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => plain,
        _ => name,
    };
    let last = plain.rsplit('-').next().unwrap_or(plain);
    matches!(last, "gcc" | "clang" | "cc" | "tcc" | "icc" | "icx")
}

/// The folder of wrappers; removed at the end.
struct Shims(PathBuf);

impl Drop for Shims {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the build; its exit code is the answer.
pub(crate) fn capture(args: &Capture) -> Result<i32, Failed> {
    let folder = std::env::temp_dir().join(format!("bop-capture-{}", std::process::id()));
    let cannot = |what: &str| {
        let what = what.to_owned();
        move |e: std::io::Error| Failed::from(format!("{what}: {e}"))
    };
    let shims = Shims(folder.join("bin"));
    fs::create_dir_all(&shims.0).map_err(cannot("cannot make a folder for wrappers"))?;
    let _all = Shims(folder.clone());
    let log = folder.join("calls");
    let own = std::env::current_exe().map_err(cannot("cannot find `bop` itself"))?;

    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for entry in folders.iter().filter_map(|f| fs::read_dir(f).ok()).flatten().flatten() {
        names.extend(entry.file_name().into_string().ok().filter(|n| is_compiler(n)));
    }
    // Compilers that the build is told of: `CC=…` before it, in its words, or a path.
    let mut more: BTreeSet<PathBuf> = BTreeSet::new();
    let mut told = |value: &str| -> Option<String> {
        let (program, rest) = value.split_once(' ').unwrap_or((value, ""));
        let path = Path::new(program);
        names.insert(path.file_name()?.to_str()?.to_owned());
        if path.components().count() < 2 {
            return None;
        }
        more.insert(fs::canonicalize(path).ok()?.parent()?.to_owned());
        let wrapper = shims.0.join(path.file_name()?);
        Some(format!("{} {rest}", wrapper.to_str()?).trim_end().to_owned())
    };
    let cc = std::env::var("CC").ok().and_then(|value| told(&value));
    let words: Vec<String> = (args.command.iter())
        .map(|word| match word.strip_prefix("CC=") {
            Some(value) => told(value).map_or_else(|| word.clone(), |new| format!("CC={new}")),
            None => word.clone(),
        })
        .collect();
    for name in &names {
        link(&own, &shims.0.join(name)).map_err(cannot("cannot make a wrapper"))?;
    }

    let Some((program, arguments)) = words.split_first() else {
        return Err(Failed::from("a build is missing behind `--`".to_owned()));
    };
    let first = std::iter::once(shims.0.clone()).chain(folders);
    let searched = std::env::join_paths(first).map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", searched).env(LOG, &log).env(SHIMS, &shims.0);
    command.env(MORE, std::env::join_paths(&more).map_err(|e| e.to_string())?);
    if let Some(cc) = cc {
        command.env("CC", cc);
    }
    let status = command.status().map_err(cannot(&format!("cannot start `{program}`")))?;
    write(args, &log)?;
    Ok(code(status))
}

#[cfg(unix)]
fn link(own: &Path, wrapper: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(own, wrapper)
}

#[cfg(not(unix))]
fn link(own: &Path, wrapper: &Path) -> std::io::Result<()> {
    fs::copy(own, wrapper.with_extension("exe")).map(|_| ())
}

/// As a shell tells it.
fn code(status: std::process::ExitStatus) -> i32 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return 128 + signal;
        }
    }
    status.code().unwrap_or(1)
}

/// The database of what was recorded. Files that are gone, as those of configure scripts, are none.
fn write(args: &Capture, log: &Path) -> Result<(), Failed> {
    let text = fs::read(log).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| {
            let there = compile_commands(&format!("[{line}]")).is_ok_and(|found| {
                found
                    .iter()
                    .any(|s| Path::new(s.directory.as_deref().unwrap_or("")).join(&s.file).exists())
            });
            there && seen.insert(*line)
        })
        .collect();
    let output = &args.output;
    if lines.is_empty() {
        if !args.quiet {
            io::complain(&format!(
                "note: no call of a C compiler was seen, `{output}` is not written; is everything \
                 built already? does the build name its compiler by a path?"
            ));
        }
        return Ok(());
    }
    let text = database(&lines.join("\n"));
    fs::write(output, text).map_err(|e| format!("cannot write `{output}`: {e}"))?;
    if !args.quiet {
        let n = lines.len();
        let calls = if n == 1 { "compilation" } else { "compilations" };
        io::complain(&format!("note: {n} {calls} recorded in `{output}`"));
    }
    Ok(())
}
