//! Whether what a report says of a broken rule is so: the run is executed again on the product, and what is
//! told beside it is compared with what the rule would say.
//!
//! - J1. Some run of the product takes the steps that are told, with the values that are told, and ends where the
//!   rule is broken. If it is told in just these words, all is well; if not, the run that is meant may be
//!   another one, and the other rules decide.
//! - J2. Steps on the way to the next one, which the product does not have, are a way there in the program.
//! - J3. Each step tells events that it has; of rules about values, the events that are told break the rule,
//!   as its automaton reads them.
//! - J4. Message, place and origin are those of the run.

use crate::agreeing_runs::{agreeing_runs, without_counter};
use crate::listing::{Events, Teller, comes_from_here, of_values, of_variables, origin};
use crate::question::{OfRule, RuleQuestion, Trouble, rule_of};
use crate::remarks::Allow;
use asking::{Asked, Explanation, With};
use asking::{EngineChoice, Options, Search, answer};
use asking::{Judgement, steps};
use check::{Goal, Target, Task, TraceMode, Verdict, Wants};
use front_c::Places;
use input::CProgram;
use input::Error;
use ir::NodeId;
use property::Property;
use render::{Claim, ClaimedFinding, ClaimedStep, ClaimedTrace, Reader, Value};
use reports::ListedStep;
use rules::{About, At, Values, Variables};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The question that a claim about a broken rule answers.
pub fn asked(
    claim: &Claim,
    c: &Arc<CProgram>,
    allow: &[Allow],
    with: With<'_>,
) -> Result<Result<Asked, Judgement>, Error> {
    let refused = |why: &str| Ok(Err(Judgement::Refused(why.to_owned())));
    let rule = rule_of(&claim.property)?;
    let Property::Rule { bindings, .. } = &claim.property else {
        return refused("it is no rule");
    };
    let object = match (&rule.variable, &bindings[..]) {
        (None, []) => "",
        (Some(v), [(name, object)]) if *name == v.name => object,
        (None, _) => return refused("the rule is about no object"),
        (Some(_), _) => return refused("it does not say which object the rule is about"),
    };
    let places = Arc::new(Places::new(c.skeleton()));
    let most = rules::MAX_LENGTH;
    let made = RuleQuestion::new(&rule, (c, &places), allow, with.options, most, with.budget);
    let question = match made {
        Ok(question) => Arc::new(question),
        Err(Trouble::Stopped(reason)) => return Ok(Err(Judgement::Unknown(reason.to_string()))),
        Err(Trouble::Wrong(error)) => return Err(error),
    };
    let q = &*question;
    let targets: Vec<Target> = match &q.product.about {
        About::Variables(about) => {
            let Some(k) = about.instances.iter().position(|i| i.object == object) else {
                return refused("the rule is not about that object");
            };
            let number = q.product.number.map(|_| k);
            (0..q.product.places.len()).map(|place| q.target(place, number)).collect()
        }
        About::Values(about) => match value_targets(q, about, claim) {
            Ok(targets) => targets,
            Err(why) => return refused(&why),
        },
    };
    let task = Task::new(q.product.program.clone(), vec![Goal::Reach(targets)]);
    let back = Box::new(OfRule { question, causes: Vec::new() });
    Ok(Ok(Asked { task, back }))
}

/// The places where the finding is, with values that come from where it says.
fn value_targets(q: &RuleQuestion, about: &Values, claim: &Claim) -> Result<Vec<Target>, String> {
    let s = q.c.skeleton();
    let finding = claim.finding.as_ref().ok_or("it does not say where the rule is broken")?;
    let from_there = |&k: &usize| origin(s, &about.births[k]) == finding.origin;
    let births: Vec<usize> = (0..about.births.len()).filter(from_there).collect();
    if births.is_empty() {
        return Err("no value that the rule is about comes from there".to_owned());
    }
    let here = |at: At| {
        let body = &s.bodies[at.body as usize];
        let spot = body.points[at.point as usize].at;
        is_file(q, finding.file.as_deref(), spot.file)
            && (spot.line, spot.column) == (finding.line, finding.column)
            && s.funcs[body.func.index()].unique == finding.proc
    };
    let mut out = Vec::new();
    for (place, _) in about.violations.iter().enumerate().filter(|(_, v)| here(v.at)) {
        match q.product.number {
            None => out.push(q.target(place, None)),
            Some(_) => out.extend(births.iter().map(|&k| q.target(place, Some(k)))),
        }
    }
    if out.is_empty() {
        return Err("the rule cannot be broken there".to_owned());
    }
    Ok(out)
}

