//! `replay` against the plainest semantics there is, on random programs.

mod fig1;
mod generate;
mod naive;
mod random_certificates;
mod random_listings;
mod random_traces;
