//! One worker: what it does with messages, and what happens when all of them are quiet.
//!
//! D0: a system that is read in parts is read, and all workers are told which of its blocks depend on each
//!     other.
//! D1: CL1 and CL2 of `board`, and exploration on demand, until nobody has anything left to do.
//! D2: then every worker says which are the lowest groups where least, and greatest, fixpoints are
//!     open. Groups depend on lower ones only. If they differ, all open variables of the lower one
//!     and of further groups up to the other sign's depend on nothing but open variables of the
//!     same sign: they get its default.
//! D3: if they are the same, that group is a parity game, which all workers play (`zielonka`).
//!
//! D1 again follows D2 and D3, until the variable asked for has a value.

use crate::board::{Batch, Board, Kind, NONE};
use crate::zielonka::Play;
use bes::{Place, Sign};

/// Where a worker's variables come from.
pub(crate) trait Source {
    /// Puts the first variables on the board.
    fn begin(&mut self, board: &mut Board);
    /// Whether all is to be read before anything gets a value.
    fn reads(&self) -> bool {
        false
    }
    /// `x`, anybody's variable, depends on the one at a place of mine.
    fn edge(&mut self, _x: u32, _local: u32) {}
    /// All is read: which blocks of mine depend on which others, in pairs.
    fn between(&mut self) -> Vec<u32> {
        Vec::new()
    }
    /// The same of all workers. Variables may get values from now on.
    fn read(&mut self, _between: &[u32], _board: &mut Board) {}
    /// Somebody's variable `from` depends on my variable of this name.
    fn visit(&mut self, from: u32, name: &[u8], board: &mut Board);
    /// Fetches an equation, if one is to be fetched.
    fn explore(&mut self, board: &mut Board) -> bool;
    /// Appends the variables that depend on one of mine.
    fn dependents(&mut self, local: u32, out: &mut Vec<u32>);
    /// Where the equation of one of mine stands.
    fn place(&self, local: u32) -> Place;
    /// Why an equation could not be given.
    fn trouble(&self) -> Option<&str>;
    /// Bytes held.
    fn bytes(&self) -> u64;
}

/// What the workers are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// D0.
    Read,
    /// D0: which blocks depend on each other is on its way.
    Blocks,
    /// D1.
    Solve,
    /// D2: votes are on their way.
    Vote,
    /// D3.
    Play,
}

/// How a run ended, or why it did not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    Answer(bool),
    /// An equation could not be given.
    Trouble(String),
    /// More than ids.
    Internal(&'static str),
}

/// One worker. Where its equations come from is known by its trait alone, so that the dataflow, which is large, is
/// compiled once and not for each kind of system.
pub(crate) struct Member {
    pub(crate) board: Board,
    source: Box<dyn Source>,
    stage: Stage,
    /// The least words of this round of votes and of the next one, by whether their numbers are even: who is a step
    /// ahead votes already.
    votes: [[u32; 2]; 2],
    round: u32,
    between: Vec<u32>,
    /// Places of open variables in the order of their groups, by sign (μ, ν), with a position before
    /// which all have a value.
    open: Option<[(Vec<u32>, usize); 2]>,
    play: Option<Play>,
    trouble: Option<String>,
    scratch: Vec<u32>,
    pub(crate) ended: Option<Ended>,
    /// Of all workers, once the answer is known.
    pub(crate) variables: u64,
    pub(crate) dependencies: u64,
}

impl Member {
    pub(crate) fn new(board: Board, source: impl Source + 'static) -> Member {
        Member {
            board,
            stage: if source.reads() { Stage::Read } else { Stage::Solve },
            source: Box::new(source),
            votes: [[NONE; 2]; 2],
            round: 0,
            between: Vec::new(),
            open: None,
            play: None,
            trouble: None,
            scratch: Vec::new(),
            ended: None,
            variables: 0,
            dependencies: 0,
        }
    }

    /// To be called once, before anything else.
    pub(crate) fn begin(&mut self) {
        self.source.begin(&mut self.board);
        self.announce();
    }

