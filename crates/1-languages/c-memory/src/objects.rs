//! Abstract objects: what memory is made of, and which places in it are one.
//!
//! An abstract object stands for all objects that one declaration, or one call of an allocator, makes. A place in it
//! is an offset in bytes, *folded*: the elements of an array are one element. So a place is a path of members without
//! indices, told by its offset in the first elements.

use c_data::{BlockId, FuncId, LocalId, ObjectId, Program, Root};
use c_types::{Kind, Ty, Types};
use rustc_hash::FxHashMap;

/// Who made an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Made {
    /// It is static.
    Static(ObjectId),
    /// It is a local that lives in memory.
    Local(FuncId, LocalId),
    /// It was allocated by a statement: a call of the library, or an array of variable length.
    Allocated(FuncId, BlockId, u32),
    /// The arguments of a function that belong to `...`.
    More(FuncId),
    /// A function.
    Function(FuncId),
    /// All that the program does not make itself.
    Outside,
}

/// An object, by its position in [`crate::PointsTo::objects`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Obj(pub(crate) u32);

impl Obj {
    /// Its position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which of its places are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Elements of this type.
    Typed(Ty),
    /// Places so far apart are one; with 0, none are.
    Stride(u64),
    /// All are.
    Whole,
}

/// An abstract object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Who made it.
    pub made: Made,
    pub(crate) shape: Shape,
}

impl Object {
    /// Whether it belongs to the program, and not to the models of the library.
    pub(crate) fn is_own(&self, program: &Program) -> bool {
        match self.made {
            Made::Static(o) => program.objects[o.index()].own,
            Made::Local(f, _) | Made::Allocated(f, ..) | Made::More(f) => {
                program.functions[f.index()].own
            }
            Made::Function(_) | Made::Outside => false,
        }
    }
}

/// An offset that may be any.
pub(crate) const ANY: u32 = u32::MAX;
/// Offsets in objects without a type that are not told apart.
const FAR: i64 = 1 << 20;
/// So many offsets of one are told apart.
const CROWDED: u32 = 32;

/// An object and a folded offset in it, or [`ANY`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) object: Obj,
    pub(crate) offset: u32,
}

/// All objects.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) all: Vec<Object>,
    ids: FxHashMap<Made, Obj>,
    /// How many places of an object without a type were met.
    met: FxHashMap<Obj, u32>,
    /// Strides that objects without a type were walked with; the next round folds by them.
    pub(crate) walked: FxHashMap<Obj, u64>,
}

impl Objects {
    pub(crate) fn get(&mut self, program: &Program, made: Made) -> Obj {
        if let Some(&id) = self.ids.get(&made) {
            return id;
        }
        let typed = |ty: Ty| match program.types.size(ty) {
            Some(1..) => Shape::Typed(ty),
            _ => Shape::Stride(0),
        };
        let shape = match made {
            // An array of unknown length, or a last member without one, has what it was initialised with.
            Made::Static(o) => typed(program.objects[o.index()].ty),
            Made::Local(f, l) => typed(program.functions[f.index()].locals[l.index()].ty),
            // What they are made of is not known before it is known who points to them.
            Made::Allocated(..) => Shape::Whole,
            Made::More(_) | Made::Function(_) | Made::Outside => Shape::Whole,
        };
        let id = Obj(self.all.len() as u32);
        self.all.push(Object { made, shape });
        self.ids.insert(made, id);
        id
    }

    pub(crate) fn find(&self, made: Made) -> Option<Obj> {
        self.ids.get(&made).copied()
    }

    /// The place at an offset of an object.
    pub(crate) fn fold(&self, types: &Types, object: Obj, offset: i64) -> Place {
        let offset = match self.all[object.index()].shape {
            Shape::Whole => 0,
            Shape::Typed(ty) => folded(types, ty, offset) as u32,
            Shape::Stride(0) if !(0..FAR).contains(&offset) => ANY,
            Shape::Stride(0) => offset as u32,
            Shape::Stride(n) => offset.rem_euclid(n as i64) as u32,
        };
        Place { object, offset }
    }

    /// So many bytes further in the same object.
    pub(crate) fn further(&self, types: &Types, place: Place, by: i64) -> Place {
        match place.offset {
            ANY => place,
            offset => self.fold(types, place.object, i64::from(offset).saturating_add(by)),
        }
    }

