//! `bop capture -- make`: a build runs, each call of a C compiler is recorded, and the records become
//! a compilation database.
//!
//! Compilers are seen in one of two ways. A small library (`hook.c`) is compiled and loaded into every
//! program of the build; it sees compilers however they are called. Where that does not work (there
//! is no compiler here, or programs load no libraries), a wrapper for every compiler comes first among
//! the folders that are searched; it sees those that are called by name, or by the `CC=` that the
//! build is told. A wrapper is this command under the compiler's name: [`wrapped`] sees that, records
//! its words, and becomes the compiler.

mod calls;

use crate::args::Capture;
use crate::io;
use crate::private::{Private, write_in_place};
use crate::verbs::Failed;
use calls::Call;
use postbop::preprocess::{COMPILERS, compile_commands, database, real_compiler, record, sources};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The library that sees compilers.
const HOOK: &str = include_str!("hook.c");

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

/// Appends the call to the log. A build does not fail for want of a record.
fn note(log: &OsStr, compiler: &Path, arguments: &[OsString]) {
    let Ok(directory) = std::env::current_dir() else { return };
    let words = std::iter::once(compiler.to_string_lossy().into_owned())
        .chain(arguments.iter().map(|a| a.to_string_lossy().into_owned()));
    let record = calls::record(&directory, compiler, &words.collect::<Vec<_>>());
    if let Ok(mut file) = OpenOptions::new().append(true).open(log) {
        // One write: calls that run at the same time do not mix.
        let _ = file.write_all(&record);
    }
}

/// The lines of a database for a call: one for each C file that it compiles.
fn lines(call: &Call) -> Vec<String> {
    let Call { directory, compiler, words, .. } = call;
    // These only look, and `-cc1` is a compiler's call of itself.
    let only_looks = |w: &String| matches!(w.as_str(), "-E" | "-M" | "-MM" | "-cc1");
    if words.iter().any(only_looks) {
        return Vec::new();
    }
    let found = sources(compiler, words, None);
    let line = |source: &postbop::preprocess::Source| {
        // Other files of the same call have records of their own.
        let other = |w: &&String| !found.iter().any(|s| s.file == **w && s.file != source.file);
        let mut call = vec![compiler.clone()];
        call.extend(words.iter().filter(other).cloned());
        record(&call, directory, &source.file)
    };
    found.iter().map(line).collect()
}

