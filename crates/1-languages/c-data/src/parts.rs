//! Numbers of several parts: complex ones, and vectors.
//!
//! They lie in memory as structs do ([`c_types::Parts`]), so that copies, arguments and results need no rules of
//! their own. What computes with them is written out for each part.
//!
//! - NP1: a sum, difference or comparison of complex numbers is one of each part; a real operand has no
//!   imaginary part, and none is made up for it (C11 G.5).
//! - NP2: a product, or a quotient of floating parts, is what gcc's library computes (`__muldc3`, `__divdc3` in
//!   `library.c`), and of integers what gcc expands: the division by the larger part first.
//! - NP3: an operator on vectors is one of each element, and wraps; a number stands for a vector of it; a comparison
//!   gives -1 where it holds, and 0 where not.
//! - NP4: a conversion between vectors, and between a vector and an integer of its size, keeps the bits.
//! - NP5: parts that are known are constants, so that initial values of static objects are.

use crate::lower::{Entity, Lowered, Lowerer, Op};
use crate::place::{Place, Where};
use crate::program::{BinOp, Callee, ExprId, ExprKind, StmtKind, UnOp};
use c_types::{FloatKind, IntKind, Kind, Parts, Ty};
use front_c::{Binary, Unary};

/// The most elements of a vector.
const MAX_ELEMENTS: u64 = 1024;

