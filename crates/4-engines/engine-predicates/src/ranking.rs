//! Measures that get smaller on every way from place to place, so that no run goes on for ever.
//!
//! - RK1: only steps inside of a component of the graph count, and only if another such step can come after them: all
//!   others happen once, or are the last.
//! - RK2: a measure that no step of a component makes larger is taken; steps that leave it as it is must be made smaller
//!   by measures that come after it (lexicographic ranking, [bms05]). So it never hurts to take one.
//! - RK3: where the steps that are left do not make one component any more, the components count.
//!
//! Candidates are guessed: words, sums and differences of words, distances to numbers on the way around, and phases:
//! `max(x, -1)`, or whether a predicate holds. Each one is tried on steps that are known, then on all of them by a
//! solver, whose answer is one more step that is known.

use crate::graph::Graph;
use crate::guess;
use crate::measure::{Measure, Ranks, Term, order, ordered};
use crate::predicates::{Literal, Pred, mask};
use check::{Budget, Progress, StopReason};
use logic::{Cadical, Clauses, Lit, StopFlag, Valuation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::sync::Arc;

/// The most variables of a place whose measures are tried beside others of the next place, and the most of these pairs.
const BESIDE: usize = 8;
const MIXED: usize = 400_000;
/// The most candidates for a component, and measures that are taken.
const MOST: usize = 20_000;
const TAKEN: usize = 24;
/// Of components with so few words, sums of three are tried.
const FEW: usize = 9;
/// Of components with so many words, only what is compared is tried in pairs.
const PAIRS: usize = 40;

/// What became of a search for measures.
#[derive(Clone, Debug)]
pub enum Ranked {
    /// Every step makes something smaller.
    Ranks(Ranks),
    /// Nothing was found for steps between these places.
    Open(Vec<usize>),
}

/// Adds numbers that variables become, and those next to none, to those that they are compared with.
pub(crate) fn mention(graph: &mut Graph) {
    graph.mention_given();
    for variable in graph.nodes.iter_mut().flat_map(|n| &mut n.variables) {
        variable.numbers.extend([0, 1, mask(variable.bits.len())]);
        let mut seen = FxHashSet::default();
        variable.numbers.retain(|n| seen.insert(*n));
    }
}

/// Which places belong to one component: two places have the same number if each leads to the other.
pub(crate) fn components(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in edges {
        next[from].push(to);
    }
    let reach = |start: usize| {
        let mut seen = vec![false; count];
        let mut todo = next[start].clone();
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                todo.extend(&next[n]);
            }
        }
        seen
    };
    let all: Vec<Vec<bool>> = (0..count).map(reach).collect();
    let mut out: Vec<usize> = (0..count).collect();
    for a in 0..count {
        if let Some(b) = (0..a).find(|&b| all[a][b] && all[b][a]) {
            out[a] = out[b];
        }
    }
    out
}

/// When a state that an edge leads to goes on inside of the component. RK1.
pub(crate) fn goes_on(graph: &mut Graph, parts: &[usize], edge: usize) -> Lit {
    let to = graph.edges[edge].to;
    let more: Vec<Lit> = graph
        .edges
        .iter()
        .filter(|e| e.from == to && parts[e.to] == parts[to])
        .map(|e| e.guard)
        .collect();
    let mut any = Lit::FALSE;
    for guard in more {
        any = graph.aig.or(any, guard);
    }
    let mut map: FxHashMap<Lit, Lit> = FxHashMap::default();
    let words = &graph.nodes[to].variables;
    for (variable, values) in words.iter().zip(&graph.edges[edge].values) {
        map.extend(variable.bits.iter().copied().zip(values.iter().copied()));
    }
    for input in graph.aig.support([any]) {
        map.entry(input).or_insert_with(|| graph.aig.input());
    }
    graph.aig.substitute(&[any], &map)[0]
}

/// A step that can happen.
struct Seen {
    edge: usize,
    old: Vec<u128>,
    new: Vec<u128>,
}

/// An edge with the steps that no measure makes smaller yet.
struct Left {
    edge: usize,
    steps: Lit,
}

