//! The tests of `engine-bounded`, one program: linking many costs more than it tells.

mod common;
mod elements;
mod features;
mod fractions;
mod large;
mod operations;
mod proved;
mod random;
mod reading;
