//! Small graphs, searched, and compared with all of their states.

mod calls;
mod ending;

use check::Budget;
use engine_predicates::{
    Bad, Edge, Graph, Literal, Node, Pred, Proof, Proved, Refusal, Variable, check, guess, prove,
    shrink,
};
use logic::{Aig, Lit, Valuation};
use std::collections::BTreeSet;

/// Bits of a variable.
const BITS: usize = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

fn number(n: usize) -> Vec<Lit> {
    (0..BITS).map(|i| Lit::constant(n >> i & 1 == 1)).collect()
}

fn add(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let mut carry = Lit::FALSE;
    let mut out = Vec::new();
    for (&x, &y) in a.iter().zip(b) {
        let half = aig.xor(x, y);
        out.push(aig.xor(half, carry));
        let (p, q) = (aig.and(x, y), aig.and(half, carry));
        carry = aig.or(p, q);
    }
    out
}

/// A condition on the words of a place.
fn condition(aig: &mut Aig, random: &mut Random, words: &[Vec<Lit>], inputs: &[Lit]) -> Lit {
    let mut out = Lit::TRUE;
    for _ in 0..1 + random.below(2) {
        let next = if words.is_empty() || random.below(3) == 0 {
            inputs[random.below(inputs.len())]
        } else {
            let (a, b) = (random.below(words.len()), random.below(words.len()));
            let other =
                if random.below(2) == 0 { number(random.below(8)) } else { words[b].clone() };
            aig.equal(&words[a], &other)
        };
        out = aig.and(out, next.xor_sign(random.below(2) == 0));
    }
    out
}

fn word(aig: &mut Aig, random: &mut Random, words: &[Vec<Lit>], inputs: &[Lit]) -> Vec<Lit> {
    if words.is_empty() || random.below(4) == 0 {
        return number(random.below(8));
    }
    let a = words[random.below(words.len())].clone();
    match random.below(4) {
        0 => a,
        1 => add(aig, &a, &number(1 + random.below(3))),
        2 => {
            let b = words[random.below(words.len())].clone();
            let sum = add(aig, &a, &b);
            let input = inputs[random.below(inputs.len())];
            sum.iter().zip(&a).map(|(&x, &y)| aig.ite(input, x, y)).collect()
        }
        _ => a.iter().map(|&l| aig.and(l, inputs[0])).collect(),
    }
}

/// A graph of two places behind the start, of two words each, and two inputs.
fn graph(random: &mut Random) -> (Graph, Vec<Bad>, Vec<Lit>) {
    let mut aig = Aig::new();
    let inputs: Vec<Lit> = (0..2).map(|_| aig.input()).collect();
    let mut nodes = vec![Node::default()];
    for name in ["p", "q"] {
        let variable = |aig: &mut Aig, name: &str, random: &mut Random| Variable {
            name: name.to_owned(),
            bits: (0..BITS).map(|_| aig.input()).collect(),
            signed: random.below(2) == 0,
            numbers: vec![random.below(8) as u128, random.below(8) as u128],
            beside: vec![],
        };
        let variables = vec![variable(&mut aig, "x", random), variable(&mut aig, "y", random)];
        nodes.push(Node { name: name.to_owned(), variables, ..Node::default() });
    }
    let words = |nodes: &[Node], n: usize| -> Vec<Vec<Lit>> {
        nodes[n].variables.iter().map(|v| v.bits.clone()).collect()
    };
    let mut edges = Vec::new();
    for (from, to) in [(0, 1), (1, 1), (1, 2), (2, 2), (2, 1)] {
        let at = words(&nodes, from);
        let guard = condition(&mut aig, random, &at, &inputs);
        let values = (0..2).map(|_| word(&mut aig, random, &at, &inputs)).collect();
        edges.push(Edge { from, to, guard, values });
    }
    let mut bads = Vec::new();
    for node in 1..3 {
        let at = words(&nodes, node);
        let x = aig.equal(&at[0], &number(random.below(8)));
        let y = aig.equal(&at[1], &number(random.below(8)));
        bads.push(Bad { node, guard: aig.and(x, y) });
    }
    (Graph { aig, nodes, edges }, bads, inputs)
}

