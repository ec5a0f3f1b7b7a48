//! What holds of every text, shared with the fuzz target `parse_print`.

use front_bp::{Dialect, LowerOptions, MAX_ERRORS, lower, mistakes, parse, print};
use source::{SourceFile, render};

/// Nothing crashes, errors have places, and an accepted text prints as the same program in every
/// dialect and becomes a valid [`ir::Program`]. Returns whether the text was accepted.
pub(crate) fn property(text: &str, dialect: Dialect) -> bool {
    let file = SourceFile::new("soup.bp", text).unwrap();
    let (tree, errors) = parse(text, dialect);
    assert!(errors.len() <= MAX_ERRORS + 1);
    for error in &errors {
        assert!(text.get(error.span.range()).is_some(), "{error} at {:?} of {text:?}", error.span);
        assert!(render(&error.diagnostic(), &file).contains("soup.bp:"));
    }
    let printed = print(&tree);
    let problems = mistakes(&tree);
    for problem in &problems {
        assert!(render(&problem.diagnostic(), &file).contains("soup.bp"));
    }
    let entry = tree.procs().first().map(|proc| tree.text(proc.name.symbol).to_string());
    let lowered = lower(&tree, &file, &LowerOptions { entry });
    if !errors.is_empty() {
        return false;
    }
    for again in [Dialect::Standard, Dialect::Satabs] {
        let (again, errors) = parse(&printed, again);
        assert!(errors.is_empty(), "{} in {printed:?}, printed from {text:?}", errors[0]);
        assert!(again == tree, "{text:?} is printed as {printed:?}");
        assert_eq!(print(&again), printed);
    }
    match lowered {
        Ok(program) => {
            assert!(problems.is_empty());
            program.validate().unwrap_or_else(|invalid| panic!("{invalid} in {text:?}"));
        }
        Err(errors) => assert!(!problems.is_empty() || tree.procs().is_empty(), "{}", errors[0]),
    }
    true
}
