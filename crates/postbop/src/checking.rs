//! From properties to a report.

use crate::engines::{self, Run};
use crate::listing::is_refusal;
use crate::load::{Error, caught, load_for};
use crate::temporal::Temporal;
use crate::{Options, Watch};
use check::{Budget, Certificate, Goal, StopReason, Target, Task, TraceMode, Verdict, Wants};
use ir::{Exprs, Id, Program};
use property::{Product, Property, Question, Watched};
use render::{CertificateNote, Claims, Exit, Listing, Outcome, Report, Statement, Status};
use replay::CertRefusal;
use rustc_hash::FxHashMap;
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
    if !options.rules.is_empty() && options.c.is_none() {
        let what =
            "rules are about the events of C programs; `--sere` asks about sequences in others";
        return Err(Error::Usage(what.to_owned()));
    }
    let rules = || crate::ruling::ruling(files, options, watch);
    let not_modelled = options.c.as_ref().map(|c| c.warnings()).unwrap_or_default();
    if properties.is_empty() && !options.rules.is_empty() {
        let (program, rules) = (Arc::new(crate::ruling::nothing()), rules()?);
        return Ok(Report {
            files: files.to_vec(),
            program,
            results: Vec::new(),
            rules,
            not_modelled,
            claims: Claims::default(),
        });
    }
    let budget = watch.budget(options.limits);
    let program = Arc::new(load_for(files, options, properties)?);
    let asked = Asked::new(&program, files, properties, options, &budget)?;
    watch.so_far.asked(&program, files, asked.questions.iter().map(|(p, _)| p.clone()));
    let results = match budget.poll() {
        Ok(()) => {
            // Temporal properties are about programs of their own.
            let shared = |a: &Asks| matches!(a, Asks::Goal(_) | Asks::AllNodes);
            let runs = match asked.questions.iter().any(|(_, a)| shared(a)) {
                true => engines::answer(&asked.task, options, watch, &budget),
                false => Vec::new(),
            };
            let temporal = Temporal { program: &program, options, watch, budget: &budget };
            Judge { program: &program, task: &asked.task, options, budget: &budget }
                .outcomes(&asked, &runs, &temporal)
        }
        Err(reason) => {
            let asked = asked.questions.iter();
            asked.map(|(p, _)| Outcome::unknown(p.clone(), reason.clone())).collect()
        }
    };
    let (files, rules, claims) = (files.to_vec(), rules()?, Claims::default());
    Ok(Report { files, program, results, rules, not_modelled, claims })
}

/// The task that the properties become.
pub(crate) struct Asked {
    pub(crate) task: Task,
    /// Each property with what it asks.
    pub(crate) questions: Vec<(Property, Asks)>,
}

/// What a property asks.
pub(crate) enum Asks {
    /// Is this goal of the task reached?
    Goal(usize),
    /// Is each node reached?
    AllNodes,
    /// Has the product a run with all marks?
    Product(Box<Product>),
    /// Is the goal of the watched program reached?
    Watched(Box<Watched>),
    /// There is no answer, because the question could not be made.
    Nothing(StopReason),
}

impl Asked {
    pub(crate) fn new(
        program: &Arc<Program>,
        files: &[Arc<SourceFile>],
        properties: &[Property],
        options: &Options,
        budget: &Budget,
    ) -> Result<Asked, Error> {
        let properties = match properties {
            [] => Property::defaults(program),
            _ => properties.to_vec(),
        };
        let mut task = Task::new(program.clone(), Vec::new());
        task.wants = Wants {
            trace: options.trace,
            certificate: true,
            all_nodes: properties.contains(&Property::ReachAll),
        };
        let mut questions = Vec::new();
        let mut diagnostics = Vec::new();
        for property in properties {
            let asks = match crate::temporal::question(&property, program, budget) {
                Ok(Ok(Question::Goal(goal))) => {
                    task.goals.push(goal);
                    Asks::Goal(task.goals.len() - 1)
                }
                Ok(Ok(Question::AllNodes)) => Asks::AllNodes,
                Ok(Ok(Question::Product(product))) => Asks::Product(product),
                Ok(Ok(Question::Watched(watched))) => Asks::Watched(watched),
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
            questions.push((property, asks));
        }
        if !diagnostics.is_empty() {
            let file = files.first().cloned().ok_or_else(|| Error::Usage("no file".into()))?;
            return Err(Error::Rejected { file, diagnostics });
        }
        if task.wants.all_nodes {
            task.goals.push(never(program));
        }
        Ok(Asked { task, questions })
    }
}

/// A goal that is never reached: its verdict tells why a search that wants more than verdicts was
/// not complete.
pub(crate) fn never(program: &Program) -> Goal {
    let node = program.procs[program.entry].entry;
    Goal::Reach(vec![Target { node, condition: Exprs::FALSE }])
}

/// Turns answers into outcomes, and believes nothing that can be checked.
struct Judge<'a> {
    program: &'a Arc<Program>,
    task: &'a Task,
    options: &'a Options,
    budget: &'a Budget,
}

