//! The types of expressions, and the values of those that are constant.
//!
//! Both are asked for where names mean something ([`Typing::name`]): the same expression may be another one
//! in another scope. What is not certain has no type and no value: `typeof`, types that attributes change,
//! enumerations whose width something else decides, numbers with a fraction.

use crate::link::{Entity, Linked};
use crate::objects::TypeRef;
use crate::tree::{Assign, Binary, ExprId, ExprKind, Sym, TypeId, TypeKind, Unary, Unit};
use c_types::{Int, Model, Scalar, Value, binary, literal, unary, usual};

/// Larger expressions are not looked into.
const MAX_NODES: usize = 512;

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// Nothing is certain.
    Unknown,
    /// A scalar that no declaration names: what promotions and operators make.
    Scalar(Scalar),
    /// A type that is declared.
    At(TypeRef),
    /// A pointer to it, which no declaration names.
    PointerTo(TypeRef),
}

/// Where an expression stands.
pub(crate) struct Typing<'t, 'a> {
    /// The program.
    pub linked: &'t Linked<'a>,
    /// The unit.
    pub u: usize,
    /// What names mean.
    pub name: &'t dyn Fn(Sym) -> Option<Entity>,
}

impl Typing<'_, '_> {
    fn unit(&self) -> &Unit {
        &self.linked.units[self.u]
    }
    fn model(&self) -> &Model {
        &self.unit().model
    }
    fn at(&self, ty: TypeId) -> Ty {
        Ty::At(TypeRef { unit: self.u as u32, ty })
    }

