//! Reading and writing. A reader that goes away is no error.

use source::SourceFile;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::sync::Arc;

/// A source file by name, `-` for standard input.
pub(crate) fn source_file(name: &str) -> Result<Arc<SourceFile>, String> {
    let (shown, bytes) = bytes(name)?;
    let file = SourceFile::from_bytes(shown, bytes).map_err(|e| e.to_string())?;
    Ok(Arc::new(file))
}

/// What a file holds, as a stream, with its name for messages; `-` is standard input.
pub(crate) fn stream(name: &str) -> Result<(&str, Box<dyn BufRead>), String> {
    let unpacked = |shown: &'static str, input: Box<dyn BufRead>| {
        postbop::gunzip::open(input).map_err(|e| format!("cannot read {shown}: {e}"))
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
            let input = postbop::gunzip::open(input);
            Ok((name, input.map_err(|e| format!("cannot read `{name}`: {e}"))?))
        }
        Err(e) => Err(format!("cannot read `{name}`: {e}")),
    }
}

/// A text file by name, `-` for standard input.
pub(crate) fn text(name: &str) -> Result<String, String> {
    let (shown, bytes) = bytes(name)?;
    String::from_utf8(bytes).map_err(|_| format!("{shown}: not UTF-8"))
}

/// What is in a file.
pub(crate) fn contents(name: &str) -> Result<Vec<u8>, String> {
    bytes(name).map(|(_, bytes)| bytes)
}

fn bytes(name: &str) -> Result<(String, Vec<u8>), String> {
    let mut bytes = Vec::new();
    if name == "-" {
        let shown = "<stdin>".to_owned();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        return match read.and_then(|_| unpack(&mut bytes)) {
            Ok(()) => Ok((shown, bytes)),
            Err(e) => Err(format!("cannot read standard input: {e}")),
        };
    }
    let read = File::open(name).and_then(|mut file| {
        if file.metadata()?.is_dir() {
            return Err(io::Error::other("it is a directory"));
        }
        file.read_to_end(&mut bytes)
    });
    let read = read.and_then(|_| unpack(&mut bytes));
    match read {
        Ok(()) => Ok((name.to_owned(), bytes)),
        Err(e) => Err(format!("cannot read `{name}`: {e}")),
    }
}

/// What a compressed file holds, in its place.
fn unpack(bytes: &mut Vec<u8>) -> io::Result<()> {
    if postbop::gunzip::is_gzip(bytes) {
        let packed = std::mem::take(bytes);
        postbop::gunzip::open(&packed[..])?.read_to_end(bytes)?;
    }
    Ok(())
}

/// Lets `write` write to the file, or to standard output.
pub(crate) fn write_to(
    name: Option<&str>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    let (shown, target): (&str, Box<dyn Write>) = match name {
        None => ("standard output", Box::new(io::stdout().lock())),
        Some(name) => match File::create(name) {
            Ok(file) => (name, Box::new(file)),
            Err(e) => return Err(format!("cannot write `{name}`: {e}")),
        },
    };
    let mut out = BufWriter::with_capacity(1 << 16, target);
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // `bop … | head`: nobody wants the rest.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
            // Dropping the buffer would try to write it once more.
            let _ = out.into_parts();
            Ok(())
        }
        Err(e) => Err(format!("cannot write {shown}: {e}")),
    }
}

/// A line on standard error, whether anybody reads it or not.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
