//! The product of a program with the automaton of a formula: again a program ([moped §4.2]).
//!
//! The automaton accepts the runs that are wanted: those that violate the formula and are fair. The
//! product runs as the program does, and a hidden global holds the automaton's state.
//!
//! - P1. A step reads a letter: what the atoms are at its source, before it. For every transition
//!   of the automaton that reads the letter there is such a step, with the transition's marks.
//!   Edges that are no steps leave the automaton alone.
//! - P2. A new procedure calls the entry procedure, which is no step. When that returns, control
//!   stays at a node with steps that read the letter of a finished run.
//! - P3. At error nodes, steps read the letter of a failed run, for ever.
//! - P4. An infinite run is wanted if it carries each mark again and again. There is at least one
//!   mark, so that such a run takes infinitely many steps; an automaton without marks gets one that
//!   every step carries.
//! - P5. An assumption of fairness is one more mark of the automaton. But an automaton tells all
//!   letters apart, and with many assumptions about the present there are too many: then these stay
//!   outside, and a second hidden global holds which of them is waited for. A step at which that one
//!   holds goes on to the next, and carries a mark if it was the last.
//!
//! What an atom is at a node is often known without any values (`at`, `in`, `terminated`, `error`,
//! locals of other procedures). Transitions that cannot read such a letter leave nothing behind, and
//! those with the same marks become one edge: the next state is a function of state and letter
//! where the transitions are deterministic, else arbitrary under a constraint.

use crate::PropertyError;
use crate::formula::Resolved;
use automata::ltl::{Atom, FormulaId};
use automata::sere::Nfa;
use automata::{Options, Tgba, translate};
use check::{Goal, Temporal};
use ir::{
    Assign, BinaryOp, Edge, EdgeId, EdgeKind, Expr, ExprId, Exprs, IndexVec, Init, NodeId, ProcId,
    Program, ProgramBuilder, Rel, Time, Type, VarId, VarKind,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A program whose runs to a goal are the wanted runs of another one: infinite ones with all marks, or
/// finite ones to a place.
///
/// Variables, nodes and procedures of the original keep their ids; what is new has ids behind them.
#[derive(Clone, Debug)]
pub struct Product {
    /// The product.
    pub program: Arc<Program>,
    /// What is asked of it.
    pub goal: Goal,
    /// The property as a whole, over the original program: the assumptions imply the formula. None if
    /// finite runs violate it.
    pub temporal: Option<Temporal>,
    /// The size of the automaton.
    pub automaton: Size,
    /// The variable that holds the automaton's state; none if there is only one.
    pub state: Option<VarId>,
    /// The variable that holds the number of the assumption that is waited for; none if there are
    /// few of them.
    pub waiting: Option<VarId>,
    /// The procedure that calls the entry procedure.
    pub wrapper: ProcId,
    /// Where finished runs stay.
    pub finished: NodeId,
    /// Locals of that procedure, and those of the entry procedure that they initialise.
    pub handed_over: Vec<(VarId, VarId)>,
    /// Of each edge, the one of the original that it executes; `None` for what is new: the call of
    /// the entry procedure, and the steps of finished and failed runs.
    pub edges: IndexVec<EdgeId, Option<EdgeId>>,
}

/// The size of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// States.
    pub states: u32,
    /// Transitions.
    pub transitions: usize,
    /// Marks of the goal: those of the automaton, but at least one.
    pub marks: u32,
}

/// The product for the runs that violate the formula under the assumptions.
pub(crate) fn product(
    program: &Program,
    mut resolved: Resolved,
    options: &Options,
) -> Result<Product, PropertyError> {
    let temporal = resolved.temporal();
    // P5.
    let mut outside = resolved.present();
    if outside.len() <= MOST_INSIDE {
        outside.clear();
    }
    let negated = resolved.negated(|f| outside.contains(&f));
    let automaton = translate(&resolved.formulas, negated, options)?;
    let atoms: Vec<usize> =
        resolved.formulas.atoms_of(negated).into_iter().map(|atom| atom.index()).collect();
    Ok(join(program, resolved, &automaton, &atoms, temporal, &outside))
}