impl Lowerer<'_> {
    pub(crate) fn complex_type(&mut self, element: Ty) -> Ty {
        let element = self.types.plain(element);
        self.types.of_parts(Parts::Complex(element))
    }

    /// The type of vectors of so many bytes.
    pub(crate) fn vector_type(&mut self, element: Ty, bytes: i128) -> Lowered<Ty> {
        let element = self.types.plain(element);
        let size = self.size_of(element)?;
        let count = u64::try_from(bytes).ok().and_then(|bytes| bytes.checked_div(size));
        match count {
            Some(n @ 1..=MAX_ELEMENTS)
                if n.is_power_of_two() && self.types.is_arithmetic(element) =>
            {
                Ok(self.types.of_parts(Parts::Vector(element, n)))
            }
            _ => self.gap("a vector of such a size"),
        }
    }

    pub(crate) fn is_complex(&self, ty: Ty) -> bool {
        matches!(self.types.parts(ty), Some(Parts::Complex(_)))
    }

    /// A part by its number, from what lies at an address.
    fn one(&mut self, address: ExprId, element: Ty, i: u64) -> ExprId {
        let size = self.types.size(element).unwrap_or(1);
        let at = self.offset(address, i * size, element);
        self.expr(ExprKind::Load(at), element)
    }

    /// The real and the imaginary part; of what is not complex, itself and none.
    fn halves(&mut self, value: Op) -> (ExprId, Option<ExprId>) {
        match self.types.parts(value.ty) {
            Some(Parts::Complex(element)) => {
                // NP5
                if let Some(&(re, im)) = self.f.halves.get(&value.expr) {
                    return (re, Some(im));
                }
                let address = self.keep(value.expr);
                let (re, im) = (self.one(address, element, 0), self.one(address, element, 1));
                (re, Some(im))
            }
            _ => (value.expr, None),
        }
    }

    /// A number of these parts.
    fn gathered(&mut self, ty: Ty, parts: &[ExprId]) -> Lowered<Op> {
        let Some(of) = self.types.parts(ty) else { return self.gap("parts of what has none") };
        let temp = self.temp(ty);
        let to = self.address_of(temp);
        let size = self.size_of(of.element())?;
        for (i, &part) in parts.iter().enumerate() {
            let at = self.offset(to, i as u64 * size, of.element());
            let value = self.convert(part, of.element());
            self.stmt(StmtKind::Store { to: at, value });
        }
        if let ([re, im], Parts::Complex(element)) = (parts, of) {
            let (re, im) = (self.convert(*re, element), self.convert(*im, element));
            let known =
                |l: &Self, e: ExprId| matches!(l.kind_of(e), ExprKind::Int(_) | ExprKind::Float(_));
            if known(self, re) && known(self, im) {
                self.f.halves.insert(to, (re, im));
            }
        }
        Ok(Op { expr: to, ty })
    }

    /// The parts of a complex constant.
    pub(crate) fn known_halves(&self, e: ExprId) -> Option<(ExprId, ExprId)> {
        self.f.halves.get(&e).copied()
    }

    /// `2i`
    pub(crate) fn imaginary(&mut self, part: Op) -> Lowered<Op> {
        let zero = self.zero(part.ty);
        let ty = self.complex_type(part.ty);
        self.gathered(ty, &[zero, part.expr])
    }

    /// Whether a complex number is not 0.
    pub(crate) fn complex_truth(&mut self, value: Op) -> ExprId {
        let (re, im) = self.halves(value);
        let first = self.truth(re);
        match im {
            Some(im) => {
                let second = self.truth(im);
                self.binary(BinOp::Or, first, second)
            }
            None => first,
        }
    }

    /// Whether a scalar or complex number is not 0.
    pub(crate) fn truth_of(&mut self, value: Op) -> Lowered<ExprId> {
        if self.is_complex(value.ty) {
            return Ok(self.complex_truth(value));
        }
        match self.types.is_scalar(value.ty) {
            true => Ok(self.truth(value.expr)),
            false => self.gap("a condition that is no number"),
        }
    }

    /// A value where a number of several parts, or one number of such, is wanted.
    pub(crate) fn as_parts(&mut self, value: Op, to: Ty) -> Lowered<Op> {
        let to = self.types.plain(to);
        if self.types.plain(value.ty) == to {
            return Ok(value);
        }
        match (self.types.parts(value.ty), self.types.parts(to)) {
            (Some(Parts::Complex(_)), Some(Parts::Complex(element))) => {
                let (re, im) = self.halves(value);
                let re = self.convert(re, element);
                let im = match im {
                    Some(im) => self.convert(im, element),
                    None => self.zero(element),
                };
                self.gathered(to, &[re, im])
            }
            (None, Some(Parts::Complex(element))) => {
                let re = self.scalar(value, element)?;
                let im = self.zero(element);
                self.gathered(to, &[re, im])
            }
            // NP4
            (Some(Parts::Vector(..)), Some(Parts::Vector(..)))
                if self.types.size(value.ty) == self.types.size(to) =>
            {
                let pointer = self.types.pointer_to(to);
                Ok(Op { expr: self.retyped(value.expr, pointer), ty: to })
            }
            (None, Some(Parts::Vector(..)))
                if self.types.is_scalar(value.ty)
                    && self.types.size(value.ty) == self.types.size(to) =>
            {
                let temp = self.temp(to);
                let at = self.address_of(temp);
                let place = self.part(at, 0, value.ty, None);
                self.store(place, value, false)?;
                Ok(Op { expr: at, ty: to })
            }
            _ => {
                let (a, b) = (self.types.show(value.ty), self.types.show(to));
                self.gap(format!("a `{a}` where a `{b}` is wanted"))
            }
        }
    }

    /// A scalar from a number of several parts.
    pub(crate) fn of_parts(&mut self, value: Op, to: Ty) -> Lowered<ExprId> {
        match self.types.parts(value.ty) {
            Some(Parts::Complex(_)) if matches!(self.types.kind(to), Kind::Bool) => {
                let truth = self.complex_truth(value);
                Ok(self.convert(truth, to))
            }
            Some(Parts::Complex(element)) => {
                let (re, _) = self.halves(value);
                self.scalar(Op { expr: re, ty: element }, to)
            }
            Some(Parts::Vector(..)) if self.types.size(value.ty) == self.types.size(to) => {
                let to = self.types.plain(to);
                let pointer = self.types.pointer_to(to);
                let at = self.retyped(value.expr, pointer);
                Ok(self.expr(ExprKind::Load(at), to))
            }
            _ => {
                let (a, b) = (self.types.show(value.ty), self.types.show(to));
                self.gap(format!("a `{a}` where a `{b}` is wanted"))
            }
        }
    }

    /// `__real__ a`, `__imag__ a`
    pub(crate) fn part_of(&mut self, inner: front_c::ExprId, imaginary: bool) -> Lowered<Op> {
        let value = self.rvalue(inner)?;
        if self.is_complex(value.ty) {
            let element = self.types.parts(value.ty).map_or(value.ty, Parts::element);
            let (re, im) = self.halves(value);
            let expr = if imaginary { im.unwrap_or(re) } else { re };
            return Ok(Op { expr, ty: element });
        }
        if !self.types.is_arithmetic(value.ty) {
            return self.gap("a part of what is no number");
        }
        let ty = self.types.plain(value.ty);
        match imaginary {
            false => Ok(value),
            true => Ok(Op { expr: self.zero(ty), ty }),
        }
    }

    /// The place of a part.
    pub(crate) fn part_place(&mut self, inner: front_c::ExprId, imaginary: bool) -> Lowered<Place> {
        let place = self.place(inner)?;
        match (place.at, self.types.parts(place.ty)) {
            (Where::Memory(address), Some(Parts::Complex(element))) => {
                let size = self.size_of(element)?;
                let (c, v) = (self.types.is_const(place.ty), self.types.is_volatile(place.ty));
                let ty = self.types.qualified(element, c, v);
                Ok(self.part(address, if imaginary { size } else { 0 }, ty, None))
            }
            (_, None) if !imaginary && self.types.is_arithmetic(place.ty) => Ok(place),
            _ => self.gap("a part of what has none"),
        }
    }

    /// `v[i]` of a vector.
    pub(crate) fn element_place(&mut self, vector: Op, index: Op) -> Lowered<Place> {
        let Some(Parts::Vector(element, _)) = self.types.parts(vector.ty) else {
            return self.gap("an element of what has none");
        };
        let pointer = self.types.pointer_to(element);
        let base = Op { expr: self.retyped(vector.expr, pointer), ty: pointer };
        let sum = self.displace(base, index, false)?;
        Ok(Place { at: Where::Memory(sum.expr), ty: element })
    }

    /// An operator with one operand of several parts.
    pub(crate) fn unary_parts(&mut self, op: Unary, value: Op) -> Lowered<Op> {
        let ty = self.types.plain(value.ty);
        match self.types.parts(ty) {
            Some(Parts::Complex(element)) => {
                let (re, im) = self.halves(value);
                let Some(im) = im else { return self.gap("a part is missing") };
                let parts = match op {
                    Unary::Minus => [self.negated(re, element), self.negated(im, element)],
                    Unary::Complement => [re, self.negated(im, element)],
                    _ => [re, im],
                };
                self.gathered(ty, &parts)
            }
            Some(Parts::Vector(element, count)) => {
                let address = self.keep(value.expr);
                let mut parts = Vec::new();
                for i in 0..count {
                    let x = self.one(address, element, i);
                    parts.push(match op {
                        Unary::Minus if self.types.is_float(element) => self.unary(UnOp::Neg, x),
                        Unary::Minus => {
                            let zero = self.zero(element);
                            self.lane(BinOp::Sub, zero, x, element)
                        }
                        Unary::Complement => {
                            let wide = self.types.promoted(element);
                            let x = self.convert(x, wide);
                            self.unary(UnOp::Not, x)
                        }
                        Unary::Not => {
                            let zero = self.zero(element);
                            let truth = self.binary(BinOp::Eq, x, zero);
                            self.unary(UnOp::Neg, truth)
                        }
                        _ => x,
                    });
                }
                let ty = if op == Unary::Not { self.answers(element, count)? } else { ty };
                self.gathered(ty, &parts)
            }
            None => self.gap("an operator on what has no parts"),
        }
    }

    fn negated(&mut self, x: ExprId, element: Ty) -> ExprId {
        let wide = self.types.promoted(element);
        let x = self.convert(x, wide);
        self.unary(UnOp::Neg, x)
    }

    /// The type of what comparisons of vectors give.
    fn answers(&mut self, element: Ty, count: u64) -> Lowered<Ty> {
        let kind = match self.size_of(element)? {
            1 => IntKind::SignedChar,
            2 => IntKind::Short,
            4 => IntKind::Int,
            8 if self.types.model().long == 64 => IntKind::Long,
            8 => IntKind::LongLong,
            16 => IntKind::Int128,
            _ => return self.gap("a comparison of such vectors"),
        };
        let element = self.types.int(kind);
        Ok(self.types.of_parts(Parts::Vector(element, count)))
    }

    /// An operator on elements of vectors, which wraps.
    fn lane(&mut self, op: BinOp, x: ExprId, y: ExprId, element: Ty) -> ExprId {
        if self.types.is_float(element) {
            return self.binary(op, x, y);
        }
        let wide = self.types.promoted(element);
        let wraps = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl);
        let ty = match (wraps, self.types.kind(wide)) {
            (true, Kind::Int(kind)) => {
                let kind = kind.unsigned();
                self.types.int(kind)
            }
            _ => wide,
        };
        let (x, y) = (self.convert(x, ty), self.convert(y, ty));
        let result = self.binary(op, x, y);
        match op.compares() {
            true => result,
            false => self.convert(result, element),
        }
    }

    /// An operator with two operands of which one has several parts.
    pub(crate) fn binary_parts(&mut self, op: Binary, a: Op, b: Op) -> Lowered<Op> {
        let vector = |l: &Self, op: Op| match l.types.parts(op.ty) {
            Some(Parts::Vector(element, count)) => Some((element, count)),
            _ => None,
        };
        match (vector(self, a), vector(self, b)) {
            (None, None) => self.complex_operator(op, a, b),
            (Some((e, n)), Some((_, m))) if n != m => {
                let _ = e;
                self.gap("an operator on vectors of different lengths")
            }
            (Some((element, count)), _) | (None, Some((element, count))) => {
                self.vector_operator(op, a, b, element, count)
            }
        }
    }

    // NP3
    fn vector_operator(
        &mut self,
        op: Binary,
        a: Op,
        b: Op,
        element: Ty,
        count: u64,
    ) -> Lowered<Op> {
        use Binary::*;
        let whole = self.types.of_parts(Parts::Vector(element, count));
        let operand = |l: &mut Self, value: Op| -> Lowered<(ExprId, Option<Ty>)> {
            match l.types.parts(value.ty) {
                Some(Parts::Vector(of, _)) => Ok((l.keep(value.expr), Some(of))),
                _ => {
                    let expr = l.scalar(value, element)?;
                    Ok((l.keep(expr), None))
                }
            }
        };
        let (x, y) = (operand(self, a)?, operand(self, b)?);
        let (simple, swapped) = match op {
            Add => (BinOp::Add, false),
            Sub => (BinOp::Sub, false),
            Mul => (BinOp::Mul, false),
            Div => (BinOp::Div, false),
            Rem => (BinOp::Rem, false),
            BitAnd => (BinOp::And, false),
            BitOr => (BinOp::Or, false),
            BitXor => (BinOp::Xor, false),
            Shl => (BinOp::Shl, false),
            Shr => (BinOp::Shr, false),
            Lt => (BinOp::Lt, false),
            Gt => (BinOp::Lt, true),
            Le => (BinOp::Le, false),
            Ge => (BinOp::Le, true),
            Eq => (BinOp::Eq, false),
            Ne => (BinOp::Ne, false),
            And | Or => return self.gap("`&&` and `||` of vectors"),
        };
        let mut parts = Vec::new();
        for i in 0..count {
            let one = |l: &mut Self, (expr, of): (ExprId, Option<Ty>)| match of {
                Some(of) => {
                    let value = l.one(expr, of, i);
                    l.convert(value, element)
                }
                None => expr,
            };
            let (mut x, mut y) = (one(self, x), one(self, y));
            if swapped {
                std::mem::swap(&mut x, &mut y);
            }
            let result = self.lane(simple, x, y, element);
            parts.push(match simple.compares() {
                true => self.unary(UnOp::Neg, result),
                false => result,
            });
        }
        let ty = if simple.compares() { self.answers(element, count)? } else { whole };
        self.gathered(ty, &parts)
    }

    /// The type of the parts of what an operator on two numbers gives.
    fn common_element(&mut self, a: Ty, b: Ty) -> Lowered<Ty> {
        let plain = |l: &mut Self, ty: Ty| match l.types.parts(ty) {
            Some(parts) => parts.element(),
            None => l.types.plain(ty),
        };
        let (x, y) = (plain(self, a), plain(self, b));
        if x == y {
            return Ok(x);
        }
        match self.types.usual(x, y) {
            Some(ty) => Ok(ty),
            None => self.gap("an operator on a complex number and something else"),
        }
    }

    /// The complex type in which two operands meet, if one of them is complex.
    pub(crate) fn common_complex(&mut self, a: Ty, b: Ty) -> Lowered<Option<Ty>> {
        if !self.is_complex(a) && !self.is_complex(b) {
            return Ok(None);
        }
        let element = self.common_element(a, b)?;
        Ok(Some(self.complex_type(element)))
    }

    fn complex_operator(&mut self, op: Binary, a: Op, b: Op) -> Lowered<Op> {
        let element = self.common_element(a.ty, b.ty)?;
        let ty = self.complex_type(element);
        // In a type that is not promoted nothing is computed.
        let wide = self.types.promoted(element);
        let both = |l: &mut Self, value: Op| {
            let (re, im) = l.halves(value);
            let re = l.convert(re, wide);
            let re = l.keep(re);
            let im = im.map(|im| {
                let im = l.convert(im, wide);
                l.keep(im)
            });
            (re, im)
        };
        let (x, y) = (both(self, a), both(self, b));
        let zero = self.zero(wide);
        match op {
            Binary::Eq | Binary::Ne => {
                let (im, other) = (x.1.unwrap_or(zero), y.1.unwrap_or(zero));
                let (code, join) = match op {
                    Binary::Eq => (BinOp::Eq, BinOp::And),
                    _ => (BinOp::Ne, BinOp::Or),
                };
                let first = self.binary(code, x.0, y.0);
                let second = self.binary(code, im, other);
                Ok(Op { expr: self.binary(join, first, second), ty: self.int_type() })
            }
            Binary::Add | Binary::Sub => {
                let code = if op == Binary::Add { BinOp::Add } else { BinOp::Sub };
                let re = self.binary(code, x.0, y.0);
                let im = match (x.1, y.1) {
                    (Some(p), Some(q)) => self.binary(code, p, q),
                    (Some(p), None) => p,
                    (None, Some(q)) if op == Binary::Add => q,
                    (None, Some(q)) => self.unary(UnOp::Neg, q),
                    (None, None) => zero,
                };
                self.gathered(ty, &[re, im])
            }
            Binary::Mul | Binary::Div => {
                let code = if op == Binary::Mul { BinOp::Mul } else { BinOp::Div };
                match (x, y) {
                    ((re, Some(im)), (by, None)) => {
                        let parts = [self.binary(code, re, by), self.binary(code, im, by)];
                        self.gathered(ty, &parts)
                    }
                    ((by, None), (re, Some(im))) if op == Binary::Mul => {
                        let parts = [self.binary(code, by, re), self.binary(code, by, im)];
                        self.gathered(ty, &parts)
                    }
                    (x, y) => {
                        let x = (x.0, x.1.unwrap_or(zero));
                        let y = (y.0, y.1.unwrap_or(zero));
                        self.product(op, ty, x, y)
                    }
                }
            }
            _ => self.gap("an operator on complex numbers that has no meaning"),
        }
    }

    // NP2
    fn product(
        &mut self,
        op: Binary,
        ty: Ty,
        (a, b): (ExprId, ExprId),
        (c, d): (ExprId, ExprId),
    ) -> Lowered<Op> {
        let wide = self.type_of(a);
        let known = [a, b, c, d]
            .iter()
            .all(|&e| matches!(self.kind_of(e), ExprKind::Int(_) | ExprKind::Float(_)));
        if let (Kind::Float(kind), false) = (self.types.kind(wide).clone(), known) {
            let letter = match kind {
                FloatKind::Float => 's',
                FloatKind::Double => 'd',
                FloatKind::LongDouble => 'x',
            };
            let word = if op == Binary::Mul { "mul" } else { "div" };
            let name = format!("__{word}{letter}c3");
            if let Some(Entity::Function(id)) = self.externs.get(&name).copied() {
                let ty = self.functions[id.index()].ty;
                let Some(signature) = self.types.signature(ty).cloned() else {
                    return self.gap(format!("`{name}`"));
                };
                let args = vec![a, b, c, d];
                return self.finish_call(Callee::Direct(id), ty, &signature, args, true);
            }
            return self.gap(format!("`{name}`"));
        }
        if op == Binary::Mul {
            let (ac, bd) = (self.binary(BinOp::Mul, a, c), self.binary(BinOp::Mul, b, d));
            let (ad, bc) = (self.binary(BinOp::Mul, a, d), self.binary(BinOp::Mul, b, c));
            let parts = [self.binary(BinOp::Sub, ac, bd), self.binary(BinOp::Add, ad, bc)];
            return self.gathered(ty, &parts);
        }
        self.quotient(ty, (a, b), (c, d))
    }

    /// By the larger part of the divisor first.
    fn quotient(
        &mut self,
        ty: Ty,
        (a, b): (ExprId, ExprId),
        (c, d): (ExprId, ExprId),
    ) -> Lowered<Op> {
        let wide = self.type_of(a);
        let zero = self.zero(wide);
        let (lower, lowest) = (self.binary(BinOp::Lt, c, zero), self.binary(BinOp::Lt, d, zero));
        let (minus_c, minus_d) = (self.unary(UnOp::Neg, c), self.unary(UnOp::Neg, d));
        let c_size = self.either(lower, minus_c, c);
        let d_size = self.either(lowest, minus_d, d);
        let smaller = self.binary(BinOp::Lt, c_size, d_size);
        let mut ways = Vec::new();
        for (c, d, turned) in [(d, c, true), (c, d, false)] {
            // `c` is the larger one here. A way that is not taken may divide by 0.
            let taken = match turned {
                true => smaller,
                false => {
                    let none = self.int(0);
                    self.binary(BinOp::Eq, smaller, none)
                }
            };
            let one = self.number_like(wide);
            let c = self.either(taken, c, one);
            let ratio = self.binary(BinOp::Div, d, c);
            let by = self.binary(BinOp::Mul, d, ratio);
            let by = self.binary(BinOp::Add, by, c);
            let by = self.either(taken, by, one);
            let (ar, br) = (self.binary(BinOp::Mul, a, ratio), self.binary(BinOp::Mul, b, ratio));
            let (re, im) = match turned {
                true => (self.binary(BinOp::Add, ar, b), self.binary(BinOp::Sub, br, a)),
                false => (self.binary(BinOp::Add, br, a), self.binary(BinOp::Sub, b, ar)),
            };
            ways.push((self.binary(BinOp::Div, re, by), self.binary(BinOp::Div, im, by)));
        }
        let re = self.either(smaller, ways[0].0, ways[1].0);
        let im = self.either(smaller, ways[0].1, ways[1].1);
        self.gathered(ty, &[re, im])
    }

    fn number_like(&mut self, ty: Ty) -> ExprId {
        match self.types.is_float(ty) {
            true => self.float(1.0, ty),
            false => self.number(1, ty),
        }
    }

    /// One value or the other; both are computed.
    pub(crate) fn either(&mut self, truth: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        if let Some(n) = self.constant(truth) {
            return if n != 0 { yes } else { no };
        }
        let ty = self.type_of(yes);
        let temp = self.temp(ty);
        self.stmt(StmtKind::Set(temp, no));
        let (set, join) = (self.block(), self.block());
        self.end(crate::program::End::Branch(truth, set, join), set);
        self.stmt(StmtKind::Set(temp, yes));
        self.goto(join);
        self.read(temp)
    }

    /// `__builtin_shuffle` and `__builtin_shufflevector`: elements of one or two vectors by their numbers.
    pub(crate) fn shuffle(&mut self, name: &str, args: &[front_c::ExprId]) -> Lowered<Op> {
        let mut values = Vec::new();
        for &arg in args {
            let mut value = self.rvalue(arg)?;
            value.expr = self.keep(value.expr);
            values.push(value);
        }
        let vector = |l: &Self, op: Option<&Op>| match op.map(|op| l.types.parts(op.ty)) {
            Some(Some(Parts::Vector(element, count))) => Some((element, count)),
            _ => None,
        };
        let Some((element, count)) = vector(self, values.first()) else {
            return self.gap(format!("`{name}` of what is no vector"));
        };
        let mut chosen = Vec::new();
        if name == "shufflevector" {
            let Some((_, more)) = vector(self, values.get(1)) else {
                return self.gap(format!("`{name}` of what is no vector"));
            };
            for index in &values[2..] {
                let Some(i) = self.constant(index.expr) else {
                    return self.gap(format!("`{name}` by what is no constant"));
                };
                let i = if i < 0 { 0 } else { i as u64 };
                let (of, i) = if i < count { (values[0], i) } else { (values[1], i - count) };
                if i >= more.max(count) {
                    return self.gap(format!("`{name}` of an element that is not there"));
                }
                chosen.push(self.one(of.expr, element, i));
            }
            let ty = self.types.of_parts(Parts::Vector(element, chosen.len() as u64));
            return self.gathered(ty, &chosen);
        }
        let Some((mask, times)) = vector(self, values.last()) else {
            return self.gap(format!("`{name}` by what is no vector"));
        };
        let by = values[values.len() - 1].expr;
        let size = self.types.size_type();
        for i in 0..times {
            let index = self.one(by, mask, i);
            let index = self.convert(index, size);
            let all = if values.len() == 3 { 2 * count } else { count };
            let most = self.number(i128::from(all) - 1, size);
            let index = self.binary(BinOp::And, index, most);
            let index = self.keep(index);
            let mut from = values[0].expr;
            if values.len() == 3 {
                let half = self.number(count.into(), size);
                let first = self.binary(BinOp::Lt, index, half);
                let pointer = self.types.pointer_to(element);
                let one = self.retyped(values[0].expr, pointer);
                let two = self.retyped(values[1].expr, pointer);
                from = self.either(first, one, two);
            }
            let least = self.number(i128::from(count) - 1, size);
            let index = self.binary(BinOp::And, index, least);
            let vector = Op { expr: from, ty: values[0].ty };
            let place = self.element_place(vector, Op { expr: index, ty: size })?;
            let value = self.load(place)?;
            chosen.push(self.keep(value.expr));
        }
        let ty = self.types.of_parts(Parts::Vector(element, times));
        self.gathered(ty, &chosen)
    }

    /// Each element converted to the type of the elements of another vector.
    pub(crate) fn converted_lanes(&mut self, value: Op, to: Ty) -> Lowered<Op> {
        let (Some(Parts::Vector(from, n)), Some(Parts::Vector(element, m))) =
            (self.types.parts(value.ty), self.types.parts(to))
        else {
            return self.gap("a conversion of what is no vector");
        };
        if n != m {
            return self.gap("a conversion of vectors of different lengths");
        }
        let address = self.keep(value.expr);
        let mut parts = Vec::new();
        for i in 0..n {
            let part = self.one(address, from, i);
            parts.push(self.scalar(Op { expr: part, ty: from }, element)?);
        }
        self.gathered(to, &parts)
    }

    /// Functions on complex numbers that are no more than their parts.
    pub(crate) fn complex_function(
        &mut self,
        name: &str,
        args: &[front_c::ExprId],
    ) -> Lowered<Option<Op>> {
        let (base, kind) = match name {
            "conj" | "creal" | "cimag" => (name, FloatKind::Double),
            "conjf" | "crealf" | "cimagf" => (&name[..name.len() - 1], FloatKind::Float),
            "conjl" | "creall" | "cimagl" => (&name[..name.len() - 1], FloatKind::LongDouble),
            _ => return Ok(None),
        };
        let [arg] = args else { return Ok(None) };
        let value = self.rvalue(*arg)?;
        let element = self.types.of(Kind::Float(kind));
        let ty = self.complex_type(element);
        let value = self.as_parts(value, ty)?;
        if base == "conj" {
            return self.unary_parts(Unary::Complement, value).map(Some);
        }
        let (re, im) = self.halves(value);
        let expr = if base == "creal" { re } else { im.unwrap_or(re) };
        Ok(Some(Op { expr: self.keep(expr), ty: element }))
    }
}
