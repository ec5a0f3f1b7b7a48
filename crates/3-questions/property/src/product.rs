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
//!   stay outside: each is a mark that some letters carry.
//! - P6. Such marks, and many marks of an automaton, stand apart: there is the step without them, and once more for each
//!   of them, where it is carried, with that one alone. A run that goes on for ever takes another of these steps each time, so
//!   that neither sets of marks are listed, nor anything is remembered.
//! - P7. An edge has room for so many marks only. Beyond, a hidden global holds which one is waited for: a step that
//!   carries it goes on to the next, and carries a mark of the goal if it was the last. What promises wait for has a
//!   hidden global each instead, whether it has come, and when all have come, all are waited for again.
//! - P8. Instead of an automaton that would be too large there are promises ([`crate::promises`]), a hidden
//!   global each.
//!
//! What an atom is at a node is often known without any values (`at`, `in`, `terminated`, `error`,
//! locals of other procedures). Transitions that cannot read such a letter leave nothing behind, and
//! those with the same marks become one edge: the next state is a function of state and letter
//! where the transitions are deterministic, else arbitrary under a constraint.

use crate::PropertyError;
use crate::formula::Resolved;
use crate::promises::Promises;
use crate::reader::{Accepting, Group, Reader};
use automata::ltl::{Atom, FormulaId};
use automata::sere::Nfa;
use automata::{Options, TranslateError, translate};
use check::{Goal, Temporal};
use ir::{
    Assign, BinaryOp, Edge, EdgeId, EdgeKind, Expr, ExprId, Exprs, IndexVec, Init, MAX_MARKS,
    MarkSet, NodeId, ProcId, Program, ProgramBuilder, Rel, Time, Type, VarId, VarKind,
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
    /// The variable that holds the automaton's state, none if there is only one; or the promises.
    pub state: Vec<VarId>,
    /// The variable that holds the number of the mark or assumption that is waited for, or one for each that says
    /// whether it has come (P7); none if edges have room for all of them.
    pub waiting: Vec<VarId>,
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
    /// Promises, instead of states and transitions.
    pub promises: usize,
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
    let present = resolved.present();
    let mut outside = present.clone();
    if outside.len() <= MOST_INSIDE {
        outside.clear();
    }
    let negated = resolved.negated(|f| outside.contains(&f));
    let positions = |resolved: &Resolved, f: FormulaId| -> Vec<usize> {
        resolved.formulas.atoms_of(f).into_iter().map(|atom| atom.index()).collect()
    };
    let options = Options { max_nodes: options.max_nodes.min(MOST_NODES), ..options.clone() };
    match translate(&resolved.formulas, negated, &options) {
        Ok(automaton) => {
            let atoms = positions(&resolved, negated);
            let accepting = Accepting::Automaton(&automaton);
            Ok(join(program, resolved, accepting, &atoms, temporal, &outside))
        }
        Err(TranslateError::Interrupted) => Err(TranslateError::Interrupted.into()),
        // P8.
        Err(_) => {
            let negated = resolved.negated(|f| present.contains(&f));
            let promises = Promises::new(&resolved.formulas, negated);
            let atoms = positions(&resolved, negated);
            let accepting = Accepting::Promises(&promises);
            Ok(join(program, resolved, accepting, &atoms, temporal, &present))
        }
    }
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
    let accepting = Accepting::Automaton(&automaton);
    Ok(join(program, resolved, accepting, &positions, temporal, &[]))
}

/// The size of what accepts.
fn size(accepting: Accepting<'_>, marks: u32) -> Size {
    match accepting {
        Accepting::Automaton(automaton) => {
            let (states, transitions) = (automaton.states, automaton.transitions.len());
            Size { states, transitions, promises: 0, marks }
        }
        Accepting::Promises(promises) => {
            Size { states: 0, transitions: 0, promises: promises.len(), marks }
        }
    }
}

