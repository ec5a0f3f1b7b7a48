//! The `.aut` format (Aldebaran), read and written as a stream of lines.

use std::io::{self, BufRead, Write};

use rustc_hash::FxHashMap;

use crate::ExplicitLts;

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AutError {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line}: {kind}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        kind: LineError,
    },
    /// The header announces another number of transitions.
    #[error("the header announces {announced} transitions, the file has {found}")]
    Count {
        /// What the header says.
        announced: u64,
        /// What follows.
        found: u64,
    },
    /// The header announces states by the million that no transition can reach.
    #[error("the header announces {states} states, and only {transitions} transitions")]
    States {
        /// What the header says.
        states: u32,
        /// How many transitions there are.
        transitions: u64,
    },
    /// A label that the format cannot express.
    #[error("the label {0:?} cannot be written")]
    Label(String),
    /// The watch said stop.
    #[error("stopped")]
    Stopped,
}

/// What is wrong with a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The first line is no header.
    #[error("`des (initial, transitions, states)` expected")]
    Header,
    /// No transition.
    #[error("`(from, label, to)` expected")]
    Transition,
    /// The quotes of a label do not end.
    #[error("the label's quotes do not end")]
    Quotes,
    /// A state beyond those announced.
    #[error("state {state}, of {states}")]
    State {
        /// The state.
        state: u64,
        /// The number of states.
        states: u64,
    },
    /// More than 4,294,966,000 states or transitions.
    #[error("too many states or transitions")]
    TooLarge,
    /// Not UTF-8.
    #[error("not UTF-8")]
    Text,
}

/// The numbers of the first line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The initial state.
    pub initial: u32,
    /// The number of transitions.
    pub transitions: u64,
    /// The number of states.
    pub states: u32,
}

const MOST: u64 = u32::MAX as u64 - 1300;

/// Reads transitions one at a time.
pub struct Reader<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    header: Header,
    found: u64,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header.
    pub fn new(input: R) -> Result<Reader<R>, AutError> {
        let header = Header { initial: 0, transitions: 0, states: 0 };
        let mut reader = Reader { input, line: Vec::new(), number: 0, header, found: 0 };
        let error = |reader: &Reader<R>, kind| AutError::Line { line: reader.number.max(1), kind };
        if !reader.next_line()? {
            return Err(error(&reader, LineError::Header));
        }
        let numbers = header_numbers(&reader.line).ok_or(error(&reader, LineError::Header))?;
        let [initial, transitions, states] = numbers;
        if states > MOST || transitions > MOST {
            return Err(error(&reader, LineError::TooLarge));
        }
        if initial >= states {
            return Err(error(&reader, LineError::State { state: initial, states }));
        }
        reader.header = Header { initial: initial as u32, transitions, states: states as u32 };
        Ok(reader)
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Goes to the next line that is not blank.
    fn next_line(&mut self) -> Result<bool, AutError> {
        loop {
            self.line.clear();
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(false);
            }
            self.number += 1;
            while self.line.last().is_some_and(u8::is_ascii_whitespace) {
                self.line.pop();
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                return Ok(true);
            }
        }
    }

    /// The next transition: from, label, to. `None` at the end, where the header's count is
    /// checked.
    pub fn transition(&mut self) -> Result<Option<(u32, &str, u32)>, AutError> {
        if !self.next_line()? {
            let (announced, found) = (self.header.transitions, self.found);
            if announced != found {
                return Err(AutError::Count { announced, found });
            }
            return Ok(None);
        }
        self.found += 1;
        let number = self.number;
        let states = u64::from(self.header.states);
        let error = |kind| AutError::Line { line: number, kind };
        let (from, label, to) = fields(&self.line).map_err(error)?;
        for state in [from, to] {
            if state >= states {
                return Err(error(LineError::State { state, states }));
            }
        }
        let label = std::str::from_utf8(label).map_err(|_| error(LineError::Text))?;
        Ok(Some((from as u32, label, to as u32)))
    }
}

/// A number after blanks, and what follows it and blanks.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let text = text.trim_ascii_start();
    let digits = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    if digits == 0 || digits > 18 {
        return None;
    }
    let value = text[..digits].iter().fold(0u64, |n, b| n * 10 + u64::from(b - b'0'));
    Some((value, text[digits..].trim_ascii_start()))
}

