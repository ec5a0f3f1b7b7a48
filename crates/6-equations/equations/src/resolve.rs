//! Equation systems and mu-calculus: `bop eval` and `bop solve`. Models, and systems in CADP's
//! format, are read as a stream.

use asking::{Options, Watch};
use bes::cadp::Text;
use bes::lex::SyntaxError;
use bes::{Bes, Method, SolveError, Solver, System, cadp, pbes};
use check::{Budget, StopReason};
use input::{Error, guarded};
use lts::ExplicitLts;
use lts::mu::{Dialect, Formula};
use source::SourceFile;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How to solve.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// The order of exploration.
    pub method: Method,
    /// The part of the system that explains the answer is wanted.
    pub diagnostic: bool,
    /// The names of the internal action; `i` and `tau`, if there are none.
    pub tau: Vec<String>,
    /// The vertex of a parity game that is asked for; where it begins, if nothing is said.
    pub at: Option<u32>,
    /// The winner of every vertex of a parity game, and his moves, are wanted.
    pub all: bool,
    /// The data specification that a formula's sorts and functions are from, in mCRL2's language.
    pub data: Option<Arc<SourceFile>>,
}

impl Resolution {
    /// The names of the internal action.
    pub(crate) fn invisible(&self) -> Vec<&str> {
        match &self.tau[..] {
            [] => INVISIBLE.to_vec(),
            names => names.iter().map(String::as_str).collect(),
        }
    }
}

/// Text that is read as it comes, however long it is, and its name for messages.
pub struct Stream<'a> {
    /// The name.
    pub name: &'a str,
    /// The text.
    pub input: Box<dyn BufRead + 'a>,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A formula.
    Formula,
    /// A modal equation system.
    Modal,
    /// A boolean equation system in CADP's format.
    Blocks,
    /// A parameterised one in mCRL2's, or a plain one.
    Pbes,
    /// A parity game in PGSolver's format.
    Game,
}

impl Kind {
    /// By the name's ending, and where that does not tell, as on standard input, by the first word.
    pub(crate) fn of(file: &SourceFile) -> Option<Kind> {
        let name = file.name().strip_suffix(".gz").unwrap_or(file.name());
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let start = file.text().trim_start();
        let blocks = start.starts_with("block") || start.starts_with("(*");
        Some(match ending {
            "mcf" | "mcl" | "mu" => Kind::Formula,
            "blk" => Kind::Modal,
            "bes" if start.starts_with("pbes") => Kind::Pbes,
            "bes" => Kind::Blocks,
            "pbes" | "txt" => Kind::Pbes,
            "pg" | "gm" => Kind::Game,
            _ if file.name() != "<stdin>" => return None,
            _ if blocks => Kind::Blocks,
            _ if start.starts_with("parity") => Kind::Game,
            _ => Kind::Pbes,
        })
    }
}

/// The value of a system's first variable, or of a formula in a model's first state.
#[derive(Clone, Debug)]
pub struct Solution {
    /// It holds.
    pub value: bool,
    /// Equations that were looked at.
    pub variables_explored: u64,
    /// Equations that there are, if they were all given.
    pub variables_total: Option<u64>,
    /// Operands of these.
    pub dependencies: u64,
    /// How it was found.
    pub algorithm: String,
    /// Why, if that was wanted.
    pub explanation: Option<Explained>,
    /// More, if it is a parity game.
    pub game: Option<crate::Played>,
}

/// A part of a system that explains an answer. It was accepted by a checker of its own.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its variables.
    pub variables: usize,
    /// The part of the system, in mCRL2's text format.
    pub system: String,
    /// The same as a parity game, in PGSolver's.
    pub game: String,
    /// The same as a boolean graph ([pbes Fig. 4]), for Graphviz: true variables are white, false ones black.
    pub graph: String,
    /// For a formula: the part of the model that it speaks of, as `.aut`.
    pub model: Option<String>,
}

/// The syntax of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MuSyntax {
    /// mCRL2's if it parses, else CADP's.
    #[default]
    Either,
    /// mCRL2's.
    Mcrl2,
    /// CADP's, value-based.
    Cadp,
}

/// Labels of invisible steps.
pub(crate) const INVISIBLE: [&str; 2] = ["i", "tau"];

/// Whether the formula holds in the first state of the model (`.aut`).
pub fn eval(
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    model: &Arc<SourceFile>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    let model = Stream { name: model.name(), input: Box::new(model.text().as_bytes()) };
    eval_stream(formula, syntax, model, resolution, options, watch)
}

/// The same on a model that is read as it comes.
pub fn eval_stream(
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    model: Stream<'_>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("evaluating a formula", || {
        let budget = watch.budget(options.search.limits);
        let parsed = parse_formula_with(formula, syntax, resolution.data.as_ref())?;
        let mut model = read_stream(model, &budget)?;
        let question = lts::question(&parsed, &mut model, &resolution.invisible());
        let question = question.map_err(|e| wrong(formula, &e))?;
        on_model(question, resolution, &budget)
    })
}

