//! What the program's surroundings call: callbacks, handlers, and functions that run by themselves. As
//! `front_c` lowers them (O1–O4 there), for values that are in globals. Rule VP8.
//!
//! That is so for rules about values that there are or are not (`assume`): memory, files. What a callback does
//! to a lock may be done by another thread, which waits.
//!
//! Other callbacks cannot meet a value that is followed from elsewhere: they are functions that the
//! program starts with.

use super::{Act, At, Maker, Start};
use crate::dfa::Dfa;
use crate::paths::Root;
use crate::relevance::Memory;
use front_c::{FuncId, Next, ObjectId, calls_back};
use ir::{EdgeKind, Exprs, NodeId, ProcId, Rel};
use rustc_hash::FxHashSet;

/// What is called from outside.
#[derive(Default)]
pub(super) struct Outside {
    /// The functions.
    pub(super) callbacks: Vec<FuncId>,
    /// Those that run before and behind `main`.
    pub(super) by_itself: Vec<FuncId>,
    /// Something runs when the program ends.
    pub(super) at_exit: bool,
    /// The procedure that calls them.
    pub(super) proc: Option<ProcId>,
}

impl Maker<'_> {
    /// Finds what may be called from outside.
    pub(super) fn look_outside(&mut self) {
        if self.rule.by_function || self.rule.assume.is_none() {
            return;
        }
        let s = self.s;
        let entered = |f: &FuncId| self.f.is_entered(*f);
        self.outside.by_itself = s
            .bodies
            .iter()
            .map(|b| b.func)
            .filter(|f| s.funcs[f.index()].by_itself && entered(f))
            .collect();
        self.outside.at_exit =
            self.mentions.iter().any(|m| m.later) || !self.outside.by_itself.is_empty();
        let touching = self.touching();
        let mut callbacks: Vec<FuncId> =
            s.given_away.iter().chain(&self.outside.by_itself).copied().collect();
        callbacks.retain(|f| entered(f) && touching.contains(f));
        if self.relevance.memory == Memory::One {
            // What runs once is not run again: what it stored would be lost.
            callbacks.retain(|f| !self.outside.by_itself.contains(f));
        }
        callbacks.sort_unstable();
        callbacks.dedup();
        let called = self.mentions.iter().any(|m| m.leads_outside(self.outside.at_exit));
        if called || self.outside.at_exit {
            self.outside.callbacks = callbacks;
        }
    }

    /// Functions that have to do with globals that can hold the value, or are left by `longjmp`; those that
    /// they call included.
    fn touching(&self) -> FxHashSet<FuncId> {
        let s = self.s;
        let global = |o: ObjectId| {
            let known = self.paths.object_known(o).or_else(|| self.paths.whole(s, o));
            known.is_some_and(|p| {
                matches!(self.paths.root(p), Root::Var(v) if !s.objects[v.index()].automatic)
                    && self.extensions.contains_key(&p)
            })
        };
        let mut out: FxHashSet<FuncId> = FxHashSet::default();
        let (callers, _) = self.callers();
        let mut todo: Vec<FuncId> = Vec::new();
        for (body, mentions) in s.bodies.iter().zip(self.mentions.iter()) {
            if self.f.is_opaque(body.func) {
                continue;
            }
            let touches = mentions.jumps || mentions.others.iter().any(|o| global(*o));
            if touches && out.insert(body.func) {
                todo.push(body.func);
            }
        }
        while let Some(g) = todo.pop() {
            for &caller in callers.get(&g).into_iter().flatten() {
                if out.insert(caller) {
                    todo.push(caller);
                }
            }
        }
        out
    }

    /// Whether a target of a call may call back.
    pub(super) fn goes_outside(&self, target: Option<FuncId>) -> bool {
        let Some(f) = target else { return true };
        let func = &self.s.funcs[f.index()];
        !self.f.is_opaque(f)
            && self.s.body(f).is_none()
            && (calls_back(&func.name) || (self.outside.at_exit && func.noreturn))
    }

    /// Declares the procedure that makes the calls, if there are any to make.
    pub(super) fn declare_outside(&mut self) {
        if !self.outside.callbacks.is_empty() {
            let at = self.b.no_origin();
            self.outside.proc = Some(self.b.proc("(outside)", at));
        }
    }

    /// The procedure that makes the calls.
    pub(super) fn outside_body(&mut self, dfa: &Dfa) {
        let Some(proc) = self.outside.proc else { return };
        let starts = self.starts(&self.outside.callbacks.clone());
        self.b.begin_proc(proc);
        let (start, end) = (self.b.silent(), self.b.silent());
        self.b.entry(proc, start);
        let quiet = |target, rel| EdgeKind::Local { target, rel };
        self.edge(start, quiet(end, Rel::identity()), false, None);
        // Behind a callback it goes on, unless that was left by a jump.
        let mut again = start;
        if let Some(jumping) = self.jumping {
            again = self.b.silent();
            let flag = self.b.exprs.pre(jumping);
            let not = self.b.exprs.not(flag);
            self.edge(again, quiet(start, Rel::guarded(not, 0)), false, None);
            self.edge(again, quiet(end, Rel::guarded(flag, 0)), false, None);
        }
        for callback in &starts {
            self.start_edge(start, again, callback, Exprs::FALSE, dfa);
        }
        self.edge(end, EdgeKind::Return { rel: Rel::identity() }, false, None);
    }

    /// A node that goes on to another one, perhaps with callbacks on its way. What the callbacks change in
    /// globals is seen by the other names of these.
    pub(super) fn by_way_of_outside(
        &mut self,
        at: At,
        func: FuncId,
        target: NodeId,
        after: &Act,
        to: &dyn Fn(Next) -> NodeId,
        dfa: &Dfa,
    ) -> NodeId {
        let Some(outside) = self.outside.proc else { return target };
        let node = self.b.silent();
        self.edge(node, EdgeKind::Local { target, rel: Rel::identity() }, false, None);
        let mut ret = target;
        if !after.is_trivial() {
            ret = self.b.silent();
            let (rel, _) = self.relation(after, Some(func), dfa);
            self.edge(ret, EdgeKind::Local { target, rel }, false, None);
        }
        if let Some(jumping) = self.jumping
            && self.outside.callbacks.iter().any(|f| self.may_jump.contains(f))
        {
            ret = self.landing(at, func, jumping, Some(ret), to);
        }
        let call = ir::Call { callee: outside, enter: Rel::identity(), ret, back: Rel::identity() };
        self.edge(node, EdgeKind::Call(Box::new(call)), false, None);
        node
    }

    /// What the frame at hand learns when callbacks are through.
    pub(super) fn after_outside(&mut self, func: FuncId) -> Act {
        let mut act = Act::default();
        if self.outside.callbacks.is_empty() {
            return act;
        }
        self.refresh(&mut act, func, &[]);
        act
    }

    /// Calls of functions from outside: with what values they begin.
    pub(super) fn starts(&mut self, list: &[FuncId]) -> Vec<Start> {
        let known = std::mem::take(&mut self.started);
        let list: FxHashSet<FuncId> = list.iter().copied().collect();
        let out = known.iter().filter(|(g, ..)| list.contains(g)).cloned().collect();
        self.started = known;
        out
    }
}
