//! Checking a certificate: rules C1–C9 of [`check::Certificate`] and [`check::RepeatClaim`], one
//! instance for each edge (C7: and mark; C8 and C9: and rank).
//!
//! Every rule has the same shape. A hypothesis about the valuations at entry and now, one relation,
//! for C5 the callee's summary and a second relation, and a conclusion:
//!
//! ```text
//! hypothesis(e, x) ∧ first(x, y) [∧ summary(y, o) ∧ second(o, saved, z)]  ⟹  conclusion
//! ```
//!
//! | rule | hypothesis | first | second | conclusion |
//! |---|---|---|---|---|
//! | C1 | full | initial condition | | `path[entry](y, y)` |
//! | C2 | `path[n]` | step | | `path[m](e, y)` |
//! | C3 | `path[n]` | `enter` | | `path[f.entry](y, y)` |
//! | C4 | `path[n]` | return | | `summary(e, y)` |
//! | C5 | `path[n]` | `enter` | `back` | `path[m](e, z)` |
//! | C6 | `path[n]` | condition | | empty |
//!
//! C7 is C2, C4 and C5 with the sets of a mark, see [`crate::repeat`]. C8 and C9 have a second
//! hypothesis, that the head is in the set of a rank, and a conclusion with alternatives: the sets
//! of all ranks up to it, or below it.
//!
//! A global that a procedure is claimed to leave unchanged is one valuation fewer: its bits at
//! entry *are* those now, in the hypothesis and in the conclusion, and likewise across a callee's
//! summary. What makes that right is proved with each instance: the edge does not assign it (and
//! the callee leaves it unchanged too), or else the conclusion asks for equality in so many words.
//!
//! An instance is decided by enumeration ([`crate::enumerate`]) if it has few cases, otherwise by
//! the SAT solver ([`crate::prove`]). The two share only the expressions; tests compare them.
//! Instances that are equal up to the names of variables are decided once: variables are slots, so
//! thousands of like procedures cost one.

use crate::code::{Code, Op};
use crate::enumerate::{Cases, enumerate};
use crate::machine::Role;
use crate::prove::prove;
use crate::space::Space;
use check::{Area, Budget, Certificate, Goal, Partial, SetId, StateSets, StopReason};
use ir::{
    EdgeId, EdgeKind, Id, IndexVec, NodeId, ProcId, Program, Rel, Scalar, Time, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::slice::from_ref;

/// The rules, numbered as in [`check::Certificate`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// Initial valuations.
    C1 = 1,
    /// Steps.
    C2,
    /// Calls, on the way in.
    C3,
    /// Returns.
    C4,
    /// Calls, on the way back.
    C5,
    /// Goals.
    C6,
    /// What carried a mark.
    C7,
    /// Ranks cover all heads and never rise.
    C8,
    /// The mark of a rank is not seen within it.
    C9,
}

/// What checking an accepted certificate took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CertReport {
    /// Rule instances, all of which hold.
    pub instances: usize,
    /// Those that hold at a glance: an empty hypothesis, a full conclusion, nothing that changes.
    pub trivial: usize,
    /// Those equal to one decided before.
    pub repeated: usize,
    /// Those decided by enumeration.
    pub enumerated: usize,
    /// Those decided by the SAT solver.
    pub solved: usize,
    /// Decisions in the certificate's graph.
    pub size: usize,
}

/// A certificate that was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CertRefusal {
    /// It does not fit the program.
    Malformed(&'static str),
    /// The goal is of a kind that is not judged.
    Unsupported(&'static str),
    /// A rule does not hold.
    Fails {
        /// Which rule.
        rule: Rule,
        /// At which node: the edge's source, the goal's node, the entry for C1.
        node: NodeId,
        /// For which edge.
        edge: Option<EdgeId>,
        /// The node's procedure and line.
        place: (String, u32),
    },
    /// The budget was spent before all rules were checked.
    Stopped(StopReason),
}

impl fmt::Display for CertRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertRefusal::Malformed(what) | CertRefusal::Unsupported(what) => f.write_str(what),
            CertRefusal::Fails { rule, node, edge, place: (proc, line) } => {
                write!(f, "rule {rule:?} fails at node {} ({proc} line {line}", node.index())?;
                match edge {
                    Some(edge) => write!(f, ", edge {})", edge.index()),
                    None => f.write_str(")"),
                }
            }
            CertRefusal::Stopped(reason) => write!(f, "not checked to the end: {reason}"),
        }
    }
}

impl std::error::Error for CertRefusal {}

