//! The tests of `engine-sat`, one program: linking many costs more than it tells.

mod behaviour;
mod differential;
mod languages;
mod lassos;
mod suite;
