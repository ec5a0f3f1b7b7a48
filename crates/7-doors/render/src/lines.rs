//! How documents are laid out: JSON on one line, but for lists and fields that have lines of their own.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// All fields of an object are on one line.
pub(crate) const ALL: usize = usize::MAX;

/// Where lines begin.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Lists that have a line for each item.
    pub(crate) lists: &'static [List],
    /// So many fields of the document are on its first line, and each other one has its own.
    pub(crate) first: usize,
    /// The last brace is missing: somebody adds more.
    pub(crate) open: bool,
}

/// A list that has a line for each item.
#[derive(Clone, Copy)]
pub(crate) struct List {
    /// The objects and lists around it.
    pub(crate) depth: usize,
    /// The name of the field.
    pub(crate) name: &'static str,
    /// So many fields of an item are on its first line, and each other one has its own.
    pub(crate) first: usize,
}

/// Writes a document.
pub(crate) fn write<T: Serialize>(
    document: &T,
    layout: Layout,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = Lines { layout, around: Vec::new(), key: String::new(), in_key: false };
    document.serialize(&mut Serializer::with_formatter(out, lines)).map_err(io::Error::from)
}

/// An object or list that has begun.
#[derive(Clone, Copy)]
struct Around {
    /// Of a list: each item has a line.
    lines: bool,
    /// So many fields of the object, or of the list's items, are on the first line.
    first: usize,
    /// So many fields have begun.
    fields: usize,
}

struct Lines {
    layout: Layout,
    around: Vec<Around>,
    /// The name of the field that is being written, where lists are looked for.
    key: String,
    in_key: bool,
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let here = (self.around.len(), self.key.as_str());
        let list = self.layout.lists.iter().find(|list| (list.depth, list.name) == here);
        let first = list.map_or(ALL, |list| list.first);
        self.around.push(Around { lines: list.is_some(), first, fields: 0 });
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.around.pop();
        out.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        let lines = self.around.last().is_some_and(|a| a.lines);
        out.write_all(match (first, lines) {
            (true, true) => b"\n",
            (true, false) => b"",
            (false, true) => b",\n",
            (false, false) => b",",
        })
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let first = match self.around.last() {
            None => self.layout.first,
            Some(list) if list.lines => list.first,
            Some(_) => ALL,
        };
        self.around.push(Around { lines: false, first, fields: 0 });
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.around.pop();
        match self.layout.open && self.around.is_empty() {
            true => Ok(()),
            false => out.write_all(b"}"),
        }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        let depth = self.around.len();
        self.key.clear();
        self.in_key = self.layout.lists.iter().any(|list| list.depth == depth);
        let Some(object) = self.around.last_mut() else { return Ok(()) };
        let line = object.fields >= object.first;
        object.fields += 1;
        out.write_all(match (first, line) {
            (true, _) => b"",
            (false, true) => b",\n",
            (false, false) => b",",
        })
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.in_key = false;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if self.in_key {
            self.key.push_str(fragment);
        }
        out.write_all(fragment.as_bytes())
    }
}
