//! The tests of `bdd`, one program: linking many costs more than it tells.

mod common;
mod depth;
mod exhaustive;
mod inspect;
mod limits;
mod oxidd;
mod random;
mod sift;
mod wide;
