//! Properties in Sugar: a program that is watched by a finite automaton, again a program.
//!
//! The automaton accepts the finite words that violate the property ([`automata::sere`]). A hidden
//! global holds its state.
//!
//! - SE1. A step reads a letter: what the atoms are at its source, before it. The state takes a
//!   transition that reads it, and that accepts nothing; where there is none, the run is not looked
//!   at any further. Edges that are no steps leave the state alone.
//! - SE2. A new procedure calls the entry procedure. When that returns, control stays at a node whose
//!   steps read the letter of a finished run; at error nodes, steps read that of a failed one.
//! - SE3. The goal: control is at a node with steps, and a transition to an accepting state reads the
//!   letter there. So the word counts even if the run then blocks.

use crate::atoms::{Names, meaning};
use crate::formula::resolve;
use crate::product::{Product, Size, entering, state_is, suffix_product};
use crate::{FormulaError, FormulaErrorKind, PropertyError, Question, Which};
use automata::Options;
use automata::ltl::{Atom, parse_atom};
use automata::sere::{Condition, Nfa, Sere, property};
use check::{Goal, Meaning, Target};
use ir::{
    Assign, Edge, EdgeId, EdgeKind, ExprId, Exprs, NodeId, Program, ProgramBuilder, Rel, Time,
    Type, VarId,
};
use rustc_hash::FxHashMap;
use source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a property in Sugar asks: the product with a finite automaton if its conclusion is a boolean, else
/// that with a Büchi automaton.
pub(crate) fn question(
    program: &Program,
    text: &str,
    options: &Options,
) -> Result<Question, PropertyError> {
    let names = Names::new(program);
    let parsed = property(text, &|word| names.knows(word)).map_err(|error| {
        let at = (error.at as u32).min(text.len() as u32);
        let kind = FormulaErrorKind::Sere(error);
        PropertyError::Formula(Box::new(wrong(text, kind, Span::new(at, at))))
    })?;
    let (trigger, conclusion) = match parsed {
        Sere::Words(nfa) => {
            return Ok(Question::Product(Box::new(watched(program, &names, text, &nfa)?)));
        }
        Sere::Suffix { trigger, conclusion } => (trigger, conclusion),
    };
    let shift = conclusion.start as u32;
    let mut resolved = resolve(program, &text[conclusion], &[]).map_err(|error| match error {
        PropertyError::Formula(mut error) => {
            error.text = text.to_owned();
            error.span = Span::new(error.span.start + shift, error.span.end + shift);
            PropertyError::Formula(error)
        }
        error => error,
    })?;
    let mut atoms = Vec::new();
    for (parsed, span) in parsed_atoms(text, &trigger)? {
        let position = resolved.atom(&names, &parsed, Which::Property, text, span);
        atoms.push((parsed, position.map_err(PropertyError::Formula)?));
    }
    let product = suffix_product(program, resolved, &trigger, &atoms, options)?;
    Ok(Question::Product(Box::new(product)))
}

fn wrong(text: &str, kind: FormulaErrorKind, span: Span) -> FormulaError {
    FormulaError { formula: Which::Property, text: text.to_owned(), kind, span }
}

/// The atoms of an automaton, and where they are.
fn parsed_atoms(text: &str, nfa: &Nfa) -> Result<Vec<(Atom, Span)>, PropertyError> {
    let parsed = nfa.atoms.iter().map(|atom| {
        let start = text.find(atom.as_str()).unwrap_or(0) as u32;
        let span = Span::new(start, (start + atom.len() as u32).min(text.len() as u32));
        let parsed = parse_atom(atom).ok_or_else(|| {
            let (name, proc, hint) = (atom.clone(), None, None);
            let kind = FormulaErrorKind::UnknownVariable { name, proc, hint };
            PropertyError::Formula(Box::new(wrong(text, kind, span)))
        })?;
        Ok((parsed, span))
    });
    parsed.collect()
}

