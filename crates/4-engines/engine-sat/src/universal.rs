//! Universal summaries ([sat §4], Figures 2 and 3).
//!
//! A procedure that is not recursive is unrolled once, from an arbitrary entry, callees first; what
//! comes out is one formula from entry to exit, valid for every call. The loops of its control flow
//! are unrolled until they bring nothing new:
//!
//! - U1. Path edges are merged at every node, and nodes taken in weak topological order, so that
//!   nothing leaves a loop before the loop is done.
//! - U2. A path edge π_k at a join is kept iff some choices reach it with a state that differs from
//!   those of all rounds before: `∃ξ. γ_k ∧ ⋀_{j<k} (γ_j ⇒ ω_j ≠ ω_k)`. (Equation 9 as printed is
//!   satisfiable when the round is *not* recurring, and drops nodes that a run does not visit in
//!   every round.) If it is not kept, all its pairs are pairs of earlier rounds.
//! - U3. Arbitrary assignments can make these rounds exponentially many where the reachable states
//!   are found in two: after a few rounds equation 8 is asked, with few refinements.
//! - U4. A call is linked to the callee's summary at once, instead of to arbitrary values of what
//!   the callee modifies: so the summary is exact, and nothing is to be linked later.
//! - U5. A summary also tells for which entries a goal is reached inside.
//! - U6. What a summary consists of is reduced before it is copied into callers, or the summaries of
//!   T(N) would grow as 2^N.
//!
//! A procedure whose unrolling grows too large, is recursive, or calls such a one, is left to
//! the search of `search.rs`, which uses the universal summaries of the others.

use crate::paths::{Hit, How, Origin, Path, PathId, Place, Vector};
use crate::search::Search;
use analysis::call_order;
use check::StopReason;
use ir::{EdgeKind, Id, IndexVec, ProcId};
use logic::{Lit, reduce};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The summary of a procedure for every entry.
pub(crate) struct Universal {
    /// Inputs.
    pub(crate) entry: Vector,
    /// Over `entry` and choices, reduced.
    pub(crate) guard: Lit,
    pub(crate) exit: Vec<Lit>,
    /// The same, not reduced; `None` if the procedure never returns.
    pub(crate) path: Option<PathId>,
    pub(crate) inside: Vec<Inside>,
    /// Its calls: the callee, and the guard and values with which it is entered.
    pub(crate) calls: Vec<(ProcId, Lit, Vector)>,
}

/// A goal that is reached inside a procedure.
pub(crate) struct Inside {
    pub(crate) goal: usize,
    /// Over the entry and choices, reduced.
    pub(crate) guard: Lit,
    pub(crate) hits: Vec<Hit>,
}

/// A procedure that is being unrolled.
pub(crate) struct Unrolling {
    pub(crate) entry: Vector,
    /// Rounds of a loop for which equation 9 decides alone.
    pub(crate) patience: usize,
    pub(crate) exit: Option<PathId>,
    pub(crate) inside: BTreeMap<usize, Vec<Hit>>,
    pub(crate) calls: Vec<(ProcId, Lit, Vector)>,
}

/// Rounds after which an unrolling is given up.
const MANY_ROUNDS: usize = 300;

/// What became of the procedures.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) universal: u64,
    pub(crate) too_large: u64,
    /// The most rounds of a loop that brought something new: the recurrence diameter of U2.
    pub(crate) rounds: u64,
}

