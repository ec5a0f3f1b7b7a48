//! Automata on finite words, and what operators make of them.

use super::{Condition, ConditionId, MAX_STATES, SereError, SereErrorKind};
use std::collections::BTreeMap;

/// An automaton; state 0 is initial, and nothing leads back to it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) transitions: Vec<(u32, ConditionId, u32)>,
    pub(super) accepting: Vec<bool>,
}

impl Part {
    fn empty() -> Part {
        Part { transitions: Vec::new(), accepting: vec![true] }
    }
    fn accepted(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.accepting.len() as u32).filter(|s| self.accepting[*s as usize])
    }
    fn initial(&self) -> impl Iterator<Item = (ConditionId, u32)> + '_ {
        self.transitions.iter().filter(|t| t.0 == 0).map(|t| (t.1, t.2))
    }

    pub(super) fn then(&self, other: &Part) -> Part {
        let shift = self.accepting.len() as u32 - 1;
        let mut transitions = self.transitions.clone();
        for &(from, b, to) in &other.transitions {
            if from != 0 {
                transitions.push((from + shift, b, to + shift));
            }
        }
        for end in self.accepted() {
            transitions.extend(other.initial().map(|(b, to)| (end, b, to + shift)));
        }
        let mut accepting = match other.accepting[0] {
            true => self.accepting.clone(),
            false => vec![false; self.accepting.len()],
        };
        accepting.extend_from_slice(&other.accepting[1..]);
        Part { transitions, accepting }
    }

    pub(super) fn or(&self, other: &Part) -> Part {
        let shift = self.accepting.len() as u32 - 1;
        let mut transitions = self.transitions.clone();
        for &(from, b, to) in &other.transitions {
            let from = if from == 0 { 0 } else { from + shift };
            transitions.push((from, b, to + shift));
        }
        let mut accepting = self.accepting.clone();
        accepting[0] |= other.accepting[0];
        accepting.extend_from_slice(&other.accepting[1..]);
        Part { transitions, accepting }
    }

    /// At least once, any number of times.
    fn plus(&self) -> Part {
        let mut out = self.clone();
        for end in self.accepted().filter(|s| *s != 0) {
            out.transitions.extend(self.initial().map(|(b, to)| (end, b, to)));
        }
        out
    }

    pub(super) fn repeat(&self, low: u32, high: Option<u32>) -> Result<Part, SereError> {
        let times = high.unwrap_or(low).max(1) as usize;
        if times * self.accepting.len() > MAX_STATES {
            return Err(SereError { at: 0, kind: SereErrorKind::TooLarge });
        }
        let mut optional = self.clone();
        optional.accepting[0] = true;
        let mut out = Part::empty();
        for _ in 1..low {
            out = out.then(self);
        }
        match high {
            None => {
                let mut rest = self.plus();
                rest.accepting[0] |= low == 0;
                Ok(out.then(&rest))
            }
            Some(high) => {
                if low > 0 {
                    out = out.then(self);
                }
                for _ in low..high {
                    out = out.then(&optional);
                }
                Ok(out)
            }
        }
    }

    /// Without states that lead nowhere or that nothing leads to.
    pub(super) fn trimmed(&self) -> Part {
        let n = self.accepting.len();
        let closure = |start: Vec<bool>, forwards: bool| {
            let mut out: Vec<Vec<u32>> = vec![Vec::new(); n];
            for &(from, _, to) in &self.transitions {
                let (a, b) = if forwards { (from, to) } else { (to, from) };
                out[a as usize].push(b);
            }
            let mut seen = start.clone();
            let mut todo: Vec<usize> = (0..n).filter(|i| start[*i]).collect();
            while let Some(state) = todo.pop() {
                for &next in &out[state] {
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        todo.push(next as usize);
                    }
                }
            }
            seen
        };
        let mut first = vec![false; n];
        first[0] = true;
        let (reached, useful) = (closure(first, true), closure(self.accepting.clone(), false));
        let kept = |i: usize| i == 0 || (reached[i] && useful[i]);
        let mut count = 0;
        let number: Vec<Option<u32>> = (0..n)
            .map(|i| {
                kept(i).then(|| {
                    count += 1;
                    count - 1
                })
            })
            .collect();
        let accepting = (0..n).filter(|i| kept(*i)).map(|i| self.accepting[i]).collect();
        let transitions = self
            .transitions
            .iter()
            .filter_map(|&(from, b, to)| Some((number[from as usize]?, b, number[to as usize]?)));
        Part { transitions: transitions.collect(), accepting }
    }
}

