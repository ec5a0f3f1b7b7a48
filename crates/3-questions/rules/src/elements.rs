//! Which arrays have cells that are followed: those with no other index than constants.
//!
//! - AE1. An array, and what a pointer points to, is *varied* where a cell of it has an index that is no constant, and where
//!   something is computed from its address.
//! - AE2. What is copied to a varied pointer, given to a parameter that is one, or returned as one is varied, and so is what
//!   a varied one is copied to. Members are told apart by their names, and other memory is one.
//! - AE3. Where the address of a cell comes to a pointer that has other cells than the first, its array is varied.
//!
//! - AE4. Where AE1 is so by an index alone, or by a variable of a function that goes on through the array, and the cells are
//!   pointers, one of them stands for any: that is a path (rules OC in `value/cells`). The same for what AE2 leads to.
//!
//! In other varied arrays, no cell is a path: what is stored there has escaped.

use c_types::Scalar;
use front_c::{Event, Flow, FuncId, ObjectId, Point, Reach, Skeleton};
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that holds the address of cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place<'a> {
    Variable(ObjectId),
    Member(&'a str),
    Memory,
    Result(FuncId),
}

/// The arrays whose cells are followed.
#[derive(Default)]
pub(crate) struct Elements {
    varied: FxHashSet<ObjectId>,
    /// Those of which one cell stands for any (AE4).
    one_of: FxHashSet<ObjectId>,
    params: FxHashSet<ObjectId>,
    /// There are cells with constant indices.
    any: bool,
}

fn place(s: &Skeleton, o: ObjectId) -> Place<'_> {
    let object = &s.objects[o.index()];
    match object.reach {
        Reach::Var => Place::Variable(o),
        Reach::Field(_) | Reach::Arrow(_) => {
            Place::Member(object.name.rsplit(['.', '>']).next().unwrap_or(""))
        }
        // The address of a member, or of a variable, is that of its first cell.
        Reach::Address(part) => place(s, part),
        Reach::Deref(_) | Reach::Cell(_) => Place::Memory,
    }
}

/// The array, or the pointer, that the address of a cell belongs to.
fn array_of(s: &Skeleton, o: ObjectId) -> Option<ObjectId> {
    let Reach::Address(cell) = s.objects[o.index()].reach else { return None };
    match s.objects[cell.index()].reach {
        Reach::Cell(b) | Reach::Deref(b) => Some(b),
        _ => None,
    }
}

