//! Automata with empty moves over frames (Thompson), and what expressions need beyond them: complements
//! and intersections of parts.

use crate::pieces::{Pieces, classes, outcomes};
use crate::regular::{Nodes, RegularSet};
use ir::{ExprId, Exprs, Program};
use rustc_hash::FxHashMap;

/// An automaton with empty moves.
#[derive(Default)]
pub(crate) struct Nfa {
    pub(crate) epsilon: Vec<Vec<u32>>,
    pub(crate) frames: Vec<(u32, Pieces, u32)>,
}

/// A part without empty moves. State 0 is the initial one, and no edge leads there.
struct Plain {
    accepting: Vec<bool>,
    edges: Vec<Vec<(Pieces, u32)>>,
}

/// From a state to a state of an [`Nfa`].
pub(crate) type Part = (u32, u32);

impl Nfa {
    pub(crate) fn state(&mut self) -> u32 {
        self.epsilon.push(Vec::new());
        self.epsilon.len() as u32 - 1
    }

    pub(crate) fn either(&mut self, a: Part, b: Part) -> Part {
        let (from, to) = (self.state(), self.state());
        self.epsilon[from as usize].extend([a.0, b.0]);
        self.epsilon[a.1 as usize].push(to);
        self.epsilon[b.1 as usize].push(to);
        (from, to)
    }

    pub(crate) fn repeat(&mut self, a: u32, b: u32, none: bool, many: bool) -> Part {
        let (from, to) = (self.state(), self.state());
        self.epsilon[from as usize].push(a);
        self.epsilon[b as usize].push(to);
        if none {
            self.epsilon[from as usize].push(to);
        }
        if many {
            self.epsilon[b as usize].push(a);
        }
        (from, to)
    }

    /// The words of the part whose first frame satisfies a condition; never the empty one.
    pub(crate) fn first_with(&mut self, part: Part, exprs: &mut Exprs, condition: ExprId) -> Part {
        let start = self.state();
        let reached = self.closure(part.0);
        let leaving = self.frames.iter().filter(|frame| reached.contains(&frame.0));
        let more: Vec<(u32, Pieces, u32)> = leaving
            .map(|(_, pieces, to)| (start, pieces.clone().with(exprs, condition), *to))
            .collect();
        self.frames.extend(more);
        (start, part.1)
    }

    /// What empty moves lead to, the state itself included.
    fn closure(&self, state: u32) -> Vec<u32> {
        let mut seen = analysis::BitSet::new(self.epsilon.len());
        seen.insert(state as usize);
        let mut out = vec![state];
        let mut next = 0;
        while let Some(&state) = out.get(next) {
            next += 1;
            for &to in &self.epsilon[state as usize] {
                if seen.insert(to as usize) {
                    out.push(to);
                }
            }
        }
        out
    }

