//! Reachability by path edges and summaries over decision diagrams: Bebop, semi-naive.
//!
//! [`Summary`] answers reach goals exactly, for any recursion depth, with shortest hierarchical
//! traces and inductive certificates. The cost of an operation depends on the variables in scope
//! and never on the number of variables or procedures of the whole program.
//!
//! ```
//! use check::{Budget, Engine, Goal, Target, Task, Verdict};
//! use engine_summary::Summary;
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
//! let answer = Summary::default().run(&Task::new(program, goals), &Budget::unlimited());
//! assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
//! assert!(matches!(answer.verdicts[1], Verdict::Holds(Some(_))));
//! ```
//!
//! Not for: programs with many correlated variables, whose diagrams grow too large (SAT engines),
//! nor for a handful of bits, where enumeration is faster (`engine-explicit`).

mod jump;
mod lift;
mod summaries;
mod wide;

pub use analysis::Order;
use bdd::Bdd;
use check::{Answer, Budget, Engine, Goal, StopReason, Task, TraceMode, Verdict};
use ir::{IndexVec, VarId};
use lift::CallRel;
use std::sync::Arc;
use summaries::{Rounds, Saturation};
use symbolic::{Aim, CallRelation, Halt, Pairs, Rings, Switches, System, Watch};

/// The engine. Its switches exist so that the effect of what they switch off can be measured.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Drop variables where they are dead ([bebop §3.3]).
    pub live_ranges: bool,
    /// Leave globals that a procedure does not touch out of its summary ([bebop §3.3]).
    pub mod_ref: bool,
    /// Diagram nodes below which garbage is not collected. Late is fast; tests collect early.
    pub collect_at: usize,
    /// The order of the diagrams' variables.
    pub order: Order,
    /// Look for a better order whenever the diagrams have doubled.
    pub sifting: bool,
    /// Keep path edges only where ways meet and calls wait.
    pub forget: bool,
    /// Nodes of diagrams from which on it is not kept in which round what was found: if a trace is to be told in spite of
    /// that, the search is done again.
    pub many: usize,
    /// Nodes of diagrams from which on procedures are entered with all contents of arrays, if only reachability is asked.
    pub wide: usize,
    /// The nodes of diagrams up to which there is a certificate. A larger one is only for those who ask for it: it takes
    /// more memory than the search.
    pub largest_proof: usize,
}

impl Default for Summary {
    fn default() -> Self {
        Summary {
            live_ranges: true,
            mod_ref: true,
            collect_at: symbolic::default_collect_at(),
            order: Order::default(),
            sifting: false,
            forget: true,
            many: summaries::MANY,
            wide: wide::WIDE,
            largest_proof: usize::MAX,
        }
    }
}

impl Engine for Summary {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        if task.goals.iter().any(|g| !matches!(g, Goal::Reach(_))) {
            let what = "the summary engine answers reachability only".to_owned();
            return Answer::unknown(task, StopReason::Unsupported { what });
        }
        symbolic::on_large_stack(&task.program, CallRel::COPIES, || {
            self.answer(task, budget).map_err(|halt| halt.reason(budget))
        })
        .unwrap_or_else(|reason| Answer::unknown(task, reason))
    }
}

impl Summary {
    fn answer(&self, task: &Task, budget: &Budget) -> Result<Answer, Halt> {
        match self.search(task, budget, Rounds::Spare)? {
            Some(answer) => Ok(answer),
            // Something was reached after it had been forgotten how, or in doubt.
            None => {
                Ok(self.search(task, budget, Rounds::Kept)?.expect("what is kept is not missed"))
            }
        }
    }