/// The same in another state of the model.
pub fn eval_at(
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    model: Stream<'_>,
    state: u32,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("evaluating a formula", || {
        let budget = watch.budget(options.search.limits);
        let parsed = parse_formula_with(formula, syntax, resolution.data.as_ref())?;
        let name = model.name.to_owned();
        let model = read_stream(model, &budget)?;
        let states = model.states();
        if state >= states {
            let last = states - 1;
            return Err(Error::Usage(format!("{name} has no state {state}: the last is {last}")));
        }
        let mut model = model.starting_at(state);
        let question = lts::question(&parsed, &mut model, &resolution.invisible());
        let question = question.map_err(|e| wrong(formula, &e))?;
        on_model(question, resolution, &budget)
    })
}

/// In which states of a model a formula holds.
#[derive(Clone, Debug)]
pub struct Everywhere {
    /// The first state of the model.
    pub initial: u32,
    /// The value in each state.
    pub values: Vec<bool>,
    /// Equations that were looked at.
    pub variables_explored: u64,
}

/// In which states of the model the formula holds: one system, whose values persist ([pbes §4.2]).
pub fn eval_everywhere(
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    model: Stream<'_>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Everywhere, Error> {
    guarded("evaluating a formula", || {
        let budget = watch.budget(options.search.limits);
        let parsed = parse_formula_with(formula, syntax, resolution.data.as_ref())?;
        let mut model = read_stream(model, &budget)?;
        let (mut reserved, mut variables_explored) = (0, 0);
        let mut go_on = |progress: &bes::Progress| {
            variables_explored = variables_explored.max(progress.variables);
            go_on(&budget, &mut reserved, progress)
        };
        let found = lts::everywhere(&parsed, &mut model, &resolution.invisible(), &mut go_on);
        let found = found.map_err(|e| wrong(formula, &e))?;
        let values = found.map_err(|error| failed(&budget, error))?;
        Ok(Everywhere { initial: model.initial_state(), values, variables_explored })
    })
}

/// The value of the first variable of a system: `.pbes` and `.txt` are mCRL2's text format, `.bes` is
/// CADP's, and `.blk` is a modal system, which needs a model.
pub fn solve(
    file: &Arc<SourceFile>,
    model: Option<&Arc<SourceFile>>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    let model =
        model.map(|model| Stream { name: model.name(), input: Box::new(model.text().as_bytes()) });
    solve_on(file, model, resolution, options, watch)
}

/// The same on a model that is read as it comes.
pub fn solve_on(
    file: &Arc<SourceFile>,
    model: Option<Stream<'_>>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("solving equations", || {
        let budget = watch.budget(options.search.limits);
        let kind = match Kind::of(file) {
            // On standard input, the model tells a modal system from a boolean one.
            Some(Kind::Blocks) if model.is_some() && file.name() == "<stdin>" => Kind::Modal,
            Some(kind) if kind != Kind::Formula => kind,
            _ => {
                return Err(Error::Usage(format!(
                    "cannot tell what `{}` is: equation systems end in .bes, .pbes, .txt or .blk, \
                     parity games in .pg",
                    file.name()
                )));
            }
        };
        match (kind, model) {
            (Kind::Modal, Some(model)) => {
                let system = lts::blk::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let mut model = read_stream(model, &budget)?;
                let question = system.on(&mut model, &resolution.invisible());
                on_model(question.map_err(|e| wrong(file, &e))?, resolution, &budget)
            }
            (Kind::Modal, None) => {
                let what = "a modal system is solved on a model: say `--model MODEL.aut`";
                Err(Error::Usage(what.to_owned()))
            }
            (_, Some(_)) => {
                let what = "`--model` goes with a modal system (`.blk`)";
                Err(Error::Usage(what.to_owned()))
            }
            (Kind::Game, None) => {
                let input = Box::new(file.text().as_bytes());
                let game = Stream { name: file.name(), input };
                crate::solve_game(game, resolution, options, watch)
            }
            (Kind::Blocks, None) => {
                let text = file.text().as_bytes();
                match cadp::read(text, &mut |_| budget.poll().is_ok()) {
                    Ok(system) => closed(system, resolution, &budget),
                    Err(error) => {
                        // The tree knows the place of everything.
                        cadp::parse(file.text()).map_err(|e| wrong(file, &e))?;
                        Err(unreadable(file.name(), error, &budget))
                    }
                }
            }
            (_, None) => {
                let system = pbes::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let instance = system.instance().map_err(|e| wrong(file, &e))?;
                alone(instance, resolution, &budget)
            }
        }
    })
}

