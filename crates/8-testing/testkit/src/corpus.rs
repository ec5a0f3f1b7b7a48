//! Programs with known answers: `corpus/` of this workspace, and those of others where present.

use front_bp::{Dialect, LowerOptions};
use input::{CProgram, CText, Input, Lang};
use property::Property;
use source::SourceFile;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A program with questions and their answers.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its path below the corpus, with `/`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The table of precedences.
    pub dialect: Dialect,
    /// Where it starts, if not at `main`.
    pub entry: Option<String>,
    /// What is asked, and what is right.
    pub questions: Vec<(Property, Expected)>,
}

/// What is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// The goal is not reached: `holds`, `unreachable`.
    Holds,
    /// The goal is reached: `violated`, `reachable`.
    Violated {
        /// Line and column of the assertion at which a shortest trace ends.
        at: Option<(u32, u32)>,
    },
    /// Nobody knows: engines must agree with each other.
    Agree,
}

/// A corpus that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorpusError {
    /// Which file.
    pub file: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.what)
    }
}

impl std::error::Error for CorpusError {}

impl Case {
    /// The program that the text describes; or what the front end says against it, one a line. The name tells the
    /// language; what is wrong with a boolean program is told as its front end does.
    pub fn program(&self) -> Result<Arc<ir::Program>, String> {
        // Names of cases from folders without an index have an entry behind them.
        let lang = Lang::of_file(&self.name).unwrap_or(Lang::Bp);
        if lang == Lang::Bp {
            return lower(&self.name, &self.text, self.dialect, self.entry.clone());
        }
        let mut input = Input { entry: self.entry.clone(), ..Input::default() };
        if lang == Lang::C {
            let (name, text) = (self.name.clone(), self.text.clone());
            let c = CProgram::new(vec![CText { name, text, directory: None }]);
            input.c = Some(Arc::new(c.map_err(|e| e.to_string())?));
        }
        let file = SourceFile::new(&self.name, &self.text).map_err(|e| e.to_string())?;
        let asked: Vec<Property> = self.questions.iter().map(|(p, _)| p.clone()).collect();
        input::load_for(&[Arc::new(file)], &input, &asked)
            .map(Arc::new)
            .map_err(|error| format!("{error:?}"))
    }

    /// Reads the directives of a text.
    pub fn parse(name: &str, text: &str) -> Result<Case, CorpusError> {
        let error = |what: String| CorpusError { file: name.to_owned(), what };
        let mut case = Case {
            name: name.to_owned(),
            text: text.to_owned(),
            dialect: Dialect::Standard,
            entry: None,
            questions: Vec::new(),
        };
        let mut asked: Option<Property> = None;
        let mut origin = false;
        for line in text.lines() {
            let Some(directive) = line.strip_prefix("//@") else { continue };
            let Some((key, value)) = directive.split_once(':') else {
                return Err(error(format!("`{line}` is no directive")));
            };
            match (key.trim(), value.trim()) {
                ("property", value) => {
                    let property = property(value)
                        .ok_or_else(|| error(format!("unknown property `{value}`")))?;
                    if asked.replace(property).is_some() {
                        return Err(error("a property without a verdict".into()));
                    }
                }
                ("verdict", value) => {
                    let property =
                        asked.take().ok_or_else(|| error("a verdict without a property".into()))?;
                    let expected = expected(&property, value)
                        .ok_or_else(|| error(format!("unknown verdict `{value}`")))?;
                    case.questions.push((property, expected));
                }
                ("origin", _) => origin = true,
                ("entry", value) => case.entry = Some(value.to_owned()),
                ("dialect", "satabs") => case.dialect = Dialect::Satabs,
                _ => return Err(error(format!("unknown directive `{line}`"))),
            }
        }
        if asked.is_some() || case.questions.is_empty() || !origin {
            return Err(error("needs properties with verdicts, and an origin".into()));
        }
        Ok(case)
    }
}

