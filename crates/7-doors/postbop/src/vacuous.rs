//! Answers about nothing: a question about what the program does not have is answered "holds", and that is
//! no good news.

use findings::{built_in_rules, is_ready_made, rule_name, rule_of};
use front_c::{Call, Flow, Reach, Skeleton, plain_name};
use input::CProgram;
use ir::Program;
use property::Property;
use render::{LookedAt, Report, Status};
use rules::Rule;
use rustc_hash::FxHashSet;
use source::suggest;
use std::sync::Arc;

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

/// Whether the program calls what a rule is about: functions without which it cannot be broken.
pub fn concerns(c: &CProgram, property: &Property) -> bool {
    let Ok(rule) = rule_of(property) else { return true };
    let s = c.skeleton();
    let called = called(s);
    let mentioned = rule.mentioned();
    let absent = mentioned.iter().filter(|m| !called.iter().any(|name| m.is_about(name)));
    let absent: Vec<u32> = absent.map(|m| m.atom).collect();
    let typed = rule.variable.as_ref().is_some_and(|v| v.ty.is_some());
    let has_type = || s.types.iter().any(|names| !names.is_empty() && rule.is_about_type(names));
    rule.can_break_without(&absent) && (!typed || has_type())
}

/// Says of each rule what it was about, and whether that is nothing.
pub(crate) fn rules(report: &mut Report, c: &CProgram) {
    let s = c.skeleton();
    let called = called(s);
    let mut asked: Vec<Property> = Vec::new();
    for outcome in &report.results {
        let Some(name) = rule_name(outcome) else { continue };
        let known = |p: &Property| matches!(p, Property::Rule { rule, .. } if rule == name);
        if !asked.iter().any(known) {
            asked.push(outcome.property.clone());
        }
    }
    for property in asked {
        let Ok(rule) = rule_of(&property) else { continue };
        let mentioned = rule.mentioned();
        let about = |call: &Call| {
            let names = call.targets.iter().map(|f| plain_name(&s.funcs[f.index()].name));
            names.into_iter().any(|name| mentioned.iter().any(|m| m.is_about(name)))
        };
        let answers = || report.results.iter().filter(|o| rule_name(o) == Some(&rule.name));
        let looked_at = answers().find_map(|o| o.looked_at.as_deref()).cloned().unwrap_or_default();
        let call_sites = calls(s).filter(|call| about(call)).count();
        let looked_at = Arc::new(LookedAt { call_sites, ..looked_at });
        let why = match answers().any(|o| o.status == Status::Violated) {
            true => Vec::new(),
            false => reasons(&rule, &looked_at, s, &called),
        };
        let all = report.results.iter_mut().filter(|o| rule_name(o) == Some(&rule.name));
        for outcome in all {
            outcome.looked_at = Some(looked_at.clone());
            outcome.vacuous.clone_from(&why);
        }
    }
}

/// Why a rule that is kept says nothing.
fn reasons(rule: &Rule, looked: &LookedAt, s: &Skeleton, called: &FxHashSet<&str>) -> Vec<String> {
    let mut out = Vec::new();
    let mentioned = rule.mentioned();
    let absent = mentioned.iter().filter(|m| !called.iter().any(|name| m.is_about(name)));
    let absent: Vec<_> = absent.collect();
    let numbers: Vec<u32> = absent.iter().map(|m| m.atom).collect();
    let broken = rule.can_break_without(&numbers);
    // Of a ready-made rule, nobody mistyped a name.
    let ready = is_ready_made(&rule.name, &rule.text);
    if ready && !broken && absent.len() > 1 {
        let mut names: Vec<String> = Vec::new();
        for name in absent.iter().flat_map(|event| &event.names) {
            let name = format!("`{name}`");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        return vec![format!("nothing calls {}", names.join(" or "))];
    }
    for event in &absent {
        // Of several names for one thing a program has few; that it has none matters where the rule cannot
        // be broken without.
        if broken && event.names.len() > 1 {
            continue;
        }
        let near =
            event.names.iter().find_map(|name| suggest(name, sorted(called))).filter(|_| !ready);
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
    if out.is_empty()
        && (looked.values == Some(0) || looked.variables.as_ref().is_some_and(Vec::is_empty))
    {
        let what = if looked.values.is_some() { "value" } else { "variable" };
        out.push(format!("there is no {what} that the rule could be about"));
    }
    out
}

/// Remarks that allow nothing: they name no rule, or one that is kept without them.
pub(crate) fn remarks(report: &Report) -> Vec<String> {
    let ready = built_in_rules().iter().flat_map(|r| r.rules.iter().map(String::as_str));
    let known: Vec<&str> = report.results.iter().filter_map(rule_name).chain(ready).collect();
    let mut out = Vec::new();
    for file in &report.files {
        for remark in findings::allowances(file.name(), file.text()) {
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
            let mut answers =
                report.results.iter().filter(|o| rule_name(o) == Some(&remark.rule)).peekable();
            if answers.peek().is_none() {
                continue;
            }
            let suppressed =
                report.suppressed.iter().filter(|o| rule_name(o) == Some(&remark.rule));
            let mut suppressed = suppressed.filter_map(|o| o.finding.as_ref());
            let used = suppressed.any(|finding| remark.allows(&remark.rule, finding));
            if !used && answers.all(|o| o.stop_reason.is_none()) {
                out.push(format!("{place} suppresses nothing"));
            }
        }
    }
    out
}
