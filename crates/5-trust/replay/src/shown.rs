//! Showing an accepted trace: statement by statement, on demand.
//!
//! What is known at each step is found by running forwards, three-valued, from what is needed at
//! the start, with what is needed later put in as it comes up ([`crate::trace`]). So a variable
//! appears if the trace needs its value or if its value follows from those; one that the trace
//! leaves unconstrained does not. All values shown hold together in one run: the needed ones do,
//! and the others follow from them.
//!
//! What is shown in a loop holds in every turn. At its head the listing forgets what is known there
//! by the way that led to it and does not come out of the loop again ([`steady`]).

use crate::machine::{Machine, Role};
use crate::space::Space;
use check::{Lasso, Partial};
use ir::{Call, EdgeId, EdgeKind, Id, IndexVec, Layout, NodeId, Program, define_id};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

define_id!(
    /// A completed call with what is needed at its exit; those inside it have smaller ids.
    PieceId
);

/// A part of an accepted trace.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) steps: Vec<RunStep>,
    /// Needed before each step, and at the end (of a frame that ends with a call: nothing).
    pub(crate) needs: Vec<Partial>,
    /// What calls need that goes around their inside, by the number of their step in ascending
    /// order; those that need nothing are left out.
    pub(crate) calls: Vec<(usize, Waiting)>,
}

/// What a completed call needs besides its inside.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    /// Needed of globals at the exit that nothing inside assigns.
    pub(crate) around: Partial,
    /// Needed in the saved frame.
    pub(crate) saved: Partial,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RunStep {
    pub(crate) edge: EdgeId,
    pub(crate) inside: Option<PieceId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) run: Run,
    /// Which of the masks says what is assigned inside.
    pub(crate) changed: u32,
}

/// A trace that is a run of the program, whatever completes what it leaves open.
///
/// It no longer depends on the [`check::Trace`] it was made from.
#[derive(Clone, Debug)]
pub struct Accepted {
    pub(crate) program: Arc<Program>,
    pub(crate) space: Arc<Space>,
    pub(crate) pieces: IndexVec<PieceId, Piece>,
    pub(crate) frames: Vec<Run>,
    /// Needed at the start: what the first step needs (which may be the head of the loop, and needs
    /// that much again and again), and the initial condition.
    pub(crate) start: Partial,
    pub(crate) target: NodeId,
    pub(crate) masks: Vec<Partial>,
    pub(crate) shortest: bool,
    pub(crate) lasso: Option<Lasso>,
}

/// One entry of a listing: a statement executed, or the target. For a run that has finished or
/// failed ([`Accepted::lasso`]), the last entry stands for the state in which it stays; of that,
/// only globals are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The statement.
    pub node: NodeId,
    /// The edge taken from it; `None` for the target, and for the state in which a run stays.
    pub edge: Option<EdgeId>,
    /// How many frames are below the statement's.
    pub depth: usize,
    /// What is known just before it: globals, and the frame's locals behind them.
    pub state: Partial,
    /// For a call whose inside is not listed: how many entries that would be.
    pub folded: Option<BigUint>,
}

impl Accepted {
    /// The program that the trace is of.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }
    /// Where the bits of states lie.
    pub fn layout(&self) -> &Layout {
        &self.space.layout
    }
    /// Where the trace ends.
    pub fn target(&self) -> NodeId {
        self.target
    }
    /// How the run goes on after the trace. The steps of a loop may be other ones than those of the
    /// [`check::Trace`]: several turns of it, where one does not close.
    pub fn lasso(&self) -> Option<Lasso> {
        self.lasso
    }
    /// By how many frames the stack is higher at the end of the loop than at its start.
    pub fn loop_growth(&self) -> usize {
        match self.lasso {
            Some(Lasso::Loop { frame, .. }) => self.frames.len() - 1 - frame,
            _ => 0,
        }
    }
    /// Whether the engine says that no shorter one exists.
    pub fn is_shortest(&self) -> bool {
        self.shortest
    }

    /// Whether a step along the edge is listed.
    fn lists(&self, edge: EdgeId) -> bool {
        lists(&self.program, edge)
    }
    /// Whether the target is listed as an entry of its own: a statement that the run comes to, or
    /// the state in which it stays. A failed assertion is listed by the step that fails; the head
    /// of a loop is listed as its first step.
    fn lists_target(&self) -> bool {
        match self.lasso {
            None => self.program.nodes[self.target].statement,
            Some(Lasso::Loop { .. }) => false,
            Some(Lasso::Terminated | Lasso::Failed) => true,
        }
    }
    /// Entries of a run without those inside its calls.
    fn own(&self, run: &Run) -> u64 {
        run.steps.iter().filter(|s| self.lists(s.edge)).count() as u64
    }

