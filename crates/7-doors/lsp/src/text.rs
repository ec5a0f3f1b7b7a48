//! A document of an editor: its text, and places as the protocol counts them (lines from 0, columns in UTF-16).

use lsp_types::{Position, Range, Uri};
use source::Span;
use std::path::PathBuf;

/// The languages that editors show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Boolean programs.
    Bp,
    /// Remopla.
    Remopla,
    /// Pushdown systems.
    Pds,
    /// Rules.
    Rule,
    /// C.
    C,
}

impl Language {
    /// The language of a file, by its name.
    pub fn of(path: &str) -> Option<Language> {
        Some(match path.rsplit_once('.')?.1 {
            "bp" => Language::Bp,
            "rem" | "rmpl" => Language::Remopla,
            "pds" => Language::Pds,
            "rule" => Language::Rule,
            "c" | "h" | "i" => Language::C,
            _ => return None,
        })
    }
}

/// A document that is open.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its address.
    pub uri: Uri,
    /// Its file's name.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Its text, as the editor has it.
    pub text: String,
    /// The offset of each line.
    lines: Vec<usize>,
}

impl Document {
    /// A document, if it is in one of our languages.
    pub fn new(uri: Uri, text: String) -> Option<Document> {
        let path = path(&uri)?.to_str()?.to_owned();
        let language = Language::of(&path)?;
        let mut out = Document { uri, path, language, text: String::new(), lines: Vec::new() };
        out.set(text);
        Some(out)
    }

    /// Another text.
    pub fn set(&mut self, text: String) {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        self.lines = std::iter::once(0).chain(ends).collect();
        self.text = text;
    }

    /// The offset of a position; of one behind the end of its line, that end.
    pub fn offset(&self, at: Position) -> usize {
        let Some(&start) = self.lines.get(at.line as usize) else { return self.text.len() };
        let mut column = 0;
        for (i, c) in self.text[start..].char_indices() {
            if column >= at.character || c == '\n' {
                return start + i;
            }
            column += c.len_utf16() as u32;
        }
        self.text.len()
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= offset).saturating_sub(1);
        let before = self.text.get(self.lines[line]..offset).unwrap_or("");
        Position::new(line as u32, before.encode_utf16().count() as u32)
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start as usize), self.position(span.end as usize))
    }
}

/// The range of a word on a line of a text, where columns count characters from 1.
pub(crate) fn word_range(text: &str, line: u32, column: u32) -> Range {
    let line = line.saturating_sub(1);
    let content = text.lines().nth(line as usize).unwrap_or("");
    let before: String = content.chars().take(column.saturating_sub(1) as usize).collect();
    let rest = &content[before.len()..];
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
    let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
    let start = before.encode_utf16().count() as u32;
    let end = start + rest[..length].encode_utf16().count() as u32;
    Range::new(Position::new(line, start), Position::new(line, end))
}

/// The file of an address.
pub fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let rest = &rest[rest.find('/')?..];
    let mut bytes = Vec::new();
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [left.next()?, left.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The address of a file, whose name is a whole path.
pub fn uri(path: &str) -> Option<Uri> {
    let mut out = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                out.push(byte as char);
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_files() {
        let uri = uri("/a b/ü.bp").unwrap();
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%BC.bp");
        assert_eq!(path(&uri).unwrap(), PathBuf::from("/a b/ü.bp"));
        assert_eq!(path(&"http://x/y".parse().unwrap()), None);
    }

    #[test]
    fn columns_are_counted_in_utf_16() {
        let document =
            Document::new("file:///f.bp".parse().unwrap(), "a\n{𝄞b} := 1;\n".to_owned()).unwrap();
        let at = document.text.find(":=").unwrap();
        assert_eq!(document.position(at), Position::new(1, 6));
        assert_eq!(document.offset(Position::new(1, 6)), at);
        assert_eq!(document.offset(Position::new(0, 99)), 1);
        assert_eq!(document.offset(Position::new(9, 0)), document.text.len());
        let range = word_range(&document.text, 2, 6);
        assert_eq!((range.start.character, range.end.character), (6, 7));
    }
}
