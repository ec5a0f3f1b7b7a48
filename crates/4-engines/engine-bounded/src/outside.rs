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

/// What reads and writes streams, and decides for runs, in the models of the library: it keeps no address.
const PARTS: [&str; 8] = [
    "__bop_byte",
    "__bop_number",
    "__bop_opens",
    "__bop_size",
    "__bop_either",
    "__bop_any",
    "__bop_no_model",
    "__bop_exit",
];

/// Whether all functions that may be called from some on are there, or known: those that are called, and those whose
/// addresses they use, also in static objects.
fn is_closed(program: &Program, from: &[FuncId]) -> bool {
    let mut seen: FxHashSet<FuncId> = FxHashSet::default();
    let mut objects: FxHashSet<usize> = FxHashSet::default();
    let mut todo: Vec<Root> = from.iter().map(|&f| Root::Function(f)).collect();
    while let Some(root) = todo.pop() {
        let id = match root {
            Root::Function(f) => f,
            Root::Object(o) => {
                if objects.insert(o.index()) {
                    let all = program.objects[o.index()].addresses.iter();
                    todo.extend(all.map(|(_, root, _)| *root));
                }
                continue;
            }
            Root::Label(..) => continue,
        };
        if !seen.insert(id) {
            continue;
        }
        let f = &program.functions[id.index()];
        if !f.has_body() {
            let name = f.name.as_str();
            let known = name.starts_with("__VERIFIER_")
                || PARTS.contains(&name)
                || crate::natives::knows(name) && !name.starts_with("__bop_");
            if !known {
                return false;
            }
            continue;
        }
        for e in &f.exprs {
            if let ExprKind::Root(root) = &e.kind {
                todo.push(*root);
            }
        }
        for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Call(call) = &stmt.kind
                && let Callee::Direct(g) = call.callee
            {
                todo.push(Root::Function(g));
            }
        }
    }
    program.unfollowed.is_none()
}