/// The value of the first variable of a system in CADP's format that is read as it comes, or faster from a `file`.
pub fn solve_stream(
    system: Stream<'_>,
    file: Option<&Path>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("solving equations", || {
        let budget = watch.budget(options.search.limits);
        if let Some(file) = file
            && let Ok(system) =
                cadp::read_parts(&OnDisk(file.to_owned()), 1, &|| budget.poll().is_ok())
        {
            return closed(system, resolution, &budget);
        }
        let Stream { name, input } = system;
        let read = cadp::read(input, &mut |_| budget.poll().is_ok());
        closed(read.map_err(|error| unreadable(name, error, &budget))?, resolution, &budget)
    })
}

/// A text that is not kept.
pub(crate) struct OnDisk(pub(crate) PathBuf);

impl Text for OnDisk {
    fn whole(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(File::open(&self.0)?))
    }

    fn part(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.0)?;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

pub(crate) fn unreadable(name: &str, error: cadp::ReadError, budget: &Budget) -> Error {
    match error {
        cadp::ReadError::Stopped => {
            Error::Stopped(budget.poll().err().unwrap_or(StopReason::Cancelled))
        }
        error @ cadp::ReadError::Syntax { .. } => Error::Usage(format!("{name}:{error}")),
        error => Error::Usage(format!("{name}: {error}")),
    }
}

pub(crate) fn wrong(file: &Arc<SourceFile>, error: &SyntaxError) -> Error {
    Error::Rejected { file: file.clone(), diagnostics: vec![error.diagnostic()] }
}

pub(crate) fn parse_formula(file: &Arc<SourceFile>, syntax: MuSyntax) -> Result<Formula, Error> {
    parse_formula_with(file, syntax, None)
}

/// The same with the sorts and functions of a data specification.
pub(crate) fn parse_formula_with(
    file: &Arc<SourceFile>,
    syntax: MuSyntax,
    data: Option<&Arc<SourceFile>>,
) -> Result<Formula, Error> {
    let data =
        data.map(|data| lts::mu::data(data.text()).map_err(|e| wrong(data, &e))).transpose()?;
    let parse = |dialect| {
        lts::mu::parse_with(file.text(), dialect, data.as_ref()).map_err(|e| wrong(file, &e))
    };
    match syntax {
        MuSyntax::Mcrl2 => parse(Dialect::Mcrl2),
        MuSyntax::Cadp => parse(Dialect::Cadp),
        MuSyntax::Either => parse(Dialect::Mcrl2).or_else(|first| {
            // The error of the syntax in which more of the text can be read.
            parse(Dialect::Cadp)
                .map_err(|second| if place(&second) > place(&first) { second } else { first })
        }),
    }
}

/// Where the first error is.
fn place(error: &Error) -> u32 {
    match error {
        Error::Rejected { diagnostics, .. } => {
            let span = diagnostics.first().and_then(|first| first.span);
            span.map_or(0, |span| span.start)
        }
        _ => 0,
    }
}

pub(crate) fn read_model(file: &Arc<SourceFile>, budget: &Budget) -> Result<ExplicitLts, Error> {
    let input = Box::new(file.text().as_bytes());
    read_stream(Stream { name: file.name(), input }, budget)
}

pub(crate) fn read_stream(model: Stream<'_>, budget: &Budget) -> Result<ExplicitLts, Error> {
    lts::aut::read(model.input, &mut |_| budget.poll().is_ok()).map_err(|error| {
        match (error, budget.poll()) {
            (lts::aut::AutError::Stopped, stopped) => {
                Error::Stopped(stopped.err().unwrap_or(StopReason::Cancelled))
            }
            (error, _) => Error::Usage(format!("{}: {error}", model.name)),
        }
    })
}

/// Whether the budget allows to go on with what a run holds now; `reserved` is what it had before.
pub(crate) fn go_on(budget: &Budget, reserved: &mut u64, progress: &bes::Progress) -> bool {
    let more = progress.bytes.saturating_sub(*reserved);
    let enough = budget.reserve(more).is_ok();
    *reserved += if enough { more } else { 0 };
    enough && budget.poll().is_ok()
}

pub(crate) fn failed<E: Display>(budget: &Budget, error: SolveError<E>) -> Error {
    match error {
        SolveError::Stopped => {
            let limit = budget.limits().memory.unwrap_or(0);
            Error::Stopped(budget.poll().err().unwrap_or(StopReason::Memory { limit }))
        }
        SolveError::Internal(what) => Error::Internal(what.to_owned()),
        SolveError::System(error) => Error::Usage(error.to_string()),
        other => Error::Stopped(StopReason::Unsupported { what: other.to_string() }),
    }
}

