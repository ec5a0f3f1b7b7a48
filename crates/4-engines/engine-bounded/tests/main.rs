//! The tests of `engine-bounded`, one program: linking many costs more than it tells.

mod common;
mod features;
mod fractions;
mod large;
mod operations;
mod elements;
mod proved;
mod random;
mod reading;
