//! What points say: the source text of statements, and of what a way out of a condition takes for
//! granted.

use crate::tree::{Binary, ExprId, ExprKind, Unary, Unit};

/// Longer texts of points are cut.
const MAX_TEXT: usize = 160;

/// A slice of the source on one line, without line markers, between two words.
pub(crate) fn on_one_line(prefix: &str, slice: &str, suffix: &str) -> Box<str> {
    let mut out = String::with_capacity(prefix.len() + slice.len().min(MAX_TEXT) + 2);
    out.push_str(prefix);
    'lines: for (i, line) in slice.split('\n').enumerate() {
        let line = line.trim();
        // Line markers within an expression.
        if line.is_empty() || (i > 0 && line.starts_with('#')) {
            continue;
        }
        let mut space = i > 0 && !out.ends_with(['(', ' ']);
        for c in line.chars() {
            if c.is_whitespace() {
                space = true;
                continue;
            }
            if out.len() > MAX_TEXT {
                out.push('…');
                break 'lines;
            }
            if space {
                out.push(' ');
                space = false;
            }
            out.push(c);
        }
    }
    out.push_str(suffix);
    out.into()
}

/// The end of a text that may stop before parentheses which it opens: those are included.
pub(crate) fn closed(unit: &Unit, from: u32, to: u32) -> u32 {
    let mut open = 0usize;
    let mut quote = None;
    let mut chars = unit.slice(from, to).chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => open += 1,
            (None, ')') => open = open.saturating_sub(1),
            (None, _) => {}
        }
    }
    let mut end = to;
    let rest = unit.slice(to, unit.text.len() as u32);
    for (i, c) in rest.char_indices() {
        match c {
            _ if open == 0 => break,
            ')' => {
                open -= 1;
                end = to + i as u32 + 1;
            }
            c if c.is_whitespace() => {}
            _ => break,
        }
    }
    end
}

/// The opposite of a condition, as people write it: `a < b` for `a >= b`, else `!a` or `!(a)`.
pub(crate) fn opposite(unit: &Unit, e: ExprId) -> Box<str> {
    let expr = unit.expr(e);
    let whole = unit.slice(expr.at.offset, expr.end);
    match expr.kind {
        ExprKind::Unary(Unary::Not, x) => {
            let inner = unit.expr(x);
            return on_one_line("", unit.slice(inner.at.offset, inner.end), "");
        }
        ExprKind::Binary(op, a, b) => {
            // The operator stands between the operands, parentheses around these left aside.
            let (a, b) = (unit.expr(a).end, unit.expr(b).at.offset);
            let between = unit.slice(a, b);
            if let Some((is, is_not)) = opposites(op)
                && let Some(at) = between.find(is)
            {
                let (before, after) = (&between[..at], &between[at + is.len()..]);
                let (left, right) = (unit.slice(expr.at.offset, a), unit.slice(b, expr.end));
                return on_one_line("", &format!("{left}{before}{is_not}{after}{right}"), "");
            }
        }
        ExprKind::Name(_)
        | ExprKind::Call(..)
        | ExprKind::Index(..)
        | ExprKind::Field(..)
        | ExprKind::Arrow(..)
        | ExprKind::Unary(Unary::Deref, _) => return on_one_line("!", whole, ""),
        _ => {}
    }
    on_one_line("!(", whole, ")")
}

fn opposites(op: Binary) -> Option<(&'static str, &'static str)> {
    Some(match op {
        Binary::Eq => ("==", "!="),
        Binary::Ne => ("!=", "=="),
        Binary::Lt => ("<", ">="),
        Binary::Ge => (">=", "<"),
        Binary::Gt => (">", "<="),
        Binary::Le => ("<=", ">"),
        _ => return None,
    })
}

/// `assert(c)` for the text of the condition as the macro hands it to `__assert_fail`: a literal.
pub(crate) fn assertion(unit: &Unit, argument: ExprId) -> Option<Box<str>> {
    let ExprKind::Text(literal) = unit.expr(argument).kind else { return None };
    let inside = unit.name(literal).strip_prefix('"')?.strip_suffix('"')?;
    let mut condition = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return None,
            '\\' => condition.extend(chars.next()),
            c => condition.push(c),
        }
    }
    Some(format!("assert({condition})").into())
}