    /// A part without empty moves: state 0 for the start, others for what follows a frame.
    fn plain(&self, (start, end): Part) -> Plain {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.epsilon.len()];
        for (i, &(from, ..)) in self.frames.iter().enumerate() {
            leaving[from as usize].push(i);
        }
        let mut ids: FxHashMap<usize, u32> = FxHashMap::default();
        let mut origins = vec![start];
        let mut out = Plain { accepting: Vec::new(), edges: Vec::new() };
        while let Some(&origin) = origins.get(out.edges.len()) {
            let (mut accepting, mut edges) = (false, Vec::new());
            for reached in self.closure(origin) {
                accepting |= reached == end;
                for &i in &leaving[reached as usize] {
                    let new = origins.len() as u32;
                    let to = *ids.entry(i).or_insert(new);
                    if to == new {
                        origins.push(self.frames[i].2);
                    }
                    edges.push((self.frames[i].1.clone(), to));
                }
            }
            out.accepting.push(accepting);
            out.edges.push(edges);
        }
        out
    }

    /// The set of the words of a part.
    pub(crate) fn without_epsilon(&self, part: Part) -> RegularSet {
        let plain = self.plain(part);
        let mut set = RegularSet::new();
        for _ in 1..plain.accepting.len() {
            set.state();
        }
        for (state, edges) in plain.edges.iter().enumerate() {
            if plain.accepting[state] {
                set.accept(state as u32);
            }
            for (pieces, to) in edges {
                for letter in pieces.letters() {
                    set.transition(state as u32, letter, *to);
                }
            }
        }
        set
    }

    fn embed(&mut self, plain: Plain) -> Part {
        let states: Vec<u32> = plain.accepting.iter().map(|_| self.state()).collect();
        let end = self.state();
        for (state, edges) in plain.edges.into_iter().enumerate() {
            if plain.accepting[state] {
                self.epsilon[states[state] as usize].push(end);
            }
            for (pieces, to) in edges {
                self.frames.push((states[state], pieces, states[to as usize]));
            }
        }
        (states[0], end)
    }

    /// The words over the frames at `all` that are none of the part: by the subset construction over classes of
    /// frames and combinations of their conditions. `None`: more than `limit` states.
    pub(crate) fn complement(
        &mut self,
        part: Part,
        program: &Program,
        exprs: &mut Exprs,
        all: &Nodes,
        limit: usize,
    ) -> Option<Part> {
        let plain = self.plain(part);
        let mut ids: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut found: Vec<Vec<u32>> = vec![vec![0]];
        ids.insert(vec![0], 0);
        let mut out = Plain { accepting: Vec::new(), edges: Vec::new() };
        while let Some(states) = found.get(out.edges.len()).cloned() {
            let leaving: Vec<(&Pieces, u32)> = states
                .iter()
                .flat_map(|&state| &plain.edges[state as usize])
                .map(|(pieces, to)| (pieces, *to))
                .collect();
            let sets: Vec<&Pieces> = leaving.iter().map(|&(pieces, _)| pieces).collect();
            let mut edges: Vec<(Pieces, u32)> = Vec::new();
            for (members, nodes) in classes(program, all, &sets) {
                for (to, condition) in outcomes(exprs, &members, &leaving)? {
                    if condition == Exprs::FALSE {
                        continue;
                    }
                    let new = found.len() as u32;
                    let id = *ids.entry(to.clone()).or_insert(new);
                    if id == new {
                        found.push(to);
                    }
                    let piece = Pieces(vec![(nodes.clone(), condition)]);
                    match edges.iter_mut().find(|(_, to)| *to == id) {
                        Some((known, _)) => *known = known.clone().union(program, piece),
                        None => edges.push((piece, id)),
                    }
                }
            }
            out.accepting.push(!states.iter().any(|&s| plain.accepting[s as usize]));
            out.edges.push(edges);
            if found.len() > limit {
                return None;
            }
        }
        Some(self.embed(out))
    }

    /// The words of both parts. `None`: more than `limit` states.
    pub(crate) fn both(
        &mut self,
        a: Part,
        b: Part,
        program: &Program,
        exprs: &mut Exprs,
        limit: usize,
    ) -> Option<Part> {
        let (a, b) = (self.plain(a), self.plain(b));
        let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut found = vec![(0, 0)];
        ids.insert((0, 0), 0);
        let mut out = Plain { accepting: Vec::new(), edges: Vec::new() };
        while let Some(&(s, t)) = found.get(out.edges.len()) {
            let mut edges = Vec::new();
            for (here, to) in &a.edges[s as usize] {
                for (there, and_to) in &b.edges[t as usize] {
                    let pieces = here.intersection(program, exprs, there);
                    if pieces.0.is_empty() {
                        continue;
                    }
                    let new = found.len() as u32;
                    let id = *ids.entry((*to, *and_to)).or_insert(new);
                    if id == new {
                        found.push((*to, *and_to));
                    }
                    edges.push((pieces, id));
                }
            }
            out.accepting.push(a.accepting[s as usize] && b.accepting[t as usize]);
            out.edges.push(edges);
            if found.len() > limit {
                return None;
            }
        }
        Some(self.embed(out))
    }
}
