//! Compressed files: gzip (RFC 1952) with its one method, deflate (RFC 1951).
//!
//! Large systems come as `.gz`. The text is unpacked as it is read: no more than the last 32 KiB of
//! it are kept. Lengths and checksums are compared at the end of each member.

use std::io::{self, BufRead, Read};

/// Whether a text begins as a gzip file does.
pub fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b, 8])
}

/// Text as it is, unpacked if it is compressed.
///
/// ```
/// use std::io::Read;
///
/// let mut text = String::new();
/// bes::gunzip::open(&b"as it is"[..]).unwrap().read_to_string(&mut text).unwrap();
/// assert_eq!(text, "as it is");
/// ```
pub fn open<'a>(mut input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    if !is_gzip(input.fill_buf()?) {
        return Ok(Box::new(input));
    }
    Ok(Box::new(io::BufReader::with_capacity(1 << 16, Gunzip::new(input))))
}

const WINDOW: usize = 1 << 15;

/// What the unpacker is about to read.
enum Stage {
    Header,
    /// The header of a block.
    Block,
    /// So many bytes as they are.
    Stored(usize),
    Coded,
    Trailer,
    End,
}

/// A code: how many words have each length, and the symbols in order.
#[derive(Default)]
struct Code {
    count: [u16; 16],
    symbols: Vec<u16>,
}

/// Unpacks a stream.
pub struct Gunzip<R> {
    input: R,
    bits: u32,
    have: u32,
    stage: Stage,
    last: bool,
    lengths: Code,
    distances: Code,
    window: Vec<u8>,
    /// Where the next byte goes in the window.
    at: usize,
    /// Unpacked, and not yet handed out.
    out: Vec<u8>,
    sent: usize,
    crc: u32,
    size: u32,
    table: [u32; 256],
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a gzip file: {what}"))
}

impl Code {
    /// From the length of each symbol's word; 0 is none.
    fn new(lengths: &[u8]) -> io::Result<Code> {
        let mut code = Code { count: [0; 16], symbols: vec![0; lengths.len()] };
        for &length in lengths {
            code.count[usize::from(length)] += 1;
        }
        let mut left = 1i32;
        for length in 1..16 {
            left = 2 * left - i32::from(code.count[length]);
            if left < 0 {
                return Err(wrong("a code with too many words"));
            }
        }
        let mut offsets = [0u16; 16];
        for length in 1..15 {
            offsets[length + 1] = offsets[length] + code.count[length];
        }
        for (symbol, &length) in lengths.iter().enumerate() {
            if length != 0 {
                let place = &mut offsets[usize::from(length)];
                code.symbols[usize::from(*place)] = symbol as u16;
                *place += 1;
            }
        }
        code.count[0] = 0;
        Ok(code)
    }
}

const LENGTH_BASE: [u16; 29] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
];
const LENGTH_EXTRA: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE: [u16; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
    2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_EXTRA: [u8; 30] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
];
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

impl<R: BufRead> Gunzip<R> {
    /// Reads from the beginning of a gzip file.
    pub fn new(input: R) -> Gunzip<R> {
        let mut table = [0u32; 256];
        for (i, entry) in table.iter_mut().enumerate() {
            let mut c = i as u32;
            for _ in 0..8 {
                c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            }
            *entry = c;
        }
        Gunzip {
            input,
            bits: 0,
            have: 0,
            stage: Stage::Header,
            last: false,
            lengths: Code::default(),
            distances: Code::default(),
            window: vec![0; WINDOW],
            at: 0,
            out: Vec::with_capacity(1 << 16),
            sent: 0,
            crc: 0,
            size: 0,
            table,
        }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let buffer = self.input.fill_buf()?;
        let Some(&byte) = buffer.first() else { return Err(wrong("it ends too early")) };
        self.input.consume(1);
        Ok(byte)
    }

    fn bits(&mut self, count: u32) -> io::Result<u32> {
        while self.have < count {
            let byte = self.byte()?;
            self.bits |= u32::from(byte) << self.have;
            self.have += 8;
        }
        let value = self.bits & ((1 << count) - 1);
        self.bits >>= count;
        self.have -= count;
        Ok(value)
    }

