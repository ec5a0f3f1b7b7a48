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
//! A lasso goes on for ever. With `H` what is needed at the head of its loop:
//!
//! - T4. every valuation that agrees with `H` leads through the loop to one that agrees with `H`.
//!
//! So a valuation that agrees with `H` has a run that follows the loop again and again. `H` is found
//! by going backwards through the loop, from what its head turned out to need, until nothing is
//! added ([`Pass::turn`]). Locals at the end are those of the frame on top there: it may be another
//! activation, and the frames in between are never looked at again.
//!
//! The trace is a graph: a segment is analysed once for each set of needs at its exit, of which
//! there are few, and the pass is linear in what is stored, however long the run.

use crate::justify::{Claims, Fault};
use crate::machine::{Machine, Role};
use crate::refusal::{Part, Place, Reason, Refusal};
use crate::shown::{Accepted, Piece, PieceId, Run, RunStep, Waiting};
use crate::space::Space;
use check::{Frame, Goal, Lasso, Partial, Segment, SegmentId, Step, Temporal, Trace};
use ir::{Call, EdgeKind, IndexVec, NodeId, ProcId, Program, Rel, Time, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Saved bits of which all values are tried.
const TRIED_BITS: usize = 8;

/// Accepts or refuses a trace to a goal: for [`Goal::Reach`] one that ends at a target, for
/// [`Goal::Repeat`] a lasso ([`Lasso::Loop`]) whose loop has all the marks.
pub fn check_trace(
    program: &Arc<Program>,
    goal: &Goal,
    trace: &Trace,
) -> Result<Accepted, Refusal> {
    check_with(program, goal, trace, None)
}

/// [`check_trace`] for many traces of one program: what takes time in proportion to the program is
/// done once.
pub struct TraceChecker {
    program: Arc<Program>,
    space: Arc<Space>,
}

impl TraceChecker {
    /// For traces of this program.
    pub fn new(program: Arc<Program>) -> TraceChecker {
        let space = Arc::new(Space::new(&program));
        TraceChecker { program, space }
    }

    /// Accepts or refuses a trace to a goal.
    pub fn check(&self, goal: &Goal, trace: &Trace) -> Result<Accepted, Refusal> {
        check_in(&self.program, &self.space, goal, trace, None)
    }
}

/// Accepts or refuses a lasso of any kind, whatever the goal.
///
/// The loop takes at least one step. What is claimed of the variables that the formula reads is
/// checked, and is known of the accepted trace, unless that is what it would be refused for:
/// [`crate::judge`] needs it.
pub fn check_lasso(
    program: &Arc<Program>,
    trace: &Trace,
    formula: Option<&Temporal>,
) -> Result<Accepted, Refusal> {
    let whole = |what| Err(Refusal::new(Place::Trace, Reason::Malformed(what)));
    if trace.lasso.is_none() {
        return whole("it has no loop");
    }
    structure(program, trace)?;
    if let Some(Lasso::Loop { frame, step }) = trace.lasso
        && !on_loop(program, trace, frame, step).1
    {
        return whole("its loop takes no step");
    }
    if formula.is_some()
        && let Ok(accepted) = lasso(program, trace, formula, None)
    {
        return Ok(accepted);
    }
    lasso(program, trace, None, None)
}

/// [`check_trace`], with another patience for the search of choices.
pub(crate) fn check_with(
    program: &Arc<Program>,
    goal: &Goal,
    trace: &Trace,
    patience: Option<usize>,
) -> Result<Accepted, Refusal> {
    check_in(program, &Arc::new(Space::new(program)), goal, trace, patience)
}

fn check_in(
    program: &Arc<Program>,
    space: &Arc<Space>,
    goal: &Goal,
    trace: &Trace,
    patience: Option<usize>,
) -> Result<Accepted, Refusal> {
    let whole = |reason| Err(Refusal::new(Place::Trace, reason));
    let targets = match (goal, trace.lasso) {
        (Goal::Reach(targets), None) => targets,
        (Goal::Reach(_), Some(_)) => {
            return whole(Reason::Malformed("a trace to a place has no loop"));
        }
        (Goal::Repeat { marks }, Some(Lasso::Loop { frame, step })) => {
            structure(program, trace)?;
            let seen = on_loop(program, trace, frame, step).0;
            if let Some(mark) = (0..*marks).find(|&i| i >= ir::MAX_MARKS || seen >> i & 1 == 0) {
                return whole(Reason::Mark { mark });
            }
            return lasso(program, trace, None, patience);
        }
        (Goal::Repeat { .. }, _) => {
            return whole(Reason::Malformed("a run without end has a loop"));
        }
        _ => return whole(Reason::Unsupported("goals of this kind are not judged")),
    };
    structure(program, trace)?;
    let (changed, masks) = changed(program, space, trace);
    let mut pass = Pass::new(program, space, trace, &changed, &masks, patience);

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
    let frames = pass.frames(0..trace.frames.len(), end)?;
    let start = pass.start(&frames)?;
    let pieces = pass.pieces;
    Ok(accepted(program, trace, pieces, frames, start, masks, space.clone()))
}

fn accepted(
    program: &Arc<Program>,
    trace: &Trace,
    pieces: IndexVec<PieceId, Piece>,
    frames: Vec<Run>,
    start: Partial,
    masks: Vec<Partial>,
    space: Arc<Space>,
) -> Accepted {
    Accepted {
        program: program.clone(),
        pieces,
        frames,
        start,
        target: trace.target,
        masks,
        shortest: trace.shortest,
        lasso: trace.lasso,
        space,
    }
}

/// The marks on the loop's edges, and whether one of them is a step; completed calls included.
fn on_loop(program: &Program, trace: &Trace, frame: usize, step: usize) -> (ir::MarkSet, bool) {
    let mut inside: IndexVec<SegmentId, (ir::MarkSet, bool)> = IndexVec::new();
    let join = |inside: &IndexVec<SegmentId, (ir::MarkSet, bool)>, steps: &[Step]| {
        steps.iter().fold((0, false), |(marks, any), step| {
            let edge = &program.edges[step.edge];
            let (more, within) = step.inside.map_or((0, false), |s| inside[s]);
            (marks | edge.marks | more, any | edge.step | within)
        })
    };
    for segment in trace.segments.iter() {
        let seen = join(&inside, &segment.steps);
        inside.push(seen);
    }
    let first = join(&inside, &trace.frames[frame].steps[step..]);
    trace.frames[frame + 1..]
        .iter()
        .map(|f| join(&inside, &f.steps))
        .fold(first, |a, b| (a.0 | b.0, a.1 | b.1))
}

/// Judges a lasso that is put together well.
fn lasso(
    program: &Arc<Program>,
    trace: &Trace,
    formula: Option<&Temporal>,
    patience: Option<usize>,
) -> Result<Accepted, Refusal> {
    let refusal = match repeated(program, trace, formula, patience) {
        Ok(accepted) => return Ok(accepted),
        Err(refusal) => refusal,
    };
    // The loop may still go on for ever if it is taken several times before it closes.
    if matches!(trace.lasso, Some(Lasso::Loop { .. }))
        && let Ok(once) = once(program, trace, formula, patience)
        && let Some(unrolled) = crate::concrete::run(&once, Some(trace))
        && structure(program, &unrolled).is_ok()
        && let Ok(accepted) = repeated(program, &unrolled, formula, patience)
    {
        return Ok(accepted);
    }
    Err(refusal)
}

/// Accepts a lasso by T4.
fn repeated(
    program: &Arc<Program>,
    trace: &Trace,
    formula: Option<&Temporal>,
    patience: Option<usize>,
) -> Result<Accepted, Refusal> {
    let space = Arc::new(Space::new(program));
    let (changed, masks) = changed(program, &space, trace);
    let mut pass = Pass::new(program, &space, trace, &changed, &masks, patience);
    pass.formula = formula;
    let frames = match trace.lasso {
        Some(Lasso::Loop { frame, step }) => {
            // H, and more: what is needed at the end of the loop.
            let mut end = space.open();
            let turn = loop {
                let turn = pass.turn(frame, step, end.clone())?;
                let head = &turn[0].needs[0];
                if end.covers(head) {
                    break turn;
                }
                let claim = space.state(&trace.end);
                if let Some(bit) = end.conflict(head).or_else(|| claim.conflict(head)) {
                    let owner = space.owner(program, trace.frames[frame].proc, None, bit);
                    let var = owner.map_or_else(String::new, |v| program.var_name(v).to_owned());
                    return Err(Refusal::new(Place::Target, Reason::Closes { var }));
                }
                end.merge(head);
            };
            pass.stem(frame, step, turn)?
        }
        _ => {
            let mut end = space.open();
            let claim = pass.end_claim();
            pass.stutter(&claim, &mut end);
            pass.frames(0..trace.frames.len(), end)?
        }
    };
    let start = pass.start(&frames)?;
    let pieces = pass.pieces;
    Ok(accepted(program, trace, pieces, frames, start, masks, space))
}

/// Accepts a lasso's stem and one turn of its loop, as a run with an end.
fn once(
    program: &Arc<Program>,
    trace: &Trace,
    formula: Option<&Temporal>,
    patience: Option<usize>,
) -> Result<Accepted, Refusal> {
    let space = Arc::new(Space::new(program));
    let (changed, masks) = changed(program, &space, trace);
    let mut pass = Pass::new(program, &space, trace, &changed, &masks, patience);
    pass.formula = formula;
    let frames = pass.frames(0..trace.frames.len(), space.open())?;
    let start = pass.start(&frames)?;
    let pieces = pass.pieces;
    Ok(accepted(program, trace, pieces, frames, start, masks, space))
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
                    let ends = match part {
                        Part::Segment(_) => true,
                        Part::Frame(_) => {
                            trace.lasso == Some(Lasso::Terminated) && trace.frames.len() == 1
                        }
                    };
                    if !last || !ends {
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
        } else if trace.lasso == Some(Lasso::Terminated) {
            let last = frame.steps.last().map(|s| program.edges[s.edge].source);
            if node.is_some() || last != Some(trace.target) {
                return whole("it does not end with a return of the entry procedure");
            }
        } else if node != Some(trace.target)
            || frame.steps.last().is_some_and(|s| {
                s.inside.is_none() && matches!(program.edges[s.edge].kind, EdgeKind::Call(_))
            })
        {
            return whole("its last frame does not end at the target");
        }
    }
    match trace.lasso {
        None | Some(Lasso::Terminated) => Ok(()),
        Some(Lasso::Failed) => {
            let proc = program.nodes[trace.target].proc;
            match program.procs[proc].error == Some(trace.target) {
                true => Ok(()),
                false => whole("it does not end with a failed assertion"),
            }
        }
        Some(Lasso::Loop { frame, step }) => {
            let first = trace.frames.get(frame).and_then(|f| f.steps.get(step));
            match first.map(|s| program.edges[s.edge].source) {
                Some(node) if node == trace.target => Ok(()),
                Some(_) => whole("its loop does not end where it starts"),
                None => whole("its loop is empty"),
            }
        }
    }
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

pub(crate) struct Pass<'a> {
    program: &'a Program,
    space: &'a Space,
    trace: &'a Trace,
    /// What is claimed of its atoms is needed.
    formula: Option<&'a Temporal>,
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
    /// The part starts with this step.
    from: usize,
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
    calls: Vec<(usize, Waiting)>,
    /// The call that the job waits for.
    waiting: Option<Waiting>,
}

