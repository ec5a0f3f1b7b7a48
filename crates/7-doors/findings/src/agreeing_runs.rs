//! The runs of a program that agree with a listing: a program again, with a counter of the steps told.

use check::{Goal, Partial, Target, Trace};
use ir::{
    Assign, BinaryOp, EdgeId, EdgeKind, ExprId, Exprs, Init, Layout, NodeId, ProcId, Program,
    ProgramBuilder, Rel, Time, Type, VarId,
};
use replay::Value;
use reports::ListedStep;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The program whose runs to the goal are those that take the steps of a listing one after the other, each
/// with the values that it tells. In procedures that folded calls may enter, steps that are not told are
/// taken, too: so no run that agrees is missing. Ids are those of the program, and the counter stands behind.
pub(crate) fn agreeing_runs(
    program: &Program,
    steps: &[ListedStep],
    goal: &Goal,
) -> (Program, Goal) {
    let mut b = ProgramBuilder::extending(program);
    let count = steps.len() as u32;
    let told = b.hidden_global("(told)", Type::int((u32::BITS - count.leading_zeros()).max(1)));
    let here = Places::new(program, steps);
    let free = here.entered_by_folded_calls();
    for edge in program.edges.iter() {
        let mut edge = edge.clone();
        let node = &program.nodes[edge.source];
        if edge.step && node.statement {
            let mut moves = Exprs::FALSE;
            for &i in here.told(edge.source) {
                let (now, next) =
                    (is(&mut b, Time::Pre, told, i), is(&mut b, Time::Post, told, i + 1));
                let values = values(&mut b, &steps[i as usize]);
                let step = b.exprs.and(now, values);
                let step = b.exprs.and(step, next);
                moves = b.exprs.or(moves, step);
            }
            if free.contains(&node.proc) {
                let (before, after) = (b.exprs.pre(told), b.exprs.post(told));
                let stays = b.exprs.binary(BinaryOp::Eq, before, after);
                moves = b.exprs.or(moves, stays);
            }
            constrain(&mut b, &mut edge.kind, told, moves);
        }
        b.edge(edge);
    }
    let Init { condition, choices } = program.init;
    let start = is(&mut b, Time::Pre, told, 0);
    let condition = b.exprs.and(condition, start);
    let end = is(&mut b, Time::Pre, told, count);
    let goal = match goal {
        Goal::Reach(targets) => {
            let target = |t: &Target| Target { condition: b.exprs.and(t.condition, end), ..*t };
            Goal::Reach(targets.iter().map(target).collect())
        }
        other => other.clone(),
    };
    (b.finish(program.entry, Init { condition, choices }), goal)
}

fn is(b: &mut ProgramBuilder, time: Time, var: VarId, number: u32) -> ExprId {
    let (now, number) = (b.exprs.add(ir::Expr::Read(time, var)), b.exprs.int(i64::from(number)));
    b.exprs.binary(BinaryOp::Eq, now, number)
}

/// What a step tells of variables.
fn values(b: &mut ProgramBuilder, step: &ListedStep) -> ExprId {
    let mut all = Exprs::TRUE;
    for (var, value) in &step.state {
        let now = b.exprs.pre(*var);
        let one = match value {
            Value::Bool(true) => now,
            Value::Bool(false) => b.exprs.not(now),
            Value::Int(n) => {
                let n = b.exprs.int(i64::try_from(*n).unwrap_or(i64::MAX));
                b.exprs.binary(BinaryOp::Eq, now, n)
            }
            // C programs have no arrays here.
            Value::Bools(_) | Value::Ints(_) => continue,
        };
        all = b.exprs.and(all, one);
    }
    all
}

fn constrain(b: &mut ProgramBuilder, kind: &mut EdgeKind, told: VarId, moves: ExprId) {
    let rel: &mut Rel = match kind {
        EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => rel,
        EdgeKind::Call(call) => &mut call.enter,
    };
    rel.constraint = b.exprs.and(moves, rel.constraint);
    let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
    assigns.push(Assign { time: Time::Post, var: told, index: None, value: None });
    rel.assigns = assigns.into();
}

/// Which steps are told of each statement.
struct Places<'a> {
    program: &'a Program,
    steps: &'a [ListedStep],
    nodes: FxHashMap<NodeId, Vec<u32>>,
}

impl<'a> Places<'a> {
    fn new(program: &'a Program, steps: &'a [ListedStep]) -> Places<'a> {
        let mut lines: FxHashMap<(ProcId, u32), Vec<u32>> = FxHashMap::default();
        for (step, i) in steps.iter().zip(0..) {
            lines.entry((step.proc, step.line)).or_default().push(i);
        }
        let mut nodes: FxHashMap<NodeId, Vec<u32>> = FxHashMap::default();
        for (node, info) in program.nodes.enumerate().filter(|(_, info)| info.statement) {
            let at = &info.origin;
            let here = lines.get(&(info.proc, at.line)).into_iter().flatten().filter(|i| {
                let step = &steps[**i as usize];
                let text = step.text.as_deref();
                step.column.is_none_or(|c| c == at.column)
                    && text.is_none_or(|t| t == program.text(at.text))
            });
            let here: Vec<u32> = here.copied().collect();
            if !here.is_empty() {
                nodes.insert(node, here);
            }
        }
        Places { program, steps, nodes }
    }

    fn told(&self, node: NodeId) -> &[u32] {
        self.nodes.get(&node).map_or(&[], Vec::as_slice)
    }

    fn entered_by_folded_calls(&self) -> FxHashSet<ProcId> {
        let program = self.program;
        let mut out: FxHashSet<ProcId> = FxHashSet::default();
        let folds = |node: NodeId| self.told(node).iter().any(|i| self.steps[*i as usize].folded);
        let mut todo: Vec<EdgeId> = program.edges.ids().collect();
        todo.retain(|e| folds(program.edges[*e].source));
        while let Some(edge) = todo.pop() {
            let EdgeKind::Call(call) = &program.edges[edge].kind else { continue };
            if out.insert(call.callee) {
                let nodes = program.procs[call.callee].node_ids();
                todo.extend(nodes.flat_map(|node| program.out_edges(node)));
            }
        }
        out
    }
}

/// A trace of the program that [`agreeing_runs`] makes, as one of the program.
pub(crate) fn without_counter(program: &Program, extended: &Arc<Program>, trace: &Trace) -> Trace {
    let (layout, whole) = (Layout::new(program), Layout::new(extended).global_bits);
    let globals = layout.global_bits;
    let down = |state: &Partial, rest: u32| {
        let mut out = Partial::unknown(globals + rest);
        for bit in 0..globals {
            out.set(bit, state.get(bit));
        }
        for bit in 0..rest {
            out.set(globals + bit, state.get(whole + bit));
        }
        out
    };
    let mut out = trace.clone();
    for segment in out.segments.iter_mut() {
        for step in &mut segment.steps {
            step.state = down(&step.state, layout.frame_bits[segment.proc]);
        }
        segment.exit = down(&segment.exit, layout.result_bits[segment.proc]);
    }
    for frame in &mut out.frames {
        for step in &mut frame.steps {
            step.state = down(&step.state, layout.frame_bits[frame.proc]);
        }
    }
    out.end = down(&out.end, layout.frame_bits[program.nodes[out.target].proc]);
    out
}
