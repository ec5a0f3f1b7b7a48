//! Translates the families of `tests/common/families.rs` with growing sizes, each as far as a second goes:
//! `cargo run --release -p automata --example families -- [FAMILY [SIZE]]`.
#![allow(clippy::print_stdout)]

#[path = "../tests/common/families.rs"]
mod families;

use std::time::{Duration, Instant};

use automata::{KeepGoing, Options, ltl, translate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().nth(1);
    let size: Option<usize> = std::env::args().nth(2).map(|n| n.parse()).transpose()?;
    for (name, make) in families::FAMILIES {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let mut last = String::from("none");
        let sizes: Vec<usize> = match size {
            Some(n) => vec![n],
            None => (1..=20).chain([25, 30, 40, 60, 100]).collect(),
        };
        for n in sizes {
            let f = ltl::parse(&make(n)).map_err(|e| format!("{name} {n}: {e}"))?;
            let start = Instant::now();
            let patience = Duration::from_secs(if size.is_some() { 600 } else { 10 });
            let keep_going = KeepGoing::while_true(move || start.elapsed() < patience);
            let options = Options { keep_going, ..Options::default() };
            let made = translate(&f.formulas, f.root, &options);
            let time = start.elapsed().as_millis();
            match made {
                Ok(a) => {
                    let (states, transitions, marks) = (a.states, a.transitions.len(), a.marks);
                    last = format!(
                        "{n}: {states} states, {transitions} transitions, {marks} marks, {time} ms"
                    );
                }
                Err(error) => {
                    last += &format!("; {n}: {error} after {time} ms");
                    break;
                }
            }
            if time > 4000 {
                break;
            }
        }
        println!("{name:24} {last}");
    }
    Ok(())
}
