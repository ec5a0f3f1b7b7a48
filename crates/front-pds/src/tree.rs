//! The syntax tree of a pushdown system.

use front_remopla::tree::{self as syntax, Decl, List, Name, Pairs};
use source::Span;

/// A pushdown system as it is written. Equality is that of systems: spans do not count.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Names, expressions and lists; its items are the definitions of constants.
    pub syntax: syntax::Tree,
    /// Global variables, in the order of the text.
    pub globals: Vec<Decl>,
    /// Local variables.
    pub locals: Vec<Locals>,
    /// The configuration to start with; of several, all but the first are wrong.
    pub starts: Vec<Start>,
    /// The rules.
    pub rules: Vec<Rule>,
}

/// `local (y1, y2) int x(2);`
#[derive(Clone, Debug)]
pub struct Locals {
    /// The stack symbols that have them.
    pub symbols: List<Name>,
    /// The variables.
    pub decls: Vec<Decl>,
}

/// `(p <y1 y2>)`
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The control location.
    pub control: Name,
    /// The stack, topmost symbol first.
    pub stack: List<Name>,
    /// With the brackets.
    pub span: Span,
}

/// A rule and its place.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The rule.
    pub rule: syntax::Rule,
    /// Where it stands.
    pub span: Span,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        let mut pairs = Pairs::new(&self.syntax, &other.syntax);
        let mut decls = |a: &[Decl], b: &[Decl]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| pairs.decl(*a, *b))
        };
        self.syntax == other.syntax
            && decls(&self.globals, &other.globals)
            && self.locals.len() == other.locals.len()
            && self.locals.iter().zip(&other.locals).all(|(a, b)| decls(&a.decls, &b.decls))
            && self.locals.iter().zip(&other.locals).all(|(a, b)| pairs.names(a.symbols, b.symbols))
            && self.starts.len() == other.starts.len()
            && self
                .starts
                .iter()
                .zip(&other.starts)
                .all(|(a, b)| pairs.name(a.control, b.control) && pairs.names(a.stack, b.stack))
            && self.rules.len() == other.rules.len()
            && self.rules.iter().zip(&other.rules).all(|(a, b)| pairs.rule(a.rule, b.rule))
    }
}

impl Eq for Tree {}
