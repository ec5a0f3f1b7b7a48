//! Indices into arrays that are parts of objects.
//!
//! What lies at an address says nothing of `m[0][9]` where `int m[2][5]` has room for it, nor of `s.a[4]` where another
//! member follows: the access is inside of the object. So such an index is a statement of its own
//! ([`StmtKind::Within`]), which looks at the index. An array that is an object of its own needs none: whoever leaves it
//! leaves the object. Neither does the last member of what a pointer leads to: programs allocate more than its
//! type has (`char text[1]`), and gcc's sanitizer does not look there.

use crate::lower::{Lowered, Lowerer, Op};
use crate::place::Place;
use crate::program::{BinOp, StmtKind};
use c_types::{Kind, Length, Ty};
use front_c::{ExprId, ExprKind as Tree, Unary};

impl Lowerer<'_> {
    /// `a[b]`; of one whose address alone is taken, the index may be one past the end.
    pub(crate) fn indexed(&mut self, a: ExprId, b: ExprId, past: bool) -> Lowered<Place> {
        let unit = self.unit();
        let part = |e| {
            let kind = &unit.expr(e).kind;
            let pointed = matches!(kind, Tree::Unary(Unary::Deref, _));
            pointed || matches!(kind, Tree::Index(..) | Tree::Field(..) | Tree::Arrow(..))
        };
        let own = self.dry == 0 && self.f.id.is_some() && self.u < self.own;
        let mut length = None;
        let (left, right) = match own && part(a) && !self.goes_on(a)? {
            true => {
                let place = self.place(a)?;
                if let Kind::Array(_, of) = self.types.kind(place.ty) {
                    length = Some(*of);
                }
                let left = self.load(place)?;
                let left = self.kept_for(left, b)?;
                (left, self.rvalue(b)?)
            }
            false => self.operands(a, b)?,
        };
        for (vector, index) in [(left, right), (right, left)] {
            if self.types.parts(vector.ty).is_some() {
                return self.element_place(vector, index);
            }
        }
        if let Some(length) = length {
            self.within(right, length, past)?;
        }
        let (pointer, index) = match self.types.pointee(left.ty) {
            Some(_) => (left, right),
            None => (right, left),
        };
        let sum = self.displace(pointer, index, false)?;
        self.pointed(sum)
    }

    fn within(&mut self, index: Op, length: Length, past: bool) -> Lowered<()> {
        if !self.types.is_integer(index.ty) {
            return Ok(());
        }
        let count = match length {
            Length::Known(n) if n > 0 => self.size_number(n),
            Length::Variable(n) => self.count_of(n),
            _ => return Ok(()),
        };
        let (signed, size) = (self.types.difference_type(), self.types.size_type());
        let index = self.convert(index.expr, signed);
        let index = self.convert(index, size);
        let op = if past { BinOp::Le } else { BinOp::Lt };
        let inside = self.binary(op, index, count);
        if self.constant(inside) != Some(1) {
            self.stmt(StmtKind::Within { index, count, inside });
        }
        Ok(())
    }

    /// Whether what follows an array in memory may be more of it: it is the last member of what a pointer leads to.
    fn goes_on(&mut self, e: ExprId) -> Lowered<bool> {
        let unit = self.unit();
        let (mut e, whole) = (e, e);
        loop {
            match unit.expr(e).kind {
                Tree::Unary(Unary::Deref, _) => return Ok(e != whole),
                Tree::Arrow(inner, name) => {
                    let pointer = self.type_only(inner)?;
                    let to = self.types.pointee(pointer);
                    return match to {
                        Some(to) => self.is_last(to, unit.name(name)),
                        None => Ok(false),
                    };
                }
                Tree::Field(inner, name) => {
                    let of = self.type_only(inner)?;
                    if !self.is_last(of, unit.name(name))? {
                        return Ok(false);
                    }
                    e = inner;
                }
                Tree::Index(inner, _) => {
                    let of = self.type_only(inner)?;
                    return Ok(e != whole && !matches!(self.types.kind(of), Kind::Array(..)));
                }
                _ => return Ok(false),
            }
        }
    }

    /// Whether no member of a struct starts after this one.
    fn is_last(&mut self, of: Ty, name: &str) -> Lowered<bool> {
        self.whole(of)?;
        let Some(no) = self.types.as_record(of) else { return Ok(true) };
        let Some(found) = self.types.member(no, name) else { return Ok(true) };
        Ok(self.types.record(no).members.iter().all(|m| m.offset <= found.offset))
    }
}
