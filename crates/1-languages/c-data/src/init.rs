//! Initialisers: which value goes where.
//!
//! What comes later counts, and as with gcc nothing is left of what it overlaps (`struct { int a[2]; } x = { .a[1] = 9,
//! .a = { 7 } }` has no 9): braces and strings stand for all of the part that they initialise, a value that is overridden
//! is not evaluated, another member of a union takes the place of the one before. The value of a range of elements is
//! evaluated once.

use crate::lower::{Lowered, Lowerer};
use crate::place::Where;
use crate::program::{BinOp, ExprId, ExprKind, ObjectId, Root, StmtKind};
use c_types::{Kind, Length, RecordNo, Ty};
use front_c::{Designator, ExprKind as Tree, Init, InitId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most elements of which an initialiser may speak one by one.
const MAX_LEAVES: usize = 1 << 22;

/// A value for a part of an object.
struct Leaf {
    offset: u64,
    ty: Ty,
    bits: Option<(u8, u8)>,
    value: Value,
}

enum Value {
    Expr(front_c::ExprId),
    /// The bytes of a string.
    Bytes(front_c::ExprId, Vec<u8>),
}

/// A list that is being used up.
struct Cursor {
    items: Vec<(Vec<Designator>, InitId)>,
    pos: usize,
}

#[derive(Default)]
struct Leaves {
    list: Vec<Leaf>,
    /// How many elements the outermost array has, as far as is seen.
    length: u64,
    /// Which bits the next value is for, if it is for a bit-field.
    bits: Option<(u8, u8)>,
    /// Behind the last bit of all of them, and of each, where it ends.
    end: u64,
    ends: Vec<u64>,
    /// The member of each union (where it lies, and which) that was named.
    named: FxHashMap<(u64, RecordNo), u64>,
}

impl Leaves {
    /// A value for so many bytes.
    fn push(&mut self, leaf: Leaf, size: u64) {
        let (start, end) = match leaf.bits {
            Some((first, width)) => {
                let start = leaf.offset.saturating_mul(8) + u64::from(first);
                (start, start + u64::from(width))
            }
            None => {
                let start = leaf.offset.saturating_mul(8);
                (start, start.saturating_add(size.saturating_mul(8)))
            }
        };
        self.forget(start, end);
        self.end = self.end.max(end);
        self.ends.push(end);
        self.list.push(leaf);
    }
    /// Bytes that are about to be initialised as a whole.
    fn forget_bytes(&mut self, offset: u64, size: u64) {
        let start = offset.saturating_mul(8);
        self.forget(start, start.saturating_add(size.saturating_mul(8)));
    }
    /// Values that are overridden, by the bits that override them. Mostly there are none behind where a value goes.
    fn forget(&mut self, start: u64, end: u64) {
        if start >= self.end {
            return;
        }
        let starts = |leaf: &Leaf| {
            leaf.offset.saturating_mul(8) + leaf.bits.map_or(0, |(first, _)| u64::from(first))
        };
        // Of a string single characters can be overridden.
        let keep = |leaf: &Leaf, until: u64| match leaf.value {
            Value::Bytes(..) => starts(leaf) < start || end < until,
            Value::Expr(_) => starts(leaf) >= end || until <= start,
        };
        let both = self.list.iter().zip(&self.ends);
        let kept: Vec<bool> = both.map(|(leaf, &until)| keep(leaf, until)).collect();
        let (mut list, mut ends) = (kept.iter(), kept.iter());
        self.list.retain(|_| list.next().is_some_and(|&keep| keep));
        self.ends.retain(|_| ends.next().is_some_and(|&keep| keep));
    }
}

impl Lowerer<'_> {
    /// The expression that initialises a scalar, through braces; none for `{}`.
    pub(crate) fn scalar_initialiser(
        &mut self,
        mut init: InitId,
    ) -> Lowered<Option<front_c::ExprId>> {
        loop {
            match &self.unit().inits[init.index()] {
                Init::Expr(e) => return Ok(Some(*e)),
                Init::List(list) => match list.first() {
                    Some((_, _, inner)) => init = *inner,
                    None => return Ok(None),
                },
            }
        }
    }

    /// The type with the length that the initialiser gives it.
    pub(crate) fn completed_by(&mut self, ty: Ty, init: InitId) -> Lowered<Ty> {
        let Kind::Array(element, Length::Unknown) = *self.types.kind(ty) else { return Ok(ty) };
        let leaves = self.leaves(ty, init)?;
        Ok(self.types.of(Kind::Array(element, Length::Known(leaves.length))))
    }

    fn leaves(&mut self, ty: Ty, init: InitId) -> Lowered<Leaves> {
        self.whole(ty)?;
        let mut out = Leaves::default();
        let mut cursor = Cursor { items: vec![(Vec::new(), init)], pos: 0 };
        self.element(ty, 0, &mut cursor, &mut out, true)?;
        Ok(out)
    }

    fn cursor(&self, init: InitId) -> Cursor {
        let unit = self.unit();
        let Init::List(list) = &unit.inits[init.index()] else {
            return Cursor { items: vec![(Vec::new(), init)], pos: 0 };
        };
        let paths = unit.extra.designators.get(&init);
        let items = list.iter().enumerate().map(|(i, (_, _, value))| {
            let path = paths.and_then(|p| p.get(i)).cloned().unwrap_or_default();
            (path, *value)
        });
        Cursor { items: items.collect(), pos: 0 }
    }

    /// One element from the list.
    fn element(
        &mut self,
        ty: Ty,
        offset: u64,
        cursor: &mut Cursor,
        out: &mut Leaves,
        outermost: bool,
    ) -> Lowered<()> {
        self.deeper(|l| l.element_here(ty, offset, cursor, out, outermost))
    }

    fn element_here(
        &mut self,
        ty: Ty,
        offset: u64,
        cursor: &mut Cursor,
        out: &mut Leaves,
        outermost: bool,
    ) -> Lowered<()> {
        if out.list.len() > MAX_LEAVES {
            return self.gap(format!("more than {MAX_LEAVES} initial values"));
        }
        let bits = out.bits.take();
        let unit = self.unit();
        self.whole(ty)?;
        let Some((_, init)) = cursor.items.get(cursor.pos).cloned() else { return Ok(()) };
        // Only the last member, or the outermost array, has no length.
        let size = self.types.size(ty).unwrap_or(0);
        let aggregate = !self.types.is_scalar(ty) && !self.is_complex(ty);
        match &unit.inits[init.index()] {
            Init::List(list) => {
                cursor.pos += 1;
                if !aggregate {
                    if let Some(e) = self.scalar_initialiser(init)? {
                        let value = Value::Expr(e);
                        out.push(Leaf { offset, ty, bits, value }, size);
                    }
                    return Ok(());
                }
                out.forget_bytes(offset, size);
                // `{"text"}`
                if let [(_, _, only)] = &list[..]
                    && let Init::Expr(e) = unit.inits[only.index()]
                    && self.string_for(ty, e)
                {
                    return self.text_leaf(ty, offset, e, out, outermost);
                }
                let mut inner = self.cursor(init);
                self.aggregate_from(ty, offset, 0, &mut inner, out, (true, outermost))
            }
            Init::Expr(e) => {
                let e = *e;
                if !aggregate {
                    cursor.pos += 1;
                    out.push(Leaf { offset, ty, bits, value: Value::Expr(e) }, size);
                    return Ok(());
                }
                if self.string_for(ty, e) {
                    cursor.pos += 1;
                    return self.text_leaf(ty, offset, e, out, outermost);
                }
                if let Tree::Compound(of, inner) = unit.expr(e).kind {
                    let of = self.ty(of)?;
                    let same_record = self.types.as_record(ty).is_some()
                        && self.types.as_record(of) == self.types.as_record(ty);
                    let arrays = matches!(self.types.kind(ty), Kind::Array(..))
                        && matches!(self.types.kind(of), Kind::Array(..));
                    if same_record || arrays {
                        cursor.pos += 1;
                        out.forget_bytes(offset, size);
                        let mut inner = self.cursor(inner);
                        return self.aggregate_from(
                            ty,
                            offset,
                            0,
                            &mut inner,
                            out,
                            (true, outermost),
                        );
                    }
                }
                if self.types.as_record(ty).is_some() {
                    let of = self.type_only(e)?;
                    if self.types.as_record(of).is_some()
                        && (self.types.as_record(of) == self.types.as_record(ty) || outermost)
                    {
                        cursor.pos += 1;
                        out.push(Leaf { offset, ty, bits: None, value: Value::Expr(e) }, size);
                        return Ok(());
                    }
                }
                if outermost {
                    return self.gap("an array is initialised by a number");
                }
                self.aggregate_from(ty, offset, 0, cursor, out, (false, false))
            }
        }
    }

    /// Whether an expression is a string for an array of characters.
    fn string_for(&mut self, ty: Ty, e: front_c::ExprId) -> bool {
        let Kind::Array(element, _) = *self.types.kind(ty) else { return false };
        matches!(self.unit().expr(e).kind, Tree::Text(_)) && self.types.is_integer(element)
    }

    fn text_leaf(
        &mut self,
        ty: Ty,
        offset: u64,
        e: front_c::ExprId,
        out: &mut Leaves,
        outermost: bool,
    ) -> Lowered<()> {
        let (mut bytes, unit, _) = self.string(e)?;
        let Kind::Array(_, length) = *self.types.kind(ty) else { return Ok(()) };
        match length {
            Length::Known(n) => bytes.truncate(n.saturating_mul(unit) as usize),
            _ if outermost => out.length = out.length.max(bytes.len() as u64 / unit),
            _ => {}
        }
        let size = self.types.size(ty).unwrap_or(0).max(bytes.len() as u64);
        out.push(Leaf { offset, ty, bits: None, value: Value::Bytes(e, bytes) }, size);
        Ok(())
    }

    /// The members or elements of an aggregate from one on; `braces` if the list is its own.
    fn aggregate_from(
        &mut self,
        ty: Ty,
        offset: u64,
        start: u64,
        cursor: &mut Cursor,
        out: &mut Leaves,
        (braces, outermost): (bool, bool),
    ) -> Lowered<()> {
        self.whole(ty)?;
        let mut i = start;
        while cursor.pos < cursor.items.len() {
            let path = cursor.items[cursor.pos].0.clone();
            if !path.is_empty() {
                if !braces {
                    return Ok(());
                }
                i = self.designated(ty, offset, &path, cursor, out, outermost)?;
                continue;
            }
            match self.types.kind(ty).clone() {
                Kind::Array(element, length) => {
                    if let Length::Known(n) = length
                        && i >= n
                    {
                        break;
                    }
                    let size = self.size_of(element)?;
                    self.element(element, offset + i * size, cursor, out, false)?;
                    if outermost {
                        out.length = out.length.max(i + 1);
                    }
                }
                Kind::Record(no) => {
                    let record = self.types.record(no);
                    let is_union = record.is_union;
                    // Bit-fields without a name have no values.
                    let named = |m: &&c_types::Member| m.name.is_some() || m.bits.is_none();
                    let member = record.members.iter().filter(named).nth(i as usize).cloned();
                    let Some(member) = member.filter(|_| !is_union || i == 0) else { break };
                    self.member_element(member, offset, cursor, out)?;
                }
                _ => {
                    self.element(ty, offset, cursor, out, false)?;
                    break;
                }
            }
            i += 1;
        }
        if braces {
            cursor.pos = cursor.items.len();
        }
        Ok(())
    }

    fn member_element(
        &mut self,
        member: c_types::Member,
        offset: u64,
        cursor: &mut Cursor,
        out: &mut Leaves,
    ) -> Lowered<()> {
        out.bits = member.bits;
        self.element(member.ty, offset + member.offset, cursor, out, false)
    }

    /// What designators name, and then what follows it; the position after it.
    fn designated(
        &mut self,
        ty: Ty,
        offset: u64,
        path: &[Designator],
        cursor: &mut Cursor,
        out: &mut Leaves,
        outermost: bool,
    ) -> Lowered<u64> {
        let unit = self.unit();
        let (first, rest) = (path[0], &path[1..]);
        match (self.types.kind(ty).clone(), first) {
            (Kind::Array(element, _), Designator::Index(_) | Designator::Range(..)) => {
                let (low, high) = match first {
                    Designator::Range(low, high) => (low, high),
                    Designator::Index(i) => (i, i),
                    Designator::Member(_) => return self.gap("a member of an array"),
                };
                let (low, high) = (self.constant_expr(low)?, self.constant_expr(high)?);
                let (Some(low), Some(high)) = (low, high) else {
                    return self.gap("a designator that is no constant");
                };
                let (Ok(low), Ok(high)) = (u64::try_from(low), u64::try_from(high)) else {
                    return self.gap("a negative designator");
                };
                if high >= 1 << 31 {
                    return self.gap("a designator of 2^31 and more");
                }
                let size = self.size_of(element)?;
                let start = cursor.pos;
                for i in low..=high {
                    cursor.pos = start;
                    self.designated_rest(element, offset + i * size, rest, cursor, out, None)?;
                    if out.list.len() > MAX_LEAVES {
                        return self.gap(format!("more than {MAX_LEAVES} initial values"));
                    }
                }
                if outermost {
                    out.length = out.length.max(high + 1);
                }
                Ok(high + 1)
            }
            (Kind::Record(no), Designator::Member(name)) => {
                self.whole(ty)?;
                let name = unit.name(name);
                let Some((index, steps)) = self.find_member(no, name) else {
                    return self.gap(format!("there is no member `{name}`"));
                };
                let mut at = offset;
                let mut found = None;
                // The unnamed ones on the way, with where they start and which member comes next.
                let mut unnamed = Vec::new();
                for (record, position) in steps {
                    if self.types.record(record).is_union
                        && out
                            .named
                            .insert((at, record), position as u64)
                            .is_some_and(|before| before != position as u64)
                    {
                        let union = self.types.of(Kind::Record(record));
                        out.forget_bytes(at, self.types.size(union).unwrap_or(0));
                    }
                    if found.is_some() {
                        let named = |m: &&c_types::Member| m.name.is_some() || m.bits.is_none();
                        let before = &self.types.record(record).members[..position];
                        let next = before.iter().filter(named).count() as u64 + 1;
                        unnamed.push((self.types.of(Kind::Record(record)), at, next));
                    }
                    let member = self.types.record(record).members[position].clone();
                    at += member.offset;
                    found = Some(member);
                }
                let Some(member) = found else { return self.gap("no such member") };
                self.designated_rest(member.ty, at, rest, cursor, out, member.bits)?;
                for (ty, at, next) in unnamed.into_iter().rev() {
                    self.aggregate_from(ty, at, next, cursor, out, (false, false))?;
                }
                Ok(index + 1)
            }
            _ => self.gap("a designator that does not fit"),
        }
    }

    fn designated_rest(
        &mut self,
        ty: Ty,
        offset: u64,
        rest: &[Designator],
        cursor: &mut Cursor,
        out: &mut Leaves,
        bits: Option<(u8, u8)>,
    ) -> Lowered<()> {
        if rest.is_empty() {
            // They are followed to their end.
            if let Some(item) = cursor.items.get_mut(cursor.pos) {
                item.0.clear();
            }
            out.bits = bits;
            return self.element(ty, offset, cursor, out, false);
        }
        let next = self.designated(ty, offset, rest, cursor, out, false)?;
        // What follows goes on behind it.
        let more = cursor.items.get(cursor.pos).is_some_and(|item| item.0.is_empty());
        if more {
            self.aggregate_from(ty, offset, next, cursor, out, (false, false))?;
        }
        Ok(())
    }

    /// The position of a member among those that have values, and the way to it through unnamed ones.
    fn find_member(&self, no: RecordNo, name: &str) -> Option<(u64, Vec<(RecordNo, usize)>)> {
        let record = self.types.record(no);
        let mut index = 0;
        for (position, member) in record.members.iter().enumerate() {
            if member.name.is_none() && member.bits.is_some() {
                continue;
            }
            if member.name.as_deref() == Some(name) {
                return Some((index, vec![(no, position)]));
            }
            if member.name.is_none()
                && let Some(inner) = self.types.as_record(member.ty)
                && let Some((_, steps)) = self.find_member(inner, name)
            {
                let mut way = vec![(no, position)];
                way.extend(steps);
                return Some((index, way));
            }
            index += 1;
        }
        None
    }

    // Automatic objects.

    pub(crate) fn initialise_aggregate(
        &mut self,
        address: ExprId,
        ty: Ty,
        init: InitId,
    ) -> Lowered<()> {
        let leaves = self.leaves(ty, init)?;
        let size = self.size_of(ty)?;
        if let [Leaf { offset: 0, ty: whole, value: Value::Expr(e), .. }] = leaves.list[..]
            && self.types.as_record(whole).is_some()
            && self.types.as_record(whole) == self.types.as_record(ty)
        {
            let value = self.rvalue(e)?;
            let place = self.part(address, 0, ty, None);
            self.store(place, value, false)?;
            return Ok(());
        }
        if size > 0 {
            self.stmt(StmtKind::Zero { to: address, size });
        }
        // Those of ranges.
        let mut once = FxHashSet::default();
        let values = leaves.list.iter().filter_map(|leaf| match leaf.value {
            Value::Expr(e) if self.types.is_scalar(leaf.ty) => Some(e),
            _ => None,
        });
        let again: FxHashSet<front_c::ExprId> = values.filter(|e| !once.insert(*e)).collect();
        let mut evaluated = FxHashMap::default();
        for leaf in leaves.list {
            match leaf.value {
                Value::Expr(e) => {
                    let value = match evaluated.get(&e) {
                        Some(&value) => value,
                        None => {
                            let mut value = self.rvalue(e)?;
                            if again.contains(&e) && self.effects[self.u][e.index()] {
                                value.expr = self.keep(value.expr);
                                evaluated.insert(e, value);
                            }
                            value
                        }
                    };
                    let place = self.part(address, leaf.offset, leaf.ty, leaf.bits);
                    self.store(place, value, false)?;
                }
                Value::Bytes(e, bytes) => {
                    let Where::Memory(from) = self.place(e)?.at else { continue };
                    let to = self.offset(address, leaf.offset, leaf.ty);
                    let size = bytes.len() as u64;
                    if size > 0 {
                        self.stmt(StmtKind::Copy { to, from, size });
                    }
                }
            }
        }
        Ok(())
    }

    // Static objects.

    pub(crate) fn static_initialiser(&mut self, object: ObjectId, init: InitId) -> Lowered<()> {
        self.fixed += 1;
        let done = self.static_values(object, init);
        self.fixed -= 1;
        done
    }

    fn static_values(&mut self, object: ObjectId, init: InitId) -> Lowered<()> {
        let ty = self.objects[object.index()].ty;
        let ty = self.completed_by(ty, init)?;
        self.objects[object.index()].ty = ty;
        let size = self.size_of(ty)?;
        let mut bytes = vec![0; size as usize];
        let mut addresses: Vec<(u64, Root, i64)> = Vec::new();
        let leaves = self.leaves(ty, init)?;
        for leaf in leaves.list {
            match leaf.value {
                Value::Bytes(_, text) => put(&mut bytes, leaf.offset, &text),
                Value::Expr(e) if self.is_complex(leaf.ty) => {
                    let leaf_ty = self.types.plain(leaf.ty);
                    let known = self.dry(|l| {
                        let value = l.rvalue(e)?;
                        let value = l.as_parts(value, leaf_ty)?;
                        Ok(l.known_halves(value.expr))
                    })?;
                    let Some((re, im)) = known else {
                        return self.gap("an initial value that is no constant");
                    };
                    let ty = self.type_of(re);
                    let by = self.size_of(ty)?;
                    for (part, value) in [(0, re), (by, im)] {
                        let offset = leaf.offset + part;
                        let part = Leaf { offset, ty, bits: None, value: Value::Expr(e) };
                        self.static_leaf(&part, value, &mut bytes, &mut addresses)?;
                    }
                }
                Value::Expr(e) if self.types.as_record(leaf.ty).is_some() => {
                    let of = self.dry(|l| l.rvalue(e))?;
                    let Some((Root::Object(from), by)) = self.address_constant(of.expr) else {
                        return self.gap("an initial value that is no constant");
                    };
                    let size = self.size_of(leaf.ty)? as usize;
                    let source = &self.objects[from.index()];
                    let mut copy = source.bytes.get(by as usize..).unwrap_or(&[]).to_vec();
                    copy.resize(size, 0);
                    put(&mut bytes, leaf.offset, &copy);
                }
                Value::Expr(e) => {
                    self.note_label(e);
                    let leaf_ty = self.types.plain(leaf.ty);
                    let value = self.dry(|l| {
                        let value = l.rvalue(e)?;
                        l.scalar(value, leaf_ty)
                    })?;
                    let size = self.size_of(leaf_ty)?;
                    let end = leaf.offset + size;
                    if leaf.bits.is_none() {
                        addresses.retain(|(at, ..)| !(leaf.offset..end).contains(at));
                    }
                    self.static_leaf(&leaf, value, &mut bytes, &mut addresses)?;
                }
            }
        }
        let o = &mut self.objects[object.index()];
        o.size = o.size.max(bytes.len() as u64);
        o.bytes = bytes;
        o.addresses = addresses;
        o.defined = true;
        Ok(())
    }

    /// A label whose address a table has stays, whatever else of the table does not.
    fn note_label(&mut self, mut e: front_c::ExprId) {
        while let Tree::Cast(_, inner) = self.unit().expr(e).kind {
            e = inner;
        }
        if let Tree::LabelAddress(label) = self.unit().expr(e).kind {
            self.label(label);
        }
    }

    fn static_leaf(
        &mut self,
        leaf: &Leaf,
        value: ExprId,
        bytes: &mut Vec<u8>,
        addresses: &mut Vec<(u64, Root, i64)>,
    ) -> Lowered<()> {
        let size = self.size_of(leaf.ty)? as usize;
        match *self.kind_of(value) {
            ExprKind::Int(n) => match leaf.bits {
                None => put(bytes, leaf.offset, &n.to_le_bytes()[..size.min(16)]),
                Some((first, width)) => {
                    let count = (usize::from(first) + usize::from(width)).div_ceil(8);
                    let start = leaf.offset as usize;
                    if bytes.len() < start + count {
                        bytes.resize(start + count, 0);
                    }
                    let mut old = [0u8; 16];
                    old[..count].copy_from_slice(&bytes[start..start + count]);
                    let mask = (1u128 << width) - 1;
                    let new = (u128::from_le_bytes(old) & !(mask << first))
                        | ((n as u128 & mask) << first);
                    put(bytes, leaf.offset, &new.to_le_bytes()[..count]);
                }
            },
            ExprKind::Float(x) => {
                let data = self.float_bytes(x, leaf.ty);
                put(bytes, leaf.offset, &data);
            }
            _ => match self.address_constant(value) {
                Some((root, by)) if size as u64 == u64::from(self.types.model().pointer / 8) => {
                    put(bytes, leaf.offset, &vec![0; size]);
                    addresses.push((leaf.offset, root, by));
                }
                _ => return self.gap("an initial value that is no constant"),
            },
        }
        Ok(())
    }

    /// The bytes of a number with a fraction.
    pub(crate) fn float_bytes(&self, x: f64, ty: Ty) -> Vec<u8> {
        match self.types.kind(ty) {
            Kind::Float(c_types::FloatKind::Float) => (x as f32).to_le_bytes().to_vec(),
            Kind::Float(c_types::FloatKind::LongDouble) => {
                let mut out = crate::extended::to_bytes(x).to_vec();
                out.resize(self.types.size(ty).unwrap_or(16) as usize, 0);
                out
            }
            _ => x.to_le_bytes().to_vec(),
        }
    }

    /// What an address is relative to, and how far from it.
    fn address_constant(&self, e: ExprId) -> Option<(Root, i64)> {
        let (mut e, mut by) = (e, 0i128);
        loop {
            match *self.kind_of(e) {
                ExprKind::Root(root) => return Some((root, by as i64)),
                ExprKind::Convert(inner) => {
                    let ty = self.type_of(e);
                    let wide = self.types.size(ty)? == u64::from(self.types.model().pointer / 8);
                    if !wide || self.types.is_float(ty) {
                        return None;
                    }
                    e = inner;
                }
                ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                    match (self.constant(a), self.constant(b)) {
                        (_, Some(n)) => {
                            by = if op == BinOp::Add { by + n } else { by - n };
                            e = a;
                        }
                        (Some(n), _) if op == BinOp::Add => {
                            by += n;
                            e = b;
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
    }
}

fn put(bytes: &mut Vec<u8>, offset: u64, data: &[u8]) {
    let start = offset as usize;
    if bytes.len() < start + data.len() {
        bytes.resize(start + data.len(), 0);
    }
    bytes[start..start + data.len()].copy_from_slice(data);
}
