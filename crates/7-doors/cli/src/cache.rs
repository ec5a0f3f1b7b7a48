//! What was made of files before: `--cache DIR`.
//!
//! A preprocessed unit is kept under the hash of all that its making depends on besides files: the version of `bop`, the
//! compiler's file, the folder, the flags, the environment. An entry lists the files that were read, with their hashes.
//!
//! - CA1. An entry counts if each file that it lists has the content that it had.
//! - CA2. And if the same of the names that are included anywhere in these files, or asked for by `__has_include`, are there
//!   in all folders that are searched, and in those of the files: else another file may be meant now.
//! - CA3. Nothing is kept where that does not tell: a name that is computed, a flag or a macro that reads something else
//!   (`__TIME__`), a file that was changed after this process began.
//! - CA4. An entry that is not what was written, by its own hash, is none. It is written beside its name and then renamed:
//!   it is there as a whole or not at all, whoever else writes.

use crate::private::unforeseen;
use postbop::preprocess::Source;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// What an entry begins with.
const MAGIC: &str = "postbop-cache 1 ";
/// Clocks of file systems are coarse.
const COARSE: Duration = Duration::from_millis(100);
/// Flags that read, or are looked up in, what is not listed.
const OPAQUE_FLAGS: [&str; 11] = [
    "@",
    "-imacros",
    "-isysroot",
    "--sysroot",
    "-iprefix",
    "-iwithprefix",
    "-specs",
    "--specs",
    "-B",
    "-fmodules",
    "-include-pch",
];
/// Flags that name a folder to search.
const FOLDER_FLAGS: [&str; 5] = ["-I", "-iquote", "-isystem", "-idirafter", "-F"];
/// Folders that compilers search by themselves.
const STANDARD: [&str; 2] = ["/usr/local/include", "/usr/include"];
/// What may tell a compiler something.
const ENVIRONMENT: [&str; 9] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "SOURCE_DATE_EPOCH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "SDKROOT",
];

/// What an answer begins with.
const ANSWER: &[u8] = b"postbop-answer 1 ";

/// Answers of searches, each under the hash of its question (rules KA): another question has another name, so that none is
/// ever out of date. What is damaged is none (CA4).
pub(crate) struct Answers {
    folder: PathBuf,
    /// Who answers.
    state: String,
}

impl Answers {
    /// The folder, which is made if it is not there.
    pub(crate) fn open(folder: &str) -> Result<Answers, String> {
        let folder = Path::new(folder).join("answers");
        fs::create_dir_all(&folder).map_err(|e| format!("`--cache {}`: {e}", folder.display()))?;
        let exe = std::env::current_exe().ok().and_then(|exe| file_state(&exe));
        let state = exe.ok_or("`--cache`: it is not known which program this is")?;
        Ok(Answers { folder, state: format!("{} {state}", env!("CARGO_PKG_VERSION")) })
    }

    fn name(&self, question: &[u8]) -> PathBuf {
        let mut hasher = Sha256::new();
        hasher.update(self.state.len().to_le_bytes());
        hasher.update(&self.state);
        hasher.update(question);
        self.folder.join(hex(&hasher.finalize()))
    }
}

impl postbop::Kept for Answers {
    fn find(&self, question: &[u8]) -> Option<Vec<u8>> {
        let bytes = fs::read(self.name(question)).ok()?;
        let (hash, answer) = bytes.strip_prefix(ANSWER)?.split_at_checked(64)?;
        (hash == hex(&Sha256::digest(answer)).as_bytes()).then(|| answer.to_vec())
    }

    fn keep(&self, question: &[u8], answer: &[u8]) {
        let mut entry = ANSWER.to_vec();
        entry.extend_from_slice(hex(&Sha256::digest(answer)).as_bytes());
        entry.extend_from_slice(answer);
        // Who cannot write has no cache, and no error.
        let _ = write(&self.name(question), &entry);
    }
}

/// A folder with what was made before.
pub(crate) struct Cache {
    folder: PathBuf,
    start: SystemTime,
    files: Mutex<HashMap<PathBuf, Arc<Facts>>>,
    there: Mutex<HashMap<PathBuf, bool>>,
}

