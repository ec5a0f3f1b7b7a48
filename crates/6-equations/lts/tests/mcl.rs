//! MCL 4: what it has beyond the mu-calculus, each construct against what it stands for.

use bes::{Method, Solver};
use lts::mu::{Dialect, parse};
use lts::{ExplicitLts, aut};

/// A counter to 3 and back, with a name, a loop without end and a way out.
const MODEL: &str = "des (0, 10, 7)\n(0, \"PUT !+1 !abc\", 1)\n(1, \"PUT !2 !abc\", 2)\n\
                     (2, \"PUT !3 !x\", 3)\n(3, \"GET !3\", 4)\n(4, \"GET !2\", 5)\n\
                     (5, \"GET !1\", 0)\n(3, \"IDLE\", 3)\n(3, \"STOP !true\", 6)\n(2, i, 2)\n\
                     (1, \"SAY !\"hello\"\", 1)\n";

fn model() -> ExplicitLts {
    // Labels with quotes in them are not written between quotes.
    aut::parse(&MODEL.replace("\"SAY !\"hello\"\"", "SAY !\"hello\"")).unwrap()
}

fn value(text: &str) -> bool {
    let formula = parse(text, Dialect::Cadp).unwrap_or_else(|e| panic!("{text}: {e} {:?}", e.span));
    let shown = formula.to_string();
    let again = parse(&shown, Dialect::Cadp).unwrap_or_else(|e| panic!("{shown}: {e}"));
    assert_eq!(again.to_string(), shown, "{text}");
    let mut values = Vec::new();
    for (formula, method) in
        [(&formula, Method::Auto), (&again, Method::BreadthFirst), (&formula, Method::Global)]
    {
        let mut solver = Solver::new(lts::question(formula, model(), &["i"]).unwrap());
        values.push(solver.solve(method, &mut |_| true).unwrap());
        let main = bes::System::initial(solver.system()).unwrap();
        let explanation = solver.explain(&main).unwrap().unwrap();
        let checked = bes::check(&mut solver.into_system(), &main, &explanation).unwrap();
        assert_eq!(checked, Ok(()), "{text}");
    }
    assert!(values.iter().all(|&v| v == values[0]), "{text}: {values:?}");
    values[0]
}

#[track_caller]
fn check(text: &str, expected: bool) {
    assert_eq!(value(text), expected, "{text}");
    assert_eq!(value(&format!("not ({text})")), !expected, "not ({text})");
}

#[test]
fn for_ever() {
    check("< true > @", true);
    check("[ true ] -|", false);
    check("< \"IDLE\" > @", false);
    check("< true* . \"IDLE\" > @", true);
    check("< true* > < \"IDLE\" > @", true);
    check("[ true* . {STOP ...} . true ] -|", true);
    check("< {PUT ...}+ . {GET ...}+ > @", true);
    check("< {PUT ...} . {GET ...} > @", false);
    check("< for n:Nat from 1 to 3 do {PUT !n ...} end for . {GET ...}{3} > @", true);
    check("[ true* ] (< true > true implies not [ true ] -|)", true);
}

#[test]
fn repetitions() {
    check("< {PUT ...}{3} > < {GET ...} > true", true);
    check("< {PUT ...}{2} > < {GET ...} > true", false);
    check("< {PUT ...}{0} > < {PUT !1 ...} > true", true);
    check("< {PUT ...}{1 ... 2} . {PUT !3 ?any} > true", true);
    check("< {PUT ...}{0 ... 1} . {PUT !3 ?any} > true", false);
    check("< {PUT ...}{2 ...} . {GET ...} > true", true);
    check("< {PUT ...}{4 ...} > true", false);
    check("[ {PUT ...}{2} ] < {PUT !3 !x} > true", true);
    check("[ true{6} ] < {PUT !1 ...} > true", false);
    check("< ({PUT ...}{3} . {GET ...}{3}){100} > true", true);
    check("< {PUT ?n:Nat ...} . {PUT ...}{n + 1} . {GET ...} > true", true);
    check("exists n:Nat among {0 ... 5} . < {PUT ...}{n} . {STOP !true} > true", true);
    check("exists n:Nat among {0 ... 2} . < {PUT ...}{n} . {STOP !true} > true", false);
    check("forall n:Nat among {3 ... 6} . < true{n} . {STOP !true} > true", true);
}

