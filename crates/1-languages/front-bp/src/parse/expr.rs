//! Expressions, by operator precedence with two explicit stacks.

use source::Span;
use syntax::{Mistake, Parsed};

use super::Parser;
use crate::Dialect;
use crate::error::ParseErrorKind;
use crate::lex::Kind;
use crate::tree::{BinOp, ExprId, ExprKind, List};

/// The stacks, kept between expressions to save allocations; empty in between.
#[derive(Default)]
pub(super) struct Scratch {
    operands: Vec<ExprId>,
    pending: Vec<Pending>,
    list: Vec<ExprId>,
}

/// What waits for an operand to its right.
#[derive(Clone, Copy)]
enum Pending {
    Not(Span),
    Binary(BinOp, u8),
    Paren(Span),
    /// `schoose[`, waiting for its first argument.
    First(Span),
    /// `schoose[a,`, waiting for its second.
    Second(Span, ExprId),
}

/// The precedence of an operator, higher binds tighter, and whether it groups to the right.
fn precedence(dialect: Dialect, op: BinOp) -> (u8, bool) {
    match (dialect, op) {
        (Dialect::Standard, BinOp::Implies) => (0, true),
        (Dialect::Standard, BinOp::Or) => (1, false),
        (Dialect::Standard, BinOp::Xor) => (2, false),
        (Dialect::Standard, BinOp::And) => (3, false),
        (Dialect::Standard, BinOp::Eq | BinOp::Ne) => (4, false),
        (Dialect::Satabs, BinOp::Implies | BinOp::Eq | BinOp::Ne) => (0, true),
        (Dialect::Satabs, BinOp::Xor) => (1, false),
        (Dialect::Satabs, BinOp::Or) => (2, false),
        (Dialect::Satabs, BinOp::And) => (3, false),
    }
}

impl Parser<'_> {
    pub(super) fn exprs(&mut self) -> Parsed<List<ExprId>> {
        let mut list = std::mem::take(&mut self.scratch.list);
        list.clear();
        loop {
            list.push(self.expr()?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        let exprs = self.tree.add_exprs(list.iter().copied());
        self.scratch.list = list;
        Ok(exprs)
    }

    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.scratch.operands.clear();
        self.scratch.pending.clear();
        loop {
            if !self.operand()? {
                continue;
            }
            // Behind an operand: close what can be closed, until an operator or a comma asks for
            // another operand.
            loop {
                self.apply_nots();
                if let Kind::Binary(op) = self.current.kind {
                    let (level, right) = precedence(self.dialect, op);
                    self.reduce(if right { level + 1 } else { level });
                    self.scratch.pending.push(Pending::Binary(op, level));
                    self.bump();
                    break;
                }
                self.reduce(0);
                match (self.scratch.pending.last().copied(), self.current.kind) {
                    (None, _) => {
                        let whole = self.scratch.operands.pop();
                        return Ok(whole.expect("each operand but one is part of another"));
                    }
                    (Some(Pending::Paren(open)), Kind::RParen) => {
                        let close = self.bump().span;
                        self.scratch.pending.pop();
                        let inner = self.scratch.operands.last();
                        let inner = *inner.expect("an operand was read since the bracket");
                        self.tree.widen(inner, open.to(close));
                    }
                    (Some(Pending::First(open)), Kind::Comma) => {
                        self.bump();
                        self.scratch.pending.pop();
                        let first = self.pop_operand();
                        self.scratch.pending.push(Pending::Second(open, first));
                        break;
                    }
                    (Some(Pending::Second(open, first)), Kind::RBracket) => {
                        let close = self.bump().span;
                        self.scratch.pending.pop();
                        let second = self.pop_operand();
                        let kind = ExprKind::Schoose(first, second);
                        let whole = self.tree.add_expr(kind, open.to(close));
                        self.scratch.operands.push(whole);
                    }
                    (Some(Pending::First(open)), _) => {
                        return Err(self.unclosed("`schoose[`", open, "`,`"));
                    }
                    (Some(Pending::Second(open, _)), _) => {
                        return Err(self.unclosed("`schoose[`", open, "`]`"));
                    }
                    (Some(Pending::Paren(open)), _) => {
                        return Err(self.unclosed("`(`", open, "`)`"));
                    }
                    (Some(Pending::Not(_) | Pending::Binary(..)), _) => {
                        unreachable!("`apply_nots` and `reduce` took them off")
                    }
                }
            }
        }
    }

    /// Reads what can stand where an operand is wanted; `true` if it was one, `false` if it was
    /// something before one.
    fn operand(&mut self) -> Parsed<bool> {
        let token = self.current;
        let kind = match token.kind {
            Kind::Not => {
                self.bump();
                self.scratch.pending.push(Pending::Not(token.span));
                return Ok(false);
            }
            Kind::LParen => {
                self.bump();
                self.scratch.pending.push(Pending::Paren(token.span));
                return Ok(false);
            }
            Kind::Schoose => {
                self.bump();
                let open = self.expect(Kind::LBracket, "`[`")?;
                self.scratch.pending.push(Pending::First(token.span.to(open.span)));
                return Ok(false);
            }
            Kind::Choice => ExprKind::Choice,
            Kind::Const(value) => ExprKind::Const(value),
            Kind::Int => match self.text_of(token) {
                "0" => ExprKind::Const(false),
                "1" => ExprKind::Const(true),
                other => {
                    let other = other.to_string();
                    self.error(ParseErrorKind::NotAConstant(other), token.span);
                    ExprKind::Const(false)
                }
            },
            Kind::Quote => {
                self.bump();
                let name = self.name("a variable")?;
                let span = token.span.to(name.span);
                let next = self.tree.add_expr(ExprKind::Next(name.symbol), span);
                self.scratch.operands.push(next);
                return Ok(true);
            }
            Kind::Ident if self.next.kind == Kind::LParen => {
                let name = self.text_of(token).to_string();
                return Err(self.fail(Mistake::CallInExpression(name)));
            }
            Kind::Ident => {
                let name = self.name_of(token);
                if self.text_of(token) == "_" {
                    self.error(ParseErrorKind::UnderscoreValue, token.span);
                }
                ExprKind::Var(name.symbol)
            }
            _ => return Err(self.expected("an expression")),
        };
        self.bump();
        let operand = self.tree.add_expr(kind, token.span);
        self.scratch.operands.push(operand);
        Ok(true)
    }

    fn pop_operand(&mut self) -> ExprId {
        self.scratch.operands.pop().expect("an operand was read for each operator")
    }

    /// Applies the negations that stand directly before the last operand.
    fn apply_nots(&mut self) {
        while let Some(&Pending::Not(sign)) = self.scratch.pending.last() {
            self.scratch.pending.pop();
            let inner = self.pop_operand();
            let span = sign.to(self.tree.expr(inner).span);
            let not = self.tree.add_expr(ExprKind::Not(inner), span);
            self.scratch.operands.push(not);
        }
    }

    /// Applies the pending operators, back to the last bracket, that bind at least as tightly as
    /// `level`.
    fn reduce(&mut self, level: u8) {
        while let Some(&Pending::Binary(op, binds)) = self.scratch.pending.last() {
            if binds < level {
                return;
            }
            self.scratch.pending.pop();
            let right = self.pop_operand();
            let left = self.pop_operand();
            let span = self.tree.expr(left).span.to(self.tree.expr(right).span);
            let whole = self.tree.add_expr(ExprKind::Binary(op, left, right), span);
            self.scratch.operands.push(whole);
        }
    }
}
