//! Property-directed reachability with summaries ([gpdr], [spacer]).
//!
//! A *state* belongs to a cut point: the values at the entry of its frame and those now. A *derivation*
//! of a state is a tree of blocks; its height counts them. Frames over-approximate the states with
//! derivations of some height (may); facts are completed calls that exist (must).
//!
//! - PD1 (frames). A clause of level `i` at a cut point holds of all states with a derivation of height
//!   `i`. It is learned if, for every block that leads there, none of the states before it in frame
//!   `i - 1` leads out of it; states of the same cut point may be taken to satisfy it.
//! - PD2 (obligations). A cube of states from which a goal can be reached is to be excluded at a level,
//!   or reached. The lowest level comes first. Where a block leads into the cube from a state of the
//!   frame below, the states from which it does so with the same choices are an obligation there.
//! - PD3 (start). An obligation that contains an initial state is reached, and with it the goal.
//! - PD4 (calls). Where a block starts with a call, it is asked first whether its summary's frame admits
//!   what is wanted. If so, the facts of the callee are tried, one after the other; one that fits takes
//!   the call's place. If none does, a summary that would is an obligation of the callee.
//! - PD5 (facts). An obligation of a summary that comes back to the entry of its procedure is a completed
//!   call: the blocks on the way, one after the other, are a new fact. Whether the callee is entered with
//!   these values is for the caller's obligations to find out: facts are true of any entry.
//! - PD6 (generalisation). Of a cube that is excluded, the literals stay that the solvers needed; each of
//!   these is left out if the rest is excluded as well.
//! - PD7 (levels). When no goal is left within the highest frame, there is one more. Clauses that hold at
//!   the next level move there; where none stays behind at some level, the clauses above it are
//!   inductive, and what they exclude is never reached.
//!
//! Every obligation that is not excluded leads to an earlier one or to a new fact, and both are finite in
//! number: there are finitely many states. So every level comes to an end, and the levels do.

use crate::blocks::{Blocks, Place, PredId, Way, What, stopped};
use crate::facts::{Fact, FactId, Given, Rule};
use crate::frames::{Cube, Frames, Question};
use crate::lift::needed;
use check::{Budget, Progress, StopReason, Task};
use circuits::Account;
use ir::{Id, IndexVec, ProcId, define_id};
use logic::{Decider, Lit, StopFlag};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

define_id!(
    /// An obligation.
    ObId
);
define_id!(
    /// What obligations are for: a question, or a summary that somebody needs.
    AimId
);

/// How the states of an obligation lead on to those of the one it is for.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) rule: Rule,
    /// Values of the inputs that are no bits of the state.
    pub(crate) choices: Rc<[(Lit, bool)]>,
}

/// Something that is to be excluded or reached.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    /// None: the question itself.
    pred: Option<PredId>,
    cube: Cube,
    level: usize,
    aim: AimId,
    pub(crate) next: Option<(ObId, Link)>,
}

/// What obligations are for.
struct Aim {
    /// The obligation that needs a summary; none if it is a question.
    needs: Option<ObId>,
    ask: usize,
    done: bool,
}

/// A run that was found: initial values, and what follows.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) start: Vec<bool>,
    pub(crate) links: Vec<Link>,
}

pub(crate) struct Search<'a> {
    pub(crate) blocks: Blocks<'a>,
    pub(crate) frames: Frames,
    pub(crate) budget: &'a Budget,
    account: Account<'a>,
    pub(crate) facts: IndexVec<FactId, Fact>,
    pub(crate) facts_of: FxHashMap<PredId, Vec<FactId>>,
    pub(crate) given: FxHashMap<(Way, FactId), Rc<Given>>,
    pub(crate) obligations: IndexVec<ObId, Obligation>,
    aims: IndexVec<AimId, Aim>,
    heap: BinaryHeap<Reverse<(usize, u32)>>,
    /// The highest frame.
    pub(crate) top: usize,
    /// Where clauses are inductive: above this level.
    pub(crate) fixpoint: Option<usize>,
    /// For each question, a run if it is reached.
    pub(crate) found: Vec<Option<Found>>,
    /// Values of observations.
    pub(crate) seen: Vec<FxHashSet<Vec<bool>>>,
    pub(crate) obligations_met: u64,
}

/// A model of a question.
pub(crate) struct Model {
    pub(crate) values: FxHashMap<Lit, bool>,
}

