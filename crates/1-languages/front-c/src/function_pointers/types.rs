//! Types and records, and what flows because of them: rules F3, F7, F8 and F9.

use super::{Class, Flows, Kind, Leaves, RecordKey, Type, Val, What};
use crate::andersen::Cell;
use crate::link::strip;
use crate::objects::TypeRef;
use crate::tree::{RecordId, Sym, Tag, TypeId, TypeKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Longer chains of `typeof` are not followed.
const MAX_TYPEOF: usize = 16;

impl Flows<'_, '_> {
    pub(super) fn kind(&self, mut ty: Type) -> Kind {
        for _ in 0..MAX_TYPEOF {
            let (t, stars) = match ty {
                Type::Unknown => return Kind::Unknown,
                Type::Data => return Kind::Data,
                Type::At(t, stars) => (t, stars),
            };
            if stars > 0 {
                return Kind::Pointer(Type::At(t, stars - 1));
            }
            let unit = &self.units[t.unit as usize];
            let of = |ty: TypeId| Type::At(TypeRef { unit: t.unit, ty }, 0);
            match &unit.ty(strip(unit, t.ty)).kind {
                TypeKind::Void => return Kind::Void,
                TypeKind::Base(_) | TypeKind::Enum(_) => return Kind::Data,
                TypeKind::Pointer(inner) => return Kind::Pointer(of(*inner)),
                TypeKind::Array(inner, size) => {
                    return Kind::Array(of(*inner), size.map(|e| (t.unit, e)));
                }
                TypeKind::Function { result, .. } => return Kind::Function(of(*result)),
                TypeKind::Record(r) => return Kind::Record(t.unit, *r),
                TypeKind::Other(sym) if unit.name(*sym).contains("va_list") => return Kind::Data,
                TypeKind::TypeOf(e) if t.unit as usize == self.u => {
                    match self.vals.get(e.index()) {
                        Some(val) => ty = val.ty,
                        None => return Kind::Unknown,
                    }
                }
                _ => return Kind::Unknown,
            }
        }
        Kind::Unknown
    }

    pub(super) fn class(&self, mut ty: Type) -> Class {
        loop {
            return match self.kind(ty) {
                Kind::Array(element, _) => {
                    ty = element;
                    continue;
                }
                Kind::Unknown | Kind::Function(_) => Class::Followed,
                Kind::Void | Kind::Data => Class::Data,
                Kind::Record(..) => Class::Record,
                Kind::Pointer(to) => match self.kind(to) {
                    Kind::Function(_) | Kind::Void | Kind::Unknown => Class::Followed,
                    _ => Class::Data,
                },
            };
        }
    }

    /// Whether it is a plain pointer.
    pub(super) fn is_plain(&mut self, ty: Type) -> bool {
        let Kind::Pointer(to) = self.kind(ty) else { return false };
        match self.kind(to) {
            Kind::Record(u, r) => {
                let id = self.record_id(u, r);
                !self.complete[id as usize].is_empty()
            }
            Kind::Pointer(_) => true,
            Kind::Data => match to {
                Type::At(t, 0) => {
                    let unit = &self.units[t.unit as usize];
                    match unit.ty(strip(unit, t.ty)).kind {
                        TypeKind::Base(name) => !unit.name(name).contains("char"),
                        _ => false,
                    }
                }
                _ => false,
            },
            _ => false,
        }
    }

    pub(super) fn is_function(&self, ty: Type) -> bool {
        match self.kind(ty) {
            Kind::Function(_) => true,
            Kind::Pointer(to) => matches!(self.kind(to), Kind::Function(_)),
            _ => false,
        }
    }

    /// A new object of the type.
    pub(super) fn new_object(&mut self, ty: Type) -> Val {
        let what = match self.class(ty) {
            Class::Followed => What::Cell(self.c.cell()),
            _ => What::Unknown,
        };
        Val::new(what, ty)
    }

    pub(super) fn is_array(&self, ty: Type) -> bool {
        matches!(self.kind(ty), Kind::Array(..))
    }

    // Records.

    pub(super) fn name_id(&mut self, u: usize, sym: Sym) -> u32 {
        let known = self.name_ids[u][sym.index()];
        if known != u32::MAX {
            return known;
        }
        let next = self.names.len() as u32;
        let units = self.units;
        let id = *self.names.entry(units[u].name(sym)).or_insert(next);
        self.name_ids[u][sym.index()] = id;
        id
    }

    pub(super) fn record_id(&mut self, u: u32, r: RecordId) -> u32 {
        let known = self.record_ids[u as usize][r.index()];
        if known != u32::MAX {
            return known;
        }
        let units = self.units;
        let record = &units[u as usize].records[r.index()];
        let members = record.fields.iter().flatten();
        let members: Vec<Option<u32>> =
            members.map(|f| f.name.map(|n| self.name_id(u as usize, n))).collect();
        let key = match record.name {
            Some(tag) => RecordKey::Tag(self.name_id(u as usize, tag)),
            None => RecordKey::Members(record.tag == Tag::Union, members.clone()),
        };
        let next = self.record_keys.len() as u32;
        let id = *self.record_keys.entry(key).or_insert(next);
        self.record_ids[u as usize][r.index()] = id;
        if id == next {
            self.complete.push(Vec::new());
        }
        if record.fields.is_some() && self.definitions.insert((id, members)) {
            self.complete[id as usize].push((u, r));
        }
        id
    }

    /// Finds the records, and makes unions one cell each (F3).
    pub(super) fn records(&mut self) {
        for (u, unit) in self.units.iter().enumerate() {
            for r in 0..unit.records.len() {
                self.record_id(u as u32, RecordId(r as u32));
            }
        }
        for (id, u, r) in self.definitions() {
            let units = self.units;
            let record = &units[u as usize].records[r.index()];
            let leaves = self.leaves(id);
            if record.tag != Tag::Union || leaves.cells.is_empty() {
                continue;
            }
            let all = self.field_cell(id, u32::MAX);
            for &cell in &leaves.cells {
                self.c.flow(cell, all);
                self.c.flow(all, cell);
            }
            let data =
                record.fields.iter().flatten().any(|f| {
                    f.name.is_some() && self.class(Type::of(u as usize, f.ty)) == Class::Data
                });
            if data {
                self.expose(all);
            }
        }
    }

    /// All records with their definitions.
    pub(super) fn definitions(&self) -> Vec<(u32, u32, RecordId)> {
        let each = |(id, list): (usize, &Vec<(u32, RecordId)>)| {
            list.iter().map(|&(u, r)| (id as u32, u, r)).collect::<Vec<_>>()
        };
        self.complete.iter().enumerate().flat_map(each).collect()
    }

    /// The members of all definitions of a record.
    pub(super) fn all_fields(&mut self, id: u32) -> Vec<Val> {
        let mut out = Vec::new();
        for (u, r) in self.complete[id as usize].clone() {
            let record = &self.units[u as usize].records[r.index()];
            for i in 0..record.fields.as_ref().map_or(0, Vec::len) {
                out.push(self.field(u, r, i));
            }
        }
        out
    }

    pub(super) fn field_cell(&mut self, record: u32, name: u32) -> Cell {
        if let Some(&cell) = self.fields.get(&(record, name)) {
            return cell;
        }
        let cell = self.c.cell();
        self.fields.insert((record, name), cell);
        cell
    }

    /// A member as an object.
    pub(super) fn field(&mut self, u: u32, r: RecordId, index: usize) -> Val {
        let units = self.units;
        let record = &units[u as usize].records[r.index()];
        let Some(field) = record.fields.as_ref().and_then(|f| f.get(index)) else {
            return Val::UNKNOWN;
        };
        let ty = Type::of(u as usize, field.ty);
        let what = match (self.class(ty), field.name) {
            (Class::Followed, Some(name)) => {
                let id = self.record_id(u, r);
                let name = match record.tag {
                    Tag::Union => u32::MAX,
                    Tag::Struct => self.name_id(u as usize, name),
                };
                What::Cell(self.field_cell(id, name))
            }
            _ => What::Unknown,
        };
        Val::new(what, ty)
    }

    /// Where a member is: positions in unnamed records, and in the one that has it.
    pub(super) fn position(
        &mut self,
        u: u32,
        r: RecordId,
        name: u32,
    ) -> Option<Vec<(RecordId, usize)>> {
        let units = self.units;
        let unit = &units[u as usize];
        // Each with the one that it is in.
        let mut todo: Vec<(RecordId, Option<(usize, usize)>)> = vec![(r, None)];
        let mut at = 0;
        while at < todo.len() {
            let (r, _) = todo[at];
            for (i, field) in unit.records[r.index()].fields.iter().flatten().enumerate() {
                match field.name {
                    Some(sym) if self.name_id(u as usize, sym) == name => {
                        let mut path = vec![(r, i)];
                        let mut inner = at;
                        while let Some((outer, i)) = todo[inner].1 {
                            path.push((todo[outer].0, i));
                            inner = outer;
                        }
                        path.reverse();
                        return Some(path);
                    }
                    Some(_) => {}
                    None => {
                        if let Kind::Record(_, r) = self.kind(Type::of(u as usize, field.ty)) {
                            todo.push((r, Some((at, i))));
                        }
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// The object `x.m` of a record type (F3), or of another one (F9).
    pub(super) fn member(&mut self, ty: Type, name: Sym) -> Val {
        let name = self.name_id(self.u, name);
        if let Kind::Record(u, r) = self.kind(ty) {
            let key = (u, r.0, name);
            if let Some(&val) = self.members.get(&key) {
                return val;
            }
            if let Some(path) = self.position(u, r, name)
                && let Some(&(r, i)) = path.last()
            {
                let val = self.field(u, r, i);
                self.members.insert(key, val);
                return val;
            }
        }
        let cell = match self.by_name.get(&name) {
            Some(&cell) => cell,
            None => {
                let cell = self.c.cell();
                self.by_name.insert(name, cell);
                cell
            }
        };
        Val::new(What::Cell(cell), Type::Unknown)
    }

    // F9
    pub(super) fn any_member(&mut self) {
        if self.by_name.is_empty() {
            return;
        }
        let units = self.units;
        for (_, u, r) in self.definitions() {
            let fields = units[u as usize].records[r.index()].fields.iter().flatten();
            for (i, field) in fields.enumerate() {
                let Some(name) = field.name else { continue };
                let name = self.name_id(u as usize, name);
                if let Some(&any) = self.by_name.get(&name)
                    && let What::Cell(cell) = self.field(u, r, i).what
                {
                    self.c.flow(cell, any);
                    self.c.flow(any, cell);
                }
            }
        }
    }

    pub(super) fn leaves(&mut self, id: u32) -> Rc<Leaves> {
        if let Some(known) = self.leaves.get(&id) {
            return Rc::clone(known);
        }
        let mut leaves = Leaves::default();
        let mut todo = vec![id];
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            leaves.records.push(id);
            for field in self.all_fields(id) {
                let mut ty = field.ty;
                while let Kind::Array(element, _) = self.kind(ty) {
                    ty = element;
                }
                if let What::Cell(cell) = field.what {
                    leaves.cells.push(cell);
                } else if let Kind::Record(u, r) = self.kind(ty) {
                    todo.push(self.record_id(u, r));
                }
            }
        }
        leaves.cells.sort_unstable();
        leaves.cells.dedup();
        let leaves = Rc::new(leaves);
        self.leaves.insert(id, Rc::clone(&leaves));
        leaves
    }

    /// The record that the type is, or points to.
    pub(super) fn record_behind(&mut self, ty: Type) -> Option<u32> {
        let (u, r) = match self.kind(ty) {
            Kind::Record(u, r) => (u, r),
            Kind::Pointer(to) | Kind::Array(to, _) => match self.kind(to) {
                Kind::Record(u, r) => (u, r),
                _ => return None,
            },
            _ => return None,
        };
        Some(self.record_id(u, r))
    }

    // F8
    pub(super) fn pun(&mut self, a: Type, b: Type) {
        if a == b {
            return;
        }
        let (a, b) = match (self.record_behind(a), self.record_behind(b)) {
            (Some(a), Some(b)) => (a, b),
            // On its way through something else it may become another one.
            (Some(one), None) | (None, Some(one)) => {
                self.unseen.insert(one);
                return;
            }
            (None, None) => return,
        };
        self.pun_records(a, b);
    }

    /// Records that pass through `void *` or bytes come out as any of those that do, if there are few.
    pub(super) fn pun_unseen(&mut self) -> bool {
        let unseen: Vec<u32> = std::mem::take(&mut self.unseen).into_iter().collect();
        let unseen: Vec<u32> =
            unseen.into_iter().filter(|&r| !self.leaves(r).cells.is_empty()).collect();
        if unseen.len() > super::MAX_UNSEEN {
            return false;
        }
        for (i, &a) in unseen.iter().enumerate() {
            for &b in &unseen[..i] {
                self.pun_records(a, b);
            }
        }
        true
    }

    fn pun_records(&mut self, a: u32, b: u32) {
        if a == b || !self.punned.insert((a.min(b), a.max(b))) {
            return;
        }
        let (x, y) = (self.leaves(a), self.leaves(b));
        if x.records.contains(&b) || y.records.contains(&a) {
            return;
        }
        for &from in &x.cells {
            for &to in &y.cells {
                self.c.flow(from, to);
                self.c.flow(to, from);
            }
        }
    }

    // F7: the members of what the type points to, by any number of links.
    pub(super) fn give(&mut self, ty: Type) {
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            match self.kind(ty) {
                Kind::Pointer(to) | Kind::Array(to, _) => todo.push(to),
                Kind::Record(u, r) => {
                    let id = self.record_id(u, r);
                    if !self.given.insert(id) {
                        continue;
                    }
                    for field in self.all_fields(id) {
                        match field.what {
                            What::Cell(cell) => self.expose(cell),
                            _ => todo.push(field.ty),
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
