//! The tests of `engine-explicit`, one program: linking many costs more than it tells.

mod common;
mod definition;
mod limits;
mod model;
mod oracle;
mod plain;
mod repeat;
mod shortest;
mod suite;
