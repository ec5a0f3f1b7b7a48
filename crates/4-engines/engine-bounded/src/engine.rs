//! The search itself: states wait at keys, the smallest key goes on, states at one key become one.

use crate::cutting::Cutting;
use crate::decide::Deciding;
use crate::flow::Flow;
use crate::memory::{Cells, Kind, LABELS, Objects};
use crate::relevance::Link;
use crate::search::{Goal, Inputs};
use crate::state::{Frame, Round, State, Unset, Value};
use crate::word::{Circuit, Word};
use c_data::{
    At, BlockId, Check, End, ExprId, ExprKind, FuncId, Function, ObjectId, Operation, Point,
    Program, Root, Stmt, StmtKind,
};
use check::{Budget, Progress, StopReason};
use logic::{Lit, Valuation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Statements between two looks at the budget.
const POLL: u64 = 32;
/// So many looks tell the same of how far it is.
const TURN: u64 = 64;
/// Which object of a statement it is: the arguments of `main`.
const ARGUMENTS: u32 = u32::MAX - 2;
/// The most statements of one search that goes on without a choice.
const MAX_STEPS: u64 = 200_000_000;

/// Rounds of a loop that all runs go on with, whatever the bound; and for each round of the bound.
const MAX_QUIET: u32 = 100_000;
const QUIET_FOR_ROUND: u32 = 10_000;

/// Why the search did not go on somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// The bound.
    Bound,
    /// Something that is not covered.
    Uncovered(String),
    /// A function that is not there may have changed what the program sees; control comes back from it.
    Outside,
    /// Callers of an entry could hand over more than what is made for it; control goes on.
    Beyond,
    /// What follows is not the same in all executions.
    Approximate(String),
    /// FP4: others may compute with more bits; control goes on.
    Excess,
    /// An address is far from its object, where another one may be. A run that fails all the same has failed.
    Far,
    /// An access outside of objects.
    Undefined(At),
}

/// Runs that were not followed, or not exactly.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    pub(crate) guard: Lit,
    pub(crate) why: Why,
    /// Where.
    pub(crate) place: Option<Rc<Link>>,
}

/// How an input's number is read off its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum As {
    Signed,
    Unsigned,
    F32,
    F64,
    /// The number of arguments of `main`.
    Count,
    /// The bytes of an argument of `main`, which end with the first 0.
    Argument(usize),
    /// A byte of a stream; its end, if the ninth bit is set. The number of the stream stands behind it.
    Byte,
    /// Whether there is a file, the number of its stream, and its name.
    Opened,
    /// How many bytes a file has, and the number of its stream.
    Size,
    /// What memory has that was asked for: that of this object.
    Memory(u32),
    /// A number in a stream: signed or not, decimal or hexadecimal. The number of the stream stands behind it.
    Written {
        signed: bool,
        hexadecimal: bool,
    },
}

/// An input that a run takes.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) guard: Lit,
    pub(crate) word: Word,
    pub(crate) read_as: As,
    /// The function that hands it out.
    pub(crate) name: String,
}

/// What is handed out to a run.
#[derive(Debug, Default)]
pub(crate) struct Given {
    inputs: Inputs,
    /// Standard input, and files in the order in which they are opened.
    streams: Vec<Stream>,
}

/// What a stream has.
#[derive(Clone, Debug, Default)]
struct Stream {
    name: Vec<u8>,
    is_there: bool,
    bytes: Vec<u8>,
    /// How many bytes there are at least.
    size: usize,
}

impl Given {
    fn stream(&mut self, number: usize) -> &mut Stream {
        if self.streams.len() <= number {
            self.streams.resize(number + 1, Stream::default());
        }
        &mut self.streams[number]
    }

    pub(crate) fn inputs(self) -> Inputs {
        let mut out = self.inputs;
        for (i, mut stream) in self.streams.into_iter().enumerate() {
            stream.bytes.resize(stream.bytes.len().max(stream.size), b'a');
            if i == 0 {
                out.stdin = stream.bytes;
            } else if stream.is_there {
                out.files.push((stream.name, stream.bytes));
            }
        }
        out
    }
}