impl Judge<'_> {
    fn outcomes(&self, asked: &Asked, runs: &[Run], temporal: &Temporal<'_>) -> Vec<Outcome> {
        let mut checked: Vec<Checked> = runs.iter().map(|_| Checked::default()).collect();
        let questions = asked.questions.iter();
        questions
            .map(|(property, asks)| {
                let runs = runs.iter().zip(&mut checked);
                let each: Vec<Outcome> = match asks {
                    Asks::Goal(goal) => {
                        runs.map(|(run, c)| self.goal(property, *goal, run, c)).collect()
                    }
                    Asks::AllNodes => runs.map(|(run, _)| self.all_nodes(property, run)).collect(),
                    Asks::Product(product) => temporal.outcomes(property, product),
                    Asks::Watched(watched) => crate::watched::outcomes(
                        property,
                        watched,
                        self.program,
                        self.options,
                        temporal.watch,
                        self.budget,
                    ),
                    Asks::Nothing(reason) => {
                        vec![Outcome::unknown(property.clone(), reason.clone())]
                    }
                };
                let mut out = compared(property, each);
                let c = self.options.c.as_deref();
                out.vacuous.extend(crate::vacuous::absent(property, self.program, c));
                temporal.watch.so_far.answered(&out);
                out
            })
            .collect()
    }

    fn goal(&self, property: &Property, goal: usize, run: &Run, checked: &mut Checked) -> Outcome {
        let mut out = answered(property, run);
        let reach = matches!(property, Property::Reach { .. });
        match &run.answer.verdicts[goal] {
            Verdict::Unknown(reason) => out.stop_reason = Some(reason.clone()),
            Verdict::Holds(certificate) => {
                out.status = if reach { Status::Unreachable } else { Status::Holds };
                if let Some(certificate) = certificate {
                    match self.certificate(certificate, run, checked, &mut out.warnings) {
                        Ok(note) => {
                            out.certificate = Some(note);
                            out.proof = Some(certificate.clone());
                        }
                        Err(reason) => refuse(&mut out, reason),
                    }
                } else if self.options.self_check {
                    out.warnings.push("there is no proof to check".to_owned());
                }
            }
            Verdict::Violated(trace) => {
                out.status = if reach { Status::Reachable } else { Status::Violated };
                match trace {
                    Some(trace) => match self.replay(trace, goal) {
                        Ok(listing) => {
                            if self.options.insist && !listing.shortest {
                                out.warnings.push(not_shortest(run.engine));
                            }
                            out.trace = Some(listing);
                        }
                        Err(reason) if is_refusal(&reason) => refuse(&mut out, reason),
                        Err(reason) => {
                            let warning = format!("the trace is right, and not listed: {reason}");
                            out.warnings.push(warning);
                        }
                    },
                    None if self.task.wants.trace == TraceMode::None => {}
                    None => {
                        let what = format!("engine {} gave no trace", run.engine);
                        refuse(&mut out, StopReason::Internal { what });
                    }
                }
            }
        }
        out
    }

    fn all_nodes(&self, property: &Property, run: &Run) -> Outcome {
        let mut out = answered(property, run);
        let Some(reached) = &run.answer.reached else {
            out.stop_reason = Some(match (&run.answer.incomplete, run.answer.verdicts.last()) {
                (Some(reason), _) | (None, Some(Verdict::Unknown(reason))) => reason.clone(),
                _ => {
                    let what = format!("engine {} did not say what is reached", run.engine);
                    StopReason::Internal { what }
                }
            });
            return out;
        };
        let mut statements: Vec<Statement> = self
            .program
            .nodes
            .enumerate()
            .filter(|(_, info)| info.statement)
            .map(|(node, _)| Statement { node, reachable: reached[node.index()] })
            .collect();
        let place = |s: &Statement| {
            let origin = self.program.nodes[s.node].origin;
            (origin.file, origin.line, origin.column)
        };
        statements.sort_by_key(place);
        let dead = statements.iter().any(|s| !s.reachable);
        if let (true, Some(Verdict::Holds(Some(proof)))) = (dead, run.answer.verdicts.last())
            && self.options.self_check
        {
            // That of a search backwards may say nothing of other places than its goal.
            let nodes = statements.iter().filter(|s| !s.reachable).map(|s| Target::at(s.node));
            let goal = Goal::Reach(nodes.collect());
            let (options, budget) = (self.options, self.budget);
            match crate::proof::checked(self.program, &[goal], proof, options, budget) {
                Some(Ok(())) => {
                    out.certificate = Some(CertificateNote { checked: true, size: proof.len() });
                    out.proof = Some(proof.clone());
                }
                _ => out.warnings.push("there is no proof to check".to_owned()),
            }
        }
        out.status = if dead { Status::Violated } else { Status::Holds };
        out.statements = Some(statements);
        // Exits whose returns have conditions are questions of their own.
        let plain =
            |targets: &Vec<Target>| targets.iter().all(|target| target.condition == Exprs::TRUE);
        let entered = self.program.procs.enumerate().filter(|(_, p)| reached[p.entry.index()]);
        for (proc, _) in entered.filter(|&(p, _)| !self.program.proc_name(p).starts_with('(')) {
            if let Some(targets) = property::exits(self.program, proc).filter(plain) {
                let reachable = targets.iter().any(|target| reached[target.node.index()]);
                out.exits.push(Exit { proc, reachable });
            }
        }
        out
    }

    fn replay(&self, trace: &check::Trace, goal: usize) -> Result<Listing, StopReason> {
        let goal = &self.task.goals[goal];
        caught("replay", || {
            crate::listing::replayed(self.program, trace, goal, self.options, self.budget)
        })
        .unwrap_or_else(|what| Err(StopReason::Internal { what }))
    }
}

