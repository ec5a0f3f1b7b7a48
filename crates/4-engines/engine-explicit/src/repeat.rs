//! Repeated goals: is there an infinite run that carries every mark again and again?
//!
//! There is, exactly if some component of the head graph ([`crate::heads`]) has for every mark a
//! link inside it that can carry it [moped §4.2]: marks stay apart, no product of them is built.

use crate::components::Components;
use crate::heads::HeadGraph;
use crate::lasso::Ground;
use crate::links::Links;
use crate::machine::Machine;
use crate::marks::Marks;
use crate::meter::Meter;
use crate::ranks::ranks;
use crate::sets;
use crate::tabulate::Tabulation;
use check::{Budget, Goal, Stats, StopReason, Task, TraceMode, Verdict};
use ir::MarkSet;
use std::sync::Arc;

/// Certificates of more facts than this are left out: to check one takes longer than to search.
const MOST_FACTS: usize = 1 << 20;

/// The verdicts on repeated goals after a search that found all there is, by goal.
pub(crate) fn verdicts(
    task: &Task,
    machine: &Machine,
    table: &Tabulation,
    stats: &mut Stats,
    meter: &mut Meter,
) -> Vec<(usize, Verdict)> {
    let mut asked: Vec<(usize, u32)> = Vec::new();
    for (number, goal) in task.goals.iter().enumerate() {
        if let Goal::Repeat { marks } = goal {
            asked.push((number, *marks));
        }
    }
    let Some(most) = asked.iter().map(|&(_, marks)| marks).max() else { return Vec::new() };
    let unknown = |reason: &StopReason| {
        asked.iter().map(|&(goal, _)| (goal, Verdict::Unknown(reason.clone()))).collect()
    };
    if most > ir::MAX_MARKS {
        let what = format!("{most} marks; there are {}", ir::MAX_MARKS);
        return unknown(&StopReason::Unsupported { what });
    }
    let (marks, graph, components) = match search(machine, table, ir::all_marks(most), meter) {
        Ok(found) => found,
        Err(reason) => return unknown(&reason),
    };
    stats.add("heads", graph.heads.len() as u64);
    stats.add("components", components.inside.len() as u64);
    stats.add("marked_facts", marks.facts.len() as u64);
    let ground = Ground { machine, table, marks: &marks, graph: &graph, components: &components };
    let verdict = |&(goal, count): &(usize, u32)| {
        let ids = 0..components.inside.len() as u32;
        let accepting = ids.clone().any(|c| components.accepting(c, ir::all_marks(count)));
        let verdict = match accepting {
            true => violated(task, &ground, ir::all_marks(count), meter),
            false => Verdict::Holds(certificate(task, &ground, count, meter).map(Arc::new)),
        };
        (goal, verdict)
    };
    asked.iter().map(verdict).collect()
}

fn search(
    machine: &Machine,
    table: &Tabulation,
    mask: MarkSet,
    meter: &mut Meter,
) -> Result<(Marks, HeadGraph, Components), StopReason> {
    meter.phase = "marks";
    let links = Links::new(machine, table, meter)?;
    let marks = Marks::new(machine.program, table, &links, mask, meter)?;
    meter.phase = "components";
    let graph = HeadGraph::new(machine, table, &links, &marks, meter)?;
    links.dispose(meter);
    let components = Components::new(&graph, meter)?;
    meter.flush()?;
    Ok((marks, graph, components))
}

fn violated(task: &Task, ground: &Ground, mask: MarkSet, meter: &mut Meter) -> Verdict {
    if task.wants.trace == TraceMode::None {
        return Verdict::Violated(None);
    }
    meter.phase = "lasso";
    let trace = match ground.lasso(mask, task.wants.trace == TraceMode::Shortest, meter) {
        Err(reason @ StopReason::Internal { .. }) => Err(reason),
        // Out of time or memory: there is one all the same, and to read it off the tables takes
        // little of either.
        Err(_) => {
            let budget = Budget::unlimited();
            ground.lasso(mask, false, &mut Meter::new(&budget, meter.max_open_bits))
        }
        done => done,
    };
    match trace {
        Ok(trace) => Verdict::Violated(Some(Box::new(trace))),
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// Left out where it is not wanted, too large or too long in the making. Without marks there is
/// none: ranks have marks.
fn certificate(
    task: &Task,
    ground: &Ground,
    marks: u32,
    meter: &mut Meter,
) -> Option<check::Certificate> {
    let facts = ground.table.paths.len() + ground.marks.facts.len() + ground.graph.heads.len();
    if !task.wants.certificate || marks == 0 || facts > MOST_FACTS {
        return None;
    }
    meter.phase = "certificate";
    let ranks = ranks(ground.graph, ground.components, marks, meter).ok()?;
    sets::repeat_certificate(ground, marks, &ranks, meter).ok()
}
