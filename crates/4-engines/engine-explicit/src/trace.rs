//! Traces from what the searches remember.
//!
//! All traces are first written with jumps over completed calls; then every jump that occurs is
//! expanded once, however often it occurs. The expansion of a jump mentions smaller jumps only, so
//! that taking the largest first finds them all, and no recursion is needed.

use crate::machine::Machine;
use crate::meter::Meter;
use crate::shortest::{How, Search};
use crate::tabulate::{NONE, Tabulation};
use check::{Frame, Partial, Segment, SegmentId, Step, StopReason, Trace};
use ir::{EdgeId, Id, IndexVec, NodeId, ProcId};
use std::collections::BTreeMap;

/// A jump over a completed call. The order is that of expansion: what is inside is smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Jump {
    /// To this exit.
    Plain(u32),
    /// To an exit such that a mark is carried inside: a number of [`crate::marks::Marks::facts`].
    Marked(u32),
}

/// An edge, the valuation before it, and the jump over a completed call.
pub(crate) struct Leap {
    pub(crate) edge: EdgeId,
    pub(crate) globals: u64,
    pub(crate) frame: u64,
    pub(crate) jump: Option<Jump>,
}

/// A trace with jumps: the steps of each frame, and where it ends.
pub(crate) struct Outline {
    pub(crate) frames: Vec<Vec<Leap>>,
    pub(crate) end: (NodeId, u64, u64),
}

/// A jump expanded: the exit it leads to, and the steps.
pub(crate) type Expansion = (u32, Vec<Leap>);

/// The trace by which the tabulation found a path edge first.
pub(crate) fn any(
    machine: &Machine,
    table: &Tabulation,
    path: u32,
    meter: &mut Meter,
) -> Result<Trace, StopReason> {
    let target = table.paths.get(path);
    let mut frames = Vec::new();
    let mut last = path;
    let mut steps = Vec::new();
    loop {
        let entry = first_way(table, last, &mut steps, meter)?;
        frames.push(steps);
        let activity = &table.activities[table.paths.get(entry).context as usize];
        if activity.root {
            break;
        }
        // The first caller was found before the context was entered: this ends.
        let caller = activity.callers[0];
        last = table.caller_paths[caller as usize];
        let from = table.paths.get(last);
        let (globals, frame) = (from.globals, from.frame);
        steps = vec![Leap { edge: table.callers.get(caller).edge, globals, frame, jump: None }];
    }
    frames.reverse();
    frames.iter_mut().for_each(|steps| steps.reverse());
    let outline = Outline { frames, end: (target.node, target.globals, target.frame) };
    let segments = expand(&outline, |jump| expand_any(table, plain(jump)?, meter))?;
    Ok(finish(machine, table, outline, segments, false))
}

/// The exit of a jump that needs no mark.
fn plain(jump: Jump) -> Result<u32, StopReason> {
    match jump {
        Jump::Plain(exit) => Ok(exit),
        Jump::Marked(_) => {
            let what = "explicit engine: a marked jump in a trace without marks".to_owned();
            Err(StopReason::Internal { what })
        }
    }
}

/// The way by which an exit was found first.
pub(crate) fn expand_any(
    table: &Tabulation,
    exit: u32,
    meter: &mut Meter,
) -> Result<Expansion, StopReason> {
    let (last, edge) = table.exit_whys[exit as usize];
    let from = table.paths.get(last);
    let mut steps = vec![Leap { edge, globals: from.globals, frame: from.frame, jump: None }];
    first_way(table, last, &mut steps, meter)?;
    steps.reverse();
    Ok((exit, steps))
}

/// Appends the steps before path edge `last`, the latest first, back to the entry of its frame,
/// which it returns.
pub(crate) fn first_way(
    table: &Tabulation,
    mut last: u32,
    steps: &mut Vec<Leap>,
    meter: &mut Meter,
) -> Result<u32, StopReason> {
    loop {
        let why = table.whys[last as usize];
        if why.from == NONE {
            return Ok(last);
        }
        meter.tick()?;
        last = why.from;
        let from = table.paths.get(last);
        let jump = (why.exit != NONE).then_some(Jump::Plain(why.exit));
        steps.push(Leap { edge: why.edge, globals: from.globals, frame: from.frame, jump });
    }
}

/// A shortest trace to the state of a finished search that reaches the goal.
pub(crate) fn shortest(
    machine: &Machine,
    table: &Tabulation,
    search: &Search,
    state: Option<u32>,
    meter: &mut Meter,
) -> Result<Trace, StopReason> {
    let Some(state) = state else {
        let what = "explicit engine: the search for a shortest trace missed a goal";
        return Err(StopReason::Internal { what: what.to_owned() });
    };
    let end = search.states.get(state);
    let mut frames = vec![Vec::new()];
    shortest_way(search, state, &mut frames, meter)?;
    frames.reverse();
    frames.iter_mut().for_each(|steps| steps.reverse());
    let outline = Outline { frames, end: (end.node, end.globals, end.frame) };
    let segments = expand(&outline, |jump| expand_shortest(machine, table, plain(jump)?, meter))?;
    Ok(finish(machine, table, outline, segments, true))
}

