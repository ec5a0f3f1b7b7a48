//! Live variables ([bebop §3.3]), in the strong sense: a variable is live at a node if its value
//! there may decide a guard, a constraint or a question later; being copied into a variable that
//! is not live does not count.
//!
//! Across calls the analysis is context-insensitive at exits (a global is live at an exit if it is
//! live after some call), but a global that the callee cannot modify goes around it.

use crate::{BitSet, ModRef, Uses, call_order, may_block, may_clash};
use ir::{
    EdgeId, EdgeKind, ExprId, Exprs, Id, IndexVec, NodeId, ProcId, Program, Rel, Time, VarId,
    VarKind,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Which variables are live where. Sets hold places in scope: globals first (their place in
/// [`Program::globals`]), then the procedure's locals.
#[derive(Clone, Debug)]
pub struct Live {
    at: IndexVec<NodeId, BitSet>,
    /// Globals, then results.
    exit: IndexVec<ProcId, BitSet>,
    place: IndexVec<VarId, u32>,
}

impl Live {
    /// Every variable that is in scope and touched is live: what holds without analysis.
    pub fn everything(program: &Program, mod_ref: &ModRef) -> Live {
        let globals = program.globals.len();
        let place = places(program);
        let at = program
            .nodes
            .iter()
            .map(|node| {
                let proc = &program.procs[node.proc];
                let mut set = BitSet::new(globals + proc.locals.len());
                mod_ref.touched[node.proc].iter().for_each(|g| {
                    set.insert(g);
                });
                (0..proc.locals.len()).for_each(|l| {
                    set.insert(globals + l);
                });
                set
            })
            .collect();
        let exit = program
            .procs
            .enumerate()
            .map(|(p, proc)| {
                let mut set = BitSet::new(globals + proc.results.len());
                mod_ref.modified[p].iter().for_each(|g| {
                    set.insert(g);
                });
                (0..proc.results.len()).for_each(|r| {
                    set.insert(globals + r);
                });
                set
            })
            .collect();
        Live { at, exit, place }
    }

    /// The least sets such that, with `before(rel, need)` the variables that a relation needs
    /// before it so that those in `need` get their values after it (its guard and constraint, and
    /// whatever may block it, are always needed):
    ///
    /// - LV1. `live(n)` contains what the question reads at `n`;
    /// - LV2. for a step from `n` to `m`: `live(n) ⊇ before(rel, live(m))`;
    /// - LV3. for a return at `n` of `f`: `live(n) ⊇ before(rel, exit(f))`;
    /// - LV4. for a call at `n` of `f` back to `m`, with `after = before(back, live(m))`:
    ///   `exit(f) ⊇ after ∩ (modified(f) ∪ results(f))`, and
    ///   `live(n) ⊇ before(enter, live(f.entry) ∪ (after \ modified(f)))`.
    pub fn new(program: &Program, mod_ref: &ModRef, uses: &Uses) -> Live {
        Live::within(program, mod_ref, uses, &|| false).expect("nobody stops it")
    }

    /// The same; none if `stop` said so, which is asked once for each visit of a procedure.
    pub fn within(
        program: &Program,
        mod_ref: &ModRef,
        uses: &Uses,
        stop: &dyn Fn() -> bool,
    ) -> Option<Live> {
        let globals = program.globals.len();
        let mut live = Live {
            at: program
                .nodes
                .iter()
                .map(|n| BitSet::new(globals + program.procs[n.proc].locals.len()))
                .collect(),
            exit: program.procs.iter().map(|p| BitSet::new(globals + p.results.len())).collect(),
            place: places(program),
        };
        // LV1.
        for node in uses.nodes() {
            for &var in uses.at(node) {
                let place = live.place[var] as usize;
                live.at[node].insert(place);
            }
        }
        let flows = Flows::new(program, &live.place);
        // Callees first: what is live at their entry is known when a caller asks.
        let mut rank = IndexVec::filled(0u32, program.procs.len());
        let mut by_rank = Vec::new();
        for proc in call_order(program).into_iter().flatten() {
            rank[proc] = by_rank.len() as u32;
            by_rank.push(proc);
        }
        let from = Sources::new(program);
        // Nodes of which something that they depend on has changed.
        let mut open = IndexVec::filled(true, program.nodes.len());
        let mut work: BTreeSet<u32> = (0..by_rank.len() as u32).collect();
        let (mut at, mut up) = (0, true);
        let mut need = BitSet::default();
        let mut after = BitSet::default();
        let mut reads = Vec::new();
        while !work.is_empty() {
            // What is live at entries goes to callers, what is live at exits to callees: up and down
            // in turns, or a procedure with many callers is visited after each of them.
            let next = match up {
                true => work.range(at..).next(),
                false => work.range(..=at).next_back(),
            };
            let Some(&next) = next else {
                up = !up;
                continue;
            };
            work.remove(&next);
            if stop() {
                return None;
            }
            at = next;
            let proc = by_rank[next as usize];
            let entry = program.procs[proc].entry;
            let mut entry_grew = false;
            let mut again = true;
            while std::mem::take(&mut again) {
                for node in program.procs[proc].node_ids().rev() {
                    if !std::mem::take(&mut open[node]) {
                        continue;
                    }
                    let mut grew = false;
                    for e in program.out_edges(node) {
                        let flow = &flows.of[e];
                        match &program.edges[e].kind {
                            EdgeKind::Local { target, .. } => {
                                need.clone_from(&live.at[*target]);
                                flows.before(&flow.rel, &mut need, &mut reads, |_| false, |_| {});
                            }
                            EdgeKind::Return { .. } => {
                                let scope = globals + program.procs[proc].locals.len();
                                need = BitSet::new(scope);
                                let exit = &live.exit[proc];
                                exit.iter().take_while(|&g| g < globals).for_each(|g| {
                                    need.insert(g);
                                });
                                let wanted =
                                    |r: u32| exit.contains(globals + (r & !RESULT) as usize);
                                flows.before(&flow.rel, &mut need, &mut reads, wanted, |_| {});
                            }
                            EdgeKind::Call(call) => {
                                let callee = call.callee;
                                after.clone_from(&live.at[call.ret]);
                                let exit = &mut live.exit[callee];
                                let mut exit_grew = false;
                                flows.before(
                                    &flow.back,
                                    &mut after,
                                    &mut reads,
                                    |_| false,
                                    |r| {
                                        exit_grew |= exit.insert(globals + (r & !RESULT) as usize);
                                    },
                                );
                                let modified = &mod_ref.modified[callee];
                                need.clone_from(&after);
                                for g in after.iter().take_while(|&g| g < globals) {
                                    if modified.contains(g) {
                                        exit_grew |= exit.insert(g);
                                        need.remove(g);
                                    }
                                }
                                if exit_grew {
                                    from.returns[callee].iter().for_each(|&n| open[n] = true);
                                    work.insert(rank[callee]);
                                }
                                let entry = &live.at[program.procs[callee].entry];
                                entry.iter().take_while(|&g| g < globals).for_each(|g| {
                                    need.insert(g);
                                });
                                let wanted =
                                    |l: u32| entry.contains(globals + (l & !CALLEE) as usize);
                                flows.before(&flow.rel, &mut need, &mut reads, wanted, |_| {});
                            }
                        }
                        grew |= live.at[node].union(&need);
                    }
                    if grew {
                        entry_grew |= node == entry;
                        for &before in from.of(node) {
                            open[before] = true;
                            again |= before >= node;
                        }
                    }
                }
            }
            if entry_grew {
                for &call in &from.calls[proc] {
                    open[call] = true;
                    work.insert(rank[program.nodes[call].proc]);
                }
            }
        }
        Some(live)
    }

    /// Whether the variable is live at the node (of its procedure, or any for a global).
    pub fn contains(&self, node: NodeId, var: VarId) -> bool {
        self.at[node].contains(self.place[var] as usize)
    }
    /// Whether the global, or result of `proc`, is live where `proc` returns.
    pub fn at_exit(&self, proc: ProcId, var: VarId) -> bool {
        self.exit[proc].contains(self.place[var] as usize)
    }
    /// The live variables at a node: globals in order, then locals.
    pub fn vars<'a>(
        &'a self,
        program: &'a Program,
        node: NodeId,
    ) -> impl Iterator<Item = VarId> + 'a {
        let globals = program.globals.len();
        let locals = &program.procs[program.nodes[node].proc].locals;
        self.at[node]
            .iter()
            .map(move |i| if i < globals { program.globals[i] } else { locals[i - globals] })
    }
    /// How many variables are live at a node.
    pub fn count(&self, node: NodeId) -> usize {
        self.at[node].len()
    }
}

