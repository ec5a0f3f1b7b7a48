//! Trees → constraints on function pointers ([`crate::andersen`]): what calls through pointers reach.
//!
//! Values of these types are followed: functions and pointers to them, `void *`, and what has no known
//! type. A value of any other type is data.
//!
//! - F1 (function): the name of `f`, also in `&f` and `*f`, is a cell that holds `f`.
//! - F2 (copy): assignments, initialisers, arguments of calls by name, results, `?:`, `,`, casts and
//!   statement expressions are flows from cell to cell.
//! - F3 (member): `x.m` and `p->m` are the cell of the type's member, whichever object it is. Types are
//!   the same in all units if they have the same tag; without a tag, if their members have the same
//!   names. The members of a union, and those of records within, are one cell, which is unknown memory
//!   if data is in the union, too.
//! - F4 (element): `a[i]` and `*a` are the cell of the array `a`.
//! - F5 (unknown memory): what data points to, and the rest of the arguments (`...`), has no cell. A
//!   function that becomes data (`(long) f`, `(char *) f`) escapes; data that becomes a function is
//!   unknown.
//! - F6 (address): where `&x`, or the array `x`, goes further than `*`, `[]` and arithmetic, `x` is
//!   unknown memory.
//! - F7 (outside): arguments of functions without a body escape and their results are unknown, unless
//!   the library's function keeps nothing. Members of the records that they point to, by any number of
//!   links, are unknown memory. So are variables that no unit defines, and, in a program without
//!   `main`, variables and parameters that other units can see, and results of their functions.
//! - F8 (another type): where a pointer to one record becomes a pointer to another one, by a cast, an
//!   assignment or `memcpy`, and none of them is part of the other, their members flow into each other.
//!   The members of a record that `memcpy` turns into bytes, or makes of bytes, are unknown memory.
//! - F9 (no type): a member of something without a known type is any member of that name.
//!
//! Not followed: records that pass through `void *` and come out as another type, and what callers from
//! outside store into the program's records.

use crate::andersen::{Cell, Constraints, Place, Signature, Site, Targets};
use crate::link::{Entity, FuncId, Linked, ObjectId, TypeRef};
use crate::tree::{
    Assign, Binary, Declaration, ExprId, ExprKind, ForInit, Function, Init, InitId, Item, RecordId,
    StmtId, StmtKind, Storage, Sym, Tag, TypeId, TypeKind, Unary, Unit,
};
use crate::{library, plain_name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Longer chains of `typeof` are not followed.
const MAX_TYPEOF: usize = 16;

/// What calls through pointers reach, by unit and expression.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    sites: FxHashMap<(u32, ExprId), Targets>,
}

impl Resolved {
    /// What a call reaches; none if it was not looked at.
    pub(crate) fn get(&self, unit: usize, call: ExprId) -> Option<&Targets> {
        self.sites.get(&(unit as u32, call))
    }
}

/// Follows the function pointers of all units; none if that is too much work.
pub(crate) fn resolve(linked: &mut Linked<'_>) -> Option<Resolved> {
    let open = !linked.funcs.iter().any(|f| f.name == "main" && f.body.is_some());
    let (units, funcs) = (linked.units, linked.funcs.len());
    let mut flows = Flows {
        open,
        units,
        c: Constraints::default(),
        names: FxHashMap::default(),
        name_ids: units.iter().map(|u| vec![u32::MAX; u.names.len()]).collect(),
        record_ids: units.iter().map(|u| vec![u32::MAX; u.records.len()]).collect(),
        record_keys: FxHashMap::default(),
        complete: Vec::new(),
        definitions: FxHashSet::default(),
        fields: FxHashMap::default(),
        members: FxHashMap::default(),
        by_name: FxHashMap::default(),
        leaves: FxHashMap::default(),
        punned: FxHashSet::default(),
        given: FxHashSet::default(),
        objects: vec![None; linked.objects.len()],
        addresses: vec![None; funcs],
        signatures: vec![None; funcs],
        types: vec![(Vec::new(), Type::Unknown); funcs],
        sites: Vec::new(),
        u: 0,
        unit: units.first()?,
        func: FuncId(0),
        env: FxHashMap::default(),
        undo: Vec::new(),
        vals: Vec::new(),
        tasks: Vec::new(),
        linked,
    };
    flows.records();
    flows.functions();
    for u in 0..units.len() {
        flows.unit(u);
    }
    flows.any_member();
    let Flows { linked, c, signatures, sites, .. } = flows;
    let funcs = &linked.funcs;
    let targets = c.solve(linked.fit_lists(), &signatures, |f| keeps(&funcs[f.index()].name))?;
    let mut resolved = Resolved::default();
    for (key, site) in sites {
        resolved.sites.insert(key, targets[site].clone());
    }
    Some(resolved)
}

/// Whether a function without a body may keep or call what it is given.
fn keeps(name: &str) -> bool {
    !name.starts_with("__builtin_") && library(plain_name(name)).is_none()
}

/// A type, and so many `*` behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Unknown,
    /// No pointer, no record.
    Data,
    At(TypeRef, u32),
}

impl Type {
    fn of(unit: usize, ty: TypeId) -> Type {
        Type::At(TypeRef { unit: unit as u32, ty }, 0)
    }
    fn pointer(self) -> Type {
        match self {
            Type::At(ty, stars) => Type::At(ty, stars + 1),
            other => other,
        }
    }
}

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Unknown,
    Void,
    Data,
    Pointer(Type),
    Array(Type, Option<(u32, ExprId)>),
    Function(Type),
    Record(u32, RecordId),
}

/// What can be done about a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Followed,
    Data,
    Record,
}

