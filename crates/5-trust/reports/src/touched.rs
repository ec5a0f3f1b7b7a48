//! What listings show of a program, and what calls do to globals.

use check::Partial;
use ir::{EdgeId, EdgeKind, Expr, IndexVec, ProcId, Program, Rel, Time, VarKind};
use replay::lists;
use replay::space::Space;

/// Whether there are calls that listings do not show.
pub(crate) fn hides_calls(program: &Program) -> bool {
    let is_call = |edge: EdgeId| matches!(program.edges[edge].kind, EdgeKind::Call(_));
    program.edges.ids().any(|edge| is_call(edge) && !lists(program, edge))
}

pub(crate) fn mark(bits: std::ops::Range<u32>, mask: &mut Partial) {
    for bit in bits {
        mask.set(bit, Some(false));
    }
}

pub(crate) fn mark_reads(
    program: &Program,
    space: &Space,
    rel: &Rel,
    wanted: impl Fn(Time, VarKind) -> bool,
    mask: &mut Partial,
) {
    for root in rel.pre_exprs() {
        program.exprs.postorder(root, |_, expr| {
            if let Expr::Read(time, var) | Expr::Index(time, var, _) = expr
                && wanted(time, program.vars[var].kind)
            {
                mark(space.var(program, var), mask);
            }
        });
    }
}

/// Globals that calls of a procedure may modify and read, callees included.
pub(crate) struct Touched {
    pub(crate) modified: IndexVec<ProcId, Partial>,
    pub(crate) referenced: IndexVec<ProcId, Partial>,
}

impl Touched {
    pub(crate) fn new(program: &Program, space: &Space) -> Touched {
        let open = || IndexVec::filled(space.open(), program.procs.len());
        let mut out = Touched { modified: open(), referenced: open() };
        for edge in program.edges.iter() {
            let proc = program.nodes[edge.source].proc;
            let rels = match &edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => [Some(rel), None],
                EdgeKind::Call(call) => [Some(&call.enter), Some(&call.back)],
            };
            for rel in rels.into_iter().flatten() {
                let global = |_, kind| kind == VarKind::Global;
                mark_reads(program, space, rel, global, &mut out.referenced[proc]);
                for assign in &rel.assigns {
                    if program.vars[assign.var].kind == VarKind::Global {
                        mark(space.var(program, assign.var), &mut out.modified[proc]);
                    }
                }
            }
        }
        // What a callee touches, its callers touch.
        let calls = ir::call_edges(program);
        let mut work: Vec<ProcId> = program.procs.ids().collect();
        while let Some(callee) = work.pop() {
            for &edge in &calls[callee] {
                let caller = program.nodes[program.edges[edge].source].proc;
                let (m, r) = (out.modified[callee].clone(), out.referenced[callee].clone());
                if !out.modified[caller].covers(&m) || !out.referenced[caller].covers(&r) {
                    out.modified[caller].merge(&m);
                    out.referenced[caller].merge(&r);
                    work.push(caller);
                }
            }
        }
        out
    }
}
