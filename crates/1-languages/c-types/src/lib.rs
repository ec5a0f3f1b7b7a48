//! C's types: how wide they are, where members lie, what conversions keep, and what operators compute.
//!
//! Nobody else in the house knows these rules: the front end asks here what type an expression has and
//! what a constant is worth, and so do the rooms that execute C.
//!
//! ```
//! use c_types::{Binary, Int, Model, Scalar, Value, binary};
//!
//! let model = Model::LP64;
//! // `unsigned char c = 300;`
//! let c = Value::int(300).convert(Scalar::Int(Int::new(8, false)), &model).unwrap();
//! assert_eq!(c.number(), 44);
//! // `(unsigned)1 - 2 > 0`
//! let unsigned = Scalar::Int(Int::new(32, false));
//! let one = Value::int(1).convert(unsigned, &model).unwrap();
//! let difference = binary(Binary::Sub, one, Value::int(2), &model).unwrap();
//! assert_eq!(difference.number(), u32::MAX.into());
//! assert_eq!(binary(Binary::Gt, difference, Value::int(0), &model).unwrap().number(), 1);
//! ```
//!
//! [`Types`] is the table of all types of a program, with layouts as gcc's ([`Types::complete`]); [`Scalar`] is
//! the small part of it that skeletons need.
//!
//! Not for values with a fraction: they have a type here and no value. What the standard leaves undefined (an overflow of a signed type, a
//! division by zero, a shift by too much) has no value either.

mod layout;
mod literal;
mod model;
mod scalar;
mod types;
mod value;

pub use layout::{Found, Member, MemberSpec, Parts, Record, RecordNo, RecordSpec};
pub use literal::literal;
pub use model::Model;
pub use scalar::{Int, Scalar, usual};
pub use types::{
    EnumNo, Enumeration, FloatKind, IntKind, Kind, Length, Signature, Ty, Types, arithmetic_named,
};
pub use value::{Binary, Unary, Value, binary, unary};
