//! `bop.toml`: what `bop check` would be told on the command line.
//!
//! Each key is a long flag of `bop check`; besides, there are `files` and `exclude` (patterns) and `flags` (for the
//! preprocessor). The file becomes words of the command line, which the parser of that judges as it judges all
//! others, so that a new flag is a new key. Names of files are as seen from the folder of the file.
//!
//! What counts, once:
//!
//! - CF1: a flag on the command line wins over the key of its name.
//! - CF2: files on the command line win over `files`; if they are not in C, keys about C and questions do not count.
//! - CF3: a question on the command line wins over all questions of the file.
//! - CF4: flags for the preprocessor add up; those of the command line come last.
//! - CF5: a file that was found, and not named with `--config`, is a stranger's: it can run nothing and write nothing,
//!   and its flags for the preprocessor pass the list for compilation databases (rules H1–H4).

pub(crate) mod init;
pub(crate) mod patterns;
pub(crate) mod settings;

use crate::args::Cli;
use crate::{answer, io};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};
use postbop::preprocess::Source;
use settings::{Setting, Value};
use source::{Diagnostic, SourceFile};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file's name.
pub(crate) const NAME: &str = "bop.toml";
/// Keys that run a command.
const RUNS: [&str; 3] = ["cc", "qbf-solver", "trust-compile-commands"];
/// Keys that name files which are read; all others that name files write them.
const READS: [&str; 5] = ["compile-commands", "rule", "contracts", "baseline", "automaton"];

/// Why the settings cannot be used; it was told.
pub(crate) struct Refused;

/// The words of the command line with those of the file that belongs to them. None: there is no such file.
pub(crate) fn with_settings(words: &[OsString]) -> Result<Option<Vec<OsString>>, Refused> {
    let Ok(matches) = Cli::command().try_get_matches_from(words) else { return Ok(None) };
    let Some(("check", check)) = matches.subcommand() else { return Ok(None) };
    if check.get_flag("no_config") {
        return Ok(None);
    }
    let named = check.get_one::<String>("config");
    let Some(path) = named.map(PathBuf::from).or_else(found) else { return Ok(None) };
    let shown = path.to_string_lossy().into_owned();
    let file = io::source_file(&shown).map_err(|why| {
        io::complain(&format!("error: {why}"));
        answer::wrong(None, &why);
        Refused
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let reader = Reader { file: &file, folder, trusted: named.is_some(), check };
    let added = reader.words().map_err(|diagnostics| {
        for diagnostic in &diagnostics {
            io::complain_in_full(&source::render(diagnostic, &file));
            answer::wrong_in(diagnostic, &file);
        }
        Refused
    })?;
    if check.get_flag("verbose") {
        io::complain(&format!("note: settings of {}", source::one_line(&shown)));
    }
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut out = words[..end].to_vec();
    out.extend(added.before.into_iter().map(OsString::from));
    out.push("--".into());
    out.extend(added.flags.into_iter().map(OsString::from));
    out.extend(words.get(end + 1..).unwrap_or_default().iter().cloned());
    Ok(Some(out))
}

/// The file in this folder, or in the next one above that has one.
fn found() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut path = PathBuf::new();
    for folder in here.ancestors() {
        if folder.join(NAME).is_file() {
            return Some(path.join(NAME));
        }
        path.push("..");
    }
    None
}

/// What a file adds to a command line.
struct Added {
    before: Vec<String>,
    flags: Vec<String>,
}

struct Reader<'a> {
    file: &'a SourceFile,
    folder: &'a Path,
    trusted: bool,
    check: &'a ArgMatches,
}

