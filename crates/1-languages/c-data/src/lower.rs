//! Units of C → the data program: names, linking, functions.
//!
//! One walk, driven by types: `types.rs` reads types off the tree, `expr.rs` expressions, `stmt.rs` statements,
//! `init.rs` initialisers. What is not covered becomes a statement that says so ([`StmtKind::NotCovered`]), and
//! is listed.

use crate::program::{
    At, Block, BlockId, End, Expr, ExprId, FuncId, Function, Gap, Home, Local, LocalId, Object,
    ObjectId, Program, Root, StmtKind,
};
use c_types::{Kind, Model, RecordNo, Ty, Types};
use front_c::{Declaration, Item, Place, RecordId, Storage, Sym, TypeId, Unit};
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep expressions, statements and types may nest.
pub(crate) const MAX_DEPTH: u32 = 12_000;
/// Enough for them.
const STACK_BYTES: usize = 1 << 30;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entity {
    Object(ObjectId),
    Function(FuncId),
    Local(LocalId),
    /// A local of a function around this one.
    Outside(usize, LocalId),
    /// A function inside of another one.
    Inner(usize),
}

/// A value with its type. Of an aggregate, the expression is its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) expr: ExprId,
    pub(crate) ty: Ty,
}

/// The function that is being lowered.
#[derive(Default)]
pub(crate) struct Current {
    pub(crate) id: Option<FuncId>,
    pub(crate) name: String,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) locals: Vec<Local>,
    pub(crate) blocks: Vec<Block>,
    /// Blocks that have no end yet.
    pub(crate) open: Vec<bool>,
    pub(crate) current: BlockId0,
    pub(crate) labels: FxHashMap<Sym, BlockId>,
    /// Where `break` and `continue` go.
    pub(crate) exits: Vec<Exit>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) result: Option<Ty>,
    pub(crate) variadic: bool,
    /// The marks of scopes that have allocated something of variable size.
    pub(crate) marks: Vec<Option<LocalId>>,
    /// The last line that was come to.
    pub(crate) furthest: u32,
    /// Of each open scope, the locals that live in memory and no longer than it.
    pub(crate) scoped: Vec<Vec<LocalId>>,
    /// Of each open scope, the locals for which something is called when it is left.
    pub(crate) cleanups: Vec<Vec<(LocalId, FuncId)>>,
    /// All such locals.
    pub(crate) inner: Vec<LocalId>,
    /// Of each label, those that live there.
    pub(crate) living: Vec<(BlockId, Vec<LocalId>)>,
    /// Names whose address is taken somewhere in the function.
    pub(crate) taken: FxHashSet<Sym>,
    /// Tells functions apart.
    pub(crate) serial: u32,
    /// The parameter that is the frame of the function around.
    pub(crate) chain: Option<LocalId>,
    pub(crate) frame: crate::inner::Frame,
    /// Labels that were met.
    pub(crate) placed: FxHashSet<Sym>,
    /// Of complex numbers that are known, by their address, the parts.
    pub(crate) halves: FxHashMap<ExprId, (ExprId, ExprId)>,
}

pub(crate) type BlockId0 = BlockId;

impl Default for BlockId {
    fn default() -> BlockId {
        BlockId::new(0)
    }
}

pub(crate) struct Exit {
    pub(crate) on_break: BlockId,
    pub(crate) on_continue: Option<BlockId>,
    pub(crate) scopes: usize,
}

pub(crate) struct Switch {
    pub(crate) cases: Vec<(i128, i128, BlockId)>,
    pub(crate) default: Option<BlockId>,
    pub(crate) ty: Ty,
}

/// A name that was declared again.
struct Again {
    name: Sym,
    u: usize,
    /// The type before, and the one here.
    types: (Ty, Ty),
    first: At,
    at: At,
}

pub(crate) type Lowered<T> = Result<T, Gap>;

