//! Functions of the library, and inputs.

use crate::calls::Args;
use crate::engine::{As, Engine, Step, Taken, Went, Why};
use crate::memory::{Cells, Kind, PAGE};
use crate::state::{State, Value};
use crate::word::Word;
use c_data::{At, Check, FuncId, LocalId};
use logic::Lit;
use std::rc::Rc;

/// Which arbitrary function it is, for those of the library.
const LIBRARY: u32 = 1 << 20;

/// How many bytes the models have for the name of a file.
const NAME_BYTES: u64 = 64;

/// The most bytes that are written at once.
const MOST_BYTES: u64 = 1 << 24;

impl Engine<'_> {
    pub(crate) fn native(
        &mut self,
        state: &mut State,
        f: FuncId,
        args: Args,
        (result, which): (Option<LocalId>, u32),
        at: At,
    ) -> Step<Went> {
        let name = self.function(f).name.as_str();
        if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
            return Ok(self.nondet(state, name, kind, result, at));
        }
        if let Some((kind, function)) =
            name.strip_prefix("__bop_result_").and_then(|rest| rest.split_once("__"))
        {
            return Ok(self.nondet(state, function, kind, result, at));
        }
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let word = |i: usize| args.values.get(i).map(|v: &Value| v.word.clone());
        let pointer = self.objects.pointer;
        self.may_fail(state, plain);
        match plain {
            "exit" | "__bop_exit" => {
                self.ended(state, None)?;
                Ok(Went::Over)
            }
            "abort"
            | "trap"
            | "_exit"
            | "_Exit"
            | "quick_exit"
            | "__bop_signal"
            | "__assert_fail"
            | "__assert"
            | "__assert_func"
            | "__assert_rtn"
            | "__assert_perror_fail"
            | "__VERIFIER_error"
            | "reach_error" => {
                self.ended(state, Some(plain))?;
                Ok(Went::Over)
            }
            // A function that is not there could have done more than its stub does.
            "__bop_outside" => {
                self.cut(state, Why::Outside);
                Ok(Went::On)
            }
            // A caller could hand over more than the harness of an entry does.
            "__bop_beyond" => {
                self.cut(state, Why::Beyond);
                Ok(Went::On)
            }
            "__bop_compiler" => {
                let what = "something depends on what the compiler finds out";
                self.cut(state, Why::Approximate(what.into()));
                Ok(Went::On)
            }
            "__VERIFIER_assume" => {
                let holds = word(0).map_or(Lit::TRUE, |w| self.c.truth(&w));
                state.guard = self.c.aig.and(state.guard, holds);
                Ok(Went::On)
            }
            "malloc" | "calloc" => {
                Ok(self.heap_memory(state, plain == "calloc", [word(0), word(1)], result))
            }
            "realloc" => self.reallocate(state, &args, result, at),
            "free" | "cfree" => {
                let Some(value) = args.values.first() else { return Ok(Went::On) };
                self.free(state, value);
                Ok(self.after(state))
            }
            "memcpy" | "memmove" | "memset" => {
                let (Some(to), Some(size)) = (args.values.first(), word(2)) else {
                    return Ok(self.uncovered(state, name, at));
                };
                let Some(size) = size.value() else {
                    let model = self.program.function(&format!("__bop_{plain}"));
                    let Some(model) = model else { return Ok(self.uncovered(state, name, at)) };
                    return self.call_body(state, model, args, result, None, which);
                };
                self.written_at_once(state, plain, (to, &args.values[1]), size as u64, result, at)
            }
            "printf" | "fprintf" | "puts" | "putchar" | "putc" | "fputc" | "fputs" | "fflush"
            | "vprintf" | "vfprintf" | "putchar_unlocked" | "__printf" | "_IO_putc" => {
                self.printed(state, plain, args, (result, which))
            }
            "__bop_any" => {
                let any = self.c.input(32);
                self.give(state, result, any);
                Ok(Went::On)
            }
            "rand" | "random" => {
                let any = self.c.input(31).resized(pointer, false);
                self.give(state, result, any);
                Ok(Went::On)
            }
            "time" | "clock" if word(0).is_none_or(|at| at.value() == Some(0)) => {
                let any = self.c.input(pointer);
                self.give(state, result, any);
                Ok(Went::On)
            }
            // The library writes to the array that it is given whenever it likes.
            "setvbuf" | "setbuf" if word(1).is_none_or(|array| array.value() != Some(0)) => {
                Ok(self.uncovered(state, name, at))
            }
            "srand" | "srandom" | "setvbuf" | "setbuf" => {
                if let Some(model) = self.asks_of_stream(plain) {
                    let args = args.stream_of(plain);
                    return self.call_body(state, model, args, None, None, which);
                }
                self.give(state, result, Word::number(32, 0));
                Ok(Went::On)
            }
            "longjmp" | "_longjmp" | "siglongjmp" => {
                let (Some(buffer), Some(value)) = (args.values.first(), word(1)) else {
                    return Ok(self.uncovered(state, name, at));
                };
                self.long_jump(state, buffer, &value, at)
            }
            "__bop_byte" | "__bop_number" | "__bop_size" | "__bop_either" | "__bop_no_model" => {
                Ok(self.input_part(state, plain, [word(0), word(1)], result))
            }
            "__bop_opens" => {
                let (Some(name), Some(stream)) = (args.values.first(), word(1)) else {
                    return Ok(self.uncovered(state, plain, at));
                };
                self.opens(state, name, &stream, result)
            }
            "fwrite" if self.asks(Check::Memory) => {
                let model = self.program.function("__bop_fwrite_of");
                let Some(model) = model else { return Ok(self.uncovered(state, name, at)) };
                self.call_body(state, model, args, result, None, which)
            }
            _ if text_model(plain).is_some() => {
                let model = text_model(plain).and_then(|m| self.program.function(m));
                let Some(model) = model else { return Ok(self.uncovered(state, name, at)) };
                self.call_body(state, model, args, result, None, which)
            }
            _ if is_number_function(plain) => {
                self.number(state, f, plain, [word(0), word(1)], result);
                Ok(Went::On)
            }
            _ => Ok(self.uncovered(state, name, at)),
        }
    }

    /// Functions that print: what they read is looked at, and they give back anything.
    fn printed(
        &mut self,
        state: &mut State,
        plain: &str,
        args: Args,
        (result, which): (Option<LocalId>, u32),
    ) -> Step<Went> {
        self.check_printed(state, plain, &args.values, &args.types);
        if self.counts_printed && plain.ends_with("printf") {
            let what = format!("{}: `{plain}` may count (`%n`)", self.place(self.now));
            self.cut(state, Why::Uncovered(what));
        }
        if let Some(model) = self.asks_of_stream(plain) {
            let args = args.stream_of(plain);
            return self.call_body(state, model, args, result, None, which);
        }
        let any = self.c.input(32);
        self.give(state, result, any);
        Ok(Went::On)
    }

    /// Where memory is asked about: the model that looks whether a stream is open which is printed to.
    fn asks_of_stream(&self, plain: &str) -> Option<FuncId> {
        let asks = self.asks(Check::Memory) && stream_argument(plain).is_some();
        let model = if plain == "fflush" { "__bop_flushed" } else { "__bop_printed" };
        asks.then(|| self.program.function(model)).flatten()
    }

    /// What a function computes from numbers: exactly where that is known, and else the same of the same numbers.
    fn number(
        &mut self,
        state: &mut State,
        f: FuncId,
        plain: &str,
        words: [Option<Word>; 2],
        result: Option<LocalId>,
    ) {
        let [a, b] = words.map(|word| word.unwrap_or(Word::number(1, 0)));
        let bits = match result {
            Some(local) => {
                let f = state.top().function;
                self.class(self.function(f).locals[local.index()].ty).bits()
            }
            None => 64,
        };
        let value = match self.exactly(plain, &a, &b, bits) {
            Some(value) => value,
            None => self.arbitrary(LIBRARY + f.index() as u32, &a, &b, bits),
        };
        self.give(state, result, value);
    }

    /// A function of the library that fails says so in `errno`, and none makes that 0.
    fn may_fail(&mut self, state: &mut State, plain: &str) {
        let Some(errno) = self.errno else { return };
        let prints = plain.contains("print") || plain.contains("put") || plain == "fflush";
        if !prints && !is_number_function(plain) && text_model(plain).is_none() {
            return;
        }
        let word = self.c.input(31).resized(32, false);
        let when = self.c.truth(&word);
        let object = self.statics[errno.index()] as usize;
        if let Some(cells) = state.memory[object].as_mut() {
            Rc::make_mut(cells).write(&mut self.objects, &mut self.c, self.plain, 0, &word, when);
        }
    }

    /// `malloc` and `calloc`, of so many bytes, or of so many things of some size.
    fn heap_memory(
        &mut self,
        state: &mut State,
        zeroed: bool,
        sizes: [Option<Word>; 2],
        result: Option<LocalId>,
    ) -> Went {
        let pointer = self.objects.pointer;
        let size = match (zeroed, sizes) {
            (false, [Some(size), _]) => size,
            (_, [Some(a), Some(b)]) => {
                let wide = 2 * pointer;
                let (a, b) = (a.resized(wide, false), b.resized(wide, false));
                let all = self.c.compute(crate::word::Op2::Mul, &a, &b);
                let high = all.slice(pointer, pointer);
                let fits = !self.c.truth(&high);
                // What does not fit gives null, which nobody follows.
                let large = self.c.aig.and(state.guard, !fits);
                self.cut_at(large, Why::Bound);
                state.guard = self.c.aig.and(state.guard, fits);
                all.slice(0, pointer)
            }
            _ => Word::number(pointer, 0),
        };
        self.allocates = true;
        let size = size.resized(pointer, false);
        match self.allocate(state, &size, Kind::Heap, zeroed) {
            Some(id) => {
                let own = self.function(state.top().function).own;
                if self.objects.fills && !zeroed && own {
                    self.objects.filled.insert(id);
                    let (guard, name) = (state.guard, "malloc".to_owned());
                    let (word, read_as) = (Word::number(1, 0), As::Memory(id));
                    self.taken.push(Taken { guard, word, read_as, name });
                }
                let address = self.objects.address(id);
                self.give(state, result, address);
                Went::On
            }
            None => Went::Over,
        }
    }

    /// What models of functions that read are made of.
    fn input_part(
        &mut self,
        state: &mut State,
        name: &str,
        args: [Option<Word>; 2],
        result: Option<LocalId>,
    ) -> Went {
        let guard = state.guard;
        let stream = |w: &Option<Word>| w.clone().unwrap_or(Word::number(32, 0)).slice(0, 8);
        match name {
            // The next byte of a stream, or -1 at its end.
            "__bop_byte" => {
                let word = self.c.input(9);
                let (byte, end) = (word.slice(0, 8).resized(32, false), word.bit(8));
                let taken = crate::word::joined(&word, &stream(&args[0]));
                let name = "stdin".to_owned();
                self.taken.push(Taken { guard, word: taken, read_as: As::Byte, name });
                let value = self.c.ite(end, &Word::number(32, u128::from(u32::MAX)), &byte);
                self.give(state, result, value);
            }
            // A number that stands in a stream: of 32 or 64 bits, signed or not, hexadecimal.
            "__bop_number" => {
                let how = args[0].as_ref().and_then(Word::value).unwrap_or(0);
                let bits = if how & 1 == 0 { 32 } else { 64 };
                let (signed, hexadecimal) = (how & 6 == 0, how & 4 != 0);
                let word = self.c.input(bits);
                let (read_as, name) = (As::Written { signed, hexadecimal }, "stdin".to_owned());
                let taken = crate::word::joined(&word, &stream(&args[1]));
                self.taken.push(Taken { guard, word: taken, read_as, name });
                self.give(state, result, word.resized(64, signed));
            }
            // How many bytes a file has.
            "__bop_size" => {
                let word = self.c.input(7);
                let large = self.c.aig.and(guard, word.bit(6));
                self.cut_at(large, Why::Bound);
                state.guard = self.c.aig.and(guard, !word.bit(6));
                let taken = crate::word::joined(&word, &stream(&args[0]));
                let (guard, name) = (state.guard, "size".to_owned());
                self.taken.push(Taken { guard, word: taken, read_as: As::Size, name });
                self.give(state, result, word.resized(32, false));
            }
            "__bop_either" => {
                let any = self.c.input(1).resized(32, false);
                self.give(state, result, any);
            }
            _ => {
                let what =
                    "a function that reads, or a number in a text, is not modelled for all of this"
                        .to_owned();
                self.cut(state, Why::Uncovered(what));
                return Went::Over;
            }
        }
        Went::On
    }

    /// Whether there is a file of a name that is opened as the stream with a number.
    fn opens(
        &mut self,
        state: &mut State,
        name: &Value,
        stream: &Word,
        result: Option<LocalId>,
    ) -> Step<Went> {
        let Some(bytes) = self.load(state, name, NAME_BYTES, false)? else { return Ok(Went::Over) };
        let is_there = self.c.input(1);
        let word = crate::word::joined(&is_there, &stream.slice(0, 8));
        let word = crate::word::joined(&word, &bytes);
        let (guard, name) = (state.guard, "fopen".to_owned());
        self.taken.push(Taken { guard, word, read_as: As::Opened, name });
        self.give(state, result, is_there.resized(32, false));
        Ok(Went::On)
    }

    fn after(&self, state: &State) -> Went {
        if state.guard == Lit::FALSE { Went::Over } else { Went::On }
    }

    fn give(&mut self, state: &mut State, result: Option<LocalId>, word: Word) {
        if let Some(local) = result {
            self.set(state, local, word.into());
        }
    }

    /// `memcpy`, `memmove` or `memset` of so many bytes.
    fn written_at_once(
        &mut self,
        state: &mut State,
        plain: &str,
        (to, from): (&Value, &Value),
        size: u64,
        result: Option<LocalId>,
        at: At,
    ) -> Step<Went> {
        if size > MOST_BYTES {
            let what = format!("{}: `{plain}` of {size} bytes", self.place(at));
            self.cut(state, Why::Uncovered(what));
            return Ok(Went::Over);
        }
        if plain == "memset" {
            let byte = from.word.slice(0, 8).lits();
            let all: Vec<Lit> = byte.iter().copied().cycle().take(8 * size as usize).collect();
            if size > 0 {
                self.store(state, to, &Word::of(all))?;
            }
        } else {
            self.copy(state, to, from, size)?;
        }
        let value = to.word.clone();
        self.give(state, result, value);
        Ok(self.after(state))
    }

    fn uncovered(&mut self, state: &State, name: &str, at: At) -> Went {
        let what = format!("{}: `{name}` has no body here", self.place(at));
        self.cut(state, Why::Uncovered(what));
        Went::Over
    }

    fn nondet(
        &mut self,
        state: &mut State,
        name: &str,
        kind: &str,
        result: Option<LocalId>,
        at: At,
    ) -> Went {
        let pointer = self.objects.pointer;
        let (bits, read_as) = match kind {
            "bool" | "_Bool" => (1, As::Unsigned),
            "char" => (8, As::Signed),
            "uchar" | "unsigned_char" | "u8" => (8, As::Unsigned),
            "short" => (16, As::Signed),
            "ushort" | "unsigned_short" | "u16" => (16, As::Unsigned),
            "int" => (32, As::Signed),
            "uint" | "unsigned" | "unsigned_int" | "u32" => (32, As::Unsigned),
            "long" => (pointer, As::Signed),
            "ulong" | "unsigned_long" | "size_t" | "pointer" | "charp" | "loff_t" => {
                (pointer, As::Unsigned)
            }
            "longlong" | "S64" => (64, As::Signed),
            "ulonglong" | "u64" | "U64" => (64, As::Unsigned),
            "float" => (32, As::F32),
            "double" => (64, As::F64),
            _ => return self.uncovered(state, name, at),
        };
        let word = self.c.input(bits);
        let (guard, name) = (state.guard, name.to_owned());
        self.taken.push(Taken { guard, word: word.clone(), read_as, name });
        if let Some(local) = result {
            let f = state.top().function;
            let to = self.class(self.function(f).locals[local.index()].ty).bits();
            let word = word.resized(to, read_as == As::Signed);
            let from = match kind {
                "pointer" | "charp" => self.outside_memory(state),
                _ => None,
            };
            self.set(state, local, Value { from, ..word.into() });
        }
        Went::On
    }

    /// `free`; the runs on which it is none end.
    fn free(&mut self, state: &mut State, value: &Value) {
        let zero = Word::number(value.word.width(), 0);
        let mut any = self.c.equal(&value.word, &zero);
        if self.is_outside(value) {
            // OU2.
            return;
        }
        let sources = self.sources(state, value);
        for &object in sources.iter().flat_map(|s| s.iter()) {
            let id = object as usize;
            if let Some(name) = self.elsewhere.get(&object) {
                // What is not here may be anything.
                let what = format!("`{name}` is not defined here");
                let here = self.c.equal(&value.word, &self.objects.address(object));
                let guard = self.c.aig.and(state.guard, here);
                self.cut_at(guard, Why::Uncovered(what));
                state.guard = self.c.aig.and(state.guard, !here);
                continue;
            }
            if self.objects.all[id].kind != Kind::Heap {
                continue;
            }
            let Some(cells) = state.memory.get(id).and_then(Option::as_ref) else { continue };
            let base = self.objects.address(object);
            let here = self.c.equal(&value.word, &base);
            let when = self.c.aig.and(here, cells.alive);
            if when == Lit::FALSE {
                continue;
            }
            any = self.c.aig.or(any, when);
            let alive = self.c.aig.and(cells.alive, !here);
            let cells = match alive {
                Lit::FALSE => Cells::gone(object),
                _ => cells.living(alive),
            };
            state.memory[id] = Some(Rc::new(cells));
            self.bury(state, &[object], here);
        }
        if self.asks(Check::Memory) {
            self.note_dangling(state, value, !any);
            return self.fails(state, !any);
        }
        let missed = self.c.aig.and(state.guard, !any);
        self.undefined(missed, &value.word);
        state.guard = self.c.aig.and(state.guard, any);
    }

    fn reallocate(
        &mut self,
        state: &mut State,
        args: &Args,
        result: Option<LocalId>,
        at: At,
    ) -> Step<Went> {
        let (Some(old), Some(size)) = (args.values.first(), args.values.get(1)) else {
            return Ok(self.uncovered(state, "realloc", at));
        };
        let (Some(address), Some(size)) = (old.word.value(), size.word.value()) else {
            let (old, size) = (old.clone(), size.word.clone());
            return self.reallocate_some(state, (&old, &size), result, at);
        };
        if address != 0 && size == 0 {
            self.free(state, old);
            let bits = self.objects.pointer;
            self.give(state, result, Word::number(bits, 0));
            return Ok(self.after(state));
        }
        self.allocates = true;
        let word = Word::number(self.objects.pointer, size);
        let Some(new) = self.allocate(state, &word, Kind::Heap, false) else {
            return Ok(Went::Over);
        };
        let new = self.objects.address(new);
        if address != 0 {
            let from = self.objects.at(address as u64);
            let object = from.map(|o| self.objects.all[o as usize].clone());
            let Some(object) = object.filter(|o| o.exact.is_none()) else {
                return Ok(self.uncovered(state, "realloc", at));
            };
            let kept = object.size.min(size as u64);
            self.copy(state, &new.clone().into(), old, kept)?;
            self.free(state, old);
        }
        self.give(state, result, new);
        Ok(self.after(state))
    }
}