/// What is known of a file.
#[derive(Default)]
struct Facts {
    /// Its content's; empty where there is none.
    hash: String,
    /// The names that it includes, or asks for.
    names: BTreeSet<String>,
    /// What it makes depends on more.
    opaque: bool,
}

impl Cache {
    /// The folder, which is made if it is not there.
    pub(crate) fn open(folder: &str) -> Result<Cache, String> {
        fs::create_dir_all(folder).map_err(|e| format!("`--cache {folder}`: {e}"))?;
        Ok(Cache {
            folder: PathBuf::from(folder),
            start: SystemTime::now(),
            files: Mutex::default(),
            there: Mutex::default(),
        })
    }

    /// The text of a unit: the one that is kept, or the one that is made. `compiler` is the file that makes it.
    pub(crate) fn text<E>(
        &self,
        source: &Source,
        compiler: Option<&Path>,
        make: impl FnOnce() -> Result<String, E>,
    ) -> Result<String, E> {
        let Some(key) = key(source, compiler) else { return make() };
        let name = self.folder.join(format!("{key}.i"));
        if let Some(text) = self.kept(&name, source) {
            return Ok(text);
        }
        let text = make()?;
        if let Some(entry) = self.entry(&text, source) {
            // Who cannot write has no cache, and no error.
            let _ = write(&name, entry.as_bytes());
        }
        Ok(text)
    }

    /// The text that is kept, if it is what would be made now (CA1, CA2, CA4).
    fn kept(&self, name: &Path, source: &Source) -> Option<String> {
        let bytes = fs::read(name).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let (hash, body) = text.strip_prefix(MAGIC)?.split_once('\n')?;
        if hash != sha256(body) {
            return None;
        }
        let (head, text) = body.split_once("\n\n")?;
        let mut lines = head.lines();
        let there = lines.next()?;
        let mut files = BTreeSet::new();
        for line in lines {
            let (hash, path) = line.split_once(' ')?;
            let path = PathBuf::from(path);
            if self.facts(&path).hash != hash {
                return None;
            }
            files.insert(path);
        }
        (self.there(&files, source)? == there).then(|| text.to_owned())
    }

    /// What is written for a text; none if that may be another one next time (CA3).
    fn entry(&self, text: &str, source: &Source) -> Option<String> {
        let files = read_files(text, source)?;
        let there = self.there(&files, source)?;
        let mut body = format!("{there}\n");
        for path in &files {
            let name = path.to_str().filter(|name| !name.contains('\n'))?;
            body.push_str(&format!("{} {name}\n", self.facts(path).hash));
            // It may have been another one when the compiler read it.
            if self.is_new(path) {
                return None;
            }
        }
        body.push('\n');
        body.push_str(text);
        Some(format!("{MAGIC}{}\n{body}", sha256(&body)))
    }

    /// Whether a file was changed since this process began, or just before.
    fn is_new(&self, path: &Path) -> bool {
        let Ok(data) = fs::metadata(path) else { return false };
        let limit = self.start.checked_sub(COARSE).unwrap_or(SystemTime::UNIX_EPOCH);
        #[cfg(unix)]
        {
            // Whoever sets the time of its content changes this one.
            use std::os::unix::fs::MetadataExt;
            let since = limit.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let (seconds, nanos) = (data.ctime(), data.ctime_nsec());
            if (seconds, nanos) >= (since.as_secs() as i64, i64::from(since.subsec_nanos())) {
                return true;
            }
        }
        data.modified().map_or(true, |at| at >= limit)
    }

