//! Regular sets of stacks.

use crate::{TempFile, bop};

/// `write` runs below `locked` only, since `debug` is never set.
const LOCKS: &str = "\
decl debug;
void main() begin
  debug := 0;
  A: work(*);
  if (debug) then B: audit(); fi
end
void work(n) begin
  if (n) then
    C: locked();
  else
    D: work(*);
  fi
  if (*) then E: work(*); fi
end
void locked() begin
  K: write();
end
void audit() begin
  G: write();
end
void write() begin
  W: skip;
end
";

#[test]
fn security_questions() {
    let file = TempFile::new("locks.bp", LOCKS);
    for (question, code) in [
        ("write .* locked .*", 1),
        ("write .* audit .*", 0),
        ("write !locked*", 0),
        ("W K C (D | E)* A", 1),
        (":22 :16 :9 main", 1),
    ] {
        for engine in ["auto", "post", "pre", "compare"] {
            let args = ["states", file.path(), "--to", question, "--engine", engine];
            let ran = bop(&args).exits(code);
            let word = ["unreachable", "reachable"][code as usize];
            assert!(ran.out.starts_with(&format!("{word}: {question}\n")), "{engine}: {}", ran.out);
            let json = bop(&[&args[..], &["--format", "json"]].concat()).exits(code).json();
            assert_eq!(json["schema"], "postbop.stacks/1");
            assert_eq!(json["verdict"], word);
            assert_eq!(json["reached"].is_array(), code == 1 && engine != "pre", "{json}");
        }
    }
    let out = bop(&["states", file.path(), "--to", "write .* locked .*", "--steps", "0"]).exits(3);
    assert!(out.out.starts_with("unknown: is write .* locked .* reachable?"), "{}", out.out);
    // Values that the search did not keep are not shown; those that it did are right.
    let json =
        bop(&["states", file.path(), "--to", "write .*", "--format", "json"]).exits(1).json();
    let frames = json["reached"].as_array().unwrap();
    assert_eq!(frames.len(), 4, "{json}");
    assert_ne!(frames[2]["state"]["n"], false, "line 9 is reached with n only: {json}");
    assert_ne!(frames[0]["state"]["debug"], true, "{json}");
}

#[test]
fn stacks_below_a_statement() {
    let file = TempFile::new("locks.bp", LOCKS);
    let ask = |args: &[&str]| bop(&[&["states", file.path()], args].concat());
    let out = ask(&["--at", "W", "--stacks"]).exits(0).out;
    let first = "stacks below write:W: locked:K work:C (work:D | work:E)* main:A\n";
    assert!(out.starts_with(first), "{out}");
    assert_eq!(ask(&["--at", "W", "--stacks", "-q"]).exits(0).out, first);
    let out = ask(&["--at", "W", "--stacks=procs", "-q"]).exits(0).out;
    assert_eq!(out, "stacks below write:W: locked work+ main\n");
    let out = ask(&["--at", "G", "--stacks"]).exits(0).out;
    assert_eq!(out, "stacks below audit:G: none, it is not reached\n");
    let dot = ask(&["--at", "W", "--stacks", "--format", "dot"]).exits(0).out;
    assert!(dot.starts_with("digraph stacks {") && dot.contains("work:D\\nwork:E"), "{dot}");
    let json = ask(&["--at", "W", "--stacks", "--format", "json"]).exits(0).json();
    assert_eq!(json["stacks"][0]["states"].as_array().unwrap().len(), 4);
    assert_eq!(json["stacks"][0]["states"][0]["edges"][0][0], "locked:K");
    // From elsewhere, and to somewhere.
    let out = ask(&["--at", "W", "--stacks", "--from", "audit main:B", "-q"]).exits(0).out;
    assert_eq!(out, "stacks below write:W: audit:G main:B\n");
    let out = ask(&["--at", ":8", "--stacks", "--to", "audit .*", "-q"]).exits(0).out;
    assert_eq!(out, "stacks below work:8: (work:D | work:E)* main:A\n");
    let out = ask(&["--to", "write . . . main", "--stacks", "-q"]).exits(1).out;
    assert!(out.ends_with("locked:K work:C (work:D | work:E) main:A\n"), "{out}");
}

