//! Functions of the library that the machine does itself. The others are models in C (`library.c`, `models/`).

use crate::format::{Source, bounded, format};
use crate::machine::{ABORTED, Args, Machine, Stop};
use crate::memory::Kind;
use crate::{descriptors, mathematics, scan};
use c_data::Check;

pub(crate) type Done = Result<u64, Stop>;

/// A function of the library.
#[derive(Clone, Copy)]
pub(crate) struct Native(F);

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Native")
    }
}

impl Native {
    pub(crate) fn run(self, m: &mut Machine<'_>, args: Args) -> Done {
        self.0(m, args)
    }
}

pub(crate) type F = fn(&mut Machine<'_>, Args) -> Done;

/// The function of a name.
pub(crate) fn native(name: &str) -> Option<Native> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let found = standard(name, plain).or_else(|| descriptors::native(plain));
    found.map(Native)
}

/// Whether a function of the library is known, and executed as such. What asks the surroundings is executed, too, but
/// whoever searches may take it for anything.
pub fn knows(name: &str) -> bool {
    standard(name, name.strip_prefix("__builtin_").unwrap_or(name)).is_some()
}

fn standard(name: &str, plain: &str) -> Option<F> {
    output(plain)
        .or_else(|| input(plain))
        .or_else(|| system(plain))
        .or_else(|| strings(plain))
        .or_else(|| numbers(name, plain))
}

/// What writes.
fn output(plain: &str) -> Option<F> {
    let f: F = match plain {
        "printf" | "__printf" => |m, a| {
            let bytes = format(m, a.values[0], &mut Source::Bytes(a.more, 0))?;
            m.print(&bytes)?;
            int(bytes.len() as i64)
        },
        "fprintf" => |m, a| {
            let bytes = format(m, a.values[1], &mut Source::Bytes(a.more, 0))?;
            m.put(a.values[0], &bytes)?;
            int(bytes.len() as i64)
        },
        "sprintf" => |m, a| {
            let bytes = format(m, a.values[1], &mut Source::Bytes(a.more, 0))?;
            put_string(m, a.values[0], &bytes)?;
            int(bytes.len() as i64)
        },
        "snprintf" => |m, a| {
            let bytes = format(m, a.values[2], &mut Source::Bytes(a.more, 0))?;
            put_bounded(m, a.values[0], a.values[1], &bytes)
        },
        "vprintf" => |m, a| {
            let mut source = list(m, a.values[1]);
            let bytes = format(m, a.values[0], &mut source)?;
            m.print(&bytes)?;
            int(bytes.len() as i64)
        },
        "vfprintf" => |m, a| {
            let mut source = list(m, a.values[2]);
            let bytes = format(m, a.values[1], &mut source)?;
            m.put(a.values[0], &bytes)?;
            int(bytes.len() as i64)
        },
        "vsprintf" => |m, a| {
            let mut source = list(m, a.values[2]);
            let bytes = format(m, a.values[1], &mut source)?;
            put_string(m, a.values[0], &bytes)?;
            int(bytes.len() as i64)
        },
        "vsnprintf" => |m, a| {
            let mut source = list(m, a.values[3]);
            let bytes = format(m, a.values[2], &mut source)?;
            put_bounded(m, a.values[0], a.values[1], &bytes)
        },
        "puts" => |m, a| {
            let mut bytes = m.memory.string(a.values[0])?.to_vec();
            bytes.push(b'\n');
            m.print(&bytes)?;
            int(1)
        },
        "putchar" | "putchar_unlocked" => |m, a| {
            m.print(&[a.values[0] as u8])?;
            Ok(u64::from(a.values[0] as u8))
        },
        "putc" | "fputc" | "_IO_putc" | "putc_unlocked" | "fputc_unlocked" => |m, a| {
            m.put(a.values[1], &[a.values[0] as u8])?;
            Ok(u64::from(a.values[0] as u8))
        },
        "fputs" | "fputs_unlocked" => |m, a| {
            let bytes = m.memory.string(a.values[0])?.to_vec();
            m.put(a.values[1], &bytes)?;
            int(1)
        },
        "fwrite" | "fwrite_unlocked" => |m, a| {
            let [from, size, count, file, ..] = a.values;
            let Some(total) = size.checked_mul(count) else { return int(0) };
            let bytes = m.memory.read(from, total)?.to_vec();
            m.put(file, &bytes)?;
            Ok(if size == 0 { 0 } else { count })
        },
        _ => return None,
    };
    Some(f)
}

