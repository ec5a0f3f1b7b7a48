//! `bop lts`, `bop influence`, `bop annotate`, and `bop eval` on programs.

use crate::args::{
    AnalysisArg, Annotate, AnnotatedFormat, Influence, InfluenceMethodArg, Input, LtsArgs,
    ModelProgram, MuSyntaxArg, ProgramView, ViewArg,
};
use crate::exit::Exit;
use crate::io::Page;
use crate::verbs::{Failed, limits, options, program, read, whole};
use crate::{io, watch};
use check::StopReason;
use equations::{
    Annotated, AnnotatedPoint, DataModel, InfluenceAnalysis, InfluenceMethod, InfluenceQuestion,
    MuSyntax, Resolution, Solution, Stream, View,
};
use postbop::{Error, Lang, Options, Search, Watch};
use render::{InfluencePage, InfluenceSchema, MethodPage, PointPage, ReasonPage, ReasonStepPage};
use source::SourceFile;
use std::io::Write;
use std::sync::Arc;

/// Whether a model is a program, by its ending or because the language is named.
pub(crate) fn is_program(model: &str, program: &ModelProgram) -> bool {
    let lang = program.lang.or_else(|| Lang::of_file(model));
    program.lang.is_some() || lang.is_some_and(|lang| lang != Lang::Circuit)
}

/// Whether a file is a transition system, by its ending.
fn is_written(file: &str) -> bool {
    file.strip_suffix(".gz").unwrap_or(file).to_ascii_lowercase().ends_with(".aut")
}

/// The one transition system among the files, if they are not a program.
fn written(input: &Input) -> Result<Option<&str>, Failed> {
    match &input.files[..] {
        [file] if input.lang.is_none() && is_written(file) => Ok(Some(file)),
        files if files.iter().any(|file| is_written(file)) => {
            Err(Failed::from("a transition system (.aut) stands alone".to_owned()))
        }
        _ => Ok(None),
    }
}

/// How a program is looked at: by default C by its data, and others by their states.
fn view(
    args: &ProgramView,
    options: &Options,
    by_default: Option<ViewArg>,
) -> Result<View, Failed> {
    let chosen = args.view.or(by_default);
    let data = match chosen {
        Some(view) => view == ViewArg::Data,
        None => options.input.c.is_some(),
    };
    match (data, args.stack_depth) {
        (true, Some(_)) => {
            Err(Failed::from("`--stack-depth` goes with `--view states`".to_owned()))
        }
        (true, None) => Ok(View::Data { terms: args.terms }),
        (false, _) if args.terms => {
            Err(Failed::from("`--terms` goes with `--view data`".to_owned()))
        }
        (false, depth) => Ok(View::States { depth }),
    }
}

/// A formula on the command line, or in a file.
fn formula(text: &str) -> Result<Arc<SourceFile>, Failed> {
    match text.strip_prefix('@') {
        Some(file) => Ok(read(&[file.to_owned()])?.remove(0)),
        None => Ok(Arc::new(SourceFile::new("formula", text).map_err(|e| e.to_string())?)),
    }
}

fn mu_syntax(syntax: MuSyntaxArg) -> MuSyntax {
    match syntax {
        MuSyntaxArg::Either => MuSyntax::Either,
        MuSyntaxArg::Mcrl2 => MuSyntax::Mcrl2,
        MuSyntaxArg::Cadp => MuSyntax::Cadp,
    }
}

/// A program to evaluate a formula on.
pub(crate) struct Model {
    files: Vec<Arc<SourceFile>>,
    view: View,
    options: Options,
}

/// Reads the program.
pub(crate) fn model(file: &str, how: &ModelProgram, quiet: bool) -> Result<Model, Failed> {
    let input = Input {
        files: vec![file.to_owned()],
        c: crate::args::CInput {
            flags: how.flags.clone(),
            allow_incomplete: how.allow_incomplete,
            cc: how.cc.clone(),
            ..Default::default()
        },
        lang: how.lang,
        dialect: crate::args::DialectArg::Standard,
        entry: how.entry.clone(),
    };
    let mut options = options(&input, None)?;
    let files = program(&input, &mut options, (quiet, false))?;
    if whole(&options) == Exit::Unknown {
        let what = "a formula is about all of a program (`--allow-incomplete`: about the rest)";
        return Err(Error::Stopped(StopReason::Incomplete { what: what.to_owned() }).into());
    }
    let view = view(&how.view, &options, None)?;
    Ok(Model { files, view, options })
}

