//! Every output format, for one small program of each verdict: what users and their tools see.
//!
//! A snapshot holds commands and what they print, as a terminal would show it. Effort and versions are left out.
//! `INSTA_UPDATE=always` writes them anew.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

const REACHED: &str = "\
decl g;
void main() begin
  g := 0;
  flip(g);
  if (g) then R: skip; fi
end
void flip(x) begin g := !x; end
";

const SAFE: &str = "\
decl g;
void main() begin
  g := 1;
  assert(g);
  if (!g) then D: skip; fi
end
";

const LOOP: &str = "\
decl done;
void main() begin
  done := 0;
  while (!done) do
    if (*) then done := 1; fi
  od
end
";

const TWICE: &str = "\
void *malloc(unsigned long n);
void free(void *p);
int main(int argc, char **argv) {
  int *p = malloc(4);
  if (argc > 1)
    free(p);
  free(p);
  free(argv);
  free(argv); // bop: allow twice it is an example
  return 0;
}
";

const RULE: &str = "\
rule twice(p: value) {
  event free = arg(free, 1, p)
  never { free; true[*]; free }
  message \"`$p` is freed twice\"
}
";

const LEFT_OUT: &str = "\
int bad(int x) { return x +; }
int main(void) {
  return bad(1);
D:
  return 2;
}
";

const FORMATS: [&str; 6] = ["text", "bebop", "gcc", "json", "sarif", "html"];

/// A folder with a program, and what was run in it so far.
struct Session {
    folder: PathBuf,
    text: String,
}

