//! Repeating heads by saturation, as in [moped §4.2].
//!
//! For every vertex `v` of the graph, the relation between a head of `v` and the heads that can be
//! reached from it: the least relations closed under
//!
//! - SA0: only heads that can come after an edge of each mark are looked at: the others are on no loop that carries all;
//! - SA1: every head is related to itself;
//! - SA2: what `x` is related to, and a head edge from there, give what `x` is related to;
//! - SA3: the same for each mark, from where a head edge carries it on.
//!
//! A head that is related to itself by SA3 for every mark is repeating. The relations are quadratic in
//! the heads, which elimination avoids; this is kept to be compared with.

use crate::heads::Graph;
use crate::system::System;
use bdd::Bdd;
use ir::VarId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symbolic::{Copy, Halt};

impl System {
    /// The repeating heads of a graph for the marks `0..marks`.
    pub(crate) fn repeating(
        &mut self,
        g: &Graph,
        marks: u32,
        place: &[u32],
    ) -> Result<Vec<Bdd>, Halt> {
        let mut out = vec![Bdd::FALSE; g.vertices.len()];
        let after = self.after_marks(g, marks, place)?;
        for v in 0..g.vertices.len() {
            if after[v].is_false() {
                continue;
            }
            let vars: Vec<VarId> = self.vertex_vars(g, v);
            let identity = self.equal(Copy::Entry, Copy::Pre, vars.iter().copied())?;
            let entry: Vec<u32> = self.context.bits(Copy::Entry, vars).collect();
            // SA1.
            let mut start = vec![Bdd::FALSE; g.vertices.len()];
            start[v] = self.m.and(after[v], identity)?;
            let keep = [identity];
            let reached = self.saturate(g, start, place, &[&out, &after, &keep])?;
            let mut repeating = after[v];
            for mark in 0..marks {
                // SA3. Where every edge carries the mark, nothing is left to propagate.
                let mut start = vec![Bdd::FALSE; g.vertices.len()];
                let always = g.edges.iter().all(|e| e.marks >> mark & 1 == 1);
                for edge in g.edges.iter().filter(|e| !always || e.to == v) {
                    let after = self.head_post(edge, reached[edge.from], Some(mark))?;
                    start[edge.to] = self.m.or(start[edge.to], after)?;
                }
                if !always {
                    let keep = [identity, repeating];
                    start = self.saturate(g, start, place, &[&out, &after, &reached, &keep])?;
                }
                let loops = self.m.and(start[v], identity)?;
                let cube = self.m.cube(&entry)?;
                let loops = self.m.exists(loops, cube)?;
                repeating = self.m.and(repeating, loops)?;
            }
            out[v] = repeating;
            if self.want_collection() {
                let known = out.iter().chain(&after).copied();
                self.collect(g.roots().chain(known).collect::<Vec<Bdd>>());
            }
        }
        Ok(out)
    }

    /// SA0: sets of heads, which are cheap beside relations between them.
    fn after_marks(&mut self, g: &Graph, marks: u32, place: &[u32]) -> Result<Vec<Bdd>, Halt> {
        let mut out = g.states.clone();
        for mark in 0..marks {
            if g.edges.iter().all(|e| e.marks >> mark & 1 == 1) {
                continue;
            }
            let mut start = vec![Bdd::FALSE; g.vertices.len()];
            for edge in &g.edges {
                let after = self.head_post(edge, out[edge.from], Some(mark))?;
                start[edge.to] = self.m.or(start[edge.to], after)?;
            }
            let after = self.saturate(g, start, place, &[&out])?;
            for (out, after) in out.iter_mut().zip(after) {
                *out = self.m.and(*out, after)?;
            }
        }
        Ok(out)
    }

    /// SA2 to the fixpoint. `keep` are handles in use elsewhere.
    fn saturate(
        &mut self,
        g: &Graph,
        start: Vec<Bdd>,
        place: &[u32],
        keep: &[&[Bdd]],
    ) -> Result<Vec<Bdd>, Halt> {
        let mut new = start.clone();
        let mut all = start;
        let mut queue: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
        for (v, new) in new.iter().enumerate() {
            if !new.is_false() {
                queue.push(Reverse((place[v], v)));
            }
        }
        while let Some(Reverse((_, v))) = queue.pop() {
            self.budget.work(1)?;
            self.effort.rounds += 1;
            let states = std::mem::replace(&mut new[v], Bdd::FALSE);
            for &e in &g.out[v] {
                let edge = &g.edges[e];
                let to = edge.to;
                let after = self.head_post(edge, states, None)?;
                let fresh = self.m.diff(after, all[to])?;
                if fresh.is_false() {
                    continue;
                }
                all[to] = self.m.or(all[to], fresh)?;
                if new[to].is_false() {
                    queue.push(Reverse((place[to], to)));
                }
                new[to] = self.m.or(new[to], fresh)?;
            }
            if self.want_collection() {
                let local = all.iter().chain(&new).copied();
                let others = keep.iter().flat_map(|list| list.iter().copied());
                self.collect(g.roots().chain(local).chain(others).collect::<Vec<Bdd>>());
            }
        }
        Ok(all)
    }
}
