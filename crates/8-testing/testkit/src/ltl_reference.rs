//! Whether all infinite runs of a program satisfy a formula: the plain reference.
//!
//! Shares nothing with the crates that answer the same question: neither the translation of
//! formulas nor the product nor any engine, and relations are applied by code of its own
//! ([`Plain`]). Slow, and meant to be seen to be right.
//!
//! **Runs.** One position for each step of the program; its letter is what the atoms are at the
//! step's source, before it. When the entry procedure has returned, or control is at an error node,
//! the run goes on for ever in that letter. A run that is blocked, or takes no more steps, is none.
//!
//! **Formulas**: a closure tableau (Lichtenstein and Pnueli). At each position of a run, every
//! subformula of the negated formula is true or false. What decides it besides the letter are the
//! *promises*: whether `X a` holds for each `X a`, and whether `X (a U b)` for each `a U b`, as
//! `a U b = b ∨ (a ∧ X (a U b))`. A sequence of promises is right if each promise is what its
//! formula is at the next position, the negated formula is true at the first, and if for each
//! `a U b` there are infinitely many positions at which it is false or `b` is true. One mark stands
//! for each of these, and one for a step.
//!
//! **Search.** The promises are carried through the program as one more global would be. Entry
//! states of frames are related to later states together with the exact set of marks since the
//! entry. A run exists if in the graph of heads, calls either entered or passed over, some
//! component has all marks on its arcs ([moped §4.2]).

use crate::ltl_formula::{Atom, Binary, Formula, Unary, at_end, at_node, collect};
use crate::plain::{Plain, StateId};
use ir::{EdgeKind, NodeId, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};

pub use crate::ltl_formula::random_formula;

/// The most promises that a formula may need.
const MOST_PROMISES: usize = 6;
/// The most facts of one search.
const MOST_FACTS: usize = 60_000;

/// Whether every infinite run of the program satisfies the formula. `None`: too large.
pub fn holds(program: &Program, formula: &Formula) -> Option<bool> {
    Some(!satisfiable(program, &Formula::Unary(Unary::Not, Box::new(formula.clone())))?)
}

/// Whether some infinite run of the program satisfies the formula. `None`: too large.
pub fn satisfiable(program: &Program, formula: &Formula) -> Option<bool> {
    let tableau = Tableau::new(formula)?;
    let plain = Plain::new(program)?;
    let (letters, positions) = (BTreeMap::new(), BTreeMap::new());
    Search { program, plain, tableau, letters, positions }.run()
}

/// A subformula; operands come before it.
#[derive(Clone, Copy)]
enum Part {
    True,
    Atom(usize),
    Not(usize),
    And(usize, usize),
    /// With the number of its promise.
    Next(usize, usize),
    Until(usize, usize, usize),
}

/// The promises made at a position; `None` before the first one.
type Promises = Option<u32>;

struct Tableau {
    parts: Vec<Part>,
    root: usize,
    atoms: Vec<Atom>,
    promises: usize,
}

impl Tableau {
    fn new(formula: &Formula) -> Option<Tableau> {
        let mut tableau =
            Tableau { parts: Vec::new(), root: 0, atoms: collect(formula), promises: 0 };
        tableau.root = tableau.part(formula);
        (tableau.promises <= MOST_PROMISES).then_some(tableau)
    }

