//! Access paths: a variable, or what a function returns, and links from there.
//!
//! The cell of an array with a constant index is a member of it, and the first cell is the array itself, as the first
//! cell of what a pointer points to is `*p` (rules AE1–AE3 in `elements`).

use crate::elements::Elements;
use crate::event::Link;
use crate::members::Place;
use crate::path_index::PathIndex;
use c_types::Scalar;
use front_c::{FuncId, Index, Object, ObjectId, Reach, Skeleton};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// A link as a number: `*`, `&`, and from 2 on the fields.
pub(crate) type L = u32;
pub(crate) const DEREF: L = 0;
pub(crate) const ADDRESS: L = 1;

/// Longer paths are not followed. `p->f` has two links.
pub const MAX_LENGTH: usize = 5;
/// In large programs, paths multiply: with more than so many besides those that are written in the
/// program, shorter ones have to do.
const MOST: usize = 100_000;
/// The same of a part of a rule, besides those that all parts have: what a part can do with more is too much for a search, and
/// finding that out is what parts would spend their time on.
const MOST_OF_PART: usize = 20_000;

/// Where a path starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Root {
    /// A variable.
    Var(ObjectId),
    /// What a function returns.
    Ret(FuncId),
    /// An argument of a call whose source is not followed, by its number; in the caller's frame.
    Arg(u32),
}

/// A path, by its position in [`Paths`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PathId(u32);

impl PathId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    #[cfg(test)]
    pub(crate) fn numbered(n: u32) -> PathId {
        PathId(n)
    }
}

/// All paths that occur. `&` and `*` next to each other cancel out.
#[derive(Clone)]
pub(crate) struct Paths {
    /// The most links of a path, and how few of them may have to do.
    longest: usize,
    shortest: usize,
    /// `&p->f` is `p` if `f` is the first member. Not so for rules that speak of members.
    whole: bool,
    /// Only paths that go by members that types have.
    members: Option<Arc<Members>>,
    /// How many are written in the program.
    written: usize,
    /// They are for a part of what a rule asks.
    of_part: bool,
    /// The first of them, which copies share.
    shared: Arc<Shared>,
    items: Vec<Item>,
    ids: PathIndex,
    fields: Arc<Fields>,
    objects: Arc<FxHashMap<ObjectId, Option<PathId>>>,
    elements: Arc<Elements>,
    moving: Option<Arc<Moving>>,
    /// The cell that stands for any of an array (AE4), and how an index of it is written.
    one: L,
    indices: Arc<FxHashMap<ObjectId, Box<str>>>,
    /// Objects that are others than that cell, where a point is looked at (OC1).
    missed: FxHashSet<ObjectId>,
}

/// Cells at an index that is a variable (MC1).
#[derive(Clone, Default)]
struct Moving {
    /// The variables that links stand for.
    links: FxHashMap<L, ObjectId>,
    /// In whose frame variables are.
    owners: Vec<Option<FuncId>>,
}

type Item = (Root, Box<[L]>);

/// Variables, and members of variables, that are assigned nothing but one address, with its path.
pub(crate) type OnlyAddresses = FxHashMap<PathId, PathId>;

/// Paths that are the same for all parts of a rule.
#[derive(Default)]
struct Shared {
    items: Vec<Item>,
    /// Those that are addresses.
    addresses: Vec<PathId>,
    /// What is found out once about them.
    only: OnceLock<Arc<OnlyAddresses>>,
}

/// Members, by number.
#[derive(Clone, Default)]
struct Fields {
    numbers: FxHashMap<String, L>,
    names: Vec<String>,
}