/// States that do the same become one, again and again.
pub(super) fn merge(transitions: &mut Vec<(u32, ConditionId, u32)>, accepting: &mut Vec<bool>) {
    let mut class: Vec<u32> = accepting.iter().map(|a| u32::from(*a)).collect();
    let mut classes = 0;
    loop {
        let mut moves: Vec<Vec<(ConditionId, u32)>> = vec![Vec::new(); class.len()];
        for &(from, b, to) in transitions.iter() {
            moves[from as usize].push((b, class[to as usize]));
        }
        let mut number: BTreeMap<(u32, Vec<(ConditionId, u32)>), u32> = BTreeMap::new();
        let mut next = Vec::with_capacity(class.len());
        for (mut moves, &class) in moves.into_iter().zip(&class) {
            moves.sort_unstable();
            moves.dedup();
            let new = number.len() as u32;
            next.push(*number.entry((class, moves)).or_insert(new));
        }
        let count = number.len();
        class = next;
        // Classes are only ever split.
        if count == classes {
            break;
        }
        classes = count;
    }
    for (from, _, to) in transitions.iter_mut() {
        (*from, *to) = (class[*from as usize], class[*to as usize]);
    }
    transitions.sort_unstable();
    transitions.dedup();
    let mut merged = vec![false; classes];
    for (state, accepts) in accepting.iter().enumerate() {
        merged[class[state] as usize] = *accepts;
    }
    *accepting = merged;
}

fn conjunction(conditions: &mut Vec<Condition>, a: ConditionId, b: ConditionId) -> ConditionId {
    if a == b || conditions[b as usize] == Condition::Constant(true) {
        return a;
    }
    if conditions[a as usize] == Condition::Constant(true) {
        return b;
    }
    let condition = Condition::And(a.min(b), a.max(b));
    if let Some(found) = conditions.iter().position(|c| *c == condition) {
        return found as ConditionId;
    }
    conditions.push(condition);
    conditions.len() as ConditionId - 1
}

/// The last letter of one is the first of the other.
pub(super) fn fusion(a: &Part, b: &Part, conditions: &mut Vec<Condition>) -> Part {
    let shift = a.accepting.len() as u32 - 1;
    let mut transitions = a.transitions.clone();
    for &(from, x, to) in &b.transitions {
        if from != 0 {
            transitions.push((from + shift, x, to + shift));
        }
    }
    for &(from, x, to) in &a.transitions {
        if a.accepting[to as usize] {
            for (y, next) in b.initial() {
                transitions.push((from, conjunction(conditions, x, y), next + shift));
            }
        }
    }
    let mut accepting = vec![false; a.accepting.len()];
    accepting.extend_from_slice(&b.accepting[1..]);
    Part { transitions, accepting }.trimmed()
}

