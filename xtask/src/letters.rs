//! The letters of rules against the table under `## Rules by letter` in ARCHITECTURE.md.
//!
//! The table: `| prefix | what | file |`. Line by line, comments of sources and pages without their code are read.
//! A line that begins with a rule and goes on with a full stop, a colon or a word in parentheses states it, if its
//! comment states others of that prefix, too; all else refers to it. What is wrong:
//!
//! - a prefix that is stated nowhere, or elsewhere than in the file of the table;
//! - a rule that is stated twice, or a number that is left out;
//! - a reference to a rule that nobody states;
//! - something like a statement with a prefix that is not in the table (in tests it may be anything).
//!
//! Pages tell rules again, so they state none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Prefixes of names that a paper gave.
const NAMES: [&str; 1] = ["IA"];
/// What looks like a rule and is a language.
const LANGUAGES: [&str; 6] = ["C89", "C90", "C99", "C11", "C17", "C23"];

/// A rule: its prefix and its number.
type Rule = (String, u32);

/// A note on what was compared; or everything that is wrong.
pub(crate) fn check(root: &Path) -> Result<String, String> {
    let mut paths: Vec<PathBuf> =
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].iter().map(PathBuf::from).collect();
    for (folder, ending) in [("crates", "rs"), ("xtask/src", "rs"), ("fuzz", "rs"), ("docs", "md")]
    {
        let found = crate::files::below(&root.join(folder), ending);
        paths.extend(found.iter().filter_map(|path| Some(path.strip_prefix(root).ok()?.into())));
    }
    paths.sort();
    let mut texts = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(root.join(path))
            .map_err(|e| format!("{}: {e}", path.display()))?;
        texts.push((path.display().to_string().replace('\\', "/"), text));
    }
    let page = texts.iter().find(|(path, _)| path == "ARCHITECTURE.md");
    compare(&table(page.map_or("", |(_, text)| text))?, &texts)
}

/// Prefixes, and the files that state their rules.
fn table(page: &str) -> Result<BTreeMap<String, String>, String> {
    let section = page
        .split("\n## ")
        .find(|section| section.lines().next() == Some("Rules by letter"))
        .ok_or("ARCHITECTURE.md has no heading `## Rules by letter`")?;
    let mut out = BTreeMap::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<String> =
            row.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect();
        let [_, prefix, _, file, _] = &cells[..] else {
            return Err(format!("a row of the rules has three cells: {row}"));
        };
        if out.insert(prefix.clone(), file.clone()).is_some() {
            return Err(format!("ARCHITECTURE.md: two rows for {prefix}"));
        }
    }
    Ok(out)
}