#[test]
fn data_in_state_formulas() {
    check("let n:Nat := 1 in < {PUT !n ...} > true end let", true);
    check("let n:Nat := 1, m:Nat := 2 in < {PUT !n ...} . {PUT !m ...} > (n < m) end let", true);
    check("let n:Nat := 1 in let n:Nat := n + 1 in (n = 2) end let end let", true);
    check("[ {PUT ?n:Nat ...} ] n = 1", true);
    check("[ true* . {PUT ?n:Nat ...} ] (n <= 3 and n > 0)", true);
    check("[ true* . {PUT ?n:Nat ...} ] (n <= 2 and < true > true)", false);
    check("[ true* . {PUT ?n:Nat ?v:Var} ] (v = abc or n + 1 > 3)", true);
    check("[ true* . {STOP ?b:Bool} ] b", true);
    check("[ {PUT ?n:Nat ...} ] if n = 1 then < {PUT !2 ...} > true else false end if", true);
    check(
        "[ true* . {PUT ?n:Nat ...} ] if n = 1 then < {PUT !2 ...} > true \
         elsif n = 2 then < {PUT !3 ...} > true else < {GET !n} > true end if",
        true,
    );
    check("if < \"IDLE\" > true then false else < {PUT ...} > true end if", true);
    check("if < {PUT ...} > true then [ {PUT ...} ] false end if", false);
    check("if 1 > 2 then false end if", true);
    check(
        "[ true* . {PUT ?n:Nat ...} ] case n is 1 -> < {PUT !2 ...} > true \
         | 2 -> < \"i\" > true | m:Nat where m > 3 -> false | any -> < {GET !n} > true end case",
        true,
    );
    check("case 3 is 1 -> true | 2 -> true end case", false);
    check("nu X (n:Nat := 0) . (n <= 3 and [ {PUT ...} ] X (n + 1))", true);
    check("nu X (n:Nat := 0) . ((n + 0) < 3 and [ {PUT ...} ] X (n + 1))", false);
}

#[test]
fn data_in_regular_formulas() {
    check("< let n:Nat := 1 in {PUT !n ...} . {PUT !(n + 1) ...} end let > true", true);
    check("< {PUT ?n:Nat ...} . if n = 1 then {PUT !2 ...} else {GET !1} end if > true", true);
    check("< {PUT ?n:Nat ...} . if n = 2 then {PUT !2 ...} end if . {PUT !2 ...} > true", true);
    check("[ if 1 = 2 then true elsif 2 = 2 then {PUT ...} else {GET ...} end if ] false", false);
    check("< choice n:Nat among {1 ... 3} in {PUT !n !abc} end choice > true", true);
    check("< choice n:Nat among {2 ... 3} in {PUT !n !abc} end choice > true", false);
    check("[ choice n:Nat in {PUT !n !abc} end choice ] < {PUT !2 ...} > true", true);
    check(
        "< case 2 is 1 -> {GET ...} | 2 -> {PUT !1 ...} | {SAY ...} | any -> nil end case > true",
        true,
    );
    check("< case 7 is 1 -> true | 2 -> true end case > true", false);
    check("< for n:Nat from 1 to 3 do {PUT !n ...} end for . {GET !3} > true", true);
    check("< for n:Int from 3 to 1 step -1 do {GET !n} end for > true", false);
    check(
        "< {PUT ...}* . for n:Int from 3 to 1 step -1 do {GET !n} end for > < {PUT !1 ...} > true",
        true,
    );
    check("< for n:Nat from 1 to 4 do {PUT !n ...} end for > true", false);
    check("< for n:Nat from 2 to 1 do false end for . {PUT ...} > true", true);
    check("[ while 1 = 1 do true end while ] false", true);
    check("< while 1 = 2 do true end while > < {PUT ...} > true", true);
    check("< repeat {PUT ...} until 1 = 1 end repeat > < {PUT !2 ...} > true", true);
}

