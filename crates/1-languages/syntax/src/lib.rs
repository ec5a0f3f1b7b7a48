//! What languages of procedures with statements and expressions share, so that a front end holds
//! only what its language has of its own.
//!
//! - [`Nodes`]: names, expressions, statements and [`List`]s of them, in arenas; [`Pairs`] compares
//!   two trees.
//! - [`Chars`]: what every lexer does; [`Tokens`] is what a language says about its own.
//! - [`Cursor`]: where a parser stands. It steps over tokens, says what was expected, skips to a place
//!   to go on, and keeps the errors.
//! - [`Error`]: what is wrong, where, and in which language, and its way into a
//!   [`source::Diagnostic`]; [`Mistake`]s are possible in every language.
//! - [`print`](mod@print): indentation and lists.
//!
//! A language defines what its expressions and statements are, and puts [`Nodes`] into its tree:
//!
//! ```
//! use source::Span;
//! use syntax::{ExprId, Nodes, Stmt, List, Symbol};
//!
//! enum ExprKind {
//!     Var(Symbol),
//!     Not(ExprId),
//! }
//! enum StmtKind {
//!     Assume(ExprId),
//! }
//!
//! // `assume !x`
//! let mut tree: Nodes<ExprKind, StmtKind> = Nodes::default();
//! let x = tree.intern("x");
//! let var = tree.add_expr(ExprKind::Var(x), Span::new(8, 9));
//! let not = tree.add_expr(ExprKind::Not(var), Span::new(7, 9));
//! let kind = StmtKind::Assume(not);
//! let stmt = tree.add_stmt(Stmt { labels: List::EMPTY, kind, span: Span::new(0, 9) });
//! let body = tree.add_block([stmt]);
//!
//! assert_eq!(tree.block(body), [stmt]);
//! assert_eq!(tree.text(x), "x");
//! ```
//!
//! Not for C, whose parser, types and trees are another matter (`front-c`), nor for formulas and
//! automata, which have no statements. This crate knows no program model, and no grammar: which
//! token may follow which, how tightly operators bind and what a name means is up to each language.

mod chars;
mod cursor;
mod error;
mod nodes;
mod pairs;
pub mod print;

pub use chars::{Chars, Token, digits, word_len};
pub use cursor::{Cursor, Failed, MAX_ERRORS, Parsed, Tokens, listed};
pub use error::{
    Error, Explain, Language, LowerError, Mistake, ParseError, did_you_mean, explain_entry, plural,
};
pub use nodes::{Block, Expr, ExprId, List, Name, Nodes, Stmt, StmtId, Symbol};
pub use pairs::Pairs;

/// How to turn a tree into a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerOptions {
    /// What to start at, a procedure, module or stack symbol; each language says what it is if it is
    /// not given.
    pub entry: Option<String>,
}
