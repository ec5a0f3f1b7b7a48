//! Formulas with data: those of mCRL2's public examples on their models, as mCRL2 decides them, and
//! small ones for each rule.

use std::path::{Path, PathBuf};

use bes::Method;
use lts::mu::{Dialect, data, parse_with};

fn corpus() -> Option<PathBuf> {
    let root = match std::env::var_os("POSTBOP_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus"),
    };
    let root = root.join("mu");
    root.is_dir().then_some(root)
}

/// The answer, which an explanation must agree with, or why there is none.
fn answer(
    formula: &str,
    model: &lts::ExplicitLts,
    specification: Option<&str>,
) -> Result<bool, String> {
    answer_within(formula, model, specification, 1 << 20)
}

/// The same, with at most so many values for one equation.
fn answer_within(
    formula: &str,
    model: &lts::ExplicitLts,
    specification: Option<&str>,
    most: u64,
) -> Result<bool, String> {
    let data =
        specification.map(|text| data(text).map_err(|e| format!("data: {e}"))).transpose()?;
    let formula =
        parse_with(formula, Dialect::Mcrl2, data.as_ref()).map_err(|e| format!("formula: {e}"))?;
    let question = lts::question(&formula, model.clone(), &["tau"]);
    let mut question = question.map_err(|e| e.to_string())?;
    question.most_values = most;
    let solved = bes::solve(question, Method::Auto, &mut |_| true);
    let (value, mut solver) = solved.map_err(|e| e.to_string())?;
    let key = bes::System::initial(solver.system()).map_err(|e| e.to_string())?;
    let explanation = solver.explain(&key).map_err(|e| e.to_string())?.ok_or("no explanation")?;
    assert_eq!(explanation.value, value);
    let mut system = solver.into_system();
    assert_eq!(
        lts::check_explanation(&mut system, &explanation).map_err(|e| e.to_string())?,
        Ok(())
    );
    Ok(value)
}

fn read(path: &Path) -> lts::ExplicitLts {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    lts::aut::read(bes::gunzip::open(file).unwrap(), &mut |_| true).unwrap()
}

#[test]
fn public_examples() {
    let Some(corpus) = corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("cases.tsv")).unwrap();
    let mut refused = Vec::new();
    let mut count = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let model = read(&corpus.join(cells[1]));
        let formula = std::fs::read_to_string(corpus.join(cells[2])).unwrap();
        let specification = std::fs::read_to_string(corpus.join(cells[3])).unwrap();
        count += 1;
        match answer(&formula, &model, Some(&specification)) {
            Ok(value) => assert_eq!(value, cells[4] == "true", "{}", cells[0]),
            Err(why) => refused.push(format!("{}: {why}", cells[0])),
        }
    }
    assert_eq!(count, 35);
    assert_eq!(refused, Vec::<String>::new());
}

const SMALL: &str = "des (0, 6, 4)\n(0, \"a(3)\", 1)\n(0, \"a(4)\", 2)\n(1, \"b([1, 2])\", 1)\n\
                     (2, \"c(d2(7))|b([])\", 2)\n(2, \"c(d1)\", 3)\n(3, \"e({1, 2})\", 3)\n";

const DATA: &str = "sort D = struct d1 | d2(value: Nat)?is_d2; Id = Nat; L = List(Id);
map f: Nat -> Nat; last: List(Nat) -> Nat; size: D -> Nat; N: Nat; even: Nat -> Bool;
    add: Nat -> (Nat -> Nat); zero: Nat -> Nat; loop: Nat -> Nat;
var n, m: Nat; l: List(Nat);
eqn N = 3; f(n) = n + 1; last([n]) = n; last(n |> m |> l) = last(m |> l);
    size(d1) = 0; size(d2(n)) = n; n mod 2 == 0 -> even(n) = true; n mod 2 == 1 -> even(n) = false;
    add(n)(m) = n + m; zero(n) = 0; loop(n) = loop(n + 1);
act a: Nat; b: List(Nat); c: D; e: Set(Nat);
proc P = delta; init P;";

#[track_caller]
fn check(formula: &str, expected: bool) {
    let model = lts::aut::parse(SMALL).unwrap();
    assert_eq!(answer(formula, &model, Some(DATA)), Ok(expected), "{formula}");
}