#[test]
fn values_from_and_to_stacks() {
    let file = TempFile::new("locks.bp", LOCKS);
    let ask = |args: &[&str]| bop(&[&["states", file.path()], args].concat()).exits(0).out;
    let debug = "at main:4: work(*)\n  debug\n    debug=1\n  1 valuation\n";
    assert_eq!(ask(&["--at", "A", "--to", "audit .*"]), debug);
    let never = "at main:4: work(*)\n  unreachable\n";
    assert_eq!(ask(&["--at", "A", "--from", "work A"]), never);
    let not = "at main:5: if (debug)\n  debug\n    debug=1\n  1 valuation\n";
    let out = ask(&["--at", ":5", "--to", "audit .*"]);
    assert!(out.starts_with(not), "{out}");
    assert!(ask(&["--at", "E", "--vars", "debug", "--from", "work A"]).contains("2 valuations"));
}

#[test]
fn symbols_of_pushdown_systems() {
    let text = "(p <a>)\np <a> --> p <b c>\np <b> --> q <b d>\nq <b> --> r <>\nr <d> --> r <>\n\
                r <c> --> r <e>\n";
    let file = TempFile::new("f.pds", text);
    for (question, code) in
        [("b d c", 1), ("b c", 1), ("b d d c", 0), ("e", 1), ("d c", 1), ("d", 0)]
    {
        for engine in ["post", "pre"] {
            bop(&["states", file.path(), "--to", question, "--engine", engine]).exits(code);
        }
    }
    let out = bop(&["states", file.path(), "--at", "b", "--stacks", "-q"]).exits(0).out;
    assert_eq!(out, "stacks below b: (c | d c)\n");
}

#[test]
fn sets_that_make_no_sense() {
    let file = TempFile::new("locks.bp", LOCKS);
    let automaton = TempFile::new("set.txt", "state 0 (start)\n  wirte -> 1\nstate 1 (end)\n");
    let at_file = format!("@{}", automaton.path());
    for (set, says) in [
        ("wirte .*", &["--to:1:1", "`wirte`", "did you mean `write`?", "^^^^^"][..]),
        ("write (", &["--to:1:8", "^"]),
        ("write:X", &["no statement labelled `X`"]),
        (at_file.as_str(), &["set.txt:2:3", "did you mean `write`?"]),
        ("@no-such-file", &["cannot read `no-such-file`"]),
    ] {
        let ran = bop(&["states", file.path(), "--to", set]).exits(2);
        for word in says {
            assert!(ran.err.contains(word), "{set}: {word} in {}", ran.err);
        }
    }
    let good = TempFile::new("good.txt", "state 0\n  write -> 1\nstate 1 (end)\n  !audit -> 1\n");
    let ran = bop(&["states", file.path(), "--to", &format!("@{}", good.path())]).exits(1);
    assert!(ran.out.starts_with("reachable: @"), "{}", ran.out);
}

#[test]
fn every_symbol_of_a_rule_is_a_frame() {
    let rules = "(p <s>)\np <s> --> p <u v w>\np <u> --> p <>\np <v> --> p <>\np <w> --> p <>\n";
    let file = TempFile::new("long.pds", rules);
    let ask = |to: &str| bop(&["states", file.path(), "--to", to, "--engine", "compare"]);
    for (to, code) in [
        ("u v w", 1),
        ("v w", 1),
        ("w", 1),
        ("s", 1),
        ("u .", 0),
        (". . .", 1),
        ("!u !s", 1),
        ("u w", 0),
    ] {
        ask(to).exits(code);
    }
    let out = bop(&["states", file.path(), "--at", "u", "--stacks"]).exits(0).out;
    assert!(out.contains("stacks below u: v w\n"), "{out}");
    // The same of the start.
    let rules = "(p <u v w>)\np <u> --> p <>\np <v> --> p <>\np <w> --> p <>\n";
    let file = TempFile::new("start.pds", rules);
    let ask = |to: &str| bop(&["states", file.path(), "--to", to, "--engine", "compare"]);
    for (to, code) in [("u v w", 1), ("v w", 1), ("w", 1), ("u .", 0), (". . .", 1), ("v", 0)] {
        ask(to).exits(code);
    }
}

