//! Judging a trace: one pass backwards over its call tree checks it and finds what matters in it.
//!
//! A trace claims values of some bits before each step. Instead of checking every claim, the pass
//! asks what the run *needs*: at the end, the cells that make the target's condition true; before
//! each step, the cells that make the step possible and lead to what is needed after it
//! ([`crate::justify`]). With `N(i)` what is needed before step `i`:
//!
//! - T1. every valuation that agrees with `N(i)` has a successor by step `i` that agrees with
//!   `N(i+1)`;
//! - T2. for a completed call: every valuation of globals and callee's locals that agrees with the
//!   segment's entry need leads through the segment to an exit that agrees with its exit need;
//!   this is T1 along the segment, and globals that nothing inside assigns go around it;
//! - T3. every initial valuation that agrees with `N(0)` satisfies the initial condition, and
//!   `N(0)` has such valuations.
//!
//! By induction every valuation that agrees with `N(0)` starts a real run along the trace's edges
//! to the target. So whatever completes the open cells, the trace is one: that is what
//! [`Accepted`] stands for. Claims about cells that are not needed are neither checked nor used.
//!
//! The trace is a graph: a segment is analysed once for each set of needs at its exit, of which
//! there are few, and the pass is linear in what is stored, however long the run.

use crate::justify::{Claims, Fault};
use crate::machine::{Machine, Role};
use crate::refusal::{Part, Place, Reason, Refusal};
use crate::shown::{Accepted, Piece, PieceId, Run, RunStep};
use crate::space::Space;
use check::{Frame, Goal, Partial, Segment, SegmentId, Step, Trace};
use ir::{Call, EdgeKind, IndexVec, NodeId, ProcId, Program, Rel, Time, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Saved bits of which all values are tried.
const TRIED_BITS: usize = 8;

/// Accepts or refuses a trace to a goal.
pub fn check_trace(
    program: &Arc<Program>,
    goal: &Goal,
    trace: &Trace,
) -> Result<Accepted, Refusal> {
    check_with(program, goal, trace, None)
}

/// [`check_trace`], with another patience for the search of choices.
pub(crate) fn check_with(
    program: &Arc<Program>,
    goal: &Goal,
    trace: &Trace,
    patience: Option<usize>,
) -> Result<Accepted, Refusal> {
    let whole = |reason| Err(Refusal::new(Place::Trace, reason));
    let Goal::Reach(targets) = goal else {
        return whole(Reason::Unsupported("runs without end are not judged yet"));
    };
    if trace.lasso.is_some() {
        return whole(Reason::Malformed("a trace to a place has no loop"));
    }
    structure(program, trace)?;
    let space = Space::new(program);
    let (changed, masks) = changed(program, &space, trace);
    let mut pass = Pass {
        program,
        space: &space,
        trace,
        machine: Machine::new(program, &space),
        changed: &changed,
        masks: &masks,
        none: space.open(),
        pieces: IndexVec::new(),
        memo: IndexVec::filled(Vec::new(), trace.segments.len()),
    };
    if let Some(patience) = patience {
        pass.machine.patience = patience;
    }

    let last = trace.frames.len() - 1;
    let proc = trace.frames[last].proc;
    let claim = space.state(&trace.end);
    let mut end = Err(Reason::Malformed("it does not end at a target of the goal"));
    for target in targets.iter().filter(|t| t.node == trace.target) {
        let rel = Rel::guarded(target.condition, 0);
        end = pass.local(&rel, proc, &claim, &pass.none.clone(), &pass.none.clone());
        if end.is_ok() {
            break;
        }
    }
    let end = end.map_err(|reason| Refusal::new(Place::Target, reason))?;

    let mut frames = Vec::new();
    let mut need = end.clone();
    for (i, frame) in trace.frames.iter().enumerate().rev() {
        let run = pass.run(i, frame, need)?;
        need = run.needs[0].clone();
        frames.push(run);
    }
    frames.reverse();

    let first = trace.frames[0].steps.first().map_or(&trace.end, |s| &s.state);
    let rel = Rel::guarded(program.init.condition, program.init.choices);
    let start = pass
        .local(&rel, program.entry, &space.state(first), &pass.none.clone(), &need)
        .map_err(|reason| Refusal::new(Place::Start, reason))?;
    frames[0].needs[0] = start;

    let pieces = pass.pieces;
    Ok(Accepted {
        program: program.clone(),
        pieces,
        frames,
        target: trace.target,
        masks,
        shortest: trace.shortest,
        space,
    })
}

/// Checks that edges, frames and segments connect.
fn structure(program: &Program, trace: &Trace) -> Result<(), Refusal> {
    let whole = |what| Err(Refusal::new(Place::Trace, Reason::Malformed(what)));
    match trace.frames.first() {
        None => return whole("it has no frame"),
        Some(frame) if frame.proc != program.entry => {
            return whole("it does not start in the entry procedure");
        }
        Some(_) => {}
    }
    let walk = |part: Part, proc: ProcId, steps: &[Step]| -> Result<Option<NodeId>, Refusal> {
        let mut node = Some(program.procs[proc].entry);
        for (i, step) in steps.iter().enumerate() {
            let bad = |what| {
                let place = Place::step(program, part, i, step.edge);
                Err(Refusal::new(place, Reason::Malformed(what)))
            };
            let Some(edge) = program.edges.get(step.edge) else { return bad("no such edge") };
            if node != Some(edge.source) {
                return bad("the edge does not start where the run stands");
            }
            let last = i + 1 == steps.len();
            match (&edge.kind, step.inside) {
                (EdgeKind::Call(call), Some(inside)) => {
                    if !matches!(part, Part::Segment(s) if inside >= s)
                        && let Some(segment) = trace.segments.get(inside)
                    {
                        if segment.proc != call.callee {
                            return bad("what happens inside is a call of another procedure");
                        }
                    } else {
                        return bad("what happens inside the call does not come before it");
                    }
                }
                (EdgeKind::Call(call), None) => {
                    let next = match part {
                        Part::Frame(f) if last => trace.frames.get(f + 1),
                        _ => None,
                    };
                    if next.is_none_or(|frame| frame.proc != call.callee) {
                        return bad("the call does not enter the next frame");
                    }
                }
                (_, Some(_)) => return bad("something happens inside an edge that is no call"),
                (EdgeKind::Return { .. }, None) => {
                    if !last || matches!(part, Part::Frame(_)) {
                        return bad("a return in the middle");
                    }
                }
                (EdgeKind::Local { .. }, None) => {}
            }
            node = edge.target();
        }
        Ok(node)
    };
    for (id, segment) in trace.segments.enumerate() {
        if program.procs.get(segment.proc).is_none() {
            return whole("no such procedure");
        }
        // Only a return leads to no node of the procedure.
        if walk(Part::Segment(id), segment.proc, &segment.steps)?.is_some() {
            return whole("a completed call does not end with a return");
        }
    }
    for (i, frame) in trace.frames.iter().enumerate() {
        if program.procs.get(frame.proc).is_none() {
            return whole("no such procedure");
        }
        let node = walk(Part::Frame(i), frame.proc, &frame.steps)?;
        if i + 1 < trace.frames.len() {
            let call = frame.steps.last().filter(|s| s.inside.is_none());
            if !call.is_some_and(|s| matches!(program.edges[s.edge].kind, EdgeKind::Call(_))) {
                return whole("a frame does not end with the call that enters the next one");
            }
        } else if node != Some(trace.target)
            || frame.steps.last().is_some_and(|s| {
                s.inside.is_none() && matches!(program.edges[s.edge].kind, EdgeKind::Call(_))
            })
        {
            return whole("its last frame does not end at the target");
        }
    }
    Ok(())
}

/// For each segment, the globals that something inside assigns: the number of a mask, and the
/// masks (what they know is assigned).
fn changed(
    program: &Program,
    space: &Space,
    trace: &Trace,
) -> (IndexVec<SegmentId, u32>, Vec<Partial>) {
    let mut out: IndexVec<SegmentId, u32> = IndexVec::new();
    let mut masks: Vec<Partial> = Vec::new();
    let mut ids: FxHashMap<Partial, u32> = FxHashMap::default();
    for segment in trace.segments.iter() {
        let mut mask = space.open();
        for step in &segment.steps {
            let rels = match &program.edges[step.edge].kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => [Some(rel), None],
                EdgeKind::Call(call) => [Some(&call.enter), Some(&call.back)],
            };
            for assign in rels.into_iter().flatten().flat_map(|rel| rel.assigns.iter()) {
                if program.vars[assign.var].kind == VarKind::Global {
                    for bit in space.var(program, assign.var) {
                        mask.set(bit, Some(false));
                    }
                }
            }
            if let Some(inside) = step.inside {
                mask.merge(&masks[out[inside] as usize]);
            }
        }
        let id = *ids.entry(mask).or_insert_with_key(|mask| {
            masks.push(mask.clone());
            masks.len() as u32 - 1
        });
        out.push(id);
    }
    (out, masks)
}

