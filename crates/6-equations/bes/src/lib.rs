//! Boolean equation systems, plain and parameterised: local resolution, explanations of the
//! answer, and a checker of explanations.
//!
//! A [`System`] hands out equations on demand; a [`Solver`] finds the value of a variable from the
//! equations it needs, depth-first or breadth-first, and remembers values between calls.
//! Alternating systems are parity games, solved component by component. An [`Explanation`] is the
//! boolean subgraph that proves a value; [`check`] accepts or refutes it without using anything of
//! the solvers.
//!
//! ```
//! use bes::{BesBuilder, Method, Op, Sign, Solver};
//!
//! // nu X0 = X1 && X0;  mu X1 = X0 || X2;  nu X2 = X2;
//! let mut builder = BesBuilder::new();
//! let outer = builder.block(Sign::Nu);
//! let inner = builder.block(Sign::Mu);
//! let last = builder.block(Sign::Nu);
//! builder.equation(outer, Op::And, [1, 0]);
//! builder.equation(inner, Op::Or, [0, 2]);
//! builder.equation(last, Op::Or, [2]);
//! let mut solver = Solver::new(builder.build(0).unwrap());
//! assert_eq!(solver.solve(Method::Auto, &mut |_| true), Ok(true));
//!
//! let explanation = solver.explain(&0).unwrap().unwrap();
//! assert!(explanation.value);
//! assert_eq!(bes::check(&mut solver.into_system(), &0, &explanation).unwrap(), Ok(()));
//! ```
//!
//! Not for programs: it knows none. Formulas over transition systems are in `lts`.

mod another;
mod arnold_crubille;
mod bfs;
pub mod cadp;
mod cadp_parts;
mod cadp_stream;
mod closed;
pub mod data;
mod dependencies;
mod dfs;
mod diagnostic;
mod explicit;
pub mod expr;
mod game;
mod global;
pub mod gunzip;
mod intervals;
mod inward;
pub mod lex;
mod one_point;
mod operators;
pub mod param;
pub mod pbes;
pub mod pg;
mod quantifiers;
pub mod rewrite;
mod rows;
mod scc;
mod show;
mod solver;
mod sorts;
mod specification;
mod system;
mod tangles;
pub mod terms;
mod typing;
mod undefined;
mod zielonka;

pub use diagnostic::{Explained, Explanation, Refutation, check};
pub use explicit::{Bes, BesBuilder, BesError};
pub use game::Algorithm;
pub use solver::{Method, Solver, Stats};
pub use system::{Op, Place, Progress, Shape, Sign, SolveError, System, Watch};
pub use undefined::solve;