#[test]
fn runs_from_any_stack() {
    let file = TempFile::new("locks.bp", LOCKS);
    let ask = |from: &str, to: &str| {
        bop(&["states", file.path(), "--from", from, "--to", to, "--engine", "compare"])
    };
    ask("audit", "write G").exits(1);
    ask("audit", "write B").exits(0);
    ask("audit", "main").exits(0);
    let out = bop(&["states", file.path(), "--at", "W", "--from", "audit"]).exits(0).out;
    assert!(out.contains("2 valuations"), "{out}");
    // `audit` does not wait for `work`.
    let out = ask("work audit", "write .*").exits(2);
    assert!(out.err.contains("no stack is one of `work audit`"), "{}", out.err);
    bop(&["states", file.path(), "--at", "W", "--from", "work audit"]).exits(2);

    let file = TempFile::new("push.pds", "(p <a>)\np <x> --> p <y x>\np <y> --> p <z>\n");
    let ask = |from: &str, to: &str| {
        bop(&["states", file.path(), "--from", from, "--to", to, "--engine", "compare"])
    };
    for (from, to, code) in [
        ("x", "z x", 1),
        ("y", "z", 1),
        ("x a y", "z x a y", 1),
        ("x a y", "z x a", 0),
        ("z", "x", 0),
        ("z x", "x", 0),
    ] {
        ask(from, to).exits(code);
    }
    let rules = "(p <a>)\np <x> --> p <>\np <y> --> q <z>\nq <z> --> q <>\n";
    let file = TempFile::new("pop.pds", rules);
    let ask = |from: &str, to: &str| {
        bop(&["states", file.path(), "--from", from, "--to", to, "--engine", "compare"])
    };
    for (from, to, code) in [("x y a", "z a", 1), ("x y a", "a", 1), ("x a y", "z", 0)] {
        ask(from, to).exits(code);
    }
}

#[test]
fn labels_keep_their_names_in_remopla() {
    let rules = "(q <a>)\nq <a> --> p <b b>\nq <b> --> q <a b>\n";
    let file = TempFile::new("names.pds", rules);
    bop(&["check", file.path(), "--reach", "b"]).exits(1);
    let text = bop(&["convert", file.path(), "--to", "remopla"]).exits(0).out;
    let file = TempFile::new("names.rem", &text);
    bop(&["check", file.path(), "--reach", "b"]).exits(1);
}

