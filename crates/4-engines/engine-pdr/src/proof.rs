//! Proofs: the clauses that are inductive at cut points, and clauses for the nodes in between.
//!
//! A node inside of blocks needs clauses that hold of whatever the blocks bring there, and that exclude
//! what its own edges would lead to outside of the clauses behind them, or into a goal. They are found
//! backwards: the nodes behind first. A state that leads outside is lifted to a cube; since the blocks as
//! a whole lead nowhere outside, none of them brings a state of the cube, and those of its literals stay
//! that this rests on.

use crate::blocks::{Place, PredId, stopped};
use crate::compact::Compact;
use crate::frames::{Cube, Question};
use crate::lift::needed;
use crate::search::Search;
use check::{Area, Certificate, Goal, ProcClaim, SetBit, StateSets, StopReason, Task};
use circuits::Bits;
use ir::{EdgeKind, Exprs, IndexVec, NodeId, ProcId, VarKind};
use logic::{Batsat, Clauses, Lit};
use rustc_hash::FxHashMap;

/// Clauses that a node may need; a proof with more is given up.
const MANY: usize = 3_000;

/// Cubes that are excluded.
type Cubes = Vec<Cube>;

impl Search<'_> {
    /// The clauses above the fixpoint, for every node; none if they are too many.
    pub(crate) fn certificate(
        &mut self,
        task: &Task,
        held: &[usize],
    ) -> Result<Option<Certificate>, StopReason> {
        let Some(level) = self.fixpoint else { return Ok(None) };
        let program = self.blocks.context.program;
        let mut cubes: IndexVec<NodeId, Cubes> = IndexVec::filled(Vec::new(), program.nodes.len());
        let mut order: Vec<NodeId> = program.nodes.ids().collect();
        order.sort_by_key(|&node| self.blocks.order[node]);
        for node in program.nodes.ids() {
            if let Some(pred) = self.blocks.node_pred[node] {
                cubes[node] = self.inductive(pred, level);
            }
        }
        for &node in order.iter().rev() {
            self.budget.poll()?;
            cubes[node] = match self.blocks.node_pred[node] {
                Some(_) => continue,
                None if self.blocks.inside[node].is_empty() => vec![Cube::from([])],
                None => match self.between(task, held, node, level, &cubes)? {
                    Some(found) => found,
                    None => return Ok(None),
                },
            };
        }
        let mut sets = StateSets::new();
        let mut compact = Compact::new(self.budget);
        let mut path = IndexVec::new();
        for (node, info) in program.nodes.enumerate() {
            self.budget.poll()?;
            let bits = self.set_bits(info.proc, &self.blocks.context.at[node]);
            path.push(compact.set(&mut sets, &cubes[node], &bits));
        }
        let mut procs = IndexVec::new();
        for proc in program.procs.ids() {
            let bits = self.set_bits(proc, &self.blocks.context.exit[proc]);
            let cubes = match self.blocks.exit_pred[proc] {
                Some(pred) => self.inductive(pred, level),
                None => vec![Cube::from([])],
            };
            let summary = compact.set(&mut sets, &cubes, &bits);
            let globals = program.globals.iter().copied();
            let mod_ref = &self.blocks.context.mod_ref;
            let unchanged = globals.filter(|&g| !mod_ref.modifies(proc, g)).collect();
            procs.push(ProcClaim { summary, unchanged });
        }
        Ok(Some(Certificate { sets, path, procs, repeat: None }))
    }

    /// The cubes that a cut point excludes for ever.
    fn inductive(&self, pred: PredId, level: usize) -> Cubes {
        let lemmas = &self.frames.frames[pred].lemmas;
        lemmas.iter().filter(|l| l.level > level).map(|l| l.cube.clone()).collect()
    }

    /// The bits of a set: at entry, and now.
    fn set_bits(&self, proc: ProcId, now: &Bits) -> Vec<SetBit> {
        let context = &self.blocks.context;
        let mut out = Vec::new();
        for (bits, at_entry) in [(&context.entry[proc], true), (now, false)] {
            for var in bits.vars() {
                let area = match (context.program.vars[var].kind, at_entry) {
                    (VarKind::Global, true) => Area::EntryGlobal,
                    (VarKind::Global, false) => Area::Global,
                    (VarKind::Local(_), true) => Area::EntryLocal,
                    (VarKind::Local(_), false) => Area::Local,
                    (VarKind::Result(_), _) => Area::Result,
                };
                let slot = context.layout.slot(var).bits();
                out.extend(slot.map(|index| SetBit { area, index }));
            }
        }
        out
    }

    /// The clauses of a node inside of blocks; none if they are too many.
    fn between(
        &mut self,
        task: &Task,
        held: &[usize],
        node: NodeId,
        level: usize,
        cubes: &IndexVec<NodeId, Cubes>,
    ) -> Result<Option<Cubes>, StopReason> {
        let program = self.blocks.context.program;
        let proc = program.nodes[node].proc;
        let aig = &mut self.blocks.aig;
        let entry: Vec<Lit> =
            (0..self.blocks.context.entry[proc].len).map(|_| aig.input()).collect();
        let now: Vec<Lit> = (0..self.blocks.context.at[node].len).map(|_| aig.input()).collect();
        let mut outside: Vec<[Lit; 2]> = Vec::new();
        for edge in program.out_edges(node) {
            let (to, rel) = match &program.edges[edge].kind {
                EdgeKind::Local { target, rel } => (Some(*target), rel),
                EdgeKind::Return { rel } => (None, rel),
                EdgeKind::Call(_) => continue,
            };
            let (guard, after) = self.blocks.apply(node, proc, rel, to, &now);
            let excluded = match (to, self.blocks.exit_pred[proc]) {
                (Some(to), _) => cubes[to].clone(),
                (None, Some(pred)) => self.inductive(pred, level),
                (None, None) => Vec::new(),
            };
            let values: Vec<Lit> = entry.iter().chain(&after).copied().collect();
            let aig = &mut self.blocks.aig;
            for cube in excluded {
                let lits = cube.iter().map(|&(bit, v)| values[bit as usize].xor_sign(!v));
                outside.push([aig.and_all(lits), guard]);
            }
        }
        for &goal in held {
            let Goal::Reach(targets) = &task.goals[goal] else { continue };
            for target in targets.iter().filter(|target| target.node == node) {
                let holds = match target.condition {
                    Exprs::TRUE => Lit::TRUE,
                    expr => self.blocks.holds(node, &now, expr, 0),
                };
                outside.push([holds, Lit::TRUE]);
            }
        }
        let bits: Vec<Lit> = entry.into_iter().chain(now).collect();
        self.exclude_all(node, level, &bits, &outside)
    }

    /// Cubes, excluded by what the blocks bring, with which none of the given pairs of functions can hold.
    fn exclude_all(
        &mut self,
        node: NodeId,
        level: usize,
        bits: &[Lit],
        outside: &[[Lit; 2]],
    ) -> Result<Option<Cubes>, StopReason> {
        let mut found: Cubes = Vec::new();
        let place: FxHashMap<Lit, u32> =
            bits.iter().enumerate().map(|(i, &lit)| (lit, i as u32)).collect();
        let flag = self.budget.clone();
        let stop = std::sync::Arc::new(move || flag.poll().is_err());
        let mut solver: Clauses<Batsat> = Clauses::new(stop);
        for pair in outside.iter().filter(|pair| !pair.contains(&Lit::FALSE)) {
            loop {
                let answer = solver.solve(&self.blocks.aig, pair);
                if !answer.map_err(|_| stopped(self.budget))? {
                    break;
                }
                let aig = &self.blocks.aig;
                let mut model: FxHashMap<Lit, bool> = FxHashMap::default();
                for input in aig.support(pair.iter().copied()) {
                    model.insert(input, solver.value(input));
                }
                let lift = |roots: &[Lit]| {
                    let lits = needed(aig, roots, |i| model[&i], |i| place.contains_key(&i));
                    let mut cube: Vec<(u32, bool)> =
                        lits.into_iter().map(|lit| (place[&lit], model[&lit])).collect();
                    cube.sort_unstable();
                    cube
                };
                // Often what is excluded behind the edge is excluded before it, whatever the guard.
                let (behind, cube) = (lift(&pair[..1]), lift(pair));
                let cube = match self.brings_none(node, level, &behind)? {
                    Some(cube) => cube,
                    None => self.not_brought(node, level, cube)?.ok_or_else(|| {
                        let what = "the clauses found are not inductive".to_owned();
                        StopReason::Internal { what }
                    })?,
                };
                let clause: Vec<Lit> =
                    cube.iter().map(|&(bit, v)| bits[bit as usize].xor_sign(v)).collect();
                let required = solver.require_any(&self.blocks.aig, &clause);
                required.map_err(|_| stopped(self.budget))?;
                found.push(cube.into());
                if found.len() > MANY {
                    return Ok(None);
                }
            }
        }
        Ok(Some(found))
    }

    /// The part of a cube that is enough for no block to bring it; none if one does.
    fn not_brought(
        &mut self,
        node: NodeId,
        level: usize,
        cube: Vec<(u32, bool)>,
    ) -> Result<Option<Vec<(u32, bool)>>, StopReason> {
        let Some(mut cube) = self.brings_none(node, level, &cube)? else { return Ok(None) };
        let mut at = 0;
        while at < cube.len() {
            let mut less = cube.clone();
            less.remove(at);
            match self.brings_none(node, level, &less)? {
                Some(smaller) => cube = smaller,
                None => at += 1,
            }
        }
        Ok(Some(cube))
    }

    fn brings_none(
        &mut self,
        node: NodeId,
        level: usize,
        cube: &[(u32, bool)],
    ) -> Result<Option<Vec<(u32, bool)>>, StopReason> {
        let mut used = vec![false; cube.len()];
        for (id, at) in self.blocks.inside[node].clone() {
            let block = &self.blocks.blocks[id];
            let visit = &block.visits[at];
            let len = block.entry.len();
            let lits: Vec<Lit> = cube
                .iter()
                .map(|&(bit, v)| {
                    let bit = bit as usize;
                    let lit = if bit < len { block.entry[bit] } else { visit.now[bit - len] };
                    lit.xor_sign(!v)
                })
                .collect();
            let never = (0..cube.len()).filter(|&i| lits[i] == Lit::FALSE);
            if let Some(i) = never.clone().find(|&i| used[i]).or(never.clone().next()) {
                used[i] = true;
                continue;
            }
            let mut roots = vec![visit.guard];
            roots.extend(&lits);
            roots.retain(|&lit| lit != Lit::TRUE);
            let summary = block.call.is_some();
            let question =
                Question { block: id, level: level + 1, summary, roots: &roots, outside: None };
            let answer = self.frames.ask(&mut self.blocks, question);
            if answer.map_err(|_| stopped(self.budget))? {
                return Ok(None);
            }
            for (i, &lit) in lits.iter().enumerate() {
                if !used[i] && lit != Lit::TRUE && self.frames.failed(id, lit) {
                    used[i] = true;
                }
            }
        }
        Ok(Some(cube.iter().zip(used).filter(|(_, used)| *used).map(|(&lit, _)| lit).collect()))
    }

    /// How many cut points of each kind there are: entries, nodes, exits.
    pub(crate) fn count(&self) -> [u64; 3] {
        let mut out = [0; 3];
        for pred in self.blocks.preds.iter() {
            out[match pred.place {
                Place::Entry(_) => 0,
                Place::Node(_) => 1,
                Place::Exit(_) => 2,
            }] += 1;
        }
        out
    }
}
