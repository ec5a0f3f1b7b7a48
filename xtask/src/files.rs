//! The files of the tree.

use std::path::{Path, PathBuf};

/// The files below a folder whose names end so, in order; what is built is left out.
pub(crate) fn below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// The folders of the crates, in order: they stand in groups, which are numbered as the pipeline goes.
pub(crate) fn crates(root: &Path) -> Result<Vec<PathBuf>, String> {
    let folders = |at: &Path| -> Result<Vec<PathBuf>, String> {
        let entries = std::fs::read_dir(at).map_err(|e| format!("{}: {e}", at.display()))?;
        Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
    };
    let mut out = Vec::new();
    for group in folders(&root.join("crates"))? {
        out.extend(folders(&group)?.into_iter().filter(|at| at.join("Cargo.toml").is_file()));
    }
    out.sort();
    Ok(out)
}

/// The folder of one crate, from the root.
pub(crate) fn room(root: &Path, name: &str) -> Result<PathBuf, String> {
    let found = crates(root)?.into_iter().find(|at| at.file_name().is_some_and(|n| n == name));
    let found = found.ok_or(format!("there is no crate {name}"))?;
    Ok(found.strip_prefix(root).unwrap_or(&found).to_owned())
}