impl Engine<'_> {
    /// The same where the old object or the size is not known: what each object that it may be has is kept.
    fn reallocate_some(
        &mut self,
        state: &mut State,
        (old, size): (&Value, &Word),
        result: Option<LocalId>,
        at: At,
    ) -> Step<Went> {
        let known = self.cutting.is_none() && !self.asks(Check::Uninitialised);
        if !known || self.is_outside(old) {
            return Ok(self.uncovered(state, "realloc", at));
        }
        let zero = Word::number(size.width(), 0);
        let freed = self.c.equal(size, &zero);
        let guard = self.c.aig.and(state.guard, freed);
        if guard != Lit::FALSE {
            self.cut_at(guard, Why::Uncovered("`realloc` is asked for no bytes".to_owned()));
            state.guard = self.c.aig.and(state.guard, !freed);
        }
        let Some(sources) = self.sources(state, old) else {
            return Ok(self.uncovered(state, "realloc", at));
        };
        self.allocates = true;
        let Some(new) = self.allocate(state, size, Kind::Heap, false) else {
            return Ok(Went::Over);
        };
        for &object in sources.iter() {
            let Some(cells) = state.memory.get(object as usize).cloned().flatten() else {
                continue;
            };
            if self.objects.all[object as usize].kind != Kind::Heap {
                continue;
            }
            let here = self.c.equal(&old.word, &self.objects.address(object));
            let when = self.c.aig.and(here, cells.alive);
            if when == Lit::FALSE {
                continue;
            }
            let plain_cells = !cells.is_late() && cells.chosen.is_none();
            let there = state.memory.get_mut(new as usize).and_then(Option::as_mut);
            let Some(there) = there.filter(|_| plain_cells) else {
                let guard = self.c.aig.and(state.guard, when);
                self.cut_at(
                    guard,
                    Why::Uncovered("a large object is given another size".to_owned()),
                );
                state.guard = self.c.aig.and(state.guard, !when);
                continue;
            };
            let (mut cells, there) = ((*cells).clone(), Rc::make_mut(there));
            let kept =
                self.objects.all[object as usize].size.min(self.objects.all[new as usize].size);
            self.budget.work(kept)?;
            let (o, c) = (&mut self.objects, &mut self.c);
            for start in (0..kept).step_by(PAGE) {
                // What was never written is anything in the new object, too, unless it is an input.
                if o.fills || !cells.is_raw(start as usize / PAGE) {
                    let bytes = (kept - start).min(PAGE as u64);
                    let word = cells.read_pages(o, c, self.plain, start, bytes);
                    there.write(o, c, self.plain, start, &word, when);
                }
            }
        }
        self.free(state, old);
        let new = self.objects.address(new);
        self.give(state, result, new);
        Ok(self.after(state))
    }
}

