//! The cone of influence: a smaller program with the same answers.
//!
//! Procedures that the entry cannot reach are dropped, and so are variables whose values cannot
//! decide anything. Variables are dropped, never steps: runs keep their statements, and so their
//! lengths.

use crate::{BitSet, Uses, may_block, may_clash};
use ir::{
    Assign, Call, Edge, EdgeKind, Embedding, Expr, ExprId, Exprs, Id, IndexVec, Init, ProcId,
    Program, ProgramBuilder, Rel, VarId, VarKind,
};

/// Drops what cannot matter for a question that reads `uses`; or `None` if all of it can.
///
/// The variables kept are the least set such that:
///
/// - K1. it contains what guards, constraints and the initial condition read, what may make an
///   assignment block, and what the question reads;
/// - K2. if it contains the target of an assignment, it contains what the value and the index read.
pub fn cone_of_influence(program: &Program, uses: &Uses) -> Option<(Program, Embedding)> {
    let procs = reachable_procs(program);
    let vars = relevant_vars(program, &procs, uses);
    if procs.len() == program.procs.len() && vars.len() == program.vars.len() {
        return None;
    }
    Some(restrict(program, &procs, &vars))
}

fn reachable_procs(program: &Program) -> BitSet {
    let mut callees: IndexVec<ProcId, Vec<ProcId>> =
        IndexVec::filled(Vec::new(), program.procs.len());
    for edge in program.edges.iter() {
        if let EdgeKind::Call(call) = &edge.kind {
            callees[program.nodes[edge.source].proc].push(call.callee);
        }
    }
    let mut seen = BitSet::new(program.procs.len());
    seen.insert(program.entry.index());
    let mut work = vec![program.entry];
    while let Some(proc) = work.pop() {
        for &callee in &callees[proc] {
            if seen.insert(callee.index()) {
                work.push(callee);
            }
        }
    }
    seen
}

fn rels(edge: &Edge) -> impl Iterator<Item = &Rel> {
    let (first, second) = match &edge.kind {
        EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => (rel, None),
        EdgeKind::Call(call) => (&call.enter, Some(&call.back)),
    };
    std::iter::once(first).chain(second)
}

fn relevant_vars(program: &Program, procs: &BitSet, uses: &Uses) -> BitSet {
    let mut relevant = BitSet::new(program.vars.len());
    let mut work: Vec<VarId> = Vec::new();
    let mut add = |var: VarId, work: &mut Vec<VarId>| {
        if relevant.insert(var.index()) {
            work.push(var);
        }
    };
    // K1.
    let read =
        |expr: ExprId, work: &mut Vec<VarId>, add: &mut dyn FnMut(VarId, &mut Vec<VarId>)| {
            if expr != Exprs::TRUE {
                program.exprs.reads(expr, |_, var| add(var, work));
            }
        };
    // What each variable is computed from, for K2.
    let mut sources: IndexVec<VarId, Vec<ExprId>> =
        IndexVec::filled(Vec::new(), program.vars.len());
    for edge in program.edges.iter() {
        if !procs.contains(program.nodes[edge.source].proc.index()) {
            continue;
        }
        for rel in rels(edge) {
            read(rel.guard, &mut work, &mut add);
            read(rel.constraint, &mut work, &mut add);
            for assign in &rel.assigns {
                let blocks = may_block(program, assign) || may_clash(program, rel, assign);
                for expr in [assign.index, assign.value].into_iter().flatten() {
                    if blocks {
                        read(expr, &mut work, &mut add);
                    }
                    sources[assign.var].push(expr);
                }
                // A target that may block keeps its index expression, and so itself.
                if blocks {
                    add(assign.var, &mut work);
                }
            }
        }
    }
    read(program.init.condition, &mut work, &mut add);
    for node in uses.nodes() {
        for &var in uses.at(node) {
            add(var, &mut work);
        }
    }
    // K2.
    while let Some(var) = work.pop() {
        for expr in std::mem::take(&mut sources[var]) {
            read(expr, &mut work, &mut add);
        }
    }
    relevant
}

