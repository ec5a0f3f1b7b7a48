//! Global resolution of a system whose equations are all in memory, in general; where the signs
//! allow, `arnold_crubille` does it.
//!
//! Rules, for a variable `x` with operator `∘`:
//!
//! CL1: an operand with the value that decides `∘` (true for ∨, false for ∧) gives `x` that value.
//! CL2: when all operands have the other value, so has `x`.
//! CL3: variables that CL1 and CL2 leave open in a strongly connected component, all components below
//!     being solved, have their sign's default, if they have one sign; otherwise they are a parity
//!     game.
//!
//! CL1 and CL2 are sound for every sign; CL3 is sound because what is left open depends on nothing but
//! itself: the least (greatest) solution is false (true) everywhere. Time and memory are linear but
//! for the parity games.

use crate::arnold_crubille::{self, Parts};
use crate::game::{self, Game};
use crate::rows::{NONE, Rows};
use crate::{Op, Progress, Sign, Watch};

/// A value that is not known yet, or is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Value {
    Open,
    False,
    True,
}

impl Value {
    pub(crate) fn of(value: bool) -> Value {
        if value { Value::True } else { Value::False }
    }

    pub(crate) fn known(self) -> Option<bool> {
        match self {
            Value::Open => None,
            Value::False => Some(false),
            Value::True => Some(true),
        }
    }
}

/// A graph of equations as the global solver sees it.
pub(crate) trait Equations {
    fn succ(&self) -> &Rows;
    fn op(&self, v: u32) -> Op;
    fn place(&self, v: u32) -> (u32, Sign);
}

struct Run<'a, E> {
    equations: &'a E,
    pred: Rows,
    /// Operands without a value.
    open: Vec<u32>,
    value: Vec<Value>,
    /// An operand that decides each variable that one does, if that is wanted.
    strategy: Option<Vec<u32>>,
    queue: Vec<u32>,
}

impl<E: Equations> Run<'_, E> {
    fn set(&mut self, v: u32, value: bool) {
        self.value[v as usize] = Value::of(value);
        self.queue.push(v);
    }

    /// `y` decides `x`.
    fn choose(&mut self, x: u32, y: u32) {
        if let Some(strategy) = &mut self.strategy {
            strategy[x as usize] = y;
        }
    }

    /// Notes an open operand for each of the variables, which are about to get their sign's default.
    fn choose_open(&mut self, variables: &[u32]) {
        let succ = self.equations.succ();
        let Some(strategy) = &mut self.strategy else { return };
        for &v in variables {
            let open = |&&y: &&u32| self.value[y as usize] == Value::Open;
            strategy[v as usize] = succ.row(v).iter().find(open).copied().unwrap_or(NONE);
        }
    }

    /// Applies CL1 and CL2 until nothing changes.
    fn propagate(&mut self) {
        while let Some(y) = self.queue.pop() {
            let value = self.value[y as usize] == Value::True;
            for i in self.pred.offsets[y as usize]..self.pred.offsets[y as usize + 1] {
                let x = self.pred.targets[i as usize];
                if self.value[x as usize] != Value::Open {
                    continue;
                }
                if value != self.equations.op(x).neutral() {
                    self.set(x, value);
                    self.choose(x, y);
                } else {
                    self.open[x as usize] -= 1;
                    if self.open[x as usize] == 0 {
                        self.set(x, value);
                    }
                }
            }
        }
    }
}

/// The value of every variable; `None` when `watch` says stop.
pub(crate) fn solve<E: Equations>(equations: &E, watch: &mut Watch<'_>) -> Option<Vec<Value>> {
    Some(solve_how(equations, false, watch)?.0)
}

