//! Memory: flat bytes, and a table of objects that says which of them may be touched.
//!
//! Every object starts at a multiple of 16 and is followed by 16 bytes that belong to nobody. A map from
//! blocks of 16 bytes to objects finds the object of an address in one step. Freed memory is handed out again
//! only when much else was freed since.

use c_data::At;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Where functions, labels, and objects start.
pub(crate) const FUNCTIONS: u64 = 0x40_0000;
pub(crate) const LABELS: u64 = 0x80_0000;
/// Where the addresses of closures begin.
pub(crate) const CLOSURES: u64 = 0xc0_0000;
const LOW: u64 = 0x1000_0000;
const UNIT: u64 = 16;
/// The most bytes of memory that are freed and not handed out again.
const QUARANTINE: u64 = 64 << 20;

/// Where it matters which object an address is near to, so much around each is named after it, as long as not more
/// than so much memory is used.
const GAP: u64 = 1024;
const ROOMY: u64 = 8 << 20;
/// So many bytes of the stack are used once only, if that is wanted.
const CAREFUL: u64 = 48 << 20;

/// What kind of object it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Nothing,
    Static,
    Local,
    Heap,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) base: u64,
    /// 0 when it is gone.
    pub(crate) size: u64,
    /// What it was made with.
    pub(crate) full: u64,
    pub(crate) kind: Kind,
    pub(crate) read_only: bool,
    /// Its name, in [`Memory::names`].
    pub(crate) name: u32,
    /// The instruction that made it, where that is asked for.
    pub(crate) made: u32,
    /// The calls that were active then, in [`Memory::stacks`].
    pub(crate) calls: u32,
}

/// What is wrong with an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault(pub(crate) String, pub(crate) At);

pub(crate) type Touched<T> = Result<T, Fault>;

#[derive(Default, Debug)]
struct Segment {
    base: u64,
    bytes: Vec<u8>,
    owners: Vec<u32>,
    /// Which bytes were written, where that is asked for.
    written: Vec<bool>,
}

#[derive(Debug)]
pub(crate) struct Memory {
    low: Segment,
    stack: Segment,
    /// How much of the stack is used.
    sp: u64,
    limit: u64,
    stack_limit: u64,
    pub(crate) objects: Vec<Object>,
    free_ids: Vec<u32>,
    stack_ids: Vec<u32>,
    quarantine: VecDeque<u32>,
    quarantined: u64,
    free: FxHashMap<u64, Vec<u64>>,
    pub(crate) live_heap: u64,
    /// Names of static objects and of locals.
    pub(crate) names: Vec<String>,
    /// Where these are declared.
    pub(crate) declared: Vec<At>,
    /// Places in the stack are not used again, so that locals that are gone are known.
    pub(crate) careful: bool,
    /// Bytes that were written are remembered.
    pub(crate) watchful: bool,
    /// The instruction that asks for memory, and where each stands.
    pub(crate) now: u32,
    pub(crate) made_at: At,
    places: FxHashMap<u32, At>,
    /// The calls that are active there, the outermost first: a number for each list of them.
    pub(crate) calls: u32,
    pub(crate) stacks: FxHashMap<Vec<At>, u32>,
}

const NOTHING: u32 = 0;
const DEAD_LOCAL: u32 = 1;

/// What memory is like at some time.
#[derive(Debug)]
pub(crate) struct Image {
    low: Vec<u8>,
    stack: Vec<u8>,
    objects: Vec<(u64, u64, bool)>,
    live_heap: u64,
}

impl Memory {
    /// Keeps what a run can see of memory.
    pub(crate) fn image(&self) -> Image {
        let stack = self.stack.bytes[..self.sp as usize].to_vec();
        let (low, objects) = (self.low.bytes.clone(), self.living().collect());
        Image { low, stack, objects, live_heap: self.live_heap }
    }

    /// Whether it is the same again.
    pub(crate) fn is_like(&self, image: &Image) -> bool {
        self.live_heap == image.live_heap
            && self.sp as usize == image.stack.len()
            && self.stack.bytes[..self.sp as usize] == image.stack
            && self.low.bytes == image.low
            && self.living().eq(image.objects.iter().copied())
    }

