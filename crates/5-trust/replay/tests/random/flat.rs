//! Lassos written down step by step, and formulas judged by their definition.

use super::generate::Rng;
use super::naive::{Values, holds, join, only, successors};
use check::{Lasso, Meaning, Op, OpId, Partial, Step, Temporal, Trace};
use ir::{
    BinaryOp, EdgeId, EdgeKind, Expr, ExprId, Exprs, Id, IndexVec, ProcId, Program, Scalar, Time,
    VarId, VarKind,
};
use replay::machine::Role;
use replay::space::Space;

/// The valuation of some variables that a state claims in full.
pub(crate) fn values(
    program: &Program,
    space: &Space,
    vars: impl IntoIterator<Item = VarId>,
    state: &Partial,
) -> Values {
    let mut out = Values::new();
    for var in vars {
        for cell in 0..program.vars[var].ty.cells() {
            let bits = space.cell(program, var, cell);
            out.insert((var, cell), state.number(bits).expect("a full claim"));
        }
    }
    out
}

/// All steps of a lasso of full claims in order, with the number of the one that the loop starts
/// with. Calls are expanded.
pub(crate) fn flatten(trace: &Trace) -> (Vec<(EdgeId, Partial)>, usize) {
    fn push(trace: &Trace, steps: &[Step], out: &mut Vec<(EdgeId, Partial)>) {
        for step in steps {
            out.push((step.edge, step.state.clone()));
            if let Some(inside) = step.inside {
                push(trace, &trace.segments[inside].steps, out);
            }
        }
    }
    let mut out = Vec::new();
    let mut start = 0;
    for (i, frame) in trace.frames.iter().enumerate() {
        match trace.lasso {
            Some(Lasso::Loop { frame, step }) if frame == i => {
                push(trace, &trace.frames[i].steps[..step], &mut out);
                start = out.len();
                push(trace, &trace.frames[i].steps[step..], &mut out);
            }
            _ => push(trace, &frame.steps, &mut out),
        }
    }
    (out, start)
}

/// Whether a lasso of full claims is a run of the program: every step on its own, by the plain
/// semantics.
pub(crate) fn is_run(program: &Program, space: &Space, trace: &Trace) -> bool {
    let scope = |p: ProcId, s: &Partial| values(program, space, program.scope(p), s);
    let exit_of = |p: ProcId, exit: &Partial| {
        let vars = program.globals.iter().chain(&program.procs[p].results).copied();
        values(program, space, vars, &space.exit(p, exit))
    };
    let run = |proc: ProcId, steps: &[Step], end: Option<&Values>, enters: Option<&Values>| {
        steps.iter().enumerate().all(|(i, step)| {
            let x = scope(proc, &step.state);
            let next = match steps.get(i + 1) {
                Some(next) => Some(scope(proc, &next.state)),
                None => end.cloned(),
            };
            match &program.edges[step.edge].kind {
                EdgeKind::Local { rel, .. } => {
                    let next = next.expect("a step is followed by something");
                    successors(program, rel, Role::Local, proc, None, &x)
                        .iter()
                        .any(|(y, _)| *y == next)
                }
                EdgeKind::Return { rel } => {
                    let next = next.expect("an exit");
                    successors(program, rel, Role::Return, proc, None, &x).iter().any(|(y, _)| {
                        *y == next || only(program, y, |k| k == VarKind::Global) == next
                    })
                }
                EdgeKind::Call(call) => {
                    let f = call.callee;
                    let entered = successors(program, &call.enter, Role::Enter, proc, Some(f), &x);
                    match step.inside {
                        None => {
                            let entry = enters.expect("a frame that is entered");
                            entered.iter().any(|(c, _)| c == entry)
                        }
                        Some(inside) => {
                            let segment = &trace.segments[inside];
                            let entry = scope(f, &segment.steps[0].state);
                            let exit = exit_of(f, &segment.exit);
                            let next = next.expect("a call is followed by something");
                            entered.iter().filter(|(c, _)| *c == entry).any(|(_, saved)| {
                                let pre = join(&exit, saved);
                                successors(program, &call.back, Role::Back, proc, Some(f), &pre)
                                    .iter()
                                    .any(|(y, _)| *y == next)
                            })
                        }
                    }
                }
            }
        })
    };
    let segments = trace.segments.iter().all(|segment| {
        run(segment.proc, &segment.steps, Some(&exit_of(segment.proc, &segment.exit)), None)
    });
    let last = trace.frames.len() - 1;
    let last_proc = trace.frames[last].proc;
    let end = match trace.lasso {
        Some(Lasso::Terminated) => {
            values(program, space, program.globals.iter().copied(), &trace.end)
        }
        _ => scope(last_proc, &trace.end),
    };
    let first =
        trace.frames[0].steps.first().map_or(end.clone(), |s| scope(program.entry, &s.state));
    let starts = holds(program, program.init.condition, program.init.choices, &first);
    let closes = match trace.lasso {
        Some(Lasso::Loop { frame, step }) => {
            scope(last_proc, &trace.frames[frame].steps[step].state) == end
        }
        _ => true,
    };
    let frames = trace.frames.iter().enumerate().all(|(i, frame)| {
        let next = trace
            .frames
            .get(i + 1)
            .map(|next| next.steps.first().map_or(end.clone(), |s| scope(next.proc, &s.state)));
        run(frame.proc, &frame.steps, (i == last).then_some(&end), next.as_ref())
    });
    segments && starts && closes && frames
}

