//! Edges as relations between copies of the slots.
//!
//! A relation mentions only what it changes and what that depends on; what it leaves alone stays
//! in place. So each compiled edge is a diagram and a specification of which variables to quantify
//! and which to rename when it is applied ([`bdd::Manager::image`]). Variables that are not live
//! at the target are left out altogether.

use crate::slots::{Copy, Slots};
use analysis::{Live, ModRef, Order};
use bdd::{Bdd, Manager, SpecId, Stop};
use ir::blast::{Algebra, BlastedRel, blast_rel};
use ir::{
    Assign, Call, EdgeKind, Expr, Exprs, IndexVec, NodeId, ProcId, Program, Rel, Time, VarId,
    VarKind,
};

/// What the compiler looks at.
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) slots: Slots,
    pub(crate) live: Live,
    pub(crate) mod_ref: ModRef,
    /// For each procedure, the variables whose values at entry can matter: those that calls
    /// determine and that are live there. Empty for a procedure that no call enters.
    pub(crate) entry_vars: IndexVec<ProcId, Vec<VarId>>,
    /// For each procedure, the globals it may modify and results, as far as live at its exit.
    pub(crate) exit_vars: IndexVec<ProcId, Vec<VarId>>,
}

/// A relation ready to be applied to a set over `Pre` (and `Entry`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) rel: Bdd,
    pub(crate) spec: SpecId,
    /// Applying it changes nothing.
    pub(crate) identity: bool,
}

/// A compiled call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallRel {
    /// From `Pre` of the caller to `Entry` of the callee, and `Saved` where the call changes the
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

