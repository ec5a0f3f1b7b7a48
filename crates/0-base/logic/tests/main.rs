//! The tests of `logic`, one program: linking many costs more than it tells.

mod aig;
mod subsume;
mod support;
