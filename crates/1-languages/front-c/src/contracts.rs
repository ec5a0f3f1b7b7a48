//! Contracts: what functions without a body do, one line each.
//!
//! ```text
//! pure strlen|strcmp          // keeps none of its arguments, and writes nothing that the program can see
//! assigns getpwuid_r 2 3 5    // writes through these arguments, and through no others
//! borrows send_all            // keeps none of its arguments; with numbers: not these
//! keeps list_add 2            // keeps this argument, or calls it later
//! allocates xalloc            // the result is memory that nobody else has
//! frees xfree 1               // frees what the argument points to
//! returns append 1            // the result is the argument
//! noreturn die                // does not come back
//! nonnull f 1                 // the argument must not be null
//! string f 1                  // the argument is a string
//! size read 2 3               // behind argument 2 are as many bytes as argument 3 says
//! ```
//!
//! Names may be several, with `|` between them; arguments are counted from 1; `//` and `#` begin comments. What is said
//! later wins. A function that has a body here is what its body does.

use rustc_hash::FxHashMap;
use std::fmt;

/// What a function without a body does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contract {
    /// It keeps none of its arguments, and writes nothing that the program can see.
    pub pure: bool,
    /// It writes through these arguments, and through no others.
    pub assigns: Option<Vec<usize>>,
    /// Whether it keeps an argument; the first entry is about those that have none of their own.
    keeps: FxHashMap<usize, bool>,
    /// Its result is memory that nobody else has.
    pub allocates: bool,
    /// The arguments whose memory it frees.
    pub frees: Vec<usize>,
    /// The argument that is its result.
    pub returns: Option<usize>,
    /// It does not come back.
    pub noreturn: bool,
    /// Arguments that must not be null.
    pub nonnull: Vec<usize>,
    /// Arguments that are strings.
    pub string: Vec<usize>,
    /// Arguments with the number of the one that says how many bytes are behind them.
    pub size: Vec<(usize, usize)>,
}

impl Contract {
    /// Whether it keeps argument `n`, counted from 1; none if nothing is said.
    pub fn keeps(&self, n: usize) -> Option<bool> {
        let said = self.keeps.get(&n).or_else(|| self.keeps.get(&0)).copied();
        said.or((self.pure || self.frees.contains(&n)).then_some(false))
    }
    /// Whether it writes through argument `n`, counted from 1; none if nothing is said.
    pub fn assigns(&self, n: usize) -> Option<bool> {
        match &self.assigns {
            Some(list) => Some(list.contains(&n)),
            None => self.pure.then_some(false),
        }
    }
}

/// Contracts by the names of functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contracts {
    of: FxHashMap<String, Contract>,
}

/// Why a text is no list of contracts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContractError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// One phrase.
    pub message: String,
}

impl fmt::Display for ContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ContractError {}

/// The contracts that ship, by the names of their files.
pub const READY_MADE: [(&str, &str); 3] = [
    ("posix", include_str!("../../../../contracts/posix.contracts")),
    ("glib", include_str!("../../../../contracts/glib.contracts")),
    ("openssl", include_str!("../../../../contracts/openssl.contracts")),
];

const WORDS: &str = "`pure`, `assigns`, `borrows`, `keeps`, `allocates`, `frees`, `returns`, `noreturn`, \
                     `nonnull`, `string` or `size`";

impl Contracts {
    /// Those that ship.
    pub fn ready_made() -> Contracts {
        let mut out = Contracts::default();
        for (_, text) in READY_MADE {
            // A test reads them all.
            if let Ok(more) = Contracts::parse(text) {
                out.add(more);
            }
        }
        out
    }

    /// Reads contracts.
    pub fn parse(text: &str) -> Result<Contracts, ContractError> {
        let mut out = Contracts::default();
        for (line, number) in text.lines().zip(1..) {
            let end = [line.find("//"), line.find('#')].into_iter().flatten().min();
            let line = &line[..end.unwrap_or(line.len())];
            let column = |part: &str| {
                let at = part.as_ptr() as usize - line.as_ptr() as usize;
                line[..at].chars().count() as u32 + 1
            };
            let fail = |part: &str, message: String| {
                Err(ContractError { line: number, column: column(part), message })
            };
            let mut words = line.split_whitespace();
            let Some(word) = words.next() else { continue };
            let Some(names) = words.next() else {
                return fail(
                    &line[line.trim_end().len()..],
                    "expected the name of a function".into(),
                );
            };
            let mut numbers: Vec<usize> = Vec::new();
            for text in words {
                match text.parse::<usize>() {
                    Ok(n) if (1..=99).contains(&n) => numbers.push(n),
                    _ => return fail(text, "expected the number of an argument, from 1".into()),
                }
            }
            let wanted = match word {
                "pure" | "allocates" | "noreturn" => 0..=0,
                "borrows" | "keeps" => 0..=99,
                "returns" => 1..=1,
                "size" => 2..=2,
                "assigns" | "frees" | "nonnull" | "string" => 1..=99,
                _ => return fail(word, format!("expected {WORDS}")),
            };
            if !wanted.contains(&numbers.len()) {
                let message = match wanted.end() {
                    0 => format!("`{word}` has no numbers of arguments"),
                    1 => format!("`{word}` has the number of one argument"),
                    2 => format!("`{word}` has the numbers of two arguments"),
                    _ => format!("`{word}` needs the numbers of arguments"),
                };
                return fail(word, message);
            }
            for name in names.split('|') {
                let letter = |c: char| c.is_alphanumeric() || c == '_';
                if name.is_empty() || !name.chars().all(letter) {
                    return fail(names, format!("`{name}` is no name of a function"));
                }
                out.of.entry(name.to_owned()).or_default().say(word, &numbers);
            }
        }
        Ok(out)
    }

