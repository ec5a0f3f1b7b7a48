//! Why a variable matters: a shortest way to what reads it.

use crate::graph::{Graph, Label};
use crate::methods::Analysis;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A step of a reason: in a state, a variable matters because of a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Because {
    /// The state.
    pub state: u32,
    /// The variable.
    pub variable: u32,
    /// The transition's label.
    pub label: Label,
    /// The variable that it flows into; `None`: it is read.
    pub into: Option<u32>,
}

/// A shortest way on which the value of a variable comes to something that reads it: the transitions that pass it
/// on, and the one that reads it last. `None`: it does not matter there. What matters everywhere (the variables of
/// a property) has the empty reason.
pub fn reason(
    graph: &Graph,
    analysis: &Analysis,
    state: u32,
    variable: u32,
) -> Option<Vec<Because>> {
    type Fact = (u32, u32);
    let mut before: FxHashMap<Fact, Option<(Fact, Because)>> = FxHashMap::default();
    before.insert((state, variable), None);
    let mut queue = VecDeque::from([(state, variable)]);
    while let Some((at, v)) = queue.pop_front() {
        for &(label, to) in graph.from(at) {
            let because = |into| Because { state: at, variable: v, label, into };
            if analysis.at_once(label) == Some(v) {
                let mut out = vec![because(None)];
                let mut fact = (at, v);
                while let Some(&Some((earlier, step))) = before.get(&fact) {
                    if step.into.is_some() {
                        out.push(step);
                    }
                    fact = earlier;
                }
                out.reverse();
                return Some(out);
            }
            let mut go = |next: Fact, step: Because| {
                before.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    Some(((at, v), step))
                });
            };
            if let Label::Assign(z, Some(w)) = label
                && w == v
            {
                go((to, z), because(Some(z)));
            }
            if !matches!(label, Label::Assign(w, _) if w == v) {
                go((to, v), because(None));
            }
        }
    }
    analysis.property().contains(&variable).then(Vec::new)
}
