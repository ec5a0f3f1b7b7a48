//! How the facts of a finished tabulation hang together: every instance of rules TAB2 to TAB5, not
//! only the one by which a fact was found first.

use crate::machine::{Action, Machine};
use crate::meter::Meter;
use crate::tabulate::{Caller, Exit, NONE, Path, Tabulation};
use check::StopReason;
use ir::EdgeId;

/// A fact of the tabulation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Fact {
    Path(u32),
    Caller(u32),
    Exit(u32),
}

/// TAB2, TAB3 or TAB4: from a path edge to a path edge, a caller or an exit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) edge: EdgeId,
    pub(crate) to: Fact,
}

/// TAB5: a caller and an exit lead to a path edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Back {
    pub(crate) caller: u32,
    pub(crate) exit: u32,
    pub(crate) path: u32,
}

/// All links; one may occur twice.
pub(crate) struct Links {
    /// `first_link[p]..first_link[p + 1]` leave path edge `p`.
    first_link: Vec<usize>,
    links: Vec<Link>,
    /// `first_back[c]..first_back[c + 1]` lead back to caller `c`.
    first_back: Vec<usize>,
    backs: Vec<Back>,
    /// Numbers of `backs`, sorted by exit: `first_way_out[x]..first_way_out[x + 1]` are those of
    /// exit `x`.
    first_way_out: Vec<usize>,
    ways_out: Vec<usize>,
}

impl Links {
    pub(crate) fn new(
        machine: &Machine,
        table: &Tabulation,
        meter: &mut Meter,
    ) -> Result<Links, StopReason> {
        let mut out = Links {
            first_link: Vec::new(),
            links: Vec::new(),
            first_back: Vec::new(),
            backs: Vec::new(),
            first_way_out: Vec::new(),
            ways_out: Vec::new(),
        };
        for path in 0..table.paths.len() as u32 {
            meter.push(&mut out.first_link, out.links.len())?;
            out.leave(machine, table, path, meter)?;
        }
        meter.push(&mut out.first_link, out.links.len())?;
        for caller in 0..table.callers.len() as u32 {
            meter.push(&mut out.first_back, out.backs.len())?;
            out.come_back(machine, table, caller, meter)?;
        }
        meter.push(&mut out.first_back, out.backs.len())?;
        out.sort_by_exit(table.exits.len(), meter)?;
        Ok(out)
    }

    /// TAB2, TAB3, TAB4.
    fn leave(
        &mut self,
        machine: &Machine,
        table: &Tabulation,
        path: u32,
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        let Path { context, node, globals, frame } = table.paths.get(path);
        let mut patterns = Vec::new();
        for edge in machine.program.out_edges(node) {
            patterns.clear();
            let mut link = |to: Option<Fact>, meter: &mut Meter| {
                let Some(to) = to else { return Err(incomplete()) };
                meter.push(&mut self.links, Link { edge, to })
            };
            match machine.action(edge, meter)? {
                Action::Local { target, rel } => {
                    rel.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    for pattern in &patterns {
                        pattern.each_state("a step", meter, |globals, frame, meter| {
                            let to = Path { context, node: *target, globals, frame };
                            link(table.paths.find(&to).map(Fact::Path), meter)
                        })?;
                    }
                }
                Action::Call { callee, enter, .. } => {
                    enter.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    for pattern in &patterns {
                        pattern.each_entry(*callee, machine, meter, |key, saved, meter| {
                            let callee = table.contexts.find(&key).unwrap_or(NONE);
                            let to = Caller { callee, context, edge, saved };
                            link(table.callers.find(&to).map(Fact::Caller), meter)
                        })?;
                    }
                }
                Action::Return { rel } => {
                    rel.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    for pattern in &patterns {
                        pattern.each_state("a step", meter, |globals, results, meter| {
                            let to = Exit { context, globals, results };
                            link(table.exits.find(&to).map(Fact::Exit), meter)
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// TAB5.
    fn come_back(
        &mut self,
        machine: &Machine,
        table: &Tabulation,
        number: u32,
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        let Caller { callee, context, edge, saved } = table.callers.get(number);
        let Action::Call { ret, back, .. } = machine.action(edge, meter)? else {
            unreachable!("callers hold call edges");
        };
        let mut patterns = Vec::new();
        for &exit in &table.activities[callee as usize].exits {
            let Exit { globals, results, .. } = table.exits.get(exit);
            patterns.clear();
            back.successors(machine.coming_back(globals, results, saved), meter, &mut patterns)?;
            for pattern in &patterns {
                pattern.each_state("a step", meter, |globals, frame, meter| {
                    let to = Path { context, node: *ret, globals, frame };
                    let Some(path) = table.paths.find(&to) else { return Err(incomplete()) };
                    meter.push(&mut self.backs, Back { caller: number, exit, path })
                })?;
            }
        }
        Ok(())
    }

    /// A counting sort.
    fn sort_by_exit(&mut self, exits: usize, meter: &mut Meter) -> Result<(), StopReason> {
        meter.reserve((2 * (exits + 1) + self.backs.len()) * size_of::<usize>())?;
        let mut first = vec![0; exits + 1];
        for back in &self.backs {
            first[back.exit as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut place = first.clone();
        let mut sorted = vec![0; self.backs.len()];
        for (number, back) in self.backs.iter().enumerate() {
            meter.tick()?;
            let at = &mut place[back.exit as usize];
            sorted[*at] = number;
            *at += 1;
        }
        meter.release(place.len() * size_of::<usize>());
        self.first_way_out = first;
        self.ways_out = sorted;
        Ok(())
    }

    /// Frees the memory of the links.
    pub(crate) fn dispose(self, meter: &mut Meter) {
        let numbers = [&self.first_link, &self.first_back, &self.first_way_out, &self.ways_out];
        let numbers: usize = numbers.iter().map(|v| v.capacity()).sum();
        meter.release(numbers * size_of::<usize>());
        meter.release(self.links.capacity() * size_of::<Link>());
        meter.release(self.backs.capacity() * size_of::<Back>());
    }

    /// The links that leave a path edge.
    pub(crate) fn leaving(&self, path: u32) -> &[Link] {
        &self.links[self.first_link[path as usize]..self.first_link[path as usize + 1]]
    }
    /// The ways back to a caller.
    pub(crate) fn to_caller(&self, caller: u32) -> &[Back] {
        &self.backs[self.first_back[caller as usize]..self.first_back[caller as usize + 1]]
    }
    /// The ways back from an exit.
    pub(crate) fn out_of_exit(&self, exit: u32) -> impl Iterator<Item = Back> {
        let range = self.first_way_out[exit as usize]..self.first_way_out[exit as usize + 1];
        self.ways_out[range].iter().map(|&number| self.backs[number])
    }
}

fn incomplete() -> StopReason {
    let what = "explicit engine: the tabulation is not closed under its rules";
    StopReason::Internal { what: what.to_owned() }
}
