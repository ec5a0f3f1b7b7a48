//! Running a preprocessor, and reading and recording what compilers are called with.
//!
//! Nothing here goes through a shell: a command is a list of words. What starts processes is handed
//! in ([`run`] is the usual one), so that tests and callers can do it their own way.

use crate::flags::{Judged, harmless};
pub use crate::stray::text_of;
use c_types::Model;
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file to be preprocessed, with what its compiler is told about it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Source {
    /// The file.
    pub file: String,
    /// Flags for the preprocessor: `-I`, `-D`, `-std=…`.
    pub flags: Vec<String>,
    /// Where the compiler runs, if not here.
    pub directory: Option<String>,
    /// The compiler, if not the usual one.
    pub compiler: Option<String>,
    /// The command line that mentions the file, without the compiler, as it was found.
    pub words: Vec<String>,
}

/// What flags say about the machine. Without any, it is the one that this runs on.
pub fn model<'f>(flags: impl IntoIterator<Item = &'f str>) -> Model {
    let unsigned = ["aarch64", "arm", "powerpc", "powerpc64", "riscv32", "riscv64", "s390x"];
    let mut model = match cfg!(target_pointer_width = "32") {
        true => Model::ILP32,
        false => Model::LP64,
    };
    model.signed_char = !unsigned.contains(&std::env::consts::ARCH);
    for flag in flags {
        match flag {
            "-m32" | "-mx32" | "-m31" => {
                (model.long, model.pointer) = (Model::ILP32.long, Model::ILP32.pointer);
            }
            "-m64" => (model.long, model.pointer) = (Model::LP64.long, Model::LP64.pointer),
            "-funsigned-char" | "-fno-signed-char" => model.signed_char = false,
            "-fsigned-char" | "-fno-unsigned-char" => model.signed_char = true,
            _ => {}
        }
    }
    model
}

impl Source {
    /// The same for whoever does not trust where it was found: only what a preprocessor needs, for
    /// our user's compiler. Also what is left out; see [`crate::flags`].
    pub fn untrusted(&self) -> (Source, Vec<String>) {
        let Judged { kept, left_out } = harmless(&self.words);
        let source = Source { flags: kept, compiler: None, ..self.clone() };
        (source, left_out)
    }
}

/// A command to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs, if not here.
    pub directory: Option<String>,
}

/// What a command did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// It ended well.
    pub success: bool,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
}

/// Why a file could not be preprocessed.
#[derive(Debug)]
#[non_exhaustive]
pub enum PreprocessError {
    /// The compiler could not be started.
    Start {
        /// The compiler.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// The file's name begins with `@`: somewhere on the way to the program that preprocesses, it
    /// would be taken for a file of flags, and flags can run anything.
    Name {
        /// The file.
        file: String,
    },
    /// The compiler ran and failed.
    Failed {
        /// The compiler.
        program: String,
        /// The file.
        file: String,
        /// What it complained about.
        stderr: String,
    },
}

impl fmt::Display for PreprocessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PreprocessError::Start { program, error }
                if error.kind() == io::ErrorKind::NotFound =>
            {
                write!(f, "there is no C compiler `{program}` to preprocess with")
            }
            PreprocessError::Start { program, .. } => write!(f, "`{program}` could not be started"),
            PreprocessError::Name { file } => write!(
                f,
                "`{file}` is given to no compiler, which would take the name for one of a list of \
                 flags; rename it"
            ),
            PreprocessError::Failed { program, file, stderr } => {
                // What is wrong, and not where a file that has it was included.
                let wrong = stderr.lines().find(|l| l.contains("error:"));
                let first = wrong.or_else(|| stderr.lines().find(|l| !l.trim().is_empty()));
                write!(f, "`{program}` could not preprocess `{file}`")?;
                first.map_or(Ok(()), |line| write!(f, ": {}", line.trim()))
            }
        }
    }
}

impl std::error::Error for PreprocessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PreprocessError::Start { error, .. } => Some(error),
            PreprocessError::Name { .. } | PreprocessError::Failed { .. } => None,
        }
    }
}

/// Runs a command and waits for it.
pub fn run(invocation: &Invocation) -> io::Result<Outcome> {
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.arguments).stdin(Stdio::null());
    if let Some(directory) = &invocation.directory {
        command.current_dir(directory);
    }
    let output = command.output()?;
    Ok(Outcome { success: output.status.success(), stdout: output.stdout, stderr: output.stderr })
}

/// The command that preprocesses a file; `cc` unless the source says which compiler.
pub fn invocation(source: &Source) -> Invocation {
    let mut arguments = vec!["-E".to_owned(), "-w".to_owned()];
    arguments.extend(source.flags.iter().cloned());
    // A file may be called `-x.c`, or be in a folder `@x`.
    let file = match source.file.starts_with(['-', '@']) {
        true => format!("./{}", source.file),
        false => source.file.clone(),
    };
    arguments.push(file);
    Invocation {
        program: source.compiler.clone().unwrap_or_else(|| "cc".to_owned()),
        arguments,
        directory: source.directory.clone(),
    }
}

