//! Runs as lists of lines, with what variables hold before each of them.

use crate::bounded::{Executed, Run, Searched, executed_for};
use crate::entries;
use asking::nothing;
use c_data::{Check, FuncId, Point};
use c_run::Passes;
use check::Partial;
use engine_bounded::Inputs;
use input::CProgram;
use ir::{Init, NodeId, ProcId, ProgramBuilder, Rel, Type, VarId};
use render::{ListedStep, Listing, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A run with more steps is not executed again to see what variables hold.
const MAX_AGAIN: u64 = 100_000_000;

/// The lines of a run that was executed, with what variables hold: it is executed again for that.
pub(crate) fn with_values(
    program: &c_data::Program,
    asked: (&[Point], Option<Check>),
    inputs: &Inputs,
    seen: Passes,
    budget: &check::Budget,
) -> Passes {
    if seen.count() > MAX_AGAIN || seen.first.is_empty() {
        return seen;
    }
    let run = Run::with_values(inputs, &seen);
    let again = executed_for(program, asked, run, MAX_AGAIN, budget);
    let Executed { passed, .. } = again;
    let same = passed.first == seen.first && passed.last == seen.last;
    if same { passed } else { seen }
}

/// A value as reports have it.
fn value(of: &c_run::Value) -> Value {
    let all = |list: &[Option<c_run::Value>]| {
        list.iter().map(|v| v.as_ref().map(value)).collect::<Vec<Option<Value>>>()
    };
    match of {
        c_run::Value::Int(n) => match (u64::try_from(*n), i64::try_from(*n)) {
            (Ok(n), _) => Value::Int(n),
            (_, Ok(n)) => Value::Negative(n),
            _ => Value::Text(n.to_string()),
        },
        c_run::Value::Text(text) => Value::Text(text.clone()),
        c_run::Value::Elements(list, more) => {
            let mut list = all(list);
            if *more > 0 {
                list.push(Some(Value::Text(format!("… {more} more"))));
            }
            Value::Elements(list)
        }
        c_run::Value::Members(list) => {
            let member =
                |(name, v): &(String, Option<c_run::Value>)| (name.clone(), v.as_ref().map(value));
            Value::Members(list.iter().map(member).collect())
        }
    }
}

/// The variables of a list of steps, made when they are met.
struct Names {
    globals: BTreeMap<Arc<str>, VarId>,
    locals: BTreeMap<(ProcId, Arc<str>), VarId>,
    /// What each held last: steps share what did not change.
    last: FxHashMap<VarId, (c_run::Value, Arc<Value>)>,
}

impl Names {
    fn held(
        &mut self,
        b: &mut ProgramBuilder,
        proc: ProcId,
        of: &[c_run::Held],
    ) -> Vec<(VarId, Arc<Value>)> {
        let at = b.no_origin();
        let mut out: Vec<(VarId, Arc<Value>)> = Vec::new();
        for held in of {
            let name = &held.name;
            let var = match held.global {
                true => *self
                    .globals
                    .entry(name.clone())
                    .or_insert_with(|| b.global(name, Type::BOOL, at)),
                false => {
                    let key = (proc, name.clone());
                    *self.locals.entry(key).or_insert_with(|| b.local(proc, name, Type::BOOL, at))
                }
            };
            let known = self.last.get(&var).filter(|(before, _)| *before == held.value);
            let shared = match known {
                Some((_, shared)) => shared.clone(),
                None => {
                    let shared = Arc::new(value(&held.value));
                    self.last.insert(var, (held.value.clone(), shared.clone()));
                    shared
                }
            };
            out.push((var, shared));
        }
        out.sort_by_key(|(var, _)| *var);
        out
    }
}

/// What the skeleton shows of each line: what is longest there.
fn statements(c: &CProgram) -> FxHashMap<(&str, u32), &str> {
    let s = c.skeleton();
    let mut out = FxHashMap::default();
    for point in s.bodies.iter().flat_map(|b| &b.points) {
        if let Some(file) = s.files.get(point.at.file as usize) {
            let shown: &mut &str = out.entry((file.as_str(), point.at.line)).or_default();
            if point.text.len() > shown.len() {
                *shown = &point.text;
            }
        }
    }
    out
}

/// The lines of a run, as a list of statements of a program that has nothing else.
pub(crate) fn listing(of: &Searched<'_>, passed: &Passes, warnings: &mut Vec<String>) -> Listing {
    let (program, files) = (of.data.program(), of.files);
    let mut b = ProgramBuilder::new();
    let numbers: Vec<u32> = files.iter().map(|f| b.file(f.name())).collect();
    let file_of = |file: u32| {
        let name = program.files.get(file as usize).map_or("", String::as_str);
        files.iter().position(|f| f.name() == name)
    };
    // What calls an entry is no part of the program.
    let harness = |file: u32| program.files.get(file as usize).is_some_and(|f| f == entries::FILE);
    let below = u32::from(of.harness.is_some());
    let all = || passed.first.iter().chain(&passed.last).filter(|pass| !harness(pass.at.file));
    let read = statements(of.c);
    // Each function's lines.
    let mut lines: BTreeMap<FuncId, Vec<(u32, u32)>> = BTreeMap::new();
    for pass in all() {
        let list = lines.entry(pass.function).or_default();
        if !list.contains(&(pass.at.file, pass.at.line)) {
            list.push((pass.at.file, pass.at.line));
        }
    }
    let mut nodes: BTreeMap<(FuncId, u32, u32), NodeId> = BTreeMap::new();
    let mut first = None;
    let mut procs: BTreeMap<FuncId, ProcId> = BTreeMap::new();
    for (&function, list) in &lines {
        let at = b.no_origin();
        let proc = b.proc(&program.functions[function.index()].name, at);
        first.get_or_insert(proc);
        procs.insert(function, proc);
        b.begin_proc(proc);
        for &(file, line) in list {
            let number = file_of(file);
            let whole = number.map_or("", |k| files[k].line(line));
            let indent = whole.chars().take_while(|c| c.is_whitespace()).count() as u32;
            // Of what was read from elsewhere there is no line to show.
            let name = program.files.get(file as usize).map_or("", String::as_str);
            let text = match whole.trim() {
                "" => read.get(&(name, line)).copied().unwrap_or(""),
                text => text,
            };
            let at = b.origin(number.map_or(0, |k| numbers[k]), line, indent + 1, text);
            let node = b.statement(at);
            nodes.insert((function, file, line), node);
        }
        let end = b.silent();
        b.entry(proc, end);
        b.ret(end, Rel::identity(), false);
    }
    let numbers = (0..).take(passed.first.len());
    let last = passed.count() - passed.last.len() as u64;
    let numbered = passed.first.iter().zip(numbers).chain(passed.last.iter().zip(last..));
    let mut names =
        Names { globals: BTreeMap::new(), locals: BTreeMap::new(), last: FxHashMap::default() };
    let mut steps: Vec<ListedStep> = Vec::new();
    for (pass, number) in numbered.filter(|(pass, _)| !harness(pass.at.file)) {
        let key = (pass.function, pass.at.file, pass.at.line);
        let (Some(&node), Some(&proc)) = (nodes.get(&key), procs.get(&pass.function)) else {
            continue;
        };
        let depth = pass.depth.saturating_sub(below);
        let held = passed.held.get(&number);
        let values = held.map(|held| names.held(&mut b, proc, held));
        steps.push(ListedStep { values, ..ListedStep::new(node, depth, Partial::unknown(0)) });
    }
    if passed.left_out > 0 {
        let what = format!("{} lines in the middle of the run are not listed", passed.left_out);
        warnings.push(what);
    }
    let hier_steps = steps.len();
    let program = Arc::new(match first {
        Some(entry) => b.finish(entry, Init::default()),
        None => nothing(),
    });
    Listing {
        program,
        shortest: false,
        loop_start: None,
        growth: 0,
        hier_steps,
        steps,
        monitor: None,
    }
}
