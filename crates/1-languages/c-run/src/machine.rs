//! The machine: frames, registers, and the loop that executes instructions.

use crate::arith;
use crate::code::{Cell, Code, Conv, Op, Pc, Reg};
use crate::memory::{Fault, LABELS, Memory, Touched};
use crate::passes::{Pass, Passes};
use crate::regions::{MORE, Regions};
use crate::stdio::Files;
use c_data::{At, Check, Undefined};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most frames at a time.
const MAX_FRAMES: usize = 1 << 20;
/// How many places of `setjmp` are kept before those that are gone are forgotten.
const MAX_JUMPS: usize = 10_000;
/// How many different places of undefined behaviour are told.
const MAX_REPORTS: usize = 100;

/// What the machine needs of its surroundings.
pub trait Host {
    /// Takes what the program writes; `error` for standard error.
    fn output(&mut self, error: bool, bytes: &[u8]);
    /// Hands out what the program reads from standard input; 0 at its end.
    fn input(&mut self, buffer: &mut [u8]) -> usize;
    /// Whether the run must end, asked now and then.
    fn stopped(&mut self) -> bool;
}

/// The signal of `abort`.
pub(crate) const ABORTED: i32 = 6;

/// Why the machine stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    Exit(i32),
    Signal(i32),
    Undefined(String),
    /// An operation that a question is about: what, and where its object comes from.
    Failed(Check, String, At),
    NotCovered(String),
    Limit(String),
    /// `longjmp`: go on elsewhere.
    Jumped,
    /// It came to a place at which it was to end.
    Reached,
    /// It is somewhere again in the same state.
    Repeated(crate::Repeated),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Failed(Check::Memory, format!("invalid access: {}", fault.0), fault.1)
    }
}

impl Stop {
    /// What is wrong with a `free`.
    pub(crate) fn freed(fault: Fault) -> Stop {
        Stop::Failed(Check::Memory, fault.0, fault.1)
    }
}

/// Undefined behaviour that a run met and survived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// What.
    pub what: String,
    /// Where.
    pub at: At,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) routine: u32,
    /// Where its caller goes on.
    pub(crate) back: Pc,
    pub(crate) base: usize,
    /// Where the caller wants the result.
    pub(crate) d: Reg,
    pub(crate) result_at: u64,
    pub(crate) mark: (u64, usize),
    /// The arguments of `...`.
    pub(crate) va: u64,
    serial: u64,
}

#[derive(Clone, Copy, Debug)]
struct Jump {
    depth: usize,
    serial: u64,
    pc: Pc,
    d: Reg,
}

pub(crate) struct Machine<'a> {
    pub(crate) code: &'a Code,
    pub(crate) memory: Memory,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) files: Files,
    pub(crate) pointer: u64,
    pub(crate) registers: Vec<u64>,
    pub(crate) frames: Vec<Frame>,
    base: usize,
    pub(crate) pc: Pc,
    /// Arguments for `...` of the next call.
    more: Vec<u8>,
    result_at: u64,
    serial: u64,
    /// Where `setjmp` was called, by frame and position: one number each.
    jumps: FxHashMap<u64, Jump>,
    jump_numbers: FxHashMap<(u64, Pc), u64>,
    pub(crate) jump_count: u64,
    pub(crate) steps: u64,
    pub(crate) max_steps: u64,
    pub(crate) reports: Vec<Report>,
    reported: FxHashSet<(Pc, Undefined)>,
    pub(crate) inputs: std::collections::VecDeque<i128>,
    /// The functions that handed out the first ones.
    pub(crate) takers: Vec<u32>,
    /// What memory has that is asked for.
    pub(crate) heap: std::collections::VecDeque<Vec<u8>>,
    pub(crate) random: crate::random::Random,
    pub(crate) stopped_at: At,
    /// What the points-to analysis says, if accesses are compared with it.
    pub(crate) regions: Option<Regions<'a>>,
    /// What is asked: the run ends where that fails.
    pub(crate) check: Option<Check>,
    /// The program has ended without what `exit` does.
    pub(crate) at_once: bool,
    /// The functions that asked for memory, by instruction.
    pub(crate) makers: FxHashMap<Pc, u32>,
    /// Functions whose call ends the run.
    pub(crate) stop_calls: Vec<u32>,
    pub(crate) passed: Passes,
    /// The streams `stdin`, `stdout` and `stderr`.
    pub(crate) standard: [u64; 3],
    /// Where `errno` is; 0 if the program does not look at it.
    pub(crate) error_at: u64,
    /// What the program put into its environment, by name.
    pub(crate) environment: std::collections::BTreeMap<Vec<u8>, u64>,
    /// Earlier states, if it is looked whether the run repeats itself.
    pub(crate) repeats: Option<crate::repeats::Repeats>,
    /// The function of the library that was called last.
    pub(crate) called: u32,
    pub(crate) closures: crate::pointers::Closures,
    /// What variables hold, if it is told.
    pub(crate) shown: Option<crate::values::Shown<'a>>,
}

