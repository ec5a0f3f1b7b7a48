//! Replaying a listing: steps with places and some values, as a report has them.
//!
//! Unlike a [`check::Trace`], a listing names no edges, and lines may be shared by statements. So
//! it is simulated: at each listed step, every configuration of the program that agrees with the
//! listing so far is kept. A configuration's frames are kept apart: the frame on top is a node and
//! a cube ([`crate::cubes`]), together with a key that stands for the call which entered it; the
//! frames below keep, for each key, who made the call. Frames meet again only at the return, so
//! nothing is multiplied out.
//!
//! Edges that the listing does not show (running off the end, copying results) are followed
//! silently; if calls are among them, the frames change without a step ([`Simulation::spread`]). The inside of a folded call is not listed; whoever replays is asked whether it can
//! lead from what was known before the call to what is listed after it.

use crate::cubes::{self, Case, Cube, Image};
use crate::touched::{Touched, hides_calls, mark, mark_reads};
use check::{Budget, Goal, Partial, Target};
use ir::{Call, EdgeId, EdgeKind, NodeId, ProcId, Program, Rel, Scalar, Time, VarId, VarKind};
use replay::machine::{Machine, Role};
use replay::space::Space;
use replay::{Value, lists};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A listing to replay.
#[derive(Clone, Debug)]
pub struct Listed {
    /// In execution order.
    pub steps: Vec<ListedStep>,
    /// What the listing claims to reach.
    pub goal: Goal,
}

/// One entry of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedStep {
    /// The procedure on top.
    pub proc: ProcId,
    /// The statement's line.
    pub line: u32,
    /// How many frames are below.
    pub depth: usize,
    /// What holds just before the statement; variables in scope that are not listed may have any
    /// value.
    pub state: Vec<(VarId, Value)>,
    /// A call whose inside is not listed.
    pub folded: bool,
    /// The statement's column, if it is listed.
    pub column: Option<u32>,
    /// The statement's text, if it is listed.
    pub text: Option<String>,
}

/// Can the call lead from some valuation that agrees with `before` to some valuation that agrees
/// with `after`?
#[derive(Clone, Copy, Debug)]
pub struct UnlistedCall<'a> {
    /// The call.
    pub edge: EdgeId,
    /// Globals and the caller's locals before the call.
    pub before: &'a Partial,
    /// Globals and the caller's locals at the call's return node.
    pub after: &'a Partial,
}

/// What came of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program has a run that agrees with the listing and reaches the goal.
    Accepted {
        /// The first folded call, by the number of its step, that was answered for *some* value of
        /// a variable which it may read and of which nothing is known there: the listing does not
        /// tell what an earlier folded call, or a choice, made of it.
        assumed: Option<usize>,
    },
    /// It has none.
    Refuted {
        /// The first step that no run agrees with.
        step: usize,
        /// In what way.
        why: String,
    },
    /// Not known.
    Inconclusive {
        /// Why.
        why: String,
    },
}

/// Answers for folded calls; `None`: not known.
type Ask<'a> = dyn FnMut(UnlistedCall) -> Option<bool> + 'a;

/// Configurations kept at one step.
const MOST: usize = 1 << 12;

/// Up to so many configurations, values that depend on something free are kept apart …
const FEW: usize = 32;

/// … by deciding at most so many bits of it for each step.
const SPLITS: usize = 4;

/// Replays a listing. `ask` answers for folded calls; `None` means that it does not know.
pub fn replay_listed(
    program: &Program,
    listed: &Listed,
    budget: &Budget,
    ask: &mut dyn FnMut(UnlistedCall) -> Option<bool>,
) -> Outcome {
    let Goal::Reach(targets) = &listed.goal else {
        return Outcome::Inconclusive { why: "a run without end is replayed with its loop".into() };
    };
    let space = Space::new(program);
    let touched = match listed.steps.iter().any(|s| s.folded) {
        true => Some(Touched::new(program, &space)),
        false => None,
    };
    let mut simulation = Simulation::new(program, &space, budget, None);
    simulation.touched = touched;
    simulation.ask = Some(ask);
    match simulation.run(&listed.steps, targets) {
        Ok(outcome) => outcome,
        Err(why) => Outcome::Inconclusive { why },
    }
}