    /// Takes a message.
    pub(crate) fn receive(&mut self, kind: u32, words: &[u32]) {
        if self.ended.is_some() {
            // Statistics come after the answer.
            if kind == Kind::Stats as u32 {
                self.count(words);
            }
            return;
        }
        match Kind::of(kind) {
            Some(kind @ (Kind::ToldFalse | Kind::ToldTrue)) => {
                for &id in words {
                    let Some(local) = self.board.mine(id) else { continue };
                    // Somebody who is a step ahead has the values of a game already.
                    if !self.play.as_ref().is_some_and(|play| play.decides(local)) {
                        self.board.tell(local, kind == Kind::ToldTrue);
                    }
                }
            }
            Some(kind @ (Kind::Gone | Kind::Back)) => {
                for &id in words {
                    if let Some(local) = self.board.mine(id) {
                        let back = kind == Kind::Back;
                        match &mut self.play {
                            Some(play) => play.receive(local, back, &mut self.board),
                            None => self.board.malformed = true,
                        }
                    }
                }
            }
            Some(Kind::Visit) => {
                let mut rest = words;
                let mut bytes: Vec<u8> = Vec::new();
                while let [from, length, ref further @ ..] = *rest {
                    let words = length.div_ceil(4) as usize;
                    let Some((name, further)) = further.split_at_checked(words) else {
                        self.board.malformed = true;
                        break;
                    };
                    bytes.clear();
                    bytes.extend(name.iter().flat_map(|word| word.to_le_bytes()));
                    bytes.truncate(length as usize);
                    self.source.visit(from, &bytes, &mut self.board);
                    rest = further;
                }
            }
            Some(Kind::Link) => {
                for &[x, local] in words.as_chunks::<2>().0 {
                    match local < self.board.len() {
                        true => self.source.edge(x, local),
                        false => self.board.malformed = true,
                    }
                }
            }
            Some(Kind::Blocks) => self.between.extend_from_slice(words),
            Some(Kind::Vote) => {
                let &[first, second, round] = words else {
                    self.board.malformed = true;
                    return self.announce();
                };
                let votes = &mut self.votes[round as usize % 2];
                *votes = [votes[0].min(first), votes[1].min(second)];
            }
            Some(Kind::Done) => self.end(Ended::Answer(words == [1])),
            Some(Kind::Stats) => self.count(words),
            // Of several reasons, the same one every time.
            Some(Kind::Trouble) => {
                let reason = text(words);
                let known = self.trouble.take().filter(|known| *known <= reason);
                self.trouble = Some(known.unwrap_or(reason));
            }
            None => self.board.malformed = true,
        }
        self.announce();
    }

    /// Works for a while; whether something is left to do.
    pub(crate) fn work(&mut self, amount: usize) -> bool {
        let mut done = 0;
        if let Some(play) = &mut self.play
            && play.work(amount, &mut *self.source, &mut self.board, &mut self.scratch)
        {
            return true;
        }
        while done < amount && self.ended.is_none() {
            let Some(y) = self.board.news.pop() else {
                if !self.source.explore(&mut self.board) {
                    return false;
                }
                // A part of a text is much, and what it says is to be on its way before the next one.
                done += if self.stage == Stage::Read { amount } else { 8 };
                self.announce();
                continue;
            };
            let Some(value) = self.board.value(y) else { continue };
            self.scratch.clear();
            self.source.dependents(y, &mut self.scratch);
            done += 1 + self.scratch.len();
            for i in 0..self.scratch.len() {
                self.board.pass_on(self.scratch[i], value);
            }
            self.announce();
        }
        self.ended.is_none()
    }

    /// Nobody has anything left to do, and no message is on its way.
    pub(crate) fn quiet(&mut self) {
        if self.ended.is_some() {
            return;
        }
        match self.stage {
            Stage::Read => {
                self.stage = Stage::Blocks;
                self.tell_trouble();
                let between = self.source.between();
                self.board.broadcast(Kind::Blocks, &between);
            }
            Stage::Blocks if self.trouble.is_some() => self.end_in_trouble(),
            Stage::Blocks => {
                self.stage = Stage::Solve;
                let between = std::mem::take(&mut self.between);
                self.source.read(&between, &mut self.board);
            }
            Stage::Solve => {
                self.stage = Stage::Vote;
                self.tell_trouble();
                let vote = self.vote();
                self.tell_vote(vote);
            }
            Stage::Vote => match self.take_votes() {
                _ if self.trouble.is_some() => self.end_in_trouble(),
                [NONE, NONE] => self.end(Ended::Internal("a run ended without a value")),
                [mu, nu] if mu == nu => {
                    self.stage = Stage::Play;
                    self.begin_play(mu);
                }
                [mu, nu] => {
                    self.stage = Stage::Solve;
                    let sign = if mu < nu { Sign::Mu } else { Sign::Nu };
                    self.default(sign, mu.max(nu));
                }
            },
            Stage::Play => self.go_on_playing(),
        }
        self.announce();
    }

    fn tell_vote(&mut self, [first, second]: [u32; 2]) {
        self.board.broadcast(Kind::Vote, &[first, second, self.round]);
    }

    /// What all have voted; the next round begins.
    fn take_votes(&mut self) -> [u32; 2] {
        let votes = std::mem::replace(&mut self.votes[self.round as usize % 2], [NONE; 2]);
        self.round += 1;
        votes
    }

