//! Runs without end as reachability, so that formulas can search for them: from liveness to safety, for programs with
//! procedures.
//!
//! A run without end has heads (a node with globals and locals) that repeat while the frame of the first one is never
//! left ([moped §4.2]). So one is guessed, remembered, and waited for:
//!
//! - LS1. Once, at any step, the head before it may be remembered: its node, globals and locals. Its frame
//!   is marked.
//! - LS2. A frame that is marked is not left: its returns are barred.
//! - LS3. From the step at which the head was remembered on, the marks on edges are noted.
//! - LS4. The goal is to be in the remembered head again, in the same frame or in one above it, with all marks
//!   noted.
//!
//! Nodes and edges keep their numbers, so that a trace of the new program is one of the old one, and its loop
//! begins at the step of LS1. What the program remembers is hidden and comes behind its own variables.

use check::{
    Frame, Goal, Lasso, Partial, Segment, Step, StopReason, Target, Task, Trace, TraceMode, Wants,
};
use ir::{
    Assign, BinaryOp, Call, Edge, EdgeKind, Expr, ExprId, Exprs, Id, Init, Layout, NodeId, ProcId,
    Program, ProgramBuilder, Rel, Time, Type, VarId,
};
use std::sync::Arc;

/// A task about a run without end, as one about a place that is reached.
pub(crate) struct Remembering {
    /// The task, with one goal.
    pub(crate) task: Task,
    /// Whether a head is remembered.
    remembered: VarId,
    old: Layout,
    new: Layout,
}

/// Whether an edge with the mark can be taken at all. If not, no run takes one for ever: for safety formulas, whose
/// violations are what comes after a bad beginning, that is the whole question.
pub(crate) fn taken_once(task: &Task, mark: u32) -> Task {
    let program = &*task.program;
    let mut b = ProgramBuilder::extending(program);
    let taken = b.hidden_global("(taken)", Type::BOOL);
    for edge in program.edges.iter() {
        let marked = edge.marks >> mark & 1 == 1;
        let mut edge = Edge { marks: 0, ..edge.clone() };
        if marked {
            let value = Some(Exprs::TRUE);
            let assign = Assign { time: Time::Post, var: taken, index: None, value };
            let rel = match &mut edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => rel,
                EdgeKind::Call(call) => &mut call.enter,
            };
            let assigns = rel.assigns.iter().copied().chain([assign]);
            rel.assigns = assigns.collect();
        }
        b.edge(edge);
    }
    let condition = b.exprs.pre(taken);
    let targets = program.nodes.ids().map(|node| Target { node, condition }).collect();
    let not_yet = b.exprs.not(condition);
    let Init { condition, choices } = program.init;
    let condition = b.exprs.and(condition, not_yet);
    let program = b.finish(program.entry, Init { condition, choices });
    Task {
        program: Arc::new(program),
        goals: vec![Goal::Reach(targets)],
        observe: Vec::new(),
        each: None,
        wants: Wants { trace: TraceMode::None, certificate: false, all_nodes: false },
    }
}

/// A variable and its copy.
type Pair = (VarId, VarId);

struct Builder {
    b: ProgramBuilder,
    remembered: VarId,
    /// The number of the remembered node.
    node: VarId,
    marks: Vec<VarId>,
    globals: Vec<Pair>,
    /// By procedure: its locals, and the mark of its frames.
    locals: Vec<Vec<Pair>>,
    mine: Vec<VarId>,
}

impl Remembering {
    /// For a goal of `marks` marks on the program of a task.
    pub(crate) fn new(task: &Task, marks: u32) -> Remembering {
        let program = &*task.program;
        let mut b = ProgramBuilder::extending(program);
        let remembered = b.hidden_global("(remembered)", Type::BOOL);
        let bits = (usize::BITS - program.nodes.len().leading_zeros()).max(1);
        let node = b.hidden_global("(head)", Type::int(bits));
        let noted = (0..marks).map(|m| b.hidden_global(&format!("(mark {m})"), Type::BOOL));
        let noted = noted.collect();
        let copy = |b: &mut ProgramBuilder, var: VarId| {
            let name = format!("(head {})", program.var_name(var));
            (var, b.hidden_global(&name, program.vars[var].ty))
        };
        let globals = program.globals.iter().map(|&g| copy(&mut b, g)).collect();
        let mut locals = Vec::new();
        let mut mine = Vec::new();
        for proc in program.procs.ids() {
            let own = program.procs[proc].locals.iter();
            locals.push(own.map(|&x| copy(&mut b, x)).collect());
        }
        for proc in program.procs.ids() {
            mine.push(b.hidden_local(proc, "(mine)", Type::BOOL));
        }
        let mut builder = Builder { b, remembered, node, marks: noted, globals, locals, mine };
        for edge in program.edges.iter() {
            let edge = builder.edge(program, edge);
            builder.b.edge(edge);
        }
        let targets = program.nodes.ids().map(|n| builder.again(program, n)).collect();
        let program = builder.finish(program);
        let (old, new) = (Layout::new(&task.program), Layout::new(&program));
        let wants = Wants { trace: TraceMode::Any, certificate: false, all_nodes: false };
        let trace = if task.wants.trace == TraceMode::None { TraceMode::None } else { wants.trace };
        let task = Task {
            program: Arc::new(program),
            goals: vec![Goal::Reach(targets)],
            observe: Vec::new(),
            each: None,
            wants: Wants { trace, ..wants },
        };
        Remembering { task, remembered, old, new }
    }

