//! Plain bounded model checking: every run of so many edges, calls inlined.
//!
//! Layer `k` holds one symbolic state for each configuration (a node under a stack of calls) that
//! some run of `k` edges comes to; states of one configuration are merged with a selector. No
//! summaries, no subsumption, no end but the bound: what BMC does, and what the engines are compared
//! with.

use crate::Options;
use check::{
    Answer, Budget, Frame, Goal, Partial, Segment, SegmentId, Stats, Step, StopReason, Task, Trace,
    TraceMode, Verdict,
};
use circuits::{Account, Applied, Before, Context, Role, condition};
use ir::{EdgeId, EdgeKind, Exprs, Id, IndexVec, NodeId, ProcId, Time, VarId, VarKind};
use logic::{Aig, Decider, Lit, Valuation};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A call that has not come back.
#[derive(Clone)]
struct Open {
    edge: EdgeId,
    /// The caller's state at the call.
    now: Rc<[Lit]>,
    /// Its locals that the call changed, in order.
    saved: Rc<[((VarId, usize), Lit)]>,
}

struct State {
    node: NodeId,
    guard: Lit,
    now: Rc<[Lit]>,
    /// The stack, innermost call last.
    stack: Vec<Open>,
    origin: Origin,
}

#[derive(Clone)]
enum Origin {
    Start,
    Edge {
        from: usize,
        edge: EdgeId,
    },
    /// A return, and what it left with.
    Return {
        from: usize,
        edge: EdgeId,
        exit: Rc<[Lit]>,
    },
    Merge {
        yes: usize,
        no: usize,
        pick: Lit,
    },
}

struct Unrolled<'a> {
    context: Context<'a>,
    aig: Aig,
    decider: Decider,
    budget: &'a Budget,
    states: Vec<State>,
    /// Ids of stacks: the stack below and the call.
    stacks: FxHashMap<(u32, EdgeId), u32>,
    /// Literals of all states, and their account.
    literals: usize,
    account: Account<'a>,
}

/// A node under a stack.
type Config = (u32, NodeId);

/// The configurations of a layer.
type Layer = BTreeMap<Config, Vec<usize>>;

/// An edge taken from a state, and what a return left with.
type Taken = (usize, EdgeId, Option<Rc<[Lit]>>);

pub(crate) fn answer(
    task: &Task,
    _options: &Options,
    bound: u32,
    budget: &Budget,
) -> Result<Answer, StopReason> {
    let flag = budget.clone();
    let mut unrolled = Unrolled {
        context: Context::new(task),
        aig: Aig::new(),
        decider: Decider::new(std::sync::Arc::new(move || flag.poll().is_err())),
        budget,
        states: Vec::new(),
        stacks: FxHashMap::default(),
        literals: 0,
        account: Account::new(budget),
    };
    let mut found: Vec<Option<(usize, Lit)>> = vec![None; task.goals.len()];
    let mut layer = unrolled.start()?;
    let mut depth = 0;
    loop {
        let merged = unrolled.merge(std::mem::take(&mut layer))?;
        for &(_, state) in &merged {
            for (goal, slot) in task.goals.iter().zip(&mut found) {
                if slot.is_none() {
                    *slot = unrolled.meets(goal, state)?;
                }
            }
        }
        if merged.is_empty() || depth == bound || found.iter().all(Option::is_some) {
            layer = merged.iter().map(|&(key, s)| (key, vec![s])).collect();
            break;
        }
        depth += 1;
        for (key, state) in merged {
            unrolled.advance(key, state, &mut layer)?;
        }
    }
    let mut answer = Answer::unknown(task, StopReason::Steps { limit: u64::from(bound) });
    for (verdict, hit) in answer.verdicts.iter_mut().zip(found) {
        match hit {
            Some(_) if task.wants.trace == TraceMode::None => *verdict = Verdict::Violated(None),
            Some((state, guard)) => {
                *verdict = Verdict::Violated(Some(Box::new(unrolled.trace(state, guard)?)));
            }
            // Every run has ended.
            None if layer.is_empty() => *verdict = Verdict::Holds(None),
            None => {}
        }
    }
    if task.wants.all_nodes && layer.is_empty() {
        let mut reached = vec![false; task.program.nodes.len()];
        unrolled.states.iter().for_each(|state| reached[state.node.index()] = true);
        answer.reached = Some(reached);
    }
    if task.wants.all_nodes && answer.reached.is_none() || !task.observe.is_empty() {
        answer.incomplete = Some(StopReason::Steps { limit: u64::from(bound) });
    }
    answer.stats = Stats::default();
    answer.stats.add("depth", u64::from(depth));
    if layer.is_empty() {
        // No run is longer, so that nothing new is found beyond.
        answer.stats.add("recurrence_diameter", u64::from(depth));
    }
    answer.stats.add("states", unrolled.states.len() as u64);
    answer.stats.add("gates", unrolled.aig.len() as u64);
    answer.stats.add("sat_questions", unrolled.decider.stats.questions);
    answer.stats.add("sat_calls", unrolled.decider.stats.sat_calls);
    Ok(answer)
}

