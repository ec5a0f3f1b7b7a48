//! The tests of `front-pds`, one program: linking many costs more than it tells.

mod errors;
mod programs;
mod semantics;
mod soup;
mod support;
