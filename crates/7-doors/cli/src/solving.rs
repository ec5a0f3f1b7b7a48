//! `bop eval`, `bop solve`, and `bop convert` to equation systems.

use crate::args::{
    Convert, Eval, MethodArg, ModelProgram, MuSyntaxArg, Resolve, SolutionFormat, Solve,
};
use crate::exit::Exit;
use crate::io::Page;
use crate::verbs::{Failed, limits, read};
use crate::{influence, io, watch, workers};
use equations::{
    EquationForm, Everywhere, Method, MuSyntax, Played, Resolution, Solution, Stream, Workers,
};
use postbop::{Error, Options, Search, Watch};
use render::{DiagnosticPage, GamePage, SolutionPage, SolutionSchema};
use source::SourceFile;
use std::io::{Cursor, Read};
use std::path::Path;
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
    let is_program = influence::is_program(&args.model, &args.program);
    if args.all_states {
        return everywhere(args, &formula, syntax, is_program);
    }
    if let Some(state) = args.at {
        let program = match is_program {
            true => Some(influence::model(&args.model, &args.program, args.resolution.quiet)?),
            false => None,
        };
        return resolved(&args.resolution, &Asked::default(), &names, |how, options, watch, _| {
            let model = model_of(&args.model, program.as_ref(), options, watch)?;
            equations::eval_at(&formula, syntax, model, state, how, options, watch)
        });
    }
    if is_program {
        let model = influence::model(&args.model, &args.program, args.resolution.quiet)?;
        return resolved(
            &args.resolution,
            &Asked::default(),
            &names,
            |how, options, watch, workers| match workers {
                None => model.eval(&formula, syntax, how, options, watch),
                Some(_) => {
                    let what =
                        "`--workers` and `--hosts` take a model that is written: see `bop lts`";
                    Err(Error::Usage(what.to_owned()))
                }
            },
        );
    }
    resolved(&args.resolution, &Asked::default(), &names, |how, options, watch, workers| {
        match workers {
            None => {
                let model = stream(&args.model)?;
                equations::eval_stream(&formula, syntax, model, how, options, watch)
            }
            Some(w) => {
                let model = io::source_file(&args.model).map_err(Error::Usage)?;
                equations::eval_with_workers(&formula, syntax, &model, w, how, options, watch)
            }
        }
    })
}

/// A model as it is written: that of a program is written first.
fn model_of<'a>(
    name: &'a str,
    program: Option<&influence::Model>,
    options: &Options,
    watch: &Watch,
) -> Result<Stream<'a>, Error> {
    match program {
        Some(program) => {
            let text = program.written(options, watch)?;
            Ok(Stream { name, input: Box::new(Cursor::new(text)) })
        }
        None => stream(name),
    }
}

/// `--all-states`: a line for each.
fn everywhere(
    args: &Eval,
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    is_program: bool,
) -> Result<Exit, Failed> {
    let program = match is_program {
        true => Some(influence::model(&args.model, &args.program, args.resolution.quiet)?),
        false => None,
    };
    let how = &args.resolution;
    let data = how.data.as_deref().map(io::source_file).transpose()?;
    let resolution = Resolution { tau: how.tau.clone(), data, ..Resolution::default() };
    let options = Options::from(Search { limits: limits(&how.limits), ..Search::default() });
    let (watch, line) = watch::watch(how.quiet);
    let model = model_of(&args.model, program.as_ref(), &options, &watch)?;
    let found = equations::eval_everywhere(formula, syntax, model, &resolution, &options, &watch)?;
    drop(line);
    let Everywhere { initial, values, variables_explored } = found;
    let first = values.get(initial as usize).copied().unwrap_or(false);
    let states = || (0u32..).zip(&values).filter(|(_, value)| **value).map(|(state, _)| state);
    io::write_to(None, |out| match how.format {
        SolutionFormat::Text => {
            writeln!(out, "{first}")?;
            if how.quiet {
                return Ok(());
            }
            let (holding, all) = (states().count(), values.len());
            writeln!(
                out,
                "  it holds in {holding} of {all} states; {variables_explored} equations were looked at"
            )?;
            states().try_for_each(|state| writeln!(out, "  state {state}"))
        }
        SolutionFormat::Json => {
            let page = SolutionPage {
                schema: SolutionSchema::V1,
                value: first,
                variables_explored,
                algorithm: "depth-first",
                variables_total: None,
                diagnostic: None,
                game: None,
                states: Some(states().collect()),
            };
            render::solution_json(&page, out)
        }
    })?;
    Ok(if first { Exit::Holds } else { Exit::Violated })
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
    let game = Asked { at: args.at, solution: args.solution.as_deref() };
    let program = match &args.model {
        Some(model) if influence::is_program(model, &args.program) => {
            Some(influence::model(model, &args.program, args.resolution.quiet)?)
        }
        _ => None,
    };
    resolved(&args.resolution, &game, &names, |how, options, watch, workers| match workers {
        Some(_) if program.is_some() => {
            let what = "`--workers` and `--hosts` take a model that is written: see `bop lts`";
            Err(Error::Usage(what.to_owned()))
        }
        None => match system(args)? {
            System::Game(game) => equations::solve_game(game, how, options, watch),
            System::Small(file) => {
                let model = args.model.as_deref();
                let model = model.map(|name| model_of(name, program.as_ref(), options, watch));
                equations::solve_on(&file, model.transpose()?, how, options, watch)
            }
            System::Large(stream) => {
                equations::solve_stream(stream, on_disk(&args.file), how, options, watch)
            }
        },
        Some(w) => match system(args)? {
            System::Game(game) => equations::solve_game_with_workers(game, w, how, options, watch),
            System::Small(file) => {
                let model = args.model.as_deref().map(io::source_file).transpose();
                let model = model.map_err(Error::Usage)?;
                equations::solve_with_workers(&file, model.as_ref(), w, how, options, watch)
            }
            System::Large(stream) => {
                let file = on_disk(&args.file);
                equations::solve_stream_with_workers(stream, file, w, how, options, watch)
            }
        },
    })
}

