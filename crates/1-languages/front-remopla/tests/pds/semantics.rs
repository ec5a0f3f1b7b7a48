//! What rules mean, on two engines that must agree.
//!
//! Symbols that begin with `Y` can be reached, those that begin with `N` cannot.

use super::support;
use super::support::{check, check_program, program, program_at, reachable};
use front_remopla::LowerOptions;
use front_remopla::pds::{from_spds, lower, lower_spds, parse, print};
use ir::spds::Spds;
use source::SourceFile;
use std::sync::Arc;

#[test]
fn explicit() {
    check("(p<y>)\np <y> --> p <Y1>\np <Y1> --> q <Y2>\np <Y2> --> p <N>\n");
    // Push and pop: what is below comes back, under the control location of the pop.
    check("(p<y>)\np <y> --> p <f Y1>\np <f> --> q <>\nq <Y1> --> q <Y2>\np <Y1> --> q <N>\n");
    // The stack is unbounded, and it is a stack.
    check(
        "(p<a>)\np <a> --> p <a b>\np <a> --> q <>\nq <b> --> r <Y>\nr <b> --> r <>\nq <Y> --> q <N>\nr <Y> --> r <b Y2>\n",
    );
    // The bottom of the stack: nothing after it.
    check("(p <a Y1>)\np <a> --> p <>\np <Y1> --> p <>\np <N> --> p <>\n");
    // Comments, keywords and numbers as names, blanks or none.
    check(
        "# one\n% two\n// three\n(p <1>)\np<1>-->p<A E>\np <A> --> if <>   # a comment\nif <E> --> if <Y>\np <E> --> p <N>\n",
    );
    // Labels in quotes.
    check("(p <a>)\np <a> --> p <Y> \"a label\"\n");
}

#[test]
fn long_right_sides() {
    check(
        "(p <a>)\np <a> --> p <b c d Y1>\np <b> --> q <>\nq <c> --> r <>\nr <d> --> s <>\ns <Y1> --> s <Y2>\nr <Y1> --> r <N1>\nq <d> --> q <N2>\n",
    );
    check(
        "global int x(3);\nlocal (b, c, d) int l(3);\n(p <a>)\np <a> --> p <b c d Y> (x' == 0 && l' == 1 && l'' == 2)\np <b> --> p <> (x' == l)\np <c> --> p <> (x == 1 && l == 2 && x' == x + l)\np <d> --> p <> (x == 3 && x' == l)\np <Y> --> p <Y5> (x == 5)\np <Y> --> p <Y0> (x == 0)\n",
    );
}

#[test]
fn symbolic() {
    // What is not constrained is arbitrary.
    check(
        "global\n  int x(2);\n  bool b;\n(p <a>)\np <a> --> p <c> (x' == 1)\np <c> --> p <Y1> (b)\np <c> --> p <Y2> (!b)\np <c> --> p <N> (x != 1)\n",
    );
    check(
        "global int x(2);\n(p <a>)\np <a> --> p <b> (x' == 1)\np <b> --> p <c>\np <c> --> p <Y> (x == 3)\n",
    );
    // Equality keeps; `=` and `->` are read, too.
    check("global int x(2), y(2);\n(p <a>)\np <a> --> p <b> (x' = 1 & y' = 2)\np <b> --> p <c> (x' = x & y' = y + 1)\np <c> --> p <Y> (x = 1 & y = 3)\np <c> --> p <N> (x != 1 | y < 3)\np <c> --> p <N2> !(x);\n".replace("p <c> --> p <N2> !(x);\n", "").as_str());
    check(
        "global bool a, b;\n(p <s>)\np <s> --> p <t> (a' & (a' -> b'))\np <t> --> p <Y> (a && b)\np <t> --> p <N> (!b)\n",
    );
    // Locals belong to symbols: `x'` is that of the new topmost one, `x''` that of the one below.
    check(
        "local (a, b, f) int l(2);\n(p <a>)\np <a> --> p <f b> (l' == 1 && l'' == 2)\np <f> --> p <> (l == 1)\np <f> --> p <N1> (l != 1)\np <b> --> p <Y> (l == 2)\np <b> --> p <N2> (l != 2)\n",
    );
    // Sections with other locals.
    check(
        "local (a) int l(2);\nlocal (b) int m(2);\n(p <a>)\np <a> --> p <b> (l == 3 && m' == l - 1)\np <b> --> p <Y> (m == 2)\np <b> --> p <N> (m != 2)\n",
    );
    // One name in two sections, and that of a global.
    check(
        "global int l(2);\nlocal (a) int l(3);\n(p <a>)\np <a> --> p <b> (l == 5 && l' == 1)\np <b> --> p <Y> (l == 1)\np <b> --> p <N> (l != 1)\n",
    );
    // Arrays and quantifiers.
    check(
        "global int a[0,2](2);\n(p <s>)\np <s> --> p <t> (A i (0, 2) a'[i] == i)\np <t> --> p <u> (a'[1] == 3 && A i (0, 2) (i == 1 || a'[i] == a[i]))\np <u> --> p <Y> (a[0] == 0 && a[1] == 3 && a[2] == 2)\np <u> --> p <N> (a[0] != 0 || a[2] != 2)\n",
    );
    // An index out of range, a value that does not fit.
    check(
        "global int a[3](2), i(2);\n(p <s>)\np <s> --> p <t> (i' == 3)\np <t> --> p <N> (a[i] == 0 || a[i] != 0)\np <t> --> p <Y> (!(a[i] == 0))\np <t> --> p <N2> (i' == i + 1)\n",
    );
    // Enumerations: arbitrary is a member.
    check(
        "global enum { u, v, w } e;\n(p <s>)\np <s> --> p <N1> (e == 3)\np <s> --> p <t>\np <t> --> p <N2> (e == 3)\np <t> --> p <Y> (e == w)\n",
    );
    check(
        "define N 2\ndefine DEFAULT_INT_BITS N\nglobal int x;\n(p <s>)\np <s> --> p <Y> (x == N + 1)\n",
    );
}