/// A formula, with conditions on globals and locals as atoms.
pub(crate) fn formula(rng: &mut Rng, program: &Program) -> Temporal {
    let mut exprs = Exprs::default();
    let mut atoms = Vec::new();
    for _ in 0..2 {
        let global = |exprs: &mut Exprs, rng: &mut Rng, vars: &[VarId]| {
            let Some(&var) = vars.get(rng.below(vars.len().max(1))) else { return Exprs::FALSE };
            let ty = program.vars[var].ty;
            if ty.array.is_some() {
                let index = exprs.int(1 + rng.below(2) as i64);
                return exprs.add(Expr::Index(Time::Pre, var, index));
            }
            let read = exprs.pre(var);
            match ty.scalar {
                Scalar::Bool => read,
                Scalar::Int { .. } => {
                    let n = exprs.int(rng.below(4) as i64);
                    exprs.binary([BinaryOp::Eq, BinaryOp::Lt][rng.below(2)], read, n)
                }
            }
        };
        let everywhere = global(&mut exprs, rng, &program.globals);
        let mode = rng.below(4);
        let at: IndexVec<_, ExprId> = program
            .nodes
            .iter()
            .map(|node| match mode {
                0 => exprs.bool(rng.chance(40)),
                1 => {
                    let vars: Vec<VarId> = program.scope(node.proc).collect();
                    global(&mut exprs, rng, &vars)
                }
                _ => everywhere,
            })
            .collect();
        let (terminated, failed) = (everywhere, exprs.not(everywhere));
        atoms.push(Meaning { at, terminated, failed });
    }
    let mut ops: IndexVec<OpId, Op> = IndexVec::new();
    ops.push(Op::Atom(0));
    ops.push(Op::Atom(1));
    ops.push(Op::True);
    for _ in 0..1 + rng.below(7) {
        // The last ones more often, or most of the formula would not matter.
        let mut pick = || {
            let n = ops.len();
            OpId::new(if rng.chance(50) { n - 1 - rng.below(n.min(2)) } else { rng.below(n) })
        };
        let (a, b) = (pick(), pick());
        ops.push(match rng.below(8) {
            0 => Op::Not(a),
            1 => Op::And(a, b),
            2 => Op::Or(a, b),
            3 => Op::Next(a),
            4 | 5 => Op::Until(a, b),
            _ => Op::Release(a, b),
        });
    }
    let mut root = OpId::new(ops.len() - 1);
    let mut watch = Vec::new();
    // An automaton that watches for where the formula is to hold.
    if rng.chance(30) {
        let (formula, states) = (root, 1 + rng.below(3));
        for _ in 0..states {
            let mut demand = OpId::new(2);
            for _ in 0..1 + rng.below(2) {
                let later = ops.push(Op::Later(rng.below(states) as u32));
                let then = if rng.chance(40) { ops.push(Op::And(formula, later)) } else { later };
                let reads = OpId::new(rng.below(3));
                let not = ops.push(Op::Not(reads));
                let either = ops.push(Op::Or(not, then));
                demand = ops.push(Op::And(demand, either));
            }
            watch.push(demand);
        }
        root = watch[0];
    }
    Temporal { ops, root, watch, acceptor: None, atoms, exprs }
}