/// Whether a file that a report names, or does not because it is its own, is this one.
fn is_file(q: &RuleQuestion, named: Option<&str>, file: u32) -> bool {
    let files = &q.c.skeleton().files;
    let own = files.first().map_or("", String::as_str);
    files.get(file as usize).is_some_and(|f| f == named.unwrap_or(own))
}

/// Judges what is told of a broken rule.
pub(crate) fn judged(
    q: &RuleQuestion,
    task: &Task,
    claim: &Claim,
    trace: &ClaimedTrace,
    with: With<'_>,
) -> Result<Judgement, String> {
    if trace.loop_start.is_some() {
        return Err("a run to a place has no loop".to_owned());
    }
    let finding = claim.finding.as_ref().ok_or("it does not say where the rule is broken")?;
    let last = trace.steps.last().ok_or("a violation without a step")?;
    let place = |f: &ClaimedFinding| (f.file.clone(), f.line, f.column, f.proc.clone());
    if place(finding) != (last.file.clone(), last.line, last.column.unwrap_or(0), last.proc.clone())
    {
        return Err("the rule is broken by the last step, and nowhere else".to_owned());
    }
    let Property::Rule { bindings, .. } = &claim.property else {
        return Err("it is no rule".to_owned());
    };
    let object = bindings.first().map_or("", |(_, object)| object.as_str());
    if finding.message != q.rule.message_for(object) {
        return Err("that is not what the rule says of it".to_owned());
    }
    let told_of = |step: &&ClaimedStep| !step.on_the_way;
    let own: Vec<ClaimedStep> = trace.steps.iter().filter(told_of).cloned().collect();
    let steps = steps(&q.product.program, &own)?;
    if let Some(judgement) = found_again(q, task, (claim, trace, object), &steps, with)? {
        return Ok(judgement);
    }
    match &q.product.about {
        About::Variables(about) => variable_events(q, about, object, trace)?,
        About::Values(about) => {
            Claimed { q, about, trace, points: FxHashMap::default() }.agrees(object, finding)?;
        }
    }
    Ok(Judgement::Accepted)
}

