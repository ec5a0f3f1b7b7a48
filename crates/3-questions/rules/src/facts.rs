//! What is found out once about a program as a rule sees it: every part of the rule, and every degree of detail, begins
//! with it.

use crate::elements::Elements;
use crate::members::Inherited;
use crate::ownership::Ownership;
use crate::paths::Paths;
use crate::relevance::{Flows, Memory};
use crate::value::{At, Unread};
use front_c::{Effects, FuncId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Which functions are events only, and which stand for another.
type Roles = (Arc<[bool]>, Arc<[Option<FuncId>]>);

/// Globals, with functions and files.
type Tables = Arc<[(ObjectId, Vec<u32>, BTreeSet<String>)]>;

/// By function, whose bodies call it.
pub(crate) type Callers = FxHashMap<FuncId, Vec<FuncId>>;

/// Paths and flows of a kind.
type OfKind = (Kind, Arc<(Paths, Flows)>);

/// Facts about one program, whatever the rule.
#[derive(Default)]
pub struct Common {
    pub(crate) elements: OnceLock<Arc<Elements>>,
}

/// Facts about one program, one rule and one entry.
#[derive(Default)]
pub struct Facts {
    /// What other rules know, too.
    pub(crate) common: Arc<Common>,
    /// Functions that are events only, and those that stand for another.
    pub(crate) functions: OnceLock<Roles>,
    pub(crate) entered: OnceLock<Arc<[bool]>>,
    /// What the program starts with.
    pub(crate) roots: OnceLock<Arc<[FuncId]>>,
    /// The calls of functions that the rule speaks of.
    pub(crate) calls: OnceLock<Arc<[(At, FuncId)]>>,
    /// Who calls functions that are entered.
    pub(crate) callers: OnceLock<Arc<Callers>>,
    /// Who has to do with globals, and which of these are read later.
    pub(crate) unread: OnceLock<Unread>,
    /// What bodies have to do with, by their position in the skeleton.
    pub(crate) bodies: OnceLock<Arc<[Mentions]>>,
    /// Globals through whose members functions are called, with files that have a function for each of these (TF1).
    pub(crate) tables: OnceLock<Tables>,
    pub(crate) ownership: OnceLock<Arc<Ownership>>,
    /// What owning members hold when functions get them.
    pub(crate) inherited: OnceLock<Arc<Inherited>>,
    /// What functions change.
    pub(crate) effects: OnceLock<Arc<Effects>>,
    /// Which functions may come back.
    pub(crate) returning: OnceLock<Arc<FxHashSet<FuncId>>>,
    /// Which functions may change what table of functions is in force.
    pub(crate) shifting: OnceLock<Arc<FxHashSet<FuncId>>>,
    /// Which functions may write to cells of arrays.
    pub(crate) mixing: OnceLock<Arc<FxHashSet<FuncId>>>,
    /// The paths that are written in the program, and how values flow between them.
    flows: Mutex<VecDeque<OfKind>>,
}

/// So many kinds of flows are kept.
const KINDS: usize = 3;

/// What a body has to do with.
pub(crate) struct Mentions {
    /// Objects of its events and calls.
    pub(crate) objects: Box<[ObjectId]>,
    /// Those of them that are not reached from a variable of the body's own.
    pub(crate) others: Box<[ObjectId]>,
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
    /// Nothing yet, but for what all rules know.
    pub fn new(common: &Arc<Common>) -> Facts {
        Facts { common: common.clone(), ..Facts::default() }
    }

    /// The flows of a kind. Those of the kinds that were asked for last are kept.
    pub(crate) fn flows(
        &self,
        kind: Kind,
        make: impl FnOnce() -> (Paths, Flows),
    ) -> Arc<(Paths, Flows)> {
        // Who needs them at the same time waits for them.
        let mut known = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().position(|(k, _)| *k == kind).and_then(|i| known.remove(i));
        let found = found.unwrap_or_else(|| (kind, Arc::new(make())));
        let flows = found.1.clone();
        known.push_front(found);
        known.truncate(KINDS);
        flows
    }
}