/// From where nodes, entries and exits are reached.
struct Sources {
    /// Where the sources of each node start in `sources`.
    starts: IndexVec<NodeId, u32>,
    sources: Vec<NodeId>,
    /// Nodes that call each procedure.
    calls: IndexVec<ProcId, Vec<NodeId>>,
    /// Nodes at which it returns.
    returns: IndexVec<ProcId, Vec<NodeId>>,
}

impl Sources {
    fn new(program: &Program) -> Sources {
        let mut starts = IndexVec::filled(0u32, program.nodes.len());
        let mut calls: IndexVec<ProcId, Vec<NodeId>> =
            IndexVec::filled(Vec::new(), program.procs.len());
        let mut returns = calls.clone();
        for edge in program.edges.iter() {
            if let Some(target) = edge.target() {
                starts[target] += 1;
            }
            match &edge.kind {
                EdgeKind::Call(call) => calls[call.callee].push(edge.source),
                EdgeKind::Return { .. } => {
                    returns[program.nodes[edge.source].proc].push(edge.source);
                }
                EdgeKind::Local { .. } => {}
            }
        }
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        // Filled from behind: then each start is where it belongs.
        let mut sources = vec![NodeId::new(0); end as usize];
        for edge in program.edges.iter() {
            if let Some(target) = edge.target() {
                starts[target] -= 1;
                sources[starts[target] as usize] = edge.source;
            }
        }
        Sources { starts, sources, calls, returns }
    }

