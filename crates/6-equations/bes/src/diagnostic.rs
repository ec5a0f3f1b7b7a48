//! The boolean subgraph that explains a value, and the checker that believes nobody.
//!
//! A variable is true because of one true operand (∨) or of all of them (∧), and dually; so all
//! variables of an explanation have the value that is explained. It is a proof if it is closed in
//! that sense and no cycle speaks against it: the most significant block on a cycle is a greatest
//! fixpoint where the value is true, a least one where it is false. In systems without alternation
//! that says: what is true under μ or false under ν is acyclic.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::closed::Value;
use crate::game::{self, Game};
use crate::rows::{NONE, Rows};
use crate::solver::Solver;
use crate::{Bes, BesBuilder, Op, Sign, SolveError, System, Watch};

/// One variable of an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained<K> {
    /// The variable.
    pub key: K,
    /// The operator of its equation.
    pub op: Op,
    /// The rank of its block.
    pub rank: u32,
    /// The sign of its block.
    pub sign: Sign,
    /// The operands that matter, as positions in [`Explanation::variables`].
    pub operands: Vec<u32>,
}

/// The part of a system that explains one variable's value: the first one's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation<K> {
    /// The value of every variable in it.
    pub value: bool,
    /// The variables, breadth-first from the one that is explained.
    pub variables: Vec<Explained<K>>,
}

/// Why an explanation is none.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refutation {
    /// It does not begin with the variable asked for.
    NotInitial,
    /// A variable is listed twice.
    Twice {
        /// Its position.
        at: usize,
    },
    /// Operator, rank or sign are not those of the equation.
    WrongEquation {
        /// The position of the variable.
        at: usize,
    },
    /// It names an operand that the equation does not have, or a position that does not exist.
    NoOperand {
        /// The position of the variable.
        at: usize,
    },
    /// One operand decides; none, or several, are given.
    NotOne {
        /// The position of the variable.
        at: usize,
    },
    /// All operands count and one is missing.
    Missing {
        /// The position of the variable.
        at: usize,
    },
    /// A cycle that speaks against the value.
    Cycle {
        /// The position of a most significant variable on it.
        at: usize,
    },
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refutation::NotInitial => f.write_str("it explains another variable"),
            Refutation::Twice { at } => write!(f, "variable {at} is listed twice"),
            Refutation::WrongEquation { at } => write!(f, "variable {at} has another equation"),
            Refutation::NoOperand { at } => write!(f, "variable {at} has no such operand"),
            Refutation::NotOne { at } => write!(f, "variable {at} needs exactly one operand"),
            Refutation::Missing { at } => write!(f, "an operand of variable {at} is missing"),
            Refutation::Cycle { at } => write!(f, "a cycle through variable {at} is unfounded"),
        }
    }
}

impl<K> Explanation<K> {
    /// The explanation as a system of its own: the same value, from these equations alone.
    pub fn to_bes(&self, name: &dyn Fn(&K) -> String) -> Bes {
        let mut ranks: Vec<(u32, Sign)> = self.variables.iter().map(|v| (v.rank, v.sign)).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let mut builder = BesBuilder::new();
        for &(_, sign) in &ranks {
            builder.block(sign);
        }
        for variable in &self.variables {
            let place = (variable.rank, variable.sign);
            let block = ranks.binary_search(&place).expect("all ranks are listed") as u32;
            builder.equation(block, variable.op, variable.operands.iter().copied());
            builder.name(name(&variable.key));
        }
        builder.build(0).expect("operands are positions in the explanation, which is not empty")
    }
}

impl<S: System> Solver<S> {
    /// Explains a value that an earlier call found; `None` where no call found one.
    ///
    /// Equations are asked for again: nothing was recorded while solving. Least fixpoints are
    /// explained by shortest ways.
    pub fn explain(
        &mut self,
        key: &S::Key,
    ) -> Result<Option<Explanation<S::Key>>, SolveError<S::Error>> {
        self.explain_within(key, &mut |_| true)
    }

    /// The same, until the watch says stop.
    pub fn explain_within(
        &mut self,
        key: &S::Key,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Explanation<S::Key>>, SolveError<S::Error>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let wanted = Value::of(value);
        // The variables of the same value that this one can be explained by.
        let mut position: FxHashMap<u32, u32> = FxHashMap::default();
        let main = self.intern(key)?;
        position.insert(main, 0);
        let mut ids = vec![main];
        let mut op = Vec::new();
        let mut places = Vec::new();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut operands = Vec::new();
        let mut at = 0;
        while at < ids.len() {
            if at.is_multiple_of(1 << 12) && !watch(&self.progress()) {
                return Err(SolveError::Stopped);
            }
            operands.clear();
            let o = self
                .system
                .equation(&self.keys[ids[at] as usize], &mut operands)
                .map_err(SolveError::System)?;
            op.push(o);
            let place = self.place(ids[at]);
            places.push((place.rank, place.sign));
            for key in &operands {
                let y = self.intern(key)?;
                if self.vertices[y as usize].value != wanted {
                    continue;
                }
                let next = ids.len() as u32;
                let y = *position.entry(y).or_insert_with(|| {
                    ids.push(y);
                    next
                });
                edges.push((at as u32, y));
            }
            at += 1;
        }
        let game = Game {
            op,
            priority: game::priorities(&places),
            succ: Rows::from_edges(ids.len(), &edges),
        };
        let progress = self.progress();
        let solution = game::solve(&game, &mut || watch(&progress)).ok_or(SolveError::Stopped)?;
        if solution.value.iter().any(|&v| v != value) {
            return Err(SolveError::Internal("a value that cannot be explained"));
        }
        // Keep what the strategy needs.
        let mut kept = vec![0u32];
        let mut number = vec![NONE; ids.len()];
        number[0] = 0;
        let mut variables = Vec::new();
        let mut at = 0;
        while at < kept.len() {
            let v = kept[at] as usize;
            at += 1;
            let decides = game.op[v].neutral() != value;
            let chosen = [solution.strategy[v]];
            let row = if decides { &chosen[..] } else { game.succ.row(v as u32) };
            let mut operands = Vec::with_capacity(row.len());
            for &y in row {
                if y == NONE {
                    return Err(SolveError::Internal("a strategy without a move"));
                }
                if number[y as usize] == NONE {
                    number[y as usize] = kept.len() as u32;
                    kept.push(y);
                }
                operands.push(number[y as usize]);
            }
            operands.sort_unstable();
            operands.dedup();
            let (rank, sign) = places[v];
            let key = self.keys[ids[v] as usize].clone();
            variables.push(Explained { key, op: game.op[v], rank, sign, operands });
        }
        Ok(Some(Explanation { value, variables }))
    }
}

