//! `holds` means what it says: a test for each sentence.

use crate::c::{Folder, compiler};
use crate::{TempFile, bop};

/// Three functions that can be parsed, and one that cannot.
const PART: &str = "# 1 \"part.c\"
void *malloc(unsigned long); void free(void *);
int good(void) { char *p = malloc(3); free(p); return 0; }
int broken(int x) { int y = x @ 3; return y; }
int main(void) { A: good(); if (broken(1)) { B: return 1; } return 0; }
int more(void) { if (0) { DEAD: return 1; } return 2; }
";

/// Every way to ask, with an answer that would speak of all runs.
const CLAIMS: [&[&str]; 7] = [
    &["--rule", "memory"],
    &["--assert"],
    &["--reach", "DEAD"],
    &["--reach-all"],
    &["--ltl", "G !at(DEAD)"],
    &["--sere", "never {at(DEAD)}"],
    &["--terminates"],
];

#[test]
fn incomplete_input_never_holds() {
    for claim in CLAIMS {
        // What is left out may call whom it likes, and never end.
        let ends = claim == ["--terminates"];
        let text = if ends { PART.replace("broken(1)", "good()") } else { PART.to_owned() };
        let file = TempFile::new("part.i", text);
        let ran = bop(&[&["check", file.path()], claim].concat()).exits(3);
        assert!(ran.out.starts_with("unknown: "), "{claim:?}: {}", ran.out);
        assert!(ran.out.contains("(incomplete: 3 functions, 1 left out"), "{claim:?}: {}", ran.out);
        let told = "incomplete: 3 functions, 1 left out: `broken` at part.c:3:31 (expected";
        assert!(ran.out.contains(told), "{claim:?}: {}", ran.out);
        // Nobody hides it.
        let quiet = bop(&[&["check", file.path(), "-q"], claim].concat()).exits(3);
        assert!(quiet.out.contains(told), "{claim:?}: {}", quiet.out);
        assert_eq!(quiet.err, "", "{claim:?}");
        let json =
            bop(&[&["check", file.path(), "--format", "json"], claim].concat()).exits(3).json();
        for result in json["results"].as_array().expect("results") {
            assert_eq!(result["verdict"], "unknown", "{claim:?}: {result}");
            assert_eq!(result["stop_reason"], "incomplete", "{claim:?}: {result}");
        }
        let checked = &json["checked"];
        assert_eq!((&checked["complete"], &checked["functions"]), (&false.into(), &3.into()));
        assert_eq!(checked["left_out"][0]["what"], "broken", "{checked}");
        assert_eq!(checked["left_out"][0]["line"], 3, "{checked}");
        // Whoever wants to hear of the rest does.
        let allow = [&["check", file.path(), "--allow-incomplete"], claim].concat();
        let allowed = bop(&allow);
        assert!(!allowed.out.contains("unknown"), "{claim:?}: {}", allowed.out);
        assert!(allowed.out.contains(told), "{claim:?}: {}", allowed.out);
    }
}

#[test]
fn findings_of_what_was_read_are_reported() {
    let file = TempFile::new("part.i", PART.replace("free(p);", ""));
    let ran = bop(&["check", file.path(), "--rule", "memory"]).exits(1);
    assert!(ran.out.contains("violated: memory_leak"), "{}", ran.out);
    assert!(ran.out.contains("unknown: double_free (incomplete"), "{}", ran.out);
    for (flag, what) in [("--reach", "B"), ("--ltl", "G !at(B)"), ("--sere", "never {at(B)}")] {
        let ran = bop(&["check", file.path(), flag, what, "-q"]).exits(1);
        assert!(ran.out.contains("incomplete: 3 functions, 1 left out"), "{}", ran.out);
    }
}

