//! Expressions in quotes: text → expressions of a program, by operator precedence with explicit
//! stacks.
//!
//! The syntax is what boolean programs and Remopla have in common. From the operators that bind
//! least:
//!
//! | operators | on |
//! |---|---|
//! | `->` `=>`, `<->` `<=>` (to the right) | truth values |
//! | `\|` `\|\|`, then `^` `^^`, then `&` `&&` | truth values; `\|` `^` `&` on numbers, too |
//! | `=` `==` `!=` | two of a kind |
//! | `<` `<=` `>` `>=` | numbers |
//! | `<<` `>>`, then `+` `-`, then `*` `/` | numbers |
//! | `!` `~`, `-` before an operand | truth values; numbers |
//!
//! Operands are `true`, `false`, numbers (0 and 1 also serve as truth values), variables (`g`,
//! `{*p == 1}`, `proc::x`), cells (`a[i + 1]`) and named constants. Numbers are exact, and a
//! comparison with an undefined one is false, as in programs ([`ir::expr`]).

use crate::atoms::{Names, Variable};
use crate::{FormulaError, FormulaErrorKind, Which};
use ir::{
    BinaryOp, Dim, Expr, ExprId, Exprs, MAX_WIDTH, ProcId, Program, Scalar, Sort, Time, VarId,
};
use source::Span;

/// A condition, and the procedures whose locals it reads.
pub(crate) struct Condition {
    pub(crate) expr: ExprId,
    pub(crate) procs: Vec<ProcId>,
}

/// Where the expression stands: `text[range]` of a formula.
pub(crate) struct Place<'a> {
    pub(crate) formula: Which,
    pub(crate) text: &'a str,
    pub(crate) range: std::ops::Range<usize>,
}

/// Reads a condition.
pub(crate) fn condition(
    names: &Names<'_>,
    exprs: &mut Exprs,
    place: &Place<'_>,
) -> Result<Condition, Box<FormulaError>> {
    let mut parser = Parser {
        names,
        exprs,
        place,
        pos: place.range.start,
        operands: Vec::new(),
        pending: Vec::new(),
        procs: Vec::new(),
    };
    let value = parser.run()?;
    let expr = parser.boolean(value)?;
    let mut procs = parser.procs;
    procs.sort_unstable();
    procs.dedup();
    Ok(Condition { expr, procs })
}

/// Reads the condition at `text[range]` on a frame of a procedure with the given locals: names mean those, and
/// globals. Expressions are added to `exprs`, which extends the program's.
pub fn frame_condition(
    program: &Program,
    exprs: &mut Exprs,
    text: &str,
    range: std::ops::Range<usize>,
    (proc, locals): (ProcId, &[VarId]),
) -> Result<ExprId, Box<FormulaError>> {
    let names = Names::of_frame(program, proc, locals);
    let place = Place { formula: Which::Property, text, range: range.clone() };
    let Condition { expr, procs } = condition(&names, exprs, &place)?;
    match procs.iter().find(|&&other| other != proc) {
        None => Ok(expr),
        Some(&other) => Err(Box::new(FormulaError {
            formula: Which::Property,
            text: text.to_owned(),
            kind: FormulaErrorKind::OtherFrame { proc: program.proc_name(other).to_owned() },
            span: Span::new(range.start as u32, range.end as u32),
        })),
    }
}

/// An operand that has been read.
#[derive(Clone, Copy)]
struct Value {
    expr: ExprId,
    sort: Sort,
    /// The bits that hold every value, sign included ([`ir::widths`]).
    width: u32,
    /// Every defined value lies between these, where they are known.
    range: Option<(i128, i128)>,
    span: Span,
}

/// What waits for an operand to its right.
#[derive(Clone, Copy)]
enum Pending {
    Not,
    Minus,
    Binary(Op),
    Paren(Span),
    Index { var: VarId, dim: Dim, name: Span },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    /// By the operands' sort, on truth values and on numbers.
    Either(BinaryOp, BinaryOp),
    Bool(BinaryOp),
    Int(BinaryOp),
}