    fn add(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }
    fn not(&mut self, a: usize) -> usize {
        self.add(Part::Not(a))
    }
    fn or(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.not(a), self.not(b));
        let both = self.add(Part::And(a, b));
        self.not(both)
    }
    fn until(&mut self, a: usize, b: usize) -> usize {
        self.promises += 1;
        self.add(Part::Until(a, b, self.promises - 1))
    }
    /// `a R b` is `!(!a U !b)`.
    fn release(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.not(a), self.not(b));
        let until = self.until(a, b);
        self.not(until)
    }

    /// Everything in terms of the operators of [`Part`].
    fn part(&mut self, formula: &Formula) -> usize {
        match formula {
            Formula::Const(value) => {
                let part = self.add(Part::True);
                if *value { part } else { self.not(part) }
            }
            Formula::Atom(atom) => {
                let number = self.atoms.iter().position(|a| a == atom);
                self.add(Part::Atom(number.expect("all atoms were collected")))
            }
            Formula::Unary(op, a) => {
                let a = self.part(a);
                match op {
                    Unary::Not => self.not(a),
                    Unary::Next => {
                        self.promises += 1;
                        self.add(Part::Next(a, self.promises - 1))
                    }
                    Unary::Finally => {
                        let always = self.add(Part::True);
                        self.until(always, a)
                    }
                    Unary::Globally => {
                        let (always, a) = (self.add(Part::True), self.not(a));
                        let broken = self.until(always, a);
                        self.not(broken)
                    }
                }
            }
            Formula::Binary(op, a, b) => {
                let (a, b) = (self.part(a), self.part(b));
                match op {
                    Binary::And => self.add(Part::And(a, b)),
                    Binary::Or => self.or(a, b),
                    Binary::Implies => {
                        let a = self.not(a);
                        self.or(a, b)
                    }
                    Binary::Iff => {
                        let both = self.add(Part::And(a, b));
                        let (a, b) = (self.not(a), self.not(b));
                        let none = self.add(Part::And(a, b));
                        self.or(both, none)
                    }
                    Binary::Until => self.until(a, b),
                    Binary::Release => self.release(a, b),
                    // `b` holds first, or `a` for ever: `b R (a || b)`.
                    Binary::Weak => {
                        let either = self.or(a, b);
                        self.release(b, either)
                    }
                    // `b` up to and including a position where `a` holds: `b U (a && b)`.
                    Binary::Strong => {
                        let both = self.add(Part::And(a, b));
                        self.until(b, both)
                    }
                }
            }
        }
    }

    /// The truth of every part at a position, given its letter and promises.
    fn truth(&self, letter: u64, promises: u32) -> Vec<bool> {
        let promised = |number: usize| promises >> number & 1 == 1;
        let mut out: Vec<bool> = Vec::new();
        for part in &self.parts {
            out.push(match *part {
                Part::True => true,
                Part::Atom(number) => letter >> number & 1 == 1,
                Part::Not(a) => !out[a],
                Part::And(a, b) => out[a] && out[b],
                Part::Next(_, number) => promised(number),
                Part::Until(a, b, number) => out[b] || out[a] && promised(number),
            });
        }
        out
    }

    /// The promises that can be made at a position with the given letter, where those in `before`
    /// were made at the one before; with the marks of the position.
    fn positions(&self, before: Promises, letter: u64) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        for promises in 0..1u32 << self.promises {
            let truth = self.truth(letter, promises);
            let mut kept = true;
            let (mut marks, mut mark) = (1, 1);
            for (number, part) in self.parts.iter().enumerate() {
                let (about, promise) = match *part {
                    Part::Next(a, promise) => (a, promise),
                    Part::Until(_, b, promise) => {
                        marks |= u32::from(!truth[number] || truth[b]) << mark;
                        mark += 1;
                        (number, promise)
                    }
                    _ => continue,
                };
                kept &= before.is_none_or(|before| (before >> promise & 1 == 1) == truth[about]);
            }
            if kept && (before.is_some() || truth[self.root]) {
                out.push((promises, marks));
            }
        }
        out
    }

    fn all_marks(&self) -> u32 {
        let untils = self.parts.iter().filter(|p| matches!(p, Part::Until(..))).count();
        (1 << (untils + 1)) - 1
    }
}

/// Where control is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Node(NodeId),
    /// The entry procedure has returned; only globals are left.
    Finished,
}

/// A place, a valuation, and the promises to be kept.
type Head = (Place, StateId, Promises);

/// With what a frame was entered; `None` for the first one, which nothing comes back from.
type Entry = Option<(ProcId, StateId, Promises)>;

/// A frame with this entry can come to the head having carried exactly these marks.
type Fact = (Entry, Head, u32);

/// The caller's entry and marks, the call and the saved frame.
type Waiting = (Entry, u32, ir::EdgeId, StateId);

struct Search<'a> {
    program: &'a Program,
    plain: Plain<'a>,
    tableau: Tableau,
    /// Computed once.
    letters: BTreeMap<(Place, StateId), u64>,
    positions: BTreeMap<(Promises, u64), Vec<(u32, u32)>>,
}

