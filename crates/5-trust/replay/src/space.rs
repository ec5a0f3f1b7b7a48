//! Where the cells of a valuation lie.
//!
//! One layout serves every valuation that a relation can speak of: globals at `0..global_bits`,
//! behind them a frame's locals (the bits of [`crate::Shown`] and of traces), and
//! behind the widest frame the results. What a valuation does not have stays open.

use check::Partial;
use ir::{Layout, ProcId, Program, VarId, VarKind};
use std::ops::Range;

/// The layout of all valuations of one program.
#[derive(Clone, Debug)]
pub struct Space {
    pub layout: Layout,
    /// First bit of the locals.
    frame: u32,
    /// First bit of the results.
    results: u32,
    bits: u32,
}

impl Space {
    pub fn new(program: &Program) -> Space {
        let layout = Layout::new(program);
        let frame = layout.global_bits;
        let results = frame + layout.max_frame_bits();
        let bits = results + layout.max_result_bits();
        Space { layout, frame, results, bits }
    }
    /// A valuation of which nothing is known.
    pub fn open(&self) -> Partial {
        Partial::unknown(self.bits)
    }
    /// The bits of a cell.
    pub fn cell(&self, program: &Program, var: VarId, cell: u32) -> Range<u32> {
        let base = self.base(program, var);
        let range = self.layout.slot(var).cell(cell);
        base + range.start..base + range.end
    }
    /// The bits of a variable.
    pub fn var(&self, program: &Program, var: VarId) -> Range<u32> {
        let base = self.base(program, var);
        let range = self.layout.slot(var).bits();
        base + range.start..base + range.end
    }
    fn base(&self, program: &Program, var: VarId) -> u32 {
        match program.vars[var].kind {
            VarKind::Global => 0,
            VarKind::Local(_) => self.frame,
            VarKind::Result(_) => self.results,
        }
    }
    pub fn globals(&self) -> Range<u32> {
        0..self.frame
    }
    pub fn locals(&self) -> Range<u32> {
        self.frame..self.results
    }
    pub fn results(&self) -> Range<u32> {
        self.results..self.bits
    }
    /// A state as traces write it, with what lies beyond its scope left open.
    pub fn state(&self, claim: &Partial) -> Partial {
        let mut out = self.open();
        out.merge(claim);
        out.forget(self.results());
        out
    }
    /// An exit as traces write it: globals, and the results just behind.
    pub fn exit(&self, proc: ProcId, claim: &Partial) -> Partial {
        let mut out = self.open();
        out.merge(claim);
        out.forget(self.frame..self.bits);
        for bit in 0..self.layout.result_bits[proc] {
            out.set(self.results + bit, claim.get(self.frame + bit));
        }
        out
    }
    /// The other way round.
    pub fn exit_claim(&self, proc: ProcId, exit: &Partial) -> Partial {
        let (globals, results) = (self.frame, self.layout.result_bits[proc]);
        let mut out = Partial::unknown(globals + results);
        for bit in 0..globals {
            out.set(bit, exit.get(bit));
        }
        for bit in 0..results {
            out.set(globals + bit, exit.get(self.results + bit));
        }
        out
    }
    /// The variable that owns a bit of a valuation in `proc` (results: of `callee`).
    pub fn owner(
        &self,
        program: &Program,
        proc: ProcId,
        callee: Option<ProcId>,
        bit: u32,
    ) -> Option<VarId> {
        let results = callee.map_or(&[][..], |p| &program.procs[p].results);
        program
            .scope(proc)
            .chain(results.iter().copied())
            .find(|&v| self.var(program, v).contains(&bit))
    }
}
