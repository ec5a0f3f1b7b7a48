//! Input that means harm: nothing of it is run, and nothing of it is obeyed by a terminal.

use crate::{Ran, TempFile, bop, bop_with, command};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("bop-hostile-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory can be written");
        let folder = Folder(std::fs::canonicalize(path).expect("it was made"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("its name is UTF-8").to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        std::fs::write(path, text).expect("it can be written");
    }

    /// A program that leaves a mark when it is run.
    fn trap(&self, name: &str) -> String {
        self.write(name, &format!("#!/bin/sh\ntouch '{}'\nexec cc \"$@\"\n", self.path("MARK")));
        let path = self.path(name);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it is ours");
        path
    }

    fn sprung(&self) -> bool {
        self.0.join("MARK").exists()
    }

    fn bop(&self, args: &[&str]) -> Ran {
        ran(command(args).current_dir(&self.0))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn ran(command: &mut Command) -> Ran {
    let done = command.stdin(Stdio::null()).output().expect("it runs");
    Ran {
        code: done.status.code().expect("no signal ended it"),
        out: String::from_utf8(done.stdout).expect("it writes UTF-8"),
        err: String::from_utf8(done.stderr).expect("it writes UTF-8"),
    }
}

/// Whether all of the tools are here; says which is not.
fn has(tools: &[&str]) -> bool {
    let missing = |tool: &&&str| {
        let mut command = Command::new(tool);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_err()
    };
    match tools.iter().find(missing) {
        Some(tool) => {
            eprintln!("skipped: there is no `{tool}`");
            false
        }
        None => true,
    }
}

const PROGRAM: &str = "#include \"a.h\"\nint main(void) { if (X) return f(); L: return 0; }\n";
const HEADER: &str = "int f(void);\n";
const PART: &str = "#include \"a.h\"\nint f(void) { return 2; }\n";

fn quoted(words: &[&str]) -> String {
    serde_json::to_string(words).expect("words are JSON")
}

/// A compilation database with one call in the folder.
fn database(folder: &Folder, words: &[&str], file: &str) -> String {
    let directory = serde_json::to_string(&folder.path("")).expect("it is JSON");
    let words = quoted(words);
    format!("[{{\"directory\": {directory}, \"arguments\": {words}, \"file\": {file:?}}}]")
}

/// Neither the compiler that a database names is run, nor what its flags name.
#[test]
fn databases_run_nothing() {
    if !has(&["cc"]) {
        return;
    }
    let folder = Folder::new(&[("a.c", PROGRAM), ("a.h", HEADER)]);
    let trap = folder.trap("trap.sh");
    folder.write("flags", &format!("-wrapper {trap}\n"));
    folder.write("a.specs", &format!("*cpp_options:\n-wrapper {trap}\n"));
    // Programs that a compiler would start instead of its own.
    for program in ["bin/cc1", "bin/as", "bin/cpp"] {
        folder.trap(program);
    }
    let at = |name: &str| format!("@{}", folder.path(name));
    let prefix = format!("-B{}", folder.path("bin/"));
    let specs = format!("-specs={}", folder.path("a.specs"));
    let (flags, joined) = (at("flags"), format!("-I{}", at("flags")));
    let calls: [&[&str]; 9] = [
        &[&trap, "-DX=1", "-c", "a.c"],
        &["./trap.sh", "-DX=1", "-c", "a.c"],
        &["cc", "-wrapper", &trap, "-DX=1", "-c", "a.c"],
        &["cc", &prefix, "-DX=1", "-c", "a.c"],
        &["cc", "-B", &prefix[2..], "-DX=1", "-c", "a.c"],
        &["cc", &specs, "-DX=1", "-c", "a.c"],
        &["cc", &flags, "-DX=1", "-c", "a.c"],
        &["cc", "-I", &flags, "-DX=1", "-c", "a.c"],
        // The compiler hands this on as two words.
        &["cc", &joined, "-DX=1", "-c", "a.c"],
    ];
    for words in calls {
        folder.write("db.json", &database(&folder, words, "a.c"));
        let check = ["check", "--compile-commands", "db.json", "--reach", "L"];
        let ran = folder.bop(&check).exits(0);
        assert!(!folder.sprung(), "{words:?}");
        assert!(ran.out.starts_with("unreachable: L\n"), "{words:?}: {}", ran.out);
        let told = ran.err.matches("db.json is not trusted").count();
        assert_eq!(told, 1, "{words:?}: {}", ran.err);
    }
    // Whoever trusts it gets what it says; a relative path is one from where the compiler runs.
    folder.write("db.json", &database(&folder, calls[1], "a.c"));
    let path = folder.path("db.json");
    let trusting = ["--compile-commands", &path, "--trust-compile-commands", "--reach", "L"];
    bop(&[&["check"], &trusting[..]].concat()).exits(0);
    assert!(folder.sprung());
    std::fs::remove_file(folder.0.join("MARK")).expect("it is there");
    folder.write("db.json", &database(&folder, calls[0], "a.c"));
    let trusting = ["--compile-commands", "db.json", "--trust-compile-commands", "--reach", "L"];
    let ran = folder.bop(&[&["check"], &trusting[..]].concat()).exits(0);
    assert!(folder.sprung() && ran.err.is_empty(), "{}", ran.err);
    bop(&["check", "a.c", "--trust-compile-commands", "--reach", "L"]).exits(2);
}

/// What a preprocessor needs is passed, to the compiler that the user names.
#[test]
fn flags_and_compilers() {
    if !has(&["cc"]) {
        return;
    }
    let folder = Folder::new(&[("src/a.c", PROGRAM), ("inc/a.h", HEADER), ("pre.h", "int g;\n")]);
    let ours = folder.trap("ours.sh");
    let words = [
        "theirs-gcc",
        "-I",
        "inc",
        "-D",
        "X=1",
        "-include",
        "pre.h",
        "-std=gnu11",
        "-O2",
        "-Wall",
        "-fvisibility=hidden",
        "-Wp,-DY=1,-MD,a.d",
        "-o",
        "a.o",
        "-c",
        "src/a.c",
    ];
    folder.write("db.json", &database(&folder, &words, "src/a.c"));
    let check = ["check", "--compile-commands", "db.json", "--reach", "L"];
    let ran = folder.bop(&check).exits(0);
    let note = "note: db.json is not trusted: `theirs-gcc` is not run, cc is (`--cc CMD` names \
                another one) (`--trust-compile-commands` does as it says)\n";
    assert_eq!(ran.err, note);
    assert!(!folder.sprung());
    folder.bop(&[&check[..], &["--cc", &ours]].concat()).exits(0);
    assert!(folder.sprung());
    // Flags behind `--` are the user's.
    folder.bop(&[&check[..], &["--", "-UX", "-DX=0"]].concat()).exits(1);
    folder.bop(&[&check[..], &["--cc", " "]].concat()).exits(2);
    let other = ["check", "src/a.c", "--reach", "L", "--cc", "no-such-compiler", "--", "-Iinc"];
    let ran = folder.bop(&other).exits(2);
    assert!(ran.err.contains("there is no C compiler `no-such-compiler`"), "{}", ran.err);
}

/// The program that preprocesses would read flags from such a file, and these can run anything.
#[test]
fn names_that_are_flags() {
    if !has(&["cc"]) {
        return;
    }
    let folder = Folder::new(&[("src/@x.c", "int main(void) { L: return 0; }\n")]);
    folder.write("x.c", &format!("-fplugin={}\n", folder.path("no.so")));
    folder.write("src/x.c", &format!("-fplugin={}\n", folder.path("no.so")));
    let ran = folder.bop(&["check", "src/@x.c", "--reach", "L"]).exits(2);
    assert!(ran.err.contains("`src/@x.c` is given to no compiler"), "{}", ran.err);
    folder.write("-x.c", "int main(void) { L: return 0; }\n");
    folder.bop(&["check", "--reach", "L", "./-x.c"]).exits(1);
    folder.write("@d/y.c", "int main(void) { L: return 0; }\n");
    folder.bop(&["check", "--reach", "L", "@d/y.c"]).exits(1);
}

/// The folder of a database is a stranger's: no program is looked for there.
#[test]
fn folders_of_databases_run_nothing() {
    if !has(&["cc"]) {
        return;
    }
    let folder = Folder::new(&[("d/a.c", PROGRAM), ("d/a.h", HEADER)]);
    folder.trap("d/cc");
    folder.trap("d/mine");
    let directory = folder.path("d");
    let text = format!(
        "[{{\"directory\": {directory:?}, \"arguments\": [\"cc\", \"-DX=1\", \"a.c\"], \"file\": \"a.c\"}}]"
    );
    folder.write("db.json", &text);
    let path = std::env::var("PATH").unwrap_or_default();
    let check = ["check", "--compile-commands", "db.json", "--reach", "L"];
    let mut searched = command(&check);
    searched.current_dir(&folder.0).env("PATH", format!(".:{path}"));
    ran(&mut searched).exits(0);
    assert!(!folder.sprung());
    folder.bop(&[&check[..], &["--cc", "./mine"]].concat()).exits(2);
    assert!(!folder.sprung());
}

fn project(makefile: &str) -> Folder {
    let cmake = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\n\
                 add_compile_definitions(X=1)\nadd_executable(p a.c b.c)\n";
    Folder::new(&[
        ("a.c", PROGRAM),
        ("a.h", HEADER),
        ("b.c", PART),
        ("Makefile", makefile),
        ("CMakeLists.txt", cmake),
    ])
}

const MAKEFILE: &str = "p: a.o b.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) -DX=1 -c -o $@ $<\n";

/// The files of the database that a build leaves, and that the database can be checked.
#[track_caller]
fn captured(folder: &Folder, build: &[&str]) -> Vec<String> {
    let args = [&["capture", "-o", "db.json", "--"], build].concat();
    let ran = folder.bop(&args).exits(0);
    let text = std::fs::read_to_string(folder.0.join("db.json"));
    let text = text.unwrap_or_else(|e| panic!("{e}: {}", ran.err));
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let entries = json.as_array().expect("it is a list");
    let names = entries.iter().map(|e| {
        let file = e["file"].as_str().expect("a file");
        Path::new(file).file_name().expect("a name").to_string_lossy().into_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert!(text.contains("-DX=1"), "{text}");
    let check = ["check", "--compile-commands", "db.json", "--reach", "L"];
    let out = folder.bop(&check).exits(0).out;
    assert!(out.starts_with("unreachable: L\n"), "{out}");
    names
}

/// However a build calls its compiler, that is seen.
#[test]
fn compilers_are_seen_however_they_are_called() {
    if !has(&["cc", "make"]) {
        return;
    }
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join("cc"))
        .find(|path| path.exists())
        .expect("there is a compiler");
    let cc = found.to_str().expect("its name is UTF-8");
    let absolute = project(&format!("CC = {cc}\n{MAKEFILE}"));
    assert_eq!(captured(&absolute, &["make"]), ["a.c", "b.c"]);
    let by_name = project(MAKEFILE);
    assert_eq!(captured(&by_name, &["make", "-j2"]), ["a.c", "b.c"]);
    let script = format!("{cc} -DX=1 -c a.c && exec {cc} -DX=1 @words");
    by_name.write("words", "-c 'b.c'\n");
    assert_eq!(captured(&by_name, &["sh", "-c", &script]), ["a.c", "b.c"]);
    if has(&["ccache"]) {
        let cached = project(&format!("CC = ccache {cc}\n{MAKEFILE}"));
        assert_eq!(captured(&cached, &["make"]), ["a.c", "b.c"]);
        // The second time no compiler runs.
        assert_eq!(captured(&cached, &["make", "-B"]), ["a.c", "b.c"]);
    }
    if has(&["cmake"]) {
        let build = "cmake -S . -B out && cmake --build out";
        let made = project(MAKEFILE);
        assert_eq!(captured(&made, &["sh", "-c", build]), ["a.c", "b.c"]);
    }
    if has(&["cmake", "ninja"]) {
        let build = "cmake -G Ninja -S . -B out && cmake --build out";
        let made = project(MAKEFILE);
        assert_eq!(captured(&made, &["sh", "-c", build]), ["a.c", "b.c"]);
    }
    if has(&["libtool", "gcc"]) {
        let rules = "all:\n\tlibtool --tag=CC --mode=compile gcc -DX=1 -c a.c\n\
                     \tlibtool --tag=CC --mode=compile gcc -DX=1 -c b.c\n";
        let mut names = captured(&project(rules), &["make"]);
        // With and without -fPIC.
        names.dedup();
        assert_eq!(names, ["a.c", "b.c"]);
    }
}

/// Without a compiler for the library there are wrappers; they are private, too.
#[test]
fn wrappers_see_what_is_called_by_name() {
    if !has(&["cc", "make"]) {
        return;
    }
    let folder = project(MAKEFILE);
    // A path with a blank in it cannot be preloaded.
    std::fs::create_dir(folder.0.join("t m p")).expect("it can be made");
    let mut capture = command(&["capture", "-o", "db.json", "--", "make"]);
    capture.current_dir(&folder.0).env("TMPDIR", folder.path("t m p"));
    let ran = ran(&mut capture).exits(0);
    assert!(ran.err.contains("note: a library that sees all compilers could not"), "{}", ran.err);
    assert!(ran.err.contains("2 compilations recorded"), "{}", ran.err);
    let left = std::fs::read_dir(folder.0.join("t m p")).expect("it is there").count();
    assert_eq!(left, 0);
}

/// The folder of a capture cannot be foreseen or looked into, and what is planted is not used.
#[test]
fn captures_are_private() {
    if !has(&["cc"]) {
        return;
    }
    let folder = Folder::new(&[("a.c", "int main(void) { return 0; }\n"), ("theirs/keep", "it")]);
    let tmp = folder.path("tmp");
    std::fs::create_dir(&tmp).expect("it can be made");
    let look = "echo $$; for d in \"$TMPDIR\"/*; do stat -c '%a %n' \"$d\"; done; cc -c a.c";
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mut capture = command(&["capture", "--", "sh", "-c", look]);
        capture.current_dir(&folder.0).env("TMPDIR", &tmp);
        let ran = ran(&mut capture).exits(0);
        let line = ran.out.lines().find(|l| l.contains("/bop-")).unwrap_or_else(|| {
            panic!("{}{}", ran.out, ran.err);
        });
        let (mode, name) = line.split_once(' ').expect("two words");
        assert_eq!(mode, "700");
        // 128 bits.
        let random = name.rsplit_once("/bop-").expect("its name").1.to_owned();
        assert!(random.len() == 32 && random.chars().all(|c| c.is_ascii_hexdigit()), "{name}");
        assert!(!seen.contains(&random));
        seen.push(random);
        assert_eq!(std::fs::read_dir(&tmp).expect("it is there").count(), 0);
    }
    // A link where the database is to be leads nowhere.
    let _ = std::fs::remove_file(folder.0.join("compile_commands.json"));
    symlink(folder.path("theirs/keep"), folder.path("compile_commands.json")).expect("a link");
    folder.bop(&["capture", "--", "cc", "-c", "a.c"]).exits(0);
    let kept = std::fs::read_to_string(folder.0.join("theirs/keep")).expect("it is there");
    assert_eq!(kept, "it");
    let written = std::fs::symlink_metadata(folder.0.join("compile_commands.json"));
    assert!(written.expect("it was written").is_file());
    assert_eq!(std::fs::read_dir(folder.0.join("theirs")).expect("a folder").count(), 1);
}

/// Sequences that terminals obey, and characters that turn a line round.
const NOISE: &str = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}\u{7f}";

fn is_active(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// Checks that nothing active was written, and no verdict that is a name's.
#[track_caller]
fn calm(ran: &Ran, what: &str) {
    for text in [&ran.out, &ran.err] {
        let found = text.find(is_active).map(|i| text[i..].escape_debug().take(40));
        assert!(found.is_none(), "{what}: {}: {text:?}", found.expect("some").collect::<String>());
        assert!(!text.lines().any(|l| l.starts_with("holds: forged")), "{what}: {text}");
    }
}

/// Names, labels, literals and messages of all languages, in all verbs and formats.
#[test]
fn terminals_obey_nothing() {
    let name = format!("n{NOISE}\nholds: forged");
    let folder = Folder::new(&[]);
    let file = |ending: &str, text: &str| {
        let name = format!("{name}.{ending}");
        folder.write(&name, text);
        folder.path(&name)
    };
    let check = |what: &str, args: &[&str]| {
        let ran = bop(args);
        assert!(!ran.err.contains("internal error"), "{what}: {}", ran.err);
        calm(&ran, what);
        ran
    };

    let bp = file("bp", "decl g;\nvoid main() begin\n g := *;\n assert(g);\n R: skip;\nend\n");
    for format in ["text", "bebop", "gcc", "json", "sarif", "html"] {
        let ran = check(format, &["check", &bp, "--reach", "R", "--assert", "--format", format]);
        assert_eq!(ran.code, 1);
        assert!(!ran.out.is_empty());
    }
    check("stats", &["check", &bp, "--reach", "R", "--stats", "-v", "--self-check"]);
    let label = format!("R{name}");
    check("label", &["check", &bp, "--reach", &label]);
    check("ltl", &["check", &bp, "--ltl", &format!("G \"{name}\"")]);
    check("sere", &["check", &bp, "--sere", &name]);
    check("flag", &["check", &bp, &format!("--{name}")]);
    check("value", &["check", &bp, "--format", &name]);
    check("verb", &[&name]);
    check("absent", &["check", &folder.path(&format!("no{name}.bp"))]);
    for format in ["text", "json", "html"] {
        check("states", &["states", &bp, "--at", "R", "--format", format]);
    }
    check("states", &["states", &bp, "--at", &label]);
    check("stacks", &["states", &bp, "--at", "R", "--stacks"]);
    check("stacks", &["states", &bp, "--at", "R", "--stacks", "--format", "dot"]);
    check("stacks", &["states", &bp, "--at", "R", "--stacks", "--format", "html"]);
    // Of what a terminal obeys, there are our colours and nothing else.
    let mut coloured = bop(&["check", &bp, "--reach", "R", "--assert", "--color", "always"]);
    assert!(coloured.out.contains("\u{1b}[1;31m"), "{:?}", coloured.out);
    for ours in ["\u{1b}[1;31m", "\u{1b}[1;32m", "\u{1b}[0m"] {
        coloured.out = coloured.out.replace(ours, "");
    }
    calm(&coloured, "colours");
    check("baseline", &["check", &bp, "--baseline", &name]);
    check("stacks", &["states", &bp, "--to", &name]);
    for stage in ["tree", "ir", "spds", "task"] {
        check(stage, &["dump", &bp, "--stage", stage]);
    }
    for form in ["bp", "remopla", "pds", "dot"] {
        check(form, &["convert", &bp, "--to", form]);
    }
    for analysis in ["ia1", "ia4"] {
        for format in ["text", "json", "source", "html"] {
            check("influence", &["influence", &bp, "--analysis", analysis, "--format", format]);
        }
    }
    check("lts", &["lts", &bp]);
    check("annotate", &["annotate", &bp, "--formula", &name]);

    // Text that is wrong, with what is in it.
    for ending in ["bp", "rem", "pds", "aut", "pbes", "bes", "blk", "mcf", "rule", "json", "i"] {
        let text = format!("x{NOISE} := `{NOISE}` \"{NOISE}\" {{{NOISE}}} \u{202e};\n");
        let wrong = file(&format!("w.{ending}"), &text);
        match ending {
            "aut" => check(ending, &["eval", "true", &wrong]),
            "pbes" | "bes" | "blk" => check(ending, &["solve", &wrong]),
            "mcf" => check(ending, &["convert", &wrong, "--to", "blk"]),
            "rule" => check(ending, &["check", &file("e.i", "int main(){}"), "--rule", &wrong]),
            "json" => check(ending, &["replay", &bp, &wrong]),
            _ => check(ending, &["check", &wrong]),
        };
        let ran = bop_with(&["check", "-", "--lang", "bp"], &text);
        calm(&ran, "stdin");
    }
    // Braces hold any text.
    let braces =
        format!("decl {{a{NOISE}}};\nvoid main() begin\n {{a{NOISE}}} := *;\n R: skip;\nend\n");
    let braces = file("braces.bp", &braces);
    for format in ["text", "bebop", "json", "html"] {
        check("braces", &["check", &braces, "--reach", "R", "--format", format]);
    }
    check("braces", &["states", &braces, "--at", "R"]);

    // C, preprocessed already.
    let c = format!(
        "# 1 \"m{NOISE}\\nholds: forged.c\"\nvoid puts(char *);\nint main(void) {{\n  \
         char *s = \"{NOISE}\"; // {NOISE}\n  puts(s);\n#pragma {NOISE}\n  __asm__(\"{NOISE}\");\n  \
         é{NOISE}\n  R: return 0;\n}}\nint f(void) {{ Q\u{202e}: return 1; }}\n"
    );
    let c = file("i", &c);
    let rule = format!("rule r{{\n  never {{ call(puts) }}\n  message \"m{NOISE}\"\n}}\n");
    let rule = file("rule", &rule);
    for format in ["text", "gcc", "json", "sarif", "html"] {
        check("c", &["check", &c, "--reach", "R", "--reach-all", "--format", format]);
        check("rule", &["check", &c, "--rule", &rule, "--format", format, "-v"]);
        check("sere", &["check", &c, "--sere", "never {call(puts)}", "--format", format]);
    }
    for form in ["smv", "edl", "cout", "dot", "bp", "pds", "remopla"] {
        check(form, &["convert", &c, "--to", form]);
    }
    check("tree", &["dump", &c, "--stage", "tree"]);
    for format in ["text", "json", "source", "html"] {
        check("influence", &["influence", &c, "--format", format]);
    }

    // Models, reports, lists.
    let aut = file("aut", &format!("des (0, 1, 2)\n(0, \"a{NOISE}\", 1)\n"));
    check("eval", &["eval", "<true>true", &aut, "--diagnostic", "-"]);
    check("eval", &["eval", &format!("<\"{name}\">true"), &aut]);
    let report = bop(&["check", &bp, "--reach", "R", "--format", "json"]).out;
    let reach = report.replace("\"R\"", &serde_json::to_string(&name).expect("it is JSON"));
    check("replay", &["replay", &bp, &file("r.json", &reach)]);
    let verdict = report.replace("\"reachable\"", &serde_json::to_string(&name).expect("JSON"));
    check("replay", &["replay", &bp, &file("v.json", &verdict)]);
    let list = file("hosts", &format!("h{NOISE}\n"));
    check("hosts", &["solve", &file("pbes", "pbes nu X = X; init X;"), "--hosts", &list]);
    check("ltl", &["ltl", &name]);
    check("capture", &["capture", "--", &name]);
    let database =
        format!("[{{\"directory\":\"/\",\"arguments\":[\"cc\",\"-f{NOISE}\",\"x.c\"]}}]");
    check("database", &["check", "--compile-commands", &file("db.json", &database), "--assert"]);
}

/// A line marker can name a device that never ends.
#[test]
fn line_markers_name_devices() {
    let file = TempFile::new("d.i", "# 1 \"/dev/zero\"\nint main(void) { R: return 0; }\n");
    bop(&["check", file.path(), "--reach", "R", "--timeout", "60s"]).exits(1);
}

/// What the preprocessor complains about is a stranger's text, too.
#[test]
fn errors_of_the_preprocessor_are_calm() {
    if !has(&["cc"]) {
        return;
    }
    let folder = Folder::new(&[]);
    for (text, word) in [
        (format!("#error stop{NOISE}\n"), "stop"),
        (format!("#include \"no{NOISE}.h\"\n"), "no"),
        (format!("#line 7 \"l{NOISE}\"\n#error stop\n"), "stop"),
    ] {
        folder.write("a.c", &text);
        let ran = folder.bop(&["check", "a.c", "--reach", "R"]).exits(2);
        calm(&ran, &text);
        assert!(ran.err.contains(word), "{}", ran.err);
    }
    folder.write("a.c", &format!("#line 7 \"l{NOISE}.c\"\nint main(void) {{ R: return 0; }}\n"));
    for format in ["text", "gcc", "json", "sarif", "html"] {
        let ran = folder.bop(&["check", "a.c", "--reach", "R", "--format", format]).exits(1);
        calm(&ran, format);
    }
}
