//! From properties to a report.

use asking::{Options, Questions, RuleAnswers, Watch, With, nothing};
use findings::rule_answers;
use input::{Error, load_for};
use property::Property;
use render::{Claims, Outcome, Report};
use source::SourceFile;
use std::sync::Arc;

/// Answers the questions about the program; with none, the default ones.
///
/// Every trace is replayed on the program as it was loaded. A trace or certificate that is refused,
/// engines that disagree and panics make the answer `unknown` with an internal stop reason.
pub(crate) fn answer(
    files: &[Arc<SourceFile>],
    properties: &[Property],
    options: &Options,
    watch: &Watch,
) -> Result<Report, Error> {
    let is_rule = |p: &&Property| matches!(p, Property::Rule { .. });
    let rules: Vec<&Property> = properties.iter().filter(is_rule).collect();
    let others: Vec<Property> = properties.iter().filter(|p| !is_rule(p)).cloned().collect();
    let about_rules = match (&rules[..], &options.input.c) {
        ([], _) => None,
        (_, Some(c)) => Some(c),
        (_, None) => {
            let what =
                "rules are about the events of C programs; `--sere` asks about sequences in others";
            return Err(Error::Usage(what.to_owned()));
        }
    };
    let only_rules = others.is_empty() && !rules.is_empty();
    let budget = watch.budget(options.search.limits);
    let program = Arc::new(match only_rules {
        true => nothing(),
        false => load_for(files, &options.input, &others)?,
    });
    let mut results = Vec::new();
    if !only_rules {
        let questions = Questions::new(&program, files, &others, options, &budget)?;
        let asked = questions.each.iter().map(|(p, _)| p.clone());
        watch.so_far.asked(&program, files, asked);
        let c = options.input.c.as_deref();
        let absent = |out: &mut Outcome| {
            out.vacuous.extend(crate::vacuous::absent(&out.property, &program, c));
        };
        let with = With { options, watch, budget: &budget };
        results = questions.answers(&program, with, &absent);
    }
    let answers = match about_rules {
        Some(c) => rule_answers(c, files, &rules, options, watch)?,
        None => RuleAnswers::default(),
    };
    results.extend(answers.outcomes);
    Ok(Report {
        files: files.to_vec(),
        program,
        results,
        suppressed: answers.suppressed,
        assumptions: answers.assumptions,
        not_modelled: options
            .input
            .c
            .as_ref()
            .map(|c| c.warnings().iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        claims: Claims::default(),
    })
}