/// J1: what is said of the run if that is clear.
fn found_again(
    q: &RuleQuestion,
    task: &Task,
    (claim, trace, object): (&Claim, &ClaimedTrace, &str),
    steps: &[ListedStep],
    with: With<'_>,
) -> Result<Option<Judgement>, String> {
    let product = &*q.product.program;
    let (program, goal) = agreeing_runs(product, steps, &task.goals[0]);
    debug_assert_eq!(program.validate().map_err(|e| e.to_string()), Ok(()));
    let mut asked = Task::new(Arc::new(program), vec![goal]);
    asked.wants = Wants { trace: TraceMode::Shortest, certificate: false, all_nodes: false };
    let (engine, matching) = (EngineChoice::Summary, None);
    let options = Options {
        search: Search { engine, matching, ..with.options.search.clone() },
        ..with.options.clone()
    };
    let mut runs = answer(&asked, &options, with.watch, with.budget);
    let found = match runs.first_mut().map(|run| run.answer.verdicts.remove(0)) {
        Some(Verdict::Violated(Some(found))) => found,
        Some(Verdict::Holds(_)) => {
            return Err(
                "no run takes these steps, with these values, and breaks the rule".to_owned()
            );
        }
        Some(Verdict::Unknown(reason)) => {
            return Ok(Some(Judgement::Unknown(reason.to_string())));
        }
        _ => return Ok(Some(Judgement::Unknown("no engine answered".to_owned()))),
    };
    // What is found there is a run of the product, or an engine is wrong.
    let found = without_counter(product, &asked.program, &found);
    let accepted = match q.checker().check(&task.goals[0], &found) {
        Ok(accepted) => accepted,
        Err(refusal) => {
            let what = format!("internal error, please report it: {refusal}");
            return Ok(Some(Judgement::Unknown(what)));
        }
    };
    let Some(place) = q.product.places.iter().position(|node| *node == found.target) else {
        return Ok(None);
    };
    let told = match &q.product.about {
        About::Variables(about) => {
            let number = about.instances.iter().position(|i| i.object == object);
            of_variables(q, about, (place, number), &accepted, with)
        }
        About::Values(about) => {
            let number = |var| found.end.number(q.layout().slot(var).bits());
            let number = q.product.number.and_then(number).map(|n| n as usize);
            of_values(q, about, (place, number), &found, with)
        }
    };
    let Ok(told) = told else {
        return Ok(Some(Judgement::Unknown("the run that was found is not told".to_owned())));
    };
    if is_so_told(q, &told, claim, trace, object) {
        return Ok(Some(Judgement::Accepted));
    }
    // It may differ in events, and in the ways between its steps.
    let own: Vec<_> = told.listing.steps.iter().filter(|s| !s.on_the_way).collect();
    if own.len() != steps.len() {
        let what = "a run that takes these steps takes others, too".to_owned();
        return Ok(Some(Judgement::Unknown(what)));
    }
    let births: Vec<String> = match &q.product.about {
        About::Variables(_) => Vec::new(),
        About::Values(about) => about.births.iter().map(|b| comes_from_here(b).text).collect(),
    };
    let claimed = trace.steps.iter().filter(|s| !s.on_the_way);
    for (i, ((found, step), claimed)) in own.iter().zip(steps).zip(claimed).enumerate() {
        if found.depth as usize != step.depth || found.folded.is_some() != step.folded {
            return Err(format!("step {}: it is in another call", i + 1));
        }
        let mut born = found.events.iter().filter(|e| births.contains(&e.text));
        if born.any(|event| !claimed.events.contains(&event.text)) {
            return Err(format!("step {}: it does not tell that the value comes from here", i + 1));
        }
    }
    Ok(None)
}

/// Whether a violation is told in just these words.
fn is_so_told(
    q: &RuleQuestion,
    told: &Explanation,
    claim: &Claim,
    trace: &ClaimedTrace,
    object: &str,
) -> bool {
    let (Some(f), Some(claimed)) = (&told.finding, &claim.finding) else { return false };
    let own = q.c.skeleton().files.first().map_or("", String::as_str);
    let place = (claimed.file.as_deref().unwrap_or(own), claimed.line, claimed.column);
    let same = f.message == claimed.message
        && (f.file.as_str(), f.line, f.column) == place
        && (&f.function, &f.origin) == (&claimed.proc, &claimed.origin)
        && f.object == object
        && told.listing.steps.len() == trace.steps.len();
    let program = &*told.listing.program;
    let mut reader = Reader::new(program);
    same && told.listing.steps.iter().zip(&trace.steps).all(|(step, claimed)| {
        let node = &program.nodes[step.node];
        let at = node.origin;
        let file = program.files.get(at.file as usize).map_or("", String::as_str);
        let values = reader.values(node.proc, &step.state);
        let mut state: Vec<(&str, Value)> =
            values.into_iter().map(|(var, value)| (program.var_name(var), value)).collect();
        let mut claimed_state: Vec<(&str, Value)> =
            claimed.state.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        state.sort_by_key(|(name, _)| *name);
        claimed_state.sort_by_key(|(name, _)| *name);
        program.proc_name(node.proc) == claimed.proc
            && file == claimed.file.as_deref().unwrap_or(own)
            && (at.line, Some(at.column)) == (claimed.line, claimed.column)
            && Some(program.text(at.text)) == claimed.text.as_deref()
            && (step.depth, step.on_the_way) == (claimed.depth, claimed.on_the_way)
            && step.folded.as_deref() == claimed.folded.as_deref()
            && step.events.iter().map(|e| &e.text).eq(&claimed.events)
            && state == claimed_state
    })
}

