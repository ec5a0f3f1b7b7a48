//! Operators that make one value of others: `*`, `&`, `++`, `[]`, `.`, `->`, casts.

use super::Walker;
use super::values::{Val, What};
use crate::link::Reach;
use crate::skeleton::{Data, Event};
use crate::tree::{Binary, ExprId, ExprKind, Sym, TypeId, TypeKind, Unary};
use c_types::Scalar;

impl<'a> Walker<'_, 'a> {
    /// `*p`
    pub(super) fn deref(&mut self) {
        let val = self.pop();
        let ty = self.pointee(val.ty);
        let val = match val.what {
            What::Func => val,
            // A function pointer is called, not followed.
            What::Object(_) if self.is_function(ty) => Val { ty, ..val },
            What::Object(o) | What::Assigned(o) => {
                let array = self.is_array(val.ty);
                let reach = if array { Reach::Cell(o) } else { Reach::Deref(o) };
                self.part_or_read(reach, None, val, ty)
            }
            What::Address(a) => match self.linked.objects[a.index()].reach {
                Reach::Address(base) => Val::new(What::Object(base), self.object_type(base)),
                _ => Val::other(ty),
            },
            _ => Val::other(ty),
        };
        self.push(val);
    }

    /// `&v`
    pub(super) fn address(&mut self) {
        let val = self.pop();
        let val = match val.what {
            What::Object(o) => {
                self.linked.objects[o.index()].address_taken = true;
                self.taken_root(o);
                match self.part(Reach::Address(o), None) {
                    Some(a) => Val::new(What::Address(a), None),
                    None => {
                        self.address_events(o);
                        Val::other(None)
                    }
                }
            }
            What::Func => val,
            _ => Val::other(None),
        };
        self.push(val);
    }

    /// `++v` and its kind.
    pub(super) fn step(&mut self, e: ExprId) {
        let val = self.pop();
        let ExprKind::Unary(Unary::Step { up, after }, _) = self.unit.expr(e).kind else {
            return;
        };
        match val.what {
            What::Object(o) => {
                self.reach(o);
                self.read(o);
                self.point.hidden.push(Event::Escape(o));
                let value = self.held(o).map(|before| {
                    let one = self.data.add(Data::Int(1), Some(Scalar::INT));
                    let op = if up { Binary::Add } else { Binary::Sub };
                    self.data.binary(op, before, one, &self.unit.model)
                });
                self.write(o, value);
                let what = if after { What::Other } else { What::Assigned(o) };
                self.push(Val::new(what, val.ty));
            }
            _ => {
                self.consume(val);
                self.emit(Event::Store);
                self.push(Val::other(val.ty));
            }
        }
    }

    /// The end of two operands whose value is not followed.
    pub(super) fn binary_end(&mut self) {
        let (b, a) = (self.pop(), self.pop());
        let ty = if self.pointee(a.ty).is_some() { a.ty } else { b.ty.or(a.ty) };
        self.push(Val::other(ty));
    }

    /// `a[i]`
    pub(super) fn index(&mut self) {
        let (mut index, mut base) = (self.pop(), self.pop());
        // `i[a]`
        if self.pointee(base.ty).is_none() && self.pointee(index.ty).is_some() {
            std::mem::swap(&mut index, &mut base);
        }
        self.consume(index);
        // A number with elements is a vector of GNU C.
        let vector = base.ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Base(_)));
        let ty = if vector { base.ty } else { self.pointee(base.ty) };
        let val = match base.what {
            What::Object(o) | What::Assigned(o) => {
                let array = vector || self.is_array(base.ty);
                let reach = if array { Reach::Cell(o) } else { Reach::Deref(o) };
                let val = self.part_or_read(reach, None, base, ty);
                if let What::Object(cell) = val.what {
                    self.linked.objects[cell.index()].indexed = true;
                }
                val
            }
            _ => {
                self.consume(base);
                Val::other(ty)
            }
        };
        self.push(val);
    }

    /// `s.f`
    pub(super) fn field(&mut self, sym: Sym) {
        let base = self.pop();
        let ty = self.member(base.ty, self.unit.name(sym));
        let val = match base.what {
            What::Object(o) => self.part_or_read(Reach::Field(o), Some(sym), base, ty),
            _ => Val::other(ty),
        };
        self.push(val);
    }

    /// `p->f`
    pub(super) fn arrow(&mut self, sym: Sym) {
        let base = self.pop();
        let ty = self.member(self.pointee(base.ty), self.unit.name(sym));
        let val = match base.what {
            What::Object(o) | What::Assigned(o) => {
                let mut reach = Reach::Arrow(o);
                if self.is_array(base.ty)
                    && let Some(cell) = self.part(Reach::Cell(o), None)
                {
                    reach = Reach::Field(cell);
                }
                self.part_or_read(reach, Some(sym), base, ty)
            }
            What::Address(a) => match self.linked.objects[a.index()].reach {
                Reach::Address(o) => {
                    let ty = self.member(self.object_type(o), self.unit.name(sym));
                    self.part_or_read(Reach::Field(o), Some(sym), base, ty)
                }
                _ => Val::other(ty),
            },
            _ => {
                self.consume(base);
                Val::other(ty)
            }
        };
        self.push(val);
    }

    /// `(type) a`
    pub(super) fn cast(&mut self, ty: TypeId) {
        let val = self.pop();
        let ty = self.type_ref(ty);
        let void = ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Void));
        let what = if void && matches!(val.what, What::Object(_) | What::Address(_)) {
            What::Nothing
        } else {
            val.what
        };
        let (from, to) = (self.val_scalar(&val), self.scalar_at(ty));
        let model = &self.unit.model;
        let constant = val.constant.zip(to).and_then(|(value, to)| value.convert(to, model));
        let keeps = from.zip(to).is_some_and(|(from, to)| from.fits(to, model));
        self.push(Val { what, ty, constant, faithful: val.faithful && keeps });
    }
}
