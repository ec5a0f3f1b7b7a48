//! Tokens of preprocessed C, each with its file and line as the line markers tell.

use crate::tree::Sym;
use rustc_hash::FxHashMap;

/// File and line of a token ([`crate::Unit::place`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// Index of the file.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1, in the preprocessed text.
    pub column: u32,
    /// Offset in bytes in the preprocessed text.
    pub offset: u32,
}

/// Something that could not be parsed, and what that costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where it was noticed.
    pub at: Place,
    /// One phrase.
    pub message: String,
    /// The function that is left out, if its name was known.
    pub function: Option<Sym>,
}

/// Names, each kept once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, Sym>,
}

impl Names {
    pub(crate) fn add(&mut self, text: &str) -> Sym {
        if let Some(&sym) = self.ids.get(text) {
            return sym;
        }
        let sym = Sym(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), sym);
        sym
    }
    pub(crate) fn get(&self, sym: Sym) -> &str {
        &self.texts[sym.index()]
    }
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
    pub(crate) fn find(&self, text: &str) -> Option<Sym> {
        self.ids.get(text).copied()
    }
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    Word(Sym),
    /// A number or character constant.
    Number(Sym),
    Text(Sym),
    /// A punctuator, by its spelling; digraphs as what they stand for.
    Punct(&'static str),
    /// A character that C has no use for.
    Stray(char),
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) at: Place,
    /// The offset behind it.
    pub(crate) end: u32,
}

/// Longest first.
const PUNCTUATORS: [&str; 50] = [
    "%:%:", "<<=", ">>=", "...", "%:", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "<:", ":>", "<%", "%>", "[", "]",
    "(", ")", "{", "}", ".", "&", "*", "+", "-", "~", "!", "/", "%", "<", ">", "^", "|", "?", ":",
];
const SINGLE: [&str; 4] = [";", "=", ",", "#"];

/// From which offset on `#pragma pack` says what.
pub(crate) type Pack = (u32, Option<u8>);

/// What a `#pragma` says of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pragma {
    /// `weak f`
    Weak(Sym),
    /// `weak f = g`
    Alias(Sym, Sym),
    /// `redefine_extname f g`
    LinkerName(Sym, Sym),
}

/// What a text consists of.
pub(crate) struct Lexed {
    /// All tokens, an [`Tok::End`] last.
    pub(crate) tokens: Vec<Token>,
    /// The files that line markers name.
    pub(crate) files: Vec<String>,
    /// `#pragma pack`
    pub(crate) packs: Vec<Pack>,
    /// What others say of names.
    pub(crate) pragmas: Vec<Pragma>,
}

/// Takes a text apart.
pub(crate) fn lex(text: &str, names: &mut Names) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        pos: 0,
        line_start: 0,
        at_line_start: true,
        place: Place { file: 0, line: 1, column: 1, offset: 0 },
        files: vec![String::new()],
        file_ids: FxHashMap::default(),
        out: Vec::with_capacity(text.len() / 5),
        names,
        packs: Vec::new(),
        pack_stack: Vec::new(),
        pragmas: Vec::new(),
    };
    lexer.run();
    let Lexer { out: tokens, files, packs, pragmas, .. } = lexer;
    Lexed { tokens, files, packs, pragmas }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    line_start: usize,
    at_line_start: bool,
    place: Place,
    files: Vec<String>,
    file_ids: FxHashMap<String, u32>,
    out: Vec<Token>,
    names: &'a mut Names,
    packs: Vec<Pack>,
    pack_stack: Vec<Option<u8>>,
    pragmas: Vec<Pragma>,
}

fn starts_word(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80
}

