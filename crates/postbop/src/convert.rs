//! Programs in other forms, and what the stages produce.

use crate::checking::{Asked, Asks};
use crate::load::{Error, Tree, guarded, load, load_for, lower, parse, rejected, system};
use crate::{Encoding, Options, dot, tree};
use check::{Budget, Goal};
use front_pds::CannotSay;
use ir::spds::Spds;
use ir::{EdgeKind, Exprs, Id, ProcId, Program, Time, VarId};
use property::Property;
use rustc_hash::FxHashSet;
use source::SourceFile;
use std::fmt::Write;
use std::sync::Arc;

/// A form to convert to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Target {
    /// A boolean program in the common subset of all dialects.
    Bp,
    /// A program in the language of Moped.
    Remopla,
    /// A pushdown system: symbolic where the program has variables.
    Pds,
    /// The control-flow graph, for Graphviz.
    Dot,
    /// Of C: a model over a program counter and a bounded stack, in EDL ([c2edl Appendix A]).
    Edl {
        /// The depth of the stack.
        depth: u32,
        /// How counters are written.
        encoding: Encoding,
    },
    /// Of C: the same in SMV, as NuSMV reads it.
    Smv {
        /// The depth of the stack.
        depth: u32,
        /// How counters are written.
        encoding: Encoding,
    },
    /// Of C: the source annotated with program counters.
    Cout,
}

/// The program in another form. What is wrong with it is reported first: only programs that can be
/// checked are converted. What is written in its own language is written down as it was, in other
/// languages from what it means.
pub fn convert(
    files: &[Arc<SourceFile>],
    target: Target,
    options: &Options,
) -> Result<String, Error> {
    guarded("converting", || {
        if let Some(c) = &options.c {
            if let Some(exported) = c.export(target, options) {
                return exported;
            }
            return converted(c.program(options, &[])?, target);
        }
        let (file, tree) = parse(files, options)?;
        // A boolean program without a start can be written down.
        if let (Tree::Bp(tree), Target::Bp) = (&tree, target) {
            let errors = front_bp::check(tree);
            return match errors.is_empty() {
                true => Ok(front_bp::print(tree)),
                false => Err(rejected(file, errors.iter().map(|e| e.diagnostic()))),
            };
        }
        let program = lower(file, &tree, options)?;
        match (&tree, target) {
            (Tree::Remopla(tree), Target::Remopla) => Ok(front_remopla::print(tree)),
            (Tree::Pds(tree), Target::Pds) => Ok(front_pds::print(tree)),
            (_, target) => converted(program, target),
        }
    })
}

/// The program in a form, from what it means.
fn converted(program: Program, target: Target) -> Result<String, Error> {
    match target {
        Target::Dot => text(|out| dot::dot(&program, out)),
        Target::Bp => Ok(front_bp::print(&front_bp::from_program(&program))),
        Target::Remopla => {
            let tree = front_remopla::from_program(&with_parameters(program));
            Ok(front_remopla::print(&tree.map_err(|e| cannot_say(target, e))?))
        }
        Target::Pds => {
            let tree = front_pds::from_spds(&Spds::from_program(&program));
            Ok(front_pds::print(&tree.map_err(|e| cannot_say(target, e))?))
        }
        Target::Edl { .. } | Target::Smv { .. } | Target::Cout => {
            let what = "edl, smv and cout are forms of C programs; other programs have bp, remopla, \
                        pds and dot";
            Err(Error::Usage(what.to_owned()))
        }
    }
}

/// The target has no words for something.
fn cannot_say(target: Target, CannotSay(what): CannotSay) -> Error {
    let language = match target {
        Target::Bp => "a boolean program",
        Target::Remopla => "a Remopla program",
        Target::Pds => "a pushdown system",
        _ => "this form",
    };
    Error::Usage(format!("{language} has no words for {what}"))
}

