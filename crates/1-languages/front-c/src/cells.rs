//! Which parts of memory a write may change, by the names of members and by types.
//!
//! A *cell* is a scalar that code which has no name for it can get at: behind a pointer, or in a variable that is
//! exposed. There are three kinds: a variable, a member of a record, and what a pointer to a scalar points to.
//!
//! - CW1. Two members may be one cell only if they have the same name, or if both stand first in their records.
//! - CW2. What a pointer to a scalar points to may be any cell of the same size and kind (number, pointer), whether it is
//!   a member, a variable, or behind another pointer. A variable is no member, and two variables are two cells.
//! - CW3. A cell of one byte, one whose type is not certain, a member of a union, and one that is accessed as another type
//!   than it is declared may be any other.
//! - CW4. A record that is written as a whole is all members that its type has, and those of members that are records, as
//!   far as the program names them. Of a type without a name, everything may be written.
//! - CW5. A function of the library that writes through its arguments writes what they point to, by their types: one that
//!   writes a text through a `char *` writes bytes.
//! - CW6. CW1 to CW4 are what C says: memory is accessed as the types that it has. A program that does otherwise runs all
//!   the same, so that only rules about values, which follow no other memory either, take it for granted; where
//!   nothing may be missed, any write may change any cell, but one variable is not another.

use crate::library::writes_text;
use crate::objects::{FuncId, ObjectId, Reach};
use crate::skeleton::{Access, Body, Call, Data, Doing, Event, Flow, Point, Skeleton, plain_name};
use crate::typing::Ty;
use c_types::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// Classes of scalars by size and kind: those of one byte, and those that may be any (CW3).
const BYTE: u32 = 7;
const WILD: u32 = 8;

fn class(s: &Skeleton, scalar: Option<Scalar>) -> u32 {
    match scalar {
        Some(Scalar::Float(_)) => 0,
        Some(Scalar::Pointer) => 1,
        Some(Scalar::Bool) => BYTE,
        Some(Scalar::Int(_)) => match scalar.and_then(|x| x.size(&s.model)) {
            Some(1) => BYTE,
            Some(2) => 2,
            Some(4) => 3,
            Some(8) => 4,
            Some(16) => 5,
            // A bit-field.
            _ => 6,
        },
        None => WILD,
    }
}

/// A scalar that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// An exposed variable.
    Var(u32, ObjectId),
    /// A member, by the number of its name; whether it stands first.
    Member(u32, u32, bool),
    /// What a pointer points to.
    Plain(u32),
    /// It may be any.
    Any,
}

/// The cells that something may write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Classes of what pointers point to, of variables, of members, and of members that stand first, as bits.
    plain: u32,
    vars: u32,
    members: u32,
    firsts: u32,
    /// The names of members, as bits.
    names: Vec<u64>,
    /// Variables that are written by their addresses, in order.
    roots: Vec<ObjectId>,
    /// Bytes of texts.
    texts: bool,
    all: bool,
}

impl Written {
    /// Everything.
    pub(crate) fn all() -> Written {
        Written { all: true, ..Written::default() }
    }

    /// Adds other cells; whether that is new.
    pub(crate) fn add(&mut self, other: &Written) -> bool {
        let mut new = other.all && !self.all || other.texts && !self.texts;
        self.all |= other.all;
        self.texts |= other.texts;
        for root in &other.roots {
            new |= self.root(*root);
        }
        for (a, b) in [
            (&mut self.plain, other.plain),
            (&mut self.vars, other.vars),
            (&mut self.members, other.members),
            (&mut self.firsts, other.firsts),
        ] {
            new |= b & !*a != 0;
            *a |= b;
        }
        if self.names.len() < other.names.len() {
            self.names.resize(other.names.len(), 0);
        }
        for (a, b) in self.names.iter_mut().zip(&other.names) {
            new |= *b & !*a != 0;
            *a |= b;
        }
        new
    }

    fn has_root(&self, root: ObjectId) -> bool {
        self.roots.binary_search(&root).is_ok()
    }

    /// Adds a variable; whether that is new.
    fn root(&mut self, root: ObjectId) -> bool {
        let at = self.roots.binary_search(&root);
        at.map_err(|at| self.roots.insert(at, root)).is_err()
    }