/// Accepts an explanation of the value of `key`, or says what is wrong with it.
///
/// Uses nothing of the solvers: only the equations of the system, and a search for cycles.
pub fn check<S: System>(
    system: &mut S,
    key: &S::Key,
    explanation: &Explanation<S::Key>,
) -> Result<Result<(), Refutation>, S::Error> {
    let Explanation { value, variables } = explanation;
    if variables.first().is_none_or(|first| first.key != *key) {
        return Ok(Err(Refutation::NotInitial));
    }
    let mut position: FxHashMap<&S::Key, u32> = FxHashMap::default();
    for (at, variable) in variables.iter().enumerate() {
        if position.insert(&variable.key, at as u32).is_some() {
            return Ok(Err(Refutation::Twice { at }));
        }
    }
    let mut operands = Vec::new();
    for (at, variable) in variables.iter().enumerate() {
        operands.clear();
        let op = system.equation(&variable.key, &mut operands)?;
        let place = system.place(&variable.key);
        if (op, place.rank, place.sign) != (variable.op, variable.rank, variable.sign) {
            return Ok(Err(Refutation::WrongEquation { at }));
        }
        let mut real: Vec<Option<u32>> =
            operands.iter().map(|key| position.get(key).copied()).collect();
        real.sort_unstable();
        if variable.operands.iter().any(|&y| real.binary_search(&Some(y)).is_err()) {
            return Ok(Err(Refutation::NoOperand { at }));
        }
        let mut given = variable.operands.clone();
        given.sort_unstable();
        if op.neutral() != *value {
            if variable.operands.len() != 1 {
                return Ok(Err(Refutation::NotOne { at }));
            }
        } else if !real.iter().all(|y| y.is_some_and(|y| given.binary_search(&y).is_ok())) {
            return Ok(Err(Refutation::Missing { at }));
        }
    }
    Ok(match bad_cycle(*value, variables) {
        Some(at) => Err(Refutation::Cycle { at }),
        None => Ok(()),
    })
}

/// A most significant variable of a cycle that speaks against the value, if there is one.
///
/// Components are split at their most significant variables until they are trivial.
fn bad_cycle<K>(value: bool, variables: &[Explained<K>]) -> Option<usize> {
    let n = variables.len();
    // Vertices are looked at together only inside one part.
    let mut part = vec![0u32; n];
    let mut parts = 1u32;
    let mut pending: Vec<Vec<u32>> = vec![(0..n as u32).collect()];
    let mut index = vec![0u32; n];
    let mut low = vec![0u32; n];
    while let Some(members) = pending.pop() {
        let current = part[members[0] as usize];
        for &v in &members {
            index[v as usize] = 0;
        }
        let mut count = 0;
        let mut stack: Vec<u32> = Vec::new();
        let mut frames: Vec<(u32, usize)> = Vec::new();
        for &root in &members {
            if part[root as usize] != current || index[root as usize] != 0 {
                continue;
            }
            frames.push((root, 0));
            while let Some(&mut (x, ref mut next)) = frames.last_mut() {
                if *next == 0 {
                    count += 1;
                    index[x as usize] = count;
                    low[x as usize] = count;
                    stack.push(x);
                }
                if let Some(&y) = variables[x as usize].operands.get(*next) {
                    *next += 1;
                    if part[y as usize] != current {
                        continue;
                    }
                    if index[y as usize] == 0 {
                        frames.push((y, 0));
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
                let from = stack.iter().rposition(|&v| v == x).unwrap_or(0);
                let component = stack.split_off(from);
                for &v in &component {
                    part[v as usize] = parts;
                }
                parts += 1;
                let cyclic = component.len() > 1 || variables[x as usize].operands.contains(&x);
                if !cyclic {
                    continue;
                }
                let rank = |v: u32| variables[v as usize].rank;
                let top = component.iter().copied().map(rank).min().unwrap_or(0);
                let (most, rest): (Vec<u32>, Vec<u32>) =
                    component.into_iter().partition(|&v| rank(v) == top);
                if variables[most[0] as usize].sign.default_value() != value {
                    return Some(most[0] as usize);
                }
                // The most significant ones are cut out; the rest is looked at again.
                for &v in &most {
                    part[v as usize] = parts;
                }
                parts += 1;
                if !rest.is_empty() {
                    pending.push(rest);
                }
            }
        }
    }
    None
}
