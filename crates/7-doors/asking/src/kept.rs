//! Answers that were found before.
//!
//! - KA1. What a search finds depends on the question alone: the program, the goals, what is wanted, how it is searched and
//!   how much memory it may take. All of that, as bytes, is what an answer is kept under.
//! - KA2. Names and places in files are no part of it: they are told from the program at hand.
//! - KA3. An answer is kept if it is complete, or if the memory that it may take was too little. What time cut off is
//!   not, nor is a proof, nor what is not told by the search itself.
//! - KA4. A trace that was kept is replayed like every other.

use crate::{Options, Run, Watch};
use check::{
    Answer, Budget, Frame, Goal, Partial, Segment, SegmentId, StateSets, Step, StopReason, Task,
    Trace, Verdict,
};
use ir::{EdgeId, EdgeKind, ExprId, Id, NodeId, ProcId};
use std::hash::{Hash, Hasher};

/// Where answers are kept.
pub trait Kept: Send + Sync {
    /// What was kept for a question.
    fn find(&self, question: &[u8]) -> Option<Vec<u8>>;
    /// Keeps an answer.
    fn keep(&self, question: &[u8], answer: &[u8]);
}

/// The engine whose answers are kept.
const ENGINE: &str = "summary";

/// Its counters.
const COUNTERS: [&str; 7] = [
    "peak_nodes",
    "diagram_variables",
    "visits",
    "rounds",
    "operations",
    "collections",
    "reorderings",
];

/// The answer to a task: one that was kept, or the one that is found now.
pub fn kept_or(
    task: &Task,
    options: &Options,
    watch: &Watch,
    budget: &Budget,
    find: impl FnOnce() -> Vec<Run>,
) -> Vec<Run> {
    let Some(kept) = &watch.kept else { return find() };
    let memory = budget.own_memory();
    let Some(question) = question(task, options, memory) else { return find() };
    if let Some(bytes) = kept.find(&question)
        && let Some(answer) = (Reader { bytes: &bytes, at: 0, task, memory }).answer()
    {
        return vec![Run { engine: ENGINE, why: String::new(), answer, seconds: 0.0 }];
    }
    let runs = find();
    if let [run] = &runs[..]
        && let Some(bytes) = written(task, run, memory)
    {
        kept.keep(&question, &bytes);
    }
    runs
}

/// What is hashed, as it is.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn write_u32(&mut self, n: u32) {
        self.number(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        self.number(n);
    }
    fn write_usize(&mut self, n: usize) {
        self.number(n as u64);
    }
    fn write_isize(&mut self, n: isize) {
        self.number(n as u64);
    }
    fn finish(&self) -> u64 {
        0
    }
}

impl Bytes {
    /// Seven bits at a time.
    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }
}

