//! Files by number, streams that live in memory of the program, and names of files: what POSIX adds to `stdio.rs`.
//!
//! Nothing here is a file of the machine. What is written to the number of standard output goes out at once, as it does
//! when a compiled program writes to a pipe or a file; what `printf` writes waits until there is much of it.

use crate::format::{Source, format};
use crate::library::{Done, F, int, list};
use crate::machine::{Args, Machine, Stop};
use crate::memory::Kind as Place;
use crate::stdio::{Eager, Kind, Stream};

/// Numbers of errors.
const ENOENT: i32 = 2;
const EBADF: i32 = 9;
const EEXIST: i32 = 17;
const EINVAL: i32 = 22;
const ENOTTY: i32 = 25;
const ESPIPE: i32 = 29;

/// Where what a stream in memory contains is put when it is flushed.
#[derive(Debug)]
pub(crate) enum Back {
    /// `open_memstream`: a buffer that grows, and where its address and size go.
    Grows { text: u64, size: u64, buffer: u64 },
    /// `fmemopen`: the caller's buffer.
    Given { at: u64, size: u64 },
}

/// The function of a name.
pub(crate) fn native(plain: &str) -> Option<F> {
    let f: F = match plain {
        "tmpfile" => |m, _| {
            let name = m.hidden();
            m.open(name.as_bytes(), b"w+")
        },
        "open_memstream" => open_memstream,
        "fmemopen" => fmemopen,
        "freopen" => freopen,
        "fdopen" => fdopen,
        "fileno" | "fileno_unlocked" => |m, a| {
            m.stream(a.values[0])?;
            match m.files.number_of(a.values[0]) {
                Some(number) => int(i64::from(number)),
                None => m.fails(EBADF),
            }
        },
        "dprintf" => |m, a| {
            let bytes = format(m, a.values[1], &mut Source::Bytes(a.more, 0))?;
            m.write_number(a.values[0], &bytes)
        },
        "vdprintf" => |m, a| {
            let mut source = list(m, a.values[2]);
            let bytes = format(m, a.values[1], &mut source)?;
            m.write_number(a.values[0], &bytes)
        },
        "write" => |m, a| {
            let bytes = m.memory.read(a.values[1], a.values[2])?.to_vec();
            m.write_number(a.values[0], &bytes)
        },
        "read" => read,
        "open" | "open64" | "creat" => match plain {
            "creat" => |m, a| open(m, a.values[0], 0o1101),
            _ => |m, a| open(m, a.values[0], a.values[1]),
        },
        "close" => |m, a| match m.files.numbers.remove(&(a.values[0] as i32)) {
            Some(key) => {
                m.last_gone(key);
                Ok(0)
            }
            None => m.fails(EBADF),
        },
        "dup" => |m, a| {
            let Some(key) = m.by_number(a.values[0]) else { return m.fails(EBADF) };
            let number = m.files.give_number(key);
            int(i64::from(number))
        },
        "dup2" => |m, a| {
            let Some(key) = m.by_number(a.values[0]) else { return m.fails(EBADF) };
            let number = a.values[1] as i32;
            if let Some(old) = m.files.numbers.insert(number, key)
                && old != key
            {
                m.last_gone(old);
            }
            int(i64::from(number))
        },
        "lseek" | "lseek64" => |m, a| {
            let Some(key) = m.by_number(a.values[0]) else { return m.fails(EBADF) };
            if !matches!(m.stream(key)?.kind, Kind::File(_)) {
                return m.fails(ESPIPE);
            }
            match m.seek(key, a.values[1] as i64, a.values[2] as i32)? {
                true => int(m.tell(key)?),
                false => m.fails(EINVAL),
            }
        },
        "ftruncate" | "ftruncate64" => |m, a| {
            let Some(key) = m.by_number(a.values[0]) else { return m.fails(EBADF) };
            let Kind::File(name) = m.stream(key)?.kind.clone() else { return m.fails(EINVAL) };
            if a.values[1] > crate::stdio::MAX_FILE as u64 {
                return m.fails(EINVAL);
            }
            m.files.contents.entry(name).or_default().resize(a.values[1] as usize, 0);
            Ok(0)
        },
        "isatty" => |m, a| match m.by_number(a.values[0]) {
            Some(_) => {
                m.set_error(ENOTTY)?;
                Ok(0)
            }
            None => {
                m.set_error(EBADF)?;
                Ok(0)
            }
        },
        "access" => |m, a| {
            let name = m.name(a.values[0])?;
            if m.files.contents.contains_key(&name) { Ok(0) } else { m.fails(ENOENT) }
        },
        "remove" | "unlink" => |m, a| {
            let name = m.name(a.values[0])?;
            if m.rename(&name, None) { Ok(0) } else { m.fails(ENOENT) }
        },
        "rename" => |m, a| {
            let (from, to) = (m.name(a.values[0])?, m.name(a.values[1])?);
            if m.rename(&from, Some(&to)) { Ok(0) } else { m.fails(ENOENT) }
        },
        "mkstemp" | "mkstemp64" => mkstemp,
        "setvbuf" | "setbuf" | "setlinebuf" | "setbuffer" => match plain {
            "setvbuf" => |m, a| m.buffer(a.values[0], a.values[2]),
            "setlinebuf" => |m, a| m.buffer(a.values[0], 1),
            // Without a buffer at once, with one when it is full.
            _ => |m, a| m.buffer(a.values[0], if a.values[1] == 0 { 2 } else { 0 }),
        },
        _ => return surroundings(plain),
    };
    Some(f)
}

