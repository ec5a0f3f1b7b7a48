//! The product of a C program with a rule about one value: a boolean program.
//!
//! The value is chosen when it comes into being, once in a run; from then on a bit for each path that
//! can hold it says whether it does, in the frame of the path's variable. What can be said of the
//! whole program is a question about that boolean program, for any depth of calls.
//!
//! Hidden globals: `on` (a value has been chosen), `s` (the state of the rule's automaton), `escaped`,
//! and `birth`, the number of the place where the value comes into being, which is any at the start and
//! never changes. Hidden locals: the bits of the function's paths; `outer`, whether an earlier frame
//! holds the value; `top`, whether nobody of the program has called.
//!
//! - VP1. A path gets the value by coming to hold it (RP1–RP3 of `relevance`), or, while `on` is false,
//!   by being chosen where a value comes into being: as the result of a function that is not entered, by
//!   a read from what is not followed, as a parameter of a function that nobody calls, as what a
//!   function stores through an argument, as the address of a variable (`points`).
//! - VP2. A path loses the value when something else is assigned to it, or to what it is reached through.
//!   What is written behind one pointer may be gone behind others, if it has the same field (`points`).
//! - VP3. The letter of a point is read before what the point writes; `result`, `out`, `new`, `lost` and
//!   `escape` are about what is so after it (`letters`).
//! - VP4. A path that holds the value is never taken where a comparison would be true that the rule's
//!   `assume` excludes (`points`).
//! - VP5. The value escapes when it is stored where no path is, given to a function that is not known to
//!   only borrow it, or taken apart by arithmetic (not where the result goes nowhere, and not by a variable that only walks
//!   through memory which another one holds); also when that happens to the address of a part of what
//!   it points to, or when such an address is copied. It is lost when it has not escaped and nothing holds
//!   it any more (`escape`). Behind a pointer it is held where the pointer is fresh or a parameter's (OW1–OW6), and
//!   escapes elsewhere; it is lost there when the place gets something else, or is freed, and not when the
//!   pointer is gone: then that was lost.
//! - VP6. A run ends where the rule cannot be violated any more by the value that was chosen: it is in a
//!   state from which none leads on, or it escaped and would have to be lost (`letters`).
//! - VP7. Where the address of something with a path `l` can come to a pointer `q` (RP1–RP3), `l·τ` and `q·*τ`
//!   may be one: what is assigned to one of them, the others get as well, or they keep what they hold. The
//!   same between two such pointers. Paths of one frame and of globals are looked at: where a call comes
//!   back, those get what the call may have changed. They are one for sure if `q` is a variable of a function,
//!   or a member of one, that is assigned nothing but `&l`, and whose address is not taken (`aliases`).
//! - VP8. A function without a body that may call back runs, any number of times, whichever functions were
//!   given away and have to do with a global that can hold the value, or are left by `longjmp`. Constructors
//!   run before `main`, destructors and what `atexit` was given behind it, and where the program is ended
//!   (`outside`).
//! - VP9. Points at which nothing happens are left out: words are sequences of the letters in which there
//!   is an event of the rule. A rule for which that makes a difference keeps all points (`edges`).
//! - VP10. Where two pointers differ, not both have the value; where they are equal, both have it or none, unless it has
//!   escaped: then what is not followed may have it (`points`).
//!
//! What is known of numbers that are tested stands in `signs` (SG1–SG6), variables that are kept whole in `kept`
//! (KV1–KV3), which functions belong together in `tables` (TF1–TF3), cells at an index that is no constant in `cells` (OC1–OC4) and,
//! where that is not possible, in `moving` (MC1–MC3).

mod aliases;
mod calls;
mod cells;
mod edges;
mod escape;
mod frames;
mod functions;
mod inherited;
mod kept;
mod letters;
mod moving;
mod outside;
mod points;
mod signs;
mod start;
mod tables;
mod unread;