    fn facts(&self, path: &Path) -> Arc<Facts> {
        let known = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let facts = Arc::new(fs::read(path).map(|bytes| facts(&bytes)).unwrap_or_default());
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.entry(path.to_owned()).or_insert(facts).clone()
        })
    }

    /// Which of the names that files include are there, as a hash (CA2); none if one of them cannot be told.
    fn there(&self, files: &BTreeSet<PathBuf>, source: &Source) -> Option<String> {
        let (mut folders, mut names) = searched(source)?;
        for path in files {
            let facts = self.facts(path);
            if facts.opaque {
                return None;
            }
            names.extend(facts.names.iter().cloned());
            folders.extend(path.parent().map(Path::to_owned));
        }
        let mut hasher = Sha256::new();
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        for folder in &folders {
            for name in &names {
                let path = folder.join(name);
                let is = match there.get(&path) {
                    Some(is) => *is,
                    None => {
                        let is = path.is_file();
                        there.insert(path.clone(), is);
                        is
                    }
                };
                if is {
                    hasher.update(path.to_string_lossy().as_bytes());
                    hasher.update([0]);
                }
            }
        }
        Some(hex(&hasher.finalize()))
    }
}

/// Under which name a unit is kept; none if its flags read what is not listed.
fn key(source: &Source, compiler: Option<&Path>) -> Option<String> {
    let opaque = |flag: &String| OPAQUE_FLAGS.iter().any(|f| flag.starts_with(f));
    if source.flags.iter().any(opaque) || source.file == "-" {
        return None;
    }
    let mut parts: Vec<String> = vec![env!("CARGO_PKG_VERSION").to_owned()];
    parts.push(file_state(&std::env::current_exe().ok()?)?);
    parts.push(file_state(&fs::canonicalize(compiler?).ok()?)?);
    parts.push(std::env::current_dir().ok()?.to_str()?.to_owned());
    parts.push(source.directory.clone().unwrap_or_default());
    parts.push(source.file.clone());
    for name in ENVIRONMENT {
        parts.push(format!("{name}={:?}", std::env::var_os(name)));
    }
    parts.extend(source.flags.iter().cloned());
    let lengths = parts.iter().map(|part| format!("{}:{part}", part.len()));
    Some(sha256(&lengths.collect::<String>()))
}

/// A file that is not read, as far as its name, size and time tell.
fn file_state(path: &Path) -> Option<String> {
    let data = fs::metadata(path).ok()?;
    let since = data.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", path.to_str()?, data.len(), since.as_nanos()))
}

/// The folders that flags name, and the files.
fn searched(source: &Source) -> Option<(BTreeSet<PathBuf>, BTreeSet<String>)> {
    let base = Path::new(source.directory.as_deref().unwrap_or(""));
    let mut folders: BTreeSet<PathBuf> = STANDARD.iter().map(PathBuf::from).collect();
    let mut names = BTreeSet::new();
    let mut flags = source.flags.iter();
    while let Some(flag) = flags.next() {
        if flag == "-include" {
            names.insert(flags.next()?.clone());
        } else if let Some(kind) = FOLDER_FLAGS.iter().find(|kind| flag.starts_with(**kind)) {
            let folder = match flag.len() == kind.len() {
                true => flags.next()?.as_str(),
                false => &flag[kind.len()..],
            };
            folders.insert(base.join(folder));
        }
    }
    folders.insert(base.to_owned());
    for name in ["CPATH", "C_INCLUDE_PATH"] {
        let told = std::env::var_os(name).unwrap_or_default();
        folders.extend(std::env::split_paths(&told).map(|folder| base.join(folder)));
    }
    Some((folders, names))
}

/// The files that a preprocessed text comes from, by its line markers; none if one of them cannot be told.
fn read_files(text: &str, source: &Source) -> Option<BTreeSet<PathBuf>> {
    let base = Path::new(source.directory.as_deref().unwrap_or(""));
    let mut out = BTreeSet::from([base.join(&source.file)]);
    let mut last = "";
    for line in text.lines().filter(|line| line.starts_with("# ")) {
        let Some((_, rest)) = line.split_once('"') else { continue };
        let Some((name, _)) = rest.rsplit_once('"') else { continue };
        if name == last || name.starts_with('<') || name.is_empty() {
            continue;
        }
        if name.contains('\\') {
            return None;
        }
        last = name;
        // `//` ends the folder that the compiler runs in.
        if !name.ends_with("//") {
            out.insert(base.join(name));
        }
    }
    Some(out)
}

