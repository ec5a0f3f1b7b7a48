//! `bop.toml`, `bop init`, `bop batch`, `bop man`.

use crate::{Ran, command};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Stdio;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("bop-project-{}-{name}", std::process::id()));
        let folder = Folder(path);
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("it is there")
    }

    /// Runs `bop` in a folder below.
    fn bop_in(&self, inside: &str, args: &[&str]) -> Ran {
        let mut command = command(args);
        command.current_dir(self.0.join(inside)).stdin(Stdio::null());
        let done = command.output().expect("the command was built");
        Ran {
            code: done.status.code().expect("no signal ended it"),
            out: String::from_utf8(done.stdout).expect("it writes UTF-8"),
            err: String::from_utf8(done.stderr).expect("it writes UTF-8"),
        }
    }

    fn bop(&self, args: &[&str]) -> Ran {
        self.bop_in("", args)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const BP: &str = "void main() begin decl x; x := *; assert(x); if (x) then R: skip; fi end\n";
const C: &str = "#include \"a.h\"\nvoid *malloc(unsigned long); void free(void *);\n\
    int main(void) { char *p = malloc(N); free(p); free(p); return 0; }\n";

#[test]
fn settings_are_found_and_flags_win() {
    let toml = "files = [\"*.bp\"]\nassert = true\ntimeout = \"60s\"\n";
    let folder = Folder::new("found", &[("a.bp", BP), ("bop.toml", toml), ("in/side/x", "")]);
    let here = folder.bop(&["check", "-q"]).exits(1);
    assert!(here.out.contains("an assertion can fail at a.bp:1:"), "{}", here.out);
    let below = folder.bop_in("in/side", &["check", "-q"]).exits(1);
    assert!(below.out.contains("at ../../a.bp:1:"), "{}", below.out);
    // A question on the command line wins over all of the file's.
    let reach = folder.bop(&["check", "-q", "--reach", "R"]).exits(1);
    assert_eq!(reach.out.lines().count(), 1);
    assert!(reach.out.starts_with("reachable: R"), "{}", reach.out);
    // So do files, and flags.
    folder.write("b.bp", "void main() begin skip; end\n");
    folder.write("bop.toml", "files = [\"a.bp\"]\nformat = \"json\"\nengine = \"explicit\"\n");
    let other = folder.bop(&["check", "b.bp", "--engine", "summary"]).exits(0).json();
    assert_eq!(
        (&other["file"], &other["results"][0]["engine"]),
        (&"b.bp".into(), &"summary".into())
    );
    assert_eq!(folder.bop(&["check"]).exits(1).json()["results"][0]["engine"], "explicit");
    assert!(folder.bop(&["check", "--no-config"]).exits(2).err.contains("no FILE"));
    let named = folder.bop_in("in", &["check", "--config", "../bop.toml"]).exits(1).json();
    assert_eq!(named["file"], "../a.bp");
    let verbose = folder.bop(&["check", "-v", "--format", "text"]).exits(1);
    assert!(verbose.err.contains("note: settings of bop.toml"), "{}", verbose.err);
}

#[test]
fn settings_of_c_projects() {
    let toml = "files = [\"src/*.c\"]\nexclude = [\"src/x.c\"]\nflags = [\"-Iinclude\", \"-DN=M\"]\nrule = [\"memory\"]\n";
    let files = [
        ("src/a.c", C),
        ("src/x.c", "this is no C"),
        ("include/a.h", "#define M 4\n"),
        ("bop.toml", toml),
        ("a.bp", BP),
    ];
    let folder = Folder::new("c", &files);
    for inside in ["", "src"] {
        let ran = folder.bop_in(inside, &["check", "-q"]).exits(1);
        assert!(ran.out.contains("double_free"), "{}{}", ran.out, ran.err);
    }
    // What is about C is not about others.
    let bp = folder.bop(&["check", "a.bp", "-q"]).exits(1);
    assert!(bp.out.starts_with("violated: an assertion"), "{}", bp.out);
    // The command line's flags for the preprocessor come last.
    let ran = folder.bop(&["check", "-q", "--", "-UN", "-DN=8"]).exits(1);
    assert!(ran.out.contains("double_free"));
}

#[test]
fn wrong_settings_are_shown_where_they_stand() {
    let folder = Folder::new("wrong", &[("a.bp", BP)]);
    for (toml, code, at) in [
        ("rul = \"memory\"", "config-unknown-key", "bop.toml:1:1"),
        ("\ntimeout = \"soon\"", "config-value", "bop.toml:2:11"),
        ("assert = \"yes\"", "config-value", "bop.toml:1:1"),
        ("engine = [\"auto\"]", "config-value", "bop.toml:1:1"),
        ("engine = \"fast\"", "config-value", "bop.toml:1:10"),
        ("files = [\"*.bp\", \"no/*.bp\"]", "config-no-file", "bop.toml:1:18"),
        ("files = [\"[\"]", "config-pattern", "bop.toml:1:10"),
        ("files = [1]", "config-value", "bop.toml:1:10"),
        ("[limits]\ntimeout = \"1s\"", "config-value", "bop.toml:1:2"),
        ("files = [", "toml", "bop.toml:1:"),
        ("help = true", "config-unknown-key", "bop.toml:1:1"),
    ] {
        folder.write("bop.toml", toml);
        let ran = folder.bop(&["check"]).exits(2);
        assert!(ran.err.contains(&format!("error[{code}]")), "{toml}: {}", ran.err);
        assert!(ran.err.contains(&format!("--> {at}")), "{toml}: {}", ran.err);
        let json = folder.bop(&["check", "--format", "json"]).exits(2).json();
        assert_eq!(json["errors"][0]["code"], code, "{toml}");
    }
}

/// A file that lies in somebody's folder runs nothing and writes nothing.
#[test]
fn settings_that_were_found_are_not_trusted() {
    let folder = Folder::new("trust", &[("a.bp", BP), ("a.c", "int main(void) { return 0; }\n")]);
    for key in [
        "cc = \"touch ran\"",
        "output = \"wrote\"",
        "proof = \"wrote\"",
        "emit-test = \"wrote\"",
        "report = \"wrote\"",
        "qbf-solver = \"touch ran\"",
        "trust-compile-commands = true",
    ] {
        folder.write("bop.toml", &format!("files = [\"a.bp\"]\n{key}\n"));
        let ran = folder.bop(&["check"]).exits(2);
        assert!(ran.err.contains("config-not-trusted"), "{key}: {}", ran.err);
    }
    let plugin = "files = [\"a.c\"]\nassert = true\nskeleton = true\nflags = [\"-fplugin=./evil.so\", \"-DX\"]\n";
    folder.write("bop.toml", plugin);
    let ran = folder.bop(&["check"]).exits(0);
    assert!(ran.err.contains("`-fplugin=./evil.so` is not passed"), "{}", ran.err);
    assert!(!folder.0.join("ran").exists() && !folder.0.join("wrote").exists());
    // Who names it trusts it.
    folder.write("bop.toml", "files = [\"a.bp\"]\noutput = \"wrote\"\n");
    folder.bop(&["check", "--config", "bop.toml"]).exits(1);
    assert!(folder.read("wrote").contains("violated"));
}

#[test]
fn init_looks_at_projects() {
    // Plain sources: the folder of headers, and other programs.
    let files = [
        ("src/a.c", C),
        ("include/a.h", "#define N 4\n"),
        ("src/b.c", "int main(void) { return 1; }\n"),
        ("tests/t.c", "int main(void) { return 2; }\n"),
        ("Makefile", "CFLAGS = -Iinclude -DX=1 -I$(Y)\nall:\n\ttouch ran\n"),
    ];
    let folder = Folder::new("init", &files);
    let said = folder.bop(&["init"]).exits(0).out;
    assert!(said.starts_with("bop.toml: 1 file of C"), "{said}");
    let toml = folder.read("bop.toml");
    for line in [
        "files = [\"src/*.c\"]",
        "exclude = [\"src/b.c\"]",
        "flags = [\"-DX=1\", \"-Iinclude\"]",
        "rule = [\"memory\"]",
        "bop capture -- make",
    ] {
        assert!(toml.contains(line), "{line}: {toml}");
    }
    assert!(!folder.0.join("ran").exists(), "it runs nothing");
    // It works as it is, and is not lost.
    assert!(folder.bop(&["check", "-q"]).exits(1).out.contains("double_free"));
    assert!(folder.bop(&["init"]).exits(2).err.contains("--force"));
    folder.bop(&["init", "--force"]).exits(0);
    // A compilation database says more.
    folder.write("build/compile_commands.json", "[]");
    let dry = folder.bop(&["init", "--dry-run"]).exits(0).out;
    assert!(dry.contains("compile-commands = \"build/compile_commands.json\""), "{dry}");
    // One that builds several programs: the check that it writes works.
    let listed = |file: &str| {
        format!(
            "{{\"directory\":\"{}\",\"file\":\"{file}\",\"command\":\"cc -Iinclude -DX=1 -c {file}\"}}",
            folder.0.display()
        )
    };
    let all = ["src/a.c", "src/b.c", "tests/t.c"].map(listed).join(",");
    folder.write("build/compile_commands.json", &format!("[{all}]"));
    folder.bop(&["init", "--force"]).exits(0);
    let toml = folder.read("bop.toml");
    assert!(
        toml.contains("\nentry = \"main@a.c\"\n# entry = \"main@b.c\"\n# entry = \"main@t.c\"\n"),
        "{toml}"
    );
    if crate::c::compiler() {
        assert!(folder.bop(&["check", "-q"]).exits(1).out.contains("double_free"));
    }
    // CMake and Meson.
    for (file, text, advice) in [
        ("CMakeLists.txt", "include_directories(inc)\n", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
        ("meson.build", "inc = include_directories('inc')\n", "meson setup builddir"),
    ] {
        let folder =
            Folder::new(&file.replace('.', "-"), &[("a.c", C), ("inc/x.h", ""), (file, text)]);
        let dry = folder.bop(&["init", "--dry-run"]).exits(0).out;
        assert!(dry.contains(advice) && dry.contains("flags = [\"-Iinc\"]"), "{dry}");
    }
    let bp = Folder::new("init-bp", &[("a.bp", BP), ("b.bp", BP)]);
    bp.bop(&["init"]).exits(0);
    assert!(bp.bop(&["check", "-q"]).exits(1).out.contains("a.bp"));
    let empty = Folder::new("init-empty", &[("x", "")]);
    assert!(empty.bop(&["init"]).exits(0).out.contains("nothing to check"));
    assert!(empty.bop(&["init", "no-such"]).exits(2).err.contains("is no folder"));
}

const BATCH: &str = "\
options = \"--timeout 60s\"
[[task]]
files = [\"*.bp\"]
ask = [\"--assert\", \"--reach R\"]
[[task]]
programs = [[\"a.c\", \"b.c\"]]
ask = \"--rule memory\"
options = \"-- -I.\"
";

#[test]
fn a_batch_goes_on_where_it_was() {
    let files = [
        ("n.toml", BATCH),
        ("a.bp", BP),
        ("b.bp", "void main() begin R: skip; end\n"),
        ("a.c", C),
        ("b.c", "int b;\n"),
        ("a.h", "#define N 4\n"),
    ];
    let folder = Folder::new("batch", &files);
    let lines = |ran: Ran| -> Vec<Value> {
        let mut all: Vec<Value> =
            ran.out.lines().map(|l| serde_json::from_str(l).expect("a line of JSON")).collect();
        all.sort_by_key(|t| t["task"].as_u64());
        all
    };
    let schema = std::fs::read_to_string(crate::root().join("docs/schema/task.schema.json"));
    let schema: Value =
        serde_json::from_str(&schema.expect("it is published")).expect("it is JSON");
    let first = lines(folder.bop(&["batch", "n.toml", "--format", "json"]).exits(1));
    assert_eq!(first.len(), 5);
    for task in &first {
        assert!(testkit::violations(&schema, task).is_empty(), "{task}");
    }
    let exits = |tasks: &[Value]| {
        tasks.iter().map(|t| t["exit"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    assert_eq!(exits(&first), [1, 1, 0, 1, 1]);
    let reused = |tasks: &[Value]| tasks.iter().map(|t| t["reused"] == true).collect::<Vec<_>>();
    assert_eq!(reused(&first), [false; 5]);
    // The report is what `bop check` writes.
    let report = std::fs::read_to_string(first[1]["report"].as_str().expect("a file"));
    let report: Value = serde_json::from_str(&report.expect("it is there")).expect("it is JSON");
    assert_eq!(report["results"][0]["verdict"], "reachable");
    assert_eq!(folder.read("results/summary.jsonl").lines().count(), 5);

    let again = || lines(folder.bop(&["batch", "n.toml", "--format", "json"]));
    let second = again();
    assert_eq!((reused(&second), exits(&second)), (vec![true; 5], exits(&first)));
    // What has changed is asked again: a program, a header, a report that somebody touched.
    folder.write("a.bp", &BP.replace("assert(x)", "skip"));
    folder.write("a.h", "#define N 5\n");
    let third = again();
    assert_eq!(reused(&third), [false, false, true, true, false]);
    assert_eq!(exits(&third), [0, 1, 0, 1, 1]);
    std::fs::write(second[2]["report"].as_str().expect("a file"), "{}").expect("it can be written");
    assert_eq!(reused(&again()), [true, true, false, true, true]);
    assert_eq!(
        reused(&lines(folder.bop(&["batch", "n.toml", "--format", "json", "--again"]))),
        [false; 5]
    );
    // Nothing half-written is left.
    let left = std::fs::read_dir(folder.0.join("results")).expect("it is there").flatten();
    assert!(left.map(|f| f.file_name()).all(|n| !n.to_string_lossy().starts_with('.')));
    let table = folder.bop(&["batch", "n.toml"]).exits(1).out;
    assert!(table.contains("a.bp     --reach R"), "{table}");
    assert!(table.ends_with("5 tasks: 2 hold, 3 violated; 5 kept from before\n"), "{table}");
}

#[test]
fn tasks_for_schedulers() {
    let folder = Folder::new(
        "tasks",
        &[("n.toml", BATCH), ("a.bp", BP), ("a.c", C), ("b.c", ""), ("a.h", "#define N 4\n")],
    );
    let script =
        |target: &str| folder.bop(&["batch", "n.toml", "--emit-tasks", target]).exits(0).out;
    let slurm = script("slurm");
    assert!(
        slurm.contains("#SBATCH --array=0-2\n") && slurm.contains("\"$SLURM_ARRAY_TASK_ID\""),
        "{slurm}"
    );
    let lines = script("lines");
    assert_eq!(lines.lines().count(), 3);
    folder.write("hq.sh", &script("hq"));
    // What a scheduler does: each task in a process of its own, the number in its environment.
    let bin = PathBuf::from(env!("CARGO_BIN_EXE_bop"));
    let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap_or_default());
    let path = format!("{}:{path}", bin.parent().expect("it has a folder").display());
    folder.write("hq", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done; shift\nfor i in 0 1 2; do HQ_TASK_ID=$i \"$@\" || echo failed $i; done\n");
    folder.write("n.sh", &slurm);
    let sh = |args: &[&str], task: &str| {
        let mut command = std::process::Command::new("sh");
        command
            .args(args)
            .current_dir(&folder.0)
            .env("PATH", &path)
            .env("SLURM_ARRAY_TASK_ID", task);
        let done = command.output().expect("there is a shell");
        (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    assert_eq!(sh(&["-c", "chmod +x hq"], "").0, Some(0));
    let (code, said) = sh(&["n.sh"], "1");
    assert_eq!(code, Some(0), "an answer is a success: {said}");
    let (code, said) = sh(&["hq.sh"], "");
    assert!(code == Some(0) && !said.contains("failed"), "{said}");
    let sum = folder.bop(&["batch", "n.toml", "-q"]).exits(1).out;
    assert_eq!(sum, "3 tasks: 3 violated; 3 kept from before\n");
}

#[test]
fn batches_that_are_wrong() {
    let folder = Folder::new("bad-batch", &[("a.bp", BP), ("bad.bp", "void main( begin end\n")]);
    for (toml, code) in [
        ("", "batch-empty"),
        ("[[tsk]]\nfiles = \"a.bp\"", "batch-unknown-key"),
        ("[[task]]\nfile = \"a.bp\"", "batch-unknown-key"),
        ("[[task]]\nask = \"--assert\"", "batch-no-file"),
        ("[[task]]\nfiles = [\"*.x\"]", "config-no-file"),
        ("[task]\nfiles = [\"a.bp\"]", "batch-value"),
        ("[[task]]\nfiles = [3]", "batch-value"),
        ("[[task]", "toml"),
    ] {
        folder.write("n.toml", toml);
        let ran = folder.bop(&["batch", "n.toml"]).exits(2);
        assert!(ran.err.contains(&format!("error[{code}]")), "{toml}: {}", ran.err);
    }
    // A program that is refused is refused each time, and the others are answered.
    folder.write("n.toml", "[[task]]\nfiles = [\"*.bp\"]\nask = [\"--assert\"]\n");
    for _ in 0..2 {
        let table = folder.bop(&["batch", "n.toml"]).exits(2).out;
        assert!(table.contains("refused: ") && table.contains("1 refused, 1 violated"), "{table}");
    }
    assert!(folder.bop(&["batch", "n.toml", "--task", "2"]).exits(2).err.contains("0 to 1"));
}

#[test]
fn manual_pages_for_all_verbs() {
    let folder = Folder::new("man", &[("x", "")]);
    folder.bop(&["man", "pages"]).exits(0);
    let main = folder.read("pages/bop.1");
    assert!(main.contains(".TH") && main.contains("Exit codes: 0 all hold"), "{main}");
    let check = folder.read("pages/bop-check.1");
    assert!(check.contains("\\-\\-reach\\-all") && check.contains("bop\\-check"), "{check}");
    let help = folder.bop(&["--help"]).exits(0).out;
    let verbs =
        help.split("Commands:\n").nth(1).expect("verbs").split("\n\n").next().expect("verbs");
    let verbs = verbs.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    for verb in verbs.filter_map(|l| l.split_whitespace().next()).filter(|v| *v != "help") {
        assert!(folder.0.join(format!("pages/bop-{verb}.1")).is_file(), "{verb}");
    }
}

/// The extension for VS Code names files that are there, and each of them is JSON with what it needs.
#[test]
fn the_extension_is_whole() {
    let folder = crate::root().join("editors/vscode");
    let json = |name: &str| -> Value {
        let text =
            std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let package = json("package.json");
    let contributed = &package["contributes"];
    let (mut languages, mut endings) = (Vec::new(), Vec::new());
    for language in contributed["languages"].as_array().expect("a list") {
        languages.push(language["id"].clone());
        endings.extend(language["extensions"].as_array().expect("a list").clone());
        json(language["configuration"].as_str().expect("a file"));
    }
    for ending in [".bp", ".rem", ".pds", ".rule"] {
        assert!(endings.iter().any(|e| e == ending), "{ending}");
    }
    for grammar in contributed["grammars"].as_array().expect("a list") {
        assert!(languages.contains(&grammar["language"]), "{grammar}");
        let page = json(grammar["path"].as_str().expect("a file"));
        assert_eq!(page["scopeName"], grammar["scopeName"]);
        let patterns = page["patterns"].as_array().expect("a list");
        assert!(patterns.iter().all(|p| p.get("match").or(p.get("begin")).is_some()), "{grammar}");
    }
    assert!(folder.join(package["main"].as_str().expect("a file")).is_file());
}
