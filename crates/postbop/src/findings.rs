//! Rules over C programs: one finding for each cause, told for people.

use crate::load::caught;
use crate::told::{Told, path};
use crate::{EngineChoice, Options, Watch, engines, pool};
use check::{
    Budget, Goal, Limits, Observation, StopReason, Target, Task, Trace, TraceMode, Verdict, Wants,
};
use front_c::{ObjectId, Reach, Skeleton};
use ir::{EdgeId, Id, Layout, NodeId};
use render::LookedAt;
use rules::{Instance, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
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
    /// No path to it is shorter, a completed call counted as one step.
    pub shortest: bool,
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
    /// What each rule was about.
    pub looked_at: Vec<(String, LookedAt)>,
}

/// A remark `// bop: allow RULE reason`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allow {
    /// The file.
    pub file: String,
    /// The line that it is about.
    pub line: u32,
    /// The line that it stands on.
    pub at: u32,
    /// The rule; `*` for all, empty if none is named.
    pub rule: String,
    /// The reason.
    pub reason: String,
}

/// The remarks in a source text. One that stands alone on its line is about the next line.
pub fn allowances(file: &str, text: &str) -> Vec<Allow> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        // Not every `//` begins a remark: there are addresses in strings.
        let remark = line.match_indices("//").find_map(|(start, _)| {
            let rest = line[start + 2..].trim_start().strip_prefix("bop:")?;
            Some((start, rest.trim_start().strip_prefix("allow")?))
        });
        let Some((start, rest)) = remark else { continue };
        let mut words = rest.trim().splitn(2, char::is_whitespace);
        let (rule, reason) = (words.next().unwrap_or(""), words.next());
        let alone = line[..start].trim().is_empty();
        out.push(Allow {
            file: file.to_owned(),
            line: i as u32 + 1 + u32::from(alone),
            at: i as u32 + 1,
            rule: rule.to_owned(),
            reason: reason.unwrap_or("").trim().to_owned(),
        });
    }
    out
}

/// Checks rules over a C program. `options` gives the entry, the engine, limits and the length of
/// paths. Rules are checked on as many threads as there are cores; what is found does not depend on
/// that.
pub fn findings(
    skeleton: &Skeleton,
    rules: &[Rule],
    allow: &[Allow],
    options: &Options,
    watch: &Watch,
) -> Findings {
    let budget = watch.budget(options.limits);
    // With the most links of paths that were followed.
    let check = |i: usize, longest: usize| {
        let mut out = Findings::default();
        let longest = Cell::new(longest);
        let rule = &rules[i];
        // Memory that another rule gives back must not make this one forget why it stopped.
        let budget = budget.attempt();
        let found = caught("checking a rule", || {
            let budget = &budget;
            Checker { skeleton, rule, allow, options, watch, budget, longest: &longest }
                .run(&mut out)
        });
        if let Err(reason) = found.unwrap_or_else(|what| Err(StopReason::Internal { what })) {
            out.unknown.push((rule.name.clone(), reason));
        }
        watch.so_far.ruled(&rule.name, &out);
        (out, longest.get())
    };
    // A limit on steps is for all rules together: where it is reached must not be chance.
    let threads = match options.limits.steps {
        Some(_) => 1,
        None => pool::threads(rules.len()),
    };
    let mut out = Findings::default();
    let at_first = pool::each(rules.len(), threads, |i| check(i, rules::MAX_LENGTH));
    for (i, found) in at_first.into_iter().enumerate() {
        let lacked = |found: &Findings| {
            found.unknown.iter().any(|(_, reason)| matches!(reason, StopReason::Memory { .. }))
        };
        let found = match found {
            Some((mut found, mut longest)) => {
                // What several need at once, one of them may have.
                if threads > 1 && lacked(&found) {
                    (found, longest) = check(i, longest);
                }
                // Shorter paths know less, and say so; no answer knows nothing.
                while longest > 1 && lacked(&found) {
                    let (again, shorter) = check(i, longest / 2);
                    if shorter >= longest {
                        break;
                    }
                    // What was found with longer paths counts, if the shorter ones find no more.
                    longest = shorter;
                    if !lacked(&again) || again.findings.len() >= found.findings.len() {
                        found = again;
                    }
                }
                found
            }
            None => {
                let what = "checking a rule: its thread was lost".to_owned();
                let unknown = vec![(rules[i].name.clone(), StopReason::Internal { what })];
                Findings { unknown, ..Findings::default() }
            }
        };
        out.add(found);
    }
    settled(out, allow)
}