/// What programs ask of the system that they run on. It has no clock, one processor, and a user without rights.
fn surroundings(plain: &str) -> Option<F> {
    let f: F = match plain {
        "getpid" => |_, _| Ok(1000),
        "getppid" | "getuid" | "geteuid" | "getgid" | "getegid" => |_, _| Ok(1000),
        "sleep" | "usleep" | "alarm" | "sched_yield" => |_, _| Ok(0),
        "nanosleep" => |m, a| {
            m.memory.read(a.values[0], 2 * m.pointer)?;
            Ok(0)
        },
        "clock_gettime" | "gettimeofday" => |m, a| {
            let at = a.values[if m.memory.object(a.values[0]).size == 0 { 1 } else { 0 }];
            let size = 2 * m.pointer;
            m.memory.write(at, size)?.fill(0);
            Ok(0)
        },
        "getpagesize" => |_, _| Ok(4096),
        "sysconf" => |m, a| match a.values[0] as i32 {
            30 => Ok(4096),
            83 | 84 => Ok(1),
            _ => m.fails(EINVAL),
        },
        "pthread_mutex_init"
        | "pthread_mutex_lock"
        | "pthread_mutex_unlock"
        | "pthread_mutex_trylock"
        | "pthread_mutex_destroy"
        | "pthread_cond_init"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "pthread_cond_destroy"
        | "pthread_mutexattr_init"
        | "pthread_mutexattr_settype"
        | "pthread_mutexattr_destroy"
        | "pthread_rwlock_init"
        | "pthread_rwlock_rdlock"
        | "pthread_rwlock_wrlock"
        | "pthread_rwlock_unlock"
        | "pthread_rwlock_destroy" => |_, _| Ok(0),
        "getenv" | "secure_getenv" => |m, a| {
            let name = m.memory.string(a.values[0])?.to_vec();
            Ok(m.environment.get(&name).copied().unwrap_or(0))
        },
        "setenv" => |m, a| {
            let name = m.memory.string(a.values[0])?.to_vec();
            let value = m.memory.string(a.values[1])?.to_vec();
            if name.is_empty() || name.contains(&b'=') {
                return m.fails(EINVAL);
            }
            if a.values[2] as i32 == 0 && m.environment.contains_key(&name) {
                return Ok(0);
            }
            let size = value.len() as u64 + 1;
            let Some(at) = m.memory.make(size, 1, Place::Static, u32::MAX) else {
                return m.fails(12);
            };
            m.memory.write(at, size)?[..value.len()].copy_from_slice(&value);
            m.environment.insert(name, at);
            Ok(0)
        },
        "putenv" => |m, a| {
            let text = m.memory.string(a.values[0])?.to_vec();
            match text.iter().position(|b| *b == b'=') {
                Some(end) => {
                    m.environment.insert(text[..end].to_vec(), a.values[0] + end as u64 + 1);
                }
                None => {
                    m.environment.remove(&text);
                }
            }
            Ok(0)
        },
        "unsetenv" => |m, a| {
            let name = m.memory.string(a.values[0])?.to_vec();
            m.environment.remove(&name);
            Ok(0)
        },
        "clearenv" => |m, _| {
            m.environment.clear();
            Ok(0)
        },
        _ => return None,
    };
    Some(f)
}

