//! Edges as relations between copies of the slots.
//!
//! A relation mentions only what it changes and what that depends on; what it leaves alone stays in
//! place. So each compiled edge is a diagram and specifications of which variables to quantify and
//! which to rename when it is applied forwards or backwards ([`bdd::Manager::image`]). Variables that
//! are not live at the target are left out altogether.

use crate::slots::{Copies, Copy, Slots};
use analysis::{Live, ModRef, Order};
use bdd::{Bdd, Manager, SpecId, Stop};
use ir::blast::{Algebra, BlastedRel, blast_bool, blast_rel};
use ir::{
    Assign, Call, EdgeKind, Expr, ExprId, Exprs, IndexVec, NodeId, ProcId, Program, Rel, Time,
    VarId, VarKind,
};
use std::sync::Arc;

/// What the compiler looks at.
pub struct Context {
    /// The program.
    pub program: Arc<Program>,
    /// The numbering of diagram variables.
    pub slots: Slots,
    /// What is live where.
    pub live: Live,
    /// What procedures may modify.
    pub mod_ref: ModRef,
    /// For each procedure, the variables whose values at entry can matter: those that calls
    /// determine and that are live there. Empty for a procedure that no call enters.
    pub entry_vars: IndexVec<ProcId, Vec<VarId>>,
    /// For each procedure, the globals it may modify and results, as far as live at its exit.
    pub exit_vars: IndexVec<ProcId, Vec<VarId>>,
    /// Frames that wait in a call keep every local, needed or not: somebody will ask for it.
    pub whole_frames: bool,
}

/// A step inside a procedure.
#[derive(Clone, Debug)]
pub struct StepRel {
    /// From `Pre` to `Post`; the first part of it, if there are more.
    pub rel: Bdd,
    /// What else has to hold, where one diagram for all would be too large ([`crate::parts`]).
    pub more: Option<Arc<[StepPart]>>,
    /// Applied to a set over `Pre` at the source, with `rel`: leaves `Pre` at the target.
    pub image: SpecId,
    /// Applying it changes nothing.
    pub identity: bool,
    /// Applied to a set over `Pre` at the target: what the step changes becomes `Post`.
    pub prime: SpecId,
    /// Applied to that, with `rel`: leaves `Pre` at the source.
    pub pre_image: SpecId,
}

/// A further part of the relation of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepPart {
    /// From `Pre` to `Post`, and choices.
    pub rel: Bdd,
    /// Applied to what the part before it left of a set over `Pre`.
    pub image: SpecId,
    /// Applied to what the part before it left of a set over `Post`.
    pub pre_image: SpecId,
}

/// A return.
#[derive(Clone, Copy, Debug)]
pub struct ReturnRel {
    /// From `Pre` to `Exit`; globals that it does not assign pass.
    pub rel: Bdd,
    /// Applied to a set over `Entry` and `Pre`, with `rel`: leaves `Inner` and `Exit`.
    pub image: SpecId,
}

impl Context {
    /// All of it, from the analyses.
    pub fn new(
        program: Arc<Program>,
        live: Live,
        mod_ref: ModRef,
        copies: Copies,
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
        let slots = Slots::new(&program, copies, order);
        Context { program, slots, live, mod_ref, entry_vars, exit_vars, whole_frames: false }
    }

