//! P-automata as values: regular sets of configurations, data included, that can be asked about.

use crate::call::CallRel;
use crate::post_star::{Goal, PostStar};
use crate::pre_star::PreStar;
use crate::regular::{Frames, Letter, RegularSet};
use crate::system::System;
use analysis::{Live, ModRef, Order, Uses};
use bdd::{Bdd, SpecId};
use check::{Budget, Partial, SetId, StateSets, StopReason};
use ir::{EdgeId, EdgeKind, IndexVec, NodeId, ProcId, Program, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use symbolic::{
    BudgetGate, CallRelation, Context, Copy, Halt, base, default_collect_at, on_large_stack,
};

/// A configuration: the topmost frame, and those below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// Where control stands.
    pub node: NodeId,
    /// Globals and locals there.
    pub state: Partial,
    /// The frames below, the innermost first: the call that each waits in, and its locals as the
    /// call left them behind (behind the places of the globals, which are open).
    pub below: Vec<(EdgeId, Partial)>,
}

/// A state of a [`PAutomaton`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// The initial one, where the topmost frame is read.
    Start,
    /// After a frame of the procedure, with data: of post*, the valuation with which the frame was
    /// entered; of pre*, the one with which it is left.
    Data(ProcId),
    /// After a frame of the procedure, in a state of the [`RegularSet`] that the automaton was
    /// made from. The state after the last one is a copy of its initial state.
    Set(ProcId, u32),
}

/// What a transition of a [`PAutomaton`] reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// The topmost frame, with control at the node.
    Top(NodeId),
    /// A frame below, waiting in the call.
    Waiting(EdgeId),
}

/// A transition of a [`PAutomaton`], without its relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Where it starts.
    pub from: State,
    /// What it reads.
    pub symbol: Symbol,
    /// Where it leads.
    pub to: State,
    /// How many nodes the diagram of its relation has.
    pub size: usize,
}

/// A transition below the top: state before and after, and a relation over `Inner` (of state 0),
/// `Pre` and `Entry` (of state 0).
type Below = (Goal, Goal, Bdd);

/// The state of a run: the procedure of the last frame, and for each state of the automaton the
/// data, over `Entry`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Macro {
    pub(crate) proc: ProcId,
    pub(crate) data: Vec<(Goal, Bdd)>,
}

/// A symbolic P-automaton: a finite automaton that reads a stack from its top, whose transitions
/// carry relations between the data of frames and states. Made by [`post_star`] and [`pre_star`].
pub struct PAutomaton {
    pub(crate) s: System,
    top: IndexVec<NodeId, Vec<(Goal, Bdd)>>,
    below: IndexVec<EdgeId, Vec<Below>>,
    /// The set that it was made from, if it has states for it.
    frames: Option<Frames>,
    /// The data of state 0 after a frame of each procedure.
    data_vars: IndexVec<ProcId, Vec<VarId>>,
    /// The data with which state 0 accepts after a frame of the entry procedure, over `Entry`.
    accepted: Bdd,
    /// The calls of each procedure.
    pub(crate) calls: IndexVec<ProcId, Vec<EdgeId>>,
    /// From which data the rest of a stack can be accepted, for each procedure and state.
    alive: Option<FxHashMap<(ProcId, Goal), Bdd>>,
    reads: FxHashMap<EdgeId, [SpecId; 2]>,
    /// Every variable is there, whatever becomes of it.
    whole: bool,
}

