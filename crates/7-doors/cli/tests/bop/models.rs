//! `bop convert --to smv` and `--to edl` of programs with their values: read by a reader of our own, and by NuSMV where
//! `scripts/get_nusmv` has brought it.

use crate::{TempFile, bop, bop_with, root};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// A model as the text says it: each bit by name.
#[derive(Default)]
struct Model {
    vars: Vec<String>,
    /// Conjunctions of literals; `None` is a constant.
    defines: Vec<(String, Vec<(String, bool)>)>,
    next: BTreeMap<String, (String, bool)>,
    specifications: usize,
}

fn literal(text: &str) -> (String, bool) {
    match text.trim().strip_prefix('!') {
        Some(name) => (name.to_owned(), false),
        None => (text.trim().to_owned(), true),
    }
}

impl Model {
    fn read(text: &str) -> Model {
        let mut out = Model::default();
        for line in text.lines() {
            let line = line.trim_end_matches(';');
            if let Some(rest) = line.strip_prefix("VAR ") {
                out.vars.push(rest.strip_suffix(" : boolean").expect(line).to_owned());
            } else if let Some(rest) = line.strip_prefix("DEFINE ") {
                let (name, value) = rest.split_once(" := ").expect(line);
                if !value.contains('?') && value != "0" {
                    let parts = value.split(" & ").map(literal).collect();
                    out.defines.push((name.to_owned(), parts));
                }
            } else if let Some(rest) = line.strip_prefix("ASSIGN next(") {
                let (name, value) = rest.split_once(") := ").expect(line);
                out.next.insert(name.to_owned(), literal(value));
            } else if let Some(rest) = line.strip_prefix("ASSIGN init(") {
                assert!(rest.ends_with(") := FALSE"), "{line}");
            } else if line.starts_with("INVARSPEC ") || line.starts_with("LTLSPEC ") {
                out.specifications += 1;
            } else {
                assert!(line.starts_with("--") || line == "MODULE main", "{line}");
            }
        }
        out
    }

    /// The definitions that hold in some state that is reached.
    fn reached(&self) -> BTreeSet<String> {
        let latches: Vec<&String> =
            self.vars.iter().filter(|v| self.next.contains_key(*v)).collect();
        let inputs: Vec<&String> =
            self.vars.iter().filter(|v| !self.next.contains_key(*v)).collect();
        assert!(inputs.len() <= 16, "too many to be listed: {inputs:?}");
        let mut number: BTreeMap<&str, usize> = BTreeMap::new();
        for name in latches.iter().chain(&inputs) {
            number.insert(name, number.len());
        }
        number.insert("TRUE", number.len());
        for (name, _) in &self.defines {
            number.insert(name, number.len());
        }
        let place = |(name, yes): &(String, bool)| match name.as_str() {
            "FALSE" => (number["TRUE"], !yes),
            name => (number[name], *yes),
        };
        let defines: Vec<Vec<(usize, bool)>> =
            self.defines.iter().map(|(_, parts)| parts.iter().map(place).collect()).collect();
        let next: Vec<(usize, bool)> = latches.iter().map(|l| place(&self.next[*l])).collect();
        let mut seen: BTreeSet<Vec<bool>> = BTreeSet::from([vec![false; latches.len()]]);
        let mut work: Vec<Vec<bool>> = seen.iter().cloned().collect();
        let mut held = BTreeSet::new();
        while let Some(state) = work.pop() {
            for input in 0..1u32 << inputs.len() {
                let mut values = state.clone();
                values.extend((0..inputs.len()).map(|i| input >> i & 1 == 1));
                values.push(true);
                for (i, parts) in defines.iter().enumerate() {
                    let holds = parts.iter().all(|&(at, yes)| values[at] == yes);
                    values.push(holds);
                    if holds {
                        held.insert(i);
                    }
                }
                let after: Vec<bool> = next.iter().map(|&(at, yes)| values[at] == yes).collect();
                if seen.insert(after.clone()) {
                    work.push(after);
                }
            }
        }
        held.into_iter().map(|i| self.defines[i].0.clone()).collect()
    }
}

