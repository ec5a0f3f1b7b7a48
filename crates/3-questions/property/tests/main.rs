//! The tests of `property`, one program: linking many costs more than it tells.

mod atoms;
mod common;
mod mutants;
mod places;
mod products;
