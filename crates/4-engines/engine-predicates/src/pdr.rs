//! Property-directed reachability over a graph of large blocks ([ic3]), with predicates on words beside the bits
//! ([ic3ia]).
//!
//! Each place has clauses of predicates, each with a level: up to so many blocks from the start, it holds there. What
//! is to be excluded at a place is a cube, a conjunction of predicates. Cubes are as words see them where that is
//! enough to say what leads to something bad; where it is not, bounds of the words that matter become predicates, and
//! in the end bits. So the search is exact: a cube that is traced back to the start is a run.
//!
//! Rules:
//!
//! - PA1: a cube is excluded up to a level if no edge leads into it from what is possible one level below, the cube
//!   itself left out where the edge leads from the place to itself.
//! - PA2: what is excluded is as large as the cores of these answers allow; literals that are in none are dropped,
//!   then those that are not needed, then bounds are moved as far as they go.
//! - PA3: a clause that holds one level further moves there; a level from which all moved is an invariant.
//! - PA4: what a call gives is anything that is possible at its end one level below. A step that rests on something
//!   that no run is known to come to is no step yet: that is to be excluded first, at the call's end, or a run to it is
//!   found and kept ([spacer]). So what is possible and what is known meet, and a run has all of its calls.

use crate::graph::{Bad, Graph, Run};
use crate::justify;
use crate::predicates::{Literal, Pred, mask};
use check::{Budget, Progress, StopReason};
use logic::{Cadical, Clauses, Lit, StopFlag, Valuation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// The most levels, and predicates of a variable that are made on the way.
const MAX_LEVELS: usize = 400;
const MAX_MADE: usize = 60;
/// Cubes of so many literals are tried literal by literal.
const SMALL: usize = 24;

type Cube = Vec<(usize, bool)>;
type Step<T> = Result<T, StopReason>;

/// What is excluded at a place up to a level.
#[derive(Clone, Debug)]
struct Lemma {
    cube: Cube,
    level: usize,
}

/// What is to be excluded.
struct Obligation {
    node: usize,
    cube: Cube,
    /// What it leads to.
    next: Next,
    /// The inputs of that step.
    inputs: Vec<(Lit, bool)>,
}

/// What something that is to be excluded leads to.
#[derive(Clone, Copy)]
enum Next {
    /// By an edge to another obligation.
    Edge(usize, usize),
    /// To something bad.
    Bad(usize),
    /// To what a call gives. PA4.
    Call,
}

/// A state from which a step is taken, with the inputs of that step.
struct Before {
    values: Vec<u128>,
    inputs: Vec<(Lit, bool)>,
}

/// What the search found.
pub(crate) enum Found {
    /// The clauses of an invariant, by place.
    Invariant(Vec<Vec<Vec<Literal>>>),
    Run(Run),
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Levels.
    pub levels: u64,
    /// Predicates.
    pub predicates: u64,
    /// Clauses that were learnt.
    pub lemmas: u64,
    /// Cubes that were to be excluded.
    pub obligations: u64,
    /// Questions to the solver.
    pub questions: u64,
}

/// One function of the variables of a place that must not hold, or an edge: its inputs, and the variables it reads.
struct Reads {
    inputs: Vec<Lit>,
    variables: Vec<usize>,
}

pub(crate) struct Pdr<'g> {
    graph: &'g mut Graph,
    bads: &'g [Bad],
    budget: &'g Budget,
    preds: Vec<Vec<Pred>>,
    index: Vec<FxHashMap<Pred, usize>>,
    now: Vec<Vec<Lit>>,
    /// By edge, the predicates of its end as functions at its start.
    next: Vec<Vec<Option<Lit>>>,
    into: Vec<Vec<usize>>,
    solvers: Vec<Clauses<Cadical>>,
    lifting: Vec<Clauses<Cadical>>,
    levels: Vec<Lit>,
    lemmas: Vec<Vec<Lemma>>,
    /// The variables that inputs are bits of.
    owner: FxHashMap<Lit, usize>,
    edge_reads: Vec<Reads>,
    bad_reads: Vec<Reads>,
    made: FxHashMap<(usize, usize), usize>,
    /// By place, the calls that end there: where they are, which, and predicates as functions there.
    users: Vec<Vec<User>>,
    /// Of the ends of calls, states that runs come to.
    reached: Vec<FxHashSet<Vec<u128>>>,
    pub(crate) counts: Counts,
}