/// A shortest way to an exit.
pub(crate) fn expand_shortest(
    machine: &Machine,
    table: &Tabulation,
    exit: u32,
    meter: &mut Meter,
) -> Result<Expansion, StopReason> {
    let (inside, last, edge) = Search::inside(machine, table, exit, meter)?;
    let from = inside.states.get(last);
    let mut frames =
        vec![vec![Leap { edge, globals: from.globals, frame: from.frame, jump: None }]];
    shortest_way(&inside, last, &mut frames, meter)?;
    inside.dispose(meter);
    let mut steps = frames.pop().expect("a search inside a context has one frame");
    steps.reverse();
    Ok((exit, steps))
}

/// Appends the steps before a state, the latest first, to the last of `frames`, and a new frame
/// for each open call.
fn shortest_way(
    search: &Search,
    mut state: u32,
    frames: &mut Vec<Vec<Leap>>,
    meter: &mut Meter,
) -> Result<(), StopReason> {
    while let Some(way) = search.ways[state as usize] {
        meter.tick()?;
        state = way.from;
        let from = search.states.get(state);
        let jump = match way.how {
            How::Back(exit) => Some(Jump::Plain(exit)),
            How::Step | How::Enter => None,
        };
        let leap = Leap { edge: way.edge, globals: from.globals, frame: from.frame, jump };
        match way.how {
            How::Enter => frames.push(vec![leap]),
            _ => frames.last_mut().expect("there is a frame from the start").push(leap),
        }
    }
    Ok(())
}

/// The expansion of every jump that occurs.
pub(crate) fn expand(
    outline: &Outline,
    mut inside: impl FnMut(Jump) -> Result<Expansion, StopReason>,
) -> Result<BTreeMap<Jump, Expansion>, StopReason> {
    let mut wanted: std::collections::BTreeSet<Jump> =
        outline.frames.iter().flatten().filter_map(|leap| leap.jump).collect();
    let mut out = BTreeMap::new();
    while let Some(jump) = wanted.pop_last() {
        let expansion = inside(jump)?;
        for inner in expansion.1.iter().filter_map(|leap| leap.jump) {
            if inner >= jump {
                let what = "explicit engine: the expansion of a summary uses a later one";
                return Err(StopReason::Internal { what: what.to_owned() });
            }
            wanted.insert(inner);
        }
        out.insert(jump, expansion);
    }
    Ok(out)
}

/// Segments get their ids in the order of jumps: those inside a segment come before it.
pub(crate) fn finish(
    machine: &Machine,
    table: &Tabulation,
    outline: Outline,
    expansions: BTreeMap<Jump, Expansion>,
    shortest: bool,
) -> Trace {
    let ids: BTreeMap<Jump, SegmentId> =
        expansions.keys().enumerate().map(|(i, &jump)| (jump, SegmentId::new(i))).collect();
    let program = machine.program;
    let step = |leap: Leap| {
        let proc = program.nodes[program.edges[leap.edge].source].proc;
        Step {
            edge: leap.edge,
            state: valuation(machine, proc, leap.globals, leap.frame),
            inside: leap.jump.map(|jump| ids[&jump]),
        }
    };
    let mut segments = IndexVec::new();
    for (exit, steps) in expansions.into_values() {
        let out = table.exits.get(exit);
        let proc = table.contexts.get(out.context).proc;
        let results = machine.places.result_bits(proc);
        segments.push(Segment {
            proc,
            steps: steps.into_iter().map(step).collect(),
            exit: pair(machine.places.global_bits, out.globals, results, out.results),
        });
    }
    let (target, globals, frame) = outline.end;
    let end = valuation(machine, program.nodes[target].proc, globals, frame);
    let last = outline.frames.len() - 1;
    let frames = outline.frames.into_iter().enumerate().map(|(i, leaps)| {
        let node = match leaps.first() {
            Some(leap) => program.edges[leap.edge].source,
            None => {
                debug_assert!(i == last, "only the last frame can be without steps");
                target
            }
        };
        Frame { proc: program.nodes[node].proc, steps: leaps.into_iter().map(step).collect() }
    });
    Trace { segments, frames: frames.collect(), target, end, shortest, lasso: None }
}

/// Every bit is vouched for.
fn valuation(machine: &Machine, proc: ProcId, globals: u64, frame: u64) -> Partial {
    let places = &machine.places;
    pair(places.global_bits, globals, places.frame_bits(proc), frame)
}

fn pair(low_bits: u32, low: u64, high_bits: u32, high: u64) -> Partial {
    let mut out = Partial::unknown(low_bits + high_bits);
    out.set_number(0..low_bits, Some(low));
    out.set_number(low_bits..low_bits + high_bits, Some(high));
    out
}
