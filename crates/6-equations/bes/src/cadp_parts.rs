//! `.bes` files in parts, which are read side by side, by threads or by processes.
//!
//! A first pass finds the blocks and cuts the text before equations; it counts `=` and looks for `block`, no
//! more. It is for the plain form, which tools write: no comments, and the equations of each block are those
//! of `X<0>`, `X<1>` and so on, written without brackets. Then the variable that a name means is known without what was read before, and
//! a part can be read alone. Whatever else a text may be, [`crate::cadp::read`] reads it.

use std::hash::Hasher;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use rustc_hash::{FxHashMap, FxHasher};

use crate::explicit::Numbered;
use crate::rows::Rows;
use crate::{Bes, BesBuilder, Op, Sign};

/// Bytes of a part, but for what an equation needs beyond them.
const SIZE: usize = 1 << 22;

/// A block of equations.
#[derive(Clone, Copy, Debug)]
struct Header {
    number: u32,
    sign: Sign,
    /// Its first variable.
    first: u32,
}

/// A part of the text.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u64,
    length: usize,
    /// The blocks before it, the one that goes on in it included.
    blocks: usize,
    /// The first variable in it.
    first: u32,
}

/// Where the blocks of a system are, and where its text can be cut.
#[derive(Clone, Debug)]
pub struct Parts {
    blocks: Vec<Header>,
    parts: Vec<Part>,
    variables: u32,
    numbers: FxHashMap<u32, usize>,
    checksum: u64,
}

/// A text that can be read from anywhere, by several at once.
pub trait Text: Sync {
    /// All of it, from the start.
    fn whole(&self) -> std::io::Result<Box<dyn Read + '_>>;
    /// So many bytes from there.
    fn part(&self, start: u64, length: usize) -> std::io::Result<Vec<u8>>;
}

impl Text for &[u8] {
    fn whole(&self) -> std::io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(*self))
    }

    fn part(&self, start: u64, length: usize) -> std::io::Result<Vec<u8>> {
        let end = start as usize + length;
        let bytes = self.get(start as usize..end).ok_or(std::io::ErrorKind::UnexpectedEof)?;
        Ok(bytes.to_vec())
    }
}

impl Text for Vec<u8> {
    fn whole(&self) -> std::io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(&self[..]))
    }

    fn part(&self, start: u64, length: usize) -> std::io::Result<Vec<u8>> {
        (&self[..]).part(start, length)
    }
}

/// Is told each equation: a variable, its block, and the right-hand side.
pub type Each<'a> = dyn FnMut(u32, u32, Op, &[u32]) + 'a;

/// Why a text cannot be read in parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotInParts {
    /// It is not of the plain form, or wrong, or cannot be read: who reads it as a whole finds out.
    OtherForm,
    /// The watch said stop.
    Stopped,
}

/// Where the last equation in the bytes begins, if one does.
fn cut(bytes: &[u8]) -> Option<usize> {
    let equals = bytes.iter().rposition(|&b| b == b'=')?;
    let word = bytes[..equals].trim_ascii_end();
    Some(word.iter().rposition(|b| !b.is_ascii_alphanumeric()).map_or(0, |before| before + 1))
}

/// A number without signs or more digits than it can have, at the start.
fn number(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut value = 0u64;
    let mut digits = 0;
    while let Some(digit) = bytes.get(digits).filter(|byte| byte.is_ascii_digit()) {
        value = value * 10 + u64::from(digit - b'0');
        digits += 1;
        if digits > 10 {
            return None;
        }
    }
    (digits > 0).then_some((u32::try_from(value).ok()?, digits))
}

/// Words and marks of a part.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    fn blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// The next word, if one is next.
    fn word(&mut self) -> &'a [u8] {
        self.blanks();
        let rest = &self.bytes[self.at..];
        let fits = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let length = rest.iter().position(|b| !fits(b)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Whether a mark is next, which is passed.
    fn mark(&mut self, mark: u8) -> bool {
        self.blanks();
        let is = self.bytes.get(self.at) == Some(&mark);
        self.at += usize::from(is);
        is
    }

    /// After `block`: what stands before the equations.
    fn header(&mut self) -> Option<(Sign, u32)> {
        let sign = match self.word() {
            b"mu" => Sign::Mu,
            b"nu" => Sign::Nu,
            _ => return None,
        };
        let [b'B', digits @ ..] = self.word() else { return None };
        let block = number(digits).filter(|&(_, length)| length == digits.len())?.0;
        let mut word = self.word();
        if word == b"unique" {
            word = self.word();
        }
        if word == b"mode" {
            number(self.word())?;
            word = self.word();
        }
        (word == b"is").then_some((sign, block))
    }
}

