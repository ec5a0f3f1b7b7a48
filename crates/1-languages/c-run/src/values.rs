//! What variables hold at the lines of a run, in C's terms.
//!
//! Of the function that is active its named locals are told, those alone that are in scope and were written; of other
//! objects those that are not any more what they were at the beginning; allocated ones have the names `heap1`, `heap2`,
//! …, and the types of pointers that lead to them.

use crate::code::{Code, Routine};
use crate::machine::Frame;
use crate::memory::{FUNCTIONS, Kind as Sort, LABELS, Memory, Object};
use c_data::{At, FuncId, Home, LocalId, Program};
use c_types::{FloatKind, IntKind, Kind, Length, RecordNo, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many elements of an array are told.
const ELEMENTS: u64 = 256;
/// So many values of one variable.
const LEAVES: usize = 600;
/// So many allocated objects.
const HEAP: usize = 40;
/// What is larger is not told.
const LARGEST: u64 = 1 << 16;
/// So many characters of a string.
const LETTERS: usize = 80;
/// So many strings of a list.
const STRINGS: u64 = 8;
/// How deep structs and arrays are told.
const DEPTH: u32 = 12;

/// What is held somewhere. What was never written is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number without a fraction.
    Int(i128),
    /// What is no number of the report: fractions, pointers, strings, as C writes them.
    Text(String),
    /// The elements of an array, the first ones at least, and how many more there are.
    Elements(Vec<Option<Value>>, u64),
    /// The members of a struct or union.
    Members(Vec<(String, Option<Value>)>),
}

/// What a variable holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its name.
    pub name: Arc<str>,
    /// It is no local of the function that is active.
    pub global: bool,
    /// What it holds.
    pub value: Value,
}

/// A local of a function, and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownLocal {
    pub(crate) local: LocalId,
    pub(crate) register: u32,
    /// The register that tells whether it was written; none if it always has a value.
    pub(crate) flag: Option<u32>,
}

/// Looks what variables hold.
pub(crate) struct Shown<'a> {
    program: &'a Program,
    /// Where static objects are.
    objects: &'a [u64],
    /// The lines, counted, before and from which on it is looked.
    window: (u64, u64),
    /// What static objects were at the beginning.
    initial: Vec<Option<Vec<u8>>>,
    /// Static objects that changed.
    changed: FxHashSet<usize>,
    /// Allocated objects by their addresses: numbers, and what they are made of.
    heap: BTreeMap<u64, (usize, Option<Ty>)>,
    heap_count: usize,
    names: FxHashMap<String, Arc<str>>,
    /// What was found, by the number of the line.
    pub(crate) found: BTreeMap<u64, Vec<Held>>,
}

/// One look at memory.
struct Look<'l> {
    program: &'l Program,
    memory: &'l Memory,
    code: &'l Code,
    function: FuncId,
    heap: &'l mut BTreeMap<u64, (usize, Option<Ty>)>,
    heap_count: &'l mut usize,
    leaves: usize,
}