#[track_caller]
fn refused(formula: &str, reason: &str) {
    let model = lts::aut::parse(SMALL).unwrap();
    assert_eq!(answer(formula, &model, Some(DATA)), Err(reason.to_owned()), "{formula}");
}

#[test]
fn what_has_no_value_need_not_matter() {
    // As in mCRL2: the rest decides, wherever it stands.
    check("val(head([]) == 1) || val(N == 3)", true);
    check("val(N == 3) || val(head([]) == 1)", true);
    check("val(head([]) == 1) && [true]false", false);
    check("!(val(head([]) == 1) && <a(7)>true)", true);
    check("exists n: Nat. <a(n)>(val(head([]) == n) || val(n == 4))", true);
    check(
        "nu X(l: List(Nat) = [3]). (val(head(l) > 2) || <b([1, 2])>true) && [a(3)]X(tail(l))",
        true,
    );
    check("nu X(l: List(Nat) = [3]). val(head(l) > 3) && [true]X(tail(l))", false);
    refused(
        "nu X(l: List(Nat) = [3]). val(head(l) > 2) && [true]X(tail(l))",
        "`head(l) > 2` has no value",
    );
    refused("val(head([]) == 1) || val(N == 4)", "`head([]) == 1` has no value");
    refused("mu X(n: Nat = 0). <true>X(head([]))", "`head([])` has no value");
    check("mu X(n: Nat = 0). val(n == 0) || <true>X(head([]))", true);
}

#[test]
fn equations_may_begin_with_a_bracket() {
    const SPLIT: &str = "sort L = struct s(t: Nat)?is_s | c(t: Nat);
        map f: L -> Nat; e: L -> Set(L); var a: L;
        eqn !(is_s(a)) -> f(a) = 1; (is_s(a)) -> f(a) = 2;
            (is_s(a)) -> e(a) = { b: L | t(b) == t(a) } + { b: L | is_s(b) }; !is_s(a) -> e(a) = {};";
    let model = lts::aut::parse(SMALL).unwrap();
    let value = |formula: &str| answer(formula, &model, Some(SPLIT));
    assert_eq!(value("val(f(c(1)) == 1 && f(s(1)) == 2)"), Ok(true));
    assert_eq!(value("val(c(1) in e(s(1)) && s(2) in e(s(1)))"), Ok(true));
    assert_eq!(value("val(c(2) in e(s(1)) || s(1) in e(c(1)))"), Ok(false));
    // What is no equation is told, with its place.
    let error = answer("true", &model, Some("map f: Nat; eqn ) f = 1;")).expect_err("no equation");
    assert!(error.starts_with("data: "), "{error}");
}

#[test]
fn quantifiers_over_the_data_of_labels() {
    check("forall n: Nat. [a(n)]val(n == 3)", false);
    check("forall n: Nat. [a(n)]val(n > 2)", true);
    check("exists n: Nat. <a(n)>val(n == 4)", true);
    check("exists n, m: Nat. (val(n > m) && <a(n)>true && <a(m)>true)", true);
    check("exists n, m: Nat. (val(n > m + 1) && <a(n)>true && <a(m)>true)", false);
    check("exists n: Nat. <a(n + 1)>val(n == 3)", true);
    check("exists n: Nat. <a(f(n))>val(n == 3)", true);
    check("exists n: Nat. [a(n)]false", true);
    check("forall n: Nat. <a(n)>true", false);
    check("forall n: Nat. val(n > N && n < 5) => <a(n)>true", true);
    check("forall n: Nat. val(n > 3) => <a(n)>true", false);
    check("exists l: List(Nat). <a(3)><b(l)>val(#l == 2)", true);
    check("exists l: L. <a(3)><b(l)>val(last(l) == 2 && l . 0 == 1)", true);
    check("exists x: Nat. <exists y: Nat. val(y > x) && a(y)>true", true);
    check("<exists y: Nat. val(even(y)) && a(y)>true", true);
    check("<exists y: Nat. val(even(y) && y > 4) && a(y)>true", false);
    check("[!(exists n: Nat. a(n))]false", true);
    check("<forall n: Nat. !a(n)>true", false);
    refused(
        "forall n: Nat. val(f(n) mod 2 < 2)",
        "nothing bounds the quantifier over `n` (1048576 values tried)",
    );
    refused("forall l: List(Nat). val(#l < 3)", "nothing bounds the quantifier over `l`");
    refused("val(loop(0) == 1)", "`loop(0) == 1` takes too many steps to evaluate");
    refused("exists x: Real. val(x > 3 && x < 4)", "nothing bounds the quantifier over `x`");
    refused("val(head([]) == 1)", "`head([]) == 1` has no value");
}

