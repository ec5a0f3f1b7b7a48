//! Running an accepted trace with concrete values, the loop until it closes on all of them.
//!
//! Needs leave bits open; a run has a value for each. Every step here starts from a full valuation
//! and picks one successor that agrees with what is needed next, of which T1 of [`crate::trace`]
//! promises one; what may have any value is 0. The pick depends on the step and the valuation
//! alone, so completed calls from equal valuations are run once, and a loop comes back to a
//! valuation it had before, mostly at once.
//!
//! Each pick is checked by evaluating the relation with nothing open. So the result is a run of the
//! program whatever else went wrong.

use crate::machine::{Around, Machine, Picked, Role, Verdict};
use crate::shown::{Accepted, PieceId, Run, RunStep};
use check::{Frame, Lasso, Partial, Segment, SegmentId, Step, Trace};
use ir::{Call, EdgeKind, IndexVec, ProcId, Rel, Time};
use rustc_hash::FxHashMap;

/// Steps before giving up.
const STEPS: usize = 1 << 17;

/// Turns of the loop before giving up.
const TURNS: usize = 1 << 12;

/// A run along the trace in which every bit has a value, with a loop that ends exactly as it
/// starts: several turns of the loop, and some before it, if need be.
///
/// `claims`: the trace that was accepted, if only as a run with an end. Its loop may not close by
/// what it needs; then claims are followed as far as they can be, and nothing is promised.
pub(crate) fn run(accepted: &Accepted, claims: Option<&Trace>) -> Option<Trace> {
    let program = &*accepted.program;
    let mut runner = Runner {
        accepted,
        claims,
        machine: Machine::new(program, &accepted.space),
        segments: IndexVec::new(),
        memo: FxHashMap::default(),
        frames: vec![Frame { proc: program.entry, steps: Vec::new() }],
        steps: 0,
    };
    let mut state = accepted.space.open();
    if let Some(trace) = claims {
        let first = trace.frames[0].steps.first().map_or(&trace.end, |s| &s.state);
        state.merge(&accepted.space.state(first));
    }
    state.merge(&accepted.start);
    let mut state = runner.full(program.entry, None, state);

    let last = accepted.frames.len() - 1;
    let end = (last, accepted.frames[last].steps.len());
    let Some(Lasso::Loop { frame, step }) = accepted.lasso else {
        let state = runner.span((0, 0), end, state)?;
        return Some(runner.finish(state, accepted.lasso));
    };
    state = runner.span((0, 0), (frame, step), state)?;
    // The valuations at the head, with where the turn starts.
    let mut heads: FxHashMap<Partial, Lasso> = FxHashMap::default();
    for _ in 0..TURNS {
        let frame_now = runner.frames.len() - 1;
        let here = Lasso::Loop { frame: frame_now, step: runner.frames[frame_now].steps.len() };
        if let Some(&start) = heads.get(&state) {
            return Some(runner.finish(state, Some(start)));
        }
        heads.insert(state.clone(), here);
        state = runner.span((frame, step), end, state)?;
    }
    None
}

struct Runner<'a> {
    accepted: &'a Accepted,
    claims: Option<&'a Trace>,
    machine: Machine<'a>,
    segments: IndexVec<SegmentId, Segment>,
    /// Completed calls by the valuation at entry, with that at the exit.
    memo: FxHashMap<(PieceId, Partial), (SegmentId, Partial)>,
    frames: Vec<Frame>,
    steps: usize,
}

/// What a step should lead to, the best first: after it, and in the saved frame.
type Wants = Vec<(Partial, Partial)>;

/// A completed call on the way.
struct Live<'a> {
    piece: PieceId,
    run: &'a Run,
    proc: ProcId,
    entry: Partial,
    at: usize,
    state: Partial,
    steps: Vec<Step>,
    /// What the call that it waits for left behind.
    saved: Partial,
}

impl<'a> Runner<'a> {
    fn finish(self, state: Partial, lasso: Option<Lasso>) -> Trace {
        let space = &self.accepted.space;
        let mut end = space.state(&state);
        if lasso == Some(Lasso::Terminated) {
            end.forget(space.locals());
        }
        Trace {
            segments: self.segments,
            frames: self.frames,
            target: self.accepted.target,
            end,
            shortest: false,
            lasso,
        }
    }

    /// A full valuation of globals, the locals of `proc` and the results of `results`.
    fn full(&self, proc: ProcId, results: Option<ProcId>, state: Partial) -> Partial {
        let (program, space) = (self.machine.program, self.machine.space);
        let mut out = space.open();
        let results = results.map_or(&[][..], |p| &program.procs[p].results);
        for var in program.scope(proc).chain(results.iter().copied()) {
            for bit in space.var(program, var) {
                out.set(bit, Some(state.get(bit).unwrap_or(false)));
            }
        }
        out
    }