use crate::dfa::{Dfa, stutters};
use crate::event::Event;
use crate::facts::{Facts, Mentions};
use crate::ownership::{Owners, Ownership};
use crate::parts::Part;
use crate::paths::{L, MAX_LENGTH, PathId, Paths};
use crate::product::{About, Product, Values};
use crate::relevance::{Functions, Memory, Relevance, Sight, relevance};
use crate::rule::Rule;
use aliases::Aliases;
use cells::{Cells, Key};
use front_c::{
    Conditions, Effects, FuncId, Keep, KeptValues, KeptVariables, LowerError, Next, ObjectId,
    Skeleton,
};
use ir::{ExprId, NodeId, ProcId, ProgramBuilder, Rel, Type, VarId};
use letters::all_letters;
use outside::Outside;
use rustc_hash::{FxHashMap, FxHashSet};
use signs::{Sign, Signed};
use start::roots;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tables::Table;
pub(crate) use unread::Unread;

/// With more places where values come into being, a run does not tell which is meant: traces do.
/// Summaries would be relations over all of them.
const MOST_BIRTHS: usize = 256;

/// Bits of one frame, paired: with more of such pairs in the whole program, shorter paths have to do.
const MOST_PAIRS: usize = 1_000_000;
/// The same in what a part of a rule has to do with.
const MOST_PAIRS_OF_PART: usize = 250_000;

/// A place in a skeleton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At {
    /// Index into [`Skeleton::bodies`].
    pub body: u32,
    /// Index into its points.
    pub point: u32,
}

/// Where a value comes into being.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Birth {
    /// The point; none at the start of the program.
    pub at: Option<At>,
    /// The function, if it is not at the start.
    pub function: Option<FuncId>,
    /// What holds it there.
    pub object: String,
    /// The variable of the product that says so.
    pub bit: Option<VarId>,
    /// An owning member holds it, since before the function was called (OM3, OM4).
    pub inherited: bool,
}

/// Where a rule can be violated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The node that a violation comes to.
    pub node: NodeId,
    /// The point.
    pub at: At,
    /// What the source calls the value there.
    pub object: Option<String>,
}

/// What an edge of the product executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Executes {
    /// The point.
    pub at: At,
    /// Which way out of a branch.
    pub arm: Option<u32>,
    /// Whom it calls.
    pub calls: Option<FuncId>,
    /// The atoms of the rule that may hold on it, as bits.
    pub atoms: u64,
}

/// Why there is no product.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ValueError {
    /// The entry function is not there, or has no body.
    NoEntry {
        /// Its name.
        name: String,
    },
    /// The rule's automaton has too many states.
    TooLarge,
    /// It was given up.
    Stopped,
    /// It is too much to be asked at once, and would have to know less.
    Divide,
    /// A variable cannot be kept.
    Keep(LowerError),
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::NoEntry { name } => write!(f, "no function `{name}` with a body"),
            ValueError::TooLarge => write!(f, "the rule's automaton has too many states"),
            ValueError::Stopped => write!(f, "stopped"),
            ValueError::Divide => write!(f, "too much to be asked at once"),
            ValueError::Keep(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ValueError {}

/// The product of a program with a rule about a value. It is given up when `stop` says so.
pub fn value_product(
    s: &Skeleton,
    rule: &Rule,
    entry: Option<&str>,
    stop: &dyn Fn() -> bool,
) -> Result<Product, ValueError> {
    value_product_within(s, rule, entry, Detail::default(), stop)
}

/// How much a product knows of a program. What it does not know may be anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    /// Paths have at most so many pointers and fields, as far as the rule names any that are so short.
    pub longest: usize,
    /// Which conditions and signs it remembers.
    pub remembers: Remembers,
}

/// What a product remembers of what was tested.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Remembers {
    /// Nothing but signs of a few variables of each function.
    FewSigns,
    /// Nothing but signs of variables.
    Signs,
    /// What is about variables that are only reached by their names.
    Variables,
    /// All.
    Everything,
}

impl Default for Detail {
    fn default() -> Detail {
        Detail { longest: MAX_LENGTH, remembers: Remembers::Everything }
    }
}