/// What a file includes.
fn facts(bytes: &[u8]) -> Facts {
    let text = String::from_utf8_lossy(bytes);
    let mut out = Facts { hash: hex(&Sha256::digest(bytes)), ..Facts::default() };
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for macro_ in ["__TIME__", "__DATE__", "__TIMESTAMP__", "__has_embed"] {
        let mut rest = &*text;
        while let Some(at) = rest.find(macro_) {
            let (before, after) = (&rest[..at], &rest[at + macro_.len()..]);
            out.opaque |= !before.ends_with(word) && !after.starts_with(word);
            rest = after;
        }
    }
    out.opaque |= text.contains("%:") || text.contains("??=");
    for line in text.lines() {
        if let Some(directive) = line.trim_start().strip_prefix('#') {
            let directive = directive.trim_start();
            let rest = ["include_next", "include", "import"]
                .iter()
                .find_map(|name| directive.strip_prefix(name))
                .filter(|rest| !rest.starts_with(word));
            if let Some(rest) = rest {
                match quoted(rest) {
                    Some(name) => drop(out.names.insert(name.to_owned())),
                    None => out.opaque = true,
                }
            } else if directive.starts_with("embed") || directive.starts_with(['/', '\\']) {
                out.opaque = true;
            }
        } else if line.contains("*/") && line.contains('#') && line.contains("include") {
            // A directive may stand behind a comment.
            out.opaque = true;
        }
        for (at, name) in line.match_indices("__has_include") {
            let rest = line[at + name.len()..].trim_start_matches("_next").trim_start();
            if let Some(rest) = rest.strip_prefix('(') {
                match quoted(rest) {
                    Some(name) => drop(out.names.insert(name.to_owned())),
                    None => out.opaque = true,
                }
            }
        }
    }
    out
}

/// The name between `<>` or quotes that a text begins with.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (name, _) = match text.strip_prefix('<') {
        Some(rest) => rest.split_once('>')?,
        None => text.strip_prefix('"')?.split_once('"')?,
    };
    Some(name)
}

/// Writes a file as a whole or not at all.
fn write(name: &Path, text: &[u8]) -> std::io::Result<()> {
    let beside = name.with_file_name(format!(".part-{}", unforeseen()?));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, name));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> (Vec<String>, bool) {
        let facts = facts(text.as_bytes());
        (facts.names.into_iter().collect(), facts.opaque)
    }

    #[test]
    fn what_a_file_includes_is_seen() {
        let plain = |list: &[&str]| (list.iter().map(|n| (*n).to_owned()).collect(), false);
        assert_eq!(names("#include <a.h>\n # include \"b/c.h\" // x\n"), plain(&["a.h", "b/c.h"]));
        assert_eq!(names("#include_next<a.h>\nint include;\n"), plain(&["a.h"]));
        let asks = "#if defined __has_include && __has_include(<x.h>)\n#endif\n";
        assert_eq!(names(asks), plain(&["x.h"]));
        for opaque in [
            "#include NAME\n",
            "int t = sizeof __TIME__;\n",
            "%:include <a.h>\n",
            "/* x */ #include <a.h>\n",
            "# /* x */ include <a.h>\n",
            "#\\\ninclude <a.h>\n",
            "#if __has_include(NAME)\n",
            "#embed <x>\n",
        ] {
            assert!(names(opaque).1, "{opaque}");
        }
        assert!(!names("int my__TIME__x, __TIME__R;\n").1);
    }

    #[test]
    fn flags_that_read_something_else_keep_nothing() {
        let of = |flags: &[&str]| Source {
            file: "a.c".to_owned(),
            flags: flags.iter().map(|f| (*f).to_owned()).collect(),
            ..Source::default()
        };
        let cc = std::env::current_exe().ok();
        let key = |flags: &[&str]| key(&of(flags), cc.as_deref());
        assert!(key(&["-Ix"]).is_some());
        assert_ne!(key(&["-Ix"]), key(&["-Iy"]));
        assert_ne!(key(&["-I", "x"]), key(&["-Ix"]));
        assert_eq!(key(&["-imacros", "m.h"]), None);
        assert_eq!(key(&["@list"]), None);
    }
}
