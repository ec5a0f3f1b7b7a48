//! `L`, `proc:L`, `proc:exit`, `:N`: which statements are meant.

use crate::PropertyError;
use check::Target;
use ir::{EdgeKind, Expr, Exprs, NodeId, ProcId, Program, Rel, Scalar};
use source::suggest;

/// How many known names an error lists.
const LISTED: usize = 8;

/// The statements that `text` denotes: those labelled `L`, those labelled `L` in `proc` (`proc:L`),
/// or those that begin on line N (`:N`, or `FILE:N` where there are several); or the first one of a
/// procedure; or where a procedure is left (`proc:exit`).
pub fn places(program: &Program, text: &str) -> Result<Vec<NodeId>, PropertyError> {
    Ok(targets(program, text)?.into_iter().map(|target| target.node).collect())
}

/// What `text` denotes, as [`places`] has it. A procedure's exit is a vertex of its own ([bebop §2.3]): where
/// a return has a condition, so has the target.
pub fn targets(program: &Program, text: &str) -> Result<Vec<Target>, PropertyError> {
    let found = statements(program, text);
    let at = |nodes: Vec<NodeId>| nodes.into_iter().map(Target::at).collect();
    match text.rsplit_once(':') {
        Some((name, "exit")) if found.is_err() => match program.proc_named(name) {
            Some(proc) => exits(program, proc)
                .ok_or_else(|| PropertyError::ConditionalExit { proc: name.to_owned() }),
            None => found.map(at),
        },
        _ => found.map(at),
    }
}

/// Where runs leave a procedure, and when; empty if it has no return. `None` where a return is a relation
/// that no condition expresses.
pub fn exits(program: &Program, proc: ProcId) -> Option<Vec<Target>> {
    let mut targets = Vec::new();
    for edge in program.edges.iter().filter(|edge| program.nodes[edge.source].proc == proc) {
        if let EdgeKind::Return { rel } = &edge.kind {
            let condition = enabled(program, rel)?;
            targets.push(Target { node: edge.source, condition });
        }
    }
    Some(targets)
}

/// When a return can be taken, if a condition without choices says it.
fn enabled(program: &Program, rel: &Rel) -> Option<ir::ExprId> {
    let mut choices = false;
    program.exprs.postorder(rel.guard, |_, expr| choices |= matches!(expr, Expr::Choice(_)));
    let plain = |assign: &ir::Assign| {
        let ty = program.vars[assign.var].ty;
        ty.scalar == Scalar::Bool && ty.array.is_none()
    };
    let fits = !choices && rel.constraint == Exprs::TRUE && rel.assigns.iter().all(plain);
    fits.then_some(rel.guard)
}

/// [`places`] without exits; never empty.
fn statements(program: &Program, text: &str) -> Result<Vec<NodeId>, PropertyError> {
    // A label contains no colon; the name of a procedure may, in braces.
    match text.rsplit_once(':') {
        // A procedure is its first statement, unless a label has that name.
        None => labelled(program, None, text).or_else(|error| {
            let other = respelled(text);
            let nodes = program.labelled(None, &other);
            match program.proc_named(text) {
                Some(proc) => Ok(vec![program.procs[proc].entry]),
                None if !nodes.is_empty() => Ok(nodes),
                None => match program.proc_named(&other) {
                    Some(proc) => Ok(vec![program.procs[proc].entry]),
                    None => Err(error),
                },
            }
        }),
        Some(("", number)) => on_line(program, None, number),
        Some((proc, label)) => match named(program, proc) {
            Some(id) => labelled_either(program, Some(id), label),
            None if is_file(program, proc) => on_line(program, Some(proc), label),
            None => Err(PropertyError::UnknownProc {
                name: proc.to_owned(),
                nearest: suggest(proc, program.procs.ids().map(|id| program.proc_name(id)))
                    .map(str::to_owned),
            }),
        },
    }
}

/// The statements with the label, however it is spelled.
pub(crate) fn labelled_either(
    program: &Program,
    proc: Option<ProcId>,
    label: &str,
) -> Result<Vec<NodeId>, PropertyError> {
    labelled(program, proc, label).or_else(|error| {
        let nodes = program.labelled(proc, &respelled(label));
        if nodes.is_empty() { Err(error) } else { Ok(nodes) }
    })
}

/// The procedure of that name.
fn named(program: &Program, name: &str) -> Option<ProcId> {
    program.proc_named(name).or_else(|| program.proc_named(&respelled(name)))
}

/// The name with braces, or without: they make a name of what is none in a boolean program, as `end`,
/// which is `{end}` there, and what a question in the one language asks for is found in the other.
fn respelled(name: &str) -> String {
    let inner = name.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
    inner.map_or_else(|| format!("{{{name}}}"), str::to_owned)
}

fn labelled(
    program: &Program,
    proc: Option<ProcId>,
    label: &str,
) -> Result<Vec<NodeId>, PropertyError> {
    let nodes = program.labelled(proc, label);
    if !nodes.is_empty() {
        return Ok(nodes);
    }
    let here = |p: ProcId| proc.is_none_or(|q| p == q);
    let mut known: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for known_label in program.labels.iter().filter(|l| here(program.nodes[l.node].proc)) {
        let name = program.text(known_label.name);
        if seen.insert(name) {
            known.push(name);
        }
    }
    // A label of another procedure is a likelier mistake than a similar name.
    let elsewhere = program
        .labelled(None, label)
        .first()
        .map(|&node| format!("{}:{label}", program.proc_name(program.nodes[node].proc)));
    Err(PropertyError::UnknownLabel {
        label: label.to_owned(),
        proc: proc.map(|p| program.proc_name(p).to_owned()),
        nearest: elsewhere.or_else(|| suggest(label, known.iter().copied()).map(str::to_owned)),
        total: known.len(),
        known: known.into_iter().take(LISTED).map(str::to_owned).collect(),
    })
}

/// Whether a source file has the name, as it is written or behind a folder.
fn is_file(program: &Program, name: &str) -> bool {
    program.files.iter().any(|file| is_called(file, name))
}

fn is_called(file: &str, name: &str) -> bool {
    file == name || file.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'))
}

fn on_line(
    program: &Program,
    file: Option<&str>,
    number: &str,
) -> Result<Vec<NodeId>, PropertyError> {
    let Ok(line) = number.parse::<u32>() else {
        return Err(PropertyError::NotALine { text: number.to_owned() });
    };
    let here = |index: u32| {
        file.is_none_or(|name| {
            program.files.get(index as usize).is_some_and(|file| is_called(file, name))
        })
    };
    let statements =
        || program.nodes.enumerate().filter(|(_, n)| n.statement && here(n.origin.file));
    let nodes: Vec<NodeId> =
        statements().filter(|(_, n)| n.origin.line == line).map(|(id, _)| id).collect();
    if !nodes.is_empty() {
        return Ok(nodes);
    }
    let lines = || statements().map(|(_, n)| n.origin.line).filter(|&l| l > 0);
    Err(PropertyError::NoStatementOnLine {
        line,
        before: lines().filter(|&l| l < line).max(),
        after: lines().filter(|&l| l > line).min(),
    })
}
