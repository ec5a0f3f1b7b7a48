//! Files and formulas: errors with their places, depth, and examples of each construct.

use bes::{Method, Solver};
use lts::mu::{Dialect, parse};
use lts::{ExplicitLts, aut, blk};

fn holds(text: &str, dialect: Dialect, model: &mut ExplicitLts) -> bool {
    let formula = parse(text, dialect).unwrap_or_else(|e| panic!("{text}: {e} {:?}", e.span));
    assert_eq!(parse(&formula.to_string(), dialect).unwrap(), formula, "{formula}");
    let mut solver = Solver::new(lts::question(&formula, model, &["i"]).unwrap());
    solver.solve(Method::Auto, &mut |_| true).unwrap()
}

#[test]
fn aut_files() {
    let text = " des( 0 ,3, 2 )\r\n\n( 0 , \"a b\" , 1 )\n(1,G !1, !2,0)\n  (1, i, 1) \n";
    let model = aut::parse(text).unwrap();
    assert_eq!(model.labels(), ["a b", "G !1, !2", "i"]);
    let mut out = Vec::new();
    aut::write(&model, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out, "des (0, 3, 2)\n(0, \"a b\", 1)\n(1, \"G !1, !2\", 0)\n(1, i, 1)\n");
    for (text, message) in [
        ("", "line 1: `des (initial, transitions, states)` expected"),
        ("des (0,1)", "line 1: `des (initial, transitions, states)` expected"),
        ("des (2,0,2)", "line 1: state 2, of 2"),
        ("des (0,1,1)\n", "the header announces 1 transitions, the file has 0"),
        ("des (0,0,1)\n(0,a,0)", "the header announces 0 transitions, the file has 1"),
        ("des (0,1,1)\n\n(0,a,7)", "line 3: state 7, of 1"),
        ("des (0,1,1)\n(0 a,0)", "line 2: `(from, label, to)` expected"),
        ("des (0,1,1)\n(0,a,0", "line 2: `(from, label, to)` expected"),
        ("des (0,1,1)\n(0,\"a,0)", "line 2: the label's quotes do not end"),
        ("des (0,1,99999999999)\n", "line 1: too many states or transitions"),
    ] {
        assert_eq!(aut::parse(text).unwrap_err().to_string(), message, "{text}");
    }
    let error = aut::read(&b"des (0,1,1)\n(0,\"\xff\",0)"[..], &mut |_| true).unwrap_err();
    assert_eq!(error.to_string(), "line 2: not UTF-8");
}

const MODEL: &str = "des (0, 6, 4)\n(0, \"SEND !1 !x\", 1)\n(0, i, 0)\n(1, \"RECV !1\", 2)\n\
                     (1, \"LOSE !x\", 0)\n(2, \"SEND !2 !y\", 3)\n(3, \"done(2, true)\", 3)\n";

#[track_caller]
fn check(text: &str, dialect: Dialect, expected: bool) {
    assert_eq!(holds(text, dialect, &mut aut::parse(MODEL).unwrap()), expected, "{text}");
}