#[test]
fn the_start() {
    let text = "(p <a>)\np <a> --> p <N>\np <b> --> p <Y>\n";
    check_program(program_at(text, Some("b")), text);
    check(
        "global int x(2);\n(p <a b>)\np <a> --> p <> (x' == 2)\np <b> --> p <Y> (x == 2)\np <b> --> p <N> (x != 2)\n",
    );
}

#[test]
fn symbols_that_nothing_leads_to_are_known() {
    let program = program("(p <a>)\np <b> --> p <c>\n");
    for symbol in ["a", "b", "c"] {
        assert_eq!(program.labelled(None, symbol).len(), 1, "{symbol}");
    }
}

/// Systems of the tests above, and what their symbols are.
const SYSTEMS: [&str; 5] = [
    "(p<a>)\np <a> --> p <a b>\np <a> --> q <>\nq <b> --> r <c>\nr <b> --> r <>\nq <c> --> q <d>\nr <c> --> r <b e>\n",
    "global int x(2), y(2);\n(p <a>)\np <a> --> p <b> (x' = 1 & y' = 2)\np <b> --> p <c> (x' = x & y' = y + 1)\np <c> --> p <d> (x = 1 & y = 3)\np <c> --> q <e> (x != 1 | y < 3)\n",
    "local (a, b, f) int l(2);\n(p <a>)\np <a> --> p <f b> (l' == 1 && l'' == 2)\np <f> --> p <> (l == 1)\np <f> --> p <n> (l != 1)\np <b> --> p <y> (l == 2)\np <b> --> p <m> (l != 2)\n",
    "global int a[0,2](2);\n(p <s>)\np <s> --> p <t> (A i (0, 2) a'[i] == i)\np <t> --> p <u> (a'[1] == 3 && A i (0, 2) (i == 1 || a'[i] == a[i]))\np <u> --> p <y> (a[0] == 0 && a[1] == 3 && a[2] == 2)\np <u> --> p <n> (a[0] != 0 || a[2] != 2)\n",
    "global enum { u, v, w } e;\nlocal (c) bool b;\n(p <a>)\np <a> --> p <c c> (e == w && e' == e && b' && !b'')\np <c> --> p <> (b && e' == e)\np <c> --> p <f> (!b && e == w)\np <c> --> p <g> (!b && e != w)\n",
];

fn spds(text: &str) -> Spds {
    let (tree, errors) = parse(text);
    assert!(errors.is_empty(), "{}", support::shown("f.pds", text, &errors));
    let file = SourceFile::new("f.pds", text).unwrap();
    let spds = lower_spds(&tree, &file, &LowerOptions::default());
    spds.unwrap_or_else(|errors| panic!("{}", support::shown("f.pds", text, &errors)))
}

/// To a program and back, and to text and back: the same symbols are reached.
#[test]
fn there_and_back() {
    for text in SYSTEMS {
        let spds = spds(text);
        spds.validate().unwrap();
        let labels: Vec<String> =
            spds.symbols.ids().map(|symbol| spds.symbol_name(symbol).to_string()).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let program = spds.to_program();
        let expected = reachable(&Arc::new(program.clone()), &labels);
        assert!(expected.contains(&true) && expected.contains(&false), "{text}");

        let back = Spds::from_program(&program);
        back.validate().unwrap();
        let again = Arc::new(back.to_program());
        assert_eq!(reachable(&again, &labels), expected, "{text}\n{}", ir::spds::dump(&back));

        let written = print(&from_spds(&spds, &mut || true).unwrap());
        let (tree, errors) = parse(&written);
        assert!(errors.is_empty(), "{}", support::shown("f.pds", &written, &errors));
        let file = SourceFile::new("g.pds", &*written).unwrap();
        let read = lower(&tree, &file, &LowerOptions::default());
        let read = read.unwrap_or_else(|e| panic!("{}", support::shown("f.pds", &written, &e)));
        assert_eq!(reachable(&Arc::new(read), &labels), expected, "{text}\n{written}");
    }
}

#[test]
fn dumps() {
    let text = "global int x(2);\nlocal (f) bool b;\n(p <a>)\np <a> --> p <f a> (x' == x + 1 && b')\np <f> --> q <> (b && x' == x)\n";
    assert_eq!(
        ir::spds::dump(&spds(text)),
        "global x: int(2)\nlocal b: bool of f\nstart p <a>\n\n\
         p <a> --> p <f a> x' := (x + 1); b' := true;\np <f> --> q <> [b]\n"
    );
    assert_eq!(
        ir::dump(&spds(text).to_program()),
        "global x: int(2)\nglobal control: int(1)\ninit (control == 0)\nentry a\n\n\
         proc a() -> ()\n  n0 entry a: 4:1 `p <a> --> p <f a>`\n    \
         -> call f [(control == 0)] x' := (x + 1); b' := true;, back to n0\n\n\
         proc f() -> ()\n  local b: bool\n  n1 entry f: 5:1 `p <f> --> q <>`\n    \
         -> return [((control == 0) & b)] control' := 1;\n"
    );
}
