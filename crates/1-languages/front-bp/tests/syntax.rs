//! What is accepted, and what it means: the tree, shown as the common subset.

use front_bp::{Dialect, expr_text, parse, print, stmt_text, tree::StmtKind};

/// The statements of `main`, printed.
#[track_caller]
fn check(dialect: Dialect, body: &str, expected: &str) {
    let text = format!("decl a, b, c, d; void main() begin {body} end");
    let (tree, errors) = parse(&text, dialect);
    assert_eq!(errors, [], "{text}");
    let printed = print(&tree);
    let shown = printed.split_once("begin\n").unwrap().1.strip_suffix("end\n").unwrap();
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(lines.join(" "), expected);
    for dialect in [Dialect::Standard, Dialect::Satabs] {
        let (again, errors) = parse(&printed, dialect);
        assert!(errors.is_empty() && again == tree, "{printed} reads differently");
    }
}

#[track_caller]
fn standard(body: &str, expected: &str) {
    check(Dialect::Standard, body, expected);
}

#[test]
fn precedences() {
    for (text, standard, satabs) in [
        ("a & b = c", "a & (b = c)", "(a & b) = c"),
        ("a = b & c", "(a = b) & c", "a = (b & c)"),
        ("a | b ^ c", "a | (b ^ c)", "(a | b) ^ c"),
        ("a ^ b | c", "(a ^ b) | c", "a ^ (b | c)"),
        ("a => b => c", "a => (b => c)", "a => (b => c)"),
        ("a = b = c", "(a = b) = c", "a = (b = c)"),
        ("a = b => c", "(a = b) => c", "a = (b => c)"),
        ("a => b != c", "a => (b != c)", "a => (b != c)"),
        ("a | b => c | d", "(a | b) => (c | d)", "(a | b) => (c | d)"),
        ("!a = b", "!a = b", "!a = b"),
        ("!(a = b)", "!(a = b)", "!(a = b)"),
        ("~!a & b", "!!a & b", "!!a & b"),
        ("a || b && c", "a | (b & c)", "a | (b & c)"),
        ("a & b & c", "(a & b) & c", "(a & b) & c"),
        ("a & (b & c)", "a & (b & c)", "a & (b & c)"),
        ("a == b | c != d", "(a = b) | (c != d)", "a = ((b | c) != d)"),
        ("((a))", "a", "a"),
        ("*|?", "* | *", "* | *"),
        ("T ^ false", "1 ^ 0", "1 ^ 0"),
        ("1 => 0", "1 => 0", "1 => 0"),
        ("schoose[a|b,!c] & d", "schoose[(a | b), !c] & d", "schoose[(a | b), !c] & d"),
    ] {
        let body = format!("assume({text});");
        check(Dialect::Standard, &body, &format!("assume({standard});"));
        check(Dialect::Satabs, &body, &format!("assume({satabs});"));
    }
}

#[test]
fn statements() {
    standard("", "");
    standard("skip", "skip;");
    standard(";;skip;;", "skip;");
    standard("a,b:=b,a", "a, b := b, a;");
    standard("a := a | b;", "a := (a | b);");
    standard("_ := a", "_ := a;");
    standard("a := * constrain 'a != a", "a := * constrain ('a != a);");
    standard("main()", "main();");
    standard("a, _ := main(a, b = c)", "a, _ := main(a, (b = c));");
    standard(
        "assert(a) ; assume((b)); constrain('a = a);",
        "assert(a); assume(b); constrain('a = a);",
    );
    standard("dead a, b; print(a, !b)", "dead a, b; print(a, !b);");
    standard("return", "return;");
    standard("return a, b & c", "return a, (b & c);");
    standard("L: M: 12: skip; goto L, 12", "L: M: 12: skip; goto L, 12;");
    standard("L: L: skip", "L: L: skip;");
    standard("{*p == *q} := {*p == *q};", "{*p == *q} := {*p == *q};");
    standard("{if} := {a}", "{if} := {a};");
}