/// Whether calls of a function of the library are followed, without a body.
pub fn knows(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    const NAMES: [&str; 48] = [
        "exit",
        "abort",
        "trap",
        "_exit",
        "_Exit",
        "quick_exit",
        "__assert_fail",
        "__assert",
        "__assert_func",
        "__assert_rtn",
        "__assert_perror_fail",
        "reach_error",
        "malloc",
        "calloc",
        "realloc",
        "free",
        "cfree",
        "memcpy",
        "memmove",
        "memset",
        "printf",
        "fprintf",
        "puts",
        "putchar",
        "putc",
        "fputc",
        "fputs",
        "fflush",
        "vprintf",
        "vfprintf",
        "putchar_unlocked",
        "__printf",
        "_IO_putc",
        "rand",
        "random",
        "time",
        "clock",
        "srand",
        "srandom",
        "setvbuf",
        "setbuf",
        "setjmp",
        "_setjmp",
        "longjmp",
        "_longjmp",
        "sigsetjmp",
        "__sigsetjmp",
        "siglongjmp",
    ];
    NAMES.contains(&plain) || is_number_function(plain) || text_model(plain).is_some()
}

/// Which argument of a function that prints is the stream.
fn stream_argument(plain: &str) -> Option<usize> {
    Some(match plain {
        "fprintf" | "vfprintf" | "setvbuf" | "setbuf" | "fflush" => 0,
        "fputs" | "fputc" | "putc" | "_IO_putc" => 1,
        _ => return None,
    })
}

