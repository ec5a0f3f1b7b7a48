//! The tests of `lts`, one program: linking many costs more than it tells.

mod comparisons;
mod corpus;
mod influence;
mod large;
mod mcl;
mod mcrl2;
mod random;
mod text;
