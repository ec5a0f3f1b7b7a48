//! Accesses against what the points-to analysis says of them: that is not trusted, but compared while a program runs.

use crate::code::{Code, Op, Pc};
use crate::machine::{Machine, Stop};
use crate::memory::{Kind, Object};
use c_data::{BlockId, ExprId, FuncId, ObjectId, Operation, Program};
use c_memory::{Made, PointsTo};

/// Marks the arguments of a function that belong to `...`, instead of an instruction that makes an object.
pub(crate) const MORE: u32 = 1 << 31;

/// The regions of a program, for its code.
pub(crate) struct Regions<'a> {
    program: &'a Program,
    memory: &'a PointsTo,
    /// Where the code of functions starts, ascending.
    starts: Vec<(Pc, u32)>,
}

impl<'a> Regions<'a> {
    pub(crate) fn new(program: &'a Program, memory: &'a PointsTo, code: &Code) -> Regions<'a> {
        let routines = code.routines.iter().enumerate().filter(|(_, r)| r.has_body);
        let mut starts: Vec<(Pc, u32)> = routines.map(|(i, r)| (r.entry, i as u32)).collect();
        starts.sort_unstable();
        Regions { program, memory, starts }
    }

    /// The function of an instruction.
    fn function(&self, pc: Pc) -> FuncId {
        let at = self.starts.partition_point(|(start, _)| *start <= pc);
        FuncId::new(self.starts[at.saturating_sub(1)].1 as usize)
    }

    /// Who made an object.
    fn made(&self, code: &Code, object: &Object) -> Made {
        let made = match object.kind {
            Kind::Static if (object.name as usize) < self.program.objects.len() => {
                Made::Static(ObjectId::new(object.name as usize))
            }
            Kind::Local if object.name != u32::MAX => match code.homes.get(&object.name) {
                Some(&(f, local)) => Made::Local(f, local),
                None => Made::Outside,
            },
            Kind::Local if object.made & MORE != 0 => {
                Made::More(FuncId::new((object.made & !MORE) as usize))
            }
            Kind::Heap | Kind::Local => {
                let spot = code.spots[object.made as usize];
                let f = self.function(object.made);
                Made::Allocated(f, BlockId::new(spot.block as usize), spot.stmt)
            }
            Kind::Static | Kind::Nothing => Made::Outside,
        };
        // What the library makes for itself is outside.
        if self.memory.knows(made) { made } else { Made::Outside }
    }

    fn wrong(
        &self,
        code: &Code,
        (operation, object): (Operation, &Object),
        (offset, size): (u64, u64),
        bulk: bool,
    ) -> Option<String> {
        let touched = self.memory.touched(&operation).unwrap_or_default();
        let made = self.made(code, object);
        let step = if bulk { 1 } else { size.max(1) };
        for at in (0..size.max(1)).step_by(step as usize) {
            match self.memory.region_at(self.program, made, offset + at) {
                Some(region) if touched.contains(&region) => {}
                // Bytes that nobody reads but with all others.
                None if bulk => {}
                found => {
                    let there = match found {
                        Some(region) => format!("region {region}"),
                        None => "no region".to_owned(),
                    };
                    return Some(format!(
                        "internal error, please report it: an access of {size} bytes at offset {offset} of {made:?} \
                         is in {there}, and the points-to analysis says {touched:?}"
                    ));
                }
            }
        }
        None
    }
}

impl Machine<'_> {
    /// Looks at what an instruction is about to touch. An access that is invalid fails by itself.
    pub(crate) fn observe(&mut self, op: Op) -> Result<(), Stop> {
        let pc = self.pc - 1;
        self.memory.now = pc;
        match op {
            Op::Load { k, a, by, .. } => self.touch(pc, self.address(a, by), k.bytes(), false),
            Op::Store { k, a, by, .. } => self.touch(pc, self.address(a, by), k.bytes(), false),
            Op::LoadBits { a, first, width, .. } | Op::StoreBits { a, first, width, .. } => {
                let size = (u64::from(first) + u64::from(width)).div_ceil(8);
                self.touch(pc, self.get(a), size, false)
            }
            Op::Copy { to, from, size } => {
                self.touch(pc, self.get(from), size.into(), true)?;
                self.touch(pc, self.get(to), size.into(), true)
            }
            Op::Zero { to, size } => self.touch(pc, self.get(to), size.into(), true),
            _ => Ok(()),
        }
    }

    fn touch(&self, pc: Pc, address: u64, size: u64, bulk: bool) -> Result<(), Stop> {
        let Some(regions) = &self.regions else { return Ok(()) };
        let object = self.memory.object(address);
        let offset = address.wrapping_sub(object.base);
        if object.kind == Kind::Nothing || offset >= object.size || size > object.size - offset {
            return Ok(());
        }
        let spot = self.code.spots[pc as usize];
        let function = regions.function(pc);
        let operation = match spot.expr {
            u32::MAX => {
                let (block, stmt) = (BlockId::new(spot.block as usize), spot.stmt);
                Operation { function, block, stmt, expr: None }
            }
            expr => {
                let expr = Some(ExprId::new(expr as usize));
                Operation { function, block: BlockId::new(0), stmt: 0, expr }
            }
        };
        match regions.wrong(self.code, (operation, &object), (offset, size), bulk) {
            Some(what) => Err(Stop::NotCovered(what)),
            None => Ok(()),
        }
    }
}
