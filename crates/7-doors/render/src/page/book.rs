//! What a page is put together from.

use super::picture::{Picture, picture};
use super::runs::Rows;
use super::{PAGE, SCRIPTS, STYLE};
use ir::{NodeId, Program};
use rustc_hash::FxHashMap;
use serde::Serialize;
use source::SourceFile;
use std::io::{self, Write};
use std::sync::Arc;

/// Files with more lines are shown around what the page is about only.
const WHOLE_FILE: u32 = 20_000;
/// So many lines before and after.
const AROUND: u32 = 20;

/// A page that is being made.
pub(super) struct Book<'a> {
    sources: &'a [Arc<SourceFile>],
    /// The files that the page shows: their numbers among the sources, and the lines that matter.
    shown: Vec<(usize, Vec<u32>)>,
    /// Names and whether they are global.
    vars: Vec<(String, bool)>,
    statements: Vec<Statement>,
    numbers: FxHashMap<Statement, usize>,
    /// The programs that were met, by address, with the number of the first of their variables.
    programs: Vec<(usize, usize)>,
    pub(super) results: Vec<Head>,
    runs: Vec<String>,
    pictures: Vec<String>,
    pub(super) headline: String,
    pub(super) about: String,
    seconds: Option<f64>,
    pub(super) notes: Vec<String>,
    pub(super) incomplete: Vec<String>,
    /// The rows are places of the program, and no run.
    pub(super) places: bool,
    /// What is said of a place, as a title.
    pub(super) side: &'static str,
}

/// Procedure, file, line, column, text.
type Statement = (String, usize, u32, u32, String);

/// An answer, without its run.
#[derive(Serialize, Default)]
pub(super) struct Head {
    /// The question in a few words.
    pub(super) title: String,
    /// What answers are grouped by.
    pub(super) rule: String,
    pub(super) verdict: &'static str,
    pub(super) level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<(String, u32)>,
    /// How certain it is, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sure: Option<&'static str>,
    /// The same as a sentence, with the run that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) told: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) engine: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inputs: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) assumes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_of_rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    /// Where the part that repeats for ever begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) r#loop: Option<usize>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) growth: usize,
    /// The number of its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<usize>,
    /// Titles, and numbers of pictures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) pictures: Vec<(&'static str, usize)>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Head {
    /// Where it is.
    pub(super) fn place(&mut self, book: &mut Book<'_>, file: &str, line: u32) {
        if let Some(number) = book.file(file, line) {
            (self.file, self.line) = (Some(number), Some(line));
        }
    }

    pub(super) fn picture(&mut self, book: &mut Book<'_>, title: &'static str, of: &Picture<'_>) {
        self.pictures.push((title, book.pictures.len()));
        book.pictures.push(picture(of));
    }
}

/// What the page begins with.
#[derive(Serialize)]
struct Data<'a> {
    headline: &'a str,
    about: &'a str,
    /// How long all answers took together.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    incomplete: &'a [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    places: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    side: &'a str,
    files: Vec<File<'a>>,
    vars: &'a [(String, bool)],
    results: &'a [Head],
    statements: &'a [Statement],
}

/// A file's name, and parts of it: the number of the first line, and the lines.
#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    parts: Vec<(u32, String)>,
}

