//! Remarks in the source that allow a rule to be broken: `// bop: allow RULE reason`, or `/* bop: allow RULE reason */`.

use render::Finding;
use source::SourceFile;
use std::sync::Arc;

/// A remark `// bop: allow RULE reason`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allow {
    /// The file.
    pub file: String,
    /// The line that it is about.
    pub line: u32,
    /// The line that it stands on.
    pub at: u32,
    /// The rule; `*` for all, empty if none is named.
    pub rule: String,
    /// The reason.
    pub reason: String,
}

impl Allow {
    /// Whether it is about a rule at a place.
    pub fn is_about(&self, rule: &str, file: &str, line: u32) -> bool {
        (self.rule == rule || self.rule == "*") && self.line == line && self.file == file
    }

    /// Whether it allows a violation: it stands where that happens, or where its object comes from.
    pub fn allows(&self, rule: &str, finding: &Finding) -> bool {
        let origin = finding.origin.as_ref();
        self.is_about(rule, &finding.file, finding.line)
            || origin.is_some_and(|(file, line)| self.is_about(rule, file, *line))
    }
}

/// The remarks in a source text. One that stands alone on its line is about the next line.
pub fn allowances(file: &str, text: &str) -> Vec<Allow> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        // Not every `//` begins a remark: there are addresses in strings.
        let mut opened = line.match_indices("//").chain(line.match_indices("/*"));
        let remark = opened.find_map(|(start, opening)| {
            let rest = line[start + 2..].trim_start().strip_prefix("bop:")?;
            let rest = rest.trim_start().strip_prefix("allow")?;
            let (rest, after) = match opening {
                "/*" => rest.split_once("*/").unwrap_or((rest, "")),
                _ => (rest, ""),
            };
            Some((rest, format!("{}{after}", &line[..start])))
        });
        let Some((rest, beside)) = remark else { continue };
        let mut words = rest.trim().splitn(2, char::is_whitespace);
        let (rule, reason) = (words.next().unwrap_or(""), words.next());
        let alone = beside.trim().is_empty();
        out.push(Allow {
            file: file.to_owned(),
            line: i as u32 + 1 + u32::from(alone),
            at: i as u32 + 1,
            rule: rule.to_owned(),
            reason: reason.unwrap_or("").trim().to_owned(),
        });
    }
    out
}

/// The remarks in all files.
pub fn in_files(files: &[Arc<SourceFile>]) -> Vec<Allow> {
    files.iter().flat_map(|f| allowances(f.name(), f.text())).collect()
}
