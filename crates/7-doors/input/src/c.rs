//! C: preprocessed text → skeleton → `Program`.
//!
//! A C program is loaded once ([`CProgram::new`]), and then is what [`Input::c`] holds: every
//! question, conversion and dump about it goes the way of the other languages from there on.

use crate::load::{Error, guarded};
use crate::{Input, pool};
use front_c::{Flow, Keep, LowerError, Skeleton};
use ir::Program;
use property::Property;
use render::{Extent, LeftOut};
use rustc_hash::FxHashSet;
use source::suggest;
use std::sync::Mutex;

pub use front_c::{Contracts, Model, preprocess};

/// A translation unit as a preprocessor printed it.
#[derive(Clone, Debug)]
pub struct CText {
    /// The file's name.
    pub name: String,
    /// The text, with line markers; without any, all of it is in the file.
    pub text: String,
    /// Where the compiler ran, if not here: names in line markers are as seen from there.
    pub directory: Option<String>,
}

/// A file that could not be preprocessed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The file's name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// Units that were parsed and linked.
#[derive(Debug)]
pub struct CProgram {
    skeleton: Skeleton,
    /// The first unit's name.
    name: String,
    texts: usize,
    left_out: Vec<LeftOut>,
    /// Of each body, whether it counts as the program's.
    used: Vec<bool>,
}

/// The most bytes of one preprocessed unit.
const MAX_BYTES: usize = u32::MAX as usize - 1;

/// How many functions `main` are listed before the last one.
const STARTS: usize = 4;

impl CProgram {
    /// Parses and links the units. What cannot be parsed is a warning ([`CProgram::warnings`]).
    pub fn new(texts: Vec<CText>) -> Result<CProgram, Error> {
        CProgram::for_machine(texts, Model::default())
    }

    /// The same for a machine whose types may be other ones.
    pub fn for_machine(texts: Vec<CText>, model: Model) -> Result<CProgram, Error> {
        CProgram::in_part(texts, Vec::new(), model)
    }

    /// The same, where some files could not be read: what is in them may do anything.
    pub fn in_part(
        texts: Vec<CText>,
        unread: Vec<Unread>,
        model: Model,
    ) -> Result<CProgram, Error> {
        guarded("reading C", || {
            if let Some(text) = texts.iter().find(|t| t.text.len() > MAX_BYTES) {
                let CText { name, text, .. } = text;
                let (bytes, limit) = (text.len(), MAX_BYTES);
                return Err(Error::Usage(format!(
                    "{name}: {bytes} bytes after preprocessing, the limit is {limit}"
                )));
            }
            let name = texts.first().map(|t| t.name.clone()).unwrap_or_default();
            let count = texts.len();
            let mut units = parsed(texts, model)?;
            units.extend(unread.iter().map(|f| front_c::Unit::unread(&f.name, &f.why)));
            let mut skeleton = front_c::skeleton(&units);
            main_first(&mut skeleton, &units);
            let left_out = left_out(&units, &skeleton, &unread);
            let given = units.iter().map(front_c::main_file).collect();
            let used = used(&skeleton, &given);
            Ok(CProgram { skeleton, name, texts: count, left_out, used })
        })
    }

    /// Adds contracts for functions without a body; they win over those that are known.
    pub fn contract(&mut self, contracts: front_c::Contracts) {
        self.skeleton.contract(contracts);
    }

    /// The control skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The names of the source files, in the order that places in the program count them.
    pub fn files(&self) -> &[String] {
        &self.skeleton.files
    }

    /// What is left out, not modelled, or not exactly.
    pub fn warnings(&self) -> &[source::Placed] {
        &self.skeleton.warnings
    }

    /// Of several functions `main`, one has to be named as the entry.
    pub fn one_start(&self, entry: Option<&str>) -> Result<(), Error> {
        let s = &self.skeleton;
        let is_main = |b: &&front_c::Body| {
            let func = &s.funcs[b.func.index()];
            func.name == "main" && !func.is_static
        };
        let mains = s.bodies.iter().filter(is_main).map(|b| {
            let file = s.files.get(b.at.file as usize).map_or("", String::as_str);
            format!("`--entry {}` ({file}:{})", s.funcs[b.func.index()].unique, b.at.line)
        });
        let mains: Vec<String> = mains.collect();
        match (&mains[..], entry) {
            ([most @ .., last], None | Some("main")) if !most.is_empty() => {
                let last = match most.len().saturating_sub(STARTS) {
                    0 => last.clone(),
                    n => format!("another one of {}", n + 1),
                };
                Err(Error::Usage(format!(
                    "there are {} functions `main`: say where the program starts, with {} or {last}; or name the \
                     files that are checked",
                    mains.len(),
                    most[..most.len().min(STARTS)].join(", ")
                )))
            }
            _ => Ok(()),
        }
    }

