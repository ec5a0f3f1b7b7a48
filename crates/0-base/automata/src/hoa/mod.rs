//! Automata in the Hanoi Omega-Automata format, version 1 (Babiak et al., CAV 2015).
//!
//! What is written is read back unchanged. What is read may come from elsewhere: generalised
//! Büchi automata with marks on transitions or on states, labels on either or implicit, aliases,
//! several initial states. Alternation and other acceptance conditions are refused by name.
//!
//! ```
//! use automata::{hoa, ltl, translate, Options};
//!
//! let f = ltl::parse("G F p").unwrap();
//! let automaton = translate(&f.formulas, f.root, &Options::default()).unwrap();
//! let text = hoa::print(&automaton, Some("G F p"));
//! assert_eq!(text, "\
//! HOA: v1
//! name: \"G F p\"
//! States: 1
//! Start: 0
//! AP: 1 \"p\"
//! acc-name: Buchi
//! Acceptance: 1 Inf(0)
//! properties: trans-labels explicit-labels trans-acc deterministic
//! --BODY--
//! State: 0
//! [!0] 0
//! [0] 0 {0}
//! --END--
//! ");
//! assert_eq!(hoa::parse(&text).unwrap(), automaton);
//! ```

mod error;
mod lex;
mod parse;
mod print;

pub use error::{HoaError, HoaErrorKind};
pub use parse::parse;
pub use print::print;
