//! Files: standard input, output and error, and files that live in memory for the time of the run.
//!
//! A program that is run here reads and writes no file of the machine: what it opens for writing is kept in
//! memory, and what it did not write before is not there, unless it was given.

use crate::descriptors::Back;
use crate::machine::{Machine, Stop};
use std::collections::BTreeMap;

/// The most bytes of a file.
pub(crate) const MAX_FILE: usize = 1 << 30;

/// A stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) kind: Kind,
    pub(crate) position: usize,
    pushed: Vec<u8>,
    pub(crate) end: bool,
    pub(crate) error: bool,
    pub(crate) append: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Input,
    Output,
    Error,
    File(String),
}

/// When what is written to standard output goes out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Eager {
    /// When there is much of it.
    #[default]
    Full,
    /// At the end of a line.
    Line,
    /// At once.
    Always,
}

/// All streams of a run.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// By the address of their `FILE`; those that have only a number by an address that no object has.
    pub(crate) streams: BTreeMap<u64, Stream>,
    pub(crate) contents: BTreeMap<String, Vec<u8>>,
    /// The streams of file descriptors.
    pub(crate) numbers: BTreeMap<i32, u64>,
    /// Streams whose content is memory of the program.
    pub(crate) back: BTreeMap<u64, Back>,
    /// How many names and keys were made.
    pub(crate) made: u64,
    /// Standard output was opened again as a file.
    pub(crate) moved: bool,
    pub(crate) eager: Eager,
    buffer: Vec<u8>,
    input: Vec<u8>,
    input_at: usize,
    input_ended: bool,
}

impl Files {
    pub(crate) fn standard(&mut self, input: u64, output: u64, error: u64) {
        for (address, kind) in [(input, Kind::Input), (output, Kind::Output), (error, Kind::Error)]
        {
            self.streams.insert(address, Stream::new(kind, false));
            self.give_number(address);
        }
    }

    /// The lowest number that is free is a stream's.
    pub(crate) fn give_number(&mut self, key: u64) -> i32 {
        let taken = self.numbers.keys().enumerate();
        let number = taken.map(|(i, n)| (i as i32, *n)).find(|(i, n)| i != n);
        let number = number.map_or(self.numbers.len() as i32, |(i, _)| i);
        self.numbers.insert(number, key);
        number
    }

    /// The first number of a stream.
    pub(crate) fn number_of(&self, key: u64) -> Option<i32> {
        self.numbers.iter().find(|(_, of)| **of == key).map(|(number, _)| *number)
    }

    /// A key for a stream that has no `FILE`.
    pub(crate) fn key(&mut self) -> u64 {
        self.made += 1;
        u64::MAX - self.made
    }

    /// Whether a stream has no `FILE`.
    pub(crate) fn is_number_only(&self, key: u64) -> bool {
        key >= u64::MAX - self.made
    }

    /// Streams of one file are those of another name from now on; whether there are any.
    pub(crate) fn renamed(&mut self, from: &str, to: &str) -> bool {
        let mut any = false;
        for stream in self.streams.values_mut() {
            if matches!(&stream.kind, Kind::File(name) if name == from) {
                stream.kind = Kind::File(to.to_owned());
                any = true;
            }
        }
        any
    }

    /// Puts files where the program finds them.
    pub(crate) fn there(&mut self, files: &[(Vec<u8>, Vec<u8>)]) {
        for (name, content) in files {
            self.contents.insert(String::from_utf8_lossy(name).into_owned(), content.clone());
        }
    }
}

impl Files {
    /// How far streams were read and written, but for what goes to a screen.
    pub(crate) fn positions(&self) -> Vec<usize> {
        let mut out = vec![self.input_at, self.input.len(), usize::from(self.input_ended)];
        for stream in self.streams.values() {
            let file = matches!(stream.kind, Kind::File(_) | Kind::Input);
            out.push(if file { stream.position } else { 0 });
            out.extend(stream.pushed.iter().map(|&b| usize::from(b)));
            out.extend([usize::from(stream.end), usize::from(stream.error)]);
        }
        out.extend(self.numbers.iter().flat_map(|(number, key)| [*number as usize, *key as usize]));
        out.push(self.made as usize);
        // What files contain is told by how long they are, and by nothing if they are never written.
        out.extend(self.contents.values().flat_map(|c| c.iter().map(|&b| usize::from(b))));
        out
    }
}

impl Stream {
    pub(crate) fn new(kind: Kind, append: bool) -> Stream {
        Stream { kind, position: 0, pushed: Vec::new(), end: false, error: false, append }
    }
}

