//! A C program with its data for others: as Horn clauses, and as a boolean program over predicates.

use crate::bounded::{Searched, goal};
use asking::{Options, Watch};
use c_data::Point;
use c_formulas::{NoAbstraction, NoClauses, Predicate};
use input::{Error, guarded};
use property::Property;
use source::SourceFile;
use std::sync::Arc;

/// Labels that must not be reached where nothing is asked.
const LABELS: [&str; 2] = [property::DEFAULT_LABEL, "ERROR"];

/// The program as Horn clauses in SMT-LIB, which have a solution if and only if no run does what is asked about: comes
/// to one of these places, or, without any, fails an assertion or comes to a label for errors.
pub fn clauses(
    files: &[Arc<SourceFile>],
    places: &[String],
    options: &Options,
    watch: &Watch,
) -> Result<String, Error> {
    let usage = |what: &str| Error::Usage(what.to_owned());
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        return Err(usage(
            "chc is a form of C programs; others have smv, aiger, btor2, bp, remopla and pds",
        ));
    };
    if !options.input.keep.is_empty() {
        return Err(usage("chc has all values; leave out `--keep`"));
    }
    if options.input.entry.as_deref().is_some_and(|entry| entry != "main") {
        return Err(usage("clauses start at `main`; leave out `--entry`"));
    }
    guarded("writing clauses", || {
        let of = Searched::new(data, (c, None), files)?;
        let budget = watch.budget(options.search.limits);
        let mut points: Vec<Point> = Vec::new();
        for label in places {
            points.extend(goal(&Property::reach(label), &of.data, files)?.points);
        }
        if places.is_empty() {
            points.extend(goal(&Property::Assert, &of.data, files)?.points);
            for label in LABELS {
                if let Ok(goal) = goal(&Property::reach(label), &of.data, files) {
                    points.extend(goal.points);
                }
            }
        }
        let clauses = c_formulas::horn(of.data.program(), &points, &budget);
        clauses.map_err(|error| match error {
            NoClauses::Stopped(reason) => Error::Stopped(reason),
            NoClauses::Refused(what) => {
                Error::Usage(format!("there are no Horn clauses of this program: {what}"))
            }
            _ => Error::Internal("clauses were not written".to_owned()),
        })
    })
}

/// The program as a boolean program over predicates: whatever a run of the C program reaches, one of it does.
pub fn abstraction(
    files: &[Arc<SourceFile>],
    predicates: &Arc<SourceFile>,
    options: &Options,
    watch: &Watch,
) -> Result<String, Error> {
    let usage = |what: &str| Error::Usage(what.to_owned());
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        return Err(usage("`--predicates` are about C programs; this is none"));
    };
    if !options.input.keep.is_empty() {
        return Err(usage(
            "`--keep` and `--predicates` are two ways to look at data; leave one of them out",
        ));
    }
    if options.input.entry.as_deref().is_some_and(|entry| entry != "main") {
        return Err(usage("with `--predicates` programs start at `main`; leave out `--entry`"));
    }
    let wrong =
        |line: u32, what: &str| Error::Usage(format!("{}:{line}: {what}", predicates.name()));
    let all = listed(predicates.text()).map_err(|(line, what)| wrong(line, &what))?;
    guarded("abstracting", || {
        let of = Searched::new(data, (c, None), files)?;
        let budget = watch.budget(options.search.limits);
        let fails = |name: &str| front_c::is_failed_assertion(name);
        let program = c_formulas::abstraction(of.data.program(), &all, &fails, &budget);
        program.map_err(|error| match error {
            NoAbstraction::Stopped(reason) => Error::Stopped(reason),
            NoAbstraction::Predicate(line, what) => wrong(line, &what),
            NoAbstraction::Refused(what) => {
                Error::Usage(format!("there is no boolean program of this one: {what}"))
            }
            _ => Error::Internal("the program was not abstracted".to_owned()),
        })
    })
}

/// Predicates by function: `f:` starts those of `f`, `global:` those that all functions share, and each line is one.
fn listed(text: &str) -> Result<Vec<Predicate>, (u32, String)> {
    let mut function: Option<Option<String>> = None;
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let (number, line) = (i as u32 + 1, line.trim());
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            continue;
        }
        if let Some(name) = line.strip_suffix(':') {
            function = Some(if name == "global" { None } else { Some(name.trim().to_owned()) });
            continue;
        }
        let Some(function) = function.clone() else {
            let what =
                "a predicate belongs to a function, or to all: begin with a line `f:` or `global:`";
            return Err((number, what.to_owned()));
        };
        out.push(Predicate { function, text: line.to_owned(), line: number });
    }
    Ok(out)
}