/// Sorts out what remarks allow.
pub(crate) fn settled(mut out: Findings, allow: &[Allow]) -> Findings {
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

impl Findings {
    /// Takes over what was found for a further rule.
    pub(crate) fn add(&mut self, found: Findings) {
        self.findings.extend(found.findings);
        self.unknown.extend(found.unknown);
        self.looked_at.extend(found.looked_at);
        for assumption in &found.assumptions {
            assume(self, assumption);
        }
        for (name, value) in &found.counters {
            note(self, name, *value);
        }
    }
}

/// What was found of some goals, and why there may be more.
type Found<T> = (Vec<(usize, T)>, Option<StopReason>);

struct Checker<'a> {
    skeleton: &'a Skeleton,
    rule: &'a Rule,
    allow: &'a [Allow],
    options: &'a Options,
    watch: &'a Watch,
    budget: &'a Budget,
    /// The most links of paths: how many are wanted, then how many there are.
    longest: &'a Cell<usize>,
}

impl Checker<'_> {
    /// Checks the rule. What is found is in `out` even if it has to stop.
    fn run(&self, out: &mut Findings) -> Result<(), StopReason> {
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
        let lines = &lowered.program;
        let allowed = |node: NodeId| {
            let at = &lines.nodes[node].origin;
            let file = lines.files.get(at.file as usize);
            self.allow.iter().any(|a| {
                (a.rule == self.rule.name || a.rule == "*")
                    && a.line == at.line
                    && file.is_some_and(|f| *f == a.file)
            })
        };
        let product = rules::product(&lowered.program, self.rule, &instances, &allowed)
            .map_err(|error| StopReason::Unsupported { what: error.to_string() })?;
        note(out, "variables", product.instances.len() as u64);
        note(out, "places", product.places.len() as u64);
        let objects = product.instances.iter().map(|i| i.object.clone());
        let variables = self.rule.variable.as_ref().map(|_| objects.collect());
        let looked_at = LookedAt { variables, ..LookedAt::default() };
        out.looked_at.push((self.rule.name.clone(), looked_at));
        if self.rule.variable.is_some() {
            assume(out, VARIABLES);
        }
        self.variables(product, out)
    }

    /// A rule over variables, or over no object. First, which places are reached with which of them; then
    /// a path for each pair.
    fn variables(
        &self,
        mut product: rules::RuleProduct,
        out: &mut Findings,
    ) -> Result<(), StopReason> {
        if product.places.is_empty() || product.instances.is_empty() {
            return Ok(());
        }
        let mut stopped = None;
        let mut causes: Vec<(usize, usize)> = (0..product.places.len()).map(|i| (i, 0)).collect();
        if let Some(instance) = product.instance {
            let program = std::mem::replace(&mut product.program, nothing());
            let program = Arc::new(program);
            let nodes = || product.places.iter().map(|p| p.node);
            let goals = nodes().map(|node| Goal::Reach(vec![Target::at(node)])).collect();
            let mut task = Task::new(program.clone(), goals);
            task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: false };
            task.observe = nodes().map(|node| Observation { node, vars: vec![instance] }).collect();
            (causes, stopped) = self.observed(&task, instance, product.instances.len(), out)?;
            drop(task);
            product.program = Arc::unwrap_or_clone(program);
        }
        if causes.is_empty() || matches!(stopped, Some(StopReason::Internal { .. })) {
            return stopped.map_or(Ok(()), Err);
        }
        let target = |&(i, k): &(usize, usize)| Target {
            node: product.places[i].node,
            condition: product.conditions[k],
        };
        let goals = causes.iter().map(|cause| Goal::Reach(vec![target(cause)])).collect();
        let program = Arc::new(product.program);
        let mut task = Task::new(program.clone(), goals);
        task.wants = Wants { trace: self.options.trace, certificate: false, all_nodes: false };
        let mut findings = Vec::new();
        let mut texts: FxHashMap<usize, FxHashSet<String>> = FxHashMap::default();
        if stopped.is_some() {
            // The search may end when it has found them again.
            task.wants.trace = TraceMode::Any;
        }
        let (found, over) = self.answers(&task, out)?;
        for (goal, trace) in found {
            let k = causes[goal].1;
            let object = product.instances[k].object.clone();
            let atoms = texts
                .entry(k)
                .or_insert_with(|| self.rule.events_for(&object).into_iter().collect());
            let event = |e: EdgeId| {
                let texts = program.events(program.edges[e].events).iter();
                let mut texts = texts.map(|&t| program.text(t)).filter(|t| atoms.contains(*t));
                texts.next().map(|first| texts.fold(first.to_owned(), |a, b| a + ", " + b))
            };
            let steps = path(&program, &trace, self.options.max_steps, &event);
            // The step that violates the rule is the last of the trace.
            let Some(last) = steps.last().cloned() else {
                let what = "a violation without a step".to_owned();
                return Err(StopReason::Internal { what });
            };
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
                shortest: trace.shortest,
                suppressed: None,
            });
        }
        // One for each object and place.
        let place = |f: &Finding| (f.file.clone(), f.line, f.column);
        findings.sort_by(|a, b| {
            (&a.object, place(a), a.steps.len()).cmp(&(&b.object, place(b), b.steps.len()))
        });
        findings.dedup_by(|b, a| a.object == b.object && place(a) == place(b));
        out.findings.extend(findings);
        stopped.or(over).map_or(Ok(()), Err)
    }

    /// The goals that are reached, each with the values below `count` that a variable has there; and why
    /// there may be more. Paths are still to be found: this may take half of the time.
    fn observed(
        &self,
        task: &Task,
        var: ir::VarId,
        count: usize,
        out: &mut Findings,
    ) -> Result<Found<usize>, StopReason> {
        let half = self.half();
        let answer = self.answer(task, &half, out)?;
        let mut stopped = answer.incomplete.clone();
        let slot = Layout::new(&task.program).slot(var);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (i, verdict) in answer.verdicts.iter().enumerate() {
            match verdict {
                Verdict::Holds(_) => continue,
                Verdict::Unknown(reason) => {
                    stopped.get_or_insert_with(|| reason.clone());
                    continue;
                }
                Verdict::Violated(_) => {}
            }
            let Some(set) = answer.observed.get(i).copied().flatten() else {
                if stopped.is_some() {
                    continue;
                }
                let what = "the engine does not say which values it found".to_owned();
                return Err(StopReason::Internal { what });
            };
            let has = |value: &usize| {
                answer.sets.contains(set, |bit| value >> (bit.index - slot.offset) & 1 == 1)
            };
            found.extend((0..count).filter(has).map(|k| (i, k)));
        }
        Ok((found, stopped))
    }

    /// A rule about values. First, which places are reached with values from where; then a path for
    /// each pair. The second takes as long as the first, and longer: if half of the time is not enough for
    /// the first, there are paths to what was found until then.
    fn values(&self, out: &mut Findings) -> Result<(), StopReason> {
        let unsupported = |what: String| StopReason::Unsupported { what };
        let entry = self.options.entry.as_deref();
        let stop = || self.budget.poll().is_err();
        let most = self.longest.get();
        let product = rules::value_product_within(self.skeleton, self.rule, entry, most, &stop);
        self.budget.poll()?;
        let mut product = product.map_err(|error| unsupported(error.to_string()))?;
        self.longest.set(product.longest);
        debug_assert_eq!(product.program.validate().map_err(|e| e.to_string()), Ok(()));
        note(out, "nodes", product.program.nodes.len() as u64);
        note(out, "places", product.violations.len() as u64);
        note(out, "origins", product.births.len() as u64);
        let looked_at = LookedAt { values: Some(product.births.len()), ..LookedAt::default() };
        out.looked_at.push((self.rule.name.clone(), looked_at));
        assume(out, VALUES);
        for limit in &product.limits {
            assume(out, limit);
        }
        if product.violations.is_empty() {
            return Ok(());
        }
        let at = |node| Goal::Reach(vec![Target::at(node)]);
        let goals = product.violations.iter().map(|v| at(v.node)).collect();
        let program = std::mem::replace(&mut product.program, nothing());
        let program = Arc::new(program);
        let mut task = Task::new(program.clone(), goals);
        if !product.numbered {
            return self.told(&task, &product, None, out);
        }
        task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: false };
        let places = product.violations.iter();
        task.observe =
            places.map(|v| Observation { node: v.node, vars: vec![product.birth] }).collect();
        let (mut causes, stopped) =
            self.observed(&task, product.birth, product.births.len(), out)?;
        drop(task);
        let mut seen: FxHashSet<(rules::At, usize)> = FxHashSet::default();
        causes.retain(|&(i, k)| seen.insert((product.violations[i].at, k)));
        if causes.is_empty() || matches!(stopped, Some(StopReason::Internal { .. })) {
            return stopped.map_or(Ok(()), Err);
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
        let mut task = Task::new(program, goals);
        if stopped.is_some() {
            // The search may end when it has found them again.
            task.wants.trace = TraceMode::Any;
        }
        self.told(&task, &product, Some(&causes), out)?;
        stopped.map_or(Ok(()), Err)
    }

    /// Half of the time that is left.
    fn half(&self) -> Budget {
        let limits = self.budget.limits();
        let time = limits.time.map(|limit| limit.saturating_sub(self.budget.elapsed()) / 2);
        match time {
            None => self.budget.clone(),
            // Steps are counted for all rules together.
            Some(_) if limits.steps.is_some() => self.budget.clone(),
            Some(_) => self.watch.part(Limits { time, ..limits }, limits),
        }
    }

    /// A finding for each goal that is reached. Each is a violation from an origin; without `causes`,
    /// goals are the violations, and traces tell where their values come from.
    fn told(
        &self,
        task: &Task,
        product: &rules::ValueProduct,
        causes: Option<&[(usize, usize)]>,
        out: &mut Findings,
    ) -> Result<(), StopReason> {
        let mut task = task.clone();
        let trace = match task.wants.trace {
            TraceMode::Any => TraceMode::Any,
            _ => self.options.trace,
        };
        task.wants = Wants { trace, certificate: false, all_nodes: false };
        let told =
            Told::new(self.skeleton, self.rule, product, &task.program, self.options.max_steps);
        let mut told_of: Vec<(Finding, Option<rules::At>)> = Vec::new();
        let (found, mut stopped) = self.answers(&task, out)?;
        for (goal, trace) in found {
            // What is left to do takes no time to speak of, for each.
            if told_of.len() >= FEW
                && let Err(reason) = self.budget.poll()
            {
                stopped = Some(reason);
                break;
            }
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
        out.findings.extend(told_of.into_iter().map(|(finding, _)| finding));
        stopped.map_or(Ok(()), Err)
    }

    fn answer(
        &self,
        task: &Task,
        budget: &Budget,
        out: &mut Findings,
    ) -> Result<check::Answer, StopReason> {
        let options = match self.options.engine {
            EngineChoice::Auto => Options { engine: EngineChoice::Summary, ..self.options.clone() },
            _ => self.options.alone(),
        };
        // A product has what the rule asks for and little else.
        let whole = task.program.nodes.len() > LARGE && options.engine == EngineChoice::Summary;
        let answer = if whole { engines::answer_whole } else { engines::answer };
        let mut runs = answer(task, &options, self.watch, budget);
        let Some(run) = runs.pop() else {
            return Err(StopReason::Internal { what: "no engine answered".to_owned() });
        };
        for &(name, value) in &run.answer.stats.counters {
            note(out, name, value);
        }
        Ok(run.answer)
    }

    /// The goals that are reached, each with its trace, which has been replayed; and why there may be more.
    fn answers(&self, task: &Task, out: &mut Findings) -> Result<Found<Trace>, StopReason> {
        // A quarter of the time is for paths to what is found.
        let left = self.budget.limits().time.map(|t| t.saturating_sub(self.budget.elapsed()));
        let budget = self.budget.keeping_back(left.unwrap_or_default() / 4);
        let answer = self.answer(task, &budget, out)?;
        let checker = replay::TraceChecker::new(task.program.clone());
        let (mut found, mut stopped) = (Vec::new(), None);
        for (goal, verdict) in answer.verdicts.into_iter().enumerate() {
            match verdict {
                Verdict::Holds(_) => {}
                Verdict::Unknown(reason @ StopReason::Internal { .. }) => return Err(reason),
                Verdict::Unknown(reason) => {
                    stopped.get_or_insert(reason);
                }
                Verdict::Violated(None) => {
                    let what = "the engine gave no trace".to_owned();
                    return Err(StopReason::Internal { what });
                }
                Verdict::Violated(Some(trace)) => {
                    if found.len() >= FEW
                        && let Err(reason) = self.budget.poll()
                    {
                        stopped.get_or_insert(reason);
                        break;
                    }
                    checker.check(&task.goals[goal], &trace).map_err(|refusal| {
                        crate::listing::refused("the trace is no run of the program", &refusal)
                    })?;
                    found.push((goal, *trace));
                }
            }
        }
        Ok((found, stopped))
    }
}

/// So many traces are replayed and told in a moment, even after the time is over.
const FEW: usize = 100;

/// A program that stands where another one was taken from.
fn nothing() -> ir::Program {
    ir::ProgramBuilder::new().finish(ir::ProcId::new(0), ir::Init::default())
}

/// Products with more nodes are not sliced first: that takes as long as what it saves.
const LARGE: usize = 20_000;

/// What a rule over values rests on.
const VALUES: &str = "a value is followed through assignments, parameters, returns, and fields that \
are reached by a path of names; what is written through one pointer is seen through another only if \
both point to a variable, what is read from other memory is another value, and a function without a \
body assigns no variable whose address it was not given";

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
