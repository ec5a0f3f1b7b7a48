//! Reordering by sifting (Rudell): each block of variables in turn visits every place among
//! the others and stays where the diagrams are smallest.
//!
//! Two neighbouring levels are swapped in place: a node keeps its index and its function, so
//! the handles of all functions stay valid. Nodes have no reference counts in normal
//! operation; the sifter counts afresh, and frees what a swap leaves unreferenced at once, for
//! the size of the table is what it steers by.

use rustc_hash::FxHashSet;

use crate::edge::Bdd;
use crate::manager::{Manager, Stop, check_var};

/// A block stops going in a direction when the table has grown by this factor over the best
/// size that the block has seen.
const MAX_GROWTH: f64 = 1.2;

impl Manager {
    /// Looks for a better order of the variables, and gives the number of nodes left.
    ///
    /// The variables of a group end up side by side, in the order that they have now, and move
    /// together; a variable that is named twice belongs to the first group that names it.
    /// Every other variable of the roots moves alone. Variables which are neither in a group
    /// nor in a root keep their place.
    ///
    /// Like [`gc`](Manager::gc), it makes all handles stale that are neither roots nor parts
    /// of one. Roots and specs keep their meaning. After a [`Stop`] this is so too, but the
    /// order is one met on the way, in which a group may be torn.
    ///
    /// # Panics
    /// If a number in a group exceeds [`MAX_VAR`](crate::MAX_VAR).
    pub fn reorder_sift(
        &mut self,
        roots: impl IntoIterator<Item = Bdd>,
        groups: &[Vec<u32>],
    ) -> Result<usize, Stop> {
        let roots: Vec<Bdd> = roots.into_iter().collect();
        self.gc(roots.iter().copied());
        // 4 bytes each for a count, a position, and the entry in a level.
        if !self.may_grow(12 * self.table.slots()) {
            return Err(Stop::Nodes);
        }
        self.computed.clear();
        self.reorderings += 1;
        let mut vars: FxHashSet<u32> =
            self.table.indices().map(|i| self.order.var(self.table.at(i).level)).collect();
        for &var in groups.iter().flatten() {
            check_var(var);
            vars.insert(var);
        }
        let mut vars: Vec<u32> = vars.into_iter().collect();
        vars.sort_unstable_by_key(|&var| self.order.level(var));
        let levels: Vec<u32> = vars.iter().map(|&var| self.order.level(var)).collect();
        let blocks = blocks(&vars, groups);

        let mut sifter = Sifter::new(self, vars, &levels, &roots);
        let outcome = sifter.gather(&blocks).and_then(|()| sifter.sift(blocks));
        let vars = sifter.vars;
        self.table.relabel(|position| levels[position as usize]);
        self.order.assign(&vars, &levels);
        self.specs.reorder(&self.order);
        self.survivors = self.table.len();
        outcome.map(|()| self.table.len())
    }
}

/// The groups and the single variables, each with its variables in the order of `vars`, in the
/// order of their topmost variables.
fn blocks(vars: &[u32], groups: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut group_of = rustc_hash::FxHashMap::default();
    for (g, group) in groups.iter().enumerate() {
        for &var in group {
            group_of.entry(var).or_insert(g);
        }
    }
    let mut blocks: Vec<Vec<u32>> = Vec::new();
    let mut block_of_group = vec![None; groups.len()];
    for &var in vars {
        let group = group_of.get(&var);
        match group.and_then(|&g| block_of_group[g]) {
            Some(block) => {
                let block: &mut Vec<u32> = &mut blocks[block as usize];
                block.push(var);
            }
            None => {
                if let Some(&g) = group {
                    block_of_group[g] = Some(blocks.len() as u32);
                }
                blocks.push(vec![var]);
            }
        }
    }
    blocks
}

/// Where the block that is being sifted stands: its place among the blocks, and the position of
/// its first variable.
struct Walk {
    at: usize,
    start: usize,
}

/// The state between swaps. Positions `0..vars.len()` stand in for the levels meanwhile, so
/// that what is kept per level is an array.
///
/// Invariant 1: the level of a node is its position, and `members[position][place[node]]` is
/// the node.
/// Invariant 2: `refs[node]` counts the edges to the node from nodes and roots. No node but
/// the terminal has a count of 0.
/// Invariant 3: `vars[position]` is the variable of that position.
struct Sifter<'a> {
    m: &'a mut Manager,
    vars: Vec<u32>,
    members: Vec<Vec<u32>>,
    place: Vec<u32>,
    refs: Vec<u32>,
}

