//! Internal invariants of a [`Program`]. A violation is a bug of the front end or transformation
//! that built the program, never of the user's input.

use crate::{
    Assign, BinaryOp, EdgeKind, Expr, ExprId, Id, IndexVec, NodeId, ProcId, Program, Rel, Scalar,
    Sort, Time, VarId, VarKind,
};
use std::fmt;

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// The edge's source, if an edge is at fault.
    pub node: Option<NodeId>,
    /// The broken invariant.
    pub message: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Some(node) => write!(f, "node {}: {}", node.index(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Invalid {}

/// The widest exact integer that an expression may take, sign included.
pub const MAX_WIDTH: u32 = 100;

/// The most bits of globals, of one frame, or of results.
pub const MAX_AREA: u64 = 1 << 24;

/// For each expression its sort, and for integers the bits that hold every possible value.
pub fn widths(program: &Program) -> Result<Vec<(Sort, u32)>, Invalid> {
    let mut out: Vec<(Sort, u32)> = Vec::with_capacity(program.exprs.len());
    for i in 0..program.exprs.len() {
        let id = ExprId::new(i);
        let get = |e: ExprId| -> Result<(Sort, u32), Invalid> {
            out.get(e.index()).copied().ok_or_else(|| err("an operand follows its expression"))
        };
        let need = |e: ExprId, sort: Sort| -> Result<u32, Invalid> {
            let (s, w) = get(e)?;
            if s == sort {
                Ok(w)
            } else {
                Err(err(&format!("expression {i}: operand of wrong sort")))
            }
        };
        let var = |v: VarId| program.vars.get(v).ok_or_else(|| err("unknown variable"));
        let scalar = |s: Scalar| match s {
            Scalar::Bool => (Sort::Bool, 1),
            Scalar::Int { bits } => (Sort::Int, bits + 1),
        };
        let entry = match program.exprs[id] {
            Expr::Bool(_) | Expr::Choice(_) => (Sort::Bool, 1),
            Expr::Int(_) => (Sort::Int, 65),
            Expr::Read(_, v) => {
                if var(v)?.ty.array.is_some() {
                    return Err(err("an array is read without an index"));
                }
                scalar(var(v)?.ty.scalar)
            }
            Expr::Index(_, v, e) => {
                need(e, Sort::Int)?;
                if var(v)?.ty.array.is_none() {
                    return Err(err("a scalar is indexed"));
                }
                scalar(var(v)?.ty.scalar)
            }
            Expr::Not(e) => (Sort::Bool, need(e, Sort::Bool)?),
            Expr::Ite(c, a, b) => {
                need(c, Sort::Bool)?;
                let (sort, wa) = get(a)?;
                (sort, wa.max(need(b, sort)?))
            }
            Expr::Binary(op, a, b) => {
                let (sa, sb, result) = op.sorts();
                let (wa, wb) = (need(a, sa)?, need(b, sb)?);
                let width = match op {
                    _ if result == Sort::Bool => 1,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Div => wa.max(wb) + 1,
                    BinaryOp::Mul => wa + wb,
                    BinaryOp::Shl => wa + (1u32 << (wb - 1).min(6)).min(64) - 1,
                    BinaryOp::Shr => wa,
                    BinaryOp::When => wb,
                    _ => wa.max(wb),
                };
                (result, width)
            }
        };
        // A constant is as wide as it is; 65 is the bound for its type, not its width.
        let entry = match program.exprs[id] {
            Expr::Int(v) => {
                (Sort::Int, 65 - if v < 0 { (!v).leading_zeros() } else { v.leading_zeros() })
            }
            _ => entry,
        };
        if entry.1 > MAX_WIDTH {
            return Err(err(&format!(
                "expression {i} needs {} bits, more than {MAX_WIDTH}",
                entry.1
            )));
        }
        out.push(entry);
    }
    Ok(out)
}

fn err(message: &str) -> Invalid {
    Invalid { node: None, message: message.to_owned() }
}

/// The two procedures that a relation can talk about.
#[derive(Clone, Copy)]
enum Vocabulary {
    Local(ProcId),
    Enter { caller: ProcId, callee: ProcId },
    Back { caller: ProcId, callee: ProcId },
    Return(ProcId),
}

impl Vocabulary {
    fn has(self, time: Time, kind: VarKind) -> bool {
        use Vocabulary::*;
        match (self, time, kind) {
            (_, Time::Pre | Time::Post, VarKind::Global) => true,
            (Local(p), Time::Pre | Time::Post, VarKind::Local(q)) => p == q,
            (Enter { caller, .. }, Time::Pre | Time::Saved, VarKind::Local(q)) => caller == q,
            (Enter { callee, .. }, Time::Post, VarKind::Local(q)) => callee == q,
            (Back { caller, .. }, Time::Pre | Time::Post, VarKind::Local(q)) => caller == q,
            (Back { callee, .. }, Time::Pre, VarKind::Result(q)) => callee == q,
            (Return(p), Time::Pre, VarKind::Local(q)) => p == q,
            (Return(p), Time::Post, VarKind::Result(q)) => p == q,
            _ => false,
        }
    }
    /// Targets that keep their value where they are not assigned.
    fn keeps(self, kind: VarKind) -> bool {
        match self {
            Vocabulary::Enter { caller, .. } => match kind {
                VarKind::Local(p) => p == caller,
                VarKind::Global => true,
                VarKind::Result(_) => false,
            },
            Vocabulary::Return(_) => kind == VarKind::Global,
            _ => true,
        }
    }
}

impl Program {
    /// Checks every invariant that engines rely on.
    pub fn validate(&self) -> Result<(), Invalid> {
        let widths = widths(self)?;
        for var in self.vars.iter() {
            let bits = var.ty.scalar.bits();
            if bits == 0 || bits > 32 || var.ty.cells() == 0 {
                return Err(err("a variable with no bits, or more than 32"));
            }
            if var.ty.array.is_some_and(|dim| dim.lo.checked_add(dim.len as i64).is_none()) {
                return Err(err("an array with indices beyond 64 bits"));
            }
        }
        self.areas()?;
        for &g in &self.globals {
            if self.vars[g].kind != VarKind::Global {
                return Err(err("a global that is none"));
            }
        }
        for (p, proc) in self.procs.enumerate() {
            if proc.locals.iter().any(|&v| self.vars[v].kind != VarKind::Local(p))
                || proc.results.iter().any(|&v| self.vars[v].kind != VarKind::Result(p))
                || proc.params > proc.locals.len()
            {
                return Err(err("a procedure's variables belong to it"));
            }
            let owns = |n: NodeId| self.nodes.get(n).is_some_and(|node| node.proc == p);
            if !owns(proc.entry) || proc.error.is_some_and(|n| !owns(n)) {
                return Err(err("a procedure's entry and error node belong to it"));
            }
            if proc.node_ids().any(|n| !owns(n)) {
                return Err(err("a procedure's nodes are neighbours"));
            }
            if proc.error.is_some_and(|n| self.out_edges(n).len() > 0) {
                return Err(err("an error node has no successors"));
            }
        }
        if self.nodes.enumerate().any(|(n, node)| {
            self.procs.get(node.proc).is_none_or(|p| !p.nodes.contains(&(n.index() as u32)))
        }) {
            return Err(err("a node lies among those of its procedure"));
        }
        if self.labels.iter().any(|l| self.nodes.get(l.node).is_none()) {
            return Err(err("a label stands at a node"));
        }
        if self.procs.get(self.entry).is_none() {
            return Err(err("the entry procedure exists"));
        }
        let rel = Rel::guarded(self.init.condition, self.init.choices);
        self.rel(&rel, Vocabulary::Local(self.entry), &widths).map_err(|m| err(&m))?;
        for edge in self.edges.iter() {
            let at = |message: String| Invalid { node: Some(edge.source), message };
            let proc = self.nodes[edge.source].proc;
            let inside = |n: NodeId| self.nodes.get(n).is_some_and(|node| node.proc == proc);
            match &edge.kind {
                EdgeKind::Local { target, rel } => {
                    if !inside(*target) {
                        return Err(at("a step leaves its procedure".into()));
                    }
                    self.rel(rel, Vocabulary::Local(proc), &widths).map_err(at)?;
                }
                EdgeKind::Call(call) => {
                    if !inside(call.ret) || self.procs.get(call.callee).is_none() {
                        return Err(at("a call returns into its caller".into()));
                    }
                    let (caller, callee) = (proc, call.callee);
                    self.rel(&call.enter, Vocabulary::Enter { caller, callee }, &widths)
                        .map_err(at)?;
                    self.rel(&call.back, Vocabulary::Back { caller, callee }, &widths)
                        .map_err(at)?;
                }
                EdgeKind::Return { rel } => {
                    self.rel(rel, Vocabulary::Return(proc), &widths).map_err(at)?;
                }
            }
        }
        Ok(())
    }

    /// Bits are numbered with 32 bits ([`crate::Layout`]).
    fn areas(&self) -> Result<(), Invalid> {
        let mut areas = vec![[0u64; 2]; self.procs.len()];
        let mut globals = 0u64;
        for var in self.vars.iter() {
            let end = match var.kind {
                VarKind::Global => Some(&mut globals),
                VarKind::Local(p) => areas.get_mut(p.index()).map(|a| &mut a[0]),
                VarKind::Result(p) => areas.get_mut(p.index()).map(|a| &mut a[1]),
            };
            let Some(end) = end else { return Err(err("a variable of an unknown procedure")) };
            *end += var.ty.cells() as u64 * var.ty.scalar.bits() as u64;
            if *end > MAX_AREA {
                return Err(err("too many bits of globals, of one frame or of results"));
            }
        }
        Ok(())
    }

    fn rel(&self, rel: &Rel, words: Vocabulary, widths: &[(Sort, u32)]) -> Result<(), String> {
        let sort = |e: ExprId| widths[e.index()].0;
        if sort(rel.guard) != Sort::Bool || sort(rel.constraint) != Sort::Bool {
            return Err("guards and constraints are boolean".into());
        }
        let mut problem = None;
        let mut reads = |root: ExprId, pre_only: bool| {
            self.exprs.postorder(root, |_, expr| match expr {
                Expr::Read(time, var) | Expr::Index(time, var, _)
                    if (pre_only && time != Time::Pre) || !words.has(time, self.vars[var].kind) =>
                {
                    let name = self.var_name(var);
                    problem = Some(format!("`{name}` cannot be read here at time {time:?}"));
                }
                Expr::Choice(k) if k >= rel.choices => {
                    problem = Some(format!("choice {k} of {}", rel.choices));
                }
                _ => {}
            });
        };
        reads(rel.guard, true);
        reads(rel.constraint, false);
        for assign in &rel.assigns {
            for e in [assign.index, assign.value].into_iter().flatten() {
                reads(e, true);
            }
        }
        if let Some(problem) = problem {
            return Err(problem);
        }
        for &Assign { time, var, index, value } in &rel.assigns {
            let Some(info) = self.vars.get(var) else { return Err("unknown target".into()) };
            if time == Time::Pre || !words.has(time, info.kind) {
                return Err(format!("`{}` cannot be assigned here", self.var_name(var)));
            }
            if index.is_some_and(|e| sort(e) != Sort::Int || info.ty.array.is_none())
                || (index.is_none() && value.is_some() && info.ty.array.is_some())
            {
                return Err(format!("`{}` is indexed iff it is an array", self.var_name(var)));
            }
            let constant = |e: ExprId| matches!(self.exprs[e], Expr::Int(_));
            if index.is_some_and(|e| !constant(e)) && !words.keeps(info.kind) {
                return Err(format!("`{}` needs a constant index here", self.var_name(var)));
            }
            let wanted = match info.ty.scalar {
                Scalar::Bool => Sort::Bool,
                Scalar::Int { .. } => Sort::Int,
            };
            if value.is_some_and(|e| sort(e) != wanted) {
                return Err(format!("`{}` gets a value of another sort", self.var_name(var)));
            }
        }
        // A target that is written as a whole twice would make engines disagree on the order.
        let mut whole: Vec<_> =
            rel.assigns.iter().filter(|a| a.index.is_none()).map(|a| (a.time, a.var)).collect();
        whole.sort_unstable();
        if whole.windows(2).any(|w| w[0] == w[1]) {
            return Err("a variable is assigned twice".into());
        }
        Ok(())
    }
}

/// Callers of each procedure: the call edges that enter it, in index order.
pub fn call_edges(program: &Program) -> IndexVec<ProcId, Vec<crate::EdgeId>> {
    let mut out = IndexVec::filled(Vec::new(), program.procs.len());
    for (id, edge) in program.edges.enumerate() {
        if let EdgeKind::Call(call) = &edge.kind {
            out[call.callee].push(id);
        }
    }
    out
}