impl<'a> Unrolled<'a> {
    fn satisfiable(&mut self, guard: Lit) -> Result<bool, StopReason> {
        let answer = self.decider.satisfiable(&self.aig, &[guard]);
        answer.map_err(|_| self.budget.poll().err().unwrap_or(StopReason::Cancelled))
    }

    fn start(&mut self) -> Result<Layer, StopReason> {
        let program = self.context.program;
        let node = program.procs[program.entry].entry;
        let bits = &self.context.at[node];
        let now: Rc<[Lit]> = (0..bits.len).map(|_| self.aig.input()).collect();
        let before: Before<'_> = &|var, index| bits.place(var).map(|p| now[p + index]);
        let init = program.init;
        let guard = condition(&self.context, &mut self.aig, init.condition, init.choices, before);
        let mut layer = Layer::new();
        let state = State { node, guard, now, stack: Vec::new(), origin: Origin::Start };
        self.arrive(0, state, &mut layer)?;
        Ok(layer)
    }

    fn arrive(&mut self, stack: u32, state: State, layer: &mut Layer) -> Result<(), StopReason> {
        if self.satisfiable(state.guard)? {
            layer.entry((stack, state.node)).or_default().push(self.states.len());
            self.push(state);
        }
        Ok(())
    }

    fn push(&mut self, state: State) {
        // The values, and a record for each open call.
        let open = std::mem::size_of::<Open>() / std::mem::size_of::<Lit>();
        self.literals += state.now.len() + open * state.stack.len();
        self.states.push(state);
    }

    fn merge(&mut self, layer: Layer) -> Result<Vec<(Config, usize)>, StopReason> {
        let mut out = Vec::new();
        for (key, list) in layer {
            self.budget.work(1)?;
            let states = self.states.len() * std::mem::size_of::<State>() + 4 * self.literals;
            self.account.set((self.aig.bytes() + states) as u64 + self.decider.bytes())?;
            let mut all = list[0];
            for &next in &list[1..] {
                all = self.merge_two(all, next);
            }
            out.push((key, all));
        }
        Ok(out)
    }

    fn merge_two(&mut self, yes: usize, no: usize) -> usize {
        let pick = self.aig.input();
        let aig = &mut self.aig;
        let (a, b) = (&self.states[yes], &self.states[no]);
        let guard = aig.ite(pick, a.guard, b.guard);
        let mut mux = |x: &[Lit], y: &[Lit]| -> Rc<[Lit]> {
            x.iter().zip(y).map(|(&x, &y)| aig.ite(pick, x, y)).collect()
        };
        let now = mux(&a.now, &b.now);
        let mut stack = Vec::with_capacity(a.stack.len());
        for (x, y) in a.stack.iter().zip(&b.stack) {
            let now = mux(&x.now, &y.now);
            let lits = |open: &Open| open.saved.iter().map(|s| s.1).collect::<Vec<Lit>>();
            let saved = mux(&lits(x), &lits(y));
            let names = x.saved.iter().map(|s| s.0);
            let saved = names.zip(saved.iter().copied()).collect();
            stack.push(Open { edge: x.edge, now, saved });
        }
        let node = a.node;
        self.push(State { node, guard, now, stack, origin: Origin::Merge { yes, no, pick } });
        self.states.len() - 1
    }

