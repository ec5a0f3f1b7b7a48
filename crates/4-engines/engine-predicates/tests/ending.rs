//! Whether runs of small graphs end: measures and ways around, compared with all of their states.

use crate::{Random, add, number, steps, valuation};
use check::Budget;
use engine_predicates::{
    Edge, Graph, Measure, Node, Pred, Proof, Proved, Ranked, Ranks, Refusal, Term, Variable, check,
    check_ends, closed, facts, lassos, prove, rank,
};
use logic::{Aig, Lit};
use std::collections::{BTreeMap, BTreeSet};

const BITS: usize = 3;

fn less(aig: &mut Aig, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
    let mut out = Lit::FALSE;
    for i in 0..a.len() {
        let (mut x, mut y) = (a[i], b[i]);
        if signed && i + 1 == a.len() {
            (x, y) = (y, x);
        }
        let (lt, le) = (aig.and(!x, y), aig.or(!x, y));
        let keep = aig.and(le, out);
        out = aig.or(lt, keep);
    }
    out
}

/// A graph of one or two places whose steps count up and down as long as something is less than something else.
fn graph(random: &mut Random) -> (Graph, Vec<Lit>) {
    let mut aig = Aig::new();
    let inputs: Vec<Lit> = (0..2).map(|_| aig.input()).collect();
    let mut nodes = vec![Node::default()];
    let signed = random.below(2) == 0;
    for name in ["p", "q"] {
        let mut variable = |name: &str, other: usize| Variable {
            name: name.to_owned(),
            bits: (0..BITS).map(|_| aig.input()).collect(),
            signed,
            numbers: vec![0, 3],
            beside: vec![other],
        };
        let variables = vec![variable("x", 1), variable("y", 0)];
        nodes.push(Node { name: name.to_owned(), variables, ..Node::default() });
    }
    let pairs: &[(usize, usize)] = match random.below(3) {
        0 => &[(0, 1), (1, 1)],
        1 => &[(0, 1), (1, 1), (1, 2), (2, 1)],
        _ => &[(0, 1), (1, 2), (2, 2), (2, 1)],
    };
    let mut edges = Vec::new();
    for &(from, to) in pairs {
        let at: Vec<Vec<Lit>> = nodes[from].variables.iter().map(|v| v.bits.clone()).collect();
        if from == 0 {
            let any = |aig: &mut Aig| -> Vec<Lit> {
                (0..BITS).map(|i| if i < 2 { inputs[i] } else { aig.input() }).collect()
            };
            // The third bit is none of the inputs that are tried, so it is a number.
            let mut x = any(&mut aig);
            x[2] = Lit::constant(random.below(2) == 0);
            let y = number(random.below(8));
            edges.push(Edge { from, to, guard: Lit::TRUE, values: vec![x, y] });
            continue;
        }
        let other = match random.below(3) {
            0 => at[1].clone(),
            _ => number(random.below(8)),
        };
        let mut guard = match random.below(5) {
            0 => !aig.equal(&at[0], &other),
            1 => less(&mut aig, &other, &at[0], signed),
            _ => less(&mut aig, &at[0], &other, signed),
        };
        if random.below(3) == 0 {
            guard = aig.and(guard, inputs[0].xor_sign(random.below(2) == 0));
        }
        let mut values = Vec::new();
        for word in &at {
            values.push(match random.below(6) {
                0 => word.clone(),
                1 => add(&mut aig, word, &number(7)),
                2 => number(random.below(8)),
                3 => {
                    let more = add(&mut aig, word, &number(1 + random.below(2)));
                    more.iter().zip(word).map(|(&a, &b)| aig.ite(inputs[1], a, b)).collect()
                }
                _ => add(&mut aig, word, &number(1)),
            });
        }
        edges.push(Edge { from, to, guard, values });
    }
    (Graph { aig, nodes, edges }, inputs)
}

type State = (usize, Vec<u128>);

