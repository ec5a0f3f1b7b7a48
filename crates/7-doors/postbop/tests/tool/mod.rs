//! The library as what [`testkit::conversion`] compares, and the same for formulas and equations.
//! Used by the tests here, by `cargo xtask fuzz-convert` and by `fuzz/`.

#![allow(dead_code, reason = "a test and a task share this, and each needs a part of it")]

use check::{Engine, Limits, TraceMode};
use equations::{EquationForm, MuSyntax, Resolution, Stream};
use ir::Program;
use postbop::{
    CProgram, CText, EngineChoice, Error, Input, Lang, Options, Search, SourceFile, Status, Target,
    Watch,
};
use property::Property;
use std::sync::Arc;
use std::time::Duration;
use testkit::conversion::{Compared, Language, Tool, Written, compare};

/// What one question may take.
const LIMIT: Duration = Duration::from_secs(60);

/// This library.
pub(crate) struct Postbop;

fn file(name: &str, text: &str) -> Result<Arc<SourceFile>, String> {
    SourceFile::new(name, text).map(Arc::new).map_err(|e| e.to_string())
}

fn shown(error: Error) -> String {
    match error {
        Error::Rejected { file, diagnostics } => {
            let shown = diagnostics.iter().map(|d| source::render(d, &file));
            shown.collect::<Vec<String>>().join("\n")
        }
        error => error.to_string(),
    }
}

fn options(language: Language) -> Options {
    let lang = match language {
        Language::Bp => Lang::Bp,
        Language::Remopla => Lang::Remopla,
        Language::Pds => Lang::Pds,
    };
    let limits = Limits { time: Some(LIMIT), memory: None, steps: None };
    Options {
        input: Input { lang: Some(lang), ..Input::default() },
        search: Search { limits, ..Search::default() },
        ..Options::default()
    }
}

/// The form that a language is.
pub(crate) fn target(language: Language) -> Target {
    match language {
        Language::Bp => Target::Bp,
        Language::Remopla => Target::Remopla,
        Language::Pds => Target::Pds,
    }
}

impl Tool for Postbop {
    fn load(&self, language: Language, text: &str) -> Result<Program, String> {
        postbop::load(&[file("program", text)?], &options(language).input).map_err(shown)
    }

    fn convert(&self, from: Language, text: &str, to: Language) -> Result<Written, String> {
        let files = [file("program", text)?];
        match postbop::convert(&files, target(to), &options(from), &Watch::default()) {
            Ok(text) => Ok(Written::Text(text)),
            Err(Error::Usage(what)) if what.contains("has no words for") => {
                Ok(Written::Refused(what))
            }
            Err(Error::Stopped(_)) => Ok(Written::Stopped),
            Err(error) => Err(shown(error)),
        }
    }

    fn check(
        &self,
        language: Language,
        text: &str,
        properties: &[Property],
        engine: usize,
    ) -> Result<Vec<Option<bool>>, String> {
        let engines = [EngineChoice::Post, EngineChoice::Explicit, EngineChoice::Pre];
        let options = Options {
            search: Search {
                engine: engines[engine % engines.len()],
                trace: TraceMode::None,
                vacuity: false,
                ..options(language).search.clone()
            },
            ..options(language)
        };
        let files = [file("program", text)?];
        let report = postbop::check(&files, properties, &options, &Watch::default());
        let answer = |status: Status| match status {
            Status::Holds | Status::Unreachable => Some(true),
            Status::Violated | Status::Reachable => Some(false),
            _ => None,
        };
        Ok(report.map_err(shown)?.results.iter().map(|r| answer(r.status)).collect())
    }
}

/// Compares a C program, which is preprocessed, with what it becomes.
pub(crate) fn converted_c(text: &str, to: Language, engines: [(&str, &dyn Engine); 2]) -> Compared {
    let mut out = Compared::default();
    let unit = CText { name: "r.c".into(), text: text.to_owned(), directory: None };
    let done = CProgram::new(vec![unit]).map_err(shown).and_then(|program| {
        let options = Options::from(Input { c: Some(Arc::new(program)), ..Input::default() });
        let original = postbop::load(&[], &options.input).map_err(shown)?;
        let written = postbop::convert(&[], target(to), &options, &Watch::default());
        Ok((original, written))
    });
    match done {
        Err(error) => out.problems.push(format!("{error}\n{text}")),
        Ok((_, Err(Error::Usage(why)))) => out.refused = Some(why),
        Ok((_, Err(error))) => out.problems.push(format!("{}\n{text}", shown(error))),
        Ok((original, Ok(written))) => {
            let original = Arc::new(original);
            match testkit::conversion::reached(&original, engines[0].1) {
                None => out.open = true,
                Some(before) => {
                    compare(&Postbop, (&original, &before), (to, &written), engines[1], &mut out);
                }
            }
        }
    }
    out
}

