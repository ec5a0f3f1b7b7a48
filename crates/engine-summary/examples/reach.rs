//! Effort of the engine on a Remopla program: `reach FILE LABEL [naive] [sift]`.

#![allow(clippy::print_stdout)]

use check::{Budget, Engine, Goal, Target, Task, Verdict};
use engine_summary::{Order, Summary};
use std::sync::Arc;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&args[0]).expect("a file to read");
    let (tree, errors) = front_remopla::parse(&text);
    assert!(errors.is_empty(), "{errors:?}");
    let file = source::SourceFile::new("input.rem", text).expect("a text");
    let options = front_remopla::LowerOptions::default();
    let program = Arc::new(front_remopla::lower(&tree, &file, &options).expect("a good program"));
    let targets = program.labelled(None, &args[1]).into_iter().map(Target::at).collect();
    let mut task = Task::new(program, vec![Goal::Reach(targets)]);
    task.wants.certificate = args.iter().any(|a| a == "proof");
    let order = if args.iter().any(|a| a == "naive") { Order::Naive } else { Order::Derived };
    let sifting = args.iter().any(|a| a == "sift");
    let engine = Summary { order, sifting, ..Summary::default() };
    let answer = engine.run(&task, &Budget::unlimited());
    match &answer.verdicts[0] {
        Verdict::Holds(_) => println!("unreachable"),
        Verdict::Violated(_) => println!("reachable"),
        Verdict::Unknown(reason) => println!("unknown: {reason:?}"),
    }
    println!("{:?}", answer.stats);
}
