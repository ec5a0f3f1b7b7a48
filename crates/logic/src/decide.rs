//! Satisfiability of functions, by the cheapest means that decides it.
//!
//! 1. Simulation: a valuation among the 64 that every graph carries ([`Aig::word`]).
//! 2. Enumeration of all valuations, for functions of few inputs.
//! 3. The SAT solver, kept from one question to the next until most of what it holds is of no more
//!    use: a model assigns every variable that was ever loaded.

use crate::{Aig, Cadical, Clauses, Lit, SatSolver, StopFlag, Stopped, Valuation};
use rustc_hash::FxHashMap;

/// Functions of so many inputs are enumerated.
const FEW_INPUTS: usize = 8;
/// Variables that a solver may hold in any case.
const SPARE: usize = 5_000;

/// What deciding took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DecideStats {
    /// Questions.
    pub questions: u64,
    /// Those decided by simulation.
    pub simulated: u64,
    /// Those decided by enumeration.
    pub enumerated: u64,
    /// Calls of the SAT solver.
    pub sat_calls: u64,
}

/// Decides questions about one graph.
pub struct Decider<S = Cadical> {
    stop: StopFlag,
    clauses: Option<Clauses<S>>,
    /// What it took so far.
    pub stats: DecideStats,
}

impl<S> std::fmt::Debug for Decider<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decider").field("stats", &self.stats).finish_non_exhaustive()
    }
}

/// How a question was answered.
enum Found {
    No,
    /// By the valuation at this bit of the graph's words.
    Word(u32),
    /// By this valuation of the inputs.
    Few(Vec<Lit>, usize),
    /// By the solver.
    Solver(Vec<Lit>),
}

impl<S: SatSolver> Decider<S> {
    /// A decider that stops when the flag says so.
    pub fn new(stop: StopFlag) -> Self {
        Decider { stop, clauses: None, stats: DecideStats::default() }
    }
    /// The flag.
    pub fn stop_flag(&self) -> &StopFlag {
        &self.stop
    }
    /// To be called when the graph's literals have changed ([`Aig::collect`]).
    pub fn forget(&mut self) {
        self.clauses = None;
    }

    /// Whether the functions can hold together.
    pub fn satisfiable(&mut self, aig: &Aig, roots: &[Lit]) -> Result<bool, Stopped> {
        Ok(!matches!(self.decide(aig, roots)?, Found::No))
    }

    /// A valuation under which all the functions hold.
    pub fn model(&mut self, aig: &Aig, roots: &[Lit]) -> Result<Option<Valuation>, Stopped> {
        let mut out = Valuation::new();
        match self.decide(aig, roots)? {
            Found::No => return Ok(None),
            Found::Word(bit) => {
                for input in aig.support(roots.iter().copied()) {
                    out.set(input, aig.word(input) >> bit & 1 == 1);
                }
            }
            Found::Few(inputs, valuation) => {
                for (i, input) in inputs.into_iter().enumerate() {
                    out.set(input, valuation >> i & 1 == 1);
                }
            }
            Found::Solver(inputs) => {
                let clauses = self.clauses.as_mut().expect("the solver that answered");
                for input in inputs {
                    out.set(input, clauses.value(input));
                }
            }
        }
        Ok(Some(out))
    }

    fn decide(&mut self, aig: &Aig, roots: &[Lit]) -> Result<Found, Stopped> {
        self.stats.questions += 1;
        let word = roots.iter().fold(u64::MAX, |w, &r| w & aig.word(r));
        if word != 0 {
            self.stats.simulated += 1;
            return Ok(Found::Word(word.trailing_zeros()));
        }
        if roots.contains(&Lit::FALSE) {
            return Ok(Found::No);
        }
        let cone = aig.cone(roots.iter().copied());
        let inputs: Vec<Lit> = aig.inputs_of(&cone).collect();
        if inputs.len() <= FEW_INPUTS {
            self.stats.enumerated += 1;
            let found = enumerate(aig, &cone, &inputs, roots);
            return Ok(found.map_or(Found::No, |v| Found::Few(inputs, v)));
        }
        if self.clauses.as_ref().is_some_and(|c| c.len() > SPARE + 3 * cone.len()) {
            self.clauses = None;
        }
        self.stats.sat_calls += 1;
        let stop = &self.stop;
        let clauses = self.clauses.get_or_insert_with(|| Clauses::new(stop.clone()));
        Ok(if clauses.solve(aig, roots)? { Found::Solver(inputs) } else { Found::No })
    }
}

/// The first valuation of the inputs (bit `i` of the number is that of input `i`) that makes all
/// roots true.
fn enumerate(aig: &Aig, cone: &[u32], inputs: &[Lit], roots: &[Lit]) -> Option<usize> {
    let blocks = 1usize << inputs.len().saturating_sub(6);
    let mut words: FxHashMap<u32, u64> = FxHashMap::default();
    for block in 0..blocks {
        simulate(aig, cone, inputs, block, &mut words);
        let all = roots.iter().fold(mask(inputs.len()), |w, &r| w & word_of(&words, r));
        if all != 0 {
            return Some(block * 64 + all.trailing_zeros() as usize);
        }
    }
    None
}

/// The bits of a word that stand for valuations of so many inputs.
pub(crate) fn mask(inputs: usize) -> u64 {
    if inputs >= 6 { u64::MAX } else { (1 << (1 << inputs)) - 1 }
}

/// The values of the cone under valuations `64·block ..` of the inputs.
pub(crate) fn simulate(
    aig: &Aig,
    cone: &[u32],
    inputs: &[Lit],
    block: usize,
    words: &mut FxHashMap<u32, u64>,
) {
    const LOW: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    words.insert(0, 0);
    for (i, input) in inputs.iter().enumerate() {
        let word = match LOW.get(i) {
            Some(&low) => low,
            None if block >> (i - 6) & 1 == 1 => u64::MAX,
            None => 0,
        };
        words.insert(input.node(), word);
    }
    for &node in cone {
        if let Some((a, b)) = aig.children(node) {
            let word = word_of(words, a) & word_of(words, b);
            words.insert(node, word);
        }
    }
}

pub(crate) fn word_of(words: &FxHashMap<u32, u64>, lit: Lit) -> u64 {
    words[&lit.node()] ^ if lit.is_complement() { u64::MAX } else { 0 }
}