impl From<usize> for Detail {
    fn from(longest: usize) -> Detail {
        Detail { longest, ..Detail::default() }
    }
}

impl Detail {
    /// Whether it is all there is.
    pub fn is_full(self) -> bool {
        self.longest >= MAX_LENGTH && self.remembers == Remembers::Everything
    }

    /// The next one that knows less; none if there is none.
    pub fn less(self) -> Option<Detail> {
        match (self.remembers, self.longest) {
            (Remembers::Everything, _) => Some(Detail { remembers: Remembers::Variables, ..self }),
            (_, 3..) => Some(Detail { longest: 2, ..self }),
            (Remembers::Variables, _) => Some(Detail { remembers: Remembers::Signs, ..self }),
            (Remembers::Signs, _) => Some(Detail { remembers: Remembers::FewSigns, ..self }),
            (_, 2..) => Some(Detail { longest: 1, ..self }),
            _ => None,
        }
    }

    /// The next one whose product is a smaller one, where no paths of more links than these are followed.
    pub fn less_than(self, followed: usize) -> Option<Detail> {
        let mut less = self.less()?;
        while less.remembers == self.remembers && less.longest >= followed {
            less = less.less()?;
        }
        Some(less)
    }
}

/// What was found out about the paths of a program, for products with less detail: these follow the same paths, or fewer.
#[derive(Default)]
pub struct Followed(Mutex<Option<Known>>);

/// What of a rule is asked, and what was found out when it was asked before.
#[derive(Clone, Default)]
pub struct Asked {
    /// The part.
    pub part: Part,
    /// The paths of that part.
    pub followed: Arc<Followed>,
    /// About the program.
    pub facts: Arc<Facts>,
    /// Rather than to know less, it is divided ([`ValueError::Divide`]).
    pub divides: bool,
    /// Variables whose values are kept.
    pub keep: Vec<Keep>,
}

/// The paths that are followed, and how they were chosen.
#[derive(Clone)]
struct Known {
    choice: Choice,
    /// How many values the rule names, by the length of their paths.
    named: [usize; MAX_LENGTH + 1],
    paths: Paths,
    relevance: Relevance,
}

/// Which paths are followed.
#[derive(Clone, Copy)]
struct Choice {
    longest: usize,
    typed: bool,
    sight: Sight,
}

/// The same with less detail: a smaller product, which knows less.
pub fn value_product_within(
    s: &Skeleton,
    rule: &Rule,
    entry: Option<&str>,
    detail: impl Into<Detail>,
    stop: &dyn Fn() -> bool,
) -> Result<Product, ValueError> {
    let asked = Asked::default();
    value_product_again(s, rule, entry, detail.into(), &asked, stop)
}

/// The paths that are followed: the most that cost not too much. With some that are known from before, the search
/// begins with these.
fn followed(
    f: &Functions<'_>,
    (most, divides): (usize, bool),
    before: Option<Known>,
) -> Result<Known, ValueError> {
    let (s, rule) = (f.s, f.rule);
    if let Some(known) = before.as_ref().filter(|known| known.choice.longest <= most) {
        return Ok(known.clone());
    }
    // Where values are addresses of variables, those of members are values of their own.
    let whole = rule.assume.is_some() && rule.events.iter().flatten().all(Event::is_about_whole);
    // What the rule names, whatever the length.
    let mut named = before.as_ref().map(|known| known.named);
    let begin = Choice { longest: MAX_LENGTH, typed: false, sight: Sight::Far };
    let known = before.as_ref().map_or(begin, |known| known.choice);
    let Choice { mut longest, mut typed, mut sight } = known;
    // A rule all of whose values have longer paths would hold for want of any.
    let least = |named: &[usize]| named.iter().position(|n| *n > 0).unwrap_or(1).max(1);
    let mut shortest = named.map_or(1, |named| least(&named));
    let mut all_pairs = false;
    let most_pairs = if f.part.is_whole() { MOST_PAIRS } else { MOST_PAIRS_OF_PART };
    loop {
        let pairs = (longest > shortest && !all_pairs).then_some(most_pairs);
        let kind = ((shortest, longest), whole, typed);
        let (mut relevance, graph, paths) = relevance(f, kind, sight, pairs);
        if (f.stop)() {
            return Err(ValueError::Stopped);
        }
        if relevance.is_wide(s, &paths) {
            if divides {
                return Err(ValueError::Divide);
            }
            sight = if sight == Sight::Far { Sight::Near } else { Sight::Variables };
            continue;
        }
        let named = *named.get_or_insert(relevance.named);
        shortest = least(&named);
        let most = most.max(shortest);
        let dear = longest > shortest && relevance.cost(s, &paths) > most_pairs;
        if divides && (paths.too_many() || dear) {
            return Err(ValueError::Divide);
        }
        match (paths.too_many() || dear || longest > most, typed) {
            (true, true) if relevance.memory == Memory::One => sight = Sight::Variables,
            (true, true) => longest = most.min(longest - 1),
            (true, false) => (typed, longest) = (true, most.min(longest)),
            // There are no shorter ones: these are needed, all of them.
            (false, _) if relevance.cut => all_pairs = true,
            (false, _) => {
                relevance.point(&graph, &paths);
                let choice = Choice { longest, typed, sight };
                return Ok(Known { choice, named, paths, relevance });
            }
        }
    }
}

