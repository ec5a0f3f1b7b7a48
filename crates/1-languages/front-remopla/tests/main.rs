//! The tests of `front-remopla`, one program: linking many costs more than it tells.

mod corpus;
mod errors;
mod from_program;
mod lower;
mod pds;
mod quicksort;
mod random;
mod scale;
mod semantics;
mod soup;
mod support;
