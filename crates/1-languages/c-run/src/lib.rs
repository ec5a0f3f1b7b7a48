//! C executed: the data program, compiled to a register machine with flat bytes.
//!
//! Output and exit code are those of the program as a compiler without optimisation makes it, with arithmetic
//! that wraps. Memory is the machine's own: an access outside of a living object ends the run and is named, as
//! is other undefined behaviour that a run meets.
//!
//! ```
//! struct Screen(Vec<u8>);
//! impl c_run::Host for Screen {
//!     fn output(&mut self, _: bool, bytes: &[u8]) { self.0.extend_from_slice(bytes) }
//!     fn input(&mut self, _: &mut [u8]) -> usize { 0 }
//!     fn stopped(&mut self) -> bool { false }
//! }
//!
//! let unit = front_c::parse("int printf(const char *, ...); int main(void) { printf(\"%d\\n\", 6 * 7); return 3; }");
//! let program = c_run::load(vec![unit], c_types::Model::LP64);
//! let mut screen = Screen(Vec::new());
//! let outcome = c_run::run(&program, &c_run::Options::default(), &mut screen);
//! assert_eq!(screen.0, b"42\n");
//! assert_eq!(outcome.ending, c_run::Ending::Exit(3));
//! ```
//!
//! Not a sandbox of the machine's files: a program that is run here sees none. Not for threads, signals from
//! outside, and assembler.

mod arith;
mod code;
mod compile;
mod descriptors;
mod exact;
mod failing;
mod format;
mod library;
mod machine;
mod mathematics;
mod memory;
mod passes;
mod pointers;
mod random;
mod regions;
mod repeats;
mod scan;
mod start;
mod stdio;
mod values;

pub use failing::Failure;
pub use library::knows;
pub use machine::{Host, Report};
pub use passes::{Pass, Passes};
pub use repeats::Repeated;
pub use start::{Ending, Options, Outcome, load, load_with, run};
pub use values::{Held, Value};
