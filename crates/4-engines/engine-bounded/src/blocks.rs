//! C as a graph of large blocks: the start and the heads of loops are places, what changes at them are words, and what
//! happens between them is a function.
//!
//! A place starts as the first run comes to it: what is a number there is one, all else is a word about which nothing
//! is known. Whatever another run brings that is different becomes such a word, too, and what follows is executed
//! again, until nothing new is brought.

use crate::chosen::{Chosen, Glimpse, INDEX, SCALARS};
use crate::cutting::{Cutting, Mark};
use crate::engine::{Cut, Engine, Key, Step, Why};
use crate::memory::{Cells, PAGE};
use crate::relevance::Leads;
use crate::search::{Goal, Inputs, cut_reason, script};
use crate::state::{Frame, State, Value};
use crate::summaries::{END, ENTRY, Passed};
use crate::units::Unit;
use crate::word::Word;
use c_data::{Check, Operation, Program};
use check::{Budget, Progress, StopReason};
use engine_predicates::{Bad, Graph, Run};
use logic::Lit;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

mod graph;

/// The most places, words of a place, and blocks that are executed.
const MAX_SITES: usize = 200;
const MAX_WORDS: usize = 1_200;
const MAX_BLOCKS: usize = 3_000;
/// The depth of a recursion that is followed.
pub(crate) const DEPTH: u32 = 3;
/// Rounds of a loop with an uncertain condition that are followed at first, and statements that this may take.
const PATIENCE: u32 = 4;
const PATIENT: u64 = 60_000;

/// Where a word of a place is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Place {
    /// A local in a register, by the frame from below.
    Local(usize, usize),
    /// Whether an object is there.
    Alive(u32),
    /// Bytes of an object.
    Bytes(u32, u64, u64),
    /// What the last function of the outermost level gave back.
    Result,
    /// What a frame notes, by the frame from below.
    Note(usize, usize),
    /// The index of the elements by which large objects are told.
    Index,
    /// Bytes of that element of an object.
    Element(u32, u64, u64),
}

/// A place where blocks start.
pub(crate) struct Site {
    key: Key,
    pub(crate) state: State,
    words: BTreeMap<Place, Word>,
}

/// What a block that starts somewhere leads to.
#[derive(Default)]
pub(crate) struct Block {
    arrivals: Vec<(usize, State)>,
    pub(crate) cuts: Vec<Cut>,
    reached: Vec<Lit>,
    failed: BTreeMap<Operation, Lit>,
    pub(crate) taken: Range<usize>,
    passed: Vec<Passed>,
    glimpses: Vec<Glimpse>,
}

/// A program as a graph.
pub struct Blocks<'p> {
    pub(crate) program: &'p Program,
    goals: Vec<Goal>,
    check: Option<Check>,
    pub(crate) engine: Engine<'p>,
    pub(crate) sites: Vec<Site>,
    /// By site, the start first.
    pub(crate) blocks: Vec<Block>,
    /// The index at the start of a block, and where it ends.
    index: Option<Word>,
    arriving: Option<Word>,
    /// How many indices there are.
    count: u64,
    /// The program allocates memory, which is taken to succeed.
    pub allocates: bool,
    /// It may read outside of objects, which is taken to give something.
    pub stray: bool,
    /// The graph.
    pub graph: Graph,
    /// Statements that were executed.
    pub statements: u64,
}

/// What must not happen, and why nothing is known where it does; none where it is what was asked about.
pub struct Bads {
    /// What.
    pub all: Vec<Bad>,
    /// Why.
    pub reasons: Vec<Option<StopReason>>,
    /// The operations that fail, where that is asked.
    pub operations: Vec<Option<Operation>>,
}

/// Makes the graph of a program for questions about places, or about operations of a kind; not about what was never
/// written.
pub fn blocks<'p>(
    program: &'p Program,
    goals: &[Goal],
    check: Option<Check>,
    budget: &Budget,
) -> Result<Blocks<'p>, StopReason> {
    made(program, goals, check, false, budget)
}

