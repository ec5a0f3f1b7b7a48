//! Inputs and command lines that make no sense: exit 2, and what would be right.

use crate::{TempFile, bop, bop_with, root};

#[track_caller]
fn refused(args: &[&str], says: &[&str]) {
    let ran = bop(args).exits(2);
    assert_eq!(ran.out, "", "{args:?} printed something");
    for word in says {
        assert!(ran.err.contains(word), "{args:?} does not say `{word}`: {}", ran.err);
    }
}

#[test]
fn files_that_cannot_be_read() {
    let root = root();
    let empty = TempFile::new("empty.bp", "");
    let binary = TempFile::new("binary.bp", b"decl g;\n\xff\xfe");
    let unnamed = TempFile::new("program.txt", "void main() begin end");
    refused(&["check", "no-such-file.bp"], &["cannot read `no-such-file.bp`"]);
    refused(&["check", root.to_str().unwrap()], &["it is a directory"]);
    refused(&["check", empty.path()], &["there is no procedure `main`"]);
    refused(&["check", binary.path()], &["not UTF-8", ":2:"]);
    refused(&["check", unnamed.path()], &["--lang bp"]);
    refused(&["check", "examples/fig1.bp", "examples/lock.bp"], &["one file"]);
    refused(&["check", "-"], &["--lang bp"]);
    bop(&["check", unnamed.path(), "--lang", "bp"]).exits(0);
}

#[test]
fn command_lines() {
    let fig1 = "examples/fig1.bp";
    refused(&["check"], &["FILE"]);
    refused(&["check", fig1, "--nonsense"], &["--nonsense"]);
    refused(&["check", fig1, "--engine", "magic"], &["magic", "summary"]);
    refused(&["check", fig1, "--timeout", "soon"], &["60s"]);
    refused(&["check", fig1, "--memory", "lots"], &["4G"]);
    refused(&["check", fig1, "--ltl", "G ("], &["expected a formula", "1:4"]);
    refused(&["check", fig1, "--sere", "never {a}"], &["no global variable `a`", "1:8"]);
    refused(&["check", fig1, "--sere", "never {"], &["a bracket without its partner", "1:7"]);
    refused(&["check", fig1, "--rule", "x.rule"], &["`x.rule`", "ready-made", "memory"]);
    refused(&["check", fig1, "--bound", "3"], &["--bound", "--engine qbf"]);
    refused(&["convert", fig1, "--to", "cout"], &["a form of C programs", "remopla", "dot"]);
    refused(&["frobnicate"], &["frobnicate"]);
    refused(&[], &["Usage"]);
    refused(&["gen", "bebop-t", "0"], &["1.."]);
    refused(&["gen", "quicksort", "--bits", "2", "--len", "5"], &["at most 4 cells"]);
    refused(&["gen", "quicksort", "--bits", "0"], &["1..=32"]);
    refused(&["states", fig1], &["--at"]);
    refused(&["states", fig1, "--at", "R", "--from", "A", "--to", "A .*"], &["not with both"]);
    refused(&["states", fig1, "--at", "R", "--format", "dot"], &["--stacks"]);
    refused(&["states", fig1, "--at", "R", "--stacks", "--engine", "summary"], &["post and pre"]);
    refused(&["states", fig1, "--at", "R", "--stacks", "--engine", "pre"], &["engine post"]);
    refused(&["states", fig1, "--at", "R", "--from", "main", "--engine", "pre"], &["engine post"]);
}

#[test]
fn properties_that_make_no_sense() {
    let fig1 = "examples/fig1.bp";
    refused(&["check", fig1, "--reach", "NOPE"], &["`NOPE`", "the labels are R"]);
    refused(&["check", fig1, "--reach", "r"], &["did you mean `R`?"]);
    refused(&["check", fig1, "--reach", "A:R"], &["no statement of `A`", "`main:R`"]);
    refused(&["check", fig1, "--reach", "mian:R"], &["no procedure `mian`", "`main`"]);
    refused(&["check", fig1, "--reach", ":13"], &["line 13", "lines 12 and 14"]);
    refused(&["check", fig1, "--reach", "X", "--reach", "Y"], &["`X`", "`Y`"]);
    refused(&["states", fig1, "--at", "NOPE"], &["`NOPE`"]);
    refused(&["states", fig1, "--at", "R", "--vars", "a1"], &["`a1` is not in scope in `main`"]);
}

#[test]
fn several_errors_are_shown_with_their_lines() {
    let text = "decl g;\nvoid main() begin\n  g := x;\n  goto L;\n  f();\nend\n";
    let ran = bop_with(&["check", "-", "--lang", "bp", "--format", "json"], text).exits(2);
    // Programs read them on standard output, people on standard error.
    assert_eq!(ran.json()["errors"].as_array().map(Vec::len), Some(3));
    for word in ["<stdin>:3:8", "g := x;", "`x`", ":4:", "`L`", ":5:", "`f`"] {
        assert!(ran.err.contains(word), "{word} in {}", ran.err);
    }
}

#[test]
fn deep_nesting_overflows_no_stack() {
    let n = 100_000;
    let parentheses = format!(
        "decl g; void main() begin assume({}g{}); R: skip; end",
        "(".repeat(n),
        ")".repeat(n)
    );
    let ifs = format!(
        "decl g; void main() begin {} R: skip; {} end",
        "if (g) then ".repeat(n),
        "fi ".repeat(n)
    );
    let nots = format!("decl g; void main() begin assume({}g); R: skip; end", "!".repeat(n));
    for text in [parentheses, ifs, nots] {
        let file = TempFile::new("deep.bp", text);
        bop(&["check", file.path(), "--reach", "R", "--format", "json"]).exits(1);
        bop(&["convert", file.path(), "--to", "bp"]).exits(0);
        bop(&["dump", file.path(), "--stage", "tree"]).exits(0);
    }
}
