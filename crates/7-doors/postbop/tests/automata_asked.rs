//! Properties as automata have the verdicts of the formulas that they are made of.

use postbop::{
    EngineChoice, Limits, Options, Property, Search, SourceFile, Status, Watch, check, load, ltl,
};
use std::sync::Arc;
use testkit::ltl_formula::random_formula;
use testkit::random_bp::{Profile, random_bp};
use testkit::rng::Rng;

#[test]
fn automata_have_the_verdicts_of_their_formulas() {
    let engines =
        [EngineChoice::Explicit, EngineChoice::Summary, EngineChoice::Post, EngineChoice::Auto];
    let (mut holds, mut violated, mut good) = (0, 0, 0);
    for seed in 0..240u64 {
        let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
        let text = random_bp(seed, profile);
        let file = Arc::new(SourceFile::new("f.bp", text.as_str()).expect("text"));
        let engine = engines[seed as usize % engines.len()];
        let options =
            Options::from(Search { engine, self_check: true, vacuity: false, ..Search::default() });
        let program = load(std::slice::from_ref(&file), &options.input).expect("a program");
        let mut rng = Rng::new(seed);
        let size = 1 + seed as usize % 5;
        let formula = random_formula(&mut rng, &program, size, 3).to_string();
        let automaton = |formula: &str| {
            let made = ltl(formula, seed % 3 == 0, Limits::default(), &Watch::default());
            made.expect("an automaton").hoa()
        };
        let bad = automaton(&format!("!({formula})"));
        let mut properties = vec![
            Property::ltl(formula.clone()),
            Property::Automaton { name: "bad.hoa".to_owned(), text: bad, good: false },
        ];
        let right = automaton(&formula);
        let deterministic = right.contains("deterministic");
        if deterministic {
            good += 1;
            properties.push(Property::Automaton {
                name: "good.hoa".to_owned(),
                text: right,
                good: true,
            });
        }
        let report = check(&[file], &properties, &options, &Watch::default()).expect("answers");
        let expected = report.results[0].status;
        for result in &report.results {
            assert!(
                matches!(result.status, Status::Holds | Status::Violated),
                "seed {seed}, {formula}: {:?}\n{text}",
                result.stop_reason
            );
            assert_eq!(
                result.status, expected,
                "seed {seed}: {formula}\n{:?}\n{text}",
                result.property
            );
        }
        match expected {
            Status::Holds => holds += 1,
            _ => violated += 1,
        }
    }
    assert!(
        holds > 30 && violated > 60 && good > 50,
        "{holds} hold, {violated} do not, {good} good"
    );
}
