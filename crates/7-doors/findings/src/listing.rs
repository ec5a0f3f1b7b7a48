//! Traces of products with rules, told as runs of the program.

use crate::question::RuleQuestion;
use asking::{Down, Explanation, With};
use check::{StopReason, Trace};
use front_c::{Flow, Next, Skeleton};
use ir::{Id, Layout, Program, VarKind};
use num_bigint::BigUint;
use render::{Finding, Happening, ListedStep, Listing};
use replay::Accepted;
use rules::{Values, Variables};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A trace of a product over variables. Completed calls in which nothing matters are folded.
pub(crate) fn of_variables(
    q: &RuleQuestion,
    about: &Variables,
    (_, number): (usize, Option<usize>),
    accepted: &Accepted,
    with: With<'_>,
) -> Result<Explanation, StopReason> {
    let (product, program) = (&q.product.program, &about.original);
    let object = &about.instances[number.unwrap_or(0)].object;
    let events = Events::new(q, object);
    let mut word: Vec<(usize, u64)> = Vec::new();
    let down = Down::new(program, product);
    let mut out: Vec<ListedStep> = Vec::new();
    // Steps whose calls have not come back, with whether something matters inside.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (i, shown) in accepted.shown(with.options.shown.max_steps).enumerate() {
        if i % POLL == POLL - 1 {
            with.budget.poll()?;
        }
        if shown.node.index() >= program.nodes.len() {
            continue;
        }
        let depth = u32::try_from(shown.depth).unwrap_or(u32::MAX);
        while let Some(&(call, matters)) = open.last()
            && depth <= out[call].depth
        {
            open.pop();
            if !matters && call + 1 < out.len() {
                let inside = out.split_off(call + 1);
                let more = inside.iter().filter_map(|s| s.folded.as_ref()?.parse::<BigUint>().ok());
                let count: BigUint = more.sum::<BigUint>() + BigUint::from(inside.len());
                out[call].folded = Some(count.to_string().into());
            } else if let Some((_, outer)) = open.last_mut() {
                *outer |= matters;
            }
        }
        let state = down.state(&shown.state, product.nodes[shown.node].proc);
        let mut step = ListedStep::new(shown.node, depth, state);
        step.folded = shown.folded.map(|count| count.to_string().into());
        step.events = shown.edge.map(|e| events.of(product, e)).unwrap_or_default();
        if !step.events.is_empty() {
            let texts: Vec<&str> = step.events.iter().map(|e| e.text.as_str()).collect();
            word.push((out.len(), q.rule.letter(object, &texts)));
        }
        if let Some((_, matters)) = open.last_mut() {
            *matters |= !step.events.is_empty();
        }
        open.push((out.len(), false));
        out.push(step);
    }
    let last = out.last().ok_or_else(|| internal("a violation without a step"))?;
    let node = &program.nodes[last.node];
    let finding = Finding {
        message: q.rule.message_for(object),
        file: program.files[node.origin.file as usize].clone(),
        line: node.origin.line,
        column: node.origin.column,
        function: program.proc_name(node.proc).to_owned(),
        object: object.clone(),
        origin: None,
        assumptions: Vec::new(),
        suppressed: None,
        confidence: None,
        run: Vec::new(),
        executed: false,
        agrees: false,
        contradicts: false,
        gives_up: false,
        alike: render::Alike::Cause,
        inherited: false,
    };
    let shortest = accepted.is_shortest();
    let mut listing = listing(program, out, shortest, accepted.hier_steps());
    // Steps that were folded later have moved.
    let eventful = listing.steps.iter().enumerate().filter(|(_, s)| !s.events.is_empty());
    let eventful: Vec<usize> = eventful.map(|(k, _)| k).collect();
    if eventful.len() == word.len() {
        word.iter_mut().zip(eventful).for_each(|(w, k)| w.0 = k);
        listing.monitor = q.rule.monitor(&word).map(shown);
    }
    Ok(Explanation { listing, finding: Some(Box::new(finding)), from: None })
}

