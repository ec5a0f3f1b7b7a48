//! Pushdown systems.

mod errors;
mod programs;
mod semantics;
mod soup;
mod support;
