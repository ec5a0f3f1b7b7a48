//! Tree → program model.
//!
//! One node for each executed statement (the conditions of `if`, `elsif` and `while` are nodes of
//! their own), numbered in the order of the text; a silent node for the end of the body, and one
//! for the entry where `enforce` or `abortif` must hold there.
//!
//! **`enforce` and `abortif`** hold in every state in which control stands at a statement or has
//! run off the end. Such states are entered over the entry's silent edge, which they guard, and
//! over steps. A step that changes no variable of theirs leaves them true, so only assignments to
//! such a variable, and calls when they read a global, which the callee may have changed, carry
//! them as a constraint on the values afterwards. They bind neither the error node nor a `return`.

use ir::{BinaryOp, Exprs, Init, NodeId, Origin, ProcId, ProgramBuilder, Rel, Time, Type, VarId};
use rustc_hash::FxHashSet;
use source::{SourceFile, Span, suggest};
use syntax::{Language, LowerOptions};

use crate::error::{LowerError, LowerErrorKind};
use crate::mistakes::mistakes;
use crate::print::{branch_text, stmt_text};
use crate::scope::{Scope, Variable};
use crate::tree::{
    BinOp, Block, Branch, ExprId, ExprKind, List, Name, Proc, Stmt, StmtId, StmtKind, Symbol, Tree,
};

/// The program that a tree, read from `file`, describes; or everything that is wrong with it. It
/// starts at `main` if no other procedure is given.
pub fn lower(
    tree: &Tree,
    file: &SourceFile,
    options: &LowerOptions,
) -> Result<ir::Program, Vec<LowerError>> {
    let mut errors = mistakes(tree);
    let entry = entry(tree, options);
    match entry {
        Ok(entry) if errors.is_empty() => Ok(Lowering::new(tree, file).program(entry)),
        Ok(_) => Err(errors),
        Err(error) => {
            errors.push(error);
            Err(errors)
        }
    }
}

fn entry(tree: &Tree, options: &LowerOptions) -> Result<usize, LowerError> {
    /// Names that an error lists.
    const SHOWN: usize = 10;
    let wanted = options.entry.as_deref().unwrap_or("main");
    let names = || tree.procs().iter().map(|proc| tree.text(proc.name.symbol));
    names().position(|name| name == wanted).ok_or_else(|| {
        let mut known: Vec<String> = names().take(SHOWN).map(str::to_string).collect();
        if tree.procs().len() > SHOWN {
            known.push("…".into());
        }
        let nearest = suggest(wanted, names()).map(str::to_string);
        let kind = LowerErrorKind::NoEntry { name: wanted.to_string(), nearest, known };
        LowerError { kind, span: None, language: Language::Bp }
    })
}

/// The relation of an edge while it is built; it owns the numbers of its choices.
struct Draft {
    guard: ir::ExprId,
    assigns: Vec<ir::Assign>,
    constraint: ir::ExprId,
    choices: u32,
}

impl Draft {
    fn new() -> Draft {
        Draft { guard: Exprs::TRUE, assigns: Vec::new(), constraint: Exprs::TRUE, choices: 0 }
    }

    fn assign(&mut self, var: VarId, value: Option<ir::ExprId>) {
        self.assigns.push(ir::Assign { time: Time::Post, var, index: None, value });
    }

    fn rel(self) -> Rel {
        Rel {
            guard: self.guard,
            assigns: self.assigns.into(),
            constraint: self.constraint,
            choices: self.choices,
        }
    }
}

/// The valuations that `x` and `'x` are read from.
#[derive(Clone, Copy)]
struct Times {
    plain: Time,
    next: Time,
}

/// Everything is read before the step; `'x` is `x`.
const BEFORE: Times = Times { plain: Time::Pre, next: Time::Pre };
/// As in the constraint of an assignment.
const AROUND: Times = Times { plain: Time::Pre, next: Time::Post };
/// Everything is read after the step.
const AFTER: Times = Times { plain: Time::Post, next: Time::Post };

