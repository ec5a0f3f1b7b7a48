//! What is still to be done: the walk's own stack.

use super::Walker;
use super::assignments::Target;
use super::calls::Callee;
use super::code::{Ins, Label};
use super::text::Text;
use super::values::{Val, What};
use crate::objects::{FuncId, ObjectId};
use crate::skeleton::{Event, Relation};
use crate::tree::{Binary, Declaration, ExprId, InitId, StmtId, Sym, TypeId, Unary};
use c_types::Value;

#[derive(Clone, Copy)]
pub(super) enum Task<'a> {
    Stmt(StmtId),
    Eval(ExprId),
    /// Evaluates and assigns; the text is that of the assignment.
    Into(ExprId, Target, Option<Text>),
    Cond(ExprId, Label, Label, Option<Text>),
    Declare(&'a Declaration),
    Init(InitId),
    /// Pops a value, which is read.
    Consume,
    /// Replaces the value by what was read of it.
    Rvalue,
    /// The same, where the value goes on in a way that is not followed.
    Derive,
    /// The same of what goes nowhere else.
    Lend,
    Push(What),
    /// The top value is that of the expression: it has its type.
    Typed(ExprId),
    Pop,
    Flush(Text),
    Mark(Label),
    Jump(Label),
    Deref,
    Address,
    Step(ExprId),
    UnaryEnd(Unary),
    BinaryEnd(Binary),
    /// `a[i]`, with the index if that is a constant.
    Index(Option<u32>),
    Field(Sym),
    Arrow(Sym),
    Cast(TypeId),
    AssignTarget(ExprId),
    AssignWith(ExprId),
    AssignWithEnd(ExprId),
    /// Writes to what the value under the top is, if it is no object.
    StoreEnd,
    IntoEnd(ExprId, Target, Option<Text>),
    /// Writes to the object, value unknown.
    Write(ObjectId),
    /// Writes to the top value.
    WriteTop,
    CallEnd(ExprId, Callee),
    /// Of a comparison with a constant: the operand that is none, how it compares, with what.
    Test(ExprId, ExprId, Relation, Value, Label, Label, Text),
    Branch(ExprId, Label, Label, Text),
    Known(Label, Text),
    Choose(ExprId),
    Return(Option<ExprId>, Text),
    ReturnEnd(ExprId, Text),
    Dispatch(ExprId, Text, Label),
    EndSwitch(Label),
    PopLoop,
    EndScope(usize, usize, Text),
    Cleanup(ObjectId, FuncId),
    AsmEnd(StmtId),
    /// Another full expression begins.
    Fresh,
    /// The end of a statement expression.
    Leave,
}

impl<'a> Walker<'_, 'a> {
    pub(super) fn later<const N: usize>(&mut self, tasks: [Task<'a>; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    pub(super) fn task(&mut self, task: Task<'a>) {
        match task {
            Task::Stmt(s) => {
                self.fresh();
                self.stmt(s);
            }
            Task::Fresh => self.fresh(),
            Task::Leave => self.point.inside -= 1,
            Task::Eval(e) => self.eval(e),
            Task::Into(e, o, text) => self.assign(e, o, text),
            Task::Cond(e, yes, no, text) => self.cond(e, yes, no, text),
            Task::Declare(d) => {
                self.fresh();
                self.declare(d);
            }
            Task::Init(init) => self.init(init),
            Task::Consume => {
                let val = self.pop();
                self.consume(val);
            }
            Task::Rvalue => {
                let val = self.pop();
                self.consume(val);
                self.push(Val::other(val.ty).typed(val.exact));
            }
            Task::Derive => {
                let val = self.pop();
                self.consume(val);
                self.escape(val);
                self.push(Val::other(val.ty).typed(val.exact));
            }
            Task::Lend => {
                let val = self.pop();
                self.consume(val);
                self.point.hidden.extend(val.object().map(Event::Lent));
                self.push(Val::other(val.ty).typed(val.exact));
            }
            Task::Push(what) => {
                let ty = match what {
                    What::Assigned(o) | What::Object(o) => self.object_type(o),
                    _ => None,
                };
                self.push(Val::new(what, ty));
            }
            Task::Typed(e) => {
                let exact = self.typing(|t| t.ty(e));
                let val = self.pop();
                self.push(val.typed(exact));
            }
            Task::Pop => {
                self.pop();
            }
            Task::Flush(text) => self.flush(text),
            Task::Mark(label) => self.code.mark(label),
            Task::Jump(label) => self.code.push(Ins::Jump(label)),
            Task::Deref => self.deref(),
            Task::Address => self.address(),
            Task::Step(e) => self.step(e),
            Task::UnaryEnd(op) => self.unary_end(op),
            Task::BinaryEnd(op) => self.binary_end(op),
            Task::Index(constant) => self.index(constant),
            Task::Field(sym) => self.field(sym),
            Task::Arrow(sym) => self.arrow(sym),
            Task::Cast(ty) => self.cast(ty),
            Task::AssignTarget(e) => self.assign_target(e),
            Task::StoreEnd => self.store_end(),
            Task::AssignWith(e) => self.assign_with(e),
            Task::AssignWithEnd(e) => self.assign_with_end(e),
            Task::IntoEnd(e, o, text) => self.assign_end(e, o, text),
            Task::Write(o) => self.write(o, self.declared_type(o), None),
            Task::WriteTop => self.write_top(),
            Task::CallEnd(e, callee) => self.call_end(e, callee),
            Task::Test(e, x, relation, c, yes, no, text) => {
                self.test(e, x, (relation, c), (yes, no), text);
            }
            Task::Branch(e, yes, no, text) => {
                self.branch(e, (yes, Vec::new()), (no, Vec::new()), text)
            }
            Task::Known(to, text) => {
                let val = self.pop();
                self.consume(val);
                self.flush(text);
                self.code.push(Ins::Jump(to));
            }
            Task::Choose(e) => self.choose(e),
            Task::Return(e, text) => self.return_(e, text),
            Task::ReturnEnd(e, text) => self.return_end(e, text),
            Task::Dispatch(e, text, end) => self.dispatch(e, text, end),
            Task::EndSwitch(end) => self.end_switch(end),
            Task::PopLoop => {
                self.jumps.loops.pop();
            }
            Task::EndScope(names, cleanups, text) => self.end_scope(names, cleanups, text),
            Task::Cleanup(o, f) => self.jumps.cleanups.push((o, f)),
            Task::AsmEnd(s) => self.asm_end(s),
        }
    }

    pub(super) fn push(&mut self, val: Val) {
        self.vals.push(val);
    }

    pub(super) fn pop(&mut self) -> Val {
        self.vals.pop().expect("every evaluation leaves a value")
    }
}
