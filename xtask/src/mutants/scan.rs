//! Where a source file can be changed: operators, conditions, constants, statements, results.
//!
//! A scanner of tokens, not a parser: it relies on the layout that `rustfmt` gives (binary operators stand
//! between spaces, a statement begins its line). What it proposes may not compile; the compiler tells.

use std::ops::Range;

/// A change of one place: `text` with `{}` for the question whether it is made.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Bytes of the file that are replaced.
    pub(super) at: Range<usize>,
    /// What kind of change.
    pub(super) kind: &'static str,
    /// What stands there before, and after.
    pub(super) what: String,
    /// How it is made; nested changes of the operands are made inside of `Part::Old`.
    pub(super) form: Vec<Part>,
}

/// A piece of the text that replaces a place.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    /// Whether this change is the one that is made.
    Switch,
    /// A part of the old text.
    Old(Range<usize>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Word,
    Number,
    Text,
    Sign,
}

#[derive(Clone, Debug)]
struct Token {
    at: Range<usize>,
    kind: Kind,
    /// The index of the bracket that closes this one, or opens it.
    pair: Option<usize>,
}

/// Signs of more than one character, the longest first.
const SIGNS: [&str; 25] = [
    "..=", "<<=", ">>=", "...", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "^=", "&=", "|=", "<<", ">>", "..", "//",
];

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut out: Vec<Token> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        let start = i;
        let kind = if c.is_ascii_whitespace() {
            i += 1;
            continue;
        } else if text[i..].starts_with("//") {
            i = text[i..].find('\n').map_or(bytes.len(), |n| i + n);
            continue;
        } else if text[i..].starts_with("/*") {
            i = text[i..].find("*/").map_or(bytes.len(), |n| i + n + 2);
            continue;
        } else if let Some(end) = string_end(text, i) {
            i = end;
            Kind::Text
        } else if c.is_ascii_alphabetic() || c == b'_' || c >= 0x80 {
            while i < bytes.len()
                && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_' || bytes[i] >= 0x80)
            {
                i += 1;
            }
            Kind::Word
        } else if c.is_ascii_digit() {
            while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                i += 1;
            }
            Kind::Number
        } else {
            let long = SIGNS.iter().find(|s| text[i..].starts_with(**s));
            i += long.map_or(1, |s| s.len());
            Kind::Sign
        };
        let mut pair = None;
        match &text[start..i] {
            "(" | "[" | "{" if kind == Kind::Sign => open.push(out.len()),
            ")" | "]" | "}" if kind == Kind::Sign => {
                pair = open.pop();
                if let Some(p) = pair {
                    out[p].pair = Some(out.len());
                }
            }
            _ => {}
        }
        out.push(Token { at: start..i, kind, pair });
    }
    out
}

/// The end of a string or character that begins here.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let rest = &text[at..];
    if rest.starts_with('"') || rest.starts_with("b\"") {
        let mut i = at + 1 + usize::from(rest.starts_with('b'));
        while i < bytes.len() && bytes[i] != b'"' {
            i += 1 + usize::from(bytes[i] == b'\\');
        }
        return Some(i + 1);
    }
    if rest.starts_with("r\"") || rest.starts_with("r#\"") {
        let end = if rest.starts_with("r#") { "\"#" } else { "\"" };
        let from = at + 1 + end.len();
        return text[from..].find(end).map(|n| from + n + end.len());
    }
    let quoted = rest.strip_prefix('b').unwrap_or(rest);
    let skip = rest.len() - quoted.len();
    let inner = quoted.strip_prefix('\'')?;
    // A lifetime is no character.
    let first = inner.chars().next()?;
    let len = if first == '\\' {
        inner
            .find('\'')
            .filter(|n| *n > 1 || !inner.starts_with("\\'"))
            .or_else(|| inner[2..].find('\'').map(|n| n + 2))?
    } else {
        first.len_utf8()
    };
    inner[len..].starts_with('\'').then_some(at + skip + 1 + len + 1)
}

