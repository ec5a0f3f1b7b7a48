//! Binary decision diagrams: sets and relations over boolean variables.
//!
//! A [`Manager`] owns the nodes; a [`Bdd`] is a copyable handle to a function. Equal functions
//! have equal handles. Variables are plain numbers which need no declaration, and no operation
//! costs more because there are many of them or because their numbers are large.
//!
//! ```
//! use bdd::{Bdd, Config, Manager, Stop};
//!
//! # fn main() -> Result<(), Stop> {
//! let mut m = Manager::new(Config::default());
//! // A two-bit counter: bits 0 and 2 before a step, 1 and 3 after it.
//! let [x, x_new, y, y_new] = [m.var(0)?, m.var(1)?, m.var(2)?, m.var(3)?];
//! let low = m.iff(x_new, x.not())?;
//! let carry = m.xor(x, y)?;
//! let high = m.iff(y_new, carry)?;
//! let step = m.and(low, high)?;
//! // Quantify the bits before the step, and rename those after it: one pass.
//! let forward = m.spec(&[0, 2], &[(1, 0), (3, 2)]);
//! let mut reached = m.literals(&[(0, false), (2, false)])?;
//! loop {
//!     let next = m.image(reached, step, forward)?;
//!     if m.leq(next, reached)? {
//!         break;
//!     }
//!     reached = m.or(reached, next)?;
//! }
//! assert_eq!(reached, Bdd::TRUE);
//! # Ok(())
//! # }
//! ```
//!
//! # Limits
//! Operations that make nodes give `Result<Bdd, Stop>`: a limit on nodes, a [`Gate`] that
//! refuses memory, or a gate that asks to stop. The manager stays consistent and usable.
//! Between two polls lie some thousand steps, about a millisecond. Enlarging a table or
//! collecting is not interrupted, and takes 10 to 50 ms for each million nodes.
//!
//! # Roots
//! Nodes are freed by [`Manager::gc`] alone, at a point which the caller chooses, from the
//! roots which the caller names. A handle that is not among them, nor part of one, is stale
//! afterwards; debug builds notice most uses of stale handles.
//!
//! # Depth
//! Operations recurse once for each level of their operands: give a thread that works on deep
//! diagrams the stack that [`stack_bytes`] recommends. Everything that only looks (cubes,
//! counts, dumps, collection) does not recurse.
//!
//! # When not to use it
//! For one satisfying assignment of a large formula, or for hundreds of variables which depend
//! on each other without order, a SAT solver answers where diagrams outgrow memory. For fewer
//! than about 20 bits of state, plain enumeration is as fast and simpler.

mod apply;
mod cofactor;
mod compare;
mod computed;
mod cubes;
mod dot;
mod edge;
mod gc;
mod halves;
mod image;
mod inspect;
mod manager;
mod nodes;
mod order;
mod quantify;
mod sift;
mod spec;

pub use cubes::{Cube, Cubes};
pub use edge::Bdd;
pub use manager::{Config, Gate, MAX_VAR, Manager, Stats, Stop};
pub use spec::SpecId;

/// The stack that operations need on operands which depend on so many variables together, in
/// bytes: 64 KiB and 256 bytes for each. 100,000 variables take 25 MiB.
///
/// An operation recurses once for each variable of its operands. Where it runs another inside
/// (a disjunction in a quantification, an if-then-else in a renaming that breaks the order),
/// that one sees only the variables which are left, so that the depths do not add up. The
/// frames measured on x86-64 take at most 112 bytes; `tests/depth.rs` measures them again.
#[must_use]
pub fn stack_bytes(levels: usize) -> usize {
    (1 << 16) + levels * 256
}