/// JSON that cannot end the element it stands in.
fn inert(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

/// Digits that tell something.
pub(super) fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// Text that is text in HTML.
pub(super) fn escaped(text: &str) -> String {
    let text = source::one_line(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl<'a> Book<'a> {
    pub(super) fn new(sources: &'a [Arc<SourceFile>]) -> Book<'a> {
        let mut book = Book {
            sources,
            shown: Vec::new(),
            vars: Vec::new(),
            statements: Vec::new(),
            numbers: FxHashMap::default(),
            programs: Vec::new(),
            results: Vec::new(),
            runs: Vec::new(),
            pictures: Vec::new(),
            headline: String::new(),
            about: String::new(),
            seconds: None,
            notes: Vec::new(),
            incomplete: Vec::new(),
            places: false,
            side: "",
        };
        // Where nothing has a place, the program itself is shown.
        if let Some(first) = sources.first() {
            book.file(first.name(), 1);
        }
        book
    }

    /// How long the answers took.
    pub(super) fn took(&mut self, seconds: f64) {
        self.seconds = Some(microseconds(seconds));
    }

    /// The number of a file on the page, of which a line matters.
    pub(super) fn file(&mut self, name: &str, line: u32) -> Option<usize> {
        let source = self.sources.iter().position(|f| f.name() == name)?;
        let number = self.shown.iter().position(|s| s.0 == source).unwrap_or_else(|| {
            self.shown.push((source, Vec::new()));
            self.shown.len() - 1
        });
        let lines = &mut self.shown[number].1;
        if lines.last() != Some(&line) {
            lines.push(line);
        }
        Some(number)
    }

    /// The number of the first variable of a program.
    pub(super) fn variables(&mut self, program: &Program) -> usize {
        let address = std::ptr::from_ref(program) as usize;
        if let Some(&(_, first)) = self.programs.iter().find(|p| p.0 == address) {
            return first;
        }
        let first = self.vars.len();
        self.programs.push((address, first));
        let global = |v: &ir::Var| v.kind == ir::VarKind::Global;
        self.vars.extend(program.vars.iter().map(|v| (program.text(v.name).to_owned(), global(v))));
        first
    }

    /// The number of a statement.
    pub(super) fn statement(&mut self, program: &Program, node: NodeId) -> usize {
        let info = &program.nodes[node];
        let file = program.files.get(info.origin.file as usize).map_or("", String::as_str);
        let proc = program.proc_name(info.proc);
        let (line, column) = (info.origin.line, info.origin.column);
        self.point(proc, file, (line, column), program.text(info.origin.text))
    }

    /// The number of a statement that is told by its place.
    pub(super) fn point(
        &mut self,
        proc: &str,
        file: &str,
        (line, column): (u32, u32),
        text: &str,
    ) -> usize {
        let file = self.file(file, line).unwrap_or(0);
        let key = (proc.to_owned(), file, line, column, text.to_owned());
        let next = self.statements.len();
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.statements.push(key);
        }
        number
    }

    /// Keeps a run; its number.
    pub(super) fn run(&mut self, rows: &Rows) -> usize {
        // Numbers and texts cannot fail to be written.
        self.runs.push(inert(rows).unwrap_or_default());
        self.runs.len() - 1
    }

    /// The file's lines with their numbers; of a large one, those around what matters.
    fn lines(&self, (source, matters): &(usize, Vec<u32>)) -> File<'_> {
        let file = &self.sources[*source];
        let count = file.line_count();
        let mut parts: Vec<(u32, u32)> = Vec::new();
        if count <= WHOLE_FILE {
            parts.push((1, count));
        } else {
            let mut near = matters.clone();
            near.sort_unstable();
            for line in near {
                let (from, to) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(count));
                match parts.last_mut() {
                    Some(last) if from <= last.1 + 1 => last.1 = last.1.max(to),
                    _ => parts.push((from, to)),
                }
            }
        }
        let text = |(from, to): (u32, u32)| {
            let lines: Vec<&str> = (from..=to).map(|n| file.line(n)).collect();
            (from, lines.join("\n"))
        };
        File { name: file.name(), parts: parts.into_iter().map(text).collect() }
    }

    /// Writes the page.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let data = Data {
            headline: &self.headline,
            about: &self.about,
            seconds: self.seconds,
            notes: &self.notes,
            incomplete: &self.incomplete,
            places: self.places,
            side: self.side,
            files: self.shown.iter().map(|shown| self.lines(shown)).collect(),
            vars: &self.vars,
            results: &self.results,
            statements: &self.statements,
        };
        let data = inert(&data)?;
        let title = escaped(&self.headline);
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once('@') {
            let (word, tail) = after.split_once('@').unwrap_or((after, ""));
            out.write_all(before.as_bytes())?;
            match word {
                "TITLE" => out.write_all(title.as_bytes())?,
                "STYLE" => out.write_all(STYLE.as_bytes())?,
                "SCRIPT" => SCRIPTS.iter().try_for_each(|s| out.write_all(s.as_bytes()))?,
                "DATA" => out.write_all(data.as_bytes())?,
                _ => self.parts(out)?,
            }
            rest = tail;
        }
        out.write_all(rest.as_bytes())
    }

    /// The runs and the pictures.
    fn parts(&self, out: &mut dyn Write) -> io::Result<()> {
        for (i, run) in self.runs.iter().enumerate() {
            writeln!(out, "<script type=\"application/json\" id=\"run-{i}\">{run}</script>")?;
        }
        for (i, picture) in self.pictures.iter().enumerate() {
            writeln!(out, "<template id=\"picture-{i}\">{picture}</template>")?;
        }
        Ok(())
    }
}
