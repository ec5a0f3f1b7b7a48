//! What a graph of large blocks tells about whether runs end.
//!
//! - EN1: runs that are not followed count where a loop or a recursion may come after them; where control may go anywhere,
//!   they always count.
//! - EN2: a run that is blocked by an assumption is none.

use crate::blocks::{Bads, Blocks};
use crate::engine::{As, Why};
use crate::relevance::Leads;
use crate::search::{Goal, cut_reason};
use c_data::{BlockId, Callee, End, ExprKind, FuncId, Point, Program, Root, StmtKind};
use engine_predicates::Bad;
use logic::Lit;

impl Blocks<'_> {
    /// What must not happen so that the graph has all runs that may go on for ever. EN1.
    pub fn endings(&mut self) -> Bads {
        let leads = Leads::new(self.program, &loops(self.program));
        let mut out = Bads { all: Vec::new(), reasons: Vec::new(), operations: Vec::new() };
        for (node, block) in self.blocks.iter().enumerate() {
            for cut in &block.cuts {
                let uncovered = matches!(cut.why, Why::Uncovered(_));
                if cut.guard != Lit::FALSE && leads.from(&cut.place, uncovered) {
                    out.all.push(Bad { node, guard: cut.guard });
                    let reason = cut_reason(self.program, &cut.why, crate::blocks::DEPTH);
                    out.reasons.push(Some(reason));
                    out.operations.push(None);
                }
            }
        }
        out
    }

    /// Of each place, when all inputs of its block are one number, as far as they have room for it. A run goes into the
    /// functions that it calls.
    pub fn chosen(&mut self, number: i128) -> Vec<Lit> {
        let mut out = Vec::new();
        let inside = self.engine.cutting.as_ref().map_or(&[][..], |c| &c.inside);
        for block in &self.blocks {
            let mut same = inside.to_vec();
            for taken in &self.engine.taken[block.taken.clone()] {
                if let As::Signed | As::Unsigned = taken.read_as {
                    let bits = taken.word.lits().into_iter().enumerate();
                    same.extend(bits.map(|(i, l)| l.xor_sign(number >> i.min(127) & 1 == 0)));
                }
            }
            out.push(self.graph.aig.and_all(same));
        }
        out
    }

    /// Where a place of the graph is in the program.
    pub fn head(&self, node: usize) -> Option<Point> {
        let frame = self.sites.get(node.checked_sub(1)?)?.state.frames.last()?;
        Some(Point::Before(frame.function, BlockId::new(frame.block), 0))
    }
}

/// Places that every run without end comes to again and again: where control jumps backwards, and calls of functions
/// that may call themselves.
fn loops(program: &Program) -> Goal {
    let mut points = Vec::new();
    let count = program.functions.len();
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut taken: Vec<usize> = Vec::new();
    let mut note = |root: &Root| {
        if let Root::Function(f) = root {
            taken.push(f.index());
        }
    };
    for object in &program.objects {
        object.addresses.iter().for_each(|(_, root, _)| note(root));
    }
    for e in program.functions.iter().flat_map(|f| &f.exprs) {
        if let ExprKind::Root(root) = &e.kind {
            note(root);
        }
    }
    taken.sort_unstable();
    taken.dedup();
    for (i, f) in program.functions.iter().enumerate() {
        for (b, block) in f.blocks.iter().enumerate() {
            let mut to = |target: usize| {
                if target <= b {
                    points.push(Point::Before(FuncId::new(i), BlockId::new(target), 0));
                }
            };
            match &block.end {
                End::Jump(target) => to(target.index()),
                End::Branch(_, yes, no) => {
                    to(yes.index());
                    to(no.index());
                }
                End::Switch(_, cases, default) => {
                    cases.iter().for_each(|case| to(case.2.index()));
                    to(default.index());
                }
                End::JumpTo(_) => (0..=b).for_each(to),
                End::Return(_) | End::FellOff | End::Unreachable => {}
            }
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Call(call) => match call.callee {
                        Callee::Direct(g) => calls[i].push(g.index()),
                        Callee::Indirect(_) => calls[i].extend(&taken),
                    },
                    // Where control comes back to, it may come back again.
                    StmtKind::SetJump { .. } => {
                        points.push(Point::Before(FuncId::new(i), BlockId::new(b), 0));
                    }
                    _ => {}
                }
            }
        }
        calls[i].sort_unstable();
        calls[i].dedup();
    }
    for f in 0..count {
        let mut seen = vec![false; count];
        let mut todo = calls[f].clone();
        while let Some(g) = todo.pop() {
            if !std::mem::replace(&mut seen[g], true) {
                todo.extend(&calls[g]);
            }
        }
        if seen[f] {
            points.push(Point::Call(FuncId::new(f)));
            points.push(Point::Before(FuncId::new(f), BlockId::new(0), 0));
        }
    }
    points.sort_unstable();
    points.dedup();
    Goal { points }
}