impl From<StopReason> for CertRefusal {
    fn from(reason: StopReason) -> Self {
        CertRefusal::Stopped(reason)
    }
}

/// One instance of a rule.
#[derive(Clone, Copy)]
pub(crate) struct Instance<'a> {
    pub(crate) rule: Rule,
    pub(crate) program: &'a Program,
    pub(crate) space: &'a Space,
    pub(crate) sets: &'a StateSets,
    pub(crate) proc: ProcId,
    /// Both hold.
    pub(crate) hypotheses: [SetId; 2],
    pub(crate) first: &'a Rel,
    pub(crate) role: Role,
    /// On calls.
    pub(crate) callee: Option<ProcId>,
    /// On calls that come back: the callee's summary, and the way back.
    pub(crate) second: Option<(SetId, &'a Rel)>,
    /// One of them holds.
    pub(crate) conclusion: &'a [SetId],
    /// Bits of globals whose value at entry is the one before the edge.
    pub(crate) unchanged: &'a Partial,
    /// Bits of globals that the callee's summary does not change.
    pub(crate) around: &'a Partial,
    /// Globals that must come out of the edge as they went in.
    pub(crate) equal: &'a [VarId],
}

impl Instance<'_> {
    /// Whether the conclusion speaks of a frame that starts here: what comes out is both the
    /// valuation at entry and now.
    pub(crate) fn starts_frame(&self) -> bool {
        matches!(self.rule, Rule::C1 | Rule::C3)
    }
}

/// Checks that the certificate shows that no goal is reached.
pub fn check_certificate(
    program: &Program,
    goals: &[Goal],
    certificate: &Certificate,
    budget: &Budget,
) -> Result<CertReport, CertRefusal> {
    check_with(program, goals, certificate, budget, Cases::FEW)
}

/// [`check_certificate`], with the number of cases up to which enumeration is tried.
pub(crate) fn check_with(
    program: &Program,
    goals: &[Goal],
    certificate: &Certificate,
    budget: &Budget,
    cases: Cases,
) -> Result<CertReport, CertRefusal> {
    let space = Space::new(program);
    let bounds = well_formed(program, &space, certificate)?;
    let mut masks = Masks::new(program, &space, certificate);
    let mut checker = Checker {
        program,
        space: &space,
        certificate,
        budget,
        cases,
        code: Code::default(),
        seen: FxHashSet::default(),
        key: Vec::new(),
        report: CertReport { size: certificate.len(), ..CertReport::default() },
    };
    let (path, procs) = (&certificate.path, &certificate.procs);
    let full = SetId::full();

    // C1
    let entry = program.procs[program.entry].entry;
    let init = Rel::guarded(program.init.condition, program.init.choices);
    let start = Claim {
        rule: Rule::C1,
        proc: program.entry,
        hypotheses: [full; 2],
        first: &init,
        role: Role::Local,
        callee: None,
        second: None,
        conclusion: from_ref(&path[entry]),
        equal: &[],
    };
    checker.instance(&masks, start, entry, None)?;

    for (id, edge) in program.edges.enumerate() {
        let proc = program.nodes[edge.source].proc;
        let claim = Claim {
            rule: Rule::C2,
            proc,
            hypotheses: [path[edge.source], full],
            first: &init,
            role: Role::Local,
            callee: None,
            second: None,
            conclusion: &[],
            equal: &[],
        };
        match &edge.kind {
            EdgeKind::Local { target, rel } => {
                let equal = masks.assigned(proc, [rel]);
                let conclusion = from_ref(&path[*target]);
                let claim = Claim { first: rel, conclusion, equal: &equal, ..claim };
                checker.instance(&masks, claim, edge.source, Some(id))?;
            }
            EdgeKind::Return { rel } => {
                let equal = masks.assigned(proc, [rel]);
                let claim = Claim {
                    rule: Rule::C4,
                    first: rel,
                    role: Role::Return,
                    conclusion: from_ref(&procs[proc].summary),
                    equal: &equal,
                    ..claim
                };
                checker.instance(&masks, claim, edge.source, Some(id))?;
            }
            EdgeKind::Call(call) => {
                let claim = Claim {
                    first: &call.enter,
                    role: Role::Enter,
                    callee: Some(call.callee),
                    ..claim
                };
                let conclusion = from_ref(&path[program.procs[call.callee].entry]);
                let enters = Claim { rule: Rule::C3, conclusion, ..claim };
                checker.instance(&masks, enters, edge.source, Some(id))?;
                let equal = masks.assigned_by_call(proc, call);
                let comes_back = Claim {
                    rule: Rule::C5,
                    second: Some((procs[call.callee].summary, &call.back)),
                    conclusion: from_ref(&path[call.ret]),
                    equal: &equal,
                    ..claim
                };
                checker.instance(&masks, comes_back, edge.source, Some(id))?;
            }
        }
    }
    // C6, or C7 to C9
    for goal in goals {
        let targets = match goal {
            Goal::Reach(targets) => targets,
            Goal::Repeat { marks } => {
                crate::repeat::check_repeat(&mut checker, &mut masks, *marks, &bounds)?;
                continue;
            }
            _ => return Err(CertRefusal::Unsupported("goals of this kind are not judged")),
        };
        for target in targets {
            let rel = Rel::guarded(target.condition, 0);
            let claim = Claim {
                rule: Rule::C6,
                proc: program.nodes[target.node].proc,
                hypotheses: [path[target.node], full],
                first: &rel,
                role: Role::Local,
                callee: None,
                second: None,
                conclusion: &[],
                equal: &[],
            };
            checker.instance(&masks, claim, target.node, None)?;
        }
    }
    Ok(checker.report)
}

