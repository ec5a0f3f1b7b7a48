//! Every citation in the sources, like [bebop §3.1], has its key in docs/papers.bib.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What may follow a key.
const PLACES: [&str; 7] = ["§", "Fig. ", "Table ", "Algorithm ", "Appendix ", "Theorem ", "Lemma "];
/// Where citations are looked for.
const FOLDERS: [&str; 8] =
    ["crates", "xtask", "corpus", "docs", "bench", "fuzz", "examples", "rules"];
const ENDINGS: [&str; 6] = ["rs", "md", "bp", "toml", "py", "txt"];

/// How many citations there are; or those without a paper.
pub(crate) fn check(root: &Path) -> Result<String, String> {
    let bib = root.join("docs/papers.bib");
    let bib = std::fs::read_to_string(&bib).map_err(|e| format!("{}: {e}", bib.display()))?;
    let known = keys(&bib);
    let mut cited: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut count = 0;
    for path in files(root) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for key in citations(&text) {
            count += 1;
            let place = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            cited.entry(key).or_default().insert(place);
        }
    }
    let mut wrong = Vec::new();
    for (key, places) in &cited {
        if !known.contains(key) {
            let places: Vec<&str> = places.iter().map(String::as_str).collect();
            wrong.push(format!("[{key} …] is not in docs/papers.bib: {}", places.join(", ")));
        }
    }
    if wrong.is_empty() {
        Ok(format!("{count} citations of {} papers", cited.len()))
    } else {
        Err(wrong.join("\n"))
    }
}

/// The keys of the entries of a bibliography.
fn keys(bib: &str) -> BTreeSet<String> {
    let entries = bib.lines().filter(|line| line.starts_with('@'));
    entries
        .filter_map(|line| line.split_once('{'))
        .map(|(_, rest)| rest.trim_end_matches([',', ' ']).trim().to_owned())
        .collect()
}

/// The keys that a text cites.
fn citations(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices('[') {
        let rest = &text[at + 1..];
        let Some((key, place)) = rest.split_once(' ') else { continue };
        let word = !key.is_empty()
            && key.starts_with(|c: char| c.is_ascii_lowercase())
            && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if word && PLACES.iter().any(|p| place.starts_with(p)) {
            out.push(key.to_owned());
        }
    }
    out
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let is_source = |path: &Path| {
        path.extension().and_then(|e| e.to_str()).is_some_and(|e| ENDINGS.contains(&e))
    };
    let top = std::fs::read_dir(root).into_iter().flatten().flatten().map(|e| e.path());
    out.extend(top.filter(|path| path.is_file() && is_source(path)));
    for (folder, ending) in FOLDERS.iter().flat_map(|f| ENDINGS.iter().map(move |e| (f, e))) {
        out.extend(crate::files::below(&root.join(folder), ending));
    }
    out.sort();
    out
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

    #[test]
    fn citations_are_found() {
        // Written with other brackets, or this file would cite what does not exist.
        let text =
            "as in <b §3.1>, <b-2 Fig. 4> and a<i> §, <x y>, <Upper §1>, <é §2>, <c Table 1>";
        assert_eq!(citations(&text.replace('<', "[").replace('>', "]")), ["b", "b-2", "c"]);
        let bib = "@article{a1,\n  title={x}\n}\n@book{b,\n";
        assert_eq!(keys(bib), ["a1", "b"].map(str::to_owned).into());
    }
}