/// Spellings with levels; longer ones before their beginnings.
const OPERATORS: &[(&str, Op, u8)] = &[
    ("<->", Op::Bool(BinaryOp::Iff), 0),
    ("<=>", Op::Bool(BinaryOp::Iff), 0),
    ("->", Op::Bool(BinaryOp::Implies), 0),
    ("=>", Op::Bool(BinaryOp::Implies), 0),
    ("||", Op::Bool(BinaryOp::Or), 1),
    ("^^", Op::Bool(BinaryOp::Xor), 2),
    ("&&", Op::Bool(BinaryOp::And), 3),
    ("==", Op::Either(BinaryOp::Iff, BinaryOp::Eq), 4),
    ("!=", Op::Either(BinaryOp::Xor, BinaryOp::Ne), 4),
    ("<=", Op::Int(BinaryOp::Le), 5),
    (">=", Op::Int(BinaryOp::Ge), 5),
    ("<<", Op::Int(BinaryOp::Shl), 6),
    (">>", Op::Int(BinaryOp::Shr), 6),
    ("|", Op::Either(BinaryOp::Or, BinaryOp::BitOr), 1),
    ("^", Op::Either(BinaryOp::Xor, BinaryOp::BitXor), 2),
    ("&", Op::Either(BinaryOp::And, BinaryOp::BitAnd), 3),
    ("=", Op::Either(BinaryOp::Iff, BinaryOp::Eq), 4),
    ("<", Op::Int(BinaryOp::Lt), 5),
    (">", Op::Int(BinaryOp::Gt), 5),
    ("+", Op::Int(BinaryOp::Add), 7),
    ("-", Op::Int(BinaryOp::Sub), 7),
    ("*", Op::Int(BinaryOp::Mul), 8),
    ("/", Op::Int(BinaryOp::Div), 8),
];

impl Op {
    fn level(self) -> u8 {
        let found = OPERATORS.iter().find(|(_, op, _)| *op == self);
        found.map_or(0, |&(_, _, level)| level)
    }
    fn groups_right(self) -> bool {
        self.level() == 0
    }
}

