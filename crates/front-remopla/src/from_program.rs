//! Program → tree, for programs that are written down (`bop convert --to remopla`).
//!
//! A node becomes a labelled `if` with a branch for each of its edges, which ends in a `goto`. What a
//! procedure returns travels in global variables. Simple relations are written as assignments, others
//! as `skip(b)` over values before and after.

use ir::{
    Assign, Edge, EdgeKind, Expr, ExprId as Ir, Exprs, Id, NodeId, ProcId, Program, Rel, TextId,
    Time, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use crate::raise::{CannotSay, Raise};
use crate::tree::{
    self, BinOp, Block, Branch, Decl, ExprId, ExprKind, Item, List, Module, Name, Stmt, StmtId,
    StmtKind, Tree, TypeName,
};

/// The program as a tree, with names that the language allows; labels keep theirs where they can.
/// Marks and events are left out, and a failed assertion is a place where nothing goes on.
pub fn from_program(program: &Program) -> Result<Tree, CannotSay> {
    let mut writer = Writer {
        program,
        raise: Raise::new(&program.exprs),
        labels: FxHashMap::default(),
        modules: Vec::new(),
        arguments: FxHashMap::default(),
    };
    writer.names();
    writer.declarations();
    writer.start()?;
    for proc in program.procs.ids() {
        writer.module(proc)?;
    }
    Ok(writer.raise.tree)
}

struct Writer<'p> {
    program: &'p Program,
    raise: Raise<'p>,
    /// The label of each node, and further ones.
    labels: FxHashMap<NodeId, Vec<Name>>,
    modules: Vec<(Name, Vec<Decl>)>,
    /// Variables of a procedure that hold its k-th argument, of the type, for a call.
    arguments: FxHashMap<(ProcId, usize, Type), Name>,
}