    /// The expressions that a type or a value depends on, operands first. None if there are too many.
    fn order(&self, root: ExprId) -> Option<Vec<ExprId>> {
        let unit = self.unit();
        let (mut out, mut stack) = (Vec::new(), vec![(root, false)]);
        while let Some((e, ready)) = stack.pop() {
            if ready {
                out.push(e);
                continue;
            }
            if out.len() + stack.len() > MAX_NODES {
                return None;
            }
            stack.push((e, true));
            match &unit.expr(e).kind {
                ExprKind::Unary(_, a)
                | ExprKind::Cast(_, a)
                | ExprKind::Field(a, _)
                | ExprKind::Arrow(a, _)
                | ExprKind::Call(a, _)
                | ExprKind::Assign(Assign::Plain | Assign::With(_), a, _) => {
                    stack.push((*a, false))
                }
                ExprKind::Comma(_, b) => stack.push((*b, false)),
                ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                    stack.extend([(*b, false), (*a, false)]);
                }
                ExprKind::Conditional(c, a, b) => {
                    stack.push((*b, false));
                    stack.extend(a.map(|a| (a, false)));
                    stack.push((*c, false));
                }
                _ => {}
            }
        }
        Some(out)
    }

    /// The type of an expression, before arrays and functions become pointers.
    pub(crate) fn ty(&self, root: ExprId) -> Ty {
        let unit = self.unit();
        // Most are names and numbers.
        if let Some(simple) = self.leaf(&unit.expr(root).kind) {
            return simple;
        }
        let Some(order) = self.order(root) else { return Ty::Unknown };
        let mut types: Vec<Ty> = Vec::new();
        for e in order {
            let kind = &unit.expr(e).kind;
            if let Some(leaf) = self.leaf(kind) {
                // A leaf may have operands that its type does not depend on.
                let operands = match kind {
                    ExprKind::Cast(..) | ExprKind::Unary(Unary::Not, _) => 1,
                    ExprKind::Binary(..) => 2,
                    _ => 0,
                };
                types.truncate(types.len() - operands);
                types.push(leaf);
                continue;
            }
            let mut pop = || types.pop().unwrap_or(Ty::Unknown);
            let ty = match kind {
                ExprKind::Unary(op, _) => {
                    let a = pop();
                    match op {
                        Unary::Minus | Unary::Plus | Unary::Complement => self.promoted(a),
                        Unary::Deref => self.linked.pointee(a),
                        Unary::Address => match a {
                            Ty::At(t) => Ty::PointerTo(t),
                            _ => Ty::Scalar(Scalar::Pointer),
                        },
                        Unary::Step { .. } => a,
                        Unary::Not | Unary::Part => Ty::Unknown,
                    }
                }
                ExprKind::Binary(op, ..) => {
                    let (b, a) = (pop(), pop());
                    self.binary_type(*op, a, b)
                }
                ExprKind::Assign(..) | ExprKind::Comma(..) => pop(),
                ExprKind::Conditional(_, middle, _) => {
                    let b = pop();
                    let a = if middle.is_some() { Some(pop()) } else { None };
                    let c = pop();
                    self.either(a.unwrap_or(c), b)
                }
                ExprKind::Call(..) => self.linked.result(pop()),
                ExprKind::Index(..) => {
                    let (b, a) = (pop(), pop());
                    match self.linked.pointee(a) {
                        Ty::Unknown => self.linked.pointee(b),
                        found => found,
                    }
                }
                ExprKind::Field(_, sym) => self.linked.member(pop(), unit.name(*sym)).0,
                ExprKind::Arrow(_, sym) => {
                    let record = self.linked.pointee(pop());
                    self.linked.member(record, unit.name(*sym)).0
                }
                _ => Ty::Unknown,
            };
            types.push(ty);
        }
        types.pop().unwrap_or(Ty::Unknown)
    }

    /// The type of an expression that does not depend on those of its operands.
    pub(crate) fn leaf(&self, kind: &ExprKind) -> Option<Ty> {
        let unit = self.unit();
        let int = Ty::Scalar(Scalar::INT);
        let size = || Ty::Scalar(Scalar::Int(Int::new(self.model().pointer, false)));
        Some(match kind {
            ExprKind::Name(sym) => match (self.name)(*sym) {
                Some(Entity::Object(o)) => {
                    self.linked.objects[o.index()].ty.map_or(Ty::Unknown, Ty::At)
                }
                Some(Entity::Func(f)) => {
                    self.linked.funcs[f.index()].ty.map_or(Ty::Unknown, Ty::At)
                }
                None => Ty::Unknown,
            },
            ExprKind::Enumerator(id) => match self.linked.enumerator(self.u, *id) {
                Some(value) => Ty::Scalar(value.ty()),
                None => Ty::Unknown,
            },
            ExprKind::Number(sym) => match literal(unit.name(*sym), self.model()) {
                Some(value) => Ty::Scalar(value.ty()),
                None => number_type(unit.name(*sym)),
            },
            ExprKind::Text(_) => Ty::Scalar(Scalar::Pointer),
            ExprKind::LabelAddress(_) => Ty::Scalar(Scalar::Pointer),
            ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) => size(),
            ExprKind::Cast(ty, _) | ExprKind::Compound(ty, _) | ExprKind::VaArg(_, ty) => {
                self.at(*ty)
            }
            ExprKind::Unary(Unary::Not, _) => int,
            ExprKind::Binary(op, ..) if op.is_truth() => int,
            ExprKind::AboutType(_) | ExprKind::Block(_) | ExprKind::Generic(..) => Ty::Unknown,
            _ => return None,
        })
    }

    pub(crate) fn promoted(&self, a: Ty) -> Ty {
        self.linked.scalar(a).map_or(Ty::Unknown, |a| Ty::Scalar(a.promoted()))
    }

    pub(crate) fn binary_type(&self, op: Binary, a: Ty, b: Ty) -> Ty {
        let (left, right) = (self.linked.scalar(a), self.linked.scalar(b));
        match (op, left, right) {
            _ if op.is_shift() => self.promoted(a),
            (Binary::Sub, Some(Scalar::Pointer), Some(Scalar::Pointer)) => {
                Ty::Scalar(Scalar::Int(Int::new(self.model().pointer, true)))
            }
            (_, Some(Scalar::Pointer), _) => a,
            (_, _, Some(Scalar::Pointer)) => b,
            (_, Some(left), Some(right)) => usual(left, right).map_or(Ty::Unknown, Ty::Scalar),
            _ => Ty::Unknown,
        }
    }

    /// The type of `c ? a : b`.
    fn either(&self, a: Ty, b: Ty) -> Ty {
        match (self.linked.scalar(a), self.linked.scalar(b)) {
            (Some(Scalar::Pointer), _) => a,
            (_, Some(Scalar::Pointer)) => b,
            (Some(left), Some(right)) => usual(left, right).map_or(Ty::Unknown, Ty::Scalar),
            _ if a == b => a,
            _ => Ty::Unknown,
        }
    }

    /// The scalar type of an expression's value.
    pub(crate) fn scalar(&self, e: ExprId) -> Option<Scalar> {
        self.linked.scalar(self.ty(e))
    }

    /// The bytes of a type, if they are certain: of scalars, and of arrays of them.
    fn size(&self, ty: TypeId) -> Option<u64> {
        let mut t = TypeRef { unit: self.u as u32, ty };
        let mut count = 1u64;
        loop {
            match self.linked.plain_kind(t)? {
                TypeKind::Array(inner, Some(length)) => {
                    // The length may be a number only.
                    let ExprKind::Number(sym) = &self.unit().expr(*length).kind else {
                        return None;
                    };
                    let length = literal(self.unit().name(*sym), self.model())?.number();
                    count = count.checked_mul(u64::try_from(length).ok()?)?;
                    t = TypeRef { unit: t.unit, ty: *inner };
                }
                TypeKind::Base(_) | TypeKind::Enum(_) | TypeKind::Pointer(_) => {
                    let size = self.linked.scalar(Ty::At(t))?.size(self.model())?;
                    return count.checked_mul(size);
                }
                _ => return None,
            }
        }
    }

    /// The value of a constant expression, or of one over variables that always have the same value.
    pub(crate) fn constant(&self, root: ExprId) -> Option<Value> {
        let (unit, model) = (self.unit(), self.model());
        let leaf = |e: ExprId| match &unit.expr(e).kind {
            ExprKind::Number(sym) => literal(unit.name(*sym), model),
            ExprKind::Enumerator(id) => self.linked.enumerator(self.u, *id),
            ExprKind::Name(sym) => match (self.name)(*sym) {
                Some(Entity::Object(o)) => self.linked.objects[o.index()].fixed,
                _ => None,
            },
            ExprKind::SizeOfType(ty) => {
                let size_t = Scalar::Int(Int::new(model.pointer, false));
                Value::of(size_t, self.size(*ty)?.into(), model)
            }
            _ => None,
        };
        match &unit.expr(root).kind {
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cast(..)
            | ExprKind::Conditional(_, Some(_), _) => {}
            _ => return leaf(root),
        }
        let mut values: Vec<Option<Value>> = Vec::new();
        for e in self.order(root)? {
            let mut pop = || values.pop().flatten();
            let value = match &unit.expr(e).kind {
                ExprKind::Unary(op, _) => {
                    let a = pop();
                    let op = match op {
                        Unary::Minus => Some(c_types::Unary::Minus),
                        Unary::Plus => Some(c_types::Unary::Plus),
                        Unary::Complement => Some(c_types::Unary::Complement),
                        Unary::Not => Some(c_types::Unary::Not),
                        _ => None,
                    };
                    op.zip(a).and_then(|(op, a)| unary(op, a, model))
                }
                ExprKind::Binary(op, ..) => {
                    let (b, a) = (pop(), pop());
                    let is = |v: Option<Value>, truth: bool| v.is_some_and(|v| v.truth() == truth);
                    match op {
                        // One operand can be enough; the other one has no side effects to be missed
                        // here, or control goes through it on its way.
                        Binary::And if is(a, false) || is(b, false) => Some(Value::int(0)),
                        Binary::Or if is(a, true) || is(b, true) => Some(Value::int(1)),
                        _ => a.zip(b).and_then(|(a, b)| binary(*op, a, b, model)),
                    }
                }
                ExprKind::Cast(ty, _) => {
                    let a = pop();
                    let to = self.linked.scalar(self.at(*ty));
                    a.zip(to).and_then(|(a, to)| a.convert(to, model))
                }
                ExprKind::Conditional(_, middle, _) => {
                    let b = pop();
                    let a = if middle.is_some() { pop() } else { None };
                    let c = pop();
                    let chosen = match c.map(Value::truth) {
                        Some(true) => a,
                        Some(false) => b,
                        None => None,
                    };
                    let to = self.scalar(e);
                    chosen.zip(to).and_then(|(v, to)| v.convert(to, model))
                }
                kind => {
                    // What it depends on in other ways is no constant.
                    let operands = match kind {
                        ExprKind::Index(..) => 2,
                        ExprKind::Field(..)
                        | ExprKind::Arrow(..)
                        | ExprKind::Call(..)
                        | ExprKind::Assign(..)
                        | ExprKind::Comma(..) => 1,
                        _ => 0,
                    };
                    values.truncate(values.len() - operands);
                    leaf(e)
                }
            };
            values.push(value);
        }
        values.pop().flatten()
    }
}

