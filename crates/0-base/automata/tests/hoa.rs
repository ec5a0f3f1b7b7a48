//! Automata as text.

use automata::ltl::{Atom, parse};
use automata::{Options, Tgba, degeneralize, dot, hoa, translate};

fn automaton(formula: &str) -> Tgba {
    let f = parse(formula).expect(formula);
    translate(&f.formulas, f.root, &Options::default()).expect(formula)
}

#[test]
fn written_is_read() {
    for formula in [
        "0",
        "1",
        "p",
        "G (p -> F q)",
        "G F a & G F b & G F c",
        "p U (q & X r)",
        "F G \"x == 1\" | {a b}",
        "G (at(f:L) -> F !in(g))",
        "f::x U (terminated | error)",
        "F G (a ^ b ^ c)",
    ] {
        let automaton = automaton(formula);
        let text = hoa::print(&automaton, Some("a \"name\" \\ "));
        let again = hoa::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(again, automaton, "{formula}\n{text}");
        let buchi = degeneralize(&automaton, &Options::default()).unwrap();
        let text = hoa::print(&buchi, None);
        assert!(text.contains("state-acc") || buchi.marks == 0, "{text}");
        assert_eq!(hoa::parse(&text).unwrap(), buchi, "{text}");
    }
}

#[test]
fn state_based() {
    let buchi = degeneralize(&automaton("G (p -> F q)"), &Options::default()).unwrap();
    let expected = "HOA: v1\n\
                    States: 2\n\
                    Start: 0\n\
                    AP: 2 \"p\" \"q\"\n\
                    acc-name: Buchi\n\
                    Acceptance: 1 Inf(0)\n\
                    properties: trans-labels explicit-labels state-acc deterministic\n\
                    --BODY--\n\
                    State: 0 {0}\n\
                    [!0 | 1] 0\n\
                    [0&!1] 1\n\
                    State: 1\n\
                    [1] 0\n\
                    [!1] 1\n\
                    --END--\n";
    assert_eq!(hoa::print(&buchi, None), expected);
}

#[test]
fn drawing() {
    let expected = "digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n  \
                    start [shape=point, style=invis];\n  0 [label=\"0\"];\n  start -> 0;\n  \
                    0 -> 0 [label=\"!\\\"x == 1\\\"\"];\n  \
                    0 -> 0 [label=\"\\\"x == 1\\\" {0}\"];\n}\n";
    assert_eq!(dot(&automaton("G F \"x == 1\"")), expected);
    let buchi = degeneralize(&automaton("F p"), &Options::default()).unwrap();
    assert!(dot(&buchi).contains("shape=doublecircle"), "{}", dot(&buchi));
}

/// What others write and we do not.
#[test]
fn foreign() {
    let text = "
        HOA: v1
        tool: \"other\" \"1.0\"
        name: \"G F a\" /* a comment /* in a comment */ */
        States: 3
        Start: 0
        Start: 1
        acc-name: generalized-Buchi 2
        Acceptance: 3 (Inf(2)) & (Inf(0) & t)
        AP: 2 \"a\" \"b > 1\"
        Alias: @both 0 & 1
        Alias: @none !@both & !(0 | 1)
        properties: trans-labels explicit-labels
        --BODY--
        State: [@both] 0 \"the first\" {0}
          1 {1 2}
          2
        State: 2 {2}
          [@none] 0 {0}
          [!0 | f | !!t & 1] 2
        State: 1 0 1 2 0
        --END--";
    let automaton = hoa::parse(text).unwrap_or_else(|error| panic!("{error}"));
    automaton.validate().unwrap();
    assert_eq!(automaton.atoms, [Atom::Var("a".into()), Atom::Expr("b > 1".into())]);
    assert_eq!((automaton.states, automaton.marks, automaton.initial.0), (4, 2, 3));
    let shown: Vec<String> = automaton
        .transitions
        .iter()
        .zip(automaton.label_texts())
        .map(|(t, label)| {
            format!("{} [{label}] {} {:02b}", t.from.0, t.to.0, t.marks.word().unwrap())
        })
        .collect();
    let both = "a & \"b > 1\"";
    let none = "!a & !\"b > 1\"";
    let mut expected = vec![
        format!("0 [{both}] 1 11"),
        format!("0 [{both}] 2 10"),
        format!("1 [{none}] 0 00"),
        "1 [a & !\"b > 1\"] 1 00".to_owned(),
        "1 [!a & \"b > 1\"] 2 00".to_owned(),
        format!("1 [{both}] 0 00"),
        format!("2 [{none}] 0 11"),
        "2 [!a | \"b > 1\"] 2 01".to_owned(),
    ];
    // The new initial state has the steps of both initial ones.
    for i in 0..6 {
        expected.push(format!("3{}", &expected[i][1..]));
    }
    assert_eq!(shown, expected);

    // No initial state, or false acceptance: nothing is accepted.
    let nothing = "HOA: v1 AP: 0 Acceptance: 0 t --BODY-- State: 0 0 --END--";
    assert!(hoa::parse(nothing).unwrap().is_empty());
    let never = "HOA: v1 Start: 0 AP: 0 Acceptance: 0 f --BODY-- State: 0 0 --END--";
    assert!(hoa::parse(never).unwrap().is_empty());
    let always = "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 0 --END--";
    assert!(!hoa::parse(always).unwrap().is_empty());
}

