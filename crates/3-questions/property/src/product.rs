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
//! - P5. An assumption of fairness is one more mark of the automaton. Many assumptions about the present
//!   stay outside, and a second hidden global holds which of them is waited for. A step at which that one
//!   holds goes on to the next, and carries a mark if it was the last.
//! - P6. Many marks of an automaton are waited for in the same way, one after the other: an edge for each
//!   set of marks would be too many edges.
//!
//! What an atom is at a node is often known without any values (`at`, `in`, `terminated`, `error`,
//! locals of other procedures). Transitions that cannot read such a letter leave nothing behind, and
//! those with the same marks become one edge: the next state is a function of state and letter
//! where the transitions are deterministic, else arbitrary under a constraint.

use crate::PropertyError;
use crate::formula::Resolved;
use crate::reader::{Group, Reader};
use automata::ltl::{Atom, FormulaId};
use automata::sere::Nfa;
use automata::{Options, Tgba, translate};
use check::{Goal, Temporal};
use ir::{
    Assign, BinaryOp, Edge, EdgeId, EdgeKind, Expr, ExprId, Exprs, IndexVec, Init, NodeId, ProcId,
    Program, ProgramBuilder, Rel, Time, Type, VarId, VarKind,
};
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
    /// The variable that holds the number of the mark or assumption that is waited for; none if there
    /// are few of them.
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
pub(crate) fn join(
    program: &Program,
    mut resolved: Resolved,
    automaton: &Tgba,
    atoms: &[usize],
    temporal: Temporal,
    outside: &[FormulaId],
) -> Product {
    // P6.
    let counted = automaton.marks > MOST_MARKS;
    let inside = if counted { 0 } else { automaton.marks };
    let awaited = outside.len() as u32 + automaton.marks - inside;
    let marks = if awaited == 0 { inside.max(1) } else { inside + 1 };
    let size = Size { states: automaton.states, transitions: automaton.transitions.len(), marks };

    let mut b = ProgramBuilder::extending(program);
    b.exprs = std::mem::take(&mut resolved.exprs);
    let bits = u32::BITS - automaton.states.saturating_sub(1).leading_zeros();
    let state = (bits > 0).then(|| b.hidden_global("(automaton)", Type::int(bits)));
    let waiting = match awaited {
        0 => None,
        _ => {
            let bits = u32::BITS - (awaited - 1).leading_zeros();
            Some(b.hidden_global("(awaited)", Type::int(bits)))
        }
    };
    let fair_mark = 1u64 << inside;
    let mut reader = Reader::new(automaton, state, waiting.is_some(), counted);
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
        let assumed = assumptions(&mut b.exprs, &resolved, outside, &pick);
        for group in groups.iter() {
            for turn in turns(&mut b.exprs, group, &assumed, waiting) {
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
    }

    // P3.
    let events = b.no_events();
    let mut stutter =
        |b: &mut ProgramBuilder, node: NodeId, pick: fn(&check::Meaning) -> ExprId| {
            let groups = reader.groups(&mut b.exprs, letter(&pick));
            let assumed = assumptions(&mut b.exprs, &resolved, outside, &pick);
            for group in groups.iter() {
                for turn in turns(&mut b.exprs, group, &assumed, waiting) {
                    let mut rel = Rel::identity();
                    group.apply(&mut b.exprs, state, &mut rel);
                    turn.apply(&mut b.exprs, waiting, &mut rel);
                    let kind = EdgeKind::Local { target: node, rel };
                    made.push((node, None));
                    let marks = group.marks | if turn.all { fair_mark } else { 0 };
                    b.edge(Edge { source: node, kind, step: true, events, marks });
                }
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

/// Marks of an automaton that edges carry (P6).
const MOST_MARKS: u32 = 5;

/// What a step does with what is waited for (P5, P6).
struct Turn {
    guard: ExprId,
    /// What is waited for afterwards; `None`: the same.
    next: Option<ExprId>,
    /// Whether guard and next speak of the automaton's state after the step.
    later: bool,
    /// The last one has come.
    all: bool,
}

impl Turn {
    fn apply(&self, exprs: &mut Exprs, waiting: Option<VarId>, rel: &mut Rel) {
        let Some(var) = waiting else { return };
        let value = match (self.later, self.next) {
            (false, next) => {
                rel.guard = exprs.and(self.guard, rel.guard);
                if next.is_none() {
                    return;
                }
                next
            }
            (true, next) => {
                rel.constraint = exprs.and(self.guard, rel.constraint);
                let Some(next) = next else { return };
                let after = exprs.post(var);
                let same = exprs.binary(BinaryOp::Eq, after, next);
                rel.constraint = exprs.and(same, rel.constraint);
                None
            }
        };
        let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
        assigns.push(Assign { time: Time::Post, var, index: None, value });
        rel.assigns = assigns.into();
    }
}

/// When each assumption outside the automaton holds, where `pick` says what each atom is.
fn assumptions(
    exprs: &mut Exprs,
    resolved: &Resolved,
    outside: &[FormulaId],
    pick: &dyn Fn(&check::Meaning) -> ExprId,
) -> Vec<ExprId> {
    outside.iter().map(|&f| resolved.condition(exprs, f, pick)).collect()
}

/// What steps can do with what is waited for: the marks of the group's transitions, then the assumptions.
fn turns(
    exprs: &mut Exprs,
    group: &Group,
    assumed: &[ExprId],
    waiting: Option<VarId>,
) -> Vec<Turn> {
    let awaited: Vec<ExprId> = group.came.iter().chain(assumed).copied().collect();
    let stay = Turn { guard: Exprs::TRUE, next: None, later: false, all: false };
    let (Some(waiting), Some((&last, rest))) = (waiting, awaited.split_last()) else {
        return vec![stay];
    };
    let came = |exprs: &mut Exprs, number: usize, condition: ExprId| {
        let here = state_is(exprs, Time::Pre, waiting, number as u32);
        exprs.and(here, condition)
    };
    let wraps = came(exprs, rest.len(), last);
    let mut next = exprs.pre(waiting);
    let mut moves = false;
    for (i, &condition) in rest.iter().enumerate() {
        let came = came(exprs, i, condition);
        if came != Exprs::FALSE {
            moves = true;
            let to = exprs.int(i as i64 + 1);
            next = exprs.add(Expr::Ite(came, to, next));
        }
    }
    let guard = exprs.not(wraps);
    let zero = exprs.int(0);
    let later = group.later;
    let mut out = vec![Turn { guard, next: moves.then_some(next), later, all: false }];
    if wraps != Exprs::FALSE {
        out.push(Turn { guard: wraps, next: Some(zero), later, all: true });
    }
    out
}

pub(crate) fn state_is(exprs: &mut Exprs, time: Time, state: VarId, number: u32) -> ExprId {
    let (now, number) = (exprs.add(Expr::Read(time, state)), exprs.int(i64::from(number)));
    exprs.binary(BinaryOp::Eq, now, number)
}