const PROGRAMS: &[&str] = &[
    "decl g; void main() begin g := *; f(); f(); assert(g); L: skip; end void f() begin g := !g; end",
    "decl a; void main() begin a := T; L: a := f(a); if (a) then M: assert(F); fi N: skip; end bool f(x) begin return !x; end",
    "decl a; void main() begin assume(F); L: assert(a); end",
    "decl a; void main() begin a := *; L: assume(a); M: assert(!a); end",
    // Recursion that the stack has room for: each frame has its own local.
    "decl n; void main() begin n := F; f(T, T); L: assert(n); if (!n) then M: skip; fi end
     void f(x, y) begin if (x) then f(y, F); f(F, F); n := x; fi if (!x & n) then N: skip; fi end",
    "decl n; void main() begin n := F; f(T); assert(!n); end
     void f(x) begin if (x) then g(!x); fi if (x) then L: n := T; fi end void g(y) begin f(y); if (y) then M: skip; fi end",
];

#[test]
fn our_reader_agrees() {
    let (mut yes, mut no) = (0, 0);
    for text in PROGRAMS {
        let file = TempFile::new("p.bp", text);
        let smv = bop(&["convert", file.path(), "--to", "smv", "--stack-depth", "4"]).exits(0).out;
        let model = Model::read(&smv);
        let reached = model.reached();
        let mut expect = |question: &[&str], name: &str| {
            let ran = bop(&[&["check", file.path(), "-q"], question].concat());
            assert!(ran.code < 2, "{}", ran.out);
            let violated = ran.code == 1;
            assert_eq!(reached.contains(name), violated, "{question:?} {text}\n{smv}");
            *(if violated { &mut yes } else { &mut no }) += 1;
        };
        if text.contains("assert") {
            assert_eq!(model.specifications, 1, "{smv}");
            expect(&["--assert"], "failed");
        }
        for (label, of) in ["L", "M", "N"].iter().flat_map(|l| ["main", "f", "g"].map(|f| (l, f))) {
            let name = format!("at_{of}_{label}");
            if smv.contains(&format!("DEFINE {name} ")) {
                expect(&["--reach", &format!("{of}:{label}")], &name);
            }
        }
    }
    assert!(yes > 5 && no > 5, "{yes} {no}");
}

/// A stack that is too small hides runs, and shows no others.
#[test]
fn the_stack_is_bounded() {
    let text = "decl a, b; void main() begin f(F, F); end
                void f(x, y) begin if (!x) then f(T, y); elsif (!y) then f(x, T); else L: skip; fi end";
    for depth in 0..4 {
        let depth_text = depth.to_string();
        let args = ["convert", "-", "--lang", "bp", "--to", "smv", "--stack-depth", &depth_text];
        let reached = Model::read(&bop_with(&args, text).exits(0).out).reached();
        assert_eq!(reached.contains("at_f_L"), depth >= 2, "{depth}");
    }
}

const GETMAX: &str = "int input(void);
int getmax() {
    int max, a;
    a = max = 0;
    do {
        if (a > max) max = a;
        a = input();
    } while (a);
    if (a > max) { WRONG: ; }
    return max;
}
int main(void) { return getmax(); }
";

#[test]
fn values_of_c_are_kept() {
    let file = TempFile::new("getmax.c", GETMAX);
    for form in ["smv", "edl"] {
        let keep = ["--keep", "getmax::max:2", "--keep", "getmax::a:2"];
        let ltl = ["--ltl", "G !at(WRONG)"];
        let args = [&["convert", file.path(), "--to", form][..], &keep, &ltl].concat();
        let text = bop(&args).exits(0).out;
        let (var, spec) = match form {
            "smv" => ("VAR getmax_max_0_1 : boolean;", "LTLSPEC (G F step) -> "),
            _ => ("var getmax_max_0_1 : boolean;", "formula { (G F step) -> "),
        };
        assert!(text.contains(var) && text.contains(spec), "{text}");
        assert!(text.contains("getmax: if (a > max)"), "{text}");
        // Without values, it is the form that the paper prints.
        let plain = bop(&["convert", file.path(), "--to", form]).exits(0).out;
        assert!(plain.contains("callto_input") && !plain.contains("getmax_max_0_1"), "{plain}");
    }
    let wrong =
        bop(&["convert", file.path(), "--to", "smv", "--keep", "a:2", "--ltl", "G nowhere"]);
    assert!(wrong.exits(2).err.contains("nowhere"));
}

