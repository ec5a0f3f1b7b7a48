//! Several units as one program: what the names of their file scopes mean.
//!
//! Names with external linkage are unified by their text; static ones are private to their unit.
//! Function types are reduced to keys that can be compared across units, so that a call through a
//! pointer finds the functions that fit it. Which of these can be in the pointer is another question
//! (`crate::function_pointers`).

use crate::library::never_returns;
use crate::objects::{Func, FuncId, Object, ObjectId, Reach, TypeRef};
use crate::tree::{
    Attributes, Declaration, ExprId, ExprKind, Function, Init, InitId, Item, StmtKind, Storage,
    Sym, TypeId, TypeKind, Unary, Unit,
};
pub(crate) use crate::typing::strip;
use crate::typing::{Ty, Typing};
use c_types::{Scalar, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Placed};

/// What a name of a file scope is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entity {
    /// A function.
    Func(FuncId),
    /// A variable.
    Object(ObjectId),
}

/// Units with their names resolved.
#[derive(Debug)]
pub struct Linked<'a> {
    /// The units.
    pub units: &'a [Unit],
    /// The functions.
    pub funcs: Vec<Func>,
    /// The variables of file scopes; bodies add their own.
    pub objects: Vec<Object>,
    /// What was noticed.
    pub warnings: Vec<Placed>,
    pub(crate) scopes: Vec<FxHashMap<Sym, Entity>>,
    /// The values of the enumerators of each unit.
    pub(crate) enumerators: Vec<Vec<Option<Value>>>,
    /// Units of which a definition was left out.
    left: FxHashSet<usize>,
    /// There are several functions `main`: several programs.
    several_mains: bool,
    /// What other declarations say of a variable.
    also: Vec<(ObjectId, TypeRef)>,
    /// Names that stand for something else: unit, name, the other name, whether only a definition counts.
    aliases: Vec<(usize, Sym, String, bool)>,
    externs: FxHashMap<String, Entity>,
    keys: Vec<Vec<u32>>,
    key_table: Keys,
    taken: Vec<FuncId>,
    fitting: FxHashMap<(u32, usize), usize>,
    fit_lists: Vec<Vec<FuncId>>,
}

/// Types, structurally.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Unknown,
    Void,
    Base(String),
    Record(String),
    Pointer(u32),
    Function { result: u32, params: Vec<u32>, variadic: bool, unprototyped: bool },
}

#[derive(Debug, Default)]
struct Keys {
    items: Vec<Key>,
    ids: FxHashMap<Key, u32>,
}

impl Keys {
    fn add(&mut self, key: Key) -> u32 {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.items.len() as u32;
        self.items.push(key.clone());
        self.ids.insert(key, id);
        id
    }

    /// Whether values of both types may pass for each other: equal types, pointers to `void`, and
    /// what is not known.
    fn compatible(&self, mut a: u32, mut b: u32) -> bool {
        loop {
            if a == b {
                return true;
            }
            match (&self.items[a as usize], &self.items[b as usize]) {
                (Key::Unknown, _) | (_, Key::Unknown) => return true,
                (Key::Pointer(x), Key::Pointer(y)) => {
                    let void = |k: u32| matches!(self.items[k as usize], Key::Void);
                    if void(*x) || void(*y) {
                        return true;
                    }
                    (a, b) = (*x, *y);
                }
                // Pointers to functions within signatures are not compared any further.
                (Key::Function { .. }, Key::Function { .. }) => return true,
                _ => return false,
            }
        }
    }