/// Conditions on variables, of the topmost frame and of those below; negation and intersection.
#[test]
fn data_of_frames() {
    let file = TempFile::new("locks.bp", LOCKS);
    for (question, code) in [
        ("write .* work[n] .*", 1),
        ("write locked work[!n] .*", 0),
        ("write[debug] .*", 0),
        ("write[!debug] .* work[!n] .*", 1),
        ("work[n] .* & ~(write .*)", 1),
        ("~(.* main)", 0),
        ("!work work[!n] A", 0),
        ("!work[n] work[!n] A", 1),
        ("!work[n] work[n] A", 1),
        (".[n -> debug] A", 1),
    ] {
        for engine in ["post", "pre", "compare"] {
            bop(&["states", file.path(), "--to", question, "--engine", engine]).exits(code);
        }
    }
    let ask = |args: &[&str]| bop(&[&["states", file.path()], args].concat());
    let out = ask(&["--to", "write .* work[n] E[!n] .*", "--stacks", "-q"]).exits(1).out;
    assert!(out.contains("stacks below write:W: locked:K work:C "), "{out}");
    let out = ask(&["--at", "W", "--from", "work[!n] A[1]"]).exits(0).out;
    assert!(out.contains("2 valuations"), "{out}");
    // Data on edges: `n` holds where `locked` is called.
    let out = ask(&["--at", "W", "--stacks=data"]).exits(0).out;
    assert!(
        out.contains("    work:C -> work  locked()\n      n' & n & !debug' & !'debug\n"),
        "{out}"
    );
    let json = ask(&["--at", "W", "--stacks=data", "--format", "json"]).exits(0).json();
    assert_eq!(json["automata"][0]["kind"], "post*");
    let dot = ask(&["--at", "W", "--stacks=data", "--format", "dot"]).exits(0).out;
    assert!(dot.starts_with("digraph automaton {") && dot.contains("!debug"), "{dot}");
    let out = bop(&["pre", file.path(), "--to", "audit .*"]).exits(0).out;
    assert!(
        out.starts_with("pre*: ") && out.contains("main:5 -> main#2  if (debug)\n      debug\n"),
        "{out}"
    );
    bop(&["post", file.path(), "--timeout", "0s"]).exits(3);
    // An automaton may have conditions, too.
    let automaton = "state 0\n  work[n -> n] -> 1\nstate 1 (end)\n  work[!n] -> 1\n  main -> 1\n";
    let automaton = TempFile::new("a.txt", automaton);
    ask(&["--to", &format!("@{}", automaton.path())]).exits(1);
    for (wrong, what) in [
        ("write .* main[debug]", "stack-global-below"),
        ("write[x] .*", "unknown-variable"),
        ("(write locked)[n]", "stack-not-one-frame"),
        ("write[n", "stack-unbalanced"),
        ("q <write>", "stack-unknown-control"),
        ("write[debug == 3] .*", "wrong-type"),
    ] {
        let ran = ask(&["--to", wrong]).exits(2);
        assert!(ran.err.contains(what), "{wrong}: {}", ran.err);
    }
}

/// Control locations, and locals of symbols that share their names.
#[test]
fn control_and_data_of_pushdown_systems() {
    let file =
        TempFile::new("s.pds", "(p <a>)\np <a> --> q <a a>\nq <a> --> p <b a>\np <b> --> q <>\n");
    for (question, code) in [
        ("q <a a>", 1),
        ("p <b a .*>", 1),
        ("q <b .*>", 0),
        ("~(q <.*> | p <.*>)", 0),
        ("p <a> | q <b>", 1),
        ("a a & q <.*>", 1),
    ] {
        bop(&["states", file.path(), "--to", question, "--engine", "compare"]).exits(code);
    }
    let from = ["states", file.path(), "--from", "q <a a>", "--to"];
    bop(&[&from[..], &["p <a .*>"]].concat()).exits(0);
    bop(&[&from[..], &["p <b a a>"]].concat()).exits(1);
    let ran = bop(&["states", file.path(), "--to", "r <a>"]).exits(2);
    assert!(ran.err.contains("there is no control location `r`"), "{}", ran.err);
    let out = bop(&["post", file.path(), "--from", "q <a a>"]).exits(0).out;
    assert!(out.contains("    b -> b\n      control' == 0 & control == 0\n"), "{out}");
    let text = "local (a)\n  int n(2);\nlocal (b)\n  int n(1);\n\n(p <a>)\np <a> --> p <b a> (n' = 1 && n'' = 3)\n";
    let file = TempFile::new("t.pds", text);
    for (question, code) in [("b[n == 1] a[n == 3]", 1), ("b[n == 0] a", 0), ("b a[n == 2]", 0)] {
        bop(&["states", file.path(), "--to", question, "--engine", "compare"]).exits(code);
        let any = ["--from", "a", "--to", question];
        bop(&[&["states", file.path()], &any[..]].concat()).exits(code);
    }
}