/// What a call of the library gets.
pub(crate) struct Args {
    pub(crate) values: [u64; 8],
    pub(crate) more: Vec<u8>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        code: &'a Code,
        memory: Memory,
        host: &'a mut dyn Host,
        pointer: u64,
    ) -> Machine<'a> {
        Machine {
            code,
            memory,
            host,
            files: Files::default(),
            pointer,
            registers: Vec::new(),
            frames: Vec::new(),
            base: 0,
            pc: 0,
            more: Vec::new(),
            result_at: 0,
            serial: 0,
            jumps: FxHashMap::default(),
            jump_numbers: FxHashMap::default(),
            jump_count: 0,
            steps: 0,
            max_steps: u64::MAX,
            reports: Vec::new(),
            reported: FxHashSet::default(),
            inputs: std::collections::VecDeque::new(),
            takers: Vec::new(),
            heap: std::collections::VecDeque::new(),
            random: crate::random::Random::new(1),
            stopped_at: At::default(),
            regions: None,
            check: None,
            at_once: false,
            makers: FxHashMap::default(),
            stop_calls: Vec::new(),
            passed: Passes::default(),
            standard: [0; 3],
            error_at: 0,
            environment: Default::default(),
            repeats: None,
            called: 0,
            closures: crate::pointers::Closures::default(),
            shown: None,
        }
    }

    /// Calls a function from outside and runs until it is back. Its result.
    pub(crate) fn start(&mut self, routine: u32, args: &[u64]) -> Result<u64, Stop> {
        self.registers.resize(64, 0);
        self.registers[..args.len()].copy_from_slice(args);
        self.base = 0;
        self.enter(routine, Reg::MAX, args.len() as u32, 0)?;
        let result = match self.regions {
            Some(_) => self.run::<true>(),
            None => self.run::<false>(),
        };
        if result.is_err() {
            let last = self.pc.saturating_sub(1) as usize;
            self.stopped_at = self.code.places.get(last).copied().unwrap_or_default();
        }
        result
    }

    /// The functions that are active, outermost last.
    pub(crate) fn trace(&self) -> Vec<(String, At)> {
        let mut out = Vec::new();
        let mut at = self.stopped_at;
        for frame in self.frames.iter().rev().take(12) {
            let name = self.code.routines[frame.routine as usize].name.clone();
            out.push((name, at));
            at = match frame.back {
                0 => At::default(),
                back => self.code.places[back as usize - 1],
            };
        }
        out
    }

    #[inline(always)]
    pub(crate) fn get(&self, r: Reg) -> u64 {
        self.registers[self.base + r as usize]
    }
    #[inline(always)]
    pub(crate) fn set(&mut self, r: Reg, value: u64) {
        let at = self.base + r as usize;
        self.registers[at] = value;
    }
    pub(crate) fn pair(&self, r: Reg) -> u128 {
        u128::from(self.get(r)) | u128::from(self.get(r + 1)) << 64
    }
    pub(crate) fn set_pair(&mut self, r: Reg, value: u128) {
        self.set(r, value as u64);
        self.set(r + 1, (value >> 64) as u64);
    }

    /// Notes what is undefined; what has no meaning at all ends the run.
    #[cold]
    pub(crate) fn undefined(&mut self, what: Undefined, detail: String) -> Result<(), Stop> {
        if what == Undefined::DivisionByZero {
            let what = format!("{}: {detail}", what.name());
            return Err(Stop::Failed(Check::Division, what, At::default()));
        }
        if self.check == Some(Check::Overflow) && what == Undefined::Overflow && self.looks_here() {
            let what = format!("{}: {detail}", what.name());
            return Err(Stop::Failed(Check::Overflow, what, At::default()));
        }
        if self.reported.insert((self.pc, what)) && self.reports.len() < MAX_REPORTS {
            let at = self.code.places[self.pc as usize - 1];
            self.reports.push(Report { what: format!("{}: {detail}", what.name()), at });
        }
        Ok(())
    }

    /// A frame for a routine whose arguments lie behind the registers of the current one.
    fn enter(&mut self, f: u32, d: Reg, args: u32, back: Pc) -> Result<(), Stop> {
        let code = self.code;
        let routine = &code.routines[f as usize];
        if self.frames.len() >= MAX_FRAMES {
            return Err(Stop::Undefined("the stack is used up".to_owned()));
        }
        let base = match self.frames.last() {
            Some(frame) => frame.base + code.routines[frame.routine as usize].registers as usize,
            None => 0,
        };
        // Room for this frame and for the arguments of what it calls.
        let end = base + routine.registers as usize;
        if self.registers.len() < end + 64 {
            self.registers.resize((end + 64) * 2, 0);
        }
        let given = (args.min(routine.params)) as usize;
        self.registers[base + given..end].fill(0);
        let mark = self.memory.mark();
        self.base = base;
        for i in 0..routine.objects.len() {
            let object = routine.objects[i];
            let Some(address) = self.memory.push(object.size, object.align, object.name) else {
                return Err(Stop::Undefined("the stack is used up".to_owned()));
            };
            if let Some(cell) = object.value {
                self.store(cell, address, object.register)?;
            }
            self.set(object.register, address);
        }
        let mut va = 0;
        if routine.variadic {
            let more = std::mem::take(&mut self.more);
            self.memory.now = MORE | f;
            let Some(address) = self.memory.push(more.len() as u64, 16, u32::MAX) else {
                return Err(Stop::Undefined("the stack is used up".to_owned()));
            };
            self.memory.write(address, more.len() as u64)?.copy_from_slice(&more);
            va = address;
        }
        self.more.clear();
        self.serial += 1;
        let frame = Frame {
            routine: f,
            back,
            base,
            d,
            result_at: std::mem::take(&mut self.result_at),
            mark,
            va,
            serial: self.serial,
        };
        self.frames.push(frame);
        self.pc = routine.entry;
        Ok(())
    }

    /// Leaves the frame. True if it was the outermost one.
    fn leave(&mut self) -> (Frame, bool) {
        let frame = self.frames.pop().expect("a frame is active");
        if self.memory.mark() != frame.mark {
            self.memory.release(frame.mark);
        }
        match self.frames.last() {
            Some(caller) => {
                self.base = caller.base;
                self.pc = frame.back;
                (frame, false)
            }
            None => (frame, true),
        }
    }

    pub(crate) fn call(&mut self, f: u32, d: Reg, args: u32) -> Result<(), Stop> {
        let code = self.code;
        if self.stop_calls.contains(&f) {
            return Err(Stop::Reached);
        }
        let routine = &code.routines[f as usize];
        if routine.has_body {
            return self.enter(f, d, args, self.pc);
        }
        let Some(native) = routine.native else {
            self.more.clear();
            return Err(Stop::NotCovered(format!("`{}` has no body here", routine.name)));
        };
        let next = self.next_base();
        let mut values = [0; 8];
        let count = (args as usize).min(8);
        values[..count].copy_from_slice(&self.registers[next..next + count]);
        let more = std::mem::take(&mut self.more);
        self.result_at = 0;
        if self.memory.careful {
            self.note_place();
        }
        self.called = f;
        match native.run(self, Args { values, more }) {
            Ok(value) => {
                if d != Reg::MAX {
                    self.set(d, value);
                }
                Ok(())
            }
            Err(Stop::Jumped) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    pub(crate) fn next_base(&self) -> usize {
        let frame = self.frames.last().expect("a frame is active");
        frame.base + self.code.routines[frame.routine as usize].registers as usize
    }

    /// `longjmp`
    pub(crate) fn long_jump(&mut self, buffer: u64, value: u64) -> Result<u64, Stop> {
        let number = self.memory.word(buffer)?;
        let jump = self.jumps.get(&number).copied();
        let alive = jump.filter(|jump| {
            self.frames.get(jump.depth).is_some_and(|frame| frame.serial == jump.serial)
        });
        let Some(jump) = alive else {
            let what = "`longjmp` to where `setjmp` is no longer active";
            return Err(Stop::Undefined(what.to_owned()));
        };
        if let Some(next) = self.frames.get(jump.depth + 1) {
            self.memory.release(next.mark);
        }
        self.frames.truncate(jump.depth + 1);
        self.base = self.frames[jump.depth].base;
        self.pc = jump.pc;
        let value = if value as i32 == 0 { 1 } else { i64::from(value as i32) as u64 };
        self.set(jump.d, value);
        Err(Stop::Jumped)
    }

    // Memory.

    #[inline(always)]
    fn load(&mut self, k: Cell, d: Reg, address: u64) -> Touched<()> {
        let value = match k {
            Cell::S8 => i64::from(self.memory.read(address, 1)?[0] as i8) as u64,
            Cell::U8 => u64::from(self.memory.read(address, 1)?[0]),
            Cell::S16 | Cell::U16 => {
                let b = self.memory.read(address, 2)?;
                let v = u16::from_le_bytes([b[0], b[1]]);
                if k == Cell::S16 { i64::from(v as i16) as u64 } else { u64::from(v) }
            }
            Cell::S32 | Cell::U32 => {
                let b = self.memory.read(address, 4)?;
                let v = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                if k == Cell::S32 { i64::from(v as i32) as u64 } else { u64::from(v) }
            }
            Cell::Word => self.memory.word(address)?,
            Cell::Wide => {
                let (low, high) = (self.memory.word(address)?, self.memory.word(address + 8)?);
                self.set(d, low);
                self.set(d + 1, high);
                return Ok(());
            }
            Cell::Extended => {
                let mut bytes = [0; 10];
                bytes.copy_from_slice(self.memory.read(address, 10)?);
                c_data::extended::from_bytes(bytes).to_bits()
            }
        };
        self.set(d, value);
        Ok(())
    }

    #[inline(always)]
    fn store(&mut self, k: Cell, address: u64, v: Reg) -> Touched<()> {
        let value = self.get(v);
        let bytes = value.to_le_bytes();
        match k {
            Cell::S8 | Cell::U8 => self.memory.write(address, 1)?[0] = bytes[0],
            Cell::S16 | Cell::U16 => {
                self.memory.write(address, 2)?.copy_from_slice(&bytes[..2]);
            }
            Cell::S32 | Cell::U32 => {
                self.memory.write(address, 4)?.copy_from_slice(&bytes[..4]);
            }
            Cell::Word => self.memory.write(address, 8)?.copy_from_slice(&bytes),
            Cell::Wide => {
                let high = self.get(v + 1).to_le_bytes();
                let target = self.memory.write(address, 16)?;
                target[..8].copy_from_slice(&bytes);
                target[8..].copy_from_slice(&high);
            }
            Cell::Extended => {
                let bytes = c_data::extended::to_bytes(f64::from_bits(value));
                self.memory.write(address, 10)?.copy_from_slice(&bytes);
            }
        }
        Ok(())
    }

    fn load_bits(&mut self, address: u64, first: u8, width: u8, signed: bool) -> Touched<u64> {
        let count = (usize::from(first) + usize::from(width)).div_ceil(8);
        let mut bytes = [0; 16];
        bytes[..count].copy_from_slice(self.memory.read(address, count as u64)?);
        let value = (u128::from_le_bytes(bytes) >> first) as u64;
        let up = 64 - u32::from(width);
        Ok(match signed {
            true => (((value << up) as i64) >> up) as u64,
            false => (value << up) >> up,
        })
    }

    fn store_bits(&mut self, address: u64, first: u8, width: u8, value: u64) -> Touched<()> {
        let count = (usize::from(first) + usize::from(width)).div_ceil(8);
        let target = self.memory.write(address, count as u64)?;
        let mut bytes = [0; 16];
        bytes[..count].copy_from_slice(target);
        let mask = if width == 64 { u128::from(u64::MAX) } else { (1u128 << width) - 1 };
        let new =
            (u128::from_le_bytes(bytes) & !(mask << first)) | ((u128::from(value) & mask) << first);
        target.copy_from_slice(&new.to_le_bytes()[..count]);
        Ok(())
    }

    // Arguments of `...`.

    fn add_more(&mut self, k: Cell, a: Reg) {
        let slot = self.pointer as usize;
        match k {
            Cell::Wide => {
                pad(&mut self.more, 16);
                let value = self.pair(a);
                self.more.extend_from_slice(&value.to_le_bytes());
            }
            Cell::Extended => {
                if slot == 8 {
                    pad(&mut self.more, 16);
                }
                let bytes = c_data::extended::to_bytes(f64::from_bits(self.get(a)));
                self.more.extend_from_slice(&bytes);
                let end = if slot == 8 { 6 } else { 2 };
                self.more.extend(std::iter::repeat_n(0, end));
            }
            _ => {
                let bytes = self.get(a).to_le_bytes();
                let size = (k.bytes() as usize).max(slot);
                self.more.extend_from_slice(&bytes[..size]);
            }
        }
    }

    /// The address of the next argument of a list.
    fn next_argument(&mut self, list: u64, size: u64, align: u64) -> Result<u64, Stop> {
        let mut at = self.read_pointer(list)?;
        if align > 8 {
            at = at.wrapping_add(align - 1) & !(align - 1);
        }
        let next = at.wrapping_add(size.next_multiple_of(self.pointer));
        self.write_pointer(list, next)?;
        Ok(at)
    }
    pub(crate) fn read_pointer(&self, address: u64) -> Touched<u64> {
        let bytes = self.memory.read(address, self.pointer)?;
        let mut out = [0; 8];
        out[..bytes.len()].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(out))
    }
    pub(crate) fn write_pointer(&mut self, address: u64, value: u64) -> Touched<()> {
        let size = self.pointer;
        let bytes = value.to_le_bytes();
        self.memory.write(address, size)?.copy_from_slice(&bytes[..size as usize]);
        Ok(())
    }

    // The loop.

    /// With `OBSERVED`, each access is compared with its region.
    fn run<const OBSERVED: bool>(&mut self) -> Result<u64, Stop> {
        let code = self.code;
        loop {
            let op = code.ops[self.pc as usize];
            self.pc += 1;
            if OBSERVED {
                self.observe(op)?;
            }
            self.steps += 1;
            if self.steps & 0xffff == 0 {
                self.look_around()?;
            }
            match op {
                Op::Const { d, k } => self.set(d, k),
                Op::Move { d, a } => {
                    let value = self.get(a);
                    self.set(d, value);
                }
                Op::Bin { k, d, a, b } => {
                    let (x, y) = (self.get(a), self.get(b));
                    let (value, undefined) = arith::bin(k, x, y);
                    if let Some(what) = undefined {
                        self.undefined_operator(what, k, x, y)?;
                    }
                    self.set(d, value);
                }
                Op::BinK { k, d, a, b } => {
                    let (x, y) = (self.get(a), i64::from(b) as u64);
                    let (value, undefined) = arith::bin(k, x, y);
                    if let Some(what) = undefined {
                        self.undefined_operator(what, k, x, y)?;
                    }
                    self.set(d, value);
                }
                Op::Load { k, d, a, by } => {
                    let address = self.address(a, by);
                    if self.memory.watchful {
                        self.written(address, k.bytes())?;
                    }
                    self.load(k, d, address)?;
                }
                Op::Store { k, a, v, by } => {
                    let address = self.address(a, by);
                    self.store(k, address, v)?;
                }
                Op::Jump { to } => self.pc = to,
                Op::If { a, to } => {
                    if self.get(a) != 0 {
                        self.pc = to;
                    }
                }
                Op::IfNot { a, to } => {
                    if self.get(a) == 0 {
                        self.pc = to;
                    }
                }
                Op::IfBin { k, a, b, to } => {
                    if arith::bin(k, self.get(a), self.get(b)).0 != 0 {
                        self.pc = to;
                    }
                }
                Op::IfBinK { k, a, b, to } => {
                    if arith::bin(k, self.get(a), i64::from(b) as u64).0 != 0 {
                        self.pc = to;
                    }
                }
                Op::Conv { k, d, a } => self.convert(k, d, a)?,
                Op::Arg { slot, a } => {
                    let at = self.next_base() + slot as usize;
                    if self.registers.len() <= at {
                        self.registers.resize(at + 64, 0);
                    }
                    self.registers[at] = self.get(a);
                }
                Op::Call { f, d, args } => self.call(f, d, args)?,
                Op::Return { a } => {
                    let value = self.get(a);
                    let (frame, last) = self.leave();
                    if last {
                        return Ok(value);
                    }
                    if frame.d != Reg::MAX {
                        self.set(frame.d, value);
                    }
                }
                Op::ReturnNone => {
                    if self.leave().1 {
                        return Ok(0);
                    }
                }
                other => {
                    if let Some(value) = self.rare(other)? {
                        return Ok(value);
                    }
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn address(&self, a: Reg, by: i32) -> u64 {
        self.get(a).wrapping_add(i64::from(by) as u64)
    }

    #[cold]
    fn look_around(&mut self) -> Result<(), Stop> {
        if self.steps >= self.max_steps {
            return Err(Stop::Limit(format!("the limit of {} steps", self.max_steps)));
        }
        if self.host.stopped() {
            return Err(Stop::Limit("the run was stopped".to_owned()));
        }
        Ok(())
    }

    #[inline(always)]
    fn convert(&mut self, k: Conv, d: Reg, a: Reg) -> Result<(), Stop> {
        match k {
            Conv::WideS => {
                let value = self.get(a) as i64;
                self.set_pair(d, i128::from(value) as u128);
            }
            Conv::WideU => {
                let value = self.get(a);
                self.set_pair(d, u128::from(value));
            }
            Conv::NegWide => {
                if self.pair(a) == 1 << 127 {
                    self.undefined(Undefined::Overflow, "in 128 bits".to_owned())?;
                }
                let value = self.pair(a).wrapping_neg();
                self.set_pair(d, value);
            }
            Conv::NotWide => {
                let value = !self.pair(a);
                self.set_pair(d, value);
            }
            Conv::WideSToF64 => {
                let value = (self.pair(a) as i128 as f64).to_bits();
                self.set(d, value);
            }
            Conv::WideUToF64 => {
                let value = (self.pair(a) as f64).to_bits();
                self.set(d, value);
            }
            Conv::WideSToF32 => {
                let value = (self.pair(a) as i128 as f32).to_bits();
                self.set(d, u64::from(value));
            }
            Conv::WideUToF32 => {
                let value = (self.pair(a) as f32).to_bits();
                self.set(d, u64::from(value));
            }
            Conv::F64ToWideS => {
                let value = f64::from_bits(self.get(a)) as i128;
                self.set_pair(d, value as u128);
            }
            Conv::F64ToWideU => {
                let value = f64::from_bits(self.get(a)) as u128;
                self.set_pair(d, value);
            }
            k => {
                let x = self.get(a);
                let (value, undefined) = arith::conv(k, x);
                if let Some(what) = undefined {
                    let detail = match what {
                        Undefined::FloatToInt => {
                            let double = matches!(k, Conv::F64ToS(_) | Conv::F64ToU(_));
                            match double {
                                true => format!("{}", f64::from_bits(x)),
                                false => format!("{}", f32::from_bits(x as u32)),
                            }
                        }
                        _ => format!("-({})", x as i64),
                    };
                    self.undefined(what, detail)?;
                }
                self.set(d, value);
            }
        }
        Ok(())
    }

    /// Instructions that do not occur all the time.
    #[inline(never)]
    fn rare(&mut self, op: Op) -> Result<Option<u64>, Stop> {
        match op {
            Op::Wide { k, d, a, b } => {
                let (value, undefined) = arith::wide(k, self.pair(a), self.pair(b));
                if let Some(what) = undefined {
                    self.undefined(what, "in 128 bits".to_owned())?;
                }
                use crate::code::Wide::{Eq, LeS, LeU, LtS, LtU, Ne};
                match k {
                    Eq | Ne | LtS | LtU | LeS | LeU => self.set(d, value as u64),
                    _ => self.set_pair(d, value),
                }
            }
            Op::LoadBits { d, a, first, width, signed } => {
                if self.memory.watchful {
                    let count = (u64::from(first) + u64::from(width)).div_ceil(8);
                    self.written(self.get(a), count)?;
                }
                let value = self.load_bits(self.get(a), first, width, signed)?;
                self.set(d, value);
            }
            Op::StoreBits { a, v, first, width } => {
                let value = self.get(v);
                self.store_bits(self.get(a), first, width, value)?;
            }
            Op::Copy { to, from, size } => {
                let (to, from) = (self.get(to), self.get(from));
                self.memory.copy(to, from, u64::from(size))?;
            }
            Op::Zero { to, size } => {
                let to = self.get(to);
                self.memory.write(to, u64::from(size))?.fill(0);
            }
            Op::Switch { a, table } => {
                let code = self.code;
                let table = &code.tables[table as usize];
                let value = match (table.wide, table.signed) {
                    (true, _) => self.pair(a) as i128,
                    (false, true) => i128::from(self.get(a) as i64),
                    (false, false) => i128::from(self.get(a)),
                };
                let i = table.ranges.partition_point(|r| r.1 < value);
                self.pc = match table.ranges.get(i) {
                    Some(&(low, _, to)) if low <= value => to,
                    _ => table.default,
                };
            }
            Op::JumpTo { a } => {
                let number = self.get(a).wrapping_sub(LABELS) / 16;
                match self.code.labels.get(number as usize) {
                    Some(&to) => self.pc = to,
                    None => return Err(Stop::Undefined("a jump to what is no label".to_owned())),
                }
            }
            Op::More { k, a } => self.add_more(k, a),
            Op::MoreBytes { a, size, align } => {
                if align > 8 {
                    pad(&mut self.more, align as usize);
                }
                let bytes = self.memory.read(self.get(a), u64::from(size))?.to_vec();
                self.more.extend_from_slice(&bytes);
                pad(&mut self.more, self.pointer as usize);
            }
            Op::CallTo { a, d, args } => self.call_to(a, d, args)?,
            Op::ResultAt { a } => self.result_at = self.get(a),
            Op::ReturnWide { a } => {
                let value = self.pair(a);
                let (frame, last) = self.leave();
                if last {
                    return Ok(Some(value as u64));
                }
                if frame.d != Reg::MAX {
                    self.set_pair(frame.d, value);
                }
            }
            Op::ReturnBytes { a, size } => {
                let from = self.get(a);
                let to = self.frames.last().map_or(0, |f| f.result_at);
                if to != 0 {
                    self.memory.copy(to, from, u64::from(size))?;
                }
                if self.leave().1 {
                    return Ok(Some(0));
                }
            }
            Op::FellOff => {
                let (frame, last) = self.leave();
                if last {
                    return Ok(Some(0));
                }
                // Its value is undefined where it is used; here it is 0.
                if frame.d != Reg::MAX {
                    self.set(frame.d, 0);
                }
            }
            Op::Unreachable => {
                let what = "control got where the program says it does not";
                return Err(Stop::Undefined(what.to_owned()));
            }
            Op::VaStart { list } => {
                let va = self.frames.last().map_or(0, |f| f.va);
                self.write_pointer(self.get(list), va)?;
            }
            Op::VaNext { d, list, size, align } => {
                let list = self.get(list);
                let at = self.next_argument(list, size.into(), align.into())?;
                self.set(d, at);
            }
            Op::SetJump { d, a } => {
                let depth = self.frames.len() - 1;
                let serial = self.frames[depth].serial;
                let jump = Jump { depth, serial, pc: self.pc, d };
                let number = self.jump_number(jump);
                let buffer = self.get(a);
                let bytes = number.to_le_bytes();
                self.memory.write(buffer, 8)?.copy_from_slice(&bytes);
                self.set(d, 0);
            }
            Op::Overflow { index } => self.overflow(index),
            Op::Within { index, count, inside } => {
                if self.get(inside) == 0 {
                    self.outside(self.get(index), self.get(count))?;
                }
            }
            Op::NotCovered { index } => {
                return Err(Stop::NotCovered(self.code.messages[index as usize].clone()));
            }
            Op::Visit { index } => {
                let visit = self.code.visits[index as usize];
                let depth = self.frames.len() as u32 - 1;
                let function = c_data::FuncId::new(visit.function as usize);
                if visit.line {
                    self.pass(Pass { function, at: visit.at, depth });
                }
                if visit.ends {
                    return Err(Stop::Reached);
                }
                if visit.head
                    && let Some(repeated) = self.repeated()
                {
                    return Err(Stop::Repeated(repeated));
                }
            }
            Op::Closure { d, f, chain } => self.make_closure(d, f, chain)?,
            other => self.about_objects(other)?,
        }
        Ok(None)
    }

    /// Takes down a line that the run comes to.
    pub(crate) fn pass(&mut self, pass: Pass) {
        let number = self.passed.count();
        if self.passed.note(pass)
            && let Some(shown) = &mut self.shown
            && let Some(frame) = self.frames.get(pass.depth as usize)
        {
            let (function, at) = (pass.function, pass.at);
            let place = (&self.registers[..], frame);
            shown.look(number, (function, at), (self.code, &self.memory), place);
        }
    }

    /// Instructions about objects of frames.
    fn about_objects(&mut self, op: Op) -> Result<(), Stop> {
        match op {
            Op::Allocate { d, size } => {
                let size = self.get(size);
                let Some(address) = self.memory.push(size, 16, u32::MAX) else {
                    return Err(Stop::Undefined("the stack is used up".to_owned()));
                };
                self.set(d, address);
            }
            Op::Mark { d } => {
                let (sp, count) = self.memory.mark();
                // Both fit: the stack is small.
                self.set(d, sp << 32 | count as u64);
            }
            Op::Free { a } => {
                let mark = self.get(a);
                self.memory.release((mark >> 32, (mark & 0xffff_ffff) as usize));
            }
            Op::Begin { a, anew } => {
                let address = self.get(a);
                self.memory.begin(address, anew);
            }
            Op::Leave { a } => {
                let address = self.get(a);
                self.memory.end(address);
            }
            Op::Written { a, local } if self.get(a) == 0 => return Err(self.not_written(local)),
            // The others have these.
            _ => {}
        }
        Ok(())
    }

    /// The number that stands for a place of `setjmp`.
    fn jump_number(&mut self, jump: Jump) -> u64 {
        if let Some(&number) = self.jump_numbers.get(&(jump.serial, jump.pc)) {
            return number;
        }
        if self.jumps.len() > MAX_JUMPS {
            let frames = &self.frames;
            self.jumps.retain(|_, jump| {
                frames.get(jump.depth).is_some_and(|frame| frame.serial == jump.serial)
            });
            let jumps = &self.jumps;
            self.jump_numbers.retain(|_, number| jumps.contains_key(number));
        }
        self.jump_count += 1;
        self.jumps.insert(self.jump_count, jump);
        self.jump_numbers.insert((jump.serial, jump.pc), self.jump_count);
        self.jump_count
    }
}

fn pad(bytes: &mut Vec<u8>, align: usize) {
    bytes.resize(bytes.len().next_multiple_of(align), 0);
}
