//! Regular sets of configurations, as users give them: expressions over frames, or small automata.
//!
//! An automaton reads the frames of a stack, the topmost first. It looks as stacks are printed
//! (`bop states --stacks`):
//!
//! ```text
//! # `f` on top, and `g` anywhere below
//! state 0 (start)
//!   f -> 1
//! state 1
//!   !g -> 1
//!   g -> 2
//! state 2 (end)
//!   . -> 2
//! ```
//!
//! Each line below a state has a single frame as expressions write it (`f[x < y]` with a condition on its
//! variables), `->`, and a state; what follows two blanks after the state is not read. Without `(start)` the first state is the initial one.

use engine_pds::{Conditions, Letter, Refused, RegularSet, Waiting, parse_frame};
use input::{Error, ForStacks, Lang, rejected};
use ir::{ExprId, Exprs, Id, NodeId, ProcId, Program, VarId};
use property::{FormulaErrorKind, frame_condition};
use rustc_hash::FxHashMap;
use source::{Diagnostic, SourceFile, Span, suggest};
use std::sync::Arc;

/// A regular set of configurations, as it was given.
#[derive(Clone, Debug)]
pub enum Configurations {
    /// A regular expression over frames: `f .* g .*`. The file holds nothing else; its name tells
    /// where it stood.
    Expression(Arc<SourceFile>),
    /// An automaton over frames.
    Automaton(Arc<SourceFile>),
}

impl Configurations {
    /// How it is called.
    pub fn title(&self) -> String {
        match self {
            Configurations::Expression(text) => text.text().trim().to_owned(),
            Configurations::Automaton(file) => format!("@{}", file.name()),
        }
    }

    /// The set of configurations of a program, to which the expressions of its conditions are added.
    pub fn read(&self, of: &mut ForStacks, lang: Lang) -> Result<RegularSet, Error> {
        let waiting = waiting(lang);
        let mut exprs = of.program.exprs.clone();
        let scopes = Scopes::new(of);
        let set = match self {
            Configurations::Expression(file) => {
                RegularSet::parse_with(&of.program, &mut exprs, file.text(), waiting, &scopes)
                    .map_err(|error| rejected(file, [error.diagnostic()]))?
            }
            Configurations::Automaton(file) => {
                let mut reader = Reader::new(&scopes, &mut exprs, file.text(), waiting);
                let set = reader.read();
                if !reader.errors.is_empty() {
                    return Err(rejected(file, reader.errors));
                }
                set
            }
        };
        of.program.exprs = exprs;
        Ok(set)
    }
}

/// Which variables the frame at a node has.
struct Scopes<'a> {
    of: &'a ForStacks,
    scope: Vec<usize>,
    /// For each scope the procedure, and the locals.
    scopes: Vec<(ProcId, Vec<VarId>)>,
}

impl<'a> Scopes<'a> {
    fn new(of: &'a ForStacks) -> Scopes<'a> {
        let program = &of.program;
        let mut ids: FxHashMap<(ProcId, Vec<VarId>), usize> = FxHashMap::default();
        let mut scopes = Vec::new();
        let mut scope = Vec::with_capacity(program.nodes.len());
        for (node, info) in program.nodes.enumerate() {
            let own = of.locals.get(&node).unwrap_or(&program.procs[info.proc].locals);
            let key = (info.proc, own.clone());
            scope.push(*ids.entry(key.clone()).or_insert_with(|| {
                scopes.push(key);
                scopes.len() - 1
            }));
        }
        Scopes { of, scope, scopes }
    }
}

impl Conditions for Scopes<'_> {
    fn scope(&self, node: NodeId) -> usize {
        self.scope[node.index()]
    }
    fn read(
        &self,
        exprs: &mut Exprs,
        text: &str,
        range: std::ops::Range<usize>,
        scope: usize,
    ) -> Result<ExprId, Refused> {
        let (proc, locals) = &self.scopes[scope];
        frame_condition(&self.of.program, exprs, text, range, (*proc, locals)).map_err(|error| {
            let missing = matches!(
                error.kind,
                FormulaErrorKind::UnknownVariable { .. } | FormulaErrorKind::OtherFrame { .. }
            );
            Refused { missing, diagnostic: error.diagnostic() }
        })
    }
    fn controls(&self) -> &[String] {
        &self.of.controls
    }
}

