//! The tests of the facade, one program: linking many costs more than it tells.

mod asking;
mod automata_asked;
mod conversions;
mod double_frees;
mod ended;
mod juliet;
mod matching_c;
mod own_cases;
mod proofs;
mod property;
mod reached;
mod replay;
mod rule_places;
mod rules_at_once;
mod rules_with_kept;
mod seeds;
mod sequences;
mod slicing;
mod table1;
mod tool;
mod tricks;
mod values;
