//! `bop eval`, `bop solve`, and `bop convert` to equation systems.

use crate::{TempFile, bop, bop_with};

/// Two states with `a` between them, and a way out that ends.
const MODEL: &str = "des (0, 4, 3)\n(0, \"a\", 1)\n(1, \"b !x\", 0)\n(1, i, 2)\n(0, i, 0)\n";

#[test]
fn formulas_are_evaluated_and_explained() {
    let model = TempFile::new("model.aut", MODEL);
    for (formula, value) in [
        ("[true*]<true>true", false),
        ("<true*>[true]false", true),
        ("nu X. <a><true>X", true),
        ("mu X. [true]X", false),
        ("< {b !x} > true", false),
        ("mu Y (v:Var := x) . (< {b !v} > true or < true > Y (v))", true),
    ] {
        for method in ["auto", "dfs", "bfs", "acyclic", "global"] {
            let args = ["eval", formula, model.path(), "--self-check", "--method", method];
            let out = bop(&args).exits(if value { 0 } else { 1 }).out;
            assert!(out.starts_with(&format!("{value}\n")), "{formula}: {out}");
            assert!(out.contains("as a checker agrees"), "{out}");
        }
    }
    let why = TempFile::new("why.aut", "");
    let args = ["eval", "<a.tau>[true]false", model.path(), "--diagnostic", why.path()];
    let json = bop(&[&args[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(json["schema"], "postbop.solution/1");
    assert_eq!((&json["value"], &json["diagnostic"]["checked"]), (&true.into(), &true.into()));
    let part = std::fs::read_to_string(why.path()).expect("it was written");
    assert!(part.starts_with("des (0, 2, 3)\n"), "{part}");
}

#[test]
fn systems_are_solved() {
    let plain = TempFile::new("s.pbes", "pbes nu X = X && Y; mu Y = X || Y; init X;");
    bop(&["solve", plain.path(), "--self-check"]).exits(0);
    let counting =
        TempFile::new("p.txt", "pbes mu X(n: Nat) = val(n > 5) || X(n + 1);\ninit X(0);\n");
    let out = bop(&["solve", counting.path()]).exits(0).out;
    assert!(out.starts_with("true\n"), "{out}");
    let blocks =
        TempFile::new("s.bes", "block mu B0 is\n  X0 = X1 or X0\n  X1 = false\nend block\n");
    bop(&["solve", blocks.path(), "--self-check"]).exits(1);
    let model = TempFile::new("model.aut", MODEL);
    let modal = TempFile::new(
        "m.blk",
        "block mu B is\n  X = Y or Z\n  Y = < true > X\n  Z = [ true ] FALSE\nend block\neval B:X\n",
    );
    bop(&["solve", modal.path(), "--model", model.path(), "--self-check"]).exits(0);
    let ran = bop(&["solve", modal.path()]).exits(2);
    assert!(ran.err.contains("--model"), "{}", ran.err);
}

#[test]
fn bad_input_is_refused() {
    let model = TempFile::new("model.aut", MODEL);
    let ran = bop(&["eval", "[true*]<true", model.path()]).exits(2);
    assert!(ran.err.contains("formula:1:"), "{}", ran.err);
    let broken = TempFile::new("broken.aut", "des (0, 1, 1)\n(0, a)\n");
    let ran = bop(&["eval", "true", broken.path()]).exits(2);
    assert!(ran.err.contains("line 2"), "{}", ran.err);
    let system = TempFile::new("s.pbes", "pbes nu X = Z; init X;");
    let ran = bop(&["solve", system.path()]).exits(2);
    assert!(ran.err.contains("`Z`"), "{}", ran.err);
    bop(&["solve", model.path()]).exits(2);
    let endless = TempFile::new("e.pbes", "pbes mu X(n: Nat) = X(n + 1); init X(0);");
    bop(&["solve", endless.path(), "--timeout", "200ms"]).exits(3);
}

/// What a formula becomes has the formula's value.
#[test]
fn formulas_become_systems() {
    let model = TempFile::new("model.aut", MODEL);
    let formulas = [
        ("mcf", "[true*]<true>true"),
        ("mcf", "<true*>[true]false"),
        ("mcf", "nu X. <a><true>X"),
        ("mcf", "nu X. mu Y. (<a>X || <tau>Y)"),
        ("mcf", "nu X. mu Y. ([a]X && [!a]Y)"),
        ("mcf", "exists v: Var. <true*><b(v)>true"),
        ("mcf", "sort D = struct x | y; form <true*.(exists d: D. b(d))>true;"),
        ("mcl", "mu Y (v:Var := x) . (< {b !v} > true or < true > Y (v))"),
        ("mcl", "< true* . {b ?v:Var} > nu Z (w:Var := v) . < true > Z (w)"),
        ("mu", "[true*]mu X. [!tau]X"),
    ];
    for (ending, text) in formulas {
        let formula = TempFile::new(&format!("f.{ending}"), text);
        let at = format!("@{}", formula.path());
        let code = bop(&["eval", &at, model.path()]).code;
        assert!(code < 2, "{text}");
        let convert = |to: &str| {
            bop(&["convert", formula.path(), "--to", to, "--model", model.path()]).exits(0).out
        };
        let modal = TempFile::new("f.blk", convert("blk"));
        bop(&["solve", modal.path(), "--model", model.path(), "--self-check"]).exits(code);
        for (to, ending) in [("bes", "bes"), ("pbes", "pbes")] {
            let system = TempFile::new(&format!("f.{ending}"), convert(to));
            for method in ["auto", "bfs", "global"] {
                let args = ["solve", system.path(), "--self-check", "--method", method];
                bop(&args).exits(code);
            }
            // And from one to another.
            for to in ["bes", "pbes"] {
                let again = bop(&["convert", system.path(), "--to", to]).exits(0).out;
                let again = TempFile::new(&format!("g.{to}"), again);
                bop(&["solve", again.path()]).exits(code);
            }
        }
        for to in ["bes", "pbes"] {
            let args = ["convert", modal.path(), "--to", to, "--model", model.path()];
            let system = TempFile::new(&format!("m.{to}"), bop(&args).exits(0).out);
            bop(&["solve", system.path()]).exits(code);
        }
    }
    // What is missing is said.
    let formula = TempFile::new("f.mcf", "<a>true");
    let ran = bop(&["convert", formula.path(), "--to", "bes"]).exits(2);
    assert!(ran.err.contains("--model"), "{}", ran.err);
    bop(&["convert", formula.path(), "--to", "blk"]).exits(0);
    // What the model's names are, a formula alone does not tell.
    let formula = TempFile::new("f.mcl", "< {G ?z:Var} > val(z = z)");
    let ran = bop(&["convert", formula.path(), "--to", "blk"]).exits(2);
    assert!(ran.err.contains("--model") && ran.err.contains("`Var`"), "{}", ran.err);
    let system = TempFile::new("s.pbes", "pbes mu X = X; init X;");
    let ran = bop(&["convert", system.path(), "--to", "blk"]).exits(2);
    assert!(ran.err.contains("no modalities"), "{}", ran.err);
    bop(&["convert", system.path(), "--to", "bes", "--model", model.path()]).exits(2);
    bop(&["convert", model.path(), "--to", "bes"]).exits(2);
    let endless = TempFile::new("n.mcf", "mu X(n: Nat = 0). <true>X(n + 1)");
    let ran = bop(&["convert", endless.path(), "--to", "blk"]).exits(2);
    assert!(ran.err.contains("not supported"), "{}", ran.err);
}

/// Some systems have no end, and some of those an answer.
#[test]
fn systems_without_end() {
    let system = TempFile::new(
        "e.pbes",
        "pbes nu X(n: Nat) = Y(n) && X(n + 1); mu Y(n: Nat) = val(n < 3) || Y(n); init X(0);",
    );
    bop(&["solve", system.path()]).exits(1);
    let ran = bop(&["convert", system.path(), "--to", "bes"]).exits(0);
    assert!(ran.err.contains("explain the value"), "{}", ran.err);
    let part = TempFile::new("e.bes", ran.out);
    bop(&["solve", part.path()]).exits(1);
    let endless = TempFile::new("f.pbes", "pbes mu X(n: Nat) = X(n + 1); init X(0);");
    for limit in [["--timeout", "300ms"], ["--memory", "100M"]] {
        let args = [&["convert", endless.path(), "--to", "bes"], &limit[..]].concat();
        let ran = bop(&args).exits(3);
        assert!(ran.err.contains("limit of") && ran.out.is_empty(), "{}", ran.err);
    }
}

#[test]
fn the_internal_action_has_names() {
    let model = TempFile::new("model.aut", "des (0, 2, 2)\n(0, hidden, 1)\n(1, i, 0)\n");
    bop(&["eval", "<tau>true", model.path()]).exits(1);
    bop(&["eval", "<tau>true", model.path(), "--tau", "hidden"]).exits(0);
    bop(&["eval", "<tau.tau>true", model.path(), "--tau", "hidden"]).exits(1);
    bop(&["eval", "<tau.tau>true", model.path(), "--tau", "hidden", "--tau", "i"]).exits(0);
    let formula = TempFile::new("f.mcf", "<tau>true");
    let convert = ["convert", formula.path(), "--to", "pbes", "--model", model.path()];
    let text = bop(&[&convert[..], &["--tau", "hidden"]].concat()).exits(0).out;
    bop(&["solve", TempFile::new("f.pbes", text).path()]).exits(0);
}

/// Local resolution touches what it needs.
#[test]
fn some_equations_are_enough() {
    let system = bop(&["gen", "andor", "--vars", "20000", "--seed", "7"]).exits(0).out;
    assert_eq!(system, bop(&["gen", "andor", "--vars", "20000", "--seed", "7"]).out);
    let mut code = None;
    let mut explored = Vec::new();
    for method in ["global", "auto", "bfs"] {
        let args = ["solve", "-", "--method", method, "--format", "json"];
        let ran = bop_with(&args, &system);
        assert_eq!(*code.get_or_insert(ran.code), ran.code, "{method}");
        let json = ran.json();
        assert_eq!(json["variables_total"], 20_000);
        explored.push(json["variables_explored"].as_u64().expect("a number"));
    }
    assert_eq!(explored[0], 20_000);
    assert!(explored[1] < 20_000, "{explored:?}");
    assert!(20 * explored[2] < 20_000, "{explored:?}");
    // What explains the answer was found by any method and is checked.
    for method in ["global", "auto", "bfs"] {
        let args = ["solve", "-", "--method", method, "--self-check"];
        let ran = bop_with(&args, &system);
        assert!(ran.out.contains("as a checker agrees"), "{}{}", ran.out, ran.err);
    }
}

/// A long system is read as it comes, and its errors have places, too.
#[test]
fn long_systems() {
    let mut text = String::from("block mu B0 is\n");
    let n = 600_000;
    for v in 0..n {
        let (next, far) = ((v + 1) % n, (v * 7) % n);
        text +=
            &format!("  X{v} = X{next} or X{far}{}\n", if v == n - 1 { " or true" } else { "" });
    }
    text += "end block\n";
    assert!(text.len() > 16 << 20, "{}", text.len());
    let file = TempFile::new("long.bes", &text);
    let ran = bop(&["solve", file.path(), "--method", "bfs", "--format", "json"]).exits(0);
    assert_eq!(ran.json()["variables_total"], n);
    bop(&["solve", file.path(), "--method", "global"]).exits(0);
    let wrong = TempFile::new("long.bes", text.replace("X599999 =", "X599999 ?"));
    let ran = bop(&["solve", wrong.path()]).exits(2);
    assert!(ran.err.contains("long.bes:600001:11: "), "{}", ran.err);
}

#[test]
fn what_is_no_input_is_refused() {
    let deep = 100_000;
    let formulas = [
        (String::new(), 2),
        ("\u{0}\u{1}".to_owned(), 2),
        ("(".repeat(deep), 2),
        (format!("{}true{}", "(".repeat(deep), ")".repeat(deep)), 0),
        (format!("{}true", "!".repeat(deep)), 0),
        (format!("{}true", "<true>".repeat(deep)), 0),
        (format!("<{}true{}>true", "(".repeat(deep), ")".repeat(deep)), 0),
        (format!("val({}1 == 1{})", "(".repeat(deep), ")".repeat(deep)), 0),
        (format!("{}X{}", "nu X. [true](".repeat(deep), ")".repeat(deep)), 0),
    ];
    let model = TempFile::new("loop.aut", "des (0, 1, 1)\n(0, a, 0)\n");
    for (text, code) in &formulas {
        let file = TempFile::new("f.mcf", text);
        let ran = bop(&["eval", &format!("@{}", file.path()), model.path()]);
        let shown: String = text.chars().take(40).collect();
        assert_eq!(ran.code, *code, "{shown}: {}", ran.err.chars().take(400).collect::<String>());
        assert_eq!(ran.code == 2, ran.err.contains("error"), "{shown}");
    }
    let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    for name in ["s.bes", "s.pbes", "s.txt", "s.blk", "s.aut"] {
        for content in [&b""[..], &bytes, b"\xff\xfe", b"block", b"pbes", b"des (0, 1"] {
            let file = TempFile::new(name, content);
            let path = file.path();
            let ran = match name {
                "s.aut" => bop(&["eval", "true", path]).exits(2),
                "s.blk" => bop(&["solve", path, "--model", model.path()]).exits(2),
                _ => bop(&["solve", path]).exits(2),
            };
            assert!(ran.err.contains("error"), "{name}: {}", ran.err);
            for to in ["blk", "bes", "pbes"] {
                bop(&["convert", path, "--to", to, "--model", path]).exits(2);
            }
        }
    }
    // Headers that promise more than there is, and more than fits.
    for header in [
        "des (0, 4000000000, 4000000000)\n",
        "des (0, 0, 4000000000)\n",
        "des (0, 99999999999, 2)\n",
    ] {
        let file = TempFile::new("huge.aut", header);
        bop(&["eval", "true", file.path()]).exits(2);
    }
    for args in [
        &["eval", "true", "no-such-file.aut"][..],
        &["eval", "@no-such-file.mcf", model.path()],
        &["eval", "true", "."],
        &["solve", "no-such-file.bes"],
        &["solve", "no-such-file.pbes"],
        &["solve", "."],
        &["solve", "no-such-file.blk", "--model", model.path()],
        &["convert", "no-such-file.mcf", "--to", "blk"],
    ] {
        let ran = bop(args).exits(2);
        assert!(ran.err.contains("error"), "{args:?}: {}", ran.err);
    }
    let ran = bop_with(&["solve", "-"], "").exits(2);
    assert!(ran.err.contains("<stdin>"), "{}", ran.err);
    bop_with(&["solve", "-"], "pbes nu X = X; init X;").exits(0);
    bop_with(&["solve", "-"], "block mu B0 is X0 = X0 end block").exits(1);
    let deep = format!("pbes nu X = {}X{}; init X;", "(".repeat(deep), ")".repeat(deep));
    bop_with(&["solve", "-"], &deep).exits(0);
    let modal = "block nu B is X = [ true ] X end block";
    bop_with(&["solve", "-", "--model", model.path()], modal).exits(0);
}

/// Vertex 0 is even's, by a detour; 1 and 3 are odd's.
const GAME: &str = "parity 4;\n0 1 0 1,2;\n1 3 1 1,3;\n2 2 1 0,4;\n3 4 0 1;\n4 0 0 0,4;\n";

#[test]
fn parity_games_are_solved() {
    let game = TempFile::new("g.pg", GAME);
    for method in ["auto", "dfs", "bfs", "global"] {
        let args = ["solve", game.path(), "--self-check", "--method", method];
        let out = bop(&args).exits(0).out;
        assert!(out.starts_with("true\n"), "{out}");
        assert!(out.contains("even wins from vertex 0"), "{out}");
        assert!(out.contains("as a checker agrees"), "{out}");
        bop(&[&args[..], &["--at", "1"]].concat()).exits(1);
    }
    let json = bop(&["solve", game.path(), "--at", "3", "--format", "json"]).exits(1).json();
    let won = &json["game"];
    assert_eq!((&won["vertex"], &won["winner"]), (&3.into(), &"odd".into()));
    assert_eq!((&won["even"], &won["odd"]), (&3.into(), &2.into()));
    let out = bop(&["solve", game.path(), "--solution", "-", "-q"]).exits(0).out;
    assert_eq!(out, "paritysol 4;\n0 0 2;\n1 1 1;\n2 0;\n3 1;\n4 0 0;\ntrue\n");
    let ran = bop(&["solve", game.path(), "--at", "9"]).exits(2);
    assert!(ran.err.contains("no vertex 9"), "{}", ran.err);
    bop(&["solve", game.path(), "--workers", "2", "--self-check"]).exits(0);
    let out = bop_with(&["solve", "-", "--at", "1", "-q"], GAME).exits(1).out;
    assert_eq!(out, "false\n");
    let bad = TempFile::new("bad.pg", "parity 1;\n0 0 0 5;\n");
    let ran = bop(&["solve", bad.path()]).exits(2);
    assert!(ran.err.contains("vertex 0 moves to 5"), "{}", ran.err);
    let bes = TempFile::new("s.bes", "block mu B0 is\n  X0 = X0\nend block\n");
    let ran = bop(&["solve", bes.path(), "--at", "0"]).exits(2);
    assert!(ran.err.contains("`--at` goes with a parity game"), "{}", ran.err);
}

/// A game and the systems that it is written as have one value, and so have what explains it.
#[test]
fn parity_games_become_systems_and_back() {
    let game = TempFile::new("g.pg", GAME);
    for (form, ending) in [("bes", "s.bes"), ("pbes", "s.pbes"), ("pg", "s.pg")] {
        let text = bop(&["convert", game.path(), "--to", form]).exits(0).out;
        let system = TempFile::new(ending, &text);
        bop(&["solve", system.path(), "--self-check"]).exits(0);
        let back = bop(&["convert", system.path(), "--to", "pg"]).exits(0).out;
        let back = TempFile::new("back.pg", &back);
        bop(&["solve", back.path(), "--self-check"]).exits(0);
    }
    let why = TempFile::new("why.pg", "");
    bop(&["solve", game.path(), "--at", "1", "--diagnostic", why.path()]).exits(1);
    let part = std::fs::read_to_string(why.path()).expect("it was written");
    assert!(part.starts_with("parity 0;\n"), "{part}");
    bop(&["solve", why.path()]).exits(1);
    let model = TempFile::new("model.aut", MODEL);
    let formula = TempFile::new("f.mcf", "nu X. mu Y. <a>X || <!a>Y");
    let args = ["convert", formula.path(), "--to", "pg", "--model", model.path()];
    let text = bop(&args).exits(0).out;
    let out = bop_with(&["solve", "-", "-q"], &text).exits(0).out;
    assert_eq!(out, "true\n");
}

/// As CADP prints it, with blanks in labels; [pbes Fig. 2] in small.
const DATA: &str = "des (0, 4, 4)\n(0, \"BOOL x\", 1)\n(1, \"ASSIGN y x\", 2)\n(2, \"ASSIGN x y\", 0)\n(0, i, 3)\n";
const IA1: &str = "mu Y (v:Var := x) . (< {BOOL !v} > true or < {ASSIGN ?z:Var !v} > Y (z) or \
                   < not ({ASSIGN !v ?z:Var} or {ASSIGN !v}) > Y (v))";

#[test]
fn other_states_and_all_of_them() {
    let model = TempFile::new("data.aut", DATA);
    for (state, code) in [("0", 0), ("1", 0), ("2", 1), ("3", 1), ("4", 2)] {
        bop(&["eval", IA1, model.path(), "--at", state]).exits(code);
    }
    let out = bop(&["eval", IA1, model.path(), "--all-states"]).exits(0).out;
    assert!(out.starts_with("true\n  it holds in 2 of 4 states;"), "{out}");
    let json = bop(&["eval", IA1, model.path(), "--all-states", "--format", "json"]).json();
    assert_eq!(json["states"], serde_json::json!([0, 1]));
    let program =
        TempFile::new("p.bp", "decl x; void main() begin x := *; if (x) then skip; fi end");
    let view = ["--view", "data"];
    let of_program =
        |more: &[&str]| bop(&[&["eval", IA1, program.path()], &view[..], more].concat());
    of_program(&["--all-states"]).exits(1);
    of_program(&["--at", "1"]).exits(1);
}

#[test]
fn transition_systems_of_data() {
    let model = TempFile::new("data.aut", DATA);
    let out = bop(&["influence", model.path(), "--method", "all"]).exits(0).out;
    let sets: Vec<&str> = out.lines().skip(1).map(|line| line.trim()).collect();
    assert_eq!(sets, ["state 0  {x}", "state 1  {x}", "state 2  {y}", "state 3  {}"]);
    assert_eq!(out, bop(&["annotate", model.path(), "--formula", IA1]).exits(0).out);
    let out = bop(&["influence", model.path(), "--why", "y"]).exits(0).out;
    assert!(
        out.ends_with(
            "why y matters at state 2\n  y flows into x (state 2)\n  a condition reads x (state 0)\n"
        ),
        "{out}"
    );
    let ran = bop(&["influence", model.path(), "--why", "y@0"]).exits(2);
    assert!(ran.err.contains("`y` does not matter at 0"), "{}", ran.err);
    let ran = bop(&["influence", model.path(), model.path()]).exits(2);
    assert!(ran.err.contains("stands alone"), "{}", ran.err);
}

/// [pbes §5.1], before its parameters are expanded.
#[test]
fn modal_systems_with_parameters() {
    let model = TempFile::new("data.aut", DATA);
    let system = |asked: &str| {
        format!(
            "block mu B is\n  Y1 (v:Var) = Y2 (v) or Y3 (v)\n  Y2 (v:Var) = < {{BOOL !v}} > TRUE\n  \
             Y3 (v:Var) = Y4 (v) or Y5 (v)\n  Y4 (v:Var) = < {{ASSIGN ?z:Var !v}} > Y1 (z)\n  \
             Y5 (v:Var) = < not {{ASSIGN !v ?z:Var}} > Y1 (v)\nend block\neval B:{asked}\n"
        )
    };
    for (asked, code) in [("Y1 (x)", 0), ("Y1 (y)", 1), ("Y2 (x)", 0), ("Y4 (x)", 1)] {
        let file = TempFile::new("p.blk", system(asked));
        bop(&["solve", file.path(), "--model", model.path(), "--self-check"]).exits(code);
    }
    for asked in ["Y1", "Y1 (x, y)", "Y9 (x)"] {
        let file = TempFile::new("p.blk", system(asked));
        bop(&["solve", file.path(), "--model", model.path()]).exits(2);
    }
    // A program instead of a transition system.
    let file = TempFile::new("p.blk", system("Y1 (x)"));
    let text = "decl x, y; void main() begin y := x; if (y) then skip; fi end";
    let program = TempFile::new("p.bp", text);
    let on = ["solve", file.path(), "--model", program.path(), "--view", "data"];
    bop(&on).exits(0);
    let dot = TempFile::new("why.dot", "");
    bop(&["solve", file.path(), "--model", model.path(), "--diagnostic", dot.path()]).exits(0);
    let graph = std::fs::read_to_string(dot.path()).unwrap();
    assert!(graph.starts_with("digraph boolean_graph {") && graph.contains("\u{2228}"), "{graph}");
}