#[test]
fn formulas() {
    use Dialect::{Cadp, Mcrl2};
    check("<true*.RECV(1)>true", Mcrl2, true);
    check("<tau*.SEND(1, x).RECV(2)>true", Mcrl2, false);
    check("[true*]<true>true", Mcrl2, true);
    check("[tau*](<tau>true && <SEND(1, x)>true)", Mcrl2, true);
    check("<SEND(1, x) . RECV(1) . (SEND(2, y) + tau) . done(2, true)+>true", Mcrl2, true);
    check("exists n: Nat. <exists v: Var. SEND(n, v)>true", Mcrl2, true);
    check("nu X(n: Nat = 0). val(n <= 3) && [SEND(1, x)]X(n + 1)", Mcrl2, true);
    check(
        "nu X(n: Nat = 0). [!tau]X(n) && [tau]X(if(n > 3, n, n + 1)) && val(n < 2)",
        Mcrl2,
        false,
    );
    check("sort D = struct x | y; form <exists d: D. SEND(1, d)>true;", Mcrl2, true);
    check("sort D = struct p | q; form <exists d: D. SEND(1, d)>true;", Mcrl2, false);
    check("!(mu X. [true]X)", Mcrl2, true);
    check("< {SEND ?n:Nat ?v:Var} . {RECV !n} > true", Cadp, true);
    check("< {SEND ?n:Nat ?v:Var} . {RECV !(n + 1)} > true", Cadp, false);
    check("[ {SEND ?n:Nat ...} ] < {LOSE ?v:Var where v = x} > true", Cadp, true);
    check("[ 'SEND.*' ] < \"RECV !1\" | nil > < {LOSE !x} > true", Cadp, true);
    check("< true* > ( < {done ...} > true and not < tau > true )", Cadp, true);
    check("forall n:Nat among {1 ... 2} . < true* . {SEND !n ...} > true", Cadp, true);
    check("forall n:Nat among {1 ... 3} . < true* . {SEND !n ...} > true", Cadp, false);
    let text = "macro EVENTUALLY (A) = mu X . (< A > true or < true > X) end_macro\n\
                macro TWICE (F, G) = (F) and (G) end_macro\n\
                TWICE (EVENTUALLY ({RECV ...}), not EVENTUALLY (\"nothing\"))";
    check(text, Cadp, true);
    check("<val(1 > 2) || tau>true", Mcrl2, true);
    check("[exists v: Var. SEND(1, v) && val(v == y)]false", Mcrl2, true);
    let formula = parse("<!val(1 div 0 == 1)>true", Mcrl2).unwrap();
    let model = aut::parse(MODEL).unwrap();
    let mut solver = Solver::new(lts::question(&formula, model, &["i"]).unwrap());
    let error = solver.solve(Method::Auto, &mut |_| true).unwrap_err().to_string();
    let expected = "`a test of the action formula, at the label SEND !1 !x` has no value";
    assert_eq!(error, expected);
    // Sharing: nested repetitions stay small.
    let nested = "(".repeat(60) + "true" + &")+".repeat(60);
    check(&format!("<{nested}>true"), Mcrl2, true);
    let choices = "(true + ".repeat(60) + "true" + &")".repeat(60);
    check(&format!("<{}>true", vec![choices; 20].join(".")), Mcrl2, true);
}

#[track_caller]
fn refused(text: &str, dialect: Dialect, message: &str, marked: &str) {
    let error = match parse(text, dialect) {
        Err(error) => error,
        Ok(formula) => {
            let model = aut::parse(MODEL).unwrap();
            match lts::question(&formula, model, &["i"]) {
                Err(error) => error,
                Ok(_) => panic!("{text} was accepted"),
            }
        }
    };
    assert_eq!(error.to_string(), message, "{text}");
    assert_eq!(&text[error.span.range()], marked, "{text}");
}

#[test]
fn errors() {
    use Dialect::{Cadp, Mcrl2};
    refused("mu X. [true]Y", Mcrl2, "fixpoint variable `Y` is not declared", "Y");
    refused("mu X. !X", Mcrl2, "variable `X` occurs under an odd number of negations", "X");
    refused("<a", Mcrl2, "an operator or `>` expected, found the end of the text", "");
    refused("[a>true", Mcrl2, "an operator or `]` expected, found `>`", ">");
    refused("<!(a*)>true", Mcrl2, "an action formula expected, found a regular formula", "a*");
    refused("<a@3>true", Mcrl2, "an action with a time is not supported", "@");
    refused("mu X(n: Nat = 0). X", Mcrl2, "`X` takes 1 arguments, 0 are given", "X");
    refused(
        "mu X(n: Nat = 0). X(true)",
        Mcrl2,
        "an expression of sort Nat expected, this one is of sort Bool",
        "true",
    );
    refused("true && ", Mcrl2, "a formula expected, found the end of the text", "");
    refused("true) ", Mcrl2, "an operator or the end of the formula expected, found `)`", ")");
    refused("< 'a\\(' > true", Cadp, "`\\(` without `\\)`", "\\");
    refused("< {G ?x:Foo} > true", Cadp, "sort `Foo` is not declared", "Foo");
    refused(
        "macro M (P) = P end_macro M (true, true)",
        Cadp,
        "`M` takes 1 arguments, 2 are given",
        "M (true, true)",
    );
    refused(
        "macro M (P) = < P > true end_macro M (true and)",
        Cadp,
        "an action formula expected, found `>`",
        "M (true and)",
    );
    refused("macro M () = true", Cadp, "the macro does not end", "M");
    refused(
        "macro M () = M () end_macro M ()",
        Cadp,
        "macros grow beyond 16 MiB or 100,000 uses",
        "M ()",
    );
    refused("(* ", Cadp, "the comment does not end", "(*");
}

