//! What people meet first: help, colours, lines that editors link, baselines, pages.

use crate::c::Folder;
use crate::{TempFile, bop, command};

const LEAK: &str = "\
void *malloc(unsigned long n);
void free(void *p);
int f(int n) {
  char *p = malloc(10);
  if (n)
    return 1;
  free(p);
  return 0;
}
int main(int argc, char **argv) { return f(argc); }
";

/// The headings of a help text, each with the options below it.
fn headings(help: &str) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    for line in help.lines() {
        if let Some(head) = line.strip_suffix(':').filter(|l| !l.starts_with(' ')) {
            out.push((head.to_owned(), Vec::new()));
        } else if let Some((_, flag)) = line.split_once("--")
            && line.trim_start().starts_with('-')
            && let Some((_, flags)) = out.last_mut()
        {
            flags.push(flag.split([' ', '=', '[']).next().unwrap_or("").to_owned());
        }
    }
    out
}

/// Writes a file into a folder.
fn write(folder: &Folder, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).expect("the folder can be written");
}

#[test]
fn options_stand_under_their_own_heading() {
    let c = [
        "compile-commands",
        "trust-compile-commands",
        "cc",
        "ilp32",
        "allow-incomplete",
        "keep",
        "skeleton",
        "contracts",
        "cache",
        "confidence",
    ];
    for verb in ["check", "states", "convert", "dump", "replay", "influence", "annotate", "lts"] {
        let help = bop(&[verb, "--help"]).exits(0).out;
        let found = headings(&help);
        let (_, flags) = found.iter().find(|(head, _)| head == "C").expect("it reads C");
        for flag in flags {
            assert!(c.contains(&flag.as_str()), "{verb}: --{flag} stands under C");
        }
    }
}

/// Examples in help name files that nobody has: they are given here, and none is bad usage.
#[test]
fn examples_in_help_are_executed() {
    let bp = "decl g, h, request, granted, p, q;\nvoid main() begin\n  decl x;\n  x := 0; idle(); f(); g();\n  \
              R: L: Q: skip;\nend\nvoid idle() begin skip; end\nvoid f() begin if (*) then f(); fi end\n\
              void g() begin\n  skip;\n  skip;\n  f();\n@  skip;\nend\n";
    // There is a statement on line 42.
    let bp = &bp.replace('@', &"\n".repeat(29));
    if !crate::c::compiler() {
        return;
    }
    let gc = bop(&["gen", "gc"]).exits(0).out;
    let rem = bop(&["gen", "quicksort", "--bits", "2", "--len", "2"]).exits(0).out;
    let aut = "des (0, 1, 2)\n(0, \"a\", 1)\n";
    let rule = "rule mine { never { call(abort) } message \"it aborts\" }\n";
    let c = "int max, a; void f(int *p) { *p = 1; }\nint main(void) { f(&a); return max; }\n";
    let database = "[{\"directory\":\".\",\"file\":\"a.c\",\"arguments\":[\"cc\",\"-c\",\"a.c\"]}]";
    let folder = Folder::new(
        "help",
        &[
            ("lock.bp", bp),
            ("big.bp", bp),
            ("old.bp", bp),
            ("sort.rem", &rem),
            ("q.rem", &rem),
            ("flat.bp", "decl g; void main() begin g := 0; L: skip; end\n"),
            ("a.c", "int g(void) { return 0; }\n"),
            ("b.c", c),
            ("f.c", c),
            ("gc.c", &gc),
            ("model.aut", aut),
            ("program.aut", aut),
            ("my.rule", rule),
            ("f.preds", "global:\n  max == 0\n"),
            ("live.mcl", "mu X . (< true > X or [ true ] false)\n"),
            ("formula.mcf", "[true*]<true>true\n"),
            ("compile_commands.json", database),
        ],
    );
    let examples: Vec<String> =
        ["", "check", "states", "convert", "dump", "ltl", "eval", "gen", "influence"]
            .iter()
            .flat_map(|verb| {
                let args: &[&str] = if verb.is_empty() { &["--help"] } else { &[verb, "--help"] };
                let help = bop(args).exits(0).out;
                let lines =
                    help.lines().filter_map(|l| l.strip_prefix("  bop ")).map(str::to_owned);
                lines.collect::<Vec<_>>()
            })
            .collect();
    assert!(examples.len() > 40, "{}", examples.len());
    let mut executed = 0;
    for example in &examples {
        // A remark stands behind several blanks; what pipes into other programs is tried up to there.
        let line = example.split("   ").next().unwrap_or("").trim();
        for part in line.split("; bop ").map(|p| p.split(" | ").next().unwrap_or("").trim()) {
            // One takes long.
            if part.contains("5000000") {
                continue;
            }
            let (line, remark) = part.split_once("  ").unwrap_or((part, ""));
            let args = words(line);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ran = folder.bop(&[&args[..], limit(&args)].concat());
            assert!(ran.code != 2, "bop {line} ({remark}): {}", ran.err);
            executed += 1;
        }
    }
    assert!(executed > 60, "{executed} of {}", examples.len());
}

