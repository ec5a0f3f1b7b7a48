//! What the engines made of formulas share: which bits a symbolic state consists of ([`Context`]),
//! relations of a program applied to vectors of functions ([`Applied`]), completed calls of traces ([`Calls`]), and
//! what a run holds of its budget's memory ([`Account`]).
//!
//! Not for: searching (`engine-sat`, `engine-pdr`), nor diagrams (`symbolic`).

mod account;
mod calls;
mod relate;
mod scope;

pub use account::Account;
pub use calls::{Calls, Taken, Unfinished};
pub use relate::{Applied, Before, Role, condition};
pub use scope::{Bits, Context};
