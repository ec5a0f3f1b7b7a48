//! Labels: a gate and the values it offers.

/// What the labels of a program's data begin with ([pbes §3.1]): they may have their names after blanks, too.
const OF_DATA: [&str; 6] = ["BOOL", "ASSIGN", "ASSERT", "DEF", "KILL", "EVAL"];

/// Splits a label: `GATE !v1 !v2` (CADP) or `gate(v1,v2)` (mCRL2). Anything else is a gate, but for the labels of
/// a program's data, as `BOOL x` and `ASSIGN x y`.
///
/// ```
/// assert_eq!(lts::split("SEND !3 !TRUE"), ("SEND", vec!["3", "TRUE"]));
/// assert_eq!(lts::split("r1(in(d1,d2), true)"), ("r1", vec!["in(d1,d2)", "true"]));
/// assert_eq!(lts::split("i"), ("i", vec![]));
/// assert_eq!(lts::split("ASSIGN y x"), ("ASSIGN", vec!["y", "x"]));
/// ```
pub fn split(text: &str) -> (&str, Vec<&str>) {
    let text = text.trim();
    let bytes = text.as_bytes();
    // An exclamation mark after a blank, outside of quotes, begins a value.
    let mut marks = Vec::new();
    let mut quoted = false;
    for (i, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'!' if !quoted && i > 0 && bytes[i - 1].is_ascii_whitespace() => marks.push(i),
            _ => {}
        }
    }
    if let Some(&first) = marks.first() {
        let ends = marks[1..].iter().copied().chain([text.len()]);
        let values = marks.iter().zip(ends).map(|(&from, to)| text[from + 1..to].trim());
        return (text[..first].trim(), values.collect());
    }
    if let Some((gate, names)) = text.split_once(|c: char| c.is_ascii_whitespace())
        && OF_DATA.contains(&gate)
    {
        return (gate, names.split_ascii_whitespace().collect());
    }
    let Some(open) = text.find('(').filter(|&open| open > 0 && text.ends_with(')')) else {
        return (text, Vec::new());
    };
    let (mut depth, mut from) = (0usize, open + 1);
    let mut values = Vec::new();
    for (i, &byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                // `a(x)|b(y)`: several actions at once have no common values.
                if depth == 0 && i + 1 < bytes.len() {
                    return (text, Vec::new());
                }
            }
            b',' if depth == 1 => {
                values.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    let last = text[from..text.len() - 1].trim();
    if !last.is_empty() || !values.is_empty() {
        values.push(last);
    }
    (text[..open].trim(), values)
}

/// The actions of a label that happen at once, mCRL2's `a(1)|b(2)`; one for all other labels.
///
/// ```
/// assert_eq!(lts::parts("a(1)|b"), vec!["a(1)", "b"]);
/// assert_eq!(lts::parts("GATE !1|2"), vec!["GATE !1|2"]);
/// ```
pub fn parts(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut depth, mut from) = (0usize, 0);
    let mut all = Vec::new();
    for (i, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 => {
                all.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    all.push(text[from..].trim());
    let action = |part: &&str| {
        let name = part.split('(').next().unwrap_or("");
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'';
        !name.is_empty()
            && name.bytes().all(word)
            && (name.len() == part.len() || part.ends_with(')'))
    };
    if all.len() > 1 && all.iter().all(action) { all } else { vec![text.trim()] }
}