fn header_numbers(line: &[u8]) -> Option<[u64; 3]> {
    let rest = line.trim_ascii_start().strip_prefix(b"des")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"(")?;
    let (initial, rest) = number(rest)?;
    let (transitions, rest) = number(rest.strip_prefix(b",")?)?;
    let (states, rest) = number(rest.strip_prefix(b",")?)?;
    (rest == b")").then_some([initial, transitions, states])
}

fn fields(line: &[u8]) -> Result<(u64, &[u8], u64), LineError> {
    const WRONG: LineError = LineError::Transition;
    let rest = line.trim_ascii_start().strip_prefix(b"(").ok_or(WRONG)?;
    let (from, rest) = number(rest).ok_or(WRONG)?;
    let rest = rest.strip_prefix(b",").ok_or(WRONG)?.trim_ascii_start();
    let (label, rest) = match rest.strip_prefix(b"\"") {
        Some(rest) => {
            let end = rest.iter().position(|&b| b == b'"').ok_or(LineError::Quotes)?;
            let after = rest[end + 1..].trim_ascii_start().strip_prefix(b",").ok_or(WRONG)?;
            (&rest[..end], after)
        }
        None => {
            let comma = rest.iter().rposition(|&b| b == b',').ok_or(WRONG)?;
            (rest[..comma].trim_ascii(), &rest[comma + 1..])
        }
    };
    let (to, rest) = number(rest).ok_or(WRONG)?;
    if rest != b")" {
        return Err(WRONG);
    }
    Ok((from, label, to))
}

/// Reads a whole system; `go_on` is asked now and then with the number of transitions.
pub fn read(
    input: impl BufRead,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<ExplicitLts, AutError> {
    let mut reader = Reader::new(input)?;
    let header = reader.header();
    let mut labels: Vec<String> = Vec::new();
    let mut ids: FxHashMap<String, u32> = FxHashMap::default();
    // A header may announce anything: no more than a moderate size is taken on trust.
    let mut transitions: Vec<(u32, u32, u32)> =
        Vec::with_capacity(header.transitions.min(1 << 20) as usize);
    // Labels come in runs.
    let mut last: Option<u32> = None;
    while let Some((from, label, to)) = reader.transition()? {
        let id = match last {
            Some(id) if labels[id as usize] == label => id,
            _ => match ids.get(label) {
                Some(&id) => id,
                None => {
                    let id = labels.len() as u32;
                    labels.push(label.to_owned());
                    ids.insert(label.to_owned(), id);
                    id
                }
            },
        };
        last = Some(id);
        transitions.push((from, id, to));
        if transitions.len().is_multiple_of(1 << 14) && !go_on(transitions.len() as u64) {
            return Err(AutError::Stopped);
        }
    }
    // Memory is for what the file has, not for what its first line says.
    let count = transitions.len() as u64;
    if u64::from(header.states) > (1 << 26) + 16 * count {
        return Err(AutError::States { states: header.states, transitions: count });
    }
    Ok(ExplicitLts::new(header.initial, header.states, labels, &transitions))
}

/// Reads a whole system from text in memory.
pub fn parse(text: &str) -> Result<ExplicitLts, AutError> {
    read(text.as_bytes(), &mut |_| true)
}

/// Writes a system.
pub fn write(lts: &ExplicitLts, output: &mut impl Write) -> Result<(), AutError> {
    for label in lts.labels() {
        let bare = label.contains('"');
        let broken = label.contains(['\n', '\r'])
            || (bare && (label.starts_with('"') || label.trim_ascii() != label));
        if broken {
            return Err(AutError::Label(label.clone()));
        }
    }
    writeln!(output, "des ({}, {}, {})", lts.initial_state(), lts.len(), lts.states())?;
    for state in 0..lts.states() {
        for &(label, to) in lts.from(state) {
            let label = &lts.labels()[label as usize];
            if label == "i" || label == "tau" || label.contains('"') {
                writeln!(output, "({state}, {label}, {to})")?;
            } else {
                writeln!(output, "({state}, \"{label}\", {to})")?;
            }
        }
    }
    Ok(())
}