fn compare(table: &BTreeMap<String, String>, texts: &[(String, String)]) -> Result<String, String> {
    let mut wrong = Vec::new();
    // Where each rule is stated.
    let mut stated: BTreeMap<Rule, Vec<String>> = BTreeMap::new();
    let mut references: Vec<(String, Rule)> = Vec::new();
    for (path, text) in texts {
        let is_page = path.ends_with(".md");
        let mut lists: BTreeMap<(usize, String), Vec<Rule>> = BTreeMap::new();
        for (number, block, line) in prose(text, is_page) {
            let place = format!("{path}:{number}");
            if let Some(rule) = statement(&line) {
                let known = table.contains_key(&rule.0) || NAMES.contains(&&rule.0[..]);
                if !known && !path.contains("/tests/") {
                    wrong.push(format!("{place}: {} is no prefix of the table", rule.0));
                }
                lists.entry((block, rule.0.clone())).or_default().push(rule);
            }
            let rules = rules(&line).into_iter().map(|(_, rule)| (place.clone(), rule));
            references.extend(rules.filter(|(_, rule)| table.contains_key(&rule.0)));
        }
        let lists = lists.into_values().filter(|list| list.len() > 1 && !is_page);
        for rule in lists.flatten().filter(|rule| table.contains_key(&rule.0)) {
            stated.entry(rule).or_default().push(path.clone());
        }
    }
    for (prefix, file) in table {
        let own = || stated.iter().filter(|((other, _), _)| other == prefix);
        let files: BTreeSet<&String> = own().flat_map(|(_, files)| files).collect();
        for other in files.iter().filter(|other| **other != file) {
            wrong.push(format!("{prefix} belongs to {file} and is stated in {other}"));
        }
        if !files.contains(file) {
            wrong.push(format!("{prefix} is not stated in {file}"));
        }
        let numbers: Vec<u32> = own().map(|((_, number), _)| *number).collect();
        let first = numbers.first().copied().unwrap_or(1).min(1);
        if let Some(gap) = (first..).zip(&numbers).find(|(wanted, number)| wanted != *number) {
            wrong.push(format!("{prefix}{} is left out", gap.0));
        }
        for ((_, number), _) in own().filter(|(_, files)| files.len() > 1) {
            wrong.push(format!("{prefix}{number} is stated twice"));
        }
    }
    let count = references.len();
    for (place, rule) in references.into_iter().filter(|(_, rule)| !stated.contains_key(rule)) {
        wrong.push(format!("{place}: there is no rule {}{}", rule.0, rule.1));
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let (rules, lists) = (stated.len(), table.len());
    Ok(format!("{rules} rules in {lists} lists, named {count} times"))
}

/// The lines of comments, or of a page, with their numbers and that of the comment. What is code has become `` ` ``.
fn prose(text: &str, is_page: bool) -> Vec<(usize, usize, String)> {
    let mut out = Vec::new();
    let mut block = 0;
    let mut in_code = false;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let comment = if is_page {
            Some(trimmed)
        } else {
            let begins = trimmed.starts_with("//").then_some(trimmed);
            if begins.is_none() {
                (block, in_code) = (block + 1, false);
            }
            begins.or_else(|| {
                let at = line.find(" // ")?;
                line[..at].matches('"').count().is_multiple_of(2).then(|| line[at..].trim_start())
            })
        };
        let Some(comment) = comment else { continue };
        let comment = if is_page {
            comment
        } else {
            comment.trim_start_matches('/').trim_start_matches('!').trim_start()
        };
        if comment.starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let words: Vec<&str> = comment.split('`').step_by(2).collect();
            out.push((number + 1, block, words.join("`")));
        }
    }
    out
}

/// The rules that a line names, and where the names end.
fn rules(line: &str) -> Vec<(usize, Rule)> {
    let mut out = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut at = 0;
    for piece in line.split_inclusive(|c| !is_part(c)) {
        let word = piece.trim_end_matches(|c| !is_part(c));
        let end = at + word.len();
        at += piece.len();
        let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let prefix = &word[..word.len() - digits.len()];
        let number = digits.bytes().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok());
        if let Some(Some(number)) = number
            && (1..=3).contains(&prefix.len())
            && digits.len() <= 2
            && !LANGUAGES.contains(&word)
        {
            out.push((end, (prefix.to_owned(), number)));
        }
    }
    out
}