/// A question (KA1, KA2); none if its answer is not kept.
fn question(task: &Task, options: &Options, memory: Option<u64>) -> Option<Vec<u8>> {
    if task.wants.certificate || task.wants.all_nodes {
        return None;
    }
    let program = &task.program;
    let mut out = Bytes::default();
    // How it is searched: all that was chosen, but for what has nothing to do with it.
    let search = crate::Search {
        limits: check::Limits::default(),
        confidence: None,
        vacuity: true,
        ..options.search.clone()
    };
    format!("{search:?} {memory:?} {:?} {:?}", task.wants, task.each).hash(&mut out);
    program.exprs.len().hash(&mut out);
    (0..program.exprs.len()).for_each(|i| program.exprs[ExprId::new(i)].hash(&mut out));
    program.vars.len().hash(&mut out);
    for var in program.vars.iter() {
        (var.ty, var.kind, var.hidden, var.signed).hash(&mut out);
    }
    program.globals.hash(&mut out);
    program.procs.len().hash(&mut out);
    for proc in program.procs.iter() {
        (&proc.locals, proc.params, &proc.results).hash(&mut out);
        (proc.entry, proc.error, proc.nodes.start, proc.nodes.end).hash(&mut out);
    }
    program.nodes.len().hash(&mut out);
    for node in program.nodes.iter() {
        (node.proc, node.statement).hash(&mut out);
    }
    program.edges.len().hash(&mut out);
    for edge in program.edges.iter() {
        (edge.source, edge.step, edge.marks).hash(&mut out);
        let events = program.events(edge.events);
        events.iter().map(|e| program.text(*e)).collect::<Vec<_>>().hash(&mut out);
        match &edge.kind {
            EdgeKind::Local { target, rel } => (0, target, rel).hash(&mut out),
            EdgeKind::Call(call) => {
                (1, call.callee, &call.enter, call.ret, &call.back).hash(&mut out);
            }
            EdgeKind::Return { rel } => (2, rel).hash(&mut out),
        }
    }
    (program.entry, program.init.condition, program.init.choices).hash(&mut out);
    task.goals.len().hash(&mut out);
    for goal in &task.goals {
        let Goal::Reach(targets) = goal else { return None };
        let targets: Vec<_> = targets.iter().map(|t| (t.node, t.condition)).collect();
        targets.hash(&mut out);
    }
    let observed: Vec<_> = task.observe.iter().map(|o| (o.node, &o.vars)).collect();
    observed.hash(&mut out);
    Some(out.0)
}

/// An answer as bytes (KA3).
fn written(task: &Task, run: &Run, memory: Option<u64>) -> Option<Vec<u8>> {
    let answer = &run.answer;
    let mut out = Bytes::default();
    let any = |v: &Verdict| matches!(v, Verdict::Violated(_));
    let told = answer.each.len() == answer.verdicts.len();
    if run.engine != ENGINE || task.each.is_some() && !told && answer.verdicts.iter().any(any) {
        return None;
    }
    let stopped = |reason: &StopReason| match reason {
        StopReason::Memory { limit } => Some(*limit) == memory,
        _ => false,
    };
    match &answer.incomplete {
        None => out.number(0),
        Some(reason) if stopped(reason) => out.number(1),
        Some(_) => return None,
    }
    let verdict = |out: &mut Bytes, v: &Verdict| -> Option<()> {
        match v {
            Verdict::Holds(None) => out.number(0),
            Verdict::Holds(Some(_)) => return None,
            Verdict::Unknown(reason) if stopped(reason) => out.number(1),
            Verdict::Unknown(_) => return None,
            Verdict::Violated(None) => out.number(2),
            Verdict::Violated(Some(trace)) => {
                out.number(3);
                write_trace(out, trace)?;
            }
        }
        Some(())
    };
    out.number(answer.verdicts.len() as u64);
    answer.verdicts.iter().try_for_each(|v| verdict(&mut out, v))?;
    out.number(answer.each.len() as u64);
    for values in &answer.each {
        out.number(values.len() as u64);
        for (value, v) in values {
            out.number(*value);
            verdict(&mut out, v)?;
        }
    }
    let number = |name: &str| COUNTERS.iter().position(|known| *known == name);
    let counters = answer.stats.counters.iter().filter_map(|(n, v)| Some((number(n)?, *v)));
    let counters: Vec<_> = counters.collect();
    out.number(counters.len() as u64);
    for (name, value) in counters {
        out.number(name as u64);
        out.number(value);
    }
    Some(out.0)
}

fn write_trace(out: &mut Bytes, trace: &Trace) -> Option<()> {
    if trace.lasso.is_some() {
        return None;
    }
    let steps = |out: &mut Bytes, steps: &[Step]| {
        out.number(steps.len() as u64);
        for step in steps {
            out.number(step.edge.index() as u64);
            write_state(out, &step.state);
            out.number(step.inside.map_or(0, |segment| segment.index() as u64 + 1));
        }
    };
    out.number(trace.segments.len() as u64);
    for segment in trace.segments.iter() {
        out.number(segment.proc.index() as u64);
        steps(out, &segment.steps);
        write_state(out, &segment.exit);
    }
    out.number(trace.frames.len() as u64);
    for frame in &trace.frames {
        out.number(frame.proc.index() as u64);
        steps(out, &frame.steps);
    }
    out.number(trace.target.index() as u64);
    write_state(out, &trace.end);
    out.number(u64::from(trace.shortest));
    Some(())
}