    /// The answer; none if rounds were not kept, and are needed, or if it is in doubt.
    fn search(&self, task: &Task, budget: &Budget, rounds: Rounds) -> Result<Option<Answer>, Halt> {
        let &Summary {
            live_ranges,
            mod_ref,
            collect_at,
            order,
            sifting,
            forget,
            largest_proof,
            ..
        } = self;
        let mut switches = Switches { live_ranges, mod_ref, collect_at, order, sifting };
        let wants_all = task.wants.all_nodes || !task.observe.is_empty() || task.each.is_some();
        let may_widen = rounds != Rounds::Kept && !wants_all;
        if may_widen && task.program.vars.iter().any(|var| var.ty.array.is_some()) {
            // The sooner it is seen that diagrams get large, the less has been done the narrow way.
            switches.collect_at = collect_at.min(self.wide.saturating_mul(2).max(1));
        }
        let mut s = System::of_task(task, budget, switches)?;
        s.widen_room(collect_at.max(1).saturating_mul(2));
        let aims = s.aims(task)?;
        let mut saturation = Saturation::new(s);
        // Without shortest traces the search may end at the first sight of every goal.
        let early = !wants_all && task.wants.trace != TraceMode::Shortest;
        // Conditions must survive collections in any case.
        let goals = if early { task.goals.len() } else { 0 };
        saturation.watch = Watch::new(aims.iter().copied(), goals);
        saturation.rounds = rounds;
        saturation.many = self.many;
        saturation.whole = wants_all || task.wants.certificate && largest_proof > self.many;
        if may_widen {
            saturation.wide.from(self.wide);
        }
        if forget {
            let observed = task.observe.iter().map(|o| o.node);
            saturation.forget_between(aims.iter().map(|aim| aim.1).chain(observed));
        }
        let stopped = match saturation.run() {
            Ok(()) => None,
            // What was reached before it had to stop is reached all the same.
            Err(halt) if halt.is_internal() => return Err(halt),
            Err(halt) => {
                let reason = halt.reason(budget);
                if !budget.grant(check::MOMENT) {
                    return Err(reason.into());
                }
                Some(reason)
            }
        };

        let doubt = saturation.wide.has_doubt();
        if saturation.rounds == Rounds::Missed && (doubt || task.wants.trace != TraceMode::None) {
            return Ok(None);
        }
        let mut reached = vec![false; task.goals.len()];
        for &(goal, node, condition) in &aims {
            reached[goal] |= !saturation.s.m.disjoint(saturation.path[node], condition)?;
        }
        if let Some(reason) = stopped {
            let mut answer = Answer::unknown(task, reason.clone());
            if reached.contains(&true) && task.each.is_some() {
                answer.verdicts = Pairs::of_goals(&reached, None, Some(&reason));
                observe_reached(task, &mut saturation, &mut answer, &reason);
                answer.each =
                    each(task, &mut saturation, &aims, Some(&reason), budget).unwrap_or_default();
            } else if reached.contains(&true) {
                saturation.watch = Watch::new(aims.iter().copied(), 0);
                let traces = saturation.traces(task, &aims, &reached, None);
                answer.verdicts = symbolic::partial_verdicts(task, &reached, traces, &reason);
                observe_reached(task, &mut saturation, &mut answer, &reason);
            }
            answer.stats = saturation.s.stats(saturation.work.visits);
            return Ok(Some(answer));
        }
        let mut answer = Answer::unknown(task, StopReason::Cancelled);
        let complete = !early || reached.contains(&false) || task.goals.is_empty();
        let unreached = reached.contains(&false);
        let few = saturation.s.m.live_nodes() <= largest_proof && !saturation.has_forgotten();
        let proof = task.wants.certificate && unreached && few;
        if proof || task.wants.all_nodes {
            saturation.complete()?;
        }
        if complete {
            let Saturation { s, path, .. } = &mut saturation;
            for (i, observation) in task.observe.iter().enumerate() {
                let node = observation.node;
                let states = s.forget_entry(task.program.nodes[node].proc, path[node])?;
                answer.observed[i] = Some(s.observe(observation, states, &mut answer.sets)?);
            }
            if task.wants.all_nodes {
                answer.reached = Some(path.iter().map(|p| !p.is_false()).collect());
            }
        }
        // The path edges and summaries: inductive by construction.
        let certificate = proof.then(|| {
            let s = &saturation.s;
            let summaries: IndexVec<_, Bdd> = s.summaries.iter().map(|known| known.all).collect();
            Arc::new(s.certificate(&saturation.path, &summaries))
        });
        if task.each.is_some() {
            answer.verdicts = Pairs::of_goals(&reached, certificate, None);
            // What was not told can be asked for: goals have their verdicts, and observations are there.
            answer.each = match each(task, &mut saturation, &aims, None, budget) {
                Err(halt) if halt.is_internal() => return Err(halt),
                told => told.unwrap_or_default(),
            };
        } else {
            let traces = saturation.traces(task, &aims, &reached, None);
            answer.verdicts = symbolic::verdicts(task, &reached, certificate, traces, budget);
        }
        answer.stats = saturation.s.stats(saturation.work.visits);
        if sifting {
            answer.stats.add("reorderings", saturation.s.m.stats().reorderings);
        }
        Ok(Some(answer))
    }
}

/// For each value of the variable that the task names, a trace: one search for all of them.
fn each(
    task: &Task,
    from: &mut Saturation,
    aims: &[Aim],
    stopped: Option<&StopReason>,
    budget: &Budget,
) -> Result<Vec<Vec<(u64, Verdict)>>, Halt> {
    let narrow = |&var: &VarId| from.s.context.slots.layout.slot(var).bits().len() <= 64;
    let Some(var) = task.each.filter(narrow) else { return Ok(Vec::new()) };
    let pairs = from.s.pairs(aims, &from.path, var)?;
    from.watch = Watch::new(pairs.aims.iter().copied(), 0);
    let traces = from.traces(task, &pairs.aims, &vec![true; pairs.pairs.len()], None);
    Ok(pairs.verdicts(task, traces, stopped, budget))
}

/// Of a search that had to stop, the part of the wanted sets that it has found.
fn observe_reached(task: &Task, from: &mut Saturation, answer: &mut Answer, reason: &StopReason) {
    if task.observe.is_empty() {
        return;
    }
    answer.incomplete = Some(reason.clone());
    let Saturation { s, path, .. } = from;
    for (i, observation) in task.observe.iter().enumerate() {
        let node = observation.node;
        let states = s.forget_entry(task.program.nodes[node].proc, path[node]);
        let states = states.map(|states| s.observe(observation, states, &mut answer.sets));
        let Ok(Ok(set)) = states else { return };
        answer.observed[i] = Some(set);
    }
}