#[test]
fn structured_sorts_and_actions_at_once() {
    check("forall d: D. <a(4)><c(d)>true", false);
    check("exists d: D. <a(4)><c(d)>val(!is_d2(d) && size(d) == 0)", true);
    check("exists d: D. <a(4)><c(d)|b([])>val(value(d) == 7)", true);
    check("exists d: D. <a(4)><b([])|c(d)>val(size(d) == 7)", true);
    check("<a(4)><c(d2(7))>true", false);
    check("<a(4)><exists l: L, d: D. c(d)|b(l)>true", true);
    check("<a(4) . c(d1)><exists s: Set(Nat). val(2 in s) && e(s)>true", true);
    check("<a(4) . c(d1)><e({2, 1} + {})>true", true);
    check("<a(4) . c(d1)><e({ n: Nat | n > 0 && n < 3 })>true", true);
    check("val(d1 < d2(0) && d2(3) < d2(4) && [1] < [1, 0])", true);
}

#[test]
fn expressions() {
    for (expression, value) in [
        ("7 mod 2 * 3 == 1", true),
        ("1 / 2 + 1 / 2 == 1", true),
        ("1 / 3 < 1 / 2 && floor(7 / 2) == 3 && ceil(7 / 2) == 4 && round(5 / 2) == 3", true),
        ("[1, 2] ++ [3] == 1 |> [2] <| 3", true),
        ("rhead([1, 2]) == 2 && rtail([1, 2]) == [1] && tail([1, 2]) == [2]", true),
        ("{1, 2} * {2, 3} == {2} && {1, 2} - {2} == {1} && 3 in !{1}", true),
        ("{1, 1} == {1} && #{1, 1, 2} == 2 && {1} <= {1, 2} && !({1} < {1})", true),
        ("{1: 2, 3: 1} + {1: 1} == {1: 3, 3: 1} && count(1, {1: 2}) == 2 && {:} == {1: 0}", true),
        ("(lambda n: Nat. n * n)(4) == 16 && add(2)(3) == 5", true),
        ("zero[3 -> 7](3) == 7 && zero[3 -> 7](2) == 0 && zero[3 -> 7][3 -> 1](3) == 1", true),
        ("exists n: Nat. n * n == 9 && n < 5", true),
        (
            "(exists x: Real. x == 7 / 2 && x > 3 && x < 4) && !(exists n: Nat. n > 3 && n < 4)",
            true,
        ),
        ("forall n: Nat. n < 4 => n * n < 10", true),
        ("x + y == 7 whr x = 3, y = f(x') whr x' = 3 end end", true),
        ("exp(2, 10) == 1024 && max(3, 5) - min(3, 5) == 2 && abs(-3) == 3", true),
        ("if(true, 1, loop(0)) == 1 && (false && loop(0) == 1) == false", true),
        ("{ n: Nat | even(n) } == { n: Nat | even(n) } || true", true),
        ("4 in { n: Nat | even(n) } + {3} && !(5 in { n: Nat | even(n) } + {3})", true),
        ("value(d2(5)) == 5 && is_d2(d2(5)) && !is_d2(d1)", true),
    ] {
        check(&format!("val({expression})"), value);
    }
}

/// Reproducible numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % n as u64) as usize
    }
}

/// A formula about the variables `N` and `M`, with constants up to 4: what holds for 8 holds for all
/// numbers above.
fn body(random: &mut Random, depth: usize, variables: &[&str]) -> String {
    let x = variables[random.below(variables.len())];
    let y = variables[random.below(variables.len())];
    let c = random.below(5);
    if depth == 0 {
        return match random.below(10) {
            0 => format!("val({x} < {c})"),
            1 => format!("val({x} >= {c})"),
            2 => format!("val({x} == {c})"),
            3 => format!("val({x} != {c})"),
            4 => format!("<a({x})>true"),
            5 => format!("[a({x})]val({x} == {c})"),
            6 => format!("<b({x}, {y})>true"),
            7 => format!("[b({x}, {c})]<a({y})>true"),
            8 => format!("<a({x} + 1)>true"),
            _ => format!("val({x} == {y})"),
        };
    }
    match random.below(4) {
        0 => format!("!({})", body(random, depth - 1, variables)),
        1 => format!(
            "({} && {})",
            body(random, depth - 1, variables),
            body(random, depth - 1, variables)
        ),
        2 => format!(
            "({} || {})",
            body(random, depth - 1, variables),
            body(random, depth - 1, variables)
        ),
        _ => body(random, 0, variables),
    }
}