fn open(m: &mut Machine<'_>, name: u64, flags: u64) -> Done {
    let name = m.name(name)?;
    let (create, only_new, empty, append) =
        (flags & 0o100 != 0, flags & 0o200 != 0, flags & 0o1000 != 0, flags & 0o2000 != 0);
    let exists = m.files.contents.contains_key(&name);
    if !exists && !create {
        return m.fails(ENOENT);
    }
    if exists && create && only_new {
        return m.fails(EEXIST);
    }
    let content = m.files.contents.entry(name.clone()).or_default();
    if empty {
        content.clear();
    }
    let key = m.files.key();
    m.files.streams.insert(key, Stream::new(Kind::File(name), append));
    let number = m.files.give_number(key);
    int(i64::from(number))
}

/// As from a file: as much as there is.
fn read(m: &mut Machine<'_>, a: Args) -> Done {
    let [from, to, count, ..] = a.values;
    let Some(key) = m.by_number(from) else { return m.fails(EBADF) };
    let mut done = 0;
    while done < count {
        let Some(byte) = m.get_byte(key)? else { break };
        m.memory.write(to + done, 1)?[0] = byte;
        done += 1;
    }
    Ok(done)
}

fn open_memstream(m: &mut Machine<'_>, a: Args) -> Done {
    let name = m.hidden();
    let file = m.open(name.as_bytes(), b"w")?;
    let back = Back::Grows { text: a.values[0], size: a.values[1], buffer: 0 };
    m.files.back.insert(file, back);
    m.sync(file)?;
    Ok(file)
}

fn fmemopen(m: &mut Machine<'_>, a: Args) -> Done {
    let [at, size, mode, ..] = a.values;
    let mode = m.memory.string(mode)?.to_vec();
    if at == 0 {
        return Err(Stop::NotCovered("`fmemopen` without a buffer".to_owned()));
    }
    let name = m.hidden();
    let bytes = m.memory.read(at, size)?;
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let content = match mode.first() {
        Some(b'r') => bytes.to_vec(),
        Some(b'a') => bytes[..end].to_vec(),
        _ => Vec::new(),
    };
    m.files.contents.insert(name.clone(), content.clone());
    let file = m.open(name.as_bytes(), &mode)?;
    if file != 0 && mode != b"r" && mode != b"rb" {
        m.files.contents.insert(name, content);
        m.files.back.insert(file, Back::Given { at, size });
        m.sync(file)?;
    }
    Ok(file)
}

fn freopen(m: &mut Machine<'_>, a: Args) -> Done {
    let [name, mode, file, ..] = a.values;
    if name == 0 {
        return Err(Stop::NotCovered("`freopen` without a name".to_owned()));
    }
    m.flush();
    m.sync(file)?;
    m.stream(file)?;
    let (name, mode) = (m.memory.string(name)?.to_vec(), m.memory.string(mode)?.to_vec());
    let new = m.open(&name, &mode)?;
    if new == 0 {
        return Ok(0);
    }
    if let Some(number) = m.files.number_of(new) {
        m.files.numbers.remove(&number);
    }
    let Some(stream) = m.files.streams.remove(&new) else { return Ok(0) };
    m.memory.free(new)?;
    m.files.streams.insert(file, stream);
    m.files.moved |= file == m.standard[1];
    Ok(file)
}

fn fdopen(m: &mut Machine<'_>, a: Args) -> Done {
    let number = a.values[0] as i32;
    let Some(key) = m.by_number(a.values[0]) else {
        m.set_error(EBADF)?;
        return Ok(0);
    };
    let old = m.stream(key)?;
    let mut stream = Stream::new(old.kind.clone(), old.append);
    stream.position = old.position;
    let Some(file) = m.memory.make(8, 16, Place::Heap, u32::MAX) else { return Ok(0) };
    m.files.streams.insert(file, stream);
    m.files.numbers.insert(number, file);
    m.last_gone(key);
    Ok(file)
}

/// Names are made in order, so that runs can be repeated.
fn mkstemp(m: &mut Machine<'_>, a: Args) -> Done {
    let template = m.memory.string(a.values[0])?.to_vec();
    let Some(start) = template.len().checked_sub(6).filter(|s| template[*s..] == *b"XXXXXX") else {
        return m.fails(EINVAL);
    };
    m.files.made += 1;
    let made = format!("{:06}", m.files.made);
    m.memory.write(a.values[0] + start as u64, 6)?.copy_from_slice(&made.as_bytes()[..6]);
    open(m, a.values[0], 0o302)
}