#[test]
fn a_rule_is_a_specification() {
    let rules = bop(&["convert", "examples/gc.c", "--to", "smv", "--rule", "gc"]).exits(2);
    assert!(rules.err.contains("one rule"), "{}", rules.err);
    let text = "void lock(void); void unlock(void); int get(void);
                int main(void) { lock(); if (get()) lock(); unlock(); return 0; }";
    let file = TempFile::new("l.c", text);
    let rule =
        "rule twice { never { call(lock); (!call(unlock))[*]; call(lock) } message \"twice\" }";
    let rule = TempFile::new("twice.rule", rule);
    let smv = bop(&["convert", file.path(), "--to", "smv", "--rule", rule.path()]).exits(0).out;
    assert!(smv.contains("INVARSPEC !broken_twice;"), "{smv}");
    assert!(Model::read(&smv).reached().contains("broken_twice"), "{smv}");
    let edl = bop(&["convert", file.path(), "--to", "edl", "--rule", rule.path()]).exits(0).out;
    assert!(edl.contains("formula { AG !broken_twice }"), "{edl}");
    let good = TempFile::new("g.c", text.replace("if (get()) lock();", "unlock(); lock();"));
    let smv = bop(&["convert", good.path(), "--to", "smv", "--rule", rule.path()]).exits(0).out;
    assert!(!Model::read(&smv).reached().contains("broken_twice"), "{smv}");
    bop(&["convert", file.path(), "--to", "bp", "--rule", rule.path()]).exits(2);
}

/// NuSMV answers each specification as `bop` does.
#[test]
fn nusmv_agrees() {
    let nusmv = root().join("target/nusmv/NuSMV");
    if !nusmv.exists() {
        eprintln!("skipped: no NuSMV (scripts/get_nusmv): models are read by our own reader alone");
        return;
    }
    let formulas = [
        "F terminated",
        "G !error",
        "G !at(L)",
        "F at(L)",
        "G (at(L) -> X X !at(L))",
        "(!at(L)) U (terminated || error)",
        "G F (terminated || error)",
    ];
    let (mut yes, mut no) = (0, 0);
    let mut compare = |path: &str, options: &[&str], formulas: &[&str]| {
        let mut args = vec!["convert", path, "--to", "smv"];
        args.extend(options);
        for formula in formulas {
            args.extend(["--ltl", formula]);
        }
        let smv = TempFile::new("m.smv", &bop(&args).exits(0).out);
        let ran = Command::new(&nusmv).args(["-dcx", smv.path()]).output().expect("it runs");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let answers: Vec<bool> = said
            .lines()
            .filter(|line| line.starts_with("-- specification"))
            .map(|line| line.ends_with("is true"))
            .collect();
        assert_eq!(answers.len(), formulas.len(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
        for (formula, holds) in formulas.iter().zip(answers) {
            let mut check = vec!["check", path, "-q", "--ltl", formula];
            check.extend(options.iter().filter(|o| !o.starts_with("--stack") && **o != "4"));
            let ran = bop(&check);
            assert!(ran.code < 2, "{}", ran.out);
            assert_eq!(ran.code == 0, holds, "{formula} {path}: {}", ran.out);
            *(if holds { &mut yes } else { &mut no }) += 1;
        }
    };
    let endless = "decl a; void main() begin a := *; while (a) do L: a := *; od end";
    for text in PROGRAMS.iter().chain([&endless]).filter(|text| text.contains("L:")) {
        let file = TempFile::new("p.bp", text);
        compare(file.path(), &["--stack-depth", "4"], &formulas);
    }
    let file = TempFile::new("getmax.c", GETMAX);
    let asked = ["G !at(WRONG)", "F terminated", "G (call(input) -> F terminated)"];
    compare(file.path(), &["--keep", "getmax::max:3", "--keep", "getmax::a:3"], &asked);
    assert!(yes > 5 && no > 10, "{yes} {no}");
}
