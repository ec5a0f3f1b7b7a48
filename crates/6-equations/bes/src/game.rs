//! Parity games, and who solves them.
//!
//! A boolean equation system is a parity game: the player *true* owns the disjunctions, the player
//! *false* the conjunctions; who cannot move loses; an infinite play is won by *true* if the most
//! significant block seen infinitely often is a greatest fixpoint. Priorities here: the smallest
//! rules, even ones are greatest fixpoints.
//!
//! Zielonka's recursion is fast where games come from formulas, and exponential on some families;
//! tangle learning is polynomial on most of these. Both work in turns, on slices that double: the
//! first answer counts, and costs little more than twice what the faster one needs alone.

use crate::rows::{NONE, Rows};
use crate::tangles::Tangles;
use crate::zielonka::Zielonka;
use crate::{Op, Sign};

/// A parity game: the owner of each vertex is given by its operator.
pub(crate) struct Game {
    pub(crate) op: Vec<Op>,
    pub(crate) priority: Vec<u32>,
    pub(crate) succ: Rows,
}

impl Game {
    /// Whether the vertex is the player *true*'s.
    pub(crate) fn player(&self, v: u32) -> bool {
        self.op[v as usize] == Op::Or
    }
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

/// What an algorithm works on: a game in which everybody can move, or that part of one.
#[derive(Clone, Copy)]
pub(crate) struct Arena<'a> {
    pub(crate) game: &'a Game,
    /// The moves, the other way round.
    pub(crate) pred: &'a Rows,
    /// The vertices of the part, most significant first.
    pub(crate) order: &'a [u32],
}

/// How a turn of an algorithm ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// All is solved.
    Done,
    /// The work that was granted is done.
    Used,
    /// Somebody said stop.
    Stopped,
}

/// Counts what an algorithm does in its turn.
pub(crate) struct Work<'w> {
    left: u64,
    asked: u64,
    go_on: &'w mut dyn FnMut() -> bool,
}

/// How much work there is between two looks at the watch.
const BETWEEN: u64 = 1 << 16;

impl<'w> Work<'w> {
    /// So many moves may be looked at.
    pub(crate) fn new(granted: u64, go_on: &'w mut dyn FnMut() -> bool) -> Work<'w> {
        Work { left: granted, asked: granted, go_on }
    }

    /// So many moves were looked at.
    pub(crate) fn done(&mut self, moves: usize) {
        self.left = self.left.saturating_sub(moves as u64);
    }

    /// Whether the turn is over.
    pub(crate) fn over(&mut self) -> Option<Turn> {
        if self.asked - self.left >= BETWEEN {
            self.asked = self.left;
            if !(self.go_on)() {
                return Some(Turn::Stopped);
            }
        }
        (self.left == 0).then_some(Turn::Used)
    }
}

/// Which algorithm solves a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// Zielonka's recursion.
    Recursion,
    /// Tangle learning.
    Tangles,
    /// Both, in turns.
    Turns,
}

/// Solves a game; `None` when `go_on` says stop.
pub(crate) fn solve(game: &Game, go_on: &mut dyn FnMut() -> bool) -> Option<Solution> {
    solve_by(game, Algorithm::Turns, go_on)
}

/// The same by a given algorithm.
pub(crate) fn solve_by(
    game: &Game,
    algorithm: Algorithm,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Solution> {
    let pred = game.succ.reversed();
    let n = game.op.len();
    let mut solution = Solution { value: vec![false; n], strategy: vec![NONE; n] };
    let mut order = settle(game, &pred, &mut solution);
    order.sort_by_key(|&v| game.priority[v as usize]);
    if order.is_empty() {
        return Some(solution);
    }
    let arena = Arena { game, pred: &pred, order: &order };
    let mut slice = match algorithm {
        Algorithm::Turns => 32 * (n + game.succ.targets.len()) as u64 + BETWEEN,
        _ => u64::MAX,
    };
    let mut recursion = (algorithm != Algorithm::Tangles).then(|| Zielonka::new(arena));
    let mut tangles = (algorithm == Algorithm::Tangles).then(|| Tangles::new(arena));
    loop {
        if let Some(run) = &mut recursion {
            match run.turn(&mut Work::new(slice, go_on)) {
                Turn::Done => {
                    run.tell(&mut solution);
                    return Some(solution);
                }
                Turn::Stopped => return None,
                Turn::Used => {}
            }
        }
        if algorithm == Algorithm::Turns && tangles.is_none() {
            tangles = Some(Tangles::new(arena));
        }
        if let Some(run) = &mut tangles {
            match run.turn(&mut Work::new(slice, go_on)) {
                Turn::Done => {
                    run.tell(&mut solution);
                    return Some(solution);
                }
                Turn::Stopped => return None,
                Turn::Used => {}
            }
        }
        slice = slice.saturating_mul(2);
    }
}

/// Who cannot move loses: settles what is attracted to dead ends. The vertices that are left.
fn settle(game: &Game, pred: &Rows, solution: &mut Solution) -> Vec<u32> {
    let n = game.op.len() as u32;
    let mut left: Vec<u32> = (0..n).map(|v| game.succ.row(v).len() as u32).collect();
    let mut settled = vec![false; n as usize];
    let mut queue: Vec<u32> = (0..n).filter(|&v| left[v as usize] == 0).collect();
    for &v in &queue {
        settled[v as usize] = true;
        solution.value[v as usize] = !game.player(v);
    }
    while let Some(y) = queue.pop() {
        let winner = solution.value[y as usize];
        for &x in pred.row(y) {
            let at = x as usize;
            if settled[at] {
                continue;
            }
            if game.player(x) == winner {
                solution.strategy[at] = y;
            } else {
                left[at] -= 1;
                if left[at] > 0 {
                    continue;
                }
            }
            settled[at] = true;
            solution.value[at] = winner;
            queue.push(x);
        }
    }
    (0..n).filter(|&v| !settled[v as usize]).collect()
}
