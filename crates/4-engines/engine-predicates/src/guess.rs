//! Cheap invariants: many guesses, of which those stay that hold together ([houdini]).
//!
//! Guesses are bounds by numbers that the program mentions, sets of such numbers, equalities, differences and orders of
//! two variables, strides, signs. A guess that some edge breaks while all others hold is dropped, until none is.

use crate::graph::{Bad, Call, Graph, Node, Variable};
use crate::predicates::{Literal, Pred, as_signed, mask};
use crate::samples::{Samples, samples};
use check::{Budget, Progress, StopReason};
use logic::{Cadical, Clauses, Lit, StopFlag};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most guesses of a place.
const MOST: usize = 1_500;
/// Places of so few variables have guesses about all pairs of them.
const FEW: usize = 14;
/// The most variables of places about whose pairs something is guessed from samples.
const MANY: usize = 30;

/// The most numbers of a variable that is told apart by them alone, and of what samples have few of.
const ENUMERATED: usize = 64;
const SET: usize = 40;
/// The most differences of two variables, and cases that are told apart.
const APART: usize = 8;
/// The most bounds of a difference.
const GAPS: usize = 12;
const CASES: usize = 120;

pub(crate) type Clause = Vec<Literal>;

/// The predicates that are worth while at each place, with what is known there. A variable that is one of few numbers
/// is told apart by them alone: orders among such say what equalities say, and keep a search from seeing it.
pub(crate) fn predicates(graph: &Graph, known: &Known) -> Vec<Vec<Pred>> {
    let mut out = Vec::new();
    for (number, (node, facts)) in graph.nodes.iter().zip(&known.facts).enumerate() {
        let mut list: Vec<Pred> = Vec::new();
        let some = &known.useful[number];
        let all = some.len() <= FEW;
        let mut sets: FxHashMap<usize, &Clause> = FxHashMap::default();
        for (of, set) in facts.iter().filter_map(one_of) {
            let small = sets.entry(of).or_insert(set);
            if set.len() < small.len() {
                *small = set;
            }
        }
        for &of in some {
            let variable = &node.variables[of];
            let (width, signed) = (variable.bits.len(), variable.signed);
            if width == 1 {
                list.push(Pred::Bit { of, bit: 0 });
                continue;
            }
            if let Some(set) = sets.get(&of) {
                let never = |pred: Pred| facts.contains(&vec![(pred, false)]);
                list.extend(set.iter().map(|(pred, _)| *pred).filter(|&p| !never(p)));
                continue;
            }
            for &number in variable.numbers.iter().filter(|&&n| n & !mask(width) == 0) {
                list.push(Pred::Equal { of, number });
                list.push(Pred::Most { of, number, signed });
                let below = number.wrapping_sub(1) & mask(width);
                list.push(Pred::Most { of, number: below, signed });
            }
            list.push(Pred::Equal { of, number: 0 });
            if signed {
                list.push(Pred::Most { of, number: mask(width), signed });
            }
            for &b in some {
                let other = &node.variables[b];
                let near = variable.beside.contains(&b);
                if b == of || other.bits.len() != width || !(near || all) || sets.contains_key(&b) {
                    continue;
                }
                if b > of {
                    list.push(Pred::Apart { a: of, b, number: 0 });
                    // Small numbers that are added to one of them.
                    let numbers = variable.numbers.iter().chain(&other.numbers).copied();
                    let small = numbers.filter(|&n| as_signed(n & mask(width), width).abs() <= 64);
                    for n in small.filter(|_| near) {
                        let number = n & mask(width);
                        let less = n.wrapping_neg() & mask(width);
                        list.push(Pred::Apart { a: of, b, number });
                        list.push(Pred::Apart { a: of, b, number: less });
                    }
                }
                list.extend(gaps(node, of, b));
                if near || some.len() <= FEW / 2 {
                    list.push(Pred::Ordered { a: of, b, signed: signed && other.signed });
                }
            }
        }
        for (pred, all) in differences(&node.variables, some, &known.samples[number]) {
            let Pred::Apart { a, b, .. } = pred else { continue };
            list.extend(all.iter().map(|&number| Pred::Apart { a, b, number }));
        }
        list.sort_unstable();
        list.dedup();
        list.truncate(2 * MOST);
        out.push(list);
    }
    out
}