/// Sets the bits of words and inputs.
fn valuation(graph: &Graph, node: usize, state: &[u128], inputs: (&[Lit], usize)) -> Valuation {
    let mut out = Valuation::new();
    for (variable, value) in graph.nodes[node].variables.iter().zip(state) {
        variable.bits.iter().enumerate().for_each(|(i, &l)| out.set(l, value >> i & 1 == 1));
    }
    inputs.0.iter().enumerate().for_each(|(i, &l)| out.set(l, inputs.1 >> i & 1 == 1));
    out
}

fn steps(graph: &Graph, inputs: &[Lit], node: usize, state: &[u128]) -> Vec<(usize, Vec<u128>)> {
    let mut out = Vec::new();
    for choice in 0..1 << inputs.len() {
        for edge in graph.edges.iter().filter(|e| e.from == node) {
            let mut v = valuation(graph, node, state, (inputs, choice));
            if !v.get(&graph.aig, edge.guard) {
                continue;
            }
            let mut word = |bits: &Vec<Lit>| {
                let bit = |(i, &l): (usize, &Lit)| u128::from(v.get(&graph.aig, l)) << i;
                bits.iter().enumerate().map(bit).sum::<u128>()
            };
            out.push((edge.to, edge.values.iter().map(&mut word).collect()));
        }
    }
    out
}

fn is_bad(graph: &Graph, bads: &[Bad], inputs: &[Lit], node: usize, state: &[u128]) -> bool {
    let here = bads.iter().filter(|b| b.node == node);
    here.into_iter().any(|bad| {
        let at =
            |choice| valuation(graph, node, state, (inputs, choice)).get(&graph.aig, bad.guard);
        (0..1 << inputs.len()).any(at)
    })
}

/// Whether something bad is reached, by all states.
fn reached(graph: &Graph, bads: &[Bad], inputs: &[Lit]) -> bool {
    let mut seen: BTreeSet<(usize, Vec<u128>)> = BTreeSet::new();
    let mut todo = vec![(0, Vec::new())];
    while let Some((node, state)) = todo.pop() {
        if !seen.insert((node, state.clone())) {
            continue;
        }
        if is_bad(graph, bads, inputs, node, &state) {
            return true;
        }
        todo.extend(steps(graph, inputs, node, &state));
    }
    false
}

fn holds(graph: &Graph, proof: &Proof, node: usize, state: &[u128]) -> bool {
    let variables = &graph.nodes[node].variables;
    let clause = |c: &Vec<Literal>| c.iter().any(|(p, v)| p.holds(state, variables) == *v);
    proof.clauses[node].iter().all(clause)
}

/// Whether a proof is one, by all states.
fn is_proof(graph: &Graph, bads: &[Bad], inputs: &[Lit], proof: &Proof) -> bool {
    for node in 0..graph.nodes.len() {
        let count = if node == 0 { 1 } else { 64 };
        for k in 0..count {
            let state: Vec<u128> = if node == 0 { vec![] } else { vec![k & 7, k >> 3] };
            if !holds(graph, proof, node, &state) {
                continue;
            }
            let broken = |(to, next): (usize, Vec<u128>)| !holds(graph, proof, to, &next);
            if is_bad(graph, bads, inputs, node, &state)
                || steps(graph, inputs, node, &state).into_iter().any(broken)
            {
                return false;
            }
        }
    }
    true
}

fn literal(random: &mut Random) -> Literal {
    let (of, n) = (random.below(2), random.below(8) as u128);
    let signed = random.below(2) == 0;
    let pred = match random.below(8) {
        0 => Pred::Bit { of, bit: random.below(3) as u32 },
        1 => Pred::Equal { of, number: n },
        2 => Pred::Most { of, number: n, signed },
        3 => Pred::Low { of, bits: 2, number: n & 3 },
        4 => Pred::Apart { a: 0, b: 1, number: n },
        5 => Pred::Gap { a: of, b: 1 - of, number: n, signed },
        6 => Pred::Linear { a: 0, b: 1, by: random.below(8) as u128, number: n },
        _ => Pred::Ordered { a: of, b: 1 - of, signed },
    };
    (pred, random.below(2) == 0)
}