/// What reads, and files.
fn input(plain: &str) -> Option<F> {
    let f: F = match plain {
        "fread" => fread,
        "fgetc" | "getc" | "_IO_getc" | "getc_unlocked" | "fgetc_unlocked" => {
            |m, a| byte(m.get_byte(a.values[0])?)
        }
        "fgets" => fgets,
        "gets" => gets,
        "getline" => getline,
        "ungetc" => |m, a| {
            let c = a.values[0] as i32;
            if c == -1 {
                return int(-1);
            }
            m.unget(a.values[1], c as u8)?;
            Ok(u64::from(c as u8))
        },
        "feof" => |m, a| Ok(u64::from(m.stream(a.values[0])?.end)),
        "ferror" => |m, a| Ok(u64::from(m.stream(a.values[0])?.error)),
        "clearerr" => |m, a| {
            let stream = m.stream(a.values[0])?;
            (stream.end, stream.error) = (false, false);
            Ok(0)
        },
        "fflush" => |m, a| {
            m.flush();
            m.sync(a.values[0])?;
            Ok(0)
        },
        "fopen" => |m, a| {
            let (name, mode) =
                (m.memory.string(a.values[0])?.to_vec(), m.memory.string(a.values[1])?.to_vec());
            m.open(&name, &mode)
        },
        "fclose" => |m, a| {
            m.close(a.values[0])?;
            Ok(0)
        },
        "fseek" => |m, a| {
            let done = m.seek(a.values[0], a.values[1] as i64, a.values[2] as i32)?;
            int(if done { 0 } else { -1 })
        },
        "ftell" => |m, a| int(m.tell(a.values[0])?),
        "rewind" => |m, a| {
            m.seek(a.values[0], 0, 0)?;
            Ok(0)
        },
        "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => |m, a| {
            let file = m.standard_input()?;
            scan::scan_file(m, file, a.values[0], &mut Source::Bytes(a.more, 0))
        },
        "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => {
            |m, a| scan::scan_file(m, a.values[0], a.values[1], &mut Source::Bytes(a.more, 0))
        }
        "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => {
            |m, a| scan::scan_string(m, a.values[0], a.values[1], &mut Source::Bytes(a.more, 0))
        }
        _ => return None,
    };
    Some(f)
}

/// Memory, ends of the program, and what the machine hands out.
fn system(plain: &str) -> Option<F> {
    let f: F = match plain {
        "malloc" => |m, a| {
            let made = make(m, a.values[0]);
            let own = m.frames.last().is_some_and(|f| m.code.routines[f.routine as usize].own);
            if let Some(content) = m.heap.pop_front_if(|_| own)
                && made != 0
            {
                let count = content.len().min(a.values[0] as usize);
                m.memory.write(made, count as u64)?.copy_from_slice(&content[..count]);
            }
            Ok(made)
        },
        "calloc" => |m, a| match a.values[0].checked_mul(a.values[1]) {
            Some(size) => {
                let made = make(m, size);
                if made != 0 {
                    m.memory.write(made, size)?;
                }
                Ok(made)
            }
            None => Ok(0),
        },
        "realloc" => realloc,
        "aligned_alloc" | "memalign" => |m, a| {
            let align = a.values[0].clamp(1, 1 << 20).next_power_of_two();
            Ok(m.memory.make(a.values[1], align, Kind::Heap, u32::MAX).unwrap_or(0))
        },
        "posix_memalign" => |m, a| {
            let [to, align, size, ..] = a.values;
            if !align.is_power_of_two() || align < m.pointer || align > 1 << 20 {
                return Ok(22);
            }
            match m.memory.make(size, align, Kind::Heap, u32::MAX) {
                Some(made) => m.write_pointer(to, made).map(|()| 0).map_err(Stop::from),
                None => Ok(12),
            }
        },
        "free" | "cfree" => |m, a| {
            if a.values[0] != 0 {
                m.memory.free(a.values[0]).map_err(Stop::freed)?;
            }
            Ok(0)
        },
        "exit" | "__bop_exit" => |_, a| Err(Stop::Exit(a.values[0] as i32)),
        "_exit" | "_Exit" | "quick_exit" => |m, a| {
            m.at_once = true;
            Err(Stop::Exit(a.values[0] as i32))
        },
        "abort" => |_, _| Err(Stop::Signal(ABORTED)),
        "trap" => |_, _| Err(Stop::Signal(4)),
        "__bop_signal" => |_, a| Err(Stop::Signal(a.values[0] as i32)),
        "__assert_fail" => assert_fail,
        "longjmp" | "_longjmp" | "siglongjmp" => |m, a| m.long_jump(a.values[0], a.values[1]),
        "rand" | "random" => |m, _| Ok(u64::from(m.random.next())),
        "srand" | "srandom" => |m, a| {
            m.random = crate::random::Random::new(a.values[0] as u32);
            Ok(0)
        },
        "time" | "clock" => |m, a| {
            // There is no clock here: runs can be repeated.
            if a.values[0] != 0 && a.values[0] > 0xffff {
                let zero = [0; 8];
                let size = m.pointer;
                m.memory.write(a.values[0], size)?.copy_from_slice(&zero[..size as usize]);
            }
            Ok(0)
        },
        _ => return None,
    };
    Some(f)
}