    /// The same as others see it that call the function: its own variables are gone, and those of another call of it are
    /// other ones.
    pub(crate) fn for_callers(mut self, s: &Skeleton) -> Written {
        self.roots.retain(|root| !s.objects[root.index()].automatic);
        self
    }

    /// Whether nothing is written.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Written::default()
    }

    fn name(&mut self, n: u32) {
        let word = n as usize / 64;
        if self.names.len() <= word {
            self.names.resize(word + 1, 0);
        }
        self.names[word] |= 1 << (n % 64);
    }

    fn cell(&mut self, cell: Cell) {
        match cell {
            Cell::Var(c, _) => self.vars |= 1 << c,
            Cell::Plain(WILD) | Cell::Any => self.all = true,
            Cell::Plain(c) => self.plain |= 1 << c,
            Cell::Member(n, c, first) => {
                self.name(n);
                self.members |= 1 << c;
                if first {
                    self.firsts |= 1 << c;
                }
            }
        }
    }

    /// Whether a cell may be among them, if memory is accessed as the types that it has. CW6.
    pub(crate) fn may_be(&self, cell: Cell, typed: bool) -> bool {
        if !typed {
            let known = self.plain | self.members != 0 || self.texts || self.all;
            return known
                || match cell {
                    Cell::Var(_, root) => self.has_root(root),
                    _ => !self.is_empty(),
                };
        }
        // CW3: a byte, or what is not certain, may be any.
        let meets = |classes: u32, c: u32| {
            let loose = 1 << WILD | 1 << BYTE;
            classes & (1 << c | loose) != 0 || classes != 0 && loose & 1 << c != 0
        };
        let is_text = |c: u32| c == BYTE || c == WILD;
        self.all
            || match cell {
                Cell::Any => !self.is_empty(),
                Cell::Var(c, root) => {
                    meets(self.plain, c) || self.has_root(root) || self.texts && is_text(c)
                }
                Cell::Plain(c) => {
                    meets(self.plain | self.vars | self.members, c) || self.texts && is_text(c)
                }
                Cell::Member(n, c, first) => {
                    let word = self.names.get(n as usize / 64);
                    word.is_some_and(|word| word >> (n % 64) & 1 == 1)
                        || meets(self.plain, c)
                        || first && meets(self.firsts, c)
                        || self.texts && is_text(c)
                }
            }
    }
}

/// The members of the program by their names, and those that types have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    names: FxHashMap<String, u32>,
    /// What is written with a record, by the name of its type.
    records: FxHashMap<String, Written>,
}

fn member(s: &Skeleton, o: ObjectId) -> &str {
    s.objects[o.index()].name.rsplit(['.', '>']).next().unwrap_or("")
}

fn type_name(s: &Skeleton, o: ObjectId) -> Option<&str> {
    s.types[s.objects[o.index()].type_names as usize].last().map(String::as_str)
}

impl Cells {
    pub(crate) fn new(s: &Skeleton) -> Cells {
        let mut out = Cells::default();
        // What records have, and the records that they have.
        let mut has: FxHashMap<&str, (Written, FxHashSet<&str>)> = FxHashMap::default();
        for i in 0..s.objects.len() {
            let o = ObjectId::new(i);
            let (base, behind) = match s.objects[i].reach {
                Reach::Field(b) => (b, false),
                Reach::Arrow(b) => (b, true),
                _ => continue,
            };
            let next = out.names.len() as u32;
            if !out.names.contains_key(member(s, o)) {
                out.names.insert(member(s, o).to_owned(), next);
            }
            let whole =
                type_name(s, base).map(|t| if behind { t.strip_suffix('*') } else { Some(t) });
            let Some(Some(whole)) = whole else { continue };
            let cell = out.cell(s, o);
            let (written, inner) = has.entry(whole).or_default();
            written.cell(cell);
            if let Some(of) = type_name(s, o).filter(|_| s.objects[i].scalar.is_none()) {
                inner.insert(of);
            }
        }
        let mut names: Vec<&str> = has.keys().copied().collect();
        names.sort_unstable();
        for name in names {
            let (mut written, mut seen, mut todo) =
                (Written::default(), FxHashSet::default(), vec![name]);
            while let Some(t) = todo.pop() {
                if let Some((own, inner)) = has.get(t).filter(|_| seen.insert(t)) {
                    written.add(own);
                    todo.extend(inner.iter().copied());
                }
            }
            // Pointers may point to its members.
            written.members |= 1 << WILD;
            out.records.insert(name.to_owned(), written);
        }
        out
    }

