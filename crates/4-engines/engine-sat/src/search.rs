//! Summaries by QBF ([sat §3], Figure 1), with the corrections that make it complete.
//!
//! `P(n)` is the set of path edges at node `n`; a new one is propagated unless its pairs are among
//! those of `P(n)`, which is a question of quantified logic (equation 8).
//!
//! - Q1 (start). The initial valuations are a path edge at the entry of the entry procedure.
//! - Q2 (step). A path edge at `n` and a step from `n` to `m` give one at `m`.
//! - Q3 (enter). A path edge at a call of `f` gives one at the entry of `f`; equation 8 there decides
//!   whether that entry is new.
//! - Q4 (return). A path edge at a return of `f` gives a summary of `f`.
//! - Q5 (jump). A path edge at a call of `f` and a summary of `f` give a path edge behind the call,
//!   if the guard of equation 6 is satisfiable. Every path edge at a call waits for good: whichever
//!   comes first, all pairs meet. (Figure 1 stops waiting at line 29 once one summary applies, and
//!   equation 5 refuses summaries that leave some of the caller's valuations without an exit.)
//! - Q6 (merge). Path edges that wait at one place become one, with a fresh selector where both are
//!   possible: `γ = s ? γ1 : γ2` and `ω = s ? ω1 : ω2`, at entry and now alike. (The disjunction of
//!   the printed rule loses states.)
//!
//! Nodes are taken in weak topological order, callers before callees, so that nothing passes a join
//! before the rest has caught up. A cycle of the control flow passes a join, and only there is
//! equation 8 asked.

use crate::Options;
use crate::paths::{Hit, How, Origin, Path, PathId, Place, Vector};
use crate::universal::{Universal, Unrolling};
use analysis::{call_order, weak_topological_order};
use check::{Budget, Goal, StopReason, Task};
use circuits::{Account, Applied, Before, Bits, Context, Role, condition};
use ir::{
    Call, EdgeId, EdgeKind, ExprId, Exprs, Id, IndexVec, NodeId, ProcId, Program, Time, VarId,
    VarKind,
};
use logic::{
    Aig, Decider, Lit, QbfStats, Relation, Stopped, Subsumed, Valuation, qdimacs, reduce, subsumed,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A path edge at a call, waiting for summaries.
#[derive(Clone)]
struct Waiting {
    from: PathId,
    edge: EdgeId,
    guard: Lit,
    entry: Vector,
    saved: Rc<Saved>,
}

/// The caller's locals that the call changes.
type Saved = FxHashMap<(VarId, usize), Lit>;

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) merges: u64,
    pub(crate) selectors: u64,
    pub(crate) dropped: u64,
    pub(crate) reduced: u64,
}

pub(crate) struct Search<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) aig: Aig,
    pub(crate) decider: Decider,
    pub(crate) qbf: QbfStats,
    pub(crate) options: &'a Options,
    pub(crate) budget: &'a Budget,
    pub(crate) effort: Effort,
    pub(crate) paths: Vec<Path>,
    /// Bytes of their vectors, those that share one counted for each.
    vectors: usize,
    /// `P(n)`.
    pub(crate) kept: IndexVec<NodeId, Vec<PathId>>,
    pub(crate) summaries: IndexVec<ProcId, Vec<PathId>>,
    /// Waiting to be merged, at nodes and behind returns.
    pub(crate) pending: IndexVec<NodeId, Vec<PathId>>,
    pub(crate) exits: IndexVec<ProcId, Vec<PathId>>,
    /// Where something is pending: (order of the procedure, order in it, node).
    queue: BTreeSet<(u32, u32, u32)>,
    waiting: IndexVec<ProcId, Vec<Waiting>>,
    /// Callers before callees.
    order: IndexVec<ProcId, u32>,
    place_in: IndexVec<NodeId, u32>,
    joins: IndexVec<NodeId, bool>,
    targets: FxHashMap<NodeId, Vec<(usize, ExprId)>>,
    /// For each goal, a way to reach it.
    pub(crate) found: Vec<Option<Hit>>,
    /// Guards that are known to be satisfiable.
    known: FxHashSet<Lit>,
    pub(crate) universal: IndexVec<ProcId, Option<Universal>>,
    pub(crate) unrolling: Option<Unrolling>,
    /// Contexts in which procedures with universal summaries are entered from others.
    pub(crate) contexts: IndexVec<ProcId, Vec<(Lit, Vector)>>,
    account: Account<'a>,
    /// How much may be done ([`Search::spent`]) before somebody else is to try.
    pub(crate) most_effort: u64,
}