    /// The condition under which the state is at the goal, if it can hold.
    fn meets(&mut self, goal: &Goal, state: usize) -> Result<Option<(usize, Lit)>, StopReason> {
        let Goal::Reach(targets) = goal else { return Ok(None) };
        let node = self.states[state].node;
        for target in targets.iter().filter(|t| t.node == node) {
            let now = self.states[state].now.clone();
            let bits = &self.context.at[node];
            let before: Before<'_> = &|var, index| bits.place(var).map(|p| now[p + index]);
            let holds = match target.condition {
                Exprs::TRUE => Lit::TRUE,
                expr => condition(&self.context, &mut self.aig, expr, 0, before),
            };
            let guard = self.aig.and(self.states[state].guard, holds);
            if self.satisfiable(guard)? {
                return Ok(Some((state, guard)));
            }
        }
        Ok(None)
    }

    fn advance(
        &mut self,
        (stack_id, node): Config,
        from: usize,
        layer: &mut Layer,
    ) -> Result<(), StopReason> {
        let program = self.context.program;
        let (guard, now) = (self.states[from].guard, self.states[from].now.clone());
        let stack = self.states[from].stack.clone();
        let bits = &self.context.at[node];
        let before: Before<'_> = &|var, index| bits.place(var).map(|p| now[p + index]);
        let mut arrivals: Vec<(u32, State)> = Vec::new();
        for edge in program.out_edges(node) {
            let origin = Origin::Edge { from, edge };
            let context = &self.context;
            match &program.edges[edge].kind {
                EdgeKind::Local { target, rel } => {
                    let mut applied = Applied::new(context, &mut self.aig, rel, Role::Step, before);
                    let guard = self.aig.and(guard, applied.guard);
                    let now = applied.vector(context, &mut self.aig, &context.at[*target]).into();
                    let stack = stack.clone();
                    arrivals.push((stack_id, State { node: *target, guard, now, stack, origin }));
                }
                EdgeKind::Call(call) => {
                    let mut applied =
                        Applied::new(context, &mut self.aig, &call.enter, Role::Enter, before);
                    let guard = self.aig.and(guard, applied.guard);
                    let entry = program.procs[call.callee].entry;
                    let inside = applied.vector(context, &mut self.aig, &context.at[entry]).into();
                    let mut saved = BTreeMap::new();
                    for assign in call.enter.assigns.iter().filter(|a| a.time == Time::Saved) {
                        for index in 0..context.width(assign.var) {
                            let lit = applied.after(&mut self.aig, Time::Saved, assign.var, index);
                            saved.insert((assign.var, index), lit);
                        }
                    }
                    let mut stack = stack.clone();
                    let saved = saved.into_iter().collect();
                    stack.push(Open { edge, now: now.clone(), saved });
                    let next = self.stacks.len() as u32 + 1;
                    let id = *self.stacks.entry((stack_id, edge)).or_insert(next);
                    let state = State { node: entry, guard, now: inside, stack, origin };
                    arrivals.push((id, state));
                }
                EdgeKind::Return { rel } => {
                    let mut stack = stack.clone();
                    let Some(open) = stack.pop() else { continue };
                    let EdgeKind::Call(call) = &program.edges[open.edge].kind else {
                        unreachable!("only calls are on the stack")
                    };
                    let mut applied =
                        Applied::new(context, &mut self.aig, rel, Role::Return, before);
                    let guard = self.aig.and(guard, applied.guard);
                    let left = &context.exit[call.callee];
                    let exit: Rc<[Lit]> = applied.vector(context, &mut self.aig, left).into();
                    let here = &context.at[program.edges[open.edge].source];
                    let saved: FxHashMap<(VarId, usize), Lit> =
                        open.saved.iter().copied().collect();
                    let before: Before<'_> = &|var, index| match program.vars[var].kind {
                        VarKind::Result(_) => left.place(var).map(|p| exit[p + index]),
                        VarKind::Global if context.mod_ref.modifies(call.callee, var) => {
                            left.place(var).map(|p| exit[p + index])
                        }
                        _ => match saved.get(&(var, index)) {
                            Some(&lit) => Some(lit),
                            None => here.place(var).map(|p| open.now[p + index]),
                        },
                    };
                    let mut applied =
                        Applied::new(context, &mut self.aig, &call.back, Role::Step, before);
                    let guard = self.aig.and(guard, applied.guard);
                    let now = applied.vector(context, &mut self.aig, &context.at[call.ret]).into();
                    // The id of the stack below is found from its calls.
                    let mut id = 0;
                    for open in &stack {
                        id = self.stacks[&(id, open.edge)];
                    }
                    let origin = Origin::Return { from, edge, exit: exit.clone() };
                    arrivals.push((id, State { node: call.ret, guard, now, stack, origin }));
                }
            }
        }
        for (id, state) in arrivals {
            self.arrive(id, state, layer)?;
        }
        Ok(())
    }

    /// The values of a state, now.
    fn values(&self, state: usize, choices: &mut Valuation) -> Partial {
        let state = &self.states[state];
        self.context.node_state(state.node, |i| choices.get(&self.aig, state.now[i]))
    }

    /// The run to a state under a guard.
    fn trace(&mut self, state: usize, guard: Lit) -> Result<Trace, StopReason> {
        let model = self.decider.model(&self.aig, &[guard]);
        let model = model.map_err(|_| self.budget.poll().err().unwrap_or(StopReason::Cancelled))?;
        let Some(mut choices) = model else {
            let what = "a run that should exist is not found".to_owned();
            return Err(StopReason::Internal { what });
        };
        let mut taken: Vec<Taken> = Vec::new();
        let mut at = state;
        loop {
            match self.states[at].origin.clone() {
                Origin::Start => break,
                Origin::Merge { yes, no, pick } => {
                    at = if choices.get(&self.aig, pick) { yes } else { no };
                }
                Origin::Edge { from, edge } => {
                    taken.push((from, edge, None));
                    at = from;
                }
                Origin::Return { from, edge, exit } => {
                    taken.push((from, edge, Some(exit)));
                    at = from;
                }
            }
        }
        let program = self.context.program;
        let mut segments: IndexVec<SegmentId, Segment> = IndexVec::new();
        let mut frames: Vec<(ProcId, Vec<Step>)> = vec![(program.entry, Vec::new())];
        for (from, edge, left) in taken.into_iter().rev() {
            let state = self.values(from, &mut choices);
            let top = frames.last_mut().expect("a frame is open");
            top.1.push(Step { edge, state, inside: None });
            match &program.edges[edge].kind {
                EdgeKind::Local { .. } => {}
                EdgeKind::Call(call) => frames.push((call.callee, Vec::new())),
                EdgeKind::Return { .. } => {
                    let (proc, steps) = frames.pop().expect("a frame is open");
                    let left = left.unwrap_or_default();
                    let values: Vec<bool> =
                        left.iter().map(|&l| choices.get(&self.aig, l)).collect();
                    let exit = self.context.exit_state(proc, &values);
                    let inside = segments.push(Segment { proc, steps, exit });
                    let caller = frames.last_mut().expect("a return has a caller");
                    caller.1.last_mut().expect("the call is a step").inside = Some(inside);
                }
            }
        }
        let end = self.values(state, &mut choices);
        let frames = frames.into_iter().map(|(proc, steps)| Frame { proc, steps }).collect();
        let target = self.states[state].node;
        Ok(Trace { segments, frames, target, end, shortest: false, lasso: None })
    }
}
