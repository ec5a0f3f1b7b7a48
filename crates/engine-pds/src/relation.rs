//! Edges as relations between copies of the slots.
//!
//! A relation mentions only what it changes and what that depends on; what it leaves alone stays in
//! place. So each compiled edge is a diagram and specifications of which variables to quantify and
//! which to rename when it is applied forwards or backwards ([`bdd::Manager::image`]).
//!
//! A call of `f` splits the variables of the caller in two: what `f` gets to see (its entry
//! variables) and what stays behind with the frame (`kept`): locals, and globals that `f` does not
//! touch. The symbol on the stack carries the latter.

use crate::slots::{Copy, Slots};
use analysis::{Live, ModRef, Order};
use bdd::{Bdd, Manager, SpecId, Stop};
use ir::blast::{Algebra, BlastedRel, blast_rel};
use ir::{
    Assign, Call, EdgeKind, Expr, ExprId, Exprs, IndexVec, NodeId, ProcId, Program, Rel, Time,
    VarId, VarKind,
};
use std::sync::Arc;

/// What the compiler looks at.
pub(crate) struct Context {
    pub(crate) program: Arc<Program>,
    pub(crate) slots: Slots,
    pub(crate) live: Live,
    pub(crate) mod_ref: ModRef,
    /// For each procedure, the variables whose values at entry can matter: those that calls
    /// determine and that are live there. Empty for a procedure that no call enters.
    pub(crate) entry_vars: IndexVec<ProcId, Vec<VarId>>,
    /// For each procedure, the globals it may modify and results, as far as live at its exit.
    pub(crate) exit_vars: IndexVec<ProcId, Vec<VarId>>,
    /// Frames below the top keep every local, needed or not: somebody will ask for it.
    whole_frames: bool,
}

/// A step inside a procedure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepRel {
    /// From `Pre` to `Post`.
    pub(crate) rel: Bdd,
    /// Applied to a set over `Pre` at the source, with `rel`: leaves `Pre` at the target.
    pub(crate) image: SpecId,
    /// Applying it changes nothing.
    pub(crate) identity: bool,
    /// Applied to a set over `Pre` at the target: what the step changes becomes `Post`.
    pub(crate) prime: SpecId,
    /// Applied to that, with `rel`: leaves `Pre` at the source.
    pub(crate) pre_image: SpecId,
}

/// A return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReturnRel {
    /// From `Pre` to `Exit`; globals that it does not assign pass.
    pub(crate) rel: Bdd,
    /// Applied to a set over `Entry` and `Pre`, with `rel`: leaves `Inner` and `Exit`.
    pub(crate) image: SpecId,
}

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

impl Context {
    pub(crate) fn new(
        program: Arc<Program>,
        live: Live,
        mod_ref: ModRef,
        whole_frames: bool,
        order: Order,
    ) -> Context {
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
                live.vars(&program, proc.entry)
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
        let slots = Slots::new(&program, order);
        Context { program, slots, live, mod_ref, entry_vars, exit_vars, whole_frames }
    }

