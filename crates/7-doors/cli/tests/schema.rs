//! What `bop` prints as JSON against the published schemas: every verb, every kind of question, every verdict.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with the programs, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("bop-schema-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary directory can be written");
        for (name, text) in files {
            fs::write(path.join(name), text).expect("the temporary directory can be written");
        }
        Folder(path)
    }

    /// Runs `bop`; its output, and the exit code.
    fn bop(&self, args: &[&str]) -> (String, i32) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bop"));
        let done = command.args(args).current_dir(&self.0).output().expect("the command was built");
        let (out, err) = (String::from_utf8(done.stdout), String::from_utf8(done.stderr));
        let code = done.status.code().expect("no signal ended it");
        assert!(code != 2, "{args:?}: {err:?}");
        (out.expect("it writes UTF-8"), code)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn schema(name: &str) -> Value {
    let file = format!("../../../docs/schema/{name}.schema.json");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// A document that fits its schema.
#[track_caller]
fn fits(name: &str, text: &str) -> Value {
    let json: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let wrong = testkit::violations(&schema(name), &json);
    assert!(wrong.is_empty(), "{name}: {wrong:#?}\n{text}");
    json
}

const BP: &str = "\
decl g, {a b};
void main() begin
  g := 0; f(g);
  while (*) do f(g); if (*) then g := !g; fi od
  R: skip;
  if (F) then D: skip; fi
end
void f(x) begin S: assert(!x); {a b} := x; end
";

const SAFE: &str = "\
decl g;
void main() begin g := 1; while (g) do f(); od D: skip; end
void f() begin assert(g); end
";

const REMOPLA: &str = "\
int x(3);
int a[2](2);
module void main() {
  x = 5;
  a[1] = 2;
  do :: x > 0 -> x = x - 1; :: else -> break; od;
  L: skip;
}
init main;
";

const C: &str = "\
void *malloc(unsigned long n);
void free(void *p);
int f(int *p, int n) { if (n) free(p); return n; }
int main(int argc, char **argv) {
  int *p = malloc(4);
  if (argc > 1) f(p, argc);
  free(p);
L: return 0;
}
";

const ALLOWED: &str = "\
void *malloc(unsigned long n);
void free(void *p);
int main(void) {
  int *p = malloc(4);
  free(p);
  free(p); // bop: allow double_free known
  return 0;
}
";

const BROKEN: &str = "\
int bad(int x) { return x +; }
int main(void) { return bad(1); }
";

const DATA: &str = "\
extern int __VERIFIER_nondet_int(void);
int main(void) { if (__VERIFIER_nondet_int() == 3) { L: return 1; } return 0; }
";

const LOOP: &str = "extern void reach_error(void); int main(int n, char **v) { unsigned x = 0; \
                    while (x != 7) { x = x == 5 ? 0 : x + 1; } reach_error(); }\n";

/// One value that is lost in many places.
const LOST: &str = "\
void *malloc(unsigned long n);
void free(void *p);
int f(int n) {
  char *p = malloc(3);
  if (n == 1) return 1;
  if (n == 2) return 2;
  if (n == 3) return 3;
  if (n == 4) return 4;
  free(p);
  return 0;
}
";

/// All runs.
const HOA: &str =
    "HOA: v1 States: 1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--";

const TWICE: &str = "\
void free(void *p);
void f(char *p) { free(p); free(p); }
";

#[test]
fn reports_fit_the_schema() {
    let folder = Folder::new(
        "reports",
        &[
            ("f.bp", BP),
            ("safe.bp", SAFE),
            ("r.rem", REMOPLA),
            ("f.i", C),
            ("allowed.i", ALLOWED),
            ("broken.i", BROKEN),
            ("data.i", DATA),
            ("known.json", "{\"schema\":\"postbop.baseline/1\",\"findings\":[]}"),
            ("twice.i", TWICE),
            ("loop.i", LOOP),
            ("f.hoa", HOA),
            ("lost.i", LOST),
        ],
    );
    let runs: &[&[&str]] = &[
        &["f.bp", "--reach", "R", "--baseline", "known.json"],
        &["f.bp", "--reach", "R", "--reach", "f:S", "--reach", ":6", "--reach", "D"],
        &["f.bp", "--assert", "--reach-all"],
        &["f.bp", "--ltl", "F at(R)", "--ltl", "G (g -> F !g)", "--terminates"],
        &["f.bp", "--ltl", "G F at(R)", "--terminates", "--fair", "in(f)"],
        &["f.bp", "--sere", "never {g; true[*]; !g}", "--sere", "never {at(R); at(R)}"],
        &["f.bp", "--automaton", "f.hoa", "--good-automaton", "f.hoa"],
        &["f.bp", "--reach", "R", "--max-steps", "2"],
        &["f.bp", "--reach", "R", "--trace", "none", "--stats"],
        &["safe.bp", "--assert", "--reach", "D", "--ltl", "G g", "--ltl", "G (g -> X g)"],
        &["safe.bp", "--reach-all", "--assert", "--terminates", "--self-check"],
        &["r.rem", "--ltl", "G (at(L) -> X terminated)"],
        &["safe.bp", "--engine", "explicit", "--steps", "1"],
        &["r.rem", "--reach", "L", "--ltl", "F terminated"],
        &["f.i", "--rule", "memory", "--reach", "L", "--assert"],
        &["f.i", "--rule", "file"],
        &["allowed.i", "--rule", "memory"],
        &["broken.i", "--assert", "--rule", "memory"],
        &["broken.i", "--assert", "--allow-incomplete"],
        &["data.i", "--engine", "bounded", "--reach", "L"],
        &["data.i", "--skeleton", "--reach", "L"],
        &["data.i", "--memory-safety", "--memory-cleanup", "--overflow"],
        &["data.i", "--division", "--uninitialised"],
        &["twice.i", "--rule", "memory", "--confidence", "confirmed"],
        &["twice.i", "--memory-safety", "--entry", "f"],
        &["loop.i", "--assert", "--engine", "pdr", "--self-check"],
        &["lost.i", "--rule", "memory", "--skeleton"],
    ];
    let (mut kinds, mut verdicts) = (BTreeSet::new(), BTreeSet::new());
    let mut fields = BTreeSet::new();
    for run in runs {
        let mut args = vec!["check"];
        args.extend(*run);
        args.extend(["--format", "json"]);
        let report = fits("report", &folder.bop(&args).0);
        fields.extend(report.as_object().expect("an object").keys().cloned());
        for result in report["results"].as_array().expect("a list") {
            kinds.insert(result["property"]["kind"].as_str().expect("a text").to_owned());
            verdicts.insert(result["verdict"].as_str().expect("a text").to_owned());
            fields.extend(result.as_object().expect("an object").keys().cloned());
            for step in result["trace"]["steps"].as_array().into_iter().flatten() {
                fields.extend(step.as_object().expect("an object").keys().cloned());
            }
        }
    }
    // The reports have everything that there is.
    let schema = schema("report");
    let all = |of: &str| -> BTreeSet<String> {
        let defs = &schema["$defs"][of];
        let list = defs.get("oneOf").or(defs.get("anyOf")).expect("alternatives");
        let list = list.as_array().expect("a list").iter();
        let word = |v: &Value| match &v["properties"]["kind"]["const"] {
            Value::Null => v["const"].as_str().map(str::to_owned),
            kind => kind.as_str().map(str::to_owned),
        };
        list.filter_map(word).collect()
    };
    assert_eq!(kinds, all("Question"));
    assert_eq!(verdicts, all("Verdict"));
    let named = |of: &Value| -> BTreeSet<String> {
        of["properties"].as_object().expect("an object").keys().cloned().collect()
    };
    let (top, defs) = (named(&schema), &schema["$defs"]);
    let documented = top.union(&named(&defs["Answer"])).cloned().collect::<BTreeSet<_>>();
    let documented = documented.union(&named(&defs["Step"])).cloned().collect::<BTreeSet<_>>();
    let missing: Vec<&String> = documented.difference(&fields).collect();
    assert!(missing.is_empty(), "no report has {missing:?}");
}

#[test]
fn proofs_fit_the_schema() {
    let folder = Folder::new("proofs", &[("safe.bp", SAFE), ("r.rem", REMOPLA), ("f.i", C)]);
    let runs: &[&[&str]] = &[
        &["safe.bp", "--assert", "--reach", "D", "--reach-all"],
        &["r.rem", "--ltl", "F terminated", "--terminates"],
        &["f.i", "--rule", "file"],
    ];
    for (i, run) in runs.iter().enumerate() {
        let file = format!("{i}.proof");
        let mut args = vec!["check"];
        args.extend(*run);
        args.extend(["--proof", &file]);
        folder.bop(&args);
        let text = fs::read_to_string(folder.0.join(&file)).expect("it was written");
        let proofs = fits("proof", &text);
        assert!(!proofs["proofs"].as_array().expect("a list").is_empty(), "{run:?}");
    }
}

#[test]
fn states_and_stacks_fit_their_schemas() {
    let folder = Folder::new("states", &[("f.bp", BP), ("r.rem", REMOPLA)]);
    let json = |args: &[&str]| {
        let mut all = vec!["states"];
        all.extend(args);
        all.extend(["--format", "json"]);
        folder.bop(&all).0
    };
    fits("states", &json(&["f.bp", "--at", "R"]));
    fits("states", &json(&["f.bp", "--at", "D"]));
    fits("states", &json(&["r.rem", "--at", ":6"]));
    fits("states", &json(&["r.rem", "--at", "L", "--engine", "explicit", "--steps", "1"]));
    fits("stacks", &json(&["f.bp", "--at", "f:S", "--stacks"]));
    let reached = fits("stacks", &json(&["f.bp", "--to", "f .*"]));
    assert_eq!(reached["verdict"], "reachable");
    fits("stacks", &json(&["f.bp", "--from", "main", "--to", "f .* main"]));
}

#[test]
fn facts_fit_the_schema() {
    let folder = Folder::new("facts", &[("f.bp", BP)]);
    for stage in ["summaries", "modref", "live"] {
        let args = ["dump", "f.bp", "--stage", stage, "--format", "json"];
        assert_eq!(fits("facts", &folder.bop(&args).0)["stage"], stage);
    }
}

#[test]
fn influence_fits_the_schema() {
    let folder = Folder::new("influence", &[("f.bp", BP), ("f.i", C)]);
    for file in ["f.bp", "f.i"] {
        let args = ["influence", file, "--method", "all", "--format", "json"];
        let json = fits("influence", &folder.bop(&args).0);
        assert_eq!(json["methods"].as_array().expect("a list").len(), 3);
    }
}

#[test]
fn solutions_fit_the_schema() {
    let model = "des (0, 2, 2)\n(0, \"a\", 1)\n(1, \"b\", 0)\n";
    let system = "pbes mu X = Y || X; nu Y = Y; init X;\n";
    let folder = Folder::new("solutions", &[("m.aut", model), ("s.bes", system)]);
    let eval = ["eval", "<true*>[\"a\"]false", "m.aut", "--format", "json", "--self-check"];
    let json = fits("solution", &folder.bop(&eval).0);
    assert_eq!((&json["value"], &json["diagnostic"]["checked"]), (&true.into(), &true.into()));
    fits("solution", &folder.bop(&["solve", "s.bes", "--format", "json"]).0);
}

/// A test that cannot fail is none.
#[test]
fn what_does_not_fit_is_found() {
    let folder = Folder::new("wrong", &[("f.bp", BP)]);
    let good = folder.bop(&["check", "f.bp", "--reach", "R", "--format", "json"]).0;
    let schema = schema("report");
    for (from, to) in [
        ("\"postbop.report/1\"", "\"postbop.report/2\""),
        ("\"verdict\":\"reachable\"", "\"verdict\":\"maybe\""),
        ("\"kind\":\"reach\"", "\"kind\":\"reached\""),
        ("\"stop_reason\":null", "\"stop_reason\":\"tired\""),
        ("\"stop_reason\":null", "\"stop\":null"),
        ("\"shortest\":true", "\"shortest\":\"true\""),
        ("\"depth\":0", "\"depth\":-1"),
        ("\"column\":3", "\"row\":3"),
        ("\"g\":false", "\"g\":1.5"),
    ] {
        assert!(good.contains(from), "{from}: {good}");
        let bad: Value = serde_json::from_str(&good.replacen(from, to, 1)).expect("it is JSON");
        assert!(!testkit::violations(&schema, &bad).is_empty(), "{to} fits");
    }
}

/// Names may hold characters that a terminal would act on. They are escaped as JSON escapes them.
#[test]
fn any_name_can_be_read_back() {
    let name = "{a\u{202e}b\u{85}c}";
    let text = format!(
        "decl {name};\nvoid main() begin {name} := 1; f(); R: skip; end\nvoid f() begin assert({name}); end\n"
    );
    let folder = Folder::new("names", &[("f.bp", &text)]);
    let named = |schema: &str, args: &[&str]| {
        let out = folder.bop(&[args, &["--format", "json"]].concat()).0;
        assert!(!out.contains(['\u{202e}', '\u{85}']), "{args:?}: {out}");
        let json = fits(schema, &out);
        assert!(json.to_string().contains(name), "{args:?}: {json}");
    };
    named("report", &["check", "f.bp", "--reach", "R"]);
    named("states", &["states", "f.bp", "--at", "R"]);
    named("stacks", &["states", "f.bp", "--to", "f .*"]);
    named("influence", &["influence", "f.bp"]);
    for stage in ["summaries", "modref", "live"] {
        named("facts", &["dump", "f.bp", "--stage", stage]);
    }
    let formula = format!("F \"{name}\"");
    folder.bop(&["check", "f.bp", "--ltl", &formula, "--proof", "f.proof"]);
    let proofs = fs::read_to_string(folder.0.join("f.proof")).expect("it was written");
    assert_eq!(fits("proof", &proofs)["asked"][0]["formula"], formula.as_str());
    let (out, code) = folder.bop(&["replay", "f.bp", "f.proof"]);
    assert!(code == 0 && out.starts_with("accepted: "), "{out}");
}
