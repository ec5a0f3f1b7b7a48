//! Calls that are entered with more than they are.
//!
//! What a procedure does with an array is often simple to say of every array, and much longer of those alone that it is
//! called with: in the calls that Quicksort makes, what is left of the part to be sorted is sorted already, and what
//! is right of it is larger. So, where diagrams get large:
//!
//! - WE1 (wide entry): instead of PE4, a call that enters `f` with `c` gives `PE(f.entry)(c', c')` for every `c'` that differs
//!   from `c` in the cells of arrays alone.
//! - WE2 (doubt): such an `f` is in doubt, and so is what is entered first by a procedure in doubt: what is reached there need
//!   not be reached from the start.
//!
//! Every pair of a summary is one of the procedure's still, whether it is entered that way or not, and a caller uses those
//! at its own entries (PE5). So what is found outside of procedures in doubt is exact, and what is not found anywhere is
//! not there: path edges and summaries are closed under PE1–PE5, which is all that a certificate says. If something that is
//! looked for is met in doubt, the search is done again without WE1. The idea is that of universal summaries [sat §4], for
//! some variables.

use crate::summaries::Saturation;
use bdd::Bdd;
use ir::{IndexVec, ProcId};
use symbolic::{Copy, Halt};

/// Nodes of diagrams, in use at a collection, from which on calls are entered wide.
pub(crate) const WIDE: usize = 1 << 17;

/// What is entered wide.
pub(crate) struct Wide {
    /// How many nodes there have to be; none if it is not to be done.
    at: Option<usize>,
    is_on: bool,
    doubt: IndexVec<ProcId, bool>,
}

impl Wide {
    /// Nothing is.
    pub(crate) fn off(procs: usize) -> Wide {
        Wide { at: None, is_on: false, doubt: IndexVec::filled(false, procs) }
    }

    /// From so many nodes on.
    pub(crate) fn from(&mut self, nodes: usize) {
        self.at = Some(nodes);
    }

    /// Whether it is time to begin.
    pub(crate) fn is_waiting(&self, nodes: usize) -> bool {
        !self.is_on && self.at.is_some_and(|at| nodes > at)
    }

    /// From now on.
    pub(crate) fn begin(&mut self) {
        self.is_on = true;
    }

    /// Whether what is reached in a procedure need not be reached.
    pub(crate) fn is_in_doubt(&self, proc: ProcId) -> bool {
        self.doubt[proc]
    }

    /// Whether there is such a procedure.
    pub(crate) fn has_doubt(&self) -> bool {
        self.doubt.iter().any(|&doubt| doubt)
    }
}

impl Saturation {
    /// The entries of a call that are `reached` and not `known`, or more of those that are not known (WE1).
    pub(crate) fn widen(&mut self, site: u32, reached: Bdd, known: Bdd) -> Result<Bdd, Halt> {
        let (source, callee) =
            (self.s.sites[site as usize].source, self.s.sites[site as usize].callee);
        // WE2.
        if self.wide.doubt[self.s.program.nodes[source].proc] {
            self.wide.doubt[callee] = true;
        }
        if !self.wide.is_on {
            return Ok(reached);
        }
        let is_array = |&var: &ir::VarId| self.s.program.vars[var].ty.array.is_some();
        let arrays = self.s.context.entry_vars[callee].iter().copied().filter(is_array);
        let cells: Vec<u32> = self.s.context.bits(Copy::Pre, arrays).collect();
        let cube = self.s.m.cube(&cells)?;
        let all = self.s.m.exists(reached, cube)?;
        let fresh = self.s.m.diff(all, known)?;
        if fresh != reached {
            self.wide.doubt[callee] = true;
        }
        Ok(fresh)
    }
}