impl Machine<'_> {
    fn name(&self, at: u64) -> Result<String, Stop> {
        Ok(String::from_utf8_lossy(self.memory.string(at)?).into_owned())
    }

    /// A name that no program can use.
    fn hidden(&mut self) -> String {
        self.files.made += 1;
        format!("\0{}", self.files.made)
    }

    /// The result of what fails: -1, and `errno`.
    fn fails(&mut self, number: i32) -> Done {
        self.set_error(number)?;
        int(-1)
    }

    /// Sets `errno`, if the program looks at it.
    pub(crate) fn set_error(&mut self, number: i32) -> Result<(), Stop> {
        if self.error_at != 0 {
            self.memory.write(self.error_at, 4)?.copy_from_slice(&number.to_le_bytes());
        }
        Ok(())
    }

    fn by_number(&self, number: u64) -> Option<u64> {
        self.files.numbers.get(&(number as i32)).copied()
    }

    fn write_number(&mut self, number: u64, bytes: &[u8]) -> Done {
        let Some(key) = self.by_number(number) else { return self.fails(EBADF) };
        match self.stream(key)?.kind {
            Kind::Input => return self.fails(EBADF),
            Kind::Output => self.host.output(false, bytes),
            Kind::Error | Kind::File(_) => self.put(key, bytes)?,
        }
        int(bytes.len() as i64)
    }

    /// A stream that `open` made goes with its last number.
    fn last_gone(&mut self, key: u64) {
        if self.files.is_number_only(key) && self.files.number_of(key).is_none() {
            self.files.streams.remove(&key);
        }
    }

    /// Gives a file another name, or none. Streams that are open stay with what they read and write.
    fn rename(&mut self, from: &str, to: Option<&str>) -> bool {
        let Some(content) = self.files.contents.remove(from) else { return false };
        let hidden = self.hidden();
        if let Some(to) = to
            && let Some(old) = self.files.contents.remove(to)
        {
            self.files.contents.insert(hidden.clone(), old);
            self.files.renamed(to, &hidden);
        }
        let name = to.unwrap_or(&hidden);
        if self.files.renamed(from, name) || to.is_some() {
            self.files.contents.insert(name.to_owned(), content);
        }
        true
    }

    /// `setvbuf`
    fn buffer(&mut self, file: u64, mode: u64) -> Done {
        self.stream(file)?;
        if file == self.standard[1] {
            self.files.eager = match mode {
                0 => Eager::Full,
                1 => Eager::Line,
                _ => Eager::Always,
            };
        }
        Ok(0)
    }

    /// Puts what a stream in memory contains where the program sees it.
    pub(crate) fn sync(&mut self, file: u64) -> Result<(), Stop> {
        let Some(back) = self.files.back.get(&file) else { return Ok(()) };
        let Kind::File(name) = self.stream_kind(file) else { return Ok(()) };
        let content = self.files.contents.get(&name).cloned().unwrap_or_default();
        match *back {
            Back::Given { at, size } => {
                let count = content.len().min(size as usize);
                let target = self.memory.write(at, size)?;
                target[..count].copy_from_slice(&content[..count]);
                if count < size as usize {
                    target[count] = 0;
                }
            }
            Back::Grows { text, size, buffer } => {
                let needed = content.len() as u64 + 1;
                let mut at = buffer;
                if at == 0 || self.memory.object(at).size < needed {
                    let room = (2 * needed).max(64);
                    let Some(new) = self.memory.make(room, 16, Place::Heap, u32::MAX) else {
                        return Err(Stop::Limit("memory for a stream".to_owned()));
                    };
                    if at != 0 {
                        self.memory.free(at).map_err(Stop::freed)?;
                    }
                    at = new;
                    self.files.back.insert(file, Back::Grows { text, size, buffer: at });
                }
                let target = self.memory.write(at, needed)?;
                target[..content.len()].copy_from_slice(&content);
                target[content.len()] = 0;
                self.write_pointer(text, at)?;
                self.write_pointer(size, content.len() as u64)?;
            }
        }
        Ok(())
    }

    fn stream_kind(&self, file: u64) -> Kind {
        self.files.streams.get(&file).map_or(Kind::Input, |s| s.kind.clone())
    }
}
