//! The setting of [c2edl Table 1]: about 4,000 points, 180 variables, two formulas for each, which are
//! 360 properties; and the same program under the rules over values.

use crate::asking::{Found, findings};
use postbop::{CProgram, CText, Options, Watch};
use std::fmt::Write;
use std::sync::Arc;

/// A program of `functions` functions with `variables` diagrams each, in SMV's style: the functions
/// call each other, and recurse. Every mistake is counted: those of dangling references, and of leaks.
fn program(functions: usize, variables: usize) -> (String, usize) {
    let mut out = String::from(
        "typedef struct bdd *bdd_ptr;\nbdd_ptr save_bdd(bdd_ptr d); void release_bdd(bdd_ptr d);\n\
         void mygarbage(void); bdd_ptr and_bdd(bdd_ptr a, bdd_ptr b); int more(void);\n\
         bdd_ptr one, zero;\n",
    );
    for f in 0..functions {
        let _ = writeln!(out, "bdd_ptr f{f}(bdd_ptr p, int n);");
    }
    let mut mistakes = 0;
    for f in 0..functions {
        let _ = writeln!(out, "bdd_ptr f{f}(bdd_ptr p, int n) {{");
        for v in 0..variables {
            let _ = writeln!(out, "  bdd_ptr v{v};");
        }
        let _ = writeln!(out, "  if (n == 0) return p;");
        for v in 0..variables {
            let other = if v == 0 { "one".to_owned() } else { format!("v{}", v - 1) };
            let _ = writeln!(out, "  v{v} = save_bdd(and_bdd(p, {other}));");
            let _ = writeln!(out, "  if (more()) {{ mygarbage(); p = and_bdd(v{v}, one); }}");
            let _ = writeln!(out, "  while (more()) p = and_bdd(p, v{v});");
        }
        let _ = writeln!(out, "  f{}(v0, n - 1);", (f + 1) % functions);
        if f % 4 == 0 {
            // Unsaved over a collection.
            let _ = writeln!(out, "  v0 = and_bdd(v0, one); mygarbage(); zero = and_bdd(v0, one);");
            mistakes += 1;
        }
        for v in 0..variables {
            let _ = writeln!(out, "  release_bdd(v{v});");
        }
        let _ = writeln!(out, "  return one;\n}}");
    }
    out += "int main(void) { f0(one, 3); return 0; }\n";
    (out, mistakes)
}

fn rules_in(name: &str) -> Vec<rules::Rule> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join(format!("../../../rules/{name}.rule"));
    rules::parse(&std::fs::read_to_string(path).expect("rules")).expect("rules")
}

#[test]
fn the_setting_of_table_1() {
    // 20 functions, 8 variables and a parameter each: 180.
    let (text, mistakes) = program(20, 8);
    let unit =
        CText { name: "smv.c".to_owned(), text: format!("# 1 \"smv.c\"\n{text}"), directory: None };
    let program = Arc::new(CProgram::new(vec![unit]).expect("a program"));
    let points: usize = program.skeleton().bodies.iter().map(|b| b.points.len()).sum();
    assert!(points > 1_000, "{points}");
    let check = |name: &str| {
        let options = Options::default();
        let found = findings(&program, &rules_in(name), &[], &options, &Watch::default());
        assert!(found.unknown.is_empty(), "{:?}", found.unknown);
        found
    };
    let found = check("gc-variables");
    let counted = |o: &postbop::Outcome| {
        o.counters.iter().find(|(n, _)| n == "variables").map(|(_, n)| *n).expect("a counter")
    };
    assert!(found.report.results.iter().all(|o| counted(o) == 20 * 9 + 2));
    let dangling = |f: &&Found| f.rule == "gc_dangling_variable" && f.object.ends_with("::v0");
    assert!(found.findings.iter().filter(dangling).count() >= mistakes);
    // Over values, one finding for each mistake.
    let values = check("gc");
    let wrong: Vec<_> = values.findings.iter().filter(|f| f.rule == "gc_dangling").collect();
    assert_eq!(wrong.iter().filter(|f| f.object == "v0").count(), mistakes, "{wrong:#?}");
}