impl Writer<'_> {
    fn names(&mut self) {
        // Labels come first, so that questions about them can still be asked.
        // Modules may share them: a question about a label means all places that have it.
        let mut shared: FxHashMap<TextId, Name> = FxHashMap::default();
        let mut used: FxHashSet<(ProcId, TextId)> = FxHashSet::default();
        for label in &self.program.labels {
            let first = used.insert((self.program.nodes[label.node].proc, label.name));
            let name = match shared.get(&label.name) {
                Some(&name) if first => name,
                _ => self.raise.name(self.program.text(label.name)),
            };
            shared.entry(label.name).or_insert(name);
            self.labels.entry(label.node).or_default().push(name);
        }
        for (id, proc) in self.program.procs.enumerate() {
            let name = self.raise.name(self.program.proc_name(id));
            self.modules.push((name, Vec::new()));
            for node in proc.node_ids() {
                if !self.labels.contains_key(&node) {
                    let text = format!("{}_{}", self.program.proc_name(id), node.index());
                    let label = self.raise.name(&text);
                    self.labels.insert(node, vec![label]);
                }
            }
        }
    }

    fn declarations(&mut self) {
        let program = self.program;
        for &global in &program.globals {
            self.global(global, program.var_name(global).to_owned());
        }
        for (id, proc) in program.procs.enumerate() {
            for &result in &proc.results {
                self.global(result, format!("{}_return", program.proc_name(id)));
            }
        }
        for (id, proc) in program.procs.enumerate() {
            for &local in &proc.locals {
                let ty = program.vars[local].ty;
                let decl = self.raise.var(local, program.var_name(local), ty);
                self.modules[id.index()].1.push(decl);
            }
        }
    }

    fn global(&mut self, var: ir::VarId, name: String) {
        let decl = self.raise.var(var, &name, self.program.vars[var].ty);
        self.raise.tree.add_item(Item::Decl(decl));
    }

    fn stmt(&mut self, labels: List<Name>, kind: StmtKind) -> StmtId {
        self.raise.tree.add_stmt(Stmt { labels, kind, span: Span::default() })
    }

    fn plain(&mut self, kind: StmtKind) -> StmtId {
        self.stmt(List::EMPTY, kind)
    }

    fn add_module(&mut self, name: Name, params: Vec<Decl>, locals: Vec<Decl>, body: Vec<StmtId>) {
        let tree = &mut self.raise.tree;
        let params = tree.add_list(params);
        let locals = tree.add_list(locals);
        let body: Block = tree.add_list(body);
        tree.add_item(Item::Module(Module {
            name,
            returns: TypeName::Void,
            dims: List::EMPTY,
            bits: None,
            params,
            locals,
            body: Some(body),
            span: Span::default(),
        }));
    }

    /// `init`, and a module that lets the initial condition pass, if there is one.
    fn start(&mut self) -> Result<(), CannotSay> {
        let program = self.program;
        let (entry, init) = (program.entry, program.init);
        let (main, _) = self.modules[entry.index()];
        let mut local = false;
        program.exprs.reads(init.condition, |_, var| {
            local |= program.vars[var].kind != ir::VarKind::Global;
        });
        if local {
            return Err(CannotSay("an initial condition on local variables"));
        }
        let start = match init.condition {
            Exprs::TRUE => main,
            _ => self.raise.name("start"),
        };
        let names = self.raise.tree.add_list([start]);
        self.raise.tree.add_item(Item::Init(names));
        if init.condition != Exprs::TRUE {
            self.raise.open_choices(init.choices);
            let condition = self.raise.expr(init.condition)?;
            let condition = self.raise.close_choices(condition);
            let pass = self.plain(StmtKind::Skip(Some(condition)));
            let undef =
                |writer: &mut Self| writer.raise.tree.add_expr(ExprKind::Undef, Span::default());
            let args: Vec<ExprId> = (0..program.procs[entry].params).map(|_| undef(self)).collect();
            let args = self.raise.tree.add_list(args);
            let assigns = List::EMPTY;
            let call = self.plain(StmtKind::Call { target: None, callee: main, args, assigns });
            self.add_module(start, Vec::new(), Vec::new(), vec![pass, call]);
        }
        Ok(())
    }

    fn module(&mut self, id: ProcId) -> Result<(), CannotSay> {
        let program = self.program;
        let proc = &program.procs[id];
        let mut body = Vec::new();
        if proc.node_ids().next() != Some(proc.entry) {
            let goto = self.goto(proc.entry);
            body.push(self.plain(goto));
        }
        for node in proc.node_ids() {
            let labels = self.labels[&node].clone();
            let labels = self.raise.tree.add_list(labels);
            let mut branches = Vec::new();
            for edge in program.out_edges(node) {
                branches.push(self.branch(&program.edges[edge])?);
            }
            let kind = if branches.is_empty() {
                let never = self.raise.tree.add_expr(ExprKind::Bool(false), Span::default());
                StmtKind::Skip(Some(never))
            } else {
                StmtKind::If(self.raise.tree.add_list(branches))
            };
            body.push(self.stmt(labels, kind));
        }
        let (name, decls) = self.modules[id.index()].clone();
        let (params, locals) = decls.split_at(proc.params);
        self.add_module(name, params.to_vec(), locals.to_vec(), body);
        Ok(())
    }

    fn goto(&self, node: NodeId) -> StmtKind {
        StmtKind::Goto(self.labels[&node][0], List::EMPTY)
    }

    /// `:: guard -> … goto L;`
    fn branch(&mut self, edge: &Edge) -> Result<Branch, CannotSay> {
        let mut body = Vec::new();
        match &edge.kind {
            EdgeKind::Local { target, rel } => {
                body.extend(self.relation(rel)?);
                let goto = self.goto(*target);
                body.push(self.plain(goto));
            }
            EdgeKind::Return { rel } => {
                // Results that are not assigned are arbitrary.
                let proc = self.program.nodes[edge.source].proc;
                let mut rel = rel.clone();
                let mut assigns = rel.assigns.to_vec();
                for &var in &self.program.procs[proc].results {
                    if !assigns.iter().any(|assign| assign.var == var && assign.index.is_none()) {
                        let (time, index, value) = (Time::Post, None, None);
                        assigns.insert(0, Assign { time, var, index, value });
                    }
                }
                rel.assigns = assigns.into();
                body.extend(self.relation(&rel)?);
                body.push(self.plain(StmtKind::Return(None)));
            }
            EdgeKind::Call(call) => {
                let simple = call.enter.choices == 0
                    && call.enter.constraint == Exprs::TRUE
                    && call.enter.assigns.iter().all(|assign| self.total(assign));
                if simple {
                    if call.enter.guard != Exprs::TRUE {
                        body.extend(self.relation(&Rel::guarded(call.enter.guard, 0))?);
                    }
                    body.push(self.call(call)?);
                } else {
                    let caller = self.program.nodes[edge.source].proc;
                    body.extend(self.constrained_call(caller, call)?);
                }
                body.extend(self.relation(&call.back)?);
                let goto = self.goto(call.ret);
                body.push(self.plain(goto));
            }
        }
        let body = self.raise.tree.add_list(body);
        let always = self.raise.tree.add_expr(ExprKind::Bool(true), Span::default());
        Ok(Branch { guard: Some(always), body, span: Span::default() })
    }

    fn call(&mut self, call: &ir::Call) -> Result<StmtId, CannotSay> {
        let enter = &call.enter;
        let callee = &self.program.procs[call.callee];
        let mut args: Vec<Option<Ir>> = vec![None; callee.params];
        let mut assigns = Vec::new();
        for assign in &enter.assigns {
            let local = callee.locals.iter().position(|&var| var == assign.var);
            match (local, assign.time) {
                (Some(k), Time::Post) if k < callee.params && assign.index.is_none() => {
                    args[k] = assign.value;
                }
                (Some(_), Time::Post) => {
                    return Err(CannotSay("a call that sets local variables or cells"));
                }
                _ => assigns.push(self.assign(assign)?),
            }
        }
        let mut list = Vec::new();
        for arg in args {
            list.push(match arg {
                Some(arg) => self.raise.expr(arg)?,
                None => self.raise.tree.add_expr(ExprKind::Undef, Span::default()),
            });
        }
        let args = self.raise.tree.add_list(list);
        let assigns = self.raise.tree.add_list(assigns);
        let (callee, _) = self.modules[call.callee.index()];
        Ok(self.plain(StmtKind::Call { target: None, callee, args, assigns }))
    }

    /// A call whose relation is more than assignments: a `skip` first gives the arguments to
    /// variables of the caller, and globals and the caller's own variables the values that they
    /// have meanwhile.
    fn constrained_call(
        &mut self,
        caller: ProcId,
        call: &ir::Call,
    ) -> Result<[StmtId; 2], CannotSay> {
        let program = self.program;
        let callee = &program.procs[call.callee];
        let mut args = Vec::new();
        for (k, &var) in callee.locals.iter().enumerate() {
            if k >= callee.params {
                let mut read = false;
                program.exprs.reads(call.enter.constraint, |time, v| {
                    read |= (time, v) == (Time::Post, var);
                });
                if read || call.enter.assigns.iter().any(|a| (a.time, a.var) == (Time::Post, var)) {
                    return Err(CannotSay("a call that sets local variables"));
                }
                continue;
            }
            if program.vars[var].ty.array.is_some() {
                return Err(CannotSay("a call with an array under a constraint"));
            }
            let ty = program.vars[var].ty;
            let name = match self.arguments.get(&(caller, k, ty)) {
                Some(&name) => name,
                None => {
                    let (decl, name) = self.raise.fresh_var("argument", ty);
                    self.modules[caller.index()].1.push(decl);
                    self.arguments.insert((caller, k, ty), name);
                    name
                }
            };
            args.push((var, name));
        }
        for &(var, name) in &args {
            self.raise.rename(Time::Post, var, name, 1);
        }
        for &local in &program.procs[caller].locals {
            let name = self.raise.name_of(local);
            self.raise.rename(Time::Saved, local, name, 1);
        }
        // Parameters that nothing says anything of are arbitrary.
        let mut enter = call.enter.clone();
        let mut assigns = enter.assigns.to_vec();
        for &(var, _) in &args {
            if !assigns.iter().any(|a| (a.time, a.var) == (Time::Post, var)) {
                assigns.push(Assign { time: Time::Post, var, index: None, value: None });
            }
        }
        enter.assigns = assigns.into();
        let skip = self.formula(&enter);
        self.raise.restore();
        let skip = skip?;
        let list: Vec<ExprId> =
            args.iter().map(|&(_, name)| self.raise.named(name, 0, None)).collect();
        let args = self.raise.tree.add_list(list);
        let ((callee, _), assigns) = (self.modules[call.callee.index()].clone(), List::EMPTY);
        let call = self.plain(StmtKind::Call { target: None, callee, args, assigns });
        Ok([skip, call])
    }

    /// Whether an assignment means the same in both: a boolean with an undefined part is false in
    /// the program model, and has no successor here.
    fn total(&self, assign: &Assign) -> bool {
        let Some(value) = assign.value else { return true };
        if self.program.vars[assign.var].ty.scalar != ir::Scalar::Bool {
            return true;
        }
        let mut total = true;
        self.program.exprs.postorder(value, |_, expr| {
            use ir::BinaryOp::{Div, Shl, Shr, When};
            total &= !matches!(expr, Expr::Index(..) | Expr::Binary(Div | Shl | Shr | When, ..));
        });
        total
    }

    fn assign(&mut self, assign: &Assign) -> Result<tree::Assign, CannotSay> {
        let index = assign.index.map(|index| self.raise.expr(index)).transpose()?;
        let target = self.raise.place(Time::Pre, assign.var, index);
        let value = match assign.value {
            Some(value) => self.raise.expr(value)?,
            None => self.raise.tree.add_expr(ExprKind::Undef, Span::default()),
        };
        Ok(tree::Assign { quantifiers: List::EMPTY, target, other: false, value })
    }

    /// The statements that do what a relation does.
    fn relation(&mut self, rel: &Rel) -> Result<Vec<StmtId>, CannotSay> {
        let simple = rel.choices == 0
            && rel.constraint == Exprs::TRUE
            && rel.assigns.iter().all(|assign| self.total(assign));
        let mut out = Vec::new();
        if simple {
            if rel.guard != Exprs::TRUE {
                let guard = self.raise.expr(rel.guard)?;
                out.push(self.plain(StmtKind::Skip(Some(guard))));
            }
            if !rel.assigns.is_empty() {
                let mut list = Vec::new();
                for assign in &rel.assigns {
                    list.push(self.assign(assign)?);
                }
                let list = self.raise.tree.add_list(list);
                out.push(self.plain(StmtKind::Assign(list)));
            }
            return Ok(out);
        }
        Ok(vec![self.formula(rel)?])
    }

    /// A relation as `skip(b)`.
    fn formula(&mut self, rel: &Rel) -> Result<StmtId, CannotSay> {
        self.raise.open_choices(rel.choices);
        let mut conjuncts = Vec::new();
        for condition in [rel.guard, rel.constraint] {
            if condition != Exprs::TRUE {
                conjuncts.push(self.raise.expr(condition)?);
            }
        }
        for assign in &rel.assigns {
            if self.program.vars[assign.var].ty.array.is_some() && assign.index.is_none() {
                return Err(CannotSay("an arbitrary array under a constraint"));
            }
            let index = assign.index.map(|index| self.raise.expr(index)).transpose()?;
            let after = self.raise.place(assign.time, assign.var, index);
            conjuncts.push(match assign.value {
                Some(value) => {
                    let value = self.raise.expr(value)?;
                    self.raise.binary(BinOp::Eq, after, value)
                }
                // Mentioned, so that it changes.
                None => {
                    let zero = self.raise.int(0);
                    self.raise.binary(BinOp::Ge, after, zero)
                }
            });
        }
        // What has a prime changes here, unless the formula says otherwise.
        let mut kept = Vec::new();
        self.program.exprs.reads(rel.constraint, |time, var| {
            if time != Time::Pre && !kept.contains(&(time, var)) {
                kept.push((time, var));
            }
        });
        for (time, var) in kept {
            match rel.assigns.iter().find(|assign| (assign.time, assign.var) == (time, var)) {
                None => conjuncts.push(self.raise.kept(time, var)),
                Some(assign) if assign.index.is_some() => {
                    return Err(CannotSay("a cell under a constraint on its array"));
                }
                Some(_) => {}
            }
        }
        let all = self.raise.all(conjuncts);
        let all = all.map(|all| self.raise.close_choices(all));
        Ok(self.plain(StmtKind::Skip(all)))
    }
}
