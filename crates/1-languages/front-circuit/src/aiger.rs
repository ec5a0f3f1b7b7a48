//! AIGER 1.9 in text (`aag M I L O A B C J F`).

use crate::{Circuit, CircuitError, Gate, Latch, NO, YES, lines, wrong};
use rustc_hash::FxHashSet;
use source::Span;

/// The most variables of a file.
const MAX: usize = 1 << 22;

pub(crate) fn parse(text: &str) -> Result<Circuit, CircuitError> {
    let mut all = lines(text).enumerate();
    let (_, (head, span)) = all.next().unwrap_or((0, ("", Span::new(0, 0))));
    let numbers = |line: &str, span: Span| -> Result<Vec<usize>, CircuitError> {
        let number = |word: &str| match word.parse::<usize>() {
            Ok(n) if n <= 2 * MAX + 1 => Ok(n),
            _ => wrong(format!("`{word}` is no number that fits here"), span),
        };
        line.split_whitespace().map(number).collect()
    };
    let mut counts = numbers(head.trim_start_matches("aag"), span)?;
    if !(5..=9).contains(&counts.len()) {
        return wrong("the header is `aag M I L O A`, and up to four numbers more", span);
    }
    counts.resize(9, 0);
    let [m, i, l, o, a, bad, constraints, justice, fair] = counts[..] else {
        return wrong("the header has too many numbers", span);
    };
    if justice > 0 || fair > 0 {
        return wrong("justice and fairness are about infinite runs, and are not read", span);
    }
    if m > MAX || i + l + a > m {
        return wrong("the numbers of the header do not fit each other", span);
    }
    let mut out = Circuit { gates: vec![Gate::No; m + 1], ..Circuit::default() };
    let mut next = |what: &str, least: usize, most: usize| {
        let Some((number, (line, span))) = all.next() else {
            let end = text.len() as u32;
            return wrong(format!("the file ends before {what}"), Span::new(end, end));
        };
        let found = numbers(line, span)?;
        if !(least..=most).contains(&found.len()) || found.iter().any(|n| n / 2 > m) {
            return wrong(format!("expected {what}, found `{line}`"), span);
        }
        Ok((found, span, number as u32 + 1))
    };
    let define = |out: &mut Circuit, lit: usize, gate: Gate, span: Span| {
        let here = &mut out.gates[lit / 2];
        if lit % 2 == 1 || lit == 0 || *here != Gate::No {
            return wrong(format!("{lit} cannot be defined here"), span);
        }
        *here = gate;
        Ok((lit / 2) as u32)
    };
    for _ in 0..i {
        let (found, span, _) = next("an input", 1, 1)?;
        let gate = define(&mut out, found[0], Gate::Input, span)?;
        out.inputs.push(gate);
    }
    for _ in 0..l {
        let (found, span, _) = next("a latch and what it becomes", 2, 3)?;
        let gate = define(&mut out, found[0], Gate::Latch, span)?;
        let first = match found.get(2) {
            None | Some(0) => Some(NO),
            Some(1) => Some(YES),
            Some(lit) if *lit == found[0] => None,
            Some(_) => return wrong("a latch starts with 0, 1, or itself", span),
        };
        out.latches.push(Latch { gate, first, next: Some(found[1] as u32) });
    }
    let mut outputs = Vec::new();
    for _ in 0..o {
        let (found, _, line) = next("an output", 1, 1)?;
        outputs.push((found[0] as u32, line));
    }
    for _ in 0..bad {
        let (found, _, line) = next("a bad state", 1, 1)?;
        out.bad.push((found[0] as u32, line));
    }
    if bad == 0 {
        out.bad = outputs;
    }
    for _ in 0..constraints {
        let (found, ..) = next("a constraint", 1, 1)?;
        out.constraints.push(found[0] as u32);
    }
    let mut ands = Vec::new();
    for _ in 0..a {
        let (found, span, _) = next("a gate and its operands", 3, 3)?;
        let gate = Gate::And(found[1] as u32, found[2] as u32);
        ands.push((define(&mut out, found[0], gate, span)?, span));
    }
    // Symbols.
    let mut taken = FxHashSet::default();
    for (_, (line, span)) in all {
        if line == "c" {
            break;
        }
        let (key, name) = line.split_once(' ').unwrap_or((line, ""));
        let (kind, number) = key.split_at(key.len().min(1));
        let Ok(number) = number.parse::<usize>() else {
            return wrong(format!("expected a symbol or a comment, found `{line}`"), span);
        };
        if kind == "b" && !name.is_empty() {
            out.bad_names.insert(number, name.to_owned());
        }
        let gate = match kind {
            "i" => out.inputs.get(number).copied(),
            "l" => out.latches.get(number).map(|l| l.gate),
            _ => None,
        };
        if let Some(gate) = gate.filter(|_| !name.is_empty() && taken.insert(name)) {
            out.names.push((gate, name.to_owned()));
        }
    }
    order(&mut out, &ands)?;
    Ok(out)
}

/// The gates, operands first: the text format has them in any order.
fn order(out: &mut Circuit, ands: &[(u32, Span)]) -> Result<(), CircuitError> {
    let mut done = vec![false; out.gates.len()];
    for (i, gate) in out.gates.iter().enumerate() {
        done[i] = i == 0 || matches!(gate, Gate::Input | Gate::Latch);
    }
    out.order = out.inputs.iter().copied().chain(out.latches.iter().map(|l| l.gate)).collect();
    let mut open = vec![false; out.gates.len()];
    for &(root, span) in ands {
        let mut stack = vec![root];
        while let Some(&gate) = stack.last() {
            let i = gate as usize;
            let Gate::And(x, y) = out.gates[i] else {
                return wrong(format!("{} is not defined", 2 * gate), span);
            };
            let left: Vec<u32> =
                [x >> 1, y >> 1].into_iter().filter(|g| !done[*g as usize]).collect();
            if done[i] || left.is_empty() {
                stack.pop();
                if !std::mem::replace(&mut done[i], true) {
                    out.order.push(gate);
                }
                continue;
            }
            if std::mem::replace(&mut open[i], true) {
                return wrong(format!("{} depends on itself", 2 * gate), span);
            }
            stack.extend(left);
        }
    }
    let used = out.latches.iter().filter_map(|l| l.next);
    let used = used.chain(out.bad.iter().map(|b| b.0)).chain(out.constraints.iter().copied());
    for lit in used {
        if !done[(lit >> 1) as usize] {
            return wrong(format!("{} is used and not defined", lit & !1), Span::new(0, 0));
        }
    }
    Ok(())
}