impl<'a> Shown<'a> {
    /// For a run of so many lines, of which so many first and last ones are listed.
    pub(crate) fn new(
        program: &'a Program,
        objects: &'a [u64],
        (lines, most): (u64, u64),
    ) -> Shown<'a> {
        Shown {
            program,
            objects,
            window: (most, lines.saturating_sub(most)),
            initial: Vec::new(),
            changed: FxHashSet::default(),
            heap: BTreeMap::new(),
            heap_count: 0,
            names: FxHashMap::default(),
            found: BTreeMap::new(),
        }
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let new: Arc<str> = name.into();
        self.names.insert(name.to_owned(), new.clone());
        new
    }

    /// Remembers what static objects are before the program starts.
    pub(crate) fn begin(&mut self, memory: &Memory) {
        let tells = |o: &c_data::Object| {
            o.own && o.defined && !o.read_only && o.size <= LARGEST && !o.name.is_empty()
        };
        for (i, object) in self.program.objects.iter().enumerate() {
            let bytes = tells(object).then(|| memory.read(self.objects[i], object.size).ok());
            self.initial.push(bytes.flatten().map(<[u8]>::to_vec));
        }
    }

    /// Looks before the line with a number.
    pub(crate) fn look(
        &mut self,
        number: u64,
        (function, at): (FuncId, At),
        (code, memory): (&Code, &Memory),
        (registers, frame): (&[u64], &Frame),
    ) {
        if number >= self.window.0 && number < self.window.1 || self.found.contains_key(&number) {
            return;
        }
        let program = self.program;
        let mut heap = std::mem::take(&mut self.heap);
        let mut heap_count = self.heap_count;
        let mut look = Look {
            program,
            memory,
            code,
            function,
            heap: &mut heap,
            heap_count: &mut heap_count,
            leaves: 0,
        };
        let routine = &code.routines[function.index()];
        let mut out: Vec<(String, bool, Value)> = Vec::new();
        for (name, value, beyond) in look.locals(routine, at, registers, frame) {
            out.push((name.clone(), false, value));
            // What a pointer leads to in another frame has no name here.
            out.extend(beyond.map(|value| (format!("*{name}"), false, value)));
        }
        for (i, object) in program.objects.iter().enumerate() {
            let Some(Some(initial)) = self.initial.get(i) else { continue };
            let Ok(bytes) = memory.read(self.objects[i], object.size) else { continue };
            if bytes != initial.as_slice() {
                self.changed.insert(i);
            }
            if self.changed.contains(&i)
                && let Some(value) = look.object(self.objects[i], object.ty, object.size)
            {
                out.push((object.name.clone(), true, value));
            }
        }
        // Objects lead to objects.
        let mut told: FxHashSet<u64> = FxHashSet::default();
        while told.len() < HEAP {
            let next =
                look.heap.iter().find(|(base, (_, ty))| ty.is_some() && !told.contains(base));
            let Some((&base, &(number, Some(ty)))) = next else { break };
            told.insert(base);
            let object = memory.object(base);
            let value = match object.base == base && object.size > 0 && object.kind == Sort::Heap {
                true => look.allocated(&object, ty),
                false => Some(Value::Text("(freed)".to_owned())),
            };
            out.extend(value.map(|value| (format!("heap{number}"), true, value)));
        }
        (self.heap, self.heap_count) = (heap, heap_count);
        let held = out.into_iter().map(|(name, global, value)| {
            let name = self.name(&name);
            Held { name, global, value }
        });
        let held = held.collect();
        self.found.insert(number, held);
    }
}

