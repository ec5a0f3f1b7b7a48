//! Where pointers may point: an inclusion analysis over all data, flow-insensitive, after [andersen §4], with offsets
//! as in Pearce, Kelly and Hankin's.
//!
//! A node stands for values: of a local, an expression, a function's result, or of a word of an abstract object.
//! `p ∋ (o, k)` says that the values of `p` may be addresses of the place `k` of `o`.
//!
//! - PT1 (flow): `x ∋ a`, `x ⊆ y`  ⟹  `y ∋ a`.
//! - PT2 (distance): `x ∋ (o, k)`, `x + c ⊆ y`  ⟹  `y ∋ (o, fold(k + c))`; by a multiple of `n` that is not known:
//!   `(o, k)`, if `k` lies in an array whose elements have that size, else `(o, any)`.
//! - PT3 (read): `x ∋ (o, k)`, `*x ⊆ y`  ⟹  `word(o, k) ⊆ y`.
//! - PT4 (write): `x ∋ (o, k)`, `y ⊆ *x`  ⟹  `y ⊆ word(o, k)`. `any` stands for all words, those that come later too.
//! - PT5 (copy): `x ∋ (o, k)`, `y ∋ (p, l)`, `*x = *y`  ⟹  `word(p, l + i) ⊆ word(o, k + i)` for each word `i` of what
//!   is copied. Of a statement that copies between more than 64 pairs of objects, whatever any word of these holds is in
//!   all words of those.
//! - PT6 (call): `x ∋ f` at `r = x(a…)`  ⟹  `aᵢ ⊆ paramᵢ(f)`, `result(f) ⊆ r`; for `f` without a body, what is known of
//!   the library, else PT7 for the arguments, and `r` is from outside.
//! - PT7 (outside): what is given away can be read, written and called there. One address, `⊤`, stands for all that is
//!   given away: `(o, k)` is given  ⟹  all words of `o` are given, and `⊤` is in them; `f` is given  ⟹  `⊤` is in its
//!   parameters, its result is given; what is read at `⊤` is `⊤`, what is written there is given.
//! - PT8 (given away): `(o, k)` is given  ⟹  `⊤` takes its place, wherever it is. A word of `o` holds nothing but what is
//!   given (PT7), and all that is given is one region, so nothing is lost by it; and in a library, in which anything is
//!   given away, sets are small.
//!
//! What is new at a node goes on along its edges, all of it at once.

use crate::library::{Effect, effect};
use crate::objects::{ANY, Made, Obj, Objects, Place};
use crate::sets::Set;
use c_data::{FuncId, Home, Operation, Program};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) type Node = u32;

/// More facts than this are not gathered.
const MAX_FACTS: usize = 30_000_000;
/// PT5: the most pairs of objects that one statement copies word by word.
const MAX_PAIRS: u32 = 64;
/// The most words that are copied one by one.
const MAX_WORDS: u64 = 4_096;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Edge {
    Copy(Node),
    /// By so many bytes, and then by any multiple of so many.
    Shift(Node, i64, u64),
    /// What is read goes there; so many bytes.
    Load(Node, u64),
    /// What is written comes from there.
    Store(Node, u64),
    /// What lies at the addresses of another node is copied here, by this of [`Solver::copying`].
    CopyFrom(Node, u32),
    /// The same, of one place to which it is copied.
    CopyTo(u32, u32),
    /// What any word of an object holds goes there.
    Whole(Node),
    /// It is called.
    Call(u32),
    /// It is given away.
    Escape,
}

/// A statement that copies memory.
#[derive(Clone, Copy, Debug)]
struct Copying {
    /// Where the addresses are from which it copies.
    from: Node,
    /// So many bytes, or nobody knows.
    size: Option<u64>,
    /// So many pairs of places were met.
    pairs: u32,
    /// With too many of them: what passes between all of them.
    hub: Option<Node>,
}

/// An argument: its value, and the size of an aggregate whose address it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arg {
    pub(crate) value: Option<Node>,
    pub(crate) aggregate: Option<u64>,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) args: Vec<Arg>,
    pub(crate) result: Option<Node>,
    /// Where an aggregate result goes, and its size.
    pub(crate) result_at: Option<(Node, u64)>,
    /// Where it stands.
    pub(crate) at: Operation,
    /// It is a call through a pointer.
    pub(crate) by_pointer: bool,
    /// What it makes if an allocator is called.
    pub(crate) made: Made,
}

