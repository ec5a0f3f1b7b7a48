//! Making expressions, blocks and statements of the function that is being lowered.
//!
//! Operators on constants are computed here, so that what C calls a constant expression is one number.

use crate::lower::{Lowerer, Op};
use crate::program::{
    At, BinOp, Block, BlockId, End, Expr, ExprId, ExprKind, Home, Local, LocalId, Root, Stmt,
    StmtKind, UnOp,
};
use c_types::{FloatKind, IntKind, Kind, Ty};

impl Lowerer<'_> {
    // Expressions.

    pub(crate) fn expr(&mut self, kind: ExprKind, ty: Ty) -> ExprId {
        self.f.exprs.push(Expr { kind, ty });
        ExprId(self.f.exprs.len() as u32 - 1)
    }
    pub(crate) fn kind_of(&self, e: ExprId) -> &ExprKind {
        &self.f.exprs[e.index()].kind
    }
    pub(crate) fn type_of(&self, e: ExprId) -> Ty {
        self.f.exprs[e.index()].ty
    }
    pub(crate) fn int_type(&mut self) -> Ty {
        self.types.int(IntKind::Int)
    }
    pub(crate) fn void(&mut self) -> Op {
        let ty = self.types.of(Kind::Void);
        let int = self.int_type();
        Op { expr: self.number(0, int), ty }
    }
    /// A number, reduced to what its type has.
    pub(crate) fn number(&mut self, number: i128, ty: Ty) -> ExprId {
        let number = self.wrap(number, ty);
        self.expr(ExprKind::Int(number), ty)
    }
    pub(crate) fn int(&mut self, number: i128) -> ExprId {
        let ty = self.int_type();
        self.number(number, ty)
    }
    pub(crate) fn size_number(&mut self, number: u64) -> ExprId {
        let ty = self.types.size_type();
        self.number(number.into(), ty)
    }
    /// What is left of a number in an integer or pointer type.
    pub(crate) fn wrap(&self, number: i128, ty: Ty) -> i128 {
        if let Kind::Bool = self.types.kind(ty) {
            return i128::from(number != 0);
        }
        let (bits, signed) = match self.types.as_int(ty) {
            Some(int) => (u32::from(int.bits), int.signed),
            None => (u32::from(self.types.model().pointer), false),
        };
        if bits >= 128 {
            return number;
        }
        let up = 128 - bits;
        match signed {
            true => (number << up) >> up,
            false => (((number as u128) << up) >> up) as i128,
        }
    }
    pub(crate) fn constant(&self, e: ExprId) -> Option<i128> {
        match self.kind_of(e) {
            ExprKind::Int(n) => Some(*n),
            _ => None,
        }
    }
    fn float_constant(&self, e: ExprId) -> Option<f64> {
        match self.kind_of(e) {
            ExprKind::Float(x) => Some(*x),
            _ => None,
        }
    }
    /// A number with a fraction, rounded to what its type has.
    pub(crate) fn float(&mut self, x: f64, ty: Ty) -> ExprId {
        let x = match self.types.kind(ty) {
            Kind::Float(FloatKind::Float) => f64::from(x as f32),
            _ => x,
        };
        self.expr(ExprKind::Float(x), ty)
    }
    fn is_unsigned_wide(&self, ty: Ty) -> bool {
        self.types.as_int(ty).is_some_and(|int| int.bits == 128 && !int.signed)
    }

    /// A conversion between scalar types.
    pub(crate) fn convert(&mut self, e: ExprId, to: Ty) -> ExprId {
        let to = self.types.plain(to);
        let from = self.type_of(e);
        if from == to {
            return e;
        }
        let is_bool = matches!(self.types.kind(to), Kind::Bool);
        if let Some(n) = self.constant(e) {
            if self.types.is_float(to) {
                let float = matches!(self.types.kind(to), Kind::Float(FloatKind::Float));
                let x = match (self.is_unsigned_wide(from), float) {
                    (true, true) => f64::from(n as u128 as f32),
                    (true, false) => n as u128 as f64,
                    (false, true) => f64::from(n as f32),
                    (false, false) => n as f64,
                };
                return self.float(x, to);
            }
            return self.number(n, to);
        }
        if let Some(x) = self.float_constant(e) {
            if self.types.is_float(to) {
                return self.float(x, to);
            }
            if is_bool {
                return self.number(i128::from(x != 0.0), to);
            }
            if let Some(int) = self.types.as_int(to) {
                let inside = match int.signed {
                    true => x > int.min() as f64 - 1.0 && x < -(int.min() as f64),
                    false => x > -1.0 && x < 2f64.powi(i32::from(int.bits)),
                };
                if inside {
                    let n = if int.signed { x as i128 } else { x as u128 as i128 };
                    return self.number(n, to);
                }
                // Compilers take the nearest value; that there is none is told where it is computed.
                if int.bits <= 64 {
                    let lost = self.expr(ExprKind::Convert(e), to);
                    if self.f.id.is_some() {
                        self.stmt(StmtKind::Eval(lost));
                    }
                    let n = (x as i128).clamp(int.min(), int.max());
                    return self.number(n, to);
                }
            }
        }
        // Equal representations need no work, but the type is another one.
        self.expr(ExprKind::Convert(e), to)
    }

    /// An operator with one operand of a promoted type.
    pub(crate) fn unary(&mut self, op: UnOp, a: ExprId) -> ExprId {
        let ty = self.type_of(a);
        if let Some(n) = self.constant(a) {
            match op {
                UnOp::Neg if self.fits(n.checked_neg(), ty) => {
                    return self.number(n.wrapping_neg(), ty);
                }
                UnOp::Neg => {}
                UnOp::Not => return self.number(!n, ty),
            }
        }
        if let (Some(x), UnOp::Neg) = (self.float_constant(a), op) {
            return self.float(-x, ty);
        }
        self.expr(ExprKind::Unary(op, a), ty)
    }

    /// An operator with two operands of one type.
    pub(crate) fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let operands = self.type_of(a);
        let ty = if op.compares() { self.int_type() } else { operands };
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b))
            && let Some(n) = self.compute(op, x, y, operands)
            && self.fits(exact(op, x, y, n), ty)
        {
            return self.number(n, ty);
        }
        if let (Some(x), Some(y)) = (self.float_constant(a), self.float_constant(b)) {
            match op {
                BinOp::Add => return self.float(x + y, ty),
                BinOp::Sub => return self.float(x - y, ty),
                BinOp::Mul => return self.float(x * y, ty),
                BinOp::Div => return self.float(x / y, ty),
                BinOp::Eq => return self.int(i128::from(x == y)),
                BinOp::Ne => return self.int(i128::from(x != y)),
                BinOp::Lt => return self.int(i128::from(x < y)),
                BinOp::Le => return self.int(i128::from(x <= y)),
                _ => {}
            }
        }
        // Distances from an address add up.
        if let (BinOp::Add, Some(0)) = (op, self.constant(b)) {
            return a;
        }
        if let (BinOp::Add, ExprKind::Binary(BinOp::Add, base, first), Some(y)) =
            (op, self.kind_of(a).clone(), self.constant(b))
            && self.types.pointee(operands).is_some()
            && let Some(x) = self.constant(first)
        {
            let by = self.type_of(b);
            let sum = self.number(x + y, by);
            return self.expr(ExprKind::Binary(BinOp::Add, base, sum), ty);
        }
        self.expr(ExprKind::Binary(op, a, b), ty)
    }

    /// Whether a result is one of a signed type, so that it may be computed here: overflow is left to runs.
    fn fits(&self, number: Option<i128>, ty: Ty) -> bool {
        let signed = self.types.as_int(ty).is_some_and(|int| int.signed);
        self.fixed > 0 || !signed || number.is_some_and(|n| self.wrap(n, ty) == n)
    }

    /// The value of an operator on numbers; none where it is undefined, but for overflow.
    fn compute(&self, op: BinOp, x: i128, y: i128, ty: Ty) -> Option<i128> {
        let int = self.types.as_int(ty);
        let unsigned = int.is_none_or(|int| !int.signed);
        let bits = int.map_or(self.types.model().pointer, |int| int.bits);
        let (ux, uy) = (x as u128, y as u128);
        Some(match op {
            BinOp::Add => x.wrapping_add(y),
            BinOp::Sub => x.wrapping_sub(y),
            BinOp::Mul => x.wrapping_mul(y),
            BinOp::Div | BinOp::Rem if y == 0 => return None,
            BinOp::Div if unsigned => (ux / uy) as i128,
            BinOp::Rem if unsigned => (ux % uy) as i128,
            BinOp::Div => x.wrapping_div(y),
            BinOp::Rem => x.wrapping_rem(y),
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Xor => x ^ y,
            BinOp::Shl | BinOp::Shr if y < 0 || y >= i128::from(bits) => return None,
            BinOp::Shl => x.wrapping_shl(y as u32),
            BinOp::Shr if unsigned => (ux >> y) as i128,
            BinOp::Shr => x >> y,
            BinOp::Eq => i128::from(x == y),
            BinOp::Ne => i128::from(x != y),
            BinOp::Lt if unsigned => i128::from(ux < uy),
            BinOp::Le if unsigned => i128::from(ux <= uy),
            BinOp::Lt => i128::from(x < y),
            BinOp::Le => i128::from(x <= y),
        })
    }

    /// Whether a scalar is not 0.
    pub(crate) fn truth(&mut self, e: ExprId) -> ExprId {
        let ty = self.type_of(e);
        if let ExprKind::Binary(op, ..) = self.kind_of(e)
            && op.compares()
        {
            return e;
        }
        if let Some(x) = self.float_constant(e) {
            return self.int(i128::from(x != 0.0));
        }
        let there = match *self.kind_of(e) {
            ExprKind::AddressOf(_) => true,
            ExprKind::Root(Root::Object(o)) => !self.objects[o.index()].weak,
            ExprKind::Root(Root::Function(f)) => !self.functions[f.index()].weak,
            ExprKind::Root(Root::Label(..)) => true,
            _ => false,
        };
        if there {
            return self.int(1);
        }
        let zero = self.zero(ty);
        self.binary(BinOp::Ne, e, zero)
    }
    pub(crate) fn zero(&mut self, ty: Ty) -> ExprId {
        match self.types.is_float(ty) {
            true => self.float(0.0, ty),
            false => self.number(0, ty),
        }
    }
    /// An address so many bytes further, of something of a type.
    pub(crate) fn offset(&mut self, address: ExprId, by: u64, to: Ty) -> ExprId {
        let ty = self.types.pointer_to(to);
        let address = self.retyped(address, ty);
        if by == 0 {
            return address;
        }
        let by = self.size_number(by);
        self.binary(BinOp::Add, address, by)
    }
    /// The same address with another type.
    pub(crate) fn retyped(&mut self, address: ExprId, ty: Ty) -> ExprId {
        if self.type_of(address) == ty {
            return address;
        }
        match self.kind_of(address).clone() {
            kind @ (ExprKind::Root(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Local(_)
            | ExprKind::Int(_)) => self.expr(kind, ty),
            kind @ ExprKind::Binary(BinOp::Add, ..) => self.expr(kind, ty),
            _ => self.expr(ExprKind::Convert(address), ty),
        }
    }

    // Locals, blocks, statements.

    pub(crate) fn local(&mut self, name: &str, ty: Ty, home: Home, at: At) -> LocalId {
        let align = self.types.align(ty);
        self.f.locals.push(Local { name: name.to_owned(), ty, home, align, at, until: 0 });
        LocalId(self.f.locals.len() as u32 - 1)
    }
    /// A local for a value on its way.
    pub(crate) fn temp(&mut self, ty: Ty) -> LocalId {
        let ty = self.types.plain(ty);
        let home = if self.types.is_scalar(ty) { Home::Register } else { Home::Memory };
        self.local("", ty, home, At::default())
    }
    pub(crate) fn read(&mut self, local: LocalId) -> ExprId {
        let ty = self.f.locals[local.index()].ty;
        let ty = self.types.plain(ty);
        self.expr(ExprKind::Local(local), ty)
    }
    pub(crate) fn address_of(&mut self, local: LocalId) -> ExprId {
        let ty = self.f.locals[local.index()].ty;
        let ty = self.types.pointer_to(ty);
        self.expr(ExprKind::AddressOf(local), ty)
    }
    pub(crate) fn root(&mut self, root: Root, to: Ty) -> ExprId {
        let ty = self.types.pointer_to(to);
        self.expr(ExprKind::Root(root), ty)
    }
    /// Keeps a value that what follows could change.
    pub(crate) fn keep(&mut self, e: ExprId) -> ExprId {
        match self.kind_of(e) {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Root(_) | ExprKind::AddressOf(_) => e,
            ExprKind::Local(l) if self.f.locals[l.index()].name.is_empty() => e,
            ExprKind::Binary(BinOp::Add, a, b)
                if self.constant(*b).is_some()
                    && matches!(self.kind_of(*a), ExprKind::Root(_) | ExprKind::AddressOf(_)) =>
            {
                e
            }
            _ => {
                let ty = self.type_of(e);
                let temp = self.temp(ty);
                self.stmt(StmtKind::Set(temp, e));
                self.read(temp)
            }
        }
    }

    pub(crate) fn stmt(&mut self, kind: StmtKind) {
        let at = self.at;
        let block = self.f.current.index();
        self.f.blocks[block].stmts.push(Stmt { kind, at });
    }
    /// A block that nothing leads to yet.
    pub(crate) fn block(&mut self) -> BlockId {
        let end_at = self.at;
        self.f.blocks.push(Block { stmts: Vec::new(), end: End::Unreachable, end_at });
        self.f.open.push(true);
        BlockId(self.f.blocks.len() as u32 - 1)
    }
    /// Ends the current block, and goes on in another one.
    pub(crate) fn end(&mut self, end: End, next: BlockId) {
        let at = self.at;
        let current = self.f.current.index();
        if self.f.open[current] {
            self.f.blocks[current].end = end;
            self.f.blocks[current].end_at = at;
            self.f.open[current] = false;
        }
        self.f.current = next;
    }
    /// Goes on in a block.
    pub(crate) fn goto(&mut self, block: BlockId) {
        self.end(End::Jump(block), block);
    }
    /// Ends the current block; what follows is not reached, unless something jumps there.
    pub(crate) fn leave(&mut self, end: End) {
        let next = self.block();
        self.end(end, next);
    }
}

/// The exact result of an operator, where it is not always the one that is computed; none if it has too many bits.
fn exact(op: BinOp, x: i128, y: i128, computed: i128) -> Option<i128> {
    match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        // The quotient that does not fit makes the rest undefined, too.
        BinOp::Div | BinOp::Rem => x.checked_div(y),
        BinOp::Shl => 1i128.checked_shl(y as u32).and_then(|by| x.checked_mul(by)),
        _ => Some(computed),
    }
}
