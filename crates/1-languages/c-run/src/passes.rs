//! The lines that a run comes to.

/// A line that a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pass {
    /// The function.
    pub function: c_data::FuncId,
    /// The line.
    pub at: c_data::At,
    /// How many calls are active, `main` not counted.
    pub depth: u32,
}

/// The lines that a run came to: the first ones and the last ones.
#[derive(Clone, Debug, Default)]
pub struct Passes {
    /// How many of each are kept.
    pub most: usize,
    /// The first ones.
    pub first: Vec<Pass>,
    /// The last ones.
    pub last: std::collections::VecDeque<Pass>,
    /// How many are missing in between.
    pub left_out: u64,
    /// What variables held before some of them, by their numbers, if it was wanted.
    pub held: std::collections::BTreeMap<u64, Vec<crate::Held>>,
}

impl Passes {
    /// How many there were.
    pub fn count(&self) -> u64 {
        (self.first.len() + self.last.len()) as u64 + self.left_out
    }

    /// Takes down a line; whether it is another one than before.
    pub(crate) fn note(&mut self, pass: Pass) -> bool {
        let before = self.last.back().or(self.first.last());
        if self.most == 0 || before == Some(&pass) {
            return false;
        }
        if self.first.len() < self.most {
            self.first.push(pass);
            return true;
        }
        if self.last.len() == self.most {
            self.last.pop_front();
            self.left_out += 1;
        }
        self.last.push_back(pass);
        true
    }
}
