//! Expressions: their values, their effects, and where conditions lead.

use crate::literal::{Literal, number};
use crate::lower::{Lowered, Lowerer, Op};
use crate::place::Place;
use crate::program::{BinOp, BlockId, End, ExprId, ExprKind, LocalId, Root, StmtKind, UnOp};
use c_types::{IntKind, Kind, Ty};
use front_c::{About, Assign, Binary, Designator, ExprKind as Tree, Unary};

impl Lowerer<'_> {
    /// The value of an expression.
    pub(crate) fn rvalue(&mut self, e: front_c::ExprId) -> Lowered<Op> {
        self.deeper(|l| l.value(e, true))
    }

    /// An expression for its effects.
    pub(crate) fn effect(&mut self, e: front_c::ExprId) -> Lowered<()> {
        let value = self.deeper(|l| l.value(e, false))?;
        if self.types.is_scalar(value.ty) && self.can_fail(value.expr) {
            self.stmt(StmtKind::Eval(value.expr));
        }
        Ok(())
    }

    /// Whether computing a value can be undefined.
    fn can_fail(&self, e: ExprId) -> bool {
        let mut todo = vec![e];
        let mut seen = 0;
        while let Some(e) = todo.pop() {
            seen += 1;
            match *self.kind_of(e) {
                ExprKind::Load(_) | ExprKind::LoadBits(..) => return true,
                ExprKind::Binary(BinOp::Div | BinOp::Rem, ..) => return true,
                ExprKind::Unary(_, a) | ExprKind::Convert(a) => todo.push(a),
                ExprKind::Binary(_, a, b) => todo.extend([a, b]),
                _ => {}
            }
            if seen > 1_000 {
                return true;
            }
        }
        false
    }

    fn value(&mut self, e: front_c::ExprId, wanted: bool) -> Lowered<Op> {
        let unit = self.unit();
        let node = unit.expr(e);
        let before = self.at;
        let here = self.here(node.at);
        if here.line > 0 {
            self.at = here;
        }
        let value = self.value_here(e, wanted);
        self.at = before;
        value
    }

    fn value_here(&mut self, e: front_c::ExprId, wanted: bool) -> Lowered<Op> {
        let unit = self.unit();
        match &unit.expr(e).kind {
            Tree::Name(_)
            | Tree::Text(_)
            | Tree::Index(..)
            | Tree::Field(..)
            | Tree::Arrow(..)
            | Tree::Compound(..)
            | Tree::Unary(Unary::Deref, _) => {
                let place = self.place(e)?;
                self.load(place)
            }
            Tree::Enumerator(id) => {
                let (value, ty) = self.enumerator(*id)?;
                Ok(Op { expr: self.number(value, ty), ty })
            }
            Tree::Number(sym) => {
                let wide = self.types.model().long == 64;
                let (text, imaginary) = crate::literal::without_unit(unit.name(*sym));
                let (expr, ty) = match number(&text, wide) {
                    Some(Literal::Int(n, kind)) => {
                        let ty = self.types.int(kind);
                        (self.number(n, ty), ty)
                    }
                    Some(Literal::Float(x, kind)) => {
                        let ty = self.types.of(Kind::Float(kind));
                        (self.float(x, ty), ty)
                    }
                    None => return self.gap(format!("the number `{}`", unit.name(*sym))),
                };
                match imaginary {
                    true => self.imaginary(Op { expr, ty }),
                    false => Ok(Op { expr, ty }),
                }
            }
            Tree::Unary(Unary::Part, inner) => {
                self.part_of(*inner, unit.extra.imaginary.contains(&e))
            }
            Tree::Unary(op, inner) => self.unary_value(*op, *inner, wanted),
            Tree::Binary(Binary::And | Binary::Or, ..) => self.truth_value(e),
            Tree::Binary(op, a, b) => {
                let (a, b) = self.operands(*a, *b)?;
                self.binary_value(*op, a, b)
            }
            Tree::Assign(op, left, right) => self.assign(*op, *left, *right, wanted),
            Tree::Conditional(..) if unit.extra.chosen.contains(&e) => {
                let arm = self.chosen_conditional(e)?;
                self.rvalue(arm)
            }
            Tree::Conditional(c, then, other) => self.conditional(*c, *then, *other, wanted),
            Tree::Comma(a, b) => {
                self.effect(*a)?;
                match wanted {
                    true => self.rvalue(*b),
                    false => {
                        self.effect(*b)?;
                        Ok(self.void())
                    }
                }
            }
            Tree::Call(f, args) => self.call(e, *f, args, wanted),
            Tree::Cast(ty, inner) => self.cast(*ty, *inner, wanted),
            Tree::SizeOf(inner) => {
                let ty = self.type_only(*inner)?;
                if unit.extra.align_of.contains(&e) {
                    self.whole(ty)?;
                    let align = self.types.align(ty);
                    let ty = self.types.size_type();
                    return Ok(Op { expr: self.number(align.into(), ty), ty });
                }
                let expr = self.size_expr(ty)?;
                Ok(Op { expr, ty: self.type_of(expr) })
            }
            Tree::SizeOfType(ty) => {
                let ty = self.ty(*ty)?;
                let expr = self.size_expr(ty)?;
                Ok(Op { expr, ty: self.type_of(expr) })
            }
            Tree::AboutType(ty) => self.about_type(e, *ty),
            Tree::Block(s) => self.block_value(*s, wanted),
            Tree::LabelAddress(label) => {
                let Some(f) = self.f.id else { return self.gap("a label's address out here") };
                let own = self.outers.is_empty() || self.f.labels.contains_key(label);
                if !own && unit.name(*label).contains('#') {
                    return self.gap("the address of a label that may be of the function around");
                }
                let block = self.label(*label);
                let void = self.types.of(Kind::Void);
                let expr = self.root(Root::Label(f, block), void);
                Ok(Op { expr, ty: self.type_of(expr) })
            }
            Tree::VaArg(vector, ty)
                if unit
                    .slice(unit.expr(e).at.offset, unit.expr(e).end)
                    .contains("convertvector") =>
            {
                self.convert_vector(*vector, *ty)
            }
            Tree::VaArg(list, ty) => self.va_arg(*list, *ty),
            Tree::Generic(..) => match self.chosen_arm(e)? {
                Some(arm) => self.rvalue(arm),
                None => self.gap("`_Generic` without a fitting type"),
            },
        }
    }

    /// The type of an expression that is not evaluated, as `sizeof` and `typeof` see it.
    pub(crate) fn type_of_expr(&mut self, e: front_c::ExprId) -> Lowered<Ty> {
        let unit = self.unit();
        match &unit.expr(e).kind {
            _ if self.designates(e) => {
                if let Tree::Compound(ty, init) = unit.expr(e).kind {
                    let ty = self.ty(ty)?;
                    return self.completed_by(ty, init);
                }
                Ok(self.place(e)?.ty)
            }
            Tree::Comma(_, b) if self.designates(*b) => {
                let ty = self.place(*b)?.ty;
                Ok(match self.types.kind(ty) {
                    Kind::Array(element, _) => {
                        let element = *element;
                        self.types.pointer_to(element)
                    }
                    _ => ty,
                })
            }
            Tree::Generic(..) => match self.chosen_arm(e)? {
                Some(arm) => self.type_of_expr(arm),
                None => self.gap("`_Generic` without a fitting type"),
            },
            Tree::Cast(ty, _) => {
                let ty = self.ty(*ty)?;
                Ok(ty)
            }
            _ => Ok(self.rvalue(e)?.ty),
        }
    }

    /// Two operands, the left one first.
    pub(crate) fn operands(&mut self, a: front_c::ExprId, b: front_c::ExprId) -> Lowered<(Op, Op)> {
        let left = self.rvalue(a)?;
        let left = self.kept_for(left, b)?;
        let right = self.rvalue(b)?;
        Ok((left, right))
    }

    /// A value that is used after another expression was evaluated.
    pub(crate) fn kept_for(&mut self, value: Op, next: front_c::ExprId) -> Lowered<Op> {
        if !self.effects[self.u][next.index()] {
            return Ok(value);
        }
        Ok(match self.types.parts(value.ty) {
            Some(_) => self.outlive(value)?,
            None => Op { expr: self.keep(value.expr), ty: value.ty },
        })
    }

    fn unary_value(&mut self, op: Unary, inner: front_c::ExprId, wanted: bool) -> Lowered<Op> {
        match op {
            Unary::Address => {
                let place = match self.unit().expr(inner).kind {
                    Tree::Index(a, b) => self.deeper(|l| l.indexed(a, b, true))?,
                    _ => self.place(inner)?,
                };
                match place.at {
                    crate::place::Where::Memory(address) => {
                        let ty = self.types.pointer_to(place.ty);
                        Ok(Op { expr: self.retyped(address, ty), ty })
                    }
                    _ => self.gap("the address of what is in no memory"),
                }
            }
            Unary::Step { up, after } => self.step(inner, up, after, wanted),
            Unary::Not => {
                let value = self.rvalue(inner)?;
                let int = self.int_type();
                if let Some(c_types::Parts::Vector(..)) = self.types.parts(value.ty) {
                    return self.unary_parts(op, value);
                }
                if !self.types.is_scalar(value.ty) && !self.is_complex(value.ty) {
                    return self.gap("`!` of what is no number");
                }
                let truth = self.truth_of(value)?;
                let zero = self.int(0);
                let expr = self.not_truth(truth, zero);
                Ok(Op { expr, ty: int })
            }
            Unary::Part => self.part_of(inner, false),
            Unary::Minus | Unary::Plus | Unary::Complement => {
                let value = self.rvalue(inner)?;
                if self.types.parts(value.ty).is_some() {
                    return self.unary_parts(op, value);
                }
                let ok = match op {
                    Unary::Complement => self.types.is_integer(value.ty),
                    _ => self.types.is_arithmetic(value.ty),
                };
                if !ok {
                    let shown = self.types.show(value.ty);
                    return self.gap(format!("an operator on a `{shown}`"));
                }
                let ty = self.types.promoted(value.ty);
                let operand = self.convert(value.expr, ty);
                let expr = match op {
                    Unary::Minus => self.unary(UnOp::Neg, operand),
                    Unary::Complement => self.unary(UnOp::Not, operand),
                    _ => operand,
                };
                Ok(Op { expr, ty })
            }
            Unary::Deref => self.gap("`*` of nothing"),
        }
    }

    fn not_truth(&mut self, truth: ExprId, zero: ExprId) -> ExprId {
        // A comparison that can be turned around is; with fractions, `<` has no opposite.
        if let ExprKind::Binary(op, a, b) = *self.kind_of(truth) {
            let float = self.types.is_float(self.type_of(a));
            match op {
                BinOp::Eq => return self.binary(BinOp::Ne, a, b),
                BinOp::Ne => return self.binary(BinOp::Eq, a, b),
                BinOp::Lt if !float => return self.binary(BinOp::Le, b, a),
                BinOp::Le if !float => return self.binary(BinOp::Lt, b, a),
                _ => {}
            }
        }
        self.binary(BinOp::Eq, truth, zero)
    }

    /// `++` and `--`
    fn step(&mut self, inner: front_c::ExprId, up: bool, after: bool, wanted: bool) -> Lowered<Op> {
        let place = self.place(inner)?;
        let place = self.steady(place);
        let mut old = self.load(place)?;
        if after && wanted {
            old = self.outlive(old)?;
        }
        let one = Op { expr: self.int(1), ty: self.int_type() };
        let op = if up { Binary::Add } else { Binary::Sub };
        let new = self.binary_value(op, old, one)?;
        let new = self.store(place, new, wanted && !after)?;
        Ok(if after && wanted { old } else { new })
    }

    fn assign(
        &mut self,
        op: Assign,
        left: front_c::ExprId,
        right: front_c::ExprId,
        wanted: bool,
    ) -> Lowered<Op> {
        let has_effects = self.effects[self.u][right.index()];
        match op {
            Assign::Plain => {
                let mut place = self.place(left)?;
                if has_effects {
                    place = self.steady(place);
                }
                let value = self.rvalue(right)?;
                self.store(place, value, wanted)
            }
            Assign::With(op) => {
                // What has effects is computed before what it is put together with is read, as by compilers.
                let before = match has_effects {
                    true => {
                        let mut value = self.rvalue(right)?;
                        if self.types.is_scalar(value.ty) {
                            value.expr = self.keep(value.expr);
                        } else if self.types.parts(value.ty).is_some() {
                            value = self.outlive(value)?;
                        }
                        Some(value)
                    }
                    false => None,
                };
                let place = self.place(left)?;
                let place = self.steady(place);
                let old = self.load(place)?;
                let value = match before {
                    Some(value) => value,
                    None => self.rvalue(right)?,
                };
                let new = self.binary_value(op, old, value)?;
                self.store(place, new, wanted)
            }
        }
    }

    /// An operator on two values, with C's conversions.
    pub(crate) fn binary_value(&mut self, op: Binary, a: Op, b: Op) -> Lowered<Op> {
        use Binary::*;
        let (pa, pb) = (self.types.pointee(a.ty), self.types.pointee(b.ty));
        if self.types.parts(a.ty).is_some() || self.types.parts(b.ty).is_some() {
            return self.binary_parts(op, a, b);
        }
        let scalars = self.types.is_scalar(a.ty) && self.types.is_scalar(b.ty);
        if !scalars {
            let (a, b) = (self.types.show(a.ty), self.types.show(b.ty));
            return self.gap(format!("an operator on `{a}` and `{b}`"));
        }
        match (op, pa, pb) {
            (Add, Some(_), None) => return self.displace(a, b, false),
            (Add, None, Some(_)) => return self.displace(b, a, false),
            (Sub, Some(_), None) => return self.displace(a, b, true),
            (Sub, Some(to), Some(_)) => return self.difference(a, b, to),
            _ => {}
        }
        if let Lt | Gt | Le | Ge | Eq | Ne = op {
            return self.compare(op, a, b);
        }
        if pa.is_some() || pb.is_some() {
            return self.gap("an operator on a pointer");
        }
        if op.is_shift() {
            let (x, y) = (self.types.promoted(a.ty), self.types.promoted(b.ty));
            if !self.types.is_integer(x) || !self.types.is_integer(y) {
                return self.gap("a shift of what is no integer");
            }
            let (left, right) = (self.convert(a.expr, x), self.convert(b.expr, y));
            let op = if op == Shl { BinOp::Shl } else { BinOp::Shr };
            return Ok(Op { expr: self.binary(op, left, right), ty: x });
        }
        let Some(ty) = self.types.usual(a.ty, b.ty) else {
            return self.gap("an operator on such types");
        };
        let bits = matches!(op, Rem | BitAnd | BitOr | BitXor);
        if bits && !self.types.is_integer(ty) {
            return self.gap("an operator of integers on other numbers");
        }
        let (left, right) = (self.convert(a.expr, ty), self.convert(b.expr, ty));
        let op = match op {
            Mul => BinOp::Mul,
            Div => BinOp::Div,
            Rem => BinOp::Rem,
            Add => BinOp::Add,
            Sub => BinOp::Sub,
            BitAnd => BinOp::And,
            BitXor => BinOp::Xor,
            _ => BinOp::Or,
        };
        Ok(Op { expr: self.binary(op, left, right), ty })
    }

    /// How many elements lie between two pointers.
    fn difference(&mut self, a: Op, b: Op, to: Ty) -> Lowered<Op> {
        let ty = self.types.difference_type();
        let (x, y) = (self.convert(a.expr, ty), self.convert(b.expr, ty));
        // Addresses are numbers without a sign: the difference wraps.
        let size_ty = self.types.size_type();
        let (x, y) = (self.convert(x, size_ty), self.convert(y, size_ty));
        let bytes = self.binary(BinOp::Sub, x, y);
        let bytes = self.convert(bytes, ty);
        let size = self.size_expr(to)?;
        let size = self.convert(size, ty);
        let expr = match self.constant(size) {
            Some(0 | 1) => bytes,
            _ => self.binary(BinOp::Div, bytes, size),
        };
        Ok(Op { expr, ty })
    }

    fn compare(&mut self, op: Binary, a: Op, b: Op) -> Lowered<Op> {
        let pointer = self.types.pointee(a.ty).is_some() || self.types.pointee(b.ty).is_some();
        let (x, y) = if pointer {
            let void = self.types.of(Kind::Void);
            let ty = self.types.pointer_to(void);
            let one = |l: &mut Self, op: Op| match l.types.pointee(op.ty) {
                Some(_) => l.retyped(op.expr, ty),
                None => l.convert(op.expr, ty),
            };
            (one(self, a), one(self, b))
        } else {
            let Some(ty) = self.types.usual(a.ty, b.ty) else {
                return self.gap("a comparison of such types");
            };
            (self.convert(a.expr, ty), self.convert(b.expr, ty))
        };
        let expr = match op {
            Binary::Lt => self.binary(BinOp::Lt, x, y),
            Binary::Gt => self.binary(BinOp::Lt, y, x),
            Binary::Le => self.binary(BinOp::Le, x, y),
            Binary::Ge => self.binary(BinOp::Le, y, x),
            Binary::Eq => self.binary(BinOp::Eq, x, y),
            _ => self.binary(BinOp::Ne, x, y),
        };
        Ok(Op { expr, ty: self.int_type() })
    }

    fn cast(&mut self, ty: front_c::TypeId, inner: front_c::ExprId, wanted: bool) -> Lowered<Op> {
        let ty = self.ty(ty)?;
        if self.types.is_void(ty) {
            self.effect(inner)?;
            return Ok(self.void());
        }
        let value = self.deeper(|l| l.value(inner, wanted))?;
        let ty = self.types.plain(ty);
        if self.types.parts(ty).is_some() {
            return self.as_parts(value, ty);
        }
        if let Some(no) = self.types.as_record(ty) {
            // A union from one of its members, or a struct as what it is.
            if self.types.as_record(value.ty).is_some() {
                return Ok(Op { expr: value.expr, ty });
            }
            self.whole(ty)?;
            let temp = self.temp(ty);
            let to = self.address_of(temp);
            let size = self.types.record(no).size;
            self.stmt(StmtKind::Zero { to, size });
            let place = self.part(to, 0, value.ty, None);
            self.store(place, value, false)?;
            return Ok(Op { expr: to, ty });
        }
        let pointers = self.types.pointee(ty).is_some() && self.types.pointee(value.ty).is_some();
        let expr = match pointers {
            true => self.retyped(value.expr, ty),
            false => self.scalar(value, ty)?,
        };
        Ok(Op { expr, ty })
    }

    // Conditions.

    /// Goes to one block if a condition holds, and to the other one if not.
    pub(crate) fn branch(&mut self, e: front_c::ExprId, yes: BlockId, no: BlockId) -> Lowered<()> {
        self.deeper(|l| l.branch_here(e, yes, no))
    }

    fn branch_here(&mut self, e: front_c::ExprId, yes: BlockId, no: BlockId) -> Lowered<()> {
        match self.unit().expr(e).kind {
            Tree::Unary(Unary::Not, inner) => return self.branch(inner, no, yes),
            Tree::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let next = self.block();
                match op {
                    Binary::And => self.branch(a, next, no)?,
                    _ => self.branch(a, yes, next)?,
                }
                self.f.current = next;
                return self.branch(b, yes, no);
            }
            _ => {}
        }
        let value = self.rvalue(e)?;
        let truth = self.truth_of(value)?;
        let end = match self.constant(truth) {
            Some(0) => End::Jump(no),
            Some(_) => End::Jump(yes),
            None => End::Branch(truth, yes, no),
        };
        let next = self.f.current;
        self.end(end, next);
        Ok(())
    }

    /// `&&` and `||` as numbers.
    fn truth_value(&mut self, e: front_c::ExprId) -> Lowered<Op> {
        let int = self.int_type();
        if let Some(n) = self.constant_truth(e)? {
            return Ok(Op { expr: self.int(i128::from(n)), ty: int });
        }
        let temp = self.temp(int);
        let (yes, no, join) = (self.block(), self.block(), self.block());
        self.branch(e, yes, no)?;
        for (block, value) in [(yes, 1), (no, 0)] {
            self.f.current = block;
            let value = self.int(value);
            self.stmt(StmtKind::Set(temp, value));
            self.end(End::Jump(join), join);
        }
        Ok(Op { expr: self.read(temp), ty: int })
    }

    /// What `&&` and `||` are worth where constants decide.
    fn constant_truth(&mut self, e: front_c::ExprId) -> Lowered<Option<bool>> {
        let Tree::Binary(op @ (Binary::And | Binary::Or), a, b) = self.unit().expr(e).kind else {
            return Ok(None);
        };
        let Some(left) = self.constant_side(a)? else { return Ok(None) };
        match (op, left) {
            (Binary::And, false) => Ok(Some(false)),
            (Binary::Or, true) => Ok(Some(true)),
            _ => self.constant_side(b),
        }
    }

    fn constant_side(&mut self, e: front_c::ExprId) -> Lowered<Option<bool>> {
        if !self.constants[self.u][e.index()] {
            return Ok(None);
        }
        if let Tree::Binary(Binary::And | Binary::Or, ..) = self.unit().expr(e).kind {
            return self.deeper(|l| l.constant_truth(e));
        }
        let truth = self.dry(|l| {
            let value = l.rvalue(e)?;
            if !l.types.is_scalar(value.ty) {
                return Ok(None);
            }
            let truth = l.truth(value.expr);
            Ok(l.constant(truth).map(|n| n != 0))
        });
        Ok(truth.unwrap_or(None))
    }

    fn conditional(
        &mut self,
        c: front_c::ExprId,
        then: Option<front_c::ExprId>,
        other: front_c::ExprId,
        wanted: bool,
    ) -> Lowered<Op> {
        // The types of both arms count even where a constant decides.
        if let (Some(then), Some(truth)) = (then, self.constant_side(c)?) {
            let (one, two) = (self.type_only_value(then)?, self.type_only_value(other)?);
            let value = self.deeper(|l| l.value(if truth { then } else { other }, wanted))?;
            let ty = self.common(one, two)?;
            if self.is_complex(ty) && wanted {
                return self.as_parts(value, ty);
            }
            return match self.types.is_scalar(ty) && self.types.is_scalar(value.ty) {
                true => Ok(Op { expr: self.scalar(value, ty)?, ty }),
                false => Ok(value),
            };
        }
        let (yes, no, join) = (self.block(), self.block(), self.block());
        let mut first = None;
        match then {
            Some(_) => self.branch(c, yes, no)?,
            None => {
                let value = self.rvalue(c)?;
                let kept = self.keep(value.expr);
                let truth = self.truth_of(Op { expr: kept, ty: value.ty })?;
                self.end(End::Branch(truth, yes, no), yes);
                first = Some(Op { expr: kept, ty: value.ty });
            }
        }
        self.f.current = yes;
        let one = match (then, first) {
            (Some(then), _) => self.deeper(|l| l.value(then, wanted))?,
            (None, Some(first)) => first,
            (None, None) => return self.gap("a conditional without a value"),
        };
        let end_one = self.f.current;
        self.f.current = no;
        let two = self.deeper(|l| l.value(other, wanted))?;
        let end_two = self.f.current;
        let ty = self.common((one.ty, self.is_null(one)), (two.ty, self.is_null(two)))?;
        if self.types.is_void(ty) || !wanted {
            for (block, value) in [(end_one, one), (end_two, two)] {
                self.f.current = block;
                if self.types.is_scalar(value.ty) && self.can_fail(value.expr) {
                    self.stmt(StmtKind::Eval(value.expr));
                }
                self.end(End::Jump(join), join);
            }
            return Ok(self.void());
        }
        let aggregate = !self.types.is_scalar(ty);
        let temp = match aggregate {
            true => {
                let pointer = self.types.pointer_to(ty);
                self.temp(pointer)
            }
            false => self.temp(ty),
        };
        for (block, value) in [(end_one, one), (end_two, two)] {
            self.f.current = block;
            let value = match aggregate {
                true if self.is_complex(ty) => self.as_parts(value, ty)?.expr,
                true => value.expr,
                false => self.scalar(value, ty)?,
            };
            self.stmt(StmtKind::Set(temp, value));
            self.end(End::Jump(join), join);
        }
        Ok(Op { expr: self.read(temp), ty })
    }

    fn is_null(&self, op: Op) -> bool {
        let void = match self.types.pointee(op.ty) {
            Some(to) => self.types.is_void(to),
            None => self.types.is_integer(op.ty),
        };
        void && self.constant(op.expr) == Some(0)
    }

    fn type_only_value(&mut self, e: front_c::ExprId) -> Lowered<(Ty, bool)> {
        self.dry(|l| {
            let value = l.rvalue(e)?;
            Ok((value.ty, l.is_null(value)))
        })
    }

    /// The type of `?:`, of the types of its arms and whether they are null.
    fn common(&mut self, a: (Ty, bool), b: (Ty, bool)) -> Lowered<Ty> {
        let number = |l: &Self, ty: Ty| l.types.is_arithmetic(ty) || l.is_complex(ty);
        if number(self, a.0)
            && number(self, b.0)
            && let Some(ty) = self.common_complex(a.0, b.0)?
        {
            return Ok(ty);
        }
        let (pa, pb) = (self.types.pointee(a.0), self.types.pointee(b.0));
        Ok(match (pa, pb) {
            (Some(_), Some(_)) if a.1 => self.types.plain(b.0),
            (Some(_), Some(_)) if b.1 => self.types.plain(a.0),
            (Some(_), Some(to)) if self.types.is_void(to) => self.types.plain(b.0),
            (Some(_), Some(_)) => self.types.plain(a.0),
            (Some(_), None) => self.types.plain(a.0),
            (None, Some(_)) => self.types.plain(b.0),
            (None, None) => match self.types.usual(a.0, b.0) {
                Some(ty) => ty,
                None if self.types.is_void(a.0) || self.types.is_void(b.0) => {
                    self.types.of(Kind::Void)
                }
                None => self.types.plain(a.0),
            },
        })
    }

    // Choices made while compiling.

    /// The arm of `__builtin_choose_expr`.
    pub(crate) fn chosen_conditional(&mut self, e: front_c::ExprId) -> Lowered<front_c::ExprId> {
        let Tree::Conditional(c, Some(then), other) = self.unit().expr(e).kind else {
            return self.gap("a choice without arms");
        };
        match self.constant_expr(c)? {
            Some(0) => Ok(other),
            Some(_) => Ok(then),
            None => self.gap("a choice by what is no constant"),
        }
    }

    /// The arm of `_Generic`.
    pub(crate) fn chosen_arm(&mut self, e: front_c::ExprId) -> Lowered<Option<front_c::ExprId>> {
        let unit = self.unit();
        let Tree::Generic(control, arms) = &unit.expr(e).kind else { return Ok(None) };
        let (ty, _) = self.type_only_value(*control)?;
        let ty = self.types.plain(ty);
        let mut default = None;
        let types = unit.extra.generic.get(&e).map_or(&[][..], |types| types);
        for (arm, of) in arms.iter().zip(types) {
            match of {
                None => default = Some(*arm),
                Some(of) => {
                    let of = self.ty(*of)?;
                    if self.types.compatible(ty, of) {
                        return Ok(Some(*arm));
                    }
                }
            }
        }
        Ok(default)
    }

    fn about_type(&mut self, e: front_c::ExprId, ty: front_c::TypeId) -> Lowered<Op> {
        let unit = self.unit();
        let ty = self.ty(ty)?;
        let size_ty = self.types.size_type();
        match unit.extra.about.get(&e) {
            Some(About::Align) => {
                self.whole(ty)?;
                let align = self.types.align(ty);
                Ok(Op { expr: self.number(align.into(), size_ty), ty: size_ty })
            }
            Some(About::Compatible(other)) => {
                let other = self.ty(*other)?;
                let (a, b) = (self.types.plain(ty), self.types.plain(other));
                // One enumeration is not another, whatever holds them.
                let number = |ty: Ty| match self.types.kind(ty) {
                    Kind::Enum(no) => Some(*no),
                    _ => None,
                };
                let other = number(a).zip(number(b)).is_some_and(|(x, y)| x != y);
                let same = !other && self.types.compatible(a, b);
                Ok(Op { expr: self.int(i128::from(same)), ty: self.int_type() })
            }
            Some(About::Offset(path)) => {
                let mut place = {
                    let pointer = self.types.pointer_to(ty);
                    let zero = self.number(0, pointer);
                    Place { at: crate::place::Where::Memory(zero), ty }
                };
                for step in path {
                    let crate::place::Where::Memory(address) = place.at else {
                        return self.gap("the offset of a bit-field");
                    };
                    let base = Op { expr: address, ty: place.ty };
                    place = match step {
                        Designator::Member(name) => self.member(base, unit.name(*name))?,
                        Designator::Index(i) | Designator::Range(i, _) => {
                            let pointer = self.load(place)?;
                            let index = self.rvalue(*i)?;
                            let sum = self.displace(pointer, index, false)?;
                            let Some(to) = self.types.pointee(sum.ty) else {
                                return self.gap("an index of what is no array");
                            };
                            Place { at: crate::place::Where::Memory(sum.expr), ty: to }
                        }
                    };
                }
                let crate::place::Where::Memory(address) = place.at else {
                    return self.gap("the offset of a bit-field");
                };
                Ok(Op { expr: self.convert(address, size_ty), ty: size_ty })
            }
            None => self.gap("a constant about a type"),
        }
    }

    /// A statement expression.
    fn block_value(&mut self, s: front_c::StmtId, wanted: bool) -> Lowered<Op> {
        let unit = self.unit();
        let front_c::StmtKind::Block(list, _) = &unit.stmt(s).kind else {
            return self.gap("a statement that is no block");
        };
        self.open_scope();
        let mut value = None;
        for (i, &stmt) in list.iter().enumerate() {
            let last = i + 1 == list.len();
            let mut inner = stmt;
            // The value may stand behind labels.
            while let front_c::StmtKind::Label(label, next) = unit.stmt(inner).kind {
                if !last {
                    break;
                }
                self.place_label(label);
                inner = next;
            }
            match unit.stmt(inner).kind {
                front_c::StmtKind::Expr(e) if last && wanted => {
                    let result = self.rvalue(e)?;
                    value = Some(self.outlive(result)?);
                }
                _ => self.statement(inner)?,
            }
        }
        self.close_scope();
        Ok(match value {
            Some(value) => value,
            None => self.void(),
        })
    }

    /// A value that stays when the scope is left.
    pub(crate) fn outlive(&mut self, value: Op) -> Lowered<Op> {
        if self.types.is_scalar(value.ty) {
            let temp = self.temp(value.ty);
            self.stmt(StmtKind::Set(temp, value.expr));
            return Ok(Op { expr: self.read(temp), ty: value.ty });
        }
        if self.types.as_record(value.ty).is_some() {
            let temp: LocalId = self.temp(value.ty);
            let to = self.address_of(temp);
            let size = self.size_of(value.ty)?;
            if size > 0 {
                self.stmt(StmtKind::Copy { to, from: value.expr, size });
            }
            return Ok(Op { expr: to, ty: value.ty });
        }
        Ok(value)
    }

    /// A signed integer type of so many bits, for what the program has no name for.
    pub(crate) fn long_type(&mut self) -> Ty {
        self.types.int(IntKind::Long)
    }
}