/// The same for a part of what the rule asks, where the program has been asked this before with more detail.
pub fn value_product_again(
    s: &Skeleton,
    rule: &Rule,
    entry: Option<&str>,
    detail: Detail,
    asked: &Asked,
    stop: &dyn Fn() -> bool,
) -> Result<Product, ValueError> {
    let Asked { part, followed: before, facts, divides, keep } = asked;
    let functions = || Functions::new(s, rule, entry, (part, facts), stop);
    let f = functions();
    let roots = match facts.roots.get() {
        Some(roots) => roots.to_vec(),
        None => {
            let found = roots(&f, entry)?;
            facts.roots.get_or_init(|| found.clone().into());
            found
        }
    };
    let known = {
        let mut before = before.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = followed(&f, (detail.longest, *divides), before.take())?;
        *before = Some(known.clone());
        known
    };
    let Known { choice: Choice { longest, typed, sight }, named, paths, relevance } = known;
    let quiet = |g: FuncId| f.is_opaque(g) && s.body(g).is_none();
    let effects = facts.effects.get_or_init(|| Arc::new(Effects::new(s, true, &quiet))).clone();
    let remembers = detail.remembers;
    let follows = (paths.clone(), relevance.clone(), effects.clone());
    let maker = Maker::new(f, roots.clone(), follows, (remembers, keep), true);
    let mut product = match maker.run()? {
        Some(product) => product,
        None if *divides => return Err(ValueError::Divide),
        None => {
            let follows = (paths, relevance, effects);
            let maker = Maker::new(functions(), roots, follows, (remembers, keep), false);
            maker.run()?.expect("without numbers, there are not too many")
        }
    };
    let numbered = product.number.is_some();
    let About::Values(values) = &mut product.about else { return Ok(product) };
    values.longest = longest;
    let cut: usize = named[longest + 1..].iter().sum();
    if cut > 0 {
        values.limits.push(format!(
            "the program is large: {cut} of {} values that rule `{}` names have longer paths than are \
             followed, and are left out",
            named.iter().sum::<usize>(),
            rule.name
        ));
    }
    if typed {
        values.limits.push(format!(
            "the program is large: values are followed through at most {longest} pointers and fields \
             of a path, and through such fields only as the types of variables have"
        ));
    }
    if remembers != Remembers::Everything {
        values.limits.push(
            "the program is large: what was tested of memory behind pointers is not remembered"
                .to_owned(),
        );
    }
    if remembers == Remembers::FewSigns {
        values.limits.push(
            "the program is large: of few variables of a function it is remembered what was tested"
                .to_owned(),
        );
    }
    match sight {
        Sight::Far => {}
        Sight::Near => values.limits.push(
            "the program is large: what is stored in a member behind a pointer can be lost only in the function \
             that stores it"
                .to_owned(),
        ),
        Sight::Variables => values.limits.push(
            "the program is large: what is stored behind a pointer is not lost".to_owned(),
        ),
    }
    if !numbered {
        values.limits.push(
            "the program is large: of values that come from different places to one where they \
             violate a rule, one is told"
                .to_owned(),
        );
    }
    Ok(product)
}