/// The configurations that those of `from` lead to, themselves included. All data is kept: any
/// condition can be asked of the result.
///
/// ```
/// use check::Budget;
/// use engine_pds::{RegularSet, post_star};
/// # use ir::{Init, ProgramBuilder, Rel};
/// use std::sync::Arc;
///
/// // void main() begin  f();  end    void f() begin  if (*) then f(); fi  end
/// # let mut b = ProgramBuilder::new();
/// # let at = b.no_origin();
/// # let (main, f) = (b.proc("main", at), b.proc("f", at));
/// # b.begin_proc(main);
/// # let n: Vec<_> = (0..2).map(|_| b.statement(at)).collect();
/// # b.entry(main, n[0]);
/// # b.call(n[0], f, Rel::identity(), n[1], Rel::identity());
/// # b.ret(n[1], Rel::identity(), false);
/// # b.begin_proc(f);
/// # let k: Vec<_> = (0..2).map(|_| b.statement(at)).collect();
/// # b.entry(f, k[0]);
/// # b.call(k[0], f, Rel::identity(), k[1], Rel::identity());
/// # b.step(k[0], k[1], Rel::identity());
/// # b.ret(k[1], Rel::identity(), false);
/// # let program = Arc::new(b.finish(main, Init::default()));
/// let budget = Budget::unlimited();
/// let mut reached = post_star(&program, &RegularSet::initial(&program), &budget)?;
/// // Can f run with f below it? And with main below main?
/// let f_in_f = RegularSet::parse(&program, "f .* f .*").unwrap();
/// assert!(reached.intersection(&f_in_f, &budget)?.is_some());
/// let main_in_main = RegularSet::parse(&program, "main .* main .*").unwrap();
/// assert!(reached.intersection(&main_in_main, &budget)?.is_none());
/// let stacks = reached.stacks_at(program.procs[f].entry, None, &budget)?.by_procedure();
/// assert_eq!(stacks.expression().as_deref(), Some("f* main"));
/// # Ok::<(), check::StopReason>(())
/// ```
pub fn post_star(
    program: &Arc<Program>,
    from: &RegularSet,
    budget: &Budget,
) -> Result<PAutomaton, StopReason> {
    post_star_collecting(program, from, budget, default_collect_at())
}

pub(crate) fn post_star_collecting(
    program: &Arc<Program>,
    from: &RegularSet,
    budget: &Budget,
    collect_at: usize,
) -> Result<PAutomaton, StopReason> {
    build(program, budget, None, collect_at, |mut s| {
        let frames = match from.is_initial() {
            true => None,
            false => Some(Frames::new(&mut s, from)?),
        };
        PAutomaton::of_post(PostStar::new(s, frames), true)
    })
}

/// The configurations reachable from the start, with only the data that decides which stacks and
/// nodes are reached, and the variables that `reads` names at nodes: faster than [`post_star`],
/// and the same stacks. Conditions on other variables, and on frames below the top, are refused.
pub fn reachable_stacks(
    program: &Arc<Program>,
    reads: &[(NodeId, VarId)],
    budget: &Budget,
) -> Result<PAutomaton, StopReason> {
    let collect_at = default_collect_at();
    build(program, budget, Some(reads), collect_at, |s| {
        PAutomaton::of_post(PostStar::new(s, None), false)
    })
}

/// The configurations from which one of `to` can be reached, those included. All data is kept.
pub fn pre_star(
    program: &Arc<Program>,
    to: &RegularSet,
    budget: &Budget,
) -> Result<PAutomaton, StopReason> {
    pre_star_collecting(program, to, budget, default_collect_at())
}

pub(crate) fn pre_star_collecting(
    program: &Arc<Program>,
    to: &RegularSet,
    budget: &Budget,
    collect_at: usize,
) -> Result<PAutomaton, StopReason> {
    build(program, budget, None, collect_at, |mut s| {
        let frames = Frames::new(&mut s, to)?;
        PAutomaton::of_pre(PreStar::new(s, frames, None))
    })
}

/// The configurations of a set themselves.
pub fn automaton(
    program: &Arc<Program>,
    set: &RegularSet,
    budget: &Budget,
) -> Result<PAutomaton, StopReason> {
    build(program, budget, None, default_collect_at(), |mut s| {
        let frames = Frames::new(&mut s, set)?;
        let mut top = IndexVec::filled(Vec::new(), s.program.nodes.len());
        for (node, state, condition) in frames.tops(&s.program.clone()) {
            add(&mut s, &mut top[node], 1 + state, condition)?;
        }
        let below = IndexVec::filled(Vec::new(), s.program.edges.len());
        let none = IndexVec::filled(Vec::new(), s.program.procs.len());
        Ok(PAutomaton::new(s, top, below, Some(frames), none, true))
    })
}