/// Paths of fewer gates are left as they are.
const REDUCE_ABOVE: usize = 40;

impl<'a> Search<'a> {
    pub(crate) fn new(task: &'a Task, options: &'a Options, budget: &'a Budget) -> Search<'a> {
        let context = Context::new(task);
        let program = context.program;
        let (procs, nodes) = (program.procs.len(), program.nodes.len());
        let mut order = IndexVec::filled(0u32, procs);
        for (i, proc) in call_order(program).into_iter().flatten().enumerate() {
            order[proc] = (procs - i) as u32;
        }
        let mut edges_in: IndexVec<NodeId, u32> = IndexVec::filled(0, nodes);
        for edge in program.edges.iter() {
            if let Some(target) = edge.target() {
                // Several summaries may come back from one call.
                edges_in[target] += if matches!(edge.kind, EdgeKind::Call(_)) { 2 } else { 1 };
            }
        }
        for proc in program.procs.iter() {
            edges_in[proc.entry] += 2;
        }
        let mut targets: FxHashMap<NodeId, Vec<(usize, ExprId)>> = FxHashMap::default();
        for (i, goal) in task.goals.iter().enumerate() {
            let Goal::Reach(list) = goal else { continue };
            for target in list {
                targets.entry(target.node).or_default().push((i, target.condition));
            }
        }
        let flag = budget.clone();
        Search {
            place_in: weak_topological_order(program),
            joins: edges_in.iter().map(|&n| n >= 2).collect(),
            context,
            aig: Aig::new(),
            decider: Decider::new(std::sync::Arc::new(move || flag.poll().is_err())),
            qbf: QbfStats::default(),
            options,
            budget,
            effort: Effort::default(),
            paths: Vec::new(),
            vectors: 0,
            kept: IndexVec::filled(Vec::new(), nodes),
            summaries: IndexVec::filled(Vec::new(), procs),
            pending: IndexVec::filled(Vec::new(), nodes),
            exits: IndexVec::filled(Vec::new(), procs),
            queue: BTreeSet::new(),
            waiting: IndexVec::filled(Vec::new(), procs),
            order,
            targets,
            found: vec![None; task.goals.len()],
            known: FxHashSet::default(),
            universal: (0..procs).map(|_| None).collect(),
            unrolling: None,
            contexts: IndexVec::filled(Vec::new(), procs),
            account: Account::new(budget),
            most_effort: u64::MAX,
        }
    }

    pub(crate) fn stopped(&self, _: Stopped) -> StopReason {
        self.budget.poll().err().unwrap_or(StopReason::Cancelled)
    }

    pub(crate) fn program(&self) -> &'a Program {
        self.context.program
    }

    /// Q1, and then everything else, until nothing is pending. With `early`, until every goal is
    /// reached.
    pub(crate) fn run(&mut self, early: bool) -> Result<(), StopReason> {
        let program = self.program();
        let start = program.procs[program.entry].entry;
        let now: Vector = (0..self.context.at[start].len).map(|_| self.aig.input()).collect();
        let bits = &self.context.at[start];
        let before: Before<'_> = &|var, index| bits.place(var).map(|p| now[p + index]);
        let init = program.init;
        let guard = if init.condition == Exprs::TRUE {
            Lit::TRUE
        } else {
            condition(&self.context, &mut self.aig, init.condition, init.choices, before)
        };
        let entry = self.select(&self.context.entry[program.entry], bits, &now);
        let path = Path { place: Place::Node(start), guard, entry, now, origin: Origin::Start };
        self.arrive(path)?;
        while let Some(item) = self.queue.pop_first() {
            if early && self.found.iter().all(Option::is_some) {
                return Ok(());
            }
            self.visit(item)?;
        }
        Ok(())
    }

