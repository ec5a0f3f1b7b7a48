//! How traces ([`symbolic::Rings`]) go over calls: by lifted summaries.

use crate::lift::{CallRel, changed};
use crate::summaries::Saturation;
use bdd::Bdd;
use ir::{EdgeId, EdgeKind};
use symbolic::{CallParts, Copy, Halt, How, Pair, Rings, Scope, State, System};

impl Rings for Saturation {
    type Rel = CallRel;

    fn system(&self) -> &System<CallRel> {
        &self.s
    }
    fn system_mut(&mut self) -> &mut System<CallRel> {
        &mut self.s
    }
    fn collect_but(&mut self, more: Vec<Bdd>) {
        self.collect_with(more);
    }

    fn over_call(
        &mut self,
        e: EdgeId,
        states: Bdd,
        scope: Scope<'_>,
        _: bool,
    ) -> Result<Vec<(How, Bdd)>, Halt> {
        let site = self.site(e)?;
        let mut out = Vec::new();
        if scope.enter {
            out.push((How::Enter, self.enter(site, states)?));
        }
        let lifted = self.lifted_below(site, scope.round)?;
        if !lifted.is_false() {
            let spec = self.s.sites[site as usize].rel.jump_spec;
            out.push((How::Jump, self.s.m.image(states, lifted, spec)?));
        }
        Ok(out)
    }

    fn before_jump(
        &mut self,
        e: EdgeId,
        states: Bdd,
        state: &State,
        round: u32,
        _: Option<u32>,
    ) -> Result<(State, Pair, u32), Halt> {
        let program = self.s.program.clone();
        let edge = &program.edges[e];
        let EdgeKind::Call(call) = &edge.kind else { unreachable!("a jump is over a call") };
        let parts = CallParts::new(&self.s.context, call);
        let changed = changed(&self.s.context, call, &parts);
        let site = self.site(e)?;
        let lifted = self.lifted_below(site, round)?;
        let fixed = self.s.fixed(call.ret, state, |var| {
            Some(if changed.contains(&var) { Copy::Post } else { Copy::Pre })
        })?;
        let possible = self.s.m.and(states, fixed)?;
        let possible = self.s.m.and(possible, lifted)?;
        let before = self.s.pick(possible, edge.source)?;
        let (pair, round) = self.pair(e, &before, state, round)?;
        Ok((before, pair, round))
    }
}

impl Saturation {
    /// The lifted summary of a call, as far as published before `round`.
    fn lifted_below(&mut self, site: u32, round: u32) -> Result<Bdd, Halt> {
        let callee = self.s.sites[site as usize].callee;
        let count = self.parts_below(callee, None, round);
        let parts = &self.s.summaries[callee].parts;
        if count == parts.len() {
            return self.lifted_all(site);
        }
        if count == 0 {
            return Ok(Bdd::FALSE);
        }
        if self.below.0 != round {
            self.below = (round, Default::default());
        }
        if let Some(&lifted) = self.below.1.get(&site) {
            return Ok(lifted);
        }
        let lifted = self.lift(site, parts[count - 1].up_to_here)?;
        self.below.1.insert(site, lifted);
        Ok(lifted)
    }

    /// The pair of the callee's summary that leads from `before` the call to `after` it, of the
    /// smallest round.
    fn pair(
        &mut self,
        e: EdgeId,
        before: &State,
        after: &State,
        round: u32,
    ) -> Result<(Pair, u32), Halt> {
        let program = self.s.program.clone();
        let edge = &program.edges[e];
        let EdgeKind::Call(call) = &edge.kind else { unreachable!("a jump is over a call") };
        let parts = CallParts::new(&self.s.context, call);
        let proc = call.callee;
        let (enter, back) = {
            let rel = self.s.site(e)?.rel;
            (rel.enter, rel.back)
        };
        let exit_vars = self.s.context.exit_vars[proc].clone();
        let shared = |var| parts.shared.contains(&var).then_some(Copy::Inner);
        let states = [
            self.s.fixed(edge.source, before, |_| Some(Copy::Pre))?,
            self.s.fixed(edge.source, before, shared)?,
            self.s.fixed(call.ret, after, |var| {
                if parts.back_assigned.contains(&var) {
                    Some(Copy::Post)
                } else if exit_vars.contains(&var) {
                    Some(Copy::Exit)
                } else {
                    parts.saved.contains(&var).then_some(Copy::Saved)
                }
            })?,
        ];
        let mut fixed = Bdd::TRUE;
        for part in states.into_iter().chain([enter, back]) {
            fixed = self.s.m.and(fixed, part)?;
        }
        let part = self.first_part(proc, None, round, fixed)?;
        let possible = self.s.m.and(part.up_to_here, fixed)?;
        let context = &self.s.context;
        let entry_vars = context.entry_vars[proc].iter().copied();
        let mut bits: Vec<u32> = context.bits(Copy::Inner, entry_vars).collect();
        let entry = bits.len();
        bits.extend(context.bits(Copy::Exit, exit_vars));
        let Some(values) = self.s.m.pick_minterm(possible, &bits) else {
            return Err(Halt::internal("a jump in a trace has no pair"));
        };
        let values: Vec<bool> = values.into_iter().map(|v| v.1).collect();
        let (entry, exit) = values.split_at(entry);
        let pair = Pair { proc, mark: None, entry: entry.into(), exit: exit.into() };
        Ok((pair, part.round))
    }
}
