//! The tests of `testkit`, one program: linking many costs more than it tells.

mod faults;
mod ltl;
mod random_c;