#[test]
fn depth() {
    let deep = |open: &str, inner: &str, close: &str| {
        let n = 50_000;
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let mut model = aut::parse("des (0, 1, 1)\n(0, a, 0)\n").unwrap();
    for (text, dialect) in [
        (deep("(", "true", ")"), Dialect::Mcrl2),
        (deep("<a>", "true", ""), Dialect::Mcrl2),
        (deep("!", "true", ""), Dialect::Mcrl2),
        (deep("(true && ", "true", ")"), Dialect::Mcrl2),
        (format!("<{}>true", deep("(", "a", ")")), Dialect::Mcrl2),
        (format!("<{}>true", deep("(", "a", ")*")), Dialect::Mcrl2),
        (format!("<{}>true", deep("(a . ", "a", ")")), Dialect::Mcrl2),
        (format!("<{}>true", deep("!(", "a", ")")), Dialect::Mcrl2),
        (format!("<{}>true", deep("(exists d: Bool. ", "a", ")")), Dialect::Mcrl2),
        (format!("< {} > true", deep("not (", "'a'", ")")), Dialect::Cadp),
        (deep("mu X . nu Y . (", "X", ")"), Dialect::Cadp),
    ] {
        let formula = parse(&text, dialect).unwrap();
        assert_eq!(parse(&formula.to_string(), dialect).unwrap(), formula);
        let mut solver = Solver::new(lts::question(&formula, &mut model, &["i"]).unwrap());
        solver.solve(Method::Auto, &mut |_| true).unwrap();
    }
}

/// The system printed in [pbes §5.1].
const PRINTED: &str = "block mu B is
  Y1_x = Y2_x or Y3_x
  Y2_x = < \"BOOL x\" > TRUE
  Y3_x = Y4_x or Y5_x
  Y4_x = < \"ASSIGN y x\" > Y1_y
  Y5_x = < not \"ASSIGN x y\" > Y1_x
  Y1_y = Y2_y or Y3_y
  Y2_y = < \"BOOL y\" > TRUE
  Y3_y = Y4_y or Y5_y
  Y4_y = < \"ASSIGN x y\" > Y1_x
  Y5_y = < not \"ASSIGN y x\" > Y1_y
end block
";

#[test]
fn modal_systems() {
    let mut model = aut::parse(
        "des (0, 4, 4)\n(0, \"BOOL x\", 1)\n(1, \"ASSIGN y x\", 2)\n(2, \"ASSIGN y y\", 0)\n\
         (0, i, 3)\n",
    )
    .unwrap();
    for (variable, expected) in [("Y1_x", true), ("Y1_y", false)] {
        let text = format!("{PRINTED}eval B:{variable}\n");
        let system = blk::parse(&text).unwrap();
        assert_eq!(system.to_string(), text);
        assert_eq!(blk::parse(&system.to_string()).unwrap(), system);
        let mut solver = Solver::new(system.on(&mut model, &["i"]).unwrap());
        assert_eq!(solver.solve(Method::Auto, &mut |_| true), Ok(expected), "{variable}");
    }
    let two = "block nu A is X = [ true ] X and B:Y end block\n\
               block mu B is Y = < true > Y or [ true ] FALSE end block";
    let system = blk::parse(two).unwrap();
    let mut solver = Solver::new(system.on(&mut model, &["i"]).unwrap());
    assert_eq!(solver.solve(Method::Auto, &mut |_| true), Ok(true));
    for (text, message) in [
        ("block mu B is X = Z end block", "variable `Z` is not declared"),
        ("block mu B is X = TRUE end block eval C:X", "block `C` is not declared"),
        ("block mu B is X = TRUE X = TRUE end block", "variable `X` is declared twice"),
        ("block B is", "`mu` or `nu` expected, found `B`"),
    ] {
        assert_eq!(blk::parse(text).unwrap_err().to_string(), message);
    }
}
