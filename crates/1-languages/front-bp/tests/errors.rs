//! What is refused: several errors in one run, each with its place and what would be right.

use front_bp::{Dialect, LowerOptions, MAX_ERRORS, lower, parse};
use source::{Diagnostic, SourceFile, render};

fn diagnose(text: &str, entry: Option<&str>) -> Vec<Diagnostic> {
    let file = SourceFile::new("f.bp", text).unwrap();
    let (tree, errors) = parse(text, Dialect::Standard);
    if !errors.is_empty() {
        return errors.iter().map(|error| error.diagnostic()).collect();
    }
    let options = LowerOptions { entry: entry.map(str::to_string) };
    match lower(&tree, &file, &options) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|error| error.diagnostic()).collect(),
    }
}

/// `line:column message` of each error.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let file = SourceFile::new("f.bp", text).unwrap();
    let found: Vec<String> = diagnose(text, None)
        .iter()
        .map(|d| match d.span {
            Some(span) => {
                let at = file.position(span.start);
                format!("{}:{} {}", at.line, at.column, d.message)
            }
            None => d.message.clone(),
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// One error in a statement of `main`, which stands on line 2 from column 1.
#[track_caller]
fn statement(text: &str, expected: &str) {
    check(&format!("decl a, b, flag; void main() begin\n{text}\nend"), &[expected]);
}

/// One error, rendered.
#[track_caller]
fn rendered(text: &str, expected: &str) {
    let file = SourceFile::new("f.bp", text).unwrap();
    let shown: Vec<String> = diagnose(text, None).iter().map(|d| render(d, &file)).collect();
    assert_eq!(shown.join(""), expected);
}

#[test]
fn concurrency() {
    for construct in ["start_thread main()", "end_thread", "sync e", "atomic_end"] {
        let word = construct.split(' ').next().unwrap();
        let expected = format!("2:1 concurrency is not supported: `{word}`");
        statement(&format!("{construct};"), &expected);
    }
    statement("a := b$;", "2:6 concurrency is not supported: `b$`");
    statement("a$ := b;", "2:1 concurrency is not supported: `a$`");
    statement("L: ASYNC_1: main();", "2:4 concurrency is not supported: `ASYNC_1`");
    statement("a := T atomic_begin;", "2:8 concurrency is not supported: `atomic_begin`");
    // Also where something else is wrong before it.
    check(
        "void main() begin\n  : atomic_begin;\nend",
        &[
            "2:3 expected a statement, found `:`",
            "2:5 concurrency is not supported: `atomic_begin`",
        ],
    );
    rendered(
        "void main() begin\n  atomic_begin;\nend\n",
        "\
error[bp-concurrency]: concurrency is not supported: `atomic_begin`
 --> f.bp:2:3
  |
2 |   atomic_begin;
  |   ^^^^^^^^^^^^
  = help: this marks a part that other threads do not interrupt; only sequential programs can be checked
",
    );
}

#[test]
fn characters() {
    statement("a := @;", "2:6 unknown character `@`");
    statement("a := b @ a;", "2:8 unknown character `@`");
    statement("a := \u{7};", "2:6 unknown character `\\u{7}`");
    statement("a := /* b;", "2:6 comment `/*` is not closed");
    statement("{a := b;", "2:1 braced name `{` is not closed on its line");
    statement("{} := b;", "2:1 braced name `{}` is empty");
    check("void main() begin end /*", &["1:23 comment `/*` is not closed"]);
}

#[test]
fn statements() {
    statement("skip skip;", "2:6 expected `;`, found `skip`");
    statement("a := b\nb := a;", "3:1 expected `;`, found `b`");
    statement("a = b;", "2:3 expected `:=`, found `=`");
    statement("a;", "2:2 expected `:=`, found `;`");
    statement("a := ;", "2:6 expected an expression, found `;`");
    statement("a := b &;", "2:9 expected an expression, found `;`");
    statement("a := (b;", "2:8 expected `)`, found `;`: `(` is not closed");
    statement("a := b);", "2:7 expected `;`, found `)`");
    statement("a := (b, a);", "2:8 expected `)`, found `,`: `(` is not closed");
    statement("a := schoose(b, a);", "2:13 expected `[`, found `(`");
    statement("a := schoose[b];", "2:15 expected `,`, found `]`: `schoose[` is not closed");
    statement("a := schoose[b, b);", "2:18 expected `]`, found `)`: `schoose[` is not closed");
    statement("a := b && main();", "2:11 call of `main` inside an expression");
    statement("a := 2;", "2:6 `2` is not a boolean constant");
    statement("a := _;", "2:6 `_` has no value");
    statement("a := T, F;", "2:1 assignment of 2 values to 1 variable");
    statement("a, b := T;", "2:1 assignment of 1 value to 2 variables");
    statement("a, if := T, F;", "2:4 expected a name, found `if`");
    statement("if a then dead fi", "2:16 expected a name, found `fi`");
    statement("goto;", "2:5 expected a label, found `;`");
    statement("goto if;", "2:6 expected a label, found `if`");
    statement("print();", "2:7 expected an expression, found `)`");
    statement("assert a;", "2:8 expected `(`, found `a`");
    statement("assert(a, b);", "2:9 expected `)`, found `,`: `(` is not closed");
    statement("main(a;", "2:7 expected `,` or `)`, found `;`: `(` is not closed");
    statement("a := 'T;", "2:7 expected a variable, found `T`");
    statement("dead;", "2:5 expected a name, found `;`");
    statement(
        "skip; enforce a;",
        "2:7 `enforce` must stand before the first statement of a procedure",
    );
    statement(
        "abortif a; enforce b;",
        "2:12 `enforce` must stand before the first statement of a procedure",
    );
    statement("skip; L:", "3:1 label `L` without a statement");
    statement("L: decl x;", "2:4 expected a statement, found `decl`");
    statement("then", "2:1 expected a statement, found `then`");
    statement("12;", "2:1 expected a statement, found `12`");
    statement("a := b constrain;", "2:17 expected an expression, found `;`");
    statement("return a b;", "2:10 expected `;`, found `b`");
    let long = "x".repeat(60);
    statement(&format!("skip {long};"), &format!("2:6 expected `;`, found `{}…`", &long[..40]));
}

#[test]
fn blocks() {
    statement("if a skip; fi", "2:6 expected `then`, found `skip`");
    statement("if then skip; fi", "2:4 expected an expression, found `then`");
    statement("if (a then skip; fi", "2:7 expected `)`, found `then`: `(` is not closed");
    statement("while a then skip; od", "2:9 expected `do`, found `then`");
    statement("if a then skip;", "3:1 expected `fi`, found `end`: `if` is not closed");
    statement(
        "while a do if b then skip; od",
        "2:28 expected `fi`, found `od`: `if` is not closed",
    );
    statement("if a then while b do fi", "2:22 expected `od`, found `fi`: `while` is not closed");
    statement("skip; fi", "2:7 `fi` without `if`");
    statement("skip; od", "2:7 `od` without `while`");
    statement("else skip;", "2:1 `else` without `if`");
    statement("elsif a then skip;", "2:1 `elsif` without `if`");
    statement("if a then else skip; else skip; fi", "2:22 `else` without `if`");
    statement("if a then else skip; elsif b then skip; fi", "2:22 `elsif` without `if`");
}

#[test]
fn procedures() {
    check("12 void main() begin end", &["1:1 expected a declaration or a procedure, found `12`"]);
    check("int main() begin end", &["1:5 expected `(`, found `main`"]);
    check("x := 1; void main() begin end", &["1:3 expected `(`, found `:=`"]);
    check("void main begin end", &["1:11 expected `(`, found `begin`"]);
    check("void main( begin end", &["1:12 expected a name, found `begin`"]);
    check("void main(a begin end", &["1:13 expected `,` or `)`, found `begin`"]);
    check(
        "void main() skip; end void f() begin x$; end",
        &["1:13 expected `begin`, found `skip`", "1:38 concurrency is not supported: `x$`"],
    );
    check(
        "void main() begin skip;",
        &["1:24 expected `end`, found the end of the file: the procedure is not closed"],
    );
    check(
        "void main() begin\nif * then",
        &["2:10 expected `fi`, found the end of the file: `if` is not closed"],
    );
    check(
        "void main() begin skip; void f() begin end",
        &["1:25 expected `end`, found `void`: the procedure is not closed"],
    );
    check("decl a b; void main() begin end", &["1:8 expected `,` or `;`, found `b`"]);
    check("decl a void main() begin end", &["1:8 expected `,` or `;`, found `void`"]);
    check("decl a, _; void main() begin end", &["1:9 `_` cannot be declared"]);
    check("decl; void main() begin end", &["1:5 expected a name, found `;`"]);
    check("bool<x> main() begin end", &["1:6 expected a number, found `x`"]);
    check("bool<99999> main() begin end", &["1:6 a procedure returns at most 65535 values"]);
    check(
        "bool<99999999999999> main() begin end",
        &["1:6 a procedure returns at most 65535 values"],
    );
    check("void main() begin enforce; end", &["1:26 expected an expression, found `;`"]);
    check("void main() begin enforce T end", &["1:29 expected `;`, found `end`"]);
}

#[test]
fn several_in_one_run() {
    check(
        "decl a, b\nvoid main() begin\n  a := ;\n  if a than skip; else a := 3; fi\n  b := a;\n  \
         while (a do goto 1$; od\n  L:\nend\nvoid f( begin a := @; end\nvoid g() begin a b; end",
        &[
            "2:1 expected `,` or `;`, found `void`",
            "3:8 expected an expression, found `;`",
            "4:8 expected `then`, found `than`",
            "4:29 `3` is not a boolean constant",
            "6:12 expected `)`, found `do`: `(` is not closed",
            "6:21 concurrency is not supported: `$`",
            "8:1 label `L` without a statement",
            "9:9 expected a name, found `begin`",
            "9:20 unknown character `@`",
            "10:18 expected `:=`, found `b`",
        ],
    );
}

#[test]
fn not_endless() {
    let text = format!("void main() begin {} end", "a := ;\n".repeat(1000));
    let found = diagnose(&text, None);
    assert_eq!(found.len(), MAX_ERRORS + 1);
    assert_eq!(found[MAX_ERRORS].message, "too many errors, the rest of the file was not read");
    let text = format!("void main() begin {} end", "if * then ".repeat(1000));
    assert_eq!(diagnose(&text, None).len(), MAX_ERRORS + 1);
}

#[test]
fn names() {
    statement("nosuch := T;", "2:1 variable `nosuch` is not declared");
    statement("a := a & (nosuch);", "2:11 variable `nosuch` is not declared");
    statement("a := 'nosuch;", "2:6 variable `nosuch` is not declared");
    statement("a := 'a;", "2:6 `'a` (the value after an assignment) outside `constrain`");
    statement("if 'a then fi", "2:4 `'a` (the value after an assignment) outside `constrain`");
    statement("nosuch();", "2:1 procedure `nosuch` is not defined");
    statement("a := nosuch();", "2:6 procedure `nosuch` is not defined");
    statement("goto nosuch;", "2:6 procedure `main` has no label `nosuch`");
    statement("goto L, M; L: skip;", "2:9 procedure `main` has no label `M`");
    statement("a, b, a := T, F, T;", "2:7 variable `a` is assigned twice in one statement");
    statement("dead a, a;", "2:9 variable `a` is assigned twice in one statement");
    statement("dead _;", "2:6 `_` cannot be dead");
    statement("L: skip; M: L: skip;", "2:13 label `L` is used twice in one procedure");
    statement("if a then L: skip; fi L: skip;", "2:23 label `L` is used twice in one procedure");
    // One error for each name in each procedure.
    check(
        "void main() begin x := y; x := y; end void f() begin x := T; end",
        &[
            "1:19 variable `x` is not declared",
            "1:24 variable `y` is not declared",
            "1:54 variable `x` is not declared",
        ],
    );
    check("decl a, a; void main() begin end", &["1:9 global variable `a` is declared twice"]);
    check(
        "void main() begin decl a; skip; decl a; end",
        &["1:38 local variable `a` is declared twice"],
    );
    check(
        "void f(a, a) begin end void main() begin end",
        &["1:11 parameter `a` is declared twice"],
    );
    check(
        "void f() begin end void f() begin end main() begin end",
        &["1:25 procedure `f` is declared twice"],
    );
    check(
        "void f() begin enforce 'x; abortif y; end main() begin end",
        &["1:24 variable `x` is not declared", "1:36 variable `y` is not declared"],
    );
}

#[test]
fn counts() {
    check(
        "void f(a) begin end\nvoid main() begin f(); end",
        &["2:19 call of `f` with 0 arguments, it takes 1"],
    );
    check(
        "void f(a) begin end\nvoid main() begin f(T, F); end",
        &["2:19 call of `f` with 2 arguments, it takes 1"],
    );
    check(
        "decl x; void f() begin end\nvoid main() begin x := f(); end",
        &["2:19 `f` returns 0 values, 1 wanted"],
    );
    check(
        "decl x; bool<2> f() begin end\nvoid main() begin x := f(); end",
        &["2:19 `f` returns 2 values, 1 wanted"],
    );
    check(
        "bool<2> f() begin\n  return T;\nend void main() begin end",
        &["2:3 return of 1 value in `f`, which returns 2"],
    );
    check(
        "bool f() begin return; end void main() begin end",
        &["1:16 return of 0 values in `f`, which returns 1"],
    );
    check(
        "void main() begin return T; end",
        &["1:19 return of 1 value in `main`, which returns 0"],
    );
}

#[test]
fn allowed() {
    for text in [
        "void main() begin end",
        // The results of a call can be thrown away, one by one or all.
        "bool<2> f() begin end void main() begin decl x; x, _ := f(); _, _ := f(); f(); end",
        "decl x; void main() begin decl x; x := x; end",
        "void f(x) begin decl x; x := x; end void main() begin end",
        "decl main; void main() begin main := T; main(); end",
        "void main() begin L: L: skip; end void f() begin L: goto L; end",
        "decl x; void main() begin constrain('x = x); x := * constrain 'x | x; end",
        "void f(_) begin _ := T; f(*); end void main() begin end",
        "bool main(a, b) begin return a; end",
        "void main() begin skip; goto L; if F then L: skip; fi end",
    ] {
        check(text, &[]);
    }
}

#[test]
fn entries() {
    let text = "void init() begin end void thread0() begin end";
    assert!(diagnose(text, Some("init")).is_empty());
    let file = SourceFile::new("f.bp", text).unwrap();
    assert_eq!(
        render(&diagnose(text, None)[0], &file),
        "\
error[bp-no-entry]: there is no procedure `main` to start at
 --> f.bp
  = note: procedures here: init, thread0
  = help: name the one to start at: `--entry init`
"
    );
    assert_eq!(diagnose(text, Some("thread1"))[0].help.as_deref(), Some("did you mean `thread0`?"));
    check("decl a;", &["there is no procedure `main` to start at"]);
}

#[test]
fn what_would_be_right() {
    rendered(
        "decl count;\nvoid main() begin\n\tcuont := !count;\n  skip\n  goto LL;\n  L: skip;\nend\n",
        "\
error[bp-expected]: expected `;`, found `goto`
 --> f.bp:5:3
  |
5 |   goto LL;
  |   ^^^^
  = help: end the statement with `;`
note: the statement ends here
 --> f.bp:4:3
  |
4 |   skip
  |   ^^^^
",
    );
    rendered(
        "decl count;\nvoid main() begin\n\tcuont := !count;\n  mian(T);\n  goto LOOP1;\n  LOOP: skip;\nend\n",
        "\
error[bp-unknown-variable]: variable `cuont` is not declared
 --> f.bp:3:2
  |
3 |     cuont := !count;
  |     ^^^^^
  = help: did you mean `count`?
error[bp-unknown-procedure]: procedure `mian` is not defined
 --> f.bp:4:3
  |
4 |   mian(T);
  |   ^^^^
  = help: did you mean `main`?
error[bp-unknown-label]: procedure `main` has no label `LOOP1`
 --> f.bp:5:8
  |
5 |   goto LOOP1;
  |        ^^^^^
  = help: did you mean `LOOP`?
",
    );
    rendered(
        "void main() begin\n  if (*) then\n    skip;\nend\n",
        "\
error[bp-unclosed]: expected `fi`, found `end`: `if` is not closed
 --> f.bp:4:1
  |
4 | end
  | ^^^
  = help: each `if` needs its own `fi`; `elsif`, unlike `else if`, opens no new `if`
note: `if` stands here
 --> f.bp:2:3
  |
2 |   if (*) then
  |   ^^
",
    );
    rendered(
        "bool<2> f() begin\n  return T;\nend\nvoid main() begin\nend\n",
        "\
error[bp-return-count]: return of 1 value in `f`, which returns 2
 --> f.bp:2:3
  |
2 |   return T;
  |   ^^^^^^^^
  = help: return 2 values, or make it `bool f`
note: `f` is defined here
 --> f.bp:1:1
  |
1 | bool<2> f() begin
  | ^^^^^^^^^
",
    );
    rendered(
        "decl if;\nvoid main() begin L: skip; end void f() begin goto L; end",
        "\
error[bp-expected]: expected a name, found `if`
 --> f.bp:1:6
  |
1 | decl if;
  |      ^^
  = help: `if` is a keyword; as a name write `{if}`
",
    );
    rendered(
        "void main() begin L: skip; end\nvoid f() begin goto L; end",
        "\
error[bp-unknown-label]: procedure `f` has no label `L`
 --> f.bp:2:21
  |
2 | void f() begin goto L; end
  |                     ^
  = help: `goto` stays within its procedure
note: another procedure has that label
 --> f.bp:1:19
  |
1 | void main() begin L: skip; end
  |                   ^
",
    );
}