/// J3 for rules over variables: each step has the events of one of its edges.
fn variable_events(
    q: &RuleQuestion,
    about: &Variables,
    object: &str,
    trace: &ClaimedTrace,
) -> Result<(), String> {
    let program = &*about.original;
    let events = Events::new(q, object);
    let mut nodes: FxHashMap<(&str, u32), Vec<NodeId>> = FxHashMap::default();
    for (node, info) in program.nodes.enumerate().filter(|(_, info)| info.statement) {
        nodes.entry((program.proc_name(info.proc), info.origin.line)).or_default().push(node);
    }
    for (i, step) in trace.steps.iter().enumerate() {
        let here = nodes.get(&(step.proc.as_str(), step.line)).into_iter().flatten().filter(|n| {
            let origin = &program.nodes[**n].origin;
            let text = step.text.as_deref();
            is_file(q, step.file.as_deref(), origin.file)
                && step.column.is_none_or(|c| c == origin.column)
                && text.is_none_or(|t| t == program.text(origin.text))
        });
        let told: BTreeSet<&str> = step.events.iter().map(String::as_str).collect();
        let has = |edge: ir::EdgeId| {
            let own = events.of(program, edge);
            own.iter().map(|e| e.text.as_str()).collect::<BTreeSet<&str>>() == told
        };
        let mut there = false;
        let mut fits = false;
        for &node in here {
            there = true;
            fits |= program.out_edges(node).any(has);
        }
        let number = i + 1;
        if !there {
            return Err(format!("step {number}: there is no such statement"));
        }
        if step.on_the_way {
            return Err(format!("step {number}: the run was searched for with every statement"));
        }
        if !fits {
            return Err(format!("step {number}: it has not these events"));
        }
    }
    Ok(())
}

/// A listing of a broken rule about values.
struct Claimed<'a> {
    q: &'a RuleQuestion,
    about: &'a Values,
    trace: &'a ClaimedTrace,
    /// Of each place that a step names, the points.
    points: FxHashMap<usize, Vec<At>>,
}