impl<'a> Context<'a> {
    pub(crate) fn new(
        program: &'a Program,
        live: Live,
        mod_ref: ModRef,
        order: Order,
    ) -> Context<'a> {
        let mut determined: IndexVec<VarId, bool> = IndexVec::filled(false, program.vars.len());
        let mut called: IndexVec<ProcId, bool> = IndexVec::filled(false, program.procs.len());
        for edge in program.edges.iter() {
            let EdgeKind::Call(call) = &edge.kind else { continue };
            called[call.callee] = true;
            for assign in &call.enter.assigns {
                determined[assign.var] = true;
            }
            program.exprs.reads(call.enter.constraint, |time, var| {
                determined[var] |= time == Time::Post;
            });
        }
        let mut entry_vars = IndexVec::new();
        let mut exit_vars = IndexVec::new();
        for (p, proc) in program.procs.enumerate() {
            let is_global = |v: VarId| program.vars[v].kind == VarKind::Global;
            entry_vars.push(if called[p] {
                live.vars(program, proc.entry)
                    .filter(|&v| is_global(v) || determined[v])
                    .collect::<Vec<_>>()
            } else {
                Vec::new()
            });
            let globals = mod_ref.modified[p].iter().map(|g| program.globals[g]);
            exit_vars.push(
                globals
                    .chain(proc.results.iter().copied())
                    .filter(|&v| called[p] && live.at_exit(p, v))
                    .collect::<Vec<_>>(),
            );
        }
        let slots = Slots::new(program, order);
        Context { program, slots, live, mod_ref, entry_vars, exit_vars }
    }

    fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].kind == VarKind::Global
    }

    /// Diagram variables of some variables in one copy.
    pub(crate) fn bits<'v>(
        &'v self,
        copy: Copy,
        vars: impl IntoIterator<Item = VarId> + 'v,
    ) -> impl Iterator<Item = u32> + 'v {
        vars.into_iter().flat_map(move |v| self.slots.bits(copy, v))
    }

    fn pairs(
        &self,
        from: Copy,
        to: Copy,
        vars: impl IntoIterator<Item = VarId>,
    ) -> Vec<(u32, u32)> {
        vars.into_iter()
            .flat_map(|v| self.slots.bits(from, v).zip(self.slots.bits(to, v)))
            .collect()
    }

    /// The variables that `rel` assigns at `time`, and those that its constraint reads there.
    fn targets(&self, rel: &Rel, time: Time) -> (Vec<VarId>, Vec<VarId>) {
        let mut assigned: Vec<VarId> =
            rel.assigns.iter().filter(|a| a.time == time).map(|a| a.var).collect();
        assigned.sort_unstable();
        assigned.dedup();
        let mut read = Vec::new();
        if rel.constraint != Exprs::TRUE {
            self.program.exprs.reads(rel.constraint, |t, v| {
                if t == time {
                    read.push(v);
                }
            });
            read.sort_unstable();
            read.dedup();
        }
        (assigned, read)
    }

    /// A step inside a procedure, from `source` to `target`.
    pub(crate) fn step(
        &self,
        m: &mut Manager,
        source: NodeId,
        target: NodeId,
        rel: &Rel,
    ) -> Result<Step, Stop> {
        let (assigned, read) = self.targets(rel, Time::Post);
        let live_after = |v: VarId| self.live.contains(target, v);
        let changed: Vec<VarId> = assigned
            .iter()
            .copied()
            .filter(|&v| live_after(v) || read.binary_search(&v).is_ok())
            .collect();
        let diagram = self.relation(m, rel, Words::Step, &|_, v| changed.contains(&v))?;
        let mut quantify: Vec<u32> = Vec::new();
        for var in self.live.vars(self.program, source) {
            if !live_after(var) || changed.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        quantify.extend(self.bits(Copy::Post, changed.iter().copied().filter(|&v| !live_after(v))));
        let rename =
            self.pairs(Copy::Post, Copy::Pre, changed.iter().copied().filter(|&v| live_after(v)));
        let identity = diagram == Bdd::TRUE && quantify.is_empty() && rename.is_empty();
        Ok(Step { rel: diagram, spec: m.spec(&quantify, &rename), identity })
    }

    /// A return of the procedure of `source`: leaves `Entry` and `Exit`.
    pub(crate) fn ret(&self, m: &mut Manager, source: NodeId, rel: &Rel) -> Result<Step, Stop> {
        let proc = self.program.nodes[source].proc;
        let exit = &self.exit_vars[proc];
        let (assigned, read) = self.targets(rel, Time::Post);
        let wanted = |v: VarId| exit.contains(&v) || read.contains(&v);
        let diagram = self.relation(m, rel, Words::Return, &|_, v| wanted(v))?;
        let passed: Vec<VarId> =
            exit.iter().copied().filter(|v| self.is_global(*v) && !assigned.contains(v)).collect();
        let mut quantify: Vec<u32> = Vec::new();
        for var in self.live.vars(self.program, source) {
            if !passed.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        let extra = assigned.iter().chain(&read).copied().filter(|v| !exit.contains(v));
        quantify.extend(self.bits(Copy::Exit, extra));
        let rename = self.pairs(Copy::Pre, Copy::Exit, passed);
        Ok(Step { rel: diagram, spec: m.spec(&quantify, &rename), identity: false })
    }

    /// A call at `source`.
    pub(crate) fn call(
        &self,
        m: &mut Manager,
        source: NodeId,
        call: &Call,
    ) -> Result<CallRel, Stop> {
        let parts = CallParts::new(self, call);
        let entry = &self.entry_vars[call.callee];
        let enter = self.relation(m, &call.enter, Words::Enter, &|time, v| {
            time == Time::Saved || entry.contains(&v) || parts.enter_read.contains(&v)
        })?;
        let extra: Vec<u32> = self
            .bits(
                Copy::Entry,
                parts
                    .entered
                    .iter()
                    .chain(&parts.enter_read)
                    .copied()
                    .filter(|v| !entry.contains(v)),
            )
            .collect();

        // States of the caller to entry states of the callee.
        let mut quantify = extra.clone();
        for var in self.live.vars(self.program, source) {
            if !parts.shared.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        quantify.extend(self.bits(Copy::Saved, parts.saved.iter().copied()));
        let rename = self.pairs(Copy::Entry, Copy::Pre, parts.own.iter().copied());
        let enter_spec = m.spec(&quantify, &rename);

        // Summaries of the callee to relations of the caller.
        let mut lift_quantify = extra;
        lift_quantify.extend(self.bits(Copy::Entry, parts.own.iter().copied()));
        let mut lift_rename = self.pairs(Copy::Entry, Copy::Pre, parts.shared.iter().copied());

        let live_after = |v: VarId| self.live.contains(call.ret, v);
        let words = Words::Back { callee: call.callee, saved: &parts.saved };
        let back = self.relation(m, &call.back, words, &|_, v| {
            live_after(v) || parts.back_read.contains(&v)
        })?;
        let assigned = |v: &VarId| parts.back_assigned.contains(v);
        let exit = &self.exit_vars[call.callee];
        let is_kept = |v: &VarId| !assigned(v) && live_after(*v);
        let (kept_exit, gone_exit): (Vec<VarId>, Vec<VarId>) =
            exit.iter().copied().partition(|v| self.is_global(*v) && is_kept(v));
        let (kept_saved, gone_saved): (Vec<VarId>, Vec<VarId>) =
            parts.saved.iter().copied().partition(is_kept);
        let mut quantify: Vec<u32> = self.bits(Copy::Exit, gone_exit).collect();
        quantify.extend(self.bits(Copy::Saved, gone_saved));
        let mut rename = self.pairs(Copy::Exit, Copy::Post, kept_exit.iter().copied());
        rename.extend(self.pairs(Copy::Saved, Copy::Post, kept_saved.iter().copied()));
        let back_spec = if back.is_true() {
            lift_quantify.extend(quantify);
            lift_rename.extend(rename);
            None
        } else {
            Some(m.spec(&quantify, &rename))
        };
        let lift_spec = m.spec(&lift_quantify, &lift_rename);

        let changed = parts.changed(self, call);
        let mut quantify: Vec<u32> = Vec::new();
        for var in self.live.vars(self.program, source) {
            if !live_after(var) || changed.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        let dead_targets = parts.back_assigned.iter().copied().filter(|v| !live_after(*v));
        quantify.extend(self.bits(Copy::Post, dead_targets));
        let rename = self.pairs(Copy::Post, Copy::Pre, changed.iter().copied());
        let jump_spec = m.spec(&quantify, &rename);
        Ok(CallRel { enter, enter_spec, lift_spec, back, back_spec, jump_spec })
    }

    /// `enabled ∧ ⋀ updates ∧ constraint`, choices quantified.
    fn relation(
        &self,
        m: &mut Manager,
        rel: &Rel,
        words: Words<'_>,
        wanted: &dyn Fn(Time, VarId) -> bool,
    ) -> Result<Bdd, Stop> {
        if rel.is_identity() {
            return Ok(Bdd::TRUE);
        }
        let mut algebra = Diagrams { context: self, m, words, assigns: &rel.assigns };
        let BlastedRel { enabled, updates, constraint } =
            blast_rel(self.program, rel, &mut algebra, wanted)?;
        let mut out = algebra.and(enabled, constraint)?;
        for update in &updates {
            let after = algebra.target(update.time, update.var, update.cell, update.bit)?;
            let equal = algebra.iff(after, update.value)?;
            let holds = algebra.or(update.free, equal)?;
            out = algebra.and(out, holds)?;
        }
        // Cells of an assigned array that no assignment can hit keep their value.
        for (time, var) in algebra.partly_assigned() {
            if !wanted(time, var) {
                continue;
            }
            let slot = self.slots.layout.slot(var);
            for cell in 0..slot.cells {
                if updates.iter().any(|u| u.time == time && u.var == var && u.cell == cell) {
                    continue;
                }
                for bit in 0..slot.width {
                    let after = algebra.target(time, var, cell, bit)?;
                    let before = algebra.read(Time::Pre, var, cell, bit)?;
                    let equal = algebra.iff(after, before)?;
                    out = algebra.and(out, equal)?;
                }
            }
        }
        if rel.choices > 0 {
            let choices: Vec<u32> = (0..rel.choices).map(|k| self.slots.choice(k)).collect();
            let cube = m.cube(&choices)?;
            out = m.exists(out, cube)?;
        }
        Ok(out)
    }
}

/// The variables of a call by what happens to them.
pub(crate) struct CallParts {
    /// Assigned on entering, at the callee's side.
    entered: Vec<VarId>,
    enter_read: Vec<VarId>,
    /// The caller's locals that the call changes.
    pub(crate) saved: Vec<VarId>,
    /// Entry variables of the callee that are the caller's globals, unchanged.
    pub(crate) shared: Vec<VarId>,
    /// Entry variables of the callee that the call assigns, or leaves open.
    pub(crate) own: Vec<VarId>,
    pub(crate) back_assigned: Vec<VarId>,
    back_read: Vec<VarId>,
}

impl CallParts {
    pub(crate) fn new(context: &Context<'_>, call: &Call) -> CallParts {
        let (entered, enter_read) = context.targets(&call.enter, Time::Post);
        let (saved, _) = context.targets(&call.enter, Time::Saved);
        let (back_assigned, back_read) = context.targets(&call.back, Time::Post);
        let (shared, own) = context.entry_vars[call.callee]
            .iter()
            .copied()
            .partition(|v| context.is_global(*v) && !entered.contains(v));
        CallParts { entered, enter_read, saved, shared, own, back_assigned, back_read }
    }

    /// The variables whose value after the call is that of the relation's `Post` copy.
    pub(crate) fn changed(&self, context: &Context<'_>, call: &Call) -> Vec<VarId> {
        let exit_globals = context.exit_vars[call.callee].iter().filter(|v| context.is_global(**v));
        let mut changed: Vec<VarId> = exit_globals
            .chain(&self.back_assigned)
            .chain(&self.saved)
            .copied()
            .filter(|&v| context.live.contains(call.ret, v))
            .collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }
}

/// Which copies the times of a relation mean.
#[derive(Clone, Copy)]
enum Words<'a> {
    Step,
    Return,
    Enter,
    Back { callee: ProcId, saved: &'a [VarId] },
}

/// The algebra of diagrams, for one relation.
struct Diagrams<'a> {
    context: &'a Context<'a>,
    m: &'a mut Manager,
    words: Words<'a>,
    assigns: &'a [Assign],
}

impl Diagrams<'_> {
    /// The copy in which a value before the relation is found.
    fn before(&self, var: VarId) -> Copy {
        let kind = self.context.program.vars[var].kind;
        match (self.words, kind) {
            (Words::Back { .. }, VarKind::Result(_)) => Copy::Exit,
            (Words::Back { callee, .. }, VarKind::Global)
                if self.context.mod_ref.modifies(callee, var) =>
            {
                Copy::Exit
            }
            (Words::Back { saved, .. }, VarKind::Local(_)) if saved.contains(&var) => Copy::Saved,
            _ => Copy::Pre,
        }
    }
    /// The copy of an assigned target.
    fn after(&self, time: Time) -> Copy {
        match (self.words, time) {
            (_, Time::Saved) => Copy::Saved,
            (Words::Enter, _) => Copy::Entry,
            (Words::Return, _) => Copy::Exit,
            _ => Copy::Post,
        }
    }
    fn target(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<Bdd, Stop> {
        let variable = self.context.slots.bit(self.after(time), var, cell, bit);
        self.m.var(variable)
    }
    fn is_assigned(&self, time: Time, var: VarId) -> bool {
        self.assigns.iter().any(|a| a.time == time && a.var == var)
    }
    /// Whether a target that is not assigned keeps its value.
    fn keeps(&self, time: Time, var: VarId) -> bool {
        match (self.words, self.context.program.vars[var].kind) {
            (Words::Enter, VarKind::Local(_)) => time == Time::Saved,
            (Words::Return, kind) => kind == VarKind::Global,
            _ => true,
        }
    }
    /// Arrays that are assigned cell by cell and otherwise keep their value.
    fn partly_assigned(&self) -> Vec<(Time, VarId)> {
        let mut out: Vec<(Time, VarId)> = self
            .assigns
            .iter()
            .filter(|a| a.index.is_some() && self.keeps(a.time, a.var))
            .filter(|a| {
                !self
                    .assigns
                    .iter()
                    .any(|b| b.time == a.time && b.var == a.var && b.index.is_none())
            })
            .map(|a| (a.time, a.var))
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}

impl Algebra for Diagrams<'_> {
    type Bit = Bdd;
    type Error = Stop;
    fn constant(&mut self, value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }
    fn not(&mut self, a: Bdd) -> Result<Bdd, Stop> {
        Ok(a.not())
    }
    fn and(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.m.and(a, b)
    }
    fn or(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.m.or(a, b)
    }
    fn xor(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.m.xor(a, b)
    }
    fn iff(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.m.iff(a, b)
    }
    fn ite(&mut self, c: Bdd, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.m.ite(c, a, b)
    }
    fn read(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<Bdd, Stop> {
        let copy = match time {
            Time::Pre => self.before(var),
            // What a relation does not assign keeps its value, or is open.
            _ if !self.is_assigned(time, var) && self.keeps(time, var) => self.before(var),
            _ => self.after(time),
        };
        let variable = self.context.slots.bit(copy, var, cell, bit);
        self.m.var(variable)
    }
    fn choice(&mut self, number: u32) -> Result<Bdd, Stop> {
        self.m.var(self.context.slots.choice(number))
    }
}

/// A condition over the values now, as a diagram.
pub(crate) fn condition(
    context: &Context<'_>,
    m: &mut Manager,
    expr: ir::ExprId,
    choices: u32,
) -> Result<Bdd, Stop> {
    if let Expr::Bool(b) = context.program.exprs[expr] {
        return Ok(if b { Bdd::TRUE } else { Bdd::FALSE });
    }
    context.relation(m, &Rel::guarded(expr, choices), Words::Step, &|_, _| false)
}
