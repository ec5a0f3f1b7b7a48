//! The families of programs that can be generated.

use crate::units;
use clap::{Args, Subcommand, ValueEnum};
use std::time::Duration;

#[derive(Args, Debug)]
pub(crate) struct Gen {
    #[command(subcommand)]
    pub(crate) family: FamilyArg,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", global = true)]
    pub(crate) output: Option<String>,
    /// Stop after this time (500ms, 60s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = units::duration, global = true,
        help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,
    /// Stop at this much memory (512M, 4G) [default: 3/4 of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes, global = true,
        help_heading = "Limits")]
    pub(crate) memory: Option<u64>,
    /// If there is an internal error, save the command into this folder, to repeat it
    #[arg(long, value_name = "DIR", global = true, help_heading = "Limits")]
    pub(crate) report: Option<String>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum FamilyArg {
    /// T(N) of the paper on Bebop: N levels, four variables in scope, `reach` is reachable
    BebopT {
        /// The number of levels
        #[arg(value_parser = clap::value_parser!(u32).range(1..=50_000_000))]
        n: u32,
    },
    /// A counter of BITS bits: `DONE` is reachable, `BAD` is not, the assertion holds
    Counter {
        /// The number of bits
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        bits: u32,
    },
    /// `even` and `odd` call each other on an N-bit number: `WRONG` is unreachable
    Parity {
        /// The number of bits
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        n: u32,
    },
    /// Two counters of BITS bits that move together; APART is reachable only with --bug
    Lockstep {
        /// The number of bits
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        bits: u32,
        /// With a mistake in it
        #[arg(long)]
        bug: bool,
    },
    /// Two feedback shift registers of BITS bits; APART is reachable only with --bug
    Register {
        /// The number of bits
        #[arg(value_parser = clap::value_parser!(u32).range(3..=10_000))]
        bits: u32,
        /// With a mistake in it
        #[arg(long)]
        bug: bool,
    },
    /// A recursion that counts up and down in BITS bits; APART is reachable only with --bug
    Depth {
        /// The number of bits
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        bits: u32,
        /// With a mistake in it
        #[arg(long)]
        bug: bool,
    },
    /// A shallow program with many variables; SLIC_ERROR is reachable only with --bug
    Wide {
        /// Global variables
        #[arg(long, default_value = "100", value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
        vars: u32,
        /// Procedures besides `main`
        #[arg(long, default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        procs: u32,
        /// How many of 100 assigned values are arbitrary
        #[arg(long, default_value = "20", value_parser = clap::value_parser!(u32).range(0..=100))]
        nondet: u32,
        /// Different seeds give different programs
        #[arg(long, default_value = "1")]
        seed: u64,
        /// One procedure forgets one half of a pair
        #[arg(long)]
        bug: bool,
    },
    /// Random boolean equations, a least fixpoint in CADP's format (.bes)
    Andor {
        /// Variables
        #[arg(long, default_value = "1000", value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
        vars: u32,
        /// Operands of each, on average
        #[arg(long, default_value = "3", value_parser = clap::value_parser!(u32).range(1..=1_000))]
        degree: u32,
        /// Different seeds give different systems
        #[arg(long, default_value = "1")]
        seed: u64,
    },
    /// A parity game in PGSolver's format (.pg): families on which algorithms take long
    Game {
        /// The family
        #[arg(value_enum)]
        family: GameArg,
        /// Which member: larger ones are harder
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
        size: u32,
        /// Players and parities exchange their roles
        #[arg(long)]
        dual: bool,
        /// Different seeds give different random games
        #[arg(long, default_value = "1")]
        seed: u64,
    },
    /// C in the style of SMV: functions that save, release and collect diagrams (--rule gc-variables)
    Gc {
        /// Variables of diagrams, three for each function
        #[arg(long, default_value = "180", value_parser = clap::value_parser!(u32).range(3..=1_000_000))]
        vars: u32,
        /// Program points, about
        #[arg(long, default_value = "4000", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
        points: u32,
        /// Every so many functions, each of the two mistakes is made once; 0: none
        #[arg(long, default_value = "10")]
        faulty: u32,
        /// Different seeds give different programs
        #[arg(long, default_value = "1")]
        seed: u64,
    },
    /// Quicksort in Remopla, as measured with Moped. `BAD` (an unsorted array) is unreachable
    Quicksort {
        /// The bits of each number
        #[arg(long, default_value = "3", value_parser = clap::value_parser!(u32).range(1..=32))]
        bits: u32,
        /// The cells of the array, at most 2^BITS
        #[arg(long, default_value = "4", value_parser = clap::value_parser!(u32).range(1..=65_536))]
        len: u32,
        /// The version that need not end, as it is printed in the paper; what comes out is sorted all
        /// the same
        #[arg(long)]
        faulty: bool,
        /// Any element can be the pivot, not only the last
        #[arg(long, conflicts_with = "no_array")]
        random_pivot: bool,
        /// Without the array, for questions about termination: comparisons become choices
        #[arg(long)]
        no_array: bool,
    },
}

/// Families of parity games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum GameArg {
    /// The core of the worst cases of recursion
    Core,
    /// The same, where components do not help
    Robust,
    /// Against priority promotion that is delayed
    Delayed,
    /// Against priority promotion
    Promotion,
    /// Two counters that hinder each other: against attractors
    TwoCounters,
    /// Against progress measures of quasi-polynomial size
    Measures,
    /// Against the recovery of regions
    Recovery,
    /// Tangles that distract
    Distraction,
    /// Every vertex has a move to every other one
    Clique,
    /// A ladder of two priorities
    Ladder,
    /// A ladder on which recursion branches
    RecursiveLadder,
    /// Against small progress measures
    Jurdzinski,
    /// SIZE vertices at random, up to three moves each
    Random,
}
