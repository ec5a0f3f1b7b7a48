//! Influence analysis, and other analyses that are formulas: what matters at each point of a program.

use crate::resolve::{MuSyntax, go_on, parse_formula, wrong};
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
    files: &[Arc<SourceFile>],
    analysis: InfluenceAnalysis,
    property: &[String],
    methods: &[InfluenceMethod],
    options: &Options,
    watch: &Watch,
) -> Result<Annotated, Error> {
    guarded("influence analysis", || {
        let budget = watch.budget(options.search.limits);
        let graph = data_graph(files, options, false)?;
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
        Ok(annotated(&graph, analysis.word(), methods, names))
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
    let variables: Result<Vec<u32>, Error> = property
        .iter()
        .map(|name| {
            graph.variable(name).ok_or_else(|| {
                let plain: Vec<&str> = graph.variables.iter().map(|v| v.plain.as_str()).collect();
                let several = plain.iter().filter(|p| *p == name).count() > 1;
                Error::Usage(match suggest(name, plain) {
                    _ if several => {
                        format!("there are several variables `{name}`: say `f::{name}`")
                    }
                    Some(near) => format!("no variable `{name}`; did you mean `{near}`?"),
                    None => format!("no variable `{name}`"),
                })
            })
        })
        .collect();
    Ok(match analysis {
        InfluenceAnalysis::Ia1 => influence::Analysis::Ia1,
        InfluenceAnalysis::Ia2 => influence::Analysis::Ia2,
        InfluenceAnalysis::Ia3 => influence::Analysis::Ia3,
        InfluenceAnalysis::Ia4 => influence::Analysis::Ia4 { property: variables? },
    })
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
    }
}

/// The names for which a formula with a parameter of sort `Var` holds, at each point. With `past`, it
/// speaks of how a run came there.
pub fn annotate(
    files: &[Arc<SourceFile>],
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    past: bool,
    options: &Options,
    watch: &Watch,
) -> Result<Annotated, Error> {
    guarded("annotating a program", || {
        let budget = watch.budget(options.search.limits);
        let parsed = parse_formula(formula, syntax)?;
        // Definitions and expressions are labels only for formulas that mention them.
        let words = ["DEF", "KILL", "EVAL"];
        let terms = words.iter().any(|word| formula.text().contains(word));
        let graph = data_graph(files, options, terms)?;
        let found = influence::annotate(&graph, &parsed, past, &mut watched(&budget));
        let found = found.map_err(|error| match error {
            AnnotateError::Syntax(error) => wrong(formula, &error),
            AnnotateError::Solve(bes::SolveError::Stopped) => stopped(&budget),
            error => Error::Usage(format!("{}: {error}", formula.name())),
        })?;
        let methods = vec![("pbes", found.equations)];
        Ok(annotated(&graph, "formula", methods, found.points))
    })
}
