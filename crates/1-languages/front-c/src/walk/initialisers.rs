//! What a braced initialiser assigns to each part of a variable, or of a compound literal.
//!
//! - IN1. The variable is written as a whole. Then each expression that is no constant is assigned to the part that it
//!   initialises, in the order in which they stand.
//! - IN2. Which part that is, designators and the order of members say [C11 6.7.9]: where braces are left out, the first
//!   part within the next one. Unnamed bit-fields are no parts; of a union, the first member is one.
//! - IN3. Where that is not found out (an index that is no constant, a range, a type that is not known), or the part is
//!   too far away to have a name, the expression is evaluated, and its value goes on in a way that is not followed.

use super::Walker;
use super::assignments::Target;
use super::tasks::Task;
use super::text::Text;
use crate::extra::Designator;
use crate::objects::{Object, ObjectId, Reach, TypeRef};
use crate::tree::{ExprId, ExprKind, Field, Init, InitId, Sym, Tag, TypeId, TypeKind};
use crate::typing::Ty;

/// A container, and which of its parts comes next.
struct Level {
    /// None if it is too far away to have a name.
    object: Option<ObjectId>,
    ty: TypeRef,
    next: usize,
    /// How many parts there are, if that is known.
    len: Option<usize>,
}

/// A part of a container.
struct Part {
    object: Option<ObjectId>,
    ty: TypeRef,
    exact: Ty,
}

/// A list, as far as it has been gone through.
struct List {
    init: InitId,
    index: usize,
    levels: Vec<Level>,
    /// What comes next is not known until a designator tells.
    lost: bool,
}

/// An expression of an initialiser, and what it is assigned to.
type Leaf = (ExprId, Option<Target>);