/// The facts while they are found.
pub(crate) struct Solver<'p> {
    pub(crate) program: &'p Program,
    pub(crate) objects: Objects,
    /// Bytes of a word: of a pointer.
    pub(crate) word: u64,
    pub(crate) places: Vec<Place>,
    ids: FxHashMap<Place, u32>,
    edges: Vec<Vec<Edge>>,
    pub(crate) facts: Vec<Set>,
    /// Those of them that did not go on yet, and how many facts there are.
    new: Vec<Set>,
    count: usize,
    copied: FxHashSet<(Node, Node)>,
    /// The nodes with something new.
    work: Vec<Node>,
    /// PT8: by object, whether it is given away; how many were, and how many when a node's facts were looked at last.
    gone: Vec<bool>,
    gone_by_now: u32,
    looked: Vec<u32>,
    /// The words of each object that are known, and their nodes.
    words: FxHashMap<Obj, Vec<(u32, Node)>>,
    at: FxHashMap<(Obj, u32), Node>,
    /// Of each object, what any of its words may hold, and what all of them do.
    ends: FxHashMap<Obj, (Node, Node)>,
    /// Where words of an object are copied to, and how far from where they are.
    copies: FxHashMap<Obj, Vec<(Obj, i64)>>,
    known_copies: FxHashSet<(Obj, Obj, i64)>,
    copying: Vec<Copying>,
    pub(crate) sites: Vec<Site>,
    called: FxHashSet<(u32, FuncId)>,
    /// The functions that each site calls.
    pub(crate) targets: Vec<Vec<FuncId>>,
    /// Sites that call what is not known.
    pub(crate) open: FxHashSet<u32>,
    /// The nodes of locals, by function, and of results.
    pub(crate) locals: Vec<Node>,
    pub(crate) results: Vec<Node>,
    /// What is given away, and what comes from outside.
    pub(crate) given: Node,
    outside: Node,
    /// `⊤`
    top: u32,
}

