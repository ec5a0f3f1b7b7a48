//! Automata under construction: labels are decision diagrams.

use bdd::Bdd;

use super::TranslateError;
use super::nnf::Ctx;
use crate::components::{Components, components};
use crate::cover::{MAX_CUBES, cover, diagram};
use crate::ltl::Atom;
use crate::tgba::{StateId, Tgba, Transition, all_marks};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    /// The letters; not false.
    pub(super) label: Bdd,
    pub(super) to: u32,
    pub(super) marks: u32,
}

/// A generalised Büchi automaton with marks on edges.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) initial: u32,
    pub(super) out: Vec<Vec<Edge>>,
    /// The number of marks.
    pub(super) marks: u32,
}

impl Graph {
    /// The automaton of the empty language: one state, no step.
    pub(super) fn empty() -> Graph {
        Graph { initial: 0, out: vec![Vec::new()], marks: 0 }
    }

    pub(super) fn states(&self) -> usize {
        self.out.len()
    }

    pub(super) fn edges(&self) -> usize {
        self.out.iter().map(Vec::len).sum()
    }

    /// All marks.
    pub(super) fn all(&self) -> u32 {
        all_marks(self.marks)
    }

    pub(super) fn components(&self) -> Components<u32> {
        components(self.states(), self.initial as usize, |state, out| {
            out.extend(self.out[state].iter().map(|edge| (edge.to as usize, edge.marks)));
        })
    }

    /// Unites edges with the same ends and marks, and sorts.
    pub(super) fn merge_edges(&mut self, ctx: &mut Ctx) -> Result<(), TranslateError> {
        for edges in &mut self.out {
            edges.sort_by_key(|edge| (edge.to, edge.marks, edge.label.id()));
            let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
            for edge in edges.iter() {
                match merged.last_mut() {
                    Some(last) if (last.to, last.marks) == (edge.to, edge.marks) => {
                        last.label = ctx.bdd.or(last.label, edge.label)?;
                    }
                    _ => merged.push(*edge),
                }
            }
            *edges = merged;
        }
        Ok(())
    }

    /// The states renamed by `map`, which may unite some; edges of the united are united.
    /// States that `map` sends to `u32::MAX` disappear with their edges.
    pub(super) fn rename(
        &self,
        ctx: &mut Ctx,
        map: &[u32],
        states: usize,
    ) -> Result<Graph, TranslateError> {
        let mut out = vec![Vec::new(); states];
        for (state, edges) in self.out.iter().enumerate() {
            if map[state] == u32::MAX {
                continue;
            }
            for edge in edges {
                let to = map[edge.to as usize];
                if to != u32::MAX {
                    out[map[state] as usize].push(Edge { to, ..*edge });
                }
            }
        }
        let mut graph = Graph { initial: map[self.initial as usize], out, marks: self.marks };
        graph.merge_edges(ctx)?;
        Ok(graph)
    }

    /// The same automaton, its states numbered in the order of a breadth-first search.
    pub(super) fn renumber(&self, ctx: &mut Ctx) -> Result<Graph, TranslateError> {
        let mut map = vec![u32::MAX; self.states()];
        map[self.initial as usize] = 0;
        let mut queue = vec![self.initial];
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            next += 1;
            for edge in &self.out[state as usize] {
                if map[edge.to as usize] == u32::MAX {
                    map[edge.to as usize] = queue.len() as u32;
                    queue.push(edge.to);
                }
            }
        }
        self.rename(ctx, &map, queue.len())
    }

    /// As an automaton whose labels are cubes.
    pub(super) fn export(&self, ctx: &mut Ctx, atoms: Vec<Atom>) -> Result<Tgba, TranslateError> {
        let mut transitions = Vec::with_capacity(self.edges());
        let mut cubes = 0;
        for (state, edges) in self.out.iter().enumerate() {
            for edge in edges {
                let label = cover(&mut ctx.bdd, edge.label)?;
                let label = label.ok_or(TranslateError::Cubes { limit: MAX_CUBES })?;
                cubes += label.cubes.len();
                ctx.limits.cubes(cubes)?;
                transitions.push(Transition {
                    from: StateId(state as u32),
                    label,
                    to: StateId(edge.to),
                    marks: edge.marks,
                });
            }
        }
        Ok(Tgba {
            atoms,
            states: self.states() as u32,
            initial: StateId(self.initial),
            transitions,
            marks: self.marks,
        })
    }

    /// From an automaton whose labels are cubes over the context's atoms.
    pub(super) fn import(ctx: &mut Ctx, tgba: &Tgba) -> Result<Graph, TranslateError> {
        let mut out = vec![Vec::new(); tgba.states as usize];
        for t in &tgba.transitions {
            let label = diagram(&mut ctx.bdd, &t.label)?;
            if !label.is_false() {
                out[t.from.index()].push(Edge { label, to: t.to.0, marks: t.marks });
            }
        }
        let mut graph = Graph { initial: tgba.initial.0, out, marks: tgba.marks };
        graph.merge_edges(ctx)?;
        Ok(graph)
    }
}
