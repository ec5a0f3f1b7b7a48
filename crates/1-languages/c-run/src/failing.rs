//! Operations that fail: which ones they are, and what is found when a run is over.

use crate::code::{Bin, Pc};
use crate::machine::{Machine, Report, Stop};
use crate::passes::Pass;
use c_data::{At, BlockId, Check, ExprId, FuncId, Operation, Undefined};

/// How many notes of undefined behaviour there are at most.
const MAX_NOTES: usize = 100;
/// Calls that are noted of an allocation.
const MAX_CALLS: usize = 32;

/// An operation that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The question that it is about.
    pub check: Check,
    /// The operation; none where the library alone is active.
    pub operation: Option<Operation>,
    /// What is wrong.
    pub what: String,
    /// Where the object is declared or allocated, if there is one.
    pub origin: Option<At>,
    /// Of memory that is lost: where the calls stood that were active when it was allocated, the outermost first.
    pub made_in: Vec<At>,
}

impl Machine<'_> {
    /// The instruction of the program that is executed: in the library, the call.
    pub(crate) fn own_pc(&self) -> Option<(u32, Pc)> {
        let mut pc = self.pc.checked_sub(1)?;
        for frame in self.frames.iter().rev() {
            if self.code.routines[frame.routine as usize].own {
                return Some((frame.routine, pc));
            }
            pc = frame.back.checked_sub(1)?;
        }
        None
    }

    /// The operation of an instruction of a function.
    pub(crate) fn operation(&self, (routine, pc): (u32, Pc), here: bool) -> Operation {
        let spot = self.code.spots[pc as usize];
        let expr = (here && spot.expr != u32::MAX).then(|| ExprId::new(spot.expr as usize));
        Operation {
            function: FuncId::new(routine as usize),
            block: BlockId::new(spot.block as usize),
            stmt: spot.stmt,
            expr,
        }
    }

    /// The operation that is executed.
    pub(crate) fn failing(&self) -> Option<Operation> {
        let own = self.own_pc()?;
        Some(self.operation(own, own.1 + 1 == self.pc))
    }

    /// The operation that fails is where the run ends, whatever was called on the way.
    pub(crate) fn note_failing(&mut self) {
        let Some((routine, pc)) = self.own_pc() else { return };
        let own = |f: &crate::machine::Frame| self.code.routines[f.routine as usize].own;
        let depth = self.frames.iter().rposition(own).unwrap_or(0) as u32;
        let (function, at) = (FuncId::new(routine as usize), self.code.places[pc as usize]);
        self.pass(Pass { function, at, depth });
    }

    /// Whether operators of the active function are looked at.
    pub(crate) fn looks_here(&self) -> bool {
        let frame = self.frames.last();
        frame.is_some_and(|f| self.code.routines[f.routine as usize].looked_into)
    }

    /// An operator whose result is undefined. A quotient that does not fit ends the run, as a divisor 0 does: the
    /// processor has no result, however the rest of arithmetic wraps.
    #[cold]
    pub(crate) fn undefined_operator(
        &mut self,
        what: Undefined,
        k: Bin,
        x: u64,
        y: u64,
    ) -> Result<(), Stop> {
        let detail = operands(k, x, y);
        let divides = matches!(k, Bin::DivI32 | Bin::DivI64 | Bin::RemI32 | Bin::RemI64);
        let asked = self.asked(what, k);
        let ends = divides && what == Undefined::Overflow && self.check != Some(Check::Overflow);
        match ends {
            true => Err(Stop::Undefined(format!("{}: {detail}", asked.name()))),
            false => self.undefined(asked, detail),
        }
    }

    /// Notes what is undefined beside operators; the run goes on.
    #[cold]
    pub(crate) fn note(&mut self, what: String) {
        let at = self.code.places[(self.pc as usize).saturating_sub(1)];
        let known = self.reports.iter().any(|r| r.at == at && r.what == what);
        if !known && self.reports.len() < MAX_NOTES {
            self.reports.push(Report { what, at });
        }
    }

    /// An index leaves an array that is part of an object: told where memory is asked about, noted elsewhere.
    #[cold]
    pub(crate) fn outside(&mut self, index: u64, count: u64) -> Result<(), Stop> {
        let what = format!(
            "{}: index {} of an array of {count} elements",
            Undefined::Address.name(),
            index as i64
        );
        match self.check {
            Some(Check::Memory) => Err(Stop::Failed(Check::Memory, what, At::default())),
            _ => {
                self.note(what);
                Ok(())
            }
        }
    }

    /// Notes that a builtin has no value for 0.
    pub(crate) fn no_zero(&mut self, value: u64, name: &str) {
        if value == 0 {
            self.note(format!("`__builtin_{name}` of 0"));
        }
    }

    /// What a question calls it: a signed number is shifted out of range.
    pub(crate) fn asked(&self, what: Undefined, k: Bin) -> Undefined {
        let asked = self.check == Some(Check::Overflow) && what == Undefined::Shift;
        match asked && matches!(k, Bin::ShlI32 | Bin::ShlI64) {
            true => Undefined::Overflow,
            false => what,
        }
    }

    /// Notes who asks for memory.
    pub(crate) fn note_place(&mut self) {
        if let Some((routine, pc)) = self.own_pc() {
            self.memory.now = pc;
            self.memory.made_at = self.code.places[pc as usize];
            self.makers.insert(pc, routine);
            let stack = self.stack();
            let next = self.memory.stacks.len() as u32;
            self.memory.calls = *self.memory.stacks.entry(stack).or_insert(next);
        }
    }

    /// Where the program's functions stand that are active, the outermost first, those that are far out not among them.
    fn stack(&self) -> Vec<At> {
        let mut out = Vec::new();
        let mut pc = self.pc.checked_sub(1);
        for frame in self.frames.iter().rev() {
            let Some(here) = pc.filter(|_| out.len() < MAX_CALLS) else { break };
            if self.code.routines[frame.routine as usize].own {
                out.push(self.code.places[here as usize]);
            }
            pc = frame.back.checked_sub(1);
        }
        out.reverse();
        out
    }

    /// Fails if bytes that are read were never written. An invalid address is another question.
    pub(crate) fn written(&mut self, address: u64, size: u64) -> Result<(), Stop> {
        if self.memory.read(address, size).is_err() || self.memory.is_written(address, size) {
            return Ok(());
        }
        let object = self.memory.object(address);
        let name = self.memory.names.get(object.name as usize).filter(|n| !n.is_empty());
        let at = address.wrapping_sub(object.base);
        let bytes = if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
        let what = match name {
            Some(name) => format!("`{name}`"),
            None => "an allocated object".to_owned(),
        };
        let what = format!("read of {bytes} at offset {at} of {what}, which were never written");
        Err(Stop::Failed(Check::Uninitialised, what, self.memory.origin(&object)))
    }

    /// A local that has no value is read.
    pub(crate) fn not_written(&self, local: u32) -> Stop {
        let what =
            format!("read of `{}`, which was never written", self.code.names[local as usize]);
        Stop::Failed(Check::Uninitialised, what, self.code.declared[local as usize])
    }

    /// What is found when the program has ended: memory that is lost, or not freed.
    pub(crate) fn left(&self) -> Vec<Failure> {
        let Some(check @ (Check::Memory | Check::Cleanup)) = self.check else { return Vec::new() };
        let mut roots = Vec::new();
        for frame in &self.frames {
            let routine = &self.code.routines[frame.routine as usize];
            let values = routine.named.iter().map(|r| self.registers[frame.base + *r as usize]);
            roots.extend(values);
        }
        let mut out: Vec<Failure> = Vec::new();
        for (object, reached) in self.memory.heap(&roots, self.pointer) {
            if check == Check::Memory && reached {
                continue;
            }
            let bytes = match object.size {
                1 => "1 byte".to_owned(),
                size => format!("{size} bytes"),
            };
            let what = match check {
                Check::Memory => format!("memory of {bytes} is lost: nothing leads there any more"),
                _ => format!("memory of {bytes} is not freed when the program ends"),
            };
            let routine = self.makers.get(&object.made);
            let operation = routine.map(|&routine| self.operation((routine, object.made), false));
            let calls = self.memory.stacks.iter().find(|(_, number)| **number == object.calls);
            let made_in = calls.map(|(calls, _)| calls.clone()).unwrap_or_default();
            let same = |f: &Failure| f.operation == operation && f.made_in == made_in;
            if operation.is_none() || !out.iter().any(same) {
                let origin = Some(self.memory.origin(&object)).filter(|at| at.line > 0);
                out.push(Failure { check, operation, what, origin, made_in });
            }
        }
        out
    }
}

/// Operands as people write them.
#[cold]
fn operands(k: Bin, x: u64, y: u64) -> String {
    use Bin::*;
    let sign = match k {
        AddI32 | AddI64 => "+",
        SubI32 | SubI64 => "-",
        MulI32 | MulI64 => "*",
        DivI32 | DivI64 | DivU => "/",
        RemI32 | RemI64 | RemU => "%",
        ShlI32 | ShlU32 | ShlI64 | ShlU64 => "<<",
        ShrI32 | ShrU32 | ShrI64 | ShrU64 => ">>",
        _ => "?",
    };
    let unsigned = matches!(k, DivU | RemU | ShlU32 | ShlU64 | ShrU32 | ShrU64);
    match unsigned {
        true => format!("{x} {sign} {}", y as i64),
        false => format!("{} {sign} {}", x as i64, y as i64),
    }
}
