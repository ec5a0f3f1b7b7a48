//! Asking rules of a program.
#![allow(dead_code)]

use postbop::{
    CProgram, Finding, Input, Options, Outcome, Property, Report, Rule, SourceFile, Status,
    StopReason, Watch, check, rule_property,
};
use std::ops::Deref;
use std::sync::Arc;

/// A violation.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) rule: String,
    pub(crate) outcome: Outcome,
}

impl Deref for Found {
    type Target = Finding;
    fn deref(&self) -> &Finding {
        self.outcome.finding.as_ref().expect("a violation of a rule is told")
    }
}

impl Found {
    /// Function, line, column and depth of each step, with its events.
    pub(crate) fn steps(&self) -> Vec<(String, u32, u32, u32, Vec<String>)> {
        let Some(trace) = &self.outcome.trace else { return Vec::new() };
        let step = |s: &render::ListedStep| {
            let node = &trace.program.nodes[s.node];
            let events = s.events.iter().map(|e| e.text.clone()).collect();
            let function = trace.program.proc_name(node.proc).to_owned();
            (function, node.origin.line, node.origin.column, s.depth, events)
        };
        trace.steps.iter().map(step).collect()
    }
}

/// What a report says of rules.
pub(crate) struct Answers {
    pub(crate) findings: Vec<Found>,
    pub(crate) suppressed: Vec<Found>,
    pub(crate) unknown: Vec<(String, StopReason)>,
    pub(crate) report: Report,
}

/// Asks the rules of a program whose sources are these.
pub(crate) fn findings(
    program: &Arc<CProgram>,
    rules: &[Rule],
    sources: &[(&str, &str)],
    options: &Options,
    watch: &Watch,
) -> Answers {
    let files: Vec<Arc<SourceFile>> = (sources.iter())
        .map(|(name, text)| Arc::new(SourceFile::new(*name, *text).expect("small")))
        .collect();
    let properties: Vec<Property> = rules.iter().map(rule_property).collect();
    let options = Options {
        input: Input { c: Some(program.clone()), ..options.input.clone() },
        ..options.clone()
    };
    let report = check(&files, &properties, &options, watch).expect("a report");
    let rule = |o: &Outcome| match &o.property {
        Property::Rule { rule, .. } => rule.clone(),
        other => panic!("{other:?}"),
    };
    let found = |o: &Outcome| Found { rule: rule(o), outcome: o.clone() };
    let broken = |o: &&Outcome| o.status == Status::Violated;
    let findings = report.results.iter().filter(broken).map(found).collect();
    let suppressed = report.suppressed.iter().map(found).collect();
    let open = report.results.iter().filter_map(|o| Some((rule(o), o.stop_reason.clone()?)));
    let unknown = open.collect();
    Answers { findings, suppressed, unknown, report }
}
