//! `__sync_*` and `__atomic_*`: there is one thread, so that they are what they do to memory.
//!
//! `stdatomic.h` is made of them. Orders of memory are evaluated where they have effects, and say nothing.

use crate::lower::{Lowered, Lowerer, Op};
use crate::place::{Place, Where};
use crate::program::{BinOp, End, StmtKind};
use c_types::Kind;
use front_c::Binary;

/// The operator in a name like `fetch_and_add`; none for `nand`.
fn operator(word: &str) -> Option<Option<Binary>> {
    Some(Some(match word {
        "add" => Binary::Add,
        "sub" => Binary::Sub,
        "or" => Binary::BitOr,
        "and" => Binary::BitAnd,
        "xor" => Binary::BitXor,
        "nand" => return Some(None),
        _ => return None,
    }))
}

impl Lowerer<'_> {
    /// A call of one of them; none if the name is another one.
    pub(crate) fn atomic(&mut self, name: &str, args: &[front_c::ExprId]) -> Lowered<Option<Op>> {
        let (word, sync) = match (name.strip_prefix("__sync_"), name.strip_prefix("__atomic_")) {
            (Some(word), _) => (word, true),
            (_, Some(word)) => (word, false),
            _ => return Ok(None),
        };
        let fetched = match sync {
            true => word.strip_prefix("fetch_and_").map(|op| (op, false)),
            false => word.strip_prefix("fetch_").map(|op| (op, false)),
        };
        let after = if sync { "_and_fetch" } else { "_fetch" };
        let fetched = fetched.or_else(|| word.strip_suffix(after).map(|op| (op, true)));
        if let Some((op, new)) = fetched
            && let (Some(op), [at, by, ..]) = (operator(op), args)
        {
            return self.fetched(*at, *by, op, new).map(Some);
        }
        Ok(Some(match (word, args) {
            ("synchronize" | "thread_fence" | "signal_fence", _) => self.void(),
            ("always_lock_free" | "is_lock_free", [size, ..]) => {
                let small = self.constant_expr(*size)?.is_some_and(|n| n <= 8);
                Op { expr: self.int(i128::from(small)), ty: self.int_type() }
            }
            ("load_n", [at, ..]) => {
                let place = self.atomic_place(*at)?;
                let value = self.load(place)?;
                self.outlive(value)?
            }
            ("load", [at, to, ..]) => {
                let (place, to) = (self.atomic_place(*at)?, self.atomic_place(*to)?);
                let value = self.load(place)?;
                self.store(to, value, false)?
            }
            ("store_n", [at, value, ..]) => {
                let place = self.atomic_place(*at)?;
                let value = self.rvalue(*value)?;
                self.store(place, value, false)?
            }
            ("store", [at, from, ..]) => {
                let (place, from) = (self.atomic_place(*at)?, self.atomic_place(*from)?);
                let value = self.load(from)?;
                self.store(place, value, false)?
            }
            ("lock_release", [at]) | ("clear", [at, ..]) => {
                let mut place = self.atomic_place(*at)?;
                if !sync {
                    place.ty = self.types.of(Kind::Bool);
                }
                let value = Op { expr: self.int(0), ty: self.int_type() };
                self.store(place, value, false)?
            }
            ("test_and_set", [at, ..]) => {
                let mut place = self.atomic_place(*at)?;
                place.ty = self.types.of(Kind::Bool);
                let old = self.load(place)?;
                let old = self.outlive(old)?;
                let value = Op { expr: self.int(1), ty: self.int_type() };
                self.store(place, value, false)?;
                old
            }
            ("exchange_n", [at, value, ..]) | ("lock_test_and_set", [at, value]) => {
                let place = self.atomic_place(*at)?;
                let mut value = self.rvalue(*value)?;
                value.expr = self.keep(value.expr);
                let old = self.load(place)?;
                let old = self.outlive(old)?;
                self.store(place, value, false)?;
                old
            }
            ("exchange", [at, from, to, ..]) => {
                let (place, from) = (self.atomic_place(*at)?, self.atomic_place(*from)?);
                let to = self.atomic_place(*to)?;
                let old = self.load(place)?;
                let old = self.outlive(old)?;
                let value = self.load(from)?;
                self.store(place, value, false)?;
                self.store(to, old, false)?
            }
            ("bool_compare_and_swap" | "val_compare_and_swap", [at, old, new]) => {
                let place = self.atomic_place(*at)?;
                let (expected, new) = self.operands(*old, *new)?;
                let now = self.load(place)?;
                let now = self.outlive(now)?;
                let same = self.swapped(place, now, expected, new, None)?;
                if word.starts_with("val") { now } else { same }
            }
            ("compare_exchange_n" | "compare_exchange", [at, expected, new, ..]) => {
                let place = self.atomic_place(*at)?;
                let expected = self.atomic_place(*expected)?;
                let new = match word {
                    "compare_exchange_n" => self.rvalue(*new)?,
                    _ => {
                        let from = self.atomic_place(*new)?;
                        self.load(from)?
                    }
                };
                let new = Op { expr: self.keep(new.expr), ty: new.ty };
                let wanted = self.load(expected)?;
                let wanted = self.outlive(wanted)?;
                let now = self.load(place)?;
                let now = self.outlive(now)?;
                self.swapped(place, now, wanted, new, Some(expected))?
            }
            _ => return Ok(None),
        }))
    }

    /// What a pointer points to, computed once.
    fn atomic_place(&mut self, pointer: front_c::ExprId) -> Lowered<Place> {
        let pointer = self.rvalue(pointer)?;
        let Some(to) = self.types.pointee(pointer.ty) else {
            return self.gap("an atomic access through what is no pointer");
        };
        let ty = self.types.plain(to);
        let at = self.keep(pointer.expr);
        Ok(Place { at: Where::Memory(at), ty })
    }

    fn fetched(
        &mut self,
        at: front_c::ExprId,
        by: front_c::ExprId,
        op: Option<Binary>,
        new: bool,
    ) -> Lowered<Op> {
        let place = self.atomic_place(at)?;
        let mut by = self.rvalue(by)?;
        by.expr = self.keep(by.expr);
        let old = self.load(place)?;
        let old = self.outlive(old)?;
        // They wrap, and of pointers they count bytes.
        let size = self.types.size_type();
        let wide = match self.types.as_int(old.ty) {
            Some(int) if int.bits > 64 => old.ty,
            Some(int) if int.bits == 64 => self.types.int(c_types::IntKind::UnsignedLongLong),
            Some(_) => self.types.int(c_types::IntKind::Unsigned),
            None => size,
        };
        let x = Op { expr: self.convert(old.expr, wide), ty: wide };
        let y = Op { expr: self.scalar(by, wide)?, ty: wide };
        let value = match op {
            Some(op) => self.binary_value(op, x, y)?,
            None => {
                let both = self.binary(BinOp::And, x.expr, y.expr);
                Op { expr: self.unary(crate::program::UnOp::Not, both), ty: wide }
            }
        };
        let value = self.store(place, value, new)?;
        Ok(if new { value } else { old })
    }

    /// Stores something new where what is there is what is expected; else tells what is there.
    fn swapped(
        &mut self,
        place: Place,
        now: Op,
        expected: Op,
        new: Op,
        told: Option<Place>,
    ) -> Lowered<Op> {
        let expected = Op { expr: self.scalar(expected, now.ty)?, ty: now.ty };
        let same = self.binary_value(Binary::Eq, now, expected)?;
        let bool_ty = self.types.of(Kind::Bool);
        let result = self.temp(bool_ty);
        let same = self.convert(same.expr, bool_ty);
        self.stmt(StmtKind::Set(result, same));
        let (yes, no, join) = (self.block(), self.block(), self.block());
        let truth = self.read(result);
        let truth = self.truth(truth);
        self.end(End::Branch(truth, yes, no), yes);
        self.store(place, new, false)?;
        self.end(End::Jump(join), no);
        if let Some(told) = told {
            self.store(told, now, false)?;
        }
        self.end(End::Jump(join), join);
        Ok(Op { expr: self.read(result), ty: bool_ty })
    }
}
