//! Sugar's extended regular expressions (SERE), and properties that are made of them ([c2edl §3], PSL).
//!
//! | text | words |
//! |---|---|
//! | `b` | one letter at which the boolean `b` holds |
//! | `r ; s`, `r , s` | one after the other |
//! | `r : s` | the last letter of the one is the first of the other |
//! | `r \| s` | either |
//! | `r && s` | both, of the same length |
//! | `r & s` | both; the shorter one may end before |
//! | `r[*]`, `r[+]`, `r[*n]`, `r[*n:m]` | any number, at least one, so many times; without `r`, of any letters |
//! | `b[->n]`, `b[=n]` | up to the `n`th `b`; the same and then no `b` |
//!
//! A property is `never {r}`, `{r}(f)`, `{r} |-> f` or `{r} |=> f`, and `f` may be another one: `{r}({s}(f))`. The empty word triggers none. If `f` is
//! a boolean, finite words violate the property ([`violations`]); it may be a formula of LTL, about the run
//! that begins with the last letter of the word ([`property`], [`crate::suffix`]). As a sequence `{s}` it is weak: what begins
//! there may be ended before it is a word of `s`, and violates where it cannot become one any more. Where runs have ends that
//! can be told, the simplest formulas are finite words, too ([`violations_to`]): `F b`, `G b`, `X b`, `b U c`, `b W c`.
//!
//! ```
//! use automata::sere::violations;
//!
//! let nfa = violations("{true[*]; request; !grant[*]}(!reset)").unwrap();
//! let atom = |name: &str| nfa.atoms.iter().position(|a| a == name).unwrap() as u32;
//! let (request, reset) = (atom("request"), atom("reset"));
//! assert!(nfa.accepts(&[vec![request], vec![], vec![reset]]));
//! assert!(!nfa.accepts(&[vec![reset], vec![request], vec![]]));
//! ```

mod parse;
mod part;

use crate::ltl::{self, Binary, Formula, LtlError, Unary, parse_with};
use parse::{Conclusion, Parser};
use std::fmt;
use std::ops::Range;

/// Larger automata are refused.
pub const MAX_STATES: usize = 10_000;

/// Why a text is no property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SereError {
    /// Where, in bytes.
    pub at: usize,
    /// What.
    pub kind: SereErrorKind,
}

/// What is wrong with a property.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SereErrorKind {
    /// Something else should stand here.
    Expected(&'static str),
    /// `!`, `[->n]` and `[=n]` want a boolean.
    NotBoolean,
    /// A bracket that is not closed, or never was opened.
    Bracket,
    /// `[*n:m]` with `m < n`.
    Range,
    /// More than [`MAX_STATES`] states.
    TooLarge,
    /// The conclusion is neither a boolean nor a formula of LTL.
    Conclusion(Box<LtlError>),
}

impl fmt::Display for SereError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            SereErrorKind::Expected(what) => write!(f, "expected {what}"),
            SereErrorKind::NotBoolean => write!(f, "expected a boolean, found a sequence"),
            SereErrorKind::Bracket => write!(f, "a bracket without its partner"),
            SereErrorKind::Range => write!(f, "an empty range"),
            SereErrorKind::TooLarge => write!(f, "an automaton of more than {MAX_STATES} states"),
            SereErrorKind::Conclusion(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SereError {}

/// The position of a boolean in [`Nfa::conditions`].
pub type ConditionId = u32;

/// A boolean over atoms; operands come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// `true`, `false`
    Constant(bool),
    /// An atom, by its position in [`Nfa::atoms`].
    Atom(u32),
    /// `!b`
    Not(ConditionId),
    /// `b && c`
    And(ConditionId, ConditionId),
    /// `b || c`
    Or(ConditionId, ConditionId),
}

/// A finite automaton over letters; its words violate a property. State 0 is initial.
#[derive(Clone, Debug)]
pub struct Nfa {
    /// The atoms, as they are written, in order of appearance.
    pub atoms: Vec<String>,
    /// The booleans on transitions.
    pub conditions: Vec<Condition>,
    /// From, letter, to; sorted.
    pub transitions: Vec<(u32, ConditionId, u32)>,
    /// For each state, whether it accepts.
    pub accepting: Vec<bool>,
}