    /// The functions `main`, as `--entry` names them, if there are several.
    pub fn starts(&self) -> Vec<String> {
        let s = &self.skeleton;
        let funcs = s.bodies.iter().map(|b| &s.funcs[b.func.index()]);
        let mains = funcs.filter(|f| f.name == "main" && !f.is_static && !f.weak);
        let mains: Vec<String> = mains.map(|f| f.unique.clone()).collect();
        if mains.len() > 1 { mains } else { Vec::new() }
    }

    /// Where the entry is one of several functions `main`: which units have another one. No linker takes two of
    /// them, so that these are other programs, and what is in them is not part of this one.
    pub fn other_programs(&self, entry: &str) -> Vec<usize> {
        let s = &self.skeleton;
        let mains = || s.funcs.iter().filter(|f| f.name == "main" && !f.is_static && !f.weak);
        let units = |f: &front_c::Func| f.body.map(|(unit, _)| unit);
        let Some(start) = mains().find(|f| f.unique == entry).and_then(units) else {
            return Vec::new();
        };
        mains().filter_map(units).filter(|unit| *unit != start).collect()
    }

    /// What is modelled, but not exactly: one line each.
    pub fn inexact(&self) -> impl Iterator<Item = String> {
        let left_out = |w: &source::Placed| {
            let place = (w.file.as_str(), w.line, w.column);
            self.left_out.iter().any(|l| (l.file.as_str(), l.line, l.column) == place)
        };
        let warnings = self.skeleton.warnings.iter();
        warnings.filter(move |w| w.line > 0 && !left_out(w)).map(ToString::to_string)
    }

    /// Of each body, whether it counts as the program's.
    pub fn used(&self) -> &[bool] {
        &self.used
    }

    /// What was read, and what was not.
    pub fn extent(&self, allowed: bool) -> Extent {
        let functions = self.used.iter().filter(|used| **used).count();
        Extent { files: self.texts, functions, left_out: self.left_out.clone(), allowed }
    }

    /// Points of all functions.
    pub fn points(&self) -> usize {
        self.skeleton.bodies.iter().map(|b| b.points.len()).sum()
    }

    /// The program that is checked: every node tells the events that the properties name, and where
    /// they are about whole runs, the ends of runs are told.
    pub fn program(&self, input: &Input, properties: &[Property]) -> Result<Program, Error> {
        let mut letters: Vec<String> = properties.iter().flat_map(Property::events).collect();
        letters.sort();
        letters.dedup();
        let whole = |p: &Property| {
            matches!(
                p,
                Property::Ltl { .. }
                    | Property::Sere { .. }
                    | Property::Automaton { .. }
                    | Property::Terminates { .. }
            )
        };
        let keep = input.keep.iter().map(|(var, bits)| {
            // What a formula speaks of is kept whole.
            let plain = var.rsplit("::").next().unwrap_or(var);
            let exact = properties.iter().any(|p| mentions(p, plain));
            Keep { var: var.clone(), bits: *bits, exact }
        });
        let lowering = front_c::Options {
            entry: input.entry.clone(),
            keep: keep.collect(),
            opaque: Vec::new(),
            feasibility: true,
            letters,
            exits: properties.iter().any(whole),
        };
        let lowered = front_c::lower(&self.skeleton, &lowering).map_err(|e| self.wrong(&e))?;
        Ok(lowered.program)
    }

    /// Why there is no program, with what is there instead.
    pub fn wrong(&self, error: &LowerError) -> Error {
        let s = &self.skeleton;
        let funcs = || s.bodies.iter().map(|b| s.funcs[b.func.index()].unique.as_str());
        let near = match error {
            LowerError::NoEntry { name } => suggest(name, funcs()).map(str::to_owned),
            LowerError::NoVariable { name } => {
                let vars: Vec<String> = (s.objects.iter().enumerate())
                    .filter(|(_, o)| o.reach == front_c::Reach::Var)
                    .flat_map(|(_, o)| match o.owner {
                        Some(f) => {
                            let scoped = format!("{}::{}", s.funcs[f.index()].unique, o.name);
                            vec![o.name.clone(), scoped]
                        }
                        None => vec![o.name.clone()],
                    })
                    .collect();
                suggest(name, vars.iter().map(String::as_str)).map(str::to_owned)
            }
            LowerError::Empty => {
                let files = if self.texts == 1 { &*self.name } else { "the files" };
                return Error::Usage(match self.left_out.is_empty() {
                    true => format!("{files}: no function has a body"),
                    false => {
                        format!("{files}: nothing could be read: {}", self.extent(false).told())
                    }
                });
            }
            _ => None,
        };
        Error::Usage(match near {
            Some(near) => format!("{error}; did you mean `{near}`?"),
            None => error.to_string(),
        })
    }
}

