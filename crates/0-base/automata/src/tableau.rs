//! The closure tableau of Clarke, Grumberg and Hamaguchi (CAV 1994): a second, plain way from
//! formulas to automata. It shares nothing with the translation but the type of its result.
//!
//! A state is a guess of everything: the letter, and for each formula `f` under `X`, or with a
//! temporal operator on top, whether `f` holds in the next step. What holds now follows from the
//! guess. A step leads to every state in which exactly the formulas guessed do hold. One mark for
//! each temporal operator sees to it that what is put off comes, and that what fails later fails.

use rustc_hash::FxHashMap;

use crate::diagram::Diagrams;
use crate::ltl::{Binary, FormulaId, Formulas, Node, Unary};
use crate::marks::Marks;
use crate::tgba::{StateId, Tgba, Transition};

/// The largest number of guesses of one state; twice as many states for each.
pub const MAX_GUESSES: usize = 12;

/// An automaton that accepts the words which satisfy the formula; `None` if the formula asks for
/// more than [`MAX_GUESSES`] guesses. It is large: exponential always, not
/// in the worst case only.
///
/// ```
/// use automata::{ltl, tableau};
///
/// let f = ltl::parse("p U q").unwrap();
/// let tableau = tableau(&f.formulas, f.root).unwrap();
/// // p for ever does not satisfy it; p, then q for ever does.
/// assert!(!tableau.accepts_lasso(0, 1, |_, atom| atom == 0));
/// assert!(tableau.accepts_lasso(1, 1, |i, atom| i == 0 && atom == 0 || i == 1 && atom == 1));
/// ```
#[must_use]
pub fn tableau(formulas: &Formulas, root: FormulaId) -> Option<Tgba> {
    let atoms = formulas.atoms_of(root);
    let subformulas = formulas.subformulas(root);
    // What is guessed about the next step, in order; guess `i` is bit `atoms + i` of a state.
    let mut guessed: Vec<FormulaId> = Vec::new();
    let mut marked: Vec<FormulaId> = Vec::new();
    for &f in &subformulas {
        match formulas.node(f) {
            Node::Unary(Unary::Next, g) => guessed.push(g),
            Node::Unary(Unary::Finally | Unary::Globally, _)
            | Node::Binary(
                Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease,
                ..,
            ) => {
                guessed.push(f);
                marked.push(f);
            }
            _ => {}
        }
    }
    guessed.sort_unstable();
    guessed.dedup();
    let bits = atoms.len() + guessed.len();
    if bits > MAX_GUESSES {
        return None;
    }
    let states = 1usize << bits;
    let mut initial = Vec::new();
    let mut marks: Vec<Marks> = Vec::with_capacity(states);
    // The states in which exactly the guesses come true, for each set of guesses.
    let mut fulfilling: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
    let mut holds: FxHashMap<FormulaId, bool> = FxHashMap::default();
    for state in 0..states {
        let bit = |i: usize| state >> i & 1 == 1;
        let later = |f: FormulaId| {
            bit(atoms.len() + guessed.binary_search(&f).expect("temporal formulas are guessed"))
        };
        for &f in &subformulas {
            let now = |g: FormulaId| holds[&g];
            let value = match formulas.node(f) {
                Node::Const(value) => value,
                Node::Atom(atom) => {
                    bit(atoms.binary_search(&atom).expect("an atom of the formula"))
                }
                Node::Unary(Unary::Not, g) => !now(g),
                Node::Unary(Unary::Next, g) => later(g),
                Node::Unary(Unary::Finally, g) => now(g) || later(f),
                Node::Unary(Unary::Globally, g) => now(g) && later(f),
                Node::Binary(Binary::And, g, h) => now(g) && now(h),
                Node::Binary(Binary::Or, g, h) => now(g) || now(h),
                Node::Binary(Binary::Xor, g, h) => now(g) != now(h),
                Node::Binary(Binary::Implies, g, h) => !now(g) || now(h),
                Node::Binary(Binary::Iff, g, h) => now(g) == now(h),
                Node::Binary(Binary::Until | Binary::WeakUntil, g, h) => {
                    now(h) || (now(g) && later(f))
                }
                Node::Binary(Binary::Release | Binary::StrongRelease, g, h) => {
                    now(h) && (now(g) || later(f))
                }
            };
            holds.insert(f, value);
        }
        let now = |g: FormulaId| holds[&g];
        let mut set = Marks::none();
        for (i, &f) in marked.iter().enumerate() {
            // A least fixpoint that holds must be fulfilled, a greatest that fails must be broken.
            let settled = match formulas.node(f) {
                Node::Unary(Unary::Finally, g) => !now(f) || now(g),
                Node::Unary(Unary::Globally, g) => now(f) || !now(g),
                Node::Binary(Binary::Until, _, h) => !now(f) || now(h),
                Node::Binary(Binary::WeakUntil, g, h) => now(f) || (!now(g) && !now(h)),
                Node::Binary(Binary::Release, _, h) => now(f) || !now(h),
                Node::Binary(Binary::StrongRelease, g, h) => !now(f) || (now(g) && now(h)),
                _ => unreachable!("only temporal operators have marks"),
            };
            if settled {
                set.insert(i as u32);
            }
        }
        marks.push(set);
        let come_true =
            guessed.iter().enumerate().fold(0, |set, (i, &f)| set | usize::from(now(f)) << i);
        fulfilling.entry(come_true).or_default().push(state as u32);
        if now(root) {
            initial.push(state as u32);
        }
    }
    let mut transitions = Vec::new();
    let mut labels = Diagrams::new();
    let mut add_steps = |from: u32, state: u32| {
        let literals: Vec<(u32, bool)> =
            (0..atoms.len()).map(|i| (i as u32, state >> i & 1 == 1)).collect();
        let label = labels.literals(&literals);
        let guesses = state as usize >> atoms.len();
        for &to in fulfilling.get(&guesses).map_or(&[][..], Vec::as_slice) {
            transitions.push(Transition {
                from: StateId(from),
                label,
                to: StateId(to),
                marks: marks[state as usize].clone(),
            });
        }
    };
    for state in 0..states as u32 {
        add_steps(state, state);
    }
    // One more state, with the steps of all initial ones.
    for &state in &initial {
        add_steps(states as u32, state);
    }
    Some(Tgba {
        atoms: atoms.iter().map(|atom| formulas.atoms()[atom.index()].clone()).collect(),
        labels,
        states: states as u32 + 1,
        initial: StateId(states as u32),
        transitions,
        marks: marked.len() as u32,
    })
}
