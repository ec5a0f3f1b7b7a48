//! Shortest hierarchical trajectories [bebop §3.2].
//!
//! A breadth-first search over nodes and valuations in which a completed call is one edge: the
//! summaries are known, so it may be jumped over. A call that stays open is an edge to the entry
//! of its callee. An edge that is no step ([`ir::Edge::step`]) has length 0.
//!
//! The same search expands a jump: inside one context, without open calls, from the entry to one
//! exit. Exit number `k` is expanded with exits below `k` only, all of which were found before it;
//! otherwise `f() { if (*) f(); }` could be expanded for ever. At least the way by which the exit
//! was found first is left.

use crate::intern::Interner;
use crate::machine::{Action, Machine};
use crate::meter::Meter;
use crate::tabulate::{INITIAL, NONE, Tabulation};
use check::StopReason;
use ir::{EdgeId, NodeId};

/// A node and a valuation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(crate) node: NodeId,
    pub(crate) globals: u64,
    pub(crate) frame: u64,
}

/// The last edge of a shortest way to a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) from: u32,
    pub(crate) edge: EdgeId,
    pub(crate) how: How,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    Step,
    /// A call that stays open.
    Enter,
    /// A call that came back by this exit.
    Back(u32),
}

/// Whether a search goes through the whole program or looks for one exit of one context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    Whole,
    Inside { exit: u32 },
}

/// The states seen so far, with their distances.
pub(crate) struct Search<'a> {
    machine: &'a Machine<'a>,
    table: &'a Tabulation<'a>,
    scope: Scope,
    pub(crate) states: Interner<State>,
    /// `None` for starts.
    pub(crate) ways: Vec<Option<Way>>,
    distances: Vec<u32>,
    /// The least distance at which each context was entered.
    entered: Vec<u32>,
    /// The distance that is being processed; `level` holds the states there, `next` those behind.
    /// A state whose distance shrank after it was put into `next` stays there as a leftover.
    distance: u32,
    level: Vec<u32>,
    next: Vec<u32>,
    /// Inside: the last state before the exit, and the return edge.
    out: Option<(u32, u32, EdgeId)>,
}

impl<'a> Search<'a> {
    fn new(machine: &'a Machine<'a>, table: &'a Tabulation<'a>, scope: Scope) -> Self {
        let contexts = if scope == Scope::Whole { table.contexts.len() } else { 0 };
        Search {
            machine,
            table,
            scope,
            states: Interner::new(),
            ways: Vec::new(),
            distances: Vec::new(),
            entered: vec![NONE; contexts],
            distance: 0,
            level: Vec::new(),
            next: Vec::new(),
            out: None,
        }
    }

    /// For each goal that the tabulation reached, a nearest state that reaches it.
    pub(crate) fn goals(
        machine: &'a Machine<'a>,
        table: &'a Tabulation<'a>,
        meter: &mut Meter,
    ) -> Result<(Search<'a>, Vec<Option<u32>>), StopReason> {
        let reached = &table.goals.reached;
        let mut nearest = vec![None; reached.len()];
        let mut missing = reached.iter().filter(|r| r.is_some()).count();
        let search = Search::breadth_first(machine, table, meter, |index, state, meter| {
            for goal in table.goals.at(machine, state, meter) {
                if nearest[goal].is_none() {
                    nearest[goal] = Some(index);
                    missing -= 1;
                }
            }
            missing > 0
        })?;
        Ok((search, nearest))
    }

