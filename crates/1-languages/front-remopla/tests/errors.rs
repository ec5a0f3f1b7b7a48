//! What is wrong with a program is said, with its place and what would be right.

use crate::support;
use front_remopla::{LowerOptions, lower, parse};
use source::SourceFile;

fn wrong_at(text: &str, entry: Option<&str>) -> String {
    let (tree, errors) = parse(text);
    let file = SourceFile::new("f.rem", text).unwrap();
    let shown = if errors.is_empty() {
        match lower(&tree, &file, &LowerOptions { entry: entry.map(str::to_string) }) {
            Ok(_) => String::new(),
            Err(errors) => support::shown("f.rem", text, &errors),
        }
    } else {
        support::shown("f.rem", text, &errors)
    };
    let keep = |line: &&str| {
        line.starts_with("error")
            || line.contains("-->") && !line.contains('|')
            || line.trim_start().starts_with("= ")
    };
    shown.lines().filter(keep).map(str::trim).collect::<Vec<_>>().join("\n")
}

/// The first line, place and help of each error.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(wrong_at(text, None), expected, "{text}");
}

/// The same for the body of a module, which begins on line 2.
#[track_caller]
fn check_main(globals: &str, body: &str, expected: &str) {
    check(
        &format!("{globals}\n{body}").replacen('\n', " module void main() {\n", 1).add_end(),
        expected,
    );
}

trait AddEnd {
    fn add_end(self) -> String;
}

impl AddEnd for String {
    fn add_end(self) -> String {
        self + "\n}\n"
    }
}

#[test]
fn grammar() {
    check_main(
        "int x(2);",
        "x = ;",
        "error[remopla-expected]: expected an expression, found `;`\n--> f.rem:2:5",
    );
    check_main(
        "int x(2);",
        "x == 1;",
        "error[remopla-expected]: expected `=`, found `==`\n--> f.rem:2:3\n= help: an assignment is written `=`",
    );
    check_main(
        "int x(2);",
        "skip(x = 1);",
        "error[remopla-unclosed]: expected `)`, found `=`: `(` is not closed\n--> f.rem:2:8\n= help: write `)` here\n--> f.rem:2:5",
    );
    check_main(
        "int x(2);",
        "x = 1 skip;",
        "error[remopla-expected]: expected `;`, found `skip`\n--> f.rem:2:7\n= help: end the statement with `;`\n--> f.rem:2:5",
    );
    check_main(
        "int x(2);",
        "if fi",
        "error[remopla-branches]: `if` without a branch\n--> f.rem:2:1\n= help: write `if :: condition -> statements …`",
    );
    check_main(
        "int x(2);",
        "if x == 1 -> skip; fi",
        "error[remopla-expected]: expected `::`, found `x`\n--> f.rem:2:4",
    );
    check_main(
        "int x(2);",
        "do :: x == 1 -> skip;",
        "error[remopla-unclosed]: expected `od`, found `}`: `do` is not closed\n--> f.rem:3:1\n= help: write `od` here\n--> f.rem:2:1",
    );
    check_main("int x(2);", "fi", "error[remopla-unopened]: `fi` without `if`\n--> f.rem:2:1");
    check_main(
        "",
        ":: true -> skip;",
        "error[remopla-unopened]: `::` without `if` or `do`\n--> f.rem:2:1",
    );
    check_main(
        "int x(2);",
        "if :: else -> skip; :: else -> skip; fi",
        "error[remopla-branches]: a second `else`\n--> f.rem:2:24\n--> f.rem:2:7",
    );
    check_main(
        "int x(2);",
        "x = f(1) + 2;",
        "error[remopla-expected]: expected `;`, found `+`\n--> f.rem:2:10\n= help: end the statement with `;`\n--> f.rem:2:8",
    );
    check_main(
        "int x(2);",
        "x = 2 + f(1);",
        "error[remopla-call-in-expression]: call of `f` inside an expression\n--> f.rem:2:9\n= help: call it in a statement of its own, `x = f(…);`, and use `x` here",
    );
    check_main(
        "int x(2);",
        "x = 1 + undef;",
        "error[remopla-undef]: `undef` inside an expression\n--> f.rem:2:9\n= help: `undef` is a whole value, as in `x = undef;`, or a whole argument",
    );
    check_main(
        "int x(2);",
        "L: }",
        "error[remopla-label]: label `L` without a statement\n--> f.rem:2:4\n= help: write `L: skip;`\nerror[remopla-unopened]: `}` without `{`\n--> f.rem:3:1",
    );
    check(
        "int A(2);\n",
        "error[remopla-expected]: expected a name, found `A`\n--> f.rem:1:5\n= help: `A` is a keyword (it begins `A i (0, 3) …`); take another name",
    );
    check(
        "module void main() {",
        "error[remopla-unclosed]: expected `}`, found the end of the file: the module's `{` is not closed\n--> f.rem:1:21\n= help: write `}` here\n--> f.rem:1:20",
    );
    check("int x(2) y;", "error[remopla-expected]: expected `,` or `;`, found `y`\n--> f.rem:1:10");
    check(
        "int a[1][2][3](2);\nmodule void main() { }",
        "error[remopla-place]: an array has at most two dimensions\n--> f.rem:1:12",
    );
    check(
        "struct S { struct T t; } s;",
        "error[remopla-nested-struct]: a struct cannot have a struct as a field\n--> f.rem:1:12",
    );
    check(
        "define N 99999999999999999999\nmodule void main() { }",
        "error[remopla-number]: number 99999999999999999999 is too large\n--> f.rem:1:10",
    );
    check("int x(2); é", "error[remopla-character]: unknown character `é`\n--> f.rem:1:11");
    check("/* ", "error[remopla-unclosed]: comment `/*` is not closed\n--> f.rem:1:1");
}