/// The product for the finite runs that violate the property.
fn watched(
    program: &Program,
    names: &Names<'_>,
    text: &str,
    nfa: &Nfa,
) -> Result<Product, PropertyError> {
    let mut exprs = program.exprs.clone();
    let mut meanings: Vec<Meaning> = Vec::new();
    for (parsed, span) in parsed_atoms(text, nfa)? {
        let found = meaning(names, &mut exprs, &parsed, Which::Property, text, span);
        meanings.push(found.map_err(PropertyError::Formula)?);
    }

    let mut b = ProgramBuilder::extending(program);
    b.exprs = exprs;
    let states = nfa.accepting.len();
    let bits = (u32::BITS - (states as u32 - 1).leading_zeros()).max(1);
    let state = b.hidden_global("(watcher)", Type::int(bits));
    let mut watcher = Watcher { nfa, meanings: &meanings, state, made: FxHashMap::default() };
    let mut targets: Vec<Target> = Vec::new();
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    let mut made: Vec<(NodeId, Option<EdgeId>)> = Vec::new();

    for (id, edge) in program.edges.enumerate() {
        let mut edge = edge.clone();
        edge.marks = 0;
        if edge.step {
            let node = edge.source;
            let (moves, accepts) = watcher.at(&mut b.exprs, &|m| m.at[node]);
            if accepts != Exprs::FALSE && seen.insert(node) {
                targets.push(Target { node, condition: accepts });
            }
            let rel = match &mut edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => rel,
                EdgeKind::Call(call) => &mut call.enter,
            };
            moves.apply(&mut b.exprs, state, rel);
        }
        made.push((edge.source, Some(id)));
        b.edge(edge);
    }
    let events = b.no_events();
    let mut stutter = |b: &mut ProgramBuilder, node: NodeId, pick: fn(&Meaning) -> ExprId| {
        let (moves, accepts) = watcher.at(&mut b.exprs, &pick);
        if accepts != Exprs::FALSE {
            targets.push(Target { node, condition: accepts });
        }
        let mut rel = Rel::identity();
        moves.apply(&mut b.exprs, state, &mut rel);
        let kind = EdgeKind::Local { target: node, rel };
        made.push((node, None));
        b.edge(Edge { source: node, kind, step: true, events, marks: 0 });
    };
    for proc in program.procs.ids() {
        if let Some(node) = b.forget_error_node(proc) {
            stutter(&mut b, node, |m| m.failed);
        }
    }
    let origin = b.no_origin();
    let wrapper = b.proc("(run)", origin);
    b.begin_proc(wrapper);
    let (start, finished) = (b.silent(), b.silent());
    b.entry(wrapper, start);
    stutter(&mut b, finished, |m| m.terminated);
    let (mut init, enter, handed_over) = entering(program, &mut b, wrapper);
    let here = state_is(&mut b.exprs, Time::Pre, state, 0);
    init.condition = b.exprs.and(here, init.condition);
    let call = ir::Call { callee: program.entry, enter, ret: finished, back: Rel::identity() };
    let kind = EdgeKind::Call(Box::new(call));
    made.push((start, None));
    b.edge(Edge { source: start, kind, step: false, events, marks: 0 });
    // The builder sorts edges by their source, and keeps their order otherwise.
    made.sort_by_key(|&(source, _)| source);
    Ok(Product {
        program: Arc::new(b.finish(wrapper, init)),
        goal: Goal::Reach(targets),
        temporal: None,
        automaton: Size {
            states: states as u32,
            transitions: nfa.transitions.len(),
            promises: 0,
            marks: 0,
        },
        state: vec![state],
        waiting: Vec::new(),
        wrapper,
        finished,
        handed_over,
        edges: made.into_iter().map(|(_, edge)| edge).collect(),
    })
}

/// What the automaton does with its state.
#[derive(Clone, Copy)]
enum Moves {
    Stays,
    /// The relation of the states before and after.
    Constraint(ExprId),
}

impl Moves {
    fn apply(self, exprs: &mut Exprs, state: VarId, rel: &mut Rel) {
        let Moves::Constraint(constraint) = self else { return };
        rel.constraint = exprs.and(constraint, rel.constraint);
        let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
        assigns.push(Assign { time: Time::Post, var: state, index: None, value: None });
        rel.assigns = assigns.into();
    }
}

struct Watcher<'a> {
    nfa: &'a Nfa,
    meanings: &'a [Meaning],
    state: VarId,
    /// By letter: many nodes have the same.
    made: FxHashMap<Vec<ExprId>, (Moves, ExprId)>,
}

impl Watcher<'_> {
    /// What it does where `pick` says what each atom is, and when it accepts there.
    fn at(&mut self, exprs: &mut Exprs, pick: &dyn Fn(&Meaning) -> ExprId) -> (Moves, ExprId) {
        let letter: Vec<ExprId> = self.meanings.iter().map(pick).collect();
        if let Some(&known) = self.made.get(&letter) {
            return known;
        }
        let mut conditions: Vec<ExprId> = Vec::with_capacity(self.nfa.conditions.len());
        for condition in &self.nfa.conditions {
            let of = |c: u32| conditions[c as usize];
            let value = match *condition {
                Condition::Constant(true) => Exprs::TRUE,
                Condition::Constant(false) => Exprs::FALSE,
                Condition::Atom(atom) => letter[atom as usize],
                Condition::Not(a) => exprs.not(of(a)),
                Condition::And(a, b) => exprs.and(of(a), of(b)),
                Condition::Or(a, b) => exprs.or(of(a), of(b)),
            };
            conditions.push(value);
        }
        let (mut relation, mut accepts) = (Exprs::FALSE, Exprs::FALSE);
        let mut stays = vec![false; self.nfa.accepting.len()];
        let mut moves = false;
        for &(from, condition, to) in &self.nfa.transitions {
            let reads = conditions[condition as usize];
            // What has been violated need not be violated again.
            if reads == Exprs::FALSE || self.nfa.accepting[from as usize] {
                continue;
            }
            let here = state_is(exprs, Time::Pre, self.state, from);
            let taken = exprs.and(here, reads);
            if self.nfa.accepting[to as usize] {
                accepts = exprs.or(accepts, taken);
                continue;
            }
            match from == to && reads == Exprs::TRUE {
                true => stays[from as usize] = true,
                false => moves = true,
            }
            let there = state_is(exprs, Time::Post, self.state, to);
            let step = exprs.and(taken, there);
            relation = exprs.or(relation, step);
        }
        let all =
            stays.iter().zip(&self.nfa.accepting).all(|(stays, accepting)| *stays || *accepting);
        let moves = if all && !moves { Moves::Stays } else { Moves::Constraint(relation) };
        self.made.insert(letter, (moves, accepts));
        (moves, accepts)
    }
}