#[test]
fn code_scanning_sites_hear_of_it() {
    let file = TempFile::new("part.i", PART);
    let args = ["check", file.path(), "--rule", "double_free", "--format", "sarif"];
    let run = bop(&args).exits(3).json()["runs"][0].clone();
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"].to_string();
    assert!(notes.contains("1 left out: `broken`"), "{notes}");
    assert!(notes.contains("\"startLine\":3"), "{notes}");
    assert!(run["results"].as_array().expect("results").is_empty(), "{run}");
    let page = bop(&["check", file.path(), "--rule", "double_free", "--format", "html"]).exits(3);
    assert!(page.out.contains("1 left out: `broken`"));
    // A program that was read says so.
    let whole = TempFile::new("whole.i", PART.replace('@', "+"));
    let args = ["check", whole.path(), "--rule", "double_free", "--format", "sarif"];
    let run = bop(&args).exits(0).json()["runs"][0].clone();
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn files_and_second_definitions_are_left_out() {
    if !compiler() {
        return;
    }
    let main = "#include <stdlib.h>\nint other(void);\n\
        int main(void) { char *p = malloc(1); other(); free(p); return 0; }\n";
    let files = [
        ("main.c", main),
        ("header.c", "#include \"nowhere.h\"\nint other(void) { return 1; }\n"),
        ("error.c", "#error no\n"),
        ("one.c", "int other(void) { return 1; }\n"),
        ("two.c", "int other(void) { return 2; }\n"),
    ];
    let folder = Folder::new("left-out", &files);
    folder.bop(&["check", "main.c", "one.c", "--rule", "memory"]).exits(0);
    let missing = folder.bop(&["check", "main.c", "header.c", "--rule", "memory"]).exits(3);
    assert!(
        missing.out.contains("1 function, 1 left out: header.c (`cc` could not"),
        "{}",
        missing.out
    );
    assert!(missing.out.contains("nowhere.h"), "{}", missing.out);
    let twice = folder.bop(&["check", "main.c", "one.c", "two.c", "--rule", "memory"]).exits(3);
    let told = "2 functions, 1 left out: `other` at two.c:1:5 (it is defined twice";
    assert!(twice.out.contains(told), "{}", twice.out);
    let all = ["check", "main.c", "one.c", "two.c", "error.c", "--rule", "memory"];
    folder.bop(&all).exits(3);
    folder.bop(&[&all[..], &["--allow-incomplete"]].concat()).exits(0);
    // Nothing was read.
    let none = folder.bop(&["check", "header.c", "error.c", "--rule", "memory"]).exits(2);
    assert!(none.err.contains("nowhere.h") && none.err.contains("#error no"), "{}", none.err);
    folder.bop(&["check", "main.c", "typo.c", "--rule", "memory"]).exits(2);
    let broken = TempFile::new("broken.i", "int f(void) { return 1 @ 2; }\n");
    let none = bop(&["check", broken.path(), "--rule", "memory", "-q"]).exits(2);
    assert!(none.err.contains("nothing could be read") && none.err.contains("`f`"), "{}", none.err);
}

#[test]
fn what_was_left_out_may_do_anything() {
    if !compiler() {
        return;
    }
    // Only the file that is not read calls `inside`, or changes `flag`.
    let main = "int flag; int f(void);\nint inside(void) { IN: return 0; }\n\
        int main(void) { flag = 0; f(); if (flag) { SET: return 1; } return 0; }\n";
    let f = "#include \"nowhere.h\"\n";
    let folder = Folder::new("arbitrary", &[("main.c", main), ("f.c", f)]);
    for place in ["IN", "SET"] {
        folder.bop(&["check", "main.c", "f.c", "--reach", place]).exits(1);
    }
}

#[test]
fn other_verbs_claim_nothing_either() {
    let file = TempFile::new("part.i", PART);
    let verbs: [&[&str]; 7] = [
        &["states", "--at", "DEAD"],
        &["states", "--to", "more:DEAD .*"],
        &["convert", "--to", "bp"],
        &["convert", "--to", "smv"],
        &["lts"],
        &["influence"],
        &["annotate", "--formula", "@examples/analyses/live.mcl"],
    ];
    for verb in verbs {
        let args = [&verb[..1], &[file.path()], &verb[1..]].concat();
        let ran = bop(&args).exits(3);
        assert!(ran.err.contains("incomplete: 3 functions, 1 left out: `broken`"), "{}", ran.err);
        let allowed = bop(&[&args[..], &["--allow-incomplete"]].concat()).exits(0);
        assert!(allowed.err.contains("incomplete: 3 functions"), "{}", allowed.err);
    }
    let eval = ["eval", "<true>true", file.path()];
    let ran = bop(&eval).exits(3);
    assert!(ran.err.contains("unknown: incomplete"), "{}", ran.err);
    bop(&[&eval[..], &["--allow-incomplete"]].concat()).exits(0);
    // A stack that is reached is.
    bop(&["states", file.path(), "--to", "good .*"]).exits(1);
}

#[test]
fn proofs_of_a_part_prove_a_part() {
    let file = TempFile::new("part.i", PART);
    let proof = TempFile::new("part.proof", "");
    let check = ["check", file.path(), "--reach", "DEAD", "--proof", proof.path()];
    bop(&check).exits(3);
    let nothing = bop(&["replay", file.path(), proof.path()]).exits(2);
    assert!(nothing.err.contains("it proves nothing"), "{}", nothing.err);
    bop(&[&check[..], &["--allow-incomplete"]].concat()).exits(0);
    let ran = bop(&["replay", file.path(), proof.path()]).exits(3);
    assert!(ran.out.contains("unknown: reach DEAD: a part of the program"), "{}", ran.out);
    bop(&["replay", file.path(), proof.path(), "--allow-incomplete"]).exits(0);
}

/// A program with a lock and a list, and remarks.
const LOCKS: &str = "# 1 \"locks.c\"
typedef struct list list; struct list { list *next; };
list *make(void); void lock(void); void unlock(void); list head;
int main(void) { list *l = make(); lock(); unlock(); return l == 0; }
";

/// The result of a rule that holds, and of the same with `--strict`.
#[track_caller]
fn vacuous(c: &str, rule: &str, why: &str) {
    let file = TempFile::new("locks.i", c);
    let rule = TempFile::new("own.rule", rule);
    let ask = ["check", file.path(), "--rule", rule.path()];
    for more in [&[][..], &["-q"]] {
        let ran = bop(&[&ask[..], more].concat()).exits(0);
        assert!(ran.out.contains(&format!("\n  warning: {why}\n")), "{}", ran.out);
    }
    let json = bop(&[&ask[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(json["results"][0]["vacuous"], true, "{json}");
    assert!(json["results"][0]["warnings"].to_string().contains(why), "{json}");
    let sarif = bop(&[&ask[..], &["--format", "sarif"]].concat()).exits(0).json();
    let notes = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains(why), "{notes}");
    let html = bop(&[&ask[..], &["--format", "html"]].concat()).exits(0).out;
    assert!(html.contains(why), "{html}");
    bop(&[&ask[..], &["--strict"]].concat()).exits(3);
}

#[test]
fn rules_about_nothing_say_so() {
    let twice = "rule twice { never { call(lokc); !call(unlock)[*]; call(lokc) } message \"m\" }";
    vacuous(LOCKS, twice, "nothing calls `lokc`; did you mean `lock`?");
    let several = "rule r { never { call(take|grab); call(unlock) } message \"m\" }";
    vacuous(LOCKS, several, "nothing calls `take` or `grab`; did you mean `make`?");
    let ty = "rule r(v: value lst *) { never { result(make, v); call(unlock) } message \"m\" }";
    vacuous(LOCKS, ty, "nothing has the type `lst *`; did you mean `list*`?");
    let var = "rule r(v: var lst) { never { assign(v) } message \"m\" }";
    vacuous(LOCKS, var, "nothing has the type `lst`; did you mean `list`?");
    let none =
        "rule r(v: value list *) { never { arg(lock, 1, v); arg(unlock, 1, v) } message \"m\" }";
    vacuous(LOCKS, none, "there is no value that the rule could be about");
    // What is about something does not.
    let file = TempFile::new("locks.i", LOCKS);
    let rule = TempFile::new("own.rule", twice.replace("lokc", "lock"));
    let ran = bop(&["check", file.path(), "--rule", rule.path(), "--strict"]).exits(0);
    assert!(!ran.out.contains("warning"), "{}", ran.out);
    // Of many names for one thing, a program has some.
    let ran = bop(&["check", "examples/gc.c", "--rule", "gc", "-q"]);
    assert!(!ran.out.contains("warning"), "{}", ran.out);
    let ran = bop(&["check", file.path(), "--rule", "double_free"]).exits(0);
    assert!(ran.out.contains("warning: nothing calls `free`"), "{}", ran.out);
}

#[test]
fn questions_about_nothing_say_so() {
    let bp = TempFile::new("f.bp", "decl g; void main() begin g := 1; L: skip; end");
    let rem = TempFile::new("f.rem", "module void main() { skip; }\n");
    let pds = TempFile::new("f.pds", "(p <a>)\np <a> --> p <>\n");
    let c = TempFile::new("locks.i", LOCKS);
    let why = "the program has no assertion that could fail";
    for file in [&bp, &rem, &pds, &c] {
        let ask = ["check", file.path(), "--assert"];
        let ran = bop(&ask).exits(0);
        assert!(ran.out.starts_with("holds: no assertion can fail\n"), "{}", ran.out);
        assert!(ran.out.contains(&format!("\n  warning: {why}\n")), "{}", ran.out);
        let json = bop(&[&ask[..], &["--format", "json"]].concat()).exits(0).json();
        assert_eq!(json["results"][0]["vacuous"], true, "{json}");
        bop(&[&ask[..], &["--strict"]].concat()).exits(3);
    }
    // A label that is not there is an error.
    for file in [&bp, &c] {
        bop(&["check", file.path(), "--reach", "NOWHERE"]).exits(2);
    }
    // A formula that holds whatever its parts say.
    let ask = ["check", bp.path(), "--ltl", "G (at(L) -> F (g | !g))", "--strict"];
    bop(&ask).exits(3);
    let ask = ["check", c.path(), "--sere", "never {call(lokc)}"];
    let ran = bop(&ask).exits(0);
    let why = "no statement has the event `call(lokc)`; did you mean `call(lock)`?";
    assert!(ran.out.contains(why), "{}", ran.out);
    assert_eq!(
        bop(&[&ask[..], &["--format", "json"]].concat()).json()["results"][0]["vacuous"],
        true
    );
    bop(&[&ask[..], &["--strict"]].concat()).exits(3);
}

#[test]
fn remarks_that_do_nothing_are_told() {
    if !compiler() {
        return;
    }
    let text = "#include <stdlib.h>
int main(void) {
    char *p = malloc(3); // bop: allow memory_leak it is used
    char *q = malloc(3); // bop: allow double_free nothing of that
    free(q); // bop: allow memory_leek typed wrong
    return p == 0; // bop: allow
}
";
    let file = TempFile::new("remarks.c", text);
    let ask = ["check", file.path(), "--rule", "memory"];
    let ran = bop(&ask).exits(0);
    let warnings: Vec<&str> = ran.out.lines().filter(|l| l.starts_with("warning: ")).collect();
    let ends = [
        ":4: the remark `bop: allow double_free` suppresses nothing",
        ":5: the remark `bop: allow memory_leek` names no rule; did you mean `memory_leak`?",
        ":6: the remark `bop: allow` names no rule",
    ];
    assert_eq!(warnings.len(), 3, "{}", ran.out);
    for (warning, end) in warnings.iter().zip(ends) {
        assert!(warning.ends_with(end), "{warning}");
    }
    assert!(
        bop(&[&ask[..], &["--format", "json"]].concat()).json()["warnings"]
            .to_string()
            .contains(ends[0])
    );
    bop(&[&ask[..], &["--strict"]].concat()).exits(3);
    // Another run may ask for the rule that a remark is about.
    let ran = bop(&["check", file.path(), "--rule", "memory_leak"]).exits(0);
    assert!(!ran.out.contains(ends[0]), "{}", ran.out);
}

/// Projects without `//` have remarks, too.
#[test]
fn remarks_in_either_comment() {
    if !compiler() {
        return;
    }
    let text = "#include <stdlib.h>
int main(void) {
    /* bop: allow memory_leak in the line below */
    char *p = malloc(3);
    char *q = malloc(4); /* bop: allow memory_leak*/
    /* bop: allow double_free */ free(q);
    return p == 0;
}
";
    let file = TempFile::new("either.c", text);
    let ran = bop(&["check", file.path(), "--rule", "memory"]).exits(0);
    let warnings: Vec<&str> = ran.out.lines().filter(|l| l.starts_with("warning: ")).collect();
    // Without them, `p` is a leak.
    assert_eq!(warnings.len(), 2, "{}", ran.out);
    assert!(warnings[0].ends_with(":5: the remark `bop: allow memory_leak` suppresses nothing"));
    assert!(warnings[1].ends_with(":6: the remark `bop: allow double_free` suppresses nothing"));
    let file = TempFile::new("neither.c", text.replace("bop:", "b:"));
    bop(&["check", file.path(), "--rule", "memory"]).exits(1);
}

#[test]
fn what_was_looked_at_is_counted() {
    let c = "# 1 \"v.c\"\nvoid use(int); int get(void);
int g;\nint main(void) { int x = get(); use(x); use(x); x = get(); return x; }\n";
    let file = TempFile::new("v.i", c);
    let rule = "rule twice(v: var) { never { true[*]; arg(use, 1, v); !assign(v)[*]; arg(use, 1, v) } message \"`$v`\" }";
    let rule = TempFile::new("own.rule", rule);
    let ask = ["check", file.path(), "--rule", rule.path()];
    let ran = bop(&[&ask[..], &["-v"]].concat()).exits(1);
    assert!(ran.out.contains("twice: looked at 2 call sites, 2 variables"), "{}", ran.out);
    assert!(ran.out.contains("\n    g: holds\n"), "{}", ran.out);
    assert!(ran.out.contains("\n    main::x: violated\n"), "{}", ran.out);
    let json = bop(&[&ask[..], &["--format", "json"]].concat()).exits(1).json();
    let looked_at = &json["results"][0]["looked_at"];
    assert_eq!(looked_at.to_string(), r#"{"variables":2,"call_sites":2}"#);
    let file = TempFile::new("part.i", PART.replace('@', "+"));
    let json =
        bop(&["check", file.path(), "--rule", "double_free", "--format", "json"]).exits(0).json();
    assert_eq!(json["results"][0]["looked_at"]["call_sites"], 1, "{json}");
    assert!(json["results"][0]["looked_at"]["values"].as_u64() > Some(0), "{json}");
}

#[test]
fn what_is_taken_for_granted_stands_beside() {
    let file = TempFile::new("locks.i", LOCKS);
    let ask = ["check", file.path(), "--sere", "never {call(lock); call(lock)}"];
    let ran = bop(&ask).exits(0);
    assert!(ran.out.contains("note: this is about the program's control skeleton"), "{}", ran.out);
    assert!(ran.out.contains("note: `lock`, `make`, `unlock` have no body here"), "{}", ran.out);
    assert_eq!(ran.out.matches("note: ").count(), 2, "{}", ran.out);
    assert!(!ran.out.contains("thread"), "{}", ran.out);
    let json = bop(&[&ask[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(json["assumptions"].as_array().map(Vec::len), Some(2), "{json}");
    let threads = "# 1 \"t.c\"\nint pthread_create(void *, void *, void *(*)(void *), void *);
void *f(void *p) { return p; }\nint main(void) { return pthread_create(0, 0, f, 0); }\n";
    let file = TempFile::new("t.i", threads);
    let ran = bop(&["check", file.path(), "--rule", "double_free"]).exits(0);
    assert!(ran.out.contains("note: threads do not interleave"), "{}", ran.out);
    // Boolean programs are what they are.
    let ran = bop(&["check", "examples/fig1.bp", "--reach", "R"]).exits(1);
    assert!(!ran.out.contains("note: ") && !ran.out.contains("skeleton"), "{}", ran.out);
}

#[test]
fn functions_without_a_body_are_as_the_note_says() {
    let text = "# 1 \"n.c\"\nvoid *malloc(unsigned long); void free(void *);
void other(void); void give(char **); char *g; int flag;
void global(void) { g = malloc(3); free(g); other(); free(g); }
void given(void) { char *p = malloc(3); free(p); give(&p); free(p); }
void tested(void) { char *p = malloc(3); if (flag) free(p); other(); if (!flag) free(p); }
";
    let file = TempFile::new("n.i", text);
    let exits = |entry: &str, code: i32| {
        let rule = ["--rule", "double_free", "--confidence", "possible"];
        bop(&[&["check", file.path(), "--entry", entry], &rule[..]].concat()).exits(code)
    };
    // It assigns no variable whose address it was not given, ...
    let ran = exits("global", 1);
    let note =
        "a variable that is changed by a function that has no body and was not given its address";
    assert!(ran.out.contains(note), "{}", ran.out);
    exits("given", 0);
    // ... and conditions on what it can see may have changed.
    let ran = exits("tested", 1);
    assert!(
        ran.out.contains("what was tested of memory that they can see is forgotten"),
        "{}",
        ran.out
    );
    let file = TempFile::new("n.i", text.replace("other(); if", "if"));
    bop(&["check", file.path(), "--rule", "double_free", "--entry", "tested"]).exits(0);
}

#[test]
fn runs_without_data_are_called_that() {
    let text = "# 1 \"s.c\"\nint get(void);\nint main(int argc, char **argv) {
    if (argc > 1) {
        while (get())
            ;
        L: return 1;
    }
    return 0;\n}\n";
    let file = TempFile::new("s.i", text);
    // With data, it is one that was executed.
    // Simpler inputs are looked for as long as there is time, which a busy machine may not have.
    let simple = |_| {
        let ran = bop(&["check", file.path(), "--reach", "L"]).exits(1);
        assert!(ran.out.contains("  inputs: get() = 0, "), "{}", ran.out);
        ran.out.contains("  inputs: get() = 0, 1 argument\n")
    };
    assert!((0..4).any(simple));
    let ask = ["check", file.path(), "--reach", "L", "--skeleton"];
    let ran = bop(&ask).exits(1);
    let said = "this is a run of the control skeleton, without data; it assumes `argc > 1` at line 3, \
                `!get()` at line 4\n";
    assert!(ran.out.contains(said), "{}", ran.out);
    assert!(!ran.out.contains('='), "{}", ran.out);
    let json = bop(&[&ask[..], &["--format", "json"]].concat()).exits(1).json();
    assert_eq!(json["results"][0]["skeleton"], true);
    assert_eq!(json["results"][0]["assumptions"][1], "`!get()` at line 4");
    let sarif = bop(&[&ask[..], &["--format", "sarif"]].concat()).exits(1).out;
    assert!(sarif.contains("a run of the control skeleton"), "{sarif}");
    // A condition on a value that is kept is not assumed.
    let text = "# 1 \"k.c\"\nint main(void) { int x = 2; if (x > 1) { L: return 1; } return 0; }\n";
    let file = TempFile::new("k.i", text);
    let ask = ["check", file.path(), "--reach", "L", "--keep", "x:8"];
    let ran = bop(&ask).exits(1);
    assert!(ran.out.contains("x=2") && !ran.out.contains("it assumes"), "{}", ran.out);
}

#[test]
fn of_two_mains_one_is_named() {
    if !compiler() {
        return;
    }
    let files = [
        ("a.c", "int main(void) { A: return 0; }\n"),
        ("b.c", "int main(void) { B: return 0; }\n"),
    ];
    let folder = Folder::new("mains", &files);
    for more in [&["--reach", "A"][..], &["--rule", "memory"]] {
        let ran = folder.bop(&[&["check", "a.c", "b.c"], more].concat()).exits(2);
        let told = "there are 2 functions `main`: say where the program starts, with `--entry main@a.c` \
                    (a.c:1) or `--entry main@b.c` (b.c:1)";
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    let check = |entry: &str, label: &str| {
        folder.bop(&["check", "a.c", "b.c", "--entry", entry, "--reach", label]).code
    };
    assert_eq!((check("main@a.c", "A"), check("main@a.c", "B")), (1, 0));
    assert_eq!((check("main@b.c", "A"), check("main@b.c", "B")), (0, 1));
    assert_eq!(check("main", "A"), 2);
    folder.bop(&["convert", "a.c", "b.c", "--to", "bp"]).exits(2);
}

/// A library with its tests, as databases have them: whoever names one `main` means one program.
#[test]
fn other_programs_are_not_read() {
    if !compiler() {
        return;
    }
    let files = [
        ("lib.c", "#include <stdlib.h>\nvoid give(char *p) { free(p); }\n"),
        (
            "t1.c",
            "#include <stdlib.h>\n#include <assert.h>\nvoid give(char *);\nint help(void) { return 1; }\n\
             int main(void) { char *p = malloc(1); give(p); assert(help() == 1); return 0; }\n",
        ),
        (
            "t2.c",
            "#include <stdlib.h>\n#include <assert.h>\nvoid give(char *);\nint help(void) { return 2; }\n\
             int main(int c, char **v) { if (c > 1) assert(help() == 1); char *p = malloc(1); give(p); give(p); return 0; }\n",
        ),
    ];
    let folder = Folder::new("programs", &files);
    let all = ["lib.c", "t1.c", "t2.c"];
    let check = |entry: &str, more: &[&str]| {
        folder.bop(&[&["check"], &all[..], &["--entry", entry], more].concat())
    };
    let ran = check("main@t1.c", &["--rule", "memory"]).exits(0);
    let told = "note: `t2.c` is not read: a `main` of its own makes another program";
    assert!(ran.err.contains(told) && !ran.out.contains("incomplete"), "{}{}", ran.out, ran.err);
    let ran = check("main@t2.c", &["--rule", "memory"]).exits(1);
    assert!(ran.out.contains("violated: double_free"), "{}", ran.out);
    check("main@t1.c", &["--assert"]).exits(0);
    // It starts at `main`, and the test has one program.
    check("main@t2.c", &["--assert", "--emit-test", "tests"]).exits(1);
    let listed = check("main@t2.c", &["--assert", "--format", "json"]).exits(1).json();
    assert_eq!(listed["checked"]["files"], 2, "{}", listed["checked"]);
    // With none named, nothing is chosen.
    let ran = folder.bop(&[&["check"], &all[..], &["--rule", "memory"]].concat()).exits(2);
    assert!(ran.err.contains("or name the files that are checked"), "{}", ran.err);
    folder.bop(&["check", "lib.c", "--rule", "memory"]).exits(0);
}

/// Whoever checks a whole database gets an answer about one program, which claims nothing of the others.
#[test]
fn of_a_database_of_several_programs_one_is_read() {
    if !compiler() {
        return;
    }
    let lost = "#include <stdlib.h>\nint main(void) { char *p = malloc(9); if (!p) return 1; p[0] = 1; return FREE; }\n";
    let freed = lost.replace("return FREE", "free(p); return 0");
    let lost = lost.replace("FREE", "0");
    let database = r#"[{"directory": ".", "arguments": ["cc", "-c", "a.c"]}, {"directory": ".", "arguments": ["cc", "-c", "b.c"]}]"#;
    let files = [("a.c", freed.as_str()), ("b.c", lost.as_str()), ("db.json", database)];
    let folder = Folder::new("several", &files);
    let ask = ["check", "--compile-commands", "db.json", "--rule", "memory_leak"];
    let ran = folder.bop(&ask).exits(3);
    assert!(ran.err.contains("note: `b.c` is not read: a `main` of its own"), "{}", ran.err);
    assert!(ran.out.contains("unknown") && !ran.out.contains("holds"), "{}", ran.out);
    folder.bop(&[&ask[..], &["--entry", "main@a.c"]].concat()).exits(0);
    let ran = folder.bop(&[&ask[..], &["--entry", "main@b.c"]].concat()).exits(1);
    assert!(ran.out.contains("violated: memory_leak"), "{}", ran.out);
}

/// What a database names whole is told as seen from here.
#[test]
fn names_of_a_database_are_seen_from_here() {
    if !compiler() {
        return;
    }
    let text = "#include \"part.h\"\n#include <stdlib.h>\nint main(void) { char *p = malloc(N); free(p); free(p); return 0; }\n";
    let files = [("src/a.c", text), ("include/part.h", "#define N 7\n"), ("build/none", "")];
    let folder = Folder::new("seen", &files);
    let path = folder.path().to_str().expect("UTF-8");
    for (directory, file, include) in [
        (format!("{path}/build"), format!("{path}/src/a.c"), format!("{path}/include")),
        (format!("{path}/build"), "../src/a.c".to_owned(), "../include".to_owned()),
        (path.to_owned(), "src/a.c".to_owned(), "include".to_owned()),
    ] {
        let entry = serde_json::json!([{
            "directory": directory, "file": file, "arguments": ["cc", format!("-I{include}"), "-c", file],
        }]);
        std::fs::write(folder.path().join("build/db.json"), entry.to_string()).expect("written");
        let ask = ["check", "--compile-commands", "build/db.json", "--rule", "double_free"];
        let ran = folder.bop(&ask).exits(1);
        assert!(ran.out.contains("at src/a.c:3:") && !ran.out.contains(path), "{}", ran.out);
        let listed = folder.bop(&[&ask[..], &["--format", "json"]].concat()).exits(1).json();
        assert_eq!(listed["files"][1]["name"], "src/a.c", "{}", listed["files"]);
        folder.bop(&[&ask[..], &["--format", "json", "-o", "r.json"]].concat()).exits(1);
        folder.bop(&["replay", "r.json", "--compile-commands", "build/db.json"]).exits(0);
    }
}

#[test]
fn cpp_is_refused_by_name() {
    if !compiler() {
        return;
    }
    let c = "int main(void) { return 0; }\n";
    let database = "[{\"directory\": \".\", \"arguments\": [\"cc\", \"-c\", \"f.c\"]},
{\"directory\": \".\", \"arguments\": [\"c++\", \"-c\", \"g.cpp\", \"-o\", \"g.o\"]}]";
    let files = [("f.c", c), ("f.cpp", c), ("f.cc", c), ("f.C", c), ("db.json", database)];
    let folder = Folder::new("cpp", &files);
    for name in ["f.cpp", "f.cc", "f.C"] {
        let ran = folder.bop(&["check", name, "--assert"]).exits(2);
        assert!(ran.err.contains(&format!("`{name}` is C++, which is not read")), "{}", ran.err);
        folder.bop(&["check", "f.c", name, "--assert"]).exits(2);
        folder.bop(&["check", name, "--assert", "--lang", "c"]).exits(0);
    }
    let ran = folder.bop(&["check", "--compile-commands", "db.json", "--terminates"]).exits(3);
    assert!(ran.out.contains("1 function, 1 left out: g.cpp (it is C++)"), "{}", ran.out);
}
