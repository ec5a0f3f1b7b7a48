//! `.bes` files as a stream: straight into a [`Bes`], whatever their size.
//!
//! The same format as [`crate::cadp::parse`] reads, with no tree and no text in memory: a variable
//! costs twelve bytes and an operand four, and while the file is read a variable costs eight more.

use std::io::Read;

use rustc_hash::FxHashMap;

use crate::explicit::Numbered;
use crate::lex::{SyntaxError, SyntaxErrorKind};
use crate::{Bes, BesBuilder, BesError, Op, Sign};
use source::Span;

/// Why a stream is no system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Something does not belong there. The span of the error is of no use: the text is gone.
    #[error("{line}:{column}: {error}")]
    Syntax {
        /// The line, from 1.
        line: u64,
        /// The byte in the line, from 1.
        column: u64,
        /// What is wrong.
        error: SyntaxError,
    },
    /// A variable is used and not defined.
    #[error("variable `{operand}`, which `{of}` depends on, is not declared")]
    Undefined {
        /// The variable whose equation uses it.
        of: String,
        /// The variable.
        operand: String,
    },
    /// A vertex of a game has a move to one that is not there.
    #[error("vertex {of} moves to {to}, which is no vertex")]
    NoVertex {
        /// The vertex.
        of: u32,
        /// The one that is not there.
        to: u32,
    },
    /// It is too large.
    #[error("{0}")]
    TooLarge(BesError),
    /// The watch said stop.
    #[error("stopped")]
    Stopped,
}

/// What stands next.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Token {
    /// A word or a number: the first bytes are in `Scanner::word`.
    Word,
    Equals,
    Semicolon,
    End,
}

/// No word of the format is longer: `X<10 digits>_<10 digits>`.
const LONGEST: usize = 40;

struct Scanner<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    len: usize,
    line: u64,
    /// Bytes before the buffer, and where the line begins.
    before: u64,
    line_start: u64,
    /// Where the token begins.
    place: (u64, u64),
    word: [u8; LONGEST],
    length: usize,
}

impl<R: Read> Scanner<R> {
    fn new(input: R) -> Scanner<R> {
        Scanner {
            input,
            buffer: vec![0; 1 << 17],
            at: 0,
            len: 0,
            line: 1,
            before: 0,
            line_start: 0,
            place: (1, 1),
            word: [0; LONGEST],
            length: 0,
        }
    }

    /// The next byte, which stays.
    #[inline]
    fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        if self.at == self.len {
            self.before += self.len as u64;
            self.at = 0;
            self.len = loop {
                match self.input.read(&mut self.buffer) {
                    Ok(len) => break len,
                    Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(ReadError::Io(e)),
                }
            };
            if self.len == 0 {
                return Ok(None);
            }
        }
        Ok(Some(self.buffer[self.at]))
    }

    fn column(&self) -> u64 {
        self.before + self.at as u64 - self.line_start + 1
    }

    fn error(&self, kind: SyntaxErrorKind) -> ReadError {
        let (line, column) = self.place;
        ReadError::Syntax { line, column, error: SyntaxError::new(kind, Span::new(0, 0)) }
    }

    fn unexpected(&self, token: Token, expected: &'static str) -> ReadError {
        let found = match token {
            Token::Word => format!("`{}`", String::from_utf8_lossy(self.word())),
            Token::Equals => "`=`".to_owned(),
            Token::Semicolon => "`;`".to_owned(),
            Token::End => "the end of the text".to_owned(),
        };
        self.error(SyntaxErrorKind::Unexpected { found, expected })
    }

    fn word(&self) -> &[u8] {
        &self.word[..self.length]
    }

    fn next(&mut self) -> Result<Token, ReadError> {
        loop {
            let byte = self.peek()?;
            self.place = (self.line, self.column());
            match byte {
                None => return Ok(Token::End),
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.before + self.at as u64;
                }
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'(') => {
                    self.at += 1;
                    if self.peek()? != Some(b'*') {
                        let found = "`(`".to_owned();
                        let expected = "a token";
                        return Err(self.error(SyntaxErrorKind::Unexpected { found, expected }));
                    }
                    self.at += 1;
                    self.comment()?;
                }
                Some(b'=') => {
                    self.at += 1;
                    return Ok(Token::Equals);
                }
                Some(b';') => {
                    self.at += 1;
                    return Ok(Token::Semicolon);
                }
                Some(first) if first.is_ascii_alphanumeric() || first == b'_' => {
                    self.length = 0;
                    loop {
                        let rest = &self.buffer[self.at..self.len];
                        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                        let more = rest.iter().position(|b| !fits(b)).unwrap_or(rest.len());
                        let end = self.length + more;
                        if end > LONGEST {
                            return Err(self.unexpected(Token::Word, "a shorter word"));
                        }
                        self.word[self.length..end].copy_from_slice(&rest[..more]);
                        self.length = end;
                        self.at += more;
                        // The word may go on in the next part of the text.
                        if more == 0 || self.at < self.len || self.peek()?.is_none() {
                            break;
                        }
                    }
                    return Ok(Token::Word);
                }
                Some(byte) => {
                    let found = format!("`{}`", char::from(byte).escape_debug());
                    let expected = "a token";
                    return Err(self.error(SyntaxErrorKind::Unexpected { found, expected }));
                }
            }
        }
    }

    /// After `(*`, up to and past `*)`.
    fn comment(&mut self) -> Result<(), ReadError> {
        let mut star = false;
        loop {
            let Some(byte) = self.peek()? else {
                return Err(self.error(SyntaxErrorKind::Unclosed("the comment")));
            };
            self.at += 1;
            match byte {
                b')' if star => return Ok(()),
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.before + self.at as u64;
                }
                _ => {}
            }
            star = byte == b'*';
        }
    }
}

