//! Trees → constraints on function pointers ([`crate::andersen`]): what calls through pointers reach.
//!
//! Values of these types are followed: functions and pointers to them, `void *`, and what has no known
//! type. A value of any other type is data. Pointers to records whose members are known, to numbers other
//! than characters and to pointers are *plain*: what goes through `void *` variables to or from them is no function.
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
//!   function that becomes data (`(long) f`, `(char *) p`) escapes; data that becomes a function is
//!   unknown. Between plain pointers and `void *` nothing flows.
//! - F6 (address): where `&x`, or the array `x`, goes further than `*`, `[]` and arithmetic, `x` is
//!   unknown memory.
//! - F7 (outside): arguments of functions without a body escape and their results are unknown, unless
//!   the library's function keeps nothing; what is printed (`%p`) escapes. Members of the records that they point to, by any number of
//!   links, are unknown memory. So are variables that no unit defines. In a program without `main`,
//!   callers from outside may pass functions to parameters and variables that other units can see, and
//!   get those that are in such variables and in results.
//! - F8 (another type): where a pointer to one record becomes a pointer to another one, by a cast, an
//!   assignment or `memcpy`, and none of them is part of the other, their members flow into each other.
//! - F9 (no type): a member of something without a known type is any member of that name.
//!
//! - F10 (unseen): a record that passes through `void *` or bytes may come out as any other one that does,
//!   if they are few ([`MAX_UNSEEN`]).
//!
//! Not followed: in programs with many records, those that pass through `void *`, or through bytes, and come
//! out as another type, which is told; and what callers from outside store into the program's records. Rejected: records that are copied to or
//! from bytes as unknown memory; most of these copies put a string behind the record.

mod expressions;
mod initialisers;
mod types;

use crate::andersen::{Cell, Constraints, Place, Signature, Targets};
use crate::link::{Entity, Linked};
use crate::objects::{FuncId, ObjectId, TypeRef};
use crate::tree::{
    Declaration, ExprId, ForInit, Function, Init, InitId, Item, RecordId, StmtId, StmtKind,
    Storage, Sym, TypeId, TypeKind, Unit,
};
use crate::{library, plain_name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What calls through pointers reach, by unit and expression.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    sites: FxHashMap<(u32, ExprId), Targets>,
    /// Functions that code which is not read may call.
    pub(crate) escaped: Vec<FuncId>,
    /// Records are followed through `void *` and bytes, whatever comes out of it.
    pub(crate) records: bool,
}

/// The most records with function pointers that are followed through `void *`.
const MAX_UNSEEN: usize = 16;

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
        unseen: BTreeSet::new(),
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
    let followed = flows.pun_unseen();
    let Flows { linked, c, signatures, sites, .. } = flows;
    let funcs = &linked.funcs;
    let (targets, escaped) =
        c.solve(linked.fit_lists(), &signatures, |f| keeps(&funcs[f.index()].name))?;
    let mut resolved = Resolved { escaped, records: followed, ..Resolved::default() };
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
    /// Records that pass through something that is none.
    unseen: BTreeSet<u32>,
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
            What::Unknown if self.is_plain(val.ty) => Place::Nothing,
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
            (What::Unknown | What::Into(_), Place::Cell(from))
                if self.is_function(val.ty) || !self.is_plain(to.ty) =>
            {
                self.c.escape(from);
            }
            _ => {}
        }
    }

    /// One of several values.
    fn merge(&mut self, vals: &[Val]) -> Val {
        let precise = |v: &&Val| match self.kind(v.ty) {
            Kind::Unknown | Kind::Data | Kind::Void => false,
            Kind::Pointer(to) => self.kind(to) != Kind::Void,
            _ => true,
        };
        let ty = vals.iter().find(precise).or(vals.first()).map_or(Type::Data, |v| v.ty);
        let some: Vec<Val> = vals.iter().copied().filter(|v| v.what != What::Nothing).collect();
        let Some(&first) = some.first() else { return Val::new(What::Nothing, ty) };
        if let [only] = some[..] {
            return match self.is_array(only.ty) {
                true => only,
                false => Val { ty, ..only },
            };
        }
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
        let visible = self.open && object.external;
        let (ty, defined) = (object.ty, object.defined);
        let ty = ty.map_or(Type::Unknown, |t| Type::At(t, 0));
        let val = self.new_object(ty);
        match val.what {
            What::Cell(cell) if !defined => self.expose(cell),
            What::Cell(cell) if visible => {
                self.c.escape(cell);
                self.c.holds_callback(cell);
            }
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
                            self.c.holds_callback(cell);
                        }
                        Place::Cell(cell)
                    }
                    _ if self.is_plain(ty) => Place::Nothing,
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
                _ if self.is_plain(ty) => Place::Nothing,
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
}
