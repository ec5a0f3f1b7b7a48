//! Parity games in PGSolver's format (`.pg`), read as a stream and written.
//!
//! ```text
//! parity 2;
//! 0 3 0 1,2 "a name";
//! 1 2 1 0;
//! 2 0 0 2;
//! ```
//!
//! A line is a vertex: its number, its priority, its owner (0 is the player *even*), where its owner
//! may move, and perhaps a name. The highest priority that a play sees for ever rules. The first line,
//! and `start N;` behind it, may be left out. Vertices may come in any order, with numbers left out;
//! who cannot move loses.
//!
//! In the equation system that a game is, a vertex is true where *even* wins.

use std::fmt::Write;
use std::io::Read;

use rustc_hash::FxHashMap;
use source::Span;

use crate::cadp::ReadError;
use crate::game::priorities;
use crate::lex::{SyntaxError, SyntaxErrorKind};
use crate::rows::NONE;
use crate::{Bes, BesBuilder, Op, Sign};

/// A parity game as it was written.
pub struct ParityGame {
    /// The game: variables are the vertices in the order of the text. The initial variable is the one
    /// that the text names (`start`), or else vertex 0, or else the first one.
    pub bes: Bes,
    /// The number of each vertex.
    pub numbers: Vec<u32>,
    by_number: FxHashMap<u32, u32>,
}

impl ParityGame {
    /// The variable of the vertex with a number.
    pub fn vertex(&self, number: u32) -> Option<u32> {
        match self.numbers.get(number as usize) {
            Some(&n) if n == number => Some(number),
            _ => self.by_number.get(&number).copied(),
        }
    }

    /// What a vertex is called: its name, or its number.
    pub fn name(&self, v: u32) -> String {
        match self.bes.given_name(v) {
            Some(name) => name.to_owned(),
            None => self.numbers[v as usize].to_string(),
        }
    }

    /// Who wins where, in PGSolver's format for solutions: a line for each vertex, with the winner,
    /// and his move where it is his.
    pub fn solution(&self, values: &[bool], strategy: &[u32]) -> String {
        let most = self.numbers.iter().max().copied().unwrap_or(0);
        let mut out = format!("paritysol {most};\n");
        for (v, &number) in self.numbers.iter().enumerate() {
            _ = write!(out, "{number} {}", u32::from(!values[v]));
            let own = (self.bes.op_of(v as u32) == Op::Or) == values[v];
            if own && strategy[v] != NONE {
                _ = write!(out, " {}", self.numbers[strategy[v] as usize]);
            }
            out.push_str(";\n");
        }
        out
    }
}

struct Scanner<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    len: usize,
    /// Bytes before the buffer, and where the line begins.
    before: u64,
    line_start: u64,
    line: u64,
}

impl<R: Read> Scanner<R> {
    fn new(input: R) -> Scanner<R> {
        let buffer = vec![0; 1 << 17];
        Scanner { input, buffer, at: 0, len: 0, before: 0, line_start: 0, line: 1 }
    }

