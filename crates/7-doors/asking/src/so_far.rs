//! What a run has found so far, for whoever has to end it from outside: a phase that cannot look at a clock
//! does not stop by itself, and what was found before it shall not be lost.

use input::CProgram;
use ir::Program;
use property::Property;
use render::Outcome;
use source::SourceFile;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Answers as they are found (a check takes them down here).
#[derive(Default)]
pub struct SoFar(Mutex<Taken>);

/// A program, its files, and the questions.
pub(crate) type Asked = (Arc<Program>, Vec<Arc<SourceFile>>, Vec<Property>);

/// What was taken down.
#[derive(Default)]
pub struct Taken {
    /// What the questions are about, and the questions, once they are known.
    pub asked: Option<Asked>,
    /// The program, if it is one in C.
    pub c: Option<Arc<CProgram>>,
    /// What the control skeleton does is asked of the data, too: by itself it is no answer.
    pub skeleton_only: bool,
    /// Answers to the first of them.
    pub outcomes: Vec<Outcome>,
    /// Answers to rules, by name.
    pub rules: BTreeMap<String, RuleAnswers>,
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
    pub fn about(&self, c: Option<&Arc<CProgram>>) {
        self.taken().c = c.cloned();
    }

    /// What some run of the control skeleton does is asked of the data before it is said.
    pub fn asks_data(&self) {
        self.taken().skeleton_only = true;
    }

    /// These questions are asked.
    pub fn asked(
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
    pub fn answered(&self, outcome: &Outcome) {
        self.taken().outcomes.push(outcome.clone());
    }

    /// A rule is answered, in full or not.
    pub fn ruled(&self, rule: &str, found: &RuleAnswers) {
        self.taken().rules.insert(rule.to_owned(), found.clone());
    }

    /// All of it, taken out.
    pub fn take(&self) -> Taken {
        std::mem::take(&mut *self.taken())
    }
}

/// The answers to some rules.
#[derive(Clone, Debug, Default)]
pub struct RuleAnswers {
    /// In the order of rules and places.
    pub outcomes: Vec<Outcome>,
    /// Those that remarks allow.
    pub suppressed: Vec<Outcome>,
    /// What they rest on, said once.
    pub assumptions: Vec<String>,
}

impl RuleAnswers {
    /// Takes over those to a further rule.
    pub fn add(&mut self, more: RuleAnswers) {
        self.outcomes.extend(more.outcomes);
        self.suppressed.extend(more.suppressed);
        for assumption in more.assumptions {
            if !self.assumptions.contains(&assumption) {
                self.assumptions.push(assumption);
            }
        }
    }
}
