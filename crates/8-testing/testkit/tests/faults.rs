//! Planted faults: the suite and the comparison must notice each of them.

use check::{Answer, Budget, Engine, SetId, Task, Verdict};
use engine_explicit::Explicit;
use std::time::Duration;
use testkit::differential::{Comparison, run};
use testkit::{corpus, suite};

/// Spoils an answer.
type Fault = fn(&Task, &mut Answer);

/// The explicit engine with its answers spoilt.
struct Liar(Fault);

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }
    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        let mut answer = Explicit::default().run(task, budget);
        (self.0)(task, &mut answer);
        answer
    }
}

fn says_unreached(_: &Task, answer: &mut Answer) {
    for verdict in &mut answer.verdicts {
        if matches!(verdict, Verdict::Violated(_)) {
            *verdict = Verdict::Holds(None);
        }
    }
}

fn says_reached(_: &Task, answer: &mut Answer) {
    for verdict in &mut answer.verdicts {
        if matches!(verdict, Verdict::Holds(_)) {
            *verdict = Verdict::Violated(None);
        }
    }
}

fn gives_up(task: &Task, answer: &mut Answer) {
    *answer = Answer::unknown(task, check::StopReason::Cancelled);
}

fn forgets_traces(_: &Task, answer: &mut Answer) {
    for verdict in &mut answer.verdicts {
        if let Verdict::Violated(trace) = verdict {
            *trace = None;
        }
    }
}

fn forgets_certificates(_: &Task, answer: &mut Answer) {
    for verdict in &mut answer.verdicts {
        if let Verdict::Holds(certificate) = verdict {
            *certificate = None;
        }
    }
}

fn spoils_certificates(_: &Task, answer: &mut Answer) {
    for verdict in &mut answer.verdicts {
        if let Verdict::Holds(Some(certificate)) = verdict {
            let certificate = std::sync::Arc::make_mut(certificate);
            certificate.path.iter_mut().for_each(|set| *set = SetId::empty());
        }
    }
}

fn forgets_a_step(_: &Task, answer: &mut Answer) {
    for verdict in &mut answer.verdicts {
        if let Verdict::Violated(Some(trace)) = verdict {
            for frame in &mut trace.frames {
                if frame.steps.len() > 1 {
                    frame.steps.remove(0);
                }
            }
        }
    }
}

fn admits_too_much(_: &Task, answer: &mut Answer) {
    for set in answer.observed.iter_mut().flatten() {
        *set = SetId::full();
    }
}

fn misses_nodes(_: &Task, answer: &mut Answer) {
    if let Some(reached) = &mut answer.reached {
        reached.iter_mut().for_each(|r| *r = !*r);
    }
}

const FAULTS: [(&str, Fault); 9] = [
    ("says unreached", says_unreached),
    ("says reached", says_reached),
    ("gives up", gives_up),
    ("forgets traces", forgets_traces),
    ("forgets certificates", forgets_certificates),
    ("spoils certificates", spoils_certificates),
    ("forgets a step", forgets_a_step),
    ("admits too much", admits_too_much),
    ("misses nodes", misses_nodes),
];

#[test]
fn the_comparison_notices_and_shrinks() {
    for (name, fault) in FAULTS {
        let comparison = Comparison {
            reference: ("explicit", &Explicit::default()),
            engines: &[(name, &Liar(fault))],
            any_trace: &[],
            threads: 1,
            limit: Duration::from_secs(60),
        };
        let outcome = run(&comparison, 1..40, &|_| ());
        assert!(!outcome.failures.is_empty(), "`{name}` is not noticed");
        for failure in &outcome.failures {
            assert!(!failure.shrunk_problems.is_empty(), "{name}, seed {}", failure.seed);
            if failure.text {
                let lines = failure.reproducer.lines().count();
                assert!(lines <= 12, "{name}, seed {}:\n{}", failure.seed, failure.reproducer);
            }
        }
    }
}

#[test]
fn the_suite_notices() {
    let cases = corpus::own().expect("a well-formed corpus");
    // State sets and the status of nodes are not asked for here.
    for (name, fault) in &FAULTS[..7] {
        let report = suite::run(&Liar(*fault), &cases, &[], Duration::from_secs(10));
        assert!(!report.failures.is_empty(), "`{name}` is not noticed");
    }
}

#[test]
fn exceptions_must_fail_and_exist() {
    let cases = corpus::own().expect("a well-formed corpus");
    let limit = Duration::from_secs(10);
    for exception in ["language/skip.bp", "no/such.bp"] {
        let report = suite::run(&Explicit::default(), &cases, &[(exception, "a reason")], limit);
        assert_eq!(report.failures.len(), 1);
        assert_eq!(report.failures[0].0, exception);
    }
    let excepted = [("language/precedence.bp", "gives up")];
    let case: Vec<_> = cases.into_iter().filter(|c| c.name == excepted[0].0).collect();
    let report = suite::run(&Liar(gives_up), &case, &excepted, limit);
    assert!(report.failures.is_empty() && report.skipped.len() == 1 && report.passed == 0);
}
