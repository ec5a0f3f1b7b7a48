//! Whether the traces of a report are runs of a program.

use asking::{Asked, Judgement, Options, Watch, With, nothing, question};
use check::{Budget, TraceMode};
use input::{Error, load_for};
use ir::Program;
use property::{Property, Question};
use render::Claim;
use source::SourceFile;
use std::sync::Arc;

/// Judges the claims of a report about the program.
pub fn replay(
    files: &[Arc<SourceFile>],
    claims: &[Claim],
    options: &Options,
    watch: &Watch,
) -> Result<Vec<Judgement>, Error> {
    let budget = watch.budget(options.search.limits);
    let with = With { options, watch, budget: &budget };
    let is_rule = |property: &Property| matches!(property, Property::Rule { .. });
    let properties = claims.iter().map(|claim| claim.property.clone());
    let properties: Vec<Property> = properties.filter(|p| !is_rule(p)).collect();
    let program = Arc::new(match properties.is_empty() && !claims.is_empty() {
        true => nothing(),
        false => load_for(files, &options.input, &properties)?,
    });
    let allow = findings::in_files(files);
    let judge = |claim: &Claim| {
        if let Some(wrong) = wrong_verdict(claim) {
            return Ok(Judgement::Refused(wrong));
        }
        if let Some(inputs) = &claim.inputs {
            return c_asking::replayed(claim, inputs, files, options, &budget);
        }
        let Some(trace) = &claim.trace else { return Ok(Judgement::NoTrace) };
        let asked = match (&claim.property, &options.input.c) {
            (Property::Rule { .. }, Some(c)) => findings::asked(claim, c, &allow, with)?,
            (property, _) => asked(property, &program, &budget),
        };
        Ok(match asked {
            Ok(asked) => {
                let judged = asked.back.judge_claim(&asked.task, claim, trace, with);
                judged.unwrap_or_else(Judgement::Refused)
            }
            Err(judgement) => judgement,
        })
    };
    claims.iter().map(judge).collect()
}

/// What is wrong with a verdict, as the answer to its question.
fn wrong_verdict(claim: &Claim) -> Option<String> {
    let (shown, other) = match claim.property {
        Property::Reach { .. } => ("reachable", "unreachable"),
        _ => ("violated", "holds"),
    };
    let verdict = claim.verdict.as_str();
    if ![shown, other, "unknown"].contains(&verdict) {
        return Some(format!("`{verdict}` is no verdict on this question"));
    }
    if (verdict == "unknown") != claim.stopped {
        let why = "an answer is `unknown` for a reason, and has none otherwise";
        return Some(why.to_owned());
    }
    let wrong = claim.trace.is_some() && verdict != shown;
    wrong.then(|| format!("no trace shows that the verdict is `{verdict}`"))
}

/// The question that a property is, or what is said of a claim about it.
fn asked(property: &Property, program: &Arc<Program>, budget: &Budget) -> Result<Asked, Judgement> {
    match question(property, program, budget) {
        Ok(Ok(Question::AllNodes)) => Err(Judgement::NoTrace),
        Ok(Ok(question)) => Ok(Asked::new(program, question, TraceMode::Shortest)),
        Ok(Err(reason)) => Err(Judgement::Unknown(reason.to_string())),
        Err(error) => Err(Judgement::Refused(error.to_string())),
    }
}