/// The same word at several places.
type Class = Vec<Option<usize>>;

struct Ranking<'g> {
    graph: &'g mut Graph,
    budget: &'g Budget,
    solvers: Vec<Clauses<Cadical>>,
    ranks: Ranks,
    questions: u64,
}

/// Searches for measures. The clauses are an invariant.
pub fn rank(
    graph: &mut Graph,
    clauses: &[Vec<Vec<Literal>>],
    budget: &Budget,
) -> Result<Ranked, StopReason> {
    let count = graph.nodes.len();
    let ways: Vec<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    let parts = components(count, &ways);
    let mut holds = Vec::new();
    for (node, list) in clauses.iter().enumerate() {
        let words: Vec<Vec<Lit>> =
            graph.nodes[node].variables.iter().map(|v| v.bits.clone()).collect();
        let all: Vec<Lit> =
            list.iter().map(|clause| guess::build(&mut graph.aig, clause, &words)).collect();
        holds.push(graph.aig.and_all(all));
    }
    let watched = budget.clone();
    let stop: StopFlag = Arc::new(move || watched.poll().is_err());
    let solvers = (0..count).map(|_| Clauses::new(stop.clone())).collect();
    let mut left = Vec::new();
    for edge in 0..graph.edges.len() {
        let (from, to, guard) =
            (graph.edges[edge].from, graph.edges[edge].to, graph.edges[edge].guard);
        if parts[from] == parts[to] {
            let next = goes_on(graph, &parts, edge);
            let steps = graph.aig.and_all([holds[from], guard, next]);
            left.push(Left { edge, steps });
        }
    }
    let ranks = vec![Vec::new(); count];
    let mut ranking = Ranking { graph, budget, solvers, ranks, questions: 0 };
    let open = ranking.all(left)?;
    Ok(match open.is_empty() {
        true => Ranked::Ranks(ranking.padded()),
        false => Ranked::Open(open),
    })
}

