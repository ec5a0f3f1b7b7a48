//! Calls that a listing folds: can they do what the listing says?

use crate::{Options, Watch, engines};
use check::{Budget, Goal, Partial, Target, Task, TraceMode, Verdict, Wants};
use ir::{
    Assign, BinaryOp, Call, Edge, EdgeId, EdgeKind, Expr, ExprId, Exprs, Init, Layout, NodeId,
    ProcId, Program, ProgramBuilder, Rel, Scalar, Time, VarId, VarKind,
};
use reports::UnlistedCall;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Questions about one report that are answered by a search; many ask the same.
const MOST: usize = 1_000;

/// Answers for folded calls by asking an engine.
pub(crate) struct CallSearch<'a> {
    program: &'a Program,
    layout: Layout,
    options: &'a Options,
    watch: &'a Watch,
    budget: &'a Budget,
    known: FxHashMap<(EdgeId, Partial, Partial), Option<bool>>,
}

impl<'a> CallSearch<'a> {
    pub(crate) fn new(
        program: &'a Program,
        options: &'a Options,
        watch: &'a Watch,
        budget: &'a Budget,
    ) -> CallSearch<'a> {
        let (layout, known) = (Layout::new(program), FxHashMap::default());
        CallSearch { program, layout, options, watch, budget, known }
    }

    /// Whether the call can lead from `before` to `after`; `None` if that is not found out.
    pub(crate) fn ask(&mut self, query: UnlistedCall<'_>) -> Option<bool> {
        let key = (query.edge, query.before.clone(), query.after.clone());
        if let Some(&answer) = self.known.get(&key) {
            return answer;
        }
        if self.known.len() >= MOST {
            return None;
        }
        let answer = self.search(query);
        self.known.insert(key, answer);
        answer
    }

    fn search(&self, query: UnlistedCall<'_>) -> Option<bool> {
        let EdgeKind::Call(call) = &self.program.edges[query.edge].kind else { return None };
        let (program, goal) = alone(self.program, &self.layout, query, call);
        debug_assert!(program.validate().is_ok(), "{:?}", program.validate());
        let wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: false };
        let task = Task { wants, ..Task::new(Arc::new(program), vec![goal]) };
        let runs = engines::answer(&task, self.options, self.watch, self.budget);
        match runs.first()?.answer.verdicts.first()? {
            Verdict::Violated(_) => Some(true),
            Verdict::Holds(_) => Some(false),
            Verdict::Unknown(_) => None,
        }
    }
}

/// The program that starts in `before`, executes the call and nothing else; and the goal to come
/// out of it in `after`. A procedure of its own executes the call, so that what the callee calls
/// stays as it is.
fn alone(
    program: &Program,
    layout: &Layout,
    query: UnlistedCall<'_>,
    call: &Call,
) -> (Program, Goal) {
    let mut b = copied(program);
    let caller = program.nodes[program.edges[query.edge].source].proc;
    let at = b.no_origin();
    let proc = b.proc("(call)", at);
    let mut image: FxHashMap<VarId, VarId> = FxHashMap::default();
    for &var in &program.procs[caller].locals {
        let info = &program.vars[var];
        image.insert(var, b.local(proc, program.text(info.name), info.ty, at));
    }
    b.begin_proc(proc);
    let (start, end) = (b.silent(), b.silent());
    b.entry(proc, start);
    let enter = renamed(&mut b.exprs, &call.enter, &image, &[Time::Pre, Time::Saved]);
    let back = renamed(&mut b.exprs, &call.back, &image, &[Time::Pre, Time::Post]);
    b.call(start, call.callee, enter, end, back);
    let scope: Vec<VarId> = program.scope(caller).collect();
    let mut condition = |state: &Partial| {
        let vars = scope.iter().map(|&old| (old, image.get(&old).copied().unwrap_or(old)));
        vars.fold(Exprs::TRUE, |all, (old, new)| {
            let one = agrees(&mut b.exprs, program, layout, state, old, new);
            b.exprs.and(all, one)
        })
    };
    let (before, after) = (condition(query.before), condition(query.after));
    let program = b.finish(proc, Init { condition: before, choices: 0 });
    (program, Goal::Reach(vec![Target { node: end, condition: after }]))
}