    /// Where an address is so many bytes further. From a record to a member and back, and from element to element, that
    /// is [`Objects::further`]; whoever steps over members otherwise may step over all.
    pub(crate) fn shift(&self, types: &Types, place: Place, by: i64) -> Place {
        match self.all[place.object.index()].shape {
            Shape::Typed(ty)
                if place.offset != ANY
                    && by != 0
                    && !selects(types, ty, place.offset.into(), by) =>
            {
                Place { offset: ANY, ..place }
            }
            _ => self.further(types, place, by),
        }
    }

    /// Any multiple of so many bytes further, or back.
    pub(crate) fn walk(&mut self, types: &Types, place: Place, by: u64) -> Place {
        if place.offset == ANY || by == 0 {
            return place;
        }
        match self.all[place.object.index()].shape {
            Shape::Whole => place,
            Shape::Typed(ty) if is_walked(types, ty, place.offset.into(), by) => place,
            Shape::Typed(_) => Place { offset: ANY, ..place },
            Shape::Stride(n) => {
                let now = self.walked.get(&place.object).copied().unwrap_or(n);
                let next = gcd(now, by);
                if next != now {
                    self.walked.insert(place.object, next);
                }
                place
            }
        }
    }

    /// Whether there are too many places already to tell one more apart in an object without a type.
    pub(crate) fn is_crowded(&mut self, place: Place) -> bool {
        if place.offset == ANY || self.all[place.object.index()].shape != Shape::Stride(0) {
            return false;
        }
        let met = self.met.entry(place.object).or_default();
        *met += 1;
        *met > CROWDED
    }

