//! Traces from what the searches remember.
//!
//! Both kinds of traces are first written with jumps over completed calls; then every jump that
//! occurs is expanded once, however often it occurs. The expansion of an exit mentions exits with
//! smaller numbers only, so that taking the largest first finds them all, and no recursion is
//! needed.

use crate::machine::Machine;
use crate::meter::Meter;
use crate::shortest::{How, Search};
use crate::tabulate::{NONE, Tabulation};
use check::{Frame, Partial, Segment, SegmentId, Step, StopReason, Trace};
use ir::{EdgeId, Id, IndexVec, NodeId, ProcId};
use std::collections::BTreeMap;

/// An edge, the valuation before it, and the exit by which a completed call came back.
struct Leap {
    edge: EdgeId,
    globals: u64,
    frame: u64,
    exit: Option<u32>,
}

/// A trace with jumps: the steps of each frame, and where it ends.
struct Outline {
    frames: Vec<Vec<Leap>>,
    end: (NodeId, u64, u64),
}

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
        steps = vec![Leap { edge: table.callers.get(caller).edge, globals, frame, exit: None }];
    }
    frames.reverse();
    frames.iter_mut().for_each(|steps| steps.reverse());
    let outline = Outline { frames, end: (target.node, target.globals, target.frame) };
    let segments = expand(&outline, |exit| {
        let (last, edge) = table.exit_whys[exit as usize];
        let from = table.paths.get(last);
        let mut steps = vec![Leap { edge, globals: from.globals, frame: from.frame, exit: None }];
        first_way(table, last, &mut steps, meter)?;
        steps.reverse();
        Ok(steps)
    })?;
    Ok(finish(machine, table, outline, segments, false))
}

/// Appends the steps before path edge `last`, the latest first, back to the entry of its frame,
/// which it returns.
fn first_way(
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
        let exit = (why.exit != NONE).then_some(why.exit);
        steps.push(Leap { edge: why.edge, globals: from.globals, frame: from.frame, exit });
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
    let segments = expand(&outline, |exit| {
        let (inside, last, edge) = Search::inside(machine, table, exit, meter)?;
        let from = inside.states.get(last);
        let mut frames =
            vec![vec![Leap { edge, globals: from.globals, frame: from.frame, exit: None }]];
        shortest_way(&inside, last, &mut frames, meter)?;
        inside.dispose(meter);
        let mut steps = frames.pop().expect("a search inside a context has one frame");
        steps.reverse();
        Ok(steps)
    })?;
    Ok(finish(machine, table, outline, segments, true))
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
        let exit = match way.how {
            How::Back(exit) => Some(exit),
            How::Step | How::Enter => None,
        };
        let leap = Leap { edge: way.edge, globals: from.globals, frame: from.frame, exit };
        match way.how {
            How::Enter => frames.push(vec![leap]),
            _ => frames.last_mut().expect("there is a frame from the start").push(leap),
        }
    }
    Ok(())
}

/// The expansion of every exit that occurs, by exit.
fn expand(
    outline: &Outline,
    mut inside: impl FnMut(u32) -> Result<Vec<Leap>, StopReason>,
) -> Result<BTreeMap<u32, Vec<Leap>>, StopReason> {
    let mut wanted: std::collections::BTreeSet<u32> =
        outline.frames.iter().flatten().filter_map(|leap| leap.exit).collect();
    let mut out = BTreeMap::new();
    while let Some(exit) = wanted.pop_last() {
        let steps = inside(exit)?;
        for inner in steps.iter().filter_map(|leap| leap.exit) {
            if inner >= exit {
                let what = "explicit engine: the expansion of a summary uses a later one";
                return Err(StopReason::Internal { what: what.to_owned() });
            }
            wanted.insert(inner);
        }
        out.insert(exit, steps);
    }
    Ok(out)
}

/// Segments get their ids in the order of exits: those inside a segment come before it.
fn finish(
    machine: &Machine,
    table: &Tabulation,
    outline: Outline,
    expansions: BTreeMap<u32, Vec<Leap>>,
    shortest: bool,
) -> Trace {
    let ids: BTreeMap<u32, SegmentId> =
        expansions.keys().enumerate().map(|(i, &exit)| (exit, SegmentId::new(i))).collect();
    let program = machine.program;
    let step = |leap: Leap| {
        let proc = program.nodes[program.edges[leap.edge].source].proc;
        Step {
            edge: leap.edge,
            state: valuation(machine, proc, leap.globals, leap.frame),
            inside: leap.exit.map(|exit| ids[&exit]),
        }
    };
    let mut segments = IndexVec::new();
    for (exit, steps) in expansions {
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