/// The variables of each place on which anything depends: what is bad, whether an edge is taken, or such a variable.
fn useful(graph: &Graph, bads: &[Bad]) -> Vec<Vec<usize>> {
    let mut owner: FxHashMap<Lit, (usize, usize)> = FxHashMap::default();
    for (node, place) in graph.nodes.iter().enumerate() {
        for (v, variable) in place.variables.iter().enumerate() {
            owner.extend(variable.bits.iter().map(|&b| (b, (node, v))));
        }
        for call in &place.calls {
            for v in (0..call.values.len()).filter(|&v| call.given[v]) {
                owner.extend(call.values[v].iter().map(|&b| (b, (call.node, v))));
            }
        }
    }
    let calls: Vec<&Call> = graph.nodes.iter().flat_map(|n| &n.calls).collect();
    let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
    let mut visited = vec![false; graph.aig.len()];
    let mut todo: Vec<u32> = graph.edges.iter().map(|e| e.guard.node()).collect();
    todo.extend(bads.iter().map(|b| b.guard.node()));
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut visited[node as usize], true) {
            continue;
        }
        if let Some((a, b)) = graph.aig.children(node) {
            todo.extend([a.node(), b.node()]);
        } else if let Some(&(place, v)) = owner.get(&Lit::of_node(node)) {
            // What a call gives depends on all that it is given.
            let end = calls.iter().any(|c| c.node == place);
            let all = if end { 0..graph.nodes[place].variables.len() } else { v..v + 1 };
            for v in all.filter(|&v| seen.insert((place, v))) {
                let into = graph.edges.iter().filter(|e| e.to == place);
                todo.extend(into.flat_map(|e| e.values[v].iter().map(|l| l.node())));
                let given = calls.iter().filter(|c| c.node == place);
                todo.extend(given.flat_map(|c| c.values[v].iter().map(|l| l.node())));
            }
        }
    }
    let of = |node: usize| {
        let all = 0..graph.nodes[node].variables.len();
        all.filter(|&v| seen.contains(&(node, v))).collect()
    };
    (0..graph.nodes.len()).map(of).collect()
}

/// The variable that a clause says to be one of a few numbers.
fn one_of(clause: &Clause) -> Option<(usize, &Clause)> {
    let &[(Pred::Equal { of, .. }, true), ..] = &clause[..] else { return None };
    let same = |l: &Literal| matches!(l, (Pred::Equal { of: other, .. }, true) if *other == of);
    (clause.len() <= ENUMERATED && clause.iter().all(same)).then_some((of, clause))
}

/// Guesses about a place.
fn guesses(graph: &Graph, node: usize, some: &[usize]) -> Vec<Clause> {
    let end = graph.nodes.iter().flat_map(|n| &n.calls).any(|c| c.node == node);
    let node = &graph.nodes[node];
    let mut out: Vec<Clause> = Vec::new();
    let all = some.len() <= FEW;
    if end {
        // Nobody comes back.
        out.push(Vec::new());
    }
    for &of in some {
        let variable = &node.variables[of];
        let (width, signed) = (variable.bits.len(), variable.signed);
        if width == 1 {
            out.extend([
                vec![(Pred::Bit { of, bit: 0 }, true)],
                vec![(Pred::Bit { of, bit: 0 }, false)],
            ]);
            continue;
        }
        let mut numbers: Vec<u128> =
            variable.numbers.iter().copied().filter(|n| n & !mask(width) == 0).collect();
        numbers.push(0);
        match signed {
            true => numbers.sort_unstable_by_key(|&n| as_signed(n, width)),
            false => numbers.sort_unstable(),
        }
        numbers.dedup();
        if numbers.len() <= ENUMERATED {
            out.push(numbers.iter().map(|&number| (Pred::Equal { of, number }, true)).collect());
            out.extend(numbers.iter().map(|&number| vec![(Pred::Equal { of, number }, false)]));
        }
        let half = numbers.len().min(20);
        for &number in numbers.iter().take(half).chain(numbers.iter().rev().take(half)) {
            out.push(vec![(Pred::Most { of, number, signed }, true)]);
            let below = number.wrapping_sub(1) & mask(width);
            let least = if signed { 1 << (width - 1) } else { 0 };
            if number != least {
                out.push(vec![(Pred::Most { of, number: below, signed }, false)]);
            }
        }
        for bits in 1..=3.min(width as u32) {
            for number in 0..1 << bits {
                out.push(vec![(Pred::Low { of, bits, number }, true)]);
            }
        }
        for &b in some {
            let other = &node.variables[b];
            if b == of || other.bits.len() != width || !(all || variable.beside.contains(&b)) {
                continue;
            }
            if b > of {
                out.push(vec![(Pred::Apart { a: of, b, number: 0 }, true)]);
            }
            let signed = signed && other.signed;
            out.push(vec![(Pred::Ordered { a: of, b, signed }, true)]);
            out.push(vec![(Pred::Below { a: of, b, signed }, true)]);
            out.extend(gaps(node, of, b).map(|pred| vec![(pred, true)]));
        }
    }
    out.sort_unstable();
    out.dedup();
    out.truncate(MOST);
    out
}

