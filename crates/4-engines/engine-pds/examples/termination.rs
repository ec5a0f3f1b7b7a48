//! Measures the termination of Quicksort ([moped Fig. 2]): `termination BITS faulty|corrected ENGINE`,
//! `ENGINE` being `frames`, `elimination`, `saturation` (with `-whole`: no rough components) or
//! `pre`, `pre-elimination`, `pre-saturation`; `reach` does post* alone. With `-bare`, neither lasso nor
//! certificate.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use check::{Budget, Engine, Task, TraceMode, Verdict};
use engine_pds::{Heads, Post, Pre};
use front_remopla::quicksort::{Options, quicksort};
use property::{Property, Question};
use source::SourceFile;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [bits, version, engine] = args.as_slice() else {
        eprintln!("usage: termination BITS faulty|corrected ENGINE");
        return;
    };
    let bits: u32 = bits.parse().expect("a number of bits");
    let faulty = version == "faulty";
    let options = Options { faulty, no_array: true, ..Options::default() };
    let text = quicksort(bits, 0, options);
    let file = SourceFile::new("quicksort.rem", text.clone()).expect("a short file");
    let (tree, errors) = front_remopla::parse(&text);
    assert!(errors.is_empty());
    let program = front_remopla::lower(&tree, &file, &front_remopla::LowerOptions::default())
        .expect("a good program");
    let question = Property::Terminates { fair: Vec::new() }.question(&program);
    let Ok(Question::Product(product)) = question else { panic!("termination is a product") };
    let mut task = Task::new(product.program.clone(), vec![product.goal.clone()]);
    if engine.contains("-bare") {
        task.wants.trace = TraceMode::None;
        task.wants.certificate = false;
    }
    if engine == "reach" {
        task.goals = vec![check::Goal::Reach(Vec::new())];
    }
    let heads = match engine {
        e if e.contains("elimination") => Heads::Elimination,
        e if e.contains("saturation") => Heads::Saturation,
        _ => Heads::Frames,
    };
    let rough_components = !engine.contains("-whole");
    let start = Instant::now();
    let budget = Budget::unlimited();
    let answer = match engine.starts_with("pre") {
        true => Pre { heads, rough_components, ..Pre::default() }.run(&task, &budget),
        false => Post { heads, rough_components, ..Post::default() }.run(&task, &budget),
    };
    let seconds = start.elapsed().as_secs_f64();
    let verdict = match &answer.verdicts[0] {
        Verdict::Holds(certificate) => match certificate {
            Some(certificate) => {
                let ranks = certificate.repeat.as_ref().map_or(0, |claim| claim.ranks.len());
                format!("holds, certificate of {} decisions, {ranks} ranks", certificate.len())
            }
            None => "holds".to_owned(),
        },
        Verdict::Violated(Some(trace)) => {
            let judged = replay::check_trace(&task.program, &task.goals[0], trace);
            let steps: usize = trace.frames.iter().map(|f| f.steps.len()).sum();
            format!(
                "violated, {steps} steps, {}",
                if judged.is_ok() { "accepted" } else { "REFUSED" }
            )
        }
        Verdict::Violated(None) => "violated".to_owned(),
        Verdict::Unknown(reason) => format!("unknown: {reason:?}"),
    };
    println!("{bits} {version} {engine}: {verdict}; {seconds:.2} s");
    for (name, value) in &answer.stats.counters {
        print!(" {name} {value}");
    }
    println!();
}