/// The product for the runs that violate the suffix implication of a trigger and the formula. Atoms of
/// the trigger come with their positions among all.
pub(crate) fn suffix_product(
    program: &Program,
    mut resolved: Resolved,
    trigger: &Nfa,
    atoms: &[(Atom, usize)],
    options: &Options,
) -> Result<Product, PropertyError> {
    let (names, mut positions): (Vec<Atom>, Vec<usize>) = atoms.iter().cloned().unzip();
    let temporal = resolved.suffix(trigger, &positions);
    let negated = resolved.negated(|_| false);
    let after = translate(&resolved.formulas, negated, options)?;
    let automaton = automata::suffix(trigger, &names, &after)?;
    let of = |atom: &Atom| {
        let known = resolved.formulas.atoms().iter().position(|a| a == atom);
        known.expect("the automaton's atoms are the formula's and the trigger's")
    };
    positions = automaton.atoms.iter().map(of).collect();
    Ok(join(program, resolved, &automaton, &positions, temporal, &[]))
}

/// The product with an automaton whose atoms are at these positions, and the assumptions outside it.
fn join(
    program: &Program,
    mut resolved: Resolved,
    automaton: &Tgba,
    atoms: &[usize],
    temporal: Temporal,
    outside: &[FormulaId],
) -> Product {
    let marks = match outside.is_empty() {
        true => automaton.marks.max(1),
        false => automaton.marks + 1,
    };
    let size = Size { states: automaton.states, transitions: automaton.transitions.len(), marks };

    let mut b = ProgramBuilder::extending(program);
    b.exprs = std::mem::take(&mut resolved.exprs);
    let bits = u32::BITS - automaton.states.saturating_sub(1).leading_zeros();
    let state = (bits > 0).then(|| b.hidden_global("(automaton)", Type::int(bits)));
    let waiting = match outside.is_empty() {
        true => None,
        false => {
            let bits = u32::BITS - (outside.len() as u32 - 1).leading_zeros();
            Some(b.hidden_global("(assumption)", Type::int(bits)))
        }
    };
    let fair_mark = 1u64 << automaton.marks;
    let mut reader =
        Reader { automaton, state, assumed: waiting.is_some(), groups: FxHashMap::default() };
    let mut made: Vec<(NodeId, Option<EdgeId>)> = Vec::new();
    let letter = |pick: &dyn Fn(&check::Meaning) -> ExprId| -> Vec<ExprId> {
        atoms.iter().map(|&atom| pick(&resolved.meanings[atom])).collect()
    };

    // P1.
    for (id, edge) in program.edges.enumerate() {
        if !edge.step {
            made.push((edge.source, Some(id)));
            b.edge(Edge { marks: 0, ..edge.clone() });
            continue;
        }
        let pick = |m: &check::Meaning| m.at[edge.source];
        let groups = reader.groups(&mut b.exprs, letter(&pick));
        let turns = turns(&mut b.exprs, &resolved, outside, waiting, &pick);
        for (group, turn) in groups.iter().flat_map(|g| turns.iter().map(move |t| (g, t))) {
            let mut edge = edge.clone();
            edge.marks = group.marks | if turn.all { fair_mark } else { 0 };
            let rel = match &mut edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => rel,
                EdgeKind::Call(call) => &mut call.enter,
            };
            group.apply(&mut b.exprs, state, rel);
            turn.apply(&mut b.exprs, waiting, rel);
            made.push((edge.source, Some(id)));
            b.edge(edge);
        }
    }

    // P3.
    let events = b.no_events();
    let mut stutter =
        |b: &mut ProgramBuilder, node: NodeId, pick: fn(&check::Meaning) -> ExprId| {
            let turns = turns(&mut b.exprs, &resolved, outside, waiting, &pick);
            let groups = reader.groups(&mut b.exprs, letter(&pick));
            for (group, turn) in groups.iter().flat_map(|g| turns.iter().map(move |t| (g, t))) {
                let mut rel = Rel::identity();
                group.apply(&mut b.exprs, state, &mut rel);
                turn.apply(&mut b.exprs, waiting, &mut rel);
                let kind = EdgeKind::Local { target: node, rel };
                made.push((node, None));
                let marks = group.marks | if turn.all { fair_mark } else { 0 };
                b.edge(Edge { source: node, kind, step: true, events, marks });
            }
        };
    for proc in program.procs.ids() {
        if let Some(node) = b.forget_error_node(proc) {
            stutter(&mut b, node, |m| m.failed);
        }
    }

    // P2.
    let origin = b.no_origin();
    let wrapper = b.proc("(run)", origin);
    b.begin_proc(wrapper);
    let (start, finished) = (b.silent(), b.silent());
    b.entry(wrapper, start);
    stutter(&mut b, finished, |m| m.terminated);
    let (mut init, enter, handed_over) = entering(program, &mut b, wrapper);
    if let Some(state) = state {
        let here = state_is(&mut b.exprs, Time::Pre, state, automaton.initial.0);
        init.condition = b.exprs.and(here, init.condition);
    }
    if let Some(waiting) = waiting {
        let here = state_is(&mut b.exprs, Time::Pre, waiting, 0);
        init.condition = b.exprs.and(here, init.condition);
    }
    let call = ir::Call { callee: program.entry, enter, ret: finished, back: Rel::identity() };
    made.push((start, None));
    b.edge(Edge {
        source: start,
        kind: EdgeKind::Call(Box::new(call)),
        step: false,
        events,
        marks: 0,
    });

    // The builder sorts edges by their source, and keeps their order otherwise.
    made.sort_by_key(|&(source, _)| source);
    Product {
        program: Arc::new(b.finish(wrapper, init)),
        goal: Goal::Repeat { marks },
        temporal: Some(temporal),
        automaton: size,
        state,
        waiting,
        wrapper,
        finished,
        handed_over,
        edges: made.into_iter().map(|(_, edge)| edge).collect(),
    }
}