/// What one way through a point does.
#[derive(Clone, Default)]
struct Act {
    guard: Option<ExprId>,
    /// New values of paths.
    set: BTreeMap<PathId, ExprId>,
    /// When the value escapes.
    escape: Option<ExprId>,
    /// When a value is chosen here.
    chosen: Option<ExprId>,
    choices: u32,
    /// Those of them that choose the value: at most one does.
    picks: Vec<ExprId>,
    /// When each atom holds.
    atoms: BTreeMap<u32, ExprId>,
    /// Other variables: conditions, and what is known of results.
    other: Vec<(VarId, Option<ExprId>)>,
    /// What happens to variables that are kept.
    kept: Rel,
    /// The function is left.
    leaves: bool,
    /// What the value is called in an event of the rule.
    object: Option<ObjectId>,
    /// Places behind pointers that get something else, or are freed: there a value can be lost.
    cells: BTreeSet<PathId>,
    /// The value that is chosen is a result that nobody takes.
    unseen: bool,
}

impl Act {
    fn is_trivial(&self) -> bool {
        self.guard.is_none()
            && self.set.is_empty()
            && self.escape.is_none()
            && self.chosen.is_none()
            && self.atoms.is_empty()
            && self.other.is_empty()
            && self.kept.assigns.is_empty()
    }
}

/// What a point does, in all its ways.
enum Plan {
    /// In one of several ways.
    Next(Vec<(Act, Next)>),
    /// With the way out of the branch.
    Branch(Vec<(u32, Act, Next)>),
    /// For each target: what happens before it is entered, and after it came back; those that are not
    /// entered do all of it at once.
    Call(Vec<CallPlan>),
    /// With what is returned, and its sign.
    Return(Vec<Leaving>),
}

/// A return: with what is returned, and its sign.
type Leaving = (Act, BTreeMap<PathId, ExprId>, Vec<(VarId, Option<ExprId>)>);

struct CallPlan {
    before: Act,
    enters: Option<(FuncId, Act)>,
    next: Next,
    /// Where arguments are whose source is not followed, by their position.
    loose: BTreeMap<u32, VarId>,
    /// It may call back: what is so afterwards.
    outside: Option<Act>,
    /// The caller's paths that are the callee's to lose: what arguments point to.
    handed: BTreeSet<PathId>,
    /// What happens behind it.
    then: Option<Act>,
    /// Arguments that are other cells than the one that stands for any (OC1).
    missed: FxHashSet<ObjectId>,
}

impl CallPlan {
    /// A call that does nothing.
    fn passing(next: Next) -> CallPlan {
        CallPlan {
            before: Act::default(),
            enters: None,
            next,
            loose: BTreeMap::new(),
            outside: None,
            handed: BTreeSet::new(),
            then: None,
            missed: FxHashSet::default(),
        }
    }
}

/// What happens where a body begins: to addresses of locals, and, at a point, to what owning members hold.
type Entry = (Act, Option<(At, Act)>);

/// A function that the program starts with, what happens then, and which of its paths are chosen.
type Start = (FuncId, Act, BTreeMap<PathId, ExprId>);