/// Bounds of the difference of two variables that are compared: numbers that the program mentions for one of them. The
/// smallest ones are as likely as any.
fn gaps(node: &Node, a: usize, b: usize) -> impl Iterator<Item = Pred> {
    let (x, y) = (&node.variables[a], &node.variables[b]);
    let (width, signed) = (x.bits.len(), x.signed && y.signed);
    let mut numbers: Vec<u128> = match x.beside.contains(&b) && width >= 32 {
        true => x.numbers.iter().chain(&y.numbers).map(|n| n & mask(width)).collect(),
        false => Vec::new(),
    };
    numbers.sort_unstable_by_key(|&n| (as_signed(n, width).unsigned_abs(), n));
    numbers.dedup();
    numbers.truncate(GAPS);
    numbers.into_iter().map(move |number| Pred::Gap { a, b, number, signed })
}

/// Guesses that fit all samples of a place: linear equalities of two and three variables.
fn fitting(graph: &Graph, node: usize, some: &[usize], samples: &[Vec<u128>]) -> Vec<Clause> {
    let variables = &graph.nodes[node].variables;
    let mut out = Vec::new();
    let Some(first) = samples.first() else { return out };
    let second = samples.get(1).unwrap_or(first);
    // Where little is known, more is guessed of few variables.
    let sums = if samples.len() > 2 { FEW } else { FEW / 2 };
    if some.len() > MANY {
        return out;
    }
    let mut keep = |pred: Pred| {
        if samples.iter().all(|values| pred.holds(values, variables)) {
            out.push(vec![(pred, true)]);
        }
    };
    for &a in some {
        let width = variables[a].bits.len();
        for b in some.iter().copied().filter(|&b| b != a) {
            if width < 4 || variables[b].bits.len() != width {
                continue;
            }
            let apart = |v: &Vec<u128>| v[a].wrapping_sub(v[b]) & mask(width);
            if a < b && apart(first) != 0 {
                keep(Pred::Apart { a, b, number: apart(first) });
            }
            let (x, y) = (second[a].wrapping_sub(first[a]), second[b].wrapping_sub(first[b]));
            let (x, y) = (as_signed(x, width), as_signed(y, width));
            if y != 0 && x != 0 && x % y == 0 && x / y != 1 && (x / y).abs() <= 4_096 {
                let by = (x / y) as u128 & mask(width);
                let number = first[a].wrapping_sub(by.wrapping_mul(first[b])) & mask(width);
                keep(Pred::Linear { a, b, by, number });
            }
            if a < b && some.len() <= sums {
                for &c in some {
                    if c != a && c != b && variables[c].bits.len() == width {
                        keep(Pred::Sum { a, b, c });
                    }
                }
            }
        }
    }
    if some.len() <= FEW {
        out.extend(planes(variables, some, samples).into_iter().map(|pred| vec![(pred, true)]));
    }
    for (pred, all) in differences(variables, some, samples) {
        let Pred::Apart { a, b, .. } = pred else { continue };
        out.push(all.iter().map(|&number| (Pred::Apart { a, b, number }, true)).collect());
    }
    for &of in some {
        let numbers = few(samples, |s| s[of]);
        if let Some(all) = numbers.filter(|_| variables[of].bits.len() > 1) {
            out.push(all.iter().map(|&number| (Pred::Equal { of, number }, true)).collect());
        }
    }
    out.truncate(MOST);
    out
}

