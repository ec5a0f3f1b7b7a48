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
//!
//! - WE3 (whole results): what is handed to callers is the pairs of those contexts, that is, values at the entry but for cells
//!   of arrays, in which all that was entered has a result. Only if there is none such are all pairs handed on. Results
//!   of a recursion come in by its depth, and the arrays that take so many calls are nothing that is simply said; all
//!   arrays of one context are.

use crate::summaries::Saturation;
use bdd::Bdd;
use ir::{IndexVec, ProcId};
use symbolic::{Copy, Halt};

/// Nodes of diagrams, in use at a collection, from which on calls are entered wide.
pub(crate) const WIDE: usize = 1 << 16;

/// What is entered wide.
pub(crate) struct Wide {
    /// How many nodes there have to be; none if it is not to be done.
    at: Option<usize>,
    is_on: bool,
    doubt: IndexVec<ProcId, bool>,
    /// What has been handed on of the results of a procedure: the entries (`Entry`) that have one.
    answered: IndexVec<ProcId, Option<Bdd>>,
}

impl Wide {
    /// Nothing is.
    pub(crate) fn off(procs: usize) -> Wide {
        Wide {
            at: None,
            is_on: false,
            doubt: IndexVec::filled(false, procs),
            answered: IndexVec::filled(None, procs),
        }
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

    /// The handles in use.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.answered.iter().copied().flatten()
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
        let cells = self.cells(Copy::Pre, callee)?;
        let all = self.s.m.exists(reached, cells)?;
        let fresh = self.s.m.diff(all, known)?;
        if fresh != reached {
            self.wide.doubt[callee] = true;
        }
        Ok(fresh)
    }

    /// What a call enters that is not known, of a callee that is in doubt already: its arrays may be anything, so that they
    /// are forgotten with the caller's entry, in one pass. None if that does not go.
    pub(crate) fn enter_wide(
        &mut self,
        site: u32,
        states: Bdd,
        known: Bdd,
    ) -> Result<Option<Bdd>, Halt> {
        let site = self.s.sites[site as usize];
        if !self.wide.is_on || !self.wide.doubt[site.callee] {
            return Ok(None);
        }
        let cells = self.array_bits(Copy::Pre, site.callee);
        let read = self.s.m.support(site.rel.enter);
        if cells.is_empty() || cells.iter().any(|bit| read.contains(bit)) {
            return Ok(None);
        }
        let caller = self.s.program.nodes[site.source].proc;
        let vars = self.s.context.entry_vars[caller].iter().copied();
        let mut forgotten: Vec<u32> = self.s.context.bits(Copy::Entry, vars).collect();
        forgotten.extend(cells);
        let forgotten = self.s.m.spec(&forgotten, &[]);
        let now = self.s.m.exists_rename(states, forgotten)?;
        let all = self.s.m.image(now, site.rel.enter, site.rel.enter_spec)?;
        Ok(Some(self.s.m.diff(all, known)?))
    }

    /// The bits of arrays at the entry of a procedure.
    fn array_bits(&self, copy: Copy, proc: ProcId) -> Vec<u32> {
        let is_array = |&var: &ir::VarId| self.s.program.vars[var].ty.array.is_some();
        let arrays = self.s.context.entry_vars[proc].iter().copied().filter(is_array);
        self.s.context.bits(copy, arrays).collect()
    }

    fn cells(&mut self, copy: Copy, proc: ProcId) -> Result<Bdd, Halt> {
        let cells = self.array_bits(copy, proc);
        Ok(self.s.m.cube(&cells)?)
    }

    /// The entries (`Entry`) of pairs.
    fn entries(&mut self, proc: ProcId, pairs: Bdd) -> Result<Bdd, Halt> {
        let exit = self.s.context.exit_vars[proc].iter().copied();
        let exit: Vec<u32> = self.s.context.bits(Copy::Exit, exit).collect();
        let exit = self.s.m.cube(&exit)?;
        Ok(self.s.m.exists(pairs, exit)?)
    }

    /// Which pairs of a procedure are handed on next: a part of those that are pending, and not an empty one (WE3).
    pub(crate) fn whole(&mut self, proc: ProcId) -> Result<Bdd, Halt> {
        let pending = self.pending[proc];
        let cells = self.cells(Copy::Entry, proc)?;
        if !self.wide.is_on || cells.is_true() {
            return Ok(pending);
        }
        let entered = self.s.identity(proc)?;
        let vars = self.s.context.entry_vars[proc].clone();
        let now: Vec<u32> = self.s.context.bits(Copy::Pre, vars.iter().copied()).collect();
        let now = self.s.m.cube(&now)?;
        let entered = self.s.m.and_exists(entered, self.entered[proc], now)?;
        let answered = self.answered(proc)?;
        let new = self.entries(proc, pending)?;
        let open = self.s.m.diff(entered, answered)?;
        let open = self.s.m.diff(open, new)?;
        let open = self.s.m.exists(open, cells)?;
        let whole = self.s.m.diff(pending, open)?;
        Ok(if whole.is_false() { pending } else { whole })
    }

    fn answered(&mut self, proc: ProcId) -> Result<Bdd, Halt> {
        if let Some(answered) = self.wide.answered[proc] {
            return Ok(answered);
        }
        let answered = self.entries(proc, self.s.summaries[proc].all)?;
        self.wide.answered[proc] = Some(answered);
        Ok(answered)
    }

    /// Pairs of a procedure have been handed on.
    pub(crate) fn hand_on(&mut self, proc: ProcId, part: Bdd) -> Result<(), Halt> {
        if let Some(answered) = self.wide.answered[proc] {
            let new = self.entries(proc, part)?;
            self.wide.answered[proc] = Some(self.s.m.or(answered, new)?);
        }
        Ok(())
    }
}
