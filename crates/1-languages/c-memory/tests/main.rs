//! Where pointers point, in small programs.
mod regions;
mod sets;