impl Taken {
    /// Adds the number that it is to the inputs, if the run takes it.
    pub(crate) fn give(&self, out: &mut Given, holds: &mut dyn FnMut(Lit) -> bool) {
        if !holds(self.guard) {
            return;
        }
        let bits = self.word.width();
        if let As::Argument(index) = self.read_as {
            let mut byte =
                |k: u32| (0..8).map(|i| u8::from(holds(self.word.bit(8 * k + i))) << i).sum::<u8>();
            let bytes = (0..bits / 8).map(&mut byte).take_while(|b| *b != 0).collect();
            let args = &mut out.inputs.args;
            args.resize(args.len().max(index + 1), Vec::new());
            args[index] = bytes;
            return;
        }
        let mut some = |from: u32, to: u32| -> u128 {
            (from..to).map(|i| u128::from(holds(self.word.bit(i))) << (i - from)).sum()
        };
        if self.read_as == As::Opened {
            let (is_there, stream) = (some(0, 1) == 1, some(1, 9) as usize);
            let name: Vec<u8> = (9..bits).step_by(8).map(|at| some(at, at + 8) as u8).collect();
            let name = name.split(|&b| b == 0).next().unwrap_or_default().to_vec();
            let file = out.stream(stream);
            file.is_there = is_there;
            file.name = name;
            return;
        }
        let streams = matches!(self.read_as, As::Byte | As::Size | As::Written { .. });
        let (bits, stream) = match streams {
            true => (bits - 8, some(bits - 8, bits) as usize),
            false => (bits, 0),
        };
        let value = some(0, bits);
        let number = match self.read_as {
            As::Signed => crate::word::signed(bits, value),
            As::Unsigned => value as i128,
            As::F32 => source::fraction::of(f32::from_bits(value as u32).into()),
            As::F64 => source::fraction::of(f64::from_bits(value as u64)),
            As::Count => {
                out.inputs.argc = Some(value as u64);
                return;
            }
            As::Byte => {
                if value < 256 {
                    out.stream(stream).bytes.push(value as u8);
                }
                return;
            }
            As::Size => {
                out.stream(stream).size = value as usize;
                return;
            }
            As::Written { signed, hexadecimal } => {
                let text = match (signed, hexadecimal) {
                    (true, _) => crate::word::signed(bits, value).to_string(),
                    (false, false) => value.to_string(),
                    (false, true) => format!("{value:x}"),
                };
                out.stream(stream).bytes.extend(text.bytes());
                return;
            }
            As::Argument(_) | As::Opened | As::Memory(_) => return,
        };
        out.inputs.values.push((self.name.clone(), number));
    }
}

/// How it goes on after a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Went {
    /// With the next one.
    On,
    /// In a function that was called.
    Into,
    /// Not from here.
    Over,
}

pub(crate) type Step<T> = Result<T, StopReason>;

/// A key of the queue.
pub(crate) type Key = Rc<[u32]>;

pub(crate) struct Engine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) c: Circuit,
    pub(crate) decider: Deciding,
    pub(crate) budget: Budget,
    pub(crate) bound: u32,
    pub(crate) objects: Objects,
    /// The objects of the program's objects.
    pub(crate) statics: Vec<u32>,
    /// What prints may write, too.
    pub(crate) counts_printed: bool,
    /// Where `errno` is, if the program looks at it.
    pub(crate) errno: Option<ObjectId>,
    /// Static objects that are only declared, with their names.
    pub(crate) elsewhere: BTreeMap<u32, String>,
    pub(crate) labels: FxHashMap<(FuncId, BlockId), u64>,
    flows: FxHashMap<FuncId, Rc<Flow>>,
    pub(crate) plans: FxHashMap<(FuncId, c_data::ExprId), Rc<crate::eval::Plan>>,
    /// What was never written is 0.
    pub(crate) plain: Lit,
    queue: BTreeMap<Key, State>,
    points: FxHashMap<Point, Vec<usize>>,
    /// Functions that have such points.
    watched: FxHashSet<FuncId>,
    /// Of each goal, when it is reached.
    pub(crate) reached: Vec<Lit>,
    pub(crate) taken: Vec<Taken>,
    pub(crate) cuts: Vec<Cut>,
    pub(crate) unset: FxHashMap<(u32, usize), Word>,
    pub(crate) arbitrary: FxHashMap<(u32, Word, Word), Word>,
    pub(crate) serial: u32,
    steps: u64,
    accounted: u64,
    /// What is called one after the other.
    pub(crate) script: Vec<FuncId>,
    /// Something was allocated.
    pub(crate) allocates: bool,
    /// The object that stands for what `main` gets and is not followed.
    pub(crate) opaque: Option<u32>,
    /// The object that stands for what pointers from outside point to (OU1).
    pub(crate) outside: Option<u32>,
    /// Where `setjmp` was called.
    pub(crate) landings: Vec<crate::jumps::Landing>,
    /// What is asked about operations.
    pub(crate) check: Option<Check>,
    /// When operations fail.
    pub(crate) failed: BTreeMap<Operation, Lit>,
    /// Of objects that were allocated: by which operation, and on which runs.
    pub(crate) made: FxHashMap<u32, (Option<Operation>, Lit)>,
    /// Where runs can still come to what is asked for: others are not followed.
    pub(crate) slice: Option<crate::relevance::Leads>,
    /// What runs are kept on, and what is noted there.
    pub(crate) along: Option<Box<crate::along::Following<'p>>>,
    /// The expression that is computed.
    pub(crate) expr: Option<ExprId>,
    /// The statement that is executed.
    pub(crate) now: At,
    /// The block that is executed.
    pub(crate) here: Option<Rc<Link>>,
    /// Where runs are cut into blocks, if they are.
    pub(crate) cutting: Option<Box<Cutting>>,
    /// Something outside of objects may be read.
    pub(crate) stray: bool,
}