    /// The run without end that a trace of the new program tells of.
    pub(crate) fn lasso(&self, trace: &Trace) -> Result<Trace, StopReason> {
        let bit = self.new.slot(self.remembered).bits().start;
        // The last step before which nothing is remembered.
        let mut start = None;
        for (frame, steps) in trace.frames.iter().map(|frame| &frame.steps).enumerate() {
            for (step, taken) in steps.iter().enumerate() {
                if taken.state.get(bit) == Some(false) {
                    start = Some((frame, step));
                }
            }
        }
        let Some((frame, step)) = start else {
            let what = "a run that repeats does not tell from where".to_owned();
            return Err(StopReason::Internal { what });
        };
        let program = &self.task.program;
        let state = |proc: ProcId, state: &Partial| self.without(state, self.old.frame_bits[proc]);
        let steps = |proc: ProcId, steps: &[Step]| -> Vec<Step> {
            let step = |s: &Step| Step { state: state(proc, &s.state), ..s.clone() };
            steps.iter().map(step).collect()
        };
        let segment = |s: &Segment| Segment {
            proc: s.proc,
            steps: steps(s.proc, &s.steps),
            exit: self.without(&s.exit, self.old.result_bits[s.proc]),
        };
        let frames = trace.frames.iter();
        Ok(Trace {
            segments: trace.segments.iter().map(segment).collect(),
            frames: frames
                .map(|f| Frame { proc: f.proc, steps: steps(f.proc, &f.steps) })
                .collect(),
            target: trace.target,
            end: state(program.nodes[trace.target].proc, &trace.end),
            shortest: false,
            lasso: Some(Lasso::Loop { frame, step }),
        })
    }

    /// A valuation of the old program: its globals, and so many bits behind them.
    fn without(&self, state: &Partial, behind: u32) -> Partial {
        let mut out = Partial::unknown(self.old.global_bits + behind);
        for bit in 0..self.old.global_bits {
            out.set(bit, state.get(bit));
        }
        for bit in 0..behind {
            out.set(self.old.global_bits + bit, state.get(self.new.global_bits + bit));
        }
        out
    }
}

impl Builder {
    /// The cells of a variable, now.
    fn cells(&mut self, program: &Program, var: VarId) -> Vec<(Option<ExprId>, ExprId)> {
        self.cells_as(program, var, var)
    }

    /// The cells of a variable of the same type as one of the program.
    fn cells_as(
        &mut self,
        program: &Program,
        like: VarId,
        var: VarId,
    ) -> Vec<(Option<ExprId>, ExprId)> {
        let exprs = &mut self.b.exprs;
        match program.vars[like].ty.array {
            None => vec![(None, exprs.pre(var))],
            Some(dim) => (0..i64::from(dim.len))
                .map(|i| {
                    let index = exprs.int(dim.lo + i);
                    (Some(index), exprs.add(Expr::Index(Time::Pre, var, index)))
                })
                .collect(),
        }
    }

    /// LS1, LS3: what a step remembers and notes, and the condition under which it remembers.
    fn remembers(
        &mut self,
        program: &Program,
        edge: &Edge,
        choice: u32,
        may: bool,
        assigns: &mut Vec<Assign>,
    ) -> ExprId {
        let mut set = |var, index, value| {
            assigns.push(Assign { time: Time::Post, var, index, value: Some(value) });
        };
        let known = self.b.exprs.pre(self.remembered);
        let mut now = Exprs::FALSE;
        if may {
            let chosen = self.b.exprs.add(Expr::Choice(choice));
            let not_yet = self.b.exprs.not(known);
            now = self.b.exprs.and(chosen, not_yet);
            let after = self.b.exprs.or(known, now);
            set(self.remembered, None, after);
            let (before, here) = (self.b.exprs.pre(self.node), edge.source.index() as i64);
            let here = self.b.exprs.int(here);
            let value = self.b.exprs.add(Expr::Ite(now, here, before));
            set(self.node, None, value);
            let proc = program.nodes[edge.source].proc;
            let pairs: Vec<Pair> =
                self.globals.iter().chain(&self.locals[proc.index()]).copied().collect();
            for (var, copy) in pairs {
                let own = self.cells(program, var);
                let copied = self.cells_as(program, var, copy);
                for ((index, value), (_, before)) in own.into_iter().zip(copied) {
                    let value = self.b.exprs.add(Expr::Ite(now, value, before));
                    set(copy, index, value);
                }
            }
        }
        let after = self.b.exprs.or(known, now);
        for (m, &noted) in self.marks.iter().enumerate() {
            if edge.marks >> m & 1 == 1 {
                let before = self.b.exprs.pre(noted);
                let value = self.b.exprs.or(before, after);
                set(noted, None, value);
            }
        }
        now
    }

