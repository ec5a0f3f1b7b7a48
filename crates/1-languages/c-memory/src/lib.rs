//! Where C's pointers may point, and the regions of memory that follow from it.
//!
//! [`points_to`] looks at all data of a linked program: locals, memory by members, allocations, calls through
//! pointers, the library, and what is given away (rules PT1–PT8 in `solve.rs`). From it follow *regions* (RG1–RG5 in
//! `regions.rs`): parts of memory that no access mixes, so that each read and write touches one of them.
//!
//! ```
//! let unit = front_c::parse("struct s { int a, b; } x, y; int main(int k, char **v) { struct s *p = k ? &x : &y; p->a = k; return x.b; }");
//! let program = c_data::lower(std::slice::from_ref(&unit), 1, c_types::Model::LP64);
//! let memory = c_memory::points_to(&program, &|| false).unwrap();
//! // `x.a` and `y.a` may be the same; `x.b` is another thing.
//! assert_eq!(memory.regions().len(), 2);
//! assert!(memory.describe(&program).contains("x.a, y.a"));
//! ```
//!
//! It is not trusted: the machine (`c-run`) compares each access with its region while a program runs. Not for
//! questions about one run: it says what may be, whatever the order.

mod constraints;
mod library;
mod objects;
mod regions;
mod sets;
mod solve;

pub use objects::{Made, Obj, Object};
pub use regions::{Cell, Region};

use c_data::{FuncId, Operation, Program};
use objects::{Objects, Shape};
use regions::Partition;
use rustc_hash::FxHashMap;
use solve::Solver;
use std::fmt::Write;

/// The most rounds: in each one more is known about what allocated objects are made of.
const ROUNDS: usize = 12;
/// So many cells of a region are listed.
const LISTED: usize = 8;

/// What is known of a program's memory.
#[derive(Debug)]
pub struct PointsTo {
    objects: Objects,
    partition: Partition,
    calls: FxHashMap<Operation, (Vec<FuncId>, bool)>,
    facts: usize,
}

/// Finds out where pointers may point. None if that is too much work, or if `stop` says so.
pub fn points_to(program: &Program, stop: &dyn Fn() -> bool) -> Option<PointsTo> {
    let mut objects = Objects::default();
    for round in 0.. {
        let mut solver = Solver::new(program, objects);
        let accesses = constraints::constrain(&mut solver);
        solver.run(stop)?;
        let typed = round == 0 && give_types(&mut solver);
        // Places that turned out to be elements of one array become one; that may turn out more.
        if (solver.objects.learn() || typed) && round < ROUNDS {
            objects = solver.objects;
            continue;
        }
        let partition = Partition::new(&solver, &accesses);
        let facts = solver.facts.iter().map(sets::Set::len).sum();
        let mut calls: FxHashMap<Operation, (Vec<FuncId>, bool)> = FxHashMap::default();
        for (i, site) in solver.sites.iter().enumerate() {
            let mut targets = solver.targets[i].clone();
            targets.sort_unstable();
            calls.insert(site.at, (targets, solver.open.contains(&(i as u32))));
        }
        return Some(PointsTo { objects: solver.objects, partition, calls, facts });
    }
    None
}

/// An allocated object is made of the largest record that a variable points to. One to which none points has offsets, as
/// far as they can be told apart; of two that are equally large neither is chosen. Whether anything was found out.
fn give_types(solver: &mut Solver<'_>) -> bool {
    let types = &solver.program.types;
    let mut found: FxHashMap<Obj, Option<c_types::Ty>> = FxHashMap::default();
    for (i, function) in solver.program.functions.iter().enumerate() {
        for (l, local) in function.locals.iter().enumerate() {
            let Some(to) = types.pointee(local.ty) else { continue };
            let Some(no) = types.as_record(to) else { continue };
            let Some(size @ 1..) = types.size(to) else { continue };
            let node = solver.locals[i] + l as u32;
            for place in solver.facts[node as usize].iter() {
                let place = solver.places[place as usize];
                if !matches!(solver.objects.all[place.object.index()].made, Made::Allocated(..)) {
                    continue;
                }
                let best = found.entry(place.object).or_insert(Some(to));
                let Some(old) = *best else { continue };
                let (old_no, old_size) = (types.as_record(old), types.size(old).unwrap_or(0));
                if size > old_size {
                    *best = Some(to);
                } else if size == old_size && old_no != Some(no) {
                    *best = None;
                }
            }
        }
    }
    let mut any = false;
    for (i, object) in solver.objects.all.iter_mut().enumerate() {
        if !matches!(object.made, Made::Allocated(..)) {
            continue;
        }
        any = true;
        object.shape = match found.get(&Obj(i as u32)) {
            Some(Some(ty)) => Shape::Typed(*ty),
            Some(None) => Shape::Whole,
            None => Shape::Stride(0),
        };
    }
    any
}

