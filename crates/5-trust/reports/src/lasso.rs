//! Replaying the listing of a lasso.
//!
//! The listing is simulated up to its last step, and one step further: back to the head of the
//! loop, out of the entry procedure, or to a failed assertion. Of each configuration that is left
//! there, the way it came about was kept; that is a [`check::Trace`], which is judged like any
//! other. So what is accepted here is accepted twice.
//!
//! A folded call cannot be judged: the formula reads what is inside.

use crate::listed::{
    Advance, Exit, Item, Level, ListedStep, Outcome, Simulation, Stop, Trail, TrailStep,
};
use check::{Budget, Frame, Lasso, Partial, Segment, SegmentId, Step, Temporal, Trace};
use ir::{IndexVec, NodeId, Program, VarId};
use replay::space::Space;
use replay::{Judgement, Value, check_lasso, judge};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A listing of a run without end.
#[derive(Clone, Debug)]
pub struct ListedLasso {
    /// In execution order, without the extra step of a run that has finished or failed.
    pub steps: Vec<ListedStep>,
    /// How it goes on.
    pub end: ListedEnd,
    /// By how many frames the stack is higher after each turn of the loop, if that is listed.
    pub growth: Option<usize>,
}

/// How a listed run goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListedEnd {
    /// The steps from this one on repeat; what is listed holds in every turn.
    Loop {
        /// Its number.
        start: usize,
    },
    /// The entry procedure returns after the last step.
    Terminated {
        /// What the extra step lists: globals.
        state: Vec<(VarId, Value)>,
    },
    /// The last step is an assertion that fails.
    Failed {
        /// What the extra step lists: globals.
        state: Vec<(VarId, Value)>,
    },
}

/// Ways that are judged.
const CANDIDATES: usize = 64;

/// The most frames without a step of their own that are looked through at the end of a loop.
const MAX_HIDDEN: usize = 16;

/// Whether the program has a run that agrees with the listing and of which the formula is false.
pub fn replay_lasso(
    program: &Arc<Program>,
    listed: &ListedLasso,
    formula: &Temporal,
    budget: &Budget,
) -> Outcome {
    let inconclusive = |why: &str| Outcome::Inconclusive { why: why.to_owned() };
    if listed.steps.iter().any(|step| step.folded) {
        return inconclusive("the formula reads what is inside folded calls: list more steps");
    }
    if matches!(listed.end, ListedEnd::Loop { start } if start >= listed.steps.len()) {
        let why = "the loop starts after the last step".to_owned();
        return Outcome::Refuted { step: listed.steps.len(), why };
    }
    if !matches!(listed.end, ListedEnd::Loop { .. }) && listed.growth.is_some_and(|by| by > 0) {
        let why = "the stack of a run that is over does not grow".to_owned();
        return Outcome::Refuted { step: listed.steps.len(), why };
    }
    let space = Space::new(program);
    let mut simulation = Simulation::new(program, &space, budget, Some(Vec::new()));
    let mut candidates = Vec::new();
    let mut complete = true;
    match follow(&mut simulation, listed, &mut candidates, &mut complete) {
        Ok(None) => {}
        Ok(Some(refuted)) => return refuted,
        Err(why) => return Outcome::Inconclusive { why },
    }
    let last = listed.steps.len().saturating_sub(1);
    if candidates.is_empty() {
        if simulation.blurred || !complete {
            return inconclusive("the listing leaves open whether the run goes on as it says");
        }
        let why = match listed.end {
            ListedEnd::Loop { .. } if listed.growth.is_some() => {
                "the last step does not lead back to the start of the loop with such a stack"
            }
            ListedEnd::Loop { .. } => "the last step does not lead back to the start of the loop",
            ListedEnd::Terminated { .. } => "the program does not end after the last step",
            ListedEnd::Failed { .. } => "the last step fails no assertion",
        };
        return Outcome::Refuted { step: last, why: why.to_owned() };
    }
    complete &= !simulation.blurred;
    let mut unknown = None;
    for trace in &candidates {
        if let Err(reason) = budget.poll() {
            return Outcome::Inconclusive { why: reason.to_string() };
        }
        let accepted = match check_lasso(program, trace, Some(formula)) {
            Ok(accepted) => accepted,
            Err(refusal) => {
                unknown.get_or_insert_with(|| refusal.to_string());
                continue;
            }
        };
        match judge(&accepted, formula) {
            Judgement::Violates => return Outcome::Accepted { assumed: None },
            Judgement::Satisfies => {}
            Judgement::Inconclusive(why) => {
                unknown.get_or_insert_with(|| why.to_owned());
            }
        }
    }
    let Some(why) = unknown else {
        // Another run may agree with the listing, too: of ways that meet only one is kept.
        return inconclusive("the run that was found satisfies the formula");
    };
    match again(program, listed, &candidates, budget).filter(|_| complete) {
        Some(refuted) => refuted,
        None => Outcome::Inconclusive { why },
    }
}

