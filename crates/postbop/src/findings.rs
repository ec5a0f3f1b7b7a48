//! Rules over C programs: one finding for each cause, told for people.

use crate::engines;
use crate::load::caught;
use crate::{EngineChoice, Options, Watch};
use check::{Budget, Goal, StopReason, Target, Task, Trace, Verdict, Wants};
use front_c::{ObjectId, Reach, Skeleton};
use ir::{EdgeId, Id, NodeId, Program};
use rules::{Instance, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A step of a finding's path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The statement, as it is written.
    pub text: String,
    /// The function.
    pub function: String,
    /// How many calls are open.
    pub depth: u32,
    /// It is a call whose inside is not shown: nothing in it matters to the rule.
    pub folded: bool,
    /// What happens here that matters to the rule; none where nothing does.
    pub event: Option<String>,
}

/// A violation of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: String,
    /// What the rule says about it.
    pub message: String,
    /// The file of the step that violates the rule.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// Its function.
    pub function: String,
    /// The object that it is about; empty for rules without one.
    pub object: String,
    /// Where the object comes from: file and line.
    pub origin: Option<(String, u32)>,
    /// The way there.
    pub steps: Vec<Step>,
    /// What was taken for granted on the way: conditions on data, which skeletons do not have.
    pub assumptions: Vec<String>,
    /// The reason that a remark `// bop: allow RULE reason` gives for it.
    pub suppressed: Option<String>,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Those to be looked at, in the order of rules and places.
    pub findings: Vec<Finding>,
    /// Those that remarks allow.
    pub suppressed: Vec<Finding>,
    /// What the answer rests on, said once: how objects are followed, what is not modelled.
    pub assumptions: Vec<String>,
    /// Effort, as name and number.
    pub counters: Vec<(String, u64)>,
    /// Rules that have no complete answer, with the reason.
    pub unknown: Vec<(String, StopReason)>,
}

/// A remark `// bop: allow RULE reason`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allow {
    /// The file.
    pub file: String,
    /// The line that it is about.
    pub line: u32,
    /// The rule; `*` for all.
    pub rule: String,
    /// The reason.
    pub reason: String,
}

/// The remarks in a source text. One that stands alone on its line is about the next line.
pub fn allowances(file: &str, text: &str) -> Vec<Allow> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let Some(start) = line.find("//") else { continue };
        let Some(rest) = line[start + 2..].trim_start().strip_prefix("bop:") else { continue };
        let Some(rest) = rest.trim_start().strip_prefix("allow") else { continue };
        let mut words = rest.trim().splitn(2, char::is_whitespace);
        let (Some(rule), reason) = (words.next().filter(|w| !w.is_empty()), words.next()) else {
            continue;
        };
        let alone = line[..start].trim().is_empty();
        out.push(Allow {
            file: file.to_owned(),
            line: i as u32 + 1 + u32::from(alone),
            rule: rule.to_owned(),
            reason: reason.unwrap_or("").trim().to_owned(),
        });
    }
    out
}

/// Checks rules over a C program. `options` gives the entry, the engine, limits and the length of
/// paths.
pub fn findings(
    skeleton: &Skeleton,
    rules: &[Rule],
    allow: &[Allow],
    options: &Options,
    watch: &Watch,
) -> Findings {
    let budget = watch.budget(options.limits);
    let mut out = Findings::default();
    for rule in rules {
        let found = caught("checking a rule", || {
            Checker { skeleton, rule, options, watch, budget: &budget }.run(&mut out)
        });
        match found.unwrap_or_else(|what| Err(StopReason::Internal { what })) {
            Ok(found) => out.findings.extend(found),
            Err(reason) => out.unknown.push((rule.name.clone(), reason)),
        }
    }
    for finding in &mut out.findings {
        let here = |a: &&Allow| {
            (a.rule == finding.rule || a.rule == "*")
                && ((a.file == finding.file && a.line == finding.line)
                    || finding.origin.as_ref().is_some_and(|o| o.0 == a.file && o.1 == a.line))
        };
        finding.suppressed = allow.iter().find(here).map(|a| a.reason.clone());
    }
    let (suppressed, found) = out.findings.into_iter().partition(|f| f.suppressed.is_some());
    (out.suppressed, out.findings) = (suppressed, found);
    out
}

struct Checker<'a> {
    skeleton: &'a Skeleton,
    rule: &'a Rule,
    options: &'a Options,
    watch: &'a Watch,
    budget: &'a Budget,
}

