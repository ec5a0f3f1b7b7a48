//! What can hold at a statement.

use crate::configurations::can_start;
use crate::{Configurations, formula, projection};
use asking::never;
use asking::{EngineChoice, Options, Watch, answer};
use check::{
    Answer, Area, Budget, Observation, Partial, SetBit, SetId, StateSets, StopReason, Task,
    TraceMode, Verdict, Wants,
};
use engine_pds::{RegularSet, post_star, pre_star};
use input::{Error, caught, language, load, load_for_stacks};
use ir::{Layout, ProcId, Program, Scalar, VarId, VarKind};
use render::{Formula, Reader, States, StatesAt, Value};
use rustc_hash::FxHashMap;
use source::{Diagnostic, SourceFile, suggest};
use std::sync::Arc;
use std::time::Instant;

/// The exact set of valuations of the named variables (of all in scope, if none is named) with
/// which control comes to the statements at `at`: on runs of the program, on runs from some
/// configurations, or such that a run from there leads to some configurations.
pub fn states(
    files: &[Arc<SourceFile>],
    at: &str,
    vars: &[String],
    runs: &Runs,
    options: &Options,
    watch: &Watch,
) -> Result<States, Error> {
    let budget = watch.budget(options.search.limits);
    let lang = language(files, &options.input)?;
    let mut loaded = match runs {
        Runs::OfProgram => load(files, &options.input)?.into(),
        Runs::From(_) | Runs::To(_) => load_for_stacks(files, &options.input, true)?,
    };
    let set = match runs {
        Runs::OfProgram => None,
        Runs::From(set) | Runs::To(set) => {
            only_whole_stacks(runs, options)?;
            let read = set.read(&mut loaded, lang)?;
            if matches!(runs, Runs::From(_)) {
                can_start(set, &read, &loaded.program)?;
            }
            Some(read)
        }
    };
    let program = Arc::new(loaded.program);
    let rejected = |diagnostic: Diagnostic| match files.first() {
        Some(file) => Error::Rejected { file: file.clone(), diagnostics: vec![diagnostic] },
        None => Error::Usage(diagnostic.message),
    };
    let nodes = property::places(&program, at).map_err(|e| rejected(e.diagnostic()))?;
    let mut observe = Vec::new();
    for &node in &nodes {
        let vars = named(&program, program.nodes[node].proc, vars).map_err(&rejected)?;
        observe.push(Observation { node, vars });
    }
    let goal = never(&program);
    let wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: true };
    let task = Task { observe, wants, ..Task::new(program.clone(), vec![goal]) };
    let mut out = States {
        files: files.to_vec(),
        program,
        at: at.to_owned(),
        engine: String::new(),
        why: String::new(),
        seconds: 0.0,
        counters: Vec::new(),
        stop_reason: None,
        places: Vec::new(),
    };
    if let Err(reason) = budget.poll() {
        out.stop_reason = Some(reason);
        return Ok(out);
    }
    if let Some(set) = set {
        let start = Instant::now();
        (out.engine, out.why) = match runs {
            Runs::To(_) => {
                ("pre".to_owned(), "runs to a set of stacks are its business".to_owned())
            }
            _ => ("post".to_owned(), "runs from a set of stacks are its business".to_owned()),
        };
        match caught("searching stacks", || between(&task, runs, &set, options, &budget)) {
            Ok(Ok(places)) => out.places = places,
            Ok(Err(reason)) => out.stop_reason = Some(reason),
            Err(what) => out.stop_reason = Some(StopReason::Internal { what }),
        }
        out.seconds = start.elapsed().as_secs_f64();
        return Ok(out);
    }
    let runs = answer(&task, options, watch, &budget);
    for run in &runs {
        out.seconds += run.seconds;
        out.engine = if runs.len() > 1 { "compare".to_owned() } else { run.engine.to_owned() };
        out.why = run.why.clone();
        out.counters.extend(run.answer.stats.counters.iter().map(|&(n, v)| (n.to_owned(), v)));
        match observed(&task, &run.answer, options) {
            Err(reason) => out.stop_reason = Some(reason),
            Ok(places) if out.places.is_empty() => out.places = places,
            Ok(places) => {
                let count = |p: &[StatesAt]| p.iter().map(|p| p.count).collect::<Vec<_>>();
                if count(&places) != count(&out.places) {
                    let what = "the engines disagree about the states".to_owned();
                    out.stop_reason = Some(StopReason::Internal { what });
                }
            }
        }
    }
    if out.stop_reason.is_some() {
        out.places.clear();
    }
    Ok(out)
}

