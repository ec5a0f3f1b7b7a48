//! What functions reach, touch and still need: which variables the formulas of a place are about.

use crate::execute::Executor;
use crate::places::{Base, operands, roots};
use c_data::{
    Callee, End, ExprId, ExprKind, FuncId, Function, Home, LocalId, Program, Root, StmtKind,
};
use rustc_hash::FxHashSet;

/// The static variables that a function, and what it calls, reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Effects {
    pub(crate) reads: Vec<bool>,
    pub(crate) writes: Vec<bool>,
}

impl Effects {
    pub(crate) fn touches(&self, slot: usize) -> bool {
        self.reads[slot] || self.writes[slot]
    }
}

/// Functions whose addresses are taken.
pub(crate) fn taken(program: &Program) -> Vec<FuncId> {
    let exprs = program.functions.iter().flat_map(|f| &f.exprs);
    let in_exprs = exprs.filter_map(|e| match e.kind {
        ExprKind::Root(Root::Function(f)) => Some(f),
        _ => None,
    });
    let stored = program.objects.iter().flat_map(|o| &o.addresses);
    let stored = stored.filter_map(|(_, root, _)| match root {
        Root::Function(f) => Some(*f),
        _ => None,
    });
    let mut all: Vec<FuncId> = in_exprs.chain(stored).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Models of the library that stand for functions without a body.
pub(crate) fn model(program: &Program, f: &Function) -> Option<FuncId> {
    let plain = f.name.strip_prefix("__builtin_").unwrap_or(&f.name);
    match plain {
        "memcpy" | "memmove" | "memset" => program.function(&format!("__bop_{plain}")),
        _ => None,
    }
}

/// What a call may be of.
pub(crate) fn targets(program: &Program, callee: Callee, taken: &[FuncId]) -> Vec<FuncId> {
    let direct = match callee {
        Callee::Direct(f) => vec![f],
        Callee::Indirect(_) => taken.to_vec(),
    };
    let with_model = |f: FuncId| {
        let function = &program.functions[f.index()];
        let model = if function.has_body() { None } else { model(program, function) };
        [Some(f), model].into_iter().flatten()
    };
    direct.into_iter().flat_map(with_model).collect()
}

/// Functions that register what `exit` is to call.
const AT_EXIT: [&str; 4] = ["atexit", "on_exit", "at_quick_exit", "__cxa_atexit"];

/// The functions that are called one after the other, and those that they lead to. Where nothing is registered for it,
/// `exit` does nothing but end a run.
pub(crate) fn begun(
    x: &mut Executor<'_>,
    script: Vec<FuncId>,
    taken: &[FuncId],
) -> (Vec<FuncId>, Vec<FuncId>) {
    let all = reached(x.program, &script, taken);
    let named = |f: &FuncId, names: &[&str]| names.contains(&x.function(*f).name.as_str());
    let called = |f: &FuncId| x.function(*f).blocks.iter().flat_map(|b| &b.stmts);
    let registers = all.iter().flat_map(called).any(|s| match &s.kind {
        StmtKind::Call(call) => match call.callee {
            Callee::Direct(g) => named(&g, &AT_EXIT),
            Callee::Indirect(_) => taken.iter().any(|g| named(g, &AT_EXIT)),
        },
        _ => false,
    });
    let exit = script.last().copied().filter(|f| script.len() > 1 && named(f, &["exit"]));
    match exit.filter(|f| !registers && !x.function(*f).own) {
        Some(exit) => {
            x.exit = Some(exit);
            let script: Vec<FuncId> = script.into_iter().filter(|f| *f != exit).collect();
            let mut all = reached_but(x.program, &script, taken, Some(exit));
            all.retain(|f| *f != exit);
            (script, all)
        }
        None => (script, all),
    }
}

/// The functions with a body that runs may come to, in order.
fn reached(program: &Program, script: &[FuncId], taken: &[FuncId]) -> Vec<FuncId> {
    reached_but(program, script, taken, None)
}

pub(crate) fn reached_but(
    program: &Program,
    script: &[FuncId],
    taken: &[FuncId],
    but: Option<FuncId>,
) -> Vec<FuncId> {
    let mut seen: FxHashSet<FuncId> = FxHashSet::default();
    let mut todo: Vec<FuncId> = script.to_vec();
    while let Some(f) = todo.pop() {
        let function = &program.functions[f.index()];
        if !function.has_body() || but == Some(f) || !seen.insert(f) {
            continue;
        }
        for b in blocks(function) {
            for stmt in &function.blocks[b].stmts {
                if let StmtKind::Call(call) = &stmt.kind {
                    todo.extend(targets(program, call.callee, taken));
                }
            }
        }
    }
    let mut all: Vec<FuncId> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

pub(crate) fn successors(end: &End) -> Vec<usize> {
    match end {
        End::Jump(b) => vec![b.index()],
        End::Branch(_, a, b) => vec![a.index(), b.index()],
        End::Switch(_, cases, other) => {
            cases.iter().map(|c| c.2.index()).chain([other.index()]).collect()
        }
        _ => Vec::new(),
    }
}

/// The blocks of a function that its entry leads to, in order.
pub(crate) fn blocks(f: &Function) -> Vec<usize> {
    let mut seen = vec![false; f.blocks.len()];
    let mut todo = vec![0];
    // Where a label's address is taken, control may come to it from anywhere.
    for e in &f.exprs {
        if let ExprKind::Root(Root::Label(_, b)) = e.kind {
            todo.push(b.index());
        }
    }
    while let Some(b) = todo.pop() {
        if b < seen.len() && !std::mem::replace(&mut seen[b], true) {
            todo.extend(successors(&f.blocks[b].end));
        }
    }
    (0..seen.len()).filter(|&b| seen[b]).collect()
}

/// The expressions below some.
fn cone(f: &Function, roots: Vec<ExprId>) -> Vec<ExprId> {
    let mut seen = FxHashSet::default();
    let mut todo = roots;
    while let Some(e) = todo.pop() {
        if seen.insert(e) {
            todo.extend(operands(&f.expr(e).kind).into_iter().flatten());
        }
    }
    seen.into_iter().collect()
}

fn end_roots(end: &End) -> Vec<ExprId> {
    match end {
        End::Branch(e, ..) | End::Switch(e, ..) | End::JumpTo(e) | End::Return(Some(e)) => vec![*e],
        _ => Vec::new(),
    }
}

/// What each function touches, with what it calls.
pub(crate) fn effects(x: &Executor<'_>, taken: &[FuncId], reached: &[FuncId]) -> Vec<Effects> {
    let program = x.program;
    let none =
        Effects { reads: vec![false; x.globals.len()], writes: vec![false; x.globals.len()] };
    let mut all = vec![none; program.functions.len()];
    for &id in reached {
        all[id.index()] = direct(x, id);
    }
    loop {
        let mut changed = false;
        for &id in reached {
            let f = &program.functions[id.index()];
            for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
                let StmtKind::Call(call) = &stmt.kind else { continue };
                for g in targets(program, call.callee, taken) {
                    let (from, to) = (all[g.index()].clone(), &mut all[id.index()]);
                    for i in 0..x.globals.len() {
                        changed |= from.reads[i] && !to.reads[i];
                        changed |= from.writes[i] && !to.writes[i];
                        to.reads[i] |= from.reads[i];
                        to.writes[i] |= from.writes[i];
                    }
                }
            }
        }
        if !changed {
            return all;
        }
    }
}

fn direct(x: &Executor<'_>, id: FuncId) -> Effects {
    let f = x.function(id);
    let mut out =
        Effects { reads: vec![false; x.globals.len()], writes: vec![false; x.globals.len()] };
    let blocks = blocks(f);
    let stmts = || blocks.iter().flat_map(|&b| &f.blocks[b].stmts);
    let mut all: Vec<ExprId> = stmts().flat_map(|s| roots(&s.kind)).collect();
    all.extend(blocks.iter().flat_map(|&b| end_roots(&f.blocks[b].end)));
    for e in cone(f, all) {
        match f.expr(e).kind {
            ExprKind::Load(a) => match x.places.at(id, a) {
                Some((Base::Object(o), at)) => {
                    out.reads[x.global_cell(o, at).unwrap_or(x.memory)] = true;
                }
                Some((Base::Local(..), _)) => {}
                None => out.reads[x.memory] = true,
            },
            ExprKind::LoadBits(..) => out.reads[x.memory] = true,
            _ => {}
        }
    }
    let homes = f.locals.iter().enumerate().filter(|(_, l)| l.home == Home::Memory);
    if homes.into_iter().any(|(i, _)| x.own[id.index()].local(LocalId::new(i)).is_some()) {
        out.writes[x.free] = true;
        out.writes[x.memory] = true;
    }
    for stmt in stmts() {
        match &stmt.kind {
            StmtKind::Store { to, .. } | StmtKind::Zero { to, .. } => match x.places.at(id, *to) {
                Some((Base::Object(o), from)) => {
                    let size = match &stmt.kind {
                        StmtKind::Zero { size, .. } => *size,
                        _ => 1,
                    };
                    let cells = x.places.of(Base::Object(o)).into_iter().flatten();
                    for cell in cells.filter(|c| (from..from + size).contains(&c.0)) {
                        out.writes[x.global_cell(o, cell.0).unwrap_or(x.memory)] = true;
                    }
                }
                Some((Base::Local(..), _)) => {}
                None => out.writes[x.memory] = true,
            },
            StmtKind::StoreBits { .. } | StmtKind::Copy { .. } => out.writes[x.memory] = true,
            StmtKind::Allocate { .. } => out.writes[x.free] = true,
            StmtKind::Call(call) => {
                let Callee::Direct(g) = call.callee else {
                    // Some native may be called.
                    match x.coarse {
                        true => out.writes.iter_mut().for_each(|w| *w = true),
                        false => {
                            out.writes[x.memory] = true;
                            out.writes[x.free] = true;
                        }
                    }
                    continue;
                };
                let g = x.function(g);
                let plain = g.name.strip_prefix("__builtin_").unwrap_or(&g.name);
                if g.has_body() {
                    continue;
                }
                if x.coarse && !crate::natives::knows(&g.name) {
                    out.writes.iter_mut().for_each(|w| *w = true);
                }
                if let "malloc" | "calloc" = plain {
                    out.writes[x.free] = true;
                }
                if let "calloc" | "memcpy" | "memmove" | "memset" = plain {
                    out.writes[x.memory] = true;
                }
            }
            _ => {}
        }
    }
    out
}

/// Of each block, which of the function's variables are still read.
pub(crate) fn live(x: &Executor<'_>, id: FuncId) -> Vec<Vec<bool>> {
    let f = x.function(id);
    let own = &x.own[id.index()];
    let mut live = vec![vec![false; own.slots.len()]; f.blocks.len()];
    let read = |now: &mut Vec<bool>, roots: Vec<ExprId>| {
        for e in cone(f, roots) {
            match f.expr(e).kind {
                ExprKind::Local(l) | ExprKind::AddressOf(l) => {
                    own.local(l).into_iter().for_each(|slot| now[slot] = true);
                }
                ExprKind::Load(a) => {
                    if let Some((Base::Local(_, l), at)) = x.places.at(id, a) {
                        own.cell(l, at).into_iter().for_each(|slot| now[slot] = true);
                    }
                }
                _ => {}
            }
        }
    };
    loop {
        let mut changed = false;
        for b in (0..f.blocks.len()).rev() {
            let block = &f.blocks[b];
            let mut now = vec![false; own.slots.len()];
            for s in successors(&block.end) {
                now.iter_mut().zip(&live[s]).for_each(|(n, l)| *n |= l);
            }
            read(&mut now, end_roots(&block.end));
            for stmt in block.stmts.iter().rev() {
                let written = match &stmt.kind {
                    StmtKind::Set(l, _) | StmtKind::Allocate { to: l, .. } => own.local(*l),
                    StmtKind::Call(call) => call.result.and_then(|l| own.local(l)),
                    StmtKind::Store { to, .. } => match x.places.at(id, *to) {
                        Some((Base::Local(_, l), at)) => own.cell(l, at),
                        _ => None,
                    },
                    _ => None,
                };
                written.into_iter().for_each(|slot| now[slot] = false);
                read(&mut now, roots(&stmt.kind));
            }
            if now != live[b] {
                live[b] = now;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}
