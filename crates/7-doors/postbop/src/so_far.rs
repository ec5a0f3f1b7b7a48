//! The report of a run that is ended from outside: a phase that cannot look at a clock does not stop by itself,
//! and what was found before it shall not be lost.

use crate::claims::settle;
use asking::{Options, RuleAnswers, SoFar, Taken, nothing};
use c_asking::of_data;
use check::StopReason;
use input::Input;
use property::Property;
use render::{Claims, Outcome, Report};
use source::SourceFile;
use std::sync::Arc;

/// The report of a run that is ended for this reason: what was asked, with the answers so far. `files` and
/// `properties` are those of the command, for a run that had not come to its questions.
pub fn so_far(
    found: &SoFar,
    files: &[Arc<SourceFile>],
    properties: &[Property],
    options: &Options,
    reason: &StopReason,
) -> Report {
    let Taken { asked, c, skeleton_only, outcomes, mut rules } = found.take();
    let options = &Options {
        input: Input { c: c.or_else(|| options.input.c.clone()), ..options.input.clone() },
        ..options.clone()
    };
    let rule = |p: &Property| match p {
        Property::Rule { rule, .. } => Some(rule.clone()),
        _ => None,
    };
    let by_default = match properties {
        [] => vec![Property::Assert],
        _ => properties.iter().filter(|p| rule(p).is_none()).cloned().collect(),
    };
    let unread = asked.is_none();
    let (program, files, questions) =
        asked.unwrap_or_else(|| (Arc::new(nothing()), files.to_vec(), by_default));
    // What was ended before the data was asked is no answer.
    let settled = |outcome: Outcome| {
        let about = match &outcome.property {
            Property::Assert | Property::Reach { .. } => true,
            Property::Terminates { fair } => fair.is_empty(),
            _ => false,
        };
        match skeleton_only && about && outcome.status.is_violation() && !of_data(&outcome.engine) {
            true => Outcome::unknown(outcome.property, reason.clone()),
            false => outcome,
        }
    };
    let mut outcomes = outcomes.into_iter().map(settled);
    let unknown = |question: &Property| Outcome::unknown(question.clone(), reason.clone());
    let mut results: Vec<Outcome> =
        questions.iter().map(|q| outcomes.next().unwrap_or_else(|| unknown(q))).collect();
    let mut found = RuleAnswers::default();
    for property in properties {
        let Some(name) = rule(property) else { continue };
        found.add(rules.remove(&name).unwrap_or_else(|| RuleAnswers {
            outcomes: vec![unknown(property)],
            ..RuleAnswers::default()
        }));
    }
    results.extend(found.outcomes);
    let not_modelled = options
        .input
        .c
        .as_ref()
        .map(|c| c.warnings().iter().map(ToString::to_string).collect())
        .unwrap_or_default();
    let (suppressed, assumptions) = (found.suppressed, found.assumptions);
    let claims = Claims::default();
    let mut report =
        Report { files, program, results, suppressed, assumptions, not_modelled, claims };
    settle(&mut report, properties, options);
    if unread {
        // Nobody knows what a program has that was not read.
        report.results.iter_mut().for_each(|outcome| outcome.vacuous.clear());
    }
    report
}
