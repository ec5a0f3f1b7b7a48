//! Engines work on what matters to the question; the answer is about the whole program.

use analysis::{Uses, cone_of_influence};
use check::{Answer, Goal, Lift, StateSets, Task, Verdict};
use ir::{Embedding, Program, Time};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A task about the cone of influence of another.
pub(crate) struct Slice {
    embedding: Embedding,
    /// The task to answer.
    pub(crate) task: Task,
}

impl Slice {
    /// The part of the program that matters, if it is not the whole.
    pub(crate) fn new(task: &Task) -> Option<Slice> {
        let program = &task.program;
        let (sliced, embedding) = cone_of_influence(program, &uses(program, task))?;
        let sliced = Arc::new(sliced);
        let lifted = Lift::new(program, &sliced, &embedding).task(task, sliced.clone());
        Some(Slice { embedding, task: lifted })
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
            Verdict::Violated(Some(trace)) => Verdict::Violated(Some(Box::new(lift.trace(&trace)))),
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
