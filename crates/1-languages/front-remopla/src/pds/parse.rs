//! Text → tree. Declarations, expressions and rules are read by the parser of Remopla.

use syntax::{Language, Parsed};

use super::tree::{Locals, Rule, Start, Tree};
use crate::error::ParseError;
use crate::lex::Kind;
use crate::parse::Parser;
use crate::tree::{BinOp, Decl};

/// Reads a pushdown system. The tree is the whole system if there are no errors, and otherwise what
/// could be made of it.
pub fn parse(text: &str) -> (Tree, Vec<ParseError>) {
    let mut tree = Tree::default();
    let mut parser = match Parser::new(text, Language::Pds) {
        Ok(parser) => parser,
        Err(error) => return (tree, vec![error]),
    };
    while !parser.at(Kind::Eof) {
        let begin = parser.current.span;
        if item(&mut parser, &mut tree).is_err() {
            // A rule per line: go on with the next one.
            if parser.current.span == begin {
                parser.bump();
            }
            while !parser.at(Kind::Eof) && !parser.on_new_line() {
                parser.skip();
            }
        }
    }
    tree.syntax = parser.tree;
    (tree, parser.cursor.errors)
}

fn item(parser: &mut Parser<'_>, tree: &mut Tree) -> Parsed<()> {
    let opens_stack = parser.next.kind == Kind::Binary(BinOp::Lt);
    let word = match parser.current.kind {
        Kind::Ident if !opens_stack => parser.text_of(parser.current),
        _ => "",
    };
    match parser.current.kind {
        Kind::Semi => _ = parser.bump(),
        Kind::Define if !opens_stack => parser.define()?,
        Kind::LParen => {
            let start = start(parser)?;
            tree.starts.push(start);
        }
        _ if word == "global" => {
            parser.bump();
            tree.globals.extend(declarations(parser));
        }
        _ if word == "local" => {
            parser.bump();
            let locals = locals(parser)?;
            tree.locals.push(locals);
        }
        _ if parser.at_rule_name() && opens_stack => {
            let begin = parser.current.span;
            let rule = parser.rule()?;
            tree.rules.push(Rule { rule, span: begin.to(parser.previous) });
        }
        _ => return Err(parser.expected("a rule")),
    }
    Ok(())
}

/// `(p <y1 y2>)`
fn start(parser: &mut Parser<'_>) -> Parsed<Start> {
    let begin = parser.bump().span;
    let control = parser.rule_name()?;
    let stack = parser.stack()?;
    parser.expect(Kind::RParen, "`)`")?;
    Ok(Start { control, stack, span: begin.to(parser.previous) })
}

fn locals(parser: &mut Parser<'_>) -> Parsed<Locals> {
    parser.expect(Kind::LParen, "`(`")?;
    let mut symbols = vec![parser.rule_name()?];
    while parser.eat(Kind::Comma) {
        symbols.push(parser.rule_name()?);
    }
    parser.expect(Kind::RParen, "`,` or `)`")?;
    let symbols = parser.tree.add_names(symbols);
    Ok(Locals { symbols, decls: declarations(parser) })
}

/// Declarations up to something that is none.
fn declarations(parser: &mut Parser<'_>) -> Vec<Decl> {
    let mut out = Vec::new();
    loop {
        let opens_stack = parser.next.kind == Kind::Binary(BinOp::Lt);
        match parser.current.kind {
            Kind::Semi => _ = parser.bump(),
            kind if kind.begins_declaration() && !opens_stack => out.extend(parser.declaration()),
            _ => return out,
        }
    }
}
