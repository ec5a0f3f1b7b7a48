//! Predicates as C writes them, over variables that are given.

use crate::execute::Class;
use crate::terms::{Cmp, Op, Term, Terms};

/// A word, and how it is computed with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) term: Term,
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

impl Value {
    pub(crate) fn of(term: Term, class: Class) -> Value {
        Value { term, bits: class.bits, signed: class.signed }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Name(String),
    Number(u128, u32, bool),
    Sign(&'static str),
}

/// Signs, longer ones first.
const SIGNS: [&str; 22] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "&", "|",
    "^", "~", "!", "(", ")",
];

/// How tightly an operator of two operands binds.
fn binds(sign: &str) -> Option<u8> {
    Some(match sign {
        "*" | "/" | "%" => 10,
        "+" | "-" => 9,
        "<<" | ">>" => 8,
        "<" | ">" | "<=" | ">=" => 7,
        "==" | "!=" => 6,
        "&" => 5,
        "^" => 4,
        "|" => 3,
        "&&" => 2,
        "||" => 1,
        _ => return None,
    })
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            out.push(number(&rest[..end])?);
            rest = &rest[end..];
        } else if first.is_ascii_alphabetic() || first == '_' {
            let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let end = rest.find(|c: char| !inside(c)).unwrap_or(rest.len());
            out.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
            let sign = sign.ok_or_else(|| format!("`{first}` has no meaning in a predicate"))?;
            out.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
        rest = rest.trim_start();
    }
    Ok(out)
}

/// A constant with the type that C gives it.
fn number(text: &str) -> Result<Token, String> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    let value = u64::from_str_radix(digits, radix)
        .map_err(|_| format!("`{text}` is no number that a predicate may have"))?;
    let mut unsigned = suffix.contains('u');
    let fits = |bits: u32, unsigned: bool| {
        let room = if unsigned { bits } else { bits - 1 };
        room >= 64 || value < 1 << room
    };
    let mut bits = if suffix.contains('l') { 64 } else { 32 };
    if bits == 32 && !fits(32, unsigned) {
        match radix != 10 && fits(32, true) {
            true => unsigned = true,
            false => bits = 64,
        }
    }
    if bits == 64 && !fits(64, unsigned) {
        unsigned = true;
    }
    Ok(Token::Number(value.into(), bits, !unsigned))
}