/// The program that a text describes; or what the front end says against it.
pub fn lower(
    name: &str,
    text: &str,
    dialect: Dialect,
    entry: Option<String>,
) -> Result<Arc<ir::Program>, String> {
    let lines = |errors: Vec<String>| errors.join("\n");
    let (tree, errors) = front_bp::parse(text, dialect);
    if !errors.is_empty() {
        return Err(lines(errors.iter().map(|e| e.to_string()).collect()));
    }
    let file = SourceFile::new(name, text).map_err(|e| e.to_string())?;
    front_bp::lower(&tree, &file, &LowerOptions { entry })
        .map(Arc::new)
        .map_err(|errors| lines(errors.iter().map(|e| e.kind.to_string()).collect()))
}

fn property(text: &str) -> Option<Property> {
    match text.split_once(' ') {
        None if text == "assert" => Some(Property::Assert),
        Some(("reach", label)) => Some(Property::reach(label.trim())),
        Some(("ltl", formula)) => Some(Property::ltl(formula.trim())),
        _ => None,
    }
}

fn expected(property: &Property, text: &str) -> Option<Expected> {
    match (property, text) {
        (Property::Reach { .. }, "reachable") => Some(Expected::Violated { at: None }),
        (Property::Reach { .. }, "unreachable") => Some(Expected::Holds),
        (Property::Assert | Property::Ltl { .. }, "holds") => Some(Expected::Holds),
        (Property::Assert | Property::Ltl { .. }, "violated") => {
            Some(Expected::Violated { at: None })
        }
        (Property::Assert, text) => {
            let (line, column) = text.strip_prefix("violated at ")?.split_once(':')?;
            Some(Expected::Violated { at: Some((line.parse().ok()?, column.parse().ok()?)) })
        }
        _ => None,
    }
}

/// The folder `corpus/` of this workspace.
pub fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus")
}

/// The cases of this workspace's corpus, by name.
pub fn own() -> Result<Vec<Case>, CorpusError> {
    let root = own_folder();
    let mut paths = Vec::new();
    for ending in ["bp", "rem", "pds", "c"] {
        paths.extend(files(&root, ending)?);
    }
    paths.into_iter().map(|path| Case::parse(&relative(&root, &path), &read(&path)?)).collect()
}

/// Where the corpora of others lie: `$POSTBOP_CORPUS`, or `../shared/corpus` beside the workspace;
/// or why there is none.
pub fn shared_folder() -> Result<PathBuf, String> {
    let folder = match std::env::var_os("POSTBOP_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus"),
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err("neither $POSTBOP_CORPUS nor ../shared/corpus is a folder".to_owned())
    }
}

/// What was found of the corpora of others.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Programs with answers, or on which engines must agree.
    pub cases: Vec<Case>,
    /// Programs that the front end must refuse: name, text, dialect.
    pub refused: Vec<(String, String, Dialect)>,
    /// What was left out, and why.
    pub skipped: Vec<(String, String)>,
}

/// The boolean programs of others. Never an error: what cannot be used is listed as skipped.
pub fn shared() -> Shared {
    let mut out = Shared::default();
    let root = match shared_folder() {
        Ok(root) => root.join("bp"),
        Err(why) => {
            out.skipped.push(("the corpora of others".to_owned(), why));
            return out;
        }
    };
    let indices = files(&root, "tsv").unwrap_or_default();
    for index in &indices {
        if let Err(e) = read_index(&root, index, &mut out) {
            out.skipped.push((e.file, e.what));
        }
    }
    // Folders without an index have no answers: engines must agree on them.
    let indexed: Vec<&Path> = indices.iter().filter_map(|i| i.parent()).collect();
    for path in files(&root, "bp").unwrap_or_default() {
        if path.parent().is_some_and(|folder| indexed.contains(&folder)) {
            continue;
        }
        match read(&path) {
            Ok(text) => unanswered(&relative(&root, &path), &text, &mut out),
            Err(e) => out.skipped.push((e.file, e.what)),
        }
    }
    if out.cases.is_empty() && out.skipped.is_empty() {
        out.skipped.push((root.display().to_string(), "holds no programs".to_owned()));
    }
    out
}

