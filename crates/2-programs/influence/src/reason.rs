//! Why a variable matters: the way of its value to what reads it.

use crate::flow::{CONTROL, DOWN, Fact, Flow, UP, earlier, earlier_than};
use crate::graph::Label;

/// A step of a reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// In a state, the value of a variable goes into another one.
    Flows {
        /// The state.
        state: u32,
        /// The variable.
        from: u32,
        /// The other one.
        into: u32,
    },
    /// A condition, an assertion, or an assignment to a variable of the property reads it.
    Read {
        /// The state.
        state: u32,
        /// The variable.
        variable: u32,
        /// Who reads it.
        label: Label,
    },
    /// That decides whether a statement is run.
    Decides {
        /// The state before that statement.
        state: u32,
    },
    /// The criterion asks for it.
    Asked {
        /// The state of the criterion.
        state: u32,
        /// The variable; `None`: whether it is reached.
        variable: Option<u32>,
    },
}

/// Steps of a reason after which it ends.
const MANY: usize = 400;

impl Flow<'_> {
    /// The way by which a variable matters in a state, `None` if it does not. What matters everywhere (the variables
    /// of a property) has the empty reason.
    pub fn reason(&self, state: u32, variable: u32) -> Option<Vec<Because>> {
        let property = self.analysis.is_some_and(|a| a.property().contains(&variable));
        let mut fact: Fact = (UP, state, variable);
        if !self.why.contains_key(&fact) {
            return property.then(Vec::new);
        }
        let mut out = Vec::new();
        // Where to go on behind calls that are followed.
        let mut behind: Vec<Fact> = Vec::new();
        while out.len() < MANY {
            let by = *self.why.get(&fact)?;
            if by == fact {
                if fact.0 > DOWN {
                    fact = behind.pop()?;
                    continue;
                }
                out.push(self.last(fact));
                break;
            }
            self.between(fact, by, &mut out);
            fact = match self.inside(fact, by, &mut out) {
                Some(entry) => {
                    behind.push(by);
                    entry
                }
                None => by,
            };
        }
        Some(out)
    }

    /// What reads a variable at last.
    fn last(&self, (_, state, variable): Fact) -> Because {
        if let Some(analysis) = self.analysis {
            let labels = self.graph.from(state).iter().map(|t| t.0);
            if let Some(label) = { labels }.find(|&l| analysis.at_once(l) == Some(variable)) {
                return Because::Read { state, variable, label };
            }
        }
        Because::Asked { state, variable: (variable != CONTROL).then_some(variable) }
    }

    /// The step from a fact to the one that it was found by, if something happens there.
    fn between(&self, fact: Fact, by: Fact, out: &mut Vec<Because>) {
        let ((_, state, v), (_, to, w)) = (fact, by);
        match (v, w) {
            (CONTROL, CONTROL) => out.push(Because::Decides { state: to }),
            // It is passed because of what it assigns, which the next step tells.
            (CONTROL, _) => {}
            (_, CONTROL) => {
                let labels = self.graph.from(state).iter().map(|t| t.0);
                let read = |l: &Label| matches!(*l, Label::Bool(x) | Label::Assert(x) if x == v);
                if let Some(label) = { labels }.find(read) {
                    out.push(Because::Read { state, variable: v, label });
                }
                out.push(Because::Decides { state: to });
            }
            _ => {
                let assigns = |&(label, t): &(Label, u32)| {
                    t == to && label == Label::Assign(w, Some(v)) && earlier(label, w) == Some(v)
                };
                if self.graph.from(state).iter().any(assigns) {
                    out.push(Because::Flows { state, from: v, into: w });
                }
            }
        }
    }

    /// Where a fact behind a call was found by what the callee computes: the fact at the callee's entry.
    fn inside(&self, fact: Fact, by: Fact, out: &mut Vec<Because>) -> Option<Fact> {
        let ((context, state, v), (other, after, w)) = (fact, by);
        if !self.matched || v == CONTROL || context != other {
            return None;
        }
        let site = &self.graph.sites[*self.site_after.get(&after)? as usize];
        if site.from != state {
            return None;
        }
        let question = *self.asked.get(&(site.callee, w))?;
        let entry = self.graph.entries[site.callee as usize]?;
        let answers = self.answers[question as usize].iter();
        let &u = { answers }.find(|&&u| earlier_than(&site.enter, u).contains(&v))?;
        let assigned = |l: &Label| *l == Label::Assign(u, Some(v));
        if site.enter.iter().flatten().any(assigned) {
            out.push(Because::Flows { state, from: v, into: u });
        }
        Some((question, entry, u))
    }
}