    /// What an object is that is behind a pointer, or in an exposed variable, as a scalar.
    pub(crate) fn cell(&self, s: &Skeleton, o: ObjectId) -> Cell {
        let class = class(s, s.objects[o.index()].scalar);
        let mut at = o;
        let mut name: Option<(ObjectId, bool)> = None;
        loop {
            let object = &s.objects[at.index()];
            if object.overlaps {
                return Cell::Any;
            }
            at = match object.reach {
                Reach::Cell(b) => b,
                Reach::Field(b) => {
                    let first = object.first && name.is_none_or(|n| n.1);
                    name = Some((name.map_or(at, |n| n.0), first));
                    b
                }
                Reach::Arrow(_) => {
                    let first = object.first && name.is_none_or(|n| n.1);
                    name = Some((name.map_or(at, |n| n.0), first));
                    break;
                }
                Reach::Deref(_) | Reach::Var | Reach::Address(_) => break,
            }
        }
        match (name, s.objects[at.index()].reach) {
            (Some((of, first)), _) => match self.names.get(member(s, of)) {
                Some(&n) => Cell::Member(n, class, first),
                None => Cell::Any,
            },
            (None, Reach::Var) => Cell::Var(class, at),
            (None, _) => Cell::Plain(class),
        }
    }

    /// CW4: what is written where an object is.
    fn whole(&self, s: &Skeleton, o: ObjectId, out: &mut Written) {
        let object = &s.objects[o.index()];
        let cell = self.cell(s, o);
        if object.scalar.is_some() || cell == Cell::Any {
            out.cell(cell);
            return;
        }
        let name = type_name(s, o);
        if let Some(record) = name.and_then(|t| self.records.get(t)) {
            out.add(record);
        } else if !object.array && name.is_none_or(|t| !t.starts_with("struct")) {
            // Its type is not certain.
            out.all = true;
            return;
        }
        // An array is its cells; of a record that nobody looks into there is none.
        match cell {
            Cell::Var(_, root) => {
                out.vars |= 1 << WILD;
                out.root(root);
            }
            Cell::Plain(_) => out.members |= 1 << WILD,
            cell => out.cell(cell),
        }
    }

    /// What an access writes that others can get at.
    fn accessed(&self, s: &Skeleton, access: &Access, out: &mut Written) {
        let Some(o) = access.object else {
            match access.ty {
                Ty::Scalar(scalar) => out.cell(Cell::Plain(class(s, Some(scalar)))),
                _ => out.all = true,
            }
            return;
        };
        let object = &s.objects[o.index()];
        let declared = match access.ty {
            Ty::At(t) => object.ty == Some(t),
            Ty::Scalar(scalar) => object.scalar == Some(scalar),
            _ => false,
        };
        if !is_shared(s, o) {
            return;
        }
        match declared {
            true => self.whole(s, o, out),
            false => out.all = true,
        }
    }

    /// What a point writes by itself: what it calls excepted. `result`: with the result of its call.
    pub(crate) fn by(&self, s: &Skeleton, body: &Body, point: &Point, result: bool) -> Written {
        let mut out = Written::default();
        let range = point.accesses.start as usize..point.accesses.end as usize;
        let mut stored = false;
        for access in body.accesses[range].iter().filter(|a| a.doing == Doing::Write) {
            stored |= access.object.is_none_or(|o| is_memory(s, o));
            self.accessed(s, access, &mut out);
        }
        let store = |events: &[Event]| events.contains(&Event::Store);
        if store(&point.events) && !stored {
            out.all = true;
        }
        if let Flow::Call(call) = &point.flow
            && result
        {
            match call.result {
                Some(o) if is_shared(s, o) => self.whole(s, o, &mut out),
                Some(_) => {}
                None => out.all |= store(&call.result_events),
            }
        }
        out
    }

