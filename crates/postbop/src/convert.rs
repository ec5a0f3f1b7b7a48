//! Programs in other forms, and what the stages produce.

use crate::checking::Asked;
use crate::load::{Error, guarded, load, parse};
use crate::{Options, dot, tree};
use check::Goal;
use ir::{Exprs, Id};
use property::Property;
use source::SourceFile;
use std::fmt::Write;
use std::sync::Arc;

/// A form to convert to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Target {
    /// A boolean program in the common subset of all dialects.
    Bp,
    /// The control-flow graph, for Graphviz.
    Dot,
}

/// The program in another form. What is wrong with it is reported first: only programs that can be
/// checked are converted.
pub fn convert(
    files: &[Arc<SourceFile>],
    target: Target,
    options: &Options,
) -> Result<String, Error> {
    match target {
        Target::Bp => guarded("converting", || {
            let (file, tree) = parse(files, options)?;
            let errors = front_bp::check(&tree);
            if !errors.is_empty() {
                let diagnostics = errors.iter().map(|e| e.diagnostic()).collect();
                return Err(Error::Rejected { file: file.clone(), diagnostics });
            }
            Ok(front_bp::print(&tree))
        }),
        Target::Dot => {
            let program = load(files, options)?;
            text(|out| dot::dot(&program, out))
        }
    }
}

/// A stage of the work.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// The syntax tree.
    Tree,
    /// The program model.
    Ir,
    /// The goals that the properties become, and the program model.
    Task(Vec<Property>),
}

/// What a stage produces, readable.
pub fn dump(files: &[Arc<SourceFile>], stage: &Stage, options: &Options) -> Result<String, Error> {
    match stage {
        Stage::Tree => {
            let (file, tree) = parse(files, options)?;
            text(|out| tree::dump(&tree, file, out))
        }
        Stage::Ir => Ok(ir::dump(&load(files, options)?)),
        Stage::Task(properties) => {
            let program = Arc::new(load(files, options)?);
            let asked = Asked::new(&program, files, properties, options)?;
            let mut out = String::new();
            for (property, goal) in &asked.questions {
                let _ = write!(out, "{}:", render::title(property));
                match goal.map(|g| &asked.task.goals[g]) {
                    None => out.push_str(" is each node reached?"),
                    Some(Goal::Reach(targets)) => {
                        out.push_str(" reach");
                        for target in targets {
                            let _ = write!(out, " n{}", target.node.index());
                            if target.condition != Exprs::TRUE {
                                let condition = ir::expr_text(&program, target.condition);
                                let _ = write!(out, " where {condition}");
                            }
                        }
                    }
                    Some(goal) => {
                        let _ = write!(out, " {goal:?}");
                    }
                }
                out.push('\n');
            }
            out.push('\n');
            out.push_str(&ir::dump(&program));
            Ok(out)
        }
    }
}

/// What `write` writes.
fn text(
    write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<String, Error> {
    let mut out = Vec::new();
    write(&mut out).map_err(|e| Error::Internal(e.to_string()))?;
    String::from_utf8(out).map_err(|e| Error::Internal(e.to_string()))
}