/// Hidden globals for the automaton's state, or one for each promise (P8).
fn state_variables(b: &mut ProgramBuilder, accepting: &Accepting<'_>) -> Vec<VarId> {
    match accepting {
        Accepting::Automaton(automaton) => {
            let bits = u32::BITS - automaton.states.saturating_sub(1).leading_zeros();
            let var = (bits > 0).then(|| b.hidden_global("(automaton)", Type::int(bits)));
            var.into_iter().collect()
        }
        Accepting::Promises(promises) => (0..promises.len())
            .map(|i| b.hidden_global(&format!("(promise {i})"), Type::BOOL))
            .collect(),
    }
}

/// Hidden globals for what is waited for (P7): one for each, or the number of the next one.
fn waiting_variables(b: &mut ProgramBuilder, awaited: u32, at_once: bool) -> Vec<VarId> {
    if at_once {
        return (0..awaited).map(|i| b.hidden_global(&format!("(came {i})"), Type::BOOL)).collect();
    }
    let bits = u32::BITS - (awaited - 1).leading_zeros();
    vec![b.hidden_global("(awaited)", Type::int(bits))]
}

/// The product with an automaton (or promises) whose atoms are at these positions, and the assumptions outside it.
pub(crate) fn join(
    program: &Program,
    mut resolved: Resolved,
    accepting: Accepting<'_>,
    atoms: &[usize],
    temporal: Temporal,
    outside: &[FormulaId],
) -> Product {
    // P6.
    let counted = match accepting {
        Accepting::Automaton(automaton) => automaton.marks > MOST_MARKS,
        Accepting::Promises(_) => true,
    };
    let inside = if counted { 0 } else { accepting.marks() };
    let awaited = outside.len() as u32 + accepting.marks() - inside;
    let apart = inside + awaited <= MAX_MARKS;
    let marks = match awaited {
        0 => inside.max(1),
        _ if apart => inside + awaited,
        _ => inside + 1,
    };
    let size = size(accepting, marks);

    let mut b = ProgramBuilder::extending(program);
    b.exprs = std::mem::take(&mut resolved.exprs);
    let at_once = matches!(accepting, Accepting::Promises(_));
    let state = state_variables(&mut b, &accepting);
    let waiting = match apart {
        true => Vec::new(),
        false => waiting_variables(&mut b, awaited, at_once),
    };
    let first = inside;
    let mut reader = Reader::new(accepting, state.clone(), awaited > 0, counted);
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
            for turn in turns(&mut b.exprs, group, &assumed, &waiting, at_once, first) {
                let mut edge = edge.clone();
                edge.marks = group.marks | turn.marks;
                let rel = match &mut edge.kind {
                    EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => rel,
                    EdgeKind::Call(call) => &mut call.enter,
                };
                group.apply(&mut b.exprs, &state, rel);
                turn.apply(&mut b.exprs, rel);
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
                for turn in turns(&mut b.exprs, group, &assumed, &waiting, at_once, first) {
                    let mut rel = Rel::identity();
                    group.apply(&mut b.exprs, &state, &mut rel);
                    turn.apply(&mut b.exprs, &mut rel);
                    let kind = EdgeKind::Local { target: node, rel };
                    made.push((node, None));
                    let marks = group.marks | turn.marks;
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
    let here = match (accepting, &state[..]) {
        (Accepting::Automaton(automaton), &[state]) => {
            state_is(&mut b.exprs, Time::Pre, state, automaton.initial.0)
        }
        (Accepting::Automaton(_), _) => Exprs::TRUE,
        (Accepting::Promises(promises), state) => promises.initial(&mut b.exprs, state),
    };
    init.condition = b.exprs.and(here, init.condition);
    for &var in &waiting {
        let came = b.exprs.pre(var);
        let here = match at_once {
            true => b.exprs.not(came),
            false => state_is(&mut b.exprs, Time::Pre, var, 0),
        };
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

/// Decision nodes of an automaton's labels, beyond which there are promises instead (P8).
const MOST_NODES: usize = 1 << 18;

/// Marks of an automaton of which edges carry sets (P6).
const MOST_MARKS: u32 = 5;

/// What a step does with marks that stand apart, or are waited for (P6, P7).
struct Turn {
    guard: ExprId,
    /// Variables, and what they become.
    next: Vec<(VarId, ExprId)>,
    /// Whether they are numbers.
    is_number: bool,
    /// Whether these speak of the automaton's state after the step.
    later: bool,
    /// The marks that the step carries for that.
    marks: MarkSet,
}

impl Turn {
    /// Nothing is waited for.
    fn nothing() -> Turn {
        Turn { guard: Exprs::TRUE, next: Vec::new(), is_number: false, later: false, marks: 0 }
    }

    fn apply(&self, exprs: &mut Exprs, rel: &mut Rel) {
        let whole = if self.later { &mut rel.constraint } else { &mut rel.guard };
        *whole = exprs.and(self.guard, *whole);
        let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
        for &(var, next) in &self.next {
            let mut value = Some(next);
            if self.later {
                let after = exprs.post(var);
                let equal = if self.is_number { BinaryOp::Eq } else { BinaryOp::Iff };
                let same = exprs.binary(equal, after, next);
                rel.constraint = exprs.and(same, rel.constraint);
                value = None;
            }
            assigns.push(Assign { time: Time::Post, var, index: None, value });
        }
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
    waiting: &[VarId],
    together: bool,
    first: u32,
) -> Vec<Turn> {
    let awaited: Vec<ExprId> = group.came.iter().chain(assumed).copied().collect();
    match waiting {
        [] => apart(&awaited, group.later, first),
        all if together => at_once(exprs, &awaited, all, group.later, 1 << first),
        all => in_turn(exprs, &awaited, all[0], group.later, 1 << first),
    }
}

/// P6: a step of its own for each.
fn apart(awaited: &[ExprId], later: bool, first: u32) -> Vec<Turn> {
    let mut out = vec![Turn::nothing()];
    for (i, &condition) in awaited.iter().enumerate().filter(|(_, c)| **c != Exprs::FALSE) {
        let marks = 1 << (first + i as u32);
        if condition == Exprs::TRUE {
            out[0].marks |= marks;
        } else {
            out.push(Turn { guard: condition, later, marks, ..Turn::nothing() });
        }
    }
    out
}

/// P7: a variable for each.
fn at_once(
    exprs: &mut Exprs,
    awaited: &[ExprId],
    waiting: &[VarId],
    later: bool,
    mark: MarkSet,
) -> Vec<Turn> {
    let mut all = Exprs::TRUE;
    let (mut next, mut afresh) = (Vec::new(), Vec::new());
    for (&condition, &var) in awaited.iter().zip(waiting) {
        let before = exprs.pre(var);
        let came = exprs.or(before, condition);
        all = exprs.and(came, all);
        if came != before {
            next.push((var, came));
        }
        afresh.push((var, Exprs::FALSE));
    }
    // Where all have come, a step may as well not say so: such a run is none that is wanted, if it never does.
    let mut out = vec![Turn { guard: Exprs::TRUE, next, is_number: false, later, marks: 0 }];
    if all != Exprs::FALSE {
        out.push(Turn { guard: all, next: afresh, is_number: false, later, marks: mark });
    }
    out
}

/// P7: one after the other.
fn in_turn(
    exprs: &mut Exprs,
    awaited: &[ExprId],
    waiting: VarId,
    later: bool,
    mark: MarkSet,
) -> Vec<Turn> {
    let (&last, rest) = awaited.split_last().expect("something is waited for");
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
    let next = if moves { vec![(waiting, next)] } else { Vec::new() };
    let mut out = vec![Turn { guard, next, is_number: true, later, marks: 0 }];
    if wraps != Exprs::FALSE {
        let next = vec![(waiting, zero)];
        out.push(Turn { guard: wraps, next, is_number: true, later, marks: mark });
    }
    out
}

pub(crate) fn state_is(exprs: &mut Exprs, time: Time, state: VarId, number: u32) -> ExprId {
    let (now, number) = (exprs.add(Expr::Read(time, state)), exprs.int(i64::from(number)));
    exprs.binary(BinaryOp::Eq, now, number)
}
