//! Expressions, by operator precedence with two explicit stacks.

use source::Span;
use syntax::{Language, Mistake, Parsed};

use super::Parser;
use crate::error::ParseErrorKind;
use crate::lex::Kind;
use crate::tree::{BinOp, ExprId, ExprKind, List, Name, Place, Quantifier, Segment};

/// The stacks, kept between expressions to save allocations; empty in between.
#[derive(Default)]
pub(super) struct Scratch {
    operands: Vec<ExprId>,
    pending: Vec<Pending>,
}

/// What waits for an operand to its right.
#[derive(Clone, Copy)]
enum Pending {
    Not(Span),
    Binary(BinOp),
    Paren(Span),
    /// `a[`, waiting for an index of the innermost segment.
    Index(PlaceDraft, Span),
    /// `A i (`, waiting for the lower bound.
    Lo {
        all: bool,
        start: Span,
        var: Name,
    },
    /// `A i (lo,`, waiting for the upper bound.
    Hi {
        all: bool,
        start: Span,
        var: Name,
        lo: ExprId,
    },
    /// `A i (lo, hi)`, waiting for its body.
    Quantifier(Quantifier, Span),
}

/// A place that is being read.
#[derive(Clone, Copy)]
struct PlaceDraft {
    start: Span,
    /// Finished, if a field is being read.
    base: Option<Segment>,
    name: Name,
    primes: u8,
    indices: [Option<ExprId>; 2],
}

/// What was found where an operand is wanted.
enum Found {
    /// The operand.
    Operand,
    /// Something before one.
    Before,
    /// A place, which may go on.
    Place(PlaceDraft),
}

