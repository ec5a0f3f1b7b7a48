//! The tests of `render`, one program: linking many costs more than it tells.

mod pages;
mod schema;