/// For each set, one more than the largest bit in each area.
pub(crate) struct Bounds(Vec<[u32; 5]>);

impl Bounds {
    fn within(&self, set: SetId, limits: [(Area, u32); 5]) -> bool {
        self.0
            .get(set.index())
            .is_some_and(|b| limits.iter().all(|&(area, limit)| b[area as usize] <= limit))
    }
    /// Whether the set fits as a path set at a node of `proc`; `entry`: if it may speak of the
    /// valuation at entry.
    pub(crate) fn path(&self, space: &Space, proc: ProcId, set: SetId, entry: bool) -> bool {
        let (global, frame) = (space.layout.global_bits, space.layout.frame_bits[proc]);
        let limits = [
            (Area::EntryGlobal, if entry { global } else { 0 }),
            (Area::EntryLocal, if entry { frame } else { 0 }),
            (Area::Global, global),
            (Area::Local, frame),
            (Area::Result, 0),
        ];
        self.within(set, limits)
    }
    /// Whether the set fits as a summary of `proc`.
    pub(crate) fn summary(&self, space: &Space, proc: ProcId, set: SetId) -> bool {
        let global = space.layout.global_bits;
        let limits = [
            (Area::EntryGlobal, global),
            (Area::EntryLocal, space.layout.frame_bits[proc]),
            (Area::Global, global),
            (Area::Local, 0),
            (Area::Result, space.layout.result_bits[proc]),
        ];
        self.within(set, limits)
    }
}

/// Checks that the certificate has a set wherever it must, over bits that exist there.
fn well_formed(
    program: &Program,
    space: &Space,
    certificate: &Certificate,
) -> Result<Bounds, CertRefusal> {
    let bad = |what| Err(CertRefusal::Malformed(what));
    let sets = &certificate.sets;
    if certificate.path.len() != program.nodes.len()
        || certificate.procs.len() != program.procs.len()
    {
        return bad("the certificate is one of another program");
    }
    let mut bounds: Vec<[u32; 5]> = vec![[0; 5]; 2];
    for i in 0..sets.len() {
        let Some(node) = sets.node(SetId::new(i + 2)) else {
            return bad("the certificate's graph has a hole");
        };
        let (Some(lo), Some(hi)) = (bounds.get(node.lo.index()), bounds.get(node.hi.index()))
        else {
            return bad("the certificate's graph has a child after its parent");
        };
        let mut bound: [u32; 5] = std::array::from_fn(|k| lo[k].max(hi[k]));
        let area = &mut bound[node.bit.area as usize];
        *area = (*area).max(node.bit.index.saturating_add(1));
        bounds.push(bound);
    }
    let bounds = Bounds(bounds);
    for (n, node) in program.nodes.enumerate() {
        if !bounds.path(space, node.proc, certificate.path[n], true) {
            return bad("a path set speaks of bits that do not exist at its node");
        }
    }
    for (p, claim) in certificate.procs.enumerate() {
        if !bounds.summary(space, p, claim.summary) {
            return bad("a summary speaks of bits that do not exist at its exit");
        }
        if claim
            .unchanged
            .iter()
            .any(|&v| program.vars.get(v).is_none_or(|var| var.kind != VarKind::Global))
        {
            return bad("what is claimed to be unchanged is no global");
        }
    }
    Ok(bounds)
}