/// Linear equalities of three and four variables that fit all samples.
fn planes(variables: &[Variable], some: &[usize], samples: &[Vec<u128>]) -> Vec<Pred> {
    let mut out = Vec::new();
    // What has few numbers is told in other ways.
    let wide = |&v: &usize| variables[v].bits.len() > 3 && !is_few(samples, v);
    let some: Vec<usize> = some.iter().copied().filter(wide).collect();
    let Some(first) = samples.first().filter(|_| samples.len() > 4) else { return out };
    let mut keep = |pred: Pred| {
        if samples.iter().all(|values| pred.holds(values, variables)) {
            out.push(pred);
        }
    };
    for (i, &a) in some.iter().enumerate() {
        let width = variables[a].bits.len();
        let same = |v: &usize| variables[*v].bits.len() == width;
        for &b in some[i + 1..].iter().filter(|b| same(b)) {
            for &c in some.iter().filter(|&&c| c != a && c != b && same(&c)) {
                let sum = |s: &[u128]| s[a].wrapping_add(s[b]);
                let steps = samples.iter().map(|s| {
                    let x = as_signed(sum(s).wrapping_sub(sum(first)) & mask(width), width);
                    (x, as_signed(s[c].wrapping_sub(first[c]) & mask(width), width))
                });
                let by = steps.filter(|s| s.1 != 0).min_by_key(|s| s.1.abs());
                let by = by.filter(|(x, y)| x % y == 0 && x / y != 0 && (x / y).abs() <= 64);
                if let Some((x, y)) = by {
                    let by = (x / y) as u128 & mask(width);
                    let number = sum(first).wrapping_sub(by.wrapping_mul(first[c])) & mask(width);
                    keep(Pred::Plane { a, b, c, d: None, by, number });
                }
                for &d in some.iter().filter(|&&d| d > c && d != b && a < c && same(&d)) {
                    let right = first[c].wrapping_add(first[d]);
                    let number = sum(first).wrapping_sub(right) & mask(width);
                    keep(Pred::Plane { a, b, c, d: Some(d), by: 1, number });
                }
            }
        }
    }
    out
}

fn holds(clause: &Clause, values: &[u128], variables: &[Variable]) -> bool {
    clause.iter().any(|(pred, value)| pred.holds(values, variables) == *value)
}

/// The numbers that a function of samples is, if they are few and each was seen more than once.
fn few(samples: &[Vec<u128>], of: impl Fn(&[u128]) -> u128) -> Option<Vec<u128>> {
    let mut all: Vec<u128> = samples.iter().map(|s| of(s)).collect();
    all.sort_unstable();
    all.dedup();
    (all.len() <= SET && 2 * all.len() < samples.len()).then_some(all)
}

/// Whether a variable has next to no values.
fn is_few(samples: &[Vec<u128>], v: usize) -> bool {
    few(samples, |s| s[v]).is_some_and(|all| all.len() <= 3)
}

/// Differences of two variables that samples have, where they have few: predicates that are worth while.
fn differences(
    variables: &[Variable],
    some: &[usize],
    samples: &[Vec<u128>],
) -> Vec<(Pred, Vec<u128>)> {
    let mut out = Vec::new();
    if some.len() > MANY {
        return out;
    }
    for (i, &a) in some.iter().enumerate() {
        let width = variables[a].bits.len();
        for &b in &some[i + 1..] {
            if width < 4 || variables[b].bits.len() != width {
                continue;
            }
            let apart = |s: &[u128]| s[a].wrapping_sub(s[b]) & mask(width);
            // What each of them says alone is not said again.
            let near = variables[a].beside.contains(&b);
            let alone = || is_few(samples, a) || is_few(samples, b);
            if (near || !alone())
                && let Some(all) = few(samples, apart).filter(|all| all.len() <= APART)
            {
                out.push((Pred::Apart { a, b, number: 0 }, all));
            }
        }
    }
    out
}