impl<'a> Pass<'a> {
    fn new(
        program: &'a Program,
        space: &'a Space,
        trace: &'a Trace,
        changed: &'a IndexVec<SegmentId, u32>,
        masks: &'a [Partial],
        patience: Option<usize>,
    ) -> Self {
        let mut pass = Pass {
            program,
            space,
            trace,
            formula: None,
            machine: Machine::new(program, space),
            changed,
            masks,
            none: space.open(),
            pieces: IndexVec::new(),
            memo: IndexVec::filled(Vec::new(), trace.segments.len()),
        };
        if let Some(patience) = patience {
            pass.machine.patience = patience;
        }
        pass
    }

    /// Analyses whole frames, the last one first. `need`: at the end of the last one.
    fn frames(&mut self, frames: Range<usize>, mut need: Partial) -> Result<Vec<Run>, Refusal> {
        let mut out = Vec::new();
        for i in frames.rev() {
            let run = self.run(i, 0..self.trace.frames[i].steps.len(), need)?;
            need = run.needs[0].clone();
            out.push(run);
        }
        out.reverse();
        Ok(out)
    }

    /// One turn of the loop that starts at a step of a frame. `end`: needed at its end. The first
    /// of the runs starts at the head.
    fn turn(&mut self, frame: usize, step: usize, end: Partial) -> Result<Vec<Run>, Refusal> {
        // Of what was found for an earlier turn, nothing is left.
        self.pieces = IndexVec::new();
        self.memo = IndexVec::filled(Vec::new(), self.trace.segments.len());
        let above = self.frames(frame + 1..self.trace.frames.len(), end.clone())?;
        let need = above.first().map_or(end, |run| run.needs[0].clone());
        let base = self.run(frame, step..self.trace.frames[frame].steps.len(), need)?;
        Ok(std::iter::once(base).chain(above).collect())
    }