impl Search<'_> {
    /// Whether some procedure that the program calls could be unrolled.
    pub(crate) fn has_unrollable(&self) -> bool {
        let program = self.program();
        let mut recursive: IndexVec<ProcId, bool> = IndexVec::filled(false, program.procs.len());
        for edge in program.edges.iter() {
            if let EdgeKind::Call(call) = &edge.kind {
                recursive[call.callee] |= program.nodes[edge.source].proc == call.callee;
            }
        }
        call_order(program).iter().any(|component| match component.as_slice() {
            &[proc] => proc != program.entry && !recursive[proc],
            _ => false,
        })
    }

    /// Unrolls every procedure that the entry procedure may call, as far as they can be.
    pub(crate) fn unroll_all(&mut self) -> Result<Outcome, StopReason> {
        let program = self.program();
        let mut callees: IndexVec<ProcId, Vec<ProcId>> =
            IndexVec::filled(Vec::new(), program.procs.len());
        for edge in program.edges.iter() {
            if let EdgeKind::Call(call) = &edge.kind {
                callees[program.nodes[edge.source].proc].push(call.callee);
            }
        }
        let mut needed: IndexVec<ProcId, bool> = IndexVec::filled(false, program.procs.len());
        let mut stack = vec![program.entry];
        while let Some(proc) = stack.pop() {
            if !std::mem::replace(&mut needed[proc], true) {
                stack.extend(callees[proc].iter().copied());
            }
        }
        let mut outcome = Outcome::default();
        for component in call_order(program) {
            let &[proc] = component.as_slice() else { continue };
            let able = needed[proc]
                && proc != program.entry
                && callees[proc].iter().all(|&c| c != proc && self.universal[c].is_some());
            if !able {
                continue;
            }
            self.universal[proc] = self.unroll(proc)?;
            match &self.universal[proc] {
                Some(_) => {
                    outcome.universal += 1;
                    let nodes = program.procs[proc].node_ids();
                    let rounds = nodes.map(|n| self.kept[n].len()).max().unwrap_or(0);
                    outcome.rounds = outcome.rounds.max(rounds as u64);
                }
                None => outcome.too_large += 1,
            }
        }
        Ok(outcome)
    }

    /// The universal summary of a procedure; `None` if it is too large.
    fn unroll(&mut self, proc: ProcId) -> Result<Option<Universal>, StopReason> {
        let program = self.program();
        let first_path = self.paths.len();
        let start = program.procs[proc].entry;
        let bits = &self.context.at[start];
        let now: Vector = (0..bits.len).map(|_| self.aig.input()).collect();
        let entry = self.select(&self.context.entry[proc], bits, &now);
        self.unrolling = Some(Unrolling {
            entry: entry.clone(),
            patience: 3,
            exit: None,
            inside: BTreeMap::new(),
            calls: Vec::new(),
        });
        let origin = Origin::Start;
        let path = Path { place: Place::Node(start), guard: Lit::TRUE, entry, now, origin };
        self.arrive(path)?;
        let size_before = self.aig.len();
        let mut large = false;
        while let Some(item) = self.next() {
            self.visit(item)?;
            let rounds = match item.1 {
                u32::MAX => 0,
                _ => self.kept[ir::NodeId::new(item.2 as usize)].len(),
            };
            let grown = self.aig.len() - size_before;
            large = rounds > MANY_ROUNDS || grown > self.options.summary_limit.saturating_mul(20);
            if large {
                break;
            }
        }
        let unrolling = self.unrolling.take().expect("set above");
        let summary = match large {
            true => None,
            false => self.summarise(unrolling)?,
        };
        if summary.is_none() {
            self.clear_queue();
            for node in program.procs[proc].node_ids() {
                self.kept[node].clear();
                self.pending[node].clear();
            }
            self.exits[proc].clear();
            self.paths.truncate(first_path);
        }
        Ok(summary)
    }

    /// U5 and U6.
    fn summarise(&mut self, unrolling: Unrolling) -> Result<Option<Universal>, StopReason> {
        let entry = unrolling.entry;
        let (mut guard, mut exit) = (Lit::FALSE, Vec::new());
        if let Some(path) = unrolling.exit {
            let path = self.path(path).clone();
            (guard, exit) = self.smaller(path.guard, &entry, &path.now)?;
        }
        let mut inside = Vec::new();
        for (goal, hits) in unrolling.inside {
            let any = hits.iter().fold(Lit::FALSE, |any, hit| self.aig.or(any, hit.guard));
            let (guard, _) = self.smaller(any, &entry, &[])?;
            inside.push(Inside { goal, guard, hits });
        }
        let roots = exit.iter().copied().chain(inside.iter().map(|i| i.guard)).chain([guard]);
        if self.aig.size(roots) > self.options.summary_limit {
            return Ok(None);
        }
        let (path, calls) = (unrolling.exit, unrolling.calls);
        Ok(Some(Universal { entry, guard, exit, path, inside, calls }))
    }

    /// A relation from parameters to outputs, reduced if that is easily had.
    fn smaller(
        &mut self,
        guard: Lit,
        parameters: &[Lit],
        outputs: &[Lit],
    ) -> Result<(Lit, Vec<Lit>), StopReason> {
        let inputs = self.aig.support(outputs.iter().copied().chain([guard]));
        let functional = inputs.iter().all(|i| parameters.contains(i));
        if functional && self.aig.size(outputs.iter().copied().chain([guard])) <= 2 {
            return Ok((guard, outputs.to_vec()));
        }
        let reduced = reduce(&mut self.aig, &mut self.decider, guard, parameters, outputs);
        Ok(match reduced.map_err(|s| self.stopped(s))? {
            Some(reduced) => (reduced.guard, reduced.outputs),
            None => (guard, outputs.to_vec()),
        })
    }

    /// Instantiates the path edges of procedures with universal summaries by the entries that are
    /// reached, callers first: afterwards `kept` and `summaries` are those of the reachable frames,
    /// for these procedures too. `false` if that takes too much.
    pub(crate) fn instantiate(&mut self) -> Result<bool, StopReason> {
        let program = self.program();
        let most = self.aig.len() + self.options.summary_limit.saturating_mul(20);
        for proc in call_order(program).into_iter().flatten().rev() {
            let Some(universal) = self.universal[proc].take() else { continue };
            self.budget.poll()?;
            let mut contexts = Vec::new();
            for (guard, entry) in std::mem::take(&mut self.contexts[proc]) {
                let (place, now) = (Place::Exit(proc), Vector::default());
                let origin = Origin::Start;
                contexts.push(self.add(Path { place, guard, entry, now, origin }));
            }
            let merged = self.merge(&contexts)?;
            let mut map: FxHashMap<Lit, Lit> = FxHashMap::default();
            let mut guard = Lit::FALSE;
            if let Some(merged) = merged {
                let path = self.path(merged).clone();
                let (small, values) = self.smaller(path.guard, &[], &path.entry)?;
                guard = small;
                map.extend(universal.entry.iter().copied().zip(values));
            }
            let place = |search: &mut Self, id: PathId| -> Result<Option<PathId>, StopReason> {
                if guard == Lit::FALSE {
                    return Ok(None);
                }
                search.budget.poll()?;
                let path = search.path(id).clone();
                let mut roots: Vec<Lit> =
                    path.entry.iter().chain(path.now.iter()).copied().collect();
                roots.push(path.guard);
                let mut copy = search.aig.substitute(&roots, &map);
                let own = copy.pop().expect("the guard comes last");
                let guard = search.aig.and(own, guard);
                if !search.satisfiable(guard)? {
                    return Ok(None);
                }
                let now: Vector = copy.split_off(path.entry.len()).into();
                Ok(Some(search.add(Path { guard, entry: copy.into(), now, ..path })))
            };
            for node in program.procs[proc].node_ids() {
                let mut kept = Vec::new();
                for id in std::mem::take(&mut self.kept[node]) {
                    kept.extend(place(self, id)?);
                }
                self.kept[node] = kept;
            }
            if let Some(path) = universal.path {
                self.summaries[proc] = place(self, path)?.into_iter().collect();
            }
            for (callee, own, entry) in &universal.calls {
                if guard == Lit::FALSE {
                    break;
                }
                let mut roots = entry.to_vec();
                roots.push(*own);
                let mut copy = self.aig.substitute(&roots, &map);
                let own = copy.pop().expect("the guard comes last");
                let guard = self.aig.and(own, guard);
                if self.satisfiable(guard)? {
                    self.contexts[*callee].push((guard, copy.into()));
                }
            }
            self.universal[proc] = Some(universal);
            if self.aig.len() > most {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The hits of a goal inside a procedure, for traces.
    pub(crate) fn hits_inside(&self, proc: ProcId, goal: usize) -> &[Hit] {
        let inside = self.universal[proc].iter().flat_map(|u| &u.inside);
        inside.filter(|i| i.goal == goal).map(|i| i.hits.as_slice()).next().unwrap_or(&[])
    }
}

/// The path edge at which a hit is found, or at the call inside which it is.
pub(crate) fn path_of(hit: &Hit) -> PathId {
    match hit.how {
        How::At(path) => path,
        How::Inside { from, .. } => from,
    }
}