/// Guesses that fit all samples, of the form: if a variable is a number, something holds of another one. What is
/// supposed is told apart by few numbers.
fn implied(
    variables: &[Variable],
    some: &[usize],
    samples: &[Vec<u128>],
    facts: &[Clause],
) -> Vec<Clause> {
    let mut out: Vec<Clause> = Vec::new();
    if some.len() > 2 * MANY || samples.len() < 4 {
        return out;
    }
    let known: FxHashSet<&Clause> = facts.iter().collect();
    // Cases, and what may hold in them.
    let (mut cases, mut atoms): (Vec<Literal>, Vec<Literal>) = (Vec::new(), Vec::new());
    for &of in some {
        if variables[of].bits.len() == 1 {
            let bit = Pred::Bit { of, bit: 0 };
            cases.extend([(bit, true), (bit, false)]);
            continue;
        }
        if let Some(all) = few(samples, |s| s[of]) {
            cases.extend(all.iter().map(|&number| (Pred::Equal { of, number }, true)));
            atoms.extend(all.iter().map(|&number| (Pred::Equal { of, number }, false)));
        }
    }
    for (pred, all) in differences(variables, some, samples) {
        let Pred::Apart { a, b, .. } = pred else { continue };
        atoms.extend(all.iter().map(|&number| (Pred::Apart { a, b, number }, true)));
    }
    if cases.len() > CASES {
        return out;
    }
    atoms.extend(&cases);
    for (i, &(case, value)) in cases.iter().enumerate() {
        for &(atom, holds) in atoms.iter().filter(|(a, _)| a.variables() != case.variables()) {
            // Of an implication and its contraposition one is enough.
            let back = cases[..i].iter().any(|&(p, v)| p == atom && v != holds);
            let clause = vec![(case, !value), (atom, holds)];
            let alone = known.contains(&vec![clause[0]]) || known.contains(&vec![clause[1]]);
            if !back && !alone && samples.iter().all(|s| self::holds(&clause, s, variables)) {
                out.push(clause);
            }
        }
    }
    out.truncate(2 * MOST);
    out
}

/// A guess with its functions.
struct Guess {
    clause: Clause,
    now: Lit,
    /// By edge into the place.
    next: Vec<Lit>,
    /// By call that ends at the place.
    passed: Vec<Lit>,
}

/// What is known of the places: the guesses that hold together. They are tried in stages, the simplest first, so that
/// something is known if there is no time for all; what one stage drops is tried again with the guesses of the next.
pub(crate) fn facts(
    graph: &mut Graph,
    bads: &[Bad],
    limit: Duration,
    budget: &Budget,
) -> Result<Known, StopReason> {
    graph.mention_given();
    let count = graph.nodes.len();
    // What elements hold is hardly found but by guesses, which are worth more time then.
    let (stages, limit) = match graph.nodes.iter().any(|n| n.elements.is_some()) {
        true => (4, limit.saturating_mul(3)),
        false => (3, limit),
    };
    let mut start = Instant::now();
    let stop = |start: Instant| -> StopFlag {
        let watched = budget.clone();
        Arc::new(move || start.elapsed() > limit || watched.poll().is_err())
    };
    let solvers = |stop: &StopFlag| -> Vec<Clauses<Cadical>> {
        (0..count).map(|_| Clauses::new(stop.clone())).collect()
    };
    let samples = samples(graph, &mut solvers(&stop(start)), budget)?;
    let useful = useful(graph, bads);
    let mut known = Known { facts: vec![Vec::new(); count], samples, useful, questions: 0 };
    let mut tried: Vec<Vec<Clause>> = vec![Vec::new(); count];
    for stage in 0..stages {
        let mut new = false;
        for (node, tried) in tried.iter_mut().enumerate() {
            let variables = &graph.nodes[node].variables;
            let (samples, some) = (&known.samples[node], &known.useful[node]);
            let mut all = match stage {
                0 => guesses(graph, node, some),
                1 => fitting(graph, node, some, samples),
                2 => implied(variables, some, samples, &known.facts[node]),
                _ => crate::elements::guesses(&graph.nodes[node], some, &known.facts[node]),
            };
            let fits = |clause: &Clause| samples.iter().all(|s| holds(clause, s, variables));
            all.retain(|clause| fits(clause) && !known.facts[node].contains(clause));
            new |= !all.is_empty();
            tried.append(&mut all);
            tried.sort_unstable();
            tried.dedup();
        }
        if !new {
            continue;
        }
        start = Instant::now();
        let mut solvers = solvers(&stop(start));
        if !together(graph, &mut known, &tried, &mut solvers, budget)? {
            break;
        }
        for (tried, facts) in tried.iter_mut().zip(&known.facts) {
            tried.retain(|clause| !facts.contains(clause));
        }
    }
    Ok(known)
}

/// What guesses found out.
pub(crate) struct Known {
    /// What holds at each place.
    pub(crate) facts: Vec<Vec<Clause>>,
    /// States that runs come to.
    pub(crate) samples: Samples,
    /// The variables on which something depends.
    pub(crate) useful: Vec<Vec<usize>>,
    /// Questions to solvers.
    pub(crate) questions: u64,
}