/// A file as tokens.
struct File<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl File<'_> {
    fn word(&self, k: usize) -> &str {
        self.tokens.get(k).map_or("", |t| &self.text[t.at.clone()])
    }

    /// Whether a binary operator's token stands between spaces.
    fn spaced(&self, k: usize) -> bool {
        let at = &self.tokens[k].at;
        let before = self.text[..at.start].ends_with([' ', '\n']);
        before && self.text[at.end..].starts_with([' ', '\n'])
    }

    /// The first token of the operand that ends before `k`; brackets are passed over.
    fn left(&self, k: usize, stop: &dyn Fn(&str, bool) -> bool) -> Option<usize> {
        let mut i = k;
        while i > 0 {
            let word = self.word(i - 1);
            match word {
                ")" | "]" | "}" => {
                    // A block that is no part of a path or a literal ends what stood before.
                    if word == "}" {
                        return None;
                    }
                    i = self.tokens[i - 1].pair?;
                    continue;
                }
                "(" | "[" | "{" | "," | ";" | "=>" => break,
                _ => {}
            }
            let keyword = ["return", "if", "while", "match", "in", "let", "else", "break", "move"];
            if keyword.contains(&word) || stop(word, self.spaced(i - 1)) {
                break;
            }
            if word == "|" {
                return None;
            }
            i -= 1;
        }
        (i < k).then_some(i)
    }

    /// The token after the operand that begins at `k`.
    fn right(&self, k: usize, stop: &dyn Fn(&str, bool) -> bool) -> Option<usize> {
        let mut i = k;
        while i < self.tokens.len() {
            let word = self.word(i);
            match word {
                "(" | "[" => {
                    i = self.tokens[i].pair? + 1;
                    continue;
                }
                "{" | "}" | ")" | "]" | "," | ";" | "=>" | "else" => break,
                "if" | "match" | "|" | "let" => return None,
                _ => {}
            }
            if stop(word, self.spaced(i)) {
                break;
            }
            i += 1;
        }
        (i > k).then_some(i)
    }

    fn range(&self, from: usize, to: usize) -> Range<usize> {
        self.tokens[from].at.start..self.tokens[to - 1].at.end
    }
}

const ASSIGN: [&str; 12] =
    ["=", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<<=", ">>=", ".."];

fn is_comparison(word: &str, spaced: bool) -> bool {
    matches!(word, "==" | "!=" | "<=" | ">=") || matches!(word, "<" | ">") && spaced
}

/// All places of a file that can be changed, in order.
pub(super) fn changes(text: &str) -> Vec<Change> {
    let file = File { text, tokens: tokens(text) };
    let mut out = Vec::new();
    let skip = not_looked_at(&file);
    for k in 0..file.tokens.len() {
        let at = file.tokens[k].at.clone();
        if skip.iter().any(|r| r.contains(&at.start)) {
            continue;
        }
        operators(&file, k, &mut out);
        conditions(&file, k, &mut out);
        constants(&file, k, &mut out);
        statements(&file, k, &mut out);
        results(&file, k, &mut out);
    }
    out
}

/// Tests, attributes, constants, types and what only debug builds check.
fn not_looked_at(file: &File<'_>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for k in 0..file.tokens.len() {
        let start = file.tokens[k].at.start;
        let to = |end: usize| start..file.tokens[end.min(file.tokens.len() - 1)].at.end;
        match file.word(k) {
            "#" if file.word(k + 1) == "[" => {
                let Some(end) = file.tokens[k + 1].pair else { continue };
                out.push(to(end));
                let attribute = &file.text[to(end)];
                if attribute.contains("cfg(test)") || attribute.contains("test]") {
                    let body =
                        (end..file.tokens.len()).find(|&i| matches!(file.word(i), "{" | ";"));
                    if let Some(close) = body.and_then(|b| file.tokens[b].pair) {
                        out.push(to(close));
                    }
                }
            }
            "const" | "static" | "use" | "type" | "struct" | "enum" | "impl" | "trait"
            | "where" | "macro_rules" => {
                let constant = matches!(file.word(k), "const" | "static" | "use" | "type");
                let end = (k..file.tokens.len()).find(|&i| match file.word(i) {
                    ";" => true,
                    "{" => !constant || file.word(k + 1) == "fn",
                    _ => false,
                });
                let Some(end) = end else { continue };
                let whole = matches!(file.word(k), "struct" | "enum" | "macro_rules")
                    || file.word(k + 1) == "fn";
                out.push(to(file.tokens[end].pair.filter(|_| whole).unwrap_or(end)));
            }
            // Bounds of generic parameters are joined by `+`.
            "fn" => {
                let body = (k..file.tokens.len()).find(|&i| matches!(file.word(i), "{" | ";"));
                if let (Some(body), Some(next)) = (body, file.tokens.get(k + 1)) {
                    out.push(next.at.start..file.tokens[body].at.start);
                }
            }
            "debug_assert" | "debug_assert_eq" | "debug_assert_ne" | "assert" | "assert_eq"
            | "unreachable" | "matches" | "panic"
                if file.word(k + 1) == "!" =>
            {
                if let Some(end) = file.tokens.get(k + 2).and_then(|t| t.pair) {
                    out.push(to(end));
                }
            }
            _ => {}
        }
    }
    out
}

