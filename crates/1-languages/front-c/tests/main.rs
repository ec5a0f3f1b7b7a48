//! The tests of `front-c`, one program: linking many costs more than it tells.

mod accesses;
mod corpus;
mod export;
mod function_pointers;
mod lower;
mod preprocess;
mod property;
mod skeleton;
mod smv;
mod syntax;