    /// Adds others, which win.
    pub fn add(&mut self, others: Contracts) {
        for (name, new) in others.of {
            let old = self.of.entry(name).or_default();
            old.pure |= new.pure;
            old.assigns = new.assigns.or(old.assigns.take());
            // What is said about all of them replaces what was said about some.
            if new.keeps.contains_key(&0) {
                old.keeps.clear();
            }
            old.keeps.extend(new.keeps);
            old.allocates |= new.allocates;
            old.noreturn |= new.noreturn;
            old.returns = new.returns.or(old.returns);
            for (list, more) in [
                (&mut old.frees, new.frees),
                (&mut old.nonnull, new.nonnull),
                (&mut old.string, new.string),
            ] {
                list.extend(more);
                list.sort_unstable();
                list.dedup();
            }
            old.size.extend(new.size);
        }
    }

    /// What is said about a function, by its plain name ([`crate::plain_name`]).
    pub fn get(&self, name: &str) -> Option<&Contract> {
        self.of.get(name)
    }

    /// The names of those that do not come back.
    pub fn noreturn(&self) -> impl Iterator<Item = &str> {
        self.of.iter().filter(|(_, c)| c.noreturn).map(|(name, _)| name.as_str())
    }
}

impl Contract {
    fn say(&mut self, word: &str, numbers: &[usize]) {
        let all = if numbers.is_empty() { &[0][..] } else { numbers };
        match word {
            "pure" => self.pure = true,
            "assigns" => self.assigns.get_or_insert_with(Vec::new).extend(numbers),
            "borrows" => self.keeps.extend(all.iter().map(|n| (*n, false))),
            "keeps" => self.keeps.extend(all.iter().map(|n| (*n, true))),
            "allocates" => self.allocates = true,
            "frees" => self.frees.extend(numbers),
            "returns" => self.returns = numbers.first().copied(),
            "noreturn" => self.noreturn = true,
            "nonnull" => self.nonnull.extend(numbers),
            "string" => self.string.extend(numbers),
            _ => {
                if let [pointer, bytes] = *numbers {
                    self.size.push((pointer, bytes));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let c = Contracts::parse(
            "pure f|g // both\nkeeps h 2\nborrows h\n\n# a comment\nassigns k 1 3\nfrees x 1\nsize r 2 3\n",
        )
        .unwrap();
        assert!(c.get("f").unwrap().pure && c.get("g").unwrap().keeps(7) == Some(false));
        let h = c.get("h").unwrap();
        assert_eq!((h.keeps(1), h.keeps(2)), (Some(false), Some(true)));
        let k = c.get("k").unwrap();
        assert_eq!((k.assigns(1), k.assigns(2), k.keeps(1)), (Some(true), Some(false), None));
        assert_eq!(c.get("x").unwrap().keeps(1), Some(false));
        assert_eq!(c.get("r").unwrap().size, [(2, 3)]);
        for (text, error) in [
            ("pure", "1:5: expected the name of a function"),
            ("\n  owns f 1", "2:3: expected `pure`, `assigns`, `borrows`"),
            ("frees f", "1:1: `frees` needs the numbers of arguments"),
            ("frees f 0", "1:9: expected the number of an argument, from 1"),
            ("pure f 1", "1:1: `pure` has no numbers of arguments"),
            ("keeps f|*g 1", "1:7: `*g` is no name of a function"),
        ] {
            let found = Contracts::parse(text).unwrap_err().to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }

    #[test]
    fn those_that_ship_can_be_read_and_users_win() {
        for (name, text) in READY_MADE {
            assert_eq!(Contracts::parse(text).err(), None, "{name}");
        }
        let mut all = Contracts::ready_made();
        assert_eq!(all.get("malloc_usable_size").unwrap().keeps(1), Some(false));
        assert!(all.get("malloc").unwrap().allocates && all.get("free").unwrap().frees == [1]);
        all.add(Contracts::parse("keeps malloc_usable_size 1").unwrap());
        assert_eq!(all.get("malloc_usable_size").unwrap().keeps(1), Some(true));
    }
}