impl Args {
    /// The stream alone.
    fn stream_of(self, plain: &str) -> Args {
        let at = stream_argument(plain).unwrap_or(0);
        let values = self.values.into_iter().skip(at).take(1).collect();
        Args { values, types: self.types.into_iter().skip(at).take(1).collect(), named: 1 }
    }
}

/// Whether it is about a stream: it is followed if that is standard input, or a file that the program opened.
pub fn reads_stream(name: &str) -> bool {
    const MODELS: [&str; 16] = [
        "__bop_fopen",
        "__bop_fwrite",
        "__bop_fclose",
        "__bop_fseek",
        "__bop_ftell",
        "__bop_rewind",
        "__bop_fgetc",
        "__bop_ungetc",
        "__bop_feof",
        "__bop_ferror",
        "__bop_clearerr",
        "__bop_fgets",
        "__bop_fread",
        "__bop_read",
        "__bop_getline",
        "__bop_fscanf",
    ];
    text_model(name).is_some_and(|model| MODELS.contains(&model))
}

/// The model in C of a function that reads, or writes a text.
fn text_model(name: &str) -> Option<&'static str> {
    Some(match name {
        "fgetc" | "getc" | "_IO_getc" | "fgetc_unlocked" | "getc_unlocked" => "__bop_fgetc",
        "getchar" | "getchar_unlocked" => "__bop_getchar",
        "ungetc" => "__bop_ungetc",
        "feof" | "feof_unlocked" => "__bop_feof",
        "ferror" => "__bop_ferror",
        "clearerr" => "__bop_clearerr",
        "fgets" => "__bop_fgets",
        "fopen" | "fopen64" => "__bop_fopen",
        "fclose" => "__bop_fclose",
        "fseek" => "__bop_fseek",
        "ftell" => "__bop_ftell",
        "rewind" => "__bop_rewind",
        "fwrite" => "__bop_fwrite",
        "gets" => "__bop_gets",
        "fread" => "__bop_fread",
        "read" => "__bop_read",
        "getline" => "__bop_getline",
        "sprintf" => "__bop_sprintf",
        "snprintf" => "__bop_snprintf",
        "vsprintf" => "__bop_vsprintf",
        "vsnprintf" => "__bop_vsnprintf",
        "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => "__bop_scanf",
        "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => "__bop_fscanf",
        "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => "__bop_sscanf",
        _ => return None,
    })
}

/// Whether it computes a number from numbers and does nothing else.
fn is_number_function(name: &str) -> bool {
    const NAMES: [&str; 41] = [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "cbrt",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
        "nearbyint",
        "fabs",
        "pow",
        "fmod",
        "atan2",
        "hypot",
        "fmax",
        "fmin",
        "copysign",
        "fdim",
        "lround",
        "lrint",
        "llround",
        "llrint",
        "isnan",
        "isinf",
        "finite",
        "signbit",
    ];
    let base = name.strip_prefix("__").unwrap_or(name);
    let cut = |end: char| base.strip_suffix(end).is_some_and(|b| NAMES.contains(&b));
    NAMES.contains(&base) || cut('f') || cut('l')
}
