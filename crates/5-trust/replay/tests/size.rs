//! How much has to be read to trust an answer is said in ARCHITECTURE.md, and is true.

use std::fs;
use std::path::Path;

#[test]
fn the_size_of_what_is_trusted_is_stated() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(here.join("../../../ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let words: Vec<&str> = text.split_whitespace().collect();
    let stated = words
        .windows(6)
        .find(|w| w[..3] == ["in", "at", "most"] && w[4] == "lines")
        .map(|w| w[3].replace(',', ""))
        .expect("a number of lines");
    let stated: usize = stated.parse().expect("a number");
    let mut lines = 0;
    let mut folders = vec![here.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("sources") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => lines += fs::read_to_string(&path).expect("a source").lines().count(),
            }
        }
    }
    assert!(lines <= stated, "{lines} lines are trusted, and {stated} are stated");
    assert!(lines * 10 >= stated * 8, "{lines} lines are trusted: state less than {stated}");
}
