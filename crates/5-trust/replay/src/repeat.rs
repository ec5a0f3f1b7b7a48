//! Checking why no run carries every mark infinitely often: rules C7 to C9 of
//! [`check::RepeatClaim`].
//!
//! With `M` and `S` the sets of a mark `i`, and `H_r` those of a rank `r` with mark `μ_r`:
//!
//! | rule | hypothesis | summary | conclusion | for |
//! |---|---|---|---|---|
//! | C7 | `M[n]` | all | `M[m]`, or `S` at a return | every edge |
//! | C7 | `path[n]` | all | the same | an edge that carries `i` |
//! | C7 | `path[n]` | `S` | `M[m]` | a call that comes back |
//! | C8 | `path[n]` | | some `H_r[n]` | every node |
//! | C8 | `path[n] ∧ H_r[n]` | all | some `H_s[m]` with `s ≤ r` | every head edge |
//! | C9 | `path[n] ∧ H_r[n]` | all | some `H_s[m]` with `s < r` | one that carries `μ_r` |
//! | C9 | `path[n] ∧ H_r[n]` | `S` of `μ_r` | the same | a call that comes back |
//!
//! A head's rank is the first `r` with the head in `H_r`. The rules ask for every `r`, and that is
//! the same: for the first one they say what is wanted, and for later ones it follows from it.
//!
//! Two heads of rank `r` with an edge between them that carries `μ_r` break C9, since the second
//! is in no `H_s` with `s < r`.

use crate::certificate::{Bounds, CertRefusal, Checker, Claim, Masks, Rule};
use crate::machine::Role;
use check::{RepeatClaim, SetId};
use ir::{Call, EdgeKind, IndexVec, NodeId, Rel};
use std::slice::from_ref;

/// The ranks that have heads at a node, and their sets; from the lowest up.
#[derive(Clone, Default)]
struct Heads {
    ranks: Vec<u32>,
    sets: Vec<SetId>,
}

impl Heads {
    fn up_to(&self, rank: u32) -> &[SetId] {
        &self.sets[..self.ranks.partition_point(|&r| r <= rank)]
    }
    fn below(&self, rank: u32) -> &[SetId] {
        &self.sets[..self.ranks.partition_point(|&r| r < rank)]
    }
}

/// Checks C7 to C9 for a goal with so many marks.
pub(crate) fn check_repeat(
    checker: &mut Checker,
    masks: &mut Masks,
    marks: u32,
    bounds: &Bounds,
) -> Result<(), CertRefusal> {
    let certificate = checker.certificate;
    let Some(repeat) = &certificate.repeat else {
        return Err(CertRefusal::Malformed("the certificate says nothing of runs without end"));
    };
    let heads = well_formed(checker, repeat, marks, bounds)?;
    c7(checker, masks, repeat)?;
    c8_c9(checker, masks, repeat, &heads)
}

fn well_formed(
    checker: &Checker,
    repeat: &RepeatClaim,
    marks: u32,
    bounds: &Bounds,
) -> Result<IndexVec<NodeId, Heads>, CertRefusal> {
    let bad = |what| Err(CertRefusal::Malformed(what));
    let (program, space) = (checker.program, checker.space);
    if marks > ir::MAX_MARKS || repeat.marked.len() != marks as usize {
        return bad("the certificate is about another number of marks");
    }
    for marked in &repeat.marked {
        if marked.path.len() != program.nodes.len() || marked.summary.len() != program.procs.len() {
            return bad("the certificate is one of another program");
        }
        for (n, node) in program.nodes.enumerate() {
            if !bounds.path(space, node.proc, marked.path[n], true) {
                return bad("a path set of a mark speaks of bits that do not exist at its node");
            }
        }
        for p in program.procs.ids() {
            if !bounds.summary(space, p, marked.summary[p]) {
                return bad("a summary of a mark speaks of bits that do not exist at its exit");
            }
        }
    }
    let mut heads = IndexVec::filled(Heads::default(), program.nodes.len());
    if repeat.ranks.len() > u32::MAX as usize {
        return bad("there are too many ranks");
    }
    for (r, rank) in repeat.ranks.iter().enumerate() {
        if rank.mark >= marks {
            return bad("a rank has a mark that the goal does not have");
        }
        if !rank.heads.is_sorted_by(|a, b| a.0 < b.0) {
            return bad("the heads of a rank are not in order");
        }
        for &(n, set) in &rank.heads {
            let Some(node) = program.nodes.get(n) else {
                return bad("a rank has heads at a node that does not exist");
            };
            if !bounds.path(space, node.proc, set, false) {
                return bad("the set of a rank speaks of bits that a head does not have");
            }
            heads[n].ranks.push(r as u32);
            heads[n].sets.push(set);
        }
    }
    Ok(heads)
}

