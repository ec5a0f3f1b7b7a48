//! The automaton of a rule made deterministic, over the letters that occur.

use automata::sere::Nfa;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Larger automata are refused.
const MAX_STATES: usize = 2_000;

/// A deterministic automaton; 0 is initial.
pub(crate) struct Dfa {
    /// From a state, on a letter.
    steps: FxHashMap<(u32, u64), u32>,
    pub(crate) accepting: Vec<bool>,
}

impl Dfa {
    /// The subsets that the letters lead to; none if there are too many. Accepting ones have no steps.
    pub(crate) fn new(nfa: &Nfa, letters: &BTreeSet<u64>) -> Option<Dfa> {
        let mut ids: FxHashMap<BTreeSet<u32>, u32> = FxHashMap::default();
        let first = BTreeSet::from([0]);
        ids.insert(first.clone(), 0);
        let mut dfa = Dfa { steps: FxHashMap::default(), accepting: vec![nfa.accepting[0]] };
        let mut todo = vec![first];
        // Which transitions read a letter is the same from every subset.
        let read: Vec<(u64, Vec<(u32, u32)>)> =
            letters.iter().map(|&letter| (letter, moves(nfa, letter))).collect();
        while let Some(set) = todo.pop() {
            let from = ids[&set];
            if dfa.accepting[from as usize] {
                continue;
            }
            for (letter, moves) in &read {
                let next: BTreeSet<u32> =
                    moves.iter().filter(|m| set.contains(&m.0)).map(|m| m.1).collect();
                let number = ids.len() as u32;
                let to = *ids.entry(next.clone()).or_insert(number);
                if to == number {
                    if ids.len() > MAX_STATES {
                        return None;
                    }
                    dfa.accepting.push(next.iter().any(|&s| nfa.accepting[s as usize]));
                    todo.push(next);
                }
                dfa.steps.insert((from, *letter), to);
            }
        }
        Some(dfa)
    }

    /// The next state.
    pub(crate) fn step(&self, state: u32, letter: u64) -> u32 {
        self.steps.get(&(state, letter)).copied().unwrap_or(state)
    }
    /// The states from which no accepting one is reached by letters without these atoms.
    pub(crate) fn doomed(&self, without: u64) -> Vec<bool> {
        let mut doomed: Vec<bool> = self.accepting.iter().map(|a| !a).collect();
        loop {
            let mut changed = false;
            for (&(from, letter), &to) in &self.steps {
                if letter & without == 0 && doomed[from as usize] && !doomed[to as usize] {
                    doomed[from as usize] = false;
                    changed = true;
                }
            }
            if !changed {
                return doomed;
            }
        }
    }
    pub(crate) fn len(&self) -> u32 {
        self.accepting.len() as u32
    }
}

/// The same for a watcher that can go on after a violation: states are sets without accepting ones.
pub(crate) struct Watcher {
    /// From a state, on a letter: whether the letter violates the rule, and where a run goes that goes on.
    steps: FxHashMap<(u32, u64), (bool, u32)>,
    count: u32,
    /// The states from which a violation can still come.
    live: Vec<bool>,
}

impl Watcher {
    /// The subsets that the letters lead to; none if there are too many.
    pub(crate) fn new(nfa: &Nfa, letters: &BTreeSet<u64>) -> Option<Watcher> {
        let mut ids: FxHashMap<BTreeSet<u32>, u32> = FxHashMap::default();
        let first = BTreeSet::from([0]);
        ids.insert(first.clone(), 0);
        let mut steps: FxHashMap<(u32, u64), (bool, u32)> = FxHashMap::default();
        let mut back: Vec<(u32, u32)> = Vec::new();
        let mut wrong: Vec<u32> = Vec::new();
        let mut todo = vec![first];
        let read: Vec<(u64, Vec<(u32, u32)>)> =
            letters.iter().map(|&letter| (letter, moves(nfa, letter))).collect();
        while let Some(set) = todo.pop() {
            let from = ids[&set];
            for (letter, moves) in &read {
                let moved = moves.iter().filter(|m| set.contains(&m.0)).map(|m| m.1);
                let (accepting, next): (BTreeSet<u32>, BTreeSet<u32>) =
                    moved.partition(|s| nfa.accepting[*s as usize]);
                let number = ids.len() as u32;
                let to = *ids.entry(next.clone()).or_insert(number);
                if to == number {
                    if ids.len() > MAX_STATES {
                        return None;
                    }
                    todo.push(next);
                }
                if !accepting.is_empty() {
                    wrong.push(from);
                }
                back.push((to, from));
                steps.insert((from, *letter), (!accepting.is_empty(), to));
            }
        }
        let count = ids.len() as u32;
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        back.iter().for_each(|&(to, from)| before[to as usize].push(from));
        let mut live = vec![false; count as usize];
        while let Some(state) = wrong.pop() {
            if !std::mem::replace(&mut live[state as usize], true) {
                wrong.extend(&before[state as usize]);
            }
        }
        Some(Watcher { steps, count, live })
    }

    /// Whether a letter violates the rule, and the next state; a letter that is not known does nothing.
    pub(crate) fn step(&self, state: u32, letter: u64) -> (bool, u32) {
        self.steps.get(&(state, letter)).copied().unwrap_or((false, state))
    }
    /// The states from which a violation can still come.
    pub(crate) fn live(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.count).filter(|s| self.is_live(*s))
    }
    pub(crate) fn is_live(&self, state: u32) -> bool {
        self.live[state as usize]
    }
    pub(crate) fn len(&self) -> u32 {
        self.count
    }
}

fn moves(nfa: &Nfa, letter: u64) -> Vec<(u32, u32)> {
    let holds = |c| nfa.holds(c, &|atom| letter >> atom & 1 == 1);
    let mut out: Vec<(u32, u32)> =
        nfa.transitions.iter().filter(|t| holds(t.1)).map(|t| (t.0, t.2)).collect();
    out.dedup();
    out
}

/// Whether a letter without events changes nothing, in any state that can be reached.
pub(crate) fn stutters(dfa: &Dfa) -> bool {
    (0..dfa.len()).all(|s| dfa.accepting[s as usize] || dfa.step(s, 0) == s)
}
