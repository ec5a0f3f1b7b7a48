//! Tests that nobody runs. A crate says `autotests = false` and has one test program, or `test = false` for a
//! library without tests of its own: both make builds quicker, and both forget a test without a word.

use std::path::Path;

/// A note on what was looked at; or every file with tests that are not run.
pub(crate) fn check(root: &Path) -> Result<String, String> {
    let crates = crate::files::crates(root)?;
    let count = crates.len();
    let mut wrong = Vec::new();
    for folder in crates {
        wrong.extend(unrun(&folder)?);
    }
    wrong.sort();
    if wrong.is_empty() {
        Ok(format!("the tests of {count} crates are run"))
    } else {
        Err(wrong.join("\n"))
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// What is wrong with one crate.
fn unrun(folder: &Path) -> Result<Vec<String>, String> {
    let manifest: toml::Table =
        read(&folder.join("Cargo.toml"))?.parse().map_err(|e| format!("{e}"))?;
    let switch = |table: &str, key: &str| {
        manifest.get(table).and_then(|table| table.get(key)).and_then(|value| value.as_bool())
    };
    let mut wrong = Vec::new();
    if switch("lib", "test") == Some(false) {
        for path in crate::files::below(&folder.join("src"), "rs") {
            let text = read(&path)?;
            if text.contains("#[test]") || text.contains("#[cfg(test)]") {
                wrong.push(format!("{}: its crate says `test = false`", path.display()));
            }
        }
    }
    if switch("package", "autotests") == Some(false) {
        let main = folder.join("tests/main.rs");
        let listed = read(&main)?;
        for entry in std::fs::read_dir(folder.join("tests")).into_iter().flatten().flatten() {
            let path = entry.path();
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            let is_file = path.extension().is_some_and(|e| e == "rs") && name != "main";
            let declared = listed.lines().any(|line| line == format!("mod {name};"));
            if is_file && !declared {
                wrong.push(format!("{}: `mod {name};` is missing", main.display()));
            }
        }
    }
    Ok(wrong)
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
    fn forgotten_tests_are_found() {
        let root = std::env::temp_dir().join(format!("postbop-unrun-{}", std::process::id()));
        let put = |name: &str, text: &str| {
            let path = root.join("crates/0-base/a").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("Cargo.toml", "[package]\nname = \"a\"\nautotests = false\n[lib]\ntest = false\n");
        put("src/lib.rs", "//! Nothing.\n");
        put("tests/main.rs", "mod one;\n");
        put("tests/one.rs", "");
        assert!(check(&root).is_ok());
        put("tests/two.rs", "");
        assert!(check(&root).unwrap_err().contains("`mod two;` is missing"));
        put("tests/main.rs", "mod one;\nmod two;\n");
        put("src/deep/a.rs", "#[test]\nfn f() {}\n");
        assert!(check(&root).unwrap_err().contains("`test = false`"));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