/// Both, letter by letter.
pub(super) fn both(a: &Part, b: &Part, conditions: &mut Vec<Condition>) -> Part {
    let mut number: BTreeMap<(u32, u32), u32> = BTreeMap::from([((0, 0), 0)]);
    let mut order = vec![(0u32, 0u32)];
    let mut transitions = Vec::new();
    let mut i = 0;
    while i < order.len() && order.len() <= MAX_STATES {
        let (s, t) = order[i];
        for &(_, x, s2) in a.transitions.iter().filter(|e| e.0 == s) {
            for &(_, y, t2) in b.transitions.iter().filter(|e| e.0 == t) {
                let next = number.len() as u32;
                let to = *number.entry((s2, t2)).or_insert(next);
                if to == next {
                    order.push((s2, t2));
                }
                transitions.push((i as u32, conjunction(conditions, x, y), to));
            }
        }
        i += 1;
    }
    let accepting =
        order.iter().map(|&(s, t)| a.accepting[s as usize] && b.accepting[t as usize]).collect();
    Part { transitions, accepting }
}

/// More conditions than so many at one set of states are not told apart.
const MOST_CONDITIONS: usize = 12;

/// The shortest words that are no prefix of one of these, and have none of these as a prefix: by sets of states. Where none is
/// left, the word is missed; where one accepts, it is not missed any more.
pub(super) fn missed(a: &Part, conditions: &mut Vec<Condition>) -> Result<Part, SereError> {
    let nothing = Part { transitions: Vec::new(), accepting: vec![false] };
    if a.accepting[0] {
        return Ok(nothing);
    }
    let too_large = SereError { at: 0, kind: SereErrorKind::TooLarge };
    // State 1 is where a word is missed; nothing leads back to state 0, for nothing leads back to that of `a`.
    let mut number: BTreeMap<Vec<u32>, u32> = BTreeMap::from([(vec![0], 0)]);
    let mut order: Vec<(u32, Vec<u32>)> = vec![(0, vec![0])];
    let mut transitions = Vec::new();
    let mut count = 2u32;
    let mut i = 0;
    while i < order.len() {
        let (from, states) = order[i].clone();
        i += 1;
        let moves: Vec<(ConditionId, u32)> =
            a.transitions.iter().filter(|t| states.contains(&t.0)).map(|t| (t.1, t.2)).collect();
        let mut tests: Vec<ConditionId> = moves.iter().map(|m| m.0).collect();
        tests.sort_unstable();
        tests.dedup();
        if tests.len() > MOST_CONDITIONS || order.len() > MAX_STATES {
            return Err(too_large);
        }
        for choice in 0..1u32 << tests.len() {
            let holds = |c: ConditionId| {
                let at = tests.iter().position(|t| *t == c).unwrap_or_default();
                choice >> at & 1 == 1
            };
            let mut next: Vec<u32> = moves.iter().filter(|m| holds(m.0)).map(|m| m.1).collect();
            next.sort_unstable();
            next.dedup();
            if next.iter().any(|s| a.accepting[*s as usize]) {
                continue;
            }
            let mut letter = None;
            for &test in &tests {
                let one = if holds(test) { test } else { negation(conditions, test) };
                letter = Some(match letter {
                    Some(all) => conjunction(conditions, all, one),
                    None => one,
                });
            }
            let letter = letter.unwrap_or_else(|| added(conditions, Condition::Constant(true)));
            let to = match next.is_empty() {
                true => 1,
                false => *number.entry(next.clone()).or_insert_with(|| {
                    order.push((count, next));
                    count += 1;
                    count - 1
                }),
            };
            transitions.push((from, letter, to));
        }
    }
    let accepting = (0..count).map(|s| s == 1).collect();
    Ok(Part { transitions, accepting }.trimmed())
}

fn added(conditions: &mut Vec<Condition>, condition: Condition) -> ConditionId {
    if let Some(found) = conditions.iter().position(|c| *c == condition) {
        return found as ConditionId;
    }
    conditions.push(condition);
    conditions.len() as ConditionId - 1
}

fn negation(conditions: &mut Vec<Condition>, a: ConditionId) -> ConditionId {
    match conditions[a as usize] {
        Condition::Not(b) => b,
        Condition::Constant(value) => added(conditions, Condition::Constant(!value)),
        _ => added(conditions, Condition::Not(a)),
    }
}