impl Model {
    /// Its transition system, as `bop lts` writes it.
    pub(crate) fn written(&self, given: &Options, watch: &Watch) -> Result<Vec<u8>, Error> {
        let options = Options {
            search: Search { limits: given.search.limits, ..self.options.search.clone() },
            ..self.options.clone()
        };
        let mut text = Vec::new();
        equations::write_lts(&self.files, self.view, &options, watch, &mut text)?;
        Ok(text)
    }

    /// Evaluates a formula on it.
    pub(crate) fn eval(
        &self,
        formula: &Arc<SourceFile>,
        syntax: MuSyntax,
        how: &Resolution,
        given: &Options,
        watch: &Watch,
    ) -> Result<Solution, Error> {
        let options = Options {
            search: Search { limits: given.search.limits, ..self.options.search.clone() },
            ..self.options.clone()
        };
        let model = (&self.files[..], self.view);
        equations::eval_program(formula, syntax, model, how, &options, watch)
    }
}

pub(crate) fn lts(args: &LtsArgs) -> Result<Exit, Failed> {
    let mut options = options(&args.input, None)?;
    options.search.limits = limits(&args.limits);
    let files = program(&args.input, &mut options, (args.quiet, false))?;
    let view = view(&args.view, &options, Some(ViewArg::Data))?;
    let (watch, line) = watch::watch(args.quiet);
    // Nothing is written if something is wrong.
    let mut text = Vec::new();
    equations::write_lts(&files, view, &options, &watch, &mut text)?;
    drop(line);
    io::write_page(args.output.as_deref(), Page::Language, |out| out.write_all(&text))?;
    Ok(whole(&options))
}

pub(crate) fn influence(args: &Influence) -> Result<Exit, Failed> {
    let mut options = options(&args.input, None)?;
    options.search.limits = limits(&args.shown.limits);
    let written = written(&args.input)?;
    let files = match written {
        Some(_) => Vec::new(),
        None => program(&args.input, &mut options, (args.shown.quiet, false))?,
    };
    let analysis = match args.analysis {
        AnalysisArg::Ia1 => InfluenceAnalysis::Ia1,
        AnalysisArg::Ia2 => InfluenceAnalysis::Ia2,
        AnalysisArg::Ia3 => InfluenceAnalysis::Ia3,
        AnalysisArg::Ia4 => InfluenceAnalysis::Ia4,
    };
    let methods = match args.method {
        InfluenceMethodArg::Formula => &[InfluenceMethod::Formula][..],
        InfluenceMethodArg::Pbes => &[InfluenceMethod::Pbes],
        InfluenceMethodArg::Dataflow => &[InfluenceMethod::Dataflow],
        InfluenceMethodArg::All => &InfluenceMethod::ALL,
    };
    let (watch, line) = watch::watch(args.shown.quiet);
    let model = data_model(written, &files)?;
    let question = InfluenceQuestion {
        analysis,
        property: &args.vars,
        criterion: args.criterion.as_ref(),
        methods,
        whys: &args.why,
        reasons: args.reasons || args.shown.format == AnnotatedFormat::Html,
    };
    let found = equations::influence(model, &question, &options, &watch)?;
    drop(line);
    show(&found, &files, args.shown.format, args.shown.output.as_deref())?;
    Ok(whole(&options))
}

pub(crate) fn annotate(args: &Annotate) -> Result<Exit, Failed> {
    let mut options = options(&args.input, None)?;
    options.search.limits = limits(&args.shown.limits);
    let written = written(&args.input)?;
    let files = match written {
        Some(_) => Vec::new(),
        None => program(&args.input, &mut options, (args.shown.quiet, false))?,
    };
    let formula = formula(&args.formula)?;
    let (watch, line) = watch::watch(args.shown.quiet);
    let syntax = mu_syntax(args.syntax);
    let model = data_model(written, &files)?;
    let found = equations::annotate(model, &formula, syntax, args.past, &options, &watch)?;
    drop(line);
    show(&found, &files, args.shown.format, args.shown.output.as_deref())?;
    Ok(whole(&options))
}

