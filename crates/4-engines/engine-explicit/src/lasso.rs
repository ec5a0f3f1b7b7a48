//! Lassos: a way through the head graph to an accepting component, and one around inside it.

use crate::components::Components;
use crate::heads::{HeadGraph, Vertex};
use crate::links::Fact;
use crate::machine::Machine;
use crate::marks::{MarkWhy, Marks};
use crate::meter::Meter;
use crate::shortest::State;
use crate::tabulate::{INITIAL, Tabulation};
use crate::trace::{
    Expansion, Jump, Leap, Outline, expand, expand_any, expand_shortest, finish, first_way,
};
use check::{Lasso, StopReason, Trace};
use ir::{EdgeId, Id, MarkSet};
use std::collections::VecDeque;

/// All that a lasso is read off.
pub(crate) struct Ground<'a> {
    pub(crate) machine: &'a Machine<'a>,
    pub(crate) table: &'a Tabulation<'a>,
    pub(crate) marks: &'a Marks,
    pub(crate) graph: &'a HeadGraph,
    pub(crate) components: &'a Components,
}

/// A link taken, and the mark for which it is taken if the run inside a call must carry it.
#[derive(Clone, Copy)]
struct Taken {
    from: u32,
    link: usize,
    mark: Option<u32>,
}

impl Ground<'_> {
    /// A lasso that carries each of the marks in `mask` in its loop. There must be an accepting
    /// component. `short`: calls in it are expanded as short as may be.
    ///
    /// The stem is a shortest way into an accepting component. The loop goes from there to the
    /// nearest link with a missing mark until none is missing, and back: short, though not always
    /// as short as may be.
    pub(crate) fn lasso(
        &self,
        mask: MarkSet,
        short: bool,
        meter: &mut Meter,
    ) -> Result<Trace, StopReason> {
        let (stem, start) = self.stem(mask, meter)?;
        let turn = self.turn(start, mask, meter)?;
        let Vertex::Head(head) = self.graph.vertex(start) else {
            return Err(internal("a loop that starts at no head"));
        };
        let mut outline =
            Outline { frames: vec![Vec::new()], end: (head.node, head.globals, head.frame) };
        self.write(&stem, &mut outline)?;
        let frame = outline.frames.len() - 1;
        let step = outline.frames[frame].len();
        self.write(&turn, &mut outline)?;
        let expansions = expand(&outline, |jump| match jump {
            Jump::Plain(exit) if short => expand_shortest(self.machine, self.table, exit, meter),
            Jump::Plain(exit) => expand_any(self.table, exit, meter),
            Jump::Marked(fact) => self.expand_marked(fact, meter),
        })?;
        let mut trace = finish(self.machine, self.table, outline, expansions, false);
        trace.lasso = Some(Lasso::Loop { frame, step });
        Ok(trace)
    }

    /// A shortest way from the start of the program to a head in an accepting component.
    fn stem(&self, mask: MarkSet, meter: &mut Meter) -> Result<(Vec<Taken>, u32), StopReason> {
        let (machine, graph) = (self.machine, self.graph);
        let mut search = Search::new(graph, meter)?;
        let node = machine.program.procs[machine.program.entry].entry;
        for pattern in machine.initial(meter)? {
            pattern.each_state(INITIAL, meter, |globals, frame, _| {
                let head = graph.heads.find(&State { node, globals, frame });
                search.start(head.ok_or_else(|| internal("an initial state is no head"))?);
                Ok(())
            })?;
        }
        while let Some(vertex) = search.next() {
            let accepting = self.components.accepting(self.components.of[vertex as usize], mask);
            if accepting && matches!(graph.vertex(vertex), Vertex::Head(_)) {
                let way = search.way(vertex, meter)?;
                search.dispose(meter);
                return Ok((way, vertex));
            }
            for link in graph.leaving(vertex) {
                meter.tick()?;
                search.reach(vertex, link, self.length(vertex, link));
            }
        }
        Err(internal("an accepting component is out of reach"))
    }

    /// A way around inside the component of `start` that carries all marks of `mask`.
    fn turn(&self, start: u32, mask: MarkSet, meter: &mut Meter) -> Result<Vec<Taken>, StopReason> {
        let graph = self.graph;
        let (mut at, mut missing) = (start, mask);
        let mut out: Vec<Taken> = Vec::new();
        while missing != 0 {
            let part = self.nearest(at, meter, |link| graph.links[link].marks & missing != 0)?;
            out.extend(part);
            let taken = out.last_mut().expect("a way to a link contains it");
            let link = graph.links[taken.link];
            match graph.vertex(taken.from) {
                Vertex::Head(_) => missing &= !link.marks,
                // The run inside can carry each of its marks, not all of them at once.
                Vertex::Waiting | Vertex::Entering => {
                    let mark = (link.marks & missing).trailing_zeros();
                    missing &= !(1 << mark);
                    taken.mark = Some(mark);
                }
            }
            at = link.to;
        }
        if at != start || out.is_empty() {
            out.extend(self.nearest(at, meter, |link| graph.links[link].to == start)?);
        }
        Ok(out)
    }

    /// A shortest way inside the component of `from` whose last link is `wanted`.
    fn nearest(
        &self,
        from: u32,
        meter: &mut Meter,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Taken>, StopReason> {
        let component = self.components.of[from as usize];
        let mut search = Search::new(self.graph, meter)?;
        search.start(from);
        while let Some(vertex) = search.next() {
            for link in self.graph.leaving(vertex) {
                meter.tick()?;
                if self.components.of[self.graph.links[link].to as usize] != component {
                    continue;
                }
                if wanted(link) {
                    let mut way = search.way(vertex, meter)?;
                    way.push(Taken { from: vertex, link, mark: None });
                    search.dispose(meter);
                    return Ok(way);
                }
                search.reach(vertex, link, self.length(vertex, link));
            }
        }
        Err(internal("a link of a component is out of reach inside it"))
    }

    /// What a link counts: its step, if it is one.
    fn length(&self, from: u32, link: usize) -> u32 {
        match self.graph.vertex(from) {
            Vertex::Head(_) => self.machine.program.edges[self.edge(link)].step as u32,
            Vertex::Waiting | Vertex::Entering => 0,
        }
    }

    /// The program edge of a link that leaves a head.
    fn edge(&self, link: usize) -> EdgeId {
        EdgeId::new(self.graph.links[link].label as usize)
    }

    /// Appends a way through the graph to a trace.
    fn write(&self, way: &[Taken], outline: &mut Outline) -> Result<(), StopReason> {
        let mut call = None;
        for taken in way {
            let link = self.graph.links[taken.link];
            let steps = outline.frames.last_mut().expect("there is a frame from the start");
            match (self.graph.vertex(taken.from), self.graph.vertex(link.to)) {
                (Vertex::Head(State { globals, frame, .. }), to) => {
                    let leap = Leap { edge: self.edge(taken.link), globals, frame, jump: None };
                    match to {
                        Vertex::Head(_) => steps.push(leap),
                        Vertex::Waiting | Vertex::Entering => call = Some(leap),
                    }
                }
                (Vertex::Waiting, to) => {
                    let Some(mut leap) = call.take() else {
                        return Err(internal("a call without its edge"));
                    };
                    match (to, taken.mark) {
                        (Vertex::Head(_), None) => leap.jump = Some(Jump::Plain(link.label)),
                        (Vertex::Head(_), Some(mark)) => {
                            leap.jump = Some(self.marked(link.label, mark)?);
                        }
                        _ => {
                            steps.push(leap);
                            outline.frames.push(Vec::new());
                            continue;
                        }
                    }
                    steps.push(leap);
                }
                (Vertex::Entering, _) => {}
            }
        }
        Ok(())
    }

    /// The jump to an exit that carries a mark.
    fn marked(&self, exit: u32, mark: u32) -> Result<Jump, StopReason> {
        let fact = self.marks.facts.find(&(Fact::Exit(exit), mark));
        fact.map(Jump::Marked).ok_or_else(|| internal("a mark that no run carries"))
    }

    /// A run to an exit that carries a mark: backwards from the exit as the marks were found, and
    /// as soon as the mark has been carried, as the path edges were found.
    fn expand_marked(&self, fact: u32, meter: &mut Meter) -> Result<Expansion, StopReason> {
        let (Fact::Exit(exit), mark) = self.marks.facts.get(fact) else {
            return Err(internal("only exits are expanded"));
        };
        let table = self.table;
        let mut steps: Vec<Leap> = Vec::new();
        let mut push = |from: u32, edge: EdgeId, jump: Option<Jump>| {
            let path = table.paths.get(from);
            steps.push(Leap { edge, globals: path.globals, frame: path.frame, jump });
        };
        let mut number = fact;
        // The jump of the call whose caller fact is looked at.
        let mut jump = None;
        let last = loop {
            meter.tick()?;
            let before = match self.marks.whys[number as usize] {
                MarkWhy::Carried { from, edge } => {
                    push(from, edge, jump.take());
                    break from;
                }
                MarkWhy::Kept { from, edge } => {
                    push(from, edge, jump.take());
                    Fact::Path(from)
                }
                MarkWhy::Outside { caller, exit } => {
                    jump = Some(Jump::Plain(exit));
                    Fact::Caller(caller)
                }
                MarkWhy::Inside { caller, exit } => {
                    let from = table.caller_paths[caller as usize];
                    let edge = table.callers.get(caller).edge;
                    push(from, edge, Some(self.marked(exit, mark)?));
                    break from;
                }
            };
            let found = self.marks.facts.find(&(before, mark));
            number = found.filter(|&n| n < number).ok_or_else(|| internal("marks in a circle"))?;
        };
        first_way(table, last, &mut steps, meter)?;
        steps.reverse();
        Ok((exit, steps))
    }
}