/// How many sets of needs a segment is analysed for before they are joined. Joining keeps the
/// analysis polynomial: needs of one segment then only grow.
const SEPARATE: usize = 4;

struct Pass<'a> {
    program: &'a Program,
    space: &'a Space,
    trace: &'a Trace,
    machine: Machine<'a>,
    changed: &'a IndexVec<SegmentId, u32>,
    masks: &'a [Partial],
    /// A valuation of which nothing is known.
    none: Partial,
    pieces: IndexVec<PieceId, Piece>,
    /// Needs at the exit for which a segment was analysed.
    memo: IndexVec<SegmentId, Vec<(Partial, PieceId)>>,
}

/// A part of the trace on the way backwards.
struct Job<'t> {
    part: Part,
    proc: ProcId,
    steps: &'t [Step],
    /// What is claimed after the last step.
    after: Partial,
    /// Needed at the end of the part.
    exit: Partial,
    /// Steps from `at` on are done; `need` is needed before them.
    at: usize,
    need: Partial,
    /// What was done, last first.
    done: Vec<RunStep>,
    needs: Vec<Partial>,
    /// The call that the job waits for.
    waiting: Option<Waiting>,
}

/// A call whose inside is being analysed.
struct Waiting {
    /// Needed of globals at the exit that nothing inside assigns.
    around: Partial,
    /// Needed in the saved frame.
    saved: Partial,
}