    /// The number of steps taken in the frames that are there at the end, a completed call
    /// counted as one ([bebop §3.2]).
    pub fn hier_steps(&self) -> usize {
        let steps = self.frames.iter().flat_map(|run| &run.steps);
        steps.filter(|s| self.program.edges[s.edge].step).count()
    }

    /// How many entries the full listing has.
    pub fn total_steps(&self) -> BigUint {
        self.sizes(&FxHashSet::default()).0
    }

    /// The size of the full listing, and of each of the `wanted` pieces.
    ///
    /// Sizes can have as many digits as the calls are deep, so one is dropped as soon as all its
    /// callers are counted.
    fn sizes(&self, wanted: &FxHashSet<PieceId>) -> (BigUint, FxHashMap<PieceId, BigUint>) {
        let mut uses = vec![0usize; self.pieces.len()];
        let runs = || self.pieces.iter().map(|p| &p.run).chain(&self.frames);
        for inside in runs().flat_map(|run| &run.steps).filter_map(|s| s.inside) {
            uses[inside.index()] += 1;
        }
        let mut sizes: Vec<Option<BigUint>> = vec![None; self.pieces.len()];
        let mut kept = FxHashMap::default();
        let mut total = BigUint::from(self.lists_target() as u64);
        for (i, run) in runs().enumerate() {
            let mut size = BigUint::from(self.own(run));
            for inside in run.steps.iter().filter_map(|s| s.inside) {
                let left = &mut uses[inside.index()];
                *left -= 1;
                let part = &mut sizes[inside.index()];
                size += part.as_ref().expect("what is inside has a smaller id");
                if *left == 0 {
                    *part = None;
                }
            }
            if i >= self.pieces.len() {
                total += size;
                continue;
            }
            let id = PieceId::new(i);
            if wanted.contains(&id) {
                kept.insert(id, size.clone());
            }
            sizes[i] = Some(size);
        }
        (total, kept)
    }

    /// The deepest level of completed calls that a listing of at most `max_steps` entries shows,
    /// and the pieces that it folds; `None` if it shows them all.
    ///
    /// Level by level with multiplicities, until the limit is exceeded: the work is bounded by the
    /// limit, not by the length of the run.
    fn cut(&self, max_steps: usize) -> Option<(usize, FxHashSet<PieceId>)> {
        let limit = max_steps as u64;
        let mut shown = self.lists_target() as u64;
        for run in &self.frames {
            shown = shown.saturating_add(self.own(run));
        }
        let mut level: BTreeMap<PieceId, u64> = BTreeMap::new();
        for depth in 1.. {
            let mut next: BTreeMap<PieceId, u64> = BTreeMap::new();
            let mut enter = |run: &Run, times: u64| {
                for inside in run.steps.iter().filter_map(|s| s.inside) {
                    let count = next.entry(inside).or_default();
                    *count = count.saturating_add(times);
                }
            };
            for (&piece, &times) in &level {
                enter(&self.pieces[piece].run, times);
            }
            if let Some(frame) = self.frames.get(depth - 1) {
                enter(frame, 1);
            }
            for (&piece, &times) in &next {
                let own = self.own(&self.pieces[piece].run);
                shown = shown.saturating_add(own.saturating_mul(times));
            }
            if shown > limit {
                let mut folded: FxHashSet<PieceId> = next.into_keys().collect();
                let deeper = self.frames.iter().skip(depth).flat_map(|run| &run.steps);
                folded.extend(deeper.filter_map(|s| s.inside));
                return Some((depth - 1, folded));
            }
            level = next;
            if level.is_empty() && depth >= self.frames.len() {
                break;
            }
        }
        None
    }

    /// The listing, in execution order. If it would have more than `max_steps` entries, completed
    /// calls are folded, deepest first until the rest fits; frames that are there at the end are
    /// always shown.
    pub fn shown(&self, max_steps: usize) -> impl Iterator<Item = Shown> + '_ {
        self.walk(max_steps)
    }

    /// The number of the entry in that listing with which the part that repeats for ever starts;
    /// `None` if there is no such part, or if nothing in it is listed.
    pub fn loop_start(&self, max_steps: usize) -> Option<usize> {
        let mut walk = self.walk(max_steps);
        let count = walk.by_ref().count();
        match self.lasso? {
            Lasso::Loop { .. } => walk.loop_start.filter(|&start| start < count),
            Lasso::Terminated | Lasso::Failed => count.checked_sub(1),
        }
    }

    fn walk(&self, max_steps: usize) -> Walk<'_> {
        let (deepest, sizes) = match self.cut(max_steps) {
            Some((depth, folded)) => (depth, self.sizes(&folded).1),
            None => (usize::MAX, FxHashMap::default()),
        };
        let first = Live {
            run: &self.frames[0],
            piece: None,
            at: 0,
            state: self.start.clone(),
            saved: self.space.open(),
        };
        Walk {
            accepted: self,
            machine: Machine::new(&self.program, &self.space),
            deepest,
            sizes,
            stack: vec![first],
            frames: 1,
            over: false,
            exit: None,
            listed: 0,
            loop_start: None,
        }
    }
}