/// Preprocesses a file.
pub fn preprocess(
    source: &Source,
    run: &mut dyn FnMut(&Invocation) -> io::Result<Outcome>,
) -> Result<String, PreprocessError> {
    let base = Path::new(&source.file).file_name();
    if base.is_some_and(|name| name.to_string_lossy().starts_with('@')) {
        return Err(PreprocessError::Name { file: source.file.clone() });
    }
    let invocation = invocation(source);
    let program = invocation.program.clone();
    match run(&invocation) {
        Err(error) => Err(PreprocessError::Start { program, error }),
        Ok(Outcome { success: true, stdout, .. }) => Ok(crate::stray::text_of(&stdout)),
        Ok(Outcome { stderr, .. }) => Err(PreprocessError::Failed {
            program,
            file: source.file.clone(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }),
    }
}

/// Flags that take the next word along and mean nothing to a preprocessor.
const DROPPED_WITH_WORD: [&str; 10] =
    ["-o", "-MF", "-MT", "-MQ", "-L", "-l", "-T", "-z", "-u", "-Xlinker"];
/// Flags that take the next word along.
const KEPT_WITH_WORD: [&str; 14] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-isysroot",
    "--sysroot",
    "-x",
    "-arch",
    "-target",
];

/// The C sources that a compiler's command line (without the compiler) mentions, each with the
/// flags that matter to a preprocessor.
pub fn sources(compiler: &str, arguments: &[String], directory: Option<&str>) -> Vec<Source> {
    let (mut flags, mut files) = (Vec::new(), Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let w = word.as_str();
        if DROPPED_WITH_WORD.contains(&w) {
            words.next();
        } else if KEPT_WITH_WORD.contains(&w) {
            flags.push(word.clone());
            flags.extend(words.next().cloned());
        } else if !w.starts_with('-') {
            let extension = Path::new(w).extension().and_then(|e| e.to_str());
            if matches!(extension, Some("c" | "i")) {
                files.push(word.clone());
            }
        } else if !without_meaning(w) {
            flags.push(word.clone());
        }
    }
    files
        .into_iter()
        .map(|file| Source {
            file,
            flags: flags.clone(),
            directory: directory.map(str::to_owned),
            compiler: Some(compiler.to_owned()).filter(|c| !c.is_empty()),
            words: arguments.to_vec(),
        })
        .collect()
}

/// Whether a flag changes nothing for a preprocessor, or changes it for the worse: with
/// optimisation, headers replace functions by others.
fn without_meaning(flag: &str) -> bool {
    matches!(flag, "-c" | "-S" | "-E" | "-M" | "-MM" | "-MD" | "-MMD" | "-MG" | "-MP" | "-pipe")
        || matches!(flag, "-shared" | "-static" | "-s" | "-v" | "-")
        || ["-O", "-g", "-W", "-l", "-L", "-o", "-MF", "-MT", "-MQ", "-D_FORTIFY_SOURCE"]
            .iter()
            .any(|prefix| flag.starts_with(prefix))
}

/// Why a compilation database could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandsError {
    /// The line, from 1.
    pub line: u32,
    /// One phrase.
    pub message: &'static str,
}

impl fmt::Display for CommandsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for CommandsError {}