impl<'a> Pass<'a> {
    /// A relation within one procedure, backwards.
    fn local(
        &mut self,
        rel: &Rel,
        proc: ProcId,
        claim: &Partial,
        hint: &Partial,
        need: &Partial,
    ) -> Result<Partial, Reason> {
        let claims = Claims { pre: claim, post: hint, any: &[] };
        self.machine
            .backward(rel, Role::Local, claims, need, &self.none)
            .map_err(|fault| self.reason(fault, proc, None))
    }

    fn reason(&self, fault: Fault, proc: ProcId, callee: Option<ProcId>) -> Reason {
        Reason::from_fault(self.program, fault, |bit| {
            self.space.owner(self.program, proc, callee, bit)
        })
    }

    /// Analyses a frame and whatever is inside it. `need`: at the end of the last frame, or at the
    /// entry of the next one.
    fn run(&mut self, number: usize, frame: &'a Frame, need: Partial) -> Result<Run, Refusal> {
        let mut base = self.frame_job(number, frame, need)?;
        let mut above: Vec<Job<'a>> = Vec::new();
        let mut finished = None;
        loop {
            let job = above.last_mut().unwrap_or(&mut base);
            match self.advance(job, finished.take())? {
                Next::Analyse(segment, exit) => {
                    let job = self.segment_job(segment, exit);
                    above.push(job);
                }
                Next::Done => {
                    let Some(job) = above.pop() else { break };
                    let Part::Segment(segment) = job.part else { break };
                    let exit = job.exit.clone();
                    let changed = self.changed[segment];
                    let piece = self.pieces.push(Piece { run: job.finish(), changed });
                    self.memo[segment].push((exit, piece));
                    finished = Some(piece);
                }
            }
        }
        Ok(base.finish())
    }