    /// Runs from one position, a step of a frame, to another.
    fn span(
        &mut self,
        from: (usize, usize),
        to: (usize, usize),
        mut state: Partial,
    ) -> Option<Partial> {
        let accepted = self.accepted;
        let program = &*accepted.program;
        let (mut number, mut at) = from;
        while (number, at) != to {
            let run = &accepted.frames[number];
            let step = *run.steps.get(at)?;
            let proc = self.frames.last()?.proc;
            let edge = &program.edges[step.edge];
            let mut taken = Step { edge: step.edge, state: state.clone(), inside: None };
            if let (EdgeKind::Call(call), None) = (&edge.kind, step.inside) {
                let wants = self.wants(&accepted.frames[number + 1].needs[0], number, at);
                let callee = call.callee;
                state = self.go(&call.enter, Role::Enter, proc, callee, &state, &wants)?.0;
                self.frames.last_mut()?.steps.push(taken);
                self.frames.push(Frame { proc: callee, steps: Vec::new() });
                (number, at) = (number + 1, 0);
                continue;
            }
            let wants = self.wants(&run.needs[at + 1], number, at);
            state = match (&edge.kind, step.inside) {
                (EdgeKind::Call(call), Some(piece)) => {
                    let (entry, saved) = self.enter(run, at, step, proc, call, &state)?;
                    let (segment, exit) = self.inside(piece, entry)?;
                    taken.inside = Some(segment);
                    self.back(call, proc, &exit, &saved, &wants)?
                }
                (EdgeKind::Local { rel, .. }, _) => {
                    self.go(rel, Role::Local, proc, proc, &state, &wants)?.0
                }
                (EdgeKind::Return { rel }, _) => {
                    self.go(rel, Role::Return, proc, proc, &state, &wants)?.0
                }
                (EdgeKind::Call(_), None) => return None, // seen above
            };
            self.frames.last_mut()?.steps.push(taken);
            at += 1;
        }
        Some(state)
    }

    /// What the step of a frame should lead to.
    fn wants(&self, need: &Partial, number: usize, at: usize) -> Wants {
        let space = self.machine.space;
        let none = space.open();
        let Some(trace) = self.claims else { return vec![(need.clone(), none)] };
        let frames = &trace.frames;
        let over = at + 1 == frames[number].steps.len();
        let (claim, ends) = match (over, frames.get(number + 1)) {
            (false, _) => (&frames[number].steps[at + 1].state, false),
            (true, Some(next)) => {
                let first = next.steps.first().map(|s| &s.state);
                (first.unwrap_or(&trace.end), first.is_none())
            }
            (true, None) => (&trace.end, true),
        };
        let mut out: Vec<Partial> = Vec::new();
        let mut all = need.clone();
        let claim = space.state(claim);
        if all.conflict(&claim).is_none() {
            all.merge(&claim);
            if let (true, Some(Lasso::Loop { frame, step })) = (ends, self.accepted.lasso) {
                let head = &self.accepted.frames[frame].needs[step];
                if all.conflict(head).is_none() {
                    let mut more = all.clone();
                    more.merge(head);
                    out.push(more);
                }
            }
            out.push(all);
        }
        out.extend([need.clone(), none.clone()]);
        out.into_iter().map(|want| (want, none.clone())).collect()
    }

    /// What a step inside a completed call should lead to.
    fn wants_inside(&self, post: Partial, saved: Partial) -> Wants {
        let none = self.machine.space.open();
        let mut out = vec![(post, saved)];
        if self.claims.is_some() {
            out.push((none.clone(), none));
        }
        out
    }

    /// Into a completed call: the valuation at its entry, and what is left behind.
    fn enter(
        &mut self,
        run: &Run,
        at: usize,
        step: RunStep,
        proc: ProcId,
        call: &Call,
        state: &Partial,
    ) -> Option<(Partial, Partial)> {
        let mut post = self.accepted.pieces[step.inside?].run.needs[0].clone();
        let mut saved = self.machine.space.open();
        if let Ok(i) = run.calls.binary_search_by_key(&at, |c| c.0) {
            post.merge(&run.calls[i].1.around);
            saved.merge(&run.calls[i].1.saved);
        }
        let wants = self.wants_inside(post, saved);
        self.go(&call.enter, Role::Enter, proc, call.callee, state, &wants)
    }

    /// Back from a completed call.
    fn back(
        &mut self,
        call: &Call,
        proc: ProcId,
        exit: &Partial,
        saved: &Partial,
        wants: &Wants,
    ) -> Option<Partial> {
        let mut pre = exit.clone();
        pre.forget(self.machine.space.locals());
        pre.merge(saved);
        Some(self.go(&call.back, Role::Back, proc, call.callee, &pre, wants)?.0)
    }

