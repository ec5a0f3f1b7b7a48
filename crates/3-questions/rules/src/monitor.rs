//! A rule's automaton on the way through a run, for people.
//!
//! It is made anew from the rule, deterministic over the letters that matter, and shown only if it agrees with the
//! run: the last step breaks the rule, and none before it.

use crate::Rule;
use automata::sere::Nfa;
use std::collections::{BTreeMap, BTreeSet};

/// Larger automata are no picture.
const MOST: usize = 12;

/// The automaton of a rule on the way through a word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Monitor {
    /// Whether the rule is broken there, for each state; the first one is initial.
    pub states: Vec<bool>,
    /// From, what happens, to. What is not named changes nothing.
    pub edges: Vec<(u32, String, u32)>,
    /// The states before steps, from each on.
    pub at: Vec<(usize, u32)>,
}

impl Rule {
    /// Its automaton on the way through a word, if that breaks it with its last letter and the automaton is small. The word
    /// has the numbers of steps, and the atoms that hold there as bits.
    pub fn monitor(&self, word: &[(usize, u64)]) -> Option<Monitor> {
        monitor(&self.nfa, word)
    }
}

/// The automaton, if the word breaks the rule with its last letter. The word has the numbers of steps, and the atoms
/// that hold there as bits.
fn monitor(nfa: &Nfa, word: &[(usize, u64)]) -> Option<Monitor> {
    let atoms = nfa.atoms.len().min(MOST);
    let letters: BTreeSet<u64> =
        word.iter().map(|w| w.1).chain((0..atoms).map(|a| 1 << a)).filter(|l| *l != 0).collect();
    let next = |set: &BTreeSet<u32>, letter: u64| -> BTreeSet<u32> {
        let reads = |c| nfa.holds(c, &|atom| letter >> atom & 1 == 1);
        let steps = nfa.transitions.iter().filter(|t| set.contains(&t.0) && reads(t.1));
        steps.map(|t| t.2).collect()
    };
    let broken = |set: &BTreeSet<u32>| set.iter().any(|&s| nfa.accepting[s as usize]);
    let mut sets = vec![BTreeSet::from([0u32])];
    let mut steps: BTreeMap<(usize, u64), usize> = BTreeMap::new();
    let mut done = 0;
    while done < sets.len() {
        let set = sets[done].clone();
        if !broken(&set) {
            // Where nothing happens, nothing changes; other rules are told by their text alone.
            if next(&set, 0) != set {
                return None;
            }
            for &letter in &letters {
                let to = next(&set, letter);
                let number = sets.iter().position(|s| *s == to).unwrap_or(sets.len());
                if number == sets.len() {
                    sets.push(to);
                }
                steps.insert((done, letter), number);
            }
        }
        done += 1;
        if sets.len() > MOST {
            return None;
        }
    }
    let mut at = vec![(0, 0)];
    let mut state = 0;
    for (i, &(step, letter)) in word.iter().enumerate() {
        state = if letter == 0 { state } else { *steps.get(&(state, letter))? };
        if broken(&sets[state]) != (i + 1 == word.len()) {
            return None;
        }
        at.push((step + 1, state as u32));
    }
    at.dedup_by_key(|a| a.1);
    // States from which the rule cannot be broken any more say nothing.
    let mut live: Vec<bool> = sets.iter().map(broken).collect();
    while let Some((&(from, _), _)) = steps.iter().find(|(s, to)| !live[s.0] && live[**to]) {
        live[from] = true;
    }
    let number = |s: usize| live[..s].iter().filter(|l| **l).count() as u32;
    let name = |letter: u64| {
        let names = nfa.atoms.iter().enumerate().filter(|(a, _)| letter >> a & 1 == 1);
        names.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" and ")
    };
    let shown = |(&(from, letter), &to): (&(usize, u64), &usize)| {
        (from != to && live[from] && live[to]).then(|| (number(from), name(letter), number(to)))
    };
    Some(Monitor {
        states: (0..sets.len()).filter(|&s| live[s]).map(|s| broken(&sets[s])).collect(),
        edges: steps.iter().filter_map(shown).collect(),
        at: at.into_iter().map(|(step, s)| (step, number(s as usize))).collect(),
    })
}
