//! Reading and writing. A reader that goes away is no error.
//!
//! Everything that `bop` prints passes through here, and what a terminal would obey is escaped on the
//! way (`source::Shown`): names, labels and literals are strangers' text.

use crate::paint::{Color, Painter, width};
use crate::{answer, bug, guard};
use source::{Escapes, Shown, SourceFile, one_line};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Whether there are colours: set once, when the command line was read.
static COLOR: AtomicU8 = AtomicU8::new(0);

/// Sets whether there are colours.
pub(crate) fn set_color(color: Color) {
    COLOR.store(color as u8, Ordering::Relaxed);
}

fn color() -> Color {
    match COLOR.load(Ordering::Relaxed) {
        1 => Color::Always,
        2 => Color::Never,
        _ => Color::Auto,
    }
}

/// The most bytes of a file that is read as a whole, and of what a preprocessor prints.
pub(crate) const MAX_BYTES: u64 = 1 << 30;

/// A size for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 30 && b % (1 << 30) == 0 => format!("{} GiB", b >> 30),
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b => format!("{b} bytes"),
    }
}

/// A source file by name, `-` for standard input.
pub(crate) fn source_file(name: &str) -> Result<Arc<SourceFile>, String> {
    let (shown, mut bytes) = bytes(name)?;
    if shown.strip_suffix(".gz").unwrap_or(&shown).ends_with(".aig") {
        let wrong = |e: postbop::CircuitError| {
            format!("{}: at byte {}: {}", one_line(&shown), e.span.start, e.message)
        };
        if let Some(text) = postbop::text_of_binary(&bytes).map_err(wrong)? {
            bytes = text.into_bytes();
        }
    }
    let file = SourceFile::from_bytes(shown, bytes).map_err(|e| e.to_string())?;
    Ok(Arc::new(file))
}

