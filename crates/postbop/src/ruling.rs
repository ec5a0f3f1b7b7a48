//! Rules as a part of a report.

use crate::load::Error;
use crate::{EngineChoice, Findings, Options, Watch, allowances, findings};
use check::TraceMode;
use ir::{Init, Program, ProgramBuilder, Rel};
use render::{Finding, FindingStep, LookedAt, RuleOutcome, RuleReport};
use source::SourceFile;
use std::sync::Arc;
use std::time::Instant;

/// The answers to the rules of the options; none if there are none.
pub(crate) fn ruling(
    files: &[Arc<SourceFile>],
    options: &Options,
    watch: &Watch,
) -> Result<Option<RuleReport>, Error> {
    let Some(c) = options.c.as_ref().filter(|_| !options.rules.is_empty()) else { return Ok(None) };
    let start = Instant::now();
    let allow: Vec<_> = files.iter().flat_map(|f| allowances(f.name(), f.text())).collect();
    // A finding is known by its path, shown or not.
    let trace = match options.trace {
        TraceMode::None => TraceMode::Any,
        mode => mode,
    };
    // A name that is not there is said before anything is searched.
    if let Some(name) = &options.entry {
        let s = c.skeleton();
        if s.func_named(name).is_none_or(|f| s.body(f).is_none()) {
            return Err(c.wrong(&front_c::LowerError::NoEntry { name: name.clone() }));
        }
    }
    if c.skeleton().bodies.is_empty() {
        return Err(c.wrong(&front_c::LowerError::Empty));
    }
    let found = findings(
        c.skeleton(),
        &options.rules,
        &allow,
        &Options { trace, ..options.clone() },
        watch,
    );
    Ok(Some(reported(found, options, start.elapsed().as_secs_f64())))
}

/// What was found, as a report tells it.
pub(crate) fn reported(found: Findings, options: &Options, seconds: f64) -> RuleReport {
    let engine = match options.engine {
        EngineChoice::Explicit => "explicit",
        EngineChoice::Post => "post",
        EngineChoice::Pre => "pre",
        EngineChoice::Qbf => "qbf",
        EngineChoice::Universal => "universal",
        _ => "summary",
    };
    let mut rules: Vec<RuleOutcome> = options
        .rules
        .iter()
        .map(|rule| RuleOutcome {
            rule: rule.name.clone(),
            metavariable: rule.variable.as_ref().map(|v| v.name.clone()),
            stop_reason: None,
            findings: Vec::new(),
            suppressed: Vec::new(),
            looked_at: LookedAt::default(),
            vacuous: Vec::new(),
        })
        .collect();
    let shown = options.trace != TraceMode::None;
    for finding in found.findings.into_iter().chain(found.suppressed) {
        let Some(outcome) = rules.iter_mut().find(|r| r.rule == finding.rule) else { continue };
        let finding = converted(finding, shown);
        match finding.suppressed {
            Some(_) => outcome.suppressed.push(finding),
            None => outcome.findings.push(finding),
        }
    }
    for (name, looked_at) in found.looked_at {
        if let Some(outcome) = rules.iter_mut().find(|r| r.rule == name) {
            outcome.looked_at = looked_at;
        }
    }
    for (name, reason) in found.unknown {
        if let Some(outcome) = rules.iter_mut().find(|r| r.rule == name) {
            outcome.stop_reason = Some(reason);
        }
    }
    RuleReport {
        rules,
        assumptions: found.assumptions,
        engine: engine.to_owned(),
        seconds,
        counters: found.counters,
    }
}

fn converted(finding: crate::Finding, shown: bool) -> Finding {
    let steps = if shown { finding.steps } else { Vec::new() };
    // The program's start does not count as a call.
    let least = steps.iter().map(|s| s.depth).min().unwrap_or(0);
    let step = |s: crate::Step| FindingStep {
        file: s.file,
        line: s.line,
        column: s.column,
        text: s.text,
        function: s.function,
        depth: s.depth - least,
        folded: s.folded,
        event: s.event,
    };
    Finding {
        message: finding.message,
        file: finding.file,
        line: finding.line,
        column: finding.column,
        function: finding.function,
        object: finding.object,
        origin: finding.origin,
        shortest: finding.shortest,
        steps: steps.into_iter().map(step).collect(),
        assumptions: finding.assumptions,
        suppressed: finding.suppressed,
    }
}

/// A program for reports that are about rules only.
pub(crate) fn nothing() -> Program {
    let mut b = ProgramBuilder::new();
    let at = b.no_origin();
    let main = b.proc("(none)", at);
    b.begin_proc(main);
    let end = b.silent();
    b.entry(main, end);
    b.ret(end, Rel::identity(), false);
    b.finish(main, Init::default())
}
