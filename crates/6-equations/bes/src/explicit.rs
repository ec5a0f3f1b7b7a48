//! Boolean equation systems in memory: compact, with every equation given.

use std::fmt::Write;

use crate::arnold_crubille::{self, Parts};
use crate::closed::{self, Equations, Value};
use crate::diagnostic::{Explained, Explanation, Refutation, check};
use crate::game::{self, Algorithm, Game};
use crate::rows::{NONE, Rows};
use crate::{Op, Place, Shape, Sign, SolveError, System, Watch};

/// A block of equations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Block {
    sign: Sign,
    group: u32,
}

/// A boolean equation system, every right-hand side one operator over variables.
///
/// Variables are numbered in the order of their definition. Twelve bytes a variable and four a
/// dependency; names are optional.
///
/// Invariant 1: every operand is a variable. Invariant 2: `meta` holds the block in its low 31
/// bits, and the operator (set: ∧) in its high one. Invariant 3: blocks that depend on each other
/// have one group.
pub struct Bes {
    meta: Vec<u32>,
    succ: Rows,
    blocks: Vec<Block>,
    shapes: Vec<Shape>,
    names: Vec<String>,
    numbered: Option<Numbered>,
    initial: u32,
}

const AND: u32 = 1 << 31;

/// Why equations are no system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BesError {
    /// There is no equation, or the initial variable has none.
    #[error("the initial variable {0} has no equation")]
    NoInitial(u32),
    /// An operand has no equation.
    #[error("variable {of} depends on variable {operand}, which has no equation")]
    NoEquation {
        /// The variable.
        of: u32,
        /// Its operand.
        operand: u32,
    },
    /// More than 2^31 blocks or 2^32 variables or dependencies.
    #[error("too many equations or dependencies")]
    TooLarge,
}

/// Collects equations.
#[derive(Default)]
pub struct BesBuilder {
    meta: Vec<u32>,
    succ: Rows,
    signs: Vec<Sign>,
    names: Vec<String>,
    numbered: Option<Numbered>,
}

/// Names `X<variable>_<block>`, by numbers.
#[derive(Default)]
pub(crate) struct Numbered {
    /// The number of each block, and its first variable.
    blocks: Vec<(u32, u32)>,
    /// The number of each variable, if they do not count up from 0 in every block.
    variables: Option<Vec<u32>>,
}

impl Numbered {
    /// A block begins at variable `v`.
    pub(crate) fn block(&mut self, number: u32, v: u32) {
        self.blocks.push((number, v));
    }

    /// Variable `v` has a number.
    pub(crate) fn variable(&mut self, number: u32, v: u32) {
        let first = self.blocks.last().map_or(0, |&(_, first)| first);
        if self.variables.is_none() && number != v - first {
            self.variables = Some((0..v).map(|v| self.number_of(v)).collect());
        }
        if let Some(variables) = &mut self.variables {
            variables.push(number);
        }
    }

    fn block_of(&self, v: u32) -> (u32, u32) {
        let after = self.blocks.partition_point(|&(_, first)| first <= v);
        after.checked_sub(1).map_or((0, 0), |at| self.blocks[at])
    }

    fn number_of(&self, v: u32) -> u32 {
        match &self.variables {
            Some(variables) => variables[v as usize],
            None => v - self.block_of(v).1,
        }
    }

    pub(crate) fn name(&self, v: u32) -> String {
        format!("X{}_{}", self.number_of(v), self.block_of(v).0)
    }

    /// Whether there is no block, or the first of them ends where it begins.
    pub(crate) fn first_block_is_empty(&self, variables: u32) -> bool {
        self.blocks.is_empty() || self.blocks.get(1).map_or(variables, |&(_, first)| first) == 0
    }
}

impl BesBuilder {
    /// No equations yet.
    pub fn new() -> BesBuilder {
        let mut builder = BesBuilder::default();
        builder.succ.offsets.push(0);
        builder
    }