impl Ranking<'_> {
    /// Makes all lists of measures equally long.
    fn padded(self) -> Ranks {
        let most = self.ranks.iter().map(Vec::len).max().unwrap_or(0);
        let mut ranks = self.ranks;
        ranks.iter_mut().for_each(|list| list.resize(most, Measure::Number(0)));
        ranks
    }

    /// Takes measures until no step is left. The places of steps for which there is none.
    fn all(&mut self, left: Vec<Left>) -> Result<Vec<usize>, StopReason> {
        let mut todo = vec![left];
        let mut open: Vec<usize> = Vec::new();
        while let Some(steps) = todo.pop() {
            let mut steps = self.possible(steps)?;
            // RK3.
            let ways: Vec<(usize, usize)> = steps
                .iter()
                .map(|l| (self.graph.edges[l.edge].from, self.graph.edges[l.edge].to))
                .collect();
            let parts = components(self.graph.nodes.len(), &ways);
            let apart = |&(from, to): &(usize, usize)| parts[from] != parts[to];
            if ways.iter().any(apart) {
                self.number(&ways, &parts);
            }
            let mut ends = ways.iter();
            steps.retain(|_| ends.next().is_some_and(|way| !apart(way)));
            let mut groups: FxHashMap<usize, Vec<Left>> = FxHashMap::default();
            for step in steps {
                groups.entry(parts[self.graph.edges[step.edge].from]).or_default().push(step);
            }
            let mut groups: Vec<(usize, Vec<Left>)> = groups.into_iter().collect();
            groups.sort_unstable_by_key(|(part, _)| *part);
            for (_, group) in groups {
                let edge = &self.graph.edges[group[0].edge];
                let long = self.ranks[edge.from].len() >= TAKEN;
                match if long { Err(group) } else { self.one(group)? } {
                    Ok(rest) => todo.push(rest),
                    Err(group) => {
                        let ends = |l: &Left| {
                            let edge = &self.graph.edges[l.edge];
                            [edge.from, edge.to]
                        };
                        open.extend(group.iter().flat_map(ends));
                        open.sort_unstable();
                        open.dedup();
                        // Nothing is said about the rest then.
                        return Ok(open);
                    }
                }
            }
        }
        Ok(open)
    }

    /// The steps that can happen.
    fn possible(&mut self, steps: Vec<Left>) -> Result<Vec<Left>, StopReason> {
        let mut out = Vec::new();
        for step in steps {
            if self.ask(self.graph.edges[step.edge].from, &[step.steps])? {
                out.push(step);
            }
        }
        Ok(out)
    }

    fn ask(&mut self, node: usize, roots: &[Lit]) -> Result<bool, StopReason> {
        if roots.contains(&Lit::FALSE) {
            return Ok(false);
        }
        self.questions += 1;
        let (done, total) = (self.questions, None);
        self.budget.report(Progress { phase: "ranking", done, total });
        self.budget.poll()?;
        match self.solvers[node].solve(&self.graph.aig, roots) {
            Ok(found) => Ok(found),
            Err(_) => {
                self.budget.poll()?;
                Err(StopReason::Cancelled)
            }
        }
    }

    /// A number for each place of some components, smaller the later it comes.
    fn number(&mut self, ways: &[(usize, usize)], parts: &[usize]) {
        let nodes: FxHashSet<usize> = ways.iter().flat_map(|&(a, b)| [a, b]).collect();
        let mut nodes: Vec<usize> = nodes.into_iter().collect();
        nodes.sort_unstable();
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        // The longest way of components that lies before each.
        for _ in 0..=nodes.len() {
            for &(a, b) in ways {
                let before = numbers.get(&parts[b]).copied().unwrap_or(0);
                if parts[a] != parts[b] {
                    let slot = numbers.entry(parts[a]).or_default();
                    *slot = (*slot).max(before + 1);
                }
            }
        }
        let longest = nodes.iter().map(|&n| self.ranks[n].len()).max().unwrap_or(0);
        for node in nodes {
            self.ranks[node].resize(longest, Measure::Number(0));
            let number = numbers.get(&parts[node]).copied().unwrap_or(0);
            self.ranks[node].push(Measure::Number(number));
        }
    }

    /// Takes one measure for the steps of a component: what it leaves, or the steps as they were.
    fn one(&mut self, group: Vec<Left>) -> Result<Result<Vec<Left>, Vec<Left>>, StopReason> {
        let mut nodes: Vec<usize> = Vec::new();
        for left in &group {
            let edge = &self.graph.edges[left.edge];
            nodes.extend([edge.from, edge.to]);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let classes = self.classes(&nodes, &group);
        let candidates = self.candidates(&nodes, &classes, &group);
        let mut seen: Vec<Seen> = Vec::new();
        for left in &group {
            if self.ask(self.graph.edges[left.edge].from, &[left.steps])? {
                let step = self.step(left, Lit::TRUE);
                seen.push(step);
            }
        }
        let mut found: Option<Vec<Measure>> = None;
        let mixed = self.mixed(&nodes);
        let strides = self.strides(&nodes, &classes, &seen);
        'candidates: for candidate in candidates.into_iter().chain(strides).chain(mixed) {
            self.budget.poll()?;
            let at = |node: usize| {
                let k = nodes.iter().position(|&n| n == node).unwrap_or(0);
                &candidate[k]
            };
            let mut smaller = false;
            for step in &seen {
                let edge = &self.graph.edges[step.edge];
                let (old, new) = (at(edge.from), at(edge.to));
                let old = old.value(&step.old, &self.graph.nodes[edge.from].variables);
                let new = new.value(&step.new, &self.graph.nodes[edge.to].variables);
                match order(new, old) {
                    Some(Ordering::Less) => smaller = true,
                    Some(Ordering::Equal) => {}
                    _ => continue 'candidates,
                }
            }
            if !smaller {
                continue;
            }
            for left in &group {
                let from = self.graph.edges[left.edge].from;
                let (less, same) = self.compared(left.edge, at);
                let larger = {
                    let aig = &mut self.graph.aig;
                    let not = aig.and(!less, !same);
                    aig.and(left.steps, not)
                };
                if self.ask(from, &[larger])? {
                    let step = self.step(left, larger);
                    seen.push(step);
                    continue 'candidates;
                }
            }
            found = Some(candidate);
            break;
        }
        let Some(candidate) = found else { return Ok(Err(group)) };
        let at = |node: usize| {
            let k = nodes.iter().position(|&n| n == node).unwrap_or(0);
            &candidate[k]
        };
        let mut rest = Vec::new();
        for left in group {
            let (_, same) = self.compared(left.edge, at);
            let steps = self.graph.aig.and(left.steps, same);
            rest.push(Left { edge: left.edge, steps });
        }
        let longest = nodes.iter().map(|&n| self.ranks[n].len()).max().unwrap_or(0);
        for (&node, measure) in nodes.iter().zip(candidate) {
            self.ranks[node].resize(longest, Measure::Number(0));
            self.ranks[node].push(measure);
        }
        Ok(Ok(rest))
    }

    /// When an edge makes a measure smaller, and when it leaves it as it is.
    fn compared<'m>(&mut self, edge: usize, at: impl Fn(usize) -> &'m Measure) -> (Lit, Lit) {
        let Graph { aig, nodes, edges } = &mut *self.graph;
        let edge = &edges[edge];
        let words: Vec<Vec<Lit>> =
            nodes[edge.from].variables.iter().map(|v| v.bits.clone()).collect();
        let old = at(edge.from).build(aig, &words);
        let new = at(edge.to).build(aig, &edge.values);
        ordered(aig, &new, &old)
    }

    /// The step that a solver found.
    fn step(&mut self, left: &Left, more: Lit) -> Seen {
        let graph = &*self.graph;
        let edge = &graph.edges[left.edge];
        let roots = edge.values.iter().flatten().copied().chain([left.steps, more]);
        let mut support = graph.aig.support(roots);
        support.extend(graph.nodes[edge.from].variables.iter().flat_map(|v| v.bits.clone()));
        let solver = &mut self.solvers[edge.from];
        let mut valuation = Valuation::new();
        support.iter().for_each(|&l| valuation.set(l, solver.value(l)));
        let mut number = |bits: &Vec<Lit>| -> u128 {
            let bit = |(i, &l): (usize, &Lit)| u128::from(valuation.get(&graph.aig, l)) << i;
            bits.iter().enumerate().map(bit).sum()
        };
        let old = graph.nodes[edge.from].variables.iter().map(|v| number(&v.bits)).collect();
        let new = edge.values.iter().map(&mut number).collect();
        Seen { edge: left.edge, old, new }
    }

    /// Words that are the same variable at all places of a component.
    fn classes(&self, nodes: &[usize], group: &[Left]) -> Vec<Class> {
        let graph = &*self.graph;
        let mut classes: Vec<Class> = Vec::new();
        let first = nodes[0];
        let plain = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
        for (v, variable) in graph.nodes[first].variables.iter().enumerate() {
            let mut class: Class = vec![None; nodes.len()];
            class[0] = Some(v);
            // Along steps that leave it as it is.
            let mut changed = true;
            while changed {
                changed = false;
                for left in group {
                    let edge = &graph.edges[left.edge];
                    let at = |n: usize| nodes.iter().position(|&m| m == n).unwrap_or(0);
                    let (a, b) = (at(edge.from), at(edge.to));
                    if let (Some(u), None) = (class[a], class[b]) {
                        let bits = &graph.nodes[edge.from].variables[u].bits;
                        class[b] = edge.values.iter().position(|values| values == bits);
                        changed |= class[b].is_some();
                    }
                    if let (None, Some(u)) = (class[a], class[b]) {
                        let bits = &edge.values[u];
                        let here = &graph.nodes[edge.from].variables;
                        class[a] = here.iter().position(|v| &v.bits == bits);
                        changed |= class[a].is_some();
                    }
                }
            }
            for (k, &node) in nodes.iter().enumerate().filter(|(k, _)| *k > 0) {
                if class[k].is_none() {
                    let there = graph.nodes[node].variables.iter();
                    let name = plain(&variable.name);
                    class[k] = there.clone().position(|v| {
                        plain(&v.name) == name && v.bits.len() == variable.bits.len()
                    });
                }
            }
            if class.iter().all(Option::is_some) {
                classes.push(class);
            }
        }
        classes
    }

    /// What may get smaller: of each place a measure.
    fn candidates(&self, nodes: &[usize], classes: &[Class], group: &[Left]) -> Vec<Vec<Measure>> {
        let graph = &*self.graph;
        let variables = &graph.nodes[nodes[0]].variables;
        let of = |c: usize| &variables[classes[c][0].unwrap_or(0)];
        let place = |n: usize| nodes.iter().position(|&m| m == n).unwrap_or(0);
        // What changes.
        let changes: Vec<bool> = classes
            .iter()
            .map(|class| {
                group.iter().any(|left| {
                    let edge = &graph.edges[left.edge];
                    let (a, b) = (class[place(edge.from)], class[place(edge.to)]);
                    let (a, b) = (a.unwrap_or(0), b.unwrap_or(0));
                    graph.nodes[edge.from].variables[a].bits != edge.values[b]
                })
            })
            .collect();
        let moving: Vec<usize> = (0..classes.len()).filter(|&c| changes[c]).collect();
        let near = |a: usize, b: usize| {
            let (x, y) = (classes[a][0].unwrap_or(0), classes[b][0].unwrap_or(0));
            variables[x].beside.contains(&y) || variables[y].beside.contains(&x)
        };
        let wide = |c: usize| of(c).bits.len() > 1;
        let mut out: Vec<Vec<Measure>> = Vec::new();
        let term = |c: usize, factor: i64| (c, factor, of(c).signed);
        let mut sum = |terms: &[(usize, i64, bool)], least: Option<i128>| {
            let measure = |k: usize| Measure::Sum {
                terms: terms
                    .iter()
                    .map(|&(c, factor, signed)| Term {
                        of: classes[c][k].unwrap_or(0),
                        factor,
                        signed,
                    })
                    .collect(),
                number: 0,
                least,
            };
            out.push((0..nodes.len()).map(measure).collect());
        };
        let pairs: Vec<(usize, usize)> = moving
            .iter()
            .flat_map(|&a| (0..classes.len()).map(move |b| (a, b)))
            .filter(|&(a, b)| a != b && wide(a) && wide(b) && !(changes[b] && b < a))
            .filter(|&(a, b)| classes.len() <= PAIRS || near(a, b))
            .collect();
        // Single words, and what they are compared with, come first.
        for &a in &moving {
            sum(&[term(a, 1)], None);
            sum(&[term(a, -1)], None);
        }
        for want in [true, false] {
            for &(a, b) in pairs.iter().filter(|&&(a, b)| near(a, b) == want) {
                for (x, y) in [(-1, 1), (1, -1), (1, 1), (-1, -1)] {
                    sum(&[term(a, x), term(b, y)], None);
                }
            }
        }
        for &a in moving.iter().filter(|&&a| wide(a)) {
            let other = (a, !of(a).signed);
            sum(&[(other.0, 1, other.1)], None);
            sum(&[(other.0, -1, other.1)], None);
        }
        let around = self.around(nodes, classes, &moving, &pairs);
        // Phases.
        for &a in moving.iter().filter(|&&a| wide(a)) {
            let signed = |n: u128| crate::predicates::as_signed(n, of(a).bits.len());
            let mut numbers: Vec<i128> = vec![-1, 0];
            numbers.extend(of(a).numbers.iter().take(8).map(|&n| match of(a).signed {
                true => signed(n),
                false => n as i128,
            }));
            numbers.sort_unstable();
            numbers.dedup();
            for number in numbers {
                for least in [number - 1, number, number + 1] {
                    sum(&[term(a, 1)], Some(least));
                    sum(&[term(a, -1)], Some(-least));
                }
            }
        }
        for &(a, b) in &pairs {
            for (x, y) in [(-1, 1), (1, -1), (1, 1), (-1, -1)] {
                sum(&[term(a, x), term(b, y)], Some(-1));
                sum(&[term(a, x), term(b, y)], Some(0));
            }
            for (x, y) in [(2, -1), (-2, 1), (1, -2), (-1, 2), (2, 1), (1, 2), (-2, -1), (-1, -2)] {
                sum(&[term(a, x), term(b, y)], None);
            }
        }
        if classes.len() <= FEW {
            let wides: Vec<usize> = (0..classes.len()).filter(|&c| wide(c)).collect();
            for (i, &a) in wides.iter().enumerate() {
                for (j, &b) in wides.iter().enumerate().skip(i + 1) {
                    for &c in wides.iter().skip(j + 1) {
                        if !(changes[a] || changes[b] || changes[c]) {
                            continue;
                        }
                        for signs in 0..8 {
                            let sign = |i: i64| 1 - 2 * (signs >> i & 1);
                            sum(&[term(a, sign(0)), term(b, sign(1)), term(c, sign(2))], None);
                        }
                    }
                }
            }
        }
        let holds = self.predicates(nodes, classes);
        let singles = 2 * moving.len();
        let tail = out.split_off(singles.min(out.len()));
        out.extend(around);
        out.extend(tail);
        out.extend(holds);
        out.truncate(MOST);
        let fits = |measures: &Vec<Measure>| {
            measures.iter().zip(nodes).all(|(m, &n)| m.fits(&graph.nodes[n].variables))
        };
        out.retain(fits);
        out
    }

    /// Distances on the way around.
    fn around(
        &self,
        nodes: &[usize],
        classes: &[Class],
        moving: &[usize],
        pairs: &[(usize, usize)],
    ) -> Vec<Vec<Measure>> {
        let graph = &*self.graph;
        let variables = &graph.nodes[nodes[0]].variables;
        let of = |c: usize| &variables[classes[c][0].unwrap_or(0)];
        let mut out: Vec<Vec<Measure>> = Vec::new();
        let mut put = |terms: &[(usize, i64)], number: u128| {
            let measure = |k: usize| Measure::Around {
                terms: terms
                    .iter()
                    .map(|&(c, factor)| Term {
                        of: classes[c][k].unwrap_or(0),
                        factor,
                        signed: false,
                    })
                    .collect(),
                number,
            };
            out.push((0..nodes.len()).map(measure).collect());
        };
        for &a in moving {
            let width = of(a).bits.len();
            if width < 2 {
                continue;
            }
            let mut numbers: Vec<u128> = of(a).numbers.iter().map(|n| n & mask(width)).collect();
            numbers.extend([0, 1, mask(width)]);
            numbers.sort_unstable();
            numbers.dedup();
            for &number in numbers.iter().take(24) {
                put(&[(a, -1)], number);
                put(&[(a, 1)], number.wrapping_neg() & mask(width));
            }
        }
        for &(a, b) in pairs {
            if of(a).bits.len() == of(b).bits.len() {
                put(&[(b, 1), (a, -1)], 0);
                put(&[(a, 1), (b, -1)], 0);
            }
        }
        out
    }

    /// Rounds that are left where a word changes by an odd number until it is some number: its distance, divided on the
    /// way around.
    fn strides(&self, nodes: &[usize], classes: &[Class], seen: &[Seen]) -> Vec<Vec<Measure>> {
        let graph = &*self.graph;
        let mut out = Vec::new();
        let place = |n: usize| nodes.iter().position(|&m| m == n).unwrap_or(0);
        for class in classes {
            let variable = &graph.nodes[nodes[0]].variables[class[0].unwrap_or(0)];
            let width = variable.bits.len();
            let change = |step: &Seen| {
                let edge = &graph.edges[step.edge];
                let at = |n: usize| class[place(n)].unwrap_or(0);
                step.new[at(edge.to)].wrapping_sub(step.old[at(edge.from)]) & mask(width)
            };
            let mut changes: Vec<u128> = seen.iter().map(change).filter(|&c| c != 0).collect();
            changes.sort_unstable();
            changes.dedup();
            let &[by] = &changes[..] else { continue };
            let small = crate::predicates::as_signed(by, width);
            if by & 1 == 0 || !(2..=64).contains(&width) || small.abs() == 1 {
                continue;
            }
            // Newton's way to the inverse: each round doubles the bits that are right.
            let mut inverse = by;
            for _ in 0..6 {
                inverse = inverse.wrapping_mul(2u128.wrapping_sub(by.wrapping_mul(inverse)));
            }
            let inverse = inverse & mask(width);
            let factor = crate::predicates::as_signed(inverse.wrapping_neg() & mask(width), width);
            let Ok(factor) = i64::try_from(factor) else { continue };
            for &number in variable.numbers.iter().take(16) {
                let number = number.wrapping_mul(inverse) & mask(width);
                let measure = |k: usize| {
                    let of = class[k].unwrap_or(0);
                    Measure::Around { terms: vec![Term { of, factor, signed: false }], number }
                };
                out.push((0..nodes.len()).map(measure).collect());
            }
        }
        out
    }

    /// Of two places, one measure each.
    fn mixed(&self, nodes: &[usize]) -> Vec<Vec<Measure>> {
        let &[a, b] = nodes else { return Vec::new() };
        let all = |node: usize| {
            let variables = &self.graph.nodes[node].variables;
            let mut out = vec![Measure::Number(0)];
            if variables.len() > BESIDE {
                return out;
            }
            let mut sum = |terms: Vec<Term>| {
                for number in [0, 1] {
                    out.push(Measure::Sum { terms: terms.clone(), number, least: None });
                }
            };
            let term = |of: usize, factor: i64| Term { of, factor, signed: variables[of].signed };
            for x in 0..variables.len() {
                sum(vec![term(x, 1)]);
                sum(vec![term(x, -1)]);
                for y in x + 1..variables.len() {
                    for (p, q) in [(1, -1), (-1, 1), (1, 1), (-1, -1)] {
                        sum(vec![term(x, p), term(y, q)]);
                    }
                }
            }
            out
        };
        let (first, second) = (all(a), all(b));
        let pairs = first.iter().flat_map(|x| second.iter().map(|y| vec![x.clone(), y.clone()]));
        pairs.take(MIXED).collect()
    }

    /// Whether predicates hold.
    fn predicates(&self, nodes: &[usize], classes: &[Class]) -> Vec<Vec<Measure>> {
        let mut out = Vec::new();
        let nothing = guess::Known::nothing(self.graph);
        let mut all = guess::predicates(self.graph, &nothing).swap_remove(nodes[0]);
        let wide = self.graph.nodes[nodes[0]].variables.iter().enumerate();
        let wide = wide.filter(|(_, v)| v.bits.len() > 1);
        all.extend(wide.map(|(of, _)| Pred::Low { of, bits: 1, number: 0 }));
        for pred in &all {
            let class = |v: usize| classes.iter().find(|c| c[0] == Some(v));
            let [a, b, ..] = pred.variables();
            let (Some(a), Some(b)) = (class(a), class(b)) else { continue };
            for holds in [true, false] {
                let measure = |k: usize| {
                    let (a, b) = (a[k].unwrap_or(0), b[k].unwrap_or(0));
                    let pred = match *pred {
                        Pred::Bit { bit, .. } => Pred::Bit { of: a, bit },
                        Pred::Equal { number, .. } => Pred::Equal { of: a, number },
                        Pred::Low { bits, number, .. } => Pred::Low { of: a, bits, number },
                        Pred::Most { number, signed, .. } => Pred::Most { of: a, number, signed },
                        Pred::Apart { number, .. } => Pred::Apart { a, b, number },
                        Pred::Ordered { signed, .. } => Pred::Ordered { a, b, signed },
                        _ => return None,
                    };
                    Some(Measure::Holds { pred, holds })
                };
                out.extend((0..nodes.len()).map(measure).collect::<Option<Vec<Measure>>>());
            }
        }
        out
    }
}