/// The frame on top of a configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Item {
    /// The call that entered it.
    pub(crate) key: u32,
    pub(crate) node: NodeId,
    pub(crate) cube: Cube,
    /// The first folded call answered for some value of something.
    assumed: Option<usize>,
    /// A folded call that is not yet asked about.
    folded: Option<Folded>,
    pub(crate) trail: Trail,
}

/// How a configuration came about in its frame: the last of some steps that are kept, or nothing.
/// Configurations that differ in nothing else are one, and the way found first is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trail(pub(crate) Option<u32>);

impl PartialEq for Trail {
    fn eq(&self, _: &Trail) -> bool {
        true
    }
}
impl Eq for Trail {}
impl std::hash::Hash for Trail {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// A step that is kept.
pub(crate) struct TrailStep {
    /// The way to it.
    pub(crate) parent: Trail,
    pub(crate) edge: EdgeId,
    /// What is known before it.
    pub(crate) before: Partial,
    /// For a call that came back: the way to its return.
    pub(crate) inside: Option<Trail>,
    /// For a return: what is known after it.
    pub(crate) exit: Option<Partial>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Folded {
    step: usize,
    edge: EdgeId,
    before: Partial,
    /// Bits that still have the value they had at the call's return node. Until it is asked
    /// about they count as free …
    fresh: Partial,
    /// … and what is decided of them, or listed, is what is asked for.
    after: Partial,
    /// Whether something that the call may read is blurred before it.
    assumes: bool,
}

/// A frame that was left.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Exit {
    key: u32,
    /// Globals and results.
    pub(crate) cube: Cube,
    assumed: Option<usize>,
    folded: Option<Folded>,
    /// The return included.
    pub(crate) trail: Trail,
}

/// Who made the calls into the frames of one level.
#[derive(Default)]
pub(crate) struct Level {
    pub(crate) keys: Vec<Vec<Caller>>,
    ids: FxHashMap<(EdgeId, Cube, Option<usize>), u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Caller {
    pub(crate) item: Item,
    edge: EdgeId,
    saved: Cube,
    /// The call included.
    pub(crate) trail: Trail,
}

/// Where one listed step leads.
#[derive(Default)]
pub(crate) struct Advance {
    pub(crate) stay: Vec<Item>,
    pub(crate) pushed: Vec<Item>,
    pub(crate) level: Level,
    pub(crate) exits: Vec<Exit>,
}

pub(crate) struct Simulation<'a> {
    pub(crate) program: &'a Program,
    pub(crate) space: &'a Space,
    pub(crate) machine: Machine<'a>,
    pub(crate) touched: Option<Touched>,
    pub(crate) budget: &'a Budget,
    /// Whether there are calls that listings do not show.
    pub(crate) hides: bool,
    /// Answers for folded calls.
    ask: Option<&'a mut Ask<'a>>,
    /// Bits to decide for the sake of assigned values.
    pub(crate) splits: usize,
    /// A configuration was dropped because something about it is not known.
    pub(crate) blurred: bool,
    /// Steps, if they are kept.
    pub(crate) trails: Option<Vec<TrailStep>>,
}

/// Where control may stand after a step, if calls may be among what the listing does not show.
pub(crate) struct Spread {
    /// By the number of frames below.
    pub(crate) items: BTreeMap<usize, Vec<Item>>,
    /// Out of the entry procedure.
    pub(crate) outside: Vec<Exit>,
}

/// Something that ends the simulation without an answer.
pub(crate) type Stop = String;

/// Where the simulation stands at the last step of a listing.
pub(crate) struct Standing {
    pub(crate) items: Vec<Item>,
    /// Of the frames below.
    pub(crate) levels: Vec<Level>,
}

impl<'a> Simulation<'a> {
    /// Without folded calls.
    pub(crate) fn new(
        program: &'a Program,
        space: &'a Space,
        budget: &'a Budget,
        trails: Option<Vec<TrailStep>>,
    ) -> Self {
        Simulation {
            program,
            space,
            machine: Machine::new(program, space),
            touched: None,
            budget,
            hides: hides_calls(program),
            ask: None,
            splits: SPLITS,
            blurred: false,
            trails,
        }
    }

