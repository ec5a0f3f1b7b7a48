//! Automata under construction: labels are decision diagrams, and so are marks.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::nnf::{Ctx, atom, variable};
use crate::components::{Components, components};
use crate::diagram::Diagrams;
use crate::ltl::Atom;
use crate::marks::Marks;
use crate::tgba::{StateId, Tgba, Transition};

/// The steps from one state to another.
///
/// Of two steps with the same ends and the same letter, one with mark 0 and one with mark 1, a run may take
/// the one and the other by turns; what it has infinitely often is the same as if one step had both marks.
/// So the marks of a step are a function of its ends and its letter, and each mark is a set of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    /// The letters; not false.
    pub(super) label: Bdd,
    pub(super) to: u32,
    /// For each mark the letters with which it is carried; each implies the label.
    pub(super) marks: Vec<Bdd>,
}

impl Edge {
    /// The marks that are carried with some letter.
    pub(super) fn some_marks(&self) -> Marks {
        let carried = |&(_, letters): &(u32, &Bdd)| !letters.is_false();
        (0..).zip(&self.marks).filter(carried).map(|(mark, _)| mark).collect()
    }

    /// Loses its marks.
    pub(super) fn unmark(&mut self) {
        self.marks.fill(Bdd::FALSE);
    }
}

/// A generalised Büchi automaton with marks on edges.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) initial: u32,
    pub(super) out: Vec<Vec<Edge>>,
    /// The number of marks.
    pub(super) marks: u32,
}

/// An edge with more sets of marks than that is written as one transition for each mark.
const MAX_SETS: usize = 64;

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
    pub(super) fn all(&self) -> Marks {
        Marks::below(self.marks)
    }

    pub(super) fn components(&self) -> Components<Marks> {
        components(self.states(), self.initial as usize, |state, out| {
            out.extend(self.out[state].iter().map(|edge| (edge.to as usize, edge.some_marks())));
        })
    }

    /// Unites edges with the same ends, and sorts.
    pub(super) fn merge_edges(&mut self, ctx: &mut Ctx) -> Result<(), TranslateError> {
        for edges in &mut self.out {
            edges.sort_by_key(|edge| edge.to);
            let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..) {
                match merged.last_mut() {
                    Some(last) if last.to == edge.to => {
                        last.label = ctx.bdd.or(last.label, edge.label)?;
                        for (mark, letters) in last.marks.iter_mut().zip(edge.marks) {
                            *mark = ctx.bdd.or(*mark, letters)?;
                        }
                    }
                    _ => merged.push(edge),
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
                    out[map[state] as usize].push(Edge { to, ..edge.clone() });
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

    /// As an automaton whose transitions have sets of marks.
    pub(super) fn export(&self, ctx: &mut Ctx, atoms: Vec<Atom>) -> Result<Tgba, TranslateError> {
        let mut transitions = Vec::with_capacity(self.edges());
        let mut labels = Diagrams::new();
        let mut done = FxHashMap::default();
        for (state, edges) in self.out.iter().enumerate() {
            for edge in edges {
                for (marks, letters) in by_marks(ctx, edge)? {
                    let label = labels.import(&ctx.bdd, &mut done, letters, atom);
                    let (from, to) = (StateId(state as u32), StateId(edge.to));
                    transitions.push(Transition { from, label, to, marks });
                }
                ctx.limits.edges(transitions.len())?;
            }
        }
        Ok(Tgba {
            atoms,
            labels,
            states: self.states() as u32,
            initial: StateId(self.initial),
            transitions,
            marks: self.marks,
        })
    }

    /// From an automaton whose labels are over the context's atoms.
    pub(super) fn import(ctx: &mut Ctx, tgba: &Tgba) -> Result<Graph, TranslateError> {
        let mut out = vec![Vec::new(); tgba.states as usize];
        let labels = tgba.labels.export(&mut ctx.bdd, |bdd, atom| bdd.var(variable(atom)))?;
        for t in &tgba.transitions {
            let label = labels[t.label.index()];
            if !label.is_false() {
                let letters = |mark| if t.marks.contains(mark) { label } else { Bdd::FALSE };
                let marks = (0..tgba.marks).map(letters).collect();
                out[t.from.index()].push(Edge { label, to: t.to.0, marks });
            }
        }
        let mut graph = Graph { initial: tgba.initial.0, out, marks: tgba.marks };
        graph.merge_edges(ctx)?;
        Ok(graph)
    }
}

/// The letters of an edge by the marks that it carries with them. Where these are too many different sets,
/// one entry for each mark, with those that come with it, and one for no mark: a run may collect them one
/// after the other.
fn by_marks(ctx: &mut Ctx, edge: &Edge) -> Result<Vec<(Marks, Bdd)>, TranslateError> {
    let mut sets = vec![(Marks::none(), edge.label)];
    for (mark, &letters) in (0..).zip(&edge.marks) {
        ctx.limits.poll()?;
        let mut split = Vec::with_capacity(sets.len() + 1);
        for (set, label) in sets {
            let with = ctx.bdd.and(label, letters)?;
            let without = ctx.bdd.diff(label, letters)?;
            let mut more = set.clone();
            more.insert(mark);
            split.extend([(set, without), (more, with)].into_iter().filter(|p| !p.1.is_false()));
        }
        sets = split;
        if sets.len() > MAX_SETS {
            return one_by_one(ctx, edge);
        }
    }
    sets.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(sets)
}

/// See [`by_marks`].
fn one_by_one(ctx: &mut Ctx, edge: &Edge) -> Result<Vec<(Marks, Bdd)>, TranslateError> {
    let mut found: Vec<(Marks, Bdd)> = Vec::with_capacity(edge.marks.len() + 1);
    for &letters in std::iter::once(&edge.label).chain(&edge.marks) {
        if letters.is_false() || found.iter().any(|&(_, known)| known == letters) {
            continue;
        }
        let mut marks = Marks::none();
        for (mark, &others) in (0..).zip(&edge.marks) {
            ctx.limits.poll()?;
            if ctx.bdd.leq(letters, others)? {
                marks.insert(mark);
            }
        }
        found.push((marks, letters));
    }
    Ok(found)
}