fn data_model<'a>(
    written: Option<&'a str>,
    files: &'a [Arc<SourceFile>],
) -> Result<DataModel<'a>, Failed> {
    let Some(file) = written else { return Ok(DataModel::Program(files)) };
    let (name, input) = io::stream(file)?;
    Ok(DataModel::Written(Stream { name, input }))
}

fn show(
    found: &Annotated,
    files: &[Arc<SourceFile>],
    format: AnnotatedFormat,
    output: Option<&str>,
) -> Result<(), Failed> {
    let page = match format {
        AnnotatedFormat::Json | AnnotatedFormat::Html => Page::Json,
        AnnotatedFormat::Text | AnnotatedFormat::Source => Page::Text,
    };
    io::write_page(output, page, |out| match format {
        AnnotatedFormat::Text => text(found, out),
        AnnotatedFormat::Json => render::influence_json(&page_of(found), out),
        AnnotatedFormat::Source if files.is_empty() => text(found, out),
        AnnotatedFormat::Source => annotated_source(found, files, out),
        AnnotatedFormat::Html => annotated_page(found, files, out),
    })?;
    Ok(())
}

fn set(point: &AnnotatedPoint) -> String {
    match &point.names {
        Some(names) => format!("{{{}}}", names.join(", ")),
        None => "never reached".to_owned(),
    }
}

/// The longest text of a statement that sets the width of the column.
const WIDEST: usize = 48;

/// A line for each statement, by function.
fn text(found: &Annotated, out: &mut dyn Write) -> std::io::Result<()> {
    let statement = |p: &AnnotatedPoint| {
        // A label in front of a loop is a statement of its own.
        let labels = p.labels.iter().filter(|l| p.text.strip_suffix(':') != Some(l.as_str()));
        let labels: String = labels.map(|l| format!("{l}: ")).collect();
        format!("{labels}{}", p.text)
    };
    let width = found.points.iter().map(|p| statement(p).chars().count());
    let width = width.filter(|&w| w <= WIDEST).max().unwrap_or(0);
    let mut function = None;
    let place = |i: usize| {
        let point = &found.points[i];
        match point.line {
            0 => point.text.clone(),
            line => format!("line {line}: {}", statement(point)),
        }
    };
    let told: Vec<(usize, String)> = told(found).collect();
    for (i, point) in found.points.iter().enumerate() {
        if function != Some((&point.function, point.file)) {
            let file = found.files.get(point.file).map_or("", String::as_str);
            let head = format!("{} ({file})", point.function);
            writeln!(out, "{}", source::one_line(&head))?;
            function = Some((&point.function, point.file));
        }
        let number = if point.line == 0 { String::new() } else { point.line.to_string() };
        let mark = if point.passed == Some(true) { '>' } else { ' ' };
        let line = format!("{number:>6}{mark} {:<width$}  {}", statement(point), set(point));
        writeln!(out, "{}", source::one_line(&line))?;
        if found.every {
            for (_, text) in told.iter().filter(|(at, _)| *at == i) {
                writeln!(out, "{}", source::one_line(&format!("          {text}")))?;
            }
        }
    }
    if !found.pointed.is_empty() {
        let what = found.pointed.join(", ");
        let text = format!("* is what pointers lead to: {what}, and memory without a name");
        writeln!(out, "\n{}", source::one_line(&text))?;
    }
    for reason in found.reasons.iter().filter(|reason| !found.every || reason.asked) {
        let head = format!("why {} matters at {}", reason.variable, place(reason.point));
        writeln!(out, "\n{}", source::one_line(&head))?;
        for (point, what) in &reason.steps {
            let at = point.map_or(String::new(), |point| format!(" ({})", place(point)));
            writeln!(out, "{}", source::one_line(&format!("  {what}{at}")))?;
        }
    }
    Ok(())
}

/// The reasons as a line each, with their points.
fn told(found: &Annotated) -> impl Iterator<Item = (usize, String)> + '_ {
    found.reasons.iter().map(|reason| {
        let here = found.points[reason.point].line;
        let steps = reason.steps.iter().map(|(point, what)| {
            match point.map(|i| (found.points[i].line, &found.points[i].text)) {
                Some((0, text)) => format!("{what} ({text})"),
                Some((line, _)) if line != here => format!("{what} (line {line})"),
                _ => what.clone(),
            }
        });
        let steps: Vec<String> = steps.collect();
        (reason.point, format!("{}: {}", reason.variable, steps.join("; ")))
    })
}

