//! Members that own what they point to: who frees the structure frees that, too.
//!
//! A destructor gets a structure that other functions have filled, long ago and wherever it was since then. So what its
//! members hold has no path, and is a value of its own: it comes into being where the structure is first seen (OM3, OM4).
//!
//! - OM1. A member of a type of structures is *owning* if the program stores something in it that was allocated for that,
//!   and nothing else but null: no parameters, no strings, nothing that another member or a global holds. No function
//!   empties it behind a point where it handles it (OM5), other than of a structure that was just made: then it is for a
//!   while. Neither may it be stored by way of its address, or with a structure that is copied as a whole.
//! - OM2. What is in an owning member is shared, and the member is none, if it is copied to another place in memory or to a
//!   global, or if what is stored in it is stored elsewhere, too, or given to a function that keeps it.
//! - OM3. Where a function frees what its parameter points to, an owning member of that holds something when the function
//!   begins.
//! - OM4. Where it frees what another variable points to, that it has from memory or from a function, the member holds something
//!   where the variable gets its value.
//! - OM5. Not so if the function, one that it calls, or one that calls it, two calls up, has *handled* the member before that
//!   point: copied it, returned it, taken its address, or given it to a function that has a body, frees it, keeps it or is not known.
//!   Who does that may do so under conditions that say who owns it. Of what callers call before, functions count that get the
//!   structure and store nothing new in the member. To test a member, to write it and to read what it points to is no handling.

use crate::ownership::{Own, Owners, Ownership, events, is_variable, is_zero};
use crate::relevance::Functions;
use crate::value::At;
use front_c::{Body, Call, Event, Flow, FuncId, Next, ObjectId, Point, Reach, Skeleton};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A member of a type of structures, by their names.
type Member<'a> = (&'a str, &'a str);

/// An owning member of what a variable points to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) variable: ObjectId,
    /// The members that lead to it.
    pub(crate) names: Vec<Box<str>>,
    /// The variable under which the structure is freed.
    pub(crate) freed: ObjectId,
}

/// Where what owning members hold is first seen.
#[derive(Default)]
pub(crate) struct Inherited {
    /// By body: where it begins (OM3).
    pub(crate) at_entry: BTreeMap<u32, Vec<Place>>,
    /// Behind points (OM4).
    pub(crate) behind: BTreeMap<At, Vec<Place>>,
}

/// The structure that a pointer to it, or a variable of its type, has; none if it has no name.
fn structure(s: &Skeleton, o: ObjectId, pointer: bool) -> Option<&str> {
    let name = s.types[s.objects[o.index()].type_names as usize].last()?;
    let name = match pointer {
        true => name.strip_suffix('*')?,
        false => name.as_str(),
    };
    let name = name.trim();
    (!name.is_empty() && !name.ends_with('*')).then_some(name)
}

/// The last part of the name of a member.
fn last(s: &Skeleton, o: ObjectId) -> &str {
    s.objects[o.index()].name.rsplit(['.', '>']).next().unwrap_or("")
}

/// The member that an object is.
fn member(s: &Skeleton, o: ObjectId) -> Option<Member<'_>> {
    match s.objects[o.index()].reach {
        Reach::Arrow(b) => Some((structure(s, b, true)?, last(s, o))),
        Reach::Field(b) => Some((structure(s, b, false)?, last(s, o))),
        _ => None,
    }
}

/// The member that an object is, or whose address it is.
fn member_or_address(s: &Skeleton, o: ObjectId) -> Option<Member<'_>> {
    match s.objects[o.index()].reach {
        Reach::Address(part) => member(s, part),
        _ => member(s, o),
    }
}

/// The pointer behind which an object is a member, and the members that lead to it.
fn behind(s: &Skeleton, o: ObjectId) -> Option<(ObjectId, Vec<Box<str>>)> {
    let mut names = Vec::new();
    let mut at = o;
    loop {
        names.push(Box::<str>::from(last(s, at)));
        match s.objects[at.index()].reach {
            Reach::Field(b) => at = b,
            Reach::Arrow(b) => {
                names.reverse();
                return Some((b, names));
            }
            _ => return None,
        }
    }
}

/// What a call may do with its argument `n`, counted from 0, so that the caller's business with it is over.
fn takes(f: &Functions<'_>, call: &Call, n: usize) -> bool {
    call.open
        || call.targets.is_empty()
        || call.targets.iter().any(|&g| f.is_entered(g) || f.frees(g, n) || f.keeps(Some(g), n))
}

