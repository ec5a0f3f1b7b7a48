//! What a run has found so far, for whoever has to end it from outside: a phase that cannot look at a clock
//! does not stop by itself, and what was found before it shall not be lost.

use crate::rule_answers::RuleAnswers;
use crate::{CProgram, Input, Options, claims};
use check::StopReason;
use ir::Program;
use property::Property;
use render::{Claims, Outcome, Report};
use source::SourceFile;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Answers as they are found ([`crate::check`] takes them down here).
#[derive(Default)]
pub struct SoFar(Mutex<Taken>);

/// A program, its files, and the questions.
type Asked = (Arc<Program>, Vec<Arc<SourceFile>>, Vec<Property>);

#[derive(Default)]
struct Taken {
    /// What the questions are about, and the questions, once they are known.
    asked: Option<Asked>,
    /// The program, if it is one in C.
    c: Option<Arc<CProgram>>,
    /// Answers to the first of them.
    outcomes: Vec<Outcome>,
    /// Answers to rules, by name.
    rules: BTreeMap<String, RuleAnswers>,
}

impl fmt::Debug for SoFar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SoFar").finish_non_exhaustive()
    }
}

impl SoFar {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions are about this C program.
    pub(crate) fn about(&self, c: Option<&Arc<CProgram>>) {
        self.taken().c = c.cloned();
    }

    /// These questions are asked.
    pub(crate) fn asked(
        &self,
        program: &Arc<Program>,
        files: &[Arc<SourceFile>],
        questions: impl Iterator<Item = Property>,
    ) {
        let mut taken = self.taken();
        taken.asked = Some((program.clone(), files.to_vec(), questions.collect()));
        taken.outcomes.clear();
    }

    /// The next question is answered.
    pub(crate) fn answered(&self, outcome: &Outcome) {
        self.taken().outcomes.push(outcome.clone());
    }

    /// A rule is answered, in full or not.
    pub(crate) fn ruled(&self, rule: &str, found: &RuleAnswers) {
        self.taken().rules.insert(rule.to_owned(), found.clone());
    }

    /// The report of a run that is ended for this reason: what was asked, with the answers so far. `files` and
    /// `properties` are those of the command, for a run that had not come to its questions.
    pub fn report(
        &self,
        files: &[Arc<SourceFile>],
        properties: &[Property],
        options: &Options,
        reason: &StopReason,
    ) -> Report {
        let mut taken = self.taken();
        let Taken { asked, c, outcomes, rules } = &mut *taken;
        let options = &Options {
            input: Input {
                c: c.take().or_else(|| options.input.c.clone()),
                ..options.input.clone()
            },
            ..options.clone()
        };
        let rule = |p: &Property| match p {
            Property::Rule { rule, .. } => Some(rule.clone()),
            _ => None,
        };
        let by_default = match properties {
            [] => vec![Property::Assert],
            _ => properties.iter().filter(|p| rule(p).is_none()).cloned().collect(),
        };
        let (program, files, questions) = asked
            .take()
            .unwrap_or_else(|| (Arc::new(crate::checking::nothing()), files.to_vec(), by_default));
        let mut outcomes = std::mem::take(outcomes).into_iter();
        let unknown = |question: &Property| Outcome::unknown(question.clone(), reason.clone());
        let mut results: Vec<Outcome> =
            questions.iter().map(|q| outcomes.next().unwrap_or_else(|| unknown(q))).collect();
        let mut found = RuleAnswers::default();
        for property in properties {
            let Some(name) = rule(property) else { continue };
            found.add(rules.remove(&name).unwrap_or_else(|| RuleAnswers {
                outcomes: vec![unknown(property)],
                ..RuleAnswers::default()
            }));
        }
        results.extend(found.outcomes);
        let not_modelled = options.input.c.as_ref().map(|c| c.warnings()).unwrap_or_default();
        let (suppressed, assumptions) = (found.suppressed, found.assumptions);
        let claims = Claims::default();
        let mut report =
            Report { files, program, results, suppressed, assumptions, not_modelled, claims };
        claims::settle(&mut report, properties, options);
        report
    }
}
