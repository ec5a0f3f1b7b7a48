//! And-inverter graphs against truth tables.

use crate::support::{Rng, random_function};
use logic::{Aig, Cadical, Decider, Lit, Valuation, never};
use rustc_hash::FxHashMap;

/// The truth table of a function of the given inputs.
fn table(aig: &Aig, lit: Lit, inputs: &[Lit]) -> Vec<bool> {
    (0..1usize << inputs.len())
        .map(|v| {
            let value =
                |i: Lit| inputs.iter().position(|&j| j == i).is_some_and(|p| v >> p & 1 == 1);
            aig.eval(&[lit], value)[0]
        })
        .collect()
}

/// Every conjunction of two of all functions of three inputs that two levels can make.
#[test]
fn conjunctions_of_small_functions_are_right() {
    let mut aig = Aig::new();
    let inputs: Vec<Lit> = (0..3).map(|_| aig.input()).collect();
    let mut functions: Vec<Lit> = vec![Lit::TRUE, Lit::FALSE];
    functions.extend(inputs.iter().flat_map(|&i| [i, !i]));
    for _ in 0..2 {
        let level = functions.clone();
        for &a in &level {
            for &b in &level {
                let before = aig.len();
                let lit = aig.and(a, b);
                assert!(aig.len() <= before + 1, "a rule never adds nodes");
                let wanted: Vec<bool> = table(&aig, a, &inputs)
                    .into_iter()
                    .zip(table(&aig, b, &inputs))
                    .map(|(x, y)| x && y)
                    .collect();
                assert_eq!(table(&aig, lit, &inputs), wanted, "{a:?} ∧ {b:?}");
                functions.extend([lit, !lit]);
            }
        }
        functions.sort_unstable();
        functions.dedup();
    }
    // Children are ordered and shared: the same question has the same answer.
    for &a in functions.iter().step_by(7) {
        for &b in functions.iter().step_by(5) {
            assert_eq!(aig.and(a, b), aig.and(b, a));
        }
    }
}

#[test]
fn operations_on_random_functions_are_right() {
    let mut rng = Rng(1);
    for round in 0..400 {
        let mut aig = Aig::new();
        let inputs: Vec<Lit> = (0..5).map(|_| aig.input()).collect();
        let gates = 3 + round % 40;
        let f = random_function(&mut aig, &inputs, gates, &mut rng);
        let g = random_function(&mut aig, &inputs, gates, &mut rng);
        let h = random_function(&mut aig, &inputs, gates, &mut rng);
        let [tf, tg, th] = [f, g, h].map(|x| table(&aig, x, &inputs));
        let check = |aig: &Aig, lit: Lit, wanted: &dyn Fn(usize) -> bool| {
            let found = table(aig, lit, &inputs);
            assert!((0..32).all(|v| found[v] == wanted(v)), "round {round}");
        };
        let lit = aig.xor(f, g);
        check(&aig, lit, &|v| tf[v] ^ tg[v]);
        let lit = aig.ite(f, g, h);
        check(&aig, lit, &|v| if tf[v] { tg[v] } else { th[v] });
        let lit = aig.equal(&[f, g], &[g, h]);
        check(&aig, lit, &|v| tf[v] == tg[v] && tg[v] == th[v]);

        // Substitution is simultaneous: inputs 0 and 1 are exchanged, 2 becomes `g`.
        let map =
            FxHashMap::from_iter([(inputs[0], inputs[1]), (inputs[1], !inputs[0]), (inputs[2], g)]);
        let lit = aig.substitute(&[f], &map)[0];
        check(&aig, lit, &|v| {
            let (x0, x1) = (v & 1, v >> 1 & 1);
            let moved = v & !7 | x1 | (1 - x0) << 1 | (tg[v] as usize) << 2;
            tf[moved]
        });
        let lit = aig.cofactor(f, !inputs[3]);
        check(&aig, lit, &|v| tf[v & !8]);
        assert!(!aig.support([lit]).contains(&inputs[3]));

        // The support contains whatever matters.
        let support = aig.support([f]);
        for (i, input) in inputs.iter().enumerate() {
            let matters = (0..32).any(|v| tf[v] != tf[v ^ 1 << i]);
            assert!(!matters || support.contains(input));
        }
        // The words are those of some valuations: constants have constant words.
        if tf.iter().all(|&b| b) {
            assert_eq!(aig.word(f), u64::MAX);
        }
        // A copy is the same function.
        let mut other = Aig::new();
        let fresh: Vec<Lit> = (0..5).map(|_| other.input()).collect();
        let copies = other.import(&aig, &[f, !g], |_, i| {
            fresh[inputs.iter().position(|&j| j == i).expect("an input")]
        });
        assert_eq!(table(&other, copies[0], &fresh), tf);
        assert_eq!(table(&other, !copies[1], &fresh), tg);

        // Garbage goes, functions stay, and the graph still shares.
        let before = aig.len();
        let moved = aig.collect(inputs.iter().copied().chain([f, g]));
        assert!(aig.len() <= before);
        let inputs: Vec<Lit> = inputs.iter().map(|&i| moved.get(i).expect("a root")).collect();
        let [f, g] = [f, g].map(|x| moved.get(x).expect("a root"));
        assert_eq!(table(&aig, f, &inputs), tf);
        assert_eq!(table(&aig, g, &inputs), tg);
        let size = aig.len();
        if let Some((a, b)) = aig.children(f.node()) {
            assert_eq!(aig.and(a, b).node(), f.node());
        }
        assert_eq!(aig.len(), size);
    }
}

