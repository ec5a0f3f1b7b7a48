//! The semantics once more, read off the documentation of `ir` and written for nothing but
//! plainness: valuations are maps, relations are products, search is tabulation. What `replay`
//! says of random programs is compared with it.

use check::{
    Area, Certificate, Frame, Partial, ProcClaim, Segment, SegmentId, SetBit, StateSets, Step,
    Trace,
};
use ir::eval::{Code, TableEnv, Val, cell_of};
use ir::{
    EdgeId, EdgeKind, ExprId, IndexVec, NodeId, ProcId, Program, Rel, Scalar, Time, VarId, VarKind,
};
use replay::machine::Role;
use replay::space::Space;
use std::collections::BTreeMap;

/// Values of cells.
pub(crate) type Values = BTreeMap<(VarId, u32), u64>;

fn eval(program: &Program, expr: ExprId, env: &TableEnv) -> Val {
    Code::new(program, expr).eval(env, &mut Vec::new())
}

/// All valuations of the variables.
pub(crate) fn all(program: &Program, vars: impl IntoIterator<Item = VarId>) -> Vec<Values> {
    let cells: Vec<((VarId, u32), u32)> = vars
        .into_iter()
        .flat_map(|v| {
            let ty = program.vars[v].ty;
            (0..ty.cells()).map(move |c| ((v, c), ty.scalar.bits()))
        })
        .collect();
    let cells: Vec<_> =
        cells.into_iter().map(|(cell, bits)| (cell, (0..1u64 << bits).collect())).collect();
    product(&cells)
}

fn product(choices: &[((VarId, u32), Vec<u64>)]) -> Vec<Values> {
    let mut out = vec![Values::new()];
    for (cell, values) in choices {
        out = out
            .into_iter()
            .flat_map(|old| {
                values.iter().map(move |&v| {
                    let mut new = old.clone();
                    new.insert(*cell, v);
                    new
                })
            })
            .collect();
    }
    out
}

/// The part of a valuation that belongs to variables of some kinds.
pub(crate) fn only(program: &Program, values: &Values, keep: impl Fn(VarKind) -> bool) -> Values {
    values.iter().filter(|((v, _), _)| keep(program.vars[*v].kind)).map(|(&k, &v)| (k, v)).collect()
}

pub(crate) fn join(a: &Values, b: &Values) -> Values {
    a.iter().chain(b).map(|(&k, &v)| (k, v)).collect()
}

