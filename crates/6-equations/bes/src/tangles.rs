//! Parity games by tangle learning [tangles].
//!
//! A tangle of a player is a strongly connected part of the game in which he has a strategy that wins
//! every play that stays in it. The other player can only leave it, by its escapes. Rules:
//!
//! TL1: the game is taken apart from its top priority downwards: a region is what its priority's
//!     player attracts to the most significant vertices that are left.
//! TL2: a tangle that lies in what is left is attracted as a whole, where all its escapes that are
//!     left are attracted.
//! TL3: in a region, top vertices from which the other player can leave it downwards, and what leads to
//!     these, are taken away. The bottom components of what remains, with the region's strategy, are
//!     tangles.
//! TL4: a tangle without escapes is won, and so is what is attracted to it. Others are learned.
//! TL5: when the whole game is taken apart, and nothing is won, it is taken apart once more, with what
//!     was learned: at least one tangle was new.

use crate::game::{Arena, Solution, Turn, Work};
use crate::rows::NONE;

/// The region of what is solved.
const GONE: u32 = 0;
/// The region of what is not in one.
const OPEN: u32 = u32::MAX - 1;
/// The region that is computed.
const MARK: u32 = u32::MAX;

struct Tangle {
    player: bool,
    /// Its vertices, and the player's moves at his own.
    vertices: Vec<(u32, u32)>,
    escapes: Vec<u32>,
    /// The attractor that it was counted for, and the escapes that are left to it.
    left: (u64, u32),
    /// The round in which it is out of reach.
    lost: u64,
}

/// A run that can be interrupted.
pub(crate) struct Tangles<'a> {
    arena: Arena<'a>,
    region: Vec<u32>,
    strategy: Vec<u32>,
    value: Vec<bool>,
    /// The attractor that a vertex was counted for, and the moves that are left to it.
    left: Vec<(u64, u32)>,
    attractors: u64,
    tangles: Vec<Tangle>,
    /// The tangles that a vertex is an escape of.
    of_escape: Vec<Vec<u32>>,
    /// The vertices that are not solved, most significant first.
    order: Vec<u32>,
    /// Where in the order the next region begins, and its number.
    at: usize,
    regions: u32,
    rounds: u64,
    /// What was found to be won in this round.
    won: [Vec<u32>; 2],
    /// For searches in a region.
    index: Vec<u32>,
    low: Vec<u32>,
}