/// Frame variables and results of a procedure, and what its `enforce` and `abortif` read.
struct Frame {
    vars: Vec<VarId>,
    results: Vec<VarId>,
    /// By number in `vars`.
    watched: Vec<bool>,
    watches_globals: bool,
}

struct Lowering<'t> {
    tree: &'t Tree,
    file: &'t SourceFile,
    scope: Scope<'t>,
    builder: ProgramBuilder,
    globals: Vec<VarId>,
    /// By number of the global: the current procedure's `enforce` or `abortif` reads it.
    watched_globals: Vec<usize>,
    procs: Vec<ProcId>,
    frames: Vec<Frame>,
    /// The procedure being lowered.
    current: usize,
    /// The first node of a statement, by its number.
    stmt_nodes: Vec<Option<NodeId>>,
    /// The node of a branch, by its number.
    branch_nodes: Vec<Option<NodeId>>,
    /// By symbol: the procedure and node of a label.
    labels: Vec<Option<(usize, NodeId)>>,
    values: Vec<ir::ExprId>,
    work: Vec<(ExprId, bool)>,
}

impl<'t> Lowering<'t> {
    fn new(tree: &'t Tree, file: &'t SourceFile) -> Lowering<'t> {
        Lowering {
            tree,
            file,
            scope: Scope::new(tree),
            builder: ProgramBuilder::new(),
            globals: Vec::new(),
            watched_globals: vec![usize::MAX; tree.globals().len()],
            procs: Vec::new(),
            frames: Vec::new(),
            current: 0,
            stmt_nodes: vec![None; tree.stmt_count()],
            branch_nodes: vec![None; tree.branch_count()],
            labels: vec![None; tree.symbol_count()],
            values: Vec::new(),
            work: Vec::new(),
        }
    }

    fn origin(&mut self, span: Span, text: &str) -> Origin {
        let at = self.file.position(span.start);
        self.builder.origin(0, at.line, at.column, text)
    }

    fn program(mut self, entry: usize) -> ir::Program {
        self.builder.file(self.file.name());
        for name in self.tree.globals() {
            let text = self.tree.text(name.symbol);
            let origin = self.origin(name.span, text);
            self.globals.push(self.builder.global(text, Type::BOOL, origin));
        }
        for proc in self.tree.procs() {
            self.declare(proc);
        }
        for number in 0..self.procs.len() {
            self.body(number);
        }
        self.builder.finish(self.procs[entry], Init::default())
    }

    /// Declares a procedure and its variables, so that calls can refer to them.
    fn declare(&mut self, proc: &Proc) {
        let tree = self.tree;
        let name = tree.text(proc.name.symbol);
        let origin = self.origin(proc.span, name);
        let id = self.builder.proc(name, origin);
        let mut vars = Vec::with_capacity(proc.params.len() + proc.locals.len());
        for param in tree.names(proc.params) {
            let text = tree.text(param.symbol);
            let origin = self.origin(param.span, text);
            vars.push(self.builder.param(id, text, Type::BOOL, origin));
        }
        for local in tree.names(proc.locals) {
            let text = tree.text(local.symbol);
            let origin = self.origin(local.span, text);
            vars.push(self.builder.local(id, text, Type::BOOL, origin));
        }
        let results = (1..=proc.returns)
            .map(|i| self.builder.result(id, &format!("return.{i}"), Type::BOOL))
            .collect();
        let watched = vec![false; vars.len()];
        self.procs.push(id);
        self.frames.push(Frame { vars, results, watched, watches_globals: false });
    }

    fn body(&mut self, number: usize) {
        let proc = &self.tree.procs()[number];
        self.current = number;
        self.scope.enter(number);
        self.watch(proc);
        self.builder.begin_proc(self.procs[number]);
        self.nodes(proc.body);
        let exit = self.builder.silent();
        let first = self.head(proc.body, exit);
        let first = if proc.enforce.is_some() || proc.abortif.is_some() {
            let start = self.builder.silent();
            let mut draft = Draft::new();
            draft.guard = self.admitted(&mut draft, BEFORE);
            self.builder.silent_edge(start, first, draft.rel());
            start
        } else {
            first
        };
        self.builder.entry(self.procs[number], first);
        self.edges(proc.body, exit);
        // Results that are not assigned are arbitrary.
        self.builder.ret(exit, Rel::identity(), false);
    }

    // Nodes.

    /// A node for each statement and branch, in the order of the text.
    fn nodes(&mut self, body: Block) {
        enum Work {
            Stmt(StmtId),
            Branch(usize, Branch),
        }
        let tree = self.tree;
        let stmts = |block: Block| tree.block(block).iter().rev().map(|&stmt| Work::Stmt(stmt));
        let mut work: Vec<Work> = stmts(body).collect();
        while let Some(item) = work.pop() {
            match item {
                Work::Branch(number, branch) => {
                    let text = branch_text(tree, &branch, false);
                    let origin = self.origin(branch.keyword, &text);
                    self.branch_nodes[number] = Some(self.builder.statement(origin));
                    work.extend(stmts(branch.body));
                }
                Work::Stmt(id) => {
                    let stmt = tree.stmt(id);
                    let origin = self.origin(stmt.span, &stmt_text(tree, stmt));
                    let node = self.builder.statement(origin);
                    self.stmt_nodes[id.index()] = Some(node);
                    self.label(stmt, node);
                    match stmt.kind {
                        StmtKind::If { branches, otherwise } => {
                            work.extend(otherwise.into_iter().flat_map(stmts));
                            let numbered = branches.range().zip(tree.branches(branches));
                            let rest = numbered.skip(1).rev();
                            work.extend(rest.map(|(n, &branch)| Work::Branch(n, branch)));
                            let first = tree.branches(branches).first();
                            work.extend(first.into_iter().flat_map(|first| stmts(first.body)));
                        }
                        StmtKind::While { body, .. } => work.extend(stmts(body)),
                        _ => {}
                    }
                }
            }
        }
    }

    fn label(&mut self, stmt: &Stmt, node: NodeId) {
        for label in self.tree.names(stmt.labels) {
            let known = &mut self.labels[label.symbol.index()];
            // One label may stand twice before a statement.
            if *known != Some((self.current, node)) {
                *known = Some((self.current, node));
                self.builder.label(self.tree.text(label.symbol), node);
            }
        }
    }

    fn node(&self, stmt: StmtId) -> NodeId {
        self.stmt_nodes[stmt.index()].expect("`nodes` has visited every statement")
    }

    /// Where a block begins; `after` if it is empty.
    fn head(&self, block: Block, after: NodeId) -> NodeId {
        self.tree.block(block).first().map_or(after, |&stmt| self.node(stmt))
    }

    // Edges.

    fn edges(&mut self, body: Block, exit: NodeId) {
        let tree = self.tree;
        let mut blocks = vec![(body, exit)];
        while let Some((block, after)) = blocks.pop() {
            let stmts = tree.block(block);
            for (i, &id) in stmts.iter().enumerate() {
                let next = stmts.get(i + 1).map_or(after, |&stmt| self.node(stmt));
                let node = self.node(id);
                match tree.stmt(id).kind {
                    StmtKind::If { branches, otherwise } => {
                        let last = match otherwise {
                            Some(block) => {
                                blocks.push((block, next));
                                self.head(block, next)
                            }
                            None => next,
                        };
                        let mut from = node;
                        let numbers = branches.range();
                        for (n, branch) in numbers.zip(tree.branches(branches)) {
                            let following = (n + 1 < branches.range().end)
                                .then(|| self.branch_nodes[n + 1])
                                .map(|node| node.expect("`nodes` has visited every branch"));
                            let otherwise = following.unwrap_or(last);
                            let body = self.head(branch.body, next);
                            self.fork(from, branch.cond, body, otherwise);
                            blocks.push((branch.body, next));
                            from = otherwise;
                        }
                    }
                    StmtKind::While { cond, body } => {
                        let inside = self.head(body, node);
                        self.fork(node, cond, inside, next);
                        blocks.push((body, node));
                    }
                    _ => self.simple(tree.stmt(id), node, next),
                }
            }
        }
    }

    /// Steps on a condition and its opposite.
    fn fork(&mut self, from: NodeId, cond: ExprId, yes: NodeId, no: NodeId) {
        for (target, value) in [(yes, true), (no, false)] {
            let rel = self.condition(cond, value, BEFORE);
            self.step(from, target, rel);
        }
    }

    fn step(&mut self, from: NodeId, to: NodeId, rel: Rel) {
        if rel.guard != Exprs::FALSE {
            self.builder.step(from, to, rel);
        }
    }

    fn simple(&mut self, stmt: &Stmt, node: NodeId, next: NodeId) {
        match stmt.kind {
            // `print` has no effect on the program.
            StmtKind::Skip | StmtKind::Print(_) => self.step(node, next, Rel::identity()),
            StmtKind::Goto(targets) => {
                let mut seen = FxHashSet::default();
                for target in self.tree.names(targets) {
                    let (_, to) = self.labels[target.symbol.index()].expect("`check` has seen it");
                    if seen.insert(to) {
                        self.step(node, to, Rel::identity());
                    }
                }
            }
            StmtKind::Return(values) => {
                let mut draft = Draft::new();
                for (i, &value) in self.tree.exprs(values).iter().enumerate() {
                    let value = self.value(&mut draft, value);
                    draft.assign(self.frames[self.current].results[i], value);
                }
                self.builder.ret(node, draft.rel(), true);
            }
            StmtKind::Assign { targets, values, constraint } => {
                let mut draft = Draft::new();
                let mut watched = false;
                let values = self.tree.exprs(values).iter();
                for (target, &value) in self.tree.names(targets).iter().zip(values) {
                    if let Some((var, watch)) = self.target(target.symbol) {
                        let value = self.value(&mut draft, value);
                        draft.assign(var, value);
                        watched |= watch;
                    }
                }
                if let Some(constraint) = constraint {
                    draft.constraint = self.expr(&mut draft, constraint, AROUND);
                }
                self.admit(&mut draft, watched);
                self.step(node, next, draft.rel());
            }
            StmtKind::Dead(names) => {
                let mut draft = Draft::new();
                let mut watched = false;
                for name in self.tree.names(names) {
                    if let Some((var, watch)) = self.target(name.symbol) {
                        draft.assign(var, None);
                        watched |= watch;
                    }
                }
                self.admit(&mut draft, watched);
                self.step(node, next, draft.rel());
            }
            StmtKind::Call { targets, callee, args } => {
                self.call(node, next, targets, callee, args);
            }
            StmtKind::Assert(cond) => {
                let holds = self.condition(cond, true, BEFORE);
                self.step(node, next, holds);
                // Kept even if it cannot be taken: the edge tells that an assertion stands here.
                let fails = self.condition(cond, false, BEFORE);
                let error = self.builder.error_node();
                self.builder.step(node, error, fails);
            }
            StmtKind::Assume(cond) | StmtKind::Constrain(cond) => {
                let rel = self.condition(cond, true, BEFORE);
                self.step(node, next, rel);
            }
            StmtKind::If { .. } | StmtKind::While { .. } => {
                unreachable!("`edges` sees to statements with blocks")
            }
        }
    }

    fn call(
        &mut self,
        node: NodeId,
        next: NodeId,
        targets: List<Name>,
        callee: Name,
        args: List<ExprId>,
    ) {
        let callee = self.scope.proc(callee.symbol).expect("`check` has seen it");
        let mut enter = Draft::new();
        for (i, &arg) in self.tree.exprs(args).iter().enumerate() {
            let value = self.value(&mut enter, arg);
            enter.assign(self.frames[callee].vars[i], value);
        }
        let mut back = Draft::new();
        let mut watched = self.frames[self.current].watches_globals;
        for (i, target) in self.tree.names(targets).iter().enumerate() {
            if let Some((var, watch)) = self.target(target.symbol) {
                let value = self.builder.exprs.pre(self.frames[callee].results[i]);
                back.assign(var, Some(value));
                watched |= watch;
            }
        }
        self.admit(&mut back, watched);
        self.builder.call(node, self.procs[callee], enter.rel(), next, back.rel());
    }

    // Variables.

    fn var(&self, symbol: Symbol) -> VarId {
        match self.scope.variable(symbol).expect("`check` has seen it") {
            Variable::Global(i) => self.globals[i],
            Variable::Frame(i) => self.frames[self.current].vars[i],
        }
    }

    /// The variable that is assigned, none for `_`, and whether `enforce` or `abortif` reads it.
    fn target(&self, symbol: Symbol) -> Option<(VarId, bool)> {
        if self.tree.text(symbol) == "_" {
            return None;
        }
        let watched = match self.scope.variable(symbol).expect("`check` has seen it") {
            Variable::Global(i) => self.watched_globals[i] == self.current,
            Variable::Frame(i) => self.frames[self.current].watched[i],
        };
        Some((self.var(symbol), watched))
    }

    /// Notes the variables that `enforce` and `abortif` read.
    fn watch(&mut self, proc: &Proc) {
        let mut work: Vec<ExprId> = [proc.enforce, proc.abortif].into_iter().flatten().collect();
        while let Some(expr) = work.pop() {
            match self.tree.expr(expr).kind {
                ExprKind::Const(_) | ExprKind::Choice => {}
                ExprKind::Var(symbol) | ExprKind::Next(symbol) => {
                    match self.scope.variable(symbol).expect("`check` has seen it") {
                        Variable::Global(i) => {
                            self.watched_globals[i] = self.current;
                            self.frames[self.current].watches_globals = true;
                        }
                        Variable::Frame(i) => self.frames[self.current].watched[i] = true,
                    }
                }
                ExprKind::Not(a) => work.push(a),
                ExprKind::Binary(_, a, b) | ExprKind::Schoose(a, b) => work.extend([a, b]),
            }
        }
    }

    // Expressions.

    /// The current procedure's `enforce` and the opposite of its `abortif`. Their choices are
    /// choices of the relation, so some value of them will do.
    fn admitted(&mut self, draft: &mut Draft, times: Times) -> ir::ExprId {
        let proc = &self.tree.procs()[self.current];
        let mut admitted = Exprs::TRUE;
        if let Some(enforce) = proc.enforce {
            admitted = self.expr(draft, enforce, times);
        }
        if let Some(abortif) = proc.abortif {
            let abort = self.expr(draft, abortif, times);
            let go_on = self.builder.exprs.not(abort);
            admitted = self.builder.exprs.and(admitted, go_on);
        }
        admitted
    }

    /// Makes the relation end in admitted states only, if it changes a variable that matters.
    fn admit(&mut self, draft: &mut Draft, watched: bool) {
        if watched {
            let admitted = self.admitted(draft, AFTER);
            draft.constraint = self.builder.exprs.and(draft.constraint, admitted);
        }
    }

    /// The relation that changes nothing where the condition can have the value.
    fn condition(&mut self, cond: ExprId, value: bool, times: Times) -> Rel {
        let mut draft = Draft::new();
        let cond = self.expr(&mut draft, cond, times);
        if self.is_choice(cond) {
            return Rel::identity();
        }
        draft.guard = if value { cond } else { self.builder.exprs.not(cond) };
        draft.rel()
    }

    /// A value to be assigned; `None` if it is arbitrary.
    fn value(&mut self, draft: &mut Draft, value: ExprId) -> Option<ir::ExprId> {
        let before = draft.choices;
        let value = self.expr(draft, value, BEFORE);
        if self.is_choice(value) {
            // The choice occurs here only: no need to count it, or others that went into it.
            draft.choices = before;
            return None;
        }
        Some(value)
    }

    /// A bare choice or its opposite. Each choice of the source has its own number, so that one
    /// occurs nowhere else in the relation.
    fn is_choice(&self, expr: ir::ExprId) -> bool {
        match self.builder.exprs[expr] {
            ir::Expr::Choice(_) => true,
            ir::Expr::Not(inner) => matches!(self.builder.exprs[inner], ir::Expr::Choice(_)),
            _ => false,
        }
    }

    fn expr(&mut self, draft: &mut Draft, root: ExprId, times: Times) -> ir::ExprId {
        debug_assert!(self.work.is_empty() && self.values.is_empty());
        self.work.push((root, false));
        while let Some((id, operands_done)) = self.work.pop() {
            let kind = self.tree.expr(id).kind;
            let exprs = &mut self.builder.exprs;
            let value = match kind {
                ExprKind::Const(value) => exprs.bool(value),
                ExprKind::Var(symbol) => self.read(symbol, times.plain),
                ExprKind::Next(symbol) => self.read(symbol, times.next),
                ExprKind::Choice => fresh(exprs, draft),
                ExprKind::Not(a) if !operands_done => {
                    self.work.extend([(id, true), (a, false)]);
                    continue;
                }
                ExprKind::Binary(_, a, b) | ExprKind::Schoose(a, b) if !operands_done => {
                    self.work.extend([(id, true), (b, false), (a, false)]);
                    continue;
                }
                ExprKind::Not(_) => {
                    let a = pop(&mut self.values);
                    exprs.not(a)
                }
                ExprKind::Binary(op, ..) => {
                    let b = pop(&mut self.values);
                    let a = pop(&mut self.values);
                    binary(exprs, op, a, b)
                }
                ExprKind::Schoose(..) => {
                    let b = pop(&mut self.values);
                    let a = pop(&mut self.values);
                    let choice = fresh(exprs, draft);
                    let not_b = exprs.not(b);
                    let may = exprs.and(not_b, choice);
                    exprs.or(a, may)
                }
            };
            self.values.push(value);
        }
        pop(&mut self.values)
    }

    fn read(&mut self, symbol: Symbol, time: Time) -> ir::ExprId {
        let var = self.var(symbol);
        self.builder.exprs.add(ir::Expr::Read(time, var))
    }
}