/// Bytes and strings.
fn strings(plain: &str) -> Option<F> {
    let f: F = match plain {
        "memcpy" | "memmove" | "bcopy_" | "mempcpy" => match plain {
            "mempcpy" => |m, a| {
                m.memory.copy(a.values[0], a.values[1], a.values[2])?;
                Ok(a.values[0] + a.values[2])
            },
            "memcpy" => |m, a| {
                let [to, from, size, ..] = a.values;
                if to != from && to.abs_diff(from) < size {
                    m.note(format!("`memcpy` of {size} bytes that overlap"));
                }
                m.memory.copy(to, from, size)?;
                Ok(to)
            },
            _ => |m, a| {
                m.memory.copy(a.values[0], a.values[1], a.values[2])?;
                Ok(a.values[0])
            },
        },
        "memset" => |m, a| {
            m.memory.write(a.values[0], a.values[2])?.fill(a.values[1] as u8);
            Ok(a.values[0])
        },
        "memcmp" | "bcmp" => |m, a| {
            let x = m.memory.read(a.values[0], a.values[2])?;
            let y = m.memory.read(a.values[1], a.values[2])?;
            int(order(x, y))
        },
        "memchr" => |m, a| {
            let [from, c, count, ..] = a.values;
            let object = m.memory.object(from);
            let left = (object.base + object.size).saturating_sub(from).min(count);
            let found = m.memory.read(from, left)?.iter().position(|b| *b == c as u8);
            match found {
                Some(at) => Ok(from + at as u64),
                None if left == count => Ok(0),
                None => Ok(m.memory.read(from, left + 1).map(|_| 0)?),
            }
        },
        "strlen" => |m, a| Ok(m.memory.string(a.values[0])?.len() as u64),
        "strnlen" => |m, a| Ok(bounded(m, a.values[0], a.values[1] as usize)?.len() as u64),
        "strcpy" => |m, a| {
            let bytes = m.memory.string(a.values[1])?.to_vec();
            put_string(m, a.values[0], &bytes)?;
            Ok(a.values[0])
        },
        "stpcpy" => |m, a| {
            let bytes = m.memory.string(a.values[1])?.to_vec();
            put_string(m, a.values[0], &bytes)?;
            Ok(a.values[0] + bytes.len() as u64)
        },
        "strncpy" | "stpncpy" => |m, a| {
            let [to, from, count, ..] = a.values;
            let bytes = bounded(m, from, count as usize)?;
            let target = m.memory.write(to, count)?;
            target.fill(0);
            target[..bytes.len()].copy_from_slice(&bytes);
            Ok(to)
        },
        "strcat" => |m, a| {
            let end = a.values[0] + m.memory.string(a.values[0])?.len() as u64;
            let bytes = m.memory.string(a.values[1])?.to_vec();
            put_string(m, end, &bytes)?;
            Ok(a.values[0])
        },
        "strncat" => |m, a| {
            let end = a.values[0] + m.memory.string(a.values[0])?.len() as u64;
            let bytes = bounded(m, a.values[1], a.values[2] as usize)?;
            put_string(m, end, &bytes)?;
            Ok(a.values[0])
        },
        "strcmp" | "strcoll" => {
            |m, a| int(order(m.memory.string(a.values[0])?, m.memory.string(a.values[1])?))
        }
        "strncmp" => |m, a| {
            let n = a.values[2] as usize;
            let (x, y) = (bounded(m, a.values[0], n)?, bounded(m, a.values[1], n)?);
            int(order(&x, &y))
        },
        "strcasecmp" => |m, a| {
            let x = m.memory.string(a.values[0])?.to_ascii_lowercase();
            let y = m.memory.string(a.values[1])?.to_ascii_lowercase();
            int(order(&x, &y))
        },
        "strncasecmp" => |m, a| {
            let n = a.values[2] as usize;
            let x = bounded(m, a.values[0], n)?.to_ascii_lowercase();
            let y = bounded(m, a.values[1], n)?.to_ascii_lowercase();
            int(order(&x, &y))
        },
        "strchr" | "index" => |m, a| {
            let text = m.memory.string(a.values[0])?;
            let c = a.values[1] as u8;
            Ok(match text.iter().position(|b| *b == c) {
                Some(at) => a.values[0] + at as u64,
                None if c == 0 => a.values[0] + text.len() as u64,
                None => 0,
            })
        },
        "strrchr" | "rindex" => |m, a| {
            let text = m.memory.string(a.values[0])?;
            let c = a.values[1] as u8;
            Ok(match text.iter().rposition(|b| *b == c) {
                _ if c == 0 => a.values[0] + text.len() as u64,
                Some(at) => a.values[0] + at as u64,
                None => 0,
            })
        },
        "strstr" => |m, a| {
            let (text, part) = (m.memory.string(a.values[0])?, m.memory.string(a.values[1])?);
            if part.is_empty() {
                return Ok(a.values[0]);
            }
            let found = text.windows(part.len()).position(|w| w == part);
            Ok(found.map_or(0, |at| a.values[0] + at as u64))
        },
        "strspn" => |m, a| span(m, a.values[0], a.values[1], true),
        "strcspn" => |m, a| span(m, a.values[0], a.values[1], false),
        "strpbrk" => |m, a| {
            let text = m.memory.string(a.values[0])?;
            let set = m.memory.string(a.values[1])?;
            let found = text.iter().position(|b| set.contains(b));
            Ok(found.map_or(0, |at| a.values[0] + at as u64))
        },
        _ => return None,
    };
    Some(f)
}

