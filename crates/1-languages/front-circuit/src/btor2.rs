//! BTOR2: words of up to 64 bits, bit by bit.

use crate::words::{Maker, Word};
use crate::{Circuit, CircuitError, Gate, Latch, Lit, NO, YES, lines, wrong};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

/// The widest word, and the most gates.
const MAX_BITS: usize = 64;
const MAX_GATES: usize = 1 << 22;

#[derive(Default)]
struct Reader {
    names: FxHashSet<String>,
    sorts: FxHashMap<u64, usize>,
    words: FxHashMap<u64, Word>,
    /// States: their first values, and what they become.
    states: Vec<(u64, Option<Word>, Option<Word>)>,
    maker: Maker,
}

pub(crate) fn parse(text: &str) -> Result<Circuit, CircuitError> {
    let mut r = Reader { maker: Maker::new(), ..Reader::default() };
    for (number, (line, span)) in lines(text).enumerate() {
        let plain = line.split(';').next().unwrap_or("").trim();
        if plain.is_empty() {
            continue;
        }
        let words: Vec<&str> = plain.split_whitespace().collect();
        r.line(&words, number as u32 + 1, span)?;
        if r.maker.circuit.gates.len() > MAX_GATES {
            return wrong("the circuit has too many gates", span);
        }
    }
    let mut out = r.maker.circuit;
    for (id, first, next) in r.states {
        for (i, &bit) in r.words[&id].iter().enumerate() {
            let (first, next) = (first.as_ref().map(|w| w[i]), next.as_ref().map(|w| w[i]));
            out.latches.push(Latch { gate: bit >> 1, first, next });
        }
    }
    Ok(out)
}

impl Reader {
    fn line(&mut self, words: &[&str], line: u32, span: Span) -> Result<(), CircuitError> {
        let number = |word: Option<&&str>| match word.and_then(|w| w.parse::<u64>().ok()) {
            Some(n) => Ok(n),
            None => wrong("expected a number", span),
        };
        let id = number(words.first())?;
        let Some(&op) = words.get(1) else { return wrong("expected an operator", span) };
        let arg = |i: usize| number(words.get(i));
        match op {
            "sort" => match words.get(2) {
                Some(&"bitvec") => {
                    let bits = arg(3)? as usize;
                    if !(1..=MAX_BITS).contains(&bits) {
                        return wrong(
                            format!("words have 1 to {MAX_BITS} bits here, not {bits}"),
                            span,
                        );
                    }
                    self.sorts.insert(id, bits);
                    return Ok(());
                }
                Some(&"array") => return wrong("arrays are not read", span),
                _ => return wrong("expected `bitvec` or `array`", span),
            },
            "bad" | "constraint" => {
                let word = self.operand(words.get(2), span)?;
                let bit = self.maker.fold(&word, NO, Maker::or);
                match op {
                    "bad" => {
                        let circuit = &mut self.maker.circuit;
                        if let Some(name) = words.get(3).filter(|name| !name.starts_with(';')) {
                            circuit.bad_names.insert(circuit.bad.len(), (*name).to_owned());
                        }
                        circuit.bad.push((bit, line));
                    }
                    _ => self.maker.circuit.constraints.push(bit),
                }
                return Ok(());
            }
            "output" => return Ok(()),
            "fair" | "justice" => {
                return wrong(format!("`{op}` is about infinite runs, and is not read"), span);
            }
            "init" | "next" => {
                let state = arg(3)?;
                let value = self.operand(words.get(4), span)?;
                let Some(entry) = self.states.iter_mut().find(|s| s.0 == state) else {
                    return wrong(format!("{state} is no state"), span);
                };
                if self.words[&state].len() != value.len() {
                    return wrong("the widths differ", span);
                }
                if op == "init" && value.iter().any(|l| l >> 1 != 0) {
                    return wrong("a state starts with a constant here, or with anything", span);
                }
                let place = if op == "init" { &mut entry.1 } else { &mut entry.2 };
                if place.replace(value).is_some() {
                    return wrong(format!("`{op}` of {state} is given twice"), span);
                }
                return Ok(());
            }
            "read" | "write" => return wrong("arrays are not read", span),
            _ => {}
        }
        let sort = arg(2)?;
        let Some(&bits) = self.sorts.get(&sort) else {
            return wrong(format!("{sort} is no sort"), span);
        };
        if self.words.contains_key(&id) {
            return wrong(format!("{id} is defined twice"), span);
        }
        let word = match op {
            "input" | "state" => {
                let gate = if op == "input" { Gate::Input } else { Gate::Latch };
                let word: Word = (0..bits).map(|_| self.maker.fresh(gate)).collect();
                let plain = words.get(3).map_or_else(|| format!("{op}{id}"), |w| (*w).to_owned());
                for (i, lit) in word.iter().enumerate() {
                    let name = if bits == 1 { plain.clone() } else { format!("{plain}.{i}") };
                    let name =
                        if self.names.contains(&name) { format!("{name}#{id}") } else { name };
                    self.names.insert(name.clone());
                    self.maker.circuit.names.push((lit >> 1, name));
                }
                match op {
                    "input" => self.maker.circuit.inputs.extend(word.iter().map(|l| l >> 1)),
                    _ => self.states.push((id, None, None)),
                }
                word
            }
            _ => self.value(op, bits, words, span)?,
        };
        if word.len() != bits {
            return wrong(format!("the sort has {bits} bits, and the value {}", word.len()), span);
        }
        self.words.insert(id, word);
        Ok(())
    }