/// An outcome of the run, without its verdict.
pub(crate) fn answered(property: &Property, run: &Run) -> Outcome {
    Outcome {
        engine: run.engine.to_owned(),
        why: run.why.clone(),
        seconds: run.seconds,
        counters: run.answer.stats.counters.iter().map(|&(n, v)| (n.to_owned(), v)).collect(),
        stop_reason: None,
        ..Outcome::unknown(property.clone(), StopReason::Cancelled)
    }
}

/// Why a trace is not what was asked for.
pub(crate) fn not_shortest(engine: &str) -> String {
    format!(
        "the trace may not be shortest: `{engine}` found it, and engines that find shortest ones have no answer"
    )
}

/// A check of our own failed: there is no answer.
pub(crate) fn refuse(out: &mut Outcome, reason: StopReason) {
    out.status = Status::Unknown;
    out.stop_reason = Some(reason);
}

/// The common outcome of all engines.
fn compared(property: &Property, mut each: Vec<Outcome>) -> Outcome {
    if each.len() == 1 {
        return each.remove(0);
    }
    let internal = |o: &Outcome| matches!(o.stop_reason, Some(StopReason::Internal { .. }));
    if let Some(broken) = each.iter().position(internal) {
        return each.remove(broken);
    }
    let says = |o: &Outcome| {
        let word = o.status.word();
        match o.trace.as_ref().filter(|t| t.shortest) {
            Some(trace) => format!("{} says {word} in {} steps", o.engine, trace.hier_steps),
            None => format!("{} says {word}", o.engine),
        }
    };
    let who = |o: &[&Outcome]| {
        let names: Vec<&str> = o.iter().map(|o| o.engine.as_str()).collect();
        match &names[..] {
            [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
            all => all.concat(),
        }
    };
    let definite: Vec<&Outcome> = each.iter().filter(|o| o.status != Status::Unknown).collect();
    let Some(first) = definite.first() else {
        return match each.is_empty() {
            true => {
                let what = "no engine answered".to_owned();
                Outcome::unknown(property.clone(), StopReason::Internal { what })
            }
            false => each.remove(0),
        };
    };
    let reached = |o: &Outcome| -> Option<Vec<bool>> {
        Some(o.statements.as_ref()?.iter().map(|s| s.reachable).collect())
    };
    let same = |o: &&Outcome| o.status == first.status && reached(o) == reached(first);
    // Shortest traces may differ, but not in length.
    let lengths: Vec<usize> = definite
        .iter()
        .filter_map(|o| o.trace.as_ref())
        .filter(|t| t.shortest)
        .map(|t| t.hier_steps)
        .collect();
    if !definite.iter().all(same) || lengths.iter().any(|n| *n != lengths[0]) {
        let what: Vec<String> = definite.iter().map(|o| says(o)).collect();
        let what = format!("the engines disagree: {}", what.join(", "));
        let mut out = Outcome::unknown(property.clone(), StopReason::Internal { what });
        out.engine = "compare".to_owned();
        out.why = "asked for by `--engine`".to_owned();
        return out;
    }
    let mut out = (*first).clone();
    out.why = format!("{} agree", who(&definite));
    out.engine = "compare".to_owned();
    out.seconds = each.iter().map(|o| o.seconds).sum();
    out.counters = each
        .iter()
        .flat_map(|o| o.counters.iter().map(|(n, v)| (format!("{}_{n}", o.engine), *v)))
        .collect();
    for other in each.iter().filter(|o| o.status == Status::Unknown) {
        let reason = other.stop_reason.as_ref().map(|r| r.to_string()).unwrap_or_default();
        out.warnings.push(format!("engine {} gave no answer: {reason}", other.engine));
        out.why = format!("{} answered", who(&definite));
    }
    out
}

/// What checking gave for each certificate, by its address: several goals may share one.
type Checked = FxHashMap<*const Certificate, Option<Result<(), CertRefusal>>>;

impl Judge<'_> {
    fn certificate(
        &self,
        certificate: &Arc<Certificate>,
        run: &Run,
        checked: &mut Checked,
        warnings: &mut Vec<String>,
    ) -> Result<CertificateNote, StopReason> {
        let size = certificate.len();
        let result = checked.entry(Arc::as_ptr(certificate)).or_insert_with(|| {
            // All goals that it serves, at once.
            let served = run.answer.verdicts.iter().zip(&self.task.goals).filter(
                |(v, _)| matches!(v, Verdict::Holds(Some(c)) if Arc::ptr_eq(c, certificate)),
            );
            let goals: Vec<Goal> = served.map(|(_, goal)| goal.clone()).collect();
            crate::proof::checked(self.program, &goals, certificate, self.options, self.budget)
        });
        match result {
            None => Ok(CertificateNote { checked: false, size }),
            Some(Ok(())) => Ok(CertificateNote { checked: true, size }),
            Some(Err(CertRefusal::Stopped(reason)))
                if !matches!(reason, StopReason::Internal { .. }) =>
            {
                warnings.push(format!("the proof was not checked to the end: {reason}"));
                Ok(CertificateNote { checked: false, size })
            }
            Some(Err(refusal)) => {
                let what = format!("engine {}: the proof is refused: {refusal}", run.engine);
                Err(StopReason::Internal { what })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use check::{Engine, SetId};
    use engine_explicit::Explicit;
    use ir::IndexVec;

    fn says(engine: &str, status: Status, stop: Option<StopReason>) -> Outcome {
        Outcome {
            status,
            stop_reason: stop,
            engine: engine.to_owned(),
            ..Outcome::unknown(Property::Assert, StopReason::Cancelled)
        }
    }

    #[test]
    fn engines_that_disagree_are_an_internal_error() {
        let out = compared(
            &Property::Assert,
            vec![says("a", Status::Holds, None), says("b", Status::Violated, None)],
        );
        assert_eq!(out.status, Status::Unknown);
        let reason = out.stop_reason.expect("there is no answer");
        assert_eq!(reason.code(), "internal");
        assert!(reason.to_string().contains("a says holds, b says violated"), "{reason}");
    }

    #[test]
    fn one_answer_is_enough_unless_a_check_failed() {
        let slow = || says("b", Status::Unknown, Some(StopReason::Steps { limit: 1 }));
        let out = compared(&Property::Assert, vec![slow(), says("a", Status::Holds, None)]);
        assert_eq!((out.status, out.engine.as_str()), (Status::Holds, "compare"));
        assert_eq!(out.warnings.len(), 1);

        let broken = Some(StopReason::Internal { what: "broken".to_owned() });
        let broken = says("c", Status::Unknown, broken);
        let out = compared(&Property::Assert, vec![says("a", Status::Holds, None), broken]);
        assert_eq!(out.stop_reason.map(|r| r.code()), Some("internal"));
    }

    /// What the judge makes of an answer of the explicit engine that `spoil` has spoilt.
    fn judged(text: &str, label: &str, spoil: impl FnOnce(&mut Verdict)) -> Outcome {
        let files = [Arc::new(SourceFile::new("f.bp", text).expect("small"))];
        let options = Options { self_check: true, ..Options::default() };
        let program = Arc::new(load_for(&files, &options, &[]).expect("a program"));
        let budget = Budget::unlimited();
        let asked = Asked::new(&program, &files, &[Property::reach(label)], &options, &budget)
            .expect("the label exists");
        let mut answer = Explicit::default().run(&asked.task, &budget);
        spoil(&mut answer.verdicts[0]);
        let run = Run { engine: "explicit", why: String::new(), answer, seconds: 0.0 };
        let watch = Watch::default();
        let temporal =
            Temporal { program: &program, options: &options, watch: &watch, budget: &budget };
        Judge { program: &program, task: &asked.task, options: &options, budget: &budget }
            .outcomes(&asked, &[run], &temporal)
            .remove(0)
    }

    const PROGRAM: &str =
        "decl g; void main() begin g := 1; if (g) then R: skip; else Q: skip; fi end";

    #[test]
    fn spoilt_traces_are_refused() {
        assert_eq!(judged(PROGRAM, "R", |_| ()).status, Status::Reachable);
        let out = judged(PROGRAM, "R", |verdict| {
            let Verdict::Violated(Some(trace)) = verdict else { panic!("R is reachable") };
            trace.frames[0].steps[1].state.set(0, Some(false));
        });
        assert_eq!((out.status, out.trace.is_none()), (Status::Unknown, true));
        assert_eq!(out.stop_reason.map(|r| r.code()), Some("internal"));
        let out = judged(PROGRAM, "R", |verdict| *verdict = Verdict::Violated(None));
        assert_eq!(out.stop_reason.map(|r| r.code()), Some("internal"));
    }

    #[test]
    fn spoilt_certificates_are_refused() {
        let out = judged(PROGRAM, "Q", |_| ());
        assert_eq!(out.status, Status::Unreachable);
        assert!(out.certificate.is_some_and(|note| note.checked));
        let out = judged(PROGRAM, "Q", |verdict| {
            let Verdict::Holds(Some(certificate)) = verdict else { panic!("Q is unreachable") };
            // Nothing is reachable, it now says, not even the start.
            let certificate = Arc::make_mut(certificate);
            certificate.path = IndexVec::filled(SetId::empty(), certificate.path.len());
        });
        assert_eq!(out.status, Status::Unknown);
        assert_eq!(out.stop_reason.map(|r| r.code()), Some("internal"));
    }

    #[test]
    fn panics_are_caught() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let caught = caught("engine x", || -> u32 { panic!("index {}", 7) });
        std::panic::set_hook(hook);
        assert_eq!(caught, Err("engine x: index 7".to_owned()));
    }
}
