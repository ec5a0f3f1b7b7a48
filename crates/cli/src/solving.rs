//! `bop eval`, `bop solve`, and `bop convert` to equation systems.

use crate::args::{Convert, Eval, MethodArg, MuSyntaxArg, Resolve, SolutionFormat, Solve};
use crate::exit::Exit;
use crate::io::Page;
use crate::verbs::{Failed, limits, read};
use crate::{influence, io, watch, workers};
use equations::{EquationForm, Method, MuSyntax, Resolution, Solution, Stream, Workers};
use postbop::{Error, Options, Search, Watch};
use render::{DiagnosticPage, SolutionPage, SolutionSchema};
use source::SourceFile;
use std::io::{Cursor, Read};
use std::sync::Arc;

pub(crate) fn eval(args: &Eval) -> Result<Exit, Failed> {
    let formula = match args.formula.strip_prefix('@') {
        Some(file) => read(&[file.to_owned()])?.remove(0),
        None => {
            Arc::new(SourceFile::new("formula", args.formula.as_str()).map_err(|e| e.to_string())?)
        }
    };
    let syntax = syntax(args.syntax);
    let names = [args.formula.strip_prefix('@').unwrap_or(""), args.model.as_str()];
    if influence::is_program(args) {
        let model = influence::model(args)?;
        return resolved(&args.resolution, &names, |how, options, watch, workers| match workers {
            None => model.eval(&formula, syntax, how, options, watch),
            Some(_) => {
                let what = "`--workers` and `--hosts` take a model that is written: see `bop lts`";
                Err(Error::Usage(what.to_owned()))
            }
        });
    }
    resolved(&args.resolution, &names, |how, options, watch, workers| match workers {
        None => {
            let model = stream(&args.model)?;
            equations::eval_stream(&formula, syntax, model, how, options, watch)
        }
        Some(w) => {
            let model = io::source_file(&args.model).map_err(Error::Usage)?;
            equations::eval_with_workers(&formula, syntax, &model, w, how, options, watch)
        }
    })
}

fn syntax(syntax: MuSyntaxArg) -> MuSyntax {
    match syntax {
        MuSyntaxArg::Either => MuSyntax::Either,
        MuSyntaxArg::Mcrl2 => MuSyntax::Mcrl2,
        MuSyntaxArg::Cadp => MuSyntax::Cadp,
    }
}

fn stream(name: &str) -> Result<Stream<'_>, Error> {
    let (name, input) = io::stream(name).map_err(Error::Usage)?;
    Ok(Stream { name, input })
}

pub(crate) fn solve(args: &Solve) -> Result<Exit, Failed> {
    let names = [args.file.as_str(), args.model.as_deref().unwrap_or("")];
    resolved(&args.resolution, &names, |how, options, watch, workers| match workers {
        None => match system(args)? {
            System::Small(file) => {
                let model = args.model.as_deref().map(stream).transpose()?;
                equations::solve_on(&file, model, how, options, watch)
            }
            System::Large(stream) => equations::solve_stream(stream, how, options, watch),
        },
        Some(w) => match system(args)? {
            System::Small(file) => {
                let model = args.model.as_deref().map(io::source_file).transpose();
                let model = model.map_err(Error::Usage)?;
                equations::solve_with_workers(&file, model.as_ref(), w, how, options, watch)
            }
            System::Large(stream) => {
                equations::solve_stream_with_workers(stream, w, how, options, watch)
            }
        },
    })
}

/// A system to be solved.
enum System<'a> {
    /// The text is in memory: errors can show their place.
    Small(Arc<SourceFile>),
    /// Blocks in CADP's format, read as they come.
    Large(Stream<'a>),
}

/// A longer text is not kept in memory, if its format can be read as a stream.
const LONG: u64 = 16 << 20;

fn system(args: &Solve) -> Result<System<'_>, Error> {
    let named = args.file == "-" || args.file.ends_with(".bes");
    if !named || args.model.is_some() {
        return Ok(System::Small(io::source_file(&args.file).map_err(Error::Usage)?));
    }
    let Stream { name, mut input } = stream(&args.file)?;
    let mut bytes = Vec::new();
    let unreadable = |e: std::io::Error| Error::Usage(format!("cannot read `{name}`: {e}"));
    input.by_ref().take(LONG).read_to_end(&mut bytes).map_err(unreadable)?;
    let start = bytes.trim_ascii_start();
    let blocks = start.starts_with(b"block") || start.starts_with(b"(*");
    if bytes.len() as u64 == LONG && blocks {
        let input = Box::new(Cursor::new(bytes).chain(input));
        return Ok(System::Large(Stream { name, input }));
    }
    input.read_to_end(&mut bytes).map_err(unreadable)?;
    let file = SourceFile::from_bytes(name, bytes).map_err(|e| Error::Usage(e.to_string()))?;
    Ok(System::Small(Arc::new(file)))
}