    /// An operand; a minus negates it bit by bit.
    fn operand(&self, word: Option<&&str>, span: Span) -> Result<Word, CircuitError> {
        let Some(word) = word else { return wrong("an operand is missing", span) };
        let (plain, not) = match word.strip_prefix('-') {
            Some(plain) => (plain, 1),
            None => (*word, 0),
        };
        match plain.parse::<u64>().ok().and_then(|id| self.words.get(&id)) {
            Some(found) => Ok(found.iter().map(|l| l ^ not).collect()),
            None => wrong(format!("`{plain}` is not defined"), span),
        }
    }

    fn value(
        &mut self,
        op: &str,
        bits: usize,
        words: &[&str],
        span: Span,
    ) -> Result<Word, CircuitError> {
        let constant = |text: &str, radix: u32| {
            let (digits, negative) = match text.strip_prefix('-') {
                Some(digits) => (digits, true),
                None => (text, false),
            };
            match u64::from_str_radix(digits, radix) {
                Ok(n) => Ok(if negative { n.wrapping_neg() } else { n }),
                Err(_) => wrong(format!("`{text}` is no number"), span),
            }
        };
        let spread = |n: u64| -> Word { (0..bits).map(|i| Lit::from(n >> i & 1 == 1)).collect() };
        let text = words.get(3).copied().unwrap_or("");
        match op {
            "zero" => return Ok(spread(0)),
            "one" => return Ok(spread(1)),
            "ones" => return Ok(vec![YES; bits]),
            "const" => return Ok(spread(constant(text, 2)?)),
            "constd" => return Ok(spread(constant(text, 10)?)),
            "consth" => return Ok(spread(constant(text, 16)?)),
            _ => {}
        }
        let a = self.operand(words.get(3), span)?;
        let number = |i: usize| match words.get(i).and_then(|w| w.parse::<usize>().ok()) {
            Some(n) if n <= MAX_BITS => Ok(n),
            _ => wrong("expected a small number", span),
        };
        let m = &mut self.maker;
        let one = |lit: Lit| vec![lit];
        let zero = vec![NO; a.len()];
        match op {
            "not" => return Ok(a.iter().map(|l| l ^ 1).collect()),
            "inc" => return Ok(m.sum(&a, &zero, YES).0),
            "dec" => return Ok(m.sum(&a, &vec![YES; a.len()], NO).0),
            "neg" => return Ok(m.negated_if(&a, YES)),
            "redand" => return Ok(one(m.fold(&a, YES, Maker::and))),
            "redor" => return Ok(one(m.fold(&a, NO, Maker::or))),
            "redxor" => return Ok(one(m.fold(&a, NO, Maker::xor))),
            "uext" | "sext" => {
                let fill = if op == "sext" { a[a.len() - 1] } else { NO };
                let mut word = a;
                word.resize(word.len() + number(4)?, fill);
                return Ok(word);
            }
            "slice" => {
                let (high, low) = (number(4)?, number(5)?);
                return match low <= high && high < a.len() {
                    true => Ok(a[low..=high].to_vec()),
                    false => wrong("the slice leaves the word", span),
                };
            }
            _ => {}
        }
        let b = self.operand(words.get(4), span)?;
        if op == "concat" {
            return Ok(b.into_iter().chain(a).collect());
        }
        if op == "ite" {
            let c = self.operand(words.get(5), span)?;
            return match a.len() == 1 && b.len() == c.len() {
                true => Ok(self.maker.ite(a[0], &b, &c)),
                false => wrong("the widths differ", span),
            };
        }
        if a.len() != b.len() {
            return wrong("the widths differ", span);
        }
        self.binary(op, &a, &b, span)
    }

