//! Programs in other languages and forms.
//!
//! ```
//! use asking::{Options, Watch};
//! use conversions::{Target, convert};
//! use source::SourceFile;
//! use std::sync::Arc;
//!
//! let file = Arc::new(SourceFile::new("one.bp", "void main() begin L: skip; end").unwrap());
//! let text = convert(&[file], Target::Pds, &Options::default(), &Watch::default()).unwrap();
//! assert!(text.contains("<L>"));
//! ```
//!
//! What is converted has the same labels, failing assertions and formulas without `X`; what cannot be said is
//! refused. Not for equations: those are converted in `equations`.

mod c;
mod circuit;
mod convert;
mod dot;
mod model;
mod specifications;
mod tree;

pub use circuit::binary_aiger;
pub use convert::{Stage, Target, convert, convert_with, dump};
pub use front_c::export::Encoding;