impl Paths {
    /// How a program writes a path that begins with a variable: `p`, `*p`, `p->f`.
    pub(crate) fn written(&self, s: &Skeleton, p: PathId) -> Option<String> {
        let Root::Var(object) = self.root(p) else { return None };
        let mut out = s.objects.get(object.index())?.name.clone();
        let mut behind = false;
        for &link in self.links(p) {
            // A star is written before what it is about, unless a member follows.
            if behind && link < 2 {
                out = format!("(*{out})");
            }
            match (link, behind) {
                (DEREF, _) => {}
                (ADDRESS, _) => out = format!("&{out}"),
                (field, behind) => {
                    let name = self.fields.names.get(field as usize - 2)?;
                    let dot = match (is_element(name), behind) {
                        (true, _) => "",
                        (false, true) => "->",
                        (false, false) => ".",
                    };
                    // `[i#3]` is told as `[i]`, and so is the cell that stands for any.
                    let name = match name.split_once('#') {
                        _ if link == self.one => self.index_name(object),
                        Some((cell, _)) if is_element(name) => format!("{cell}]"),
                        _ => name.clone(),
                    };
                    out = format!("{out}{dot}{name}");
                }
            }
            behind = link == DEREF;
        }
        Some(if behind { format!("*{out}") } else { out })
    }

    /// The paths of the objects, of at most `longest` links; fewer than `shortest` are no use. `typed`: in large programs, `p->f` is only
    /// followed where the type of `p` has a member `f`, or is not known.
    pub(crate) fn new(
        s: &Skeleton,
        (shortest, longest): (usize, usize),
        whole: bool,
        typed: bool,
        (elements, moving): (&Arc<Elements>, bool),
    ) -> Paths {
        let owners = || s.objects.iter().map(|o| o.owner.filter(|_| o.automatic)).collect();
        let moving = moving.then(|| Arc::new(Moving { owners: owners(), ..Moving::default() }));
        let mut paths = Paths {
            longest,
            shortest,
            whole,
            members: None,
            written: 0,
            of_part: false,
            shared: Arc::default(),
            items: Vec::new(),
            ids: PathIndex::default(),
            fields: Arc::default(),
            objects: Arc::default(),
            elements: Arc::clone(elements),
            moving,
            one: 0,
            indices: Arc::default(),
            missed: FxHashSet::default(),
        };
        paths.one = paths.field("[*]");
        if typed {
            let members = Members::new(s, &mut paths);
            paths.members = Some(Arc::new(members));
        }
        for o in 0..s.objects.len() {
            paths.object(s, ObjectId::new(o));
        }
        paths.written = paths.len();
        paths
    }
    /// The same, whose copies share what there is until now: each part of a rule has a few paths more.
    pub(crate) fn shared(mut self) -> Paths {
        debug_assert!(self.shared.items.is_empty(), "they are shared once");
        let is_address = |(_, item): &(usize, &Item)| item.1.last() == Some(&ADDRESS);
        let all = self.items.iter().enumerate().filter(is_address);
        let addresses = all.map(|(i, _)| PathId(i as u32)).collect();
        let items = std::mem::take(&mut self.items);
        self.shared = Arc::new(Shared { items, addresses, only: OnceLock::new() });
        self.ids = self.ids.shared();
        self
    }
    /// A copy for a part of what a rule asks, or for all of it.
    pub(crate) fn copy(&self, of_part: bool) -> Paths {
        Paths { of_part, ..self.clone() }
    }
    fn item(&self, p: PathId) -> &Item {
        let shared = &self.shared.items;
        shared.get(p.index()).unwrap_or_else(|| &self.items[p.index() - shared.len()])
    }
    /// Those that end with the address of something.
    pub(crate) fn addresses(&self) -> Vec<PathId> {
        let new = self.shared.items.len()..self.len();
        let new = new.map(|i| PathId(i as u32)).filter(|p| self.links(*p).last() == Some(&ADDRESS));
        self.shared.addresses.iter().copied().chain(new).collect()
    }
    /// What is found out once about the paths of objects, which are shared.
    pub(crate) fn only_addresses(
        &self,
        find: impl FnOnce() -> OnlyAddresses,
    ) -> Arc<OnlyAddresses> {
        self.shared.only.get_or_init(|| Arc::new(find())).clone()
    }
    /// Whether there are too many, and shorter ones can be tried.
    pub(crate) fn too_many(&self) -> bool {
        let many = self.len() - self.written > MOST;
        self.longest > self.shortest && (many || self.of_part && self.items.len() > MOST_OF_PART)
    }
    pub(crate) fn len(&self) -> usize {
        self.shared.items.len() + self.items.len()
    }
    pub(crate) fn all(&self) -> impl Iterator<Item = PathId> + use<> {
        (0..self.len() as u32).map(PathId)
    }
    pub(crate) fn root(&self, p: PathId) -> Root {
        self.item(p).0
    }
    pub(crate) fn links(&self, p: PathId) -> &[L] {
        &self.item(p).1
    }
    pub(crate) fn field(&mut self, name: &str) -> L {
        if let Some(&l) = self.fields.numbers.get(name) {
            return l;
        }
        let fields = Arc::make_mut(&mut self.fields);
        let l = fields.names.len() as L + 2;
        fields.numbers.insert(name.to_owned(), l);
        fields.names.push(name.to_owned());
        l
    }
    pub(crate) fn link(&mut self, link: &Link) -> L {
        match link {
            Link::Deref => DEREF,
            Link::Address => ADDRESS,
            Link::Field(name) => self.field(name),
        }
    }
    pub(crate) fn find(&self, root: Root, links: &[L]) -> Option<PathId> {
        self.ids.find(root, links)
    }
    /// For each beginning of a path, the shortest first: its path, and the path of its address.
    pub(crate) fn beginnings(&self, p: PathId) -> Vec<(Option<PathId>, Option<PathId>)> {
        let (root, links) = self.item(p);
        self.ids.beginnings(*root, links)
    }
    /// The path; none if it is too long.
    pub(crate) fn add(&mut self, root: Root, links: &[L]) -> Option<PathId> {
        if let Some(found) = self.find(root, links) {
            return Some(found);
        }
        let mut longest = self.longest;
        if let Some((at, _)) = self.moving_link(links) {
            if !self.is_at_home(root, links[at]) || self.moving_link(&links[at + 1..]).is_some() {
                return None;
            }
            // A pointer and its cell are one step.
            longest += 2;
        }
        match links.iter().filter(|l| **l == self.one).count() {
            0 => {}
            1 => longest += 1,
            _ => return None,
        }
        let moving = |l: L| self.moving.as_ref().is_some_and(|m| m.links.contains_key(&l));
        let cell = |l: L| l == self.one || moving(l);
        if links.len() > longest
            || self.members.as_ref().is_some_and(|m| !m.allow(root, links, &cell))
        {
            return None;
        }
        let id = PathId(self.len() as u32);
        self.items.push((root, links.into()));
        self.ids.insert(root, links, id);
        Some(id)
    }

