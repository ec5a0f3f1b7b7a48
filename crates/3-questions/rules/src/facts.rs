//! What is found out once about a program as a rule sees it: every part of the rule, and every degree of detail, begins
//! with it.

use crate::elements::Elements;
use crate::ownership::Ownership;
use crate::paths::Paths;
use crate::relevance::{Flows, Memory};
use front_c::{Effects, FuncId, ObjectId};
use rustc_hash::FxHashSet;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Facts about one program, one rule and one entry.
#[derive(Default)]
pub struct Facts {
    /// Functions that are events only, and those that stand for another.
    pub(crate) functions: OnceCell<Seen>,
    pub(crate) entered: OnceCell<Rc<[bool]>>,
    /// What the program starts with.
    pub(crate) roots: OnceCell<Rc<[FuncId]>>,
    /// What bodies have to do with, by their position in the skeleton.
    pub(crate) bodies: OnceCell<Rc<[Mentions]>>,
    /// Globals through whose members functions are called, with files that have a function for each of these (TF1).
    pub(crate) tables: OnceCell<Rc<[Members]>>,
    pub(crate) elements: OnceCell<Rc<Elements>>,
    pub(crate) ownership: OnceCell<Rc<Ownership>>,
    /// What functions change.
    pub(crate) effects: OnceCell<Rc<Effects>>,
    /// Which functions may come back.
    pub(crate) returning: OnceCell<Rc<FxHashSet<FuncId>>>,
    /// Which functions may change what table of functions is in force.
    pub(crate) shifting: OnceCell<Rc<FxHashSet<FuncId>>>,
    /// The paths that are written in the program, and how values flow between them.
    flows: RefCell<VecDeque<(Kind, Flowing)>>,
}

/// Which functions are events only, and which stand for others.
pub(crate) type Seen = (Rc<[bool]>, Rc<[Option<FuncId>]>);
/// A global, files, and members of the global.
pub(crate) type Members = (ObjectId, Vec<u32>, BTreeSet<String>);
/// Paths, and how values flow between them.
pub(crate) type Flowing = Rc<(Paths, Flows)>;

/// So many kinds of flows are kept.
const KINDS: usize = 3;

/// What a body has to do with.
pub(crate) struct Mentions {
    /// Objects of its events and calls.
    pub(crate) objects: Box<[ObjectId]>,
    /// Functions that it calls and that are entered.
    pub(crate) callees: Box<[FuncId]>,
    /// It matters whatever is followed.
    pub(crate) speaks: bool,
    /// It calls what is not known, or calls back; and the same if something runs when the program ends.
    pub(crate) outside: (bool, bool),
    /// It calls `longjmp`.
    pub(crate) jumps: bool,
    /// It says what runs when the program ends.
    pub(crate) later: bool,
}

impl Mentions {
    /// Whether a call in it may lead outside.
    pub(crate) fn leads_outside(&self, at_exit: bool) -> bool {
        self.outside.0 || at_exit && self.outside.1
    }
}

/// Which paths there are: the shortest and the longest that will do, whether they go by types, and which memory they go
/// through.
pub(crate) type Kind = (usize, usize, bool, Memory);

impl Facts {
    /// The flows of a kind. Those of the kinds that were asked for last are kept.
    pub(crate) fn flows(&self, kind: Kind, make: impl FnOnce() -> (Paths, Flows)) -> Flowing {
        let mut known = self.flows.borrow_mut();
        let found = known.iter().position(|(k, _)| *k == kind).and_then(|i| known.remove(i));
        let found = found.unwrap_or_else(|| (kind, Rc::new(make())));
        let flows = found.1.clone();
        known.push_front(found);
        known.truncate(KINDS);
        flows
    }
}