/// Whether a file can be started.
pub(crate) fn is_executable(path: &Path) -> bool {
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

/// Runs the build; its exit code is the answer.
pub(crate) fn capture(args: &Capture) -> Result<i32, Failed> {
    let folder = Private::new().map_err(cannot("cannot make a folder for the log"))?;
    let log = folder.path().join("calls");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options.open(&log).map_err(cannot("cannot make a log"))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();

    match hook(folder.path(), &log) {
        Some(hook) => run(hooked(args, &hook)?, &log, &folders, args),
        None => {
            if !args.quiet {
                io::complain(
                    "note: a library that sees all compilers could not be made and loaded here: only \
                     compilers that are found on the search path, or named by `CC=`, are seen",
                );
            }
            let (command, more) = with_wrappers(args, folder.path(), &folders)?;
            run(command, &log, &[folders, more].concat(), args)
        }
    }
}

fn cannot(what: &str) -> impl Fn(std::io::Error) -> Failed + use<> {
    let what = what.to_owned();
    move |e: std::io::Error| Failed::from(format!("{what}: {e}"))
}

/// Starts the build, waits for it, and writes the database.
fn run(
    mut command: Command,
    log: &Path,
    folders: &[PathBuf],
    args: &Capture,
) -> Result<i32, Failed> {
    command.env(LOG, log);
    let program = args.command.first().map_or("", String::as_str);
    let status = command.status().map_err(cannot(&format!("cannot start `{program}`")))?;
    write(args, log, folders)?;
    Ok(code(status))
}

/// What the environment tells the loader of programs.
const PRELOAD: &str = "LD_PRELOAD";

/// Compiles the library, with the first compiler that makes one which programs load, and tries it on
/// that compiler.
fn hook(folder: &Path, log: &Path) -> Option<PathBuf> {
    let source = folder.join("hook.c");
    let library = folder.join("hook.so");
    fs::write(&source, HOOK).ok()?;
    let own =
        std::env::var("CC").ok().and_then(|cc| cc.split_whitespace().next().map(str::to_owned));
    for compiler in own.iter().map(String::as_str).chain(["cc", "gcc", "clang"]) {
        let mut make = Command::new(compiler);
        make.args(["-shared", "-fPIC", "-O1", "-w", "-o"]).arg(&library).arg(&source);
        if !quietly(&mut make) {
            continue;
        }
        let mut attempt = Command::new(compiler);
        attempt.arg("--version").env(PRELOAD, &library).env(LOG, log);
        let ran = quietly(&mut attempt);
        let seen = fs::read(log).is_ok_and(|log| !log.is_empty());
        fs::write(log, b"").ok()?;
        if ran && seen {
            return Some(library);
        }
    }
    None
}

fn quietly(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The build, with the library.
fn hooked(args: &Capture, hook: &Path) -> Result<Command, Failed> {
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Failed::from("a build is missing behind `--`".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    let with = |first: &OsStr, name: &str| {
        let mut all = first.to_owned();
        if let Some(others) = std::env::var_os(name).filter(|o| !o.is_empty()) {
            all.push(":");
            all.push(others);
        }
        all
    };
    command.env(PRELOAD, with(hook.as_os_str(), PRELOAD));
    // Programs with this sanitizer, if the build runs some, want to be the first that is loaded.
    command.env("ASAN_OPTIONS", with(OsStr::new("verify_asan_link_order=0"), "ASAN_OPTIONS"));
    // A compiler that the build is told of may have any name.
    let told = args.command.iter().filter_map(|word| word.strip_prefix("CC=").map(str::to_owned));
    let names: Vec<String> = told
        .chain(std::env::var("CC").ok())
        .filter_map(|cc| {
            let program = cc.split_whitespace().next()?.to_owned();
            Path::new(&program).file_name()?.to_str().map(str::to_owned)
        })
        .filter(|name| !LAUNCHERS.contains(&name.as_str()))
        .collect();
    command.env("BOP_CAPTURE_NAMES", names.join(":"));
    Ok(command)
}

/// Programs that call the compiler which their first word names.
const LAUNCHERS: [&str; 4] = ["ccache", "distcc", "sccache", "icecc"];

/// The build with wrappers in `folder`, and more folders where compilers are.
fn with_wrappers(
    args: &Capture,
    folder: &Path,
    folders: &[PathBuf],
) -> Result<(Command, Vec<PathBuf>), Failed> {
    let shims = folder.join("bin");
    fs::create_dir(&shims).map_err(cannot("cannot make a folder for wrappers"))?;
    let own = std::env::current_exe().map_err(cannot("cannot find `bop` itself"))?;
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
        let wrapper = shims.join(path.file_name()?);
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
        link(&own, &shims.join(name)).map_err(cannot("cannot make a wrapper"))?;
    }
    let Some((program, arguments)) = words.split_first() else {
        return Err(Failed::from("a build is missing behind `--`".to_owned()));
    };
    let first = std::iter::once(shims.clone()).chain(folders.iter().cloned());
    let searched = std::env::join_paths(first).map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", searched).env(SHIMS, &shims);
    command.env(MORE, std::env::join_paths(&more).map_err(|e| e.to_string())?);
    if let Some(cc) = cc {
        command.env("CC", cc);
    }
    Ok((command, more.into_iter().collect()))
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

/// Whether a file is one that a build tool makes to try the compiler.
fn is_trial(path: &Path) -> bool {
    let names = ["CompilerIdC", "CMakeScratch", "CMakeTmp", "meson-private"];
    path.components().any(|part| names.iter().any(|name| part.as_os_str() == *name))
}

/// The database of what was recorded. Files that are gone, as those of configure scripts, are none.
fn write(args: &Capture, log: &Path, folders: &[PathBuf]) -> Result<(), Failed> {
    let calls = calls::read(&fs::read(log).unwrap_or_default(), folders, &is_executable);
    let mut seen = BTreeSet::new();
    let mut found: Vec<String> = calls.iter().flat_map(lines).collect();
    found.retain(|line| {
        let there = compile_commands(&format!("[{line}]")).is_ok_and(|found| {
            found.iter().any(|s| {
                let directory = Path::new(s.directory.as_deref().unwrap_or(""));
                let path = directory.join(&s.file);
                path.exists() && !is_trial(&path) && !is_trial(directory)
            })
        });
        there && seen.insert(line.clone())
    });
    let output = &args.output;
    if found.is_empty() {
        if !args.quiet {
            io::complain(&format!(
                "note: no call of a C compiler was seen, `{output}` is not written; is everything \
                 built already?"
            ));
        }
        return Ok(());
    }
    let text = database(&found.join("\n"));
    write_in_place(output, &text).map_err(|e| format!("cannot write `{output}`: {e}"))?;
    if !args.quiet {
        let n = found.len();
        let calls = if n == 1 { "compilation" } else { "compilations" };
        io::complain(&format!("note: {n} {calls} recorded in `{output}`"));
    }
    Ok(())
}