/// The state of the walk.
pub(crate) struct Lowerer<'a> {
    pub(crate) units: &'a [Unit],
    /// How many of them are the program's own.
    pub(crate) own: usize,
    pub(crate) types: Types,
    pub(crate) files: Vec<String>,
    /// Of each unit, its files in `files`.
    file_ids: Vec<Vec<u32>>,
    pub(crate) objects: Vec<Object>,
    pub(crate) functions: Vec<Function>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) warnings: Vec<Gap>,
    pub(crate) externs: FxHashMap<String, Entity>,
    /// What each unit's file scope has.
    pub(crate) unit_scopes: Vec<FxHashMap<Sym, Entity>>,
    /// The unit that is walked.
    pub(crate) u: usize,
    pub(crate) at: At,
    pub(crate) f: Current,
    pub(crate) scopes: Vec<FxHashMap<Sym, Entity>>,
    pub(crate) type_cache: FxHashMap<(usize, TypeId), Ty>,
    pub(crate) record_ids: FxHashMap<(usize, RecordId), RecordNo>,
    pub(crate) record_sources: FxHashMap<RecordNo, (usize, RecordId)>,
    pub(crate) va_tag: Option<RecordNo>,
    pub(crate) enum_types: FxHashMap<(usize, u32), Ty>,
    pub(crate) enumerators: FxHashMap<(usize, u32), (i128, Ty)>,
    /// Counts types that are not the same each time they are met.
    pub(crate) variable_types: u32,
    /// Of arrays of variable length, the function and its local that has the number of elements.
    pub(crate) counts: Vec<(u32, LocalId)>,
    /// Functions that were begun.
    serials: u32,
    /// The functions around the one that is being lowered.
    pub(crate) outers: Vec<crate::inner::Outer>,
    pub(crate) inners: Vec<crate::inner::Inner>,
    pub(crate) prototype: bool,
    pub(crate) depth: u32,
    /// Of each unit, which expressions have effects.
    pub(crate) effects: Vec<Vec<bool>>,
    /// Of each unit, which expressions have only constants in them.
    pub(crate) constants: Vec<Vec<bool>>,
    /// Of each unit, the places at which the address of a name is taken.
    taken: Vec<Vec<(u32, Sym)>>,
    pub(crate) strings: FxHashMap<(Vec<u8>, u64), ObjectId>,
    pub(crate) static_names: u32,
    /// Static locals whose bodies were lowered to learn a type only.
    pub(crate) dry: u32,
    /// Operators on constants are computed although they overflow: there is no other way to have a value.
    pub(crate) fixed: u32,
    aliases: Vec<(usize, Sym, String)>,
    /// What was declared more than once.
    again: Vec<Again>,
    /// Names whose declaration is not covered.
    pub(crate) failed: FxHashMap<(usize, Sym), Gap>,
    /// The functions that the program defines itself.
    pub(crate) defined: FxHashSet<String>,
}

/// Lowers units to the data program. The units of the library's models come last: `own` says how many
/// come before them.
pub fn lower(units: &[Unit], own: usize, model: Model) -> Program {
    let body = || {
        let mut lowerer = Lowerer::new(units, model);
        lowerer.units(own);
        lowerer.finish()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, body);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(program)) => program,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let what = format!("no thread to lower C on: {error}");
                let mut lowerer = Lowerer::new(&[], model);
                lowerer.gaps.push(Gap { at: At::default(), what });
                lowerer.finish()
            }
        }
    })
}

