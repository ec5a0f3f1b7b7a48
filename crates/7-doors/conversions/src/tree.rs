//! Readable dumps of syntax trees (`bop dump --stage tree`).

pub(crate) mod pds;
pub(crate) mod remopla;

use front_bp::tree::{Block, StmtId, StmtKind, Tree};
use front_bp::{expr_text, stmt_text};
use source::{SourceFile, Span};
use std::io::{self, Write};

/// What is left to write.
enum Item {
    Stmt(StmtId, usize),
    Line(String, usize),
}

/// A statement a line, with its place and labels, indented by nesting.
pub(crate) fn dump(tree: &Tree, file: &SourceFile, out: &mut dyn Write) -> io::Result<()> {
    for global in tree.globals() {
        writeln!(out, "global {} at {}", tree.text(global.symbol), at(file, global.span))?;
    }
    let names = |list| {
        let texts: Vec<&str> = tree.names(list).iter().map(|n| tree.text(n.symbol)).collect();
        texts.join(", ")
    };
    for proc in tree.procs() {
        writeln!(
            out,
            "proc {}({}) returns {} at {}",
            tree.text(proc.name.symbol),
            names(proc.params),
            proc.returns,
            at(file, proc.span)
        )?;
        if !proc.locals.is_empty() {
            writeln!(out, "  local {}", names(proc.locals))?;
        }
        for (word, expr) in [("enforce", proc.enforce), ("abortif", proc.abortif)] {
            if let Some(expr) = expr {
                writeln!(out, "  {word} {}", expr_text(tree, expr))?;
            }
        }
        let mut work: Vec<Item> = Vec::new();
        push_block(tree, proc.body, 1, &mut work);
        while let Some(item) = work.pop() {
            match item {
                Item::Line(text, depth) => indented(out, depth, &text)?,
                Item::Stmt(id, depth) => statement(tree, file, id, depth, &mut work, out)?,
            }
        }
    }
    Ok(())
}

fn statement(
    tree: &Tree,
    file: &SourceFile,
    id: StmtId,
    depth: usize,
    work: &mut Vec<Item>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stmt = tree.stmt(id);
    let mut line = at(file, stmt.span);
    for label in tree.names(stmt.labels) {
        line += &format!(" {}:", tree.text(label.symbol));
    }
    match stmt.kind {
        StmtKind::If { branches, otherwise } => {
            indented(out, depth, &line)?;
            if let Some(block) = otherwise {
                push_block(tree, block, depth + 2, work);
                work.push(Item::Line("else".to_owned(), depth + 1));
            }
            for branch in tree.branches(branches).iter().rev() {
                push_block(tree, branch.body, depth + 2, work);
                let text = format!(
                    "{} {} {}",
                    at(file, branch.keyword),
                    file.slice(branch.keyword),
                    expr_text(tree, branch.cond)
                );
                work.push(Item::Line(text, depth + 1));
            }
            Ok(())
        }
        StmtKind::While { body, .. } => {
            push_block(tree, body, depth + 1, work);
            indented(out, depth, &format!("{line} {}", stmt_text(tree, stmt)))
        }
        _ => indented(out, depth, &format!("{line} {}", stmt_text(tree, stmt))),
    }
}

/// The statements of a block come next, in order.
fn push_block(tree: &Tree, block: Block, depth: usize, work: &mut Vec<Item>) {
    work.extend(tree.block(block).iter().rev().map(|&id| Item::Stmt(id, depth)));
}

fn at(file: &SourceFile, span: Span) -> String {
    let position = file.position(span.start);
    format!("{}:{}", position.line, position.column)
}

/// Deep nesting is indented up to 40 levels, or the dump would grow with its square.
fn indented(out: &mut dyn Write, depth: usize, text: &str) -> io::Result<()> {
    match depth > 40 {
        true => writeln!(out, "{:80}[{depth}] {text}", ""),
        false => writeln!(out, "{:width$}{text}", "", width = 2 * depth),
    }
}
