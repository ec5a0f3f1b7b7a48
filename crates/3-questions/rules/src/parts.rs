//! A question about a large program in parts.
//!
//! - QP1. What breaks a rule leaves the automaton's first state for good at one point: where memory is allocated that is
//!   lost, or freed that is freed again. Of the runs that do so at a point, one part is asked.
//! - QP2. A part knows which points belong to others: what begins there ends the run. A point that belongs to nobody
//!   belongs to every part, so that together they are all runs.
//! - QP3. Only values matter that come to the points of the part: the paths that can hold one of these are fewer, and so
//!   are the functions that have to do with them.

use crate::event::Event;
use crate::facts::Facts;
use crate::needs::needing;
use crate::relevance::{Functions, each_call_at};
use crate::rule::Rule;
use crate::value::At;
use automata::sere::Condition;
use front_c::{Call, FuncId, Skeleton};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A part of what a rule asks of a program; all of it by default.
#[derive(Clone, Debug, Default)]
pub struct Part {
    others: Option<Arc<FxHashSet<At>>>,
}

impl Part {
    /// What begins at some of the points only.
    pub fn of(all: &[At], mine: &[At]) -> Part {
        let mut others: FxHashSet<At> = all.iter().copied().collect();
        mine.iter().for_each(|at| {
            others.remove(at);
        });
        Part { others: (!others.is_empty()).then(|| Arc::new(others)) }
    }

    /// Whether it is all there is.
    pub fn is_whole(&self) -> bool {
        self.others.is_none()
    }

    /// Whether what begins at the point is asked elsewhere.
    pub(crate) fn leaves_out(&self, at: At) -> bool {
        self.others.as_ref().is_some_and(|others| others.contains(&at))
    }
}

/// The events without one of which no run begins to break a rule, as atoms of its automaton; none if there are runs that
/// begin without a call of a function.
pub(crate) fn first_events(rule: &Rule) -> Option<BTreeSet<u32>> {
    let kind = |e: &Event| {
        use Event as E;
        matches!(e, E::Arg(..) | E::CallOn(..) | E::Result(_) | E::Out(..) | E::Owned)
    };
    let wants = needing(rule, &kind);
    let nfa = &rule.nfa;
    let mut out = BTreeSet::new();
    for &(_, condition, _) in nfa.transitions.iter().filter(|t| t.0 == 0 && t.2 != 0) {
        if !wants[condition as usize] {
            return None;
        }
        let mut todo = vec![condition];
        while let Some(c) = todo.pop() {
            match nfa.conditions[c as usize] {
                Condition::Atom(a) if rule.events[a as usize].iter().all(kind) => {
                    out.insert(a);
                }
                Condition::And(a, b) | Condition::Or(a, b) => todo.extend([a, b]),
                _ => {}
            }
        }
    }
    (!nfa.accepting[0] && !out.is_empty()).then_some(out)
}

/// Whether an event can happen at a call of a function.
fn may_happen(f: &Functions<'_>, event: &Event, g: FuncId) -> bool {
    let name = f.name(g);
    event.pattern().is_some_and(|p| p.matches(name))
}

/// The points at which a run can begin to break a rule, in the order of the program; none if the rule can only be asked
/// as a whole.
pub fn beginnings(
    s: &Skeleton,
    rule: &Rule,
    entry: Option<&str>,
    facts: &Facts,
) -> Option<Vec<At>> {
    if !rule.is_about_values() {
        return None;
    }
    let first = first_events(rule)?;
    let (whole, stop) = (Part::default(), || false);
    let f = Functions::new(s, rule, entry, (&whole, facts), &stop);
    let mut all: BTreeSet<At> = BTreeSet::new();
    let mut whole = false;
    each_call_at(&f, |at, _: &Call, g| {
        let events = first.iter().flat_map(|a| &rule.events[*a as usize]);
        for event in events.filter(|e| may_happen(&f, e, g)) {
            // The result is a value that came into being somewhere else.
            whole |= matches!(event, Event::Result(_)) && f.returned(g).is_some();
            all.insert(at);
        }
    });
    let events = || first.iter().flat_map(|a| &rule.events[*a as usize]);
    if events().any(|e| *e == Event::Owned) {
        all.extend(f.inherited().points(s));
    }
    (!whole).then(|| all.into_iter().collect())
}
