//! Influence analysis: which variables matter at which point of a program.
//!
//! A program becomes a transition system that tells what is tested, assigned and asserted
//! ([pbes §3.1]): [`of_program`] for programs of the model, [`of_c`] for C, [`of_lts`] for one that is written
//! already. On it, [`influence()`]
//! computes four analyses ([pbes §2, §3.2]) by three methods that agree, with calls that come back to where they were
//! made. [`Flow`] has their facts, and a reason for each; [`criterion`] asks for one line. [`annotate`] evaluates any
//! formula with a parameter of sort `Var` at every point.
//!
//! ```
//! use influence::{Analysis, Method, influence, of_c};
//!
//! let text = "# 1 \"p.c\"\nint main(void) { int x = 9, y = 0; while (x > 0) { y = y + x; x--; } }\n";
//! let skeleton = front_c::skeleton(&[front_c::parse(text)]);
//! let graph = of_c(&skeleton, None, false).unwrap();
//! for method in Method::ALL {
//!     let found = influence(&graph, &Analysis::Ia1, method, &mut |_| true).unwrap();
//!     let point = graph.points.iter().find(|p| p.text == "y = y + x").unwrap();
//!     let names = found.sets[point.state.unwrap() as usize].iter();
//!     let names: Vec<&str> =
//!         names.map(|&v| graph.variables[v as usize].name.as_str()).collect();
//!     assert_eq!(names, ["x"]);
//! }
//! ```
//!
//! Not for making programs smaller: the cone of influence (`analysis`) has the same result for a
//! question in the program's own terms.

mod annotate;
mod control;
mod expanded;
mod flow;
mod from_c;
mod from_lts;
mod from_program;
mod graph;
mod matching;
mod methods;
mod reason;

pub use annotate::{Annotation, annotate};
pub use control::{Slice, criterion};
pub use flow::Flow;
pub use from_c::of_c;
pub use from_lts::of_lts;
pub use from_program::{OfProgram, of_program};
pub use graph::{Graph, Label, Names, Point, Variable};
pub use matching::{Kept, Matched, kept};
pub use methods::{Analysis, Influence, InfluenceError, Method, influence, influence_on};
pub use reason::Because;
