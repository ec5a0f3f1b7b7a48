//! How traces ([`symbolic::Rings`]) go over calls: by pairs of summaries, of either direction, with
//! or without a mark.

use crate::call::{CallRel, Stays};
use crate::marked::Marked;
use crate::system::System;
use bdd::Bdd;
use check::Step;
use ir::{EdgeId, EdgeKind, ProcId};
use symbolic::{
    CallParts, Copy, Entry, Halt, How, Library, Pair, Part, Rings, Scope, Search, State,
};

impl Rings for System {
    type Rel = CallRel;

    fn system(&self) -> &symbolic::System<CallRel> {
        self
    }
    fn system_mut(&mut self) -> &mut symbolic::System<CallRel> {
        self
    }
    fn collect_but(&mut self, more: Vec<Bdd>) {
        self.collect(more);
    }
    fn carries(&self, e: EdgeId, mark: u32) -> bool {
        self.edge_marks(e) >> mark & 1 == 1
    }
    fn parts(&self, proc: ProcId, mark: Option<u32>) -> &[Part] {
        match mark.map(|i| &self.marked[i as usize][proc]) {
            None | Some(Marked::Always) => &self.summaries[proc].parts,
            Some(Marked::Exact(summary)) => &summary.parts,
            Some(Marked::Never | Marked::Open) => &[],
        }
    }

    fn over_call(
        &mut self,
        e: EdgeId,
        states: Bdd,
        scope: Scope<'_>,
        marked: bool,
    ) -> Result<Vec<(How, Bdd)>, Halt> {
        let site = self.site(e)?;
        let called = self.m.image(states, site.rel.enter, site.rel.call)?;
        let mut out = Vec::new();
        if scope.enter {
            out.push((How::Enter, self.m.exists_rename(called, site.rel.entries)?));
        }
        for (mark, how) in [(None, How::Jump), (scope.mark, How::MarkedJump)] {
            if how == How::MarkedJump && (mark.is_none() || marked) {
                continue;
            }
            let count = self.parts_below(site.callee, mark, scope.round);
            if count > 0 {
                let pairs = self.parts(site.callee, mark)[count - 1].up_to_here;
                out.push((how, self.jump(site.rel, called, pairs)?));
            }
        }
        Ok(out)
    }

    fn before_jump(
        &mut self,
        e: EdgeId,
        states: Bdd,
        state: &State,
        round: u32,
        mark: Option<u32>,
    ) -> Result<(State, Pair, u32), Halt> {
        let program = self.program.clone();
        let EdgeKind::Call(call) = &program.edges[e].kind else { unreachable!("a call") };
        let callee = call.callee;
        let rel = self.site(e)?.rel;
        let parts = CallParts::new(&self.context, call);
        let stays = Stays::new(&self.context, &self.m, call, rel.back);
        let called = self.m.image(states, rel.enter, rel.call)?;
        // From what `called` and a pair are about to the state after: `back`, before the copies of
        // `returned` variables are brought home.
        let exit = self.context.exit_vars[callee].clone();
        let fixed = self.fixed(call.ret, state, |var| {
            Some(if parts.back_assigned.contains(&var) {
                Copy::Post
            } else if exit.contains(&var) {
                Copy::Exit
            } else if stays.returned.contains(&var) {
                Copy::Inner
            } else {
                Copy::Pre
            })
        })?;
        let home = self.context.pairs(Copy::Pre, Copy::Inner, stays.returned.iter().copied());
        let back = self.m.rename(rel.back, &home)?;
        let fixed = self.m.and(fixed, back)?;
        let fixed = self.m.and(fixed, called)?;
        let part = self.first_part(callee, mark, round, fixed)?;
        let possible = self.m.and(part.up_to_here, fixed)?;
        let context = &self.context;
        let entry_vars = || context.entry_vars[callee].iter().copied();
        let entry: Vec<u32> = context.bits(Copy::Inner, entry_vars()).collect();
        let exit_vars = context.exit_vars[callee].iter().copied();
        let exit: Vec<u32> = context.bits(Copy::Exit, exit_vars).collect();
        let kept: Vec<u32> = context.bits(Copy::Pre, stays.kept.iter().copied()).collect();
        let all: Vec<u32> = entry.iter().chain(&exit).chain(&kept).copied().collect();
        let Some(values) = self.m.pick_minterm(possible, &all) else {
            return Err(Halt::internal("a jump in a trace has no pair"));
        };
        let values: Vec<bool> = values.into_iter().map(|v| v.1).collect();
        let (entry_values, rest) = values.split_at(entry.len());
        let (exit_values, kept_values) = rest.split_at(exit.len());

        // From the state before to `called`.
        let mut literals = Vec::new();
        let mut bits = entry_values.iter().copied();
        for var in entry_vars() {
            let copy = if parts.shared.contains(&var) { Copy::Pre } else { Copy::Inner };
            literals.extend(context.slots.bits(copy, var).zip(bits.by_ref()));
        }
        let mut bits = kept_values.iter().copied();
        for &var in &stays.kept {
            let copy = if parts.saved.contains(&var) { Copy::Saved } else { Copy::Pre };
            literals.extend(context.slots.bits(copy, var).zip(bits.by_ref()));
        }
        let fixed = self.m.literals(&literals)?;
        let before = self.m.and(states, fixed)?;
        let before = self.m.and(before, rel.enter)?;
        let before = self.pick(before, self.program.edges[e].source)?;
        // Where every run carries the mark, any will do.
        let always = |i: &u32| matches!(self.marked[*i as usize][callee], Marked::Always);
        let mark = mark.filter(|i| !always(i));
        let pair =
            Pair { proc: callee, mark, entry: entry_values.into(), exit: exit_values.into() };
        Ok((before, pair, part.round))
    }
}

impl System {
    /// A shortest way from an entry of a procedure among `start` by the call `e` to an entry of the
    /// callee among `target`, that call included: the steps of the frame, and the state before the
    /// call. With a mark, the way carries it.
    pub(crate) fn way_to_call(
        &mut self,
        proc: ProcId,
        start: Bdd,
        e: EdgeId,
        target: Bdd,
        mark: Option<u32>,
        library: &mut Library,
    ) -> Result<Vec<Step>, Halt> {
        let program = self.program.clone();
        let site = self.site(e)?;
        let aim = self.enter_back(site, target)?;
        let keep = || vec![aim, target];
        let mut search = Search::new(program.procs[proc].entry, start);
        let mut looked_at = 0;
        loop {
            while looked_at < search.entries.len() {
                let Entry { node, states, marked, .. } = search.entries[looked_at];
                let fits = marked || mark.is_none_or(|i| self.carries(e, i));
                if node == site.source && fits && !self.m.disjoint(states, aim)? {
                    let states = self.m.and(states, aim)?;
                    let (mut frames, end) = self.read_back_marked(
                        &search,
                        looked_at as u32,
                        states,
                        u32::MAX,
                        mark,
                        library,
                    )?;
                    let (_, mut steps) = frames.pop().expect("a search has a bottom frame");
                    let state = self.partial(node, &end);
                    steps.push(Step { edge: e, state, inside: None });
                    return Ok(steps);
                }
                looked_at += 1;
            }
            if !self.next_ring(&mut search, Scope::procedure(u32::MAX, mark), &keep)? {
                return Err(Halt::internal("a way between entries has no run behind it"));
            }
        }
    }
}
