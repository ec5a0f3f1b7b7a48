//! What Postbop tells editors: a language server without its input and output.
//!
//! Messages of the protocol go in, [`Effect`]s come out: messages to send, and commands of `bop` to run whose answers
//! come back through [`Server::answered`]. So everything here can be tested without an editor, and nothing here runs a
//! process.
//!
//! ```
//! use lsp::{Language, names};
//!
//! let names = names::names("decl g; void main() begin L: g := 1; end", Language::Bp);
//! let labels: Vec<_> = names.all.iter().filter(|o| o.kind == names::Kind::Label).collect();
//! assert_eq!(labels[0].name, "L");
//! ```
//!
//! Boolean programs, Remopla, pushdown systems and rules are read while somebody types; what holds at a statement and
//! whether a label is reached is asked within seconds, here. C is checked by `bop check` when it is opened or saved.
//! Not a door: `bop lsp` (the crate `cli`) is.

mod answers;
mod findings;
pub mod names;
mod server;
mod text;

pub use server::{Effect, Job, Server, capabilities};
pub use text::{Document, Language, path, uri};
