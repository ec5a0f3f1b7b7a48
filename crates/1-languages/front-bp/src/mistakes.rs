//! What the grammar cannot say: names are known and used once, numbers of values agree.

use source::{Span, suggest};
use syntax::Language;

use crate::error::{LowerError, LowerErrorKind};
use crate::scope::{Scope, Variable};
use crate::tree::{Block, ExprId, ExprKind, List, Name, Proc, StmtId, StmtKind, Symbol, Tree};

/// A nearest name is looked for in this many errors; the search reads every name in scope.
const SUGGESTIONS: usize = 50;

/// Everything that is wrong with a program which the grammar accepts, in the order of the text.
/// Whether there is a procedure to start at is a question for [`lower`](crate::lower).
pub fn mistakes(tree: &Tree) -> Vec<LowerError> {
    let mut checker = Checker {
        tree,
        scope: Scope::new(tree),
        errors: Vec::new(),
        labels: vec![None; tree.symbol_count()],
        assigned: vec![None; tree.symbol_count()],
        unknown: vec![usize::MAX; tree.symbol_count()],
        statements: 0,
        exprs: Vec::new(),
    };
    checker.globals();
    for number in 0..tree.procs().len() {
        checker.proc(number);
    }
    checker.errors.sort_by_key(|error| error.span);
    checker.errors
}

struct Checker<'t> {
    tree: &'t Tree,
    scope: Scope<'t>,
    errors: Vec<LowerError>,
    /// By symbol: procedure, statement and place of the label, valid for that procedure.
    labels: Vec<Option<(usize, StmtId, Span)>>,
    /// By symbol: the left-hand side (by number) and place where it occurs.
    assigned: Vec<Option<(usize, Span)>>,
    /// By symbol: the procedure in which it was last reported as unknown.
    unknown: Vec<usize>,
    /// Left-hand sides so far.
    statements: usize,
    exprs: Vec<ExprId>,
}

impl<'t> Checker<'t> {
    fn error(&mut self, kind: LowerErrorKind, span: Span) {
        self.errors.push(LowerError { kind, span: Some(span), language: Language::Bp });
    }

    fn text(&self, symbol: Symbol) -> String {
        self.tree.text(symbol).to_string()
    }

    fn nearest(&self, symbol: Symbol, known: impl IntoIterator<Item = &'t Name>) -> Option<String> {
        if self.errors.len() >= SUGGESTIONS {
            return None;
        }
        let known = known.into_iter().map(|name| self.tree.text(name.symbol));
        suggest(self.tree.text(symbol), known).map(str::to_string)
    }

    fn globals(&mut self) {
        self.unique(self.tree.globals(), "global variable");
        let names: Vec<Name> = self.tree.procs().iter().map(|proc| proc.name).collect();
        self.unique(&names, "procedure");
    }

    /// An error for each name that occurs twice in the list.
    fn unique(&mut self, names: &[Name], what: &'static str) {
        self.statements += 1;
        for name in names {
            match self.assigned[name.symbol.index()] {
                Some((list, first)) if list == self.statements => {
                    let name_text = self.text(name.symbol);
                    let kind = LowerErrorKind::DeclaredTwice { what, name: name_text, first };
                    self.error(kind, name.span);
                }
                _ => self.assigned[name.symbol.index()] = Some((self.statements, name.span)),
            }
        }
    }

    fn proc(&mut self, number: usize) {
        let proc = &self.tree.procs()[number];
        self.unique(self.tree.names(proc.params), "parameter");
        self.unique(self.tree.names(proc.locals), "local variable");
        self.scope.enter(number);
        for expr in [proc.enforce, proc.abortif].into_iter().flatten() {
            self.expr(number, expr, false);
        }
        let mut gotos: Vec<List<Name>> = Vec::new();
        let mut all_labels: Vec<Name> = Vec::new();
        let mut work = Vec::new();
        self.push(&mut work, proc.body);
        while let Some(id) = work.pop() {
            let stmt = self.tree.stmt(id);
            for label in self.tree.names(stmt.labels) {
                match self.labels[label.symbol.index()] {
                    Some((p, other, first)) if p == number && other != id => {
                        let name = self.text(label.symbol);
                        self.error(LowerErrorKind::LabelTwice { name, first }, label.span);
                    }
                    _ => {
                        self.labels[label.symbol.index()] = Some((number, id, label.span));
                        all_labels.push(*label);
                    }
                }
            }
            match stmt.kind {
                StmtKind::Skip => {}
                StmtKind::Goto(targets) => gotos.push(targets),
                StmtKind::Return(values) => {
                    let (returns, given) = (proc.returns as usize, values.len());
                    if returns != given {
                        let name = self.text(proc.name.symbol);
                        let declared = proc.span;
                        let kind = LowerErrorKind::ReturnCount { name, returns, given, declared };
                        self.error(kind, stmt.span);
                    }
                    self.exprs(number, values);
                }
                StmtKind::Print(values) => self.exprs(number, values),
                StmtKind::Assign { targets, values, constraint } => {
                    self.targets(number, targets);
                    self.exprs(number, values);
                    if let Some(constraint) = constraint {
                        self.expr(number, constraint, true);
                    }
                }
                StmtKind::Call { targets, callee, args } => {
                    self.call(stmt.span, targets, callee, args);
                    self.targets(number, targets);
                    self.exprs(number, args);
                }
                StmtKind::Assert(expr) | StmtKind::Assume(expr) => self.expr(number, expr, false),
                StmtKind::Constrain(expr) => self.expr(number, expr, true),
                StmtKind::Dead(names) => {
                    for name in self.tree.names(names) {
                        if self.tree.text(name.symbol) == "_" {
                            self.error(LowerErrorKind::UnderscoreDead, name.span);
                        }
                    }
                    self.targets(number, names);
                }
                StmtKind::If { branches, otherwise } => {
                    for branch in self.tree.branches(branches) {
                        self.expr(number, branch.cond, false);
                    }
                    if let Some(block) = otherwise {
                        self.push(&mut work, block);
                    }
                    for branch in self.tree.branches(branches).iter().rev() {
                        self.push(&mut work, branch.body);
                    }
                }
                StmtKind::While { cond, body } => {
                    self.expr(number, cond, false);
                    self.push(&mut work, body);
                }
            }
        }
        for targets in gotos {
            for target in self.tree.names(targets) {
                if self.labels[target.symbol.index()].is_none_or(|(p, ..)| p != number) {
                    self.unknown_label(number, proc, *target, &all_labels);
                }
            }
        }
    }