    fn run(&mut self, steps: &[ListedStep], targets: &[Target]) -> Result<Outcome, Stop> {
        let Some(last) = steps.len().checked_sub(1) else {
            let advance = self.start()?;
            let items = self.spread(&mut Vec::new(), 0, advance, 1)?.items.into_values().flatten();
            return self.arrive(&[], items.collect(), 0, targets);
        };
        let Standing { items, mut levels } = match self.follow(steps, |_, _| {})? {
            Ok(standing) => standing,
            Err(refuted) => return Ok(refuted),
        };
        // A target that is no statement is reached by the last step: a failed assertion, mostly.
        let mut beyond = Vec::new();
        if targets.iter().any(|t| !self.program.nodes[t.node].statement) {
            let mut advance = self.advance(&items, steps[last].folded.then_some(last))?;
            if self.hides {
                let depth = steps[last].depth;
                let spread = self.spread(&mut levels, depth, advance, depth + 1)?;
                beyond.extend(spread.items.into_values().flatten());
            } else {
                beyond.append(&mut advance.pushed);
                loop {
                    beyond.append(&mut advance.stay);
                    let Some(level) = levels.pop() else { break };
                    advance = self.pop(&level, advance.exits)?;
                }
            }
        }
        self.arrive(&items, beyond, last, targets)
    }

    /// Simulates the listing up to its last step, which is not executed. `watch` sees the
    /// configurations that agree with each step.
    pub(crate) fn follow(
        &mut self,
        steps: &[ListedStep],
        mut watch: impl FnMut(usize, &[Item]),
    ) -> Result<Result<Standing, Outcome>, Stop> {
        let refuted =
            |step: usize, why: &str| Ok(Err(Outcome::Refuted { step, why: why.to_owned() }));
        let mut levels: Vec<Level> = Vec::new();
        let start = self.start()?;
        let first = steps.first().map_or(0, |first| first.depth);
        let mut items = match self.hides {
            true => self.spread_to(&mut levels, 0, start, first)?,
            false => start.stay,
        };
        if first != 0 && !self.hides {
            return refuted(0, "the first step is not at depth 0");
        }
        for (i, step) in steps.iter().enumerate() {
            if i % 64 == 0 {
                self.budget.poll().map_err(|reason| reason.to_string())?;
            }
            let listed = match self.listed_values(step) {
                Ok(listed) => listed,
                Err(why) => return refuted(i, &why),
            };
            items = self.matching(items, step, &listed);
            if items.is_empty() {
                return self.nothing_left(i, step).map(Err);
            }
            watch(i, &items);
            self.splits = if items.len() <= FEW { SPLITS } else { 0 };
            let Some(next) = steps.get(i + 1).map(|next| next.depth) else { break };
            if self.hides {
                let advance = self.advance(&items, step.folded.then_some(i))?;
                items = self.spread_to(&mut levels, step.depth, advance, next)?;
                continue;
            }
            if next > step.depth + 1 {
                return refuted(i + 1, "the depth jumps");
            }
            if step.folded && next > step.depth {
                return refuted(i + 1, "a folded call is entered");
            }
            let mut advance = self.advance(&items, step.folded.then_some(i))?;
            if next == step.depth + 1 {
                levels.push(advance.level);
                items = advance.pushed;
                continue;
            }
            for _ in next..step.depth {
                let Some(level) = levels.pop() else {
                    return refuted(i + 1, "the depth falls below the first step's");
                };
                advance = self.pop(&level, advance.exits)?;
            }
            items = advance.stay;
        }
        Ok(Ok(Standing { items, levels }))
    }

    /// The configurations to start with.
    pub(crate) fn start(&mut self) -> Result<Advance, Stop> {
        let mut out = Advance::default();
        out.stay = self.initial(&mut out.exits)?;
        Ok(out)
    }

    /// Those of [`Simulation::spread`] with so many frames below, and the frames.
    fn spread_to(
        &mut self,
        levels: &mut Vec<Level>,
        depth: usize,
        advance: Advance,
        next: usize,
    ) -> Result<Vec<Item>, Stop> {
        let mut spread = self.spread(levels, depth, advance, next)?;
        levels.truncate(next);
        Ok(spread.items.remove(&next).unwrap_or_default())
    }

