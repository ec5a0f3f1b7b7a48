//! Calls as the rules of `post_star.rs` and `pre_star.rs` apply them.
//!
//! A call of `f` splits the variables of the caller in two: what `f` gets to see (its entry
//! variables) and what stays behind with the frame ([`Stays`]): locals, and globals that `f` does not
//! touch. The symbol on the stack carries the latter.

use bdd::{Bdd, Manager, SpecId, Stop};
use ir::{Call, NodeId, VarId};
use symbolic::{CallParts, CallRelation, Context, Copies, Copy};

/// A call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallRel {
    /// From `Pre` of the caller to `Inner`, and `Saved` where the call changes the caller's frame.
    pub(crate) enter: Bdd,
    /// Applied to a set over `Entry` and `Pre`, with `enter`: leaves `Entry`, `Inner`, and `Pre`
    /// of what stays behind.
    pub(crate) call: SpecId,
    /// Applied to that: leaves the callee's entry variables, as `Pre`.
    pub(crate) entries: SpecId,
    /// Applied to what `call` leaves, with the callee's summary (`Inner` to `Exit`): leaves what
    /// `back` starts from, or the set over `Entry` and `Pre` after the call if there is no `back`.
    pub(crate) jump: SpecId,
    /// From `Exit` and `Pre` to `Post`.
    pub(crate) back: Bdd,
    /// Applied with `back`: leaves `Entry` and `Pre`. `None`: nothing happens on the way back.
    pub(crate) back_image: Option<SpecId>,
}

/// A call, backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallBackRel {
    /// Applied to a set over `Pre` at the return node: what the callee left becomes `Exit`, what
    /// `back` assigns `Post`.
    pub(crate) arrive: SpecId,
    /// Applied to that, with `back`: leaves `Exit` and `Pre` of what stayed behind.
    pub(crate) wait: SpecId,
    /// Applied to that, with the callee's summary: leaves `Inner` (what the callee shares with the
    /// caller: `Pre`), `Saved` and `Pre`.
    pub(crate) over: SpecId,
    /// Applied to a set over `Pre` at the callee's entry: the same.
    pub(crate) into: SpecId,
    /// Applied to a condition on the saved frame: over `Saved` where the call changes it.
    pub(crate) saved: SpecId,
    /// Applied to the result of `over` or `into`, with `enter`: leaves `Pre` of the caller.
    pub(crate) leave: SpecId,
}

impl CallRelation for CallRel {
    const COPIES: Copies = Copies::SIX;

    fn enter(&self) -> Bdd {
        self.enter
    }

    fn back(&self) -> Bdd {
        self.back
    }

    fn new(
        context: &Context,
        m: &mut Manager,
        source: NodeId,
        call: &Call,
    ) -> Result<CallRel, Stop> {
        let enter = context.enter(m, call)?;
        let back = context.back(m, call, &[])?;
        let parts = CallParts::new(context, call);
        let stays = Stays::new(context, m, call, back);
        let proc = context.program.nodes[source].proc;
        let live_after = |v: VarId| context.live.contains(call.ret, v);

        let mut quantify = parts.unseen(context);
        for var in context.live.vars(&context.program, source) {
            let stays = stays.kept.contains(&var) && !parts.saved.contains(&var);
            if !stays && !parts.shared.contains(&var) {
                quantify.extend(context.slots.bits(Copy::Pre, var));
            }
        }
        let (saved, gone): (Vec<VarId>, Vec<VarId>) =
            parts.saved.iter().copied().partition(|v| stays.kept.contains(v));
        quantify.extend(context.bits(Copy::Saved, gone));
        let mut rename = context.pairs(Copy::Saved, Copy::Pre, saved);
        rename.extend(context.pairs(Copy::Pre, Copy::Inner, parts.shared.iter().copied()));
        let spec = m.spec(&quantify, &rename);

        let mut quantify: Vec<u32> =
            context.bits(Copy::Entry, context.entry_vars[proc].iter().copied()).collect();
        quantify.extend(context.bits(Copy::Pre, stays.kept.iter().copied()));
        let entry = &context.entry_vars[call.callee];
        let rename = context.pairs(Copy::Inner, Copy::Pre, entry.iter().copied());
        let entries = m.spec(&quantify, &rename);

        // The jump, and the way back as part of it or after it.
        let hidden = entry.iter().copied().filter(|v| !stays.returned.contains(v));
        let mut quantify: Vec<u32> = context.bits(Copy::Inner, hidden).collect();
        let mut rename = context.pairs(Copy::Inner, Copy::Pre, stays.returned.iter().copied());
        let mut after_quantify: Vec<u32> = Vec::new();
        let mut after_rename: Vec<(u32, u32)> = Vec::new();
        for &var in &context.exit_vars[call.callee] {
            let passes =
                context.is_global(var) && live_after(var) && !parts.back_assigned.contains(&var);
            match passes {
                true => after_rename.extend(context.pairs(Copy::Exit, Copy::Pre, [var])),
                false => after_quantify.extend(context.slots.bits(Copy::Exit, var)),
            }
        }
        for &var in stays.kept.iter().chain(&stays.returned) {
            if !live_after(var) || parts.back_assigned.contains(&var) {
                after_quantify.extend(context.slots.bits(Copy::Pre, var));
            }
        }
        for &var in &parts.back_assigned {
            match live_after(var) {
                true => after_rename.extend(context.pairs(Copy::Post, Copy::Pre, [var])),
                false => after_quantify.extend(context.slots.bits(Copy::Post, var)),
            }
        }
        let back_image = if back == Bdd::TRUE && parts.back_assigned.is_empty() {
            quantify.append(&mut after_quantify);
            rename.append(&mut after_rename);
            None
        } else {
            Some(m.spec(&after_quantify, &after_rename))
        };
        let jump = m.spec(&quantify, &rename);
        Ok(CallRel { enter, call: spec, entries, jump, back, back_image })
    }
}

