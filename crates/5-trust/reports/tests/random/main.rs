//! Listings against the plainest semantics there is, on random programs.
#![allow(dead_code)]

mod fig1;
#[path = "../../../replay/tests/random/flat.rs"]
mod flat;
#[path = "../../../replay/tests/random/generate.rs"]
mod generate;
#[path = "../../../replay/tests/random/heads.rs"]
mod heads;
#[path = "../../../replay/tests/random/naive.rs"]
mod naive;
mod random_lassos;
mod random_listings;