/// Whether a file with this ending is C++.
pub fn is_cpp(ending: &str) -> bool {
    let endings = ["cc", "cp", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ii", "ipp", "tcc"];
    ending == "C" || ending == "H" || endings.contains(&ending.to_ascii_lowercase().as_str())
}

/// The C sources of a compilation database (`compile_commands.json`), in its order, each once.
pub fn compile_commands(text: &str) -> Result<Vec<Source>, CommandsError> {
    let mut out: Vec<Source> = Vec::new();
    let mut seen = HashSet::new();
    for (directory, words) in entries(text)? {
        let Some((compiler, arguments)) = words.split_first() else { continue };
        for source in sources(compiler, arguments, directory.as_deref()) {
            // What is written, and where, does not tell two of them apart.
            let key = Source { words: Vec::new(), ..source.clone() };
            if seen.insert(key) {
                out.push(source);
            }
        }
    }
    Ok(out)
}

/// The C++ sources of a compilation database, in its order, each once.
pub fn cpp_sources(text: &str) -> Result<Vec<String>, CommandsError> {
    let mut out: Vec<String> = Vec::new();
    for (_, words) in entries(text)? {
        let mut words = words.into_iter().skip(1);
        while let Some(word) = words.next() {
            let w = word.as_str();
            if DROPPED_WITH_WORD.contains(&w) || KEPT_WITH_WORD.contains(&w) {
                words.next();
                continue;
            }
            let ending = Path::new(w).extension().and_then(|e| e.to_str());
            if !w.starts_with('-') && ending.is_some_and(is_cpp) && !out.contains(&word) {
                out.push(word);
            }
        }
    }
    Ok(out)
}

/// An entry of a compilation database: the folder, and the words of the command.
type Entry = (Option<String>, Vec<String>);

fn entries(text: &str) -> Result<Vec<Entry>, CommandsError> {
    let mut json = Json { text, pos: 0 };
    let mut out: Vec<Entry> = Vec::new();
    json.expect(b'[', "expected `[`")?;
    if json.eat(b']') {
        return Ok(out);
    }
    loop {
        json.expect(b'{', "expected `{`")?;
        let (mut directory, mut words) = (None, Vec::new());
        if !json.eat(b'}') {
            loop {
                let key = json.string()?;
                json.expect(b':', "expected `:`")?;
                match key.as_str() {
                    "directory" => directory = Some(json.string()?),
                    "command" => words = shell_words(&json.string()?),
                    "arguments" => words = json.strings()?,
                    _ => json.skip()?,
                }
                if !json.eat(b',') {
                    break;
                }
            }
            json.expect(b'}', "expected `,` or `}`")?;
        }
        out.push((directory, words));
        if !json.eat(b',') {
            break;
        }
    }
    json.expect(b']', "expected `,` or `]`")?;
    Ok(out)
}

/// A compiler's call as one line of a log; the log's lines between brackets, with commas, are a
/// compilation database.
pub fn record(words: &[String], directory: &str, file: &str) -> String {
    let arguments: Vec<String> = words.iter().map(|w| quoted(w)).collect();
    format!(
        "{{\"directory\": {}, \"file\": {}, \"arguments\": [{}]}}",
        quoted(directory),
        quoted(file),
        arguments.join(", ")
    )
}

/// The compilation database of a log of [`record`]s.
pub fn database(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|l| !l.trim().is_empty()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// The names under which compilers are called; a wrapper of each name, in a folder that comes first
/// among those searched, sees every call.
pub const COMPILERS: [&str; 6] = ["cc", "gcc", "clang", "c99", "c89", "c11"];

/// The compiler that a wrapper stands in for: the first of that name in the folders that are
/// searched, the wrapper's own excepted.
pub fn real_compiler(
    name: &str,
    folders: &[PathBuf],
    wrapper: &Path,
    exists: &dyn Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let name = Path::new(name).file_name()?;
    folders.iter().filter(|f| f.as_path() != wrapper).map(|f| f.join(name)).find(|p| exists(p))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The words of a command as a shell splits them: quotes and backslashes, nothing else.
pub fn shell_words(command: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => out.extend(word.take()),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '\'' => {
                let word = word.get_or_insert_default();
                for c in chars.by_ref() {
                    if c == '\'' {
                        break;
                    }
                    word.push(c);
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => word.push('\\'),
                        },
                        c => word.push(c),
                    }
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// As much of JSON as a compilation database needs; other values are passed over.
struct Json<'a> {
    text: &'a str,
    pos: usize,
}

impl Json<'_> {
    fn fail<T>(&self, message: &'static str) -> Result<T, CommandsError> {
        let before = &self.text.as_bytes()[..self.pos.min(self.text.len())];
        let line = 1 + before.iter().filter(|b| **b == b'\n').count() as u32;
        Err(CommandsError { line, message })
    }
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while bytes.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
            self.pos += 1;
        }
        bytes.get(self.pos).copied().unwrap_or(0)
    }
    fn eat(&mut self, b: u8) -> bool {
        let found = self.peek() == b;
        self.pos += usize::from(found);
        found
    }
    fn expect(&mut self, b: u8, message: &'static str) -> Result<(), CommandsError> {
        if self.eat(b) { Ok(()) } else { self.fail(message) }
    }
    fn string(&mut self) -> Result<String, CommandsError> {
        self.expect(b'"', "expected a string")?;
        let mut out = String::new();
        let mut chars = self.text[self.pos..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.pos += i + 1;
                    return Ok(out);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('b') => out.push('\u{8}'),
                    Some('f') => out.push('\u{c}'),
                    Some('u') => {
                        let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        let code = u32::from_str_radix(&digits, 16).ok();
                        out.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
                    }
                    Some(c) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        self.fail("a string without an end")
    }
    fn strings(&mut self) -> Result<Vec<String>, CommandsError> {
        self.expect(b'[', "expected a list of strings")?;
        let mut out = Vec::new();
        if self.eat(b']') {
            return Ok(out);
        }
        loop {
            out.push(self.string()?);
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b']', "expected `,` or `]`")?;
        Ok(out)
    }
    /// Passes over one value, by its brackets.
    fn skip(&mut self) -> Result<(), CommandsError> {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.pos += 1;
                    continue;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.pos += 1;
                }
                0 => return self.fail("a value without an end"),
                b',' | b':' if depth > 0 => {
                    self.pos += 1;
                    continue;
                }
                b',' | b':' | b'}' | b']' => return self.fail("expected a value"),
                _ => {
                    while !matches!(
                        self.text.as_bytes().get(self.pos),
                        None | Some(b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t')
                    ) {
                        self.pos += 1;
                    }
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
