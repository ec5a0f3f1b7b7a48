//! The ready-made rules of the folder `rules/`, in the binary.

use source::{Diagnostic, SourceFile, Span};
use std::sync::OnceLock;

/// A file of ready-made rules.
#[derive(Clone, Debug)]
pub struct BuiltInRules {
    /// The file's name, without its ending.
    pub name: &'static str,
    /// The text.
    pub text: &'static str,
    /// The names of its rules.
    pub rules: Vec<String>,
}

impl BuiltInRules {
    /// Whether the file, or a rule in it, is meant by this.
    pub fn is_called(&self, name: &str) -> bool {
        let plain = name.strip_prefix("rules/").and_then(|n| n.strip_suffix(".rule"));
        let named = |n: &str| n == self.name || n.strip_suffix('s') == Some(self.name);
        named(plain.unwrap_or(name)) || self.rules.iter().any(|rule| rule == name)
    }
}

macro_rules! ready {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../../rules/", $name, ".rule")))),*]
    };
}

/// Names and texts.
const TEXTS: &[(&str, &str)] = &ready![
    "cudd" "descriptor" "file" "format" "gc" "gc-variables" "lock" "memory" "python" "results"
];

/// The ready-made rules.
pub fn built_in_rules() -> &'static [BuiltInRules] {
    static READY: OnceLock<Vec<BuiltInRules>> = OnceLock::new();
    READY.get_or_init(|| {
        TEXTS
            .iter()
            .map(|&(name, text)| {
                let rules = rules::parse(text).unwrap_or_default();
                BuiltInRules { name, text, rules: rules.into_iter().map(|r| r.name).collect() }
            })
            .collect()
    })
}

/// Whether a rule is one of the ready-made ones, and not another one of the same name.
pub fn is_ready_made(name: &str, text: &str) -> bool {
    static RULES: OnceLock<Vec<(String, String)>> = OnceLock::new();
    let rules = RULES.get_or_init(|| {
        let read = TEXTS.iter().flat_map(|(_, text)| rules::parse(text).unwrap_or_default());
        read.map(|rule| (rule.name, rule.text)).collect()
    });
    rules.iter().any(|(n, t)| n == name && t == text)
}

/// An error in a file of rules, at its place.
pub fn rule_error(file: &SourceFile, error: &rules::RuleError) -> Diagnostic {
    let line = file.line(error.line.clamp(1, file.line_count()));
    let before: usize =
        line.chars().take(error.column.saturating_sub(1) as usize).map(char::len_utf8).sum();
    let lines = file.text().split_inclusive('\n').take(error.line.saturating_sub(1) as usize);
    let start = (lines.map(str::len).sum::<usize>() + before).min(file.text().len());
    let end = match file.text()[start..].chars().next() {
        Some(c) if c != '\n' => start + c.len_utf8(),
        _ => start,
    };
    let span = Span { start: start as u32, end: end as u32 };
    Diagnostic::error("rule-syntax", error.message.clone()).at(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ready_made_rules_are_here_and_can_be_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../rules");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "rule"))
            .filter_map(|p| Some(p.file_stem()?.to_str()?.to_owned()))
            .collect();
        there.sort();
        let names: Vec<&str> = TEXTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, there);
        for ready in built_in_rules() {
            assert!(rules::parse(ready.text).is_ok(), "{}", ready.name);
            assert!(!ready.rules.is_empty(), "{}", ready.name);
        }
    }
}
