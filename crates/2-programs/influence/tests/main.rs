//! The tests of `influence`, one program: linking many costs more than it tells.

mod c;
mod calls;
mod matching;
mod programs;
