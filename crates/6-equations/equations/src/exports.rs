//! Formulas and equation systems in other forms: `bop convert --to blk|bes|pbes`.

use crate::games;
use crate::resolve::{
    INVISIBLE, Kind, MuSyntax, Stream, failed, go_on, parse_formula, read_stream, wrong,
};
use asking::{Options, Watch};
use bes::cadp::BlockSystem;
use bes::{Bes, Method, SolveError, Solver, System, cadp, pbes, pg};
use check::{Budget, StopReason};
use input::{Error, guarded};
use lts::ExplicitLts;
use rustc_hash::FxHashSet;
use source::SourceFile;
use std::fmt::Display;
use std::sync::Arc;

/// What to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EquationForm {
    /// A modal equation system: of a formula, without its data.
    Modal,
    /// A boolean equation system, in CADP's format.
    Boolean,
    /// A parameterised boolean equation system, in mCRL2's text format.
    Parameterised,
    /// A parity game, in PGSolver's format.
    Game,
}

/// Equations as text.
#[derive(Clone, Debug)]
pub struct Equations {
    /// The text.
    pub text: String,
    /// Not all equations of the system are there, because there is no end of them, or not soon: so
    /// many explain the value of the one asked for, which is the same.
    pub part: Option<usize>,
}

/// Writes a formula (`.mcf`, `.mcl`, `.mu`) or an equation system in another form. A formula and a
/// modal system become boolean or parameterised ones on a model; of a formula that becomes a modal
/// system, the model gives the values of sort `Var`. `tau` are the names of the internal action.
pub fn convert_equations(
    file: &Arc<SourceFile>,
    form: EquationForm,
    model: Option<Stream<'_>>,
    (syntax, tau): (MuSyntax, &[String]),
    options: &Options,
    watch: &Watch,
) -> Result<Equations, Error> {
    guarded("writing equations", || {
        let budget = watch.budget(options.search.limits);
        let go_on = &mut || budget.poll().is_ok();
        let kind = Kind::of(file).ok_or_else(|| {
            Error::Usage(format!(
                "cannot tell what `{}` is: formulas end in .mcf, .mcl or .mu, equation systems in \
                 .bes, .pbes, .txt or .blk, parity games in .pg",
                file.name()
            ))
        })?;
        let tau: Vec<&str> = match tau {
            [] => INVISIBLE.to_vec(),
            names => names.iter().map(String::as_str).collect(),
        };
        let mut model = match model {
            Some(stream) => Some(read_stream(stream, &budget)?),
            None => None,
        };
        let needed = |model: Option<ExplicitLts>| {
            model.ok_or_else(|| {
                let what = "this form is about a model: say `--model MODEL.aut`";
                Error::Usage(what.to_owned())
            })
        };
        match (kind, form) {
            (Kind::Formula, EquationForm::Modal) => {
                let formula = parse_formula(file, syntax)?;
                let names = model.as_ref().map(|model| {
                    let mut seen: FxHashSet<&str> = FxHashSet::default();
                    let all = model.labels().iter().flat_map(|label| lts::split(label).1);
                    all.filter(|&name| seen.insert(name)).collect::<Vec<&str>>()
                });
                let system = lts::to_modal_system(&formula, names.as_deref(), go_on);
                match system.map_err(|e| wrong(file, &e))? {
                    Some(system) => whole(system.to_string()),
                    None => Err(stopped(&budget)),
                }
            }
            (Kind::Formula, EquationForm::Parameterised) => {
                let formula = parse_formula(file, syntax)?;
                let text = lts::to_pbes(&formula, &needed(model)?, &tau, go_on);
                let Some(text) = text.map_err(|e| wrong(file, &e))? else {
                    return Err(stopped(&budget));
                };
                // As it is written once it has been read.
                let read = pbes::parse(&text).map_err(|e| Error::Internal(e.to_string()))?;
                whole(read.to_string())
            }
            (Kind::Formula, EquationForm::Boolean | EquationForm::Game) => {
                let formula = parse_formula(file, syntax)?;
                let question = lts::question(&formula, needed(model)?, &tau);
                closed(question.map_err(|e| wrong(file, &e))?, form, &budget)
            }
            (Kind::Modal, EquationForm::Modal) => {
                whole(lts::blk::parse(file.text()).map_err(|e| wrong(file, &e))?.to_string())
            }
            (Kind::Modal, _) => {
                let system = lts::blk::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let question = system.on(needed(model.take())?, &tau);
                closed(question.map_err(|e| wrong(file, &e))?, form, &budget)
            }
            (_, EquationForm::Modal) => Err(Error::Usage(
                "boolean equation systems have no modalities: only formulas become modal systems"
                    .to_owned(),
            )),
            (_, _) if model.is_some() => {
                let what = "`--model` goes with a formula or a modal system (`.blk`)";
                Err(Error::Usage(what.to_owned()))
            }
            (Kind::Blocks, EquationForm::Boolean) => {
                whole(cadp::parse(file.text()).map_err(|e| wrong(file, &e))?.to_string())
            }
            (Kind::Blocks, EquationForm::Parameterised) => {
                let system = cadp::parse(file.text()).map_err(|e| wrong(file, &e))?;
                whole(system.to_bes().without_names().to_mcrl2())
            }
            (Kind::Blocks, EquationForm::Game) => {
                let system = cadp::parse(file.text()).map_err(|e| wrong(file, &e))?;
                whole(pg::write(&system.to_bes().without_names()))
            }
            (Kind::Game, _) => {
                let input = Box::new(file.text().as_bytes());
                let game = games::read(Stream { name: file.name(), input }, None, &budget)?;
                whole(written(&game.bes, form))
            }
            (Kind::Pbes, EquationForm::Parameterised) => {
                whole(pbes::parse(file.text()).map_err(|e| wrong(file, &e))?.to_string())
            }
            (Kind::Pbes, EquationForm::Boolean | EquationForm::Game) => {
                let system = pbes::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let instance = system.instance().map_err(|e| wrong(file, &e))?;
                closed(instance, form, &budget)
            }
        }
    })
}

