//! Recursion where places are asked about: a call of a function that is active already is a way in, as where the end of
//! runs is asked about (`nested.rs`), and a way past it that gives what some activation gave.
//!
//! The end of an activation is a place, too. Its words are what the function was entered with, what it gives back, and
//! memory as it is then. A block that passes a call gets words of which only that is known that is known at this place
//! ([spacer]). Rules, beside NE1:
//!
//! - SU1: an activation notes at its entry what it was given: its parameters, and the static scalars that it, or what it
//!   calls, may write. The note stays as it is until the activation ends.
//! - SU2: where it gives back its result, a run has come to the end: its locals are gone, and addresses of them are
//!   addresses of nothing.
//! - SU3: past a call, the result and the static scalars that may have been written are arbitrary, but together with what
//!   the call was given they are a state of the end. All else is as it was: a function that may write anything else is
//!   not summarised.
//! - SU4: whether a run goes in or past is an input: what happens before a call that is not come back from happens on a
//!   run that goes in.
//! - SU5: nobody knows to which of the activations that were left behind control comes back: what is not exact below a
//!   summarised call always counts.

use crate::engine::{Engine, Key};
use crate::memory::Cells;
use crate::nested::Effects;
use crate::relevance::Link;
use crate::state::State;
use crate::units::Sort;
use crate::word::Word;
use c_data::{FuncId, Home};
use logic::Lit;
use std::rc::Rc;

/// What the keys of the ends and of the entries of functions end with.
pub(crate) const END: u32 = u32::MAX - 1;
pub(crate) const ENTRY: u32 = u32::MAX - 2;

/// The most scalars that a function may write to be summarised.
const MOST: usize = 64;

/// A call that a block passed.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    /// The key of the end.
    pub(crate) end: Key,
    pub(crate) when: Lit,
    /// The state at the end.
    pub(crate) state: State,
}