/// The rule that a line states, or seems to.
fn statement(line: &str) -> Option<Rule> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = line.trim_start_matches([' ', '-', '*', '.']);
    let (end, rule) = rules(line).into_iter().next()?;
    let begins = end == format!("{}{}", rule.0, rule.1).len();
    let rest = line[end..].trim_start_matches('*');
    let rest = match rest.strip_prefix(" (") {
        Some(rest) => rest.split_once(')')?.1,
        None => rest,
    };
    let text = rest.strip_prefix(['.', ':'])?.trim_start_matches('*');
    (begins && text.starts_with(' ') && !text.trim().is_empty()).then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace() {
        if let Err(problems) = check(&crate::root()) {
            panic!("{problems}");
        }
    }

    const PAGE: &str = "# A\n\n## Rules by letter\n\n| prefix | what | file |\n|---|---|---|\n\
        | `PE` | edges | `crates/a/src/a.rs` |\n| `D` | data | `crates/b/src/b.rs` |\n\n## Next\n";
    const A: &str = "//! Edges.\n//!\n//! - PE1 (start): one.\n//!   More.\n//! - PE2 (step): `x`.\nfn f() {\n    \
        g(); // PE2, and D1\n}\n";
    const B: &str =
        "/// - **D0.** Nothing.\n/// - **D1.** `x`\nstruct S;\n/// D1: here.\nfn f() {}\n";

    fn compared(more: &[(&str, &str)]) -> Result<String, String> {
        let files = [("crates/a/src/a.rs", A), ("crates/b/src/b.rs", B)];
        let mut texts: BTreeMap<&str, &str> = files.into();
        texts.extend(more.iter().copied());
        let texts: Vec<(String, String)> =
            texts.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        compare(&table(PAGE).unwrap(), &texts)
    }

    fn fails(path: &str, text: &str, message: &str) {
        let wrong = compared(&[(path, text)]).unwrap_err();
        assert!(wrong.lines().any(|line| line == message), "{wrong}");
    }

    #[test]
    fn lists_and_references_are_found() {
        assert_eq!(compared(&[]).unwrap(), "4 rules in 2 lists, named 7 times");
        // Pages tell rules again; code, languages and names of papers are none.
        let page =
            "1. **D0.** So.\n2. **D1.** And so (PE1–PE2).\n\n```\nD7: x = PE9\n```\n`D8` in C23.\n";
        let code = "/// IA1: a name.\n/// IA2: another.\n/// ```\n/// let D9 = 1;\n/// ```\n\
            fn f() { g(\"a // D5\"); } // -D6 and D6_x\n";
        let tests = "// L1: a label.\n// L2: another.\n";
        let more =
            [("docs/a.md", page), ("crates/c/src/c.rs", code), ("crates/c/tests/c.rs", tests)];
        assert_eq!(compared(&more).unwrap(), "4 rules in 2 lists, named 11 times");
    }

    #[test]
    fn lists_at_the_wrong_place_are_found() {
        let again = "//! - D0: one.\n//! - D1: two.\n";
        let message = "D belongs to crates/b/src/b.rs and is stated in crates/c/src/c.rs";
        fails("crates/c/src/c.rs", again, message);
        fails("crates/c/src/c.rs", again, "D1 is stated twice");
        fails("crates/b/src/b.rs", "// D1.\n", "D is not stated in crates/b/src/b.rs");
        fails("crates/b/src/b.rs", "// D1. One.\n// D3. Three.\n", "D2 is left out");
        fails("crates/b/src/b.rs", "// D2. Two.\n// D3. Three.\n", "D1 is left out");
        fails("crates/b/src/b.rs", &format!("{B}{again}"), "D0 is stated twice");
    }

    #[test]
    fn references_to_nothing_are_found() {
        let message = "crates/c/src/c.rs:2: there is no rule PE3";
        fails("crates/c/src/c.rs", "fn f() {\n    g(); // PE3\n}\n", message);
        fails("docs/a.md", "Rules PE1–PE3.\n", "docs/a.md:1: there is no rule PE3");
        fails("crates/c/tests/c.rs", "// D2.\n", "crates/c/tests/c.rs:1: there is no rule D2");
    }

    #[test]
    fn lists_without_a_row_are_found() {
        for text in ["// - Q1 (start): so.\n", "//! **Q2.** So.\n", "/// Q1: `x`.\nfn f() {}\n"] {
            let message = "crates/c/src/c.rs:1: Q is no prefix of the table";
            fails("crates/c/src/c.rs", text, message);
        }
        fails("docs/a.md", "- Q1. So.\n", "docs/a.md:1: Q is no prefix of the table");
        assert!(table("# A\n").is_err());
        assert!(table(&PAGE.replace("`D`", "`PE`")).is_err());
        assert!(table(&PAGE.replace(" data |", "")).is_err());
    }
}
