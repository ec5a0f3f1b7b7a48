//! Memory when a program has ended: what nothing leads to any more, and what was not freed.
//!
//! Static objects, and the named locals of functions that are active, lead to what they hold the address of, at
//! multiples of a pointer's size; what is led to leads on.

use crate::engine::{Engine, Step, Why};
use crate::memory::{Kind, PAGE};
use crate::state::State;
use crate::word::Word;
use c_data::Check;
use logic::Lit;
use std::collections::BTreeMap;

/// So many pairs of a word and an object are looked at.
const MAX_PAIRS: usize = 2_000_000;

/// What ends a run because something failed. Whoever asks whether all memory is freed asks about these ends, too.
const ABORTS: [&str; 8] = [
    "abort",
    "__assert_fail",
    "__assert",
    "__assert_func",
    "__assert_rtn",
    "__assert_perror_fail",
    "__VERIFIER_error",
    "reach_error",
];

impl Engine<'_> {
    /// The program ends: by itself, or by a function that does nothing else. What is left is not decided where that one
    /// ends it at once.
    pub(crate) fn ended(&mut self, state: &State, by: Option<&str>) -> Step<()> {
        let cleanup = self.asks(Check::Cleanup);
        // An end by a failure leaves what is not freed, as any other does.
        let by = by.filter(|by| !cleanup || !ABORTS.contains(by));
        // What is lost is looked for where the program ends by itself.
        if !cleanup && (!self.asks(Check::Memory) || by.is_some()) {
            return Ok(());
        }
        let mut heap: Vec<(u32, Lit)> = Vec::new();
        for (id, cells) in state.memory.iter().enumerate() {
            let Some(cells) = cells else { continue };
            if self.objects.all[id].kind == Kind::Heap {
                let (made, alive) = (self.made.get(&(id as u32)).map(|m| m.1), cells.alive);
                let guard = self.c.aig.and_all([state.guard, made.unwrap_or(Lit::TRUE), alive]);
                if guard != Lit::FALSE {
                    heap.push((id as u32, guard));
                }
            }
        }
        if heap.is_empty() {
            return Ok(());
        }
        let reached = if cleanup { BTreeMap::new() } else { self.led_to(state, &heap)? };
        for (id, guard) in heap {
            let led = reached.get(&id).copied().unwrap_or(Lit::FALSE);
            let left = self.c.aig.and(guard, !led);
            match self.made.get(&id).and_then(|m| m.0) {
                _ if left == Lit::FALSE => {}
                Some(_) if by.is_some() => {
                    let what = format!("memory is left where `{}` ends a run", by.unwrap_or(""));
                    self.cut_at(left, Why::Uncovered(what));
                }
                Some(operation) => {
                    self.note_lost(id, left);
                    self.failed_when(operation, left);
                }
                None => {
                    let what = "the library keeps memory outside of the program";
                    self.cut_at(left, Why::Uncovered(what.into()));
                }
            }
        }
        Ok(())
    }

    /// When something leads to an object.
    fn led_to(&mut self, state: &State, heap: &[(u32, Lit)]) -> Step<BTreeMap<u32, Lit>> {
        let mut led: BTreeMap<u32, Lit> = BTreeMap::new();
        let mut pairs = 0;
        // From objects that are allocated: to where, and when.
        let mut edges: Vec<(u32, u32, Lit)> = Vec::new();
        let mut words: Vec<(Option<u32>, Lit, Word)> = Vec::new();
        for frame in &state.frames {
            let function = self.function(frame.function);
            for (local, value) in function.locals.iter().zip(frame.locals.iter()) {
                let named = !local.name.is_empty() && local.home == c_data::Home::Register;
                if let Some(value) = value.as_ref().filter(|_| named) {
                    words.push((None, Lit::TRUE, value.word.clone()));
                }
            }
        }
        let step = u64::from(self.objects.pointer / 8);
        for id in 0..state.memory.len() {
            let Some(cells) = &state.memory[id] else { continue };
            if cells.alive == Lit::FALSE {
                continue;
            }
            let object = self.objects.all[id].clone();
            let (from, alive) = ((object.kind == Kind::Heap).then_some(id as u32), cells.alive);
            let mut cells = (**cells).clone();
            let mut at = 0;
            self.budget.work(object.size / step)?;
            while at + step <= object.size {
                if !cells.is_known(at) {
                    // Nothing is on the whole page.
                    at += PAGE as u64 - at % PAGE as u64;
                    continue;
                }
                let (objects, c) = (&mut self.objects, &mut self.c);
                let word = cells.read(objects, c, self.plain, at, step);
                if word.value().is_none_or(|v| v >> self.objects.shift != 0) {
                    words.push((from, alive, word));
                }
                at += step;
            }
        }
        for (from, alive, word) in words {
            if word.width() != self.objects.pointer {
                continue;
            }
            let known = word.value().map(|v| self.objects.at(v as u64));
            for &(id, _) in heap {
                if known.is_some_and(|k| k != Some(id)) {
                    continue;
                }
                pairs += 1;
                let (there, _) = self.objects.inside(&mut self.c, &word, id);
                let when = self.c.aig.and(alive, there);
                match from {
                    _ if when == Lit::FALSE => {}
                    None => {
                        let slot = led.entry(id).or_insert(Lit::FALSE);
                        *slot = self.c.aig.or(*slot, when);
                    }
                    Some(from) => edges.push((from, id, when)),
                }
            }
            if pairs > MAX_PAIRS {
                let what = "there is too much memory to say what leads where";
                self.cut(state, Why::Uncovered(what.into()));
                return Ok(heap.iter().map(|(id, _)| (*id, Lit::TRUE)).collect());
            }
        }
        for _ in 0..heap.len() {
            let mut changed = false;
            self.budget.work(edges.len() as u64)?;
            for &(from, to, when) in &edges {
                let first = led.get(&from).copied().unwrap_or(Lit::FALSE);
                let leads = self.c.aig.and(first, when);
                let old = led.get(&to).copied().unwrap_or(Lit::FALSE);
                let new = self.c.aig.or(old, leads);
                if new != old {
                    led.insert(to, new);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Ok(led)
    }
}