/// A rule's automaton, for the page.
fn shown(monitor: rules::Monitor) -> Arc<render::Monitor> {
    let rules::Monitor { states, edges, at } = monitor;
    Arc::new(render::Monitor { states, edges, at })
}

/// How often the budget is asked while a trace is told.
const POLL: usize = 4096;

fn internal(what: &str) -> StopReason {
    StopReason::Internal { what: what.to_owned() }
}

/// The steps, the first of them at depth 0: the procedures that call the program do not count.
fn listing(
    program: &Arc<Program>,
    mut steps: Vec<ListedStep>,
    shortest: bool,
    hier_steps: usize,
) -> Listing {
    let least = steps.iter().map(|s| s.depth).min().unwrap_or(0);
    steps.iter_mut().for_each(|s| s.depth -= least);
    Listing {
        program: program.clone(),
        shortest,
        loop_start: None,
        growth: 0,
        hier_steps,
        steps,
        monitor: None,
    }
}

/// The events of a rule, as a program writes them.
pub(crate) struct Events(FxHashMap<String, String>);

impl Events {
    /// Those about an object.
    pub(crate) fn new(q: &RuleQuestion, object: &str) -> Events {
        Events(q.rule.events_for(object).into_iter().collect())
    }

    /// Those of an edge.
    pub(crate) fn of(&self, program: &Program, edge: ir::EdgeId) -> Vec<Happening> {
        let texts = program.events(program.edges[edge].events).iter();
        let texts = texts.map(|&t| program.text(t));
        texts
            .filter_map(|text| {
                let shown = self.0.get(text)?.clone();
                Some(Happening { text: text.to_owned(), shown })
            })
            .collect()
    }
}

/// A trace of a product over values. Points that the product does not have are filled in.
pub(crate) fn of_values(
    q: &RuleQuestion,
    about: &Values,
    (place, number): (usize, Option<usize>),
    trace: &Trace,
    with: With<'_>,
) -> Result<Explanation, StopReason> {
    let teller = Teller::new(q, about, with.options.shown.max_steps);
    let number = number.or_else(|| teller.birth(trace));
    let birth = number.and_then(|k| about.births.get(k));
    let birth = birth.ok_or_else(|| internal("no value comes into being on the trace"))?;
    Ok(teller.explain(trace, &about.violations[place], birth))
}

/// Tells traces of a product over values.
pub(crate) struct Teller<'a> {
    q: &'a RuleQuestion,
    skeleton: &'a Skeleton,
    about: &'a Values,
    program: &'a Program,
    layout: &'a Layout,
    /// The bits of the product's progress: whether a value is chosen, and the automaton's state.
    progress: [Range<u32>; 2],
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

