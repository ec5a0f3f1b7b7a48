//! Reading and writing. A reader that goes away is no error.
//!
//! Everything that `bop` prints passes through here, and what a terminal would obey is escaped on the
//! way (`source::Shown`): names, labels and literals are strangers' text.

use source::{Escapes, Shown, SourceFile, one_line};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::sync::Arc;

/// A source file by name, `-` for standard input.
pub(crate) fn source_file(name: &str) -> Result<Arc<SourceFile>, String> {
    let (shown, bytes) = bytes(name)?;
    let file = SourceFile::from_bytes(shown, bytes).map_err(|e| e.to_string())?;
    Ok(Arc::new(file))
}

/// What a file holds, as a stream, with its name for messages; `-` is standard input.
pub(crate) fn stream(name: &str) -> Result<(&str, Box<dyn BufRead>), String> {
    if name == "-" {
        return Ok(("<stdin>", Box::new(BufReader::new(io::stdin()))));
    }
    let opened = File::open(name).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::Error::other("it is a directory")),
        false => Ok(file),
    });
    match opened {
        Ok(file) => Ok((name, Box::new(BufReader::with_capacity(1 << 16, file)))),
        Err(e) => Err(format!("cannot read `{}`: {e}", one_line(name))),
    }
}

/// A text file by name, `-` for standard input.
pub(crate) fn text(name: &str) -> Result<String, String> {
    let (shown, bytes) = bytes(name)?;
    String::from_utf8(bytes).map_err(|_| format!("{}: not UTF-8", one_line(&shown)))
}

/// What is in a file.
pub(crate) fn contents(name: &str) -> Result<Vec<u8>, String> {
    bytes(name).map(|(_, bytes)| bytes)
}

fn bytes(name: &str) -> Result<(String, Vec<u8>), String> {
    let mut bytes = Vec::new();
    if name == "-" {
        let shown = "<stdin>".to_owned();
        return match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok((shown, bytes)),
            Err(e) => Err(format!("cannot read standard input: {e}")),
        };
    }
    let read = File::open(name).and_then(|mut file| {
        if file.metadata()?.is_dir() {
            return Err(io::Error::other("it is a directory"));
        }
        file.read_to_end(&mut bytes)
    });
    match read {
        Ok(_) => Ok((name.to_owned(), bytes)),
        Err(e) => Err(format!("cannot read `{}`: {e}", one_line(name))),
    }
}

/// What kind of text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Page {
    /// For people.
    Text,
    /// JSON, or a page with JSON in it.
    Json,
    /// A language that others read: what is escaped must stay as different as it was, unless a person
    /// is looking on.
    Language,
}

/// Lets `write` write a text for people to the file, or to standard output.
pub(crate) fn write_to(
    name: Option<&str>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    write_page(name, Page::Text, write)
}

/// Lets `write` write a page of the kind.
pub(crate) fn write_page(
    name: Option<&str>,
    page: Page,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    let (shown, target): (&str, Box<dyn Write>) = match name {
        None => ("standard output", Box::new(io::stdout().lock())),
        Some(name) => match File::create(name) {
            Ok(file) => (name, Box::new(file)),
            Err(e) => return Err(format!("cannot write `{}`: {e}", one_line(name))),
        },
    };
    let mut out = BufWriter::with_capacity(1 << 16, target);
    let looked_at = name.is_none() && io::stdout().is_terminal();
    let written = match page {
        Page::Text => escaped(&mut out, Escapes::Text, write),
        Page::Json => escaped(&mut out, Escapes::Json, write),
        Page::Language => {
            let mut text = Vec::new();
            write(&mut text).and_then(|()| {
                // Where there is no backslash, two names that differ do so when they are escaped.
                match looked_at || !text.contains(&b'\\') {
                    true => escaped(&mut out, Escapes::Text, |out| out.write_all(&text)),
                    false => out.write_all(&text).and_then(|()| out.flush()),
                }
            })
        }
    };
    match written {
        Ok(()) => Ok(()),
        // `bop … | head`: nobody wants the rest.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
            // Dropping the buffer would try to write it once more.
            let _ = out.into_parts();
            Ok(())
        }
        Err(e) => Err(format!("cannot write {}: {e}", one_line(shown))),
    }
}

fn escaped(
    out: &mut impl Write,
    escapes: Escapes,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut shown = Shown::new(out, escapes);
    write(&mut shown).and_then(|()| shown.flush())
}

/// A remark on standard error, whether anybody reads it or not. Its own line breaks are followed by a
/// blank; others are a stranger's, and begin no line.
pub(crate) fn complain(text: &str) {
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or("").to_owned();
    for line in lines {
        out += if line.starts_with(' ') { "\n" } else { "\\n" };
        out += line;
    }
    complain_in_full(&out);
}

/// Several lines on standard error, each known to be one of ours.
pub(crate) fn complain_in_full(text: &str) {
    let mut shown = Shown::new(io::stderr().lock(), Escapes::Text);
    let _ = writeln!(shown, "{text}").and_then(|()| shown.flush());
}