/// A number without signs or more digits than it can have.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 10 {
        return None;
    }
    let mut value = 0u64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(digit - b'0');
    }
    u32::try_from(value).ok()
}

const NONE: u32 = u32::MAX;

/// The variables of one block: what each number was called when it was first met.
#[derive(Default)]
struct Table {
    dense: Vec<u32>,
    sparse: FxHashMap<u32, u32>,
    count: usize,
}

#[derive(Default)]
struct Names {
    /// Blocks by their numbers, in the order in which they are met.
    blocks: FxHashMap<u32, u32>,
    tables: Vec<Table>,
    /// The row of each variable that was met; [`NONE`]: not defined yet.
    rows: Vec<u32>,
}

impl Names {
    fn block(&mut self, number: u32) -> usize {
        let next = self.tables.len() as u32;
        let at = *self.blocks.entry(number).or_insert(next);
        if at == next {
            self.tables.push(Table::default());
        }
        at as usize
    }

    /// The id of a variable, by block and number.
    fn variable(&mut self, block: usize, number: u32) -> u32 {
        let Table { dense, sparse, count } = &mut self.tables[block];
        let at = number as usize;
        if let Some(&id) = dense.get(at)
            && id != NONE
        {
            return id;
        }
        // It may have been met before the dense part has grown up to it.
        if !sparse.is_empty()
            && let Some(&id) = sparse.get(&number)
        {
            return id;
        }
        let id = self.rows.len() as u32;
        self.rows.push(NONE);
        *count += 1;
        // The table grows with what is in it, not with the numbers that somebody chose.
        if at < 4 * *count + 64 {
            if at >= dense.len() {
                dense.resize(at + 1, NONE);
            }
            dense[at] = id;
        } else {
            sparse.insert(number, id);
        }
        id
    }
}