    /// Whether a variable is a global one.
    pub fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].kind == VarKind::Global
    }

    /// Diagram variables of some variables in one copy.
    pub fn bits<'v>(
        &'v self,
        copy: Copy,
        vars: impl IntoIterator<Item = VarId> + 'v,
    ) -> impl Iterator<Item = u32> + 'v {
        vars.into_iter().flat_map(move |v| self.slots.bits(copy, v))
    }

    /// Diagram variables of some variables in two copies: a renaming from one to the other.
    pub fn pairs(
        &self,
        from: Copy,
        to: Copy,
        vars: impl IntoIterator<Item = VarId>,
    ) -> Vec<(u32, u32)> {
        // Two copies may be the same variable, see [`Copies::FIVE`].
        vars.into_iter()
            .flat_map(|v| self.slots.bits(from, v).zip(self.slots.bits(to, v)))
            .filter(|(from, to)| from != to)
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
    pub fn step(
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
        let parts = self.parts(m, rel, &|_, v| changed.contains(&v))?;
        let mut quantify: Vec<u32> = Vec::new();
        for var in self.live.vars(&self.program, source) {
            if !live_after(var) || changed.contains(&var) {
                quantify.extend(self.slots.bits(Copy::Pre, var));
            }
        }
        quantify.extend(self.bits(Copy::Post, changed.iter().copied().filter(|&v| !live_after(v))));
        let seen = || changed.iter().copied().filter(|&v| live_after(v));
        let rename = self.pairs(Copy::Post, Copy::Pre, seen());
        let prime = m.spec(&[], &self.pairs(Copy::Pre, Copy::Post, seen()));
        let after: Vec<u32> = self.bits(Copy::Post, changed.iter().copied()).collect();
        let Ok([diagram]) = <[Bdd; 1]>::try_from(&parts[..]) else {
            return Ok(self.in_parts(m, &parts, rel.choices, (quantify, rename), prime, after));
        };
        let identity = diagram == Bdd::TRUE && quantify.is_empty() && rename.is_empty();
        let image = m.spec(&quantify, &rename);
        let pre_image = m.spec(&after, &[]);
        Ok(StepRel { rel: diagram, more: None, image, identity, prime, pre_image })
    }

    /// The globals that a return with `rel` passes on, among the exit variables.
    pub fn passed(&self, proc: ProcId, rel: &Rel) -> Vec<VarId> {
        let assigned = |v: VarId| rel.assigns.iter().any(|a| a.var == v);
        let exit = self.exit_vars[proc].iter().copied();
        exit.filter(|&v| self.is_global(v) && !assigned(v)).collect()
    }

    /// A return of the procedure of `source`.
    pub fn ret(&self, m: &mut Manager, source: NodeId, rel: &Rel) -> Result<ReturnRel, Stop> {
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

    /// What a call does on entering: from `Pre` of the caller to `Inner`, and `Saved` where the call
    /// changes the caller's frame.
    pub fn enter(&self, m: &mut Manager, call: &Call) -> Result<Bdd, Stop> {
        let entry = &self.entry_vars[call.callee];
        let (_, read) = self.targets(&call.enter, Time::Post);
        self.relation(m, &call.enter, Words::Enter, &|time, v| {
            time == Time::Saved || entry.contains(&v) || read.contains(&v)
        })
    }

    /// What a call does on the way back: from `Exit` and `Pre` to `Post`. The caller's locals among
    /// `saved` are read from `Saved` instead of `Pre`.
    pub fn back(&self, m: &mut Manager, call: &Call, saved: &[VarId]) -> Result<Bdd, Stop> {
        let (_, read) = self.targets(&call.back, Time::Post);
        let words = Words::Back { callee: call.callee, saved };
        self.relation(m, &call.back, words, &|_, v| {
            self.live.contains(call.ret, v) || read.contains(&v)
        })
    }

    /// `enabled ∧ ⋀ updates ∧ constraint`, choices quantified.
    pub(crate) fn relation(
        &self,
        m: &mut Manager,
        rel: &Rel,
        words: Words<'_>,
        wanted: &dyn Fn(Time, VarId) -> bool,
    ) -> Result<Bdd, Stop> {
        if rel.is_identity() {
            return Ok(Bdd::TRUE);
        }
        let mut out = Bdd::TRUE;
        self.conjuncts(m, rel, words, wanted, &mut |m, conjunct| {
            out = m.and(out, conjunct)?;
            Ok(())
        })?;
        self.without_choices(m, out, rel.choices)
    }

    /// A relation with its choices quantified: another relation has others, though they have the same numbers.
    pub(crate) fn without_choices(
        &self,
        m: &mut Manager,
        rel: Bdd,
        choices: u32,
    ) -> Result<Bdd, Stop> {
        if choices == 0 {
            return Ok(rel);
        }
        let choices: Vec<u32> = (0..choices).map(|k| self.slots.choice(k)).collect();
        let cube = m.cube(&choices)?;
        m.exists(rel, cube)
    }

    /// What a relation is the conjunction of, one after the other; choices are not quantified.
    pub(crate) fn conjuncts(
        &self,
        m: &mut Manager,
        rel: &Rel,
        words: Words<'_>,
        wanted: &dyn Fn(Time, VarId) -> bool,
        add: &mut dyn FnMut(&mut Manager, Bdd) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut algebra = Diagrams { context: self, m, words, assigns: &rel.assigns };
        let BlastedRel { enabled, updates, constraint } =
            blast_rel(&self.program, rel, &mut algebra, wanted)?;
        add(algebra.m, enabled)?;
        add(algebra.m, constraint)?;
        for update in &updates {
            let after = algebra.target(update.time, update.var, update.cell, update.bit)?;
            let equal = algebra.iff(after, update.value)?;
            let holds = algebra.or(update.free, equal)?;
            add(algebra.m, holds)?;
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
                    add(algebra.m, equal)?;
                }
            }
        }
        Ok(())
    }

    /// A condition of a step, read as the step reads it.
    pub(crate) fn part_of_step(
        &self,
        m: &mut Manager,
        rel: &Rel,
        expr: ExprId,
    ) -> Result<Bdd, Stop> {
        let words = Words::Step;
        let mut algebra = Diagrams { context: self, m, words, assigns: &rel.assigns };
        blast_bool(&self.program, expr, &mut algebra)
    }

    /// A condition over the values now, as a diagram over `Pre`.
    pub fn condition(&self, m: &mut Manager, expr: ExprId, choices: u32) -> Result<Bdd, Stop> {
        if let Expr::Bool(b) = self.program.exprs[expr] {
            return Ok(b.into());
        }
        self.relation(m, &Rel::guarded(expr, choices), Words::Step, &|_, _| false)
    }
}

