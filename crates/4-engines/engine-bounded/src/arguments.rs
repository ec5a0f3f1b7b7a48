//! The arguments of `main`: strings of any bytes, as many and as long as the bound says.
//!
//! - AV1: with bound `k` there are at most `k` arguments, never more than [`MOST`], of at most `2 k` bytes, never more
//!   than [`LONGEST`]; what is more or longer is cut off by the bound, and in the end not followed.
//! - AV2: an argument has exactly as many bytes as its string, the 0 at its end included, so that what lies behind it
//!   is outside of it.
//! - AV3: the program's name is [`NAME`] on a run that is found, and anything where something is said of all runs.

use crate::engine::{As, Engine, Step, Taken, Why};
use crate::memory::Kind;
use crate::state::{State, Value};
use crate::word::{Op2, Word};
use c_data::{ExprKind, Function, LocalId};
use logic::Lit;

/// The most arguments, the program's name not counted.
const MOST: u32 = 8;
/// The most bytes of one.
const LONGEST: u32 = 128;
/// What the program is called.
const NAME: &[u8] = crate::search::PROGRAM_NAME.as_bytes();
/// Which object of a statement it is.
const STRING: u32 = u32::MAX - 64;
const VECTOR: u32 = u32::MAX - 65;

/// Whether a parameter is looked at.
pub(crate) fn is_used(function: &Function, param: LocalId) -> bool {
    let mentions = |kind: &ExprKind| match kind {
        ExprKind::Local(local) | ExprKind::AddressOf(local) => *local == param,
        _ => false,
    };
    function.exprs.iter().any(|e| mentions(&e.kind))
}

impl Engine<'_> {
    /// `argv`, where `argc` is at least 1.
    pub(crate) fn vector(&mut self, state: &mut State, argc: Word) -> Step<Value> {
        let most = self.bound.clamp(1, MOST);
        let longest = (2 * self.bound).clamp(4, LONGEST);
        let pointer = self.objects.pointer;
        let argc = argc.resized(pointer, true);
        let last = Word::number(pointer, u128::from(most) + 1);
        let few = self.c.less(&argc, &last, true, true);
        let more = self.c.aig.and(state.guard, !few);
        let why = self.more_than(most == MOST);
        self.cut_at(more, why);
        state.guard = self.c.aig.and(state.guard, few);
        // What the program is called is nobody's input.
        self.objects.unwritten = true;
        let mut cells = Vec::new();
        for i in 0..=most {
            let number = Word::number(pointer, i.into());
            let there = self.c.less(&number, &argc, true, false);
            let Some(address) = self.argument(state, i, there, longest)? else {
                self.cut(state, Why::Uncovered("there is no room for the arguments".into()));
                state.guard = Lit::FALSE;
                return Ok(number.into());
            };
            let null = Word::number(pointer, 0);
            cells.extend(self.c.ite(there, &address, &null).lits());
        }
        cells.resize(cells.len() + pointer as usize, Lit::FALSE);
        let bytes = cells.len() as u64 / 8;
        let one = Word::number(pointer, 1);
        let count = self.c.compute(Op2::Add, &argc, &one);
        let each = Word::number(pointer, (pointer / 8).into());
        let exact = self.c.compute(Op2::Mul, &count, &each);
        let made = self.make_of(state, bytes, Some(exact), Kind::Static, true, VECTOR);
        let Some(id) = made else { return self.vector_left(state) };
        let at = self.objects.address(id);
        self.fill(state, id, &Word::of(cells));
        Ok(at.into())
    }

    /// Why what is more is not followed.
    fn more_than(&self, most: bool) -> Why {
        match most {
            true => Why::Uncovered(format!(
                "`main` may get more than {MOST} arguments, or longer ones than {LONGEST} bytes"
            )),
            false => Why::Bound,
        }
    }

    fn vector_left(&mut self, state: &mut State) -> Step<Value> {
        self.cut(state, Why::Uncovered("there is no room for the arguments".into()));
        state.guard = Lit::FALSE;
        Ok(Word::number(self.objects.pointer, 0).into())
    }

    /// The address of an argument on the runs that have it.
    fn argument(
        &mut self,
        state: &mut State,
        number: u32,
        there: Lit,
        longest: u32,
    ) -> Step<Option<Word>> {
        let pointer = self.objects.pointer;
        let length = self.c.input(16).resized(pointer, false);
        let most = Word::number(pointer, longest.into());
        let fits = self.c.less(&length, &most, false, true);
        // The name that a run that is found has is short enough.
        let free = if number == 0 { self.c.aig.and(there, !self.plain) } else { there };
        let fits = self.c.aig.or(fits, !free);
        let long = self.c.aig.and(state.guard, !fits);
        let why = self.more_than(longest == LONGEST);
        self.cut_at(long, why);
        state.guard = self.c.aig.and(state.guard, fits);
        let mut lits = Vec::new();
        for k in 0..longest {
            let at = Word::number(pointer, k.into());
            let inside = self.c.less(&at, &length, false, false);
            let byte = self.c.input(8);
            let zero = !self.c.truth(&byte);
            for (i, lit) in byte.lits().into_iter().enumerate() {
                // No byte of a string is 0.
                let lit = if i == 0 { self.c.aig.or(lit, zero) } else { lit };
                lits.push(self.c.aig.and(lit, inside));
            }
        }
        let mut word = Word::of(lits);
        let one = Word::number(pointer, 1);
        let mut exact = self.c.compute(Op2::Add, &length, &one);
        if number == 0 {
            let bits = word.width();
            let name: Vec<Lit> = (0..bits)
                .map(|i| {
                    let byte = NAME.get(i as usize / 8).copied().unwrap_or(0);
                    if byte >> (i % 8) & 1 == 1 { Lit::TRUE } else { Lit::FALSE }
                })
                .collect();
            word = self.c.ite(self.plain, &Word::of(name), &word);
            let size = Word::number(pointer, NAME.len() as u128 + 1);
            exact = self.c.ite(self.plain, &size, &exact);
        } else {
            let guard = self.c.aig.and(state.guard, there);
            let (read_as, name) = (As::Argument(number as usize - 1), "argv".to_owned());
            self.taken.push(Taken { guard, word: word.clone(), read_as, name });
        }
        let size = u64::from(longest) + 1;
        let made = self.make_of(state, size, Some(exact), Kind::Static, true, STRING - number);
        let Some(id) = made else { return Ok(None) };
        self.fill(state, id, &word);
        Ok(Some(self.objects.address(id)))
    }

    /// Puts initial bytes into an object.
    fn fill(&mut self, state: &mut State, id: u32, word: &Word) {
        let plain = self.plain;
        if let Some(cells) = state.memory[id as usize].as_mut() {
            let cells = std::rc::Rc::make_mut(cells);
            cells.write(&mut self.objects, &mut self.c, plain, 0, word, Lit::TRUE);
        }
    }
}
