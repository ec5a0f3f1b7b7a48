//! Of Remopla.

use super::{at, indented};
use front_remopla::tree::{Block, Decl, Item as Part, List, Module, Name, StmtId, StmtKind, Tree};
use front_remopla::{decl_text, expr_text, stmt_text};
use source::SourceFile;
use std::io::{self, Write};

/// What is left to write.
enum Item {
    Stmt(StmtId, usize),
    Line(String, usize),
}

/// A statement a line, with its place and labels, indented by nesting.
pub(crate) fn dump(tree: &Tree, file: &SourceFile, out: &mut dyn Write) -> io::Result<()> {
    for part in tree.items() {
        match part {
            Part::Define(name, value) => {
                let name = name.map_or("DEFAULT_INT_BITS", |name| tree.text(name.symbol));
                writeln!(out, "define {name} {}", expr_text(tree, *value))?;
            }
            Part::Decl(decl) => {
                writeln!(out, "global {} at {}", decl_text(tree, decl), at(file, decl.span))?;
            }
            Part::Init(names) => writeln!(out, "init {}", self::names(tree, *names))?,
            Part::Module(module) => self::module(tree, file, module, out)?,
            Part::Stmt(stmt) => statements(tree, file, vec![Item::Stmt(*stmt, 0)], out)?,
        }
    }
    Ok(())
}

fn module(tree: &Tree, file: &SourceFile, module: &Module, out: &mut dyn Write) -> io::Result<()> {
    let params: Vec<String> =
        tree.list(module.params).iter().map(|decl| decl_text(tree, decl)).collect();
    let (name, place) = (tree.text(module.name.symbol), at(file, module.span));
    let Some(body) = module.body else {
        return writeln!(out, "announced {name}({}) at {place}", params.join(", "));
    };
    writeln!(out, "module {name}({}) at {place}", params.join(", "))?;
    for decl in tree.list::<Decl>(module.locals) {
        writeln!(out, "  local {} at {}", decl_text(tree, decl), at(file, decl.span))?;
    }
    let mut work = Vec::new();
    push_block(tree, body, 1, &mut work);
    statements(tree, file, work, out)
}

fn statements(
    tree: &Tree,
    file: &SourceFile,
    mut work: Vec<Item>,
    out: &mut dyn Write,
) -> io::Result<()> {
    while let Some(item) = work.pop() {
        let (id, depth) = match item {
            Item::Line(text, depth) => {
                indented(out, depth, &text)?;
                continue;
            }
            Item::Stmt(id, depth) => (id, depth),
        };
        let stmt = tree.stmt(id);
        let mut line = at(file, stmt.span);
        for label in tree.names(stmt.labels) {
            line += &format!(" {}:", tree.text(label.symbol));
        }
        let (word, branches) = match stmt.kind {
            StmtKind::If(branches) => ("if", branches),
            StmtKind::Do(branches) => ("do", branches),
            _ => {
                indented(out, depth, &format!("{line} {}", stmt_text(tree, stmt)))?;
                continue;
            }
        };
        indented(out, depth, &format!("{line} {word}"))?;
        for branch in tree.list(branches).iter().rev() {
            push_block(tree, branch.body, depth + 2, &mut work);
            let guard = branch.guard.map_or("else".to_owned(), |guard| expr_text(tree, guard));
            work.push(Item::Line(format!("{} :: {guard}", at(file, branch.span)), depth + 1));
        }
    }
    Ok(())
}

fn push_block(tree: &Tree, block: Block, depth: usize, work: &mut Vec<Item>) {
    work.extend(tree.block(block).iter().rev().map(|&id| Item::Stmt(id, depth)));
}

fn names(tree: &Tree, list: List<Name>) -> String {
    let texts: Vec<&str> = tree.names(list).iter().map(|name| tree.text(name.symbol)).collect();
    texts.join(" ")
}