/// `bop convert --to blk|bes|pbes`.
pub(crate) fn convert(args: &Convert, form: EquationForm) -> Result<Exit, Failed> {
    let [file] = &args.input.files[..] else {
        return Err(Failed::from("one formula or equation system at a time".to_owned()));
    };
    let file = io::source_file(file)?;
    let model = args.model.as_deref().map(stream).transpose()?;
    let options = Options::from(Search { limits: limits(&args.limits), ..Search::default() });
    let (watch, line) = watch::watch(true);
    let how = (syntax(args.syntax), &args.tau[..]);
    let written = equations::convert_equations(&file, form, model, how, &options, &watch)?;
    drop(line);
    if let Some(equations) = written.part {
        io::complain(&format!(
            "note: there is no end of the equations, or not soon: {equations} of them are written, \
             which explain the value of the one asked for"
        ));
    }
    io::write_page(args.output.as_deref(), Page::Language, |out| {
        out.write_all(written.text.as_bytes())
    })?;
    Ok(Exit::Holds)
}

/// Solves, and says what came of it.
fn resolved(
    args: &Resolve,
    names: &[&str],
    solve: impl FnOnce(&Resolution, &Options, &Watch, Option<&Workers>) -> Result<Solution, Error>,
) -> Result<Exit, Failed> {
    let method = match args.method {
        MethodArg::Auto => Method::Auto,
        MethodArg::Dfs => Method::DepthFirst,
        MethodArg::Bfs => Method::BreadthFirst,
        MethodArg::Acyclic => Method::Acyclic,
        MethodArg::Global => Method::Global,
    };
    let diagnostic = args.diagnostic.is_some() || args.self_check;
    let data = args.data.as_deref().map(io::source_file).transpose()?;
    let resolution = Resolution { method, diagnostic, tau: args.tau.clone(), data };
    let mut limits = limits(&args.limits);
    let (workers, started) = workers::workers(args, names, &mut limits.memory)?.unzip();
    let options = Options::from(Search { limits, ..Search::default() });
    let (watch, line) = watch::watch(args.quiet);
    let solved = solve(&resolution, &options, &watch, workers.as_ref());
    drop(line);
    let failed = solved.is_err();
    let solution = solved.map_err(Failed::from);
    if let Some(started) = started {
        started.end(failed);
    }
    let solution = solution?;
    if let (Some(path), Some(explained)) = (&args.diagnostic, &solution.explanation) {
        let text = match (&explained.model, path == "-" || path.ends_with(".aut")) {
            (Some(model), true) => model,
            _ => &explained.system,
        };
        let path = (path != "-").then_some(path.as_str());
        io::write_page(path, Page::Language, |out| out.write_all(text.as_bytes()))?;
    }
    let Solution { value, variables_explored, dependencies, algorithm, explanation, .. } =
        &solution;
    let total = solution.variables_total;
    io::write_to(None, |out| match args.format {
        SolutionFormat::Text if args.quiet => writeln!(out, "{value}"),
        SolutionFormat::Text => {
            let of = total.map_or(String::new(), |total| format!(" of {total}"));
            let explained = explanation.as_ref().map_or(String::new(), |e| {
                format!("; {} of them explain it, as a checker agrees", e.variables)
            });
            writeln!(
                out,
                "{value}\n  {variables_explored}{of} equations with {dependencies} operands were \
                 looked at, {algorithm}{explained}"
            )
        }
        SolutionFormat::Json => {
            let diagnostic = explanation.as_ref();
            let page = SolutionPage {
                schema: SolutionSchema::V1,
                value: *value,
                variables_explored: *variables_explored,
                algorithm,
                variables_total: total,
                diagnostic: diagnostic
                    .map(|e| DiagnosticPage { variables: e.variables, checked: true }),
            };
            render::solution_json(&page, out)
        }
    })?;
    Ok(if *value { Exit::Holds } else { Exit::Violated })
}