/// What a value, or the object that an lvalue names, is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// A constant.
    Nothing,
    /// The contents of the cell; of an array, its elements.
    Cell(Cell),
    /// A pointer to the cell.
    Into(Cell),
    /// Data, or a followed value from unknown memory.
    Unknown,
}

#[derive(Clone, Copy, Debug)]
struct Val {
    what: What,
    ty: Type,
    /// What it was before casts to `void *` and the like.
    from: Type,
}

impl Val {
    fn new(what: What, ty: Type) -> Val {
        Val { what, ty, from: Type::Unknown }
    }
    const NOTHING: Val = Val { what: What::Nothing, ty: Type::Data, from: Type::Unknown };
    const UNKNOWN: Val = Val { what: What::Unknown, ty: Type::Unknown, from: Type::Unknown };
}

/// The identity of a record across units.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum RecordKey {
    Tag(u32),
    Members(bool, Vec<Option<u32>>),
}

/// The followed members of a record and of the records within, and those records.
#[derive(Debug, Default)]
struct Leaves {
    cells: Vec<Cell>,
    records: Vec<u32>,
}

/// What a name of a block is.
#[derive(Clone, Copy)]
enum Local {
    Val(Val),
    Func(FuncId),
}

/// Who is called.
enum Callee {
    Func(FuncId),
    Undeclared,
    Pointer,
}