/// A limit, for verbs that have one and examples that have none.
fn limit(args: &[&str]) -> &'static [&'static str] {
    let after = args.contains(&"--") || args.contains(&"--timeout") || args.contains(&"gen");
    if after { &[] } else { &["--timeout", "10s"] }
}

/// Words of a command line; single quotes group.
fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        match i % 2 {
            0 => out.extend(part.split_whitespace().map(str::to_owned)),
            _ => out.push(part.to_owned()),
        }
    }
    out
}

#[test]
fn colours_are_asked_for() {
    let plain = bop(&["check", "examples/lock.bp"]).exits(1).out;
    let never = bop(&["check", "examples/lock.bp", "--color", "never"]).exits(1).out;
    let always = bop(&["check", "examples/lock.bp", "--color", "always"]).exits(1).out;
    assert_eq!(plain, never);
    assert!(always.starts_with("\u{1b}[1;31mviolated:\u{1b}[0m an assertion"), "{always:?}");
    let mut without = String::new();
    for (i, part) in always.split('\u{1b}').enumerate() {
        without += if i == 0 { part } else { part.split_once('m').expect("a colour").1 };
    }
    assert_eq!(without, plain);
    // A file is no terminal, whatever is asked.
    let file = TempFile::new("colours.txt", "");
    bop(&["check", "examples/lock.bp", "--color", "always", "-o", file.path()]).exits(1);
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), plain);
}

#[test]
fn quiet_and_verbose_are_no_error() {
    let quiet = bop(&["check", "examples/lock.bp", "-v", "-q"]).exits(1);
    assert_eq!(quiet.out.lines().count(), 1, "{}", quiet.out);
    let verbose = bop(&["check", "examples/lock.bp", "-q", "-v"]).exits(1);
    assert!(verbose.out.contains("engine explicit"), "{}", verbose.out);
    assert!(verbose.err.starts_with("1 finding in 1 file, "), "{}", verbose.err);
}

#[test]
fn findings_as_compilers_print_them() {
    let folder = Folder::new("gcc", &[("f.i", LEAK)]);
    let ran = folder.bop(&["check", "f.i", "--rule", "memory", "--format", "gcc"]).exits(1);
    let expected = "\
f.i:6:5: warning: `p` is allocated and not freed [bop.memory_leak]
f.i:4:9: note: 2. p = malloc(10) [`p` comes from here]
f.i:5:3: note: 3. if (n) (assumes `n` at line 5)
f.i:6:5: note: 4. return 1 [nothing holds it any more]
bop: holds: use_after_free [bop.use_after_free]
bop: holds: double_free [bop.double_free]
";
    assert_eq!(ran.out, expected);
    let quiet = folder.bop(&["check", "f.i", "--rule", "memory", "--format", "gcc", "-q"]).exits(1);
    assert_eq!(quiet.out, expected.lines().next().unwrap().to_owned() + "\n");
    let dead = TempFile::new("dead.bp", "void main() begin goto L; skip; L: skip; end");
    let ran = bop(&["check", dead.path(), "--reach-all", "--format", "gcc"]).exits(1);
    assert!(ran.out.contains(":1:27: warning: this statement can never be reached"), "{}", ran.out);
}

