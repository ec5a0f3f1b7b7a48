//! Satisfiability of functions, by the cheapest means that decides it.
//!
//! 1. Simulation: a valuation among the 64 that every graph carries ([`Aig::word`]).
//! 2. Enumeration of all valuations, for functions of few inputs.
//! 3. The SAT solver, kept from one question to the next until most of what it holds is of no more
//!    use: a model assigns every variable that was ever loaded.

use crate::{Aig, Cadical, Clauses, Lit, SatSolver, StopFlag, Stopped, Valuation};
use rustc_hash::FxHashMap;

/// Functions of so few inputs are enumerated, if that takes no more than so many operations.
const FEW_INPUTS: usize = 14;
const FEW_OPERATIONS: usize = 100_000;
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
    /// About how many bytes its solver holds.
    pub fn bytes(&self) -> u64 {
        self.clauses.as_ref().map_or(0, Clauses::bytes)
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
        let few = inputs.len() <= FEW_INPUTS
            && cone.len() << inputs.len().saturating_sub(6) <= FEW_OPERATIONS;
        if few {
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
    let mut table = Table::new(aig, cone, inputs);
    let roots: Vec<Lit> = roots.iter().map(|&r| table.place(r)).collect();
    for block in 0..table.blocks() {
        table.simulate(block);
        let all = roots.iter().fold(mask(inputs.len()), |w, &r| w & table.word(r));
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

/// A cone laid out for simulation of all valuations of its inputs, 64 at a time.
pub(crate) struct Table {
    /// For gates, in order: literals over places.
    gates: Vec<[Lit; 2]>,
    places: FxHashMap<u32, u32>,
    /// The constant, the inputs, the gates.
    words: Vec<u64>,
    inputs: usize,
}

impl Table {
    pub(crate) fn new(aig: &Aig, cone: &[u32], inputs: &[Lit]) -> Table {
        let mut table = Table {
            gates: Vec::new(),
            places: FxHashMap::from_iter([(0, 0)]),
            words: vec![0; 1 + cone.len()],
            inputs: inputs.len(),
        };
        for input in inputs {
            let place = table.places.len() as u32;
            table.places.insert(input.node(), place);
        }
        for &node in cone {
            if let Some((a, b)) = aig.children(node) {
                table.gates.push([table.place(a), table.place(b)]);
                let place = table.places.len() as u32;
                table.places.insert(node, place);
            }
        }
        table
    }
    /// The literal over places.
    pub(crate) fn place(&self, lit: Lit) -> Lit {
        Lit::of_node(self.places[&lit.node()]).xor_sign(lit.is_complement())
    }
    pub(crate) fn blocks(&self) -> usize {
        1 << self.inputs.saturating_sub(6)
    }
    /// Computes the values under valuations `64·block ..`.
    pub(crate) fn simulate(&mut self, block: usize) {
        const LOW: [u64; 6] = [
            0xaaaa_aaaa_aaaa_aaaa,
            0xcccc_cccc_cccc_cccc,
            0xf0f0_f0f0_f0f0_f0f0,
            0xff00_ff00_ff00_ff00,
            0xffff_0000_ffff_0000,
            0xffff_ffff_0000_0000,
        ];
        for i in 0..self.inputs {
            self.words[1 + i] = match LOW.get(i) {
                Some(&low) => low,
                None if block >> (i - 6) & 1 == 1 => u64::MAX,
                None => 0,
            };
        }
        for (i, &[a, b]) in self.gates.iter().enumerate() {
            self.words[1 + self.inputs + i] = self.word(a) & self.word(b);
        }
    }
    /// The values of a literal over places.
    pub(crate) fn word(&self, place: Lit) -> u64 {
        self.words[place.node() as usize] ^ if place.is_complement() { u64::MAX } else { 0 }
    }
}
