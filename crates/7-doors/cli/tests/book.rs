//! Everything in the README and the book is executed.
//!
//! A fenced block with the info string `LANGUAGE NAME` is a program, written to a file of that name. A
//! `console` block holds commands behind `$ `, each followed by what it prints (standard output,
//! then standard error); a line `...` stands for any lines. Commands run in a copy of the
//! workspace's `examples/` with the programs of the page beside it. Exit codes other than 0 are
//! told by a last line `[exit N]`. With `UPDATE=1` the pages are rewritten to what is printed now.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut book: Vec<PathBuf> = fs::read_dir(root().join("docs/book"))
        .expect("docs/book is there")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    book.sort();
    pages.append(&mut book);
    pages
}

/// Runs one command line in `folder`. Words are split at blanks; single quotes group; `|` pipes.
fn run(line: &str, folder: &Path) -> String {
    let mut stages: Vec<Vec<String>> = vec![Vec::new()];
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (word, tail) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').expect("a closing quote"),
            None => rest.split_at(rest.find(' ').unwrap_or(rest.len())),
        };
        match word {
            "|" => stages.push(Vec::new()),
            word => stages.last_mut().expect("never empty").push(word.to_owned()),
        }
        rest = tail.trim_start();
    }
    let mut input: Vec<u8> = Vec::new();
    let mut text = String::new();
    let mut code = 0;
    for stage in stages {
        let words: Vec<&str> = stage.iter().map(String::as_str).collect();
        let args = match words.as_slice() {
            ["bop", args @ ..] => args,
            ["cargo", "run", "--release", "--", args @ ..] => args,
            other => panic!("the book runs `bop` only, not {other:?}"),
        };
        let mut child = Command::new(env!("CARGO_BIN_EXE_bop"))
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("bop starts");
        let mut stdin = child.stdin.take().expect("piped");
        let feed = std::mem::take(&mut input);
        let writer = std::thread::spawn(move || {
            use std::io::Write;
            let _ = stdin.write_all(&feed); // it may not read all of it
        });
        let output = child.wait_with_output().expect("bop ends");
        writer.join().expect("the writer ends");
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        input = output.stdout;
        code = output.status.code().expect("bop is not killed");
    }
    let mut all = String::from_utf8_lossy(&input).into_owned();
    all.push_str(&text);
    if !all.is_empty() && !all.ends_with('\n') {
        all.push('\n');
    }
    if code != 0 {
        all.push_str(&format!("[exit {code}]\n"));
    }
    all
}

/// Whether `actual` is what the page shows, `...` standing for any lines.
fn fits(shown: &str, actual: &str) -> bool {
    let mut lines = actual.lines().peekable();
    let mut shown = shown.lines().peekable();
    while let Some(line) = shown.next() {
        if line.trim() == "..." {
            let Some(next) = shown.peek() else { return true };
            while lines.peek().is_some_and(|l| l.trim_end() != next.trim_end()) {
                lines.next();
            }
        } else if lines.next().map(str::trim_end) != Some(line.trim_end()) {
            return false;
        }
    }
    lines.next().is_none()
}

fn page(path: &Path, scratch: &Path) -> Vec<String> {
    let update = std::env::var_os("UPDATE").is_some();
    let text = fs::read_to_string(path).expect("a readable page");
    let mut out = String::new();
    let mut failures = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let mut block = String::new();
        for line in lines.by_ref() {
            if line == "```" {
                break;
            }
            block.push_str(line);
            block.push('\n');
        }
        match info.split_once(' ') {
            Some((
                "bp" | "c" | "rule" | "remopla" | "pds" | "stacks" | "aut" | "bes" | "pbes" | "blk"
                | "contracts" | "pg" | "mcf" | "mcl" | "mcrl2" | "text" | "toml" | "hoa",
                name,
            )) => {
                fs::write(scratch.join(name), &block).expect("a program");
            }
            _ if info == "console" => {
                let mut new = String::new();
                for command in block.split("$ ").skip(1).filter(|c| !c.trim().is_empty()) {
                    let (line, shown) = command.split_once('\n').unwrap_or((command, ""));
                    let actual = run(line, scratch);
                    new.push_str(&format!("$ {line}\n"));
                    if fits(shown, &actual) {
                        new.push_str(shown);
                    } else {
                        new.push_str(&actual);
                        failures.push(format!(
                            "{}: `{line}` prints\n{actual}\nthe page shows\n{shown}",
                            path.display()
                        ));
                    }
                }
                block = new;
            }
            _ => {}
        }
        out.push_str(&block);
        out.push_str("```\n");
    }
    if update && !failures.is_empty() {
        fs::write(path, out).expect("a writable page");
        return Vec::new();
    }
    failures
}

