//! A parity game that is spread over the workers: Zielonka's recursion, whose attractors all workers
//! compute together.
//!
//! Everybody knows the owner of a vertex, and nobody its operands but who depends on it. So a vertex that
//! leaves a subgame tells those that depend on it, and one that comes back does, too: who owns a vertex
//! knows how many of its operands are in the subgame.
//!
//! DZ1: the most significant rank of the subgame that is there, and those below it up to the other sign's,
//!      attract for the player of their sign; if there is no other sign, he wins all of it.
//! DZ2: what is left is the next subgame, to be solved first.
//! DZ3: if the other player wins nothing of that, who attracted wins all; else everything comes back, what
//!      the other player won attracts for him, is his, and DZ1 goes on with the rest.
//!
//! The recursion is a list of sizes: the vertices of a subgame come first in one list, those of the next
//! one first among these. Between two steps all workers are quiet, so that each of them keeps the same list
//! of sizes but for its own share, by votes that are the same everywhere.

use crate::board::{Board, Kind, NONE};
use crate::member::Source;
use bes::{Op, Sign};

/// In the subgame.
const HERE: u8 = 1;
/// True wins.
const TRUE: u8 = 2;
/// Those that depend on it do not count it.
const GONE: u8 = 4;
/// In the game.
const VERTEX: u8 = 8;

/// What all workers are doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// DZ1: which ranks are there is being told.
    Ranks,
    /// DZ1: who attracts is known.
    Attract,
    /// DZ3: who won of the inner subgame is being told.
    Winners,
    /// DZ3: what left comes back.
    Restore,
    /// DZ3: what the other player won attracts.
    Lose,
}

/// One subgame, as far as it is mine.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Its vertices are the first ones of the list.
    size: usize,
    /// Those without a winner come first.
    rest: usize,
    /// Who attracted last.
    player: Sign,
}

/// My share of a game.
pub(crate) struct Play {
    /// My vertices, by their places.
    order: Vec<u32>,
    /// Of every variable of mine.
    flags: Vec<u8>,
    frames: Vec<Frame>,
    step: Step,
    /// For whom vertices are attracted.
    player: Sign,
    /// Vertices that have left, or come back, while nobody was told.
    front: Vec<u32>,
    /// Vertices with an operand that left, told by somebody who is a step ahead.
    early: Vec<u32>,
}