#[test]
fn constructs_of_other_tools_are_named() {
    check_main(
        "bool b;",
        "pchoice :: 0.75 -> b = true; :: 0.25 -> b = false; choicep;\nb = true;",
        "error[remopla-unsupported]: `pchoice` is not supported\n--> f.rem:2:1\n= help: this chooses by probability; `if :: true -> … :: true -> … fi` chooses freely",
    );
    check_main(
        "bool b;",
        "fork f();",
        "error[remopla-unsupported]: `fork` is not supported\n--> f.rem:2:1\n= help: this starts a thread; only sequential programs can be checked",
    );
    check(
        "signed int x(2);",
        "error[remopla-unsupported]: `signed` is not supported\n--> f.rem:1:1\n= help: this is about signed integers; all integers are unsigned",
    );
}

#[test]
fn names() {
    check_main(
        "int count(2);",
        "cuont = 1;",
        "error[remopla-unknown-name]: variable `cuont` is not known\n--> f.rem:2:1\n= help: did you mean `count`?",
    );
    check_main(
        "",
        "y = 1;",
        "error[remopla-unknown-name]: variable `y` is not known\n--> f.rem:2:1\n= help: declare it: `int y(3);` or `bool y;`",
    );
    check_main(
        "",
        "mian();",
        "error[remopla-unknown-name]: module `mian` is not known\n--> f.rem:2:1\n= help: did you mean `main`?",
    );
    check_main(
        "",
        "LOOP: goto LOPO;",
        "error[remopla-unknown-label]: module `main` has no label `LOPO`\n--> f.rem:2:12\n= help: did you mean `LOOP`?",
    );
    check_main(
        "",
        "L: skip; L: skip;",
        "error[remopla-label-twice]: label `L` is used twice in one module\n--> f.rem:2:10\n--> f.rem:2:1",
    );
    check(
        "int x(2), x(2);\nmodule void main() { }",
        "error[remopla-declared-twice]: global variable `x` is declared twice\n--> f.rem:1:11\n--> f.rem:1:5",
    );
    check(
        "module void f() { }\nmodule void f() { }",
        "error[remopla-declared-twice]: module `f` is declared twice\n--> f.rem:2:13\n--> f.rem:1:1",
    );
    check(
        "module void f(int a(2), int a(2)) { }",
        "error[remopla-declared-twice]: parameter `a` is declared twice\n--> f.rem:1:29\n--> f.rem:1:19",
    );
    check(
        "module void f(int a(2)) { int a(2); }",
        "error[remopla-declared-twice]: local variable `a` is declared twice\n--> f.rem:1:31\n--> f.rem:1:19",
    );
    check(
        "define N 1\ndefine N 2\nmodule void f() { }",
        "error[remopla-declared-twice]: constant `N` is declared twice\n--> f.rem:2:8\n--> f.rem:1:8",
    );
    check(
        "enum T { a, b } x;\nenum U { b };\nmodule void f() { }",
        "error[remopla-declared-twice]: constant `b` is declared twice\n--> f.rem:2:10\n--> f.rem:1:13",
    );
    check(
        "enum Colour { a, b };\nenum Color x;\nmodule void f() { }",
        "error[remopla-unknown-name]: enum `Color` is not known\n--> f.rem:2:6\n= help: did you mean `Colour`?",
    );
    check(
        "struct S { int first(2); } s;\nmodule void f() { s.frist = 1; }",
        "error[remopla-unknown-name]: field `frist` is not known\n--> f.rem:2:21\n= help: did you mean `first`?",
    );
}

