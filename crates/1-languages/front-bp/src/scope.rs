//! What names mean: local, then parameter, then global; procedures apart.

use crate::tree::{Symbol, Tree};

/// A variable: its number among the globals, or among the parameters and then locals of the
/// procedure that was entered last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Global(usize),
    Frame(usize),
}

const NONE: u32 = u32::MAX;

/// Tables by symbol, so that a look-up costs no hashing. Entries of `frame` count only if they
/// carry the number of the current procedure, so that entering one costs what it declares.
pub(crate) struct Scope<'t> {
    tree: &'t Tree,
    procs: Vec<u32>,
    globals: Vec<u32>,
    frame: Vec<(u32, u32)>,
    current: u32,
}

impl<'t> Scope<'t> {
    /// Of names declared twice, the first counts.
    pub(crate) fn new(tree: &'t Tree) -> Scope<'t> {
        let mut procs = vec![NONE; tree.symbol_count()];
        for (i, proc) in tree.procs().iter().enumerate().rev() {
            procs[proc.name.symbol.index()] = i as u32;
        }
        let mut globals = vec![NONE; tree.symbol_count()];
        for (i, name) in tree.globals().iter().enumerate().rev() {
            globals[name.symbol.index()] = i as u32;
        }
        let frame = vec![(NONE, NONE); tree.symbol_count()];
        Scope { tree, procs, globals, frame, current: NONE }
    }

    /// Local names are those of the procedure with this number from now on.
    pub(crate) fn enter(&mut self, proc: usize) {
        self.current = proc as u32;
        let proc = &self.tree.procs()[proc];
        let names = self.tree.names(proc.params).iter().chain(self.tree.names(proc.locals));
        for (i, name) in names.enumerate() {
            // A local hides the parameter of the same name.
            self.frame[name.symbol.index()] = (self.current, i as u32);
        }
    }

    pub(crate) fn variable(&self, symbol: Symbol) -> Option<Variable> {
        match (self.frame[symbol.index()], self.globals[symbol.index()]) {
            ((proc, i), _) if proc == self.current && i != NONE => {
                Some(Variable::Frame(i as usize))
            }
            (_, NONE) => None,
            (_, i) => Some(Variable::Global(i as usize)),
        }
    }

    pub(crate) fn proc(&self, symbol: Symbol) -> Option<usize> {
        match self.procs[symbol.index()] {
            NONE => None,
            i => Some(i as usize),
        }
    }
}
