//! Reachability by tabulation over explicit valuations: the reference for every other engine, and
//! the fast path for programs with few bits.
//!
//! Path edges and summaries as in [bebop §3.1], each valuation written out in a machine word, the
//! rules applied one fact at a time (`tabulate.rs`). Plain enough to trust by reading; what it
//! answers is exact: verdicts, the states of every node, shortest hierarchical traces
//! [bebop §3.2], certificates. Goals that ask for repetition are answered on the head graph of the
//! reachable part [moped §4.2] (`repeat.rs`), with a lasso or a certificate.
//!
//! ```
//! use check::{Budget, Engine, Goal, Target, Task, Verdict};
//! use engine_explicit::Explicit;
//! use ir::{Init, ProgramBuilder, Rel, Type};
//! use std::sync::Arc;
//!
//! // decl g;  void main() begin  g := !g;  if g then R: skip; fi  end
//! let mut b = ProgramBuilder::new();
//! let file = b.file("example.bp");
//! let at = b.origin(file, 1, 1, "");
//! let g = b.global("g", Type::BOOL, at);
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let (first, test, skip, exit) = (b.statement(at), b.statement(at), b.statement(at), b.silent());
//! b.entry(main, first);
//! b.label("R", skip);
//! let before = b.exprs.pre(g);
//! let negated = b.exprs.not(before);
//! b.step(first, test, Rel::assign([(g, Some(negated))], 0));
//! b.step(test, skip, Rel::guarded(before, 0));
//! b.step(test, exit, Rel::guarded(negated, 0));
//! b.step(skip, exit, Rel::identity());
//! b.ret(exit, Rel::identity(), false);
//! let program = b.finish(main, Init::default());
//!
//! let task = Task::new(Arc::new(program), vec![Goal::Reach(vec![Target::at(skip)])]);
//! let answer = Explicit::default().run(&task, &Budget::unlimited());
//! let Verdict::Violated(Some(trace)) = &answer.verdicts[0] else { panic!("R is reachable") };
//! assert_eq!(trace.frames[0].steps.len(), 2);
//! ```
//!
//! Not for programs with many bits in scope: time and memory grow with the number of valuations,
//! and more than 64 bits of globals, of one frame or of results are refused.

mod components;
mod each;
mod heads;
mod intern;
mod lasso;
mod links;
mod machine;
mod marks;
mod matching;
mod meter;
mod ranks;
mod relation;
mod repeat;
mod sets;
mod shortest;
mod solve;
mod space;
mod tabulate;
mod trace;
mod words;

#[cfg(test)]
mod tests;

use check::{Answer, Budget, Engine, Goal, StateSets, Stats, StopReason, Task, TraceMode, Verdict};
use machine::Machine;
pub use matching::Matching;
use meter::Meter;
use shortest::Search;
pub use space::{Matter, Move, Space};
use std::sync::Arc;
use tabulate::Tabulation;

/// The engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explicit {
    /// The most bits that one edge, or the initial condition, may leave arbitrary: so many bits
    /// stand for two to the power of them successors of a single state. Beyond it the answer is
    /// [`StopReason::Unsupported`].
    pub max_open_bits: u32,
}

impl Default for Explicit {
    fn default() -> Self {
        Explicit { max_open_bits: 24 }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        let mut meter = Meter::new(budget, self.max_open_bits.min(62));
        let machine = match Machine::new(&task.program, &mut meter) {
            Ok(machine) => machine,
            Err(reason) => return Answer::unknown(task, reason),
        };
        let mut table = Tabulation::new(&machine, task);
        let wants = task.wants;
        // Repetition is looked for in all that is reachable.
        let stop_early = !wants.all_nodes
            && !task.goals.iter().any(|goal| matches!(goal, Goal::Repeat { .. }))
            && task.observe.is_empty()
            && task.each.is_none()
            && (wants.trace != TraceMode::Shortest || table.goals.all_reached());
        let searched = table.run(stop_early, &mut meter);
        let mut stats = Stats::default();
        stats.add("path_edges", table.paths.len() as u64);
        stats.add("contexts", table.contexts.len() as u64);
        stats.add("summaries", table.exits.len() as u64);
        match searched {
            Ok(()) => {
                let mut answer = complete_answer(task, &machine, &table, &mut meter);
                for (goal, verdict) in
                    repeat::verdicts(task, &machine, &table, &mut stats, &mut meter)
                {
                    answer.verdicts[goal] = verdict;
                }
                Answer { stats, ..answer }
            }
            Err(reason) => Answer { stats, ..partial_answer(task, &machine, &table, reason) },
        }
    }
}

