//! Random texts: the same ones always.

use front_remopla::{LowerError, MAX_ERRORS, ParseError};
use source::{SourceFile, render};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Small changes of a text: words and single characters are removed, repeated and exchanged.
pub(crate) fn mutants(text: &str, seed: u64, count: usize) -> impl Iterator<Item = String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').count();
        let (piece, left) = rest.split_at(word.max(1));
        pieces.push(piece);
        rest = left;
    }
    let mut random = Random(seed);
    (0..count).map(move |_| {
        let mut text = pieces.clone();
        for _ in 0..1 + random.below(3) {
            let (i, j) = (random.below(text.len()), random.below(text.len()));
            match random.below(4) {
                0 => _ = text.remove(i),
                1 => text[i] = text[j],
                2 => text.swap(i, j),
                _ => text.insert(i, pieces[j.min(pieces.len() - 1)]),
            }
        }
        text.concat()
    })
}

/// What holds of every text in a language: errors have places and can be shown, and what is accepted prints as the
/// same tree. Returns whether it was accepted, and what it means.
pub(crate) fn holds_of_text<T: PartialEq, M>(
    name: &str,
    text: &str,
    parse: impl Fn(&str) -> (T, Vec<ParseError>),
    print: impl Fn(&T) -> String,
    lower: impl Fn(&T, &SourceFile) -> Result<M, Vec<LowerError>>,
) -> (bool, Option<M>) {
    let file = SourceFile::new(name, text).unwrap();
    let (tree, errors) = parse(text);
    assert!(errors.len() <= MAX_ERRORS + 1);
    for error in &errors {
        assert!(text.get(error.span.range()).is_some(), "{error} at {:?} of {text:?}", error.span);
        assert!(render(&error.diagnostic(), &file).contains(&format!("{name}:")));
    }
    let printed = print(&tree);
    let lowered = lower(&tree, &file);
    if let Err(problems) = &lowered {
        assert!(!problems.is_empty(), "{text:?}");
        for problem in problems {
            assert!(render(&problem.diagnostic(), &file).contains(name));
        }
    }
    if !errors.is_empty() {
        return (false, None);
    }
    let (again, errors) = parse(&printed);
    assert!(errors.is_empty(), "{} in {printed:?}, printed from {text:?}", errors[0]);
    assert!(again == tree, "{text:?} is printed as {printed:?}");
    assert_eq!(print(&again), printed);
    (true, lowered.ok())
}
