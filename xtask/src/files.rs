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
