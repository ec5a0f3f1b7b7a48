//! The rules that ship, on the Juliet cases of the corpus, with all names of a case replaced so that
//! none tells the answer. Prints the table of the book (`--nocapture`).
#![allow(clippy::print_stderr)]

use crate::asking::findings;
use postbop::{CProgram, CText, Options, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The rules for each kind of weakness.
const RULES: [(&str, &str, &[&str]); 7] = [
    ("CWE401", "memory", &["memory_leak"]),
    ("CWE415", "memory", &["double_free"]),
    ("CWE416", "memory", &["use_after_free"]),
    ("CWE667", "lock", &["lock_held_at_exit"]),
    ("CWE675", "file", &["double_close"]),
    ("CWE775", "file", &["file_leak"]),
    ("CWE832", "lock", &["unlock_without_lock"]),
];
/// The same for descriptors instead of files.
const DESCRIPTORS: [(&str, &str); 2] =
    [("CWE675", "descriptor_double_close"), ("CWE775", "descriptor_leak")];

/// What the headers of the suite say that its other files define.
const SUPPORT: &str = "const int GLOBAL_CONST_TRUE = 1; const int GLOBAL_CONST_FALSE = 0;
const int GLOBAL_CONST_FIVE = 5; int globalTrue = 1; int globalFalse = 0; int globalFive = 5;
int globalReturnsTrue(void) { return 1; } int globalReturnsFalse(void) { return 0; }
";

fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = match std::env::var_os("POSTBOP_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => here.join("../../../../shared/corpus"),
    };
    Some(root.join("c/juliet")).filter(|p| p.join("index.tsv").exists())
}

fn preprocessed(file: &Path, support: &Path) -> Option<String> {
    let mut command = Command::new("cc");
    command.arg("-E").arg("-I").arg(support).arg(file);
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The words of a text and what is between them; strings and characters are between.
fn words(text: &str) -> Vec<(bool, &str)> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let (mut i, mut start) = (0, 0);
    while i < bytes.len() {
        let c = bytes[i];
        if c == b'"' || c == b'\'' {
            i += 1;
            while i < bytes.len() && bytes[i] != c && bytes[i] != b'\n' {
                i += 1 + usize::from(bytes[i] == b'\\');
            }
            i = (i + 1).min(bytes.len());
        } else if c.is_ascii_alphabetic() || c == b'_' {
            if start < i {
                out.push((false, &text[start..i]));
            }
            let from = i;
            while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                i += 1;
            }
            out.push((true, &text[from..i]));
            start = i;
        } else if c.is_ascii_digit() {
            while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'.') {
                i += 1;
            }
        } else {
            i += 1;
        }
    }
    out.push((false, &text[start..]));
    out
}

const KEYWORDS: &str = "auto break case char const continue default do double else enum extern float \
for goto if int long register return short signed sizeof static struct switch typedef union unsigned \
void volatile while inline restrict L";

/// The text with the names of the case's own file replaced, and how.
fn renamed(text: &str, file: &str) -> (String, BTreeMap<String, String>) {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut here = false;
    for line in text.lines() {
        if line.starts_with("# ") {
            here = line.contains(file);
            continue;
        }
        for (_, word) in words(line).into_iter().filter(|(is, _)| *is) {
            if here {
                own.insert(word)
            } else {
                others.insert(word)
            };
        }
    }
    let telling = |w: &str| {
        let w = w.to_ascii_lowercase();
        w.contains("good") || w.contains("bad")
    };
    let keywords: BTreeSet<&str> = KEYWORDS.split_whitespace().collect();
    let mut names = BTreeMap::new();
    for word in own {
        if keywords.contains(word) || (others.contains(word) && !telling(word)) {
            continue;
        }
        names.insert(word.to_owned(), format!("n{}", names.len()));
    }
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if line.starts_with("# ") {
            out += line;
        } else {
            for (is, word) in words(line) {
                out += names.get(word).filter(|_| is).map_or(word, String::as_str);
            }
        }
        out.push('\n');
    }
    (out, names)
}

#[derive(Default, Clone)]
struct Score {
    bad: usize,
    found: usize,
    good: usize,
    alarms: usize,
}