/// Another proof, or none.
fn damaged(proof: &Proof, random: &mut Random) -> Proof {
    let mut out = proof.clone();
    for _ in 0..1 + random.below(2) {
        let node = 1 + random.below(2);
        let clauses = &mut out.clauses[node];
        match random.below(5) {
            0 if !clauses.is_empty() => {
                clauses.remove(random.below(clauses.len()));
            }
            1 if !clauses.is_empty() => {
                let clause = random.below(clauses.len());
                clauses[clause].push(literal(random));
            }
            2 if !clauses.is_empty() => {
                let clause = random.below(clauses.len());
                if let Some(l) = clauses[clause].first_mut() {
                    l.1 = !l.1;
                }
            }
            3 if !clauses.is_empty() => {
                let clause = random.below(clauses.len());
                clauses[clause].pop();
            }
            _ => clauses.push(vec![literal(random)]),
        }
    }
    out
}

#[test]
fn the_search_knows_what_all_states_know() {
    let budget = Budget::unlimited();
    let (mut safe, mut runs, mut refused) = (0, 0, 0);
    let mut random = Random(0x5eed_1234_abcd_0001);
    for round in 0..400 {
        let (mut g, bads, inputs) = graph(&mut random);
        let expected = reached(&g, &bads, &inputs);
        match prove(&mut g, &bads, &budget).0 {
            Proved::Safe(proof) => {
                assert!(!expected, "round {round}: it is reached");
                safe += 1;
                assert!(is_proof(&g, &bads, &inputs, &proof), "round {round}");
                assert_eq!(check(&mut g, &bads, &proof, &budget), Ok(()), "round {round}");
                let small = shrink(&mut g, &bads, &proof, &budget).unwrap();
                assert!(is_proof(&g, &bads, &inputs, &small), "round {round}: smaller");
                // What is damaged is a proof if and only if all states say so.
                for _ in 0..10 {
                    let other = damaged(&small, &mut random);
                    let right = is_proof(&g, &bads, &inputs, &other);
                    let found = check(&mut g, &bads, &other, &budget);
                    assert_eq!(found.is_ok(), right, "round {round}: {other:?}");
                    refused += usize::from(!right);
                }
            }
            Proved::Run(run) => {
                assert!(expected, "round {round}: it is not reached");
                runs += 1;
                // The run is one.
                let mut node = 0;
                for (step, valuation) in run.inputs.iter().enumerate() {
                    let mut v = valuation.clone();
                    match run.edges.get(step) {
                        Some(&e) => {
                            assert_eq!(g.edges[e].from, node, "round {round}");
                            assert!(v.get(&g.aig, g.edges[e].guard), "round {round}");
                            node = g.edges[e].to;
                        }
                        None => {
                            assert_eq!(bads[run.bad].node, node, "round {round}");
                            assert!(v.get(&g.aig, bads[run.bad].guard), "round {round}");
                        }
                    }
                }
            }
            Proved::Unknown(reason) => panic!("round {round}: {reason}"),
        }
        // Guesses prove less, and nothing that is wrong.
        if let Proved::Safe(proof) = guess(&mut g, &bads, &budget).0 {
            assert!(!expected && is_proof(&g, &bads, &inputs, &proof), "round {round}: guessed");
        }
    }
    assert!(safe > 60 && runs > 60, "{safe} safe, {runs} runs");
    assert!(refused > 300, "{refused} refused");
}