impl<'p> Solver<'p> {
    pub(crate) fn new(program: &'p Program, objects: Objects) -> Solver<'p> {
        let mut solver = Solver {
            program,
            objects,
            word: u64::from(program.types.model().pointer / 8),
            places: Vec::new(),
            ids: FxHashMap::default(),
            edges: Vec::new(),
            facts: Vec::new(),
            new: Vec::new(),
            count: 0,
            copied: FxHashSet::default(),
            work: Vec::new(),
            gone: Vec::new(),
            gone_by_now: 0,
            looked: Vec::new(),
            words: FxHashMap::default(),
            at: FxHashMap::default(),
            ends: FxHashMap::default(),
            copies: FxHashMap::default(),
            known_copies: FxHashSet::default(),
            copying: Vec::new(),
            sites: Vec::new(),
            called: FxHashSet::default(),
            targets: Vec::new(),
            open: FxHashSet::default(),
            locals: Vec::new(),
            results: Vec::new(),
            given: 0,
            outside: 0,
            top: 0,
        };
        for function in &program.functions {
            let first = solver.edges.len() as Node;
            solver.locals.push(first);
            for _ in &function.locals {
                solver.node();
            }
            let result = solver.node();
            solver.results.push(result);
        }
        (solver.given, solver.outside) = (solver.node(), solver.node());
        solver.top = solver.place_of(Made::Outside, 0);
        solver.add(solver.outside, solver.top);
        solver.edge(solver.given, Edge::Escape);
        solver
    }

    pub(crate) fn node(&mut self) -> Node {
        self.edges.push(Vec::new());
        self.facts.push(Set::default());
        self.new.push(Set::default());
        self.looked.push(self.gone_by_now);
        self.edges.len() as Node - 1
    }

    pub(crate) fn place(&mut self, place: Place) -> u32 {
        let next = self.places.len() as u32;
        let id = *self.ids.entry(place).or_insert(next);
        if id == next {
            self.places.push(place);
        }
        id
    }

    pub(crate) fn place_of(&mut self, made: Made, offset: i64) -> u32 {
        let object = self.objects.get(self.program, made);
        let place = self.objects.fold(&self.program.types, object, offset);
        self.place(place)
    }

    pub(crate) fn shifted(&mut self, place: u32, by: i64, walk: u64) -> u32 {
        let types = &self.program.types;
        let there = self.objects.shift(types, self.places[place as usize], by);
        let mut there = self.objects.walk(types, there, walk);
        if !self.ids.contains_key(&there) && self.objects.is_crowded(there) {
            // A loop that steps through it.
            there = self.objects.walk(types, there, by.unsigned_abs().max(1));
            there.offset = ANY;
        }
        self.place(there)
    }

    pub(crate) fn add(&mut self, node: Node, place: u32) {
        let at = node as usize;
        let place = if self.is_gone_place(place) { self.top } else { place };
        if self.facts[at].insert(place) {
            self.count += 1;
            if self.new[at].len() == 0 {
                self.work.push(node);
            }
            self.new[at].insert(place);
        }
    }

    /// PT8: whether an object was given away.
    pub(crate) fn is_gone(&self, object: Obj) -> bool {
        self.gone.get(object.index()).copied().unwrap_or(false)
    }

    pub(crate) fn any_gone(&self) -> bool {
        self.gone_by_now > 0
    }

    fn is_gone_place(&self, place: u32) -> bool {
        self.is_gone(self.places[place as usize].object)
    }

    /// PT8, of what is at a node. What stood for it went on before, or does.
    fn forget_gone(&mut self, node: Node) {
        let at = node as usize;
        if std::mem::replace(&mut self.looked[at], self.gone_by_now) == self.gone_by_now {
            return;
        }
        let (places, gone) = (&self.places, &self.gone);
        let is_gone = |place: u32| {
            let object = places[place as usize].object;
            gone.get(object.index()).copied().unwrap_or(false)
        };
        let removed = self.facts[at].retain(|place| !is_gone(place));
        self.count -= removed;
        if removed > 0 {
            self.new[at].retain(|place| !is_gone(place));
            if self.facts[at].insert(self.top) {
                self.count += 1;
                self.new[at].insert(self.top);
                self.work.push(node);
            }
        }
    }

    /// Adds many.
    fn add_all(&mut self, node: Node, places: &Set) {
        let at = node as usize;
        let new = self.facts[at].union(places);
        if new.len() == 0 {
            return;
        }
        self.count += new.len();
        if self.new[at].len() == 0 {
            self.work.push(node);
            self.new[at] = new;
        } else {
            self.new[at].union(&new);
        }
    }

    pub(crate) fn edge(&mut self, node: Node, edge: Edge) {
        if let Edge::Copy(to) = edge
            && (to == node || !self.copied.insert((node, to)))
        {
            return;
        }
        self.edges[node as usize].push(edge);
        self.forget_gone(node);
        if self.facts[node as usize].len() > 0 {
            // What comes meanwhile goes on from the list of work.
            let places = match edge {
                Edge::Copy(_) => std::mem::take(&mut self.facts[node as usize]),
                _ => self.facts[node as usize].clone(),
            };
            self.apply_all(edge, &places);
            if let Edge::Copy(_) = edge {
                self.facts[node as usize] = places;
            }
        }
    }

    fn apply_all(&mut self, edge: Edge, places: &Set) {
        match edge {
            Edge::Copy(to) => self.add_all(to, places),
            _ => places.iter().for_each(|place| self.apply(edge, place)),
        }
    }

    /// Applies the rules until nothing new follows. None if that is too much work, or no longer wanted.
    pub(crate) fn run(&mut self, stop: &dyn Fn() -> bool) -> Option<()> {
        let mut done = 0;
        while let Some(node) = self.next() {
            self.forget_gone(node);
            let places = std::mem::take(&mut self.new[node as usize]);
            for i in 0..self.edges[node as usize].len() {
                done += places.len();
                if self.count > MAX_FACTS || (done > 4096 && stop()) {
                    return None;
                }
                done %= 4096;
                let edge = self.edges[node as usize][i];
                self.apply_all(edge, &places);
            }
        }
        Some(())
    }

    /// What is given away goes first: then less is left to do for all others.
    fn next(&mut self) -> Option<Node> {
        match self.new[self.given as usize].len() {
            0 => self.work.pop(),
            _ => Some(self.given),
        }
    }

    fn apply(&mut self, edge: Edge, place: u32) {
        match edge {
            // PT1
            Edge::Copy(to) => self.add(to, place),
            // PT2
            Edge::Shift(to, by, walk) => {
                let there = self.shifted(place, by, walk);
                self.add(to, there);
            }
            // PT3
            Edge::Load(to, size) => {
                let place = self.places[place as usize];
                for word in self.read(place, size) {
                    self.edge(word, Edge::Copy(to));
                }
            }
            // PT4
            Edge::Store(from, size) => {
                let place = self.places[place as usize];
                for word in self.written(place, size) {
                    self.edge(from, Edge::Copy(word));
                }
            }
            // PT5
            Edge::CopyFrom(from, of) => match self.copying[of as usize].hub {
                None => self.edge(from, Edge::CopyTo(place, of)),
                Some(hub) => self.copy_whole(hub, place),
            },
            Edge::CopyTo(to, of) => self.copy(to, place, of),
            Edge::Whole(hub) => {
                let object = self.places[place as usize].object;
                if self.is_outside(object) {
                    self.edge(self.outside, Edge::Copy(hub));
                } else if self.has_words(self.places[place as usize]) {
                    let any = self.ends(object).0;
                    self.edge(any, Edge::Copy(hub));
                }
            }
            // PT6
            Edge::Call(site) => {
                if let Made::Function(f) = self.made(place) {
                    self.call(site, f);
                } else if self.made(place) == Made::Outside {
                    self.call_outside(site);
                }
            }
            // PT7
            Edge::Escape => self.escape(place),
        }
    }

    fn made(&self, place: u32) -> Made {
        self.objects.all[self.places[place as usize].object.index()].made
    }

    // Words.

    /// The word so many bytes behind a place.
    pub(crate) fn word_at(&mut self, place: Place, by: u64) -> Node {
        let there = self.objects.further(&self.program.types, place, by as i64);
        let key = (there.object, there.offset / self.word as u32);
        if there.offset == ANY {
            return self.ends(there.object).0;
        }
        if let Some(&node) = self.at.get(&key) {
            return node;
        }
        let node = self.node();
        self.at.insert(key, node);
        self.words.entry(there.object).or_default().push((there.offset, node));
        if let Some(&(any, all)) = self.ends.get(&there.object) {
            self.edge(node, Edge::Copy(any));
            self.edge(all, Edge::Copy(node));
        }
        for (to, by) in self.copies.get(&there.object).cloned().unwrap_or_default() {
            self.copy_word((there.offset, node), to, by);
        }
        node
    }

    /// What any word of an object may hold, and what all of them do.
    fn ends(&mut self, object: Obj) -> (Node, Node) {
        if let Some(&ends) = self.ends.get(&object) {
            return ends;
        }
        let (any, all) = (self.node(), self.node());
        self.ends.insert(object, (any, all));
        self.edge(all, Edge::Copy(any));
        for (_, node) in self.words.get(&object).cloned().unwrap_or_default() {
            self.edge(node, Edge::Copy(any));
            self.edge(all, Edge::Copy(node));
        }
        (any, all)
    }

    fn has_words(&self, place: Place) -> bool {
        !matches!(self.objects.all[place.object.index()].made, Made::Function(_))
    }

    fn is_outside(&self, object: Obj) -> bool {
        self.objects.all[object.index()].made == Made::Outside || self.is_gone(object)
    }

    /// Where what is written to a place goes.
    pub(crate) fn target(&mut self, place: Place) -> Node {
        if self.is_outside(place.object) { self.given } else { self.word_at(place, 0) }
    }

    fn read(&mut self, place: Place, size: u64) -> Vec<Node> {
        match place.offset {
            _ if !self.has_words(place) => Vec::new(),
            _ if self.is_outside(place.object) => vec![self.outside],
            ANY => vec![self.ends(place.object).0],
            _ => self.each_word(place, size),
        }
    }

    fn written(&mut self, place: Place, size: u64) -> Vec<Node> {
        match place.offset {
            _ if !self.has_words(place) => Vec::new(),
            _ if self.is_outside(place.object) => vec![self.given],
            ANY => vec![self.ends(place.object).1],
            _ => self.each_word(place, size),
        }
    }

    /// The words that so many bytes touch.
    fn each_word(&mut self, place: Place, size: u64) -> Vec<Node> {
        let first = u64::from(place.offset) % self.word;
        let steps = (first + size.max(1)).div_ceil(self.word).min(MAX_WORDS);
        let mut out = Vec::with_capacity(steps as usize);
        for i in 0..steps {
            let by = (i * self.word).saturating_sub(if i > 0 { first } else { 0 });
            let node = self.word_at(place, by);
            if !out.contains(&node) {
                out.push(node);
            }
        }
        out
    }

    /// PT5: memory is copied from where one node points to to where another one does.
    pub(crate) fn copies(&mut self, to: Node, from: Node, size: Option<u64>) {
        let of = self.copying.len() as u32;
        self.copying.push(Copying { from, size, pairs: 0, hub: None });
        self.edge(to, Edge::CopyFrom(from, of));
    }

    fn copy_whole(&mut self, hub: Node, to: u32) {
        let to = self.places[to as usize];
        if self.is_outside(to.object) {
            self.edge(hub, Edge::Copy(self.given));
        } else if self.has_words(to) {
            let all = self.ends(to.object).1;
            self.edge(hub, Edge::Copy(all));
        }
    }

    /// PT5, of a pair of places.
    fn copy(&mut self, to: u32, from: u32, of: u32) {
        let Copying { from: sources, size, pairs, hub } = self.copying[of as usize];
        if let Some(hub) = hub {
            // What is new at `sources` gets to the hub by itself.
            return self.copy_whole(hub, to);
        }
        if pairs >= MAX_PAIRS {
            let hub = self.node();
            self.copying[of as usize].hub = Some(hub);
            self.edge(sources, Edge::Whole(hub));
            return self.copy_whole(hub, to);
        }
        self.copying[of as usize].pairs += 1;
        let (to, from) = (self.places[to as usize], self.places[from as usize]);
        if !self.has_words(to) || !self.has_words(from) {
            return;
        }
        if self.is_outside(to.object) || self.is_outside(from.object) {
            let source = match self.is_outside(from.object) {
                true => self.outside,
                false => self.ends(from.object).0,
            };
            let target = match self.is_outside(to.object) {
                true => self.given,
                false => self.ends(to.object).1,
            };
            return self.edge(source, Edge::Copy(target));
        }
        if to.offset == ANY || from.offset == ANY {
            let (any, all) = (self.ends(from.object).0, self.ends(to.object).1);
            return self.edge(any, Edge::Copy(all));
        }
        match size.filter(|size| size.div_ceil(self.word) <= MAX_WORDS) {
            Some(size) => {
                for i in 0..size.div_ceil(self.word) {
                    let source = self.word_at(from, i * self.word);
                    let target = self.word_at(to, i * self.word);
                    self.edge(source, Edge::Copy(target));
                }
            }
            None => {
                let by = i64::from(to.offset) - i64::from(from.offset);
                if !self.known_copies.insert((from.object, to.object, by)) {
                    return;
                }
                self.copies.entry(from.object).or_default().push((to.object, by));
                for word in self.words.get(&from.object).cloned().unwrap_or_default() {
                    self.copy_word(word, to.object, by);
                }
            }
        }
    }

    fn copy_word(&mut self, (offset, node): (u32, Node), to: Obj, by: i64) {
        let there = self.objects.fold(&self.program.types, to, i64::from(offset) + by);
        let target = match there.offset {
            _ if self.is_outside(to) => self.given,
            ANY => self.ends(to).1,
            _ => self.word_at(there, 0),
        };
        self.edge(node, Edge::Copy(target));
    }

    // Calls.

    pub(crate) fn site(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        self.targets.push(Vec::new());
        self.sites.len() as u32 - 1
    }

    /// The node of a parameter.
    pub(crate) fn param(&mut self, f: FuncId, i: usize) -> Option<Node> {
        let function = &self.program.functions[f.index()];
        let local = *function.params.get(i)?;
        Some(match function.locals[local.index()].home {
            Home::Register | Home::ByAddress => self.locals[f.index()] + local.index() as u32,
            Home::Memory => {
                let place = self.place_of(Made::Local(f, local), 0);
                self.target(self.places[place as usize])
            }
        })
    }

    /// PT6.
    pub(crate) fn call(&mut self, at: u32, f: FuncId) {
        if !self.called.insert((at, f)) {
            return;
        }
        self.targets[at as usize].push(f);
        let site = self.sites[at as usize].clone();
        if !self.program.functions[f.index()].has_body() {
            let name = &self.program.functions[f.index()].name;
            return match effect(name) {
                Some(effect) => self.library(&site, effect),
                None => self.call_outside(at),
            };
        }
        // A call through a pointer does not pass the frame that the closure has.
        let shift = usize::from(self.program.functions[f.index()].chained && site.by_pointer);
        for (i, arg) in site.args.iter().enumerate() {
            let Some(value) = arg.value else { continue };
            match (self.param(f, i + shift), arg.aggregate) {
                (Some(param), _) => self.edge(value, Edge::Copy(param)),
                (None, aggregate) => {
                    let more = self.place_of(Made::More(f), 0);
                    match aggregate {
                        Some(size) => {
                            let to = self.node();
                            self.add(to, more);
                            self.copies(to, value, Some(size));
                        }
                        None => {
                            let word = self.target(self.places[more as usize]);
                            self.edge(value, Edge::Copy(word));
                        }
                    }
                }
            }
        }
        let result = self.results[f.index()];
        if let Some(to) = site.result {
            self.edge(result, Edge::Copy(to));
        }
        if let Some((to, size)) = site.result_at {
            self.copies(to, result, Some(size));
        }
    }

    fn library(&mut self, site: &Site, effect: Effect) {
        let arg = |i: u8| site.args.get(usize::from(i)).and_then(|arg| arg.value);
        let made = |s: &mut Self| s.place_of(site.made, 0);
        match effect {
            Effect::Nothing => {}
            Effect::Returns(i) => {
                if let (Some(from), Some(to)) = (arg(i), site.result) {
                    self.edge(from, Edge::Shift(to, 0, 1));
                }
            }
            Effect::Allocates => {
                if let Some(to) = site.result {
                    let place = made(self);
                    self.add(to, place);
                }
            }
            Effect::Reallocates => {
                let place = made(self);
                if let Some(to) = site.result {
                    self.add(to, place);
                }
                if let Some(from) = arg(0) {
                    let to = self.node();
                    self.add(to, place);
                    self.copies(to, from, None);
                }
            }
            Effect::AllocatesAt(i) => {
                if let Some(to) = arg(i) {
                    let place = made(self);
                    let value = self.node();
                    self.add(value, place);
                    self.edge(to, Edge::Store(value, self.word));
                }
            }
            Effect::Copies { to, from } => {
                if let (Some(to), Some(from)) = (arg(to), arg(from)) {
                    self.copies(to, from, None);
                }
                if let (Some(to), Some(result)) = (arg(to), site.result) {
                    self.edge(to, Edge::Shift(result, 0, 1));
                }
            }
            Effect::StoresAt { to, from } => {
                if let (Some(to), Some(from)) = (arg(to), arg(from)) {
                    let inside = self.node();
                    self.edge(from, Edge::Shift(inside, 0, 1));
                    self.edge(to, Edge::Store(inside, self.word));
                }
            }
            Effect::FromOutside => {
                if let Some(to) = site.result {
                    let place = self.place_of(Made::Outside, 0);
                    self.add(to, place);
                }
            }
        }
    }

    /// PT7, of a call.
    pub(crate) fn call_outside(&mut self, at: u32) {
        if !self.open.insert(at) {
            return;
        }
        let site = self.sites[at as usize].clone();
        for arg in site.args.iter().filter_map(|arg| arg.value) {
            self.edge(arg, Edge::Copy(self.given));
        }
        if let Some(to) = site.result {
            self.edge(self.outside, Edge::Copy(to));
        }
        if let Some((to, size)) = site.result_at {
            self.edge(to, Edge::Store(self.outside, size));
        }
    }

    /// PT7.
    fn escape(&mut self, place: u32) {
        match self.made(place) {
            Made::Outside => {}
            Made::Function(f) => {
                for i in 0..self.program.functions[f.index()].params.len() {
                    if let Some(param) = self.param(f, i) {
                        self.edge(self.outside, Edge::Copy(param));
                    }
                }
                self.edge(self.results[f.index()], Edge::Copy(self.given));
            }
            _ => {
                let object = self.places[place as usize].object;
                if self.is_gone(object) {
                    return;
                }
                let (any, all) = self.ends(object);
                self.edge(any, Edge::Copy(self.given));
                self.add(all, self.top);
                // PT8
                if self.gone.len() <= object.index() {
                    self.gone.resize(object.index() + 1, false);
                }
                self.gone[object.index()] = true;
                self.gone_by_now += 1;
            }
        }
    }
}
