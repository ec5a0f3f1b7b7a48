//! The cone of influence: a smaller program with the same answers.
//!
//! Procedures that the entry cannot reach are dropped, and so are variables whose values cannot
//! decide anything. Variables are dropped, never steps: runs keep their statements, and so their
//! lengths.
//!
//! Which variables can decide something is influence analysis for the question ([pbes §2]): the
//! question's own reads count as assertions do in IA2, and [`Live`] computes it flow-sensitively. A
//! closure that does not look at the order of statements goes first; it is cheap, and often enough.

use crate::{BitSet, Live, ModRef, Uses, may_block, may_clash};
use ir::{
    Assign, Call, Edge, EdgeKind, Embedding, Expr, ExprId, Exprs, Id, IndexVec, Init, ProcId,
    Program, ProgramBuilder, Rel, VarId, VarKind,
};

/// The part of a program that can matter.
#[derive(Debug)]
pub struct Cone {
    /// It.
    pub program: Program,
    /// Where it lies in the original.
    pub embedding: Embedding,
    /// If some variable is kept that gets, at some places, an arbitrary value instead of one that is
    /// computed from dropped variables: what is live in the original. It is not live there, and what
    /// is said of it must not be taken for a value of the original.
    pub live: Option<Live>,
}

/// Drops what cannot matter for a question that reads `uses`; or `None` if all of it can.
///
/// The variables kept are in the least set such that:
///
/// - K1. it contains what guards, constraints and the initial condition read, what may make an
///   assignment block, and what the question reads;
/// - K2. if it contains the target of an assignment, it contains what the value and the index read;
///
/// and of these they are the ones such that:
///
/// - K3. they are live somewhere (LV1 to LV4 of [`Live`]); or a constraint or the initial condition reads
///   them, or an assignment to them may block.
///
/// A value that reads a dropped variable is that of a target which is not live: it becomes arbitrary.
pub fn cone_of_influence(program: &Program, uses: &Uses) -> Option<Cone> {
    cone_of_influence_within(program, uses, &|| false)
}

/// The same; `stop` is asked now and then, and then there is none.
pub fn cone_of_influence_within(
    program: &Program,
    uses: &Uses,
    stop: &dyn Fn() -> bool,
) -> Option<Cone> {
    let procs = reachable_procs(program);
    let mut vars = relevant_vars(program, &procs, uses);
    let live = Live::within(program, &ModRef::new(program, uses), uses, stop)?;
    let influencing = influencing_vars(program, &procs, uses, &live);
    for var in vars.iter().collect::<Vec<_>>() {
        if !influencing.contains(var) {
            vars.remove(var);
        }
    }
    if procs.len() == program.procs.len() && vars.len() == program.vars.len() {
        return None;
    }
    let (program, embedding, loosened) = restrict(program, &procs, &vars);
    Some(Cone { program, embedding, live: loosened.then_some(live) })
}

/// K3.
fn influencing_vars(program: &Program, procs: &BitSet, uses: &Uses, live: &Live) -> BitSet {
    let mut found = BitSet::new(program.vars.len());
    let mut read = |expr: ExprId| {
        if expr != Exprs::TRUE {
            program.exprs.reads(expr, |_, var| {
                found.insert(var.index());
            });
        }
    };
    read(program.init.condition);
    let kept = |e: &&Edge| procs.contains(program.nodes[e.source].proc.index());
    for rel in program.edges.iter().filter(kept).flat_map(rels) {
        read(rel.constraint);
    }
    for rel in program.edges.iter().filter(kept).flat_map(rels) {
        for assign in &rel.assigns {
            if may_block(program, assign) || may_clash(program, rel, assign) {
                found.insert(assign.var.index());
            }
        }
    }
    for node in uses.nodes() {
        for var in uses.at(node) {
            found.insert(var.index());
        }
    }
    for (id, proc) in program.procs.enumerate() {
        if !procs.contains(id.index()) {
            continue;
        }
        for node in proc.node_ids() {
            for var in live.vars(program, node) {
                found.insert(var.index());
            }
        }
        for &result in &proc.results {
            if live.at_exit(id, result) {
                found.insert(result.index());
            }
        }
    }
    found
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

/// The program with the given procedures and variables only; and whether a value was made arbitrary
/// that reads others.
fn restrict(program: &Program, procs: &BitSet, vars: &BitSet) -> (Program, Embedding, bool) {
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
    let loosened = std::cell::Cell::new(false);
    let rel = |r: &Rel| Rel {
        guard: expr(r.guard),
        assigns: r
            .assigns
            .iter()
            .filter_map(|a| {
                let var = var_image[a.var]?;
                let images = [a.index, a.value].map(|e| e.map(|e| exprs[e]));
                if images.contains(&Some(None)) {
                    loosened.set(true);
                    return Some(Assign { time: a.time, var, index: None, value: None });
                }
                let [index, value] = images.map(Option::flatten);
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
    (b.finish(entry, init), embedding, loosened.get())
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

#[cfg(test)]
mod tests {
    use super::cone_of_influence;
    use crate::Uses;
    use ir::{EdgeKind, Init, Program, ProgramBuilder, Rel, Type};

    /// `x := y; x := z; assume(x)`, then a statement.
    fn program() -> Program {
        let mut b = ProgramBuilder::new();
        let at = b.no_origin();
        let [x, y, z] = ["x", "y", "z"].map(|name| b.global(name, Type::BOOL, at));
        let main = b.proc("main", at);
        b.begin_proc(main);
        let n: Vec<_> = (0..4).map(|_| b.statement(at)).collect();
        b.entry(main, n[0]);
        let [read_x, read_y, read_z] = [x, y, z].map(|v| b.exprs.pre(v));
        b.step(n[0], n[1], Rel::assign([(x, Some(read_y))], 0));
        b.step(n[1], n[2], Rel::assign([(x, Some(read_z))], 0));
        b.step(n[2], n[3], Rel::guarded(read_x, 0));
        b.finish(main, Init::default())
    }

    #[test]
    fn what_is_overwritten_does_not_matter() {
        let program = program();
        let cone = cone_of_influence(&program, &Uses::default()).expect("`y` is dropped");
        cone.program.validate().expect("it is a program");
        let names: Vec<&str> = cone.program.vars.ids().map(|v| cone.program.var_name(v)).collect();
        assert_eq!(names, ["x", "z"]);
        // Variables are dropped, never steps.
        assert_eq!(cone.program.edges.len(), program.edges.len());
        let first = cone.program.edges.iter().next().expect("there are edges");
        let EdgeKind::Local { rel, .. } = &first.kind else { panic!("a step") };
        assert!(rel.assigns.len() == 1 && rel.assigns[0].value.is_none(), "x is arbitrary");
        let live = cone.live.expect("some value was made arbitrary");
        let x = program.globals[0];
        let nodes: Vec<bool> = program.nodes.ids().map(|n| live.contains(n, x)).collect();
        assert_eq!(nodes, [false, false, true, false]);
    }

    #[test]
    fn what_the_question_reads_matters() {
        let program = program();
        let first = program.procs[program.entry].entry;
        let node = program.nodes.ids().nth(1).expect("it is there");
        assert_ne!(first, node);
        let uses = Uses::new([(node, program.globals[0])]);
        assert!(cone_of_influence(&program, &uses).is_none(), "all three matter");
    }
}