    /// The next symbol of the code of lengths, or of distances.
    fn symbol(&mut self, distances: bool) -> io::Result<usize> {
        let (mut word, mut first, mut index) = (0i32, 0i32, 0i32);
        for length in 1..16 {
            word |= self.bits(1)? as i32;
            let code = if distances { &self.distances } else { &self.lengths };
            let count = i32::from(code.count[length]);
            if word - count < first {
                return Ok(usize::from(code.symbols[(index + word - first) as usize]));
            }
            index += count;
            first = (first + count) << 1;
            word <<= 1;
        }
        Err(wrong("a word that no code has"))
    }

    fn emit(&mut self, byte: u8) {
        self.window[self.at] = byte;
        self.at = (self.at + 1) % WINDOW;
        self.out.push(byte);
        self.crc = self.table[((self.crc ^ u32::from(byte)) & 0xff) as usize] ^ (self.crc >> 8);
        self.size = self.size.wrapping_add(1);
    }

    fn header(&mut self) -> io::Result<()> {
        let mut start = [0u8; 10];
        for byte in &mut start {
            *byte = self.byte()?;
        }
        if !is_gzip(&start) {
            return Err(wrong("its first bytes are others"));
        }
        let flags = start[3];
        if flags & 4 != 0 {
            let length = usize::from(self.byte()?) | usize::from(self.byte()?) << 8;
            for _ in 0..length {
                self.byte()?;
            }
        }
        // A name and a comment end with a zero.
        for flag in [8, 16] {
            while flags & flag != 0 && self.byte()? != 0 {}
        }
        if flags & 2 != 0 {
            self.byte()?;
            self.byte()?;
        }
        (self.crc, self.size) = (u32::MAX, 0);
        Ok(())
    }

    fn block(&mut self) -> io::Result<Stage> {
        self.last = self.bits(1)? == 1;
        match self.bits(2)? {
            0 => {
                (self.bits, self.have) = (0, 0);
                let length = u16::from(self.byte()?) | u16::from(self.byte()?) << 8;
                let check = u16::from(self.byte()?) | u16::from(self.byte()?) << 8;
                if length != !check {
                    return Err(wrong("a length and its complement differ"));
                }
                Ok(Stage::Stored(usize::from(length)))
            }
            1 => {
                let mut lengths = [8u8; 288];
                lengths[144..256].fill(9);
                lengths[256..280].fill(7);
                self.lengths = Code::new(&lengths)?;
                self.distances = Code::new(&[5u8; 30])?;
                Ok(Stage::Coded)
            }
            2 => {
                self.codes()?;
                Ok(Stage::Coded)
            }
            _ => Err(wrong("a block of an unknown kind")),
        }
    }

    /// The codes of a block that has its own.
    fn codes(&mut self) -> io::Result<()> {
        let lengths = self.bits(5)? as usize + 257;
        let distances = self.bits(5)? as usize + 1;
        let words = self.bits(4)? as usize + 4;
        if lengths > 286 || distances > 30 {
            return Err(wrong("too many lengths or distances"));
        }
        let mut first = [0u8; 19];
        for &place in &ORDER[..words] {
            first[place] = self.bits(3)? as u8;
        }
        self.lengths = Code::new(&first)?;
        let mut all = [0u8; 316];
        let mut at = 0;
        while at < lengths + distances {
            let symbol = self.symbol(false)?;
            let (length, times) = match symbol {
                0..=15 => (symbol as u8, 1),
                16 if at == 0 => return Err(wrong("nothing to repeat")),
                16 => (all[at - 1], 3 + self.bits(2)? as usize),
                17 => (0, 3 + self.bits(3)? as usize),
                _ => (0, 11 + self.bits(7)? as usize),
            };
            if at + times > lengths + distances {
                return Err(wrong("too many lengths"));
            }
            all[at..at + times].fill(length);
            at += times;
        }
        if all[256] == 0 {
            return Err(wrong("a block that cannot end"));
        }
        self.lengths = Code::new(&all[..lengths])?;
        self.distances = Code::new(&all[lengths..lengths + distances])?;
        Ok(())
    }