    /// How many equations there are.
    pub(crate) fn len(&self) -> u32 {
        self.meta.len() as u32
    }

    /// Replaces the operands: `new[y]` in place of `y`. The first variable with an operand that has
    /// none, and that operand, if there is one.
    pub(crate) fn renumber(&mut self, new: &[u32]) -> Result<(), (u32, u32)> {
        for at in 0..self.succ.targets.len() {
            let y = self.succ.targets[at];
            let to = new[y as usize];
            if to == u32::MAX {
                let of = self.succ.offsets.partition_point(|&from| from as usize <= at) - 1;
                return Err((of as u32, y));
            }
            self.succ.targets[at] = to;
        }
        Ok(())
    }

    /// Names all variables by numbers.
    pub(crate) fn number(&mut self, numbered: Numbered) {
        self.numbered = Some(numbered);
    }

    /// Makes room.
    pub fn reserve(&mut self, variables: usize, dependencies: usize) {
        self.meta.reserve_exact(variables);
        self.succ.offsets.reserve_exact(variables);
        self.succ.targets.reserve_exact(dependencies);
    }

    /// Opens the next block; earlier blocks are more significant.
    pub fn block(&mut self, sign: Sign) -> u32 {
        self.signs.push(sign);
        self.signs.len() as u32 - 1
    }

    /// The equation of the next variable; answers its number. Operands may come later.
    ///
    /// # Panics
    /// When the block was not opened.
    pub fn equation(&mut self, block: u32, op: Op, operands: impl IntoIterator<Item = u32>) -> u32 {
        assert!((block as usize) < self.signs.len(), "a block is opened before its equations");
        self.meta.push(block | if op == Op::And { AND } else { 0 });
        self.succ.targets.extend(operands);
        self.succ.offsets.push(self.succ.targets.len().min(u32::MAX as usize) as u32);
        self.meta.len() as u32 - 1
    }

    /// Names the variable that was defined last; variables without a name are called by number.
    pub fn name(&mut self, name: impl Into<String>) {
        self.names.resize(self.meta.len().saturating_sub(1), String::new());
        self.names.push(name.into());
    }

    /// The system, if every operand has an equation.
    pub fn build(self, initial: u32) -> Result<Bes, BesError> {
        let BesBuilder { mut meta, mut succ, signs, names, numbered } = self;
        meta.shrink_to_fit();
        succ.offsets.shrink_to_fit();
        succ.targets.shrink_to_fit();
        let n = meta.len();
        if n >= u32::MAX as usize - 300
            || succ.targets.len() >= u32::MAX as usize
            || signs.len() >= AND as usize
        {
            return Err(BesError::TooLarge);
        }
        if initial as usize >= n {
            return Err(BesError::NoInitial(initial));
        }
        for of in 0..n as u32 {
            if let Some(&operand) = succ.row(of).iter().find(|&&y| y as usize >= n) {
                return Err(BesError::NoEquation { of, operand });
            }
        }
        let groups = groups(&meta, &succ, signs.len());
        let blocks: Vec<Block> =
            signs.iter().zip(groups).map(|(&sign, group)| Block { sign, group }).collect();
        let mut bes = Bes { meta, succ, blocks, shapes: Vec::new(), names, numbered, initial };
        bes.shapes = bes.find_shapes();
        Ok(bes)
    }
}

/// Up to so many blocks have a table of pairs, one bit each: 8 MB. Sorting all pairs took half of the time that a
/// clique of 1,500 vertices, each with a priority of its own, takes to be read.
const TABLED: usize = 1 << 13;

