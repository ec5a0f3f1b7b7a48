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

use crate::heads::{Graph, HeadEdge};
use crate::system::System;
use bdd::Bdd;
use check::Progress;
use std::collections::BinaryHeap;
use symbolic::Halt;

/// What a head must have in order to stay.
#[derive(Clone, Copy)]
enum Towards {
    Successors,
    Predecessors,
}

impl Towards {
    fn opposite(self) -> Towards {
        match self {
            Towards::Successors => Towards::Predecessors,
            Towards::Predecessors => Towards::Successors,
        }
    }
    /// The end of an edge that lies there.
    fn end(self, edge: &HeadEdge) -> usize {
        match self {
            Towards::Successors => edge.to,
            Towards::Predecessors => edge.from,
        }
    }
}

impl System {
    /// The hull of a graph for the marks `0..marks`. `place` is the visiting order of vertices.
    pub(crate) fn hull(&mut self, g: &Graph, marks: u32, place: &[u32]) -> Result<Vec<Bdd>, Halt> {
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
        for edge in g.edges.iter().filter(|e| !e.covered) {
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
        suspects: Vec<Bdd>,
        place: &[u32],
    ) -> Result<(), Halt> {
        self.trim_towards(g, z, suspects, place, Towards::Successors)
    }

    /// Leaves of a hull what has a predecessor in it, again and again: what loops lead to.
    pub(crate) fn trim_forwards(
        &mut self,
        g: &Graph,
        z: &mut [Bdd],
        place: &[u32],
    ) -> Result<(), Halt> {
        let place: Vec<u32> = place.iter().map(|p| u32::MAX - p).collect();
        self.trim_towards(g, z, z.to_vec(), &place, Towards::Predecessors)
    }

    fn trim_towards(
        &mut self,
        g: &Graph,
        z: &mut [Bdd],
        mut suspects: Vec<Bdd>,
        place: &[u32],
        towards: Towards,
    ) -> Result<(), Halt> {
        let (ahead, behind) = match towards {
            Towards::Successors => (&g.out, &g.into),
            Towards::Predecessors => (&g.into, &g.out),
        };
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
            for &e in ahead[v].iter().filter(|&&e| !g.edges[e].covered) {
                if dead.is_false() {
                    break;
                }
                let (edge, other) = (&g.edges[e], towards.end(&g.edges[e]));
                let near = self.head_towards(edge, dead, towards)?;
                let near = self.m.and(near, z[other])?;
                let alive = self.head_towards(edge, near, towards.opposite())?;
                dead = self.m.diff(dead, alive)?;
            }
            if dead.is_false() {
                continue;
            }
            z[v] = self.m.diff(z[v], dead)?;
            for &e in behind[v].iter().filter(|&&e| !g.edges[e].covered) {
                let (edge, other) = (&g.edges[e], towards.opposite().end(&g.edges[e]));
                if z[other].is_false() {
                    continue;
                }
                let near = self.head_towards(edge, dead, towards.opposite())?;
                let near = self.m.and(near, z[other])?;
                if near.is_false() {
                    continue;
                }
                if suspects[other].is_false() {
                    queue.push((place[other], other));
                }
                suspects[other] = self.m.or(suspects[other], near)?;
            }
            if self.want_collection() {
                self.collect(g.roots().chain(z.iter().copied()).chain(suspects.clone()));
            }
        }
        Ok(())
    }

    fn head_towards(
        &mut self,
        edge: &HeadEdge,
        states: Bdd,
        towards: Towards,
    ) -> Result<Bdd, Halt> {
        match towards {
            Towards::Successors => self.head_post(edge, states, None),
            Towards::Predecessors => self.head_pre(edge, states, None),
        }
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
            for &e in g.into[v].iter().filter(|&&e| !g.edges[e].covered) {
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
            if self.want_collection() {
                let local = z.iter().chain(&found).chain(&new).copied();
                self.collect(g.roots().chain(local).collect::<Vec<Bdd>>());
            }
        }
        Ok(found)
    }
}