/// The bits of a number with a fraction, by its suffix.
fn suffixed(text: &str) -> u8 {
    let text = text.to_ascii_lowercase();
    // In hexadecimal, `f` is a digit before the exponent.
    let is_suffix = !text.starts_with("0x") || text.contains('p');
    match () {
        () if text.ends_with("f16") && is_suffix => 16,
        () if text.ends_with("f128") || text.ends_with('q') => 128,
        () if text.ends_with("f64x") || text.ends_with(['l', 'w']) => 80,
        () if text.ends_with("f32x") || text.ends_with("f64") => 64,
        () if text.ends_with("f32") || is_suffix && text.ends_with('f') => 32,
        () => 64,
    }
}

/// The type of a number that is no integer.
fn number_type(text: &str) -> Ty {
    let fraction = |c: char| matches!(c, '.' | 'e' | 'E' | 'p' | 'P');
    let suffix = text.ends_with(['i', 'j', 'I', 'J']);
    match text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        true if text.contains(fraction) && !suffix => Ty::Scalar(Scalar::Float(suffixed(text))),
        _ => Ty::Unknown,
    }
}

impl Linked<'_> {
    /// The value of an enumerator.
    pub(crate) fn enumerator(&self, u: usize, id: crate::tree::EnumeratorId) -> Option<Value> {
        self.enumerators.get(u)?.get(id.index()).copied().flatten()
    }

    /// The kind of a declared type, behind `typedef` names. None where attributes make another one of it.
    /// The scalar type of what functions of a type give back.
    pub(crate) fn result_scalar(&self, ty: TypeRef) -> Option<Scalar> {
        self.scalar(self.result(Ty::At(ty)))
    }

    fn plain_kind(&self, t: TypeRef) -> Option<&TypeKind> {
        let unit = &self.units[t.unit as usize];
        let mut ty = t.ty;
        loop {
            if unit.ty(ty).odd {
                return None;
            }
            match &unit.ty(ty).kind {
                TypeKind::Named(_, inner) => ty = *inner,
                kind => return Some(kind),
            }
        }
    }

    /// Whether a declared type, or what it is an array of, may change at any time.
    pub(crate) fn is_volatile(&self, t: TypeRef) -> bool {
        let unit = &self.units[t.unit as usize];
        let mut ty = t.ty;
        loop {
            if unit.ty(ty).is_volatile {
                return true;
            }
            match &unit.ty(ty).kind {
                TypeKind::Named(_, inner) | TypeKind::Array(inner, _) => ty = *inner,
                // Whose type it has is not looked at.
                TypeKind::TypeOf(_) | TypeKind::Other(_) => return true,
                _ => return false,
            }
        }
    }

    /// The scalar type of a value; arrays and functions are pointers then.
    pub(crate) fn scalar(&self, ty: Ty) -> Option<Scalar> {
        let t = match ty {
            Ty::Unknown => return None,
            Ty::Scalar(scalar) => return Some(scalar),
            Ty::PointerTo(_) => return Some(Scalar::Pointer),
            Ty::At(t) => t,
        };
        let unit = &self.units[t.unit as usize];
        match self.plain_kind(t)? {
            TypeKind::Base(sym) => Scalar::named(unit.name(*sym), &unit.model),
            TypeKind::Pointer(_) | TypeKind::Array(..) | TypeKind::Function { .. } => {
                Some(Scalar::Pointer)
            }
            TypeKind::Enum(id) => {
                let e = &unit.enums[id.index()];
                let members = e.members.as_ref().filter(|_| !e.odd)?;
                let values: Option<Vec<i128>> = members
                    .iter()
                    .map(|&m| self.enumerator(t.unit as usize, m).map(Value::number))
                    .collect();
                let values = values?;
                let fits = |int: Int| values.iter().all(|v| int.holds(*v));
                // As gcc has it: without a sign, if nothing is negative.
                [Int::new(32, false), Int::INT, Int::new(64, false), Int::new(64, true)]
                    .into_iter()
                    .find(|int| fits(*int))
                    .map(Scalar::Int)
            }
            _ => None,
        }
    }

    /// What a pointer points to, or an array has.
    pub(crate) fn pointee(&self, ty: Ty) -> Ty {
        let t = match ty {
            Ty::PointerTo(t) => return Ty::At(t),
            Ty::At(t) => t,
            _ => return Ty::Unknown,
        };
        match self.plain_kind(t) {
            Some(TypeKind::Pointer(inner) | TypeKind::Array(inner, _)) => {
                Ty::At(TypeRef { unit: t.unit, ty: *inner })
            }
            Some(TypeKind::Function { .. }) => ty,
            _ => Ty::Unknown,
        }
    }

    /// What a function, or one behind a pointer, returns.
    fn result(&self, ty: Ty) -> Ty {
        let Ty::At(mut t) = ty else { return Ty::Unknown };
        loop {
            match self.plain_kind(t) {
                Some(TypeKind::Function { result, .. }) => {
                    return Ty::At(TypeRef { unit: t.unit, ty: *result });
                }
                Some(TypeKind::Pointer(inner)) => t = TypeRef { unit: t.unit, ty: *inner },
                _ => return Ty::Unknown,
            }
        }
    }

    /// The type of a member, and where it is declared; members of unnamed structs count as the outer
    /// one's. A bit-field is a scalar as wide as it is.
    pub(crate) fn member(&self, ty: Ty, name: &str) -> (Ty, Option<TypeRef>) {
        let Ty::At(t) = ty else { return (Ty::Unknown, None) };
        let unit = &self.units[t.unit as usize];
        let mut todo = vec![t];
        while let Some(t) = todo.pop() {
            let kind = &unit.ty(strip(unit, t.ty)).kind;
            let TypeKind::Record(r) = kind else { continue };
            for field in unit.records[r.index()].fields.iter().flatten() {
                let at = TypeRef { unit: t.unit, ty: field.ty };
                match field.name {
                    Some(sym) if unit.name(sym) == name => {
                        let ty = match field.bits {
                            None => Ty::At(at),
                            Some(bits) => self.bit_field(at, bits),
                        };
                        return (ty, Some(at));
                    }
                    Some(_) => {}
                    None => todo.push(at),
                }
            }
        }
        (Ty::Unknown, None)
    }

    fn bit_field(&self, at: TypeRef, bits: ExprId) -> Ty {
        let typing = Typing { linked: self, u: at.unit as usize, name: &|_| None };
        let width = typing.constant(bits).and_then(|w| u8::try_from(w.number()).ok());
        match (self.scalar(Ty::At(at)), width) {
            (Some(Scalar::Bool), Some(1)) => Ty::Scalar(Scalar::Bool),
            (Some(Scalar::Int(int)), Some(bits)) if (1..=int.bits.min(32)).contains(&bits) => {
                Ty::Scalar(Scalar::Int(Int::new(bits, int.signed)))
            }
            _ => Ty::Unknown,
        }
    }
}

/// The type behind `typedef` names.
pub(crate) fn strip(unit: &Unit, mut ty: TypeId) -> TypeId {
    while let TypeKind::Named(_, inner) = unit.ty(ty).kind {
        ty = inner;
    }
    ty
}