    /// MC1: which of the links is a cell at an index that is a variable, and that.
    pub(crate) fn moving_link(&self, links: &[L]) -> Option<(usize, ObjectId)> {
        let moving = self.moving.as_ref().filter(|m| !m.links.is_empty())?;
        links.iter().enumerate().find_map(|(at, l)| Some((at, *moving.links.get(l)?)))
    }

    /// Whether there are any.
    pub(crate) fn has_moving(&self) -> bool {
        self.moving.as_ref().is_some_and(|m| !m.links.is_empty())
    }

    /// Whether a path begins with a variable of the function that the index is one of.
    fn is_at_home(&self, root: Root, link: L) -> bool {
        let (Some(moving), Root::Var(o)) = (&self.moving, root) else { return false };
        let owner = |o: ObjectId| moving.owners.get(o.index()).copied().flatten();
        let index = moving.links.get(&link).and_then(|i| owner(*i));
        index.is_some() && owner(o) == index
    }

    /// The link of the cell at an index that is a variable.
    fn at_index(&mut self, s: &Skeleton, object: &Object) -> Option<L> {
        let Some(Index::By(index)) = object.index.filter(|_| object.varied) else { return None };
        let variable = &s.objects[index.index()];
        if variable.address_taken || self.moving.is_none() {
            return None;
        }
        let link = self.field(&format!("[{}#{}]", variable.name, index.index()));
        let moving = self.moving.as_mut()?;
        if !moving.links.contains_key(&link) {
            Arc::make_mut(moving).links.insert(link, index);
        }
        Some(link)
    }

