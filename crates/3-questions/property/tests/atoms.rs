//! What atoms mean at each place, and what is said of those that mean nothing.

use check::Meaning;
use ir::{Exprs, Program};
use property::{Product, Property, PropertyError, Question};
use source::{SourceFile, render};

fn bp(text: &str) -> Program {
    let file = SourceFile::new("f.bp", text).unwrap();
    let (tree, errors) = front_bp::parse(text, front_bp::Dialect::Standard);
    assert!(errors.is_empty(), "{errors:?}");
    front_bp::lower(&tree, &file, &front_bp::LowerOptions::default()).unwrap()
}

fn rem(text: &str) -> Program {
    let file = SourceFile::new("f.rem", text).unwrap();
    let (tree, errors) = front_remopla::parse(text);
    assert!(errors.is_empty(), "{errors:?}");
    front_remopla::lower(&tree, &file, &front_remopla::LowerOptions::default()).unwrap()
}

fn pds(text: &str) -> Program {
    let file = SourceFile::new("f.pds", text).unwrap();
    let (tree, errors) = front_remopla::pds::parse(text);
    assert!(errors.is_empty(), "{errors:?}");
    front_remopla::pds::lower(&tree, &file, &front_remopla::LowerOptions::default()).unwrap()
}

fn two_procs() -> Program {
    bp("decl g, Flag, {*p == 1}, done;
        void main() begin decl x; x, g := f(g); M: skip; 7: skip; end
        bool<2> f(x) begin decl y; L: y := x; M: return y, y; end")
}

fn numbers() -> Program {
    rem("define LIMIT 5
         enum mode {idle, busy};
         enum mode m; int n(3), a[4](2), c[1,2](2); bool b[2]; bool t;
         init main;
         module void main() { int i(2); L: n = n + 1; i = a[i]; f(i); goto L; }
         module void f(int k(2)) { R: k = 1; }")
}

fn product(program: &Program, formula: &str) -> Product {
    match Property::ltl(formula).question(program) {
        Ok(Question::Product(product)) => *product,
        other => panic!("{formula}: {other:?}"),
    }
}

/// What an atom means: `label: condition` for every labelled node, then what it is at the end of a
/// finished and of a failed run.
fn told(program: &Program, atom: &str) -> String {
    // `X` keeps the rest of the formula from being simplified away.
    let Product { temporal, .. } = product(program, &format!("X ({atom})"));
    let temporal = temporal.expect("a formula about infinite runs");
    let [Meaning { at, terminated, failed }] = &temporal.atoms[..] else { panic!("one atom") };
    let mut extended = program.clone();
    extended.exprs = temporal.exprs.clone();
    let show = |e| match e {
        Exprs::TRUE => "true".to_owned(),
        Exprs::FALSE => "false".to_owned(),
        e => {
            let text = ir::expr_text(&extended, e);
            let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
            inner.unwrap_or(&text).to_owned()
        }
    };
    let mut out: Vec<String> = program
        .labels
        .iter()
        .map(|l| {
            let name = program.proc_name(program.nodes[l.node].proc);
            format!("{name}:{} {}", program.text(l.name), show(at[l.node]))
        })
        .collect();
    out.push(show(*terminated));
    out.push(show(*failed));
    out.join(", ")
}

#[test]
fn meanings_in_boolean_programs() {
    let program = two_procs();
    for (atom, expected) in [
        ("g", "main:M g, main:7 g, f:L g, f:M g, g, g"),
        ("Flag", "main:M Flag, main:7 Flag, f:L Flag, f:M Flag, Flag, Flag"),
        ("main::x", "main:M x, main:7 x, f:L false, f:M false, false, false"),
        ("f::x", "main:M false, main:7 false, f:L x, f:M x, false, false"),
        ("\"!f::x\"", "main:M false, main:7 false, f:L !x, f:M !x, false, false"),
        ("\"f::x & main::x\"", "main:M false, main:7 false, f:L false, f:M false, false, false"),
        ("at(M)", "main:M true, main:7 false, f:L false, f:M true, false, false"),
        ("at(f:M)", "main:M false, main:7 false, f:L false, f:M true, false, false"),
        ("at(7)", "main:M false, main:7 true, f:L false, f:M false, false, false"),
        ("in(f)", "main:M false, main:7 false, f:L true, f:M true, false, false"),
        ("terminated", "main:M false, main:7 false, f:L false, f:M false, true, false"),
        ("error", "main:M false, main:7 false, f:L false, f:M false, false, true"),
    ] {
        assert_eq!(told(&program, atom), expected, "{atom}");
    }
}

/// A condition on globals, the same everywhere.
#[track_caller]
fn means(program: &Program, text: &str, expected: &str) {
    let told = told(program, &format!("\"{text}\""));
    let last = told.rsplit(", ").next().unwrap().to_owned();
    assert_eq!(last, expected, "{text}");
}

#[test]
fn expressions() {
    let p = two_procs();
    means(&p, "g", "g");
    means(&p, "{*p == 1}", "{*p == 1}");
    means(&p, "1", "true");
    means(&p, "true && F", "false");
    means(&p, "g = 1", "g");
    means(&p, "g != T", "!g");
    means(&p, "0 <-> g", "!g");
    means(&p, "!g != done", "!g ^ done");
    means(&p, "g | done & Flag", "g | (done & Flag)");
    means(&p, "g || done ^ Flag && g", "g | (done ^ (Flag & g))");
    means(&p, "g -> done -> Flag", "g => (done => Flag)");
    means(&p, "(g -> done) => Flag", "(g => done) => Flag");
    means(&p, "g <-> !done", "g <=> !done");
    means(&p, "~ ~ g", "g");
    let p = numbers();
    means(&p, "n = 1 + 2 * 3", "n == (1 + (2 * 3))");
    means(&p, "n-1-1 >= 0", "((n - 1) - 1) >= 0");
    means(&p, "-n < 0", "(0 - n) < 0");
    means(&p, "n == LIMIT", "n == 5");
    means(&p, "m == busy", "m == 1");
    means(&p, "a[n] > c[n - 1]", "a[n] > c[(n - 1)]");
    means(&p, "b[0] && !b[1] || t", "(b[0] & !b[1]) | t");
    means(&p, "a[a[0]] << 1 < n / 2", "(a[a[0]] << 1) < (n / 2)");
    means(&p, "(n & 3 | 4) = (n ^ 1) >> 1", "((n &. 3) |. 4) == ((n ^. 1) >> 1)");
    means(&p, "t == (n == 1)", "t <=> (n == 1)");
    // The first statement of a module is labelled with the module's name.
    assert_eq!(
        told(&p, "\"main::i + n == 1\""),
        "main:L (i + n) == 1, main:main (i + n) == 1, f:R false, f:f false, false, false"
    );
}

#[test]
fn control_locations_of_pushdown_systems() {
    let program = pds("(p <y>)\np <y> --> q <y y>\nq <y> --> p <>\np <y> --> q <z>\n");
    let told = |atom| told(&program, atom);
    assert_eq!(told("q").rsplit(", ").next(), Some("control == 1"));
    assert_eq!(told("\"control == p\"").rsplit(", ").next(), Some("control == 0"));
    assert!(told("at(y)").contains(":y true"));
}

/// The error as it is printed.
fn error(program: &Program, formula: &str, fair: &[&str]) -> String {
    let fair = fair.iter().map(|&f| f.to_owned()).collect();
    let property = Property::Ltl { formula: formula.to_owned(), fair };
    let error = property.question(program).unwrap_err();
    let (name, text) = error.text().expect("the error is in a formula");
    render(&error.diagnostic(), &SourceFile::new(name, text).unwrap())
}

/// Message, marked text and help of an error.
#[track_caller]
fn fails(program: &Program, formula: &str, message: &str, marked: &str, help: &str) {
    let error = Property::ltl(formula).question(program).unwrap_err();
    assert_eq!(error.to_string(), message, "{formula}");
    let diagnostic = error.diagnostic();
    assert_eq!(diagnostic.message, message, "{formula}");
    assert_eq!(&formula[diagnostic.span.unwrap().range()], marked, "{formula}");
    assert_eq!(diagnostic.help.unwrap_or_default(), help, "{formula}");
}

#[test]
fn unknown_names() {
    let p = two_procs();
    let known = "did you mean `done`?";
    fails(&p, "G dnoe", "there is no global variable `dnoe`", "dnoe", known);
    fails(&p, "G \"g & dnoe\"", "there is no global variable `dnoe`", "dnoe", known);
    fails(&p, "F x", "there is no global variable `x`", "x", "write `main::x`");
    fails(&p, "F \"y\"", "there is no global variable `y`", "y", "write `f::y`");
    fails(&p, "F L", "there is no global variable `L`", "L", "write `at(L)`");
    fails(&p, "G f", "there is no global variable `f`", "f", "write `in(f)`");
    fails(&p, "G zzz", "there is no global variable `zzz`", "zzz", "");
    fails(&p, "G Flga", "there is no global variable `lga`", "Flga", "did you mean `Flag`?");
    fails(&p, "main::y", "`main` has no variable `y`", "main::y", "");
    fails(&p, "G main::g", "`main` has no variable `g`", "main::g", "write `g`");
    fails(&p, "G \"mian::x\"", "there is no procedure `mian`", "mian::x", "did you mean `main`?");
    fails(&p, "F in(mian)", "there is no procedure `mian`", "in(mian)", "did you mean `main`?");
    let labels = "the labels are M, 7, L";
    fails(&p, "F at(Q)", "no statement is labelled `Q`", "at(Q)", labels);
    let help = "did you mean `f:L`?";
    fails(&p, "at(main:L)", "no statement of `main` is labelled `L`", "at(main:L)", help);
    let help = "did you mean `terminated`?";
    fails(&p, "F terminate", "there is no global variable `terminate`", "terminate", help);
}

#[test]
fn wrong_types() {
    let p = numbers();
    let compare = |x: &str| format!("compare it with a number, as in `\"{x} == 1\"`");
    fails(&p, "G n", "`n` is a number, not a truth value", "n", &compare("n"));
    let message = "`main::i` is a number, not a truth value";
    fails(&p, "main::i", message, "main::i", &compare("main::i"));
    fails(&p, "\"n && t\"", "`n` is a number, not a truth value", "n", &compare("n"));
    let help = "compare it with a number, as in `\"x + 1 == y\"`";
    fails(&p, "\"n + 1\"", "this is a number, not a truth value", "n + 1", help);
    let help = "`&&`, `||`, `!`, `==` and `!=` work on truth values";
    fails(&p, "\"t + 1 == 2\"", "`t` is a truth value, not a number", "t", help);
    fails(&p, "\"(n == 1) < 2\"", "this is a truth value, not a number", "(n == 1)", help);
    let help = "name a cell in quotes, as in `\"a[0] == 1\"`";
    fails(&p, "G a", "`a` is an array", "a", help);
    let help = "name a cell in quotes, as in `\"b[0]\"`";
    fails(&p, "G \"b\"", "`b` is an array", "b", help);
    fails(&p, "\"n[1] == 1\"", "`n` is not an array", "n", "");
    let help = "`a` has one index; two dimensions count row by row, from 0";
    fails(&p, "\"a[1][1] == 1\"", "`a` is not an array of arrays", "a", help);
    fails(&p, "busy", "there is no global variable `busy`", "busy", "write `\"x == busy\"`");
}

#[test]
fn indices_that_never_fit() {
    let p = numbers();
    let message = "this index of `a` never fits: its cells are 0 to 3";
    fails(&p, "G \"a[4] == 1\"", message, "4", "");
    fails(&p, "G \"a[n + 4] == 1\"", message, "n + 4", "");
    fails(&p, "G \"a[-1] == 1\"", message, "1", "");
    fails(&p, "G \"a[0 - n * 2 - 1] == 1\"", message, "0 - n * 2 - 1", "");
    let message = "this index of `c` never fits: its cells are 1 to 2";
    fails(&p, "G \"c[0] == 1\"", message, "0", "");
    means(&p, "a[n] == 1", "a[n] == 1");
}

#[test]
fn texts_that_do_not_parse() {
    let p = numbers();
    let formulas = "`G` needs a formula on its right, as in `G p`";
    fails(&p, "t && G", "expected a formula, found the end", "", formulas);
    fails(&p, "(t", "`(` is not closed", "(", "add `)`");
    let operand = |found: &str| format!("expected a variable or a value, found {found}");
    fails(&p, "\"n == \"", &operand("the end"), "", "");
    fails(&p, "\"n == * 2\"", &operand("`*`"), "*", "");
    fails(&p, "\"main:: == 2\"", &operand("`=`"), "=", "");
    let operators = "the operators are && || ! -> <-> == != < <= > >= + - * /";
    fails(&p, "\"n 2\"", "expected an operator, found `2`", "2", operators);
    fails(&p, "\"n := 2\"", "expected an operator, found `:`", ":", operators);
    fails(&p, "\"(t\"", "`(` has no partner", "(", "");
    fails(&p, "\"t)\"", "`)` has no partner", ")", "");
    fails(&p, "\"a[(1] == 1\"", "`]` has no partner", "]", "");
    fails(&p, "\"n < 4294967296\"", "the number `4294967296` is too large", "4294967296", "");
    let wide = "the values of this expression need more than 100 bits";
    let text = format!("\"{} == 1\"", vec!["n"; 30].join("*"));
    let error = Property::ltl(&text).question(&p).unwrap_err();
    assert_eq!(error.to_string(), wide);
}

#[test]
fn errors_are_printed_with_their_place() {
    let program = two_procs();
    assert_eq!(
        error(&program, "G (g -> F \"dnoe\")", &[]),
        "\
error[unknown-variable]: there is no global variable `dnoe`
 --> formula:1:12
  |
1 | G (g -> F \"dnoe\")
  |            ^^^^
  = help: did you mean `done`?
"
    );
    assert_eq!(
        error(&program, "G g", &["g", "Flgas"]),
        "\
error[unknown-variable]: there is no global variable `lgas`
 --> fairness formula 2:1:1
  |
1 | Flgas
  | ^^^^^
  = note: `Flgas` is read as `F lgas`
"
    );
}

#[test]
fn deep_nesting_costs_no_stack() {
    let program = two_procs();
    let deep = |open: &str, close: &str| {
        let n = 100_000;
        format!("\"{}g{}\"", open.repeat(n), close.repeat(n))
    };
    for text in [deep("(", ")"), deep("!", ""), deep("g -> ", "")] {
        assert!(Property::ltl(&text).question(&program).is_ok());
    }
    let text = deep("(", "");
    assert!(matches!(Property::ltl(text).question(&program), Err(PropertyError::Formula(_))));
}

/// Texts made of tokens at random are refused or accepted, and what is accepted gives a valid
/// product.
#[test]
fn random_expressions() {
    let tokens = [
        "g",
        "main::x",
        "f::",
        "{*p == 1}",
        "{",
        "}",
        "n",
        "a",
        "b",
        "[",
        "]",
        "[0]",
        "(",
        ")",
        "!",
        "-",
        "+",
        "*",
        "/",
        "<<",
        "==",
        "=",
        "<",
        "&&",
        "|",
        "->",
        "<->",
        "0",
        "1",
        "7",
        "LIMIT",
        "busy",
        "true",
        "ä",
        "'",
        "\n",
        "::",
        ".",
        "t",
    ];
    let mut rng = testkit::rng::Rng::new(3);
    let programs = [two_procs(), numbers()];
    let mut accepted = 0;
    for _ in 0..20_000 {
        let count = rng.between(1, 8);
        let text: Vec<&str> = (0..count).map(|_| *rng.pick(&tokens)).collect();
        let program = rng.pick(&programs);
        match Property::ltl(format!("\"{}\"", text.join(" "))).question(program) {
            Ok(Question::Product(product)) => {
                accepted += 1;
                product.program.validate().unwrap();
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                let (_, text) = error.text().unwrap();
                let span = error.diagnostic().span.unwrap();
                assert!(text.get(span.range()).is_some(), "{text}: {span:?}");
            }
        }
    }
    assert!(accepted > 200, "{accepted}");
}