/// `L op R` becomes `L other R`.
fn binary(
    file: &File<'_>,
    k: usize,
    l: Range<usize>,
    r: Range<usize>,
    other: &str,
    kind: &'static str,
    out: &mut Vec<Change>,
) {
    let op = file.word(k);
    let part = |t: &str| Part::Text(t.to_owned());
    let form = vec![
        part("(if "),
        Part::Switch,
        part(" { "),
        Part::Old(l.clone()),
        Part::Text(format!(" {other} ")),
        Part::Old(r.clone()),
        part(" } else { "),
        Part::Old(l.clone()),
        Part::Text(format!(" {op} ")),
        Part::Old(r.clone()),
        part(" })"),
    ];
    let what = format!("{op} -> {other} in {}", short(&file.text[l.start..r.end]));
    out.push(Change { at: l.start..r.end, kind, what, form });
}

fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.chars().take(90).collect()
}

/// Whether a token, perhaps between spaces, ends an operand.
type Stop = Box<dyn Fn(&str, bool) -> bool>;

fn operators(file: &File<'_>, k: usize, out: &mut Vec<Change>) {
    if file.tokens[k].kind != Kind::Sign || !file.spaced(k) {
        return;
    }
    let op = file.word(k);
    let comparison = match op {
        "==" => "!=",
        "!=" => "==",
        "<" => "<=",
        "<=" => "<",
        ">" => ">=",
        ">=" => ">",
        _ => "",
    };
    let logical = match op {
        "&&" => "||",
        "||" => "&&",
        _ => "",
    };
    let arithmetic = match op {
        "+" => "-",
        "-" => "+",
        "*" => "+",
        "/" => "*",
        "%" => "/",
        _ => "",
    };
    let assigned = |w: &str| ASSIGN.contains(&w) || w == "..=";
    let (other, kind, stop): (&str, &'static str, Stop) = if !comparison.is_empty() {
        (
            comparison,
            "comparison",
            Box::new(move |w: &str, s| {
                assigned(w) || w == "&&" || w == "||" || is_comparison(w, s)
            }),
        )
    } else if op == "&&" {
        (logical, "logic", Box::new(move |w: &str, _| assigned(w) || w == "||"))
    } else if op == "||" {
        (logical, "logic", Box::new(move |w: &str, _| assigned(w)))
    } else if !arithmetic.is_empty() {
        let product = matches!(op, "*" | "/" | "%");
        (
            arithmetic,
            "arithmetic",
            Box::new(move |w: &str, s| {
                let loose = s
                    && (matches!(w, "+" | "-" | "&" | "^" | "<<" | ">>")
                        || product && matches!(w, "*" | "/" | "%"));
                assigned(w) || w == "&&" || w == "||" || is_comparison(w, s) || loose
            }),
        )
    } else {
        return;
    };
    // `a - b + c`: what is left of `+` is `a - b`, what is right of `-` ends at `+`.
    let sum = matches!(op, "+" | "-");
    let left_stop =
        |w: &str, s: bool| if sum && s && matches!(w, "+" | "-") { false } else { stop(w, s) };
    let (Some(l), Some(r)) = (file.left(k, &left_stop), file.right(k + 1, &stop)) else { return };
    let (left, right) = (file.range(l, k), file.range(k + 1, r));
    // The types of generic parameters are joined by `+`, too.
    if file.text[left.clone()].contains(" let ")
        || file.word(l) == "let"
        || file.text[left.clone()].contains("impl ")
        || file.text[left.clone()].contains("dyn ")
    {
        return;
    }
    binary(file, k, left, right, other, kind, out);
}

