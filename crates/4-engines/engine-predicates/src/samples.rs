//! States that runs come to, to guess from: a few by a solver, many by executing blocks on arbitrary inputs, 64 at a
//! time. They are true of some runs, and prove nothing: a guess that one of them breaks is none.

use crate::graph::{Call, Edge, Graph};
use check::{Budget, StopReason};
use logic::{Cadical, Clauses, Lit, Valuation};
use rustc_hash::FxHashSet;

/// The most states of a place: by a solver, and in all.
const SOLVED: usize = 6;
const EXECUTED: usize = 160;
/// Rounds of execution, and formulas that they may take together.
const ROUNDS: usize = 48;
const GATES: usize = 60_000_000;

/// Of each place the values of its variables on some runs.
pub(crate) type Samples = Vec<Vec<Vec<u128>>>;

/// Numbers that look arbitrary, the same each time.
struct Arbitrary(u64);

impl Arbitrary {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A bit for each of 64 runs, of a word that is 0 on some of them: which ones, and which bit of it this is. Half of
    /// the runs have small numbers.
    fn bits(&mut self, some: u64, bit: usize) -> u64 {
        let small = if bit < 3 { u64::MAX } else { u64::MAX << 32 };
        self.next() & some & small
    }
}

/// States that runs come to.
pub(crate) fn samples(
    graph: &Graph,
    solvers: &mut [Clauses<Cadical>],
    budget: &Budget,
) -> Result<Samples, StopReason> {
    let mut out = solved(graph, solvers, budget)?;
    execute(graph, &mut out, budget)?;
    Ok(out)
}

fn solved(
    graph: &Graph,
    solvers: &mut [Clauses<Cadical>],
    budget: &Budget,
) -> Result<Samples, StopReason> {
    let mut out: Samples = vec![Vec::new(); graph.nodes.len()];
    out[0].push(Vec::new());
    let support = |e: &Edge| graph.aig.support(e.values.iter().flatten().copied().chain([e.guard]));
    let supports: Vec<Vec<Lit>> = graph.edges.iter().map(support).collect();
    for _ in 0..SOLVED {
        for (e, edge) in graph.edges.iter().enumerate() {
            if out[edge.to].len() >= SOLVED || graph.nodes[edge.to].variables.is_empty() {
                continue;
            }
            for k in (0..out[edge.from].len()).rev().take(2) {
                budget.poll()?;
                let mut roots = vec![edge.guard];
                // What calls give is looked up when blocks are executed.
                roots.extend(graph.nodes[edge.from].calls.iter().map(|c| !c.when));
                let words = graph.nodes[edge.from].variables.iter();
                for (variable, &value) in words.zip(&out[edge.from][k]) {
                    let bits = variable.bits.iter().enumerate();
                    roots.extend(bits.map(|(i, &l)| l.xor_sign(value >> i & 1 == 0)));
                }
                let solver = &mut solvers[edge.from];
                if !matches!(solver.solve(&graph.aig, &roots), Ok(true)) {
                    continue;
                }
                let mut valuation = Valuation::new();
                supports[e].iter().for_each(|&l| valuation.set(l, solver.value(l)));
                let mut number = |bits: &Vec<Lit>| {
                    let bit =
                        |(i, &l): (usize, &Lit)| u128::from(valuation.get(&graph.aig, l)) << i;
                    bits.iter().enumerate().map(bit).sum()
                };
                let values: Vec<u128> = edge.values.iter().map(&mut number).collect();
                if !out[edge.to].contains(&values) {
                    out[edge.to].push(values);
                }
            }
        }
    }
    Ok(out)
}

