//! Influence analysis, and other analyses that are formulas: what matters at each point of a program.

use crate::resolve::{INVISIBLE, MuSyntax, Stream, go_on, parse_formula, read_stream, wrong};
use asking::{Options, Watch};
use check::{Budget, StopReason};
use influence::{Graph, of_c, of_program};
use input::{Error, guarded, load};
use lts::AnnotateError;
use source::{SourceFile, suggest};
use std::sync::Arc;

pub use influence::Method as InfluenceMethod;

/// Which of the four analyses ([pbes §2]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InfluenceAnalysis {
    /// What decides which code is reached.
    Ia1,
    /// And whether assertions hold.
    Ia2,
    /// The same where there are global variables.
    Ia3,
    /// What a temporal property over some variables depends on.
    Ia4,
}

/// A program with names at each of its points.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// What the names are: `ia1`, …, or `formula`.
    pub analysis: &'static str,
    /// Who computed it, with how much effort.
    pub methods: Vec<(&'static str, u64)>,
    /// Names of the files.
    pub files: Vec<String>,
    /// All variables of the program that have a name in the source.
    pub variables: Vec<String>,
    /// The statements.
    pub points: Vec<AnnotatedPoint>,
    /// Why variables matter, as far as that was asked.
    pub reasons: Vec<Reason>,
}

/// Why a variable matters at a point.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The variable.
    pub variable: String,
    /// The point, by its number.
    pub point: usize,
    /// How its value comes to something that reads it: at which point (by number), and what happens there.
    pub steps: Vec<(Option<usize>, String)>,
}

/// Where a variable is to be explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// The variable: `x`, or `f::x`.
    pub variable: String,
    /// The line (of a transition system: the state); without one, the first point where it matters.
    pub line: Option<u32>,
}

/// What is analysed: a program, or a transition system that is one of a program's data already.
pub enum DataModel<'a> {
    /// The files of a program, as the options say.
    Program(&'a [Arc<SourceFile>]),
    /// A transition system (`.aut`).
    Written(Stream<'a>),
}

/// A statement with names.
#[derive(Clone, Debug)]
pub struct AnnotatedPoint {
    /// The function that it is in.
    pub function: String,
    /// Index into [`Annotated::files`].
    pub file: usize,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Its text.
    pub text: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// The names; none if no run comes here.
    pub names: Option<Vec<String>>,
}

/// The transition system of the program's data.
pub(crate) fn data_graph(
    files: &[Arc<SourceFile>],
    options: &Options,
    terms: bool,
) -> Result<Graph, Error> {
    let Some(c) = &options.input.c else {
        return Ok(of_program(&load(files, &options.input)?, terms).graph);
    };
    of_c(c.skeleton(), options.input.entry.as_deref(), terms).ok_or_else(|| {
        c.wrong(&match &options.input.entry {
            Some(name) => front_c::LowerError::NoEntry { name: name.clone() },
            None => front_c::LowerError::Empty,
        })
    })
}

/// Asks the budget on behalf of a solver.
fn watched(budget: &Budget) -> impl FnMut(&bes::Progress) -> bool + '_ {
    let mut reserved = 0;
    move |progress| go_on(budget, &mut reserved, progress)
}

/// Why a solver was stopped.
pub(crate) fn stopped(budget: &Budget) -> Error {
    let limit = budget.limits().memory.unwrap_or(0);
    Error::Stopped(budget.poll().err().unwrap_or(StopReason::Memory { limit }))
}