/// The program with the given procedures and variables only.
fn restrict(program: &Program, procs: &BitSet, vars: &BitSet) -> (Program, Embedding) {
    let mut b = ProgramBuilder::new();
    for file in &program.files {
        b.file(file);
    }
    let mut embedding = Embedding {
        nodes: IndexVec::new(),
        edges: IndexVec::new(),
        procs: IndexVec::new(),
        vars: IndexVec::new(),
        exprs: IndexVec::new(),
    };
    let origin = |b: &mut ProgramBuilder, o: ir::Origin| {
        b.origin(o.file, o.line, o.column, program.text(o.text))
    };
    let mut proc_image: IndexVec<ProcId, Option<ProcId>> =
        IndexVec::filled(None, program.procs.len());
    for (old, proc) in program.procs.enumerate() {
        if procs.contains(old.index()) {
            let at = origin(&mut b, proc.origin);
            proc_image[old] = Some(b.proc(program.text(proc.name), at));
            embedding.procs.push(old);
        }
    }
    // In order of the original, so that parameters stay before other locals.
    let mut var_image: IndexVec<VarId, Option<VarId>> = IndexVec::filled(None, program.vars.len());
    for (old, var) in program.vars.enumerate() {
        let kept = match var.kind {
            VarKind::Global => true,
            VarKind::Local(p) | VarKind::Result(p) => proc_image[p].is_some(),
        };
        if !kept || !vars.contains(old.index()) {
            continue;
        }
        let at = origin(&mut b, var.origin);
        let name = program.text(var.name);
        let new = match var.kind {
            VarKind::Global if var.hidden => b.hidden_global(name, var.ty),
            VarKind::Global => b.global(name, var.ty, at),
            VarKind::Local(p) => {
                let new_proc = proc_image[p].expect("kept");
                let params = &program.procs[p].locals[..program.procs[p].params];
                if params.contains(&old) {
                    b.param(new_proc, name, var.ty, at)
                } else if var.hidden {
                    b.hidden_local(new_proc, name, var.ty)
                } else {
                    b.local(new_proc, name, var.ty, at)
                }
            }
            VarKind::Result(p) => b.result(proc_image[p].expect("kept"), name, var.ty),
        };
        var_image[old] = Some(new);
        embedding.vars.push(Some(old));
    }
    embedding.exprs = translate(program, &mut b, &var_image);
    let exprs = &embedding.exprs;
    let expr = |e: ExprId| exprs[e].expect("what is kept reads only what is kept");
    let rel = |r: &Rel| Rel {
        guard: expr(r.guard),
        assigns: r
            .assigns
            .iter()
            .filter_map(|a| {
                let var = var_image[a.var]?;
                let (index, value) = (a.index.map(expr), a.value.map(expr));
                Some(Assign { time: a.time, var, index, value })
            })
            .collect(),
        constraint: expr(r.constraint),
        choices: r.choices,
    };
    let mut node_image = IndexVec::filled(None, program.nodes.len());
    // In order of the nodes, so that the edges below come in order of their sources too.
    let mut by_nodes: Vec<ProcId> = embedding.procs.iter().copied().collect();
    by_nodes.sort_by_key(|&p| program.procs[p].nodes.start);
    for old in by_nodes {
        let (proc, new) = (&program.procs[old], proc_image[old].expect("kept"));
        b.begin_proc(new);
        for n in proc.node_ids() {
            let node = &program.nodes[n];
            let image = if proc.error == Some(n) {
                b.error_node()
            } else if node.statement {
                let at = origin(&mut b, node.origin);
                b.statement(at)
            } else {
                b.silent()
            };
            node_image[n] = Some(image);
            embedding.nodes.push(n);
        }
        b.entry(new, node_image[proc.entry].expect("kept"));
    }
    for label in &program.labels {
        if let Some(node) = node_image[label.node] {
            b.label(program.text(label.name), node);
        }
    }
    for (old, edge) in program.edges.enumerate() {
        let Some(source) = node_image[edge.source] else { continue };
        let target = |n: ir::NodeId| node_image[n].expect("in a kept procedure");
        let kind = match &edge.kind {
            EdgeKind::Local { target: to, rel: r } => {
                EdgeKind::Local { target: target(*to), rel: rel(r) }
            }
            EdgeKind::Return { rel: r } => EdgeKind::Return { rel: rel(r) },
            EdgeKind::Call(call) => EdgeKind::Call(Box::new(Call {
                callee: proc_image[call.callee].expect("called from a kept procedure"),
                enter: rel(&call.enter),
                ret: target(call.ret),
                back: rel(&call.back),
            })),
        };
        let names: Vec<&str> =
            program.events(edge.events).iter().map(|&t| program.text(t)).collect();
        let events = b.events(&names);
        b.edge(Edge { source, kind, step: edge.step, events, marks: edge.marks });
        embedding.edges.push(old);
    }
    let init = Init { condition: expr(program.init.condition), choices: program.init.choices };
    let entry = proc_image[program.entry].expect("the entry is reachable");
    (b.finish(entry, init), embedding)
}

/// The expressions that read only kept variables, in the new program.
fn translate(
    program: &Program,
    b: &mut ProgramBuilder,
    vars: &IndexVec<VarId, Option<VarId>>,
) -> IndexVec<ExprId, Option<ExprId>> {
    let mut out: IndexVec<ExprId, Option<ExprId>> = IndexVec::new();
    for i in 0..program.exprs.len() {
        let get = |e: ExprId| out[e];
        let expr = match program.exprs[ExprId::new(i)] {
            e @ (Expr::Bool(_) | Expr::Int(_) | Expr::Choice(_)) => Some(e),
            Expr::Read(time, v) => vars[v].map(|v| Expr::Read(time, v)),
            Expr::Index(time, v, e) => vars[v].and_then(|v| Some(Expr::Index(time, v, get(e)?))),
            Expr::Not(e) => get(e).map(Expr::Not),
            Expr::Binary(op, x, y) => get(x).and_then(|x| Some(Expr::Binary(op, x, get(y)?))),
            Expr::Ite(c, x, y) => get(c).and_then(|c| Some(Expr::Ite(c, get(x)?, get(y)?))),
        };
        out.push(expr.map(|e| b.exprs.add(e)));
    }
    out
}
