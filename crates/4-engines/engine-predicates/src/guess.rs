//! Cheap invariants: many guesses, of which those stay that hold together ([houdini]).
//!
//! Guesses are bounds by numbers that the program mentions, sets of such numbers, equalities, differences and orders of
//! two variables, strides, signs. A guess that some edge breaks while all others hold is dropped, until none is.

use crate::graph::Graph;
use crate::predicates::{Literal, Pred, as_signed, mask};
use check::{Budget, Progress, StopReason};
use logic::{Cadical, Clauses, Lit, StopFlag, Valuation};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most guesses of a place.
const MOST: usize = 500;
/// Places of so few variables have guesses about all pairs of them.
const FEW: usize = 14;
/// The most variables of places about whose pairs something is guessed from samples, and the most samples.
const MANY: usize = 30;
const SAMPLES: usize = 6;

type Clause = Vec<Literal>;

/// The predicates that are worth while at each place, before anything is known.
pub(crate) fn predicates(graph: &Graph) -> Vec<Vec<Pred>> {
    let mut out = Vec::new();
    for node in &graph.nodes {
        let mut list: Vec<Pred> = Vec::new();
        let all = node.variables.len() <= FEW;
        for (of, variable) in node.variables.iter().enumerate() {
            let (width, signed) = (variable.bits.len(), variable.signed);
            if width == 1 {
                list.push(Pred::Bit { of, bit: 0 });
                continue;
            }
            for &number in variable.numbers.iter().filter(|&&n| n & !mask(width) == 0) {
                list.push(Pred::Equal { of, number });
                list.push(Pred::Most { of, number, signed });
                let below = number.wrapping_sub(1) & mask(width);
                list.push(Pred::Most { of, number: below, signed });
            }
            list.push(Pred::Equal { of, number: 0 });
            if signed {
                list.push(Pred::Most { of, number: mask(width), signed });
            }
            for b in 0..node.variables.len() {
                let other = &node.variables[b];
                let near = variable.beside.contains(&b);
                if b == of || other.bits.len() != width || !(near || all) {
                    continue;
                }
                if b > of {
                    list.push(Pred::Apart { a: of, b, number: 0 });
                }
                if near || node.variables.len() <= FEW / 2 {
                    list.push(Pred::Ordered { a: of, b, signed: signed && other.signed });
                }
            }
        }
        list.sort_unstable();
        list.dedup();
        list.truncate(4 * MOST);
        out.push(list);
    }
    out
}

/// Guesses about a place.
fn guesses(graph: &Graph, node: usize) -> Vec<Clause> {
    let node = &graph.nodes[node];
    let mut out: Vec<Clause> = Vec::new();
    let all = node.variables.len() <= FEW;
    for (of, variable) in node.variables.iter().enumerate() {
        let (width, signed) = (variable.bits.len(), variable.signed);
        if width == 1 {
            out.extend([
                vec![(Pred::Bit { of, bit: 0 }, true)],
                vec![(Pred::Bit { of, bit: 0 }, false)],
            ]);
            continue;
        }
        let mut numbers: Vec<u128> =
            variable.numbers.iter().copied().filter(|n| n & !mask(width) == 0).collect();
        numbers.push(0);
        match signed {
            true => numbers.sort_unstable_by_key(|&n| as_signed(n, width)),
            false => numbers.sort_unstable(),
        }
        numbers.dedup();
        if numbers.len() <= 40 {
            out.push(numbers.iter().map(|&number| (Pred::Equal { of, number }, true)).collect());
        }
        let half = numbers.len().min(20);
        for &number in numbers.iter().take(half).chain(numbers.iter().rev().take(half)) {
            out.push(vec![(Pred::Most { of, number, signed }, true)]);
            let below = number.wrapping_sub(1) & mask(width);
            let least = if signed { 1 << (width - 1) } else { 0 };
            if number != least {
                out.push(vec![(Pred::Most { of, number: below, signed }, false)]);
            }
        }
        for bits in 1..=3.min(width as u32) {
            for number in 0..1 << bits {
                out.push(vec![(Pred::Low { of, bits, number }, true)]);
            }
        }
        for b in 0..node.variables.len() {
            let other = &node.variables[b];
            if b == of || other.bits.len() != width || !(all || variable.beside.contains(&b)) {
                continue;
            }
            if b > of {
                out.push(vec![(Pred::Apart { a: of, b, number: 0 }, true)]);
            }
            let signed = signed && other.signed;
            out.push(vec![(Pred::Ordered { a: of, b, signed }, true)]);
            out.push(vec![(Pred::Below { a: of, b, signed }, true)]);
        }
    }
    out.sort_unstable();
    out.dedup();
    out.truncate(MOST);
    out
}

