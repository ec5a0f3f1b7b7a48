//! What one worker knows of its variables, and what it has to say to others.

use bes::Op;

/// No variable, no group, no edge.
pub(crate) const NONE: u32 = u32::MAX;

/// Who owns which variable. Variables have numbers that are dealt out in turn, so owners and places are
/// computed, not looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partition {
    pub(crate) me: u32,
    pub(crate) peers: u32,
}

impl Partition {
    pub(crate) fn owner(self, id: u32) -> u32 {
        id % self.peers
    }

    /// The owner's place for a variable.
    pub(crate) fn local(self, id: u32) -> u32 {
        id / self.peers
    }

    /// The variable of one of my places, or `None` if there are not so many numbers.
    pub(crate) fn id(self, local: u32) -> Option<u32> {
        let id = u64::from(local) * u64::from(self.peers) + u64::from(self.me);
        u32::try_from(id).ok().filter(|&id| id != NONE)
    }
}

/// What a batch of words is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Kind {
    /// Variables, one word each: an operand of theirs is false.
    ToldFalse,
    /// An operand of theirs is true.
    ToldTrue,
    /// Requests: who asks, the length of a name in bytes, the name, four bytes a word.
    Visit,
    /// Two words, of which the least ones of all workers count, and the number of the vote.
    Vote,
    /// Vertices of a game, one word each: an operand of theirs has left the subgame.
    Gone,
    /// An operand of theirs has come back.
    Back,
    /// Dependencies, two words each: who depends, and the place of the other one with its owner.
    Link,
    /// Blocks, two words each: one that depends, and on which one.
    Blocks,
    /// The answer.
    Done,
    /// Equations and operands, two words each.
    Stats,
    /// An equation could not be given: bytes, four a word, after their number.
    Trouble,
}

impl Kind {
    pub(crate) fn of(word: u32) -> Option<Kind> {
        use Kind::{
            Back, Blocks, Done, Gone, Link, Stats, ToldFalse, ToldTrue, Trouble, Visit, Vote,
        };
        let all =
            [ToldFalse, ToldTrue, Visit, Vote, Gone, Back, Link, Blocks, Done, Stats, Trouble];
        all.get(word as usize).copied()
    }
}

/// What is told of single variables.
const POSTED: [Kind; 4] = [Kind::ToldFalse, Kind::ToldTrue, Kind::Gone, Kind::Back];

/// Words for one worker.
pub(crate) type Batch = (u32, u32, Vec<u32>);

/// Words of a batch before it is sent: what is sent at once costs less, what waits costs time.
const CHUNK: usize = 1 << 12;

const VALUE: u8 = 0b11;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const AND: u8 = 0b100;

/// The variables of one worker, by their place.
///
/// Values spread by rules CL1 and CL2 of `bes` (`closed.rs` there).
///
/// Invariant: `open[x]` is the number of operands that `x` was not told the value of, while `x` has
/// none.
pub(crate) struct Board {
    pub(crate) partition: Partition,
    state: Vec<u8>,
    open: Vec<u32>,
    /// Places of variables whose value nobody was told yet.
    pub(crate) news: Vec<u32>,
    /// The place of the variable asked for, with its owner.
    pub(crate) main: u32,
    pub(crate) answer: Option<bool>,
    told: Vec<[Vec<u32>; POSTED.len()]>,
    visits: Vec<Vec<u32>>,
    links: Vec<Vec<u32>>,
    pub(crate) ready: Vec<Batch>,
    pub(crate) variables: u64,
    pub(crate) dependencies: u64,
    pub(crate) malformed: bool,
}