impl Reader<'_> {
    fn words(&self) -> Result<Added, Vec<Diagnostic>> {
        let settings = settings::parse(self.file)?;
        let command = settings::command();
        let mut wrong = Vec::new();
        let mut added = Added { before: Vec::new(), flags: Vec::new() };
        let about_c = self.about_c();
        let (mut files, mut exclude) = (None, Vec::new());
        for setting in &settings {
            match setting.key.as_str() {
                "files" => files = setting.texts().map_err(|d| wrong.push(d)).ok(),
                "exclude" => {
                    exclude = setting.texts().map_err(|d| wrong.push(d)).unwrap_or_default();
                }
                "flags" => match setting.texts() {
                    Ok(flags) if about_c => added.flags = self.flags(&flags),
                    Ok(_) => {}
                    Err(d) => wrong.push(d),
                },
                _ => match self.flag(&command, setting, about_c) {
                    Ok(words) => added.before.extend(words),
                    Err(diagnostic) => wrong.push(diagnostic),
                },
            }
        }
        // CF2
        if !self.says("files") && !self.says("compile_commands") {
            let found = patterns::files(self.folder, &files.unwrap_or_default(), &exclude);
            match found {
                Ok(found) => added.before.extend(found),
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
        if wrong.is_empty() { Ok(added) } else { Err(wrong) }
    }

    /// Whether the command line says it.
    fn says(&self, id: &str) -> bool {
        self.check.value_source(id) == Some(ValueSource::CommandLine)
    }

    /// Whether settings about C count: unless files of other languages are named.
    fn about_c(&self) -> bool {
        use postbop::Lang;
        let lang = self.check.get_one::<Lang>("lang").copied();
        let mut named = self.check.get_many::<String>("files").into_iter().flatten();
        match lang {
            Some(lang) => lang == Lang::C,
            None => named.all(|name| matches!(Lang::of_file(name), None | Some(Lang::C))),
        }
    }

    /// The words of a key that is a flag.
    fn flag(
        &self,
        command: &clap::Command,
        setting: &Setting,
        about_c: bool,
    ) -> Result<Vec<String>, Diagnostic> {
        let key = setting.key.as_str();
        let arg = settings::argument(command, setting)?;
        let heading = arg.get_help_heading().unwrap_or("");
        let is_file = arg
            .get_value_names()
            .is_some_and(|names| names.iter().any(|name| matches!(name.as_str(), "FILE" | "DIR")));
        // CF5
        let does = match (RUNS.contains(&key), is_file && !READS.contains(&key)) {
            (true, _) => Some("runs a command"),
            (_, true) => Some("writes a file"),
            _ => None,
        };
        if let Some(does) = does.filter(|_| !self.trusted) {
            let what = format!("`{key}` {does}: a file that was only found cannot do that");
            let help = format!(
                "say it on the command line, or trust the file: `--config {}`",
                source::one_line(self.file.name())
            );
            return Err(Diagnostic::error("config-not-trusted", what).at(setting.at).help(help));
        }
        let words = setting.words(arg, |value| match is_file {
            true => self.path(key, value),
            false => value.to_owned(),
        })?;
        settings::judged(setting, &words)?;
        let question = |arg: &clap::Arg| arg.get_help_heading() == Some("Properties");
        let asked = command.get_arguments().any(|a| question(a) && self.says(a.get_id().as_str()));
        let loudness = ["quiet", "verbose"];
        let counts = match heading {
            // CF2, CF3
            "Properties" => about_c && !asked,
            "C" => about_c,
            _ => true,
        };
        let hushed = loudness.contains(&key) && loudness.iter().any(|id| self.says(id));
        // CF1
        let said = self.says(arg.get_id().as_str());
        Ok(if counts && !hushed && !said { words } else { Vec::new() })
    }

    /// A file as seen from here. A ready-made rule is none.
    fn path(&self, key: &str, name: &str) -> String {
        let path = self.folder.join(name);
        match key == "rule" && !path.exists() {
            true => name.to_owned(),
            false => path.to_string_lossy().into_owned(),
        }
    }

    /// Flags for the preprocessor, with folders as seen from here.
    fn flags(&self, flags: &[Value]) -> Vec<String> {
        let mut words: Vec<String> = flags.iter().map(|f| f.text.clone()).collect();
        if !self.trusted {
            let (safe, left_out) = Source { words, ..Source::default() }.untrusted();
            words = safe.flags;
            if !left_out.is_empty() {
                let (name, flags) = (self.file.name(), left_out.join(" "));
                io::complain(&format!(
                    "note: {name} is not trusted: `{}` is not passed to the preprocessor (`--config {name}` trusts it)",
                    source::one_line(&flags)
                ));
            }
        }
        const FOLDERS: [&str; 6] =
            ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];
        let seen = |name: &str| self.folder.join(name).to_string_lossy().into_owned();
        let mut next_is_path = false;
        for word in &mut words {
            if std::mem::take(&mut next_is_path) {
                *word = seen(word);
            } else if FOLDERS.contains(&word.as_str()) {
                next_is_path = true;
            } else if let Some(flag) = FOLDERS.iter().find(|f| word.starts_with(*f)) {
                *word = format!("{flag}{}", seen(&word[flag.len()..]));
            }
        }
        words
    }
}