fn page_of(found: &Annotated) -> InfluencePage<'_> {
    let points = found.points.iter().map(|p| PointPage {
        function: &p.function,
        file: found.files.get(p.file).map_or("", String::as_str),
        line: p.line,
        column: p.column,
        text: &p.text,
        labels: &p.labels,
        reachable: p.names.is_some(),
        variables: p.names.as_deref().unwrap_or_default(),
        passed: p.passed,
    });
    let methods = found.methods.iter();
    InfluencePage {
        schema: InfluenceSchema::V1,
        analysis: found.analysis,
        methods: methods.map(|&(method, effort)| MethodPage { method, effort }).collect(),
        variables: &found.variables,
        points: points.collect(),
        reasons: found.reasons.iter().map(|reason| reason_page(found, reason)).collect(),
        pointed: &found.pointed,
    }
}

fn reason_page<'a>(found: &'a Annotated, reason: &'a equations::Reason) -> ReasonPage<'a> {
    let line = |i: usize| found.points[i].line;
    let steps = reason.steps.iter().map(|(point, what)| ReasonStepPage {
        line: point.map(line),
        text: point.map(|i| found.points[i].text.as_str()),
        what,
    });
    ReasonPage {
        variable: &reason.variable,
        line: line(reason.point),
        text: &found.points[reason.point].text,
        steps: steps.collect(),
    }
}

/// A page with what holds at each statement.
fn annotated_page(
    found: &Annotated,
    files: &[Arc<SourceFile>],
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut because: Vec<Vec<String>> = vec![Vec::new(); found.points.len()];
    for (point, text) in told(found) {
        because[point].push(text);
    }
    if !found.pointed.is_empty() {
        let what = found.pointed.join(", ");
        for (point, because) in found.points.iter().zip(&mut because) {
            if point.names.as_ref().is_some_and(|names| names.iter().any(|n| n == "*")) {
                because
                    .push(format!("* is what pointers lead to: {what}, and memory without a name"));
            }
        }
    }
    let points = found.points.iter().zip(because).map(|(p, because)| render::Point {
        function: &p.function,
        file: found.files.get(p.file).map_or("", String::as_str),
        line: p.line,
        column: p.column,
        text: &p.text,
        said: p.names.is_some().then(|| set(p)),
        because,
    });
    let methods: Vec<&str> = found.methods.iter().map(|m| m.0).collect();
    let about = format!("bop {}, by {}", env!("CARGO_PKG_VERSION"), methods.join(", "));
    let title = match found.analysis {
        "criterion" => "which variables matter for the criterion".to_owned(),
        analysis => format!("which variables matter at each point ({analysis})"),
    };
    render::points_html(files, &title, &about, &points.collect::<Vec<_>>(), out)
}

/// The source, each line with what holds at its statements, as a comment.
fn annotated_source(
    found: &Annotated,
    files: &[Arc<SourceFile>],
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut shown: Vec<usize> = found.points.iter().map(|p| p.file).collect();
    shown.sort_unstable();
    shown.dedup();
    for &file in &shown {
        let name = found.files.get(file).map_or("", String::as_str);
        if shown.len() > 1 {
            writeln!(out, "// {}", source::one_line(name))?;
        }
        let source = files.iter().find(|f| f.name() == name).or_else(|| files.get(file));
        let Some(source) = source else { continue };
        let lines: Vec<&str> = source.text().lines().collect();
        let widths = lines.iter().map(|l| l.chars().count());
        let width = widths.filter(|&w| w <= WIDEST).max().unwrap_or(0);
        for (i, line) in lines.iter().enumerate() {
            let here = found.points.iter().filter(|p| p.file == file && p.line == i as u32 + 1);
            let mut sets: Vec<String> = here.map(set).collect();
            sets.dedup();
            // The end behind a `return` says nothing.
            if sets.len() > 1 {
                sets.retain(|s| s != "never reached");
            }
            match sets[..] {
                [] => writeln!(out, "{line}")?,
                _ => writeln!(out, "{line:<width$}  // {}", sets.join(" "))?,
            }
        }
    }
    Ok(())
}
