//! Single states: out of a set, as literals, and as traces show them.

use crate::halt::Halt;
use crate::relation::CallParts;
use crate::rings::Pair;
use crate::slots::Copy;
use crate::system::{CallRelation, Compiled, System};
use bdd::{Bdd, Stop};
use check::Partial;
use ir::{EdgeId, EdgeKind, NodeId, Program, VarId, VarKind};

/// The bits of the live variables at a node, in order.
pub type State = Vec<bool>;

impl<C: CallRelation> System<C> {
    /// A state out of a set that is not empty: values for the live variables of a node.
    pub fn pick(&self, states: Bdd, node: NodeId) -> Result<State, Halt> {
        let context = &self.context;
        let vars = context.live.vars(&context.program, node);
        let bits: Vec<u32> = context.bits(Copy::Pre, vars).collect();
        match self.m.pick_minterm(states, &bits) {
            Some(values) => Ok(values.into_iter().map(|v| v.1).collect()),
            None => Err(Halt::internal("a state of a trace has no predecessor")),
        }
    }

    /// The live variables of a node with the bits of their values.
    fn values<'s>(
        &'s self,
        node: NodeId,
        state: &'s State,
    ) -> impl Iterator<Item = (VarId, &'s [bool])> {
        let mut rest = state.as_slice();
        self.context.live.vars(&self.context.program, node).map(move |var| {
            let count = self.context.slots.layout.slot(var).bits().len();
            let (bits, tail) = rest.split_at(count);
            rest = tail;
            (var, bits)
        })
    }

    /// That a state has its values, each variable in the copy that is asked for, if any.
    pub fn fixed(
        &mut self,
        node: NodeId,
        state: &State,
        copy: impl Fn(VarId) -> Option<Copy>,
    ) -> Result<Bdd, Stop> {
        let mut literals = Vec::new();
        for (var, bits) in self.values(node, state) {
            if let Some(copy) = copy(var) {
                literals.extend(self.context.slots.bits(copy, var).zip(bits.iter().copied()));
            }
        }
        self.m.literals(&literals)
    }

    /// A state out of `states` from which the step `e` leads to `state` at `here`.
    pub(crate) fn before_step(
        &mut self,
        e: EdgeId,
        states: Bdd,
        here: NodeId,
        state: &State,
    ) -> Result<State, Halt> {
        let program = self.program.clone();
        let (EdgeKind::Local { rel, .. }, Compiled::Local(step)) =
            (&program.edges[e].kind, self.compile(e)?)
        else {
            unreachable!("a step")
        };
        let assigned = |var| rel.assigns.iter().any(|a| a.var == var);
        let fixed = self
            .fixed(here, state, |var| Some(if assigned(var) { Copy::Post } else { Copy::Pre }))?;
        let possible = self.m.and(states, fixed)?;
        let mut possible = self.m.and(possible, step.rel)?;
        for part in step.more.iter().flat_map(|more| more.iter()) {
            possible = self.m.and(possible, part.rel)?;
        }
        self.pick(possible, program.edges[e].source)
    }

    /// A state out of `states` from which the call `e` enters with `state`.
    pub(crate) fn before_entering(
        &mut self,
        e: EdgeId,
        states: Bdd,
        state: &State,
    ) -> Result<State, Halt> {
        let program = self.program.clone();
        let EdgeKind::Call(call) = &program.edges[e].kind else { unreachable!("a call") };
        let enter = self.site(e)?.rel.enter();
        let parts = CallParts::new(&self.context, call);
        let fixed = self.fixed(program.procs[call.callee].entry, state, |var| {
            if parts.own.contains(&var) {
                Some(Copy::Inner)
            } else {
                parts.shared.contains(&var).then_some(Copy::Pre)
            }
        })?;
        let possible = self.m.and(states, fixed)?;
        let possible = self.m.and(possible, enter)?;
        self.pick(possible, program.edges[e].source)
    }

    /// The states from which the return `e` leaves as the pair says.
    pub(crate) fn leaving(&mut self, e: EdgeId, pair: &Pair) -> Result<Bdd, Halt> {
        let program = self.program.clone();
        let (Compiled::Return(ret), EdgeKind::Return { rel }) =
            (self.compile(e)?, &program.edges[e].kind)
        else {
            unreachable!("a segment ends with a return")
        };
        let mut literals = Vec::new();
        let mut values = pair.exit.iter().copied();
        for &var in &self.context.exit_vars[pair.proc] {
            let assigned = rel.assigns.iter().any(|a| a.var == var);
            let is_result = matches!(program.vars[var].kind, VarKind::Result(_));
            let copy = if assigned || is_result { Copy::Exit } else { Copy::Pre };
            literals.extend(self.context.slots.bits(copy, var).zip(values.by_ref()));
        }
        let fixed = self.m.literals(&literals)?;
        // Only the values before the return remain.
        let exit = self.context.exit_vars[pair.proc].iter().copied();
        let exit: Vec<u32> = self.context.bits(Copy::Exit, exit).collect();
        let cube = self.m.cube(&exit)?;
        Ok(self.m.and_exists(ret.rel, fixed, cube)?)
    }

    /// A state as traces show it.
    pub fn partial(&self, node: NodeId, state: &State) -> Partial {
        let layout = &self.context.slots.layout;
        let proc = self.program.nodes[node].proc;
        let mut out = Partial::unknown(layout.global_bits + layout.frame_bits[proc]);
        for (var, bits) in self.values(node, state) {
            let base = base(&self.program, layout, var);
            for (bit, &value) in layout.slot(var).bits().zip(bits.iter()) {
                out.set(base + bit, Some(value));
            }
        }
        out
    }

    /// What a pair leaves with, as traces show it.
    pub(crate) fn exit_partial(&self, pair: &Pair) -> Partial {
        let layout = &self.context.slots.layout;
        let mut out = Partial::unknown(layout.global_bits + layout.result_bits[pair.proc]);
        let mut values = pair.exit.iter().copied();
        for &var in &self.context.exit_vars[pair.proc] {
            let base = base(&self.program, layout, var);
            for bit in layout.slot(var).bits() {
                out.set(base + bit, values.next());
            }
        }
        out
    }
}

/// Where the area of a variable starts in a [`Partial`]: globals first, then the rest.
pub fn base(program: &Program, layout: &ir::Layout, var: VarId) -> u32 {
    match program.vars[var].kind {
        VarKind::Global => 0,
        _ => layout.global_bits,
    }
}