/// Copies a folder with all that is in it.
fn copy_folder(from: &Path, to: &Path) {
    let mut work = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = work.pop() {
        fs::create_dir_all(&to).expect("a scratch folder");
        for entry in fs::read_dir(&from).expect("examples are there") {
            let from = entry.expect("a readable folder").path();
            let to = to.join(from.file_name().expect("it has a name"));
            match from.is_dir() {
                true => work.push((from, to)),
                false => _ = fs::copy(&from, &to).expect("a copy"),
            }
        }
    }
}

#[test]
fn the_book_tells_the_truth() {
    let mut failures = Vec::new();
    let mut commands = 0;
    for path in pages() {
        let name = path.file_stem().expect("a page has a name").to_string_lossy().into_owned();
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("book-{name}"));
        let _ = fs::remove_dir_all(&scratch); // left by an earlier run
        copy_folder(&root().join("examples"), &scratch.join("examples"));
        commands += fs::read_to_string(&path).expect("a page").matches("\n$ bop").count();
        failures.append(&mut page(&path, &scratch));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(commands > 20, "the README and the book run {commands} commands only");
}

/// The anchors of a page, as sites and mdBook make them of its headings.
fn anchors(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        let heading = line.strip_prefix('#').map(|l| l.trim_start_matches('#'));
        let Some(heading) = heading.and_then(|l| l.strip_prefix(' ')).filter(|_| !fenced) else {
            continue;
        };
        let kept = heading.to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        out.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
    }
    out
}

/// Where files of the repository are seen from elsewhere.
const REPOSITORY: [&str; 2] = [
    "https://github.com/postbop/postbop/blob/main/",
    "https://github.com/postbop/postbop/tree/main/",
];

/// Every link of every page leads to a file that is there, and to a heading that it has; every chapter is in the
/// table of contents. Links of the book to what is not part of it are addresses of the repository: the book that
/// mdBook builds has nothing else beside it.
#[test]
fn links_lead_somewhere() {
    let root = root();
    let book = root.join("docs/book");
    let mut all = pages();
    for name in ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/ci/README.md"] {
        all.push(root.join(name));
    }
    let mut wrong = Vec::new();
    let mut links = 0;
    for path in &all {
        let text = fs::read_to_string(path).expect("a readable page");
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.starts_with("```");
            for (i, _) in line.match_indices("](").filter(|_| !fenced) {
                let target = &line[i + 2..];
                let Some(target) = target.split(')').next().filter(|t| !t.contains(' ')) else {
                    continue;
                };
                let here = REPOSITORY.iter().find_map(|prefix| target.strip_prefix(prefix));
                let elsewhere = target.starts_with("http") && here.is_none();
                // What stands in code is no link.
                if line[..i].matches('`').count() % 2 == 1 || elsewhere {
                    continue;
                }
                links += 1;
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let to = match (file, here) {
                    (_, Some(file)) => root.join(file),
                    ("", None) => path.clone(),
                    (file, None) => path.parent().expect("a folder").join(file),
                };
                if path.parent() == Some(&book) && here.is_none() && file.starts_with("..") {
                    wrong.push(format!(
                        "{}: {target} is not there in the built book",
                        path.display()
                    ));
                }
                let there = match anchor {
                    "" => to.exists(),
                    anchor => fs::read_to_string(&to)
                        .is_ok_and(|page| anchors(&page).iter().any(|a| a == anchor)),
                };
                if !there {
                    wrong.push(format!("{}: {target}", path.display()));
                }
            }
        }
    }
    assert!(links > 100, "{links}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let contents = fs::read_to_string(root.join("docs/book/SUMMARY.md")).expect("it is there");
    for path in pages().iter().skip(1) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || contents.contains(&format!("]({name})")), "{name}");
    }
}