/// The variables of the names, as they are visible in `proc`.
fn named(program: &Program, proc: ProcId, names: &[String]) -> Result<Vec<VarId>, Diagnostic> {
    let scope = Reader::new(program).scope(proc);
    if names.is_empty() {
        return Ok(scope.to_vec());
    }
    let mut out = Vec::new();
    for name in names {
        match scope.iter().find(|&&v| program.var_name(v) == name) {
            Some(&var) if out.contains(&var) => {}
            Some(&var) => out.push(var),
            None => {
                let proc = program.proc_name(proc);
                let message = format!("variable `{name}` is not in scope in `{proc}`");
                let mut diagnostic = Diagnostic::error("unknown-variable", message);
                let known = scope.iter().map(|&v| program.var_name(v));
                diagnostic.help = suggest(name, known).map(|n| format!("did you mean `{n}`?"));
                return Err(diagnostic);
            }
        }
    }
    Ok(out)
}

fn observed(task: &Task, answer: &Answer, options: &Options) -> Result<Vec<StatesAt>, StopReason> {
    if let Some(reason) = &answer.incomplete {
        return Err(reason.clone());
    }
    let layout = Layout::new(&task.program);
    let mut out = Vec::new();
    for (observation, set) in task.observe.iter().zip(&answer.observed) {
        let Some(set) = *set else {
            return Err(match answer.verdicts.first() {
                Some(Verdict::Unknown(reason)) => reason.clone(),
                _ => StopReason::Internal { what: "the engine gave no set of states".to_owned() },
            });
        };
        out.push(states_at(task, &answer.sets, &layout, observation, set, options.shown.max_cubes));
    }
    Ok(out)
}

/// Which runs count.
#[derive(Clone, Debug, Default)]
pub enum Runs {
    /// Those of the program, from its start.
    #[default]
    OfProgram,
    /// Those that begin in some configuration of the set.
    From(Configurations),
    /// Those from the statement, reached or not, to some configuration of the set.
    To(Configurations),
}

fn only_whole_stacks(runs: &Runs, options: &Options) -> Result<(), Error> {
    let fits = match (runs, options.search.engine) {
        (_, EngineChoice::Auto | EngineChoice::Compare) | (Runs::OfProgram, _) => true,
        (Runs::From(_), engine) => engine == EngineChoice::Post,
        (Runs::To(_), engine) => engine == EngineChoice::Pre,
    };
    match fits {
        true => Ok(()),
        false => Err(Error::Usage(
            "runs from a set of stacks are found by the engine post, runs to one by the engine pre"
                .to_owned(),
        )),
    }
}

fn between(
    task: &Task,
    runs: &Runs,
    set: &RegularSet,
    options: &Options,
    budget: &Budget,
) -> Result<Vec<StatesAt>, StopReason> {
    let program = &task.program;
    let layout = Layout::new(program);
    let mut automaton = match runs {
        Runs::To(_) => pre_star(program, set, budget)?,
        _ => post_star(program, set, budget)?,
    };
    let mut out = Vec::new();
    for observation in &task.observe {
        let (sets, set) = automaton.states_at(observation.node, budget)?;
        let names = bit_names(program, &layout, &observation.vars);
        let (sets, set) = projection::project(&sets, set, |bit| names.contains_key(&bit));
        out.push(states_at(task, &sets, &layout, observation, set, options.shown.max_cubes));
    }
    Ok(out)
}