impl Parts {
    /// Finds the blocks of a text; `go_on` is asked now and then with the bytes read so far.
    pub fn of(text: &dyn Text, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Parts, NotInParts> {
        Self::of_size(text, SIZE, go_on)
    }

    /// The same, with parts of another size: of so many bytes, but for what an equation needs beyond them.
    pub fn of_size(
        text: &dyn Text,
        size: usize,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Parts, NotInParts> {
        let other = |_| NotInParts::OtherForm;
        let mut input = text.whole().map_err(other)?;
        let mut parts = Parts {
            blocks: Vec::new(),
            parts: Vec::new(),
            variables: 0,
            numbers: FxHashMap::default(),
            checksum: 0,
        };
        let (mut bytes, mut start) = (Vec::new(), 0);
        loop {
            if !go_on(start) {
                return Err(NotInParts::Stopped);
            }
            let before = bytes.len();
            input.by_ref().take(size as u64).read_to_end(&mut bytes).map_err(other)?;
            let last = bytes.len() == before;
            let length = if last { before } else { cut(&bytes).unwrap_or(0) };
            if length == 0 && !last {
                // A text without equations for so long is of no form that is known.
                if bytes.len() > 2 * size {
                    return Err(NotInParts::OtherForm);
                }
                continue;
            }
            parts.add(&bytes[..length], start).ok_or(NotInParts::OtherForm)?;
            start += length as u64;
            bytes.drain(..length);
            if last {
                break;
            }
        }
        // The first variable of the first block is asked for.
        let some = |block: &Header| block.first == 0;
        match parts.variables > 0 && parts.blocks.get(1).is_none_or(|block| !some(block)) {
            true => Ok(parts),
            false => Err(NotInParts::OtherForm),
        }
    }

    /// The next part of the text.
    fn add(&mut self, bytes: &[u8], start: u64) -> Option<()> {
        self.parts.push(Part {
            start,
            length: bytes.len(),
            blocks: self.blocks.len(),
            first: self.variables,
        });
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.checksum);
        hasher.write(bytes);
        self.checksum = hasher.finish();
        let mut variables = u64::from(self.variables);
        let mut from = 0;
        // Of the words of the format only `block`, and in lower case, has a `b`.
        let equations = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'=').count() as u64;
        if bytes.contains(&b'(') {
            return None;
        }
        while let Some(found) = bytes[from..].iter().position(|&b| b == b'b') {
            let at = from + found;
            variables += equations(&bytes[from..at]);
            let mut words = Words { bytes, at };
            if words.word() != b"block" {
                return None;
            }
            from = words.at;
            if bytes[..at].trim_ascii_end().ends_with(b"end") {
                continue;
            }
            let (sign, number) = words.header()?;
            from = words.at;
            let first = u32::try_from(variables).ok()?;
            if self.numbers.insert(number, self.blocks.len()).is_some() {
                return None;
            }
            self.blocks.push(Header { number, sign, first });
        }
        variables += equations(&bytes[from..]);
        self.variables = u32::try_from(variables).ok().filter(|&n| n < u32::MAX - 300)?;
        Some(())
    }

    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// A number that tells texts apart.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// How many variables there are.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The signs of the blocks, most significant first.
    pub fn signs(&self) -> impl Iterator<Item = Sign> + '_ {
        self.blocks.iter().map(|block| block.sign)
    }

    /// The block of a variable.
    pub fn block_of(&self, v: u32) -> u32 {
        self.blocks.partition_point(|block| block.first <= v).saturating_sub(1) as u32
    }

    /// The components of blocks, by pairs of a block and one that it depends on; groups depend on lower ones.
    pub fn groups(&self, between: &[(u32, u32)]) -> Vec<u32> {
        let mut edges = between.to_vec();
        edges.sort_unstable();
        edges.dedup();
        crate::scc::components(&Rows::from_edges(self.blocks.len(), &edges))
    }

    /// The first variable of a part, or of what would come after the last one.
    pub fn first_of(&self, part: usize) -> u32 {
        self.parts.get(part).map_or(self.variables, |part| part.first)
    }

    /// Reads a part: for each of its equations the variable, its block, and the right-hand side.
    pub fn read(
        &self,
        text: &dyn Text,
        part: usize,
        each: &mut Each<'_>,
    ) -> Result<(), NotInParts> {
        let Part { start, length, .. } = self.parts[part];
        let bytes = text.part(start, length).map_err(|_| NotInParts::OtherForm)?;
        self.equations(&bytes, part, each).ok_or(NotInParts::OtherForm)
    }

    fn equations(&self, bytes: &[u8], part: usize, each: &mut Each<'_>) -> Option<()> {
        let Part { mut blocks, mut first, .. } = self.parts[part];
        let mut words = Words { bytes, at: 0 };
        // Whether a block is open: it is, where a part begins with an equation.
        let mut open = part > 0;
        let mut operands: Vec<u32> = Vec::new();
        let after = |block: usize| self.blocks.get(block + 1).map_or(self.variables, |b| b.first);
        let mut word = words.word();
        while !word.is_empty() {
            match word {
                b"block" if !open => {
                    words.header()?;
                    (open, blocks) = (true, blocks + 1);
                    // Equations of the block before are all there.
                    if self.blocks[blocks - 1].first != first {
                        return None;
                    }
                    word = words.word();
                }
                b"end" if open => {
                    if words.word() != b"block" {
                        return None;
                    }
                    open = false;
                    word = words.word();
                }
                [b'X', digits @ ..] if open => {
                    let block = blocks - 1;
                    let (found, length) = number(digits)?;
                    let expected = first - self.blocks[block].first;
                    if length != digits.len() || found != expected || !words.mark(b'=') {
                        return None;
                    }
                    operands.clear();
                    let (mut op, mut yes, mut no) = (None, false, false);
                    word = loop {
                        match words.word() {
                            b"true" => yes = true,
                            b"false" => no = true,
                            [b'X', digits @ ..] => {
                                let (found, length) = number(digits)?;
                                let of = match digits[length..] {
                                    [] => block,
                                    [b'_', ref digits @ ..] => {
                                        let (there, length) = number(digits)?;
                                        if length != digits.len() {
                                            return None;
                                        }
                                        *self.numbers.get(&there)?
                                    }
                                    _ => return None,
                                };
                                let y = self.blocks[of].first.checked_add(found)?;
                                if y >= after(of) {
                                    return None;
                                }
                                operands.push(y);
                            }
                            _ => return None,
                        }
                        let next = words.word();
                        let here = match next {
                            b"or" => Op::Or,
                            b"and" => Op::And,
                            _ => break next,
                        };
                        if *op.get_or_insert(here) != here {
                            return None;
                        }
                    };
                    if word.is_empty() && words.mark(b';') {
                        word = words.word();
                    }
                    let op = op.unwrap_or(Op::Or);
                    match if op == Op::Or { yes } else { no } {
                        true => each(first, block as u32, op.dual(), &[]),
                        false => each(first, block as u32, op, &operands),
                    }
                    first += 1;
                }
                _ => return None,
            }
        }
        let ends = part + 1 == self.parts.len();
        // What is no word ends the text too early.
        let all = words.at == bytes.len() && first == self.first_of(part + 1);
        (all && (!ends || !open)).then_some(())
    }
}