impl Parser<'_> {
    /// Expressions between commas.
    pub(super) fn exprs(&mut self) -> Parsed<List<ExprId>> {
        let mut list = vec![self.value()?];
        while self.eat(Kind::Comma) {
            list.push(self.value()?);
        }
        Ok(self.tree.add_exprs(list))
    }

    /// An expression or `undef`.
    pub(super) fn value(&mut self) -> Parsed<ExprId> {
        if self.at(Kind::Undef) {
            let span = self.bump().span;
            if let Kind::Binary(_) = self.current.kind {
                self.error(ParseErrorKind::UndefInExpression, span);
            }
            return Ok(self.tree.add_expr(ExprKind::Undef, span));
        }
        self.expr()
    }

    /// An expression.
    pub(crate) fn expr(&mut self) -> Parsed<ExprId> {
        self.run(false)
    }

    /// A variable, cell or field.
    pub(super) fn place(&mut self) -> Parsed<ExprId> {
        if !self.at(Kind::Ident) {
            return Err(self.expected_name("a variable"));
        }
        self.run(true)
    }

    /// Reads an expression, or, if `place`, only the place that it begins with.
    fn run(&mut self, place: bool) -> Parsed<ExprId> {
        self.scratch.operands.clear();
        self.scratch.pending.clear();
        loop {
            match self.operand()? {
                Found::Before => continue,
                Found::Operand => {}
                Found::Place(draft) => {
                    if self.extend(draft)? {
                        continue;
                    }
                }
            }
            // Behind an operand: close what can be closed, until an operator, a bracket or a comma
            // asks for another operand.
            loop {
                self.apply_nots();
                if place && self.scratch.pending.is_empty() {
                    return Ok(self.pop_operand());
                }
                if let Some(op) = self.operator() {
                    // Operators group to the left, but for the implication.
                    self.reduce(op.level() + u8::from(op == BinOp::Implies));
                    self.scratch.pending.push(Pending::Binary(op));
                    self.bump();
                    break;
                }
                self.reduce(0);
                match (self.scratch.pending.last().copied(), self.current.kind) {
                    (None, _) => return Ok(self.pop_operand()),
                    (Some(Pending::Paren(open)), Kind::RParen) => {
                        let close = self.bump().span;
                        self.scratch.pending.pop();
                        let inner = self.scratch.operands.last();
                        let inner = *inner.expect("an operand was read since the bracket");
                        self.tree.widen(inner, open.to(close));
                    }
                    (Some(Pending::Index(mut draft, _)), Kind::RBracket) => {
                        let close = self.bump().span;
                        self.scratch.pending.pop();
                        let index = self.pop_operand();
                        match draft.indices.iter_mut().find(|slot| slot.is_none()) {
                            Some(slot) => *slot = Some(index),
                            None => self.error(ParseErrorKind::TooManyDimensions, close),
                        }
                        if self.extend(draft)? {
                            break;
                        }
                    }
                    (Some(Pending::Lo { all, start, var }), Kind::Comma) => {
                        self.bump();
                        self.scratch.pending.pop();
                        let lo = self.pop_operand();
                        self.scratch.pending.push(Pending::Hi { all, start, var, lo });
                        break;
                    }
                    (Some(Pending::Hi { all, start, var, lo }), Kind::RParen) => {
                        self.bump();
                        self.scratch.pending.pop();
                        let hi = self.pop_operand();
                        let quantifier = Quantifier { all, var, lo, hi };
                        self.scratch.pending.push(Pending::Quantifier(quantifier, start));
                        break;
                    }
                    (Some(Pending::Paren(open)), _) => {
                        return Err(self.unclosed("`(`", open, "`)`"));
                    }
                    (Some(Pending::Index(_, open)), _) => {
                        return Err(self.unclosed("`[`", open, "`]`"));
                    }
                    (Some(Pending::Lo { .. }), _) => return Err(self.expected("`,`")),
                    (Some(Pending::Hi { .. }), _) => return Err(self.expected("`)`")),
                    (Some(Pending::Not(_) | Pending::Binary(_) | Pending::Quantifier(..)), _) => {
                        unreachable!("`apply_nots` and `reduce` took them off")
                    }
                }
            }
        }
    }

    /// The current token as an operator with two operands. Formulas of pushdown systems also know
    /// `=` for equality and `->` for implication.
    fn operator(&self) -> Option<BinOp> {
        match (self.current.kind, self.language) {
            (Kind::Binary(BinOp::Implies), Language::Remopla) => None,
            (Kind::Binary(op), _) => Some(op),
            (Kind::Assign, Language::Pds) => Some(BinOp::Eq),
            (Kind::Then, Language::Pds) => Some(BinOp::Implies),
            _ => None,
        }
    }

    /// Reads what can stand where an operand is wanted.
    fn operand(&mut self) -> Parsed<Found> {
        let token = self.current;
        let kind = match token.kind {
            Kind::Not => {
                self.bump();
                self.scratch.pending.push(Pending::Not(token.span));
                return Ok(Found::Before);
            }
            Kind::LParen => {
                self.bump();
                self.scratch.pending.push(Pending::Paren(token.span));
                return Ok(Found::Before);
            }
            Kind::All | Kind::Exists => {
                self.bump();
                let var = self.name()?;
                self.expect(Kind::LParen, "`(`")?;
                let all = token.kind == Kind::All;
                self.scratch.pending.push(Pending::Lo { all, start: token.span, var });
                return Ok(Found::Before);
            }
            Kind::Ident if self.next.kind == Kind::LParen => {
                let name = self.text_of(token).to_string();
                return Err(self.fail(Mistake::CallInExpression(name)));
            }
            Kind::Ident => {
                self.bump();
                let name = self.name_of(token);
                let primes = self.primes();
                let start = token.span;
                let indices = [None; 2];
                return Ok(Found::Place(PlaceDraft { start, base: None, name, primes, indices }));
            }
            Kind::Undef => return Err(self.fail(ParseErrorKind::UndefInExpression)),
            Kind::Const(value) => ExprKind::Bool(value),
            Kind::Int => ExprKind::Int(self.number()),
            _ => return Err(self.expected("an expression")),
        };
        self.bump();
        let operand = self.tree.add_expr(kind, token.span);
        self.scratch.operands.push(operand);
        Ok(Found::Operand)
    }

    fn number(&mut self) -> i64 {
        let text = self.text_of(self.current);
        text.parse().unwrap_or_else(|_| {
            let kind = ParseErrorKind::TooLargeNumber(text.to_string());
            self.cursor.error(kind, self.cursor.current.span);
            0
        })
    }

    fn primes(&mut self) -> u8 {
        let mut primes = 0;
        while self.at(Kind::Prime) {
            if primes == 2 {
                self.cursor.error(ParseErrorKind::TooManyPrimes, self.cursor.current.span);
            } else {
                primes += 1;
            }
            self.bump();
        }
        primes
    }

    /// Goes on with a place: `true` if an index must be read first, `false` if it is an operand now.
    fn extend(&mut self, mut draft: PlaceDraft) -> Parsed<bool> {
        loop {
            match self.current.kind {
                Kind::LBracket => {
                    let open = self.bump().span;
                    self.scratch.pending.push(Pending::Index(draft, open));
                    return Ok(true);
                }
                Kind::Dot if draft.base.is_none() => {
                    self.bump();
                    draft.base = Some(self.segment(&draft));
                    draft.name = self.name()?;
                    draft.primes = self.primes();
                    draft.indices = [None; 2];
                }
                _ => {
                    let last = self.segment(&draft);
                    let place = match draft.base {
                        Some(base) => Place { base, field: Some(last) },
                        None => Place { base: last, field: None },
                    };
                    let span = draft.start.to(self.previous);
                    let operand = self.tree.add_expr(ExprKind::Place(place), span);
                    self.scratch.operands.push(operand);
                    return Ok(false);
                }
            }
        }
    }

    fn segment(&mut self, draft: &PlaceDraft) -> Segment {
        let indices = self.tree.add_exprs(draft.indices.into_iter().flatten());
        Segment { name: draft.name, primes: draft.primes, indices }
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

    /// Applies the pending operators and quantifiers, back to the last bracket, that bind at least
    /// as tightly as `level`. A quantifier, and the negations before it, waits for what binds
    /// tighter than its body ends.
    fn reduce(&mut self, level: u8) {
        loop {
            match self.scratch.pending.last() {
                Some(&Pending::Binary(op)) if op.level() >= level => {
                    self.scratch.pending.pop();
                    let right = self.pop_operand();
                    let left = self.pop_operand();
                    let span = self.tree.expr(left).span.to(self.tree.expr(right).span);
                    let whole = self.tree.add_expr(ExprKind::Binary(op, left, right), span);
                    self.scratch.operands.push(whole);
                }
                Some(&Pending::Quantifier(quantifier, start)) if level <= BinOp::QUANTIFIER => {
                    self.scratch.pending.pop();
                    let body = self.pop_operand();
                    let span = start.to(self.tree.expr(body).span);
                    let kind = ExprKind::Quantified(quantifier, body);
                    let whole = self.tree.add_expr(kind, span);
                    self.scratch.operands.push(whole);
                    self.apply_nots();
                }
                _ => return,
            }
        }
    }
}
