//! The values of constant expressions, as far as they need no knowledge of types: every operand and
//! result is an `int`. What might be unsigned, longer or not a constant has no value here.

use crate::tree::{Binary, ExprId, ExprKind, Sym, Unary, Unit};

/// Larger expressions are not looked into.
const MAX_NODES: usize = 256;

/// The value of an expression, where `name` tells the values of names.
pub(crate) fn constant(
    unit: &Unit,
    root: ExprId,
    name: impl Fn(Sym) -> Option<i64>,
) -> Option<i64> {
    match &unit.expr(root).kind {
        ExprKind::Number(sym) => return number(unit.name(*sym)),
        ExprKind::Name(sym) => return name(*sym),
        ExprKind::Text(_) | ExprKind::Call(..) | ExprKind::Assign(..) => return None,
        _ => {}
    }
    let mut stack = vec![(root, false)];
    let mut values: Vec<Option<i64>> = Vec::new();
    let mut visited = 0;
    while let Some((id, ready)) = stack.pop() {
        visited += 1;
        if visited > 2 * MAX_NODES {
            return None;
        }
        let kind = &unit.expr(id).kind;
        if !ready {
            stack.push((id, true));
            match kind {
                ExprKind::Unary(Unary::Minus | Unary::Plus | Unary::Complement | Unary::Not, a)
                | ExprKind::Cast(_, a) => stack.push((*a, false)),
                ExprKind::Binary(_, a, b) => stack.extend([(*b, false), (*a, false)]),
                ExprKind::Conditional(c, Some(a), b) => {
                    stack.extend([(*b, false), (*a, false), (*c, false)]);
                }
                _ => {}
            }
            continue;
        }
        let mut pop = || values.pop().flatten();
        let value = match kind {
            ExprKind::Number(sym) => number(unit.name(*sym)),
            ExprKind::Name(sym) => name(*sym),
            ExprKind::Unary(op, _) => match op {
                Unary::Minus => pop().map(|a| -a),
                Unary::Plus => pop(),
                Unary::Complement => pop().map(|a| !a),
                Unary::Not => pop().map(|a| i64::from(a == 0)),
                _ => None,
            },
            // Values that every integer type has; a null pointer.
            ExprKind::Cast(..) => pop().filter(|a| (0..128).contains(a)),
            ExprKind::Binary(op, ..) => {
                let (b, a) = (pop(), pop());
                match (op, a, b) {
                    (Binary::And, Some(0), _) | (Binary::And, _, Some(0)) => Some(0),
                    (Binary::Or, Some(1..), _) | (Binary::Or, _, Some(1..)) => Some(1),
                    (_, Some(a), Some(b)) => binary(*op, a, b),
                    _ => None,
                }
            }
            ExprKind::Conditional(_, Some(_), _) => {
                let (b, a, c) = (pop(), pop(), pop());
                match c {
                    Some(0) => b,
                    Some(_) => a,
                    None => None,
                }
            }
            _ => None,
        };
        values.push(value.filter(|v| i32::try_from(*v).is_ok()));
    }
    values.pop().flatten()
}

pub(crate) fn binary(op: Binary, a: i64, b: i64) -> Option<i64> {
    // Both fit 32 bits, so nothing here overflows.
    Some(match op {
        Binary::Mul => a * b,
        Binary::Div => a.checked_div(b)?,
        Binary::Rem => a.checked_rem(b)?,
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Shl if (0..32).contains(&b) && a >= 0 => a << b,
        Binary::Shr if (0..32).contains(&b) && a >= 0 => a >> b,
        Binary::Shl | Binary::Shr => return None,
        Binary::Lt => i64::from(a < b),
        Binary::Gt => i64::from(a > b),
        Binary::Le => i64::from(a <= b),
        Binary::Ge => i64::from(a >= b),
        Binary::Eq => i64::from(a == b),
        Binary::Ne => i64::from(a != b),
        Binary::BitAnd => a & b,
        Binary::BitXor => a ^ b,
        Binary::BitOr => a | b,
        Binary::And => i64::from(a != 0 && b != 0),
        Binary::Or => i64::from(a != 0 || b != 0),
    })
}

/// The value of a literal that is an `int` (or a `long` that could be one).
pub(crate) fn number(text: &str) -> Option<i64> {
    if let Some(body) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        return character(body);
    }
    let lower = text.to_ascii_lowercase().replace('\'', "");
    let digits = lower.trim_end_matches('l');
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        i64::from_str_radix(hex, 16)
    } else if let Some(bits) = digits.strip_prefix("0b") {
        i64::from_str_radix(bits, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse()
    };
    value.ok().filter(|v| i32::try_from(*v).is_ok())
}

fn character(body: &str) -> Option<i64> {
    let mut chars = body.chars();
    let first = chars.next()?;
    if first != '\\' {
        return (chars.next().is_none() && first.is_ascii()).then_some(i64::from(u32::from(first)));
    }
    let rest = chars.as_str();
    Some(match rest {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "e" => 27,
        "\\" => 92,
        "'" => 39,
        "\"" => 34,
        "?" => 63,
        _ => {
            let value = match rest.strip_prefix('x') {
                Some(hex) => i64::from_str_radix(hex, 16).ok()?,
                None => i64::from_str_radix(rest, 8).ok()?,
            };
            // Whether `char` has a sign is the machine's business.
            return (0..128).contains(&value).then_some(value);
        }
    })
}
