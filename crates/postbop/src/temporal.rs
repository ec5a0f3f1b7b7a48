//! Temporal properties: products answered, lassos judged, vacuity looked for.

use crate::engines::{self, Run};
use crate::load::caught;
use crate::{Options, Watch};
use check::{Budget, Certificate, Limits, StopReason, Task, TraceMode, Verdict, Wants};
use ir::Program;
use property::{KeepGoing, Mutant, Product, Property, PropertyError, Question, TranslateError};
use render::{CertificateNote, Idle, Listing, Outcome, Status, Vacuity};
use replay::{CertRefusal, Judgement};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A temporal question, and what is needed to answer it.
pub(crate) struct Temporal<'a> {
    pub(crate) program: &'a Arc<Program>,
    pub(crate) options: &'a Options,
    pub(crate) watch: &'a Watch,
    pub(crate) budget: &'a Budget,
}

/// Vacuity may cost this many times the work of the answer, …
const VACUITY_FACTOR: u64 = 2;
/// … but this much in any case.
const VACUITY_LEAST: u64 = 200_000;

/// The question that a property is, or why its automaton was not made.
pub(crate) fn question(
    property: &Property,
    program: &Program,
    budget: &Budget,
) -> Result<Result<Question, StopReason>, PropertyError> {
    let (watched, stopped) = (budget.clone(), Arc::new(OnceLock::new()));
    let reason = stopped.clone();
    let keep_going = KeepGoing::while_true(move || match watched.poll() {
        Ok(()) => true,
        Err(why) => {
            // The first one: what was short of memory has enough of it again afterwards.
            let _ = reason.set(why);
            false
        }
    });
    match property.question_while(program, keep_going) {
        Ok(question) => Ok(Ok(question)),
        Err(PropertyError::Automaton(TranslateError::Interrupted)) => {
            Ok(Err(stopped.get().cloned().unwrap_or(StopReason::Cancelled)))
        }
        Err(PropertyError::Automaton(error)) => {
            Ok(Err(StopReason::Unsupported { what: error.to_string() }))
        }
        Err(error) => Err(error),
    }
}