/// States that runs come to: of each place some values of its variables.
fn samples(
    graph: &Graph,
    solvers: &mut [Clauses<Cadical>],
    budget: &Budget,
) -> Result<Vec<Vec<Vec<u128>>>, StopReason> {
    let mut out: Vec<Vec<Vec<u128>>> = vec![Vec::new(); graph.nodes.len()];
    out[0].push(Vec::new());
    let support = |e: &crate::graph::Edge| {
        graph.aig.support(e.values.iter().flatten().copied().chain([e.guard]))
    };
    let supports: Vec<Vec<Lit>> = graph.edges.iter().map(support).collect();
    for _ in 0..SAMPLES {
        for (e, edge) in graph.edges.iter().enumerate() {
            if out[edge.to].len() >= SAMPLES || graph.nodes[edge.to].variables.is_empty() {
                continue;
            }
            for k in (0..out[edge.from].len()).rev().take(2) {
                budget.poll()?;
                let mut roots = vec![edge.guard];
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

/// Guesses that fit all samples of a place: linear equalities of two and three variables.
fn fitting(graph: &Graph, node: usize, samples: &[Vec<u128>]) -> Vec<Clause> {
    let variables = &graph.nodes[node].variables;
    let mut out = Vec::new();
    let Some(first) = samples.first() else { return out };
    let second = samples.get(1).unwrap_or(first);
    // Where little is known, more is guessed of few variables.
    let sums = if samples.len() > 2 { FEW } else { FEW / 2 };
    if variables.len() > MANY {
        return out;
    }
    let mut keep = |pred: Pred| {
        if samples.iter().all(|values| pred.holds(values, variables)) {
            out.push(vec![(pred, true)]);
        }
    };
    for a in 0..variables.len() {
        let width = variables[a].bits.len();
        for b in (0..variables.len()).filter(|&b| b != a) {
            if width < 4 || variables[b].bits.len() != width {
                continue;
            }
            let apart = |v: &Vec<u128>| v[a].wrapping_sub(v[b]) & mask(width);
            if a < b && apart(first) != 0 {
                keep(Pred::Apart { a, b, number: apart(first) });
            }
            let (x, y) = (second[a].wrapping_sub(first[a]), second[b].wrapping_sub(first[b]));
            let (x, y) = (as_signed(x, width), as_signed(y, width));
            if y != 0 && x != 0 && x % y == 0 && x / y != 1 && (x / y).abs() <= 4_096 {
                let by = (x / y) as u128 & mask(width);
                let number = first[a].wrapping_sub(by.wrapping_mul(first[b])) & mask(width);
                keep(Pred::Linear { a, b, by, number });
            }
            if a < b && variables.len() <= sums {
                for (c, other) in variables.iter().enumerate() {
                    if c != a && c != b && other.bits.len() == width {
                        keep(Pred::Sum { a, b, c });
                    }
                }
            }
        }
    }
    out.truncate(MOST);
    out
}

/// A guess with its functions.
struct Guess {
    clause: Clause,
    now: Lit,
    /// By edge into the place.
    next: Vec<Lit>,
}

/// The guesses that hold together; none of them if there is no time for that.
pub(crate) fn facts(
    graph: &mut Graph,
    limit: Duration,
    budget: &Budget,
) -> Result<(Vec<Vec<Clause>>, u64), StopReason> {
    let count = graph.nodes.len();
    let start = Instant::now();
    let watched = budget.clone();
    let stop: StopFlag = Arc::new(move || start.elapsed() > limit || watched.poll().is_err());
    let mut solvers: Vec<Clauses<Cadical>> =
        (0..count).map(|_| Clauses::new(stop.clone())).collect();
    let mut left: Vec<Vec<Guess>> = Vec::new();
    let into: Vec<Vec<usize>> = (0..count)
        .map(|n| (0..graph.edges.len()).filter(|&e| graph.edges[e].to == n).collect())
        .collect();
    let samples = samples(graph, &mut solvers, budget)?;
    for node in 0..count {
        let words: Vec<Vec<Lit>> =
            graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect();
        let mut list = Vec::new();
        let mut all = guesses(graph, node);
        all.retain(|clause| {
            let holds = |values: &Vec<u128>| {
                clause.iter().any(|(p, v)| p.holds(values, &graph.nodes[node].variables) == *v)
            };
            samples[node].iter().all(holds)
        });
        all.extend(fitting(graph, node, &samples[node]));
        for clause in all {
            let (aig, edges) = (&mut graph.aig, &graph.edges);
            let now = build(aig, &clause, &words);
            let next = into[node].iter().map(|&e| build(aig, &clause, &edges[e].values)).collect();
            list.push(Guess { clause, now, next });
        }
        left.push(list);
    }
    let none = || Ok((vec![Vec::new(); count], 0));
    let mut questions = 0;
    loop {
        let mut changed = false;
        for node in 0..count {
            for (k, &edge) in into[node].iter().enumerate() {
                let from = graph.edges[edge].from;
                loop {
                    if left[node].is_empty() {
                        break;
                    }
                    questions += 1;
                    let (done, total) = (questions, None);
                    budget.report(Progress { phase: "guessing", done, total });
                    budget.poll()?;
                    let all = graph.aig.and_all(left[node].iter().map(|g| g.next[k]));
                    let mut roots = vec![graph.edges[edge].guard, !all];
                    roots.extend(left[from].iter().map(|g| g.now));
                    // A conjunction need not mention all of its parts, and each is asked for its value.
                    for guess in &left[node] {
                        if solvers[from].literal(&graph.aig, guess.next[k]).is_err() {
                            budget.poll()?;
                            return none();
                        }
                    }
                    match solvers[from].solve(&graph.aig, &roots) {
                        Ok(false) => break,
                        Ok(true) => {}
                        Err(_) => {
                            budget.poll()?;
                            return none();
                        }
                    }
                    // Drops what the step breaks.
                    let solver = &mut solvers[from];
                    let before = left[node].len();
                    left[node].retain(|g| g.next[k] == Lit::TRUE || solver.value(g.next[k]));
                    changed = true;
                    if left[node].len() == before {
                        return none();
                    }
                }
            }
        }
        if !changed {
            let clauses = |list: Vec<Guess>| list.into_iter().map(|g| g.clause).collect();
            return Ok((left.into_iter().map(clauses).collect(), questions));
        }
    }
}

pub(crate) fn build(aig: &mut logic::Aig, clause: &Clause, words: &[Vec<Lit>]) -> Lit {
    let mut none = Lit::TRUE;
    for (pred, value) in clause {
        let lit = pred.build(aig, words).xor_sign(!value);
        none = aig.and(none, !lit);
    }
    !none
}
