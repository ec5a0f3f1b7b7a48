//! What the tests of this crate share: random numbers, formulas and words, and the tables of
//! others.
#![allow(dead_code, unreachable_pub)] // each test uses a part
#![allow(clippy::print_stderr)] // and says why it skips one

pub(crate) mod families;
use std::path::{Path, PathBuf};

use automata::Tgba;
use automata::ltl::{Atom, AtomId, Binary, FormulaId, Formulas, Unary, eval_lasso};

/// SplitMix64: a seed means the same test for ever.
pub struct Rng(pub u64);

impl Rng {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }
}

pub const UNARY: [Unary; 4] = [Unary::Not, Unary::Next, Unary::Finally, Unary::Globally];
pub const BINARY: [Binary; 9] = [
    Binary::And,
    Binary::Or,
    Binary::Until,
    Binary::Release,
    Binary::WeakUntil,
    Binary::StrongRelease,
    Binary::Implies,
    Binary::Xor,
    Binary::Iff,
];

/// The atoms `a`, `b`, `c`, … as formulas.
pub fn atoms(formulas: &mut Formulas, count: usize) -> Vec<FormulaId> {
    (0..count).map(|i| formulas.atom(Atom::Var(char::from(b'a' + i as u8).to_string()))).collect()
}

/// A formula with so many operators and atoms.
pub fn random_formula(
    rng: &mut Rng,
    formulas: &mut Formulas,
    atoms: &[FormulaId],
    size: usize,
) -> FormulaId {
    match size {
        0 | 1 if rng.below(12) == 0 => {
            let value = rng.below(2) == 0;
            formulas.constant(value)
        }
        0 | 1 => atoms[rng.below(atoms.len())],
        2 => {
            let f = random_formula(rng, formulas, atoms, 1);
            formulas.unary(UNARY[rng.below(4)], f)
        }
        _ if rng.below(3) == 0 => {
            let f = random_formula(rng, formulas, atoms, size - 1);
            formulas.unary(UNARY[rng.below(4)], f)
        }
        _ => {
            let left = 1 + rng.below(size - 2);
            let f = random_formula(rng, formulas, atoms, left);
            let g = random_formula(rng, formulas, atoms, size - 1 - left);
            // The boolean operators that double a formula are rarer.
            let operators = if rng.below(4) == 0 { 9 } else { 7 };
            let op = rng.below(operators);
            formulas.binary(BINARY[op], f, g)
        }
    }
}

/// An ultimately periodic word; bit `i` of a letter is the atom called by the i-th letter of the
/// alphabet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub stem: usize,
    pub letters: Vec<u32>,
}

impl Word {
    pub fn cycle(&self) -> usize {
        self.letters.len() - self.stem
    }

    pub fn random(rng: &mut Rng, atoms: usize) -> Word {
        let (stem, cycle) = (rng.below(5), 1 + rng.below(4));
        let letters = (0..stem + cycle).map(|_| rng.below(1 << atoms) as u32).collect();
        Word { stem, letters }
    }

    /// All words with at most so many letters before and in the cycle.
    pub fn all(atoms: usize, stem: usize, cycle: usize) -> Vec<Word> {
        let mut words = Vec::new();
        for s in 0..=stem {
            for c in 1..=cycle {
                for code in 0..1u64 << (atoms * (s + c)) {
                    let letter = |i: usize| (code >> (i * atoms)) as u32 & ((1 << atoms) - 1);
                    words.push(Word { stem: s, letters: (0..s + c).map(letter).collect() });
                }
            }
        }
        words
    }

    /// From Spot's notation: `a&!b;cycle{!a&b;1}`.
    pub fn parse(text: &str) -> Word {
        let (stem, cycle) = text.split_once("cycle{").expect("a word has a cycle");
        let letters = |text: &str| -> Vec<u32> {
            let letters = text.split(';').filter(|letter| !letter.trim().is_empty());
            letters
                .map(|letter| {
                    let literals = letter.split('&').map(str::trim);
                    literals
                        .filter(|literal| !literal.starts_with('!'))
                        .map(|literal| 1 << (literal.as_bytes()[0] - b'a'))
                        .sum()
                })
                .collect()
        };
        let mut all = letters(stem);
        let stem = all.len();
        all.extend(letters(cycle.trim_end_matches('}')));
        Word { stem, letters: all }
    }

    fn holds(&self, i: usize, atom: &Atom) -> bool {
        let Atom::Var(name) = atom else { panic!("{atom} is no letter") };
        self.letters[i] >> (name.as_bytes()[0] - b'a') & 1 == 1
    }

    pub fn satisfies(&self, formulas: &Formulas, f: FormulaId) -> bool {
        eval_lasso(formulas, f, self.stem, self.cycle(), |i, atom: AtomId| {
            self.holds(i, &formulas.atoms()[atom.index()])
        })
    }

    pub fn accepted_by(&self, automaton: &Tgba) -> bool {
        automaton.accepts_lasso(self.stem, self.cycle(), |i, atom| {
            self.holds(i, &automaton.atoms[atom as usize])
        })
    }
}

/// A table of the shared corpus; `None`, with a word why, where there is none.
pub fn table(name: &str) -> Option<String> {
    let folder = match std::env::var_os("POSTBOP_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus"),
    };
    let path = folder.join("ltl").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("skipped: there is no table {}", path.display());
    }
    text
}
