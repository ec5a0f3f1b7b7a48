//! Expressions.

use super::Parser;
use super::cursor::Parsed;
use super::keywords::Kw;
use crate::extra::About;
use crate::lex::{Place, Tok};
use crate::tree::{Assign, Binary, ExprId, ExprKind, Unary};

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let at = self.at();
        let mut e = self.assignment()?;
        while self.eat(",") {
            let right = self.assignment()?;
            e = self.expr_node(at, ExprKind::Comma(e, right));
        }
        Ok(e)
    }

    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        // Assignments group to the right; a chain is a loop.
        let mut chain = Vec::new();
        let mut e = loop {
            let at = self.at();
            let left = self.conditional()?;
            let op = match self.tok() {
                Tok::Punct("=") => Assign::Plain,
                Tok::Punct(p) if p.len() >= 2 && p.ends_with('=') => {
                    match binary(&p[..p.len() - 1]) {
                        Some((op, _)) if !matches!(p, "==" | "!=" | "<=" | ">=") => {
                            Assign::With(op)
                        }
                        _ => break left,
                    }
                }
                _ => break left,
            };
            self.advance();
            chain.push((at, op, left));
        };
        for (at, op, left) in chain.into_iter().rev() {
            e = self.expr_node(at, ExprKind::Assign(op, left, e));
        }
        Ok(e)
    }

    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        // `a ? b : c ? d : e` is a loop, too.
        let mut chain = Vec::new();
        let mut e = loop {
            let at = self.at();
            let condition = self.deeper(|p| p.operators(0))?;
            if !self.eat("?") {
                break condition;
            }
            let then = if self.is(":") { None } else { Some(self.deeper(Self::expression)?) };
            self.expect(":")?;
            chain.push((at, condition, then));
        };
        for (at, condition, then) in chain.into_iter().rev() {
            e = self.expr_node(at, ExprKind::Conditional(condition, then, e));
        }
        Ok(e)
    }

    /// Operators with two operands that bind tighter than `level`.
    pub(super) fn operators(&mut self, level: u8) -> Parsed<ExprId> {
        let at = self.at();
        let mut left = self.unary()?;
        while let Tok::Punct(p) = self.tok()
            && let Some((op, binds)) = binary(p)
            && binds > level
        {
            self.advance();
            let right = self.deeper(|p| p.operators(binds))?;
            left = self.expr_node(at, ExprKind::Binary(op, left, right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let at = self.at();
        let op = match self.tok() {
            Tok::Punct("-") => Unary::Minus,
            Tok::Punct("+") => Unary::Plus,
            Tok::Punct("~") => Unary::Complement,
            Tok::Punct("!") => Unary::Not,
            Tok::Punct("*") => Unary::Deref,
            Tok::Punct("&") => Unary::Address,
            Tok::Punct(p @ ("++" | "--")) => Unary::Step { up: p == "++", after: false },
            Tok::Punct("&&") => {
                self.advance();
                let Tok::Word(sym) = self.tok() else { return Err(self.wanted("a label")) };
                self.advance();
                let sym = self.label_of(sym);
                return Ok(self.expr_node(at, ExprKind::LabelAddress(sym)));
            }
            Tok::Punct("(") if self.starts_type(1) => {
                let ty = self.parenthesised_type()?;
                if self.is("{") {
                    let init = self.initialiser()?;
                    let e = self.expr_node(at, ExprKind::Compound(ty, init));
                    return self.postfix(at, e);
                }
                let e = self.deeper(Self::unary)?;
                return Ok(self.expr_node(at, ExprKind::Cast(ty, e)));
            }
            _ => match self.kw() {
                Some(Kw::Extension) => {
                    self.advance();
                    return self.deeper(Self::unary);
                }
                Some(Kw::RealPart) => {
                    let imaginary =
                        matches!(self.tok(), Tok::Word(s) if self.unit.name(s).contains("imag"));
                    self.advance();
                    let e = self.deeper(Self::unary)?;
                    let e = self.expr_node(at, ExprKind::Unary(Unary::Part, e));
                    if imaginary {
                        self.unit.extra.imaginary.insert(e);
                    }
                    return Ok(e);
                }
                Some(Kw::Sizeof) => {
                    let size = matches!(self.tok(), Tok::Word(s) if self.unit.name(s) == "sizeof");
                    self.advance();
                    if self.is("(") && self.starts_type(1) {
                        let ty = self.parenthesised_type()?;
                        if self.is("{") {
                            let init = self.initialiser()?;
                            let e = self.expr_node(at, ExprKind::Compound(ty, init));
                            let e = self.postfix(at, e)?;
                            return Ok(self.expr_node(at, ExprKind::SizeOf(e)));
                        }
                        if size {
                            return Ok(self.expr_node(at, ExprKind::SizeOfType(ty)));
                        }
                        return Ok(self.about(at, ty, About::Align));
                    }
                    let e = self.deeper(Self::unary)?;
                    let e = self.expr_node(at, ExprKind::SizeOf(e));
                    if !size {
                        self.unit.extra.align_of.insert(e);
                    }
                    return Ok(e);
                }
                _ => {
                    let e = self.primary()?;
                    return self.postfix(at, e);
                }
            },
        };
        self.advance();
        let e = self.deeper(Self::unary)?;
        Ok(self.expr_node(at, ExprKind::Unary(op, e)))
    }

    pub(super) fn postfix(&mut self, at: Place, mut e: ExprId) -> Parsed<ExprId> {
        loop {
            let kind = match self.tok() {
                Tok::Punct("[") => {
                    self.advance();
                    let i = self.deeper(Self::expression)?;
                    self.expect("]")?;
                    ExprKind::Index(e, i)
                }
                Tok::Punct("(") => {
                    self.advance();
                    let mut arguments = Vec::new();
                    while !self.eat(")") {
                        arguments.push(self.deeper(Self::assignment)?);
                        if !self.eat(",") {
                            self.expect(")")?;
                            break;
                        }
                    }
                    ExprKind::Call(e, arguments)
                }
                Tok::Punct(p @ ("." | "->")) => {
                    self.advance();
                    let Tok::Word(sym) = self.tok() else { return Err(self.wanted("a member")) };
                    self.advance();
                    if p == "." { ExprKind::Field(e, sym) } else { ExprKind::Arrow(e, sym) }
                }
                Tok::Punct(p @ ("++" | "--")) => {
                    self.advance();
                    ExprKind::Unary(Unary::Step { up: p == "++", after: true }, e)
                }
                _ => return Ok(e),
            };
            e = self.expr_node(at, kind);
        }
    }
}

/// The operator and how tight it binds.
fn binary(p: &str) -> Option<(Binary, u8)> {
    Some(match p {
        "||" => (Binary::Or, 1),
        "&&" => (Binary::And, 2),
        "|" => (Binary::BitOr, 3),
        "^" => (Binary::BitXor, 4),
        "&" => (Binary::BitAnd, 5),
        "==" => (Binary::Eq, 6),
        "!=" => (Binary::Ne, 6),
        "<" => (Binary::Lt, 7),
        ">" => (Binary::Gt, 7),
        "<=" => (Binary::Le, 7),
        ">=" => (Binary::Ge, 7),
        "<<" => (Binary::Shl, 8),
        ">>" => (Binary::Shr, 8),
        "+" => (Binary::Add, 9),
        "-" => (Binary::Sub, 9),
        "*" => (Binary::Mul, 10),
        "/" => (Binary::Div, 10),
        "%" => (Binary::Rem, 10),
        _ => return None,
    })
}