/// Numbers, and inputs.
fn numbers(name: &str, plain: &str) -> Option<F> {
    let f: F = match plain {
        "strtod" | "strtold" => |m, a| Ok(scan::strtod(m, &a)?.to_bits()),
        "strtof" => |m, a| Ok(u64::from((scan::strtod(m, &a)? as f32).to_bits())),
        "clz" | "clzl" | "clzll" | "ctz" | "ctzl" | "ctzll" | "popcount" | "popcountl"
        | "popcountll" | "ffs" | "ffsl" | "ffsll" | "parity" | "parityl" | "parityll" | "clrsb"
        | "clrsbl" | "clrsbll" => {
            return mathematics::bits(plain);
        }
        // What stands for a function that is not there changes nothing here.
        "__bop_outside" | "__bop_beyond" | "__bop_compiler" => |_, _| Ok(0),
        _ if name.starts_with("__VERIFIER_nondet_") => nondet(&name[18..])?,
        _ if name.starts_with("__bop_result_") => nondet(name[13..].split_once("__")?.0)?,
        "__VERIFIER_assume" => |_, a| match a.values[0] {
            0 => Err(Stop::Exit(0)),
            _ => Ok(0),
        },
        "__VERIFIER_error" | "reach_error" => |m, _| match m.check {
            Some(Check::Cleanup) => Err(Stop::Signal(ABORTED)),
            _ => Err(Stop::Undefined("the program's error function was called".to_owned())),
        },
        _ => return mathematics::native(plain),
    };
    Some(f)
}

/// An integer as a register has it.
pub(crate) fn int(value: i64) -> Done {
    Ok(value as u64)
}

