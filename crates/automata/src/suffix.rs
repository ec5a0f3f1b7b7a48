//! The automaton of the words that violate a suffix implication `{r}(f)`.
//!
//! - X1. It reads a finite word as the automaton of `r` does, and meets no mark.
//! - X2. Where that accepts when it has read a letter, the automaton of `¬f` may take over: that letter is
//!   the first that it reads.

use crate::ltl::Atom;
use crate::sere::{Condition, Nfa};
use crate::tgba::{Cube, Label, StateId, Tgba, Transition};
use crate::translate::TranslateError;

/// A label with more cubes is refused.
const MAX_CUBES: usize = 4096;

/// The automaton for `r`, whose atoms are given in its order, and the automaton of `¬f`.
///
/// ```
/// use automata::ltl::{Atom, parse, parse_atom};
/// use automata::sere::{Sere, property};
///
/// let text = "{true[*]; request}(F grant)";
/// let Ok(Sere::Suffix { trigger, conclusion }) = property(text, &|_| false) else { panic!() };
/// let mut f = parse(&text[conclusion]).unwrap();
/// let not = f.formulas.not(f.root);
/// let negated = automata::translate(&f.formulas, not, &automata::Options::default()).unwrap();
/// let atoms: Vec<Atom> = trigger.atoms.iter().map(|a| parse_atom(a).unwrap()).collect();
/// let violated = automata::suffix(&trigger, &atoms, &negated).unwrap();
/// let request = violated.atoms.iter().position(|a| a.to_string() == "request").unwrap() as u32;
/// // A request at first, and never anything again; no request.
/// assert!(violated.accepts_lasso(1, 1, |i, atom| i == 0 && atom == request));
/// assert!(!violated.accepts_lasso(1, 1, |_, _| false));
/// ```
pub fn suffix(trigger: &Nfa, atoms: &[Atom], negated: &Tgba) -> Result<Tgba, TranslateError> {
    let mut all = negated.atoms.clone();
    let positions: Vec<u32> = atoms
        .iter()
        .map(|atom| {
            let known = all.iter().position(|a| a == atom);
            known.unwrap_or_else(|| {
                all.push(atom.clone());
                all.len() - 1
            }) as u32
        })
        .collect();
    let cubes = cubes(&trigger.conditions, &positions);
    // Runs of X1 that go on for ever must not be accepted.
    let (marks, every) = match negated.marks {
        0 => (1, 1),
        marks => (marks, 0),
    };
    let mut transitions: Vec<Transition> = negated.transitions.clone();
    for t in &mut transitions {
        t.marks |= every;
    }
    let first: Vec<Transition> =
        transitions.iter().filter(|t| t.from == negated.initial).cloned().collect();
    let state = |q: u32| StateId(negated.states + q);
    let mut goes_on = vec![false; trigger.accepting.len()];
    for &(from, ..) in &trigger.transitions {
        goes_on[from as usize] = true;
    }
    for &(from, condition, to) in &trigger.transitions {
        let Some(read) = &cubes[condition as usize] else {
            return Err(TranslateError::Cubes { limit: MAX_CUBES });
        };
        // X1.
        if goes_on[to as usize] && !read.is_empty() {
            let label = Label { cubes: read.clone() };
            transitions.push(Transition { from: state(from), label, to: state(to), marks: 0 });
        }
        // X2.
        if !trigger.accepting[to as usize] {
            continue;
        }
        for t in &first {
            let Some(both) = conjunction(read, &t.label.cubes) else {
                return Err(TranslateError::Cubes { limit: MAX_CUBES });
            };
            if !both.is_empty() {
                let label = Label { cubes: both };
                transitions.push(Transition { from: state(from), label, to: t.to, marks: t.marks });
            }
        }
    }
    let states = negated.states + trigger.accepting.len() as u32;
    let out = Tgba { atoms: all, states, initial: state(0), transitions, marks };
    debug_assert_eq!(out.validate(), Ok(()));
    Ok(out)
}

/// Booleans as sums of cubes; none where there are too many.
fn cubes(conditions: &[Condition], positions: &[u32]) -> Vec<Option<Vec<Cube>>> {
    // With their negations.
    let mut out: Vec<[Option<Vec<Cube>>; 2]> = Vec::with_capacity(conditions.len());
    for condition in conditions {
        let get = |id: u32, value: bool| out[id as usize][usize::from(!value)].as_deref();
        let both = |a: u32, b: u32, value: bool| conjunction(get(a, value)?, get(b, value)?);
        let either = |a: u32, b: u32, value: bool| {
            let mut sum = [get(a, value)?, get(b, value)?].concat();
            sum.sort();
            sum.dedup();
            (sum.len() <= MAX_CUBES).then_some(sum)
        };
        let pair = match *condition {
            Condition::Constant(value) => {
                let (all, none) = (vec![Cube::default()], Vec::new());
                if value { [Some(all), Some(none)] } else { [Some(none), Some(all)] }
            }
            Condition::Atom(atom) => {
                [true, false].map(|value| Some(vec![Cube(vec![(positions[atom as usize], value)])]))
            }
            Condition::Not(a) => [get(a, false), get(a, true)].map(|c| c.map(<[Cube]>::to_vec)),
            Condition::And(a, b) => [both(a, b, true), either(a, b, false)],
            Condition::Or(a, b) => [either(a, b, true), both(a, b, false)],
        };
        out.push(pair);
    }
    out.into_iter().map(|[holds, _]| holds).collect()
}

/// The letters of two sums of cubes; none if there are too many cubes.
fn conjunction(a: &[Cube], b: &[Cube]) -> Option<Vec<Cube>> {
    let mut out = Vec::new();
    for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
        if x.intersects(y) {
            let mut both = [&x.0[..], &y.0[..]].concat();
            both.sort_unstable();
            both.dedup();
            out.push(Cube(both));
        }
        if out.len() > 4 * MAX_CUBES {
            return None;
        }
    }
    out.sort();
    out.dedup();
    (out.len() <= MAX_CUBES).then_some(out)
}