impl Temporal<'_> {
    /// The outcomes of all engines that were asked.
    pub(crate) fn outcomes(&self, property: &Property, product: &Product) -> Vec<Outcome> {
        let before = self.budget.spent();
        let task = self.task(product, self.options.trace, true);
        let runs = engines::answer(&task, self.options, self.watch, self.budget);
        let work = self.budget.spent() - before;
        let mut vacuity = None;
        runs.iter()
            .map(|run| {
                let mut out = self.outcome(property, product, &task, run);
                if out.status == Status::Holds && self.options.vacuity {
                    // The same for all engines.
                    let found = vacuity.get_or_insert_with(|| self.vacuity(property, work));
                    out.vacuity.clone_from(&found.0);
                    out.warnings.extend(found.1.iter().cloned());
                }
                out
            })
            .collect()
    }

    fn task(&self, product: &Product, trace: TraceMode, certificate: bool) -> Task {
        let mut task = Task::new(product.program.clone(), vec![product.goal.clone()]);
        task.wants = Wants { trace, certificate, all_nodes: false };
        task
    }

    fn outcome(&self, property: &Property, product: &Product, task: &Task, run: &Run) -> Outcome {
        let mut out = crate::checking::answered(property, run);
        let size = product.automaton;
        out.counters.push(("automaton_states".to_owned(), u64::from(size.states)));
        match &run.answer.verdicts[0] {
            Verdict::Unknown(reason) => out.stop_reason = Some(reason.clone()),
            Verdict::Holds(certificate) => {
                out.status = Status::Holds;
                match certificate.as_deref().map(|c| self.certificate(c, task, run, &mut out)) {
                    None if self.options.self_check => {
                        out.warnings.push("there is no proof to check".to_owned());
                    }
                    None => {}
                    Some(Ok(note)) => {
                        out.certificate = Some(note);
                        out.proof.clone_from(certificate);
                    }
                    Some(Err(reason)) => crate::checking::refuse(&mut out, reason),
                }
            }
            Verdict::Violated(Some(trace)) => {
                out.status = Status::Violated;
                match self.judged(product, trace) {
                    Ok(listing) => {
                        if self.options.insist {
                            let what =
                                "the lasso may not be shortest: no engine looks for such ones";
                            out.warnings.push(what.to_owned());
                        }
                        out.trace = Some(listing);
                    }
                    Err(reason) if crate::listing::is_refusal(&reason) => {
                        crate::checking::refuse(&mut out, reason);
                    }
                    Err(reason) => {
                        out.warnings.push(format!("the trace is right, and not listed: {reason}"));
                    }
                }
            }
            Verdict::Violated(None) if task.wants.trace == TraceMode::None => {
                out.status = Status::Violated;
            }
            Verdict::Violated(None) => {
                let what = format!("engine {} gave no trace", run.engine);
                crate::checking::refuse(&mut out, StopReason::Internal { what });
            }
        }
        out
    }

    /// The lasso as a run of the program itself, accepted by `replay` and judged without the
    /// automaton.
    fn judged(&self, product: &Product, trace: &check::Trace) -> Result<Listing, StopReason> {
        let internal = |what: String| StopReason::Internal { what };
        caught("replay", || {
            let lifted = product.trace(self.program, trace).map_err(internal)?;
            let accepted = replay::check_lasso(self.program, &lifted, Some(&product.temporal))
                .map_err(|refusal| {
                    crate::listing::refused("the lasso is no run of the program", &refusal)
                })?;
            match replay::judge(&accepted, &product.temporal) {
                Judgement::Violates => crate::listing::listed(&accepted, self.options, self.budget),
                Judgement::Satisfies => Err(internal("the lasso satisfies the formula".into())),
                Judgement::Inconclusive(why) => {
                    Err(internal(format!("the lasso could not be judged: {why}")))
                }
            }
        })
        .unwrap_or_else(|what| Err(internal(what)))
    }

    fn certificate(
        &self,
        certificate: &Certificate,
        task: &Task,
        run: &Run,
        out: &mut Outcome,
    ) -> Result<CertificateNote, StopReason> {
        let size = certificate.len();
        let options = self.options;
        match crate::proof::checked(&task.program, &task.goals, certificate, options, self.budget) {
            None => Ok(CertificateNote { checked: false, size }),
            Some(Ok(())) => Ok(CertificateNote { checked: true, size }),
            Some(Err(CertRefusal::Stopped(reason)))
                if !matches!(reason, StopReason::Internal { .. }) =>
            {
                out.warnings.push(format!("the proof was not checked to the end: {reason}"));
                Ok(CertificateNote { checked: false, size })
            }
            Some(Err(refusal)) => Err(StopReason::Internal {
                what: format!("engine {}: the proof is refused: {refusal}", run.engine),
            }),
        }
    }

    /// Whether a formula that holds would hold with a part of it replaced; and a warning if there
    /// is no run at all that it could speak of. `work` is what the answer took.
    fn vacuity(&self, property: &Property, work: u64) -> (Option<Vacuity>, Option<String>) {
        let fair = match property {
            Property::Ltl { fair, .. } | Property::Terminates { fair } => fair,
            _ => return (None, None),
        };
        let steps = (VACUITY_FACTOR * work).max(VACUITY_LEAST);
        let left = |limit: Duration| limit.saturating_sub(self.budget.elapsed());
        let time = self.options.limits.time.map(left);
        let limits = Limits { steps: Some(steps), time, ..self.options.limits };
        let budget = self.watch.part(limits, self.options.limits);
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
        if self.options.witness
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
        match self.verdict(property, budget, TraceMode::Any)? {
            (product, Verdict::Violated(Some(trace))) => self.judged(&product, &trace).ok(),
            _ => None,
        }
    }

    fn verdict(
        &self,
        property: &Property,
        budget: &Budget,
        trace: TraceMode,
    ) -> Option<(Box<Product>, Verdict)> {
        let Ok(Ok(Question::Product(product))) = question(property, self.program, budget) else {
            return None;
        };
        let task = self.task(&product, trace, false);
        let mut runs = engines::answer(&task, &self.options.alone(), self.watch, budget);
        let verdict = runs.first_mut().map(|run| run.answer.verdicts.remove(0))?;
        Some((product, verdict))
    }
}