impl Unset for Engine<'_> {
    fn unset(&mut self, frame: &Frame, local: usize) -> Value {
        let ty = self.program.functions[frame.function.index()].locals[local].ty;
        let bits = self.class(ty).bits();
        self.objects.unwritten = true;
        let (c, plain) = (&mut self.c, self.plain);
        let word = self.unset.entry((frame.serial, local)).or_insert_with(|| {
            let any = c.input(bits);
            Word::of(any.lits().into_iter().map(|l| c.aig.and(l, !plain)).collect())
        });
        Value { set: Lit::FALSE, ..word.clone().into() }
    }
    fn know(&mut self, cells: &mut Cells, other: &Cells) {
        cells.know(other, &mut self.objects, &mut self.c, self.plain);
    }
    fn circuit(&mut self) -> &mut Circuit {
        &mut self.c
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        self.budget.release(self.accounted);
    }
}

impl<'p> Engine<'p> {
    pub(crate) fn new(
        program: &'p Program,
        goals: &[Goal],
        script: Vec<FuncId>,
        (bound, plain): (u32, bool),
        budget: &Budget,
    ) -> Engine<'p> {
        let mut c = Circuit::default();
        let plain = if plain { Lit::TRUE } else { c.aig.input() };
        let mut points: FxHashMap<Point, Vec<usize>> = FxHashMap::default();
        let mut functions = FxHashSet::default();
        for (i, goal) in goals.iter().enumerate() {
            for &point in &goal.points {
                points.entry(point).or_default().push(i);
                if let Point::Before(f, ..) = point {
                    functions.insert(f);
                }
            }
        }
        Engine {
            program,
            c,
            decider: Deciding::new(budget),
            budget: budget.clone(),
            bound,
            objects: Objects::new(program.types.model().pointer.into()),
            statics: Vec::new(),
            counts_printed: program.counts_printed(),
            errno: program.errno(),
            elsewhere: BTreeMap::new(),
            labels: labels(program),
            flows: FxHashMap::default(),
            plans: FxHashMap::default(),
            plain,
            queue: BTreeMap::new(),
            points,
            watched: functions,
            reached: vec![Lit::FALSE; goals.len()],
            taken: Vec::new(),
            cuts: Vec::new(),
            unset: FxHashMap::default(),
            arbitrary: FxHashMap::default(),
            serial: 0,
            steps: 0,
            accounted: 0,
            script,
            allocates: false,
            opaque: None,
            outside: None,
            landings: Vec::new(),
            check: None,
            failed: BTreeMap::new(),
            made: FxHashMap::default(),
            slice: None,
            along: None,
            expr: None,
            now: At::default(),
            here: None,
            cutting: None,
            stray: false,
        }
    }

    pub(crate) fn function(&self, id: FuncId) -> &'p Function {
        &self.program.functions[id.index()]
    }

    pub(crate) fn flow_of(&mut self, id: FuncId) -> Rc<Flow> {
        if let Some(flow) = self.flows.get(&id) {
            return flow.clone();
        }
        let mut labels: Vec<BlockId> =
            self.labels.keys().filter(|(f, _)| *f == id).map(|(_, b)| *b).collect();
        labels.sort_unstable();
        let flow = Rc::new(Flow::new(&self.function(id).blocks, labels));
        self.flows.insert(id, flow.clone());
        flow
    }

    /// Follows all runs as far as the bound goes.
    pub(crate) fn run(&mut self) -> Step<()> {
        let mut state =
            State { guard: Lit::TRUE, frames: Vec::new(), memory: Vec::new(), result: None };
        if !self.prepare(&mut state) {
            self.cut(&state, Why::Uncovered("the program's objects need too much memory".into()));
            return Ok(());
        }
        self.wait(state, Rc::from([0u32]));
        self.follow()?;
        if let Some(gap) = &self.program.unfollowed {
            self.here = None;
            let what = gap.what.clone();
            self.cut_at(Lit::TRUE, Why::Uncovered(what));
        }
        Ok(())
    }

    /// Follows all that waits.
    pub(crate) fn follow(&mut self) -> Step<()> {
        while let Some((key, state)) = self.queue.pop_first() {
            self.go_on(&key, state)?;
        }
        Ok(())
    }

    /// Static objects and their initial values.
    fn prepare(&mut self, state: &mut State) -> bool {
        for object in &self.program.objects {
            let Some(id) = self.objects.make(object.size, None, Kind::Static) else { return false };
            self.statics.push(id);
            if !object.defined {
                self.elsewhere.insert(id, object.name.clone());
            }
            let cells = Cells::new(id, object.size, true);
            state.memory.resize(id as usize + 1, None);
            state.memory[id as usize] = Some(Rc::new(cells));
        }
        for (i, object) in self.program.objects.iter().enumerate() {
            let absent = |root: &Root| self.program.may_be_absent(*root);
            if object.addresses.iter().any(|(_, root, _)| absent(root)) {
                let what = "the address of what need not be there is used";
                self.cut(state, Why::Approximate(what.into()));
            }
            let id = self.statics[i];
            let addresses: Vec<(u64, Word)> = (object.addresses.iter())
                .map(|&(at, root, by)| {
                    let base = self.root(root).value().unwrap_or(0);
                    let bits = self.objects.pointer;
                    (at, Word::number(bits, base.wrapping_add(by as i128 as u128)))
                })
                .collect();
            let Some(cells) = state.memory[id as usize].as_mut() else { continue };
            let cells = Rc::make_mut(cells);
            let mut put = |at: u64, word: &Word| {
                cells.write(&mut self.objects, &mut self.c, self.plain, at, word, Lit::TRUE);
            };
            for (at, &byte) in object.bytes.iter().enumerate().filter(|(_, b)| **b != 0) {
                put(at as u64, &Word::number(8, byte.into()));
            }
            for (at, word) in &addresses {
                put(*at, word);
            }
            self.objects.all[id as usize].read_only = object.read_only;
        }
        true
    }

    pub(crate) fn root(&self, root: Root) -> Word {
        let bits = self.objects.pointer;
        let value = match root {
            Root::Object(o) => self.objects.all[self.statics[o.index()] as usize].base,
            Root::Function(f) => self.function_address(f),
            Root::Label(f, block) => {
                let number = self.labels.get(&(f, block)).copied().unwrap_or(0);
                (LABELS << self.objects.shift) + 16 * number
            }
        };
        Word::number(bits, value.into())
    }

    pub(crate) fn function_address(&self, f: FuncId) -> u64 {
        (crate::memory::FUNCTIONS << self.objects.shift) + 16 * f.index() as u64
    }

    /// Notes runs that are not followed.
    pub(crate) fn cut(&mut self, state: &State, why: Why) {
        self.cut_at(state.guard, why);
    }

    /// The same for the runs of a guard.
    pub(crate) fn cut_at(&mut self, guard: Lit, why: Why) {
        if guard != Lit::FALSE {
            let place = self.here.clone();
            self.cuts.push(Cut { guard, why, place });
        }
    }

    pub(crate) fn place(&self, at: At) -> String {
        self.program.place(at)
    }

    /// Whether it is worth while to follow a guard.
    pub(crate) fn perhaps(&mut self, guard: Lit) -> Step<bool> {
        self.decider.perhaps(&self.c.aig, guard)
    }

    /// Whether a guard can hold.
    pub(crate) fn possible(&mut self, guard: Lit) -> Step<bool> {
        self.decider.possible(&self.c.aig, guard)
    }

    // The queue.

    pub(crate) fn key(&mut self, state: &State) -> Key {
        let Some(frame) = state.frames.last() else { return Rc::from([0u32]) };
        let flow = self.flow_of(frame.function);
        let mut key = frame.prefix.to_vec();
        flow.key(frame.block, &frame.rounds, &mut key);
        key.push(frame.next as u32);
        key.into()
    }

    pub(crate) fn wait(&mut self, state: State, key: Key) {
        let state = match self.queue.remove(&key) {
            Some(other) => other.merge(state, self),
            None => state,
        };
        self.queue.insert(key, state);
    }

    /// Lets a state wait where it is.
    pub(crate) fn wait_here(&mut self, state: State) {
        if state.guard != Lit::FALSE {
            let key = self.key(&state);
            self.wait(state, key);
        }
    }

    fn look(&mut self) -> Step<()> {
        self.budget.work(POLL)?;
        let bytes = self.c.aig.bytes() as u64;
        if bytes > self.accounted + (1 << 20) {
            self.budget.reserve(bytes - self.accounted)?;
            self.accounted = bytes;
        }
        // One after the other: a line shows one number.
        let open = self.reached.iter().filter(|r| **r == Lit::FALSE).count() as u64;
        let told: [(&'static str, u64); 4] = [
            ("unrolling, bound", self.bound.into()),
            ("unrolling, calls", self.serial.into()),
            ("unrolling, gates of the formula", self.c.aig.len() as u64),
            ("unrolling, goals not seen yet", open),
        ];
        let turn = (self.steps / (POLL * TURN)) as usize % told.len();
        let (phase, done) = told[turn];
        self.budget.report(Progress { phase, done, total: None });
        Ok(())
    }

    /// Follows one state until it branches, ends, or comes to where others may come.
    fn go_on(&mut self, key: &Key, mut state: State) -> Step<()> {
        if state.frames.is_empty() {
            return self.start(key[0] as usize, state);
        }
        let frame = &state.frames[state.frames.len() - 1];
        let (function, block, below) = (frame.function, frame.block, frame.below.clone());
        self.here = Some(Rc::new(Link { function, block, below }));
        if self.slice.as_ref().is_some_and(|slice| !slice.from(&self.here, false)) {
            return Ok(());
        }
        if !self.enter_loops(&mut state)? {
            return Ok(());
        }
        loop {
            let frame = &state.frames[state.frames.len() - 1];
            let (id, at, next) = (frame.function, frame.block, frame.next);
            let below = frame.below.clone();
            self.here = Some(Rc::new(Link { function: id, block: at, below }));
            let function = self.function(id);
            let block = &function.blocks[at];
            let watched = self.watched.contains(&id);
            let mut went = Went::On;
            for (i, stmt) in block.stmts.iter().enumerate().skip(next) {
                if watched {
                    self.pass(Point::Before(id, BlockId::new(at), i as u32), state.guard);
                }
                self.steps += 1;
                if self.steps.is_multiple_of(POLL) {
                    self.look()?;
                }
                if self.steps > MAX_STEPS {
                    self.cut(&state, Why::Bound);
                    return Ok(());
                }
                state.top().next = i + 1;
                self.now = stmt.at;
                went = self.statement(&mut state, stmt)?;
                if state.guard == Lit::FALSE {
                    went = Went::Over;
                }
                if went != Went::On {
                    break;
                }
            }
            match went {
                Went::Over => return Ok(()),
                Went::Into => {
                    if !self.enter_loops(&mut state)? {
                        return Ok(());
                    }
                    continue;
                }
                Went::On => {}
            }
            if watched {
                let last = block.stmts.len() as u32;
                self.pass(Point::Before(id, BlockId::new(at), last), state.guard);
            }
            self.now = block.end_at;
            state.top().next = block.stmts.len() + 1;
            return self.end(state, &block.end, block.end_at);
        }
    }

    /// Notes which runs come to a place.
    pub(crate) fn pass(&mut self, point: Point, guard: Lit) {
        let Some(goals) = self.points.get(&point) else { return };
        for &goal in goals {
            self.reached[goal] = self.c.aig.or(self.reached[goal], guard);
        }
    }

    /// Calls the next function of the outermost level.
    fn start(&mut self, number: usize, mut state: State) -> Step<()> {
        let Some(&f) = self.script.get(number) else { return self.ended(&state, None) };
        let function = self.function(f);
        let mut args: Vec<Value> = Vec::new();
        let types = &self.program.types;
        let signature = types.signature(function.ty).cloned();
        if function.name == "main" {
            for (i, &param) in function.params.iter().enumerate() {
                let bits = self.class(function.locals[param.index()].ty).bits();
                let used = self.cutting.is_none() && crate::arguments::is_used(function, param);
                args.push(match i {
                    0 => self.count(&mut state, bits),
                    1 if used => self.vector(&mut state, args[0].word.clone())?,
                    _ => self.elsewhere(&mut state),
                });
            }
        } else if let (Some(code), Some(_)) = (&state.result, signature) {
            args.push(Value::from(code.resized(32, false)));
        }
        self.enter(&mut state, f, args, Rc::from([number as u32]))?;
        if state.guard != Lit::FALSE {
            self.wait_here(state);
        }
        Ok(())
    }

    /// `argc`: at least 1.
    fn count(&mut self, state: &mut State, bits: u32) -> Value {
        let word = self.c.input(bits);
        let one = Word::number(bits, 1);
        let positive = self.c.less(&one, &word, true, true);
        state.guard = self.c.aig.and(state.guard, positive);
        let (guard, name) = (state.guard, "argc".to_owned());
        self.taken.push(Taken { guard, word: word.clone(), read_as: As::Count, name });
        word.into()
    }

    /// `argv` where nobody looks at it, or runs are cut into blocks, and the environment.
    fn elsewhere(&mut self, state: &mut State) -> Value {
        if let Some(id) = self.opaque {
            return self.objects.address(id).into();
        }
        match self.make(state, 0, Kind::Static, true, ARGUMENTS) {
            Some(id) => {
                self.opaque = Some(id);
                self.objects.address(id).into()
            }
            None => Word::number(self.objects.pointer, 0).into(),
        }
    }

    // Loops.

    /// Counts rounds. False if the runs are not followed any more.
    fn enter_loops(&mut self, state: &mut State) -> Step<bool> {
        let (inputs, guard) = (self.taken.len(), state.guard);
        let frame = state.top();
        let again = frame.again.take();
        let fresh = Round { guard, inputs, count: 0, quiet: 0 };
        let depth = frame.rounds.len();
        frame.loops.resize(depth, fresh);
        if self.cutting.is_some() {
            return self.cut_loops(state, again);
        }
        let Some(i) = again else { return Ok(true) };
        let round = frame.loops[i];
        if !self.same_guard(state, round.guard)? {
            return Ok(false);
        }
        let changed = state.guard != round.guard;
        let (mut count, mut quiet) = (round.count, round.quiet);
        if changed || inputs != round.inputs {
            count += 1;
            if changed && !self.perhaps(state.guard)? {
                return Ok(false);
            }
            if count > self.bound {
                self.cut(state, Why::Bound);
                return Ok(false);
            }
        }
        // A loop without an end must not keep others from being followed.
        quiet += 1;
        if quiet > MAX_QUIET.max(QUIET_FOR_ROUND.saturating_mul(self.bound)) {
            self.cut(state, Why::Bound);
            return Ok(false);
        }
        let guard = state.guard;
        state.top().loops[i] = Round { guard, inputs, count, quiet };
        Ok(true)
    }

    /// Makes a guard that means the same as one before it that one. False if it cannot hold.
    pub(crate) fn same_guard(&mut self, state: &mut State, before: Lit) -> Step<bool> {
        let guard = state.guard;
        if guard == before || self.c.aig.word(guard) != self.c.aig.word(before) {
            return Ok(true);
        }
        let less = self.c.aig.and(before, !guard);
        if !self.perhaps(less)? {
            state.guard = before;
        }
        Ok(state.guard != Lit::FALSE)
    }

    // Where control goes.

    fn end(&mut self, mut state: State, end: &End, at: At) -> Step<()> {
        match end {
            End::Jump(to) => self.jump(state, *to),
            End::Branch(condition, yes, no) => {
                let Some(value) = self.eval(&mut state, *condition)? else { return Ok(()) };
                let holds = self.c.truth(&value.word);
                self.branch(state, holds, *yes, *no);
            }
            End::Switch(value, cases, default) => {
                let Some(value) = self.eval(&mut state, *value)? else { return Ok(()) };
                let signed = self.signed_switch(&state, end);
                let mut rest = state.guard;
                for &(low, high, to) in cases.iter().filter(|(low, high, _)| low <= high) {
                    let inside = self.between(&value.word, low, high, signed);
                    let mut taken = state.clone();
                    taken.guard = self.c.aig.and(rest, inside);
                    rest = self.c.aig.and(rest, !inside);
                    if taken.guard != Lit::FALSE {
                        self.jump(taken, to);
                    }
                }
                state.guard = rest;
                if rest != Lit::FALSE {
                    self.jump(state, *default);
                }
            }
            End::JumpTo(to) => {
                let Some(value) = self.eval(&mut state, *to)? else { return Ok(()) };
                let id = state.top().function;
                let flow = self.flow_of(id);
                for &block in &flow.labels {
                    let address = self.root(Root::Label(id, block));
                    let there = self.c.equal(&value.word, &address);
                    let mut taken = state.clone();
                    taken.guard = self.c.aig.and(state.guard, there);
                    if taken.guard != Lit::FALSE {
                        self.jump(taken, block);
                    }
                }
            }
            End::Return(value) => return self.give_back(state, *value, false),
            End::FellOff => return self.give_back(state, None, true),
            End::Unreachable => {
                let what =
                    format!("{}: control gets where the program says it does not", self.place(at));
                self.cut(&state, Why::Uncovered(what));
            }
        }
        Ok(())
    }

    fn signed_switch(&self, state: &State, end: &End) -> bool {
        let frame = &state.frames[state.frames.len() - 1];
        let End::Switch(value, ..) = end else { return true };
        let ty = self.function(frame.function).expr(*value).ty;
        self.class(ty).is_signed()
    }

    fn between(&mut self, word: &Word, low: i128, high: i128, signed: bool) -> Lit {
        let bits = word.width();
        let (a, b) = (Word::number(bits, low as u128), Word::number(bits, high as u128));
        if low == high {
            return self.c.equal(word, &a);
        }
        let (above, below) =
            (self.c.less(&a, word, signed, true), self.c.less(word, &b, signed, true));
        self.c.aig.and(above, below)
    }

    fn branch(&mut self, state: State, holds: Lit, yes: BlockId, no: BlockId) {
        let guard = state.guard;
        let taken = self.c.aig.and(guard, holds);
        let other = self.c.aig.and(guard, !holds);
        if other != Lit::FALSE {
            self.jump(State { guard: other, ..state.clone() }, no);
        }
        if taken != Lit::FALSE {
            self.jump(State { guard: taken, ..state }, yes);
        }
    }

    fn jump(&mut self, mut state: State, to: BlockId) {
        let id = state.top().function;
        if self.leaves_the_path(id, to) {
            return self.cut(&state, Why::Uncovered("a run leaves the path".into()));
        }
        let flow = self.flow_of(id);
        let frame = state.top();
        let landing = flow.follow(frame.block, &frame.rounds, to.index());
        frame.rounds = landing.rounds;
        frame.loops.truncate(landing.kept);
        frame.again = landing.again;
        frame.block = to.index();
        frame.next = 0;
        self.wait_here(state);
    }

    fn statement(&mut self, state: &mut State, stmt: &'p Stmt) -> Step<Went> {
        match &stmt.kind {
            StmtKind::Set(local, value) => {
                let Some(value) = self.eval(state, *value)? else { return Ok(Went::Over) };
                self.set(state, *local, value);
            }
            StmtKind::Eval(value) => {
                // Compilers read nothing whose value nobody wants.
                let value = self.function(state.top().function).wanted(*value);
                if self.eval(state, value)?.is_none() {
                    return Ok(Went::Over);
                }
            }
            StmtKind::Within { inside, .. } if self.asks(Check::Memory) => {
                let Some(inside) = self.eval(state, *inside)? else { return Ok(Went::Over) };
                let inside = self.c.truth(&inside.word);
                self.fails(state, !inside);
                if state.guard == Lit::FALSE {
                    return Ok(Went::Over);
                }
            }
            StmtKind::Store { to, value } => {
                let (f, ty) = (state.top().function, *value);
                let ty = self.function(f).expr(ty).ty;
                let Some(to) = self.eval(state, *to)? else { return Ok(Went::Over) };
                let Some(value) = self.eval(state, *value)? else { return Ok(Went::Over) };
                let word = self.as_stored(&value.word, ty);
                self.store(state, &to, &word)?;
            }
            StmtKind::Begin(local) | StmtKind::Alive(local) if self.scopes() => {
                self.begin(state, *local, matches!(stmt.kind, StmtKind::Begin(_)));
            }
            StmtKind::Begin(local) if self.cutting.is_some() => self.forget(state, *local),
            StmtKind::Leave(list) if self.scopes() => {
                list.iter().for_each(|local| self.leave_local(state, *local));
            }
            StmtKind::StoreBits { to, first, width, value } => {
                let Some(to) = self.eval(state, *to)? else { return Ok(Went::Over) };
                let Some(value) = self.eval(state, *value)? else { return Ok(Went::Over) };
                let (first, width) = (u32::from(*first), u32::from(*width));
                let bytes = (first + width).div_ceil(8);
                self.check_bits(state, &to, bytes.into())?;
                let Some(old) = self.load(state, &to, bytes.into(), true)? else {
                    return Ok(Went::Over);
                };
                let mut lits = old.lits();
                let new = value.word.resized(width.max(value.word.width()), false);
                for i in 0..width {
                    lits[(first + i) as usize] = new.bit(i);
                }
                self.store(state, &to, &Word::of(lits))?;
            }
            StmtKind::Copy { to, from, size } => {
                let Some(to) = self.eval(state, *to)? else { return Ok(Went::Over) };
                let Some(from) = self.eval(state, *from)? else { return Ok(Went::Over) };
                self.copy(state, &to, &from, *size)?;
            }
            StmtKind::Zero { to, size } => {
                let Some(to) = self.eval(state, *to)? else { return Ok(Went::Over) };
                if *size > 0 {
                    let zeros = Word::of(vec![Lit::FALSE; 8 * *size as usize]);
                    self.store(state, &to, &zeros)?;
                }
            }
            StmtKind::Call(call) => return self.call(state, call, stmt.at),
            StmtKind::NotCovered(what) => {
                let what = format!("{}: {what}", self.place(stmt.at));
                self.cut(state, Why::Uncovered(what));
                return Ok(Went::Over);
            }
            other => return self.rare(state, other, stmt.at),
        }
        Ok(Went::On)
    }

    // Answers.

    /// The inputs that a valuation stands for.
    pub(crate) fn inputs(&mut self, model: &mut Valuation) -> Inputs {
        let mut out = Given::default();
        for taken in &self.taken {
            let mut holds = |lit| model.get(&self.c.aig, lit);
            match taken.read_as {
                As::Memory(id) if holds(taken.guard) => {
                    let bits = self.objects.filled_with(id);
                    let byte = |bits: &[Lit]| {
                        bits.iter().enumerate().map(|(i, l)| u8::from(holds(*l)) << i).sum()
                    };
                    out.inputs.memory.push(bits.chunks(8).map(byte).collect());
                }
                _ => taken.give(&mut out, &mut holds),
            }
        }
        out.inputs()
    }

    pub(crate) fn statements(&self) -> u64 {
        self.steps
    }
}

/// Numbers for labels whose address is taken.
fn labels(program: &Program) -> FxHashMap<(FuncId, BlockId), u64> {
    let mut out = FxHashMap::default();
    let mut note = |root: &Root| {
        if let Root::Label(f, block) = *root {
            let next = out.len() as u64;
            out.entry((f, block)).or_insert(next);
        }
    };
    for object in &program.objects {
        object.addresses.iter().for_each(|(_, root, _)| note(root));
    }
    for f in &program.functions {
        for e in &f.exprs {
            if let ExprKind::Root(root) = &e.kind {
                note(root);
            }
        }
    }
    out
}
