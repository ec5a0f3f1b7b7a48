//! `replay` against the plainest semantics there is, on random programs. These are tests from within: what
//! is accepted is looked into.

mod flat;
mod generate;
mod heads;
mod naive;
mod random_certificates;
mod random_lassos;
mod random_traces;