#[test]
fn loops() {
    // Puts are counted; the sum of the numbers is the result.
    let sum = "loop (s:Nat := 0) : (r:Nat) in {PUT ?n:Nat ...} . continue (s + n) \
               | {GET !3} . exit (s) end loop";
    check(&format!("< {sum} > r = 6"), true);
    check(&format!("< {sum} > r < 6"), false);
    check(&format!("[ {sum} ] r = 6"), true);
    check("< loop in {PUT ...} . continue | {STOP ...} end loop > [ true ] false", true);
    check("< loop in {PUT ...} . continue | {STOP ...} . exit end loop > [ true ] false", true);
    // A round without `continue` is the last one.
    check("< loop (k:Nat := 0) in {PUT ...} end loop > < {PUT !2 ...} > true", true);
    // Ways that never end are none.
    check("< loop in \"i\" . continue end loop > true", false);
    // Loops in loops: the inner one's exit leads to the outer one.
    check(
        "< loop (k:Nat := 0) : (m:Nat) in \
           loop in {PUT ...} . continue | {GET !3} . exit end loop . {GET ...}{2} . \
           if k < 4 then continue (k + 1) else exit (k) end if end loop > m = 4",
        true,
    );
}

#[test]
fn labels() {
    check("< {PUT !1 ?any} > true", true);
    check("< {PUT ?any !abc} > true", true);
    check("< {PUT ?any} > true", false);
    check("< {PUT !1 !abc} > true", true);
    check("< {PUT ...} . {SAY !\"hello\"} > true", true);
    check("< {PUT ...} . {SAY !\"hell\"} > true", false);
    check("[ {PUT ...} . {SAY ?s:String} ] s = \"hello\"", true);
}

#[test]
fn errors() {
    for (text, message) in [
        ("< continue > true", "`continue` stands in no loop"),
        ("< loop (n:Nat := 0) in continue end loop > true", "`continue` takes 1 arguments"),
        ("< loop in exit (1) end loop > true", "`exit` takes 0 arguments"),
        ("let n:Nat := 1 in true", "`end let` expected"),
        ("if true then true", "`elsif`, `else` or `end if` expected"),
        ("< while 1 = 1 do true > true", "`end while` expected"),
        ("< true{1 .. 2} > true", "`...` or `}` expected"),
        ("< for v:Bool from 1 to 2 do true end for > true", "sort Int expected"),
        ("< loop : (r:Nat) in exit (1) end loop > (r) and true", "sort Bool expected"),
        ("case 1 is 1 true end case", "`where` or `->` expected"),
        ("mu X . if X then true else false end if", "odd number of negations"),
    ] {
        let error = match parse(text, Dialect::Cadp) {
            Err(error) => error,
            Ok(formula) => match lts::question(&formula, model(), &["i"]) {
                Err(error) => error,
                Ok(_) => panic!("{text} is read"),
            },
        };
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

/// A model of many states, written down as a parameterised system: the same value, and effort that
/// grows as the model does.
#[test]
fn many_states_as_parameterised_systems() {
    let n = 3_000;
    let mut text = format!("des (0, {}, {n})\n", 2 * n);
    for s in 0..n {
        let label = if s == n - 1 { "LAST" } else { "NEXT" };
        text += &format!("({s}, \"{label} !{}\", {})\n({s}, i, {})\n", s % 7, (s + 1) % n, s / 2);
    }
    let model = aut::parse(&text).unwrap();
    for (formula, expected) in [
        ("< true* . {LAST ...} > true", true),
        ("[ true* . {NEXT ?k:Nat} ] k < 7", true),
        ("[ true* . {NEXT ?k:Nat} ] k < 6", false),
        ("[ true* ] < true* . {LAST !(3000 mod 7)} > true", false),
        ("[ true* ] < true* . {LAST !(2999 mod 7)} > true", true),
    ] {
        let formula = parse(formula, Dialect::Cadp).unwrap();
        let text = lts::to_pbes(&formula, &model, &["i"], &mut || true).unwrap().unwrap();
        let system = bes::pbes::parse(&text).unwrap();
        let mut solver = Solver::new(system.instance().unwrap());
        let value = solver.solve(Method::Auto, &mut |_| true).unwrap();
        assert_eq!(value, expected, "{formula}");
    }
}

/// No depth of nesting costs the call stack.
#[test]
fn depth() {
    let n = 20_000;
    let deep = |open: &str, inner: &str, close: &str| open.repeat(n) + inner + &close.repeat(n);
    for text in [
        deep("let n:Nat := 1 in ", "true", " end let"),
        deep("if true then ", "true", " end if"),
        format!("< {} > true", deep("if 1 = 1 then ", "true", " end if")),
        format!("< {} > true", deep("loop in ", "true", " end loop")),
        format!("< {} > true", deep("(", "true", "){1}")),
        deep("(", "1 = 1", ")"),
    ] {
        let formula = parse(&text, Dialect::Cadp).unwrap();
        assert!(!formula.to_string().is_empty());
    }
}