/// The names of the members that lead to one, and that one.
type Way<'a> = (Vec<Box<str>>, Member<'a>);

/// What a program does with members.
struct Members<'a> {
    owning: FxHashSet<Member<'a>>,
    /// By function, what it handles (OM5), calls included.
    handled: FxHashMap<FuncId, BTreeSet<Member<'a>>>,
    /// The same of functions that do not store anything new in it: these take it away.
    taken: FxHashMap<FuncId, BTreeSet<Member<'a>>>,
    /// What functions store in, other than null, calls not included.
    stored: FxHashMap<FuncId, BTreeSet<Member<'a>>>,
    /// What they handle, calls not included, with the points.
    handled_at: FxHashMap<FuncId, Vec<(u32, Member<'a>)>>,
    /// By function, which calls come to it.
    callers: FxHashMap<FuncId, BTreeSet<At>>,
    /// By structure, the ways from a pointer to its owning members.
    ways: FxHashMap<&'a str, BTreeSet<Way<'a>>>,
}

impl Inherited {
    pub(crate) fn new(f: &Functions<'_>, ownership: &Ownership) -> Inherited {
        let members = Members::new(f, ownership);
        let mut out = Inherited::default();
        if members.ways.is_empty() {
            return out;
        }
        for (number, body) in f.s.bodies.iter().enumerate().filter(|(_, b)| f.is_entered(b.func)) {
            members.inherited(f, ownership, (number as u32, body), &mut out);
        }
        for list in out.at_entry.values_mut().chain(out.behind.values_mut()) {
            list.sort();
            list.dedup();
        }
        out
    }

    /// The points at which something is first seen; where a body begins, that is its first point.
    pub(crate) fn points(&self, s: &Skeleton) -> Vec<At> {
        let entries = self.at_entry.keys().filter_map(|n| entry_point(s, *n));
        entries.chain(self.behind.keys().copied()).collect()
    }
}

/// The point with which a body begins.
pub(crate) fn entry_point(s: &Skeleton, body: u32) -> Option<At> {
    match s.bodies[body as usize].entry {
        Next::Point(point) => Some(At { body, point }),
        _ => None,
    }
}

