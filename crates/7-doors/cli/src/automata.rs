//! `bop post` and `bop pre`: P-automata themselves.

use crate::args::{Input, Output, Post, Pre, StatesFormat};
use crate::exit::Exit;
use crate::limit_args::LimitArgs;
use crate::verbs::{
    Failed, about_memory, configurations, limits, options, program, states_page, text_options,
    whole,
};
use crate::{bug, io, watch};
use postbop::{StopReason, Whole};

pub(crate) fn post(args: &Post) -> Result<Exit, Failed> {
    let from = args.from.as_deref().map(|e| configurations("--from", e)).transpose()?;
    automaton(&args.input, &Whole::Post(from), &args.limits, &args.output, args.format)
}

pub(crate) fn pre(args: &Pre) -> Result<Exit, Failed> {
    let to = configurations("--to", &args.to)?;
    automaton(&args.input, &Whole::Pre(to), &args.limits, &args.output, args.format)
}

fn automaton(
    input: &Input,
    wanted: &Whole,
    limited: &LimitArgs,
    output: &Output,
    format: StatesFormat,
) -> Result<Exit, Failed> {
    let mut options = options(input, None)?;
    options.search.limits = limits(limited);
    let files = program(input, &mut options, (output.quiet, output.verbose))?;
    let (watch, line) = watch::watch(output.quiet);
    let stacks = postbop::whole_automaton(&files, wanted, &options, &watch)?;
    drop(line);
    let text = text_options(output);
    io::write_page(output.output.as_deref(), states_page(format), |out| match format {
        StatesFormat::Text => render::stacks_text(&stacks, &text, out),
        StatesFormat::Json => render::stacks_json(&stacks, out),
        StatesFormat::Dot => render::stacks_dot(&stacks, out),
        StatesFormat::Html => render::stacks_html(&stacks, out),
    })?;
    about_memory(output);
    whole(&options);
    if matches!(stacks.stop_reason, Some(StopReason::Internal { .. })) {
        bug::seen();
    }
    Ok(if stacks.stop_reason.is_some() { Exit::Unknown } else { Exit::Holds })
}
