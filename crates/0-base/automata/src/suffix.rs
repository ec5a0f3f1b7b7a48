//! The automaton of the words that violate a suffix implication `{r}(f)`.
//!
//! - X1. It reads a finite word as the automaton of `r` does, and meets no mark.
//! - X2. Where that accepts when it has read a letter, the automaton of `¬f` may take over: that letter is
//!   the first that it reads.

use crate::diagram::Diagrams;
use crate::ltl::Atom;
use crate::marks::Marks;
use crate::sere::{Condition, Nfa};
use crate::tgba::{StateId, Tgba, Transition};
use crate::translate::{MAX_NODES, TranslateError};
use bdd::{Bdd, Config, Manager, Stop};
use rustc_hash::FxHashMap;

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
    let mut bdd = Manager::new(Config { node_limit: MAX_NODES, ..Config::default() });
    let reads = conditions(&mut bdd, &trigger.conditions, &positions)?;
    let known = negated.labels.export(&mut bdd, Manager::var)?;
    // Runs of X1 that go on for ever must not be accepted.
    let (marks, every) = match negated.marks {
        0 => (1, Marks::one(0)),
        marks => (marks, Marks::none()),
    };
    let mut labels = Diagrams::new();
    let mut done = FxHashMap::default();
    let mut transitions: Vec<Transition> = Vec::new();
    let mut add = |bdd: &Manager, from: StateId, label: Bdd, to: StateId, marks: Marks| {
        if !label.is_false() {
            let label = labels.import(bdd, &mut done, label, |var| var);
            transitions.push(Transition { from, label, to, marks });
        }
    };
    let marked = |t: &Transition| {
        let mut marks = t.marks.clone();
        marks.unite(&every);
        marks
    };
    for t in &negated.transitions {
        add(&bdd, t.from, known[t.label.index()], t.to, marked(t));
    }
    let first: Vec<&Transition> =
        negated.transitions.iter().filter(|t| t.from == negated.initial).collect();
    let state = |q: u32| StateId(negated.states + q);
    let mut goes_on = vec![false; trigger.accepting.len()];
    for &(from, ..) in &trigger.transitions {
        goes_on[from as usize] = true;
    }
    for &(from, condition, to) in &trigger.transitions {
        let read = reads[condition as usize];
        // X1.
        if goes_on[to as usize] {
            add(&bdd, state(from), read, state(to), Marks::none());
        }
        // X2.
        if !trigger.accepting[to as usize] {
            continue;
        }
        for t in &first {
            let both = bdd.and(read, known[t.label.index()])?;
            add(&bdd, state(from), both, t.to, marked(t));
        }
    }
    let states = negated.states + trigger.accepting.len() as u32;
    let out = Tgba { atoms: all, labels, states, initial: state(0), transitions, marks };
    debug_assert_eq!(out.validate(), Ok(()));
    Ok(out)
}

/// Booleans as diagrams.
fn conditions(
    bdd: &mut Manager,
    conditions: &[Condition],
    positions: &[u32],
) -> Result<Vec<Bdd>, Stop> {
    let mut out: Vec<Bdd> = Vec::with_capacity(conditions.len());
    for condition in conditions {
        let get = |id: u32| out[id as usize];
        out.push(match *condition {
            Condition::Constant(true) => Bdd::TRUE,
            Condition::Constant(false) => Bdd::FALSE,
            Condition::Atom(atom) => bdd.var(positions[atom as usize])?,
            Condition::Not(a) => get(a).not(),
            Condition::And(a, b) => bdd.and(get(a), get(b))?,
            Condition::Or(a, b) => bdd.or(get(a), get(b))?,
        });
    }
    Ok(out)
}