    /// What comes before the loop, put together with its one turn.
    fn stem(&mut self, frame: usize, step: usize, mut turn: Vec<Run>) -> Result<Vec<Run>, Refusal> {
        let head = turn[0].needs[0].clone();
        let mut base = self.run(frame, 0..step, head)?;
        let mut out = self.frames(0..frame, base.needs[0].clone())?;
        base.needs.pop();
        let first = turn.remove(0);
        base.steps.extend(first.steps);
        base.needs.extend(first.needs);
        base.calls.extend(first.calls);
        out.push(base);
        out.append(&mut turn);
        Ok(out)
    }

    /// What is needed at the start: the initial condition, and what the first step needs.
    fn start(&mut self, frames: &[Run]) -> Result<Partial, Refusal> {
        let (program, trace) = (self.program, self.trace);
        let first = trace.frames[0].steps.first().map_or(&trace.end, |s| &s.state);
        let rel = Rel::guarded(program.init.condition, program.init.choices);
        let need = frames[0].needs[0].clone();
        let claim = self.space.state(first);
        self.local(&rel, program.entry, &claim, &self.none.clone(), &need)
            .map_err(|reason| Refusal::new(Place::Start, reason))
    }

    /// What is claimed at the end.
    fn end_claim(&self) -> Partial {
        let mut claim = self.space.state(&self.trace.end);
        if self.trace.lasso == Some(Lasso::Terminated) {
            claim.forget(self.space.locals());
        }
        claim
    }

