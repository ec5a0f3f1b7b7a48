//! What is found out once about a program as a rule sees it: every part of the rule, and every degree of detail, begins
//! with it.

use crate::elements::Elements;
use crate::ownership::Ownership;
use crate::paths::Paths;
use crate::relevance::{Flows, Memory};
use front_c::{Effects, FuncId};
use rustc_hash::FxHashSet;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Facts about one program, one rule and one entry.
#[derive(Default)]
pub struct Facts {
    /// Functions that are events only, and those that stand for another.
    pub(crate) functions: OnceCell<(Rc<[bool]>, Rc<[Option<FuncId>]>)>,
    pub(crate) elements: OnceCell<Rc<Elements>>,
    pub(crate) ownership: OnceCell<Rc<Ownership>>,
    /// What functions change.
    pub(crate) effects: OnceCell<Rc<Effects>>,
    /// Which functions may come back.
    pub(crate) returning: OnceCell<Rc<FxHashSet<FuncId>>>,
    /// The paths that are written in the program, and how values flow between them.
    flows: RefCell<Option<(Kind, Rc<(Paths, Flows)>)>>,
}

/// Which paths there are: the shortest and the longest that will do, whether they go by types, and which memory they go
/// through.
pub(crate) type Kind = (usize, usize, bool, Memory);

impl Facts {
    /// The flows of a kind. Those of one kind are kept.
    pub(crate) fn flows(
        &self,
        kind: Kind,
        make: impl FnOnce() -> (Paths, Flows),
    ) -> Rc<(Paths, Flows)> {
        if let Some((known, flows)) = &*self.flows.borrow()
            && *known == kind
        {
            return flows.clone();
        }
        let made = Rc::new(make());
        self.flows.replace(Some((kind, made.clone())));
        made
    }
}