fn conditions(file: &File<'_>, k: usize, out: &mut Vec<Change>) {
    let word = file.word(k);
    if !matches!(word, "if" | "while")
        || file.tokens[k].kind != Kind::Word
        || file.word(k + 1) == "let"
    {
        return;
    }
    let mut i = k + 1;
    while i < file.tokens.len() {
        match file.word(i) {
            "(" | "[" => match file.tokens[i].pair {
                Some(p) => i = p,
                None => return,
            },
            "{" | "=>" => break,
            "let" | "if" | "match" | ";" => return,
            _ => {}
        }
        i += 1;
    }
    if i >= file.tokens.len() || i == k + 1 {
        return;
    }
    let at = file.range(k + 1, i);
    let form = vec![
        Part::Text("(".into()),
        Part::Switch,
        Part::Text(") != (".into()),
        Part::Old(at.clone()),
        Part::Text(")".into()),
    ];
    let what = format!("{word} {} negated", short(&file.text[at.clone()]));
    out.push(Change { at, kind: "condition", what, form });
}

fn constants(file: &File<'_>, k: usize, out: &mut Vec<Change>) {
    let (word, token) = (file.word(k), &file.tokens[k]);
    let before = if k > 0 { file.word(k - 1) } else { "" };
    let other = match (token.kind, word) {
        (Kind::Word, "true") => "false".to_owned(),
        (Kind::Word, "false") => "true".to_owned(),
        (Kind::Number, "0") => "1".to_owned(),
        (Kind::Number, "1") => "0".to_owned(),
        (Kind::Number, w) if w.bytes().all(|b| b.is_ascii_digit()) => {
            w.parse::<u64>().map(|n| (n + 1).to_string()).unwrap_or_default()
        }
        _ => return,
    };
    if other.is_empty()
        || before == "."
        || before == "::"
        || file.word(k + 1) == "=>"
        || file.word(k + 1) == "|"
    {
        return;
    }
    let form = vec![
        Part::Text("(if ".into()),
        Part::Switch,
        Part::Text(format!(" {{ {other} }} else {{ {word} }})")),
    ];
    let line = line_of(file.text, token.at.start);
    let what = format!("{word} -> {other} in {}", short(line));
    out.push(Change { at: token.at.clone(), kind: "constant", what, form });
}

fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    text[start..].lines().next().unwrap_or("")
}

