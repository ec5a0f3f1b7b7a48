//! Recursion where only the end of runs is asked about: a call of a function that is active already is two things, a
//! way into another activation, and a way past it.
//!
//! A run without end either stays in one activation from some time on, past all calls that it makes there, or goes into
//! one activation after another. So both are followed from the entry of a function that was called from itself:
//!
//! - NE1: the way in leads to the entry of the function, with the arguments of this call and memory as it is. The
//!   activations that are left behind are gone with their locals: who looks at those is told.
//! - NE2: an activation that was entered so ends where it gives back its result: that is the way past it.
//! - NE3: past a call its result is arbitrary, and so is every static object that functions write which it may call. A
//!   function that writes anything else is not followed.

use crate::calls::Args;
use crate::engine::{Engine, Step, Went, Why};
use crate::memory::Cells;
use crate::state::{State, Value};
use crate::summaries::ENTRY;
use crate::units::Sort;
use crate::word::Word;
use c_data::{Callee, ExprId, ExprKind, FuncId, Function, LocalId, Root, StmtKind};
use logic::Lit;
use std::rc::Rc;

/// The depth of an activation that was entered by NE1.
pub(crate) const NESTED: u32 = u32::MAX;

/// Activations below each other that are followed where it is certain that there are so many.
const CERTAIN: usize = 1_000;

/// Functions without a body that change nothing that a program sees.
const QUIET: [&str; 14] = [
    "printf",
    "puts",
    "putchar",
    "fprintf",
    "abort",
    "exit",
    "_exit",
    "reach_error",
    "__assert_fail",
    "__VERIFIER_error",
    "__VERIFIER_assume",
    "__bop_exit",
    "__bop_signal",
    "trap",
];

/// What a function may write: static objects, or why it is not known.
pub(crate) type Effects = Rc<Result<Vec<usize>, String>>;