    /// Runs a completed call from a valuation at its entry.
    fn inside(&mut self, piece: PieceId, entry: Partial) -> Option<(SegmentId, Partial)> {
        let accepted = self.accepted;
        let program = &*accepted.program;
        let live = |piece: PieceId, entry: Partial| {
            let run = &accepted.pieces[piece].run;
            let proc = program.nodes[program.edges[run.steps[0].edge].source].proc;
            let (state, saved) = (entry.clone(), accepted.space.open());
            Live { piece, run, proc, entry, at: 0, state, steps: Vec::new(), saved }
        };
        if let Some(known) = self.memo.get(&(piece, entry.clone())) {
            return Some(known.clone());
        }
        let mut stack: Vec<Live<'a>> = vec![live(piece, entry)];
        let mut done: Option<(SegmentId, Partial)> = None;
        loop {
            let mut top = stack.pop()?;
            let step = *top.run.steps.get(top.at)?;
            let mut taken = Step { edge: step.edge, state: top.state.clone(), inside: None };
            let need = top.run.needs[top.at + 1].clone();
            let wants = self.wants_inside(need, accepted.space.open());
            match &program.edges[step.edge].kind {
                EdgeKind::Local { rel, .. } => {
                    let (proc, state) = (top.proc, &top.state);
                    top.state = self.go(rel, Role::Local, proc, proc, state, &wants)?.0;
                }
                EdgeKind::Call(call) => match done.take() {
                    None => {
                        let state = &top.state;
                        let (entry, saved) =
                            self.enter(top.run, top.at, step, top.proc, call, state)?;
                        top.saved = saved;
                        let piece = step.inside?;
                        done = self.memo.get(&(piece, entry.clone())).cloned();
                        stack.push(top);
                        if done.is_none() {
                            stack.push(live(piece, entry));
                        }
                        continue;
                    }
                    Some((segment, exit)) => {
                        taken.inside = Some(segment);
                        top.state = self.back(call, top.proc, &exit, &top.saved, &wants)?;
                    }
                },
                EdgeKind::Return { rel } => {
                    let (proc, state) = (top.proc, &top.state);
                    let exit = self.go(rel, Role::Return, proc, proc, state, &wants)?.0;
                    top.steps.push(taken);
                    let claim = self.machine.space.exit_claim(proc, &exit);
                    let segment = Segment { proc, steps: top.steps, exit: claim };
                    let id = self.segments.push(segment);
                    self.memo.insert((top.piece, top.entry), (id, exit.clone()));
                    if stack.is_empty() {
                        return Some((id, exit));
                    }
                    done = Some((id, exit));
                    continue;
                }
            }
            top.steps.push(taken);
            top.at += 1;
            stack.push(top);
        }
    }

    /// One relation, from a full valuation to a full one. `other`: whom it enters or comes back
    /// from.
    fn go(
        &mut self,
        rel: &Rel,
        role: Role,
        proc: ProcId,
        other: ProcId,
        pre: &Partial,
        wants: &Wants,
    ) -> Option<(Partial, Partial)> {
        wants.iter().find_map(|(post, saved)| {
            self.steps += 1;
            (self.steps <= STEPS)
                .then(|| self.pick_one(rel, role, proc, other, pre, post, saved))?
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn pick_one(
        &mut self,
        rel: &Rel,
        role: Role,
        proc: ProcId,
        other: ProcId,
        pre: &Partial,
        want: &Partial,
        want_saved: &Partial,
    ) -> Option<(Partial, Partial)> {
        let (program, space) = (self.machine.program, self.machine.space);
        let none = space.open();
        self.machine.compile(rel);
        let around = Around { post: want, saved: want_saved, ..Around::forward(role, pre, &none) };
        let mut picked = Picked::default();
        self.machine.pick(rel, &around, &mut picked).ok()?;
        for k in 0..rel.choices {
            if picked.choice(k).is_none() {
                picked.set_choice(k, Some(false));
            }
        }
        if self.machine.verdict(&around, &picked) != Verdict::Yes {
            return None;
        }
        let (mut post, mut saved) = self.machine.outputs(&around);
        for &((time, var, cell), value) in picked.cells() {
            let out = match time {
                Time::Post => &mut post,
                Time::Saved => &mut saved,
                Time::Pre => continue,
            };
            out.set_number(space.cell(program, var, cell), Some(value));
        }
        if post.conflict(want).is_some() || saved.conflict(want_saved).is_some() {
            return None;
        }
        post.merge(want);
        saved.merge(want_saved);
        let post = match role {
            Role::Local | Role::Back => self.full(proc, None, post),
            Role::Enter => self.full(other, None, post),
            Role::Return => {
                let mut exit = self.full(proc, Some(proc), post);
                exit.forget(space.locals());
                exit
            }
        };
        let saved = match role {
            Role::Enter => {
                let mut saved = self.full(proc, None, saved);
                saved.forget(space.globals());
                saved
            }
            _ => none.clone(),
        };
        // With nothing left open, the relation holds, and what it keeps is kept.
        let around = Around { post: &post, saved: &saved, ..around };
        let holds = self.machine.verdict(&around, &picked) == Verdict::Yes;
        let (known, known_saved) = self.machine.outputs(&around);
        let same = known.conflict(&post).is_none() && known_saved.conflict(&saved).is_none();
        (holds && same).then_some((post, saved))
    }
}
