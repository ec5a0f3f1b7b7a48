//! Abstract matching: an explicit-state search that stores, of each configuration, only the variables
//! that matter at its point ([pbes §2, §5.2]).
//!
//! Breadth-first over configurations with their stacks, for programs without recursion. Two
//! configurations that agree on what is kept are one: what is kept decides what happens next. Goals
//! that ask for repetition are answered on the graph of what was stored.

use crate::space::{Matter, Move, Space};
use check::{
    Answer, Budget, Engine, Frame, Goal, Lasso, Segment, SegmentId, StateSets, Stats, Step,
    StopReason, Task, Trace, TraceMode, Verdict,
};
use ir::eval::Code;
use ir::{EdgeId, EdgeKind, Exprs, Id, IndexVec, MarkSet, NodeId, ProcId, Program};
use std::sync::Arc;

/// The engine.
#[derive(Clone)]
pub struct Matching {
    /// What is stored; without it, everything is.
    pub matter: Option<Arc<dyn Matter>>,
    /// The most bits that one edge, or the initial condition, may leave arbitrary.
    pub max_open_bits: u32,
}

impl Default for Matching {
    fn default() -> Self {
        Matching { matter: None, max_open_bits: 24 }
    }
}

impl std::fmt::Debug for Matching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matching").finish_non_exhaustive()
    }
}

impl Engine for Matching {
    fn name(&self) -> &'static str {
        "matching"
    }

    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        if let Some(proc) = recursive(&task.program) {
            let what = format!(
                "`{}` is recursive: abstract matching is for programs without recursion",
                task.program.proc_name(proc)
            );
            return Answer::unknown(task, StopReason::Unsupported { what });
        }
        let matter = self.matter.as_deref();
        let mut search = match Search::new(task, matter, self.max_open_bits, budget) {
            Ok(search) => search,
            Err(reason) => return Answer::unknown(task, reason),
        };
        let done = search.run();
        let stored = search.space.len();
        let mut answer = search.answer(task, done.as_ref().err());
        let mut stats = Stats::default();
        stats.add("states_stored", stored as u64);
        stats.add("transitions", search.transitions);
        drop(search);
        answer.stats = stats;
        answer
    }
}

/// A procedure that can call itself, among those that the entry reaches.
fn recursive(program: &Program) -> Option<ProcId> {
    let mut callees: IndexVec<ProcId, Vec<ProcId>> =
        IndexVec::filled(Vec::new(), program.procs.len());
    for edge in program.edges.iter() {
        if let EdgeKind::Call(call) = &edge.kind {
            callees[program.nodes[edge.source].proc].push(call.callee);
        }
    }
    // 0: new, 1: on the way, 2: done.
    let mut color = IndexVec::filled(0u8, program.procs.len());
    let mut way = vec![(program.entry, 0)];
    color[program.entry] = 1;
    while let Some((proc, i)) = way.last_mut() {
        match callees[*proc].get(*i) {
            Some(&callee) => {
                *i += 1;
                match color[callee] {
                    0 => {
                        color[callee] = 1;
                        way.push((callee, 0));
                    }
                    1 => return Some(callee),
                    _ => {}
                }
            }
            None => {
                color[*proc] = 2;
                way.pop();
            }
        }
    }
    None
}

/// No configuration.
const NONE: u32 = u32::MAX;

struct Search<'a> {
    program: &'a Program,
    space: Space<'a>,
    /// By goal and target: the node and the condition.
    targets: Vec<Vec<(NodeId, Option<Code>)>>,
    /// By goal: the first configuration that reaches it.
    reached: Vec<Option<u32>>,
    /// By configuration: how it was met first.
    ways: Vec<(u32, EdgeId)>,
    /// By configuration, its steps; kept only where repetition is asked for.
    links: Vec<Vec<(EdgeId, u32)>>,
    keep_links: bool,
    /// The search may end when every goal is reached.
    stop_early: bool,
    transitions: u64,
}