/// A formula or an equation system, as a text with the ending of its file.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    /// `mcl`, `mcf`, `blk`, `bes` or `pbes`.
    pub(crate) ending: &'static str,
    /// The text.
    pub(crate) text: String,
}

/// What became of it in another form.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The value is the same, and the text when it is written once more.
    Same(Equations),
    /// It cannot be said, for this reason.
    Refused(String),
    /// A limit was reached.
    Open,
    /// Something is wrong.
    Wrong(String),
}

/// The value of a formula or of a system; `None` where a limit was reached.
pub(crate) fn value(equations: &Equations, model: Option<&str>) -> Result<Option<bool>, String> {
    let input = file(&format!("f.{}", equations.ending), &equations.text)?;
    let limits = Limits { time: Some(LIMIT), memory: None, steps: None };
    let options = Options::from(Search { limits, ..Search::default() });
    let (how, watch) = (Resolution::default(), Watch::default());
    let solution = match equations.ending {
        "mcl" | "mcf" => {
            let model = file("model.aut", model.unwrap_or_default())?;
            equations::eval(&input, syntax(equations.ending), &model, &how, &options, &watch)
        }
        "blk" => {
            let model = file("model.aut", model.unwrap_or_default())?;
            equations::solve(&input, Some(&model), &how, &options, &watch)
        }
        _ => equations::solve(&input, None, &how, &options, &watch),
    };
    match solution {
        Ok(solution) => Ok(Some(solution.value)),
        Err(Error::Stopped(_)) => Ok(None),
        Err(error) => Err(shown(error)),
    }
}

fn syntax(ending: &str) -> MuSyntax {
    match ending {
        "mcl" => MuSyntax::Cadp,
        _ => MuSyntax::Mcrl2,
    }
}

/// A text in another form; the model is told where it is needed, or where `told`.
fn written(
    equations: &Equations,
    to: &'static str,
    model: Option<&str>,
) -> Result<Result<Equations, Error>, String> {
    let input = file(&format!("f.{}", equations.ending), &equations.text)?;
    let form = match to {
        "blk" => EquationForm::Modal,
        "bes" => EquationForm::Boolean,
        _ => EquationForm::Parameterised,
    };
    let stream = model.map(|text| Stream { name: "model.aut", input: Box::new(text.as_bytes()) });
    let limits = Limits { time: Some(LIMIT), memory: None, steps: None };
    let options = Options::from(Search { limits, ..Search::default() });
    let how = (syntax(equations.ending), &[][..]);
    let done = equations::convert_equations(&input, form, stream, how, &options, &Watch::default());
    Ok(done.map(|done| Equations { ending: to, text: done.text }))
}

/// Compares a formula or a system with what it becomes in another form, on a model.
pub(crate) fn converted(
    equations: &Equations,
    to: &'static str,
    model: Option<&str>,
    told: bool,
) -> Result<Outcome, String> {
    let has_model = matches!(equations.ending, "mcl" | "mcf" | "blk");
    let given = model.filter(|_| has_model && told);
    let target = match written(equations, to, given)? {
        Ok(target) => target,
        Err(Error::Stopped(_)) => return Ok(Outcome::Open),
        Err(error @ Error::Internal(_)) => return Ok(Outcome::Wrong(shown(error))),
        Err(error) => return Ok(Outcome::Refused(shown(error))),
    };
    let wrong = |what: String| {
        Ok(Outcome::Wrong(format!(
            "{what}\n{}\n{}\n{}",
            equations.text,
            model.unwrap_or_default(),
            target.text
        )))
    };
    let (was, is) = match (value(equations, model)?, value(&target, model)) {
        (Some(was), Ok(Some(is))) => (was, is),
        (_, Err(error)) => return wrong(format!("the text is not accepted: {error}")),
        _ => return Ok(Outcome::Open),
    };
    if was != is {
        return wrong(format!("it was {was}, and is {is}"));
    }
    match written(&target, to, None)? {
        Ok(again) if again.text == target.text => Ok(Outcome::Same(target)),
        Ok(again) => wrong(format!("once more it is another text:\n{}", again.text)),
        Err(error) => wrong(format!("once more it is no text: {}", shown(error))),
    }
}
