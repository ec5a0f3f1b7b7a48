//! What the tests of this workspace share (tests only): random programs, shrinking, the corpus,
//! and the comparison of engines.
pub mod bp;
pub mod corpus;
pub mod random_bp;
pub mod random_ir;
pub mod rng;
pub mod style;
pub mod walk;