impl Machine<'_> {
    /// Writes to standard output, which is kept until there is much of it.
    pub(crate) fn print(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        match self.files.moved {
            true => self.put(self.standard[1], bytes),
            false => {
                self.keep(bytes);
                Ok(())
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.files.buffer.extend_from_slice(bytes);
        let now = match self.files.eager {
            Eager::Full => self.files.buffer.len() >= 1 << 16,
            Eager::Line => bytes.contains(&b'\n'),
            Eager::Always => true,
        };
        if now {
            self.flush();
        }
    }

    pub(crate) fn flush(&mut self) {
        let bytes = std::mem::take(&mut self.files.buffer);
        if !bytes.is_empty() {
            self.host.output(false, &bytes);
        }
    }

    pub(crate) fn stream(&mut self, file: u64) -> Result<&mut Stream, Stop> {
        match self.files.streams.get_mut(&file) {
            Some(stream) => Ok(stream),
            None if file == 0 => {
                let what = "a null pointer is no stream".to_owned();
                Err(Stop::Failed(c_data::Check::Memory, what, c_data::At::default()))
            }
            None => Err(Stop::Undefined("a stream that is not open".to_owned())),
        }
    }

    /// Writes to a stream.
    pub(crate) fn put(&mut self, file: u64, bytes: &[u8]) -> Result<(), Stop> {
        let stream = self.stream(file)?;
        match stream.kind.clone() {
            Kind::Output => self.keep(bytes),
            Kind::Error => {
                self.flush();
                self.host.output(true, bytes);
            }
            Kind::Input => stream.error = true,
            Kind::File(name) => {
                let (append, at) = (stream.append, stream.position);
                let content = self.files.contents.entry(name).or_default();
                let at = if append { content.len() } else { at };
                if content.len() < at + bytes.len() {
                    content.resize(at + bytes.len(), 0);
                }
                content[at..at + bytes.len()].copy_from_slice(bytes);
                self.stream(file)?.position = at + bytes.len();
            }
        }
        Ok(())
    }

    /// The next byte of a stream.
    pub(crate) fn get_byte(&mut self, file: u64) -> Result<Option<u8>, Stop> {
        let stream = self.stream(file)?;
        if let Some(byte) = stream.pushed.pop() {
            return Ok(Some(byte));
        }
        let found = match stream.kind.clone() {
            Kind::Input => self.input_byte(),
            Kind::Output | Kind::Error => None,
            Kind::File(name) => {
                let at = stream.position;
                let byte = self.files.contents.get(&name).and_then(|c| c.get(at)).copied();
                if byte.is_some() {
                    self.stream(file)?.position = at + 1;
                }
                byte
            }
        };
        if found.is_none() {
            self.stream(file)?.end = true;
        }
        Ok(found)
    }

    fn input_byte(&mut self) -> Option<u8> {
        if self.files.input_at == self.files.input.len() {
            if self.files.input_ended {
                return None;
            }
            self.flush();
            let mut buffer = vec![0; 1 << 12];
            let count = self.host.input(&mut buffer);
            buffer.truncate(count);
            self.files.input = buffer;
            self.files.input_at = 0;
            if count == 0 {
                self.files.input_ended = true;
                return None;
            }
        }
        let byte = self.files.input[self.files.input_at];
        self.files.input_at += 1;
        Some(byte)
    }

    pub(crate) fn unget(&mut self, file: u64, byte: u8) -> Result<(), Stop> {
        let stream = self.stream(file)?;
        stream.pushed.push(byte);
        stream.end = false;
        Ok(())
    }

    /// `fopen`; 0 if there is no such file.
    pub(crate) fn open(&mut self, name: &[u8], mode: &[u8]) -> Result<u64, Stop> {
        let name = String::from_utf8_lossy(name).into_owned();
        let (first, plus) = (mode.first().copied(), mode.contains(&b'+'));
        let exists = self.files.contents.contains_key(&name);
        let append = first == Some(b'a');
        match first {
            Some(b'r') if !exists => {
                self.set_error(2)?;
                return Ok(0);
            }
            Some(b'r') => {}
            Some(b'w') => {
                self.files.contents.insert(name.clone(), Vec::new());
            }
            Some(b'a') => {
                self.files.contents.entry(name.clone()).or_default();
            }
            _ => return Ok(0),
        }
        let _ = plus;
        let Some(address) = self.memory.make(8, 16, crate::memory::Kind::Heap, u32::MAX) else {
            return Ok(0);
        };
        self.files.streams.insert(address, Stream::new(Kind::File(name), append));
        self.files.give_number(address);
        Ok(address)
    }

    pub(crate) fn close(&mut self, file: u64) -> Result<(), Stop> {
        self.stream(file)?;
        self.sync(file)?;
        if self.standard.contains(&file) {
            self.flush();
        }
        self.files.back.remove(&file);
        self.files.streams.remove(&file);
        self.files.numbers.retain(|_, key| *key != file);
        if !self.standard.contains(&file) {
            self.memory.free(file)?;
        }
        Ok(())
    }

    /// `fseek`; false if it goes nowhere.
    pub(crate) fn seek(&mut self, file: u64, by: i64, from: i32) -> Result<bool, Stop> {
        let stream = self.stream(file)?;
        let Kind::File(name) = stream.kind.clone() else { return Ok(false) };
        let start = match from {
            0 => 0,
            1 => stream.position as i64 - stream.pushed.len() as i64,
            _ => self.files.contents.get(&name).map_or(0, |c| c.len() as i64),
        };
        let at = usize::try_from(start.saturating_add(by)).ok().filter(|at| *at < MAX_FILE);
        let Some(at) = at else { return Ok(false) };
        let stream = self.stream(file)?;
        stream.position = at;
        stream.pushed.clear();
        stream.end = false;
        Ok(true)
    }

    pub(crate) fn tell(&mut self, file: u64) -> Result<i64, Stop> {
        let stream = self.stream(file)?;
        match stream.kind {
            Kind::File(_) => Ok(stream.position as i64 - stream.pushed.len() as i64),
            _ => Ok(-1),
        }
    }
}