    fn binary(&mut self, op: &str, a: &[Lit], b: &[Lit], span: Span) -> Result<Word, CircuitError> {
        let m = &mut self.maker;
        let n = a.len();
        let (sign_a, sign_b) = (a[n - 1], b[n - 1]);
        let not = |word: Word| -> Word { word.iter().map(|l| l ^ 1).collect() };
        Ok(match op {
            "and" => m.each(a, b, Maker::and),
            "nand" => not(m.each(a, b, Maker::and)),
            "or" => m.each(a, b, Maker::or),
            "nor" => not(m.each(a, b, Maker::or)),
            "xor" => m.each(a, b, Maker::xor),
            "xnor" => not(m.each(a, b, Maker::xor)),
            "implies" => m.each(&not(a.to_vec()), b, Maker::or),
            "iff" | "eq" => vec![m.equal(a, b)],
            "neq" => vec![m.equal(a, b) ^ 1],
            "ult" | "slt" => vec![m.less(a, b, op == "slt")],
            "ugt" | "sgt" => vec![m.less(b, a, op == "sgt")],
            "ulte" | "slte" => vec![m.less(b, a, op == "slte") ^ 1],
            "ugte" | "sgte" => vec![m.less(a, b, op == "sgte") ^ 1],
            "add" => m.sum(a, b, NO).0,
            "sub" => m.difference(a, b).0,
            "mul" => m.product(a, b),
            "udiv" => m.divided(a, b).0,
            "urem" => m.divided(a, b).1,
            "sdiv" | "srem" | "smod" => {
                let (x, y) = (m.negated_if(a, sign_a), m.negated_if(b, sign_b));
                let (quotient, rest) = m.divided(&x, &y);
                match op {
                    "sdiv" => {
                        let sign = m.xor(sign_a, sign_b);
                        m.negated_if(&quotient, sign)
                    }
                    "srem" => m.negated_if(&rest, sign_a),
                    _ => {
                        // It has the sign of the divisor.
                        let rest = m.negated_if(&rest, sign_a);
                        let some = m.fold(&rest, NO, Maker::or);
                        let differ = m.xor(sign_a, sign_b);
                        let moves = m.and(some, differ);
                        let moved = m.sum(&rest, b, NO).0;
                        m.ite(moves, &moved, &rest)
                    }
                }
            }
            "sll" => m.shifted(a, b, true, Some(NO)),
            "srl" => m.shifted(a, b, false, Some(NO)),
            "sra" => m.shifted(a, b, false, Some(sign_a)),
            "rol" => m.shifted(a, b, true, None),
            "ror" => m.shifted(a, b, false, None),
            "uaddo" => vec![m.sum(a, b, NO).1],
            "usubo" => vec![m.difference(a, b).1 ^ 1],
            "saddo" | "ssubo" | "smulo" | "umulo" | "sdivo" => {
                let signed = op != "umulo";
                let wide = |word: &[Lit]| {
                    let fill = if signed { word[n - 1] } else { NO };
                    let mut word = word.to_vec();
                    word.resize(2 * n, fill);
                    word
                };
                let (x, y) = (wide(a), wide(b));
                let whole = match op {
                    "saddo" => m.sum(&x, &y, NO).0,
                    "ssubo" => m.difference(&x, &y).0,
                    "sdivo" => {
                        let least: Word = (0..n).map(|i| Lit::from(i == n - 1)).collect();
                        let (p, q) = (m.equal(a, &least), m.equal(b, &vec![YES; n]));
                        return Ok(vec![m.and(p, q)]);
                    }
                    _ => m.product(&x, &y),
                };
                let fits = m.equal(&whole, &wide(&whole[..n]));
                vec![fits ^ 1]
            }
            _ => return wrong(format!("`{op}` is no operator that is read"), span),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an operator says of two constants: they fold.
    fn computed(op: &str, n: usize, a: u64, b: u64, out: usize) -> u64 {
        let text = format!(
            "1 sort bitvec {n}\n2 sort bitvec {out}\n3 constd 1 {a}\n4 constd 1 {b}\n5 {op} 2 3 4\n6 sort bitvec 1\n"
        );
        let mut text = text;
        for i in 0..out {
            text +=
                &format!("{} slice 6 5 {i} {i}\n{} bad {}\n", 10 + 2 * i, 11 + 2 * i, 10 + 2 * i);
        }
        let circuit = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let bits = circuit.bad.iter().enumerate();
        bits.map(|(i, (lit, _))| {
            assert!(*lit < 2, "{op} {a} {b} is no constant");
            u64::from(*lit) << i
        })
        .sum()
    }

    /// Every operator on all words of three and four bits, against numbers.
    #[test]
    fn operators_compute() {
        for n in [3usize, 4] {
            let size = 1i64 << n;
            let mask = size as u64 - 1;
            let s = |x: u64| if x as i64 >= size / 2 { x as i64 - size } else { x as i64 };
            let wrap = |x: i64| x as u64 & mask;
            let over = |x: i64| u64::from(x < -size / 2 || x >= size / 2);
            for a in 0..size as u64 {
                for b in 0..size as u64 {
                    let (x, y) = (s(a), s(b));
                    let turn = b % n as u64;
                    let words: [(&str, u64); 17] = [
                        ("add", wrap(x + y)),
                        ("sub", wrap(x - y)),
                        ("mul", wrap(x * y)),
                        ("and", a & b),
                        ("nand", !(a & b) & mask),
                        ("xor", a ^ b),
                        ("xnor", !(a ^ b) & mask),
                        ("nor", !(a | b) & mask),
                        ("udiv", a.checked_div(b).unwrap_or(mask)),
                        ("urem", a.checked_rem(b).unwrap_or(a)),
                        (
                            "sdiv",
                            if y == 0 { wrap(if x < 0 { 1 } else { -1 }) } else { wrap(x / y) },
                        ),
                        ("srem", if y == 0 { a } else { wrap(x % y) }),
                        ("sll", if b < n as u64 { a << b & mask } else { 0 }),
                        ("srl", if b < n as u64 { a >> b } else { 0 }),
                        ("sra", wrap(x >> b.min(62))),
                        ("rol", (a << turn | a >> ((n as u64 - turn) % n as u64)) & mask),
                        ("ror", (a >> turn | a << ((n as u64 - turn) % n as u64)) & mask),
                    ];
                    for (op, expected) in words {
                        assert_eq!(computed(op, n, a, b, n), expected, "{op} {a} {b}, {n} bits");
                    }
                    if y != 0 {
                        let expected = wrap(
                            x.rem_euclid(y.abs())
                                + if y < 0 && x.rem_euclid(y.abs()) != 0 { y } else { 0 },
                        );
                        assert_eq!(computed("smod", n, a, b, n), expected, "smod {a} {b}");
                    }
                    let flags: [(&str, u64); 15] = [
                        ("eq", u64::from(a == b)),
                        ("neq", u64::from(a != b)),
                        ("ult", u64::from(a < b)),
                        ("ulte", u64::from(a <= b)),
                        ("ugt", u64::from(a > b)),
                        ("ugte", u64::from(a >= b)),
                        ("slt", u64::from(x < y)),
                        ("slte", u64::from(x <= y)),
                        ("sgt", u64::from(x > y)),
                        ("sgte", u64::from(x >= y)),
                        ("uaddo", u64::from(a + b > mask)),
                        ("usubo", u64::from(a < b)),
                        ("umulo", u64::from(a * b > mask)),
                        ("saddo", over(x + y)),
                        ("smulo", over(x * y)),
                    ];
                    for (op, expected) in flags {
                        assert_eq!(computed(op, n, a, b, 1), expected, "{op} {a} {b}, {n} bits");
                    }
                    assert_eq!(computed("ssubo", n, a, b, 1), over(x - y), "ssubo {a} {b}");
                    assert_eq!(computed("concat", n, a, b, 2 * n), a << n | b, "concat {a} {b}");
                }
            }
        }
    }
}