/// Every pair of valuations after the relation and in the saved frame. `proc`: whose locals it
/// starts from; `callee`: whom it enters or leaves.
pub(crate) fn successors(
    program: &Program,
    rel: &Rel,
    role: Role,
    proc: ProcId,
    callee: Option<ProcId>,
    pre: &Values,
) -> Vec<(Values, Values)> {
    let vars = |p: ProcId| program.procs[p].locals.clone();
    let globals = || program.globals.clone();
    // Targets, and whether they keep their value.
    let mut targets: Vec<(Time, VarId, bool)> = Vec::new();
    let mut add = |time, vars: Vec<VarId>, keeps| {
        targets.extend(vars.into_iter().map(|v| (time, v, keeps)));
    };
    add(Time::Post, globals(), true);
    match role {
        Role::Local | Role::Back => add(Time::Post, vars(proc), true),
        Role::Enter => {
            add(Time::Post, vars(callee.unwrap()), false);
            add(Time::Saved, vars(proc), true);
        }
        Role::Return => add(Time::Post, program.procs[proc].results.clone(), false),
    }
    let mut out = Vec::new();
    for bits in 0..1u32 << rel.choices {
        let mut env = TableEnv {
            pre: pre.iter().map(|(&k, &v)| (k, v)).collect(),
            choices: (0..rel.choices).map(|k| bits >> k & 1 == 1).collect(),
            ..TableEnv::default()
        };
        if eval(program, rel.guard, &env) != Val::Known(1) {
            continue;
        }
        // For each cell written: its value, or `None` if arbitrary.
        let mut written: BTreeMap<(Time, VarId, u32), Option<u64>> = BTreeMap::new();
        let mut possible = true;
        for assign in &rel.assigns {
            let ty = program.vars[assign.var].ty;
            let value = match assign.value.map(|e| eval(program, e, &env)) {
                None => None,
                Some(Val::Known(v)) if v >= 0 && v < 1 << ty.scalar.bits() => Some(v as u64),
                Some(Val::Undef) if ty.scalar == Scalar::Bool => Some(0),
                Some(_) => {
                    possible = false;
                    continue;
                }
            };
            let cells: Vec<u32> = match assign.index.map(|e| eval(program, e, &env)) {
                None => (0..ty.cells()).collect(),
                Some(Val::Known(i)) => cell_of(program, assign.var, i).into_iter().collect(),
                Some(_) => Vec::new(),
            };
            possible &= !cells.is_empty();
            for cell in cells {
                let slot = written.entry((assign.time, assign.var, cell)).or_insert(value);
                match (*slot, value) {
                    (Some(a), Some(b)) => possible &= a == b,
                    (None, b) => *slot = b,
                    (Some(_), None) => {}
                }
            }
        }
        if !possible {
            continue;
        }
        let candidates = |time: Time| {
            let mut cells = Vec::new();
            for &(_, var, keeps) in targets.iter().filter(|t| t.0 == time) {
                let ty = program.vars[var].ty;
                for cell in 0..ty.cells() {
                    let any = || (0..1u64 << ty.scalar.bits()).collect();
                    let values = match written.get(&(time, var, cell)) {
                        Some(Some(v)) => vec![*v],
                        Some(None) => any(),
                        None if keeps => vec![pre[&(var, cell)]],
                        None => any(),
                    };
                    cells.push(((var, cell), values));
                }
            }
            product(&cells)
        };
        let saved = candidates(Time::Saved);
        for post in candidates(Time::Post) {
            for saved in &saved {
                env.post = post.iter().map(|(&k, &v)| (k, v)).collect();
                env.saved = saved.iter().map(|(&k, &v)| (k, v)).collect();
                if eval(program, rel.constraint, &env) == Val::Known(1) {
                    out.push((post.clone(), saved.clone()));
                }
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

pub(crate) fn holds(program: &Program, expr: ExprId, choices: u32, state: &Values) -> bool {
    (0..1u32 << choices).any(|bits| {
        let env = TableEnv {
            pre: state.iter().map(|(&k, &v)| (k, v)).collect(),
            choices: (0..choices).map(|k| bits >> k & 1 == 1).collect(),
            ..TableEnv::default()
        };
        eval(program, expr, &env) == Val::Known(1)
    })
}

/// A path edge, with how it was found.
pub(crate) struct Item {
    pub(crate) proc: ProcId,
    pub(crate) entry: Values,
    pub(crate) node: NodeId,
    pub(crate) state: Values,
    /// The item before, the edge taken, the summary used.
    parent: Option<(usize, EdgeId, Option<usize>)>,
}

/// A completed call.
pub(crate) struct Summary {
    pub(crate) exit: Values,
    pub(crate) item: usize,
    edge: EdgeId,
}

/// Item, edge, saved frame.
type Caller = (usize, EdgeId, Values);

/// Everything reachable, by tabulation.
pub(crate) struct Reached<'p> {
    pub(crate) program: &'p Program,
    pub(crate) items: Vec<Item>,
    pub(crate) ids: BTreeMap<(NodeId, Values, Values), usize>,
    /// How many items are initial.
    pub(crate) initial: usize,
    pub(crate) summaries: Vec<Summary>,
    pub(crate) exits: BTreeMap<(ProcId, Values), Vec<usize>>,
    callers: BTreeMap<(ProcId, Values), Vec<Caller>>,
}

impl<'p> Reached<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut r = Reached {
            program,
            items: Vec::new(),
            ids: BTreeMap::new(),
            initial: 0,
            summaries: Vec::new(),
            exits: BTreeMap::new(),
            callers: BTreeMap::new(),
        };
        let main = program.entry;
        for state in all(program, program.scope(main)) {
            if holds(program, program.init.condition, program.init.choices, &state) {
                r.add(main, state.clone(), program.procs[main].entry, state, None);
            }
        }
        r.initial = r.items.len();
        let mut next = 0;
        while next < r.items.len() {
            r.expand(next);
            next += 1;
        }
        r
    }

    fn add(
        &mut self,
        proc: ProcId,
        entry: Values,
        node: NodeId,
        state: Values,
        parent: Option<(usize, EdgeId, Option<usize>)>,
    ) {
        let key = (node, entry.clone(), state.clone());
        if !self.ids.contains_key(&key) {
            self.ids.insert(key, self.items.len());
            self.items.push(Item { proc, entry, node, state, parent });
        }
    }

    fn expand(&mut self, id: usize) {
        let program = self.program;
        let Item { proc, entry, node, state, .. } = &self.items[id];
        let (proc, entry, node, state) = (*proc, entry.clone(), *node, state.clone());
        for e in program.out_edges(node) {
            match &program.edges[e].kind {
                EdgeKind::Local { target, rel } => {
                    for (post, _) in successors(program, rel, Role::Local, proc, None, &state) {
                        self.add(proc, entry.clone(), *target, post, Some((id, e, None)));
                    }
                }
                EdgeKind::Call(call) => {
                    let f = call.callee;
                    for (c, saved) in
                        successors(program, &call.enter, Role::Enter, proc, Some(f), &state)
                    {
                        self.add(f, c.clone(), program.procs[f].entry, c.clone(), None);
                        let key = (f, c);
                        self.callers.entry(key.clone()).or_default().push((id, e, saved.clone()));
                        for s in self.exits.get(&key).cloned().unwrap_or_default() {
                            self.come_back(id, e, &saved, s);
                        }
                    }
                }
                EdgeKind::Return { rel } => {
                    for (exit, _) in successors(program, rel, Role::Return, proc, None, &state) {
                        let key = (proc, entry.clone());
                        let known = self.exits.entry(key.clone()).or_default();
                        if known.iter().any(|&s| self.summaries[s].exit == exit) {
                            continue;
                        }
                        let s = self.summaries.len();
                        known.push(s);
                        self.summaries.push(Summary { exit, item: id, edge: e });
                        for (item, e, saved) in self.callers.get(&key).cloned().unwrap_or_default()
                        {
                            self.come_back(item, e, &saved, s);
                        }
                    }
                }
            }
        }
    }

    fn come_back(&mut self, item: usize, edge: EdgeId, saved: &Values, summary: usize) {
        let program = self.program;
        let EdgeKind::Call(call) = &program.edges[edge].kind else { unreachable!() };
        let pre = join(&self.summaries[summary].exit, saved);
        let (proc, entry) = (self.items[item].proc, self.items[item].entry.clone());
        for (post, _) in successors(program, &call.back, Role::Back, proc, Some(call.callee), &pre)
        {
            self.add(proc, entry.clone(), call.ret, post, Some((item, edge, Some(summary))));
        }
    }

    /// An item at the node where the condition holds.
    pub(crate) fn find(&self, node: NodeId, condition: ExprId) -> Option<usize> {
        self.items
            .iter()
            .position(|i| i.node == node && holds(self.program, condition, 0, &i.state))
    }

    /// Whether the certificate's sets contain everything reached.
    pub(crate) fn within(&self, space: &Space, certificate: &Certificate) -> bool {
        let program = self.program;
        let contains = |proc: ProcId, set, entry: &Values, now: &Values| {
            let (e, x) = (partial(program, space, entry), partial(program, space, now));
            let claim = &certificate.procs[proc];
            let same = claim
                .unchanged
                .iter()
                .all(|&g| (0..program.vars[g].ty.cells()).all(|c| entry[&(g, c)] == now[&(g, c)]));
            same && certificate.sets.contains(set, |bit| bit_of(space, &e, &x, bit))
        };
        self.items.iter().all(|i| contains(i.proc, certificate.path[i.node], &i.entry, &i.state))
            && self.summaries.iter().all(|s| {
                let item = &self.items[s.item];
                contains(item.proc, certificate.procs[item.proc].summary, &item.entry, &s.exit)
            })
    }

    /// A trace to an item, with every bit claimed.
    pub(crate) fn trace(&self, space: &Space, item: usize) -> Trace {
        self.lasso(space, item, &[])
    }

    /// A trace to an item and along head edges from there: before each, the valuation; then the
    /// edge; for a call that comes back, the summary.
    pub(crate) fn lasso(
        &self,
        space: &Space,
        item: usize,
        along: &[(Values, EdgeId, Option<usize>)],
    ) -> Trace {
        // The frames, last first: the item that each ends at, and the call from it.
        let mut ends = vec![(item, None)];
        let mut at = item;
        loop {
            let entry = self.chain(at).first().map_or(at, |&(from, _, _)| from);
            if entry < self.initial {
                break;
            }
            let key = (self.items[entry].proc, self.items[entry].entry.clone());
            let (caller, edge, _) = self.callers[&key][0];
            ends.push((caller, Some(edge)));
            at = caller;
        }
        // The summaries needed; one uses only those found before it.
        let mut needed: BTreeMap<usize, Option<SegmentId>> = BTreeMap::new();
        let mut work: Vec<usize> = ends.iter().map(|&(item, _)| item).collect();
        for s in along.iter().filter_map(|a| a.2) {
            if needed.insert(s, None).is_none() {
                work.push(self.summaries[s].item);
            }
        }
        while let Some(at) = work.pop() {
            for (_, _, summary) in self.chain(at) {
                if let Some(s) = summary
                    && needed.insert(s, None).is_none()
                {
                    work.push(self.summaries[s].item);
                }
            }
        }
        let mut segments: IndexVec<SegmentId, Segment> = IndexVec::new();
        for s in needed.keys().copied().collect::<Vec<_>>() {
            let Summary { exit, item, edge } = &self.summaries[s];
            let proc = self.items[*item].proc;
            let mut steps = self.steps(space, *item, &needed);
            steps.push(self.step(space, *item, *edge, None));
            let layout = &space.layout;
            let mut claim = Partial::unknown(layout.global_bits + layout.result_bits[proc]);
            for (&(var, cell), &value) in exit {
                let base = match self.program.vars[var].kind {
                    VarKind::Global => 0,
                    _ => layout.global_bits,
                };
                let bits = layout.slot(var).cell(cell);
                claim.set_number(base + bits.start..base + bits.end, Some(value));
            }
            let id = segments.push(Segment { proc, steps, exit: claim });
            needed.insert(s, Some(id));
        }
        let mut frames: Vec<Frame> = ends
            .iter()
            .rev()
            .map(|&(item, call)| {
                let mut steps = self.steps(space, item, &needed);
                steps.extend(call.map(|edge| self.step(space, item, edge, None)));
                Frame { proc: self.items[item].proc, steps }
            })
            .collect();
        for (state, edge, summary) in along {
            let inside = summary.and_then(|s| needed[&s]);
            let state = partial(self.program, space, state);
            frames.last_mut().unwrap().steps.push(Step { edge: *edge, state, inside });
            if let (EdgeKind::Call(call), None) = (&self.program.edges[*edge].kind, summary) {
                frames.push(Frame { proc: call.callee, steps: Vec::new() });
            }
        }
        let end = partial(self.program, space, &self.items[item].state);
        let target = self.items[item].node;
        Trace { segments, frames, target, end, shortest: false, lasso: None }
    }

    /// From the entry to the item: the item before each edge, the edge, the summary used.
    fn chain(&self, mut item: usize) -> Vec<(usize, EdgeId, Option<usize>)> {
        let mut out = Vec::new();
        while let Some(parent) = self.items[item].parent {
            out.push(parent);
            item = parent.0;
        }
        out.reverse();
        out
    }

    fn step(&self, space: &Space, item: usize, edge: EdgeId, inside: Option<SegmentId>) -> Step {
        Step { edge, state: partial(self.program, space, &self.items[item].state), inside }
    }

    fn steps(
        &self,
        space: &Space,
        item: usize,
        segments: &BTreeMap<usize, Option<SegmentId>>,
    ) -> Vec<Step> {
        self.chain(item)
            .into_iter()
            .map(|(from, edge, summary)| {
                self.step(space, from, edge, summary.and_then(|s| segments[&s]))
            })
            .collect()
    }

    /// Globals that are so in every path edge and summary of the procedure.
    fn unchanged(&self, p: ProcId) -> Vec<VarId> {
        let program = self.program;
        let same = |g: VarId, entry: &Values, now: &Values| {
            (0..program.vars[g].ty.cells()).all(|c| entry[&(g, c)] == now[&(g, c)])
        };
        let items = || self.items.iter().filter(|i| i.proc == p);
        let summaries = || self.summaries.iter().filter(|s| self.items[s.item].proc == p);
        let globals = program.globals.iter().copied();
        globals
            .filter(|&g| {
                items().all(|i| same(g, &i.entry, &i.state))
                    && summaries().all(|s| same(g, &self.items[s.item].entry, &s.exit))
            })
            .collect()
    }

    /// The exact sets as a certificate. What is unchanged is either left out of the sets, at
    /// entry, or not claimed to be so.
    pub(crate) fn certificate(&self, space: &Space, leave_out: bool) -> Certificate {
        self.certificate_with(space, leave_out, None)
    }

    /// The same, and for a repeat goal with what `heads` knows: a rank for each component of the
    /// graph of heads, with a mark that is not seen inside it (or any, if all are).
    pub(crate) fn certificate_with(
        &self,
        space: &Space,
        leave_out: bool,
        heads: Option<&super::heads::Heads>,
    ) -> Certificate {
        let program = self.program;
        let unchanged = |p: ProcId| if leave_out { self.unchanged(p) } else { Vec::new() };
        let entry_globals = |p: ProcId| -> Vec<SetBit> {
            let out = unchanged(p);
            program
                .globals
                .iter()
                .filter(|g| !out.contains(g))
                .flat_map(|&g| space.var(program, g))
                .map(|index| SetBit { area: Area::EntryGlobal, index })
                .collect()
        };
        let mut sets = StateSets::new();
        let bits = |first: Area, count: u32| {
            (0..count).map(move |index| SetBit { area: first, index }).collect::<Vec<_>>()
        };
        let global = space.layout.global_bits;
        let mut set = |order: Vec<SetBit>, pairs: Vec<(&Values, &Values)>| {
            let mut rows: Vec<Vec<bool>> = pairs
                .into_iter()
                .map(|(entry, now)| {
                    let (entry, now) =
                        (partial(program, space, entry), partial(program, space, now));
                    order.iter().map(|&bit| bit_of(space, &entry, &now, bit)).collect()
                })
                .collect();
            rows.sort_unstable();
            rows.dedup();
            sets.from_sorted(&order, &rows)
        };
        let mut path = |keep: &dyn Fn(usize) -> bool| -> IndexVec<NodeId, check::SetId> {
            let sets = program.nodes.enumerate().map(|(n, node)| {
                let frame = space.layout.frame_bits[node.proc];
                let mut order = entry_globals(node.proc);
                order.extend(bits(Area::EntryLocal, frame));
                order.extend(bits(Area::Global, global));
                order.extend(bits(Area::Local, frame));
                let items = self.items.iter().enumerate().filter(|(k, i)| i.node == n && keep(*k));
                set(order, items.map(|(_, i)| (&i.entry, &i.state)).collect())
            });
            sets.collect()
        };
        let all_path = path(&|_| true);
        let marked_path: Vec<_> = heads
            .iter()
            .flat_map(|heads| &heads.items)
            .map(|marked| path(&|k| marked.contains(&k)))
            .collect();
        let mut summary = |p: ProcId, keep: &dyn Fn(usize) -> bool| {
            let mut order = entry_globals(p);
            order.extend(bits(Area::EntryLocal, space.layout.frame_bits[p]));
            order.extend(bits(Area::Global, global));
            order.extend(bits(Area::Result, space.layout.result_bits[p]));
            let pairs = self
                .summaries
                .iter()
                .enumerate()
                .filter(|(k, s)| self.items[s.item].proc == p && keep(*k))
                .map(|(_, s)| (&self.items[s.item].entry, &s.exit))
                .collect();
            set(order, pairs)
        };
        let procs = program
            .procs
            .ids()
            .map(|p| ProcClaim { summary: summary(p, &|_| true), unchanged: unchanged(p) })
            .collect();
        let mut marked = Vec::new();
        for (path, heads) in marked_path.into_iter().zip(heads.iter().flat_map(|h| &h.summaries)) {
            let of = |p| summary(p, &|k| heads.contains(&k));
            marked
                .push(check::MarkedClaim { path, summary: program.procs.ids().map(of).collect() });
        }
        let repeat = heads.map(|heads| {
            let mut rank = |component: &Vec<usize>| {
                let (seen, cyclic) = heads.inside(component);
                let mark = if cyclic { seen.trailing_ones() } else { 0 };
                let mut nodes: Vec<NodeId> = component.iter().map(|&h| heads.list[h].0).collect();
                nodes.sort_unstable();
                nodes.dedup();
                let none = Values::new();
                let mut at = |n: NodeId| {
                    let mut order = bits(Area::Global, global);
                    let frame = space.layout.frame_bits[program.nodes[n].proc];
                    order.extend(bits(Area::Local, frame));
                    let here = component.iter().filter(|&&h| heads.list[h].0 == n);
                    (n, set(order, here.map(|&h| (&none, &heads.list[h].1)).collect()))
                };
                let heads_here = nodes.into_iter().map(&mut at).collect();
                check::Rank { mark: mark.min(heads.items.len() as u32 - 1), heads: heads_here }
            };
            let ranks = heads.components().iter().map(&mut rank).collect();
            check::RepeatClaim { marked, ranks }
        });
        Certificate { sets, path: all_path, procs, repeat }
    }
}

/// A bit of a pair of valuations.
fn bit_of(space: &Space, entry: &Partial, now: &Partial, bit: SetBit) -> bool {
    let (state, start) = match bit.area {
        Area::EntryGlobal => (entry, 0),
        Area::EntryLocal => (entry, space.locals().start),
        Area::Global => (now, 0),
        Area::Local => (now, space.locals().start),
        Area::Result => (now, space.results().start),
    };
    state.get(start + bit.index).expect("every bit has a value")
}

/// A valuation as bits.
pub(crate) fn partial(program: &Program, space: &Space, values: &Values) -> Partial {
    let mut out = space.open();
    for (&(var, cell), &value) in values {
        out.set_number(space.cell(program, var, cell), Some(value));
    }
    out
}
