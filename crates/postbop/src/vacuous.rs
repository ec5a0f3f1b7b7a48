//! Answers about nothing: a question about what the program does not have is answered "holds", and that is
//! no good news.

use crate::{CProgram, Options, ready_rules};
use front_c::{Call, Flow, Reach, Skeleton, plain_name};
use ir::Program;
use property::Property;
use render::{Report, RuleOutcome, Status};
use rules::Rule;
use rustc_hash::FxHashSet;
use source::suggest;

/// That there are no assertions, where they are asked about.
pub(crate) fn assertions(property: &Property, program: &Program) -> Option<String> {
    let none = || program.procs.iter().all(|p| p.error.is_none());
    (*property == Property::Assert && none())
        .then(|| "the program has no assertion that could fail".to_owned())
}

/// The events of a property that no statement has: it may be about another program. `c` knows what there is
/// instead.
pub(crate) fn absent(property: &Property, program: &Program, c: Option<&CProgram>) -> Vec<String> {
    let events = property.events();
    let there = |event: &str| {
        let has = |id| program.events(id).iter().any(|&e| program.text(e) == event);
        program.edges.iter().any(|edge| edge.step && has(edge.events))
            || program.globals.iter().any(|&g| program.var_name(g) == event)
    };
    let absent = events.into_iter().filter(|event| !there(event));
    absent
        .map(|event| {
            let near = c.and_then(|c| near_event(&event, c.skeleton()));
            format!("no statement has the event `{event}`{}", meant(near.as_deref()))
        })
        .collect()
}

/// The name in an event that is nearest to one of the program.
fn near_event(event: &str, s: &Skeleton) -> Option<String> {
    let (word, inside) = event.split_once('(')?;
    let arguments: Vec<&str> = inside.trim_end_matches(')').split(',').map(str::trim).collect();
    let functions = called(s);
    let variables = || s.objects.iter().filter(|o| o.reach == Reach::Var && !o.temporary);
    let names: Vec<String> = variables().map(|o| o.name.clone()).chain(scoped(s)).collect();
    let mut changed = false;
    let calls = matches!(word, "call" | "arg" | "result");
    let better = arguments.iter().enumerate().map(|(i, argument)| {
        let found = match calls && i == 0 {
            true if functions.contains(argument) => None,
            true => suggest(argument, sorted(&functions)),
            false if names.iter().any(|n| n == argument) => None,
            false => suggest(argument, names.iter().map(String::as_str)),
        };
        changed |= found.is_some();
        found.unwrap_or(argument).to_owned()
    });
    let better: Vec<String> = better.collect();
    changed.then(|| format!("{word}({})", better.join(", ")))
}

/// The names of locals, as events write them.
fn scoped(s: &Skeleton) -> impl Iterator<Item = String> {
    let variables = s.objects.iter().enumerate();
    let variables = variables.filter(|(_, o)| o.reach == Reach::Var && o.owner.is_some());
    variables.map(|(i, _)| s.object_name(front_c::ObjectId::new(i)))
}

fn meant(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

fn sorted<'a>(names: &FxHashSet<&'a str>) -> Vec<&'a str> {
    let mut out: Vec<&str> = names.iter().copied().collect();
    out.sort_unstable();
    out
}

fn calls(s: &Skeleton) -> impl Iterator<Item = &Call> {
    s.bodies.iter().flat_map(|b| &b.points).filter_map(|p| match &p.flow {
        Flow::Call(call) => Some(&**call),
        _ => None,
    })
}

/// The functions that are called.
fn called(s: &Skeleton) -> FxHashSet<&str> {
    let targets = calls(s).flat_map(|c| &c.targets);
    targets.map(|f| plain_name(&s.funcs[f.index()].name)).collect()
}