/// Adds states by execution.
fn execute(graph: &Graph, out: &mut Samples, budget: &Budget) -> Result<(), StopReason> {
    let mut seen: Vec<FxHashSet<Vec<u128>>> =
        out.iter().map(|list| list.iter().cloned().collect()).collect();
    let leaving = |node: usize| graph.edges.iter().filter(move |e| e.from == node);
    let roots = |e: &Edge| e.values.iter().flatten().copied().chain([e.guard]).collect::<Vec<_>>();
    let passing = |node: usize| {
        let calls = graph.nodes[node].calls.iter();
        calls.flat_map(|c| c.values.iter().flatten().copied().chain([c.when]))
    };
    let cone = |node: usize| graph.aig.cone(leaving(node).flat_map(roots).chain(passing(node)));
    let cones: Vec<Vec<u32>> = (0..graph.nodes.len()).map(cone).collect();
    let mut words = vec![0u64; graph.aig.len()];
    let mut arbitrary = Arbitrary(0x9e37_79b9_7f4a_7c15);
    let mut gates = 0;
    for _ in 0..ROUNDS {
        let mut new = false;
        for node in 0..graph.nodes.len() {
            let full = leaving(node).all(|e| out[e.to].len() >= EXECUTED);
            if out[node].is_empty() || full {
                continue;
            }
            gates += cones[node].len();
            if gates > GATES {
                return Ok(());
            }
            budget.poll()?;
            // Half of the runs start at what was found last.
            let count = out[node].len();
            let late = count - (count.div_ceil(4)).max(1).min(count);
            let starts: Vec<usize> = (0..64)
                .map(|run| {
                    let any = arbitrary.next() as usize;
                    if run % 2 == 0 { late + any % (count - late) } else { any % count }
                })
                .collect();
            // Words are inputs one after the other.
            let (mut some, mut bit, mut last) = (0, 0, 0);
            for lit in graph.aig.inputs_of(&cones[node]) {
                if lit.node() != last + 1 || bit == 32 {
                    (some, bit) = (arbitrary.next(), 0);
                }
                words[lit.node() as usize] = arbitrary.bits(some, bit);
                (bit, last) = (bit + 1, lit.node());
            }
            set(graph, node, &starts, &out[node], &mut words);
            compute(graph, &cones[node], &mut words);
            let mut real = u64::MAX;
            for call in &graph.nodes[node].calls {
                real &= give(graph, call, &out[call.node], &mut words, &mut arbitrary);
                gates += cones[node].len();
                compute(graph, &cones[node], &mut words);
            }
            for edge in leaving(node) {
                let mut taken = value(&words, edge.guard) & real;
                while taken != 0 && out[edge.to].len() < EXECUTED {
                    let run = taken.trailing_zeros();
                    taken &= taken - 1;
                    let number = |bits: &Vec<Lit>| {
                        let bit =
                            |(i, &l): (usize, &Lit)| u128::from(value(&words, l) >> run & 1) << i;
                        bits.iter().enumerate().map(bit).sum()
                    };
                    let values: Vec<u128> = edge.values.iter().map(number).collect();
                    if seen[edge.to].insert(values.clone()) {
                        out[edge.to].push(values);
                        new = true;
                    }
                }
            }
        }
        if !new {
            break;
        }
    }
    Ok(())
}

fn compute(graph: &Graph, cone: &[u32], words: &mut [u64]) {
    for &n in cone {
        if let Some((a, b)) = graph.aig.children(n) {
            words[n as usize] = value(words, a) & value(words, b);
        }
    }
}

/// Gives the runs that pass a call what it gave to another run that called it with the same. The runs of which
/// something is known.
fn give(
    graph: &Graph,
    call: &Call,
    known: &[Vec<u128>],
    words: &mut [u64],
    arbitrary: &mut Arbitrary,
) -> u64 {
    let mut passing = value(words, call.when);
    let mut real = !passing;
    let count = known.len();
    while passing != 0 && count > 0 {
        let run = passing.trailing_zeros();
        passing &= passing - 1;
        let number = |words: &[u64], bits: &Vec<Lit>| -> u128 {
            let bit = |(i, &l): (usize, &Lit)| u128::from(value(words, l) >> run & 1) << i;
            bits.iter().enumerate().map(bit).sum()
        };
        let asked: Vec<Option<u128>> = (call.values.iter().zip(&call.given))
            .map(|(bits, given)| (!given).then(|| number(words, bits)))
            .collect();
        let fits = |state: &Vec<u128>| {
            asked.iter().zip(state).all(|(asked, is)| asked.is_none_or(|asked| asked == *is))
        };
        // Another place to start from each time, so that all answers of a call are seen.
        let first = arbitrary.next() as usize % count;
        let found = (0..count).map(|k| &known[(first + k) % count]).find(|state| fits(state));
        let Some(state) = found else { continue };
        real |= 1 << run;
        for (v, bits) in call.values.iter().enumerate().filter(|(v, _)| call.given[*v]) {
            for (i, lit) in bits.iter().enumerate() {
                let word = &mut words[lit.node() as usize];
                let bit = u64::from((state[v] >> i & 1 == 1) != lit.is_complement());
                *word = *word & !(1 << run) | bit << run;
            }
        }
    }
    debug_assert!(graph.nodes[call.node].variables.len() == call.values.len());
    real
}

fn value(words: &[u64], lit: Lit) -> u64 {
    let word = words[lit.node() as usize];
    if lit.is_complement() { !word } else { word }
}

/// Gives the variables of a place the values of the states at which runs start.
fn set(graph: &Graph, node: usize, starts: &[usize], states: &[Vec<u128>], words: &mut [u64]) {
    for (v, variable) in graph.nodes[node].variables.iter().enumerate() {
        for (i, lit) in variable.bits.iter().enumerate() {
            let bit = |(run, &k): (usize, &usize)| u64::from(states[k][v] >> i & 1 == 1) << run;
            words[lit.node() as usize] = starts.iter().enumerate().map(bit).sum();
        }
    }
}