    /// Where control may stand after a step of the frame that has `depth` frames below, and
    /// whatever the listing does not show after it: returns and calls. Frames with more than
    /// `deepest` frames below are not entered; what they might do unseen counts as not known.
    ///
    /// A frame that was entered now is told from one entered earlier by its key, even if it was
    /// entered from the same call with the same values.
    pub(crate) fn spread(
        &mut self,
        levels: &mut Vec<Level>,
        depth: usize,
        advance: Advance,
        deepest: usize,
    ) -> Result<Spread, Stop> {
        let program = self.program;
        let nothing = self.space.open();
        levels.truncate(depth);
        levels.push(advance.level);
        // Levels whose keys are told apart from earlier ones.
        let mut current: FxHashSet<usize> = FxHashSet::from_iter([depth]);
        let mut seen: BTreeMap<usize, Items> = BTreeMap::new();
        let mut gone: FxHashSet<(usize, Exit)> = FxHashSet::default();
        let (mut done, mut outside) = (Vec::new(), Vec::new());
        let mut exits: Vec<(usize, Exit)> =
            advance.exits.into_iter().map(|exit| (depth, exit)).collect();
        let mut work: Vec<(usize, Item)> = Vec::new();
        let mut count = 0;
        let mut settled = vec![(depth + 1, advance.pushed), (depth, advance.stay)];
        loop {
            for (at, items) in settled.drain(..) {
                let here = seen.entry(at).or_default();
                for item in items {
                    if here.add(item.clone()) {
                        count += 1;
                        work.push((at, item));
                    }
                }
            }
            if count > MOST {
                return Err("too many configurations agree with the listing".into());
            }
            let (at, items) = if let Some((at, exit)) = exits.pop() {
                if !gone.insert((at, exit.clone())) {
                    continue;
                }
                done.push((at, exit.clone()));
                match at.checked_sub(1) {
                    Some(below) => (below, self.come_back(&levels[below], &exit)?),
                    None => {
                        outside.push(exit);
                        continue;
                    }
                }
            } else if let Some((at, item)) = work.pop() {
                let mut entered = Items::default();
                for edge in program.out_edges(item.node).filter(|&e| !lists(program, e)) {
                    let EdgeKind::Call(call) = &program.edges[edge].kind else { continue };
                    let first = program.procs[call.callee].entry;
                    let seen_first = program.nodes[first].statement
                        && program.out_edges(first).all(|edge| lists(program, edge));
                    if at >= deepest {
                        self.blurred |= !seen_first;
                        continue;
                    }
                    // What a folded call before it did must be settled in this frame.
                    let Some(item) = self.unfold(item.clone(), &nothing) else { continue };
                    if levels.len() <= at {
                        levels.push(Level::default());
                    }
                    if current.insert(at) {
                        levels[at].ids.clear();
                    }
                    for callee in self.enter(&item, edge, call, &mut levels[at])? {
                        // It may have come back already, but not to this caller.
                        let of = |(below, exit): &&(usize, Exit)| {
                            *below == at + 1 && exit.key == callee.key
                        };
                        for exit in done.iter().filter(of) {
                            if gone.remove(exit) {
                                exits.push(exit.clone());
                            }
                        }
                        entered.add(callee);
                    }
                }
                (at + 1, entered.list)
            } else {
                break;
            };
            if items.is_empty() {
                continue;
            }
            let mut left = Vec::new();
            settled.push((at, self.settle(items, &mut left)?));
            exits.extend(left.into_iter().map(|exit| (at, exit)));
        }
        let items = seen.into_iter().map(|(at, items)| (at, items.list)).collect();
        Ok(Spread { items, outside })
    }

    /// Keeps a step, if steps are kept.
    fn keep(
        &mut self,
        parent: Trail,
        edge: EdgeId,
        before: &Partial,
        inside: Option<Trail>,
    ) -> Trail {
        let Some(trails) = &mut self.trails else { return Trail::default() };
        trails.push(TrailStep { parent, edge, before: before.clone(), inside, exit: None });
        Trail(Some(trails.len() as u32 - 1))
    }

    fn nothing_left(&self, i: usize, step: &ListedStep) -> Result<Outcome, Stop> {
        let name = self.program.proc_name(step.proc);
        let mut at = format!("`{name}` line {} at depth {}", step.line, step.depth);
        if let Some(column) = step.column {
            at = format!("`{name}` line {} column {column} at depth {}", step.line, step.depth);
        }
        if let Some(text) = &step.text {
            at += &format!(", `{text}`");
        }
        if self.blurred {
            return Err(format!(
                "step {i} ({at}): the listing leaves open what the program depends on"
            ));
        }
        let why = format!("no run that agrees with the steps so far agrees with {at}");
        Ok(Outcome::Refuted { step: i, why })
    }