/// The program's initial condition, imposed at the start. Where it speaks of the entry procedure's
/// locals, the wrapper has variables for them, and hands their values over.
///
/// Imposed on the call instead, the condition could read what is dead behind it; engines leave such
/// a value open, and a trace would not tell how the condition was satisfied.
pub(crate) fn entering(
    program: &Program,
    b: &mut ProgramBuilder,
    wrapper: ProcId,
) -> (Init, Rel, Vec<(VarId, VarId)>) {
    let Init { condition, choices } = program.init;
    let mut locals: Vec<VarId> = Vec::new();
    b.exprs.reads(condition, |_, var| locals.push(var));
    locals.retain(|&var| program.vars[var].kind != VarKind::Global);
    locals.sort_unstable();
    locals.dedup();
    let mut handed_over = Vec::new();
    let mut assigns = Vec::new();
    for local in locals {
        let Type { array, .. } = program.vars[local].ty;
        let own = b.hidden_local(wrapper, program.var_name(local), program.vars[local].ty);
        handed_over.push((own, local));
        let mut assign = |index, value| {
            assigns.push(Assign { time: Time::Post, var: local, index, value: Some(value) });
        };
        match array {
            None => assign(None, b.exprs.pre(own)),
            Some(dim) => {
                for cell in 0..i64::from(dim.len) {
                    let index = b.exprs.int(dim.lo + cell);
                    assign(Some(index), b.exprs.add(Expr::Index(Time::Pre, own, index)));
                }
            }
        }
    }
    let own = |var: VarId| handed_over.iter().find(|(_, local)| *local == var).map(|&(own, _)| own);
    let condition = b.exprs.map_leaves(condition, |exprs, leaf| match leaf {
        Expr::Read(_, var) => own(var).map(|own| exprs.pre(own)),
        Expr::Index(_, var, index) => {
            own(var).map(|own| exprs.add(Expr::Index(Time::Pre, own, index)))
        }
        _ => None,
    });
    let enter = Rel { assigns: assigns.into(), ..Rel::identity() };
    (Init { condition, choices }, enter, handed_over)
}

/// Assumptions about the present that the automaton can take.
const MOST_INSIDE: usize = 3;

/// What a step does with the assumptions outside the automaton (P5).
struct Turn {
    guard: ExprId,
    /// The assumption waited for afterwards; `None`: the same.
    next: Option<ExprId>,
    /// The last one has come.
    all: bool,
}

impl Turn {
    fn apply(&self, exprs: &mut Exprs, waiting: Option<VarId>, rel: &mut Rel) {
        rel.guard = exprs.and(self.guard, rel.guard);
        if let (Some(value), Some(var)) = (self.next, waiting) {
            let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
            assigns.push(Assign { time: Time::Post, var, index: None, value: Some(value) });
            rel.assigns = assigns.into();
        }
    }
}