    /// A member of what a variable points to.
    pub(crate) fn member(&mut self, place: &Place) -> Option<PathId> {
        let mut links: Vec<L> = vec![DEREF];
        for name in &place.names {
            links.push(self.field(name));
        }
        self.add(Root::Var(place.variable), &links)
    }

    /// The path with more links behind it.
    pub(crate) fn extended(&self, base: PathId, suffix: &[L]) -> (Root, Vec<L>) {
        let (root, links) = self.item(base);
        let mut links = links.to_vec();
        for &l in suffix {
            match (links.last(), l) {
                (Some(&ADDRESS), DEREF) | (Some(&DEREF), ADDRESS) => {
                    links.pop();
                }
                _ => links.push(l),
            }
        }
        (*root, links)
    }
    pub(crate) fn graft(&mut self, base: PathId, suffix: &[L]) -> Option<PathId> {
        let (root, links) = self.extended(base, suffix);
        self.add(root, &links)
    }
    pub(crate) fn find_graft(&self, base: PathId, suffix: &[L]) -> Option<PathId> {
        let (root, links) = self.extended(base, suffix);
        self.find(root, &links)
    }

    /// The path of an object; none for what may be one of several.
    pub(crate) fn object(&mut self, s: &Skeleton, o: ObjectId) -> Option<PathId> {
        if self.missed.contains(&o) {
            return None;
        }
        if let Some(&known) = self.objects.get(&o) {
            return known;
        }
        let mut chain = Vec::new();
        let mut at = o;
        let found = loop {
            let object = &s.objects[at.index()];
            let (base, links): (ObjectId, Vec<L>) = match object.reach {
                Reach::Var => break Some(at),
                // A parameter that is declared as an array is a pointer.
                Reach::Cell(b) => {
                    let behind = self.elements.is_param(b);
                    let mut links = if behind { vec![DEREF] } else { Vec::new() };
                    match object.element.as_deref() {
                        _ if self.stands_for_any(object, b) => links.push(self.one),
                        None => match self.at_index(s, object) {
                            Some(cell) => links.push(cell),
                            None => break None,
                        },
                        Some(_) if self.elements.is_varied(b) => break None,
                        Some("[0]") => {}
                        Some(element) => links.push(self.field(element)),
                    }
                    (b, links)
                }
                Reach::Deref(b) => match object.element.as_deref() {
                    _ if self.stands_for_any(object, b) => (b, vec![DEREF, self.one]),
                    None if object.varied => match self.at_index(s, object) {
                        Some(cell) => (b, vec![DEREF, cell]),
                        None => break None,
                    },
                    None => (b, vec![DEREF]),
                    Some(_) if self.elements.is_varied(b) => break None,
                    Some(element) => (b, vec![DEREF, self.field(element)]),
                },
                Reach::Address(b) => (b, vec![ADDRESS]),
                Reach::Field(b) | Reach::Arrow(b) => {
                    let field = self.field(member(object));
                    match object.reach {
                        Reach::Arrow(_) => (b, vec![DEREF, field]),
                        _ => (b, vec![field]),
                    }
                }
            };
            chain.push(links);
            at = base;
        };
        let path = found.and_then(|var| {
            let start = self.add(Root::Var(var), &[])?;
            let mut suffix: Vec<L> = chain.into_iter().rev().flatten().collect();
            if suffix.contains(&self.one)
                && let Some(Index::By(index)) = s.objects[o.index()].index
            {
                let name = s.objects[index.index()].name.as_str().into();
                Arc::make_mut(&mut self.indices).insert(var, name);
            }
            // An array stands for its address.
            let plain = o == var && !self.whole;
            if s.objects[o.index()].array && (plain || self.elements.has(s, o)) {
                suffix.push(ADDRESS);
            }
            self.graft(start, &suffix)
        });
        Arc::make_mut(&mut self.objects).insert(o, path);
        path
    }

