//! From properties to a report.

use crate::asked::{Asked, Itself, With, question};
use crate::engines;
use crate::judge::{Checked, Judge, compared, never};
use crate::load::{Error, load_for};
use crate::rule_answers::{RuleAnswers, rule_answers};
use crate::vacuity::Vacuous;
use crate::{Options, Watch};
use check::{Budget, StopReason, Task, Wants};
use ir::Program;
use property::{Property, Question};
use render::{Claims, Outcome, Report, Status};
use source::SourceFile;
use std::sync::Arc;

/// Answers the questions about the program; with none, the default ones.
///
/// Every trace is replayed on the program as it was loaded. A trace or certificate that is refused,
/// engines that disagree and panics make the answer `unknown` with an internal stop reason.
pub(crate) fn check(
    files: &[Arc<SourceFile>],
    properties: &[Property],
    options: &Options,
    watch: &Watch,
) -> Result<Report, Error> {
    let is_rule = |p: &&Property| matches!(p, Property::Rule { .. });
    let rules: Vec<&Property> = properties.iter().filter(is_rule).collect();
    let others: Vec<Property> = properties.iter().filter(|p| !is_rule(p)).cloned().collect();
    let about_rules = match (&rules[..], &options.input.c) {
        ([], _) => None,
        (_, Some(c)) => Some(c),
        (_, None) => {
            let what =
                "rules are about the events of C programs; `--sere` asks about sequences in others";
            return Err(Error::Usage(what.to_owned()));
        }
    };
    let only_rules = others.is_empty() && !rules.is_empty();
    let budget = watch.budget(options.search.limits);
    let program = Arc::new(match only_rules {
        true => nothing(),
        false => load_for(files, options, &others)?,
    });
    let mut results = Vec::new();
    if !only_rules {
        let questions = Questions::new(&program, files, &others, options, &budget)?;
        let asked = questions.each.iter().map(|(p, _)| p.clone());
        watch.so_far.asked(&program, files, asked);
        results = questions.answers(&program, With { options, watch, budget: &budget });
    }
    let answers = match about_rules {
        Some(c) => rule_answers(c, files, &rules, options, watch)?,
        None => RuleAnswers::default(),
    };
    results.extend(answers.outcomes);
    Ok(Report {
        files: files.to_vec(),
        program,
        results,
        suppressed: answers.suppressed,
        assumptions: answers.assumptions,
        not_modelled: options.input.c.as_ref().map(|c| c.warnings()).unwrap_or_default(),
        claims: Claims::default(),
    })
}

/// A program for reports whose traces have programs of their own.
pub(crate) fn nothing() -> Program {
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
pub(crate) struct Questions {
    /// All goals of the program itself.
    pub(crate) shared: Asked,
    /// Each property with what it asks.
    pub(crate) each: Vec<(Property, Asks)>,
}

/// What a property asks.
pub(crate) enum Asks {
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
    pub(crate) fn new(
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

    /// The answers, in order.
    fn answers(&self, program: &Arc<Program>, with: With<'_>) -> Vec<Outcome> {
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
            let c = options.input.c.as_deref();
            out.vacuous.extend(crate::vacuous::absent(property, program, c));
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
