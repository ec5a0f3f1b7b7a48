//! The tests of `bes-workers`, one program: linking many costs more than it tells.

#[path = "../src/generated.rs"]
mod generated;
mod processes;
mod random;