/// What steps can do with the assumptions where `pick` says what each atom is.
fn turns(
    exprs: &mut Exprs,
    resolved: &Resolved,
    outside: &[FormulaId],
    waiting: Option<VarId>,
    pick: &dyn Fn(&check::Meaning) -> ExprId,
) -> Vec<Turn> {
    let stay = Turn { guard: Exprs::TRUE, next: None, all: false };
    let (Some(waiting), Some((&last, rest))) = (waiting, outside.split_last()) else {
        return vec![stay];
    };
    let came = |exprs: &mut Exprs, number: usize, f: FormulaId| {
        let here = state_is(exprs, Time::Pre, waiting, number as u32);
        let holds = resolved.condition(exprs, f, pick);
        exprs.and(here, holds)
    };
    let wraps = came(exprs, rest.len(), last);
    let mut next = exprs.pre(waiting);
    let mut moves = false;
    for (i, &f) in rest.iter().enumerate() {
        let came = came(exprs, i, f);
        if came != Exprs::FALSE {
            moves = true;
            let to = exprs.int(i as i64 + 1);
            next = exprs.add(Expr::Ite(came, to, next));
        }
    }
    let guard = exprs.not(wraps);
    let zero = exprs.int(0);
    let mut out = vec![Turn { guard, next: moves.then_some(next), all: false }];
    if wraps != Exprs::FALSE {
        out.push(Turn { guard: wraps, next: Some(zero), all: true });
    }
    out
}

pub(crate) fn state_is(exprs: &mut Exprs, time: Time, state: VarId, number: u32) -> ExprId {
    let (now, number) = (exprs.add(Expr::Read(time, state)), exprs.int(i64::from(number)));
    exprs.binary(BinaryOp::Eq, now, number)
}

/// What the automaton does on a letter, given as what is known of its atoms at a place.
struct Reader<'a> {
    automaton: &'a Tgba,
    state: Option<VarId>,
    /// There is a mark besides those of the automaton.
    assumed: bool,
    groups: FxHashMap<Vec<ExprId>, Rc<[Group]>>,
}

/// Some transitions with the same marks, as one edge of the product.
struct Group {
    marks: u64,
    guard: ExprId,
    next: Next,
}

/// The state after the transition.
enum Next {
    Same,
    Value(ExprId),
    /// Arbitrary under a constraint on the states before and after, and the letter.
    Constraint(ExprId),
}

impl Group {
    /// Adds it to a relation that keeps the automaton's state.
    fn apply(&self, exprs: &mut Exprs, state: Option<VarId>, rel: &mut Rel) {
        rel.guard = exprs.and(self.guard, rel.guard);
        let value = match self.next {
            Next::Same => return,
            Next::Value(value) => Some(value),
            Next::Constraint(constraint) => {
                rel.constraint = exprs.and(constraint, rel.constraint);
                None
            }
        };
        let var = state.expect("an automaton whose state changes has several");
        let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
        assigns.push(Assign { time: Time::Post, var, index: None, value });
        rel.assigns = assigns.into();
    }
}

/// A conjunction of conditions and negated conditions, sorted.
type Cube = Vec<(ExprId, bool)>;

