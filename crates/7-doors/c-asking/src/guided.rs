//! The path of a finding as a guide for the search: where a run starts, and which blocks it may go to.
//!
//! - GP1: a run starts at the function that is at the bottom of the path from where something happens to the value on, or
//!   at `main` if the path does.
//! - GP2: in a function of the path, a run goes to lines of the path, and to those of which the skeleton knows nothing.
//!   A function that a call may lead to whose inside is not told is not guided.
//! - GP3: where memory is lost, the functions that are active at the end of the path go on freely from there.
//!
//! Nothing rests on a guide but time: a run that is found is executed, and that none is found refutes nothing (AL4).

use crate::entries::{named, reached};
use c_data::{BlockId, End, FuncId, Program};
use engine_bounded::Guide;
use input::CProgram;
use render::{ListedStep, Listing, Outcome};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A place in the source.
type Line = (String, u32);

/// A path from where a run starts.
pub(crate) struct Path {
    /// The function; `main` for the program's start.
    pub(crate) entry: String,
    /// The functions that it goes through, those that call the first one among them.
    pub(crate) functions: BTreeSet<String>,
    /// Steps from the entry on.
    pub(crate) length: usize,
    /// Lines of each function.
    lines: BTreeMap<String, BTreeSet<Line>>,
    /// Calls whose inside is not told.
    folded: BTreeSet<Line>,
    /// The functions that are active at its end, and where they stand.
    active: Vec<(String, Line)>,
}

fn name(trace: &Listing, step: &ListedStep) -> String {
    trace.program.proc_name(trace.program.nodes[step.node].proc).to_owned()
}

fn line(trace: &Listing, step: &ListedStep) -> Line {
    let at = &trace.program.nodes[step.node].origin;
    let file = trace.program.files.get(at.file as usize);
    (file.map(|f| f.to_string()).unwrap_or_default(), at.line)
}

/// The path of a finding; from `main`, or from the function at the bottom. GP1.
pub(crate) fn path(outcome: &Outcome, from_main: bool) -> Option<Path> {
    let trace = outcome.trace.as_ref()?;
    let steps = &trace.steps;
    let mut start = 0;
    if from_main {
        if name(trace, steps.first()?) != "main" {
            return None;
        }
    } else {
        let first = steps.iter().position(|s| !s.events.is_empty()).unwrap_or(0);
        let depth = steps[first..].iter().map(|s| s.depth).min()?;
        let bottom = first + steps[first..].iter().position(|s| s.depth == depth)?;
        start = bottom - steps[..bottom].iter().rev().take_while(|s| s.depth >= depth).count();
    }
    let functions = steps.iter().map(|s| name(trace, s)).collect();
    let (mut lines, mut folded): (BTreeMap<String, BTreeSet<Line>>, BTreeSet<Line>) =
        Default::default();
    let mut entered: BTreeSet<Line> = BTreeSet::new();
    let mut active: Vec<(u32, String, Line)> = Vec::new();
    for (i, step) in steps.iter().enumerate().skip(start) {
        let (name, at) = (name(trace, step), line(trace, step));
        lines.entry(name.clone()).or_default().insert(at.clone());
        let inside = steps.get(i + 1).is_some_and(|next| next.depth > step.depth);
        if inside {
            entered.insert(at.clone());
        }
        if step.folded.is_some() {
            folded.insert(at.clone());
        }
        while active.last().is_some_and(|(depth, ..)| *depth >= step.depth) {
            active.pop();
        }
        active.push((step.depth, name, at));
    }
    let silent = lines.values().flatten().filter(|at| !entered.contains(*at));
    folded.extend(silent.cloned().collect::<Vec<Line>>());
    let active = active.into_iter().map(|(_, name, at)| (name, at)).collect();
    let entry = name(trace, steps.get(start)?);
    Some(Path { entry, functions, length: steps.len() - start, lines, folded, active })
}

