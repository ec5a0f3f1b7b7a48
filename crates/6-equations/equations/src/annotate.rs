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
    /// Every variable is explained at every point.
    pub every: bool,
    /// What `*` stands for, if it is among the names: the variables that pointers may lead to.
    pub pointed: Vec<String>,
}

/// Why a variable matters at a point.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The variable.
    pub variable: String,
    /// It was asked for by itself.
    pub asked: bool,
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

/// A line that everything else is to matter for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Criterion {
    /// The end of the file's path; empty: any file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The variable whose value there is asked for; else all that the line reads.
    pub variable: Option<String>,
}

/// What is asked about influence.
#[derive(Clone, Debug)]
pub struct InfluenceQuestion<'a> {
    /// What a variable shall matter for, if there is no criterion.
    pub analysis: InfluenceAnalysis,
    /// The variables of IA4's property.
    pub property: &'a [String],
    /// One line, instead of an analysis.
    pub criterion: Option<&'a Criterion>,
    /// How it is computed. Several methods must agree.
    pub methods: &'a [InfluenceMethod],
    /// Variables to explain.
    pub whys: &'a [Why],
    /// Explain every variable at every point.
    pub reasons: bool,
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
    /// Whether it matters for the criterion that this is run, if there is one.
    pub passed: Option<bool>,
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