#[test]
fn bad_functions_are_found() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: there is no corpus");
        return;
    };
    let rules_of = |name: &str| {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../rules/{name}.rule"));
        rules::parse(&fs::read_to_string(path).expect("rules")).expect("rules")
    };
    let index = fs::read_to_string(corpus.join("index.tsv")).expect("the index");
    let mut files: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        files.entry(columns[0]).or_default().push(columns);
    }
    let mut by_rule: BTreeMap<String, [Score; 2]> = BTreeMap::new();
    let mut by_variant: BTreeMap<&str, [Score; 2]> = BTreeMap::new();
    let mut missed = Vec::new();
    for (file, functions) in &files {
        let Some(text) = preprocessed(&corpus.join(file), &corpus.join("support")) else {
            eprintln!("skipped: there is no preprocessor");
            return;
        };
        let (text, names) = renamed(&text, file);
        let (cwe, variant) = (functions[0][5], functions[0][4]);
        let (_, stem, wanted) = RULES.iter().find(|r| r.0 == cwe).expect("a rule");
        let mut stem = (*stem).to_owned();
        let mut wanted: Vec<&str> = wanted.to_vec();
        if file.contains("__open") {
            stem = "descriptor".to_owned();
            wanted = DESCRIPTORS.iter().filter(|d| d.0 == cwe).map(|d| d.1).collect();
        }
        let rules: Vec<rules::Rule> =
            rules_of(&stem).into_iter().filter(|r| wanted.contains(&r.name.as_str())).collect();
        let unit = CText { name: (*file).to_owned(), text, directory: None };
        let support = CText {
            name: "io.c".to_owned(),
            text: format!("# 1 \"io.c\"\n{SUPPORT}"),
            directory: None,
        };
        for (way, units) in [vec![unit.clone()], vec![unit, support]].into_iter().enumerate() {
            let program = Arc::new(CProgram::new(units).expect("a program"));
            let found = findings(&program, &rules, &[], &Options::default(), &Watch::default());
            assert!(found.unknown.is_empty(), "{file}: {:?}", found.unknown);
            for columns in functions {
                let function = columns[1];
                if columns[2] == "good" && function.ends_with("_good") {
                    continue;
                }
                let name = names.get(function).map_or(function, String::as_str);
                let hit = found
                    .findings
                    .iter()
                    .any(|f| f.function == name || f.steps().iter().any(|s| s.0 == name));
                let rule = wanted.join(", ");
                let scores = [
                    &mut by_rule.entry(rule).or_default()[way],
                    &mut by_variant.entry(variant).or_default()[way],
                ];
                for score in scores {
                    if columns[2] == "bad" {
                        score.bad += 1;
                        score.found += usize::from(hit);
                    } else {
                        score.good += 1;
                        score.alarms += usize::from(hit);
                    }
                }
                if columns[2] == "bad" && !hit {
                    missed.push(format!("{file}: {function}"));
                }
                if columns[2] == "good" && hit && std::env::var_os("ALARMS").is_some() {
                    eprintln!("{way} {file}: {function}");
                }
            }
        }
    }
    eprintln!(
        "| rule | bad functions | found | recall | good functions | false alarms | with io.c |"
    );
    eprintln!("|---|---|---|---|---|---|---|");
    for (rule, [alone, linked]) in &by_rule {
        let recall = 100.0 * alone.found as f64 / alone.bad.max(1) as f64;
        eprintln!(
            "| `{rule}` | {} | {} | {recall:.1} % | {} | {} | {} |",
            alone.bad, alone.found, alone.good, alone.alarms, linked.alarms
        );
    }
    eprintln!("| flow variant | good functions | false alarms | with io.c |");
    eprintln!("|---|---|---|---|");
    for (variant, [alone, linked]) in &by_variant {
        eprintln!("| {variant} | {} | {} | {} |", alone.good, alone.alarms, linked.alarms);
    }
    eprintln!("missed: {missed:#?}");
    for (rule, [alone, _]) in &by_rule {
        assert!(alone.found * 100 >= alone.bad * 95, "{rule}: {} of {}", alone.found, alone.bad);
    }
}