impl Claimed<'_> {
    fn agrees(mut self, object: &str, finding: &ClaimedFinding) -> Result<(), String> {
        let s = self.q.c.skeleton();
        let mut bodies: FxHashMap<&str, u32> = FxHashMap::default();
        for (i, body) in s.bodies.iter().enumerate() {
            bodies.insert(&s.funcs[body.func.index()].unique, i as u32);
        }
        for (i, step) in self.trace.steps.iter().enumerate() {
            let points = match bodies.get(step.proc.as_str()) {
                Some(&body) => self.points_at(body, step),
                None => Vec::new(),
            };
            if points.is_empty() {
                return Err(format!("step {}: there is no such statement", i + 1));
            }
            self.points.insert(i, points);
        }
        let teller = Teller::new(self.q, self.about, usize::MAX);
        self.ways(&teller)?;
        self.events(object, finding, &teller)
    }

    fn points_at(&self, body: u32, step: &ClaimedStep) -> Vec<At> {
        let points = self.q.c.skeleton().bodies[body as usize].points.iter().enumerate();
        let here = points.filter(|(_, p)| {
            let text = step.text.as_deref();
            is_file(self.q, step.file.as_deref(), p.at.file)
                && p.at.line == step.line
                && step.column.is_none_or(|c| c == p.at.column)
                && text.is_none_or(|t| t == &*p.text)
        });
        let kept = |point: usize| self.about.kept[body as usize][point];
        here.filter(|(i, _)| kept(*i) != step.on_the_way)
            .map(|(i, _)| At { body, point: i as u32 })
            .collect()
    }

    /// J2: between two steps of an activation, the points that are told are the way.
    fn ways(&self, teller: &Teller<'_>) -> Result<(), String> {
        // By depth: the last step of the activation, and the points on the way since.
        let mut open: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
        for (i, step) in self.trace.steps.iter().enumerate() {
            let depth = step.depth as usize;
            // Calls that were entered, unless activations of that depth are under way.
            open.resize(depth + 1, (None, Vec::new()));
            let (last, between) = &mut open[depth];
            if step.on_the_way {
                between.push(i);
                continue;
            }
            let told: Vec<usize> = std::mem::take(between);
            // It may be the first step of another activation.
            let mut starts: Vec<Option<(At, Option<u32>)>> = vec![None];
            if let Some(last) = last {
                let points = &self.points[last];
                starts.extend(points.iter().flat_map(|&at| self.exits(at)).map(Some));
            }
            let fits = |way: Option<Vec<(u32, u32)>>, to: At| {
                way.is_some_and(|way| {
                    let steps = way.iter().zip(&told);
                    let here = |((point, _), step): (&(u32, u32), &usize)| {
                        self.points[step].contains(&At { point: *point, ..to })
                    };
                    way.len() == told.len() && steps.into_iter().all(here)
                })
            };
            let found = self.points[&i].iter().any(|&to| {
                let from =
                    starts.iter().filter(|from| from.is_none_or(|(at, _)| at.body == to.body));
                from.into_iter().any(|&from| fits(teller.way(from, to), to))
            });
            if !found {
                return Err(format!("step {}: that is not the way there", i + 1));
            }
            *last = Some(i);
        }
        match open.iter().any(|(_, between)| !between.is_empty()) {
            true => Err("a step is on the way to nowhere".to_owned()),
            false => Ok(()),
        }
    }

    /// A point with each way out of it.
    fn exits(&self, at: At) -> Vec<(At, Option<u32>)> {
        let point = &self.q.c.skeleton().bodies[at.body as usize].points[at.point as usize];
        match &point.flow {
            front_c::Flow::Branch(arms) => {
                (0..arms.len() as u32).map(|arm| (at, Some(arm))).collect()
            }
            _ => vec![(at, None)],
        }
    }

    /// J3 and J4: the events are those of the steps, they break the rule, and the object is so called.
    fn events(
        &self,
        object: &str,
        finding: &ClaimedFinding,
        teller: &Teller<'_>,
    ) -> Result<(), String> {
        let (rule, s) = (&self.q.rule, self.q.c.skeleton());
        let mut atoms: FxHashMap<At, u64> = FxHashMap::default();
        for executes in self.about.edges.iter().flatten() {
            *atoms.entry(executes.at).or_default() |= executes.atoms;
        }
        let here = |i: usize| self.points[&i].iter();
        let may = |i: usize| here(i).fold(0, |all, at| all | atoms.get(at).copied().unwrap_or(0));
        let births = || {
            let births = self.about.births.iter();
            births.filter(|b| origin(s, b) == finding.origin)
        };
        let is_birth = |event: &String| births().any(|b| comes_from_here(b).text == *event);
        let mut events = self.trace.steps.iter().flat_map(|step| &step.events);
        // Where nobody says where the value comes from, that was before, and what it was is open.
        let tells_birth = events.any(is_birth);
        let (mut word, mut born) = (Vec::new(), !tells_birth);
        for (i, step) in self.trace.steps.iter().enumerate() {
            let wrong = |what: &str| Err(format!("step {}: {what}", i + 1));
            if step.on_the_way {
                match step.events.is_empty() {
                    true => continue,
                    false => return wrong("nothing happens on the way"),
                }
            }
            let mut letter = 0;
            for event in &step.events {
                let births = births().filter(|b| b.at.is_some_and(|at| here(i).any(|a| *a == at)));
                if births.into_iter().any(|b| comes_from_here(b).text == *event) {
                    born = true;
                    letter |= may(i);
                    continue;
                }
                match rule.atom(event).filter(|atom| may(i) >> atom & 1 == 1) {
                    Some(atom) => letter |= 1 << atom,
                    None => return wrong(&format!("it has not the event `{event}`")),
                }
            }
            // Nothing counts before there is a value.
            if born && (letter != 0 || self.about.keeps_all) {
                word.push(letter);
            }
        }
        if !rule.may_be_broken_by(&word, !tells_birth) {
            return Err("these events do not break the rule".to_owned());
        }
        let results = self.points.values().flatten().filter_map(|at| teller.result(*at));
        let last: Vec<At> = here(self.trace.steps.len() - 1).copied().collect();
        let violated = self.about.violations.iter().filter(|v| last.contains(&v.at));
        let names = violated.filter_map(|v| v.object.clone());
        let mut names = names.chain(results).chain(births().map(|b| b.object.clone()));
        match names.any(|name| name == object) {
            true => Ok(()),
            false => Err("the value is not called so".to_owned()),
        }
    }
}