/// Whether some run never ends, by all states that are reached.
fn endless(graph: &Graph, inputs: &[Lit]) -> bool {
    let mut next: BTreeMap<State, BTreeSet<State>> = BTreeMap::new();
    let mut todo = vec![(0, Vec::new())];
    while let Some(state) = todo.pop() {
        if next.contains_key(&state) {
            continue;
        }
        let after: BTreeSet<State> = steps(graph, inputs, state.0, &state.1).into_iter().collect();
        todo.extend(after.iter().cloned());
        next.insert(state, after);
    }
    // What leads only to what is gone goes, too.
    loop {
        let before = next.len();
        let there: BTreeSet<State> = next.keys().cloned().collect();
        next.retain(|_, after| after.iter().any(|s| there.contains(s)));
        if next.len() == before {
            return before > 0;
        }
    }
}

fn holds(graph: &Graph, proof: &Proof, node: usize, state: &[u128]) -> bool {
    let variables = &graph.nodes[node].variables;
    proof.clauses[node].iter().all(|c| c.iter().any(|(p, v)| p.holds(state, variables) == *v))
}

/// Which places lead to each other.
fn together(graph: &Graph) -> Vec<Vec<bool>> {
    let count = graph.nodes.len();
    let mut leads = vec![vec![false; count]; count];
    graph.edges.iter().for_each(|e| leads[e.from][e.to] = true);
    for k in 0..count {
        for a in 0..count {
            for b in 0..count {
                leads[a][b] |= leads[a][k] && leads[k][b];
            }
        }
    }
    (0..count).map(|a| (0..count).map(|b| leads[a][b] && leads[b][a]).collect()).collect()
}

/// Whether measures prove that runs end, by all states.
fn is_proof(graph: &Graph, inputs: &[Lit], proof: &Proof, ranks: &Ranks) -> bool {
    let fits = |(node, list): (&Node, &Vec<Measure>)| list.iter().all(|m| m.fits(&node.variables));
    if ranks.len() != graph.nodes.len()
        || ranks.iter().any(|r| r.len() != ranks[0].len())
        || !graph.nodes.iter().zip(ranks).all(fits)
    {
        return false;
    }
    let together = together(graph);
    for node in 0..graph.nodes.len() {
        for k in 0..if node == 0 { 1 } else { 64 } {
            let state: Vec<u128> = if node == 0 { vec![] } else { vec![k & 7, k >> 3] };
            if !holds(graph, proof, node, &state) {
                continue;
            }
            for (to, new) in steps(graph, inputs, node, &state) {
                if !holds(graph, proof, to, &new) {
                    return false;
                }
                let on = |(then, _): &State| together[to][*then];
                if !together[node][to] || !steps(graph, inputs, to, &new).iter().any(on) {
                    continue;
                }
                let value = |node: usize, state: &[u128]| -> Vec<i128> {
                    let variables = &graph.nodes[node].variables;
                    ranks[node].iter().map(|m| m.value(state, variables).unwrap()).collect()
                };
                if value(to, &new) >= value(node, &state) {
                    return false;
                }
            }
        }
    }
    true
}

fn damaged(ranks: &Ranks, random: &mut Random) -> Ranks {
    let mut out = ranks.clone();
    let node = 1 + random.below(2);
    let term = |random: &mut Random| Term {
        of: random.below(3),
        factor: random.below(5) as i64 - 2,
        signed: random.below(2) == 0,
    };
    let new = |random: &mut Random| match random.below(4) {
        0 => Measure::Number(random.below(3) as u32),
        1 => Measure::Around { terms: vec![term(random)], number: random.below(9) as u128 },
        2 => Measure::Holds {
            pred: Pred::Most { of: random.below(2), number: random.below(8) as u128, signed: true },
            holds: random.below(2) == 0,
        },
        _ => Measure::Sum {
            terms: vec![term(random), term(random)],
            number: random.below(3) as i128,
            least: (random.below(2) == 0).then_some(random.below(4) as i128),
        },
    };
    match random.below(4) {
        0 => {
            out[node].pop();
        }
        1 => out.swap(1, 2),
        2 => out.iter_mut().for_each(|list| {
            list.pop();
        }),
        _ if !out[node].is_empty() => {
            let i = random.below(out[node].len());
            out[node][i] = new(random);
        }
        _ => out[node].push(new(random)),
    }
    out
}