/// The same, and if that is wanted an operand for each variable whose value one operand decides, by
/// which it can be explained; nobody looks at the others.
pub(crate) fn solve_how<E: Equations>(
    equations: &E,
    strategy: bool,
    watch: &mut Watch<'_>,
) -> Option<(Vec<Value>, Vec<u32>)> {
    let succ = equations.succ();
    let n = succ.offsets.len() - 1;
    let progress = Progress {
        variables: n as u64,
        dependencies: succ.targets.len() as u64,
        bytes: 25 * n as u64 + 8 * succ.targets.len() as u64,
    };
    if !watch(&progress) {
        return None;
    }
    if n > 0 && !strategy {
        let sign = equations.place(0).1;
        if (1..n as u32).all(|v| equations.place(v).1 == sign) {
            let parts = Parts::one(n, sign);
            let values = arnold_crubille::solve(equations, &parts, |_| 0, watch)?;
            return Some((values.into_iter().map(Value::of).collect(), Vec::new()));
        }
    }
    let mut run = Run {
        equations,
        pred: succ.reversed(),
        open: (0..n).map(|v| succ.offsets[v + 1] - succ.offsets[v]).collect(),
        value: vec![Value::Open; n],
        strategy: strategy.then(|| vec![NONE; n]),
        queue: Vec::new(),
    };
    for v in 0..n as u32 {
        if run.open[v as usize] == 0 {
            run.set(v, equations.op(v).neutral());
        }
    }
    if !watch(&progress) {
        return None;
    }
    run.propagate();
    if !watch(&progress) {
        return None;
    }
    let open: Vec<u32> = (0..n as u32).filter(|&v| run.value[v as usize] == Value::Open).collect();
    if let Some(&first) = open.first() {
        let sign = equations.place(first).1;
        if open.iter().all(|&v| equations.place(v).1 == sign) {
            run.choose_open(&open);
            for v in open {
                run.value[v as usize] = Value::of(sign.default_value());
            }
        } else {
            drop(open);
            components(&mut run, &progress, watch)?;
        }
    }
    Some((run.value, run.strategy.unwrap_or_default()))
}

/// CL3 on the components of the open variables, last ones first (Tarjan).
fn components<E: Equations>(
    run: &mut Run<'_, E>,
    progress: &Progress,
    watch: &mut Watch<'_>,
) -> Option<()> {
    let succ = run.equations.succ();
    let n = run.value.len();
    let mut index = vec![0u32; n];
    let mut low = vec![0u32; n];
    let mut stack: Vec<u32> = Vec::new();
    // Vertex and cursor into its row.
    let mut frames: Vec<(u32, u32)> = Vec::new();
    let mut count = 0u32;
    let mut work = 0u32;
    let mut local = vec![NONE; n];
    for root in 0..n as u32 {
        if index[root as usize] != 0 || run.value[root as usize] != Value::Open {
            continue;
        }
        frames.push((root, succ.offsets[root as usize]));
        count += 1;
        (index[root as usize], low[root as usize]) = (count, count);
        stack.push(root);
        while let Some(&mut (x, ref mut at)) = frames.last_mut() {
            work += 1;
            if work.is_multiple_of(1 << 16) && !watch(progress) {
                return None;
            }
            if *at < succ.offsets[x as usize + 1] {
                let y = succ.targets[*at as usize];
                *at += 1;
                // A variable with a value needs no care; one in a finished component has one.
                if run.value[y as usize] != Value::Open {
                    continue;
                }
                if index[y as usize] == 0 {
                    frames.push((y, succ.offsets[y as usize]));
                    count += 1;
                    (index[y as usize], low[y as usize]) = (count, count);
                    stack.push(y);
                } else {
                    low[x as usize] = low[x as usize].min(index[y as usize]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent as usize] = low[parent as usize].min(low[x as usize]);
            }
            if low[x as usize] != index[x as usize] {
                continue;
            }
            let from = stack.iter().rposition(|&v| v == x).expect("a root is on the stack");
            let mut members: Vec<u32> = stack.split_off(from);
            members.retain(|&v| run.value[v as usize] == Value::Open);
            if members.is_empty() {
                continue;
            }
            let places: Vec<(u32, Sign)> =
                members.iter().map(|&v| run.equations.place(v)).collect();
            if places.iter().all(|place| place.1 == places[0].1) {
                run.choose_open(&members);
                for &v in &members {
                    run.set(v, places[0].1.default_value());
                }
            } else {
                for (i, &v) in members.iter().enumerate() {
                    local[v as usize] = i as u32;
                }
                let mut edges = Vec::new();
                for (i, &v) in members.iter().enumerate() {
                    let inside = |&y: &u32| run.value[y as usize] == Value::Open;
                    let row = succ.row(v).iter().copied().filter(inside);
                    edges.extend(row.map(|y| (i as u32, local[y as usize])));
                }
                debug_assert!(edges.iter().all(|&(_, y)| y != NONE));
                let game = Game {
                    op: members.iter().map(|&v| run.equations.op(v)).collect(),
                    priority: game::priorities(&places),
                    succ: Rows::from_edges(members.len(), &edges),
                };
                let solution = game::solve(&game, &mut || watch(progress))?;
                for (i, &v) in members.iter().enumerate() {
                    local[v as usize] = NONE;
                    run.set(v, solution.value[i]);
                    if let Some(&y) = members.get(solution.strategy[i] as usize) {
                        run.choose(v, y);
                    }
                }
            }
            run.propagate();
        }
    }
    Some(())
}