    fn of(&self, node: NodeId) -> &[NodeId] {
        let start = self.starts[node] as usize;
        let end = self.starts.get(NodeId::new(node.index() + 1));
        &self.sources[start..end.map_or(self.sources.len(), |&end| end as usize)]
    }
}

/// The place of each variable in its scope; results are numbered behind the globals too.
fn places(program: &Program) -> IndexVec<VarId, u32> {
    let globals = program.globals.len();
    let mut place = IndexVec::filled(0u32, program.vars.len());
    for (i, &g) in program.globals.iter().enumerate() {
        place[g] = i as u32;
    }
    for proc in program.procs.iter() {
        for vars in [&proc.locals, &proc.results] {
            for (i, &v) in vars.iter().enumerate() {
                place[v] = (globals + i) as u32;
            }
        }
    }
    place
}

/// Marks places of the callee's results (`back`, returns) and of the callee's locals (`enter`):
/// the rest is the number among them.
const RESULT: u32 = 1 << 31;
const CALLEE: u32 = 1 << 30;

/// The reads and writes of every edge, as places, in one pool.
struct Flows {
    of: IndexVec<EdgeId, Flow>,
    pool: Vec<u32>,
    assigns: Vec<FlowAssign>,
}

struct Flow {
    /// The relation of a step or return, `enter` of a call.
    rel: FlowRel,
    /// `back` of a call.
    back: FlowRel,
}

#[derive(Clone, Default)]
struct FlowRel {
    /// Always needed before.
    always: Range<u32>,
    /// Read by the constraint after.
    post: Range<u32>,
    assigns: Range<u32>,
}

struct FlowAssign {
    target: u32,
    /// The old value is gone: the target is a scalar, or the array as a whole.
    kills: bool,
    reads: Range<u32>,
}