#[test]
fn measures_and_ways_around_know_what_all_states_know() {
    let budget = Budget::unlimited();
    let mut random = Random(0x0e4d_1e55_0000_0007);
    let (mut ranked, mut open, mut found, mut missed, mut refused, mut kept) = (0, 0, 0, 0, 0, 0);
    for round in 0..700 {
        let (mut g, inputs) = graph(&mut random);
        let expected = endless(&g, &inputs);
        let proof = facts(&mut g, &budget).unwrap();
        match rank(&mut g, &proof.clauses, &budget).unwrap() {
            Ranked::Ranks(ranks) => {
                assert!(!expected, "round {round}: a run never ends");
                assert!(is_proof(&g, &inputs, &proof, &ranks), "round {round}: {ranks:?}");
                assert_eq!(check_ends(&mut g, &[], &proof, &ranks, &budget), Ok(()));
                ranked += 1;
                // What is damaged is a proof if and only if all states say so.
                for _ in 0..8 {
                    let other = damaged(&ranks, &mut random);
                    let right = is_proof(&g, &inputs, &proof, &other);
                    let said = check_ends(&mut g, &[], &proof, &other, &budget);
                    assert_eq!(said.is_ok(), right, "round {round}: {other:?}");
                    refused += usize::from(!right);
                    kept += usize::from(right);
                }
            }
            Ranked::Open(places) => {
                assert!(!places.is_empty());
                open += usize::from(!expected);
            }
        }
        let mut seen = false;
        for length in [1, 2, 3, 4, 6, 8] {
            let ways = lassos(&mut g, length);
            let bads: Vec<_> = ways.iter().map(|l| l.bad).collect();
            let Proved::Run(run) = prove(&mut g, &bads, &budget).0 else { continue };
            assert!(expected, "round {round}: every run ends");
            seen = true;
            // The way around is one: from its first state back to it.
            let lasso = &ways[run.bad];
            let mut at = lasso.bad.node;
            for (&e, inputs) in lasso.edges.iter().zip(lasso.steps(&g, run.inputs.last().unwrap()))
            {
                assert_eq!(g.edges[e].from, at);
                assert!(inputs.clone().get(&g.aig, g.edges[e].guard), "round {round}");
                at = g.edges[e].to;
            }
            assert_eq!(at, lasso.bad.node);
        }
        let all = vec![Lit::TRUE; g.nodes.len()];
        let (mut graph, bads) = closed(&g, &all);
        if let Proved::Safe(proof) = prove(&mut graph, &bads, &budget).0 {
            assert!(expected, "round {round}: every run ends, and none was said to");
            assert_eq!(check(&mut graph, &bads, &proof, &budget), Ok(()));
            seen = true;
        }
        found += usize::from(seen);
        missed += usize::from(expected && !seen);
    }
    assert!(ranked > 150 && open * 4 < ranked, "{ranked} ranked, {open} not");
    assert!(found > 150 && missed * 2 < found, "{found} found, {missed} not");
    assert!(refused > 500 && kept > 20, "{refused} refused, {kept} kept");
}

#[test]
fn measures_about_something_else_are_refused() {
    let budget = Budget::unlimited();
    let (mut g, _) = graph(&mut Random(11));
    let proof = Proof { clauses: vec![vec![]; 3] };
    let sum = |of, factor, number| Measure::Sum {
        terms: vec![Term { of, factor, signed: true }],
        number,
        least: None,
    };
    for ranks in [
        vec![],
        vec![vec![], vec![]],
        vec![vec![], vec![Measure::Number(1)], vec![]],
        vec![vec![Measure::Number(0)], vec![sum(2, 1, 0)], vec![sum(0, 1, 0)]],
        vec![vec![Measure::Number(0)], vec![sum(0, 0, 0)], vec![sum(0, 1, 0)]],
        vec![vec![Measure::Number(0)], vec![sum(0, i64::MIN, 0)], vec![sum(0, 1, 0)]],
        vec![vec![Measure::Number(0)], vec![sum(0, 1, i128::MIN)], vec![sum(0, 1, 0)]],
        vec![vec![sum(0, 1, 0)], vec![sum(0, 1, 0)], vec![sum(0, 1, 0)]],
    ] {
        let said = check_ends(&mut g, &[], &proof, &ranks, &budget);
        assert!(matches!(said, Err(Refusal::Wrong(_))), "{ranks:?}");
    }
    let state = [1, 2];
    let mut at = valuation(&g, 1, &state, (&[], 0));
    assert!(at.get(&g.aig, g.nodes[1].variables[0].bits[0]));
}
