//! The tests of `bes`, one program: linking many costs more than it tells.

mod corpus;
mod games;
mod large;
mod random;
mod text;
