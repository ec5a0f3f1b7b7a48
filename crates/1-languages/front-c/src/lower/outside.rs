//! What the program's surroundings call: callbacks, handlers, and functions that run by themselves.
//!
//! - O1. A function without a body may call, any number of times, whichever functions of the program were
//!   given away ([`crate::Skeleton::given_away`]), unless it is known to call nobody. They are called by one
//!   procedure, `(outside)`.
//! - O2. Constructors run before `main`, destructors and what `atexit` was given behind it, and where the
//!   program is ended.
//! - O3. A `longjmp` out of a callback goes on behind the call that led there.
//! - O4. A handler for signals, or another thread, runs where it is registered, and wherever else a
//!   function may call back. What it assigns may change at any time ([`crate::Effects`]); if it leaves by
//!   `longjmp`, control may come out of `setjmp` in any state.

use super::{Here, Lowering};
use crate::library::{calls_back, runs_at_exit};
use crate::objects::FuncId;
use crate::skeleton::{Call, Flow};
use ir::{Edge, EdgeKind, Exprs, NodeId, ProcId, Rel};

impl Lowering<'_> {
    /// Finds out what may be called from outside, and declares the procedure that does it.
    pub(super) fn look_outside(&mut self) {
        let s = self.skeleton;
        let has = |f: &FuncId| self.proc[f.index()].is_some();
        self.callbacks = s.given_away.iter().copied().filter(has).collect();
        let by_itself = s.bodies.iter().map(|b| b.func).filter(|f| s.funcs[f.index()].by_itself);
        self.by_itself = by_itself.filter(has).collect();
        let later = s.bodies.iter().flat_map(|b| &b.points).any(|p| match &p.flow {
            Flow::Call(call) => call.targets.iter().any(|f| runs_at_exit(&s.funcs[f.index()].name)),
            _ => false,
        });
        self.at_exit = later || !self.by_itself.is_empty();
        self.callbacks.extend(self.by_itself.iter().copied());
        self.callbacks.sort_unstable();
        self.callbacks.dedup();
        let called = s.bodies.iter().flat_map(|b| &b.points).any(|p| match &p.flow {
            Flow::Call(call) => self.leads_outside(call),
            _ => false,
        });
        if !self.callbacks.is_empty() && (called || self.at_exit) {
            let at = self.b.no_origin();
            self.outside = Some(self.b.proc("(outside)", at));
        } else {
            self.callbacks.clear();
        }
    }

    /// Whether a call may lead to a callback.
    pub(super) fn leads_outside(&self, call: &Call) -> bool {
        call.open
            || call.targets.is_empty()
            || call.targets.iter().any(|&f| self.goes_outside(Some(f)))
    }

    /// Whether a target of a call may call back.
    pub(super) fn goes_outside(&self, target: Option<FuncId>) -> bool {
        let Some(f) = target else { return true };
        let func = &self.skeleton.funcs[f.index()];
        // A function that rules speak of is an event only, whatever its body does.
        self.proc[f.index()].is_none()
            && func.body.is_none()
            && (calls_back(&func.name) || (self.at_exit && func.noreturn))
    }

    /// The body of `(outside)`.
    pub(super) fn outside_body(&mut self) {
        let Some(proc) = self.outside else { return };
        self.b.begin_proc(proc);
        let (start, end) = (self.b.silent(), self.b.silent());
        self.b.entry(proc, start);
        let events = self.b.no_events();
        let quiet = |source, target, rel| {
            let kind = EdgeKind::Local { target, rel };
            Edge { source, kind, step: false, events, marks: 0 }
        };
        self.b.edge(quiet(start, end, Rel::identity()));
        // Behind a callback it goes on, unless that was left by a jump, or the program ends.
        let flags: Vec<_> = [self.jumping, self.exiting].into_iter().flatten().collect();
        let again = match flags.is_empty() {
            true => start,
            false => self.b.silent(),
        };
        if again != start {
            let mut left = Exprs::FALSE;
            for flag in flags {
                let flag = self.b.exprs.pre(flag);
                left = self.b.exprs.or(left, flag);
            }
            let goes_on = self.b.exprs.not(left);
            self.b.edge(quiet(again, start, Rel::guarded(goes_on, 0)));
            self.b.edge(quiet(again, end, Rel::guarded(left, 0)));
        }
        for f in self.callbacks.clone() {
            if let Some(callee) = self.proc[f.index()] {
                self.quiet_call(start, callee, again);
            }
        }
        self.b.ret(end, Rel::identity(), false);
    }

    pub(super) fn quiet_call(&mut self, source: NodeId, callee: ProcId, ret: NodeId) {
        let call = ir::Call { callee, enter: Rel::identity(), ret, back: Rel::identity() };
        let (kind, events) = (EdgeKind::Call(Box::new(call)), self.b.no_events());
        self.b.edge(Edge { source, kind, step: false, events, marks: 0 });
    }

    /// A node that goes on to another one, perhaps with callbacks on its way.
    pub(super) fn by_way_of_outside(&mut self, here: &mut Here<'_>, to: NodeId) -> NodeId {
        let Some(outside) = self.outside else { return to };
        let node = self.b.silent();
        self.edge(node, to, Rel::identity(), &[], false);
        let mut ret = to;
        if let Some(jumping) = self.jumping.filter(|_| self.callbacks_leave(true)) {
            ret = self.landing(here, jumping, ret);
        }
        if let Some(exiting) = self.exiting.filter(|_| self.callbacks_leave(false)) {
            ret = self.leaving(here, exiting, ret);
        }
        self.quiet_call(node, outside, ret);
        node
    }

    /// Whether a callback may be left by a jump, or end the program.
    pub(super) fn callbacks_leave(&self, jump: bool) -> bool {
        let left = if jump { &self.may_jump } else { &self.may_exit };
        self.callbacks.iter().any(|f| left.contains(f))
    }

    /// The procedure that runs the whole program: what runs by itself, the entry, and what runs at the
    /// end (O2).
    pub(super) fn whole(&mut self, entry: ProcId) -> ProcId {
        let Some(outside) = self.outside.filter(|_| self.at_exit) else { return entry };
        let at = self.b.no_origin();
        let proc = self.b.proc("(program)", at);
        self.b.begin_proc(proc);
        let (start, middle, end, last) =
            (self.b.silent(), self.b.silent(), self.b.silent(), self.b.silent());
        self.b.entry(proc, start);
        for f in self.by_itself.clone() {
            if let Some(callee) = self.proc[f.index()] {
                self.quiet_call(start, callee, start);
            }
        }
        self.edge(start, middle, Rel::identity(), &[], false);
        self.quiet_call(middle, entry, end);
        // What runs at the end is not about to end itself.
        let mut rel = Rel::identity();
        if let Some(exiting) = self.exiting {
            crate::keep::push(&mut rel, exiting, Some(Exprs::FALSE));
        }
        let over = self.b.silent();
        self.edge(end, over, rel, &[], false);
        self.quiet_call(over, outside, last);
        self.b.ret(last, Rel::identity(), false);
        proc
    }
}