#[derive(Clone, Copy)]
enum Task<'a> {
    Stmt(StmtId),
    Enter(ExprId),
    Exit(ExprId),
    Declare(&'a Declaration),
    Bind(&'a Declaration),
    Init(Val, InitId),
    Scope(usize),
    Return(ExprId),
    Asm(StmtId),
}

/// A place of an initialiser: the container, and which of its parts comes next.
struct Level {
    of: Val,
    next: usize,
    /// How many parts there are, if that is known.
    len: Option<usize>,
}

struct Flows<'l, 'a> {
    linked: &'l mut Linked<'a>,
    units: &'a [Unit],
    /// There is no `main`.
    open: bool,
    c: Constraints,
    names: FxHashMap<&'a str, u32>,
    name_ids: Vec<Vec<u32>>,
    record_ids: Vec<Vec<u32>>,
    record_keys: FxHashMap<RecordKey, u32>,
    /// The definitions of each record that have different members.
    complete: Vec<Vec<(u32, RecordId)>>,
    definitions: FxHashSet<(u32, Vec<Option<u32>>)>,
    /// F3: cells of members; all members of a union have the name `u32::MAX`.
    fields: FxHashMap<(u32, u32), Cell>,
    members: FxHashMap<(u32, u32, u32), Val>,
    /// F9: cells of members of no known type.
    by_name: FxHashMap<u32, Cell>,
    leaves: FxHashMap<u32, Rc<Leaves>>,
    punned: FxHashSet<(u32, u32)>,
    given: FxHashSet<u32>,
    objects: Vec<Option<Val>>,
    addresses: Vec<Option<Cell>>,
    signatures: Vec<Option<Signature>>,
    /// The types of parameters and result.
    types: Vec<(Vec<Type>, Type)>,
    sites: Vec<((u32, ExprId), usize)>,
    // The unit and function at hand.
    u: usize,
    unit: &'a Unit,
    func: FuncId,
    env: FxHashMap<Sym, Local>,
    undo: Vec<(Sym, Option<Local>)>,
    vals: Vec<Val>,
    tasks: Vec<Task<'a>>,
}

impl<'a> Flows<'_, 'a> {
    // Types.

    fn kind(&self, mut ty: Type) -> Kind {
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
            match &unit.ty(crate::link::strip(unit, t.ty)).kind {
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

    fn class(&self, mut ty: Type) -> Class {
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

    /// A new object of the type.
    fn new_object(&mut self, ty: Type) -> Val {
        let what = match self.class(ty) {
            Class::Followed => What::Cell(self.c.cell()),
            _ => What::Unknown,
        };
        Val::new(what, ty)
    }

    fn is_array(&self, ty: Type) -> bool {
        matches!(self.kind(ty), Kind::Array(..))
    }

    // Records.

    fn name_id(&mut self, u: usize, sym: Sym) -> u32 {
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

    fn record_id(&mut self, u: u32, r: RecordId) -> u32 {
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
    fn records(&mut self) {
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
    fn definitions(&self) -> Vec<(u32, u32, RecordId)> {
        let each = |(id, list): (usize, &Vec<(u32, RecordId)>)| {
            list.iter().map(|&(u, r)| (id as u32, u, r)).collect::<Vec<_>>()
        };
        self.complete.iter().enumerate().flat_map(each).collect()
    }

    /// The members of all definitions of a record.
    fn all_fields(&mut self, id: u32) -> Vec<Val> {
        let mut out = Vec::new();
        for (u, r) in self.complete[id as usize].clone() {
            let record = &self.units[u as usize].records[r.index()];
            for i in 0..record.fields.as_ref().map_or(0, Vec::len) {
                out.push(self.field(u, r, i));
            }
        }
        out
    }

    fn field_cell(&mut self, record: u32, name: u32) -> Cell {
        if let Some(&cell) = self.fields.get(&(record, name)) {
            return cell;
        }
        let cell = self.c.cell();
        self.fields.insert((record, name), cell);
        cell
    }

    /// A member as an object.
    fn field(&mut self, u: u32, r: RecordId, index: usize) -> Val {
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
    fn position(&mut self, u: u32, r: RecordId, name: u32) -> Option<Vec<(RecordId, usize)>> {
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
    fn member(&mut self, ty: Type, name: Sym) -> Val {
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
    fn any_member(&mut self) {
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

    fn leaves(&mut self, id: u32) -> Rc<Leaves> {
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
    fn record_behind(&mut self, ty: Type) -> Option<u32> {
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
    fn pun(&mut self, a: Type, b: Type) {
        if a == b {
            return;
        }
        let Some(a) = self.record_behind(a) else { return };
        let Some(b) = self.record_behind(b) else { return };
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

    // F8: a record that is copied from or to bytes.
    fn bytes(&mut self, record: Type, other: Type) {
        let bytes = match self.kind(other) {
            Kind::Pointer(to) | Kind::Array(to, _) => self.kind(to) == Kind::Data,
            _ => false,
        };
        if bytes && let Some(id) = self.record_behind(record) {
            for &cell in &self.leaves(id).cells {
                self.expose(cell);
            }
        }
    }

    // F7: the members of what the type points to, by any number of links.
    fn give(&mut self, ty: Type) {
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

    // Flows.

    /// The cell is unknown memory.
    fn expose(&mut self, cell: Cell) {
        self.c.escape(cell);
        self.c.holds_unknown(cell);
    }

    /// Where a value comes from that goes on (F6).
    fn source(&mut self, val: Val) -> Place {
        match val.what {
            What::Nothing => Place::Nothing,
            What::Unknown => Place::Unknown,
            What::Cell(cell) if !self.is_array(val.ty) => Place::Cell(cell),
            What::Cell(cell) | What::Into(cell) => {
                self.expose(cell);
                Place::Unknown
            }
        }
    }

    /// F2, F5
    fn assign(&mut self, to: Val, val: Val) {
        let from = if val.from == Type::Unknown { val.ty } else { val.from };
        self.pun(to.ty, from);
        match (to.what, self.source(val)) {
            (What::Cell(to), Place::Cell(from)) => self.c.flow(from, to),
            (What::Cell(to), Place::Unknown) => self.c.holds_unknown(to),
            (What::Unknown | What::Into(_), Place::Cell(from)) => self.c.escape(from),
            _ => {}
        }
    }

    /// One of several values.
    fn merge(&mut self, vals: &[Val]) -> Val {
        let some: Vec<Val> = vals.iter().copied().filter(|v| v.what != What::Nothing).collect();
        let Some(&first) = some.first() else {
            return vals.first().copied().unwrap_or(Val::NOTHING);
        };
        if let [only] = some[..] {
            return only;
        }
        let precise = |v: &&Val| match self.kind(v.ty) {
            Kind::Unknown | Kind::Data | Kind::Void => false,
            Kind::Pointer(to) => self.kind(to) != Kind::Void,
            _ => true,
        };
        let ty = some.iter().find(precise).map_or(first.ty, |v| v.ty);
        if let What::Into(_) = first.what
            && some.iter().all(|v| v.what == first.what)
        {
            return Val::new(first.what, ty);
        }
        let places: Vec<Place> = some.iter().map(|&v| self.source(v)).collect();
        if !places.iter().any(|p| matches!(p, Place::Cell(_))) {
            return Val::new(What::Unknown, ty);
        }
        let cell = self.c.cell();
        for place in places {
            match place {
                Place::Cell(from) => self.c.flow(from, cell),
                Place::Unknown => self.c.holds_unknown(cell),
                Place::Nothing => {}
            }
        }
        Val::new(What::Cell(cell), ty)
    }

    // Names.

    // F1
    fn function_value(&mut self, f: FuncId) -> Val {
        let cell = match self.addresses[f.index()] {
            Some(cell) => cell,
            None => {
                let cell = self.c.cell();
                self.c.holds(cell, f);
                self.addresses[f.index()] = Some(cell);
                cell
            }
        };
        let ty = self.linked.funcs[f.index()].ty;
        Val::new(What::Cell(cell), ty.map_or(Type::Unknown, |t| Type::At(t, 0)))
    }

    fn object(&mut self, o: ObjectId) -> Val {
        if let Some(val) = self.objects[o.index()] {
            return val;
        }
        let object = &self.linked.objects[o.index()];
        let unseen = !object.defined || (self.open && object.external);
        let (ty, defined) = (object.ty, object.defined);
        let ty = ty.map_or(Type::Unknown, |t| Type::At(t, 0));
        let val = self.new_object(ty);
        match val.what {
            What::Cell(cell) if unseen => self.expose(cell),
            _ if !defined => self.give(ty),
            _ => {}
        }
        self.objects[o.index()] = Some(val);
        val
    }

    fn entity(&mut self, entity: Entity) -> Val {
        match entity {
            Entity::Func(f) => self.function_value(f),
            Entity::Object(o) => self.object(o),
            Entity::Constant(_) => Val::NOTHING,
        }
    }

    fn name(&mut self, sym: Sym) -> Val {
        match self.env.get(&sym) {
            Some(Local::Val(val)) => return *val,
            Some(Local::Func(f)) => return self.function_value(*f),
            None => {}
        }
        let entity = self.linked.scopes[self.u].get(&sym).copied();
        match entity.or_else(|| self.linked.extern_named(self.unit.name(sym))) {
            Some(entity) => self.entity(entity),
            None => Val::UNKNOWN,
        }
    }

    fn bind(&mut self, sym: Sym, local: Local) {
        let old = self.env.insert(sym, local);
        self.undo.push((sym, old));
    }

    // Units and functions.

    fn functions(&mut self) {
        for f in 0..self.linked.funcs.len() {
            let func = &self.linked.funcs[f];
            let Some((u, item)) = func.body else { continue };
            let visible = self.open && !func.is_static;
            let units = self.units;
            let Item::Function(function) = &units[u].items[item] else { continue };
            let (mut params, mut types) = (Vec::new(), Vec::new());
            for param in &function.params {
                let ty = Type::of(u, param.ty);
                // An array is a pointer here.
                let place = match self.class(ty) {
                    Class::Followed if !self.is_array(ty) => {
                        let cell = self.c.cell();
                        if visible {
                            self.c.holds_unknown(cell);
                        }
                        Place::Cell(cell)
                    }
                    _ => Place::Unknown,
                };
                params.push(place);
                types.push(ty);
            }
            let ty = match self.kind(Type::of(u, function.ty)) {
                Kind::Function(result) => result,
                _ => Type::Unknown,
            };
            let result = match self.class(ty) {
                Class::Followed => {
                    let cell = self.c.cell();
                    if visible {
                        self.c.escape(cell);
                    }
                    Place::Cell(cell)
                }
                _ => Place::Unknown,
            };
            self.signatures[f] = Some(Signature { params, result });
            self.types[f] = (types, ty);
        }
    }

    /// A parameter, or the result if there is no number.
    fn slot(&self, f: FuncId, param: Option<usize>) -> Val {
        let Some(signature) = &self.signatures[f.index()] else { return Val::UNKNOWN };
        let (types, result) = &self.types[f.index()];
        let (place, ty) = match param {
            None => (Some(signature.result), Some(*result)),
            Some(i) => (signature.params.get(i).copied(), types.get(i).copied()),
        };
        let what = match place {
            Some(Place::Cell(cell)) => What::Cell(cell),
            _ => What::Unknown,
        };
        Val::new(what, ty.unwrap_or(Type::Data))
    }

    fn unit(&mut self, u: usize) {
        let units = self.units;
        (self.u, self.unit) = (u, &units[u]);
        self.vals.clear();
        self.vals.resize(self.unit.exprs.len(), Val::UNKNOWN);
        self.env.clear();
        self.undo.clear();
        for (i, item) in units[u].items.iter().enumerate() {
            match item {
                Item::Declaration(d) => {
                    if let Some(Entity::Object(o)) = self.linked.scopes[u].get(&d.name).copied()
                        && let Some(init) = d.init
                    {
                        let val = self.object(o);
                        // `int (*a[])(void)`, of which another declaration knows more.
                        let val = Val { ty: Type::of(u, d.ty), ..val };
                        self.tasks.push(Task::Init(val, init));
                        self.init_exprs(init);
                    }
                }
                Item::Function(f) => {
                    if let Some(Entity::Func(id)) = self.linked.scopes[u].get(&f.name).copied()
                        && self.linked.funcs[id.index()].body == Some((u, i))
                    {
                        self.begin(id, f);
                    }
                }
            }
            while let Some(task) = self.tasks.pop() {
                self.task(task);
            }
        }
    }

    fn begin(&mut self, id: FuncId, f: &'a Function) {
        self.func = id;
        self.env.clear();
        self.undo.clear();
        for (i, param) in f.params.iter().enumerate() {
            if let Some(name) = param.name {
                let val = self.slot(id, Some(i));
                self.bind(name, Local::Val(val));
            }
        }
        self.tasks.push(Task::Stmt(f.body));
    }

    fn task(&mut self, task: Task<'a>) {
        match task {
            Task::Stmt(s) => self.stmt(s),
            Task::Enter(e) => self.enter(e),
            Task::Exit(e) => {
                let val = self.exit(e);
                self.vals[e.index()] = val;
            }
            Task::Declare(d) => {
                self.tasks.push(Task::Bind(d));
                self.type_exprs(d.ty);
            }
            Task::Bind(d) => self.declare(d),
            Task::Init(to, init) => self.init(to, init),
            Task::Scope(undo) => {
                while self.undo.len() > undo {
                    if let Some((sym, old)) = self.undo.pop() {
                        match old {
                            Some(local) => self.env.insert(sym, local),
                            None => self.env.remove(&sym),
                        };
                    }
                }
            }
            Task::Return(e) => {
                let to = self.slot(self.func, None);
                let val = self.vals[e.index()];
                self.assign(to, val);
            }
            Task::Asm(s) => {
                let unit = self.unit;
                let StmtKind::Asm(asm) = &unit.stmt(s).kind else { return };
                for &e in &asm.inputs {
                    let val = self.vals[e.index()];
                    self.assign(Val::UNKNOWN, val);
                }
                for &e in &asm.outputs {
                    let to = self.vals[e.index()];
                    self.assign(to, Val::UNKNOWN);
                }
            }
        }
    }

    fn stmt(&mut self, s: StmtId) {
        let unit = self.unit;
        match &unit.stmt(s).kind {
            StmtKind::Empty
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None) => {}
            StmtKind::Expr(e) | StmtKind::GotoComputed(e) => self.tasks.push(Task::Enter(*e)),
            StmtKind::Block(body, _) => {
                self.tasks.push(Task::Scope(self.undo.len()));
                self.tasks.extend(body.iter().rev().map(|&s| Task::Stmt(s)));
            }
            StmtKind::Declare(list) => self.tasks.extend(list.iter().rev().map(Task::Declare)),
            StmtKind::If(c, then, otherwise) => {
                self.tasks.extend(otherwise.map(Task::Stmt));
                self.tasks.extend([Task::Stmt(*then), Task::Enter(*c)]);
            }
            StmtKind::Switch(e, body) | StmtKind::While(e, body) => {
                self.tasks.extend([Task::Stmt(*body), Task::Enter(*e)]);
            }
            StmtKind::DoWhile(body, e) => {
                self.tasks.extend([Task::Enter(*e), Task::Stmt(*body)]);
            }
            StmtKind::For(init, condition, step, body) => {
                self.tasks.push(Task::Scope(self.undo.len()));
                self.tasks.extend(step.map(Task::Enter));
                self.tasks.push(Task::Stmt(*body));
                self.tasks.extend(condition.map(Task::Enter));
                match init {
                    ForInit::None => {}
                    ForInit::Expr(e) => self.tasks.push(Task::Enter(*e)),
                    ForInit::Declare(list) => {
                        self.tasks.extend(list.iter().rev().map(Task::Declare));
                    }
                }
            }
            StmtKind::Return(Some(e)) => {
                self.tasks.extend([Task::Return(*e), Task::Enter(*e)]);
            }
            StmtKind::Label(_, body) | StmtKind::Case(_, _, body) | StmtKind::Default(body) => {
                self.tasks.push(Task::Stmt(*body));
            }
            StmtKind::Asm(asm) => {
                self.tasks.push(Task::Asm(s));
                self.tasks.extend(asm.outputs.iter().chain(&asm.inputs).map(|&e| Task::Enter(e)));
            }
        }
    }

    fn declare(&mut self, d: &'a Declaration) {
        let ty = Type::of(self.u, d.ty);
        let unit = self.unit;
        let known = self.linked.scopes[self.u].get(&d.name).copied();
        if let Kind::Function(_) = self.kind(ty) {
            match known.or_else(|| self.linked.extern_named(unit.name(d.name))) {
                Some(Entity::Func(f)) => self.bind(d.name, Local::Func(f)),
                _ => self.bind(d.name, Local::Val(Val::new(What::Unknown, ty))),
            }
            return;
        }
        if d.storage == Storage::Extern {
            let val = match known.or_else(|| self.linked.extern_named(unit.name(d.name))) {
                Some(Entity::Object(o)) => self.object(o),
                _ => {
                    self.give(ty);
                    Val::new(What::Unknown, ty)
                }
            };
            self.bind(d.name, Local::Val(val));
            return;
        }
        let val = self.new_object(ty);
        self.bind(d.name, Local::Val(val));
        if d.attributes.cleanup.is_some()
            && let What::Cell(cell) = val.what
        {
            self.expose(cell);
        }
        if let Some(init) = d.init {
            self.tasks.push(Task::Init(val, init));
            self.init_exprs(init);
        }
    }

    /// Evaluates the expressions that a type depends on.
    fn type_exprs(&mut self, ty: TypeId) {
        let unit = self.unit;
        let mut ty = ty;
        loop {
            match unit.ty(ty).kind {
                TypeKind::Pointer(inner) | TypeKind::Named(_, inner) => ty = inner,
                TypeKind::Array(inner, size) => {
                    self.tasks.extend(size.map(Task::Enter));
                    ty = inner;
                }
                TypeKind::TypeOf(e) => {
                    self.tasks.push(Task::Enter(e));
                    return;
                }
                _ => return,
            }
        }
    }

    fn init_exprs(&mut self, init: InitId) {
        let unit = self.unit;
        let mut todo = vec![init];
        while let Some(init) = todo.pop() {
            match &unit.inits[init.index()] {
                Init::Expr(e) => self.tasks.push(Task::Enter(*e)),
                Init::List(list) => todo.extend(list.iter().map(|(_, _, init)| *init)),
            }
        }
    }

    // Initialisers.

    fn level(&mut self, of: Val) -> Level {
        let len = match self.kind(of.ty) {
            Kind::Array(_, None) => None,
            Kind::Array(_, Some((u, size))) => {
                let len = self.linked.value(u as usize, size);
                len.and_then(|n| usize::try_from(n).ok())
            }
            Kind::Record(u, r) => {
                let record = &self.units[u as usize].records[r.index()];
                match record.tag {
                    Tag::Union => Some(1),
                    Tag::Struct => record.fields.as_ref().map(Vec::len),
                }
            }
            _ => None,
        };
        let mut level = Level { of, next: 0, len };
        self.skip_unnamed(&mut level);
        level
    }

    /// Unnamed bit fields are not initialised.
    fn skip_unnamed(&self, level: &mut Level) {
        let Kind::Record(u, r) = self.kind(level.of.ty) else { return };
        let Some(fields) = &self.units[u as usize].records[r.index()].fields else { return };
        while let Some(field) = fields.get(level.next)
            && field.name.is_none()
            && !matches!(self.kind(Type::of(u as usize, field.ty)), Kind::Record(..))
        {
            level.next += 1;
        }
    }

    /// The part that comes next.
    fn part(&mut self, level: &Level) -> Val {
        match self.kind(level.of.ty) {
            Kind::Array(element, _) => Val { ty: element, ..level.of },
            Kind::Record(u, r) => self.field(u, r, level.next),
            _ => level.of,
        }
    }

    /// Goes to what the designators name; false if that is not found out.
    fn designate(&mut self, levels: &mut Vec<Level>, indices: usize, members: &[Sym]) -> bool {
        levels.truncate(1);
        let Some(base) = levels.last_mut() else { return false };
        base.next = 0;
        let mut left = indices;
        for (n, &member) in members.iter().enumerate() {
            // Elements of arrays are all the same.
            while let Some(top) = levels.last()
                && self.is_array(top.of.ty)
            {
                left = left.saturating_sub(1);
                let part = Val { ty: self.part(top).ty, ..top.of };
                let level = self.level(part);
                levels.push(level);
            }
            let Some(top) = levels.last() else { return false };
            let Kind::Record(u, r) = self.kind(top.of.ty) else { return false };
            let name = self.name_id(self.u, member);
            let Some(path) = self.position(u, r, name) else { return false };
            for (depth, &(r, i)) in path.iter().enumerate() {
                let Some(top) = levels.last_mut() else { return false };
                top.next = i;
                top.len = top.len.map(|len| len.max(i + 1));
                let last = depth + 1 == path.len() && n + 1 == members.len();
                if !last {
                    let part = self.field(u, r, i);
                    let level = self.level(part);
                    levels.push(level);
                }
            }
        }
        if members.is_empty() {
            // Two are a range, or `[1][2]`.
            return match levels.last().map(|l| self.kind(l.of.ty)) {
                Some(Kind::Array(element, _)) => {
                    indices == 1 || (indices == 2 && !self.is_array(element))
                }
                _ => false,
            };
        }
        // `.a[2] = x`
        left == 0
    }

    fn init(&mut self, to: Val, init: InitId) {
        let unit = self.unit;
        let mut work = vec![(to, init)];
        while let Some((to, init)) = work.pop() {
            let list = match &unit.inits[init.index()] {
                Init::Expr(e) => {
                    let val = self.vals[e.index()];
                    self.assign(to, val);
                    continue;
                }
                Init::List(list) => list,
            };
            let base = self.level(to);
            let mut levels = vec![base];
            // What comes next is not known until a designator tells.
            let mut lost = false;
            for (indices, members, value) in list {
                if !(indices.is_empty() && members.is_empty()) {
                    lost = !self.designate(&mut levels, indices.len(), members);
                }
                lost = lost || !self.place(&mut levels, *value, &mut work);
                if lost {
                    self.smear(to, *value);
                    continue;
                }
                // On to what comes next.
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
        }
    }

    /// Initialises the part that comes next, or, where braces are left out, the first one within it.
    /// False if what that is is not found out.
    fn place(
        &mut self,
        levels: &mut Vec<Level>,
        value: InitId,
        work: &mut Vec<(Val, InitId)>,
    ) -> bool {
        let unit = self.unit;
        loop {
            let Some(top) = levels.last() else { return false };
            let nested = levels.len() > 1;
            if top.len.is_some_and(|len| top.next >= len)
                || (nested && top.len.is_none() && self.is_array(top.of.ty))
            {
                return false;
            }
            let part = self.part(top);
            let e = match &unit.inits[value.index()] {
                Init::List(_) => {
                    work.push((part, value));
                    return true;
                }
                Init::Expr(e) => *e,
            };
            let val = self.vals[e.index()];
            let whole = match self.kind(part.ty) {
                Kind::Record(..) => match self.kind(val.ty) {
                    Kind::Record(..) => true,
                    Kind::Unknown if val.what != What::Nothing => return false,
                    _ => false,
                },
                Kind::Array(element, _) => {
                    matches!(unit.expr(e).kind, ExprKind::Text(_))
                        && self.kind(element) == Kind::Data
                }
                _ => true,
            };
            if whole {
                self.assign(part, val);
                return true;
            }
            let level = self.level(part);
            levels.push(level);
        }
    }

    /// Any of the values may be anywhere in the object.
    fn smear(&mut self, to: Val, init: InitId) {
        let unit = self.unit;
        let mut cells: Vec<Cell> = Vec::new();
        if let What::Cell(cell) = to.what {
            cells.push(cell);
        }
        let mut ty = to.ty;
        while let Kind::Array(element, _) = self.kind(ty) {
            ty = element;
        }
        if let Kind::Record(u, r) = self.kind(ty) {
            let id = self.record_id(u, r);
            cells.extend(&self.leaves(id).cells);
        }
        let mut todo = vec![init];
        while let Some(init) = todo.pop() {
            match &unit.inits[init.index()] {
                Init::List(list) => todo.extend(list.iter().map(|(_, _, init)| *init)),
                Init::Expr(e) => {
                    let val = self.vals[e.index()];
                    for &cell in &cells {
                        self.assign(Val::new(What::Cell(cell), Type::Unknown), val);
                    }
                }
            }
        }
    }

    // Expressions.

    fn enter(&mut self, e: ExprId) {
        let unit = self.unit;
        let kind = &unit.expr(e).kind;
        match kind {
            ExprKind::Name(sym) => {
                let val = self.name(*sym);
                self.vals[e.index()] = val;
                return;
            }
            ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::SizeOf(_)
            | ExprKind::AboutType(_)
            | ExprKind::LabelAddress(_) => {
                self.vals[e.index()] = Val::NOTHING;
                return;
            }
            _ => {}
        }
        self.tasks.push(Task::Exit(e));
        match kind {
            ExprKind::Unary(_, x)
            | ExprKind::Field(x, _)
            | ExprKind::Arrow(x, _)
            | ExprKind::VaArg(x, _) => self.tasks.push(Task::Enter(*x)),
            ExprKind::Cast(ty, x) => {
                self.tasks.push(Task::Enter(*x));
                self.type_exprs(*ty);
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Index(a, b) => self.tasks.extend([Task::Enter(*b), Task::Enter(*a)]),
            ExprKind::Conditional(c, a, b) => {
                self.tasks.push(Task::Enter(*b));
                self.tasks.extend(a.map(Task::Enter));
                self.tasks.push(Task::Enter(*c));
            }
            ExprKind::Call(f, arguments) => {
                self.tasks.extend(arguments.iter().rev().map(|&a| Task::Enter(a)));
                self.tasks.push(Task::Enter(*f));
            }
            ExprKind::Compound(ty, init) => {
                self.init_exprs(*init);
                self.type_exprs(*ty);
            }
            ExprKind::Block(s) => self.tasks.push(Task::Stmt(*s)),
            ExprKind::Generic(_, arms) => {
                self.tasks.extend(arms.iter().rev().map(|&a| Task::Enter(a)));
            }
            _ => {}
        }
    }

    fn exit(&mut self, e: ExprId) -> Val {
        let unit = self.unit;
        let val = |s: &Self, e: ExprId| s.vals[e.index()];
        match &unit.expr(e).kind {
            ExprKind::Unary(op, x) => {
                let x = val(self, *x);
                match op {
                    Unary::Deref => self.deref(x),
                    Unary::Address => self.address(x),
                    Unary::Step { .. } => x,
                    Unary::Not => Val::NOTHING,
                    Unary::Minus | Unary::Plus | Unary::Complement | Unary::Part => {
                        self.computed(x, Val::NOTHING)
                    }
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (val(self, *a), val(self, *b));
                match op {
                    Binary::And
                    | Binary::Or
                    | Binary::Eq
                    | Binary::Ne
                    | Binary::Lt
                    | Binary::Gt
                    | Binary::Le
                    | Binary::Ge => Val::NOTHING,
                    _ => self.computed(a, b),
                }
            }
            ExprKind::Assign(op, to, from) => {
                let (to, from) = (val(self, *to), val(self, *from));
                // `p += 1` points where `p` did.
                if *op == Assign::Plain || !matches!(self.kind(to.ty), Kind::Pointer(_)) {
                    self.assign(to, from);
                }
                to
            }
            ExprKind::Conditional(c, a, b) => {
                let (a, b) = (val(self, a.unwrap_or(*c)), val(self, *b));
                self.merge(&[a, b])
            }
            ExprKind::Comma(_, b) => val(self, *b),
            ExprKind::Call(f, arguments) => self.call(e, *f, arguments),
            ExprKind::Index(a, i) => {
                let (a, i) = (val(self, *a), val(self, *i));
                // `i[a]`
                let pointer =
                    |v: Val| matches!(self.kind(v.ty), Kind::Pointer(_) | Kind::Array(..));
                let base = if pointer(i) && !pointer(a) { i } else { a };
                self.deref(base)
            }
            ExprKind::Field(x, name) => {
                let ty = val(self, *x).ty;
                self.member(ty, *name)
            }
            ExprKind::Arrow(x, name) => {
                let ty = match self.kind(val(self, *x).ty) {
                    Kind::Pointer(to) | Kind::Array(to, _) => to,
                    _ => Type::Unknown,
                };
                self.member(ty, *name)
            }
            ExprKind::Cast(ty, x) => {
                let x = val(self, *x);
                self.cast(Type::of(self.u, *ty), x)
            }
            ExprKind::Compound(ty, init) => {
                let to = self.new_object(Type::of(self.u, *ty));
                self.init(to, *init);
                to
            }
            ExprKind::Block(s) => {
                let StmtKind::Block(body, _) = &unit.stmt(*s).kind else { return Val::NOTHING };
                match body.last().map(|s| &unit.stmt(*s).kind) {
                    Some(StmtKind::Expr(x)) => val(self, *x),
                    _ => Val::NOTHING,
                }
            }
            ExprKind::VaArg(_, ty) => Val::new(What::Unknown, Type::of(self.u, *ty)),
            ExprKind::Generic(_, arms) => {
                let arms: Vec<Val> = arms.iter().map(|&a| val(self, a)).collect();
                self.merge(&arms)
            }
            _ => Val::NOTHING,
        }
    }

    fn deref(&mut self, x: Val) -> Val {
        let (what, ty) = match self.kind(x.ty) {
            Kind::Function(_) => return x,
            Kind::Pointer(to) => match (self.kind(to), x.what) {
                (Kind::Function(_), _) => (x.what, to),
                (_, What::Into(cell)) => (What::Cell(cell), to),
                (Kind::Unknown, What::Cell(cell)) => (self.somewhere(cell), to),
                _ => (What::Unknown, to),
            },
            Kind::Array(element, _) => match x.what {
                What::Cell(cell) | What::Into(cell) => (What::Cell(cell), element),
                _ => (What::Unknown, element),
            },
            Kind::Unknown => match x.what {
                What::Into(cell) => (What::Cell(cell), Type::Unknown),
                What::Cell(cell) => (self.somewhere(cell), Type::Unknown),
                _ => (What::Unknown, Type::Unknown),
            },
            Kind::Void | Kind::Data | Kind::Record(..) => (What::Unknown, Type::Data),
        };
        Val::new(what, ty)
    }

    /// `*x` for an `x` of which it is not known whether it is a function or points to memory.
    fn somewhere(&mut self, x: Cell) -> What {
        let cell = self.c.cell();
        self.c.flow(x, cell);
        self.expose(cell);
        What::Cell(cell)
    }

    fn address(&mut self, x: Val) -> Val {
        if let Kind::Function(_) = self.kind(x.ty) {
            return x;
        }
        let what = match x.what {
            What::Cell(cell) => What::Into(cell),
            What::Into(cell) => {
                self.expose(cell);
                What::Unknown
            }
            _ => What::Unknown,
        };
        // Of an unknown type, it could be a function.
        if let (Type::Unknown, What::Into(cell)) = (x.ty, what) {
            self.expose(cell);
            return x;
        }
        Val::new(what, x.ty.pointer())
    }

    /// The result of arithmetic.
    fn computed(&mut self, a: Val, b: Val) -> Val {
        for x in [a, b] {
            match self.kind(x.ty) {
                Kind::Pointer(_) => return Val { from: Type::Unknown, ..x },
                Kind::Array(element, _) => {
                    return match x.what {
                        What::Cell(cell) | What::Into(cell) => {
                            Val::new(What::Into(cell), element.pointer())
                        }
                        what => Val::new(what, element.pointer()),
                    };
                }
                _ => {}
            }
        }
        match (a.what, b.what) {
            (What::Nothing, What::Nothing) => Val::NOTHING,
            (What::Cell(_) | What::Into(_), _) | (_, What::Cell(_) | What::Into(_)) => {
                let val = self.merge(&[a, b]);
                Val { ty: Type::Unknown, ..val }
            }
            _ => Val::new(What::Unknown, Type::Data),
        }
    }

    fn cast(&mut self, ty: Type, x: Val) -> Val {
        let from = if x.from == Type::Unknown { x.ty } else { x.from };
        self.pun(ty, from);
        let what = match self.class(ty) {
            Class::Followed => match x.what {
                What::Into(cell) => {
                    self.expose(cell);
                    What::Unknown
                }
                What::Cell(cell) if self.is_array(x.ty) => {
                    self.expose(cell);
                    What::Unknown
                }
                what => what,
            },
            Class::Data | Class::Record => {
                // `*(void **) &f`
                let followed = match self.kind(ty) {
                    Kind::Pointer(to) => self.class(to) == Class::Followed,
                    _ => false,
                };
                match x.what {
                    What::Into(cell) if followed => What::Into(cell),
                    What::Nothing => What::Nothing,
                    _ if self.kind(ty) == Kind::Void => What::Nothing,
                    _ => {
                        if let Place::Cell(cell) = self.source(x) {
                            self.c.escape(cell);
                        }
                        What::Unknown
                    }
                }
            }
        };
        // What it is cast to says less, if it is no record.
        let from = match self.record_behind(ty) {
            Some(_) => Type::Unknown,
            None => from,
        };
        Val { what, ty, from }
    }

    // Calls.

    fn callee(&mut self, e: ExprId) -> Callee {
        let mut e = e;
        loop {
            match self.unit.expr(e).kind {
                ExprKind::Unary(Unary::Deref | Unary::Address, x) => e = x,
                ExprKind::Name(sym) => {
                    return match self.env.get(&sym) {
                        Some(Local::Func(f)) => Callee::Func(*f),
                        Some(Local::Val(val)) => match self.kind(val.ty) {
                            // Declared in a block, and nowhere else.
                            Kind::Function(_) if val.what == What::Unknown => Callee::Undeclared,
                            _ => Callee::Pointer,
                        },
                        None => {
                            let entity = self.linked.scopes[self.u].get(&sym).copied();
                            let name = self.unit.name(sym);
                            match entity.or_else(|| self.linked.extern_named(name)) {
                                Some(Entity::Func(f)) => Callee::Func(f),
                                Some(_) => Callee::Pointer,
                                None => Callee::Undeclared,
                            }
                        }
                    };
                }
                _ => return Callee::Pointer,
            }
        }
    }

    fn call(&mut self, e: ExprId, f: ExprId, arguments: &[ExprId]) -> Val {
        let args: Vec<Val> = arguments.iter().map(|a| self.vals[a.index()]).collect();
        let f = match self.callee(f) {
            Callee::Func(f) => f,
            Callee::Undeclared => {
                let name = match self.unit.expr(f).kind {
                    ExprKind::Name(sym) => self.unit.name(sym),
                    _ => "",
                };
                match (name, &args[..]) {
                    (
                        "__builtin_expect"
                        | "__builtin_expect_with_probability"
                        | "__builtin_assume_aligned",
                        [first, ..],
                    ) => return *first,
                    ("__builtin_choose_expr", [_, a, b]) => return self.merge(&[*a, *b]),
                    _ => {}
                }
                self.outside(name, &args);
                return Val::UNKNOWN;
            }
            Callee::Pointer => return self.call_pointer(e, f, &args),
        };
        let func = &self.linked.funcs[f.index()];
        if func.body.is_some() {
            for (i, &arg) in args.iter().enumerate() {
                let to = self.slot(f, Some(i));
                self.assign(to, arg);
            }
            return self.slot(f, None);
        }
        let ty = func.ty.map_or(Type::Unknown, |t| Type::At(t, 0));
        let name = func.name.clone();
        self.outside(&name, &args);
        let Kind::Function(ty) = self.kind(ty) else { return Val::UNKNOWN };
        if !keeps(&name) {
            // New memory, or a place in an argument; but never a function.
            return match self.class(ty) {
                Class::Followed => Val::new(What::Nothing, ty),
                _ => Val::new(What::Unknown, ty),
            };
        }
        self.give(ty);
        Val::new(What::Unknown, ty)
    }

    /// F7, and F8 for what copies memory.
    fn outside(&mut self, name: &str, args: &[Val]) {
        let from = |v: &Val| if v.from == Type::Unknown { v.ty } else { v.from };
        let keeps = keeps(name);
        if let (
            "memcpy" | "memmove" | "mempcpy" | "memccpy" | "wmemcpy" | "wmemmove" | "bcopy",
            [a, b, ..],
        ) = (plain_name(name), args)
        {
            let (a, b) = (from(a), from(b));
            self.pun(a, b);
            self.bytes(a, b);
            self.bytes(b, a);
        }
        for arg in args {
            let place = self.source(*arg);
            if keeps {
                if let Place::Cell(cell) = place {
                    self.c.escape(cell);
                }
                self.give(from(arg));
            }
        }
    }

    fn call_pointer(&mut self, e: ExprId, f: ExprId, args: &[Val]) -> Val {
        let f = self.vals[f.index()];
        let ty = match f.ty {
            Type::At(ty, _) => Some(ty),
            _ => None,
        };
        let result = match self.kind(f.ty) {
            Kind::Function(result) => result,
            Kind::Pointer(to) => match self.kind(to) {
                Kind::Function(result) => result,
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        };
        let fits = self.linked.fitting_list(ty, args.len());
        let callee = self.source(f);
        let args = args.iter().map(|&a| self.source(a)).collect();
        let to = self.new_object(result);
        let cell = match to.what {
            What::Cell(cell) => Some(cell),
            _ => None,
        };
        let site = self.c.site(Site { callee, args, result: cell, fits });
        self.sites.push(((self.u as u32, e), site));
        to
    }
}
