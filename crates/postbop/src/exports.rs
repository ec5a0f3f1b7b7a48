//! Formulas and equation systems in other forms: `bop convert --to blk|bes|pbes`.

use crate::equations::{
    INVISIBLE, Kind, MuSyntax, Stream, failed, go_on, parse_formula, read_stream, wrong,
};
use crate::load::{Error, guarded};
use crate::{Options, Watch};
use bes::cadp::BlockSystem;
use bes::{Bes, System, cadp, pbes};
use check::Budget;
use lts::ExplicitLts;
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
) -> Result<String, Error> {
    guarded("writing equations", || {
        let budget = watch.budget(options.limits);
        let kind = Kind::of(file).ok_or_else(|| {
            Error::Usage(format!(
                "cannot tell what `{}` is: formulas end in .mcf, .mcl or .mu, equation systems in \
                 .bes, .pbes, .txt or .blk",
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
                let labels = model.as_ref().map(ExplicitLts::labels).unwrap_or_default();
                let mut names: Vec<&str> = Vec::new();
                for name in labels.iter().flat_map(|label| lts::split(label).1) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                let system = lts::to_modal_system(&formula, &names).map_err(|e| wrong(file, &e))?;
                Ok(system.to_string())
            }
            (Kind::Formula, EquationForm::Parameterised) => {
                let formula = parse_formula(file, syntax)?;
                lts::to_pbes(&formula, &needed(model)?, &tau).map_err(|e| wrong(file, &e))
            }
            (Kind::Formula, EquationForm::Boolean) => {
                let formula = parse_formula(file, syntax)?;
                let question = lts::question(&formula, needed(model)?, &tau);
                boolean(file, question.map_err(|e| wrong(file, &e))?, &budget)
            }
            (Kind::Modal, EquationForm::Modal) => {
                Ok(lts::blk::parse(file.text()).map_err(|e| wrong(file, &e))?.to_string())
            }
            (Kind::Modal, _) => {
                let system = lts::blk::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let question = system.on(needed(model.take())?, &tau);
                let mut question = question.map_err(|e| wrong(file, &e))?;
                match form {
                    EquationForm::Boolean => boolean(file, question, &budget),
                    _ => Ok(explore(&mut question, &budget)?.to_mcrl2()),
                }
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
                Ok(cadp::parse(file.text()).map_err(|e| wrong(file, &e))?.to_string())
            }
            (Kind::Blocks, EquationForm::Parameterised) => {
                let system = cadp::parse(file.text()).map_err(|e| wrong(file, &e))?;
                Ok(system.to_bes().to_mcrl2())
            }
            (Kind::Pbes, EquationForm::Parameterised) => {
                Ok(pbes::parse(file.text()).map_err(|e| wrong(file, &e))?.to_string())
            }
            (Kind::Pbes, EquationForm::Boolean) => {
                let system = pbes::parse(file.text()).map_err(|e| wrong(file, &e))?;
                let instance = system.instance().map_err(|e| wrong(file, &e))?;
                boolean(file, instance, &budget)
            }
        }
    })
}

/// All equations that the one asked for depends on.
fn explore<S: System>(system: &mut S, budget: &Budget) -> Result<Bes, Error>
where
    S::Error: Display,
{
    let mut reserved = 0;
    Bes::explore(system, true, &mut |progress| go_on(budget, &mut reserved, progress))
        .map_err(|error| failed(budget, error))
}

fn boolean<S: System>(
    file: &Arc<SourceFile>,
    mut system: S,
    budget: &Budget,
) -> Result<String, Error>
where
    S::Error: Display,
{
    let bes = explore(&mut system, budget)?;
    let blocks = BlockSystem::from_bes(&bes).ok_or_else(|| {
        Error::Usage(format!(
            "{}: the equation asked for is not in the first block, and blocks depend on each \
             other: CADP's format cannot say which one is asked for; say `--to pbes`",
            file.name()
        ))
    })?;
    Ok(blocks.to_string())
}
