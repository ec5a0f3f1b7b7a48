//! The tests of `rules`, one program: linking many costs more than it tells.

mod mentions;
mod rules;
