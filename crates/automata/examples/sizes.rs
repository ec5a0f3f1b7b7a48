//! Sizes of the automata of a table of formulas, beside those of the table.
#![allow(clippy::print_stdout, missing_docs)]
use automata::{Options, ltl, translate};
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("a table");
    let all = std::env::args().nth(2).is_some();
    let text = std::fs::read_to_string(path).expect("a readable table");
    let (mut ours, mut theirs) = (0u32, 0u32);
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let f = ltl::parse(fields[1]).expect("a formula");
        let start = Instant::now();
        let a = translate(&f.formulas, f.root, &Options::default());
        let ms = start.elapsed().as_millis();
        let want: u32 = fields[5].parse().expect("a number");
        match a {
            Ok(a) => {
                ours += a.states;
                theirs += want;
                if a.states != want || all || ms > 300 {
                    println!(
                        "{:16} {:3} {:3} {:+} {ms:5} ms det {} marks {} {}",
                        fields[0],
                        a.states,
                        want,
                        a.states as i64 - want as i64,
                        a.is_deterministic(),
                        a.marks,
                        fields[1]
                    );
                }
            }
            Err(e) => println!("{} {e} {}", fields[0], fields[1]),
        }
    }
    println!("total {ours} {theirs}");
}