impl CallBackRel {
    /// The same call, backwards.
    pub(crate) fn new(context: &Context, m: &mut Manager, call: &Call) -> CallBackRel {
        let parts = CallParts::new(context, call);
        let live_after = |v: VarId| context.live.contains(call.ret, v);
        let exit = &context.exit_vars[call.callee];
        let entry = &context.entry_vars[call.callee];

        let assigned = parts.back_assigned.iter().copied();
        let mut rename =
            context.pairs(Copy::Pre, Copy::Post, assigned.clone().filter(|&v| live_after(v)));
        let left = exit.iter().copied();
        let left = left.filter(|v| context.is_global(*v) && !parts.back_assigned.contains(v));
        rename.extend(context.pairs(Copy::Pre, Copy::Exit, left));
        let arrive = m.spec(&[], &rename);

        let after: Vec<u32> = context.bits(Copy::Post, assigned).collect();
        let wait = m.spec(&after, &[]);

        let saved = context.pairs(Copy::Pre, Copy::Saved, parts.saved.iter().copied());
        let quantify: Vec<u32> = context.bits(Copy::Exit, exit.iter().copied()).collect();
        let mut rename = context.pairs(Copy::Inner, Copy::Pre, parts.shared.iter().copied());
        rename.extend(&saved);
        let over = m.spec(&quantify, &rename);

        // At the callee's entry, all of its locals give way to those of the caller.
        let entry_node = context.program.procs[call.callee].entry;
        let open = context.live.vars(&context.program, entry_node).filter(|v| !entry.contains(v));
        let quantify: Vec<u32> = context.bits(Copy::Pre, open).collect();
        let into =
            m.spec(&quantify, &context.pairs(Copy::Pre, Copy::Inner, parts.own.iter().copied()));
        let saved = m.spec(&[], &saved);

        let mut quantify = parts.unseen(context);
        quantify.extend(context.bits(Copy::Inner, parts.own.iter().copied()));
        quantify.extend(context.bits(Copy::Saved, parts.saved.iter().copied()));
        let leave = m.spec(&quantify, &[]);
        CallBackRel { arrive, wait, over, into, saved, leave }
    }
}

/// What a call leaves alone, as far as it is needed after it.
pub(crate) struct Stays {
    /// With the frame: needed after the call, and neither modified nor seen by the callee.
    pub(crate) kept: Vec<VarId>,
    /// Globals that the callee sees and cannot modify.
    pub(crate) returned: Vec<VarId>,
}

impl Stays {
    /// `back` is the relation of the way back.
    pub(crate) fn new(context: &Context, m: &Manager, call: &Call, back: Bdd) -> Stays {
        let entry = &context.entry_vars[call.callee];
        let program = &context.program;
        let support = m.support(back);
        let needed = |v: VarId| {
            let assigned = || call.back.assigns.iter().any(|a| a.var == v);
            let reads = |bit: u32| support.binary_search(&bit).is_ok();
            context.live.contains(call.ret, v) && !assigned()
                || context.slots.bits(Copy::Pre, v).any(reads)
        };
        let caller = program.nodes[call.ret].proc;
        let globals = || {
            let all = program.globals.iter().copied();
            all.filter(|&g| !context.mod_ref.modifies(call.callee, g) && needed(g))
        };
        let mut kept: Vec<VarId> = globals().filter(|g| !entry.contains(g)).collect();
        let locals = program.procs[caller].locals.iter().copied();
        kept.extend(locals.filter(|&v| context.whole_frames || needed(v)));
        Stays { kept, returned: globals().filter(|g| entry.contains(g)).collect() }
    }
}
