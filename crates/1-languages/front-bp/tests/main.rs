//! The tests of `front-bp`, one program: linking many costs more than it tells.

mod corpus;
mod errors;
mod lower;
mod property;
mod scale;
mod soup;
mod syntax;