    /// Whether one of the configurations at the last step, or beyond it, is at a target.
    fn arrive(
        &mut self,
        items: &[Item],
        beyond: Vec<Item>,
        last: usize,
        targets: &[Target],
    ) -> Result<Outcome, Stop> {
        let nothing = self.space.open();
        let beyond: Vec<Item> =
            beyond.into_iter().filter_map(|item| self.unfold(item, &nothing)).collect();
        let mut found: Option<Option<usize>> = None;
        for target in targets {
            let statement = self.program.nodes[target.node].statement;
            let condition = Rel::guarded(target.condition, 0);
            let there = if statement { items } else { &beyond };
            for item in there.iter().filter(|item| item.node == target.node) {
                if !self.image(&condition, Role::Local, &item.cube, &[])?.cases.is_empty() {
                    // One without assumptions is better.
                    if found.is_none() || item.assumed.is_none() {
                        found = Some(item.assumed);
                    }
                }
            }
        }
        if let Some(assumed) = found {
            return Ok(Outcome::Accepted { assumed });
        }
        if self.blurred {
            return Err("the listing leaves open whether the goal is reached".into());
        }
        let why = "the last step does not reach the goal".to_owned();
        Ok(Outcome::Refuted { step: last, why })
    }

    /// What a step lists, as bits.
    pub(crate) fn listed_values(&self, step: &ListedStep) -> Result<Partial, String> {
        if self.program.procs.get(step.proc).is_none() {
            return Err("no such procedure".into());
        }
        let scope: Vec<VarId> = self.program.scope(step.proc).collect();
        self.listed_state(&scope, &step.state)
    }

    /// What is listed of some variables, as bits.
    pub(crate) fn listed_state(
        &self,
        scope: &[VarId],
        state: &[(VarId, Value)],
    ) -> Result<Partial, String> {
        let (program, space) = (self.program, self.space);
        let mut out = space.open();
        for (var, value) in state {
            if !scope.contains(var) {
                return Err("a listed variable is not in scope".into());
            }
            let ty = program.vars[*var].ty;
            let cells: Vec<Option<u64>> = match (value, ty.scalar, ty.array) {
                (Value::Bool(b), Scalar::Bool, None) => vec![Some(*b as u64)],
                (Value::Int(v), Scalar::Int { .. }, None) => vec![Some(*v)],
                (Value::Bools(cells), Scalar::Bool, Some(_)) => {
                    cells.iter().map(|c| c.map(|b| b as u64)).collect()
                }
                (Value::Ints(cells), Scalar::Int { .. }, Some(_)) => cells.clone(),
                _ => return Err(format!("`{}` has another type", program.var_name(*var))),
            };
            if cells.len() != ty.cells() as usize
                || cells.iter().flatten().any(|v| v >> ty.scalar.bits() != 0)
            {
                return Err(format!("the value of `{}` does not fit", program.var_name(*var)));
            }
            for (cell, value) in cells.into_iter().enumerate() {
                if value.is_some() {
                    out.set_number(space.cell(program, *var, cell as u32), value);
                }
            }
        }
        Ok(out)
    }

    /// The items that agree with a listed step, with what it lists put in.
    pub(crate) fn matching(
        &mut self,
        items: Vec<Item>,
        step: &ListedStep,
        listed: &Partial,
    ) -> Vec<Item> {
        let program = self.program;
        let mut out = Items::default();
        for item in items {
            let node = &program.nodes[item.node];
            let here = node.statement
                && node.proc == step.proc
                && node.origin.line == step.line
                && step.column.is_none_or(|column| node.origin.column == column)
                && step.text.as_ref().is_none_or(|text| program.text(node.origin.text) == text);
            if here
                && item.cube.known.conflict(listed).is_none()
                && let Some(item) = self.unfold(item, listed)
            {
                out.add(item);
            }
        }
        out.list
    }

