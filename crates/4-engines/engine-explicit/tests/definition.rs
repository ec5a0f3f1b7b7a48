//! Random programs of the model, answered by the definition: relations by trying every candidate,
//! reachability by rules that know no contexts, only full entry valuations.

use crate::common;
use crate::common::hierarchical_length;
use crate::plain::direct::Cells;
use crate::plain::{Relations, initial, join, relations, valuations};
use check::{Area, Goal, Observation, Target, Task, Verdict};
use ir::{EdgeId, Id, Layout, NodeId, ProcId, Program, VarId, VarKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Facts beyond which a program is left out.
const LIMIT: usize = 6_000;

/// Everything reachable, with full entry valuations.
struct Naive<'a> {
    program: &'a Program,
    edges: Vec<Relations<'a>>,
    /// (node, entry, now)
    paths: BTreeSet<(NodeId, Cells, Cells)>,
    work: Vec<(NodeId, Cells, Cells)>,
    /// (procedure, entry) → (globals and results)
    summaries: BTreeMap<(ProcId, Cells), BTreeSet<Cells>>,
    /// (callee, its entry) → who waits for it
    callers: BTreeMap<(ProcId, Cells), BTreeSet<Caller>>,
}

/// The caller's entry, the call edge, the saved locals.
type Caller = (Cells, EdgeId, Cells);

