//! Programs that others wrote: each is read and lowered, or the construct that is not known is named.

use crate::support;
use front_remopla::{LowerOptions, lower, parse, print};
use source::SourceFile;
use std::path::PathBuf;

#[test]
#[allow(clippy::print_stderr)]
fn programs_of_others() {
    let corpus = std::env::var_os("POSTBOP_CORPUS").map(PathBuf::from).unwrap_or_else(|| {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/corpus"))
    });
    let Ok(files) = std::fs::read_dir(corpus.join("remopla")) else {
        eprintln!("skipped: no {}", corpus.display());
        return;
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut refused = Vec::new();
    for path in &files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = SourceFile::from_bytes(&*name, std::fs::read(path).unwrap()).unwrap();
        let (tree, errors) = parse(file.text());
        if !errors.is_empty() {
            // Nothing but the construct is wrong.
            for error in &errors {
                assert_eq!(error.code(), "remopla-unsupported", "{name}: {error}");
            }
            refused.push(name);
            continue;
        }
        let (again, errors) = parse(&print(&tree));
        assert!(errors.is_empty() && again == tree, "{name}");
        match lower(&tree, &file, &LowerOptions::default()) {
            Ok(program) => program.validate().unwrap(),
            Err(errors) => panic!("{name}: {}", support::shown("f.rem", file.text(), &errors)),
        }
    }
    assert_eq!(refused, ["Dining_Cryptographers_Public_Announcements_biased.rem"]);
    assert_eq!(files.len(), 15);
}