impl Known {
    /// Nothing but that all variables may be worth while.
    pub(crate) fn nothing(graph: &Graph) -> Known {
        let count = graph.nodes.len();
        let all = |node: &crate::graph::Node| (0..node.variables.len()).collect();
        Known {
            facts: vec![Vec::new(); count],
            samples: vec![Vec::new(); count],
            useful: graph.nodes.iter().map(all).collect(),
            questions: 0,
        }
    }
}

/// Adds to what is known the guesses that hold together with it. False if there is no time for that.
fn together(
    graph: &mut Graph,
    known: &mut Known,
    tried: &[Vec<Clause>],
    solvers: &mut [Clauses<Cadical>],
    budget: &Budget,
) -> Result<bool, StopReason> {
    let count = graph.nodes.len();
    let into: Vec<Vec<usize>> = (0..count)
        .map(|n| (0..graph.edges.len()).filter(|&e| graph.edges[e].to == n).collect())
        .collect();
    // By place, the calls that end there: where they are, and which.
    let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
    for (node, place) in graph.nodes.iter().enumerate() {
        place.calls.iter().enumerate().for_each(|(c, call)| users[call.node].push((node, c)));
    }
    let mut left: Vec<Vec<Guess>> = Vec::new();
    for node in 0..count {
        let words: Vec<Vec<Lit>> =
            graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect();
        for clause in &known.facts[node] {
            let now = build(&mut graph.aig, clause, &words);
            let mut all = vec![(node, now)];
            for &(user, call) in &users[node] {
                all.push((user, passed(graph, (user, call), clause)));
            }
            for (at, lit) in all {
                if solvers[at].require(&graph.aig, lit).is_err() {
                    budget.poll()?;
                    return Ok(false);
                }
            }
        }
        let mut list = Vec::new();
        for clause in &tried[node] {
            let (aig, edges) = (&mut graph.aig, &graph.edges);
            let now = build(aig, clause, &words);
            let next = into[node].iter().map(|&e| build(aig, clause, &edges[e].values)).collect();
            let passed = users[node].iter().map(|&user| passed(graph, user, clause)).collect();
            list.push(Guess { clause: clause.clone(), now, next, passed });
        }
        left.push(list);
    }
    loop {
        let mut changed = false;
        for node in 0..count {
            for (k, &edge) in into[node].iter().enumerate() {
                let from = graph.edges[edge].from;
                loop {
                    if left[node].is_empty() {
                        break;
                    }
                    known.questions += 1;
                    let (done, total) = (known.questions, None);
                    budget.report(Progress { phase: "guessing", done, total });
                    budget.poll()?;
                    let all = graph.aig.and_all(left[node].iter().map(|g| g.next[k]));
                    let mut roots = vec![graph.edges[edge].guard, !all];
                    roots.extend(left[from].iter().map(|g| g.now));
                    for (users, left) in users.iter().zip(&left) {
                        for u in (0..users.len()).filter(|&u| users[u].0 == from) {
                            roots.extend(left.iter().map(|g| g.passed[u]));
                        }
                    }
                    // A conjunction need not mention all of its parts, and each is asked for its value.
                    for guess in &left[node] {
                        if solvers[from].literal(&graph.aig, guess.next[k]).is_err() {
                            budget.poll()?;
                            return Ok(false);
                        }
                    }
                    match solvers[from].solve(&graph.aig, &roots) {
                        Ok(false) => break,
                        Ok(true) => {}
                        Err(_) => {
                            budget.poll()?;
                            return Ok(false);
                        }
                    }
                    // Drops what the step breaks.
                    let solver = &mut solvers[from];
                    let before = left[node].len();
                    left[node].retain(|g| g.next[k] == Lit::TRUE || solver.value(g.next[k]));
                    changed = true;
                    if left[node].len() == before {
                        return Ok(false);
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (facts, list) in known.facts.iter_mut().zip(left) {
        facts.extend(list.into_iter().map(|g| g.clause));
    }
    Ok(true)
}

/// What a clause of a call's end says to the block that passes it.
fn passed(graph: &mut Graph, (node, call): (usize, usize), clause: &Clause) -> Lit {
    let call = &graph.nodes[node].calls[call];
    let lit = build(&mut graph.aig, clause, &call.values);
    graph.aig.or(!call.when, lit)
}

pub(crate) fn build(aig: &mut logic::Aig, clause: &Clause, words: &[Vec<Lit>]) -> Lit {
    let mut none = Lit::TRUE;
    for (pred, value) in clause {
        let lit = pred.build(aig, words).xor_sign(!value);
        none = aig.and(none, !lit);
    }
    !none
}
