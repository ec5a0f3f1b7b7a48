//! Parity games by the recursive algorithm of Zielonka, with its recursion on a stack of our own.
//!
//! The vertices are sorted once. A frame of the recursion touches what it attracts, not what it
//! leaves to the frame above: a game with as many priorities as vertices is no worse than others.
//! The second recursion is left out where the opponent attracts nothing beyond what he has won: then
//! the rest of the subgame has no way out of it, and its top priority's player wins all of it.

use crate::game::{Arena, Solution, Turn, Work};
use crate::rows::NONE;

/// The level of a vertex that no frame has attracted.
const OPEN: u32 = u32::MAX - 1;
/// The level of a vertex in the attractor that is computed.
const MARK: u32 = u32::MAX;

struct Frame {
    /// Where in the order the subgame's first vertex may be.
    at: usize,
    /// The attractor of its top vertices, which come first.
    region: Vec<u32>,
    /// How many top vertices there are.
    tops: usize,
    /// The player whom the top priority serves.
    player: bool,
    /// What is settled of the subgame, for each player.
    won: [Vec<u32>; 2],
}

/// A run that can be interrupted.
pub(crate) struct Zielonka<'a> {
    arena: Arena<'a>,
    /// The frame, counted from 1, that attracted a vertex; one less where a frame has settled it.
    /// The subgame of frame `k` is what has at least level `k`.
    level: Vec<u32>,
    /// The attractor that a vertex was counted for, and the moves that are left to it.
    left: Vec<(u32, u32)>,
    attractors: u32,
    strategy: Vec<u32>,
    frames: Vec<Frame>,
    /// What each player wins in the subgame that was solved last.
    won: [Vec<u32>; 2],
    /// Whether that is the one above the topmost frame.
    returned: bool,
}

