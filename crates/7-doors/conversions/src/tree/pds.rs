//! Of pushdown systems.

use super::at;
use front_remopla::pds::Tree;
use front_remopla::tree::{Item, List, Name};
use front_remopla::{decl_text, expr_text, rule_text};
use source::SourceFile;
use std::io::{self, Write};

/// A rule a line, with its place.
pub(crate) fn dump(tree: &Tree, file: &SourceFile, out: &mut dyn Write) -> io::Result<()> {
    let syntax = &tree.syntax;
    let names = |list: List<Name>| {
        let texts: Vec<&str> =
            syntax.names(list).iter().map(|name| syntax.text(name.symbol)).collect();
        texts.join(" ")
    };
    for item in syntax.items() {
        if let Item::Define(name, value) = item {
            let name = name.map_or("DEFAULT_INT_BITS", |name| syntax.text(name.symbol));
            writeln!(out, "define {name} {}", expr_text(syntax, *value))?;
        }
    }
    for decl in &tree.globals {
        writeln!(out, "global {} at {}", decl_text(syntax, decl), at(file, decl.span))?;
    }
    for locals in &tree.locals {
        for decl in &locals.decls {
            let (decl_text, place) = (decl_text(syntax, decl), at(file, decl.span));
            writeln!(out, "local {decl_text} at {place} of {}", names(locals.symbols))?;
        }
    }
    for start in &tree.starts {
        let control = syntax.text(start.control.symbol);
        writeln!(out, "start {control} <{}> at {}", names(start.stack), at(file, start.span))?;
    }
    for rule in &tree.rules {
        writeln!(out, "{} {}", at(file, rule.span), rule_text(syntax, &rule.rule))?;
    }
    Ok(())
}
