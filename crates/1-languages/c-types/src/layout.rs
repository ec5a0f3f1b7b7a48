//! Where members lie: sizes, alignments and bit-fields as gcc lays them out on x86.
//!
//! Rules, after gcc's `stor-layout.cc`:
//!
//! - LAY1: a member starts at the next multiple of its alignment, which is that of its type; `packed` makes it
//!   1, `aligned` raises it, `#pragma pack` caps it.
//! - LAY2: a bit-field starts at the next bit, unless it would touch more units of its type's alignment than its
//!   type has; then at the next such unit. `packed` and `#pragma pack` switch this off.
//! - LAY3: a bit-field of width 0 ends the unit. Unnamed bit-fields do not raise the record's alignment.
//! - LAY4: the record's alignment is the largest of its members' and of what it asks for; its size is a multiple.
//! - LAY5: the parts of a complex number or a vector lie behind each other. A complex number is aligned as its parts
//!   are, a vector by its size.

use crate::types::{FloatKind, Kind, Length, Ty, Types};

/// A struct or union of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordNo(pub(crate) u32);

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// `union`
    pub is_union: bool,
    /// Its tag.
    pub name: Option<String>,
    /// Its members are known.
    pub complete: bool,
    /// Its members, in order.
    pub members: Vec<Member>,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// It is no struct of the program, but a number of several parts.
    pub parts: Option<Parts>,
}

/// Numbers of several parts. They lie in memory, are passed and copied as structs are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Parts {
    /// A complex number of two numbers of a type: real and imaginary.
    Complex(Ty),
    /// A vector of so many numbers of a type.
    Vector(Ty, u64),
}

impl Parts {
    /// The type of one part.
    pub fn element(self) -> Ty {
        match self {
            Parts::Complex(of) | Parts::Vector(of, _) => of,
        }
    }
    /// How many there are.
    pub fn count(self) -> u64 {
        match self {
            Parts::Complex(_) => 2,
            Parts::Vector(_, count) => count,
        }
    }
}

/// A member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name; none for unnamed structs, unions and bit-fields.
    pub name: Option<String>,
    /// Its type; of a bit-field, the declared one.
    pub ty: Ty,
    /// Where it starts, in bytes; of a bit-field, the byte that has its first bit.
    pub offset: u64,
    /// Of a bit-field, its first bit in that byte and its width.
    pub bits: Option<(u8, u8)>,
}

/// A member as it is declared.
#[derive(Clone, Debug)]
pub struct MemberSpec {
    /// Its name.
    pub name: Option<String>,
    /// Its type.
    pub ty: Ty,
    /// The width of a bit-field.
    pub width: Option<u64>,
    /// `aligned`, `_Alignas`
    pub align: Option<u64>,
    /// `packed`
    pub packed: bool,
}

/// What is said of a struct or union as a whole.
#[derive(Clone, Copy, Default, Debug)]
pub struct RecordSpec {
    /// `packed`
    pub packed: bool,
    /// `aligned`
    pub align: Option<u64>,
    /// `#pragma pack`
    pub pack: Option<u64>,
}

/// A member that was looked up, through unnamed structs and unions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where it starts in the outermost one.
    pub offset: u64,
    /// Its type.
    pub ty: Ty,
    /// Of a bit-field, its first bit and its width.
    pub bits: Option<(u8, u8)>,
}

impl Record {
    pub(crate) fn incomplete(is_union: bool, name: Option<String>) -> Record {
        Record {
            is_union,
            name,
            complete: false,
            members: Vec::new(),
            size: 0,
            align: 1,
            parts: None,
        }
    }
}