/// A builder that holds a copy of the program, with the same ids. Texts of statements, labels,
/// events and marks are left out: they do not matter to what a call can do.
fn copied(program: &Program) -> ProgramBuilder {
    let mut b = ProgramBuilder::new();
    b.file("");
    let at = b.no_origin();
    b.exprs = program.exprs.clone();
    for (id, _) in program.procs.enumerate() {
        b.proc(program.proc_name(id), at);
    }
    for (id, var) in program.vars.enumerate() {
        let name = program.text(var.name);
        match var.kind {
            VarKind::Global => b.global(name, var.ty, at),
            VarKind::Local(p)
                if program.procs[p].locals[..program.procs[p].params].contains(&id) =>
            {
                b.param(p, name, var.ty, at)
            }
            VarKind::Local(p) => b.local(p, name, var.ty, at),
            VarKind::Result(p) => b.result(p, name, var.ty),
        };
    }
    let mut procs: Vec<ProcId> = program.procs.ids().collect();
    procs.sort_by_key(|&p| program.procs[p].nodes.start);
    for p in procs {
        b.begin_proc(p);
        for _ in program.procs[p].node_ids() {
            let _: NodeId = b.silent();
        }
        b.entry(p, program.procs[p].entry);
    }
    for edge in program.edges.iter() {
        b.edge(Edge { events: b.no_events(), marks: 0, ..edge.clone() });
    }
    b
}

/// The relation with locals of the caller renamed where they are read or written at the given
/// times.
fn renamed(exprs: &mut Exprs, rel: &Rel, image: &FxHashMap<VarId, VarId>, times: &[Time]) -> Rel {
    let var = |time: Time, var: VarId| match image.get(&var) {
        Some(&new) if times.contains(&time) => new,
        _ => var,
    };
    let mut expr = |e: ExprId| {
        exprs.map_leaves(e, |exprs, leaf| match leaf {
            Expr::Read(time, v) => Some(exprs.add(Expr::Read(time, var(time, v)))),
            Expr::Index(time, v, i) => Some(exprs.add(Expr::Index(time, var(time, v), i))),
            _ => None,
        })
    };
    Rel {
        guard: expr(rel.guard),
        assigns: rel
            .assigns
            .iter()
            .map(|a| Assign {
                time: a.time,
                var: var(a.time, a.var),
                index: a.index.map(&mut expr),
                value: a.value.map(&mut expr),
            })
            .collect(),
        constraint: expr(rel.constraint),
        choices: rel.choices,
    }
}

/// That `new` has what `state` knows of `old`.
fn agrees(
    exprs: &mut Exprs,
    program: &Program,
    layout: &Layout,
    state: &Partial,
    old: VarId,
    new: VarId,
) -> ExprId {
    let info = &program.vars[old];
    let base = if info.kind == VarKind::Global { 0 } else { layout.global_bits };
    let slot = layout.slot(old);
    let mut all = Exprs::TRUE;
    for cell in 0..slot.cells {
        let (mut mask, mut value) = (0i64, 0i64);
        for (i, bit) in slot.cell(cell).enumerate() {
            if let Some(one) = state.get(base + bit) {
                mask |= 1 << i;
                value |= i64::from(one) << i;
            }
        }
        if mask == 0 {
            continue;
        }
        let read = match info.ty.array {
            None => exprs.pre(new),
            Some(dim) => {
                let index = exprs.int(dim.lo + i64::from(cell));
                exprs.add(Expr::Index(Time::Pre, new, index))
            }
        };
        let one = match info.ty.scalar {
            Scalar::Bool if value == 1 => read,
            Scalar::Bool => exprs.not(read),
            Scalar::Int { .. } => {
                let (mask, value) = (exprs.int(mask), exprs.int(value));
                let known = exprs.binary(BinaryOp::BitAnd, read, mask);
                exprs.binary(BinaryOp::Eq, known, value)
            }
        };
        all = exprs.and(all, one);
    }
    all
}