/// The program with all locals that calls set as parameters. In a program made from rules any local
/// may be set where its symbol is pushed.
fn with_parameters(mut program: Program) -> Program {
    let mut set: FxHashSet<VarId> = FxHashSet::default();
    for edge in program.edges.iter() {
        let EdgeKind::Call(call) = &edge.kind else { continue };
        let assigns = call.enter.assigns.iter().filter(|a| a.time == Time::Post);
        set.extend(assigns.map(|a| a.var));
        program.exprs.reads(call.enter.constraint, |time, var| {
            if time == Time::Post {
                set.insert(var);
            }
        });
    }
    let ids: Vec<ProcId> = program.procs.ids().collect();
    for id in ids {
        let proc = &mut program.procs[id];
        let params = proc.params;
        let mut all: Vec<(bool, VarId)> = proc.locals.iter().map(|&v| (true, v)).collect();
        for (i, (local, var)) in all.iter_mut().enumerate() {
            *local = i >= params && !set.contains(var);
        }
        // Stable: parameters keep their order.
        all.sort_by_key(|&(local, _)| local);
        proc.params = all.iter().filter(|(local, _)| !local).count();
        proc.locals = all.into_iter().map(|(_, var)| var).collect();
    }
    program
}

/// A stage of the work.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// The syntax tree.
    Tree,
    /// The program model.
    Ir,
    /// The symbolic pushdown system.
    Spds,
    /// The goals that the properties become, and the program model.
    Task(Vec<Property>),
}

/// What a stage produces, readable.
pub fn dump(files: &[Arc<SourceFile>], stage: &Stage, options: &Options) -> Result<String, Error> {
    match stage {
        Stage::Tree if options.c.is_some() => Ok(options.c.iter().map(|c| c.listing()).collect()),
        Stage::Tree => {
            let (file, tree) = parse(files, options)?;
            text(|out| match &tree {
                Tree::Bp(tree) => tree::dump(tree, file, out),
                Tree::Remopla(tree) => tree::remopla::dump(tree, file, out),
                Tree::Pds(tree) => tree::pds::dump(tree, file, out),
            })
        }
        Stage::Spds => guarded("making a pushdown system", || {
            if let Some(c) = &options.c {
                return Ok(ir::spds::dump(&Spds::from_program(&c.program(options, &[])?)));
            }
            let (file, tree) = parse(files, options)?;
            Ok(ir::spds::dump(&match &tree {
                Tree::Pds(tree) => system(file, tree, options)?,
                tree => Spds::from_program(&lower(file, tree, options)?),
            }))
        }),
        Stage::Ir => Ok(ir::dump(&load(files, options)?)),
        Stage::Task(properties) => {
            let program = Arc::new(load_for(files, options, properties)?);
            let asked = Asked::new(&program, files, properties, options, &Budget::unlimited())?;
            let mut out = String::new();
            let mut products = String::new();
            for (property, asks) in &asked.questions {
                let _ = write!(out, "{}:", render::title(property));
                let goal = match asks {
                    Asks::Goal(goal) => Some(&asked.task.goals[*goal]),
                    Asks::Product(product) => {
                        let _ = write!(
                            products,
                            "\nproduct for {}:\n{}",
                            render::title(property),
                            ir::dump(&product.program)
                        );
                        Some(&product.goal)
                    }
                    Asks::Watched(watched) => {
                        let _ = write!(
                            products,
                            "\nwatched program for {}:\n{}",
                            render::title(property),
                            ir::dump(&watched.program)
                        );
                        out.push_str(" reach a goal of the watched program\n");
                        continue;
                    }
                    Asks::Nothing(reason) => {
                        let _ = writeln!(out, " {reason}");
                        continue;
                    }
                    Asks::AllNodes => None,
                };
                match goal {
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
                    Some(Goal::Repeat { marks }) => {
                        let _ = write!(out, " a run of the product with {marks} marks for ever");
                    }
                    Some(goal) => {
                        let _ = write!(out, " {goal:?}");
                    }
                }
                out.push('\n');
            }
            out.push('\n');
            out.push_str(&ir::dump(&program));
            out.push_str(&products);
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
