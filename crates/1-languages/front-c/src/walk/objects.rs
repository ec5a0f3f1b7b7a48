//! Objects: locals, their parts, and results of calls that have no name.

use super::Walker;
use super::code::Ins;
use super::values::{Val, What};
use crate::Place;
use crate::link::Entity;
use crate::objects::{Object, ObjectId, Reach, TypeRef};
use crate::skeleton::MAX_LINKS;
use crate::tree::{ExprId, ExprKind, Sym, TypeId, Unary};
use crate::typing::Ty;
use c_types::Scalar;

impl<'a> Walker<'_, 'a> {
    pub(super) fn local(&mut self, name: Sym, ty: TypeId, at: Place, automatic: bool) -> ObjectId {
        let times = self.scope.count(name);
        let text = self.unit.name(name);
        let text = if times == 1 { text.to_owned() } else { format!("{text}#{times}") };
        let id = ObjectId(self.linked.objects.len() as u32);
        let ty = self.type_ref(ty);
        let (scalar, volatile) = self.linked.value_of(ty);
        self.linked.objects.push(Object {
            owner: Some(self.func),
            automatic,
            scalar,
            volatile,
            at: Some((self.u as u32, at)),
            ..Object::new(text, Reach::Var, ty)
        });
        id
    }

    /// A part of an object, or its address; none if it is too far away.
    pub(super) fn part(&mut self, reach: Reach, member: Option<Sym>) -> Option<ObjectId> {
        if let Some(&id) = self.paths.get(&(reach, member)) {
            return Some(id);
        }
        let (Reach::Field(base)
        | Reach::Arrow(base)
        | Reach::Deref(base)
        | Reach::Cell(base)
        | Reach::Address(base)) = reach
        else {
            return None;
        };
        let b = &self.linked.objects[base.index()];
        if b.depth >= MAX_LINKS {
            return None;
        }
        let unit = self.unit;
        let field = member.map_or("", |m| unit.name(m));
        let shared = b.owner.is_none();
        if shared && let Some(&id) = self.shared.paths.get(&(reach, field.to_owned())) {
            self.paths.insert((reach, member), id);
            return Some(id);
        }
        let prefix = matches!(b.reach, Reach::Deref(_) | Reach::Address(_));
        let inner = if prefix { format!("({})", b.name) } else { b.name.clone() };
        let at = |ty: Option<TypeRef>| ty.map_or(Ty::Unknown, Ty::At);
        let of = |record: Option<TypeRef>| self.linked.member(at(record), field);
        let (name, (value, ty)) = match reach {
            Reach::Field(_) => (format!("{inner}.{field}"), of(b.ty)),
            Reach::Arrow(_) => (format!("{inner}->{field}"), of(self.pointee(b.ty))),
            Reach::Deref(_) | Reach::Cell(_) => {
                let ty = self.pointee(b.ty);
                let name = match reach {
                    Reach::Deref(_) => format!("*{}", b.name),
                    _ => format!("{inner}[]"),
                };
                (name, (at(ty), ty))
            }
            Reach::Address(_) | Reach::Var => {
                (format!("&{}", b.name), (Ty::Scalar(Scalar::Pointer), None))
            }
        };
        let within = match reach {
            Reach::Field(_) | Reach::Cell(_) => b.volatile,
            // What is behind a pointer is as its type says.
            Reach::Arrow(_) => self.pointee(b.ty).is_none_or(|t| self.linked.is_volatile(t)),
            Reach::Deref(_) | Reach::Address(_) | Reach::Var => false,
        };
        let volatile = within || self.linked.value_of(ty).1;
        let scalar = self.linked.scalar(value);
        let object = Object {
            volatile,
            scalar,
            owner: b.owner,
            automatic: b.automatic,
            external: b.external,
            defined: b.defined,
            depth: b.depth + 1,
            at: b.at,
            ..Object::new(name, reach, ty)
        };
        let id = ObjectId(self.linked.objects.len() as u32);
        self.linked.objects.push(object);
        self.paths.insert((reach, member), id);
        if shared {
            self.shared.paths.insert((reach, field.to_owned()), id);
        }
        Some(id)
    }

    /// The cell with a constant index. The first one of what a pointer points to is that itself.
    pub(super) fn element(&mut self, reach: Reach, index: u32) -> Option<ObjectId> {
        let all = self.part(reach, None)?;
        if index == 0 && matches!(reach, Reach::Deref(_)) {
            return Some(all);
        }
        if let Some(&id) = self.shared.elements.get(&(all, index)) {
            return Some(id);
        }
        let id = ObjectId(self.linked.objects.len() as u32);
        let cell = &self.linked.objects[all.index()];
        let element = Some(format!("[{index}]").into());
        let object = Object { element, indexed: true, varied: false, ..cell.clone() };
        self.linked.objects.push(object);
        self.shared.elements.insert((all, index), id);
        Some(id)
    }

    /// The part, or, where it is too far away, another value after reading the base.
    pub(super) fn part_or_read(
        &mut self,
        reach: Reach,
        member: Option<Sym>,
        base: Val,
        ty: Option<TypeRef>,
    ) -> Val {
        match self.part(reach, member) {
            Some(o) => {
                let ty = self.object_type(o).or(ty);
                Val::new(What::Object(o), ty)
            }
            None => {
                self.consume(base);
                Val::new(What::Place, ty)
            }
        }
    }

    pub(super) fn object_type(&self, o: ObjectId) -> Option<TypeRef> {
        self.linked.objects[o.index()].ty
    }

    /// The variable that the object is a part of has its address taken, too.
    pub(super) fn taken_root(&mut self, o: ObjectId) {
        let mut o = o;
        while let Reach::Field(base) | Reach::Cell(base) = self.linked.objects[o.index()].reach {
            o = base;
            self.linked.objects[o.index()].address_taken = true;
        }
    }

    /// The object that holds the value: results of calls get one when they are asked for it.
    pub(super) fn value_object(&mut self, val: Val) -> Option<ObjectId> {
        if let What::Walked(held) = val.what {
            return Some(held);
        }
        let What::Call(id) = val.what else { return val.object() };
        let open = match &mut self.point.open {
            Some(open) if open.id == id => Some(open),
            _ => self.code.ins.iter_mut().rev().find_map(|ins| match ins {
                Ins::Call(_, open) if open.id == id => Some(&mut **open),
                _ => None,
            }),
        }?;
        if let Some(o) = open.result.or(open.temporary) {
            return Some(o);
        }
        let o = ObjectId(self.linked.objects.len() as u32);
        open.temporary = Some(o);
        self.linked.objects.push(Object {
            owner: Some(self.func),
            automatic: true,
            scalar: open.scalar,
            temporary: true,
            ..Object::new(format!("({id})"), Reach::Var, open.ty)
        });
        Some(o)
    }

    /// The object that an expression without side effects names.
    pub(super) fn path(&mut self, e: ExprId) -> Option<ObjectId> {
        let mut links = Vec::new();
        let mut e = e;
        let mut o = loop {
            match self.unit.expr(e).kind {
                ExprKind::Name(sym) => match self.lookup(sym)? {
                    Entity::Object(o) => break o,
                    _ => return None,
                },
                ExprKind::Field(x, _)
                | ExprKind::Arrow(x, _)
                | ExprKind::Unary(Unary::Deref, x) => {
                    if links.len() as u32 > MAX_LINKS {
                        return None;
                    }
                    links.push(e);
                    e = x;
                }
                _ => return None,
            }
        };
        while let Some(link) = links.pop() {
            o = match self.unit.expr(link).kind {
                ExprKind::Field(_, sym) => self.part(Reach::Field(o), Some(sym))?,
                ExprKind::Arrow(_, sym) => self.part(Reach::Arrow(o), Some(sym))?,
                _ => self.part(Reach::Deref(o), None)?,
            };
        }
        Some(o)
    }
}
