//! The tests of `engine-summary`, one program: linking many costs more than it tells.

mod behaviour;
mod each;
mod order;
mod suite;
