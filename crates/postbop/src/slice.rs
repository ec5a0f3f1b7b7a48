//! Engines work on what matters to the question; the answer is about the whole program.

use analysis::{Cone, Live, Uses, cone_of_influence};
use check::{Answer, Goal, Lasso, Lift, Partial, StateSets, Task, Trace, Verdict};
use ir::{Embedding, Layout, NodeId, Program, Time, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A task about the cone of influence of another.
pub(crate) struct Slice {
    embedding: Embedding,
    /// See [`Cone::live`].
    live: Option<Live>,
    /// The task to answer.
    pub(crate) task: Task,
}

impl Slice {
    /// The part of the program that matters, if it is not the whole.
    pub(crate) fn new(task: &Task) -> Option<Slice> {
        let program = &task.program;
        let cone = cone_of_influence(program, &uses(program, task))?;
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
                if let Some(live) = &self.live {
                    forget_dead(&original.program, live, &mut lifted);
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
        Answer {
            verdicts: answer.verdicts.into_iter().map(&mut verdict).collect(),
            reached: answer.reached.map(|reached| lift.reached(&reached)),
            observed,
            sets,
            stats: answer.stats,
        }
    }
}

/// What the task reads, besides what the program reads.
fn uses(program: &Program, task: &Task) -> Uses {
    let mut uses = Uses::default();
    for goal in &task.goals {
        if let Goal::Reach(targets) = goal {
            for target in targets {
                program.exprs.reads(target.condition, |time, var| {
                    debug_assert_eq!(time, Time::Pre, "conditions read what holds there");
                    uses.add(target.node, var);
                });
            }
        }
    }
    for observation in &task.observe {
        for &var in &observation.vars {
            uses.add(observation.node, var);
        }
    }
    uses
}

/// Leaves open what is not live: an engine may have chosen it freely.
fn forget_dead(program: &Program, live: &Live, trace: &mut Trace) {
    let layout = Layout::new(program);
    let known = |vars: &mut dyn Iterator<Item = VarId>, rest_bits: u32| {
        let mut mask = Partial::unknown(layout.global_bits + rest_bits);
        for var in vars {
            let global = program.vars[var].kind == ir::VarKind::Global;
            let from = if global { 0 } else { layout.global_bits };
            layout.slot(var).bits().for_each(|bit| mask.set(from + bit, Some(true)));
        }
        mask
    };
    let at = |node: NodeId| {
        let bits = layout.frame_bits[program.nodes[node].proc];
        known(&mut live.vars(program, node), bits)
    };
    let mut masks: FxHashMap<NodeId, Partial> = FxHashMap::default();
    let mut forget = |node: NodeId, state: &mut Partial| {
        state.retain(masks.entry(node).or_insert_with(|| at(node)));
    };
    let in_segments = trace.segments.iter_mut().flat_map(|s| &mut s.steps);
    for step in in_segments.chain(trace.frames.iter_mut().flat_map(|f| &mut f.steps)) {
        forget(program.edges[step.edge].source, &mut step.state);
    }
    for segment in trace.segments.iter_mut() {
        let proc = segment.proc;
        let vars = program.globals.iter().chain(&program.procs[proc].results).copied();
        let mut wanted = vars.filter(|&v| live.at_exit(proc, v));
        segment.exit.retain(&known(&mut wanted, layout.result_bits[proc]));
    }
    match trace.lasso {
        // What holds after the end decides nothing.
        Some(Lasso::Terminated) => {
            let bits = layout.frame_bits[program.nodes[trace.target].proc];
            trace.end.retain(&Partial::unknown(layout.global_bits + bits));
        }
        _ => forget(trace.target, &mut trace.end),
    }
}