/// A file that can be read from anywhere: what is compressed, or comes through a pipe, cannot.
fn on_disk(name: &str) -> Option<&Path> {
    let file = Path::new(name);
    (!name.ends_with(".gz") && file.is_file()).then_some(file)
}

/// What is asked of a parity game.
#[derive(Default)]
struct Asked<'a> {
    /// The vertex.
    at: Option<u32>,
    /// Where all winners and moves are written to.
    solution: Option<&'a str>,
}

/// A system to be solved.
enum System<'a> {
    /// A parity game, read as it comes.
    Game(Stream<'a>),
    /// The text is in memory: errors can show their place.
    Small(Arc<SourceFile>),
    /// Blocks in CADP's format, read as they come.
    Large(Stream<'a>),
}

/// A longer text is not kept in memory, if its format can be read as a stream.
const LONG: u64 = 16 << 20;

fn system(args: &Solve) -> Result<System<'_>, Error> {
    let name = args.file.strip_suffix(".gz").unwrap_or(&args.file);
    if args.model.is_none() && (name.ends_with(".pg") || name.ends_with(".gm")) {
        return Ok(System::Game(stream(&args.file)?));
    }
    let game_only = |what| {
        let what = format!("`{what}` goes with a parity game (.pg)");
        Err(Error::Usage(what))
    };
    let named = name == "-" || name.ends_with(".bes");
    if !named || args.model.is_some() {
        if args.at.is_some() {
            return game_only("--at");
        }
        if args.solution.is_some() {
            return game_only("--solution");
        }
        return Ok(System::Small(io::source_file(&args.file).map_err(Error::Usage)?));
    }
    let Stream { name, mut input } = stream(&args.file)?;
    let mut bytes = Vec::new();
    let unreadable = |e: std::io::Error| Error::Usage(format!("cannot read `{name}`: {e}"));
    input.by_ref().take(LONG).read_to_end(&mut bytes).map_err(unreadable)?;
    let start = bytes.trim_ascii_start();
    if args.file == "-" && start.starts_with(b"parity") {
        let input = Box::new(Cursor::new(bytes).chain(input));
        return Ok(System::Game(Stream { name, input }));
    }
    if args.at.is_some() || args.solution.is_some() {
        return game_only(if args.at.is_some() { "--at" } else { "--solution" });
    }
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
    let as_given = ModelProgram::default();
    let program = match &args.model {
        Some(model) if influence::is_program(model, &as_given) => {
            Some(influence::model(model, &as_given, true)?)
        }
        _ => None,
    };
    let options = Options::from(Search { limits: limits(&args.limits), ..Search::default() });
    let (watch, line) = watch::watch(true);
    let model = args.model.as_deref();
    let model = model.map(|name| model_of(name, program.as_ref(), &options, &watch)).transpose()?;
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
    asked: &Asked<'_>,
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
    let tau = args.tau.clone();
    let all = asked.solution.is_some();
    let resolution = Resolution { method, diagnostic, tau, at: asked.at, all, data };
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
            (None, true) if solution.game.is_some() => &explained.game,
            _ if path.ends_with(".pg") => &explained.game,
            _ if path.ends_with(".dot") => &explained.graph,
            _ => &explained.system,
        };
        let path = (path != "-").then_some(path.as_str());
        io::write_page(path, Page::Language, |out| out.write_all(text.as_bytes()))?;
    }
    let played = solution.game.as_ref();
    if let (Some(path), Some(text)) = (asked.solution, played.and_then(|p| p.solution.as_ref())) {
        let path = (path != "-").then_some(path);
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
            let won = played.map_or(String::new(), |p| {
                format!(" that {} wins from vertex {}", Played::winner(*value), p.vertex)
            });
            writeln!(
                out,
                "{value}\n  {variables_explored}{of} equations with {dependencies} operands were \
                 looked at, {algorithm}{won}{explained}"
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
                game: played.map(|p| GamePage {
                    vertex: p.vertex,
                    winner: Played::winner(*value),
                    even: p.winners.map(|(even, _)| even),
                    odd: p.winners.map(|(_, odd)| odd),
                }),
                states: None,
            };
            render::solution_json(&page, out)
        }
    })?;
    Ok(if *value { Exit::Holds } else { Exit::Violated })
}