    /// The item with what is listed put in. If a folded call came before it, this is the time to
    /// ask whether it leads here. `None` if it does not agree, or if that is not known.
    fn unfold(&mut self, mut item: Item, listed: &Partial) -> Option<Item> {
        let mut open = listed.clone();
        if let Some(Folded { step, edge, before, fresh, mut after, assumes }) = item.folded.take() {
            item.cube.free.remove(&fresh);
            open.remove(&fresh);
            let mut here = item.cube.known.clone();
            here.merge(listed);
            here.retain(&fresh);
            after.merge(&here);
            let query = UnlistedCall { edge, before: &before, after: &after };
            let answer = self.ask.as_mut().and_then(|ask| ask(query));
            self.blurred |= answer.is_none();
            if answer != Some(true) {
                return None;
            }
            if assumes {
                item.assumed.get_or_insert(step);
            }
        }
        // What is listed must be known, free, or have been asked for.
        open.remove(&item.cube.known);
        open.remove(&item.cube.free);
        if !open.is_open() {
            self.blurred = true;
            return None;
        }
        item.cube.known.merge(listed);
        item.cube.free.remove(listed);
        Some(item)
    }

    pub(crate) fn initial(&mut self, exits: &mut Vec<Exit>) -> Result<Vec<Item>, Stop> {
        let program = self.program;
        let mut free = self.space.open();
        for var in program.scope(program.entry) {
            for bit in self.space.var(program, var) {
                free.set(bit, Some(false));
            }
        }
        let rel = Rel::guarded(program.init.condition, program.init.choices);
        let cube = Cube { known: self.space.open(), free };
        let image = self.image(&rel, Role::Local, &cube, &[])?;
        let node = program.procs[program.entry].entry;
        let item = |case: Case| {
            let (cube, trail) = (case.post, Trail::default());
            Item { key: 0, node, cube, assumed: None, folded: None, trail }
        };
        let items = image.cases.into_iter().map(item).collect();
        self.settle(items, exits)
    }

    fn image(
        &mut self,
        rel: &Rel,
        role: Role,
        cube: &Cube,
        arbitrary: &[VarId],
    ) -> Result<Image, Stop> {
        let image = cubes::image(&mut self.machine, rel, role, cube, arbitrary, self.splits);
        if image.too_many {
            return Err("a step depends on too much that the listing leaves open".into());
        }
        self.blurred |= image.blurred;
        Ok(image)
    }

    /// Follows edges that the listing does not show: all items that control may stand at, and the
    /// exits on the way.
    fn settle(&mut self, items: Vec<Item>, exits: &mut Vec<Exit>) -> Result<Vec<Item>, Stop> {
        let program = self.program;
        let mut out = Items::default();
        let mut gone: FxHashSet<Exit> = exits.iter().cloned().collect();
        for item in items {
            out.add(item);
        }
        let mut next = 0;
        while let Some(item) = out.list.get(next).cloned() {
            next += 1;
            if out.list.len() > MOST {
                return Err("too many configurations agree with the listing".into());
            }
            for edge in program.out_edges(item.node).filter(|&e| !lists(program, e)) {
                match &program.edges[edge].kind {
                    EdgeKind::Local { target, rel } => {
                        for case in self.image(rel, Role::Local, &item.cube, &[])?.cases {
                            let folded = self.stale(item.folded.as_ref(), &case, rel);
                            let trail = self.keep(item.trail, edge, &case.before, None);
                            out.add(item.went(*target, case.post, folded, trail));
                        }
                    }
                    EdgeKind::Return { rel } => {
                        for exit in self.leave(&item, edge, rel)? {
                            if gone.insert(exit.clone()) {
                                exits.push(exit);
                            }
                        }
                    }
                    EdgeKind::Call(_) => {} // left to `spread`
                }
            }
        }
        Ok(out.list)
    }

    fn leave(&mut self, item: &Item, edge: EdgeId, rel: &Rel) -> Result<Vec<Exit>, Stop> {
        let proc = self.program.nodes[item.node].proc;
        let results = self.program.procs[proc].results.clone();
        let image = self.image(rel, Role::Return, &item.cube, &results)?;
        let mut out = Vec::with_capacity(image.cases.len());
        for case in image.cases {
            let mut folded = self.stale(item.folded.as_ref(), &case, rel);
            if let Some(folded) = &mut folded {
                folded.fresh.forget(self.space.locals());
            }
            let trail = self.keep(item.trail, edge, &case.before, None);
            if let (Some(trails), Some(at)) = (&mut self.trails, trail.0) {
                trails[at as usize].exit = Some(case.post.known.clone());
            }
            let (key, cube, assumed) = (item.key, case.post, item.assumed);
            out.push(Exit { key, cube, assumed, folded, trail });
        }
        Ok(out)
    }