/// The variables that matter at each point. With several methods, they must agree. IA4 needs the
/// variables of the property.
pub fn influence(
    model: DataModel<'_>,
    analysis: InfluenceAnalysis,
    property: &[String],
    methods: &[InfluenceMethod],
    whys: &[Why],
    options: &Options,
    watch: &Watch,
) -> Result<Annotated, Error> {
    guarded("influence analysis", || {
        let budget = watch.budget(options.search.limits);
        let graph = match model {
            DataModel::Program(files) => data_graph(files, options, false)?,
            DataModel::Written(stream) => {
                let name = stream.name.to_owned();
                influence::of_lts(&read_stream(stream, &budget)?, &name)
            }
        };
        let analysis = chosen(&graph, analysis, property)?;
        let mut results: Vec<(InfluenceMethod, influence::Influence)> = Vec::new();
        for &method in methods {
            let found = influence::influence(&graph, &analysis, method, &mut watched(&budget));
            let found = found.map_err(|error| match error {
                influence::InfluenceError::Stopped => stopped(&budget),
                error => Error::Internal(error.to_string()),
            })?;
            if let Some((first, other)) = results.first()
                && other.sets != found.sets
            {
                let (one, two) = (first.word(), method.word());
                return Err(Error::Internal(format!("{one} and {two} disagree")));
            }
            results.push((method, found));
        }
        let Some((_, found)) = results.first() else {
            return Err(Error::Usage("no method is named".to_owned()));
        };
        let names = graph.points.iter().map(|point| {
            let set = found.sets[point.state? as usize].iter();
            let here = set.filter(|&&v| graph.in_scope(v, point));
            Some(here.map(|&v| graph.variables[v as usize].plain.clone()).collect())
        });
        let names = names.collect();
        let methods = results.iter().map(|(m, found)| (m.word(), found.effort)).collect();
        let mut out = annotated(&graph, analysis.word(), methods, names);
        for why in whys {
            out.reasons.push(reason(&graph, &analysis, &out, why)?);
        }
        Ok(out)
    })
}

fn chosen(
    graph: &Graph,
    analysis: InfluenceAnalysis,
    property: &[String],
) -> Result<influence::Analysis, Error> {
    let usage = |what: String| Err(Error::Usage(what));
    let wants_property = analysis == InfluenceAnalysis::Ia4;
    if wants_property && property.is_empty() {
        return usage("ia4 is about a property: name its variables with `--vars`".to_owned());
    }
    if !wants_property && !property.is_empty() {
        return usage("`--vars` goes with ia4".to_owned());
    }
    let variables: Result<Vec<u32>, Error> =
        property.iter().map(|name| variable(graph, name)).collect();
    Ok(match analysis {
        InfluenceAnalysis::Ia1 => influence::Analysis::Ia1,
        InfluenceAnalysis::Ia2 => influence::Analysis::Ia2,
        InfluenceAnalysis::Ia3 => influence::Analysis::Ia3,
        InfluenceAnalysis::Ia4 => influence::Analysis::Ia4 { property: variables? },
    })
}

fn variable(graph: &Graph, name: &str) -> Result<u32, Error> {
    graph.variable(name).ok_or_else(|| {
        let plain: Vec<&str> = graph.variables.iter().map(|v| v.plain.as_str()).collect();
        let several = plain.iter().filter(|p| **p == name).count() > 1;
        Error::Usage(match suggest(name, plain) {
            _ if several => format!("there are several variables `{name}`: say `f::{name}`"),
            Some(near) => format!("no variable `{name}`; did you mean `{near}`?"),
            None => format!("no variable `{name}`"),
        })
    })
}

/// Why a variable matters where it is asked, which must be somewhere that it does.
fn reason(
    graph: &Graph,
    analysis: &influence::Analysis,
    found: &Annotated,
    why: &Why,
) -> Result<Reason, Error> {
    let variable = variable(graph, &why.variable)?;
    let plain = &graph.variables[variable as usize].plain;
    let matters = |i: usize| {
        graph.in_scope(variable, &graph.points[i])
            && found.points[i].names.as_ref().is_some_and(|names| names.contains(plain))
    };
    let here = |i: usize| match why.line {
        None => true,
        Some(line) if graph.points[i].line == 0 => i == line as usize,
        Some(line) => graph.points[i].line == line,
    };
    let Some(point) = (0..graph.points.len()).find(|&i| here(i) && matters(i)) else {
        let place = why.line.map_or("anywhere".to_owned(), |line| format!("at {line}"));
        let name = &why.variable;
        return Err(Error::Usage(format!("`{name}` does not matter {place}")));
    };
    let state = graph.points[point].state;
    let way = state.and_then(|state| influence::reason(graph, analysis, state, variable));
    let way = way.ok_or_else(|| Error::Internal("there is no reason for a variable".to_owned()))?;
    // A statement is several transitions; the state before it is that of the point.
    let mut point_of = vec![None; graph.states() as usize];
    for (i, point) in graph.points.iter().enumerate() {
        if let Some(state) = point.state {
            point_of[state as usize].get_or_insert(i);
        }
    }
    let mut before = vec![None; graph.states() as usize];
    for from in 0..graph.states() {
        for &(_, to) in graph.from(from) {
            before[to as usize].get_or_insert(from);
        }
    }
    let nearest = |state: u32| {
        let mut at = state;
        for _ in 0..graph.states() {
            if let Some(point) = point_of[at as usize] {
                return Some(point);
            }
            at = before[at as usize]?;
        }
        None
    };
    let name = |v: u32| &graph.variables[v as usize].name;
    let mut steps: Vec<(Option<usize>, String)> = way
        .iter()
        .map(|step| {
            let what = match (step.label, step.into) {
                (_, Some(into)) => format!("{} flows into {}", name(step.variable), name(into)),
                (influence::Label::Assert(v), _) => format!("an assertion reads {}", name(v)),
                (influence::Label::Assign(w, _), _) => {
                    format!("{}, which the property reads, is assigned from it", name(w))
                }
                _ => format!("a condition reads {}", name(step.variable)),
            };
            (nearest(step.state), what)
        })
        .collect();
    if steps.is_empty() {
        steps.push((None, "the property reads it".to_owned()));
    }
    Ok(Reason { variable: why.variable.clone(), point, steps })
}