/// What one part says.
#[derive(Default)]
struct Piece {
    blocks: Vec<u32>,
    ops: Vec<Op>,
    lengths: Vec<u32>,
    operands: Vec<u32>,
}

/// Reads a system by several threads; `go_on` is asked often, by any of them.
pub fn read_parts(
    text: &dyn Text,
    threads: usize,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Bes, NotInParts> {
    let parts = Parts::of(text, &mut |_| go_on())?;
    let mut builder = BesBuilder::new();
    let mut numbered = Numbered::default();
    for block in &parts.blocks {
        builder.block(block.sign);
        numbered.block(block.number, block.first);
    }
    builder.number(numbered);
    builder.reserve(parts.variables as usize, 0);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (send, receive) = mpsc::sync_channel::<(usize, Result<Piece, NotInParts>)>(2 * threads);
    let read = |part: usize| -> Result<Piece, NotInParts> {
        if !go_on() {
            return Err(NotInParts::Stopped);
        }
        let mut piece = Piece::default();
        parts.read(text, part, &mut |_, block, op, operands| {
            piece.blocks.push(block);
            piece.ops.push(op);
            piece.lengths.push(operands.len() as u32);
            piece.operands.extend_from_slice(operands);
        })?;
        Ok(piece)
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, parts.count()) {
            let (send, next, failed, read, parts) = (send.clone(), &next, &failed, &read, &parts);
            scope.spawn(move || {
                while !failed.load(Ordering::Relaxed) {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part >= parts.count() || send.send((part, read(part))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut early: FxHashMap<usize, Piece> = FxHashMap::default();
        let mut wanted = 0;
        for (part, piece) in &receive {
            match piece {
                Ok(piece) => _ = early.insert(part, piece),
                Err(why) => {
                    failed.store(true, Ordering::Relaxed);
                    // Who waits to hand over is let go.
                    receive.iter().for_each(drop);
                    return Err(why);
                }
            }
            while let Some(piece) = early.remove(&wanted) {
                wanted += 1;
                let mut at = 0;
                let equations = piece.blocks.iter().zip(&piece.ops).zip(&piece.lengths);
                for ((&block, &op), &length) in equations {
                    let end = at + length as usize;
                    builder.equation(block, op, piece.operands[at..end].iter().copied());
                    at = end;
                }
            }
        }
        Ok(())
    })?;
    builder.build(0).map_err(|_| NotInParts::OtherForm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cadp;

    /// A variable, its block, and its right-hand side.
    type Equation = (u32, u32, Op, Vec<u32>);

    fn in_parts(text: &str, size: usize) -> Result<Vec<Equation>, NotInParts> {
        let parts = Parts::of_size(&text.as_bytes(), size, &mut |_| true)?;
        let mut all = Vec::new();
        for part in 0..parts.count() {
            parts.read(&text.as_bytes(), part, &mut |v, block, op, operands| {
                assert_eq!(parts.block_of(v), block);
                all.push((v, block, op, operands.to_vec()));
            })?;
        }
        Ok(all)
    }

    const PLAIN: &str = "block mu B0 is\n  X0 = X1 or X2_7\n  X1 = false;\nX2=X0 and true\n\
                         end block\nblock nu B7 unique mode 3 is X0 = X2 and\n X1 and X1\nX1 = true or X0\n\
                         X2 = X1_0 end block\n\nblock mu B4 is end block";

    #[test]
    fn parts_are_what_the_whole_is() {
        let whole = cadp::read(PLAIN.as_bytes(), &mut |_| true).unwrap();
        for size in 1..PLAIN.len() + 2 {
            // Smaller than an equation is none.
            let Ok(all) = in_parts(PLAIN, size) else {
                assert!(size < 60, "{size}");
                continue;
            };
            assert_eq!(all.len(), whole.len());
            for (v, block, op, operands) in all {
                assert_eq!((whole.block_of(v), whole.op_of(v)), (block, op), "{v}, {size}");
                assert_eq!(whole.operands(v), operands, "{v}, {size}");
            }
        }
        let read = read_parts(&PLAIN.as_bytes(), 2, &|| true).unwrap();
        assert_eq!(read.to_mcrl2(), whole.to_mcrl2());
        assert_eq!(read.name_of(4), whole.name_of(4));
        assert_eq!(read_parts(&PLAIN.as_bytes(), 2, &|| false).err(), Some(NotInParts::Stopped));
    }

    #[test]
    fn other_forms_are_left_to_others() {
        for text in [
            "",
            "block mu B0 is X0 = X0",
            "block mu B0 is X1 = X1 end block",
            "block mu B0 is X0 = X1 X1 = true X0 = true end block",
            "block mu B0 is (* so *) X0 = true end block",
            "block mu B0 is X0 = X1 end block",
            "block mu B0 is X0 = X0_1 end block",
            "block mu B0 is X0 = X0 or X0 and X0 end block",
            "block mu B0 is X0 = true end block block nu B0 is X0 = true end block",
            "block mu B0 is end block block nu B1 is X0 = true end block",
            "block mu B0 is X0 = true end block X1 = true",
            "block mu B0 is X0 = true end block ?",
            "block mu B0 is X0 = bool end block",
            "block mu B0 is X0 = X0_1 end block block mu B1 is X1 = true X0 = true end block",
        ] {
            assert_eq!(in_parts(text, 1000).err(), Some(NotInParts::OtherForm), "{text}");
        }
    }
}
