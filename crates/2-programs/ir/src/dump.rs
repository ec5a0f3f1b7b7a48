//! A readable dump of a [`Program`] (`bop dump --stage ir`).

use crate::{Edge, EdgeKind, Expr, ExprId, Exprs, Id, Program, Rel, Scalar, Time, Type, VarId};
use std::fmt::Write;

/// The whole program as text.
pub fn dump(program: &Program) -> String {
    let mut out = String::new();
    for &g in &program.globals {
        let _ = writeln!(out, "global {}: {}", program.var_name(g), type_name(program.vars[g].ty));
    }
    if program.init.condition != Exprs::TRUE {
        let _ = writeln!(out, "init {}", expr_text(program, program.init.condition));
    }
    let _ = writeln!(out, "entry {}", program.proc_name(program.entry));
    let mut labels = std::collections::BTreeMap::<_, Vec<&str>>::new();
    for label in &program.labels {
        labels.entry(label.node).or_default().push(program.text(label.name));
    }
    for (_, proc) in program.procs.enumerate() {
        let names = |vars: &[crate::VarId]| {
            let list: Vec<String> = vars
                .iter()
                .map(|&v| format!("{}: {}", program.var_name(v), type_name(program.vars[v].ty)))
                .collect();
            list.join(", ")
        };
        let _ = writeln!(
            out,
            "\nproc {}({}) -> ({})",
            program.text(proc.name),
            names(&proc.locals[..proc.params]),
            names(&proc.results)
        );
        if proc.params < proc.locals.len() {
            let _ = writeln!(out, "  local {}", names(&proc.locals[proc.params..]));
        }
        for node in proc.node_ids() {
            let info = &program.nodes[node];
            let _ = write!(out, "  n{}", node.index());
            if node == proc.entry {
                out.push_str(" entry");
            }
            if proc.error == Some(node) {
                out.push_str(" error");
            }
            for label in labels.get(&node).into_iter().flatten() {
                let _ = write!(out, " {label}:");
            }
            if info.statement {
                let o = info.origin;
                let _ = write!(out, " {}:{} `{}`", o.line, o.column, program.text(o.text));
            }
            out.push('\n');
            for e in program.out_edges(node) {
                let _ = writeln!(out, "    {}", edge_text(program, &program.edges[e]));
            }
        }
    }
    out
}

pub(crate) fn type_name(ty: Type) -> String {
    let scalar = match ty.scalar {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Int { bits } => format!("int({bits})"),
    };
    match ty.array {
        None => scalar,
        Some(dim) => format!("{scalar}[{}..{}]", dim.lo, dim.lo + dim.len as i64 - 1),
    }
}

fn edge_text(program: &Program, edge: &Edge) -> String {
    let mut out = String::from(if edge.step { "-> " } else { "~> " });
    match &edge.kind {
        EdgeKind::Local { target, rel } => {
            let _ = write!(out, "n{}{}", target.index(), rel_text(program, rel));
        }
        EdgeKind::Call(call) => {
            let _ = write!(
                out,
                "call {}{}, back to n{}{}",
                program.proc_name(call.callee),
                rel_text(program, &call.enter),
                call.ret.index(),
                rel_text(program, &call.back)
            );
        }
        EdgeKind::Return { rel } => {
            let _ = write!(out, "return{}", rel_text(program, rel));
        }
    }
    let events = program.events(edge.events);
    if !events.is_empty() {
        let names: Vec<&str> = events.iter().map(|&t| program.text(t)).collect();
        let _ = write!(out, " {{{}}}", names.join(", "));
    }
    if edge.marks != 0 {
        let _ = write!(out, " marks {:#b}", edge.marks);
    }
    out
}

fn rel_text(program: &Program, rel: &Rel) -> String {
    Words { exprs: &program.exprs, name: &|var| program.var_name(var) }.rel(rel)
}

/// Expressions and the names of the variables in them: all that their text depends on.
#[derive(Clone, Copy)]
pub(crate) struct Words<'p> {
    pub(crate) exprs: &'p Exprs,
    pub(crate) name: &'p dyn Fn(VarId) -> &'p str,
}

impl Words<'_> {
    pub(crate) fn rel(self, rel: &Rel) -> String {
        let mut out = String::new();
        if rel.guard != Exprs::TRUE {
            let _ = write!(out, " [{}]", self.expr(rel.guard));
        }
        for assign in &rel.assigns {
            let primes = if assign.time == Time::Saved { "''" } else { "'" };
            let _ = write!(out, " {}{primes}", (self.name)(assign.var));
            if let Some(index) = assign.index {
                let _ = write!(out, "[{}]", self.expr(index));
            }
            match assign.value {
                Some(value) => {
                    let _ = write!(out, " := {};", self.expr(value));
                }
                None => out.push_str(" := any;"),
            }
        }
        if rel.constraint != Exprs::TRUE {
            let _ = write!(out, " constrain {}", self.expr(rel.constraint));
        }
        out
    }

    pub(crate) fn expr(self, root: ExprId) -> String {
        const LONGEST: usize = 10_000;
        enum Item {
            Expr(ExprId),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut stack = vec![Item::Expr(root)];
        while let Some(item) = stack.pop() {
            if out.len() > LONGEST {
                out.push('…');
                break;
            }
            let id = match item {
                Item::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Item::Expr(id) => id,
            };
            let primes = |time| match time {
                Time::Pre => "",
                Time::Post => "'",
                Time::Saved => "''",
            };
            match self.exprs[id] {
                Expr::Bool(b) => out.push_str(if b { "true" } else { "false" }),
                Expr::Int(v) => {
                    let _ = write!(out, "{v}");
                }
                Expr::Read(time, var) => {
                    let _ = write!(out, "{}{}", (self.name)(var), primes(time));
                }
                Expr::Choice(k) => {
                    let _ = write!(out, "*{k}");
                }
                Expr::Index(time, var, index) => {
                    let _ = write!(out, "{}{}[", (self.name)(var), primes(time));
                    stack.push(Item::Text("]"));
                    stack.push(Item::Expr(index));
                }
                Expr::Not(a) => {
                    out.push('!');
                    stack.push(Item::Expr(a));
                }
                Expr::Binary(op, a, b) => {
                    out.push('(');
                    for item in [
                        Item::Text(")"),
                        Item::Expr(b),
                        Item::Text(" "),
                        Item::Text(op.symbol()),
                        Item::Text(" "),
                        Item::Expr(a),
                    ] {
                        stack.push(item);
                    }
                }
                Expr::Ite(c, a, b) => {
                    out.push('(');
                    for item in [
                        Item::Text(")"),
                        Item::Expr(b),
                        Item::Text(" : "),
                        Item::Expr(a),
                        Item::Text(" ? "),
                        Item::Expr(c),
                    ] {
                        stack.push(item);
                    }
                }
            }
        }
        out
    }
}

/// An expression, fully parenthesised. Not recursive; shared subexpressions are written out each
/// time, up to a length at which `…` stands for the rest.
pub fn expr_text(program: &Program, root: ExprId) -> String {
    Words { exprs: &program.exprs, name: &|var| program.var_name(var) }.expr(root)
}