impl PointsTo {
    /// The regions.
    pub fn regions(&self) -> &[Region] {
        &self.partition.regions
    }

    /// Objects that the program makes, or is.
    pub fn objects(&self) -> &[Object] {
        &self.objects.all
    }

    /// How many facts were found.
    pub fn facts(&self) -> usize {
        self.facts
    }

    /// The regions that an access touches: an expression that reads, or a statement that writes. None: it is none.
    pub fn touched(&self, operation: &Operation) -> Option<&[u32]> {
        self.partition.of_access.get(operation).map(Vec::as_slice)
    }

    /// The functions that a statement may call, and whether others that are not known.
    pub fn callees(&self, operation: &Operation) -> Option<(&[FuncId], bool)> {
        self.calls.get(operation).map(|(list, open)| (list.as_slice(), *open))
    }

    /// Whether the analysis has seen it.
    pub fn knows(&self, made: Made) -> bool {
        self.objects.find(made).is_some()
    }

    /// The region at an offset of an object. None if no access goes there.
    pub fn region_at(&self, program: &Program, made: Made, offset: u64) -> Option<u32> {
        let object = self.objects.find(made)?;
        let place = self.objects.fold(&program.types, object, offset as i64);
        let cell = self.partition.cell(place)?;
        Some(self.partition.region[cell as usize])
    }

    /// The program's own: objects, regions, regions of bytes, those that are touched outside, the cells of the largest.
    pub fn counts(&self, program: &Program) -> [(&'static str, usize); 5] {
        let own = |r: &&Region| r.cells.iter().any(|&cell| self.is_own(program, cell));
        let regions: Vec<&Region> = self.regions().iter().filter(own).collect();
        let cells = |r: &&Region| r.cells.iter().filter(|c| self.is_own(program, **c)).count();
        [
            ("objects", self.objects.all.iter().filter(|o| o.is_own(program)).count()),
            ("regions", regions.len()),
            ("of bytes", regions.iter().filter(|r| r.bytes).count()),
            ("touched outside", regions.iter().filter(|r| r.outside).count()),
            ("cells of the largest", regions.iter().map(cells).max().unwrap_or(0)),
        ]
    }

    fn is_own(&self, program: &Program, cell: u32) -> bool {
        let object = self.partition.cells[cell as usize].object;
        self.objects.all[object.index()].is_own(program)
    }

    /// The regions of the program's own objects for people, and what they hold.
    pub fn describe(&self, program: &Program) -> String {
        let mut out = String::new();
        let own = |cell: &&u32| self.is_own(program, **cell);
        for (i, region) in self.regions().iter().enumerate() {
            let cells: Vec<&u32> = region.cells.iter().filter(own).collect();
            if cells.is_empty() {
                continue;
            }
            let _ = write!(out, "region {i}: ");
            for (k, &&cell) in cells.iter().take(LISTED).enumerate() {
                let cell = &self.partition.cells[cell as usize];
                let object = &self.objects.all[cell.object.index()];
                let offset = cell.to.map(|_| cell.from);
                let shown = objects::show(program, object, offset);
                let _ = write!(out, "{}{shown}", if k > 0 { ", " } else { "" });
            }
            if cells.len() > LISTED {
                let _ = write!(out, " and {} more", cells.len() - LISTED);
            }
            let width = region.cells.first().and_then(|&c| {
                let cell = &self.partition.cells[c as usize];
                cell.to.map(|to| to - cell.from)
            });
            let _ = match (region.bytes, width) {
                (false, Some(1)) => write!(out, "  ; words of 1 byte"),
                (false, Some(n)) => write!(out, "  ; words of {n} bytes"),
                _ => write!(out, "  ; bytes"),
            };
            let plural = if region.accesses == 1 { "access" } else { "accesses" };
            let _ = write!(out, ", {} {plural}", region.accesses);
            out.push_str(if region.outside { ", also touched outside\n" } else { "\n" });
        }
        out
    }
}