impl<'a> Tangles<'a> {
    /// Begins.
    pub(crate) fn new(arena: Arena<'a>) -> Tangles<'a> {
        let n = arena.game.op.len();
        let mut region = vec![GONE; n];
        for &v in arena.order {
            region[v as usize] = OPEN;
        }
        Tangles {
            arena,
            region,
            strategy: vec![NONE; n],
            value: vec![false; n],
            left: vec![(0, 0); n],
            attractors: 0,
            tangles: Vec::new(),
            of_escape: vec![Vec::new(); n],
            order: arena.order.to_vec(),
            at: 0,
            regions: 1,
            rounds: 1,
            won: [Vec::new(), Vec::new()],
            index: vec![0; n],
            low: vec![0; n],
        }
    }

    /// Tells who wins where; to be called when all is done.
    pub(crate) fn tell(&self, solution: &mut Solution) {
        for &v in self.arena.order {
            solution.value[v as usize] = self.value[v as usize];
            solution.strategy[v as usize] = self.strategy[v as usize];
        }
    }

    /// Goes on.
    pub(crate) fn turn(&mut self, work: &mut Work<'_>) -> Turn {
        loop {
            if let Some(turn) = work.over() {
                return turn;
            }
            let start = self.at;
            while self.at < self.order.len() && self.region[self.order[self.at] as usize] != OPEN {
                self.at += 1;
            }
            work.done(1 + (self.at - start) / 4);
            if self.at < self.order.len() {
                self.next_region(work);
            } else if !self.round(work) {
                return Turn::Done;
            }
        }
    }

    /// Ends a round; `false` if nothing is left.
    fn round(&mut self, work: &mut Work<'_>) -> bool {
        for &v in &self.order {
            self.region[v as usize] = OPEN;
        }
        work.done(self.order.len() / 4);
        self.rounds += 1;
        let [odd, even] = std::mem::take(&mut self.won);
        if !odd.is_empty() || !even.is_empty() {
            for (won, player) in [(odd, false), (even, true)] {
                for v in self.attract(won, player, GONE, work) {
                    self.value[v as usize] = player;
                }
            }
            self.order.retain(|&v| self.region[v as usize] == OPEN);
            self.forget();
        }
        self.at = 0;
        self.regions = 1;
        !self.order.is_empty()
    }

    /// Drops tangles of which something is solved.
    fn forget(&mut self) {
        let region = &self.region;
        let all_there = |t: &Tangle| t.vertices.iter().all(|&(v, _)| region[v as usize] != GONE);
        let before = self.tangles.len();
        self.tangles.retain(all_there);
        if self.tangles.len() == before {
            return;
        }
        for &v in self.arena.order {
            self.of_escape[v as usize].clear();
        }
        for (i, tangle) in self.tangles.iter().enumerate() {
            for &w in &tangle.escapes {
                self.of_escape[w as usize].push(i as u32);
            }
        }
    }

    /// TL1 and TL3 for the next region.
    fn next_region(&mut self, work: &mut Work<'_>) {
        let game = self.arena.game;
        let priority = game.priority[self.order[self.at] as usize];
        let mut tops = Vec::new();
        while let Some(&v) = self.order.get(self.at)
            && game.priority[v as usize] == priority
        {
            if self.region[v as usize] == OPEN {
                tops.push(v);
            }
            self.at += 1;
        }
        let player = priority.is_multiple_of(2);
        let count = tops.len();
        self.regions += 1;
        let number = self.regions;
        let members = self.attract(tops, player, number, work);
        self.learn(&members, count, player, number, work);
    }

    /// The vertices that are left from which `player` can force a visit to `tops`, which come first;
    /// they get a region. Strategies are noted for the rest.
    fn attract(
        &mut self,
        tops: Vec<u32>,
        player: bool,
        number: u32,
        work: &mut Work<'_>,
    ) -> Vec<u32> {
        let Arena { game, pred, .. } = self.arena;
        self.attractors += 1;
        let id = self.attractors;
        let mut out = tops;
        for &v in &out {
            self.region[v as usize] = MARK;
        }
        let mut at = 0;
        while let Some(&y) = out.get(at) {
            at += 1;
            let row = pred.row(y);
            work.done(row.len() + 1);
            for &x in row {
                if self.region[x as usize] != OPEN {
                    continue;
                }
                if game.player(x) == player {
                    self.strategy[x as usize] = y;
                } else {
                    let left = &mut self.left[x as usize];
                    if left.0 != id {
                        let row = game.succ.row(x);
                        work.done(row.len());
                        let inside = row.iter().filter(|&&z| self.region[z as usize] >= OPEN);
                        *left = (id, inside.count() as u32);
                    }
                    left.1 -= 1;
                    if left.1 > 0 {
                        continue;
                    }
                }
                self.region[x as usize] = MARK;
                out.push(x);
            }
            for i in 0..self.of_escape[y as usize].len() {
                let t = self.of_escape[y as usize][i];
                if self.tangles[t as usize].player == player {
                    self.attract_tangle(t, id, &mut out, work);
                }
            }
        }
        for &v in &out {
            self.region[v as usize] = number;
        }
        out
    }

    /// TL2: one more escape of a tangle is attracted.
    fn attract_tangle(&mut self, t: u32, id: u64, out: &mut Vec<u32>, work: &mut Work<'_>) {
        let tangle = &mut self.tangles[t as usize];
        if tangle.lost == self.rounds {
            return;
        }
        let inside = |v: u32| self.region[v as usize] >= OPEN;
        if tangle.left.0 != id {
            work.done(tangle.vertices.len() + tangle.escapes.len());
            // What is in a region above stays there for the round.
            if !tangle.vertices.iter().all(|&(v, _)| inside(v)) {
                tangle.lost = self.rounds;
                return;
            }
            let left = tangle.escapes.iter().filter(|&&w| inside(w)).count();
            tangle.left = (id, left as u32);
        }
        tangle.left.1 -= 1;
        if tangle.left.1 > 0 {
            return;
        }
        for &(v, to) in &tangle.vertices {
            if self.region[v as usize] == OPEN {
                self.region[v as usize] = MARK;
                self.strategy[v as usize] = to;
                out.push(v);
            }
        }
    }

    /// TL3 and TL4: the tangles of a region, whose first `tops` members are its top vertices.
    fn learn(
        &mut self,
        members: &[u32],
        tops: usize,
        player: bool,
        number: u32,
        work: &mut Work<'_>,
    ) {
        const OUT: u32 = u32::MAX;
        let Arena { game, pred, .. } = self.arena;
        let mut gone: Vec<u32> = Vec::new();
        for &v in &members[..tops] {
            let row = game.succ.row(v);
            work.done(row.len());
            let here = row.iter().filter(|&&y| self.region[y as usize] == number).count() as u32;
            let leaves = match game.player(v) == player {
                true => here == 0,
                false => row.iter().any(|&y| self.region[y as usize] == OPEN),
            };
            self.low[v as usize] = here;
            if leaves {
                gone.push(v);
            }
        }
        if gone.len() == tops {
            return;
        }
        for &v in members {
            self.index[v as usize] = 0;
        }
        for &v in &gone {
            self.index[v as usize] = OUT;
        }
        // Top vertices of the player may go where they want, as long as something remains.
        for &v in &members[..tops] {
            self.strategy[v as usize] = NONE;
        }
        let mut at = 0;
        while let Some(&y) = gone.get(at) {
            at += 1;
            work.done(pred.row(y).len());
            for &x in pred.row(y) {
                if self.region[x as usize] != number || self.index[x as usize] == OUT {
                    continue;
                }
                if game.player(x) == player {
                    let to = self.strategy[x as usize];
                    if to == NONE {
                        self.low[x as usize] -= 1;
                        if self.low[x as usize] > 0 {
                            continue;
                        }
                    } else if to != y {
                        continue;
                    }
                }
                self.index[x as usize] = OUT;
                gone.push(x);
            }
        }
        for &v in &members[..tops] {
            if game.player(v) == player && self.index[v as usize] != OUT {
                let stays =
                    |&&y: &&u32| self.region[y as usize] == number && self.index[y as usize] != OUT;
                let to = game.succ.row(v).iter().find(stays);
                self.strategy[v as usize] = to.copied().unwrap_or(NONE);
            }
        }
        for component in self.bottom(members, player, number, work) {
            self.found(component, player, number, work);
        }
    }

    /// The bottom components of those members of a region that are not [`NONE`] in `index`, by the
    /// player's strategy (Tarjan).
    fn bottom(
        &mut self,
        members: &[u32],
        player: bool,
        number: u32,
        work: &mut Work<'_>,
    ) -> Vec<Vec<u32>> {
        let game = self.arena.game;
        let mut found = Vec::new();
        let mut count = 0;
        let mut stack: Vec<u32> = Vec::new();
        // A vertex, the next of its moves, and whether one of them led to another component.
        let mut frames: Vec<(u32, u32, bool)> = Vec::new();
        for &root in members {
            if self.index[root as usize] != 0 {
                continue;
            }
            frames.push((root, 0, false));
            while let Some(&mut (x, ref mut next, ref mut leaves)) = frames.last_mut() {
                if *next == 0 {
                    count += 1;
                    self.index[x as usize] = count;
                    self.low[x as usize] = count;
                    stack.push(x);
                }
                let y = match game.player(x) == player {
                    true => (*next == 0).then(|| self.strategy[x as usize]),
                    false => game.succ.row(x).get(*next as usize).copied(),
                };
                *next += 1;
                if let Some(y) = y {
                    if self.region[y as usize] != number {
                        continue;
                    }
                    match self.index[y as usize] {
                        0 => frames.push((y, 0, false)),
                        // Its component is complete.
                        NONE => *leaves = true,
                        index => self.low[x as usize] = self.low[x as usize].min(index),
                    }
                    continue;
                }
                work.done(*next as usize);
                let leaves = *leaves;
                frames.pop();
                let root = self.low[x as usize] == self.index[x as usize];
                if let Some((parent, _, parent_leaves)) = frames.last_mut() {
                    let low = self.low[x as usize];
                    self.low[*parent as usize] = self.low[*parent as usize].min(low);
                    *parent_leaves |= root || leaves;
                }
                if root {
                    let from = stack.iter().rposition(|&v| v == x).unwrap_or(0);
                    let component = stack.split_off(from);
                    for &v in &component {
                        self.index[v as usize] = NONE;
                    }
                    if !leaves {
                        found.push(component);
                    }
                }
            }
        }
        found
    }

    /// TL4.
    fn found(&mut self, component: Vec<u32>, player: bool, number: u32, work: &mut Work<'_>) {
        let game = self.arena.game;
        // `MARK` is nobody's region now: it tells what is in the tangle, or is an escape already.
        for &v in &component {
            self.region[v as usize] = MARK;
        }
        let mut escapes = Vec::new();
        for &v in component.iter().filter(|&&v| game.player(v) != player) {
            work.done(game.succ.row(v).len());
            for &y in game.succ.row(v) {
                let region = self.region[y as usize];
                if region != GONE && region != MARK {
                    escapes.push((y, region));
                    self.region[y as usize] = MARK;
                }
            }
        }
        for &(y, region) in &escapes {
            self.region[y as usize] = region;
        }
        for &v in &component {
            self.region[v as usize] = number;
        }
        if escapes.is_empty() {
            self.won[usize::from(player)].extend(component);
            return;
        }
        let id = self.tangles.len() as u32;
        for &(w, _) in &escapes {
            self.of_escape[w as usize].push(id);
        }
        let with_move = |v: u32| (v, self.strategy[v as usize]);
        self.tangles.push(Tangle {
            player,
            vertices: component.into_iter().map(with_move).collect(),
            escapes: escapes.into_iter().map(|(w, _)| w).collect(),
            left: (0, 0),
            lost: 0,
        });
    }
}