impl<'a> Members<'a> {
    fn new(f: &Functions<'a>, ownership: &Ownership) -> Members<'a> {
        let s = f.s;
        let (mut fresh, mut other) = (FxHashSet::default(), FxHashSet::default());
        // Structures that are copied as a whole.
        let mut copied: FxHashSet<&str> = FxHashSet::default();
        let mut out = Members {
            owning: FxHashSet::default(),
            handled: FxHashMap::default(),
            taken: FxHashMap::default(),
            stored: FxHashMap::default(),
            handled_at: FxHashMap::default(),
            callers: FxHashMap::default(),
            ways: FxHashMap::default(),
        };
        for (of, body) in s.bodies.iter().enumerate().filter(|(_, b)| !f.is_opaque(b.func)) {
            let stores = body.points.iter().any(|p| {
                let assigned = events(p).any(|e| match e {
                    Event::Assign(o) | Event::Modify(o) => member(s, *o).is_some(),
                    _ => false,
                });
                let result = match &p.flow {
                    Flow::Call(call) => call.result,
                    _ => None,
                };
                assigned || result.is_some_and(|o| member(s, o).is_some())
            });
            let owners = if stores { Owners::new(f, ownership, body) } else { Owners::default() };
            let handled = out.handled_at.entry(body.func).or_default();
            let mut emptied = Vec::new();
            for (number, point) in body.points.iter().enumerate() {
                let number = number as u32;
                let list = out.stored.entry(body.func).or_default();
                stored(f, ownership, (body, &owners), number, (&mut fresh, &mut other, list));
                emptied.extend(empties(s, (body, &owners), number).map(|m| (number, m)));
                for event in events(point) {
                    match *event {
                        Event::Copy(to, from) => {
                            if let Some(m) = member_or_address(s, from) {
                                handled.push((number, m));
                                // OM2
                                if !is_variable(s, to) {
                                    other.insert(m);
                                }
                            }
                            let whole = structure(s, to, false);
                            copied.extend(whole.filter(|_| structure(s, from, false) == whole));
                        }
                        Event::ReturnOf(o) | Event::Escape(o) | Event::Address(o) => {
                            handled.extend(member_or_address(s, o).map(|m| (number, m)));
                        }
                        _ => {}
                    }
                    if let Event::Address(o) = *event {
                        other.extend(member(s, o));
                    }
                }
                let Flow::Call(call) = &point.flow else { continue };
                for (i, o) in call.arg_values.iter().enumerate() {
                    let Some(o) = *o else { continue };
                    if takes(f, call, i) {
                        handled.extend(member_or_address(s, o).map(|m| (number, m)));
                    }
                    if let Reach::Address(part) = s.objects[o.index()].reach {
                        other.extend(member(s, part));
                    }
                }
                for &g in &call.targets {
                    if let Some(pointers) = f.copied(call, g) {
                        copied.extend(pointers.iter().filter_map(|o| structure(s, *o, true)));
                    }
                    if f.is_entered(g) {
                        let at = At { body: of as u32, point: number };
                        out.callers.entry(g).or_default().insert(at);
                    }
                }
            }
            // What is given up and set to null then is for a while (OM1).
            for (point, m) in emptied {
                let earlier = before(body, &[point]);
                let gone = handled.iter().any(|(p, h)| *h == m && earlier[*p as usize]);
                other.extend(gone.then_some(m));
            }
        }
        fresh.retain(|m: &Member<'_>| !other.contains(m) && !copied.contains(m.0));
        out.owning = fresh;
        if !out.owning.is_empty() {
            out.find_ways(s);
            out.close(s);
        }
        out
    }

    /// How owning members are reached.
    fn find_ways(&mut self, s: &'a Skeleton) {
        for o in (0..s.objects.len()).map(ObjectId::new) {
            let Some(m) = member(s, o).filter(|m| self.owning.contains(m)) else { continue };
            let Some((base, names)) = behind(s, o) else { continue };
            if let Some(whole) = structure(s, base, true) {
                self.ways.entry(whole).or_default().insert((names, m));
            }
        }
    }

    /// What functions handle with those that they call.
    fn close(&mut self, s: &Skeleton) {
        let owning = &self.owning;
        for list in self.handled_at.values_mut() {
            list.retain(|(_, m)| owning.contains(m));
        }
        let (mut handled, mut taken) = (FxHashMap::default(), FxHashMap::default());
        for (&g, list) in self.handled_at.iter().filter(|(_, list)| !list.is_empty()) {
            let list: BTreeSet<Member<'a>> = list.iter().map(|(_, m)| *m).collect();
            let stored = self.stored.get(&g);
            let kept = list.iter().filter(|m| stored.is_none_or(|s| !s.contains(m)));
            taken.insert(g, kept.copied().collect());
            handled.insert(g, list);
        }
        self.handled = self.with_callers(s, handled);
        self.taken = self.with_callers(s, taken);
    }

    /// What functions do, with those that they call.
    fn with_callers(
        &self,
        s: &Skeleton,
        mut all: FxHashMap<FuncId, BTreeSet<Member<'a>>>,
    ) -> FxHashMap<FuncId, BTreeSet<Member<'a>>> {
        let mut todo: Vec<FuncId> = all.keys().copied().collect();
        todo.sort_unstable();
        while let Some(g) = todo.pop() {
            let mine = all.get(&g).cloned().unwrap_or_default();
            for at in self.callers.get(&g).into_iter().flatten() {
                let caller = s.bodies[at.body as usize].func;
                let list = all.entry(caller).or_default();
                let before = list.len();
                list.extend(mine.iter().copied());
                if list.len() > before {
                    todo.push(caller);
                }
            }
        }
        all
    }

    /// OM5, before some points of a body, and before calls of it.
    fn is_handled(
        &self,
        s: &'a Skeleton,
        body: &'a Body,
        ends: &[u32],
        what: (&str, &Member<'_>),
    ) -> bool {
        if self.is_handled_before(body, ends, what.1, &self.handled, |_| true) {
            return true;
        }
        let mut todo: Vec<(FuncId, u32)> = vec![(body.func, 0)];
        while let Some((g, depth)) = todo.pop() {
            for at in self.callers.get(&g).into_iter().flatten() {
                let caller = &s.bodies[at.body as usize];
                // A call of another function is about the same structure if that is given to it.
                let given = |call: &Call| {
                    let args = call.arg_values.iter().flatten();
                    args.into_iter().any(|o| structure(s, *o, true) == Some(what.0))
                };
                if self.is_handled_before(caller, &[at.point], what.1, &self.taken, given) {
                    return true;
                }
                if depth < CALLS_UP && caller.func != g {
                    todo.push((caller.func, depth + 1));
                }
            }
        }
        false
    }

    /// Whether that is so at a point from which one of the ends is reached, or at an end, or in a function that is called there.
    fn is_handled_before(
        &self,
        body: &Body,
        ends: &[u32],
        m: &Member<'_>,
        called: &FxHashMap<FuncId, BTreeSet<Member<'a>>>,
        counts: impl Fn(&Call) -> bool,
    ) -> bool {
        let before = before(body, ends);
        let itself = self.handled_at.get(&body.func).into_iter().flatten();
        let by = |g: &FuncId| called.get(g).is_some_and(|list| list.contains(m));
        itself.into_iter().any(|(point, h)| h == m && before[*point as usize])
            || body.points.iter().zip(&before).any(|(point, before)| match &point.flow {
                Flow::Call(call) if *before && counts(call) => call.targets.iter().any(by),
                _ => false,
            })
    }

    /// OM3 and OM4, for one body.
    fn inherited(
        &self,
        f: &Functions<'_>,
        ownership: &Ownership,
        (number, body): (u32, &Body),
        out: &mut Inherited,
    ) {
        let s = f.s;
        let mut owners: Option<Owners> = None;
        let mut freed: BTreeMap<ObjectId, Vec<u32>> = BTreeMap::new();
        for (i, point) in body.points.iter().enumerate() {
            let Flow::Call(call) = &point.flow else { continue };
            for (n, arg) in call.arg_values.iter().enumerate() {
                let frees = |g: &FuncId| f.frees(*g, n) && !f.allocates(*g);
                let Some(v) = arg.filter(|_| call.targets.iter().any(frees)) else { continue };
                let has = structure(s, v, true).is_some_and(|t| self.ways.contains_key(t));
                if !has || !is_variable(s, v) || s.objects[v.index()].address_taken {
                    continue;
                }
                let owners = owners.get_or_insert_with(|| Owners::new(f, ownership, body));
                if !matches!(owners.at(i as u32, v), Own::Fresh(_) | Own::Null) {
                    freed.entry(v).or_default().push(i as u32);
                }
            }
        }
        for (&v, ends) in &freed {
            let Some(whole) = structure(s, v, true) else { continue };
            let ways = self.ways.get(whole).into_iter().flatten();
            let ways = ways.filter(|(_, m)| !self.is_handled(s, body, ends, (whole, m)));
            let ways: Vec<&Vec<Box<str>>> = ways.map(|(names, _)| names).collect();
            if ways.is_empty() {
                continue;
            }
            for variable in copied_from(s, body, v) {
                let place =
                    |names: &&Vec<Box<str>>| Place { variable, names: (*names).clone(), freed: v };
                if body.params.contains(&Some(variable)) {
                    out.at_entry.entry(number).or_default().extend(ways.iter().map(place));
                }
                for (i, point) in body.points.iter().enumerate() {
                    if gets_from_elsewhere(f, ownership, body, point, variable) {
                        let at = At { body: number, point: i as u32 };
                        out.behind.entry(at).or_default().extend(ways.iter().map(place));
                    }
                }
            }
        }
    }
}

/// So many calls up callers are looked at, besides the first.
const CALLS_UP: u32 = 1;

/// From which points one of some is reached, these included.
fn before(body: &Body, ends: &[u32]) -> Vec<bool> {
    let mut back: Vec<Vec<u32>> = vec![Vec::new(); body.points.len()];
    for (i, point) in body.points.iter().enumerate() {
        let next: Vec<Next> = match &point.flow {
            Flow::Next(next) => vec![*next],
            Flow::Branch(arms) => arms.iter().map(|a| a.next).collect(),
            Flow::Call(call) => vec![call.next],
            Flow::Return => Vec::new(),
        };
        for next in next {
            if let Next::Point(p) = next {
                back[p as usize].push(i as u32);
            }
        }
    }
    let mut out = vec![false; body.points.len()];
    let mut todo = ends.to_vec();
    while let Some(p) = todo.pop() {
        if !std::mem::replace(&mut out[p as usize], true) {
            todo.extend(&back[p as usize]);
        }
    }
    out
}

/// A variable, and those of its type that it is copied from.
fn copied_from(s: &Skeleton, body: &Body, v: ObjectId) -> BTreeSet<ObjectId> {
    let mut out = BTreeSet::from([v]);
    let mut todo = vec![v];
    while let Some(v) = todo.pop() {
        for event in body.points.iter().flat_map(events) {
            if let Event::Copy(to, from) = *event
                && to == v
                && is_variable(s, from)
                && structure(s, from, true) == structure(s, v, true)
                && out.insert(from)
            {
                todo.push(from);
            }
        }
    }
    out
}

/// The members that get null at a point, of structures that were not just made.
fn empties<'a>(
    s: &'a Skeleton,
    (body, owners): (&Body, &Owners),
    number: u32,
) -> Option<Member<'a>> {
    let point = &body.points[number as usize];
    let null = point.values.iter().find(|(_, d)| d.is_some_and(|d| is_zero(body, d)));
    let &(o, _) = null?;
    let fresh =
        behind(s, o).is_some_and(|(base, _)| matches!(owners.at(number, base), Own::Fresh(_)));
    member(s, o).filter(|_| !fresh)
}