    /// AE4: whether a cell of an array, or of what a pointer points to, is the one that stands for any.
    fn stands_for_any(&self, cell: &Object, array: ObjectId) -> bool {
        cell.scalar == Some(Scalar::Pointer) && self.elements.is_one_of(array)
    }

    /// The cell on the way to an object that is one of several, and stands for any; with the objects on that way.
    pub(crate) fn one_of_several(&self, s: &Skeleton, o: ObjectId) -> Option<Vec<ObjectId>> {
        let mut way = vec![o];
        let mut at = o;
        loop {
            let object = &s.objects[at.index()];
            let (Reach::Cell(b)
            | Reach::Deref(b)
            | Reach::Address(b)
            | Reach::Field(b)
            | Reach::Arrow(b)) = object.reach
            else {
                return None;
            };
            if matches!(object.reach, Reach::Cell(_) | Reach::Deref(_))
                && self.stands_for_any(object, b)
            {
                return Some(way);
            }
            way.push(b);
            at = b;
        }
    }

    /// OC1: says which objects are other cells than the one that stands for any.
    pub(crate) fn miss(&mut self, objects: FxHashSet<ObjectId>) {
        self.missed = objects;
    }

    /// Whether a path goes by a cell that stands for any.
    pub(crate) fn is_one(&self, p: PathId) -> bool {
        self.links(p).contains(&self.one)
    }

    /// Whether it is such a cell.
    pub(crate) fn ends_with_one(&self, p: PathId) -> bool {
        self.links(p).last() == Some(&self.one)
    }

    /// The function in whose frame it is; none for globals.
    pub(crate) fn owner(&self, s: &Skeleton, p: PathId) -> Option<FuncId> {
        match self.root(p) {
            Root::Var(o) => {
                let object = &s.objects[o.index()];
                object.owner.filter(|_| object.automatic)
            }
            Root::Ret(g) => Some(g),
            Root::Arg(_) => None,
        }
    }

    /// For the address of the first member of what a pointer points to, the path of the pointer: it has
    /// the same value.
    pub(crate) fn whole(&self, s: &Skeleton, o: ObjectId) -> Option<PathId> {
        let Reach::Address(part) = s.objects[o.index()].reach else { return None };
        whole_of(s, part).filter(|_| self.whole).and_then(|p| self.object_known(p))
    }

    /// Whether a variable is an array whose cells are followed.
    pub(crate) fn has_elements(&self, s: &Skeleton, o: ObjectId) -> bool {
        self.elements.has(s, o)
    }

    /// The path of an object that was asked for before.
    pub(crate) fn object_known(&self, o: ObjectId) -> Option<PathId> {
        self.objects.get(&o).copied().flatten().filter(|_| !self.missed.contains(&o))
    }

    /// The name of a field.
    pub(crate) fn field_name(&self, l: L) -> &str {
        self.fields.names.get(l as usize - 2).map_or("", String::as_str)
    }

    /// The same as it is written: a cell that stands for any has the name of an index.
    pub(crate) fn cell_name(&self, p: PathId, l: L) -> String {
        match self.root(p) {
            Root::Var(o) if l == self.one => self.index_name(o),
            _ if l == self.one => "[...]".to_owned(),
            _ => self.field_name(l).to_owned(),
        }
    }

    fn index_name(&self, array: ObjectId) -> String {
        format!("[{}]", self.indices.get(&array).map_or("...", |name| &**name))
    }

    /// Whether the value of `base` with these links depends on what `base` holds: not so the address
    /// of a part of it.
    pub(crate) fn depends(suffix: &[L]) -> bool {
        match suffix.split_last() {
            Some((&ADDRESS, rest)) => rest.contains(&DEREF),
            _ => true,
        }
    }

    /// Whether it is read from memory behind a pointer.
    pub(crate) fn in_memory(&self, p: PathId) -> bool {
        in_memory(self.links(p))
    }

