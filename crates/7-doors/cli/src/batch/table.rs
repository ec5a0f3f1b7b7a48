//! A batch for people.

use render::TaskPage;
use std::collections::BTreeMap;
use std::fmt::Write;

/// So many characters of a program or a question are shown.
const WIDE: usize = 48;

/// A line for each task, and the counts.
pub(super) fn text(pages: &[TaskPage], quiet: bool) -> String {
    let mut out = String::new();
    let mut pages: Vec<&TaskPage> = pages.iter().collect();
    pages.sort_by_key(|page| page.task);
    let rows: Vec<[String; 3]> = pages.iter().map(|page| row(page)).collect();
    if !quiet {
        let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
        let (a, b) = (width(0), width(1));
        for ([program, question, answer], page) in rows.iter().zip(&pages) {
            let seconds = page.seconds;
            let again = if page.reused { "  (kept)" } else { "" };
            let _ = writeln!(out, "{program:a$}  {question:b$}  {seconds:7.2} s  {answer}{again}");
        }
        out.push('\n');
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for page in &pages {
        *counts.entry(word(page)).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    if pages.is_empty() {
        return "no task is done\n".to_owned();
    }
    let kept = pages.iter().filter(|page| page.reused).count();
    let (n, s) = (pages.len(), if pages.len() == 1 { "" } else { "s" });
    let _ = writeln!(out, "{n} task{s}: {}; {kept} kept from before", counts.join(", "));
    out
}

fn word(page: &TaskPage) -> &'static str {
    match page.exit {
        0 => "hold",
        1 => "violated",
        2 => "refused",
        _ => "unknown",
    }
}

fn row(page: &TaskPage) -> [String; 3] {
    let program = page.programs.join(" ");
    let question = if page.question.is_empty() { "(default)" } else { &page.question };
    let answer = match (&page.error, page.exit) {
        (Some(why), 2) => format!("refused: {}", short(why)),
        (Some(why), _) => format!("unknown: {}", short(why)),
        (None, _) => {
            let mut counts: Vec<(&str, usize)> = Vec::new();
            for verdict in &page.verdicts {
                match counts.iter_mut().find(|(v, _)| v == verdict) {
                    Some((_, n)) => *n += 1,
                    None => counts.push((verdict, 1)),
                }
            }
            let each = counts.iter().map(|(v, n)| match n {
                1 => (*v).to_owned(),
                n => format!("{v} ({n})"),
            });
            each.collect::<Vec<_>>().join(", ")
        }
    };
    [short(&program), short(question), answer]
}

/// One line, and not too long.
fn short(text: &str) -> String {
    let text = source::one_line(text.lines().next().unwrap_or("")).into_owned();
    match text.char_indices().nth(WIDE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