impl Engine<'_> {
    pub(crate) fn summarises(&self) -> bool {
        self.cutting.as_ref().is_some_and(|cutting| cutting.summaries)
    }

    /// Whether a function is summarised.
    pub(crate) fn is_summarised(&mut self, f: FuncId) -> bool {
        if let Some(&known) = self.cutting.as_ref().and_then(|c| c.summarised.get(&f)) {
            return known;
        }
        let found = self.summarises() && self.can_be_summarised(f);
        if let Some(cutting) = &mut self.cutting {
            cutting.summarised.insert(f, found);
        }
        found
    }

    fn can_be_summarised(&mut self, f: FuncId) -> bool {
        let function = self.function(f);
        let plain = |home: Home| home == Home::Register;
        let scalar = |engine: &Self| {
            let types = &engine.program.types;
            let result = types.signature(function.ty).map(|s| s.result);
            result.is_some_and(|ty| types.is_void(ty) || engine.has_words(ty))
        };
        if function.variadic
            || !function.params.iter().all(|p| plain(function.locals[p.index()].home))
            || !scalar(self)
        {
            return false;
        }
        let effects: Effects = self.effects(f);
        let Ok(written) = &*effects else { return false };
        let mut count = 0;
        for &object in written {
            let units = self.units(self.statics[object]);
            count += units.len();
            let odd = |s: Sort| matches!(s, Sort::Pointer | Sort::Mixed);
            if count > MOST || units.iter().any(|u| odd(u.sort)) {
                return false;
            }
        }
        true
    }

    /// Whether values of a type are numbers, and no addresses.
    fn has_words(&self, ty: c_types::Ty) -> bool {
        self.program.types.as_int(ty).is_some() && self.program.types.pointee(ty).is_none()
    }

    /// The parameters that an activation notes.
    pub(crate) fn noted(&mut self, f: FuncId) -> Vec<usize> {
        let live = self.live(f, 0, 0);
        let params = &self.function(f).params;
        params.iter().map(|p| p.index()).filter(|&p| live[p]).collect()
    }

    /// Static scalars as they are in a state.
    fn scalars_of(&mut self, memory: &[Option<Rc<Cells>>], f: FuncId) -> Vec<Word> {
        let mut out = Vec::new();
        let effects: Effects = self.effects(f);
        for &object in effects.as_ref().as_ref().map_or(&[][..], |written| written) {
            let id = self.statics[object];
            let units = self.units(id);
            let Some(cells) = memory.get(id as usize).cloned().flatten() else { continue };
            let mut cells = (*cells).clone();
            let (o, c, plain) = (&mut self.objects, &mut self.c, self.plain);
            out.extend(units.iter().map(|u| cells.read(o, c, plain, u.at, u.bytes)));
        }
        out
    }

    /// Notes what an activation is entered with. SU1.
    pub(crate) fn note_entry(&mut self, state: &mut State) {
        let f = state.top().function;
        let mut all = Vec::new();
        for p in self.noted(f) {
            all.push(match &state.top().locals[p] {
                Some(value) => value.word.clone(),
                None => {
                    let frame = state.top().clone();
                    crate::state::Unset::unset(self, &frame, p).word
                }
            });
        }
        all.extend(self.scalars_of(&state.memory, f));
        state.top().entry = Some(Rc::new(all));
    }

    /// The activation that goes in forgets where it came from. SU5.
    pub(crate) fn alone(&mut self, into: &mut State, f: FuncId) {
        into.top().below = Some(Rc::new(Link { function: f, block: usize::MAX, below: None }));
    }

    /// Nobody below looks at the registers of those that wait.
    pub(crate) fn without_registers(&self, state: &mut State) {
        for frame in &mut state.frames {
            let frame = Rc::make_mut(frame);
            frame.entry = None;
            let locals = &self.program.functions[frame.function.index()].locals;
            let values = Rc::make_mut(&mut frame.locals);
            for (value, local) in values.iter_mut().zip(locals) {
                if local.home == Home::Register {
                    *value = None;
                }
            }
        }
    }

    /// Takes down that a call was passed, from the state in which it was entered. SU3.
    pub(crate) fn passed(
        &mut self,
        (mut into, given): (State, Vec<Word>),
        after: &State,
        f: FuncId,
        result: Option<Word>,
    ) {
        into.guard = after.guard;
        let mut note = Vec::new();
        for p in self.noted(f) {
            let i = self.function(f).params.iter().position(|q| q.index() == p);
            note.extend(i.and_then(|i| given.get(i)).cloned());
        }
        note.extend(self.scalars_of(&into.memory, f));
        note.extend(result);
        let effects: Effects = self.effects(f);
        for &object in effects.as_ref().as_ref().map_or(&[][..], |written| written) {
            let id = self.statics[object] as usize;
            into.memory[id] = after.memory[id].clone();
        }
        into.top().entry = Some(Rc::new(note));
        let end: Key = into.top().prefix.iter().copied().chain([END]).collect();
        let when = after.guard;
        if let Some(cutting) = &mut self.cutting {
            cutting.passed.push(Passed { end, when, state: into });
        }
    }

    /// A run comes to the end of an activation, its frame still there. SU2.
    pub(crate) fn arrive_at_end(&mut self, mut state: State, given: Option<Word>) {
        let frame = state.top();
        let (f, objects) = (frame.function, std::mem::take(&mut frame.objects));
        for &object in &objects {
            state.memory[object as usize] = None;
        }
        self.bury(&mut state, &objects, Lit::TRUE);
        let given = self.result_bits(f).map(|bits| match given {
            Some(word) => word.resized(bits, false),
            None => self.c.input(bits),
        });
        let frame = state.top();
        frame.locals = Rc::new(vec![None; frame.locals.len()]);
        (frame.block, frame.next, frame.again, frame.own) = (0, 0, None, 0);
        (frame.rounds, frame.loops) = (Vec::new(), Vec::new());
        let mut note = frame.entry.as_deref().cloned().unwrap_or_default();
        note.extend(given);
        frame.entry = Some(Rc::new(note));
        let key: Key = frame.prefix.iter().copied().chain([END]).collect();
        self.arrive_at(state, key);
    }

    /// The bits of what a function gives back, if it does.
    pub(crate) fn result_bits(&self, f: FuncId) -> Option<u32> {
        let types = &self.program.types;
        let ty = types.signature(self.program.functions[f.index()].ty).map(|s| s.result)?;
        (!types.is_void(ty)).then(|| self.class(ty).bits())
    }
}