    /// Adds to `need` the claimed cells on which the atoms rest in the last state of a run that
    /// has finished or failed.
    fn stutter(&mut self, claim: &Partial, need: &mut Partial) {
        let Some(formula) = self.formula else { return };
        for meaning in &formula.atoms {
            let atom = match self.trace.lasso {
                Some(Lasso::Terminated) => meaning.terminated,
                _ => meaning.failed,
            };
            self.machine.atom_rests_on(&formula.exprs, atom, claim, need);
        }
    }

    /// Adds to `need` the claimed cells on which the atoms rest before a step.
    fn letter(&mut self, step: &Step, need: &mut Partial) {
        let Some(formula) = self.formula else { return };
        let edge = &self.program.edges[step.edge];
        if !edge.step {
            return;
        }
        let claim = self.space.state(&step.state);
        for meaning in &formula.atoms {
            if let Some(&atom) = meaning.at.get(edge.source) {
                self.machine.atom_rests_on(&formula.exprs, atom, &claim, need);
            }
        }
    }

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

    /// Analyses some steps of a frame and whatever is inside them. `need`: after them, or, if the
    /// last one enters the next frame, at its entry.
    fn run(&mut self, number: usize, steps: Range<usize>, need: Partial) -> Result<Run, Refusal> {
        let mut base = self.frame_job(number, steps, need)?;
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
        steps: Range<usize>,
        need: Partial,
    ) -> Result<Job<'a>, Refusal> {
        let frame: &'a Frame = &self.trace.frames[number];
        let mut job = Job {
            part: Part::Frame(number),
            proc: frame.proc,
            steps: &frame.steps,
            from: steps.start,
            after: self.end_claim(),
            exit: need.clone(),
            at: steps.end,
            need,
            done: Vec::with_capacity(steps.len()),
            needs: Vec::with_capacity(steps.len() + 1),
            calls: Vec::new(),
            waiting: None,
        };
        let next = self.trace.frames.get(number + 1);
        let Some(next) = next.filter(|_| steps.end == frame.steps.len()) else { return Ok(job) };
        // The call that enters the next frame; what it saves is never looked at again.
        let index = frame.steps.len() - 1;
        let step = &frame.steps[index];
        let EdgeKind::Call(call) = &self.program.edges[step.edge].kind else {
            unreachable!("checked: a frame ends with a call")
        };
        let first = next.steps.first().map_or(&self.trace.end, |s| &s.state);
        let before = self.enter(call, step, first, &job.exit, &self.none.clone());
        job.need = before.map_err(|fault| self.refuse(&job, index, fault))?;
        self.letter(step, &mut job.need);
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
            from: 0,
            after: self.space.exit(segment.proc, &segment.exit),
            exit: exit.clone(),
            at: segment.steps.len(),
            need: exit,
            done: Vec::with_capacity(segment.steps.len()),
            needs: Vec::with_capacity(segment.steps.len() + 1),
            calls: Vec::new(),
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
        while job.at > job.from {
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
                    let before = match entry.conflict(&waiting.around) {
                        Some(bit) => Err(Fault::Conflict(bit)),
                        None => {
                            entry.merge(&waiting.around);
                            let first = &self.trace.segments[segment].steps[0].state;
                            self.enter(call, step, first, &entry, &waiting.saved)
                        }
                    };
                    if !waiting.around.is_open() || !waiting.saved.is_open() {
                        job.calls.push((index, waiting));
                    }
                    before
                }
                (EdgeKind::Call(_), None) => {
                    unreachable!("checked: only a frame's last call has no inside")
                }
            };
            let mut before = before.map_err(|fault| self.refuse(job, index, fault))?;
            self.letter(step, &mut before);
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
        self.calls.reverse();
        Run { steps: self.done, needs: self.needs, calls: self.calls }
    }
}