#[test]
fn blocks() {
    standard("if * then skip; fi; skip", "if (*) then skip; fi skip;");
    standard("if a then skip fi while ? do skip od;", "if (a) then skip; fi while (*) do skip; od");
    standard("if 1 then elsif 0 then else fi", "if (1) then elsif (0) then else fi");
    standard(
        "L: if (a & b) then skip; elsif (c) then M: while d do od else if a then fi; fi",
        "L: if (a & b) then skip; elsif (c) then M: while (d) do od else if (a) then fi fi",
    );
    standard("while a do while b do skip od od", "while (a) do while (b) do skip; od od");
    standard(
        "if a then if b then skip else skip fi else skip fi",
        "if (a) then if (b) then skip; else skip; fi else skip; fi",
    );
}

#[test]
fn declarations() {
    // Wherever they stand, declarations are for the whole body.
    standard(
        "decl x; skip; decl y, z; if a then decl w; w := x fi",
        "decl x, y, z, w; skip; if (a) then w := x; fi",
    );
    standard(
        "decl x; enforce x => a; abortif !x; decl y;",
        "decl x, y; enforce (x => a); abortif !x;",
    );
    let text = "decl a; ; decl b; dfs bool f(x, y) begin end main() begin end bool<1> g() begin end \
                bool<0> h() begin end bool<3> i() begin end decl c;";
    let (tree, errors) = parse(text, Dialect::Standard);
    assert_eq!(errors, []);
    assert_eq!(
        print(&tree),
        "decl a, b, c;\n\nbool f(x, y) begin\nend\n\nvoid main() begin\nend\n\nbool g() begin\nend\n\n\
         void h() begin\nend\n\nbool<3> i() begin\nend\n"
    );
    let (empty, errors) = parse("\u{feff} // nothing\n/* at all */", Dialect::Standard);
    assert!(errors.is_empty() && print(&empty).is_empty());
}

#[test]
fn long_declarations_are_broken_into_lines() {
    let names: Vec<String> = (0..100).map(|i| format!("variable_{i}")).collect();
    let text = format!("decl {}; void main() begin end", names.join(", "));
    let (tree, _) = parse(&text, Dialect::Standard);
    let printed = print(&tree);
    assert!(printed.lines().all(|line| line.len() < 110), "{printed}");
    assert!(parse(&printed, Dialect::Standard).0 == tree);
}

#[test]
fn places() {
    let text = "decl g;\nvoid main() begin\n L1:\n L2: g := 1 ;\n if (g) then\n skip;\n \
                elsif (!g) then\n  skip; fi\nend";
    let file = source::SourceFile::new("f", text).unwrap();
    let (tree, errors) = parse(text, Dialect::Standard);
    assert_eq!(errors, []);
    let body: Vec<_> = tree.block(tree.procs()[0].body).iter().map(|&s| tree.stmt(s)).collect();
    assert_eq!(file.slice(body[0].span), "g := 1");
    assert_eq!(file.position(body[0].span.start).line, 4);
    let StmtKind::If { branches, .. } = body[1].kind else { panic!("an if") };
    let branches = tree.branches(branches);
    assert_eq!(file.position(body[1].span.start).line, 5);
    assert_eq!(file.slice(branches[1].keyword), "elsif");
    assert_eq!(file.slice(tree.expr(branches[1].cond).span), "(!g)");
    assert!(file.slice(body[1].span).ends_with("fi"));
}

#[test]
fn for_people() {
    #[track_caller]
    fn check(statement: &str, expected: &str) {
        let text = format!("void main() begin L: {statement} end");
        let (tree, errors) = parse(&text, Dialect::Standard);
        assert_eq!(errors, []);
        let stmt = tree.stmt(tree.block(tree.procs()[0].body)[0]);
        assert_eq!(stmt_text(&tree, stmt), expected);
    }
    check("h:=!g;", "h := !g");
    check("if g then fi", "if (g)");
    check("if (g & (h)) then elsif a then fi", "if (g & h)");
    check("while !(g|h) do od", "while (!(g | h))");
    check("A(a2,a1);", "A(a2, a1)");
    check("x,_:=A((a2 & b),a1);", "x, _ := A(a2 & b, a1)");
    check("x := a & b & c | d | (e | f)", "x := (a & b & c) | d | (e | f)");
    check("x := a => b => c", "x := a => (b => c)");
    check(
        "x, y := schoose[a & b, F], * constrain 'x & 'y",
        "x, y := schoose[a & b, 0], * constrain ('x & 'y)",
    );
    check("return a = b, c", "return a = b, c");
    check("return", "return");
    check("assert(((a)))", "assert(a)");
    check("goto L,L", "goto L, L");
    check("dead x", "dead x");
    check("print(a)", "print(a)");
    let (tree, _) = parse("void f() begin enforce a & !(b); end", Dialect::Standard);
    assert_eq!(expr_text(&tree, tree.procs()[0].enforce.unwrap()), "a & !b");
}

