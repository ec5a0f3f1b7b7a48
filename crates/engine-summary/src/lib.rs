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

mod export;
mod relation;
mod rings;
mod slots;
mod summaries;

pub use analysis::Order;
use analysis::{Live, ModRef, Uses};
use bdd::{Bdd, Config, Gate, Manager, Stop};
use check::{Answer, Budget, Engine, Goal, Stats, StopReason, Task, TraceMode, Verdict};
use ir::NodeId;
use relation::Context;
use std::sync::Arc;
use summaries::{Halt, Saturation};

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
}

impl Default for Summary {
    fn default() -> Self {
        Summary {
            live_ranges: true,
            mod_ref: true,
            collect_at: Config::default().collect_at,
            order: Order::default(),
            sifting: false,
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
        // Diagram operations recurse over levels: they get a stack to match.
        let program = &task.program;
        let layout = ir::Layout::new(program);
        let slots = layout.scope_bits() + layout.max_result_bits();
        let stack = bdd::stack_bytes(5 * slots as usize + 64) + (1 << 20);
        let body = || match self.answer(task, budget) {
            Ok(answer) => answer,
            Err(halt) => Answer::unknown(task, reason(halt, budget)),
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, body);
            match thread.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(answer)) => answer,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(error) => {
                    let what = format!("no thread for the diagrams: {error}");
                    Answer::unknown(task, StopReason::Unsupported { what })
                }
            }
        })
    }
}

fn reason(halt: Halt, budget: &Budget) -> StopReason {
    match halt {
        Halt::Budget(reason) => reason,
        Halt::Diagrams(Stop::Interrupted) => budget.poll().err().unwrap_or(StopReason::Cancelled),
        Halt::Diagrams(Stop::Nodes) => {
            // The limit given, or the 2^27 nodes of 16 bytes that a manager can hold.
            StopReason::Memory { limit: budget.limits().memory.unwrap_or(1 << 31) }
        }
    }
}

/// Closes the diagrams' gate when the budget is spent.
struct BudgetGate(Budget);

impl Gate for BudgetGate {
    fn poll(&mut self) -> bool {
        self.0.poll().is_ok()
    }
    fn may_grow(&mut self, bytes: usize) -> bool {
        self.0.reserve(bytes as u64).is_ok()
    }
}

impl Summary {
    fn answer(&self, task: &Task, budget: &Budget) -> Result<Answer, Halt> {
        let program: &ir::Program = &task.program;
        // A trace starts in an initial valuation, so it must tell what the initial condition reads,
        // even where that is dead at once.
        let mut reads = task.reads();
        let entry = program.procs[program.entry].entry;
        program.exprs.reads(program.init.condition, |_, var| reads.push((entry, var)));
        let uses = Uses::new(reads);
        let mod_ref = match self.mod_ref {
            true => ModRef::new(program, &uses),
            false => ModRef::everything(program),
        };
        let live = match self.live_ranges {
            true => Live::new(program, &mod_ref, &uses),
            false => Live::everything(program, &mod_ref),
        };
        budget.poll()?;
        let config = Config { collect_at: self.collect_at, ..Config::default() };
        let mut m = Manager::new(config);
        m.set_gate(Some(Box::new(BudgetGate(budget.clone()))));
        let context = Context::new(program, live, mod_ref, self.order);
        let mut saturation = Saturation::new(context, m, budget);
        saturation.sift_at = self.sifting.then_some(summaries::SIFT_AT.min(self.collect_at));

        // Targets with their conditions as diagrams.
        let mut targets: Vec<(usize, NodeId, Bdd)> = Vec::new();
        for (goal, what) in task.goals.iter().enumerate() {
            let Goal::Reach(list) = what else { continue };
            for target in list {
                let condition = relation::condition(
                    &saturation.context,
                    &mut saturation.m,
                    target.condition,
                    0,
                )?;
                targets.push((goal, target.node, condition));
            }
        }
        // Without shortest traces the search may end at the first sight of every goal.
        let wants_all = task.wants.all_nodes || !task.observe.is_empty();
        let early = !wants_all && task.wants.trace != TraceMode::Shortest;
        if early {
            saturation.watch(targets.iter().copied(), task.goals.len());
        } else {
            // Conditions must survive collections all the same.
            saturation.watch(targets.iter().copied(), 0);
        }
        saturation.run()?;

        let mut reached = vec![false; task.goals.len()];
        for &(goal, node, condition) in &targets {
            reached[goal] |= !saturation.m.disjoint(saturation.path[node], condition)?;
        }
        let mut answer = Answer::unknown(task, StopReason::Cancelled);
        let complete = !early || reached.iter().any(|r| !r) || task.goals.is_empty();
        if complete {
            for (i, observation) in task.observe.iter().enumerate() {
                let set = saturation.observe(observation, &mut answer.sets)?;
                answer.observed[i] = Some(set);
            }
            if task.wants.all_nodes {
                answer.reached = Some(saturation.path.iter().map(|p| !p.is_false()).collect());
            }
        }
        let certificate = (task.wants.certificate && reached.iter().any(|r| !r))
            .then(|| Arc::new(saturation.certificate()));
        // A reached goal without its trace is no answer: there would be nothing to show for it.
        let mut traces = match task.wants.trace {
            TraceMode::None => Ok(vec![None; task.goals.len()]),
            mode => {
                let wanted: Vec<(usize, NodeId, Bdd)> =
                    targets.iter().copied().filter(|&(goal, ..)| reached[goal]).collect();
                saturation
                    .traces(&wanted, task.goals.len(), mode == TraceMode::Shortest)
                    .map_err(|halt| reason(halt, budget))
            }
        };
        for (goal, is_reached) in reached.into_iter().enumerate() {
            answer.verdicts[goal] = match &mut traces {
                _ if !is_reached => Verdict::Holds(certificate.clone()),
                Ok(traces) => Verdict::Violated(traces[goal].take()),
                Err(reason) => Verdict::Unknown(reason.clone()),
            };
        }
        let stats = saturation.m.stats();
        answer.stats = Stats::default();
        answer.stats.add("peak_nodes", saturation.m.peak_nodes() as u64);
        answer.stats.add("visits", saturation.visits);
        answer.stats.add("rounds", u64::from(saturation.rounds));
        answer.stats.add("operations", stats.lookups);
        answer.stats.add("collections", stats.collections);
        if self.sifting {
            answer.stats.add("reorderings", stats.reorderings);
        }
        Ok(answer)
    }
}