impl Types {
    /// The size of a type in bytes; as gcc, 1 for `void` and functions. None where it is not known, or not
    /// a constant.
    pub fn size(&self, mut ty: Ty) -> Option<u64> {
        let mut times = 1u64;
        loop {
            let one = match self.kind(ty) {
                Kind::Void | Kind::Function(_) | Kind::Bool => 1,
                Kind::Int(kind) => u64::from(kind.int(self.model()).bits / 8),
                Kind::Bits(int) => u64::from(int.bits).div_ceil(8).next_power_of_two(),
                Kind::Float(kind) => self.float_size(*kind),
                Kind::Pointer(_) => u64::from(self.model().pointer / 8),
                Kind::Enum(no) => u64::from(self.enumeration(*no).int.int(self.model()).bits / 8),
                Kind::Record(no) => {
                    let record = self.record(*no);
                    record.complete.then_some(record.size)?
                }
                Kind::Array(element, Length::Known(n)) => {
                    times = times.checked_mul(*n)?;
                    ty = *element;
                    continue;
                }
                Kind::Array(..) => return None,
            };
            return times.checked_mul(one);
        }
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Float => 4,
            FloatKind::Double => 8,
            FloatKind::LongDouble if self.model().pointer == 64 => 16,
            FloatKind::LongDouble => 12,
        }
    }

    /// The alignment of a type in bytes, as of a member.
    pub fn align(&self, mut ty: Ty) -> u64 {
        loop {
            if let Some(align) = self.asked_alignment(ty) {
                return align;
            }
            let natural = match self.kind(ty) {
                Kind::Array(element, _) => {
                    ty = *element;
                    continue;
                }
                Kind::Record(no) => return self.record(*no).align,
                _ => self.size(ty).unwrap_or(1),
            };
            // i386: members of 8 and 12 bytes are aligned to 4.
            let most = if self.model().pointer == 64 { 16 } else { 4 };
            return natural.max(1).min(most);
        }
    }

    /// The type of numbers of several parts.
    ///
    /// The parts of a complex number or a vector: LAY5.
    pub fn of_parts(&mut self, parts: Parts) -> Ty {
        if let Some(&ty) = self.parts.get(&parts) {
            return ty;
        }
        let element = self.show(parts.element());
        let name = match parts {
            Parts::Complex(_) => format!("{element} _Complex"),
            Parts::Vector(_, count) => format!("vector of {count} {element}"),
        };
        let no = self.new_record(false, Some(name));
        let all = self.of(Kind::Array(parts.element(), Length::Known(parts.count())));
        let spec = MemberSpec {
            name: Some("__parts".to_owned()),
            ty: all,
            width: None,
            align: None,
            packed: false,
        };
        let align = match parts {
            Parts::Complex(_) => None,
            Parts::Vector(..) => self.size(all),
        };
        self.complete(no, vec![spec], RecordSpec { packed: false, align, pack: None });
        self.records[no.0 as usize].parts = Some(parts);
        let ty = self.of(Kind::Record(no));
        self.parts.insert(parts, ty);
        ty
    }

    /// The parts of a number that has several.
    pub fn parts(&self, ty: Ty) -> Option<Parts> {
        self.record(self.as_record(ty)?).parts
    }

    /// Gives a struct or union its members.
    pub fn complete(&mut self, no: RecordNo, specs: Vec<MemberSpec>, spec: RecordSpec) {
        let is_union = self.record(no).is_union;
        let mut members = Vec::with_capacity(specs.len());
        // In bits.
        let (mut at, mut end) = (0u64, 0u64);
        let mut align = 1u64;
        for m in specs {
            if is_union {
                at = 0;
            }
            let cap = |align: u64| spec.pack.map_or(align, |pack| align.min(pack));
            let natural = self.align(m.ty);
            let packed = m.packed || spec.packed;
            let (start, bits, size) = match m.width {
                Some(0) => {
                    // LAY3; no pragma caps this.
                    at = at.next_multiple_of(8 * natural.max(m.align.unwrap_or(1)));
                    if !is_union {
                        end = end.max(at);
                    }
                    continue;
                }
                Some(width) => {
                    if let Some(asked) = m.align {
                        at = at.next_multiple_of(8 * cap(asked));
                    }
                    let unit = 8 * natural;
                    let units = |bits: u64| bits.div_ceil(unit);
                    let size = 8 * self.size(m.ty).unwrap_or(1);
                    let first = at / unit;
                    // LAY2
                    if !packed && spec.pack.is_none() && units(at + width) - first > size / unit {
                        at = at.next_multiple_of(unit);
                    }
                    if m.name.is_some() {
                        let own = if packed && spec.pack.is_none() { 1 } else { cap(natural) };
                        align = align.max(own).max(m.align.map_or(1, cap));
                    }
                    (at / 8, Some(((at % 8) as u8, width as u8)), width)
                }
                None => {
                    // LAY1
                    let own = match (packed, m.align) {
                        (true, None) => 1,
                        (true, Some(asked)) => asked,
                        (false, asked) => natural.max(asked.unwrap_or(1)),
                    };
                    let own = cap(own);
                    at = at.next_multiple_of(8 * own);
                    align = align.max(own);
                    (at / 8, None, 8 * self.size(m.ty).unwrap_or(0))
                }
            };
            members.push(Member { name: m.name, ty: m.ty, offset: start, bits });
            at = at.saturating_add(size);
            end = end.max(at);
        }
        // LAY4
        let align = align.max(spec.align.unwrap_or(1));
        let record = &mut self.records[no.0 as usize];
        record.size = end.div_ceil(8).next_multiple_of(align);
        record.align = align;
        record.members = members;
        record.complete = true;
    }

    /// The member of a name.
    pub fn member(&self, no: RecordNo, name: &str) -> Option<Found> {
        let mut todo = vec![(no, 0u64)];
        while let Some((no, base)) = todo.pop() {
            for m in &self.record(no).members {
                match &m.name {
                    Some(own) if own == name => {
                        let Member { ty, offset, bits, .. } = m.clone();
                        return Some(Found { offset: base + offset, ty, bits });
                    }
                    None if m.bits.is_none() => {
                        if let Kind::Record(inner) = self.kind(m.ty) {
                            todo.push((*inner, base + m.offset));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }
}