/// A function in the product.
struct Frame {
    proc: ProcId,
    /// The bits of its own paths.
    bits: BTreeMap<PathId, VarId>,
    /// Where results of calls arrive, by their links.
    arrives: BTreeMap<Vec<L>, VarId>,
    /// Arguments of calls whose source is not followed, by their position.
    loose: BTreeMap<u32, VarId>,
    /// What it returns: the result's paths, and those behind parameters.
    results: BTreeMap<PathId, VarId>,
    outer: Option<VarId>,
    top: Option<VarId>,
    /// What is known of the indices of cells (OC2).
    cells: BTreeMap<Key, VarId>,
    conditions: Conditions,
    /// Those whose truth the signs do not tell have a bit.
    condition_bits: Vec<Option<VarId>>,
    /// What is known of numbers, and of the one that is returned.
    signs: BTreeMap<ObjectId, Sign>,
    returns: Option<Sign>,
    /// Parameters that the body assigns, or whose address it takes.
    changed: FxHashSet<ObjectId>,
}

struct Maker<'a> {
    f: Functions<'a>,
    s: &'a Skeleton,
    rule: &'a Rule,
    roots: Vec<FuncId>,
    paths: Paths,
    relevance: Relevance,
    /// The relevant paths that go on from a path, itself included.
    extensions: FxHashMap<PathId, Vec<PathId>>,
    /// The relevant paths that may be the same (VP7).
    aliases: Aliases,
    /// The relevant paths of each function.
    own: FxHashMap<FuncId, Vec<PathId>>,
    globals: BTreeMap<PathId, VarId>,
    b: ProgramBuilder,
    on: VarId,
    state: VarId,
    escaped: Option<VarId>,
    birth: VarId,
    numbered: bool,
    remembers: Remembers,
    births: Vec<Birth>,
    birth_numbers: FxHashMap<(Option<At>, PathId), usize>,
    frames: BTreeMap<FuncId, Frame>,
    relevant: FxHashSet<FuncId>,
    /// What bodies have to do with.
    mentions: Arc<[Mentions]>,
    /// Those of them that are called by others, too.
    far_called: Vec<FuncId>,
    may_return: Arc<FxHashSet<FuncId>>,
    /// Functions that a `longjmp` may leave, the flag that one is under way, and where the frame of the
    /// body at hand is left by it.
    may_jump: FxHashSet<FuncId>,
    jumping: Option<VarId>,
    unwind: Option<NodeId>,
    outside: Outside,
    /// How functions begin that are called from outside.
    started: Vec<Start>,
    signed: Signed,
    /// Which variables are to be kept (KV1–KV3), those that are, and the values of the body at hand.
    keep: &'a [Keep],
    kept: KeptVariables,
    kept_values: KeptValues,
    tables: Vec<Table>,
    /// Functions that may change which of them are in force.
    shifting: Arc<FxHashSet<FuncId>>,
    /// States of the automaton in which runs end (VP6).
    doomed: Vec<bool>,
    effects: Arc<Effects>,
    letters: BTreeSet<u64>,
    keep_all: bool,
    edges: Vec<(NodeId, Option<Executes>)>,
    violations: Vec<Violation>,
    /// Where arithmetic makes a value of another, which may come to what the rule names.
    computed: BTreeSet<String>,
    limits: BTreeSet<String>,
    /// Who holds what pointers point to, in the program and in the body at hand.
    ownership: Arc<Ownership>,
    owners: Owners,
    /// Globals that nobody reads once a call from outside is over (GU1–GU3).
    unread: FxHashSet<ObjectId>,
    /// At how many places something is given to functions of which nothing is known, by their names.
    given: BTreeMap<String, usize>,
    /// The cells in which what is followed is stored, and not followed.
    stored: BTreeSet<String>,
    /// What owning members hold, where it comes into being behind a point.
    inherited: BTreeMap<At, Act>,
    /// Cells at an index that is a variable, by function, and functions that may write to cells (MC1–MC3).
    moving: FxHashMap<FuncId, Vec<(PathId, ObjectId)>>,
    mixing: Arc<FxHashSet<FuncId>>,
    /// Variables that only walk through memory (VP5).
    walks: FxHashMap<ObjectId, bool>,
    /// The cells of which one stands for any, in the body at hand, and those that are others in the plan at hand.
    cells: Cells,
    /// Its number, where calls name that.
    which_cell: Option<VarId>,
    missed_here: FxHashSet<ObjectId>,
}