/// The variables that matter at each point.
pub fn influence(
    model: DataModel<'_>,
    question: &InfluenceQuestion<'_>,
    options: &Options,
    watch: &Watch,
) -> Result<Annotated, Error> {
    guarded("influence analysis", || {
        let budget = watch.budget(options.search.limits);
        let own: Vec<String> = match &model {
            DataModel::Program(files) => files.iter().map(|f| f.name().to_owned()).collect(),
            DataModel::Written(_) => Vec::new(),
        };
        let graph = match model {
            DataModel::Program(files) => data_graph(files, options, false)?,
            DataModel::Written(stream) => {
                let name = stream.name.to_owned();
                influence::of_lts(&read_stream(stream, &budget)?, &name)
            }
        };
        let failed = |error| match error {
            influence::InfluenceError::Stopped => stopped(&budget),
            error => Error::Internal(error.to_string()),
        };
        let mut out = if let Some(criterion) = question.criterion {
            let (states, variable) = asked(&graph, criterion)?;
            let found = influence::criterion(&graph, &states, variable, &mut watched(&budget));
            let found = found.map_err(failed)?;
            let methods = vec![("dataflow", found.influence.effort)];
            let names = names(&graph, &found.influence);
            let mut out = annotated(&graph, "criterion", methods, names);
            for (point, shown) in graph.points.iter().zip(&mut out.points) {
                shown.passed = point.state.map(|state| found.passed[state as usize]);
            }
            explain(&found.flow, question, &mut out)?;
            out
        } else {
            let analysis = chosen(&graph, question.analysis, question.property)?;
            let mut results: Vec<(InfluenceMethod, influence::Influence)> = Vec::new();
            for &method in question.methods {
                let found = influence::influence(&graph, &analysis, method, &mut watched(&budget));
                let found = found.map_err(failed)?;
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
            let names = names(&graph, found);
            let methods = results.iter().map(|(m, found)| (m.word(), found.effort)).collect();
            let mut out = annotated(&graph, analysis.word(), methods, names);
            if question.reasons || !question.whys.is_empty() {
                let flow = influence::Flow::of(&graph, &analysis, &mut watched(&budget));
                explain(&flow.map_err(failed)?, question, &mut out)?;
            }
            out
        };
        own_first(&mut out, &own);
        Ok(out)
    })
}

/// The names at each point.
fn names(graph: &Graph, found: &influence::Influence) -> Vec<Option<Vec<String>>> {
    let names = graph.points.iter().map(|point| {
        let set = found.sets[point.state? as usize].iter();
        let here = set.filter(|&&v| graph.in_scope(v, point));
        Some(here.map(|&v| graph.variables[v as usize].plain.clone()).collect())
    });
    names.collect()
}

/// Functions of the files that were named come before those of headers.
fn own_first(found: &mut Annotated, own: &[String]) {
    let is_own: Vec<bool> = found.files.iter().map(|f| own.contains(f)).collect();
    if !is_own.contains(&true) {
        return;
    }
    let mut order: Vec<usize> = (0..found.points.len()).collect();
    order.sort_by_key(|&i| !is_own.get(found.points[i].file).copied().unwrap_or(false));
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    found.points = order.iter().map(|&i| found.points[i].clone()).collect();
    for reason in &mut found.reasons {
        reason.point = place[reason.point];
        for (point, _) in &mut reason.steps {
            *point = point.map(|i| place[i]);
        }
    }
}

/// The states and the variable of a criterion.
fn asked(graph: &Graph, criterion: &Criterion) -> Result<(Vec<u32>, Option<u32>), Error> {
    let Criterion { file, line, variable: name } = criterion;
    let fits = |name: &str| {
        let rest = name.strip_suffix(file.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || file.is_empty())
    };
    let files: Vec<bool> = graph.files.iter().map(|f| fits(f)).collect();
    if !files.contains(&true) {
        let near = suggest(file, graph.files.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Error::Usage(format!("no file `{file}` in the program{near}")));
    }
    let of_file = |p: &&influence::Point| {
        files.get(p.file as usize).copied().unwrap_or(false) && p.state.is_some()
    };
    let here: Vec<&influence::Point> =
        graph.points.iter().filter(of_file).filter(|p| p.line == *line).collect();
    if here.is_empty() {
        let lines = graph.points.iter().filter(of_file).map(|p| p.line);
        let near = lines.min_by_key(|l| (l.abs_diff(*line), *l));
        let near = near.map(|l| format!("; line {l} has one")).unwrap_or_default();
        return Err(Error::Usage(format!(
            "no statement that can be reached begins in line {line}{near}"
        )));
    }
    let variable = match name {
        None => None,
        Some(name) => {
            // A local of the function comes before others of its name.
            let local = graph.variables.iter().position(|v| {
                v.plain == *name && v.function == Some(here[0].function) && !v.hidden
            });
            Some(local.map_or_else(|| variable(graph, name), |v| Ok(v as u32))?)
        }
    };
    Ok((here.iter().filter_map(|p| p.state).collect(), variable))
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

/// Why variables matter where that is asked, which must be somewhere that they do.
fn explain(
    flow: &influence::Flow<'_>,
    question: &InfluenceQuestion<'_>,
    out: &mut Annotated,
) -> Result<(), Error> {
    let teller = Teller::new(flow);
    let graph = flow.graph();
    if question.reasons {
        out.every = true;
        for (i, point) in graph.points.iter().enumerate() {
            let Some(state) = point.state else { continue };
            for v in 0..graph.variables.len() as u32 {
                let plain = &graph.variables[v as usize].plain;
                let shown = out.points[i].names.as_ref().is_some_and(|n| n.contains(plain));
                if shown
                    && graph.in_scope(v, point)
                    && let Some(way) = flow.reason(state, v)
                {
                    let variable = plain.clone();
                    let steps = teller.steps(&way);
                    out.reasons.push(Reason { variable, asked: false, point: i, steps });
                }
            }
        }
    }
    for why in question.whys {
        out.reasons.push(reason(flow, &teller, out, why)?);
    }
    Ok(())
}

fn reason(
    flow: &influence::Flow<'_>,
    teller: &Teller<'_>,
    found: &Annotated,
    why: &Why,
) -> Result<Reason, Error> {
    let graph = flow.graph();
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
    let way = graph.points[point].state.and_then(|state| flow.reason(state, variable));
    let way = way.ok_or_else(|| Error::Internal("there is no reason for a variable".to_owned()))?;
    let steps = teller.steps(&way);
    Ok(Reason { variable: why.variable.clone(), asked: true, point, steps })
}

/// Puts reasons into words.
struct Teller<'a> {
    graph: &'a Graph,
    /// By state: the statement that it is part of.
    statement: Vec<Option<usize>>,
}

impl<'a> Teller<'a> {
    fn new(flow: &influence::Flow<'a>) -> Teller<'a> {
        let graph = flow.graph();
        let states = graph.states() as usize;
        let mut statement = vec![None; states];
        let mut work = Vec::new();
        for (i, point) in graph.points.iter().enumerate() {
            if let Some(state) = point.state
                && statement[state as usize].is_none()
            {
                statement[state as usize] = Some(i);
                work.push(state);
            }
        }
        // A statement is several transitions; the state before it is that of the point.
        while let Some(state) = work.pop() {
            let here = statement[state as usize];
            let behind = flow.returns(state);
            for to in graph.from(state).iter().map(|t| t.1).chain(behind) {
                if statement[to as usize].is_none() && !flow.is_entry(to) {
                    statement[to as usize] = here;
                    work.push(to);
                }
            }
        }
        Teller { graph, statement }
    }

    fn steps(&self, way: &[influence::Because]) -> Vec<(Option<usize>, String)> {
        use influence::Because::{Asked, Decides, Flows, Read};
        let name = |v: u32| {
            let variable = &self.graph.variables[v as usize];
            match (variable.hidden, variable.plain.as_str(), variable.function) {
                (true, "return", Some(f)) => {
                    format!("the result of {}", self.graph.functions[f as usize])
                }
                (true, "part", _) => "the value of the expression".to_owned(),
                _ => variable.name.clone(),
            }
        };
        let at = |state: u32| self.statement[state as usize];
        let mut steps: Vec<(Option<usize>, String)> = way
            .iter()
            .map(|step| match *step {
                Flows { state, from, into } => {
                    (at(state), format!("{} flows into {}", name(from), name(into)))
                }
                Read { state, label: influence::Label::Assert(v), .. } => {
                    (at(state), format!("an assertion reads {}", name(v)))
                }
                Read { state, label: influence::Label::Assign(w, _), .. } => {
                    let what =
                        format!("{}, which the property reads, is assigned from it", name(w));
                    (at(state), what)
                }
                Read { state, variable, .. } => {
                    (at(state), format!("a condition reads {}", name(variable)))
                }
                Decides { state } => (at(state), "that decides whether this is run".to_owned()),
                Asked { state, variable: Some(v) } => {
                    (at(state), format!("the criterion reads {}", name(v)))
                }
                Asked { state, .. } => (at(state), "that is the criterion".to_owned()),
            })
            .collect();
        steps.dedup();
        if steps.is_empty() {
            steps.push((None, "the property reads it".to_owned()));
        }
        steps
    }
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
        passed: None,
    });
    let points: Vec<AnnotatedPoint> = points.collect();
    let star = |p: &AnnotatedPoint| p.names.as_ref().is_some_and(|n| n.iter().any(|n| n == "*"));
    let pointed = match points.iter().any(star) {
        true => graph.pointed.clone(),
        false => Vec::new(),
    };
    let shown = graph.variables.iter().filter(|v| !v.hidden && !v.constant);
    Annotated {
        analysis,
        methods,
        files: graph.files.clone(),
        variables: shown.map(|v| v.name.clone()).collect(),
        points,
        reasons: Vec::new(),
        every: false,
        pointed,
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
            passed: None,
        }
    });
    Annotated {
        analysis: "formula",
        methods: vec![("pbes", found.stats.variables)],
        files: vec![name.to_owned()],
        variables: found.names.clone(),
        points: points.collect(),
        reasons: Vec::new(),
        every: false,
        pointed: Vec::new(),
    }
}