impl Model {
    pub(crate) fn value(&self, input: Lit) -> bool {
        self.values.get(&input).copied().unwrap_or(false)
    }
}

/// Literals that may turn out to be needed, one after the other, before the rest is taken as it is.
const PATIENCE: usize = 12;

/// Obligations between two looks at memory.
const OFTEN: u64 = 16;

impl<'a> Search<'a> {
    pub(crate) fn new(task: &'a Task, budget: &'a Budget) -> Result<Search<'a>, StopReason> {
        let flag = budget.clone();
        let stop: StopFlag = std::sync::Arc::new(move || flag.poll().is_err());
        let mut decider: Decider = Decider::new(stop.clone());
        let blocks = Blocks::new(task, &mut decider, budget)?;
        let frames = Frames::new(&blocks, stop);
        let asks = blocks.asks.len();
        Ok(Search {
            blocks,
            frames,
            budget,
            account: Account::new(budget),
            facts: IndexVec::new(),
            facts_of: FxHashMap::default(),
            given: FxHashMap::default(),
            obligations: IndexVec::new(),
            aims: IndexVec::new(),
            heap: BinaryHeap::new(),
            top: 0,
            fixpoint: None,
            found: vec![None; asks],
            seen: vec![FxHashSet::default(); asks],
            obligations_met: 0,
        })
    }

    /// PD7: until every question is reached, or the rest never is.
    pub(crate) fn run(&mut self) -> Result<(), StopReason> {
        loop {
            self.top += 1;
            self.budget.report(Progress { phase: "level", done: self.top as u64, total: None });
            let mut open = false;
            for ask in 0..self.blocks.asks.len() {
                if self.found[ask].is_none() && !self.blocks.asks[ask].ways.is_empty() {
                    self.settle(ask)?;
                    open |= self.found[ask].is_none();
                }
            }
            if !open {
                // What has no way is not reached: the empty set of clauses is inductive.
                self.fixpoint.get_or_insert(self.top);
                return Ok(());
            }
            if let Some(level) = self.propagate()? {
                self.fixpoint = Some(level);
                return Ok(());
            }
        }
    }

    /// A question at the highest frame: it is reached, or excluded there.
    fn settle(&mut self, ask: usize) -> Result<(), StopReason> {
        loop {
            let (needs, done) = (None, false);
            let aim = self.aims.push(Aim { needs, ask, done });
            let (cube, level) = (Cube::from([]), self.top + 1);
            self.push(Obligation { pred: None, cube, level, aim, next: None });
            let reached = self.meet()?;
            self.heap.clear();
            self.obligations = IndexVec::new();
            self.aims = IndexVec::new();
            let Some(found) = reached else { return Ok(()) };
            if let What::Observation(_) = self.blocks.asks[ask].what {
                self.observed(ask, &found)?;
            } else {
                self.found[ask] = Some(found);
                return Ok(());
            }
        }
    }

    fn push(&mut self, obligation: Obligation) -> ObId {
        let level = obligation.level;
        let id = self.obligations.push(obligation);
        self.heap.push(Reverse((level, id.index() as u32)));
        id
    }

    /// Notes an observed valuation, and asks for others from then on.
    fn observed(&mut self, ask: usize, found: &Found) -> Result<(), StopReason> {
        let values = self.final_values(found)?;
        for way in self.blocks.asks[ask].ways.clone() {
            let target = &mut self.blocks.blocks[way.block].targets[way.target as usize];
            let mut same = Lit::TRUE;
            for (&out, &value) in target.outs.iter().zip(&values) {
                same = self.blocks.aig.and(same, out.xor_sign(!value));
            }
            target.guard = self.blocks.aig.and(target.guard, !same);
            self.given.retain(|(other, _), _| *other != way);
        }
        self.seen[ask].insert(values);
        Ok(())
    }

    /// PD2: meets obligations, the lowest first. A run, if one was found.
    fn meet(&mut self) -> Result<Option<Found>, StopReason> {
        while let Some(Reverse((_, id))) = self.heap.pop() {
            let id = ObId::new(id as usize);
            self.obligations_met += 1;
            self.budget.work(1)?;
            if self.obligations_met.is_multiple_of(OFTEN) {
                let bytes = self.blocks.aig.bytes() as u64 + self.frames.bytes();
                self.account.set(bytes + 200 * self.obligations.len() as u64)?;
            }
            if !self.is_alive(id) {
                continue;
            }
            if let Some(found) = self.meet_one(id)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether anybody needs the obligation still.
    fn is_alive(&self, id: ObId) -> bool {
        let mut at = id;
        loop {
            let aim = &self.aims[self.obligations[at].aim];
            match (aim.done, aim.needs) {
                (true, _) => return false,
                (false, None) => return true,
                (false, Some(next)) => at = next,
            }
        }
    }

    fn meet_one(&mut self, id: ObId) -> Result<Option<Found>, StopReason> {
        let Obligation { pred, cube, level, aim, .. } = self.obligations[id].clone();
        if let Some(pred) = pred {
            // PD5.
            if let Place::Entry(proc) = self.blocks.preds[pred].place
                && self.aims[aim].needs.is_some()
            {
                self.complete(id, proc)?;
                self.aims[aim].done = true;
                return Ok(None);
            }
            if self.frames.excludes(pred, &cube, level) {
                self.later(id, level);
                return Ok(None);
            }
        }
        let ways = match pred {
            Some(pred) => self.blocks.heads[pred].clone(),
            None => self.blocks.asks[self.aims[aim].ask].ways.clone(),
        };
        for way in ways {
            let source = self.blocks.blocks[way.block].source;
            if source.is_some() && level == 1 {
                continue;
            }
            let outside = pred.map(|pred| (pred, &cube[..]));
            let rule = Rule { way, fact: None };
            let Some((roots, model)) = self.try_rule(rule, &cube, level - 1, outside)? else {
                continue;
            };
            let Some(source) = source else {
                // PD3.
                return Ok(Some(self.trail(id, &model)));
            };
            let child = match self.blocks.blocks[way.block].call {
                None => self.before(rule, source, &roots, &model),
                Some(_) => match self.by_fact(way, source, &cube, level - 1, outside)? {
                    Some(child) => child,
                    None => {
                        self.need_summary(id, way, &roots, &model);
                        self.heap.push(Reverse((level, id.index() as u32)));
                        return Ok(None);
                    }
                },
            };
            let (cube, link) = child;
            let (pred, next) = (Some(source), Some((id, link)));
            self.push(Obligation { pred, cube, level: level - 1, aim, next });
            self.heap.push(Reverse((level, id.index() as u32)));
            return Ok(None);
        }
        if let Some(pred) = pred {
            let (cube, reached) = self.generalise(pred, &cube, level)?;
            self.frames.add(pred, cube, reached);
            self.later(id, reached);
        }
        Ok(None)
    }

    /// An obligation of a question that is excluded up to a level is looked at again at the next one.
    fn later(&mut self, id: ObId, level: usize) {
        let obligation = &mut self.obligations[id];
        if level < self.top && self.aims[obligation.aim].needs.is_none() {
            obligation.level = level + 1;
            self.heap.push(Reverse((level + 1, id.index() as u32)));
        }
    }

    /// The functions that must hold for a rule to lead into a cube.
    pub(crate) fn roots(&mut self, rule: Rule, cube: &[(u32, bool)]) -> Option<Vec<Lit>> {
        let given = rule.fact.map(|fact| self.given(rule.way, fact));
        let target = &self.blocks.blocks[rule.way.block].targets[rule.way.target as usize];
        let (guard, outs) = match &given {
            Some(given) => (given.guard, &given.outs),
            None => (target.guard, &target.outs),
        };
        let mut roots = vec![guard];
        roots.extend(cube.iter().map(|&(bit, value)| outs[bit as usize].xor_sign(!value)));
        roots.retain(|&lit| lit != Lit::TRUE);
        (!roots.contains(&Lit::FALSE)).then_some(roots)
    }

    /// Whether a rule leads into a cube from a frame.
    fn try_rule(
        &mut self,
        rule: Rule,
        cube: &[(u32, bool)],
        level: usize,
        outside: Option<(PredId, &[(u32, bool)])>,
    ) -> Result<Option<(Vec<Lit>, Model)>, StopReason> {
        let Some(roots) = self.roots(rule, cube) else { return Ok(None) };
        let block = rule.way.block;
        let call = self.blocks.blocks[block].call.as_ref();
        let summary = rule.fact.is_none() && call.is_some();
        let mut all = roots.clone();
        if summary && let Some(call) = call {
            all.extend_from_slice(&call.summary);
        }
        let question = Question { block, level, summary, roots: &roots, outside };
        let answer = self.frames.ask(&mut self.blocks, question);
        if !answer.map_err(|_| stopped(self.budget))? {
            return Ok(None);
        }
        let mut values = FxHashMap::default();
        for input in self.blocks.aig.support(all) {
            let value = self.frames.value(block, input);
            values.insert(input, value);
        }
        Ok(Some((roots, Model { values })))
    }

    /// The states from which a rule leads on as in the model.
    fn before(&self, rule: Rule, source: PredId, roots: &[Lit], model: &Model) -> (Cube, Link) {
        let inputs = &self.blocks.preds[source].inputs;
        let place: FxHashMap<Lit, u32> =
            inputs.iter().enumerate().map(|(i, &lit)| (lit, i as u32)).collect();
        let aig = &self.blocks.aig;
        let found = needed(aig, roots, |i| model.value(i), |i| place.contains_key(&i));
        let mut cube: Vec<(u32, bool)> =
            found.into_iter().map(|lit| (place[&lit], model.value(lit))).collect();
        cube.sort_unstable();
        let mut choices: Vec<(Lit, bool)> = model
            .values
            .iter()
            .map(|(&l, &v)| (l, v))
            .filter(|(l, _)| !place.contains_key(l))
            .collect();
        choices.sort_unstable();
        (cube.into(), Link { rule, choices: choices.into() })
    }

    /// PD4: a fact in place of a call.
    fn by_fact(
        &mut self,
        way: Way,
        source: PredId,
        cube: &[(u32, bool)],
        level: usize,
        outside: Option<(PredId, &[(u32, bool)])>,
    ) -> Result<Option<(Cube, Link)>, StopReason> {
        let Some(call) = &self.blocks.blocks[way.block].call else { return Ok(None) };
        let facts = self.facts_of.get(&call.exit).cloned().unwrap_or_default();
        for fact in facts.into_iter().rev() {
            let rule = Rule { way, fact: Some(fact) };
            if let Some((roots, model)) = self.try_rule(rule, cube, level, outside)? {
                return Ok(Some(self.before(rule, source, &roots, &model)));
            }
        }
        Ok(None)
    }

    /// PD4: the summary that a model rests on becomes an obligation.
    fn need_summary(&mut self, id: ObId, way: Way, roots: &[Lit], model: &Model) {
        let Some(call) = &self.blocks.blocks[way.block].call else { return };
        let aig = &self.blocks.aig;
        let (entered, left) = call.summary.split_at(call.at_entry);
        let place: FxHashMap<Lit, u32> =
            left.iter().enumerate().map(|(i, &lit)| (lit, (call.at_entry + i) as u32)).collect();
        let values = aig.eval(entered, |input| model.value(input));
        let mut cube: Vec<(u32, bool)> =
            values.into_iter().enumerate().map(|(i, v)| (i as u32, v)).collect();
        let found = needed(aig, roots, |i| model.value(i), |i| place.contains_key(&i));
        cube.extend(found.into_iter().map(|lit| (place[&lit], model.value(lit))));
        cube.sort_unstable();
        let (pred, level) = (Some(call.exit), self.obligations[id].level - 1);
        let ask = self.aims[self.obligations[id].aim].ask;
        let aim = self.aims.push(Aim { needs: Some(id), ask, done: false });
        self.push(Obligation { pred, cube: cube.into(), level, aim, next: None });
    }

    /// PD3: the run from an initial state along the obligations.
    fn trail(&self, id: ObId, model: &Model) -> Found {
        let pred = self.obligations[id].pred.expect("runs start at an entry");
        let start = self.blocks.preds[pred].inputs.iter().map(|&i| model.value(i)).collect();
        Found { start, links: self.links(id) }
    }

    /// How an obligation leads on, up to what it is for.
    pub(crate) fn links(&self, id: ObId) -> Vec<Link> {
        let mut links = Vec::new();
        let mut at = &self.obligations[id];
        while let Some((next, link)) = &at.next {
            links.push(link.clone());
            at = &self.obligations[*next];
        }
        links
    }

    /// PD1: whether a cube can be excluded at a level; if so, the literals that were needed.
    fn excluded(
        &mut self,
        pred: PredId,
        cube: &[(u32, bool)],
        level: usize,
    ) -> Result<Option<Vec<(u32, bool)>>, StopReason> {
        let mut used = vec![false; cube.len()];
        for at in 0..self.blocks.heads[pred].len() {
            let way = self.blocks.heads[pred][at];
            let block = &self.blocks.blocks[way.block];
            if block.source.is_some() && level == 1 {
                continue;
            }
            let summary = block.call.is_some();
            let target = &block.targets[way.target as usize];
            let mut roots = vec![target.guard];
            let lits = cube.iter().map(|&(bit, v)| target.outs[bit as usize].xor_sign(!v));
            let lits: Vec<Lit> = lits.collect();
            if target.guard == Lit::FALSE {
                continue;
            }
            // A literal that never holds is enough: best one that is needed anyway.
            let never = |used: &[bool]| {
                let mut list = (0..cube.len()).filter(|&i| lits[i] == Lit::FALSE);
                let first = list.clone().next();
                list.find(|&i| used[i]).or(first)
            };
            if let Some(i) = never(&used) {
                used[i] = true;
                continue;
            }
            roots.extend(lits.iter().filter(|&&l| l != Lit::TRUE));
            let outside = Some((pred, cube));
            let question =
                Question { block: way.block, level: level - 1, summary, roots: &roots, outside };
            let answer = self.frames.ask(&mut self.blocks, question);
            if answer.map_err(|_| stopped(self.budget))? {
                // The one that fails is likely to fail again.
                self.blocks.heads[pred].swap(0, at);
                return Ok(None);
            }
            for (i, &lit) in lits.iter().enumerate() {
                if !used[i] && lit != Lit::TRUE && self.frames.failed(way.block, lit) {
                    used[i] = true;
                }
            }
        }
        Ok(Some(cube.iter().zip(used).filter(|(_, used)| *used).map(|(&lit, _)| lit).collect()))
    }

    /// PD6: a smaller cube that is excluded, and the highest level at which it is.
    fn generalise(
        &mut self,
        pred: PredId,
        cube: &[(u32, bool)],
        level: usize,
    ) -> Result<(Cube, usize), StopReason> {
        let mut cube = self.excluded(pred, cube, level)?.unwrap_or_else(|| cube.to_vec());
        let mut kept: FxHashSet<(u32, bool)> = FxHashSet::default();
        while kept.len() < PATIENCE
            && let Some(at) = cube.iter().position(|lit| !kept.contains(lit))
        {
            let mut less = cube.clone();
            let lit = less.remove(at);
            match self.excluded(pred, &less, level)? {
                Some(smaller) => cube = smaller,
                None => {
                    kept.insert(lit);
                }
            }
        }
        let mut level = level;
        while level < self.top {
            match self.excluded(pred, &cube, level + 1)? {
                Some(smaller) => cube = smaller,
                None => break,
            }
            level += 1;
        }
        Ok((cube.into(), level))
    }

    /// PD7: moves clauses up; the level at which none stays behind.
    fn propagate(&mut self) -> Result<Option<usize>, StopReason> {
        for level in 1..=self.top {
            let mut stays = false;
            for pred in self.blocks.preds.ids() {
                let lemmas = &self.frames.frames[pred].lemmas;
                let cubes: Vec<Cube> =
                    lemmas.iter().filter(|l| l.level == level).map(|l| l.cube.clone()).collect();
                for cube in cubes {
                    self.budget.poll()?;
                    // It may have gone since.
                    if self.frames.excludes(pred, &cube, level + 1) {
                        continue;
                    }
                    match self.excluded(pred, &cube, level + 1)? {
                        Some(smaller) => {
                            self.frames.add(pred, smaller.into(), level + 1);
                        }
                        None => stays = true,
                    }
                }
            }
            if !stays {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// A state of an obligation at an entry.
    pub(crate) fn some_state(&self, id: ObId) -> (PredId, Vec<bool>) {
        let obligation = &self.obligations[id];
        let pred = obligation.pred.expect("it is at an entry");
        let mut state = vec![false; self.blocks.preds[pred].inputs.len()];
        for &(bit, value) in obligation.cube.iter() {
            state[bit as usize] = value;
        }
        (pred, state)
    }

    /// The procedure that a cut point belongs to.
    pub(crate) fn proc_of(&self, pred: PredId) -> ProcId {
        match self.blocks.preds[pred].place {
            Place::Entry(proc) | Place::Exit(proc) => proc,
            Place::Node(node) => self.blocks.context.program.nodes[node].proc,
        }
    }
}
