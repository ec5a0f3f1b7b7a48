//! Runs that are cut into blocks: a block starts at the head of a loop and ends where the next one is come to.
//!
//! Where runs are cut, an object has one number for each place that makes it (a statement, in an unrolled round, below
//! a chain of calls), so that states of different blocks mean the same by it. Rules that keep this right:
//!
//! - CU1: a place that makes an object that is still there is not followed.
//! - CU2: when an object goes, the addresses of it that are left become addresses of nothing. Whether they equal another
//!   one is open, also where they are compared as numbers; what follows them is told.
//! - CU3: a local that is declared has no value, whatever it had in the round before.
//! - CU4: a loop is followed round by round as long as its rounds are certain, or few; any other is cut at its head.
//! - CU5: a local in a register that nobody reads any more has no value at a cut.
//! - CU6: what is read outside of objects is anything, unless that is asked about: a run that goes on there goes on with
//!   some value. What is written there may change everything, and is not followed.

use crate::engine::{Engine, Key, Step, Why};
use crate::memory::{Cells, DEAD, Kind, PAGE};
use crate::state::{Round, State, Value};
use crate::units::{Sort, Unit};
use crate::word::Word;
use c_data::{Callee, End, ExprId, ExprKind, FuncId, Function, Home, LocalId, StmtKind};
use c_types::Ty;
use logic::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Rounds of a loop that takes inputs, and whose condition is certain.
const CERTAIN_INPUTS: u32 = 40;
/// The same where it takes none.
const CERTAIN: u32 = 1_100;

/// A loop below a chain of calls: function, block and statement of each call, then function and head.
pub(crate) type Mark = Vec<u32>;

/// Where runs are cut.
#[derive(Default)]
pub(crate) struct Cutting {
    /// The loops.
    pub(crate) marks: FxHashSet<Mark>,
    /// Loops that turned out to need a cut.
    pub(crate) missing: Vec<Mark>,
    /// What came to heads, by their keys.
    pub(crate) arrivals: BTreeMap<Key, State>,
    /// The head that comes next is where this block starts.
    pub(crate) starting: bool,
    /// Rounds whose condition is not certain.
    pub(crate) patience: u32,
    /// Objects by where they are made.
    pub(crate) named: FxHashMap<(Key, u32), u32>,
    /// Types of locals in memory.
    pub(crate) types: FxHashMap<u32, Ty>,
    pub(crate) units: FxHashMap<u32, Rc<[Unit]>>,
    pub(crate) live: FxHashMap<(FuncId, usize, usize), Rc<Vec<bool>>>,
    pub(crate) flows: FxHashMap<FuncId, Rc<Vec<Vec<bool>>>>,
    /// Calls of functions that are active already are ways into them, and past them.
    pub(crate) recursion: bool,
    /// Of each such call, whether a run goes in.
    pub(crate) inside: Vec<Lit>,
    pub(crate) effects: FxHashMap<FuncId, crate::nested::Effects>,
    /// What such a call gives is what some activation gave (SU1–SU5).
    pub(crate) summaries: bool,
    pub(crate) summarised: FxHashMap<FuncId, bool>,
    /// Large objects are told by one of their elements (CH1–CH5).
    pub(crate) elements: bool,
    /// Objects that were written at places that are not known, and are many.
    pub(crate) scattered: FxHashSet<u32>,
    /// The calls that this block passes.
    pub(crate) passed: Vec<crate::summaries::Passed>,
}