impl Flows {
    fn new(program: &Program, place: &IndexVec<VarId, u32>) -> Flows {
        let mut flows = Flows { of: IndexVec::new(), pool: Vec::new(), assigns: Vec::new() };
        for edge in program.edges.iter() {
            let flow = match &edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => {
                    Flow { rel: flows.rel(program, place, rel, None), back: FlowRel::default() }
                }
                EdgeKind::Call(call) => {
                    let enter = flows.rel(program, place, &call.enter, Some(call.callee));
                    Flow { rel: enter, back: flows.rel(program, place, &call.back, None) }
                }
            };
            flows.of.push(flow);
        }
        flows
    }

    fn rel(
        &mut self,
        program: &Program,
        place: &IndexVec<VarId, u32>,
        rel: &Rel,
        entered: Option<ProcId>,
    ) -> FlowRel {
        let globals = program.globals.len() as u32;
        let tag = |time: Time, var: VarId| match program.vars[var].kind {
            VarKind::Result(_) => RESULT | (place[var] - globals),
            VarKind::Local(p) if time == Time::Post && entered == Some(p) => {
                CALLEE | (place[var] - globals)
            }
            _ => place[var],
        };
        let pool = &mut self.pool;
        let reads = |pool: &mut Vec<u32>, expr: ExprId, pre: bool| {
            if expr != Exprs::TRUE {
                program.exprs.reads(expr, |time, var| {
                    if (time == Time::Pre) == pre {
                        pool.push(tag(time, var));
                    }
                });
            }
        };
        let start = pool.len() as u32;
        reads(pool, rel.guard, true);
        reads(pool, rel.constraint, true);
        let blocks = |a: &&ir::Assign| may_block(program, a) || may_clash(program, rel, a);
        for assign in rel.assigns.iter().filter(blocks) {
            for expr in [assign.index, assign.value].into_iter().flatten() {
                reads(pool, expr, true);
            }
        }
        let always = start..pool.len() as u32;
        reads(pool, rel.constraint, false);
        let post = always.end..pool.len() as u32;
        let first = self.assigns.len() as u32;
        for assign in &rel.assigns {
            let start = pool.len() as u32;
            for expr in [assign.index, assign.value].into_iter().flatten() {
                reads(pool, expr, true);
            }
            self.assigns.push(FlowAssign {
                target: tag(assign.time, assign.var),
                kills: assign.index.is_none(),
                reads: start..pool.len() as u32,
            });
        }
        FlowRel { always, post, assigns: first..self.assigns.len() as u32 }
    }

    fn slice(&self, range: &Range<u32>) -> &[u32] {
        &self.pool[range.start as usize..range.end as usize]
    }

    /// Turns `need`, what is needed after the relation in the scope of the edge's source, into
    /// what is needed before it. `wanted` answers for tagged targets; `tagged` hears of tagged
    /// variables that are needed before; `reads` is room to work in.
    fn before(
        &self,
        rel: &FlowRel,
        need: &mut BitSet,
        reads: &mut Vec<u32>,
        wanted: impl Fn(u32) -> bool,
        mut tagged: impl FnMut(u32),
    ) {
        const TAGS: u32 = RESULT | CALLEE;
        let post = self.slice(&rel.post);
        for &place in post {
            if place & TAGS == 0 {
                need.insert(place as usize);
            }
        }
        let assigns = &self.assigns[rel.assigns.start as usize..rel.assigns.end as usize];
        reads.clear();
        reads.extend_from_slice(self.slice(&rel.always));
        for assign in assigns {
            let is_wanted = if assign.target & TAGS == 0 {
                need.contains(assign.target as usize)
            } else {
                wanted(assign.target) || post.contains(&assign.target)
            };
            if is_wanted {
                reads.extend_from_slice(self.slice(&assign.reads));
            }
        }
        for assign in assigns {
            if assign.kills && assign.target & TAGS == 0 {
                need.remove(assign.target as usize);
            }
        }
        for &place in reads.iter() {
            if place & TAGS == 0 {
                need.insert(place as usize);
            } else {
                tagged(place);
            }
        }
    }
}
