//! The syntax tree of a pushdown system.

use source::Span;

use crate::tree::{self as syntax, Decl, List, Name, Pairs, equal_decls, equal_rules, rest_equal};

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
        self.syntax == other.syntax
            && pairs.each(&self.globals, &other.globals, equal_decls)
            && self.locals.len() == other.locals.len()
            && self.locals.iter().zip(&other.locals).all(|(a, b)| {
                pairs.names(a.symbols, b.symbols) && pairs.each(&a.decls, &b.decls, equal_decls)
            })
            && pairs.each(&self.starts, &other.starts, |pairs, a, b| {
                pairs.name(a.control, b.control) && pairs.names(a.stack, b.stack)
            })
            && pairs.each(&self.rules, &other.rules, |pairs, a, b| {
                equal_rules(pairs, a.rule, b.rule) && rest_equal(pairs)
            })
    }
}

impl Eq for Tree {}