/// A search for nearest vertices; links have length 0 or 1.
struct Search<'a> {
    graph: &'a HeadGraph,
    /// By vertex: its distance, [`FAR`] before it is seen, and the link to it (none at the start).
    found: Vec<(u32, Option<Taken>)>,
    /// With the distance at which each was put in; stale ones stay.
    queue: VecDeque<(u32, u32)>,
}

const FAR: u32 = u32::MAX;

impl<'a> Search<'a> {
    fn new(graph: &'a HeadGraph, meter: &mut Meter) -> Result<Search<'a>, StopReason> {
        // The queue can hold each vertex twice.
        meter.reserve(graph.len() * size_of::<(u32, Option<Taken>)>())?;
        meter.reserve(2 * graph.len() * size_of::<(u32, u32)>())?;
        Ok(Search { graph, found: vec![(FAR, None); graph.len()], queue: VecDeque::new() })
    }
    fn dispose(self, meter: &mut Meter) {
        meter.release(self.graph.len() * size_of::<(u32, Option<Taken>)>());
        meter.release(2 * self.graph.len() * size_of::<(u32, u32)>());
    }
    fn start(&mut self, vertex: u32) {
        if self.found[vertex as usize].0 == FAR {
            self.found[vertex as usize].0 = 0;
            self.queue.push_back((vertex, 0));
        }
    }
    /// The next nearest vertex.
    fn next(&mut self) -> Option<u32> {
        loop {
            let (vertex, distance) = self.queue.pop_front()?;
            if self.found[vertex as usize].0 == distance {
                return Some(vertex);
            }
        }
    }
    fn reach(&mut self, from: u32, link: usize, length: u32) {
        let to = self.graph.links[link].to;
        let distance = self.found[from as usize].0 + length;
        if distance >= self.found[to as usize].0 {
            return;
        }
        self.found[to as usize] = (distance, Some(Taken { from, link, mark: None }));
        match length {
            0 => self.queue.push_front((to, distance)),
            _ => self.queue.push_back((to, distance)),
        }
    }
    /// The links from the start to a vertex.
    fn way(&self, vertex: u32, meter: &mut Meter) -> Result<Vec<Taken>, StopReason> {
        let (mut at, mut out) = (vertex, Vec::new());
        while let Some(taken) = self.found[at as usize].1 {
            meter.tick()?;
            out.push(taken);
            at = taken.from;
        }
        out.reverse();
        Ok(out)
    }
}

fn internal(what: &str) -> StopReason {
    StopReason::Internal { what: format!("explicit engine: {what}") }
}