/// The graph of blocks, by a table of pairs.
fn tabled(meta: &[u32], succ: &Rows, blocks: usize) -> Rows {
    let words = blocks.div_ceil(64);
    let mut table = vec![0u64; blocks * words];
    for (x, &m) in meta.iter().enumerate() {
        let from = (m & !AND) as usize;
        let row = &mut table[from * words..][..words];
        for &y in succ.row(x as u32) {
            let to = (meta[y as usize] & !AND) as usize;
            row[to / 64] |= 1 << (to % 64);
        }
    }
    let mut rows = Rows { offsets: vec![0], targets: Vec::new() };
    for from in 0..blocks {
        for (i, &word) in table[from * words..][..words].iter().enumerate() {
            let mut left = word;
            while left != 0 {
                let to = i * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                if to != from {
                    rows.targets.push(to as u32);
                }
            }
        }
        rows.offsets.push(rows.targets.len() as u32);
    }
    rows
}

/// Components of the graph of blocks.
fn groups(meta: &[u32], succ: &Rows, blocks: usize) -> Vec<u32> {
    if blocks <= 1 {
        return vec![0; blocks];
    }
    crate::scc::components(&match blocks <= TABLED {
        true => tabled(meta, succ, blocks),
        false => listed(meta, succ, blocks),
    })
}

/// The graph of blocks, by a list of pairs.
fn listed(meta: &[u32], succ: &Rows, blocks: usize) -> Rows {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    // Doubled when what is different fills it, so that sorting stays linear but for a logarithm.
    let mut most = (1 << 20).max(4 * blocks);
    for (x, &m) in meta.iter().enumerate() {
        let from = m & !AND;
        for &y in succ.row(x as u32) {
            let to = meta[y as usize] & !AND;
            if from != to && edges.last() != Some(&(from, to)) {
                edges.push((from, to));
            }
        }
        if edges.len() > most {
            edges.sort_unstable();
            edges.dedup();
            most = most.max(2 * edges.len());
        }
    }
    edges.sort_unstable();
    edges.dedup();
    Rows::from_edges(blocks, &edges)
}

impl Bes {
    /// The same system, whose variables have numbers only: [`Bes::to_mcrl2`] tells names in comments.
    #[must_use]
    pub fn without_names(mut self) -> Bes {
        self.names.clear();
        self.numbered = None;
        self
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.meta.len()
    }

    /// Whether there is no variable; never, for a system has an initial one.
    pub fn is_empty(&self) -> bool {
        self.meta.is_empty()
    }

    /// The number of dependencies.
    pub fn dependencies(&self) -> usize {
        self.succ.targets.len()
    }

    /// The variable asked for.
    pub fn initial_variable(&self) -> u32 {
        self.initial
    }

