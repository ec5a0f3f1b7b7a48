//! Formulas as text: what is read, what is written, and what is said about mistakes.

use crate::common::{Rng, atoms, random_formula};
use automata::ltl::{Atom, Binary, Formulas, Node, Unary, parse, parse_atom, parse_with};
use source::{SourceFile, render};

/// The formula with all its parentheses.
#[track_caller]
fn check(text: &str, expected: &str) {
    let formula = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(formula.to_string(), expected, "{text}");
    let again = parse(expected).unwrap_or_else(|error| panic!("{expected}: {error}"));
    assert_eq!(again.to_string(), expected);
}

#[test]
fn precedences() {
    check("a -> b <-> c -> d", "(a -> (b <-> (c -> d)))");
    check("a -> b ^ c | d & e U f", "(a -> (b ^ (c | (d & (e U f)))))");
    check("a U b U c", "(a U (b U c))");
    check("a U b R c W d M e V f", "(a U (b R (c W (d M (e R f)))))");
    check("a & b & c | d | e xor f", "(((((a & b) & c) | d) | e) ^ f)");
    check("F a U G b", "(F a U G b)");
    check("!a U b", "(!a U b)");
    check("X!a&b", "(X !a & b)");
    check("!X a", "!X a");
    check("G(a -> F b)", "G (a -> F b)");
    check("[]<>a && ~b || c => d <=> e", "(((G F a & !b) | c) -> (d <-> e))");
    check("a /\\ b \\/ c", "((a & b) | c)");
    check("((((a))))", "a");
    check("true & false | 1 & 0", "((1 & 0) | (1 & 0))");
}

#[test]
fn words() {
    check("GFp0", "G F p0");
    check("GFGFXXp", "G F G F X X p");
    check("X(0)", "X 0");
    check("aUb", "aUb");
    check("a Ub", "(a U b)");
    check("a UXb", "(a U X b)");
    check("F1 & X_0 & G2a", "((F1 & X_0) & G2a)");
    check("p.x#1 & $y & _", "((p.x#1 & $y) & _)");
    check("Use & Rest", "(Use & Rest)");
    check("xory", "xory");
    check("{a b} & {*p == *q}", "({a b} & {*p == *q})");
    let known = |word: &str| word == "Flag" || word == "U";
    assert_eq!(parse_with("G Flag U U", &known).unwrap().to_string(), "(G \"Flag\" U \"U\")");
    let split = parse("G Flag").unwrap();
    assert_eq!(split.to_string(), "G F lag");
    assert_eq!(split.split_words.len(), 1);
    assert_eq!(split.split_words[0].range(), 2..6);
}

#[test]
fn atoms_of_programs() {
    check(
        "at(L) & at(main:L1) & at( f : 12 ) & at({a b})",
        "(((at(L) & at(main:L1)) & at(f:12)) & at({a b}))",
    );
    check("in(main) U in({f g})", "(in(main) U in({f g}))");
    check("main::x & f :: {y z} & {f}::{y}", "((main::x & f::{y z}) & {f}::{y})");
    check("terminated | error", "(terminated | error)");
    check("\"x == 1 & {y}\"", "\"x == 1 & {y}\"");
    check("at & in & error::x", "((at & in) & error::x)");
    let formula = parse("p U (G p & at(L))").unwrap();
    assert_eq!(formula.formulas.atoms().len(), 2);
    let spans: Vec<_> = formula
        .formulas
        .atoms_of(formula.root)
        .into_iter()
        .map(|atom| formula.formulas.atom_span(atom).unwrap().range())
        .collect();
    assert_eq!(spans, [0..1, 11..16]);
}

#[test]
fn atoms_read_back() {
    let var = |name: &str| Atom::Var(name.to_owned());
    let all = [
        var("x"),
        var("{a b}"),
        var("F1"),
        Atom::Local { proc: "f".into(), var: "{x}".into() },
        Atom::Expr("x == 1".into()),
        Atom::At { proc: None, label: "12".into() },
        Atom::At { proc: Some("f".into()), label: "L".into() },
        Atom::In("f".into()),
        Atom::Terminated,
        Atom::Error,
    ];
    for atom in all {
        assert_eq!(parse_atom(&atom.to_string()), Some(atom.clone()), "{atom}");
    }
    // Names that operators shadow are shown as expressions.
    assert_eq!(var("Flag").to_string(), "\"Flag\"");
    assert_eq!(var("U").to_string(), "\"U\"");
    assert_eq!(var("error").to_string(), "\"error\"");
    assert_eq!(parse_atom("a & b"), None);
    assert_eq!(parse_atom(""), None);
}

/// The error, as a compiler would show it, without the first line's code.
#[track_caller]
fn complain(text: &str, expected: &str) {
    let error = parse(text).expect_err(text);
    let diagnostic = error.diagnostic();
    let file = SourceFile::new("formula", text).unwrap();
    assert!(!render(&diagnostic, &file).is_empty());
    let place = diagnostic.span.unwrap().range();
    let help = diagnostic.help.unwrap_or_default();
    let said = format!("{}..{}: {}; {help}", place.start, place.end, diagnostic.message);
    assert_eq!(said, expected, "{text}");
}