fn states_at(
    task: &Task,
    sets: &StateSets,
    layout: &Layout,
    observation: &Observation,
    set: SetId,
    max_cubes: usize,
) -> StatesAt {
    let program = &task.program;
    let names = bit_names(program, layout, &observation.vars);
    let proc = program.nodes[observation.node].proc;
    let bits: u32 = observation.vars.iter().map(|&v| program.vars[v].ty.bits()).sum();
    let mut cubes = Vec::new();
    let mut cut = false;
    for cube in sets.cubes(set) {
        if cubes.len() == max_cubes {
            cut = true;
            break;
        }
        let mut partial = Partial::unknown(layout.global_bits + layout.frame_bits[proc]);
        for (bit, value) in cube {
            let base = if bit.area == Area::Global { 0 } else { layout.global_bits };
            partial.set(base + bit.index, Some(value));
        }
        cubes.push(partial);
    }
    let mut name = |bit: SetBit| names.get(&bit).cloned().unwrap_or_else(|| "?".to_owned());
    let by_numbers = (!cut).then(|| numbers(program, &observation.vars, &cubes)).flatten();
    StatesAt {
        node: observation.node,
        vars: observation.vars.clone(),
        reachable: set != SetId::empty(),
        formula: by_numbers.unwrap_or_else(|| formula::formula(sets, set, &mut name)),
        cubes,
        cut,
        count: formula::count(sets, set, bits),
    }
}

/// The most cubes that are written as a formula over numbers.
const FEW: usize = 8;

/// A formula that says for each of a few cubes what the numbers are. `None` where there are no
/// numbers, or bits of one are known and others not: bits are all that can be said then.
fn numbers(program: &Program, vars: &[VarId], cubes: &[Partial]) -> Option<Formula> {
    let is_number = |&var: &VarId| program.vars[var].ty.scalar != Scalar::Bool;
    if cubes.is_empty() || cubes.len() > FEW || !vars.iter().any(is_number) {
        return None;
    }
    let reader = Reader::new(program);
    let literal = |name: &str, value: &Value| match value {
        Value::Bool(true) => name.to_owned(),
        Value::Bool(false) => format!("!{name}"),
        other => format!("{name} == {other}"),
    };
    let mut alternatives = Vec::new();
    for cube in cubes {
        let mut parts = Vec::new();
        for &var in vars {
            let name = program.var_name(var);
            let lo = program.vars[var].ty.array.map_or(0, |dim| dim.lo);
            match reader.value(cube, var) {
                Some(Value::Array(cells)) => {
                    let known =
                        (lo..).zip(&cells).filter_map(|(i, cell)| Some((i, cell.as_ref()?)));
                    parts.extend(known.map(|(i, value)| literal(&format!("{name}[{i}]"), value)));
                }
                Some(value) => parts.push(literal(name, &value)),
                None => {}
            }
            if reader.pattern(cube, var).is_some_and(|pattern| pattern.contains("0b")) {
                return None;
            }
        }
        alternatives.push(if parts.is_empty() { "1".to_owned() } else { parts.join(" & ") });
    }
    Some(Formula { definitions: Vec::new(), text: alternatives.join(" | ") })
}

/// What the bits are called: a boolean by its name, a bit of an integer `x.2`, of an array
/// `x[3]` or `x[3].2`.
pub(crate) fn bit_names(
    program: &Program,
    layout: &Layout,
    vars: &[VarId],
) -> FxHashMap<SetBit, String> {
    let mut out = FxHashMap::default();
    for &var in vars {
        let info = &program.vars[var];
        let area = match info.kind {
            VarKind::Global => Area::Global,
            VarKind::Local(_) | VarKind::Result(_) => Area::Local,
        };
        let slot = layout.slot(var);
        for cell in 0..slot.cells {
            for (i, index) in slot.cell(cell).enumerate() {
                let mut name = program.var_name(var).to_owned();
                if let Some(dim) = info.ty.array {
                    name += &format!("[{}]", dim.lo + i64::from(cell));
                }
                if info.ty.scalar != Scalar::Bool {
                    name += &format!(".{i}");
                }
                out.insert(SetBit { area, index }, name);
            }
        }
    }
    out
}