    pub(crate) fn is_global(&self, var: VarId) -> bool {
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

    pub(crate) fn pairs(
        &self,
        from: Copy,
        to: Copy,
        vars: impl IntoIterator<Item = VarId>,
    ) -> Vec<(u32, u32)> {
        vars.into_iter()
            .flat_map(|v| self.slots.bits(from, v).zip(self.slots.bits(to, v)))
            .collect()
    }

    /// `a ⇔ b` for two copies of some variables.
    pub(crate) fn equal(
        &self,
        m: &mut Manager,
        a: Copy,
        b: Copy,
        vars: impl IntoIterator<Item = VarId>,
    ) -> Result<Bdd, Stop> {
        let mut pairs = self.pairs(a, b, vars);
        // From the bottom of the order up: each conjunction adds nodes on top only.
        pairs.sort_unstable_by(|x, y| y.cmp(x));
        let mut out = Bdd::TRUE;
        for (x, y) in pairs {
            let (x, y) = (m.var(x)?, m.var(y)?);
            let equal = m.iff(x, y)?;
            out = m.and(equal, out)?;
        }
        Ok(out)
    }

    /// The variables that `rel` assigns at `time`, and those that its constraint reads there.
    fn targets(&self, rel: &Rel, time: Time) -> (Vec<VarId>, Vec<VarId>) {
        let mut assigned: Vec<VarId> =
            rel.assigns.iter().filter(|a| a.time == time).map(|a| a.var).collect();
        let mut read = Vec::new();
        if rel.constraint != Exprs::TRUE {
            self.program.exprs.reads(rel.constraint, |t, v| {
                if t == time {
                    read.push(v);
                }
            });
        }
        for list in [&mut assigned, &mut read] {
            list.sort_unstable();
            list.dedup();
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
    ) -> Result<StepRel, Stop> {
        let (assigned, read) = self.targets(rel, Time::Post);
        let live_after = |v: VarId| self.live.contains(target, v);
        let changed: Vec<VarId> = assigned
            .iter()
            .copied()
            .filter(|&v| live_after(v) || read.binary_search(&v).is_ok())
            .collect();
        let diagram = self.relation(m, rel, Words::Step, &|_, v| changed.contains(&v))?;
        let mut quantify: Vec<u32> = Vec::new();
        for var in self.live.vars(&self.program, source) {
            if !live_after(var) || changed.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        quantify.extend(self.bits(Copy::Post, changed.iter().copied().filter(|&v| !live_after(v))));
        let seen = || changed.iter().copied().filter(|&v| live_after(v));
        let rename = self.pairs(Copy::Post, Copy::Pre, seen());
        let identity = diagram == Bdd::TRUE && quantify.is_empty() && rename.is_empty();
        let image = m.spec(&quantify, &rename);
        let prime = m.spec(&[], &self.pairs(Copy::Pre, Copy::Post, seen()));
        let after: Vec<u32> = self.bits(Copy::Post, changed.iter().copied()).collect();
        let pre_image = m.spec(&after, &[]);
        Ok(StepRel { rel: diagram, image, identity, prime, pre_image })
    }

    /// The globals that a return with `rel` passes on, among the exit variables.
    fn passed(&self, proc: ProcId, rel: &Rel) -> Vec<VarId> {
        let assigned = |v: VarId| rel.assigns.iter().any(|a| a.var == v);
        let exit = self.exit_vars[proc].iter().copied();
        exit.filter(|&v| self.is_global(v) && !assigned(v)).collect()
    }

    /// A return of the procedure of `source`.
    pub(crate) fn ret(
        &self,
        m: &mut Manager,
        source: NodeId,
        rel: &Rel,
    ) -> Result<ReturnRel, Stop> {
        let proc = self.program.nodes[source].proc;
        let exit = &self.exit_vars[proc];
        let (assigned, read) = self.targets(rel, Time::Post);
        let wanted = |v: VarId| exit.contains(&v) || read.contains(&v);
        let diagram = self.relation(m, rel, Words::Return, &|_, v| wanted(v))?;
        // What the constraint reads of variables that nobody looks at afterwards.
        let extra = assigned.iter().chain(&read).copied().filter(|v| !exit.contains(v));
        let extra: Vec<u32> = self.bits(Copy::Exit, extra).collect();
        let cube = m.cube(&extra)?;
        let diagram = m.exists(diagram, cube)?;
        let passed = self.passed(proc, rel);
        let mut quantify: Vec<u32> = Vec::new();
        for var in self.live.vars(&self.program, source) {
            if !passed.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        let mut rename = self.pairs(Copy::Pre, Copy::Exit, passed);
        rename.extend(self.pairs(Copy::Entry, Copy::Inner, self.entry_vars[proc].iter().copied()));
        Ok(ReturnRel { rel: diagram, image: m.spec(&quantify, &rename) })
    }

    /// A return as a relation from `Pre` to the exit variables, in the `Entry` copy.
    pub(crate) fn pop(
        &self,
        m: &mut Manager,
        source: NodeId,
        rel: &Rel,
        compiled: ReturnRel,
    ) -> Result<Bdd, Stop> {
        let proc = self.program.nodes[source].proc;
        let rename = self.pairs(Copy::Exit, Copy::Entry, self.exit_vars[proc].iter().copied());
        let diagram = m.rename(compiled.rel, &rename)?;
        let passed = self.equal(m, Copy::Pre, Copy::Entry, self.passed(proc, rel))?;
        m.and(diagram, passed)
    }

    /// A call at `source`.
    pub(crate) fn call(
        &self,
        m: &mut Manager,
        source: NodeId,
        call: &Call,
    ) -> Result<CallRel, Stop> {
        let enter = self.enter(m, call)?;
        let back = self.back(m, call)?;
        let parts = CallParts::new(self, m, call, back);
        let proc = self.program.nodes[source].proc;
        let live_after = |v: VarId| self.live.contains(call.ret, v);

        let mut quantify = parts.unseen(self);
        for var in self.live.vars(&self.program, source) {
            let stays = parts.kept.contains(&var) && !parts.saved.contains(&var);
            if !stays && !parts.shared.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        let (saved, gone): (Vec<VarId>, Vec<VarId>) =
            parts.saved.iter().copied().partition(|v| parts.kept.contains(v));
        quantify.extend(self.bits(Copy::Saved, gone));
        let mut rename = self.pairs(Copy::Saved, Copy::Pre, saved);
        rename.extend(self.pairs(Copy::Pre, Copy::Inner, parts.shared.iter().copied()));
        let spec = m.spec(&quantify, &rename);

        let mut quantify: Vec<u32> =
            self.bits(Copy::Entry, self.entry_vars[proc].iter().copied()).collect();
        quantify.extend(self.bits(Copy::Pre, parts.kept.iter().copied()));
        let entry = &self.entry_vars[call.callee];
        let rename = self.pairs(Copy::Inner, Copy::Pre, entry.iter().copied());
        let entries = m.spec(&quantify, &rename);

        // The jump, and the way back as part of it or after it.
        let hidden = entry.iter().copied().filter(|v| !parts.returned.contains(v));
        let mut quantify: Vec<u32> = self.bits(Copy::Inner, hidden).collect();
        let mut rename = self.pairs(Copy::Inner, Copy::Pre, parts.returned.iter().copied());
        let mut after_quantify: Vec<u32> = Vec::new();
        let mut after_rename: Vec<(u32, u32)> = Vec::new();
        for &var in &self.exit_vars[call.callee] {
            let passes =
                self.is_global(var) && live_after(var) && !parts.back_assigned.contains(&var);
            match passes {
                true => after_rename.extend(self.pairs(Copy::Exit, Copy::Pre, [var])),
                false => after_quantify.extend(self.slots.bits(Copy::Exit, var)),
            }
        }
        for &var in parts.kept.iter().chain(&parts.returned) {
            if !live_after(var) || parts.back_assigned.contains(&var) {
                after_quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        for &var in &parts.back_assigned {
            match live_after(var) {
                true => after_rename.extend(self.pairs(Copy::Post, Copy::Pre, [var])),
                false => after_quantify.extend(self.slots.bits(Copy::Post, var)),
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

    /// The same call, backwards.
    pub(crate) fn call_back(&self, m: &mut Manager, call: &Call, rel: CallRel) -> CallBackRel {
        let parts = CallParts::new(self, m, call, rel.back);
        let live_after = |v: VarId| self.live.contains(call.ret, v);
        let exit = &self.exit_vars[call.callee];
        let entry = &self.entry_vars[call.callee];

        let assigned = parts.back_assigned.iter().copied();
        let mut rename =
            self.pairs(Copy::Pre, Copy::Post, assigned.clone().filter(|&v| live_after(v)));
        let left = exit.iter().copied();
        let left = left.filter(|v| self.is_global(*v) && !parts.back_assigned.contains(v));
        rename.extend(self.pairs(Copy::Pre, Copy::Exit, left));
        let arrive = m.spec(&[], &rename);

        let after: Vec<u32> = self.bits(Copy::Post, assigned).collect();
        let wait = m.spec(&after, &[]);

        let saved = self.pairs(Copy::Pre, Copy::Saved, parts.saved.iter().copied());
        let quantify: Vec<u32> = self.bits(Copy::Exit, exit.iter().copied()).collect();
        let mut rename = self.pairs(Copy::Inner, Copy::Pre, parts.shared.iter().copied());
        rename.extend(&saved);
        let over = m.spec(&quantify, &rename);

        // At the callee's entry, all of its locals give way to those of the caller.
        let entry_node = self.program.procs[call.callee].entry;
        let open = self.live.vars(&self.program, entry_node).filter(|v| !entry.contains(v));
        let quantify: Vec<u32> = self.bits(Copy::Pre, open).collect();
        let into =
            m.spec(&quantify, &self.pairs(Copy::Pre, Copy::Inner, parts.own.iter().copied()));
        let saved = m.spec(&[], &saved);

        let mut quantify = parts.unseen(self);
        quantify.extend(self.bits(Copy::Inner, parts.own.iter().copied()));
        quantify.extend(self.bits(Copy::Saved, parts.saved.iter().copied()));
        let leave = m.spec(&quantify, &[]);
        CallBackRel { arrive, wait, over, into, saved, leave }
    }

    fn enter(&self, m: &mut Manager, call: &Call) -> Result<Bdd, Stop> {
        let entry = &self.entry_vars[call.callee];
        let (_, read) = self.targets(&call.enter, Time::Post);
        self.relation(m, &call.enter, Words::Enter, &|time, v| {
            time == Time::Saved || entry.contains(&v) || read.contains(&v)
        })
    }

    fn back(&self, m: &mut Manager, call: &Call) -> Result<Bdd, Stop> {
        let (_, read) = self.targets(&call.back, Time::Post);
        self.relation(m, &call.back, Words::Back { callee: call.callee }, &|_, v| {
            self.live.contains(call.ret, v) || read.contains(&v)
        })
    }

    /// `enabled ∧ ⋀ updates ∧ constraint`, choices quantified.
    fn relation(
        &self,
        m: &mut Manager,
        rel: &Rel,
        words: Words,
        wanted: &dyn Fn(Time, VarId) -> bool,
    ) -> Result<Bdd, Stop> {
        if rel.is_identity() {
            return Ok(Bdd::TRUE);
        }
        let mut algebra = Diagrams { context: self, m, words, assigns: &rel.assigns };
        let BlastedRel { enabled, updates, constraint } =
            blast_rel(&self.program, rel, &mut algebra, wanted)?;
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

    /// A condition over the values now, as a diagram over `Pre`.
    pub(crate) fn condition(
        &self,
        m: &mut Manager,
        expr: ExprId,
        choices: u32,
    ) -> Result<Bdd, Stop> {
        if let Expr::Bool(b) = self.program.exprs[expr] {
            return Ok(b.into());
        }
        self.relation(m, &Rel::guarded(expr, choices), Words::Step, &|_, _| false)
    }
}

/// The variables of a call by what happens to them.
pub(crate) struct CallParts {
    /// Assigned on entering, or read by the constraint there, at the callee's side.
    entered: Vec<VarId>,
    /// The caller's locals that the call changes.
    pub(crate) saved: Vec<VarId>,
    /// Entry variables of the callee that are the caller's globals, unchanged.
    pub(crate) shared: Vec<VarId>,
    /// Entry variables of the callee that the call assigns, or leaves open.
    pub(crate) own: Vec<VarId>,
    /// What stays behind: needed after the call, and neither modified nor seen by the callee.
    pub(crate) kept: Vec<VarId>,
    /// Globals that the callee sees and cannot modify, and that are needed after the call.
    pub(crate) returned: Vec<VarId>,
    pub(crate) back_assigned: Vec<VarId>,
    callee: ProcId,
}

impl CallParts {
    /// `back` is the relation of the way back.
    pub(crate) fn new(context: &Context, m: &Manager, call: &Call, back: Bdd) -> CallParts {
        let (mut entered, enter_read) = context.targets(&call.enter, Time::Post);
        let (saved, _) = context.targets(&call.enter, Time::Saved);
        let (back_assigned, _) = context.targets(&call.back, Time::Post);
        let entry = &context.entry_vars[call.callee];
        let (shared, own): (Vec<VarId>, Vec<VarId>) =
            entry.iter().copied().partition(|v| context.is_global(*v) && !entered.contains(v));
        entered.extend(enter_read);
        let program = &context.program;
        let support = m.support(back);
        let needed = |v: VarId| {
            let live = context.live.contains(call.ret, v) && !back_assigned.contains(&v);
            let reads = |bit: u32| support.binary_search(&bit).is_ok();
            live || context.slots.bits(Copy::Pre, v).any(reads)
        };
        let caller = program.nodes[call.ret].proc;
        let globals = || {
            let all = program.globals.iter().copied();
            all.filter(|&g| !context.mod_ref.modifies(call.callee, g) && needed(g))
        };
        let mut kept: Vec<VarId> = globals().filter(|g| !entry.contains(g)).collect();
        let locals = program.procs[caller].locals.iter().copied();
        kept.extend(locals.filter(|&v| context.whole_frames || needed(v)));
        let returned = globals().filter(|g| entry.contains(g)).collect();
        let callee = call.callee;
        CallParts { entered, saved, shared, own, kept, returned, back_assigned, callee }
    }

    /// `Inner` variables that only the relation of entering mentions.
    fn unseen(&self, context: &Context) -> Vec<u32> {
        let entry = &context.entry_vars[self.callee];
        let unseen = self.entered.iter().copied().filter(|v| !entry.contains(v));
        context.bits(Copy::Inner, unseen).collect()
    }
}

/// Which copies the times of a relation mean.
#[derive(Clone, Copy)]
enum Words {
    Step,
    Return,
    Enter,
    Back { callee: ProcId },
}

/// The algebra of diagrams, for one relation.
struct Diagrams<'a> {
    context: &'a Context,
    m: &'a mut Manager,
    words: Words,
    assigns: &'a [Assign],
}

impl Diagrams<'_> {
    /// The copy in which a value before the relation is found.
    fn before(&self, var: VarId) -> Copy {
        match (self.words, self.context.program.vars[var].kind) {
            (Words::Back { .. }, VarKind::Result(_)) => Copy::Exit,
            (Words::Back { callee }, VarKind::Global)
                if self.context.mod_ref.modifies(callee, var) =>
            {
                Copy::Exit
            }
            _ => Copy::Pre,
        }
    }
    /// The copy of an assigned target.
    fn after(&self, time: Time) -> Copy {
        match (self.words, time) {
            (_, Time::Saved) => Copy::Saved,
            (Words::Enter, _) => Copy::Inner,
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
        let whole = |a: &Assign| {
            let same = |b: &&Assign| b.time == a.time && b.var == a.var;
            self.assigns.iter().filter(same).any(|b| b.index.is_none())
        };
        let mut out: Vec<(Time, VarId)> = self
            .assigns
            .iter()
            .filter(|a| a.index.is_some() && self.keeps(a.time, a.var) && !whole(a))
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
        value.into()
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