fn write_state(out: &mut Bytes, state: &Partial) {
    let words = state.to_words();
    out.number(words.len() as u64);
    for (known, value) in words {
        out.number(known);
        out.number(value);
    }
}

/// Reads what was written.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    task: &'a Task,
    memory: Option<u64>,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (mut out, mut shift) = (0u64, 0);
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            out |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(out);
            }
        }
    }

    /// A number of things that follow: each has a byte at least.
    fn count(&mut self) -> Option<usize> {
        let n = self.number()? as usize;
        (n <= self.bytes.len() - self.at).then_some(n)
    }

    fn below(&mut self, limit: usize) -> Option<usize> {
        let n = self.number()? as usize;
        (n < limit).then_some(n)
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.count()?).map(|_| one(self)).collect()
    }

    fn stopped(&self) -> Option<StopReason> {
        Some(StopReason::Memory { limit: self.memory? })
    }

    fn answer(mut self) -> Option<Answer> {
        let incomplete = match self.number()? {
            0 => None,
            _ => Some(self.stopped()?),
        };
        let verdicts = self.list(Self::verdict)?;
        let each = self.list(|r| r.list(|r| Some((r.number()?, r.verdict()?))))?;
        let counters = self.list(|r| Some((COUNTERS[r.below(COUNTERS.len())?], r.number()?)))?;
        let whole = self.at == self.bytes.len() && verdicts.len() == self.task.goals.len();
        whole.then(|| Answer {
            verdicts,
            reached: None,
            observed: vec![None; self.task.observe.len()],
            sets: StateSets::new(),
            each,
            incomplete,
            stats: check::Stats { counters },
        })
    }

    fn verdict(&mut self) -> Option<Verdict> {
        Some(match self.number()? {
            0 => Verdict::Holds(None),
            1 => Verdict::Unknown(self.stopped()?),
            2 => Verdict::Violated(None),
            _ => Verdict::Violated(Some(Box::new(self.trace()?))),
        })
    }

    fn trace(&mut self) -> Option<Trace> {
        let program = &self.task.program;
        let (procs, nodes) = (program.procs.len(), program.nodes.len());
        let count = self.count()?;
        let mut segments = ir::IndexVec::default();
        for known in 0..count {
            let proc = ProcId::new(self.below(procs)?);
            let segment = Segment { proc, steps: self.steps(known)?, exit: self.state()? };
            segments.push(segment);
        }
        let frame = |r: &mut Self| {
            let proc = ProcId::new(r.below(procs)?);
            Some(Frame { proc, steps: r.steps(count)? })
        };
        let frames = self.list(frame)?;
        let target = NodeId::new(self.below(nodes)?);
        let end = self.state()?;
        let shortest = self.number()? == 1;
        Some(Trace { segments, frames, target, end, shortest, lasso: None })
    }

    /// Steps, with calls of segments of which so many are known.
    fn steps(&mut self, known: usize) -> Option<Vec<Step>> {
        let edges = self.task.program.edges.len();
        self.list(|r| {
            let edge = EdgeId::new(r.below(edges)?);
            let state = r.state()?;
            let inside = r.below(known + 1)?.checked_sub(1).map(SegmentId::new);
            Some(Step { edge, state, inside })
        })
    }

    fn state(&mut self) -> Option<Partial> {
        let words = self.list(|r| Some((r.number()?, r.number()?)))?;
        Partial::from_words(&words)
    }
}
