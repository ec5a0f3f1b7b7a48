//! Juliet files, where the corpus and a C compiler are at hand.
#![allow(clippy::print_stderr)]

use front_c::preprocess::{PreprocessError, Source, preprocess, run};
use front_c::{Options, lower, parse, skeleton};
use std::path::PathBuf;

fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("POSTBOP_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus"),
    };
    let folder = folder.join("c/juliet");
    folder.join("index.tsv").exists().then_some(folder)
}

#[test]
fn juliet_files_have_skeletons() {
    let Some(folder) = corpus() else {
        eprintln!("skipped: there is no corpus");
        return;
    };
    let index = std::fs::read_to_string(folder.join("index.tsv")).expect("the index");
    let mut wanted: std::collections::BTreeMap<&str, Vec<&str>> = Default::default();
    for line in index.lines().skip(1) {
        let mut fields = line.split('\t');
        if let (Some(file), Some(function)) = (fields.next(), fields.next()) {
            wanted.entry(file).or_default().push(function);
        }
    }
    assert!(wanted.len() > 50);
    // Every third file is enough for every day.
    for (file, functions) in wanted.into_iter().step_by(3) {
        let source = Source {
            file: folder.join(file).to_string_lossy().into_owned(),
            flags: vec!["-I".into(), folder.join("support").to_string_lossy().into_owned()],
            ..Source::default()
        };
        let text = match preprocess(&source, &mut run) {
            Ok(text) => text,
            Err(PreprocessError::Start { .. }) => {
                eprintln!("skipped: there is no C compiler");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let unit = parse(&text);
        assert!(unit.problems.is_empty(), "{file}: {:?}", unit.problems);
        let s = skeleton(&[unit]);
        for function in functions {
            let f = s.func_named(function).unwrap_or_else(|| panic!("{file}: no {function}"));
            let body = s.body(f).unwrap_or_else(|| panic!("{file}: no body of {function}"));
            assert!(body.points.iter().all(|p| s.files[p.at.file as usize].ends_with(".c")));
        }
        let options = Options { feasibility: true, ..Options::default() };
        let lowered = lower(&s, &options).expect("a program");
        lowered.program.validate().expect("a valid program");
    }
}