    /// A folded call after one more relation: what was decided of it is remembered, and what the
    /// relation assigns no longer has the value it had when the call came back.
    fn stale(&self, folded: Option<&Folded>, case: &Case, rel: &Rel) -> Option<Folded> {
        let mut folded = folded?.clone();
        let mut decided = case.before.clone();
        decided.retain(&folded.fresh);
        folded.after.merge(&decided);
        for assign in &rel.assigns {
            folded.fresh.forget(self.space.var(self.program, assign.var));
        }
        Some(folded)
    }

    /// Executes a listed statement. `folded`: the step's number, if it is a call whose inside is
    /// not listed.
    pub(crate) fn advance(
        &mut self,
        items: &[Item],
        folded: Option<usize>,
    ) -> Result<Advance, Stop> {
        let program = self.program;
        let mut out = Advance::default();
        let (mut stay, mut pushed) = (Vec::new(), Items::default());
        for item in items {
            for edge in program.out_edges(item.node).filter(|&e| lists(program, e)) {
                match &program.edges[edge].kind {
                    EdgeKind::Call(call) => match folded {
                        Some(step) => stay.push(self.fold(item, step, edge, call)),
                        None => {
                            for entered in self.enter(item, edge, call, &mut out.level)? {
                                pushed.add(entered);
                            }
                        }
                    },
                    _ if folded.is_some() => {}
                    EdgeKind::Local { target, rel } => {
                        for case in self.image(rel, Role::Local, &item.cube, &[])?.cases {
                            let trail = self.keep(item.trail, edge, &case.before, None);
                            stay.push(item.went(*target, case.post, None, trail));
                        }
                    }
                    EdgeKind::Return { rel } => out.exits.extend(self.leave(item, edge, rel)?),
                }
            }
        }
        // A callee may be left again without a listed step.
        let mut back = Vec::new();
        out.pushed = self.settle(pushed.list, &mut back)?;
        for exit in back {
            stay.extend(self.come_back(&out.level, &exit)?);
        }
        out.stay = self.settle(stay, &mut out.exits)?;
        Ok(out)
    }

    fn enter(
        &mut self,
        item: &Item,
        edge: EdgeId,
        call: &Call,
        level: &mut Level,
    ) -> Result<Vec<Item>, Stop> {
        let callee = &self.program.procs[call.callee];
        let locals = callee.locals.clone();
        let mut out = Vec::new();
        for case in self.image(&call.enter, Role::Enter, &item.cube, &locals)?.cases {
            let (cube, saved) = (case.post, case.saved);
            let key = (edge, cube.clone(), item.assumed);
            let id = *level.ids.entry(key).or_insert_with(|| {
                level.keys.push(Vec::new());
                level.keys.len() as u32 - 1
            });
            let trail = self.keep(item.trail, edge, &case.before, None);
            let callers = &mut level.keys[id as usize];
            let caller = Caller { item: item.clone(), edge, saved, trail };
            if !callers.contains(&caller) {
                if callers.len() >= MOST {
                    return Err("too many configurations agree with the listing".into());
                }
                callers.push(caller);
            }
            let (key, node, assumed) = (id, callee.entry, item.assumed);
            let trail = Trail::default();
            out.push(Item { key, node, cube, assumed, folded: None, trail });
        }
        Ok(out)
    }

    fn come_back(&mut self, level: &Level, exit: &Exit) -> Result<Vec<Item>, Stop> {
        let program = self.program;
        let mut out = Vec::new();
        for Caller { item, edge, saved, trail } in &level.keys[exit.key as usize] {
            let EdgeKind::Call(call) = &program.edges[*edge].kind else { continue };
            let mut pre = exit.cube.clone();
            pre.known.merge(&saved.known);
            pre.free.merge(&saved.free);
            for case in self.image(&call.back, Role::Back, &pre, &[])?.cases {
                let folded = self.stale(exit.folded.as_ref(), &case, &call.back);
                let (key, assumed) = (item.key, exit.assumed);
                let before = self.decided_before(call, *trail, &case.before);
                let inside = self.decided_inside(exit.trail, &case.before);
                let trail = self.keep(item.trail, *edge, &before, Some(inside));
                out.push(Item { key, node: call.ret, cube: case.post, assumed, folded, trail });
            }
        }
        Ok(out)
    }