#[test]
fn a_baseline_lets_only_new_findings_fail() {
    let folder = Folder::new("baseline", &[("f.i", LEAK)]);
    let ask = ["check", "f.i", "--rule", "memory"];
    for (name, args) in [
        ("own.json", &["--write-baseline", "own.json"][..]),
        ("report.json", &["--format", "json", "-o", "report.json"]),
        ("report.sarif", &["--format", "sarif", "-o", "report.sarif"]),
    ] {
        folder.bop(&[&ask[..], args].concat()).exits(1);
        let ran = folder.bop(&[&ask[..], &["--baseline", name]].concat()).exits(0);
        assert!(!ran.out.contains("violated"), "{}", ran.out);
        assert!(ran.err.contains("1 of the findings is in the baseline"), "{}", ran.err);
    }
    // It moves, and another one comes.
    let more = "int g(int n) { char *q = malloc(20); if (n) return 1; free(q); return 0; }\n";
    let moved = LEAK.replace("int f(int n)", &format!("\n\n{more}\nint f(int n)"));
    write(&folder, "f.i", &moved.replace("f(argc)", "f(argc) + g(argc)"));
    let ran = folder.bop(&[&ask[..], &["--baseline", "own.json", "-q"]].concat()).exits(1);
    let violated: Vec<&str> = ran.out.lines().filter(|l| l.starts_with("violated")).collect();
    assert_eq!(violated.len(), 1, "{}", ran.out);
    assert!(violated[0].contains("`q`"), "{violated:?}");
    let json = [&ask[..], &["--baseline", "own.json", "--format", "json"]].concat();
    let json = folder.bop(&json).exits(1).json();
    let known: Vec<_> = json["results"].as_array().unwrap().iter().map(|r| &r["known"]).collect();
    assert!(
        known.contains(&&serde_json::json!(true)) && known.contains(&&serde_json::json!(false))
    );
    let sarif = [&ask[..], &["--baseline", "own.json", "--format", "sarif"]].concat();
    let sarif = folder.bop(&sarif).exits(1).out;
    assert!(sarif.contains("\"baselineState\": \"unchanged\""), "{sarif}");
    assert!(sarif.contains("\"baselineState\": \"new\""), "{sarif}");
    // Mended: the baseline has one that is gone.
    write(&folder, "f.i", &LEAK.replace("    return 1;", "    free(p);"));
    let ran = folder.bop(&["check", "f.i", "--rule", "memory_leak", "--baseline", "own.json"]);
    assert!(ran.exits(0).err.contains("1 of its findings is gone"));
    // What is no baseline is refused.
    for (text, why) in [
        ("{}", "a baseline is what"),
        ("no", "no JSON"),
        ("{\"runs\":[{\"results\":[{\"ruleId\":\"x\"}]}]}", "no fingerprint of bop"),
    ] {
        write(&folder, "bad.json", text);
        let ran = folder.bop(&[&ask[..], &["--baseline", "bad.json"]].concat()).exits(2);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    folder.bop(&[&ask[..], &["--baseline", "absent.json"]].concat()).exits(2);
}

/// Findings of one cause are told as one; as a baseline, a report of them has each.
#[test]
fn a_baseline_has_what_is_told_with_others() {
    let twice = "void *malloc(unsigned long n); void free(void *p);\n\
        int f(int n) {\n  char *p;\n  if (n)\n    p = malloc(9);\n  else\n    p = malloc(10);\n  free(p);\n  free(p);\n  return n;\n}\n\
        int main(int argc, char **argv) { return f(argc > 1); }\n";
    let folder = Folder::new("alike", &[("f.i", twice)]);
    let ask = ["check", "f.i", "--rule", "double_free"];
    let told = folder.bop(&ask).exits(1).out;
    assert!(told.contains("and 1 more like this"), "{told}");
    for format in ["json", "sarif"] {
        let name = format!("report.{format}");
        folder.bop(&[&ask[..], &["--format", format, "-o", &name]].concat()).exits(1);
        folder.bop(&[&ask[..], &["--baseline", &name]].concat()).exits(0);
    }
}

/// Sites refuse a file of which one result has no place.
#[test]
fn sarif_is_what_sites_take() {
    let folder = Folder::new("sites", &[("f.i", LEAK)]);
    let absolute = folder.path().join("f.i");
    let absolute = absolute.to_str().unwrap();
    for args in [
        &["check", "f.i", "--rule", "memory"][..],
        &["check", absolute, "--rule", "memory"],
        &["check", "./f.i", "--rule", "memory", "--reach-all", "--trace", "none"],
    ] {
        let ran = folder.bop(&[args, &["--format", "sarif"]].concat()).exits(1);
        let run = &ran.json()["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert!(!results.is_empty());
        for result in results {
            let at = &result["locations"][0]["physicalLocation"];
            assert_eq!(at["artifactLocation"]["uri"], "f.i", "{args:?}");
            assert!(at["region"]["startLine"].as_u64().unwrap() > 0);
            let prints = &result["partialFingerprints"];
            assert!(prints["bop/v1"].is_string() && prints["primaryLocationLineHash"].is_string());
            let rule =
                &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            assert!(rule["help"]["text"].is_string() && rule["properties"]["tags"][0].is_string());
        }
    }
    let ran = folder.bop(&["check", "f.i", "--rule", "memory_leak", "--format", "sarif"]).exits(1);
    let result = &ran.json()["runs"][0]["results"][0];
    let from = &result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"];
    assert_eq!(from, 4);
}

/// The data of a page.
fn data(page: &str) -> serde_json::Value {
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(data).unwrap()
}

fn run(page: &str, number: usize) -> serde_json::Value {
    let run = page.split_once(&format!("id=\"run-{number}\">")).unwrap().1;
    serde_json::from_str(run.split_once("</script>").unwrap().0).unwrap()
}

/// Headers are not what was asked about.
#[test]
fn a_page_is_about_the_files_that_were_named() {
    if !crate::c::compiler() {
        return;
    }
    let text = "#include \"own.h\"\nint main(void) { return h(); }\n";
    let other = "#include \"own.h\"\nint other(void) { return h(); }\n";
    let files = [("a.c", text), ("b.c", other), ("own.h", "static int h(void) { return 0; }\n")];
    let folder = Folder::new("headline", &files);
    let ask = ["--reach", "main", "--format", "html"];
    let page = folder.bop(&[&["check", "a.c"], &ask[..]].concat()).exits(1).out;
    assert!(page.contains("<title>a.c: "), "{}", page.lines().nth(6).unwrap_or(""));
    let page = folder.bop(&[&["check", "a.c", "b.c"], &ask[..]].concat()).exits(1).out;
    assert!(page.contains("<title>a.c and 1 more file: "), "{}", page.lines().nth(6).unwrap_or(""));
}

#[test]
fn pages_of_findings_tell_the_story() {
    let folder = Folder::new("story", &[("f.i", LEAK)]);
    let page = folder.bop(&["check", "f.i", "--rule", "memory", "--format", "html"]).exits(1).out;
    let all = data(&page);
    assert_eq!(all["headline"], "f.i: 1 finding in 1 file, 2 rules hold, 2 functions");
    let first = &all["results"][0];
    assert_eq!(first["message"], "`p` is allocated and not freed");
    // As sure as the text says, in the same words.
    let text = folder.bop(&["check", "f.i", "--rule", "memory"]).exits(1).out;
    let (sure, told) = (first["sure"].as_str().unwrap(), first["told"].as_str().unwrap());
    assert!(text.contains(&format!("  {told}\n")), "{told}\n{text}");
    assert!(told.starts_with(&format!("{sure}: ")) && sure != "possible", "{told}");
    assert_eq!(first["line"], 6);
    let steps = run(&page, 0);
    assert_eq!(
        steps["m"].to_string(),
        "[[1,\"`p` comes from here\"],[3,\"`p` is allocated and not freed: nothing holds it any more\"]]"
    );
    assert_eq!(steps["a"].to_string(), "[[2,\"`n` at line 5\"]]");
    // The automaton has left its first state before the last step.
    assert!(steps["q"].as_array().unwrap().len() > 1, "{steps}");
    assert!(page.contains("<template id=\"picture-0\"><svg"));
}

#[test]
fn pages_of_proofs_say_what_holds() {
    let text = "decl g, h;\nvoid main() begin\n  g := 1;\n  h := g;\n  if (!h) then D: skip; fi\n  skip;\nend\n";
    let file = TempFile::new("safe.bp", text);
    for engine in ["explicit", "summary"] {
        let args = ["check", file.path(), "--reach", "D", "--self-check", "--format", "html"];
        let page = bop(&[&args[..], &["--engine", engine]].concat()).exits(0).out;
        let rows = run(&page, 0);
        assert_eq!(rows["x"].to_string(), "[3]", "{engine}: {rows}");
        let facts = rows["i"].to_string();
        assert!(facts.contains("[1,\"g=1\"]"), "{engine}: {facts}");
        assert!(facts.contains("h=1"), "{engine}: {facts}");
    }
    let page = bop(&["check", file.path(), "--reach-all", "--format", "html"]).exits(1).out;
    assert_eq!(run(&page, 0)["x"].to_string(), "[3]");
}

#[test]
fn states_stacks_and_influence_are_pages() {
    let page = bop(&["states", "examples/lock.bp", "--at", ":7", "--format", "html"]).exits(0).out;
    assert!(data(&page)["headline"].as_str().unwrap().ends_with("what can hold at line 7"));
    assert!(run(&page, 0)["i"].to_string().contains("locked=1"));
    let args = ["states", "examples/lock.bp", "--at", ":11", "--stacks", "--format", "html"];
    let page = bop(&args).exits(0).out;
    assert!(page.contains("<template id=\"picture-0\"><svg") && page.contains(">main:6</text>"));
    let page = bop(&["influence", "examples/lock.bp", "--format", "html"]).exits(0).out;
    assert!(run(&page, 0)["i"].as_array().unwrap().len() > 3);
    assert!(!page.contains("http"), "it loads nothing");
}

/// A command on a terminal of 60 columns, interrupted with Ctrl-C after two seconds: what the terminal was sent.
#[cfg(unix)]
const ON_TERMINAL: &str = "
import fcntl, os, pty, select, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 25, 60, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
start, sent, out = time.time(), False, b''
while True:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            some = os.read(fd, 4096)
        except OSError:
            break
        if not some:
            break
        out += some
    if not sent and time.time() - start > 2:
        os.write(fd, b'\\x03')
        sent = True
sys.stdout.buffer.write(out)
";

/// What a terminal was sent; none where there is no Python to make one.
#[cfg(unix)]
fn on_terminal(args: &[&str], folder: &std::path::Path, plain: bool) -> Option<String> {
    let python = std::process::Command::new("python3").args(["-c", "import pty"]).status();
    if !python.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no python3 that could make a terminal");
        return None;
    }
    let mut python = std::process::Command::new("python3");
    python.args(["-c", ON_TERMINAL]).arg(command(&[]).get_program()).args(args);
    python.current_dir(folder).env_remove("NO_COLOR").env("TERM", "xterm");
    if plain {
        python.env("NO_COLOR", "1");
    }
    Some(String::from_utf8_lossy(&python.output().expect("it runs").stdout).into_owned())
}

#[cfg(unix)]
#[test]
fn terminals_get_colours_and_short_lines() {
    let folder = Folder::new("terminal", &[("f.i", LEAK)]);
    let args = ["check", "f.i", "--rule", "memory_leak"];
    let Some(shown) = on_terminal(&args, folder.path(), false) else { return };
    assert!(shown.contains("\u{1b}[1;31mviolated:\u{1b}[0m"), "{shown}");
    assert!(shown.contains("1 finding in 1 file, 2 functions, "), "{shown}");
    let Some(plain) = on_terminal(&args, folder.path(), true) else { return };
    assert!(!plain.contains('\u{1b}'), "{plain}");
    assert!(plain.lines().all(|l| l.chars().count() <= 60), "{plain}");
}

/// The line moves, and Ctrl-C leaves nothing of it behind.
#[cfg(unix)]
#[test]
fn progress_leaves_nothing_behind() {
    let slow = TempFile::new("slow.bp", bop(&["gen", "counter", "22"]).exits(0).out);
    let args = ["check", slow.path(), "--engine", "explicit", "--color", "never"];
    let Some(shown) = on_terminal(&args, &crate::root(), false) else { return };
    let drawn: Vec<&str> = shown.split("\r\u{1b}[2K").collect();
    assert!(drawn.len() > 4, "it moves: {shown:?}");
    let (last, lines) = drawn.split_last().expect("not empty");
    // What the terminal shows of Ctrl-C fits behind it.
    assert!(lines.iter().all(|l| l.chars().count() < 60 && !l.contains('\n')), "{shown:?}");
    assert!(last.starts_with("unknown: can an assertion fail? (it was"), "{last:?}");
}

/// The script that the files of `docs/ci` call.
#[cfg(unix)]
#[test]
fn the_script_for_continuous_integration() {
    let folder = Folder::new("ci", &[("f.i", LEAK), ("good.i", "int main(void) { return 0; }\n")]);
    let script = crate::root().join("docs/ci/check.sh");
    let bop = command(&[]).get_program().to_owned();
    let check = |file: &str, more: &[(&str, &str)]| {
        let mut sh = std::process::Command::new("sh");
        sh.arg(&script).arg(file).current_dir(folder.path()).env("BOP", &bop);
        let ran =
            sh.envs(more.iter().copied()).env("BOP_RULES", "memory").output().expect("it runs");
        (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned())
    };
    let (code, out) = check("f.i", &[("BOP_SARIF", "bop.sarif"), ("BOP_HTML", "bop.html")]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("f.i:6:5: warning: "), "{out}");
    for (file, begins) in [("bop.sarif", "{"), ("bop.html", "<!DOCTYPE html>")] {
        let text = std::fs::read_to_string(folder.path().join(file)).expect("it was written");
        assert!(text.starts_with(begins), "{file}");
    }
    assert_eq!(check("good.i", &[]).0, Some(0));
    assert_eq!(check("absent.i", &[]).0, Some(2));
    let baseline = ["check", "f.i", "--rule", "memory", "--write-baseline", "bop-baseline.json"];
    folder.bop(&baseline).exits(1);
    assert_eq!(check("f.i", &[]).0, Some(0), "what is known does not fail");
}