#[test]
fn mistakes() {
    let with = |header: &str, body: &str| format!("HOA: v1 {header} --BODY-- {body} --END--");
    let buchi = "States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0)";
    let check = |text: String, expected: &str| {
        let error = hoa::parse(&text).expect_err(&text);
        assert_eq!(error.to_string(), expected, "{text}");
        assert!(text.get(error.span.range()).is_some(), "{text}: {:?}", error.span);
        assert!(error.diagnostic().span.is_some());
    };
    check(String::new(), "expected `HOA: v1`, found the end");
    check("HOA: v2".into(), "version `v2` is not known");
    check(with("States: 1 Start: 0 AP: 0", "State: 0"), "there is no header `Acceptance:`");
    check(
        with("Start: 0 Acceptance: 2 Inf(0) | Inf(1)", ""),
        "acceptance is not generalised Büchi: it has a disjunction",
    );
    check(
        with("Start: 0 Acceptance: 1 Fin(0)", ""),
        "acceptance is not generalised Büchi: it asks for `Fin`",
    );
    check(
        with("Start: 0 Acceptance: 1 Inf(!0)", ""),
        "acceptance is not generalised Büchi: it asks for the complement of a set",
    );
    check(with("Start: 0 Acceptance: 1 Inf(1)", ""), "acceptance set 1 is not below 1");
    check(with("Start: 0 Acceptance: 4097 t", ""), "4097 acceptance sets, the limit is 4096");
    check(with("Start: 0&1 Acceptance: 0 t", ""), "alternating automata are not supported");
    check(with("States: 1 Start: 1 Acceptance: 0 t", ""), "state 1 is not below 1");
    check(with("Start: 0 Acceptance: 0 t AP: 2 \"a\"", ""), "2 atoms are announced, 1 are given");
    check(with("States: 1 States: 1 Acceptance: 0 t", ""), "`States` is given twice");
    check(with("Start: 0 Acceptance: 0 t Foo: 1", ""), "header `Foo` is not known");
    check(with(buchi, "State: 0 [0] 0&0"), "alternating automata are not supported");
    check(with(buchi, "State: 0 [1] 0"), "atom 1 is not below 1");
    check(with(buchi, "State: 0 [@x] 0"), "alias `x` is not defined");
    check(with(buchi, "State: 0 [0 0"), "expected `]` or an operator, found `0`");
    check(with(buchi, "State: 0 [(0] 0"), "expected `)` or an operator, found `]`");
    check(with(buchi, "State: 0 [0] 1"), "state 1 is not below 1");
    check(with(buchi, "State: 0 [0] 0 {1}"), "acceptance set 1 is not below 1");
    check(
        with(buchi, "State: 0 0"),
        "a state without labels has 1 edges where 2 letters need one each",
    );
    check(
        with(buchi, "State: 0 [0] 0 0"),
        "labels stand both on the state and on its edge, or on some edges only",
    );
    check(with(buchi, "State: 0 State: 0"), "state 0 is described twice");
    check(with(buchi, "State: 0 [0] 0 --ABORT--"), "the automaton was aborted by its writer");
    check(
        format!("HOA: v1 {buchi} --BODY-- State: 0"),
        "expected `State:`, an edge or `--END--`, found the end",
    );
    check(with(buchi, "--END-- HOA: v1"), "expected nothing after the automaton, found `HOA:`");
    check("HOA: v1 /* open".into(), "comment is not closed");
    check("HOA: v1 name: \"open".into(), "string is not closed");
    check("HOA: v1 States: 99999999999".into(), "expected a smaller number, found `99999999999`");
    check("HOA: v1 States: 9999999".into(), "9999999 states, the limit is 1048576");
    check("HOA: v1 name: %".into(), "unknown character `%`");
}
