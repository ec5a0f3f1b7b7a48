//! Walks through a trace: `cargo run -p postbop --example walk_trace`.
#![allow(clippy::print_stdout)]

use postbop::{Options, Property, SourceFile, Watch, check};
use std::error::Error;
use std::sync::Arc;

const PROGRAM: &str = "
int x(3);
init main;
module void twice(int n(3)) {
  x = n + n;
}
module void main() {
  twice(3);
  if :: x == 6 -> SIX: skip; :: else -> skip; fi
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let file = Arc::new(SourceFile::new("twice.rem", PROGRAM)?);
    let report = check(&[file], &[Property::reach("SIX")], &Options::default(), &Watch::default())?;
    let trace = report.results[0].trace.as_ref().ok_or("there is no run")?;
    let program = &*trace.program;
    let mut reader = render::Reader::new(program);
    for step in &trace.steps {
        let node = &program.nodes[step.node];
        let indent = "  ".repeat(step.depth as usize);
        let (line, text) = (node.origin.line, program.text(node.origin.text));
        print!("{line:3}  {indent}{text}");
        // What is known just before the step, variable by variable.
        for (var, value) in reader.values(node.proc, &step.state) {
            print!("  {}={value}", program.var_name(var));
        }
        println!();
    }
    Ok(())
}
