//! Tree → text.

use front_remopla::tree::{Decl, List, Name};
use front_remopla::{decl_text, rule_text};

use crate::tree::Tree;

/// The system as text. Parsing it gives an equal tree.
pub fn print(tree: &Tree) -> String {
    let syntax = &tree.syntax;
    // The items are definitions of constants.
    let mut out = front_remopla::print(syntax);
    let names = |list: List<Name>, between: &str| {
        let texts: Vec<&str> =
            syntax.list(list).iter().map(|name| syntax.text(name.symbol)).collect();
        texts.join(between)
    };
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
        out.push_str(&format!("local ({})\n", names(locals.symbols, ", ")));
        decls(&mut out, &locals.decls);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    for start in &tree.starts {
        let control = syntax.text(start.control.symbol);
        out.push_str(&format!("({control} <{}>)\n", names(start.stack, " ")));
    }
    for rule in &tree.rules {
        out.push_str(&rule_text(syntax, &rule.rule));
        out.push('\n');
    }
    out
}