fn annotated(
    graph: &Graph,
    analysis: &'static str,
    methods: Vec<(&'static str, u64)>,
    names: Vec<Option<Vec<String>>>,
) -> Annotated {
    let points = graph.points.iter().zip(names).map(|(point, names)| AnnotatedPoint {
        function: graph.functions[point.function as usize].clone(),
        file: point.file as usize,
        line: point.line,
        column: point.column,
        text: point.text.clone(),
        labels: point.labels.clone(),
        names,
    });
    let shown = graph.variables.iter().filter(|v| !v.hidden);
    Annotated {
        analysis,
        methods,
        files: graph.files.clone(),
        variables: shown.map(|v| v.name.clone()).collect(),
        points: points.collect(),
        reasons: Vec::new(),
    }
}

/// The names for which a formula with a parameter of sort `Var` holds, at each point. With `past`, it
/// speaks of how a run came there.
pub fn annotate(
    model: DataModel<'_>,
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    past: bool,
    options: &Options,
    watch: &Watch,
) -> Result<Annotated, Error> {
    guarded("annotating a program", || {
        let budget = watch.budget(options.search.limits);
        let parsed = parse_formula(formula, syntax)?;
        let failed = |error| match error {
            AnnotateError::Syntax(error) => wrong(formula, &error),
            AnnotateError::Solve(bes::SolveError::Stopped) => stopped(&budget),
            error => Error::Usage(format!("{}: {error}", formula.name())),
        };
        let files = match model {
            DataModel::Program(files) => files,
            DataModel::Written(stream) => {
                let name = stream.name.to_owned();
                let mut lts = read_stream(stream, &budget)?;
                if past {
                    lts = lts.turned_round();
                }
                let found = lts::annotate(&parsed, &mut lts, &INVISIBLE, &mut watched(&budget));
                return Ok(of_states(&name, &found.map_err(failed)?));
            }
        };
        // Definitions and expressions are labels only for formulas that mention them.
        let words = ["DEF", "KILL", "EVAL"];
        let terms = words.iter().any(|word| formula.text().contains(word));
        let graph = data_graph(files, options, terms)?;
        let found = influence::annotate(&graph, &parsed, past, &mut watched(&budget));
        let found = found.map_err(failed)?;
        let methods = vec![("pbes", found.equations)];
        Ok(annotated(&graph, "formula", methods, found.points))
    })
}

/// The names at each state of a transition system.
fn of_states(name: &str, found: &lts::Annotation) -> Annotated {
    let points = found.states.iter().enumerate().map(|(state, names)| {
        let mut names: Vec<String> =
            names.iter().map(|&n| found.names[n as usize].clone()).collect();
        names.sort_unstable();
        AnnotatedPoint {
            function: "states".to_owned(),
            file: 0,
            line: 0,
            column: 0,
            text: format!("state {state}"),
            labels: Vec::new(),
            names: Some(names),
        }
    });
    Annotated {
        analysis: "formula",
        methods: vec![("pbes", found.stats.variables)],
        files: vec![name.to_owned()],
        variables: found.names.clone(),
        points: points.collect(),
        reasons: Vec::new(),
    }
}