impl Nfa {
    /// Whether a boolean holds of a letter, given by what it says of atoms.
    pub fn holds(&self, condition: ConditionId, letter: &dyn Fn(u32) -> bool) -> bool {
        let mut values = Vec::with_capacity(condition as usize + 1);
        for c in &self.conditions[..=condition as usize] {
            let get = |id: ConditionId| -> bool { values[id as usize] };
            let value = match *c {
                Condition::Constant(value) => value,
                Condition::Atom(atom) => letter(atom),
                Condition::Not(a) => !get(a),
                Condition::And(a, b) => get(a) && get(b),
                Condition::Or(a, b) => get(a) || get(b),
            };
            values.push(value);
        }
        values[condition as usize]
    }

    /// Whether it accepts a word; letters are given by the atoms that hold.
    pub fn accepts(&self, word: &[Vec<u32>]) -> bool {
        let mut states = vec![false; self.accepting.len()];
        states[0] = true;
        for letter in word {
            let mut next = vec![false; states.len()];
            for &(from, condition, to) in &self.transitions {
                if states[from as usize] && self.holds(condition, &|atom| letter.contains(&atom)) {
                    next[to as usize] = true;
                }
            }
            states = next;
        }
        states.iter().zip(&self.accepting).any(|(here, accepts)| *here && *accepts)
    }
}

/// A property.
#[derive(Clone, Debug)]
pub enum Sere {
    /// Its conclusion is a boolean: the finite words that violate it.
    Words(Nfa),
    /// `{r}(f)` with a temporal `f`, which is to hold at the last letter of every word of `r`.
    Suffix {
        /// The words of `r`.
        trigger: Nfa,
        /// Where `f` is in the text.
        conclusion: Range<usize>,
    },
}

/// Reads a property. Its conclusion is a formula of LTL; `known` tells, as for
/// [`parse_with`], which words are names.
pub fn property(text: &str, known: &dyn Fn(&str) -> bool) -> Result<Sere, SereError> {
    let mut parser = Parser::new(text);
    let (root, conclusion) = parser.sides()?;
    let conclusion = match conclusion {
        Conclusion::Never => return parser.never(root).map(Sere::Words),
        Conclusion::Sequence => return parser.automaton(root).map(Sere::Words),
        Conclusion::Formula(conclusion) => conclusion,
    };
    let boolean = match parse_with(&text[conclusion.clone()], known) {
        Ok(f) if is_temporal(&f) => {
            return Ok(Sere::Suffix { trigger: parser.automaton(root)?, conclusion });
        }
        // Sugar's own booleans come first, then what LTL has besides.
        Ok(f) => match parser.boolean(conclusion) {
            Ok(b) => b,
            Err(_) => parser.lowered(&f),
        },
        Err(ltl) => parser.boolean(conclusion.clone()).map_err(|sere| {
            let at = conclusion.start + ltl.span.start as usize;
            match at > sere.at {
                true => SereError { at, kind: SereErrorKind::Conclusion(Box::new(ltl)) },
                false => sere,
            }
        })?,
    };
    parser.violating(root, boolean).map(Sere::Words)
}

/// The words that violate a property whose conclusion is a boolean.
pub fn violations(text: &str) -> Result<Nfa, SereError> {
    let mut parser = Parser::new(text);
    let (root, conclusion) = parser.sides()?;
    match conclusion {
        Conclusion::Never => parser.never(root),
        Conclusion::Sequence => parser.automaton(root),
        Conclusion::Formula(conclusion) => {
            let boolean = parser.boolean(conclusion)?;
            parser.violating(root, boolean)
        }
    }
}

/// The same, with `F b`, `G b`, `X b`, `b U c` and `b W c` as conclusions: `F b` is violated by a word with the atom `end` at its
/// last letter and no `b`. Runs that do not end violate no `F`.
pub fn violations_to(text: &str, end: &str) -> Result<Nfa, SereError> {
    let mut parser = Parser::new(text);
    let (root, conclusion) = parser.sides()?;
    match conclusion {
        Conclusion::Never => parser.never(root),
        Conclusion::Sequence => parser.automaton(root),
        Conclusion::Formula(conclusion) => match parser.temporal(conclusion.clone(), end)? {
            Some(broken) => parser.breaking(root, broken),
            None => {
                let boolean = parser.boolean(conclusion)?;
                parser.violating(root, boolean)
            }
        },
    }
}