fn build(
    program: &Arc<Program>,
    budget: &Budget,
    reads: Option<&[(NodeId, VarId)]>,
    collect_at: usize,
    body: impl FnOnce(System) -> Result<PAutomaton, Halt> + Send,
) -> Result<PAutomaton, StopReason> {
    on_large_stack(program, CallRel::COPIES, || {
        let (live, mod_ref) = match reads {
            None => {
                let mod_ref = ModRef::everything(program);
                (Live::everything(program, &mod_ref), mod_ref)
            }
            Some(reads) => {
                let uses = Uses::new(reads.iter().copied());
                let mod_ref = ModRef::new(program, &uses);
                (Live::new(program, &mod_ref, &uses), mod_ref)
            }
        };
        let copies = CallRel::COPIES;
        let mut context = Context::new(program.clone(), live, mod_ref, copies, Order::Derived);
        context.whole_frames = reads.is_none();
        budget.poll()?;
        body(System::new(context, budget, collect_at)).map_err(|halt| halt.reason(budget))
    })
}

/// Adds to the entry of a state in a list sorted by states.
pub(crate) fn add(
    s: &mut System,
    list: &mut Vec<(Goal, Bdd)>,
    to: Goal,
    rel: Bdd,
) -> Result<(), Halt> {
    if rel.is_false() {
        return Ok(());
    }
    match list.binary_search_by_key(&to, |t| t.0) {
        Ok(at) => list[at].1 = s.m.or(list[at].1, rel)?,
        Err(at) => list.insert(at, (to, rel)),
    }
    Ok(())
}

impl PAutomaton {
    fn of_post(mut post: PostStar, whole: bool) -> Result<PAutomaton, Halt> {
        post.run()?;
        let accepted = post.accepted()?;
        let mut below = IndexVec::filled(Vec::new(), post.s.program.edges.len());
        for (site, list) in post.s.sites.iter().zip(post.below) {
            below[site.edge] = list.into_iter().map(|(to, rel)| (0, to, rel)).collect();
        }
        let top = post.top.iter().map(|list| list.iter().map(|t| (t.to, t.all)).collect());
        let data = post.s.context.entry_vars.clone();
        let top = top.collect();
        let mut out = PAutomaton::new(post.s, top, below, post.frames, data, whole);
        out.accepted = accepted;
        Ok(out)
    }

    fn of_pre(mut pre: PreStar) -> Result<PAutomaton, Halt> {
        pre.want_all()?;
        pre.run()?;
        let mut below: IndexVec<EdgeId, Vec<Below>> =
            IndexVec::filled(Vec::new(), pre.s.program.edges.len());
        for (e, list) in pre.wait.enumerate() {
            let EdgeKind::Call(call) = &pre.s.program.edges[e].kind else { continue };
            let exit = pre.s.context.exit_vars[call.callee].iter().copied();
            let rename = pre.s.context.pairs(Copy::Exit, Copy::Inner, exit);
            for &(to, rel) in list.iter().filter(|(_, rel)| !rel.is_false()) {
                below[e].push((0, to, pre.s.m.rename(rel, &rename)?));
            }
        }
        let top = pre.top.iter().map(|list| list.iter().map(|t| (t.to, t.all)).collect());
        let data = pre.s.context.exit_vars.clone();
        let top = top.collect();
        Ok(PAutomaton::new(pre.s, top, below, Some(pre.frames), data, true))
    }

