//! Programs run here, and compiled: the same output and exit code.

use c_run::{Ending, Host, Options};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Screen(Vec<u8>);

impl Host for Screen {
    fn output(&mut self, error: bool, bytes: &[u8]) {
        if !error {
            self.0.extend_from_slice(bytes);
        }
    }
    fn input(&mut self, _: &mut [u8]) -> usize {
        0
    }
    fn stopped(&mut self) -> bool {
        false
    }
}

/// What a run printed, how it ended, and what undefined behaviour it met.
struct Ran {
    output: String,
    ending: Ending,
    line: u32,
    undefined: Vec<String>,
}

fn run_text(text: &str, inputs: &[i128]) -> Ran {
    let unit = front_c::parse(text);
    let program = c_run::load(vec![unit], c_types::Model::LP64);
    let mut screen = Screen(Vec::new());
    // The regions of memory are not trusted: each access is compared with its own.
    let options = Options {
        inputs: inputs.to_vec(),
        max_steps: Some(2_000_000_000),
        regions: true,
        scopes: true,
        ..Options::default()
    };
    let outcome = c_run::run(&program, &options, &mut screen);
    Ran {
        output: String::from_utf8_lossy(&screen.0).into_owned(),
        ending: outcome.ending,
        line: outcome.at.line,
        undefined: outcome.undefined.iter().map(|r| format!("{}: {}", r.at.line, r.what)).collect(),
    }
}