    fn tell_trouble(&mut self) {
        if let Some(trouble) = self.source.trouble() {
            let words = words(trouble);
            self.board.broadcast(Kind::Trouble, &words);
        }
    }

    fn end_in_trouble(&mut self) {
        let trouble = self.trouble.take().unwrap_or_default();
        self.end(Ended::Trouble(trouble));
    }

    /// The open variables of mine, sorted once: none are added after the first vote.
    fn open(&mut self) -> &mut [(Vec<u32>, usize); 2] {
        let (board, source) = (&self.board, &self.source);
        self.open.get_or_insert_with(|| {
            [Sign::Mu, Sign::Nu].map(|sign| {
                let mut open: Vec<u32> = (0..board.len())
                    .filter(|&v| board.value(v).is_none() && source.place(v).sign == sign)
                    .collect();
                open.sort_by_key(|&v| source.place(v).group);
                (open, 0)
            })
        })
    }

    /// The lowest groups with open variables.
    fn vote(&mut self) -> [u32; 2] {
        self.open();
        let (board, source) = (&self.board, &self.source);
        let Some(open) = &mut self.open else { return [NONE; 2] };
        [0, 1].map(|sign| {
            let (list, at) = &mut open[sign];
            while list.get(*at).is_some_and(|&v| board.value(v).is_some()) {
                *at += 1;
            }
            list.get(*at).map_or(NONE, |&v| source.place(v).group)
        })
    }

    /// D2 for the groups below `end`.
    fn default(&mut self, sign: Sign, end: u32) {
        let Some(open) = &mut self.open else { return };
        let (list, at) = &mut open[sign as usize];
        while let Some(&v) = list.get(*at)
            && self.source.place(v).group < end
        {
            if self.board.value(v).is_none() {
                self.board.set(v, sign.default_value());
            }
            *at += 1;
        }
    }

    /// D3: the open variables of a group are a game.
    fn begin_play(&mut self, group: u32) {
        let mut order = Vec::new();
        for (list, at) in self.open.iter().flatten() {
            let mine = list[*at..].iter().take_while(|&&v| self.source.place(v).group == group);
            order.extend(mine.filter(|&&v| self.board.value(v).is_none()));
        }
        let mut play = Play::new(order, &self.board);
        let ranks = play.ranks(&*self.source);
        self.play = Some(play);
        self.tell_vote(ranks);
    }

    fn go_on_playing(&mut self) {
        let counted = self.play.as_ref().is_some_and(Play::votes);
        let votes = if counted { self.take_votes() } else { [NONE; 2] };
        let Some(play) = &mut self.play else { return };
        match play.quiet(votes, &*self.source, &mut self.board) {
            Some(Some(vote)) => self.tell_vote(vote),
            Some(None) => {}
            None => {
                for (v, value) in play.winners() {
                    if self.board.value(v).is_none() {
                        self.board.set(v, value);
                    }
                }
                self.play = None;
                self.stage = Stage::Solve;
            }
        }
    }

    /// Tells the answer when it is known, and notices what cannot be.
    fn announce(&mut self) {
        if self.ended.is_some() {
            return;
        }
        if self.board.malformed {
            self.ended = Some(Ended::Internal("a message is malformed"));
        } else if let Some(answer) = self.board.answer.take() {
            self.board.broadcast(Kind::Done, &[u32::from(answer)]);
        }
    }

    /// It is over: what was to be sent need not be sent any more, but what it has cost is told.
    fn end(&mut self, how: Ended) {
        let answered = matches!(how, Ended::Answer(_));
        self.ended = Some(how);
        self.board.discard();
        if answered {
            let (v, d) = (self.board.variables, self.board.dependencies);
            let words = [v as u32, (v >> 32) as u32, d as u32, (d >> 32) as u32];
            self.board.broadcast(Kind::Stats, &words);
        }
    }

    fn count(&mut self, words: &[u32]) {
        if let &[v, v_high, d, d_high] = words {
            self.variables += u64::from(v) | u64::from(v_high) << 32;
            self.dependencies += u64::from(d) | u64::from(d_high) << 32;
        }
    }

    /// What is to be sent.
    pub(crate) fn outgoing(&mut self) -> impl Iterator<Item = Batch> + '_ {
        self.board.flush();
        self.board.ready.drain(..)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.board.bytes() + self.source.bytes() + self.play.as_ref().map_or(0, Play::bytes)
    }
}