/// The variables of a call by what happens to them.
pub struct CallParts {
    /// Assigned on entering, or read by the constraint there, at the callee's side.
    entered: Vec<VarId>,
    /// The caller's locals that the call changes.
    pub saved: Vec<VarId>,
    /// Entry variables of the callee that are the caller's globals, unchanged.
    pub shared: Vec<VarId>,
    /// Entry variables of the callee that the call assigns, or leaves open.
    pub own: Vec<VarId>,
    /// Assigned on the way back.
    pub back_assigned: Vec<VarId>,
    callee: ProcId,
}

impl CallParts {
    /// Those of one call.
    pub fn new(context: &Context, call: &Call) -> CallParts {
        let (mut entered, enter_read) = context.targets(&call.enter, Time::Post);
        let (saved, _) = context.targets(&call.enter, Time::Saved);
        let (back_assigned, _) = context.targets(&call.back, Time::Post);
        let entry = &context.entry_vars[call.callee];
        let (shared, own): (Vec<VarId>, Vec<VarId>) =
            entry.iter().copied().partition(|v| context.is_global(*v) && !entered.contains(v));
        entered.extend(enter_read);
        CallParts { entered, saved, shared, own, back_assigned, callee: call.callee }
    }

    /// `Inner` variables that only the relation of entering mentions.
    pub fn unseen(&self, context: &Context) -> Vec<u32> {
        let entry = &context.entry_vars[self.callee];
        let unseen = self.entered.iter().copied().filter(|v| !entry.contains(v));
        context.bits(Copy::Inner, unseen).collect()
    }
}

/// Which copies the times of a relation mean.
#[derive(Clone, Copy)]
pub(crate) enum Words<'a> {
    Step,
    Return,
    Enter,
    Back { callee: ProcId, saved: &'a [VarId] },
}

/// The algebra of diagrams, for one relation.
struct Diagrams<'a> {
    context: &'a Context,
    m: &'a mut Manager,
    words: Words<'a>,
    assigns: &'a [Assign],
}

impl Diagrams<'_> {
    /// The copy in which a value before the relation is found.
    fn before(&self, var: VarId) -> Copy {
        match (self.words, self.context.program.vars[var].kind) {
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