impl Search<'_> {
    fn run(mut self) -> Option<bool> {
        let program = self.program;
        let start = Place::Node(program.procs[program.entry].entry);
        let mut work: Vec<Fact> = Vec::new();
        for state in self.plain.initial() {
            work.push((None, (start, state, None), 0));
        }
        let mut facts: BTreeSet<Fact> = BTreeSet::new();
        // By entry of the callee: how it can be left, and who waits for it.
        type Exits = BTreeSet<(StateId, Promises, u32)>;
        let mut exits: BTreeMap<Entry, Exits> = BTreeMap::new();
        let mut waiting: BTreeMap<Entry, BTreeSet<Waiting>> = BTreeMap::new();
        while let Some(fact) = work.pop() {
            if !facts.insert(fact) {
                continue;
            }
            if facts.len() > MOST_FACTS {
                return None;
            }
            let (entry, (place, state, before), carried) = fact;
            let Some(node) = self.running(place) else {
                for (promises, marks) in self.positions((place, state, before)) {
                    work.push((entry, (place, state, Some(promises)), carried | marks));
                }
                continue;
            };
            for edge in program.out_edges(node) {
                for (promises, marks) in self.read(edge, (place, state, before)) {
                    let carried = carried | marks;
                    match &program.edges[edge].kind {
                        EdgeKind::Local { target, .. } => {
                            for after in self.plain.step(edge, state)? {
                                let head = (Place::Node(*target), after, promises);
                                work.push((entry, head, carried));
                            }
                        }
                        EdgeKind::Call(call) => {
                            for (inner, saved) in self.plain.enter(edge, state)? {
                                let inside = Some((call.callee, inner, promises));
                                let caller = (entry, carried, edge, saved);
                                waiting.entry(inside).or_default().insert(caller);
                                let first = Place::Node(program.procs[call.callee].entry);
                                work.push((inside, (first, inner, promises), 0));
                                for &(out, promises, more) in
                                    exits.get(&inside).into_iter().flatten()
                                {
                                    for after in self.plain.back(edge, out, saved)? {
                                        let head = (Place::Node(call.ret), after, promises);
                                        work.push((entry, head, carried | more));
                                    }
                                }
                            }
                        }
                        EdgeKind::Return { .. } => {
                            for out in self.plain.step(edge, state)? {
                                if entry.is_none() {
                                    work.push((None, (Place::Finished, out, promises), carried));
                                    continue;
                                }
                                let exit = (out, promises, carried);
                                if !exits.entry(entry).or_default().insert(exit) {
                                    continue;
                                }
                                let callers = waiting.get(&entry).into_iter().flatten();
                                for &(caller, sofar, call, saved) in callers {
                                    let ret = program.edges[call].target()?;
                                    for after in self.plain.back(call, out, saved)? {
                                        let head = (Place::Node(ret), after, promises);
                                        work.push((caller, head, sofar | carried));
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }

        let heads: BTreeSet<Head> = facts.iter().map(|&(_, head, _)| head).collect();
        let mut arcs: BTreeSet<(Head, Head, u32)> = BTreeSet::new();
        for &head in &heads {
            let (place, state, _) = head;
            let Some(node) = self.running(place) else {
                for (promises, marks) in self.positions(head) {
                    arcs.insert((head, (place, state, Some(promises)), marks));
                }
                continue;
            };
            for edge in program.out_edges(node) {
                for (promises, marks) in self.read(edge, head) {
                    match &program.edges[edge].kind {
                        EdgeKind::Local { target, .. } => {
                            for after in self.plain.step(edge, state)? {
                                arcs.insert((head, (Place::Node(*target), after, promises), marks));
                            }
                        }
                        EdgeKind::Call(call) => {
                            for (inner, saved) in self.plain.enter(edge, state)? {
                                let first = Place::Node(program.procs[call.callee].entry);
                                arcs.insert((head, (first, inner, promises), marks));
                                let inside = Some((call.callee, inner, promises));
                                for &(out, promises, more) in
                                    exits.get(&inside).into_iter().flatten()
                                {
                                    for after in self.plain.back(edge, out, saved)? {
                                        let to = (Place::Node(call.ret), after, promises);
                                        arcs.insert((head, to, marks | more));
                                    }
                                }
                            }
                        }
                        EdgeKind::Return { .. } => {}
                    }
                }
            }
        }
        Some(component_with(&arcs, self.tableau.all_marks()))
    }

    /// The node of a run that is neither finished nor failed: the others stay where they are, in
    /// one letter.
    fn running(&self, place: Place) -> Option<NodeId> {
        match place {
            Place::Node(node) if !self.failed(node) => Some(node),
            _ => None,
        }
    }

    fn failed(&self, node: NodeId) -> bool {
        self.program.procs[self.program.nodes[node].proc].error == Some(node)
    }

    /// The promises after an edge is taken at a head, and the marks. Only steps read a letter.
    fn read(&mut self, edge: ir::EdgeId, (place, state, before): Head) -> Vec<(Promises, u32)> {
        if !self.program.edges[edge].step {
            return vec![(before, 0)];
        }
        let positions = self.positions((place, state, before));
        positions.into_iter().map(|(promises, marks)| (Some(promises), marks)).collect()
    }

    fn positions(&mut self, (place, state, before): Head) -> Vec<(u32, u32)> {
        let letter = self.letter(place, state);
        let tableau = &self.tableau;
        let known = self.positions.entry((before, letter));
        known.or_insert_with(|| tableau.positions(before, letter)).clone()
    }

    fn letter(&mut self, place: Place, state: StateId) -> u64 {
        if let Some(&letter) = self.letters.get(&(place, state)) {
            return letter;
        }
        let (program, values) = (self.program, self.plain.values(state));
        // A local that is asked for is in scope: the atom looks at the procedure first.
        let value = |var| values.get(&(var, 0)).copied().unwrap_or(0);
        let mut letter = 0;
        for (number, atom) in self.tableau.atoms.iter().enumerate() {
            let holds = match place {
                Place::Finished => at_end(atom, false, value),
                Place::Node(node) if self.failed(node) => at_end(atom, true, value),
                Place::Node(node) => at_node(atom, program, node, value),
            };
            letter |= u64::from(holds) << number;
        }
        self.letters.insert((place, state), letter);
        letter
    }
}

/// Whether some set of vertices that all reach each other has all of the marks on the arcs between
/// them: the components by Kosaraju's algorithm.
fn component_with<V: Ord>(arcs: &BTreeSet<(V, V, u32)>, all: u32) -> bool {
    let mut ids: BTreeMap<&V, usize> = BTreeMap::new();
    for (from, to, _) in arcs {
        for vertex in [from, to] {
            let next = ids.len();
            ids.entry(vertex).or_insert(next);
        }
    }
    let (mut out, mut into) = (vec![Vec::new(); ids.len()], vec![Vec::new(); ids.len()]);
    for (from, to, _) in arcs {
        out[ids[from]].push(ids[to]);
        into[ids[to]].push(ids[from]);
    }
    // Vertices in the order in which a depth-first search leaves them.
    let (mut seen, mut left) = (vec![false; ids.len()], Vec::new());
    for root in 0..ids.len() {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut way = vec![(root, 0)];
        while let Some((vertex, next)) = way.pop() {
            match out[vertex].get(next) {
                Some(&to) => {
                    way.push((vertex, next + 1));
                    if !seen[to] {
                        seen[to] = true;
                        way.push((to, 0));
                    }
                }
                None => left.push(vertex),
            }
        }
    }
    // The last one left first; what reaches it and has no component yet belongs to it.
    let mut component = vec![None; ids.len()];
    for &root in left.iter().rev() {
        let mut work = vec![root];
        while let Some(vertex) = work.pop() {
            if component[vertex].is_none() {
                component[vertex] = Some(root);
                work.extend(&into[vertex]);
            }
        }
    }
    let mut marks = vec![0; ids.len()];
    for (from, to, carried) in arcs {
        if let Some(root) = component[ids[from]]
            && component[ids[to]] == Some(root)
        {
            marks[root] |= carried;
        }
    }
    marks.iter().any(|&marks| marks & all == all)
}