impl<'a> Zielonka<'a> {
    /// Begins.
    pub(crate) fn new(arena: Arena<'a>) -> Zielonka<'a> {
        let n = arena.game.op.len();
        let mut level = vec![0; n];
        for &v in arena.order {
            level[v as usize] = OPEN;
        }
        Zielonka {
            arena,
            level,
            left: vec![(0, 0); n],
            attractors: 0,
            strategy: vec![NONE; n],
            frames: vec![Frame::new(0)],
            won: [Vec::new(), Vec::new()],
            returned: false,
        }
    }

    /// Tells who wins where; to be called when all is done.
    pub(crate) fn tell(&self, solution: &mut Solution) {
        for player in [false, true] {
            for &v in &self.won[usize::from(player)] {
                solution.value[v as usize] = player;
                solution.strategy[v as usize] = self.strategy[v as usize];
            }
        }
    }

    /// Goes on.
    pub(crate) fn turn(&mut self, work: &mut Work<'_>) -> Turn {
        while !self.frames.is_empty() {
            if let Some(turn) = work.over() {
                return turn;
            }
            if self.returned {
                self.after(work);
            } else {
                self.begin(work);
            }
        }
        Turn::Done
    }

    /// Attracts to the top vertices of the open subgame, and leaves the rest to a frame above.
    fn begin(&mut self, work: &mut Work<'_>) {
        let Arena { game, order, .. } = self.arena;
        let k = self.frames.len() as u32;
        let Some(frame) = self.frames.last_mut() else { return };
        let start = frame.at;
        while frame.at < order.len() && self.level[order[frame.at] as usize] != OPEN {
            frame.at += 1;
        }
        work.done(1 + (frame.at - start) / 4);
        let Some(&first) = order.get(frame.at) else {
            self.won = std::mem::take(&mut frame.won);
            self.frames.pop();
            self.returned = true;
            return;
        };
        let priority = game.priority[first as usize];
        let mut end = frame.at;
        let mut tops = Vec::new();
        while let Some(&v) = order.get(end).filter(|&&v| game.priority[v as usize] == priority) {
            if self.level[v as usize] == OPEN {
                tops.push(v);
            }
            end += 1;
        }
        work.done((end - frame.at) / 4);
        let player = priority.is_multiple_of(2);
        frame.player = player;
        frame.tops = tops.len();
        let region = self.attract(tops, player, k, k, work);
        if let Some(frame) = self.frames.last_mut() {
            frame.region = region;
        }
        self.frames.push(Frame::new(end));
    }

    /// The frame above has solved what the attractor left.
    fn after(&mut self, work: &mut Work<'_>) {
        let k = self.frames.len() as u32;
        let Some(frame) = self.frames.last_mut() else { return };
        let (player, tops) = (frame.player, frame.tops);
        let region = std::mem::take(&mut frame.region);
        let [lost, mut kept] = match player {
            true => std::mem::take(&mut self.won),
            false => {
                let [kept, lost] = std::mem::take(&mut self.won);
                [lost, kept]
            }
        };
        if !lost.is_empty() {
            let before = lost.len();
            let mut lost = self.attract(lost, !player, k, k - 1, work);
            let more = lost.len() > before;
            let Some(frame) = self.frames.last_mut() else { return };
            append(&mut frame.won[usize::from(!player)], &mut lost);
            if more {
                work.done((region.len() + kept.len()) / 4);
                for &v in region.iter().chain(&kept) {
                    let level = &mut self.level[v as usize];
                    if *level >= k {
                        *level = OPEN;
                    }
                }
                self.returned = false;
                return;
            }
        }
        let game = self.arena.game;
        for &v in &region[..tops] {
            if game.player(v) == player {
                let row = game.succ.row(v);
                let to = row.iter().find(|&&y| self.level[y as usize] >= k);
                self.strategy[v as usize] = to.copied().unwrap_or(NONE);
            }
        }
        append(&mut kept, &mut { region });
        let Some(frame) = self.frames.pop() else { return };
        self.won = frame.won;
        append(&mut self.won[usize::from(player)], &mut kept);
    }

    /// The vertices of the subgame `k` from which `player` can force a visit to `tops`, which come
    /// first; they get the level `to`. Strategies are noted for the rest.
    fn attract(
        &mut self,
        tops: Vec<u32>,
        player: bool,
        k: u32,
        to: u32,
        work: &mut Work<'_>,
    ) -> Vec<u32> {
        let Arena { game, pred, .. } = self.arena;
        self.attractors = self.attractors.wrapping_add(1);
        if self.attractors == 0 {
            self.left.fill((0, 0));
            self.attractors = 1;
        }
        let id = self.attractors;
        let mut out = tops;
        for &v in &out {
            self.level[v as usize] = MARK;
        }
        let mut at = 0;
        while let Some(&y) = out.get(at) {
            at += 1;
            let row = pred.row(y);
            work.done(row.len() + 1);
            for &x in row {
                let level = self.level[x as usize];
                if level < k || level == MARK {
                    continue;
                }
                if game.player(x) == player {
                    self.strategy[x as usize] = y;
                } else {
                    let left = &mut self.left[x as usize];
                    if left.0 != id {
                        let row = game.succ.row(x);
                        work.done(row.len());
                        let inside = row.iter().filter(|&&z| self.level[z as usize] >= k);
                        *left = (id, inside.count() as u32);
                    }
                    left.1 -= 1;
                    if left.1 > 0 {
                        continue;
                    }
                }
                self.level[x as usize] = MARK;
                out.push(x);
            }
        }
        for &v in &out {
            self.level[v as usize] = to;
        }
        out
    }
}

impl Frame {
    fn new(at: usize) -> Frame {
        let won = [Vec::new(), Vec::new()];
        Frame { at, region: Vec::new(), tops: 0, player: false, won }
    }
}

/// Moves all of `more` to `to`, the shorter to the longer one.
fn append(to: &mut Vec<u32>, more: &mut Vec<u32>) {
    if more.len() > to.len() {
        std::mem::swap(to, more);
    }
    to.append(more);
}