/// Makes the graph of a program for the question whether its runs end: a function that is called from itself is a place
/// (NE1–NE3).
pub fn blocks_of_endings<'p>(
    program: &'p Program,
    budget: &Budget,
) -> Result<Blocks<'p>, StopReason> {
    made(program, &[], None, true, budget)
}

fn made<'p>(
    program: &'p Program,
    goals: &[Goal],
    check: Option<Check>,
    recursion: bool,
    budget: &Budget,
) -> Result<Blocks<'p>, StopReason> {
    if check == Some(Check::Uninitialised) {
        return Err(too_many("what was never written is not followed from round to round"));
    }
    let none = || StopReason::Unsupported { what: "there is no function `main`".to_owned() };
    let script = script(program).ok_or_else(none)?;
    let mut marks: FxHashSet<Mark> = FxHashSet::default();
    let mut patience = PATIENCE;
    let mut statements = 0;
    loop {
        let depth = if recursion { 1 } else { DEPTH };
        let mut engine = Engine::new(program, goals, script.clone(), (depth, false), budget);
        engine.plain = Lit::FALSE;
        engine.check = check;
        engine.cutting = Some(Box::new(Cutting {
            marks: marks.clone(),
            patience,
            recursion,
            summaries: !recursion,
            elements: !recursion,
            ..Cutting::default()
        }));
        let mut made = Blocks {
            program,
            goals: goals.to_vec(),
            check,
            engine,
            sites: Vec::new(),
            blocks: Vec::new(),
            index: None,
            arriving: None,
            count: 0,
            allocates: false,
            stray: false,
            graph: Graph::default(),
            statements,
        };
        let done = made.follow_all(patience > 0)?;
        statements += made.engine.statements();
        let missing = std::mem::take(&mut made.cutting().missing);
        if !done && missing.is_empty() {
            patience = 0;
            continue;
        }
        if !missing.is_empty() {
            marks.extend(missing);
            continue;
        }
        made.statements = statements;
        made.allocates = made.engine.allocates;
        made.stray = made.engine.stray;
        made.make_graph()?;
        return Ok(made);
    }
}

fn too_many(what: &str) -> StopReason {
    StopReason::Incomplete { what: what.to_owned() }
}

