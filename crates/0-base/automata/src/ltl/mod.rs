//! Linear temporal logic: formulas, their text, and their meaning on one word.
//!
//! The concrete syntax, from the operator that binds least to the one that binds most, is Spot's:
//!
//! | operators | grouping |
//! |---|---|
//! | `->` `=>`, `<->` `<=>` | right |
//! | `^` `xor` | left |
//! | `\|` `\|\|` `\/` | left |
//! | `&` `&&` `/\` | left |
//! | `U` `R` `V` `W` `M` | right |
//! | `F` `<>`, `G` `[]`, `X`, `!` `~` | prefix |
//!
//! `F`, `G` and `X` may touch what follows, so that `GFp` is `G F p`; a word that starts with one
//! of them is a name only if a digit or `_` comes next (`X1`, `F_done`), or if the caller of
//! [`parse_with`] knows it. After an operand, `U`, `R`, `V`, `W` and `M` may touch what follows
//! too. Any other spelling of a name goes in quotes: `G "Flag"`.
//!
//! Regular expressions are not part of this language yet; `[*`, `|->` and their kind are refused
//! by name.

mod arena;
mod atom;
mod error;
mod eval;
mod lex;
mod parse;
mod print;

pub use arena::{AtomId, Binary, Formula, FormulaId, Formulas, Node, Unary};
pub use atom::{Atom, EVENTS, parse_atom};
pub use error::{LtlError, LtlErrorKind};
pub use eval::eval_lasso;
pub use parse::{parse, parse_with};