impl<'a> Teller<'a> {
    pub(crate) fn new(q: &'a RuleQuestion, about: &'a Values, max_steps: usize) -> Teller<'a> {
        let program = &*q.product.program;
        let layout = q.layout();
        let progress = about.progress.map(|v| layout.slot(v).bits());
        Teller { q, skeleton: q.c.skeleton(), about, program, layout, progress, max_steps }
    }

    /// The names that hold the value just before a step, as far as the trace tells.
    fn held(&self, step: &check::Step) -> Vec<String> {
        let proc = self.program.nodes[self.program.edges[step.edge].source].proc;
        let bit = |var: ir::VarId| match self.program.vars[var].kind {
            VarKind::Global => Some(self.layout.slot(var).offset),
            VarKind::Local(p) if p == proc => {
                Some(self.layout.global_bits + self.layout.slot(var).offset)
            }
            _ => None,
        };
        let names = self.about.names.iter();
        let held = names.filter(|(var, _)| bit(*var).and_then(|b| step.state.get(b)) == Some(true));
        let mut out: Vec<String> = held.map(|(_, name)| name.clone()).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What is known of the product's progress in a state.
    fn progress(&self, state: &check::Partial) -> [Option<u64>; 2] {
        self.progress.clone().map(|bits| state.number(bits))
    }

    /// The run, and what is said of it.
    fn explain(
        &self,
        trace: &Trace,
        violation: &rules::Violation,
        birth: &rules::Birth,
    ) -> Explanation {
        let s = self.skeleton;
        let raw = self.flat(trace);
        let of = |p: &check::Partial| {
            let [on, state] = self.progress(p);
            on.zip(state)
        };
        let progress: Vec<Option<(u64, u64)>> = raw.iter().map(|r| of(&r.step.state)).collect();
        let (mut before, mut after) = (progress.clone(), vec![None; progress.len()]);
        for i in 1..progress.len() {
            before[i] = before[i].or(before[i - 1]);
        }
        for i in (1..progress.len()).rev() {
            after[i - 1] = progress[i].or(after[i]);
        }
        let mut sizes = None;
        let mut steps: Vec<ListedStep> = Vec::new();
        let mut assumptions: Vec<String> = Vec::new();
        let mut passed: Vec<rules::Passed> = Vec::new();
        let about_null = self.q.rule.assume == Some((rules::Comparison::Eq, 0));
        let mut born_before = false;
        // Something happens at its end to what something has happened to.
        let mut twice = false;
        // What happens on the way, as the rule's automaton reads it: with what happens where the value is born, too.
        let mut words: [Vec<(usize, u64)>; 2] = Default::default();
        // Where each activation that is under way has come to.
        let mut last: FxHashMap<usize, (rules::At, Option<u32>)> = FxHashMap::default();
        for (i, r) in raw.iter().enumerate() {
            let Some(executes) = self.about.edges[r.step.edge] else { continue };
            let at = executes.at;
            let way = self.way(last.get(&r.frame).copied(), at);
            for (point, arm) in way.unwrap_or_default() {
                self.assumed(at.body, point, arm, &mut assumptions);
                if steps.len() < self.max_steps {
                    let step = self.step(rules::At { point, ..at }, r.depth);
                    let assumed = self.condition(at.body, point, arm);
                    steps.push(ListedStep { on_the_way: true, assumed, ..step });
                }
            }
            let end = i + 1 == raw.len();
            // Where a trace leaves the automaton's state open, what is known around it tells.
            let open = progress[i].is_none() || !matches!(progress.get(i + 1), Some(Some(_)));
            let moves = matches!((before[i], after[i]), (Some(a), Some(b)) if a != b);
            let changes = end || (moves && (!open || executes.atoms != 0));
            passed.push(rules::Passed {
                at,
                arm: executes.arm,
                frame: r.frame,
                depth: r.depth,
                folded: r.folded,
                event: changes,
                null: about_null && birth.at == Some(at) && !born_before,
            });
            born_before |= birth.at == Some(at);
            if end {
                let atoms = self.atoms(executes.atoms);
                let over = |a: &Happening| a.text.starts_with("lost(") || a.text == "exit";
                twice = !atoms.iter().any(over);
            }
            let mut step = self.step(at, r.depth);
            step.held = self.held(r.step);
            if changes {
                words[1].push((steps.len(), executes.atoms));
                step.events = match (before[i], end) {
                    (Some((0, _)), false) => vec![comes_from_here(birth)],
                    _ => {
                        words[0].push((steps.len(), executes.atoms));
                        self.atoms(executes.atoms)
                    }
                };
            }
            if let Some(arm) = executes.arm {
                step.assumed = self.condition(at.body, at.point, arm);
                self.assumed(at.body, at.point, arm, &mut assumptions);
            }
            last.insert(r.frame, (at, executes.arm));
            if let Some(inside) = r.step.inside.filter(|_| r.folded) {
                let sizes = sizes.get_or_insert_with(|| self.sizes(trace));
                step.folded = Some(sizes[inside.index()].to_string().into());
            }
            steps.push(step);
        }
        let place = &s.bodies[violation.at.body as usize];
        let spot = place.points[violation.at.point as usize].at;
        let depth = raw.last().map_or(0, |r| r.depth);
        let born = progress.iter().rposition(|p| matches!(p, Some((0, _)))).unwrap_or(0);
        let from = raw[..=born.min(raw.len().saturating_sub(1))]
            .iter()
            .rev()
            .find(|r| r.depth == depth && self.about.edges[r.step.edge].is_some())
            .filter(|_| raw.get(born).is_some_and(|r| r.depth > depth))
            .and_then(|r| self.about.edges[r.step.edge].map(|e| e.at));
        let object = self.object(violation, from, birth);
        // The rule's own name for the value says nothing to who did not write it.
        if let Some(variable) = &self.q.rule.variable {
            let name = object.rsplit("::").next().unwrap_or(&object);
            for event in steps.iter_mut().flat_map(|s| &mut s.events) {
                for before in ["(", ", "] {
                    let own = format!("{before}{})", variable.name);
                    event.shown = event.shown.replace(&own, &format!("{before}{name})"));
                }
                event.shown = in_words(&event.shown);
            }
        }
        let conditions = rules::path_conditions(s, &self.about.kept, &passed, twice);
        let finding = Finding {
            message: self.q.rule.message_for(&object),
            file: s.files[spot.file as usize].clone(),
            line: spot.line,
            column: spot.column,
            function: s.funcs[place.func.index()].unique.clone(),
            object,
            origin: origin(s, birth),
            assumptions,
            suppressed: None,
            confidence: None,
            run: Vec::new(),
            executed: false,
            agrees: conditions == rules::PathConditions::Agree,
            contradicts: conditions == rules::PathConditions::Contradict,
            gives_up: rules::gives_up(s, violation.at),
            alike: self.alike(),
            inherited: birth.inherited,
        };
        // Points that were left out count as steps, too.
        let shortest = trace.shortest && self.about.keeps_all;
        let taken =
            |f: &check::Frame| f.steps.iter().filter(|s| self.program.edges[s.edge].step).count();
        let hier_steps = trace.frames.iter().map(taken).sum();
        let mut listing = listing(&self.q.places.program, steps, shortest, hier_steps);
        let monitor = words.iter().find_map(|word| self.q.rule.monitor(word));
        listing.monitor = monitor.map(shown);
        Explanation { listing, finding: Some(Box::new(finding)), from }
    }

    /// Which findings of the rule are one mistake: a null result that nobody tests is one where it comes from, however
    /// often it is followed; results that nobody takes are told by the function that gives them.
    fn alike(&self) -> render::Alike {
        let rule = &self.q.rule;
        match rule.assume {
            _ if rule.is_about_ignored() => render::Alike::Message,
            Some((rules::Comparison::Eq, 0)) => render::Alike::Origin,
            _ => render::Alike::Cause,
        }
    }

    /// What the source calls the value where the rule is broken, in the function at fault, or at first.
    fn object(
        &self,
        violation: &rules::Violation,
        from: Option<rules::At>,
        birth: &rules::Birth,
    ) -> String {
        let taken = from.and_then(|at| self.result(at));
        violation.object.clone().or(taken).unwrap_or_else(|| birth.object.clone())
    }

    /// The variable that gets the result of a call.
    pub(crate) fn result(&self, at: rules::At) -> Option<String> {
        let s = self.skeleton;
        match &s.bodies[at.body as usize].points[at.point as usize].flow {
            Flow::Call(call) => call.result.map(|o| s.objects[o.index()].name.clone()),
            _ => None,
        }
    }

    /// How many listed steps each completed call has.
    fn sizes(&self, trace: &Trace) -> Vec<BigUint> {
        let mut out: Vec<BigUint> = Vec::with_capacity(trace.segments.len());
        for segment in trace.segments.iter() {
            let mut size = BigUint::from(0u32);
            for step in &segment.steps {
                if self.about.edges[step.edge].is_some() {
                    size += 1u32;
                }
                if let Some(inside) = step.inside {
                    size += &out[inside.index()];
                }
            }
            out.push(size);
        }
        out
    }

    /// Where the value of a trace comes into being: where `on` becomes true.
    fn birth(&self, trace: &Trace) -> Option<usize> {
        let layout = self.layout;
        let raw = self.flat(trace);
        let chosen = raw.iter().rposition(|r| self.progress(&r.step.state)[0] == Some(0))?;
        let at = self.about.edges[raw[chosen].step.edge].map(|e| e.at);
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
        let births = &self.about.births;
        let here = || (0..births.len()).filter(|&k| births[k].at == at);
        let held = here().find(|&k| births[k].bit.is_some_and(|bit| holds(bit).is_some()));
        held.or(here().next())
    }

    /// The steps of a trace in a list; calls in which the rule's automaton stays are folded.
    fn flat<'t>(&self, trace: &'t Trace) -> Vec<Raw<'t>> {
        let of = |p: &check::Partial| self.progress(p);
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

    fn step(&self, at: rules::At, depth: usize) -> ListedStep {
        let node = self.q.places.node(at.body as usize, at.point as usize);
        ListedStep::new(node, depth as u32, check::Partial::unknown(0))
    }

    /// The atoms of the rule, as it names them.
    fn atoms(&self, bits: u64) -> Vec<Happening> {
        let names = self.q.rule.nfa.atoms.iter().enumerate();
        let names = names.filter(|(i, _)| bits >> i & 1 == 1);
        // An event that people have no word for is said.
        let shown = |a: &str| match a.starts_with("lost(") {
            true => "nothing holds it any more".to_owned(),
            false => a.to_owned(),
        };
        names.map(|(_, a)| Happening { text: a.clone(), shown: shown(a) }).collect()
    }

    /// The branches that lie between two points that matter, and how each is left: the shortest way, if there
    /// is one.
    pub(crate) fn way(
        &self,
        from: Option<(rules::At, Option<u32>)>,
        to: rules::At,
    ) -> Option<Vec<(u32, u32)>> {
        let body = &self.skeleton.bodies[to.body as usize];
        let kept = &self.about.kept[to.body as usize];
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
            Some((at, _)) if at == to => return Some(Vec::new()),
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
        before.get(&at)?;
        while let Some(Some((p, arm))) = before.get(&at) {
            out.push((*p, *arm));
            at = *p;
        }
        out.reverse();
        // Only branches tell something.
        out.retain(|(p, _)| matches!(body.points[*p as usize].flow, Flow::Branch(_)));
        Some(out)
    }

    /// The condition on data that a way out of a branch stands for.
    fn assumed(&self, body: u32, point: u32, arm: u32, out: &mut Vec<String>) {
        out.extend(self.condition(body, point, arm).filter(|said| !out.contains(said)));
    }

    fn condition(&self, body: u32, point: u32, arm: u32) -> Option<String> {
        let point = &self.skeleton.bodies[body as usize].points[point as usize];
        point.assumed(arm as usize).map(|said| said.replace("((void *)0)", "NULL"))
    }
}

/// Events that every rule may ask for, in words.
fn in_words(event: &str) -> String {
    let of = |head: &str| event.strip_prefix(head)?.strip_suffix(')');
    match (of("deref("), of("pass(")) {
        (Some(name), _) => format!("`{name}` is used"),
        (_, Some(name)) => format!("`{name}` is passed on"),
        _ => event.to_owned(),
    }
}

/// What is said where a value comes into being.
pub(crate) fn comes_from_here(birth: &rules::Birth) -> Happening {
    let text = match rules::NAMELESS == birth.object {
        true => "it comes from here".to_owned(),
        false => format!("`{}` comes from here", birth.object),
    };
    Happening { shown: text.clone(), text }
}

/// File and line where a value comes into being.
pub(crate) fn origin(s: &Skeleton, birth: &rules::Birth) -> Option<(String, u32)> {
    let at = match (birth.at, birth.function) {
        (Some(at), _) => s.bodies[at.body as usize].points[at.point as usize].at,
        (None, Some(f)) => s.body(f)?.at,
        (None, None) => return None,
    };
    Some((s.files[at.file as usize].clone(), at.line))
}