#[test]
fn types() {
    check_main(
        "int x(2);",
        "skip(x);",
        "error[remopla-type]: expected a condition, found an integer\n--> f.rem:2:6\n= help: compare it with something: `x != 0`",
    );
    check_main(
        "int x(2); bool b;",
        "skip(b && x + 1);",
        "error[remopla-type]: expected a condition, found an integer\n--> f.rem:2:11\n= help: compare it with something: `x != 0`",
    );
    check_main(
        "bool b; int a[2](2);",
        "a[b] = 1;",
        "error[remopla-type]: expected an integer, found a condition\n--> f.rem:2:3",
    );
    check_main(
        "int a[2](2);",
        "a = 1;",
        "error[remopla-type]: expected an array, found a value\n--> f.rem:2:5",
    );
    check_main(
        "int a[2](2), b[3](2);",
        "a = b;",
        "error[remopla-type]: arrays or structs of different types\n--> f.rem:2:1",
    );
    check_main(
        "int a[2](2), x(2);",
        "x = a;",
        "error[remopla-index-count]: `a` has 1 dimension, 0 indices given\n--> f.rem:2:5",
    );
    check_main(
        "int a[2](2), x(2);",
        "x = a[0][1]; x[0] = 1;",
        "error[remopla-index-count]: `a` has 1 dimension, 2 indices given\n--> f.rem:2:5\nerror[remopla-index-count]: `x` has 0 dimensions, 1 index given\n--> f.rem:2:14",
    );
    check_main(
        "struct S { int f(2); } s; int x(2);",
        "x = s; x.f = 1;",
        "error[remopla-type]: `s` is a struct, not a value\n--> f.rem:2:5\nerror[remopla-type]: `x` is no struct\n--> f.rem:2:8",
    );
    check_main(
        "define N 3",
        "N = 1;",
        "error[remopla-constant-target]: `N` is a constant\n--> f.rem:2:1",
    );
    check_main(
        "int x(2);",
        "x' = 1; skip(x'' == 1);",
        "error[remopla-prime]: `x` with a prime outside a rule or `skip`\n--> f.rem:2:1\nerror[remopla-prime]: `x` with a prime outside a rule or `skip`\n--> f.rem:2:14",
    );
    check(
        "module void f(int x(2)) { }\nmodule void main() { f(); }",
        "error[remopla-argument-count]: call of `f` with 0 arguments, it takes 1\n--> f.rem:2:22\n--> f.rem:1:1",
    );
    check(
        "int x(2);\nmodule void f() { return 1; }\nmodule int(2) g() { return; }\nmodule void main() { x = f(); }",
        "error[remopla-return]: `f` returns nothing, here it returns a value\n--> f.rem:2:19\n--> f.rem:2:1\nerror[remopla-return]: `g` returns a value, here it returns nothing\n--> f.rem:3:21\n--> f.rem:3:1\nerror[remopla-return]: `f` returns nothing\n--> f.rem:4:22\n--> f.rem:2:1",
    );
}

#[test]
fn numbers() {
    // An index that can never fit.
    check_main(
        "int a[3](2);",
        "a[3] = 1;",
        "error[remopla-index]: index 3 is outside `a`, whose indices are 0 to 2\n--> f.rem:2:3",
    );
    check_main(
        "int a[3](2), i(2);",
        "skip(a[i + 3] == 1);",
        "error[remopla-index]: index 3 to 6 is outside `a`, whose indices are 0 to 2\n--> f.rem:2:8",
    );
    check_main(
        "int m[2][2](2);",
        "m[0][2] = 1;",
        "error[remopla-index]: index 2 is outside `m`, whose indices are 0 to 1\n--> f.rem:2:6",
    );
    check_main(
        "int a[1,3](2);",
        "a[0] = 1;",
        "error[remopla-index]: index 0 is outside `a`, whose indices are 1 to 3\n--> f.rem:2:3",
    );
    check_main(
        "int a[3](2);",
        "A i (0, 3) a[i] = 0;",
        "error[remopla-index]: index 3 is outside `a`, whose indices are 0 to 2\n--> f.rem:2:14",
    );
    check(
        "int x(0);\nmodule void f() { }",
        "error[remopla-bits]: an integer has 1 to 32 bits, not 0\n--> f.rem:1:7",
    );
    check(
        "int x(33);\nmodule void f() { }",
        "error[remopla-bits]: an integer has 1 to 32 bits, not 33\n--> f.rem:1:7",
    );
    check(
        "int x;\nmodule void f() { }",
        "error[remopla-bits]: how many bits does `x` have?\n--> f.rem:1:5\n= help: write `x(3)`, or `define DEFAULT_INT_BITS 3` at the beginning",
    );
    check(
        "bool b(2);\nmodule void f() { }",
        "error[remopla-bits]: only integers have a number of bits\n--> f.rem:1:8",
    );
    check(
        "int a[0](2);\nmodule void f() { }",
        "error[remopla-dimension]: an array has 1 to 65536 cells, not 0\n--> f.rem:1:6",
    );
    check(
        "int a[3,2](2);\nmodule void f() { }",
        "error[remopla-dimension]: an array has 1 to 65536 cells, not 0\n--> f.rem:1:6",
    );
    check(
        "int a[1000][1000](2);\nmodule void f() { }",
        "error[remopla-dimension]: an array has 1 to 65536 cells, not 1000000\n--> f.rem:1:12",
    );
    check(
        "int n(2), a[n](2);\nmodule void f() { }",
        "error[remopla-unknown-name]: constant `n` is not known\n--> f.rem:1:13",
    );
    check(
        "define N 1 / 0\nmodule void f() { }",
        "error[remopla-constant]: the constant has no value: a division by zero\n--> f.rem:1:10",
    );
    check(
        "define N 1 < 0\nmodule void f() { }",
        "error[remopla-constant]: not a constant\n--> f.rem:1:10\n= help: numbers and names from `define` and `enum` are constants",
    );
    check_main(
        "int x(32);",
        "skip(x * x * x * x > 0);",
        "error[remopla-limit]: values of 132 bits, at most 100 are supported\n--> f.rem:2:6",
    );
    check_main(
        "int x(2);",
        "A i (3, 0) x = i;",
        "error[remopla-range]: no number lies between 3 and 0\n--> f.rem:2:3",
    );
    check_main(
        "int x(2);",
        "skip(A i (0, 65535) A j (0, 65535) x == i + j);",
        "error[remopla-limit]: the quantifiers of this statement stand for more than 65536 instances\n--> f.rem:2:23",
    );
    check(
        "int a[65536](32), b[65536](32), c[65536](32), d[65536](32), e[65536](32), f[65536](32), g[65536](32), h[65536](32), i[65536](32);\nmodule void main() { }",
        "error[remopla-limit]: global variables have too many bits, at most 16777216 are supported\n--> f.rem",
    );
    check(
        "struct S { int a[2](2); } s[2];\nmodule void f() { }",
        "error[remopla-nested-struct]: an array of structs with the array `a` in them\n--> f.rem:1:27",
    );
}