fn c7(checker: &mut Checker, masks: &mut Masks, repeat: &RepeatClaim) -> Result<(), CertRefusal> {
    let (program, certificate) = (checker.program, checker.certificate);
    let (path, procs) = (&certificate.path, &certificate.procs);
    let full = SetId::full();
    for (mark, marked) in repeat.marked.iter().enumerate() {
        for (id, edge) in program.edges.enumerate() {
            let proc = program.nodes[edge.source].proc;
            let carries = edge.marks >> mark & 1 == 1;
            let starts = [Some(marked.path[edge.source]), carries.then_some(path[edge.source])];
            let (first, role, callee, conclusion, equal): (&Rel, _, _, _, _) = match &edge.kind {
                EdgeKind::Local { target, rel } => {
                    (rel, Role::Local, None, &marked.path[*target], masks.assigned(proc, [rel]))
                }
                EdgeKind::Return { rel } => {
                    (rel, Role::Return, None, &marked.summary[proc], masks.assigned(proc, [rel]))
                }
                EdgeKind::Call(call) => {
                    let equal = masks.assigned_by_call(proc, call);
                    (&call.enter, Role::Enter, Some(&**call), &marked.path[call.ret], equal)
                }
            };
            let back = |summary: fn(&check::ProcClaim) -> SetId| {
                callee.map(|call: &Call| (summary(&procs[call.callee]), &call.back))
            };
            let claim = Claim {
                rule: Rule::C7,
                proc,
                hypotheses: [full; 2],
                first,
                role,
                callee: callee.map(|call| call.callee),
                second: back(|claim| claim.summary),
                conclusion: from_ref(conclusion),
                equal: &equal,
            };
            for start in starts.into_iter().flatten() {
                let claim = Claim { hypotheses: [start, full], ..claim };
                checker.instance(masks, claim, edge.source, Some(id))?;
            }
            if let Some(call) = callee {
                let second = Some((marked.summary[call.callee], &call.back));
                let hypotheses = [path[edge.source], full];
                let claim = Claim { hypotheses, second, ..claim };
                checker.instance(masks, claim, edge.source, Some(id))?;
            }
        }
    }
    Ok(())
}

fn c8_c9(
    checker: &mut Checker,
    masks: &Masks,
    repeat: &RepeatClaim,
    heads: &IndexVec<NodeId, Heads>,
) -> Result<(), CertRefusal> {
    let (program, certificate) = (checker.program, checker.certificate);
    let (path, procs) = (&certificate.path, &certificate.procs);
    let full = SetId::full();
    let nothing = Rel::identity();
    for (n, node) in program.nodes.enumerate() {
        let claim = Claim {
            rule: Rule::C8,
            proc: node.proc,
            hypotheses: [path[n], full],
            first: &nothing,
            role: Role::Local,
            callee: None,
            second: None,
            conclusion: &heads[n].sets,
            equal: &[],
        };
        checker.instance(masks, claim, n, None)?;
    }
    for (id, edge) in program.edges.enumerate() {
        let here = &heads[edge.source];
        for (&rank, &set) in here.ranks.iter().zip(&here.sets) {
            let mark = repeat.ranks[rank as usize].mark;
            let carries = edge.marks >> mark & 1 == 1;
            let claim = Claim {
                rule: Rule::C8,
                proc: program.nodes[edge.source].proc,
                hypotheses: [path[edge.source], set],
                first: &nothing,
                role: Role::Local,
                callee: None,
                second: None,
                conclusion: &[],
                equal: &[],
            };
            let mut leads = |claim: Claim, carries: bool, to: NodeId| {
                let (rule, conclusion) = match carries {
                    false => (Rule::C8, heads[to].up_to(rank)),
                    true => (Rule::C9, heads[to].below(rank)),
                };
                let claim = Claim { rule, conclusion, ..claim };
                checker.instance(masks, claim, edge.source, Some(id))
            };
            match &edge.kind {
                EdgeKind::Local { target, rel } => {
                    leads(Claim { first: rel, ..claim }, carries, *target)?;
                }
                EdgeKind::Return { .. } => {}
                EdgeKind::Call(call) => {
                    let (first, callee) = (&call.enter, Some(call.callee));
                    let claim = Claim { first, role: Role::Enter, callee, ..claim };
                    leads(claim, carries, program.procs[call.callee].entry)?;
                    let over = |summary| Claim { second: Some((summary, &call.back)), ..claim };
                    leads(over(procs[call.callee].summary), carries, call.ret)?;
                    if !carries {
                        let marked = &repeat.marked[mark as usize];
                        leads(over(marked.summary[call.callee]), true, call.ret)?;
                    }
                }
            }
        }
    }
    Ok(())
}