/// After a search that found all there is, or all that was asked for. Repeated goals are left open.
fn complete_answer(
    task: &Task,
    machine: &Machine,
    table: &Tabulation,
    meter: &mut Meter,
) -> Answer {
    let reached = &table.goals.reached;
    // A goal without targets does not wait for the search to be complete, the others do.
    let certify = |goal: &Goal, path: Option<u32>| match goal {
        Goal::Reach(targets) => path.is_none() && !targets.is_empty() && task.wants.certificate,
        _ => false,
    };
    meter.phase = "certificate";
    let certificate = match task.goals.iter().zip(reached).any(|(g, &p)| certify(g, p)) {
        true => sets::certificate(machine, table, meter).ok().map(Arc::new),
        false => None,
    };
    meter.phase = "shortest trace";
    let search = match task.wants.trace {
        TraceMode::Shortest if task.each.is_none() && reached.iter().any(Option::is_some) => {
            Some(Search::goals(machine, table, meter))
        }
        _ => None,
    };
    let verdict = |(i, goal): (usize, &Goal)| match (goal, reached[i]) {
        (Goal::Reach(targets), None) if targets.is_empty() && certificate.is_none() => {
            holds_trivially(task)
        }
        (Goal::Reach(_), None) => Verdict::Holds(certificate.clone()),
        (Goal::Reach(_), Some(_)) if task.each.is_some() => Verdict::Violated(None),
        (Goal::Reach(_), Some(path)) => {
            let shortest = search.as_ref().map(|search| {
                let (search, nearest) = search.as_ref().map_err(StopReason::clone)?;
                trace::shortest(machine, table, search, nearest[i], meter)
            });
            match shortest {
                Some(Ok(trace)) => Verdict::Violated(Some(Box::new(trace))),
                Some(Err(reason @ StopReason::Internal { .. })) => Verdict::Unknown(reason),
                // Out of time or memory: it is reached all the same.
                Some(Err(_)) | None => violated(task, machine, table, path),
            }
        }
        _ => Verdict::Unknown(unsupported()),
    };
    let verdicts = task.goals.iter().enumerate().map(verdict).collect();
    let mut sets = StateSets::new();
    let observed = sets::observed(machine, table, &task.observe, &mut sets, meter);
    Answer {
        verdicts,
        reached: task.wants.all_nodes.then(|| sets::reached(machine, table)),
        incomplete: observed.as_ref().err().cloned(),
        observed: match observed {
            Ok(observed) => observed.into_iter().map(Some).collect(),
            Err(_) => vec![None; task.observe.len()],
        },
        sets,
        each: each::verdicts(task, machine, table, false, meter),
        stats: Stats::default(),
    }
}

/// Why a goal of another kind has no answer.
fn unsupported() -> StopReason {
    let what = "a goal that the explicit engine does not know".to_owned();
    StopReason::Unsupported { what }
}

/// After a search that had to stop: what was reached is reached all the same.
fn partial_answer(
    task: &Task,
    machine: &Machine,
    table: &Tabulation,
    reason: StopReason,
) -> Answer {
    let mut answer = Answer::unknown(task, reason.clone());
    if task.each.is_some() || !task.observe.is_empty() {
        answer.incomplete = Some(reason);
    }
    for (i, goal) in task.goals.iter().enumerate() {
        match (goal, table.goals.reached[i]) {
            (Goal::Reach(targets), None) if targets.is_empty() => {
                answer.verdicts[i] = holds_trivially(task);
            }
            (Goal::Reach(_), Some(_)) if task.each.is_some() => {
                answer.verdicts[i] = Verdict::Violated(None);
            }
            (Goal::Reach(_), Some(path)) => {
                answer.verdicts[i] = violated(task, machine, table, path);
            }
            _ => {}
        }
    }
    let budget = Budget::unlimited();
    answer.each = each::verdicts(task, machine, table, true, &mut Meter::new(&budget, 0));
    answer
}

/// The verdict on a goal without targets.
fn holds_trivially(task: &Task) -> Verdict {
    Verdict::Holds(task.wants.certificate.then(|| Arc::new(sets::trivial(&task.program))))
}

/// The verdict with the trace by which the tabulation came there. Reads it off the tables, which
/// takes no time to speak of: no budget is asked.
fn violated(task: &Task, machine: &Machine, table: &Tabulation, path: u32) -> Verdict {
    if task.wants.trace == TraceMode::None {
        return Verdict::Violated(None);
    }
    let budget = Budget::unlimited();
    let trace = trace::any(machine, table, path, &mut Meter::new(&budget, 0));
    match trace {
        Ok(trace) => Verdict::Violated(Some(Box::new(trace))),
        Err(reason) => Verdict::Unknown(reason),
    }
}
