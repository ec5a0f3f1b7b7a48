//! The tests of `automata`, one program: linking many costs more than it tells.

mod common;
mod differential;
mod families;
mod hoa;
mod limits;
mod ltl;
mod suffix;
mod tables;