    fn push(&self, work: &mut Vec<StmtId>, block: Block) {
        work.extend(self.tree.block(block).iter().rev());
    }

    fn unknown_label(&mut self, number: usize, proc: &Proc, target: Name, known: &[Name]) {
        let texts = known.iter().map(|label| self.tree.text(label.symbol));
        let nearest = if self.errors.len() < SUGGESTIONS {
            suggest(self.tree.text(target.symbol), texts).map(str::to_string)
        } else {
            None
        };
        // Labels of later procedures are not known yet; those of earlier ones are worth a word.
        let elsewhere = self.labels[target.symbol.index()]
            .filter(|&(p, ..)| p != number)
            .map(|(_, _, span)| span);
        let kind = LowerErrorKind::UnknownLabel {
            name: self.text(target.symbol),
            proc: self.text(proc.name.symbol),
            nearest,
            elsewhere,
        };
        self.error(kind, target.span);
    }

    fn call(&mut self, span: Span, targets: List<Name>, callee: Name, args: List<ExprId>) {
        let name = self.text(callee.symbol);
        let Some(number) = self.scope.proc(callee.symbol) else {
            let nearest = self.nearest(callee.symbol, self.tree.procs().iter().map(|p| &p.name));
            self.error(LowerErrorKind::UnknownProcedure { name, nearest }, callee.span);
            return;
        };
        let proc = &self.tree.procs()[number];
        let declared = proc.span;
        let (takes, given) = (proc.params.len(), args.len());
        if takes != given {
            let name = name.clone();
            self.error(LowerErrorKind::ArgumentCount { name, takes, given, declared }, span);
        }
        let (returns, wanted) = (proc.returns as usize, targets.len());
        if wanted > 0 && returns != wanted {
            self.error(LowerErrorKind::TargetCount { name, returns, wanted, declared }, span);
        }
    }

    fn targets(&mut self, proc: usize, targets: List<Name>) {
        self.statements += 1;
        for target in self.tree.names(targets) {
            if self.tree.text(target.symbol) == "_" {
                continue;
            }
            if self.variable(proc, target.symbol, target.span).is_none() {
                continue;
            }
            match self.assigned[target.symbol.index()] {
                Some((list, first)) if list == self.statements => {
                    let name = self.text(target.symbol);
                    self.error(LowerErrorKind::AssignedTwice { name, first }, target.span);
                }
                _ => self.assigned[target.symbol.index()] = Some((self.statements, target.span)),
            }
        }
    }

    fn variable(&mut self, number: usize, symbol: Symbol, span: Span) -> Option<Variable> {
        let found = self.scope.variable(symbol);
        // One error for each procedure is enough.
        if found.is_none() && self.unknown[symbol.index()] != number {
            self.unknown[symbol.index()] = number;
            let proc = &self.tree.procs()[number];
            let locals = self.tree.names(proc.locals).iter().chain(self.tree.names(proc.params));
            let nearest = self.nearest(symbol, locals.chain(self.tree.globals()));
            let name = self.text(symbol);
            let procedure = self.scope.proc(symbol).is_some();
            self.error(LowerErrorKind::UnknownVariable { name, nearest, procedure }, span);
        }
        found
    }

    fn exprs(&mut self, proc: usize, list: List<ExprId>) {
        for &expr in self.tree.exprs(list) {
            self.expr(proc, expr, false);
        }
    }

    fn expr(&mut self, proc: usize, expr: ExprId, next_allowed: bool) {
        debug_assert!(self.exprs.is_empty());
        self.exprs.push(expr);
        while let Some(id) = self.exprs.pop() {
            let expr = self.tree.expr(id);
            match expr.kind {
                ExprKind::Const(_) | ExprKind::Choice => {}
                ExprKind::Var(symbol) => _ = self.variable(proc, symbol, expr.span),
                ExprKind::Next(symbol) => {
                    let known = self.variable(proc, symbol, expr.span).is_some();
                    if known && !next_allowed {
                        let name = self.text(symbol);
                        self.error(LowerErrorKind::NextOutsideConstrain { name }, expr.span);
                    }
                }
                ExprKind::Not(a) => self.exprs.push(a),
                ExprKind::Binary(_, a, b) | ExprKind::Schoose(a, b) => self.exprs.extend([b, a]),
            }
        }
    }
}