impl<'a> Lowerer<'a> {
    fn new(units: &'a [Unit], model: Model) -> Lowerer<'a> {
        let mut files: Vec<String> = Vec::new();
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        let mut file_ids = Vec::new();
        for unit in units {
            let ids = unit.files().iter().map(|name| {
                *known.entry(name.clone()).or_insert_with(|| {
                    files.push(name.clone());
                    files.len() as u32 - 1
                })
            });
            file_ids.push(ids.collect());
        }
        let effects = units.iter().map(crate::effects::effects).collect();
        let taken = units.iter().map(crate::effects::taken).collect();
        Lowerer {
            units,
            own: 0,
            types: Types::new(model),
            files,
            file_ids,
            objects: Vec::new(),
            functions: Vec::new(),
            gaps: Vec::new(),
            warnings: Vec::new(),
            externs: FxHashMap::default(),
            unit_scopes: vec![FxHashMap::default(); units.len()],
            u: 0,
            at: At::default(),
            f: Current::default(),
            scopes: Vec::new(),
            type_cache: FxHashMap::default(),
            record_ids: FxHashMap::default(),
            record_sources: FxHashMap::default(),
            va_tag: None,
            enum_types: FxHashMap::default(),
            enumerators: FxHashMap::default(),
            variable_types: 0,
            counts: Vec::new(),
            serials: 0,
            outers: Vec::new(),
            inners: Vec::new(),
            prototype: false,
            depth: 0,
            effects,
            constants: units.iter().map(crate::effects::constants).collect(),
            taken,
            strings: FxHashMap::default(),
            static_names: 0,
            dry: 0,
            fixed: 0,
            aliases: Vec::new(),
            again: Vec::new(),
            failed: FxHashMap::default(),
            defined: FxHashSet::default(),
        }
    }

    fn finish(mut self) -> Program {
        let (before, after, unfollowed) = self.by_themselves();
        self.gaps.sort();
        self.gaps.dedup();
        self.warnings.sort();
        self.warnings.dedup();
        Program {
            types: self.types,
            files: self.files,
            objects: self.objects,
            functions: self.functions,
            gaps: self.gaps,
            warnings: self.warnings,
            before,
            after,
            unfollowed,
        }
    }

    pub(crate) fn unit(&self) -> &'a Unit {
        &self.units[self.u]
    }
    pub(crate) fn text(&self, sym: Sym) -> &'a str {
        self.unit().name(sym)
    }
    pub(crate) fn here(&self, at: Place) -> At {
        At { file: self.file_ids[self.u][at.file as usize], line: at.line }
    }
    pub(crate) fn gap<T>(&self, what: impl Into<String>) -> Lowered<T> {
        Err(Gap { at: self.at, what: what.into() })
    }
    /// Goes one level deeper, if there is one.
    pub(crate) fn deeper<T>(&mut self, step: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        if self.depth >= MAX_DEPTH {
            return self.gap(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }
    /// Notes what is not covered; a run that gets here ends.
    pub(crate) fn not_covered(&mut self, gap: Gap) {
        let saved = std::mem::replace(&mut self.at, gap.at);
        if !self.f.blocks.is_empty() {
            self.stmt(StmtKind::NotCovered(gap.what.clone()));
        }
        self.at = saved;
        if self.dry == 0 {
            self.gaps.push(gap);
        }
    }

    // Linking.

    fn units(&mut self, own: usize) {
        self.own = own;
        for unit in &self.units[..own] {
            let all = unit.functions().chain(&unit.extra.outer);
            self.defined.extend(all.map(|f| unit.name(f.name).to_owned()));
        }
        for u in 0..self.units.len() {
            self.u = u;
            self.scratch();
            for item in &self.units[u].items {
                let (at, declared) = match item {
                    Item::Function(f) => {
                        let at = self.here(f.at);
                        self.at = at;
                        (at, self.declare_function(f.name, f.ty, f.storage, u < own, true))
                    }
                    Item::Declaration(d) => {
                        let at = self.here(d.at);
                        self.at = at;
                        (at, self.declare(d, u < own, true).map(|_| ()))
                    }
                };
                if let Err(mut gap) = declared {
                    if gap.at.line == 0 {
                        gap.at = at;
                    }
                    // What is only declared is a gap where it is used.
                    let (name, defined) = match item {
                        Item::Function(f) => (f.name, true),
                        Item::Declaration(d) => (d.name, d.storage != Storage::Extern),
                    };
                    let is_function = matches!(item, Item::Declaration(d)
                        if self.is_function_type(d.ty));
                    if defined && !is_function {
                        self.gaps.push(gap.clone());
                    }
                    self.failed.insert((u, name), gap);
                }
            }
            for f in &self.units[u].extra.outer {
                self.at = self.here(f.at);
                if let Err(gap) = self.declare_function(f.name, f.ty, f.storage, u < own, true) {
                    self.gaps.push(gap.clone());
                    self.failed.insert((u, f.name), gap);
                }
            }
            // What control flow leaves out because functions are nested is not left out here.
            let nested = |p: &&front_c::Problem| {
                self.units[u].extra.outer.iter().any(|f| {
                    Some(f.name) == p.function && (f.at.offset..f.end.offset).contains(&p.at.offset)
                })
            };
            for problem in self.units[u].problems.iter().filter(|p| !nested(p)) {
                let what = format!("this could not be read: {}", problem.message);
                let at = self.here(problem.at);
                self.gaps.push(Gap { at, what });
            }
        }
        self.same_by_name();
        for u in 0..self.units.len() {
            self.u = u;
            for f in &self.units[u].extra.outer {
                self.define_function(u, f, own);
            }
            for item in &self.units[u].items {
                match item {
                    Item::Function(f) => self.define_function(u, f, own),
                    Item::Declaration(d) => {
                        if let Some(init) = d.init
                            && let Some(Entity::Object(o)) =
                                self.unit_scopes[u].get(&d.name).copied()
                            && (u < own || !self.is_the_programs(o))
                        {
                            self.scratch();
                            self.at = self.here(d.at);
                            if let Err(gap) = self.static_initialiser(o, init) {
                                self.gaps.push(gap);
                            }
                        }
                    }
                }
            }
        }
        for o in 0..self.objects.len() {
            self.size_object(o);
        }
        self.disagreements();
    }

    /// Tells where files disagree about the type of a name. Records are known only now.
    fn disagreements(&mut self) {
        for again in std::mem::take(&mut self.again) {
            let (a, b) = again.types;
            let (a, b) = (self.types.plain(a), self.types.plain(b));
            let same = match (self.types.kind(a).clone(), self.types.kind(b).clone()) {
                // One line of a header says the same twice.
                (Kind::Function(_), Kind::Function(_)) if again.first == again.at => true,
                (Kind::Function(f), Kind::Function(g)) => {
                    let prototypes = !f.unprototyped && !g.unprototyped;
                    let alike = f.variadic == g.variadic && f.params.len() == g.params.len();
                    let mut pairs = vec![(f.result, g.result)];
                    if prototypes {
                        pairs.extend(f.params.into_iter().zip(g.params));
                    }
                    (!prototypes || alike) && pairs.into_iter().all(|(a, b)| self.alike(a, b))
                }
                _ => self.known(a, b),
            };
            if same {
                continue;
            }
            let name = self.units[again.u].name(again.name);
            let (a, b) = (self.types.show(a), self.types.show(b));
            let place = format!("{}:{}", self.files[again.first.file as usize], again.first.line);
            let what = match a == b {
                false => format!("`{name}` is `{b}` here, and `{a}` in {place}"),
                true => format!("`{name}` is another `{b}` here than in {place}"),
            };
            self.warnings.push(Gap { at: again.at, what });
        }
    }

    /// Whether types of a parameter or result are the same. Of records that are pointed to, the names count.
    fn alike(&mut self, a: Ty, b: Ty) -> bool {
        let (mut a, mut b, mut pointed) = (self.types.plain(a), self.types.plain(b), false);
        while let (Some(c), Some(d)) = (self.types.pointee(a), self.types.pointee(b)) {
            (a, b, pointed) = (self.types.plain(c), self.types.plain(d), true);
        }
        match (self.types.kind(a), self.types.kind(b)) {
            (Kind::Record(r), Kind::Record(s)) if pointed => {
                self.types.record(*r).name == self.types.record(*s).name
            }
            (Kind::Function(_), Kind::Function(_)) => true,
            _ => self.known(a, b),
        }
    }

    /// Whether types are compatible, when the records that they consist of are known.
    fn known(&mut self, a: Ty, b: Ty) -> bool {
        let _ = (self.whole(a), self.whole(b));
        self.types.compatible(a, b)
    }

    fn is_function_type(&self, mut ty: TypeId) -> bool {
        loop {
            match self.unit().ty(ty).kind {
                front_c::TypeKind::Named(_, inner) => ty = inner,
                front_c::TypeKind::Function { .. } => return true,
                _ => return false,
            }
        }
    }

    /// The size of an object, now that all is known.
    fn size_object(&mut self, o: usize) {
        let ty = self.objects[o].ty;
        // `int a[];` has one element.
        let ty = match self.types.kind(ty).clone() {
            Kind::Array(element, c_types::Length::Unknown) => {
                self.types.of(Kind::Array(element, c_types::Length::Known(1)))
            }
            _ => ty,
        };
        let size = self.size_of(ty).unwrap_or(0);
        let bytes = self.objects[o].bytes.len() as u64;
        self.objects[o].size = self.objects[o].size.max(size).max(bytes);
        let align = self.types.align(ty);
        self.objects[o].align = self.objects[o].align.max(align);
        self.objects[o].ty = ty;
    }

    /// A function without blocks for what stands outside of functions.
    pub(crate) fn scratch(&mut self) {
        self.serials += 1;
        self.f = Current { serial: self.serials, ..Current::default() };
        self.scopes.clear();
        let entry = self.block();
        self.f.current = entry;
    }

    /// Names that stand for something else.
    fn same_by_name(&mut self) {
        for (u, name, other) in std::mem::take(&mut self.aliases) {
            let here = self.units[u].sym(&other).and_then(|s| self.unit_scopes[u].get(&s)).copied();
            let Some(new) = here.or_else(|| self.externs.get(&other).copied()) else { continue };
            let old = self.unit_scopes[u].insert(name, new);
            let text = self.units[u].name(name).to_owned();
            for scope in &mut self.unit_scopes {
                scope.values_mut().filter(|e| Some(**e) == old).for_each(|e| *e = new);
            }
            self.externs.insert(text, new);
        }
    }

    /// Whether the program itself defines an object.
    fn is_the_programs(&self, o: ObjectId) -> bool {
        let object = &self.objects[o.index()];
        object.own && object.defined
    }

    /// Declares a name of a file scope, or an `extern` of a block.
    pub(crate) fn declare(&mut self, d: &Declaration, own: bool, file: bool) -> Lowered<Entity> {
        let unit = self.unit();
        let ty = self.ty(d.ty)?;
        if let Some(other) = d.attributes.alias {
            let other = unit.name(other).trim_matches('"').to_owned();
            self.aliases.push((self.u, d.name, other));
        }
        if let Kind::Function(_) = self.types.kind(ty) {
            self.declare_function(d.name, d.ty, d.storage, own, file)?;
            let scope = &self.unit_scopes[self.u];
            let name = unit.name(d.name);
            let found = scope.get(&d.name).or_else(|| self.externs.get(name)).copied();
            if let Some(Entity::Function(f)) = found {
                self.functions[f.index()].weak |= d.attributes.weak;
            }
            return found.map_or_else(|| self.gap(format!("`{name}` is not known")), Ok);
        }
        let name = unit.name(d.name).to_owned();
        let is_static = d.storage == Storage::Static && file;
        let known = self.unit_scopes[self.u].get(&d.name).copied();
        let known = known.or_else(|| match is_static {
            true => None,
            false => self.externs.get(&name).copied(),
        });
        let defined = d.init.is_some() || (d.storage != Storage::Extern && file);
        let align = self.asked_alignment(d.attributes.aligned)?.unwrap_or(1);
        if let Some(Entity::Object(o)) = known {
            let old = self.objects[o.index()].ty;
            if own && self.objects[o.index()].own {
                let first = self.objects[o.index()].at;
                self.again.push(Again {
                    name: d.name,
                    u: self.u,
                    types: (old, ty),
                    first,
                    at: self.at,
                });
            }
            // What counts is the record of the definition, if it has one.
            if defined {
                let _ = self.whole(ty);
            }
            // A variable of the program's stands for one of the library's that has its name.
            let stands = !own && self.is_the_programs(o);
            let defined = defined && !stands;
            let both = if stands {
                old
            } else if self.objects[o.index()].defined && !defined {
                self.types.composite(old, ty)
            } else {
                self.types.composite(ty, old)
            };
            let at = self.at;
            let object = &mut self.objects[o.index()];
            object.ty = both;
            object.align = object.align.max(align);
            if defined {
                object.at = at;
                object.own = own;
            }
            object.defined |= defined;
            object.weak |= d.attributes.weak;
            self.unit_scopes[self.u].insert(d.name, Entity::Object(o));
            return Ok(Entity::Object(o));
        }
        let o = self.object(&name, ty, align, own);
        self.objects[o.index()].defined = defined;
        self.objects[o.index()].weak = d.attributes.weak;
        if file {
            self.unit_scopes[self.u].insert(d.name, Entity::Object(o));
        }
        if !is_static {
            self.externs.insert(name, Entity::Object(o));
        }
        Ok(Entity::Object(o))
    }

    pub(crate) fn object(&mut self, name: &str, ty: Ty, align: u64, own: bool) -> ObjectId {
        self.objects.push(Object {
            name: name.to_owned(),
            ty,
            size: 0,
            align,
            bytes: Vec::new(),
            addresses: Vec::new(),
            read_only: self.types.is_const(ty),
            defined: true,
            weak: false,
            own,
            at: self.at,
        });
        ObjectId(self.objects.len() as u32 - 1)
    }

    fn declare_function(
        &mut self,
        name: Sym,
        ty: TypeId,
        storage: Storage,
        own: bool,
        file: bool,
    ) -> Lowered<()> {
        let saved = std::mem::replace(&mut self.prototype, true);
        let ty = self.ty(ty);
        self.prototype = saved;
        let ty = ty?;
        let text = self.text(name).to_owned();
        let is_static = storage == Storage::Static;
        let known = self.unit_scopes[self.u].get(&name).copied();
        let known = known.or_else(|| match is_static {
            true => None,
            false => self.externs.get(&text).copied(),
        });
        let id = match known {
            Some(Entity::Function(id)) => {
                let old = self.functions[id.index()].ty;
                if own && self.functions[id.index()].own {
                    let first = self.functions[id.index()].at;
                    self.again.push(Again {
                        name,
                        u: self.u,
                        types: (old, ty),
                        first,
                        at: self.at,
                    });
                }
                self.functions[id.index()].ty = self.types.composite(old, ty);
                id
            }
            _ => self.new_function(&text, ty, own),
        };
        if file {
            self.unit_scopes[self.u].insert(name, Entity::Function(id));
        }
        if !is_static {
            self.externs.entry(text).or_insert(Entity::Function(id));
        }
        Ok(())
    }

    pub(crate) fn new_function(&mut self, name: &str, ty: Ty, own: bool) -> FuncId {
        self.functions.push(Function {
            name: name.to_owned(),
            ty,
            params: Vec::new(),
            locals: Vec::new(),
            exprs: Vec::new(),
            blocks: Vec::new(),
            labels: Vec::new(),
            variadic: false,
            old_style: false,
            weak: false,
            chained: false,
            gives_way: false,
            own,
            at: self.at,
        });
        FuncId(self.functions.len() as u32 - 1)
    }

    /// What a name means here.
    pub(crate) fn lookup(&self, name: Sym) -> Option<Entity> {
        let inner = self.scopes.iter().rev().find_map(|s| s.get(&name)).copied();
        let inner = inner.or_else(|| self.lookup_outside(name));
        inner.or_else(|| self.unit_scopes[self.u].get(&name).copied())
    }

    // Functions.

    fn define_function(&mut self, u: usize, f: &front_c::Function, own: usize) {
        let Some(Entity::Function(id)) = self.unit_scopes[u].get(&f.name).copied() else { return };
        // A definition that is weak gives way to another one.
        let gives_way = self.functions[id.index()].gives_way && !f.attributes.weak;
        if self.functions[id.index()].has_body() && !gives_way {
            let at = self.here(f.at);
            let name = self.text(f.name);
            // Inline functions of headers are the same everywhere; models of the library give way.
            if u < own && self.functions[id.index()].at != at && !f.attributes.weak {
                let what = format!("`{name}` is defined twice; this definition is left out");
                self.warnings.push(Gap { at, what });
            }
            return;
        }
        let name = self.text(f.name).to_owned();
        self.lower_function(id, f, name);
        let function = &mut self.functions[id.index()];
        function.gives_way = f.attributes.weak;
    }

    /// Gives a function its body.
    pub(crate) fn lower_function(&mut self, id: FuncId, f: &front_c::Function, name: String) {
        let u = self.u;
        let chained = self.functions[id.index()].chained;
        self.scratch();
        self.at = self.here(f.at);
        let (from, to) = (f.at.offset, f.end.offset);
        self.f.taken = self.taken[u]
            .iter()
            .filter(|(at, _)| (from..=to).contains(at))
            .map(|(_, sym)| *sym)
            .collect();
        let mentioned = self.mentioned_inside(from, to);
        self.f.taken.extend(mentioned);
        self.f.id = Some(id);
        self.f.name = name;
        let at = self.at;
        let outers = self.outers.len();
        if let Err(gap) = self.body(f, chained) {
            self.outers.truncate(outers);
            // Nothing of it can be trusted.
            self.scratch();
            self.f.id = Some(id);
            self.at = at;
            let what = format!("`{}`: {}", self.text(f.name), gap.what);
            self.not_covered(Gap { at: gap.at, what });
        }
        let current = std::mem::take(&mut self.f);
        let named = current.labels.iter().map(|(&sym, &block)| (self.text(sym).to_owned(), block));
        let mut labels: Vec<(String, BlockId)> = named.collect();
        labels.sort();
        let ty = self.functions[id.index()].ty;
        let signature = self.types.signature(ty);
        let variadic = signature.is_some_and(|s| s.variadic);
        let old_style = signature.is_some_and(|s| s.unprototyped);
        let function = &mut self.functions[id.index()];
        let params = (f.params.len() + usize::from(chained)).min(current.locals.len());
        function.params = (0..params).map(LocalId::new).collect();
        function.locals = current.locals;
        function.exprs = current.exprs;
        function.blocks = current.blocks;
        function.labels = labels;
        function.variadic = variadic;
        function.old_style = old_style;
        function.at = at;
        function.own = u < self.own;
    }

    fn body(&mut self, f: &front_c::Function, chained: bool) -> Lowered<()> {
        let unit = self.unit();
        let fty = self.functions[self.f.id.map_or(0, FuncId::index)].ty;
        let Some(signature) = self.types.signature(fty).cloned() else {
            return self.gap("its type is no function's");
        };
        self.f.result = Some(signature.result);
        self.f.variadic = signature.variadic;
        self.scopes.push(FxHashMap::default());
        self.f.marks.push(None);
        self.f.scoped.push(Vec::new());
        self.f.cleanups.push(Vec::new());
        // Parameters are the first locals, in order; their types may speak of those before them, and compute
        // with locals of their own.
        let mut promoted = Vec::new();
        let void = self.types.of(Kind::Void);
        if chained {
            let word = self.types.pointer_to(void);
            self.f.chain = Some(self.local("(frame around)", word, Home::Register, self.at));
        }
        let first = self.f.locals.len();
        for param in &f.params {
            let name = param.name.map_or("", |name| unit.name(name)).to_owned();
            self.local(&name, void, Home::Register, self.at);
        }
        for (i, param) in f.params.iter().enumerate() {
            let local = LocalId::new(first + i);
            let taken = param.name.is_some_and(|name| self.f.taken.contains(&name));
            self.outer_size(param.ty)?;
            let ty = self.param_type(param.ty)?;
            self.whole(ty)?;
            let home = match (self.types.is_scalar(ty), taken) {
                (true, false) => Home::Register,
                (true, true) => Home::Memory,
                (false, _) => Home::ByAddress,
            };
            let align = self.types.align(ty);
            if signature.unprototyped && self.types.is_arithmetic(ty) {
                let passed = self.types.default_promoted(ty);
                let plain = self.types.plain(ty);
                if passed != plain {
                    // Arguments come promoted.
                    self.f.locals[local.index()].ty = passed;
                    self.f.locals[local.index()].name.clear();
                    promoted.push((local, param.name, ty, home));
                    continue;
                }
            }
            let slot = &mut self.f.locals[local.index()];
            (slot.ty, slot.home, slot.align) = (ty, home, align);
            if let Some(name) = param.name {
                let scope = self.scopes.last_mut().expect("a scope was opened");
                scope.insert(name, Entity::Local(local));
            }
        }
        for (passed, name, ty, home) in promoted {
            let Some(name) = name else { continue };
            let local = self.local(unit.name(name), ty, home, self.at);
            let value = self.read(passed);
            let value = Op { expr: value, ty: self.type_of(value) };
            let (ty, register, address) = self.entity(Entity::Local(local));
            let at = match (register, address) {
                (Some(local), _) => crate::place::Where::Register(local),
                (None, Some(address)) => crate::place::Where::Memory(address),
                (None, None) => return self.gap("a parameter without a place"),
            };
            self.store(crate::place::Place { at, ty }, value, false)?;
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name, Entity::Local(local));
            }
        }
        self.statement(f.body)?;
        self.at = self.here(f.end);
        let end = match (self.types.is_void(signature.result), self.f.name == "main") {
            (true, _) => End::Return(None),
            (false, true) => {
                let zero = self.int(0);
                End::Return(Some(zero))
            }
            (false, false) => End::FellOff,
        };
        let next = self.f.current;
        self.end(end, next);
        self.jump_outward()?;
        self.leave_by_jumps();
        self.finish_frame();
        Ok(())
    }

    /// The address of an object, a function or a local, or the register that a local is.
    pub(crate) fn entity(&mut self, entity: Entity) -> (Ty, Option<LocalId>, Option<ExprId>) {
        match entity {
            Entity::Object(o) => {
                let ty = self.objects[o.index()].ty;
                let root = self.root(Root::Object(o), ty);
                (ty, None, Some(root))
            }
            Entity::Function(f) => {
                let ty = self.functions[f.index()].ty;
                let root = self.root(Root::Function(f), ty);
                (ty, None, Some(root))
            }
            Entity::Outside(level, local) => {
                let (ty, address) = self.outer_local(level, local);
                (ty, None, Some(address))
            }
            Entity::Inner(number) => {
                let (ty, address) = self.closure(number);
                (ty, None, Some(address))
            }
            Entity::Local(l) => {
                let ty = self.f.locals[l.index()].ty;
                match self.f.locals[l.index()].home {
                    Home::Register => (ty, Some(l), None),
                    Home::Memory | Home::ByAddress => {
                        let address = self.address_of(l);
                        (ty, None, Some(address))
                    }
                }
            }
        }
    }
}