impl Play {
    /// The game of these open variables, all of which depend on each other alone.
    pub(crate) fn new(order: Vec<u32>, board: &Board) -> Play {
        let mut flags = vec![0; board.len() as usize];
        for &v in &order {
            flags[v as usize] = HERE | VERTEX;
        }
        let first = Frame { size: order.len(), rest: 0, player: Sign::Mu };
        Play {
            order,
            flags,
            frames: vec![first],
            step: Step::Ranks,
            player: Sign::Mu,
            front: Vec::new(),
            early: Vec::new(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        (4 * (self.order.capacity() + self.front.capacity() + self.early.capacity())
            + self.flags.len()) as u64
    }

    fn is(&self, v: u32, flag: u8) -> bool {
        self.flags[v as usize] & flag != 0
    }

    /// Whether the game decides a variable of mine, and nothing else does.
    pub(crate) fn decides(&self, v: u32) -> bool {
        self.is(v, VERTEX)
    }

    /// Moves those of the first `end` that are in the subgame to the front; how many they are.
    fn sort(&mut self, end: usize) -> usize {
        let mut here = 0;
        for at in 0..end {
            if self.is(self.order[at], HERE) {
                self.order.swap(here, at);
                here += 1;
            }
        }
        here
    }

    /// DZ1: the most significant ranks that are there, of least and of greatest fixpoints.
    pub(crate) fn ranks(&mut self, source: &dyn Source) -> [u32; 2] {
        let mut ranks = [NONE; 2];
        let Some(&Frame { size, .. }) = self.frames.last() else { return ranks };
        let rest = self.sort(size);
        for &v in &self.order[..rest] {
            let place = source.place(v);
            let least = &mut ranks[place.sign as usize];
            *least = (*least).min(place.rank);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.rest = rest;
        }
        ranks
    }

    /// A vertex of mine leaves for the one that attracts.
    fn leave(&mut self, v: u32) {
        let flags = &mut self.flags[v as usize];
        *flags = *flags & !(HERE | TRUE) | GONE;
        if self.player == Sign::Nu {
            *flags |= TRUE;
        }
        self.front.push(v);
    }

    /// An operand of my vertex has left.
    fn without(&mut self, x: u32, board: &mut Board) {
        let left = board.count(x, false);
        if self.is(x, HERE) {
            let mine = if self.player == Sign::Nu { Op::Or } else { Op::And };
            if board.op(x) == mine || left == 0 {
                self.leave(x);
            }
        }
    }

    /// Takes a message: `x`, which is mine, has an operand that left, or one that came back.
    /// Variables of other groups that depend on a vertex have no part in the game.
    pub(crate) fn receive(&mut self, x: u32, back: bool, board: &mut Board) {
        if !self.decides(x) {
            return;
        }
        if back {
            board.count(x, true);
        } else if matches!(self.step, Step::Attract | Step::Lose) {
            self.without(x, board);
        } else {
            self.early.push(x);
        }
    }

    /// Works for a while; whether something is left to do.
    pub(crate) fn work(
        &mut self,
        amount: usize,
        source: &mut dyn Source,
        board: &mut Board,
        scratch: &mut Vec<u32>,
    ) -> bool {
        let back = self.step == Step::Restore;
        let mut done = 0;
        while let Some(v) = self.front.pop() {
            scratch.clear();
            source.dependents(v, scratch);
            done += 1 + scratch.len();
            for &id in scratch.iter() {
                if board.partition.owner(id) == board.partition.me {
                    let x = board.partition.local(id);
                    self.receive(x, back, board);
                } else {
                    board.post(if back { Kind::Back } else { Kind::Gone }, id);
                }
            }
            if done >= amount {
                return true;
            }
        }
        false
    }

    /// Whether the next step needs what all have voted.
    pub(crate) fn votes(&self) -> bool {
        matches!(self.step, Step::Ranks | Step::Winners)
    }

    /// Nobody has anything left to do. `votes` are the least ones of all workers; `None`: the game is over,
    /// else what is to be voted, if anything.
    pub(crate) fn quiet(
        &mut self,
        votes: [u32; 2],
        source: &dyn Source,
        board: &mut Board,
    ) -> Option<Option<[u32; 2]>> {
        match self.step {
            Step::Ranks => return self.divide(votes, source, board),
            Step::Attract => {
                // DZ2.
                let rest = self.frames.last().map_or(0, |frame| frame.rest);
                let size = self.sort(rest);
                self.frames.push(Frame { size, rest: 0, player: Sign::Mu });
                self.step = Step::Ranks;
                return Some(Some(self.ranks(source)));
            }
            Step::Winners if votes[0] == NONE => {
                // DZ3: what attracted, and what it attracted, is won, too.
                let inner = self.frames.pop()?;
                let frame = *self.frames.last()?;
                for at in inner.size..frame.rest {
                    self.won(self.order[at], frame.player);
                }
                return self.back();
            }
            Step::Winners => {
                let rest = self.frames.iter().rev().nth(1)?.rest;
                for at in 0..rest {
                    let v = self.order[at];
                    if self.is(v, GONE) {
                        self.front.push(v);
                    }
                    self.flags[v as usize] = self.flags[v as usize] & !GONE | HERE;
                }
                self.step = Step::Restore;
            }
            Step::Restore => {
                let inner = self.frames.pop()?;
                self.player = other(self.frames.last()?.player);
                self.step = Step::Lose;
                for at in 0..inner.size {
                    let v = self.order[at];
                    if self.is(v, TRUE) == (self.player == Sign::Nu) {
                        self.leave(v);
                    }
                }
                self.catch_up(board);
            }
            Step::Lose => {
                self.step = Step::Ranks;
                return Some(Some(self.ranks(source)));
            }
        }
        Some(None)
    }

    /// DZ1, with the ranks that are there.
    fn divide(
        &mut self,
        [mu, nu]: [u32; 2],
        source: &dyn Source,
        board: &mut Board,
    ) -> Option<Option<[u32; 2]>> {
        let player = if mu < nu { Sign::Mu } else { Sign::Nu };
        let rest = self.frames.last()?.rest;
        if mu.max(nu) == NONE {
            for at in 0..rest {
                self.won(self.order[at], player);
            }
            return self.back();
        }
        self.frames.last_mut()?.player = player;
        self.player = player;
        self.step = Step::Attract;
        for at in 0..rest {
            let v = self.order[at];
            let place = source.place(v);
            if place.sign == player && place.rank < mu.max(nu) {
                self.leave(v);
            }
        }
        self.catch_up(board);
        Some(None)
    }

    /// What others told before this step began here.
    fn catch_up(&mut self, board: &mut Board) {
        for x in std::mem::take(&mut self.early) {
            self.without(x, board);
        }
    }

    fn won(&mut self, v: u32, player: Sign) {
        let flags = &mut self.flags[v as usize];
        *flags &= !(HERE | TRUE);
        if player == Sign::Nu {
            *flags |= TRUE;
        }
    }

    /// The subgame at hand is solved: DZ3 asks whether who attracted around it has lost some of it.
    fn back(&mut self) -> Option<Option<[u32; 2]>> {
        let size = self.frames.last()?.size;
        let outer = self.frames.iter().rev().nth(1)?;
        self.step = Step::Winners;
        let lost = |&v: &u32| self.is(v, TRUE) != (outer.player == Sign::Nu);
        let some = self.order[..size].iter().any(lost);
        Some(Some([if some { 0 } else { NONE }, NONE]))
    }

    /// My vertices, and whether true wins each of them.
    pub(crate) fn winners(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.order.iter().map(|&v| (v, self.is(v, TRUE)))
    }
}

fn other(player: Sign) -> Sign {
    match player {
        Sign::Mu => Sign::Nu,
        Sign::Nu => Sign::Mu,
    }
}
