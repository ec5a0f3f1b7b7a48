//! What analyses and summaries say of each procedure (`bop dump --stage summaries|modref|live`).

use crate::Formula;
use ir::{NodeId, ProcId, Program, VarId};
use serde_json::{Value as Json, json};
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    let program = &facts.program;
    let names = |vars: &[VarId]| -> Json {
        vars.iter().map(|&v| Json::from(program.var_name(v))).collect()
    };
    let formula = |f: &Formula| {
        let parts = f.definitions.iter().map(|(name, part)| json!([name, part]));
        json!({"formula": f.text, "definitions": parts.collect::<Json>()})
    };
    let statement = |s: &StatementFacts| {
        let origin = program.nodes[s.node].origin;
        let mut out = json!({
            "line": origin.line, "column": origin.column, "text": program.text(origin.text),
        });
        match &s.path {
            Some(path) => out["path"] = formula(path),
            None => out["live"] = names(&s.live),
        }
        out
    };
    let proc = |p: &ProcFacts| {
        let mut out = json!({"proc": program.proc_name(p.proc)});
        match facts.kind {
            FactsKind::ModRef => {
                out["modifies"] = names(&p.modifies);
                out["touches"] = names(&p.touches);
            }
            FactsKind::Live => out["live_at_exit"] = names(&p.live_at_exit),
            FactsKind::Summaries => {
                out["summary"] = p.summary.as_ref().map(formula).into();
                out["unchanged"] = names(&p.unchanged);
            }
        }
        if facts.kind != FactsKind::ModRef {
            out["statements"] = p.statements.iter().map(statement).collect();
        }
        out
    };
    let kind = match facts.kind {
        FactsKind::Summaries => "summaries",
        FactsKind::ModRef => "modref",
        FactsKind::Live => "live",
    };
    let procs: Json = facts.procs.iter().map(proc).collect();
    format!("{}\n", json!({"schema": "postbop.facts/1", "stage": kind, "procs": procs}))
}
