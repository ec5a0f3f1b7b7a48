//! A P-automaton with its data, edge by edge, for those who want to see it.

use crate::automaton::{PAutomaton, State, Symbol};
use crate::post_star::Goal;
use analysis::Place;
use bdd::Bdd;
use check::{Area, Budget, SetBit, SetId, StateSets, StopReason};
use ir::{EdgeKind, NodeId, ProcId};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::{Copy, Halt};

/// Whose variable a bit belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Whose {
    /// Of the state that the edge leaves.
    Before,
    /// Of the frame that the edge reads: its locals, of the topmost one the globals, too.
    Frame,
    /// Of the state that the edge leads to.
    After,
}

/// A relation, as a set over bits that are listed: bit `i` of the set is the `i`-th one.
pub struct Relation {
    /// The graph.
    pub sets: StateSets,
    /// The relation, over bits in [`Area::Global`].
    pub set: SetId,
    /// What the bits are: whose, and which one. The areas are globals, locals and results.
    pub bits: Vec<(Whose, SetBit)>,
}

/// An edge with its relation.
pub struct DataEdge {
    /// Where it starts.
    pub from: State,
    /// What it reads.
    pub symbol: Symbol,
    /// Where it leads.
    pub to: State,
    /// Between the data of both states and of the frame.
    pub relation: Relation,
}

/// The edges of a P-automaton that some stack uses, and where stacks end.
pub struct DataView {
    /// The edges, in the order of nodes and calls.
    pub edges: Vec<DataEdge>,
    /// The states where a stack may end, and with which data ([`Whose::After`]).
    pub ends: Vec<(State, Relation)>,
}

impl PAutomaton {
    /// The edges that stacks of the set use, all of them or those with one of `tops` on top, with their data.
    pub fn with_data(
        &mut self,
        tops: Option<&[NodeId]>,
        budget: &Budget,
    ) -> Result<DataView, StopReason> {
        self.ask(budget, |this| {
            this.find_alive()?;
            this.view(tops)
        })
    }

    fn view(&mut self, tops: Option<&[NodeId]>) -> Result<DataView, Halt> {
        let program = self.program().clone();
        let mut seen: FxHashSet<(ProcId, Goal)> = FxHashSet::default();
        let mut work: Vec<(ProcId, Goal)> = Vec::new();
        let mut edges = Vec::new();
        for node in program.nodes.ids() {
            if tops.is_some_and(|tops| !tops.contains(&node)) {
                continue;
            }
            let proc = program.nodes[node].proc;
            for (to, rel) in self.tops(node) {
                let rel = self.only_alive(proc, to, rel)?;
                if rel.is_false() {
                    continue;
                }
                if seen.insert((proc, to)) {
                    work.push((proc, to));
                }
                edges.push(DataEdge {
                    from: State::Start,
                    symbol: Symbol::Top(node),
                    to: state(proc, to),
                    relation: self.relation(rel),
                });
            }
        }
        let mut ends = Vec::new();
        let mut below: Vec<((ProcId, Goal), DataEdge)> = Vec::new();
        while let Some((proc, goal)) = work.pop() {
            self.s.budget.work(1)?;
            let accepting = self.accepting(proc, goal);
            if !accepting.is_false() {
                ends.push((state(proc, goal), self.relation(accepting)));
            }
            for e in self.calls[proc].clone() {
                let source = program.edges[e].source;
                debug_assert!(matches!(program.edges[e].kind, EdgeKind::Call(_)));
                let caller = program.nodes[source].proc;
                for (_, to, rel) in self.below(e).into_iter().filter(|t| t.0 == goal) {
                    let rel = self.only_alive(caller, to, rel)?;
                    if rel.is_false() {
                        continue;
                    }
                    if seen.insert((caller, to)) {
                        work.push((caller, to));
                    }
                    below.push((
                        (proc, goal),
                        DataEdge {
                            from: state(proc, goal),
                            symbol: Symbol::Waiting(e),
                            to: state(caller, to),
                            relation: self.relation(rel),
                        },
                    ));
                }
            }
        }
        below.sort_by_key(|(from, edge)| (*from, edge.symbol, edge.to));
        edges.extend(below.into_iter().map(|(_, edge)| edge));
        ends.sort_by_key(|&(state, _)| state);
        Ok(DataView { edges, ends })
    }

    fn relation(&self, root: Bdd) -> Relation {
        let slots = &self.s.context.slots;
        let mut sets = StateSets::new();
        let mut bits: Vec<(Whose, SetBit)> = Vec::new();
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        let mut done: FxHashMap<u32, SetId> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&f) = stack.last() {
            if done.contains_key(&f.id()) {
                stack.pop();
                continue;
            }
            let Some((variable, lo, hi)) = self.s.m.node(f) else {
                let set = if f.is_true() { SetId::full() } else { SetId::empty() };
                done.insert(f.id(), set);
                continue;
            };
            match (done.get(&lo.id()), done.get(&hi.id())) {
                (Some(&lo), Some(&hi)) => {
                    let index = *known.entry(variable).or_insert_with(|| {
                        let (copy, place) = slots.decode(variable);
                        let whose = match copy {
                            Copy::Inner => Whose::Before,
                            Copy::Entry => Whose::After,
                            _ => Whose::Frame,
                        };
                        let (area, index) = match place {
                            Place::Global(i) => (Area::Global, i),
                            Place::Local(i) => (Area::Local, i),
                            Place::Result(i) => (Area::Result, i),
                        };
                        bits.push((whose, SetBit { area, index }));
                        bits.len() as u32 - 1
                    });
                    let set = sets.ite(SetBit { area: Area::Global, index }, lo, hi);
                    done.insert(f.id(), set);
                }
                _ => stack.extend([lo, hi]),
            }
        }
        let set = done[&root.id()];
        Relation { sets, set, bits }
    }
}

fn state(proc: ProcId, goal: Goal) -> State {
    match goal {
        0 => State::Data(proc),
        s => State::Set(proc, s - 1),
    }
}
