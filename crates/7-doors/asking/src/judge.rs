//! Turns answers into outcomes, and believes nothing that can be checked.

use crate::asked::{Asked, Explanation, With};
use crate::engines::Run;
use crate::listing::is_refusal;
use check::{Certificate, Goal, StopReason, Target, TraceMode, Verdict};
use input::caught;
use ir::{Exprs, Id, Program};
use property::Property;
use render::{CertificateNote, Exit, Outcome, Statement, Status};
use replay::CertRefusal;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A goal that is never reached: its verdict tells why a search that wants more than verdicts was
/// not complete.
pub fn never(program: &Program) -> Goal {
    let node = program.procs[program.entry].entry;
    Goal::Reach(vec![Target { node, condition: Exprs::FALSE }])
}

/// Judges the answers to a question.
pub struct Judge<'a> {
    /// The question.
    pub asked: &'a Asked,
    /// What is at hand.
    pub with: With<'a>,
}

/// What the judge says.
pub struct Judged {
    /// The outcome.
    pub outcome: Outcome,
    /// Of a violation of a rule, as in [`Explanation::from`].
    pub from: Option<rules::At>,
}

/// What checking gave for each certificate, by its address: several goals may share one.
pub type Checked = FxHashMap<*const Certificate, Option<Result<(), CertRefusal>>>;

impl Judge<'_> {
    /// The outcome for a goal, as a run answers it.
    pub fn outcome(
        &self,
        property: &Property,
        goal: usize,
        run: &Run,
        checked: &mut Checked,
    ) -> Judged {
        let mut out = answered(property, run);
        out.counters.extend(self.asked.back.counters());
        let mut from = None;
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
                } else if self.with.options.search.self_check {
                    out.warnings.push("there is no proof to check".to_owned());
                }
            }
            Verdict::Violated(trace) => {
                out.status = if reach { Status::Reachable } else { Status::Violated };
                match trace {
                    Some(trace) => match self.explain(trace, goal) {
                        Ok(told) => {
                            if self.with.options.search.insist {
                                let goal = &self.asked.task.goals[goal];
                                let shortest = told.listing.shortest;
                                out.warnings.extend(not_shortest(goal, shortest, run.engine));
                            }
                            from = told.from;
                            out.trace = Some(told.listing);
                            out.finding = told.finding;
                        }
                        Err(reason) if is_refusal(&reason) => refuse(&mut out, reason),
                        Err(reason) => {
                            let warning = format!("the trace is right, and not listed: {reason}");
                            out.warnings.push(warning);
                        }
                    },
                    None if self.asked.task.wants.trace == TraceMode::None => {}
                    None => {
                        let what = format!("engine {} gave no trace", run.engine);
                        refuse(&mut out, StopReason::Internal { what });
                    }
                }
            }
        }
        Judged { outcome: out, from }
    }

    /// The outcome for all statements.
    pub fn all_nodes(&self, property: &Property, run: &Run) -> Outcome {
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
        let program = &self.asked.task.program;
        let mut statements: Vec<Statement> = program
            .nodes
            .enumerate()
            .filter(|(_, info)| info.statement)
            .map(|(node, _)| Statement { node, reachable: reached[node.index()] })
            .collect();
        let place = |s: &Statement| {
            let origin = program.nodes[s.node].origin;
            (origin.file, origin.line, origin.column)
        };
        statements.sort_by_key(place);
        let dead = statements.iter().any(|s| !s.reachable);
        if let (true, Some(Verdict::Holds(Some(proof)))) = (dead, run.answer.verdicts.last())
            && self.with.options.search.self_check
        {
            // That of a search backwards may say nothing of other places than its goal.
            let nodes = statements.iter().filter(|s| !s.reachable).map(|s| Target::at(s.node));
            let goal = Goal::Reach(nodes.collect());
            let With { options, budget, .. } = self.with;
            match crate::proof::checked(program, &[goal], proof, options, budget) {
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
        let entered = program.procs.enumerate().filter(|(_, p)| reached[p.entry.index()]);
        for (proc, _) in entered.filter(|&(p, _)| !program.proc_name(p).starts_with('(')) {
            if let Some(targets) = property::exits(program, proc).filter(plain) {
                let reachable = targets.iter().any(|target| reached[target.node.index()]);
                out.exits.push(Exit { proc, reachable });
            }
        }
        out
    }

    fn explain(&self, trace: &check::Trace, goal: usize) -> Result<Explanation, StopReason> {
        caught("replay", || self.asked.back.explain(&self.asked.task, goal, trace, self.with))
            .unwrap_or_else(|what| Err(StopReason::Internal { what }))
    }

    fn certificate(
        &self,
        certificate: &Arc<Certificate>,
        run: &Run,
        checked: &mut Checked,
        warnings: &mut Vec<String>,
    ) -> Result<CertificateNote, StopReason> {
        let size = certificate.len();
        let task = &self.asked.task;
        let result = checked.entry(Arc::as_ptr(certificate)).or_insert_with(|| {
            // All goals that it serves, at once.
            let served = run.answer.verdicts.iter().zip(&task.goals).filter(
                |(v, _)| matches!(v, Verdict::Holds(Some(c)) if Arc::ptr_eq(c, certificate)),
            );
            let goals: Vec<Goal> = served.map(|(_, goal)| goal.clone()).collect();
            let With { options, budget, .. } = self.with;
            crate::proof::checked(&task.program, &goals, certificate, options, budget)
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

/// Why a trace to a goal may not be what was asked for.
fn not_shortest(goal: &Goal, shortest: bool, engine: &str) -> Option<String> {
    match goal {
        Goal::Repeat { .. } => {
            Some("the lasso may not be shortest: no engine looks for such ones".to_owned())
        }
        _ if shortest => None,
        _ => Some(format!(
            "the trace may not be shortest: `{engine}` found it, and engines that find shortest ones have \
             no answer"
        )),
    }
}

/// An outcome of the run, without its verdict.
pub fn answered(property: &Property, run: &Run) -> Outcome {
    Outcome {
        engine: run.engine.to_owned(),
        why: run.why.clone(),
        seconds: run.seconds,
        counters: run.answer.stats.counters.iter().map(|&(n, v)| (n.to_owned(), v)).collect(),
        stop_reason: None,
        ..Outcome::unknown(property.clone(), StopReason::Cancelled)
    }
}

/// A check of our own failed: there is no answer.
pub(crate) fn refuse(out: &mut Outcome, reason: StopReason) {
    out.status = Status::Unknown;
    out.stop_reason = Some(reason);
}

/// The common outcome of all engines.
pub fn compared(property: &Property, mut each: Vec<Outcome>) -> Outcome {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Search, Watch};
    use check::{Budget, Engine, SetId};
    use engine_explicit::Explicit;
    use input::load_for;
    use ir::IndexVec;
    use source::SourceFile;

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
        let options = Options::from(Search { self_check: true, ..Search::default() });
        let program = Arc::new(load_for(&files, &options.input, &[]).expect("a program"));
        let (budget, property) = (Budget::unlimited(), Property::reach(label));
        let question = property.question(&program).expect("the label exists");
        let asked = Asked::new(&program, question, TraceMode::Shortest);
        let mut answer = Explicit::default().run(&asked.task, &budget);
        spoil(&mut answer.verdicts[0]);
        let run = Run { engine: "explicit", why: String::new(), answer, seconds: 0.0 };
        let watch = Watch::default();
        let with = With { options: &options, watch: &watch, budget: &budget };
        Judge { asked: &asked, with }.outcome(&property, 0, &run, &mut Checked::default()).outcome
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