/// All numbers that are tried, written out.
fn spelled(all: bool, variable: &str, body: &str) -> String {
    let each: Vec<String> =
        (0..9).map(|n| format!("({})", body.replace(variable, &n.to_string()))).collect();
    format!("({})", each.join(if all { " && " } else { " || " }))
}

#[test]
fn quantifiers_against_what_they_stand_for() {
    let mut random = Random(0x5eed_2001);
    let (mut answered, mut total) = (0, 0);
    for _ in 0..1_500 {
        let mut lines = String::new();
        let count = 1 + random.below(4);
        for _ in 0..count {
            let label = match random.below(2) {
                0 => format!("a({})", random.below(5)),
                _ => format!("b({},{})", random.below(5), random.below(5)),
            };
            lines += &format!("({}, \"{label}\", {})\n", random.below(2), random.below(2));
        }
        let model = lts::aut::parse(&format!("des (0, {count}, 2)\n{lines}")).unwrap();
        let (first, second) = (random.below(2) == 0, random.below(2) == 0);
        let word = |all: bool| if all { "forall" } else { "exists" };
        let inner = body(&mut random, 2, &["N", "M"]);
        let outer = body(&mut random, 1, &["N"]);
        let join = ["&&", "||"][random.below(2)];
        let short =
            format!("{} N: Nat. ({outer} {join} ({} M: Nat. {inner}))", word(first), word(second));
        let long = format!("({outer} {join} {})", spelled(second, "M", &inner));
        let long = spelled(first, "N", &long);
        let expected = answer(&long, &model, None).unwrap();
        total += 1;
        match answer_within(&short, &model, None, 1 << 10) {
            Ok(value) => {
                assert_eq!(value, expected, "{short}\n{lines}");
                answered += 1;
            }
            Err(why) => assert!(why.starts_with("nothing bounds"), "{why}: {short}"),
        }
    }
    // The others compare two quantified numbers, which no rule bounds; 1331 are answered today.
    assert!(answered * 100 >= total * 85, "{answered} of {total}");
}

/// Declarations that are written twice, as some of mCRL2's examples have them.
#[test]
fn the_same_declaration_twice() {
    let twice = "sort ID = struct p1 | p2; sort ID = struct p1 | p2;\n\
                 map next: ID -> ID; var i: ID; eqn next(i) = if(i == p1, p2, p1);\n\
                 map next: ID -> ID; eqn next(p1) = p2;";
    let model = lts::aut::parse("des (0, 1, 2)\n(0, \"a(p2)\", 1)\n").unwrap();
    assert_eq!(answer("<a(next(p1))>true", &model, Some(twice)), Ok(true));
    for different in [
        "sort ID = struct p1 | p2; sort ID = struct p1 | p3;",
        "sort ID = struct p1 | p2; ID;",
        "map f: Nat -> Nat; f: Nat -> Bool;",
    ] {
        assert!(lts::mu::data(different).is_err(), "{different}");
    }
}