impl Checker<'_> {
    fn run(&self, out: &mut Findings) -> Result<Vec<Finding>, StopReason> {
        self.budget.poll()?;
        let s = self.skeleton;
        let lower = front_c::Options {
            entry: self.options.entry.clone(),
            opaque: self.rule.functions(),
            feasibility: true,
            ..front_c::Options::default()
        };
        let lowered = front_c::lower(s, &lower)
            .map_err(|error| StopReason::Unsupported { what: error.to_string() })?;
        let instances: Vec<Instance> = (0..s.objects.len())
            .filter(|&i| s.objects[i].reach == Reach::Var)
            .map(|i| {
                let object = &s.objects[i];
                let owner = object.owner.filter(|_| object.automatic);
                let owner =
                    owner.and_then(|f| lowered.program.proc_named(&s.funcs[f.index()].unique));
                Instance { object: s.object_name(ObjectId::new(i)), owner }
            })
            .collect();
        let product = rules::product(&lowered.program, self.rule, &instances)
            .map_err(|error| StopReason::Unsupported { what: error.to_string() })?;
        let program = Arc::new(product.program);
        let goals = product.goals.iter().map(|places| {
            let target = |&(node, condition): &(NodeId, _)| Target { node, condition };
            Goal::Reach(places.iter().map(target).collect())
        });
        let mut task = Task::new(program.clone(), goals.collect());
        task.wants = Wants { trace: self.options.trace, certificate: false, all_nodes: false };
        let found = self.answers(&task, out)?;
        let mut findings = Vec::new();
        for (goal, trace) in found {
            let object = product.instances[goal].object.clone();
            let atoms: FxHashSet<String> = self.rule.events_for(&object).into_iter().collect();
            let event = |e: EdgeId| {
                let texts = program.events(program.edges[e].events).iter();
                let mut texts = texts.map(|&t| program.text(t)).filter(|t| atoms.contains(*t));
                texts.next().map(|first| texts.fold(first.to_owned(), |a, b| a + ", " + b))
            };
            let steps = path(&program, &trace, self.options.max_steps, &event);
            let last = steps.iter().rev().find(|s| s.event.is_some()).or(steps.last());
            let Some(last) = last.cloned() else { continue };
            findings.push(Finding {
                rule: self.rule.name.clone(),
                message: self.rule.message_for(&object),
                file: last.file,
                line: last.line,
                column: last.column,
                function: last.function,
                object,
                origin: None,
                steps,
                assumptions: Vec::new(),
                suppressed: None,
            });
        }
        Ok(findings)
    }

    /// The goals that are reached, each with its trace, which has been replayed.
    fn answers(&self, task: &Task, out: &mut Findings) -> Result<Vec<(usize, Trace)>, StopReason> {
        let options = match self.options.engine {
            EngineChoice::Auto => Options { engine: EngineChoice::Summary, ..self.options.clone() },
            _ => self.options.alone(),
        };
        let mut runs = engines::answer(task, &options, self.watch, self.budget);
        let Some(run) = runs.pop() else {
            return Err(StopReason::Internal { what: "no engine answered".to_owned() });
        };
        for &(name, value) in &run.answer.stats.counters {
            match out.counters.iter_mut().find(|(n, _)| n == name) {
                Some((_, sum)) => *sum += value,
                None => out.counters.push((name.to_owned(), value)),
            }
        }
        let mut found = Vec::new();
        for (goal, verdict) in run.answer.verdicts.into_iter().enumerate() {
            match verdict {
                Verdict::Holds(_) => {}
                Verdict::Unknown(reason) => return Err(reason),
                Verdict::Violated(None) => {
                    let what = format!("engine {} gave no trace", run.engine);
                    return Err(StopReason::Internal { what });
                }
                Verdict::Violated(Some(trace)) => {
                    replay::check_trace(&task.program, &task.goals[goal], &trace).map_err(
                        |refusal| {
                            let what = format!("the trace is no run of the program: {refusal}");
                            StopReason::Internal { what }
                        },
                    )?;
                    found.push((goal, *trace));
                }
            }
        }
        Ok(found)
    }
}

/// The statements of a trace; completed calls in which nothing matters are folded.
fn path(
    program: &Program,
    trace: &Trace,
    max_steps: usize,
    event: &dyn Fn(EdgeId) -> Option<String>,
) -> Vec<Step> {
    let mut events: FxHashMap<EdgeId, Option<String>> = FxHashMap::default();
    let mut event = |e: EdgeId| events.entry(e).or_insert_with(|| event(e)).clone();
    // Segments come before those that run them.
    let mut matters: Vec<bool> = Vec::new();
    for segment in trace.segments.iter() {
        let inside = segment.steps.iter().any(|step| {
            event(step.edge).is_some()
                || step.inside.is_some_and(|s| matters.get(s.index()).copied().unwrap_or(true))
        });
        matters.push(inside);
    }
    let mut out = Vec::new();
    for (base, frame) in trace.frames.iter().enumerate() {
        let mut stack = vec![(frame.steps.iter(), base)];
        while let Some((steps, depth)) = stack.last_mut() {
            let Some(step) = steps.next() else {
                stack.pop();
                continue;
            };
            let depth = *depth;
            let edge = &program.edges[step.edge];
            let node = &program.nodes[edge.source];
            let inside = step.inside.filter(|s| matters[s.index()] && out.len() < max_steps);
            if node.statement && edge.step {
                let at = node.origin;
                out.push(Step {
                    file: program.files[at.file as usize].clone(),
                    line: at.line,
                    column: at.column,
                    text: program.text(at.text).to_owned(),
                    function: program.proc_name(node.proc).to_owned(),
                    depth: depth as u32,
                    folded: step.inside.is_some() && inside.is_none(),
                    event: event(step.edge),
                });
            }
            if let Some(inside) = inside {
                stack.push((trace.segments[inside].steps.iter(), depth + 1));
            }
        }
    }
    out
}