/// Runs an accepted trace forwards.
struct Walk<'a> {
    accepted: &'a Accepted,
    machine: Machine<'a>,
    /// Completed calls deeper than this are folded.
    deepest: usize,
    sizes: FxHashMap<PieceId, BigUint>,
    stack: Vec<Live<'a>>,
    /// How many of the frames have been entered.
    frames: usize,
    over: bool,
    /// What is known after the entry procedure has returned.
    exit: Option<Partial>,
    /// Entries so far, and when the loop started.
    listed: usize,
    loop_start: Option<usize>,
}

/// A frame while the listing is in it.
struct Live<'a> {
    run: &'a Run,
    piece: Option<PieceId>,
    at: usize,
    state: Partial,
    /// The caller's locals that the call left behind.
    saved: Partial,
}

impl<'a> Walk<'a> {
    fn forward(&mut self, rel: &ir::Rel, role: Role, pre: &Partial) -> (Partial, Partial) {
        self.machine.forward(rel, role, pre)
    }

    /// Comes back from a call with `exit` to the frame on top, which waits at it.
    fn come_back(&mut self, call: &Call, exit: &Partial, saved: &Partial) {
        let mut pre = exit.clone();
        pre.forget(self.accepted.space.locals());
        pre.merge(saved);
        let (mut post, _) = self.forward(&call.back, Role::Back, &pre);
        let Some(top) = self.stack.last_mut() else { return };
        top.at += 1;
        know(&mut post, &top.run.needs[top.at]);
        top.state = post;
    }

    /// Takes the next step of the top frame.
    fn step(&mut self, step: RunStep) {
        let accepted = self.accepted;
        let Some(top) = self.stack.last() else { return };
        let state = top.state.clone();
        match &accepted.program.edges[step.edge].kind {
            EdgeKind::Local { rel, .. } => {
                let (mut post, _) = self.forward(rel, Role::Local, &state);
                let Some(top) = self.stack.last_mut() else { return };
                top.at += 1;
                know(&mut post, &top.run.needs[top.at]);
                top.state = post;
            }
            EdgeKind::Return { rel } => {
                let (mut exit, _) = self.forward(rel, Role::Return, &state);
                let Some(done) = self.stack.pop() else { return };
                know(&mut exit, &done.run.needs[done.at + 1]);
                let Some(top) = self.stack.last() else {
                    self.exit = Some(exit);
                    return;
                };
                let call = &accepted.program.edges[top.run.steps[top.at].edge].kind;
                if let EdgeKind::Call(call) = call {
                    self.come_back(call, &exit, &done.saved);
                }
            }
            EdgeKind::Call(call) => {
                let (mut post, saved) = self.forward(&call.enter, Role::Enter, &state);
                let run = match step.inside {
                    Some(piece) if self.folds(step) => {
                        let exit = accepted.exit(piece, post);
                        self.come_back(call, &exit, &saved);
                        return;
                    }
                    Some(piece) => &accepted.pieces[piece].run,
                    None => {
                        self.frames += 1;
                        &accepted.frames[self.frames - 1]
                    }
                };
                know(&mut post, &run.needs[0]);
                self.stack.push(Live { run, piece: step.inside, at: 0, state: post, saved });
            }
        }
    }

    /// The size of a folded piece. Those below a call that the listing does not show, and so
    /// cannot fold, are not among the ones foreseen.
    fn size(&mut self, piece: PieceId) -> BigUint {
        if !self.sizes.contains_key(&piece) {
            let more = self.accepted.sizes(&FxHashSet::from_iter([piece])).1;
            self.sizes.extend(more);
        }
        self.sizes.get(&piece).cloned().unwrap_or_default()
    }

    /// Whether the call is folded. One that the listing does not show cannot be.
    fn folds(&self, step: RunStep) -> bool {
        step.inside.is_some() && self.stack.len() > self.deepest && self.accepted.lists(step.edge)
    }
}