impl Blocks<'_> {
    fn cutting(&mut self) -> &mut Cutting {
        self.engine.cutting.as_mut().expect("runs are cut")
    }

    /// Executes blocks until nothing new is brought anywhere. False if loops are to be cut that were not, or if it
    /// takes too long with rounds that are not certain.
    fn follow_all(&mut self, patient: bool) -> Step<bool> {
        self.begin();
        self.engine.run()?;
        let mut todo: BTreeSet<(Key, usize)> = BTreeSet::new();
        self.end(0, &mut todo)?;
        let mut count = 0;
        while let Some((_, site)) = todo.pop_first() {
            if !self.cutting().missing.is_empty() {
                return Ok(false);
            }
            if patient && self.engine.statements() > PATIENT {
                return Ok(false);
            }
            count += 1;
            if count > MAX_BLOCKS {
                return Err(too_many("too much changes in loops"));
            }
            let (done, total) = (count as u64, None);
            self.engine.budget.report(Progress { phase: "blocks", done, total });
            self.engine.budget.poll()?;
            self.begin();
            // The entry of a function need not be the head of a loop.
            let head = self.sites[site - 1].state.frames.last().map(|f| (f.function, f.block));
            let head = head.is_some_and(|(f, block)| self.engine.flow_of(f).is_head(block));
            self.cutting().starting = head;
            let (key, mut state) =
                (self.sites[site - 1].key.clone(), self.sites[site - 1].state.clone());
            self.fresh_rounds(&mut state);
            if key.last() == Some(&ENTRY) {
                self.engine.note_entry(&mut state);
            }
            self.engine.wait(state, key);
            self.engine.follow()?;
            self.end(site, &mut todo)?;
        }
        Ok(self.cutting().missing.is_empty())
    }

    fn begin(&mut self) {
        self.engine.cuts.clear();
        self.engine.failed.clear();
        self.engine.reached.iter_mut().for_each(|r| *r = Lit::FALSE);
        self.cutting().arrivals.clear();
        self.cutting().passed.clear();
        self.engine.objects.glimpses.clear();
        let taken = self.engine.taken.len();
        self.blocks.push(Block { taken: taken..taken, ..Block::default() });
    }

    /// Loops and recursions of a state that a block starts with count from here.
    fn fresh_rounds(&self, state: &mut State) {
        let inputs = self.engine.taken.len();
        state.guard = Lit::TRUE;
        for frame in &mut state.frames {
            let frame = Rc::make_mut(frame);
            frame.guard = Lit::TRUE;
            for round in &mut frame.loops {
                (round.guard, round.inputs) = (Lit::TRUE, inputs);
            }
        }
    }

    /// Takes down what a block leads to.
    fn end(&mut self, source: usize, todo: &mut BTreeSet<(Key, usize)>) -> Step<()> {
        let mut block = self.blocks.pop().unwrap_or_default();
        block.taken.end = self.engine.taken.len();
        block.cuts = std::mem::take(&mut self.engine.cuts);
        block.failed = std::mem::take(&mut self.engine.failed);
        block.reached = self.engine.reached.clone();
        block.passed = std::mem::take(&mut self.cutting().passed);
        for (key, state) in std::mem::take(&mut self.cutting().arrivals) {
            if state.guard == Lit::FALSE {
                continue;
            }
            let found = self.sites.iter().position(|s| s.key == key);
            let (site, changed) = match found {
                Some(site) => (site, self.join(site, &state)?),
                None => {
                    let words = BTreeMap::new();
                    let (site, first) = (self.sites.len(), state.clone());
                    self.sites.push(Site { key: key.clone(), state: first, words });
                    self.first(site)?;
                    (site, true)
                }
            };
            if self.sites.len() > MAX_SITES {
                return Err(too_many("there are too many loops below each other's calls"));
            }
            if self.sites[site].words.len() > MAX_WORDS {
                return Err(too_many("too many values change in a loop"));
            }
            if key.last() == Some(&END) {
                self.vary_written(site);
            }
            // Nothing starts where a summarised function ends.
            if changed && key.last() != Some(&END) {
                todo.insert((key, site + 1));
            }
            block.arrivals.push((site + 1, state));
        }
        block.glimpses = std::mem::take(&mut self.engine.objects.glimpses);
        if self.blocks.len() <= source {
            self.blocks.resize_with(source + 1, Block::default);
        }
        self.blocks[source] = block;
        Ok(())
    }

    fn fresh(&mut self, site: usize, place: Place, bits: u32) -> Word {
        let word = self.engine.c.input(bits);
        self.sites[site].words.insert(place, word.clone());
        word
    }

    fn is_word(&self, site: usize, place: Place) -> bool {
        self.sites[site].words.contains_key(&place)
    }

    fn origin_of(&mut self, state: &State, value: &Value) -> Option<Rc<[u32]>> {
        self.engine.sources(state, value)
    }

    fn is_pointer(&self, frame: &Frame, local: usize) -> bool {
        let function = &self.program.functions[frame.function.index()];
        self.program.types.pointee(function.locals[local].ty).is_some()
    }

    /// Makes words of what is no number where the first run comes.
    fn first(&mut self, site: usize) -> Step<()> {
        let mut state = self.sites[site].state.clone();
        for f in 0..state.frames.len() {
            self.plain_frame(&state.frames[f])?;
            for i in 0..state.frames[f].locals.len() {
                let Some(value) = state.frames[f].locals[i].clone() else { continue };
                let mut new = value.clone();
                if value.word.value().is_none() {
                    new.from = match self.is_pointer(&state.frames[f], i) {
                        true => self.origin_of(&state, &value),
                        false => None,
                    };
                    new.word = self.fresh(site, Place::Local(f, i), value.word.width());
                }
                new.set = Lit::TRUE;
                let frame = Rc::make_mut(&mut state.frames[f]);
                Rc::make_mut(&mut frame.locals)[i] = Some(new);
            }
            if let Some(note) = state.frames[f].entry.clone() {
                let end = self.sites[site].key.last() == Some(&END);
                let word = |(i, word): (usize, &Word)| match word.value() {
                    Some(_) if !end => word.clone(),
                    _ => self.fresh(site, Place::Note(f, i), word.width()),
                };
                let note = note.iter().enumerate().map(word).collect();
                Rc::make_mut(&mut state.frames[f]).entry = Some(Rc::new(note));
            }
        }
        for id in 0..state.memory.len() {
            let Some(cells) = state.memory[id].clone() else { continue };
            state.memory[id] = Some(Rc::new(self.first_cells(site, id as u32, &cells)));
        }
        if let Some(word) = &state.result
            && word.value().is_none()
        {
            state.result = Some(self.fresh(site, Place::Result, word.width()));
        }
        self.sites[site].state = state;
        Ok(())
    }

    /// What a frame keeps beside its locals must be the same for all runs.
    fn plain_frame(&self, frame: &Frame) -> Step<()> {
        let kept = [&frame.result_at, &frame.more];
        match kept.into_iter().flatten().all(|v| v.word.value().is_some()) {
            true => Ok(()),
            false => Err(too_many("where a result goes depends on the data")),
        }
    }

    fn first_cells(&mut self, site: usize, id: u32, cells: &Cells) -> Cells {
        let mut new = cells.clone();
        if !cells.alive.is_constant() {
            new.alive = self.fresh(site, Place::Alive(id), 1).bit(0);
        }
        if cells.alive == Lit::FALSE {
            return new;
        }
        if cells.is_late() {
            self.tell_element(site, id, &mut new);
            return new;
        }
        let mut copy = cells.clone();
        for unit in self.touching(id, &|page| cells.is_symbolic(page)) {
            let word = self.peek(&mut copy, unit);
            if word.value().is_none() {
                self.vary(site, id, &mut new, unit);
            }
        }
        new
    }

    fn peek(&mut self, cells: &mut Cells, unit: Unit) -> Word {
        let e = &mut self.engine;
        cells.read(&mut e.objects, &mut e.c, e.plain, unit.at, unit.bytes)
    }

    /// CH1: of an object's elements, one is known here.
    fn tell_element(&mut self, site: usize, id: u32, cells: &mut Cells) {
        self.sites[site].words.retain(|p, _| !matches!(p, Place::Bytes(o, ..) if *o == id));
        let layout = self.engine.layout(id);
        let index = match self.sites[site].words.get(&Place::Index) {
            Some(index) => index.clone(),
            None => {
                let bits = self.index_bits(site);
                self.fresh(site, Place::Index, bits)
            }
        };
        let mut units = Vec::new();
        for unit in layout.units {
            let place = Place::Element(id, unit.at, unit.bytes);
            let word = match self.sites[site].words.get(&place) {
                Some(word) => word.clone(),
                None => self.fresh(site, place, 8 * unit.bytes as u32),
            };
            units.push((unit, word));
        }
        cells.tell(Chosen::new(index, layout.step, units));
    }

    /// The width of an index: that of the numbers that it is likely to be compared with.
    fn index_bits(&self, site: usize) -> u32 {
        let Some(frame) = self.sites[site].state.frames.last() else { return INDEX + 1 };
        let function = &self.program.functions[frame.function.index()];
        let wide = |(local, value): (&c_data::Local, &Option<Value>)| {
            let types = &self.program.types;
            let number = types.as_int(local.ty).is_some() && types.pointee(local.ty).is_none();
            value.as_ref().is_some_and(|v| v.word.width() == 64) && number
        };
        match function.locals.iter().zip(frame.locals.iter()).any(wide) {
            true => 64,
            false => INDEX + 1,
        }
    }

    fn vary(&mut self, site: usize, id: u32, cells: &mut Cells, unit: Unit) {
        let place = Place::Bytes(id, unit.at, unit.bytes);
        if self.is_word(site, place) {
            return;
        }
        let word = self.fresh(site, place, 8 * unit.bytes as u32);
        let e = &mut self.engine;
        let written = cells.written.take();
        cells.write(&mut e.objects, &mut e.c, e.plain, unit.at, &word, Lit::TRUE);
        cells.written = written;
    }

    /// What a summarised function may write is a word at its end, so that calls know it.
    fn vary_written(&mut self, site: usize) {
        let Some(f) = self.sites[site].state.frames.last().map(|f| f.function) else { return };
        let effects = self.engine.effects(f);
        for &object in effects.as_ref().as_ref().map_or(&[][..], |written| written) {
            let id = self.engine.statics[object];
            let cells = self.sites[site].state.memory.get(id as usize).cloned().flatten();
            let Some(mut cells) = cells.map(|cells| (*cells).clone()) else { continue };
            for &unit in self.engine.units(id).iter() {
                self.vary(site, id, &mut cells, unit);
            }
            self.sites[site].state.memory[id as usize] = Some(Rc::new(cells));
        }
    }

    /// The scalars of an object on some of its pages.
    fn touching(&mut self, id: u32, page: &dyn Fn(usize) -> bool) -> Vec<Unit> {
        let pages = (self.engine.objects.all[id as usize].size as usize).div_ceil(PAGE);
        let wanted: Vec<bool> = (0..pages).map(page).collect();
        if !wanted.contains(&true) {
            return Vec::new();
        }
        let units = self.engine.units(id);
        let touches = |u: &Unit| {
            let last = (u.at + u.bytes - 1) as usize / PAGE;
            (u.at as usize / PAGE..=last).any(|p| wanted.get(p) == Some(&true))
        };
        units.iter().copied().filter(touches).collect()
    }

    /// Adds what another run brings. Whether it was anything new.
    fn join(&mut self, site: usize, brought: &State) -> Step<bool> {
        let mut state = self.sites[site].state.clone();
        let before = self.sites[site].words.len();
        let mut changed = false;
        for f in 0..state.frames.len() {
            self.plain_frame(&brought.frames[f])?;
            let kept = |frame: &Frame| {
                [&frame.result_at, &frame.more].map(|v| v.as_ref().and_then(|v| v.word.value()))
            };
            if kept(&state.frames[f]) != kept(&brought.frames[f]) {
                return Err(too_many("where a result goes depends on the data"));
            }
            let more: Vec<u32> = brought.frames[f].objects.clone();
            let new = more.iter().filter(|o| !state.frames[f].objects.contains(o));
            let new: Vec<u32> = new.copied().collect();
            if !new.is_empty() {
                Rc::make_mut(&mut state.frames[f]).objects.extend(new);
                changed = true;
            }
            for i in 0..state.frames[f].locals.len() {
                changed |= self.join_local(site, (&mut state, brought), f, i);
            }
            if let (Some(old), Some(new)) = (&state.frames[f].entry, &brought.frames[f].entry) {
                let (mut note, new) = ((**old).clone(), new.clone());
                for (i, (old, new)) in note.iter_mut().zip(&*new).enumerate() {
                    if old.value().is_some() && old != new {
                        *old = self.fresh(site, Place::Note(f, i), old.width());
                    }
                }
                Rc::make_mut(&mut state.frames[f]).entry = Some(Rc::new(note));
            }
        }
        let count = state.memory.len().max(brought.memory.len());
        state.memory.resize(count, None);
        for id in 0..count {
            let there =
                |cells: &Option<Rc<Cells>>| cells.clone().filter(|cells| cells.alive != Lit::FALSE);
            let old = there(&state.memory[id]);
            let new = there(&brought.memory.get(id).cloned().flatten());
            let joined = match (old, new) {
                (None, None) => continue,
                (Some(old), Some(new)) => {
                    let joined = self.join_cells(site, id as u32, &old, &new);
                    changed |= joined.chosen.is_some() && old.chosen.is_none();
                    joined
                }
                (Some(old), None) => {
                    let mut cells = (*old).clone();
                    self.may_be_gone(site, id as u32, &mut cells);
                    cells
                }
                (None, Some(new)) => {
                    changed = true;
                    let mut cells = self.first_cells(site, id as u32, &new);
                    self.may_be_gone(site, id as u32, &mut cells);
                    cells
                }
            };
            state.memory[id] = Some(Rc::new(joined));
        }
        match (&state.result, &brought.result) {
            (Some(a), Some(b)) if a.value().is_some() && a != b => {
                let bits = a.width();
                state.result = Some(self.fresh(site, Place::Result, bits));
            }
            _ => {}
        }
        self.sites[site].state = state;
        Ok(changed || self.sites[site].words.len() > before)
    }

    fn may_be_gone(&mut self, site: usize, id: u32, cells: &mut Cells) {
        if !self.is_word(site, Place::Alive(id)) {
            cells.alive = self.fresh(site, Place::Alive(id), 1).bit(0);
        }
    }

    fn join_local(
        &mut self,
        site: usize,
        (state, brought): (&mut State, &State),
        f: usize,
        i: usize,
    ) -> bool {
        let place = Place::Local(f, i);
        let (old, new) = (&state.frames[f].locals[i], &brought.frames[f].locals[i]);
        let pointer = self.is_pointer(&brought.frames[f], i);
        let joined = match (old.clone(), new.clone()) {
            (None, None) => return false,
            (Some(old), Some(new)) => {
                let mut out = old.clone();
                let same = old.word.value().is_some() && old.word == new.word;
                if !same {
                    if !self.is_word(site, place) {
                        out.word = self.fresh(site, place, old.word.width());
                    }
                    if pointer {
                        let (a, b) = (self.origin_of(state, &old), self.origin_of(brought, &new));
                        out.from = both(a, b);
                    }
                }
                if out.word == old.word && out.from == old.from {
                    return false;
                }
                out
            }
            // What one of the runs has not written is arbitrary there.
            (Some(old), None) => {
                let mut out = old.clone();
                if pointer && !self.is_word(site, place) {
                    out.from = self.origin_of(state, &old);
                }
                if !self.is_word(site, place) {
                    out.word = self.fresh(site, place, old.word.width());
                }
                if out.word == old.word {
                    return false;
                }
                out
            }
            (None, Some(new)) => {
                let mut out = new.clone();
                out.from = if pointer { self.origin_of(brought, &new) } else { None };
                out.word = self.fresh(site, place, new.word.width());
                out.set = Lit::TRUE;
                out
            }
        };
        let frame = Rc::make_mut(&mut state.frames[f]);
        Rc::make_mut(&mut frame.locals)[i] = Some(joined);
        true
    }

    fn join_cells(&mut self, site: usize, id: u32, old: &Cells, new: &Cells) -> Cells {
        let mut out = old.clone();
        if old.alive != new.alive {
            self.may_be_gone(site, id, &mut out);
        }
        if new.pages() == 0 {
            return out;
        }
        if old.pages() == 0 {
            let alive = out.alive;
            let mut cells = self.first_cells(site, id, &new.living(Lit::TRUE));
            cells.alive = alive;
            return cells;
        }
        if old.chosen.is_some() {
            return out;
        }
        let differ = |page: usize| !old.same_page(new, page);
        let units = self.touching(id, &differ);
        let scattered = units.len() > 1 && self.cutting().scattered.contains(&id);
        if new.is_late() || scattered && self.engine.units(id).len() > SCALARS {
            self.tell_element(site, id, &mut out);
            return out;
        }
        let (mut a, mut b) = (old.clone(), new.clone());
        for unit in units {
            let place = Place::Bytes(id, unit.at, unit.bytes);
            if self.is_word(site, place) {
                continue;
            }
            let (first, last) =
                (unit.at as usize / PAGE, (unit.at + unit.bytes - 1) as usize / PAGE);
            let raw = (first..=last).any(|p| old.is_raw(p) || new.is_raw(p));
            let same = !raw && {
                let (a, b) = (self.peek(&mut a, unit), self.peek(&mut b, unit));
                a.value().is_some() && a == b
            };
            if !same {
                self.vary(site, id, &mut out, unit);
            }
        }
        out
    }

    /// What must not happen so that a goal is not reached: the first with number 0, if the question is about places.
    pub fn bads(&mut self, goal: usize) -> Bads {
        let asked = match self.check {
            Some(check) => Goal { points: self.program.operation_points(check) },
            None => self.goals[goal].clone(),
        };
        let leads = Leads::new(self.program, &asked);
        let everywhere = matches!(self.check, Some(Check::Memory | Check::Cleanup));
        let mut out = Bads { all: Vec::new(), reasons: Vec::new(), operations: Vec::new() };
        let mut add = |node, guard, reason, operation| {
            if guard != Lit::FALSE {
                out.all.push(Bad { node, guard });
                out.reasons.push(reason);
                out.operations.push(operation);
            }
        };
        for (node, block) in self.blocks.iter().enumerate() {
            if let Some(&guard) = block.reached.get(goal) {
                add(node, guard, None, None);
            }
            for (&operation, &guard) in &block.failed {
                add(node, guard, None, Some(operation));
            }
            for cut in &block.cuts {
                let uncovered = everywhere || matches!(cut.why, Why::Uncovered(_));
                if leads.from(&cut.place, uncovered) {
                    let reason = cut_reason(self.program, &cut.why, DEPTH);
                    add(node, cut.guard, Some(reason), None);
                }
            }
        }
        out
    }

    /// Why a run need not be one of the program: the first thing on its way that is not modelled exactly.
    pub fn inexact(&self, run: &Run, bads: &Bads) -> Option<StopReason> {
        let mut node = 0;
        for (step, valuation) in run.inputs.iter().enumerate() {
            let mut values = valuation.clone();
            for (bad, reason) in bads.all.iter().zip(&bads.reasons) {
                if bad.node == node && reason.is_some() && values.get(&self.graph.aig, bad.guard) {
                    return reason.clone();
                }
            }
            if let Some(&edge) = run.edges.get(step) {
                node = self.graph.edges[edge].to;
            }
        }
        None
    }

    /// The inputs that a run takes.
    pub fn inputs(&mut self, run: &Run) -> Inputs {
        let mut out = crate::engine::Given::default();
        let mut node = 0;
        for (step, valuation) in run.inputs.iter().enumerate() {
            let taken = self.blocks[node].taken.clone();
            let mut values = valuation.clone();
            let aig = &self.graph.aig;
            for taken in &self.engine.taken[taken] {
                taken.give(&mut out, &mut |lit| values.get(aig, lit));
            }
            if let Some(&edge) = run.edges.get(step) {
                node = self.graph.edges[edge].to;
            }
        }
        out.inputs()
    }
}

fn both(a: Option<Rc<[u32]>>, b: Option<Rc<[u32]>>) -> Option<Rc<[u32]>> {
    let (a, b) = (a?, b?);
    let mut all: Vec<u32> = a.iter().chain(b.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    Some(all.into())
}
