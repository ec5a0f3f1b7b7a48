//! Fair hulls by elimination (Emerson and Lei 1986), with trimming in between.
//!
//! The *hull* of a graph is its largest part in which every head can reach, for each mark, an edge
//! inside the part that can carry it. It is empty iff there is no strongly connected component with
//! all marks; and from each of its heads one can be reached without leaving it. From the whole graph,
//!
//! - E1 (trim): a head without a successor is removed;
//! - E2 (mark): heads from which no edge that can carry mark `i` can be reached are removed.
//!
//! E1 is what takes time where nothing repeats: removals run along chains as long as the longest
//! run. So it works on what has changed only: when heads are removed, their predecessors are looked
//! at again, and of these the sources of no other edge are removed in turn. All operations are on
//! such small sets, never on what remains. Vertices are visited from the end of the weak topological
//! order, so that inner loops come to rest before outer ones.

use crate::heads::Graph;
use crate::system::{Halt, System};
use bdd::Bdd;
use check::Progress;
use std::collections::BinaryHeap;

impl System {
    /// The hull of a graph for the marks `0..marks`. `place` is the visiting order of vertices.
    pub(crate) fn hull(
        &mut self,
        g: &Graph,
        marks: u32,
        place: &[u32],
    ) -> Result<Vec<Bdd>, Halt> {
        let mut z = g.states.clone();
        // E1 finds no more than E2 where every edge carries the mark, and does it better.
        let partial: Vec<u32> =
            (0..marks).filter(|i| g.edges.iter().any(|e| e.marks >> i & 1 == 0)).collect();
        let all = z.clone();
        self.trim(g, &mut z, all, place)?;
        let mut settled = 0;
        let mut next = 0;
        while settled < partial.len() && z.iter().any(|z| !z.is_false()) {
            // E2.
            let kept = self.can_reach_mark(g, &z, partial[next], place)?;
            let mut removed = Vec::with_capacity(z.len());
            for (z, kept) in z.iter().zip(&kept) {
                removed.push(self.m.diff(*z, *kept)?);
            }
            self.effort.rounds += 1;
            if removed.iter().all(|r| r.is_false()) {
                settled += 1;
            } else {
                settled = 0;
                z = kept;
                let suspects = self.predecessors(g, &z, &removed)?;
                self.trim(g, &mut z, suspects, place)?;
            }
            next = (next + 1) % partial.len();
        }
        Ok(z)
    }

    /// The heads of `z` with an edge to `removed`.
    fn predecessors(&mut self, g: &Graph, z: &[Bdd], removed: &[Bdd]) -> Result<Vec<Bdd>, Halt> {
        let mut out = vec![Bdd::FALSE; z.len()];
        for edge in &g.edges {
            let before = self.head_pre(edge, removed[edge.to], None)?;
            let before = self.m.and(before, z[edge.from])?;
            out[edge.from] = self.m.or(out[edge.from], before)?;
        }
        Ok(out)
    }

    /// E1: removes from `z` whatever of `suspects` has no successor in it, and what thereby loses
    /// its last one.
    fn trim(
        &mut self,
        g: &Graph,
        z: &mut [Bdd],
        mut suspects: Vec<Bdd>,
        place: &[u32],
    ) -> Result<(), Halt> {
        let mut queue: BinaryHeap<(u32, usize)> = BinaryHeap::new();
        for (v, suspects) in suspects.iter().enumerate() {
            if !suspects.is_false() {
                queue.push((place[v], v));
            }
        }
        while let Some((_, v)) = queue.pop() {
            self.budget.work(1)?;
            self.effort.rounds += 1;
            if self.effort.rounds.is_multiple_of(1 << 12) {
                let phase = "elimination: removals";
                self.budget.report(Progress { phase, done: self.effort.rounds, total: None });
            }
            let mut dead = self.m.and(suspects[v], z[v])?;
            suspects[v] = Bdd::FALSE;
            for &e in &g.out[v] {
                if dead.is_false() {
                    break;
                }
                let edge = &g.edges[e];
                let after = self.head_post(edge, dead, None)?;
                let after = self.m.and(after, z[edge.to])?;
                let alive = self.head_pre(edge, after, None)?;
                dead = self.m.diff(dead, alive)?;
            }
            if dead.is_false() {
                continue;
            }
            z[v] = self.m.diff(z[v], dead)?;
            for &e in &g.into[v] {
                let edge = &g.edges[e];
                let from = edge.from;
                if z[from].is_false() {
                    continue;
                }
                let before = self.head_pre(edge, dead, None)?;
                let before = self.m.and(before, z[from])?;
                if before.is_false() {
                    continue;
                }
                if suspects[from].is_false() {
                    queue.push((place[from], from));
                }
                suspects[from] = self.m.or(suspects[from], before)?;
            }
            if self.m.want_gc() {
                self.collect(g.roots().chain(z.iter().copied()).chain(suspects.clone()));
            }
        }
        Ok(())
    }

    /// The heads of `z` from which an edge that can carry the mark can be reached inside `z`, and
    /// taken.
    pub(crate) fn can_reach_mark(
        &mut self,
        g: &Graph,
        z: &[Bdd],
        mark: u32,
        place: &[u32],
    ) -> Result<Vec<Bdd>, Halt> {
        let mut found = vec![Bdd::FALSE; z.len()];
        for edge in &g.edges {
            let before = self.head_pre(edge, z[edge.to], Some(mark))?;
            let before = self.m.and(before, z[edge.from])?;
            found[edge.from] = self.m.or(found[edge.from], before)?;
        }
        let mut new = found.clone();
        let mut queue: BinaryHeap<(u32, usize)> = BinaryHeap::new();
        for (v, new) in new.iter().enumerate() {
            if !new.is_false() {
                queue.push((place[v], v));
            }
        }
        while let Some((_, v)) = queue.pop() {
            self.budget.work(1)?;
            let states = std::mem::replace(&mut new[v], Bdd::FALSE);
            for &e in &g.into[v] {
                let edge = &g.edges[e];
                let from = edge.from;
                if found[from] == z[from] {
                    continue;
                }
                let before = self.head_pre(edge, states, None)?;
                let before = self.m.and(before, z[from])?;
                let fresh = self.m.diff(before, found[from])?;
                if fresh.is_false() {
                    continue;
                }
                found[from] = self.m.or(found[from], fresh)?;
                if new[from].is_false() {
                    queue.push((place[from], from));
                }
                new[from] = self.m.or(new[from], fresh)?;
            }
            if self.m.want_gc() {
                let local = z.iter().chain(&found).chain(&new).copied();
                self.collect(g.roots().chain(local).collect::<Vec<Bdd>>());
            }
        }
        Ok(found)
    }
}
