//! The tests of `engine-pds`, one program: linking many costs more than it tells.

mod behaviour;
mod configurations;
mod expressions;
mod repeat;
mod stacks;
mod suite;