/// A call that ends at a place.
struct User {
    node: usize,
    call: usize,
    passed: Vec<Option<Lit>>,
}

impl<'g> Pdr<'g> {
    pub(crate) fn new(
        graph: &'g mut Graph,
        bads: &'g [Bad],
        preds: Vec<Vec<Pred>>,
        facts: &[Vec<Vec<Literal>>],
        budget: &'g Budget,
    ) -> Step<Pdr<'g>> {
        let watched = budget.clone();
        let stop: StopFlag = Arc::new(move || watched.poll().is_err());
        let count = graph.nodes.len();
        let solvers = (0..count).map(|_| Clauses::new(stop.clone())).collect();
        let lifting = (0..count).map(|_| Clauses::new(stop.clone())).collect();
        let mut into = vec![Vec::new(); count];
        graph.edges.iter().enumerate().for_each(|(i, e)| into[e.to].push(i));
        let mut owner: FxHashMap<Lit, usize> = FxHashMap::default();
        for node in &graph.nodes {
            for (v, variable) in node.variables.iter().enumerate() {
                owner.extend(variable.bits.iter().map(|&b| (b, v)));
            }
        }
        let reads = |graph: &Graph, roots: Vec<Lit>| {
            let (mut inputs, mut variables) = (Vec::new(), Vec::new());
            for lit in graph.aig.support(roots) {
                match owner.get(&lit) {
                    Some(&v) => variables.push(v),
                    None => inputs.push(lit),
                }
            }
            variables.sort_unstable();
            variables.dedup();
            Reads { inputs, variables }
        };
        let mut edge_reads = Vec::new();
        let passing = |graph: &Graph, node: usize| -> Vec<Lit> {
            let calls = graph.nodes[node].calls.iter();
            calls.flat_map(|c| c.values.iter().flatten().copied().chain([c.when])).collect()
        };
        for edge in &graph.edges {
            let mut roots = passing(graph, edge.from);
            roots.extend(edge.values.iter().flatten().copied().chain([edge.guard]));
            edge_reads.push(reads(graph, roots));
        }
        let bad_read = |bad: &Bad| {
            let mut roots = passing(graph, bad.node);
            roots.push(bad.guard);
            reads(graph, roots)
        };
        let bad_reads = bads.iter().map(bad_read).collect();
        let mut users: Vec<Vec<User>> = (0..count).map(|_| Vec::new()).collect();
        for (node, place) in graph.nodes.iter().enumerate() {
            for (call, of) in place.calls.iter().enumerate() {
                users[of.node].push(User { node, call, passed: Vec::new() });
            }
        }
        let next = vec![Vec::new(); graph.edges.len()];
        let mut out = Pdr {
            owner: owner.clone(),
            graph,
            bads,
            budget,
            preds: vec![Vec::new(); count],
            index: vec![FxHashMap::default(); count],
            now: vec![Vec::new(); count],
            next,
            into,
            solvers,
            lifting,
            levels: Vec::new(),
            lemmas: vec![Vec::new(); count],
            edge_reads,
            bad_reads,
            made: FxHashMap::default(),
            users,
            reached: vec![FxHashSet::default(); count],
            counts: Counts::default(),
        };
        for (node, list) in preds.into_iter().enumerate() {
            for pred in list {
                out.pred(node, pred);
            }
        }
        // What is known holds everywhere.
        for (node, clauses) in facts.iter().enumerate() {
            for clause in clauses {
                let mut lits = Vec::new();
                for &(pred, value) in clause {
                    let words = out.words(node);
                    lits.push(pred.build(&mut out.graph.aig, &words).xor_sign(!value));
                }
                let solver = &mut out.solvers[node];
                solver.require_any(&out.graph.aig, &lits).map_err(|_| out.stopped())?;
                for u in 0..out.users[node].len() {
                    let (user, call) = (out.users[node][u].node, out.users[node][u].call);
                    let of = &out.graph.nodes[user].calls[call];
                    let mut lits = vec![!of.when];
                    for &(pred, value) in clause {
                        lits.push(pred.build(&mut out.graph.aig, &of.values).xor_sign(!value));
                    }
                    let solver = &mut out.solvers[user];
                    solver.require_any(&out.graph.aig, &lits).map_err(|_| out.stopped())?;
                }
            }
        }
        Ok(out)
    }

    fn stopped(&self) -> StopReason {
        self.budget.poll().err().unwrap_or(StopReason::Cancelled)
    }

    fn words(&self, node: usize) -> Vec<Vec<Lit>> {
        self.graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect()
    }

    fn pred(&mut self, node: usize, pred: Pred) -> usize {
        if let Some(&p) = self.index[node].get(&pred) {
            return p;
        }
        let words = self.words(node);
        let lit = pred.build(&mut self.graph.aig, &words);
        let p = self.preds[node].len();
        self.preds[node].push(pred);
        self.now[node].push(lit);
        self.index[node].insert(pred, p);
        p
    }

    fn now_lit(&self, node: usize, (p, value): (usize, bool)) -> Lit {
        self.now[node][p].xor_sign(!value)
    }

    fn next_lit(&mut self, edge: usize, (p, value): (usize, bool)) -> Lit {
        let to = self.graph.edges[edge].to;
        let list = &mut self.next[edge];
        if list.len() <= p {
            list.resize(p + 1, None);
        }
        let lit = match list[p] {
            Some(lit) => lit,
            None => {
                let pred = self.preds[to][p];
                let (aig, edges) = (&mut self.graph.aig, &self.graph.edges);
                let lit = pred.build(aig, &edges[edge].values);
                list[p] = Some(lit);
                lit
            }
        };
        lit.xor_sign(!value)
    }

    /// Whether functions of a place can hold together with what is known there up to a level.
    fn ask(&mut self, node: usize, level: usize, roots: &[Lit]) -> Step<bool> {
        if level == 0 && node != 0 {
            return Ok(false);
        }
        self.counts.questions += 1;
        if self.counts.questions.is_multiple_of(16) {
            self.budget.work(16)?;
        }
        let mut all: Vec<Lit> = roots.to_vec();
        all.extend(self.levels.iter().skip(level));
        if level == 0 {
            // Nothing has come to the end of a call.
            all.extend(self.graph.nodes[node].calls.iter().map(|c| !c.when));
        }
        let found = self.solvers[node].solve(&self.graph.aig, &all);
        found.map_err(|_| self.stopped())
    }

    fn level_lit(&mut self, level: usize) -> Lit {
        while self.levels.len() <= level {
            let lit = self.graph.aig.input();
            self.levels.push(lit);
        }
        self.levels[level]
    }

    fn values(&mut self, node: usize) -> Vec<u128> {
        let solver = &mut self.solvers[node];
        let variables = self.graph.nodes[node].variables.iter();
        let word = |bits: &Vec<Lit>| {
            let bit = |(i, &l): (usize, &Lit)| u128::from(solver.value(l)) << i;
            bits.iter().enumerate().map(bit).sum()
        };
        variables.map(|v| &v.bits).map(word).collect()
    }

    /// A cube of states all of which make a function hold with the same inputs, one of them with these values.
    fn lift(&mut self, node: usize, before: &Before, goal: Lit, variables: &[usize]) -> Step<Cube> {
        if node == 0 {
            return Ok(Cube::new());
        }
        let (values, inputs) = (&before.values[..], &before.inputs);
        let same = self.same_calls(node, before);
        let goal = self.graph.aig.and(goal, same);
        let fixed: Vec<Lit> = inputs.iter().map(|&(l, v)| l.xor_sign(!v)).chain([!goal]).collect();
        // Few words are asked about before all.
        let mut valuation = self.valuation(node, before);
        let mine: FxHashSet<Lit> =
            self.graph.nodes[node].variables.iter().flat_map(|v| v.bits.iter().copied()).collect();
        let owner = |lit: Lit| self.owner.get(&lit).copied().filter(|_| mine.contains(&lit));
        let some = justify::justified(&self.graph.aig, goal, owner, &mut valuation);
        let few: Vec<usize> = variables.iter().copied().filter(|v| some.contains(v)).collect();
        if few.len() < variables.len() {
            let cube = self.words_of(node, values, &few);
            if let Some(core) = self.lift_core(node, &fixed, &cube)? {
                return Ok(core);
            }
        }
        for _ in 0..2 {
            let cube = self.words_of(node, values, variables);
            if let Some(core) = self.lift_core(node, &fixed, &cube)? {
                return Ok(core);
            }
            let mut all = cube;
            all.extend(self.bits(node, values, &few));
            let Some(core) = self.lift_core(node, &fixed, &all)? else {
                return Err(StopReason::Internal { what: "a step of a run is none".to_owned() });
            };
            // Bounds for words of which many bits matter.
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for &(p, _) in &core {
                if let Pred::Bit { of, .. } = self.preds[node][p] {
                    *counts.entry(of).or_default() += 1;
                }
            }
            let mut new = false;
            for (of, count) in counts {
                let width = self.graph.nodes[node].variables[of].bits.len();
                let made = self.made.get(&(node, of)).copied().unwrap_or(0);
                if count > 2 && width > 2 && made < MAX_MADE {
                    new |= self.bounds(node, of, values[of]);
                }
            }
            if !new {
                return Ok(core);
            }
        }
        let mut all = self.words_of(node, values, variables);
        all.extend(self.bits(node, values, &few));
        let core = self.lift_core(node, &fixed, &all)?;
        core.ok_or(StopReason::Internal { what: "a step of a run is none".to_owned() })
    }

    /// What predicates on words say of some variables.
    fn words_of(&self, node: usize, values: &[u128], variables: &[usize]) -> Cube {
        let some = |p: &usize| {
            let pred = &self.preds[node][*p];
            let about = pred.variables();
            !matches!(pred, Pred::Bit { .. }) && about.iter().all(|v| variables.contains(v))
        };
        let all = (0..self.preds[node].len()).filter(some);
        all.map(|p| (p, self.holds(node, p, values))).collect()
    }

    /// When the calls of a step give what they give from a state.
    fn same_calls(&mut self, node: usize, before: &Before) -> Lit {
        let mut values = self.valuation(node, before);
        let mut all = Vec::new();
        for call in &self.graph.nodes[node].calls {
            let passed = values.get(&self.graph.aig, call.when);
            all.push(call.when.xor_sign(!passed));
            for &lit in call.values.iter().flatten().filter(|_| passed) {
                all.push(lit.xor_sign(!values.get(&self.graph.aig, lit)));
            }
        }
        self.graph.aig.and_all(all)
    }

    fn holds(&self, node: usize, p: usize, values: &[u128]) -> bool {
        self.preds[node][p].holds(values, &self.graph.nodes[node].variables)
    }

    fn bits(&mut self, node: usize, values: &[u128], variables: &[usize]) -> Cube {
        let mut out = Cube::new();
        for &of in variables {
            for bit in 0..self.graph.nodes[node].variables[of].bits.len() as u32 {
                let p = self.pred(node, Pred::Bit { of, bit });
                out.push((p, values[of] >> bit & 1 == 1));
            }
        }
        out
    }

    /// Makes the bounds that a value is at predicates. Whether they are new.
    fn bounds(&mut self, node: usize, of: usize, value: u128) -> bool {
        let variable = &self.graph.nodes[node].variables[of];
        let (signed, width) = (variable.signed, variable.bits.len());
        let before = self.preds[node].len();
        let below = value.wrapping_sub(1) & mask(width);
        self.pred(node, Pred::Most { of, number: value, signed });
        self.pred(node, Pred::Most { of, number: below, signed });
        let new = self.preds[node].len() > before;
        if new {
            *self.made.entry((node, of)).or_default() += 1;
        }
        new
    }

    fn lift_core(&mut self, node: usize, fixed: &[Lit], cube: &Cube) -> Step<Option<Cube>> {
        let mut cube = cube.clone();
        for round in 0..3 {
            self.counts.questions += 1;
            let mut roots: Vec<Lit> = fixed.to_vec();
            roots.extend(cube.iter().map(|&l| self.now_lit(node, l)));
            let found = self.lifting[node].solve(&self.graph.aig, &roots);
            if found.map_err(|_| self.stopped())? {
                return Ok(if round == 0 { None } else { Some(cube) });
            }
            let before = cube.len();
            let (now, solver) = (&self.now[node], &mut self.lifting[node]);
            cube.retain(|&(p, value)| solver.failed(now[p].xor_sign(!value)));
            if cube.len() == before {
                break;
            }
        }
        Ok(Some(cube))
    }

    /// Finds an invariant, or a run.
    pub(crate) fn search(&mut self) -> Step<Found> {
        // What is bad at the start is so without any block before it.
        for b in 0..self.bads.len() {
            if self.bads[b].node == 0 && self.ask(0, 0, &[self.bads[b].guard])? {
                let before = self.seen_before(0, &self.bad_reads[b].inputs.clone());
                return Ok(Found::Run(self.run(vec![], b, vec![before.inputs])));
            }
        }
        self.level_lit(1);
        let mut top = 1;
        loop {
            self.counts.levels = top as u64;
            let (done, total) = (top as u64, None);
            self.budget.report(Progress { phase: "level", done, total });
            for b in 0..self.bads.len() {
                let (node, guard) = (self.bads[b].node, self.bads[b].guard);
                if node == 0 && self.graph.nodes[0].calls.is_empty() {
                    continue;
                }
                while self.ask(node, top, &[guard])? {
                    let before = self.seen_before(node, &self.bad_reads[b].inputs.clone());
                    let first = match self.resting_on(node, &before)? {
                        Some(first) => first,
                        None => {
                            let variables = self.bad_reads[b].variables.clone();
                            let cube = self.lift(node, &before, guard, &variables)?;
                            Obligation { node, cube, next: Next::Bad(b), inputs: before.inputs }
                        }
                    };
                    if let Some(run) = self.exclude(first, top)? {
                        return Ok(Found::Run(run));
                    }
                }
            }
            self.level_lit(top + 1);
            if let Some(level) = self.push(top)? {
                return Ok(Found::Invariant(self.invariant(level)));
            }
            top += 1;
            if top > MAX_LEVELS {
                let what = format!("no invariant was found within {MAX_LEVELS} levels");
                return Err(StopReason::Incomplete { what });
            }
        }
    }

    /// The state of the last answer, and the inputs of its step.
    fn seen_before(&mut self, node: usize, inputs: &[Lit]) -> Before {
        let values = self.values(node);
        let solver = &mut self.solvers[node];
        Before { values, inputs: inputs.iter().map(|&l| (l, solver.value(l))).collect() }
    }

    fn exclude(&mut self, first: Obligation, top: usize) -> Step<Option<Run>> {
        let mut all = vec![first];
        let mut queue: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
        queue.push(Reverse((top, 0)));
        while let Some(Reverse((level, o))) = queue.pop() {
            self.counts.obligations += 1;
            self.budget.poll()?;
            let (node, cube) = (all[o].node, all[o].cube.clone());
            if node == 0 {
                match self.told(&all, o) {
                    Ok(run) => return Ok(Some(run)),
                    Err((end, values)) => self.reached[end].insert(values),
                };
                continue;
            }
            // What calls give need not lead to anything bad later on.
            let call = call_at_the_end(&all, o);
            if call.is_some_and(|c| self.is_reached(all[c].node, &all[c].cube)) {
                continue;
            }
            let aside = call.is_some();
            if self.is_excluded(node, &cube, level) {
                if level < top && !aside {
                    queue.push(Reverse((level + 1, o)));
                }
                continue;
            }
            match self.before(node, &cube, level)? {
                Ok(core) => {
                    let (cube, level) = self.generalise(node, core, level, top)?;
                    self.learn(node, cube, level);
                    if level < top && !aside {
                        queue.push(Reverse((level + 1, o)));
                    }
                }
                Err((edge, before)) => {
                    let from = self.graph.edges[edge].from;
                    if let Some(first) = self.resting_on(from, &before)? {
                        all.push(first);
                    } else {
                        let next: Vec<Lit> = cube.iter().map(|&l| self.next_lit(edge, l)).collect();
                        let guard = self.graph.edges[edge].guard;
                        let goal = self.graph.aig.and_all(next.into_iter().chain([guard]));
                        let variables = self.edge_reads[edge].variables.clone();
                        let cube = self.lift(from, &before, goal, &variables)?;
                        let (next, inputs) = (Next::Edge(edge, o), before.inputs);
                        all.push(Obligation { node: from, cube, next, inputs });
                    }
                    queue.push(Reverse((level - 1, all.len() - 1)));
                    queue.push(Reverse((level, o)));
                }
            }
        }
        Ok(None)
    }

    /// PA4: what the calls of a step give, if no run is known to come there.
    fn resting_on(&mut self, node: usize, before: &Before) -> Step<Option<Obligation>> {
        let mut values = self.valuation(node, before);
        for call in &self.graph.nodes[node].calls {
            if !values.get(&self.graph.aig, call.when) {
                continue;
            }
            let state = numbers(&self.graph.aig, &call.values, &mut values);
            let node = call.node;
            if self.reached[node].contains(&state) {
                continue;
            }
            let mut cube = self.word_cube(node, &state);
            if self.is_reached(node, &cube) {
                // A run comes near, and not there.
                for (of, &value) in state.iter().enumerate() {
                    let made = self.made.get(&(node, of)).copied().unwrap_or(0);
                    if made < MAX_MADE && self.graph.nodes[node].variables[of].bits.len() > 2 {
                        self.bounds(node, of, value);
                    }
                }
                cube = self.word_cube(node, &state);
                if self.is_reached(node, &cube) {
                    let all: Vec<usize> = (0..state.len()).collect();
                    cube.extend(self.bits(node, &state, &all));
                }
            }
            return Ok(Some(Obligation { node, cube, next: Next::Call, inputs: Vec::new() }));
        }
        Ok(None)
    }

    /// What predicates say of a state.
    fn word_cube(&self, node: usize, values: &[u128]) -> Cube {
        let words = (0..self.preds[node].len())
            .filter(|&p| !matches!(self.preds[node][p], Pred::Bit { .. }));
        words.map(|p| (p, self.holds(node, p, values))).collect()
    }

    /// Whether a run is known to come to a cube.
    fn is_reached(&self, node: usize, cube: &Cube) -> bool {
        let inside = |s: &Vec<u128>| cube.iter().all(|&(p, value)| self.holds(node, p, s) == value);
        self.reached[node].iter().any(inside)
    }

    fn valuation(&self, node: usize, before: &Before) -> Valuation {
        let mut out = Valuation::new();
        before.inputs.iter().for_each(|&(lit, value)| out.set(lit, value));
        for (variable, value) in self.graph.nodes[node].variables.iter().zip(&before.values) {
            let bits = variable.bits.iter().enumerate();
            bits.for_each(|(i, &lit)| out.set(lit, value >> i & 1 == 1));
        }
        out
    }

    fn is_excluded(&self, node: usize, cube: &Cube, level: usize) -> bool {
        self.lemmas[node]
            .iter()
            .any(|l| l.level >= level && l.cube.iter().all(|lit| cube.contains(lit)))
    }

    /// PA1: what leads into a cube, or the part of the cube that nothing leads into.
    fn before(
        &mut self,
        node: usize,
        cube: &Cube,
        level: usize,
    ) -> Step<Result<Cube, (usize, Before)>> {
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        for i in 0..self.into[node].len() {
            let edge = self.into[node][i];
            let from = self.graph.edges[edge].from;
            if level == 1 && from != 0 {
                continue;
            }
            let next: Vec<Lit> = cube.iter().map(|&l| self.next_lit(edge, l)).collect();
            let mut roots = vec![self.graph.edges[edge].guard];
            if from == node {
                let now: Vec<Lit> = cube.iter().map(|&l| self.now_lit(node, l)).collect();
                roots.push(!self.graph.aig.and_all(now));
            }
            for u in 0..self.users[node].len() {
                if self.users[node][u].node != from {
                    continue;
                }
                let given: Vec<Lit> = cube.iter().map(|&l| self.passed_lit(node, u, l)).collect();
                let when = self.when(node, u);
                roots.push(!self.graph.aig.and_all(given.into_iter().chain([when])));
            }
            roots.extend(&next);
            if self.ask(from, level - 1, &roots)? {
                let inputs = self.edge_reads[edge].inputs.clone();
                return Ok(Err((edge, self.seen_before(from, &inputs))));
            }
            let solver = &mut self.solvers[from];
            needed.extend((0..cube.len()).filter(|&k| solver.failed(next[k])));
        }
        let core = (0..cube.len()).filter(|k| needed.contains(k)).map(|k| cube[k]);
        Ok(Ok(core.collect()))
    }

    /// Whether nothing leads into a cube, and if so its part into which nothing leads.
    fn excluded(&mut self, node: usize, cube: &Cube, level: usize) -> Step<Option<Cube>> {
        Ok(self.before(node, cube, level)?.ok())
    }

    /// PA2: a larger cube that nothing leads into, and the highest level for which that is seen.
    fn generalise(
        &mut self,
        node: usize,
        mut cube: Cube,
        level: usize,
        top: usize,
    ) -> Step<(Cube, usize)> {
        for _ in 0..3 {
            match self.before(node, &cube, level)? {
                Ok(core) if core.len() == cube.len() => break,
                Ok(core) => cube = core,
                Err(_) => break,
            }
        }
        if cube.len() <= SMALL {
            // Bits go first, bounds last.
            let mut order: Vec<(usize, bool)> = cube.clone();
            let rank = |p: usize| match self.preds[node][p] {
                Pred::Bit { .. } => 0,
                Pred::Equal { .. } | Pred::Low { .. } => 2,
                Pred::Apart { .. }
                | Pred::Linear { .. }
                | Pred::Sum { .. }
                | Pred::Plane { .. }
                | Pred::Ordered { .. }
                | Pred::Below { .. } => 1,
                Pred::Most { .. } | Pred::Gap { .. } => 3,
            };
            order.sort_by_key(|l| (rank(l.0), l.0));
            for lit in order {
                if !cube.contains(&lit) || cube.len() == 1 {
                    continue;
                }
                let less: Cube = cube.iter().copied().filter(|l| *l != lit).collect();
                if let Some(core) = self.excluded(node, &less, level)? {
                    // The cube without a part is larger, so that its core is excluded by itself.
                    cube = core;
                }
            }
            self.move_bounds(node, &mut cube, level)?;
        }
        let mut level = level;
        while level < top && self.excluded(node, &cube, level + 1)?.is_some() {
            level += 1;
        }
        Ok((cube, level))
    }

    /// Moves the bounds of a cube as far as they go.
    fn move_bounds(&mut self, node: usize, cube: &mut Cube, level: usize) -> Step<()> {
        for i in 0..cube.len() {
            let (p, value) = cube[i];
            let Pred::Most { of, number, signed } = self.preds[node][p] else { continue };
            let width = self.graph.nodes[node].variables[of].bits.len();
            let order = |n: u128| match signed {
                true => crate::predicates::as_signed(n, width),
                false => n as i128,
            };
            let mut others: Vec<(i128, usize)> = Vec::new();
            for (q, pred) in self.preds[node].iter().enumerate() {
                if let Pred::Most { of: other, number: n, signed: s } = *pred
                    && other == of
                    && s == signed
                    && (value && order(n) > order(number) || !value && order(n) < order(number))
                {
                    others.push((order(n), q));
                }
            }
            others.sort_unstable();
            if value {
                others.reverse();
            }
            for (_, q) in others.into_iter().take(3) {
                let mut wider = cube.clone();
                wider[i] = (q, value);
                if self.excluded(node, &wider, level)?.is_some() {
                    *cube = wider;
                    break;
                }
            }
        }
        Ok(())
    }

    fn learn(&mut self, node: usize, mut cube: Cube, level: usize) {
        cube.sort_unstable();
        cube.dedup();
        self.counts.lemmas += 1;
        self.require(node, &cube, level);
        self.lemmas[node]
            .retain(|l| l.level > level || !cube.iter().all(|lit| l.cube.contains(lit)));
        self.lemmas[node].push(Lemma { cube, level });
    }

    fn require(&mut self, node: usize, cube: &Cube, level: usize) {
        let on = self.level_lit(level);
        let mut clause: Vec<Lit> = cube.iter().map(|&l| !self.now_lit(node, l)).collect();
        clause.push(!on);
        // Stopping is noticed by the next question.
        let _ = self.solvers[node].require_any(&self.graph.aig, &clause);
        for u in 0..self.users[node].len() {
            let mut clause: Vec<Lit> = cube.iter().map(|&l| !self.passed_lit(node, u, l)).collect();
            clause.extend([!on, !self.when(node, u)]);
            let _ = self.solvers[self.users[node][u].node].require_any(&self.graph.aig, &clause);
        }
    }

    fn when(&self, node: usize, user: usize) -> Lit {
        let user = &self.users[node][user];
        self.graph.nodes[user.node].calls[user.call].when
    }

    /// A literal of a call's end where the call is passed.
    fn passed_lit(&mut self, node: usize, user: usize, (p, value): (usize, bool)) -> Lit {
        let pred = self.preds[node][p];
        let user = &mut self.users[node][user];
        if user.passed.len() <= p {
            user.passed.resize(p + 1, None);
        }
        let of = &self.graph.nodes[user.node].calls[user.call];
        let aig = &mut self.graph.aig;
        let lit = *user.passed[p].get_or_insert_with(|| pred.build(aig, &of.values));
        lit.xor_sign(!value)
    }

    /// PA3. A level from which all clauses moved.
    fn push(&mut self, top: usize) -> Step<Option<usize>> {
        for level in 1..=top {
            let mut stays = false;
            for node in 1..self.lemmas.len() {
                for i in 0..self.lemmas[node].len() {
                    if self.lemmas[node][i].level != level {
                        continue;
                    }
                    let cube = self.lemmas[node][i].cube.clone();
                    if self.excluded(node, &cube, level + 1)?.is_some() {
                        self.lemmas[node][i].level = level + 1;
                        self.require(node, &cube, level + 1);
                    } else {
                        stays = true;
                    }
                }
            }
            if !stays {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    fn invariant(&self, level: usize) -> Vec<Vec<Vec<Literal>>> {
        let clause = |node: usize, lemma: &Lemma| {
            lemma.cube.iter().map(|&(p, value)| (self.preds[node][p], !value)).collect()
        };
        let of = |node: usize| {
            let all = self.lemmas[node].iter().filter(|l| l.level > level);
            all.map(|l| clause(node, l)).collect()
        };
        (0..self.lemmas.len()).map(of).collect()
    }

    pub(crate) fn count(&mut self) {
        self.counts.predicates = self.preds.iter().map(|p| p.len() as u64).sum();
    }

    /// The run of an obligation at the start; or the state at the end of a call that it comes to, and that place.
    fn told(&mut self, all: &[Obligation], first: usize) -> Result<Run, (usize, Vec<u128>)> {
        let (mut edges, mut inputs) = (Vec::new(), Vec::new());
        let mut o = first;
        loop {
            inputs.push(all[o].inputs.clone());
            match all[o].next {
                Next::Edge(edge, next) => {
                    edges.push(edge);
                    o = next;
                }
                Next::Bad(bad) => return Ok(self.run(edges, bad, inputs)),
                Next::Call => {
                    let end = all[o].node;
                    let run = self.run(edges, 0, inputs);
                    return Err((end, self.last_state(&run)));
                }
            }
        }
    }

    /// The state that a run is in at its end.
    fn last_state(&self, run: &Run) -> Vec<u128> {
        let node = run.edges.last().map_or(0, |&e| self.graph.edges[e].to);
        let Some(mut values) = run.inputs.last().cloned() else { return Vec::new() };
        let words: Vec<Vec<Lit>> =
            self.graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect();
        numbers(&self.graph.aig, &words, &mut values)
    }

    /// A run with the values of all variables on it.
    fn run(&self, edges: Vec<usize>, bad: usize, inputs: Vec<Vec<(Lit, bool)>>) -> Run {
        let mut out: Vec<Valuation> = Vec::new();
        let mut values: Vec<Vec<bool>> = Vec::new();
        let mut node = 0;
        for (step, given) in inputs.into_iter().enumerate() {
            let mut valuation = Valuation::new();
            given.into_iter().for_each(|(lit, value)| valuation.set(lit, value));
            for (variable, word) in self.graph.nodes[node].variables.iter().zip(&values) {
                variable.bits.iter().zip(word).for_each(|(&lit, &v)| valuation.set(lit, v));
            }
            if let Some(&edge) = edges.get(step) {
                let edge = &self.graph.edges[edge];
                let mut work = valuation.clone();
                let word = |bits: &Vec<Lit>, work: &mut Valuation| {
                    bits.iter().map(|&l| work.get(&self.graph.aig, l)).collect()
                };
                values = edge.values.iter().map(|bits| word(bits, &mut work)).collect();
                node = edge.to;
            }
            out.push(valuation);
        }
        Run { edges, bad, inputs: out }
    }
}

/// The numbers that words are.
fn numbers(aig: &logic::Aig, words: &[Vec<Lit>], values: &mut Valuation) -> Vec<u128> {
    let mut number = |bits: &Vec<Lit>| {
        let bit = |(i, &l): (usize, &Lit)| u128::from(values.get(aig, l)) << i;
        bits.iter().enumerate().map(bit).sum()
    };
    words.iter().map(&mut number).collect()
}

/// The obligation about what a call gives that an obligation leads to, if it is to one.
fn call_at_the_end(all: &[Obligation], mut o: usize) -> Option<usize> {
    loop {
        match all[o].next {
            Next::Edge(_, next) => o = next,
            Next::Bad(_) => return None,
            Next::Call => return Some(o),
        }
    }
}