/// What a file holds, as a stream, with its name for messages; `-` is standard input.
pub(crate) fn stream(name: &str) -> Result<(&str, Box<dyn BufRead>), String> {
    let unpacked = |shown: &'static str, input: Box<dyn BufRead>| {
        equations::gunzip::open(input).map_err(|e| format!("cannot read {shown}: {e}"))
    };
    if name == "-" {
        let input = Box::new(BufReader::new(io::stdin()));
        return Ok(("<stdin>", unpacked("standard input", input)?));
    }
    let opened = File::open(name).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::Error::other("it is a directory")),
        false => Ok(file),
    });
    match opened {
        Ok(file) => {
            let input = BufReader::with_capacity(1 << 16, file);
            let input = equations::gunzip::open(input);
            let wrong = |e| format!("cannot read `{}`: {e}", one_line(name));
            Ok((name, input.map_err(wrong)?))
        }
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

/// What a file holds that is only to be shown: nothing if it is gone, is no file, or is too large.
pub(crate) fn shown(name: &str) -> Vec<u8> {
    let small = std::fs::metadata(name).is_ok_and(|d| d.is_file() && d.len() <= MAX_BYTES);
    if small { std::fs::read(name).unwrap_or_default() } else { Vec::new() }
}

/// Reads what may never end, as long as it is text.
fn pieces(file: impl Read, bytes: &mut Vec<u8>) -> io::Result<usize> {
    const PIECE: u64 = 1 << 20;
    let mut file = file.take(MAX_BYTES + 1);
    loop {
        let start = bytes.len();
        if file.by_ref().take(PIECE).read_to_end(bytes)? == 0 {
            return Ok(start);
        }
        if let Some(at) = bytes[start..].iter().position(|b| *b == 0) {
            let what = format!("it is no text: byte 0x00 at offset {}", start + at);
            return Err(io::Error::other(what));
        }
    }
}

/// Whether a file is more than a place on a disk: reading it once may empty it, or never end.
pub(crate) fn is_special(name: &str) -> bool {
    std::fs::metadata(name).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

fn bytes(name: &str) -> Result<(String, Vec<u8>), String> {
    let mut bytes = Vec::new();
    let shown = if name == "-" { "<stdin>" } else { name };
    let too_large = || format!("`{shown}` is larger than {}, and not read", size(MAX_BYTES));
    let read = match name {
        "-" => pieces(io::stdin().lock(), &mut bytes),
        _ => File::open(name).and_then(|file| {
            let data = file.metadata()?;
            if data.is_dir() {
                return Err(io::Error::other("it is a directory"));
            }
            if data.len() > MAX_BYTES {
                return Ok(data.len() as usize);
            }
            match data.is_file() {
                true => file.take(MAX_BYTES + 1).read_to_end(&mut bytes),
                false => pieces(file, &mut bytes),
            }
        }),
    };
    let read = match read {
        Ok(n) if n as u64 > MAX_BYTES => return Err(too_large()),
        Ok(_) => unpack(&mut bytes),
        Err(e) => Err(e),
    };
    match read {
        Ok(_) => {
            bug::read(shown, &bytes);
            answer::read(shown, &bytes);
            Ok((shown.to_owned(), bytes))
        }
        Err(e) if name == "-" => Err(format!("cannot read standard input: {e}")),
        Err(e) => Err(format!("cannot read `{}`: {e}", one_line(name))),
    }
}

/// What a compressed file holds, in its place.
fn unpack(bytes: &mut Vec<u8>) -> io::Result<()> {
    if equations::gunzip::is_gzip(bytes) {
        let packed = std::mem::take(bytes);
        let held = equations::gunzip::open(&packed[..])?.take(MAX_BYTES + 1).read_to_end(bytes)?;
        if held as u64 > MAX_BYTES {
            return Err(io::Error::other(format!("it holds more than {}", size(MAX_BYTES))));
        }
    }
    Ok(())
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
    /// Numbers that no person reads.
    Bytes,
}

/// Lets `write` write a text for people to the file, or to standard output. Limits end here.
pub(crate) fn write_to(
    name: Option<&str>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    write_page(name, Page::Text, write)
}

/// Likewise, where writing is the work: limits hold.
pub(crate) fn stream_to(
    name: Option<&str>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    page_to(name, Page::Text, write)
}

/// Lets `write` write a page of the kind. Limits end here.
pub(crate) fn write_page(
    name: Option<&str>,
    page: Page,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    guard::answering();
    page_to(name, page, write)
}

/// A file to write to. At a pipe that nobody reads, one waits for as long as limits allow.
pub(crate) fn created(name: &str) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        const TICK: std::time::Duration = std::time::Duration::from_millis(10);
        let until = guard::patience();
        while std::fs::metadata(name).is_ok_and(|data| data.file_type().is_fifo()) {
            let flags = nix::libc::O_NONBLOCK;
            match File::options().write(true).custom_flags(flags).open(name) {
                // As long as this one is open, the next one does not wait.
                Ok(_open) => return File::options().write(true).open(name),
                Err(e) if e.raw_os_error() != Some(nix::libc::ENXIO) => return Err(e),
                Err(_) if until.is_some_and(|until| std::time::Instant::now() >= until) => {
                    return Err(io::Error::other("nobody reads this pipe"));
                }
                Err(_) => std::thread::sleep(TICK),
            }
        }
    }
    File::create(name)
}

fn page_to(
    name: Option<&str>,
    page: Page,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    let (shown, target): (&str, Box<dyn Write>) = match name {
        None => {
            answer::begun();
            ("standard output", Box::new(io::stdout().lock()))
        }
        Some(name) => match created(name) {
            Ok(file) => (name, Box::new(file)),
            Err(e) => return Err(format!("cannot write `{}`: {e}", one_line(name))),
        },
    };
    let mut out = BufWriter::with_capacity(1 << 16, target);
    let looked_at = name.is_none() && io::stdout().is_terminal();
    let written = match page {
        Page::Text if name.is_none() => {
            let width = if looked_at { width() } else { None };
            let painter = Painter::new(&mut out, color().wanted(looked_at), width);
            escaped(painter, Escapes::Text, write)
        }
        Page::Text => escaped(&mut out, Escapes::Text, write),
        Page::Json => escaped(&mut out, Escapes::Json, write),
        Page::Bytes if looked_at => {
            return Err("this form is not for terminals: name a file with `-o`".to_owned());
        }
        Page::Bytes => write(&mut out).and_then(|()| out.flush()),
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
    out: impl Write,
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
    let out = io::stderr().lock();
    let colours = color().wanted(out.is_terminal());
    let mut shown = Shown::new(Painter::new(out, colours, None), Escapes::Text);
    let _ = writeln!(shown, "{text}").and_then(|()| shown.flush());
}
