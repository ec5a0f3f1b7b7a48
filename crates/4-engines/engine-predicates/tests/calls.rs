//! Graphs whose blocks pass calls, searched, and compared with all of their states.

use super::{BITS, Random, condition, damaged, holds, number, valuation, word};
use check::Budget;
use engine_predicates::{
    Bad, Call, Edge, Graph, Node, Proof, Proved, Variable, check, guess, prove, shrink,
};
use logic::{Aig, Lit, Valuation};
use std::collections::BTreeSet;

/// The start, a place, and the end of what is called; the first two may pass calls.
fn graph(random: &mut Random) -> (Graph, Vec<Bad>, Vec<Vec<Lit>>) {
    let mut aig = Aig::new();
    let mut nodes = vec![Node::default()];
    for name in ["p", "end"] {
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
    // By place, the inputs of its block; what its calls give is among them, and its words see it.
    let mut inputs: Vec<Vec<Lit>> = Vec::new();
    let mut words: Vec<Vec<Vec<Lit>>> = Vec::new();
    for (place, node) in nodes.iter_mut().take(2).enumerate() {
        let mut own: Vec<Lit> = (0..2).map(|_| aig.input()).collect();
        let mut seen: Vec<Vec<Lit>> = node.variables.iter().map(|v| v.bits.clone()).collect();
        let choices = own.clone();
        for _ in 0..random.below(3).min(1 + place) {
            let given: Vec<Lit> = (0..BITS).map(|_| aig.input()).collect();
            let when = condition(&mut aig, random, &seen, &choices);
            let asked = word(&mut aig, random, &seen, &choices);
            let values = vec![asked, given.clone()];
            own.extend(&given);
            seen.push(given);
            node.calls.push(Call { node: 2, when, values, given: vec![false, true] });
        }
        inputs.push(own);
        words.push(seen);
    }
    inputs.push(Vec::new());
    let mut edges = Vec::new();
    for (from, to) in [(0, 1), (1, 1), (1, 2), (1, 2)] {
        let guard = condition(&mut aig, random, &words[from], &inputs[from][..2]);
        let values =
            (0..2).map(|_| word(&mut aig, random, &words[from], &inputs[from][..2])).collect();
        edges.push(Edge { from, to, guard, values });
    }
    let mut bads = Vec::new();
    for (node, all) in words.iter().enumerate() {
        if all.is_empty() {
            continue;
        }
        let x = aig.equal(&all[random.below(all.len())], &number(random.below(8)));
        let y = aig.equal(&all[random.below(all.len())], &number(random.below(8)));
        bads.push(Bad { node, guard: aig.and(x, y) });
    }
    (Graph { aig, nodes, edges }, bads, inputs)
}

fn numbers(graph: &Graph, words: &[Vec<Lit>], v: &mut Valuation) -> Vec<u128> {
    let mut word = |bits: &Vec<Lit>| {
        let bit = |(i, &l): (usize, &Lit)| u128::from(v.get(&graph.aig, l)) << i;
        bits.iter().enumerate().map(bit).sum::<u128>()
    };
    words.iter().map(&mut word).collect()
}

/// What the block of a state does if calls give what `ends` says: whether something bad, and where it leads.
fn block(
    graph: &Graph,
    bads: &[Bad],
    inputs: &[Lit],
    (node, state): (usize, &[u128]),
    ends: &dyn Fn(&[u128]) -> bool,
) -> (bool, Vec<(usize, Vec<u128>)>) {
    let (mut bad, mut out) = (false, Vec::new());
    for choice in 0..1 << inputs.len() {
        let mut v = valuation(graph, node, state, (inputs, choice));
        let passes = |call: &Call, v: &mut Valuation| {
            !v.get(&graph.aig, call.when) || ends(&numbers(graph, &call.values, v))
        };
        if !graph.nodes[node].calls.iter().all(|call| passes(call, &mut v)) {
            continue;
        }
        bad |= bads.iter().any(|b| b.node == node && v.get(&graph.aig, b.guard));
        for edge in graph.edges.iter().filter(|e| e.from == node) {
            if v.get(&graph.aig, edge.guard) {
                out.push((edge.to, numbers(graph, &edge.values, &mut v)));
            }
        }
    }
    (bad, out)
}

/// Whether something bad is reached, by all states.
fn reached(graph: &Graph, bads: &[Bad], inputs: &[Vec<Lit>]) -> bool {
    let mut seen: BTreeSet<(usize, Vec<u128>)> = BTreeSet::from([(0, Vec::new())]);
    loop {
        let before = seen.clone();
        for (node, state) in &before {
            let ends = |values: &[u128]| before.contains(&(2, values.to_vec()));
            let (bad, next) = block(graph, bads, &inputs[*node], (*node, state), &ends);
            if bad {
                return true;
            }
            seen.extend(next);
        }
        if seen == before {
            return false;
        }
    }
}

/// Whether a proof is one, by all states.
fn is_proof(graph: &Graph, bads: &[Bad], inputs: &[Vec<Lit>], proof: &Proof) -> bool {
    for (node, inputs) in inputs.iter().enumerate().take(2) {
        let count = if node == 0 { 1 } else { 64 };
        for k in 0..count {
            let state: Vec<u128> = if node == 0 { vec![] } else { vec![k & 7, k >> 3] };
            if !holds(graph, proof, node, &state) {
                continue;
            }
            let ends = |values: &[u128]| holds(graph, proof, 2, values);
            let (bad, next) = block(graph, bads, inputs, (node, &state), &ends);
            if bad || next.iter().any(|(to, values)| !holds(graph, proof, *to, values)) {
                return false;
            }
        }
    }
    true
}

#[test]
fn calls_give_what_all_states_say() {
    let budget = Budget::unlimited();
    let (mut safe, mut runs, mut refused, mut called) = (0, 0, 0, 0);
    let mut random = Random(0x5eed_1234_abcd_0009);
    for round in 0..300 {
        let (mut g, bads, inputs) = graph(&mut random);
        let expected = reached(&g, &bads, &inputs);
        called += usize::from(g.nodes.iter().any(|n| !n.calls.is_empty()));
        match prove(&mut g, &bads, &budget).0 {
            Proved::Safe(proof) => {
                assert!(!expected, "round {round}: it is reached");
                safe += 1;
                assert!(is_proof(&g, &bads, &inputs, &proof), "round {round}");
                assert_eq!(check(&mut g, &bads, &proof, &budget), Ok(()), "round {round}");
                let small = shrink(&mut g, &bads, &proof, &budget).unwrap();
                assert!(is_proof(&g, &bads, &inputs, &small), "round {round}: smaller");
                for _ in 0..8 {
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
                let mut node = 0;
                for (step, valuation) in run.inputs.iter().enumerate() {
                    let mut v = valuation.clone();
                    match run.edges.get(step) {
                        Some(&e) => {
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
        if let Proved::Safe(proof) = guess(&mut g, &bads, &budget).0 {
            assert!(!expected && is_proof(&g, &bads, &inputs, &proof), "round {round}: guessed");
        }
    }
    assert!(
        safe > 40 && runs > 40 && called > 100,
        "{safe} safe, {runs} runs, {called} with calls"
    );
    assert!(refused > 150, "{refused} refused");
}
