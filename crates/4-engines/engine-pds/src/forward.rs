//! Which states are reached, once all summaries are known: what pre* alone does not say.
//!
//! With a pair for every way through every procedure, no entry values need to be remembered: a set
//! of states for each node is enough, as the least fixpoint of step, enter and jump.

use crate::system::System;
use bdd::Bdd;
use ir::{IndexVec, NodeId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symbolic::{Compiled, Halt};

impl System {
    /// The reachable states of every node, over `Pre`. `keep` are handles in use elsewhere.
    pub(crate) fn forward(&mut self, keep: &[Bdd]) -> Result<IndexVec<NodeId, Bdd>, Halt> {
        let program = self.program.clone();
        let place = analysis::weak_topological_order(&program);
        let nodes = program.nodes.len();
        let mut reached = IndexVec::filled(Bdd::FALSE, nodes);
        let mut new: IndexVec<NodeId, Bdd> = IndexVec::filled(Bdd::FALSE, nodes);
        let mut queue: BinaryHeap<Reverse<(u32, NodeId)>> = BinaryHeap::new();
        let mut found: Vec<(NodeId, Bdd)> =
            vec![(program.procs[program.entry].entry, self.initial()?)];
        loop {
            for (node, states) in found.drain(..) {
                let fresh = self.m.diff(states, reached[node])?;
                if fresh.is_false() {
                    continue;
                }
                if new[node].is_false() {
                    queue.push(Reverse((place[node], node)));
                }
                new[node] = self.m.or(new[node], fresh)?;
                reached[node] = self.m.or(reached[node], fresh)?;
            }
            if self.want_collection() {
                let used = keep.iter().chain(reached.iter()).chain(new.iter());
                self.collect(used.copied().collect::<Vec<Bdd>>());
            }
            let Some(Reverse((_, node))) = queue.pop() else { return Ok(reached) };
            self.budget.work(1)?;
            let states = std::mem::replace(&mut new[node], Bdd::FALSE);
            for e in program.out_edges(node) {
                if self.covered(e)? {
                    continue;
                }
                match self.compile(e)? {
                    Compiled::Local(step) => {
                        let target = program.edges[e].target().expect("a step has a target");
                        found.push((target, self.step(step, states)?));
                    }
                    Compiled::Call(site) => {
                        let site = self.sites[site as usize];
                        let called = self.m.image(states, site.rel.enter, site.rel.call)?;
                        let entered = self.m.exists_rename(called, site.rel.entries)?;
                        found.push((program.procs[site.callee].entry, entered));
                        let pairs = self.summaries[site.callee].all;
                        found.push((site.ret, self.jump(site.rel, called, pairs)?));
                    }
                    Compiled::Return(_) | Compiled::Not => {}
                }
            }
        }
    }
}