#[test]
fn satisfiability_is_that_of_the_truth_table() {
    let mut rng = Rng(7);
    let mut decider: Decider<Cadical> = Decider::new(never());
    let mut seen = [0; 2];
    for round in 0..600 {
        let inputs = 3 + round % 9;
        let mut aig = Aig::new();
        decider.forget();
        let inputs: Vec<Lit> = (0..inputs).map(|_| aig.input()).collect();
        // Conjunctions of several functions are often empty.
        let mut roots: Vec<Lit> = (0..1 + rng.below(12))
            .map(|_| random_function(&mut aig, &inputs, 12, &mut rng).xor_sign(rng.flip()))
            .collect();
        let all = aig.and_all(roots.iter().copied());
        let wanted = table(&aig, all, &inputs).contains(&true);
        if round % 4 == 0 {
            // Too many inputs to enumerate: others that must all be true.
            let others: Vec<Lit> = (0..16).map(|_| aig.input()).collect();
            roots.push(aig.and_all(others));
        }
        seen[wanted as usize] += 1;
        assert_eq!(decider.satisfiable(&aig, &roots).unwrap(), wanted, "round {round}");
        match decider.model(&aig, &roots).unwrap() {
            Some(mut model) => assert!(roots.iter().all(|&r| model.get(&aig, r))),
            None => assert!(!wanted),
        }
    }
    assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
    assert!(decider.stats.sat_calls > 20 && decider.stats.enumerated > 20, "{:?}", decider.stats);
}

#[test]
fn depth_does_not_matter() {
    let mut aig = Aig::new();
    let inputs: Vec<Lit> = (0..20).map(|_| aig.input()).collect();
    let mut f = inputs[0];
    for i in 0..100_000 {
        let (a, b) = (inputs[i % 20], inputs[(i * 7 + 3) % 20]);
        f = if i % 2 == 0 { aig.ite(a, f, b) } else { aig.xor(f, b) };
    }
    assert_eq!(aig.support([f]).len(), 20);
    let mut valuation = Valuation::new();
    valuation.get(&aig, f);
    let mut decider: Decider<Cadical> = Decider::new(never());
    assert!(decider.model(&aig, &[f]).unwrap().is_some());
    let map = FxHashMap::from_iter([(inputs[0], inputs[1])]);
    let g = aig.substitute(&[f], &map)[0];
    assert!(!aig.support([g]).contains(&inputs[0]));
}
