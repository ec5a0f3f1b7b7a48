//! Traces of products, told as paths through the source.

use crate::findings::{Finding, Step};
use check::Trace;
use front_c::{Flow, Next, Skeleton};
use ir::{EdgeId, Id, Layout, Program, VarKind};
use rules::Rule;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Tells a trace of a product.
pub(crate) struct Told<'a> {
    skeleton: &'a Skeleton,
    rule: &'a Rule,
    product: &'a rules::ValueProduct,
    program: &'a Program,
    layout: Layout,
    /// The bits of the product's progress: whether a value is chosen, and the automaton's state.
    progress: [Range<u32>; 2],
    /// The births of each point.
    births: FxHashMap<Option<rules::At>, Vec<usize>>,
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

impl<'a> Told<'a> {
    /// For the traces of one product, whose program this is.
    pub(crate) fn new(
        skeleton: &'a Skeleton,
        rule: &'a Rule,
        product: &'a rules::ValueProduct,
        program: &'a Program,
        max_steps: usize,
    ) -> Told<'a> {
        let layout = Layout::new(program);
        let progress = product.progress.map(|v| layout.slot(v).bits());
        let mut births: FxHashMap<Option<rules::At>, Vec<usize>> = FxHashMap::default();
        for (i, birth) in product.births.iter().enumerate() {
            births.entry(birth.at).or_default().push(i);
        }
        Told { skeleton, rule, product, program, layout, progress, births, max_steps }
    }

    /// What is known of the product's progress in a state.
    fn progress(&self, state: &check::Partial) -> [Option<u64>; 2] {
        self.progress.clone().map(|bits| state.number(bits))
    }

    /// The finding, and the call in the function at fault from which it has the value.
    pub(crate) fn finding(
        &self,
        trace: &Trace,
        violation: &rules::Violation,
        birth: &rules::Birth,
    ) -> (Finding, Option<rules::At>) {
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
            shortest: trace.shortest,
            suppressed: None,
        };
        (finding, from)
    }

    /// Where the value of a trace comes into being: where `on` becomes true.
    pub(crate) fn birth(&self, trace: &Trace) -> Option<usize> {
        let layout = &self.layout;
        let raw = self.flat(trace);
        let chosen = raw.iter().rposition(|r| self.progress(&r.step.state)[0] == Some(0))?;
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
        let births = self.births.get(&at)?;
        let bit = |k: usize| self.product.births[k].bit;
        let held = births.iter().find(|&&k| bit(k).is_some_and(|bit| holds(bit).is_some()));
        held.or(births.first()).copied()
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
pub(crate) fn path(
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
