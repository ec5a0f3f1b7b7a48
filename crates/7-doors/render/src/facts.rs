//! What analyses and summaries say of each procedure (`bop dump --stage summaries|modref|live`).

use crate::Formula;
use ir::{NodeId, ProcId, Program, VarId};
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// Facts of one kind about a program.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The program.
    pub program: Arc<Program>,
    /// Which.
    pub kind: FactsKind,
    /// In the order of the program.
    pub procs: Vec<ProcFacts>,
}

/// A kind of facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Stage", rename_all = "lowercase")]
pub enum FactsKind {
    /// Summaries and path edges ([bebop §3.1]).
    Summaries,
    /// Globals that a procedure, or one that it calls, modifies or reads ([bebop §3.3]).
    ModRef,
    /// Live variables ([bebop §3.3]).
    Live,
}

/// What is known of a procedure. What is of another kind is empty.
#[derive(Clone, Debug)]
pub struct ProcFacts {
    /// The procedure.
    pub proc: ProcId,
    /// Globals that it may change.
    pub modifies: Vec<VarId>,
    /// Globals that it may change or read.
    pub touches: Vec<VarId>,
    /// Globals and results that are live where it returns.
    pub live_at_exit: Vec<VarId>,
    /// From the values at entry (`x@entry`) to those at the exit; `0` if it never returns.
    pub summary: Option<Formula>,
    /// Globals that keep their values from the entry to every statement and exit.
    pub unchanged: Vec<VarId>,
    /// Its statements in the order of the source.
    pub statements: Vec<StatementFacts>,
}

/// What is known at a statement.
#[derive(Clone, Debug)]
pub struct StatementFacts {
    /// The statement.
    pub node: NodeId,
    /// The variables that are live before it.
    pub live: Vec<VarId>,
    /// From the values at entry to those before it; `0` if it cannot be reached.
    pub path: Option<Formula>,
}

/// The facts for people.
#[must_use]
pub fn facts_text(facts: &Facts) -> String {
    let program = &facts.program;
    let names = |vars: &[VarId]| match vars.is_empty() {
        true => "-".to_owned(),
        false => vars.iter().map(|&v| program.var_name(v)).collect::<Vec<_>>().join(", "),
    };
    let mut out = String::new();
    for (i, proc) in facts.procs.iter().enumerate() {
        if i > 0 && facts.kind != FactsKind::ModRef {
            out.push('\n');
        }
        let name = program.proc_name(proc.proc);
        if facts.kind == FactsKind::ModRef {
            let (modifies, touches) = (names(&proc.modifies), names(&proc.touches));
            let _ = writeln!(out, "{name}: modifies {modifies}; modifies or reads {touches}");
            continue;
        }
        let _ = writeln!(out, "{name}");
        if let Some(summary) = &proc.summary {
            formula(&mut out, "summary", summary);
            if !proc.unchanged.is_empty() {
                let _ = writeln!(out, "  unchanged  {}", names(&proc.unchanged));
            }
        }
        for statement in &proc.statements {
            let origin = program.nodes[statement.node].origin;
            let place = format!("{}  {}", origin.line, program.text(origin.text));
            match &statement.path {
                Some(path) => formula(&mut out, &place, path),
                None => {
                    let _ = writeln!(out, "  {place}  live: {}", names(&statement.live));
                }
            }
        }
        if facts.kind == FactsKind::Live {
            let _ = writeln!(out, "  exit  live: {}", names(&proc.live_at_exit));
        }
    }
    out
}

fn formula(out: &mut String, what: &str, formula: &Formula) {
    let _ = writeln!(out, "  {what}  [{}]", formula.text);
    for (name, part) in &formula.definitions {
        let _ = writeln!(out, "    where {name} is {part}");
    }
}

/// The facts for programs, as one object.
#[must_use]
pub fn facts_json(facts: &Facts) -> String {
    let page = Document {
        schema: Schema::V1,
        stage: facts.kind,
        procs: facts.procs.iter().map(|proc| ProcDocument::new(facts, proc)).collect(),
    };
    // Nothing in it can fail: names are strings, and the writer is one.
    let mut out = serde_json::to_string(&page).unwrap_or_default();
    out.push('\n');
    out
}

/// What analyses and summaries say of each procedure (`bop dump --stage summaries|modref|live --format json`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Facts")]
pub(crate) struct Document<'a> {
    /// The schema, and its version.
    schema: Schema,
    /// Which facts.
    stage: FactsKind,
    /// In the order of the program.
    procs: Vec<ProcDocument<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Schema {
    #[serde(rename = "postbop.facts/1")]
    V1,
}

/// What is known of a procedure.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Procedure")]
struct ProcDocument<'a> {
    /// The procedure.
    proc: &'a str,
    /// `modref`: globals that it may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    modifies: Option<Vec<&'a str>>,
    /// `modref`: globals that it may change or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    touches: Option<Vec<&'a str>>,
    /// `live`: globals and results that are live where it returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    live_at_exit: Option<Vec<&'a str>>,
    /// `summaries`: from the values at entry (`x@entry`) to those at the exit; `0` if it never returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<FormulaDocument<'a>>,
    /// `summaries`: globals that keep their values from the entry to every statement and exit.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchanged: Option<Vec<&'a str>>,
    /// `summaries`, `live`: its statements in the order of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<Vec<StatementDocument<'a>>>,
}

/// A formula.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Formula")]
struct FormulaDocument<'a> {
    /// The formula.
    formula: &'a str,
    /// Names in it, and what they stand for; each may use those before it.
    definitions: &'a [(String, String)],
}

/// What is known at a statement.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Statement")]
struct StatementDocument<'a> {
    /// The line, from 1.
    line: u32,
    /// The column, from 1.
    column: u32,
    /// The statement.
    text: &'a str,
    /// `summaries`: from the values at entry to those before it; `0` if it cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<FormulaDocument<'a>>,
    /// `live`: the variables that are live before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<Vec<&'a str>>,
}

impl<'a> ProcDocument<'a> {
    fn new(facts: &'a Facts, p: &'a ProcFacts) -> ProcDocument<'a> {
        let (program, kind) = (&*facts.program, facts.kind);
        let names = |of: FactsKind, vars: &[VarId]| -> Option<Vec<&'a str>> {
            (kind == of).then(|| vars.iter().map(|&v| program.var_name(v)).collect())
        };
        let statement = |s: &'a StatementFacts| {
            let origin = program.nodes[s.node].origin;
            let live = s.live.iter().map(|&v| program.var_name(v));
            StatementDocument {
                line: origin.line,
                column: origin.column,
                text: program.text(origin.text),
                path: s.path.as_ref().map(FormulaDocument::from),
                live: s.path.is_none().then(|| live.collect()),
            }
        };
        ProcDocument {
            proc: program.proc_name(p.proc),
            modifies: names(FactsKind::ModRef, &p.modifies),
            touches: names(FactsKind::ModRef, &p.touches),
            live_at_exit: names(FactsKind::Live, &p.live_at_exit),
            summary: p.summary.as_ref().map(FormulaDocument::from),
            unchanged: names(FactsKind::Summaries, &p.unchanged),
            statements: (kind != FactsKind::ModRef)
                .then(|| p.statements.iter().map(statement).collect()),
        }
    }
}

impl<'a> From<&'a Formula> for FormulaDocument<'a> {
    fn from(formula: &'a Formula) -> FormulaDocument<'a> {
        FormulaDocument { formula: &formula.text, definitions: &formula.definitions }
    }
}