/// A program without an index: each procedure that nobody calls is an entry.
fn unanswered(name: &str, text: &str, out: &mut Shared) {
    let (tree, errors) = front_bp::parse(text, Dialect::Standard);
    if let Some(error) = errors.first() {
        out.skipped.push((name.to_owned(), format!("does not parse: {error}")));
        return;
    }
    let names: Vec<String> =
        tree.procs().iter().map(|p| tree.text(p.name.symbol).to_owned()).collect();
    for entry in names {
        let mut questions = vec![(Property::Assert, Expected::Agree)];
        if text.contains("SLIC_ERROR:") {
            questions.push((Property::reach("SLIC_ERROR"), Expected::Agree));
        }
        out.cases.push(Case {
            name: format!("{name}#{entry}"),
            text: text.to_owned(),
            dialect: Dialect::Standard,
            entry: Some(entry),
            questions,
        });
    }
}

/// Reads an `index.tsv`: file, property, expected.
fn read_index(root: &Path, index: &Path, out: &mut Shared) -> Result<(), CorpusError> {
    let folder = index.parent().unwrap_or(root);
    for line in read(index)?.lines().skip(1) {
        let mut fields = line.split('\t').map(str::trim);
        let (Some(file), Some(asked), Some(answer)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let path = folder.join(file);
        let name = relative(root, &path);
        let text = match read(&path) {
            Ok(text) => text,
            Err(e) => {
                out.skipped.push((name, e.what));
                continue;
            }
        };
        let dialect = if name.starts_with("satabs/") { Dialect::Satabs } else { Dialect::Standard };
        if answer.starts_with("error") {
            out.refused.push((name, text, dialect));
            continue;
        }
        // "assert or label error (see the file)": there is no such label.
        let property = match property(asked) {
            Some(property) => property,
            None if asked.starts_with("assert") => Property::Assert,
            None => {
                out.skipped.push((name, format!("unknown property `{asked}`")));
                continue;
            }
        };
        let expected = match answer {
            "holds" | "unreachable" => Expected::Holds,
            "violated" | "reachable" => Expected::Violated { at: None },
            _ => {
                out.skipped.push((name, format!("unknown answer `{answer}`")));
                continue;
            }
        };
        let questions = vec![(property, expected)];
        out.cases.push(Case { name, text, dialect, entry: None, questions });
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, CorpusError> {
    let bytes = std::fs::read(path)
        .map_err(|e| CorpusError { file: path.display().to_string(), what: e.to_string() })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The files below `root` that end so, in order of their paths.
fn files(root: &Path, ending: &str) -> Result<Vec<PathBuf>, CorpusError> {
    let error = |path: &Path, e: std::io::Error| CorpusError {
        file: path.display().to_string(),
        what: e.to_string(),
    };
    let mut out = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|e| error(&folder, e))? {
            let path = entry.map_err(|e| error(&folder, e))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                out.push(path);
            }
        }
    }
    out.sort();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_corpus_is_well_formed() {
        let cases = own().unwrap();
        assert!(cases.len() >= 100, "only {} cases", cases.len());
        for case in &cases {
            let program = case.program().unwrap_or_else(|e| panic!("{}: {e}", case.name));
            program.validate().unwrap_or_else(|e| panic!("{}: {e}", case.name));
            for (property, expected) in &case.questions {
                property.question(&program).unwrap_or_else(|e| panic!("{}: {e}", case.name));
                assert_ne!(*expected, Expected::Agree);
            }
        }
    }

    #[test]
    fn directives_are_checked() {
        let bad = |text: &str| Case::parse("f.bp", text).unwrap_err().what;
        assert!(bad("void main() begin end").contains("needs properties"));
        assert!(bad("//@ property: reach R\n//@ origin: x").contains("needs properties"));
        assert!(bad("//@ verdict: holds").contains("without a property"));
        assert!(bad("//@ property: assert\n//@ property: assert").contains("without a verdict"));
        assert!(bad("//@ property: assert\n//@ verdict: reachable").contains("unknown verdict"));
        assert!(bad("//@ property: mu F g").contains("unknown property"));
        assert!(bad("//@ colour: red").contains("unknown directive"));
    }

    #[test]
    fn others_are_read_or_skipped_with_a_reason() {
        let shared = shared();
        assert!(!shared.cases.is_empty() || !shared.skipped.is_empty());
        for case in &shared.cases {
            case.program().unwrap_or_else(|e| panic!("{}: {e}", case.name));
        }
        for (name, text, dialect) in &shared.refused {
            let error = lower(name, text, *dialect, None).expect_err(name);
            assert!(error.contains("concurren"), "{name}: {error}");
        }
    }
}