/// Equality sees every part of a program.
#[test]
fn programs_that_differ() {
    let programs = [
        "",
        "decl a;",
        "decl b;",
        "decl a, b;",
        "void f() begin end",
        "void g() begin end",
        "bool f() begin end",
        "void f(a) begin end",
        "void f(b) begin end",
        "void f() begin decl a; end",
        "void f() begin enforce a; end",
        "void f() begin enforce b; end",
        "void f() begin abortif a; end",
        "void f() begin skip; end",
        "void f() begin L: skip; end",
        "void f() begin M: skip; end",
        "void f() begin skip; skip; end",
        "void f() begin goto a; end",
        "void f() begin goto a, a; end",
        "void f() begin dead a; end",
        "void f() begin return; end",
        "void f() begin return a; end",
        "void f() begin print(a); end",
        "void f() begin a := a; end",
        "void f() begin b := a; end",
        "void f() begin a := b; end",
        "void f() begin a := 'a; end",
        "void f() begin a := T; end",
        "void f() begin a := F; end",
        "void f() begin a := *; end",
        "void f() begin a := !a; end",
        "void f() begin a := a & b; end",
        "void f() begin a := a | b; end",
        "void f() begin a := a & a; end",
        "void f() begin a := schoose[a, b]; end",
        "void f() begin a := schoose[b, a]; end",
        "void f() begin a := a constrain a; end",
        "void f() begin f(); end",
        "void f() begin a(); end",
        "void f() begin f(a); end",
        "void f() begin a := f(a); end",
        "void f() begin assert(a); end",
        "void f() begin assume(a); end",
        "void f() begin constrain(a); end",
        "void f() begin if a then fi end",
        "void f() begin if b then fi end",
        "void f() begin if a then skip; fi end",
        "void f() begin if a then else fi end",
        "void f() begin if a then else skip; fi end",
        "void f() begin if a then elsif a then fi end",
        "void f() begin if a then elsif b then fi end",
        "void f() begin while a do od end",
        "void f() begin while b do od end",
        "void f() begin while a do skip; od end",
        "void f() begin end void g() begin end",
    ];
    let trees: Vec<_> = programs.map(|text| parse(text, Dialect::Standard)).into();
    for (i, (a, errors)) in trees.iter().enumerate() {
        assert_eq!(errors, &[], "{}", programs[i]);
        for (j, (b, _)) in trees.iter().enumerate() {
            assert_eq!(a == b, i == j, "{} and {}", programs[i], programs[j]);
        }
    }
}

/// [bebop Fig. 2] allows as names what other dialects have made into words.
#[test]
fn words_of_other_dialects_as_names() {
    let text = "decl T, dead, schoose; \
                bool(sync, F) begin decl abortif; \
                  true: T, F := F, !T; dead := sync & abortif; \
                  if (F) then goto constrain; else skip; fi \
                  constrain: enforce(T, dead); \
                  elsif: while (true) do skip; od \
                end \
                enforce(false, void) begin assert(false | void | schoose); end \
                main() begin dead := 1; bool(T, dead); end";
    let (tree, errors) = parse(text, Dialect::Standard);
    assert_eq!(errors, []);
    // `true` is a label, and a constant where it is none.
    let printed = print(&tree);
    assert!(printed.contains("T, F := F, !T;"), "{printed}");
    assert!(printed.contains("bool(T, dead);"), "{printed}");
    let file = source::SourceFile::new("names.bp", text).unwrap();
    assert!(front_bp::lower(&tree, &file, &front_bp::LowerOptions::default()).is_ok());

    // In another procedure, and without a declaration, they are what they were.
    let text = "void f(F) begin F := T; end void main() begin decl x; x := F | T; assume(x); end";
    let (tree, errors) = parse(text, Dialect::Standard);
    assert_eq!(errors, []);
    let printed = print(&tree);
    assert!(printed.contains("F := 1;") && printed.contains("x := (0 | 1);"), "{printed}");
}
