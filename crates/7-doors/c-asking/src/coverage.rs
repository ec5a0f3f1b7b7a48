//! Inputs that reach every branch, or every line, of a C program: one search that is asked for all of them.
//!
//! - TC1: a goal is a way that a condition or a `switch` can go, or a line with a statement, in the functions that the
//!   start may come to, those of the system's headers aside.
//! - TC2: a goal is reached if a run was executed that comes there; unreachable if the search proves it; open otherwise.
//! - TC3: the tests are runs that were found, each of which reaches a goal that none before it reaches.

use crate::bounded::{Run, Searched, executed};
use asking::{Options, Watch};
use c_data::{At, Block, BlockId, End, FuncId, Point, Program};
use engine_bounded::{Goal, Inputs, Verdict};
use input::{Error, caught};
use source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is to be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Every way that conditions go.
    Branches,
    /// Every line.
    Lines,
}

/// A goal, and what is known of it.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// Which way, where it is a branch: `true`, `false`, `case 3`, `default`.
    pub way: String,
    /// The number of the first test that reaches it, from 1.
    pub test: Option<usize>,
    /// It was proved that no run comes there.
    pub unreachable: bool,
    /// Why it is open.
    pub open: Option<String>,
}

/// Tests of a program.
#[derive(Clone, Debug)]
pub struct Tests {
    /// All goals, in the order of the source.
    pub goals: Vec<Covered>,
    /// What the runs get.
    pub tests: Vec<Arc<render::Inputs>>,
}

/// A place that is asked for.
struct Asked {
    at: At,
    function: FuncId,
    way: String,
    goal: Goal,
}

/// Searches inputs that reach all goals.
pub fn tests(
    files: &[Arc<SourceFile>],
    coverage: Coverage,
    options: &Options,
    watch: &Watch,
) -> Result<Tests, Error> {
    let (Some(c), Some(data)) = (&options.input.c, &options.input.data) else {
        return Err(Error::Usage("tests are made of C programs; this is none".to_owned()));
    };
    if c.skeleton().bodies.is_empty() {
        return Err(c.wrong(&front_c::LowerError::Empty));
    }
    let entry = options.input.entry.as_deref();
    let start = c.skeleton().func_named(entry.unwrap_or("main"));
    if start.and_then(|f| c.skeleton().body(f)).is_none() {
        let what = "there is no function `main`: say where runs start, with `--entry`";
        return match entry {
            Some(name) => Err(c.wrong(&front_c::LowerError::NoEntry { name: name.to_owned() })),
            None => Err(Error::Usage(what.to_owned())),
        };
    }
    let of = Searched::new(data, (c, entry), files)?;
    let mut program = of.data.program().clone();
    let name = entry.unwrap_or("main").split('@').next().unwrap_or_default();
    let functions = program.function(name).map(|f| crate::entries::reached(&program, f).0);
    let functions = functions.unwrap_or_default();
    let asked = match coverage {
        Coverage::Branches => branches(&mut program, &functions),
        Coverage::Lines => lines(&program, &functions, files),
    };
    let goals: Vec<Goal> = asked.iter().map(|a| a.goal.clone()).collect();
    let budget = watch.budget(options.search.limits);
    let reaches = |goal: usize, inputs: &Inputs| {
        let run = Run::new(inputs, 0);
        executed(&program, (&goals[goal].points, None), run, &budget).reached
    };
    let searched = caught("engine bounded", || {
        let mut confirm = |goal: usize, inputs: &Inputs| reaches(goal, inputs);
        let search = engine_bounded::Options { bound: options.search.bound };
        engine_bounded::search(&program, &goals, search, &budget, &mut confirm)
    });
    let searched = searched.map_err(Error::Internal)?;
    let whole = !c.extent(options.input.allow_incomplete).forbids_claims();
    let mut chosen: Vec<Inputs> = Vec::new();
    let mut out = Vec::new();
    for (i, (a, answer)) in asked.iter().zip(&searched.answers).enumerate() {
        let mut covered = Covered {
            file: program.files.get(a.at.file as usize).cloned().unwrap_or_default(),
            line: a.at.line,
            function: program.functions[a.function.index()].name.clone(),
            way: a.way.clone(),
            test: None,
            unreachable: false,
            open: None,
        };
        match &answer.verdict {
            Verdict::Reached(inputs) => {
                let before = chosen.iter().position(|inputs| reaches(i, inputs));
                covered.test = Some(before.unwrap_or(chosen.len()) + 1);
                if before.is_none() {
                    chosen.push(inputs.clone());
                }
            }
            // What was left out may come from anywhere.
            Verdict::Unreached
                if whole && (coverage == Coverage::Branches || !decides(files, &covered)) =>
            {
                covered.unreachable = true;
            }
            Verdict::Unreached if whole => {
                covered.open =
                    Some("a condition on the line may be decided before it is run".to_owned());
            }
            Verdict::Unreached => {
                covered.open = Some("a part of the program was not read".to_owned())
            }
            Verdict::Unknown(reason) => covered.open = Some(reason.to_string()),
        }
        out.push(covered);
    }
    let tests = chosen.iter().map(|inputs| Arc::new(of.given(inputs))).collect();
    Ok(Tests { goals: out, tests })
}