/// A system whose equations are all in memory.
pub(crate) fn closed(
    system: Bes,
    resolution: &Resolution,
    budget: &Budget,
) -> Result<Solution, Error> {
    let (total, dependencies) = (system.len() as u64, system.dependencies() as u64);
    let mut out = if resolution.method == Method::Global {
        let mut reserved = 0;
        let values = system
            .solve_globally(&mut |progress| go_on(budget, &mut reserved, progress))
            .ok_or_else(|| failed(budget, SolveError::<String>::Stopped))?;
        let main = system.initial_variable();
        let mut out = Solution {
            value: values[main as usize],
            variables_explored: total,
            variables_total: None,
            dependencies,
            algorithm: "global".to_owned(),
            explanation: None,
            game: None,
        };
        if resolution.diagnostic {
            let mut solver = Solver::new(system);
            for (v, value) in values.into_iter().enumerate() {
                solver.assume(&(v as u32), value).map_err(|e| failed(budget, e))?;
            }
            out.explanation = Some(explained(solver, budget, |system, explanation| {
                Ok(shown(system, explanation))
            })?);
        }
        out
    } else {
        alone(system, resolution, budget)?
    };
    out.variables_total = Some(total);
    Ok(out)
}

/// Solves; `explain` makes what is shown of an explanation.
fn resolve<S: System>(
    system: S,
    resolution: &Resolution,
    budget: &Budget,
    explain: impl FnOnce(&mut S, &bes::Explanation<S::Key>) -> Result<Explained, Error>,
) -> Result<Solution, Error>
where
    S::Error: Display,
{
    let mut reserved = 0;
    let mut go_on = |progress: &bes::Progress| go_on(budget, &mut reserved, progress);
    let solved = bes::solve(system, resolution.method, &mut go_on);
    let (value, solver) = solved.map_err(|e| failed(budget, e))?;
    let stats = solver.stats();
    let mut out = Solution {
        value,
        variables_explored: stats.variables,
        variables_total: None,
        dependencies: stats.dependencies,
        algorithm: stats.algorithm(resolution.method),
        explanation: None,
        game: None,
    };
    if resolution.diagnostic {
        out.explanation = Some(explained(solver, budget, explain)?);
    }
    Ok(out)
}

/// Explains the value that a solver has found, and has the explanation checked.
fn explained<S: System>(
    mut solver: Solver<S>,
    budget: &Budget,
    explain: impl FnOnce(&mut S, &bes::Explanation<S::Key>) -> Result<Explained, Error>,
) -> Result<Explained, Error>
where
    S::Error: Display,
{
    let mut reserved = 0;
    let mut go_on = |progress: &bes::Progress| go_on(budget, &mut reserved, progress);
    let key = solver.system().initial().map_err(|e| failed(budget, SolveError::System(e)))?;
    let explanation = solver.explain_within(&key, &mut go_on).map_err(|e| failed(budget, e))?;
    let explanation = explanation
        .ok_or_else(|| Error::Internal("there is no explanation of the answer".to_owned()))?;
    let mut system = solver.into_system();
    let checked =
        bes::check(&mut system, &key, &explanation).map_err(|e| Error::Usage(e.to_string()))?;
    if let Err(refutation) = checked {
        return Err(Error::Internal(format!("the explanation is refuted: {refutation}")));
    }
    explain(&mut system, &explanation)
}

/// What is shown of an explanation where there is no model.
pub(crate) fn shown<S: System>(system: &S, explanation: &bes::Explanation<S::Key>) -> Explained {
    named(explanation, &|key| system.name(key))
}

/// The same, with names.
pub(crate) fn named<K>(
    explanation: &bes::Explanation<K>,
    name: &dyn Fn(&K) -> String,
) -> Explained {
    let part = explanation.to_bes(name);
    let (system, game) = (part.to_mcrl2(), bes::pg::write(&part));
    let graph = crate::boolean_graph::dot(explanation, name);
    Explained { variables: explanation.variables.len(), system, game, graph, model: None }
}

pub(crate) fn alone<S: System>(
    system: S,
    resolution: &Resolution,
    budget: &Budget,
) -> Result<Solution, Error>
where
    S::Error: Display,
{
    resolve(system, resolution, budget, |system, explanation| Ok(shown(system, explanation)))
}

pub(crate) fn on_model<L: lts::Lts>(
    question: bes::param::Instance<lts::OnLts<L>>,
    resolution: &Resolution,
    budget: &Budget,
) -> Result<Solution, Error> {
    resolve(question, resolution, budget, |question, explanation| {
        let shown = shown(question, explanation);
        let (part, _) =
            lts::explained_part(question, explanation).map_err(|e| Error::Usage(e.to_string()))?;
        let mut model = Vec::new();
        lts::aut::write(&part, &mut model).map_err(|e| Error::Internal(e.to_string()))?;
        let model = String::from_utf8(model).map_err(|e| Error::Internal(e.to_string()))?;
        Ok(Explained { model: Some(model), ..shown })
    })
}