impl Elements {
    /// By AE1 to AE3.
    pub(crate) fn new(s: &Skeleton) -> Elements {
        if !s.objects.iter().any(|o| o.element.is_some() || o.varied) {
            return Elements::default();
        }
        let mut varied: Vec<Place<'_>> = Vec::new();
        let mut one_of: Vec<Place<'_>> = Vec::new();
        let cells = s.objects.iter().filter_map(|o| match o.reach {
            Reach::Cell(b) | Reach::Deref(b) => Some((b, o.scalar == Some(Scalar::Pointer))),
            _ => None,
        });
        let pointers: FxHashMap<ObjectId, bool> = cells.collect();
        let of_pointers = |b: ObjectId| pointers.get(&b) == Some(&true);
        let mut several: FxHashSet<Place<'_>> = FxHashSet::default();
        for object in &s.objects {
            let (Reach::Cell(b) | Reach::Deref(b)) = object.reach else { continue };
            if object.varied && of_pointers(b) {
                one_of.push(place(s, b));
                several.insert(place(s, b));
            } else if object.varied {
                varied.push(place(s, b));
            }
            if object.element.as_deref().is_some_and(|e| e != "[0]") {
                several.insert(place(s, b));
            }
        }
        // From what is copied to where.
        let mut flows: Vec<(ObjectId, Place<'_>)> = Vec::new();
        for body in &s.bodies {
            for point in &body.points {
                for event in point.events.iter().chain(&point.hidden) {
                    match *event {
                        Event::Copy(to, from) => flows.push((from, place(s, to))),
                        Event::ReturnOf(o) => flows.push((o, Place::Result(body.func))),
                        Event::Escape(o) if of_pointers(o) && goes_on(s, point, o) => {
                            one_of.push(Place::Variable(o));
                            several.insert(Place::Variable(o));
                        }
                        Event::Escape(o) | Event::Lent(o) => {
                            varied.push(place(s, array_of(s, o).unwrap_or(o)));
                        }
                        _ => {}
                    }
                }
                let Flow::Call(call) = &point.flow else { continue };
                for &g in &call.targets {
                    let target = call.result.or(call.temporary);
                    let Some(callee) = s.body(g) else { continue };
                    if let Some(o) = target {
                        flows.push((o, Place::Result(g)));
                    }
                    for (param, arg) in callee.params.iter().zip(&call.arg_values) {
                        if let (Some(param), Some(arg)) = (param, arg) {
                            flows.push((*arg, Place::Variable(*param)));
                        }
                    }
                }
            }
        }
        let mut out: FxHashMap<Place<'_>, Vec<Place<'_>>> = FxHashMap::default();
        let mut back: FxHashMap<Place<'_>, Vec<Place<'_>>> = FxHashMap::default();
        let mut parts: Vec<(Place<'_>, Place<'_>)> = Vec::new();
        for &(from, to) in &flows {
            if let Some(array) = array_of(s, from) {
                parts.push((place(s, array), to));
                continue;
            }
            let from = place(s, from);
            out.entry(from).or_default().push(to);
            back.entry(to).or_default().push(from);
        }
        // AE3: pointers that go on to one with several cells have several.
        let several = reached(several.into_iter().collect(), &back);
        varied.extend(parts.iter().filter(|(_, to)| several.contains(to)).map(|(array, _)| *array));
        let mut all = reached(varied, &back);
        // What a part of a varied one is copied to is no matter: it is another array then.
        all = reached(all.into_iter().collect(), &out);
        let objects = || (0..s.objects.len()).map(ObjectId::new);
        let varied = objects().filter(|o| all.contains(&place(s, *o))).collect();
        let mut ones = reached(one_of, &back);
        ones = reached(ones.into_iter().collect(), &out);
        let one = |o: &ObjectId| {
            let place = place(s, *o);
            ones.contains(&place) && !all.contains(&place)
        };
        let one_of = objects().filter(one).collect();
        let params = s.bodies.iter().flat_map(|b| b.params.iter().flatten().copied()).collect();
        Elements { varied, one_of, params, any: true }
    }

    /// Whether it is a parameter, and so no array.
    pub(crate) fn is_param(&self, o: ObjectId) -> bool {
        self.params.contains(&o)
    }

    /// Whether the cells of an array, or of what a pointer points to, are not told apart.
    pub(crate) fn is_varied(&self, o: ObjectId) -> bool {
        self.varied.contains(&o)
    }

    /// Whether one cell of an array, or of what a pointer points to, stands for any.
    pub(crate) fn is_one_of(&self, o: ObjectId) -> bool {
        self.one_of.contains(&o)
    }

    /// Whether the cells of an array are followed.
    pub(crate) fn has(&self, s: &Skeleton, o: ObjectId) -> bool {
        self.any && s.objects[o.index()].array && !self.is_param(o) && !self.is_varied(o)
    }
}

/// Whether a variable of a function is increased or decreased there.
pub(crate) fn goes_on(s: &Skeleton, point: &Point, o: ObjectId) -> bool {
    let object = &s.objects[o.index()];
    let copied = |e: &Event| matches!(e, Event::Copy(to, _) if *to == o);
    object.reach == Reach::Var
        && object.automatic
        && !object.address_taken
        && point.events.contains(&Event::Assign(o))
        && point.hidden.contains(&Event::Escape(o))
        && !point.events.iter().chain(&point.hidden).any(copied)
}

/// What is reached from some places.
fn reached<'a>(
    seeds: Vec<Place<'a>>,
    edges: &FxHashMap<Place<'a>, Vec<Place<'a>>>,
) -> FxHashSet<Place<'a>> {
    let mut out: FxHashSet<Place<'a>> = seeds.iter().copied().collect();
    let mut todo = seeds;
    while let Some(place) = todo.pop() {
        for &next in edges.get(&place).into_iter().flatten() {
            if out.insert(next) {
                todo.push(next);
            }
        }
    }
    out
}