    /// CW5: what a function of the library writes through its arguments.
    pub(crate) fn through(&self, s: &Skeleton, body: &Body, call: &Call, f: FuncId) -> Written {
        let mut out = Written::default();
        let func = &s.funcs[f.index()];
        let name = plain_name(&func.name);
        let contract = s.contracts.get(name);
        for i in 0..call.args.len() {
            let constant = func.const_params.get(i).copied().unwrap_or(false);
            // What is printed is read.
            let printed = i > 0 && name.ends_with("printf") && writes_text(name) && !s.counts;
            if constant || printed || contract.is_some_and(|c| c.assigns(i + 1) == Some(false)) {
                continue;
            }
            let data = call.arg_data.get(i).copied().flatten();
            let number = |d: u32| match body.data[d as usize] {
                Data::Int(_) => true,
                _ => body.scalars[d as usize].is_some_and(|x| x != Scalar::Pointer),
            };
            if data.is_some_and(number) {
                continue;
            }
            let Some(o) = call.args[i] else {
                match call.arg_types.get(i) {
                    Some(Ty::Scalar(x)) if *x != Scalar::Pointer => {}
                    _ => out.all = true,
                }
                continue;
            };
            let object = &s.objects[o.index()];
            match (object.reach, object.scalar) {
                // What a pointer points to may be more than what is there: the cells of an array.
                (Reach::Address(part), _) if !s.objects[part.index()].indexed => {
                    // From the address of a member on, all others may be written.
                    let from = matches!(self.cell(s, part), Cell::Member(..));
                    if from && s.objects[part.index()].scalar.is_some() && writes_bytes(name) {
                        out.all = true;
                    }
                    self.at_address(s, part, &mut out);
                }
                _ if object.array => self.at_address(s, o, &mut out),
                (_, Some(Scalar::Pointer)) => {
                    let to = type_name(s, o).and_then(|t| t.strip_suffix('*'));
                    match to.map(|t| (t, self.records.get(t))) {
                        Some((_, Some(record))) => {
                            out.add(record);
                        }
                        Some(("char", _)) if writes_text(name) => out.texts = true,
                        Some((t, None)) if t.starts_with("struct") && !t.ends_with('*') => {
                            out.members |= 1 << WILD;
                        }
                        _ => out.all = true,
                    }
                }
                (_, Some(_)) => {}
                _ => out.all = true,
            }
        }
        out
    }

    fn at_address(&self, s: &Skeleton, o: ObjectId, out: &mut Written) {
        match self.cell(s, o) {
            // By its address, a variable is what a pointer points to.
            Cell::Var(c, root) if s.objects[o.index()].scalar.is_some() => {
                out.vars |= 1 << c;
                out.root(root);
            }
            _ => self.whole(s, o, out),
        }
    }
}

/// Whether a function writes as many bytes as it is told.
fn writes_bytes(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    name.starts_with("mem") || name.starts_with("wmem") || name.contains("bzero") || name == "bcopy"
}

/// Whether it is behind a pointer.
fn is_memory(s: &Skeleton, mut o: ObjectId) -> bool {
    loop {
        o = match s.objects[o.index()].reach {
            Reach::Field(b) | Reach::Cell(b) => b,
            Reach::Arrow(_) | Reach::Deref(_) => return true,
            Reach::Var | Reach::Address(_) => return false,
        }
    }
}

/// Whether other code may have a name for it: it is behind a pointer, or in an exposed variable.
fn is_shared(s: &Skeleton, mut o: ObjectId) -> bool {
    loop {
        let object = &s.objects[o.index()];
        o = match object.reach {
            Reach::Field(b) | Reach::Cell(b) => b,
            Reach::Arrow(_) | Reach::Deref(_) => return true,
            Reach::Var => return object.address_taken || (object.external && !object.automatic),
            Reach::Address(_) => return false,
        }
    }
}

/// The cells that a value is read from, by the objects that are in it.
pub(crate) fn read(s: &Skeleton, cells: &Cells, o: ObjectId, out: &mut Vec<Cell>) {
    let mut add = |o: ObjectId| {
        let cell = cells.cell(s, o);
        if is_shared(s, o) && !out.contains(&cell) {
            out.push(cell);
        }
    };
    let mut at = match s.objects[o.index()].reach {
        Reach::Address(b) => b,
        _ => {
            add(o);
            o
        }
    };
    loop {
        at = match s.objects[at.index()].reach {
            Reach::Var => return,
            Reach::Field(b) | Reach::Cell(b) | Reach::Address(b) => b,
            Reach::Arrow(b) | Reach::Deref(b) => {
                add(b);
                b
            }
        }
    }
}