/// Statements that begin their line and end with `;` are left out.
fn statements(file: &File<'_>, k: usize, out: &mut Vec<Change>) {
    let before = if k > 0 { file.word(k - 1) } else { "" };
    if !matches!(before, ";" | "{" | "}") || file.tokens[k].kind == Kind::Text {
        return;
    }
    let word = file.word(k);
    let not = [
        "let",
        "use",
        "return",
        "pub",
        "fn",
        "impl",
        "struct",
        "enum",
        "mod",
        "type",
        "const",
        "static",
        "if",
        "match",
        "for",
        "while",
        "loop",
        "else",
        "}",
        "#",
        "debug_assert",
        "debug_assert_eq",
        "where",
        "trait",
        "assert",
        "assert_eq",
        "unsafe",
        "extern",
    ];
    if not.contains(&word) || file.word(k + 1) == "!" && word != "self" {
        return;
    }
    let mut i = k;
    while i < file.tokens.len() {
        match file.word(i) {
            "(" | "[" | "{" => match file.tokens[i].pair {
                Some(p) => i = p,
                None => return,
            },
            ")" | "]" | "}" | "," | "=>" => return,
            ";" => break,
            _ => {}
        }
        i += 1;
    }
    if i >= file.tokens.len() || i == k {
        return;
    }
    let old = file.range(k, i);
    let at = old.start..file.tokens[i].at.end;
    let jump = match (word, i - k) {
        ("break", 1) => Some("continue"),
        ("continue", 1) => Some("break"),
        ("break" | "continue", _) => return,
        _ => None,
    };
    if let Some(other) = jump {
        let form = vec![
            Part::Text("if ".into()),
            Part::Switch,
            Part::Text(format!(" {{ {other} }} else {{ {word} }};")),
        ];
        out.push(Change { at, kind: "jump", what: format!("{word} -> {other}"), form });
        return;
    }
    let form = vec![
        Part::Text("if !".into()),
        Part::Switch,
        Part::Text(" { ".into()),
        Part::Old(old.clone()),
        Part::Text("; }".into()),
    ];
    out.push(Change {
        at,
        kind: "statement",
        what: format!("left out: {}", short(&file.text[old])),
        form,
    });
    // `x += y` becomes `x -= y`.
    let ops = [("+=", "-="), ("-=", "+="), ("|=", "&="), ("&=", "|=")];
    for j in k..i {
        let Some((op, other)) = ops.iter().find(|(op, _)| *op == file.word(j)) else { continue };
        if j > k && j + 1 < i {
            let (l, r) = (file.range(k, j), file.range(j + 1, i));
            let form = vec![
                Part::Text("if ".into()),
                Part::Switch,
                Part::Text(" { ".into()),
                Part::Old(l.clone()),
                Part::Text(format!(" {other} ")),
                Part::Old(r.clone()),
                Part::Text("; } else { ".into()),
                Part::Old(l.clone()),
                Part::Text(format!(" {op} ")),
                Part::Old(r),
                Part::Text("; }".into()),
            ];
            let what = format!("{op} -> {other} in {}", short(&file.text[file.range(k, i)]));
            out.push(Change { at: l.start..file.tokens[i].at.end, kind: "assignment", what, form });
        }
        return;
    }
}

/// A function returns at once, with something of its type.
fn results(file: &File<'_>, k: usize, out: &mut Vec<Change>) {
    if file.word(k) != "fn" || file.tokens[k + 1].kind != Kind::Word {
        return;
    }
    let name = file.word(k + 1).to_owned();
    let Some(open) = (k..file.tokens.len()).find(|&i| file.word(i) == "(") else { return };
    let Some(close) = file.tokens[open].pair else { return };
    let Some(body) = (close..file.tokens.len()).find(|&i| matches!(file.word(i), "{" | ";")) else {
        return;
    };
    if file.word(body) == ";" {
        return;
    }
    let ty = if file.word(close + 1) == "->" {
        file.text[file.range(close + 2, body)].trim().to_owned()
    } else {
        String::new()
    };
    let ty = ty.split(" where").next().unwrap_or("").trim().to_owned();
    let values: &[&str] = match ty.as_str() {
        "" => &[""],
        "bool" => &["true", "false"],
        "usize" | "u32" | "u64" | "u8" | "u16" | "i32" | "i64" => &["0", "1"],
        "String" => &["String::new()"],
        t if t.starts_with("Option<") => &["None"],
        t if t.starts_with("Vec<") => &["Vec::new()"],
        t if t.starts_with("Result<()") => &["Ok(())"],
        _ => return,
    };
    let at = file.tokens[body].at.end;
    for value in values {
        let form = vec![
            Part::Text(" if ".into()),
            Part::Switch,
            Part::Text(format!(" {{ return {value}; }}")),
        ];
        out.push(Change {
            at: at..at,
            kind: "result",
            what: format!("{name} returns {value} at once"),
            form,
        });
    }
}

/// The text with changes built in: `numbers` are those of the changes, which must be sorted by place.
pub(super) fn built_in(text: &str, changes: &[(u32, &Change)]) -> String {
    render(text, 0..text.len(), changes)
}