/// Says of each rule what it was about, and whether that is nothing.
pub(crate) fn rules(report: &mut Report, c: &CProgram, options: &Options) {
    let Some(outcomes) = &mut report.rules else { return };
    let s = c.skeleton();
    let called = called(s);
    for (rule, outcome) in options.rules.iter().zip(&mut outcomes.rules) {
        let mentioned = rule.mentioned();
        let about = |call: &Call| {
            let names = call.targets.iter().map(|f| plain_name(&s.funcs[f.index()].name));
            names.into_iter().any(|name| mentioned.iter().any(|m| m.is_about(name)))
        };
        outcome.looked_at.call_sites = calls(s).filter(|call| about(call)).count();
        if outcome.status() != Status::Violated {
            outcome.vacuous = reasons(rule, outcome, s, &called);
        }
    }
}

/// Why a rule that is kept says nothing.
fn reasons(
    rule: &Rule,
    outcome: &RuleOutcome,
    s: &Skeleton,
    called: &FxHashSet<&str>,
) -> Vec<String> {
    let mut out = Vec::new();
    let mentioned = rule.mentioned();
    let absent = mentioned.iter().filter(|m| !called.iter().any(|name| m.is_about(name)));
    let absent: Vec<_> = absent.collect();
    let numbers: Vec<u32> = absent.iter().map(|m| m.atom).collect();
    let broken = rule.can_break_without(&numbers);
    for event in &absent {
        // Of several names for one thing a program has few; that it has none matters where the rule cannot
        // be broken without.
        if broken && event.names.len() > 1 {
            continue;
        }
        let near = event.names.iter().find_map(|name| suggest(name, sorted(called)));
        let names: Vec<String> = event.names.iter().map(|n| format!("`{n}`")).collect();
        out.push(format!("nothing calls {}{}", names.join(" or "), meant(near)));
    }
    if let Some(ty) = rule.variable.as_ref().and_then(|v| v.ty.as_ref())
        && !s.types.iter().any(|names| !names.is_empty() && rule.is_about_type(names))
    {
        let types: FxHashSet<&str> = s.types.iter().flatten().map(String::as_str).collect();
        let near = suggest(&ty.replace(" *", "*"), sorted(&types));
        out.push(format!("nothing has the type `{ty}`{}", meant(near)));
    }
    let looked = &outcome.looked_at;
    if out.is_empty()
        && (looked.values == Some(0) || looked.variables.as_ref().is_some_and(Vec::is_empty))
    {
        let what = if looked.values.is_some() { "value" } else { "variable" };
        out.push(format!("there is no {what} that the rule could be about"));
    }
    out
}

/// Remarks that allow nothing: they name no rule, or one that is kept without them.
pub(crate) fn remarks(report: &Report, options: &Options) -> Vec<String> {
    let ready = ready_rules().iter().flat_map(|r| r.rules.iter().map(String::as_str));
    let known: Vec<&str> = options.rules.iter().map(|r| r.name.as_str()).chain(ready).collect();
    let outcomes = || report.rules.iter().flat_map(|r| &r.rules);
    let mut out = Vec::new();
    for file in &report.files {
        for remark in crate::allowances(file.name(), file.text()) {
            let place = format!("{}:{}: the remark `bop: allow", remark.file, remark.at);
            if remark.rule.is_empty() {
                out.push(format!("{place}` names no rule"));
                continue;
            }
            let place = format!("{place} {}`", remark.rule);
            if remark.rule != "*" && !known.contains(&remark.rule.as_str()) {
                let near = suggest(&remark.rule, known.iter().copied());
                out.push(format!("{place} names no rule{}", meant(near)));
                continue;
            }
            // Another run may ask for the rule.
            let Some(outcome) = outcomes().find(|o| o.rule == remark.rule) else { continue };
            let here = |file: &str, line: u32| file == remark.file && line == remark.line;
            let used = outcome.suppressed.iter().any(|f| {
                here(&f.file, f.line) || f.origin.as_ref().is_some_and(|o| here(&o.0, o.1))
            });
            if !used && outcome.stop_reason.is_none() {
                out.push(format!("{place} suppresses nothing"));
            }
        }
    }
    out
}
