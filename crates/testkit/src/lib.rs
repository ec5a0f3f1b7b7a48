//! What the tests of this workspace share (tests only): random programs, shrinking, the corpus,
//! and the comparison of engines.
pub mod bp;
pub mod corpus;
pub mod differential;
pub mod from_text;
pub mod judge;
pub mod model_proof;
pub mod random_bp;
pub mod random_ir;
pub mod rng;
pub mod shrink_bp;
pub mod shrink_ir;
pub mod style;
pub mod suite;
pub mod walk;
