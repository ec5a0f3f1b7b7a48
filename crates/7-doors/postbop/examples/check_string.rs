//! Checks a program that is a string: `cargo run -p postbop --example check_string`.
#![allow(clippy::print_stdout)]

use postbop::{Options, Property, SourceFile, Status, Watch, check};
use std::error::Error;
use std::sync::Arc;

const PROGRAM: &str = "
decl locked;
void main() begin
  locked := 0;
  while (*) do
    acquire();
    if (*) then release(); fi
  od
end
void acquire() begin assert(!locked); locked := 1; end
void release() begin assert(locked);  locked := 0; end
";

fn main() -> Result<(), Box<dyn Error>> {
    let file = Arc::new(SourceFile::new("lock.bp", PROGRAM)?);
    let questions = [Property::Assert, Property::ltl("G F !locked"), Property::reach(":7")];
    let report = check(&[file], &questions, &Options::default(), &Watch::default())?;
    for result in &report.results {
        let answer = match result.status {
            Status::Holds | Status::Unreachable => "no run does that",
            Status::Violated | Status::Reachable => "some run does that",
            _ => "not found out",
        };
        println!("{}: {answer} (engine {})", render::title(&result.property), result.engine);
    }
    // The page that `bop check` prints.
    let mut page = Vec::new();
    render::text(&report, &render::TextOptions::default(), &mut page)?;
    println!("\n{}", String::from_utf8(page)?);
    Ok(())
}
