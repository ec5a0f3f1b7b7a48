//! Files and functions that have grown beyond what a reader takes in, and the facade likewise.
//!
//! Functions are found by the layout that `rustfmt` gives them: the line that closes one is indented as the line that
//! opens it.

use std::path::Path;

/// The most lines of a file.
const FILE: usize = 1_000;

/// The most lines of a function.
const FUNCTION: usize = 150;

/// The facade, and the most lines of its sources together.
const FACADE: (&str, usize) = ("crates/7-doors/postbop/src", 3_000);

/// A note on what was looked at; or everything that is too long.
pub(crate) fn check(root: &Path) -> Result<String, String> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in ["crates", "xtask", "fuzz"] {
        for path in crate::files::below(&root.join(folder), "rs") {
            count += 1;
            let text = read(&path)?;
            let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let lines = text.lines().count();
            if lines > FILE {
                wrong.push(format!("{shown}: {lines} lines; {FILE} are the most"));
            }
            for (name, lines) in functions(&text).into_iter().filter(|f| f.1 > FUNCTION) {
                wrong.push(format!("{shown}: `{name}` has {lines} lines; {FUNCTION} are the most"));
            }
        }
    }
    let mut facade = 0;
    for path in crate::files::below(&root.join(FACADE.0), "rs") {
        facade += read(&path)?.lines().count();
    }
    if facade > FACADE.1 {
        wrong.push(format!("{}: {facade} lines; {} are the most", FACADE.0, FACADE.1));
    }
    wrong.sort();
    match wrong.is_empty() {
        true => Ok(format!(
            "{count} files and their functions are short, the facade has {facade} lines"
        )),
        false => Err(wrong.join("\n")),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The functions of a file, with their lines.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = declared(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        // A declaration without a body ends before anything is opened.
        let opened =
            lines[start..].iter().take_while(|l| !l.ends_with(';')).any(|l| l.ends_with('{'));
        let closes = |l: &&str| l.strip_prefix(indent).is_some_and(|rest| rest == "}");
        let end = lines[start..].iter().position(closes);
        if let Some(end) = end.filter(|_| opened) {
            out.push((name.to_owned(), end + 1));
        }
    }
    out
}

/// The name of the function that a line declares.
fn declared(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for word in ["pub(crate) ", "pub(super) ", "pub ", "const ", "extern \"C\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let rest = rest.strip_prefix("fn ")?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(&rest[..end])
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
    fn functions_are_counted_from_the_first_line_to_the_last() {
        let text = "\
pub(crate) fn a() {
    b();
}

trait T {
    fn without(&self);
    fn long(
        &self,
    ) -> u8 {
        if true {
            1
        }
    }
}

const fn c() -> u8 { 1 }
";
        let expected = [("a".to_owned(), 3), ("long".to_owned(), 7)];
        assert_eq!(functions(text), expected);
    }

    #[test]
    fn what_is_too_long_is_named() {
        let root = std::env::temp_dir().join(format!("postbop-sizes-{}", std::process::id()));
        let put = |name: &str, lines: usize| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let body = "    x();\n".repeat(lines.saturating_sub(2));
            std::fs::write(path, format!("fn f() {{\n{body}}}\n")).unwrap();
        };
        put("crates/a/src/lib.rs", FUNCTION);
        assert!(check(&root).is_ok());
        put("crates/a/src/lib.rs", FUNCTION + 1);
        assert!(check(&root).unwrap_err().contains("`f` has 151 lines"));
        put("crates/a/src/lib.rs", FILE + 1);
        assert!(check(&root).unwrap_err().contains("lib.rs: 1001 lines"));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
