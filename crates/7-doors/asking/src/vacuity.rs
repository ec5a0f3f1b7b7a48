//! Whether a temporal property that holds does so for a good reason.

use crate::asked::{Asked, With, question};
use crate::engines;
use check::{Budget, Limits, TraceMode, Verdict};
use input::caught;
use ir::Program;
use property::{Mutant, Property};
use render::{Idle, Listing, Vacuity};
use std::sync::Arc;
use std::time::Duration;

/// Looks for vacuity.
pub(crate) struct Vacuous<'a> {
    pub program: &'a Arc<Program>,
    pub with: With<'a>,
}

/// It may cost this many times the work of the answer, …
const VACUITY_FACTOR: u64 = 2;
/// … but this much in any case.
const VACUITY_LEAST: u64 = 200_000;

impl Vacuous<'_> {
    /// Whether a formula that holds would hold with a part of it replaced; and a warning if there
    /// is no run at all that it could speak of. `work` is what the answer took.
    pub(crate) fn look(&self, property: &Property, work: u64) -> (Option<Vacuity>, Option<String>) {
        let fair = match property {
            Property::Ltl { fair, .. } | Property::Terminates { fair } => fair,
            _ => return (None, None),
        };
        let steps = (VACUITY_FACTOR * work).max(VACUITY_LEAST);
        let left = |limit: Duration| limit.saturating_sub(self.with.budget.elapsed());
        let time = self.with.options.search.limits.time.map(left);
        let limits = Limits { steps: Some(steps), time, ..self.with.options.search.limits };
        let budget = self.with.watch.part(limits, self.with.options.search.limits);
        let nothing = Property::Ltl { formula: "false".to_owned(), fair: fair.clone() };
        if self.holds(&nothing, &budget) == Some(true) {
            let message = match fair.is_empty() {
                true => "no infinite run is left: every run blocks",
                false => "no infinite run is left: every run blocks or is not fair",
            };
            return (None, Some(message.to_owned()));
        }
        let mutants = match property.mutants(self.program) {
            Ok(mutants) if !mutants.is_empty() => mutants,
            _ => return (None, None),
        };
        (Some(self.try_all(&mutants, &budget)), None)
    }

    /// Larger parts come before smaller ones: what is inside an idle part need not be tried.
    fn try_all(&self, mutants: &[Mutant], budget: &Budget) -> Vacuity {
        let mut idle = vec![false; mutants.len()];
        let mut out = Vacuity { idle: Vec::new(), tried: (0, mutants.len()), witness: None };
        let mut matters = None;
        for (i, mutant) in mutants.iter().enumerate() {
            let part = || Idle { part: mutant.replaced.clone(), by: mutant.by };
            if mutant.parent.is_some_and(|parent| idle[parent]) {
                idle[i] = true;
                out.tried.0 += 1;
                continue;
            }
            match self.holds(&mutant.property, budget) {
                Some(true) => {
                    idle[i] = true;
                    out.idle.push(part());
                }
                Some(false) => matters = Some((part(), &mutant.property)),
                None => continue,
            }
            out.tried.0 += 1;
        }
        // The last one that matters is among the smallest parts: the most telling witness.
        if self.with.options.shown.witness
            && out.idle.is_empty()
            && let Some((part, property)) = matters
        {
            out.witness = self.witness(property, budget).map(|listing| (part, listing));
        }
        out
    }

    /// Whether the property holds, if that is found out.
    fn holds(&self, property: &Property, budget: &Budget) -> Option<bool> {
        match self.verdict(property, budget, TraceMode::None)?.1 {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Unknown(_) => None,
        }
    }

    /// A run that violates the property, replayed and judged.
    fn witness(&self, property: &Property, budget: &Budget) -> Option<Listing> {
        let (asked, Verdict::Violated(Some(trace))) =
            self.verdict(property, budget, TraceMode::Any)?
        else {
            return None;
        };
        let told = caught("replay", || asked.back.explain(&asked.task, 0, &trace, self.with));
        Some(told.ok()?.ok()?.listing)
    }

    fn verdict(
        &self,
        property: &Property,
        budget: &Budget,
        trace: TraceMode,
    ) -> Option<(Asked, Verdict)> {
        let Ok(Ok(question)) = question(property, self.program, budget) else { return None };
        let mut asked = Asked::new(self.program, question, trace);
        asked.task.wants.certificate = false;
        let options = self.with.options.alone();
        let mut runs = engines::answer(&asked.task, &options, self.with.watch, budget);
        let verdict = runs.first_mut().map(|run| run.answer.verdicts.remove(0))?;
        Some((asked, verdict))
    }
}