#[test]
fn mistakes() {
    let made = "a formula is made of names and operators, as in `G (p -> F q)`";
    let operators = "the operators are & | -> <-> ^ U R W M between formulas";
    complain("", &format!("0..0: expected a formula, found the end; {made}"));
    complain("( )", &format!("2..3: expected a formula, found `)`; {made}"));
    complain(
        "a &",
        "3..3: expected a formula, found the end; `&` needs a formula on its right, as in `& p`",
    );
    complain(
        "G",
        "1..1: expected a formula, found the end; `G` needs a formula on its right, as in `G p`",
    );
    complain(
        "U b",
        "0..1: expected a formula, found the operator `U`; an operator between formulas needs one \
         on its left, as in `p U q`",
    );
    complain(
        "& b",
        "0..1: expected a formula, found the operator `&`; an operator between formulas needs one \
         on its left, as in `p U q`",
    );
    complain("a b", &format!("2..3: expected an operator, found `b`; {operators}"));
    complain("a (b)", &format!("2..3: expected an operator, found `(`; {operators}"));
    complain("a !b", &format!("2..3: expected an operator, found `!`; {operators}"));
    complain("a 1", &format!("2..3: expected an operator, found `1`; {operators}"));
    complain("a \"b c\"", &format!("2..3: expected an operator, found `\"b`; {operators}"));
    complain("(a & (b)", "0..1: `(` is not closed; add `)`");
    complain("a)", "1..2: `)` closes nothing; remove it, or add `(` before");
    complain("\"x", "0..2: quoted expression is not closed; add `\"` after the expression");
    complain("\" \"", "0..3: quoted expression is empty; write an expression, as in `\"x == 1\"`");
    complain("{x\n}", "0..2: braced name `{` is not closed on its line; add `}` after the name");
    complain("{}", "0..2: braced name `{}` is empty; write the name between the braces");
    complain(
        "at(",
        "3..3: expected a label in `at(…)`, found the end; write `at(label)` or `at(procedure:label)`",
    );
    complain(
        "at(main:)",
        "8..9: expected a label in `at(…)`, found `)`; write `at(label)` or `at(procedure:label)`",
    );
    complain("in(12)", "3..4: expected a procedure in `in(…)`, found `1`; write `in(procedure)`");
    complain("in(f:g)", "4..5: expected `)` in `in(…)`, found `:`; write `in(procedure)`");
    complain(
        "f::",
        "3..3: expected a variable after `f::`, found the end; write `procedure::variable`",
    );
    complain(
        "x U 2",
        "4..5: `2` is not a truth value; 0 and 1 are the constants; comparisons go in quotes, as \
         in `\"x == 2\"`",
    );
    complain("a[*]", "1..3: `[*` belongs to regular expressions, not to LTL; ");
    complain("a ; b", "2..3: `;` belongs to regular expressions, not to LTL; ");
    complain("a |-> b", "2..5: `|->` belongs to regular expressions, not to LTL; ");
    complain("a @ b", "2..3: unknown character `@`; ");
    complain("é", "0..2: unknown character `é`; ");
}

#[test]
fn printing_reads_back() {
    let mut rng = Rng(3);
    for _ in 0..2_000 {
        let mut formulas = Formulas::new();
        let atoms = atoms(&mut formulas, 4);
        let size = 1 + rng.below(30);
        let f = random_formula(&mut rng, &mut formulas, &atoms, size);
        let text = formulas.text(f);
        let again = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(again.to_string(), text);
    }
}

#[test]
fn random_text_is_read_or_refused() {
    let pieces = [
        "a", "G", "F", "X", "U", "(", ")", "!", "&", "->", "<->", "\"x\"", "{y}", "at(", "in(f)",
        "::", " ", "1", "0", "[]", "<>", "[*", "\"", "{", "}", "é", "\n", ":", "xor", "R", "M",
    ];
    let mut rng = Rng(4);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let text: String = (0..1 + rng.below(8)).map(|_| pieces[rng.below(pieces.len())]).collect();
        match parse(&text) {
            Ok(formula) => {
                read += 1;
                assert_eq!(parse(&formula.to_string()).unwrap().to_string(), formula.to_string());
            }
            Err(error) => {
                refused += 1;
                let span = error.span.range();
                assert!(text.get(span).is_some(), "{text:?}: {error} at {:?}", error.span);
            }
        }
    }
    assert!(read > 500 && refused > 5_000, "{read} read, {refused} refused");
}

#[test]
fn replacing_parts_by_polarity() {
    let mut formula = parse("G (p -> F q) <-> p").unwrap();
    let (root, fs) = (formula.root, &mut formula.formulas);
    let find = |fs: &Formulas, text: &str| {
        fs.subformulas(root).into_iter().find(|&f| fs.text(f) == text).unwrap()
    };
    let p = find(fs, "p");
    let q = find(fs, "q");
    let (zero, one) = (fs.constant(false), fs.constant(true));
    let polarity = |fs: &Formulas, f| {
        fs.polarities(root).into_iter().find(|&(g, ..)| g == f).map(|(_, p, n)| (p, n)).unwrap()
    };
    assert_eq!(polarity(fs, p), (true, true));
    assert_eq!(polarity(fs, root), (true, false));
    let replaced = fs.replace(root, q, true, zero);
    assert_eq!(fs.text(replaced), "((G (p -> F 0) & p) | (!G (p -> F q) & !p))");
    let mut formula = parse("G (p -> F q) & X p").unwrap();
    let (root, fs) = (formula.root, &mut formula.formulas);
    let p = fs.subformulas(root).into_iter().find(|&f| fs.text(f) == "p").unwrap();
    let _ = (zero, one);
    let one = fs.constant(true);
    let replaced = fs.replace(root, p, false, one);
    assert_eq!(fs.text(replaced), "(G (1 -> F q) & X p)");
    assert!(matches!(fs.node(replaced), Node::Binary(Binary::And, ..)));
    assert!(matches!(fs.node(p), Node::Atom(_)));
    let not = fs.not(p);
    assert!(matches!(fs.node(not), Node::Unary(Unary::Not, _)));
}