    fn new(
        s: System,
        top: IndexVec<NodeId, Vec<(Goal, Bdd)>>,
        below: IndexVec<EdgeId, Vec<Below>>,
        frames: Option<Frames>,
        data_vars: IndexVec<ProcId, Vec<VarId>>,
        whole: bool,
    ) -> PAutomaton {
        let mut calls = IndexVec::filled(Vec::new(), s.program.procs.len());
        for (e, edge) in s.program.edges.enumerate() {
            if let EdgeKind::Call(call) = &edge.kind {
                calls[call.callee].push(e);
            }
        }
        let (accepted, alive, reads) = (Bdd::FALSE, None, FxHashMap::default());
        PAutomaton { s, top, below, frames, data_vars, accepted, calls, alive, reads, whole }
    }

    /// The program whose configurations these are.
    pub fn program(&self) -> &Arc<Program> {
        &self.s.program
    }

    /// The transitions, in the order of nodes and edges. Those of the set that the automaton was
    /// made from are among them, wherever they lead.
    pub fn transitions(&self) -> Vec<Transition> {
        let program = &self.s.program;
        let state = |proc: ProcId, goal: Goal| match goal {
            0 => State::Data(proc),
            s => State::Set(proc, s - 1),
        };
        let mut out = Vec::new();
        for (node, list) in self.top.enumerate() {
            for &(to, rel) in list {
                let to = state(program.nodes[node].proc, to);
                let size = self.s.m.size(rel);
                out.push(Transition { from: State::Start, symbol: Symbol::Top(node), to, size });
            }
        }
        for (e, edge) in program.edges.enumerate() {
            let EdgeKind::Call(call) = &edge.kind else { continue };
            for (from, to, rel) in self.below(e) {
                out.push(Transition {
                    from: state(call.callee, from),
                    symbol: Symbol::Waiting(e),
                    to: state(program.nodes[edge.source].proc, to),
                    size: self.s.m.size(rel),
                });
            }
        }
        out
    }

