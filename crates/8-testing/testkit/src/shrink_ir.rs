//! Makes a failing program of the model small.
//!
//! Greedy, like [`crate::shrink_bp`]. An edge is cut by making its guard false; the edges cut so
//! are taken out at the end.

use ir::{
    Edge, EdgeKind, Expr, ExprId, Exprs, Init, NodeId, ProcId, Program, ProgramBuilder, Rel, Sort,
    VarKind,
};

/// The smallest program found for which `fails` still holds. It must hold of `program`.
pub fn shrink_ir(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let mut changed = false;
        for level in [Level::Edges, Level::Relations, Level::Exprs] {
            let mut number = 0;
            loop {
                let mut candidate = best.clone();
                let mut cutter = Cutter { left: number, level };
                if !cutter.program(&mut candidate) {
                    break;
                }
                if candidate.validate().is_ok() && fails(&candidate) {
                    best = candidate;
                    changed = true;
                } else {
                    number += 1;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let small = without_blocked_edges(&best);
    if fails(&small) { small } else { best }
}

/// How coarse a cut is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Edges,
    Relations,
    Exprs,
}

struct Cutter {
    left: usize,
    level: Level,
}

impl Cutter {
    fn now(&mut self, level: Level) -> bool {
        if self.level != level {
            return false;
        }
        let now = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        now
    }

    /// Makes the cut; false if there are fewer.
    fn program(&mut self, program: &mut Program) -> bool {
        if program.init != Init::default() && self.now(Level::Relations) {
            program.init = Init::default();
            return true;
        }
        let Program { edges, exprs, .. } = program;
        let no_events = ProgramBuilder::new().no_events();
        for edge in edges.iter_mut() {
            if first_rel(edge).guard == Exprs::FALSE {
                continue;
            }
            if self.now(Level::Edges) {
                first_rel(edge).guard = Exprs::FALSE;
                return true;
            }
            if (edge.marks != 0 || edge.events != no_events || !edge.step)
                && self.now(Level::Relations)
            {
                (edge.marks, edge.events, edge.step) = (0, no_events, true);
                return true;
            }
            let rels = match &mut edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => vec![rel],
                EdgeKind::Call(call) => vec![&mut call.enter, &mut call.back],
            };
            if rels.into_iter().any(|rel| self.rel(rel, exprs)) {
                return true;
            }
        }
        false
    }

    fn rel(&mut self, rel: &mut Rel, exprs: &mut Exprs) -> bool {
        for part in [&mut rel.guard, &mut rel.constraint] {
            if *part != Exprs::TRUE && self.now(Level::Relations) {
                *part = Exprs::TRUE;
                return true;
            }
            if self.expr(part, exprs) {
                return true;
            }
        }
        for i in 0..rel.assigns.len() {
            if self.now(Level::Relations) {
                let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
                assigns.remove(i);
                rel.assigns = assigns.into();
                return true;
            }
            let assign = &mut rel.assigns[i];
            if assign.value.is_some() && self.now(Level::Relations) {
                assign.value = None;
                return true;
            }
            for part in [&mut assign.index, &mut assign.value].into_iter().flatten() {
                if self.expr(part, exprs) {
                    return true;
                }
            }
        }
        false
    }

    /// Replaces an expression, or one somewhere in it, by something simpler of the same sort.
    fn expr(&mut self, expr: &mut ExprId, exprs: &mut Exprs) -> bool {
        let mut parts: Vec<ExprId> = Vec::new();
        exprs.postorder(*expr, |id, _| parts.push(id));
        for part in parts.into_iter().rev() {
            let sort = sort(exprs, part);
            let mut simpler: Vec<ExprId> = match sort {
                Some(Sort::Bool) => vec![Exprs::TRUE, Exprs::FALSE],
                Some(Sort::Int) => vec![exprs.int(0), exprs.int(1)],
                None => Vec::new(),
            };
            let operands = ir::expr::operands(exprs[part]);
            simpler
                .extend(operands.into_iter().flatten().filter(|&o| self::sort(exprs, o) == sort));
            for new in simpler {
                // Ids only shrink, or the cuts would go round in circles.
                let constant = matches!(exprs[part], Expr::Bool(_) | Expr::Int(_));
                if !constant && new != part && self.now(Level::Exprs) {
                    *expr = substitute(exprs, *expr, part, new);
                    return true;
                }
            }
        }
        false
    }
}

fn first_rel(edge: &mut Edge) -> &mut Rel {
    match &mut edge.kind {
        EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => rel,
        EdgeKind::Call(call) => &mut call.enter,
    }
}

/// The sort of an expression, where it can be seen without the variables' types.
fn sort(exprs: &Exprs, id: ExprId) -> Option<Sort> {
    match exprs[id] {
        Expr::Bool(_) | Expr::Choice(_) | Expr::Not(_) => Some(Sort::Bool),
        Expr::Int(_) => Some(Sort::Int),
        Expr::Binary(op, ..) => Some(op.sorts().2),
        Expr::Ite(_, a, b) => sort(exprs, a).or_else(|| sort(exprs, b)),
        Expr::Read(..) | Expr::Index(..) => None,
    }
}

fn substitute(exprs: &mut Exprs, root: ExprId, old: ExprId, new: ExprId) -> ExprId {
    let mut order = Vec::new();
    exprs.postorder(root, |id, expr| order.push((id, expr)));
    let mut image = std::collections::BTreeMap::new();
    for (id, expr) in order {
        let to = if id == old {
            new
        } else {
            let at = |e: ExprId| image.get(&e).copied().unwrap_or(e);
            let mapped = match expr {
                Expr::Not(a) => Expr::Not(at(a)),
                Expr::Binary(op, a, b) => Expr::Binary(op, at(a), at(b)),
                Expr::Ite(c, a, b) => Expr::Ite(at(c), at(a), at(b)),
                Expr::Index(time, var, a) => Expr::Index(time, var, at(a)),
                leaf => leaf,
            };
            exprs.add(mapped)
        };
        image.insert(id, to);
    }
    image[&root]
}

/// A copy without the edges whose guard is false. Ids of procedures, nodes, variables and
/// expressions stay the same.
fn without_blocked_edges(program: &Program) -> Program {
    let mut b = ProgramBuilder::new();
    b.exprs = program.exprs.clone();
    for file in &program.files {
        b.file(file);
    }
    let origin = |b: &mut ProgramBuilder, o: ir::Origin| {
        b.origin(o.file, o.line, o.column, program.text(o.text))
    };
    for proc in program.procs.iter() {
        let at = origin(&mut b, proc.origin);
        b.proc(program.text(proc.name), at);
    }
    for (id, var) in program.vars.enumerate() {
        let (name, at) = (program.var_name(id), origin(&mut b, var.origin));
        match (var.kind, var.hidden) {
            (VarKind::Global, false) => b.global(name, var.ty, at),
            (VarKind::Global, true) => b.hidden_global(name, var.ty),
            (VarKind::Result(p), _) => b.result(p, name, var.ty),
            (VarKind::Local(p), hidden) => {
                let proc = &program.procs[p];
                let number = proc.locals.iter().position(|&v| v == id);
                match number.is_some_and(|n| n < proc.params) {
                    true => b.param(p, name, var.ty, at),
                    false if hidden => b.hidden_local(p, name, var.ty),
                    false => b.local(p, name, var.ty, at),
                }
            }
        };
    }
    let mut current: Option<ProcId> = None;
    for (id, node) in program.nodes.enumerate() {
        if current != Some(node.proc) {
            b.begin_proc(node.proc);
            current = Some(node.proc);
        }
        let at = origin(&mut b, node.origin);
        let made: NodeId = match program.procs[node.proc].error == Some(id) {
            true => b.error_node(),
            false if node.statement => b.statement(at),
            false => b.silent(),
        };
        debug_assert_eq!(made, id);
    }
    for (id, proc) in program.procs.enumerate() {
        b.entry(id, proc.entry);
    }
    for label in &program.labels {
        b.label(program.text(label.name), label.node);
    }
    for edge in program.edges.iter() {
        let mut edge = edge.clone();
        if first_rel(&mut edge).guard != Exprs::FALSE {
            let names: Vec<&str> =
                program.events(edge.events).iter().map(|&t| program.text(t)).collect();
            edge.events = b.events(&names);
            b.edge(edge);
        }
    }
    b.finish(program.entry, program.init)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_ir::random_program;
    use ir::Id;

    #[test]
    fn keeps_what_it_must_and_drops_the_rest() {
        let mut tried = 0;
        for seed in 0..60 {
            let program = random_program(seed);
            // "Fails" while some edge can still write 3.
            let fails = |p: &Program| {
                p.edges.iter().any(|e| {
                    let EdgeKind::Local { rel, .. } = &e.kind else { return false };
                    rel.guard != Exprs::FALSE
                        && rel.assigns.iter().any(|a| {
                            a.value.is_some_and(|v| {
                                let mut found = false;
                                p.exprs.postorder(v, |_, e| found |= e == Expr::Int(3));
                                found
                            })
                        })
                })
            };
            if !fails(&program) {
                continue;
            }
            tried += 1;
            let small = shrink_ir(&program, fails);
            assert!(fails(&small) && small.validate().is_ok());
            assert_eq!(small.edges.len(), 1, "seed {seed}\n{}", ir::dump(&small));
            assert_eq!(small.edges[ir::EdgeId::new(0)].marks, 0);
        }
        assert!(tried > 5, "only {tried} programs");
    }
}
