//! What designates objects: names, members, elements, what pointers point to.

use crate::lower::{Entity, Lowered, Lowerer, Op};
use crate::program::{BinOp, ExprId, ExprKind, Home, StmtKind};
use c_types::{Int, Kind, Length, Ty};
use front_c::{ExprKind as Tree, Unary};

/// Where an object is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    /// In a register.
    Register(crate::program::LocalId),
    /// At an address.
    Memory(ExprId),
    /// In some bits: the first byte, the first bit, how many.
    Bits(ExprId, u8, u8),
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) at: Where,
    pub(crate) ty: Ty,
}

impl Lowerer<'_> {
    /// Whether an expression designates an object or function.
    pub(crate) fn designates(&self, e: front_c::ExprId) -> bool {
        matches!(
            self.unit().expr(e).kind,
            Tree::Name(_)
                | Tree::Text(_)
                | Tree::Index(..)
                | Tree::Field(..)
                | Tree::Arrow(..)
                | Tree::Compound(..)
                | Tree::Unary(Unary::Deref, _)
        )
    }

    /// The object that an expression designates.
    pub(crate) fn place(&mut self, e: front_c::ExprId) -> Lowered<Place> {
        self.deeper(|l| l.place_here(e))
    }

    fn place_here(&mut self, e: front_c::ExprId) -> Lowered<Place> {
        let unit = self.unit();
        let node = unit.expr(e);
        match &node.kind {
            Tree::Name(name) => match self.lookup(*name) {
                Some(entity) => {
                    let (ty, register, address) = self.entity(entity);
                    Ok(match (register, address) {
                        (Some(local), _) => Place { at: Where::Register(local), ty },
                        (None, Some(address)) => Place { at: Where::Memory(address), ty },
                        (None, None) => return self.gap("a name without a place"),
                    })
                }
                None => match self.failed.get(&(self.u, *name)) {
                    Some(gap) => {
                        let what = format!("`{}`: {}", unit.name(*name), gap.what);
                        self.gap(what)
                    }
                    None => self.unknown_name(unit.name(*name)),
                },
            },
            Tree::Text(_) => {
                let (bytes, unit_size, element) = self.string(e)?;
                let count = bytes.len() as u64 / unit_size;
                let ty = self.types.of(Kind::Array(element, Length::Known(count)));
                let object = self.string_object(bytes, unit_size, ty);
                let (ty, _, address) = self.entity(Entity::Object(object));
                match address {
                    Some(address) => Ok(Place { at: Where::Memory(address), ty }),
                    None => self.gap("a string without a place"),
                }
            }
            Tree::Unary(Unary::Deref, inner) => {
                let pointer = self.rvalue(*inner)?;
                self.pointed(pointer)
            }
            Tree::Index(a, b) => self.indexed(*a, *b, false),
            Tree::Field(inner, name) => {
                let base = self.aggregate(*inner)?;
                self.member(base, unit.name(*name))
            }
            Tree::Arrow(inner, name) => {
                let pointer = self.rvalue(*inner)?;
                let base = self.pointed(pointer)?;
                match base.at {
                    Where::Memory(address) => {
                        self.member(Op { expr: address, ty: base.ty }, unit.name(*name))
                    }
                    _ => self.gap("a member of what is in no memory"),
                }
            }
            Tree::Compound(ty, init) => self.compound(*ty, *init),
            Tree::Unary(Unary::Part, inner) => {
                self.part_place(*inner, unit.extra.imaginary.contains(&e))
            }
            Tree::Generic(..) => match self.chosen_arm(e)? {
                Some(arm) => self.place(arm),
                None => self.gap("`_Generic` without a fitting type"),
            },
            Tree::Conditional(..) if unit.extra.chosen.contains(&e) => {
                let arm = self.chosen_conditional(e)?;
                self.place(arm)
            }
            Tree::Comma(a, b) if self.designates(*b) => {
                self.effect(*a)?;
                self.place(*b)
            }
            _ => {
                let value = self.rvalue(e)?;
                if self.types.is_scalar(value.ty) || self.types.is_void(value.ty) {
                    return self.gap("something is assigned to that is no object");
                }
                Ok(Place { at: Where::Memory(value.expr), ty: value.ty })
            }
        }
    }

    /// The address of an aggregate, with its type.
    fn aggregate(&mut self, e: front_c::ExprId) -> Lowered<Op> {
        if self.designates(e) {
            let place = self.place(e)?;
            return match place.at {
                Where::Memory(address) => Ok(Op { expr: address, ty: place.ty }),
                _ => self.gap("a member of what has none"),
            };
        }
        self.rvalue(e)
    }

    pub(crate) fn pointed(&mut self, pointer: Op) -> Lowered<Place> {
        match self.types.kind(pointer.ty).clone() {
            Kind::Pointer(to) => Ok(Place { at: Where::Memory(pointer.expr), ty: to }),
            _ => {
                let shown = self.types.show(pointer.ty);
                self.gap(format!("`*` of a `{shown}`"))
            }
        }
    }

    /// A member of an aggregate whose address is given.
    pub(crate) fn member(&mut self, base: Op, name: &str) -> Lowered<Place> {
        self.whole(base.ty)?;
        let found = self.types.as_record(base.ty).and_then(|no| self.types.member(no, name));
        let Some(found) = found else {
            let shown = self.types.show(base.ty);
            return self.gap(format!("`{shown}` has no member `{name}`"));
        };
        let (c, v) = (self.types.is_const(base.ty), self.types.is_volatile(base.ty));
        let ty = self.types.qualified(found.ty, c, v);
        Ok(self.part(base.expr, found.offset, ty, found.bits))
    }

    /// A part of what lies at an address.
    pub(crate) fn part(
        &mut self,
        base: ExprId,
        offset: u64,
        ty: Ty,
        bits: Option<(u8, u8)>,
    ) -> Place {
        let address = self.offset(base, offset, ty);
        match bits {
            Some((first, width)) => Place { at: Where::Bits(address, first, width), ty },
            None => Place { at: Where::Memory(address), ty },
        }
    }

    /// A pointer and a distance in elements.
    pub(crate) fn displace(&mut self, pointer: Op, index: Op, back: bool) -> Lowered<Op> {
        let Some(to) = self.types.pointee(pointer.ty) else {
            return self.gap("an index into what is no pointer");
        };
        if !self.types.is_integer(index.ty) {
            return self.gap("an index that is no integer");
        }
        let (signed, size_ty) = (self.types.difference_type(), self.types.size_type());
        let by = self.convert(index.expr, signed);
        let by = self.convert(by, size_ty);
        let size = self.size_expr(to)?;
        let by = match self.constant(size) {
            Some(1) => by,
            _ => self.binary(BinOp::Mul, by, size),
        };
        let ty = self.types.plain(pointer.ty);
        let base = self.retyped(pointer.expr, ty);
        let op = if back { BinOp::Sub } else { BinOp::Add };
        // A distance back is a negative one forth, so that constants add up.
        let expr = match (back, self.constant(by)) {
            (true, Some(n)) => {
                let by = self.number(n.wrapping_neg(), size_ty);
                self.binary(BinOp::Add, base, by)
            }
            _ => self.binary(op, base, by),
        };
        Ok(Op { expr, ty })
    }

    /// The size of a type, which may be known only when it is met.
    pub(crate) fn size_expr(&mut self, ty: Ty) -> Lowered<ExprId> {
        self.whole(ty)?;
        if let Some(size) = self.types.size(ty) {
            return Ok(self.size_number(size));
        }
        let mut factors = Vec::new();
        let mut inner = ty;
        loop {
            match self.types.kind(inner).clone() {
                Kind::Array(element, Length::Variable(n)) => {
                    factors.push(self.count_of(n));
                    inner = element;
                }
                Kind::Array(element, Length::Known(n)) => {
                    factors.push(self.size_number(n));
                    inner = element;
                }
                _ => break,
            }
        }
        let size = self.size_of(inner)?;
        let mut product = self.size_number(size);
        for factor in factors {
            product = self.binary(BinOp::Mul, product, factor);
        }
        Ok(product)
    }

    /// The value of an object: arrays and functions are their addresses.
    pub(crate) fn load(&mut self, place: Place) -> Lowered<Op> {
        let ty = self.types.plain(place.ty);
        match (place.at, self.types.kind(ty).clone()) {
            (Where::Register(local), _) => Ok(Op { expr: self.read(local), ty }),
            (Where::Bits(address, first, width), _) => {
                let ty = self.bits_type(ty, width);
                let expr = self.expr(ExprKind::LoadBits(address, first, width), ty);
                Ok(Op { expr, ty })
            }
            (Where::Memory(address), Kind::Array(..)) => {
                let Kind::Array(element, _) = *self.types.kind(place.ty) else {
                    return self.gap("an array that is none");
                };
                let ty = self.types.pointer_to(element);
                Ok(Op { expr: self.retyped(address, ty), ty })
            }
            (Where::Memory(address), Kind::Function(_)) => {
                let ty = self.types.pointer_to(ty);
                Ok(Op { expr: self.retyped(address, ty), ty })
            }
            (Where::Memory(address), Kind::Record(_)) => {
                self.whole(ty)?;
                Ok(Op { expr: address, ty })
            }
            (Where::Memory(_), Kind::Void) => Ok(self.void()),
            (Where::Memory(address), _) => {
                let expr = self.expr(ExprKind::Load(address), ty);
                Ok(Op { expr, ty })
            }
        }
    }

    /// The type of a bit-field's value.
    pub(crate) fn bits_type(&mut self, ty: Ty, width: u8) -> Ty {
        match self.types.as_int(ty) {
            Some(int) if int.bits == width && !matches!(self.types.kind(ty), Kind::Bool) => ty,
            Some(int) => self.types.of(Kind::Bits(Int::new(width, int.signed))),
            None => ty,
        }
    }

    /// Stores a value, converted, and hands it back if it is wanted.
    pub(crate) fn store(&mut self, place: Place, value: Op, wanted: bool) -> Lowered<Op> {
        let ty = self.types.plain(place.ty);
        if let Some(no) = self.types.as_record(ty) {
            self.whole(ty)?;
            let size = self.types.record(no).size;
            let value = match self.types.record(no).parts {
                Some(_) => self.as_parts(value, ty)?,
                None => value,
            };
            let Where::Memory(to) = place.at else { return self.gap("an aggregate in no memory") };
            if self.types.as_record(value.ty).is_none() {
                return self.gap("a number is assigned to a struct or union");
            }
            if size > 0 {
                self.stmt(StmtKind::Copy { to, from: value.expr, size });
            }
            return Ok(Op { expr: to, ty });
        }
        if !self.types.is_scalar(ty) {
            let shown = self.types.show(ty);
            return self.gap(format!("an assignment to a `{shown}`"));
        }
        let target = match place.at {
            Where::Bits(_, _, width) => self.bits_type(ty, width),
            _ => ty,
        };
        let is_bool = matches!(self.types.kind(ty), Kind::Bool);
        let mut converted = self.scalar(value, if is_bool { ty } else { target })?;
        match place.at {
            Where::Register(local) => {
                self.stmt(StmtKind::Set(local, converted));
                if wanted {
                    converted = self.read(local);
                }
            }
            Where::Memory(to) => {
                if wanted {
                    converted = self.keep(converted);
                }
                self.stmt(StmtKind::Store { to, value: converted });
            }
            Where::Bits(to, first, width) => {
                if wanted {
                    converted = self.keep(converted);
                }
                self.stmt(StmtKind::StoreBits { to, first, width, value: converted });
            }
        }
        if !wanted {
            return Ok(self.void());
        }
        let ty = self.type_of(converted);
        Ok(Op { expr: converted, ty })
    }

    /// A scalar converted to a scalar type.
    pub(crate) fn scalar(&mut self, value: Op, to: Ty) -> Lowered<ExprId> {
        if self.types.parts(value.ty).is_some() && self.types.is_scalar(to) {
            return self.of_parts(value, to);
        }
        if !self.types.is_scalar(value.ty) {
            let (a, b) = (self.types.show(value.ty), self.types.show(to));
            return self.gap(format!("a `{a}` where a `{b}` is wanted"));
        }
        if !self.types.is_scalar(to) {
            let shown = self.types.show(to);
            return self.gap(format!("a conversion to `{shown}`"));
        }
        if matches!(self.types.kind(to), Kind::Bool) && self.constant(value.expr).is_none() {
            let truth = self.truth(value.expr);
            return Ok(self.convert(truth, to));
        }
        Ok(self.convert(value.expr, to))
    }

    /// A place that can be used twice: its address is computed once.
    pub(crate) fn steady(&mut self, place: Place) -> Place {
        let at = match place.at {
            Where::Register(local) => Where::Register(local),
            Where::Memory(address) => Where::Memory(self.keep(address)),
            Where::Bits(address, first, width) => Where::Bits(self.keep(address), first, width),
        };
        Place { at, ty: place.ty }
    }

    /// `(type) { … }`
    fn compound(&mut self, ty: front_c::TypeId, init: front_c::InitId) -> Lowered<Place> {
        let ty = self.ty(ty)?;
        let ty = self.completed_by(ty, init)?;
        self.whole(ty)?;
        if self.f.id.is_none() {
            self.static_names += 1;
            let name = format!("(literal {})", self.static_names);
            let object = self.object(&name, ty, 1, self.u < self.own);
            self.static_initialiser(object, init)?;
            let (ty, _, address) = self.entity(Entity::Object(object));
            return match address {
                Some(address) => Ok(Place { at: Where::Memory(address), ty }),
                None => self.gap("a literal without a place"),
            };
        }
        let local = self.local("", ty, Home::Memory, self.at);
        self.lives_here(local);
        self.stmt(StmtKind::Begin(local));
        let address = self.address_of(local);
        let place = Place { at: Where::Memory(address), ty };
        self.initialise(place, init)?;
        Ok(place)
    }
}
