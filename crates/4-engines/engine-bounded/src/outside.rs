//! Pointers from outside, where runs are cut into blocks: what `__VERIFIER_nondet_pointer` gives.
//!
//! - OU1: Where each function without a body that a run may call is known, and none of them hands addresses on, nobody
//!   outside knows an address of anything that the program has. A pointer from outside is an address of none of that,
//!   whatever number it is. Elsewhere it may be an address of anything.
//! - OU2: What is read at it is anything; what is written there is not the program's, and freeing it changes nothing that
//!   is. A null pointer ends a run. Not where accesses are what is asked about.
//! - OU3: A value that is such a pointer or another one may be an address of anything.

use crate::engine::Engine;
use crate::memory::Kind;
use crate::state::{State, Value};
use c_data::{Callee, Check, ExprKind, FuncId, Program, Root, StmtKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Engine<'_> {
    /// OU1: where a pointer from outside points to, if it is known that this is outside.
    pub(crate) fn outside_memory(&mut self, state: &mut State) -> Option<Rc<[u32]>> {
        if self.cutting.is_none() || self.asks(Check::Memory) || self.asks(Check::Cleanup) {
            return None;
        }
        if self.outside.is_none() {
            if !is_closed(self.program, &self.script) {
                return None;
            }
            self.outside = Some(self.objects.make(0, None, Kind::Static)?);
        }
        let id = self.outside?;
        if state.memory.len() <= id as usize {
            state.memory.resize(id as usize + 1, None);
        }
        Some(Rc::from([id]))
    }

    /// OU2: whether an address is one from outside, and nothing else.
    pub(crate) fn is_outside(&self, value: &Value) -> bool {
        match (self.outside, &value.from) {
            (Some(outside), Some(from)) => value.word.value().is_none() && from[..] == [outside],
            _ => false,
        }
    }

    /// OU3: whether it may be one from outside, or another one.
    pub(crate) fn may_be_outside(&self, value: &Value) -> bool {
        match (self.outside, &value.from) {
            (Some(outside), Some(from)) => from.len() > 1 && from.contains(&outside),
            _ => false,
        }
    }
}

/// Whether all functions that may be called from some on are there, or known.
fn is_closed(program: &Program, from: &[FuncId]) -> bool {
    let mut seen: FxHashSet<FuncId> = FxHashSet::default();
    let mut todo: Vec<FuncId> = from.to_vec();
    let mut mentioned = Vec::new();
    for object in &program.objects {
        mentioned.extend(object.addresses.iter().map(|(_, root, _)| *root));
    }
    for root in mentioned {
        if let Root::Function(f) = root {
            todo.push(f);
        }
    }
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        let f = &program.functions[id.index()];
        if !f.has_body() {
            let name = f.name.as_str();
            let known = name.starts_with("__VERIFIER_")
                || crate::natives::knows(name) && !name.starts_with("__bop_");
            if !known {
                return false;
            }
            continue;
        }
        for e in &f.exprs {
            if let ExprKind::Root(Root::Function(g)) = &e.kind {
                todo.push(*g);
            }
        }
        for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Call(call) = &stmt.kind
                && let Callee::Direct(g) = call.callee
            {
                todo.push(g);
            }
        }
    }
    program.unfollowed.is_none()
}