/// The changes inside of a range, outermost first.
fn render(text: &str, range: Range<usize>, changes: &[(u32, &Change)]) -> String {
    let mut out = String::new();
    let mut at = range.start;
    let mut i = 0;
    while i < changes.len() {
        let (number, change) = changes[i];
        let inside = change.at.start >= at && change.at.end <= range.end;
        if !inside {
            i += 1;
            continue;
        }
        out.push_str(&text[at..change.at.start]);
        let rest: Vec<(u32, &Change)> =
            changes.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, c)| *c).collect();
        for part in &change.form {
            match part {
                Part::Text(t) => out.push_str(t),
                Part::Switch => out.push_str(&format!("crate::mutant_switch::on({number})")),
                Part::Old(r) => out.push_str(&render(text, r.clone(), &rest)),
            }
        }
        at = change.at.end;
        i += 1;
    }
    out.push_str(&text[at..range.end]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each change makes of the text, with `S` for the switch.
    fn all(text: &str) -> Vec<String> {
        let found = changes(text);
        found
            .iter()
            .map(|c| built_in(text, &[(1, c)]).replace("crate::mutant_switch::on(1)", "S"))
            .collect()
    }

    fn check(text: &str, expected: &[&str]) {
        let found = all(text);
        for one in expected {
            assert!(found.iter().any(|f| f == one), "no `{one}` among {found:#?}");
        }
    }

    #[test]
    fn operators_and_conditions() {
        check(
            "fn f() { if a.b(1) < c && d { g(x + 2 * y); } }",
            &[
                "fn f() { if (if S { a.b(1) <= c } else { a.b(1) < c }) && d { g(x + 2 * y); } }",
                "fn f() { if (if S { a.b(1) < c || d } else { a.b(1) < c && d }) { g(x + 2 * y); } }",
                "fn f() { if (S) != (a.b(1) < c && d) { g(x + 2 * y); } }",
                "fn f() { if a.b(1) < c && d { g((if S { x - 2 * y } else { x + 2 * y })); } }",
                "fn f() { if a.b(1) < c && d { if !S { g(x + 2 * y); } } }",
                "fn f() { if S { return ; } if a.b(1) < c && d { g(x + 2 * y); } }",
            ],
        );
    }

    #[test]
    fn statements_and_constants() {
        check(
            "fn f() -> bool {\n    x += 1;\n    continue;\n    true\n}\n",
            &[
                "fn f() -> bool {\n    if S { x -= 1; } else { x += 1; }\n    continue;\n    true\n}\n",
                "fn f() -> bool {\n    x += 1;\n    if S { break } else { continue };\n    true\n}\n",
                "fn f() -> bool {\n    x += 1;\n    continue;\n    (if S { false } else { true })\n}\n",
                "fn f() -> bool { if S { return false; }\n    x += 1;\n    continue;\n    true\n}\n",
            ],
        );
    }

    /// Comments, strings, lifetimes, attributes, generics and tests are left alone.
    #[test]
    fn the_rest_is_left_alone() {
        let text = "// a + b\nconst N: usize = 1 + 2;\nfn f<'a, T: A + B>(x: &'a str) -> Vec<Vec<u8>> { g(\"a < b\", '<', x) }\n#[cfg(test)]\nmod t { fn g() { if a { b(1); } } }\n";
        let kinds: Vec<&str> = changes(text).iter().map(|c| c.kind).collect();
        assert_eq!(kinds, ["result"]);
    }

    #[test]
    fn changes_inside_of_changes() {
        let text = "fn f() { if a < b && c { } }";
        let found = changes(text);
        let of = |kind: &str| found.iter().find(|c| c.kind == kind).expect("there is one");
        let both = built_in(text, &[(1, of("condition")), (2, of("comparison"))]);
        let switched = both.replace("crate::mutant_switch::on", "S");
        assert_eq!(
            switched,
            "fn f() { if (S(1)) != ((if S(2) { a <= b } else { a < b }) && c) { } }"
        );
    }
}