/// Simulates the listing and collects the ways to its end, or says why there are none.
fn follow(
    simulation: &mut Simulation,
    listed: &ListedLasso,
    candidates: &mut Vec<Trace>,
    complete: &mut bool,
) -> Result<Option<Outcome>, Stop> {
    let program = simulation.program;
    let steps = &listed.steps;
    let extra = match &listed.end {
        ListedEnd::Loop { start } => simulation.listed_values(&steps[*start]),
        ListedEnd::Terminated { state } | ListedEnd::Failed { state } => {
            simulation.listed_state(&program.globals, state)
        }
    };
    let extra = match extra {
        Ok(extra) => extra,
        Err(why) => return Ok(Some(Outcome::Refuted { step: steps.len(), why })),
    };
    // The ways to the configurations at the start of the loop.
    let mut heads: Vec<Option<u32>> = Vec::new();
    let mut advance: Advance;
    let mut levels: Vec<Level> = Vec::new();
    if steps.is_empty() {
        advance = simulation.start()?;
    } else {
        let standing = simulation.follow(steps, |i, items| {
            if listed.end == (ListedEnd::Loop { start: i }) {
                heads = items.iter().map(|item| item.trail.0).collect();
            }
        })?;
        match standing {
            Ok(standing) => {
                advance = simulation.advance(&standing.items, None)?;
                levels = standing.levels;
            }
            Err(refuted) => return Ok(Some(refuted)),
        }
    }
    let mut finder = Finder { listed, extra, heads, candidates, complete };
    if simulation.hides {
        let depth = levels.len();
        // Frames that show no step may lie between the last step and the loop's next turn.
        let deepest = match (&listed.end, listed.growth) {
            (ListedEnd::Loop { start }, Some(by)) => steps[*start].depth.saturating_add(by),
            _ => 0,
        };
        let deepest = deepest.clamp(depth + 1, depth + MAX_HIDDEN);
        let spread = simulation.spread(&mut levels, depth, advance, deepest)?;
        for (at, items) in spread.items.into_iter().rev() {
            finder.look(simulation, &levels[..at], items);
        }
        finder.look_outside(simulation, spread.outside);
        return Ok(None);
    }
    levels.push(std::mem::take(&mut advance.level));
    finder.look(simulation, &levels, std::mem::take(&mut advance.pushed));
    levels.pop();
    loop {
        finder.look(simulation, &levels, std::mem::take(&mut advance.stay));
        let Some(level) = levels.pop() else { break };
        advance = simulation.pop(&level, advance.exits)?;
    }
    finder.look_outside(simulation, advance.exits);
    Ok(None)
}

/// Looks for configurations at the end of the listing.
struct Finder<'a> {
    listed: &'a ListedLasso,
    /// What is listed there.
    extra: Partial,
    heads: Vec<Option<u32>>,
    candidates: &'a mut Vec<Trace>,
    /// Whether all of them are there.
    complete: &'a mut bool,
}

impl Finder<'_> {
    fn full(&mut self) -> bool {
        let full = self.candidates.len() >= CANDIDATES;
        *self.complete &= !full;
        full
    }

    /// Among those with so many frames below.
    fn look(&mut self, simulation: &mut Simulation, levels: &[Level], items: Vec<Item>) {
        let program = simulation.program;
        let fails = |item: &Item| {
            program.procs[program.nodes[item.node].proc].error == Some(item.node)
                && item.cube.known.conflict(&self.extra).is_none()
        };
        let (items, head) = match self.listed.end {
            ListedEnd::Loop { start } => {
                let growth = levels.len().checked_sub(self.listed.steps[start].depth);
                if growth.is_none() || self.listed.growth.is_some_and(|by| growth != Some(by)) {
                    return;
                }
                let head = &self.listed.steps[start];
                (simulation.matching(items, head, &self.extra), Some(head.depth))
            }
            ListedEnd::Failed { .. } => (items.into_iter().filter(fails).collect(), None),
            _ => return,
        };
        let Some(trails) = &simulation.trails else { return };
        for item in items {
            if self.full() {
                return;
            }
            let mut end = item.cube.known.clone();
            end.merge(&self.extra);
            let Some(chains) = chains(trails, levels, &item) else {
                *self.complete = false;
                continue;
            };
            let lasso = match head {
                None => Lasso::Failed,
                Some(frame) => {
                    // The way to the head, as a number of steps.
                    let chain = &chains[frame];
                    let at = |step: usize| step.checked_sub(1).map(|i| chain[i]);
                    let step = (0..=chain.len()).find(|&step| self.heads.contains(&at(step)));
                    let Some(step) = step else {
                        *self.complete = false;
                        continue;
                    };
                    Lasso::Loop { frame, step }
                }
            };
            self.candidates.push(trace(simulation, trails, &chains, item.node, end, lasso));
        }
    }

    /// Among those that have left the entry procedure.
    fn look_outside(&mut self, simulation: &Simulation, exits: Vec<Exit>) {
        if !matches!(self.listed.end, ListedEnd::Terminated { .. }) {
            return;
        }
        let Some(trails) = &simulation.trails else { return };
        for exit in exits {
            if self.full() {
                return;
            }
            let mut end = exit.cube.known.clone();
            if end.conflict(&self.extra).is_some() {
                continue;
            }
            end.merge(&self.extra);
            end.forget(simulation.space.locals());
            end.forget(simulation.space.results());
            let chain = chain(trails, exit.trail);
            let Some(&last) = chain.last() else { continue };
            let node = simulation.program.edges[trails[last as usize].edge].source;
            let lasso = Lasso::Terminated;
            self.candidates.push(trace(simulation, trails, &[chain], node, end, lasso));
        }
    }
}