    /// The states that some transition mentions, in order.
    pub fn states(&self) -> Vec<State> {
        let all = self.transitions();
        let mut out: Vec<State> = all.iter().flat_map(|t| [t.from, t.to]).collect();
        out.push(State::Start);
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether the configuration is in the set; what its valuations leave open may be anything.
    pub fn contains(
        &mut self,
        configuration: &Configuration,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        self.ask(budget, |this| {
            let Configuration { node, state, below } = configuration;
            let condition = this.valuation(*node, state, true)?;
            let mut at = this.read_top(*node, condition)?;
            for (e, saved) in below {
                let edge = &this.s.program.edges[*e];
                match &edge.kind {
                    EdgeKind::Call(call) if call.callee == at.proc => {}
                    _ => return Ok(false),
                }
                let source = edge.source;
                let condition = this.valuation(source, saved, false)?;
                at = this.read_below(&at, *e, condition)?;
            }
            this.accepts(&at)
        })
    }

    /// A configuration with as few frames as possible that is in both sets, if there is one.
    pub fn intersection(
        &mut self,
        set: &RegularSet,
        budget: &Budget,
    ) -> Result<Option<Configuration>, StopReason> {
        self.ask(budget, |this| {
            this.check_reads(set)?;
            let frames = Frames::new(&mut this.s, set)?;
            this.meet(&frames)
        })
    }

    /// The valuations with which control stands at the node in some configuration of the set.
    pub fn states_at(
        &mut self,
        node: NodeId,
        budget: &Budget,
    ) -> Result<(StateSets, SetId), StopReason> {
        self.ask(budget, |this| {
            this.find_alive()?;
            let proc = this.s.program.nodes[node].proc;
            let mut states = Bdd::FALSE;
            for (to, rel) in this.top[node].clone() {
                let alive = this.alive(proc, to);
                let bits = this.s.context.bits(Copy::Entry, this.data_vars[proc].iter().copied());
                let bits: Vec<u32> = bits.collect();
                let cube = this.s.m.cube(&bits)?;
                let now = this.s.m.and_exists(rel, alive, cube)?;
                states = this.s.m.or(states, now)?;
            }
            let mut sets = StateSets::new();
            let set = this.s.set(states, &mut sets);
            Ok((sets, set))
        })
    }

    /// Runs a question under a budget and on a stack of its own.
    pub(crate) fn ask<T: Send>(
        &mut self,
        budget: &Budget,
        question: impl FnOnce(&mut PAutomaton) -> Result<T, Halt> + Send,
    ) -> Result<T, StopReason> {
        self.s.m.set_gate(Some(Box::new(BudgetGate(budget.clone()))));
        self.s.budget = budget.clone();
        let program = self.s.program.clone();
        on_large_stack(&program, CallRel::COPIES, || {
            budget.poll()?;
            question(self).map_err(|halt| halt.reason(budget))
        })
    }

    /// Conditions speak of variables that have been kept.
    pub(crate) fn check_reads(&self, set: &RegularSet) -> Result<(), Halt> {
        for (top, letter) in set.letters() {
            self.check_condition(letter, top)?;
        }
        Ok(())
    }

    pub(crate) fn check_condition(&self, letter: &Letter, top: bool) -> Result<(), Halt> {
        if self.whole {
            return Ok(());
        }
        let program = &self.s.program;
        let mut missing = false;
        program.exprs.reads(letter.condition, |_, var| {
            let mut nodes = program.nodes.ids().filter(|&n| letter.nodes.contains(n));
            missing |= !top || nodes.any(|n| !self.s.context.live.contains(n, var));
        });
        match missing {
            true => {
                let what = "the condition reads a variable that was not kept".to_owned();
                Err(Halt::Budget(StopReason::Unsupported { what }))
            }
            false => Ok(()),
        }
    }

    /// The transitions that read the topmost frame.
    pub(crate) fn tops(&self, node: NodeId) -> Vec<(Goal, Bdd)> {
        self.top[node].clone()
    }

    /// The transitions that read a frame which waits in the call `e`.
    pub(crate) fn below(&self, e: EdgeId) -> Vec<Below> {
        let mut out = self.below[e].clone();
        if let Some(frames) = &self.frames {
            for state in 0..frames.accepting.len() as u32 {
                let from_set = frames.below(&self.s.program, state, e);
                out.extend(from_set.map(|(to, condition)| (1 + state, 1 + to, condition)));
            }
        }
        out
    }

    /// After the topmost frame, at `node` and with data in `condition` (over `Pre`).
    pub(crate) fn read_top(&mut self, node: NodeId, condition: Bdd) -> Result<Macro, Halt> {
        let proc = self.s.program.nodes[node].proc;
        let scope: Vec<VarId> = self.s.program.scope(proc).collect();
        let bits: Vec<u32> = self.s.context.bits(Copy::Pre, scope).collect();
        let cube = self.s.m.cube(&bits)?;
        let mut data = Vec::new();
        for i in 0..self.top[node].len() {
            let (to, rel) = self.top[node][i];
            let set = self.s.m.and_exists(rel, condition, cube)?;
            let set = self.only_alive(proc, to, set)?;
            add(&mut self.s, &mut data, to, set)?;
        }
        Ok(Macro { proc, data })
    }

    /// After one more frame, which waits in the call `e` with data in `condition` (over `Pre`).
    pub(crate) fn read_below(
        &mut self,
        before: &Macro,
        e: EdgeId,
        condition: Bdd,
    ) -> Result<Macro, Halt> {
        let proc = self.s.program.nodes[self.s.program.edges[e].source].proc;
        let [shift, read] = self.reads(e);
        let mut data = Vec::new();
        for (from, to, rel) in self.below(e) {
            let Ok(at) = before.data.binary_search_by_key(&from, |d| d.0) else { continue };
            let shifted = self.s.m.exists_rename(before.data[at].1, shift)?;
            let shifted = self.s.m.and(shifted, condition)?;
            let set = self.s.m.image(shifted, rel, read)?;
            let set = self.only_alive(proc, to, set)?;
            add(&mut self.s, &mut data, to, set)?;
        }
        Ok(Macro { proc, data })
    }

    /// `Entry` to `Inner` for the data of the callee of `e`; and what remains after reading.
    fn reads(&mut self, e: EdgeId) -> [SpecId; 2] {
        if let Some(&specs) = self.reads.get(&e) {
            return specs;
        }
        let program = &self.s.program;
        let EdgeKind::Call(call) = &program.edges[e].kind else { unreachable!("a call waits") };
        let context = &self.s.context;
        let data = self.data_vars[call.callee].iter().copied();
        let caller = program.nodes[program.edges[e].source].proc;
        let mut gone: Vec<u32> = context.bits(Copy::Inner, data.clone()).collect();
        gone.extend(context.bits(Copy::Pre, program.scope(caller)));
        let shift = context.pairs(Copy::Entry, Copy::Inner, data);
        let specs = [self.s.m.spec(&[], &shift), self.s.m.spec(&gone, &[])];
        self.reads.insert(e, specs);
        specs
    }

    /// The data with which a state accepts, over `Entry`.
    pub(crate) fn accepting(&self, proc: ProcId, state: Goal) -> Bdd {
        match (state, &self.frames) {
            (0, _) if proc != self.s.program.entry => Bdd::FALSE,
            (0, _) => self.accepted,
            (state, Some(frames)) => frames.accepting[state as usize - 1].into(),
            (_, None) => Bdd::FALSE,
        }
    }

    pub(crate) fn accepts(&mut self, at: &Macro) -> Result<bool, Halt> {
        for &(state, data) in &at.data {
            let accepting = self.accepting(at.proc, state);
            if !self.s.m.disjoint(data, accepting)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn alive(&self, proc: ProcId, state: Goal) -> Bdd {
        match &self.alive {
            Some(alive) => alive.get(&(proc, state)).copied().unwrap_or(Bdd::FALSE),
            None => Bdd::TRUE,
        }
    }

    pub(crate) fn only_alive(&mut self, proc: ProcId, state: Goal, data: Bdd) -> Result<Bdd, Halt> {
        let alive = self.alive(proc, state);
        Ok(self.s.m.and(data, alive)?)
    }

    /// Finds from which data of each state the rest of some stack is accepted: backwards from
    /// where it is.
    pub(crate) fn find_alive(&mut self) -> Result<(), Halt> {
        if self.alive.is_some() {
            return Ok(());
        }
        let program = self.s.program.clone();
        let states = self.frames.as_ref().map_or(0, |frames| frames.accepting.len()) as Goal;
        let mut alive: FxHashMap<(ProcId, Goal), Bdd> = FxHashMap::default();
        let mut work: Vec<(ProcId, Goal)> = Vec::new();
        for proc in program.procs.ids() {
            for state in 0..=states {
                let accepting = self.accepting(proc, state);
                if !accepting.is_false() {
                    alive.insert((proc, state), accepting);
                    work.push((proc, state));
                }
            }
        }
        // The calls in each procedure.
        let mut inside: IndexVec<ProcId, Vec<EdgeId>> =
            IndexVec::filled(Vec::new(), program.procs.len());
        for &e in self.calls.iter().flatten() {
            inside[program.nodes[program.edges[e].source].proc].push(e);
        }
        while let Some((proc, state)) = work.pop() {
            self.s.budget.work(1)?;
            let after = alive[&(proc, state)];
            for &e in &inside[proc] {
                let EdgeKind::Call(call) = &program.edges[e].kind else { continue };
                let callee = call.callee;
                let context = &self.s.context;
                let mut gone: Vec<u32> =
                    context.bits(Copy::Entry, self.data_vars[proc].iter().copied()).collect();
                gone.extend(context.bits(Copy::Pre, program.scope(proc)));
                let data = self.data_vars[callee].iter().copied();
                let shift = context.pairs(Copy::Inner, Copy::Entry, data);
                let spec = self.s.m.spec(&gone, &shift);
                for (from, _, rel) in self.below(e).into_iter().filter(|t| t.1 == state) {
                    let before = self.s.m.image(after, rel, spec)?;
                    let known = alive.get(&(callee, from)).copied().unwrap_or(Bdd::FALSE);
                    let all = self.s.m.or(known, before)?;
                    if all != known {
                        alive.insert((callee, from), all);
                        if !work.contains(&(callee, from)) {
                            work.push((callee, from));
                        }
                    }
                }
            }
            if self.s.m.want_gc() {
                self.collect(alive.values().copied());
            }
        }
        self.alive = Some(alive);
        Ok(())
    }

    /// A valuation as a set over `Pre` in the scope of `node`: all of it, or the locals only.
    fn valuation(&mut self, node: NodeId, state: &Partial, globals: bool) -> Result<Bdd, Halt> {
        let program = self.s.program.clone();
        let layout = &self.s.context.slots.layout;
        let mut literals = Vec::new();
        for var in program.scope(program.nodes[node].proc) {
            if self.s.context.is_global(var) && !globals {
                continue;
            }
            let base = base(&program, layout, var);
            for (bit, variable) in
                layout.slot(var).bits().zip(self.s.context.slots.bits(Copy::Pre, var))
            {
                literals.extend(state.get(base + bit).map(|value| (variable, value)));
            }
        }
        Ok(self.s.m.literals(&literals)?)
    }

    /// A shortest stack of both sets: breadth first over the product, data as sets.
    fn meet(&mut self, set: &Frames) -> Result<Option<Configuration>, Halt> {
        let program = self.s.program.clone();
        let mut seen: FxHashMap<(ProcId, Goal, u32), Bdd> = FxHashMap::default();
        let mut found: Vec<Met> = Vec::new();
        let mut next = 0;
        for node in program.nodes.ids() {
            if self.top[node].is_empty() {
                continue;
            }
            let proc = program.nodes[node].proc;
            let scope: Vec<u32> = self.s.context.bits(Copy::Pre, program.scope(proc)).collect();
            let after: Vec<(u32, Bdd)> = set.top(node).collect();
            for (goal, rel) in self.top[node].clone() {
                for &(state, condition) in &after {
                    let cube = self.s.m.cube(&scope)?;
                    let via = self.s.m.and(rel, condition)?;
                    let data = self.s.m.exists(via, cube)?;
                    let met = Met { proc, goal, state, data, via, from: Err(node) };
                    self.met(&mut seen, &mut found, met)?;
                }
            }
        }
        while let Some(&Met { proc, goal, state, data, .. }) = found.get(next) {
            self.s.budget.work(1)?;
            let accepting = self.accepting(proc, goal);
            if set.accepting[state as usize] && !self.s.m.disjoint(data, accepting)? {
                let last = self.s.m.and(data, accepting)?;
                return self.read_off(&found, next, last).map(Some);
            }
            for at in 0..self.calls[proc].len() {
                let e = self.calls[proc][at];
                let [shift, read] = self.reads(e);
                let caller = program.nodes[program.edges[e].source].proc;
                let after: Vec<(u32, Bdd)> = set.below(&program, state, e).collect();
                if after.is_empty() {
                    continue;
                }
                for (_, to, rel) in self.below(e).into_iter().filter(|t| t.0 == goal) {
                    let shifted = self.s.m.exists_rename(data, shift)?;
                    let there = self.s.m.and(shifted, rel)?;
                    for &(state, condition) in &after {
                        let via = self.s.m.and(there, condition)?;
                        let data = self.s.m.exists_rename(via, read)?;
                        let from = Ok((next as u32, e));
                        let met = Met { proc: caller, goal: to, state, data, via, from };
                        self.met(&mut seen, &mut found, met)?;
                    }
                }
            }
            next += 1;
            if self.s.m.want_gc() {
                let used = found.iter().flat_map(|met| [met.data, met.via]);
                let used: Vec<Bdd> =
                    used.chain(seen.values().copied()).chain(set.roots()).collect();
                self.collect(used);
            }
        }
        Ok(None)
    }

    fn met(
        &mut self,
        seen: &mut FxHashMap<(ProcId, Goal, u32), Bdd>,
        found: &mut Vec<Met>,
        met: Met,
    ) -> Result<(), Halt> {
        let key = (met.proc, met.goal, met.state);
        let known = seen.get(&key).copied().unwrap_or(Bdd::FALSE);
        let data = self.s.m.diff(met.data, known)?;
        if !data.is_false() {
            seen.insert(key, self.s.m.or(known, data)?);
            found.push(Met { data, ..met });
        }
        Ok(())
    }

    /// The configuration behind an item found, whose data is among `last`.
    fn read_off(&mut self, found: &[Met], at: usize, last: Bdd) -> Result<Configuration, Halt> {
        let program = self.s.program.clone();
        let mut below = Vec::new();
        let mut at = at;
        let mut data = last;
        loop {
            let Met { proc, via, from, .. } = found[at];
            let possible = self.s.m.and(via, data)?;
            let scope: Vec<VarId> = program.scope(proc).collect();
            let context = &self.s.context;
            let pre: Vec<u32> = context.bits(Copy::Pre, scope.iter().copied()).collect();
            let mut bits = pre.clone();
            let callee = from.ok().map(|(before, _)| found[before as usize].proc);
            if let Some(callee) = callee {
                bits.extend(context.bits(Copy::Inner, self.data_vars[callee].iter().copied()));
            }
            let Some(values) = self.s.m.pick_minterm(possible, &bits) else {
                return Err(Halt::internal("a configuration found has no data"));
            };
            // Nothing is known of what was not kept.
            let known: Option<Vec<u32>> = (!self.whole).then(|| self.s.m.support(possible));
            let known = |bit: u32| known.as_ref().is_none_or(|known| known.contains(&bit));
            let mut values = values.into_iter();
            let layout = &context.slots.layout;
            let mut state = Partial::unknown(layout.global_bits + layout.frame_bits[proc]);
            for &var in &scope {
                let base = base(&program, layout, var);
                let is_there = from.is_err() || !context.is_global(var);
                for bit in layout.slot(var).bits() {
                    let value = values.next().filter(|v| is_there && known(v.0));
                    state.set(base + bit, value.map(|v| v.1));
                }
            }
            match from {
                Err(node) => {
                    below.reverse();
                    return Ok(Configuration { node, state, below });
                }
                Ok((before, e)) => {
                    below.push((e, state));
                    let vars = self.data_vars[found[before as usize].proc].iter().copied();
                    let literals: Vec<(u32, bool)> =
                        context.bits(Copy::Entry, vars).zip(values.map(|v| v.1)).collect();
                    data = self.s.m.literals(&literals)?;
                    at = before as usize;
                }
            }
        }
    }

    /// Frees what nothing refers to. `more` are further handles in use.
    pub(crate) fn collect(&mut self, more: impl IntoIterator<Item = Bdd>) {
        let mut roots: Vec<Bdd> = more.into_iter().collect();
        roots.push(self.accepted);
        roots.extend(self.top.iter().flatten().map(|&(_, rel)| rel));
        roots.extend(self.below.iter().flatten().map(|&(_, _, rel)| rel));
        roots.extend(self.frames.iter().flat_map(Frames::roots));
        roots.extend(self.alive.iter().flat_map(|alive| alive.values().copied()));
        self.s.collect(roots);
    }

    /// A condition on the variables at a node, over `Pre`.
    pub(crate) fn condition(&mut self, expr: ir::ExprId) -> Result<Bdd, Halt> {
        Ok(self.s.condition(expr, 0)?)
    }
}

/// A state of the product of an automaton and a set, with data and how it was found.
#[derive(Clone, Copy)]
struct Met {
    proc: ProcId,
    goal: Goal,
    state: u32,
    /// Over `Entry`.
    data: Bdd,
    /// The transition with its data before: over `Inner`, `Pre` and `Entry`.
    via: Bdd,
    /// The node of the topmost frame, or what was found before and the call read after it.
    from: Result<(u32, EdgeId), NodeId>,
}
