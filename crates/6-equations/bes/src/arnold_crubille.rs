//! Global resolution of systems in which every group of blocks has one sign, in linear time: the
//! algorithm of [arnold-crubille], on one counter for each variable.
//!
//! Parts are solved in the order of their dependencies, each from its sign's default value; the
//! other value is called *active* here. `missing[x]` is how many operands must still become active
//! for `x` to be: one for a disjunction of a least fixpoint, all for a conjunction; dually for a
//! greatest one. Rules:
//!
//! AC1: when `y` becomes active, every `x` of its part that has it as an operand misses one less.
//! AC2: a variable that misses nothing is active. What never is keeps the default.
//!
//! The time goes into waiting for memory, so all that AC1 needs of `x` is one word, and the queue is
//! first in, first out: the rows of variables that wait in it can be fetched while others are
//! worked on. (Sweeps over the equations, with one bit for each variable and without the reversed
//! dependencies, were measured as well: a random graph needs forty of them, and four times the
//! time.)

use crate::closed::Equations;
use crate::rows::Rows;
use crate::{Progress, Sign, Watch};

/// The parts of a system, each of one sign and depending on itself and earlier parts only.
pub(crate) struct Parts {
    /// The variables, part by part; as they are numbered, if nothing is said.
    order: Option<Vec<u32>>,
    /// Where each part ends, and its sign.
    ends: Vec<(u32, Sign)>,
}

impl Parts {
    /// All variables in one part.
    pub(crate) fn one(n: usize, sign: Sign) -> Parts {
        Parts { order: None, ends: vec![(n as u32, sign)] }
    }

    /// Parts by number, with the sign of each; `part_of` is below `signs.len()`.
    pub(crate) fn new(n: usize, signs: &[Sign], part_of: impl Fn(u32) -> u32) -> Parts {
        if let [sign] = signs {
            return Parts::one(n, *sign);
        }
        let mut starts = vec![0u32; signs.len() + 1];
        for v in 0..n as u32 {
            starts[part_of(v) as usize + 1] += 1;
        }
        for i in 0..signs.len() {
            starts[i + 1] += starts[i];
        }
        let ends = starts[1..].iter().copied().zip(signs.iter().copied()).collect();
        let mut order = vec![0u32; n];
        for v in 0..n as u32 {
            let at = &mut starts[part_of(v) as usize];
            order[*at as usize] = v;
            *at += 1;
        }
        Parts { order: Some(order), ends }
    }
}

/// How many variables are looked at between two looks at the watch.
const BETWEEN: usize = 1 << 18;

/// The value of every variable; `None` when `watch` says stop. `part_of` numbers the parts.
pub(crate) fn solve<E: Equations>(
    equations: &E,
    parts: &Parts,
    part_of: impl Fn(u32) -> u32,
    watch: &mut Watch<'_>,
) -> Option<Vec<bool>> {
    let succ = equations.succ();
    let n = succ.offsets.len() - 1;
    let progress = Progress {
        variables: n as u64,
        dependencies: succ.targets.len() as u64,
        bytes: 16 * n as u64 + 4 * succ.targets.len() as u64,
    };
    let mut go_on = || watch(&progress).then_some(());
    go_on()?;
    let several = parts.ends.len() > 1;
    let pred = match several {
        false => succ.reversed(),
        true => inner(succ, &part_of),
    };
    let mut missing = vec![0u32; n];
    let mut queue: Vec<u32> = Vec::new();
    let mut from = 0;
    let mut work = 0usize;
    for (part, &(to, sign)) in parts.ends.iter().enumerate() {
        let active = !sign.default_value();
        queue.clear();
        for i in from..to {
            work += 1;
            if work.is_multiple_of(BETWEEN) {
                go_on()?;
            }
            let x = parts.order.as_ref().map_or(i, |order| order[i as usize]);
            let row = succ.row(x);
            let all = equations.op(x).neutral() == active;
            let mut count = if all { row.len() as u32 } else { 1 };
            if several {
                // Operands of earlier parts have their values already.
                for &y in row {
                    let other = part_of(y) as usize;
                    if other != part {
                        let default = parts.ends[other].1.default_value();
                        let value = (missing[y as usize] == 0) != default;
                        if value == active {
                            count = count.saturating_sub(1);
                        }
                    }
                }
            }
            missing[x as usize] = count;
            if count == 0 {
                queue.push(x);
            }
        }
        let mut at = 0;
        while let Some(&y) = queue.get(at) {
            at += 1;
            if at.is_multiple_of(BETWEEN) {
                go_on()?;
            }
            for &x in pred.row(y) {
                let count = &mut missing[x as usize];
                if *count != 0 {
                    *count -= 1;
                    if *count == 0 {
                        queue.push(x);
                    }
                }
            }
        }
        from = to;
    }
    drop((pred, queue));
    let mut values: Vec<bool> = missing.into_iter().map(|count| count == 0).collect();
    let mut from = 0;
    for &(to, sign) in &parts.ends {
        if sign.default_value() {
            for i in from..to {
                let x = parts.order.as_ref().map_or(i, |order| order[i as usize]);
                values[x as usize] = !values[x as usize];
            }
        }
        from = to;
    }
    Some(values)
}

/// The dependencies inside of parts, the other way round.
fn inner(succ: &Rows, part_of: &impl Fn(u32) -> u32) -> Rows {
    let n = succ.offsets.len() - 1;
    let mut offsets = vec![0u32; n + 1];
    let edges = |x: u32| {
        let part = part_of(x);
        succ.row(x).iter().copied().filter(move |&y| part_of(y) == part)
    };
    for x in 0..n as u32 {
        edges(x).for_each(|y| offsets[y as usize + 1] += 1);
    }
    for i in 0..n {
        offsets[i + 1] += offsets[i];
    }
    let mut targets = vec![0u32; offsets[n] as usize];
    for x in 0..n as u32 {
        for y in edges(x) {
            let at = &mut offsets[y as usize];
            targets[*at as usize] = x;
            *at += 1;
        }
    }
    offsets.rotate_right(1);
    offsets[0] = 0;
    Rows { offsets, targets }
}