/// Whether a variable gets at a point what memory holds, or what a function returns that has not just made it.
fn gets_from_elsewhere(
    f: &Functions<'_>,
    ownership: &Ownership,
    body: &Body,
    point: &Point,
    v: ObjectId,
) -> bool {
    let s = f.s;
    if let Flow::Call(call) = &point.flow
        && call.result.or(call.temporary) == Some(v)
    {
        let entered = |g: &FuncId| f.is_entered(*g);
        return !ownership.makes_fresh(f, call)
            && !call.targets.is_empty()
            && call.targets.iter().all(entered);
    }
    let from = events(point).find_map(|e| match *e {
        Event::Copy(to, from) if to == v => Some(from),
        _ => None,
    });
    let null = point.values.iter().any(|(to, d)| *to == v && d.is_some_and(|d| is_zero(body, d)));
    let in_memory = |o: ObjectId| {
        let reach = s.objects[o.index()].reach;
        !is_variable(s, o) && !matches!(reach, Reach::Address(_))
    };
    !null && from.is_some_and(in_memory)
}

/// OM1: what a point stores in members.
fn stored<'a>(
    f: &Functions<'a>,
    ownership: &Ownership,
    (body, owners): (&Body, &Owners),
    number: u32,
    (fresh, other, all): (
        &mut FxHashSet<Member<'a>>,
        &mut FxHashSet<Member<'a>>,
        &mut BTreeSet<Member<'a>>,
    ),
) {
    let s = f.s;
    let point = &body.points[number as usize];
    if let Flow::Call(call) = &point.flow
        && let Some(m) = call.result.and_then(|o| member(s, o))
    {
        let list = if ownership.makes_fresh(f, call) { &mut *fresh } else { &mut *other };
        list.insert(m);
        all.insert(m);
    }
    for event in events(point) {
        let (Event::Assign(o) | Event::Modify(o)) = *event else { continue };
        let result = |p: &Point| matches!(&p.flow, Flow::Call(call) if call.result == Some(o));
        let Some(m) = member(s, o).filter(|_| !result(point)) else { continue };
        let from = events(point).find_map(|e| match *e {
            Event::Copy(to, from) if to == o => Some(from),
            _ => None,
        });
        let null =
            point.values.iter().any(|(to, d)| *to == o && d.is_some_and(|d| is_zero(body, d)));
        if !null {
            all.insert(m);
        }
        match from {
            _ if null => {}
            Some(v) => match owners.at(number, v) {
                Own::Fresh(_) if !is_stored_again(f, body, (o, v)) => {
                    fresh.insert(m);
                }
                Own::Null => {}
                _ => {
                    other.insert(m);
                }
            },
            None => {
                other.insert(m);
            }
        }
    }
}

/// OM2: whether a variable that is stored in a member is stored elsewhere, too, or kept by a function.
fn is_stored_again(f: &Functions<'_>, body: &Body, (member, v): (ObjectId, ObjectId)) -> bool {
    let s = f.s;
    body.points.iter().any(|point| {
        let again = events(point).any(|e| match *e {
            Event::Copy(to, from) => from == v && to != member && !is_variable(s, to),
            Event::Escape(o) => o == v,
            _ => false,
        });
        let kept = match &point.flow {
            Flow::Call(call) => call.arg_values.iter().enumerate().any(|(i, o)| {
                *o == Some(v)
                    && (call.open
                        || call.targets.is_empty()
                        || call.targets.iter().any(|&g| !f.is_entered(g) && f.keeps(Some(g), i)))
            }),
            _ => false,
        };
        again || kept
    })
}
