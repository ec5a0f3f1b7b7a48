//! The tests of `replay`, one program: linking many costs more than it tells.

mod certificates;
mod common;
mod lassos;
mod size;
mod traces;
