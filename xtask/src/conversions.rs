//! `fuzz-convert`: every language into every language, on generated programs and on the corpora.

#[path = "../../crates/7-doors/postbop/tests/tool/mod.rs"]
mod tool;

use check::Engine;
use engine_explicit::Explicit;
use engine_pds::{Post, Pre};
use engine_summary::Summary;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use testkit::conversion::{Compared, Language, converted};
use testkit::random_bp::{Profile, random_bp};
use testkit::random_equations::{random_bes, random_formula, random_model, random_pbes};
use testkit::random_pds::random_pds;
use testkit::random_remopla::random_remopla;
use testkit::random_skeleton::random_skeleton;
use tool::{Equations, Outcome, Postbop};

/// What was found about one pair of languages.
#[derive(Default)]
struct Count {
    programs: u64,
    refused: BTreeMap<String, u64>,
    open: u64,
    reached: u64,
    unreached: u64,
    formulas: u64,
    wrong: u64,
}

/// By pair of languages.
#[derive(Default)]
struct Table {
    counts: BTreeMap<(String, String), Count>,
    /// What is wrong.
    wrong: u64,
    /// The first few of it, of each pair.
    problems: Vec<String>,
}

impl Table {
    fn add(&mut self, from: &str, to: &str, name: &str, compared: Compared) {
        let count = self.counts.entry((from.to_owned(), to.to_owned())).or_default();
        count.programs += 1;
        count.reached += compared.reached;
        count.unreached += compared.unreached;
        count.formulas += compared.formulas;
        count.open += u64::from(compared.open);
        if let Some(why) = compared.refused {
            *count.refused.entry(reason(&why)).or_default() += 1;
        }
        if !compared.problems.is_empty() {
            count.wrong += 1;
            self.wrong += 1;
            if count.wrong <= 3 {
                let text = compared.problems.join("\n");
                self.problems.push(format!("{name}, {from} to {to}: {text}"));
            }
        }
    }

    fn add_equations(
        &mut self,
        from: &str,
        to: &str,
        name: &str,
        outcome: Result<Outcome, String>,
    ) {
        let mut compared = Compared::default();
        match outcome {
            Ok(Outcome::Same(_)) => compared.formulas = 1,
            Ok(Outcome::Refused(why)) => compared.refused = Some(why),
            Ok(Outcome::Open) => compared.open = true,
            Ok(Outcome::Wrong(what)) | Err(what) => compared.problems.push(what),
        }
        self.add(from, to, name, compared);
    }

    /// Prints what was counted.
    fn counts(&self) {
        for ((from, to), count) in &self.counts {
            let refused: u64 = count.refused.values().sum();
            println!(
                "{from} to {to}: {} programs, {refused} refused, {} out of time; {} places reached, \
                 {} not; {} formulas; {} wrong",
                count.programs,
                count.open,
                count.reached,
                count.unreached,
                count.formulas,
                count.wrong
            );
            for (why, n) in &count.refused {
                println!("    {n} refused: {why}");
            }
        }
    }

    /// Prints all of it; an error if something is wrong.
    fn report(&self) -> Result<(), String> {
        self.counts();
        for problem in &self.problems {
            println!("\n{problem}");
        }
        match self.wrong {
            0 => Ok(()),
            n => Err(format!("{n} conversions are wrong")),
        }
    }
}

/// A refusal without names.
fn reason(why: &str) -> String {
    let mut out = String::new();
    for (i, part) in why.lines().next().unwrap_or_default().split('`').enumerate() {
        out.push_str(if i % 2 == 1 { "…" } else { part });
    }
    out
}

/// The engine that answers for the original, and the one for the text of a seed.
fn engines(seed: u64, run: impl FnOnce([(&str, &dyn Engine); 2])) {
    let summary = Summary::default();
    let others: [(&str, &dyn Engine); 4] = [
        ("summary", &summary),
        ("explicit", &Explicit::default()),
        ("post", &Post::default()),
        ("pre", &Pre::default()),
    ];
    run([("summary", &summary), others[seed as usize % others.len()]]);
}

/// The program of a seed in a language.
fn generated(language: Language, seed: u64) -> String {
    match language {
        Language::Bp => random_bp(seed, Profile::ALL[seed as usize % Profile::ALL.len()]),
        Language::Remopla => random_remopla(seed),
        Language::Pds => random_pds(seed),
    }
}

fn word(language: Language) -> &'static str {
    match language {
        Language::Bp => "bp",
        Language::Remopla => "remopla",
        Language::Pds => "pds",
    }
}

