//! The scalars that an object consists of, by its type.

use crate::engine::Engine;
use c_types::{Kind as TypeKind, Ty};
use std::rc::Rc;

/// Objects of more bytes are taken as they are, without their types.
const LARGE: u64 = 1 << 16;

/// What a scalar in memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Signed,
    Unsigned,
    Pointer,
    /// It may be one thing or another.
    Mixed,
}

/// A scalar in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unit {
    pub(crate) at: u64,
    pub(crate) bytes: u64,
    pub(crate) sort: Sort,
}

impl Engine<'_> {
    /// The type of an object, if it has one.
    pub(crate) fn type_of(&self, object: u32) -> Option<Ty> {
        if let Some(i) = self.statics.iter().position(|&s| s == object) {
            return Some(self.program.objects[i].ty);
        }
        self.cutting.as_ref()?.types.get(&object).copied()
    }

    /// The scalars of an object: all of its bytes, in order.
    pub(crate) fn units(&mut self, object: u32) -> Rc<[Unit]> {
        if let Some(units) = self.cutting.as_ref().and_then(|c| c.units.get(&object)) {
            return units.clone();
        }
        let size = self.objects.all[object as usize].size;
        let ty = self.type_of(object).filter(|_| size <= LARGE);
        let found: Rc<[Unit]> = match ty {
            Some(ty) => self.scalars(ty, size).into(),
            None => plain(0, size, 4).into(),
        };
        if let Some(cutting) = &mut self.cutting {
            cutting.units.insert(object, found.clone());
        }
        found
    }

    pub(crate) fn scalars(&self, ty: Ty, size: u64) -> Vec<Unit> {
        let types = &self.program.types;
        let mut out: Vec<Unit> = Vec::new();
        let mut todo = vec![(ty, 0u64, false)];
        while let Some((ty, at, mixed)) = todo.pop() {
            let bytes = types.size(ty).unwrap_or(0);
            match types.kind(ty) {
                TypeKind::Array(of, _) => {
                    let each = types.size(*of).unwrap_or(0);
                    let count = bytes.checked_div(each).unwrap_or(0);
                    todo.extend((0..count).map(|i| (*of, at + i * each, mixed)));
                }
                TypeKind::Record(no) => {
                    let record = types.record(*no);
                    let members = record.members.iter().filter(|m| m.bits.is_none());
                    if record.is_union {
                        let largest = members.max_by_key(|m| types.size(m.ty).unwrap_or(0));
                        todo.extend(largest.map(|m| (m.ty, at, true)));
                    } else {
                        todo.extend(members.map(|m| (m.ty, at + m.offset, mixed)));
                    }
                }
                TypeKind::Pointer(_) if !mixed => {
                    out.push(Unit { at, bytes, sort: Sort::Pointer });
                }
                _ if bytes == 0 || bytes > 16 => {}
                _ => {
                    let sort = match types.as_int(ty) {
                        _ if mixed => Sort::Mixed,
                        Some(int) if int.signed => Sort::Signed,
                        _ => Sort::Unsigned,
                    };
                    out.push(Unit { at, bytes, sort });
                }
            }
        }
        out.sort_by_key(|u| u.at);
        // What lies between them, and no byte twice.
        let mut all = Vec::with_capacity(out.len());
        let mut end = 0;
        for unit in out {
            if unit.at < end || unit.at + unit.bytes > size {
                continue;
            }
            all.extend(plain(end, unit.at, 1));
            end = unit.at + unit.bytes;
            all.push(unit);
        }
        all.extend(plain(end, size, 1));
        all
    }

    /// What a scalar in an object is called, behind the object's name.
    pub(crate) fn path(&self, object: u32, at: u64) -> String {
        let types = &self.program.types;
        let mut out = String::new();
        let (Some(mut ty), mut at) = (self.type_of(object), at) else { return format!("[{at}]") };
        loop {
            match types.kind(ty) {
                TypeKind::Array(of, _) => {
                    let each = types.size(*of).unwrap_or(1).max(1);
                    out.push_str(&format!("[{}]", at / each));
                    (ty, at) = (*of, at % each);
                }
                TypeKind::Record(no) => {
                    let record = types.record(*no);
                    let here = record.members.iter().rev().find(|m| {
                        let size = types.size(m.ty).unwrap_or(0);
                        m.bits.is_none() && m.offset <= at && at < m.offset + size
                    });
                    let Some(member) = here else { break };
                    if let Some(name) = &member.name {
                        out.push_str(&format!(".{name}"));
                    }
                    (ty, at) = (member.ty, at - member.offset);
                }
                _ => break,
            }
        }
        if at > 0 {
            out.push_str(&format!("+{at}"));
        }
        out
    }
}

/// Bytes of which nothing is known, in pieces.
fn plain(from: u64, to: u64, each: u64) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut at = from;
    while at < to {
        let bytes = each.min(to - at);
        out.push(Unit { at, bytes, sort: Sort::Mixed });
        at += bytes;
    }
    out
}
