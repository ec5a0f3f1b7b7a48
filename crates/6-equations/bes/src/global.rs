//! Global resolution on demand: all equations that the variable asked for depends on, and then the
//! values of all of them at once.

use crate::closed::{self, Equations};
use crate::rows::Rows;
use crate::solver::{Interrupt, Solver};
use crate::{Op, Sign, SolveError, System, Watch};

struct Explored {
    op: Vec<Op>,
    place: Vec<(u32, Sign)>,
    succ: Rows,
}

impl Equations for Explored {
    fn succ(&self) -> &Rows {
        &self.succ
    }

    fn op(&self, v: u32) -> Op {
        self.op[v as usize]
    }

    fn place(&self, v: u32) -> (u32, Sign) {
        self.place[v as usize]
    }
}

pub(crate) fn run<S: System>(
    solver: &mut Solver<S>,
    main: u32,
    watch: &mut Watch<'_>,
) -> Result<(), Interrupt<S::Error>> {
    let stopped = || Interrupt::Error(SolveError::Stopped);
    let mut all = vec![main];
    let mut explored = Explored {
        op: Vec::new(),
        place: Vec::new(),
        succ: Rows { offsets: vec![0], targets: Vec::new() },
    };
    let mut operands = Vec::new();
    // Index: the place in `all`, from 1.
    solver.vertices[main as usize].index = 1;
    solver.seen.push(main);
    let mut at = 0;
    while let Some(&x) = all.get(at) {
        if at.is_multiple_of(1 << 12) {
            let mut progress = solver.progress();
            progress.bytes += 24 * all.len() as u64 + 12 * explored.succ.targets.len() as u64;
            if !watch(&progress) {
                return Err(stopped());
            }
        }
        at += 1;
        operands.clear();
        let op = solver.fetch(x, &mut operands)?;
        let start = explored.succ.targets.len();
        let mut decided = false;
        for &y in &operands {
            let other = &mut solver.vertices[y as usize];
            // Values of earlier calls are used, not computed again.
            if let Some(value) = other.value.known() {
                decided |= value != op.neutral();
                continue;
            }
            if other.index == 0 {
                other.index = all.len() as u32 + 1;
                all.push(y);
                solver.seen.push(y);
            }
            explored.succ.targets.push(other.index - 1);
        }
        if decided {
            explored.succ.targets.truncate(start);
        }
        if explored.succ.targets.len() >= u32::MAX as usize {
            return Err(Interrupt::Error(SolveError::TooLarge));
        }
        explored.op.push(if decided { op.dual() } else { op });
        explored.succ.offsets.push(explored.succ.targets.len() as u32);
        let place = solver.place(x);
        explored.place.push((place.rank, place.sign));
    }
    solver.stats.stored = solver.stats.stored.max(explored.succ.targets.len() as u64);
    let values = closed::solve(&explored, watch).ok_or_else(stopped)?;
    for (&v, value) in all.iter().zip(values) {
        solver.vertices[v as usize].value = value;
    }
    Ok(())
}