    /// The bits of `wanted` among those of a vector.
    pub(crate) fn select(&self, wanted: &Bits, bits: &Bits, vector: &[Lit]) -> Vector {
        let mut out = Vec::with_capacity(wanted.len as usize);
        for var in wanted.vars() {
            let place = bits.place(var).expect("what is determined at an entry is live there");
            out.extend_from_slice(&vector[place..place + self.context.width(var)]);
        }
        out.into()
    }

    /// Puts a path edge among those that wait at its place, unless its guard cannot hold.
    pub(crate) fn arrive(&mut self, path: Path) -> Result<(), StopReason> {
        if !self.satisfiable(path.guard)? {
            return Ok(());
        }
        let program = self.program();
        let id = PathId(self.paths.len() as u32);
        match path.place {
            Place::Node(node) => {
                self.pending[node].push(id);
                let order = self.order[program.nodes[node].proc];
                self.queue.insert((order, self.place_in[node], node.index() as u32));
            }
            Place::Exit(proc) => {
                self.exits[proc].push(id);
                self.queue.insert((self.order[proc], u32::MAX, proc.index() as u32));
            }
        }
        self.push(path);
        Ok(())
    }

    fn push(&mut self, path: Path) {
        self.vectors += path.now.len() * std::mem::size_of::<Lit>();
        self.paths.push(path);
    }

    pub(crate) fn satisfiable(&mut self, guard: Lit) -> Result<bool, StopReason> {
        if guard == Lit::FALSE || guard == Lit::TRUE || self.known.contains(&guard) {
            return Ok(guard != Lit::FALSE);
        }
        let answer = self.decider.satisfiable(&self.aig, &[guard]);
        let answer = answer.map_err(|s| self.stopped(s))?;
        if answer {
            self.known.insert(guard);
        }
        Ok(answer)
    }

    /// Takes what waits at one place.
    pub(crate) fn visit(&mut self, (_, place, id): (u32, u32, u32)) -> Result<(), StopReason> {
        self.budget.work(1)?;
        if self.is_spent() {
            return Err(StopReason::Cancelled);
        }
        self.account()?;
        if place == u32::MAX {
            return self.visit_exit(ProcId::new(id as usize));
        }
        let node = NodeId::new(id as usize);
        let list = std::mem::take(&mut self.pending[node]);
        let Some(mut path) = self.merge(&list)? else { return Ok(()) };
        if self.joins[node] {
            path = self.reduce(path)?;
            let kept = std::mem::take(&mut self.kept[node]);
            let covered = self.covered(path, &kept);
            self.kept[node] = kept;
            if covered? {
                self.effort.dropped += 1;
                return Ok(());
            }
        }
        self.kept[node].push(path);
        self.meet_targets(path, node)?;
        let program = self.program();
        for edge in program.out_edges(node) {
            match &program.edges[edge].kind {
                EdgeKind::Local { target, rel } => {
                    self.step(path, edge, rel, Place::Node(*target))?
                }
                EdgeKind::Return { rel } => {
                    let proc = program.nodes[node].proc;
                    self.step(path, edge, rel, Place::Exit(proc))?;
                }
                EdgeKind::Call(call) => self.call(path, edge, call)?,
            }
        }
        Ok(())
    }

    /// Takes from the queue, for an unrolling.
    pub(crate) fn next(&mut self) -> Option<(u32, u32, u32)> {
        self.queue.pop_first()
    }

    /// Forgets what waits.
    pub(crate) fn clear_queue(&mut self) {
        self.queue.clear();
    }

    /// What was done so far: the same for the same input, and roughly proportional to time. A few paths for each node
    /// are what any way takes.
    fn spent(&self) -> u64 {
        let calls = self.decider.stats.sat_calls + self.qbf.sat_calls;
        let paths = self.paths.len().saturating_sub(8 * self.program().nodes.len());
        paths as u64 + calls + 4 * self.qbf.refinements
    }