impl Engine<'_> {
    fn mark(&self, state: &State) -> Mark {
        let mut out = Vec::new();
        let (last, below) = state.frames.split_last().expect("a function is active");
        for frame in below {
            out.extend([frame.function.index() as u32, frame.block as u32, frame.next as u32]);
        }
        out.extend([last.function.index() as u32, last.block as u32]);
        out
    }

    /// At a place that may be a head: whether the runs are followed there. CU4.
    pub(crate) fn cut_loops(&mut self, state: &mut State, again: Option<usize>) -> Step<bool> {
        let frame = state.top();
        let (block, function, first) = (frame.block, frame.function, frame.next == 0);
        if !first || !self.flow_of(function).is_head(block) {
            return Ok(true);
        }
        let mark = self.mark(state);
        let Some(cutting) = &mut self.cutting else { return Ok(true) };
        if std::mem::take(&mut cutting.starting) {
            return Ok(true);
        }
        if cutting.marks.contains(&mark) {
            self.arrive(state.clone());
            return Ok(false);
        }
        let patience = cutting.patience;
        let Some(i) = again else { return Ok(true) };
        let inputs = self.taken.len();
        let round = state.top().loops[i];
        if !self.same_guard(state, round.guard)? {
            return Ok(false);
        }
        let changed = state.guard != round.guard;
        if changed && !self.perhaps(state.guard)? {
            return Ok(false);
        }
        let count = round.count + u32::from(changed);
        let rounds = state.top().rounds[i];
        let long = if inputs != round.inputs { CERTAIN_INPUTS } else { CERTAIN };
        if count > patience || rounds > long {
            if let Some(cutting) = &mut self.cutting {
                cutting.missing.push(mark);
            }
            return Ok(false);
        }
        let guard = state.guard;
        state.top().loops[i] = Round { guard, inputs, count, quiet: 0 };
        Ok(true)
    }

    /// Ends a block at a head.
    pub(crate) fn arrive(&mut self, mut state: State) {
        let frame = state.top();
        if let Some(last) = frame.rounds.last_mut() {
            *last = 0;
        }
        frame.again = None;
        self.drop_dead(&mut state);
        let key = self.key(&state);
        self.arrive_at(state, key);
    }

    /// Ends a block at a place with a key.
    pub(crate) fn arrive_at(&mut self, state: State, key: Key) {
        let Some(cutting) = &mut self.cutting else { return };
        let before = cutting.arrivals.remove(&key);
        let state = match before {
            Some(other) => other.merge(state, self),
            None => state,
        };
        if let Some(cutting) = &mut self.cutting {
            cutting.arrivals.insert(key, state);
        }
    }

    // Objects.

    /// The object that this place makes. CU1.
    pub(crate) fn make_again(
        &mut self,
        state: &mut State,
        size: u64,
        exact: Option<Word>,
        kind: Kind,
        which: u32,
    ) -> Option<u32> {
        if exact.is_some() {
            let what = "memory of a size that is not known is allocated";
            self.cut(state, Why::Uncovered(what.into()));
            return None;
        }
        let key = self.key(state);
        let cutting = self.cutting.as_ref()?;
        let Some(&id) = cutting.named.get(&(key.clone(), which)) else {
            let id = self.objects.make(size, None, kind)?;
            if let Some(cutting) = &mut self.cutting {
                cutting.named.insert((key, which), id);
            }
            return Some(id);
        };
        let there = state.memory.get(id as usize).and_then(Option::as_ref);
        let there = there.map_or(Lit::FALSE, |cells| cells.alive);
        let object = &self.objects.all[id as usize];
        if object.size != size || object.kind != kind {
            let what = "memory is allocated whose size depends on the round of a loop";
            self.cut(state, Why::Uncovered(what.into()));
            return None;
        }
        let kept = self.c.aig.and(state.guard, there);
        if kept != Lit::FALSE {
            let what = "memory is allocated in a loop and kept";
            self.cut_at(kept, Why::Uncovered(what.into()));
            state.guard = self.c.aig.and(state.guard, !there);
        }
        self.objects.forget_raw(id);
        Some(id)
    }

    /// Makes addresses of objects that are gone addresses of nothing. CU2.
    pub(crate) fn bury(&mut self, state: &mut State, objects: &[u32], when: Lit) {
        if self.cutting.is_none() || objects.is_empty() {
            return;
        }
        for f in 0..state.frames.len() {
            let function = self.function(state.frames[f].function);
            for i in 0..state.frames[f].locals.len() {
                let pointer = self.program.types.pointee(function.locals[i].ty).is_some();
                let Some(value) = &state.frames[f].locals[i] else { continue };
                if pointer && let Some(buried) = self.buried(value, objects, when) {
                    let frame = Rc::make_mut(&mut state.frames[f]);
                    Rc::make_mut(&mut frame.locals)[i] = Some(buried);
                }
            }
        }
        let (bytes, plain) = (u64::from(self.objects.pointer / 8), self.plain);
        for id in 0..state.memory.len() {
            let Some(cells) = state.memory[id].clone() else { continue };
            if cells.is_late() {
                self.bury_late(state.guard, &cells, objects, when);
            }
            if cells.with_bits().next().is_none() || cells.alive == Lit::FALSE {
                continue;
            }
            let size = self.objects.all[id].size;
            let units = self.units(id as u32);
            let mut copy = (*cells).clone();
            for unit in units.iter() {
                let fits = unit.at + bytes <= size;
                let aligned = unit.at.is_multiple_of(bytes) && unit.bytes >= 4;
                let mixed = unit.sort == Sort::Mixed && fits && aligned;
                let first = unit.at as usize / PAGE;
                let last = (unit.at + bytes - 1) as usize / PAGE;
                let known = cells.has_bits(first) || cells.has_bits(last);
                if !known || !(mixed || unit.sort == Sort::Pointer) {
                    continue;
                }
                let word = copy.read(&mut self.objects, &mut self.c, plain, unit.at, bytes);
                let Some(buried) = self.buried(&word.clone().into(), objects, when) else {
                    continue;
                };
                if mixed {
                    let same = self.c.equal(&word, &buried.word);
                    let guard = self.c.aig.and_all([state.guard, cells.alive, !same]);
                    let what = "memory may keep an address of something that is there no more";
                    self.cut_at(guard, Why::Approximate(what.into()));
                    continue;
                }
                if let Some(slot) = &mut state.memory[id] {
                    let slot = Rc::make_mut(slot);
                    let written = slot.written.clone();
                    let (o, c) = (&mut self.objects, &mut self.c);
                    slot.write(o, c, plain, unit.at, &buried.word, Lit::TRUE);
                    slot.written = written;
                }
            }
        }
    }

    /// Notes late writes of addresses of what goes. What lies beneath them is none that is known (CH4).
    fn bury_late(&mut self, guard: Lit, cells: &Cells, objects: &[u32], when: Lit) {
        let words: Vec<(Lit, Word)> = cells.late_words(self.objects.pointer).collect();
        for (written, word) in words {
            let Some(buried) = self.buried(&word.clone().into(), objects, when) else { continue };
            let same = self.c.equal(&word, &buried.word);
            let guard = self.c.aig.and_all([guard, cells.alive, written, !same]);
            let what = "memory may keep an address of something that is there no more";
            self.cut_at(guard, Why::Approximate(what.into()));
        }
    }

    pub(crate) fn bury_value(&mut self, value: &mut Value, objects: &[u32]) {
        if self.cutting.is_some()
            && let Some(buried) = self.buried(value, objects, Lit::TRUE)
        {
            *value = buried;
        }
    }

    /// A value without the addresses of some objects; none if it has none of them.
    fn buried(&mut self, value: &Value, objects: &[u32], when: Lit) -> Option<Value> {
        if value.word.width() != self.objects.pointer {
            return None;
        }
        let mut out: Option<Value> = None;
        for &object in objects {
            let now = out.as_ref().unwrap_or(value);
            if let Some(known) = now.word.value() {
                if self.objects.at(known as u64) != Some(object) {
                    continue;
                }
            } else if now.from.as_ref().is_some_and(|from| !from.contains(&object)) {
                continue;
            }
            let (inside, _) = self.objects.inside(&mut self.c, &now.word, object);
            let inside = self.c.aig.and(inside, when);
            if inside == Lit::FALSE {
                continue;
            }
            let nothing = Word::number(self.objects.pointer, (DEAD << self.objects.shift).into());
            let word = self.c.ite(inside, &nothing, &now.word);
            out = Some(Value { word, ..now.clone() });
        }
        out
    }

    /// Whether a value is an address of something that is there no more. CU2.
    pub(crate) fn is_dead(&mut self, value: &Value) -> Lit {
        let bits = self.objects.pointer;
        if value.word.width() != bits {
            return Lit::FALSE;
        }
        let high = value.word.slice(self.objects.shift, bits - self.objects.shift);
        let slot = Word::number(high.width(), DEAD.into());
        self.c.equal(&high, &slot)
    }

    /// A local is declared. CU3.
    pub(crate) fn forget(&mut self, state: &mut State, local: LocalId) {
        let function = self.function(state.top().function);
        match function.locals[local.index()].home {
            Home::Register => {
                let frame = state.top();
                Rc::make_mut(&mut frame.locals)[local.index()] = None;
                let serial = frame.serial;
                self.unset.remove(&(serial, local.index()));
            }
            Home::Memory => {
                let Some(object) = self.object_of(state, local) else { return };
                let size = self.objects.all[object as usize].size;
                self.objects.forget_raw(object);
                let fresh = Cells::new(object, size, false);
                state.memory[object as usize] = Some(Rc::new(fresh));
            }
            Home::ByAddress => {}
        }
    }

    // What is read later.

    /// Takes the values of locals that nobody reads any more. CU5.
    pub(crate) fn drop_dead(&mut self, state: &mut State) {
        let last = state.frames.len() - 1;
        for f in 0..state.frames.len() {
            let frame = &state.frames[f];
            let (id, block, next) = (frame.function, frame.block, frame.next);
            let result = if f < last { state.frames[f + 1].result } else { None };
            let live = self.live(id, block, next);
            let frame = Rc::make_mut(&mut state.frames[f]);
            let locals = Rc::make_mut(&mut frame.locals);
            let function = &self.program.functions[id.index()];
            for (i, local) in function.locals.iter().enumerate() {
                let dead = !live[i] || result.is_some_and(|r| r.index() == i);
                if local.home == Home::Register && dead {
                    locals[i] = None;
                }
            }
        }
    }

    /// Of each local, whether it may be read from a statement on.
    pub(crate) fn live(&mut self, id: FuncId, block: usize, next: usize) -> Rc<Vec<bool>> {
        let function = self.function(id);
        let labels = self.flow_of(id).labels.clone();
        let Some(cutting) = &mut self.cutting else { return Rc::default() };
        if let Some(live) = cutting.live.get(&(id, block, next)) {
            return live.clone();
        }
        let ends = cutting.flows.entry(id).or_insert_with(|| Rc::new(live_out(function, &labels)));
        let mut live = ends[block].clone();
        backwards(function, block, next, &mut live);
        let live = Rc::new(live);
        cutting.live.insert((id, block, next), live.clone());
        live
    }
}

