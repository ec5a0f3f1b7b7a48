//! Text on a terminal: colours, and lines that fit the window.
//!
//! Pages for people are lines whose beginnings say what they are, and nothing in them can be taken for the beginning
//! of another one (`source::one_line`) or for a command to the terminal (`source::Shown`). So colours are put on from
//! outside, behind both: what is printed elsewhere than on a terminal is the same without them.

use clap::ValueEnum;
use std::io::{self, Write};

/// When there are colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Whether what goes to a terminal, or not to one, is coloured.
    pub(crate) fn wanted(self, terminal: bool) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !set("NO_COLOR") && !dumb,
        }
    }
}

const RED: &str = "\x1b[1;31m";
const GREEN: &str = "\x1b[1;32m";
const YELLOW: &str = "\x1b[1;33m";
const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// Lines begin with these words.
const WORDS: &[(&str, &str)] = &[
    ("violated:", RED),
    ("reachable:", RED),
    ("refused:", RED),
    ("error:", RED),
    ("holds:", GREEN),
    ("unreachable:", GREEN),
    ("accepted:", GREEN),
    ("unknown:", YELLOW),
    ("incomplete:", YELLOW),
    ("warning:", YELLOW),
    ("note:", DIM),
];

/// A line with colours.
pub(crate) fn painted(line: &str) -> String {
    let inner = line.trim_start();
    let indent = &line[..line.len() - inner.len()];
    for (word, colour) in WORDS {
        if let Some(rest) = inner.strip_prefix(word) {
            return format!("{indent}{colour}{word}{PLAIN}{rest}");
        }
    }
    // A step of a path that matters.
    if let Some(rest) = line.strip_prefix("  > ") {
        return match rest.rfind("  [").filter(|_| rest.ends_with(']')) {
            Some(at) => format!("  {RED}>{PLAIN} {}{BOLD}{}{PLAIN}", &rest[..at], &rest[at..]),
            None => format!("  {RED}>{PLAIN} {rest}"),
        };
    }
    if line.starts_with("  from here on for ever") {
        return format!("{YELLOW}{line}{PLAIN}");
    }
    line.to_owned()
}

/// A line in pieces that fit: broken at blanks, those after the first one indented. Words that are longer stay whole.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    if line.chars().count() <= width || width < 30 {
        return vec![line.to_owned()];
    }
    let indent = line.len() - line.trim_start().len() + 4;
    let indent = indent.min(width / 2);
    let mut out: Vec<String> = Vec::new();
    let mut now = String::new();
    for word in line.split_inclusive(' ') {
        let long = now.chars().count() + word.trim_end().chars().count() > width;
        if long && !now.trim().is_empty() {
            out.push(now.trim_end().to_owned());
            now = " ".repeat(indent);
        }
        now += word;
    }
    out.push(now.trim_end().to_owned());
    out
}

/// Paints and breaks the lines that pass through.
pub(crate) struct Painter<W: Write> {
    out: W,
    colours: bool,
    width: Option<usize>,
    line: Vec<u8>,
}

impl<W: Write> Painter<W> {
    pub(crate) fn new(out: W, colours: bool, width: Option<usize>) -> Painter<W> {
        Painter { out, colours, width, line: Vec::new() }
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let pieces = match self.width {
            Some(width) => wrapped(&text, width),
            None => vec![text.into_owned()],
        };
        for (i, piece) in pieces.iter().enumerate() {
            match self.colours && i == 0 {
                true => write!(self.out, "{}", painted(piece))?,
                false => write!(self.out, "{piece}")?,
            }
            if i + 1 < pieces.len() {
                writeln!(self.out)?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for Painter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(rest) => {
                    self.line.extend_from_slice(rest);
                    self.end_line()?;
                    self.out.write_all(b"\n")?;
                }
                None => self.line.extend_from_slice(piece),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        self.out.flush()
    }
}

/// How many columns the terminal has that standard output goes to.
pub(crate) fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}
