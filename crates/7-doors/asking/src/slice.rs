//! Engines work on what matters to the question; the answer is about the whole program.

use analysis::{Cone, Live, Uses, cone_of_influence_within};
use check::{Answer, Budget, Lasso, Lift, Partial, StateSets, Task, Trace, Verdict};
use ir::{Embedding, Layout, NodeId, ProcId, Program, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A task about the cone of influence of another.
pub(crate) struct Slice {
    embedding: Embedding,
    /// See [`Cone::live`].
    live: Option<Live>,
    /// The task to answer.
    pub task: Task,
}

impl Slice {
    /// The part of the program that matters, if it is not the whole; none, too, if the budget is
    /// spent.
    pub(crate) fn new(task: &Task, budget: &Budget) -> Option<Slice> {
        let program = &task.program;
        let stop = || budget.poll().is_err();
        let cone = cone_of_influence_within(program, &Uses::new(task.reads()), &stop)?;
        let Cone { program: sliced, embedding, live } = cone;
        let sliced = Arc::new(sliced);
        let lifted = Lift::new(program, &sliced, &embedding).task(task, sliced.clone());
        Some(Slice { embedding, live, task: lifted })
    }

    /// The answer as one to the original task.
    pub(crate) fn lift(&self, original: &Task, answer: Answer) -> Answer {
        let lift = Lift::new(&original.program, &self.task.program, &self.embedding);
        // Goals may share a certificate; they still do afterwards.
        let mut certificates = FxHashMap::default();
        let mut dead = self.live.as_ref().map(|live| Dead::new(&original.program, live));
        let mut verdict = |verdict: Verdict| match verdict {
            Verdict::Holds(Some(c)) => {
                let lifted = certificates.entry(Arc::as_ptr(&c)).or_insert_with(|| {
                    // Kept, so that no other certificate gets its address.
                    (c.clone(), Arc::new(lift.certificate(&c)))
                });
                Verdict::Holds(Some(lifted.1.clone()))
            }
            Verdict::Violated(Some(trace)) => {
                let mut lifted = lift.trace(&trace);
                if let Some(dead) = &mut dead {
                    dead.forget(&mut lifted);
                }
                Verdict::Violated(Some(Box::new(lifted)))
            }
            other => other,
        };
        let mut sets = StateSets::new();
        let observed = original
            .observe
            .iter()
            .zip(&answer.observed)
            .map(|(o, set)| set.map(|set| lift.observed(o, &answer.sets, set, &mut sets)))
            .collect();
        let verdicts = answer.verdicts.into_iter().map(&mut verdict).collect();
        let each = answer.each.into_iter().map(|values| {
            values.into_iter().map(|(value, found)| (value, verdict(found))).collect()
        });
        Answer {
            verdicts,
            each: each.collect(),
            reached: answer.reached.map(|reached| lift.reached(&reached)),
            observed,
            sets,
            incomplete: answer.incomplete,
            stats: answer.stats,
        }
    }
}

/// Leaves open what is not live: an engine may have chosen it freely.
struct Dead<'a> {
    program: &'a Program,
    live: &'a Live,
    layout: Layout,
    /// What is live at nodes, and at exits.
    at: FxHashMap<NodeId, Partial>,
    exits: FxHashMap<ProcId, Partial>,
}

impl<'a> Dead<'a> {
    fn new(program: &'a Program, live: &'a Live) -> Dead<'a> {
        let layout = Layout::new(program);
        Dead { program, live, layout, at: FxHashMap::default(), exits: FxHashMap::default() }
    }

    fn forget(&mut self, trace: &mut Trace) {
        let program = self.program;
        // A run starts in an initial valuation: what the initial condition reads is told there, live or not.
        let mut read = Vec::new();
        program.exprs.reads(program.init.condition, |_, var| read.push(var));
        let entry = program.procs[program.entry].entry;
        let vars = self.live.vars(program, entry).chain(read);
        let bits = self.layout.frame_bits[program.entry];
        let at_start = known(program, &self.layout, vars, bits);
        let first = trace.frames.first().and_then(|f| f.steps.first());
        let mut start = first.map_or(&trace.end, |step| &step.state).clone();
        start.retain(&at_start);
        let in_segments = trace.segments.iter_mut().flat_map(|s| &mut s.steps);
        for step in in_segments.chain(trace.frames.iter_mut().flat_map(|f| &mut f.steps)) {
            step.state.retain(self.at(program.edges[step.edge].source));
        }
        for segment in trace.segments.iter_mut() {
            segment.exit.retain(self.exit(segment.proc));
        }
        match trace.lasso {
            // What holds after the end decides nothing.
            Some(Lasso::Terminated) => {
                let bits = self.layout.frame_bits[program.nodes[trace.target].proc];
                trace.end.retain(&Partial::unknown(self.layout.global_bits + bits));
            }
            _ => trace.end.retain(self.at(trace.target)),
        }
        match trace.frames.first_mut().and_then(|f| f.steps.first_mut()) {
            Some(step) => step.state = start,
            None => trace.end = start,
        }
    }

    fn at(&mut self, node: NodeId) -> &Partial {
        let Dead { program, live, layout, at, .. } = self;
        at.entry(node).or_insert_with(|| {
            let bits = layout.frame_bits[program.nodes[node].proc];
            known(program, layout, live.vars(program, node), bits)
        })
    }

    fn exit(&mut self, proc: ProcId) -> &Partial {
        let Dead { program, live, layout, exits, .. } = self;
        exits.entry(proc).or_insert_with(|| {
            let vars = program.globals.iter().chain(&program.procs[proc].results).copied();
            let wanted = vars.filter(|&v| live.at_exit(proc, v));
            known(program, layout, wanted, layout.result_bits[proc])
        })
    }
}

/// A valuation that knows some variables.
fn known(
    program: &Program,
    layout: &Layout,
    vars: impl Iterator<Item = VarId>,
    rest_bits: u32,
) -> Partial {
    let mut mask = Partial::unknown(layout.global_bits + rest_bits);
    for var in vars {
        let global = program.vars[var].kind == ir::VarKind::Global;
        let from = if global { 0 } else { layout.global_bits };
        layout.slot(var).bits().for_each(|bit| mask.set(from + bit, Some(true)));
    }
    mask
}
