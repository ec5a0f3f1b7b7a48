//! The forms that only C has: EDL, SMV and annotated source ([c2edl]), and the skeleton for people.

use crate::specifications::specifications;
use crate::{Target, model};
use asking::Options;
use front_c::export::{beside, counters_of, cout, edl, smv, with_numbers};
use front_c::{Flow, LowerError, Next};
use input::{CProgram, Error};
use ir::Program;
use property::Property;
use source::SourceFile;
use std::fmt::Write;
use std::sync::Arc;

/// The function that an export starts with.
fn start(c: &CProgram, options: &Options) -> Result<String, Error> {
    let s = c.skeleton();
    let has_body = |name: &str| s.func_named(name).is_some_and(|f| s.body(f).is_some());
    let name = match &options.input.entry {
        Some(name) if has_body(name) => name.clone(),
        Some(name) => return Err(c.wrong(&LowerError::NoEntry { name: name.clone() })),
        None if has_body("main") => "main".to_owned(),
        None => {
            // The last one that nobody calls: C defines before it uses.
            let called = |f: front_c::FuncId| {
                s.bodies.iter().any(|b| {
                    b.func != f
                        && b.points.iter().any(|p| match &p.flow {
                            Flow::Call(call) => call.targets.contains(&f),
                            _ => false,
                        })
                })
            };
            let roots: Vec<&str> = s
                .bodies
                .iter()
                .filter(|b| !called(b.func))
                .map(|b| s.funcs[b.func.index()].unique.as_str())
                .collect();
            match roots[..] {
                [only] => only.to_owned(),
                [] if s.bodies.is_empty() => return Err(c.wrong(&LowerError::Empty)),
                _ => {
                    let what = "there is no function `main`: say with `--entry` which function \
                                the program starts with";
                    return Err(Error::Usage(what.to_owned()));
                }
            }
        }
    };
    Ok(name)
}

/// The forms that only C can be converted to; none for others, and for models of values and of rules.
pub(crate) fn export(
    c: &CProgram,
    files: &[Arc<SourceFile>],
    target: Target,
    formulas: &[Arc<SourceFile>],
    rules: &[Property],
    options: &Options,
) -> Option<Result<String, Error>> {
    let write: Box<dyn Fn(&front_c::export::Counters) -> String> = match target {
        Target::Edl { depth, encoding } => Box::new(move |c| edl(c, depth, encoding)),
        Target::Smv { depth, encoding } => Box::new(move |c| smv(c, depth, encoding)),
        Target::Cout => Box::new(|counters| annotated(c, files, counters)),
        _ => return None,
    };
    let kept = &options.input.keep;
    if !kept.is_empty() || !rules.is_empty() {
        return None;
    }
    let counted = start(c, options).and_then(|entry| {
        let given = |name: &str| is_source(name, files);
        // What was preprocessed by others has no file of its own.
        let any = c.skeleton().files.iter().any(|file| given(file));
        let found = counters_of(c.skeleton(), &entry, &|name| !any || given(name));
        found.ok_or_else(|| c.wrong(&LowerError::NoEntry { name: entry }))
    });
    let found = match counted {
        Ok(found) => found,
        Err(error) => return Some(Err(error)),
    };
    let smv = matches!(target, Target::Smv { .. });
    // What these models have no words for is asked of one with values.
    match specifications(formulas, &found, smv) {
        Ok(written) => written.map(|written| Ok(write(&found) + &written)),
        Err(error) => Some(Err(error)),
    }
}

/// Whether a file is one of the program's own that can be shown, and no header.
fn is_source(name: &str, files: &[Arc<SourceFile>]) -> bool {
    let shown = |file: &Arc<SourceFile>| file.name() == name && !file.text().is_empty();
    !name.ends_with(".h") && files.iter().any(shown)
}

/// The source as it was given, with counters; without it, the statements as they were read.
fn annotated(
    c: &CProgram,
    files: &[Arc<SourceFile>],
    counters: &front_c::export::Counters,
) -> String {
    let has = |number: usize| counters.places.iter().any(|place| place.0 as usize == number);
    let out = in_files(&c.skeleton().files, files, has, |number, text| {
        beside(counters, number as u32, text)
    });
    out.unwrap_or_else(|| cout(counters))
}

