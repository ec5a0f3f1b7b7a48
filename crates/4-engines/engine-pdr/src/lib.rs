//! Property-directed reachability with summaries of procedures: for programs whose states are too many to
//! enumerate and whose diagrams are too large, but for which a few clauses say why a goal is not reached.
//!
//! The program is cut into large blocks (`blocks.rs`). The search (`search.rs`, rules PD1 to PD7) goes
//! backwards from the goals, and learns clauses by cut point and level; calls are passed by what their
//! callee is known to do (facts, `facts.rs`) or may do (clauses). When the clauses of some level are
//! inductive they are the proof (`proof.rs`). After [gpdr] and [spacer], over bits.
//!
//! ```
//! use check::{Budget, Engine, Goal, Target, Task, Verdict};
//! use engine_pdr::Pdr;
//! use ir::{Init, ProgramBuilder, Rel, Type};
//! use std::sync::Arc;
//!
//! // decl g;  void main() begin  assume(g);  g := !g;  assume(g);  R: skip;  end
//! let mut b = ProgramBuilder::new();
//! let at = b.no_origin();
//! let g = b.global("g", Type::BOOL, at);
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let n: Vec<_> = (0..4).map(|_| b.statement(at)).collect();
//! b.entry(main, n[0]);
//! let read = b.exprs.pre(g);
//! let negated = b.exprs.not(read);
//! b.step(n[0], n[1], Rel::guarded(read, 0));
//! b.step(n[1], n[2], Rel::assign([(g, Some(negated))], 0));
//! b.step(n[2], n[3], Rel::guarded(read, 0));
//! let program = Arc::new(b.finish(main, Init::default()));
//!
//! let goals = vec![Goal::Reach(vec![Target::at(n[2])]), Goal::Reach(vec![Target::at(n[3])])];
//! let answer = Pdr.run(&Task::new(program, goals), &Budget::unlimited());
//! assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
//! assert!(matches!(answer.verdicts[1], Verdict::Holds(Some(_))));
//! ```
//!
//! Not for: repeated goals (refused), shortest traces (a trace is any run), and programs with few states,
//! which the others enumerate faster. Exact sets of states are found value by value.

mod blocks;
mod compact;
mod facts;
mod frames;
mod lift;
mod proof;
mod search;
mod traces;

use blocks::What;
use check::{
    Answer, Area, Budget, Engine, Goal, SetBit, Stats, StopReason, Task, TraceMode, Verdict,
};
use ir::{Id, VarKind};
use search::Search;
use std::sync::Arc;

/// Property-directed reachability.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pdr;

impl Engine for Pdr {
    fn name(&self) -> &'static str {
        "pdr"
    }
    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        if task.goals.iter().any(|g| !matches!(g, Goal::Reach(_))) {
            let what = "the engine pdr answers reachability only".to_owned();
            return Answer::unknown(task, StopReason::Unsupported { what });
        }
        answer(task, budget).unwrap_or_else(|reason| Answer::unknown(task, reason))
    }
}

fn answer(task: &Task, budget: &Budget) -> Result<Answer, StopReason> {
    budget.poll()?;
    let mut search = Search::new(task, budget)?;
    let stopped = search.run().err();
    if let Some(reason) = &stopped {
        // What was reached before is reached all the same.
        let any = search.found.iter().any(Option::is_some);
        let internal = matches!(reason, StopReason::Internal { .. });
        if !any || internal || !budget.grant(check::MOMENT) {
            return Err(reason.clone());
        }
    }
    let mut answer = Answer::unknown(task, stopped.clone().unwrap_or(StopReason::Cancelled));
    let mut held = Vec::new();
    let mut reached = task.wants.all_nodes.then(|| vec![false; task.program.nodes.len()]);
    for ask in 0..search.blocks.asks.len() {
        let found = search.found[ask].clone();
        match (search.blocks.asks[ask].what, found) {
            (What::Goal(goal), Some(found)) => {
                answer.verdicts[goal] = match task.wants.trace {
                    TraceMode::None => Verdict::Violated(None),
                    // A reached goal without its trace is no answer: there would be nothing to show.
                    _ => match search.trace(&found) {
                        Ok(trace) => Verdict::Violated(Some(Box::new(trace))),
                        Err(reason) => Verdict::Unknown(reason),
                    },
                };
            }
            (What::Goal(goal), None) => held.push(goal),
            (What::Node(node), found) => {
                if let Some(reached) = &mut reached {
                    reached[node.index()] = found.is_some();
                }
            }
            (What::Observation(i), _) if stopped.is_none() => {
                observed(task, &search, ask, i, &mut answer)
            }
            (What::Observation(_), _) => {}
        }
    }
    if let Some(reason) = stopped {
        let wanted = task.wants.all_nodes || !task.observe.is_empty();
        answer.incomplete = wanted.then_some(reason);
        answer.stats = stats(&search);
        return Ok(answer);
    }
    answer.reached = reached;
    let mut certificate = None;
    if !held.is_empty() && task.wants.certificate {
        // A proof that is too large, or not done in time, may be left out; a wrong one is a bug.
        certificate = match search.certificate(task, &held) {
            Ok(found) => found.map(Arc::new),
            Err(reason @ StopReason::Internal { .. }) => return Err(reason),
            Err(_) => None,
        };
    }
    for goal in held {
        answer.verdicts[goal] = Verdict::Holds(certificate.clone());
    }
    answer.stats = stats(&search);
    Ok(answer)
}

/// The set of valuations that were observed.
fn observed(task: &Task, search: &Search<'_>, ask: usize, number: usize, answer: &mut Answer) {
    let context = &search.blocks.context;
    let mut bits = Vec::new();
    for &var in &task.observe[number].vars {
        let area = match context.program.vars[var].kind {
            VarKind::Global => Area::Global,
            VarKind::Local(_) => Area::Local,
            VarKind::Result(_) => Area::Result,
        };
        bits.extend(context.layout.slot(var).bits().map(|index| SetBit { area, index }));
    }
    let mut values: Vec<Vec<bool>> = search.seen[ask].iter().cloned().collect();
    values.sort_unstable();
    answer.observed[number] = Some(answer.sets.from_sorted(&bits, &values));
}

fn stats(search: &Search<'_>) -> Stats {
    let mut stats = Stats::default();
    let [entries, nodes, exits] = search.count();
    stats.add("cut_points", entries + nodes + exits);
    stats.add("blocks", search.blocks.blocks.len() as u64);
    stats.add("levels", search.top as u64);
    stats.add("obligations", search.obligations_met);
    stats.add("lemmas", search.frames.learned);
    stats.add("facts", search.facts.len() as u64);
    stats.add("gates", search.blocks.aig.len() as u64);
    stats.add("sat_calls", search.frames.calls);
    stats
}