fn preprocessed(file: &Path) -> String {
    let done = Command::new("cc").arg("-E").arg(file).output().expect("cc starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// The output and exit code of the compiled program.
fn compiled(file: &Path) -> (String, i32) {
    let folder = std::env::temp_dir().join(format!("c-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join(file.file_stem().expect("a name"));
    let done = Command::new("cc")
        .args(["-O0", "-fwrapv", "-w", "-o"])
        .args([program.as_path(), file, Path::new("-lm")])
        .status()
        .expect("cc starts");
    assert!(done.success(), "{} does not compile", file.display());
    let done = Command::new(&program)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let _ = std::fs::remove_file(&program);
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code().unwrap_or(-1))
}

#[test]
fn programs_do_what_they_do_when_compiled() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("programs")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(files.len() >= 4);
    for file in files {
        let ran = run_text(&preprocessed(&file), &[]);
        let (output, code) = compiled(&file);
        for (ours, theirs) in ran.output.lines().zip(output.lines()) {
            assert_eq!(ours, theirs, "{}", file.display());
        }
        assert_eq!(ran.output, output, "{}: {:?} at {}", file.display(), ran.ending, ran.line);
        assert_eq!(ran.ending, Ending::Exit(code as u8), "{} at {}", file.display(), ran.line);
    }
}

/// A byte that is no character is a byte.
#[test]
fn strings_are_bytes() {
    let text = front_c::text_of(b"int main(void) { char s[] = \"\xff\xc3\"; return sizeof s == 3 && s[0] == -1 && s[1] == '\xc3'; }");
    assert_eq!(run_text(&text, &[]).ending, Ending::Exit(1));
}

/// The programs of the corpus, where it is there.
#[test]
fn the_corpus_prints_what_it_should() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus/c/testsuite");
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("a readable folder").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let ran = run_text(&preprocessed(file), &[]);
        let expected = std::fs::read(file.with_extension("c.expected")).expect("an answer");
        if ran.ending != Ending::Exit(0) || ran.output.as_bytes() != expected {
            wrong.push((file.clone(), ran.ending, ran.line));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[track_caller]
fn undefined(text: &str, line: u32, what: &str) {
    let ran = run_text(text, &[]);
    match ran.ending {
        Ending::Undefined(found) => assert!(found.contains(what), "{found}"),
        other => panic!("{other:?}, {:?}", ran.undefined),
    }
    assert_eq!(ran.line, line);
}

#[test]
fn accesses_outside_of_objects_end_the_run() {
    undefined(
        "int main(void) {\nint a[3], i = 3;\nreturn a[i];\n}",
        3,
        "offset 12 of `a`, which has 12",
    );
    undefined("int main(void) {\nint *p = 0;\n*p = 1;\n}", 3, "null pointer");
    undefined(
        "void *malloc(unsigned long); void free(void *);\nint main(void) {\nchar *p = malloc(4);\nfree(p);\nreturn *p;\n}",
        5,
        "was freed",
    );
    undefined(
        "void *malloc(unsigned long); void free(void *);\nint main(void) {\nchar *p = malloc(4);\nfree(p);\nfree(p);\n}",
        5,
        "freed twice",
    );
    undefined(
        "void free(void *);\nint main(void) {\nint x;\nfree(&x);\n}",
        4,
        "malloc did not make",
    );
    undefined(
        "int *f(void) { int x = 1; int *p = &x; return p; }\nint main(void) {\nreturn *f();\n}",
        3,
        "a local that is gone",
    );
    undefined("int main(void) {\nchar *s = \"text\";\ns[0] = 1;\n}", 3, "must not be changed");
    undefined(
        "int main(void) {\nvoid (*f)(void) = 0;\nf();\n}",
        3,
        "a call through a null pointer",
    );
    undefined("int main(void) {\nint z = 0;\nreturn 1 / z;\n}", 3, "division by zero");
    undefined(
        "char *strcpy(char *, const char *);\nint main(void) {\nchar a[3];\nstrcpy(a, \"long\");\n}",
        4,
        "write of 5 bytes",
    );
}

#[test]
fn other_undefined_behaviour_is_told_and_has_the_stated_meaning() {
    let ran = run_text(
        "int main(void) {\nint x = 2147483647;\nx = x + 1;\nint s = 33;\nint y = 1 << s;\nreturn (x < 0) * 2 + y;\n}",
        &[],
    );
    assert_eq!(ran.ending, Ending::Exit(4));
    assert_eq!(
        ran.undefined,
        ["3: signed overflow: 2147483647 + 1", "5: shift out of range: 1 << 33"]
    );
}

#[test]
fn inputs_are_handed_out_in_order() {
    let text = "int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);\n\
                int main(void) { int a = __VERIFIER_nondet_int(); return a + __VERIFIER_nondet_uchar(); }";
    assert_eq!(run_text(text, &[-6, 300]).ending, Ending::Exit(38));
    assert!(matches!(run_text(text, &[1]).ending, Ending::NotCovered(_)));
}

#[test]
fn what_is_not_covered_ends_a_run_that_gets_there() {
    let text =
        "int f(int x) { if (x) __asm__(\"nop\"); return x; }\nint main(void) { return f(0); }";
    assert_eq!(run_text(text, &[]).ending, Ending::Exit(0));
    let text =
        "int f(int x) {\nif (x) __asm__(\"nop\"); return x; }\nint main(void) { return f(1); }";
    let ran = run_text(text, &[]);
    assert_eq!(ran.ending, Ending::NotCovered("assembler".to_owned()));
    assert_eq!(ran.line, 2);
    for (text, what) in [
        (
            "int f(int n) { struct { char b[n]; } s; return sizeof s; } int main(void) { return f(3); }",
            "a member of variable size",
        ),
        ("int main(void) { _Decimal64 x = 1; return x > 1; }", "the type `_Decimal64`"),
        (
            "int f(int n) { __label__ l; void *g(void) { return &&l; } goto *g(); l: return n; } int main(void) { return f(1); }",
            "the address of a label",
        ),
        (
            "void c(int *p) {} int main(void) { { __attribute__((cleanup(c))) int x = 1; goto out; } out: return 0; }",
            "a jump where `cleanup` is due",
        ),
        ("int main(void) { long double x = 1e4932L; return x > 1; }", "the number `1e4932L`"),
        (
            "int n; int *f(void) { n++; return &n; } int main(void) { __asm__(\"\" : \"+r\"(*f())); return n; }",
            "assembler",
        ),
    ] {
        let ran = run_text(text, &[]);
        assert!(
            matches!(&ran.ending, Ending::NotCovered(found) if found.contains(what)),
            "{text}: {:?}",
            ran.ending
        );
    }
    let ran = run_text("int unknown(int);\nint main(void) {\nreturn unknown(1);\n}", &[]);
    assert_eq!(ran.ending, Ending::NotCovered("`unknown` has no body here".to_owned()));
}

/// What is read from a text is what the library of the system reads.
#[test]
fn numbers_that_do_not_fit_and_all_spaces() {
    let text = "int sscanf(const char *, const char *, ...); long strtol(const char *, char **, int); int *__errno_location(void);
        unsigned long strtoul(const char *, char **, int);
        int main(void) {
            int x = 0, y = 0; unsigned u = 0; char *end; const char *s = \"\\v-zz.\";
            if (sscanf(\"99999999999999999999\", \"%d\", &x) != 1 || x != -1) return 1;
            if (sscanf(\" 7\\v8\", \"%d%d\", &x, &y) != 2 || x != 7 || y != 8) return 2;
            if (sscanf(\"-1 99999999999999999999\", \"%u %u\", &u, &x) != 2 || u != 0xffffffffu || x != -1) return 3;
            if (strtol(s, &end, 36) != -35 * 36 - 35 || end != s + 4 || *__errno_location()) return 4;
            if (strtol(\"-9223372036854775809\", 0, 10) != -9223372036854775807 - 1 || *__errno_location() != 34) return 5;
            if (strtoul(\"0x\", &end, 16) != 0 || *end != 'x' || strtoul(\"0x1fg\", &end, 0) != 31 || *end != 'g') return 6;
            return 0;
        }";
    assert_eq!(run_text(text, &[]).ending, Ending::Exit(0));
}
