//! Programs that other tools' authors wrote, where they are at hand.

use std::path::{Path, PathBuf};

use front_bp::{Dialect, LowerOptions, lower, parse, print};
use source::SourceFile;

fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    let root = std::env::var_os("POSTBOP_CORPUS").map_or(here, PathBuf::from);
    Some(root.join("bp")).filter(|path| path.is_dir())
}

fn programs(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "bp"));
    files.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    files.iter().map(read).collect()
}

#[test]
#[allow(clippy::print_stderr)]
fn all_sequential_programs_are_accepted() {
    let Some(root) = corpus() else {
        eprintln!("skipped: no corpus beside the workspace and none in POSTBOP_CORPUS");
        return;
    };
    let mut refused = Vec::new();
    for folder in ["satabs", "wali", "large"] {
        for (name, text) in programs(&root.join(folder)) {
            for dialect in [Dialect::Standard, Dialect::Satabs] {
                let (tree, errors) = parse(&text, dialect);
                if let Some(error) = errors.first() {
                    assert_eq!(error.code(), "bp-concurrency", "{name}: {error}");
                    let file = SourceFile::new(&*name, &*text).unwrap();
                    let line = file.position(error.span.start).line;
                    refused.push(format!("{name}:{line} {error}"));
                    continue;
                }
                let (again, errors) = parse(&print(&tree), Dialect::Standard);
                assert!(errors.is_empty() && again == tree, "{name} is printed as another program");
                let file = SourceFile::new(&*name, &*text).unwrap();
                let entry = (folder == "large").then(|| "init".to_string());
                let program = lower(&tree, &file, &LowerOptions { entry });
                program.unwrap_or_else(|e| panic!("{name}: {}", e[0])).validate().unwrap();
            }
        }
    }
    refused.dedup();
    assert_eq!(
        refused,
        [
            "Simple4.bp:7 concurrency is not supported: `ASYNC_1`",
            "Threads1.bp:14 concurrency is not supported: `ASYNC_1`",
            "Threads2.bp:15 concurrency is not supported: `ASYNC_1`",
        ]
    );
}
