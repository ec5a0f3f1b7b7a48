//! Regions: parts of memory that no access mixes.
//!
//! - RG1: what one access touches of an object is one cell; cells that overlap are one.
//! - RG2: cells that one access may touch are of one region.
//! - RG3: an aggregate is touched byte by byte: RG2 holds for each byte of it, not for all together.
//! - RG4: a region whose cells were touched in other widths, or at any offset, holds bytes.
//! - RG5: what is given away is of one region, of bytes: nobody knows how it is touched outside. Each such object is one
//!   cell (PT8).

use crate::constraints::{Access, Value};
use crate::objects::{ANY, Made, Obj, Place};
use crate::solve::Solver;
use c_data::Operation;
use rustc_hash::FxHashMap;

/// Aggregates with more bytes are touched as a whole.
const MAX_BYTES: u64 = 4_096;

/// A part of an object: from an offset to another one.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The object.
    pub object: Obj,
    /// Its folded offsets.
    pub from: u64,
    /// Where it ends; none for all of the object.
    pub to: Option<u64>,
    /// It was touched in other widths.
    bytes: bool,
}

/// A region.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Its cells.
    pub cells: Vec<u32>,
    /// It holds bytes, and not words of one width.
    pub bytes: bool,
    /// How many accesses touch it.
    pub accesses: u32,
    /// What is not in the program may touch it.
    pub outside: bool,
}

/// The regions, and who touches them.
#[derive(Debug, Default)]
pub(crate) struct Partition {
    pub(crate) cells: Vec<Cell>,
    /// By object, the numbers of its cells, ascending.
    pub(crate) of_object: FxHashMap<Obj, Vec<u32>>,
    /// By cell.
    pub(crate) region: Vec<u32>,
    pub(crate) regions: Vec<Region>,
    /// By access; reads of aggregates have several.
    pub(crate) of_access: FxHashMap<Operation, Vec<u32>>,
}

impl Partition {
    pub(crate) fn new(solver: &Solver<'_>, accesses: &[Access]) -> Partition {
        let mut out = Partition::default();
        out.cut(solver, accesses);
        let mut union: Vec<u32> = (0..out.cells.len() as u32).collect();
        let mut touched: Vec<Vec<u32>> = Vec::with_capacity(accesses.len());
        for access in accesses {
            let mut all: Vec<u32> = Vec::new();
            if access.bulk && access.size <= MAX_BYTES {
                // RG3
                for by in 0..access.size as i64 {
                    let places = places(solver, access).map(|p| shifted(solver, p, by));
                    let cells: Vec<u32> = places.filter_map(|place| out.cell(place)).collect();
                    unite(&mut union, &cells);
                    all.extend(cells.first());
                }
            } else {
                // RG2
                for place in places(solver, access) {
                    match access.bulk {
                        true => all.extend(out.of_object.get(&place.object).into_iter().flatten()),
                        false => all.extend(out.cell(place)),
                    }
                }
                unite(&mut union, &all);
            }
            all.sort_unstable();
            all.dedup();
            touched.push(all);
        }
        // RG5
        let given = outside(solver);
        let lists = given.iter().filter_map(|o| out.of_object.get(o));
        let together: Vec<u32> = lists.flatten().copied().collect();
        unite(&mut union, &together);
        out.number(&mut union);
        for (access, cells) in accesses.iter().zip(touched) {
            let mut regions: Vec<u32> = cells.iter().map(|&c| out.region[c as usize]).collect();
            regions.sort_unstable();
            regions.dedup();
            for &region in &regions {
                out.regions[region as usize].accesses += 1;
            }
            let list = out.of_access.entry(access.operation).or_default();
            list.extend(regions);
            list.sort_unstable();
            list.dedup();
        }
        for &cell in &together {
            out.regions[out.region[cell as usize] as usize].outside = true;
        }
        out
    }

