//! Answers about a transformed program as answers about the program it was made from.

use crate::{
    Area, Certificate, Frame, Goal, MarkedClaim, Observation, Partial, ProcClaim, Rank,
    RepeatClaim, Segment, SetBit, SetId, StateSets, Step, Target, Task, Trace,
};
use ir::{Embedding, Id, IndexVec, Layout, NodeId, ProcId, Program, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Carries tasks down to a transformed program, and answers back up.
///
/// Sound for transformations that only drop variables and procedures which cannot matter, or add
/// variables that only watch: what is said of the remaining variables holds as it is.
#[derive(Debug)]
pub struct Lift<'a> {
    original: &'a Program,
    embedding: &'a Embedding,
    /// Of the transformed program and of the original.
    from: Layout,
    to: Layout,
    /// Bits of the transformed program's globals, and of each procedure's locals and results, in
    /// the original.
    globals: Vec<Option<u32>>,
    locals: IndexVec<ProcId, Vec<Option<u32>>>,
    results: IndexVec<ProcId, Vec<Option<u32>>>,
    /// The transformed program's nodes by procedure, and the other way round.
    nodes: IndexVec<ProcId, Vec<NodeId>>,
    proc_of: IndexVec<NodeId, ProcId>,
}

impl<'a> Lift<'a> {
    /// `transformed` lies in `original` as `embedding` says.
    pub fn new(original: &'a Program, transformed: &Program, embedding: &'a Embedding) -> Lift<'a> {
        let (from, to) = (Layout::new(transformed), Layout::new(original));
        let bits = |area: u32, vars: &[VarId]| {
            let mut out = vec![None; area as usize];
            for &var in vars {
                let Some(old) = embedding.vars[var] else { continue };
                for (new_bit, old_bit) in from.slot(var).bits().zip(to.slot(old).bits()) {
                    out[new_bit as usize] = Some(old_bit);
                }
            }
            out
        };
        let globals = bits(from.global_bits, &transformed.globals);
        let locals = transformed
            .procs
            .enumerate()
            .map(|(p, proc)| bits(from.frame_bits[p], &proc.locals))
            .collect();
        let results = transformed
            .procs
            .enumerate()
            .map(|(p, proc)| bits(from.result_bits[p], &proc.results))
            .collect();
        let nodes = transformed.procs.iter().map(|p| p.node_ids().collect()).collect();
        let proc_of = transformed.nodes.iter().map(|n| n.proc).collect();
        Lift { original, embedding, from, to, globals, locals, results, nodes, proc_of }
    }

    /// The task, asked of the transformed program. Targets that were dropped are unreachable and
    /// leave their goals; a goal may be left without any.
    pub fn task(&self, task: &Task, transformed: Arc<Program>) -> Task {
        let nodes = self.embedding.node_images(self.original);
        let vars = self.embedding.var_images(self.original);
        let goals = task
            .goals
            .iter()
            .map(|goal| match goal {
                Goal::Reach(targets) => Goal::Reach(
                    targets
                        .iter()
                        .filter_map(|t| {
                            let condition = self.embedding.exprs[t.condition];
                            let condition = condition.expect("what a goal reads is kept");
                            Some(Target { node: nodes[t.node]?, condition })
                        })
                        .collect(),
                ),
                Goal::Repeat { marks } => Goal::Repeat { marks: *marks },
            })
            .collect();
        // An observation of a dropped node keeps its place, at the entry and without variables;
        // `observed` makes it empty.
        let observe = task
            .observe
            .iter()
            .map(|o| Observation {
                node: nodes[o.node].unwrap_or(transformed.procs[transformed.entry].entry),
                vars: match nodes[o.node] {
                    Some(_) => o.vars.iter().filter_map(|&v| vars[v]).collect(),
                    None => Vec::new(),
                },
            })
            .collect();
        let each = task.each.and_then(|var| vars[var]);
        Task { program: transformed, goals, observe, each, wants: task.wants }
    }

    /// An observed set, copied into `to`.
    pub fn observed(
        &self,
        observation: &Observation,
        from: &StateSets,
        set: SetId,
        to: &mut StateSets,
    ) -> SetId {
        let old = self.original.nodes[observation.node].proc;
        match self.embedding.procs.enumerate().find(|(_, p)| **p == old) {
            Some((new, _)) => self.copy(from, to, &mut FxHashMap::default(), set, new),
            None => SetId::empty(),
        }
    }

    /// Whether each node of the original is reached.
    pub fn reached(&self, reached: &[bool]) -> Vec<bool> {
        let mut out = vec![false; self.original.nodes.len()];
        for (new, old) in self.embedding.nodes.enumerate() {
            out[old.index()] |= reached[new.index()];
        }
        out
    }

    /// The trace as one of the original.
    pub fn trace(&self, trace: &Trace) -> Trace {
        let steps = |steps: &[Step], proc: ProcId| {
            let lift = |s: &Step| Step {
                edge: self.embedding.edges[s.edge],
                state: self.state(&s.state, proc),
                inside: s.inside,
            };
            steps.iter().map(lift).collect::<Vec<Step>>()
        };
        let last = trace.frames.last().expect("a trace has a frame").proc;
        Trace {
            segments: trace
                .segments
                .iter()
                .map(|s| Segment {
                    proc: self.embedding.procs[s.proc],
                    steps: steps(&s.steps, s.proc),
                    exit: self.exit(&s.exit, s.proc),
                })
                .collect(),
            frames: trace
                .frames
                .iter()
                .map(|f| Frame {
                    proc: self.embedding.procs[f.proc],
                    steps: steps(&f.steps, f.proc),
                })
                .collect(),
            target: self.embedding.nodes[trace.target],
            end: self.state(&trace.end, last),
            shortest: trace.shortest,
            lasso: trace.lasso,
        }
    }

    fn state(&self, state: &Partial, proc: ProcId) -> Partial {
        let old = self.embedding.procs[proc];
        self.move_bits(state, &self.locals[proc], self.to.frame_bits[old])
    }

    fn exit(&self, exit: &Partial, proc: ProcId) -> Partial {
        let old = self.embedding.procs[proc];
        self.move_bits(exit, &self.results[proc], self.to.result_bits[old])
    }

    fn move_bits(&self, state: &Partial, rest: &[Option<u32>], rest_bits: u32) -> Partial {
        let mut out = Partial::unknown(self.to.global_bits + rest_bits);
        for (bit, value) in state.known() {
            let old = match bit.checked_sub(self.from.global_bits) {
                None => self.globals[bit as usize],
                Some(bit) => rest[bit as usize].map(|old| self.to.global_bits + old),
            };
            if let Some(old) = old {
                out.set(old, Some(value));
            }
        }
        out
    }

    /// The certificate as one of the original: dropped variables are left open, dropped nodes are
    /// unreachable.
    pub fn certificate(&self, certificate: &Certificate) -> Certificate {
        let mut sets = StateSets::new();
        let mut claims = |path: &IndexVec<NodeId, SetId>, summary: &dyn Fn(ProcId) -> SetId| {
            let mut new_path = IndexVec::filled(SetId::empty(), self.original.nodes.len());
            let mut new_summary = IndexVec::filled(SetId::empty(), self.original.procs.len());
            for (proc, nodes) in self.nodes.enumerate() {
                // Bits of locals mean other variables in each procedure: no sharing between them.
                let mut done = FxHashMap::default();
                let mut copy = |set| self.copy(&certificate.sets, &mut sets, &mut done, set, proc);
                new_summary[self.embedding.procs[proc]] = copy(summary(proc));
                for &node in nodes {
                    new_path[self.embedding.nodes[node]] = copy(path[node]);
                }
            }
            (new_path, new_summary)
        };
        let (path, summary) = claims(&certificate.path, &|p| certificate.procs[p].summary);
        let mut procs: IndexVec<ProcId, ProcClaim> =
            summary.iter().map(|&summary| ProcClaim { summary, unchanged: Vec::new() }).collect();
        for (proc, &old) in self.embedding.procs.enumerate() {
            let unchanged = &certificate.procs[proc].unchanged;
            procs[old].unchanged =
                unchanged.iter().filter_map(|&v| self.embedding.vars[v]).collect();
        }
        let marked: Option<Vec<MarkedClaim>> = certificate.repeat.as_ref().map(|repeat| {
            let lifted = repeat.marked.iter().map(|m| claims(&m.path, &|p| m.summary[p]));
            lifted.map(|(path, summary)| MarkedClaim { path, summary }).collect()
        });
        let repeat = certificate.repeat.as_ref().zip(marked).map(|(repeat, marked)| {
            let ranks = repeat.ranks.iter().map(|r| self.rank(r, &certificate.sets, &mut sets));
            RepeatClaim { marked, ranks: ranks.collect() }
        });
        Certificate { sets, path, procs, repeat }
    }

    fn rank(&self, rank: &Rank, from: &StateSets, to: &mut StateSets) -> Rank {
        let mut done: FxHashMap<ProcId, FxHashMap<SetId, SetId>> = FxHashMap::default();
        let mut heads: Vec<(NodeId, SetId)> = rank
            .heads
            .iter()
            .map(|&(node, set)| {
                let proc = self.proc_of[node];
                let set = self.copy(from, to, done.entry(proc).or_default(), set, proc);
                (self.embedding.nodes[node], set)
            })
            .collect();
        heads.sort_unstable_by_key(|&(node, _)| node);
        Rank { mark: rank.mark, heads }
    }

    fn copy(
        &self,
        from: &StateSets,
        to: &mut StateSets,
        done: &mut FxHashMap<SetId, SetId>,
        root: SetId,
        proc: ProcId,
    ) -> SetId {
        let mut stack = vec![root];
        while let Some(&set) = stack.last() {
            if done.contains_key(&set) {
                stack.pop();
                continue;
            }
            let Some(node) = from.node(set) else {
                done.insert(set, set); // the empty and the full set
                continue;
            };
            match (done.get(&node.lo), done.get(&node.hi)) {
                (Some(&lo), Some(&hi)) => {
                    let SetBit { area, index } = node.bit;
                    let bits = match area {
                        Area::EntryGlobal | Area::Global => &self.globals,
                        Area::EntryLocal | Area::Local => &self.locals[proc],
                        Area::Result => &self.results[proc],
                    };
                    // A variable that was added cannot occur in a claim about the original.
                    let index = bits[index as usize].expect("a set over kept variables");
                    done.insert(set, to.ite(SetBit { area, index }, lo, hi));
                }
                _ => stack.extend([node.lo, node.hi]),
            }
        }
        done[&root]
    }
}
