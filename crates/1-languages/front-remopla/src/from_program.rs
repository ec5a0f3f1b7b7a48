//! Program → tree, for programs that are written down (`bop convert --to remopla`).
//!
//! A node becomes a labelled `if` with a branch for each of its edges, which ends in a `goto`. What a
//! procedure returns travels in global variables. Simple relations are written as assignments, others
//! as `skip(b)` over values before and after.

use ir::{
    Assign, Edge, EdgeKind, Expr, ExprId as Ir, Exprs, Id, NodeId, ProcId, Program, Rel, TextId,
    Time, Type, Unwritten, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use crate::raise::{Named, Raise, is_failure};
use crate::tree::{
    self, Block, Branch, Decl, ExprId, ExprKind, Item, List, Module, Name, Stmt, StmtId, StmtKind,
    Tree, TypeName,
};

/// The program as a tree, with names that the language allows; labels keep theirs, or it is not
/// written. Marks and events are left out. Where an assertion fails stands `skip(false)` with a label
/// that tells ([`is_failure`]). `go_on` is asked now and then.
///
/// A call may set parameters only, and the initial condition speak of those.
pub fn from_program(program: &Program, go_on: &mut dyn FnMut() -> bool) -> Result<Tree, Unwritten> {
    let mut writer = Writer {
        program,
        raise: Raise::new(&program.exprs),
        labels: FxHashMap::default(),
        modules: Vec::new(),
        arguments: FxHashMap::default(),
    };
    writer.names()?;
    writer.declarations();
    writer.start()?;
    for proc in program.procs.ids() {
        writer.module(proc, go_on)?;
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
    fn names(&mut self) -> Result<(), Unwritten> {
        // Labels come first, so that questions about them can still be asked. Modules may share
        // them: a question about a label means all places that have it.
        let program = self.program;
        let mut shared: FxHashMap<TextId, Name> = FxHashMap::default();
        let mut used: FxHashMap<(ProcId, TextId), NodeId> = FxHashMap::default();
        for label in &program.labels {
            let other = used.insert((program.nodes[label.node].proc, label.name), label.node);
            let text = program.text(label.name);
            if other.is_some_and(|other| other != label.node) {
                let what = format!("the label `{text}` on two statements of a module");
                return Err(Unwritten::NoWords(what));
            }
            if other.is_some() {
                continue;
            }
            let name = match shared.get(&label.name) {
                Some(&name) => name,
                None => self.raise.label(text)?,
            };
            shared.insert(label.name, name);
            self.labels.entry(label.node).or_default().push(name);
        }
        // No label is called like a procedure, which a question may name as well.
        for id in program.procs.ids() {
            self.raise.reserve(Named::Place, program.proc_name(id));
        }
        let names = program.procs.ids().map(|id| program.proc_name(id));
        let names = self.raise.names(Named::Module, names);
        self.modules = names.into_iter().map(|name| (name, Vec::new())).collect();
        let mut failure = None;
        for (id, proc) in program.procs.enumerate() {
            for node in proc.node_ids() {
                if proc.error == Some(node) && !self.says_failure(node) {
                    let name = *failure.get_or_insert_with(|| self.raise.failure());
                    self.labels.entry(node).or_default().push(name);
                } else if !self.labels.contains_key(&node) {
                    let text = format!("{}_{}", program.proc_name(id), node.index());
                    let label = self.raise.name(Named::Place, &text);
                    self.labels.insert(node, vec![label]);
                }
            }
        }
        Ok(())
    }

    /// Whether a label of a node tells that an assertion failed.
    fn says_failure(&self, node: NodeId) -> bool {
        let tree = &self.raise.tree;
        let labels = self.labels.get(&node);
        labels.is_some_and(|labels| labels.iter().any(|label| is_failure(tree.text(label.symbol))))
    }

    fn declarations(&mut self) {
        let program = self.program;
        let info = |var: VarId| (var, program.var_name(var), program.vars[var].ty);
        let globals: Vec<_> = program.globals.iter().map(|&var| info(var)).collect();
        let mut decls = self.raise.vars(&globals);
        for (id, proc) in program.procs.enumerate() {
            let name = format!("{}_return", program.proc_name(id));
            let results = proc.results.iter();
            let results: Vec<_> = results.map(|&v| (v, &*name, program.vars[v].ty)).collect();
            decls.extend(self.raise.vars(&results));
        }
        self.raise.keep_scope();
        for decl in decls {
            self.raise.tree.add_item(Item::Decl(decl));
        }
        for (id, proc) in program.procs.enumerate() {
            let locals: Vec<_> = proc.locals.iter().map(|&var| info(var)).collect();
            self.modules[id.index()].1 = self.raise.vars(&locals);
            self.raise.end_scope();
        }
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
        let body: Block = tree.add_block(body);
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
    fn start(&mut self) -> Result<(), Unwritten> {
        let program = self.program;
        let (entry, init) = (program.entry, program.init);
        let (main, _) = self.modules[entry.index()];
        if init.condition == Exprs::TRUE {
            let names = self.raise.tree.add_names([main]);
            self.raise.tree.add_item(Item::Init(names));
            return Ok(());
        }
        // What the condition says of parameters is said of variables that are the arguments.
        let mut read: FxHashSet<VarId> = FxHashSet::default();
        program.exprs.reads(init.condition, |_, var| {
            read.insert(var);
        });
        let (mut args, mut locals) = (Vec::new(), Vec::new());
        for (k, &var) in program.procs[entry].locals.iter().enumerate() {
            let read = read.contains(&var);
            if k >= program.procs[entry].params {
                if read {
                    return Err(Unwritten::no_words("an initial condition on local variables"));
                }
                continue;
            }
            args.push(match read {
                true => {
                    let (decl, name) = self.raise.fresh_var("argument", program.vars[var].ty);
                    locals.push(decl);
                    self.raise.rename(Time::Pre, var, name, 0);
                    self.raise.named(name, 0, None)
                }
                false => self.raise.tree.add_expr(ExprKind::Undef, Span::default()),
            });
        }
        let mut text = "start".to_owned();
        while program.procs.ids().any(|id| program.proc_name(id) == text)
            || program.labels.iter().any(|label| program.text(label.name) == text)
        {
            text.push('_');
        }
        let start = self.raise.name(Named::Module, &text);
        let names = self.raise.tree.add_names([start]);
        self.raise.tree.add_item(Item::Init(names));
        self.raise.open_choices(init.choices);
        let condition = self.raise.expr(init.condition)?;
        self.raise.restore();
        let condition = self.raise.close_choices(condition);
        let pass = self.plain(StmtKind::Skip(Some(condition)));
        let args = self.raise.tree.add_exprs(args);
        let assigns = List::EMPTY;
        let call = self.plain(StmtKind::Call { target: None, callee: main, args, assigns });
        self.add_module(start, Vec::new(), locals, vec![pass, call]);
        Ok(())
    }

    fn module(&mut self, id: ProcId, go_on: &mut dyn FnMut() -> bool) -> Result<(), Unwritten> {
        let program = self.program;
        let proc = &program.procs[id];
        let mut body = Vec::new();
        if proc.node_ids().next() != Some(proc.entry) {
            let goto = self.goto(proc.entry);
            body.push(self.plain(goto));
        }
        for node in proc.node_ids() {
            if !go_on() {
                return Err(Unwritten::Stopped);
            }
            let labels = self.labels[&node].clone();
            let labels = self.raise.tree.add_names(labels);
            let mut branches = Vec::new();
            for edge in program.out_edges(node) {
                branches.push(self.branch(&program.edges[edge])?);
            }
            // Nothing goes on at `skip(false)`, and where a label says so, an assertion failed.
            let failed = proc.error == Some(node);
            let kind = if branches.is_empty() && (failed || !self.says_failure(node)) {
                StmtKind::Skip(Some(self.never()))
            } else if branches.is_empty() {
                let body = self.plain(StmtKind::Skip(None));
                let body = self.raise.tree.add_block([body]);
                let guard = Some(self.never());
                let branch = Branch { guard, body, span: Span::default() };
                StmtKind::If(self.raise.tree.add_list([branch]))
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

    fn never(&mut self) -> ExprId {
        self.raise.tree.add_expr(ExprKind::Bool(false), Span::default())
    }

    fn goto(&self, node: NodeId) -> StmtKind {
        StmtKind::Goto(self.labels[&node][0], List::EMPTY)
    }

    /// `:: guard -> … goto L;`
    fn branch(&mut self, edge: &Edge) -> Result<Branch, Unwritten> {
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
                let locals = &self.program.procs[call.callee].locals;
                let cell = |a: &Assign| {
                    a.time == Time::Post && a.index.is_some() && locals.contains(&a.var)
                };
                if self.is_simple(&call.enter) && !call.enter.assigns.iter().any(cell) {
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
        let body = self.raise.tree.add_block(body);
        let always = self.raise.tree.add_expr(ExprKind::Bool(true), Span::default());
        Ok(Branch { guard: Some(always), body, span: Span::default() })
    }

    fn call(&mut self, call: &ir::Call) -> Result<StmtId, Unwritten> {
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
                    return Err(Unwritten::no_words("a call that sets local variables or cells"));
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
        let args = self.raise.tree.add_exprs(list);
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
    ) -> Result<[StmtId; 2], Unwritten> {
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
                    return Err(Unwritten::no_words("a call that sets local variables"));
                }
                continue;
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
        let callee_vars: Vec<VarId> = args.iter().map(|&(var, _)| var).collect();
        let skip = self.formula(&call.enter, &callee_vars);
        self.raise.restore();
        let skip = skip?;
        let list: Vec<ExprId> =
            args.iter().map(|&(_, name)| self.raise.named(name, 0, None)).collect();
        let args = self.raise.tree.add_exprs(list);
        let ((callee, _), assigns) = (self.modules[call.callee.index()].clone(), List::EMPTY);
        let call = self.plain(StmtKind::Call { target: None, callee, args, assigns });
        Ok([skip, call])
    }

    /// Whether a relation is a guard and assignments that mean the same in both. A boolean with an
    /// undefined part is false in the program model, and has no successor here; and a cell that can
    /// never be is refused here.
    fn is_simple(&self, rel: &Rel) -> bool {
        rel.choices == 0
            && rel.constraint == Exprs::TRUE
            && rel.assigns.iter().all(|assign| {
                let ty = self.program.vars[assign.var].ty;
                let is_bool = ty.scalar == ir::Scalar::Bool;
                let exists = match (assign.index.map(|i| self.program.exprs[i]), ty.array) {
                    (Some(Expr::Int(i)), Some(dim)) => i >= dim.lo && i < dim.lo + dim.len as i64,
                    _ => true,
                };
                exists && assign.value.is_none_or(|v| !is_bool || self.raise.is_defined(v))
            })
    }

    fn assign(&mut self, assign: &Assign) -> Result<tree::Assign, Unwritten> {
        let index = assign.index.map(|index| self.raise.expr(index)).transpose()?;
        let target = self.raise.place(Time::Pre, assign.var, index);
        let value = match assign.value {
            Some(value) => self.raise.expr(value)?,
            None => self.raise.tree.add_expr(ExprKind::Undef, Span::default()),
        };
        Ok(tree::Assign { quantifiers: List::EMPTY, target, other: false, value })
    }

    /// The statements that do what a relation does.
    fn relation(&mut self, rel: &Rel) -> Result<Vec<StmtId>, Unwritten> {
        let mut out = Vec::new();
        if self.is_simple(rel) {
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
        Ok(vec![self.formula(rel, &[])?])
    }

    /// A relation as `skip(b)`. Those of `entered` are variables of a callee, which have no value
    /// before.
    fn formula(&mut self, rel: &Rel, entered: &[VarId]) -> Result<StmtId, Unwritten> {
        self.raise.open_choices(rel.choices);
        let mut conjuncts = Vec::new();
        for condition in [rel.guard, rel.constraint] {
            if condition != Exprs::TRUE {
                conjuncts.push(self.raise.expr(condition)?);
            }
        }
        // What has a prime changes here, unless the formula says otherwise.
        let mut targets: Vec<(Time, VarId)> = Vec::new();
        let mut seen: FxHashSet<(Time, VarId)> = FxHashSet::default();
        let entered = entered.iter().map(|&var| (Time::Post, var));
        let new: FxHashSet<(Time, VarId)> = entered.clone().collect();
        let assigned = rel.assigns.iter().map(|assign| (assign.time, assign.var));
        targets.extend(entered.chain(assigned).filter(|&target| seen.insert(target)));
        self.program.exprs.reads(rel.constraint, |time, var| {
            if time != Time::Pre && seen.insert((time, var)) {
                targets.push((time, var));
            }
        });
        for target in targets {
            let mine = |a: &&Assign| (a.time, a.var) == target;
            let assigns: Vec<Assign> = rel.assigns.iter().filter(mine).copied().collect();
            let keeps = !new.contains(&target);
            self.raise.becomes(target, (keeps, true), &assigns, &mut conjuncts)?;
        }
        let all = self.raise.all(conjuncts);
        let all = all.map(|all| self.raise.close_choices(all));
        Ok(self.plain(StmtKind::Skip(all)))
    }
}