/// A text that says all of it.
fn whole(text: String) -> Result<Equations, Error> {
    Ok(Equations { text, part: None })
}

/// A system in memory as text.
fn written(bes: &Bes, form: EquationForm) -> String {
    match form {
        EquationForm::Boolean => BlockSystem::from_bes(bes).to_string(),
        EquationForm::Game => pg::write(bes),
        _ => bes.to_mcrl2(),
    }
}

/// The limit that was reached.
fn stopped(budget: &Budget) -> Error {
    Error::Stopped(budget.poll().err().unwrap_or(StopReason::Cancelled))
}

/// Equations that are explored before it is tried whether some of them decide.
const MANY: u64 = 1 << 18;

/// All equations that the one asked for depends on. There may be infinitely many, of which a solver
/// needs a few: where the exploration has not come to an end, the solver may take as many; if it has
/// an answer, what explains that is written, otherwise the exploration goes further.
fn closed<S: System>(mut system: S, form: EquationForm, budget: &Budget) -> Result<Equations, Error>
where
    S::Error: Display,
{
    let write = |bes: &Bes| written(bes, form);
    let mut most = MANY;
    loop {
        let (mut reserved, mut many) = (0, false);
        let mut within = |progress: &bes::Progress| {
            many |= progress.variables > most;
            progress.variables <= most && go_on(budget, &mut reserved, progress)
        };
        match Bes::explore(&mut system, false, &mut within) {
            Ok(bes) => return whole(write(&bes)),
            Err(SolveError::Stopped) if many => {}
            Err(error) => return Err(failed(budget, error)),
        }
        budget.release(reserved);
        (reserved, many) = (0, false);
        let mut within = |progress: &bes::Progress| {
            many |= progress.variables > most;
            progress.variables <= most && go_on(budget, &mut reserved, progress)
        };
        let mut solver = Solver::new(system);
        let key = solver.system().initial().map_err(|e| failed(budget, SolveError::System(e)))?;
        let explained = match solver.solve(Method::Auto, &mut within) {
            Ok(_) => solver.explain_within(&key, &mut within),
            Err(error) => Err(error),
        };
        match explained {
            Ok(Some(explanation)) => {
                let bes = explanation.to_bes(&|_| String::new());
                return Ok(Equations { text: write(&bes), part: Some(bes.len()) });
            }
            Ok(None) => {
                return Err(Error::Internal("there is no explanation of the answer".to_owned()));
            }
            Err(SolveError::Stopped) if many => {}
            Err(error) => return Err(failed(budget, error)),
        }
        system = solver.into_system();
        budget.release(reserved);
        most = most.saturating_mul(8);
    }
}
