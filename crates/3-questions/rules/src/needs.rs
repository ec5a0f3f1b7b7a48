//! Which events a rule cannot be violated without.

use crate::event::Event;
use crate::rule::Rule;
use automata::sere::{Condition, ConditionId};

/// Whether everything that leads out of the first state wants the value to be a result, stored by
/// a function through an argument, or held by an owning member.
pub(crate) fn results_only(rule: &Rule) -> bool {
    let birth = |e: &Event| matches!(e, Event::Result(_) | Event::Out(..) | Event::Owned);
    let wants = needing(rule, &birth);
    rule.nfa.transitions.iter().filter(|t| t.0 == 0 && t.2 != 0).all(|t| wants[t.1 as usize])
}

/// Whether the value must be lost for the rule to be violated.
pub(crate) fn only_lost(rule: &Rule) -> bool {
    let nfa = &rule.nfa;
    let accepting = |s: u32| nfa.accepting[s as usize];
    let wants = needing(rule, &|e| *e == Event::Lost);
    let last = nfa.transitions.iter().filter(|t| accepting(t.2) && !accepting(t.0));
    !accepting(0) && last.clone().count() > 0 && last.into_iter().all(|t| wants[t.1 as usize])
}

/// The conditions that only hold where an event of a kind happens; not necessarily all of them.
pub(crate) fn needing(rule: &Rule, kind: &dyn Fn(&Event) -> bool) -> Vec<bool> {
    let mut out: Vec<bool> = Vec::with_capacity(rule.nfa.conditions.len());
    for condition in &rule.nfa.conditions {
        let of = |c: &ConditionId| out.get(*c as usize).copied().unwrap_or(false);
        let needs = match condition {
            Condition::Atom(a) => rule.events[*a as usize].iter().all(kind),
            Condition::And(a, b) => of(a) || of(b),
            Condition::Or(a, b) => of(a) && of(b),
            Condition::Constant(value) => !value,
            Condition::Not(_) => false,
        };
        out.push(needs);
    }
    out
}

/// Whether nothing but what is done to the value itself can be in it: then a value that is out of sight breaks no rule.
pub(crate) fn by_what_happens(rule: &Rule) -> bool {
    rule.events.iter().flatten().all(|e| {
        matches!(
            e,
            Event::Arg(..)
                | Event::CallOn(..)
                | Event::Pass(_)
                | Event::Use(_)
                | Event::Deref(_)
                | Event::Result(_)
                | Event::Out(..)
                | Event::Test(..)
                | Event::Failed
                | Event::Constant(..)
        )
    })
}