    /// From the start, the nearest states first, until `look` has seen enough (it says false) and what is as near
    /// as that has been looked at; or until there are no more.
    pub(crate) fn breadth_first(
        machine: &'a Machine<'a>,
        table: &'a Tabulation<'a>,
        meter: &mut Meter,
        mut look: impl FnMut(u32, State, &mut Meter) -> bool,
    ) -> Result<Search<'a>, StopReason> {
        meter.reserve(table.contexts.len() * size_of::<u32>())?;
        let mut search = Search::new(machine, table, Scope::Whole);
        let node = machine.program.procs[machine.program.entry].entry;
        for pattern in machine.initial(meter)? {
            pattern.each_state(INITIAL, meter, |globals, frame, meter| {
                search.reach(State { node, globals, frame }, None, 0, meter)
            })?;
        }
        let mut more = true;
        while more && !search.level.is_empty() {
            let mut i = 0;
            while let Some(&index) = search.level.get(i) {
                i += 1;
                more = look(index, search.states.get(index), meter);
                search.process(index, meter)?;
            }
            search.advance();
        }
        Ok(search)
    }

    /// A shortest way inside the context of `exit` to it: the search, the last state and the
    /// return edge.
    pub(crate) fn inside(
        machine: &'a Machine<'a>,
        table: &'a Tabulation<'a>,
        exit: u32,
        meter: &mut Meter,
    ) -> Result<(Search<'a>, u32, EdgeId), StopReason> {
        let mut search = Search::new(machine, table, Scope::Inside { exit });
        let context = table.contexts.get(table.exits.get(exit).context);
        let node = machine.program.procs[context.proc].entry;
        context.entries(machine).each_state("a call", meter, |globals, frame, meter| {
            search.reach(State { node, globals, frame }, None, 0, meter)
        })?;
        while search.out.is_none() && !search.level.is_empty() {
            let mut i = 0;
            while let Some(&index) = search.level.get(i) {
                i += 1;
                search.process(index, meter)?;
            }
            // What comes later is no nearer.
            search.advance();
        }
        match search.out {
            Some((_, from, edge)) => Ok((search, from, edge)),
            None => Err(internal("a summary cannot be expanded")),
        }
    }

    /// Frees the memory of the search.
    pub(crate) fn dispose(self, meter: &mut Meter) {
        self.states.dispose(meter);
        meter.release(self.ways.capacity() * size_of::<Option<Way>>());
        meter.release(self.distances.capacity() * size_of::<u32>());
        meter.release((self.level.capacity() + self.next.capacity()) * size_of::<u32>());
    }

    fn advance(&mut self) {
        self.distance += 1;
        self.level.clear();
        std::mem::swap(&mut self.level, &mut self.next);
        let (distances, distance) = (&self.distances, self.distance);
        self.level.retain(|&index| distances[index as usize] == distance);
    }

    fn reach(
        &mut self,
        state: State,
        way: Option<Way>,
        distance: u32,
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        let (index, new) = self.states.insert(state, meter)?;
        if new {
            meter.push(&mut self.ways, way)?;
            meter.push(&mut self.distances, distance)?;
        } else if distance < self.distances[index as usize] {
            self.ways[index as usize] = way;
            self.distances[index as usize] = distance;
        } else {
            return Ok(());
        }
        let list = if distance == self.distance { &mut self.level } else { &mut self.next };
        meter.push(list, index)
    }

    fn process(&mut self, from: u32, meter: &mut Meter) -> Result<(), StopReason> {
        let machine = self.machine;
        let State { node, globals, frame } = self.states.get(from);
        let mut patterns = Vec::new();
        for edge in machine.program.out_edges(node) {
            patterns.clear();
            let distance = self.distance + machine.program.edges[edge].step as u32;
            match machine.action(edge, meter)? {
                Action::Local { target, rel } => {
                    rel.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    let way = Some(Way { from, edge, how: How::Step });
                    for pattern in &patterns {
                        pattern.each_state("a step", meter, |globals, frame, meter| {
                            self.reach(
                                State { node: *target, globals, frame },
                                way,
                                distance,
                                meter,
                            )
                        })?;
                    }
                }
                Action::Call { callee, enter, .. } => {
                    enter.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    for pattern in &patterns {
                        pattern.each_entry(*callee, machine, meter, |key, saved, meter| {
                            let Some(context) = self.table.contexts.find(&key) else {
                                return Err(internal("a call enters an unknown context"));
                            };
                            if self.scope == Scope::Whole {
                                self.enter(context, from, edge, distance, meter)?;
                            }
                            self.jump(context, saved, from, edge, distance, meter)
                        })?;
                    }
                }
                Action::Return { rel } => {
                    let Scope::Inside { exit } = self.scope else { continue };
                    let wanted = self.table.exits.get(exit);
                    if self.out.is_some_and(|(found, ..)| found <= distance) {
                        continue;
                    }
                    rel.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    let hit = |p: &crate::relation::Pattern| {
                        (p.globals ^ wanted.globals) & !p.open_globals == 0
                            && (p.frame ^ wanted.results) & !p.open_frame == 0
                    };
                    if patterns.iter().any(hit) {
                        self.out = Some((distance, from, edge));
                    }
                }
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        context: u32,
        from: u32,
        edge: EdgeId,
        distance: u32,
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        if self.entered[context as usize] <= distance {
            return Ok(());
        }
        self.entered[context as usize] = distance;
        let key = self.table.contexts.get(context);
        let node = self.machine.program.procs[key.proc].entry;
        let way = Some(Way { from, edge, how: How::Enter });
        key.entries(self.machine).each_state("a call", meter, |globals, frame, meter| {
            self.reach(State { node, globals, frame }, way, distance, meter)
        })
    }

    fn jump(
        &mut self,
        context: u32,
        saved: u64,
        from: u32,
        edge: EdgeId,
        distance: u32,
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        let (machine, table) = (self.machine, self.table);
        let Action::Call { ret, back, .. } = machine.action(edge, meter)? else {
            unreachable!("jumps are over call edges");
        };
        let mut patterns = Vec::new();
        for &exit in &table.activities[context as usize].exits {
            if let Scope::Inside { exit: wanted } = self.scope
                && exit >= wanted
            {
                break; // in order of arrival
            }
            let out = table.exits.get(exit);
            let view = machine.coming_back(out.globals, out.results, saved);
            patterns.clear();
            back.successors(view, meter, &mut patterns)?;
            let way = Some(Way { from, edge, how: How::Back(exit) });
            for pattern in &patterns {
                pattern.each_state("a step", meter, |globals, frame, meter| {
                    self.reach(State { node: *ret, globals, frame }, way, distance, meter)
                })?;
            }
        }
        Ok(())
    }
}

fn internal(what: &str) -> StopReason {
    StopReason::Internal { what: format!("explicit engine: {what}") }
}
