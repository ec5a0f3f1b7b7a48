//! Arbitrary bytes as a program, a formula or an equation system: what can be read means the same in
//! every other language, and is the same text when it is written once more. The first byte says what
//! it is.
#![no_main]

#[path = "../../crates/7-doors/postbop/tests/tool/mod.rs"]
mod tool;

use engine_summary::Summary;
use libfuzzer_sys::fuzz_target;
use testkit::conversion::{Language, Tool, converted};
use tool::{Equations, Outcome, Postbop};

/// A model with data for formulas and modal systems.
const MODEL: &str = "des (0, 4, 3)\n(0, \"G !x\", 1)\n(1, i, 2)\n(2, \"H !TRUE !y\", 0)\n(1, a, 1)\n";

/// Larger programs take too long for this.
const NODES: usize = 300;

fuzz_target!(|data: &[u8]| {
    let Some((&kind, bytes)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let languages = Language::ALL;
    if let Some(&from) = languages.get(kind as usize % 8) {
        match Postbop.load(from, text) {
            Ok(program) if program.nodes.len() <= NODES && program.vars.len() <= 40 => {}
            _ => return,
        }
        let summary = Summary::default();
        for to in languages {
            let engines = [("summary", &summary as _), ("summary", &summary as _)];
            let compared = converted(&Postbop, (from, text), to, engines, false);
            assert!(compared.problems.is_empty(), "{}", compared.problems.join("\n"));
        }
        return;
    }
    let endings: [(&str, &[&'static str]); 5] = [
        ("mcl", &["blk", "bes", "pbes"]),
        ("mcf", &["blk", "bes", "pbes"]),
        ("blk", &["blk", "bes", "pbes"]),
        ("bes", &["bes", "pbes"]),
        ("pbes", &["bes", "pbes"]),
    ];
    let (ending, targets) = endings[kind as usize % 8 - languages.len()];
    let equations = Equations { ending, text: text.to_owned() };
    // What has no value, and what is no text, is for others.
    if !matches!(tool::value(&equations, Some(MODEL)), Ok(Some(_))) {
        return;
    }
    for to in targets {
        match tool::converted(&equations, to, Some(MODEL), *to != ending) {
            Ok(Outcome::Wrong(what)) | Err(what) => panic!("{what}"),
            _ => {}
        }
    }
});