/// A text as words.
fn words(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes().chunks(4).map(|chunk| {
        let mut four = [0; 4];
        four[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(four)
    });
    std::iter::once(text.len() as u32).chain(bytes).collect()
}

/// And back.
fn text(words: &[u32]) -> String {
    let Some((&length, rest)) = words.split_first() else { return String::new() };
    let mut bytes: Vec<u8> = rest.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(length as usize);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Partition;
    use crate::demand::Demand;
    use crate::generated::{Random, SHAPES, Shape, in_blocks, system};
    use crate::parted::Parted;
    use bes::cadp::{Parts, Text};
    use bes::{Bes, pbes};
    use std::sync::Arc;

    /// Runs members without threads or dataflow, in any order that the dataflow allows: messages
    /// arrive in any order, and members notice at different times that a phase is over.
    fn simulate(mut members: Vec<Member>, random: &mut Random) -> Vec<Ended> {
        let n = members.len();
        let mut flying: Vec<(u64, Batch)> = Vec::new();
        // The phase that each is in, that of its latest work, and whether it has work.
        let (mut phase, mut at, mut busy) = (vec![0; n], vec![0; n], vec![true; n]);
        members.iter_mut().for_each(Member::begin);
        let mut steps = 0u64;
        while members.iter().any(|member| member.ended.is_none()) || !flying.is_empty() {
            steps += 1;
            assert!(steps < 10_000_000, "it does not end");
            let m = random.below(n as u32) as usize;
            match random.below(3) {
                0 if !flying.is_empty() => {
                    let i = random.below(flying.len() as u32) as usize;
                    let (time, (to, kind, words)) = flying.swap_remove(i);
                    let to = to as usize;
                    members[to].receive(kind, &words);
                    at[to] = at[to].max(time);
                    busy[to] = true;
                }
                1 => {
                    let amount = 1 + random.below(40) as usize;
                    busy[m] = members[m].work(amount);
                    flying.extend(members[m].outgoing().map(|batch| (at[m], batch)));
                }
                _ => {
                    let over = flying.iter().all(|(time, _)| *time > phase[m])
                        && (0..n).all(|k| !busy[k] || at[k] > phase[m])
                        && phase.iter().all(|&p| p >= phase[m]);
                    if over && !busy[m] {
                        members[m].quiet();
                        phase[m] += 1;
                        at[m] = at[m].max(phase[m]);
                        busy[m] = true;
                        flying.extend(members[m].outgoing().map(|batch| (at[m], batch)));
                    }
                }
            }
            // Who has ended has nothing to do, and takes part in no phase.
            if members[m].ended.is_some() {
                flying.extend(members[m].outgoing().map(|batch| (at[m], batch)));
                (busy[m], phase[m]) = (false, u64::MAX - 1);
            }
        }
        members.into_iter().map(|member| member.ended.expect("all have ended")).collect()
    }

    fn agree(shape: Shape, seed: u64) {
        let mut random = Random::new(seed);
        let variables = 1 + random.below(if seed.is_multiple_of(20) { 300 } else { 30 });
        let bes = system(&mut random, shape, variables).asking(0);
        let values = bes.solve_globally(&mut |_| true).expect("nobody stops it");
        let expected = Ended::Answer(values[bes.initial_variable() as usize]);
        let peers = 1 + random.below(4);
        let blocks: Arc<dyn Text + Send> = Arc::new(in_blocks(&bes).into_bytes());
        let size = 64 + random.below(400) as usize;
        let parts = Parts::of_size(&*blocks, size, &mut |_| true).expect("it was just written");
        let parts = Arc::new(parts);
        let closed = (0..peers).map(|me| {
            let board = Board::new(Partition { me, peers });
            Member::new(board, Parted::new(blocks.clone(), parts.clone(), me, peers))
        });
        let text =
            |bes: &Bes| format!("{shape:?}, seed {seed}, {peers} workers: {}", bes.to_mcrl2());
        let ended = simulate(closed.collect(), &mut random);
        assert!(ended.iter().all(|one| *one == expected), "{ended:?}, {}", text(&bes));
        let parsed = pbes::parse(&bes.to_mcrl2()).expect("it was just written");
        let demand = (0..peers).map(|me| {
            let board = Board::new(Partition { me, peers });
            let system = parsed.instance().expect("it is a system");
            Member::new(board, Demand::new(system, me, peers))
        });
        let ended = simulate(demand.collect(), &mut random);
        assert!(ended.iter().all(|one| *one == expected), "{ended:?}, {}", text(&bes));
    }

    #[test]
    fn members_agree_with_the_sequential_solver() {
        for shape in SHAPES {
            (0..1000).for_each(|seed| agree(shape, seed));
        }
    }

    #[test]
    fn texts_travel() {
        for sent in ["", "a", "abcd", "`x` – ü"] {
            assert_eq!(text(&words(sent)), sent);
        }
        assert_eq!(text(&[]), "");
    }
}