/// Refuses a set to start from in which there is nothing.
pub(crate) fn can_start(
    given: &Configurations,
    set: &RegularSet,
    program: &Program,
) -> Result<(), Error> {
    if set.has_stacks(program) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "no stack is one of `{}`, so nothing starts there: a frame below another must wait in a \
         call of the procedure that the upper one belongs to",
        given.title()
    )))
}

/// What frames below the top are known by in a language.
pub(crate) fn waiting(lang: Lang) -> Waiting {
    match lang {
        Lang::Pds => Waiting::Return,
        _ => Waiting::Call,
    }
}

/// A piece of a line, and where it begins.
type Piece<'t> = (usize, &'t str);

struct Reader<'a> {
    scopes: &'a Scopes<'a>,
    exprs: &'a mut Exprs,
    text: &'a str,
    waiting: Waiting,
    errors: Vec<Diagnostic>,
    states: FxHashMap<&'a str, usize>,
    /// In order: names, and the marks `start` and `end`.
    order: Vec<(Piece<'a>, bool, bool)>,
    edges: Vec<(usize, Vec<Letter>, Piece<'a>)>,
}

impl<'a> Reader<'a> {
    fn new(
        scopes: &'a Scopes<'a>,
        exprs: &'a mut Exprs,
        text: &'a str,
        waiting: Waiting,
    ) -> Reader<'a> {
        Reader {
            scopes,
            exprs,
            text,
            waiting,
            errors: Vec::new(),
            states: FxHashMap::default(),
            order: Vec::new(),
            edges: Vec::new(),
        }
    }

    fn error(&mut self, code: &'static str, message: String, (at, text): Piece<'_>, help: &str) {
        let span = Span::new(at as u32, (at + text.len()) as u32);
        let mut out = Diagnostic::error(code, message).at(span);
        out.help = (!help.is_empty()).then(|| help.to_owned());
        self.errors.push(out);
    }

    fn read(&mut self) -> RegularSet {
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            // A name may contain `#`, but does not begin with it.
            let comment = |(i, _): &(usize, char)| {
                line[*i..].starts_with('#') && !line[..*i].ends_with(|c: char| !c.is_whitespace())
            };
            let end = line.char_indices().find(comment).map_or(line.len(), |(i, _)| i);
            let piece = trimmed((at, &line[..end]));
            at += line.len();
            if piece.1.is_empty() || piece.1.starts_with("stacks below ") {
                continue;
            }
            match piece.1.strip_prefix("state").filter(|rest| rest.starts_with([' ', '\t'])) {
                Some(rest) => self.state((piece.0 + "state".len(), rest)),
                None => self.edge(piece),
            }
        }
        self.set()
    }

    /// `state NAME (start, end)`
    fn state(&mut self, rest: Piece<'a>) {
        let rest = trimmed(rest);
        let (name, marks) = rest.1.split_at(rest.1.find([' ', '\t', '(']).unwrap_or(rest.1.len()));
        let marks = trimmed((rest.0 + name.len(), marks));
        if self.states.insert(name, self.order.len()).is_some() {
            let message = format!("state `{name}` is given twice");
            self.error("automaton-twice", message, (rest.0, name), "");
        }
        let inside = marks.1.strip_prefix('(').and_then(|m| m.strip_suffix(')'));
        let (mut start, mut end) = (false, false);
        for word in inside.unwrap_or(marks.1).split(',').map(str::trim) {
            match word {
                "start" => start = true,
                "end" => end = true,
                "" => {}
                _ => {
                    let message = format!("`{word}` is no mark of a state");
                    let help = "the marks are `(start)`, `(end)` and `(start, end)`";
                    self.error("automaton-mark", message, marks, help);
                }
            }
        }
        self.order.push(((rest.0, name), start, end));
    }

    /// `FRAME -> STATE  anything`
    fn edge(&mut self, line: Piece<'a>) {
        let Some((frame, target)) = arrow(line.1).map(|at| (&line.1[..at], &line.1[at + 2..]))
        else {
            let help = "a line is `state NAME`, `state NAME (end)` or `FRAME -> STATE`";
            return self.error("automaton-line", "no arrow in this line".to_owned(), line, help);
        };
        let Some(from) = self.order.len().checked_sub(1) else {
            let help = "begin with a line `state 0`";
            let message = "an arrow before the first state".to_owned();
            return self.error("automaton-line", message, line, help);
        };
        let target = trimmed((line.0 + frame.len() + "->".len(), target));
        let name = target.1.split([' ', '\t']).next().unwrap_or("");
        let (base, frame) = trimmed((line.0, frame));
        let (program, scopes) = (&self.scopes.of.program, self.scopes);
        match parse_frame(program, self.exprs, frame, self.waiting, scopes) {
            Ok(letters) => self.edges.push((from, letters, (target.0, name))),
            Err(error) => {
                let mut out = error.diagnostic();
                let base = base as u32;
                out.span = out.span.map(|s| Span::new(base + s.start, base + s.end));
                self.errors.push(out);
            }
        }
    }

    fn set(&mut self) -> RegularSet {
        let mut set = RegularSet::new();
        set.waiting = self.waiting;
        if self.order.is_empty() {
            let help = "a line `state 0 (start)` comes first";
            self.error("automaton-empty", "there are no states".to_owned(), (0, ""), help);
            return set;
        }
        // State 0 of the set is the initial one.
        let starts: Vec<usize> = (0..self.order.len()).filter(|&s| self.order[s].1).collect();
        if let [_, second, ..] = starts[..] {
            let place = self.order[second].0;
            let message = format!("state `{}` is a second one to start in", place.1);
            self.error("automaton-twice", message, place, "");
        }
        let start = starts.first().copied().unwrap_or(0);
        let mut ids = vec![0; self.order.len()];
        for (state, &(_, _, end)) in self.order.iter().enumerate() {
            if state != start {
                ids[state] = set.state();
            }
            if end {
                set.accept(ids[state]);
            }
        }
        let program = &self.scopes.of.program;
        let returns = self
            .edges
            .iter()
            .any(|(_, _, (_, name))| self.states.get(name).is_some_and(|&to| to == start));
        let below: Vec<Piece<'a>> = self
            .edges
            .iter()
            .filter(|(from, letters, _)| {
                (*from != start || returns)
                    && letters.iter().any(|letter| {
                        let mut global = false;
                        self.exprs.reads(letter.condition, |_, var| {
                            global |= program.vars[var].kind == ir::VarKind::Global;
                        });
                        global
                    })
            })
            .map(|&(_, _, target)| target)
            .collect();
        for target in below {
            let message = "a condition on a frame below the topmost one reads a global".to_owned();
            let help = "globals have one value, that of now: ask for it in the topmost frame";
            self.error("stack-global-below", message, target, help);
        }
        for (from, letters, (at, name)) in std::mem::take(&mut self.edges) {
            match self.states.get(name) {
                Some(&to) => letters
                    .into_iter()
                    .for_each(|letter| set.transition(ids[from], letter, ids[to])),
                None => {
                    let message = format!("there is no state `{name}`");
                    let near = suggest(name, self.order.iter().map(|o| o.0.1));
                    let help = near.map(|n| format!("did you mean `{n}`?")).unwrap_or_default();
                    self.error("automaton-unknown", message, (at, name), &help);
                }
            }
        }
        set
    }
}

/// Where the arrow of a line begins: not inside of a condition, where `->` is an implication.
fn arrow(line: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in line.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            '-' if depth <= 0 && line[at..].starts_with("->") => return Some(at),
            _ => {}
        }
    }
    None
}

fn trimmed((at, text): Piece<'_>) -> Piece<'_> {
    let start = text.trim_start();
    (at + text.len() - start.len(), start.trim_end())
}