/// Quantifiers around fixpoints, where the variable is compared with labels only; and where it is not.
#[test]
fn numbers_of_labels() {
    let text = "des (0, 5, 3)\n(0, \"a(1)\", 1)\n(1, \"a(7)|b(9)\", 2)\n(2, \"c(3)\", 0)\n\
                (1, \"a(2)\", 0)\n(2, \"b(9)|a(7)\", 1)\n";
    let model = lts::aut::parse(text).unwrap();
    // Each against all numbers up to one that is in no label.
    for body in [
        "[true*]nu X. mu Y. nu Z. ([a(@)]X && ([a(@)]false || [!a(@)]Y) && [!a(@)]Z)",
        "mu X. ([!a(@)]X || <a(@)>true)",
        "nu X. ([!c(@)]X && <true>true)",
        "nu X. ([c(@)]false && [true]X)",
        "mu X. (<c(@)>true || <true>X)",
        "mu X. (<a(@)|b(9)>true || <true>X)",
        "mu X. (<a(@)|b(@)>true || <true>X)",
        "nu X. [b(@)|a(7)]false && [true]X",
        "nu X. mu Y. (<a(@)>X || <!a(@)>Y)",
    ] {
        let values: Vec<bool> = (0..12)
            .map(|i| answer(&body.replace('@', &i.to_string()), &model, None).unwrap())
            .collect();
        let open = body.replace('@', "i");
        for sort in ["Nat", "Int"] {
            let all = answer(&format!("forall i: {sort}. {open}"), &model, None);
            assert_eq!(all, Ok(values.iter().all(|v| *v)), "forall {open}");
            let one = answer(&format!("exists i: {sort}. {open}"), &model, None);
            assert_eq!(one, Ok(values.iter().any(|v| *v)), "exists {open}");
            let no = answer(&format!("!(forall i: {sort}. {open})"), &model, None);
            assert_eq!(no, Ok(!values.iter().all(|v| *v)), "not forall {open}");
        }
    }
    let two = "exists i, j: Nat. mu X. (<a(i)|b(j)>true || <true>X)";
    assert_eq!(answer(two, &model, None), Ok(true));
    // Calculated with: no value of a label bounds it.
    let calculated = "exists i: Nat. mu X. (<c(i div 2)>false || <true>X)";
    assert!(answer(calculated, &model, None).is_err_and(|e| e.contains("bounds")), "{calculated}");
}

/// Constructors of one name are told apart by their arguments, and a `struct` may stand where a sort does.
#[test]
fn constructors_of_one_name_and_sorts_without_one() {
    let data = "sort A = struct c(x: Nat)?is_n | c(y: Nat, z: Bool)?is_two | d;\n\
                     B = struct c(w: Bool) | e; T = List(struct pair(Nat, b: Bool));\n\
                map f: A -> Nat; l: T;\n\
                var n: Nat; b: Bool;\n\
                eqn f(c(n)) = n; f(c(n, b)) = n + 10; f(d) = 5; l = [pair(1, true), pair(2, false)];\n\
                act p: A; q: B; r: struct pair(Nat, b: Bool);\n\
                init delta;";
    let text = "des (0, 5, 6)\n(0, \"p(c(3))\", 1)\n(1, \"q(c(true))\", 2)\n(2, \"p(c(4, true))\", 3)\n\
                (3, \"p(d)\", 4)\n(4, \"r(pair(2, false))\", 5)\n";
    let model = lts::aut::read(text.as_bytes(), &mut |_| true).unwrap();
    for (formula, expected) in [
        ("<p(c(3)) . q(c(true)) . p(c(4, true)) . p(d)>true", true),
        ("[p(c(4))]false", true),
        (
            "[true*](forall a: A. [p(a)]val(is_n(a) && x(a) == 3 || is_two(a) && y(a) == 4 || a == d))",
            true,
        ),
        ("[true*](forall a: A. [p(a)]val(f(a) > 3))", false),
        ("<true*>(exists a: A. <p(a)>val(f(a) == 14))", true),
        ("[true*](forall v: B. [q(v)]val(v != e && w(v)))", true),
        ("<true*>(exists s: struct pair(Nat, b: Bool). <r(s)>val(!b(s) && s in l))", true),
        ("exists s: struct one | two. val(s != one)", true),
    ] {
        assert_eq!(answer(formula, &model, Some(data)), Ok(expected), "{formula}");
    }
    let twice = "sort A = struct c | d; B = struct e | c;";
    assert!(answer("true", &model, Some(twice)).unwrap_err().contains("twice"));
}

#[test]
fn not_is_a_name_like_others_where_it_is_declared() {
    let data = "sort O = struct up | down; map not: O -> O; eqn not(up) = down; not(down) = up;";
    let model = lts::aut::parse("des (0, 1, 2)\n(0, \"turn(up)\", 1)\n").unwrap();
    let asked = |formula: &str| answer(formula, &model, Some(data));
    assert_eq!(
        asked("exists o: O. <turn(not(o))>val(not(not(o)) == down && !(o == up))"),
        Ok(true)
    );
    assert_eq!(asked("exists o: O. <turn(o)>val(not(o) == o)"), Ok(false));
}