impl<'a> Search<'a> {
    fn new(
        task: &'a Task,
        matter: Option<&dyn Matter>,
        max_open_bits: u32,
        budget: &'a Budget,
    ) -> Result<Search<'a>, StopReason> {
        let program: &'a Program = &task.program;
        let space = Space::new(program, matter, None, budget, max_open_bits)?;
        let targets = task.goals.iter().map(|goal| match goal {
            Goal::Reach(targets) => targets
                .iter()
                .map(|t| {
                    let code =
                        (t.condition != Exprs::TRUE).then(|| Code::new(program, t.condition));
                    (t.node, code)
                })
                .collect(),
            _ => Vec::new(),
        });
        let targets: Vec<Vec<_>> = targets.collect();
        let keep_links = task.goals.iter().any(|g| matches!(g, Goal::Repeat { .. }));
        Ok(Search {
            program,
            space,
            reached: vec![None; targets.len()],
            targets,
            ways: Vec::new(),
            links: Vec::new(),
            keep_links,
            stop_early: !task.wants.all_nodes && !keep_links,
            transitions: 0,
        })
    }

    /// Searches all there is, or until every goal is reached. `most`: give up beyond so many
    /// configurations, or when the budget says so.
    fn run(&mut self) -> Result<(), StopReason> {
        for first in self.space.initial()? {
            self.meet(first, NONE, EdgeId::new(0))?;
        }
        let mut at = 0;
        let mut moves = Vec::new();
        while at < self.ways.len() {
            if self.stop_early && self.all_reached() {
                return Ok(());
            }
            moves.clear();
            self.space.successors(at as u32, &mut moves)?;
            for next in &moves {
                self.transitions += 1;
                if let Move::To(edge, to) = *next {
                    self.meet(to, at as u32, edge)?;
                    if self.keep_links {
                        self.space.meter.push(&mut self.links[at], (edge, to))?;
                    }
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn all_reached(&self) -> bool {
        !self.reached.is_empty() && self.reached.iter().all(Option::is_some)
    }

    /// Configurations are numbered in the order in which they are met first.
    fn meet(&mut self, configuration: u32, from: u32, edge: EdgeId) -> Result<(), StopReason> {
        // Several may have been met at once: those in between come with the same edge.
        while self.ways.len() <= configuration as usize {
            let new = self.ways.len() as u32;
            self.space.meter.push(&mut self.ways, (from, edge))?;
            if self.keep_links {
                self.space.meter.push(&mut self.links, Vec::new())?;
            }
            let node = self.space.node(new);
            for goal in 0..self.targets.len() {
                if self.reached[goal].is_some() {
                    continue;
                }
                let (space, targets) = (&mut self.space, &self.targets[goal]);
                let there = targets.iter().any(|(target, condition)| {
                    *target == node && condition.as_ref().is_none_or(|c| space.satisfies(new, c))
                });
                if there {
                    self.reached[goal] = Some(new);
                }
            }
        }
        Ok(())
    }

    fn answer(&mut self, task: &Task, stopped: Option<&StopReason>) -> Answer {
        let components = (self.keep_links && stopped.is_none()).then(|| components(&self.links));
        let mut verdicts = Vec::new();
        for (i, goal) in task.goals.iter().enumerate() {
            verdicts.push(match (goal, self.reached[i], stopped) {
                (Goal::Reach(_), Some(at), _) => {
                    let path = self.path(at);
                    self.violated(task, &path, at, None)
                }
                (Goal::Reach(targets), None, _) if targets.is_empty() => Verdict::Holds(None),
                (_, None, Some(reason)) => Verdict::Unknown(reason.clone()),
                (Goal::Reach(_), None, None) => Verdict::Holds(None),
                (Goal::Repeat { marks }, ..) => match &components {
                    Some(components) => self.repeated(task, *marks, components),
                    None => Verdict::Unknown(StopReason::Cancelled),
                },
                _ => {
                    let what = "a goal that abstract matching does not know".to_owned();
                    Verdict::Unknown(StopReason::Unsupported { what })
                }
            });
        }
        let complete = stopped.is_none() && task.wants.all_nodes;
        let reached = complete.then(|| {
            let mut out = vec![false; self.program.nodes.len()];
            for configuration in 0..self.ways.len() as u32 {
                out[self.space.node(configuration).index()] = true;
            }
            out
        });
        Answer {
            verdicts,
            reached,
            observed: vec![None; task.observe.len()],
            each: Vec::new(),
            sets: StateSets::new(),
            incomplete: stopped.cloned(),
            stats: Stats::default(),
        }
    }

    /// The configurations on the way to one, with the edges taken from them.
    fn path(&self, to: u32) -> Vec<(u32, EdgeId)> {
        let mut out = Vec::new();
        let mut at = to;
        loop {
            let (from, edge) = self.ways[at as usize];
            if from == NONE {
                break;
            }
            out.push((from, edge));
            at = from;
        }
        out.reverse();
        out
    }

    fn violated(
        &mut self,
        task: &Task,
        path: &[(u32, EdgeId)],
        end: u32,
        head: Option<usize>,
    ) -> Verdict {
        if task.wants.trace == TraceMode::None {
            return Verdict::Violated(None);
        }
        match self.trace(path, end, head) {
            Ok(trace) => Verdict::Violated(Some(Box::new(trace))),
            Err(reason) => Verdict::Unknown(reason),
        }
    }

    /// A path as a trace; completed calls become segments. `head` is the position in the path where
    /// a loop begins.
    fn trace(
        &mut self,
        path: &[(u32, EdgeId)],
        end: u32,
        head: Option<usize>,
    ) -> Result<Trace, StopReason> {
        let program = self.program;
        let mut segments: IndexVec<SegmentId, Segment> = IndexVec::new();
        let mut frames = vec![Frame { proc: program.entry, steps: Vec::new() }];
        let mut lasso = None;
        for (i, &(configuration, edge)) in path.iter().enumerate() {
            if head == Some(i) {
                let frame = frames.len() - 1;
                lasso = Some(Lasso::Loop { frame, step: frames[frame].steps.len() });
            }
            let state = self.space.valuation(configuration);
            let here = frames.last_mut().expect("a trace has a frame");
            here.steps.push(Step { edge, state, inside: None });
            match &program.edges[edge].kind {
                EdgeKind::Local { .. } => {}
                EdgeKind::Call(call) => {
                    frames.push(Frame { proc: call.callee, steps: Vec::new() });
                }
                EdgeKind::Return { .. } => {
                    let left = frames.pop().expect("a trace has a frame");
                    let next = path.get(i + 1).map_or(end, |&(next, _)| next);
                    let exit = self.space.exit(configuration, edge, next)?;
                    let id = segments.push(Segment { proc: left.proc, steps: left.steps, exit });
                    let caller = frames.last_mut().and_then(|f| f.steps.last_mut());
                    if let Some(call) = caller {
                        call.inside = Some(id);
                    }
                }
            }
        }
        let (target, end) = (self.space.node(end), self.space.valuation(end));
        Ok(Trace { segments, frames, target, end, shortest: false, lasso })
    }

    /// Whether some run carries each of the marks again and again.
    fn repeated(&mut self, task: &Task, marks: u32, components: &[u32]) -> Verdict {
        let all = ir::all_marks(marks);
        let count = components.iter().max().map_or(0, |&c| c as usize + 1);
        // By component: whether a step stays inside, and the marks of those that do.
        let mut inside = vec![(false, 0 as MarkSet); count];
        for (from, links) in self.links.iter().enumerate() {
            for &(edge, to) in links {
                if components[from] == components[to as usize] {
                    let inside = &mut inside[components[from] as usize];
                    inside.0 = true;
                    inside.1 |= self.program.edges[edge].marks;
                }
            }
        }
        let accepting = |c: u32| {
            let (cycle, found) = inside[c as usize];
            cycle && found & all == all
        };
        let Some(first) = (0..self.links.len()).find(|&v| accepting(components[v])) else {
            return Verdict::Holds(None);
        };
        if task.wants.trace == TraceMode::None {
            return Verdict::Violated(None);
        }
        // The loop begins where its component's stacks are lowest, so that it never drops below.
        let component = components[first];
        let members = (0..self.links.len() as u32).filter(|&v| components[v as usize] == component);
        let head = members.min_by_key(|&v| (self.space.depth(v), v)).unwrap_or(first as u32);
        let mut path = self.path(head);
        let start = path.len();
        let mut at = head;
        let mut wanted: Vec<MarkSet> = (0..marks.min(ir::MAX_MARKS)).map(|m| 1 << m).collect();
        wanted.retain(|&m| all & m != 0);
        while let Some(mark) = wanted.pop() {
            if path[start..].iter().any(|(_, e)| self.program.edges[*e].marks & mark != 0) {
                continue;
            }
            let carries = |_: u32, edge: EdgeId, _: u32| self.program.edges[edge].marks & mark != 0;
            at = self.walk(at, component, components, &mut path, &carries);
        }
        let closes = |_: u32, _: EdgeId, to: u32| to == head;
        if at != head || path.len() == start {
            self.walk(at, component, components, &mut path, &closes);
        }
        self.violated(task, &path, head, Some(start))
    }

    /// Appends a shortest way inside of a component whose last step is as wanted; where it ends.
    fn walk(
        &self,
        from: u32,
        component: u32,
        components: &[u32],
        path: &mut Vec<(u32, EdgeId)>,
        wanted: &dyn Fn(u32, EdgeId, u32) -> bool,
    ) -> u32 {
        let mut ways: rustc_hash::FxHashMap<u32, (u32, EdgeId)> = rustc_hash::FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([from]);
        let mut last = None;
        'search: while let Some(v) = queue.pop_front() {
            for &(edge, to) in &self.links[v as usize] {
                if components[to as usize] != component {
                    continue;
                }
                if wanted(v, edge, to) {
                    last = Some((v, edge, to));
                    break 'search;
                }
                if to != from && !ways.contains_key(&to) {
                    ways.insert(to, (v, edge));
                    queue.push_back(to);
                }
            }
        }
        let Some((v, edge, to)) = last else { return from };
        let mut steps = vec![(v, edge)];
        let mut at = v;
        while at != from {
            let (before, edge) = ways[&at];
            steps.push((before, edge));
            at = before;
        }
        path.extend(steps.into_iter().rev());
        to
    }
}

/// The strongly connected component of each configuration.
fn components(links: &[Vec<(EdgeId, u32)>]) -> Vec<u32> {
    let next = |v: usize, i: usize| links[v].get(i).map(|&(_, to)| to as usize);
    graph::components(links.len(), 0..links.len(), next).of
}
