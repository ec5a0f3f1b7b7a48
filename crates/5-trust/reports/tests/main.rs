//! The tests of `reports`, one program: linking many costs more than it tells.

mod listings;