#[test]
fn places_of_statements() {
    check_main("", "break;", "error[remopla-misplaced]: `break` outside `do`\n--> f.rem:2:1");
    check_main(
        "",
        "if :: true -> break; fi",
        "error[remopla-misplaced]: `break` outside `do`\n--> f.rem:2:15",
    );
    check(
        "return;\nmodule void main() { }",
        "error[remopla-misplaced]: `return` outside a module\n--> f.rem:1:1",
    );
}

#[test]
fn modules_and_starts() {
    check(
        "int x(2);",
        "error[remopla-no-entry]: there is no module `main` to start at\n--> f.rem\n= note: there are no modules",
    );
    check(
        "init mian;\nmodule void main() { }",
        "error[remopla-no-entry]: there is no label `mian` to start at\n--> f.rem:1:6\n= note: label here: main\n= help: did you mean `main`?",
    );
    check(
        "init main;\ninit f;\nmodule void main() { }",
        "error[remopla-declared-twice]: the start is given twice\n--> f.rem:2:6\n--> f.rem:1:6",
    );
    check(
        "module void f();\nmodule void main() { }",
        "error[remopla-announcement]: module `f` has no body\n--> f.rem:1:13",
    );
    check(
        "module void main(int x(2));\nmodule void main() { }",
        "error[remopla-announcement]: module `main` differs from its announcement\n--> f.rem:2:1\n--> f.rem:1:13",
    );
    assert_eq!(
        wrong_at("module void start() { }", Some("strat")),
        "error[remopla-no-entry]: there is no module `strat` to start at\n--> f.rem\n= note: module here: start\n= help: did you mean `start`?"
    );
    check(
        "init main;\nmodule void main() { L: skip; }\nmodule void f() { L: skip; }\nq <L> --> q <>",
        "error[remopla-declared-twice]: stack symbol `L` is declared twice\n--> f.rem:3:19\n--> f.rem:2:22",
    );
    check(
        "init main;\nmodule void main() { int l(2); L: skip; }\nq <L> --> q <M> (l' == 1)",
        "error[remopla-unknown-name]: stack symbol `M` has no local variable `l`\n--> f.rem:3:18",
    );
}

#[test]
fn several_at_once() {
    let text = "int x(2);\nmodule void main() {\n  x = ;\n  y = 1;\n  if :: x = 1 -> skip; fi\n  x = 2\n}\n";
    let (_, errors) = parse(text);
    assert_eq!(errors.len(), 2, "{}", support::shown("f.rem", text, &errors));
    let text = format!("module void main() {{ {} }}", "x = ; ".repeat(200));
    let (_, errors) = parse(&text);
    assert_eq!(errors.len(), 51);
    assert_eq!(errors[50].to_string(), "too many errors, the rest of the file was not read");
}