impl Reader<'_> {
    /// What the automaton can do where its atoms are the given conditions.
    fn groups(&mut self, exprs: &mut Exprs, letter: Vec<ExprId>) -> Rc<[Group]> {
        if let Some(groups) = self.groups.get(&letter) {
            return groups.clone();
        }
        // By marks, then by source and target: the letters.
        let mut by_marks: BTreeMap<u64, BTreeMap<(u32, u32), Vec<Cube>>> = BTreeMap::new();
        for t in &self.automaton.transitions {
            let cubes: Vec<Cube> =
                t.label.cubes.iter().filter_map(|cube| restrict(&cube.0, &letter)).collect();
            if !cubes.is_empty() {
                let marks = match self.automaton.marks {
                    0 if !self.assumed => 1,
                    _ => u64::from(t.marks),
                };
                let group = by_marks.entry(marks).or_default();
                group.entry((t.from.0, t.to.0)).or_default().extend(cubes);
            }
        }
        let groups: Rc<[Group]> =
            by_marks.into_iter().map(|(marks, moves)| self.group(exprs, marks, &moves)).collect();
        self.groups.insert(letter, groups.clone());
        groups
    }

    fn group(
        &self,
        exprs: &mut Exprs,
        marks: u64,
        moves: &BTreeMap<(u32, u32), Vec<Cube>>,
    ) -> Group {
        // By source: all its letters. By target, where a loop counts as one of its own.
        let mut sources: BTreeMap<u32, ExprId> = BTreeMap::new();
        let mut arms: BTreeMap<Option<u32>, ExprId> = BTreeMap::new();
        let mut constraint = Exprs::FALSE;
        for (&(from, to), cubes) in moves {
            let label = sum(exprs, cubes);
            let here = match self.state {
                Some(state) => state_is(exprs, Time::Pre, state, from),
                None => Exprs::TRUE,
            };
            let letters = sources.entry(from).or_insert(Exprs::FALSE);
            *letters = exprs.or(*letters, label);
            let taken = exprs.and(here, label);
            let arm = arms.entry((from != to).then_some(to)).or_insert(Exprs::FALSE);
            *arm = exprs.or(*arm, taken);
            if let Some(state) = self.state {
                let there = state_is(exprs, Time::Post, state, to);
                let step = exprs.and(taken, there);
                constraint = exprs.or(constraint, step);
            }
        }
        let everywhere = sources.len() == self.automaton.states as usize
            && sources.values().all(|&letters| letters == Exprs::TRUE);
        let mut guard = Exprs::FALSE;
        for (&from, &letters) in &sources {
            let here = match self.state {
                Some(state) => state_is(exprs, Time::Pre, state, from),
                None => Exprs::TRUE,
            };
            let letters = exprs.and(here, letters);
            guard = exprs.or(guard, letters);
        }
        if everywhere {
            guard = Exprs::TRUE;
        }
        let next = match self.state {
            None => Next::Same,
            Some(_) if !deterministic(moves) => Next::Constraint(constraint),
            Some(state) => next_state(exprs, state, arms),
        };
        Group { marks, guard, next }
    }
}

/// The state after a transition where the guard lets just one be taken.
fn next_state(exprs: &mut Exprs, state: VarId, arms: BTreeMap<Option<u32>, ExprId>) -> Next {
    if arms.keys().all(Option::is_none) {
        return Next::Same;
    }
    let mut value = None;
    for (to, taken) in arms {
        let to = match to {
            Some(to) => exprs.int(i64::from(to)),
            None => exprs.pre(state),
        };
        value = Some(match value {
            None => to,
            Some(other) => exprs.add(Expr::Ite(taken, to, other)),
        });
    }
    value.map_or(Next::Same, Next::Value)
}

/// A cube of atoms at a place: `None` if it cannot hold there.
fn restrict(cube: &[(u32, bool)], letter: &[ExprId]) -> Option<Cube> {
    let mut out: Cube = Vec::new();
    for &(atom, wanted) in cube {
        match letter[atom as usize] {
            Exprs::TRUE if wanted => {}
            Exprs::FALSE if !wanted => {}
            Exprs::TRUE | Exprs::FALSE => return None,
            condition => out.push((condition, wanted)),
        }
    }
    out.sort_unstable();
    out.dedup();
    // Two atoms may mean the same.
    out.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(out)
}

fn sum(exprs: &mut Exprs, cubes: &[Cube]) -> ExprId {
    let mut sum = Exprs::FALSE;
    for cube in cubes {
        let mut product = Exprs::TRUE;
        for &(condition, wanted) in cube {
            let literal = if wanted { condition } else { exprs.not(condition) };
            product = exprs.and(product, literal);
        }
        sum = exprs.or(sum, product);
    }
    sum
}

/// Whether a state never has two transitions on one letter, as far as cubes tell.
fn deterministic(moves: &BTreeMap<(u32, u32), Vec<Cube>>) -> bool {
    let meet = |a: &Cube, b: &Cube| !a.iter().any(|&(e, v)| b.contains(&(e, !v)));
    let moves: Vec<_> = moves.iter().collect();
    moves.iter().enumerate().all(|(i, ((from, _), a))| {
        // Those of one source are neighbours.
        moves[i + 1..]
            .iter()
            .take_while(|((other, _), _)| other == from)
            .all(|(_, b)| !a.iter().any(|x| b.iter().any(|y| meet(x, y))))
    })
}