impl Accepted {
    /// What is known at the exit of a completed call, from what is known at its entry.
    fn exit(&self, piece: PieceId, mut entry: Partial) -> Partial {
        let piece = &self.pieces[piece];
        entry.forget(self.space.locals());
        entry.remove(&self.masks[piece.changed as usize]);
        if let Some(exit) = piece.run.needs.last() {
            know(&mut entry, exit);
        }
        entry
    }
}

/// Passes before what is known at the head of a loop comes down to what is needed there.
const PASSES: usize = 32;

/// What is known at the head of a loop in every turn, of what is known there in the first.
fn steady(
    accepted: &Accepted,
    machine: &mut Machine,
    frame: usize,
    step: usize,
    first: &Partial,
) -> Partial {
    let mut head = first.clone();
    for _ in 0..PASSES {
        let end = turn(accepted, machine, frame, step, head.clone());
        if end.covers(&head) {
            return head;
        }
        head.retain(&end);
        while let Some(bit) = head.conflict(&end) {
            head.set(bit, None);
        }
    }
    accepted.frames[frame].needs[step].clone()
}

/// What is known at the end of a loop, from what is known at its head; completed calls are passed
/// over.
fn turn(
    accepted: &Accepted,
    machine: &mut Machine,
    frame: usize,
    step: usize,
    mut state: Partial,
) -> Partial {
    let program = &*accepted.program;
    for (i, run) in accepted.frames.iter().enumerate().skip(frame) {
        let from = if i == frame { step } else { 0 };
        for (at, step) in run.steps.iter().enumerate().skip(from) {
            let mut need = &run.needs[at + 1];
            state = match (&program.edges[step.edge].kind, step.inside) {
                (EdgeKind::Local { rel, .. }, _) => machine.forward(rel, Role::Local, &state).0,
                (EdgeKind::Return { rel }, _) => machine.forward(rel, Role::Return, &state).0,
                (EdgeKind::Call(call), Some(piece)) => {
                    let (entry, saved) = machine.forward(&call.enter, Role::Enter, &state);
                    let mut pre = accepted.exit(piece, entry);
                    pre.merge(&saved);
                    machine.forward(&call.back, Role::Back, &pre).0
                }
                (EdgeKind::Call(call), None) => {
                    need = accepted.frames.get(i + 1).map_or(need, |next| &next.needs[0]);
                    machine.forward(&call.enter, Role::Enter, &state).0
                }
            };
            know(&mut state, need);
        }
    }
    state
}

/// Adds what is needed to what is known. They cannot differ: both hold in every run that agrees
/// with what was needed so far.
fn know(state: &mut Partial, need: &Partial) {
    debug_assert!(state.conflict(need).is_none(), "needed {need:?} where {state:?} holds");
    state.merge(need);
}

impl Iterator for Walk<'_> {
    type Item = Shown;

    fn next(&mut self) -> Option<Shown> {
        let accepted = self.accepted;
        loop {
            let depth = self.stack.len().saturating_sub(1);
            if let Some(Lasso::Loop { frame, step }) = accepted.lasso
                && self.loop_start.is_none()
                && let Some(top) = self.stack.last_mut()
                && (depth, top.at, self.frames) == (frame, step, frame + 1)
                && top.piece.is_none()
            {
                self.loop_start = Some(self.listed);
                top.state = steady(accepted, &mut self.machine, frame, step, &top.state);
            }
            let step = self.stack.last().and_then(|top| top.run.steps.get(top.at)).copied();
            let Some(step) = step else {
                // Only the last frame runs out of steps: pieces end with a return. Or the entry
                // procedure has returned.
                if std::mem::replace(&mut self.over, true) || !accepted.lists_target() {
                    return None;
                }
                let mut state = match self.exit.take() {
                    Some(exit) => exit,
                    None => self.stack.last()?.state.clone(),
                };
                if accepted.lasso.is_some() {
                    state.forget(accepted.space.locals());
                    state.forget(accepted.space.results());
                }
                let node = accepted.target;
                return Some(Shown { node, edge: None, depth, state, folded: None });
            };
            let state = self.stack.last()?.state.clone();
            let shown = accepted.lists(step.edge).then(|| Shown {
                node: accepted.program.edges[step.edge].source,
                edge: Some(step.edge),
                depth,
                state,
                folded: step.inside.filter(|_| self.folds(step)).map(|piece| self.size(piece)),
            });
            self.step(step);
            if shown.is_some() {
                self.listed += 1;
                return shown;
            }
        }
    }
}

/// Whether listings show a step along the edge.
pub fn lists(program: &Program, edge: EdgeId) -> bool {
    let edge = &program.edges[edge];
    edge.step && program.nodes[edge.source].statement
}
