//! Properties in Sugar with temporal conclusions have the verdicts of formulas that say the same.

use postbop::{EngineChoice, Options, Property, Search, SourceFile, Status, Watch, check, load};
use std::sync::Arc;
use testkit::random_bp::{Profile, random_bp};

/// Sugar, and a formula of LTL, over three atoms.
const PAIRS: [(&str, &str); 6] = [
    ("{true[*]; $a}(F $b)", "G ($a -> F $b)"),
    ("{$a} |=> G ($b | $c)", "$a -> X G ($b | $c)"),
    ("{$a[*]; $b}(X $c)", "!($a U ($b & !X $c))"),
    ("{true[*]; $a; $b[->1]}(F $c)", "G ($a -> X (!$b W ($b & F $c)))"),
    ("{true[*]; $a && !$b}(G F $c | X $b)", "G (($a & !$b) -> (G F $c | X $b))"),
    ("{true[*3]}(F $a)", "X X F $a"),
];

#[test]
fn conclusions_may_be_temporal() {
    let engines =
        [EngineChoice::Explicit, EngineChoice::Summary, EngineChoice::Post, EngineChoice::Pre];
    let (mut holds, mut violated) = (0, 0);
    for seed in 0..150u64 {
        let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
        let text = random_bp(seed, profile);
        let file = Arc::new(SourceFile::new("f.bp", text.as_str()).expect("text"));
        let engine = engines[seed as usize % engines.len()];
        let options =
            Options::from(Search { engine, self_check: true, vacuity: false, ..Search::default() });
        let program = load(std::slice::from_ref(&file), &options.input).expect("a program");
        // Globals where there are any, else places.
        let mut atoms: Vec<String> =
            program.globals.iter().map(|&g| format!("\"{}\"", program.var_name(g))).collect();
        atoms.extend(program.procs.ids().map(|p| format!("in({})", program.proc_name(p))));
        atoms.push("terminated".to_owned());
        atoms.push("error".to_owned());
        let atom = |i: u64| &atoms[(seed / 7 * 3 + i) as usize % atoms.len()];
        let filled =
            |t: &str| t.replace("$a", atom(0)).replace("$b", atom(1)).replace("$c", atom(2));
        let (sere, ltl) = PAIRS[seed as usize % PAIRS.len()];
        let properties = [Property::Sere { formula: filled(sere) }, Property::ltl(filled(ltl))];
        let report = check(&[file], &properties, &options, &Watch::default()).expect("a report");
        let [a, b] = &report.results[..] else { panic!("two answers") };
        let told = format!("seed {seed}, {engine:?}: {} {}\n{text}", filled(sere), filled(ltl));
        assert!(a.stop_reason.is_none(), "{:?} {told}", a.stop_reason);
        assert_eq!(a.status, b.status, "{told}");
        match a.status {
            Status::Holds => holds += 1,
            Status::Violated => {
                violated += 1;
                let trace = a.trace.as_ref().unwrap_or_else(|| panic!("no trace: {told}"));
                assert!(
                    trace.steps.iter().any(|s| s.stays.is_some()) || trace.loop_start.is_some()
                );
            }
            other => panic!("{other:?} {told}"),
        }
    }
    assert!(holds > 10 && violated > 10, "{holds} {violated}");
}
