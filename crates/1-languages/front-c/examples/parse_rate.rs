//! What parsing, skeletons and lowering do to preprocessed files: `parse_rate < LIST`, where the list
//! has a file on each line. For each file a line with tabs: name, bytes, lines, functions read, items
//! lost, milliseconds of parsing, of the skeleton, of lowering, and what was lost first, or which
//! stage crashed. `scripts/parse-rate.py` makes the files and a table of the answers.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use front_c::{Options, lower, parse, skeleton};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));
    for path in std::io::stdin().lines() {
        let path = path?;
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        println!("{path}\t{}\t{}\t{}", text.len(), text.lines().count(), judged(&text));
    }
    Ok(())
}

fn judged(text: &str) -> String {
    let start = Instant::now();
    let mut milliseconds = Vec::new();
    let mut lap = || milliseconds.push(start.elapsed().as_millis().to_string());
    let (mut functions, mut lost) = (0, 0);
    let mut remark = String::new();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let unit = parse(text);
        lap();
        functions = unit.functions().count();
        lost = unit.problems.len();
        if let Some(problem) = unit.problems.first() {
            let (file, line) = unit.place(problem.at);
            remark = format!("{file}:{line}: {}", problem.message);
        }
        let skeleton = skeleton(&[unit]);
        lap();
        let options = Options { feasibility: true, ..Options::default() };
        match lower(&skeleton, &options) {
            Ok(lowered) => {
                if let Err(error) = lowered.program.validate() {
                    remark = format!("crash: not valid: {error}");
                }
            }
            Err(front_c::LowerError::Empty) => {}
            Err(error) => remark = format!("crash: {error}"),
        }
        lap();
    }));
    if result.is_err() {
        remark = format!("crash in stage {}", milliseconds.len() + 1);
    }
    milliseconds.resize(3, String::new());
    format!("{functions}\t{lost}\t{}\t{remark}", milliseconds.join("\t"))
}
