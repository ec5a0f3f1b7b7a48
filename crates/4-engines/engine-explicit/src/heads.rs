//! The head graph [moped §4.2].
//!
//! A *head* is a node with a valuation (globals and locals), whatever the context. From any moment
//! at which the stack is lowest for the rest of the run, an infinite run is an infinite way through
//! the heads: steps, calls that never come back (to the entry of the callee) and calls passed over.
//! An edge carries the marks of its program edge; one that passes over a call, also those that the
//! run inside can carry ([`crate::marks`]).
//!
//! So that the graph is no larger than the tables, a call goes over two vertices of its own:
//! *waiting* (a call edge, the callee's context, the saved frame), from where it is either passed
//! over or leads to *entering* (a context), and from there to all entry states of the callee.

use crate::intern::Interner;
use crate::links::{Fact, Links};
use crate::machine::Machine;
use crate::marks::Marks;
use crate::meter::Meter;
use crate::shortest::State;
use crate::tabulate::{NONE, Tabulation};
use check::StopReason;
use ir::{EdgeId, Id, MarkSet};

/// An edge of the head graph, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadLink {
    /// A vertex.
    pub(crate) to: u32,
    /// From a head: the program edge. From a waiting call to a head: the exit. Else [`NONE`].
    pub(crate) label: u32,
    /// The marks it carries, or (from a waiting call to a head) can carry.
    pub(crate) marks: MarkSet,
}

/// What a vertex stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Vertex {
    Head(State),
    Waiting,
    Entering,
}

/// A call that waits to be passed over or entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Waiting {
    callee: u32,
    edge: EdgeId,
    saved: u64,
}

/// The graph. Vertices: heads, then waiting calls, then contexts to enter.
pub(crate) struct HeadGraph {
    pub(crate) heads: Interner<State>,
    waiting: usize,
    /// `first[v]..first[v + 1]` leave vertex `v`.
    first: Vec<usize>,
    pub(crate) links: Vec<HeadLink>,
}

impl HeadGraph {
    pub(crate) fn new(
        machine: &Machine,
        table: &Tabulation,
        links: &Links,
        marks: &Marks,
        meter: &mut Meter,
    ) -> Result<HeadGraph, StopReason> {
        let program = machine.program;
        // What leaves a head is the same in all contexts: the first path edge speaks for all.
        let mut heads = Interner::new();
        let mut head_of = Vec::new();
        let mut head_paths = Vec::new();
        for (number, path) in table.paths.items().iter().enumerate() {
            meter.tick()?;
            let state = State { node: path.node, globals: path.globals, frame: path.frame };
            let (head, new) = heads.insert(state, meter)?;
            meter.push(&mut head_of, head)?;
            if new {
                meter.push(&mut head_paths, number as u32)?;
            }
        }
        let mut waiting = Interner::new();
        let mut waiting_of = Vec::new();
        let mut waiting_callers = Vec::new();
        for (number, caller) in table.callers.items().iter().enumerate() {
            meter.tick()?;
            let key = Waiting { callee: caller.callee, edge: caller.edge, saved: caller.saved };
            let (index, new) = waiting.insert(key, meter)?;
            meter.push(&mut waiting_of, index)?;
            if new {
                meter.push(&mut waiting_callers, number as u32)?;
            }
        }
        if heads.len() + waiting.len() + table.contexts.len() >= NONE as usize {
            let what = "more than four thousand million vertices in the head graph".to_owned();
            return Err(StopReason::Unsupported { what });
        }
        let first_waiting = heads.len() as u32;
        let first_entering = first_waiting + waiting.len() as u32;
        let mut graph =
            HeadGraph { heads, waiting: waiting.len(), first: Vec::new(), links: Vec::new() };
        for &path in &head_paths {
            meter.push(&mut graph.first, graph.links.len())?;
            for link in links.leaving(path) {
                let to = match link.to {
                    Fact::Path(path) => head_of[path as usize],
                    Fact::Caller(caller) => first_waiting + waiting_of[caller as usize],
                    Fact::Exit(_) => continue,
                };
                let marks = program.edges[link.edge].marks;
                meter.push(
                    &mut graph.links,
                    HeadLink { to, label: link.edge.index() as u32, marks },
                )?;
            }
        }
        for &caller in &waiting_callers {
            meter.push(&mut graph.first, graph.links.len())?;
            let to = first_entering + table.callers.get(caller).callee;
            meter.push(&mut graph.links, HeadLink { to, label: NONE, marks: 0 })?;
            for back in links.to_caller(caller) {
                let to = head_of[back.path as usize];
                let marks = marks.exits[back.exit as usize];
                meter.push(&mut graph.links, HeadLink { to, label: back.exit, marks })?;
            }
        }
        for (key, activity) in table.contexts.items().iter().zip(&table.activities) {
            meter.push(&mut graph.first, graph.links.len())?;
            if activity.callers.is_empty() {
                continue;
            }
            let node = program.procs[key.proc].entry;
            key.entries(machine).each_state("a call", meter, |globals, frame, meter| {
                let Some(to) = graph.heads.find(&State { node, globals, frame }) else {
                    let what = "explicit engine: a context without its entry states".to_owned();
                    return Err(StopReason::Internal { what });
                };
                meter.push(&mut graph.links, HeadLink { to, label: NONE, marks: 0 })
            })?;
        }
        meter.push(&mut graph.first, graph.links.len())?;
        waiting.dispose(meter);
        let scratch = [&head_of, &head_paths, &waiting_of, &waiting_callers];
        let scratch: usize = scratch.iter().map(|v| v.capacity()).sum();
        meter.release(scratch * size_of::<u32>());
        Ok(graph)
    }

    /// How many vertices there are.
    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }
    /// What a vertex stands for.
    pub(crate) fn vertex(&self, vertex: u32) -> Vertex {
        match vertex as usize {
            v if v < self.heads.len() => Vertex::Head(self.heads.get(vertex)),
            v if v < self.heads.len() + self.waiting => Vertex::Waiting,
            _ => Vertex::Entering,
        }
    }
    /// The numbers of the links that leave a vertex.
    pub(crate) fn leaving(&self, vertex: u32) -> std::ops::Range<usize> {
        self.first[vertex as usize]..self.first[vertex as usize + 1]
    }
}
