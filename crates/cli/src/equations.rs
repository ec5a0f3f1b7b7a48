//! `bop eval` and `bop solve`.

use crate::args::{Eval, MethodArg, MuSyntaxArg, Resolve, SolutionFormat, Solve};
use crate::exit::Exit;
use crate::verbs::{Failed, read};
use crate::{io, watch, workers};
use check::Limits;
use postbop::{Error, Method, MuSyntax, Options, Resolution, Solution, Watch, Workers};
use serde_json::json;
use source::SourceFile;
use std::sync::Arc;

pub(crate) fn eval(args: &Eval) -> Result<Exit, Failed> {
    let formula = match args.formula.strip_prefix('@') {
        Some(file) => read(&[file.to_owned()])?.remove(0),
        None => {
            Arc::new(SourceFile::new("formula", args.formula.as_str()).map_err(|e| e.to_string())?)
        }
    };
    let model = read(std::slice::from_ref(&args.model))?.remove(0);
    let syntax = match args.syntax {
        MuSyntaxArg::Either => MuSyntax::Either,
        MuSyntaxArg::Mcrl2 => MuSyntax::Mcrl2,
        MuSyntaxArg::Cadp => MuSyntax::Cadp,
    };
    let names = [args.formula.strip_prefix('@').unwrap_or(""), args.model.as_str()];
    resolved(&args.resolution, &names, |how, options, watch, workers| match workers {
        None => postbop::eval(&formula, syntax, &model, how, options, watch),
        Some(w) => {
            postbop::eval_with_workers(&formula, syntax, &model, w, how, options, watch)
        }
    })
}

pub(crate) fn solve(args: &Solve) -> Result<Exit, Failed> {
    let file = read(std::slice::from_ref(&args.file))?.remove(0);
    let model = match &args.model {
        Some(model) => Some(read(std::slice::from_ref(model))?.remove(0)),
        None => None,
    };
    let names = [args.file.as_str(), args.model.as_deref().unwrap_or("")];
    resolved(&args.resolution, &names, |how, options, watch, workers| match workers {
        None => postbop::solve(&file, model.as_ref(), how, options, watch),
        Some(w) => {
            postbop::solve_with_workers(&file, model.as_ref(), w, how, options, watch)
        }
    })
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
    };
    let resolution =
        Resolution { method, diagnostic: args.diagnostic.is_some() || args.self_check };
    let mut memory = args.memory.or_else(watch::default_memory);
    let (workers, started) = workers::workers(args, names, &mut memory)?.unzip();
    let limits = Limits { time: args.timeout, memory, steps: None };
    let options = Options { limits, ..Options::default() };
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
        let text = match (&explained.model, path.ends_with(".aut")) {
            (Some(model), true) => model,
            _ => &explained.system,
        };
        io::write_to(Some(path), |out| out.write_all(text.as_bytes()))?;
    }
    let Solution { value, variables_explored, dependencies, algorithm, explanation } = &solution;
    io::write_to(None, |out| match args.format {
        SolutionFormat::Text if args.quiet => writeln!(out, "{value}"),
        SolutionFormat::Text => {
            let explained = explanation.as_ref().map_or(String::new(), |e| {
                format!("; {} of them explain it, as a checker agrees", e.variables)
            });
            writeln!(
                out,
                "{value}\n  {variables_explored} equations with {dependencies} operands were looked \
                 at, {algorithm}{explained}"
            )
        }
        SolutionFormat::Json => {
            let mut object = json!({
                "schema": "postbop.solution/1",
                "value": value,
                "variables_explored": variables_explored,
                "algorithm": algorithm,
            });
            if let Some(explained) = explanation {
                object["diagnostic"] = json!({"variables": explained.variables, "checked": true});
            }
            writeln!(out, "{object}")
        }
    })?;
    Ok(if *value { Exit::Holds } else { Exit::Violated })
}