    /// The next byte, which stays.
    #[inline]
    fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        if self.at == self.len {
            return self.fill();
        }
        Ok(Some(self.buffer[self.at]))
    }

    #[cold]
    fn fill(&mut self) -> Result<Option<u8>, ReadError> {
        self.before += self.len as u64;
        (self.at, self.len) = (0, 0);
        self.len = loop {
            match self.input.read(&mut self.buffer) {
                Ok(len) => break len,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(ReadError::Io(e)),
            }
        };
        Ok((self.len > 0).then(|| self.buffer[0]))
    }

    /// Passes over the byte that was peeked at.
    #[inline]
    fn skip(&mut self, byte: u8) {
        self.at += 1;
        if byte == b'\n' {
            self.line += 1;
            self.line_start = self.before + self.at as u64;
        }
    }

    /// The first byte that is no blank, which stays.
    fn token(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            match self.peek()? {
                Some(byte) if byte.is_ascii_whitespace() => self.skip(byte),
                other => return Ok(other),
            }
        }
    }

    fn wrong(&self, kind: SyntaxErrorKind) -> ReadError {
        let error = SyntaxError::new(kind, Span::new(0, 0));
        let column = self.before + self.at as u64 - self.line_start + 1;
        ReadError::Syntax { line: self.line, column, error }
    }

    fn unexpected(&mut self, expected: &'static str) -> ReadError {
        let found = match self.peek() {
            Ok(Some(byte)) => format!("`{}`", char::from(byte).escape_default()),
            Ok(None) => "the end of the text".to_owned(),
            Err(error) => return error,
        };
        self.wrong(SyntaxErrorKind::Unexpected { found, expected })
    }

    /// A number below 2^32 − 1.
    fn number(&mut self, expected: &'static str) -> Result<u32, ReadError> {
        if !self.token()?.is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected(expected));
        }
        // Nearly all numbers are short, and lie in the buffer as a whole.
        let mut number = 0u32;
        for (i, byte) in self.buffer[self.at..self.len].iter().take(10).enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                self.at += i;
                return Ok(number);
            }
            if i == 9 {
                break;
            }
            number = number * 10 + u32::from(digit);
        }
        let mut number = 0u32;
        while let Some(byte) = self.peek()?.filter(u8::is_ascii_digit) {
            let more = number.checked_mul(10).and_then(|n| n.checked_add(u32::from(byte - b'0')));
            number =
                more.filter(|&n| n != NONE).ok_or_else(|| self.wrong(SyntaxErrorKind::Number))?;
            self.skip(byte);
        }
        Ok(number)
    }

    fn word(&mut self) -> Result<String, ReadError> {
        let mut word = String::new();
        while let Some(byte) = self.peek()?.filter(u8::is_ascii_alphabetic) {
            if word.len() < 16 {
                word.push(char::from(byte));
            }
            self.skip(byte);
        }
        Ok(word)
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), ReadError> {
        if self.token()? != Some(byte) {
            return Err(self.unexpected(expected));
        }
        self.skip(byte);
        Ok(())
    }

    /// What stands between quotes.
    fn quoted(&mut self) -> Result<String, ReadError> {
        self.expect(b'"', "`\"`")?;
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                None => return Err(self.unexpected("`\"`")),
                Some(b'"') => break,
                Some(byte) => {
                    name.push(byte);
                    self.skip(byte);
                }
            }
        }
        self.skip(b'"');
        Ok(String::from_utf8_lossy(&name).into_owned())
    }
}

/// The vertices as they come.
#[derive(Default)]
struct Vertices {
    numbers: Vec<u32>,
    priorities: Vec<u32>,
    even: Vec<bool>,
    ends: Vec<usize>,
    moves: Vec<u32>,
    names: FxHashMap<u32, String>,
}

/// Reads a game. `go_on` is asked now and then, with the number of vertices so far.
pub fn read(input: impl Read, go_on: &mut dyn FnMut(u64) -> bool) -> Result<ParityGame, ReadError> {
    let mut scanner = Scanner::new(input);
    let mut vertices = Vertices::default();
    let start = header(&mut scanner)?;
    let mut by_number: FxHashMap<u32, u32> = FxHashMap::default();
    while scanner.token()?.is_some() {
        let at = vertices.numbers.len();
        if at.is_multiple_of(1 << 12) && !go_on(at as u64) {
            return Err(ReadError::Stopped);
        }
        let number = scanner.number("the number of a vertex")?;
        // Only numbers that are not the place itself need a table.
        let known = vertices.numbers.get(number as usize) == Some(&number)
            || by_number.contains_key(&number);
        if known {
            let (what, name) = ("vertex", number.to_string());
            return Err(scanner.wrong(SyntaxErrorKind::Twice { what, name }));
        }
        if number as usize != at {
            by_number.insert(number, at as u32);
        }
        vertex(&mut scanner, number, &mut vertices, go_on)?;
    }
    finish(vertices, by_number, start, &scanner)
}

/// `parity N;` and `start N;`, if they are there: where the game begins.
fn header<R: Read>(scanner: &mut Scanner<R>) -> Result<Option<u32>, ReadError> {
    let mut start = None;
    while scanner.token()?.is_some_and(|byte| byte.is_ascii_alphabetic()) {
        match scanner.word()?.as_str() {
            "parity" => {
                scanner.number("the highest number of a vertex")?;
            }
            "start" => start = Some(scanner.number("the number of a vertex")?),
            word => {
                let (found, expected) = (format!("`{word}`"), "`parity`, `start` or a vertex");
                return Err(scanner.wrong(SyntaxErrorKind::Unexpected { found, expected }));
            }
        }
        scanner.expect(b';', "`;`")?;
    }
    Ok(start)
}

