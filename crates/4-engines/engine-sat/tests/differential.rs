//! Against the reference on generated programs, recursion included: verdicts, sets of states,
//! nodes reached; every trace is replayed and every certificate checked.

use check::{Engine, Verdict};
use engine_explicit::Explicit;
use engine_sat::{Options, Qbf, Universal};
use testkit::differential::any_trace_case;
use testkit::engines::{self, agrees_with, twenty_seconds};

#[test]
fn qbf_agrees_with_the_reference() {
    agrees_with(&Qbf::default(), &Explicit::default(), 0..250);
}

#[test]
fn universal_agrees_with_the_reference() {
    agrees_with(&Universal::default(), &Explicit::default(), 250..500);
}

/// Small limits lead through fallbacks.
#[test]
fn limits_change_no_verdict() {
    let options = Options { summary_limit: 12, refinements: 3, ..Options::default() };
    agrees_with(&Universal { options }, &Explicit::default(), 500..560);
}

/// The long run: `-- --ignored ten`, other seeds by `POSTBOP_SEEDS=from-to`.
#[test]
#[ignore = "takes many minutes"]
fn ten_thousand_programs() {
    let seeds = engines::seeds(1_000..11_000);
    agrees_with(&Qbf::default(), &Explicit::default(), seeds.clone());
    agrees_with(&Universal::default(), &Explicit::default(), seeds);
}

/// What bounded unrolling finds is so; what it proves, too.
#[test]
fn bounded_unrolling_is_never_wrong() {
    let options = Options { bound: Some(12), ..Options::default() };
    let engine = Qbf { options };
    let (mut reached, mut held, mut open) = (0, 0, 0);
    for seed in 600..760 {
        let mut task = any_trace_case(seed).expect("generated programs are well formed");
        task.observe.clear();
        task.wants.all_nodes = false;
        task.wants.certificate = false;
        let reference = Explicit::default().run(&task, &twenty_seconds());
        let answer = engine.run(&task, &twenty_seconds());
        for (i, (ours, theirs)) in answer.verdicts.iter().zip(&reference.verdicts).enumerate() {
            match (ours, theirs) {
                (Verdict::Unknown(_), _) => open += 1,
                (Verdict::Holds(_), Verdict::Holds(_)) => held += 1,
                (Verdict::Violated(trace), Verdict::Violated(_)) => {
                    reached += 1;
                    if let Some(trace) = trace {
                        let goal = &task.goals[i];
                        replay::check_trace(&task.program, goal, trace)
                            .unwrap_or_else(|r| panic!("seed {seed} goal {i}: {r}"));
                    }
                }
                other => panic!("seed {seed} goal {i}: {other:?}"),
            }
        }
    }
    assert!(reached > 300 && held > 50 && open > 100, "{reached} {held} {open}");
}

/// Which programs take long: `-- --ignored --nocapture slow`, seeds from `POSTBOP_SEEDS=from-to`.
#[test]
#[ignore = "for measuring"]
#[allow(clippy::print_stderr)]
fn slow_programs() {
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        eprint!("{}", engines::slow_programs(engine, engines::seeds(0..200)));
    }
}
