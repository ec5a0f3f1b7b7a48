//! Values of a variable at goals, each a question of its own ([`check::Task::each`]).
//!
//! Once path edges are known, the values with which a goal is reached are read off them. Each makes an aim of
//! its own: the goal's target with this value. So one search for traces finds one for each.

use crate::halt::Halt;
use crate::rings::Traces;
use crate::slots::Copy;
use crate::system::{Aim, CallRelation, System, partial_verdicts, verdicts};
use bdd::Bdd;
use check::{Budget, Certificate, StopReason, Task, Verdict};
use ir::{IndexVec, NodeId, VarId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Goals and values with which they are reached, numbered in order.
pub struct Pairs {
    /// A goal, and a value.
    pub pairs: Vec<(usize, u64)>,
    /// Where the pairs are reached; instead of the goal's number they have the pair's.
    pub aims: Vec<Aim>,
}

impl<C: CallRelation> System<C> {
    /// The goals that path edges reach at aims, with each value of a variable there.
    pub fn pairs(
        &mut self,
        aims: &[Aim],
        path: &IndexVec<NodeId, Bdd>,
        var: VarId,
    ) -> Result<Pairs, Halt> {
        let mut found: BTreeMap<(usize, u64), Vec<(NodeId, Bdd)>> = BTreeMap::new();
        for &(goal, node, condition) in aims {
            let there = self.m.and(path[node], condition)?;
            let states = self.forget_entry(self.program.nodes[node].proc, there)?;
            for (value, is_value) in self.values_of(node, states, var)? {
                let condition = self.m.and(condition, is_value)?;
                found.entry((goal, value)).or_default().push((node, condition));
            }
        }
        let number = |(i, places): (usize, Vec<(NodeId, Bdd)>)| {
            places.into_iter().map(move |(node, condition)| (i, node, condition))
        };
        let pairs = found.keys().copied().collect();
        Ok(Pairs { pairs, aims: found.into_values().enumerate().flat_map(number).collect() })
    }

    /// The values of a variable among states of a node (over `Pre`), the smallest first, and what says that
    /// it has that value.
    fn values_of(
        &mut self,
        node: NodeId,
        states: Bdd,
        var: VarId,
    ) -> Result<Vec<(u64, Bdd)>, Halt> {
        let others = self.context.live.vars(&self.program, node).filter(|&v| v != var);
        let others: Vec<u32> = self.context.bits(Copy::Pre, others).collect();
        let cube = self.m.cube(&others)?;
        let all = self.m.exists(states, cube)?;
        let bits: Vec<u32> = self.context.slots.bits(Copy::Pre, var).collect();
        let mut out = Vec::new();
        // Decided from the most significant bit down.
        let mut work = vec![(all, bits.len(), 0u64)];
        while let Some((set, open, value)) = work.pop() {
            if set.is_false() {
                continue;
            }
            let Some(bit) = open.checked_sub(1) else {
                let literal = |(i, &bit): (usize, &u32)| (bit, value >> i & 1 == 1);
                let literals: Vec<(u32, bool)> = bits.iter().enumerate().map(literal).collect();
                out.push((value, self.m.literals(&literals)?));
                continue;
            };
            let is_set = self.m.var(bits[bit])?;
            work.push((self.m.and(set, is_set)?, bit, value | 1 << bit));
            work.push((self.m.diff(set, is_set)?, bit, value));
        }
        Ok(out)
    }
}

impl Pairs {
    /// By goal, a verdict for each value: of a search that was complete, or had to stop for some reason.
    pub fn verdicts(
        &self,
        task: &Task,
        traces: Traces,
        stopped: Option<&StopReason>,
        budget: &Budget,
    ) -> Vec<Vec<(u64, Verdict)>> {
        let reached = vec![true; self.pairs.len()];
        let found = match stopped {
            None => verdicts(task, &reached, None, traces, budget),
            Some(reason) => partial_verdicts(task, &reached, traces, reason),
        };
        let mut out = vec![Vec::new(); task.goals.len()];
        for (&(goal, value), verdict) in self.pairs.iter().zip(found) {
            out[goal].push((value, verdict));
        }
        out
    }

    /// Verdicts of the goals themselves, without traces.
    pub fn of_goals(
        reached: &[bool],
        certificate: Option<Arc<Certificate>>,
        stopped: Option<&StopReason>,
    ) -> Vec<Verdict> {
        let verdict = |&reached: &bool| match (reached, stopped) {
            (true, _) => Verdict::Violated(None),
            (false, None) => Verdict::Holds(certificate.clone()),
            (false, Some(reason)) => Verdict::Unknown(reason.clone()),
        };
        reached.iter().map(verdict).collect()
    }
}