fn byte(found: Option<u8>) -> Done {
    Ok(found.map_or(-1i64 as u64, u64::from))
}

fn order(x: &[u8], y: &[u8]) -> i64 {
    match x.cmp(y) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    }
}

/// A `va_list` parameter: its address, or on 32 bits the list itself.
pub(crate) fn list(m: &mut Machine<'_>, value: u64) -> Source {
    if m.pointer == 8 {
        return Source::List(value);
    }
    // The list is the address of the next argument; it is used up here only.
    let object = m.memory.object(value);
    let left = (object.base + object.size).saturating_sub(value);
    let bytes = m.memory.read(value, left).map(<[u8]>::to_vec).unwrap_or_default();
    Source::Bytes(bytes, 0)
}

fn put_string(m: &mut Machine<'_>, to: u64, bytes: &[u8]) -> Result<(), Stop> {
    let target = m.memory.write(to, bytes.len() as u64 + 1)?;
    target[..bytes.len()].copy_from_slice(bytes);
    target[bytes.len()] = 0;
    Ok(())
}

fn put_bounded(m: &mut Machine<'_>, to: u64, size: u64, bytes: &[u8]) -> Done {
    if size > 0 {
        let kept = bytes.len().min(size as usize - 1);
        put_string(m, to, &bytes[..kept])?;
    }
    int(bytes.len() as i64)
}

fn make(m: &mut Machine<'_>, size: u64) -> u64 {
    m.memory.make(size, 16, Kind::Heap, u32::MAX).unwrap_or(0)
}

fn realloc(m: &mut Machine<'_>, a: Args) -> Done {
    let [old, size, ..] = a.values;
    if old == 0 {
        return Ok(make(m, size));
    }
    let object = m.memory.object(old);
    if size == 0 {
        m.memory.free(old).map_err(Stop::freed)?;
        return Ok(0);
    }
    if object.base != old || object.kind != Kind::Heap || object.size != object.full {
        let what = "realloc of what malloc did not make, or of what was freed";
        let origin = m.memory.origin(&object);
        return Err(Stop::Failed(Check::Memory, what.to_owned(), origin));
    }
    let new = make(m, size);
    if new != 0 {
        m.memory.copy(new, old, object.size.min(size))?;
        m.memory.free(old).map_err(Stop::freed)?;
    }
    Ok(new)
}

fn fread(m: &mut Machine<'_>, a: Args) -> Done {
    let [to, size, count, file, ..] = a.values;
    if size == 0 || count == 0 {
        return Ok(0);
    }
    let mut done = 0;
    'all: for i in 0..count {
        for j in 0..size {
            let Some(byte) = m.get_byte(file)? else { break 'all };
            m.memory.write(to + i * size + j, 1)?[0] = byte;
        }
        done += 1;
    }
    Ok(done)
}

fn fgets(m: &mut Machine<'_>, a: Args) -> Done {
    let [to, size, file, ..] = a.values;
    let mut bytes = Vec::new();
    while (bytes.len() as i64) < i64::from(size as i32) - 1 {
        match m.get_byte(file)? {
            Some(byte) => {
                bytes.push(byte);
                if byte == b'\n' {
                    break;
                }
            }
            None => break,
        }
    }
    if bytes.is_empty() {
        return Ok(0);
    }
    put_string(m, to, &bytes)?;
    Ok(to)
}

/// `gets`, which reads a line and forgets its end.
fn gets(m: &mut Machine<'_>, a: Args) -> Done {
    let file = m.standard_input()?;
    let mut bytes = Vec::new();
    loop {
        match m.get_byte(file)? {
            Some(b'\n') => break,
            Some(byte) => bytes.push(byte),
            None if bytes.is_empty() => return Ok(0),
            None => break,
        }
    }
    put_string(m, a.values[0], &bytes)?;
    Ok(a.values[0])
}