impl<'a> Naive<'a> {
    /// `None`: too many facts.
    fn new(program: &'a Program) -> Option<Naive<'a>> {
        let mut naive = Naive {
            program,
            edges: relations(program),
            paths: BTreeSet::new(),
            work: Vec::new(),
            summaries: BTreeMap::new(),
            callers: BTreeMap::new(),
        };
        let entry = program.procs[program.entry].entry;
        for initial in initial(program) {
            naive.add(entry, initial.clone(), initial);
        }
        while let Some((node, entry, now)) = naive.work.pop() {
            if naive.paths.len() > LIMIT {
                return None;
            }
            naive.process(node, &entry, &now);
        }
        Some(naive)
    }
    fn add(&mut self, node: NodeId, entry: Cells, now: Cells) {
        let fact = (node, entry, now);
        if self.paths.insert(fact.clone()) {
            self.work.push(fact);
        }
    }
    fn process(&mut self, node: NodeId, entry: &Cells, now: &Cells) {
        let proc = self.program.nodes[node].proc;
        for edge in self.program.out_edges(node) {
            match &self.edges[edge.index()] {
                Relations::Local(target, rel) => {
                    let target = *target;
                    for (post, _) in rel.successors(now) {
                        self.add(target, entry.clone(), post);
                    }
                }
                Relations::Call { callee, enter, .. } => {
                    let callee = *callee;
                    for (inner, saved) in enter.successors(now) {
                        let key = (callee, inner.clone());
                        let caller = (entry.clone(), edge, saved);
                        self.callers.entry(key.clone()).or_default().insert(caller.clone());
                        self.add(self.program.procs[callee].entry, inner.clone(), inner);
                        for out in self.summaries.get(&key).cloned().unwrap_or_default() {
                            self.back(&caller, &out);
                        }
                    }
                }
                Relations::Return(rel) => {
                    for (out, _) in rel.successors(now) {
                        let key = (proc, entry.clone());
                        if self.summaries.entry(key.clone()).or_default().insert(out.clone()) {
                            for caller in self.callers.get(&key).cloned().unwrap_or_default() {
                                self.back(&caller, &out);
                            }
                        }
                    }
                }
            }
        }
    }
    fn back(&mut self, (entry, edge, saved): &Caller, out: &Cells) {
        let Relations::Call { ret, back, .. } = &self.edges[edge.index()] else { panic!("a call") };
        let ret = *ret;
        for (now, _) in back.successors(&join(out, saved)) {
            self.add(ret, entry.clone(), now);
        }
    }

    /// The least number of steps to each node and valuation, completed calls counted as one: by
    /// relaxing every edge until nothing changes.
    fn distances(&self) -> BTreeMap<(NodeId, Cells), usize> {
        let mut best: BTreeMap<(NodeId, Cells), usize> = BTreeMap::new();
        let mut work: BTreeSet<(usize, NodeId, Cells)> = BTreeSet::new();
        let entry = self.program.procs[self.program.entry].entry;
        for initial in initial(self.program) {
            work.insert((0, entry, initial));
        }
        while let Some((distance, node, now)) = work.pop_first() {
            let key = (node, now.clone());
            if best.contains_key(&key) {
                continue;
            }
            best.insert(key, distance);
            for edge in self.program.out_edges(node) {
                let after = distance + self.program.edges[edge].step as usize;
                match &self.edges[edge.index()] {
                    Relations::Local(target, rel) => {
                        for (post, _) in rel.successors(&now) {
                            work.insert((after, *target, post));
                        }
                    }
                    Relations::Call { callee, enter, ret, back } => {
                        for (inner, saved) in enter.successors(&now) {
                            let outs = self.summaries.get(&(*callee, inner.clone()));
                            for out in outs.into_iter().flatten() {
                                for (post, _) in back.successors(&join(out, &saved)) {
                                    work.insert((after, *ret, post));
                                }
                            }
                            work.insert((after, self.program.procs[*callee].entry, inner));
                        }
                    }
                    Relations::Return(_) => {}
                }
            }
        }
        best
    }
}

/// The bit of a valuation that a set asks for.
fn lookup(program: &Program, layout: &Layout, area: Area, bit: u32, cells: &Cells) -> bool {
    for (&(var, cell), value) in cells {
        let same = matches!(
            (area, program.vars[var].kind),
            (Area::Global | Area::EntryGlobal, VarKind::Global)
                | (Area::Local | Area::EntryLocal, VarKind::Local(_))
                | (Area::Result, VarKind::Result(_))
        );
        let bits = layout.slot(var).cell(cell);
        if same && bits.contains(&bit) {
            return value >> (bit - bits.start) & 1 == 1;
        }
    }
    panic!("{area:?} bit {bit} is not in scope")
}

#[test]
fn states_lengths_and_certificates() {
    let (mut compared, mut recursive_entry) = (0, 0);
    for seed in 0..250 {
        let program = testkit::random_ir::random_program(seed);
        program.validate().unwrap();
        let program = Arc::new(program);
        let Some(naive) = Naive::new(&program) else { continue };
        compare(seed, &program, &naive);
        compared += 1;
        recursive_entry += !ir::call_edges(&program)[program.entry].is_empty() as usize;
    }
    assert!(compared > 200, "only {compared} programs were compared");
    assert!(recursive_entry > 15, "only {recursive_entry} with a recursive entry procedure");
}

fn compare(seed: u64, program: &Arc<Program>, naive: &Naive) {
    let layout = Layout::new(program);
    let nodes: Vec<NodeId> = program.nodes.ids().collect();
    let goals = nodes.iter().map(|&n| Goal::Reach(vec![Target::at(n)])).collect();
    let mut task = Task::new(program.clone(), goals);
    task.wants.all_nodes = true;
    for &node in &nodes {
        let vars = program.scope(program.nodes[node].proc).collect();
        task.observe.push(Observation { node, vars });
    }
    let answer = common::run(&task);
    let distances = naive.distances();
    let mut states: BTreeMap<NodeId, BTreeSet<&Cells>> = BTreeMap::new();
    for (node, _, now) in &naive.paths {
        states.entry(*node).or_default().insert(now);
    }
    let mut other = task.clone();
    other.wants.trace = check::TraceMode::Any;
    common::run(&other);
    let mut certificate = None;
    for (i, &node) in nodes.iter().enumerate() {
        let expected = states.remove(&node).unwrap_or_default();
        assert_eq!(answer.reached.as_ref().unwrap()[i], !expected.is_empty(), "seed {seed}");
        let vars: Vec<VarId> = program.scope(program.nodes[node].proc).collect();
        let set = answer.observed[i].unwrap();
        for cells in valuations(program, &vars) {
            let member = answer
                .sets
                .contains(set, |bit| lookup(program, &layout, bit.area, bit.index, &cells));
            assert_eq!(member, expected.contains(&cells), "seed {seed}, {node:?}, {cells:?}");
        }
        let nearest =
            distances.iter().filter(|((n, _), _)| *n == node).map(|(_, distance)| *distance).min();
        match &answer.verdicts[i] {
            Verdict::Violated(Some(trace)) => {
                assert!(trace.shortest && trace.target == node);
                let length = Some(hierarchical_length(program, trace));
                assert_eq!(length, nearest, "seed {seed}, {node:?}");
            }
            Verdict::Holds(Some(proof)) => {
                assert_eq!(nearest, None, "seed {seed}, {node:?}");
                certificate = Some(proof);
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    // The certificate contains every path edge, and nothing that is not reachable.
    let Some(proof) = certificate else { return };
    for (node, entry, now) in &naive.paths {
        let member = proof.sets.contains(proof.path[*node], |bit| {
            let cells = match bit.area {
                Area::EntryGlobal | Area::EntryLocal => entry,
                _ => now,
            };
            lookup(program, &layout, bit.area, bit.index, cells)
        });
        assert!(member, "seed {seed}: {node:?} lacks {entry:?} to {now:?}");
    }
    for ((proc, entry), outs) in &naive.summaries {
        for out in outs {
            let member = proof.sets.contains(proof.procs[*proc].summary, |bit| {
                let cells = match bit.area {
                    Area::EntryGlobal | Area::EntryLocal => entry,
                    _ => out,
                };
                lookup(program, &layout, bit.area, bit.index, cells)
            });
            assert!(member, "seed {seed}: {proc:?} lacks {entry:?} to {out:?}");
        }
    }
}
