//! What is wrong with a system is said, with its place.

use super::support;
use front_remopla::LowerOptions;
use front_remopla::pds::{lower, parse};
use source::SourceFile;

/// All that is wrong with a text, as people see it: the first line and the place of each error.
fn wrong(text: &str) -> String {
    let (tree, errors) = parse(text);
    let file = SourceFile::new("f.pds", text).unwrap();
    let shown = if errors.is_empty() {
        match lower(&tree, &file, &LowerOptions::default()) {
            Ok(_) => String::new(),
            Err(errors) => support::shown("f.pds", text, &errors),
        }
    } else {
        support::shown("f.pds", text, &errors)
    };
    let keep = |line: &&str| {
        line.starts_with("error")
            || line.contains("-->") && !line.contains('|')
            || line.contains("help")
    };
    shown.lines().filter(keep).map(str::trim).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(wrong(text), expected, "{text}");
}

#[test]
fn rules_that_do_not_parse() {
    // Each bad line is an error of its own, the others are read.
    check(
        "(p <a>)\np <a> -> p <b>\np <a> --> p b>\np <a> --> <b>\np a --> p <b>\np <a> --> p <b> (x ==)\np <a> --> p <b>\n",
        "error[pds-expected]: expected `-->`, found `->`\n--> f.pds:2:7\n\
         error[pds-expected]: expected `<`, found `b`\n--> f.pds:3:13\n\
         error[pds-expected]: expected a name, found `<`\n--> f.pds:4:11\n\
         error[pds-expected]: expected a rule, found `p`\n--> f.pds:5:1\n\
         = help: a rule is `p <y> --> q <y1 y2>`, a formula in parentheses may follow\n\
         error[pds-expected]: expected an expression, found `)`\n--> f.pds:6:22",
    );
    check(
        "(p <a)\np <a> --> p <b>\n",
        "error[pds-expected]: expected a stack symbol or `>`, found `)`\n--> f.pds:1:6",
    );
    check(
        "(p <a>)\np <a> --> p <b> (x && \n",
        "error[pds-expected]: expected an expression, found the end of the file\n--> f.pds:3:1",
    );
    check(
        "(p <a>)\np <a> --> p <b> é\n",
        "error[pds-character]: unknown character `é`\n--> f.pds:2:17",
    );
    check(
        "local y int x(2);\n(p <a>)\n",
        "error[pds-expected]: expected `(`, found `y`\n--> f.pds:1:7",
    );
}

#[test]
fn rules_that_make_no_sense() {
    check(
        "global int count(2);\n(p <a>)\np <a> --> p <b> (cuont' == 1)\n",
        "error[pds-unknown-name]: variable `cuont` is not known\n--> f.pds:3:18\n= help: did you mean `count`?",
    );
    check(
        "local (a) int l(2);\n(p <a>)\np <a> --> p <b> (l' == 1)\np <a> --> p <> (l' == 1)\np <a> --> p <a> (l'' == 1)\np <a> --> p <a b> (l'' == 1)\n",
        "error[pds-unknown-name]: stack symbol `b` has no local variable `l`\n--> f.pds:3:18\n\
         error[pds-prime]: `l'` in a rule that leaves nothing of the symbol\n--> f.pds:4:17\n\
         error[pds-prime]: `l''` in a rule that pushes nothing\n--> f.pds:5:18\n\
         error[pds-unknown-name]: stack symbol `b` has no local variable `l`\n--> f.pds:6:20",
    );
    check(
        "global int x(2), a[3](2); bool b;\n(p <a>)\np <a> --> p <b> (x)\np <a> --> p <b> (x && b)\np <a> --> p <b> (a[3] == 0)\np <a> --> p <b> (a == 0)\np <a> --> p <b> (x[0] == 0)\n",
        "error[pds-type]: expected a condition, found an integer\n--> f.pds:3:18\n= help: compare it with something: `x != 0`\n\
         error[pds-type]: expected a condition, found an integer\n--> f.pds:4:18\n= help: compare it with something: `x != 0`\n\
         error[pds-index]: index 3 is outside `a`, whose indices are 0 to 2\n--> f.pds:5:20\n\
         error[pds-index-count]: `a` has 1 dimension, 0 indices given\n--> f.pds:6:18\n\
         error[pds-index-count]: `x` has 0 dimensions, 1 index given\n--> f.pds:7:18",
    );
}

#[test]
fn declarations_and_starts() {
    check(
        "p <a> --> p <b>\n",
        "error[pds-no-entry]: there is no configuration to start with\n--> f.pds\n= help: write it before the rules: `(p <y>)`",
    );
    check(
        "",
        "error[pds-no-entry]: there is no configuration to start with\n--> f.pds\n= help: write it before the rules: `(p <y>)`",
    );
    check(
        "(p <>)\np <a> --> p <b>\n",
        "error[pds-no-entry]: there is no configuration to start with\n--> f.pds:1:1\n= help: write it before the rules: `(p <y>)`",
    );
    check(
        "(p <a>)\n(p <b>)\n",
        "error[pds-declared-twice]: the start is given twice\n--> f.pds:2:1\n--> f.pds:1:1",
    );
    check(
        "local (a, b) int x(2);\nlocal (c, a) int y(2);\n(p <a>)\n",
        "error[pds-declared-twice]: symbol `a` has local variables already\n--> f.pds:2:11\n--> f.pds:1:8",
    );
    check(
        "global int x(2), x(3);\n(p <a>)\n",
        "error[pds-declared-twice]: variable `x` is declared twice\n--> f.pds:1:18\n--> f.pds:1:12",
    );
    check(
        "global int x;\n(p <a>)\n",
        "error[pds-bits]: how many bits does `x` have?\n--> f.pds:1:12\n= help: write `x(3)`, or `define DEFAULT_INT_BITS 3` at the beginning",
    );
    let text = "(p <start>)\np <start> --> p <b>\n";
    let (tree, _) = parse(text);
    let file = SourceFile::new("f.pds", text).unwrap();
    let options = LowerOptions { entry: Some("strat".into()) };
    let errors = lower(&tree, &file, &options).unwrap_err();
    assert_eq!(errors[0].to_string(), "there is no stack symbol `strat` to start at");
}