impl Board {
    pub(crate) fn new(partition: Partition) -> Board {
        let peers = partition.peers as usize;
        Board {
            partition,
            state: Vec::new(),
            open: Vec::new(),
            news: Vec::new(),
            main: NONE,
            answer: None,
            told: vec![Default::default(); peers],
            visits: vec![Vec::new(); peers],
            links: vec![Vec::new(); peers],
            ready: Vec::new(),
            variables: 0,
            dependencies: 0,
            malformed: false,
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.state.len() as u32
    }

    pub(crate) fn reserve(&mut self, places: u32) {
        self.state.reserve_exact(places as usize);
        self.open.reserve_exact(places as usize);
    }

    /// The next place, for a variable whose equation is not known yet.
    pub(crate) fn add(&mut self) -> u32 {
        self.state.push(0);
        self.open.push(NONE);
        self.len() - 1
    }

    pub(crate) fn value(&self, local: u32) -> Option<bool> {
        match self.state[local as usize] & VALUE {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    pub(crate) fn op(&self, local: u32) -> Op {
        if self.state[local as usize] & AND != 0 { Op::And } else { Op::Or }
    }

    /// The equation of a variable is known: CL2 for one without operands.
    pub(crate) fn define(&mut self, local: u32, op: Op, operands: u32) {
        self.put(local, op, operands);
        if operands == 0 {
            self.set(local, op.neutral());
        }
    }

    /// The same while nothing is to get a value yet, not even what has no operands.
    pub(crate) fn put(&mut self, local: u32, op: Op, operands: u32) {
        if op == Op::And {
            self.state[local as usize] |= AND;
        }
        self.open[local as usize] = operands;
        self.variables += 1;
        self.dependencies += u64::from(operands);
    }

    /// A variable has a value.
    pub(crate) fn set(&mut self, local: u32, value: bool) {
        debug_assert_eq!(self.value(local), None);
        self.state[local as usize] |= if value { TRUE } else { FALSE };
        self.news.push(local);
        if local == self.main {
            self.answer = Some(value);
        }
    }

    /// An operand of a variable of mine has a value: CL1 and CL2.
    pub(crate) fn tell(&mut self, local: u32, value: bool) {
        if self.value(local).is_some() {
            return;
        }
        if value == self.op(local).neutral() {
            let open = &mut self.open[local as usize];
            *open = open.saturating_sub(1);
            if *open > 0 {
                return;
            }
        }
        self.set(local, value);
    }

    /// The same for anybody's variable.
    pub(crate) fn pass_on(&mut self, id: u32, value: bool) {
        let owner = self.partition.owner(id);
        if owner == self.partition.me {
            return self.tell(self.partition.local(id), value);
        }
        self.post(if value { Kind::ToldTrue } else { Kind::ToldFalse }, id);
    }

    /// Tells the owner of a variable something about it.
    pub(crate) fn post(&mut self, kind: Kind, id: u32) {
        let Some(at) = POSTED.iter().position(|&posted| posted == kind) else { return };
        let owner = self.partition.owner(id);
        let outbox = &mut self.told[owner as usize][at];
        outbox.push(id);
        if outbox.len() >= CHUNK {
            self.ready.push((owner, kind as u32, std::mem::take(outbox)));
        }
    }

    /// One more operand of a variable counts, or one less; how many they are.
    pub(crate) fn count(&mut self, local: u32, more: bool) -> u32 {
        let open = &mut self.open[local as usize];
        *open = if more { open.saturating_add(1) } else { open.saturating_sub(1) };
        *open
    }

    /// Asks the owner of a variable, by its name, to tell its value to `from`.
    pub(crate) fn ask(&mut self, owner: u32, from: u32, name: &[u8]) {
        let outbox = &mut self.visits[owner as usize];
        outbox.push(from);
        outbox.push(name.len() as u32);
        let (words, rest) = name.as_chunks::<4>();
        outbox.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            outbox.push(u32::from_le_bytes(last));
        }
        if outbox.len() >= CHUNK {
            self.ready.push((owner, Kind::Visit as u32, std::mem::take(outbox)));
        }
    }

    /// Tells the owner of a variable that `x` depends on it.
    pub(crate) fn link(&mut self, owner: u32, x: u32, place: u32) {
        let outbox = &mut self.links[owner as usize];
        outbox.extend([x, place]);
        if outbox.len() >= CHUNK {
            self.ready.push((owner, Kind::Link as u32, std::mem::take(outbox)));
        }
    }

    /// Says the same to everybody, me included.
    pub(crate) fn broadcast(&mut self, kind: Kind, words: &[u32]) {
        for peer in 0..self.partition.peers {
            self.ready.push((peer, kind as u32, words.to_vec()));
        }
    }

    /// Whatever waits for more goes out as it is.
    pub(crate) fn flush(&mut self) {
        for peer in 0..self.partition.peers {
            let at = peer as usize;
            let mut take = |kind: Kind, outbox: &mut Vec<u32>| {
                if !outbox.is_empty() {
                    self.ready.push((peer, kind as u32, std::mem::take(outbox)));
                }
            };
            for (kind, outbox) in POSTED.into_iter().zip(&mut self.told[at]) {
                take(kind, outbox);
            }
            take(Kind::Visit, &mut self.visits[at]);
            take(Kind::Link, &mut self.links[at]);
        }
    }

    /// Nothing of what waits goes out.
    pub(crate) fn discard(&mut self) {
        self.ready.clear();
        self.news.clear();
        let asked = self.visits.iter_mut().chain(&mut self.links);
        self.told.iter_mut().flatten().chain(asked).for_each(Vec::clear);
    }

    /// One of my places, if a message names one.
    pub(crate) fn mine(&mut self, id: u32) -> Option<u32> {
        let local = self.partition.local(id);
        if self.partition.owner(id) == self.partition.me && local < self.len() {
            return Some(local);
        }
        self.malformed = true;
        None
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.state.capacity() + 4 * self.open.capacity() + 4 * self.news.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_one_owner_and_one_place() {
        for peers in [1, 2, 3, 7] {
            for id in 0..100 {
                let part = |me| Partition { me, peers };
                let owner = part(0).owner(id);
                assert_eq!(part(owner).id(part(0).local(id)), Some(id));
            }
        }
        assert_eq!(Partition { me: 1, peers: 2 }.id(u32::MAX / 2), None);
    }

    #[test]
    fn kinds_have_numbers() {
        for word in 0..20 {
            assert!(Kind::of(word).is_none_or(|kind| kind as u32 == word));
        }
        assert_eq!(Kind::of(Kind::Trouble as u32), Some(Kind::Trouble));
    }
}
