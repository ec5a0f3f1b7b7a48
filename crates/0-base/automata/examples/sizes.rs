//! Prints the sizes of the automata of a table of formulas beside those that the table gives:
//! `cargo run --release -p automata --example sizes -- TABLE`, where the table has the columns of
//! `spot_sizes_patterns.tsv`. Rows of equal size are left out.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use automata::{Options, degeneralize, ltl, translate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the name of a table is missing")?;
    let text = std::fs::read_to_string(path)?;
    let mut totals = [0; 4];
    let start = Instant::now();
    println!("TGBA  table  BA  table  formula");
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let formula = ltl::parse(fields[1])?;
        let options = Options::default();
        let automaton = translate(&formula.formulas, formula.root, &options)?;
        let buchi = degeneralize(&automaton, &options)?;
        let sizes = [automaton.states, fields[5].parse()?, buchi.states, fields[2].parse()?];
        totals.iter_mut().zip(sizes).for_each(|(total, size)| *total += size);
        if sizes[0] != sizes[1] || sizes[2] != sizes[3] {
            let [a, b, c, d] = sizes;
            println!("{a:4} {b:6} {c:3} {d:6}  {} {}", fields[0], fields[1]);
        }
    }
    let [a, b, c, d] = totals;
    println!("{a:4} {b:6} {c:3} {d:6}  together, in {:?}", start.elapsed());
    Ok(())
}