impl Engine<'_> {
    /// Whether this call is one of a function that is active already, and followed in both ways.
    pub(crate) fn is_nested(&mut self, state: &State, f: FuncId, depth: u32) -> bool {
        let inside = |frame: &&Rc<crate::state::Frame>| frame.function == f;
        let Some(before) = state.frames.iter().rev().find(inside) else { return false };
        let on = self.cutting.as_ref().is_some_and(|cutting| cutting.recursion);
        let summarised = self.is_summarised(f);
        let bound = if summarised { 0 } else { self.bound };
        let deep = depth > bound || state.frames.len() >= CERTAIN;
        let before = Some(before);
        (on || summarised) && before.is_some_and(|before| before.depth == NESTED || deep)
    }

    /// Follows a call of a function that is active already.
    pub(crate) fn call_again(
        &mut self,
        state: &mut State,
        f: FuncId,
        mut given: Vec<Value>,
        result: Option<LocalId>,
        args: &Args,
    ) -> Step<Went> {
        let callee = self.function(f);
        let pointer = |local: LocalId| {
            let ty = self.function(state.frames[state.frames.len() - 1].function).locals
                [local.index()]
            .ty;
            self.program.types.pointee(ty).is_some()
        };
        let odd = callee.variadic || args.named != callee.params.len();
        if odd || result.is_some_and(pointer) {
            let what = format!("a call of `{}` from itself is not followed", callee.name);
            self.cut(state, Why::Uncovered(what));
            return Ok(Went::Over);
        }
        let effects = self.effects(f);
        let written = match &*effects {
            Ok(written) => written,
            Err(what) => {
                self.cut(state, Why::Uncovered(what.clone()));
                return Ok(Went::Over);
            }
        };
        // A run goes in, or past: which it is, is an input, so that runs of two calls that lead to one place are told apart.
        let inside = self.c.aig.input();
        if let Some(cutting) = &mut self.cutting {
            cutting.inside.push(inside);
        }
        // NE1.
        let Some(first) = state.frames.iter().position(|frame| frame.function == f) else {
            return Ok(Went::Over);
        };
        let mut into = state.clone();
        into.guard = self.c.aig.and(state.guard, inside);
        state.guard = self.c.aig.and(state.guard, !inside);
        let old = into.frames[first].clone();
        while into.frames.len() > first {
            let Some(frame) = into.frames.pop() else { break };
            for &object in &frame.objects {
                into.memory[object as usize] = None;
            }
            self.bury(&mut into, &frame.objects, Lit::TRUE);
            for value in &mut given {
                self.bury_value(value, &frame.objects);
            }
        }
        let summarises = self.summarises();
        if summarises {
            self.without_registers(&mut into);
        }
        let words: Vec<Word> = given.iter().map(|v| v.word.clone()).collect();
        let prefix: Rc<[u32]> = match old.depth == NESTED {
            true => old.prefix.clone(),
            false => old.prefix.iter().copied().chain([u32::MAX]).collect(),
        };
        self.enter(&mut into, f, given, prefix)?;
        let Some(frame) = into.frames.last().filter(|_| into.guard != Lit::FALSE) else {
            return Ok(Went::Over);
        };
        debug_assert!(frame.function == f);
        into.top().depth = NESTED;
        let entered = summarises.then(|| into.clone());
        match summarises {
            true => {
                self.alone(&mut into, f);
                self.drop_dead(&mut into);
                let key = into.top().prefix.iter().copied().chain([ENTRY]).collect();
                self.arrive_at(into, key);
            }
            false => self.arrive(into),
        }
        // NE3.
        for &object in written {
            let id = self.statics[object];
            let units = self.units(id);
            if units.iter().any(|u| matches!(u.sort, Sort::Pointer | Sort::Mixed)) {
                let what =
                    format!("`{}` changes addresses in memory and calls itself", callee.name);
                self.cut(state, Why::Uncovered(what));
                return Ok(Went::Over);
            }
            let Some(cells) = state.memory[id as usize].clone() else { continue };
            let mut cells: Cells = (*cells).clone();
            for unit in units.iter() {
                let word = self.c.input(8 * unit.bytes as u32);
                cells.write(&mut self.objects, &mut self.c, self.plain, unit.at, &word, Lit::TRUE);
            }
            state.memory[id as usize] = Some(Rc::new(cells));
        }
        let mut given: Option<Word> = None;
        if let Some(local) = result {
            let ty = self.function(state.top().function).locals[local.index()].ty;
            let bits = self.class(ty).bits();
            let word = self.c.input(bits);
            given = Some(word.clone());
            self.set(state, local, word.into());
        }
        if let Some(mut entered) = entered {
            let objects = std::mem::take(&mut entered.top().objects);
            objects.iter().for_each(|&o| entered.memory[o as usize] = None);
            if given.is_none() {
                given = self.result_bits(f).map(|bits| self.c.input(bits));
            }
            self.passed((entered, words), state, f, given);
        }
        Ok(Went::On)
    }

    /// What a function and all that it may call write.
    pub(crate) fn effects(&mut self, f: FuncId) -> Effects {
        if let Some(known) = self.cutting.as_ref().and_then(|c| c.effects.get(&f)) {
            return known.clone();
        }
        let found = Rc::new(self.effects_of(f));
        if let Some(cutting) = &mut self.cutting {
            cutting.effects.insert(f, found.clone());
        }
        found
    }

    fn effects_of(&self, f: FuncId) -> Result<Vec<usize>, String> {
        let mut seen = vec![false; self.program.functions.len()];
        let mut todo = vec![f];
        let mut out: Vec<usize> = Vec::new();
        while let Some(f) = todo.pop() {
            if std::mem::replace(&mut seen[f.index()], true) {
                continue;
            }
            let function = self.function(f);
            let name = &function.name;
            if !function.has_body() {
                let quiet =
                    name.starts_with("__VERIFIER_nondet_") || QUIET.contains(&name.as_str());
                let quiet = quiet && !(self.counts_printed && name.ends_with("printf"));
                if !quiet {
                    return Err(format!("`{name}` is called by a function that calls itself"));
                }
                continue;
            }
            for stmt in function.blocks.iter().flat_map(|b| &b.stmts) {
                let to = match &stmt.kind {
                    StmtKind::Store { to, .. }
                    | StmtKind::StoreBits { to, .. }
                    | StmtKind::Copy { to, .. }
                    | StmtKind::Zero { to, .. } => *to,
                    StmtKind::Call(call) => {
                        match call.callee {
                            Callee::Direct(g) => todo.push(g),
                            Callee::Indirect(_) => {
                                return Err(format!(
                                    "`{name}` calls through a pointer below a function that calls itself"
                                ));
                            }
                        }
                        if let Some(at) = call.result_at {
                            written(function, at, &mut out)?;
                        }
                        continue;
                    }
                    StmtKind::Set(..)
                    | StmtKind::Eval(_)
                    | StmtKind::Within { .. }
                    | StmtKind::Begin(_)
                    | StmtKind::Alive(_)
                    | StmtKind::Leave(_)
                    | StmtKind::Mark(_)
                    | StmtKind::Overflow { .. } => continue,
                    _ => {
                        return Err(format!(
                            "what `{name}` does is not followed below a function that calls itself"
                        ));
                    }
                };
                written(function, to, &mut out)?;
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }
}

/// Notes the static object that an address is one of; a local's own object is gone after the call.
fn written(function: &Function, address: ExprId, out: &mut Vec<usize>) -> Result<(), String> {
    let mut at = address;
    loop {
        match function.expr(at).kind {
            ExprKind::Root(Root::Object(o)) => {
                out.push(o.index());
                return Ok(());
            }
            ExprKind::AddressOf(_) => return Ok(()),
            ExprKind::Convert(a) => at = a,
            ExprKind::Binary(c_data::BinOp::Add, a, _) => at = a,
            _ => {
                return Err(format!(
                    "`{}` writes through a pointer below a function that calls itself",
                    function.name
                ));
            }
        }
    }
}