/// Of each body, whether it counts as the program's: those in files that were given, what others can call, and
/// what these call. Headers define functions that nobody uses.
fn used(s: &Skeleton, given: &FxHashSet<&str>) -> Vec<bool> {
    let own = |b: &front_c::Body| {
        let file = s.files.get(b.at.file as usize);
        file.is_some_and(|f| given.contains(f.as_str())) || !s.funcs[b.func.index()].is_static
    };
    let mut out: Vec<bool> = s.bodies.iter().map(own).collect();
    let mut todo: Vec<usize> = (0..out.len()).filter(|&i| out[i]).collect();
    while let Some(i) = todo.pop() {
        for point in &s.bodies[i].points {
            let Flow::Call(call) = &point.flow else { continue };
            for f in &call.targets {
                let Ok(k) = s.bodies.binary_search_by_key(f, |b| b.func) else { continue };
                if !out[k] {
                    out[k] = true;
                    todo.push(k);
                }
            }
        }
    }
    out
}

/// What of the units was not read, or does not count.
fn left_out(units: &[front_c::Unit], s: &Skeleton, unread: &[Unread]) -> Vec<LeftOut> {
    let mut out = Vec::new();
    for unit in units {
        for problem in unit.problems.iter().filter(|p| p.at.line > 0) {
            let (file, line) = unit.place(problem.at);
            out.push(LeftOut {
                what: problem.function.map_or("", |f| unit.name(f)).to_owned(),
                file: file.to_owned(),
                line,
                column: problem.at.column,
                why: problem.message.clone(),
            });
        }
    }
    for func in s.funcs.iter().filter(|f| f.twice) {
        let definitions = units.iter().flat_map(|u| u.functions().map(move |f| (u, f)));
        let mut places: Vec<(&str, u32, u32)> = definitions
            .filter(|(u, f)| u.name(f.name) == func.name)
            .map(|(u, f)| (u.place(f.at).0, u.place(f.at).1, f.at.column))
            .collect();
        places.dedup();
        let &(file, line, column) = places.get(1).or(places.first()).unwrap_or(&("", 0, 0));
        let why = "it is defined twice, and this definition does not count".to_owned();
        let (what, file) = (func.name.clone(), file.to_owned());
        out.push(LeftOut { what, file, line, column, why });
    }
    out.extend(unread.iter().map(|f| LeftOut {
        what: f.name.clone(),
        file: f.name.clone(),
        line: 0,
        column: 0,
        why: f.why.clone(),
    }));
    out
}

/// Whether a formula may speak of a variable: its name is a word of it.
fn mentions(property: &Property, name: &str) -> bool {
    let formulas: Vec<&String> = match property {
        Property::Ltl { formula, fair } => std::iter::once(formula).chain(fair).collect(),
        Property::Sere { formula } => vec![formula],
        Property::Automaton { text, .. } => vec![text],
        Property::Terminates { fair } => fair.iter().collect(),
        _ => Vec::new(),
    };
    let word = |c: char| !(c.is_alphanumeric() || c == '_');
    formulas.iter().any(|f| f.split(word).any(|w| w == name))
}

/// Parses the units, on as many threads as there are cores.
pub(crate) fn parsed(texts: Vec<CText>, model: Model) -> Result<Vec<front_c::Unit>, Error> {
    // Each text is dropped as soon as it is parsed.
    let texts: Vec<Mutex<Option<CText>>> = texts.into_iter().map(|t| Mutex::new(Some(t))).collect();
    let threads = pool::threads(texts.len());
    let units = pool::each(texts.len(), threads, |i| {
        let text = texts[i].lock().ok().and_then(|mut text| text.take())?;
        let mut unit = unit(&text);
        unit.model = model;
        Some(unit)
    });
    let units: Option<Vec<front_c::Unit>> = units.into_iter().map(Option::flatten).collect();
    units.ok_or_else(|| Error::Internal("reading C: the parser gave up on a unit".to_owned()))
}

fn unit(text: &CText) -> front_c::Unit {
    // A text without line markers is all in its file.
    let marked = text.text.starts_with('#');
    let mut unit = match marked {
        true => front_c::parse(&text.text),
        false => front_c::parse(&format!("# 1 \"{}\"\n{}", text.name.escape_default(), text.text)),
    };
    if let Some(directory) = &text.directory {
        unit.rename_files(|name| match name.is_empty() || name.starts_with(['/', '<']) {
            true => name.to_owned(),
            false => format!("{}/{name}", directory.trim_end_matches('/')),
        });
    }
    unit
}

/// Puts the file of the first unit first: it names the report.
fn main_first(skeleton: &mut Skeleton, units: &[front_c::Unit]) {
    let main = units.first().map_or("", front_c::main_file);
    let Some(k) = skeleton.files.iter().position(|f| f == main).filter(|k| *k > 0) else { return };
    skeleton.files.swap(0, k);
    let swapped = |file: u32| match file as usize {
        0 => k as u32,
        f if f == k => 0,
        _ => file,
    };
    for body in &mut skeleton.bodies {
        body.at.file = swapped(body.at.file);
        for point in &mut body.points {
            point.at.file = swapped(point.at.file);
        }
    }
}