    fn frame_job(
        &mut self,
        number: usize,
        frame: &'a Frame,
        need: Partial,
    ) -> Result<Job<'a>, Refusal> {
        let mut job = Job {
            part: Part::Frame(number),
            proc: frame.proc,
            steps: &frame.steps,
            after: self.space.state(&self.trace.end),
            exit: need.clone(),
            at: frame.steps.len(),
            need,
            done: Vec::with_capacity(frame.steps.len()),
            needs: Vec::with_capacity(frame.steps.len() + 1),
            waiting: None,
        };
        let Some(next) = self.trace.frames.get(number + 1) else { return Ok(job) };
        // The call that enters the next frame; what it saves is never looked at again.
        let index = frame.steps.len() - 1;
        let step = &frame.steps[index];
        let EdgeKind::Call(call) = &self.program.edges[step.edge].kind else {
            unreachable!("checked: a frame ends with a call")
        };
        let first = next.steps.first().map_or(&self.trace.end, |s| &s.state);
        let before = self.enter(call, step, first, &job.exit, &self.none.clone());
        job.need = before.map_err(|fault| self.refuse(&job, index, fault))?;
        job.exit = self.none.clone();
        job.at = index;
        job.needs.push(job.exit.clone());
        job.done.push(RunStep { edge: step.edge, inside: None });
        Ok(job)
    }

    fn segment_job(&mut self, id: SegmentId, exit: Partial) -> Job<'a> {
        let segment: &'a Segment = &self.trace.segments[id];
        Job {
            part: Part::Segment(id),
            proc: segment.proc,
            steps: &segment.steps,
            after: self.space.exit(segment.proc, &segment.exit),
            exit: exit.clone(),
            at: segment.steps.len(),
            need: exit,
            done: Vec::with_capacity(segment.steps.len()),
            needs: Vec::with_capacity(segment.steps.len() + 1),
            waiting: None,
        }
    }

    fn refuse(&self, job: &Job, index: usize, fault: Fault) -> Refusal {
        let edge = job.steps[index].edge;
        let callee = match &self.program.edges[edge].kind {
            EdgeKind::Call(call) => Some(call.callee),
            _ => None,
        };
        let place = Place::step(self.program, job.part, index, edge);
        Refusal::new(place, self.reason(fault, job.proc, callee))
    }

    /// Goes backwards until the job is done or needs the inside of a call. `finished` is that of
    /// the call the job waited for.
    fn advance(&mut self, job: &mut Job, mut finished: Option<PieceId>) -> Result<Next, Refusal> {
        while job.at > 0 {
            let index = job.at - 1;
            let step = &job.steps[index];
            let claim = self.space.state(&step.state);
            let after = match job.steps.get(job.at) {
                Some(next) => self.space.state(&next.state),
                None => job.after.clone(),
            };
            let claims = Claims { pre: &claim, post: &after, any: &[] };
            let none = self.none.clone();
            let mut inside = None;
            let before = match (&self.program.edges[step.edge].kind, step.inside) {
                (EdgeKind::Local { rel, .. }, _) => {
                    self.machine.backward(rel, Role::Local, claims, &job.need, &none)
                }
                (EdgeKind::Return { rel }, _) => {
                    self.machine.backward(rel, Role::Return, claims, &job.need, &none)
                }
                (EdgeKind::Call(call), Some(segment)) => {
                    if job.waiting.is_none() {
                        let (waiting, exit) = self
                            .back(call, segment, &claim, &after, &job.need)
                            .map_err(|fault| self.refuse(job, index, fault))?;
                        job.waiting = Some(waiting);
                        match self.lookup(segment, exit) {
                            Ok(piece) => finished = Some(piece),
                            Err(exit) => return Ok(Next::Analyse(segment, exit)),
                        }
                    }
                    let (Some(waiting), Some(piece)) = (job.waiting.take(), finished.take()) else {
                        unreachable!("a job that waits is woken with what it waits for")
                    };
                    inside = Some(piece);
                    let mut entry = self.pieces[piece].run.needs[0].clone();
                    match entry.conflict(&waiting.around) {
                        Some(bit) => Err(Fault::Conflict(bit)),
                        None => {
                            entry.merge(&waiting.around);
                            let first = &self.trace.segments[segment].steps[0].state;
                            self.enter(call, step, first, &entry, &waiting.saved)
                        }
                    }
                }
                (EdgeKind::Call(_), None) => {
                    unreachable!("checked: only a frame's last call has no inside")
                }
            };
            let before = before.map_err(|fault| self.refuse(job, index, fault))?;
            job.needs.push(std::mem::replace(&mut job.need, before));
            job.done.push(RunStep { edge: step.edge, inside });
            job.at = index;
        }
        Ok(Next::Done)
    }

    /// An analysis of `segment` that serves `exit`, or the needs to analyse it for.
    fn lookup(&self, segment: SegmentId, mut exit: Partial) -> Result<PieceId, Partial> {
        let known = &self.memo[segment];
        if let Some((_, piece)) = known.iter().find(|(need, _)| *need == exit) {
            return Ok(*piece);
        }
        if known.len() >= SEPARATE {
            if let Some((_, piece)) = known.iter().find(|(need, _)| need.covers(&exit)) {
                return Ok(*piece);
            }
            if let Some((need, _)) = known.last()
                && need.conflict(&exit).is_none()
            {
                exit.merge(need);
            }
        }
        Err(exit)
    }

    /// Backwards from the node after a call to the callee's exit: what is needed around the call
    /// and in the saved frame, and what is needed of the segment.
    fn back(
        &mut self,
        call: &Call,
        segment: SegmentId,
        claim: &Partial,
        after: &Partial,
        need: &Partial,
    ) -> Result<(Waiting, Partial), Fault> {
        let (program, space) = (self.program, self.space);
        let mask = &self.masks[self.changed[segment] as usize];
        let inside = &self.trace.segments[segment];
        // Before `back`: the exit as claimed, globals that go around the segment, saved locals.
        let (entered, saved) = self.machine.forward(&call.enter, Role::Enter, claim);
        let mut pre = entered;
        pre.forget(space.locals());
        pre.merge(&space.state(&inside.steps[0].state));
        pre.forget(space.locals());
        pre.remove(mask);
        pre.merge(&space.exit(inside.proc, &inside.exit));
        pre.merge(&saved);
        // A saved local that the call makes arbitrary is what it is claimed to be afterwards, or
        // whatever `back` asks for.
        let mut any: Vec<VarId> = Vec::new();
        for assign in call.enter.assigns.iter().filter(|a| a.time == Time::Saved) {
            let bits = space.var(program, assign.var);
            if bits.clone().all(|bit| pre.get(bit).is_some()) || any.contains(&assign.var) {
                continue;
            }
            any.push(assign.var);
            if !call.back.assigns.iter().any(|b| b.var == assign.var) {
                for bit in bits {
                    if pre.get(bit).is_none() {
                        pre.set(bit, after.get(bit));
                    }
                }
            }
        }
        let claims = Claims { pre: &pre, post: after, any: &any };
        let before = self.machine.backward(&call.back, Role::Back, claims, need, &self.none);
        let before = match before {
            Ok(before) if any.is_empty() || self.can_save(call, inside, claim, &before) => before,
            // `back` asked for what the call cannot leave behind: try what else it could.
            first => match self.other_saved(call, inside, claim, &pre, after, &any, need) {
                Some(before) => before,
                None => first?,
            },
        };
        let mut exit = before.clone();
        exit.forget(space.locals());
        let mut saved = before;
        saved.forget(space.globals());
        saved.forget(space.results());
        let mut around = exit.clone();
        around.forget(space.results());
        around.remove(mask);
        exit.remove(&around);
        Ok((Waiting { around, saved }, exit))
    }

    /// Whether the call can leave the locals of `before` behind, entering as claimed.
    fn can_save(
        &mut self,
        call: &Call,
        inside: &Segment,
        claim: &Partial,
        before: &Partial,
    ) -> bool {
        let space = self.space;
        let mut saved = before.clone();
        saved.forget(space.globals());
        saved.forget(space.results());
        let first = space.state(&inside.steps[0].state);
        let claims = Claims { pre: claim, post: &first, any: &[] };
        self.machine.backward(&call.enter, Role::Enter, claims, &first, &saved).is_ok()
    }

    /// What `back` needs with other values of the saved locals `any`, such that the call can leave
    /// them behind: found by trying them all, if they have few open bits.
    #[allow(clippy::too_many_arguments)]
    fn other_saved(
        &mut self,
        call: &Call,
        inside: &Segment,
        claim: &Partial,
        pre: &Partial,
        after: &Partial,
        any: &[VarId],
        need: &Partial,
    ) -> Option<Partial> {
        let bits = any.iter().flat_map(|&var| self.space.var(self.program, var));
        let open: Vec<u32> = bits.filter(|&bit| pre.get(bit).is_none()).collect();
        if open.is_empty() || open.len() > TRIED_BITS {
            return None;
        }
        for values in 0u32..1 << open.len() {
            let mut pre = pre.clone();
            for (i, &bit) in open.iter().enumerate() {
                pre.set(bit, Some(values >> i & 1 == 1));
            }
            let claims = Claims { pre: &pre, post: after, any: &[] };
            let before = self.machine.backward(&call.back, Role::Back, claims, need, &self.none);
            if let Ok(before) = before
                && self.can_save(call, inside, claim, &before)
            {
                return Some(before);
            }
        }
        None
    }

    /// Backwards from the entry of a callee to the node before the call.
    fn enter(
        &mut self,
        call: &Call,
        step: &Step,
        first: &Partial,
        entry: &Partial,
        saved: &Partial,
    ) -> Result<Partial, Fault> {
        let first = self.space.state(first);
        if let Some(bit) = entry.conflict(&first) {
            let owner = self.space.owner(self.program, call.callee, None, bit);
            return Err(owner.map_or(Fault::Conflict(bit), Fault::Clash));
        }
        let claim = self.space.state(&step.state);
        let claims = Claims { pre: &claim, post: &first, any: &[] };
        self.machine.backward(&call.enter, Role::Enter, claims, entry, saved)
    }
}

enum Next {
    /// A segment must be analysed with these needs at its exit.
    Analyse(SegmentId, Partial),
    Done,
}

impl Job<'_> {
    fn finish(mut self) -> Run {
        self.done.reverse();
        self.needs.push(self.need);
        self.needs.reverse();
        Run { steps: self.done, needs: self.needs }
    }
}