/// Whether something may be decided on a line.
fn decides(files: &[Arc<SourceFile>], goal: &Covered) -> bool {
    let file = files.iter().find(|f| f.name() == goal.file);
    let line = file.map_or("", |f| f.line(goal.line));
    let words = ["if", "while", "for", "switch", "?", "&&", "||", "case"];
    line.is_empty() || words.iter().any(|word| line.contains(word))
}

/// Whether a function's goals count.
fn is_own(program: &Program, f: &c_data::Function) -> bool {
    let file = program.files.get(f.at.file as usize).map_or("", String::as_str);
    f.own && f.has_body() && file != crate::entries::FILE && !file.starts_with("/usr/include/")
}

/// Each way of each condition gets a block of its own.
fn branches(program: &mut Program, reached: &BTreeSet<FuncId>) -> Vec<Asked> {
    let count = program.functions.len();
    let own: Vec<bool> = (0..count)
        .map(|i| reached.contains(&FuncId::new(i)) && is_own(program, &program.functions[i]))
        .collect();
    let mut out = Vec::new();
    for (i, f) in program.functions.iter_mut().enumerate().filter(|(i, _)| own[*i]) {
        let function = FuncId::new(i);
        for b in 0..f.blocks.len() {
            let at = f.blocks[b].end_at;
            let mut end = f.blocks[b].end.clone();
            let mut ways: Vec<(&mut BlockId, String)> = Vec::new();
            match &mut end {
                End::Branch(_, yes, no) => {
                    ways.push((yes, "true".to_owned()));
                    ways.push((no, "false".to_owned()));
                }
                End::Switch(_, cases, default) => {
                    for (low, high, to) in cases {
                        let way = if low == high {
                            format!("case {low}")
                        } else {
                            format!("case {low} ... {high}")
                        };
                        ways.push((to, way));
                    }
                    ways.push((default, "default".to_owned()));
                }
                _ => continue,
            }
            for (to, way) in ways {
                let new = BlockId::new(f.blocks.len());
                f.blocks.push(Block { stmts: Vec::new(), end: End::Jump(*to), end_at: at });
                *to = new;
                let goal = Goal { points: vec![Point::Before(function, new, 0)] };
                out.push(Asked { at, function, way, goal });
            }
            f.blocks[b].end = end;
        }
    }
    out.sort_by_key(|a| a.at);
    out
}

/// Lines with statements.
fn lines(program: &Program, reached: &BTreeSet<FuncId>, files: &[Arc<SourceFile>]) -> Vec<Asked> {
    // Where a function ends is no statement.
    let ends = |at: At| {
        let name = program.files.get(at.file as usize).map_or("", String::as_str);
        let file = files.iter().find(|f| f.name() == name);
        file.is_some_and(|f| at.line <= f.line_count() && f.line(at.line).trim() == "}")
    };
    let mut all: BTreeMap<(At, FuncId), Goal> = BTreeMap::new();
    for (i, f) in program.functions.iter().enumerate().filter(|(_, f)| is_own(program, f)) {
        let function = FuncId::new(i);
        if !reached.contains(&function) {
            continue;
        }
        for (b, block) in f.blocks.iter().enumerate() {
            let mut note = |at: At, k: usize| {
                if at.line > 0 && !ends(at) {
                    let point = Point::Before(function, BlockId::new(b), k as u32);
                    all.entry((at, function)).or_default().points.push(point);
                }
            };
            for (k, stmt) in block.stmts.iter().enumerate() {
                note(stmt.at, k);
            }
            if !matches!(block.end, End::Jump(_) | End::Unreachable | End::FellOff) {
                note(block.end_at, block.stmts.len());
            }
        }
    }
    let asked = |((at, function), goal)| Asked { at, function, way: String::new(), goal };
    all.into_iter().map(asked).collect()
}
