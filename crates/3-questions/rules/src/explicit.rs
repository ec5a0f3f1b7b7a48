//! Automata that rules write out.
//!
//! ```text
//! automaton {
//!   count refs 3 up on arg(Py_INCREF, 1, p) down on arg(Py_DECREF, 1, p);
//!   start -> owned on result(PyList_New, p) set 1;
//!   owned -> error on arg(Py_DECREF, 1, p) when refs == 0;
//! }
//! ```
//!
//! It begins in the state of the first arrow. Of the arrows from a state whose condition holds of a
//! letter, the first is taken; without one, the state stays. `error` ends the run: the rule is
//! violated. A counter begins at 0 and is counted up and down by the letters that say so, but not in the
//! first state, and not by one on which `set` gives it a value; a guard `when` sees it before that. One
//! that has reached its limit stands for that number or more, and stays there.

use crate::rule::{Comparison, Parser, RuleError};
use automata::sere::{Condition, ConditionId, Nfa, violations};
use std::collections::BTreeMap;

/// States and counts together.
const MAX_STATES: usize = 500;

struct Arrow {
    from: usize,
    to: usize,
    condition: ConditionId,
    when: Option<(Comparison, i64)>,
    set: Option<i64>,
}

struct Counter {
    name: String,
    limit: i64,
    up: ConditionId,
    down: ConditionId,
}

/// Reads an automaton, from the brace on.
pub(crate) fn automaton(parser: &mut Parser<'_>) -> Result<Nfa, RuleError> {
    parser.expect("{")?;
    let mut nfa = Nfa {
        atoms: Vec::new(),
        conditions: vec![Condition::Constant(false)],
        transitions: Vec::new(),
        accepting: Vec::new(),
    };
    let mut states: Vec<String> = Vec::new();
    let mut arrows: Vec<Arrow> = Vec::new();
    let mut counter: Option<Counter> = None;
    let state = |states: &mut Vec<String>, name: &str| match states.iter().position(|s| s == name) {
        Some(found) => found,
        None => {
            states.push(name.to_owned());
            states.len() - 1
        }
    };
    loop {
        parser.space();
        if parser.rest().starts_with('}') {
            parser.pos += 1;
            break;
        }
        let start = parser.pos;
        if parser.keyword("count") {
            let name = parser.word("the name of a counter")?.to_owned();
            let limit = parser.number()?;
            if !(1..=20).contains(&limit) || counter.is_some() {
                return Err(parser.fail_at(start, "expected one counter, with a limit of 1 to 20"));
            }
            let mut found = Counter { name, limit, up: 0, down: 0 };
            while !parser.rest().trim_start().starts_with(';') {
                let up = parser.keyword("up");
                if !up && !parser.keyword("down") {
                    return Err(parser.fail("expected `up`, `down` or `;`"));
                }
                parser.expect("on")?;
                let condition = condition(parser, &mut nfa)?;
                if up { found.up = condition } else { found.down = condition }
            }
            counter = Some(found);
        } else {
            let from = parser.word("a state")?;
            if from == "error" {
                return Err(parser.fail_at(start, "there is no way out of `error`"));
            }
            let from = state(&mut states, from);
            parser.expect("->")?;
            let to = parser.word("a state")?;
            let to = state(&mut states, to);
            parser.expect("on")?;
            let on = condition(parser, &mut nfa)?;
            let (mut when, mut set) = (None, None);
            loop {
                if parser.keyword("when") {
                    parser.space();
                    let at = parser.pos;
                    let name = parser.word("the counter")?;
                    if counter.as_ref().is_none_or(|c| c.name != name) {
                        return Err(parser.fail_at(at, "no counter of that name stands above"));
                    }
                    when = Some((parser.comparison()?, parser.number()?));
                } else if parser.keyword("set") {
                    set = Some(parser.number()?.clamp(0, 20));
                } else {
                    break;
                }
            }
            arrows.push(Arrow { from, to, condition: on, when, set });
        }
        parser.expect(";")?;
    }
    if states.is_empty() || !states.iter().any(|s| s == "error") {
        return Err(parser.fail("expected arrows, one of them to `error`"));
    }
    build(parser, nfa, &states, &arrows, counter.as_ref())
}

