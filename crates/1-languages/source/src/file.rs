//! A source file and the way from byte offsets to lines and columns.

use crate::Span;

/// Why a file's bytes are no source text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The bytes are not UTF-8.
    #[error("{name}:{line}: not UTF-8: byte 0x{byte:02x} at offset {offset}")]
    NotUtf8 {
        /// The file's name.
        name: String,
        /// The first byte that belongs to no character.
        byte: u8,
        /// Its offset, from 0.
        offset: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// Offsets are 32 bits wide.
    #[error("{name}: the file has {bytes} bytes, the limit is {limit}", limit = SourceFile::MAX_BYTES)]
    TooLarge {
        /// The file's name.
        name: String,
        /// Its size.
        bytes: usize,
    },
}

/// A line and a column, both from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A named text with its line index.
///
/// Invariant 1: `text` has at most [`SourceFile::MAX_BYTES`] bytes.
/// Invariant 2: `lines` holds the offset of each line's first byte, ascending, starting with 0.
/// Invariant 3: `wide` holds, for each character of several bytes, the offset after it and the
/// number of continuation bytes up to there; both ascend.
/// The fields are private and never change after construction.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    lines: Vec<u32>,
    wide: Vec<(u32, u32)>,
}

impl SourceFile {
    /// The largest file that spans can address.
    pub const MAX_BYTES: usize = u32::MAX as usize - 1;

    /// A file from text that is in memory already.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<SourceFile, SourceError> {
        let (name, text) = (name.into(), text.into());
        if text.len() > Self::MAX_BYTES {
            return Err(SourceError::TooLarge { name, bytes: text.len() });
        }
        let mut lines = vec![0];
        let mut wide = Vec::new();
        let mut extra = 0;
        for (i, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                lines.push(i as u32 + 1);
            } else if byte >= 0x80 && (byte & 0xC0) == 0x80 {
                extra += 1;
                // A character of n bytes has n-1 continuation bytes: keep one entry for it.
                match wide.last_mut() {
                    Some((after, count)) if *after == i as u32 => {
                        (*after, *count) = (i as u32 + 1, extra)
                    }
                    _ => wide.push((i as u32 + 1, extra)),
                }
            }
        }
        Ok(SourceFile { name, text, lines, wide })
    }

    /// A file from bytes; refuses what is not UTF-8 and says where.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<SourceFile, SourceError> {
        let name = name.into();
        match String::from_utf8(bytes) {
            Ok(text) => SourceFile::new(name, text),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let bytes = error.as_bytes();
                let line = 1 + bytes[..offset].iter().filter(|&&b| b == b'\n').count();
                // A truncated character at the end of the file leaves its first byte at `offset`.
                let byte = bytes.get(offset).copied().unwrap_or(0);
                Err(SourceError::NotUtf8 { name, byte, offset, line })
            }
        }
    }

    /// The file's name, as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of lines; a final line break starts no line of its own unless text follows.
    pub fn line_count(&self) -> u32 {
        let open = self.lines.last().is_some_and(|&start| (start as usize) < self.text.len());
        self.lines.len() as u32 - u32::from(!open && self.lines.len() > 1)
    }

    /// Line and column of an offset, in O(log n). Offsets beyond the end count as the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = offset.min(self.text.len() as u32);
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines[line - 1];
        let bytes = offset - start;
        let column = bytes - (self.continuation_bytes(offset) - self.continuation_bytes(start));
        Position { line: line as u32, column: column + 1 }
    }

    /// The text of a line (from 1) without its line break; empty where there is no such line.
    pub fn line(&self, line: u32) -> &str {
        let index = line as usize;
        if index == 0 || index > self.lines.len() {
            return "";
        }
        let start = self.lines[index - 1] as usize;
        let end = self.lines.get(index).map_or(self.text.len(), |&next| next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Where the byte with this number, from 1, of a line begins a character; `None` if there is no such.
    pub fn offset(&self, line: u32, byte: u32) -> Option<u32> {
        let (index, skipped) = (line.checked_sub(1)?, byte.checked_sub(1)?);
        let start = *self.lines.get(index as usize)?;
        let inside = self.line(line).is_char_boundary(skipped as usize);
        inside.then_some(start + skipped)
    }

    /// The text under a span; empty where the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Continuation bytes before `offset`.
    fn continuation_bytes(&self, offset: u32) -> u32 {
        match self.wide.partition_point(|&(after, _)| after <= offset) {
            0 => 0,
            n => self.wide[n - 1].1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let text = "ab\näöü x\n\r\n€😀é|\nend";
        let file = SourceFile::new("f", text).unwrap();
        // The plain way, by counting, is the reference.
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = &text[..offset];
            let line = 1 + before.matches('\n').count() as u32;
            let column = 1 + before.rsplit('\n').next().unwrap().chars().count() as u32;
            assert_eq!(file.position(offset as u32), Position { line, column }, "offset {offset}");
        }
        assert_eq!(file.position(9999), file.position(text.len() as u32));
        assert_eq!(file.line(2), "äöü x");
        assert_eq!(file.line(3), "");
        assert_eq!(file.line(5), "end");
        assert_eq!(file.line(6), "");
        assert_eq!(file.line_count(), 5);
        // Line 2 has seven bytes and begins with the fourth byte.
        let found = [(1, 1), (2, 1), (2, 2), (2, 3), (2, 9), (2, 10), (0, 1), (1, 0), (7, 1)];
        let found = found.map(|(line, byte)| file.offset(line, byte));
        assert_eq!(found, [Some(0), Some(3), None, Some(5), Some(11), None, None, None, None]);
        assert_eq!(SourceFile::new("f", "a\n").unwrap().line_count(), 1);
        assert_eq!(SourceFile::new("f", "").unwrap().line_count(), 1);
    }

    #[test]
    fn bytes_that_are_no_text() {
        let error = SourceFile::from_bytes("f.bp", b"decl g;\nvoid \xff".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "f.bp:2: not UTF-8: byte 0xff at offset 13");
        let error = SourceFile::from_bytes("f.bp", b"a\xc3".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "f.bp:1: not UTF-8: byte 0xc3 at offset 1");
        assert_eq!(SourceFile::from_bytes("f", "é".into()).unwrap().text(), "é");
    }
}
