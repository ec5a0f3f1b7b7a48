//! Parses preprocessed files and says what could not be read: `parse_rate FILE.i…`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

fn main() -> std::io::Result<()> {
    let (mut units, mut clean, mut functions, mut lost) = (0, 0, 0, 0);
    let start = Instant::now();
    let mut bytes = 0;
    for path in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        bytes += text.len();
        let unit = front_c::parse(&text);
        units += 1;
        clean += usize::from(unit.problems.is_empty());
        functions += unit.functions().count();
        lost += unit.problems.len();
        for problem in &unit.problems {
            let (file, line) = unit.place(problem.at);
            println!("{path}: {file}:{line}: {}", problem.message);
        }
    }
    println!(
        "{clean} of {units} units without a problem; {functions} functions, {lost} items lost; {:.1} MB in {:.2} s",
        bytes as f64 / 1e6,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