    /// The signs of the blocks, most significant first.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Sign> + '_ {
        self.blocks.iter().map(|block| block.sign)
    }

    /// The block of a variable.
    pub fn block_of(&self, v: u32) -> u32 {
        self.meta[v as usize] & !AND
    }

    /// The operator of a variable's equation.
    pub fn op_of(&self, v: u32) -> Op {
        if self.meta[v as usize] & AND != 0 { Op::And } else { Op::Or }
    }

    /// The operands of a variable's equation.
    pub fn operands(&self, v: u32) -> &[u32] {
        self.succ.row(v)
    }

    /// A variable's name.
    pub fn name_of(&self, v: u32) -> String {
        match self.names.get(v as usize) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => self.numbered.as_ref().map_or_else(|| format!("X{v}"), |names| names.name(v)),
        }
    }

    /// The name that a variable was given, if it has one.
    pub(crate) fn given_name(&self, v: u32) -> Option<&str> {
        self.names.get(v as usize).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The same system with another variable that is asked for.
    ///
    /// # Panics
    /// When there is no such variable.
    #[must_use]
    pub fn asking(mut self, v: u32) -> Bes {
        assert!((v as usize) < self.len(), "the variable asked for has an equation");
        self.initial = v;
        self
    }

    /// The value of every variable, from all equations; `None` when the watch says stop.
    pub fn solve_globally(&self, watch: &mut Watch<'_>) -> Option<Vec<bool>> {
        if let Some((signs, part_of)) = self.parts() {
            let part_of = |v: u32| part_of[self.blocks[self.block_of(v) as usize].group as usize];
            let parts = Parts::new(self.len(), &signs, part_of);
            return arnold_crubille::solve(self, &parts, part_of, watch);
        }
        let values = closed::solve(self, watch)?;
        Some(values.into_iter().map(|value| value == Value::True).collect())
    }

    /// The value of every variable, and an operand for each whose value one operand decides: together,
    /// they explain every value ([`Bes::explanation`]). `None` when the watch says stop.
    pub fn solve_with_strategy(&self, watch: &mut Watch<'_>) -> Option<(Vec<bool>, Vec<u32>)> {
        let (values, strategy) = closed::solve_how(self, true, watch)?;
        Some((values.into_iter().map(|value| value == Value::True).collect(), strategy))
    }

    /// The same, with the whole system as one parity game, by a given algorithm.
    pub fn solve_as_game(
        &self,
        algorithm: Algorithm,
        watch: &mut Watch<'_>,
    ) -> Option<(Vec<bool>, Vec<u32>)> {
        let places: Vec<(u32, Sign)> =
            (0..self.len() as u32).map(|v| Equations::place(self, v)).collect();
        let game = Game {
            op: (0..self.len() as u32).map(|v| self.op_of(v)).collect(),
            priority: game::priorities(&places),
            succ: self.succ.clone(),
        };
        let progress = crate::Progress {
            variables: self.len() as u64,
            dependencies: self.dependencies() as u64,
            bytes: 60 * self.len() as u64 + 8 * self.dependencies() as u64,
        };
        let solution = game::solve_by(&game, algorithm, &mut || watch(&progress))?;
        Some((solution.value, solution.strategy))
    }

    /// What explains the value of a variable, by the values and operands of
    /// [`Bes::solve_with_strategy`].
    pub fn explanation(&self, of: u32, values: &[bool], strategy: &[u32]) -> Explanation<u32> {
        self.explained_by(vec![of], values, strategy)
    }

    /// What explains the values of some variables, which are the same, and of all that they need.
    fn explained_by(
        &self,
        mut keys: Vec<u32>,
        values: &[bool],
        strategy: &[u32],
    ) -> Explanation<u32> {
        let value = keys.first().is_some_and(|&v| values[v as usize]);
        let mut number: rustc_hash::FxHashMap<u32, u32> =
            keys.iter().enumerate().map(|(i, &v)| (v, i as u32)).collect();
        let mut variables = Vec::with_capacity(keys.len());
        let mut at = 0;
        while let Some(&v) = keys.get(at) {
            at += 1;
            let (rank, sign) = Equations::place(self, v);
            let op = self.op_of(v);
            let chosen = [strategy[v as usize]];
            let row = match op.neutral() != value {
                true if chosen[0] == NONE => &[],
                true => &chosen[..],
                false => self.operands(v),
            };
            let mut operands: Vec<u32> = Vec::with_capacity(row.len());
            for &y in row {
                let next = keys.len() as u32;
                let y = *number.entry(y).or_insert_with(|| {
                    keys.push(y);
                    next
                });
                operands.push(y);
            }
            operands.sort_unstable();
            operands.dedup();
            variables.push(Explained { key: v, op, rank, sign, operands });
        }
        Explanation { value, variables }
    }

    /// Accepts the values of all variables, with an operand for each whose value one operand decides,
    /// or says what is wrong with them. Uses nothing of the solvers ([`check`]).
    pub fn check_all(&mut self, values: &[bool], strategy: &[u32]) -> Result<(), Refutation> {
        for value in [true, false] {
            let keys: Vec<u32> =
                (0..self.len() as u32).filter(|&v| values[v as usize] == value).collect();
            let Some(&first) = keys.first() else { continue };
            let explanation = self.explained_by(keys, values, strategy);
            match check(self, &first, &explanation) {
                Ok(checked) => checked?,
                Err(error) => match error {},
            }
        }
        Ok(())
    }

    /// The groups in the order of their dependencies, neighbours of one sign in one part: the sign
    /// of each part, and the part of each group. `None` if a group has both signs.
    fn parts(&self) -> Option<(Vec<Sign>, Vec<u32>)> {
        let mut signs: Vec<Option<Sign>> = vec![None; self.shapes.len()];
        for block in &self.blocks {
            if *signs[block.group as usize].get_or_insert(block.sign) != block.sign {
                return None;
            }
        }
        let mut parts: Vec<Sign> = Vec::new();
        let mut part_of = Vec::with_capacity(signs.len());
        for sign in signs.into_iter().flatten() {
            if parts.last() != Some(&sign) {
                parts.push(sign);
            }
            part_of.push(parts.len() as u32 - 1);
        }
        Some((parts, part_of))
    }

    /// All equations that `system` needs for its initial variable, as a system in memory.
    ///
    /// Blocks are those of the system, in order; names are the system's.
    pub fn explore<S: System>(
        system: &mut S,
        names: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Bes, SolveError<S::Error>> {
        let first = system.initial().map_err(SolveError::System)?;
        let mut ids: rustc_hash::FxHashMap<S::Key, u32> = rustc_hash::FxHashMap::default();
        ids.insert(first.clone(), 0);
        let mut keys = vec![first];
        let mut rows = Rows { offsets: vec![0], targets: Vec::new() };
        let mut ops = Vec::new();
        let mut operands = Vec::new();
        let mut at = 0;
        let mut progress = crate::Progress::default();
        while at < keys.len() {
            if at.is_multiple_of(1 << 12) {
                progress.variables = at as u64;
                progress.dependencies = rows.targets.len() as u64;
                progress.bytes = (keys.len() * (2 * size_of::<S::Key>() + 16)
                    + rows.targets.len() * 4) as u64
                    + system.bytes();
                if !watch(&progress) {
                    return Err(SolveError::Stopped);
                }
            }
            operands.clear();
            let key = keys[at].clone();
            ops.push(system.equation(&key, &mut operands).map_err(SolveError::System)?);
            for key in &operands {
                let next = keys.len() as u32;
                let id = *ids.entry(key.clone()).or_insert_with(|| {
                    keys.push(key.clone());
                    next
                });
                rows.targets.push(id);
            }
            if keys.len() >= u32::MAX as usize - 300 || rows.targets.len() >= u32::MAX as usize {
                return Err(SolveError::TooLarge);
            }
            rows.offsets.push(rows.targets.len() as u32);
            at += 1;
        }
        let places: Vec<Place> = keys.iter().map(|key| system.place(key)).collect();
        let mut ranks: Vec<(u32, Sign)> = places.iter().map(|p| (p.rank, p.sign)).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let mut builder = BesBuilder::new();
        for &(_, sign) in &ranks {
            builder.block(sign);
        }
        for (v, place) in places.iter().enumerate() {
            let block = ranks.partition_point(|&(rank, _)| rank < place.rank) as u32;
            builder.equation(block, ops[v], rows.row(v as u32).iter().copied());
            if names {
                builder.name(system.name(&keys[v]));
            }
        }
        builder.build(0).map_err(|_| SolveError::TooLarge)
    }

    /// Disjunctive and conjunctive groups, by their equations.
    fn find_shapes(&self) -> Vec<Shape> {
        let groups = self.blocks.iter().map(|block| block.group as usize + 1).max().unwrap_or(0);
        let mut signs: Vec<Option<Sign>> = vec![None; groups];
        // Whether a group may still be disjunctive, conjunctive.
        let mut may = vec![(true, true); groups];
        for block in &self.blocks {
            let group = block.group as usize;
            if *signs[group].get_or_insert(block.sign) != block.sign {
                may[group] = (false, false);
            }
        }
        for v in 0..self.len() as u32 {
            let group = self.blocks[self.block_of(v) as usize].group;
            let (or, and) = &mut may[group as usize];
            let flag = if self.op_of(v) == Op::And { or } else { and };
            if !*flag {
                continue;
            }
            let inside = |&&y: &&u32| self.blocks[self.block_of(y) as usize].group == group;
            *flag = self.operands(v).iter().filter(inside).take(2).count() <= 1;
        }
        may.iter()
            .map(|may| match may {
                (true, _) => Shape::Disjunctive,
                (_, true) => Shape::Conjunctive,
                _ => Shape::General,
            })
            .collect()
    }

    /// The system in mCRL2's text format, one equation a line; blocks in order.
    pub fn to_mcrl2(&self) -> String {
        let mut out = String::from("pbes\n");
        let name = |v: u32| format!("X{v}");
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.blocks.len()];
        for v in 0..self.len() as u32 {
            members[self.block_of(v) as usize].push(v);
        }
        for (sign, members) in self.blocks().zip(members) {
            for v in members {
                _ = write!(out, "{} {} = ", sign.word(), name(v));
                let operands: Vec<String> = self.operands(v).iter().map(|&y| name(y)).collect();
                let joint = if self.op_of(v) == Op::And { " && " } else { " || " };
                match operands.is_empty() {
                    true => _ = write!(out, "{}", self.op_of(v).neutral()),
                    false => out.push_str(&operands.join(joint)),
                }
                out.push(';');
                if let Some(name) = self.names.get(v as usize).filter(|name| !name.is_empty()) {
                    _ = write!(out, " % {}", name.replace(['\n', '\r'], " "));
                }
                out.push('\n');
            }
        }
        _ = writeln!(out, "\ninit {};", name(self.initial));
        out
    }
}

