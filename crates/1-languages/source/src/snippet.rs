//! A diagnostic as plain text: place, source line, marker, remarks.

use std::fmt::Write;

use crate::shown::{escape, is_active, one_line};
use crate::{Diagnostic, SourceFile, Span};

/// Columns of a source line that are shown; longer lines are cut around the marker.
const WIDTH: usize = 100;
/// Columns kept before the marker when a line is cut.
const BEFORE: usize = 30;
/// Tabs are shown as blanks up to the next multiple of this.
const TAB: usize = 4;

/// The diagnostic in the style of compilers, ending in a line break.
pub fn render(diagnostic: &Diagnostic, file: &SourceFile) -> String {
    let message = one_line(&diagnostic.message);
    let mut out = format!("{}[{}]: {message}\n", diagnostic.severity.word(), diagnostic.code);
    // One margin for all excerpts, so that their bars stand in one column.
    let places = diagnostic.notes.iter().map(|note| note.span).chain([diagnostic.span]);
    let last = places.flatten().map(|span| file.position(span.start).line).max().unwrap_or(1);
    let margin = last.to_string().len();
    match diagnostic.span {
        Some(span) => excerpt(&mut out, file, span, margin),
        None => _ = writeln!(out, "{:margin$}--> {}", "", one_line(file.name())),
    }
    for note in diagnostic.notes.iter().filter(|note| note.span.is_none()) {
        _ = writeln!(out, "{:margin$} = note: {}", "", one_line(&note.message));
    }
    if let Some(help) = &diagnostic.help {
        _ = writeln!(out, "{:margin$} = help: {}", "", one_line(help));
    }
    for note in &diagnostic.notes {
        if let Some(span) = note.span {
            _ = writeln!(out, "note: {}", one_line(&note.message));
            excerpt(&mut out, file, span, margin);
        }
    }
    out
}

/// The place, its line, and a marker under the part of the span that lies on that line.
fn excerpt(out: &mut String, file: &SourceFile, span: Span, margin: usize) {
    let at = file.position(span.start);
    let Shown { text, marker_start, marker_len } = shown_line(file, span);
    let name = one_line(file.name());
    _ = writeln!(out, "{:margin$}--> {name}:{}:{}", "", at.line, at.column);
    _ = writeln!(out, "{:margin$} |", "");
    _ = writeln!(out, "{:margin$} | {text}", at.line);
    _ = writeln!(out, "{:margin$} | {:marker_start$}{}", "", "", "^".repeat(marker_len));
}

struct Shown {
    text: String,
    marker_start: usize,
    marker_len: usize,
}

