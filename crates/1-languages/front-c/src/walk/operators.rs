//! Operators that make one value of others: `*`, `&`, `++`, `[]`, `.`, `->`, casts.

use super::Walker;
use super::values::{Val, What};
use crate::objects::{Index, Object, ObjectId, Reach, TypeRef};
use crate::skeleton::{Data, Doing, Event};
use crate::tree::{Binary, ExprId, ExprKind, Sym, TypeId, TypeKind, Unary};
use crate::typing::Ty;
use c_types::Scalar;

impl<'a> Walker<'_, 'a> {
    /// `*p`
    pub(super) fn deref(&mut self) {
        let val = self.pop();
        let ty = self.pointee(val.ty);
        let exact = self.linked.pointee(val.exact);
        let val = match val.what {
            What::Func => val,
            // A function pointer is called, not followed.
            What::Object(_) if self.is_function(ty) => Val { ty, ..val },
            What::Other | What::Call(_) if self.is_function(ty) => Val::other(ty),
            What::Object(o) | What::Assigned(o) => {
                let first = self.is_array(val.ty).then(|| self.element(Reach::Cell(o), 0));
                match first.flatten() {
                    Some(cell) => Val::new(What::Object(cell), self.object_type(cell).or(ty)),
                    None if self.is_array(val.ty) => {
                        self.part_or_read(Reach::Cell(o), None, val, ty)
                    }
                    None => {
                        let cell = self.part_or_read(Reach::Deref(o), None, val, ty);
                        // `*p` is a cell of its own.
                        if let What::Object(cell) = cell.what {
                            self.linked.objects[cell.index()].index = Some(Index::Several);
                        }
                        cell
                    }
                }
            }
            What::Address(a) => match self.linked.objects[a.index()].reach {
                Reach::Address(base) => Val::new(What::Object(base), self.object_type(base)),
                _ => Val::new(What::Place, ty),
            },
            What::Stepped(o) if self.pointee(ty).is_some() => match self.walked(o, ty) {
                Some(held) => Val::new(What::Walked(held), ty),
                None => Val::new(What::Place, ty),
            },
            _ => {
                self.consume(val);
                Val::new(What::Place, ty)
            }
        };
        self.push(val.typed(exact));
    }

    /// `*p++`: something without a name holds what `p` pointed to before it went on.
    fn walked(&mut self, o: ObjectId, ty: Option<TypeRef>) -> Option<ObjectId> {
        if self.linked.objects[o.index()].reach != Reach::Var {
            return None;
        }
        let place = self.part(Reach::Deref(o), None)?;
        let held = ObjectId(self.linked.objects.len() as u32);
        let name = self.linked.objects[place.index()].name.clone();
        self.linked.objects.push(Object {
            owner: Some(self.func),
            automatic: true,
            scalar: Some(Scalar::Pointer),
            temporary: true,
            ..Object::new(name, Reach::Var, ty)
        });
        self.point.hidden.extend([Event::Assign(held), Event::Copy(held, place)]);
        Some(held)
    }

    /// `&v`
    pub(super) fn address(&mut self) {
        let val = self.pop();
        let exact = match val.exact {
            Ty::At(t) => Ty::PointerTo(t),
            _ => Ty::Scalar(Scalar::Pointer),
        };
        let val = match val.what {
            What::Object(o) => {
                self.linked.objects[o.index()].address_taken = true;
                self.taken_root(o);
                match self.part(Reach::Address(o), None) {
                    Some(a) => Val::new(What::Address(a), None),
                    None => {
                        self.address_events(o, val.exact);
                        Val::other(None)
                    }
                }
            }
            What::Func => val,
            _ => Val::other(None),
        };
        self.push(val.typed(exact));
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
                self.access(Doing::Read, Some(o), val.exact);
                self.point.hidden.push(Event::Escape(o));
                let value = self.held(o).map(|before| {
                    let one = self.data.add(Data::Int(1), Some(Scalar::INT));
                    let op = if up { Binary::Add } else { Binary::Sub };
                    self.data.binary(op, before, one, &self.unit.model)
                });
                self.write(o, val.exact, value);
                let what = if after { What::Stepped(o) } else { What::Assigned(o) };
                self.push(Val::new(what, val.ty).typed(val.exact));
            }
            _ => {
                self.consume(val);
                self.emit(Event::Store);
                self.access(Doing::Write, None, val.exact);
                self.push(Val::other(val.ty).typed(val.exact));
            }
        }
    }

    /// One operand was evaluated, and is read.
    pub(super) fn unary_end(&mut self, op: Unary) {
        let val = self.pop();
        self.consume(val);
        let exact = match op {
            Unary::Not => Ty::Scalar(Scalar::INT),
            Unary::Part => Ty::Unknown,
            _ => self.typing(|t| t.promoted(val.exact)),
        };
        self.push(Val::other(val.ty).typed(exact));
    }

    /// The end of two operands whose value is not followed.
    pub(super) fn binary_end(&mut self, op: Binary) {
        let (b, a) = (self.pop(), self.pop());
        let ty = if self.pointee(a.ty).is_some() { a.ty } else { b.ty.or(a.ty) };
        let exact = match op.is_truth() {
            true => Ty::Scalar(Scalar::INT),
            false => self.typing(|t| t.binary_type(op, a.exact, b.exact)),
        };
        self.push(Val::other(ty).typed(exact));
    }

    /// `a[i]`; the index may be a constant.
    pub(super) fn index(&mut self, constant: Option<u32>) {
        let (mut index, mut base) = (self.pop(), self.pop());
        // `i[a]`
        if self.pointee(base.ty).is_none() && self.pointee(index.ty).is_some() {
            std::mem::swap(&mut index, &mut base);
        }
        self.consume(index);
        // A number with elements is a vector of GNU C.
        let vector = base.ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Base(_)));
        let ty = if vector { base.ty } else { self.pointee(base.ty) };
        let exact = self.linked.pointee(base.exact);
        let val = match base.what {
            What::Object(o) | What::Assigned(o) => {
                let array = vector || self.is_array(base.ty);
                let reach = if array { Reach::Cell(o) } else { Reach::Deref(o) };
                let constant = constant.filter(|_| !vector);
                let val = match constant.and_then(|k| self.element(reach, k)) {
                    Some(cell) => Val::new(What::Object(cell), self.object_type(cell).or(ty)),
                    None => self.part_or_read(reach, None, base, ty),
                };
                if let What::Object(cell) = val.what {
                    let by = match index.what {
                        What::Object(i) if constant.is_none() && self.is_counter(i) => Index::By(i),
                        _ => Index::Several,
                    };
                    if constant.is_none() {
                        let by = match index.what {
                            What::Object(i) | What::Assigned(i) if self.has_name(i) => Some(i),
                            _ => None,
                        };
                        self.point.hidden.push(Event::Index(cell, by));
                    }
                    let cell = &mut self.linked.objects[cell.index()];
                    cell.indexed = true;
                    cell.varied |= constant.is_none();
                    cell.index = Some(match cell.index {
                        Some(other) if other != by => Index::Several,
                        _ => by,
                    });
                }
                val
            }
            _ => {
                self.consume(base);
                Val::new(What::Place, ty)
            }
        };
        self.push(val.typed(exact));
    }

    /// `s.f`
    pub(super) fn field(&mut self, sym: Sym) {
        let base = self.pop();
        let name = self.unit.name(sym);
        let (ty, exact) = self.member(base.ty, base.exact, name);
        let val = match base.what {
            What::Object(o) => self.part_or_read(Reach::Field(o), Some(sym), base, ty),
            What::Place | What::Walked(_) => Val::new(What::Place, ty),
            _ => Val::other(ty),
        };
        self.push(val.typed(exact));
    }

    /// `p->f`
    pub(super) fn arrow(&mut self, sym: Sym) {
        let base = self.pop();
        let (declared, record) = (self.pointee(base.ty), self.linked.pointee(base.exact));
        let (ty, exact) = self.member(declared, record, self.unit.name(sym));
        let val = match base.what {
            What::Object(o) | What::Assigned(o) => {
                let mut reach = Reach::Arrow(o);
                if self.is_array(base.ty)
                    && let Some(cell) = self.element(Reach::Cell(o), 0)
                {
                    reach = Reach::Field(cell);
                }
                self.part_or_read(reach, Some(sym), base, ty)
            }
            What::Address(a) => match self.linked.objects[a.index()].reach {
                Reach::Address(o) => {
                    let (ty, _) = self.member(self.object_type(o), record, self.unit.name(sym));
                    self.part_or_read(Reach::Field(o), Some(sym), base, ty)
                }
                _ => Val::new(What::Place, ty),
            },
            _ => {
                self.consume(base);
                Val::new(What::Place, ty)
            }
        };
        self.push(val.typed(exact));
    }

    /// Whether it is a variable of the function: as an index, it stands for one cell until it changes.
    fn is_counter(&self, o: ObjectId) -> bool {
        let object = &self.linked.objects[o.index()];
        object.reach == Reach::Var && object.automatic && !object.volatile
    }

    /// Whether it is a variable of a function, or a member that is reached from one by names.
    fn has_name(&self, mut o: ObjectId) -> bool {
        loop {
            match self.linked.objects[o.index()].reach {
                Reach::Var => return self.is_counter(o),
                Reach::Field(base) | Reach::Arrow(base) => o = base,
                _ => return false,
            }
        }
    }

    /// Whether it is a variable, or a member of one, that nobody else reads.
    fn is_plain_variable(&self, mut o: ObjectId) -> bool {
        loop {
            let object = &self.linked.objects[o.index()];
            match object.reach {
                _ if object.volatile => return false,
                Reach::Var => return true,
                Reach::Field(base) => o = base,
                _ => return false,
            }
        }
    }

    /// `(type) a`
    pub(super) fn cast(&mut self, ty: TypeId) {
        let val = self.pop();
        let ty = self.type_ref(ty);
        let void = ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Void));
        let what = match val.what {
            // `(void)x` is no use of `x`; what lies behind a pointer is read.
            What::Object(o) if void && self.is_plain_variable(o) => What::Nothing,
            What::Address(_) if void => What::Nothing,
            what => what,
        };
        let (from, to) = (self.val_scalar(&val), self.scalar_at(ty));
        let model = &self.unit.model;
        let constant = val.constant.zip(to).and_then(|(value, to)| value.convert(to, model));
        let keeps = from.zip(to).is_some_and(|(from, to)| from.fits(to, model));
        let exact = ty.map_or(Ty::Unknown, Ty::At);
        self.push(Val { what, ty, exact, constant, faithful: val.faithful && keeps });
    }
}