    /// Folds by what was seen. Whether anything changed.
    pub(crate) fn learn(&mut self) -> bool {
        let walked = std::mem::take(&mut self.walked);
        self.met.clear();
        for (object, by) in &walked {
            self.all[object.index()].shape = Shape::Stride(*by);
        }
        !walked.is_empty()
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The offset in first elements.
fn folded(types: &Types, mut ty: Ty, offset: i64) -> u64 {
    let size = types.size(ty).unwrap_or(1).max(1);
    let mut rest = offset.rem_euclid(size as i64) as u64;
    let mut base = 0;
    while let Some((start, inner)) = inside(types, ty, rest) {
        match start {
            Inside::Element(size) => rest %= size,
            Inside::Member(offset) => {
                base += offset;
                rest -= offset;
            }
        }
        ty = inner;
    }
    base + rest
}

/// A record or an array around an offset: where it starts, in first elements, and how long it is.
struct Around {
    start: u64,
    size: u64,
    is_array: bool,
    /// It starts where the record around it does.
    at_start: bool,
    /// The size of an element.
    element: u64,
}

impl Around {
    fn has(&self, offset: u64) -> bool {
        (self.start..self.start + self.size).contains(&offset)
    }
}

/// All records and arrays around an offset, the outermost first.
fn around(types: &Types, mut ty: Ty, offset: u64) -> Vec<Around> {
    let (mut base, mut rest, mut at_start) = (0, offset, false);
    let mut out = Vec::new();
    loop {
        let size = types.size(ty).unwrap_or(u64::MAX - base);
        let found = inside(types, ty, rest);
        let element = match found {
            Some((Inside::Element(element), _)) => Some(element),
            _ => None,
        };
        if element.is_some() || types.as_record(ty).is_some() {
            let is_array = element.is_some();
            let element = element.unwrap_or(size);
            out.push(Around { start: base, size, is_array, at_start, element });
        }
        match found {
            Some((Inside::Element(element), inner)) => {
                rest %= element;
                ty = inner;
            }
            Some((Inside::Member(offset), inner)) => {
                rest -= offset;
                base += offset;
                at_start = offset == 0;
                ty = inner;
            }
            None => return out,
        }
    }
}

/// Whether a step of so many bytes selects a member, goes back from one to its record, or stays in an array.
fn selects(types: &Types, ty: Ty, from: u64, by: i64) -> bool {
    let size = types.size(ty).unwrap_or(1).max(1);
    if by.unsigned_abs().is_multiple_of(size) {
        return true;
    }
    let here = around(types, ty, from);
    let raw = (from as i64).saturating_add(by);
    // Elements are one: steps by whole ones stay, but not where an address may be that of a record.
    let stays =
        |a: &Around| a.is_array && !a.at_start && by.unsigned_abs().is_multiple_of(a.element);
    if here.iter().any(stays) {
        return true;
    }
    let Ok(to) = u64::try_from(raw) else { return false };
    if to >= size {
        return false;
    }
    let there = around(types, ty, to);
    let first = |a: &Around| a.is_array && a.at_start && to >= a.start + a.element;
    if there.iter().any(first) {
        return false;
    }
    let is_whole = from == 0 || folded(types, ty, raw) == 0;
    is_whole
        || here.iter().any(|a| !a.is_array && a.start == from && a.has(to))
        || there.iter().any(|a| !a.is_array && a.start == to && a.has(from))
        // From an element to what lies in it.
        || here.iter().any(|a| a.is_array && (from - a.start).is_multiple_of(a.element) && to < a.start + a.element && to >= a.start && from == a.start)
}

/// Whether multiples of so many bytes stay in an array at this offset; the object itself is an array of one. Where an
/// array starts with its record, an address may be that of the record, whose bytes are walked over.
fn is_walked(types: &Types, mut ty: Ty, offset: u64, by: u64) -> bool {
    let mut rest = offset;
    if types.size(ty).is_some_and(|size| size > 0 && by.is_multiple_of(size)) {
        return true;
    }
    let mut at_start = false;
    while let Some((start, inner)) = inside(types, ty, rest) {
        match start {
            Inside::Element(size) if by.is_multiple_of(size) => return !at_start,
            Inside::Element(size) => rest %= size,
            Inside::Member(offset) => {
                rest -= offset;
                at_start = offset == 0;
            }
        }
        ty = inner;
    }
    false
}

enum Inside {
    /// An element of an array; its size.
    Element(u64),
    /// A member; where it starts.
    Member(u64),
}

/// The part of a type that an offset lies in. Members of unions are not told apart.
fn inside(types: &Types, ty: Ty, offset: u64) -> Option<(Inside, Ty)> {
    match types.kind(ty) {
        Kind::Array(element, _) => {
            let size = types.size(*element).filter(|size| *size > 0)?;
            Some((Inside::Element(size), *element))
        }
        Kind::Record(no) if !types.record(*no).is_union => {
            let members = types.record(*no).members.iter();
            let found = members.filter(|m| m.bits.is_none()).find(|m| {
                let is_open = matches!(types.kind(m.ty), Kind::Array(_, length)
                    if !matches!(length, c_types::Length::Known(1..)));
                let size = types.size(m.ty).unwrap_or(0);
                m.offset <= offset && (is_open || offset < m.offset + size)
            })?;
            Some((Inside::Member(found.offset), found.ty))
        }
        _ => None,
    }
}

/// What people call a place.
pub(crate) fn show(program: &Program, object: &Object, offset: Option<u64>) -> String {
    let function = |f: FuncId| &program.functions[f.index()].name;
    let (name, ty) = match object.made {
        Made::Static(o) => {
            let o = &program.objects[o.index()];
            (o.name.clone(), Some(o.ty))
        }
        Made::Local(f, l) => {
            let local = &program.functions[f.index()].locals[l.index()];
            let name = if local.name.is_empty() { "(temporary)" } else { &local.name };
            (format!("{}::{name}", function(f)), Some(local.ty))
        }
        Made::Allocated(f, b, stmt) => {
            let block = &program.functions[f.index()].blocks[b.index()];
            let at = block.stmts[stmt as usize].at;
            (format!("allocated({})", program.place(at)), None)
        }
        Made::More(f) => (format!("{}::...", function(f)), None),
        Made::Function(f) => (function(f).clone(), None),
        Made::Outside => ("(outside)".to_owned(), None),
    };
    let typed = match object.shape {
        Shape::Typed(ty) => Some(ty),
        _ => ty,
    };
    match (offset, typed) {
        (Some(offset), Some(ty)) => name + &path(&program.types, ty, offset),
        (Some(0), None) | (None, _) => name,
        (Some(offset), None) => format!("{name}+{offset}"),
    }
}

/// The members on the way to an offset.
fn path(types: &Types, mut ty: Ty, mut offset: u64) -> String {
    let mut out = String::new();
    while let Some((start, inner)) = inside(types, ty, offset) {
        match start {
            Inside::Element(size) => {
                out.push_str("[]");
                offset %= size;
            }
            Inside::Member(at) => {
                let Kind::Record(no) = types.kind(ty) else { break };
                let members = &types.record(*no).members;
                let named = members.iter().find(|m| m.offset == at && m.ty == inner);
                if let Some(name) = named.and_then(|m| m.name.as_ref()) {
                    out.push('.');
                    out.push_str(name);
                }
                offset -= at;
            }
        }
        ty = inner;
    }
    if offset > 0 {
        out.push_str(&format!("+{offset}"));
    }
    out
}

/// The object of an address that is a constant.
pub(crate) fn of_root(root: Root) -> Option<Made> {
    match root {
        Root::Object(o) => Some(Made::Static(o)),
        Root::Function(f) => Some(Made::Function(f)),
        Root::Label(..) => None,
    }
}
