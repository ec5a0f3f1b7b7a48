//! Reads small systems; `crate::support` runs them.

pub(crate) use crate::support::{check_program, reachable, shown};
use crate::support::{reread, valid};
use front_remopla::LowerOptions;
use front_remopla::pds::{Tree, lower, parse, print};
use source::SourceFile;

#[track_caller]
pub(crate) fn tree(text: &str) -> Tree {
    reread("f.pds", text, parse, print)
}

#[track_caller]
pub(crate) fn program(text: &str) -> ir::Program {
    program_at(text, None)
}

#[track_caller]
pub(crate) fn program_at(text: &str, entry: Option<&str>) -> ir::Program {
    let tree = tree(text);
    let file = SourceFile::new("f.pds", text).unwrap();
    let options = LowerOptions { entry: entry.map(str::to_string) };
    valid("f.pds", text, lower(&tree, &file, &options))
}

/// Labels that begin with `Y` can be reached, those with `N` cannot; all must be asked.
#[track_caller]
pub(crate) fn check(text: &str) {
    check_program(program(text), text);
}
