//! `setjmp` and `longjmp`, in the frame that is still there.
//!
//! - LJ1: what `setjmp` writes is a number of its own for each time that it is executed; the bytes behind it are not
//!   looked at.
//! - LJ2: `longjmp` goes to each place whose number the buffer may have and whose frame is active; frames above it are
//!   left as by a return. Elsewhere it is not followed.
//! - LJ3: the rest of the frame is executed as if it were called where the frame is: its keys come after those of the
//!   frames that were left, and before those of what follows.
//! - LJ4: locals have the values that they had last, as without optimisation.

use crate::engine::{Engine, Step, Went, Why};
use crate::state::{Round, State, Value};
use crate::word::Word;
use c_data::{At, ExprId, LocalId};
use logic::Lit;
use std::rc::Rc;

/// Where `setjmp` was called.
#[derive(Clone, Debug)]
pub(crate) struct Landing {
    /// The frame: how many are below it, and its number.
    depth: usize,
    serial: u32,
    block: usize,
    next: usize,
    rounds: Vec<u32>,
    loops: Vec<Round>,
    result: LocalId,
}

/// Bits of the number in a buffer.
const BITS: u32 = 64;
/// What numbers in buffers start with, so that few others are one of them.
const FIRST: u128 = 0x5e7a_0000_0000_0001;

impl Engine<'_> {
    /// `setjmp`, when it is called.
    pub(crate) fn set_jump(
        &mut self,
        state: &mut State,
        buffer: ExprId,
        result: LocalId,
    ) -> Step<Went> {
        let Some(buffer) = self.eval(state, buffer)? else { return Ok(Went::Over) };
        let number = FIRST + self.landings.len() as u128;
        self.store(state, &buffer, &Word::number(BITS, number))?;
        self.set(state, result, Word::number(32, 0).into());
        let depth = state.frames.len() - 1;
        let frame = &state.frames[depth];
        self.landings.push(Landing {
            depth,
            serial: frame.serial,
            block: frame.block,
            next: frame.next,
            rounds: frame.rounds.clone(),
            loops: frame.loops.clone(),
            result,
        });
        Ok(if state.guard == Lit::FALSE { Went::Over } else { Went::On })
    }

    /// `longjmp`
    pub(crate) fn long_jump(
        &mut self,
        state: &mut State,
        buffer: &Value,
        value: &Word,
        at: At,
    ) -> Step<Went> {
        let what = || "`longjmp` to where `setjmp` is not active".to_owned();
        if self.cutting.is_some() {
            let what = format!("{}: `longjmp`", self.place(at));
            self.cut(state, Why::Uncovered(what));
            return Ok(Went::Over);
        }
        let Some(number) = self.load(state, buffer, u64::from(BITS / 8), false)? else {
            return Ok(Went::Over);
        };
        // 0 becomes 1.
        let value = value.resized(32, true);
        let some = self.c.truth(&value);
        let value = self.c.ite(some, &value, &Word::number(32, 1));
        for i in 0..self.landings.len() {
            let landing = self.landings[i].clone();
            let frame = state.frames.get(landing.depth);
            if frame.is_none_or(|frame| frame.serial != landing.serial) {
                continue;
            }
            let here = self.c.equal(&number, &Word::number(BITS, FIRST + i as u128));
            let guard = self.c.aig.and(state.guard, here);
            if guard == Lit::FALSE {
                continue;
            }
            state.guard = self.c.aig.and(state.guard, !here);
            if self.perhaps(guard)? {
                self.land(State { guard, ..state.clone() }, &landing, value.clone());
            }
        }
        let what = format!("{}: {}", self.place(at), what());
        self.cut(state, Why::Uncovered(what));
        Ok(Went::Over)
    }

    /// Goes on behind a `setjmp`.
    fn land(&mut self, mut state: State, landing: &Landing, value: Word) {
        while state.frames.len() > landing.depth + 1 {
            let Some(frame) = state.frames.pop() else { return };
            for &object in &frame.objects {
                state.memory[object as usize] = None;
            }
            self.bury(&mut state, &frame.objects, Lit::TRUE);
        }
        let key = self.key(&state);
        let prefix: Vec<u32> = key.iter().copied().chain([u32::MAX]).collect();
        let frame = state.top();
        frame.jumped += 1;
        if frame.jumped > self.bound {
            self.cut(&state, Why::Bound);
            return;
        }
        let frame = state.top();
        frame.prefix = Rc::from(prefix);
        (frame.block, frame.next, frame.again) = (landing.block, landing.next, None);
        frame.rounds.clone_from(&landing.rounds);
        frame.loops.clone_from(&landing.loops);
        self.set(&mut state, landing.result, value.into());
        self.wait_here(state);
    }
}