/// The same with the numbers that places have in models with values.
pub(crate) fn annotated_with_values(program: &Program, files: &[Arc<SourceFile>]) -> String {
    let nodes = || program.nodes.enumerate().filter(|(_, node)| node.origin.line > 0);
    let has = |number: usize| nodes().any(|(_, node)| node.origin.file as usize == number);
    let out = in_files(&program.files, files, has, |number, text| {
        let here = nodes().filter(|(_, node)| node.origin.file as usize == number);
        with_numbers(here.map(|(id, node)| (node.origin.line, model::counter(id))), text)
    });
    // Without the source, the list at the head of the model.
    out.unwrap_or_else(|| model::places(program))
}

/// Files of the program's own, one after the other; none if none can be shown.
fn in_files(
    names: &[impl AsRef<str>],
    files: &[Arc<SourceFile>],
    has: impl Fn(usize) -> bool,
    show: impl Fn(usize, &str) -> String,
) -> Option<String> {
    let shown: Vec<(usize, &Arc<SourceFile>)> = names
        .iter()
        .map(AsRef::as_ref)
        .enumerate()
        .filter(|&(number, name)| has(number) && is_source(name, files))
        .filter_map(|(number, name)| Some((number, files.iter().find(|f| f.name() == name)?)))
        .collect();
    let mut out = String::new();
    for (number, file) in &shown {
        if shown.len() > 1 {
            let _ = writeln!(out, "/* {} */", file.name());
        }
        out += &show(*number, file.text());
    }
    (!shown.is_empty()).then_some(out)
}

/// The skeleton for people: a line for each point, with its events and where it goes.
pub(crate) fn listing(c: &CProgram) -> String {
    let s = c.skeleton();
    let mut out = String::new();
    let next = |n: Next| match n {
        Next::Point(p) => format!("{p}"),
        Next::Stop => "end".to_owned(),
        Next::Spin => "for ever".to_owned(),
    };
    for body in &s.bodies {
        let func = &s.funcs[body.func.index()];
        let file = s.files.get(body.at.file as usize).map_or("", String::as_str);
        let _ = writeln!(out, "{} ({file}:{}) -> {}", func.unique, body.at.line, next(body.entry));
        for (label, point) in &body.labels {
            let _ = writeln!(out, "  label {label} -> {point}");
        }
        for (i, point) in body.points.iter().enumerate() {
            let mut events: Vec<String> = point.events.iter().map(|&e| s.event_text(e)).collect();
            let flow = match &point.flow {
                Flow::Next(n) => format!("-> {}", next(*n)),
                Flow::Return => "returns".to_owned(),
                Flow::Branch(arms) => {
                    let arm = |a: &front_c::Arm| {
                        let learnt: Vec<String> =
                            a.events.iter().map(|&e| s.event_text(e)).collect();
                        match learnt.is_empty() {
                            true => next(a.next),
                            false => format!("{} [{}]", next(a.next), learnt.join(", ")),
                        }
                    };
                    let arms: Vec<String> = arms.iter().map(arm).collect();
                    format!("-> {}", arms.join(" | "))
                }
                Flow::Call(call) => {
                    let targets = match call.targets.is_empty() {
                        true => vec![None],
                        false => call.targets.iter().copied().map(Some).collect(),
                    };
                    for target in targets {
                        let (before, after) = s.call_events(call, target);
                        for event in before.into_iter().chain(after) {
                            if !events.contains(&event) {
                                events.push(event);
                            }
                        }
                    }
                    format!("-> {}", next(call.next))
                }
            };
            let events = events.join(", ");
            let _ =
                writeln!(out, "  {i}: line {}: {}  {{{events}}} {flow}", point.at.line, point.text);
        }
    }
    for warning in &s.warnings {
        let _ = writeln!(out, "not modelled: {warning}");
    }
    out
}