/// `getline`; a line that is new has 120 bytes, as the GNU library's.
fn getline(m: &mut Machine<'_>, a: Args) -> Done {
    let [line, size, file, ..] = a.values;
    let mut bytes = Vec::new();
    while let Some(byte) = m.get_byte(file)? {
        bytes.push(byte);
        if byte == b'\n' {
            break;
        }
    }
    let (mut at, mut room) = (m.read_pointer(line)?, m.read_pointer(size)?);
    if at == 0 {
        room = 120.max(bytes.len() as u64 + 1);
        at = make(m, room);
    } else if room < bytes.len() as u64 + 1 {
        room = (2 * room).max(bytes.len() as u64 + 1);
        let values = Args { values: [at, room, 0, 0, 0, 0, 0, 0], more: Vec::new() };
        at = realloc(m, values)?;
    }
    m.write_pointer(line, at)?;
    m.write_pointer(size, room)?;
    if bytes.is_empty() {
        return int(-1);
    }
    put_string(m, at, &bytes)?;
    int(bytes.len() as i64)
}

fn span(m: &Machine<'_>, text: u64, set: u64, inside: bool) -> Done {
    let (text, set) = (m.memory.string(text)?, m.memory.string(set)?);
    let end = text.iter().position(|b| set.contains(b) != inside).unwrap_or(text.len());
    Ok(end as u64)
}

fn assert_fail(m: &mut Machine<'_>, a: Args) -> Done {
    let text = |m: &Machine<'_>, address: u64| match address {
        0 => "?".to_owned(),
        _ => m
            .memory
            .string(address)
            .map_or("?".to_owned(), |t| String::from_utf8_lossy(t).into_owned()),
    };
    let (what, file) = (text(m, a.values[0]), text(m, a.values[1]));
    let (line, function) = (a.values[2] as u32, text(m, a.values[3]));
    let message = format!("{file}:{line}: {function}: Assertion `{what}' failed.\n");
    m.flush();
    m.host.output(true, message.as_bytes());
    Err(Stop::Signal(ABORTED))
}

/// So many inputs are told with the functions that hand them out.
const MOST_TAKERS: usize = 1 << 18;

/// The next input, as a value of a type.
fn nondet(ty: &str) -> Option<F> {
    fn next(m: &mut Machine<'_>) -> Result<i128, Stop> {
        given(m).map(source::fraction::whole)
    }
    /// The same for those that may have fractions.
    fn given(m: &mut Machine<'_>) -> Result<i128, Stop> {
        let next = m.inputs.pop_front();
        match next.or_else(|| m.repeats.as_mut().and_then(|repeats| repeats.next())) {
            Some(value) => {
                if m.takers.len() < MOST_TAKERS {
                    m.takers.push(m.called);
                }
                if let Some(repeats) = &mut m.repeats {
                    repeats.note(m.called, value);
                }
                Ok(value)
            }
            None => Err(Stop::NotCovered("the inputs are used up (`--inputs`)".to_owned())),
        }
    }
    Some(match ty {
        "bool" | "_Bool" => |m, _| Ok(u64::from(next(m)? != 0)),
        "char" => |m, _| Ok(i64::from(next(m)? as i8) as u64),
        "uchar" | "unsigned_char" => |m, _| Ok(u64::from(next(m)? as u8)),
        "short" => |m, _| Ok(i64::from(next(m)? as i16) as u64),
        "ushort" | "unsigned_short" | "u16" => |m, _| Ok(u64::from(next(m)? as u16)),
        "int" => |m, _| Ok(i64::from(next(m)? as i32) as u64),
        "uint" | "unsigned" | "unsigned_int" | "u32" => |m, _| Ok(u64::from(next(m)? as u32)),
        "u8" => |m, _| Ok(u64::from(next(m)? as u8)),
        "long" => |m, _| {
            let value = next(m)?;
            Ok(if m.pointer == 8 { value as u64 } else { i64::from(value as i32) as u64 })
        },
        "ulong" | "unsigned_long" | "size_t" | "pointer" | "charp" | "loff_t" => |m, _| {
            let value = next(m)?;
            Ok(if m.pointer == 8 { value as u64 } else { u64::from(value as u32) })
        },
        "longlong" | "ulonglong" | "u64" | "S64" | "U64" => |m, _| Ok(next(m)? as u64),
        "float" => |m, _| {
            let x = source::fraction::value(given(m)?) as f32;
            Ok(u64::from(x.to_bits()))
        },
        "double" => |m, _| Ok(source::fraction::value(given(m)?).to_bits()),
        _ => return None,
    })
}
