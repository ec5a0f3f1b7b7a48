//! Statements.

use super::Walker;
use super::jumps::Loop;
use super::tasks::Task;
use super::text::{Around, Text};
use crate::Place;
use crate::tree::{Asm, ExprId, ForInit, StmtId, StmtKind};

impl<'a> Walker<'_, 'a> {
    pub(super) fn stmt(&mut self, s: StmtId) {
        let unit = self.unit;
        let stmt = unit.stmt(s);
        let (at, end) = (stmt.at, stmt.end);
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => self.expression_statement(*e),
            StmtKind::Block(body, end) => {
                self.open_scope(*end);
                self.tasks.extend(body.iter().rev().map(|&s| Task::Stmt(s)));
            }
            StmtKind::Declare(list) => self.tasks.extend(list.iter().rev().map(Task::Declare)),
            StmtKind::If(c, then, otherwise) => self.if_(at, *c, *then, *otherwise),
            StmtKind::While(c, body) => self.while_(at, *c, *body),
            StmtKind::DoWhile(body, c) => self.do_while(*body, *c),
            StmtKind::For(init, condition, step, body) => {
                self.for_(at, init, (*condition, *step), *body);
            }
            StmtKind::Switch(e, body) => {
                let end = self.code.label();
                let text = self.around(Around::Switch, at, *e);
                self.later([
                    Task::Eval(*e),
                    Task::Dispatch(*e, text, end),
                    Task::Stmt(*body),
                    Task::EndSwitch(end),
                ]);
            }
            StmtKind::Case(low, high, body) => self.case(at, *low, *high, *body),
            StmtKind::Default(body) => self.default_case(at, *body),
            StmtKind::Label(sym, body) => self.labelled(at, *sym, *body),
            StmtKind::Goto(sym) => self.goto(at, end, *sym),
            StmtKind::GotoComputed(e) => {
                if !self.jumps.cleanups.is_empty() {
                    let message = "a computed `goto` runs no cleanups here";
                    self.warn(at, message.to_owned());
                }
                self.later([Task::Eval(*e), Task::Consume, Task::AsmEnd(s)]);
            }
            StmtKind::Break => self.leave_loop(at, end, true),
            StmtKind::Continue => self.leave_loop(at, end, false),
            StmtKind::Return(e) => {
                let text = match e {
                    Some(e) => self.around(Around::Return, at, *e),
                    None => Text::word("return", at),
                };
                self.return_(*e, text);
            }
            StmtKind::Asm(asm) => self.asm(s, asm),
        }
    }

    fn expression_statement(&mut self, e: ExprId) {
        let text = self.whole(e);
        self.later([Task::Eval(e), Task::Consume, Task::Flush(text)]);
    }

    /// What is declared from here on is known up to the task that this pushes.
    pub(super) fn open_scope(&mut self, end: Place) {
        let (names, cleanups) = (self.scope.mark(), self.jumps.cleanups.len());
        self.tasks.push(Task::EndScope(names, cleanups, Text::word("}", end)));
    }

    fn if_(&mut self, at: Place, c: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let (yes, no) = (self.code.label(), self.code.label());
        let text = Some(self.around(Around::If, at, c));
        match otherwise {
            None => self.later([
                Task::Cond(c, yes, no, text),
                Task::Mark(yes),
                Task::Stmt(then),
                Task::Mark(no),
            ]),
            Some(otherwise) => {
                let end = self.code.label();
                self.later([
                    Task::Cond(c, yes, no, text),
                    Task::Mark(yes),
                    Task::Stmt(then),
                    Task::Jump(end),
                    Task::Mark(no),
                    Task::Stmt(otherwise),
                    Task::Mark(end),
                ]);
            }
        }
    }

    fn while_(&mut self, at: Place, c: ExprId, body: StmtId) {
        let (top, yes, end) = (self.code.label(), self.code.label(), self.code.label());
        let text = Some(self.around(Around::While, at, c));
        self.code.mark(top);
        let cleanups = self.jumps.cleanups.len();
        self.jumps.loops.push(Loop { break_to: end, continue_to: Some(top), cleanups });
        self.later([
            Task::Cond(c, yes, end, text),
            Task::Mark(yes),
            Task::Stmt(body),
            Task::PopLoop,
            Task::Jump(top),
            Task::Mark(end),
        ]);
    }

    fn do_while(&mut self, body: StmtId, c: ExprId) {
        let (top, test, end) = (self.code.label(), self.code.label(), self.code.label());
        let text = Some(self.around(Around::While, self.unit.expr(c).at, c));
        self.code.mark(top);
        self.code.dos.push(self.code.here());
        let cleanups = self.jumps.cleanups.len();
        self.jumps.loops.push(Loop { break_to: end, continue_to: Some(test), cleanups });
        self.later([
            Task::Stmt(body),
            Task::PopLoop,
            Task::Mark(test),
            Task::Fresh,
            Task::Cond(c, top, end, text),
            Task::Mark(end),
        ]);
    }

    fn for_(
        &mut self,
        at: Place,
        init: &'a ForInit,
        (condition, step): (Option<ExprId>, Option<ExprId>),
        body: StmtId,
    ) {
        let (top, yes) = (self.code.label(), self.code.label());
        let (next, end) = (self.code.label(), self.code.label());
        self.open_scope(at);
        // What comes last is pushed first.
        self.later([Task::Jump(top), Task::Mark(end)]);
        if let Some(step) = step {
            let text = self.whole(step);
            self.later([Task::Fresh, Task::Eval(step), Task::Consume, Task::Flush(text)]);
        }
        self.later([Task::Stmt(body), Task::PopLoop, Task::Mark(next)]);
        self.tasks.push(Task::Mark(yes));
        if let Some(c) = condition {
            let text = Some(self.around(Around::For, at, c));
            self.later([Task::Fresh, Task::Cond(c, yes, end, text)]);
        }
        self.tasks.push(Task::Mark(top));
        match init {
            ForInit::None => {}
            ForInit::Expr(e) => self.expression_statement(*e),
            ForInit::Declare(list) => self.tasks.extend(list.iter().rev().map(Task::Declare)),
        }
        let cleanups = self.jumps.cleanups.len();
        self.jumps.loops.push(Loop { break_to: end, continue_to: Some(next), cleanups });
    }

    pub(super) fn asm(&mut self, s: StmtId, asm: &Asm) {
        self.tasks.push(Task::AsmEnd(s));
        for &e in asm.outputs.iter().rev() {
            self.later([Task::Eval(e), Task::WriteTop]);
        }
        for &e in asm.inputs.iter().rev() {
            self.later([Task::Eval(e), Task::Derive, Task::Pop]);
        }
    }
}