/// A vertex behind its number.
fn vertex<R: Read>(
    scanner: &mut Scanner<R>,
    number: u32,
    to: &mut Vertices,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<(), ReadError> {
    to.numbers.push(number);
    to.priorities.push(scanner.number("a priority")?);
    to.even.push(match scanner.number("the owner, 0 or 1")? {
        0 => true,
        1 => false,
        _ => return Err(scanner.wrong(SyntaxErrorKind::Other("the owner is 0 or 1".to_owned()))),
    });
    if scanner.token()?.is_some_and(|byte| byte.is_ascii_digit()) {
        loop {
            to.moves.push(scanner.number("the number of a vertex")?);
            if to.moves.len().is_multiple_of(1 << 16) && !go_on(to.numbers.len() as u64) {
                return Err(ReadError::Stopped);
            }
            if scanner.token()? != Some(b',') {
                break;
            }
            scanner.skip(b',');
        }
    }
    to.ends.push(to.moves.len());
    if scanner.token()? == Some(b'"') {
        let name = scanner.quoted()?;
        if !name.is_empty() {
            to.names.insert(to.numbers.len() as u32 - 1, name);
        }
    }
    scanner.expect(b';', "`,`, a name or `;`")
}

fn finish<R: Read>(
    vertices: Vertices,
    by_number: FxHashMap<u32, u32>,
    start: Option<u32>,
    scanner: &Scanner<R>,
) -> Result<ParityGame, ReadError> {
    let Vertices { numbers, priorities, even, ends, moves, mut names } = vertices;
    let place = |number: u32| match numbers.get(number as usize) {
        Some(&n) if n == number => Some(number),
        _ => by_number.get(&number).copied(),
    };
    if numbers.is_empty() {
        let what = "the game has no vertex".to_owned();
        return Err(scanner.wrong(SyntaxErrorKind::Other(what)));
    }
    let initial = match start {
        Some(number) => place(number).ok_or_else(|| {
            let (what, name) = ("vertex", number.to_string());
            scanner.wrong(SyntaxErrorKind::Unknown { what, name, near: None })
        })?,
        None => place(0).unwrap_or(0),
    };
    // The highest priority is the most significant block.
    let mut distinct = priorities.clone();
    distinct.sort_unstable_by(|a, b| b.cmp(a));
    distinct.dedup();
    let mut builder = BesBuilder::new();
    builder.reserve(numbers.len(), moves.len());
    for &p in &distinct {
        builder.block(if p % 2 == 0 { Sign::Nu } else { Sign::Mu });
    }
    let mut from = 0;
    let mut row = Vec::new();
    for (v, &end) in ends.iter().enumerate() {
        row.clear();
        for &number in &moves[from..end] {
            row.push(
                place(number).ok_or_else(|| ReadError::NoVertex { of: numbers[v], to: number })?,
            );
        }
        from = end;
        let block = distinct.partition_point(|&p| p > priorities[v]) as u32;
        let op = if even[v] { Op::Or } else { Op::And };
        builder.equation(block, op, row.iter().copied());
        match names.remove(&(v as u32)) {
            Some(name) => builder.name(name),
            None if numbers[v] != v as u32 => builder.name(numbers[v].to_string()),
            None => {}
        }
    }
    let bes = builder.build(initial).map_err(ReadError::TooLarge)?;
    Ok(ParityGame { bes, numbers, by_number })
}

/// A system as a game: the initial variable is vertex 0, and the one that was it has its place. A
/// constant is a vertex that moves to itself.
pub fn write(bes: &Bes) -> String {
    let n = bes.len() as u32;
    let main = bes.initial_variable();
    let swapped = |v: u32| match v {
        v if v == main => 0,
        0 => main,
        v => v,
    };
    let signs: Vec<Sign> = bes.blocks().collect();
    // Constants have priorities of their own.
    let moving: Vec<u32> = (0..n).filter(|&v| !bes.operands(v).is_empty()).collect();
    let places: Vec<(u32, Sign)> =
        moving.iter().map(|&v| (bes.block_of(v), signs[bes.block_of(v) as usize])).collect();
    let mut ranks = vec![0; n as usize];
    for (&v, rank) in moving.iter().zip(priorities(&places)) {
        ranks[v as usize] = rank;
    }
    let most = ranks.iter().max().map_or(0, |&p| p + p % 2);
    let mut out = format!("parity {};\n", n - 1);
    for at in 0..n {
        let v = swapped(at);
        let owner = u32::from(bes.op_of(v) == Op::And);
        let operands = bes.operands(v);
        let priority = match operands.is_empty() {
            true => u32::from(!bes.op_of(v).neutral()),
            false => most - ranks[v as usize],
        };
        _ = write!(out, "{at} {priority} {owner} ");
        if operands.is_empty() {
            _ = write!(out, "{at}");
        }
        for (i, &y) in operands.iter().enumerate() {
            _ = write!(out, "{}{}", if i > 0 { "," } else { "" }, swapped(y));
        }
        if let Some(name) = bes.given_name(v) {
            _ = write!(out, " \"{}\"", name.replace(['"', '\n', '\r'], " "));
        }
        out.push_str(";\n");
    }
    out
}
