//! C programs at the command line.

use crate::{Ran, TempFile, bop, bop_with, command, root};
use std::path::{Path, PathBuf};

/// A folder that is removed at the end of the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("bop-test-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path); // left by an earlier run
        for (file, text) in files {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().expect("it is in the folder")).expect("writable");
            std::fs::write(file, text).expect("writable");
        }
        Folder(path)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs `bop` there.
    pub(crate) fn bop(&self, args: &[&str]) -> Ran {
        let done = command(args).current_dir(&self.0).output().expect("it runs");
        Ran {
            code: done.status.code().expect("no signal ended it"),
            out: String::from_utf8(done.stdout).expect("it writes UTF-8"),
            err: String::from_utf8(done.stderr).expect("it writes UTF-8"),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether there is a C compiler; tests that need one say so where there is none.
pub(crate) fn compiler() -> bool {
    let there = std::process::Command::new("cc").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: there is no C compiler `cc`");
    }
    there
}

const GETMAX: &str = "# 1 \"getmax.c\"
int input(void);
int getmax() {
    int max, a;
    a = max = 0;
    do {
        if (a > max)
            max = a;
        a = input();
    } while (a);
    if (a > max) {
        ERROR: ;
    }
    return max;
}
int main(void) {
    int max;
    max = getmax();
    return 0;
}
";

#[test]
fn variables_that_are_kept_decide_branches() {
    let file = TempFile::new("getmax.i", GETMAX);
    let ran = bop(&["check", file.path(), "--reach", "ERROR", "--skeleton"]).exits(1);
    assert!(ran.out.starts_with("reachable: ERROR at getmax.c:11:"), "{}", ran.out);
    // Two bits are not enough for all of `int`: what does not fit is open.
    let narrow = ["--keep", "max:2", "--keep", "a:2"];
    let args = [&["check", file.path(), "--reach", "ERROR"], &narrow[..]].concat();
    bop(&args).exits(1);
    let keep = ["--keep", "max:32", "--keep", "a:32"];
    let args = [&["check", file.path(), "--reach", "ERROR"], &keep[..]].concat();
    let ran = bop(&args).exits(0);
    assert!(ran.out.starts_with("unreachable: ERROR\n"), "{}", ran.out);
    // What a formula speaks of is kept whole.
    let args = [&["check", file.path(), "--ltl", "G !\"getmax::max > 3\""], &narrow[..]].concat();
    bop(&args).exits(1);
    let args = [&["check", file.path(), "--ltl", "G !at(ERROR)"], &keep[..]].concat();
    bop(&args).exits(0);
    let args = [&["states", file.path(), "--at", ":13"], &keep[..]].concat();
    let states = bop(&args).exits(0);
    assert!(states.out.contains("a=0\n"), "{}", states.out);
    let wrong = bop(&["check", file.path(), "--assert", "--keep", "mx:2"]).exits(2);
    assert!(wrong.err.contains("no variable `mx`; did you mean `max`?"), "{}", wrong.err);
    bop(&["check", file.path(), "--assert", "--keep", "max"]).exits(2);
    bop(&["check", file.path(), "--assert", "--keep", "max:33"]).exits(2);
}

#[test]
fn places_are_labels_lines_and_functions() {
    let file = TempFile::new("getmax.i", GETMAX);
    for place in ["ERROR", "getmax:ERROR", ":8", "getmax.c:8", "getmax"] {
        bop(&["check", file.path(), "--reach", place, "--skeleton"]).exits(1);
    }
    for place in [":8", "getmax.c:8", "getmax"] {
        bop(&["check", file.path(), "--reach", place]).exits(1);
    }
    let ran = bop(&["check", file.path(), "--reach", "getmix"]).exits(2);
    assert!(ran.err.contains("no statement is labelled `getmix`"), "{}", ran.err);
    bop(&["check", file.path(), "--reach", "main", "--entry", "getmax"]).exits(0);
    let ran = bop(&["check", file.path(), "--reach", ":8", "--entry", "getmin"]).exits(2);
    assert!(ran.err.contains("did you mean `getmax`?"), "{}", ran.err);
}

#[test]
fn nothing_asked_is_answered_with_what_can_be() {
    let file = TempFile::new("nothing.i", "int main(void) { return 0; }\n");
    let ran = bop(&["check", file.path()]).exits(2);
    assert!(ran.err.contains("--rule memory") && ran.err.contains("--reach LABEL"), "{}", ran.err);
    let list = bop(&["check", "--rule", "list"]).exits(0);
    assert!(list.out.contains("memory") && list.out.contains("double_free"), "{}", list.out);
}

const LOCKED: &str = "# 1 \"locked.c\"
void lock(void); void unlock(void); int get(void); void exit(int) __attribute__((noreturn));
void (*handler)(void);
static void leave(void) { unlock(); }
static void stay(void) { get(); }
int main(void) {
    lock();
    if (get())
        exit(1);
    handler = get() ? leave : stay;
    handler();
    return 0;
}
";

#[test]
fn events_are_atoms() {
    let file = TempFile::new("locked.i", LOCKED);
    let check = |flag: &str, text: &str| bop(&["check", file.path(), flag, text, "-q"]).code;
    // The program may end, by exit or by a return, with the lock held.
    assert_eq!(check("--ltl", "G (call(lock) -> F call(unlock))"), 1);
    assert_eq!(check("--ltl", "G (call(lock) -> F (call(unlock) || terminated))"), 0);
    assert_eq!(check("--ltl", "F terminated"), 0);
    assert_eq!(check("--terminates", "--no-vacuity"), 0);
    assert_eq!(check("--ltl", "G (call(leave) -> X call(unlock))"), 0);
    assert_eq!(check("--ltl", "G (call(stay) -> X call(unlock))"), 1);
    assert_eq!(check("--ltl", "G (call(*) -> X call(unlock))"), 1);
    assert_eq!(check("--sere", "never {call(unlock)}"), 1);
    assert_eq!(check("--sere", "never {call(unlock); !call(lock)[*]; call(unlock)}"), 0);
    assert_eq!(check("--sere", "{call(lock); !call(unlock)[*]; terminated}(false)"), 1);
    assert_eq!(check("--sere", "{call(lock); true[*]; call(leave); true}(call(unlock))"), 0);
    assert_eq!(check("--sere", "{call(lock); true[*]; call(stay); true}(call(unlock))"), 1);
    assert_eq!(check("--sere", "{call(lock)} |=> !exit && !at(main:L)"), 2);
    assert_eq!(check("--sere", "{true[*]; call(lock)}(F call(unlock))"), 1);
    assert_eq!(check("--sere", "{true[*]; call(lock)} |=> F (call(unlock) || terminated)"), 0);
    let ran = bop(&["check", file.path(), "--sere", "never {call(lok)}"]).exits(0);
    assert!(ran.out.contains("no statement has the event `call(lok)`"), "{}", ran.out);
}

#[test]
fn sequences_in_boolean_programs() {
    let program = "decl g; void f() begin L: g := !g; end
        void main() begin g := 0; f(); if (*) then f(); fi M: skip; end";
    let file = TempFile::new("f.bp", program);
    let check = |text: &str| {
        let engine = ["--engine", "compare", "--self-check", "-q"];
        bop(&[&["check", file.path(), "--sere", text], &engine[..]].concat()).code
    };
    assert_eq!(check("never {at(L); !at(L)[*]; at(L)}"), 1);
    assert_eq!(check("never {at(L); !at(L)[*]; at(L); !at(L)[*]; at(L)}"), 0);
    assert_eq!(check("{true[*]; at(M)}(g)"), 1);
    assert_eq!(check("{!at(L)[*]; at(L); !at(L)[*]; at(M)}(g)"), 0);
    // Globals keep their values when the program has ended.
    assert_eq!(check("{true[*]; terminated; true}(!g)"), 1);
    assert_eq!(check("never {terminated; !terminated}"), 0);
    // With a temporal conclusion: whole runs.
    assert_eq!(check("{true[*]; at(L)}(F at(M))"), 0);
    assert_eq!(check("{true[*]; at(L); !at(L)[*]; at(M)}(G g)"), 1);
    assert_eq!(check("{!at(L)[*]; at(L); !at(L)[*]; at(M)}(G g)"), 0);
    let ran = bop(&["check", file.path(), "--sere", "{at(L)}(F at(Q))"]).exits(2);
    assert!(ran.err.contains("no statement is labelled `Q`"), "{}", ran.err);
    let ran = bop(&["check", file.path(), "--sere", "never {at(L)", "-q"]).exits(2);
    assert!(ran.err.contains("error"), "{}", ran.err);
    let ran = bop(&["check", file.path(), "--sere", "never {at(Q)}"]).exits(2);
    assert!(ran.err.contains('Q'), "{}", ran.err);

    // A word counts even if the run then blocks, as with --reach.
    let blocked = TempFile::new("g.bp", "void main() begin L: assume(false); end");
    bop(&["check", blocked.path(), "--sere", "never {at(L)}", "--reach", "L"]).exits(1);
    // A failed assertion stays in `error`.
    let failed = TempFile::new("h.bp", "decl g; void main() begin g := *; assert(g); end");
    let ran = bop(&["check", failed.path(), "--sere", "never {error; error}"]).exits(1);
    assert!(ran.out.contains("(error)"), "{}", ran.out);

    // The traces are replayed from their listing, too.
    for text in ["never {at(L); !at(L)[*]; at(L)}", "{true[*]; terminated; true}(!g)"] {
        let report = bop(&["check", file.path(), "--sere", text, "--format", "json"]).exits(1);
        assert_eq!(report.json()["results"][0]["property"]["kind"], "sere");
        let ran = bop_with(&["replay", file.path(), "-"], &report.out).exits(0);
        assert!(ran.out.starts_with("accepted"), "{}", ran.out);
    }
}

const TWICE: &str = "#include <stdlib.h>
#include \"part.h\"
int main(int argc, char **argv) {
    char *p = malloc(SIZE);
    if (!p)
        return 1;
    report(argc);
    if (argc > 1)
        finish(p);
    report(argc);
    finish(p);
    return 0;
}
";
const PART: &str = "#include <stdio.h>
#include <stdlib.h>
#include \"part.h\"
static int level;
void report(int n) { level++; printf(\"%d\\n\", n); level--; }
void finish(char *p) { free(p); }
";
const HEADER: &str = "void report(int n); void finish(char *p);\n";

fn project(name: &str) -> Folder {
    let makefile = "all: twice\nCC = cc\ntwice: twice.o part.o\n\t$(CC) -o $@ twice.o part.o\n\
                    %.o: src/%.c\n\t$(CC) -Iinclude -DSIZE=10 -c -o $@ $<\n";
    Folder::new(
        name,
        &[
            ("src/twice.c", TWICE),
            ("src/part.c", PART),
            ("include/part.h", HEADER),
            ("Makefile", makefile),
        ],
    )
}

#[test]
fn several_files_with_flags() {
    if !compiler() {
        return;
    }
    let folder = project("flags");
    let files = ["check", "src/twice.c", "src/part.c"];
    let rule = ["--rule", "double_free"];
    let flags = ["--", "-Iinclude", "-DSIZE=10"];
    let ran = folder.bop(&[&files[..], &rule[..], &flags[..]].concat()).exits(1);
    assert!(ran.out.starts_with("violated: double_free: "), "{}", ran.out);
    assert!(ran.out.contains("src/twice.c:11:"), "{}", ran.out);
    assert!(ran.out.contains("finish(p);"), "{}", ran.out);
    // What does not matter is folded.
    assert!(!ran.out.contains("printf("), "{}", ran.out);
    let ran = folder.bop(&[&files[..], &rule[..]].concat()).exits(2);
    assert!(ran.err.contains("part.h") && ran.err.contains("-Iinclude"), "{}", ran.err);

    let json = |more: &[&str]| {
        folder.bop(&[&files[..], &rule[..], more, &flags[..]].concat()).exits(1).json()
    };
    let report = json(&["--format", "json"]);
    let result = &report["results"][0];
    assert_eq!(result["property"]["kind"], "rule");
    assert_eq!(result["property"]["rule"], "double_free");
    assert_eq!((&result["verdict"], &result["stop_reason"]), (&"violated".into(), &().into()));
    let steps = result["trace"]["steps"].as_array().expect("a path");
    assert_eq!(steps[0]["depth"], 0);
    let last = steps.last().expect("not empty");
    assert_eq!((&last["file"], &last["line"]), (&().into(), &11.into()));
    assert!(last["events"][0].as_str().is_some_and(|e| e.contains("free")), "{last}");
    let sarif = json(&["--format", "sarif"]);
    let run = &sarif["runs"][0];
    let result = &run["results"][0];
    let index = result["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "double_free");
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(flow.as_array().is_some_and(|f| f.len() == steps.len()), "{flow}");
    let html = [&files[..], &rule[..], &["--format", "html"], &flags[..]].concat();
    assert!(folder.bop(&html).exits(1).out.contains("double_free"));
}

#[test]
fn builds_are_captured() {
    let make = std::process::Command::new("make").arg("--version").output().is_ok();
    if !compiler() || !make {
        eprintln!("skipped: there is no `make`");
        return;
    }
    let folder = project("capture");
    let ran = folder.bop(&["capture", "--", "make"]).exits(0);
    assert!(ran.err.contains("2 compilations recorded"), "{}", ran.err);
    let database = std::fs::read_to_string(folder.0.join("compile_commands.json")).expect("there");
    assert!(database.contains("-DSIZE=10") && database.contains("src/part.c"), "{database}");
    let check = ["check", "--compile-commands", "compile_commands.json", "--rule", "double_free"];
    folder.bop(&check).exits(1);
    // From somewhere else, and one file of it.
    let path = folder.0.join("compile_commands.json");
    let (path, part) = (path.to_str().expect("UTF-8"), folder.0.join("src/part.c"));
    bop(&["check", "--compile-commands", path, "--rule", "double_free", "-q"]).exits(1);
    let part = part.to_str().expect("UTF-8");
    bop(&["check", part, "--compile-commands", path, "--reach", "finish"]).exits(1);
    // Everything is built already; then a build that fails, and a compiler named by its path.
    let ran = folder.bop(&["capture", "-o", "again.json", "--", "make"]).exits(0);
    assert!(ran.err.contains("no call of a C compiler"), "{}", ran.err);
    assert!(!folder.0.join("again.json").exists());
    assert_eq!(folder.bop(&["capture", "-q", "--", "make", "nothing"]).code, 2);
    assert_eq!(folder.bop(&["capture", "-q", "--", "sh", "-c", "exit 7"]).code, 7);
    folder.bop(&["capture", "--", "no-such-command"]).exits(2);
    let cc = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|f| f.join("cc"))
        .find(|f| f.exists())
        .expect("there is a compiler");
    let cc = format!("CC={}", cc.display());
    folder.bop(&["capture", "-o", "path.json", "--", "make", "-B", &cc]).exits(0);
    assert!(folder.0.join("path.json").exists());
}

#[test]
fn remarks_allow_findings() {
    let text = TWICE.replace("#include \"part.h\"\n", "void report(int); void finish(char *);\n");
    let mut text = format!("{text}void report(int n) {{}}\nvoid finish(char *p) {{ free(p); }}\n");
    // The wrapper stands for what it calls.
    let last = text.rfind("finish(p);").expect("it is called") + "finish(p);".len();
    text.insert_str(last, " // bop: allow double_free it is a test");
    if !compiler() {
        return;
    }
    let file = TempFile::new("allowed.c", text);
    let args = ["check", file.path(), "--rule", "double_free"];
    let ran = bop(&[&args[..], &["--", "-DSIZE=1"]].concat()).exits(0);
    assert!(ran.out.contains("1 suppressed"), "{}", ran.out);
    let json = bop(&[&args[..], &["--format", "json", "--", "-DSIZE=1"]].concat()).exits(0).json();
    assert_eq!(json["results"][0]["verdict"], "holds");
    assert_eq!(json["suppressed"][0]["reason"], "it is a test");
    let sarif = bop(&[&args[..], &["--format", "sarif", "--", "-DSIZE=1"]].concat()).json();
    let justified = &sarif["runs"][0]["results"][0]["suppressions"][0]["justification"];
    assert_eq!(justified, "it is a test");
}

#[test]
fn remarks_in_headers_count() {
    if !compiler() {
        return;
    }
    let header = "#include <stdlib.h>
static inline int twice(char *p) {
    free(p);
    free(p); // bop: allow double_free see \"http://example.org\"
    return 0;
}
";
    let inc = "    // bop: allow double_free in the middle of a function\n    free(p);\n";
    let folder = Folder::new(
        "remarks",
        &[
            ("twice.h", header),
            ("rest.inc", inc),
            ("a.c", "#include \"twice.h\"\nint main(void) { return twice(malloc(1)); }\n"),
            (
                "b.c",
                "#include <stdlib.h>\nint f(char *p) {\n    free(p);\n#include \"rest.inc\"\n    return 0;\n}\n",
            ),
            (
                "c.c",
                "#include <stdlib.h>\nint f(char *p) {\n    free(p);\n    const char *u = \"http://a\"; free(p); // bop: allow double_free why\n    return u != 0;\n}\n",
            ),
        ],
    );
    for file in ["a.c", "b.c", "c.c"] {
        let ran = folder.bop(&["check", file, "--rule", "double_free"]).exits(0);
        assert!(ran.out.contains("1 suppressed"), "{file}: {}", ran.out);
    }
}

#[test]
fn rules_at_once_are_reported_in_order() {
    if !compiler() {
        return;
    }
    let text = "#include <stdio.h>
#include <stdlib.h>
int one(const char *name) {
    char *p = malloc(10);
    FILE *f = fopen(name, \"r\");
    if (!f) return 1;
    free(p);
    if (fgetc(f) == 1) { fclose(f); return 2; }
    free(p);
    return 0;
}
";
    let other = text.replace("one(", "two(");
    let folder = Folder::new("at-once", &[("a.c", text), ("b.c", &other)]);
    let json = |rules: &[&str]| {
        let rules = rules.iter().flat_map(|r| ["--rule", r]);
        let args = ["check", "a.c", "b.c", "--format", "json"].into_iter().chain(rules);
        let json = folder.bop(&args.collect::<Vec<_>>()).json();
        let results = json["results"].as_array().expect("results").clone();
        let timeless = results.into_iter().map(|mut r| {
            r["stats"] = serde_json::Value::Null;
            r.to_string()
        });
        timeless.collect::<Vec<String>>()
    };
    let mut each: Vec<String> = json(&["memory_leak"]);
    each.extend(json(&["use_after_free"]));
    each.extend(json(&["double_free"]));
    assert_eq!(json(&["memory"]), each);
    each.extend(json(&["file"]));
    for _ in 0..3 {
        assert_eq!(json(&["memory", "file"]), each);
    }
    assert!(each.len() > 6, "{each:?}");
}

#[test]
fn what_cannot_be_read_is_told() {
    let err = |name: &str, content: &[u8], more: &[&str]| {
        let file = TempFile::new(name, content);
        bop(&[&["check", file.path(), "--assert"], more].concat()).exits(2).err
    };
    assert!(err("empty.i", b"", &[]).contains("no function has a body"));
    assert!(err("binary.c", b"int x;\0\x01", &[]).contains("byte 0x00 at offset 6"));
    assert!(err("f.i", b"int f(void) { return 0; }", &["--entry", "g"]).contains("`g`"));
    let missing = bop(&["check", "no-such-file.c", "--assert"]).exits(2).err;
    assert!(missing.contains("cannot read `no-such-file.c`"), "{missing}");
    let c = TempFile::new("f.c", "int f(void) { return 0; }");
    let bp = TempFile::new("f.bp", "void main() begin end");
    let mixed = bop(&["check", c.path(), bp.path(), "--assert"]).exits(2).err;
    assert!(mixed.contains("one language"), "{mixed}");
    let keep = bop(&["check", bp.path(), "--keep", "x:2"]).exits(2).err;
    assert!(keep.contains("for C programs"), "{keep}");
    let rule = bop(&["check", bp.path(), "--rule", "memory"]).exits(2).err;
    assert!(rule.contains("C programs"), "{rule}");
    let rule = bop(&["check", c.path(), "--rule", "memry"]).exits(2).err;
    assert!(rule.contains("did you mean `memory`?"), "{rule}");
    let bad = TempFile::new("bad.rule", "rule r {\n  never { a; }\n  message \"\" }");
    let err = bop(&["check", c.path(), "--rule", bad.path()]).exits(2).err;
    assert!(err.contains("bad.rule:2:"), "{err}");
    let done = command(&["check", c.path(), "--assert"]).env("CC", "no-such-cc").output();
    let done = done.expect("it runs");
    let err = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2));
    assert!(err.contains("there is no C compiler `no-such-cc`"), "{err}");

    // One function is left out, the rest is checked.
    let text = "int broken( { ]\nint g(void) { L: return 0; }\nint main(void) { return g(); }\n";
    let file = TempFile::new("part.i", text);
    let ran = bop(&["check", file.path(), "--reach", "L"]).exits(1);
    assert!(ran.err.contains("left out"), "{}", ran.err);
    let quiet = bop(&["check", file.path(), "--reach", "L", "-q"]).exits(1);
    assert_eq!(quiet.err, "");
}

#[test]
fn standard_input_and_assertions() {
    let text = "#include <assert.h>\nint main(int argc, char **argv) {\n  assert(argc < 3);\n}\n";
    if !compiler() {
        return;
    }
    let ran = bop_with(&["check", "-", "--lang", "c", "--assert"], text).exits(1);
    assert!(ran.out.contains("assert(argc < 3)"), "{}", ran.out);
    let ran = bop_with(&["check", "-", "--lang", "c", "--assert", "--", "-DNDEBUG"], text).exits(0);
    assert!(ran.out.starts_with("holds: no assertion can fail\n  warning: "), "{}", ran.out);
}

#[test]
fn exports() {
    let file = TempFile::new("getmax.i", GETMAX);
    let to = |form: &str, more: &[&str]| {
        bop(&[&["convert", file.path(), "--to", form], more].concat()).exits(0).out
    };
    // Without the source, the statements as they were read.
    assert!(to("cout", &[]).contains("push call"));
    // With values, the list at the head of the model.
    let (listed, smv) = (to("cout", &["--keep", "max:1"]), to("smv", &["--keep", "max:1"]));
    assert!(listed.contains("a = max = 0") && smv.contains(&listed), "{listed}");
    bop(&["convert", file.path(), "--to", "cout", "--keep", "nothing:1"]).exits(2);
    let edl = to("edl", &["--stack-depth", "2"]);
    assert!(edl.contains("stack_2") && !edl.contains("stack_3"), "{edl}");
    assert!(edl.contains("define callto_getmax"), "{edl}");
    assert!(to("smv", &[]).starts_with("MODULE main"));
    assert!(to("smv", &["--encoding", "bits"]).contains("unsigned word"));
    let formula = "G (call(input) -> (use(getmax::a) W assign(getmax::max)))";
    let specified = "G (((callto_input) -> ((((useof_a_getmax) U (assignto_max_getmax)) | G (useof_a_getmax)))))";
    let smv = to("smv", &["--ltl", formula, "--ltl", "F terminated"]);
    assert!(smv.ends_with(&format!("LTLSPEC {specified};\nLTLSPEC F (pc = maxpc);\n")), "{smv}");
    let edl = to("edl", &["--ltl", formula]);
    assert!(edl.ends_with(&format!("formula {{ {specified} }}\n")), "{edl}");
    for wrong in ["G at(L)", "G call(nothing)", "G (", "G call(input, 1)"] {
        bop(&["convert", file.path(), "--to", "smv", "--ltl", wrong]).exits(2);
    }
    bop(&["convert", file.path(), "--to", "bp", "--ltl", "G true"]).exits(2);
    assert!(to("dot", &[]).starts_with("digraph"));
    let bp = to("bp", &["--keep", "max:1"]);
    let again = TempFile::new("again.bp", bp);
    bop(&["check", again.path(), "--reach", "ERROR"]).exits(1);
    assert!(!to("pds", &[]).is_empty());
    let dump = bop(&["dump", file.path(), "--stage", "tree"]).exits(0).out;
    assert!(dump.contains("a = max = 0  {assign(getmax::max)"), "{dump}");
    for stage in ["ir", "spds"] {
        bop(&["dump", file.path(), "--stage", stage]).exits(0);
    }
    let bp = TempFile::new("f.bp", "void main() begin end");
    let refused = bop(&["convert", bp.path(), "--to", "cout"]).exits(2).err;
    assert!(refused.contains("form of C programs"), "{refused}");
}

/// With `--keep`, the counters are those of the models with values.
#[test]
fn source_with_counters_of_values() {
    let text = "int f(int n) {\n  while (n > 0)\n    n--;\n  return n;\n}\nint main(void) {\n  int x = 1;\n  /* no statement */\n  return f(x);\n}\n";
    let file = TempFile::new("kept.c", text);
    let to =
        |form: &str| bop(&["convert", file.path(), "--to", form, "--keep", "f::n:2"]).exits(0).out;
    let (cout, smv) = (to("cout"), to("smv"));
    let mut in_model: Vec<(usize, usize)> = Vec::new();
    for place in smv.lines().filter_map(|line| line.strip_prefix("-- pc ")) {
        let (number, rest) = place.split_once(": ").unwrap();
        let Some((_, line)) = rest.split_once(".c:") else { continue };
        let line = line.split_once(' ').unwrap().0;
        in_model.push((line.parse().unwrap(), number.parse().unwrap()));
    }
    assert!(in_model.len() > 5, "{smv}");
    assert_eq!(cout.lines().count(), text.lines().count(), "{cout}");
    for (number, (shown, line)) in (1..).zip(cout.lines().zip(text.lines())) {
        assert!(shown.ends_with(line), "{shown:?} {line:?}");
        let mut here: Vec<usize> =
            in_model.iter().filter(|place| place.0 == number).map(|place| place.1).collect();
        here.sort_unstable();
        let numbers: Vec<String> = here.iter().map(usize::to_string).collect();
        let margin = shown[..shown.len() - line.len()].trim();
        let said = margin.strip_prefix("/* ").and_then(|m| m.strip_suffix(" */")).unwrap_or("");
        assert_eq!(said, numbers.join(" "), "{cout}\n{smv}");
    }
}

/// The source as it is, with counters in front of its lines.
#[test]
fn source_with_counters() {
    if !compiler() {
        return;
    }
    let (_, text) = GETMAX.split_once('\n').unwrap();
    let header = "static inline int twice(int x) { return x + x; }\n";
    let header = TempFile::new("twice.h", header);
    let text = format!("#include \"{}\"\n/* not code */\n{text}", header.path());
    let file = TempFile::new("getmax.c", &text);
    let cout = bop(&["convert", file.path(), "--to", "cout"]).exits(0).out;
    assert_eq!(cout.lines().count(), text.lines().count(), "{cout}");
    for (shown, line) in cout.lines().zip(text.lines()) {
        assert!(shown.ends_with(line.trim_end()), "`{shown}` is not `{line}`");
    }
    // A function of a header takes none of the first numbers.
    let first = cout.lines().find(|line| line.contains("a = max = 0")).unwrap();
    assert!(first.starts_with("/* 0 */"), "{cout}");
    let call = cout.lines().find(|line| line.contains("a = input()")).unwrap();
    assert!(call.starts_with("/* 5 6 */"), "{cout}");
    assert!(!cout.contains("twice(int x)"), "{cout}");
}

#[test]
fn the_setting_of_table_1() {
    let file = TempFile::new("gc.c", bop(&["gen", "gc", "--faulty", "10"]).exits(0).out);
    if !compiler() {
        return;
    }
    let ran = bop(&["check", file.path(), "--rule", "gc-variables", "--format", "json"]).exits(1);
    let json = ran.json();
    let results = json["results"].as_array().expect("results");
    let count = |rule: &str| results.iter().filter(|r| r["property"]["rule"] == rule).count();
    assert_eq!((count("gc_dangling_variable"), count("gc_leak_variable")), (6, 6));
    let file = TempFile::new("gc.c", bop(&["gen", "gc", "--faulty", "0"]).exits(0).out);
    let ran = bop(&["check", file.path(), "--rule", "gc-variables", "-q"]).exits(0);
    assert_eq!(ran.out, "holds: gc_dangling_variable\nholds: gc_leak_variable\n");
}

#[test]
fn the_example_has_two_mistakes() {
    if !compiler() || !Path::new(&root().join("examples/gc.c")).exists() {
        return;
    }
    let ran = bop(&["check", "examples/gc.c", "--rule", "gc", "-q"]).exits(1);
    assert!(ran.out.contains("gc_dangling") && ran.out.contains("gc_leak"), "{}", ran.out);
}