    /// RG1.
    fn cut(&mut self, solver: &Solver<'_>, accesses: &[Access]) {
        let mut spans: FxHashMap<Obj, Vec<(u64, Option<u64>)>> = FxHashMap::default();
        for access in accesses.iter().filter(|a| !a.bulk) {
            for place in places(solver, access) {
                let span = match place.offset {
                    ANY => (0, None),
                    from => (u64::from(from), Some(u64::from(from) + access.size.max(1))),
                };
                spans.entry(place.object).or_default().push(span);
            }
        }
        // RG5
        let given = outside(solver);
        for object in given.into_iter().filter(|_| solver.any_gone()) {
            spans.entry(object).or_default().push((0, None));
        }
        let mut objects: Vec<Obj> = spans.keys().copied().collect();
        // The program's own come first.
        let own = |o: &Obj| solver.objects.all[o.index()].is_own(solver.program);
        objects.sort_unstable_by_key(|o| (!own(o), *o));
        for object in objects {
            let mut list = spans.remove(&object).unwrap_or_default();
            list.sort_unstable();
            list.dedup();
            let numbers = self.of_object.entry(object).or_default();
            let first = self.cells.len();
            // With an access of any offset, all is one.
            let whole = list.iter().any(|(_, to)| to.is_none());
            for (from, to) in list {
                match self.cells[first..].last_mut() {
                    Some(last) if whole || last.to.is_none_or(|end| from < end) => {
                        last.bytes = true;
                        last.to = if whole { None } else { last.to.max(to) };
                    }
                    _ => {
                        numbers.push(self.cells.len() as u32);
                        let to = if whole { None } else { to };
                        self.cells.push(Cell { object, from, to, bytes: whole });
                    }
                }
            }
        }
    }

    /// The cell of a place, if something scalar touches it.
    pub(crate) fn cell(&self, place: Place) -> Option<u32> {
        let numbers = self.of_object.get(&place.object)?;
        if place.offset == ANY {
            return numbers.first().copied();
        }
        let offset = u64::from(place.offset);
        let at =
            numbers.partition_point(|&c| self.cells[c as usize].to.is_some_and(|to| to <= offset));
        let number = *numbers.get(at)?;
        let cell = &self.cells[number as usize];
        (cell.to.is_none() || cell.from <= offset).then_some(number)
    }

    fn number(&mut self, union: &mut [u32]) {
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        for cell in 0..self.cells.len() as u32 {
            let root = find(union, cell);
            let next = self.regions.len() as u32;
            let region = *numbers.entry(root).or_insert(next);
            if region == next {
                self.regions.push(Region::default());
            }
            self.region.push(region);
            let region = &mut self.regions[region as usize];
            region.cells.push(cell);
            let width = |c: u32| {
                let cell = &self.cells[c as usize];
                cell.to.map(|to| to - cell.from)
            };
            // RG4
            region.bytes |=
                self.cells[cell as usize].bytes || width(cell) != width(region.cells[0]);
        }
    }
}

/// The objects that are given away, and what the program does not make.
fn outside(solver: &Solver<'_>) -> Vec<Obj> {
    let all = (0..solver.objects.all.len() as u32).map(Obj);
    let is_outside =
        |o: &Obj| solver.is_gone(*o) || solver.objects.all[o.index()].made == Made::Outside;
    all.filter(is_outside).collect()
}

fn shifted(solver: &Solver<'_>, place: Place, by: i64) -> Place {
    solver.objects.further(&solver.program.types, place, by)
}

/// The places that an access may touch.
fn places<'s>(solver: &'s Solver<'_>, access: &Access) -> impl Iterator<Item = Place> + 's {
    let (one, many) = match access.address {
        Value::None => (None, None),
        Value::Place(place) => (Some(place), None),
        Value::Node(node) => (None, Some(&solver.facts[node as usize])),
    };
    let many = many.into_iter().flat_map(|set| set.iter());
    let all = one.into_iter().chain(many).map(|p| solver.places[p as usize]);
    all.filter(|place| !matches!(solver.objects.all[place.object.index()].made, Made::Function(_)))
}

fn find(union: &mut [u32], mut cell: u32) -> u32 {
    while union[cell as usize] != cell {
        union[cell as usize] = union[union[cell as usize] as usize];
        cell = union[cell as usize];
    }
    cell
}

fn unite(union: &mut [u32], cells: &[u32]) {
    let Some(&first) = cells.first() else { return };
    for &other in &cells[1..] {
        let (a, b) = (find(union, first), find(union, other));
        union[a.max(b) as usize] = a.min(b);
    }
}
