//! Repeat goals: every way to answer them against the explicit engine, on random programs with random
//! marks; every lasso and every certificate judged.

use check::{Budget, Engine, Goal, Lasso, Task, Verdict};
use engine_explicit::Explicit;
use engine_pds::{Heads, Post, Pre};
use front_remopla::quicksort::{Options, quicksort};
use ir::Program;
use property::{Property, Question};
use source::SourceFile;
use std::fmt::Write;
use testkit::engines::{boolean_program, marked_program};
use testkit::rng::Rng;

fn engines() -> Vec<(&'static str, Box<dyn Engine>)> {
    let post = Post::default();
    let pre = Pre::default();
    let plain = Post { live_ranges: false, mod_ref: false, ..post };
    vec![
        ("post", Box::new(post)),
        ("post, collecting", Box::new(Post { collect_at: 1, ..post })),
        ("post, elimination", Box::new(Post { heads: Heads::Elimination, ..post })),
        ("post, saturation", Box::new(Post { heads: Heads::Saturation, ..post })),
        ("post, one component", Box::new(Post { rough_components: false, ..post })),
        (
            "post, elimination, one component, collecting",
            Box::new(Post {
                heads: Heads::Elimination,
                rough_components: false,
                collect_at: 1,
                ..post
            }),
        ),
        (
            "post, saturation, one component, collecting",
            Box::new(Post {
                heads: Heads::Saturation,
                rough_components: false,
                collect_at: 1,
                ..post
            }),
        ),
        ("post, plain", Box::new(plain)),
        ("pre", Box::new(pre)),
        ("pre, collecting", Box::new(Pre { collect_at: 1, ..pre })),
        ("pre, elimination", Box::new(Pre { heads: Heads::Elimination, ..pre })),
        (
            "pre, saturation, one component",
            Box::new(Pre { heads: Heads::Saturation, rough_components: false, ..pre }),
        ),
    ]
}

/// Runs all engines on the programs with the given seeds. Gives how many goals are repeated, how
/// many are not, and how many certificates were left out.
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let budget = Budget::unlimited();
    let (mut repeated, mut others, mut bare) = (0, 0, 0);
    for seed in seeds {
        let (program, marks) = marked_program(seed, 0x0005_eed0_fa11);
        let goal = Goal::Repeat { marks };
        let task = Task::new(program.clone(), vec![goal.clone()]);
        let expected = match &Explicit::default().run(&task, &budget).verdicts[0] {
            Verdict::Violated(_) => true,
            Verdict::Holds(_) => false,
            Verdict::Unknown(reason) => panic!("seed {seed}: explicit: {reason:?}"),
        };
        for (name, engine) in engines() {
            let answer = engine.run(&task, &budget);
            match &answer.verdicts[0] {
                Verdict::Violated(Some(trace)) => {
                    assert!(expected, "seed {seed}: {name} finds a loop");
                    if let Err(refusal) = replay::check_trace(&program, &goal, trace) {
                        panic!("seed {seed}: {name}: {refusal:?}\n{trace:#?}");
                    }
                    repeated += 1;
                }
                Verdict::Violated(None) => panic!("seed {seed}: {name}: no lasso"),
                Verdict::Holds(certificate) => {
                    assert!(!expected, "seed {seed}: {name} finds no loop");
                    others += 1;
                    let Some(certificate) = certificate else {
                        bare += 1;
                        continue;
                    };
                    let goals = std::slice::from_ref(&goal);
                    if let Err(refusal) =
                        replay::check_certificate(&program, goals, certificate, &budget)
                    {
                        panic!("seed {seed}: {name}: {refusal:?}");
                    }
                }
                Verdict::Unknown(reason) => panic!("seed {seed}: {name}: {reason:?}"),
            }
        }
    }
    (repeated, others, bare)
}

#[test]
fn random_marks() {
    let (repeated, others, bare) = compare(0..150);
    assert!(repeated > 300 && others > 300, "{repeated} repeated, {others} not");
    // Goals without marks have no ranks to show.
    assert!(bare < others / 2, "{bare} of {others} without certificate");
}

/// More of the same; minutes.
#[test]
#[ignore = "takes minutes"]
fn many_random_marks() {
    compare(150..5_000);
}

/// Whether every run of the program ends, as a task.
fn terminates(program: &Program) -> Task {
    let question = Property::Terminates { fair: Vec::new() }.question(program);
    let Ok(Question::Product(product)) = question else { panic!("termination is a product") };
    Task::new(product.program.clone(), vec![product.goal.clone()])
}