/// One seed, in all pairs of languages.
fn seed(table: &mut Table, seed: u64) {
    let name = format!("seed {seed}");
    for from in Language::ALL {
        let text = generated(from, seed);
        for to in Language::ALL {
            engines(seed, |engines| {
                let formulas = seed.is_multiple_of(20);
                let compared = converted(&Postbop, (from, &text), to, engines, formulas);
                table.add(word(from), word(to), &name, compared);
            });
        }
    }
    let text = random_skeleton(seed);
    for to in Language::ALL {
        engines(seed, |engines| {
            table.add("c", word(to), &name, tool::converted_c(&text, to, engines));
        });
    }
    equations(table, seed, &name);
}

/// The same for formulas and equations.
fn equations(table: &mut Table, seed: u64, name: &str) {
    let model = random_model(seed);
    let model = Some(model.as_str());
    for (ending, cadp) in [("mcl", true), ("mcf", false)] {
        let formula = Equations { ending, text: random_formula(seed, cadp) };
        for to in ["blk", "bes", "pbes"] {
            let outcome = tool::converted(&formula, to, model, true);
            if let (Ok(Outcome::Same(modal)), "blk") = (&outcome, to) {
                for to in ["blk", "bes", "pbes"] {
                    let outcome = tool::converted(modal, to, model, to != "blk");
                    table.add_equations("blk", to, name, outcome);
                }
            }
            table.add_equations(ending, to, name, outcome);
        }
        let outcome = tool::converted(&formula, "blk", model, false);
        table.add_equations(&format!("{ending} without a model"), "blk", name, outcome);
    }
    let systems = [("bes", random_bes(seed)), ("pbes", random_pbes(seed))];
    for (ending, text) in systems {
        let system = Equations { ending, text };
        for to in ["bes", "pbes"] {
            let outcome = tool::converted(&system, to, None, false);
            table.add_equations(ending, to, name, outcome);
        }
    }
}

/// The programs of the corpora, below some folders.
fn corpora(table: &mut Table, root: &Path) {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root.join("corpus"), root.join("../shared/corpus")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    for path in files {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let name = path.display().to_string();
        let equations = ["bes", "pbes"].into_iter().find(|&e| e == ending);
        if let (Some(ending), Ok(text)) = (equations, std::fs::read_to_string(&path)) {
            let system = Equations { ending, text };
            // Some are wrong on purpose.
            if system.text.len() > 100_000 || tool::value(&system, None).is_err() {
                continue;
            }
            for to in ["bes", "pbes"] {
                let outcome = tool::converted(&system, to, None, false);
                table.add_equations(&format!("corpus: {ending}"), to, &name, outcome);
            }
            continue;
        }
        let from = match ending {
            "bp" => Language::Bp,
            "rem" | "rmpl" => Language::Remopla,
            "pds" => Language::Pds,
            _ => continue,
        };
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // Errors are for other tests, and so is what takes long.
        if text.len() > 100_000 || testkit::conversion::Tool::load(&Postbop, from, &text).is_err() {
            continue;
        }
        for to in Language::ALL {
            let summary = Summary::default();
            let engines: [(&str, &dyn Engine); 2] = [("summary", &summary), ("summary", &summary)];
            let compared = converted(&Postbop, (from, &text), to, engines, false);
            table.add(&format!("corpus: {}", word(from)), word(to), &name, compared);
        }
    }
}

/// Compares programs, formulas and equations with what they become in other languages.
pub(crate) fn fuzz_convert(args: &[&str]) -> Result<(), String> {
    let (corpus, args): (Vec<&str>, Vec<&str>) = args.iter().partition(|&&arg| arg == "--corpus");
    let mut table = Table::default();
    if corpus.is_empty() {
        let seeds = crate::fuzz::seeds(&args, 1_000)?;
        let start = seeds.start;
        for one in seeds {
            seed(&mut table, one);
            if (one + 1 - start).is_multiple_of(500) {
                println!("{} seeds, {} wrong", one + 1 - start, table.wrong);
                table.counts();
                let _ = std::io::stdout().flush();
            }
        }
    } else {
        corpora(&mut table, &crate::root());
    }
    table.report()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(name: &str, default: u64) -> u64 {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    }

    /// `POSTBOP_SEED` sets the first seed, `POSTBOP_CONVERSIONS` how many follow.
    #[test]
    fn conversions_keep_what_programs_mean() {
        let (first, count) = (number("POSTBOP_SEED", 1), number("POSTBOP_CONVERSIONS", 40));
        let mut table = Table::default();
        for one in first..first + count {
            seed(&mut table, one);
        }
        table.report().expect("nothing is wrong");
        let all = table.counts.values();
        let (mut refused, mut programs, mut reached, mut unreached) = (0, 0, 0, 0);
        for count in all {
            refused += count.refused.values().sum::<u64>();
            programs += count.programs;
            reached += count.reached;
            unreached += count.unreached;
        }
        // A comparison of nothing would find nothing.
        assert!(refused * 3 < programs, "{refused} of {programs} are refused");
        assert!(reached > programs / 2 && unreached > programs / 2, "{reached} and {unreached}");
    }
}
