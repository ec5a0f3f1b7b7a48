//! What the compiler has built in about numbers: classes of floating values, kinds of types.

use crate::lower::{Lowered, Lowerer, Op};
use crate::program::{BinOp, ExprKind, StmtKind};
use c_types::{FloatKind, Kind};

impl Lowerer<'_> {
    /// `__builtin_isnan` and its kind; a sign is read off the bits.
    pub(crate) fn classify(&mut self, what: &str, value: front_c::ExprId) -> Lowered<Op> {
        let value = self.rvalue(value)?;
        let int = self.int_type();
        let of = self.types.plain(value.ty);
        let ty = self.types.of(Kind::Float(FloatKind::Double));
        let x = self.scalar(value, ty)?;
        let x = self.keep(x);
        let inf = self.float(f64::INFINITY, ty);
        let low = self.float(f64::NEG_INFINITY, ty);
        let (up, down) = (self.binary(BinOp::Eq, x, inf), self.binary(BinOp::Eq, x, low));
        let nan = self.binary(BinOp::Ne, x, x);
        let zero = self.int(0);
        let expr = match what {
            "isnan" => nan,
            "isinf" => self.binary(BinOp::Or, up, down),
            "isinf_sign" => self.binary(BinOp::Sub, up, down),
            "isfinite" => {
                let either = self.binary(BinOp::Or, up, down);
                let either = self.binary(BinOp::Or, either, nan);
                self.binary(BinOp::Eq, either, zero)
            }
            "isnormal" => {
                let size = self.absolute(x);
                let least = self.least_normal(of);
                let least = self.float(least, ty);
                let (a, b) =
                    (self.binary(BinOp::Le, least, size), self.binary(BinOp::Lt, size, inf));
                self.binary(BinOp::And, a, b)
            }
            "signbit" => {
                // Through memory: the bits of a number that may be no number.
                let temp = self.local("", ty, crate::program::Home::Memory, self.at);
                let to = self.address_of(temp);
                self.stmt(StmtKind::Store { to, value: x });
                let word = self.types.int(c_types::IntKind::LongLong);
                let pointer = self.types.pointer_to(word);
                let at = self.retyped(to, pointer);
                let bits = self.expr(ExprKind::Load(at), word);
                let none = self.number(0, word);
                self.binary(BinOp::Lt, bits, none)
            }
            _ => return self.gap(format!("`__builtin_{what}`")),
        };
        Ok(Op { expr, ty: int })
    }

    /// The size of a number without its sign. What is no number stays none.
    fn absolute(&mut self, x: crate::program::ExprId) -> crate::program::ExprId {
        let ty = self.type_of(x);
        let zero = self.zero(ty);
        let below = self.binary(BinOp::Lt, x, zero);
        let minus = self.unary(crate::program::UnOp::Neg, x);
        self.either(below, minus, x)
    }

    fn least_normal(&self, ty: c_types::Ty) -> f64 {
        match self.types.kind(ty) {
            Kind::Float(FloatKind::Float) => f64::from(f32::MIN_POSITIVE),
            // All that `double` has are normal in `long double`.
            Kind::Float(FloatKind::LongDouble) => 5e-324,
            _ => f64::MIN_POSITIVE,
        }
    }

    /// `__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)`
    pub(crate) fn fp_classify(&mut self, args: &[front_c::ExprId]) -> Lowered<Op> {
        let int = self.int_type();
        let mut words = Vec::new();
        for &arg in &args[..5] {
            let value = self.rvalue(arg)?;
            let value = self.scalar(value, int)?;
            words.push(self.keep(value));
        }
        let value = self.rvalue(args[5])?;
        let of = self.types.plain(value.ty);
        let ty = self.types.of(Kind::Float(FloatKind::Double));
        let x = self.scalar(value, ty)?;
        let x = self.keep(x);
        let size = self.absolute(x);
        let least = self.least_normal(of);
        let (zero, least) = (self.float(0.0, ty), self.float(least, ty));
        let inf = self.float(f64::INFINITY, ty);
        let is_zero = self.binary(BinOp::Eq, size, zero);
        let small = self.binary(BinOp::Lt, size, least);
        let infinite = self.binary(BinOp::Eq, size, inf);
        let nan = self.binary(BinOp::Ne, x, x);
        let mut expr = self.either(small, words[3], words[2]);
        expr = self.either(is_zero, words[4], expr);
        expr = self.either(infinite, words[1], expr);
        expr = self.either(nan, words[0], expr);
        Ok(Op { expr, ty: int })
    }

    /// `__builtin_classify_type`: numbers of gcc's `typeclass.h`.
    pub(crate) fn classify_type(&mut self, value: front_c::ExprId) -> Lowered<Op> {
        let value = self.dry(|l| l.rvalue(value))?;
        let class = match self.types.kind(value.ty) {
            Kind::Void => 0,
            _ if self.is_complex(value.ty) => 9,
            Kind::Record(no) if self.types.record(*no).is_union => 13,
            Kind::Record(_) => 12,
            Kind::Float(_) => 8,
            Kind::Pointer(_) => 5,
            _ => 1,
        };
        Ok(Op { expr: self.int(class), ty: self.int_type() })
    }

    /// `__builtin_convertvector(v, type)`
    pub(crate) fn convert_vector(
        &mut self,
        value: front_c::ExprId,
        ty: front_c::TypeId,
    ) -> Lowered<Op> {
        let ty = self.ty(ty)?;
        let ty = self.types.plain(ty);
        let value = self.rvalue(value)?;
        self.converted_lanes(value, ty)
    }
}