/// [moped Fig. 2]: the faulty version calls itself with the same bounds.
#[test]
fn quicksort_terminates_when_corrected() {
    for (bits, faulty) in [(2, true), (2, false), (3, true), (3, false)] {
        let text = quicksort(bits, 0, Options { faulty, no_array: true, ..Options::default() });
        let file = SourceFile::new("quicksort.rem", text.clone()).expect("a short file");
        let (tree, _) = front_remopla::parse(&text);
        let options = front_remopla::LowerOptions::default();
        let program = front_remopla::lower(&tree, &file, &options).expect("a good program");
        let task = terminates(&program);
        for (name, engine) in engines() {
            match &engine.run(&task, &Budget::unlimited()).verdicts[0] {
                Verdict::Violated(Some(trace)) => {
                    assert!(faulty, "{name}, {bits} bits");
                    replay::check_trace(&task.program, &task.goals[0], trace).expect("a lasso");
                    // The recursion never ends: the stack grows in the loop.
                    let Some(Lasso::Loop { frame, .. }) = trace.lasso else { panic!("{name}") };
                    assert!(frame + 1 < trace.frames.len(), "{name}, {bits} bits");
                }
                Verdict::Holds(Some(certificate)) => {
                    assert!(!faulty, "{name}, {bits} bits");
                    let budget = Budget::unlimited();
                    replay::check_certificate(&task.program, &task.goals, certificate, &budget)
                        .expect("a proof");
                }
                other => panic!("{name}, {bits} bits: {other:?}"),
            }
        }
    }
}

/// A counter of so many bits that runs through all values.
fn counter(bits: usize, at_the_end: &str, in_between: &str) -> String {
    let names: Vec<String> = (0..bits).map(|i| format!("x{i}")).collect();
    let zeros = vec!["0"; bits].join(", ");
    let full = names.join(" & ");
    let mut text =
        format!("decl {}; void main() begin {} := {zeros};\n", names.join(", "), names.join(", "));
    let _ = writeln!(text, "while (!({full})) do {in_between}");
    for i in 0..bits {
        let low: Vec<&str> = names[..i].iter().map(String::as_str).collect();
        let mut targets = low.clone();
        targets.push(&names[i]);
        let mut values = vec!["0"; i];
        values.push("1");
        let keyword = if i == 0 { "if" } else { "elsif" };
        let _ = writeln!(
            text,
            "{keyword} (!x{i}) then {} := {};",
            targets.join(", "),
            values.join(", ")
        );
    }
    let _ = write!(text, "fi od {at_the_end} end");
    text
}

/// Long ways to a loop, and many loops on a way, take time linear in their number.
#[test]
fn long_ways() {
    let last = boolean_program(&counter(10, "while (1) do skip; od", ""));
    let many = boolean_program(&counter(10, "", "while (*) do skip; od"));
    let none = boolean_program(&counter(10, "", ""));
    for heads in [Heads::Frames, Heads::Elimination] {
        let engine = Post { heads, ..Post::default() };
        for program in [&last, &many] {
            let task = terminates(program);
            let answer = engine.run(&task, &Budget::unlimited());
            let Verdict::Violated(Some(trace)) = &answer.verdicts[0] else { panic!("{answer:?}") };
            replay::check_trace(&task.program, &task.goals[0], trace).expect("a lasso");
            assert!(answer.stats.get("head_images") < Some(100_000), "{:?}", answer.stats);
        }
        let answer = engine.run(&terminates(&none), &Budget::unlimited());
        // More ranks than a certificate may have.
        assert!(matches!(answer.verdicts[0], Verdict::Holds(None)), "{answer:?}");
    }
}

#[test]
fn limits_are_answers() {
    let names: Vec<String> = (0..60).map(|i| format!("x{i}")).collect();
    let mut text = format!("decl {}; void main() begin while (*) do\n", names.join(", "));
    let mut rng = Rng::new(1);
    for _ in 0..600 {
        let mut next = || rng.below(60);
        let (a, b, c, d) = (next(), next(), next(), next());
        let _ = writeln!(text, "x{a} := (x{b} & x{c}) ^ x{d};");
    }
    let task =
        terminates(&boolean_program(&(text + "od while (x0 & x1 & !x2) do x3 := x4; od end")));
    for engine in [&Post::default() as &dyn Engine, &Pre::default()] {
        testkit::engines::limits_are_answers(engine, &task, 64 << 20, 10);
    }
}
