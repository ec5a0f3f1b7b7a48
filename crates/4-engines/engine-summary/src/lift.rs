//! Calls as relations of the caller: `Lift_c` of [bebop §3.1].
//!
//! A summary is lifted to each call once per part and applied as an ordinary relation from then on.
//! So what stays in the caller's frame takes no part: a lifted summary mentions only what the call
//! changes and what that depends on.

use bdd::{Bdd, Manager, SpecId, Stop};
use ir::{Call, NodeId, VarId};
use symbolic::{CallParts, CallRelation, Context, Copies, Copy};

/// A compiled call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallRel {
    /// From `Pre` of the caller to `Inner` of the callee, and `Saved` where the call changes the
    /// caller's frame.
    pub(crate) enter: Bdd,
    /// Applied to states of the caller: leaves `Pre` of the callee's entry variables.
    pub(crate) enter_spec: SpecId,
    /// Applied to summaries with `enter`: leaves a relation from `Pre` to `Exit` and `Saved`, or to
    /// `Post` if nothing else happens on the way back.
    pub(crate) lift_spec: SpecId,
    /// From `Exit`, `Saved` and `Pre` to `Post`.
    pub(crate) back: Bdd,
    /// Applied to the lifted summary with `back`: leaves a relation from `Pre` to `Post`. `None` if
    /// `back` is true: one pass over a summary is enough then.
    pub(crate) back_spec: Option<SpecId>,
    /// Applied to states of the caller with the finished relation.
    pub(crate) jump_spec: SpecId,
}

impl CallRelation for CallRel {
    /// Calls are applied to states without their `Entry` copy, or to summaries.
    const COPIES: Copies = Copies::FIVE;

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
        let parts = CallParts::new(context, call);
        let enter = context.enter(m, call)?;
        let back = context.back(m, call, &parts.saved)?;
        let live_here = || context.live.vars(&context.program, source);
        let live_after = |v: VarId| context.live.contains(call.ret, v);

        // States of the caller to entry states of the callee.
        let mut quantify = parts.unseen(context);
        let own = live_here().filter(|v| !parts.shared.contains(v));
        quantify.extend(context.bits(Copy::Pre, own));
        quantify.extend(context.bits(Copy::Saved, parts.saved.iter().copied()));
        let rename = context.pairs(Copy::Inner, Copy::Pre, parts.own.iter().copied());
        let enter_spec = m.spec(&quantify, &rename);

        // Summaries of the callee to relations of the caller.
        let mut lift_quantify = parts.unseen(context);
        lift_quantify.extend(context.bits(Copy::Inner, parts.own.iter().copied()));
        let mut lift_rename = context.pairs(Copy::Inner, Copy::Pre, parts.shared.iter().copied());
        let is_kept = |v: &VarId| !parts.back_assigned.contains(v) && live_after(*v);
        let (kept_exit, gone_exit): (Vec<VarId>, Vec<VarId>) = context.exit_vars[call.callee]
            .iter()
            .copied()
            .partition(|v| context.is_global(*v) && is_kept(v));
        let (kept_saved, gone_saved): (Vec<VarId>, Vec<VarId>) =
            parts.saved.iter().copied().partition(is_kept);
        let mut quantify: Vec<u32> = context.bits(Copy::Exit, gone_exit).collect();
        quantify.extend(context.bits(Copy::Saved, gone_saved));
        let mut rename = context.pairs(Copy::Exit, Copy::Post, kept_exit);
        rename.extend(context.pairs(Copy::Saved, Copy::Post, kept_saved));
        let back_spec = if back.is_true() {
            lift_quantify.extend(quantify);
            lift_rename.extend(rename);
            None
        } else {
            Some(m.spec(&quantify, &rename))
        };
        let lift_spec = m.spec(&lift_quantify, &lift_rename);

        // States of the caller over a lifted summary.
        let changed = changed(context, call, &parts);
        let gone = live_here().filter(|v| !live_after(*v) || changed.contains(v));
        let mut quantify: Vec<u32> = context.bits(Copy::Pre, gone).collect();
        let dead_targets = parts.back_assigned.iter().copied().filter(|v| !live_after(*v));
        quantify.extend(context.bits(Copy::Post, dead_targets));
        let rename = context.pairs(Copy::Post, Copy::Pre, changed);
        let jump_spec = m.spec(&quantify, &rename);
        Ok(CallRel { enter, enter_spec, lift_spec, back, back_spec, jump_spec })
    }
}

/// The variables whose value after the call is that of a lifted summary's `Post` copy.
pub(crate) fn changed(context: &Context, call: &Call, parts: &CallParts) -> Vec<VarId> {
    let exit_globals = context.exit_vars[call.callee].iter().filter(|v| context.is_global(**v));
    let mut changed: Vec<VarId> = exit_globals
        .chain(&parts.back_assigned)
        .chain(&parts.saved)
        .copied()
        .filter(|&v| context.live.contains(call.ret, v))
        .collect();
    changed.sort_unstable();
    changed.dedup();
    changed
}
