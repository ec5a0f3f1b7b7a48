//! The tests of `front-remopla`, one program: linking many costs more than it tells.

mod corpus;
mod errors;
mod from_program;
mod lower;
mod quicksort;
mod scale;
mod semantics;
mod soup;
mod support;