fn in_word(b: u8) -> bool {
    starts_word(b) || b.is_ascii_digit()
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn newline(&mut self) {
        self.pos += 1;
        self.place.line = self.place.line.saturating_add(1);
        self.line_start = self.pos;
        self.at_line_start = true;
    }

    fn run(&mut self) {
        while self.pos < self.bytes.len() {
            match self.byte(0) {
                b'\n' => self.newline(),
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'\\' if self.byte(1) == b'\n' => {
                    self.pos += 1;
                    let line_start = self.at_line_start;
                    self.newline();
                    self.at_line_start = line_start;
                }
                b'/' if self.byte(1) == b'*' => self.comment(),
                b'/' if self.byte(1) == b'/' => self.skip_line(),
                b'#' if self.at_line_start => self.directive(),
                _ => {
                    self.at_line_start = false;
                    self.token();
                }
            }
        }
        let at = self.here();
        self.out.push(Token { tok: Tok::End, at, end: at.offset });
    }

    fn here(&self) -> Place {
        Place {
            column: (self.pos - self.line_start) as u32 + 1,
            offset: self.pos as u32,
            ..self.place
        }
    }

    fn comment(&mut self) {
        self.pos += 2;
        while self.pos < self.bytes.len() {
            if self.byte(0) == b'*' && self.byte(1) == b'/' {
                self.pos += 2;
                return;
            }
            if self.byte(0) == b'\n' {
                let line_start = self.at_line_start;
                self.newline();
                self.at_line_start = line_start;
            } else {
                self.pos += 1;
            }
        }
    }

    /// To the end of the line, the newline not included.
    fn skip_line(&mut self) {
        while self.pos < self.bytes.len() && self.byte(0) != b'\n' {
            if self.byte(0) == b'\\' && self.byte(1) == b'\n' {
                self.pos += 1;
                self.newline();
            } else {
                self.pos += 1;
            }
        }
    }

    /// `# 12 "file.c" 1 3`, `#line 12 "file.c"`; other directives are passed over.
    fn directive(&mut self) {
        let start = self.pos;
        let line = self.text[start..].split('\n').next().unwrap_or("");
        let body = line[1..].trim_start();
        if let Some(pragma) = body.strip_prefix("pragma").map(str::trim_start) {
            match pragma.strip_prefix("pack") {
                Some(pack) => self.pack(pack.trim()),
                None => self.pragma(pragma),
            }
        }
        let body = body.strip_prefix("line").unwrap_or(body).trim_start();
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        self.skip_line();
        let Ok(number) = body[..digits].parse::<u32>() else { return };
        let rest = body[digits..].trim_start();
        if let Some(rest) = rest.strip_prefix('"')
            && let Some(end) = closing_quote(rest)
        {
            let name = unescaped(&rest[..end]);
            let next = self.files.len() as u32;
            self.place.file = *self.file_ids.entry(name.clone()).or_insert(next);
            if self.place.file == next {
                self.files.push(name);
            }
        }
        // The next line is the one with that number.
        self.place.line = number.wrapping_sub(1);
    }

    /// What stands behind `#pragma`: what says of a name that it need not be there, or is another one's.
    fn pragma(&mut self, text: &str) {
        let spaced = text.replace('=', " = ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let pragma = match words[..] {
            ["weak", name] => Pragma::Weak(self.names.add(name)),
            ["weak", name, "=", other] => {
                Pragma::Alias(self.names.add(name), self.names.add(other))
            }
            ["redefine_extname", name, other] => {
                Pragma::LinkerName(self.names.add(name), self.names.add(other))
            }
            _ => return,
        };
        self.pragmas.push(pragma);
    }

    /// What stands behind `#pragma pack`.
    fn pack(&mut self, text: &str) {
        let inside = text.trim_start_matches('(').split(')').next().unwrap_or("");
        let mut now = self.packs.last().and_then(|p| p.1);
        if inside.trim().is_empty() {
            now = None;
        }
        for word in inside.split(',').map(str::trim) {
            match word {
                "push" => self.pack_stack.push(now),
                "pop" => now = self.pack_stack.pop().flatten(),
                word => match word.parse() {
                    Ok(n @ (1 | 2 | 4 | 8 | 16)) => now = Some(n),
                    Ok(0) => now = None,
                    _ => {}
                },
            }
        }
        self.packs.push((self.pos as u32, now));
    }

    /// `\u00e9`, `\U000000e9`: how long it is, and what it stands for.
    fn universal(&self) -> Option<(usize, char)> {
        let digits = match (self.byte(0), self.byte(1)) {
            (b'\\', b'u') => 4,
            (b'\\', b'U') => 8,
            _ => return None,
        };
        let number = self.text.get(self.pos + 2..self.pos + 2 + digits)?;
        let hexadecimal = number.bytes().all(|b| b.is_ascii_hexdigit());
        let number = u32::from_str_radix(number, 16).ok().filter(|_| hexadecimal)?;
        Some((2 + digits, char::from_u32(number)?))
    }

    /// Goes behind a word. How it is spelled, if that is not how it is written.
    fn word(&mut self) -> Option<String> {
        let mut spelled: Option<String> = None;
        let mut start = self.pos;
        loop {
            if in_word(self.byte(0)) {
                self.pos += 1;
            } else if let Some((length, c)) = self.universal() {
                let spelled = spelled.get_or_insert_default();
                spelled.push_str(&self.text[start..self.pos]);
                spelled.push(c);
                self.pos += length;
                start = self.pos;
            } else {
                break;
            }
        }
        let rest = &self.text[start..self.pos];
        spelled.map(|word| word + rest)
    }

    fn token(&mut self) {
        let at = self.here();
        let start = self.pos;
        let first = self.byte(0);
        let tok = if starts_word(first) || self.universal().is_some() {
            let spelled = self.word();
            let quote = self.byte(0);
            let prefix = matches!(&self.text[start..self.pos], "L" | "u" | "U" | "u8");
            if prefix && matches!(quote, b'"' | b'\'') {
                self.quoted(start)
            } else {
                Tok::Word(self.names.add(spelled.as_deref().unwrap_or(&self.text[start..self.pos])))
            }
        } else if first.is_ascii_digit() || (first == b'.' && self.byte(1).is_ascii_digit()) {
            loop {
                match self.byte(0) {
                    b'e' | b'E' | b'p' | b'P' if matches!(self.byte(1), b'+' | b'-') => {
                        self.pos += 2;
                    }
                    b if in_word(b) || b == b'.' => self.pos += 1,
                    // C23: `1'000`.
                    b'\'' if self.byte(1).is_ascii_alphanumeric() => self.pos += 2,
                    _ => break,
                }
            }
            Tok::Number(self.names.add(&self.text[start..self.pos]))
        } else if matches!(first, b'"' | b'\'') {
            self.quoted(start)
        } else {
            let rest = &self.text[start..];
            let found = PUNCTUATORS.iter().chain(&SINGLE).find(|p| rest.starts_with(**p));
            match found {
                Some(p) => {
                    self.pos += p.len();
                    Tok::Punct(match *p {
                        "<:" => "[",
                        ":>" => "]",
                        "<%" => "{",
                        "%>" => "}",
                        p => p,
                    })
                }
                None => {
                    let c = rest.chars().next().unwrap_or('\0');
                    self.pos += c.len_utf8();
                    Tok::Stray(c)
                }
            }
        };
        self.out.push(Token { tok, at, end: self.pos as u32 });
    }

    /// A string or character constant whose quote is next; an unclosed one ends with its line.
    fn quoted(&mut self, start: usize) -> Tok {
        let quote = self.byte(0);
        self.pos += 1;
        loop {
            match self.byte(0) {
                b'\\' if self.byte(1) == b'\n' => {
                    self.pos += 1;
                    self.newline();
                    self.at_line_start = false;
                }
                b'\\' => self.pos += 2,
                b'\n' => break,
                0 if self.pos >= self.bytes.len() => break,
                b if b == quote => {
                    self.pos += 1;
                    break;
                }
                _ => self.pos += 1,
            }
        }
        self.pos = self.pos.min(self.bytes.len());
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        let sym = self.names.add(&self.text[start..self.pos]);
        if quote == b'"' { Tok::Text(sym) } else { Tok::Number(sym) }
    }
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (i, b) in text.bytes().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(i),
            _ => {}
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}
