//! Reads small systems; `crate::support` runs them.

pub(crate) use crate::support::{check_program, reachable, shown};
use front_remopla::LowerOptions;
use front_remopla::pds::{Tree, lower, parse, print};
use source::SourceFile;

/// The tree of a program without errors, which prints as an equal one.
#[track_caller]
pub(crate) fn tree(text: &str) -> Tree {
    let (tree, errors) = parse(text);
    assert!(errors.is_empty(), "{}", shown("f.pds", text, &errors));
    let printed = print(&tree);
    let (again, errors) = parse(&printed);
    assert!(errors.is_empty(), "{}", shown("f.pds", &printed, &errors));
    assert!(tree == again, "{text}\n=====\n{printed}");
    tree
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
    match lower(&tree, &file, &options) {
        Ok(program) => {
            program.validate().unwrap_or_else(|e| panic!("{e}\n{}", ir::dump(&program)));
            program
        }
        Err(errors) => panic!("{}", shown("f.pds", text, &errors)),
    }
}

/// Labels that begin with `Y` can be reached, those with `N` cannot; all must be asked.
#[track_caller]
pub(crate) fn check(text: &str) {
    check_program(program(text), text);
}
