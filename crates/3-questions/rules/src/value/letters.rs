//! Letters, and the steps that the rule's automaton takes on them. Rules VP3 and VP6.

use super::{Act, Maker};
use crate::dfa::Dfa;
use crate::event::Event;
use crate::rule::Rule;
use ir::{BinaryOp, Expr, ExprId, Exprs};
use std::collections::BTreeSet;

/// More events of one point that depend on the value are not told apart.
const MAX_DYNAMIC: usize = 10;

impl Maker<'_> {
    /// Notes the letters that an act can have.
    pub(super) fn note(&mut self, act: &Act) {
        let (fixed, dynamic) = split(act);
        for mask in 0..1u64 << dynamic.len().min(MAX_DYNAMIC) {
            self.letters.insert(letter(fixed, &dynamic, mask));
        }
        if dynamic.len() > MAX_DYNAMIC {
            self.limits.insert("a point has too many events that depend on the value".to_owned());
        }
    }

    /// The states in which a value that was chosen cannot violate the rule any more (VP6).
    pub(super) fn find_doomed(&mut self, dfa: &Dfa) {
        // A value is the result of one call only, unless functions return what they are given.
        let again = !self.relevance.results_only || !self.rule.returns.is_empty();
        let birth = |e: &Event| matches!(e, Event::Result(_) | Event::Out(..) | Event::Owned);
        let mut births = 0;
        for (i, events) in self.rule.events.iter().enumerate() {
            if !again && events.iter().all(birth) {
                births |= 1 << i;
            }
        }
        self.doomed = dfa.doomed(births);
    }

    /// The step of the automaton: when the rule is violated, when it cannot be any more, and what the
    /// state is otherwise.
    /// `elsewhere`: what begins here is asked in another part (QP2).
    pub(super) fn advance(
        &mut self,
        act: &Act,
        dfa: &Dfa,
        elsewhere: bool,
    ) -> (ExprId, ExprId, Option<ExprId>) {
        let (fixed, dynamic) = split(act);
        let count = dynamic.len().min(MAX_DYNAMIC);
        let mut letters: Vec<(ExprId, u64)> = Vec::new();
        for mask in 0..1u64 << count {
            let mut when = Exprs::TRUE;
            for (k, (_, e)) in dynamic.iter().enumerate().take(count) {
                let e = if mask >> k & 1 == 1 { *e } else { self.b.exprs.not(*e) };
                when = self.b.exprs.and(when, e);
            }
            letters.push((when, letter(fixed, &dynamic, mask)));
        }
        let (mut violated, mut ended) = (Exprs::FALSE, Exprs::FALSE);
        let mut next = self.b.exprs.pre(self.state);
        let mut moves = false;
        let on = self.b.exprs.pre(self.on);
        for state in (0..dfa.len()).filter(|s| !dfa.accepting[*s as usize]) {
            let exprs = &mut self.b.exprs;
            let (is, number) = (exprs.pre(self.state), exprs.int(i64::from(state)));
            let is = exprs.binary(BinaryOp::Eq, is, number);
            let mut here = exprs.and(on, is);
            if state == 0
                && let Some(chosen) = act.chosen
            {
                here = exprs.or(here, chosen);
            }
            let mut to = number;
            for &(when, letter) in &letters {
                let target = dfa.step(state, letter);
                if elsewhere && state == 0 && target != 0 {
                    let case = exprs.and(here, when);
                    ended = exprs.or(ended, case);
                } else if dfa.accepting[target as usize] {
                    let case = exprs.and(here, when);
                    violated = exprs.or(violated, case);
                } else if self.doomed[target as usize] {
                    let case = exprs.and(here, when);
                    ended = exprs.or(ended, case);
                } else if target != state {
                    moves = true;
                    let target = exprs.int(i64::from(target));
                    to = exprs.add(Expr::Ite(when, target, to));
                }
            }
            if to != number {
                next = exprs.add(Expr::Ite(here, to, next));
            }
        }
        (violated, ended, moves.then_some(next))
    }
}

/// Atoms that hold in any case, and those that depend on the value.
fn split(act: &Act) -> (u64, Vec<(u32, ExprId)>) {
    let mut fixed = 0;
    let mut dynamic = Vec::new();
    for (&atom, &when) in &act.atoms {
        match when {
            Exprs::TRUE => fixed |= 1 << atom,
            Exprs::FALSE => {}
            _ => dynamic.push((atom, when)),
        }
    }
    (fixed, dynamic)
}

fn letter(fixed: u64, dynamic: &[(u32, ExprId)], mask: u64) -> u64 {
    let taken = dynamic.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
    taken.fold(fixed, |letter, (_, (atom, _))| letter | 1 << atom)
}

/// Letters enough to tell whether a rule minds steps without events: each atom alone, and none.
pub(super) fn all_letters(rule: &Rule) -> BTreeSet<u64> {
    let count = rule.nfa.atoms.len();
    let mut out = BTreeSet::from([0]);
    if count <= 8 {
        out.extend(0..1u64 << count);
    } else {
        for i in 0..count {
            out.insert(1 << i);
            out.extend((0..i).map(|k| 1 << i | 1 << k));
        }
    }
    out
}