/// The truth of a predicate. Operands and operators wait on stacks, as nesting may be deep.
pub(crate) fn truth(
    terms: &mut Terms,
    text: &str,
    lookup: &mut dyn FnMut(&mut Terms, &str) -> Result<Value, String>,
) -> Result<Term, String> {
    let mut values: Vec<Value> = Vec::new();
    // Operators with one operand are marked.
    let mut waiting: Vec<(&'static str, bool)> = Vec::new();
    let mut operand = true;
    for token in tokens(text)? {
        match token {
            Token::Name(_) | Token::Number(..) if !operand => {
                return Err("an operator is missing".to_owned());
            }
            Token::Name(name) => {
                values.push(lookup(terms, &name)?);
                operand = false;
            }
            Token::Number(value, bits, signed) => {
                let term = terms.number(bits, value);
                values.push(Value { term, bits, signed });
                operand = false;
            }
            Token::Sign("(") if operand => waiting.push(("(", false)),
            Token::Sign(")") if !operand => loop {
                match waiting.pop() {
                    Some(("(", _)) => break,
                    Some(top) => apply(terms, top, &mut values)?,
                    None => return Err("`)` without `(`".to_owned()),
                }
            },
            Token::Sign(sign @ ("-" | "~" | "!" | "+")) if operand => waiting.push((sign, true)),
            Token::Sign(sign) if operand => {
                return Err(format!(
                    "`{sign}` has no left operand; a predicate has no `*p`, `&x` or casts"
                ));
            }
            Token::Sign(sign) => {
                let Some(binding) = binds(sign) else {
                    return Err(format!("`{sign}` is misplaced"));
                };
                while let Some(&top) = waiting.last() {
                    let holds =
                        top.0 != "(" && (top.1 || binds(top.0).is_some_and(|b| b >= binding));
                    if !holds {
                        break;
                    }
                    waiting.pop();
                    apply(terms, top, &mut values)?;
                }
                waiting.push((sign, false));
                operand = true;
            }
        }
    }
    if operand {
        return Err("an operand is missing".to_owned());
    }
    while let Some(top) = waiting.pop() {
        if top.0 == "(" {
            return Err("`(` without `)`".to_owned());
        }
        apply(terms, top, &mut values)?;
    }
    match values[..] {
        [one] => Ok(terms.is_true(one.term)),
        _ => Err("it is no expression".to_owned()),
    }
}

/// What is smaller than `int` is computed with as `int`.
fn promoted(terms: &mut Terms, v: Value) -> Value {
    match v.bits < 32 {
        true => Value { term: terms.extend(v.term, 32, v.signed), bits: 32, signed: true },
        false => v,
    }
}

fn flag(terms: &mut Terms, truth: Term) -> Value {
    Value { term: terms.extend(truth, 32, false), bits: 32, signed: true }
}

fn apply(
    terms: &mut Terms,
    (sign, one): (&str, bool),
    values: &mut Vec<Value>,
) -> Result<(), String> {
    let missing = || "an operand is missing".to_owned();
    let b = values.pop().ok_or_else(missing)?;
    if one {
        let b = promoted(terms, b);
        values.push(match sign {
            "-" => {
                let zero = terms.number(b.bits, 0);
                Value { term: terms.op(Op::Sub, zero, b.term), ..b }
            }
            "~" => Value { term: terms.not(b.term), ..b },
            "!" => {
                let truth = terms.is_true(b.term);
                let not = terms.not(truth);
                flag(terms, not)
            }
            _ => b,
        });
        return Ok(());
    }
    let a = values.pop().ok_or_else(missing)?;
    if let "&&" | "||" = sign {
        let (x, y) = (terms.is_true(a.term), terms.is_true(b.term));
        let truth = if sign == "&&" { terms.and(x, y) } else { terms.op(Op::Or, x, y) };
        values.push(flag(terms, truth));
        return Ok(());
    }
    let (mut a, mut b) = (promoted(terms, a), promoted(terms, b));
    if let "<<" | ">>" = sign {
        let by = terms.resized(b.term, a.bits.trailing_zeros(), false);
        let by = terms.extend(by, a.bits, false);
        let op = match (sign, a.signed) {
            ("<<", _) => Op::Shl,
            (_, true) => Op::ShrS,
            _ => Op::ShrU,
        };
        values.push(Value { term: terms.op(op, a.term, by), ..a });
        return Ok(());
    }
    let bits = a.bits.max(b.bits);
    let signed = [a, b].iter().all(|v| v.signed || v.bits < bits);
    for v in [&mut a, &mut b] {
        *v = Value { term: terms.extend(v.term, bits, v.signed), bits, signed };
    }
    let (x, y) = (a.term, b.term);
    let (less, up_to) = if signed { (Cmp::LtS, Cmp::LeS) } else { (Cmp::LtU, Cmp::LeU) };
    let truth = match sign {
        "<" => Some(terms.compare(less, x, y)),
        ">" => Some(terms.compare(less, y, x)),
        "<=" => Some(terms.compare(up_to, x, y)),
        ">=" => Some(terms.compare(up_to, y, x)),
        "==" => Some(terms.equal(x, y)),
        "!=" => {
            let is = terms.equal(x, y);
            Some(terms.not(is))
        }
        _ => None,
    };
    if let Some(truth) = truth {
        values.push(flag(terms, truth));
        return Ok(());
    }
    let op = match (sign, signed) {
        ("+", _) => Op::Add,
        ("-", _) => Op::Sub,
        ("*", _) => Op::Mul,
        ("/", true) => Op::DivS,
        ("/", false) => Op::DivU,
        ("%", true) => Op::RemS,
        ("%", false) => Op::RemU,
        ("&", _) => Op::And,
        ("^", _) => Op::Xor,
        _ => Op::Or,
    };
    values.push(Value { term: terms.op(op, x, y), bits, signed });
    Ok(())
}