#[test]
fn what_is_about_something_else_is_refused() {
    let budget = Budget::unlimited();
    let mut random = Random(7);
    let (mut g, bads, _) = graph(&mut random);
    let wrong = |g: &mut Graph, clauses: Vec<Vec<Vec<Literal>>>| {
        matches!(check(g, &bads, &Proof { clauses }, &budget), Err(Refusal::Wrong(_)))
    };
    assert!(wrong(&mut g, vec![vec![], vec![]]), "a place is missing");
    let none = vec![];
    let at_start = vec![vec![vec![]], none.clone(), none.clone()];
    assert!(wrong(&mut g, at_start), "the start is said not to be there");
    for pred in [
        Pred::Bit { of: 0, bit: 3 },
        Pred::Equal { of: 2, number: 0 },
        Pred::Equal { of: 0, number: 8 },
        Pred::Most { of: 0, number: 99, signed: true },
        Pred::Sum { a: 0, b: 1, c: 2 },
        Pred::Low { of: 0, bits: 4, number: 0 },
    ] {
        let clauses = vec![none.clone(), vec![vec![(pred, true)]], none.clone()];
        assert!(wrong(&mut g, clauses), "{pred:?}");
    }
}

#[test]
fn predicates_mean_the_same_as_formulas_on_numbers_and_in_words() {
    let mut aig = Aig::new();
    let variable = |aig: &mut Aig, name: &str, signed: bool| Variable {
        name: name.to_owned(),
        bits: (0..BITS).map(|_| aig.input()).collect(),
        signed,
        numbers: vec![],
        beside: vec![],
    };
    let variables = vec![
        variable(&mut aig, "a", true),
        variable(&mut aig, "b", true),
        variable(&mut aig, "c", false),
    ];
    let words: Vec<Vec<Lit>> = variables.iter().map(|v| v.bits.clone()).collect();
    let mut preds = Vec::new();
    for number in 0..8 {
        preds.push(Pred::Equal { of: 0, number });
        preds.push(Pred::Most { of: 0, number, signed: true });
        preds.push(Pred::Most { of: 0, number, signed: false });
        preds.push(Pred::Apart { a: 0, b: 1, number });
        preds.push(Pred::Gap { a: 0, b: 1, number, signed: true });
        preds.push(Pred::Gap { a: 1, b: 2, number, signed: false });
        preds.extend((0..8).map(|by| Pred::Linear { a: 0, b: 1, by, number }));
    }
    for signed in [false, true] {
        preds.push(Pred::Ordered { a: 0, b: 1, signed });
        preds.push(Pred::Below { a: 0, b: 1, signed });
    }
    preds.extend((0..4).map(|number| Pred::Low { of: 1, bits: 2, number }));
    preds.extend([Pred::Bit { of: 0, bit: 2 }, Pred::Sum { a: 0, b: 1, c: 2 }]);
    for pred in preds {
        assert!(pred.fits(&variables), "{pred:?}");
        let lit = pred.build(&mut aig, &words);
        for k in 0..512u128 {
            let values = [k & 7, k >> 3 & 7, k >> 6];
            let mut v = Valuation::new();
            for (word, value) in words.iter().zip(values) {
                word.iter().enumerate().for_each(|(i, &l)| v.set(l, value >> i & 1 == 1));
            }
            let expected = pred.holds(&values, &variables);
            assert_eq!(v.get(&aig, lit), expected, "{pred:?} of {values:?}");
        }
    }
    let text = |pred: Pred, holds| pred.text(holds, &variables);
    assert_eq!(text(Pred::Most { of: 0, number: 7, signed: true }, false), "a > -1");
    assert_eq!(text(Pred::Most { of: 2, number: 7, signed: false }, true), "c <= 7");
    assert_eq!(text(Pred::Linear { a: 0, b: 1, by: 7, number: 3 }, true), "a + b == 3");
    assert_eq!(text(Pred::Linear { a: 0, b: 1, by: 2, number: 7 }, true), "a - 2 * b == -1");
    assert_eq!(text(Pred::Apart { a: 0, b: 1, number: 0 }, false), "a != b");
    assert_eq!(text(Pred::Gap { a: 0, b: 1, number: 7, signed: true }, true), "a - b <= -1");
}