    /// What is known before a call, once it is back: locals that it saves as they are, and that
    /// had to be decided only then, included.
    fn decided_before(&self, call: &Call, trail: Trail, decided: &Partial) -> Partial {
        let (Some(trails), Some(at)) = (&self.trails, trail.0) else { return self.space.open() };
        let mut saved = decided.clone();
        saved.forget(self.space.globals());
        saved.forget(self.space.results());
        for assign in call.enter.assigns.iter().filter(|a| a.time == Time::Saved) {
            saved.forget(self.space.var(self.program, assign.var));
        }
        let mut before = trails[at as usize].before.clone();
        before.merge(&saved);
        before
    }

    /// The way to a return after which more is known: globals and results that it leaves open and
    /// that had to be decided when the caller took them.
    fn decided_inside(&mut self, trail: Trail, decided: &Partial) -> Trail {
        let (Some(trails), Some(at)) = (&mut self.trails, trail.0) else { return trail };
        let TrailStep { parent, edge, before, inside, exit } = &trails[at as usize];
        let Some(exit) = exit else { return trail };
        let mut more = decided.clone();
        more.forget(self.space.locals());
        if exit.covers(&more) {
            return trail;
        }
        more.merge(exit);
        let (parent, edge, inside) = (*parent, *edge, *inside);
        let step = TrailStep { parent, edge, before: before.clone(), inside, exit: Some(more) };
        trails.push(step);
        Trail(Some(trails.len() as u32 - 1))
    }

    /// Leaves the frames of the top level.
    pub(crate) fn pop(&mut self, level: &Level, exits: Vec<Exit>) -> Result<Advance, Stop> {
        let mut back = Vec::new();
        for exit in &exits {
            back.extend(self.come_back(level, exit)?);
        }
        let mut out = Advance::default();
        out.stay = self.settle(back, &mut out.exits)?;
        Ok(out)
    }

    /// Jumps over a folded call. What it may modify is asked for at the next listed step.
    fn fold(&self, item: &Item, step: usize, edge: EdgeId, call: &Call) -> Item {
        let (program, space) = (self.program, self.space);
        let mut touched = space.open();
        let mut read = space.open();
        if let Some(sets) = &self.touched {
            touched.merge(&sets.modified[call.callee]);
            read.merge(&sets.referenced[call.callee]);
        }
        // The caller's locals are `Saved` on the way in, `Post` on the way back.
        for (rel, time) in [(&call.enter, Time::Saved), (&call.back, Time::Post)] {
            let own = |t: Time, kind: VarKind| match kind {
                VarKind::Global => true,
                VarKind::Local(_) => t == Time::Pre || t == time,
                VarKind::Result(_) => false,
            };
            mark_reads(program, space, rel, own, &mut read);
            for assign in &rel.assigns {
                if own(assign.time, program.vars[assign.var].kind) {
                    mark(space.var(program, assign.var), &mut touched);
                }
            }
        }
        let mut blurred = space.open();
        for var in program.scope(program.nodes[item.node].proc) {
            mark(space.var(program, var), &mut blurred);
        }
        blurred.remove(&item.cube.known);
        blurred.remove(&item.cube.free);
        blurred.retain(&read);
        let assumes = !blurred.is_open();
        // What it may modify is open afterwards; the answer also fixes what it may read.
        let mut cube = item.cube.clone();
        cube.known.remove(&touched);
        let mut fresh = touched;
        fresh.merge(&read);
        cube.free.merge(&fresh);
        cube.free.remove(&cube.known);
        let (before, after) = (item.cube.known.clone(), space.open());
        let folded = Folded { step, edge, before, fresh, after, assumes };
        let (key, assumed, trail) = (item.key, item.assumed, Trail::default());
        Item { key, node: call.ret, cube, assumed, folded: Some(folded), trail }
    }
}

impl Item {
    /// The item after an edge inside the procedure.
    fn went(&self, node: NodeId, cube: Cube, folded: Option<Folded>, trail: Trail) -> Item {
        Item { key: self.key, node, cube, assumed: self.assumed, folded, trail }
    }
}

/// Items in order of arrival, each once.
#[derive(Default)]
struct Items {
    list: Vec<Item>,
    seen: FxHashSet<Item>,
}

impl Items {
    /// Whether it is a new one.
    fn add(&mut self, item: Item) -> bool {
        let new = self.seen.insert(item.clone());
        if new {
            self.list.push(item);
        }
        new
    }
}