    fn coded(&mut self) -> io::Result<Stage> {
        while self.out.len() < 1 << 15 {
            let symbol = self.symbol(false)?;
            match symbol {
                0..=255 => self.emit(symbol as u8),
                256 => return Ok(if self.last { Stage::Trailer } else { Stage::Block }),
                257..=285 => {
                    let kind = symbol - 257;
                    let extra = self.bits(u32::from(LENGTH_EXTRA[kind]))? as usize;
                    let length = usize::from(LENGTH_BASE[kind]) + extra;
                    let kind = self.symbol(true)?;
                    if kind >= 30 {
                        return Err(wrong("an unknown distance"));
                    }
                    let extra = self.bits(u32::from(DISTANCE_EXTRA[kind]))? as usize;
                    let distance = usize::from(DISTANCE_BASE[kind]) + extra;
                    if distance > self.size as usize && self.size < WINDOW as u32 {
                        return Err(wrong("a distance beyond the beginning"));
                    }
                    for _ in 0..length {
                        let byte = self.window[(self.at + WINDOW - distance) % WINDOW];
                        self.emit(byte);
                    }
                }
                _ => return Err(wrong("an unknown length")),
            }
        }
        Ok(Stage::Coded)
    }

    fn trailer(&mut self) -> io::Result<Stage> {
        (self.bits, self.have) = (0, 0);
        let mut words = [0u32; 2];
        for word in &mut words {
            for i in 0..4 {
                *word |= u32::from(self.byte()?) << (8 * i);
            }
        }
        if words != [!self.crc, self.size] {
            return Err(wrong("its checksum differs"));
        }
        // Further members may follow.
        Ok(if self.input.fill_buf()?.is_empty() { Stage::End } else { Stage::Header })
    }

    /// Unpacks some more.
    fn more(&mut self) -> io::Result<()> {
        self.stage = match self.stage {
            Stage::Header => {
                self.header()?;
                Stage::Block
            }
            Stage::Block => self.block()?,
            Stage::Stored(0) if self.last => Stage::Trailer,
            Stage::Stored(0) => Stage::Block,
            Stage::Stored(left) => {
                let now = left.min(1 << 12);
                for _ in 0..now {
                    let byte = self.byte()?;
                    self.emit(byte);
                }
                Stage::Stored(left - now)
            }
            Stage::Coded => self.coded()?,
            Stage::Trailer => self.trailer()?,
            Stage::End => Stage::End,
        };
        Ok(())
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.sent == self.out.len() {
            self.out.clear();
            self.sent = 0;
            if matches!(self.stage, Stage::End) {
                return Ok(0);
            }
            self.more()?;
        }
        let count = into.len().min(self.out.len() - self.sent);
        into[..count].copy_from_slice(&self.out[self.sent..self.sent + count]);
        self.sent += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packed by gzip itself: `printf 'aaaaaaaaaabc' | gzip -9n`.
    const PACKED: &[u8] = &[
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x4b, 0x4c, 0x84, 0x81, 0xa4, 0x64, 0, 0x99, 0x38,
        0xc0, 0x33, 12, 0, 0, 0,
    ];

    #[test]
    fn unpacks_what_gzip_packed() {
        let mut text = String::new();
        // The checksum is compared on the way: a wrong constant here would be an error.
        match open(PACKED).unwrap().read_to_string(&mut text) {
            Ok(_) => assert_eq!(text, "aaaaaaaaaabc"),
            Err(e) => panic!("{e}: {text}"),
        }
    }

    #[test]
    fn stored_blocks_members_and_damage() {
        // Two members, each one stored block.
        let member = |text: &[u8], crc: u32| {
            let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1];
            let length = text.len() as u16;
            out.extend(length.to_le_bytes());
            out.extend((!length).to_le_bytes());
            out.extend(text);
            out.extend(crc.to_le_bytes());
            out.extend((text.len() as u32).to_le_bytes());
            out
        };
        // The standard check value of CRC-32.
        let mut packed = member(b"123456789", 0xcbf4_3926);
        packed.extend(member(b"123456789", 0xcbf4_3926));
        let mut text = String::new();
        open(&packed[..]).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "123456789123456789");
        for at in 0..packed.len() {
            // The time, the flags for the system and so on say nothing of the text.
            if matches!(at % 32, 1..=9) && at % 32 != 3 {
                continue;
            }
            let mut broken = packed.clone();
            broken[at] ^= 0x55;
            let mut other = Vec::new();
            let read = open(&broken[..]).and_then(|mut r| r.read_to_end(&mut other));
            assert!(read.is_err() || other != b"123456789123456789", "{at}");
            let mut cut = Vec::new();
            let read = open(&packed[..at]).and_then(|mut r| r.read_to_end(&mut cut));
            assert!(read.is_err() || cut != b"123456789123456789", "{at}");
        }
    }
}