/// The steps of one frame in order.
fn chain(trails: &[TrailStep], trail: Trail) -> Vec<u32> {
    let mut out: Vec<u32> =
        std::iter::successors(trail.0, |&at| trails[at as usize].parent.0).collect();
    out.reverse();
    out
}

/// The steps of each frame, the entry procedure's first. Of several callers, the first.
fn chains(trails: &[TrailStep], levels: &[Level], item: &Item) -> Option<Vec<Vec<u32>>> {
    let mut out = vec![chain(trails, item.trail)];
    let mut key = item.key;
    for level in levels.iter().rev() {
        let caller = level.keys.get(key as usize)?.first()?;
        out.push(chain(trails, caller.trail));
        key = caller.item.key;
    }
    out.reverse();
    Some(out)
}

fn trace(
    simulation: &Simulation,
    trails: &[TrailStep],
    chains: &[Vec<u32>],
    target: NodeId,
    end: Partial,
    lasso: Lasso,
) -> Trace {
    let (program, space) = (simulation.program, simulation.space);
    // A way is longer than those inside it, so its number is larger.
    let mut inner: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut work: Vec<u32> = chains.iter().flatten().copied().collect();
    while let Some(at) = work.pop() {
        if let Some(Trail(Some(inside))) = trails[at as usize].inside
            && !inner.contains_key(&inside)
        {
            let chain = chain(trails, Trail(Some(inside)));
            work.extend(&chain);
            inner.insert(inside, chain);
        }
    }
    let mut ids: FxHashMap<u32, SegmentId> = FxHashMap::default();
    let mut segments: IndexVec<SegmentId, Segment> = IndexVec::new();
    let steps = |ids: &FxHashMap<u32, SegmentId>, chain: &[u32]| -> Vec<Step> {
        let step = |&at: &u32| {
            let TrailStep { edge, before, inside, .. } = &trails[at as usize];
            let inside = inside.and_then(|trail| trail.0).map(|inside| ids[&inside]);
            Step { edge: *edge, state: before.clone(), inside }
        };
        chain.iter().map(step).collect()
    };
    let source = |at: u32| program.nodes[program.edges[trails[at as usize].edge].source].proc;
    for (last, chain) in inner {
        let proc = source(last);
        let exit = match &trails[last as usize].exit {
            Some(exit) => space.exit_claim(proc, exit),
            None => space.exit_claim(proc, &space.open()),
        };
        let steps = steps(&ids, &chain);
        ids.insert(last, segments.push(Segment { proc, steps, exit }));
    }
    let proc = |chain: &Vec<u32>| match chain.first() {
        Some(&first) => source(first),
        None => program.nodes[target].proc,
    };
    let frames = chains.iter().map(|c| Frame { proc: proc(c), steps: steps(&ids, c) }).collect();
    Trace { segments, frames, target, end, shortest: false, lasso: Some(lasso) }
}

/// Whether the loop of a listing cannot be taken again, by simulating it three times. `candidates`:
/// all ways to its end.
fn again(
    program: &Program,
    listed: &ListedLasso,
    candidates: &[Trace],
    budget: &Budget,
) -> Option<Outcome> {
    let ListedEnd::Loop { start } = listed.end else { return None };
    let growth = |trace: &Trace| trace.frames.len() - 1 - listed.steps[start].depth;
    let by = growth(candidates.first()?);
    if candidates.iter().any(|trace| growth(trace) != by) {
        return None;
    }
    let mut steps = listed.steps.clone();
    for turn in 1..=2 {
        steps.extend(listed.steps[start..].iter().cloned().map(|mut step| {
            step.depth += turn * by;
            step
        }));
    }
    let space = Space::new(program);
    let mut simulation = Simulation::new(program, &space, budget, None);
    match simulation.follow(&steps, |_, _| {}) {
        Ok(Err(Outcome::Refuted { .. })) => {
            let why = "the loop does not repeat: no run agrees with taking it again".to_owned();
            Some(Outcome::Refuted { step: listed.steps.len() - 1, why })
        }
        _ => None,
    }
}
