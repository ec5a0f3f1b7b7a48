//! Equation systems and mu-calculus: `bop eval` and `bop solve`.

use crate::load::{Error, guarded};
use crate::{Options, Watch};
use bes::lex::SyntaxError;
use bes::{Method, SolveError, Solver, System, cadp, pbes};
use check::{Budget, StopReason};
use lts::ExplicitLts;
use lts::mu::{Dialect, Formula};
use source::SourceFile;
use std::fmt::Display;
use std::sync::Arc;

/// How to solve.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resolution {
    /// The order of exploration.
    pub method: Method,
    /// The part of the system that explains the answer is wanted.
    pub diagnostic: bool,
}

/// The value of a system's first variable, or of a formula in a model's first state.
#[derive(Clone, Debug)]
pub struct Solution {
    /// It holds.
    pub value: bool,
    /// Equations that were looked at.
    pub variables_explored: u64,
    /// Operands of these.
    pub dependencies: u64,
    /// How it was found.
    pub algorithm: String,
    /// Why, if that was wanted.
    pub explanation: Option<Explained>,
}

/// A part of a system that explains an answer. It was accepted by a checker of its own.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its variables.
    pub variables: usize,
    /// The part of the system, in mCRL2's text format.
    pub system: String,
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
const INVISIBLE: [&str; 2] = ["i", "tau"];

/// Whether the formula holds in the first state of the model (`.aut`).
pub fn eval(
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    model: &Arc<SourceFile>,
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("evaluating a formula", || {
        let budget = watch.budget(options.limits);
        let parsed = parse_formula(formula, syntax)?;
        let mut model = read_model(model, &budget)?;
        let question = lts::question(&parsed, &mut model, &INVISIBLE);
        let question = question.map_err(|e| wrong(formula, &e))?;
        on_model(question, resolution, &budget)
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
    guarded("solving equations", || {
        let budget = watch.budget(options.limits);
        let ending = file.name().rsplit_once('.').map_or("", |(_, ending)| ending);
        match (ending, model) {
            ("blk", Some(model)) => {
                let system = lts::blk::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let mut model = read_model(model, &budget)?;
                let question = system.on(&mut model, &INVISIBLE).map_err(|e| wrong(file, &e))?;
                on_model(question, resolution, &budget)
            }
            ("blk", None) => {
                let what = "a modal system is solved on a model: say `--model MODEL.aut`";
                Err(Error::Usage(what.to_owned()))
            }
            (_, Some(_)) => {
                let what = "`--model` goes with a modal system (`.blk`)";
                Err(Error::Usage(what.to_owned()))
            }
            ("bes", None) if !file.text().trim_start().starts_with("pbes") => {
                let system = cadp::parse(file.text()).map_err(|e| wrong(file, &e))?;
                alone(system.to_bes(), resolution, &budget)
            }
            ("bes" | "pbes" | "txt", None) => {
                let system = pbes::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let instance = system.instance().map_err(|e| wrong(file, &e))?;
                alone(instance, resolution, &budget)
            }
            _ => Err(Error::Usage(format!(
                "cannot tell what `{}` is: equation systems end in .bes, .pbes, .txt or .blk",
                file.name()
            ))),
        }
    })
}

fn wrong(file: &Arc<SourceFile>, error: &SyntaxError) -> Error {
    Error::Rejected { file: file.clone(), diagnostics: vec![error.diagnostic()] }
}

fn parse_formula(file: &Arc<SourceFile>, syntax: MuSyntax) -> Result<Formula, Error> {
    let parse = |dialect| lts::mu::parse(file.text(), dialect).map_err(|e| wrong(file, &e));
    match syntax {
        MuSyntax::Mcrl2 => parse(Dialect::Mcrl2),
        MuSyntax::Cadp => parse(Dialect::Cadp),
        MuSyntax::Either => parse(Dialect::Mcrl2).or_else(|first| {
            // Its own error, unless the formula is of the other kind.
            parse(Dialect::Cadp).map_err(|_| first)
        }),
    }
}

fn read_model(file: &Arc<SourceFile>, budget: &Budget) -> Result<ExplicitLts, Error> {
    lts::aut::read(file.text().as_bytes(), &mut |_| budget.poll().is_ok()).map_err(|error| {
        match (error, budget.poll()) {
            (lts::aut::AutError::Stopped, stopped) => {
                Error::Stopped(stopped.err().unwrap_or(StopReason::Cancelled))
            }
            (error, _) => Error::Usage(format!("{}: {error}", file.name())),
        }
    })
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
    let mut solver = Solver::new(system);
    let mut reserved = 0;
    let mut go_on = |progress: &bes::Progress| {
        let more = progress.bytes.saturating_sub(reserved);
        let enough = budget.reserve(more).is_ok();
        reserved += if enough { more } else { 0 };
        enough && budget.poll().is_ok()
    };
    let failed = |error: SolveError<S::Error>| match error {
        SolveError::Stopped => {
            let limit = budget.limits().memory.unwrap_or(0);
            Error::Stopped(budget.poll().err().unwrap_or(StopReason::Memory { limit }))
        }
        SolveError::Internal(what) => Error::Internal(what.to_owned()),
        SolveError::System(error) => Error::Usage(error.to_string()),
        other => Error::Stopped(StopReason::Unsupported { what: other.to_string() }),
    };
    let value = solver.solve(resolution.method, &mut go_on).map_err(failed)?;
    let stats = solver.stats();
    let mut out = Solution {
        value,
        variables_explored: stats.variables,
        dependencies: stats.dependencies,
        algorithm: stats.algorithm(resolution.method),
        explanation: None,
    };
    if resolution.diagnostic {
        let key = solver.system().initial().map_err(|e| failed(SolveError::System(e)))?;
        let explanation = solver.explain_within(&key, &mut go_on).map_err(failed)?;
        let explanation = explanation
            .ok_or_else(|| Error::Internal("there is no explanation of the answer".to_owned()))?;
        let mut system = solver.into_system();
        let checked =
            bes::check(&mut system, &key, &explanation).map_err(|e| Error::Usage(e.to_string()))?;
        if let Err(refutation) = checked {
            return Err(Error::Internal(format!("the explanation is refuted: {refutation}")));
        }
        out.explanation = Some(explain(&mut system, &explanation)?);
    }
    Ok(out)
}

fn alone<S: System>(system: S, resolution: &Resolution, budget: &Budget) -> Result<Solution, Error>
where
    S::Error: Display,
{
    resolve(system, resolution, budget, |system, explanation| {
        let text = explanation.to_bes(&|key| system.name(key)).to_mcrl2();
        Ok(Explained { variables: explanation.variables.len(), system: text, model: None })
    })
}

fn on_model(
    question: bes::param::Instance<lts::OnLts<&mut ExplicitLts>>,
    resolution: &Resolution,
    budget: &Budget,
) -> Result<Solution, Error> {
    resolve(question, resolution, budget, |question, explanation| {
        let system = explanation.to_bes(&|key| question.name(key)).to_mcrl2();
        let (part, _) =
            lts::explained_part(question, explanation).map_err(|e| Error::Usage(e.to_string()))?;
        let mut model = Vec::new();
        lts::aut::write(&part, &mut model).map_err(|e| Error::Internal(e.to_string()))?;
        let model = String::from_utf8(model).map_err(|e| Error::Internal(e.to_string()))?;
        Ok(Explained { variables: explanation.variables.len(), system, model: Some(model) })
    })
}