/// Whether a formula speaks of more than the present.
fn is_temporal(f: &Formula) -> bool {
    f.formulas.subformulas(f.root).into_iter().any(|g| match f.formulas.node(g) {
        ltl::Node::Unary(op, _) => op != Unary::Not,
        ltl::Node::Binary(op, ..) => matches!(
            op,
            Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease
        ),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn nested_and_bare() {
        let accepts = |text: &str, word: &[&str]| {
            let nfa = super::violations(text).unwrap();
            let atom = |name: &str| nfa.atoms.iter().position(|a| a == name).unwrap() as u32;
            let word: Vec<Vec<u32>> =
                word.iter().map(|l| l.split_whitespace().map(atom).collect()).collect();
            nfa.accepts(&word)
        };
        for text in ["{[*]; a}({b; c}(d))", "{true[*]; a} |-> {b; c} |-> d", "{[*]; a : b; c}(d)"] {
            assert!(accepts(text, &["", "a b", "c"]), "{text}");
            assert!(!accepts(text, &["", "a b", "c d"]), "{text}");
            assert!(!accepts(text, &["", "a", "c"]), "{text}");
        }
        assert!(accepts("{a} |=> {b}(d)", &["a", "b"]));
        assert!(!accepts("{a} |=> {b}(d)", &["a b"]));
        for (text, at) in
            [("{a}({b}) c", 9), ("{a} |=> {b} c", 12), ("{a}({b}(c) d)", 11), ("{a}(c) d", 7)]
        {
            assert_eq!(super::violations(text).unwrap_err().at, at, "{text}");
        }
    }

    use super::{SereErrorKind, violations};

    /// Words over `a`, `b`, `c`, `.`; several letters at once in parentheses.
    fn check(property: &str, violating: &[&str], fine: &[&str]) {
        let nfa = violations(property).unwrap_or_else(|e| panic!("{property}: {e}"));
        let word = |text: &str| {
            let mut out: Vec<Vec<u32>> = Vec::new();
            let mut group: Option<Vec<u32>> = None;
            for c in text.chars() {
                let atom = nfa.atoms.iter().position(|a| *a == c.to_string()).map(|i| i as u32);
                match c {
                    '(' => group = Some(Vec::new()),
                    ')' => out.extend(group.take()),
                    '.' => out.push(Vec::new()),
                    _ => match &mut group {
                        Some(group) => group.extend(atom),
                        None => out.push(atom.into_iter().collect()),
                    },
                }
            }
            out
        };
        for text in violating {
            assert!(nfa.accepts(&word(text)), "{property}: {text}");
        }
        for text in fine {
            assert!(!nfa.accepts(&word(text)), "{property}: {text}");
        }
    }

    #[test]
    fn operators() {
        check("never { a ; b }", &["ab", "..ab", "aab", "(ab)(ab)"], &["", "a", "b", "a.b", "aba"]);
        check("never { a , b[*] , c }", &["ac", "abc", "abbc", ".abbc"], &["abb", "a.c"]);
        check("never { a : b }", &["(ab)", "a(ab)"], &["ab", "a", "b"]);
        check("never { {a;b} : {b;c} }", &["abc", "a(abc)c"], &["ab", "abbc"]);
        check("never { {a;a} | c }", &["aa", "c"], &["a", "ab"]);
        check("never { {a;a[*]} && {true;true;true} }", &["aaa"], &["aa", "a", "ab"]);
        check("never { {a} & {true;b} }", &["ab", "(ab)b"], &["a", "b", "a."]);
        check("never { a[*2] }", &["aa"], &["a", "a.a"]);
        check("never { b; a[*1:2]; b }", &["bab", "baab"], &["bb", "baaab"]);
        check("never { b; a[*0:1]; b }", &["bab", "bb"], &["baab"]);
        check("never { b; a[*2:$]; b }", &["baab", "baaab"], &["bab", "bb"]);
        check("never { b; a[+]; b }", &["bab", "baab"], &["bb"]);
        check("never { b; a[->2]; b }", &["baab", "b.a.ab"], &["bab", "baa.b"]);
        check("never { b; a[=1]; c }", &["bac", "b.a.c"], &["bc", "baac"]);
        check("never { !(a || b)[*2]; a && !b }", &["..a", "cca"], &["..(ab)", ".a"]);
        check("never { !a[*]; b }", &["b", "..b"], &["a"]);
    }

    #[test]
    fn implications() {
        check("{true[*]; a}(b)", &["a", ".a", "(ab)a"], &["", "(ab)", "b"]);
        // Without `true[*]`, from the beginning only.
        check("{a}(b)", &["a"], &[".a", "(ab)"]);
        check("{a} |-> b", &["a"], &[".a", "(ab)"]);
        check("{true[*]; a} |=> b", &["a.", "ba."], &["a", "ab"]);
        // The empty word triggers nothing.
        check("{a[*]}(b)", &["a", "(ab)a"], &["", ".", "(ab)"]);
        check("{true[*], a, b[*], c[+]}(d)", &["ac", "abc", "abbcc"], &["ab", "a(cd)"]);
    }

    #[test]
    fn sequences_as_conclusions() {
        check(
            "{[*]; a} |=> {b; c}",
            &["a.", "ab.", "aba", "..a."],
            &["", "a", "ab", "abc", "abc."],
        );
        check("{a} |-> {b; c}", &["a", "(ab)."], &["(ab)", "(ab)c", "b"]);
        check("{a}({true; b[*]; c})", &["a.", "abb."], &["abbc", "abb", "ac."]);
        check("{a} |=> {b[*]}", &[], &["a.", "ab."]);
        check("{a} |=> {{b; c} | {b; a}}", &["ab.", "a."], &["abc", "aba", "ab"]);
        check("{[*]; a} |=> {b} |=> {c}", &["aba"], &["abc", "aca"]);
    }

    /// Against all words up to some length: a word violates if a part of it that begins behind `r` is no prefix of what
    /// `s` matches, and has no word of `s` as a prefix.
    #[test]
    fn sequences_are_weak() {
        let parts =
            ["a", "b", "a;b", "a[*];b", "{a;b}|{b;a}", "b[+]", "{a|b};a", "a:b", "{a;a}&{b}"];
        let letters: Vec<Vec<&str>> = vec![vec![], vec!["a"], vec!["b"], vec!["a", "b"]];
        let mut words: Vec<Vec<usize>> = vec![vec![]];
        for n in 0.. {
            if n == words.len() || words[n].len() == 4 {
                break;
            }
            let more = (0..letters.len()).map(|l| [&words[n][..], &[l]].concat());
            words.extend(more.collect::<Vec<_>>());
        }
        for r in parts {
            for s in parts {
                // The words of an expression, as those that break that there is none.
                let matcher = |text: &str| {
                    let nfa = violations(&format!("{{{text}}}(false)")).unwrap();
                    let name = |a: &str| nfa.atoms.iter().position(|x| x == a).map(|i| i as u32);
                    let names: Vec<Vec<u32>> = letters
                        .iter()
                        .map(|l| l.iter().filter_map(|a| name(a)).collect())
                        .collect();
                    move |word: &[usize]| {
                        let word: Vec<Vec<u32>> = word.iter().map(|l| names[*l].clone()).collect();
                        nfa.accepts(&word)
                    }
                };
                let (of_r, of_s) = (matcher(r), matcher(s));
                let text = format!("{{{r}}} |=> {{{s}}}");
                let nfa = violations(&text).unwrap();
                let name = |a: &str| nfa.atoms.iter().position(|x| x == a).map(|i| i as u32);
                for word in words.iter().filter(|w| w.len() <= 3) {
                    let broken = (1..word.len()).any(|cut| {
                        let rest = &word[cut..];
                        let matched = (1..=rest.len()).any(|n| of_s(&rest[..n]));
                        let open = words.iter().any(|w| w.starts_with(rest) && of_s(w));
                        of_r(&word[..cut]) && !matched && !open
                    });
                    let shown = (0..=word.len()).any(|n| {
                        let letters: Vec<Vec<u32>> = (word[..n].iter())
                            .map(|l| letters[*l].iter().filter_map(|a| name(a)).collect())
                            .collect();
                        nfa.accepts(&letters)
                    });
                    assert_eq!(broken, shown, "{text}: {word:?}");
                }
            }
        }
    }

    #[test]
    fn formulas_up_to_the_end() {
        let words = |property: &str, word: &[&str]| {
            let nfa = super::violations_to(property, "e").unwrap();
            let atom = |name: &str| nfa.atoms.iter().position(|a| a == name).map(|i| i as u32);
            let word: Vec<Vec<u32>> =
                word.iter().map(|l| l.split_whitespace().filter_map(atom).collect()).collect();
            nfa.accepts(&word)
        };
        assert!(words("{[*]; a}(F b)", &["a", "", "e"]));
        assert!(words("{[*]; a} |-> (F b)", &["", "a e"]));
        assert!(!words("{[*]; a}(F b)", &["a", "b", "e"]));
        assert!(!words("{[*]; a} |=> F b", &["a b", ""]));
        assert!(words("{[*]; a} |=> F b", &["a b", "", "e"]));
        assert!(!words("{[*]; a}(F b)", &["a", "", "e b"]));
        assert!(words("{a}(G b)", &["a b", "b", ""]));
        assert!(!words("{a}(G b)", &["a b", "b"]));
        assert!(words("{a}(X b)", &["a", ""]));
        assert!(words("{a}(b U c)", &["a b", "b", "b e"]));
        assert!(!words("{a}(b W c)", &["a b", "b", "b e"]));
        assert!(words("{a}(b W c)", &["a b", "b", "e"]));
        assert!(!words("{a}(b U c)", &["a b", "c", "e"]));
        // Names that only begin so.
        assert!(!words("{a}(Fb)", &["a Fb"]));
        assert!(words("{a}(F)", &["a"]));
    }

    #[test]
    fn garbage_collection() {
        // [c2edl §6.1]
        let nfa = violations(
            "never { true[*]; assign(v) && !call(save_bdd,v); !(assign(v) || call(save_bdd, v))[*];
                     call(mygarbage); !assign(v)[*]; use(v) }",
        )
        .expect("a property");
        assert_eq!(nfa.atoms, ["assign(v)", "call(save_bdd, v)", "call(mygarbage)", "use(v)"]);
        assert!(nfa.accepts(&[vec![0], vec![2], vec![3]]));
        assert!(!nfa.accepts(&[vec![0, 1], vec![2], vec![3]]));
        assert!(!nfa.accepts(&[vec![0], vec![1], vec![2], vec![3]]));
        assert!(!nfa.accepts(&[vec![0], vec![2], vec![0, 1], vec![3]]));
        assert_eq!(nfa.accepting.len(), 4, "{nfa:?}");
    }

    #[test]
    fn errors_have_places() {
        for (text, at, kind) in [
            ("never a", 6, SereErrorKind::Expected("`{`")),
            ("never {a; }", 10, SereErrorKind::Expected("a boolean or `{`")),
            ("never {a b}", 9, SereErrorKind::Expected("an operator")),
            ("never {!{a;b}}", 7, SereErrorKind::NotBoolean),
            ("never {a[*3:2]}", 8, SereErrorKind::Range),
            ("never {(a}", 9, SereErrorKind::Bracket),
            ("never {a", 6, SereErrorKind::Bracket),
            ("{a}(b;c)", 4, SereErrorKind::NotBoolean),
            ("{a}", 3, SereErrorKind::Expected("`(`, `|->` or `|=>`")),
            ("{a}(b) c", 7, SereErrorKind::Expected("the end")),
            ("never {a[*1000][*1000]}", 0, SereErrorKind::TooLarge),
        ] {
            let error = violations(text).expect_err(text);
            assert_eq!((error.at, error.kind), (at, kind), "{text}");
        }
        let deep = format!("never {}a{}", "{".repeat(100_000), "}".repeat(100_000));
        violations(&deep).expect("nesting is fine");
        let nots = format!("never {{{}a}}", "!".repeat(1_001));
        violations(&nots).expect("so are negations");
    }
}
