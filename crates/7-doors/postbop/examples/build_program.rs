//! Builds a program by hand, without any text: `cargo run -p postbop --example build_program`.
//!
//! ```text
//! bool flag;
//! main: flag := *; call flip; if (flag) goto SET
//! flip: flag := !flag
//! ```
#![allow(clippy::print_stdout)]

use asking::{Asked, answer};
use check::{TraceMode, Verdict};
use ir::{Init, ProgramBuilder, Rel, Type};
use postbop::{Options, Property, Watch};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut b = ProgramBuilder::new();
    let file = b.file("by-hand");
    let mut line = 0;
    let mut place = |b: &mut ProgramBuilder, text: &str| {
        line += 1;
        b.origin(file, line, 1, text)
    };
    let at = place(&mut b, "flag");
    let flag = b.global("flag", Type::BOOL, at);
    let at = place(&mut b, "main");
    let main = b.proc("main", at);
    let at = place(&mut b, "flip");
    let flip = b.proc("flip", at);

    b.begin_proc(main);
    let at = place(&mut b, "flag := *");
    let first = b.statement(at);
    b.entry(main, first);
    let at = place(&mut b, "flip()");
    let second = b.statement(at);
    let at = place(&mut b, "if (flag)");
    let third = b.statement(at);
    let at = place(&mut b, "skip");
    let set = b.statement(at);
    b.label("SET", set);
    let exit = b.silent();
    // The new value is arbitrary.
    b.step(first, second, Rel::assign([(flag, None)], 0));
    b.call(second, flip, Rel::identity(), third, Rel::identity());
    let is_set = b.exprs.pre(flag);
    let is_clear = b.exprs.not(is_set);
    b.step(third, set, Rel::guarded(is_set, 0));
    b.step(third, exit, Rel::guarded(is_clear, 0));
    b.step(set, exit, Rel::identity());
    b.ret(exit, Rel::identity(), false);

    b.begin_proc(flip);
    let at = place(&mut b, "flag := !flag");
    let only = b.statement(at);
    b.entry(flip, only);
    let end = b.silent();
    b.step(only, end, Rel::assign([(flag, Some(is_clear))], 0));
    b.ret(end, Rel::identity(), false);

    let program = Arc::new(b.finish(main, Init::default()));
    program.validate()?;

    // Ask it something.
    let question = Property::reach("SET").question(&program).map_err(|e| e.to_string())?;
    let asked = Asked::new(&program, question, TraceMode::Shortest);
    let (options, watch) = (Options::default(), Watch::default());
    let runs = answer(&asked.task, &options, &watch, &watch.budget(options.search.limits));
    match &runs[0].answer.verdicts[0] {
        Verdict::Violated(_) => println!("SET is reachable"),
        Verdict::Holds(_) => println!("SET is unreachable"),
        Verdict::Unknown(reason) => println!("unknown: {reason}"),
    }
    Ok(())
}
