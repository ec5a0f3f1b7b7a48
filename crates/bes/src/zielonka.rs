//! Parity games by the recursive algorithm of Zielonka, with its recursion on a stack of our own.
//!
//! A boolean equation system is a parity game: the player *true* owns the disjunctions, the player
//! *false* the conjunctions; who cannot move loses; an infinite play is won by *true* if the most
//! significant block seen infinitely often is a greatest fixpoint. Priorities here: the smallest
//! rules, even ones are greatest fixpoints.

use crate::{Op, Sign};

pub(crate) const NONE: u32 = u32::MAX;

/// A graph in compressed rows.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
}

impl Rows {
    pub(crate) fn row(&self, v: u32) -> &[u32] {
        let (from, to) = (self.offsets[v as usize], self.offsets[v as usize + 1]);
        &self.targets[from as usize..to as usize]
    }

    /// Rows from pairs `(row, target)`, kept in their order within a row.
    pub(crate) fn from_edges(n: usize, edges: &[(u32, u32)]) -> Rows {
        let mut offsets = vec![0u32; n + 1];
        for &(x, _) in edges {
            offsets[x as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; edges.len()];
        for &(x, y) in edges {
            targets[next[x as usize] as usize] = y;
            next[x as usize] += 1;
        }
        Rows { offsets, targets }
    }

    /// The same edges, the other way round.
    pub(crate) fn reversed(&self) -> Rows {
        let n = self.offsets.len() - 1;
        let mut offsets = vec![0u32; n + 1];
        for &y in &self.targets {
            offsets[y as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut targets = vec![0u32; self.targets.len()];
        // `offsets[y]` serves as the cursor of row `y` and ends at the start of row `y + 1`.
        for x in 0..n {
            for &y in self.row(x as u32) {
                let at = &mut offsets[y as usize];
                targets[*at as usize] = x as u32;
                *at += 1;
            }
        }
        offsets.rotate_right(1);
        offsets[0] = 0;
        Rows { offsets, targets }
    }
}

/// A parity game: the owner of each vertex is given by its operator.
pub(crate) struct Game {
    pub(crate) op: Vec<Op>,
    pub(crate) priority: Vec<u32>,
    pub(crate) succ: Rows,
}

/// Priorities from ranks: neighbouring ranks of one sign share a priority.
pub(crate) fn priorities(places: &[(u32, Sign)]) -> Vec<u32> {
    let mut ranks: Vec<(u32, Sign)> = places.to_vec();
    ranks.sort_unstable();
    ranks.dedup();
    let mut priority = Vec::with_capacity(ranks.len());
    let mut last: Option<(u32, Sign)> = None;
    for &(_, sign) in &ranks {
        let p = match last {
            None => u32::from(sign == Sign::Mu),
            Some((p, s)) => p + u32::from(s != sign),
        };
        priority.push(p);
        last = Some((p, sign));
    }
    places
        .iter()
        .map(|place| priority[ranks.binary_search(place).expect("ranks hold all places")])
        .collect()
}

/// Who wins where, and how.
pub(crate) struct Solution {
    /// `true`: the player of disjunctions.
    pub(crate) value: Vec<bool>,
    /// The winner's move at vertices of the winner; meaningless elsewhere.
    pub(crate) strategy: Vec<u32>,
}

struct Frame {
    /// What is still open in the subgame.
    open: Vec<u32>,
    /// Its vertices outside of the attractor, while the frame above solves them.
    rest: Vec<u32>,
    player: bool,
    priority: u32,
}

struct Run<'a> {
    game: &'a Game,
    pred: Rows,
    value: Vec<bool>,
    strategy: Vec<u32>,
    /// The topmost frame that a vertex is open in; [`NONE`] when it is settled there.
    depth: Vec<u32>,
    /// Moves left, while an attractor is computed.
    left: Vec<u32>,
}

/// Solves a game; `None` when `watch` says stop.
pub(crate) fn solve(game: &Game, go_on: &mut dyn FnMut() -> bool) -> Option<Solution> {
    let n = game.op.len();
    let mut run = Run {
        game,
        pred: game.succ.reversed(),
        value: vec![false; n],
        strategy: vec![NONE; n],
        depth: vec![0; n],
        left: vec![0; n],
    };
    // Who cannot move loses: settle what is attracted to dead ends first.
    let mut open: Vec<u32> = (0..n as u32).collect();
    for player in [true, false] {
        let own = if player { Op::Or } else { Op::And };
        let dead = |&v: &u32| game.succ.row(v).is_empty() && game.op[v as usize] != own;
        let seeds: Vec<u32> = (0..n as u32).filter(dead).collect();
        let won = run.attract(seeds, player, 0);
        for &v in &won {
            run.value[v as usize] = player;
            run.depth[v as usize] = NONE;
        }
    }
    open.retain(|&v| run.depth[v as usize] == 0);
    run.recurse(open, go_on)?;
    Some(Solution { value: run.value, strategy: run.strategy })
}

impl Run<'_> {
    fn player(&self, v: u32) -> bool {
        self.game.op[v as usize] == Op::Or
    }

    /// The vertices of the subgame `depth` from which `player` can force a visit to `seeds`,
    /// breadth-first, seeds first; strategies are noted for the rest.
    fn attract(&mut self, seeds: Vec<u32>, player: bool, depth: u32) -> Vec<u32> {
        const IN: u32 = u32::MAX;
        let mut out = seeds;
        for &v in &out {
            self.left[v as usize] = IN;
        }
        let mut at = 0;
        while at < out.len() {
            let y = out[at];
            at += 1;
            for i in self.pred.offsets[y as usize]..self.pred.offsets[y as usize + 1] {
                let x = self.pred.targets[i as usize];
                if self.depth[x as usize] != depth || self.left[x as usize] == IN {
                    continue;
                }
                if self.player(x) == player {
                    self.strategy[x as usize] = y;
                } else {
                    if self.left[x as usize] == 0 {
                        let inside = |&&z: &&u32| self.depth[z as usize] == depth;
                        let moves = self.game.succ.row(x).iter().filter(inside).count();
                        self.left[x as usize] = moves as u32;
                    }
                    self.left[x as usize] -= 1;
                    if self.left[x as usize] > 0 {
                        continue;
                    }
                }
                self.left[x as usize] = IN;
                out.push(x);
            }
        }
        // Counters of vertices that were touched and not attracted must be cleared, too.
        for &y in &out {
            self.left[y as usize] = 0;
            for i in self.pred.offsets[y as usize]..self.pred.offsets[y as usize + 1] {
                self.left[self.pred.targets[i as usize] as usize] = 0;
            }
        }
        out
    }

    fn recurse(&mut self, open: Vec<u32>, go_on: &mut dyn FnMut() -> bool) -> Option<()> {
        let frame = |open| Frame { open, rest: Vec::new(), player: false, priority: 0 };
        let mut frames = vec![frame(open)];
        let mut returned = false;
        while let Some(top) = frames.len().checked_sub(1) {
            if !go_on() {
                return None;
            }
            let depth = top as u32;
            if returned {
                // The subgame of `rest` is solved.
                let Frame { rest, player, priority, .. } = &mut frames[top];
                let (rest, player, priority) = (std::mem::take(rest), *player, *priority);
                let mut lost = Vec::new();
                for &v in &rest {
                    self.depth[v as usize] = depth;
                    if self.value[v as usize] != player {
                        lost.push(v);
                    }
                }
                if lost.is_empty() {
                    for &v in &frames[top].open {
                        self.value[v as usize] = player;
                        if self.game.priority[v as usize] == priority && self.player(v) == player {
                            let inside = |&&y: &&u32| self.depth[y as usize] == depth;
                            let to = self.game.succ.row(v).iter().find(inside);
                            self.strategy[v as usize] = to.copied().unwrap_or(NONE);
                        }
                    }
                    frames.pop();
                    continue;
                }
                for v in self.attract(lost, !player, depth) {
                    self.value[v as usize] = !player;
                    self.depth[v as usize] = NONE;
                }
                let open = &mut frames[top].open;
                open.retain(|&v| self.depth[v as usize] == depth);
            }
            // Begin, or go on with what is left.
            let Some(priority) =
                frames[top].open.iter().map(|&v| self.game.priority[v as usize]).min()
            else {
                frames.pop();
                returned = true;
                continue;
            };
            let player = priority % 2 == 0;
            let is_top = |&v: &u32| self.game.priority[v as usize] == priority;
            let seeds: Vec<u32> = frames[top].open.iter().copied().filter(is_top).collect();
            let attracted = self.attract(seeds, player, depth);
            for &v in &attracted {
                self.left[v as usize] = NONE;
            }
            let outside = |&v: &u32| self.left[v as usize] != NONE;
            let rest: Vec<u32> = frames[top].open.iter().copied().filter(outside).collect();
            for &v in &attracted {
                self.left[v as usize] = 0;
            }
            frames[top].player = player;
            frames[top].priority = priority;
            frames[top].rest = rest.clone();
            if rest.is_empty() {
                returned = true;
                continue;
            }
            for &v in &rest {
                self.depth[v as usize] = depth + 1;
            }
            frames.push(frame(rest));
            returned = false;
        }
        Some(())
    }
}
