//! Summaries with and without each mark.
//!
//! `M(f, i)` says that some run since the entry of its frame carried mark `i` and came to the fact
//! `f`: a path edge, a caller (the frame waits there) or an exit. One mark at a time is enough: a
//! loop that needs two of them from one call may pass over that call twice. The least sets closed
//! under
//!
//! - MK1 (step):  a step by `e` from `PE(p)` to `PE(q)`, `i ∈ e` or `M(p, i)` ⟹ `M(q, i)`
//! - MK2 (enter): a call by `e` from `PE(p)` makes it `Caller(c)`, `i ∈ e` or `M(p, i)` ⟹ `M(c, i)`
//! - MK3 (leave): a return by `e` from `PE(p)` to `Exit(x)`, `i ∈ e` or `M(p, i)` ⟹ `M(x, i)`
//! - MK4 (back):  `Caller(c)` and `Exit(x)` lead back to `PE(q)`, `M(c, i)` or `M(x, i)` ⟹ `M(q, i)`
//!
//! As in the tabulation, these facts are numbered as they are found, and each remembers a premise
//! with a smaller number: that keeps the expansion of marked calls finite.

use crate::intern::Interner;
use crate::links::{Back, Fact, Links};
use crate::meter::Meter;
use crate::tabulate::Tabulation;
use check::StopReason;
use ir::{EdgeId, MarkSet, Program};

/// How a mark came to a fact first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MarkWhy {
    /// MK1 to MK3: the edge from this path edge carries it.
    Carried { from: u32, edge: EdgeId },
    /// MK1 to MK3: this path edge has it.
    Kept { from: u32, edge: EdgeId },
    /// MK4: the caller has it.
    Outside { caller: u32, exit: u32 },
    /// MK4: the exit has it.
    Inside { caller: u32, exit: u32 },
}

/// The facts that have marks.
pub(crate) struct Marks {
    pub(crate) facts: Interner<(Fact, u32)>,
    pub(crate) whys: Vec<MarkWhy>,
    /// By path edge and exit: the set of its marks.
    pub(crate) paths: Vec<MarkSet>,
    pub(crate) exits: Vec<MarkSet>,
}

impl Marks {
    /// For the marks in `mask`.
    pub(crate) fn new(
        program: &Program,
        table: &Tabulation,
        links: &Links,
        mask: MarkSet,
        meter: &mut Meter,
    ) -> Result<Marks, StopReason> {
        meter.reserve((table.paths.len() + table.exits.len()) * size_of::<MarkSet>())?;
        let mut marks = Marks {
            facts: Interner::new(),
            whys: Vec::new(),
            paths: vec![0; table.paths.len()],
            exits: vec![0; table.exits.len()],
        };
        for from in 0..table.paths.len() as u32 {
            for link in links.leaving(from) {
                meter.tick()?;
                for mark in each(program.edges[link.edge].marks & mask) {
                    let why = MarkWhy::Carried { from, edge: link.edge };
                    marks.add(link.to, mark, why, meter)?;
                }
            }
        }
        let mut next = 0;
        while next < marks.facts.len() {
            let (fact, mark) = marks.facts.get(next as u32);
            next += 1;
            match fact {
                Fact::Path(from) => {
                    for link in links.leaving(from) {
                        let why = MarkWhy::Kept { from, edge: link.edge };
                        marks.add(link.to, mark, why, meter)?;
                    }
                }
                Fact::Caller(caller) => {
                    for &Back { exit, path, .. } in links.to_caller(caller) {
                        let why = MarkWhy::Outside { caller, exit };
                        marks.add(Fact::Path(path), mark, why, meter)?;
                    }
                }
                Fact::Exit(exit) => {
                    for Back { caller, path, .. } in links.out_of_exit(exit) {
                        let why = MarkWhy::Inside { caller, exit };
                        marks.add(Fact::Path(path), mark, why, meter)?;
                    }
                }
            }
        }
        Ok(marks)
    }

    fn add(
        &mut self,
        fact: Fact,
        mark: u32,
        why: MarkWhy,
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        meter.tick()?;
        match fact {
            Fact::Path(path) if self.paths[path as usize] >> mark & 1 == 1 => return Ok(()),
            Fact::Path(path) => self.paths[path as usize] |= 1 << mark,
            Fact::Exit(exit) => self.exits[exit as usize] |= 1 << mark,
            Fact::Caller(_) => {}
        }
        if self.facts.insert((fact, mark), meter)?.1 {
            meter.push(&mut self.whys, why)?;
        }
        Ok(())
    }
}

/// The marks of a set, in ascending order.
pub(crate) fn each(mut set: MarkSet) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let mark = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(mark)
    })
}
