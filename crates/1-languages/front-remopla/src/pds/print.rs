//! Tree → text.

use syntax::print::names;

use super::tree::Tree;
use crate::print::{decl_text, rule_text};
use crate::tree::Decl;

/// The system as text. Parsing it gives an equal tree.
pub fn print(tree: &Tree) -> String {
    let syntax = &tree.syntax;
    // The items are definitions of constants.
    let mut out = crate::print(syntax);
    let decls = |out: &mut String, decls: &[Decl]| {
        for decl in decls {
            out.push_str(&format!("  {};\n", decl_text(syntax, decl)));
        }
    };
    if !tree.globals.is_empty() {
        out.push_str("global\n");
        decls(&mut out, &tree.globals);
    }
    for locals in &tree.locals {
        out.push_str("local (");
        names(&mut out, syntax, locals.symbols, ", ");
        out.push_str(")\n");
        decls(&mut out, &locals.decls);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    for start in &tree.starts {
        out.push_str(&format!("({} <", syntax.text(start.control.symbol)));
        names(&mut out, syntax, start.stack, " ");
        out.push_str(">)\n");
    }
    for rule in &tree.rules {
        out.push_str(&rule_text(syntax, &rule.rule));
        out.push('\n');
    }
    out
}
