//! The tests of `ir`, one program: linking many costs more than it tells.

mod blast;
mod deep;
mod dump;
mod layout;
mod support;
mod validate;