/// Which globals each procedure is claimed to leave unchanged, as masks of bits kept once.
pub(crate) struct Masks<'a> {
    program: &'a Program,
    space: &'a Space,
    of: IndexVec<ProcId, usize>,
    masks: Vec<Partial>,
    differences: FxHashMap<(usize, usize), Vec<VarId>>,
}

impl<'a> Masks<'a> {
    fn new(program: &'a Program, space: &'a Space, certificate: &Certificate) -> Self {
        let mut masks: Vec<Partial> = Vec::new();
        let mut ids: FxHashMap<Partial, usize> = FxHashMap::default();
        let of = certificate
            .procs
            .iter()
            .map(|claim| {
                let mut mask = space.open();
                for &var in &claim.unchanged {
                    for bit in space.var(program, var) {
                        mask.set(bit, Some(false));
                    }
                }
                *ids.entry(mask).or_insert_with_key(|mask| {
                    masks.push(mask.clone());
                    masks.len() - 1
                })
            })
            .collect();
        Masks { program, space, of, masks, differences: FxHashMap::default() }
    }
    fn mask(&self, proc: ProcId) -> &Partial {
        &self.masks[self.of[proc]]
    }
    fn contains(&self, proc: ProcId, var: VarId) -> bool {
        let first = self.space.var(self.program, var).start;
        self.program.vars[var].kind == VarKind::Global && self.mask(proc).get(first).is_some()
    }
    /// Globals claimed unchanged in `proc` that one of the relations assigns.
    pub(crate) fn assigned<const N: usize>(&self, proc: ProcId, rels: [&Rel; N]) -> Vec<VarId> {
        let mut out: Vec<VarId> = rels
            .into_iter()
            .flat_map(|rel| rel.assigns.iter().map(|a| a.var))
            .filter(|&v| self.contains(proc, v))
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }
    /// Those that the call may change: on the way in or back, or inside.
    pub(crate) fn assigned_by_call(&mut self, proc: ProcId, call: &ir::Call) -> Vec<VarId> {
        let mut out = self.assigned(proc, [&call.enter, &call.back]);
        out.extend(self.changed_inside(proc, call.callee));
        out.sort_unstable();
        out.dedup();
        out
    }
    /// Globals claimed unchanged in `proc` that a call of `callee` is not claimed to leave so.
    fn changed_inside(&mut self, proc: ProcId, callee: ProcId) -> Vec<VarId> {
        if self.of[proc] == self.of[callee] || self.mask(callee).covers(self.mask(proc)) {
            return Vec::new();
        }
        let key = (self.of[proc], self.of[callee]);
        if let Some(known) = self.differences.get(&key) {
            return known.clone();
        }
        let vars = self.program.globals.iter().copied();
        let out: Vec<VarId> =
            vars.filter(|&v| self.contains(proc, v) && !self.contains(callee, v)).collect();
        self.differences.insert(key, out.clone());
        out
    }
}

/// An instance but for what all have in common.
#[derive(Clone, Copy)]
pub(crate) struct Claim<'a> {
    pub(crate) rule: Rule,
    pub(crate) proc: ProcId,
    pub(crate) hypotheses: [SetId; 2],
    pub(crate) first: &'a Rel,
    pub(crate) role: Role,
    pub(crate) callee: Option<ProcId>,
    pub(crate) second: Option<(SetId, &'a Rel)>,
    pub(crate) conclusion: &'a [SetId],
    pub(crate) equal: &'a [VarId],
}

pub(crate) struct Checker<'a> {
    pub(crate) program: &'a Program,
    pub(crate) space: &'a Space,
    pub(crate) certificate: &'a Certificate,
    budget: &'a Budget,
    cases: Cases,
    code: Code,
    /// Keys of instances that hold.
    seen: FxHashSet<Box<[u32]>>,
    key: Vec<u32>,
    report: CertReport,
}

