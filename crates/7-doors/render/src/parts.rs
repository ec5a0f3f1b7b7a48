//! What several documents have in common.

use crate::Reader;
use crate::values::Value;
use check::{Partial, StopReason};
use indexmap::IndexMap;
use ir::{NodeId, ProcId, Program};
use property::{OperationKind, Property};
use serde::Serialize;

/// Whether a list has no place in a document.
pub(crate) fn none<T>(list: &[T]) -> bool {
    list.is_empty()
}

/// Who writes a document.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

impl Default for Tool {
    fn default() -> Tool {
        Tool { name: "bop", version: env!("CARGO_PKG_VERSION") }
    }
}

/// A question.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Question<'a> {
    /// Is a statement reachable?
    Reach {
        /// The place, as it was typed.
        label: &'a str,
    },
    /// Which statements are reachable?
    ReachAll,
    /// Can an assertion fail?
    Assert,
    /// Does every infinite run satisfy a formula?
    Ltl {
        /// The formula, as it was typed.
        formula: &'a str,
        /// Only runs on which each of these holds infinitely often count.
        #[serde(skip_serializing_if = "none")]
        fair: &'a [String],
    },
    /// Is there no run that a property in Sugar forbids?
    Sere {
        /// The property, as it was typed.
        formula: &'a str,
    },
    /// Does an automaton accept no run, or all of them?
    Automaton {
        /// What its file is called.
        file: &'a str,
        /// `bad` if it accepts the runs that are wrong, `good` if those that are right.
        accepts: &'static str,
        /// The automaton, in the format HOA.
        text: &'a str,
    },
    /// Does every run end?
    Terminates {
        /// Only runs on which each of these holds infinitely often count.
        #[serde(skip_serializing_if = "none")]
        fair: &'a [String],
    },
    /// Is every access to memory valid, and no memory lost?
    MemorySafety,
    /// Is all memory freed when the program ends?
    MemoryCleanup,
    /// Do the results of all signed operators fit?
    Overflow,
    /// Is no divisor 0?
    Division,
    /// Is nothing read that was never written?
    Uninitialised,
    /// Does a C program keep a rule?
    Rule {
        /// The rule's name.
        rule: &'a str,
        /// What its metavariables stand for, in an answer about one object.
        bindings: IndexMap<&'a str, &'a str>,
        /// The rule, as it is written.
        text: &'a str,
    },
    /// A kind that has no description here yet, nor a place in the schema: tests find it.
    #[serde(untagged)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other {
        /// Its name.
        kind: &'static str,
    },
}

impl<'a> From<&'a Property> for Question<'a> {
    fn from(property: &'a Property) -> Question<'a> {
        match property {
            Property::Reach { label } => Question::Reach { label },
            Property::ReachAll => Question::ReachAll,
            Property::Assert => Question::Assert,
            Property::Ltl { formula, fair } => Question::Ltl { formula, fair },
            Property::Sere { formula } => Question::Sere { formula },
            Property::Automaton { name, text, good } => Question::Automaton {
                file: name,
                accepts: if *good { "good" } else { "bad" },
                text,
            },
            Property::Terminates { fair } => Question::Terminates { fair },
            Property::Operations { kind } => match kind {
                OperationKind::MemorySafety => Question::MemorySafety,
                OperationKind::MemoryCleanup => Question::MemoryCleanup,
                OperationKind::Overflow => Question::Overflow,
                OperationKind::Division => Question::Division,
                OperationKind::Uninitialised => Question::Uninitialised,
            },
            Property::Rule { rule, text, bindings } => {
                Question::Rule { rule, bindings: bound(bindings), text }
            }
            other => Question::Other { kind: other.kind() },
        }
    }
}

/// What metavariables stand for.
pub(crate) fn bound(bindings: &[(String, String)]) -> IndexMap<&str, &str> {
    bindings.iter().map(|(name, object)| (name.as_str(), object.as_str())).collect()
}

/// Effort.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Stats {
    /// Wall-clock time, to the microsecond.
    seconds: f64,
    /// Counters; which there are depends on the engine.
    #[serde(flatten)]
    counters: IndexMap<String, u64>,
}

impl Stats {
    pub(crate) fn new(seconds: f64, counters: &[(String, u64)]) -> Stats {
        let counters = counters.iter().map(|(name, value)| (name.replace(' ', "_"), *value));
        Stats { seconds: (seconds * 1e6).round() / 1e6, counters: counters.collect() }
    }
}

/// Why there is no answer.
#[derive(Serialize)]
pub(crate) struct Stop(&'static str);

impl From<&StopReason> for Stop {
    fn from(reason: &StopReason) -> Stop {
        Stop(reason.code())
    }
}

/// A statement's place in the source.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Place<'a> {
    /// The procedure.
    pub(crate) proc: &'a str,
    /// The file, where it is not the document's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<&'a str>,
    /// The line, from 1; 0 for what is written nowhere.
    pub(crate) line: u32,
    /// The column, from 1; 0 for what is written nowhere.
    pub(crate) column: u32,
    /// The statement.
    pub(crate) text: &'a str,
}

impl<'a> Place<'a> {
    /// The place of a node, in a document about `file`.
    pub(crate) fn new(program: &'a Program, node: NodeId, file: &str) -> Place<'a> {
        let info = &program.nodes[node];
        let name = program.files.get(info.origin.file as usize).map(String::as_str);
        Place {
            proc: program.proc_name(info.proc),
            file: name.filter(|name| *name != file),
            line: info.origin.line,
            column: info.origin.column,
            text: program.text(info.origin.text),
        }
    }
}

/// What is known of the variables in a procedure's scope, by name.
pub(crate) fn named<'p>(
    program: &'p Program,
    reader: &mut Reader<'p>,
    proc: ProcId,
    state: &Partial,
) -> IndexMap<&'p str, Value> {
    let values = reader.values(proc, state).into_iter();
    values.map(|(var, value)| (program.var_name(var), value)).collect()
}