impl Equations for Bes {
    fn succ(&self) -> &Rows {
        &self.succ
    }

    fn op(&self, v: u32) -> Op {
        self.op_of(v)
    }

    fn place(&self, v: u32) -> (u32, Sign) {
        let block = self.block_of(v);
        (block, self.blocks[block as usize].sign)
    }
}

impl System for Bes {
    type Key = u32;
    type Error = std::convert::Infallible;

    fn initial(&mut self) -> Result<u32, Self::Error> {
        Ok(self.initial)
    }

    fn equation(&mut self, &key: &u32, operands: &mut Vec<u32>) -> Result<Op, Self::Error> {
        operands.extend_from_slice(self.operands(key));
        Ok(self.op_of(key))
    }

    fn place(&self, &key: &u32) -> Place {
        let rank = self.block_of(key);
        let Block { sign, group } = self.blocks[rank as usize];
        Place { rank, sign, group }
    }

    fn shape(&self, group: u32) -> Shape {
        self.shapes[group as usize]
    }

    fn name(&self, &key: &u32) -> String {
        self.name_of(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_blocks_are_the_same_by_table_and_by_list() {
        let mut state = 7u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for blocks in [1, 2, 63, 64, 65, 200] {
            let n = 300;
            let meta: Vec<u32> =
                (0..n).map(|_| draw(blocks) | if draw(2) == 0 { AND } else { 0 }).collect();
            let mut succ = Rows { offsets: vec![0], targets: Vec::new() };
            for _ in 0..n {
                let row = draw(5);
                succ.targets.extend((0..row).map(|_| draw(n)));
                succ.offsets.push(succ.targets.len() as u32);
            }
            let pairs = |rows: &Rows| -> Vec<Vec<u32>> {
                (0..blocks).map(|b| rows.row(b).to_vec()).collect()
            };
            let (one, other) =
                (tabled(&meta, &succ, blocks as usize), listed(&meta, &succ, blocks as usize));
            assert_eq!(pairs(&one), pairs(&other), "{blocks} blocks");
        }
    }
}