impl Checker<'_> {
    /// Checks that a rule holds at one place.
    pub(crate) fn instance(
        &mut self,
        masks: &Masks,
        claim: Claim,
        node: NodeId,
        edge: Option<EdgeId>,
    ) -> Result<(), CertRefusal> {
        self.report.instances += 1;
        if self.report.instances.is_multiple_of(64) {
            self.budget.poll()?;
        }
        let Claim { rule, proc, hypotheses, first, role, callee, second, conclusion, equal } =
            claim;
        let empty = |set: SetId| set == SetId::empty();
        // Within a frame, what holds before nothing happens holds after it.
        let nothing_happens = !matches!(rule, Rule::C1 | Rule::C6)
            && role == Role::Local
            && first.is_identity()
            && hypotheses.iter().any(|set| conclusion.contains(set));
        if hypotheses.into_iter().any(empty)
            || second.is_some_and(|(summary, _)| empty(summary))
            || (equal.is_empty() && (conclusion.contains(&SetId::full()) || nothing_happens))
        {
            self.report.trivial += 1;
            return Ok(());
        }
        self.write_key(masks, &claim);
        if self.seen.contains(self.key.as_slice()) {
            self.report.repeated += 1;
            return Ok(());
        }
        self.budget.poll()?;
        let none = self.space.open();
        let instance = Instance {
            rule,
            program: self.program,
            space: self.space,
            sets: &self.certificate.sets,
            proc,
            hypotheses,
            first,
            role,
            callee,
            second,
            conclusion,
            unchanged: masks.mask(proc),
            around: callee.map_or(&none, |callee| masks.mask(callee)),
            equal,
        };
        let holds = match enumerate(&instance, self.cases, self.budget)? {
            Some(holds) => {
                self.report.enumerated += 1;
                holds
            }
            None => {
                self.report.solved += 1;
                prove(&instance, self.budget)?
            }
        };
        if !holds {
            let at = &self.program.nodes[node];
            let place = (self.program.proc_name(at.proc).to_owned(), at.origin.line);
            return Err(CertRefusal::Fails { rule, node, edge, place });
        }
        self.seen.insert(self.key.as_slice().into());
        Ok(())
    }

    /// Writes the instance's key: equal for instances that differ in names alone.
    fn write_key(&mut self, masks: &Masks, claim: &Claim) {
        let mut out = std::mem::take(&mut self.key);
        out.clear();
        out.extend([
            claim.rule as u32,
            claim.role as u32,
            claim.hypotheses[0].index() as u32,
            claim.hypotheses[1].index() as u32,
            masks.of[claim.proc] as u32,
            claim.conclusion.len() as u32,
            claim.equal.len() as u32,
        ]);
        out.extend(claim.conclusion.iter().map(|set| set.index() as u32));
        out.extend(claim.equal.iter().map(|&v| self.space.layout.slot(v).offset));
        self.relation_key(claim.first, &mut out);
        if let (Some(callee), Some((summary, back))) = (claim.callee, claim.second) {
            out.extend([summary.index() as u32, masks.of[callee] as u32]);
            self.relation_key(back, &mut out);
        }
        self.key = out;
    }

    fn relation_key(&mut self, rel: &Rel, out: &mut Vec<u32>) {
        self.code.compile(self.program, rel);
        let (program, space) = (self.program, self.space);
        let var = |out: &mut Vec<u32>, time: Time, var: VarId| {
            let info = &program.vars[var];
            let slot = space.layout.slot(var);
            let kind = match info.kind {
                VarKind::Global => 0,
                VarKind::Local(_) => 1,
                VarKind::Result(_) => 2,
            };
            let time = match time {
                Time::Pre => 0,
                Time::Post => 1,
                Time::Saved => 2,
            };
            let scalar = (info.ty.scalar == Scalar::Bool) as u32;
            let lo = info.ty.array.map_or(0, |dim| dim.lo);
            out.push(kind | time << 2 | scalar << 4 | (info.ty.array.is_some() as u32) << 5);
            out.extend([slot.offset, slot.width, slot.cells, lo as u32, (lo >> 32) as u32]);
        };
        let code = &self.code;
        out.extend([code.ops.len() as u32, code.before as u32]);
        out.extend([code.guard, code.constraint].map(|r| r.map_or(u32::MAX, |r| r)));
        for &op in &code.ops {
            match op {
                Op::Const(v) => {
                    out.push(0);
                    out.extend((0..4).map(|i| (v >> (32 * i)) as u32));
                }
                Op::Read(time, v) => {
                    out.push(1);
                    var(out, time, v);
                }
                Op::Index { time, var: v, index } => {
                    out.extend([2, index]);
                    var(out, time, v);
                }
                Op::Choice(k) => out.extend([3, k]),
                Op::Not(a) => out.extend([4, a]),
                Op::Binary(op, a, b) => out.extend([5, op as u32, a, b]),
                Op::Ite(c, a, b) => out.extend([6, c, a, b]),
            }
        }
        out.push(code.assigns.len() as u32);
        for assign in &code.assigns {
            var(out, assign.time, assign.var);
            out.extend([assign.index, assign.value].map(|r| r.map_or(u32::MAX, |r| r)));
        }
    }
}
