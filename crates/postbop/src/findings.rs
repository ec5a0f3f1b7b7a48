//! Rules over C programs: one finding for each cause, told for people.

use crate::engines;
use crate::load::caught;
use crate::{EngineChoice, Options, Watch};
use check::{
    Budget, Goal, Observation, StopReason, Target, Task, Trace, TraceMode, Verdict, Wants,
};
use front_c::{Flow, Next, ObjectId, Reach, Skeleton};
use ir::{EdgeId, Id, Layout, NodeId, Program, VarKind};
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
        if self.rule.is_about_values() {
            return self.values(out);
        }
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
            .filter(|&i| {
                let object = &s.objects[i];
                object.reach == Reach::Var
                    && !object.temporary
                    && self.rule.is_about_type(&s.types[object.type_names as usize])
            })
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
        note(out, "variables", product.instances.len() as u64);
        assume(out, VARIABLES);
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

    /// A rule about values. First, which places are reached with values from where; then a path for
    /// each pair.
    fn values(&self, out: &mut Findings) -> Result<Vec<Finding>, StopReason> {
        let unsupported = |what: String| StopReason::Unsupported { what };
        let entry = self.options.entry.as_deref();
        let stop = || self.budget.poll().is_err();
        let product = rules::value_product(self.skeleton, self.rule, entry, &stop);
        self.budget.poll()?;
        let mut product = product.map_err(|error| unsupported(error.to_string()))?;
        debug_assert_eq!(product.program.validate().map_err(|e| e.to_string()), Ok(()));
        note(out, "nodes", product.program.nodes.len() as u64);
        note(out, "places", product.violations.len() as u64);
        note(out, "origins", product.births.len() as u64);
        assume(out, VALUES);
        for limit in &product.limits {
            assume(out, limit);
        }
        if product.violations.is_empty() {
            return Ok(Vec::new());
        }
        let at = |node| Goal::Reach(vec![Target::at(node)]);
        let goals = product.violations.iter().map(|v| at(v.node)).collect();
        let program = std::mem::replace(
            &mut product.program,
            ir::ProgramBuilder::new().finish(ir::ProcId::new(0), ir::Init::default()),
        );
        let program = Arc::new(program);
        let mut task = Task::new(program.clone(), goals);
        if !product.numbered {
            return self.told(&task, &product, None, out);
        }
        task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: false };
        let places = product.violations.iter();
        task.observe =
            places.map(|v| Observation { node: v.node, vars: vec![product.birth] }).collect();
        let answer = self.answer(&task, out)?;
        let slot = Layout::new(&program).slot(product.birth);
        let mut causes: Vec<(usize, usize)> = Vec::new();
        let mut seen: FxHashSet<(rules::At, usize)> = FxHashSet::default();
        for (i, verdict) in answer.verdicts.iter().enumerate() {
            match verdict {
                Verdict::Holds(_) => continue,
                Verdict::Unknown(reason) => return Err(reason.clone()),
                Verdict::Violated(_) => {}
            }
            let Some(set) = answer.observed.get(i).copied().flatten() else {
                let what = "the engine does not say which values it found".to_owned();
                return Err(StopReason::Internal { what });
            };
            let of = |birth: usize| {
                answer.sets.contains(set, |bit| birth >> (bit.index - slot.offset) & 1 == 1)
            };
            let found = (0..product.births.len()).filter(|&k| of(k));
            causes.extend(
                found.filter(|&k| seen.insert((product.violations[i].at, k))).map(|k| (i, k)),
            );
        }
        if causes.is_empty() {
            return Ok(Vec::new());
        }
        note(out, "causes", causes.len() as u64);
        let mut program = Arc::unwrap_or_clone(program);
        let mut goals = Vec::new();
        for &(i, k) in &causes {
            let exprs = &mut program.exprs;
            let (birth, number) = (exprs.pre(product.birth), exprs.int(k as i64));
            let condition = exprs.binary(ir::BinaryOp::Eq, birth, number);
            goals.push(Goal::Reach(vec![Target { node: product.violations[i].node, condition }]));
        }
        let program = Arc::new(program);
        let task = Task::new(program, goals);
        self.told(&task, &product, Some(&causes), out)
    }

    /// A finding for each goal that is reached. Each is a violation from an origin; without `causes`,
    /// goals are the violations, and traces tell where their values come from.
    fn told(
        &self,
        task: &Task,
        product: &rules::ValueProduct,
        causes: Option<&[(usize, usize)]>,
        out: &mut Findings,
    ) -> Result<Vec<Finding>, StopReason> {
        let mut task = task.clone();
        task.wants = Wants { trace: self.options.trace, certificate: false, all_nodes: false };
        let told = Told {
            skeleton: self.skeleton,
            rule: self.rule,
            product,
            program: &task.program,
            max_steps: self.options.max_steps,
        };
        let mut told_of: Vec<(Finding, Option<rules::At>)> = Vec::new();
        for (goal, trace) in self.answers(&task, out)? {
            let (i, k) = match causes {
                Some(causes) => (causes[goal].0, Some(causes[goal].1)),
                None => (goal, told.birth(&trace)),
            };
            let Some(birth) = k.and_then(|k| product.births.get(k)) else {
                let what = "no value comes into being on the trace".to_owned();
                return Err(StopReason::Internal { what });
            };
            told_of.push(told.finding(&trace, &product.violations[i], birth));
        }
        // One for each place and origin, as far as the function at fault sees it.
        let mut seen = FxHashSet::default();
        told_of.sort_by(|(a, _), (b, _)| {
            (&a.file, a.line, a.column, a.steps.len()).cmp(&(
                &b.file,
                b.line,
                b.column,
                b.steps.len(),
            ))
        });
        told_of.retain(|(f, from)| {
            let origin = f.origin.clone().filter(|_| from.is_none());
            seen.insert((f.file.clone(), f.line, f.column, *from, origin))
        });
        Ok(told_of.into_iter().map(|(finding, _)| finding).collect())
    }

    fn answer(&self, task: &Task, out: &mut Findings) -> Result<check::Answer, StopReason> {
        let options = match self.options.engine {
            EngineChoice::Auto => Options { engine: EngineChoice::Summary, ..self.options.clone() },
            _ => self.options.alone(),
        };
        let mut runs = engines::answer(task, &options, self.watch, self.budget);
        let Some(run) = runs.pop() else {
            return Err(StopReason::Internal { what: "no engine answered".to_owned() });
        };
        for &(name, value) in &run.answer.stats.counters {
            note(out, name, value);
        }
        Ok(run.answer)
    }

    /// The goals that are reached, each with its trace, which has been replayed.
    fn answers(&self, task: &Task, out: &mut Findings) -> Result<Vec<(usize, Trace)>, StopReason> {
        let answer = self.answer(task, out)?;
        let mut found = Vec::new();
        for (goal, verdict) in answer.verdicts.into_iter().enumerate() {
            match verdict {
                Verdict::Holds(_) => {}
                Verdict::Unknown(reason) => return Err(reason),
                Verdict::Violated(None) => {
                    let what = "the engine gave no trace".to_owned();
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

/// What a rule over values rests on.
const VALUES: &str = "a value is followed through assignments, parameters, returns, and fields that \
are reached by a path of names; what is read from other memory is another value, and functions \
without a body do not touch the program's variables";

/// What a rule over variables rests on.
const VARIABLES: &str = "a rule over a variable follows that variable only, and no copies of it";

fn assume(out: &mut Findings, what: &str) {
    if !out.assumptions.iter().any(|a| a == what) {
        out.assumptions.push(what.to_owned());
    }
}

fn note(out: &mut Findings, name: &str, value: u64) {
    match out.counters.iter_mut().find(|(n, _)| n == name) {
        Some((_, sum)) => *sum += value,
        None => out.counters.push((name.to_owned(), value)),
    }
}

/// Tells a trace of a product.
struct Told<'a> {
    skeleton: &'a Skeleton,
    rule: &'a Rule,
    product: &'a rules::ValueProduct,
    program: &'a Program,
    max_steps: usize,
}

/// A step of a trace.
struct Raw<'a> {
    step: &'a check::Step,
    depth: usize,
    /// Which activation: steps of one follow each other.
    frame: usize,
    folded: bool,
}

impl Told<'_> {
    /// The finding, and the call in the function at fault from which it has the value.
    fn finding(
        &self,
        trace: &Trace,
        violation: &rules::Violation,
        birth: &rules::Birth,
    ) -> (Finding, Option<rules::At>) {
        let s = self.skeleton;
        let raw = self.flat(trace);
        let progress: Vec<Option<(u64, u64)>> = {
            let layout = Layout::new(self.program);
            let [on, state] = self.product.progress.map(|v| layout.slot(v).bits());
            let of = |p: &check::Partial| Some((p.number(on.clone())?, p.number(state.clone())?));
            raw.iter().map(|r| of(&r.step.state)).collect()
        };
        let (mut before, mut after) = (progress.clone(), vec![None; progress.len()]);
        for i in 1..progress.len() {
            before[i] = before[i].or(before[i - 1]);
        }
        for i in (1..progress.len()).rev() {
            after[i - 1] = progress[i].or(after[i]);
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut assumptions: Vec<String> = Vec::new();
        // Where each activation that is under way has come to.
        let mut last: FxHashMap<usize, (rules::At, Option<u32>)> = FxHashMap::default();
        for (i, r) in raw.iter().enumerate() {
            let Some(executes) = self.product.edges[r.step.edge] else { continue };
            let at = executes.at;
            let way = self.way(last.get(&r.frame).copied(), at);
            for (point, arm) in way {
                self.assumed(at.body, point, arm, &mut assumptions);
                let step = self.step(rules::At { point, ..at }, r.depth, false, None);
                if steps.len() < self.max_steps {
                    steps.push(step);
                }
            }
            let end = i + 1 == raw.len();
            // Where a trace leaves the automaton's state open, what is known around it tells.
            let open = progress[i].is_none() || !matches!(progress.get(i + 1), Some(Some(_)));
            let moves = matches!((before[i], after[i]), (Some(a), Some(b)) if a != b);
            let changes = end || (moves && (!open || executes.atoms != 0));
            let event = changes.then(|| match (before[i], end) {
                (Some((0, _)), false) => format!("`{}` comes from here", birth.object),
                _ => self.atoms(executes.atoms),
            });
            if let Some(arm) = executes.arm {
                self.assumed(at.body, at.point, arm, &mut assumptions);
            }
            last.insert(r.frame, (at, executes.arm));
            let step = self.step(at, r.depth, r.folded, event);
            // A call is one line, although its result is assigned after it.
            match steps.last_mut() {
                Some(before)
                    if before.line == step.line
                        && before.column == step.column
                        && before.text == step.text
                        && before.depth == step.depth =>
                {
                    before.folded |= step.folded;
                    before.event = match (before.event.take(), step.event) {
                        (Some(a), Some(b)) if a != b => Some(format!("{a}, {b}")),
                        (a, b) => a.or(b),
                    };
                }
                _ => steps.push(step),
            }
        }
        let place = self.step(violation.at, 0, false, None);
        let depth = raw.last().map_or(0, |r| r.depth);
        let born = progress.iter().rposition(|p| matches!(p, Some((0, _)))).unwrap_or(0);
        let from = raw[..=born.min(raw.len().saturating_sub(1))]
            .iter()
            .rev()
            .find(|r| r.depth == depth && self.product.edges[r.step.edge].is_some())
            .filter(|_| raw.get(born).is_some_and(|r| r.depth > depth))
            .and_then(|r| self.product.edges[r.step.edge].map(|e| e.at));
        let taken =
            from.and_then(|at| match &s.bodies[at.body as usize].points[at.point as usize].flow {
                Flow::Call(call) => call.result.map(|o| s.objects[o.index()].name.clone()),
                _ => None,
            });
        let object = violation.object.clone().or(taken).unwrap_or_else(|| birth.object.clone());
        let origin = match (birth.at, birth.function) {
            (Some(at), _) => {
                let step = self.step(at, 0, false, None);
                Some((step.file, step.line))
            }
            (None, Some(f)) => s.body(f).map(|b| (s.files[b.at.file as usize].clone(), b.at.line)),
            (None, None) => None,
        };
        let finding = Finding {
            rule: self.rule.name.clone(),
            message: self.rule.message_for(&object),
            file: place.file,
            line: place.line,
            column: place.column,
            function: place.function,
            object,
            origin,
            steps,
            assumptions,
            suppressed: None,
        };
        (finding, from)
    }

    /// Where the value of a trace comes into being: where `on` becomes true.
    fn birth(&self, trace: &Trace) -> Option<usize> {
        let layout = Layout::new(self.program);
        let slot = |var| layout.slot(var).bits();
        let raw = self.flat(trace);
        let on = self.product.progress[0];
        let chosen = raw.iter().rposition(|r| r.step.state.number(slot(on)) == Some(0))?;
        let at = self.product.edges[raw[chosen].step.edge].map(|e| e.at);
        let next = raw.get(chosen + 1).map(|r| r.step);
        let proc_of =
            |step: &check::Step| self.program.nodes[self.program.edges[step.edge].source].proc;
        let holds = |var| {
            let step = next?;
            let bit = match self.program.vars[var].kind {
                VarKind::Global => layout.slot(var).offset,
                VarKind::Local(p) if p == proc_of(step) => {
                    layout.global_bits + layout.slot(var).offset
                }
                _ => return None,
            };
            step.state.get(bit).filter(|held| *held)
        };
        let births = || self.product.births.iter().enumerate().filter(|(_, b)| b.at == at);
        let held = births().find(|(_, b)| b.bit.is_some_and(|bit| holds(bit).is_some()));
        held.or_else(|| births().next()).map(|(k, _)| k)
    }

    /// The steps of a trace in a list; calls in which the rule's automaton stays are folded.
    fn flat<'t>(&self, trace: &'t Trace) -> Vec<Raw<'t>> {
        let layout = Layout::new(self.program);
        let [on, state] = self.product.progress.map(|v| layout.slot(v).bits());
        let of = |p: &check::Partial| (p.number(on.clone()), p.number(state.clone()));
        let mut matters: Vec<bool> = Vec::new();
        for segment in trace.segments.iter() {
            let mut before = segment.steps.first().map(|s| of(&s.state));
            let mut moves = false;
            for step in &segment.steps {
                moves |= before != Some(of(&step.state));
                before = Some(of(&step.state));
                moves |=
                    step.inside.is_some_and(|i| matters.get(i.index()).copied().unwrap_or(true));
            }
            moves |= before.is_some_and(|b| b != of(&segment.exit));
            matters.push(moves);
        }
        let mut out: Vec<Raw<'t>> = Vec::new();
        let mut frames = 0;
        for (base, frame) in trace.frames.iter().enumerate() {
            frames += 1;
            let mut stack = vec![(frame.steps.iter(), base.saturating_sub(1), frames)];
            while let Some((steps, depth, number)) = stack.last_mut() {
                let Some(step) = steps.next() else {
                    stack.pop();
                    continue;
                };
                let (depth, number) = (*depth, *number);
                let inside =
                    step.inside.filter(|s| matters[s.index()] && out.len() < self.max_steps);
                let folded = step.inside.is_some() && inside.is_none();
                out.push(Raw { step, depth, frame: number, folded });
                if let Some(inside) = inside {
                    frames += 1;
                    stack.push((trace.segments[inside].steps.iter(), depth + 1, frames));
                }
            }
        }
        out
    }

    fn step(&self, at: rules::At, depth: usize, folded: bool, event: Option<String>) -> Step {
        let s = self.skeleton;
        let body = &s.bodies[at.body as usize];
        let point = &body.points[at.point as usize];
        Step {
            file: s.files[point.at.file as usize].clone(),
            line: point.at.line,
            column: point.at.column,
            text: point.text.to_string(),
            function: s.funcs[body.func.index()].name.clone(),
            depth: depth as u32,
            folded,
            event,
        }
    }

    /// The atoms of the rule, as it names them.
    fn atoms(&self, bits: u64) -> String {
        let names = self.rule.nfa.atoms.iter().enumerate();
        let names: Vec<&str> =
            names.filter(|(i, _)| bits >> i & 1 == 1).map(|(_, a)| a.as_str()).collect();
        names.join(", ")
    }

    /// The points that lie between two that matter, and how each branch is left: the shortest way.
    fn way(&self, from: Option<(rules::At, Option<u32>)>, to: rules::At) -> Vec<(u32, u32)> {
        let body = &self.skeleton.bodies[to.body as usize];
        let kept = &self.product.kept[to.body as usize];
        let exits = |point: u32| -> Vec<Next> {
            match &body.points[point as usize].flow {
                Flow::Next(next) => vec![*next],
                Flow::Branch(arms) => arms.iter().map(|a| a.next).collect(),
                Flow::Call(call) => vec![call.next],
                Flow::Return => Vec::new(),
            }
        };
        let starts: Vec<Next> = match from {
            None => vec![body.entry],
            Some((at, _)) if at == to => return Vec::new(),
            Some((at, Some(arm))) => {
                exits(at.point).into_iter().skip(arm as usize).take(1).collect()
            }
            Some((at, None)) => exits(at.point),
        };
        let mut before: FxHashMap<u32, Option<(u32, u32)>> = FxHashMap::default();
        let mut queue: std::collections::VecDeque<u32> = std::collections::VecDeque::new();
        for next in starts {
            if let Next::Point(p) = next
                && before.insert(p, None).is_none()
            {
                queue.push_back(p);
            }
        }
        while let Some(p) = queue.pop_front() {
            if p == to.point {
                break;
            }
            if kept[p as usize] {
                continue;
            }
            for (arm, next) in exits(p).into_iter().enumerate() {
                if let Next::Point(q) = next
                    && !before.contains_key(&q)
                {
                    before.insert(q, Some((p, arm as u32)));
                    queue.push_back(q);
                }
            }
        }
        let mut out = Vec::new();
        let mut at = to.point;
        while let Some(Some((p, arm))) = before.get(&at) {
            out.push((*p, *arm));
            at = *p;
        }
        out.reverse();
        // Only branches tell something.
        out.retain(|(p, _)| matches!(body.points[*p as usize].flow, Flow::Branch(_)));
        out
    }

    /// The condition on data that a way out of a branch stands for.
    fn assumed(&self, body: u32, point: u32, arm: u32, out: &mut Vec<String>) {
        let point = &self.skeleton.bodies[body as usize].points[point as usize];
        let Flow::Branch(arms) = &point.flow else { return };
        if arms.len() < 2 {
            return;
        }
        let inner = |text: &str| -> String {
            for (prefix, suffix) in [("if (", ")"), ("while (", ")"), ("for (…; ", "; …)")] {
                if let Some(t) = text.strip_prefix(prefix).and_then(|t| t.strip_suffix(suffix)) {
                    return t.to_owned();
                }
            }
            text.to_owned()
        };
        let line = point.at.line;
        let said = if let Some(subject) =
            point.text.strip_prefix("switch (").and_then(|t| t.strip_suffix(')'))
        {
            match arms.get(arm as usize).and_then(|a| a.when.as_ref()) {
                Some(front_c::When::Case(_, low, high)) if low == high => {
                    format!("`{subject} == {low}` at line {line}")
                }
                Some(front_c::When::Case(_, low, high)) => {
                    format!("`{subject}` in {low} … {high} at line {line}")
                }
                _ => format!("a case of `{subject}` at line {line}"),
            }
        } else if arms.len() == 2 {
            let text = inner(&point.text);
            let text = if arm == 0 { text } else { negated(&text) };
            format!("`{text}` at line {line}")
        } else {
            return;
        };
        if !out.contains(&said) {
            out.push(said);
        }
    }
}

/// The opposite of a condition, as people write it.
fn negated(text: &str) -> String {
    if let Some(rest) = text.strip_prefix('!')
        && !rest.contains([' ', '&', '|', '=', '<', '>', '!'])
    {
        return rest.to_owned();
    }
    let plain = !text.contains(['&', '|', '(', '?', ',']);
    for (op, opposite) in [
        (" == ", " != "),
        (" != ", " == "),
        (" <= ", " > "),
        (" >= ", " < "),
        (" < ", " >= "),
        (" > ", " <= "),
    ] {
        if plain && text.matches(op).count() == 1 {
            return text.replace(op, opposite);
        }
    }
    if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '>' | '*')) {
        return format!("!{text}");
    }
    format!("!({text})")
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