    /// Whether a function of the second type can be called through the first one.
    fn fits(&self, call: u32, func: u32, arguments: usize) -> bool {
        let (
            Key::Function { result, params, variadic, unprototyped },
            Key::Function { result: r, params: p, variadic: v, unprototyped: u },
        ) = (&self.items[call as usize], &self.items[func as usize])
        else {
            return false;
        };
        let void = |k: u32| matches!(self.items[k as usize], Key::Void);
        // A result that is not used may be of any type only where types are not known at all.
        if void(*result) != void(*r) || !self.compatible(*result, *r) {
            return false;
        }
        if *unprototyped || *u {
            return *u || *v || p.len() == arguments;
        }
        variadic == v
            && params.len() == p.len()
            && params.iter().zip(p).all(|(&a, &b)| self.compatible(a, b))
    }
}

/// The file that a unit is made from, as its first line marker says.
pub fn main_file(unit: &Unit) -> &str {
    unit.files().get(1).map_or("", String::as_str)
}

/// Resolves the names of the units' file scopes.
pub fn link(units: &[Unit]) -> Linked<'_> {
    let mut linked = Linked {
        units,
        funcs: Vec::new(),
        objects: Vec::new(),
        warnings: Vec::new(),
        scopes: Vec::new(),
        enumerators: Vec::new(),
        left: FxHashSet::default(),
        several_mains: false,
        also: Vec::new(),
        aliases: Vec::new(),
        externs: FxHashMap::default(),
        keys: Vec::new(),
        key_table: Keys::default(),
        taken: Vec::new(),
        fitting: FxHashMap::default(),
        fit_lists: Vec::new(),
    };
    for (u, unit) in units.iter().enumerate() {
        linked.scopes.push(FxHashMap::default());
        let keys = linked.type_keys(unit);
        linked.keys.push(keys);
        linked.enumerators(u);
        for (i, item) in unit.items.iter().enumerate() {
            match item {
                Item::Function(f) => linked.define(u, i, f),
                Item::Declaration(d) => linked.declare(u, d),
            }
        }
        // A declaration in a block may say, too, that a name stands for something else.
        for stmt in &unit.stmts {
            let StmtKind::Declare(list) = &stmt.kind else { continue };
            let renames = |d: &&Declaration| {
                let named = d.attributes.alias.is_some() || d.attributes.asm_name.is_some();
                let kind = &unit.ty(strip(unit, d.ty)).kind;
                named && (d.storage == Storage::Extern || matches!(kind, TypeKind::Function { .. }))
            };
            list.iter().filter(renames).for_each(|d| linked.declare(u, d));
        }
        for problem in &unit.problems {
            let name = problem.function.map(|f| unit.name(f));
            let (file, line) = unit.place(problem.at);
            let message = match name {
                Some(name) => format!("`{name}` is left out: {}", problem.message),
                None if line == 0 => format!("the file is left out: {}", problem.message),
                None => format!("a declaration is left out: {}", problem.message),
            };
            linked.warnings.push(Placed {
                file: file.to_owned(),
                line,
                column: problem.at.column,
                diagnostic: Diagnostic::warning("c-left-out", message),
            });
        }
    }
    linked.same_by_name();
    linked.resolvers();
    for o in 0..linked.objects.len() {
        let ty = linked.objects[o].ty;
        (linked.objects[o].scalar, linked.objects[o].volatile) = linked.value_of(ty);
    }
    linked.disagreements();
    for u in 0..units.len() {
        linked.mentions(u);
        linked.left_out(u);
    }
    for u in 0..units.len() {
        linked.fixed(u);
    }
    for u in 0..units.len() {
        linked.constant_functions(u);
    }
    linked.unique_names();
    let taken = (0..linked.funcs.len() as u32).map(FuncId);
    linked.taken = taken.filter(|f| linked.funcs[f.index()].address_taken).collect();
    linked
}