fn shown_line(file: &SourceFile, span: Span) -> Shown {
    let at = file.position(span.start);
    let line = file.line(at.line);
    let first = at.column as usize - 1;
    let end = file.position(span.end.max(span.start));
    let chars_marked = if end.line == at.line {
        (end.column as usize - 1).saturating_sub(first)
    } else {
        line.chars().count().saturating_sub(first)
    };

    // Display columns: tabs expand; what a terminal would obey is escaped.
    let mut cells: Vec<char> = Vec::new();
    let (mut marker_start, mut marker_end) = (None, None);
    let skipped = first.saturating_sub(WIDTH * 2);
    for (i, c) in line.chars().enumerate().skip(skipped).take(WIDTH * 4) {
        if i == first {
            marker_start = Some(cells.len());
        }
        if i == first + chars_marked {
            marker_end = Some(cells.len());
        }
        match c {
            '\t' => {
                let next = (cells.len() / TAB + 1) * TAB;
                cells.resize(next, ' ');
            }
            c if is_active(c) => cells.extend(escape(c).chars()),
            c => cells.push(c),
        }
    }
    let marker_start = marker_start.unwrap_or(cells.len());
    let marker_end = marker_end.unwrap_or(cells.len()).max(marker_start + 1);

    let fits = skipped == 0 && marker_end <= WIDTH;
    let from = if fits { 0 } else { marker_start.saturating_sub(BEFORE) };
    let to = cells.len().min(from + WIDTH);
    let cut_before = from > 0 || skipped > 0;
    let cut_after = to < cells.len();
    let mut text = String::new();
    if cut_before {
        text.push('…');
    }
    text.extend(&cells[from..to]);
    let text = if cut_after { text + "…" } else { text.trim_end().to_string() };
    let marker_len = marker_end.min(to.max(marker_start + 1)) - marker_start;
    Shown { text, marker_start: marker_start - from + usize::from(cut_before), marker_len }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, mark: &str, expected: &str) {
        let file = SourceFile::new("f.bp", text).unwrap();
        let start = text.find(mark).unwrap() as u32;
        let diagnostic =
            Diagnostic::error("code", "message").at(Span::new(start, start + mark.len() as u32));
        let shown = render(&diagnostic, &file);
        let body: Vec<&str> = shown.lines().skip(1).collect();
        assert_eq!(body.join("\n"), expected);
    }

    #[test]
    fn markers() {
        check("a\nb := c;\n", "c", " --> f.bp:2:6\n  |\n2 | b := c;\n  |      ^");
        check("\tx := yy;", "yy", " --> f.bp:1:7\n  |\n1 |     x := yy;\n  |          ^^");
        check("äö := yy;\r\n", "yy", " --> f.bp:1:7\n  |\n1 | äö := yy;\n  |       ^^");
        check("a b\nc", "b\nc", " --> f.bp:1:3\n  |\n1 | a b\n  |   ^");
        check("a\u{1b}[31m b", "b", " --> f.bp:1:8\n  |\n1 | a\\x1b[31m b\n  |           ^");
        check("a b", "", " --> f.bp:1:1\n  |\n1 | a b\n  | ^");
    }

    #[test]
    fn the_end_of_the_file() {
        let file = SourceFile::new("f.bp", "begin\n").unwrap();
        let shown = render(&Diagnostic::error("c", "m").at(Span::new(6, 6)), &file);
        assert_eq!(shown, "error[c]: m\n --> f.bp:2:1\n  |\n2 | \n  | ^\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_marker() {
        let text = format!("{}MARK{}", "a".repeat(1000), "b".repeat(1000));
        let expected = format!(
            " --> f.bp:1:1001\n  |\n1 | …{}MARK{}…\n  | {}^^^^",
            "a".repeat(30),
            "b".repeat(66),
            " ".repeat(31)
        );
        check(&text, "MARK", &expected);
        let text = format!("MARK{}", "b".repeat(1000));
        let expected = format!(" --> f.bp:1:1\n  |\n1 | MARK{}…\n  | ^^^^", "b".repeat(96));
        check(&text, "MARK", &expected);
        let text = "M".repeat(1000);
        let expected =
            format!(" --> f.bp:1:1\n  |\n1 | {}…\n  | {}", "M".repeat(100), "^".repeat(100));
        check(&text, &text, &expected);
    }

    #[test]
    fn notes_and_help() {
        let file =
            SourceFile::new("f.bp", &*format!("decl a;{}decl a;\n", "\n".repeat(9))).unwrap();
        let diagnostic = Diagnostic::warning("dup", "twice")
            .at(Span::new(21, 22))
            .note("a remark")
            .note_at(Span::new(5, 6), "first here")
            .help("take one out");
        assert_eq!(
            render(&diagnostic, &file),
            "\
warning[dup]: twice
  --> f.bp:10:6
   |
10 | decl a;
   |      ^
   = note: a remark
   = help: take one out
note: first here
  --> f.bp:1:6
   |
 1 | decl a;
   |      ^
"
        );
        let whole = Diagnostic::error("no-entry", "there is no procedure `main`");
        assert_eq!(
            render(&whole, &file),
            "error[no-entry]: there is no procedure `main`\n --> f.bp\n"
        );
    }
}