impl Sifter<'_> {
    /// Takes over a table that contains nothing but the nodes of the roots.
    fn new<'a>(m: &'a mut Manager, vars: Vec<u32>, levels: &[u32], roots: &[Bdd]) -> Sifter<'a> {
        m.table.relabel(|level| levels.partition_point(|&l| l < level) as u32);
        let slots = m.table.slots();
        let mut members = vec![Vec::new(); vars.len()];
        let mut place = vec![0; slots];
        let mut refs = vec![0; slots];
        for i in m.table.indices() {
            let n = m.table.at(i);
            let level: &mut Vec<u32> = &mut members[n.level as usize];
            place[i as usize] = level.len() as u32;
            level.push(i);
            for child in [n.lo, n.hi] {
                refs[child.index() as usize] += 1;
            }
        }
        for root in roots {
            refs[root.index() as usize] += 1;
        }
        Sifter { m, vars, members, place, refs }
    }

    /// Brings the variables into the order of the blocks.
    fn gather(&mut self, blocks: &[Vec<u32>]) -> Result<(), Stop> {
        for (target, &var) in blocks.iter().flatten().enumerate() {
            let from = self.vars.iter().position(|&v| v == var).expect("blocks hold all variables");
            for position in (target..from).rev() {
                self.swap(position)?;
            }
        }
        Ok(())
    }

    /// Sifts every block once, the largest first.
    fn sift(&mut self, mut blocks: Vec<Vec<u32>>) -> Result<(), Stop> {
        let mut start = 0;
        let mut by_size: Vec<(usize, u32)> = Vec::new();
        for block in &blocks {
            let size = self.members[start..start + block.len()].iter().map(Vec::len).sum();
            by_size.push((size, block[0]));
            start += block.len();
        }
        by_size.sort_by_key(|&(size, _)| std::cmp::Reverse(size)); // stable: ties keep the order
        for (size, first) in by_size {
            // A block without nodes leaves the size as it is, wherever it goes.
            if size > 0 {
                let at = blocks.iter().position(|b| b[0] == first).expect("blocks only move");
                self.sift_block(&mut blocks, at)?;
            }
        }
        Ok(())
    }

    fn sift_block(&mut self, blocks: &mut [Vec<u32>], at: usize) -> Result<(), Stop> {
        let mut walk = Walk { at, start: blocks[..at].iter().map(Vec::len).sum() };
        let (mut best, mut best_at) = (self.m.table.len(), at);
        let last = blocks.len() - 1;
        // To the nearer end first, since the way back is walked twice.
        let down_first = last - at < at;
        for down in [down_first, !down_first] {
            while walk.at != if down { last } else { 0 } {
                self.step(blocks, &mut walk, down)?;
                let size = self.m.table.len();
                if size < best {
                    (best, best_at) = (size, walk.at);
                } else if size as f64 > best as f64 * MAX_GROWTH {
                    break;
                }
            }
        }
        while walk.at != best_at {
            let down = walk.at < best_at;
            self.step(blocks, &mut walk, down)?;
        }
        Ok(())
    }

    /// Exchanges the walking block with its neighbour.
    fn step(&mut self, blocks: &mut [Vec<u32>], walk: &mut Walk, down: bool) -> Result<(), Stop> {
        if down {
            self.swap_blocks(walk.start, blocks[walk.at].len(), blocks[walk.at + 1].len())?;
            blocks.swap(walk.at, walk.at + 1);
            walk.start += blocks[walk.at].len();
            walk.at += 1;
        } else {
            let above = blocks[walk.at - 1].len();
            self.swap_blocks(walk.start - above, above, blocks[walk.at].len())?;
            blocks.swap(walk.at - 1, walk.at);
            walk.start -= above;
            walk.at -= 1;
        }
        Ok(())
    }

    /// Exchanges the `upper` variables from position `start` on with the `lower` ones below.
    fn swap_blocks(&mut self, start: usize, upper: usize, lower: usize) -> Result<(), Stop> {
        for moved in 0..lower {
            for position in (start + moved..start + moved + upper).rev() {
                self.swap(position)?;
            }
        }
        Ok(())
    }

    /// Exchanges the variables at `position` and below. Stops before it changes anything, if
    /// it has to.
    ///
    /// With x above y before: nodes of y rise with their children unchanged, nodes of x that
    /// do not point to y sink likewise. A node of x that points to y turns into one of y,
    /// `x ? (y ? f11 : f10) : (y ? f01 : f00)` into `y ? (x ? f11 : f01) : (x ? f10 : f00)`. It
    /// keeps its polarity: f11 is the `hi` of a `hi`, hence regular, and so is the new `hi`.
    fn swap(&mut self, position: usize) -> Result<(), Stop> {
        self.m.poll()?;
        let (above, below) = (position as u32, position as u32 + 1);
        let table = &self.m.table;
        let points_below = |&i: &u32| {
            let n = table.at(i);
            table.level(n.lo) == below || table.level(n.hi) == below
        };
        let (rewritten, sinking): (Vec<u32>, Vec<u32>) =
            self.members[position].iter().partition(|i| points_below(i));
        self.reserve(2 * rewritten.len())?;

        self.vars.swap(position, position + 1);
        let rising = std::mem::take(&mut self.members[position + 1]);
        self.members[position].clear();
        for &i in rewritten.iter().chain(&sinking).chain(&rising) {
            self.m.table.unlink(i);
        }
        for (nodes, level) in [(&sinking, below), (&rising, above)] {
            for &i in nodes {
                let n = *self.m.table.at(i);
                self.m.table.replace(i, level, n.lo, n.hi);
                self.enter(i, level);
            }
        }
        for i in rewritten {
            let n = *self.m.table.at(i);
            let (f00, f01) = self.cofactors_at(n.lo, above);
            let (f10, f11) = self.cofactors_at(n.hi, above);
            let hi = self.child(below, f01, f11);
            let lo = self.child(below, f00, f10);
            self.m.table.replace(i, above, lo, hi);
            self.enter(i, above);
            self.drop_edge(n.lo);
            self.drop_edge(n.hi);
        }
        Ok(())
    }

    /// Makes room for so many nodes.
    fn reserve(&mut self, nodes: usize) -> Result<(), Stop> {
        while self.m.table.room() < nodes {
            if self.m.table.len() + nodes > self.m.table.limit() {
                return Err(Stop::Nodes);
            }
            self.m.enlarge()?;
        }
        Ok(())
    }

    fn cofactors_at(&self, f: Bdd, level: u32) -> (Bdd, Bdd) {
        crate::apply::cofactors(f, self.m.table.node(f), level)
    }

    fn enter(&mut self, index: u32, level: u32) {
        let members = &mut self.members[level as usize];
        self.place[index as usize] = members.len() as u32;
        members.push(index);
    }

    /// A new edge to `if level then hi else lo`.
    fn child(&mut self, level: u32, lo: Bdd, hi: Bdd) -> Bdd {
        let before = self.m.table.len();
        let f = self.m.make(level, lo, hi).expect("`swap` reserves room for all children");
        let index = f.index() as usize;
        if self.m.table.len() > before {
            if index >= self.refs.len() {
                self.refs.resize(index + 1, 0);
                self.place.resize(index + 1, 0);
            }
            debug_assert_eq!(self.refs[index], 0);
            self.enter(f.index(), level);
            self.refs[lo.index() as usize] += 1;
            self.refs[hi.index() as usize] += 1;
            self.m.peak = self.m.peak.max(before + 1);
        }
        self.refs[index] += 1;
        f
    }

    /// Removes an edge, and every node that is left without one.
    fn drop_edge(&mut self, f: Bdd) {
        let mut work = vec![f.index()];
        while let Some(i) = work.pop() {
            let refs = &mut self.refs[i as usize];
            *refs -= 1;
            if *refs > 0 || i == 0 {
                continue;
            }
            let n = *self.m.table.at(i);
            let place = self.place[i as usize];
            let members = &mut self.members[n.level as usize];
            members.swap_remove(place as usize);
            if let Some(&moved) = members.get(place as usize) {
                self.place[moved as usize] = place;
            }
            self.m.table.release(i);
            work.push(n.lo.index());
            work.push(n.hi.index());
        }
    }
}