    /// Whether more was done than was granted.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent() > self.most_effort
    }

    fn account(&mut self) -> Result<(), StopReason> {
        let paths: usize = self.paths.len() * std::mem::size_of::<Path>() + self.vectors;
        self.account.set((self.aig.bytes() + paths) as u64 + self.decider.bytes())
    }

    /// Q6.
    pub(crate) fn merge(&mut self, list: &[PathId]) -> Result<Option<PathId>, StopReason> {
        let Some((&first, rest)) = list.split_first() else { return Ok(None) };
        let mut all = first;
        for &next in rest {
            all = self.merge_two(all, next)?;
        }
        Ok(Some(all))
    }

    fn merge_two(&mut self, yes: PathId, no: PathId) -> Result<PathId, StopReason> {
        self.budget.poll()?;
        self.effort.merges += 1;
        let (a, b) = (self.path(yes).clone(), self.path(no).clone());
        let (pick, guard) = if a.now == b.now && a.entry == b.entry {
            (a.guard, self.aig.or(a.guard, b.guard))
        } else if let Some(pick) = self.apart(a.guard, b.guard) {
            (pick, self.aig.or(a.guard, b.guard))
        } else {
            let both = self.aig.and(a.guard, b.guard);
            if self.satisfiable(both)? {
                self.effort.selectors += 1;
                let s = self.aig.input();
                (s, self.aig.ite(s, a.guard, b.guard))
            } else {
                (a.guard, self.aig.or(a.guard, b.guard))
            }
        };
        let mut mux = |x: &Vector, y: &Vector| -> Vector {
            if x == y {
                return x.clone();
            }
            x.iter().zip(y.iter()).map(|(&x, &y)| self.aig.ite(pick, x, y)).collect()
        };
        let (entry, now) = (mux(&a.entry, &b.entry), mux(&a.now, &b.now));
        self.known.insert(guard);
        let origin = Origin::Merge { yes, no, pick };
        Ok(self.add(Path { place: a.place, guard, entry, now, origin }))
    }

    /// A conjunct of `a` whose negation is one of `b`: no selector is needed.
    fn apart(&self, a: Lit, b: Lit) -> Option<Lit> {
        const MANY: usize = 64;
        let conjuncts = |lit: Lit| {
            let (mut out, mut stack) = (Vec::new(), vec![lit]);
            while let Some(lit) = stack.pop() {
                out.push(lit);
                if out.len() >= MANY {
                    break;
                }
                if let Some((x, y)) = self.aig.children(lit.node())
                    && !lit.is_complement()
                {
                    stack.extend([x, y]);
                }
            }
            out
        };
        let others = conjuncts(b);
        conjuncts(a).into_iter().find(|&lit| others.contains(&!lit))
    }

    pub(crate) fn path(&self, id: PathId) -> &Path {
        &self.paths[id.0 as usize]
    }

    pub(crate) fn add(&mut self, path: Path) -> PathId {
        self.push(path);
        PathId(self.paths.len() as u32 - 1)
    }

    /// The same set by a smaller formula, if that is easily had.
    fn reduce(&mut self, id: PathId) -> Result<PathId, StopReason> {
        let path = self.path(id).clone();
        let mut outputs: Vec<Lit> = path.entry.to_vec();
        outputs.extend(path.now.iter());
        if self.aig.size(outputs.iter().copied().chain([path.guard])) <= REDUCE_ABOVE {
            return Ok(id);
        }
        // In an unrolling, the values at entry are parameters and stay what they are.
        let parameters = match &self.unrolling {
            Some(unrolling) => unrolling.entry.to_vec(),
            None => Vec::new(),
        };
        let reduced = reduce(&mut self.aig, &mut self.decider, path.guard, &parameters, &outputs);
        let Some(reduced) = reduced.map_err(|s| self.stopped(s))? else { return Ok(id) };
        self.effort.reduced += 1;
        let (entry, now) = reduced.outputs.split_at(path.entry.len());
        self.known.insert(reduced.guard);
        Ok(self.add(Path {
            place: path.place,
            guard: reduced.guard,
            entry: entry.into(),
            now: now.into(),
            origin: Origin::Reduced { from: id },
        }))
    }

    /// Equation 8: whether all pairs of a path edge are among those of others.
    fn covered(&mut self, id: PathId, kept: &[PathId]) -> Result<bool, StopReason> {
        let path = self.path(id).clone();
        let mut right: Vec<(Lit, Vec<Lit>)> = Vec::new();
        let left: Vec<Lit> = path.entry.iter().chain(path.now.iter()).copied().collect();
        for &other in kept {
            let other = self.path(other);
            let (guard, entry, now) = (other.guard, other.entry.clone(), other.now.clone());
            if entry == path.entry && now == path.now {
                let outside = self.aig.and(path.guard, !guard);
                if outside == Lit::FALSE {
                    return Ok(true);
                }
            }
            let outputs: Vec<Lit> = entry.iter().chain(now.iter()).copied().collect();
            // Different constants somewhere: no pair in common.
            if !left.iter().zip(&outputs).any(|(&x, &y)| x.is_constant() && y == !x) {
                right.push((guard, outputs));
            }
        }
        if right.is_empty() {
            return Ok(false);
        }
        // Equation 9, as corrected: with the same choices, is any pair new? If not, all are covered.
        // In an unrolling this decides alone at first, as in [sat §4].
        if let Some(unrolling) = &self.unrolling
            && kept.len() < unrolling.patience
        {
            let mut fresh = path.guard;
            for (guard, outputs) in &right {
                let same = self.aig.equal(outputs, &left);
                let same = self.aig.and(*guard, same);
                fresh = self.aig.and(fresh, !same);
            }
            return Ok(!self.satisfiable(fresh)?);
        }
        let relations: Vec<Relation<'_>> =
            right.iter().map(|(guard, o)| Relation { guard: *guard, outputs: o }).collect();
        let left = Relation { guard: path.guard, outputs: &left };
        if let Some(external) = &self.options.external
            && let Some(answer) = external(&qdimacs(&self.aig, left, &relations))
        {
            self.qbf.calls += 1;
            return Ok(answer);
        }
        let limit = match self.unrolling {
            Some(_) => self.options.refinements.min(50),
            None => self.options.refinements.min(self.most_effort),
        };
        let stop = self.decider.stop_flag().clone();
        let answer = subsumed(&self.aig, left, &relations, limit, &stop, &mut self.qbf);
        Ok(answer.map_err(|s| self.stopped(s))? == Subsumed::Yes)
    }

    fn meet_targets(&mut self, id: PathId, node: NodeId) -> Result<(), StopReason> {
        let Some(targets) = self.targets.get(&node).cloned() else { return Ok(()) };
        let path = self.path(id).clone();
        for (goal, expr) in targets {
            let holds = match expr {
                Exprs::TRUE => Lit::TRUE,
                _ => {
                    let bits = &self.context.at[node];
                    let before: Before<'_> =
                        &|var, index| bits.place(var).map(|p| path.now[p + index]);
                    condition(&self.context, &mut self.aig, expr, 0, before)
                }
            };
            let guard = self.aig.and(path.guard, holds);
            self.hit(goal, Hit { guard, how: How::At(id) })?;
        }
        Ok(())
    }

    /// A goal is reached wherever the guard can hold.
    fn hit(&mut self, goal: usize, hit: Hit) -> Result<(), StopReason> {
        if self.unrolling.is_none() && self.found[goal].is_some() {
            return Ok(());
        }
        if !self.satisfiable(hit.guard)? {
            return Ok(());
        }
        match &mut self.unrolling {
            Some(unrolling) => unrolling.inside.entry(goal).or_default().push(hit),
            None => self.found[goal] = Some(hit),
        }
        Ok(())
    }

    /// Q2 and Q4.
    fn step(
        &mut self,
        from: PathId,
        edge: EdgeId,
        rel: &ir::Rel,
        to: Place,
    ) -> Result<(), StopReason> {
        let path = self.path(from).clone();
        let source = self.program().edges[edge].source;
        let bits = &self.context.at[source];
        let (role, after) = match to {
            Place::Node(node) => (Role::Step, &self.context.at[node]),
            Place::Exit(proc) => (Role::Return, &self.context.exit[proc]),
        };
        let (guard, now) = if rel.is_identity() && role == Role::Step && bits.same(after) {
            (path.guard, path.now)
        } else {
            let before: Before<'_> = &|var, index| bits.place(var).map(|p| path.now[p + index]);
            let mut applied = Applied::new(&self.context, &mut self.aig, rel, role, before);
            let guard = self.aig.and(path.guard, applied.guard);
            (guard, applied.vector(&self.context, &mut self.aig, after).into())
        };
        let origin = Origin::Step { from, edge };
        self.arrive(Path { place: to, guard, entry: path.entry, now, origin })
    }

    /// Q3, and Q5 with the summaries there are.
    fn call(&mut self, from: PathId, edge: EdgeId, call: &Call) -> Result<(), StopReason> {
        let program = self.program();
        let path = self.path(from).clone();
        let callee = call.callee;
        let start = program.procs[callee].entry;
        let bits = &self.context.at[program.edges[edge].source];
        let before: Before<'_> = &|var, index| bits.place(var).map(|p| path.now[p + index]);
        let mut applied =
            Applied::new(&self.context, &mut self.aig, &call.enter, Role::Enter, before);
        let guard = self.aig.and(path.guard, applied.guard);
        let now = applied.vector(&self.context, &mut self.aig, &self.context.at[start]);
        let mut saved = Saved::default();
        for assign in call.enter.assigns.iter().filter(|a| a.time == Time::Saved) {
            for index in 0..self.context.width(assign.var) {
                let lit = applied.after(&mut self.aig, Time::Saved, assign.var, index);
                saved.insert((assign.var, index), lit);
            }
        }
        if !self.satisfiable(guard)? {
            return Ok(());
        }
        let entry = self.select(&self.context.entry[callee], &self.context.at[start], &now);
        let waiting = Waiting { from, edge, guard, entry: entry.clone(), saved: Rc::new(saved) };
        if self.universal[callee].is_some() {
            return self.jump_universal(&waiting, call);
        }
        let origin = Origin::Enter { from, edge };
        self.arrive(Path { place: Place::Node(start), guard, entry, now: now.into(), origin })?;
        for summary in self.summaries[callee].clone() {
            self.jump(&waiting, call, summary)?;
        }
        self.waiting[callee].push(waiting);
        Ok(())
    }

    /// Q4 and Q5: a summary, if it is new, meets everybody who waits.
    fn visit_exit(&mut self, proc: ProcId) -> Result<(), StopReason> {
        let list = std::mem::take(&mut self.exits[proc]);
        let Some(path) = self.merge(&list)? else { return Ok(()) };
        if let Some(unrolling) = &mut self.unrolling {
            unrolling.exit = Some(path);
            return Ok(());
        }
        let path = self.reduce(path)?;
        let known = std::mem::take(&mut self.summaries[proc]);
        let covered = self.covered(path, &known);
        self.summaries[proc] = known;
        if covered? {
            self.effort.dropped += 1;
            return Ok(());
        }
        self.summaries[proc].push(path);
        let program = self.program();
        for i in 0..self.waiting[proc].len() {
            let waiting = self.waiting[proc][i].clone();
            let EdgeKind::Call(call) = &program.edges[waiting.edge].kind else {
                unreachable!("only calls wait")
            };
            self.jump(&waiting, call, path)?;
        }
        Ok(())
    }

    /// Q5: equations 6 and 7. The summary's choices are renamed; where its entry is a bare choice,
    /// the caller's value takes its place.
    fn jump(&mut self, waiting: &Waiting, call: &Call, summary: PathId) -> Result<(), StopReason> {
        self.budget.poll()?;
        let path = self.path(summary).clone();
        let mut map: FxHashMap<Lit, Lit> = FxHashMap::default();
        for (&formal, &actual) in path.entry.iter().zip(waiting.entry.iter()) {
            if self.aig.is_input(formal) {
                let plain = Lit::of_node(formal.node());
                map.entry(plain).or_insert(actual.xor_sign(formal.is_complement()));
            }
        }
        let mut roots: Vec<Lit> = path.entry.iter().chain(path.now.iter()).copied().collect();
        roots.push(path.guard);
        for input in self.aig.support(roots.iter().copied()) {
            map.entry(input).or_insert_with(|| self.aig.input());
        }
        let mut copy = self.aig.substitute(&roots, &map);
        let guard = copy.pop().expect("the guard comes last");
        let exit: Vector = copy.split_off(path.entry.len()).into();
        let equal = self.aig.equal(&copy, &waiting.entry);
        let guard = self.aig.and(guard, equal);
        let guard = self.aig.and(guard, waiting.guard);
        self.back(waiting, call, guard, exit, summary)
    }

    /// Q5 by a universal summary, and the goals that are reached inside.
    fn jump_universal(&mut self, waiting: &Waiting, call: &Call) -> Result<(), StopReason> {
        let callee = call.callee;
        match &mut self.unrolling {
            Some(unrolling) => {
                unrolling.calls.push((callee, waiting.guard, waiting.entry.clone()));
            }
            None => self.contexts[callee].push((waiting.guard, waiting.entry.clone())),
        }
        let summary = self.universal[callee].as_ref().expect("the caller has looked");
        let mut roots = vec![summary.guard];
        roots.extend(summary.exit.iter());
        roots.extend(summary.inside.iter().map(|i| i.guard));
        let goals: Vec<usize> = summary.inside.iter().map(|i| i.goal).collect();
        let (path, width) = (summary.path, summary.exit.len());
        let mut map: FxHashMap<Lit, Lit> =
            summary.entry.iter().copied().zip(waiting.entry.iter().copied()).collect();
        for input in self.aig.support(roots.iter().copied()) {
            map.entry(input).or_insert_with(|| self.aig.input());
        }
        let copy = self.aig.substitute(&roots, &map);
        for (&goal, &inside) in goals.iter().zip(&copy[1 + width..]) {
            let guard = self.aig.and(waiting.guard, inside);
            let how = How::Inside {
                from: waiting.from,
                edge: waiting.edge,
                callee,
                entry: waiting.entry.clone(),
            };
            self.hit(goal, Hit { guard, how })?;
        }
        let Some(path) = path else { return Ok(()) };
        let guard = self.aig.and(waiting.guard, copy[0]);
        let exit: Vector = copy[1..=width].into();
        self.back(waiting, call, guard, exit, path)
    }

    /// The way back from a call that left with `exit`.
    fn back(
        &mut self,
        waiting: &Waiting,
        call: &Call,
        guard: Lit,
        exit: Vector,
        inside: PathId,
    ) -> Result<(), StopReason> {
        if !self.satisfiable(guard)? {
            return Ok(());
        }
        let program = self.program();
        let path = self.path(waiting.from).clone();
        let context = &self.context;
        let here = &context.at[program.edges[waiting.edge].source];
        let left = &context.exit[call.callee];
        let before: Before<'_> = &|var, index| match program.vars[var].kind {
            VarKind::Result(_) => left.place(var).map(|p| exit[p + index]),
            VarKind::Global if context.mod_ref.modifies(call.callee, var) => {
                left.place(var).map(|p| exit[p + index])
            }
            _ => match waiting.saved.get(&(var, index)) {
                Some(&lit) => Some(lit),
                None => here.place(var).map(|p| path.now[p + index]),
            },
        };
        let mut applied = Applied::new(context, &mut self.aig, &call.back, Role::Step, before);
        let guard = self.aig.and(guard, applied.guard);
        let now = applied.vector(context, &mut self.aig, &context.at[call.ret]).into();
        let (from, edge, entry) = (waiting.from, waiting.edge, waiting.entry.clone());
        let origin = Origin::Jump { from, edge, inside, entry, exit: exit.clone() };
        let place = Place::Node(call.ret);
        self.arrive(Path { place, guard, entry: path.entry, now, origin })
    }

    /// A valuation under which everything asked holds.
    pub(crate) fn model(&mut self, asked: &[Lit]) -> Result<Option<Valuation>, StopReason> {
        self.decider.model(&self.aig, asked).map_err(|s| self.stopped(s))
    }
}