/// Reads a system from a stream; `go_on` is asked now and then with the bytes read so far.
///
/// ```
/// let text = "block mu B0 is\n  X0 = X1 or X0_1\n  X1 = false\nend block\n\
///             block nu B1 is X0 = X0 and true end block";
/// let system = bes::cadp::read(text.as_bytes(), &mut |_| true).unwrap();
/// assert_eq!(system.solve_globally(&mut |_| true), Some(vec![true, false, true]));
/// ```
pub fn read(input: impl Read, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Bes, ReadError> {
    let mut scanner = Scanner::new(input);
    let mut names = Names::default();
    let mut builder = BesBuilder::new();
    let mut numbered = Numbered::default();
    let mut defined: FxHashMap<u32, ()> = FxHashMap::default();
    let mut operands: Vec<u32> = Vec::new();
    let mut token = scanner.next()?;
    let word = |scanner: &Scanner<_>, token: Token, word: &[u8]| {
        token == Token::Word && scanner.word() == word
    };
    while token != Token::End {
        if !word(&scanner, token, b"block") {
            return Err(scanner.unexpected(token, "`block`"));
        }
        token = scanner.next()?;
        let sign = match scanner.word() {
            b"mu" if token == Token::Word => Sign::Mu,
            b"nu" if token == Token::Word => Sign::Nu,
            _ => return Err(scanner.unexpected(token, "`mu` or `nu`")),
        };
        token = scanner.next()?;
        let block_number = match scanner.word() {
            [b'B', digits @ ..] if token == Token::Word => number(digits),
            _ => None,
        };
        let Some(block_number) = block_number else {
            return Err(scanner.unexpected(token, "a block `B<number>`"));
        };
        if defined.insert(block_number, ()).is_some() {
            let name = format!("B{block_number}");
            return Err(scanner.error(SyntaxErrorKind::Twice { what: "block", name }));
        }
        let block = builder.block(sign);
        let table = names.block(block_number);
        numbered.block(block_number, builder.len());
        token = scanner.next()?;
        if word(&scanner, token, b"unique") {
            token = scanner.next()?;
        }
        if word(&scanner, token, b"mode") {
            token = scanner.next()?;
            if token != Token::Word || number(scanner.word()).is_none() {
                return Err(scanner.unexpected(token, "a number"));
            }
            token = scanner.next()?;
        }
        if !word(&scanner, token, b"is") {
            return Err(scanner.unexpected(token, "`is`"));
        }
        token = scanner.next()?;
        while !word(&scanner, token, b"end") {
            let variable = match scanner.word() {
                [b'X', digits @ ..] if token == Token::Word => number(digits),
                _ => None,
            };
            let Some(variable) = variable else {
                return Err(scanner.unexpected(token, "a variable `X<number>` or `end`"));
            };
            let id = names.variable(table, variable);
            let row = &mut names.rows[id as usize];
            if *row != NONE {
                let name = format!("X{variable}");
                return Err(scanner.error(SyntaxErrorKind::Twice { what: "variable", name }));
            }
            *row = builder.len();
            numbered.variable(variable, builder.len());
            token = scanner.next()?;
            if token != Token::Equals {
                return Err(scanner.unexpected(token, "`=`"));
            }
            operands.clear();
            let mut op = None;
            // Whether `true` and `false` are among the operands.
            let (mut yes, mut no) = (false, false);
            loop {
                token = scanner.next()?;
                let what = "`true`, `false` or a variable `X<number>`";
                match scanner.word() {
                    _ if token != Token::Word => return Err(scanner.unexpected(token, what)),
                    b"true" => yes = true,
                    b"false" => no = true,
                    [b'X', rest @ ..] => {
                        let mut halves = rest.splitn(2, |&b| b == b'_');
                        let variable = halves.next().and_then(number);
                        let there = halves.next().map(number);
                        let (Some(variable), None | Some(Some(_))) = (variable, there) else {
                            return Err(scanner.unexpected(token, what));
                        };
                        let table = match there.flatten() {
                            Some(block) => names.block(block),
                            None => table,
                        };
                        operands.push(names.variable(table, variable));
                    }
                    _ => return Err(scanner.unexpected(token, what)),
                }
                token = scanner.next()?;
                let here = match scanner.word() {
                    b"or" if token == Token::Word => Op::Or,
                    b"and" if token == Token::Word => Op::And,
                    _ => break,
                };
                if *op.get_or_insert(here) != here {
                    let what = "`or` and `and` in one equation".to_owned();
                    return Err(scanner.error(SyntaxErrorKind::Unsupported(what)));
                }
            }
            if token == Token::Semicolon {
                token = scanner.next()?;
            }
            let op = op.unwrap_or(Op::Or);
            let decided = if op == Op::Or { yes } else { no };
            let count = builder.len();
            match decided {
                true => builder.equation(block, op.dual(), []),
                false => builder.equation(block, op, operands.iter().copied()),
            };
            if count.is_multiple_of(1 << 16) && !go_on(scanner.before) {
                return Err(ReadError::Stopped);
            }
        }
        token = scanner.next()?;
        if !word(&scanner, token, b"block") {
            return Err(scanner.unexpected(token, "`block`"));
        }
        token = scanner.next()?;
    }
    if numbered.first_block_is_empty(builder.len()) {
        let what = "the first block has no equation to ask for".to_owned();
        return Err(scanner.error(SyntaxErrorKind::Other(what)));
    }
    let Names { blocks, tables, rows } = names;
    builder.renumber(&rows).map_err(|(of, operand)| {
        // Which one it was: only now somebody asks.
        let name = blocks.iter().find_map(|(number, &table)| {
            let Table { dense, sparse, .. } = &tables[table as usize];
            let in_dense = dense.iter().position(|&id| id == operand).map(|at| at as u32);
            let in_sparse = sparse.iter().find(|(_, id)| **id == operand).map(|(&at, _)| at);
            in_dense.or(in_sparse).map(|variable| format!("X{variable}_{number}"))
        });
        ReadError::Undefined { of: numbered.name(of), operand: name.unwrap_or_default() }
    })?;
    builder.number(numbered);
    builder.build(0).map_err(ReadError::TooLarge)
}
