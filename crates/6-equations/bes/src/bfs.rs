//! Breadth-first local resolution, after the algorithm A2 of [caesar-solve §4].
//!
//! Explores level by level and tells values backwards (CL1, CL2 of `closed`) until the variable asked
//! for has one; if the system is exhausted before, what is open is a closed system (CL3). A variable
//! that nobody open waits for any more is not explored.

use std::collections::VecDeque;

use crate::closed::{self, Equations, Value};
use crate::rows::Rows;
use crate::solver::{Interrupt, NONE, Solver};
use crate::{Op, Sign, SolveError, System, Watch};

pub(crate) fn run<S: System>(
    solver: &mut Solver<S>,
    main: u32,
    watch: &mut Watch<'_>,
) -> Result<(), Interrupt<S::Error>> {
    let stopped = || Interrupt::Error(SolveError::Stopped);
    let mut queue = VecDeque::from([main]);
    let mut operands = Vec::new();
    // Index 1: queued, 2: explored.
    solver.vertices[main as usize].index = 1;
    solver.seen.push(main);
    let mut work = 0u64;
    while let Some(x) = queue.pop_front() {
        if work.is_multiple_of(1 << 12) && !watch(&solver.progress()) {
            return Err(stopped());
        }
        work += 1;
        if x != main && !awaited(solver, x) {
            solver.vertices[x as usize].index = 0;
            continue;
        }
        operands.clear();
        let op = solver.fetch(x, &mut operands)?;
        let vertex = &mut solver.vertices[x as usize];
        vertex.index = 2;
        vertex.op = op;
        vertex.open = operands.len() as u32;
        if operands.is_empty() {
            solver.set(x, op.neutral());
        }
        for &y in &operands {
            let other = &mut solver.vertices[y as usize];
            if let Some(value) = other.value.known() {
                solver.tell(x, value);
                continue;
            }
            if other.index == 0 {
                other.index = 1;
                queue.push_back(y);
                solver.seen.push(y);
            }
            solver.wait(x, y);
        }
        while let Some(y) = solver.news.pop() {
            let value = solver.vertices[y as usize].value == Value::True;
            let mut at = solver.vertices[y as usize].waiting;
            while at != NONE {
                let (x, next) = solver.edges[at as usize];
                solver.tell(x, value);
                at = next;
            }
        }
        if solver.vertices[main as usize].value != Value::Open {
            return Ok(());
        }
    }
    rest(solver, watch).ok_or_else(stopped)
}

/// Whether a variable without a value waits for `x`.
fn awaited<S: System>(solver: &Solver<S>, x: u32) -> bool {
    let mut at = solver.vertices[x as usize].waiting;
    while at != NONE {
        let (y, next) = solver.edges[at as usize];
        if solver.vertices[y as usize].value == Value::Open {
            return true;
        }
        at = next;
    }
    false
}

struct Rest {
    op: Vec<Op>,
    place: Vec<(u32, Sign)>,
    succ: Rows,
}

impl Equations for Rest {
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

/// The explored system is closed: solves what is open in it.
fn rest<S: System>(solver: &mut Solver<S>, watch: &mut Watch<'_>) -> Option<()> {
    let mut open: Vec<u32> = Vec::new();
    for i in 0..solver.seen.len() {
        let v = solver.seen[i];
        let vertex = &mut solver.vertices[v as usize];
        // A variable may be listed twice, if it was put aside in between.
        if vertex.value == Value::Open && vertex.index == 2 {
            vertex.index = 3;
            vertex.frame = open.len() as u32;
            open.push(v);
        }
    }
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (i, &y) in open.iter().enumerate() {
        let mut at = solver.vertices[y as usize].waiting;
        while at != NONE {
            let (x, next) = solver.edges[at as usize];
            let vertex = &solver.vertices[x as usize];
            if vertex.value == Value::Open {
                edges.push((vertex.frame, i as u32));
            }
            at = next;
        }
    }
    let places = open.iter().map(|&v| solver.place(v));
    let rest = Rest {
        op: open.iter().map(|&v| solver.vertices[v as usize].op).collect(),
        place: places.map(|place| (place.rank, place.sign)).collect(),
        succ: Rows::from_edges(open.len(), &edges),
    };
    let values = closed::solve(&rest, watch)?;
    for (&v, value) in open.iter().zip(values) {
        solver.vertices[v as usize].value = value;
    }
    Some(())
}