fn build(
    parser: &Parser<'_>,
    mut nfa: Nfa,
    states: &[String],
    arrows: &[Arrow],
    counter: Option<&Counter>,
) -> Result<Nfa, RuleError> {
    let limit = counter.map_or(0, |c| c.limit);
    let mut numbers: BTreeMap<(usize, i64), u32> = BTreeMap::from([((0, 0), 0)]);
    let mut todo = vec![(0usize, 0i64)];
    let mut transitions = Vec::new();
    let mut accepting = vec![states[0] == "error"];
    while let Some((state, count)) = todo.pop() {
        let from = numbers[&(state, count)];
        if states[state] == "error" {
            continue;
        }
        let mut rest = add(&mut nfa, Condition::Constant(true));
        let mut cases: Vec<(ConditionId, usize, Option<i64>)> = Vec::new();
        for arrow in arrows.iter().filter(|a| a.from == state) {
            if let Some((comparison, number)) = arrow.when
                && !comparison.meets(number, Comparison::Eq, count)
            {
                continue;
            }
            let here = add(&mut nfa, Condition::And(rest, arrow.condition));
            cases.push((here, arrow.to, arrow.set));
            let not = add(&mut nfa, Condition::Not(arrow.condition));
            rest = add(&mut nfa, Condition::And(rest, not));
        }
        cases.push((rest, state, None));
        for (condition, to, set) in cases {
            let mut steps: Vec<(ConditionId, i64)> = Vec::new();
            match (counter, set) {
                (_, Some(value)) => steps.push((condition, value.min(limit))),
                (None, None) => steps.push((condition, 0)),
                (Some(_), None) if count == limit || state == 0 => steps.push((condition, count)),
                (Some(c), None) => {
                    let (up, down) = (c.up, c.down);
                    let no_up = add(&mut nfa, Condition::Not(up));
                    let no_down = add(&mut nfa, Condition::Not(down));
                    let only_up = add(&mut nfa, Condition::And(up, no_down));
                    let only_down = add(&mut nfa, Condition::And(down, no_up));
                    let (a, b) = (
                        add(&mut nfa, Condition::Not(only_up)),
                        add(&mut nfa, Condition::Not(only_down)),
                    );
                    let neither = add(&mut nfa, Condition::And(a, b));
                    for (when, new) in [
                        (only_up, (count + 1).min(limit)),
                        (only_down, (count - 1).max(0)),
                        (neither, count),
                    ] {
                        steps.push((add(&mut nfa, Condition::And(condition, when)), new));
                    }
                }
            }
            for (condition, new) in steps {
                // All errors are one.
                let target = if states[to] == "error" { (to, 0) } else { (to, new) };
                let next = numbers.len() as u32;
                let number = *numbers.entry(target).or_insert(next);
                if number == next {
                    accepting.push(states[to] == "error");
                    todo.push(target);
                    if accepting.len() > MAX_STATES {
                        return Err(parser.fail("too many states"));
                    }
                }
                transitions.push((from, condition, number));
            }
        }
    }
    transitions.sort_unstable();
    nfa.transitions = transitions;
    nfa.accepting = accepting;
    Ok(nfa)
}

fn add(nfa: &mut Nfa, condition: Condition) -> ConditionId {
    nfa.conditions.push(condition);
    nfa.conditions.len() as ConditionId - 1
}

/// A boolean over events, up to `;` or one of the words that may follow it.
fn condition(parser: &mut Parser<'_>, nfa: &mut Nfa) -> Result<ConditionId, RuleError> {
    let from = parser.pos;
    let mut depth = 0usize;
    let mut end = None;
    let rest = parser.rest();
    let word_at = |i: usize, word: &str| {
        rest[i..].starts_with(word)
            && rest[..i].ends_with(char::is_whitespace)
            && rest[i + word.len()..].starts_with(char::is_whitespace)
    };
    for (i, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ';' | '}' => end = Some(i),
            'w' if word_at(i, "when") => end = Some(i),
            's' if word_at(i, "set") => end = Some(i),
            'u' if word_at(i, "up") => end = Some(i),
            'd' if word_at(i, "down") => end = Some(i),
            _ => {}
        }
        if end.is_some() {
            break;
        }
    }
    let Some(end) = end else { return Err(parser.fail("expected `;`")) };
    let text = rest[..end].trim_end();
    const BEFORE: &str = "never {";
    let read = violations(&format!("{BEFORE}{text}}}"))
        .map_err(|e| parser.fail_at(from + e.at.saturating_sub(BEFORE.len()), e.to_string()))?;
    let wanted = read.transitions.iter().find(|t| read.accepting[t.2 as usize]);
    let [.., (_, only, _)] = read.transitions[..] else {
        return Err(parser.fail("expected a condition"));
    };
    if read.accepting.len() != 2 {
        return Err(parser.fail("expected one condition, and no sequence"));
    }
    let wanted = wanted.map_or(only, |t| t.1);
    let mut map: Vec<ConditionId> = Vec::new();
    for c in &read.conditions {
        let get = |id: &ConditionId| map[*id as usize];
        let new = match c {
            Condition::Atom(a) => {
                let name = &read.atoms[*a as usize];
                let known = nfa.atoms.iter().position(|x| x == name);
                let number = known.unwrap_or_else(|| {
                    nfa.atoms.push(name.clone());
                    nfa.atoms.len() - 1
                });
                Condition::Atom(number as u32)
            }
            Condition::Not(a) => Condition::Not(get(a)),
            Condition::And(a, b) => Condition::And(get(a), get(b)),
            Condition::Or(a, b) => Condition::Or(get(a), get(b)),
            Condition::Constant(value) => Condition::Constant(*value),
        };
        map.push(add(nfa, new));
    }
    parser.pos = from + end;
    Ok(map[wanted as usize])
}