fn pop(values: &mut Vec<ir::ExprId>) -> ir::ExprId {
    values.pop().expect("operands come before operators")
}

fn fresh(exprs: &mut Exprs, draft: &mut Draft) -> ir::ExprId {
    draft.choices += 1;
    exprs.choice(draft.choices - 1)
}

/// An operator with two operands, simplified where one is constant.
fn binary(exprs: &mut Exprs, op: BinOp, a: ir::ExprId, b: ir::ExprId) -> ir::ExprId {
    let constant = |e| match e {
        Exprs::TRUE => Some(true),
        Exprs::FALSE => Some(false),
        _ => None,
    };
    match (op, constant(a), constant(b)) {
        (BinOp::And, ..) => exprs.and(a, b),
        (BinOp::Or, ..) => exprs.or(a, b),
        (BinOp::Implies, ..) => {
            let not_a = exprs.not(a);
            exprs.or(not_a, b)
        }
        (BinOp::Eq, Some(true), _) | (BinOp::Ne | BinOp::Xor, Some(false), _) => b,
        (BinOp::Eq, _, Some(true)) | (BinOp::Ne | BinOp::Xor, _, Some(false)) => a,
        (BinOp::Eq, Some(false), _) | (BinOp::Ne | BinOp::Xor, Some(true), _) => exprs.not(b),
        (BinOp::Eq, _, Some(false)) | (BinOp::Ne | BinOp::Xor, _, Some(true)) => exprs.not(a),
        (BinOp::Eq, None, None) => exprs.binary(BinaryOp::Iff, a, b),
        (BinOp::Ne | BinOp::Xor, None, None) => exprs.binary(BinaryOp::Xor, a, b),
    }
}