impl Session {
    fn new(name: &str, program: &str) -> Session {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("bop-snapshots-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).expect("the temporary directory can be written");
        fs::write(folder.join(name), program).expect("the temporary directory can be written");
        Session { folder, text: String::new() }
    }

    /// Another file.
    fn with(self, name: &str, text: &str) -> Session {
        fs::write(self.folder.join(name), text).expect("the temporary directory can be written");
        self
    }

    /// Runs a command; its words have no blanks.
    fn run(&mut self, line: &str) -> &mut Session {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bop"));
        let done = command.args(line.split(' ')).current_dir(&self.folder);
        let done = done.output().expect("the command was built");
        let out = String::from_utf8(done.stdout).expect("it writes UTF-8");
        let err = String::from_utf8(done.stderr).expect("it writes UTF-8");
        let code = done.status.code().expect("no signal ended it");
        self.text += &format!("$ bop {line}\n{}{err}[exit {code}]\n\n", shown(&out));
        self
    }

    /// A check in all formats.
    fn check(&mut self, line: &str) -> &mut Session {
        for format in FORMATS {
            self.run(&format!("check {line} --format {format}"));
        }
        self
    }

    /// A file that was written.
    fn file(&mut self, name: &str) -> &mut Session {
        let text = fs::read_to_string(self.folder.join(name)).expect("it was written");
        self.text += &format!("{name}:\n{text}\n");
        self
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Without effort and versions; of a page its data, of SARIF no rules.
fn shown(out: &str) -> String {
    let data = out.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let runs = out.split_once("</script>").and_then(|(_, rest)| rest.split_once("<script>\n\"use"));
    let runs = runs.map_or("", |(runs, _)| runs);
    let out = data.map_or(out.to_owned(), |(data, _)| format!("(page) {data}{runs}\n"));
    let out = without(&out, "\"seconds\":", ",");
    let out = without(&out, "bop 0.", ",");
    let out = without(&out, "\"fullName\": \"", "\"");
    let out = without(&out, "\"semanticVersion\": \"", "\"");
    let out = without(&out, "\"stats\":{", "}");
    let out = without(&out, "\"effort\":", "}");
    let out = without(&out, "\"version\": \"0.", "\"");
    let out = without(&out, "\"version\":\"0.", "\"");
    // It depends on the compiler.
    let out = without(&out, "\"preprocessed_sha256\":\"", "\"");
    without(&out, "\"rules\": [", "\n          ]")
}

/// Text with `…` for what stands between `from` and the next `to`.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        let end = after.find(to).expect("it ends");
        out += &format!("{before}{from}…");
        rest = &after[end..];
    }
    out + rest
}

#[test]
fn reachable() {
    let mut session = Session::new("reached.bp", REACHED);
    insta::assert_snapshot!(session.check("reached.bp --reach R --engine summary").text);
}

#[test]
fn folded() {
    let mut session = Session::new("reached.bp", REACHED);
    let line = "reached.bp --reach R --engine summary --max-steps 4";
    insta::assert_snapshot!(session.check(line).text);
}

#[test]
fn unreachable() {
    let mut session = Session::new("safe.bp", SAFE);
    insta::assert_snapshot!(session.check("safe.bp --reach D --engine summary").text);
}

#[test]
fn dead_code() {
    let mut session = Session::new("safe.bp", SAFE);
    insta::assert_snapshot!(session.check("safe.bp --reach-all --engine summary").text);
}

#[test]
fn violated() {
    let program = SAFE.replace("g := 1", "g := *");
    let mut session = Session::new("unsafe.bp", &program);
    insta::assert_snapshot!(session.check("unsafe.bp --engine summary").text);
}

#[test]
fn holds() {
    let mut session = Session::new("safe.bp", SAFE);
    insta::assert_snapshot!(session.check("safe.bp --assert --self-check --engine summary").text);
}

#[test]
fn lasso() {
    let mut session = Session::new("loop.bp", LOOP);
    insta::assert_snapshot!(session.check("loop.bp --terminates --engine post").text);
}

/// Formulas that hold, for a good reason and for none.
#[test]
fn formulas() {
    let mut session = Session::new("reached.bp", REACHED);
    session.check("reached.bp --ltl G(in(flip)->F(in(main))) --engine post");
    session.check("reached.bp --ltl G(error->F(g)) --engine post");
    insta::assert_snapshot!(session.text);
}

#[test]
fn rule() {
    let mut session = Session::new("twice.i", TWICE).with("twice.rule", RULE);
    insta::assert_snapshot!(session.check("twice.i --rule twice.rule --engine summary").text);
}

#[test]
fn incomplete() {
    let mut session = Session::new("part.i", LEFT_OUT);
    insta::assert_snapshot!(session.check("part.i --reach D --engine summary").text);
}

#[test]
fn unknown() {
    let mut session = Session::new("loop.bp", LOOP);
    insta::assert_snapshot!(
        session.check("loop.bp --reach main:exit --engine explicit --steps 2").text
    );
}

#[test]
fn proof() {
    let mut session = Session::new("safe.bp", SAFE);
    session.run("check safe.bp --reach D --assert --engine summary --proof safe.proof");
    session.file("safe.proof").run("replay safe.bp safe.proof");
    insta::assert_snapshot!(session.text);
}

#[test]
fn states() {
    let mut session = Session::new("reached.bp", REACHED);
    for format in ["text", "json"] {
        session.run(&format!("states reached.bp --at R --engine summary --format {format}"));
    }
    for format in ["text", "json", "dot"] {
        session.run(&format!("states reached.bp --at :7 --stacks --format {format}"));
    }
    insta::assert_snapshot!(session.text);
}

#[test]
fn facts() {
    let mut session = Session::new("reached.bp", REACHED);
    for stage in ["summaries", "modref", "live"] {
        for format in ["text", "json"] {
            session.run(&format!("dump reached.bp --stage {stage} --format {format}"));
        }
    }
    insta::assert_snapshot!(session.text);
}

#[test]
fn influence() {
    let mut session = Session::new("reached.bp", REACHED);
    for format in ["text", "json", "source"] {
        session.run(&format!("influence reached.bp --format {format}"));
    }
    insta::assert_snapshot!(session.text);
}

#[test]
fn solution() {
    let mut session = Session::new("m.aut", "des (0, 2, 2)\n(0, \"a\", 1)\n(1, \"b\", 0)\n");
    for format in ["text", "json"] {
        session.run(&format!("eval <true*>[\"a\"]false m.aut --self-check --format {format}"));
    }
    insta::assert_snapshot!(session.text);
}

#[test]
fn automaton() {
    let mut session = Session::new("none", "");
    for format in ["text", "hoa", "dot"] {
        session.run(&format!("ltl G(a->F(b)) --format {format}"));
    }
    insta::assert_snapshot!(session.text);
}

#[test]
fn languages() {
    let mut session = Session::new("reached.bp", REACHED);
    for language in ["bp", "remopla", "pds", "dot"] {
        session.run(&format!("convert reached.bp --to {language}"));
    }
    insta::assert_snapshot!(session.text);
}