/// Bits of the state, until the states are counted.
const STATE_BITS: u32 = 11;

impl<'a> Maker<'a> {
    fn new(
        f: Functions<'a>,
        roots: Vec<FuncId>,
        (paths, relevance, effects): (Paths, Relevance, Arc<Effects>),
        (remembers, keep): (Remembers, &'a [Keep]),
        numbered: bool,
    ) -> Self {
        let (s, rule) = (f.s, f.rule);
        let mut b = ProgramBuilder::new();
        if s.files.is_empty() {
            b.file("");
        }
        for file in &s.files {
            b.file(file);
        }
        let on = b.hidden_global("(on)", Type::BOOL);
        let state = b.hidden_global("(state)", Type::int(STATE_BITS));
        let lost = rule.events.iter().flatten().any(|e| *e == Event::Lost);
        let escaped = lost.then(|| b.hidden_global("(escaped)", Type::BOOL));
        let birth = b.hidden_global("(birth)", Type::int(20));
        let ownership = relevance.ownership.clone();
        Maker {
            s,
            rule,
            roots,
            paths,
            relevance,
            extensions: FxHashMap::default(),
            aliases: FxHashMap::default(),
            own: FxHashMap::default(),
            globals: BTreeMap::new(),
            b,
            on,
            state,
            escaped,
            birth,
            numbered,
            remembers,
            births: Vec::new(),
            birth_numbers: FxHashMap::default(),
            frames: BTreeMap::new(),
            relevant: FxHashSet::default(),
            mentions: Arc::from([]),
            far_called: Vec::new(),
            shifting: Arc::default(),
            may_return: Arc::default(),
            may_jump: FxHashSet::default(),
            jumping: None,
            unwind: None,
            outside: Outside::default(),
            started: Vec::new(),
            signed: Signed::default(),
            keep,
            kept: KeptVariables::default(),
            kept_values: KeptValues::default(),
            unread: FxHashSet::default(),
            tables: Vec::new(),
            doomed: Vec::new(),
            effects,
            letters: BTreeSet::from([0]),
            keep_all: false,
            edges: Vec::new(),
            violations: Vec::new(),
            computed: BTreeSet::new(),
            limits: BTreeSet::new(),
            ownership,
            owners: Owners::default(),
            given: BTreeMap::new(),
            inherited: BTreeMap::new(),
            stored: BTreeSet::new(),
            moving: FxHashMap::default(),
            mixing: Arc::default(),
            walks: FxHashMap::default(),
            cells: Cells::default(),
            which_cell: None,
            missed_here: FxHashSet::default(),
            f,
        }
    }

    /// Where values go of which nothing is known from there on.
    fn told_given(&self) -> Option<String> {
        let mut list: Vec<(&String, &usize)> = self.given.iter().collect();
        list.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), name.as_str()));
        let all: usize = self.given.values().sum();
        let named: Vec<String> =
            list.iter().take(5).map(|(name, n)| format!("{name} ({n})")).collect();
        let more = match list.len() - named.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let places = if all == 1 { "one place".to_owned() } else { format!("{all} places") };
        (all > 0).then(|| {
            format!(
                "what rule `{}` follows may be given to functions that are not read, at {places}, and is not \
                 looked for from there on: {}{more}; `--contracts` says what they do with it",
                self.rule.name,
                named.join(", ")
            )
        })
    }

    /// The product; none if there are too many places where values come into being.
    fn run(mut self) -> Result<Option<Product>, ValueError> {
        // A rule that tells apart how many steps without events there are keeps every step.
        let Some(plain) = Dfa::new(&self.rule.nfa, &all_letters(self.rule)) else {
            return Err(ValueError::TooLarge);
        };
        self.keep_all = !stutters(&plain);
        self.index();
        self.find_moving();
        self.find_aliases();
        if self.relevance.pointed_cut {
            self.limits.insert(
                "the program is large: not all pointers to a variable are known".to_owned(),
            );
        }
        self.returning();
        self.mentioned();
        self.look_outside();
        self.jumps();
        self.find_tables();
        self.find_shifting();
        self.find_relevant();
        self.outside.callbacks.retain(|f| self.relevant.contains(f));
        self.outside.by_itself.retain(|f| self.relevant.contains(f));
        self.find_signs();
        if self.escaped.is_some() && self.relevance.memory == Memory::One {
            self.find_unread();
        }
        self.declare();
        self.declare_kept()?;
        self.declare_outside();
        let order: Vec<usize> = (0..self.s.bodies.len())
            .filter(|&i| self.frames.contains_key(&self.s.bodies[i].func))
            .collect();
        let mut plans: Vec<(usize, Entry, Vec<Option<Plan>>)> = Vec::new();
        for &i in &order {
            if (self.f.stop)() {
                return Err(ValueError::Stopped);
            }
            if self.numbered && self.births.len() > MOST_BIRTHS {
                return Ok(None);
            }
            let entry = self.entry_act(self.s.bodies[i].func);
            let plan = self.plans(i);
            let first = self.inherited_at_entry(i as u32);
            plans.push((i, (entry, first), plan));
        }
        let start = self.start_acts();
        if self.numbered && self.births.len() > MOST_BIRTHS {
            return Ok(None);
        }
        let Some(dfa) = Dfa::new(&self.rule.nfa, &self.letters) else {
            return Err(ValueError::TooLarge);
        };
        if dfa.len() >= 1 << STATE_BITS {
            return Err(ValueError::TooLarge);
        }
        self.find_doomed(&dfa);
        let mut kept: Vec<Vec<bool>> =
            self.s.bodies.iter().map(|b| vec![false; b.points.len()]).collect();
        let bits = |n: usize| (usize::BITS - n.leading_zeros()).max(1);
        self.b.set_type(self.state, Type::int(bits(dfa.len() as usize)));
        let last = if self.numbered { self.births.len() } else { 0 };
        self.b.set_type(self.birth, Type::int(bits(last)));
        for (i, entry, plan) in plans {
            if (self.f.stop)() {
                return Err(ValueError::Stopped);
            }
            for (keeps, plan) in kept[i].iter_mut().zip(&plan) {
                *keeps = plan.is_some();
            }
            self.body(i, &entry, plan, &dfa);
        }
        self.outside_body(&dfa);
        let entry = self.harness(start, &dfa);
        let init = self.init(last);
        let progress = [self.on, self.state];
        if let Some(first) = self.computed.first() {
            let more = match self.computed.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            self.limits.insert(format!(
                "what arithmetic makes of a pointer is another value; rule `{}` may be about {first}{more}",
                self.rule.name
            ));
        }
        let bits = self.frames.values().flat_map(|frame| &frame.bits).chain(&self.globals);
        let names = bits.filter_map(|(p, bit)| Some((*bit, self.paths.written(self.s, *p)?)));
        let names = names.collect();
        if let Some(told) = self.told_stored() {
            self.limits.insert(told);
        }
        if let Some(told) = self.told_given() {
            self.limits.insert(told);
        }
        let Maker {
            mut b, mut edges, violations, births, birth, numbered, limits, keep_all, ..
        } = self;
        let numbers = 0..if numbered { births.len() } else { 0 };
        let is = |k: usize| {
            let (now, number) = (b.exprs.pre(birth), b.exprs.int(k as i64));
            b.exprs.binary(ir::BinaryOp::Eq, now, number)
        };
        let conditions = numbers.map(is).collect();
        edges.sort_by_key(|&(source, _)| source);
        let program = b.finish(entry, init);
        let edges = edges.into_iter().map(|(_, e)| e).collect();
        let limits = limits.into_iter().collect();
        let places = violations.iter().map(|v| v.node).collect();
        let about = About::Values(Values {
            violations,
            births,
            progress,
            edges,
            kept,
            keeps_all: keep_all,
            longest: MAX_LENGTH,
            names,
            limits,
        });
        let number = numbered.then_some(birth);
        Ok(Some(Product { program: Arc::new(program), places, number, conditions, about }))
    }
}
