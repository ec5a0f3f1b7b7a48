//! One binary for all tests.

mod behaviour;
mod differential;
mod measure;
mod suite;