struct Parser<'a> {
    names: &'a Names<'a>,
    exprs: &'a mut Exprs,
    place: &'a Place<'a>,
    pos: usize,
    operands: Vec<Value>,
    pending: Vec<Pending>,
    procs: Vec<ProcId>,
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Result<Value, Box<FormulaError>> {
        loop {
            if !self.operand()? {
                continue;
            }
            // Behind an operand: close what can be closed, until another operand is wanted.
            loop {
                self.skip_blanks();
                let rest = self.rest();
                if let Some(&(spelling, op, level)) =
                    OPERATORS.iter().find(|(spelling, _, _)| rest.starts_with(spelling))
                {
                    self.reduce(level + u8::from(op.groups_right()))?;
                    self.pos += spelling.len();
                    self.pending.push(Pending::Binary(op));
                    break;
                }
                self.reduce(0)?;
                let from = self.pos;
                match (rest.chars().next(), self.pending.pop()) {
                    (None, None) => return Ok(self.pop()),
                    (None, Some(Pending::Paren(span) | Pending::Index { name: span, .. })) => {
                        let open = self.place.text.as_bytes()[span.start as usize];
                        let open = if open == b'(' { '(' } else { '[' };
                        return Err(self.error(span, FormulaErrorKind::Bracket(open)));
                    }
                    (Some(')'), Some(Pending::Paren(open))) => {
                        self.pos += 1;
                        let close = self.span(from);
                        if let Some(value) = self.operands.last_mut() {
                            value.span = open.to(close);
                        }
                    }
                    (Some(']'), Some(Pending::Index { var, dim, name })) => {
                        self.pos += 1;
                        self.cell(var, dim, name)?;
                        self.skip_blanks();
                        if self.rest().starts_with('[') {
                            let kind = FormulaErrorKind::NotAnArray {
                                name: self.text(name).to_owned(),
                                more: true,
                            };
                            return Err(self.error(name, kind));
                        }
                    }
                    (Some(c @ (')' | ']')), _) => {
                        self.pos += 1;
                        let span = self.span(from);
                        return Err(self.error(span, FormulaErrorKind::Bracket(c)));
                    }
                    _ => {
                        let (found, span) = self.found();
                        return Err(self.error(span, FormulaErrorKind::ExpectedOperator { found }));
                    }
                }
            }
        }
    }

    /// Reads what stands where an operand is wanted: one, or something before one.
    fn operand(&mut self) -> Result<bool, Box<FormulaError>> {
        self.skip_blanks();
        let from = self.pos;
        match self.rest().bytes().next() {
            Some(b'!' | b'~') => {
                self.pos += 1;
                self.pending.push(Pending::Not);
                Ok(false)
            }
            Some(b'-') => {
                self.pos += 1;
                self.pending.push(Pending::Minus);
                Ok(false)
            }
            Some(b'(') => {
                self.pos += 1;
                let span = self.span(from);
                self.pending.push(Pending::Paren(span));
                Ok(false)
            }
            Some(b'0'..=b'9') => {
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                self.pos += digits;
                let span = self.span(from);
                let Some(value) = self.text(span).parse().ok().filter(|&v| v <= u32::MAX as i64)
                else {
                    let number = self.text(span).to_owned();
                    return Err(self.error(span, FormulaErrorKind::LargeNumber(number)));
                };
                self.number(value, span);
                Ok(true)
            }
            _ => self.name(),
        }
    }

    /// A variable, a cell up to its `[`, or a constant.
    fn name(&mut self) -> Result<bool, Box<FormulaError>> {
        let from = self.pos;
        let Some(first) = self.word() else {
            let (found, span) = self.found();
            return Err(self.error(span, FormulaErrorKind::ExpectedOperand { found }));
        };
        self.skip_blanks();
        let mut proc = None;
        let mut name = first;
        if self.rest().starts_with("::") {
            self.pos += 2;
            self.skip_blanks();
            proc = Some(first);
            name = match self.word() {
                Some(name) => name,
                None => {
                    let (found, span) = self.found();
                    return Err(self.error(span, FormulaErrorKind::ExpectedOperand { found }));
                }
            };
        } else {
            self.pos = first.end as usize;
        }
        let span = self.span(from);
        let (first, name) = (self.text(first), self.text(name));
        if proc.is_none() && self.names.plain(name).is_none() {
            match name {
                "true" | "T" | "false" | "F" => {
                    let expr = self.exprs.bool(matches!(name, "true" | "T"));
                    self.operands.push(Value {
                        expr,
                        sort: Sort::Bool,
                        width: 1,
                        range: None,
                        span,
                    });
                    return Ok(true);
                }
                _ => {
                    if let Some(constant) = self.names.constant(name) {
                        self.number(constant.value, span);
                        return Ok(true);
                    }
                }
            }
        }
        let found = match proc {
            Some(_) => self.names.local(first, name),
            None => self.names.plain(name).unwrap_or_else(|| Err(self.names.unknown_global(name))),
        };
        let Variable { var, ty, signed, proc } = found.map_err(|kind| self.error(span, kind))?;
        self.procs.extend(proc);
        self.skip_blanks();
        let indexed = self.rest().starts_with('[');
        let shown = || self.text(span).to_owned();
        match ty.array {
            Some(dim) if indexed => {
                self.pos += 1;
                self.pending.push(Pending::Index { var, dim, name: span });
                Ok(false)
            }
            Some(dim) => {
                let boolean = ty.scalar == Scalar::Bool;
                let kind = FormulaErrorKind::Array { name: shown(), lo: dim.lo, boolean };
                Err(self.error(span, kind))
            }
            None if indexed => {
                let kind = FormulaErrorKind::NotAnArray { name: shown(), more: false };
                Err(self.error(span, kind))
            }
            None => {
                let expr = self.exprs.pre(var);
                let value = match ty.scalar {
                    Scalar::Int { bits } if signed => self.with_sign(expr, bits, span),
                    scalar => read(expr, scalar, span),
                };
                self.operands.push(value);
                Ok(true)
            }
        }
    }

    /// The number with a sign whose bits an integer holds.
    fn with_sign(&mut self, raw: ExprId, bits: u32, span: Span) -> Value {
        let (half, all) = (1i64 << (bits - 1), 1i64 << bits);
        let (least, below) = (self.exprs.int(half), self.exprs.int(all));
        let negative = self.exprs.binary(BinaryOp::Ge, raw, least);
        let below = self.exprs.binary(BinaryOp::Sub, raw, below);
        let expr = self.exprs.add(Expr::Ite(negative, below, raw));
        let range = Some((-i128::from(half), i128::from(half) - 1));
        Value { expr, sort: Sort::Int, width: bits + 2, range, span }
    }

    fn number(&mut self, value: i64, span: Span) {
        let expr = self.exprs.int(value);
        let leading = if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
        let range = Some((i128::from(value), i128::from(value)));
        self.operands.push(Value { expr, sort: Sort::Int, width: 65 - leading, range, span });
    }

    /// The cell whose index is the last operand.
    fn cell(&mut self, var: VarId, dim: Dim, name: Span) -> Result<(), Box<FormulaError>> {
        let index = self.pop();
        let index = self.integer(index)?;
        let (lo, hi) = (i128::from(dim.lo), i128::from(dim.lo) + i128::from(dim.len) - 1);
        if index.range.is_some_and(|(least, most)| most < lo || least > hi) {
            let kind = FormulaErrorKind::Index {
                name: self.text(name).to_owned(),
                lo: dim.lo,
                hi: hi as i64,
            };
            return Err(self.error(index.span, kind));
        }
        let expr = self.exprs.add(Expr::Index(Time::Pre, var, index.expr));
        let span = Span::new(name.start, self.pos as u32);
        let scalar = self.names.program.vars[var].ty.scalar;
        self.operands.push(read(expr, scalar, span));
        Ok(())
    }

    /// Applies the operators on top of the stack that bind at least as tight as `level`.
    fn reduce(&mut self, level: u8) -> Result<(), Box<FormulaError>> {
        loop {
            match self.pending.last() {
                Some(Pending::Not) => {
                    let value = self.pop();
                    let a = self.boolean(value)?;
                    let expr = self.exprs.not(a);
                    self.operands.push(Value { expr, ..truth(value.span) });
                }
                Some(Pending::Minus) => {
                    let value = self.pop();
                    let zero = self.exprs.int(0);
                    let zero = Value { expr: zero, range: Some((0, 0)), ..value };
                    self.arithmetic(BinaryOp::Sub, zero, value)?;
                }
                Some(&Pending::Binary(op)) if op.level() >= level => {
                    let b = self.pop();
                    let a = self.pop();
                    self.binary(op, a, b)?;
                }
                _ => return Ok(()),
            }
            self.pending.pop();
        }
    }

    fn binary(&mut self, op: Op, a: Value, b: Value) -> Result<(), Box<FormulaError>> {
        let op = match op {
            Op::Bool(op) | Op::Int(op) => op,
            // A number that is written out can be a truth value, too, where the other side is one.
            Op::Either(bool_op, int_op) => {
                if a.sort == Sort::Bool || b.sort == Sort::Bool {
                    bool_op
                } else {
                    int_op
                }
            }
        };
        let (needed, _, result) = op.sorts();
        let span = a.span.to(b.span);
        if needed == Sort::Bool {
            let (x, y) = (self.boolean(a)?, self.boolean(b)?);
            let expr = match op {
                BinaryOp::And => self.exprs.and(x, y),
                BinaryOp::Or => self.exprs.or(x, y),
                BinaryOp::Iff | BinaryOp::Xor if x <= Exprs::FALSE || y <= Exprs::FALSE => {
                    // The constants are the first two expressions; `g = 1` is `g`.
                    let (constant, other) = if x <= Exprs::FALSE { (x, y) } else { (y, x) };
                    let same = (constant == Exprs::TRUE) == (op == BinaryOp::Iff);
                    if same { other } else { self.exprs.not(other) }
                }
                _ => self.exprs.binary(op, x, y),
            };
            self.operands.push(Value { expr, ..truth(span) });
        } else if result == Sort::Bool {
            let (x, y) = (self.integer(a)?, self.integer(b)?);
            let expr = self.exprs.binary(op, x.expr, y.expr);
            self.operands.push(Value { expr, ..truth(span) });
        } else {
            self.arithmetic(op, a, b)?;
        }
        Ok(())
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Value, b: Value) -> Result<(), Box<FormulaError>> {
        let (a, b) = (self.integer(a)?, self.integer(b)?);
        let width = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Div => a.width.max(b.width) + 1,
            BinaryOp::Mul => a.width + b.width,
            BinaryOp::Shl => a.width + (1u32 << (b.width - 1).min(6)).min(64) - 1,
            BinaryOp::Shr => a.width,
            _ => a.width.max(b.width),
        };
        let span = a.span.to(b.span);
        if width > MAX_WIDTH {
            return Err(self.error(span, FormulaErrorKind::Wide { limit: MAX_WIDTH }));
        }
        // Widths keep products of bounds below 2^100.
        let range = a.range.zip(b.range).and_then(|((a0, a1), (b0, b1))| match op {
            BinaryOp::Add => Some((a0 + b0, a1 + b1)),
            BinaryOp::Sub => Some((a0 - b1, a1 - b0)),
            BinaryOp::Mul => {
                let products = [a0 * b0, a0 * b1, a1 * b0, a1 * b1];
                products.iter().copied().min().zip(products.iter().copied().max())
            }
            _ => None,
        });
        let expr = self.exprs.binary(op, a.expr, b.expr);
        self.operands.push(Value { expr, sort: Sort::Int, width, range, span });
        Ok(())
    }

    fn boolean(&mut self, value: Value) -> Result<ExprId, Box<FormulaError>> {
        match (value.sort, self.exprs[value.expr]) {
            (Sort::Bool, _) => Ok(value.expr),
            (Sort::Int, Expr::Int(0)) => Ok(Exprs::FALSE),
            (Sort::Int, Expr::Int(1)) => Ok(Exprs::TRUE),
            (Sort::Int, _) => {
                let kind = FormulaErrorKind::NotBoolean { what: self.shown(value) };
                Err(self.error(value.span, kind))
            }
        }
    }

    fn integer(&self, value: Value) -> Result<Value, Box<FormulaError>> {
        match value.sort {
            Sort::Int => Ok(value),
            Sort::Bool => {
                let kind = FormulaErrorKind::NotANumber { what: self.shown(value) };
                Err(self.error(value.span, kind))
            }
        }
    }

    fn shown(&self, value: Value) -> String {
        match self.exprs[value.expr] {
            Expr::Read(..) | Expr::Index(..) | Expr::Int(_) => {
                format!("`{}`", self.text(value.span))
            }
            _ => "this".to_owned(),
        }
    }

    fn pop(&mut self) -> Value {
        self.operands.pop().expect("every operator on the stack has its operands")
    }

    /// The name that begins here, braces included.
    fn word(&mut self) -> Option<Span> {
        let from = self.pos;
        let rest = self.rest();
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#' | b'.');
        let len = match rest.bytes().next()? {
            b'{' => rest.find(['}', '\n']).filter(|&end| rest.as_bytes()[end] == b'}')? + 1,
            b if b.is_ascii_alphabetic() || matches!(b, b'_' | b'$') => {
                rest.bytes().take_while(|&b| plain(b)).count()
            }
            _ => return None,
        };
        self.pos += len;
        Some(self.span(from))
    }

    fn rest(&self) -> &'a str {
        &self.place.text[self.pos..self.place.range.end]
    }

    fn skip_blanks(&mut self) {
        self.pos = self.place.range.end - self.rest().trim_start().len();
    }

    fn span(&self, from: usize) -> Span {
        Span::new(from as u32, self.pos as u32)
    }

    fn text(&self, span: Span) -> &'a str {
        &self.place.text[span.range()]
    }

    /// What stands here, as a phrase, and where.
    fn found(&self) -> (String, Span) {
        let at = self.pos as u32;
        match self.rest().chars().next() {
            None => ("the end".to_owned(), Span::new(at, at)),
            Some(c) => {
                let word = |c: char| c.is_alphanumeric() || c == '_';
                let len = match word(c) {
                    true => self.rest().find(|c| !word(c)).unwrap_or(self.rest().len()),
                    false => c.len_utf8(),
                };
                let found = self.rest()[..len].escape_debug().to_string();
                (format!("`{found}`"), Span::new(at, at + len as u32))
            }
        }
    }

    fn error(&self, span: Span, kind: FormulaErrorKind) -> Box<FormulaError> {
        let Place { formula, text, .. } = *self.place;
        Box::new(FormulaError { formula, text: text.to_owned(), kind, span })
    }
}

fn truth(span: Span) -> Value {
    Value { expr: Exprs::TRUE, sort: Sort::Bool, width: 1, range: None, span }
}

fn read(expr: ExprId, scalar: Scalar, span: Span) -> Value {
    match scalar {
        Scalar::Bool => Value { expr, ..truth(span) },
        Scalar::Int { bits } => {
            let range = Some((0, (1i128 << bits) - 1));
            Value { expr, sort: Sort::Int, width: bits + 1, range, span }
        }
    }
}