impl<'a> Walker<'_, 'a> {
    /// Plans `x = { … }`; the text is that of the declaration.
    pub(super) fn initialise(&mut self, o: ObjectId, init: InitId, text: Text) {
        let leaves = match self.object_type(o) {
            Some(ty) => self.leaves(o, ty, init),
            None => Vec::new(),
        };
        if leaves.iter().all(|(_, to)| to.is_none()) {
            self.later([Task::Init(init), Task::Write(o), Task::Flush(text)]);
            return;
        }
        // IN1
        let mut tasks = vec![Task::Write(o), Task::Flush(text)];
        for (e, to) in leaves {
            let text = self.whole(e);
            match to {
                Some(to) => tasks.extend([Task::Into(e, to, Some(text)), Task::Pop]),
                None => tasks.extend([Task::Eval(e), Task::Derive, Task::Pop]),
            }
            tasks.push(Task::Flush(text));
        }
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// The variable without a name that a compound literal is; none if it is no structure.
    pub(super) fn literal(&mut self, ty: TypeId) -> Option<ObjectId> {
        let ty = self.type_ref(ty)?;
        let TypeKind::Record(_) = self.kind(ty) else { return None };
        let o = ObjectId(self.linked.objects.len() as u32);
        let (scalar, volatile) = self.linked.value_of(Some(ty));
        self.linked.objects.push(Object {
            owner: Some(self.func),
            automatic: true,
            temporary: true,
            scalar,
            volatile,
            ..Object::new(format!("({})", o.0), Reach::Var, Some(ty))
        });
        Some(o)
    }

    /// IN2, IN3: the expressions of a list that are no constants, in order.
    fn leaves(&mut self, o: ObjectId, ty: TypeRef, init: InitId) -> Vec<Leaf> {
        let unit = self.unit;
        let mut out = Vec::new();
        let base = self.level(Part { object: Some(o), ty, exact: Ty::At(ty) });
        let mut lists = vec![List { init, index: 0, levels: vec![base], lost: false }];
        while let Some(list) = lists.last_mut() {
            let Init::List(items) = &unit.inits[list.init.index()] else {
                lists.pop();
                continue;
            };
            let Some(&(_, _, value)) = items.get(list.index) else {
                lists.pop();
                continue;
            };
            let paths = unit.extra.designators.get(&list.init);
            let path = paths.and_then(|p| p.get(list.index)).map_or(&[][..], Vec::as_slice);
            list.index += 1;
            let (mut levels, mut lost) = (std::mem::take(&mut list.levels), list.lost);
            if !path.is_empty() {
                lost = !self.designate(&mut levels, path);
            }
            let mut inner = None;
            if lost {
                self.unplaced(value, &mut out);
            } else {
                match self.place(&mut levels, value, &mut out) {
                    Some(list) => inner = list,
                    None => lost = true,
                }
                self.advance(&mut levels);
            }
            if let Some(list) = lists.last_mut() {
                (list.levels, list.lost) = (levels, lost);
            }
            lists.extend(inner);
        }
        out
    }

    /// On to what comes next.
    fn advance(&mut self, levels: &mut Vec<Level>) {
        while let Some(mut top) = levels.pop() {
            top.next += 1;
            self.skip_unnamed(&mut top);
            let done = top.len.is_some_and(|len| top.next >= len);
            if !done || levels.is_empty() {
                levels.push(top);
                break;
            }
        }
    }

    /// Initialises the part that comes next, or the first one within it. None if what that is is not found out; else
    /// the list that is still to be gone through, if there is one.
    fn place(
        &mut self,
        levels: &mut Vec<Level>,
        value: InitId,
        out: &mut Vec<Leaf>,
    ) -> Option<Option<List>> {
        let unit = self.unit;
        loop {
            let part = match levels.last() {
                Some(top) if top.len.is_none_or(|len| top.next < len) => self.part_at(top),
                _ => None,
            };
            let Some(part) = part else {
                self.unplaced(value, out);
                return None;
            };
            let e = match &unit.inits[value.index()] {
                Init::List(_) if self.is_container(part.ty) => {
                    let levels = vec![self.level(part)];
                    return Some(Some(List { init: value, index: 0, levels, lost: false }));
                }
                Init::List(_) => match crate::link::scalar_initialiser(unit, value) {
                    Some(e) => e,
                    None => {
                        self.unplaced(value, out);
                        return Some(None);
                    }
                },
                Init::Expr(e) => *e,
            };
            let whole = match self.kind(part.ty) {
                TypeKind::Record(_) => match self.typing(|t| t.ty(e)) {
                    Ty::At(t) => matches!(self.kind(t), TypeKind::Record(_)),
                    Ty::Unknown => {
                        self.unplaced(value, out);
                        return None;
                    }
                    _ => false,
                },
                TypeKind::Array(..) => matches!(unit.expr(e).kind, ExprKind::Text(_)),
                _ => true,
            };
            if !whole {
                let level = self.level(part);
                levels.push(level);
                continue;
            }
            let known = self.constant(e).is_some() || self.is_array(Some(part.ty));
            let to = part.object.filter(|_| !known);
            if to.is_some() || !known {
                out.push((e, to.map(|object| Target { object, ty: part.exact })));
            }
            return Some(None);
        }
    }

    /// IN3
    fn unplaced(&self, value: InitId, out: &mut Vec<Leaf>) {
        let mut todo = vec![value];
        while let Some(init) = todo.pop() {
            match &self.unit.inits[init.index()] {
                Init::List(list) => todo.extend(list.iter().rev().map(|(_, _, init)| *init)),
                Init::Expr(e) => out.push((*e, None)),
            }
        }
    }

    fn is_container(&self, ty: TypeRef) -> bool {
        matches!(self.kind(ty), TypeKind::Record(_) | TypeKind::Array(..))
    }

    /// The members of a structure or union of this unit.
    fn fields(&self, ty: TypeRef) -> Option<(Tag, &'a [Field])> {
        let TypeKind::Record(r) = self.kind(ty) else { return None };
        let record = &self.unit.records[r.index()];
        let fields = record.fields.as_deref()?;
        (ty.unit as usize == self.u).then_some((record.tag, fields))
    }

    fn level(&self, of: Part) -> Level {
        let len = match self.kind(of.ty) {
            TypeKind::Array(_, Some(size)) => {
                self.constant(*size).and_then(|n| usize::try_from(n.number()).ok())
            }
            TypeKind::Record(_) => self.fields(of.ty).map(|(tag, fields)| match tag {
                Tag::Union => 1,
                Tag::Struct => fields.len(),
            }),
            _ => None,
        };
        let mut level = Level { object: of.object, ty: of.ty, next: 0, len };
        self.skip_unnamed(&mut level);
        level
    }

    fn skip_unnamed(&self, level: &mut Level) {
        let Some((_, fields)) = self.fields(level.ty) else { return };
        let is_record = |f: &Field| {
            self.type_ref(f.ty).is_some_and(|t| matches!(self.kind(t), TypeKind::Record(_)))
        };
        while fields.get(level.next).is_some_and(|f| f.name.is_none() && !is_record(f)) {
            level.next += 1;
        }
    }

    /// The part that comes next.
    fn part_at(&mut self, level: &Level) -> Option<Part> {
        match self.kind(level.ty) {
            TypeKind::Array(inner, _) => {
                let index = u32::try_from(level.next).ok()?;
                let object = level.object.and_then(|o| self.element(Reach::Cell(o), index));
                if let Some(o) = object {
                    self.linked.objects[o.index()].indexed = true;
                }
                let ty = self.type_ref(*inner)?;
                Some(Part { object, ty, exact: Ty::At(ty) })
            }
            TypeKind::Record(_) => {
                let (_, fields) = self.fields(level.ty)?;
                let field = fields.get(level.next)?;
                let ty = self.type_ref(field.ty)?;
                let Some(name) = field.name else {
                    // Its members are those of the structure that it stands in.
                    return Some(Part { object: level.object, ty, exact: Ty::At(ty) });
                };
                let object = level.object.and_then(|o| self.part(Reach::Field(o), Some(name)));
                let exact = self.linked.member(Ty::At(level.ty), self.unit.name(name)).0;
                Some(Part { object, ty, exact })
            }
            _ => None,
        }
    }

    /// Goes to what designators name; false if that is not found out.
    fn designate(&mut self, levels: &mut Vec<Level>, path: &[Designator]) -> bool {
        levels.truncate(1);
        for (n, designator) in path.iter().enumerate() {
            let Some(top) = levels.last_mut() else { return false };
            let is_last = n + 1 == path.len();
            let steps = match (designator, self.kind(top.ty)) {
                (Designator::Index(e), TypeKind::Array(..)) => {
                    let index = self.constant(*e).and_then(|n| usize::try_from(n.number()).ok());
                    index.map(|i| vec![i])
                }
                (Designator::Member(name), TypeKind::Record(_)) => self.way_to(top.ty, *name),
                _ => None,
            };
            let Some(steps) = steps else { return false };
            for (depth, &i) in steps.iter().enumerate() {
                let Some(top) = levels.last_mut() else { return false };
                top.next = i;
                // A member of a union that is not the first.
                top.len = top.len.map(|len| len.max(i + 1));
                if depth + 1 < steps.len() || !is_last {
                    let Some(top) = levels.last() else { return false };
                    let Some(part) = self.part_at(top) else { return false };
                    let level = self.level(part);
                    levels.push(level);
                }
            }
        }
        true
    }

    /// The positions of a member, and of the unnamed structures that it stands in.
    fn way_to(&self, ty: TypeRef, name: Sym) -> Option<Vec<usize>> {
        let mut todo = vec![(ty, Vec::new())];
        while let Some((ty, way)) = todo.pop() {
            let Some((_, fields)) = self.fields(ty) else { continue };
            for (i, field) in fields.iter().enumerate() {
                let mut way = way.clone();
                way.push(i);
                match field.name {
                    Some(n) if n == name => return Some(way),
                    Some(_) => {}
                    None => todo.extend(self.type_ref(field.ty).map(|t| (t, way))),
                }
            }
        }
        None
    }
}