    /// Objects on the heap and on the stack that are there: base, size, and whether they may be written.
    fn living(&self) -> impl Iterator<Item = (u64, u64, bool)> + '_ {
        let heap = self.objects.iter().filter(|o| o.kind == Kind::Heap && o.size > 0);
        let stack = self.stack_ids.iter().map(|&id| &self.objects[id as usize]);
        heap.chain(stack).map(|o| (o.base, o.size, o.read_only))
    }

    pub(crate) fn new(pointer_bits: u8, limit: u64) -> Memory {
        let stack_base = if pointer_bits == 64 { 0x7f00_0000_0000 } else { 0xc000_0000 };
        let nothing = Object {
            base: 0,
            size: 0,
            full: 0,
            kind: Kind::Nothing,
            read_only: false,
            name: u32::MAX,
            made: 0,
            calls: 0,
        };
        let dead = Object { kind: Kind::Local, ..nothing };
        let most = if pointer_bits == 64 { limit } else { limit.min(0xb000_0000 - LOW) };
        Memory {
            low: Segment { base: LOW, ..Segment::default() },
            stack: Segment { base: stack_base, ..Segment::default() },
            sp: 0,
            limit: most,
            stack_limit: 64 << 20,
            objects: vec![nothing, dead],
            free_ids: Vec::new(),
            stack_ids: Vec::new(),
            quarantine: VecDeque::new(),
            quarantined: 0,
            free: FxHashMap::default(),
            live_heap: 0,
            names: Vec::new(),
            declared: Vec::new(),
            careful: false,
            watchful: false,
            now: 0,
            made_at: At::default(),
            places: FxHashMap::default(),
            calls: 0,
            stacks: FxHashMap::default(),
        }
    }

    /// How many bytes in front of an object are named after it.
    fn front(&self, used: u64) -> u64 {
        match self.careful {
            false => 0,
            true if used < ROOMY => GAP,
            true => UNIT,
        }
    }

    fn new_id(&mut self, object: Object) -> u32 {
        match self.free_ids.pop() {
            Some(id) => {
                self.objects[id as usize] = object;
                id
            }
            None => {
                self.objects.push(object);
                self.objects.len() as u32 - 1
            }
        }
    }

    /// Makes an object that is static or on the heap. None if there is no memory left.
    pub(crate) fn make(&mut self, size: u64, align: u64, kind: Kind, name: u32) -> Option<u64> {
        if size > self.limit {
            return None;
        }
        let front = self.front(self.low.bytes.len() as u64);
        let room = size.next_multiple_of(UNIT) + front.max(UNIT);
        let reused = if align <= UNIT && kind == Kind::Heap {
            self.free.get_mut(&room).and_then(Vec::pop)
        } else {
            None
        };
        let base = match reused {
            Some(base) => base,
            None => {
                let end = LOW + self.low.bytes.len() as u64 + front;
                let base = end.checked_next_multiple_of(align.max(UNIT))?;
                let end = base.checked_add(room)?;
                if end - LOW > self.limit {
                    return None;
                }
                self.low.bytes.resize((end - LOW) as usize, 0);
                self.low.owners.resize(((end - LOW) / UNIT) as usize, NOTHING);
                base
            }
        };
        let (made, calls, read_only) = (self.now, self.calls, false);
        let object = Object { base, size, full: size, kind, read_only, name, made, calls };
        let id = self.new_id(object);
        if self.careful {
            self.places.insert(made, self.made_at);
        }
        let first = ((base - LOW) / UNIT) as usize;
        let before = if reused.is_some() { 0 } else { (front / UNIT) as usize };
        self.low.owners[first - before..first + (room / UNIT) as usize].fill(id);
        let start = (base - LOW) as usize;
        self.low.bytes[start..start + size as usize].fill(0);
        if self.watchful {
            self.low.written.resize(self.low.bytes.len(), false);
            let known = kind == Kind::Static;
            self.low.written[start..start + size as usize].fill(known);
        }
        if kind == Kind::Heap {
            self.live_heap += 1;
        }
        Some(base)
    }

    /// Says that an object must not be written.
    pub(crate) fn protect(&mut self, address: u64) {
        let id = self.owner(address);
        self.objects[id as usize].read_only = true;
    }

    /// Makes an object on the stack.
    pub(crate) fn push(&mut self, size: u64, align: u64, name: u32) -> Option<u64> {
        let front = self.front(self.sp);
        let base = (self.stack.base + self.sp + front).next_multiple_of(align.max(UNIT));
        if size > self.stack_limit {
            return None;
        }
        let room = size.next_multiple_of(UNIT) + front.max(UNIT);
        let end = (base - self.stack.base).checked_add(room)?;
        if end > self.stack_limit {
            return None;
        }
        if end > self.stack.bytes.len() as u64 {
            self.stack.bytes.resize(end as usize, 0);
            self.stack.owners.resize((end / UNIT) as usize, DEAD_LOCAL);
        }
        self.sp = end;
        let (kind, read_only, made, calls) = (Kind::Local, false, self.now, 0);
        let object = Object { base, size, full: size, kind, read_only, name, made, calls };
        let id = self.new_id(object);
        self.stack_ids.push(id);
        let start = base - self.stack.base;
        let first = ((start - front) / UNIT) as usize;
        self.stack.owners[first..(end / UNIT) as usize].fill(id);
        self.stack.bytes[start as usize..(start + size) as usize].fill(0);
        if self.watchful {
            self.stack.written.resize(self.stack.bytes.len(), false);
            self.stack.written[start as usize..(start + size) as usize].fill(false);
        }
        Some(base)
    }

    /// How much of the stack is used, to come back to.
    pub(crate) fn mark(&self) -> (u64, usize) {
        (self.sp, self.stack_ids.len())
    }

    /// Forgets what was pushed since.
    pub(crate) fn release(&mut self, (sp, count): (u64, usize)) {
        if self.careful && self.sp < CAREFUL {
            for id in self.stack_ids.drain(count.min(self.stack_ids.len())..) {
                self.objects[id as usize].size = 0;
            }
            return;
        }
        while self.stack_ids.len() > count {
            if let Some(id) = self.stack_ids.pop() {
                self.objects[id as usize].size = 0;
                self.free_ids.push(id);
            }
        }
        let (from, to) = ((sp / UNIT) as usize, (self.sp / UNIT) as usize);
        if from < to {
            self.stack.owners[from..to].fill(DEAD_LOCAL);
        }
        self.sp = sp;
    }

    fn owner(&self, address: u64) -> u32 {
        let segment = if address >= self.stack.base { &self.stack } else { &self.low };
        let at = address.wrapping_sub(segment.base) / UNIT;
        segment.owners.get(at as usize).copied().unwrap_or(NOTHING)
    }

    /// The object of an address, if there is one.
    pub(crate) fn object(&self, address: u64) -> Object {
        self.objects[self.owner(address) as usize]
    }

    #[inline(always)]
    pub(crate) fn read(&self, address: u64, size: u64) -> Touched<&[u8]> {
        let segment = if address >= self.stack.base { &self.stack } else { &self.low };
        let at = address.wrapping_sub(segment.base);
        if let Some(&id) = segment.owners.get((at / UNIT) as usize) {
            let object = &self.objects[id as usize];
            let inside = address.wrapping_sub(object.base);
            if inside < object.size && size <= object.size - inside {
                return Ok(&segment.bytes[at as usize..(at + size) as usize]);
            }
        }
        if size == 0 && address != 0 {
            return Ok(&[]);
        }
        Err(self.fault(address, size, "read"))
    }

    #[inline(always)]
    pub(crate) fn write(&mut self, address: u64, size: u64) -> Touched<&mut [u8]> {
        let high = address >= self.stack.base;
        let segment = if high { &self.stack } else { &self.low };
        let at = address.wrapping_sub(segment.base);
        if let Some(&id) = segment.owners.get((at / UNIT) as usize) {
            let object = &self.objects[id as usize];
            let inside = address.wrapping_sub(object.base);
            if inside < object.size && size <= object.size - inside && !object.read_only {
                let segment = if high { &mut self.stack } else { &mut self.low };
                if let Some(list) = segment.written.get_mut(at as usize..(at + size) as usize) {
                    list.fill(true);
                }
                return Ok(&mut segment.bytes[at as usize..(at + size) as usize]);
            }
        }
        if size == 0 && address != 0 {
            return Ok(&mut []);
        }
        Err(self.fault(address, size, "write"))
    }

    #[cold]
    fn fault(&self, address: u64, size: u64, what: &str) -> Fault {
        let bytes = if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
        if address < 0x1_0000 {
            return Fault(format!("{what} of {bytes} through a null pointer"), At::default());
        }
        let id = self.owner(address);
        let object = self.objects[id as usize];
        if id == NOTHING {
            return Fault(format!("{what} of {bytes} where there is no object"), At::default());
        }
        if object.size == 0 && object.kind == Kind::Heap && object.full > 0 {
            let what = format!("{what} of {bytes} in memory that was freed");
            return Fault(what, self.origin(&object));
        }
        let name = self.names.get(object.name as usize).filter(|n| !n.is_empty());
        if object.size == 0 && object.kind == Kind::Local && (id == DEAD_LOCAL || object.full > 0) {
            let what = match name {
                Some(name) => format!("{what} of {bytes} in the local `{name}`, which is gone"),
                None => format!("{what} of {bytes} in a local that is gone"),
            };
            return Fault(what, self.origin(&object));
        }
        let at = address.wrapping_sub(object.base) as i64;
        let whole = object.size;
        let origin = self.origin(&object);
        let name = match name {
            Some(name) => format!("`{name}`"),
            None if object.kind == Kind::Heap => "an allocated object".to_owned(),
            None => "an object".to_owned(),
        };
        if (at as u64) < whole && size <= whole - at as u64 {
            return Fault(
                format!("{what} of {bytes} of {name}, which must not be changed"),
                origin,
            );
        }
        Fault(format!("{what} of {bytes} at offset {at} of {name}, which has {whole}"), origin)
    }

    /// Where an object is declared or allocated, as far as it is known.
    pub(crate) fn origin(&self, object: &Object) -> At {
        match object.kind {
            Kind::Heap => self.places.get(&object.made).copied().unwrap_or_default(),
            _ => self.declared.get(object.name as usize).copied().unwrap_or_default(),
        }
    }

    /// Whether all of some bytes were written.
    pub(crate) fn is_written(&self, address: u64, size: u64) -> bool {
        let segment = if address >= self.stack.base { &self.stack } else { &self.low };
        let at = address.wrapping_sub(segment.base);
        let bytes = segment.written.get(at as usize..(at.wrapping_add(size)) as usize);
        bytes.is_none_or(|bytes| bytes.iter().all(|written| *written))
    }

    /// Says that bytes were not written.
    pub(crate) fn forget(&mut self, address: u64, size: u64) {
        let high = address >= self.stack.base;
        let segment = if high { &mut self.stack } else { &mut self.low };
        let at = address.wrapping_sub(segment.base) as usize;
        if let Some(bytes) = segment.written.get_mut(at..at + size as usize) {
            bytes.fill(false);
        }
    }

    /// Lets the object at an address be there, as new or as it was.
    pub(crate) fn begin(&mut self, address: u64, anew: bool) {
        let id = self.owner(address) as usize;
        let object = self.objects[id];
        if object.base != address || object.kind != Kind::Local || !anew && object.size > 0 {
            return;
        }
        self.objects[id].size = object.full;
        if let Ok(bytes) = self.write(address, object.full) {
            bytes.fill(0);
        }
        self.forget(address, object.full);
    }

    /// Lets the object at an address be gone.
    pub(crate) fn end(&mut self, address: u64) {
        let id = self.owner(address) as usize;
        if self.objects[id].base == address && self.objects[id].kind == Kind::Local {
            self.objects[id].size = 0;
        }
    }

    /// The allocated objects that are there, and whether static objects, or something else that is known, lead there.
    pub(crate) fn heap(&self, roots: &[u64], pointer: u64) -> Vec<(Object, bool)> {
        let mut reached = vec![false; self.objects.len()];
        let mut todo = Vec::new();
        for (id, object) in self.objects.iter().enumerate() {
            let on_stack = object.kind == Kind::Local && object.size > 0;
            if object.kind == Kind::Static || on_stack {
                reached[id] = true;
                todo.push(id);
            }
        }
        let mut visit = |address: u64, todo: &mut Vec<usize>| {
            let id = self.owner(address) as usize;
            if !reached[id] && self.objects[id].kind == Kind::Heap {
                reached[id] = true;
                todo.push(id);
            }
        };
        roots.iter().for_each(|&address| visit(address, &mut todo));
        while let Some(id) = todo.pop() {
            let object = self.objects[id];
            let Ok(bytes) = self.read(object.base, object.size) else { continue };
            // Records may be packed: an address can lie anywhere.
            for word in bytes.windows(pointer as usize) {
                let mut all = [0; 8];
                all[..word.len()].copy_from_slice(word);
                visit(u64::from_le_bytes(all), &mut todo);
            }
        }
        let freed = |object: &Object| object.size != object.full;
        let living = |o: &&(usize, &Object)| o.1.kind == Kind::Heap && !freed(o.1);
        let all: Vec<(usize, &Object)> = self.objects.iter().enumerate().collect();
        let recycled = |id: &usize| self.free_ids.contains(&(*id as u32));
        let found = all.iter().filter(living).filter(|(id, _)| !recycled(id));
        found.map(|&(id, object)| (*object, reached[id])).collect()
    }

    fn flags(&self, address: u64, size: u64) -> Vec<bool> {
        let segment = if address >= self.stack.base { &self.stack } else { &self.low };
        let at = (address - segment.base) as usize;
        segment.written.get(at..at + size as usize).map(<[bool]>::to_vec).unwrap_or_default()
    }

    fn set_flags(&mut self, address: u64, flags: &[bool]) {
        let high = address >= self.stack.base;
        let segment = if high { &mut self.stack } else { &mut self.low };
        let at = (address - segment.base) as usize;
        if let Some(list) = segment.written.get_mut(at..at + flags.len()) {
            list.copy_from_slice(flags);
        }
    }

    /// Copies bytes that may overlap.
    pub(crate) fn copy(&mut self, to: u64, from: u64, size: u64) -> Touched<()> {
        if size == 0 {
            return Ok(());
        }
        self.read(from, size)?;
        let known = self.watchful.then(|| self.flags(from, size));
        self.write(to, size)?;
        let (a, b) = (from >= self.stack.base, to >= self.stack.base);
        let n = size as usize;
        match (a, b) {
            (true, true) => {
                let (f, t) = (from - self.stack.base, to - self.stack.base);
                self.stack.bytes.copy_within(f as usize..f as usize + n, t as usize);
            }
            (false, false) => {
                let (f, t) = (from - LOW, to - LOW);
                self.low.bytes.copy_within(f as usize..f as usize + n, t as usize);
            }
            (true, false) => {
                let (f, t) = ((from - self.stack.base) as usize, (to - LOW) as usize);
                self.low.bytes[t..t + n].copy_from_slice(&self.stack.bytes[f..f + n]);
            }
            (false, true) => {
                let (f, t) = ((from - LOW) as usize, (to - self.stack.base) as usize);
                self.stack.bytes[t..t + n].copy_from_slice(&self.low.bytes[f..f + n]);
            }
        }
        if let Some(known) = known {
            self.set_flags(to, &known);
        }
        Ok(())
    }

    /// `free`
    pub(crate) fn free(&mut self, address: u64) -> Touched<()> {
        let id = self.owner(address);
        let object = self.objects[id as usize];
        if object.kind != Kind::Heap || object.base != address {
            let what = match object.kind {
                Kind::Heap if object.size == 0 && object.full > 0 => "freed twice",
                Kind::Heap => "free of an address inside of an object",
                _ => "free of what malloc did not make",
            };
            return Err(Fault(what.to_owned(), self.origin(&object)));
        }
        if object.size == 0 && object.full == u64::MAX {
            return Err(Fault("freed twice".to_owned(), self.origin(&object)));
        }
        if object.size != object.full {
            return Err(Fault("freed twice".to_owned(), self.origin(&object)));
        }
        self.objects[id as usize].size = 0;
        // An object of size 0 is gone, too.
        if object.full == 0 {
            self.objects[id as usize].full = u64::MAX;
        }
        self.live_heap -= 1;
        self.quarantine.push_back(id);
        self.quarantined += object.full + UNIT;
        while self.quarantined > QUARANTINE
            && let Some(old) = self.quarantine.pop_front()
        {
            let gone = self.objects[old as usize];
            let full = if gone.full == u64::MAX { 0 } else { gone.full };
            self.quarantined -= full + UNIT;
            let room = full.div_ceil(UNIT) * UNIT + UNIT;
            let first = ((gone.base - LOW) / UNIT) as usize;
            self.low.owners[first..first + (room / UNIT) as usize].fill(NOTHING);
            self.free.entry(room).or_default().push(gone.base);
            self.free_ids.push(old);
        }
        Ok(())
    }

    /// A string up to its zero.
    pub(crate) fn string(&self, address: u64) -> Touched<&[u8]> {
        let object = self.object(address);
        let inside = address.wrapping_sub(object.base);
        if inside >= object.size {
            return Err(self.fault(address, 1, "read"));
        }
        let bytes = self.read(address, object.size - inside)?;
        match bytes.iter().position(|b| *b == 0) {
            Some(end) => Ok(&bytes[..end]),
            None => Err(self.fault(object.base + object.size, 1, "read")),
        }
    }

    pub(crate) fn word(&self, address: u64) -> Touched<u64> {
        let mut out = [0; 8];
        out.copy_from_slice(self.read(address, 8)?);
        Ok(u64::from_le_bytes(out))
    }
}