    fn edge(&mut self, program: &Program, edge: &Edge) -> Edge {
        let proc = program.nodes[edge.source].proc;
        let mine = self.mine[proc.index()];
        let extended = |rel: &Rel, mut more: Vec<Assign>, choices: u32| {
            let mut assigns = rel.assigns.to_vec();
            assigns.append(&mut more);
            Rel { assigns: assigns.into(), choices: rel.choices + choices, ..rel.clone() }
        };
        let mut more = Vec::new();
        let kind = match &edge.kind {
            EdgeKind::Local { target, rel } => {
                let now = self.remembers(program, edge, rel.choices, true, &mut more);
                let value = self.marked(mine, now);
                more.push(Assign { time: Time::Post, var: mine, index: None, value });
                EdgeKind::Local { target: *target, rel: extended(rel, more, 1) }
            }
            EdgeKind::Call(call) => {
                let Call { callee, enter, ret, back } = &**call;
                let now = self.remembers(program, edge, enter.choices, true, &mut more);
                let value = self.marked(mine, now);
                more.push(Assign { time: Time::Saved, var: mine, index: None, value });
                let inner = self.mine[callee.index()];
                let no = Some(Exprs::FALSE);
                more.push(Assign { time: Time::Post, var: inner, index: None, value: no });
                let (callee, ret, back) = (*callee, *ret, back.clone());
                let enter = extended(enter, more, 1);
                EdgeKind::Call(Box::new(Call { callee, enter, ret, back }))
            }
            EdgeKind::Return { rel } => {
                self.remembers(program, edge, rel.choices, false, &mut more);
                let mut rel = extended(rel, more, 0);
                // LS2.
                let left = self.b.exprs.pre(mine);
                let left = self.b.exprs.not(left);
                rel.guard = self.b.exprs.and(rel.guard, left);
                EdgeKind::Return { rel }
            }
        };
        Edge { kind, marks: 0, ..edge.clone() }
    }

    /// The mark of a frame, after a step that may have remembered.
    fn marked(&mut self, mine: VarId, now: ExprId) -> Option<ExprId> {
        let before = self.b.exprs.pre(mine);
        Some(self.b.exprs.or(before, now))
    }

    /// LS4: in the remembered head again, at this node.
    fn again(&mut self, program: &Program, node: NodeId) -> Target {
        let mut condition = self.b.exprs.pre(self.remembered);
        let (head, here) = (self.b.exprs.pre(self.node), node.index() as i64);
        let here = self.b.exprs.int(here);
        let same = self.b.exprs.binary(BinaryOp::Eq, head, here);
        condition = self.b.exprs.and(condition, same);
        for m in 0..self.marks.len() {
            let noted = self.b.exprs.pre(self.marks[m]);
            condition = self.b.exprs.and(condition, noted);
        }
        let proc = program.nodes[node].proc;
        let pairs: Vec<Pair> =
            self.globals.iter().chain(&self.locals[proc.index()]).copied().collect();
        for (var, copy) in pairs {
            let op = match program.vars[var].ty.scalar {
                ir::Scalar::Bool => BinaryOp::Iff,
                ir::Scalar::Int { .. } => BinaryOp::Eq,
            };
            let own = self.cells(program, var);
            let copied = self.cells_as(program, var, copy);
            for ((_, now), (_, then)) in own.into_iter().zip(copied) {
                let same = self.b.exprs.binary(op, now, then);
                condition = self.b.exprs.and(condition, same);
            }
        }
        Target { node, condition }
    }

    /// At the start nothing is remembered, and what could be is 0.
    fn finish(mut self, program: &Program) -> Program {
        let Init { mut condition, choices } = program.init;
        let mine = self.mine[program.entry.index()];
        let flags: Vec<VarId> = self.marks.iter().copied().chain([self.remembered, mine]).collect();
        for flag in flags {
            let value = self.b.exprs.pre(flag);
            let value = self.b.exprs.not(value);
            condition = self.b.exprs.and(condition, value);
        }
        let zero = self.b.exprs.int(0);
        let head = self.b.exprs.pre(self.node);
        let first = self.b.exprs.binary(BinaryOp::Eq, head, zero);
        condition = self.b.exprs.and(condition, first);
        let pairs: Vec<Pair> =
            self.globals.iter().chain(self.locals.iter().flatten()).copied().collect();
        for (var, copy) in pairs {
            for (_, cell) in self.cells_as(program, var, copy) {
                let none = match program.vars[var].ty.scalar {
                    ir::Scalar::Bool => self.b.exprs.not(cell),
                    ir::Scalar::Int { .. } => self.b.exprs.binary(BinaryOp::Eq, cell, zero),
                };
                condition = self.b.exprs.and(condition, none);
            }
        }
        self.b.finish(program.entry, Init { condition, choices })
    }
}