/// The locals that are read after each block.
fn live_out(function: &Function, labels: &[c_data::BlockId]) -> Vec<Vec<bool>> {
    let count = function.locals.len();
    let mut out = vec![vec![false; count]; function.blocks.len()];
    loop {
        let mut changed = false;
        for b in (0..function.blocks.len()).rev() {
            let next: Vec<usize> = match &function.blocks[b].end {
                End::Jump(to) => vec![to.index()],
                End::Branch(_, yes, no) => vec![yes.index(), no.index()],
                End::Switch(_, cases, default) => {
                    cases.iter().map(|c| c.2.index()).chain([default.index()]).collect()
                }
                End::JumpTo(_) => labels.iter().map(|l| l.index()).collect(),
                End::Return(_) | End::FellOff | End::Unreachable => Vec::new(),
            };
            let mut live = out[b].clone();
            for to in next {
                let mut before = out[to].clone();
                backwards(function, to, 0, &mut before);
                live.iter_mut().zip(before).for_each(|(a, b)| *a |= b);
            }
            if live != out[b] {
                out[b] = live;
                changed = true;
            }
        }
        if !changed {
            return out;
        }
    }
}

/// From what is read after a block to what is read from one of its statements on.
fn backwards(function: &Function, block: usize, from: usize, live: &mut [bool]) {
    let block = &function.blocks[block];
    match &block.end {
        End::Branch(e, ..) | End::Switch(e, ..) | End::JumpTo(e) | End::Return(Some(e)) => {
            reads(function, *e, live);
        }
        _ => {}
    }
    for stmt in block.stmts.iter().skip(from).rev() {
        let mut set = |local: &LocalId| live[local.index()] = false;
        let exprs: Vec<ExprId> = match &stmt.kind {
            StmtKind::Set(local, e) => {
                set(local);
                vec![*e]
            }
            StmtKind::Begin(local) => {
                set(local);
                Vec::new()
            }
            StmtKind::Eval(e) => vec![*e],
            StmtKind::Within { inside, .. } => vec![*inside],
            StmtKind::Store { to, value } | StmtKind::StoreBits { to, value, .. } => {
                vec![*to, *value]
            }
            StmtKind::Copy { to, from, .. } => vec![*to, *from],
            StmtKind::Zero { to, .. } => vec![*to],
            StmtKind::Call(call) => {
                call.result.iter().for_each(&mut set);
                let mut all = call.args.clone();
                all.extend(call.result_at);
                if let Callee::Indirect(e) = call.callee {
                    all.push(e);
                }
                all
            }
            StmtKind::Allocate { to, size } => {
                set(to);
                vec![*size]
            }
            StmtKind::Mark(local) => {
                set(local);
                Vec::new()
            }
            StmtKind::Free(local) => {
                live[local.index()] = true;
                Vec::new()
            }
            StmtKind::VaStart(e) => vec![*e],
            StmtKind::VaNext { to, list, .. } => {
                set(to);
                vec![*list]
            }
            StmtKind::SetJump { buffer, result } => {
                set(result);
                vec![*buffer]
            }
            StmtKind::Closure { to, function, chain } => {
                set(to);
                vec![*function, *chain]
            }
            StmtKind::Overflow { operands, result, overflow, .. } => {
                set(result);
                set(overflow);
                vec![operands.0, operands.1]
            }
            StmtKind::Alive(_) | StmtKind::Leave(_) | StmtKind::NotCovered(_) => Vec::new(),
        };
        exprs.into_iter().for_each(|e| reads(function, e, live));
    }
}

fn reads(function: &Function, root: ExprId, live: &mut [bool]) {
    let mut todo = vec![root];
    while let Some(e) = todo.pop() {
        match function.expr(e).kind {
            ExprKind::Local(local) => live[local.index()] = true,
            ExprKind::Load(a) | ExprKind::LoadBits(a, ..) => todo.push(a),
            ExprKind::Convert(a) | ExprKind::Unary(_, a) => todo.push(a),
            ExprKind::Binary(_, a, b) => todo.extend([a, b]),
            _ => {}
        }
    }
}
