//! The dependencies of every crate against the table under `## Rooms` in ARCHITECTURE.md.
//!
//! The table: `| crate | may use |`, a row for each room, names of rooms separated by commas, or
//! `everything`; other columns may follow. A room that another one uses without leave is an error,
//! and so is a room without a row. Leave that is not used, and a row for a room that is not open
//! yet, are reported, no more. Tests may use any room, and crates of others are not rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Names = BTreeSet<String>;

/// The word for rooms that may use all others.
const EVERYTHING: &str = "everything";

/// A note on what was compared; or everything that is wrong.
pub(crate) fn check(root: &Path) -> Result<String, String> {
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let allowed = table(&read(&root.join("ARCHITECTURE.md"))?)?;
    let mut used: BTreeMap<String, Names> = BTreeMap::new();
    for folder in crate::files::crates(root)? {
        let manifest = folder.join("Cargo.toml");
        let (name, names) =
            uses(&read(&manifest)?).map_err(|e| format!("{}: {e}", manifest.display()))?;
        used.insert(name, names);
    }
    compare(&allowed, &used)
}

fn compare(
    allowed: &BTreeMap<String, Names>,
    used: &BTreeMap<String, Names>,
) -> Result<String, String> {
    let mut wrong = Vec::new();
    let mut notes = Vec::new();
    for (name, uses) in used {
        let Some(leave) = allowed.get(name) else {
            wrong.push(format!("{name}: no row in ARCHITECTURE.md"));
            continue;
        };
        if leave.contains(EVERYTHING) {
            continue;
        }
        for other in uses.iter().filter(|other| used.contains_key(*other)) {
            if !leave.contains(other) {
                wrong.push(format!("{name} must not use {other}"));
            }
        }
        for other in leave.difference(uses) {
            notes.push(format!("{name} may use {other} and does not"));
        }
    }
    for name in allowed.keys().filter(|name| !used.contains_key(*name)) {
        notes.push(format!("{name}: a row without a crate"));
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    notes.push(format!("{} rooms use what they may", used.len()));
    Ok(notes.join("\n"))
}

/// The table of ARCHITECTURE.md.
fn table(text: &str) -> Result<BTreeMap<String, Names>, String> {
    let section = text
        .split("\n## ")
        .find(|section| section.lines().next().is_some_and(|l| l.trim() == "Rooms"))
        .ok_or("ARCHITECTURE.md has no heading `## Rooms`")?;
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim().trim_start_matches('|');
        line.split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    let mut rows = section.lines().filter(|line| line.trim_start().starts_with('|'));
    let head = rows.next().map(cells).unwrap_or_default();
    if head.len() < 2 || head[..2] != ["crate", "may use"] {
        return Err("the table under `## Rooms` begins `| crate | may use |`".into());
    }
    let mut out = BTreeMap::new();
    for row in rows.skip(1) {
        let row = cells(row);
        if row.len() < 2 {
            return Err(format!("a row of the rooms has two cells: {row:?}"));
        }
        // What follows a semicolon is for people.
        let names = row[1].split(';').next().unwrap_or_default().split(',');
        let names = names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        out.insert(row[0].clone(), names.collect());
    }
    Ok(out)
}

/// A crate's name, and what it depends on outside of tests.
fn uses(manifest: &str) -> Result<(String, Names), String> {
    let manifest: toml::Table = manifest.parse().map_err(|e| format!("{e}"))?;
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(|name| name.as_str())
        .ok_or("no package name")?;
    let mut names = Names::new();
    for section in ["dependencies", "build-dependencies"] {
        let table = manifest.get(section).and_then(|section| section.as_table());
        names.extend(table.into_iter().flat_map(|table| table.keys().cloned()));
    }
    Ok((name.to_owned(), names))
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

    const PAGE: &str = "# A\n\n## Rooms\n\ntext\n\n| crate | may use |\n|---|---|\n\
        | `a` | `b`, `c` |\n| `b` | |\n| `t` | everything; tests only |\n\n## Next\n\n| x | y |\n";

    fn names(names: &[&str]) -> Names {
        names.iter().map(|n| (*n).to_owned()).collect()
    }

    #[test]
    fn tables_and_manifests_are_read() {
        let table = table(PAGE).unwrap();
        assert_eq!(table.len(), 3);
        assert_eq!(table["a"], names(&["b", "c"]));
        assert_eq!(table["b"], names(&[]));
        let manifest = "[package]\nname = \"a\"\n[dependencies]\nb.workspace = true\n\
            c = { path = \"x\" }\n[dev-dependencies]\nd = \"1\"\n";
        assert_eq!(uses(manifest), Ok(("a".into(), names(&["b", "c"]))));
    }

    #[test]
    fn differences_are_found() {
        let allowed = table(PAGE).unwrap();
        let check = |rooms: &[(&str, &[&str])]| {
            let used = rooms.iter().map(|(n, uses)| ((*n).to_owned(), names(uses))).collect();
            compare(&allowed, &used)
        };
        let note = check(&[("a", &["b", "other"]), ("b", &[]), ("t", &["a", "b"])]).unwrap();
        assert_eq!(note, "a may use c and does not\n3 rooms use what they may");
        assert_eq!(check(&[("a", &[]), ("b", &["a"])]).unwrap_err(), "b must not use a");
        assert!(check(&[("z", &[])]).unwrap_err().contains("z: no row"));
        assert!(check(&[("a", &[])]).unwrap().contains("b: a row without a crate"));
        assert!(table("# A\n").is_err() && table("\n## Rooms\n| crate |\n").is_err());
    }
}