impl Look<'_> {
    /// The named locals of a frame that are in scope and have a value, and what pointers among them lead to in other
    /// frames.
    fn locals(
        &mut self,
        routine: &Routine,
        at: At,
        registers: &[u64],
        frame: &Frame,
    ) -> Vec<(String, Value, Option<Value>)> {
        let program = self.program;
        let f = &program.functions[self.function.index()];
        let in_scope = |local: &c_data::Local| {
            let here = local.at.file == at.file && local.at.line > 0;
            !here || local.at.line <= at.line && (local.until == 0 || at.line <= local.until)
        };
        let mut out: Vec<(String, Value, Option<Value>)> = Vec::new();
        for shown in &routine.shown {
            let local = &f.locals[shown.local.index()];
            let get = |r: u32| registers[frame.base + r as usize];
            if !in_scope(local) || shown.flag.is_some_and(|flag| get(flag) == 0) {
                continue;
            }
            let word = get(shown.register);
            let size = program.types.size(local.ty).unwrap_or(0);
            self.leaves = 0;
            let (value, beyond) = match local.home {
                Home::Register => {
                    let mut bytes = word.to_le_bytes().to_vec();
                    if size > 8 {
                        bytes.extend(get(shown.register + 1).to_le_bytes());
                    }
                    let value = self.scalar(&bytes, local.ty, true);
                    (value, self.beyond(word, local.ty))
                }
                Home::Memory | Home::ByAddress => (self.object(word, local.ty, size), None),
            };
            if let Some(value) = value {
                // The innermost one of a name is declared last.
                out.retain(|(name, ..)| *name != local.name);
                out.push((local.name.clone(), value, beyond));
            }
        }
        out
    }

    /// The struct in another frame that a pointer leads to.
    fn beyond(&mut self, address: u64, ty: Ty) -> Option<Value> {
        let to = self.program.types.pointee(ty)?;
        self.program.types.as_record(to)?;
        let object = self.memory.object(address);
        if object.kind != Sort::Local || object.size == 0 {
            return None;
        }
        let (owner, _) = self.code.homes.get(&object.name)?;
        let size = self.program.types.size(to)?;
        (*owner != self.function).then(|| self.object(address, to, size)).flatten()
    }

    /// What an object holds.
    fn object(&mut self, address: u64, ty: Ty, size: u64) -> Option<Value> {
        if size == 0 || size > LARGEST {
            return None;
        }
        self.leaves = 0;
        let bytes = self.memory.read(address, size).ok()?.to_vec();
        let written: Vec<bool> =
            (0..size).map(|i| self.memory.is_written(address + i, 1)).collect();
        written.contains(&true).then(|| self.value((&bytes, &written), ty, 0)).flatten()
    }

    /// What an allocated object holds that is made of things of a type.
    fn allocated(&mut self, object: &Object, ty: Ty) -> Option<Value> {
        let each = self.program.types.size(ty).filter(|&each| each > 0)?;
        if object.size == each {
            return self.object(object.base, ty, each);
        }
        if object.size > LARGEST {
            return None;
        }
        self.leaves = 0;
        let size = object.size;
        let bytes = self.memory.read(object.base, size).ok()?.to_vec();
        let written: Vec<bool> =
            (0..size).map(|i| self.memory.is_written(object.base + i, 1)).collect();
        if !written.contains(&true) {
            return None;
        }
        self.elements((&bytes, &written), ty, size / each, 0)
    }

    fn value(&mut self, of: (&[u8], &[bool]), ty: Ty, depth: u32) -> Option<Value> {
        let types = &self.program.types;
        let size = types.size(ty)? as usize;
        let (bytes, written) = (of.0.get(..size)?, of.1.get(..size)?);
        if depth > DEPTH {
            return Some(Value::Text("…".to_owned()));
        }
        match types.kind(ty) {
            Kind::Record(no) => self.members((bytes, written), *no, depth),
            Kind::Array(element, Length::Known(count)) => {
                let (element, count) = (*element, *count);
                self.elements((bytes, written), element, count, depth)
            }
            _ => {
                self.leaves += 1;
                let whole = !written.contains(&false);
                whole.then(|| self.scalar(bytes, ty, false)).flatten()
            }
        }
    }

    fn members(&mut self, of: (&[u8], &[bool]), no: RecordNo, depth: u32) -> Option<Value> {
        let record = self.program.types.record(no);
        let mut out = Vec::new();
        for member in &record.members {
            if self.leaves > LEAVES {
                break;
            }
            let from = member.offset as usize;
            let inner = (of.0.get(from..).unwrap_or(&[]), of.1.get(from..).unwrap_or(&[]));
            let value = match member.bits {
                None => self.value(inner, member.ty, depth + 1),
                Some((first, width)) => self.bits(inner, first, width, member.ty),
            };
            match (&member.name, value) {
                (Some(name), value) => out.push((name.clone(), value)),
                // The members of an unnamed one are members.
                (None, Some(Value::Members(more))) => out.extend(more),
                (None, _) => {}
            }
        }
        Some(Value::Members(out))
    }

    fn bits(&mut self, of: (&[u8], &[bool]), first: u8, width: u8, ty: Ty) -> Option<Value> {
        let count = (usize::from(first) + usize::from(width)).div_ceil(8);
        let (bytes, written) = (of.0.get(..count)?, of.1.get(..count)?);
        self.leaves += 1;
        if !written.contains(&true) || width == 0 {
            return None;
        }
        let all = bytes.iter().rev().fold(0u128, |all, &b| all << 8 | u128::from(b));
        let number = all >> first & ((1u128 << width) - 1);
        let signed = self.program.types.as_int(ty).is_some_and(|int| int.signed);
        let negative = signed && number >> (width - 1) & 1 == 1;
        Some(Value::Int(number as i128 - if negative { 1i128 << width } else { 0 }))
    }

    fn elements(
        &mut self,
        of: (&[u8], &[bool]),
        element: Ty,
        count: u64,
        depth: u32,
    ) -> Option<Value> {
        let each = self.program.types.size(element).filter(|&each| each > 0)?;
        if self.is_letter(element)
            && let Some(text) = of.0.iter().position(|&b| b == 0)
            && !of.1[..=text].contains(&false)
            && of.0[..text].iter().all(|&b| (0x20..0x7f).contains(&b) || b == b'\n' || b == b'\t')
            && (text > 0 || of.0.iter().all(|&b| b == 0))
        {
            self.leaves += 1;
            return Some(Value::Text(quoted(&of.0[..text])));
        }
        let mut out = Vec::new();
        for i in 0..count.min(ELEMENTS) {
            if self.leaves > LEAVES {
                break;
            }
            let from = (i * each) as usize;
            let inner = (of.0.get(from..)?, of.1.get(from..)?);
            out.push(self.value(inner, element, depth + 1));
        }
        let more = count - out.len() as u64;
        Some(Value::Elements(out, more))
    }

    fn is_letter(&self, ty: Ty) -> bool {
        let kind = self.program.types.kind(ty);
        matches!(kind, Kind::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar))
    }

    /// A value of a scalar type from its bytes, in memory or in a register.
    fn scalar(&mut self, bytes: &[u8], ty: Ty, in_register: bool) -> Option<Value> {
        let types = &self.program.types;
        let size = types.size(ty)? as usize;
        match types.kind(ty) {
            Kind::Pointer(to) => {
                let to = *to;
                let mut word = [0; 8];
                let size = size.min(8);
                word[..size].copy_from_slice(bytes.get(..size)?);
                Some(Value::Text(self.pointer(u64::from_le_bytes(word), to)))
            }
            Kind::Float(kind) => {
                let number = match kind {
                    FloatKind::Float => {
                        let bits = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
                        return Some(Value::Text(fraction(&f32::from_bits(bits))));
                    }
                    FloatKind::Double => {
                        let bits = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
                        f64::from_bits(bits)
                    }
                    // A register has it as a `double`.
                    _ if in_register => {
                        let bits = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
                        f64::from_bits(bits)
                    }
                    _ => c_data::extended::from_bytes(bytes.get(..10)?.try_into().ok()?),
                };
                Some(Value::Text(fraction(&number)))
            }
            kind => {
                let int = types.as_int(ty)?;
                let bytes = bytes.get(..size.min(16))?;
                let all = bytes.iter().rev().fold(0u128, |all, &b| all << 8 | u128::from(b));
                let bits = (8 * bytes.len()) as u32;
                let negative = int.signed && all >> (bits - 1) & 1 == 1;
                let number = match negative && bits < 128 {
                    true => all as i128 - (1i128 << bits),
                    false => all as i128,
                };
                if *kind == Kind::Int(IntKind::Char) && (0x20..0x7f).contains(&number) {
                    let letter = char::from(number as u8);
                    return Some(Value::Text(match letter {
                        '\'' | '\\' => format!("'\\{letter}'"),
                        _ => format!("'{letter}'"),
                    }));
                }
                Some(Value::Int(number))
            }
        }
    }

    /// A pointer to things of a type, as C writes it.
    fn pointer(&mut self, address: u64, to: Ty) -> String {
        if address == 0 {
            return "NULL".to_owned();
        }
        let program = self.program;
        if (FUNCTIONS..LABELS).contains(&address) {
            let number = ((address - FUNCTIONS) / 16) as usize;
            if let Some(f) = program.functions.get(number) {
                return format!("&{}", f.name);
            }
        }
        let object = self.memory.object(address);
        let at = address.wrapping_sub(object.base);
        match object.kind {
            Sort::Heap => {
                let gone = object.size == 0 && object.full > 0;
                self.learn(&object, at, to);
                let Some(&(number, ty)) = self.heap.get(&object.base) else {
                    return "(more memory)".to_owned();
                };
                let name = format!("heap{number}");
                let place = match ty {
                    _ if gone => format!("&{name}"),
                    Some(ty) => self.place_among(&name, ty, (at, object.size), to),
                    None => self.place_among(&name, to, (at, object.size), to),
                };
                match gone {
                    true => format!("{place} (freed)"),
                    false => place,
                }
            }
            Sort::Static if (object.name as usize) < program.objects.len() => {
                let o = &program.objects[object.name as usize];
                match (o.name.starts_with('"'), self.is_letter(to)) {
                    (true, _) | (_, true) if o.name.starts_with('"') => {
                        self.string(address).unwrap_or_else(|| o.name.clone())
                    }
                    _ => format!("&{}", self.place(&o.name, o.ty, at, to)),
                }
            }
            Sort::Static if self.is_letter(to) => {
                self.string(address).unwrap_or_else(|| format!("{address:#x}"))
            }
            // The arguments of `main`.
            Sort::Static => match self.program.types.pointee(to) {
                Some(letter) if self.is_letter(letter) => self.strings(address),
                _ => format!("{address:#x}"),
            },
            Sort::Local => {
                let Some(&(owner, local)) = self.code.homes.get(&object.name) else {
                    return format!("{address:#x}");
                };
                let f = &program.functions[owner.index()];
                let l = &f.locals[local.index()];
                if l.name.is_empty() {
                    return self.string(address).unwrap_or_else(|| format!("{address:#x}"));
                }
                let here = &program.functions[self.function.index()].locals;
                let hidden =
                    owner != self.function && here.iter().any(|other| other.name == l.name);
                let name = match hidden {
                    true => format!("{}::{}", f.name, l.name),
                    false => l.name.clone(),
                };
                let place = format!("&{}", self.place(&name, l.ty, at, to));
                match object.size {
                    0 => format!("{place} (gone)"),
                    _ => place,
                }
            }
            Sort::Nothing => format!("{address:#x}"),
        }
    }

    /// Learns what an allocated object is made of from a pointer to it.
    fn learn(&mut self, object: &Object, at: u64, to: Ty) {
        let size = self.program.types.size(to).unwrap_or(0);
        let vague = self.program.types.is_void(to) || size == 0 || size > object.full;
        // Memory that was freed may be handed out again.
        let known = self.heap.get(&object.base);
        let better = at == 0 && !vague && object.size > 0 && {
            let old = known.and_then(|(_, ty)| *ty).and_then(|ty| self.program.types.size(ty));
            old.is_none_or(|old| size > old)
        };
        if known.is_none() {
            if self.heap.len() >= HEAP {
                return;
            }
            *self.heap_count += 1;
            self.heap.insert(object.base, (*self.heap_count, None));
        }
        if better && let Some((_, ty)) = self.heap.get_mut(&object.base) {
            *ty = Some(to);
        }
    }

    /// A place in an allocated object of some things of a type.
    fn place_among(&self, name: &str, ty: Ty, (at, size): (u64, u64), to: Ty) -> String {
        match self.program.types.size(ty).filter(|&each| each > 0) {
            Some(each) if each == size && at < size => {
                format!("&{}", self.place(name, ty, at, to))
            }
            Some(each) => {
                let element = format!("{name}[{}]", at / each);
                match at % each {
                    0 if at >= size => format!("&{element}"),
                    inside => format!("&{}", self.place(&element, ty, inside, to)),
                }
            }
            None if at == 0 => format!("&{name}"),
            None => format!("(char *)&{name} + {at}"),
        }
    }

    /// The part of something of a type that starts so far in it, and is of another type if there is one.
    fn place(&self, name: &str, mut ty: Ty, mut at: u64, to: Ty) -> String {
        let types = &self.program.types;
        let mut out = name.to_owned();
        for _ in 0..=DEPTH {
            let same = types.compatible(ty, to) || types.kind(ty) == types.kind(to);
            if at == 0 && (same || types.is_void(to)) {
                return out;
            }
            match types.kind(ty) {
                Kind::Array(element, _) => {
                    let Some(each) = types.size(*element).filter(|&each| each > 0) else { break };
                    out += &format!("[{}]", at / each);
                    let end = types.size(ty).is_some_and(|size| at >= size);
                    (ty, at) = (*element, at % each);
                    if end {
                        break;
                    }
                }
                Kind::Record(no) => {
                    let inside = |m: &&c_types::Member| {
                        let size = types.size(m.ty).unwrap_or(0);
                        m.bits.is_none() && m.offset <= at && at < m.offset + size.max(1)
                    };
                    let members = &types.record(*no).members;
                    // Of a union, the one that fits.
                    let fits = |m: &&c_types::Member| m.offset == at && types.compatible(m.ty, to);
                    let found = members.iter().filter(inside);
                    let found = found.clone().find(fits).or_else(|| found.clone().next());
                    let Some(member) = found else { break };
                    if let Some(name) = &member.name {
                        out += &format!(".{name}");
                    }
                    (ty, at) = (member.ty, at - member.offset);
                }
                _ => break,
            }
        }
        match at {
            0 => out,
            at => format!("{out} + {at} bytes"),
        }
    }

    /// The strings that a list of pointers leads to, which ends with null.
    fn strings(&self, address: u64) -> String {
        let pointer = u64::from(self.program.types.model().pointer / 8);
        let mut out = Vec::new();
        for i in 0..STRINGS {
            let mut word = [0; 8];
            let Ok(bytes) = self.memory.read(address + i * pointer, pointer) else { break };
            word[..bytes.len()].copy_from_slice(bytes);
            match u64::from_le_bytes(word) {
                0 => break,
                text => out.extend(self.string(text)),
            }
        }
        format!("{{{}}}", out.join(", "))
    }

    /// The string at an address.
    fn string(&self, address: u64) -> Option<String> {
        let bytes = self.memory.string(address).ok()?;
        Some(quoted(bytes))
    }
}

/// A number with a fraction, as C writes it.
fn fraction(x: &(impl std::fmt::Debug + std::fmt::Display)) -> String {
    format!("{x:?}").replace("NaN", "nan")
}

/// Bytes as a string of C.
fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for (i, &byte) in bytes.iter().enumerate() {
        if i == LETTERS {
            return out + "\"…";
        }
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            0x20..0x7f => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out + "\""
}
