//! Random relations for every kind of edge.

#![allow(dead_code)] // each suite uses its part

use super::direct::Kind;
use super::{Maker, Rng};
use ir::{Assign, Init, ProcId, Program, ProgramBuilder, Rel, Scalar, Time, Type, VarId};

/// A valid program with one edge that has a random relation, unless an integer in it is too wide.
pub(crate) fn random_relation(seed: u64) -> Option<(Program, Kind, Rel)> {
    let mut rng = Rng(seed ^ 0xB1A5);
    let layout_seed = rng.next();
    let mut first = pair(&mut Rng(layout_seed));
    let (caller, callee) = (first.caller, first.callee);
    let kind = match seed % 4 {
        0 => Kind::Local(caller),
        1 => Kind::Enter { caller, callee },
        2 => Kind::Back { caller, callee },
        _ => Kind::Return(callee),
    };
    let rel = random_rel(&mut rng, &mut first, kind);
    // The same variables again, now with the relation on an edge.
    let exprs = std::mem::take(&mut first.b.exprs);
    let mut b = pair(&mut Rng(layout_seed)).b;
    b.exprs = exprs;
    let program = with_rel(b, kind, &rel, caller);
    program.validate().is_ok().then_some((program, kind, rel))
}

/// A program with a caller and a callee, for relations on every kind of edge.
struct Pair {
    b: ProgramBuilder,
    caller: ProcId,
    callee: ProcId,
}

fn pair(rng: &mut Rng) -> Pair {
    let mut b = ProgramBuilder::new();
    let at = b.no_origin();
    let types = [
        Type::BOOL,
        Type::int(1),
        Type::int(2),
        Type::array(Scalar::Int { bits: 1 }, -1, 2),
        Type::array(Scalar::Bool, 1, 2),
    ];
    b.global("g", rng.pick(&types), at);
    let (caller, callee) = (b.proc("caller", at), b.proc("callee", at));
    for (proc, name) in [(caller, "x"), (callee, "y")] {
        b.local(proc, name, rng.pick(&types), at);
    }
    b.result(callee, "r", rng.pick(&types));
    for proc in [caller, callee] {
        b.begin_proc(proc);
        let entry = b.silent();
        b.entry(proc, entry);
    }
    Pair { b, caller, callee }
}

/// A random relation for an edge of the given kind.
fn random_rel(rng: &mut Rng, pair: &mut Pair, kind: Kind) -> Rel {
    // `Kind` asks a program for its variables.
    let program = std::mem::take(&mut pair.b).finish(pair.caller, Init::default());
    let typed = |v: VarId| program.vars[v].ty;
    let pre: Vec<_> = kind.pre(&program).into_iter().map(|v| (Time::Pre, v, typed(v))).collect();
    let targets = kind.targets(&program);
    let choices = rng.below(3) as u32;
    let mut exprs = program.exprs.clone();
    let mut maker = Maker { rng, exprs: &mut exprs, reads: &pre, choices };
    let guard = if maker.rng.chance(40) { maker.bool(2) } else { ir::Exprs::TRUE };
    let mut assigns = Vec::new();
    for &(time, var, keeps) in &targets {
        let ty = typed(var);
        let mut whole = false;
        for _ in 0..maker.rng.below(3) {
            let index = match ty.array {
                None => None,
                Some(_) if !whole && maker.rng.chance(20) => None,
                // What does not keep its value takes constant indices only.
                Some(dim) if !keeps => {
                    let index = dim.lo + maker.rng.below(dim.len as usize) as i64;
                    Some(maker.exprs.int(index))
                }
                Some(dim) => Some(maker.index(dim, 2)),
            };
            if index.is_none() && whole {
                continue;
            }
            whole |= index.is_none();
            let value = match (ty.array, index) {
                (Some(_), None) => None,
                _ if maker.rng.chance(25) => None,
                _ if ty.scalar == Scalar::Bool => Some(maker.bool(2)),
                _ => Some(maker.int(2)),
            };
            assigns.push(Assign { time, var, index, value });
        }
    }
    let constraint = if maker.rng.chance(40) {
        let reads: Vec<_> = pre
            .iter()
            .copied()
            .chain(targets.iter().map(|&(time, var, _)| (time, var, typed(var))))
            .collect();
        Maker { rng: maker.rng, exprs: maker.exprs, reads: &reads, choices }.bool(2)
    } else {
        ir::Exprs::TRUE
    };
    pair.b.exprs = exprs;
    Rel { guard, assigns: assigns.into(), constraint, choices }
}

fn with_rel(mut b: ProgramBuilder, kind: Kind, rel: &Rel, caller: ProcId) -> Program {
    let proc = match kind {
        Kind::Local(p) | Kind::Return(p) => p,
        Kind::Enter { caller, .. } | Kind::Back { caller, .. } => caller,
    };
    let entry = b.proc_info(proc).entry;
    match kind {
        Kind::Local(_) => b.step(entry, entry, rel.clone()),
        Kind::Enter { callee, .. } => b.call(entry, callee, rel.clone(), entry, Rel::identity()),
        Kind::Back { callee, .. } => b.call(entry, callee, Rel::identity(), entry, rel.clone()),
        Kind::Return(_) => b.ret(entry, rel.clone(), true),
    }
    b.finish(caller, Init::default())
}
