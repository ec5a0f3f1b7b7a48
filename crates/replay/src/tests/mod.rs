//! `replay` against the plainest semantics there is, on random programs.

mod fig1;
mod flat;
mod generate;
mod heads;
mod naive;
mod random_certificates;
mod random_lassos;
mod random_listings;
mod random_traces;