/// The lines of a block: those of its statements, and of what decides where it goes.
fn block_lines(program: &Program, f: FuncId, b: usize) -> Vec<Line> {
    let block = &program.functions[f.index()].blocks[b];
    let file = |at: c_data::At| program.files.get(at.file as usize).cloned().unwrap_or_default();
    let mut out: Vec<Line> = block.stmts.iter().map(|s| (file(s.at), s.at.line)).collect();
    if !matches!(block.end, End::Jump(_) | End::Unreachable) {
        out.push((file(block.end_at), block.end_at.line));
    }
    out
}

fn successors(end: &End, count: usize) -> Vec<BlockId> {
    match end {
        End::Jump(to) => vec![*to],
        End::Branch(_, yes, no) => vec![*yes, *no],
        End::Switch(_, cases, default) => {
            cases.iter().map(|(.., to)| *to).chain([*default]).collect()
        }
        End::JumpTo(_) => (0..count).map(BlockId::new).collect(),
        End::Return(_) | End::FellOff | End::Unreachable => Vec::new(),
    }
}

/// The guide of a path; `goes_on` if runs go on behind it. GP2, GP3.
pub(crate) fn guide(program: &Program, c: &CProgram, path: &Path, goes_on: bool) -> Guide {
    // What the path and the skeleton call functions.
    let mut called: BTreeMap<FuncId, &str> = BTreeMap::new();
    for name in path.lines.keys() {
        called.extend(named(program, name).into_iter().map(|f| (f, name.as_str())));
    }
    // What runs inside of calls that are not told.
    let mut free: BTreeSet<FuncId> = BTreeSet::new();
    for &id in called.keys() {
        let f = &program.functions[id.index()];
        for b in 0..f.blocks.len() {
            for stmt in &f.blocks[b].stmts {
                let c_data::StmtKind::Call(call) = &stmt.kind else { continue };
                let file = program.files.get(stmt.at.file as usize).cloned().unwrap_or_default();
                if let c_data::Callee::Direct(g) = call.callee
                    && path.folded.contains(&(file, stmt.at.line))
                    && !free.contains(&g)
                {
                    free.extend(reached(program, g).0);
                }
            }
        }
    }
    let s = c.skeleton();
    let mut known: FxHashMap<&str, BTreeSet<Line>> = FxHashMap::default();
    for body in &s.bodies {
        let name = s.funcs[body.func.index()].name.as_str();
        if !path.lines.contains_key(name) {
            continue;
        }
        let lines = body.points.iter().map(|p| {
            let file = s.files.get(p.at.file as usize).map(|f| f.to_string());
            (file.unwrap_or_default(), p.at.line)
        });
        known.entry(name).or_default().extend(lines);
    }
    let mut out = Guide::default();
    for (&id, &name) in called.iter().filter(|(f, _)| !free.contains(f)) {
        let f = &program.functions[id.index()];
        let (Some(told), Some(known)) = (path.lines.get(name), known.get(name)) else {
            continue;
        };
        let mut blocks: FxHashSet<BlockId> = FxHashSet::default();
        for b in 0..f.blocks.len() {
            let lines = block_lines(program, id, b);
            let on = lines.iter().any(|l| told.contains(l));
            if on || !lines.iter().any(|l| known.contains(l)) {
                blocks.insert(BlockId::new(b));
            }
        }
        for (_, at) in path.active.iter().filter(|(active, _)| goes_on && active == name) {
            let here = |b: &usize| block_lines(program, id, *b).contains(at);
            let mut todo: Vec<usize> = (0..f.blocks.len()).filter(here).collect();
            let mut seen: FxHashSet<usize> = todo.iter().copied().collect();
            while let Some(b) = todo.pop() {
                for to in successors(&f.blocks[b].end, f.blocks.len()) {
                    blocks.insert(to);
                    if seen.insert(to.index()) {
                        todo.push(to.index());
                    }
                }
            }
        }
        out.blocks.insert(id, blocks);
    }
    out
}
