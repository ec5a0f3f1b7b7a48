//! Hand-built programs and traces.
#![allow(dead_code)]

use check::{Frame, Goal, Partial, Segment, SegmentId, Step, Target, Trace};
use ir::{
    EdgeId, EdgeKind, ExprId, IndexVec, Layout, NodeId, Origin, ProcId, Program, ProgramBuilder,
    VarId, VarKind,
};
use std::sync::Arc;

/// A statement node on the given line.
pub(crate) fn at(b: &mut ProgramBuilder, line: u32) -> NodeId {
    let origin = origin(b, line);
    b.statement(origin)
}

pub(crate) fn origin(b: &mut ProgramBuilder, line: u32) -> Origin {
    b.origin(0, line, 1, &format!("line {line}"))
}

/// A program with what building traces of it needs.
pub(crate) struct Setup {
    pub(crate) program: Arc<Program>,
    pub(crate) layout: Layout,
}

impl Setup {
    pub(crate) fn new(program: Program) -> Setup {
        program.validate().expect("a valid program");
        let layout = Layout::new(&program);
        Setup { program: Arc::new(program), layout }
    }
    /// A state in which the given variables (cells) have the given values.
    pub(crate) fn state(&self, values: &[(VarId, u32, u64)]) -> Partial {
        let mut out = Partial::unknown(self.layout.scope_bits());
        self.put(&mut out, values);
        out
    }
    /// The same for an exit.
    pub(crate) fn exit(&self, proc: ProcId, values: &[(VarId, u32, u64)]) -> Partial {
        let mut out = Partial::unknown(self.layout.global_bits + self.layout.result_bits[proc]);
        self.put(&mut out, values);
        out
    }
    fn put(&self, out: &mut Partial, values: &[(VarId, u32, u64)]) {
        for &(var, cell, value) in values {
            let base = match self.program.vars[var].kind {
                VarKind::Global => 0,
                _ => self.layout.global_bits,
            };
            let bits = self.layout.slot(var).cell(cell);
            out.set_number(base + bits.start..base + bits.end, Some(value));
        }
    }
    /// The edge from `source` to `target` (for a call: its return node), the first of several.
    pub(crate) fn edge(&self, source: NodeId, target: NodeId) -> EdgeId {
        self.program
            .out_edges(source)
            .find(|&e| self.program.edges[e].target() == Some(target))
            .expect("an edge between the nodes")
    }
    /// The return edge at `source`.
    pub(crate) fn ret(&self, source: NodeId) -> EdgeId {
        self.program
            .out_edges(source)
            .find(|&e| matches!(self.program.edges[e].kind, EdgeKind::Return { .. }))
            .expect("a return edge")
    }
    pub(crate) fn step(&self, edge: EdgeId, values: &[(VarId, u32, u64)]) -> Step {
        Step { edge, state: self.state(values), inside: None }
    }
    pub(crate) fn call(
        &self,
        edge: EdgeId,
        values: &[(VarId, u32, u64)],
        inside: SegmentId,
    ) -> Step {
        Step { edge, state: self.state(values), inside: Some(inside) }
    }
    /// A trace of one frame.
    pub(crate) fn trace(
        &self,
        segments: Vec<Segment>,
        steps: Vec<Step>,
        target: NodeId,
        end: &[(VarId, u32, u64)],
    ) -> Trace {
        let frames = vec![Frame { proc: self.program.entry, steps }];
        Trace {
            segments: IndexVec::from_iter(segments),
            frames,
            target,
            end: self.state(end),
            shortest: true,
            lasso: None,
        }
    }
    pub(crate) fn check(&self, trace: &Trace) -> Result<replay::Accepted, replay::Refusal> {
        self.check_if(trace, ir::Exprs::TRUE)
    }
    pub(crate) fn check_if(
        &self,
        trace: &Trace,
        condition: ExprId,
    ) -> Result<replay::Accepted, replay::Refusal> {
        let goal = Goal::Reach(vec![Target { node: trace.target, condition }]);
        replay::check_trace(&self.program, &goal, trace)
    }
    /// A listing as text: `line depth [folded] var=value …`.
    pub(crate) fn listing(&self, accepted: &replay::Accepted, max_steps: usize) -> String {
        let mut out = String::new();
        for shown in accepted.shown(max_steps) {
            let node = &self.program.nodes[shown.node];
            out += &format!("{}@{}", node.origin.line, shown.depth);
            if let Some(folded) = &shown.folded {
                out += &format!(" [{folded}]");
            }
            for (var, value) in
                replay::state_vars(&self.program, &self.layout, node.proc, &shown.state)
            {
                out += &format!(" {}={}", self.program.var_name(var), text(&value));
            }
            out += "\n";
        }
        out
    }
}

fn text(value: &replay::Value) -> String {
    use replay::Value::*;
    match value {
        Bool(b) => (*b as u8).to_string(),
        Int(v) => v.to_string(),
        Bools(cells) => cells
            .iter()
            .map(|c| c.map_or("-", |b| if b { "1" } else { "0" }))
            .collect::<Vec<_>>()
            .join(","),
        Ints(cells) => cells
            .iter()
            .map(|c| c.map_or("-".to_owned(), |v| v.to_string()))
            .collect::<Vec<_>>()
            .join(","),
    }
}