/// Whether a lasso of full claims satisfies the formula, by the definition: a position for each
/// step, the one after the last is the first of the loop.
pub(crate) fn satisfies(program: &Program, space: &Space, trace: &Trace, f: &Temporal) -> bool {
    // Expressions of the formula are evaluated in a program that has them.
    let mut with = program.clone();
    with.exprs = f.exprs.clone();
    let (flat, start) = flatten(trace);
    let mut letters: Vec<Vec<bool>> = Vec::new();
    let mut loop_at = 0;
    for (i, (edge, state)) in flat.iter().enumerate() {
        if i == start {
            loop_at = letters.len();
        }
        let edge = &program.edges[*edge];
        if edge.step {
            let x = values(program, space, program.scope(program.nodes[edge.source].proc), state);
            letters.push(f.atoms.iter().map(|a| holds(&with, a.at[edge.source], 0, &x)).collect());
        }
    }
    if !matches!(trace.lasso, Some(Lasso::Loop { .. })) {
        loop_at = letters.len();
        let x = values(program, space, program.globals.iter().copied(), &trace.end);
        let atom = |a: &Meaning| match trace.lasso {
            Some(Lasso::Terminated) => a.terminated,
            _ => a.failed,
        };
        letters.push(f.atoms.iter().map(|a| holds(&with, atom(a), 0, &x)).collect());
    }
    // The greatest fixpoint, by states and positions.
    let mut later = vec![vec![true; letters.len()]; f.watch.len()];
    loop {
        let word = Letters { letters: &letters, loop_at, later: &later };
        let of = |&body: &OpId| (0..letters.len()).map(|i| truth(f, &word, body, i)).collect();
        let next: Vec<Vec<bool>> = f.watch.iter().map(of).collect();
        if next == later {
            return truth(f, &word, f.root, 0);
        }
        later = next;
    }
}

/// A word, and what is known of the states of an automaton at each position.
struct Letters<'a> {
    letters: &'a [Vec<bool>],
    loop_at: usize,
    later: &'a [Vec<bool>],
}

fn truth(f: &Temporal, word: &Letters<'_>, op: OpId, i: usize) -> bool {
    let t = |op, i| truth(f, word, op, i);
    let Letters { letters, loop_at, later } = *word;
    let next = |i: usize| if i + 1 < letters.len() { i + 1 } else { loop_at };
    // Every position that comes at or after `i` is among these.
    let future: Vec<usize> =
        std::iter::successors(Some(i), |&i| Some(next(i))).take(2 * letters.len()).collect();
    match f.ops[op] {
        Op::True => true,
        Op::Atom(a) => letters[i][a as usize],
        Op::Not(a) => !t(a, i),
        Op::And(a, b) => t(a, i) && t(b, i),
        Op::Or(a, b) => t(a, i) || t(b, i),
        Op::Next(a) => t(a, next(i)),
        Op::Until(a, b) => {
            let found = future.iter().position(|&j| t(b, j));
            found.is_some_and(|k| future[..k].iter().all(|&j| t(a, j)))
        }
        Op::Release(a, b) => {
            let released = future.iter().position(|&j| t(a, j));
            let until = released.map_or(&future[..], |k| &future[..=k]);
            until.iter().all(|&j| t(b, j))
        }
        Op::Later(state) => later[state as usize][next(i)],
    }
}
