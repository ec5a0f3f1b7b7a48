//! The questions that properties about one program become, and their answers.

use crate::Options;
use crate::asked::{Asked, Itself, With, question};
use crate::engines;
use crate::judge::{Checked, Judge, compared, never};
use crate::vacuity::Vacuous;
use check::{Budget, StopReason, Task, Wants};
use input::Error;
use ir::Program;
use property::{Property, Question};
use render::{Outcome, Status};
use source::SourceFile;
use std::sync::Arc;

/// A program for reports whose traces have programs of their own.
pub fn nothing() -> Program {
    let mut b = ir::ProgramBuilder::new();
    let at = b.no_origin();
    let main = b.proc("(none)", at);
    b.begin_proc(main);
    let end = b.silent();
    b.entry(main, end);
    b.ret(end, ir::Rel::identity(), false);
    b.finish(main, ir::Init::default())
}

/// The questions that properties about one program become.
pub struct Questions {
    /// All goals of the program itself.
    pub shared: Asked,
    /// Each property with what it asks.
    pub each: Vec<(Property, Asks)>,
}

/// What a property asks.
pub enum Asks {
    /// Is this goal of the shared task reached?
    Goal(usize),
    /// Is each node reached?
    AllNodes,
    /// A question of its own.
    Own(Asked),
    /// There is no answer, because the question could not be made.
    Nothing(StopReason),
}

impl Questions {
    /// Those of the properties; with none, the default ones.
    pub fn new(
        program: &Arc<Program>,
        files: &[Arc<SourceFile>],
        properties: &[Property],
        options: &Options,
        budget: &Budget,
    ) -> Result<Questions, Error> {
        let properties = match properties {
            [] => Property::defaults(program),
            _ => properties.to_vec(),
        };
        let mut task = Task::new(program.clone(), Vec::new());
        task.wants = Wants {
            trace: options.search.trace,
            certificate: true,
            all_nodes: properties.contains(&Property::ReachAll),
        };
        let mut each = Vec::new();
        let mut diagnostics = Vec::new();
        for property in properties {
            let asks = match question(&property, program, budget) {
                Ok(Ok(Question::Goal(goal))) => {
                    task.goals.push(goal);
                    Asks::Goal(task.goals.len() - 1)
                }
                Ok(Ok(Question::AllNodes)) => Asks::AllNodes,
                // Temporal properties are about programs of their own.
                Ok(Ok(question @ Question::Product(_))) => {
                    Asks::Own(Asked::new(program, question, options.search.trace))
                }
                Ok(Err(reason)) => Asks::Nothing(reason),
                Err(error) => {
                    let diagnostic = error.diagnostic();
                    // An error in a formula is shown there.
                    if let Some((name, text)) = error.text() {
                        let name = match &property {
                            Property::Automaton { name, .. } => name.clone(),
                            _ => name,
                        };
                        let file = SourceFile::new(&name, text);
                        let file = file.map_err(|e| Error::Usage(format!("{name}: {e}")))?;
                        let diagnostics = vec![diagnostic];
                        return Err(Error::Rejected { file: Arc::new(file), diagnostics });
                    }
                    diagnostics.push(diagnostic);
                    continue;
                }
            };
            each.push((property, asks));
        }
        if !diagnostics.is_empty() {
            let file = files.first().cloned().ok_or_else(|| Error::Usage("no file".into()))?;
            return Err(Error::Rejected { file, diagnostics });
        }
        if task.wants.all_nodes {
            task.goals.push(never(program));
        }
        let back = Box::new(Itself(program.clone()));
        Ok(Questions { shared: Asked { task, back }, each })
    }

    /// The answers, in order; `finish` may add to each.
    pub fn answers(
        &self,
        program: &Arc<Program>,
        with: With<'_>,
        finish: &dyn Fn(&mut Outcome),
    ) -> Vec<Outcome> {
        if let Err(reason) = with.budget.poll() {
            let unknown = |(p, _): &(Property, _)| Outcome::unknown(p.clone(), reason.clone());
            return self.each.iter().map(unknown).collect();
        }
        let With { options, watch, budget } = with;
        let shared = |(_, asks): &(_, Asks)| matches!(asks, Asks::Goal(_) | Asks::AllNodes);
        let runs = match self.each.iter().any(shared) {
            true => engines::answer(&self.shared.task, options, watch, budget),
            false => Vec::new(),
        };
        let mut checked: Vec<Checked> = runs.iter().map(|_| Checked::default()).collect();
        let judge = Judge { asked: &self.shared, with };
        let answer = |(property, asks): &(Property, Asks)| {
            let runs = runs.iter().zip(&mut checked);
            let each: Vec<Outcome> = match asks {
                Asks::Goal(goal) => {
                    runs.map(|(run, c)| judge.outcome(property, *goal, run, c).outcome).collect()
                }
                Asks::AllNodes => runs.map(|(run, _)| judge.all_nodes(property, run)).collect(),
                Asks::Own(asked) => own(property, asked, program, with),
                Asks::Nothing(reason) => {
                    vec![Outcome::unknown(property.clone(), reason.clone())]
                }
            };
            let mut out = compared(property, each);
            finish(&mut out);
            watch.so_far.answered(&out);
            out
        };
        self.each.iter().map(answer).collect()
    }
}

/// The outcomes of all engines for a question of its own.
fn own(property: &Property, asked: &Asked, program: &Arc<Program>, with: With<'_>) -> Vec<Outcome> {
    let before = with.budget.spent();
    let runs = engines::answer(&asked.task, with.options, with.watch, with.budget);
    let work = with.budget.spent() - before;
    let judge = Judge { asked, with };
    let mut vacuity = None;
    let outcome = |run| {
        let mut out = judge.outcome(property, 0, run, &mut Checked::default()).outcome;
        if out.status == Status::Holds && with.options.search.vacuity {
            // The same for all engines.
            let found =
                vacuity.get_or_insert_with(|| Vacuous { program, with }.look(property, work));
            out.vacuity.clone_from(&found.0);
            out.warnings.extend(found.1.iter().cloned());
        }
        out
    };
    runs.iter().map(outcome).collect()
}