    /// Whether it is the address of a variable, or of a part of one.
    pub(crate) fn is_address(&self, p: PathId) -> bool {
        let links = self.links(p);
        links.last() == Some(&ADDRESS) && !links.contains(&DEREF)
    }
}

/// Whether a link's name is that of a cell.
pub(crate) fn is_element(name: &str) -> bool {
    name.starts_with('[')
}

/// The name of a member, as a link: all members of a union are one.
fn member(object: &front_c::Object) -> &str {
    match object.overlaps {
        true => "(union)",
        false => object.name.rsplit(['.', '>']).next().unwrap_or(""),
    }
}

/// Whether links go through a pointer to memory that is read.
pub(crate) fn in_memory(links: &[L]) -> bool {
    let loads = links.iter().filter(|l| **l == DEREF).count();
    loads > usize::from(links.last() == Some(&ADDRESS))
}

/// The pointer whose address a part behind it has: `p` for `p->f` and `p->f.g`, if these come first.
fn whole_of(s: &Skeleton, mut o: ObjectId) -> Option<ObjectId> {
    loop {
        let object = &s.objects[o.index()];
        match object.reach {
            Reach::Arrow(b) if object.first => return Some(b),
            Reach::Field(b) if object.first => o = b,
            _ => return None,
        }
    }
}

/// A type: its name without stars, by number, and how many stars.
type Shape = (u32, u32);

/// The members that structures have, as far as the program names them.
struct Members {
    /// The links that are cells.
    elements: FxHashSet<L>,
    /// The type of a member, if it is known.
    of: FxHashMap<(u32, L), Option<Shape>>,
    structures: FxHashSet<u32>,
    vars: Vec<Option<Shape>>,
    results: Vec<Option<Shape>>,
}

impl Members {
    fn new(s: &Skeleton, paths: &mut Paths) -> Members {
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let mut shape = |names: u32| {
            let name = s.types[names as usize].last()?;
            let base = name.trim_end_matches('*');
            let next = numbers.len() as u32;
            Some((*numbers.entry(base).or_insert(next), (name.len() - base.len()) as u32))
        };
        let vars: Vec<Option<Shape>> = s.objects.iter().map(|o| shape(o.type_names)).collect();
        let results = s.funcs.iter().map(|f| shape(f.result_names)).collect();
        let (mut of, mut structures) = (FxHashMap::default(), FxHashSet::default());
        let names = s.objects.iter().filter_map(|o| o.element.as_deref());
        let elements = names.map(|name| paths.field(name)).collect();
        for (i, object) in s.objects.iter().enumerate() {
            let (base, stars) = match object.reach {
                Reach::Field(b) => (b, 0),
                Reach::Arrow(b) => (b, 1),
                _ => continue,
            };
            let Some((structure, _)) = vars[base.index()].filter(|t| t.1 == stars) else {
                continue;
            };
            let field = paths.field(member(object));
            structures.insert(structure);
            let known = of.entry((structure, field)).or_insert(vars[i]);
            *known = known.or(vars[i]);
        }
        Members { elements, of, structures, vars, results }
    }

    /// Whether links go by members that there are.
    fn allow(&self, root: Root, links: &[L], moving: &dyn Fn(L) -> bool) -> bool {
        let mut at = match root {
            Root::Var(o) => self.vars[o.index()],
            Root::Ret(g) => self.results[g.index()],
            Root::Arg(_) => None,
        };
        for &l in links {
            at = match (l, at) {
                (DEREF, Some((t, stars))) if stars > 0 => Some((t, stars - 1)),
                (ADDRESS, Some((t, stars))) => Some((t, stars + 1)),
                (DEREF | ADDRESS, _) => None,
                (cell, _) if self.elements.contains(&cell) || moving(cell) => None,
                (field, Some((t, 0))) if self.structures.contains(&t) => {
                    match self.of.get(&(t, field)) {
                        Some(&member) => member,
                        None => return false,
                    }
                }
                _ => None,
            };
        }
        true
    }
}
