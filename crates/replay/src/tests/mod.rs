//! `replay` against the plainest semantics there is, on random programs.

mod generate;
mod naive;
mod random_certificates;
mod random_traces;