impl Linked<'_> {
    /// The values of a unit's enumerators, one after the other.
    fn enumerators(&mut self, u: usize) {
        let unit = &self.units[u];
        self.enumerators.push(Vec::with_capacity(unit.enumerators.len()));
        for e in &unit.enumerators {
            let value = match (e.value, e.first) {
                (Some(value), _) => {
                    let value = Typing { linked: self, u, name: &|_| None }.constant(value);
                    // Beyond `int` compilers differ.
                    value.and_then(|v| Value::of(Scalar::INT, v.number(), &unit.model))
                }
                (None, true) => Some(Value::int(0)),
                (None, false) => {
                    let last = self.enumerators[u].last().copied().flatten();
                    last.and_then(|v| Value::of(Scalar::INT, v.number() + 1, &unit.model))
                }
            };
            self.enumerators[u].push(value);
        }
    }

    /// Names that an attribute, or the name for the linker, makes stand for something else.
    fn note_alias(&mut self, u: usize, name: Sym, attributes: &Attributes) {
        let unit = &self.units[u];
        let text = |sym: Sym| unit.name(sym).trim_matches('"').to_owned();
        if let Some(other) = attributes.alias {
            self.aliases.push((u, name, text(other), false));
        } else if let Some(other) = attributes.asm_name {
            self.aliases.push((u, name, text(other), true));
        }
    }

    /// One entity for all names of the same thing.
    fn same_by_name(&mut self) {
        for (u, name, other, defined) in std::mem::take(&mut self.aliases) {
            let unit = &self.units[u];
            let here = unit.sym(&other).and_then(|sym| self.scopes[u].get(&sym)).copied();
            let found = here.or_else(|| self.externs.get(&other).copied());
            let is_defined = |entity: Entity| match entity {
                Entity::Func(f) => self.funcs[f.index()].body.is_some(),
                Entity::Object(o) => self.objects[o.index()].defined,
            };
            let (old, new) = match (self.scopes[u].get(&name).copied(), found) {
                (Some(old), Some(new)) if !defined || is_defined(new) => (old, new),
                // What others call by the name for the linker is what is defined here.
                (Some(new), Some(old)) if is_defined(new) => (old, new),
                (Some(new), None) if is_defined(new) => {
                    self.externs.insert(other, new);
                    continue;
                }
                _ => continue,
            };
            if std::mem::discriminant(&old) != std::mem::discriminant(&new) || old == new {
                continue;
            }
            let same = |entity: &mut Entity| {
                if *entity == old {
                    *entity = new;
                }
            };
            self.scopes.iter_mut().flat_map(|s| s.values_mut()).for_each(same);
            self.externs.values_mut().for_each(same);
            if let (Entity::Object(old), Entity::Object(new)) = (old, new) {
                let external = self.objects[old.index()].external;
                self.objects[new.index()].external |= external;
            }
        }
    }

    /// Where files disagree about the type of a variable, nothing is known of its value.
    fn disagreements(&mut self) {
        for (o, ty) in std::mem::take(&mut self.also) {
            let (scalar, volatile) = self.value_of(Some(ty));
            let object = &self.objects[o.index()];
            if object.volatile || (object.scalar == scalar && !volatile) {
                continue;
            }
            let name = object.name.clone();
            self.objects[o.index()].volatile = true;
            if let (Some((u, at)), false) = (self.objects[o.index()].at, volatile) {
                let (file, line) = self.units[u as usize].place(at);
                let message =
                    format!("files disagree about the type of `{name}`; it may be anything");
                self.warnings.push(Placed {
                    file: file.to_owned(),
                    line,
                    column: at.column,
                    diagnostic: Diagnostic::warning("c-types-disagree", message),
                });
            }
        }
    }

    /// Functions that tell, before `main`, which function another name is.
    fn resolvers(&mut self) {
        for u in 0..self.units.len() {
            let unit = &self.units[u];
            let names = unit.items.iter().filter_map(|item| match item {
                Item::Function(f) => f.attributes.ifunc,
                Item::Declaration(d) => d.attributes.ifunc,
            });
            for name in names {
                let sym = unit.sym(unit.name(name).trim_matches('"'));
                if let Some(Entity::Func(f)) = sym.and_then(|sym| self.scopes[u].get(&sym)) {
                    self.funcs[f.index()].by_itself = true;
                }
            }
        }
    }

    /// Whether all of a unit was read, and counts.
    pub(crate) fn is_whole(&self, u: usize) -> bool {
        self.units[u].problems.is_empty() && !self.left.contains(&u)
    }

    /// What could not be read of a unit may do anything with what the unit has.
    fn left_out(&mut self, u: usize) {
        if self.is_whole(u) {
            return;
        }
        // Of a file of which nothing was read, nobody knows what it declares.
        let others = self.externs.values().filter(|_| self.units[u].items.is_empty());
        for entity in self.scopes[u].values().chain(others) {
            match entity {
                Entity::Func(f) => self.funcs[f.index()].address_taken = true,
                Entity::Object(o) => {
                    self.objects[o.index()].address_taken = true;
                    self.objects[o.index()].external = true;
                }
            }
        }
    }

    /// The function with external linkage and the given name.
    pub(crate) fn extern_function(&mut self, name: &str) -> FuncId {
        if let Some(Entity::Func(f)) = self.externs.get(name) {
            return *f;
        }
        let f = self.new_function(name, false);
        self.externs.insert(name.to_owned(), Entity::Func(f));
        f
    }

    /// What has external linkage and the given name, if there is anything.
    pub(crate) fn extern_named(&self, name: &str) -> Option<Entity> {
        self.externs.get(name).copied()
    }

    fn new_function(&mut self, name: &str, is_static: bool) -> FuncId {
        let id = FuncId(self.funcs.len() as u32);
        self.funcs.push(Func {
            name: name.to_owned(),
            unique: name.to_owned(),
            body: None,
            is_static,
            noreturn: never_returns(name),
            address_taken: false,
            ty: None,
            constant: None,
            by_itself: false,
            weak: false,
            twice: false,
            const_params: Vec::new(),
            result_names: 0,
            result: None,
        });
        id
    }

    /// The variable with external linkage and the given name.
    pub(crate) fn extern_object(&mut self, u: usize, d: &Declaration) -> ObjectId {
        let name = self.units[u].name(d.name);
        if let Some(Entity::Object(o)) = self.externs.get(name) {
            return *o;
        }
        let id = self.new_object(u, d);
        self.objects[id.index()].external = true;
        self.externs.insert(name.to_owned(), Entity::Object(id));
        id
    }

    pub(crate) fn new_object(&mut self, u: usize, d: &Declaration) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        let name = self.units[u].name(d.name).to_owned();
        let ty = Some(TypeRef { unit: u as u32, ty: d.ty });
        self.objects.push(Object {
            defined: d.storage != Storage::Extern,
            at: Some((u as u32, d.at)),
            ..Object::new(name, Reach::Var, ty)
        });
        id
    }

    fn declare(&mut self, u: usize, d: &Declaration) {
        let unit = &self.units[u];
        let known = self.scopes[u].get(&d.name).copied();
        if matches!(unit.ty(strip(unit, d.ty)).kind, TypeKind::Function { .. }) {
            let f = match known {
                Some(Entity::Func(f)) => f,
                _ if d.storage == Storage::Static => self.new_function(unit.name(d.name), true),
                _ => self.extern_function(unit.name(d.name)),
            };
            self.function_facts(u, f, &d.attributes, d.ty);
            self.scopes[u].insert(d.name, Entity::Func(f));
            self.note_alias(u, d.name, &d.attributes);
            return;
        }
        let object = match known {
            Some(Entity::Object(o)) => o,
            _ if d.storage == Storage::Static => self.new_object(u, d),
            _ => self.extern_object(u, d),
        };
        self.also.push((object, TypeRef { unit: u as u32, ty: d.ty }));
        // `extern int a[];` says less than `int a[3];`.
        if d.storage != Storage::Extern {
            self.objects[object.index()].ty = Some(TypeRef { unit: u as u32, ty: d.ty });
            self.objects[object.index()].at = Some((u as u32, d.at));
            self.objects[object.index()].defined = true;
        }
        self.scopes[u].insert(d.name, Entity::Object(object));
        self.note_alias(u, d.name, &d.attributes);
    }

    fn function_facts(&mut self, u: usize, f: FuncId, attributes: &Attributes, ty: TypeId) {
        let func = &mut self.funcs[f.index()];
        func.noreturn |= attributes.noreturn;
        func.by_itself |= attributes.constructor || attributes.destructor;
        func.weak |= attributes.weak;
        let unprototyped = func.ty.is_none_or(|t| {
            let unit = &self.units[t.unit as usize];
            matches!(unit.ty(strip(unit, t.ty)).kind, TypeKind::Function { unprototyped: true, .. })
        });
        if unprototyped {
            func.ty = Some(TypeRef { unit: u as u32, ty });
        }
    }

    fn define(&mut self, u: usize, item: usize, f: &Function) {
        let unit = &self.units[u];
        let name = unit.name(f.name);
        let id = match self.scopes[u].get(&f.name) {
            Some(Entity::Func(f)) => *f,
            _ if f.storage == Storage::Static => self.new_function(name, true),
            _ => self.extern_function(name),
        };
        // Each `main` of several files is that of a program.
        let id = match self.funcs[id.index()].body {
            Some((other, _)) if name == "main" && other != u && f.storage != Storage::Static => {
                self.several_mains = true;
                self.new_function(name, false)
            }
            _ => id,
        };
        self.scopes[u].insert(f.name, Entity::Func(id));
        self.function_facts(u, id, &f.attributes, f.ty);
        self.note_alias(u, f.name, &f.attributes);
        let func = &mut self.funcs[id.index()];
        // A definition that is weak gives way to another one.
        let gives_way = |(u, item): (usize, usize)| match &self.units[u].items[item] {
            Item::Function(f) => f.attributes.weak,
            Item::Declaration(_) => false,
        };
        if f.attributes.weak && func.body.is_some() {
            return;
        }
        if let Some((other, _)) = func.body.filter(|&body| !gives_way(body)) {
            let (file, line) = unit.place(f.at);
            // Inline functions of headers are the same everywhere.
            let first = &self.units[other];
            let same = first
                .functions()
                .any(|g| first.name(g.name) == name && first.place(g.at) == (file, line));
            if !same {
                func.twice = true;
                self.left.insert(u);
                let message = format!("`{name}` is defined twice; this definition is left out");
                self.warnings.push(Placed {
                    file: file.to_owned(),
                    line,
                    column: f.at.column,
                    diagnostic: Diagnostic::warning("c-defined-twice", message),
                });
            }
            return;
        }
        func.body = Some((u, item));
        // These may well be the program's own.
        func.noreturn &= f.attributes.noreturn || !never_returns(name);
    }

    /// Functions that are mentioned without being called, and variables whose address is taken: by `&`,
    /// or because an array stands for its address.
    fn mentions(&mut self, u: usize) {
        let unit = &self.units[u];
        // Where a name is called, or an array only indexed, its address goes nowhere. Of a file with tables for the
        // loader, all else may be in one.
        let loaded = unit.extra.tables > 0;
        let mut direct: FxHashSet<ExprId> = FxHashSet::default();
        for e in &unit.exprs {
            match e.kind {
                ExprKind::Call(f, _) => direct.extend([f]),
                ExprKind::Index(a, _) | ExprKind::SizeOf(a) => direct.extend([a]),
                _ => {}
            }
        }
        for (i, e) in unit.exprs.iter().enumerate() {
            match e.kind {
                ExprKind::Name(sym) if !direct.contains(&ExprId(i as u32)) => {
                    match self.scopes[u].get(&sym) {
                        Some(Entity::Func(f)) => {
                            let func = &mut self.funcs[f.index()];
                            func.address_taken = true;
                            func.by_itself |= loaded;
                        }
                        Some(Entity::Object(o)) => {
                            let array = self.objects[o.index()].ty.is_some_and(|t| {
                                let unit = &self.units[t.unit as usize];
                                matches!(unit.ty(strip(unit, t.ty)).kind, TypeKind::Array(..))
                            });
                            self.objects[o.index()].address_taken |= array;
                        }
                        None => {}
                    }
                }
                ExprKind::Unary(Unary::Address, x) => {
                    if let Some(sym) = root_name(unit, x)
                        && let Some(Entity::Object(o)) = self.scopes[u].get(&sym)
                    {
                        self.objects[o.index()].address_taken = true;
                    }
                }
                _ => {}
            }
        }
    }

    /// Static variables that nothing changes, and constants, keep their initial value.
    fn fixed(&mut self, u: usize) {
        let unit = &self.units[u];
        let mut changed: FxHashSet<Sym> = FxHashSet::default();
        for e in &unit.exprs {
            let target = match e.kind {
                ExprKind::Assign(_, left, _) => Some(left),
                ExprKind::Unary(Unary::Step { .. } | Unary::Address | Unary::Part, x) => Some(x),
                _ => None,
            };
            changed.extend(target.and_then(|x| root_name(unit, x)));
        }
        // Assembler may name what it likes, and so may what could not be read.
        let mut open = unit.assembler || !self.is_whole(u);
        for s in &unit.stmts {
            if let StmtKind::Asm(asm) = &s.kind {
                open |= asm.memory;
                let operands = asm.outputs.iter().chain(&asm.inputs);
                changed.extend(operands.filter_map(|&x| root_name(unit, x)));
            }
        }
        for item in &unit.items {
            let Item::Declaration(d) = item else { continue };
            let ty = unit.ty(strip(unit, d.ty));
            let is_const = ty.is_const || unit.ty(d.ty).is_const;
            let Some(Entity::Object(o)) = self.scopes[u].get(&d.name).copied() else { continue };
            let at = TypeRef { unit: u as u32, ty: d.ty };
            let private = d.storage == Storage::Static
                && !open
                && !changed.contains(&d.name)
                && !self.objects[o.index()].address_taken
                && !self.objects[o.index()].external;
            let named = d.attributes.alias.is_some() || d.attributes.weak || self.is_volatile(at);
            if named || !(private || is_const) {
                continue;
            }
            let (Some(init), Some(to)) = (d.init, self.scalar(Ty::At(at))) else { continue };
            let value = scalar_initialiser(unit, init).and_then(|e| self.value(u, e));
            self.objects[o.index()].fixed = value.and_then(|v| v.convert(to, &unit.model));
        }
    }

    /// The scalar type of what a declared thing holds, and whether it may change at any time.
    pub(crate) fn value_of(&self, ty: Option<TypeRef>) -> (Option<Scalar>, bool) {
        match ty {
            Some(ty) => (self.scalar(Ty::At(ty)), self.is_volatile(ty)),
            None => (None, true),
        }
    }

    /// The number that an initialiser of a file scope gives a scalar; none if that is not certain.
    pub(crate) fn initial(&self, u: usize, init: InitId, to: Option<Scalar>) -> Option<i64> {
        let unit = &self.units[u];
        let value = self.value(u, scalar_initialiser(unit, init)?)?;
        i64::try_from(value.convert(to?, &unit.model)?.number()).ok()
    }

    /// The value of an expression of a unit's file scope.
    pub(crate) fn value(&self, u: usize, e: ExprId) -> Option<Value> {
        let scope = &self.scopes[u];
        Typing { linked: self, u, name: &|sym| scope.get(&sym).copied() }.constant(e)
    }

    fn constant_functions(&mut self, u: usize) {
        let unit = &self.units[u];
        for (i, item) in unit.items.iter().enumerate() {
            let Item::Function(f) = item else { continue };
            let StmtKind::Block(body, _) = &unit.stmt(f.body).kind else { continue };
            let TypeKind::Function { result, .. } = unit.ty(strip(unit, f.ty)).kind else {
                continue;
            };
            if let [only] = body[..]
                && let StmtKind::Return(Some(e)) = unit.stmt(only).kind
                && f.params.is_empty()
                && let Some(Entity::Func(id)) = self.scopes[u].get(&f.name).copied()
                && self.funcs[id.index()].body == Some((u, i))
                && !self.funcs[id.index()].weak
            {
                let to = self.scalar(Ty::At(TypeRef { unit: u as u32, ty: result }));
                let value = self.value(u, e).zip(to);
                self.funcs[id.index()].constant =
                    value.and_then(|(v, to)| v.convert(to, &unit.model));
            }
        }
    }

    fn unique_names(&mut self) {
        let mut count: FxHashMap<&str, u32> = FxHashMap::default();
        for f in &self.funcs {
            *count.entry(&f.name).or_default() += 1;
        }
        let mut used: FxHashSet<String> = FxHashSet::default();
        let mut names = Vec::with_capacity(self.funcs.len());
        for f in &self.funcs {
            let mut name = f.name.clone();
            let several = self.several_mains && f.name == "main";
            if count[f.name.as_str()] > 1
                && (f.is_static || several)
                && let Some((u, _)) = f.body
            {
                let file = main_file(&self.units[u]);
                let file = file.rsplit('/').next().unwrap_or(file);
                name = format!("{name}@{file}");
            }
            let base = name.clone();
            let mut n = 1;
            while !used.insert(name.clone()) {
                n += 1;
                name = format!("{base}#{n}");
            }
            names.push(name);
        }
        for (f, name) in self.funcs.iter_mut().zip(names) {
            f.unique = name;
        }
        // Variables, likewise.
        let mut used: FxHashSet<String> = FxHashSet::default();
        for o in &mut self.objects {
            let base = o.name.clone();
            let mut n = 1;
            while !used.insert(o.name.clone()) {
                n += 1;
                o.name = format!("{base}#{n}");
            }
        }
    }

    // Types.

    fn type_keys(&mut self, unit: &Unit) -> Vec<u32> {
        let table = &mut self.key_table;
        let mut out: Vec<u32> = Vec::with_capacity(unit.types.len());
        for ty in &unit.types {
            // Parts come before what is made of them; K&R parameters do not, and do not count.
            let part = |out: &[u32], table: &mut Keys, t: TypeId| match out.get(t.index()) {
                Some(&key) => key,
                None => table.add(Key::Unknown),
            };
            let key = match &ty.kind {
                TypeKind::Void => Key::Void,
                TypeKind::Base(sym) => Key::Base(unit.name(*sym).to_owned()),
                TypeKind::Enum(_) => Key::Base("int".to_owned()),
                TypeKind::Named(sym, t) => match &unit.ty(*t).kind {
                    TypeKind::Record(r) if unit.records[r.index()].name.is_none() => {
                        Key::Record(format!("typedef {}", unit.name(*sym)))
                    }
                    _ => {
                        let key = part(&out, table, *t);
                        out.push(key);
                        continue;
                    }
                },
                TypeKind::Record(r) => match unit.records[r.index()].name {
                    Some(name) => Key::Record(unit.name(name).to_owned()),
                    None => Key::Unknown,
                },
                TypeKind::Pointer(t) | TypeKind::Array(t, _) => {
                    let t = part(&out, table, *t);
                    Key::Pointer(t)
                }
                TypeKind::Function { result, params, variadic, unprototyped } => {
                    let result = part(&out, table, *result);
                    let params = match unprototyped {
                        true => params.iter().map(|_| table.add(Key::Unknown)).collect(),
                        false => params
                            .iter()
                            .map(|p| {
                                let key = part(&out, table, p.ty);
                                // A parameter that is a function is a pointer to one.
                                match table.items[key as usize] {
                                    Key::Function { .. } => table.add(Key::Pointer(key)),
                                    _ => key,
                                }
                            })
                            .collect(),
                    };
                    let (variadic, unprototyped) = (*variadic, *unprototyped);
                    Key::Function { result, params, variadic, unprototyped }
                }
                TypeKind::TypeOf(_) | TypeKind::Other(_) => Key::Unknown,
            };
            let id = table.add(key);
            out.push(id);
        }
        out
    }

    /// The functions whose address is taken that a call through an expression of the type can
    /// reach; for an unknown type, all that take so many arguments.
    pub(crate) fn fitting(&mut self, ty: Option<TypeRef>, arguments: usize) -> &[FuncId] {
        let list = self.fitting_list(ty, arguments);
        &self.fit_lists[list]
    }

    /// The lists of functions that fit, each in order.
    pub(crate) fn fit_lists(&self) -> &[Vec<FuncId>] {
        &self.fit_lists
    }

    /// The position of the list of functions that fit.
    pub(crate) fn fitting_list(&mut self, ty: Option<TypeRef>, arguments: usize) -> usize {
        let ty = ty.map(|t| {
            let unit = &self.units[t.unit as usize];
            let mut ty = strip(unit, t.ty);
            while let TypeKind::Pointer(inner) | TypeKind::Array(inner, _) = unit.ty(ty).kind {
                ty = strip(unit, inner);
            }
            self.keys[t.unit as usize][ty.index()]
        });
        let key = match ty {
            Some(key) if matches!(self.key_table.items[key as usize], Key::Function { .. }) => key,
            _ => {
                let result = self.key_table.add(Key::Unknown);
                self.key_table.add(Key::Function {
                    result,
                    params: Vec::new(),
                    variadic: false,
                    unprototyped: true,
                })
            }
        };
        if let Some(&found) = self.fitting.get(&(key, arguments)) {
            return found;
        }
        let unknown = match self.key_table.items[key as usize] {
            Key::Function { result, .. } => {
                matches!(self.key_table.items[result as usize], Key::Unknown)
            }
            _ => true,
        };
        let found: Vec<FuncId> = self
            .taken
            .iter()
            .copied()
            .filter(|f| {
                let Some(t) = self.funcs[f.index()].ty else { return true };
                let unit = &self.units[t.unit as usize];
                let func = self.keys[t.unit as usize][strip(unit, t.ty).index()];
                if unknown {
                    return match &self.key_table.items[func as usize] {
                        Key::Function { params, variadic, unprototyped, .. } => {
                            *variadic || *unprototyped || params.len() == arguments
                        }
                        _ => true,
                    };
                }
                self.key_table.fits(key, func, arguments)
            })
            .collect();
        self.fit_lists.push(found);
        self.fitting.insert((key, arguments), self.fit_lists.len() - 1);
        self.fit_lists.len() - 1
    }
}

/// The expression that initialises a scalar, through braces.
pub(crate) fn scalar_initialiser(unit: &Unit, mut init: InitId) -> Option<ExprId> {
    loop {
        match &unit.inits[init.index()] {
            Init::Expr(e) => return Some(*e),
            Init::List(list) => match &list[..] {
                [(designators, members, inner)] if designators.is_empty() && members.is_empty() => {
                    init = *inner;
                }
                _ => return None,
            },
        }
    }
}

/// The variable that an lvalue is a part of, without going through a pointer.
pub(crate) fn root_name(unit: &Unit, mut e: ExprId) -> Option<Sym> {
    loop {
        match unit.expr(e).kind {
            ExprKind::Name(sym) => return Some(sym),
            ExprKind::Field(x, _)
            | ExprKind::Index(x, _)
            | ExprKind::Cast(_, x)
            | ExprKind::Unary(Unary::Part, x) => e = x,
            _ => return None,
        }
    }
}
